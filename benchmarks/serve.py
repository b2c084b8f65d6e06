"""Latency from a click to another browser with many concurrent games, and the server's memory meanwhile.

    python -m benchmarks.serve [--games N] [--clicks PER_SECOND] [--minutes M] [--ruleset NAME] [--idle STREAMS]
        [--bots N] [--beside RULESET:BOT …]

Starts `rulelang serve`, creates games and opens for each seat what a browser opens: a page and its stream of events. At
each table somebody chooses at random after an exponential pause; a page is fetched again when its stream says so. A
click is timed from the post to its answer, to the event at another seat, and to that seat's page. After a game comes
another. The clients use the same cores; the server's own processor time for a click is what it takes on an otherwise
idle machine. With `--bots` one game in N has a bot more, of each strength in turn; `--beside` adds tables at which only
such bots play, and somebody looks on.
"""

from __future__ import annotations

import argparse
import asyncio
import html
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from statistics import quantiles
from urllib.parse import urlencode

import click

from rulelang.agents import OFFERED

say = click.echo
ID = re.compile(r'name="id" value="([^"]*)"')
PICK = re.compile(r'name="pick" value="([^"]*)"')
STAMP = re.compile(r'data-stamp="([^"]*)"')
JOIN = re.compile(r'href="http://[^"/]*(/join/[^"]+)"')
Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]
PICKS = 40
MAKERS = 20
"""Games that are created concurrently."""
HOMES = 30
"""From so many addresses browsers come, as the server bounds what one may open."""


class RefusedError(Exception):
    """An answer that no browser should get."""


class Browser:
    """An HTTP client with keep-alive connections and one cookie, cheaper than the server that it measures.

    Args:
        home: the address that it comes from; limits count by address.
    """

    def __init__(self, port: int, home: str = "127.0.0.1") -> None:
        self.port, self.cookie, self._home = port, "", (home, 0)
        self._idle: list[Connection] = []

    async def _sent(self, path: str, form: Mapping[str, str] | None, headers: str = "") -> tuple[Connection, int]:
        """Send a request; return its connection and the status. A connection that the server closed while it was idle
        is replaced, as browsers do."""
        body = urlencode(form).encode() if form is not None else b""
        lines = f"{'GET' if form is None else 'POST'} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n{headers}"
        lines += f"Sec-Fetch-Site: same-origin\r\nCookie: {self.cookie}\r\nContent-Length: {len(body)}\r\n"
        lines += "Content-Type: application/x-www-form-urlencoded\r\n\r\n"
        while True:
            fresh = not self._idle
            reader, writer = await self._connected() if fresh else self._idle.pop()
            with suppress(ConnectionError):
                writer.write(lines.encode() + body)
                await writer.drain()
                if status := (await reader.readline()).split(b" ")[1:2]:
                    return (reader, writer), int(status[0])
            if fresh:
                raise ConnectionError("the server hung up")

    async def _connected(self) -> Connection:
        """Return a new connection."""
        return await asyncio.open_connection("127.0.0.1", self.port, local_addr=self._home)

    async def ask(self, path: str, form: Mapping[str, str] | None = None, headers: str = "") -> tuple[int, str, str]:
        """Return status, headers and text of an answer, and store its cookie."""
        connection, status = await self._sent(path, form, headers)
        reader = connection[0]
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = re.search(r"content-length: (\d+)", head, re.IGNORECASE)
        text = (await reader.readexactly(int(length[1]) if length else 0)).decode()
        self._idle.append(connection)
        if cookie := re.search(r"set-cookie: (seat=[^;]*)", head, re.IGNORECASE):
            self.cookie = cookie[1]
        if status == 202:  # it says that it is loading, and when to ask again
            await asyncio.sleep(1)
            return await self.ask(path, form, headers)
        return status, head, text

    async def stream(self, path: str) -> AsyncIterator[str]:
        """Yield the data of server-sent events."""
        (reader, writer), status = await self._sent(path, None)
        if status != 200:
            raise RefusedError(f"{status} for a stream")
        try:
            while line := await reader.readline():
                if line.startswith(b"data: "):
                    yield line[6:].decode().strip()
        finally:
            writer.close()


class Seat:
    """A browser at a seat, with its current page."""

    def __init__(self, browser: Browser, base: str, page: str) -> None:
        self.browser, self.base, self.page = browser, base, page
        self.asked = asyncio.Event()

    @property
    def stamp(self) -> str:
        """Return the stamp of the page."""
        return str(STAMP.findall(self.page)[0])

    async def fetch(self, picks: list[str] | None = None) -> str:
        """Return the table with these picks."""
        query = f"?{urlencode([('pick', pick) for pick in picks])}" if picks else ""
        status, _, text = await self.browser.ask(f"{self.base}/table{query}")
        if status != 200:
            raise RefusedError(f"{status} for a table")
        return text


class Figures:
    """The measurements since the last report."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Reset all measurements."""
        self.events: list[float] = []
        self.pages: list[float] = []
        self.answers: list[float] = []
        self.clicks = 0
        self.games = 0
        self.failures: Counter[str] = Counter()


class Table:
    """A sequence of games, with a browser for each seat of a person.

    Args:
        people: how many there are; the other seats are for `bots`. Where nobody plays the first seat is looked at.
    """

    def __init__(
        self, browser: Callable[[], Browser], ruleset: str, people: int, bots: Sequence[str], figures: Figures,
        rng: random.Random,
    ) -> None:  # fmt: skip
        self.browser, self.ruleset, self.figures, self.rng = browser, ruleset, figures, rng
        self.form = {"players": str(people + len(bots))}
        self.form |= {f"bot.{seat}": bot for seat, bot in enumerate(bots, people)}
        self.people, self.seats = people, list[Seat]()
        self.clicked: tuple[float, Seat] | None = None

    async def make(self) -> None:
        """Create a game and take all its seats."""
        maker = self.browser()
        status, head, text = await maker.ask(f"/new/{self.ruleset}", self.form)
        where = re.search(r"location: (\S+)", head, re.IGNORECASE)
        if where is None:
            raise RefusedError(f"{status} for a new game: {text[-200:]}")
        links = JOIN.findall((await maker.ask(where[1]))[2])
        self.seats = []
        for number, link in enumerate(links[: max(self.people, 1)]):
            browser, base = self.browser(), f"{where[1].rpartition('/')[0]}/{number}"
            await browser.ask(link)
            self.seats.append(Seat(browser, base, (await browser.ask(base))[2]))

    async def listen(self, seat: Seat) -> None:
        """Fetch the page whenever the stream says so; record the latency of another seat's click."""
        async for stamp in seat.browser.stream(f"{seat.base}/events?stamp={seat.stamp}"):
            clicked = self.clicked if self.clicked is not None and self.clicked[1] is not seat else None
            if clicked is not None:
                self.clicked = None
                self.figures.events.append(time.perf_counter() - clicked[0])
            if stamp != seat.stamp:
                seat.page = await seat.fetch()
                seat.asked.set()
            if clicked is not None:
                self.figures.pages.append(time.perf_counter() - clicked[0])
        raise ConnectionError("a stream ended")

    async def play(self, seat: Seat, think: float) -> None:
        """Choose at random whenever it is the seat's turn, until the game is over.

        Args:
            think: mean pause in seconds.
        """
        while "data-over" not in seat.page:
            if "data-turn" not in seat.page:
                seat.asked.clear()
                await seat.asked.wait()
                continue
            await asyncio.sleep(self.rng.expovariate(1 / think))
            page, picks = seat.page, list[str]()
            while not (ids := ID.findall(page)) and len(picks) < PICKS and (offered := PICK.findall(page)):
                picks.append(html.unescape(self.rng.choice(offered)))
                page = await seat.fetch(picks)
            if not ids:
                if seat.page == page:
                    raise RefusedError(f"nothing to choose after {picks}")
                continue
            form = {"id": html.unescape(self.rng.choice(ids)), "stamp": STAMP.findall(page)[0]}
            self.clicked = begun, _ = time.perf_counter(), seat
            status, head, seat.page = await seat.browser.ask(f"{seat.base}/act", form, "HX-Request: true\r\n")
            self.figures.answers.append(time.perf_counter() - begun)
            self.figures.clicks += 1
            refused = re.search(r"x-refused: (\S+)", head, re.IGNORECASE)
            if status != 200 or (refused is not None and refused[1] != "stale"):
                raise RefusedError(f"{status} {refused and refused[1]} for a choice")

    async def run(self, think: float) -> None:
        """Play games for ever; failures are counted, and another game is created."""
        while True:
            tasks = [asyncio.create_task(self.listen(seat)) for seat in self.seats]
            playing = [asyncio.create_task(self.play(seat, think)) for seat in self.seats]
            try:
                done, _ = await asyncio.wait([*tasks, *playing], return_when=asyncio.FIRST_COMPLETED)
                if all(task.exception() is None for task in done):  # the others' pages say it too, soon
                    done, _ = await asyncio.wait([*tasks, *playing], timeout=30, return_when=asyncio.FIRST_EXCEPTION)
                self.figures.failures.update(repr(error) for task in done if (error := task.exception()))
                self.figures.games += 1
            finally:
                for task in (*tasks, *playing):
                    task.cancel()
            await self.make()


def processes(process: int) -> list[int]:
    """Return the ids of a process and its children."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii").split()
    return [process, *map(int, children)]


def memory(process: int) -> float:
    """Return the resident memory of a process and its children, in MiB."""
    pages = [int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) for pid in processes(process)]
    return sum(pages) * os.sysconf("SC_PAGE_SIZE") / 2**20


def processor(process: int) -> list[float]:
    """Return the processor time of a process and each of its children, in seconds."""
    rows = [Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1] for pid in processes(process)]
    return [sum(map(int, row.split()[11:13])) / os.sysconf("SC_CLK_TCK") for row in rows]


def _milliseconds(times: list[float]) -> str:
    """Return the percentiles of times as text."""
    if len(times) < 2:
        return "-"
    cuts = quantiles(times, n=100)
    return (
        f"p50 {1000 * cuts[49]:.0f} p95 {1000 * cuts[94]:.0f} p99 {1000 * cuts[98]:.0f} most {1000 * max(times):.0f} ms"
    )


async def measure(arguments: argparse.Namespace, port: int, process: int) -> None:
    """Run the load and print a report each minute, at least twice."""
    figures, rng = Figures(), random.Random(1)
    begun = time.perf_counter()
    rows = [(arguments.ruleset, arguments.players, _bots(number, arguments.bots)) for number in range(arguments.games)]
    rows += [(ruleset, 0, [bot] * arguments.players) for ruleset, _, bot in map(_parted, arguments.beside)]
    browsers = [partial(Browser, port, f"127.0.0.{2 + number % HOMES}") for number in range(len(rows))]
    tables = [
        Table(browser, *row, figures, random.Random(rng.random())) for browser, row in zip(browsers, rows, strict=True)
    ]
    for start in range(0, len(tables), MAKERS):
        await asyncio.gather(*(table.make() for table in tables[start : start + MAKERS]))
    idle = [asyncio.create_task(_look(tables[number % len(tables)])) for number in range(arguments.idle)]
    say(f"{len(tables)} games made in {time.perf_counter() - begun:.0f} s, {memory(process):.0f} MiB")
    games = [asyncio.create_task(table.run(arguments.games / arguments.clicks)) for table in tables]
    seconds = arguments.minutes * 60
    begun, used = time.perf_counter(), processor(process)
    parts = max(round(arguments.minutes), 2)
    for part in range(1, parts + 1):
        await asyncio.sleep(max(begun + seconds * part / parts - time.perf_counter(), 0))
        spent = [after - before for after, before in zip(processor(process), used, strict=False)]
        clicks = max(figures.clicks, 1)
        say(
            f"{figures.clicks} clicks, {figures.clicks / seconds * parts:.1f} a second; to the answer "
            f"{_milliseconds(figures.answers)}; to the event {_milliseconds(figures.events)}; to the page "
            f"{_milliseconds(figures.pages)}; processor "
            f"{1000 * sum(spent) / clicks:.1f} ms a click (web {1000 * spent[0] / clicks:.1f}); "
            f"{memory(process):.0f} MiB; {figures.games} games over; failures {dict(figures.failures) or 'none'}; "
            f"load {os.getloadavg()[0]:.1f}"
        )
        used = processor(process)
        figures.clear()
    for task in (*games, *idle):
        task.cancel()
    await asyncio.gather(*games, *idle, return_exceptions=True)


def _bots(number: int, step: int) -> list[str]:
    """Return the bots of a game by its number: in one of `step` games one, of each strength in turn."""
    return [] if not step or number % step else [OFFERED[number // step % len(OFFERED)]]


def _parted(beside: str) -> tuple[str, str, str]:
    """Return ruleset and bot of a text such as `ldd:good`, with what stands between them."""
    return beside.partition(":")


async def _look(table: Table) -> None:
    """Open one more stream for a page at which nobody plays."""
    async for _ in table.seats[0].browser.stream(f"{table.seats[0].base}/events"):
        pass


def main() -> None:
    """Start a server, run the load, stop the server."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=300)
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--ruleset", default="ldd")
    parser.add_argument("--clicks", type=float, default=30.0, help="a second, of all games")
    parser.add_argument("--minutes", type=float, default=3.0)
    parser.add_argument("--idle", type=int, default=0, help="more streams, at which nobody plays")
    parser.add_argument("--bots", type=int, default=0, help="one game in so many has a bot more")
    parser.add_argument("--beside", nargs="*", default=[], metavar="RULESET:BOT", help="tables of bots")
    parser.add_argument("--database", default="", help="another one than a file of its own")
    arguments = parser.parse_args()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        database = arguments.database or f"{folder}/games.sqlite"
        rulesets = dict.fromkeys((arguments.ruleset, *(_parted(text)[0] for text in arguments.beside)))
        command = [sys.executable, "-m", "rulelang", "serve", *rulesets, "--port", str(port), "--database", database]
        with subprocess.Popen(command) as server:
            try:
                while socket.socket().connect_ex(("127.0.0.1", port)):
                    time.sleep(0.1)
                asyncio.run(measure(arguments, port, server.pid))
            finally:
                server.terminate()


if __name__ == "__main__":
    main()
