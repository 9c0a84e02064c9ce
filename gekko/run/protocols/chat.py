"""The protocol `chat`: a conversation goes out, the next message comes back."""

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import define, field

from gekko import jsontext
from gekko.messages import Message
from gekko.run.exchange import Reply
from gekko.run.protocols.envelope import JsonBody, text_or_none, usage_in
from gekko.wording import described

SCHEMA_NAME = "answer"
"""Servers ask for a name, and do nothing with it."""


def chat_body(
    model: str,
    messages: Sequence[Message],
    generation: Mapping[str, object],
    response_schema: object | None = None,
    *,
    streams: bool = False,
) -> bytes:
    """Return the body of a request; *generation* goes in at the top level, a schema the server is told to keep to.

    Where it *streams*, the server is asked to answer in pieces, and to count its tokens all the same.

    Raises:
        JsonTextError: some text or value cannot be written as JSON.
    """
    body: dict[str, object] = {
        "model": model,
        "messages": [{"role": message.role, "content": message.content} for message in messages],
        **generation,
    }
    if response_schema is not None:
        named = {"name": SCHEMA_NAME, "schema": response_schema, "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": named}
    if streams:
        body = {"stream_options": {"include_usage": True}, **body, "stream": True}
    return jsontext.compact(body).encode()


@define
class ChatParser:
    """Reads a chat completion that arrives as one document."""

    _body: JsonBody = field(factory=lambda: JsonBody("chat"), init=False)

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes of the answer."""
        self._body.feed(chunk)

    def finish(self) -> Reply:
        """Return the first choice.

        Raises:
            BackendError: there is none, or it has no text although it was not cut off.
        """
        document = self._body.document()
        choice = self.first_choice(document)
        reason = text_or_none(choice.get("finish_reason"))
        return Reply(
            content=self.content(choice, cut_off=reason == "length"),
            finish_reason=reason,
            model=text_or_none(document.get("model")),
            usage=usage_in(document.get("usage")),
            fingerprint=text_or_none(document.get("system_fingerprint")),
        )

    def first_choice(self, document: dict[str, Any]) -> dict[str, Any]:
        """Return `choices[0]`."""
        choices = document.get("choices")
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
            found = described(choices) if "choices" in document else "nothing"
            raise self._body.broken(f"choices: expected an array that begins with an object, found {found}")
        return choices[0]

    def content(self, choice: dict[str, Any], *, cut_off: bool) -> str:
        """Return the text of a choice; one that was cut off before its first word has the empty one."""
        message = choice.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        if isinstance(content, str):
            return content
        if cut_off:
            return ""
        raise self._body.broken(f"choices[0].message.content: expected a string, found {described(content)}")
