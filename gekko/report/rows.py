"""Reports for programs: JSON arrays of rows, whose keys and their order are part of the interface."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from attrs import frozen

if TYPE_CHECKING:
    from gekko.plan.rehearsal import Rehearsal
    from gekko.record.results import CaseResult

ROW = json.JSONEncoder(ensure_ascii=False)


@frozen
class Extras:
    """Columns that a report has because an option asks for them."""

    model: bool = False
    retries: bool = False


NONE: Final = Extras()


def result_row(result: "CaseResult", extras: Extras = NONE) -> dict[str, object]:
    """Return the row of one case."""
    row: dict[str, object] = {"command": result.command, "case": result.case}
    if extras.model:
        row["model"] = result.model
    row["result"] = result.result
    # A duration that was measured when the answer was recorded would be taken for one of today.
    row |= {"replayed": True} if result.duration_ms is None else {"duration_ms": result.duration_ms}
    row |= {"runs": result.runs, "distinct_outputs": result.distinct_outputs}
    if result.verdict is not None:
        row |= {"passes": result.passes, "verdict": result.verdict, "saved_runs": result.saved_runs}
    if extras.retries:
        row["retries"] = result.retries
    return row if result.is_plain else {**row, "message": result.message}


def rehearsal_row(rehearsal: "Rehearsal") -> dict[str, object]:
    """Return the row of one case in a dry run."""
    row: dict[str, object] = {
        "command": rehearsal.command,
        "case": rehearsal.case,
        "model": rehearsal.model,
        "messages": [{"role": message.role, "content": message.content} for message in rehearsal.messages],
    }
    return row if rehearsal.file is None else {**row, "file": rehearsal.file}


def json_rows(rows: Iterable[Mapping[str, object]]) -> str:
    """Return the rows as a JSON array, one row a line."""
    lines: Sequence[str] = [ROW.encode(row) for row in rows]
    return "[\n  " + ",\n  ".join(lines) + "\n]\n" if lines else "[]\n"
