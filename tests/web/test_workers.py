"""Worker processes that can be killed, and what servers of the same games learn of each other."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rulelang.web import workers
from rulelang.web.live import RefusedError
from rulelang.web.store import Event, Store, TakenError, news
from rulelang.web.workers import Worker
from tests.web.test_games import KUHN

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
        assert await worker.call("eat", 100) == {"size": 100 << 20}
        process = worker._process
        with pytest.raises(RefusedError) as caught:
            await worker.call("eat", 500)
        assert (caught.value.status, caught.value.code) == (503, "worker")
        assert (await worker.call("offer", KUHN, [], "en"))["players"] == [2]
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
from rulelang.web.workers import Worker

async def main():
    worker = Worker(sys.argv[1])
    await worker.call("offer", sys.argv[2], [], "en")
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
