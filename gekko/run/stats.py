"""One line a run, for whoever wants to know what their prompts cost: appended to the file of `GKO_STATS_FILE`."""

import os
from collections.abc import Callable
from pathlib import Path
from time import time

from attrs import evolve, frozen

from gekko.run.asking import NoAnswerError
from gekko.run.execute import Errand, Run
from gekko.run.run_records import RunRecord
from gekko.wording import cut

REASON_CHARACTERS = 60
"""A server may say anything in the place of "stop"; a record stays short enough to be written at once."""


@frozen
class Statistics:
    """Appends records to a file, if there is one. What cannot be written is a warning and changes nothing else."""

    path: Path | None
    warn: Callable[[str], None]

    def finished(self, errand: Errand, run: Run, case: str | None = None) -> None:
        """Record a run that got an answer."""
        outcome = run.outcome
        record = _record(errand, case, outcome.duration_ms, outcome.exit_code, fallback_used=run.is_from_fallback)
        self._append(
            evolve(
                record,
                model_answered=outcome.model_answered,
                backend=run.backend,
                prompt_tokens=outcome.prompt_tokens,
                completion_tokens=outcome.completion_tokens,
                finish_reason=outcome.finish_reason and cut(outcome.finish_reason, REASON_CHARACTERS),
            )
        )

    def failed(self, errand: Errand, duration_ms: float, case: str | None = None) -> None:
        """Record a run that got no answer."""
        code = NoAnswerError.exit_code
        self._append(_record(errand, case, duration_ms, code, fallback_used=errand.has_fallback))

    def _append(self, record: RunRecord) -> None:
        if self.path is None:
            return
        try:
            append(self.path, record.line())
        except OSError as error:
            self.warn(f"{self.path}: the statistics could not be written: {error.strerror}")


def _record(errand: Errand, case: str | None, duration_ms: float, exit_code: int, *, fallback_used: bool) -> RunRecord:
    """Return what is known of every run."""
    return RunRecord(
        timestamp_ms=round(time() * 1000),
        command="/".join(errand.command),
        case=case,
        model_requested=errand.model,
        fallback_used=fallback_used,
        duration_ms=round(duration_ms),
        exit_code=exit_code,
    )


def append(path: Path, line: bytes) -> None:
    """Append *line* in one write, so that processes that append at once never interleave.

    Raises:
        OSError: it could not be written, or not whole.
    """
    # A FIFO without a reader would block open() for ever.
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK, 0o666)
    try:
        if os.write(descriptor, line) < len(line):
            raise OSError(0, "the disk is full")
    finally:
        os.close(descriptor)
