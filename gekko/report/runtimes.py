"""The servers that gko can start, as rows, and what was done to one of them."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from gekko.plan.runtimes import port_of
from gekko.report.table import GAP, columns
from gekko.run.runtimes.lifecycle import Condition, Runtimes
from gekko.run.runtimes.records import ContainerMark, Mark, ProcessMark, Record

HEADER = ("MODEL", "BACKEND", "STATE", "PID", "PORT", "STARTED")


def condition_row(condition: Condition, runtimes: Runtimes) -> dict[str, object]:
    """Return the row of one model; what a server that does not run has not is null."""
    record = condition.record
    mark = record.server if record else None
    return {
        "model": condition.service.model,
        "backend": condition.service.id,
        "state": condition.state,
        "pid": mark.pid if isinstance(mark, ProcessMark) else None,
        "container": mark.name if isinstance(mark, ContainerMark) else None,
        "port": port_of(record.url if record else condition.service.url),
        "started": record.started if record else None,
        "log": str(runtimes.files(condition.service).log),
        "message": condition.problem,
    }


def condition_table(conditions: Iterable[Condition]) -> str:
    """Return the models with their servers, as a table; why one takes no requests stands under its row."""
    conditions = list(conditions)
    table = columns([HEADER, *(_cells(condition) for condition in conditions)])
    lines = [GAP.join(next(table)).rstrip()]
    for condition, cells in zip(conditions, table, strict=True):
        lines.append(GAP.join(cells).rstrip())
        lines += (f"  {line}" for line in condition.problem.splitlines())
    return "".join(f"{line}\n" for line in lines)


def told(model: str, what: str, record: Record) -> str:
    """Return one line: "fast: running at http://127.0.0.1:8080 (pid 1234)"."""
    return f"{model}: {what} at {record.url} ({_named(record.server)})\n"


def _cells(condition: Condition) -> Sequence[str]:
    record = condition.record
    pid = str(record.server.pid) if record and isinstance(record.server, ProcessMark) else "-"
    port = str(port_of(record.url if record else condition.service.url))
    # People think in the time of their wall, programs get UTC.
    started = f"{datetime.fromisoformat(record.started).astimezone():%Y-%m-%d %H:%M:%S}" if record else "-"
    return condition.service.model, condition.service.id, condition.state, pid, port, started


def _named(mark: Mark) -> str:
    match mark:
        case ProcessMark(pid=pid):
            return f"pid {pid}"
        case ContainerMark(name=name):
            return f"container {name}"
