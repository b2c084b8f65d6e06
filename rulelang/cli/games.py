"""`rulelang games`: the games of a server's database, for those who run it; the server may run meanwhile.

Enters: a database, the ids of games. Leaves: a list, all events of a game, a new link for a seat, or fewer games.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from rulelang import numbers
from rulelang.cli.common import NumberOption, guarded, json_option, table
from rulelang.cli.output import put, put_json
from rulelang.diagnostics import UsageError, counted

if TYPE_CHECKING:
    from rulelang.web.store import Store, StoredEvent

DAY = 24 * 3600.0

database_option = click.option(
    "--database", default="rulelang.sqlite", show_default=True, metavar="URL", help="A file, or postgresql://…"
)
game_argument = click.argument("game", metavar="GAME")


@click.group()
def games() -> None:
    """List, export, delete games of a server, and invite to them anew."""


def _store(database: str) -> Store:
    """Return a database that is there.

    Raises:
        UsageError: there is none.
    """
    from pathlib import Path

    from rulelang.web.store import POSTGRES, Store

    if not database.startswith(POSTGRES) and not Path(database).is_file():
        raise UsageError(f"there is no database {database}")
    return Store(database)


def _events(store: Store, game: str) -> list[StoredEvent]:
    """Return the events of a game.

    Raises:
        UsageError: there is no such game.
    """
    events = store.events(game)
    if not events:
        raise UsageError(f"there is no game `{game}`")
    return events


def _time(at: float) -> str:
    """Return a time as a text, in UTC."""
    return datetime.fromtimestamp(at, UTC).isoformat(" ", "minutes").removesuffix("+00:00")


@games.command(name="list")
@database_option
@json_option
@guarded
def list_(database: str, form: str) -> None:
    """List all games, the one that went on last at the end."""
    rows: list[dict[str, Any]] = [
        {
            "game": game, "ruleset": first["ruleset"]["name"], "players": first["players"], "events": count,
            "begun": begun, "last": last,
        }
        for game, first, count, begun, last in _store(database).games()
    ]  # fmt: skip
    if form == "json":
        put_json({"games": rows})
    elif rows:
        shown = [[*list(row.values())[:4], _time(row["begun"]), _time(row["last"])] for row in rows]
        put(table([[*list(rows[0])], *shown], right=(2, 3)))


@games.command()
@game_argument
@database_option
@guarded
def export(game: str, database: str) -> None:
    """Print all events of a game as JSON: its seed and so every secret, of tokens the hashes alone."""
    events = _events(_store(database), game)
    put(json.dumps({"game": game, "events": [vars(event) for event in events]}, ensure_ascii=False))


@games.command()
@game_argument
@click.argument("seat", type=NumberOption(numbers.SEAT), metavar="SEAT")
@database_option
@guarded
def invite(game: str, seat: int, database: str) -> None:
    """Give a seat a new link, which is printed; links that it had become invalid."""
    from rulelang.web import seats
    from rulelang.web.store import StoredEvent

    store = _store(database)
    events = _events(store, game)
    if seat >= events[0].body["players"]:
        raise UsageError(f"{game} has no seat {seat}")
    token = seats.new_token()
    store.append(game, StoredEvent(events[-1].number + 1, "key", seat, {"hash": seats.digest(token)}))
    put(f"/join/{game}/{seat}/{token}")


@games.command()
@click.argument("names", metavar="GAME...", nargs=-1, required=True)
@database_option
@guarded
def delete(names: tuple[str, ...], database: str) -> None:
    """Delete games; whoever has their links is told that there are none."""
    store = _store(database)
    for game in names:
        _events(store, game)
    for game in names:
        store.delete(game)
    put(f"{counted(len(names), 'game')} deleted")


@games.command()
@click.option(
    "--days", type=NumberOption(numbers.DAYS), required=True, metavar="N", help="Without an event for so long."
)
@database_option
@guarded
def prune(days: float, database: str) -> None:
    """Delete the games in which nothing has happened for some days."""
    from rulelang.web.clock import CLOCK

    store = _store(database)
    old = [game for game, *_, last in store.games() if last < CLOCK.now() - days * DAY]
    for game in old:
        store.delete(game)
    put(f"{counted(len(old), 'game')} deleted")
