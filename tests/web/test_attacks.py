"""Attacks from outside: on the application without a network, and on a real server by bare sockets."""

from __future__ import annotations

import asyncio
import random
import re
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from starlette.requests import Request

from benchmarks.serve import ID, STAMP, memory
from rulelang.web import guard
from rulelang.web.api import server as server_of_api
from rulelang.web.guard import client_address
from tests.soak import times
from tests.web.direct import Direct, scope_of
from tests.web.test_games import KUHN, LEDUC
from tests.web.test_kill import Server, Table

GETS = (
    "",
    "/table",
    "/sheet",
    "/why",
    "/card?piece=K",
    "/record",
    "/replay?at=1",
    "/events",
    "/picture/x.png",
    "/report",
)
POSTS = ("/act", "/undo", "/consent", "/name", "/bot", "/note", "/renew", "/fork")


def test_no_place_opens_another(tmp_path: Path) -> None:
    """With the token of another seat, of another game, of the maker or none at all each address of a seat gives the
    same answer as a game that is not there, and changes nothing."""
    direct = Direct()
    game, other = direct.make(path=LEDUC, players=2, spectators="off"), direct.make(path=LEDUC, players=2)
    mine = direct.tokens[game]
    forms = {"id": "bet", "stamp": "x", "name": "eve", "bot": "random", "note": "eve", "answer": "yes", "at": "0"}

    async def attack() -> None:
        for token in (
            mine["1"],
            mine["links"],
            direct.tokens[other]["0"],
            "",
            "0" * 32,
            f"{mine['0']}x",
            mine["0"][:-1],
        ):
            direct.tokens[game] = mine | {"0": token, "watch": mine["0"]}
            direct.tokens["nowhere"] = {"0": token}
            for path in (*GETS, *POSTS):
                form = forms if path in POSTS else None
                answer = await direct.ask(game, "0", path, form)
                assert answer == await direct.ask("nowhere", "0", path, form), (path, token)
                assert answer[0] == 404, (path, token)
                assert (await direct.ask(game, "watch", path, form))[0] in (403, 404), path

    direct.app.failures._most = 10_000
    asyncio.run(attack())
    assert [event.kind for event in direct.games.store.events(game)] == ["game"]


def test_posts_that_were_made_count_for_nothing_again() -> None:
    """All posts of a game, sent again in any order by any seat while it goes on and when it is over, change nothing."""
    direct, rng = Direct(), random.Random(2)
    game = direct.make(path=LEDUC, players=2)

    async def attack() -> None:
        posts: list[tuple[str, dict[str, str]]] = []
        while not (live := direct.games.live(game)).session.state.is_terminal():
            (seat,) = live.session.state.current_players()
            form = {"id": rng.choice(live.session.state.legal_actions(seat)).id, "stamp": live.stamp(seat)}
            before = live.number
            for _, old in rng.sample(posts, len(posts)):
                for place in ("0", "1"):
                    assert (await direct.ask(game, place, "/act", old))[0] == 409
            assert direct.games.live(game).number == before
            assert (await direct.ask(game, str(seat), "/act", form))[0] == 303
            posts.append((str(seat), form))
        assert len(posts) > 1
        for place, old in posts:
            assert (await direct.ask(game, place, "/act", old))[0] == 409
            assert (await direct.ask(game, place, "/undo", {"stamp": old["stamp"]}))[0] == 409
        assert len(direct.games.live(game).session.moments) == len(posts)

    asyncio.run(attack())


@pytest.mark.parametrize(
    "name",
    [
        "<script>alert(1)</script>", "\"'><img src=x onerror=alert(1)>", "\u202egnp.\u2066x\u2069",
        "a\0b\r\nSet-Cookie: x=y",
        "{{ 7*7 }}{% raw %}", "&#60;b&#62;", "\ufeff\u200bx", "é" * 10_000, "</title><base href=//evil>",
    ],
)  # fmt: skip
def test_names_and_notes_stay_texts(name: str) -> None:
    """Whatever a person is called, pages have no other element, header or attribute for it."""
    direct = Direct()
    game = direct.make(path=KUHN, players=2)

    async def shape() -> list[tuple[int, list[str]]]:
        pages = [await direct.ask(game, place, path) for place in ("0", "1", "watch") for path in ("", "/sheet")]
        return [(status, re.findall(r"<[a-z/!][^\s>]*", data.decode())) for status, data in pages]

    async def attack() -> None:
        assert (await direct.ask(game, "0", "/name", {"name": "Ann"}))[0] == 303
        plain = await shape()
        assert (await direct.ask(game, "0", "/name", {"name": name}))[0] == 303
        assert await shape() == plain
        page = (await direct.ask(game, "1"))[1].decode()
        assert not re.search("[\u202a-\u202e\u2066-\u2069\0]", page)
        assert len(page) < 100_000
        assert (await direct.ask(game, "0", "/name", {"name": "x" * (10 << 20)}))[0] == 413
        long = {"content-length": "9" * 5000}
        assert (await direct.ask(game, "0", "/name", {"name": "x"}))[0] == 303
        assert (await direct.ask(game, "0", "/table", None, **long))[0] == 413

    asyncio.run(attack())


# ---- bare sockets --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    options = ("--workers", "1", "--thinkers", "1")
    server = Server(str(tmp_path_factory.mktemp("attacks") / "games.sqlite"), *options)
    asyncio.run(server.start())
    yield server
    server.process.terminate()
    server.process.wait(20)


def spoken(server: Server, data: bytes, seconds: float = 10.0) -> bytes:
    """What a server answers to bytes before it hangs up, or after which it is silent for a while."""
    with closing(socket.create_connection(("127.0.0.1", server.port), timeout=seconds)) as line:
        line.sendall(data)
        answer = b""
        try:
            while part := line.recv(65536):
                answer += part
                if b"\r\n\r\n" in answer:
                    break
        except ConnectionResetError:
            pass
        return answer


async def play(server: Server, games: int, seed: int) -> float:
    """Play some games to their end; the longest that a click took, in seconds."""
    rng, longest = random.Random(seed), 0.0
    for _ in range(games):
        table = Table(server.port)
        await table.make()
        while True:
            pages = [
                (await browser.ask(f"/g/{table.game}/{seat}/table"))[2] for seat, browser in enumerate(table.browsers)
            ]
            seat = next((seat for seat, page in enumerate(pages) if "data-turn" in page), None)
            if seat is None:
                assert all("data-over" in page for page in pages)
                break
            form = {"id": rng.choice(ID.findall(pages[seat])), "stamp": STAMP.findall(pages[seat])[0]}
            begun = time.monotonic()
            assert (await table.browsers[seat].ask(f"/g/{table.game}/{seat}/act", form))[0] == 303
            longest = max(longest, time.monotonic() - begun)
    return longest


GET = b"GET / HTTP/1.1\r\nHost: x\r\n"
POST = b"POST /new/leduc HTTP/1.1\r\nHost: x\r\nOrigin: http://x\r\n"


@pytest.mark.parametrize(
    "data",
    [
        b"\0" * 1000 + b"\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 50 + b"\r\n\r\n", b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n", b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        GET + b"X: " + b"a" * 1_000_000 + b"\r\n\r\n", GET + b"X: a\r\n" * 100_000 + b"\r\n",
        GET + b"Content-Length: -1\r\n\r\n", GET + b"Content-Length: 99999999999999999999\r\n\r\n",
        POST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /x HTTP/1.1\r\n\r\n",
        POST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n", GET + b"Cookie: seat=\xff\xfe\r\n : x\r\n\r\n",
        b"GET /g/%00/%ff%fe/..%2f HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /static/%2e%2e/app.py HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /g/a/0/replay?at=" + b"9" * 5000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        b"TRACE / HTTP/1.1\r\nHost: x\r\n\r\n",
        POST + b"Content-Type: multipart/form-data; boundary=\xff\r\nContent-Length: 4\r\n\r\n--\r\n",
        POST + b"Content-Type: multipart/form-data\r\nContent-Length: 4\r\n\r\nabcd",
        POST + b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 16\r\n\r\nplayers=%ff%fe&&",
        POST + b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 9\r\n\r\nplayers=x",
    ],
)  # fmt: skip
def test_what_is_no_request_is_refused(server: Server, data: bytes) -> None:
    """Malformed requests, floods of headers and smuggled ones get an answer or none, never an error of ours."""
    answer = spoken(server, data)
    assert re.match(rb"HTTP/1.1 [234]\d\d ", answer) or answer == b"", answer[:200]
    assert b" 200 " in spoken(server, GET + b"Connection: close\r\n\r\n").splitlines()[0]


def test_slow_clients_hold_nobody_up(server: Server) -> None:
    """While many send heads and forms byte by byte, and many take neither stream nor page, games go on."""
    lines = []
    halves = [
        GET,
        POST + b"Content-Length: 1000000\r\n\r\nplayers=",
        b"GET /static/vendor/htmx.min.js HTTP/1.1\r\nHost: x\r\n\r\n" * 500,
    ]
    for number in range(times(30)):
        line = socket.create_connection(("127.0.0.1", server.port))
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        line.setblocking(False)
        lines.append(line)
        line.send(halves[number % len(halves)])
    try:
        assert asyncio.run(play(server, 2, 1)) < 5
    finally:
        for line in lines:
            line.close()
    assert asyncio.run(play(server, 1, 2)) < 5


def test_forms_that_do_not_come_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A form that is not whole in time, or has more bytes than it says, is refused; a stream may stay as long as it
    likes."""
    monkeypatch.setattr(guard, "BODY_SECONDS", 0.05)
    direct = Direct()
    game = direct.make(path=KUHN, players=2)
    bodies = {"slow": [b"name="], "long": [b"x" * (guard.BODY // 2)] * 3}

    async def send(parts: list[bytes]) -> int:
        headers = {"content-type": "application/x-www-form-urlencoded"}
        scope, left = direct._scope(game, "0", "/name", "POST", headers), list(parts)
        sent: list[Any] = []

        async def receive() -> dict[str, object]:
            if not left:
                await asyncio.sleep(60)
            return {"type": "http.request", "body": left.pop(0), "more_body": True}

        async def take(message: Any) -> None:
            sent.append(message)

        await direct.asgi(scope, receive, take)
        return int(sent[0]["status"])

    async def attack() -> None:
        task, chunks = direct.listen(game, "0")
        assert {name: await send(parts) for name, parts in bodies.items()} == {"slow": 408, "long": 408}
        await asyncio.sleep(0.2)
        assert not task.done()
        assert chunks
        task.cancel()

    asyncio.run(attack())
    assert direct.games.live(game).names == {}


def test_an_address_has_so_many_requests_at_once() -> None:
    """Of many requests of one address some are worked on, the others wait; those of others don't, nor do answers that
    have begun and requests that wait for news count."""
    begun: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        begun.append(scope["path"])
        if scope["path"] == "/news":
            await guard.waiting(scope)
        if scope["path"] == "/stream":
            await send({"type": "http.response.start", "status": 200, "headers": []})
        await gate.wait()

    async def send(_: Any) -> None:
        """Take what is sent."""

    async def attack() -> None:
        guarded: Any = guard.RequestGuard(app)

        def ask(path: str, address: str, number: int) -> list[asyncio.Task[None]]:
            scope = scope_of("GET", path, "", {}) | {"client": (address, 1)}
            return [asyncio.create_task(guarded(dict(scope), send, send)) for _ in range(number)]

        tasks = ask("/news", "192.0.2.1", 50) + ask("/stream", "192.0.2.1", 50) + ask("/page", "192.0.2.1", 50)
        tasks += ask("/other", "192.0.2.2", 1)
        await asyncio.sleep(0.01)
        assert Counter(begun) == {"/news": 50, "/stream": 50, "/page": guard.AT_ONCE, "/other": 1}
        gate.set()
        await asyncio.gather(*tasks)
        assert begun.count("/page") == 50

    gate = asyncio.Event()
    asyncio.run(attack())


def test_a_long_body_is_parsed_beside_other_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    """While long bodies of an address are parsed, one after the other, others are answered; short ones are parsed at
    once."""
    goes_on, under_way, most = threading.Event(), [0], [0]

    def slow(body: bytes, rows: Any) -> Any:
        if len(body) > guard.LONG:
            under_way[0] += 1
            most[0] = max(most[0], under_way[0])
            assert goes_on.wait(10)
            under_way[0] -= 1
        return own(body, rows)

    own = server_of_api._fields
    monkeypatch.setattr(server_of_api, "_fields", slow)
    direct = Direct()
    game = direct.make(path=KUHN, players=2)
    token = direct.tokens[game]["0"]

    async def attack() -> None:
        def send(text: str) -> asyncio.Task[Any]:
            return asyncio.create_task(direct.api("POST", f"/games/{game}/0/note", {"text": text}, token))

        long = [send("x" * guard.LONG) for _ in range(3)]
        assert (await send("y"))[0] == 200
        assert (await direct.ask(game, "0"))[0] == 200
        assert not any(task.done() for task in long)
        goes_on.set()
        assert [status for status, _ in await asyncio.gather(*long)] == [200] * 3
        assert most == [1]

    asyncio.run(attack())


def test_uploads_of_an_address_are_checked_one_after_the_other(tmp_path: Path) -> None:
    """Of what one address sends one upload is checked at a time, in a process that leaves others their time; what
    another one sends meanwhile is checked at once."""
    direct = Direct(uploads=str(tmp_path))
    under_way, traits = Counter[str](), []

    class Checker:
        async def call(self, request: Any) -> Any:
            (name,) = request.arguments[-1]
            under_way[name] += 1
            await goes_on.wait()
            return {"key": name}

        async def kill(self) -> None:
            """Nothing of it runs."""

    def checker(**named: bool) -> Any:
        traits.append(named)
        return Checker()

    direct.app.workers.stranger = checker
    body = b'--b\r\nContent-Disposition: form-data; name="files"; filename="%s.yaml"\r\n\r\nx\r\n--b--\r\n'

    async def attack() -> None:
        def send(name: bytes, address: str) -> asyncio.Task[tuple[int, bytes]]:
            headers = {"content-type": "multipart/form-data; boundary=b", "content-length": str(len(body % name))}
            scope = scope_of("POST", "/upload", "", headers) | {"client": (address, 1)}
            return asyncio.create_task(direct.answer(scope, body % name))

        tasks = [send(b"mine", "192.0.2.1") for _ in range(3)] + [send(b"other", "192.0.2.2")]
        await asyncio.sleep(0.05)
        assert under_way == {"mine.yaml": 1, "other.yaml": 1}
        goes_on.set()
        assert [status for status, _ in await asyncio.gather(*tasks)] == [303] * 4
        assert traits == [{"quiet": True}] * 4

    goes_on = asyncio.Event()
    asyncio.run(attack())


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("192.0.2.7", "192.0.2.7"), ("2001:db8:1:2::7", "2001:db8:1:2::"), ("2001:db8:1:2:ffff::9", "2001:db8:1:2::"),
        ("::ffff:192.0.2.7", "192.0.2.7"), ("", ""), ("unix:", "unix:"),
    ],
)  # fmt: skip
def test_limits_count_by_network(address: str, counted: str) -> None:
    """Whoever has a network of IPv6 addresses is one sender."""
    assert client_address(Request(scope_of("GET", "/", "", {}) | {"client": (address, 1)})) == counted


@pytest.mark.soak
def test_a_thousand_streams_and_many_moves_leave_memory_flat(server: Server) -> None:
    """With 1,000 streams open clicks are served; the memory of all processes after many games is that after few."""

    async def attack() -> None:
        tables = [Table(server.port) for _ in range(10)]
        for table in tables:
            await table.make()
        streams = []
        for number in range(1000):
            table, seat = tables[number % 10], number // 10 % 2
            browser = table.browsers[seat]
            streams.append(await browser._sent(f"/g/{table.game}/{seat}/events", None))
        assert [status for _, status in streams] == [200] * 1000
        assert await play(server, 3, 3) < 5
        for (_, writer), _ in streams:
            writer.close()
        await play(server, times(10), 4)
        before = memory(server.process.pid)
        await play(server, times(40), 5)
        assert memory(server.process.pid) < before * 1.1 + 4

    asyncio.run(attack())


def test_odd_numbers_are_refused() -> None:
    """Numbers in addresses and forms that are none, or have thousands of digits, are wrong usage or not there."""
    direct = Direct()
    game = direct.make(path=KUHN, players=2)

    async def attack() -> None:
        while not (state := direct.games.live(game).session.state).is_terminal():
            (seat,) = state.current_players()
            form = {"id": state.legal_actions(seat)[0].id, "stamp": direct.games.live(game).stamp(seat)}
            assert (await direct.ask(game, str(seat), "/act", form))[0] == 303
        for number in ("9" * 5000, "12345678x", "-1", "１", "½", "\0", "1e9", "nan"):
            assert (await direct.ask(game, "0", f"/replay?at={quote(number)}"))[0] == 400, number
            assert (await direct.ask(game, "0", f"/replay?seat={quote(number)}"))[0] in (400, 404), number
            assert (await direct.ask(game, "0", f"/{quote(number)}"))[0] == 404, number
            assert (await direct.ask(game, "0", "/fork", {"at": number}))[0] == 400, number
        assert (await direct.ask(game, "0", "/replay?at=1"))[0] == 200
        assert (await direct.ask(game, "0", "/replay?at=1&at=1"))[0] == 400
        assert (await direct.ask(game, "0", "/fork", {"at": "1"}))[0] == 303

    asyncio.run(attack())
