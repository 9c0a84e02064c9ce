"""What is going on, on a terminal: one line that is written over and over, and gone at the end."""

from typing import TextIO

from attrs import define

from gekko.run.events import CaseFinished, Event, RunStarted
from gekko.wording import cut

ERASE = "\r\x1b[2K"


@define
class Progress:
    """Follows the events of a suite; on anything but a terminal it stays silent."""

    stream: TextIO
    cases: int
    is_shown: bool
    columns: int
    """Of the terminal: a line that is longer would wrap, and could not be taken away."""
    _done: int = 0
    _failed: int = 0

    def follow(self, event: Event) -> None:
        """Show what *event* changes."""
        match event:
            case RunStarted():
                failed = f", {self._failed} failed" if self._failed else ""
                self._show(cut(f"[{self._done + 1}/{self.cases}{failed}] {event.trial.title}", self.columns - 1))
            case CaseFinished():
                self._done += 1
                self._failed += not event.result.is_good

    def clear(self) -> None:
        """Take the line away, before something else is written."""
        self._show("")

    def _show(self, text: str) -> None:
        if not self.is_shown:
            return
        try:
            self.stream.write(f"{ERASE}{text}")
            self.stream.flush()
        except OSError:
            self.is_shown = False  # the terminal is gone
