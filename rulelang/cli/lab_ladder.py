"""`rulelang lab ladder`: whether a search of twice the budget wins more.

Enters: a ruleset, budgets. Leaves: a line for each budget against the one before, as soon as it is decided.
"""

from __future__ import annotations

import click

from rulelang import numbers
from rulelang.cli.common import NumberOption, guarded, json_option
from rulelang.cli.lab import StudyOptions, number_of_games, parse_budgets, study_options
from rulelang.cli.output import put, put_json
from rulelang.diagnostics import UsageError, counted


@click.command("ladder")
@study_options
@click.option(
    "--from", "first", type=NumberOption(numbers.ITERATIONS), default=50, show_default=True, help="The smallest budget."
)
@click.option(
    "--doublings", type=NumberOption(numbers.DOUBLINGS), default=5, show_default=True, help="How often it is doubled."
)
@click.option("--budgets", callback=parse_budgets, default="", metavar="N,N,…", help="Other budgets instead, rising.")
@number_of_games(16, 400, "At most so many blocks of games of each budget against the one before.")
@json_option
@guarded
def ladder_(
    options: StudyOptions,
    first: int,
    doublings: int,
    budgets: tuple[int, ...],
    games: int,
    form: str,
) -> None:
    """Do each doubling of a search's iterations win more than the budget before?

    Seats alternate between the two budgets, and a block of games goes through all turns of the table with one seed. A
    rung ends as soon as its interval of 95 % leaves an equal share out, or after `--games` blocks.
    """
    from rulelang.lab.ladder import ladder

    if len(budgets) == 1:
        raise UsageError("budgets are two whole numbers or more")
    numbers = budgets or [first << number for number in range(doublings + 1)]
    rungs = []
    with options.opened() as study:
        for rung in ladder(study, options.setting(), numbers, games):
            rungs.append(rung)
            if form == "text":
                put(
                    f"{rung.budget} against {rung.against}: {rung.share:.3f} (95 %: {rung.low:.3f} to {rung.high:.3f}; "
                    f"equal: {rung.equal:.3f}), {rung.blocks} × {counted(rung.games_each, 'game')}: {rung.verdict}"
                )
    if form == "json":
        put_json({"ruleset": options.path, "rungs": [rung.to_json() for rung in rungs]})
