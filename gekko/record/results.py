"""What the runs of a case come to: its verdict, and the row that is reported of it."""

from pathlib import Path
from typing import Literal, TypeAlias

from attrs import define, field, frozen

from gekko.record.entries import CaseEntry, ErrorEntry, Miss, RunEntry
from gekko.specs.case import EXPECT

Result: TypeAlias = Literal["pass", "fail", "error", "xfail"]
"""What is reported of a case: judged and as expected; judged and not; not judged; failed, as is known of this model."""

Verdict: TypeAlias = Literal["pass", "flaky", "fail"]
"""What a rule makes of the runs: all passed; enough of them, but not all; too few."""


@frozen(kw_only=True)
class CaseResult:
    """The verdict on a case, after its runs. *duration_ms* is that of all runs together, None where one was replayed.

    *verdict* is None where no rule asks for one; *planned* is how many runs there were to be.
    """

    command: str
    case: str
    model: str
    file: str
    result: Result
    duration_ms: int | None
    runs: int
    passes: int
    failed_runs: int
    distinct_outputs: int
    reasons: tuple[Miss, ...] = ()
    expects_at: tuple[str, ...] = EXPECT
    planned: int = 1
    verdict: Verdict | None = None
    xfail: str | None = None
    retries: int = 0

    @property
    def path(self) -> Path:
        """The path of the case file."""
        return Path(self.file)

    @property
    def is_good(self) -> bool:
        """Whether the case was judged, and nothing is wrong with it."""
        return self.result in ("pass", "xfail")

    @property
    def saved_runs(self) -> int:
        """How many runs there was no need for any more."""
        return 0 if self.result == "error" else self.planned - self.runs

    @property
    def is_plain(self) -> bool:
        """Whether there is nothing to say about the case but that it passed."""
        return self.result == "pass" and self.verdict != "flaky"

    @property
    def headline(self) -> str | None:
        """What stands above the reasons, where there is something to say about all runs together."""
        if self.xfail is not None and self.result == "xfail":
            return f"failed, as is expected: {self.xfail}"
        if self.xfail is not None and self.result == "fail":
            return f"passed, though it is expected to fail: {self.xfail}"
        if self.failed_runs and self.planned > 1:
            return f"{self.failed_runs} of {self.runs} runs failed"
        return None

    @property
    def message(self) -> str:
        """What a person reads of a case that is not good: each distinct reason once, on a line of its own."""
        head = () if self.headline is None else (self.headline,)
        return "\n".join((*head, *map(str, self.reasons)))


@define
class Tally:
    """Counts the runs of one case; outputs are counted by their digest, so that none is kept."""

    _case: CaseEntry
    fails_on_flaky: bool = False
    _runs: int = 0
    _failed_runs: int = 0
    _duration_ms: float = 0.0
    _retries: int = 0
    _is_replayed: bool = False
    _error: str | None = None
    _outputs: set[str] = field(factory=set)
    _reasons: dict[Miss, None] = field(factory=dict)

    def add(self, entry: RunEntry | ErrorEntry) -> None:
        """Count a run."""
        self._runs += 1
        self._retries += entry.retries
        self._duration_ms += entry.duration_ms
        self._is_replayed |= entry.replayed
        if isinstance(entry, ErrorEntry):
            self._error = entry.message
            return
        if self._case.xfail is not None and entry.first_failure is not None:
            self._error = f"its fallback answered, so whether it fails as expected is not known: {entry.first_failure}"
            return
        self._failed_runs += not entry.has_passed
        self._reasons |= dict.fromkeys(entry.mismatches)
        if entry.output_digest is not None:
            self._outputs.add(entry.output_digest)

    @property
    def runs(self) -> int:
        """How many runs were counted."""
        return self._runs

    @property
    def is_settled(self) -> bool:
        """Whether no further run could change the verdict, or there is none to come."""
        if self._error is not None or self._runs == self._case.runs:
            return True
        needed = self._case.needed
        if needed is None:
            return False
        can_fail = self._passes < needed
        can_hold = self._case.runs - self._failed_runs >= needed
        # As long as all runs passed, the next may still make it flaky.
        return not can_hold or (not can_fail and self._failed_runs > 0)

    @property
    def verdict(self) -> Verdict:
        """What the runs so far come to."""
        if self._failed_runs == 0:
            return "pass"
        needed = self._case.runs if self._case.needed is None else self._case.needed
        return "flaky" if self._passes >= needed else "fail"

    def result(self) -> CaseResult:
        """Return what is reported of the case."""
        case = self._case
        reasons = tuple(self._reasons) if self._error is None else (*self._reasons, Miss(text=self._error))
        return CaseResult(
            command=case.command,
            case=case.case,
            model=case.model,
            file=case.file,
            result=self._result(),
            duration_ms=None if self._is_replayed else round(self._duration_ms),
            runs=self._runs,
            passes=self._passes,
            failed_runs=self._failed_runs,
            distinct_outputs=len(self._outputs),
            reasons=reasons,
            expects_at=case.expects_at,
            planned=case.runs,
            verdict=self.verdict if self._error is None and self._asks_for_verdict else None,
            xfail=case.xfail,
            retries=self._retries,
        )

    @property
    def _passes(self) -> int:
        return self._runs - self._failed_runs - (self._error is not None)

    @property
    def _asks_for_verdict(self) -> bool:
        return self._case.needed is not None or self.fails_on_flaky

    def _result(self) -> Result:
        if self._error is not None or self._runs == 0:
            return "error"
        # Without a rule every run must pass; with one, `flaky` is good enough unless it was said not to be.
        has_failed = self.verdict == "fail" or (self.verdict == "flaky" and self.fails_on_flaky)
        if self._case.xfail is not None:
            return "xfail" if has_failed else "fail"
        return "fail" if has_failed else "pass"
