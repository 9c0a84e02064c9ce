"""A recording is read as it was written, and its bytes depend on nothing but what is in it."""

import json
from pathlib import Path

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from gekko.errors import ConfigurationError, InputOutputError
from gekko.record.recordings import (
    AnswerEntry,
    Exchange,
    FailureEntry,
    Line,
    Recording,
    Tape,
    read_recording,
    times_asked,
    write_recording,
)
from gekko.sources.listing import recording_path
from gekko.specs.shape import file_schema

# Whatever a server says, halves of characters among it.
TEXTS = st.text(st.characters() | st.sampled_from('\ud800\udfff\\"\n\u2028'), max_size=20)

COUNTS = st.none() | st.integers(0, 2**53)


def exchanges(model: str, run: int) -> st.SearchStrategy[Exchange]:
    asked = {"model": st.just(model), "run": st.just(run), "asked": TEXTS, "request": TEXTS}
    purpose = st.sampled_from(["run", "fallback", "question"])
    answer = st.builds(
        AnswerEntry,
        **asked,
        purpose=purpose,
        content=TEXTS,
        finish_reason=st.none() | TEXTS,
        prompt_tokens=COUNTS,
        completion_tokens=COUNTS,
        server_model=st.none() | TEXTS,
        system_fingerprint=st.none() | TEXTS,
    )
    return answer | st.builds(FailureEntry, **asked, purpose=purpose, message=TEXTS)


@st.composite
def tapes_of_a_run(draw: st.DrawFn, model: str, run: int) -> tuple[Exchange, ...]:
    """The run and its fallback are asked for once; a question can be put as often as an expectation likes."""
    found: list[Exchange] = []
    for exchange in draw(st.lists(exchanges(model, run), min_size=1, max_size=4)):
        same = times_asked(exchange, found)
        if exchange.purpose == "question" or not same:
            found.append(evolve(exchange, again=same or None))
    return tuple(found)


@st.composite
def recordings(draw: st.DrawFn) -> Recording:
    tapes: dict[str, Tape] = {}
    for model in draw(st.lists(TEXTS, unique=True, max_size=3)):
        indices = draw(st.lists(st.integers(0, 9), unique=True, max_size=3))
        runs = {run: draw(tapes_of_a_run(model, run)) for run in indices}
        tapes[model] = Tape(draw(st.dictionaries(TEXTS, TEXTS, max_size=2)), runs)
    return tapes


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return recording_path(tmp_path_factory.mktemp("tests") / "first.toml")


@given(recording=recordings())
def test_what_is_written_is_read(path: Path, recording: Recording) -> None:
    write_recording(path, recording)

    assert read_recording(path) == recording
    assert [other.name for other in path.parent.iterdir()] == ["first.recording.jsonl"]


@given(recording=recordings())
def test_the_order_in_which_it_was_recorded_changes_no_byte(path: Path, recording: Recording) -> None:
    write_recording(path, recording)
    content = path.read_bytes()
    path.unlink()

    turned = {model: Tape(tape.parts, dict(reversed([*tape.runs.items()]))) for model, tape in recording.items()}
    write_recording(path, dict(reversed([*turned.items()])))

    assert path.read_bytes() == content


@given(recording=recordings())
def test_every_line_fits_the_schema(path: Path, recording: Recording) -> None:
    write_recording(path, recording)

    validator = Draft7Validator(file_schema("A line", Line))
    assert [error for line in path.read_bytes().splitlines() for error in validator.iter_errors(json.loads(line))] == []


def test_nothing_is_recorded_where_there_is_no_file(tmp_path: Path) -> None:
    assert read_recording(tmp_path / "first.recording.jsonl") == {}


def test_a_line_end_of_another_system_is_none_the_worse(path: Path) -> None:
    write_recording(path, {"fast": Tape({"prompt": "1"}, {})})
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))

    assert read_recording(path) == {"fast": Tape({"prompt": "1"}, {})}


@pytest.mark.parametrize("cut", range(1, 30, 7))
def test_a_file_that_was_cut_off_is_refused(path: Path, cut: int) -> None:
    write_recording(path, {"fast": Tape({"prompt": "1"}, {})})
    path.write_bytes(path.read_bytes()[:-cut])

    if cut == 1:  # the line end alone
        assert list(read_recording(path)) == ["fast"]
        return
    with pytest.raises(ConfigurationError, match=r"first\.recording\.jsonl:2"):
        read_recording(path)


def test_what_cannot_be_written_is_named(tmp_path: Path) -> None:
    path = recording_path(tmp_path / f"{'x' * 250}.toml")  # a name that is too long for its file system

    with pytest.raises(InputOutputError, match=r"xxx\.recording\.jsonl: cannot be written: "):
        write_recording(path, {})


def test_a_folder_of_that_name_is_refused(tmp_path: Path) -> None:
    (tmp_path / "first.recording.jsonl").mkdir()

    with pytest.raises(ConfigurationError, match="not a regular file"):
        read_recording(tmp_path / "first.recording.jsonl")
