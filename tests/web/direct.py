"""The application without a network and without processes: requests are calls, one worker answers all.

Each answer comes back as the bytes of its status, headers and body.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from urllib.parse import urlencode

from rulelang.web.app import Settings, application
from rulelang.web.games import Games
from rulelang.web.live import Live, UnfinishedError
from rulelang.web.seats import WATCH
from rulelang.web.store import Store
from rulelang.web.workers import Request, Thinkers

HOST = "games.example"


def scope_of(method: str, path: str, query: str, headers: dict[str, str]) -> dict[str, Any]:
    """A request as a server passes it on."""
    named = {"host": HOST, "origin": f"http://{HOST}"} | headers
    return {
        "type": "http", "method": method, "path": path, "raw_path": path.encode("utf-8", "surrogatepass"),
        "query_string": query.encode(), "headers": [(name.encode(), value.encode()) for name, value in named.items()],
        "scheme": "http", "server": (HOST, 80), "client": ("198.51.100.1", 1), "root_path": "", "http_version": "1.1",
    }  # fmt: skip


def loaded(get: Callable[[str], Any], address: str) -> Any:
    """The answer of an address, asked for again while a page says that it is loading, as that page does."""
    while (answer := get(address)).status_code == 202:
        assert answer.headers["refresh"] == "1"
        time.sleep(0.05)
    return answer


def opened(games: Games, game: str) -> Live:
    """A game, folded in as many slices as that takes."""
    while True:
        with suppress(UnfinishedError):
            return games.live(game)


class Host:
    """A worker in this process; what it is asked and answers passes through JSON as on a pipe."""

    def __init__(self, games: Games) -> None:
        self.games = games
        self.prepared: set[str] = set()

    async def kill(self) -> None:
        """Nothing of it runs."""

    async def call(self, request: Request, seconds: float = 0) -> Any:
        while True:
            with suppress(UnfinishedError):
                return json.loads(
                    json.dumps(self.games.call(request.method, json.loads(json.dumps(request.arguments))))
                )
            await asyncio.sleep(0)


class Direct:
    """An application with the games of one store. `tokens`: game -> place -> token."""

    def __init__(self, database: str = ":memory:", rulesets: Any = None, paths: Any = None, **settings: Any) -> None:
        self.games = Games(Store(database))
        if rulesets is not None:
            self.games._rulesets = rulesets
        every: dict[str, Any] = {"rulesets": paths or {}, "database": database, "pace": 0.0, **settings}
        self.asgi = application(Settings(**every))
        self.app = self.asgi.state.app
        host: Any = Host(self.games)
        self.app.workers.host = lambda _: host
        thinkers = Thinkers([host], host)
        self.app.workers.holding = [host]
        self.app.workers.loader = host
        self.app.workers.thinkers = lambda _: thinkers
        self.app._prepare = lambda *_: asyncio.create_task(asyncio.sleep(0))
        self.tokens: dict[str, dict[str, str]] = {}

    def make(self, **settings: Any) -> str:
        """Make a game; its name."""
        form: dict[str, Any] = {"overlays": [], "options": {}, "bots": {}, "spectators": "public", "clock": None}
        form |= {"mark": "", **settings}
        made = self.games.call("create", [form])
        self.tokens[made["game"]] = made["tokens"]
        return str(made["game"])

    def _scope(self, game: str, place: str, path: str, method: str, headers: dict[str, str]) -> dict[str, Any]:
        token = self.tokens[game].get(place, "")
        path, _, query = f"/g/{game}/{place}{path}".partition("?")
        return scope_of(method, path, query, {"cookie": f"seat={token}"} | headers)

    async def ask(
        self, game: str, place: str, path: str = "", form: dict[str, str] | None = None, **headers: str
    ) -> tuple[int, bytes]:
        """The status, and all bytes, of an answer."""
        body = urlencode(form or {}).encode()
        if form is not None:
            headers |= {"content-type": "application/x-www-form-urlencoded", "content-length": str(len(body))}
        return await self.answer(self._scope(game, place, path, "GET" if form is None else "POST", headers), body)

    async def answer(
        self, scope: dict[str, Any], body: bytes = b"", leaves: bool = False, bare: bool = False
    ) -> tuple[int, bytes]:
        """The status, and all bytes, of an answer.

        Args:
            leaves: whether the sender hangs up once the request is there. bare: whether the body is all.
        """
        sent: list[dict[str, Any]] = []
        begun = iter([{"type": "http.request", "body": body, "more_body": False}])

        async def receive() -> dict[str, Any]:
            gone = {"type": "http.disconnect"} if leaves else {"type": "http.request", "body": body, "more_body": False}
            return next(begun, gone)

        async def send(message: Any) -> None:
            sent.append(message)

        await self.asgi(scope, receive, send)
        data = b"".join(message.get("body", b"") for message in sent)
        head = b"" if bare else repr((sent[0]["status"], sorted(sent[0]["headers"]))).encode()
        return sent[0]["status"], head + data

    async def api(
        self, method: str, path: str, body: Any = None, token: str | None = None, **headers: str
    ) -> tuple[int, Any]:
        """The status and the JSON of an answer of the API; `body`: JSON, or bytes."""
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        path, _, query = f"/api/v1{path}".partition("?")
        sent = {"authorization": f"Bearer {token}"} if token else {}
        sent |= {"origin": "https://elsewhere.example"} | headers
        if body is not None:
            sent = {"content-type": "application/json", "content-length": str(len(data))} | sent
        status, answer = await self.answer(scope_of(method, path, query, sent), data, bare=True)
        return status, json.loads(answer)

    def listen(self, game: str, place: str) -> tuple[asyncio.Task[None], list[bytes]]:
        """Open a stream; the task that holds it, what comes."""
        chunks: list[bytes] = []

        begun = iter([{"type": "http.request", "body": b"", "more_body": False}])

        async def receive() -> dict[str, Any]:
            if (message := next(begun, None)) is None:
                await asyncio.Event().wait()
            return message or {}

        async def send(message: Any) -> None:
            chunks.append(message.get("body", b""))

        scope = self._scope(game, place, "/events", "GET", {})
        return asyncio.create_task(self.asgi(scope, receive, send)), chunks

    def places(self, game: str) -> list[str]:
        """Who can look at a game."""
        return [*(place for place in self.tokens[game] if place.isdecimal()), WATCH]
