"""The protocol itself: tools listed and called over two streams, and what becomes of a failure."""

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias, cast

from mcp import MCPError, types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from gekko._version import __version__
from gekko.errors import GekkoError
from gekko.mcp.streams import Lines, Outlet
from gekko.mcp.tools import Tool
from gekko.run.execute import Run
from gekko.wording import did_you_mean, joined

if TYPE_CHECKING:
    from anyio import AsyncFile
    from mcp.server.context import ServerRequestContext

Call: TypeAlias = Callable[[Tool, Mapping[str, object]], Awaitable[Run]]
"""Runs a tool with its arguments; raises GekkoError."""


async def serve(tools: Mapping[str, Tool], call: Call, lines: Lines, outlet: Outlet) -> None:
    """Speak MCP over two streams until the lines end; calls run side by side.

    Raises:
        OSError: nobody reads what is written.
    """
    speaker = server(tools, call)
    # The SDK asks no more of its files than these two have.
    streams = stdio_server(cast("AsyncFile[str]", lines), cast("AsyncFile[str]", outlet))
    try:
        async with streams as (reading, writing):
            await speaker.run(reading, writing, speaker.create_initialization_options())
    except BaseExceptionGroup as group:
        if (failures := group.subgroup(OSError)) is None:
            raise
        raise _first(failures) from None


def server(tools: Mapping[str, Tool], call: Call) -> Server:
    """Return what answers requests for *tools*."""
    listed = types.ListToolsResult(tools=[_listed(tool) for tool in tools.values()])

    async def list_tools(_: "ServerRequestContext", __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return listed

    async def call_tool(_: "ServerRequestContext", asked: types.CallToolRequestParams) -> types.CallToolResult:
        tool = tools.get(asked.name)
        if tool is None:
            near = did_you_mean(asked.name, tools)
            raise MCPError(types.INVALID_PARAMS, joined(f"no tool is called '{asked.name}'", near))
        try:
            run = await call(tool, asked.arguments or {})
        except GekkoError as error:
            return types.CallToolResult(content=[_text(f"{error.kind}: {error}")], is_error=True)
        return _answered(tool, run)

    return Server("gko", version=__version__, on_list_tools=list_tools, on_call_tool=call_tool)


def _listed(tool: Tool) -> types.Tool:
    command = tool.recipe.command
    return types.Tool(
        name=tool.name,
        title=" ".join(command.words),
        description=command.front.description or None,
        input_schema=dict(tool.input_schema),
        output_schema=None if tool.output_schema is None else dict(tool.output_schema),
        annotations=types.ToolAnnotations(read_only_hint=True),
    )


def _answered(tool: Tool, run: Run) -> types.CallToolResult:
    if tool.output_schema is None:
        return types.CallToolResult(content=[_text(run.printed)])
    return types.CallToolResult(content=[_text(run.printed)], structured_content=run.outcome.output)


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)


def _first(group: BaseException) -> BaseException:
    while isinstance(group, BaseExceptionGroup):
        group = group.exceptions[0]
    return group
