"""The installed expectations, as rows."""

from collections.abc import Mapping, Sequence

from gekko.checks.registry import CheckerError, Claim, Registry, summary
from gekko.report.table import aligned_text

HEADER = ("KEY", "PLACE", "FORMATS", "DISTRIBUTION", "VERSION", "DOCUMENTATION")


def expectation_row(registry: Registry, claim: Claim) -> dict[str, object]:
    """Return the row of one key; a key whose checker cannot be used has the reason as its `problem`."""
    owner = {"distribution": claim.distribution, "version": claim.version}
    try:
        checker = registry.load(claim)
    except CheckerError as error:
        return {"key": claim.key, "places": [], "formats": [], **owner, "documentation": "", "problem": str(error)}
    return {
        "key": claim.key,
        "places": sorted(place.value for place in checker.places),
        "formats": sorted(checker.formats),
        **owner,
        "documentation": summary(checker),
    }


def expectation_table(rows: Sequence[Mapping[str, object]]) -> str:
    """Return the rows as a table."""
    cells = [[_cell(row, key) for key in ("key", "places", "formats", "distribution", "version")] for row in rows]
    texts = [str(row.get("problem") or row["documentation"]) for row in rows]
    table = [HEADER, *([*row, text] for row, text in zip(cells, texts, strict=True))]
    return aligned_text(table)


def _cell(row: Mapping[str, object], key: str) -> str:
    value = row[key]
    return ", ".join(value) or "-" if isinstance(value, list) else str(value)
