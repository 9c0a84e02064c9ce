"""The standard streams, each of which may be closed, full, or read by nobody any more."""

import os
import sys
from collections.abc import Mapping
from typing import TextIO

from gekko.errors import InputOutputError


class ReaderGone(InputOutputError):  # noqa: N818 - to those who pipe into `head` it is none
    """Whoever read standard output does not any more; there is nothing to tell, and nobody to tell it to."""


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
        InputOutputError: stdout is closed, or the disk is full.
    """
    if sys.stdout is None:
        raise InputOutputError("standard output is closed")
    try:
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        abandon(sys.stdout)
        raise ReaderGone from None
    except OSError as error:
        abandon(sys.stdout)
        raise InputOutputError(f"standard output: {error.strerror}") from error
    except BaseException:
        # A signal, while nobody reads: what is still in the buffer would be waited for at the end, this time for ever.
        abandon(sys.stdout)
        raise


def abandon(stream: TextIO) -> None:
    """Lead a stream that cannot be written to nowhere.

    The interpreter would try again at its end, and put an exit code of its own in the place of ours.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def is_terminal(stream: TextIO | None) -> bool:
    """Return whether a standard stream leads to a terminal; it may be closed."""
    return stream is not None and not stream.closed and stream.isatty()
