"""Recordings: what was answered in each run of a case, in a file beside it, as it is read and as it is written.

A recording is JSON Lines. The fields of these classes are the keys of its lines, in their order; a key without a value
is left out. No time and no duration is in it: where the answers are the same, so are the bytes.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Final, Literal, TypeAlias

from attrs import asdict, define, field, frozen

from gekko import limits
from gekko.errors import ConfigurationError, InputOutputError, Issue
from gekko.locations import Location, shown_path
from gekko.record.lines import line_issue, read_object, refused, written
from gekko.sources.files import FileProblem, mode, read_bytes
from gekko.sources.listing import CASE_SUFFIX, RECORDING_SUFFIX, recording_path
from gekko.sources.writing import replace_file
from gekko.specs.rules import not_negative, positive
from gekko.specs.structure import StructureError, chosen_class, classes_by_type, ruled, structure
from gekko.wording import counted

VERSION: Final = 1
"""Of the format. A reader that knows this version reads every recording that says so."""

MENDING: Final = "mend the line, or remove the file and record the case anew"

Purpose: TypeAlias = Literal["run", "fallback", "question"]
"""Why a model was asked: for the run itself, in place of the model that failed, or because an expectation wanted it."""

AGAIN: Final = "How often the run had asked the same question before, if it had."


@frozen(kw_only=True)
class RecordingEntry:
    """The first line: what this file is."""

    type: Literal["recording"] = "recording"
    version: Literal[1] = VERSION


@frozen(kw_only=True)
class ModelEntry:
    """A model that the case was tried on; the lines of its runs follow."""

    type: Literal["model"] = "model"
    model: str
    parts: Mapping[str, str] = ruled(doc="All that the request of the run depends on: a digest by part.")


@frozen(kw_only=True)
class AnswerEntry:
    """A model was asked, and answered."""

    type: Literal["answer"] = "answer"
    model: str = ruled(doc="The model that the case is tried on.")
    run: int = ruled(not_negative, doc="Counts the runs of the case from 0.")
    purpose: Purpose = ruled(doc="For what a model was asked: the run, its fallback, or a question of an expectation.")
    asked: str = ruled(doc="The model that was asked.")
    request: str = ruled(doc="The SHA-256 of what was sent to it.")
    again: int | None = ruled(positive, default=None, doc=AGAIN)
    content: str
    finish_reason: str | None = None
    prompt_tokens: int | None = ruled(not_negative, default=None)
    completion_tokens: int | None = ruled(not_negative, default=None)
    server_model: str | None = ruled(default=None, doc="The model that the server says answered.")
    system_fingerprint: str | None = None


@frozen(kw_only=True)
class FailureEntry:
    """A model was asked, and gave no answer; its fallback did."""

    type: Literal["failure"] = "failure"
    model: str = ruled(doc="The model that the case is tried on.")
    run: int = ruled(not_negative, doc="Counts the runs of the case from 0.")
    purpose: Purpose
    asked: str = ruled(doc="The model that was asked.")
    request: str = ruled(doc="The SHA-256 of what was sent to it.")
    again: int | None = ruled(positive, default=None, doc=AGAIN)
    message: str


Exchange: TypeAlias = AnswerEntry | FailureEntry
"""One question to one model, and what came of it."""

Line: TypeAlias = RecordingEntry | ModelEntry | AnswerEntry | FailureEntry

LINES: Final = (RecordingEntry, ModelEntry, AnswerEntry, FailureEntry)

BY_TYPE: Final[Mapping[str, type[Line]]] = classes_by_type(LINES)


@frozen
class Tape:
    """What was asked and answered on one model: *runs* are by their index, each in the order in which it happened."""

    parts: Mapping[str, str] = field(factory=dict)
    runs: Mapping[int, tuple[Exchange, ...]] = field(factory=dict)


Recording: TypeAlias = Mapping[str, Tape]
"""The tapes of a case, by the id of the model that it was tried on."""


def read_recording(path: Path) -> Recording:
    """Return what is recorded in the file at *path*; nothing where there is no such file.

    Raises:
        ConfigurationError: it is no recording, with the line that is none.
    """
    if mode(path) is None:
        return {}
    try:
        return _recording(path, read_bytes(path, limits.RECORDING_BYTES, "recording"))
    except FileProblem as error:
        raise ConfigurationError([Issue(Location(path), error.problem, error.hint)]) from None


def check_recordings(cases: Iterable[Path]) -> None:
    """Read the recordings of the case files *cases*, and keep none.

    Raises:
        ConfigurationError: some are broken; all of those are told.
    """
    issues: list[Issue] = []
    for case in dict.fromkeys(cases):
        try:
            read_recording(recording_path(case))
        except ConfigurationError as error:
            issues += error.issues
    if issues:
        raise ConfigurationError(issues)


def useless_recordings(tests: Path) -> Iterator[Issue]:
    """Yield why recordings below the folder *tests* answer nothing: they are broken, or of no case."""
    for path in sorted(tests.rglob(f"*{RECORDING_SUFFIX}")):
        case = path.with_name(path.name.removesuffix(RECORDING_SUFFIX) + CASE_SUFFIX)
        if any(part.startswith(".") for part in path.relative_to(tests).parts):
            continue  # it was set aside
        if mode(case) is None:
            yield Issue(Location(path), f"a recording of no case: there is no {case.name} beside it")
            continue
        try:
            read_recording(path)
        except ConfigurationError as error:
            yield from error.issues


def write_recording(path: Path, recording: Recording) -> None:
    """Write a recording, unless that is what the file holds; a reader finds the old one or this, and never a part.

    Raises:
        InputOutputError: it cannot be written.
    """
    content = b"".join(map(_written, _lines(recording)))
    try:
        if mode(path) is None or path.read_bytes() != content:
            replace_file(path, content)
    except OSError as error:
        raise InputOutputError(f"{shown_path(path)}: cannot be written: {error.strerror}") from error


def _recording(path: Path, raw: bytes) -> Recording:
    reading = _Reading()
    for number, line in enumerate(raw.removesuffix(b"\n").split(b"\n"), 1):
        try:
            reading.take(_read(line), is_first=number == 1)
        except StructureError as error:
            raise ConfigurationError([line_issue(error, path, number, MENDING)]) from None
    return reading.tapes


@define
class _Reading:
    """Puts the lines of a recording together."""

    tapes: dict[str, Tape] = field(factory=dict, init=False)
    _runs: dict[str, dict[int, tuple[Exchange, ...]]] = field(factory=dict, init=False)

    def take(self, line: Line, *, is_first: bool) -> None:
        """Take the next line; raises StructureError where it does not belong there."""
        if is_first != isinstance(line, RecordingEntry):
            raise refused(f"a line of the type '{line.type}'", "the first line has the type 'recording'")
        match line:
            case ModelEntry(model=model):
                if model in self.tapes:
                    raise refused(f"the model '{model}' for the second time")
                self._runs[model] = {}
                self.tapes[model] = Tape(line.parts, self._runs[model])
            case AnswerEntry(model=model, run=run) | FailureEntry(model=model, run=run):
                if model not in self.tapes:
                    raise refused(f"a run on the model '{model}', of which no line above tells")
                earlier = self._runs[model].get(run, ())
                _check_next(line, earlier)
                self._runs[model][run] = (*earlier, line)


def _check_next(line: Exchange, earlier: Iterable[Exchange]) -> None:
    """Refuse what is left of a merge that kept both sides: of two answers to one question the first would count."""
    same = times_asked(line, earlier)
    if (line.again or 0) > same:
        raise refused(f"'again' is {line.again}, and the same question is in {counted(same, 'line')} above")
    if (line.again or 0) < same or (same and line.purpose != "question"):
        of = f"run number {line.run + 1} on the model '{line.model}'"
        raise refused(f"a second answer to the same request, with the purpose '{line.purpose}', of {of}")


def times_asked(question: Exchange, earlier: Iterable[Exchange]) -> int:
    """Return how many of the *earlier* exchanges of a run put the same question.

    A run and its fallback each put one, whatever it is: they are asked for once.
    """
    return sum(_question(each) == _question(question) for each in earlier)


def _question(exchange: Exchange) -> tuple[str, ...]:
    if exchange.purpose == "question":
        return exchange.purpose, exchange.asked, exchange.request
    return (exchange.purpose,)


def _read(line: bytes) -> Line:
    document = read_object(line)
    return structure(document, chosen_class(document, BY_TYPE))


def _lines(recording: Recording) -> Iterator[Line]:
    """Yield the lines of a recording, in an order that depends on nothing but what is in it."""
    yield RecordingEntry()
    for model, tape in sorted(recording.items()):
        yield ModelEntry(model=model, parts=tape.parts)
        yield from chain.from_iterable(exchanges for _, exchanges in sorted(tape.runs.items()))


def _written(line: Line) -> bytes:
    return written(asdict(line, filter=lambda _, value: value is not None))
