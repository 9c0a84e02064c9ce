"""What a case costs with a model that answers at once, next to a bare loop that sends the same with the same client."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NoReturn

from attrs import frozen

from benchmarks.measuring import Contender, Spent, Target, conclude, give_up, ratio, show, spend, take_turns
from benchmarks.serving import server
from benchmarks.suites import ANSWER, environment, write_suite
from tests.project import GKO
from tests.stub_server import StubServer

MOST_TIMES = 2.0

BARE_LOOP = Path(__file__).with_name("bare_loop.py")

BARE = "bare aiohttp loop"
CHECK = "gko, read and check alone"
WHOLE = "gko, from file to verdict"
ADDED = "what gko adds to the loop"


@frozen
class PerCase:
    """What one more case costs, once a process has started."""

    wall_secs: float
    cpu_secs: float

    def __sub__(self, other: "PerCase") -> "PerCase":
        return PerCase(self.wall_secs - other.wall_secs, self.cpu_secs - other.cpu_secs)


def main() -> None:
    """Measure, print a table, and exit with 1 where a target is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.overhead", description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    with TemporaryDirectory() as folder, server(0.0) as url:
        many = contenders(Path(folder) / "many", url, options.cases)
        one = contenders(Path(folder) / "one", url, 1)
        turns = take_turns({**labelled("many", many), **labelled("one", one)}, options.rounds)
    report({name: per_case(turns[f"{name}, many"], turns[f"{name}, one"], options.cases) for name in many})


def contenders(folder: Path, url: str, cases: int) -> Mapping[str, Contender]:
    """Return a run of the bare loop and two of gko, all with the same requests."""
    bodies = folder.with_suffix(".jsonl")
    bodies.write_bytes(b"\n".join(recorded(folder, cases)))
    environ = environment(write_suite(folder, cases, url))
    test = (GKO, "config", "test", "--json")
    return {
        BARE: partial(spend, (sys.executable, BARE_LOOP, f"{url}/v1/chat/completions", bodies, "1"), folder, environ),
        CHECK: partial(spend, (*test, "--dry-run"), folder, environ),
        WHOLE: partial(spend, test, folder, environ),
    }


def recorded(folder: Path, cases: int) -> Sequence[bytes]:
    """Return the bodies that gko sends; none of them holds a line end."""
    with StubServer() as stub:
        stub.say(ANSWER)
        done = write_suite(folder, cases, stub.url).gko("config", "test")
        bodies = [received.body for received in stub.requests]
    if done.exit_code != 0 or len(bodies) != cases:
        give_up(f"{cases} cases made {len(bodies)} requests, and gko ended with {done.exit_code}: {done.stderr}")
    return bodies


def labelled(size: str, contenders: Mapping[str, Contender]) -> Mapping[str, Contender]:
    """Return the contenders under names that say how many cases they have."""
    return {f"{name}, {size}": run for name, run in contenders.items()}


def per_case(many: Sequence[Spent], one: Sequence[Spent], cases: int) -> Sequence[PerCase]:
    """Return what a case cost in each round, beyond the start of the process."""
    more = cases - 1
    return [
        PerCase((all_of_it.wall_secs - start.wall_secs) / more, (all_of_it.cpu_secs - start.cpu_secs) / more)
        for all_of_it, start in zip(many, one, strict=True)
    ]


def report(rounds: Mapping[str, Sequence[PerCase]]) -> NoReturn:
    """Print what a case costs, and whether what gko adds is little enough."""
    bare = rounds[BARE]
    added = [whole - loop for whole, loop in zip(rounds[WHOLE], bare, strict=True)]
    show(
        ("", "wall us a case", "CPU us a case", "wall", "CPU"),
        [row(name, each, bare) for name, each in (*rounds.items(), (ADDED, added))],
    )
    conclude([Target("overhead per case against the bare loop", ratio(walls(added), walls(bare)), MOST_TIMES, "x")])


def row(name: str, each: Sequence[PerCase], bare: Sequence[PerCase]) -> Sequence[str]:
    """Return a row of the table."""
    return (
        name,
        f"{median(walls(each)) * 1e6:.0f}",
        f"{median(cpus(each)) * 1e6:.0f}",
        f"{ratio(walls(each), walls(bare)):.2f}x",
        f"{ratio(cpus(each), cpus(bare)):.2f}x",
    )


def walls(rounds: Sequence[PerCase]) -> list[float]:
    """Return the seconds that passed, of each round."""
    return [each.wall_secs for each in rounds]


def cpus(rounds: Sequence[PerCase]) -> list[float]:
    """Return the seconds of CPU, of each round."""
    return [each.cpu_secs for each in rounds]


if __name__ == "__main__":
    main()
