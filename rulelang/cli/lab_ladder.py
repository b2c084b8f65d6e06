"""`rulelang lab ladder`: whether searching twice as long wins more.

Enters: a ruleset, budgets. Leaves: a line for each budget against the one before, as soon as it is decided.
"""

from __future__ import annotations

import itertools

import click

from rulelang.cli.common import guarded, json_option, read_options
from rulelang.cli.lab import study, study_options
from rulelang.cli.output import put, put_json
from rulelang.diagnostics import UsageError


@click.command("ladder")
@study_options
@click.option("--from", "first", type=click.IntRange(min=1), default=50, show_default=True, help="The smallest budget.")
@click.option("--doublings", type=click.IntRange(1, 20), default=5, show_default=True, help="How often it is doubled.")
@click.option("--budgets", default="", metavar="N,N,…", help="Other budgets instead, rising.")
@click.option(
    "--games",
    type=click.IntRange(min=16),
    default=400,
    show_default=True,
    help="At most so many blocks of games of each budget against the one before.",
)
@json_option
@guarded
def ladder_(
    path: str,
    players: int | None,
    seed: int,
    jobs: int,
    options: tuple[str, ...],
    overlays: tuple[str, ...],
    out: str | None,
    scheduler: str,
    first: int,
    doublings: int,
    budgets: str,
    games: int,
    form: str,
) -> None:
    """Does each doubling of a search's iterations win more than the budget before?

    Seats alternate between the two budgets, and a block of games goes through all turns of the table with one seed. A
    rung ends as soon as its interval of 95 % leaves an equal share out, or after `--games` blocks.
    """
    from rulelang.lab.ladder import ladder
    from rulelang.lab.study import Setting

    numbers = [first << number for number in range(doublings + 1)]
    if budgets:
        try:
            numbers = [int(part) for part in budgets.split(",")]
        except ValueError:
            raise UsageError("budgets are written 50,100,200") from None
        if len(numbers) < 2 or numbers[0] < 1 or any(a >= b for a, b in itertools.pairwise(numbers)):
            raise UsageError("budgets are two whole numbers or more, and rise")
    setting = Setting(path, overlays, players or 0, tuple(sorted(read_options(options).items())), seed=seed)
    rungs = []
    with study(out, jobs, scheduler) as made:
        for rung in ladder(made, setting, numbers, games):
            rungs.append(rung)
            if form == "text":
                put(
                    f"{rung.budget} against {rung.against}: {rung.share:.3f} (95 %: {rung.low:.3f} to {rung.high:.3f}; "
                    f"equal: {rung.equal:.3f}), {rung.blocks} × {rung.games_each} games: {rung.verdict}"
                )
    if form == "json":
        put_json({"ruleset": path, "rungs": [rung.to_json() for rung in rungs]})
