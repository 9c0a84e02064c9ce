"""What processes cost, taken in turns: so a slow minute of the machine hits every contender."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import NoReturn, TypeAlias

from attrs import frozen

MIB = 1024 * 1024


@frozen
class Spent:
    """What a process cost. *peak_mib* is never less than what this process itself holds when it starts another."""

    wall_secs: float
    cpu_secs: float
    peak_mib: float


Contender: TypeAlias = Callable[[], Spent]
Turns: TypeAlias = Mapping[str, Sequence[Spent]]
"""What each contender spent in each round."""


@frozen
class Target:
    """A figure that has to stay at or below a limit."""

    what: str
    found: float
    limit: float
    unit: str

    @property
    def is_met(self) -> bool:
        """Whether it does."""
        return self.found <= self.limit

    def __str__(self) -> str:
        verdict = "met" if self.is_met else "MISSED"
        return f"{verdict}: {self.what}: {self.found:.2f}{self.unit}, at most {self.limit:g}{self.unit}"


def spend(argv: Sequence[str | Path], folder: Path, environ: Mapping[str, str]) -> Spent:
    """Run a process to its end; one that fails ends the benchmark."""
    started = perf_counter()
    process = subprocess.Popen(argv, cwd=folder, env=dict(environ), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall_secs = perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        give_up(f"{' '.join(map(str, argv))} ended with {process.returncode}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Spent(wall_secs, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit / MIB)


def take_turns(contenders: Mapping[str, Contender], rounds: int) -> Turns:
    """Let every contender run once a round, after a round that does not count: it fills caches."""
    for run in contenders.values():
        run()
    turns: dict[str, list[Spent]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, run in contenders.items():
            turns[name].append(run())
    return turns


def middle(spent: Iterable[Spent]) -> Spent:
    """Return the median of each figure."""
    rounds = list(spent)
    return Spent(
        median(each.wall_secs for each in rounds),
        median(each.cpu_secs for each in rounds),
        median(each.peak_mib for each in rounds),
    )


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Return the median of the ratios of each round, whose two figures saw the same machine."""
    return median(our / their for our, their in zip(ours, theirs, strict=True))


def show(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table in Markdown, all columns but the first aligned right."""
    cells = [header, *rows]
    widths = [max(len(row[index]) for row in cells) for index in range(len(header))]
    lines = ["| " + " | ".join(_aligned(row, widths)) + " |" for row in cells]
    rule = "| " + " | ".join(
        "-" * width if index == 0 else "-" * (width - 1) + ":" for index, width in enumerate(widths)
    )
    print("\n".join((lines[0], rule + " |", *lines[1:])), end="\n\n")


def conclude(targets: Sequence[Target]) -> NoReturn:
    """Print which targets are met, and exit with 1 unless all are."""
    print("\n".join(map(str, targets)))
    raise SystemExit(0 if all(target.is_met for target in targets) else 1)


def give_up(problem: str) -> NoReturn:
    """End the benchmark: what it measured would mean nothing."""
    raise SystemExit(f"error: {problem}")


def _aligned(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    first, *rest = (
        cell.ljust(width) if index == 0 else cell.rjust(width)
        for index, (cell, width) in enumerate(zip(row, widths, strict=True))
    )
    return [first, *rest]
