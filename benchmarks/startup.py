"""How long it takes until gko has said something, next to a bare interpreter and to the imports that it needs."""

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.measuring import Spent, Target, Turns, conclude, middle, ratio, show, spend, take_turns
from benchmarks.serving import server
from benchmarks.suites import CLASSIFY, environment, write_suite
from tests.project import GKO

BARE = "python -c pass"
VERSION = "gko --version"

EMPTY = "gko --help, nothing configured"
FEW = "gko --help, 2 commands"
MANY = "gko --help, 202 commands"

MOST_TIMES = 2.0
MORE_COMMANDS = 200
MOST_MS_A_COMMAND = 0.4


def main() -> None:
    """Measure, print a table, and exit with 1 where a target is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.startup", description=__doc__)
    parser.add_argument("--rounds", type=int, default=21)
    options = parser.parse_args()
    with TemporaryDirectory() as folder, server(0.0) as url:
        few, many = (write_suite(Path(folder) / name, 1, url) for name in ("few", "many"))
        for number in range(MORE_COMMANDS):
            many.write(f"commands/group-{number % 10}/command-{number}.md", CLASSIFY)
        environ = environment(few)
        folders = {EMPTY: Path(folder), FEW: few.folder, MANY: many.folder}
        calls: dict[str, tuple[str | Path, ...]] = {
            BARE: (sys.executable, "-c", "pass"),
            VERSION: (GKO, "--version"),
            "import click, attrs": (sys.executable, "-c", "import click, attrs"),
            **dict.fromkeys(folders, (GKO, "--help")),
            "gko config test --help": (GKO, "config", "test", "--help"),
            "import click, cattrs, jsonschema": (sys.executable, "-c", "import click, cattrs, jsonschema"),
            "gko config test --dry-run, 1 case": (GKO, "config", "test", "--dry-run"),
            "the same imports, and aiohttp": (sys.executable, "-c", "import click, cattrs, jsonschema, aiohttp"),
            "gko config test, 1 case": (GKO, "config", "test"),
        }
        contenders = {
            name: partial(spend, call, folders.get(name, few.folder), environ) for name, call in calls.items()
        }
        turns = take_turns(contenders, options.rounds)
    report(turns)


def report(turns: Turns) -> None:
    """Print what each call costs, and whether the shortest is short enough, and what a command more adds to help."""
    bare = turns[BARE]
    show(("", "wall ms", "CPU ms", "peak MiB", "ratio"), [row(name, spent, bare) for name, spent in turns.items()])
    conclude(
        [
            Target(f"{VERSION} against {BARE}", wall_ratio(turns[VERSION], bare), MOST_TIMES, "x"),
            Target("a command more in gko --help", ms_a_command(turns), MOST_MS_A_COMMAND, " ms"),
        ]
    )


def ms_a_command(turns: Turns) -> float:
    """Return what each further command adds to the help, the median of the rounds."""
    added = (many.wall_secs - few.wall_secs for many, few in zip(turns[MANY], turns[FEW], strict=True))
    return median(added) * 1000 / MORE_COMMANDS


def row(name: str, spent: Sequence[Spent], bare: Sequence[Spent]) -> Sequence[str]:
    """Return a row of the table."""
    typical = middle(spent)
    milliseconds = (f"{typical.wall_secs * 1e3:.0f}", f"{typical.cpu_secs * 1e3:.0f}")
    return (name, *milliseconds, f"{typical.peak_mib:.0f}", f"{wall_ratio(spent, bare):.1f}x")


def wall_ratio(ours: Sequence[Spent], theirs: Sequence[Spent]) -> float:
    """Return how many times theirs ours took."""
    return ratio([each.wall_secs for each in ours], [each.wall_secs for each in theirs])


if __name__ == "__main__":
    main()
