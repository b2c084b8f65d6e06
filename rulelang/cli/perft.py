"""`rulelang perft`: numbers of histories by length, and their outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import click

from rulelang import numbers
from rulelang.cli.common import GameOptions, NumberOption, backend_option, game_options, guarded, json_option, table
from rulelang.cli.output import put, put_json
from rulelang.diagnostics import UsageError, counted

if TYPE_CHECKING:
    from rulelang.perft import Ending, HistoryCounts, HistoryTree

END = "end"
WIDTH = 9
MOST_SHOWN = 40
"""With more outcomes, the text lists them by winners alone."""


def _depth(ctx: click.Context, param: click.Parameter, value: str) -> int | None:
    """Parse a length; return None for `end`."""
    if value == END:
        return None
    depth: int = NumberOption(numbers.DEPTH, f"; `{END}`: all of them").convert(value, param, ctx)
    return depth


@click.command()
@game_options
@click.option(
    "--depth", default=END, show_default=True, metavar="D", callback=_depth, help="The longest length to count, or end."
)
@click.option("--exact", is_flag=True, help="Probabilities of the outcomes, and expected returns, under random play.")
@click.option(
    "--most", type=NumberOption(numbers.POSITIONS), metavar="N", help="To the end: give up beyond so many positions."
)
@click.option(
    "--scenario",
    metavar="NAME",
    help="Begin from the situation of a scenario of the ruleset, or in a position in its notation.",
)
@backend_option
@json_option
@guarded
def perft(
    game: GameOptions,
    depth: int | None,
    exact: bool,
    most: int | None,
    scenario: str | None,
    backend: str,
    form: str,
) -> None:
    """Count histories by length, decisions and chance alike; to the end by outcome too.

    From the start of the game, or from the situation of a scenario."""
    from rulelang import perft as counting

    if depth is not None and (exact or most is not None):
        raise UsageError("--exact and --most are for counting to the end: leave --depth out")
    ruleset = game.loaded()
    progress = None if form == "json" else _put_row
    if depth is not None:
        rows = counting.perft(ruleset, depth, game.players, game.values, progress, backend, scenario)
        if form == "json":
            put_json({"depths": [row.to_json() for row in rows]})
        return
    bound = counting.MOST if most is None else most
    tree = counting.perft_to_end(ruleset, game.players, game.values, progress, backend, exact, bound, scenario)
    if form == "json":
        put_json(tree.to_json())
    else:
        _put_tree(tree)


def _put_row(row: HistoryCounts) -> None:
    """Print a row of counts as soon as it is complete, under a head."""
    named = row.to_json()
    lines = [[*named], ["-" * len(name) for name in named]] if row.depth == 0 else []
    for line in (*lines, named.values()):
        put("  ".join(str(part).rjust(max(len(name), WIDTH)) for name, part in zip(named, line, strict=True)))


def _put_tree(tree: HistoryTree) -> None:
    """Print the outcomes of a tree as a table."""
    put(f"\n{counted(tree.positions, 'position')}\n")
    head: list[object] = ["winners", "scores", "returns", "histories"]
    rows = [_row(ending) for ending in (tree.endings if len(tree.endings) <= MOST_SHOWN else _by_winners(tree.endings))]
    if tree.returns is not None:
        head += ["probability", "decimal"]
    put(table([head, *rows], range(3, len(head))))
    if tree.returns is not None:
        put("\nexpected returns")
        put(
            table([["seat", "exact", "decimal"], *([seat, *_number(x)] for seat, x in enumerate(tree.returns))], (1, 2))
        )


def _row(ending: Ending) -> list[object]:
    """Return an outcome as a row of the table."""
    won = "drawn" if ending.drawn else ", ".join(map(str, ending.winners)) or "nobody"
    share = [] if ending.probability is None else _number(ending.probability)
    return [won, ", ".join(map(str, ending.scores)), ", ".join(map(str, ending.returns)), ending.histories, *share]


def _number(value: Fraction) -> list[object]:
    """Return a probability as a fraction and as a decimal."""
    return [value, f"{float(value):.6f}"]


def _by_winners(endings: Sequence[Ending]) -> list[Ending]:
    """Merge outcomes with the same winners."""
    from rulelang.perft import Ending

    sums: dict[tuple[object, ...], Ending] = {}
    for ending in endings:
        key = ending.drawn, ending.winners
        before = sums.get(key)
        share = ending.probability
        if before is not None and before.probability is not None and share is not None:
            share += before.probability
        histories = ending.histories + (before.histories if before is not None else 0)
        sums[key] = Ending(ending.drawn, ending.winners, (), (), histories, share)
    return list(sums.values())
