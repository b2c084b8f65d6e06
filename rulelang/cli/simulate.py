"""`rulelang simulate`: many games at once."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from rulelang.cli.common import (
    bot_option,
    guarded,
    jobs_option,
    json_option,
    loaded,
    option_option,
    overlay_option,
    path_argument,
    players_option,
    print_json,
    read_options,
    seed_option,
    table,
)

games_option = click.option(
    "--games", type=click.IntRange(min=1), default=1000, show_default=True, metavar="G", help="How many games."
)


@contextmanager
def progress_bar(games: int) -> Iterator[Callable[[int], None] | None]:
    """A bar on stderr, where someone is looking."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("games", total=games)
        yield lambda more: bar.advance(task, more)


@click.command()
@path_argument
@players_option
@games_option
@bot_option
@seed_option
@jobs_option
@click.option("--backend", default="auto", show_default=True, metavar="B", help="What runs the rules.")
@option_option
@overlay_option
@json_option
@guarded
def simulate(
    path: str,
    players: int | None,
    games: int,
    bot: str,
    seed: int,
    jobs: int,
    backend: str,
    options: tuple[str, ...],
    overlays: tuple[str, ...],
    form: str,
) -> None:
    """Play many games and report the balance of the seats.

    The results are the same for every number of processes.
    """
    from rulelang.simulate import simulate as run

    ruleset = loaded(path, overlays)
    with progress_bar(games) as progress:
        found = run(ruleset, players, games, bot, seed, jobs, read_options(options), backend, progress)
    if form == "json":
        print_json(found.to_json())
        return
    rows = [
        [seat, row.wins, f"{100 * row.win_share:.1f} %", f"{row.mean_score:.2f}", f"{row.sd_score:.2f}"]
        for seat, row in enumerate(found.seats)
    ]
    click.echo(table([["seat", "wins", "share", "mean score", "deviation"], *rows], range(5)))
    click.echo(
        f"\n{found.games} game{'s' * (found.games != 1)}, {found.decisions / found.games:.1f} decisions and "
        f"{found.turns / found.games:.1f} turns each; {found.games_per_second:.0f} games per second ({found.backend})\n"
        f"{found.limited} ended by `limits`, {found.drawn} drawn"
    )
