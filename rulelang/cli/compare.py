"""`rulelang compare`: two rulesets or variants on the same seeds."""

from __future__ import annotations

import click

from rulelang.cli.common import (
    bot_option,
    guarded,
    jobs_option,
    json_option,
    loaded,
    option_option,
    overlay_option,
    players_option,
    read_options,
    seed_option,
    table,
)
from rulelang.cli.output import put, put_json
from rulelang.cli.simulate import games_option, progress_bar
from rulelang.compare import Comparison, Measure
from rulelang.diagnostics import UsageError

MANY = 1_000_000
FEW = 100
"""With fewer games the intervals are too narrow: they take the mean of differences for normal."""


@click.command()
@click.argument("first", metavar="A")
@click.argument("second", metavar="[B]", required=False)
@players_option
@games_option
@bot_option
@seed_option
@jobs_option
@option_option
@overlay_option
@json_option
@guarded
def compare(
    first: str,
    second: str | None,
    players: int | None,
    games: int,
    bot: str,
    seed: int,
    jobs: int,
    options: tuple[str, ...],
    overlays: tuple[str, ...],
    form: str,
) -> None:
    """Compare two rulesets or variants on paired seeds: differences (B less A) with 95 % intervals.

    Without B, A is compared with itself under the overlays; with B, they are laid over both.
    """
    from rulelang.compare import compare as run

    if second is None and not overlays:
        raise UsageError("compare with what? Name a second ruleset, or a folder with --overlay")
    a = loaded(first, overlays if second is not None else ())
    b = loaded(second if second is not None else first, overlays)
    with progress_bar(games) as progress:
        found = run(a, b, players, games, bot, seed, jobs, read_options(options), progress)
    if form == "json":
        put_json(found.to_json())
    else:
        put(_report(found))


def _report(found: Comparison) -> str:
    rows = [_row(m) for m in found.measures if m.a or m.b]
    lines = [
        f"{found.games} game{'s' * (found.games != 1)} of {found.players} player{'s' * (found.players != 1)} "
        f"on the same seeds; A is {found.a}, B is {found.b}",
        "",
        table([["measure", "A", "B", "B - A", "95 % interval", "", "games"], *rows], (1, 2, 3, 4, 6)),
        "",
        _verdict(found),
    ]
    if found.games < FEW:
        lines.append(f"Intervals from fewer than {FEW} games are rough.")
    return "\n".join(lines)


def _row(m: Measure) -> list[object]:
    name = f"use of {m.card}" if m.card else m.name.replace("_", " ")
    name += f", seat {m.seat}" if m.seat >= 0 else ", mean of seats" if m.name == "score" else ""
    needed = "" if m.games_needed is None else _needed(m.games_needed)
    interval = f"{_figure(m.low)} to {_figure(m.high)}"
    difference = f"{float(_figure(m.difference)):+.3f}"
    return [name, _figure(m.a), _figure(m.b), difference, interval, "*" if m.clear else "", needed]


def _figure(value: float) -> str:
    """Three digits after the point; what rounds to nothing has no sign."""
    text = f"{value:.3f}"
    return text.removeprefix("-") if not float(text) else text


def _needed(games: int) -> str:
    """About how many games; past a million the difference is hardly one."""
    return f"~{_rounded(games)}" if games <= MANY else "> 1 million"


def _rounded(count: int) -> int:
    """Two digits say enough."""
    scale: int = 10 ** max(len(str(count)) - 2, 0)
    return -(-count // scale) * scale


def _verdict(found: Comparison) -> str:
    if not any(m.low != m.high or m.difference for m in found.measures):
        return "They do not differ in any game."
    clear = sum(m.clear for m in found.measures)
    what = f"* {clear} clear difference{'s' * (clear != 1)}" if clear else "No clear difference"
    text = f"{what}, allowing for the number of measures (5 % for the whole table)."
    if any(m.games_needed for m in found.measures):
        text += "\nGames: about how many a difference of this size would need to show."
    return text
