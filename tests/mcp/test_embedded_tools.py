"""Tools that the embedded model answers."""

import asyncio
import os
import signal
from functools import partial
from pathlib import Path

from tests.mcp.speaking import Said, Speaker, speak
from tests.processes import lives, until
from tests.project import JSON_OUTPUT, Project

SCHEMA = '{"type": "object", "properties": {"word": {"const": "xylophone"}}, "required": ["word"]}'


def engines() -> set[int]:
    """Return the engines that descend from this process."""
    return {pid for pid in _descendants(os.getpid()) if b"engine_child" in Path(f"/proc/{pid}/cmdline").read_bytes()}


def _descendants(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").iterdir()
    below = [int(child) for task in tasks for child in (task / "children").read_text().split()]
    return below + [further for child in below for further in _descendants(child)]


def _has_no_thread_left(pid: int) -> bool:
    """Tell whether a process has ended altogether: its first thread is listed until the parent takes note."""
    return not lives(pid) and len(list(Path(f"/proc/{pid}/task").iterdir())) == 1


def test_share_one_engine_that_ends_with_the_server(project: Project) -> None:
    project.embedded()
    project.write("schemas/odd.json", SCHEMA)
    project.command("say", f'model = "small"\n{JSON_OUTPUT}schema = "odd"\n', "Say a word: {{ input }}")

    async def scene(speaker: Speaker) -> tuple[list[Said], set[int]]:
        assert engines() == set()
        said = await asyncio.gather(*(speaker.call("say", text=text) for text in ("one", "two", "three")))
        return list(said), engines()

    said, running = speak(project, scene)

    assert said == [Said('{"word":"xylophone"}', {"word": "xylophone"})] * 3
    assert len(running) == 1
    assert not any(lives(pid) for pid in running)


def test_are_answered_by_another_engine_once_the_first_has_died(project: Project) -> None:
    project.embedded()
    project.command("say", 'model = "small"\n[output]\nmax_lines = 99\n', "Say a word: {{ input }}")

    async def scene(speaker: Speaker) -> tuple[list[Said], list[set[int]]]:
        said, running = [await speaker.call("say", text="one")], [engines()]
        for pid in running[0]:
            os.kill(pid, signal.SIGKILL)
            await asyncio.to_thread(until, partial(_has_no_thread_left, pid))
        said.append(await speaker.call("say", text="one"))
        return said, [*running, engines()]

    said, (first, second) = speak(project, scene)

    assert said[0] == said[1]
    assert not said[0].is_error
    assert (len(first), len(second), first & second) == (1, 1, set())
