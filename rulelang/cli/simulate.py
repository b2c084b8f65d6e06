"""`rulelang simulate`: many games at once."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

import click

from rulelang import numbers
from rulelang.cli.common import (
    GameOptions,
    NumberOption,
    backend_option,
    bot_option,
    game_options,
    guarded,
    jobs_option,
    json_option,
    seed_option,
    table,
)
from rulelang.cli.output import put, put_json, say
from rulelang.diagnostics import UsageError, counted

if TYPE_CHECKING:
    from rich.progress import Progress

    from rulelang.simulate import Simulation

INTERRUPTED = 130
LISTED_RANKS = 8
"""Most ranks with a column in the table; JSON has all."""

games_option = click.option(
    "--games", type=NumberOption(numbers.GAMES), default=1000, show_default=True, metavar="G", help="How many games."
)


class ProgressBar:
    """A progress bar of games on stderr."""

    def __init__(self, bar: Progress, games: int | None, noun: str) -> None:
        self._bar = bar
        self._task = bar.add_task(noun, total=games)

    def advance(self, more: int) -> None:
        """Advance the bar by `more` games."""
        self._bar.advance(self._task, more)

    def expect(self, more: int) -> None:
        """Extend the bar by `more` games."""
        self._bar.update(self._task, total=(self._bar.tasks[0].total or 0) + more)


@contextmanager
def progress_bar(games: int | None, noun: str = "games") -> Iterator[ProgressBar | None]:
    """Show a progress bar if stderr is a terminal, else yield None.

    Args:
        games: how many; None if they are announced by `ProgressBar.expect`. noun: what is counted.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

    from rulelang.cli.console import Console

    columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield ProgressBar(bar, games, noun)


class Termination:
    """A context in which SIGTERM interrupts a run as Ctrl-C does, so that its partial result is shown; `follow` then
    ends the process."""

    def __init__(self) -> None:
        self._received = False

    def __enter__(self) -> None:
        signal.signal(signal.SIGTERM, self._on_signal)

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def _on_signal(self, *_: object) -> NoReturn:
        """Note the signal and raise KeyboardInterrupt."""
        self._received = True
        raise KeyboardInterrupt

    def follow(self) -> None:
        """End the process by SIGTERM, if one was received."""
        if self._received:
            sys.stdout.flush()
            signal.raise_signal(signal.SIGTERM)


@click.command()
@game_options
@games_option
@bot_option
@seed_option
@jobs_option
@backend_option
@click.option(
    "--out",
    metavar="PATH",
    help="Where the games go while they are played: JSON Lines, or PATH.parquet.",
)
@click.option("--resume", is_flag=True, help="Go on with what an earlier run has left there.")
@json_option
@guarded
def simulate(
    game: GameOptions,
    games: int,
    bot: str,
    seed: int,
    jobs: int,
    backend: str,
    out: str | None,
    resume: bool,
    form: str,
) -> int:
    """Play many games and report the balance of the seats.

    The results are the same for every number of processes. Ctrl-C shows what was finished.
    """
    from rulelang.simulate import StoppedError, playouts_of
    from rulelang.simulate import simulate as run

    if resume and out is None:
        raise UsageError("`--resume` goes on with the file that `--out FILE` names")
    ruleset = game.loaded()
    together = ruleset.program.winner.ranking == "all"
    used = ruleset.choice(game.players, game.values, backend, playouts_of(bot, games))
    if used.why:
        say(f"backend {used.backend}: {used.why}")
    termination = Termination()
    try:
        with termination, progress_bar(games) as progress:
            result = run(
                ruleset,
                game.players,
                games,
                bot,
                seed,
                jobs,
                game.values,
                backend,
                progress.advance if progress else None,
                out,
                resume,
            )
    except StoppedError as stop:
        _show(stop.result, form, together)
        how = f"; the same command with `--resume` goes on from {out}" if stop.lasting else ""
        say(f"rulelang: stopped after {stop.result.games} of {counted(games, 'game')}{how}")
        termination.follow()
        return INTERRUPTED
    except KeyboardInterrupt:
        termination.follow()
        raise
    _show(result, form, together)
    return 0


def _show(run: Simulation, form: str, together: bool) -> None:
    """Print the result as JSON or as a table; where all win or lose together, without shares and ranks."""
    if form == "json":
        put_json(run.to_json())
        return
    listed = 0 if together else min(LISTED_RANKS, len(run.seats[0].ranks))
    rows = [
        [seat, row.wins, f"{100 * row.win_share:.1f} %", f"{row.mean_score:.2f}", f"{row.sd_score:.2f}"]
        + [f"{100 * times / run.games:.1f} %" for times in row.ranks[:listed]]
        for seat, row in enumerate(run.seats)
    ]
    head = ["seat", "wins", "share", "mean score", "deviation"]
    head += ["1st", "2nd", "3rd", *(f"{rank}th" for rank in range(4, LISTED_RANKS + 1))][:listed]
    if together:
        head, rows = [head[0], *head[3:5]], [[row[0], *row[3:5]] for row in rows]
    put(table([head, *rows], range(len(head))))
    if together:
        wins = run.seats[0].wins
        put(f"\nall won {wins} of {counted(run.games, 'game')}: {100 * wins / run.games:.1f} %")
    put(
        f"\n{counted(run.games, 'game')}, {run.decisions / run.games:.1f} decisions and "
        f"{run.turns / run.games:.1f} turns each; {run.games_per_second:.0f} games per second ({run.backend})\n"
        f"{run.limited} ended by `limits`, {run.drawn} drawn"
    )
