"""The configured models, as rows."""

from collections.abc import Iterable, Mapping

from gekko.report.table import aligned_text
from gekko.specs.model import Model

HEADER = ("NAME", "BACKEND", "OPERATION", "FALLBACK")


def model_row(model: Model) -> dict[str, object]:
    """Return the row of one model; without a fallback that is null."""
    return {
        "name": model.id,
        "backend": model.backend,
        "operation": model.operation,
        "fallback": model.fallback,
    }


def model_table(rows: Iterable[Mapping[str, object]]) -> str:
    """Return the rows as a table."""
    cells = [["-" if value is None else str(value) for value in row.values()] for row in rows]
    return aligned_text([HEADER, *cells])
