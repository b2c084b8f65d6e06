"""Blocks of games in several processes: in order, few at a time, and no process that is waited for in vain."""

from __future__ import annotations

import errno
import multiprocessing
import os
import signal
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from rulelang import parallel
from rulelang.diagnostics import UsageError
from rulelang.interrupts import finishing
from rulelang.parallel import WINDOW, blocks_of_games

Machines = Sequence[object]


def noted(folder: Path, slow: int, machines: Machines, seed: int, numbers: range) -> list[int]:
    """Leaves a file for each block; the block with the game `slow` takes long."""
    del machines, seed
    (folder / f"{numbers.start}-{numbers.stop}").touch()
    if slow in numbers:
        time.sleep(0.4)
    return list(numbers)


def killed(machines: Machines, seed: int, numbers: range) -> None:
    """As if somebody had ended the process."""
    del machines, seed
    if numbers.stop > 20:
        os.kill(os.getpid(), signal.SIGKILL)


def wrong(machines: Machines, seed: int, numbers: range) -> list[int]:
    """A mistake of the program in a later game."""
    del machines, seed
    if 50 in numbers:
        raise LookupError("game 50")
    return list(numbers)


@pytest.mark.parametrize("jobs", [1, 2, 5])
@pytest.mark.parametrize("first", [0, 7, 1000])
def test_each_game_once_and_in_order(first: int, jobs: int, tmp_path: Path) -> None:
    """All games from the first one, none twice, the oldest first; progress counts them."""
    told: list[int] = []
    parts = blocks_of_games(partial(noted, tmp_path, 500), [], 0, 1000, jobs, told.append, first)
    assert [number for part in parts for number in part] == list(range(first, 1000))
    assert sum(told) == 1000 - first


@pytest.mark.parametrize("games", [10**4, 10**30])
def test_few_blocks_are_under_way(games: int, tmp_path: Path) -> None:
    """Who does not take results gets no more played, and while one block is slow the others do not run far ahead."""
    most = 2 * WINDOW
    parts = blocks_of_games(partial(noted, tmp_path, 0), [], 0, games, 2)
    next(parts)  # the block of game 0, the others ahead of it
    assert 2 < len(list(tmp_path.iterdir())) <= most
    time.sleep(0.2)
    assert len(list(tmp_path.iterdir())) <= most
    parts.close()


def test_blocks_grow_with_the_speed_of_games(tmp_path: Path) -> None:
    """Fast games come in large blocks, but never in very large ones; towards the end they get smaller again."""
    sizes = [len(part) for part in blocks_of_games(partial(noted, tmp_path, -1), [], 0, 200_000, 2)]
    assert sizes[0] == 1
    assert parallel.GAMES / 4 <= max(sizes) <= parallel.GAMES
    assert sizes[-1] < max(sizes)
    assert len(sizes) < 300


def test_a_process_that_is_ended() -> None:
    """It is told, at once, instead of being waited for."""
    with pytest.raises(ChildProcessError, match="was ended before its games were played") as lost:
        list(blocks_of_games(killed, [], 0, 1000, 2))
    assert str(lost.value.filename).startswith("process ")


@pytest.mark.parametrize("jobs", [1, 3])
def test_an_error_comes_in_its_turn(jobs: int) -> None:
    """All that was played before is handed on first."""
    seen: list[int] = []
    with pytest.raises(LookupError, match="game 50"):
        seen.extend(number for part in blocks_of_games(wrong, [], 0, 1000, jobs) for number in part)
    assert seen == list(range(len(seen)))
    assert 0 < len(seen) <= 50


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_step_is_finished(number: signal.Signals) -> None:
    """A signal in the middle of a step takes effect after it."""
    done: list[int] = []

    class Came(Exception):  # noqa: N818 - a signal, no error
        pass

    def raise_(*_: object) -> None:
        raise Came

    def step() -> None:
        with finishing():
            signal.raise_signal(number)
            done.append(1)

    before = signal.signal(number, raise_)
    try:
        with pytest.raises(Came):
            step()
        assert done == [1]
        assert signal.getsignal(number) is raise_
        with finishing():
            done.append(2)
    finally:
        signal.signal(number, before)
    assert done == [1, 2]


def test_a_refused_process_is_told_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system starts no process that is said; those that began are ended."""
    start, begun = multiprocessing.Process.start, list[multiprocessing.Process]()

    def refuse(process: multiprocessing.Process) -> None:
        if len(begun) == 2:
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        begun.append(process)
        start(process)

    monkeypatch.setattr(multiprocessing.Process, "start", refuse)
    with pytest.raises(UsageError, match="no process can be started: Resource temporarily unavailable"):
        list(blocks_of_games(wrong, [], 0, 1000, 4))
    assert len(begun) == 2
    assert not any(process.is_alive() for process in begun)
