"""Plays numbered games in blocks, in one process or several, with the same results.

Enters: executors, a seed, a function of a block of games. Leaves: what the function gives for each block, in order. The
seed of game i is the i-th output of the SplitMix64 generator that starts from the seed.

Few blocks are under way at any time, however many games there are, however slow one of them or whoever takes the
results is: a block is given out only when there is room for what comes back.
"""

from __future__ import annotations

import errno
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

from rulelang.diagnostics import RuleError, UsageError
from rulelang.execution.executor import Executor
from rulelang.ir.program import Program
from rulelang.limits import JOBS, Limits, current, use
from rulelang.runtime.rng import game_seed

SECONDS, GAMES = 0.2, 4096
"""A block is to take so long, and has at most so many games: little is lost when a run is ended, and little time goes
into passing blocks to and fro."""

QUEUED, WINDOW = 2, 4
"""Most blocks queued at one process; most blocks for each process between the oldest unfinished one and the newest."""

Part = TypeVar("Part")
Executors = Sequence[Executor]
Progress = Callable[[int], None]
PlayOne = Callable[[int], None]
Work = Callable[[Executors, int, range], Part]
Parts = Generator[tuple[range, Part], None, None]
Tables = Sequence[tuple[str, Program, int, tuple[int, ...]]]


def each_game(seed: int, numbers: range, play: PlayOne) -> None:
    """Call `play` with the seed of each game of a block, in order.

    Raises:
        RuleError: a rule went wrong; the message names the game's number and seed.
    """
    for number in numbers:
        try:
            play(game_seed(seed, number))
        except RuleError as error:
            raise RuleError(f"game {number} (seed {game_seed(seed, number)}): {error}") from None


def check_amounts(games: int, jobs: int) -> None:
    """Validate the numbers of games and of processes.

    Raises:
        UsageError: says which.
    """
    if games < 1:
        raise UsageError("there must be at least one game")
    if jobs < 1:
        raise UsageError("there must be at least one process")
    if jobs > JOBS:
        raise UsageError(f"there may be at most {JOBS} processes")


def blocks_of_games(
    work: Work[Part],
    executors: Executors,
    seed: int,
    games: int,
    jobs: int,
    progress: Progress | None = None,
    first: int = 0,
    borders: Sequence[int] = (),
) -> Generator[Part, None, None]:
    """Run `work` on consecutive blocks of games and yield its results in game order.

    Args:
        work: a function of a module, called with executors, seed and the numbers of the games.
        progress: called with how many more games are played.
        first: the number of the first game to play; `games` counts those before it too.
        borders: numbers, in order, that begin games of another sort: no block has games of two sorts.

    Raises:
        UsageError: there is nothing to do, nobody to do it, or too many.
        ChildProcessError: a process was ended by somebody else.
    """
    check_amounts(games, jobs)
    jobs = min(jobs, games - first)
    if jobs < 1:
        return
    blocks = Batches(first, games, jobs, borders)
    parts = (
        _in_process(work, executors, seed, blocks) if jobs == 1 else _side_by_side(work, executors, seed, blocks, jobs)
    )
    with closing(parts):
        for block, part in parts:
            if progress is not None:
                progress(len(block))
            yield part


# ---- blocks


class Batches:
    """The numbers of the games, cut into blocks that each take about `SECONDS`, however long a game takes."""

    def __init__(self, first: int, games: int, jobs: int, borders: Sequence[int] = ()) -> None:
        self._first, self._games, self._jobs = first, games, jobs
        self._borders = [*borders, games]
        self._begun = first
        self._size = 1

    def next(self) -> range | None:
        """Return the next block of games, None when all have been handed out.

        Block sizes follow the measured time per game, and shrink towards the end so that all processes finish together.
        """
        left = self._games - self._first
        if not left:
            return None
        while self._borders[0] <= self._first:
            self._begun, self._size = self._borders.pop(0), 1
        share = left if self._jobs == 1 else max(left // (2 * self._jobs), self._size // 16, 1)
        block = range(self._first, min(self._first + min(self._size, share), self._borders[0]))
        self._first = block.stop
        return block

    def record_time(self, block: range, seconds: float) -> None:
        """Record how many seconds a block took, which sets the size of the blocks to come."""
        if block.start >= self._begun:
            self._size = max(1, min(int(len(block) * SECONDS / max(seconds, 1e-6)), 4 * len(block), GAMES))


def _in_process(work: Work[Part], executors: Executors, seed: int, blocks: Batches) -> Parts[Part]:
    """Run `work` on each block in this process, and yield blocks with their results."""
    while (block := blocks.next()) is not None:
        start = time.perf_counter()
        part = work(executors, seed, block)
        blocks.record_time(block, time.perf_counter() - start)
        yield block, part


# ---- processes


class _Worker:
    """A process that plays blocks, and the number of blocks sent to it that have not come back."""

    def __init__(self, work: Work[Any], tables: Tables, seed: int) -> None:
        self.pipe, theirs = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=_serve, args=(theirs, work, tables, seed, current()), daemon=True)
        try:
            self.process.start()
        except OSError as error:
            self.pipe.close()
            raise UsageError(f"no process can be started: {error.strerror}; fewer `--jobs` may do") from None
        finally:
            theirs.close()
        self.outstanding = 0

    def send(self, block: range) -> None:
        """Send the process one more block to play."""
        try:
            self.pipe.send(block)
        except OSError:
            raise self._lost_error() from None
        self.outstanding += 1

    def receive(self) -> tuple[range, Any, Exception | None, float]:
        """Receive a finished block from the process: block, result, error or None, and seconds it took."""
        try:
            answer: tuple[range, Any, Exception | None, float] = self.pipe.recv()
        except (EOFError, OSError):
            raise self._lost_error() from None
        self.outstanding -= 1
        return answer

    def end(self) -> None:
        """Kill the process and close its pipe."""
        self.process.kill()
        self.process.join()
        self.pipe.close()

    def _lost_error(self) -> OSError:
        """Return the error to raise when the process has died."""
        self.process.join(1)  # whoever ends all processes of a command at once ends this one too, with its own words
        text = "was ended before its games were played, by somebody else or for want of memory"
        return OSError(errno.ECHILD, text, f"process {self.process.pid}")


def _side_by_side(work: Work[Part], executors: Executors, seed: int, blocks: Batches, jobs: int) -> Parts[Part]:
    """Run `work` in worker processes and yield blocks with their results in game order."""
    tables = [(e.backend, e.program, e.layout.players, e.layout.options) for e in executors]
    workers: list[_Worker] = []
    try:
        with _signals_held():
            for _ in range(jobs):
                workers.append(_Worker(work, tables, seed))  # noqa: PERF401 - those that began are ended
        yield from _in_order(workers, blocks)
    finally:
        for worker in workers:
            worker.end()


def _in_order(workers: Sequence[_Worker], blocks: Batches) -> Parts[Any]:
    """Hand blocks to the workers and yield the results in game order; raise a worker's error in its block's turn."""
    by_pipe: dict[Any, _Worker] = {worker.pipe: worker for worker in workers}
    under_way: deque[range] = deque()
    finished: dict[int, tuple[Any, Exception | None]] = {}
    while True:
        for load in range(1, QUEUED + 1):
            for worker in workers:
                if worker.outstanding < load and len(under_way) < WINDOW * len(workers):
                    block = blocks.next()
                    if block is not None:
                        worker.send(block)
                        under_way.append(block)
        if not under_way:
            return
        for pipe in wait(list(by_pipe)):
            block, part, error, seconds = by_pipe[pipe].receive()
            blocks.record_time(block, seconds)
            finished[block.start] = part, error
        while under_way and under_way[0].start in finished:
            block = under_way.popleft()
            part, error = finished.pop(block.start)
            if error is not None:
                raise error
            yield block, part


@contextmanager
def _signals_held() -> Iterator[None]:
    """Block SIGINT and SIGTERM while worker processes start; children inherit the mask until `_begin`."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Connection, work: Work[Any], tables: Tables, seed: int, limits: Limits) -> None:
    """Run a worker process: receive blocks through the pipe, send back results or errors, until the pipe closes."""
    _begin()
    use(limits)
    executors = [Executor(program, players, options, backend) for backend, program, players, options in tables]
    while True:
        try:
            block: range = pipe.recv()
        except EOFError:
            return
        part, wrong, start = None, None, time.perf_counter()
        try:
            part = work(executors, seed, block)
        except Exception as error:  # noqa: BLE001 - whatever it is, the first process is to raise it
            wrong = error
        pipe.send((block, part, wrong, time.perf_counter() - start))


def _begin() -> None:
    """Set up a worker process: ignore SIGINT, silence standard error, and exit when the parent does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    # Errors of the work travel to the first process; what else might be said is that it ended before this one did.
    sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - it stays open
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Wait for the parent process to end, in whatever way, then exit this process."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
