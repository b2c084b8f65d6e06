"""Worker processes that hold live games, think for bots and run native code; each can be killed at any time.

Enters: requests (a method of `Games` and its arguments). Leaves: answers, or `RefusedError`. Frames on the pipes of the
process are a length of four bytes and JSON, so that a compromised worker can send nothing but JSON. A worker that
exceeds its time is killed and replaced; its games are folded from the store again on demand.
"""

from __future__ import annotations

import asyncio
import json
import os
import struct
import sys
import threading
import time
import traceback
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Concatenate, NamedTuple, ParamSpec

from rulelang.web.games import Games
from rulelang.web.live import Json, RefusedError
from rulelang.web.pages import prepare
from rulelang.web.seats import STRANGE
from rulelang.web.store import Store

MEMORY = 1024
"""MiB of data that a worker may have, and so may a compiler in it."""

SECONDS = 30.0
"""Time limit of a request; the first one of a ruleset checks and compiles it."""

THINK_SECONDS, LEAST_SECONDS = 5.0, 0.1
"""How long a bot may think where no other one waits; however many wait."""
BOT_SECONDS, PATIENCE_SECONDS = 60.0, 30.0
"""When a process that thinks is killed (its first thought loads and compiles); how long a bot waits for it to be free.
After either a simple bot chooses instead, so that the game goes on."""
SIMPLE = "random"
"""The bot that chooses where another one can't."""

P = ParamSpec("P")


class Request(NamedTuple):
    """What a worker is asked for; see `asking`."""

    method: str
    arguments: tuple[Any, ...]


_LENGTH = struct.Struct(">I")
FRAME = 1 << 26
_START = "import sys; sys.path.insert(0, sys.argv[1]); from rulelang.web.workers import main; main(*sys.argv[2:])"
"""A worker runs the same engine as the web process, wherever that was started."""


def asking(method: Callable[Concatenate[Games, P], Json], *arguments: P.args, **named: P.kwargs) -> Request:
    """Return a request: a method of `Games` with its arguments, all by position."""
    assert not named, named
    return Request(method.__name__, arguments)


class Worker:
    """One process; requests are answered one at a time.

    Args:
        database: address of the store. memory: MiB of data it may have. watching: whether rules may change. compiles:
            whether it may compile native code.

    Attributes:
        queue: how many requests it answers and has to answer.
    """

    def __init__(self, database: str, memory: int = MEMORY, watching: bool = False, *, compiles: bool = True) -> None:
        self._settings = database, str(memory), str(os.getpid()), "watching" if watching else ""
        self._environment = None if compiles else os.environ | {"PATH": "", "CC": ""}
        self._lock = asyncio.Lock()
        self.queue = 0
        self._closed = False
        self._process: asyncio.subprocess.Process | None = None

    async def _running_process(self) -> asyncio.subprocess.Process:
        """Return the process, started if it does not run."""
        if self._closed:
            raise RefusedError(503, "worker", "the server ends")
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable, "-P", "-c", _START, str(Path(__file__).parents[2]), *self._settings,
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, env=self._environment,
            )  # fmt: skip
        return self._process

    async def call(self, request: Request, seconds: float = SECONDS, patience: float | None = None) -> Json:
        """Answer a request.

        Args:
            seconds: time limit. patience: the longest wait for requests before it; None: as long as they take.

        Raises:
            RefusedError: the worker refuses; with status 503 where it took too long, was not free in time, or died.
        """
        self.queue += 1
        answer = asyncio.ensure_future(self._answer(request, seconds, patience))
        answer.add_done_callback(lambda task: task.cancelled() or task.exception())  # who asked may be gone
        return await asyncio.shield(answer)

    async def _answer(self, request: Request, seconds: float, patience: float | None) -> Json:
        """Answer a request, one at a time; see `call`."""
        try:
            async with self._turn(patience):
                try:
                    process = await self._running_process()
                    answer = await asyncio.wait_for(_exchange(process, request), seconds)
                except (TimeoutError, OSError, EOFError) as error:
                    await self.kill()
                    raise RefusedError(503, "worker", str(error)) from None
        finally:
            self.queue -= 1
        if "refused" in answer:
            raise RefusedError(*answer["refused"])
        result: Json = answer["result"]
        return result

    @asynccontextmanager
    async def _turn(self, patience: float | None) -> AsyncIterator[None]:
        """Wait for the requests before this one, for at most `patience` seconds, and hold up those after it."""
        try:
            await asyncio.wait_for(self._lock.acquire(), patience)
        except TimeoutError:
            raise RefusedError(503, "worker", "it was not free in time") from None
        try:
            yield
        finally:
            self._lock.release()

    async def kill(self) -> None:
        """Kill the process, and wait for its end; the next request starts another."""
        process, self._process = self._process, None
        if process is not None:
            with suppress(ProcessLookupError):  # it has ended itself
                process.kill()
            await process.wait()

    async def close(self) -> None:
        """Kill the process, for good."""
        self._closed = True
        await self.kill()


async def _exchange(process: asyncio.subprocess.Process, request: Request) -> Json:
    """Send a request to a process and return its answer."""
    assert process.stdin is not None
    assert process.stdout is not None
    data = json.dumps(request).encode()
    process.stdin.write(_LENGTH.pack(len(data)) + data)
    await process.stdin.drain()
    (length,) = _LENGTH.unpack(await process.stdout.readexactly(_LENGTH.size))
    if length > FRAME:
        raise EOFError("an answer is too long")
    answer: Json = json.loads(await process.stdout.readexactly(length))
    return answer


class Workers:
    """The processes that hold games, each game always in the same one, and those that think for bots.

    Args:
        hosts, thinkers: numbers of processes. strange: whether native code of uploaded rulesets is compiled.
    """

    def __init__(self, database: str, hosts: int, thinkers: int, memory: int, watching: bool, strange: bool) -> None:
        self._hosts = [Worker(database, memory, watching) for _ in range(hosts)]
        self._thinkers = [Worker(database, memory) for _ in range(thinkers)]
        self.stranger = partial(Worker, database, memory, compiles=strange)
        self._strangers = self.stranger()
        self.all = [*self._hosts, *self._thinkers]

    def host(self, game: str) -> Worker:
        """Return the process of a game or ruleset; uploaded rulesets share one of their own."""
        host = self._hosts[sum(game.encode()) % len(self._hosts)]
        return self._strangers if game.startswith(STRANGE) else host

    def thinker(self, game: str) -> Worker:
        """Return the process for a bot that is free first, as far as is known."""
        return self._strangers if game.startswith(STRANGE) else min(self._thinkers, key=lambda worker: worker.queue)

    async def think(self, game: str, number: int, seat: int, bot: str) -> Json:
        """Have a bot choose: see `Games.think`. A game has one thought at a time, and its time is the shorter the more
        others wait: of n games that come at once the last is answered after about ln(n) times the time of one.

        Raises:
            RefusedError: as `Worker.call`.
        """
        worker = self.thinker(game)
        share = max(THINK_SECONDS / (1 + worker.queue), LEAST_SECONDS)
        return await worker.call(asking(Games.think, game, number, seat, bot, share), BOT_SECONDS, PATIENCE_SECONDS)

    async def close(self) -> None:
        """Kill all processes."""
        await asyncio.gather(*(worker.close() for worker in (*self.all, self._strangers)))


# ---- inside the process ------------------------------------------------------------------------------


def _end_with(parent: int) -> None:
    """End this process, whatever it computes, once the web process is gone, however that ended."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(0)


def main(database: str, memory: str, parent: str, watching: str) -> None:
    """Answer requests on stdin until it ends, or until memory is exhausted: then another process takes over.

    Args:
        parent: the number of the web process. watching: not empty if games go on when their rules change.
    """
    with suppress(ImportError):  # Windows has no limits
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (int(memory) << 20, int(memory) << 20))
    threading.Thread(target=_end_with, args=(int(parent),), daemon=True).start()
    requests = sys.stdin.buffer
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what anything prints goes where messages go
    games = Games(Store(database), bool(watching))
    prepare()
    while header := requests.read(_LENGTH.size):
        method, arguments = json.loads(requests.read(_LENGTH.unpack(header)[0]))
        try:
            answer: Json = {"result": games.call(method, arguments)}
        except RefusedError as error:
            answer = {"refused": error.args}
        except MemoryError:
            os._exit(1)
        except Exception:  # noqa: BLE001 - a fault of ours ends one request, not the games of this process
            traceback.print_exc()
            games.forget()
            answer = {"refused": [500, "fault", ""]}
        data = json.dumps(answer, ensure_ascii=False).encode(errors="replace")  # a lone surrogate is no fault of ours
        try:
            answers.write(_LENGTH.pack(len(data)) + data)
            answers.flush()
        except BrokenPipeError:  # the web process was killed
            os._exit(0)
