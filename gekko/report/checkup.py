"""What a check of the configuration found, as rows."""

from collections.abc import Sequence

from gekko.plan.checkup import Finding
from gekko.report.table import GAP, GREEN, RED, Paint, columns


def finding_row(finding: Finding) -> dict[str, object]:
    """Return the row of one finding."""
    return {
        "kind": finding.kind,
        "label": finding.label,
        "status": "ok" if finding.is_ok else "failed",
        "message": finding.message,
    }


def finding_table(findings: Sequence[Finding], paint: Paint) -> str:
    """Return the findings as a table, the message of a failed one under its row."""
    lines: list[str] = []
    cells = [("ok" if each.is_ok else "failed", each.kind, each.label) for each in findings]
    for finding, (status, kind, label) in zip(findings, columns(cells), strict=True):
        lines.append(GAP.join((paint(status, GREEN if finding.is_ok else RED), kind, label)).rstrip())
        lines += (f"  {line}" for line in finding.message.splitlines())
    return "".join(f"{line}\n" for line in lines)
