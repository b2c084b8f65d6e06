"""`rulelang lab`: the balance lab, whose commands are imported on demand.

Enters: arguments. Leaves: reports, figures. Here are the commands' common options and the study that they play in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rulelang import numbers
from rulelang.cli import Commands
from rulelang.cli.common import GAME_OPTIONS, Command, GameOptions, NumberOption, bundled, jobs_option, seed_option
from rulelang.cli.output import say
from rulelang.cli.simulate import INTERRUPTED, Termination, progress_bar
from rulelang.diagnostics import UsageError

if TYPE_CHECKING:
    from rulelang.lab.statistics import Estimate
    from rulelang.lab.study import Setting, Study

COMMANDS = {
    "report": ("lab_report", "What games say of a ruleset's balance, as one HTML page."),
    "measure": ("lab_report", "Play games of one setting and print their figures."),
    "ladder": ("lab_ladder", "Does each doubling of a search win more?"),
    "price": ("lab_price", "What should a card or an action cost?"),
    "fair": ("lab_price", "Are all seats alike, with each number of players?"),
    "figures": ("lab_sweeps", "List the figures of a ruleset that may be varied."),
    "sweep": ("lab_sweeps", "Play a ruleset with several values of its figures."),
    "tune": ("lab_sweeps", "Look for values with which a ruleset meets targets."),
}
"""Command -> its module in this package, and what it does."""


@click.group(cls=Commands, table=COMMANDS)
def lab() -> None:
    """The balance lab: what many games, and bots that search, say of a game.

    Games are kept in the folder of `--out` as they are played: the same command goes on where it was stopped.
    """


@dataclass(frozen=True)
class StudyOptions(GameOptions):
    """The options of all commands: the ruleset, its players, where games are stored and what plays them."""

    seed: int
    jobs: int
    out: str | None
    scheduler: str

    def setting(self, **more: Any) -> Setting:
        """Return the setting that these options name.

        Args:
            more: further fields of `Setting`.
        """
        from rulelang.lab.study import Setting

        chosen = tuple(sorted(self.values.items()))
        return Setting(self.path, self.overlays, self.players or 0, chosen, seed=self.seed, **more)

    @contextmanager
    def opened(self) -> Iterator[Study]:
        """Open a study with a progress bar; when interrupted, say how to continue and exit with status 130."""
        from rulelang.lab.study import Study

        termination = Termination()
        try:
            with (
                termination,
                progress_bar(None) as progress,
                Study(
                    Path(self.out) if self.out is not None else None,
                    self.jobs,
                    self.scheduler,
                    progress.advance if progress else None,
                    progress.expect if progress else None,
                ) as study,
            ):
                yield study
        except KeyboardInterrupt:
            say("rulelang: stopped" + (f"; the same command goes on from {self.out}" if self.out is not None else ""))
            termination.follow()
            click.get_current_context().exit(INTERRUPTED)


study_options = bundled(
    StudyOptions,
    *GAME_OPTIONS,
    seed_option,
    jobs_option,
    click.option("--out", metavar="PATH", help="Keep the games in this folder; what is there is not played again."),
    click.option("--scheduler", default="", metavar="ADDRESS", help="Play on the workers of this Dask scheduler."),
)


def number_of_games(least: int, default: int, about: str) -> Callable[[Command], Command]:
    """Return the option `--games`."""
    kind = NumberOption(numbers.GAMES.at_least(least))
    return click.option("--games", type=kind, metavar="G", default=default, show_default=True, help=about)


def spread(estimate: Estimate | None, digits: int = 3, sign: str = "", otherwise: str = "") -> str:
    """Return an estimate with half of its interval as text; `sign`: `+` for one before positive values, too."""
    if estimate is None:
        return otherwise
    return f"{estimate.value:{sign}.{digits}f} ± {(estimate.high - estimate.low) / 2:.{digits}f}"


def parse_budgets(ctx: click.Context, param: click.Parameter, value: str) -> tuple[int, ...]:
    """Parse rising budgets of searches, such as 8,16,32.

    Raises:
        BadParameter: they are no rising positive numbers.
    """
    try:
        budgets = tuple(numbers.ITERATIONS.read(part) for part in value.split(",")) if value else ()
    except UsageError as error:
        raise click.BadParameter(f"numbers of iterations are written 8,16,32: {error}.", ctx, param) from None
    if any(a >= b for a, b in pairwise(budgets)):
        raise click.BadParameter("budgets rise.", ctx, param)
    return budgets
