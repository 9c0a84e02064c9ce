"""What a file holds, without trusting it: regular files only, read to a limit and no further."""

import codecs
import errno
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Final

from attrs import frozen

from gekko.errors import Issue
from gekko.limits import MIB
from gekko.locations import Location, shown_path
from gekko.wording import did_you_mean, one_of, shown

if TYPE_CHECKING:
    import hashlib

CHUNK_BYTES: Final = 64 * 1024

# A FIFO without a writer would block open() for ever, and a terminal could become this process's own.
OPEN_FLAGS: Final = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


class FileProblem(Exception):  # noqa: N818 - one layer up it gets a place and becomes an error or an issue
    """A file cannot be used: what is wrong, and what would help."""

    def __init__(self, problem: str, hint: str = "") -> None:
        self.problem = problem
        self.hint = hint
        super().__init__(f"{problem}; {hint}" if hint else problem)


class NotUtf8(FileProblem):
    """A text is not UTF-8; *offset* is that of the first byte that cannot be read."""

    def __init__(self, byte: int, offset: int, line: int, hint: str = "") -> None:
        self.offset = offset
        super().__init__(f"not UTF-8: byte 0x{byte:02x} at offset {offset}, in line {line}", hint)


@frozen
class Digest:
    """What a file held when it was looked at, as far as is needed to see that it changed since."""

    size_bytes: int
    sha256: str


def read_bytes(path: Path, limit: int, what: str = "file") -> bytes:
    """Return the bytes of the regular file at *path*, *limit* of them at most; messages call it a *what*.

    Raises:
        FileProblem: it is missing, is no regular file, cannot be read, or is longer.
    """
    chunks: list[bytes] = []
    _read(path, limit, what, chunks.append)
    return b"".join(chunks)


def read_lines(path: Path, limit: int) -> Iterator[bytes]:
    """Yield the lines of the regular file at *path*, each with its end, without keeping any.

    What is longer than *limit* bytes comes in pieces of that length.

    Raises:
        FileProblem: it is missing, is no regular file, or cannot be read.
    """
    with os.fdopen(_opened(path), "rb") as file:
        try:
            while line := file.readline(limit):
                yield line
        except OSError as error:
            raise _unreadable(error) from None


def decode(raw: bytes) -> str:
    """Return *raw* as text, without the byte order mark that may lead it.

    Raises:
        NotUtf8: it is not UTF-8.
    """
    try:
        return raw.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise NotUtf8(raw[error.start], error.start, line, _utf16_hint(raw)) from None


def digest(raw: bytes) -> Digest:
    """Return the digest of a file's bytes."""
    return Digest(len(raw), _sha256(raw).hexdigest())


def digest_file(path: Path, limit: int, what: str = "file") -> Digest:
    """Return the digest of the file at *path* without keeping it in memory; raises as read_bytes does."""
    hasher = _sha256()
    size = _read(path, limit, what, hasher.update)
    return Digest(size, hasher.hexdigest())


def digest_text_file(path: Path, limit: int, what: str = "file") -> Digest:
    """Return the digest of the UTF-8 file at *path* without keeping it in memory.

    It is the digest of the bytes, the byte order mark included.

    Raises:
        NotUtf8: it is not UTF-8.
        FileProblem: as for read_bytes.
    """
    hasher = _sha256()
    check = _Utf8Check()

    def consume(chunk: bytes) -> None:
        hasher.update(chunk)
        check.feed(chunk)

    size = _read(path, limit, what, consume)
    check.feed(b"", is_last=True)
    return Digest(size, hasher.hexdigest())


def neighbour(folder: Path, name: str, root: Path) -> Path:
    """Return the path of the file called *name* in *folder*, whether or not it is there.

    *name* is one path component, and the file that it leads to, all links followed, is inside *root*.

    Raises:
        FileProblem: it is more than a name, or leads out.
    """
    # The separators of every system are refused on every system; PurePath knows the drives of this one.
    if name in ("", ".", "..") or any(char in "/\\\0" for char in name) or PurePath(name).name != name:
        raise FileProblem(f"{shown(name)} is not the name of a file", "expected one name, without a folder")
    path = folder / name
    target = PurePath(os.path.realpath(path))
    if not target.is_relative_to(os.path.realpath(root)):
        raise FileProblem(
            f"leads out of its scope, to {shown_path(Path(target))}", f"a file inside {shown_path(root)} is expected"
        )
    return path


def mode(path: Path) -> int | None:
    """Return the type and permissions of what is at *path*, None where nothing is, or nothing can be seen."""
    try:
        return path.stat().st_mode
    except OSError:
        return None


def is_folder(path: Path) -> bool:
    """Return whether a folder can be seen at *path*."""
    found = mode(path)
    return found is not None and stat.S_ISDIR(found)


def dead_link(path: Path) -> Issue | None:
    """Return that *path* is a link that cannot be followed, if it is."""
    try:
        target = path.readlink()
    except OSError:  # no link, or nothing
        return None
    try:
        path.stat()
    except OSError as error:
        problem = f"the link cannot be followed: {error.strerror}"
        return Issue(Location(path), problem, f"it leads to {one_of([str(target)])}")
    return None


def _sha256(raw: bytes = b"") -> "hashlib._Hash":
    import hashlib  # which loads OpenSSL

    return hashlib.sha256(raw)


def _read(path: Path, limit: int, what: str, consume: Callable[[bytes], object]) -> int:
    """Hand the file to *consume*, chunk by chunk, and return its size."""
    descriptor = _opened(path)
    try:
        return _read_open(descriptor, limit, what, consume)
    except OSError as error:
        raise _unreadable(error) from None
    finally:
        os.close(descriptor)


def _opened(path: Path) -> int:
    """Open a regular file, and nothing else, for reading."""
    try:
        descriptor = os.open(path, OPEN_FLAGS)
    except (OSError, ValueError) as error:
        raise _unopened(path, error) from None
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return descriptor
    os.close(descriptor)
    raise FileProblem("not a regular file", f"it is {_kind(mode)}")


def _read_open(descriptor: int, limit: int, what: str, consume: Callable[[bytes], object]) -> int:
    if os.fstat(descriptor).st_size > limit:
        raise _too_long(limit, what)
    # The size may have changed, and the kernel's own files state 0, so the bytes are counted as well.
    size = 0
    while chunk := os.read(descriptor, CHUNK_BYTES):
        size += len(chunk)
        if size > limit:
            raise _too_long(limit, what)
        consume(chunk)
    return size


def _too_long(limit: int, what: str) -> FileProblem:
    return FileProblem(f"longer than {limit / MIB:g} MiB", f"the limit for a {what}")


def _unreadable(error: OSError) -> FileProblem:
    return FileProblem(f"cannot be read: {error.strerror}")


def _unopened(path: Path, error: OSError | ValueError) -> FileProblem:
    if isinstance(error, ValueError):  # a NUL in the path, or a character that the file system cannot encode
        return FileProblem(f"cannot be opened: {error}")
    if isinstance(error, FileNotFoundError):
        if path.is_symlink():
            return FileProblem("a link to a file that is not there")
        return FileProblem("no such file", _nearest_name(path))
    if error.errno in (errno.ENXIO, errno.EOPNOTSUPP):
        return FileProblem("not a regular file", "it is a socket or a device")
    return FileProblem(f"cannot be opened: {error.strerror}")


def _nearest_name(path: Path) -> str:
    try:
        return did_you_mean(path.name, (sibling.name for sibling in path.parent.iterdir()))
    except OSError:
        return ""


def _kind(mode: int) -> str:
    kinds = (
        (stat.S_ISDIR, "a folder"),
        (stat.S_ISFIFO, "a pipe"),
        (stat.S_ISSOCK, "a socket"),
    )
    return next((name for is_kind, name in kinds if is_kind(mode)), "a device")


def _utf16_hint(raw: bytes) -> str:
    is_utf16 = raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return "it looks like UTF-16; save it as UTF-8" if is_utf16 else ""


class _Utf8Check:
    """Says whether bytes that arrive in chunks are UTF-8; a character may be cut by the end of a chunk."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._size = 0
        self._lines = 0
        self._hint = ""

    def feed(self, chunk: bytes, *, is_last: bool = False) -> None:
        if self._size == 0:
            self._hint = _utf16_hint(chunk)
        held, _ = self._decoder.getstate()
        try:
            self._decoder.decode(chunk, final=is_last)
        except UnicodeDecodeError as error:
            offset = self._size - len(held) + error.start
            line = self._lines + error.object.count(b"\n", 0, error.start) + 1
            raise NotUtf8(error.object[error.start], offset, line, self._hint) from None
        self._size += len(chunk)
        self._lines += chunk.count(b"\n")
