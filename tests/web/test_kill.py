"""`kill -9` of a real server while clients click: nothing that was answered is lost, nothing is made twice.

`RULELANG_KILLS` is how often the server is killed.
"""

from __future__ import annotations

import asyncio
import logging
import os
import random
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from statistics import quantiles

import pytest

from benchmarks.serve import ID, JOIN, STAMP, Browser
from rulelang.web.games import Games
from rulelang.web.store import Store
from tests.soak import times
from tests.web.direct import opened
from tests.web.test_games import LEDUC, ROOT

LOG = logging.getLogger(__name__)
"""How long pages took to be in step: `--log-cli-level=INFO`."""
KILLS = int(os.environ.get("RULELANG_KILLS", times(2)))
TABLES = 3
IN_STEP = float(os.environ.get("RULELANG_IN_STEP", "5"))
"""The seconds until all pages are in step; 1 on a machine that does nothing else."""
GONE = (ConnectionError, asyncio.IncompleteReadError)


class Server:
    """`rulelang serve` on a port that stays the same."""

    def __init__(self, database: str, *options: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.command = [sys.executable, "-m", "rulelang", "serve", LEDUC, "--port", str(self.port)]
        self.command += ["--database", database, *options]

    async def start(self) -> None:
        self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL, cwd=ROOT)
        until = time.monotonic() + 60
        while socket.socket().connect_ex(("127.0.0.1", self.port)):
            assert time.monotonic() < until
            await asyncio.sleep(0.02)

    def kill(self) -> None:
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()


class Table:
    """A game, a browser at each seat; what was answered, and what was sent and not answered."""

    def __init__(self, port: int) -> None:
        self.maker = Browser(port)
        self.browsers = [Browser(port), Browser(port)]
        self.answered: list[tuple[int, str]] = []
        self.sent: tuple[int, dict[str, str]] | None = None

    async def make(self) -> None:
        _, head, _ = await self.maker.ask("/new/leduc", {"players": "2"})
        where = next(line[10:].strip() for line in head.splitlines() if line.lower().startswith("location:"))
        self.game = where.split("/")[2]
        for browser, link in zip(self.browsers, JOIN.findall((await self.maker.ask(where))[2]), strict=True):
            await browser.ask(link)

    async def play(self, rng: random.Random) -> None:
        """Click until the server is gone or the game is over."""
        with suppress(*GONE):
            while True:
                for seat, browser in enumerate(self.browsers):
                    page = (await browser.ask(f"/g/{self.game}/{seat}/table"))[2]
                    if "data-over" in page:
                        return
                    if "data-turn" in page and (ids := ID.findall(page)):
                        self.sent = seat, {"id": rng.choice(ids), "stamp": STAMP.findall(page)[0]}
                        await self._click()

    async def _click(self) -> tuple[int, str]:
        assert self.sent is not None
        seat, form = self.sent
        status, head, _ = await self.browsers[seat].ask(f"/g/{self.game}/{seat}/act", form, "HX-Request: true\r\n")
        if status == 200 and "x-refused" not in head:
            self.answered.append((seat, form["id"]))
        self.sent = None
        return status, head

    async def again(self, stands: list[tuple[int, str]]) -> None:
        """What was not answered is sent once more: it counts only if it did not before."""
        if self.sent is not None:
            lost = stands == self.answered
            assert lost or stands == [*self.answered, (self.sent[0], self.sent[1]["id"])]
            status, head = await self._click()
            assert status == 200
            assert ("x-refused: stale" in head) != lost
            self.answered = stands if not lost else self.answered
        else:
            assert stands == self.answered

    async def in_step(self, stamps: list[str]) -> None:
        """Open the stream of each seat with an old stamp, as its page does, and fetch what it tells of."""
        for seat, browser in enumerate(self.browsers):
            async for stamp in browser.stream(f"/g/{self.game}/{seat}/events?stamp=old"):
                page = (await browser.ask(f"/g/{self.game}/{seat}/table"))[2]
                assert stamp == STAMP.findall(page)[0] == stamps[seat]
                break


@pytest.mark.soak
def test_a_killed_server_loses_and_doubles_nothing(tmp_path: Path) -> None:
    """At random moments, with three games: after the restart each stands where its answered moves led (its hashes are
    verified as it is folded), at most one unanswered move was made, and pages are in step soon after they reconnect."""

    async def rounds() -> None:
        database, rng = str(tmp_path / "games.sqlite"), random.Random(3)
        server = Server(database)
        await server.start()
        waits, made, unanswered = [], 0, 0
        try:
            for _ in range(KILLS):
                tables = [Table(server.port) for _ in range(TABLES)]
                await asyncio.gather(*(table.make() for table in tables))
                playing = [asyncio.create_task(table.play(random.Random(rng.random()))) for table in tables]
                await asyncio.sleep(rng.random() * 0.5)
                server.kill()
                await asyncio.gather(*playing)
                await server.start()
                begun = time.monotonic()
                await asyncio.gather(*(table.maker.ask("/") for table in tables))
                games = Games(Store(database))
                for table in tables:
                    live = opened(games, table.game)
                    steps = [(step.seat, step.id) for step in live.session.record.steps]
                    unanswered += table.sent is not None
                    begun = time.monotonic()
                    await table.in_step([live.stamp(seat) for seat in (0, 1)])
                    waits.append(time.monotonic() - begun)
                    await table.again(steps)
                    live = opened(games, table.game)
                    assert [(step.seat, step.id) for step in live.session.record.steps] == table.answered
                    made += len(table.answered)
        finally:
            server.kill()
        middle, last = quantiles(waits, n=20)[9::9]
        told = "%d kills, %d moves, %d not answered; in step after p50 %.2f, p95 %.2f, at most %.2f s"
        LOG.info(told, KILLS, made, unanswered, middle, last, max(waits))
        assert max(waits) < IN_STEP

    asyncio.run(rounds())
