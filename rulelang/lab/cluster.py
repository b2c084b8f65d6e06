"""Plays the blocks of a study on the workers of a Dask cluster instead of local processes.

Enters: the address of a scheduler, the work of a study. Leaves: the same results in the same order as
`rulelang.parallel.blocks_of_games`. Workers may come and go; a lost scheduler is waited for, and blocks without a
result are played again: a block's result depends on its numbers alone.
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any

from rulelang.diagnostics import UsageError
from rulelang.limits import current, use
from rulelang.parallel import WINDOW, Batches, Progress
from rulelang.resources import installing

RECONNECT_SECONDS = 120.0
"""Time for a lost scheduler to come back."""
START_SECONDS = 30.0
"""Time for a scheduler to start."""
POLL_SECONDS = 1.0
"""Interval at which the connection is checked."""

Payload = bytes
Parts = Generator[Any, None, None]


def blocks_on_cluster(
    address: str, work: Callable[..., Any], games: int, progress: Progress | None, borders: Sequence[int]
) -> Parts:
    """Yield the results of `work` for each block of games, in order.

    Args:
        games: how many. progress: called with the number of games of each finished block. borders: numbers of games at
            which a new block begins.

    Raises:
        UsageError: Dask is not installed, or nobody answers at the address.
    """
    try:
        import distributed
    except ImportError:
        raise UsageError(f"a scheduler needs Dask: {installing('cluster')}") from None
    cluster = _Cluster(distributed, address, pickle.dumps((work, current())))
    try:
        blocks = Batches(0, games, cluster.threads(), borders)
        pending: list[range] = []
        while True:
            while len(pending) < WINDOW * cluster.threads():
                block = blocks.next()
                if block is None:
                    break
                pending.append(block)
            if not pending:
                return
            cluster.submit(pending)
            for block, seconds in cluster.wait():
                blocks.record_time(block, seconds)
            while pending and (part := cluster.pop_result(pending[0])) is not None:
                oldest = pending.pop(0)
                if progress is not None:
                    progress(len(oldest))
                yield part
    finally:
        cluster.close()


class _Cluster:
    """A connection to a scheduler, remade when it is lost.

    Args:
        library: the module `distributed`. payload: the pickled work and limits.
    """

    def __init__(self, library: Any, address: str, payload: Payload) -> None:
        self._library, self._address, self._payload = library, address, payload
        self._client: Any = None
        self._futures: dict[range, Any] = {}
        self._finished: dict[range, Any] = {}
        self._connect(START_SECONDS)

    def threads(self) -> int:
        """Return how many blocks can be played at once."""
        with suppress(OSError, self._library.comm.CommClosedError):
            return max(int(sum(self._client.nthreads().values())), 1)
        return 1

    def submit(self, blocks: Sequence[range]) -> None:
        """Submit the blocks that are neither finished nor submitted."""
        for block in blocks:
            if block not in self._futures and block not in self._finished:
                # The payload is a task, not scattered data, which would be lost with the worker that has it.
                payload = self._client.submit(bytes, self._payload)
                self._futures[block] = self._client.submit(play_block, payload, block.start, block.stop, pure=False)

    def wait(self) -> list[tuple[range, float]]:
        """Wait POLL_SECONDS for results; return the finished blocks with the seconds that each took."""
        with suppress(TimeoutError, self._library.TimeoutError, self._library.CancelledError):
            self._library.wait(list(self._futures.values()), timeout=POLL_SECONDS, return_when="FIRST_COMPLETED")
        if self._client.status != "running":
            self._connect(RECONNECT_SECONDS)
            return []
        completed = []
        for block, future in list(self._futures.items()):
            if future.status in ("lost", "cancelled"):
                del self._futures[block]
            elif future.status == "finished":
                with suppress(OSError, self._library.CancelledError):
                    self._finished[block], seconds = future.result()
                    completed.append((block, seconds))
                del self._futures[block]
            elif future.status == "error":
                error = future.exception()
                if not isinstance(error, self._library.KilledWorker):
                    raise error
                del self._futures[block]
        return completed

    def pop_result(self, block: range) -> Any:
        """Return the result of a block; None if it is not finished."""
        return self._finished.pop(block, None)

    def close(self) -> None:
        """Close the connection; unfinished blocks are given up."""
        if self._client is not None:
            with suppress(OSError, RuntimeError, TimeoutError):
                self._client.close(timeout=POLL_SECONDS)

    def _connect(self, patience: float) -> None:
        """Connect to the scheduler.

        Raises:
            UsageError: it does not answer within `patience` seconds.
        """
        self.close()
        self._futures.clear()
        end = time.monotonic() + patience
        while True:
            try:
                self._client = self._library.Client(self._address, timeout=f"{5 * POLL_SECONDS}s")
                return
            except (OSError, TimeoutError, ValueError) as error:
                if time.monotonic() > end:
                    raise UsageError(
                        f"no Dask scheduler answers at {self._address} ({error}); the same command goes on from there"
                    ) from None
                time.sleep(POLL_SECONDS)


# ---- on a worker


_unpickled = lru_cache(2)(pickle.loads)
"""Work and limits, unpickled once in each worker."""


def play_block(payload: Payload, start: int, stop: int) -> tuple[Any, float]:
    """Play the games from `start` to `stop`; return the result and the seconds that it took."""
    work, limits = _unpickled(payload)
    use(limits)
    begun = time.perf_counter()
    part = work([], 0, range(start, stop))
    return part, time.perf_counter() - begun
