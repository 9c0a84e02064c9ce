"""One line a run: what the file of `GKO_STATS_FILE` holds, as it is written and as it is read."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

from attrs import asdict, frozen

from gekko import jsontext
from gekko.errors import InputOutputError, Problem
from gekko.locations import key_text, shown_path
from gekko.sources.files import FileProblem, read_lines
from gekko.specs.rules import at_most, not_negative
from gekko.specs.structure import StructureError, ruled, structure
from gekko.wording import described

LINE_BYTES = 64 * 1024
"""No record is longer: ids and names are short, and what a server says is cut."""

LONGEST_MS = 2**53
"""A duration beyond this is none, and a float could not hold it."""


@frozen(kw_only=True)
class RunRecord:
    """One run of a command; what it never got to know is None. The fields are the keys of its line, in their order."""

    timestamp_ms: int
    command: str
    case: str | None = None
    model_requested: str
    model_answered: str | None = None
    fallback_used: bool
    backend: str | None = None
    duration_ms: int = ruled(not_negative, at_most(LONGEST_MS))
    prompt_tokens: int | None = ruled(not_negative, default=None)
    completion_tokens: int | None = ruled(not_negative, default=None)
    finish_reason: str | None = None
    exit_code: int = ruled(not_negative)

    @property
    def has_answer(self) -> bool:
        """Whether some model answered, whatever became of the answer."""
        return self.model_answered is not None

    def line(self) -> bytes:
        """Return the record as one line of JSON; only a run of a case has the key `case`."""
        members = asdict(self, filter=lambda field, value: field.name != "case" or value is not None)
        text = json.dumps(members, ensure_ascii=False, separators=(",", ":"))
        # A server may have put half a character into its finish_reason.
        return f"{text}\n".encode("utf-8", "replace")


def read_records(path: Path, warn: Callable[[str], None]) -> Iterator[RunRecord]:
    """Yield the records of the file at *path*, one by one; a last line that was never written whole is a warning.

    Raises:
        InputOutputError: the file cannot be read, or a line is no record; the message names it.
    """
    number = 0
    try:
        for number, line in enumerate(read_lines(path, LINE_BYTES), 1):
            try:
                yield _record(line)
            except _CutOffError:
                warn(f"{shown_path(path)}:{number}: cut off in the middle of a record; not counted")
    except FileProblem as error:
        raise InputOutputError(f"{shown_path(path)}: {error}") from None
    except _NoRecordError as error:
        raise InputOutputError(f"{shown_path(path)}:{number}: {error}") from None


class _NoRecordError(Exception):
    """A line is no record; the message says why."""


class _CutOffError(Exception):
    """A line is the beginning of a record: whoever wrote it was ended, or the disk was full."""


def _record(line: bytes) -> RunRecord:
    if len(line) >= LINE_BYTES:
        raise _NoRecordError(f"longer than {LINE_BYTES // 1024} KiB")
    try:
        document = jsontext.parse(line.decode().rstrip("\n"))
    except (UnicodeDecodeError, jsontext.JsonTextError) as error:
        # Only the last line of a file can be without an end.
        if line.startswith(b"{") and not line.endswith(b"\n"):
            raise _CutOffError from None
        raise _NoRecordError(f"no JSON: {_reason(error)}") from None
    if not isinstance(document, dict):
        raise _NoRecordError(f"expected an object, found {described(document)}")
    try:
        # A key that is null is as good as one that is not there.
        return structure({key: value for key, value in document.items() if value is not None}, RunRecord)
    except StructureError as error:
        raise _NoRecordError(_told(error.problems[0])) from None


def _reason(error: UnicodeDecodeError | jsontext.JsonTextError) -> str:
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8, at byte {error.start}"
    return str(error).removeprefix("line 1, ")  # it is another line of the file


def _told(problem: Problem) -> str:
    return "; ".join(filter(None, (f"{key_text(problem.at)}: {problem.problem}".removeprefix(": "), problem.hint)))
