"""What recorded runs came to, as a table and as rows."""

from collections.abc import Iterable

from gekko.report.table import aligned_text, count, duration
from gekko.run.protocols.envelope import one_line
from gekko.run.totals import Totals

HEADER = ("COMMAND", "MODEL", "RUNS", "FAILED", "MEDIAN", "P95", "PROMPT", "COMPLETION", "FALLBACKS")

NUMBERS = (2, 4, 5, 6, 7, 8)


def totals_row(totals: Totals) -> dict[str, object]:
    """Return the row of one command and model."""
    return {
        "command": totals.command,
        "model": totals.model,
        "runs": totals.runs,
        "failed_runs": totals.failed_runs,
        "failures": {str(code): count for code, count in totals.failures.items()},
        "median_ms": totals.median_ms,
        "p95_ms": totals.p95_ms,
        "prompt_tokens": totals.prompt_tokens,
        "completion_tokens": totals.completion_tokens,
        "fallbacks_used": totals.fallbacks_used,
    }


def totals_table(rows: Iterable[Totals]) -> str:
    """Return the totals as a table; "-" stands for what is not known."""
    return aligned_text([HEADER, *map(_cells, rows)], right_aligned=NUMBERS)


def _cells(totals: Totals) -> tuple[str, ...]:
    return (
        one_line(totals.command),
        one_line(totals.model),
        str(totals.runs),
        _failures(totals),
        duration(totals.median_ms),
        duration(totals.p95_ms),
        count(totals.prompt_tokens),
        count(totals.completion_tokens),
        str(totals.fallbacks_used),
    )


def _failures(totals: Totals) -> str:
    """Return how many runs failed, and with which codes: "0", "3 (code 4)", "5 (code 3: 2, code 4: 3)"."""
    codes = [f"code {code}: {times}" for code, times in totals.failures.items()]
    if len(codes) == 1:
        codes = [f"code {code}" for code in totals.failures]
    return f"{totals.failed_runs} ({', '.join(codes)})" if codes else "0"
