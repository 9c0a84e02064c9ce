"""A record is read as it was written; what was cut off by a sudden end is left out, and anything else is an error."""

import json
import re
from pathlib import Path

import pytest
from attrs import evolve

from gekko.errors import InputOutputError
from gekko.record.entries import (
    CaseEntry,
    CheckerVersion,
    CommandParts,
    EndEntry,
    Entry,
    ErrorEntry,
    Invocation,
    Miss,
    RunEntry,
    SuiteEntry,
    line,
)
from gekko.record.reading import is_record, read_begun, read_record

SUITE = SuiteEntry(
    gko="0.1.0",
    project="p",
    started_ms=1,
    invocation=Invocation(words=("git",), repeat=2, shard="1/2"),
    checkers=(CheckerVersion(key="lines", distribution="gko", version="0.1.0"),),
    commands=(CommandParts(command="git/review", model="fast", parts={"prompt": "a", "output": "b"}),),
    cases=1,
)

CASE = CaseEntry(
    command="git/review", case="first", model="fast", file="first.toml", definition="d", runs=2, tags=("a",)
)

RUN = RunEntry(
    command="git/review",
    case="first",
    model="fast",
    run=0,
    result="fail",
    exit_code=0,
    request="r",
    definition="d",
    output="Grüße\u2028\x00",
    output_digest="o",
    mismatches=(Miss(text="wrong", key="lines"), Miss(text="and more")),
    timestamp_ms=2,
    duration_ms=1.5,
)

ERROR = ErrorEntry(command="git/review", case="first", model="fast", run=1, message="no", timestamp_ms=3, duration_ms=0)

END = EndEntry(reason="stopped", exit_code=3, ended_ms=4)

WHOLE = (SUITE, CASE, RUN, ERROR, END)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "record.jsonl"


def write(path: Path, *entries: Entry | bytes) -> Path:
    path.write_bytes(b"".join(entry if isinstance(entry, bytes) else line(entry) for entry in entries))
    return path


def test_what_was_written_is_read(path: Path) -> None:
    record = read_record(write(path, *WHOLE))

    assert (record.suite, record.cases, record.runs, record.end) == (SUITE, (CASE,), (RUN, ERROR), END)


def test_half_a_character_survives(path: Path) -> None:
    run = evolve(RUN, output='half "\ud83d"', system_fingerprint="\udc00")

    assert read_record(write(path, SUITE, CASE, run)).runs == (run,)


def test_a_last_line_that_was_cut_off_is_left_out(path: Path) -> None:
    for cut in range(len(line(RUN))):
        record = read_record(write(path, SUITE, CASE, RUN, line(RUN)[:cut]))

        assert (record.runs, record.end) == ((RUN,), None)


@pytest.mark.parametrize("cut", [0, 1, len(line(SUITE)), len(line(SUITE)) + 5])
def test_one_that_was_cut_off_before_the_first_run_has_not_begun(path: Path, cut: int) -> None:
    write(path, (line(SUITE) + line(CASE))[:cut])

    assert read_begun(path) is None
    with pytest.raises(InputOutputError, match=r"record\.jsonl"):
        read_record(path)


def test_one_that_lacks_runs_which_it_goes_on_from_has_not_begun(path: Path) -> None:
    resumed = evolve(SUITE, remembered=2)

    assert read_begun(write(path, resumed, CASE, RUN)) is None
    assert read_begun(write(path, resumed, CASE, RUN, evolve(RUN, run=1))) is not None


@pytest.mark.parametrize(
    ("lines", "number", "culprit"),
    [
        pytest.param([SUITE, line(CASE)[:20] + b"\n", RUN], 2, "JSON", id="half a line"),
        pytest.param([SUITE, CASE, line(RUN)[:50], line(RUN)], 3, "JSON", id="torn in the middle"),
        pytest.param([SUITE, CASE, b"\xff\n"], 3, "UTF-8", id="not UTF-8"),
        pytest.param([SUITE, CASE, b"[]\n"], 3, "array", id="no object"),
        pytest.param([SUITE, CASE, b"\n"], 3, "empty", id="empty line"),
        pytest.param([SUITE, CASE, b'{"type":"ruin"}\n'], 3, "'run'", id="unknown type"),
        pytest.param([SUITE, CASE, b"{}\n"], 3, "type", id="no type"),
        pytest.param([SUITE, CASE, line(RUN).replace(b'"run":0', b'"run":"0"')], 3, "run", id="wrong value"),
        pytest.param([SUITE, CASE, line(RUN).replace(b'"retries"', b'"retrys"')], 3, "retrys", id="unknown key"),
        pytest.param([line(SUITE).replace(b'"version":1', b'"version":2'), CASE], 1, "version", id="later version"),
        pytest.param([CASE, SUITE], 1, "case", id="case first"),
        pytest.param([SUITE, SUITE], 2, "suite", id="two suites"),
        pytest.param([SUITE, RUN], 2, "run", id="run before the cases"),
        pytest.param([SUITE, CASE, CASE], 3, "case", id="one case more"),
        pytest.param([*WHOLE, RUN], 6, "run", id="after the end"),
        pytest.param([SUITE, CASE, RUN, RUN], 4, "run number 1 .* line 3", id="a run twice"),
        pytest.param([SUITE, CASE, RUN, evolve(ERROR, run=0)], 4, "run number 1 .* line 3", id="judged and not"),
        pytest.param([evolve(SUITE, remembered=1), CASE, RUN, ERROR, RUN], 5, "line 3", id="remembered, and again"),
    ],
)
def test_a_line_that_is_wrong_is_named(path: Path, lines: list[Entry | bytes], number: int, culprit: str) -> None:
    with pytest.raises(InputOutputError, match=rf"record\.jsonl:{number}: .*{culprit}"):
        read_begun(write(path, *lines))


@pytest.mark.parametrize(
    ("entry", "key", "text"),
    [
        (SUITE, "invocation.shard", ""),
        (SUITE, "invocation.shard", "3/2"),
        (SUITE, "invocation.shard", "one/two"),
        (SUITE, "invocation.shard", "1/2/3"),
        (SUITE, "invocation.files[0]", "a\0b/c.toml"),
        (SUITE, "invocation.files[0]", "\ud800/c.toml"),
        (SUITE, "invocation.repeat", 0),
        (SUITE, "cases", -1),
        (CASE, "runs", 0),
        (RUN, "run", -1),
        (RUN, "duration_ms", 10**400),
        (RUN, "duration_ms", 1e308),
        (ERROR, "duration_ms", 10**400),
        (ERROR, "duration_ms", -1),
    ],
)
def test_a_value_that_means_nothing_is_named_with_its_key(path: Path, entry: Entry, key: str, text: object) -> None:
    """Each of them is of the right type, so only a rule keeps it from whoever takes it apart."""
    document = json.loads(line(entry))
    holder = document["invocation"] if "." in key else document
    name = key.rpartition(".")[2]
    holder[name.removesuffix("[0]")] = [text] if name.endswith("[0]") else text
    before = WHOLE[: WHOLE.index(entry)]

    with pytest.raises(InputOutputError, match=re.escape(f"record.jsonl:{len(before) + 1}: {key}: expected")):
        read_begun(write(path, *before, json.dumps(document).encode() + b"\n"))


def test_a_file_that_is_not_there_is_named(path: Path) -> None:
    with pytest.raises(InputOutputError, match=r"record\.jsonl: no such file"):
        read_record(path)


@pytest.mark.parametrize(
    ("content", "answer"),
    [
        (line(SUITE), True),
        (line(SUITE) + line(CASE)[:10], True),
        (b"", True),
        (line(CASE), False),
        (line(SUITE)[:30], False),
        (b'id = "a"\n', False),
        (b"\xff", False),
    ],
)
def test_a_record_is_known_by_its_beginning(path: Path, content: bytes, answer: bool) -> None:
    path.write_bytes(content)

    assert is_record(path) is answer
