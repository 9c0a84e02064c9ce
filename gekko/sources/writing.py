"""How a file comes to hold something: as a whole, or line by line, and never by half without an error."""

import os
from contextlib import suppress
from pathlib import Path


def replace_file(path: Path, content: bytes) -> None:
    """Let the file at *path* hold *content*; a reader finds what it held before or this, and never a part.

    Raises:
        OSError: it cannot be written, and holds what it held.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}")  # hidden, so it is nothing that is listed, whatever happens
    try:
        beside.write_bytes(content)
        beside.replace(path)
    except OSError:
        with suppress(OSError):  # a name that is too long for the first is too long for the second
            beside.unlink(missing_ok=True)
        raise


def append(descriptor: int, lines: bytes) -> None:
    """Write all of *lines* at once.

    Raises:
        OSError: they could not be written, or not whole.
    """
    if os.write(descriptor, lines) < len(lines):
        raise OSError(0, "the disk is full")
