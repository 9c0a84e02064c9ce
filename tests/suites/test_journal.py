"""Journals are private, sorted by time, bounded in number and size, and never deleted while somebody writes them."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from attrs import evolve

from gekko.errors import UsageError
from gekko.record.entries import EndEntry, RunEntry
from gekko.record.reading import read_record
from gekko.sources.files import digest
from gekko.suites.journal import BYTES_IN_ALL, KEPT, KEPT_IN_ALL, OUTPUT_BYTES, Journal, last_record
from tests.record.test_reading import CASE, RUN, SUITE

PROJECT = digest(b"project").sha256


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def begin(tmp_path: Path, told: list[str]) -> Callable[..., Journal]:
    """Begins journals in a state folder that is not there yet, each with a suite of one case."""

    def begin(project: str = PROJECT) -> Journal:
        begun = Journal.begin(tmp_path / "state", project, told.append)
        assert begun is not None
        begun.write([SUITE, CASE])
        return begun

    return begin


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_what_is_written_is_there_at_once(begin: Callable[..., Journal], told: list[str]) -> None:
    begun = begin()
    begun.write([RUN])

    assert read_record(begun.path).runs == (RUN,)
    assert told == []


def test_it_is_its_owners_alone(begin: Callable[..., Journal], tmp_path: Path) -> None:
    path = begin().path

    assert mode(path) == 0o600
    assert {mode(folder) for folder in (path.parent, path.parent.parent, tmp_path / "state")} == {0o700}


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


def test_one_that_grows_too_long_goes_on_without_outputs(begin: Callable[..., Journal]) -> None:
    begun = begin()
    long = evolve(RUN, output="x" * (OUTPUT_BYTES // 2 - 1000), run=0)
    short = evolve(RUN, output="y", run=4)

    for run in range(4):
        begun.write([evolve(long, run=run)])
    begun.write([short])

    runs = [run for run in read_record(begun.path).runs if isinstance(run, RunEntry)]
    assert [run.output is not None for run in runs] == [True, True, False, False, True]
    assert [run.output_digest for run in runs] == ["o"] * 5
    assert begun.path.stat().st_size < OUTPUT_BYTES + 10_000


def test_a_state_folder_that_cannot_be_written_is_a_warning(tmp_path: Path, told: list[str]) -> None:
    (tmp_path / "state").touch()

    assert Journal.begin(tmp_path / "state", PROJECT, told.append) is None

    assert len(told) == 1
    assert str(tmp_path / "state") in told[0]
    with pytest.raises(UsageError, match="cannot be written"):
        last_record(tmp_path / "state", PROJECT)


def test_a_disk_that_is_full_is_told_once_and_nothing_follows_half_a_line(told: list[str]) -> None:
    full = Journal(Path("/dev/full"), os.open("/dev/full", os.O_WRONLY), told.append)

    full.write([SUITE])
    full.write([EndEntry(reason="finished", exit_code=0, ended_ms=1)])
    full.close()

    assert len(told) == 1
    assert "/dev/full" in told[0]
