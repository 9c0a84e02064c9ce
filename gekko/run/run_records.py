"""One line a run: what the file of `GKO_STATS_FILE` holds, as it is written and as it is read."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from attrs import asdict, frozen

from gekko import jsontext
from gekko.errors import InputOutputError
from gekko.limits import LONGEST_MS
from gekko.locations import shown_path
from gekko.record.lines import ENCODER, line_issue, read_object, refused
from gekko.sources.files import FileProblem, read_lines
from gekko.specs.rules import at_most, not_negative
from gekko.specs.structure import StructureError, ruled, structure

LINE_BYTES = 64 * 1024
"""No record is longer: ids and names are short, and what a server says is cut."""

BEGINNING = re.compile(rb'(?=\{"timestamp_ms":)')
"""Where a record begins, and nothing else: inside of a text the quotes would be escaped."""

TOLD = 3
"""So many texts that are no records are told of, each with its line; of the rest there is a count."""


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
        # A server may have put half a character into its finish_reason; an escape of it is no JSON to every reader.
        return f"{ENCODER.encode(members)}\n".encode("utf-8", "replace")


def read_records(path: Path, warn: Callable[[str], None]) -> Iterator[RunRecord]:
    """Yield the records of the file at *path*, one by one; *warn* is told at the end of what else is in it.

    Raises:
        InputOutputError: the file cannot be read, or holds something, but no record.
    """
    told: list[str] = []
    found = others = 0
    try:
        for number, text in _texts(path):
            try:
                yield _record(text)
                found += 1
            except StructureError as error:
                others += 1
                if others <= TOLD:
                    told.append(str(line_issue(error, path, number)))
    except FileProblem as error:
        raise InputOutputError(f"{shown_path(path)}: {error}") from None
    if told and not found:
        raise InputOutputError(f"{told[0]}; and there is no record in the file")
    for each in told:
        warn(f"{each}; not counted")
    if others > TOLD:
        warn(f"{shown_path(path)}: {others - TOLD} more that are no records; not counted")


def _texts(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield all that may be a record, with the number of its line; of a line that is too long, the beginning alone.

    A writer that was ended in the middle of a record leaves no end of the line, and the next record follows at once.
    """
    number, is_whole = 0, True
    for line in read_lines(path, LINE_BYTES):
        if is_whole:
            number += 1
            yield from ((number, text) for text in BEGINNING.split(line) if text)
        is_whole = line.endswith(b"\n")


def _record(text: bytes) -> RunRecord:
    if len(text) >= LINE_BYTES:
        raise refused(f"longer than {LINE_BYTES // 1024} KiB")
    try:
        document = read_object(text, jsontext.parse)
    except StructureError:
        if text.startswith(b"{") and not text.endswith(b"\n"):
            raise refused("cut off in the middle of a record") from None
        raise
    # A key that is null is as good as one that is not there.
    return structure({key: value for key, value in document.items() if value is not None}, RunRecord)
