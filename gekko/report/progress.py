"""How a suite gets on: one line for a terminal that is watched, and all that is in flight for whoever asks."""

from collections.abc import Iterator, Mapping
from typing import Final

from gekko.report.table import aligned_text, width
from gekko.suites.headway import Headway, Stage, UnderWay
from gekko.wording import counted, printable

ELLIPSIS: Final = "…"

SHORTEST_TITLE: Final = 8
"""What is cut to fewer columns names nothing."""

STAGES: Final[Mapping[Stage, str]] = {
    "place": "waiting for its turn",
    "engine": "waiting for the engine to start",
    "answer": "waiting for the answer",
    "retry": "waiting to be sent again",
    "verdict": "being judged",
}


def progress_line(headway: Headway, columns: int) -> str:
    """Return the counts, the time left, and what is under way, the oldest first: as much as fits into *columns*."""
    head = f"[{', '.join((f'{headway.done}/{headway.cases}', *_bad(headway), *_time_left(headway)))}] "
    return cut_to(head + _under_way(headway, columns - width(head)), columns).rstrip()


def status_text(headway: Headway) -> str:
    """Return the counts, and below them a line for each run that is in flight."""
    columns = zip(*(_cells(headway, run) for run in headway.under_way), strict=True)
    filled = [column for column in columns if any(column)]
    rows = [["", *row] for row in zip(*filled, strict=True)]
    return f"{status_headline(headway)}\n{aligned_text(rows)}"


def status_headline(headway: Headway) -> str:
    """Return the counts and the time left: "12 of 340 cases done, 2 failed, 16 in flight, ~3 min left"."""
    told = [f"{headway.done} of {counted(headway.cases, 'case')} done", *_bad(headway)]
    told += [f"{len(headway.under_way)} in flight", *_time_left(headway)]
    return ", ".join(told)


def status_facts(headway: Headway) -> dict[str, object]:
    """Return what `status_text` says, for a program."""
    left = headway.secs_left
    return {
        "cases": headway.cases,
        "done": headway.done,
        "failed": headway.failed,
        "errors": headway.errors,
        "secs_left": None if left is None else round(left),
        "in_flight": [_facts(headway, run) for run in headway.under_way],
    }


def rough_time(seconds: float) -> str:
    """Return a time as exactly as a guess can be: "40 s", "12 min", "3 h 5 min"."""
    if seconds < 120:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    if minutes < 120:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min"


def cut_to(text: str, columns: int) -> str:
    """Return *text*, or its beginning and "…" where it takes more than so many columns of a terminal."""
    if width(text) <= columns:
        return text
    kept = ""
    for char in text:
        if width(kept) + width(char) > columns - 1:
            break
        kept += char
    return kept + ELLIPSIS if columns > 0 else ""


def _bad(headway: Headway) -> Iterator[str]:
    if headway.failed:
        yield f"{headway.failed} failed"
    if headway.errors:
        yield f"{headway.errors} without an answer"


def _time_left(headway: Headway) -> Iterator[str]:
    if (left := headway.secs_left) is not None:
        yield f"~{rough_time(left)} left"


def _under_way(headway: Headway, columns: int) -> str:
    """Return as many of the runs under way as fit, and how many more there are."""
    runs = list(headway.under_way)
    fitting = ""
    for position, run in enumerate(runs):
        told = [fitting, f"{_title(headway, run)} {int(headway.age(run))} s"]
        text = ", ".join(filter(None, told))
        if width(text + _more(len(runs) - position - 1)) > columns:
            return fitting + _more(len(runs) - position) if fitting else _one_cut(headway, runs, columns)
        fitting = text
    return fitting


def _one_cut(headway: Headway, runs: list[UnderWay], columns: int) -> str:
    """Return the oldest run with its title cut: not even that fits."""
    end = f" {int(headway.age(runs[0]))} s{_more(len(runs) - 1)}"
    room = columns - width(end)
    return cut_to(_title(headway, runs[0]), room) + end if room >= SHORTEST_TITLE else ""


def _more(count: int) -> str:
    return f", +{count} more" if count else ""


def _title(headway: Headway, run: UnderWay) -> str:
    title = run.trial.title
    return f"{title} ({printable(run.trial.model)})" if headway.has_models else title


def _cells(headway: Headway, run: UnderWay) -> Iterator[str]:
    trial = run.trial
    yield trial.title
    yield printable(trial.model) if headway.has_models else ""
    yield f"run {run.index + 1} of {trial.runs}" if trial.runs > 1 else ""
    yield f"{headway.age(run):.1f} s"
    yield STAGES[run.stage] if run.stage is not None else ""


def _facts(headway: Headway, run: UnderWay) -> dict[str, object]:
    command, case, model = run.trial.address
    return {
        "command": command,
        "case": case,
        "model": model,
        "run": run.index,
        "runs": run.trial.runs,
        "secs": round(headway.age(run), 3),
        "stage": run.stage,
    }
