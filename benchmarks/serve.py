"""How long a click takes to another browser, with many games at once; what the server's memory does meanwhile.

    python -m benchmarks.serve [--games N] [--think SECONDS] [--seconds S] [--ruleset NAME] [--idle STREAMS]

Starts `rulelang serve`, makes games, opens a stream of events for each seat, and has somebody at each table choose at
random after an exponential pause. A click is timed from the post to the other seat's event; the clients use the same
cores. The server's own time of the processor for a click says what it takes on a machine that does nothing else.
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
from pathlib import Path
from statistics import quantiles

import click
import httpx

say = click.echo
ID = re.compile(r'name="id" value="([^"]*)"')
PICK = re.compile(r'name="pick" value="([^"]*)"')
STAMP = re.compile(r'data-stamp="([^"]*)"')
PICKS = 40


class Table:
    """One game, and a client for each of its seats."""

    def __init__(self, address: str, game: str, clients: list[httpx.AsyncClient]) -> None:
        self.address, self.game, self.clients = address, game, clients
        self.clicked: tuple[float, int] | None = None

    async def listen(self, seat: int, times: list[float]) -> None:
        """Take the events of a seat in, and note how long ago another one clicked."""
        url = f"{self.address}/g/{self.game}/{seat}/events"
        async with self.clients[seat].stream("GET", url, timeout=None) as stream:
            async for line in stream.aiter_lines():
                if line.startswith("data") and self.clicked is not None and self.clicked[1] != seat:
                    times.append(time.perf_counter() - self.clicked[0])
                    self.clicked = None

    async def play(self, rng: random.Random, think: float) -> int:
        """Choose at random until the game is over; return how many choices were made."""
        clicks = 0
        while True:
            for seat, client in enumerate(self.clients):
                base = f"{self.address}/g/{self.game}/{seat}"
                page = (await client.get(f"{base}/table")).text
                if "data-over" in page:
                    return clicks
                if "data-turn" not in page:
                    continue
                await asyncio.sleep(rng.expovariate(1 / think))
                picks: list[str] = []
                while not (ids := ID.findall(page)) and len(picks) < PICKS:
                    picks.append(html.unescape(rng.choice(PICK.findall(page))))
                    page = (await client.get(f"{base}/table", params={"pick": picks})).text
                stamp = STAMP.findall(page)[0]
                self.clicked = time.perf_counter(), seat
                form = {"id": html.unescape(rng.choice(ids)), "stamp": stamp}
                answer = await client.post(f"{base}/act", data=form, headers={"HX-Request": "true"})
                if answer.status_code != httpx.codes.OK or "x-refused" in answer.headers:
                    raise SystemExit(f"a choice was refused: {answer.status_code} {answer.headers.get('x-refused')}")
                clicks += 1


async def make(address: str, ruleset: str, players: int, limits: httpx.Limits) -> Table:
    """Make a game and sit down at all its seats."""
    origin = {"Origin": address}
    async with httpx.AsyncClient(headers=origin, timeout=120, follow_redirects=True) as maker:
        page = await maker.post(f"{address}/new/{ruleset}", data={"players": str(players)})
        links = re.findall(r'href="(http[^"]*/join/[^"]+)"', page.text)
    clients = [httpx.AsyncClient(headers=origin, timeout=120, limits=limits) for _ in links]
    for client, link in zip(clients, links, strict=True):
        await client.get(link)
    return Table(address, links[0].split("/")[4], clients)


def memory(process: int) -> float:
    """The resident memory of a process and its children, in MiB."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii").split()
    pages = [
        int(Path(f"/proc/{one}/statm").read_text(encoding="ascii").split()[1]) for one in [str(process), *children]
    ]
    return sum(pages) * os.sysconf("SC_PAGE_SIZE") / 2**20


def processor(process: int) -> float:
    """The processor time that a process and its children have used, in seconds."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii").split()
    fields = [
        Path(f"/proc/{one}/stat").read_text(encoding="ascii").rsplit(")", 1)[1] for one in [str(process), *children]
    ]
    return sum(sum(map(int, row.split()[11:13])) for row in fields) / os.sysconf("SC_CLK_TCK")


async def measure(arguments: argparse.Namespace, address: str, process: int) -> None:
    """Play and print."""
    limits, rng, times = httpx.Limits(max_connections=4), random.Random(1), list[float]()
    tables = [await make(address, arguments.ruleset, arguments.players, limits) for _ in range(arguments.games)]
    listeners = [
        asyncio.create_task(table.listen(seat, times)) for table in tables for seat in range(arguments.players)
    ]
    idle = [asyncio.create_task(tables[number % len(tables)].listen(0, [])) for number in range(arguments.idle)]
    await asyncio.sleep(1)
    say(f"{len(tables)} games, {len(listeners) + len(idle)} streams, {memory(process):.0f} MiB")
    games = [asyncio.create_task(table.play(random.Random(rng.random()), arguments.think)) for table in tables]
    begun, used = time.perf_counter(), processor(process)
    for part in range(1, arguments.parts + 1):
        await asyncio.sleep(max(begun + arguments.seconds * part / arguments.parts - time.perf_counter(), 0))
        failed = [repr(game.exception()) for game in games if game.done() and game.exception()]
        if len(times) > 1:
            cuts, spent = quantiles(times, n=100), processor(process) - used
            told = f"p50 {1000 * cuts[49]:.0f} p95 {1000 * cuts[94]:.0f} p99 {1000 * cuts[98]:.0f} ms"
            rate = len(times) / arguments.seconds * arguments.parts
            cost = f"{1000 * spent / len(times):.0f} ms of processor each"
            say(
                f"{len(times)} clicks, {rate:.1f} a second, {cost}: {told}; {memory(process):.0f} MiB; failed: {failed}"
            )
        times.clear()
        used = processor(process)
    for task in (*games, *listeners, *idle):
        task.cancel()


def main() -> None:
    """Start a server, measure, end it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=300)
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--ruleset", default="ldd")
    parser.add_argument("--think", type=float, default=10.0)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--parts", type=int, default=3)
    parser.add_argument("--idle", type=int, default=0)
    arguments = parser.parse_args()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-m",
            "rulelang",
            "serve",
            "--port",
            str(port),
            "--database",
            f"{folder}/games.sqlite",
        ]
        with subprocess.Popen(command) as server:
            try:
                while socket.socket().connect_ex(("127.0.0.1", port)):
                    time.sleep(0.1)
                asyncio.run(measure(arguments, f"http://127.0.0.1:{port}", server.pid))
            finally:
                server.terminate()


if __name__ == "__main__":
    main()
