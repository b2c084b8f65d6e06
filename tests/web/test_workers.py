"""Worker processes that can be killed, and what servers of the same games learn of each other."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rulelang import load
from rulelang.agents import make_bot
from rulelang.web import workers
from rulelang.web.games import Games
from rulelang.web.live import RefusedError
from rulelang.web.store import Event, Store, TakenError, news
from rulelang.web.workers import Request, Worker, Workers, asking
from tests.web.test_games import KUHN, LEDUC

POSTGRES = os.environ.get("RULELANG_POSTGRES", "")
"""The address of a PostgreSQL database that may be written to."""
EATS = """
import rulelang.web.games as games
games._METHODS["eat"] = lambda _, size: {"size": len(bytearray(size << 20))}
"""


def test_who_takes_too_much_memory_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A request beyond the limit ends the process and nothing else: the next one is answered by another process."""
    before, after = workers._START.rsplit("from ", 1)
    monkeypatch.setattr(workers, "_START", f"{before}\n{EATS}\nfrom {after.replace('; ', chr(10))}")

    async def ask() -> None:
        worker = Worker(str(tmp_path / "games.sqlite"), memory=400)
        assert await worker.call(Request("eat", (100,))) == {"size": 100 << 20}
        process = worker._process
        with pytest.raises(RefusedError) as caught:
            await worker.call(Request("eat", (500,)))
        assert (caught.value.status, caught.value.code) == (503, "worker")
        assert (await worker.call(asking(Games.offer, KUHN, [], "en")))["players"] == [2]
        assert worker._process is not process
        await worker.kill()

    asyncio.run(ask())


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_servers_learn_what_others_write(tmp_path: Path, kind: str) -> None:
    """What anybody writes is told, with PostgreSQL at once; a number is written once."""
    if kind == "postgres" and not POSTGRES:
        pytest.skip("RULELANG_POSTGRES names no database")
    url = POSTGRES if kind == "postgres" else str(tmp_path / "games.sqlite")
    store, game = Store(url), f"news{os.getpid()}"
    store.append(game, Event(0, "game"))

    async def listen() -> None:
        told = news(url, lambda: [game], 0.05)
        assert await anext(told) == (game, 0)
        writes = asyncio.create_task(asyncio.to_thread(Store(url, shared=True).append, game, Event(1, "note")))
        while (row := await asyncio.wait_for(anext(told), 5)) != (game, 1):
            assert row == (game, 0)
        await writes

    asyncio.run(listen())
    with pytest.raises(TakenError):
        store.append(game, Event(1, "note"))
    assert store.last([game]) == {game: 1}


ENDS = """
import asyncio, gc, sys
from rulelang.web.games import Games
from rulelang.web.workers import Worker, asking

async def main():
    worker = Worker(sys.argv[1])
    await worker.call(asking(Games.offer, sys.argv[2], [], "en"))
    await worker.kill()
    await worker.kill()

asyncio.run(main())
gc.collect()
"""


def test_a_worker_that_is_ended_is_waited_for(tmp_path: Path) -> None:
    """Nothing of its process is left when the loop is closed: no warning is written."""
    command = [sys.executable, "-W", "always::ResourceWarning", "-c", ENDS, str(tmp_path / "games.sqlite"), KUHN]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stderr) == (0, "")


# ---- bots ----------------------------------------------------------------------------------------------

THINKS = """
import rulelang.web.games as games, time

def think(own, game, number, seat, bot, seconds):
    time.sleep(seconds if bot == "slow" else 0)
    return {"id": bot, "seconds": seconds}

games._METHODS["think"] = think
"""


def thinking(monkeypatch: pytest.MonkeyPatch, database: str, code: str) -> Workers:
    """Workers that run some code before anything else."""
    before, after = workers._START.rsplit("from ", 1)
    monkeypatch.setattr(workers, "_START", f"{before}\n{code}\nfrom {after.replace('; ', chr(10))}")
    return Workers(database, 1, 1, workers.MEMORY, watching=False, strange=False)


def test_bots_of_many_games_share_the_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot alone has the whole time; the last of twelve that come at once has a twelfth of it, and its answer within
    a few times that of one."""
    pool = thinking(monkeypatch, str(tmp_path / "games.sqlite"), THINKS)
    monkeypatch.setattr(workers, "THINK_SECONDS", 0.4)

    async def ask() -> None:
        alone = await pool.think("a", 1, 0, "slow")
        assert alone == {"id": "slow", "seconds": 0.4}
        begun = time.monotonic()
        answers = await asyncio.gather(*(pool.think(str(game), 1, 0, "slow") for game in range(12)))
        assert [round(0.4 / answer["seconds"]) for answer in answers[:4]] == [1, 2, 3, 4]
        assert all(answer["seconds"] >= workers.LEAST_SECONDS for answer in answers)
        assert time.monotonic() - begun < 2.5
        await pool.close()

    asyncio.run(ask())


def test_who_waits_too_long_for_a_bot_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One game's bot that does not come to an end is given up in time, and those that wait for it before that."""
    code = THINKS.replace("time.sleep(seconds if", "time.sleep(60 if")
    pool = thinking(monkeypatch, str(tmp_path / "games.sqlite"), code)
    monkeypatch.setattr(workers, "PATIENCE_SECONDS", 0.5)

    async def ask() -> None:
        assert (await pool.think("a", 1, 0, "quick"))["id"] == "quick"
        monkeypatch.setattr(workers, "BOT_SECONDS", 2.0)
        begun = time.monotonic()
        answers = await asyncio.gather(
            pool.think("a", 1, 0, "slow"), pool.think("b", 1, 0, "quick"), return_exceptions=True
        )
        assert [(type(answer), answer.status) for answer in answers if isinstance(answer, RefusedError)] == [
            (RefusedError, 503)
        ] * 2
        assert 2.0 <= time.monotonic() - begun < 6.0
        monkeypatch.setattr(workers, "BOT_SECONDS", 60.0)
        assert (await pool.think("b", 1, 0, "quick"))["id"] == "quick"
        await pool.close()

    asyncio.run(ask())


@pytest.mark.parametrize("bot", ["mcts:10000000", "playouts:100000"])
def test_a_thought_is_cut_at_its_deadline(bot: str) -> None:
    """A budget that takes hours ends when its time is over, with a legal choice; without a limit of time it is played
    whole, and the same game has the same choice."""
    state = load(LEDUC).new_game(2, seed=3)
    seat = state.current_players()[0]
    begun = time.monotonic()
    action = make_bot(bot, 5, seat, 0.2).choose(state, seat)
    assert time.monotonic() - begun < 20  # most of it goes into making native code
    assert action in state.legal_actions(seat)
    small = bot.partition(":")[0] + ":30"
    chosen = [make_bot(small, 5, seat, seconds).choose(state, seat).id for seconds in (None, 1000.0, None)]
    assert len(set(chosen)) == 1
