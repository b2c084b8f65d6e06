"""`rulelang lab report` and `rulelang lab measure`.

Enters: a ruleset, numbers of games. Leaves: a page, or the figures of one setting.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rulelang import numbers
from rulelang.cli.common import NumberOption, guarded, json_option, lang_option, language_of, table
from rulelang.cli.files import write_whole
from rulelang.cli.lab import StudyOptions, number_of_games, parse_budgets, study_options
from rulelang.cli.output import put, put_json, say
from rulelang.cli.simulate import games_option
from rulelang.diagnostics import UsageError, counted

if TYPE_CHECKING:
    from rulelang.lab.findings import Test
    from rulelang.lab.report import Report
    from rulelang.lab.statistics import Estimate


@click.command("report")
@study_options
@number_of_games(30, 10_000, "Random games.")
@click.option("--bot", default="mcts:100", show_default=True, metavar="NAME", help="The best bot; random for none.")
@click.option(
    "--bot-games",
    type=NumberOption(numbers.GAMES.at_least(0)),
    help="Games of the best bot; if left out 200, fewer where games are long.",
)
@click.option(
    "--budgets",
    callback=parse_budgets,
    default="",
    metavar="N,N,…",
    help="A ladder of searches with so many iterations, each against the one before.",
)
@click.option(
    "--rung-games",
    type=NumberOption(numbers.GAMES.at_least(2)),
    default=100,
    show_default=True,
    help="Blocks of each rung.",
)
@click.option("--html", metavar="FILE", help="Where the page goes; RULESET.html if neither this nor JSON is wanted.")
@lang_option
@json_option
@guarded
def report_(
    options: StudyOptions,
    games: int,
    bot: str,
    bot_games: int | None,
    budgets: tuple[int, ...],
    rung_games: int,
    html: str | None,
    lang: str | None,
    form: str,
) -> int:
    """What games say of a ruleset's balance: figures with intervals, flaws that tests find, one HTML page.

    Ctrl-C stops it; with `--out DIR` the same command goes on. The same games give the same page to the byte, however
    they were played.
    """
    from rulelang.lab.page import check_libraries, page
    from rulelang.lab.report import Plan, report

    file = Path(html) if html else None if form == "json" else Path(f"{Path(options.path).resolve().name}.html")
    if file is not None:
        check_libraries()
        _check_writable(file)
    setting = options.setting()
    with options.opened() as study:
        ruleset = study.ruleset(setting)
        words = ruleset.words(language_of(ruleset, lang))
        balance = report(study, setting, Plan(games, bot, bot_games, budgets, rung_games))
        if file is not None:
            write_whole(file, page(balance, words))
    if form == "json":
        put_json(balance.to_json())
    else:
        _show(balance)
    if file is not None:
        say(f"{file}: the report")
    return 0


def _check_writable(file: Path) -> None:
    """Check that a file can be written.

    Raises:
        UsageError: it can't.
    """
    if file.is_dir() or not os.access(file if file.exists() else file.parent, os.W_OK):
        raise UsageError(f"{file} cannot be written")


def _show(report: Report) -> None:
    """Print the findings of a report as a table, then what is not proven, and what no test is about."""
    flaws = report.findings
    _put_tests("found", flaws)
    put(f"{counted(len(flaws), 'flaw')} found by {counted(len(report.tests), 'test')}")
    if report.unproven:
        put("")
        _put_tests("seldom chosen", report.unproven)
        put("seldom chosen: good bots hardly take it; that going without it costs nothing is not shown, so no flaw")
    if report.only_random:
        put("")
        _put_tests("only in random play", report.only_random)
        put("only in random play: games of better bots do not show it, or none were played")
    for said, names in (("cards without a piece", report.absent_cards), ("no game offered", report.absent_actions)):
        if names:
            put(f"not in this setting, {said}: {', '.join(names)}")


def _put_tests(head: str, tests: Sequence[Test]) -> None:
    """Print tests as a table, if there are any."""
    rows = [
        (
            test.flaw,
            test.of or ("" if test.seat < 0 else f"seat {test.seat}"),
            test.figure,
            *_cells(test.estimate, 3),
            f"{test.bound:.3f}",
        )
        for test in tests
    ]
    if rows:
        put(table([[head, "of", "figure", "value", "95 %", "bound"], *rows], (3, 5)))
        put("")


def _cells(estimate: Estimate, digits: int) -> tuple[str, str]:
    """Return an estimate and its interval as text."""
    return f"{estimate.value:.{digits}f}", f"{estimate.low:.{digits}f} to {estimate.high:.{digits}f}"


@click.command("measure")
@study_options
@games_option
@click.option(
    "--bot",
    default="random",
    show_default=True,
    metavar="NAME",
    help="Who plays: one for all, or NAME,NAME,… for each.",
)
@click.option("--feature", "features", multiple=True, metavar="NAME", help="Figures of a game's course: trace, odds.")
@click.option(
    "--deals",
    type=NumberOption(numbers.GAMES.at_least(0)),
    default=0,
    help="So many deals again and again; 0: all differ.",
)
@click.option("--without", multiple=True, metavar="SEAT:SORT:NAME", help="A seat goes without a card or an action.")
@click.option("--always", multiple=True, metavar="SEAT:SORT:NAME", help="A seat takes it wherever it can.")
@json_option
@guarded
def measure_(
    options: StudyOptions,
    games: int,
    bot: str,
    features: tuple[str, ...],
    deals: int,
    without: tuple[str, ...],
    always: tuple[str, ...],
    form: str,
) -> int:
    """Play games of one setting and print their figures with intervals of 95 %."""
    from rulelang.lab.measures import measures

    setting = options.setting(
        bots=tuple(bot.split(",")),
        features=features,
        deals=deals,
        without=tuple(map(_parse_restriction, without)),
        always=tuple(map(_parse_restriction, always)),
    )
    with options.opened() as study:
        study.play([(setting, games)])
        layout = study.executor(setting).layout
        figures = measures(study.rows(setting, games), together=layout.together, players=layout.players)
    if form == "json":
        put_json([{**m.key._asdict(), **asdict(m.estimate)} for m in figures])
        return 0
    rows = [
        (m.key.name, m.key.of or ("" if m.key.seat < 0 else m.key.seat), *_cells(m.estimate, 4), m.estimate.games)
        for m in figures
    ]
    put(table([["figure", "of", "value", "95 %", "games"], *rows], (2, 4)))
    return 0


def _parse_restriction(text: str) -> tuple[int, str, str]:
    """Parse what a seat goes without or always takes, `SEAT:SORT:NAME`.

    Raises:
        UsageError: it is written otherwise.
    """
    seat, _, rest = text.partition(":")
    sort, _, name = rest.partition(":")
    if sort not in ("card", "action") or not name:
        raise UsageError(
            f"what a seat goes without or always takes is written 0:card:NAME or 0:action:NAME, not `{text}`"
        )
    return numbers.SEAT.read(seat), sort, name
