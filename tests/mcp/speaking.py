"""The client of the official SDK, in a project whose commands are its tools."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from attrs import frozen
from mcp import Client, StdioServerParameters, types
from mcp.client.stdio import stdio_client

from tests.project import GKO, Project

T = TypeVar("T")


@frozen
class Said:
    """What came of one call of a tool."""

    text: str
    structured: Any = None
    is_error: bool = False


@frozen
class Speaker:
    """A session with `gko mcp serve`."""

    client: Client

    async def tools(self) -> dict[str, types.Tool]:
        """Return the tools that are offered, by name."""
        return {tool.name: tool for tool in (await self.client.list_tools()).tools}

    async def call(self, name: str, **given: Any) -> Said:
        """Call a tool; `text="…"` stands for `mcp.input`, which Python has no name for."""
        arguments = {"mcp.input" if key == "text" else key: value for key, value in given.items()}
        result = await self.client.call_tool(name, arguments)
        (content,) = result.content
        assert isinstance(content, types.TextContent)
        return Said(content.text, result.structured_content, result.is_error)


@asynccontextmanager
async def speaker(project: Project, mode: str = "auto") -> AsyncIterator[Speaker]:
    """Start `gko mcp serve` in a project, and yield who speaks to it; what it writes to stderr is kept in a file."""
    program = StdioServerParameters(
        command=str(GKO), args=["mcp", "serve"], env=project.environment(), cwd=project.folder
    )
    with (project.folder / "stderr.txt").open("w") as errors:
        async with Client(stdio_client(program, errors), mode=mode) as client:
            yield Speaker(client)


def stderr(project: Project) -> str:
    """Return what the last session wrote to stderr."""
    return (project.folder / "stderr.txt").read_text()


def speak(project: Project, scene: Callable[[Speaker], Awaitable[T]], mode: str = "auto") -> T:
    """Play a scene with `gko mcp serve` to its end, and return what it returns."""

    async def play() -> T:
        async with speaker(project, mode) as speaking:
            return await scene(speaking)

    return asyncio.run(play())


def tools(project: Project) -> dict[str, types.Tool]:
    """Return the tools of a project, by name."""
    return speak(project, Speaker.tools)


def call(project: Project, name: str, **given: Any) -> Said:
    """Call one tool of a project."""
    return speak(project, lambda speaking: speaking.call(name, **given))
