"""A file holds what it held or what it was given, and what a disk could not take is an error."""

import os
from pathlib import Path

import pytest

from gekko.sources.writing import append, replace_file


def test_a_file_is_replaced_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "a.json"

    for content in (b"first", b""):
        replace_file(path, content)

        assert path.read_bytes() == content
        assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_cannot_be_replaced_leaves_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.mkdir()

    with pytest.raises(IsADirectoryError):
        replace_file(path, b"content")

    assert list(tmp_path.iterdir()) == [path]


def test_a_name_that_is_too_long_is_told_as_such(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="name too long"):
        replace_file(tmp_path / ("x" * 250), b"content")


def test_what_is_not_written_whole_is_an_error() -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        with pytest.raises(OSError, match="No space left"):
            append(full, b"line\n")
    finally:
        os.close(full)
