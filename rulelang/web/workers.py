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
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import Any, Concatenate, NamedTuple, ParamSpec
from weakref import WeakValueDictionary

from rulelang.web.clock import CLOCK
from rulelang.web.games import LOG, Games
from rulelang.web.live import Json, RefusedError, UnfinishedError, UnloadedError
from rulelang.web.pages import prepare
from rulelang.web.seats import STRANGE
from rulelang.web.store import Store

MEMORY = 1024
"""MiB of data that a worker may have, and so may a compiler in it."""

SECONDS = 30.0
"""Time limit of a request; the first one of a ruleset checks and compiles it."""

THINK_SECONDS, LEAST_SECONDS = 2.0, 0.02
"""How long a bot may think where no other one waits; however many wait."""
BOT_SECONDS, OVERDUE_SECONDS = 5.0, 5.0
"""The deadline of a bot, from when it is asked: what it waits for others counts. It chooses by then; a process that
does not come to an end is killed so much later. Then, and where none was free, a quick bot chooses instead."""
COMPILE_SECONDS, LOAD_SECONDS = 600.0, 300.0
"""How long the search of a ruleset may be compiled, and a ruleset loaded."""
NICE = 10
"""How much later than others, by the system's measure, a process is served that takes the time they leave."""
QUICK, SIMPLE = "easy", "random"
"""The bot that chooses where another one has no time, in LEAST_SECONDS; where that one comes to no end either."""

SENDER: ContextVar[str] = ContextVar("sender", default="server")
"""For whom the process works now: an address, BOTS, or the server itself."""
BOTS = "bots"

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
            whether it may compile native code. quiet: whether it takes only the time that others leave. loading: has
            another process load a ruleset before this one, which holds games, does.

    Attributes:
        prepared: the layouts whose search it has in native code.
    """

    def __init__(
        self,
        database: str,
        memory: int = MEMORY,
        watching: bool = False,
        *,
        compiles: bool = True,
        quiet: bool = False,
        loading: Callable[[Request], Awaitable[Json]] | None = None,
    ) -> None:
        traits = {"watching": watching, "quiet": quiet, "holding": loading is not None}
        named = " ".join(name for name, has in traits.items() if has)
        self._settings = database, str(memory), str(os.getpid()), str(CLOCK.offset), named
        self._environment = None if compiles else os.environ | {"PATH": "", "CC": ""}
        self._loading = loading
        self._lock, self._turns = asyncio.Lock(), WeakValueDictionary[str, asyncio.Lock]()
        self.prepared: set[str] = set()
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

    async def call(self, request: Request, seconds: float = SECONDS) -> Json:
        """Answer a request. Senders (see `SENDER`) take turns: of what others have asked for before, one request of
        each is answered first, or a slice of it.

        Args:
            seconds: time limit.

        Raises:
            RefusedError: the worker refuses; with status 503 where it took too long, or died.
        """
        answer = asyncio.ensure_future(self._answer(request, seconds))
        answer.add_done_callback(lambda task: task.cancelled() or task.exception())  # who asked may be gone
        return await asyncio.shield(answer)

    async def _answer(self, request: Request, seconds: float) -> Json:
        """Answer a request; what takes long goes on in a queue of the sender's own for such; see `call`."""
        async with self._turn(SENDER.get()):
            answer = await self._exchanged(request, seconds)
        if "result" not in answer:
            async with self._turn(f"{SENDER.get()} slowly"):
                while "result" not in answer:
                    if "unloaded" in answer and self._loading is not None:
                        load = asking(Games.load, *answer["unloaded"])
                        await self._loading(load)
                        await self._exchanged(load, seconds)
                    answer = await self._exchanged(request, seconds)
        result: Json = answer["result"]
        return result

    def _turn(self, sender: str) -> asyncio.Lock:
        """Return the queue of a sender, which is there as long as somebody is in it."""
        return self._turns.setdefault(sender, asyncio.Lock())

    async def _exchanged(self, request: Request, seconds: float) -> Json:
        """Return the answer of the process to a request, or to a slice of it, once it is the request's turn.

        Raises:
            RefusedError: as `call`.
        """
        async with self._lock:
            try:
                process = await self._running_process()
                answer = await asyncio.wait_for(_exchange(process, request), seconds)
            except (TimeoutError, OSError, EOFError) as error:
                await self.kill()
                raise RefusedError(503, "worker", str(error)) from None
        if "refused" in answer:
            raise RefusedError(*answer["refused"])
        return answer

    async def kill(self) -> None:
        """Kill the process, and wait for its end; the next request starts another."""
        process, self._process = self._process, None
        self.prepared.clear()
        if process is not None:
            with suppress(ProcessLookupError):  # it has ended itself
                process.kill()
            await process.wait()

    async def renew(self) -> None:
        """End the process once it has answered what it was asked; the next request starts another."""
        async with self._lock:
            await self.kill()

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


class Thinkers:
    """Processes that think for bots, those first that were asked first.

    Args:
        all_: the processes, which do nothing else. quick: one for those whose deadline has come.
    """

    def __init__(self, all_: Sequence[Worker], quick: Worker) -> None:
        self.all, self.quick, self.asked = all_, quick, 0  # how many bots think or wait
        self._free: asyncio.Queue[Worker] = asyncio.Queue()
        for worker in all_:
            self._free.put_nowait(worker)

    async def think(self, layout: list[Any], state: str, seat: int, bot: str) -> Json:
        """Have a bot choose by its deadline: see `Games.think`. Its time is the shorter the more are asked; where no
        process was free, or it came to no end, QUICK chooses.

        Raises:
            RefusedError: as `Worker.call`.
        """
        self.asked += 1
        deadline, key = time.monotonic() + BOT_SECONDS, json.dumps(layout)
        with suppress(TimeoutError, RefusedError):
            try:
                worker = await asyncio.wait_for(self._free.get(), BOT_SECONDS)
                left = deadline - time.monotonic()
                share = max(min(THINK_SECONDS * len(self.all) / max(self.asked, len(self.all)), left), LEAST_SECONDS)
                try:
                    request = asking(Games.think, layout, state, seat, bot, share, key in worker.prepared)
                    return await worker.call(request, left + OVERDUE_SECONDS)
                finally:
                    self._free.put_nowait(worker)
            finally:
                self.asked -= 1
        native = any(key in worker.prepared for worker in self.all)
        request = asking(Games.think, layout, state, seat, QUICK, LEAST_SECONDS, native)
        return await self.quick.call(request)

    async def prepare(self, layout: list[Any]) -> None:
        """Have each process load the search of a layout once it is free, so that no bot waits for one that loads.

        Raises:
            RefusedError: as `Worker.call`.
        """
        key = json.dumps(layout)
        while any(key not in worker.prepared for worker in self.all):
            worker = await self._free.get()
            try:
                if key not in worker.prepared:
                    await worker.call(asking(Games.prepare, *layout), COMPILE_SECONDS)
                    worker.prepared.add(key)
            finally:
                self._free.put_nowait(worker)
            await asyncio.sleep(0.01)  # the others may be free next


class Workers:
    """The processes that hold games, each game always in the same one, those that think for bots, and now and then one
    that compiles a search, for which nobody waits: until a search is compiled bots search by the interpreter.

    Args:
        hosts, thinkers: numbers of processes. strange: whether native code of uploaded rulesets is compiled. uploads:
            whether there may be any.

    Attributes:
        all: those that play rulesets of the server. holding: those that hold games. loader: one that holds none;
            background: makes another such.
    """

    def __init__(
        self,
        database: str,
        hosts: int,
        thinkers: int,
        memory: int,
        watching: bool,
        strange: bool,
        uploads: bool = False,
    ) -> None:
        self._hosts = [Worker(database, memory, watching, loading=self._load) for _ in range(hosts)]
        thinking = [Worker(database, memory, quiet=True) for _ in range(thinkers)]
        self._thinkers = Thinkers(thinking, Worker(database, memory))
        self.background, self._compiling = partial(Worker, database, memory, quiet=True), asyncio.Lock()
        self.loader = Worker(database, memory)
        self._compiles_strange = strange
        self.stranger = partial(Worker, database, memory, compiles=strange)
        self._strangers = self.stranger(loading=self._load_strange)
        self._strange_thinkers = Thinkers([self.stranger(quiet=True)], self.stranger())
        self.all = [*self._hosts, *self._thinkers.all, self._thinkers.quick]
        self.holding = [*self._hosts, self._strangers] if uploads else self._hosts

    async def _load(self, request: Request) -> Json:
        """Have a ruleset loaded by a process that holds no game: see `Games.load`."""
        return await self.loader.call(request, LOAD_SECONDS)

    async def _load_strange(self, request: Request) -> Json:
        """Have an uploaded ruleset loaded by a process of its own."""
        worker = self.stranger()
        try:
            return await worker.call(request)
        finally:
            await worker.kill()

    def host(self, game: str) -> Worker:
        """Return the process of a game or ruleset; uploaded rulesets share one of their own."""
        host = self._hosts[sum(game.encode()) % len(self._hosts)]
        return self._strangers if game.startswith(STRANGE) else host

    def thinkers(self, game: str) -> Thinkers:
        """Return the processes for the bots of a game; uploaded rulesets have one of their own."""
        return self._strange_thinkers if game.startswith(STRANGE) else self._thinkers

    def _is_prepared(self, game: str, layout: list[Any]) -> bool:
        """Return whether all thinkers of a game have its search, or none is compiled for it."""
        key, strange = json.dumps(layout), game.startswith(STRANGE)
        has = all(key in worker.prepared for worker in self.thinkers(game).all)
        return has or (strange and not self._compiles_strange)

    async def prepare(self, game: str, layout: list[Any]) -> None:
        """Have the search of a game's layout (see `Games.position`) compiled, one after the other, and
        loaded by each of its thinkers."""
        strange, thinkers = game.startswith(STRANGE), self.thinkers(game)
        if self._is_prepared(game, layout):
            return
        async with self._compiling:
            if self._is_prepared(game, layout):
                return
            compiler = self.stranger(quiet=True) if strange else self.background()
            try:
                await compiler.call(asking(Games.prepare, *layout), COMPILE_SECONDS)
                await thinkers.prepare(layout)
            except RefusedError as error:
                LOG.warning("a search is not compiled: %s", error.detail or error.code)
            finally:
                await compiler.kill()

    async def close(self) -> None:
        """Kill all processes."""
        strange = (self._strangers, *self._strange_thinkers.all, self._strange_thinkers.quick)
        await asyncio.gather(*(worker.close() for worker in (*self.all, self.loader, *strange)))


# ---- inside the process ------------------------------------------------------------------------------


def _end_with(parent: int) -> None:
    """End this process, whatever it computes, once the web process is gone, however that ended."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(0)


def main(database: str, memory: str, parent: str, offset: str, traits: str) -> None:
    """Answer requests on stdin until it ends, or until memory is exhausted: then another process takes over.

    Args:
        parent: the number of the web process. offset: of its clock. traits: which of `watching`, `quiet` and `holding`
            it is, see `Worker`.
    """
    if "quiet" in traits and hasattr(os, "nice"):
        os.nice(NICE)
    with suppress(ImportError):  # Windows has no limits
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (int(memory) << 20, int(memory) << 20))
    threading.Thread(target=_end_with, args=(int(parent),), daemon=True).start()
    requests = sys.stdin.buffer
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what anything prints goes where messages go
    CLOCK.offset = float(offset)
    games = Games(Store(database), "watching" in traits, "holding" in traits)
    prepare()
    while header := requests.read(_LENGTH.size):
        method, arguments = json.loads(requests.read(_LENGTH.unpack(header)[0]))
        try:
            answer: Json = {"result": games.call(method, arguments)}
        except RefusedError as error:
            answer = {"refused": error.args}
        except UnfinishedError:
            answer = {"unfinished": True}
        except UnloadedError as unloaded:
            answer = {"unloaded": unloaded.args}
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
