"""Harm to a real server while clients click: nothing that was answered is lost, nothing is made twice, and it is up
again by itself. The server is killed, its database restarted, its disk filled, the clock of its machine set.

`RULELANG_KILLS` is how often the server is killed.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from statistics import quantiles
from typing import Any

import pytest

from benchmarks.serve import ID, JOIN, STAMP, Browser, processes
from rulelang.diagnostics import UsageError
from rulelang.web.games import Games
from rulelang.web.store import BEAT_SECONDS, Store
from tests.soak import times
from tests.web.direct import opened
from tests.web.test_games import LEDUC, ROOT

LOG = logging.getLogger(__name__)
"""How long pages took to be in step: `--log-cli-level=INFO`."""
KILLS = int(os.environ.get("RULELANG_KILLS", times(2)))
HARMS = times(1)
"""How often any other harm is done."""
TABLES = 3
MINUTES = 5
"""On the clock of each seat."""
IN_STEP = float(os.environ.get("RULELANG_IN_STEP", "5"))
"""The seconds until all pages are in step; 1 on a machine that does nothing else."""
GONE = (ConnectionError, asyncio.IncompleteReadError)


class Server:
    """`rulelang serve` on a port that stays the same."""

    def __init__(self, database: str, *options: str, **environment: str) -> None:
        self.database, self.environment = database, os.environ | environment
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.command = [sys.executable, "-m", "rulelang", "serve", LEDUC, "--port", str(self.port)]
        self.command += ["--database", database, *options]

    async def start(self) -> None:
        self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL, cwd=ROOT, env=self.environment)
        until = time.monotonic() + 60
        while socket.socket().connect_ex(("127.0.0.1", self.port)):
            assert time.monotonic() < until
            await asyncio.sleep(0.02)

    def kill(self) -> None:
        """Kill the server; its workers end by themselves, and may write what they were asked for until then."""
        left = processes(self.process.pid)
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()
        while any(Path(f"/proc/{process}").exists() for process in left):
            time.sleep(0.02)


class Table:
    """A game, a browser at each seat; what was answered, and what was sent and not answered."""

    def __init__(self, port: int) -> None:
        self.maker = Browser(port)
        self.browsers = [Browser(port), Browser(port)]
        self.answered: list[tuple[int, str]] = []
        self.sent: tuple[int, dict[str, str]] | None = None

    async def make(self) -> None:
        status, head, text = await self.maker.ask("/new/leduc", {"players": "2", "minutes": str(MINUTES)})
        assert status == 303, text
        where = next(line[10:].strip() for line in head.splitlines() if line.lower().startswith("location:"))
        self.game = where.split("/")[2]
        for browser, link in zip(self.browsers, JOIN.findall((await self.maker.ask(where))[2]), strict=True):
            await browser.ask(link)

    async def play(self, rng: random.Random) -> None:
        """Click until the server is gone, or its database, or the game is over."""
        with suppress(*GONE):
            while True:
                for seat, browser in enumerate(self.browsers):
                    status, _, page = await browser.ask(f"/g/{self.game}/{seat}/table")
                    if "data-over" in page or status == 503 or self.sent is not None:
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
        if status != 503:  # then it may have been written
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

    async def left(self) -> list[float]:
        """The seconds on the clocks of the seats."""
        _, _, text = await self.browsers[0].ask(f"/api/v1/games/{self.game}/0?lang=en", None, self.bearer())
        return [clock["seconds"] for clock in json.loads(text)["clocks"]]

    def bearer(self) -> str:
        return f"Authorization: Bearer {self.browsers[0].cookie.partition('=')[2]}\r\n"


Harm = Callable[[Server, random.Random], Awaitable[None]]
"""Does harm, and waits until what harmed is over."""


async def rounds(server: Server, harm: Harm, number: int) -> None:
    """Harm a server at random moments, with three games: then each stands where its answered moves led (its hashes are
    verified as it is folded), at most one unanswered move was made, no time has passed on the clocks but that of the
    round, and pages are in step soon after they reconnect."""
    rng = random.Random(3)
    await server.start()
    waits, made, unanswered = [], 0, 0
    try:
        for _ in range(number):
            tables, begun = [Table(server.port) for _ in range(TABLES)], time.monotonic()
            await asyncio.gather(*(table.make() for table in tables))
            playing = [asyncio.create_task(table.play(random.Random(rng.random()))) for table in tables]
            await asyncio.sleep(rng.random() * 0.5)
            await harm(server, rng)
            await asyncio.gather(*playing)
            while json.loads((await tables[0].maker.ask("/health"))[2])["ok"] is not True:
                await asyncio.sleep(0.1)
            games = Games(Store(server.database))
            for table in tables:
                live = opened(games, table.game)
                steps = [(step.seat, step.id) for step in live.session.record.steps]
                unanswered += table.sent is not None
                back = time.monotonic()
                await table.in_step([live.stamp(seat) for seat in (0, 1)])
                waits.append(time.monotonic() - back)
                await table.again(steps)
                live = opened(games, table.game)
                assert [(step.seat, step.id) for step in live.session.record.steps] == table.answered
                made += len(table.answered)
                left, passed = await table.left(), time.monotonic() - begun
                assert min(left) > MINUTES * 60 - passed - BEAT_SECONDS, (left, passed)
            games.store.close()
    finally:
        server.kill()
    middle, last = quantiles(waits, n=20)[9::9]
    told = "%d times, %d moves, %d not answered; in step after p50 %.2f, p95 %.2f, at most %.2f s"
    LOG.info(told, number, made, unanswered, middle, last, max(waits))
    assert max(waits) < IN_STEP


async def kill(server: Server, _: random.Random) -> None:
    """Kill a server, and start it again."""
    server.kill()
    await server.start()


@pytest.mark.soak
def test_a_killed_server_loses_and_doubles_nothing(tmp_path: Path) -> None:
    """The server is killed and started again."""
    asyncio.run(rounds(Server(str(tmp_path / "games.sqlite")), kill, KILLS))


@pytest.fixture
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL server of this test alone."""
    found = shutil.which("postgres")
    if found is None or find_spec("psycopg") is None:
        pytest.skip("there is no PostgreSQL, or no psycopg")
    with tempfile.TemporaryDirectory() as folder:
        server = Postgres(Path(found).resolve().parent, Path(folder))
        yield server
        server.stop()


class Postgres:
    """A PostgreSQL server of a user without rights, as it runs as no other; it knows of no encoding of texts."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self.user: dict[str, Any] = {"user": "nobody", "group": "nogroup"} if os.getuid() == 0 else {}
        if self.user:
            shutil.chown(folder, "nobody", "nogroup")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        make = [str(programs / "initdb"), "-D", f"{folder}/data", "-U", "games", "-A", "trust", "-E", "SQL_ASCII"]
        subprocess.run(make, check=True, stdout=subprocess.DEVNULL, cwd=folder, **self.user)
        self.command = [str(programs / "postgres"), "-D", f"{folder}/data", "-k", str(folder), "-p", str(port)]
        self.folder, self.address = folder, f"postgresql://games@127.0.0.1:{port}/postgres"
        self.start()

    def start(self) -> None:
        log = (self.folder / "log").open("ab")
        self.process = subprocess.Popen(self.command, stderr=log, stdout=log, cwd=self.folder, **self.user)

    def stop(self) -> None:
        self.process.send_signal(signal.SIGQUIT)  # at once, as after a loss of power
        self.process.wait()


@pytest.mark.soak
def test_a_restarted_database_loses_and_doubles_nothing(postgres: Postgres) -> None:
    """PostgreSQL is stopped for a moment."""

    async def restart(_: Server, rng: random.Random) -> None:
        postgres.stop()
        await asyncio.sleep(rng.random())
        postgres.start()

    async def ready() -> None:
        while True:
            with suppress(UsageError):
                return Store(postgres.address).close()
            await asyncio.sleep(0.1)

    async def run() -> None:
        await asyncio.wait_for(ready(), 60)
        await rounds(Server(postgres.address), restart, HARMS)

    asyncio.run(run())


@pytest.mark.soak
def test_a_full_disk_loses_and_doubles_nothing(tmp_path: Path) -> None:
    """A disk of 8 MiB is filled to its last byte for a moment; the server is killed meanwhile every other time."""
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(tmp_path)], capture_output=True
    ).returncode:
        pytest.skip("no disk can be mounted")
    turn = itertools.count()

    async def fill(server: Server, rng: random.Random) -> None:
        with (tmp_path / "filler").open("wb", buffering=0) as filler, suppress(OSError):
            while True:
                filler.write(bytes(4096))
        await asyncio.sleep(0.5 + rng.random())
        if next(turn) % 2:
            server.kill()
        (tmp_path / "filler").unlink()
        if server.process.returncode is not None:
            await server.start()

    try:
        asyncio.run(rounds(Server(str(tmp_path / "games.sqlite")), fill, HARMS))
    finally:
        subprocess.run(["umount", "--lazy", str(tmp_path)], check=True)


SET = """
import time
own = time.time
def moved():
    with open({path!r}) as file:
        return own() + float(file.read() or 0)
time.time = moved
"""
"""Makes Python's clock that of a machine whose time somebody sets."""


@pytest.mark.soak
def test_a_clock_that_is_set_counts_against_nobody(tmp_path: Path) -> None:
    """The clock of the machine is set by up to three hours, back and forth; the server is killed every other time."""
    offset, folder, turn = tmp_path / "offset", tmp_path / "path", itertools.count()
    folder.mkdir()
    offset.write_text("0")
    (folder / "sitecustomize.py").write_text(SET.format(path=str(offset)))

    async def change(server: Server, rng: random.Random) -> None:
        offset.write_text(str(rng.choice((-1, 1)) * rng.uniform(600, 3 * 3600)))
        if next(turn) % 2:
            await kill(server, rng)

    asyncio.run(rounds(Server(str(tmp_path / "games.sqlite"), PYTHONPATH=str(folder)), change, HARMS))
