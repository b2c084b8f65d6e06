"""The API as tools of an assistant: each tool is an operation, a game is played by calls, errors are told."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

from rulelang.cli import rulelang
from rulelang.diagnostics import UsageError
from rulelang.web.api.server import ADDRESS, OPERATIONS
from rulelang.web.api.tools import TOOLS, request_of, schema_of, tool_server
from tests.docs.test_front_end import serving
from tests.web.direct import Direct
from tests.web.test_games import KUHN

Call = Callable[[str, dict[str, Any]], Awaitable[Any]]


def send_to(direct: Direct) -> Any:
    """What sends requests to an application in this process."""

    async def send(method: str, address: str, body: Any, token: str) -> tuple[int, Any]:
        return await direct.api(method, address.removeprefix(ADDRESS), body, token)

    return send


def test_each_operation_that_speaks_json_is_a_tool() -> None:
    """All but the stream, pictures and the document; what a tool takes is a schema, and goes where the API has it."""
    assert {o.name for o in OPERATIONS} - set(TOOLS) == {"stream", "picture", "ruleset_picture", "openapi"}
    for operation in TOOLS.values():
        jsonschema.Draft202012Validator.check_schema(schema_of(operation))
    assert request_of("decision", {"game": "g", "place": "0", "token": "t", "pick": ["a=1", "b=ü"], "lang": "fr"}) == (
        "GET", f"{ADDRESS}/games/g/0/decision?pick=a%3D1&pick=b%3D%C3%BC&lang=fr", None, "t",
    )  # fmt: skip
    assert request_of("undo", {"game": "../x", "place": "0", "stamp": "s"}) == (
        "POST", f"{ADDRESS}/games/..%2Fx/0/undo?", {"stamp": "s"}, "",
    )  # fmt: skip
    wrong: tuple[tuple[str, dict[str, Any]], ...] = (
        ("sing", {}), ("observe", {"game": "g"}), ("sheet", {"game": "g", "place": "0", "since": 1}),
    )  # fmt: skip
    for name, arguments in wrong:
        with pytest.raises(UsageError):
            request_of(name, arguments)


async def play(call: Call) -> Any:
    """Play Kuhn poker by calls of tools, both seats; what the first one sees at the end."""
    made = await call("create", {"ruleset": "kuhn"})
    seats = [{"game": made["game"], "place": place, "token": made["tokens"][place]} for place in ("0", "1")]
    table = await call("observe", seats[0])
    while not table["over"]:
        (seat,) = table["observation"]["current"]
        table = await call("observe", seats[seat])
        action = table["decision"]["actions"][0]
        table = await call("act", seats[seat] | {"id": action["id"], "stamp": table["stamp"]})
    assert (await call("act", seats[0] | {"id": "x", "stamp": "x"}))["error"]["code"] in ("over", "stale")
    assert "rule" in json.dumps(await call("rules", seats[0]))
    return await call("observe", seats[0])


def test_a_game_is_played_by_calls() -> None:
    """As an assistant would, without the library between."""

    async def run() -> Any:
        direct = Direct(rulesets={})
        direct.app.settings.rulesets["kuhn"] = KUHN
        send = send_to(direct)

        async def call(name: str, arguments: dict[str, Any]) -> Any:
            return (await send(*request_of(name, arguments)))[1]

        return await play(call)

    assert asyncio.run(run())["over"]


def test_the_protocol_carries_it() -> None:
    """A client of the protocol lists the tools and plays by them; what is wrong is told as an error."""
    mcp = pytest.importorskip("mcp", reason="the Model Context Protocol is an extra")

    async def run() -> Any:
        direct = Direct(rulesets={})
        direct.app.settings.rulesets["kuhn"] = KUHN
        async with mcp.Client(tool_server(send_to(direct))) as client:
            listed = (await client.list_tools()).tools
            assert {tool.name for tool in listed} == set(TOOLS)
            wrong = await client.call_tool("observe", {"game": "nosuch", "place": "0"})
            assert wrong.is_error
            assert json.loads(wrong.content[0].text)["error"]["code"] == "no-seat"
            assert (await client.call_tool("sing", {})).is_error

            async def call(name: str, arguments: dict[str, Any]) -> Any:
                return json.loads((await client.call_tool(name, arguments)).content[0].text)

            return await play(call)

    assert asyncio.run(run())["over"]


@pytest.mark.soak
def test_the_command_serves_an_assistant() -> None:
    """`rulelang mcp ADDRESS`, started as an assistant starts it, plays at a server behind a real port."""
    mcp = pytest.importorskip("mcp", reason="the Model Context Protocol is an extra")

    async def run(address: str) -> Any:
        command = mcp.StdioServerParameters(
            command=sys.executable, args=["-m", "rulelang", "mcp", address], cwd=Path(__file__).parents[2]
        )  # fmt: skip
        async with mcp.Client(command) as client:

            async def call(name: str, arguments: dict[str, Any]) -> Any:
                return json.loads((await client.call_tool(name, arguments)).content[0].text)

            return await play(call)

    with serving() as address:
        assert asyncio.run(run(address))["over"]


def test_the_command_says_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """An address that is none, and a library that is missing, are wrong usage."""
    done = CliRunner().invoke(rulelang, ["mcp", "file:///etc/passwd"])
    assert done.exit_code == 2
    monkeypatch.setitem(sys.modules, "mcp", None)
    done = CliRunner().invoke(rulelang, ["mcp"])
    assert done.exit_code == 2
    assert "[mcp]" in done.output + done.stderr
