"""What the recorded runs of each command and model came to."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from itertools import accumulate

from attrs import define, field, frozen

from gekko.run.run_records import RunRecord


@frozen
class Totals:
    """The runs of one command with one model, the one that was asked for; what no run got to know is None.

    *failures* counts the runs by their exit code, success left out. Percentiles are of runs that got an answer.
    """

    command: str
    model: str
    runs: int
    failures: Mapping[int, int]
    median_ms: int | None
    p95_ms: int | None
    prompt_tokens: int | None
    completion_tokens: int | None
    fallbacks_used: int

    @property
    def failed_runs(self) -> int:
        """How many runs ended with any code other than 0."""
        return sum(self.failures.values())


def totals(records: Iterable[RunRecord]) -> list[Totals]:
    """Return the totals of all records, in the order of command and model."""
    tallies: defaultdict[tuple[str, str], _Tally] = defaultdict(_Tally)
    for record in records:
        tallies[record.command, record.model_requested].add(record)
    # As reports of cases are: by the words of the path, so that a group stays together.
    in_order = sorted(tallies, key=lambda key: (key[0].split("/"), key[1]))
    return [tallies[key].totals(*key) for key in in_order]


def nearest_rank(counts: Mapping[int, int], percent: int) -> int | None:
    """Return the least value that is not below *percent* of all values; *counts* says how often each is there."""
    rank = -(-percent * sum(counts.values()) // 100)
    ordered = sorted(counts)
    reached = accumulate(counts[value] for value in ordered)
    return next((value for value, count in zip(ordered, reached, strict=True) if count >= rank), None)


@define
class _Tally:
    """What was counted so far. Equal durations are one entry, so millions of runs need little memory."""

    _runs: int = 0
    _failures: Counter[int] = field(factory=Counter)
    _durations: Counter[int] = field(factory=Counter)
    _prompt_tokens: int | None = None
    _completion_tokens: int | None = None
    _fallbacks: int = 0

    def add(self, record: RunRecord) -> None:
        """Count one run."""
        self._runs += 1
        self._fallbacks += record.fallback_used
        self._prompt_tokens = known_sum(self._prompt_tokens, record.prompt_tokens)
        self._completion_tokens = known_sum(self._completion_tokens, record.completion_tokens)
        if record.exit_code:
            self._failures[record.exit_code] += 1
        if record.has_answer:
            self._durations[record.duration_ms] += 1

    def totals(self, command: str, model: str) -> Totals:
        """Return what it came to."""
        return Totals(
            command,
            model,
            self._runs,
            dict(sorted(self._failures.items())),
            nearest_rank(self._durations, 50),
            nearest_rank(self._durations, 95),
            self._prompt_tokens,
            self._completion_tokens,
            self._fallbacks,
        )


def known_sum(so_far: int | None, more: int | None) -> int | None:
    """Add what may be unknown; it is no zero."""
    return so_far if more is None else more + (so_far or 0)
