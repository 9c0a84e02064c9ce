"""The protocol `chat`, answered in pieces: server-sent events, each with the next words.

The format of the events is the HTML standard's, section 9.2.6; of theirs, chat uses `data` alone.
"""

from collections.abc import Callable
from typing import Any

from attrs import define, field

from gekko import jsontext
from gekko.errors import BackendError
from gekko.run.exchange import Reply, Usage
from gekko.run.protocols.envelope import error_detail, text_or_none, usage_in
from gekko.wording import described

EVENT_STREAM = "text/event-stream"

DONE = "[DONE]"


@define
class ChatStreamParser:
    """Reads a chat completion as it is written, and hands on each piece of its text."""

    hand_on: Callable[[str], None]
    _line: bytearray = field(factory=bytearray, init=False)
    _data: list[str] = field(factory=list, init=False)
    _pieces: list[str] = field(factory=list, init=False)
    _finish_reason: str | None = field(default=None, init=False)
    _model: str | None = field(default=None, init=False)
    _usage: Usage = field(factory=Usage, init=False)
    _is_done: bool = field(default=False, init=False)

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes of the answer.

        Raises:
            BackendError: they do not speak the protocol, or tell of an error.
        """
        *lines, rest = chunk.split(b"\n")
        for line in lines:
            self._line += line
            self._end_of_line(bytes(self._line).removesuffix(b"\r"))
            self._line.clear()
        self._line += rest

    def finish(self) -> Reply:
        """Return the whole answer.

        Raises:
            BackendError: it stopped before its end.
        """
        if not self._is_done and self._finish_reason is None:
            raise _broken("it stopped before its end")
        return Reply("".join(self._pieces), self._finish_reason, self._model, self._usage)

    def _end_of_line(self, line: bytes) -> None:
        if not line:
            if self._data:
                self._event("\n".join(self._data))
                self._data.clear()
            return
        name, _, value = line.partition(b":")
        if name == b"data":
            try:
                self._data.append(value.removeprefix(b" ").decode())
            except UnicodeDecodeError:
                raise _broken("it is not UTF-8") from None

    def _event(self, data: str) -> None:
        if data.strip() == DONE:
            self._is_done = True
            return
        try:
            document = jsontext.parse_loosely(data)
        except jsontext.JsonTextError as error:
            raise _broken(f"an event is not JSON: {error}") from None
        if not isinstance(document, dict):
            raise _broken(f"expected events that are objects, found {described(document)}")
        if document.get("error"):
            raise BackendError(f"the server answered with an error: {error_detail(data.encode('utf-8', 'replace'))}")
        self._take(document)

    def _take(self, document: dict[str, Any]) -> None:
        self._model = self._model or text_or_none(document.get("model"))
        if document.get("usage") is not None:
            self._usage = usage_in(document["usage"])
        choices = document.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict):
            return
        self._finish_reason = text_or_none(choice.get("finish_reason")) or self._finish_reason
        delta = choice.get("delta")
        piece = delta.get("content") if isinstance(delta, dict) else None
        if isinstance(piece, str):
            self._pieces.append(piece)
            self.hand_on(piece)
        elif piece is not None:
            raise _broken(f"choices[0].delta.content: expected a string, found {described(piece)}")


def _broken(problem: str) -> BackendError:
    return BackendError(f"the answer does not speak the protocol 'chat': {problem}")
