"""What a case costs beyond its request, next to a bare loop that sends the same requests with the same client."""

import argparse
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from attrs import frozen

from benchmarks.measuring import Spent, Target, Turns, conclude, give_up, middle, ratio, show, spend, take_turns
from benchmarks.suites import ANSWER, environment, write_suite
from tests.project import GKO
from tests.stub_server import StubServer

MOST_TIMES = 2.0

GKO_CALL = (GKO, "config", "test", "--json")
BARE_LOOP = Path(__file__).with_name("bare_loop.py")
OURS, BARE = "gko config test", "bare aiohttp loop"


@frozen
class PerCase:
    """What one more case costs, once a process has started."""

    wall_secs: float
    cpu_secs: float


def main() -> None:
    """Measure, print a table, and exit with 1 where a target is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.overhead", description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    with TemporaryDirectory() as folder, server() as url:
        contenders = {
            **of_size("many", Path(folder) / "many", url, options.cases),
            **of_size("one", Path(folder) / "one", url, 1),
        }
        report(take_turns(contenders, options.rounds), options.cases)


def of_size(size: str, folder: Path, url: str, cases: int) -> "Mapping[str, partial[Spent]]":
    """Return a run of gko and one of the bare loop, each with that many cases."""
    bodies = folder.with_suffix(".jsonl")
    bodies.write_bytes(b"\n".join(recorded(folder, cases)))
    project = write_suite(folder, cases, url)
    environ = environment(project)
    bare = (sys.executable, BARE_LOOP, f"{url}/v1/chat/completions", bodies)
    return {
        f"{OURS}, {size}": partial(spend, GKO_CALL, folder, environ),
        f"{BARE}, {size}": partial(spend, bare, folder, environ),
    }


def recorded(folder: Path, cases: int) -> Sequence[bytes]:
    """Return the bodies that gko sends; none of them holds a line end."""
    with StubServer() as stub:
        stub.say(ANSWER)
        project = write_suite(folder, cases, stub.url)
        done = project.gko(*GKO_CALL[1:])
        bodies = [received.body for received in stub.requests]
    if done.exit_code != 0 or len(bodies) != cases:
        give_up(f"{cases} cases made {len(bodies)} requests: {done.stderr}")
    return bodies


@contextmanager
def server() -> Iterator[str]:
    """Run the server in a process of its own, and yield its URL."""
    with subprocess.Popen(
        [sys.executable, "-m", "benchmarks.server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.communicate()  # the end of its input is the end of the server


def report(turns: Turns, cases: int) -> None:
    """Print what a case costs, and whether that is little enough."""
    ours, bare = ([per_case(pair, cases) for pair in pairs(turns, name)] for name in (OURS, BARE))
    walls = [each.wall_secs for each in bare]
    cpus = [each.cpu_secs for each in bare]
    wall_times = ratio([each.wall_secs for each in ours], walls)
    cpu_times = ratio([each.cpu_secs for each in ours], cpus)
    rows = [
        row(BARE, turns, bare, 1.0, 1.0),
        row(OURS, turns, ours, wall_times, cpu_times),
    ]
    show(("", "one case s", "wall us a case", "CPU us a case", "peak MiB", "wall", "CPU"), rows)
    conclude(
        [
            Target("wall per case against the bare loop", wall_times, MOST_TIMES, "x"),
            Target("CPU per case against the bare loop", cpu_times, MOST_TIMES, "x"),
        ]
    )


def pairs(turns: Turns, name: str) -> list[tuple[Spent, Spent]]:
    """Return what each round spent on many cases and on one."""
    return list(zip(turns[f"{name}, many"], turns[f"{name}, one"], strict=True))


def per_case(pair: tuple[Spent, Spent], cases: int) -> PerCase:
    """Return what a case costs beyond the start of the process."""
    many, one = pair
    more = cases - 1
    return PerCase((many.wall_secs - one.wall_secs) / more, (many.cpu_secs - one.cpu_secs) / more)


def row(name: str, turns: Turns, each: Sequence[PerCase], wall_times: float, cpu_times: float) -> Sequence[str]:
    """Return a row of the table."""
    typical = sorted(each, key=lambda one: one.wall_secs)[len(each) // 2]
    cpu_secs = sorted(one.cpu_secs for one in each)[len(each) // 2]
    return (
        name,
        f"{middle(turns[f'{name}, one']).wall_secs:.2f}",
        f"{typical.wall_secs * 1e6:.0f}",
        f"{cpu_secs * 1e6:.0f}",
        f"{middle(turns[f'{name}, many']).peak_mib:.0f}",
        f"{wall_times:.2f}x",
        f"{cpu_times:.2f}x",
    )


if __name__ == "__main__":
    main()
