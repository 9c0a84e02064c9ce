"""What a record says: its lines, read and checked, whole or as far as a suite came that was killed."""

from itertools import chain
from pathlib import Path
from typing import Final

from attrs import define, field

from gekko import jsontext
from gekko.errors import InputOutputError, Problem
from gekko.limits import ANSWER_BYTES
from gekko.locations import key_text, shown_path
from gekko.record.entries import VERSION, CaseEntry, EndEntry, Entry, ErrorEntry, RunEntry, SuiteEntry
from gekko.sources.files import FileProblem, read_lines
from gekko.specs.structure import StructureError, structure
from gekko.wording import described, joined

LINE_BYTES: Final = 6 * ANSWER_BYTES
"""The longest line: an answer, each of whose characters may be written as six."""


@define(kw_only=True)
class Record:
    """The lines of a record by their types; of a suite that was killed there is no *end*, and perhaps no *suite*."""

    path: Path
    suite: SuiteEntry | None = None
    cases: list[CaseEntry] = field(factory=list)
    runs: list[RunEntry | ErrorEntry] = field(factory=list)
    end: EndEntry | None = None

    @property
    def has_begun(self) -> bool:
        """Whether all lines are there that are written before the first run."""
        return self.suite is not None and len(self.cases) == self.suite.cases


def read_record(path: Path) -> Record:
    """Return what the record at *path* says; a last line that was cut off by a sudden end is left out.

    Raises:
        InputOutputError: the file cannot be read, or a line is none of a record; the message names file and line.
    """
    record = Record(path=path)
    try:
        for number, line in enumerate(read_lines(path, LINE_BYTES), 1):
            if not line.endswith(b"\n"):
                break
            try:
                _add(record, read_entry(line))
            except _NoEntryError as error:
                raise InputOutputError(f"{shown_path(path)}:{number}: {error}") from None
    except FileProblem as error:
        raise InputOutputError(f"{shown_path(path)}: {error}") from None
    return record


class _NoEntryError(Exception):
    """A line is none of a record, or has no place there; the message says why."""


def is_record(path: Path) -> bool:
    """Return whether the file at *path* begins as a record does; an empty one might become one.

    Raises:
        FileProblem: it cannot be read.
    """
    first = next(chain(read_lines(path, LINE_BYTES), [b""]))
    try:
        return not first or isinstance(read_entry(first), SuiteEntry)
    except _NoEntryError:
        return False


def read_entry(line: bytes) -> Entry:
    """Return the entry that a line holds."""
    try:
        document = jsontext.parse_loosely(line.decode())
    except (UnicodeDecodeError, jsontext.JsonTextError) as error:
        reason = f"not UTF-8, at byte {error.start}" if isinstance(error, UnicodeDecodeError) else error.problem
        raise _NoEntryError(f"not a line of a record: {reason}") from None
    if not isinstance(document, dict):
        raise _NoEntryError(f"expected an object, found {described(document)}")
    if document.get("type") == "suite" and document.get("version", VERSION) != VERSION:
        problem = f"a record of version {described(document['version'])}"
        raise _NoEntryError(f"{problem}; this gko reads version {VERSION}")
    try:
        return _structured(document)
    except StructureError as error:
        raise _NoEntryError(_told(error.problems[0])) from None


def _structured(document: dict[str, object]) -> Entry:
    entry: Entry = structure(document, Entry)  # type: ignore[arg-type]  # a union is no class to mypy
    return entry


def _add(record: Record, entry: Entry) -> None:
    if (record.suite is None) != isinstance(entry, SuiteEntry):
        raise _NoEntryError("a record has one line of type 'suite', which is the first")
    if record.end is not None:
        raise _NoEntryError("a line after that of type 'end', which is the last")
    match entry:
        case SuiteEntry():
            record.suite = entry
        case CaseEntry():
            record.cases.append(entry)
        case RunEntry() | ErrorEntry():
            record.runs.append(entry)
        case EndEntry():
            record.end = entry


def _told(problem: Problem) -> str:
    return joined(f"{key_text(problem.at)}: {problem.problem}".removeprefix(": "), problem.hint)
