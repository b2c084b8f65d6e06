"""The API as tools of the Model Context Protocol, so that language models can play a seat and explain a game.

Enters: the address of a server, calls of tools. Leaves: the answers of the API; each tool is one of its operations, and
each call one request. A model has the tokens that it is given, and knows no more than their seats.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

from rulelang.diagnostics import UsageError
from rulelang.resources import installing
from rulelang.web.api import schemas
from rulelang.web.api.answers import Json
from rulelang.web.api.server import ADDRESS, OPERATIONS, PLACE, Operation, parameters

if TYPE_CHECKING:
    from mcp.server import Server

SECONDS = 60.0
"""How long a request may take; a `wait` holds it for less."""
TOOLS = {o.name: o for o in OPERATIONS if not isinstance(o.answer, str) and o.name != "openapi"}
INSTRUCTIONS = """Board games by their rules. A link .../join/GAME/PLACE/TOKEN is a seat: observe it, then act with the
id of an action of `decision` and the `stamp` of the observation, until `over`. While `decision` is null, observe with
`stamp` and `wait`=20. `rules`, `cards` and `refusals` explain the game, with citations. Tokens are secrets: tell nobody
one, and don't play another one's seat."""

Asked = tuple[str, str, Json | None, str]
"""Method, address, body and token of a request."""
Send = Callable[[str, str, Json | None, str], Awaitable[tuple[int, Any]]]
"""Sends a request; status and JSON of its answer."""


def schema_of(operation: Operation) -> Json:
    """Return the schema of what a tool takes: parts of the address, fields of query and body, the token of a place."""
    rows = {name: schema for name, (_, schema) in parameters(operation).items()}
    rows |= {key: schemas.of_field(row) for key, row in (operation.body or {}).items()}
    rows |= {"token": {"type": "string"}} if operation.path.startswith(PLACE) else {}
    needed = [name for name, (where, _) in parameters(operation).items() if where == "path"]
    return schemas.of_object(rows, [*needed, *operation.needed])


def request_of(name: str, arguments: Json) -> Asked:
    """Return the request of a call.

    Raises:
        UsageError: there is no such tool, or a part of its address is missing.
    """
    if (operation := TOOLS.get(name)) is None:
        raise UsageError(f"there is no tool `{name}`")
    left, sorts = dict(arguments), parameters(operation)
    token = str(left.pop("token", ""))
    parts = {part: quote(str(left.pop(part, "")), safe="") for part, (where, _) in sorts.items() if where == "path"}
    query = {key: left.pop(key) for key, (where, _) in sorts.items() if where == "query" and key in left}
    address = f"{ADDRESS}{operation.path.format(**parts)}?{urlencode(query, doseq=True)}"
    if not all(parts.values()) or (left and operation.body is None):
        raise UsageError(f"`{name}` takes {', '.join(schema_of(operation)['properties'])}")
    return operation.method, address, left if operation.body is not None else None, token


def sender(server: str) -> Send:
    """Return what sends requests to a server.

    Raises:
        UsageError: by what is returned: nothing answers there.
    """

    def ask(method: str, address: str, body: Json | None, token: str) -> tuple[int, Any]:
        """Send a request, and wait for its answer."""
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
        data = json.dumps(body).encode() if body is not None else None
        try:
            with urlopen(Request(server + address, data, headers, method=method), timeout=SECONDS) as answer:
                return answer.status, json.load(answer)
        except HTTPError as error:
            return error.code, json.load(error)
        except (URLError, TimeoutError, ValueError) as error:
            raise UsageError(f"{server} does not answer: {error}") from None

    async def send(*asked: Any) -> tuple[int, Any]:
        """Send a request from another thread."""
        return await asyncio.to_thread(ask, *asked)

    return send


def tool_server(send: Send) -> Server:
    """Return the MCP server.

    Raises:
        UsageError: the library is not installed.
    """
    try:
        from mcp import types
        from mcp.server import Server
    except ImportError:
        raise UsageError(f"the Model Context Protocol needs mcp: {installing('mcp')}") from None

    async def list_tools(*_: Any) -> types.ListToolsResult:
        """Return all tools."""
        return types.ListToolsResult(
            tools=[types.Tool(name=n, description=o.says, input_schema=schema_of(o)) for n, o in TOOLS.items()]
        )

    async def call_tool(_: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        """Answer a call."""
        try:
            status, answer = await send(*request_of(params.name, params.arguments or {}))
        except UsageError as error:
            status, answer = 400, {"error": {"code": "usage", "message": str(error)}}
        text = types.TextContent(type="text", text=json.dumps(answer, ensure_ascii=False))
        return types.CallToolResult(content=[text], is_error=status >= 400)

    return Server(
        "rulelang", version="1", instructions=INSTRUCTIONS, on_list_tools=list_tools, on_call_tool=call_tool
    )  # fmt: skip


async def run(server: str) -> None:
    """Answer a client on stdin and stdout until it ends."""
    tools = tool_server(sender(server.rstrip("/")))
    from mcp.server.stdio import stdio_server

    async with stdio_server() as (read, write):
        await tools.run(read, write, tools.create_initialization_options())
