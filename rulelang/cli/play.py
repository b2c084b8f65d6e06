"""`rulelang play`: a game at the terminal, with people, bots and scripts in the seats."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rulelang.agents import Agent, ScriptedAgent, check_bot, make_bot, read_script
from rulelang.cli.board import board, ending, news
from rulelang.cli.common import (
    FAULT,
    bot_option,
    guarded,
    loaded,
    option_option,
    overlay_option,
    path_argument,
    players_option,
    read_options,
    read_text,
    say,
    seed_option,
)
from rulelang.diagnostics import IllegalAction, UsageError
from rulelang.game import Action, State
from rulelang.game.state import option_words

if TYPE_CHECKING:
    from rulelang.record import Record

HUMAN = "human"
MAX_DIGITS = 9
HELP = "a number or id: choose it; o: the options; b: the board; r: what may not be done, and why; q: stop"


class _Stopped(Exception):  # noqa: N818 - a signal, not an error
    """Whoever plays has had enough, or the input has ended."""


class Terminal:
    """A person at the terminal."""

    def __init__(self, lang: str, seats: int) -> None:
        self.lang = lang
        self.since: dict[int | None, int] = dict.fromkeys([None, *range(seats)], 0)

    def choose(self, state: State, seat: int) -> Action:
        """Shows what the seat sees and asks until an action is named."""
        self.tell(state, seat)
        self._board(state, seat)
        actions = state.legal_actions(seat)
        self._options(state, seat, actions)
        while True:
            answer = self._answer(seat)
            if answer.isdecimal():
                if len(answer) <= MAX_DIGITS and 1 <= int(answer) <= len(actions):
                    return actions[int(answer) - 1]
                click.echo(f"There is no option {answer[:MAX_DIGITS]}.")
            elif answer in ("q", "quit"):
                raise _Stopped
            elif answer == "b":
                self._board(state, seat)
            elif answer == "o":
                self._options(state, seat, actions)
            elif answer == "r":
                self._refusals(state, seat)
            elif answer in ("", "?", "h", "help"):
                click.echo(HELP)
            else:
                try:
                    return state.legal(answer, seat)
                except IllegalAction as error:
                    click.echo(str(error))

    def tell(self, state: State, seat: int | None) -> None:
        """Says what happened since last told; to None, who plays no seat, everything."""
        lines, self.since[seat] = news(state, seat, self.since[seat], self.lang)
        if lines and seat is not None:
            click.echo(f"\nWhat seat {seat} has seen since:")
        if lines:
            click.echo("\n".join(lines))

    def _answer(self, seat: int) -> str:
        click.echo(f"seat {seat}> ", nl=False)
        try:
            line: str = sys.stdin.readline() if sys.stdin is not None else ""
        except UnicodeDecodeError:
            return "?"
        if not line:
            click.echo()
            raise _Stopped
        return line.strip()

    def _board(self, state: State, seat: int) -> None:
        click.echo(f"\nTurn {state.turns}, seat {seat} sees:\n{board(state, seat, self.lang)}")

    def _options(self, state: State, seat: int, actions: Sequence[Action]) -> None:
        decision = state.decision(seat)
        assert decision is not None
        cites = f" [{', '.join(decision.cites)}]" if decision.cites else ""
        click.echo(f"\n{decision.prompt_in(self.lang)}{cites}")
        for number, action in enumerate(actions, 1):
            click.echo(f"  {number}. {action.text(self.lang)}")

    def _refusals(self, state: State, seat: int) -> None:
        refusals = state.refusals(seat, self.lang)
        for refusal in refusals:
            cites = f" [{', '.join(refusal['cites'])}]" if refusal["cites"] else ""
            click.echo(f"  {refusal['text']}: needs `{refusal['reason']}`{cites}")
        if not refusals:
            click.echo("  nothing else might be tried")


@click.command()
@path_argument
@players_option
@click.option(
    "--seat", "seats", metavar="SEAT=WHO", multiple=True, help="Who plays a seat: `human` or a bot; repeatable."
)
@bot_option
@seed_option
@option_option
@overlay_option
@click.option("--lang", default="en", show_default=True, help="The language of texts.")
@click.option(
    "--script",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help='Choices, as lines of {"seat": 0, "id": "…"}.',
)
@click.option(
    "--record", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Where to record the game."
)
@guarded
def play(
    path: str,
    players: int | None,
    seats: tuple[str, ...],
    bot: str,
    seed: int,
    options: tuple[str, ...],
    overlays: tuple[str, ...],
    lang: str,
    script: Path | None,
    record: Path | None,
) -> int:
    """Play a game at the terminal.

    Seats are numbered from 0. Without --seat and --script you play seat 0. Who has no seat of their own is played by
    the bot; a scripted seat goes on with its bot or person when its lines are used up.
    """
    from rulelang.record import Record

    state = loaded(path, overlays).new_game(players, seed, read_options(options))
    terminal = Terminal(lang, len(state.parties))
    people = _people(state, seats, script is not None)
    agents = _agents(state, {**dict.fromkeys(range(len(state.parties)), bot), **people}, seed, terminal)
    scripts = _scripted(state, agents, script)
    on_record = Record.of(state, seed)
    chosen = f" ({option_words(state.options)})" if state.options else ""
    click.echo(f"{state.ruleset.words(lang).title}, {state.players} players, seed {seed}{chosen}")
    if record is not None:
        _write(record, on_record)  # A game is not played to find at its end that it can't be kept.
    watched = [seat for seat, who in people.items() if who == HUMAN]
    try:
        while not state.is_terminal():
            seat = state.current_players()[0]
            action = agents[seat].choose(state, seat)
            state.apply(action, seat)
            on_record.add(seat, action.id, state)
            if not watched:
                terminal.tell(state, None)
    except _Stopped:
        say("rulelang: the game is not over")
        return FAULT
    finally:
        if record is not None:
            _write(record, on_record)
    for seat in watched:
        terminal.tell(state, seat)
    click.echo(f"\n{ending(state, lang)}")
    left = sum(len(agent.lines) for agent in scripts)
    if left:
        say(f"rulelang: {left} line{'s' * (left != 1)} of the script were not used")
    return 0


def _write(file: Path, record: Record) -> None:
    try:
        file.write_text(record.to_json(), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}") from None


def _people(state: State, seats: Sequence[str], scripted: bool) -> dict[int, str]:
    """Who plays the seats that are named; without any, and without a script, a person plays seat 0."""
    found: dict[int, str] = {}
    for text in seats:
        seat, sign, who = text.partition("=")
        if not sign or not seat.isdecimal() or not who:
            raise UsageError(f"a seat is written SEAT=WHO, such as `1={HUMAN}`, not `{text}`")
        if len(seat) > MAX_DIGITS or int(seat) >= state.players:
            raise UsageError(f"there is no seat {seat}: seats are 0 to {state.players - 1}")
        if who != HUMAN:
            check_bot(who)
        found[int(seat)] = who
    return found if seats or scripted else {0: HUMAN}


def _agents(state: State, who: dict[int, str], seed: int, terminal: Terminal) -> list[Agent]:
    """An agent for each party: a ruleset may let an automaton be asked."""
    return [
        terminal if who[party] == HUMAN else make_bot(who[party], seed, party) for party in range(len(state.parties))
    ]


def _scripted(state: State, agents: list[Agent], script: Path | None) -> list[ScriptedAgent]:
    """Puts the script's choices before those of the seats' own agents."""
    if script is None:
        return []
    lines = read_script(read_text(script), state.players)
    found = []
    for seat, choices in lines.items():
        agents[seat] = ScriptedAgent(choices, agents[seat])
        found.append(agents[seat])
    return [agent for agent in found if isinstance(agent, ScriptedAgent)]
