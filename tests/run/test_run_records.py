"""Records of runs, written and read again."""

from pathlib import Path

import pytest
from attrs import evolve

from gekko.run.run_records import RunRecord, read_records
from gekko.run.stats import append

KNOWN_OF_EVERY_RUN = RunRecord(
    timestamp_ms=1796064000000,
    command="git/review",
    model_requested="fast",
    fallback_used=False,
    duration_ms=12,
    exit_code=3,
)

ALL_KNOWN = evolve(
    KNOWN_OF_EVERY_RUN,
    case="Gr\u00fc\u00dfe\u2028",
    model_answered="slow",
    fallback_used=True,
    backend="stub",
    prompt_tokens=10**400,
    completion_tokens=0,
    finish_reason='"stop"\n',
    exit_code=0,
)


def never(text: str) -> None:
    raise AssertionError(text)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    for record in (KNOWN_OF_EVERY_RUN, ALL_KNOWN):
        append(path, record.line())

    assert list(read_records(path, never)) == [KNOWN_OF_EVERY_RUN, ALL_KNOWN]


@pytest.mark.parametrize("record", [KNOWN_OF_EVERY_RUN, ALL_KNOWN])
def test_a_record_is_one_line(record: RunRecord) -> None:
    line = record.line()

    assert line.endswith(b"}\n")
    assert line.count(b"\n") == 1


def test_half_a_character_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_bytes(evolve(ALL_KNOWN, finish_reason="a\ud800b").line())

    assert [record.finish_reason for record in read_records(path, never)] == ["a?b"]
