"""What a record says: its lines, read and checked, whole or as far as a suite came that was killed."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from attrs import frozen

from gekko.errors import InputOutputError, Issue
from gekko.limits import ANSWER_BYTES
from gekko.locations import Location, shown_path
from gekko.record.entries import ENTRIES, VERSION, CaseEntry, EndEntry, Entry, ErrorEntry, RunEntry, SuiteEntry
from gekko.record.lines import line_issue, read_object, refused
from gekko.record.results import Tally
from gekko.sources.files import FileProblem, read_lines
from gekko.sources.listing import Address
from gekko.specs.structure import StructureError, chosen_class, classes_by_type, structure
from gekko.wording import described, printable

LINE_BYTES: Final = 6 * ANSWER_BYTES
"""The longest line: an answer, each of whose characters may be written as six."""

BY_TYPE: Final[Mapping[str, type[Entry]]] = classes_by_type(ENTRIES)


class RecordError(InputOutputError):
    """A file is no record; *issue* says why, and on which line."""

    def __init__(self, issue: Issue) -> None:
        self.issue = issue
        super().__init__(str(issue))


@frozen(kw_only=True)
class Record:
    """The lines of a record; the *end* is missing where the suite was killed, or still runs."""

    path: Path
    suite: SuiteEntry
    cases: tuple[CaseEntry, ...]
    runs: tuple[RunEntry | ErrorEntry, ...] = ()
    end: EndEntry | None = None

    def tallies(self) -> dict[Address, Tally]:
        """Return what the runs of each case come to, in the order of the cases."""
        tallies = {case.address: Tally(case, self.suite.invocation.fail_on_flaky) for case in self.cases}
        for run in self.runs:
            tallies[run.address].add(run)
        return tallies


def read_record(path: Path) -> Record:
    """Return what the record at *path* says; a last line that was cut off by a sudden end is left out.

    Raises:
        RecordError: a line is none of a record, or there are too few.
        InputOutputError: the file cannot be read.
    """
    record = read_begun(path)
    if record is None:
        raise RecordError(Issue(Location(path), "no record, or one that ends before the first run began"))
    return record


def read_begun(path: Path) -> Record | None:
    """Return a record as read_record does; None of a suite that was killed before its first run was to begin."""
    suite: SuiteEntry | None = None
    cases: dict[Address, CaseEntry] = {}
    runs: list[RunEntry | ErrorEntry] = []
    lines: dict[tuple[Address, int], int] = {}
    end: EndEntry | None = None
    for number, entry in _entries(path):
        missing = 1 if suite is None else suite.cases - len(cases)
        match entry:
            case SuiteEntry() if suite is None:
                suite = entry
            case CaseEntry() if suite is not None and missing and entry.address not in cases:
                cases[entry.address] = entry
            case RunEntry() | ErrorEntry() if not missing and end is None and entry.address in cases:
                if (first := lines.setdefault((entry.address, entry.run), number)) != number:
                    raise RecordError(Issue(Location(path, line=number), _again(entry, first)))
                runs.append(entry)
            case EndEntry() if not missing and end is None:
                end = entry
            case _:
                problem = f"a line of type '{entry.type}' has no place here"
                raise RecordError(Issue(Location(path, line=number), problem))
    if suite is None or len(cases) < suite.cases or len(runs) < suite.remembered:
        return None
    return Record(path=path, suite=suite, cases=tuple(cases.values()), runs=tuple(runs), end=end)


def is_record(path: Path) -> bool:
    """Return whether the file at *path* begins as a record does; an empty one might become one.

    Raises:
        FileProblem: it cannot be read.
    """
    first = next(read_lines(path, LINE_BYTES), b"")
    try:
        return not first or isinstance(_entry(first), SuiteEntry)
    except StructureError:
        return False


def _entries(path: Path) -> Iterator[tuple[int, Entry]]:
    """Yield the entries with the numbers of their lines."""
    try:
        for number, line in enumerate(read_lines(path, LINE_BYTES), 1):
            if not line.endswith(b"\n"):
                return  # whoever wrote it was killed
            yield number, _entry(line)
    except StructureError as error:
        raise RecordError(line_issue(error, path, number)) from None
    except FileProblem as error:
        raise InputOutputError(f"{shown_path(path)}: {error}") from None


def _again(entry: RunEntry | ErrorEntry, first: int) -> str:
    """Return what is wrong with a second line of a run, whose first is the *first* of the file."""
    run = f"run number {entry.run + 1} of {entry.command} {entry.case} on the model '{entry.model}'"
    return f"a second line of {printable(run)}; the first is line {first}, and each run has one"


def _entry(line: bytes) -> Entry:
    document = read_object(line)
    if document.get("type") == "suite" and document.get("version", VERSION) != VERSION:
        problem = f"the record is of version {described(document['version'])}"
        raise refused(problem, f"this gko reads version {VERSION}")
    return structure(document, chosen_class(document, BY_TYPE))
