"""`rulelang perft`: how many histories of each length there are."""

from __future__ import annotations

import click

from rulelang.cli.common import (
    backend_option,
    guarded,
    json_option,
    loaded,
    option_option,
    overlay_option,
    path_argument,
    players_option,
    read_options,
    table,
)
from rulelang.cli.output import put, put_json


@click.command()
@path_argument
@click.option("--depth", type=click.IntRange(min=0), required=True, metavar="D", help="The longest length to count.")
@players_option
@backend_option
@option_option
@overlay_option
@json_option
@guarded
def perft(
    path: str,
    depth: int,
    players: int | None,
    backend: str,
    options: tuple[str, ...],
    overlays: tuple[str, ...],
    form: str,
) -> None:
    """Count histories by length from the start of the game, decisions and chance alike."""
    from rulelang.perft import perft as count

    ruleset = loaded(path, overlays)
    rows = [row.to_json() for row in count(ruleset, depth, players, read_options(options), backend=backend)]
    if form == "json":
        put_json({"depths": rows})
    else:
        head = list(rows[0])
        put(table([head, *([row[name] for name in head] for row in rows)], range(len(head))))
