"""How long it takes to check and render ten thousand cases, next to merely reading and parsing their files."""

import argparse
import json
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measuring import Spent, Target, conclude, give_up, middle, ratio, show, spend, take_turns
from benchmarks.suites import environment, write_suite
from tests.project import GKO, Project

MOST_TIMES = 3.0
MOST_MIB = 100.0

GKO_CALL = (GKO, "config", "test", "--dry-run", "--json")
BARE_CALL = (sys.executable, Path(__file__).with_name("bare_parse.py"))


def main() -> None:
    """Measure, print a table, and exit with 1 where a target is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cases", description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        project = write_suite(Path(folder), options.cases)
        check_rows(project, options.cases)
        compare(project, options.cases, options.rounds)


def check_rows(project: Project, cases: int) -> None:
    """Make sure that what is measured is the whole work."""
    done = project.gko(*GKO_CALL[1:])
    rows = json.loads(done.stdout or "[]")
    if len(rows) != cases or not all(row["messages"] for row in rows):
        give_up(f"expected {cases} rendered cases, found {len(rows)}: {done.stderr}")


def compare(project: Project, cases: int, rounds: int) -> None:
    """Take the measurements, and print what they are."""
    environ = environment(project)
    folders = sorted((project.root / "tests" / "ticket").iterdir())
    turns = take_turns(
        {
            "read + tomllib": partial(spend, (*BARE_CALL, *folders), project.folder, environ),
            "gko config test --dry-run": partial(spend, GKO_CALL, project.folder, environ),
        },
        rounds,
    )
    bare, ours = turns.values()
    show(
        ("", "wall s", "CPU s", "us a case", "peak MiB", "ratio"),
        [_row(name, spent, bare, cases) for name, spent in turns.items()],
    )
    times = ratio([each.wall_secs for each in ours], [each.wall_secs for each in bare])
    conclude(
        [
            Target(f"{cases} cases against read + tomllib", times, MOST_TIMES, "x"),
            Target("memory", middle(ours).peak_mib, MOST_MIB, " MiB"),
        ]
    )


def _row(name: str, spent: Sequence[Spent], bare: Sequence[Spent], cases: int) -> tuple[str, ...]:
    typical = middle(spent)
    times = ratio([each.wall_secs for each in spent], [each.wall_secs for each in bare])
    return (
        name,
        f"{typical.wall_secs:.2f}",
        f"{typical.cpu_secs:.2f}",
        f"{typical.wall_secs / cases * 1e6:.0f}",
        f"{typical.peak_mib:.0f}",
        f"{times:.2f}x",
    )


if __name__ == "__main__":
    main()
