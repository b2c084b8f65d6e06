"""The event store, an append-only table and the only truth about all games: SQLite in WAL mode, or PostgreSQL.

Enters: events, and the rules that games were begun with. Leaves: the same, events in order. Event 0 of a
game has its settings (see `live.py`), each further one is an action of somebody. The primary key (game, number) decides
races: of two writers of the same number one gets TakenError, reads on and decides anew. Nothing is changed; only
who runs a server deletes games.
"""

from __future__ import annotations

import asyncio
import errno
import hashlib
import json
import os
import sqlite3
import stat
import time
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

from rulelang.diagnostics import UsageError
from rulelang.resources import installing
from rulelang.web.clock import CLOCK

T = TypeVar("T")
POSTGRES = ("postgres://", "postgresql://")
MEMORY = ":memory:"
BEAT_SECONDS = 5.0
"""How often a server says that it runs."""
WAIT_SECONDS = 20
"""How long a writer waits for another one of the same SQLite file."""

_TABLE = """
create table if not exists events (
    game text not null, number integer not null, at double precision not null, kind text not null, seat integer,
    body text not null, primary key (game, number)
)"""


_KEPT = "create table if not exists rules (id text not null primary key, body text not null)"
_UPTIME = (
    "create table if not exists uptime (began double precision not null primary key, ended double precision not null)"
)
_INSERT = "insert into events (game, number, at, kind, seat, body) values (?, ?, ?, ?, ?, ?)"
_INSERT_AND_TELL = f"""
with written as ({_INSERT} returning game, number) select pg_notify('rulelang', game || ' ' || number) from written"""


class TakenError(Exception):
    """Another process wrote the event of this number."""


class StoreError(Exception):
    """The database can't be reached, is locked or is full; it may be asked again."""


@dataclass(frozen=True)
class StoredEvent:
    """An event of a game.

    Attributes:
        seat: who caused it, None for nobody. at: seconds since 1970.
    """

    number: int
    kind: str
    seat: int | None = None
    body: dict[str, Any] = field(default_factory=dict)
    at: float = field(default_factory=CLOCK.now)


class Store:
    """The table, over one connection.

    Args:
        url: a file for SQLite, or a `postgresql://` address (extra `postgres`). shared: whether several threads use it,
            one at a time.

    A connection to PostgreSQL that is lost, as when that is restarted, is made anew by whoever needs it next.

    Raises:
        UsageError: it can't be opened; or PostgreSQL is asked for and psycopg is not installed. StoreError: by all
            methods.
    """

    def __init__(self, url: str, shared: bool = False) -> None:
        self._mark, self._insert, self._url = "?", _INSERT, url
        self._connection: Any
        self._place: tuple[int, int] | None = None
        if url.startswith(POSTGRES):
            self._open_server(url)
        else:
            self._open_file(url, shared)

    def _open_server(self, url: str) -> None:
        """Connect to PostgreSQL."""
        try:
            import psycopg
        except ImportError:
            raise UsageError(f"PostgreSQL needs psycopg: {installing('postgres')}") from None
        self._mark, self._insert = "%s", _INSERT_AND_TELL
        self._duplicate_error: type[Exception] = psycopg.errors.UniqueViolation
        self._error: type[Exception] = psycopg.Error
        try:
            self._connection = psycopg.connect(url, autocommit=True, client_encoding="utf8")
            with suppress(psycopg.errors.UniqueViolation):  # two processes may begin at once
                self._connection.execute(_TABLE)
                self._connection.execute(_KEPT)
                self._connection.execute(_UPTIME)
        except psycopg.Error as error:
            said = next(iter(str(error).splitlines()), "")
            raise UsageError(f"the PostgreSQL database cannot be opened: {said}") from None

    def _open_file(self, url: str, shared: bool) -> None:
        """Open a file of SQLite, made if it is missing."""
        self._duplicate_error, self._error = sqlite3.IntegrityError, sqlite3.Error
        try:
            if url not in ("", MEMORY):
                _keep_private(url)
            self._connection = sqlite3.connect(
                url, timeout=WAIT_SECONDS, isolation_level=None, check_same_thread=not shared
            )
            if url not in ("", MEMORY):
                self._place = _place(url)
            _enter_wal(self._connection)
            self._connection.execute("pragma synchronous = full")
            self._connection.execute(_TABLE + " without rowid")
            self._connection.execute(_KEPT)
            self._connection.execute(_UPTIME)
        except (sqlite3.Error, OSError, ValueError) as error:
            said = error.strerror if isinstance(error, OSError) else str(error)
            raise UsageError(f"the database {url} cannot be opened: {said}") from None

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Do what is in the block whole or not at all."""
        self._connection.execute("begin")
        try:
            yield
        except BaseException:
            with suppress(self._error):
                self._connection.execute("rollback")
            raise
        self._connection.execute("commit")

    def _run(self, statement: str, values: Sequence[Any]) -> Any:
        """Execute a statement with `?` for its values."""
        return self._connection.execute(statement.replace("?", self._mark), values)

    def _reached(self, work: Callable[[], T]) -> T:
        """Return what some work with the database gives; it is done again if the connection was lost. It is not done
        where the file was moved away or replaced: what is written to one that is gone is lost."""
        if self._place is not None and self._place != _place(self._url):
            raise StoreError(f"{self._url} is not the file any more that was opened")
        try:
            return work()
        except self._duplicate_error:
            raise
        except self._error as error:
            if not getattr(self._connection, "closed", False):
                raise StoreError(str(error)) from None
        try:
            self._open_server(self._url)
            return work()
        except self._duplicate_error:
            raise
        except (UsageError, self._error) as error:
            raise StoreError(str(error)) from None

    def _rows(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        """Return the rows of a query with `?` for its values."""
        rows: list[Any] = self._reached(lambda: self._run(statement, values).fetchall())
        return rows

    def append(self, game: str, *events: StoredEvent) -> None:
        """Write events durably, all or none.

        Raises:
            TakenError: the game has an event of one of these numbers.
        """
        rows = [
            (game, event.number, event.at, event.kind, event.seat, json.dumps(event.body, ensure_ascii=False))
            for event in events
        ]

        def write() -> None:
            """Write the rows."""
            with self._transaction():
                for row in rows:
                    self._run(self._insert, row)

        try:
            self._reached(write)
        except self._duplicate_error:
            if self.events(game, events[0].number)[: len(events)] != list(events):  # else it was written, and not said
                raise TakenError from None

    def events(self, game: str, since: int = 0) -> list[StoredEvent]:
        """Return the events of a game from number `since` on; empty if there is no such game."""
        rows = self._rows(
            "select number, kind, seat, body, at from events where game = ? and number >= ? order by number",
            (game, since),
        )
        return [StoredEvent(number, kind, seat, json.loads(body), at) for number, kind, seat, body, at in rows]

    def games(self) -> list[tuple[str, dict[str, Any], int, float, float]]:
        """Return of each game its id, the body of event 0, the number of its events, the times of the first and the
        last one; the one that went on last at the end."""
        rows = self._rows(
            "select a.game, a.body, count(*), a.at, max(b.at) from events a join events b on a.game = b.game "
            "where a.number = 0 group by a.game, a.body, a.at order by 5, 1"
        )
        return [(game, json.loads(body), count, at, last) for game, body, count, at, last in rows]

    def delete(self, game: str) -> None:
        """Delete a game, with all its events."""
        self._reached(lambda: self._run("delete from events where game = ?", (game,)))

    def last(self, games: Iterable[str]) -> dict[str, int]:
        """Return the number of the last event of each of these games."""
        names = list(games)
        marks = ", ".join("?" * len(names))
        rows = self._rows(f"select game, max(number) from events where game in ({marks}) group by game", names)
        return dict(rows)

    def beat(self, began: float, now: float) -> None:
        """Note that the server that began at a time still runs."""
        statement = "insert into uptime (began, ended) values (?, ?) on conflict (began) do update set ended = ?"
        self._reached(lambda: self._run(statement, (began, now, now)))

    def ended(self) -> float:
        """Return until when a server is known to have run, 0 if none has."""
        return float(self._rows("select max(ended) from uptime")[0][0] or 0)

    def pauses(self, now: float) -> list[tuple[float, float]]:
        """Return when no server ran, up to now, each from and to a time."""
        pauses, last = list[tuple[float, float]](), None
        for began, ended in [*self._rows("select began, ended from uptime order by began"), (now, now)]:
            if last is not None and began > last + BEAT_SECONDS:
                pauses.append((last, began))
            last = ended if last is None else max(last, ended)
        return pauses

    def keep(self, text: str) -> str:
        """Keep the rules of games; return the key by which `kept` finds them."""
        key = hashlib.sha256(text.encode()).hexdigest()
        statement = "insert into rules (id, body) values (?, ?) on conflict do nothing"
        self._reached(lambda: self._run(statement, (key, text)))
        return key

    def kept(self, key: str) -> str | None:
        """Return rules that were kept; None if there are none."""
        rows = self._rows("select body from rules where id = ?", (key,))
        return str(rows[0][0]) if rows else None

    def used(self, mark: str) -> dict[str, float]:
        """Return ruleset path -> time of the last event, of games whose ids begin with `mark`."""
        rows = self._rows(
            "select a.body, max(b.at) from events a join events b on a.game = b.game "
            "where a.number = 0 and a.game like ? group by a.game, a.body order by 2",
            (f"{mark}%",),
        )
        return {json.loads(body)["ruleset"]["path"]: at for body, at in rows}

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def _place(name: str) -> tuple[int, int] | None:
    """Return what tells a file from another one of its name; None without a file."""
    try:
        found = os.stat(name)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _enter_wal(connection: sqlite3.Connection) -> None:
    """Switch to a write-ahead log; where several processes do so at once SQLite refuses all but one without waiting."""
    until = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            connection.execute("pragma journal_mode = wal")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.01)
        else:
            return


def _keep_private(name: str) -> None:
    """Make a file of SQLite if it is missing, and let nobody but this user read or write it, nor what lies beside it:
    it holds every hand of every game.

    Raises:
        OSError: it is no file, or can't be made. (Modes of another user's file are his.)
    """
    with suppress(FileExistsError):  # to close a file that is open elsewhere in this process would drop its locks
        os.close(os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    if not os.path.isfile(name):
        raise OSError(errno.EINVAL, "it is not a regular file")
    for suffix in ("", "-wal", "-shm", "-journal"):
        with suppress(OSError):
            os.chmod(name + suffix, stat.S_IMODE(os.stat(name + suffix).st_mode) & 0o600)


async def news(url: str, watched: Callable[[], Collection[str]], seconds: float) -> AsyncIterator[tuple[str, int]]:
    """Yield (game, number) of events that anybody writes to watched games, some repeatedly; for ever.

    PostgreSQL notifies; after each reconnection the last events are queried, so that none is missed. SQLite is polled
    every `seconds`, which only several servers of one file need.

    Args:
        watched: returns the games to watch.
    """
    store = Store(url, shared=True)

    async def last() -> dict[str, int]:
        """Return the last event numbers of the watched games."""
        games = watched()
        return await asyncio.to_thread(store.last, games) if games else {}

    while not url.startswith(POSTGRES):
        await asyncio.sleep(seconds)
        with suppress(StoreError):
            for row in (await last()).items():
                yield row
    import psycopg

    while True:
        with suppress(psycopg.Error, UsageError, StoreError):
            connecting = psycopg.AsyncConnection.connect(url, autocommit=True, client_encoding="utf8")
            async with await connecting as connection:
                await connection.execute("listen rulelang")
                store.close()
                store = Store(url, shared=True)
                for row in (await last()).items():
                    yield row
                async for notice in connection.notifies():
                    game, _, number = notice.payload.rpartition(" ")
                    if game in watched():
                        yield game, int(number)
        await asyncio.sleep(seconds)
