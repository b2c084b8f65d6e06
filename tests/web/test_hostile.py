"""Hostile values in every part of every address and in every field that is read, and numbers that would hang a server.

The addresses are those of the application, the fields those that their handlers read: a new one is tested by itself.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count, product
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from starlette.routing import Mount, Route

from rulelang import numbers
from rulelang.web import app as application
from rulelang.web import fields
from rulelang.web.api.server import ADDRESS, OPERATIONS, Operation
from tests.soak import times
from tests.web.direct import Direct, Host, scope_of
from tests.web.test_games import KUHN, LEDUC

SECONDS = 2.0
SHARE = 8
HUGE = "99999999999999999999"
NO_NUMBERS = (HUGE, "9" * 5000, "-1", "-0.5", "nan", "inf", "-inf", "1e308", "1e99", "٣", "²", "0x10", "1_0", "1 2")
"""Texts that are none of the numbers that a server is asked for."""
VALUES = (
    *NO_NUMBERS, "", " ", "0", "1", "x" * 100_000, "\ud800", "a\udfff", "\0", "a\r\nset-cookie: b=c",
    "../../etc/passwd", "{{7*7}}", "<script>", "%00%ff", "é" * 300, "\u202e", "mcts:10000000", "playouts:100000",
    "nonsense", "null", "{}", "[]",
)  # fmt: skip


def quoted(text: str) -> str:
    return quote(text.encode("utf-8", "surrogatepass"), safe="")


def encoded(pairs: list[tuple[str, str]]) -> str:
    return urlencode([(name.encode(), text.encode("utf-8", "surrogatepass")) for name, text in pairs])


def as_json(pairs: list[tuple[str, str]], body: Mapping[str, str]) -> bytes:
    """The body of a request of the API with such fields: numbers, texts, families as objects; what comes twice does."""
    keys = {row: key for key, row in body.items()}
    rows = []
    for name, text in pairs:
        sort = fields.FIELDS.get(name)
        number = isinstance(sort, numbers.Whole | numbers.Real) and re.fullmatch(r"-?[0-9.e]+|nan|-?inf", text)
        value = text.replace("nan", "NaN") if number else json.dumps(text)
        family, _, part = name.partition(".")
        key = keys.get(f"{family}." if part else name, name)
        if part:
            value = f"[{json.dumps(part)}]" if family == "variant" else f"{{{json.dumps(part)}: {value}}}"
        rows.append(f"{json.dumps(key)}: {value}")
    return ("{" + ", ".join(rows) + "}").encode()


GOOD = {"ruleset": "kuhn", "id": "x", "stamp": "x", "answer": "yes", "note": "x"}


class Target:
    """A server of two rulesets with a finished and a running game, and what its handlers read."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, uploads: str) -> None:
        self.direct = Direct(rulesets={}, uploads=uploads)
        self.direct.app.settings.rulesets.update(kuhn=KUHN, leduc=LEDUC)
        for rate in (self.direct.app.failures, self.direct.app.made, self.direct.app.sent):
            rate._most = 1 << 30
        self.direct.app.workers.stranger = lambda **_: Host(self.direct.games)
        (mount,) = (route for route in self.direct.asgi.routes if isinstance(route, Mount) and route.path == ADDRESS)
        self.of_api = mount.routes
        self.read: set[str] = set()
        for name in ("get", "family", "all", "__contains__"):
            monkeypatch.setattr(fields.RequestFields, name, self.noting(getattr(fields.RequestFields, name)))

    def noting(self, method: Callable[..., Any]) -> Callable[..., Any]:
        """A method of `RequestFields` that notes which field it was called for."""

        def noted(own: fields.RequestFields, name: str, *arguments: Any) -> Any:
            self.read.add(name)
            return method(own, name, *arguments)

        return noted

    async def prepare(self) -> None:
        self.over = await self.finished()
        self.running = self.direct.make(path=LEDUC, players=2)

    async def finished(self) -> str:
        game = self.direct.make(path=KUHN, players=2)
        while not (state := self.direct.games.live(game).session.state).is_terminal():
            (seat,) = state.current_players()
            form = {"id": state.legal_actions(seat)[0].id, "stamp": self.direct.games.live(game).stamp(seat)}
            assert (await self.direct.ask(game, str(seat), "/act", form))[0] == 303
        return game

    def parts(self, game: str) -> dict[str, str]:
        """A good value of each part of an address."""
        token = self.direct.tokens[game]["0"]
        good = {"game": game, "place": "0", "token": token, "ruleset": "kuhn", "part": "table", "kind": "note"}
        return good | {"name": "x.png"}

    async def asked(
        self, route: Route, method: str, game: str, parts: dict[str, str], pairs: list[tuple[str, str]]
    ) -> int:
        """The status of a request, which is answered in time and by no fault of ours."""
        path = re.sub(r"{(\w+)}", lambda match: parts[match[1]], route.path)
        tokens, of_api = self.direct.tokens[game], route in self.of_api
        token = "~".join(tokens.values()) if "/links" in route.path else tokens["0"]
        body = encoded(pairs).encode() if method == "POST" else b""
        if of_api and method == "POST":
            body = as_json(pairs, self.operation(route, method).body or {})
        headers = {"authorization": f"Bearer {token}"} if of_api else {"cookie": f"seat={token}"}
        headers["content-length"] = str(len(body))
        if method == "POST":
            headers["content-type"] = "application/json" if of_api else "application/x-www-form-urlencoded"
        path = ADDRESS + path if of_api else path
        scope = scope_of(method, path, "" if method == "POST" else encoded(pairs), headers)
        begun = time.monotonic()
        status, _ = await self.direct.answer(scope, body, leaves=True)
        shown = {name: text[:60] for name, text in (*parts.items(), *pairs)}
        assert time.monotonic() - begun < SECONDS, (method, route.path, shown)
        assert status < 500, (method, route.path, shown, status)
        return status

    def needed(self, route: Route, method: str) -> list[tuple[str, str]]:
        """Good fields, without which an operation of the API reads no others."""
        if route not in self.of_api:
            return []
        operation = self.operation(route, method)
        rows = [(operation.body or {}).get(name, name) for name in operation.needed]
        return [(row, GOOD[row]) for row in rows]

    def operation(self, route: Any, method: str) -> Operation:
        """What an address of the API does."""
        (operation,) = (o for o in OPERATIONS if (o.path, o.method) == (route.path, method))
        return operation

    def routes(self) -> Iterator[tuple[Route, str]]:
        """Each address with each of its methods."""
        for route in (*self.direct.asgi.routes, *self.of_api):
            if isinstance(route, Route):
                yield from ((route, method) for method in sorted((route.methods or set()) - {"HEAD"}))


def some(values: Sequence[str], turn: Iterator[int]) -> Sequence[str]:
    """Some of many values, with `--soak` all: others each time."""
    return values if times(1) > 1 else values[next(turn) % SHARE :: SHARE]


def is_number(name: str) -> bool:
    return isinstance(fields.FIELDS[name], numbers.Whole | numbers.Real)


async def attack(target: Target) -> None:
    await target.prepare()
    seen, turn = set[str](), count()
    for route, method in target.routes():
        kinds = [*application._SAID] if "kind" in route.param_convertors else ["note"]
        for game, kind in product((target.over, target.running), kinds):
            good = target.parts(game) | {"kind": kind}
            target.read.clear()
            needed = target.needed(route, method)
            await target.asked(route, method, game, good, needed)
            read = sorted(target.read)
            for name in route.param_convertors if kind == "note" else ():
                for value in some([*filter(None, VALUES)], turn):
                    status = await target.asked(route, method, game, good | {name: value}, needed)
                    assert value in ("0", "1") or status in (400, 403, 404, 405), (route.path, name, value[:60], status)
            for name in read:
                named = {"bot.": "bot.0", "option.": "option.x", "variant.": "variant.x"}.get(name, name)
                others = [pair for pair in needed if pair[0] != named]
                for value in NO_NUMBERS if is_number(name) else some(VALUES, turn):
                    status = await target.asked(route, method, game, good, [*others, (named, value)])
                    assert not is_number(name) or status in (400, 403), (route.path, name, value[:60], status)
                if route in target.of_api and method == "POST":
                    continue  # of what JSON says twice the last counts
                status = await target.asked(route, method, game, good, [*others, (named, "1"), (named, "1")])
                assert name in (fields.REPEATED, "lang", "csv") or status in (400, 403), (route.path, name, status)
            seen.update(read)
    assert seen == set(fields.FIELDS), "a row that nothing reads, or that this does not reach"
    assert (await target.direct.answer(scope_of("GET", "/", "", {})))[0] == 200


def test_no_value_of_a_stranger_is_a_fault(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """Huge, negative, foreign, endless and broken values anywhere are answered in two seconds, by no fault of ours; a
    number that is none is wrong usage; the server goes on."""
    asyncio.run(attack(Target(monkeypatch, str(tmp_path / "uploads"))))


HEADERS = (
    "host",
    "origin",
    "sec-fetch-site",
    "cookie",
    "authorization",
    "accept-language",
    "last-event-id",
    "hx-request",
    "content-type",
)
HEADS = (
    "",
    " ",
    "x" * 8000,
    "http://[",
    "[::1",
    "a@b:c/d?e#f",
    "x:99999",
    "\xff",
    "\0",
    "seat=" + "~" * 5000,
    ";;;=",
    "nan",
)

WORST = {"host": ["x" * 8000], "origin": ["http://["]}
"""Header -> what was a fault once, and is tried each time."""


def test_no_header_of_a_stranger_is_a_fault(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """Whatever a header says, each address answers in two seconds, by no fault of ours."""
    target = Target(monkeypatch, str(tmp_path))

    async def send() -> None:
        await target.prepare()
        parts, turn = target.parts(target.over), count()
        for (route, method), name in product(list(target.routes()), HEADERS):
            path = re.sub(r"{(\w+)}", lambda match: parts[match[1]], route.path)
            token = "~".join(target.direct.tokens[target.over].values()) if "/links" in path else parts["token"]
            for value in [*some(HEADS, turn), *WORST.get(name, ())]:
                scope = scope_of(method, path, "", {"cookie": f"seat={token}"})
                scope["headers"] = [row for row in scope["headers"] if row[0] != name.encode()]
                scope["headers"].append((name.encode(), value.encode("latin-1")))
                begun = time.monotonic()
                status, _ = await target.direct.answer(scope, leaves=True)
                assert time.monotonic() - begun < SECONDS, (path, name, value[:40])
                assert status < 500, (path, name, value[:40], status)

    asyncio.run(send())


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of all parts of a document."""
    yield path
    rows = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in rows:
        yield from leaves(part, (*path, key))


HOSTILE_JSON: tuple[Any, ...] = (
    10**20,
    -1,
    10**4000,
    1.5,
    float("nan"),
    "",
    "\ud800",
    None,
    [],
    {},
    [[]] * 1000,
    "x" * 10_000,
    True,
)


def test_records_of_strangers_are_no_faults(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """A record each part of which was exchanged for something hostile begins a game or is wrong usage."""
    target = Target(monkeypatch, str(tmp_path))

    async def send() -> None:
        game = await target.finished()
        record = target.direct.games.call("record", [game, "0", target.direct.tokens[game]["0"]])["record"]
        (route,) = (route for route, method in target.routes() if route.path == "/new/{ruleset}" and method == "POST")
        statuses = []
        for place in leaves(record):
            for value in HOSTILE_JSON:
                whole = {"": json.loads(json.dumps(record))}
                *above, last = ("", *place)  # the whole is a part of something, too
                part: Any = whole
                for key in above:
                    part = part[key]
                part[last] = value
                text = json.dumps(whole[""]) if value != 10**4000 else json.dumps(whole[""], default=str)
                statuses.append(await target.asked(route, "POST", game, target.parts(game), [("record", text)]))
        assert {400, 409} >= set(statuses) - {303}
        assert statuses.count(400) > len(statuses) / 2

    asyncio.run(send())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("players", HUGE), ("players", "3"), ("players", "two"), ("minutes", "nan"), ("minutes", "-1"), ("each", "inf"),
        ("late", "nonsense"), ("late", "mcts:10000000"), ("bot.0", "mcts:10000000"), ("bot.0", "mcts:10"),
        ("bot.0", "nonsense"), ("bot.7", "random"), ("bot.-1", "random"), ("spectators", "all"), ("scenario", "none"),
        ("option.none", "1"), ("variant.none", "on"),
    ],
)  # fmt: skip
def test_what_a_new_game_can_not_have(monkeypatch: pytest.MonkeyPatch, tmp_path: Any, name: str, value: str) -> None:
    """Numbers out of range, names that there are not and bots that are too strong make no game: status 400 at once."""
    target = Target(monkeypatch, str(tmp_path))

    async def send() -> None:
        await target.prepare()
        (route,) = (route for route, method in target.routes() if route.path == "/new/{ruleset}" and method == "POST")
        pairs = [("players", "2"), ("minutes", "5")]
        good = await target.asked(route, "POST", target.over, target.parts(target.over), [*pairs, ("bot.0", "easy")])
        assert good == 303
        pairs = [pair for pair in pairs if pair[0] != name]
        assert await target.asked(route, "POST", target.over, target.parts(target.over), [*pairs, (name, value)]) == 400

    asyncio.run(send())


def test_no_field_is_read_elsewhere() -> None:
    """Only `fields.py` looks into a query, a form or the parts of an address that are numbers."""
    folder = Path(application.__file__).parent
    for file in sorted(folder.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        if file.name != "fields.py":
            for sign in ("query_params", ".form(max", "isdecimal() else", "int(request", "float(request"):
                allowed = sign == ".form(max" and file.name == "app.py"  # the files of an upload
                assert sign not in text or allowed, (file.name, sign)
