"""Tools that the embedded model answers."""

import asyncio
import os
from pathlib import Path

from tests.mcp.speaking import Said, Speaker, speak
from tests.project import JSON_OUTPUT, Project
from tests.test_embedded import local
from tests.test_signals import lives

SCHEMA = '{"type": "object", "properties": {"word": {"const": "xylophone"}}, "required": ["word"]}'


def engines() -> set[int]:
    """Return the engines that descend from this process."""
    return {pid for pid in _descendants(os.getpid()) if b"engine_child" in Path(f"/proc/{pid}/cmdline").read_bytes()}


def _descendants(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").iterdir()
    below = [int(child) for task in tasks for child in (task / "children").read_text().split()]
    return below + [further for child in below for further in _descendants(child)]


def test_share_one_engine_that_ends_with_the_server(project: Project) -> None:
    local(project)
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
