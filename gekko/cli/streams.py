"""The standard streams, each of which may be closed, full, or read by nobody any more."""

import io
import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, TextIO

from attrs import define

from gekko.errors import InputOutputError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class ReaderGone(InputOutputError):  # noqa: N818 - to those who pipe into `head` it is none
    """Whoever read standard output does not any more; there is nothing to tell, and nobody to tell it to."""


@define
class _Outlet:
    """Where results go: once standard output was kept, a descriptor that nobody knows but gko."""

    descriptor: int = 1


_outlet: Final = _Outlet()


def keep_stdout() -> None:
    """Keep standard output for results; whatever else is written to it goes to stderr from now on.

    An installed expectation may print, native code in it may, and so may a program that it starts.

    Raises:
        ReaderGone: nobody reads standard output any more.
        InputOutputError: it is closed, opened for reading alone, or its disk is full.
    """
    if sys.stdout is None:
        raise InputOutputError("standard output is closed")
    for stream in (sys.stdin, sys.stderr):
        if stream is None:
            # A file opened now gets the lowest number that is free, which is this stream's: nothing else may get it.
            os.open(os.devnull, os.O_RDWR)
    _outlet.descriptor = os.dup(1)
    os.dup2(2, 1)
    aside = io.BufferedWriter(_Aside(2, "wb", closefd=False))
    sys.stdout = io.TextIOWrapper(aside, "utf-8", "backslashreplace", line_buffering=True)
    # The first stream as well: at the end the interpreter flushes the one above, and of that one makes no promise.
    sys.__stdout__ = sys.stdout  # type: ignore[misc]
    write_result("")


class _Aside(io.FileIO):
    """Passes on what stderr takes, and swallows the rest: whoever prints is not to fail for it."""

    def write(self, data: "ReadableBuffer", /) -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


def result_descriptor() -> int:
    """Return the descriptor of standard output, for who speaks over it to the end of the program."""
    return _outlet.descriptor


def shows_results() -> bool:
    """Return whether results go to a terminal."""
    return os.isatty(_outlet.descriptor)


def json_line(record: Mapping[str, object]) -> str:
    """Return a record as JSON, for a stream that holds one a line."""
    import json

    return json.dumps(record, ensure_ascii=False)


def tell(text: str) -> None:
    """Write a line to stderr, whatever its encoding; a stderr that is closed is nobody to tell."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(text.encode("utf-8", "backslashreplace").decode("utf-8") + "\n")
        sys.stderr.flush()
    except OSError:
        abandon(sys.stderr)
    except ValueError:
        return


def write_result(text: str) -> None:
    """Write the result to stdout, in UTF-8 and whole.

    Raises:
        ReaderGone: nobody reads it any more.
        InputOutputError: it cannot be written, such as to a disk that is full.
    """
    try:
        _write_all(_encoded(text))
    except BrokenPipeError:
        raise ReaderGone from None
    except OSError as error:
        raise InputOutputError(f"standard output: {error.strerror}") from error


def _encoded(text: str) -> bytes:
    """Return *text* in UTF-8: names of files as the bytes that they are, any other half of a character escaped."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace")


def _write_all(data: bytes) -> None:
    """Write *data* to its end, of which a pipe takes only so much at a time; also where there is none, to see it fail.

    No buffer is between: what is left in one when a signal comes would be waited for at the end of the program.
    """
    rest = memoryview(data)
    while True:
        rest = rest[os.write(_outlet.descriptor, rest) :]
        if not rest:
            return


def abandon(stream: TextIO) -> None:
    """Lead a stream that cannot be written to nowhere.

    The interpreter would try again at its end, and put an exit code of its own in the place of ours.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def is_terminal(stream: TextIO | None) -> bool:
    """Return whether a standard stream leads to a terminal; it may be closed."""
    return stream is not None and not stream.closed and stream.isatty()
