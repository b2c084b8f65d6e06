"""Plays numbered games in blocks, in one process or several, with the same results.

Enters: machines, a seed, a function of a block of games. Leaves: what the function gives for each block, in order. The
seed of game i is the i-th output of the SplitMix64 generator that starts from the seed.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TypeVar

from rulelang.backends.interpreter import Machine
from rulelang.diagnostics import RuleError, UsageError
from rulelang.ir.program import Program
from rulelang.limits import JOBS
from rulelang.runtime.rng import GOLDEN, output, seeded

BLOCK = 64
"""So many games are played between two reports of progress."""

Part = TypeVar("Part")
Machines = Sequence[Machine]
Progress = Callable[[int], None]
PlayOne = Callable[[int], None]

_machines: Machines = ()


def game_seed(seed: int, index: int) -> int:
    """The seed of a game among many."""
    return output(seeded(seed + index * GOLDEN))[0]


def each_game(seed: int, numbers: range, play: PlayOne) -> None:
    """Plays the numbered games of a block.

    Raises:
        RuleError: a rule went wrong; the message names the game's number and seed.
    """
    for number in numbers:
        try:
            play(game_seed(seed, number))
        except RuleError as error:
            raise RuleError(f"game {number} (seed {game_seed(seed, number)}): {error}") from None


def blocks_of_games(
    work: Callable[[Machines, int, range], Part],
    machines: Machines,
    seed: int,
    games: int,
    jobs: int,
    progress: Progress | None = None,
) -> Iterator[Part]:
    """What `work` gives for each block of games, in order.

    Args:
        work: a function of a module, called with machines, seed and the numbers of the games.
        progress: called with how many more games are played.

    Raises:
        UsageError: there is nothing to do, nobody to do it, or too many.
    """
    if games < 1:
        raise UsageError("there must be at least one game")
    if jobs < 1:
        raise UsageError("there must be at least one process")
    if jobs > JOBS:
        raise UsageError(f"there may be at most {JOBS} processes")
    for block, found in zip(_blocks(games), _results(work, machines, seed, games, jobs), strict=True):
        if progress is not None:
            progress(len(block))
        yield found


def _blocks(games: int) -> Iterator[range]:
    """The numbers of the games in blocks, however many there are."""
    return (range(first, min(first + BLOCK, games)) for first in range(0, games, BLOCK))


def _results(
    work: Callable[[Machines, int, range], Part], machines: Machines, seed: int, games: int, jobs: int
) -> Iterator[Part]:
    count = -(-games // BLOCK)
    if jobs == 1 or count == 1:
        for block in _blocks(games):
            yield work(machines, seed, block)
        return
    tables = [(machine.program, machine.layout.players, machine.layout.options) for machine in machines]
    with _interrupts_held():
        workers = multiprocessing.Pool(min(jobs, count), _begin, (tables,))
    with workers as pool:
        yield from pool.imap(partial(_work, work, seed), _blocks(games))


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Holds Ctrl-C back while processes start, which hold it back too until `_begin`."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(tables: Sequence[tuple[Program, int, tuple[int, ...]]]) -> None:
    """In a new process: makes the machines. An interrupt is the first process's business."""
    global _machines
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Errors of the work travel to the first process; what else might be said is that it ended before this one did.
    sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - it stays open
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _machines = [Machine(program, players, options) for program, players, options in tables]


def _end_with_parent() -> None:
    """In a new process: whoever ends the first process, in whatever way, ends this one too."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(work: Callable[[Machines, int, range], Part], seed: int, block: range) -> Part:
    return work(_machines, seed, block)
