"""What the life of a server rests on: processes that are known again, and files that outlive gko."""

import asyncio
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from attrs import evolve

from gekko.errors import InputOutputError
from gekko.plan.runtimes import ProcessLaunch
from gekko.run.runtimes import records
from gekko.run.runtimes.process import start_process
from gekko.run.runtimes.processes import from_proc, from_ps, group_of, process
from gekko.run.runtimes.records import ContainerMark, Files, ProcessMark, Record, held
from tests.runtimes.served import LITTLE_SERVER, free_port, until

RECORD = Record(
    backend="a/b",
    root="/p",
    url="http://127.0.0.1:1",
    started="2026-01-01T00:00:00+00:00",
    settings="x",
    server=ProcessMark(pid=1, born="now"),
)


def test_a_process_is_known_by_number_and_beginning() -> None:
    found = process(os.getpid())

    assert found is not None
    assert (found.pid, found.group, found.has_ended) == (os.getpid(), os.getpgid(0), False)
    assert found == process(os.getpid())
    assert found != evolve(found, born="another time")


def test_a_process_that_ended_is_one_even_before_its_parent_takes_note() -> None:
    with subprocess.Popen(["true"]) as child:
        until(lambda: (found := process(child.pid)) is not None and found.has_ended)

    assert process(child.pid) is None


@pytest.mark.needs_program("ps", "procps")
@pytest.mark.skipif(not Path("/proc/self").exists(), reason="there is one way of asking here")
def test_both_ways_of_asking_say_the_same() -> None:
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as child:
        ways = [{(each.pid, each.group, each.has_ended) for each in ask()} for ask in (from_proc, from_ps)]
        born = [{each.born for each in from_ps() if each.pid == child.pid} for _ in range(2)]
        child.kill()

    assert all((child.pid, child.pid, False) in way for way in ways)
    assert born[0] == born[1]


def test_a_signal_meets_no_other_process_of_that_number() -> None:
    with subprocess.Popen(["sleep", "60"]) as child:
        found = process(child.pid)
        assert found is not None

        evolve(found, born="another time").signal(9)
        assert child.poll() is None

        found.signal(9)
        assert child.wait() == -9


def test_a_group_is_only_its_leader_s_while_that_one_bears_the_number() -> None:
    with subprocess.Popen(["sh", "-c", "sleep 60 & wait"], start_new_session=True) as child:
        leader = process(child.pid)
        assert leader is not None
        until(lambda: len(group_of(leader.pid, leader.born)) == 2)

        assert group_of(leader.pid, "another time") == ()
        for member in group_of(leader.pid, leader.born):
            member.signal(9)


def test_a_server_that_ignores_sigterm_is_killed_when_patience_ends(tmp_path: Path) -> None:
    launch = ProcessLaunch(
        Path(sys.executable), (str(LITTLE_SERVER), str(free_port()), "stubborn"), dict(os.environ), tmp_path
    )
    keeper = start_process(launch, Files(tmp_path, "stub"))
    until(lambda: b"pid" in (tmp_path / "stub.log").read_bytes())
    time.sleep(0.1)  # between its words and its deafness

    began = time.monotonic()
    asyncio.run(evolve(keeper, patience_secs=0.5).end())

    assert 0.4 < time.monotonic() - began < 3
    assert keeper.child is not None
    assert keeper.child.returncode == -9


@pytest.mark.parametrize("mark", [ProcessMark(pid=5, born="then"), ContainerMark(name="gko-x", id="abc")])
def test_a_record_survives_a_round_trip(tmp_path: Path, mark: records.Mark) -> None:
    record = evolve(RECORD, server=mark)
    files = Files(tmp_path, "stub")

    files.write(record)

    assert files.read() == record
    assert [path.name for path in tmp_path.iterdir()] == ["stub.json"]


def test_what_was_never_written_is_not_remembered(tmp_path: Path) -> None:
    assert Files(tmp_path / "none", "stub").read() is None


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"pid": 1}', "\xff"])
def test_a_file_that_is_no_record_is_named(tmp_path: Path, content: str) -> None:
    (tmp_path / "stub.json").write_text(content, "latin-1")

    with pytest.raises(InputOutputError, match=r"stub\.json: not a record"):
        Files(tmp_path, "stub").read()


def test_a_long_log_is_put_aside(tmp_path: Path) -> None:
    files = Files(tmp_path, "qwen2.5")
    files.log.write_bytes(b"x" * (records.LOG_BYTES + 1))

    with files.open_log() as log:
        log.write(b"new\n")

    assert files.log.read_bytes() == b"new\n"
    assert (tmp_path / "qwen2.5.log.1").stat().st_size == records.LOG_BYTES + 1


def test_the_tail_of_an_endless_log_is_bounded(tmp_path: Path) -> None:
    files = Files(tmp_path, "stub")
    files.log.write_bytes(b"x" * (2 * records.SHOWN_LOG_BYTES) + b"\nlast\n")

    assert files.log_tail(1) == b"last\n"
    assert len(files.log_tail(9)) == records.SHOWN_LOG_BYTES


def test_a_lock_lasts_for_the_block_and_is_waited_for(tmp_path: Path) -> None:
    files = Files(tmp_path, "stub")
    order: list[str] = []

    async def hold(name: str) -> None:
        async with held(files, "stub", lambda: order.append(f"{name} waits")):
            order.append(f"{name} in")
            await asyncio.sleep(0.1)
            order.append(f"{name} out")

    async def both() -> None:
        await asyncio.gather(hold("a"), hold("b"))

    asyncio.run(both())

    assert order == ["a in", "b waits", "a out", "b in", "b out"]
