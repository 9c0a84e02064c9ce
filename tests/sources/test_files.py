"""Files read to a limit."""

import hashlib
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gekko.limits import MIB
from gekko.sources.files import (
    CHUNK_BYTES,
    Digest,
    FileProblem,
    NotUtf8,
    decode,
    digest,
    digest_file,
    digest_text_file,
    neighbour,
    read_bytes,
)

Reader = Callable[[Path, int, str], object]
READERS = pytest.mark.parametrize("read", [read_bytes, digest_file, digest_text_file])


def problem_of(read: Reader, path: Path, limit: int = MIB) -> str:
    with pytest.raises(FileProblem) as found:
        read(path, limit, "case file")
    return str(found.value)


def test_a_file_is_read_whole(tmp_path: Path) -> None:
    content = bytes(range(256)) * 1000
    (tmp_path / "a").write_bytes(content)

    assert read_bytes(tmp_path / "a", len(content)) == content


@READERS
def test_one_byte_more_than_the_limit_is_too_many(tmp_path: Path, read: Reader) -> None:
    (tmp_path / "a").write_bytes(b"x" * (2 * MIB))

    read(tmp_path / "a", 2 * MIB, "case file")
    problem = problem_of(read, tmp_path / "a", 2 * MIB - 1)

    assert "case file" in problem


def test_the_limit_is_named_in_mib(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * (MIB + 1))

    assert "1 MiB" in problem_of(read_bytes, tmp_path / "a", MIB)


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="needs a file whose stated size is 0")
def test_the_limit_holds_where_the_stated_size_is_wrong() -> None:
    assert read_bytes(Path("/proc/self/maps"), MIB)
    assert "MiB" in problem_of(read_bytes, Path("/proc/self/maps"), 10)


@READERS
@pytest.mark.parametrize(
    ("name", "named"),
    [
        pytest.param("missing", "no such file", id="missing"),
        pytest.param("hardwear.txt", "'hardware.txt'", id="misspelt"),
        pytest.param("missing/a", "no such file", id="folder-missing"),
        pytest.param("folder", "a folder", id="folder"),
        pytest.param("pipe", "a pipe", id="pipe"),
        pytest.param("socket", "a socket", id="socket"),
        pytest.param("loop", "links", id="link-to-itself"),
        pytest.param("x" * 300, "long", id="long-name"),
        pytest.param("a\0b", "null", id="nul"),
    ],
)
def test_what_is_no_regular_file_is_named_at_once(tmp_path: Path, read: Reader, name: str, named: str) -> None:
    (tmp_path / "hardware.txt").write_text("")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))

    assert named in problem_of(read, tmp_path / name)


@READERS
def test_a_device_is_not_read(read: Reader) -> None:
    assert "a device" in problem_of(read, Path("/dev/zero"))


@READERS
@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that opens and cannot be read")
def test_a_file_that_fails_while_it_is_read_is_a_problem(read: Reader) -> None:
    assert "cannot be read" in problem_of(read, Path("/proc/self/mem"))


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\xff" * 10)
    before = sorted(Path("/dev/fd").iterdir())

    for read in (read_bytes, digest_text_file):
        problem_of(read, tmp_path / "a", 5)
    problem_of(digest_text_file, tmp_path / "a")

    assert sorted(Path("/dev/fd").iterdir()) == before


@pytest.mark.parametrize("text", ["", "é\r\n", "\ufeffé"])
def test_text_is_utf8_and_loses_its_byte_order_mark(text: str) -> None:
    assert decode(b"\xef\xbb\xbf" + text.encode()) == text
    assert decode(b"x" + text.encode()) == "x" + text


def test_the_first_byte_that_is_not_utf8_is_named() -> None:
    with pytest.raises(NotUtf8) as found:
        decode(b"a\n\xc3\xa9\n\xe9t")

    assert found.value.offset == 5
    assert all(part in found.value.problem for part in ("0xe9", "offset 5", "line 3"))


def test_a_digest_is_that_of_all_bytes(tmp_path: Path) -> None:
    content = b"\xef\xbb\xbf" + "é".encode() * CHUNK_BYTES
    (tmp_path / "a").write_bytes(content)
    expected = Digest(len(content), hashlib.sha256(content).hexdigest())

    assert digest(content) == expected
    assert digest_file(tmp_path / "a", MIB) == expected
    assert digest_text_file(tmp_path / "a", MIB) == expected


def test_bytes_that_are_no_text_have_a_digest(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\xff\0")

    assert digest_file(tmp_path / "a", MIB) == digest(b"\xff\0")


def whole(content: bytes) -> Digest:
    decode(content)
    return digest(content)


def judged(judge: Callable[[], Digest]) -> Digest | tuple[int, str]:
    """Return the digest, or what is wrong and where."""
    try:
        return judge()
    except NotUtf8 as error:
        return error.offset, str(error)


# The folder is shared by the examples of one test, and each of them writes the whole file.
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    start=st.integers(CHUNK_BYTES - 6, CHUNK_BYTES + 2),
    tail=st.one_of(st.binary(max_size=8), st.text(max_size=4).map(str.encode), st.just("😀".encode()[:3])),
)
def test_a_streamed_text_is_judged_like_a_whole_one(tmp_path: Path, start: int, tail: bytes) -> None:
    content = b"\n" * 3 + b"x" * (start - 3) + tail
    (tmp_path / "a").write_bytes(content)

    assert judged(lambda: digest_text_file(tmp_path / "a", MIB)) == judged(lambda: whole(content))


def test_utf_16_is_recognised_in_a_stream(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("hello", encoding="utf-16")

    assert "UTF-16" in problem_of(digest_text_file, tmp_path / "a")


def test_a_neighbour_is_a_file_of_the_same_folder(tmp_path: Path) -> None:
    assert neighbour(tmp_path / "tests", "..a b.txt", tmp_path) == tmp_path / "tests" / "..a b.txt"


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../a", "/a", "a/", "a\\b", "C:\\a", "a\0"])
def test_more_than_a_name_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(FileProblem, match="name of a file"):
        neighbour(tmp_path, name, tmp_path)


def test_a_link_may_lead_anywhere_inside_the_scope_and_nowhere_else(tmp_path: Path) -> None:
    scope, folder = tmp_path / "scope", tmp_path / "scope" / "tests"
    folder.mkdir(parents=True)
    (tmp_path / "scope-of-another").mkdir()
    (folder / "inside").symlink_to("../shared")
    (folder / "outside").symlink_to("../../scope-of-another")
    (folder / "chain").symlink_to("outside")

    assert neighbour(folder, "inside", scope) == folder / "inside"
    for name in ("outside", "chain"):
        with pytest.raises(FileProblem, match="scope-of-another"):
            neighbour(folder, name, scope)


def test_a_scope_behind_a_link_is_a_scope(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "scope").symlink_to("real")

    assert neighbour(tmp_path / "scope", "a", tmp_path / "scope") == tmp_path / "scope" / "a"
