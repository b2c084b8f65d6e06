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
import traceback
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from rulelang.web.games import Games
from rulelang.web.live import RefusedError
from rulelang.web.pages import prepare
from rulelang.web.seats import STRANGE
from rulelang.web.store import Store

MEMORY = 1024
"""MiB of data that a worker may have, and so may a compiler in it."""

SECONDS = 30.0
"""Time limit of a request; the first one of a ruleset checks and compiles it."""

_LENGTH = struct.Struct(">I")
FRAME = 1 << 26
_START = "import sys; sys.path.insert(0, sys.argv[1]); from rulelang.web.workers import main; main(*sys.argv[2:])"
"""A worker runs the same engine as the web process, wherever that was started."""


class Worker:
    """One process; requests are answered one at a time.

    Args:
        database: address of the store. memory: MiB of data it may have. watching: whether rules may change. compiles:
            whether it may compile native code.
    """

    def __init__(self, database: str, memory: int = MEMORY, watching: bool = False, *, compiles: bool = True) -> None:
        self._settings = database, str(memory), "watching" if watching else ""
        self._environment = None if compiles else os.environ | {"PATH": "", "CC": ""}
        self._lock = asyncio.Lock()
        self._process: asyncio.subprocess.Process | None = None

    async def _running_process(self) -> asyncio.subprocess.Process:
        """Return the process, started if it does not run."""
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable, "-P", "-c", _START, str(Path(__file__).parents[2]), *self._settings,
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, env=self._environment,
            )  # fmt: skip
        return self._process

    async def call(self, method: str, *arguments: Any, seconds: float = SECONDS) -> dict[str, Any]:
        """Answer a request.

        Args:
            seconds: time limit.

        Raises:
            RefusedError: the worker refuses; with status 503 where it took too long or died.
        """
        return await asyncio.shield(self._answer(method, arguments, seconds))

    async def _answer(self, method: str, arguments: tuple[Any, ...], seconds: float) -> dict[str, Any]:
        """Answer a request, one at a time; see `call`."""
        async with self._lock:
            process = await self._running_process()
            try:
                answer = await asyncio.wait_for(_exchange(process, [method, arguments]), seconds)
            except (TimeoutError, OSError, EOFError) as error:
                await self.kill()
                raise RefusedError(503, "worker", str(error)) from None
        if "refused" in answer:
            raise RefusedError(*answer["refused"])
        result: dict[str, Any] = answer["result"]
        return result

    async def kill(self) -> None:
        """Kill the process, and wait for its end; the next request starts another."""
        process, self._process = self._process, None
        if process is not None:
            with suppress(ProcessLookupError):  # it has ended itself
                process.kill()
            await process.wait()


async def _exchange(process: asyncio.subprocess.Process, request: Any) -> dict[str, Any]:
    """Send a request to a process and return its answer."""
    assert process.stdin is not None
    assert process.stdout is not None
    data = json.dumps(request).encode()
    process.stdin.write(_LENGTH.pack(len(data)) + data)
    await process.stdin.drain()
    (length,) = _LENGTH.unpack(await process.stdout.readexactly(_LENGTH.size))
    if length > FRAME:
        raise EOFError("an answer is too long")
    answer: dict[str, Any] = json.loads(await process.stdout.readexactly(length))
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
        self._turn = 0

    def host(self, game: str) -> Worker:
        """Return the process of a game or ruleset; uploaded rulesets share one of their own."""
        host = self._hosts[sum(game.encode()) % len(self._hosts)]
        return self._strangers if game.startswith(STRANGE) else host

    def thinker(self, game: str) -> Worker:
        """Return a process for a bot, in turn."""
        self._turn += 1
        return self._strangers if game.startswith(STRANGE) else self._thinkers[self._turn % len(self._thinkers)]

    async def close(self) -> None:
        """Kill all processes."""
        await asyncio.gather(*(worker.kill() for worker in (*self.all, self._strangers)))


# ---- inside the process ------------------------------------------------------------------------------


def main(database: str, memory: str, watching: str) -> None:
    """Answer requests on stdin until it ends, or until memory is exhausted: then another process takes over.

    Args:
        watching: not empty if games go on when their rules change.
    """
    with suppress(ImportError):  # Windows has no limits
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (int(memory) << 20, int(memory) << 20))
    requests = sys.stdin.buffer
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what anything prints goes where messages go
    games = Games(Store(database), bool(watching))
    prepare()
    while header := requests.read(_LENGTH.size):
        method, arguments = json.loads(requests.read(_LENGTH.unpack(header)[0]))
        try:
            answer: dict[str, Any] = {"result": games.call(method, arguments)}
        except RefusedError as error:
            answer = {"refused": error.args}
        except MemoryError:
            os._exit(1)
        except Exception:  # noqa: BLE001 - a fault of ours ends one request, not the games of this process
            traceback.print_exc()
            games.forget()
            answer = {"refused": [500, "fault", ""]}
        data = json.dumps(answer, ensure_ascii=False).encode()
        try:
            answers.write(_LENGTH.pack(len(data)) + data)
            answers.flush()
        except BrokenPipeError:  # the web process was killed
            os._exit(0)
