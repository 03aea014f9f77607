"""The tools over the Model Context Protocol, on standard input and output."""

from __future__ import annotations

from typing import Any

from mcp import types
from mcp.server import Server
from mcp.server.stdio import stdio_server
from pydantic import ValidationError

from ovos_memory_bus import __version__
from ovos_memory_bus.client import AsyncMemoryClient
from ovos_memory_bus.errors import MemoryBusError
from ovos_memory_bus.tools.definitions import TOOLS

INSTRUCTIONS = "The memory of the user's voice assistant: what was said to it and what it was told to remember."
CHANGING = {"remember", "forget"}
_BY_NAME = {tool.name: tool for tool in TOOLS}


async def serve(client: AsyncMemoryClient) -> None:
    """Serve until standard input ends; every call is made in the session of `client`."""

    async def list_tools(_context: Any, _params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_described(name) for name in _BY_NAME])

    async def call_tool(_context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        return await _called(client, params.name, params.arguments or {})

    server: Server[Any] = Server(
        "ovos-memory-bus",
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def _described(name: str) -> types.Tool:
    tool = _BY_NAME[name]
    return types.Tool(
        name=name,
        description=tool.description,
        input_schema=tool.arguments.model_json_schema(),
        output_schema=tool.output.model_json_schema(mode="serialization"),
        annotations=types.ToolAnnotations(
            read_only_hint=name not in CHANGING, destructive_hint=name == "forget", open_world_hint=False
        ),
    )


async def _called(client: AsyncMemoryClient, name: str, arguments: dict[str, Any]) -> types.CallToolResult:
    """The tool's output, or what went wrong in words that a model can act on."""
    tool = _BY_NAME.get(name)
    if tool is None:
        return _failed(f"there is no tool {name!r}; there are {', '.join(_BY_NAME)}")
    try:
        options = tool.request(arguments)
        result = tool.result(await getattr(client, tool.method)(**options))
    except (ValidationError, MemoryBusError) as error:
        return _failed(str(error))
    text = types.TextContent(text=result.model_dump_json(exclude_none=True))
    return types.CallToolResult(content=[text], structured_content=result.model_dump(mode="json"))


def _failed(message: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=message)], is_error=True)
