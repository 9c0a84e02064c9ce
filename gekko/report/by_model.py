"""What a suite came to on each of its models, as a second table below the report."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, Self

from attrs import define, field

from gekko.report.table import BOLD, Paint, aligned_text, count, duration
from gekko.run.totals import known_sum, nearest_rank

if TYPE_CHECKING:
    from gekko.record.entries import ErrorEntry, RunEntry
    from gekko.record.results import CaseResult, Result

ALWAYS: Final[Sequence["Result"]] = ("pass", "fail")

RARE: Final[Sequence["Result"]] = ("error", "xfail")
"""Results that have a column only where there are any."""


@define
class _Figures:
    """Of a replayed run nobody knows how long it took, and not every server counts tokens: that is no zero."""

    durations_ms: Counter[int] = field(factory=Counter)
    prompt_tokens: int | None = None
    completion_tokens: int | None = None

    def add(self, run: "RunEntry") -> None:
        if not run.replayed:
            self.durations_ms[round(run.duration_ms)] += 1
        self.prompt_tokens = known_sum(self.prompt_tokens, run.prompt_tokens)
        self.completion_tokens = known_sum(self.completion_tokens, run.completion_tokens)

    def cells(self) -> tuple[str, str, str]:
        median_ms = nearest_rank(self.durations_ms, 50)
        return duration(median_ms), count(self.prompt_tokens), count(self.completion_tokens)


@define
class ByModel:
    """Counts the runs of each model that were judged; equal durations are one entry, for a suite may have many."""

    _figures: dict[str, _Figures] = field(factory=dict, init=False)

    @classmethod
    def of(cls, runs: "Iterable[RunEntry | ErrorEntry]") -> Self:
        """Return the counts of recorded runs; those that got no answer count for nothing."""
        by_model = cls()
        for run in runs:
            if run.type == "run":
                by_model.add(run)
        return by_model

    def add(self, run: "RunEntry") -> None:
        """Count a run, unless it was another model that answered."""
        if run.model_answered is not None:
            return
        self._figures.setdefault(run.model, _Figures()).add(run)

    def table(self, results: "Sequence[CaseResult]", paint: Paint) -> str:
        """Return the table, with the models in the order in which *results* name them first."""
        counts = Counter((result.model, result.result) for result in results)
        kinds = [*ALWAYS, *(kind for kind in RARE if any(result.result == kind for result in results))]
        rows = [["MODEL", *(kind.upper() for kind in kinds), "MEDIAN", "PROMPT", "COMPLETION"]]
        for model in dict.fromkeys(result.model for result in results):
            figures = self._figures.get(model, _Figures())
            rows.append([model, *(str(counts[model, kind]) for kind in kinds), *figures.cells()])
        head, _, body = aligned_text(rows, right_aligned=range(1, len(rows[0]))).partition("\n")
        return f"{paint(head, BOLD)}\n{body}"
