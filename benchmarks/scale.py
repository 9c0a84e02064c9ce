"""Many cases at a time: how near a suite comes to the ideal, what a case costs, and how memory grows."""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from math import ceil
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TypeAlias
from urllib.request import urlopen

from attrs import frozen

from benchmarks.measuring import MIB, Contender, Spent, Target, conclude, give_up, ratio, show, spend
from benchmarks.overhead import recorded
from benchmarks.serving import server
from benchmarks.suites import environment, write_suite
from tests.project import GKO, Project

DELAY_SECS = 0.05

STEADY = {16: 0.93, 64: 0.75}
"""The least share of the ideal, by how many are in flight."""

MOST_TIMES = 2.0
MOST_MIB = 114.4  # 120 MB
MOST_KIB = 1.0

PLAN, RUN = "gko config test --list", "gko config test --jobs 16"
WHOLE = {PLAN: ("--list",), RUN: ("--jobs", "16")}

HERE = Path(__file__).parent

BARE = "bare aiohttp loop"
OURS = "gko config test"
FASTEST = "bare pycurl loop"


@frozen
class Round:
    """What a process cost, what the server saw of it, and what the process cost with a single case."""

    spent: Spent
    start: Spent
    requests: int
    connections: int
    most_in_flight: int
    secs: float
    """From the first request to the last answer."""

    @property
    def cpu_secs(self) -> float:
        """The CPU of all cases but one; that of starting up is left out."""
        return self.spent.cpu_secs - self.start.cpu_secs


Contenders: TypeAlias = Mapping[str, tuple[Contender, Contender]]
"""Of each, a run of all cases and one of a single case."""


def main() -> None:
    """Measure, print a table for each number of places, and exit with 1 where a target is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--many", type=int, default=20_000, help="cases of the suite whose memory is measured")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    targets: list[Target] = []
    with TemporaryDirectory() as folder:
        for places, least in STEADY.items():
            targets += waiting(Path(folder) / f"{places}", options.cases, places, options.rounds, least)
        targets += memory(Path(folder) / "many", options.many)
    conclude(targets)


def waiting(folder: Path, cases: int, places: int, rounds: int, least: float) -> list[Target]:
    """Compare suites that wait for a server with loops that do nothing else."""
    with server(DELAY_SECS) as url:
        turns = take_turns(contenders(folder, url, cases, places), url, rounds)
    ideal = ceil(cases / places) * DELAY_SECS
    for name, each in turns.items():
        check(name, each, cases, places)
    print(f"{cases} cases, {DELAY_SECS * 1000:.0f} ms an answer, {places} in flight: the ideal is {ideal:.2f} s\n")
    bare = cpus(turns[BARE])
    show(
        ("", "once running s", "of the ideal", "wall s", "CPU us a case", "CPU"),
        [row(name, each, ideal, cases, bare) for name, each in turns.items()],
    )
    ours = turns[OURS]
    steady = median(ideal / each.secs for each in ours)
    missing = Target(f"share of the ideal lost, {places} in flight", 1 - steady, round(1 - least, 2), "")
    return [missing, Target(f"CPU against the bare loop, {places} in flight", ratio(cpus(ours), bare), MOST_TIMES, "x")]


def contenders(folder: Path, url: str, cases: int, places: int) -> Contenders:
    """Return suites and bare loops, all with the same requests."""
    many = sized(folder / "many", url, cases, places)
    one = sized(folder / "one", url, 1, places)
    return {name: (many[name], one[name]) for name in many}


def sized(folder: Path, url: str, cases: int, places: int) -> Mapping[str, Contender]:
    """Return a suite of so many cases, and bare loops."""
    bodies = folder.with_suffix(".jsonl")
    requests = recorded(folder, cases)
    bodies.write_bytes(b"\n".join(requests))
    environ = environment(write_suite(folder, cases, url))
    post = (f"{url}/v1/chat/completions", bodies, str(places))
    found: dict[str, Contender] = {
        BARE: partial(spend, (sys.executable, HERE / "bare_loop.py", *post), folder, environ),
        OURS: partial(spend, (GKO, "config", "test", "--jobs", str(places)), folder, environ),
    }
    if find_spec("pycurl") is None:
        print("the fastest client is left out: pip install pycurl\n")
    else:
        found[FASTEST] = partial(spend, (sys.executable, HERE / "bare_curl.py", *post), folder, environ)
    return found


def take_turns(contenders: Contenders, url: str, rounds: int) -> Mapping[str, Sequence[Round]]:
    """Let every contender run once a round, after a round that does not count."""
    turns: dict[str, list[Round]] = {name: [] for name in contenders}
    for number in range(rounds + 1):
        for name, (many, one) in contenders.items():
            start = one()
            counters(url)
            spent = many()
            if number:
                turns[name].append(Round(spent, start, **counters(url)))
    return turns


def counters(url: str) -> dict[str, int]:
    """Return what the server has seen, and have it begin anew."""
    with urlopen(f"{url}/counters") as answer:
        seen: dict[str, int] = json.load(answer)
    return seen


def check(name: str, rounds: Sequence[Round], cases: int, places: int) -> None:
    """Give up where a contender did something else than was asked for."""
    for each in rounds:
        if (each.requests, each.connections, each.most_in_flight) != (cases, places, places):
            give_up(
                f"{name}: {each.requests} requests, {each.connections} connections, {each.most_in_flight} in flight"
            )


def row(name: str, rounds: Sequence[Round], ideal: float, cases: int, bare: Sequence[float]) -> Sequence[str]:
    """Return a row of the table."""
    return (
        name,
        f"{median(each.secs for each in rounds):.2f}",
        f"{median(ideal / each.secs for each in rounds):.3f}",
        f"{median(each.spent.wall_secs for each in rounds):.2f}",
        f"{median(cpus(rounds)) / cases * 1e6:.0f}",
        f"{ratio(cpus(rounds), bare):.2f}x",
    )


def cpus(rounds: Sequence[Round]) -> list[float]:
    """Return the seconds of CPU of each round, start-up left out."""
    return [each.cpu_secs for each in rounds]


def memory(folder: Path, many: int) -> list[Target]:
    """Measure the peak of a suite of many cases, and what a further passed case adds to that of its plan."""
    sizes = (many // 4, many)
    with server(0.0) as url:
        projects = [write_suite(folder / f"{count}", count, url) for count in sizes]
        peaks = {what: [peak(project, *options) for project in projects] for what, options in WHOLE.items()}
    growth = {what: (high - low) * MIB / 1024 / (sizes[1] - sizes[0]) for what, (low, high) in peaks.items()}
    show(
        ("peak MiB", *(f"{count} cases" for count in sizes), "KiB a further case"),
        [(what, f"{low:.0f}", f"{high:.0f}", f"{growth[what]:.2f}") for what, (low, high) in peaks.items()],
    )
    planned, run = growth.values()
    return [
        Target(f"peak of {many} cases", max(peaks[RUN]), MOST_MIB, " MiB"),
        Target("what a passed case adds to its plan", run - planned, MOST_KIB, " KiB"),
    ]


def peak(project: Project, *options: str) -> float:
    """Return the peak memory of one suite, in MiB."""
    return spend((GKO, "config", "test", *options), project.folder, environment(project)).peak_mib


if __name__ == "__main__":
    main()
