"""`rulelang lab price` and `rulelang lab fair`: what a card should cost, and whether seats are alike.

Enters: a ruleset, a card or action, a figure with values. Leaves: tables, the price.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from rulelang.cli.common import guarded, json_option, loaded, table
from rulelang.cli.lab import StudyOptions, number_of_games, spread, study_options
from rulelang.cli.lab_sweeps import complete_choice, complete_figure
from rulelang.cli.output import put, put_json, say
from rulelang.diagnostics import UsageError, counted

if TYPE_CHECKING:
    from rulelang.lab.price import Fairness, Price

SHOWN = ("turns", "decisions", "margin")
"""Figures of the table of `fair`."""
best_bot = click.option("--bot", default="mcts:50", show_default=True, metavar="NAME", help="Who plays.")


@click.command("price")
@study_options
@click.option(
    "--card",
    "of",
    metavar="NAME",
    required=True,
    help="A card, an action, or buy:NAME.",
    shell_complete=complete_choice,
)
@click.option(
    "--figure",
    "varied",
    metavar="PATH=VALUES",
    required=True,
    help="What it costs: cost=1..6, of the card if it has that.",
    shell_complete=complete_figure,
)
@number_of_games(100, 3000, "At most so many games.")
@best_bot
@json_option
@guarded
def price_(options: StudyOptions, of: str, varied: str, games: int, bot: str, form: str) -> None:
    """What a card or an action should cost: where it is as good to be forced to have it as to go without it.

    For each value: how often bots take it, what a seat of theirs gains of the win by taking it wherever it can and
    loses by going without it, in games with the same seed, all seats alike.
    """
    from rulelang.lab.figures import Figures
    from rulelang.lab.price import price, said

    figures = Figures(loaded(options.path, options.overlays))
    name, sign, values = varied.partition("=")
    own = f"{of.rpartition(':')[2]}.{name}"
    try:
        variation = figures.variation(f"{own}{sign}{values}")
    except UsageError:
        variation = figures.variation(varied)
    result: Price | None = None
    with options.opened() as study:
        for result in price(study, options.setting(bots=(bot,)), variation, of, games):
            say(f"{counted(result.games, 'game')}: {said(result)}")
    if result is None:
        raise UsageError("so few games tell nothing: --games 1000 and more")
    if form == "json":
        put_json(result.to_json())
        return
    rows = [
        [p.value, *(spread(e, sign="+") for e in (p.taken, p.always, p.without, p.effect)), p.blocks, p.verdict]
        for p in result.points
    ]
    head = [name, "taken", "always taking it", "going without", "both", "blocks", "at this price"]
    put(table([head, *rows], range(6)))
    put(f"\n{said(result)}")
    put(f"{counted(result.games, 'game')} of {bot}; a block is a game of free play and two of each seat, same seed")


@click.command("fair")
@study_options
@number_of_games(16, 400, "At most so many games of each number of players.")
@best_bot
@json_option
@guarded
def fair_(options: StudyOptions, games: int, bot: str, form: str) -> None:
    """Are all seats alike? For each number of players, or that of `--players`: seats between bots, length, ends.

    A number of players is decided once all seats surely lie within 15 % of an equal share of the win, or one does not.
    """
    from rulelang.lab.price import fairness

    ruleset = loaded(options.path, options.overlays)
    players = [options.players] if options.players else list(ruleset.players)
    found = []
    with options.opened() as study:
        for one in fairness(study, options.setting(bots=(bot,)), players, games):
            found.append(one)
            say(f"{counted(one.players, 'player')}: {_verdict(one)}")
    if form == "json":
        put_json({"ruleset": options.path, "bot": bot, "numbers": [asdict(one) for one in found]})
        return
    rows = [_row(one) for one in found]
    put(table([["players", "games", "seats", *SHOWN, "ends", ""], *rows], (0, 1)))


def _row(one: Fairness) -> Sequence[str]:
    """Return the row of a number of players."""
    seats = ", ".join(f"{seat.value:.2f} [{seat.low:.2f}; {seat.high:.2f}]" for seat in one.seats)
    shown = [spread(one.figures.get(name), 1) for name in SHOWN]
    ends = ", ".join(f"{count} {name}" for name, count in one.ends.items() if count)
    return [str(one.players), str(one.games), seats, *shown, ends, _verdict(one)]


def _verdict(one: Fairness) -> str:
    """Return in words whether seats are alike."""
    return f"open; {counted(one.more, 'more game')} would tell, if they are" if one.more else one.verdict
