"""`MemoryToolBox`: the tools as an OVOS toolbox, in a persona's process or hosted on the bus (OVOS-TOOLS-1)."""

from __future__ import annotations

from typing import Any

from ovos_bus_client.message import Message
from ovos_plugin_manager.templates.agent_tools import AgentTool, ToolArguments, ToolBox, ToolOutput
from pydantic import BaseModel, ValidationError, create_model

from ovos_memory_bus.client import MemoryClient
from ovos_memory_bus.tools.definitions import TOOLS, Tool
from ovos_memory_bus.tools.own_bus import OwnBus

TOOLBOX_ID = "ovos-memory-bus-toolbox"
DISCOVER = "ovos.persona.tools.discover"
CALL = "ovos.persona.tools.call"
TIMEOUT = 5.0  # seconds for one call; the config key `timeout` overrides it


class MemoryToolBox(ToolBox):  # type: ignore[misc]  # ovos-plugin-manager has no types
    """Each call is made on behalf of the message that is being handled, so within its owner and scope.

    Without a bus of its own it connects to the configured one at the first call. Config: `timeout` in seconds.
    """

    def __init__(self, config: dict[str, Any] | None = None, bus: Any = None) -> None:
        self._own_bus = OwnBus()
        super().__init__(TOOLBOX_ID, config, bus)

    def bind(self, bus: Any) -> None:
        """Host the toolbox on `bus`: under the topic that names it in its data, and under its predecessor."""
        self.bus = bus
        bus.on(DISCOVER, self.handle_discover)
        bus.on(CALL, self.handle_addressed_call)
        bus.on(f"ovos.persona.tools.{self.toolbox_id}.call", self.handle_call)

    def discover_tools(self) -> list[AgentTool]:
        return [self._agent_tool(tool) for tool in TOOLS]

    def handle_discover(self, message: Message) -> None:
        """Answer with the definition of every tool."""
        self.refresh_tools()
        tools = [{**tool, "toolbox_id": self.toolbox_id} for tool in self.tool_json_list]
        self.bus.emit(message.response({"toolbox_id": self.toolbox_id, "tools": tools}))

    def handle_addressed_call(self, message: Message) -> None:
        """A call for one toolbox of many: those for others are not ours to answer, not even with an error."""
        if message.data.get("toolbox_id") == self.toolbox_id:
            self.handle_call(message)

    def handle_call(self, message: Message) -> None:
        """Run a tool and answer with exactly one of `result` and `error`."""
        kwargs = message.data.get("kwargs")
        try:
            result = self.call_tool(message.data.get("name"), {} if kwargs is None else kwargs)
            answer: dict[str, Any] = {"result": result.model_dump(mode="json")}
        except Exception as error:  # whatever it is, the caller waits for an answer
            answer = {"error": described(error)}
        self.bus.emit(message.response({"toolbox_id": self.toolbox_id, **answer}))

    def _agent_tool(self, tool: Tool) -> AgentTool:
        return AgentTool(
            name=tool.name,
            description=tool.description,
            argument_schema=_model(tool.arguments, ToolArguments),
            output_schema=_model(tool.output, ToolOutput),
            tool_call=lambda asked: self._run(tool, asked),
        )

    def _run(self, tool: Tool, asked: BaseModel) -> dict[str, Any]:
        client = MemoryClient(self.bus or self._own_bus.get(), float(self.config.get("timeout", TIMEOUT)))
        answer = getattr(client, tool.method)(**tool.options(asked))
        return tool.result(answer).model_dump()


def described(error: BaseException) -> str:
    """The class and the words of what went wrong at first: the plugin manager wraps it in errors of its own."""
    while error.__cause__ is not None:
        error = error.__cause__
    if isinstance(error, ValidationError):
        places = ((".".join(map(str, problem["loc"])) or "arguments", problem["msg"]) for problem in error.errors())
        return "ValueError: " + "; ".join(f"{place}: {message}" for place, message in places)
    return f"{type(error).__name__}: {error}"


def _model(model: type[BaseModel], base: type[BaseModel]) -> type[BaseModel]:
    """The model as the plugin manager wants it: of one of its own classes."""
    return create_model(model.__name__, __base__=(model, base), __doc__=model.__doc__)
