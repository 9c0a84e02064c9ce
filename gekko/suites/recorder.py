"""What happens in a suite, written down as it happens: into its journal, and into the file that the user named."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Final, Literal

from attrs import define, evolve, field

from gekko.record.entries import CaseEntry, EndEntry, Entry, RunEntry, SuiteEntry, now_ms
from gekko.suites.events import Event, RunFailed, RunJudged, RunLeftOut
from gekko.suites.journal import Journal
from gekko.suites.saving import SavedRecord

AT_ONCE: Final = 1000
"""So many lines are held in memory; a suite may have more cases than that."""


@define
class Recorder:
    """Follows the events of a suite, and writes the lines of its record."""

    journal: Journal | None
    saved: SavedRecord | None
    runs: int = field(default=0, init=False)
    """How many runs are in the record that got an answer."""
    _has_ended: bool = field(default=False, init=False)

    def begin(self, suite: SuiteEntry, cases: Iterable[CaseEntry], remembered: Collection[RunEntry]) -> None:
        """Write what is known before the first run; *remembered* are the runs of an earlier suite.

        Raises:
            InputOutputError: the file that the user named cannot be written.
        """
        self._write([evolve(suite, remembered=len(remembered))])
        lines: Iterator[Entry] = chain(cases, remembered)
        while some := tuple(islice(lines, AT_ONCE)):
            self._write(some)
        self.runs = len(remembered)

    def follow(self, event: Event) -> None:
        """Write the run that *event* tells of, if it tells of one; raises as begin does."""
        match event:
            case RunJudged(is_new=True):
                self.runs += 1
                self._write([event.entry])
            case RunFailed() | RunLeftOut():
                self._write([event.entry])

    def end(self, reason: Literal["finished", "stopped", "interrupted"], exit_code: int) -> None:
        """Write how the suite ended, if that was not done, and put the file in its place; raises as begin does."""
        if self._has_ended:
            return
        self._has_ended = True
        self._write([EndEntry(reason=reason, exit_code=exit_code, ended_ms=now_ms())])
        if self.saved is not None:
            self.saved.finish()

    def close(self) -> None:
        """Close what is written to."""
        for writer in (self.journal, self.saved):
            if writer is not None:
                writer.close()

    def _write(self, entries: Sequence[Entry]) -> None:
        if self.journal is not None:
            self.journal.write(entries)
        if self.saved is not None:
            self.saved.write(entries)
