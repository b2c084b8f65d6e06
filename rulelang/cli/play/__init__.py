"""`rulelang play`: a game at the terminal, with people, bots and scripts in the seats.

Enters: arguments, lines that people type. Leaves: output at the terminal, and a record of the game.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from rulelang import numbers
from rulelang.cli.common import (
    FAULT,
    bot_option,
    guarded,
    lang_option,
    loaded,
    naming,
    option_option,
    overlay_option,
    players_option,
    read_options,
    read_text,
    seed_option,
)
from rulelang.cli.output import say
from rulelang.diagnostics import UsageError
from rulelang.limits import SAVE_BYTES

if TYPE_CHECKING:
    from rulelang.game import State
    from rulelang.session import Session

HUMAN = "human"
MAX_DIGITS = 9
NEW_ONLY = ("players", "seats", "bot", "seed", "options", "script")
"""Options of new games, which a saved one does not take."""


@click.command()
@click.argument("path", metavar="PATH", required=False)
@players_option
@click.option(
    "--seat", "seats", metavar="SEAT=WHO", multiple=True, help="Who plays a seat: `human` or a bot; repeatable."
)
@bot_option
@seed_option
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
@click.option("--ask-forced", is_flag=True, help="Ask people even where they have only one choice.")
@guarded
def play(
    path: str | None,
    players: int | None,
    seats: tuple[str, ...],
    bot: str,
    seed: int,
    options: tuple[str, ...],
    overlays: tuple[str, ...],
    lang: str | None,
    script: Path | None,
    record: Path | None,
    saved: Path | None,
    ask_forced: bool,
) -> int:
    """Play a game at the terminal.

    Seats are numbered from 0. Without --script you play seat 0, unless --seat gives it to a bot or you another one. A
    seat that nobody else has is played by the bot; a scripted one goes on with its bot or person when its lines are
    used up. `help` at the prompt lists what you can type.
    """
    from rulelang.cli.files import write_whole
    from rulelang.cli.play.commands import Stopped
    from rulelang.cli.play.desk import Desk
    from rulelang.cli.play.game import play_out
    from rulelang.cli.play.saves import read_save
    from rulelang.cli.play.terminal import Ended, Terminal
    from rulelang.game.state import option_words

    if saved is not None:
        _only_for_new_games()
        text, ruleset = read_text(saved), loaded(path, overlays) if path is not None else None
        with naming(saved):
            session = read_save(text, ruleset)
        session.file = str(saved)
    elif path is None:
        raise UsageError("a PATH is missing: the ruleset to play")
    else:
        state = loaded(path, overlays).new_game(players, seed, read_options(options))
        session = _new_session(state, seats, bot, seed, script)
    desk = Desk(session, Terminal(), session.state.ruleset.language(lang or session.lang or None))
    state = session.state
    defaults = state.ruleset.option_names([table.suiting(state.players)[0] for table in state.ruleset.program.options])
    changed = {name: value for name, value in state.options.items() if value != defaults[name]}
    chosen = f" ({option_words(changed)})" if changed else ""
    greeting = desk.texts("game", title=desk.names.title, players=state.players, seed=session.seed)
    desk.terminal.say(f"{greeting}{chosen}", "bold")
    if record is not None:
        write_whole(record, session.record.to_json())  # an unwritable file fails now, not at the end of the game
    try:
        play_out(desk, ask_forced=ask_forced)
    except (Stopped, Ended) as signal:
        if isinstance(signal, Ended) and desk.terminal.live:
            say(desk.texts("kept", file=desk.keep()))
        say(f"rulelang: {desk.texts('stopped')}")
        return FAULT
    finally:
        if record is not None:
            write_whole(record, desk.session.record.to_json())
    left = desk.session.unused
    if left:
        say(f"rulelang: {left} line{'s' * (left != 1)} of the script were not used")
    return 0


def _only_for_new_games() -> None:
    """Raise UsageError for options of new games beside `--load`."""
    context = click.get_current_context()
    for parameter in context.command.params:
        if parameter.name in NEW_ONLY and context.get_parameter_source(parameter.name) is ParameterSource.COMMANDLINE:
            raise UsageError(f"{parameter.opts[0]} is for new games; a saved one goes on as it was")


def _new_session(state: State, seats: Sequence[str], bot: str, seed: int, script: Path | None) -> Session:
    """Return the session of a new game. Automata have a bot too, as a ruleset may give them choices.

    Args:
        seats: `SEAT=WHO` texts.
    """
    from rulelang.agents import read_script
    from rulelang.session import Session

    who = dict.fromkeys(range(len(state.parties)), bot) | _people(state, seats, script is not None)
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
    from rulelang.agents import check_bot

    people: dict[int, str] = {}
    for text in seats:
        seat, sign, who = text.partition("=")
        if not sign or not seat or not who:
            raise UsageError(f"a seat is written SEAT=WHO, such as `1={HUMAN}`, not `{text}`")
        if (number := numbers.SEAT.read(seat)) >= state.players:
            raise UsageError(f"there is no seat {number}: seats are 0 to {state.players - 1}")
        people[number] = who if who == HUMAN else check_bot(who)
    return people if scripted or HUMAN in people.values() else {0: HUMAN} | people
