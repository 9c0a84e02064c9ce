"""The protocol `chat`, answered in pieces: server-sent events, each with the next words.

The format of the events is the HTML standard's, section 9.2.6; of theirs, chat uses `data` alone.
"""

import codecs
import io
from collections.abc import Callable, Mapping
from typing import Any

from attrs import define, field

from gekko import jsontext
from gekko.errors import BackendError
from gekko.run.exchange import Reply, Usage
from gekko.run.protocols.envelope import error_detail, text_or_none, usage_in
from gekko.wording import described, shown

EVENT_STREAM = "text/event-stream"

DONE = "[DONE]"

WHOLE = ("stop", "length")
"""Reasons for which a model ends an answer that is text; others go with a call of a tool, or a refusal."""


def is_event_stream(headers: Mapping[str, str]) -> bool:
    """Return whether an answer with these *headers* comes in pieces."""
    media_type, _, _ = headers.get("content-type", "").partition(";")
    return media_type.strip().lower() == EVENT_STREAM


def _line_decoder() -> io.IncrementalNewlineDecoder:
    # A line ends with CRLF, LF or CR, and a byte order mark may stand before the first.
    return io.IncrementalNewlineDecoder(codecs.getincrementaldecoder("utf-8-sig")(), translate=True)


@define
class ChatStreamParser:
    """Reads a chat completion as it is written, and hands on each piece of its text."""

    hand_on: Callable[[str], None]
    _decoder: io.IncrementalNewlineDecoder = field(factory=_line_decoder, init=False)
    _line: list[str] = field(factory=list, init=False)
    _data: list[str] = field(factory=list, init=False)
    _pieces: list[str] = field(factory=list, init=False)
    _finish_reason: str | None = field(default=None, init=False)
    _model: str | None = field(default=None, init=False)
    _fingerprint: str | None = field(default=None, init=False)
    _usage: Usage = field(factory=Usage, init=False)
    _is_done: bool = field(default=False, init=False)

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes of the answer.

        Raises:
            BackendError: they do not speak the protocol, or tell of an error.
        """
        try:
            text = self._decoder.decode(chunk)
        except UnicodeDecodeError:
            raise _broken("it is not UTF-8") from None
        *ends, beginning = text.split("\n")
        for end in ends:
            self._end_of_line("".join((*self._line, end)))
            self._line.clear()
        self._line.append(beginning)

    def finish(self) -> Reply:
        """Return the whole answer.

        Raises:
            BackendError: it stopped before its end, or held no text and no reason for that.
        """
        if not self._is_done and self._finish_reason is None:
            raise _broken("it stopped before its end")
        # Some servers send no piece at all for an empty text.
        if not self._pieces and self._finish_reason not in WHOLE:
            ended = f"finish_reason {shown(self._finish_reason)}"
            raise _broken(f"choices[0].delta.content: expected strings, found none, and {ended}")
        return Reply("".join(self._pieces), self._finish_reason, self._model, self._usage, self._fingerprint)

    def _end_of_line(self, line: str) -> None:
        if not line:
            if self._data:
                self._event("\n".join(self._data))
                self._data.clear()
            return
        name, _, value = line.partition(":")
        if name == "data":
            self._data.append(value.removeprefix(" "))

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
            raise BackendError(f"the server answered with an error: {error_detail(data.encode())}")
        self._take(document)

    def _take(self, document: dict[str, Any]) -> None:
        self._model = self._model or text_or_none(document.get("model"))
        self._fingerprint = self._fingerprint or text_or_none(document.get("system_fingerprint"))
        if document.get("usage") is not None:
            self._usage = usage_in(document["usage"])
        if (choice := _first_choice(document.get("choices"))) is None:
            return
        self._finish_reason = text_or_none(choice.get("finish_reason")) or self._finish_reason
        delta = choice.get("delta")
        piece = delta.get("content") if isinstance(delta, dict) else None
        if isinstance(piece, str):
            self._pieces.append(piece)
            self.hand_on(piece)
        elif piece is not None:
            raise _broken(f"choices[0].delta.content: expected a string, found {described(piece)}")


def _first_choice(choices: object) -> dict[str, Any] | None:
    """Return what an event adds to the first choice, if anything: others may arrive between its pieces."""
    added = choices if isinstance(choices, list) else []
    return next((choice for choice in added if isinstance(choice, dict) and not choice.get("index")), None)


def _broken(problem: str) -> BackendError:
    return BackendError(f"the answer does not speak the protocol 'chat': {problem}")
