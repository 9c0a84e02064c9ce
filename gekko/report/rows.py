"""Reports for programs: JSON arrays of rows, whose keys and their order are part of the interface."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gekko.plan.rehearsal import Rehearsal
    from gekko.run.events import CaseResult

ROW = json.JSONEncoder(ensure_ascii=False)


def result_row(result: "CaseResult") -> dict[str, object]:
    """Return the row of one case."""
    row: dict[str, object] = {
        "command": result.command,
        "case": result.case,
        "result": "pass" if result.has_passed else "fail",
        "duration_ms": result.duration_ms,
        "runs": result.runs,
        "distinct_outputs": result.distinct_outputs,
    }
    return row if result.has_passed else {**row, "message": result.message}


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
