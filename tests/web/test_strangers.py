"""People who play while a stranger attacks wait for nobody: each attack of `strangers.py`, beside a table and lobby."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import random
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from benchmarks.serve import Browser, Figures, Table
from tests.web.strangers import ATTACKS
from tests.web.test_games import ROOT
from tests.web.test_kill import Server

LOG = logging.getLogger(__name__)
SECONDS = float(os.environ.get("RULELANG_ATTACK_SECONDS", "5"))
LONGEST = 2.0
"""What nobody waits for longer, where a lone request does not."""
LOADED = 4.0
"""So many times as long as without an attack somebody may wait on a machine that does other things."""
HONEST = "127.0.0.2"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A server that no attack before has left anything to do."""
    options = ["imaginarium", "reco", "ldd", "droids", "--uploads", str(tmp_path / "uploads"), "--metrics"]
    server = Server(str(tmp_path / "games.sqlite"), *options)
    asyncio.run(server.start())
    yield server
    server.process.terminate()
    server.process.wait(20)


class Visitor:
    """Somebody who looks at the lobby and a form once a second and begins games."""

    def __init__(self, port: int) -> None:
        self.browser, self.waits = Browser(port, HONEST), list[float]()

    async def look(self) -> None:
        while True:
            for path, form in (("/", None), ("/new/ldd", None), ("/new/ldd", {"players": "2"})):
                begun = time.perf_counter()
                status, _, _ = await self.browser.ask(path, form)
                assert status in (200, 303)
                self.waits.append(time.perf_counter() - begun)
            await asyncio.sleep(1)


async def waits(port: int, seconds: float) -> tuple[float, float, int]:
    """Play at one table and look around for a while; return how long somebody waited for an answer, event or page at
    most, at the table and elsewhere, and how many choices were made."""
    figures, visitor = Figures(), Visitor(port)
    table = Table(partial(Browser, port, HONEST), "ldd", 2, [], figures, random.Random(1))
    await table.make()
    tasks = [asyncio.create_task(table.run(1.0)), asyncio.create_task(visitor.look())]
    done, _ = await asyncio.wait(tasks, timeout=seconds)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()
    assert not figures.failures, figures.failures
    return (
        max([*figures.answers, *figures.events, *figures.pages], default=seconds), max(visitor.waits, default=seconds),
        figures.clicks,
    )  # fmt: skip


@pytest.mark.soak
@pytest.mark.parametrize("name", ATTACKS)
def test_nobody_waits_for_a_stranger(server: Server, name: str) -> None:
    """While one address does what it can, those who play and look around from another wait no longer than LONGEST."""

    async def attack() -> tuple[tuple[float, float, int], tuple[float, float, int], str]:
        for ruleset in ("imaginarium", "ldd", "leduc"):  # loaded before anybody is timed
            assert (await Browser(server.port, HONEST).ask(f"/new/{ruleset}"))[0] == 200
        alone = await waits(server.port, SECONDS)
        command = [sys.executable, "-m", "tests.web.strangers", name, str(server.port), str(SECONDS + 2)]
        stranger = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=asyncio.subprocess.PIPE)
        assert stranger.stdout
        assert await stranger.stdout.readline() == b"begun\n"
        await asyncio.sleep(1)
        beside = await waits(server.port, SECONDS)
        said = (await stranger.communicate())[0].decode()
        assert stranger.returncode == 0
        return alone, beside, said

    alone, beside, said = asyncio.run(attack())
    told = "%s: at the table %.2f s (alone %.2f), elsewhere %.2f s (alone %.2f); %d choices; answers %s"
    LOG.info(told, name, beside[0], alone[0], beside[1], alone[1], beside[2], json.loads(said))
    for own, other in zip(beside[:2], alone[:2], strict=True):
        assert own < max(LONGEST, LOADED * other)
