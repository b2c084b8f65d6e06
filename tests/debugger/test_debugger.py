"""A game under a debugger: stops, steps, goes back, names and expressions; the protocol's messages."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from rulelang.cli.debug import Adapter
from rulelang.debugger import ASKED, ENDED, STOPPED, Breakpoint, Debugger
from rulelang.diagnostics import UsageError
from rulelang.game.ruleset import Ruleset, load

RULES = """\
rulelang 2

setup:
  for p in players: p.coins := 2

play:
  repeat 2 times:
    for p in players:
      turn of p: spend()
  end the game

rule spend:
  choose buying:
    buy(n from 1 to 2) when coins >= n:
      let cost = price(n)
      coins -= n
      bought += cost
    wait: coins += 1

function price(n: number) -> number = n * 10

score things: bought
"""
YAML = """\
rulelang: 2
name: shop
players: 2
variables:
  coins: {type: 0..9, per: player, start: 0}
  bought: {type: 0..999, per: player, start: 0}
"""
BUY, COST, TAKEN, WAIT = 13, 14, 15, 17
"""Lines, counted from 1."""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Ruleset:
    folder = tmp_path_factory.mktemp("shop") / "shop"
    folder.mkdir()
    (folder / "ruleset.yaml").write_text(YAML, encoding="utf-8")
    (folder / "shop.rule").write_text(RULES, encoding="utf-8")
    return load(folder)


def rules(shop: Ruleset) -> str:
    return str(Path(shop.path) / "shop.rule")


def lines(game: Debugger) -> list[tuple[str, int]]:
    return [(frame.name, frame.site.line if frame.site else 0) for frame in game.frames()]


def test_steps(shop: Ruleset) -> None:
    """Into a function, over it, out of a rule; what was given a name has a value from the next statement on."""
    game = Debugger(shop)
    assert game.go_on() == ASKED
    assert lines(game) == [("spend", 13), ("play", 9)]
    game.choose("spend:buy:n=2" if "spend:buy:n=2" in game.offered() else game.offered()[1])
    assert lines(game)[0] == ("spend", 15)
    assert game.step() == STOPPED
    assert lines(game) == [("price", 20), ("spend", 15), ("play", 9)]
    assert game.locals(2) == {"you": "0", "n": "2"}
    assert game.step_over() == STOPPED
    assert lines(game)[0] == ("spend", 16)
    assert game.locals(1) == {"you": "0", "n": "2", "cost": "20"}
    assert game.step_out() == STOPPED
    assert lines(game)[0][0] == "play"
    while game.step_over() == STOPPED:
        assert [name for name, _ in lines(game)] == ["play"]
    assert game.locals(1) == {"you": "1"}


def test_back(shop: Ruleset) -> None:
    """The way back is the way there, over choices too, down to the first statement."""
    game = Debugger(shop, script=["*n=1", "*wait"])
    there = []
    while game.step() == STOPPED:
        there.append(lines(game))
    assert len(game.runs) == 3
    back = []
    while game.step_back():
        back.append(lines(game))
    assert back[: len(there)] == there[::-1]
    assert not game.step_back()


def test_breakpoints(shop: Ruleset) -> None:
    """A line stops each time, forwards and backwards; a condition of the language decides."""
    game = Debugger(shop, script=["*n=1", "*n=2", "*n=1", "*wait"])
    game.breakpoints = [Breakpoint(rules(shop), 16)]
    stops = 0
    while game.go_on() == STOPPED:
        stops += 1
    assert (stops, len(game.runs)) == (3, 5)
    back = 0
    while game.go_back():
        back += 1
    assert back == 3
    game = Debugger(shop, script=["*n=1", "*n=2", "*n=1", "*wait"])
    game.breakpoints = [Breakpoint(rules(shop), 16, "n = 2 and cost > 10")]
    assert game.go_on() == STOPPED
    assert game.evaluate("cost") == "20"
    assert game.go_on() == ENDED


def test_expressions(shop: Ruleset) -> None:
    """Of variables, of the names of a frame, of another player; what is none says why."""
    game = Debugger(shop, script=["*n=2"])
    game.breakpoints = [Breakpoint(rules(shop), 16)]
    game.go_on()
    values = {"coins": "2", "seat(1).coins": "2", "n * 3": "6", "price(n) = cost": "true", "bought": "0", "you": "0"}
    values["total_score(seat(1)) + rank(you)"] = "1"  # which the rules never ask for
    assert {text: game.evaluate(text) for text in values} == values
    game.step()
    assert game.evaluate("coins") == "0"
    for wrong in ("nothing", "coins +", "coins := 3", "spend()"):
        with pytest.raises(UsageError):
            game.evaluate(wrong)


def test_another_choice(shop: Ruleset) -> None:
    """Gone back to a choice, something else is chosen, and the game goes on from there."""
    game = Debugger(shop, script=["*n=2"])
    assert game.go_on() == ASKED
    assert game.public().scores()[0] == 20
    game.go_to(0)
    with pytest.raises(UsageError, match="buy"):
        game.choose("buying:buy:n=7")
    wait = next(id_ for id_ in game.offered() if id_.endswith("wait"))
    assert game.why(wait).endswith("is offered")
    game.choose(wait)
    assert game.go_on() == ASKED
    assert game.public().scores()[0] == 0
    assert len(game.runs) == 2


def test_watched_games_end_as_others_do(shop: Ruleset) -> None:
    """The same choices lead to the same state."""
    game = Debugger(shop, seed=5, random=True)
    assert game.go_on() == ENDED
    state = shop.new_game(seed=5, backend="interpreter")
    for run in game.runs[1:]:
        state.apply(run.what.partition(": ")[2])
    assert state.hash() == game.public().hash()


def test_what_a_seat_sees(shop: Ruleset) -> None:
    """Variables at the present moment."""
    game = Debugger(shop)
    game.go_on()
    assert game.seen(0)["variables"]["coins[0]"] == 2


# ---- the protocol ----------------------------------------------------------------------------------


def talk(requests: list[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    """Send requests, and return all that is answered and told."""
    sent = b""
    for number, (command, arguments) in enumerate([*requests, ("disconnect", {})], 1):
        content = json.dumps({"seq": number, "type": "request", "command": command, "arguments": arguments}).encode()
        sent += b"Content-Length: %d\r\n\r\n%s" % (len(content), content)
    out = BytesIO()
    Adapter(BytesIO(sent), out).run()
    messages, rest = [], out.getvalue()
    while rest:
        head, _, rest = rest.partition(b"\r\n\r\n")
        length = int(head.split(b":")[1])
        messages.append(json.loads(rest[:length]))
        rest = rest[length:]
    return messages


def test_the_protocol(shop: Ruleset) -> None:
    """A session as an editor has it: each request is answered before what it brings about is told."""
    source = {"path": rules(shop)}
    said = talk(
        [
            ("initialize", {"adapterID": "rulelang"}),
            ("launch", {"program": shop.path, "script": ["*n=2"], "stopOnEntry": False}),
            ("setBreakpoints", {"source": source, "breakpoints": [{"line": 16}, {"line": 99}]}),
            ("configurationDone", {}),
            ("threads", {}),
            ("stackTrace", {"threadId": 1}),
            ("scopes", {"frameId": 1}),
            ("variables", {"variablesReference": 1}),
            ("evaluate", {"expression": "cost + 1", "frameId": 1, "context": "watch"}),
            ("next", {"threadId": 1}),
            ("stepBack", {"threadId": 1}),
            ("continue", {"threadId": 1}),
            ("evaluate", {"expression": "options", "context": "repl"}),
            ("evaluate", {"expression": "why nonsense", "context": "repl"}),
            ("completions", {"text": "", "column": 1}),
            ("evaluate", {"expression": "nonsense", "context": "repl"}),
            ("reverseContinue", {"threadId": 1}),
            ("nonsense", {}),
            ("scopes", {}),
        ]
    )
    answers = {message["request_seq"]: message for message in said if message["type"] == "response"}
    assert [answers[n]["success"] for n in range(1, 20)] == [*[True] * 15, False, True, False, False]
    assert [point["verified"] for point in answers[3]["body"]["breakpoints"]] == [True, False]
    frames = answers[6]["body"]["stackFrames"]
    assert [(frame["name"], frame["line"]) for frame in frames] == [("spend", 16), ("play", 9)]
    assert {v["name"]: v["value"] for v in answers[8]["body"]["variables"]} == {"you": "0", "n": "2", "cost": "20"}
    assert answers[9]["body"]["result"] == "21"
    assert len(answers[13]["body"]["result"].split("\n")) == 3
    assert "is not offered" in answers[14]["body"]["result"]
    stops = [message["body"]["reason"] for message in said if message.get("event") == "stopped"]
    assert stops == ["breakpoint", "step", "step", "pause", "breakpoint"]
    kinds = [(m["type"], m.get("command") or m.get("event")) for m in said]
    assert kinds.index(("response", "configurationDone")) < kinds.index(("event", "stopped"))


def test_messages_that_are_none() -> None:
    """End the session."""
    out = BytesIO()
    Adapter(BytesIO(b"Content-Length: 99999999999\r\n\r\n{}"), out).run()
    Adapter(BytesIO(b"nonsense"), out).run()
    assert out.getvalue() == b""


def exchange(*requests: tuple[str, dict[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The bodies of answers, or what is wrong, and the events."""
    said = talk([*requests])
    answers = [m.get("body", {"error": m.get("message")}) for m in said if m["type"] == "response"]
    return answers, [m for m in said if m["type"] == "event"]


def begun(shop: Ruleset, *points: dict[str, Any], **launched: Any) -> list[tuple[str, dict[str, Any]]]:
    """Breakpoints first, as editors set them before there is a game."""
    return [
        ("initialize", {"adapterID": "rulelang"}),
        ("setBreakpoints", {"source": {"path": rules(shop)}, "breakpoints": [*points]}),
        ("launch", {"program": shop.path, "stopOnEntry": False, **launched}),
        ("configurationDone", {}),
    ]


def test_breakpoints_find_their_place_once_there_is_a_game(shop: Ruleset) -> None:
    """On a comment, a header or an empty line they stand at the next statement; behind the last nowhere."""
    answers, events = exchange(*begun(shop, {"line": 12}, {"line": 14}, {"line": 99}))
    assert [point["verified"] for point in answers[1]["breakpoints"]] == [False, False, False]
    changed = [event["body"]["breakpoint"] for event in events if event["event"] == "breakpoint"]
    assert [(point["verified"], point["line"]) for point in changed] == [(True, 13), (True, 15), (False, 99)]
    assert [point["id"] for point in changed] == [point["id"] for point in answers[1]["breakpoints"]]


def test_a_condition_that_can_not_be_worked_out_stops(shop: Ruleset) -> None:
    """And says why; the game can go on."""
    point = {"line": 16, "condition": "cost > nothing"}
    answers, events = exchange(*begun(shop, point, script=["*n=2"]), ("continue", {"threadId": 1}))
    assert {"allThreadsContinued": True} in answers
    told = [event["body"].get("output", "") for event in events]
    assert any("nothing here is called `nothing`" in text for text in told)
    assert [event["body"]["reason"] for event in events if event["event"] == "stopped"] == ["breakpoint", "pause"]


def test_running_is_paused_and_ended(shop: Ruleset) -> None:
    """By a request that comes while the game runs; what it ends with is told, and the editor still disconnects."""
    answers, events = exchange(
        *begun(shop, random=True), ("pause", {}), ("restart", {}), ("pause", {}), ("terminate", {}), ("stackTrace", {})
    )
    assert [event["event"] for event in events if event["event"] != "output"] == [
        "initialized",
        "stopped",
        "stopped",
        "terminated",
    ]
    assert {event["body"]["output"] for event in events if event["event"] == "output"} >= {"paused\n"}
    assert answers[-2] == {"error": "no game was launched"}


def test_what_is_typed_at_the_prompt(shop: Ruleset) -> None:
    """To the next choice, back to it, as another seat, the position as a scenario that passes."""

    def typed(text: str) -> tuple[str, dict[str, Any]]:
        return "evaluate", {"expression": text, "context": "repl"}

    answers, events = exchange(
        *begun(shop, stopOnEntry=True, script=["*n=2", "*wait"]),
        *map(typed, ("decision", "decision", "scenario two nuts", "back", "options", "seat 1", "seat 7")),
    )
    results = [str(answer.get("result", answer.get("error"))) for answer in answers[4:-1]]
    assert [event["body"]["reason"] for event in events if event["event"] == "stopped"] == ["entry", *["pause"] * 3]
    assert results[2].startswith('  - name: "two nuts"\n    given: {players: 2, seed: 0}\n    when:\n')
    assert results[2].count('{seat: 0, id: "buy:n=2"}') == 1
    assert results[4].split("\n")[-1].endswith("wait")
    assert results[6] == "there is no seat 7"


@pytest.mark.soak
@pytest.mark.skipif(shutil.which("npm") is None, reason="there is no npm")
def test_the_client_of_others(shop: Ruleset, tmp_path: Path) -> None:
    """The test support that VS Code has for debug adapters drives a session from launch to disconnect."""
    shutil.copy(Path(__file__).with_name("session.js"), tmp_path)
    installing = ["npm", "install", "--no-audit", "--no-fund", "@vscode/debugadapter-testsupport@1"]
    subprocess.run(installing, cwd=tmp_path, check=True, capture_output=True)
    program = Path(sys.executable).with_name("rulelang")
    command = ["node", "session.js", str(program), shop.path, rules(shop), "16"]
    done = subprocess.run(command, cwd=tmp_path, check=False, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
