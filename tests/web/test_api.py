"""The JSON API: a game's whole life, who is told what, each reason of a refusal, the documents that describe it.

Every answer here is held against the OpenAPI document that the server gives.
"""

from __future__ import annotations

import ast
import asyncio
import json
import random
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from rulelang.runtime.sight import SPECTATOR
from rulelang.web import app as application
from rulelang.web import fields
from rulelang.web.api import server
from rulelang.web.api.errors import ERRORS
from rulelang.web.api.rulesets import TOLD, Theme
from rulelang.web.api.server import OPERATIONS, VALUES, openapi
from rulelang.web.games import SAYINGS
from rulelang.web.guard import BODY
from rulelang.web.live import RefusedError
from rulelang.web.store import StoreError
from rulelang.web.theme import SECTIONS
from tests.offenders import of_each
from tests.shipped import shipped
from tests.soak import times
from tests.web.direct import Direct, scope_of
from tests.web.test_games import KUHN, LEDUC, SMALL

MATCHED = [
    (o, re.compile(re.sub(r"{(\w+)}", "[^/]+", o.path)), openapi()["paths"][o.path][o.method.lower()])
    for o in OPERATIONS
]
AT = (0, 2, 9)
"""After how many choices a game is held against the schema of its ruleset."""


def validator(schema: Any) -> jsonschema.Draft202012Validator:
    """What says whether an answer is as a schema of the document, or one of its names, says."""
    whole = {"$ref": f"#/components/schemas/{schema}"} if isinstance(schema, str) else schema
    return jsonschema.Draft202012Validator(whole | {"components": openapi()["components"]})


class Client:
    """A front end of somebody else: it knows addresses and tokens, and nothing else of the server."""

    def __init__(self, **settings: Any) -> None:
        self.direct = Direct(rulesets={}, **settings)
        self.direct.app.settings.rulesets.update(kuhn=KUHN, leduc=LEDUC)
        self.direct.app.failures._most = 1 << 30

    async def ask(self, method: str, path: str, body: Any = None, token: str | None = None, **headers: str) -> Any:
        """An answer, which is as the document says: its status and JSON."""
        status, answer = await self.direct.api(method, path, body, token, **headers)
        if status >= 400:
            validator("Error").validate(answer)
            assert ERRORS[answer["error"]["code"]][0] == status
            return status, answer["error"]["code"]
        described = next(
            row for o, pattern, row in MATCHED if pattern.fullmatch(path.partition("?")[0]) and o.method == method
        )
        validator(described["responses"][str(status)]["content"]["application/json"]["schema"]).validate(answer)
        return status, answer

    async def get(self, path: str, token: str | None = None) -> Any:
        """What comes of a GET that is answered."""
        status, answer = await self.ask("GET", path, token=token)
        assert status == 200, answer
        return answer

    async def new(self, **settings: Any) -> tuple[str, dict[str, str]]:
        """A new game: its address, and its tokens."""
        status, made = await self.ask("POST", "/games", {"ruleset": "kuhn", **settings})
        assert status == 201, made
        return f"/games/{made['game']}", made["tokens"]


def test_a_game_is_played_to_its_end() -> None:
    """Two people check and bet at Kuhn poker, one takes the first choice back; who bets last and is not called wins 1
    (the third of its outcomes), and then, not before, the record can be had."""

    async def play() -> None:
        client = Client()
        line = (await client.get("/rulesets/kuhn"))["options"]
        assert line == []
        game, tokens = await client.new()
        for seat, name in enumerate(("Ann", "Bo")):
            _, table = await client.ask("POST", f"{game}/{seat}/join", {"name": name}, tokens[str(seat)])
        assert table["names"] == ["Ann", "Bo"]
        assert (await client.get(f"{game}/1?since=0", tokens["1"]))["decision"] is None
        table = await client.get(f"{game}/0?since=0", tokens["0"])
        next_ = table["next"]
        assert [action["id"] for action in table["decision"]["actions"]] == ["bet", "check"]
        for body, wanted in (({"id": "bet"}, 0), ({}, 1)):
            if wanted:
                _, table = await client.ask("POST", f"{game}/0/undo", {"stamp": table["stamp"]}, tokens["0"])
                body = {"id": "check"}
            body |= {"stamp": table["stamp"], "since": next_}
            _, table = await client.ask("POST", f"{game}/0/act", body, tokens["0"])
            assert (table["undo"], table["undone"]) == ("free", wanted)
            assert [event["type"] for event in table["events"]][:1] == ["choice"]
        assert await client.ask("GET", f"{game}/1/record", token=tokens["1"]) == (403, "not-over")
        for seat, action in ((1, "bet"), (0, "fold")):
            table = await client.get(f"{game}/{seat}", tokens[str(seat)])
            body = {"id": action, "stamp": table["stamp"]}
            status, table = await client.ask("POST", f"{game}/{seat}/act", body, tokens[str(seat)])
            assert status == 200
        assert (table["over"], table["winners"], table["observation"]["scores"]) == (True, [1], [-1, 1])
        assert (await client.get(f"{game}/0/sheet", tokens["0"]))["totals"] == [[-1, -1], [1, 1]]
        record = await client.get(f"{game}/0/record", tokens["0"])
        assert [step["id"] for step in record["steps"]] == ["check", "bet", "fold"]
        assert (await client.get(f"{game}/0/replay?at=0&seat=1", tokens["0"]))["seat"] == 1

    asyncio.run(play())


def test_bots_and_clocks() -> None:
    """A bot moves by itself, and its person waits for that; clocks run; a seat is let to a bot and taken back."""

    async def play() -> None:
        client = Client()
        game, tokens = await client.new(ruleset="leduc", players=2, bots={"0": "random"}, minutes=1.5, each=2)
        table = await client.get(f"{game}/1", tokens["1"])
        if table["decision"] is None:
            table = await client.get(f"{game}/1?stamp={table['stamp']}&wait=9", tokens["1"])
        assert table["bots"] == {"0": "random"}
        assert table["decision"]["count"] == len(table["decision"]["actions"]) > 1
        (clock,) = table["clocks"]
        assert 80 < clock["seconds"] <= 90
        _, table = await client.ask("POST", f"{game}/1/bot", {"bot": "random"}, tokens["1"])
        assert table["bots"] == {"0": "random", "1": "random"}
        begun = asyncio.get_running_loop().time()
        while not table["over"]:
            table = await client.get(f"{game}/1?stamp={table['stamp']}&wait=9", tokens["1"])
        assert asyncio.get_running_loop().time() - begun < 8, "bots stand still until somebody looks"
        before = table["stamp"]
        begun = asyncio.get_running_loop().time()
        assert (await client.get(f"{game}/1?stamp={before}&wait=0.05", tokens["1"]))["stamp"] == before
        assert 0.04 < asyncio.get_running_loop().time() - begun < 5

    asyncio.run(play())


def test_a_seat_is_told_no_secret() -> None:
    """Nothing that leaves for a seat names the other's card; another seat's token opens nothing; no cookie counts."""

    async def play() -> None:
        client = Client()
        game, tokens = await client.new(spectators="public")
        live = client.direct.games.live(game[7:])
        hands = [live.session.state.observation(seat)["zones"][f"hand[{seat}]"]["pieces"][0] for seat in (0, 1)]
        for place, secrets in (("0", hands[1:]), ("1", hands[:1]), ("watch", hands)):
            for part in ("?since=0", "/decision", "/refusals", "/sheet", "/replay?at=1&seat=0"):
                status, answer = await client.direct.api("GET", f"{game}/{place}{part}", token=tokens.get(place))
                assert status == 200
                assert not [card for card in secrets if card in json.dumps(answer)], (place, part)
        paths = [(o.method, o.path.format(game=game[7:], place="0", name="x", ruleset="kuhn"), o) for o in OPERATIONS]
        for method, path, operation in paths:
            if operation.path.startswith("/games/"):
                body = dict.fromkeys(operation.needed, "yes") if method == "POST" else None
                for token in (tokens["1"], tokens["links"], "x", None):
                    assert await client.ask(method, path, body, token) == (404, "no-seat"), path
        for cookie in (tokens["1"], f"x; seat={tokens['1']}"):
            headers = {"cookie": f"seat={cookie}"}
            assert await client.ask("GET", f"{game}/0", None, None, **headers) == (404, "no-seat")

    asyncio.run(play())


def test_the_stream_tells_stamps() -> None:
    """What a stream says is the stamp that an observation then has, and nothing else."""

    async def play() -> None:
        client = Client()
        game, tokens = await client.new()
        stamps = [(await client.get(f"{game}/1", tokens["1"]))["stamp"]]
        sent: list[bytes] = []
        headers = {"authorization": f"Bearer {tokens['1']}"}
        scope = scope_of("GET", f"/api/v1{game}/1/stream", f"stamp={stamps[0]}", headers)
        begun = iter([{"type": "http.request", "body": b"", "more_body": False}])

        async def receive() -> Any:
            if (message := next(begun, None)) is None:
                await asyncio.Event().wait()
            return message

        async def send(message: Any) -> None:
            sent.append(message.get("body", b""))

        task = asyncio.create_task(client.direct.asgi(scope, receive, send))
        await asyncio.sleep(0.01)
        table = await client.get(f"{game}/0", tokens["0"])
        await client.ask("POST", f"{game}/0/act", {"id": "bet", "stamp": table["stamp"]}, tokens["0"])
        await asyncio.sleep(0.01)
        task.cancel()
        stamps.append((await client.get(f"{game}/1", tokens["1"]))["stamp"])
        assert b"".join(sent).decode() == f"retry: 1000\n\nevent: table\nid: {stamps[1]}\ndata: {stamps[1]}\n\n"

    asyncio.run(play())


# ---- refusals


def raised() -> set[tuple[str, int]]:
    """The code and status of each refusal that the sources of the server state."""
    found = set()
    for file in Path(application.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "RefusedError":
                status, *codes = node.args
                words = [n.value for code in codes[:1] for n in ast.walk(code) if isinstance(n, ast.Constant)]
                if isinstance(status, ast.Constant) and isinstance(status.value, int):
                    found |= {(str(word).replace("_", "-"), status.value) for word in words}
    return found


def test_each_refusal_of_the_server_has_a_code() -> None:
    """The table knows each code that is raised, with its status; codes of parts of addresses too."""
    codes = {(code.replace("_", "-"), 404) for _, code in fields.PARTS.values()}
    assert len(raised()) > 12
    assert [row for row in raised() | codes if row[0] not in ERRORS or ERRORS[row[0]][0] != row[1]] == []


def test_each_code_comes_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each row of the table is what some request meets; the faults of workers are made up."""

    async def meet() -> set[str]:
        client = Client()
        game, tokens = await client.new(spectators="public")
        over, seats_ = await client.new(players=2, bots={"1": "random"})
        stamp = (await client.get(f"{game}/0", tokens["0"]))["stamp"]
        other = (await client.get(f"{game}/1", tokens["1"]))["stamp"]
        act, bet = f"{game}/0/act", {"id": "bet", "stamp": stamp}
        rows: dict[str, Any] = {
            "usage": ("POST", "/games", {"ruleset": "kuhn", "players": 9}),
            "not-yours": ("POST", f"{game}/watch/note", {"text": "x"}),
            "not-over": ("GET", f"{game}/0/record", None, tokens["0"]),
            "no-seat": ("GET", f"{game}/0", None, tokens["1"]),
            "no-ruleset": ("GET", "/rulesets/chess"),
            "no-page": ("GET", "/rulesets/\n/schema"),
            "method": ("POST", "/rulesets", {}),
            "stale": ("POST", act, {"id": "bet", "stamp": other}, tokens["0"]),
            "not-your-turn": ("POST", f"{game}/1/act", {"id": "bet", "stamp": other}, tokens["1"]),
            "refused": ("POST", act, {"id": "call", "stamp": stamp}, tokens["0"]),
            "nothing-to-undo": ("POST", f"{game}/0/undo", {"stamp": stamp}, tokens["0"]),
            "too-large": ("POST", act, b"{" + b" " * BODY + b"}", tokens["0"]),
        }
        met = set()
        for code, row in rows.items():
            status, found = await client.ask(*row)
            assert (code, found) == (code, code), status
            met.add(found)
        assert await client.ask("POST", act, bet, tokens["0"], **{"content-type": "text/plain"}) == (415, "not-json")
        table = await client.get(f"{over}/0", seats_["0"])
        while not table["over"]:
            if table["decision"]:
                body = {"id": table["decision"]["actions"][0]["id"], "stamp": table["stamp"]}
                await client.ask("POST", f"{over}/0/act", body, seats_["0"])
            table = await client.get(f"{over}/0?wait=9&stamp={table['stamp']}", seats_["0"])
        assert await client.ask("POST", f"{over}/0/act", bet | {"stamp": table["stamp"]}, seats_["0"]) == (409, "over")
        live = client.direct.games.live(game[7:])
        live.said[0] = SAYINGS
        assert await client.ask("POST", f"{game}/0/note", {"text": "x"}, tokens["0"]) == (429, "too-many")
        faults: list[tuple[str, Exception]] = [
            ("store", StoreError("gone")), ("changed", RefusedError(409, "changed")),
            ("worker", RefusedError(503, "worker")), ("fault", RefusedError(500, "fault")),
            ("full", RefusedError(507, "full")),
        ]  # fmt: skip
        for code, error in faults:
            with monkeypatch.context() as context:
                context.setattr(client.direct.games, "live", lambda _, error=error: (_ for _ in ()).throw(error))
                assert (await client.ask("GET", f"{game}/0", token=tokens["0"]))[1] == code
        return met | {"not-json", "over", "too-many", *(code for code, _ in faults)}

    # A body that ends early, and rules with errors, are tests/web/test_many_choices.py and test_designers.py.
    assert asyncio.run(meet()) == set(ERRORS) - {"too-slow", "ruleset"}


WRONG: list[tuple[str, Any]] = [
    ("players", "2"), ("players", 2.0), ("players", True), ("players", None), ("players", 10**30), ("players", -1),
    ("minutes", "5"), ("minutes", -1), ("late", "mcts:1000000"), ("late", 3), ("bots", {"0": "mcts:9"}),
    ("bots", {"9": "easy"}), ("bots", ["easy"]), ("bots", "easy"), ("options", {"none": 1}), ("options", 1),
    ("options", {"none": [1]}), ("variants", {"x": "on"}), ("variants", ["none"]), ("variants", [1]), ("variants", "x"),
    ("spectators", "all"), ("scenario", "none"), ("record", "{}"), ("record", {}), ("seat", 1), ("", ""),
    ("option.x", 1), ("ruleset", 5),
]  # fmt: skip


def test_what_a_new_game_can_not_have() -> None:
    """Values of another type, out of range, of names that there are not: status 400, and what is at fault is named."""

    async def send() -> None:
        client = Client()
        for key, value in WRONG:
            assert await client.ask("POST", "/games", {"ruleset": "kuhn", key: value}) == (400, "usage"), (key, value)
        for body in (b"[]", b"{", b'{"a": NaN}', b"\xff", b'"x"', b"[" * 100_000, b"null"):
            assert (await client.ask("POST", "/games", body))[0] == 400, body[:20]
        assert (await client.ask("POST", "/games", {"ruleset": "kuhn"}))[0] == 201

    asyncio.run(send())


@pytest.mark.parametrize(("text", "parses"), [('[,{ \\" ' * 9000, True), ('", [' + "1," * VALUES, False)])
def test_values_are_counted_before_they_are_parsed(monkeypatch: pytest.MonkeyPatch, text: str, parses: bool) -> None:
    """A body of more values than all its lists may have is refused unparsed; what stands in texts are none."""
    parsed: list[str] = []

    def noted(body: str, *_: Any) -> dict[str, Any]:
        parsed.append(body)
        return {}

    monkeypatch.setattr(server, "json_object", noted)

    async def send() -> None:
        client = Client()
        await client.ask("POST", "/games", f'{{"ruleset": "kuhn", "record": "{text}"}}'.encode())

    asyncio.run(send())
    assert bool(parsed) is parses


# ---- other origins


def test_other_origins_only_where_they_are_named() -> None:
    """A preflight is answered for the origins that the host names, and headers say so; by default for none."""

    async def send(cors: tuple[str, ...], origin: str) -> tuple[int, dict[bytes, bytes]]:
        direct, sent = Direct(rulesets={}, cors=cors), list[Any]()
        headers = {"origin": origin, "access-control-request-method": "POST"}
        headers["access-control-request-headers"] = "authorization,content-type"

        async def receive() -> Any:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send_(message: Any) -> None:
            sent.append(message)

        await direct.asgi(scope_of("OPTIONS", "/api/v1/games", "", headers), receive, send_)
        return sent[0]["status"], dict(sent[0]["headers"])

    ours = "https://board.example"
    status, headers = asyncio.run(send((ours,), ours))
    assert (status, headers[b"access-control-allow-origin"]) == (200, ours.encode())
    assert b"access-control-allow-credentials" not in headers
    assert asyncio.run(send((ours,), "https://evil.example"))[0] == 400
    assert asyncio.run(send((), ours))[0] == 405


# ---- documents

LARGE = ("ldd", "imaginarium", "droids") if times(1) > 1 else ()
EVERY = ["reco", *LARGE, *sorted(path.parent for path in SMALL.glob("*/ruleset.yaml"))]
"""Rulesets; the largest with `--soak`."""


@of_each((path,) for path in EVERY)
def test_games_are_as_their_schema_says(path: str | Path) -> None:
    """What seats and spectators see of a game, and what can be chosen, is what the schema of its ruleset declares."""
    ruleset, rng = shipped(path), random.Random(7)
    schema = TOLD["schema"](ruleset, "en")
    seen = jsonschema.Draft202012Validator(schema)
    chosen = jsonschema.Draft202012Validator({"$ref": "#/$defs/actions", "$defs": schema["$defs"]})
    state = ruleset.new_game(seed=3)
    for step in range(max(AT) * times(1) + 1):
        seats = state.current_players()
        if step in AT or not step % 50:
            for reader in (SPECTATOR, *seats[:1]):
                seen.validate(state.observation(reader) | {"shown": state.shown(reader)})
        if state.is_terminal():
            break
        actions = state.legal_actions(seats[0])
        for action in (actions[0], actions[-1]):
            chosen.validate({"item": action.data["item"], "arguments": action.data["arguments"]})
        state.apply(actions[rng.randrange(len(actions))])


def test_a_schema_says_what_is_wrong() -> None:
    """It knows names and values: a card, a zone or an argument of another game does not pass."""
    ruleset = shipped("reco")
    schema = TOLD["schema"](ruleset, "en")
    seen = jsonschema.Draft202012Validator(schema)
    good = ruleset.new_game(3).observation(0)
    assert seen.is_valid(good)
    zones = good["zones"]
    for wrong in (
        {"zones": zones | {"plant[red]": {"count": 1, "pieces": ["d12"]}}}, {"zones": zones | {"deck": {"count": 1}}},
        {"variables": {"first": 1.5}}, {"players": 9}, {"over": None}, {"hidden": 1},
    ):  # fmt: skip
        assert not seen.is_valid(good | wrong), wrong
    chosen = jsonschema.Draft202012Validator({"$ref": "#/$defs/actions", "$defs": schema["$defs"]})
    assert chosen.is_valid({"item": "take_turn", "arguments": {"colour": "red"}})
    assert not chosen.is_valid({"item": "take_turn", "arguments": {"colour": "pink"}})
    assert not chosen.is_valid({"item": "take_turn", "arguments": {}})


def test_what_is_told_of_rulesets() -> None:
    """Cards with their values, theme and rules are told before a game and in one, in both languages; of no path."""

    async def look() -> None:
        client = Client()
        client.direct.app.settings.rulesets["reco"] = "reco"
        game, tokens = await client.new()
        for part in TOLD:
            assert await client.get(f"/rulesets/kuhn/{part}") == await client.get(f"{game}/0/{part}", tokens["0"])
        cards = await client.get("/rulesets/kuhn/cards")
        assert next((card["id"], card["values"]) for card in cards["cards"]) == ("jack", {"rank": "1"})
        assert cards["kinds"] == {"Card": {"rank": "1..3"}}
        rules = await client.get("/rulesets/reco/rules?lang=fr")
        assert rules["title"] == shipped("reco").words("fr").title
        for path in ("/rulesets/reco/rules", "/rulesets/reco/cards", f"{game}/0?since=0", f"{game}/0/refusals"):
            assert str(SMALL) not in json.dumps(await client.get(path, tokens["0"]))
        assert len((await client.get("/rulesets"))["rulesets"]) == 3
        assert list(await client.get("/rulesets/reco/theme")) == list(Theme.__annotations__) == list(SECTIONS)

    asyncio.run(look())


def test_each_operation_is_described_once() -> None:
    """Ids and addresses are unique, references resolve, and the document of the server is this one."""
    document = openapi()
    ids = [row["operationId"] for path in document["paths"].values() for row in path.values()]
    assert len(ids) == len(set(ids)) == len(OPERATIONS)
    names = set(re.findall(r"#/components/schemas/(\w+)", json.dumps(document)))
    assert names == set(document["components"]["schemas"])
    assert asyncio.run(Client().get("/openapi.json")) == json.loads(json.dumps(document))


def test_pages_stand_in_frames_only_where_the_host_says_so(tmp_path: Path) -> None:
    """By default in none; else the cookie of a place is one of the site with the frame, and is sent from there."""

    async def send(framed: bool) -> dict[bytes, bytes]:
        direct, sent = Direct(framed=framed), list[Any]()
        game = direct.make(path=KUHN, players=2)

        async def receive() -> Any:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send_(message: Any) -> None:
            sent.append(message)

        await direct.asgi(scope_of("GET", f"/join/{game}/0/{direct.tokens[game]['0']}", "", {}), receive, send_)
        return dict(sent[0]["headers"])

    alone, framed = asyncio.run(send(False)), asyncio.run(send(True))
    assert alone[b"content-security-policy"].endswith(b"; frame-ancestors 'none'")
    assert b"frame-ancestors" not in framed[b"content-security-policy"]
    assert (b"SameSite=lax" in alone[b"set-cookie"], b"Partitioned" in alone[b"set-cookie"]) == (True, False)
    assert framed[b"set-cookie"].endswith(b"; SameSite=none; Secure; Partitioned")
