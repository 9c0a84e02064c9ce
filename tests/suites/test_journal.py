"""A journal is private, written line by line, and goes on without what would make it too long."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from attrs import evolve

from gekko.errors import UsageError
from gekko.record.entries import EndEntry, RunEntry
from gekko.record.reading import read_record
from gekko.suites.journal import OUTPUT_BYTES, Journal
from gekko.suites.journals import last_record
from tests.record.test_reading import RUN, SUITE
from tests.suites.conftest import PROJECT


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


def test_one_that_grows_too_long_goes_on_without_outputs(begin: Callable[..., Journal]) -> None:
    begun = begin()
    long = evolve(RUN, output="x" * (OUTPUT_BYTES // 2 - 2000), run=0)
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
