"""Many cases at a time: how near a suite comes to the ideal, what a case costs, and how memory grows."""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from math import ceil
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from urllib.request import urlopen

from attrs import frozen

from benchmarks.measuring import MIB, Spent, Target, conclude, give_up, ratio, show, spend
from benchmarks.overhead import recorded
from benchmarks.serving import server
from benchmarks.suites import environment, write_suite
from tests.project import GKO

DELAY_SECS = 0.05

STEADY = {16: 0.93, 64: 0.75}
"""The least share of the ideal, by how many are in flight."""

MOST_TIMES = 2.0
MOST_MIB = 120

HERE = Path(__file__).parent


@frozen
class Round:
    """What a process cost, and what the server saw of it."""

    spent: Spent
    requests: int
    connections: int
    most_in_flight: int
    secs: float
    """From the first request to the last answer."""


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
    bare = cpus(turns["bare aiohttp loop"])
    show(
        ("", "once running s", "of the ideal", "wall s", "CPU us a case", "CPU"),
        [row(name, each, ideal, cases, bare) for name, each in turns.items()],
    )
    ours = turns["gko config test"]
    steady = median(ideal / each.secs for each in ours)
    missing = Target(f"share of the ideal lost, {places} in flight", 1 - steady, round(1 - least, 2), "")
    return [missing, Target(f"CPU against the bare loop, {places} in flight", ratio(cpus(ours), bare), MOST_TIMES, "x")]


def contenders(folder: Path, url: str, cases: int, places: int) -> Mapping[str, "partial[Spent]"]:
    """Return a suite and bare loops, all with the same requests; and a suite of one case, to tell start-up."""
    bodies = folder.with_suffix(".jsonl")
    bodies.write_bytes(b"\n".join(recorded(folder, cases)))
    environ = environment(write_suite(folder, cases, url))
    post = (f"{url}/v1/chat/completions", bodies, str(places))
    found = {
        "bare aiohttp loop": partial(spend, (sys.executable, HERE / "bare_loop.py", *post), folder, environ),
        "gko config test": partial(spend, (GKO, "config", "test", "--jobs", str(places)), folder, environ),
    }
    try:
        import pycurl  # noqa: F401
    except ImportError:
        print("the fastest client is left out: pip install pycurl\n")
    else:
        found["bare pycurl loop"] = partial(spend, (sys.executable, HERE / "bare_curl.py", *post), folder, environ)
    return found


def take_turns(contenders: Mapping[str, "partial[Spent]"], url: str, rounds: int) -> Mapping[str, Sequence[Round]]:
    """Let every contender run once a round, after a round that does not count."""
    turns: dict[str, list[Round]] = {name: [] for name in contenders}
    for number in range(rounds + 1):
        for name, run in contenders.items():
            counters(url)
            spent = run()
            if number:
                turns[name].append(Round(spent, **counters(url)))
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
    """Return the seconds of CPU of each round, start-up included."""
    return [each.spent.cpu_secs for each in rounds]


def memory(folder: Path, many: int) -> list[Target]:
    """Measure the peak of a suite of many cases, and what a further passed case adds to it."""
    with server(0.0) as url:
        peaks = {count: peak(folder / f"{count}", url, count) for count in (many // 4, many)}
    (fewer, low), (more, high) = peaks.items()
    growth = (high - low) * MIB / 1024 / (more - fewer)
    show(
        ("", "peak MiB"), [(f"gko config test --jobs 16, {count} cases", f"{mib:.0f}") for count, mib in peaks.items()]
    )
    print(f"a further case adds {growth:.2f} KiB: its plan, and its row\n")
    return [Target(f"peak of {many} cases", high, MOST_MIB, " MiB")]


def peak(folder: Path, url: str, cases: int) -> float:
    """Return the peak memory of one suite, in MiB."""
    project = write_suite(folder, cases, url)
    return spend((GKO, "config", "test", "--jobs", "16"), folder, environment(project)).peak_mib


if __name__ == "__main__":
    main()
