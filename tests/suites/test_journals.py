"""Journals are sorted by their last write, bounded in number and size, and never deleted while somebody writes them."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from attrs import evolve

from gekko.errors import UsageError
from gekko.record.reading import read_record
from gekko.suites.journal import Journal
from gekko.suites.journals import BYTES_IN_ALL, KEPT, KEPT_IN_ALL, last_record, last_runs
from tests.record.test_reading import RUN
from tests.suites.conftest import PROJECT


def test_names_sort_by_time(begin: Callable[..., Journal]) -> None:
    paths = [begin().path for _ in range(5)]

    assert paths == sorted(paths)


def test_the_newest_is_the_last(begin: Callable[..., Journal], tmp_path: Path) -> None:
    for run in range(3):
        begun = begin()
        begun.write([evolve(RUN, run=run)])
        begun.close()

    assert last_record(tmp_path / "state", PROJECT).runs == (evolve(RUN, run=2),)


def test_one_that_never_began_hides_none(begin: Callable[..., Journal], tmp_path: Path) -> None:
    begun = begin()
    begun.close()
    (begun.path.parent / "99991231T000000.000000-1.jsonl").write_bytes(b'{"type":"sui')

    assert last_record(tmp_path / "state", PROJECT).path == begun.path


def test_that_was_written_last_is_the_newest(begin: Callable[..., Journal], tmp_path: Path) -> None:
    first, second = begin(), begin()
    second.close()
    first.write([RUN])
    os.utime(second.path, ns=(1, 1))  # two writes may be within one tick of the clock
    first.close()

    assert last_record(tmp_path / "state", PROJECT).path == first.path


def test_what_is_dated_later_than_a_new_one_is_dated_back_in_its_order(begin: Callable[..., Journal]) -> None:
    paths = [begin().path for _ in range(3)]
    for path, seconds in zip(paths, (1, 2**34, 2**33), strict=True):
        os.utime(path, (seconds, seconds))

    newest = begin().path

    assert sorted([*paths, newest], key=lambda path: path.stat().st_mtime_ns) == [paths[0], paths[2], paths[1], newest]
    assert paths[0].stat().st_mtime == 1


def test_what_the_last_run_came_to_is_not_read_from_one_before(begin: Callable[..., Journal], tmp_path: Path) -> None:
    begin().close()
    cut = begin()
    os.truncate(cut.path, 10)

    with pytest.raises(UsageError, match="just begun"):
        last_runs(tmp_path / "state", PROJECT)
    cut.close()
    with pytest.raises(UsageError, match=cut.path.name):
        last_runs(tmp_path / "state", PROJECT)


def test_one_that_is_being_written_is_not_gone_on_with(begin: Callable[..., Journal], tmp_path: Path) -> None:
    begun = begin()

    with pytest.raises(UsageError, match=begun.path.name):
        last_record(tmp_path / "state", PROJECT)
    begun.close()

    assert last_record(tmp_path / "state", PROJECT).path == begun.path


def test_no_more_than_ten_are_kept(begin: Callable[..., Journal]) -> None:
    paths = []
    for _ in range(KEPT + 3):
        begun = begin()
        begun.close()
        paths.append(begun.path)

    assert sorted(paths[0].parent.iterdir()) == paths[-KEPT:]


def test_one_that_is_being_written_is_never_deleted(begin: Callable[..., Journal]) -> None:
    written = begin()
    for _ in range(KEPT + 3):
        begin().close()

    written.write([RUN])

    assert read_record(written.path).runs == (RUN,)


def others(state: Path, count: int, size: int) -> list[Path]:
    """Write journals of other projects, older than any, of a size that takes no room on the disk."""
    paths = [state / f"journals/{number:016}/20000101T000000.{number:06}-1.jsonl" for number in range(count)]
    for path in paths:
        path.parent.mkdir(parents=True)
        path.touch()
        os.truncate(path, size)
    return paths


def test_all_together_have_a_size(begin: Callable[..., Journal], tmp_path: Path) -> None:
    paths = others(tmp_path / "state", 9, BYTES_IN_ALL // 8)

    begin()

    assert [path.exists() for path in paths] == [False] + [True] * 8


def test_all_together_have_a_number(begin: Callable[..., Journal], tmp_path: Path) -> None:
    paths = others(tmp_path / "state", KEPT_IN_ALL + 2, 10)

    begun = begin()

    assert [path.exists() for path in paths] == [False] * 3 + [True] * (KEPT_IN_ALL - 1)
    assert begun.path.exists()
