"""`rulelang replay`: a recorded game replayed, verified state by state, and shown step by step.

Enters: a record. Leaves: whether the game goes as recorded; the steps in words; at a terminal, the table after each.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rulelang import numbers
from rulelang.cli.common import NumberOption, guarded, json_option, lang_option, language_of, loaded, naming, read_text
from rulelang.cli.output import put, put_json
from rulelang.diagnostics import UsageError

if TYPE_CHECKING:
    from rulelang.cli.play.terminal import Terminal
    from rulelang.game import State
    from rulelang.record import Positions, Record
    from rulelang.table.names import Names

MAX_DIGITS = 9


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE")
@click.option("--ruleset", metavar="PATH", help="The ruleset to play with, instead of the one on record.")
@click.option("--steps", is_flag=True, help="List all steps in words.")
@click.option(
    "--to",
    type=NumberOption(numbers.STEP),
    metavar="N",
    help="List the steps up to this one and show the table after it.",
)
@click.option(
    "--notation", is_flag=True, help="Print the game as players write it down, as PGN or SGF where the ruleset says so."
)
@click.option("--scenario", metavar="NAME", help="Print the position after that step, or the last, as a scenario.")
@lang_option
@json_option
@guarded
def replay(
    file: Path,
    ruleset: str | None,
    steps: bool,
    to: int | None,
    notation: bool,
    scenario: str | None,
    lang: str | None,
    form: str,
) -> None:
    """Play a recorded game again, step by step, and verify the hash of each state.

    At a terminal you then go through its steps, forward and back.
    """
    from rulelang.record import read_record, replayed
    from rulelang.transcript import transcript

    text = read_text(file)
    with naming(file):
        record = read_record(text)
    if to is not None and not 0 <= to <= len(record.steps):
        raise UsageError(f"there is no step {to}: the game has steps 0 to {len(record.steps)}")
    overlays = record.ruleset.overlays if ruleset is not None else ()
    replacement = loaded(ruleset, overlays) if ruleset is not None else None
    with naming(file):
        last, positions = replayed(record, replacement)
    if scenario is not None:
        from rulelang.game.situations import scenario_text

        if record.scenario:
            raise UsageError("the game began as a scenario: let one be made of that, as editors do")
        number = len(record.steps) if to is None else to
        chosen = [(step.seat, step.id) for step in record.steps[:number]]
        put(scenario_text(scenario, positions.at(number, record.steps), record.seed, chosen).rstrip("\n"))
        return
    if form == "json":
        ends = {"over": last.is_terminal(), "scores": last.scores(), "winners": last.winners()}
        written = {"notation": transcript(record, positions, language_of(last.ruleset, lang))} if notation else {}
        put_json({"ok": True, "steps": len(record.steps), **ends, "undone": len(record.undone), **written})
        return
    from rulelang.cli.play.terminal import Terminal
    from rulelang.table.names import Names

    player = Player(record, last, positions, Names(last, language_of(last.ruleset, lang)), Terminal())
    if notation:
        put(transcript(record, positions, player.names.lang))
    else:
        player.summary(str(file))
    if steps or to is not None:
        player.listing(to)
    elif not notation and player.terminal.live and sys.stdout.isatty():
        player.step_through()


@dataclass
class Player:
    """Shows a recorded game, with all that any seat sees."""

    record: Record
    last: State
    positions: Positions
    names: Names
    terminal: Terminal

    def state(self, number: int) -> State:
        """Return the state after `number` steps."""
        return self.positions.at(number, self.record.steps)

    def summary(self, file: str) -> None:
        """Print how the game ended, and its undone choices."""
        from rulelang.table.sheet import ending
        from rulelang.words.phrases import capital

        texts, last = self.names.texts, self.last
        ends = texts("not_over")
        if last.is_terminal():
            scores = ", ".join(f"{self.names.party(n)} {score}" for n, score in enumerate(last.scores()))
            ends = f"{scores}. {ending(last, self.names)}"
        self.terminal.say(f"{file}: {texts('as_recorded', count=len(self.record.steps))}; {ends}")
        for mark in self.record.undone:
            seen = self.names.words.lexicon.joined([texts(f"seen_{sort}") for sort in mark.seen])
            back = texts("taken_back", seat=self.names.party(mark.seat), taken=mark.taken, steps=mark.steps, seen=seen)
            self.terminal.say(capital(back))

    def listing(self, to: int | None) -> None:
        """Print the steps in words, up to `to` and with the table after it unless None."""
        for number in range(1, (len(self.record.steps) if to is None else to) + 1):
            self.step(number)
        if to is not None:
            self.table(to)

    def step(self, number: int) -> None:
        """Print the choice of a step, and its events."""
        from rulelang.table.recent_events import noted

        step = self.record.steps[number - 1]
        before, after = self.state(number - 1), self.state(number)
        lang = self.names.lang
        action = before.legal(step.id, step.seat)
        chosen = noted(action.text(lang), action.notation(lang), len(action.parts))
        heading = self.names.texts("step", number=number, count=len(self.record.steps))
        self.terminal.say(f"{heading} · {self.names.party(step.seat)}: {chosen}", "bold")
        for event in after.story(None, before.event_count(), lang):
            if event["type"] not in ("choice", "commit"):
                self.terminal.say(f"  {event['text']}")

    def table(self, number: int) -> None:
        """Print the table after `number` steps."""
        from rulelang.cli.play.screen import Screen
        from rulelang.table.view import everything

        state = self.state(number)
        screen = Screen(state.ruleset, self.names, self.terminal.width)
        self.terminal.show(screen.board(everything(state), None))

    def step_through(self) -> None:
        """Prompt for the step to go to, until the reader quits."""
        from rulelang.cli.play.terminal import InputEnded

        texts, end = self.names.texts, len(self.record.steps)
        current = 0
        self.terminal.say(texts("replay_help"), "dim")
        self.table(0)
        while True:
            try:
                answer = self.terminal.ask(f"{current}/{end}> ").lower()
            except InputEnded:
                return
            if answer in ("q", "quit"):
                return
            target = self._target(answer, current)
            if target is None:
                continue
            current = target
            if current:
                self.step(current)
            self.table(current)

    def _target(self, answer: str, current: int) -> int | None:
        """Return the step that an answer means; None, with a message, if there is no such step."""
        texts, end = self.names.texts, len(self.record.steps)
        if answer.isdecimal():
            target = int(answer) if len(answer) <= MAX_DIGITS else -1
            if 0 <= target <= end:
                return target
            self.terminal.say(texts("no_step", number=answer[:MAX_DIGITS], count=end))
        elif answer in ("", "n"):
            if current < end:
                return current + 1
            self.terminal.say(texts("end"))
        elif answer == "b":
            if current:
                return current - 1
            self.terminal.say(texts("first"))
        elif answer == "e":
            return end
        else:
            self.terminal.say(texts("replay_help"))
        return None
