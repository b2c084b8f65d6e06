"""Server-sent events that tell a page that its content has changed, and nothing else.

Enters: stamps of readers. Leaves: one message for each change, with the stamp, always of the same length. A queue holds
only the newest stamp: a slow client skips older ones.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

from rulelang.web.seats import WATCH

HEARTBEAT_SECONDS = 20.0
STREAMS = 64
"""Most pages of one seat that are notified."""
WATCHERS = 500
"""Most pages of all spectators that are notified."""

PAGES = 256
"""Most pages of one address that are notified; several people may share one."""

Reader = tuple[str, str]
"""A game and a place at its table."""


class Stream:
    """The queue of one page, of one stamp; `news` is set while it is not empty."""

    def __init__(self, stamp: str) -> None:
        self._stamp = stamp
        self.news = asyncio.Event()

    def put(self, stamp: str) -> None:
        """Replace the queued stamp; the one already shown is ignored."""
        if stamp != self._stamp:
            self._stamp = stamp
            self.news.set()

    async def messages(self) -> AsyncIterator[str]:
        """Yield messages until the reader disconnects."""
        yield "retry: 1000\n\n"
        while True:
            try:
                await asyncio.wait_for(self.news.wait(), HEARTBEAT_SECONDS)
            except TimeoutError:
                yield ": \n\n"
                continue
            self.news.clear()
            yield f"event: table\nid: {self._stamp}\ndata: {self._stamp}\n\n"


class Streams:
    """All pages that listen, by game and place."""

    def __init__(self) -> None:
        self._streams: dict[str, dict[str, set[Stream]]] = defaultdict(lambda: defaultdict(set))
        self._pages: Counter[str] = Counter()

    @contextmanager
    def listening(self, game: str, place: str, stamp: str, address: str) -> Iterator[Stream]:
        """Register the stream of a page of an address, which shows a stamp, for the duration of the block."""
        stream = Stream(stamp)
        self._pages[address] += 1
        self._streams[game][place].add(stream)
        try:
            yield stream
        finally:
            self._pages -= Counter({address: 1})
            self._streams[game][place].discard(stream)
            if not self._streams[game][place]:
                del self._streams[game][place]
            if not self._streams[game]:
                del self._streams[game]

    def full(self, game: str, place: str, address: str) -> bool:
        """Return whether a place, or an address, has as many pages as are notified."""
        return self._pages[address] >= PAGES or len(self._streams.get(game, {}).get(place, ())) >= (
            WATCHERS if place == WATCH else STREAMS
        )

    @property
    def count(self) -> int:
        """How many pages are notified."""
        return self._pages.total()

    def places(self, game: str) -> list[str]:
        """Return the places of a game at which pages listen."""
        return list(self._streams.get(game, ()))

    def games(self) -> list[str]:
        """Return the games to which pages listen."""
        return list(self._streams)

    def tell(self, game: str, stamps: dict[str, str]) -> None:
        """Queue each place's stamp for all its pages."""
        for place, stamp in stamps.items():
            for stream in self._streams.get(game, {}).get(place, ()):
                stream.put(stamp)
