"""What strangers do to a server that others play on: one attack for some seconds, from one address.

    python -m tests.web.strangers NAME PORT SECONDS

Each attack keeps LINES requests under way, twice as many as a server works on for an address. At the end it says how
many were answered, by status.
"""

from __future__ import annotations

import asyncio
import io
import itertools
import json
import random
import re
import sys
import time
import zipfile
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import cache
from urllib.parse import urlencode

import click

from benchmarks.serve import ID, STAMP
from rulelang.web.guard import BODY

LINES = 32
HEAD = b"rulelang: 2\nname: mine\nplayers: 2\n"
Attack = Callable[["Stranger"], Awaitable[None]]
ATTACKS: dict[str, Attack] = {}
"""Name of an attack -> what is done again and again in each of LINES connections."""


def attack(function: Attack) -> Attack:
    """Note an attack by its name."""
    ATTACKS[function.__name__] = function
    return function


class Stranger:
    """Who attacks: connections from one address, and what was answered."""

    def __init__(self, port: int, home: str) -> None:
        self.port, self.home, self.statuses = port, home, Counter[str]()
        self.turn, self.games = itertools.count(), list[Game]()

    async def ask(
        self, path: str, body: bytes | None = None, kind: str = "application/x-www-form-urlencoded", *more: str
    ) -> tuple[int, str, str]:
        """Return status, head and text of an answer, over a connection of its own."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, local_addr=(self.home, 0))
        lines = [f"{'GET' if body is None else 'POST'} {path} HTTP/1.1", "Host: x", "Origin: http://x", *more]
        lines += ["Connection: close", f"Content-Length: {len(body or b'')}", f"Content-Type: {kind}", "", ""]
        try:
            writer.write("\r\n".join(lines).encode() + (body or b""))
            await writer.drain()
            head, _, text = (await reader.read()).decode("utf-8", "replace").partition("\r\n\r\n")
        finally:
            writer.close()
        status = head[9:12]
        self.statuses[status] += 1
        return int(status or 0), head, text

    async def form(self, path: str, pairs: Mapping[str, str], *more: str) -> tuple[int, str, str]:
        """Return what is answered to a form."""
        return await self.ask(path, urlencode(pairs).encode(), "application/x-www-form-urlencoded", *more)

    async def upload(self, files: Mapping[str, bytes]) -> tuple[int, str, str]:
        """Return what is answered to an upload."""
        parts = [
            f'--b\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n\r\n'.encode() + data + b"\r\n"
            for name, data in files.items()
        ]
        return await self.ask("/upload", b"".join(parts) + b"--b--\r\n", "multipart/form-data; boundary=b")

    async def game(self, ruleset: str, **form: str) -> Game:
        """Return a game of this stranger's own."""
        pairs = {"players": "2", "spectators": "public"} | form
        body = "".join(f'--b\r\nContent-Disposition: form-data; name="{k}"\r\n\r\n{v}\r\n' for k, v in pairs.items())
        _, head, _ = await self.ask(f"/new/{ruleset}", f"{body}--b--\r\n".encode(), "multipart/form-data; boundary=b")
        found = re.search(r"location: /g/([^/]+)/", head, re.IGNORECASE)
        if found is None:
            raise ConnectionError(f"no game: {head[9:12]}")
        cookie = re.search(r"set-cookie: seat=([^;]*)", head, re.IGNORECASE)
        assert cookie
        return Game(self, found[1], cookie[1].strip('"').split("~"))

    async def own(self, ruleset: str = "leduc") -> Game:
        """Return one of a few games of this stranger's own."""
        if len(self.games) < 8:
            self.games.append(await self.game(ruleset))
        return self.games[next(self.turn) % len(self.games)]


class Game:
    """A game all of whose seats one stranger has."""

    def __init__(self, stranger: Stranger, name: str, tokens: list[str]) -> None:
        self.stranger, self.name, self.tokens = stranger, name, tokens

    async def get(self, seat: int, path: str = "") -> str:
        """Return what a seat is shown."""
        cookie = f"Cookie: seat={self.tokens[seat]}"
        return (await self.stranger.ask(f"/g/{self.name}/{seat}{path}", None, "text/plain", cookie))[2]

    async def post(self, seat: int, path: str, **form: str) -> str:
        """Return what is answered to what a seat does."""
        cookie = f"Cookie: seat={self.tokens[seat]}"
        return (await self.stranger.form(f"/g/{self.name}/{seat}{path}", form, cookie, "HX-Request: true"))[2]

    async def choose(self) -> bool:
        """Make any choice; return whether one was there."""
        for seat in range(len(self.tokens) - 1):
            page = await self.get(seat, "/table")
            if "data-turn" in page and (ids := ID.findall(page)):
                await self.post(seat, "/act", id=random.choice(ids), stamp=STAMP.findall(page)[0])
                return True
        return False


# ---- games and bots


@attack
async def bots_by_name(stranger: Stranger) -> None:
    """Ask for bots that nobody offers."""
    bots = {f"bot.{seat}": f"mcts:{10**7}" for seat in range(2)}
    await stranger.form("/new/imaginarium", {"players": "2"} | bots)


@attack
async def bots_that_are_strong(stranger: Stranger) -> None:
    """Begin games of strong bots alone."""
    bots = {f"bot.{seat}": "strong" for seat in range(3)}
    game = await stranger.game("imaginarium", players="3", **bots)
    await game.get(0)


@attack
async def new_games(stranger: Stranger) -> None:
    """Begin games and open them."""
    game = await stranger.game(random.choice(("imaginarium", "ldd", "leduc")))
    await game.get(0)


@cache
def long_record() -> str:
    """A legal record of 3,000 choices."""
    import rulelang
    from rulelang.record import Record, RecordedChoice

    ruleset, rng = rulelang.load("imaginarium"), random.Random(1)
    state = ruleset.new_game(players=2, seed=3)
    record = Record.of(state, 3)
    while len(record.steps) < 3000 and not state.is_terminal():
        (seat,) = state.current_players()
        action = rng.choice(state.legal_actions(seat))
        state.apply(action, seat)
        record.steps.append(RecordedChoice(seat, action.id, state.hash()))
    return record.to_json()


@attack
async def long_records(stranger: Stranger) -> None:
    """Begin games from records of 3,000 choices, and open them: five at once."""
    if next(stranger.turn) % LINES >= 5:
        await asyncio.sleep(1)
        return
    game = await stranger.game("imaginarium", record=long_record())
    await game.get(0)
    await game.get(1, "/replay?at=1500")


@attack
async def undo_and_choose(stranger: Stranger) -> None:
    """Choose and take back, without an end."""
    game = await stranger.own()
    await game.choose()
    for seat in (0, 1):
        page = await game.get(seat, "/table")
        await game.post(seat, "/undo", stamp=(STAMP.findall(page) or [""])[0])


@attack
async def ask_and_refuse(stranger: Stranger) -> None:
    """Ask for an undo and a draw, refuse, talk, change names and seats, without an end."""
    game = await stranger.own("ldd")
    await game.choose()
    stamp = (STAMP.findall(await game.get(0, "/table")) or [""])[0]
    await game.post(0, "/undo", stamp=stamp)
    await game.post(1, "/consent", answer="no")
    await game.post(0, "/draw", answer="yes")
    await game.post(1, "/consent", answer="no")
    await game.post(0, "/chat", note="x" * 100_000)
    await game.post(0, "/name", name="x" * 100_000)
    await game.post(0, "/bot", bot="strong")
    await game.post(0, "/bot", bot="")


@attack
async def looking_back(stranger: Stranger) -> None:
    """Look back, fork, ask for records, reports and sheets of one's own games."""
    game = await stranger.own("ldd")
    for path in ("/replay?at=9999", "/record", "/sheet", "/why", "/log?find=a", "/rules", ""):
        await game.get(0, path)
    await game.post(0, "/fork", at="1")
    cookie = "Cookie: seat=" + "~".join(game.tokens)
    await stranger.ask(f"/g/{game.name}/links/report", None, "text/plain", cookie)


@attack
async def picks(stranger: Stranger) -> None:
    """Pick much, search for much."""
    game = await stranger.own("imaginarium")
    page = await game.get(0, "/table")
    names = re.findall(r'name="pick" value="([^"]*)"', page) or ["x"]
    query = "&".join(f"pick={random.choice(names).replace('&amp;', '%26')}" for _ in range(64))
    await game.get(0, f"/table?{query}&find={'e%20' * 60}")


# ---- connections


@attack
async def streams(stranger: Stranger) -> None:
    """Open streams, hundreds of them, and hang up again."""
    game, lines = await stranger.own(), list[asyncio.StreamWriter]()
    for seat in (0, 1, *([0] * 20)):
        reader, writer = await asyncio.open_connection("127.0.0.1", stranger.port, local_addr=(stranger.home, 0))
        cookie = f"Cookie: seat={game.tokens[seat]}"
        writer.write(f"GET /g/{game.name}/{seat}/events?stamp=x HTTP/1.1\r\nHost: x\r\n{cookie}\r\n\r\n".encode())
        lines.append(writer)
        stranger.statuses[(await reader.readline()).decode()[9:12]] += 1
    for writer in lines:
        writer.close()


@attack
async def slow_requests(stranger: Stranger) -> None:
    """Send heads and bodies byte by byte, ask for much and take nothing."""
    lines = list[asyncio.StreamWriter]()
    starts = [
        b"GET / HTTP/1.1\r\nHost: x\r\n",
        b"POST /new/leduc HTTP/1.1\r\nHost: x\r\nOrigin: http://x\r\nContent-Length: 1000000\r\n\r\nplayers=",
        b"GET /static/vendor/htmx.min.js HTTP/1.1\r\nHost: x\r\n\r\n" * 50,
    ]
    for number in range(12):
        _, writer = await asyncio.open_connection("127.0.0.1", stranger.port, local_addr=(stranger.home, 0), limit=1024)
        writer.write(starts[number % len(starts)])
        lines.append(writer)
    for _ in range(50):
        await asyncio.sleep(0.05)
        for writer in lines:
            with suppress(ConnectionError):
                writer.write(b"x")
    stranger.statuses["sent"] += len(lines)
    for writer in lines:
        writer.close()


# ---- bodies


DEEP = (
    b'{"ruleset": "leduc", "options": ' + b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"}",
    b'{"ruleset": ' + b"[" * 500_000 + b"]" * 500_000 + b"}",
    b'{"ruleset": "leduc", "options": {' + b",".join(b'"%d":1' % n for n in range(90_000)) + b"}}",
    b'{"ruleset": "leduc", "variants": [' + b",".join([b"1"] * 500_000) + b"]}",
    b'{"ruleset": "leduc", "record": "' + b"\\u0041" * 170_000 + b'"}',
    b'{"ruleset": ' + b"9" * 1_000_000 + b"}",
    b"{" + b",".join(b'"%d":[]' % n for n in range(90_000)) + b"}",
)


@attack
async def deep_json(stranger: Stranger) -> None:
    """Send JSON that is deep, wide, long."""
    body = DEEP[next(stranger.turn) % len(DEEP)]
    await stranger.ask("/api/v1/games", body[:BODY], "application/json")


FORMS = (
    ("application/x-www-form-urlencoded", b"&" * BODY),
    ("application/x-www-form-urlencoded", b"a=1&" * (BODY // 4)),
    ("application/x-www-form-urlencoded", b"record=" + b"%41" * (BODY // 3 - 9)),
    ("application/x-www-form-urlencoded", b"players=2&record={" + b"[" * (BODY - 100)),
    ("multipart/form-data; boundary=b", b'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n' * 20_000),
    ("multipart/form-data; boundary=b", b"--b\r\n" + b"X: y\r\n" * 170_000),
    ("multipart/form-data; boundary=b", b"\r\n" * (BODY // 2)),
    (
        "multipart/form-data; boundary=b",
        b'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n' + b"\r\n-" * 340_000,
    ),
)


@attack
async def huge_forms(stranger: Stranger) -> None:
    """Send forms that are long, of many fields, of many parts."""
    kind, body = FORMS[next(stranger.turn) % len(FORMS)]
    await stranger.ask("/new/leduc", body[:BODY], kind)


# ---- rulesets


def zipped(files: Mapping[str, bytes]) -> bytes:
    """A zip of some files."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


@cache
def bombs() -> tuple[dict[str, bytes], ...]:
    """Uploads that are no rulesets, or take long to check."""
    aliases = b"a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + b"".join(
        b"a%d: &a%d [%s]\n" % (n, n, b", ".join([b"*a%d" % (n - 1)] * 9)) for n in range(1, 12)
    )
    rules = b"setup:\n" + b"".join(b"  n := n + %d\n" % n for n in range(60_000))
    calls = b"".join(b"rule r%d:\n  call r%d\n  call r%d\n" % (n, n + 1, n + 1) for n in range(2_000))
    deep = b"setup:\n  n := " + b"(" * 100_000 + b"1" + b")" * 100_000 + b"\n"
    variable = b"variables:\n  n: number\n"
    return (
        {"x.zip": zipped({"ruleset.yaml": HEAD + b"#" * (4 << 20)})},
        {"x.zip": zipped({f"{n}.yaml": b"#" * 100_000 for n in range(1000)})},
        {f"{n}.yaml": b"a: 1\n" for n in range(199)} | {"ruleset.yaml": HEAD},
        {"ruleset.yaml": HEAD + aliases},
        {"ruleset.yaml": HEAD + b"x: " + b"[" * 200_000},
        {"x.zip": zipped({"ruleset.yaml": HEAD + variable, "a.rule": rules})},
        {"x.zip": zipped({"ruleset.yaml": HEAD + variable, "a.rule": calls})},
        {"ruleset.yaml": HEAD + variable, "a.rule": deep},
    )


@attack
async def bombs_sent(stranger: Stranger) -> None:
    """Send zips, YAML and rules that are bombs."""
    await stranger.upload(bombs()[next(stranger.turn) % len(bombs())])


SLOW = """rulelang 2
play:
  repeat:
    for p in players:
      turn of p: act()
rule act:
  choose:
    add:
      n := sum(x for x in numbers(1, 90000))
    loop:
      while n >= 0: n := count(numbers(1, 90000))
    place(spot in A) when stone[spot] is none:
      stone[spot] := you
      n := count(lines(A, 4))
"""
NOUNS = """
grids: {A: {columns: 64, rows: 64}}
variables: {n: {type: 0..999999999999}, stone: {type: "player?", per: A}}
"""


@attack
async def hostile_rulesets(stranger: Stranger) -> None:
    """Send a ruleset that takes long for each choice, and play it: a board of 4,096 spots, loops without an end."""
    if not stranger.games:
        if next(stranger.turn):
            await asyncio.sleep(1)
            return
        _, head, _ = await stranger.upload({"ruleset.yaml": HEAD + NOUNS.encode(), "a.rule": SLOW.encode()})
        found = re.search(r"location: /new/(\S+)", head, re.IGNORECASE)
        assert found, head
        for _ in range(8):
            stranger.games.append(await stranger.game(found[1]))
    game = await stranger.own()
    page = await game.get(0, "/table")
    for id_ in ("loop", "add"):
        await game.post(0, "/act", id=id_, stamp=(STAMP.findall(page) or ["x"])[0])
    await game.choose()


@attack
async def rulesets_in_a_loop(stranger: Stranger) -> None:
    """Ask for all that is known of rulesets."""
    name = random.choice(("imaginarium", "reco", "ldd", "droids"))
    paths = (f"/rules/{name}", f"/cover/{name}", f"/new/{name}?players=3", f"/api/v1/rulesets/{name}/rules",
             f"/api/v1/rulesets/{name}/schema", f"/api/v1/rulesets/{name}/cards", "/api/v1/openapi.json")  # fmt: skip
    await stranger.ask(random.choice(paths))


@attack
async def lobby(stranger: Stranger) -> None:
    """Ask for the lobby."""
    await stranger.ask("/")


@attack
async def small_answers(stranger: Stranger) -> None:
    """Ask for what is told of the server, and for files."""
    await stranger.ask(random.choice(("/health", "/metrics", "/static/vendor/htmx.min.js", "/nowhere", "/upload")))


@attack
async def wrong_tokens(stranger: Stranger) -> None:
    """Guess links."""
    game = random.choice(("x" * 16, "~" + "x" * 16))
    await stranger.ask(f"/join/{game}/0/{random.randrange(10**9)}")
    await stranger.ask(f"/api/v1/games/{game}/0", None, "text/plain", "Authorization: Bearer x")


@attack
async def api_misused(stranger: Stranger) -> None:
    """Wait for news that does not come, ask for events since long, act out of turn."""
    game = await stranger.own("ldd")
    bearer = f"Authorization: Bearer {game.tokens[0]}"
    base = f"/api/v1/games/{game.name}/0"
    stamp = re.findall(r'"stamp":"([^"]*)"', (await stranger.ask(f"{base}?since=0", None, "text/plain", bearer))[2])
    for path in (f"?since=0&wait=1&stamp={(stamp or [''])[0]}", "/decision?find=a", "/refusals", "/schema", "/cards"):
        await stranger.ask(base + path, None, "text/plain", bearer)
    body = json.dumps({"id": "x" * 900_000, "stamp": "x"}).encode()
    await stranger.ask(f"{base}/act", body, "application/json", bearer)


async def run(name: str, port: int, seconds: float) -> Counter[str]:
    """Attack for some seconds; return how many answers of each status there were."""
    long_record() if name == "long_records" else None
    click.echo("begun")
    home = f"127.0.1.{1 + [*ATTACKS].index(name)}"
    stranger, until = Stranger(port, home), time.monotonic() + seconds

    async def line() -> None:
        while time.monotonic() < until:
            try:
                await ATTACKS[name](stranger)
            except (OSError, asyncio.IncompleteReadError) as error:
                stranger.statuses[f"{type(error).__name__} {error}"[:40]] += 1
                await asyncio.sleep(0.05)

    lines = [asyncio.create_task(line()) for _ in range(LINES)]
    done, late = await asyncio.wait(lines, timeout=seconds + 1)
    for task in late:
        task.cancel()
    for task in done:
        task.result()
    await asyncio.gather(*late, return_exceptions=True)
    return stranger.statuses


if __name__ == "__main__":
    click.echo(json.dumps(asyncio.run(run(sys.argv[1], int(sys.argv[2]), float(sys.argv[3])))))
