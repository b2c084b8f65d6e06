"""Plays the blocks of a study on the workers of a Dask cluster instead of processes of this machine.

Enters: the address of a scheduler, the work of a study. Leaves: the same results in the same order as
`rulelang.parallel.blocks_of_games`. Workers may come and go; a scheduler that goes is waited for, and what it had not
given back is played again: a block's result hangs on its numbers alone.
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
from rulelang.parallel import AHEAD, Blocks, Progress

PATIENCE = 120.0
"""Seconds for which a scheduler that has gone is waited for."""
STARTING = 30.0
"""... and for one that is just being started."""
LOOK = 1.0
"""Seconds between two looks at whether the scheduler is still there."""

Payload = bytes
Parts = Generator[Any, None, None]


def blocks_on_cluster(
    address: str, work: Callable[..., Any], games: int, progress: Progress | None, borders: Sequence[int]
) -> Parts:
    """Yield the results of `work` for each block of games, in order.

    Raises:
        UsageError: there is no library for it, or nobody answers at the address.
    """
    try:
        import distributed
    except ImportError:
        raise UsageError("a scheduler needs Dask: `pip install 'rulelang[cluster]'`") from None
    cluster = _Cluster(distributed, address, pickle.dumps((work, current())))
    try:
        blocks = Blocks(0, games, cluster.threads(), borders)
        under_way: list[range] = []
        while True:
            while len(under_way) < AHEAD * cluster.threads():
                block = blocks.next()
                if block is None:
                    break
                under_way.append(block)
            if not under_way:
                return
            cluster.give(under_way)
            for block, seconds in cluster.wait():
                blocks.took(block, seconds)
            while under_way and (part := cluster.taken(under_way[0])) is not None:
                oldest = under_way.pop(0)
                if progress is not None:
                    progress(len(oldest))
                yield part
    finally:
        cluster.close()


class _Cluster:
    """A connection to a scheduler that is made anew when it is lost."""

    def __init__(self, library: Any, address: str, payload: Payload) -> None:
        self._library, self._address, self._payload = library, address, payload
        self._client: Any = None
        self._futures: dict[range, Any] = {}
        self._finished: dict[range, Any] = {}
        self._connect(STARTING)

    def threads(self) -> int:
        """Return how many blocks may be played at once."""
        with suppress(OSError, self._library.comm.CommClosedError):
            return max(int(sum(self._client.nthreads().values())), 1)
        return 1

    def give(self, blocks: Sequence[range]) -> None:
        """Hand out those that are neither finished nor under way."""
        for block in blocks:
            if block not in self._futures and block not in self._finished:
                # What they need is a task too, not scattered data: that would be lost with the worker that has it.
                payload = self._client.submit(bytes, self._payload)
                self._futures[block] = self._client.submit(played, payload, block.start, block.stop, pure=False)

    def wait(self) -> list[tuple[range, float]]:
        """Wait a while for blocks to be finished; return those that were, with the seconds that they took."""
        with suppress(TimeoutError, self._library.TimeoutError, self._library.CancelledError):
            self._library.wait(list(self._futures.values()), timeout=LOOK, return_when="FIRST_COMPLETED")
        if self._client.status != "running":
            self._connect(PATIENCE)
            return []
        came = []
        for block, future in list(self._futures.items()):
            if future.status in ("lost", "cancelled"):
                del self._futures[block]
            elif future.status == "finished":
                with suppress(OSError, self._library.CancelledError):
                    self._finished[block], seconds = future.result()
                    came.append((block, seconds))
                del self._futures[block]
            elif future.status == "error":
                error = future.exception()
                if not isinstance(error, self._library.KilledWorker):
                    raise error
                del self._futures[block]
        return came

    def taken(self, block: range) -> Any:
        """Return the result of a block; None if it is not finished."""
        return self._finished.pop(block, None)

    def close(self) -> None:
        """Leave the cluster; what is under way is given up."""
        if self._client is not None:
            with suppress(OSError, RuntimeError, TimeoutError):
                self._client.close(timeout=LOOK)

    def _connect(self, patience: float) -> None:
        self.close()
        self._futures.clear()
        end = time.monotonic() + patience
        while True:
            try:
                self._client = self._library.Client(self._address, timeout=f"{5 * LOOK}s")
                return
            except (OSError, TimeoutError, ValueError) as error:
                if time.monotonic() > end:
                    raise UsageError(
                        f"no Dask scheduler answers at {self._address} ({error}); the same command goes on from there"
                    ) from None
                time.sleep(LOOK)


# ---- on a worker


@lru_cache(2)
def _work(payload: Payload) -> tuple[Any, Any]:
    work, limits = pickle.loads(payload)
    return work, limits


def played(payload: Payload, start: int, stop: int) -> tuple[Any, float]:
    """Return the result of the block from `start` to `stop`, and how many seconds it took."""
    work, limits = _work(payload)
    use(limits)
    begun = time.perf_counter()
    part = work([], 0, range(start, stop))
    return part, time.perf_counter() - begun
