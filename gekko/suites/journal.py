"""The journal of a suite: its record, kept in the state folder while it runs, so that it can go on however it ends.

Each run is one write to a file that is only ever appended to: whoever kills the program cuts off the last line at most.
Nothing is forced to the disk, so a computer that goes down may lose the last lines.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, Self

from attrs import define, evolve

from gekko.limits import MIB
from gekko.record.entries import Entry, RunEntry, line
from gekko.sources.writing import append
from gekko.suites.journals import create_journal, journal_folder

OUTPUT_BYTES: Final = 16 * MIB
"""A journal that would grow beyond this by an output goes on without outputs: their digests do for a report."""

UNKNOWN: Final = "neither --resume nor --failed will know of"


@define
class Journal:
    """A journal that is being written; a failure to do so is a warning, and its end."""

    path: Path
    _descriptor: int
    _warn: Callable[[str], None]
    _size_bytes: int = 0
    is_kept: bool = True
    """Whether everything that happened is in it."""

    @classmethod
    def begin(cls, state: Path, project: str, warn: Callable[[str], None]) -> Self | None:
        """Return a new journal of a project; None, after a warning, where the state folder cannot be written."""
        folder = journal_folder(state, project)
        try:
            path, descriptor = create_journal(folder)
        except OSError as error:
            warn(f"{folder}: no journal can be written, so {UNKNOWN} this run: {error.strerror}")
            return None
        return cls(path, descriptor, warn)

    def write(self, entries: Sequence[Entry]) -> None:
        """Append entries, in one write."""
        if not self.is_kept:
            return
        try:
            append(self._descriptor, b"".join(map(self._line, entries)))
        except OSError as error:
            # What follows half a line would make the whole file unreadable.
            self.is_kept = False
            reason = error.strerror
            self._warn(f"{self.path}: the journal cannot be written on, so {UNKNOWN} what follows: {reason}")

    def close(self) -> None:
        """Close the file, and give its lock back."""
        os.close(self._descriptor)

    def _line(self, entry: Entry) -> bytes:
        written = line(entry)
        if isinstance(entry, RunEntry) and self._size_bytes + len(written) > OUTPUT_BYTES:
            written = line(evolve(entry, output=None))
        self._size_bytes += len(written)
        return written
