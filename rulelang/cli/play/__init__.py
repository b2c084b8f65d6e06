"""`rulelang play`: a game at the terminal, with people, bots and scripts in the seats.

Enters: arguments, lines that people type. Leaves: output at the terminal, and a record of the game.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from rulelang import numbers
from rulelang.cli.common import (
    FAULT,
    NumberOption,
    guarded,
    lang_option,
    language_of,
    loaded,
    naming,
    option_option,
    overlay_option,
    players_option,
    read_options,
    read_text,
)
from rulelang.cli.output import say
from rulelang.diagnostics import UsageError, counted, enumerated
from rulelang.limits import SAVE_BYTES
from rulelang.resources import shipped_rulesets

if TYPE_CHECKING:
    from rulelang.game import State
    from rulelang.session import Session

HUMAN = "human"
SEEDS = 100_000
"""Seeds of games that name none are below this: short enough to be typed again."""
NEW_ONLY = ("players", "seats", "names", "bot", "seed", "options", "script", "scenario")
"""Options of new games, which a saved one does not take."""
GIVEN = ("players", "seed", "options")
"""What a scenario says itself."""


@click.command()
@click.argument("path", metavar="PATH", required=False)
@players_option
@click.option(
    "--seat", "seats", metavar="SEAT=WHO", multiple=True, help="Who plays a seat: `human` or a bot; repeatable."
)
@click.option(
    "--name", "names", metavar="SEAT=NAME", multiple=True, help="What somebody at a seat is called; repeatable."
)
@click.option(
    "--bot",
    metavar="NAME",
    help="Who plays the other seats: easy, good (if left out), strong, random, mcts:N, or playouts:N.",
)
@click.option(
    "--seed",
    type=NumberOption(numbers.SEED),
    metavar="S",
    help="Seeds chance and bots; another one each time if left out (0 with --script).",
)
@option_option
@overlay_option
@lang_option
@click.option(
    "--script",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help='Choices, as lines of {"seat": 0, "id": "…"}.',
)
@click.option(
    "--record", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Where to record the game."
)
@click.option(
    "--load",
    "saved",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="A saved game to go on with; PATH may be left out.",
)
@click.option(
    "--scenario",
    metavar="NAME",
    help="Begin in the situation of a scenario of the ruleset, or in a position in its notation.",
)
@click.option("--ask-forced", is_flag=True, help="Ask people even where they have only one choice.")
@guarded
def play(
    path: str | None,
    players: int | None,
    seats: tuple[str, ...],
    names: tuple[str, ...],
    bot: str | None,
    seed: int | None,
    options: tuple[str, ...],
    overlays: tuple[str, ...],
    lang: str | None,
    script: Path | None,
    record: Path | None,
    saved: Path | None,
    scenario: str | None,
    ask_forced: bool,
) -> int:
    """Play a game at the terminal.

    PATH is the name of a game that comes with RuleLang, such as reco, or a folder. Seats are numbered
    from 0; you play seat 0 against bots, unless --seat says otherwise: `--seat 1=human` and `--seat 0=human` for two at
    one screen. At the prompt, `help` lists what you can type and `rules` tells the rules.
    """
    from rulelang.cli.files import write_whole
    from rulelang.cli.play.commands import Stopped
    from rulelang.cli.play.desk import Desk
    from rulelang.cli.play.game import play_out
    from rulelang.cli.play.saves import read_save
    from rulelang.cli.play.seats import default_bot, prepared
    from rulelang.cli.play.terminal import InputEnded, Terminal
    from rulelang.record import begun

    if saved is not None:
        _refuse(NEW_ONLY, "is for new games; a saved one goes on as it was")
        text, ruleset = read_text(saved), loaded(path, overlays) if path is not None else None
        with naming(saved):
            session = read_save(text, ruleset)
        session.file = str(saved)
    elif path is None:
        shipped = sorted(folder.name for folder in shipped_rulesets().iterdir() if folder.is_dir())
        raise UsageError(f"a PATH is missing: the game to play, {enumerated(shipped, 'or')}, or a folder with rules")
    else:
        if scenario is not None:
            _refuse(GIVEN, "is for other games; a scenario says it itself")
        ruleset = loaded(path, overlays)
        seed = seed if seed is not None else 0 if script is not None else secrets.randbelow(SEEDS)
        state = begun(ruleset, players, seed, read_options(options), scenario or "")
        session = _new_session(state, seats, names, bot or default_bot(), seed, script)
        session.record.scenario = scenario or ""
    desk = Desk(session, Terminal(), language_of(session.state.ruleset, lang or session.lang or None))
    desk.greet()
    if record is not None:
        write_whole(record, session.record.to_json())  # an unwritable file fails now, not at the end of the game
    try:
        with prepared(session) as desk.preparing:
            play_out(desk, ask_forced=ask_forced)
    except Stopped:
        return 0
    except InputEnded:
        if desk.terminal.live:
            say(desk.texts("kept", file=desk.keep()))
        say(f"rulelang: {desk.texts('stopped')}")
        return FAULT
    finally:
        if record is not None:
            write_whole(record, desk.session.record.to_json())
    left = desk.session.unused
    if left:
        say(f"rulelang: {counted(left, 'line')} of the script were not used")
    return 0


def _refuse(names: Sequence[str], why: str) -> None:
    """Raise UsageError for options that were given beside one that says as much itself."""
    context = click.get_current_context()
    for parameter in context.command.params:
        if parameter.name in names and context.get_parameter_source(parameter.name) is ParameterSource.COMMANDLINE:
            raise UsageError(f"{parameter.opts[0]} {why}")


def _new_session(
    state: State, seats: Sequence[str], names: Sequence[str], bot: str, seed: int, script: Path | None
) -> Session:
    """Return the session of a new game. Automata have a bot too, as a ruleset may give them choices.

    Args:
        seats: `SEAT=WHO` texts. names: `SEAT=NAME` texts.
    """
    from rulelang.agents import read_script
    from rulelang.cli.play.seats import bot_called, named
    from rulelang.session import Session

    who = dict.fromkeys(range(len(state.parties)), bot_called(bot)) | _people(state, seats, script is not None)
    people = [seat for seat, player in who.items() if player == HUMAN]
    state = named(state, people, dict(_by_seat(state, names, f"{people[0] if people else 0}=Ada")))
    if script is None:
        return Session.new(state, seed, who)
    text = read_text(script, SAVE_BYTES)
    with naming(script):
        lines = read_script(text, state.players)
    return Session.new(state, seed, who, lines)


def _people(state: State, seats: Sequence[str], scripted: bool) -> dict[int, str]:
    """Return the players named by `SEAT=WHO` texts; without a script or a person named, a person plays seat 0.

    Raises:
        UsageError: a text is malformed, or names no seat or bot.
    """
    from rulelang.cli.play.seats import bot_called

    people = {seat: who if who == HUMAN else bot_called(who) for seat, who in _by_seat(state, seats, f"1={HUMAN}")}
    return people if scripted or HUMAN in people.values() else {0: HUMAN} | people


def _by_seat(state: State, texts: Sequence[str], example: str) -> Iterator[tuple[int, str]]:
    """Yield the seats and values of `SEAT=VALUE` texts.

    Raises:
        UsageError: a text is malformed, or names no seat.
    """
    for text in texts:
        seat, sign, value = text.partition("=")
        if not sign or not seat or not value.strip():
            raise UsageError(f"a seat is written before a `=`, such as `{example}`, not `{text}`")
        if (number := numbers.SEAT.read(seat)) >= state.players:
            raise UsageError(f"there is no seat {number}: seats are 0 to {state.players - 1}")
        yield number, value.strip()
