"""Server-sent events: they tell a page that what its reader sees has changed, and nothing else.

Enters: stamps of readers. Leaves: one message of the same length for each change, the stamp in it. A reader's queue
holds one stamp, the newest: a slow client skips what it has missed.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

from rulelang.web.seats import WATCH

HEARTBEAT_SECONDS = 20.0
STREAMS = 64
"""So many pages of one place are told; spectators share theirs."""
WATCHERS = 500

Reader = tuple[str, str]
"""A game and a place at its table."""


class Stream:
    """What one page still has to hear."""

    def __init__(self, stamp: str) -> None:
        self._stamp = stamp
        self._news = asyncio.Event()

    def put(self, stamp: str) -> None:
        """Replace what was not heard yet; the same again is no news."""
        if stamp != self._stamp:
            self._stamp = stamp
            self._news.set()

    async def messages(self) -> AsyncIterator[str]:
        """Yield messages until whoever reads goes away."""
        yield "retry: 1000\n\n"
        while True:
            try:
                await asyncio.wait_for(self._news.wait(), HEARTBEAT_SECONDS)
            except TimeoutError:
                yield ": \n\n"
                continue
            self._news.clear()
            yield f"event: table\nid: {self._stamp}\ndata: {self._stamp}\n\n"


class Streams:
    """All pages that listen."""

    def __init__(self) -> None:
        self._streams: dict[str, dict[str, set[Stream]]] = defaultdict(lambda: defaultdict(set))

    @contextmanager
    def listening(self, game: str, place: str, stamp: str) -> Iterator[Stream]:
        """Register a page's stream, which shows a stamp, for the duration of the block."""
        stream = Stream(stamp)
        self._streams[game][place].add(stream)
        try:
            yield stream
        finally:
            self._streams[game][place].discard(stream)
            if not self._streams[game][place]:
                del self._streams[game][place]
            if not self._streams[game]:
                del self._streams[game]

    def full(self, game: str, place: str) -> bool:
        """Return whether no more pages of a place are told."""
        return len(self._streams.get(game, {}).get(place, ())) >= (WATCHERS if place == WATCH else STREAMS)

    def places(self, game: str) -> list[str]:
        """Return the places of a game that somebody listens at."""
        return list(self._streams.get(game, ()))

    def games(self) -> list[str]:
        """Return the games that somebody listens to."""
        return list(self._streams)

    def tell(self, game: str, stamps: dict[str, str]) -> None:
        """Give each page of a place its stamp."""
        for place, stamp in stamps.items():
            for stream in self._streams.get(game, {}).get(place, ()):
                stream.put(stamp)
