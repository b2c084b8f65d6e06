"""A game with people, bots and scripts in its seats: who made each choice, and undo.

Enters: a state, who plays which seat, actions. Leaves: the state after them, the record, how each choice was made, and
what undoing it would reveal. `cli.play` and `web` share it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rulelang.agents import Bot, ScriptedAgent, make_bot
from rulelang.game import Action, State
from rulelang.record import CHANCE, MOVED, SHOWN, Positions, Record

HUMAN = "human"

PERSON, FORCED, BOT, SCRIPT = "person", "forced", "bot", "script"
"""How a choice was made: by a person, as the only legal one, by a bot, by a line of the script."""

Line = tuple[int, str]
"""A line of a script: its number, the id of an action."""


@dataclass(frozen=True)
class ChoiceMoment:
    """How one choice was made.

    Attributes:
        seat: the acting player. by: `person`, `forced`, `bot` or `script`.
        position: state of the bot's generator before the choice. line: the line of the script that was used up.
    """

    seat: int
    by: str
    position: int | None = None
    line: Line | None = None


@dataclass(frozen=True)
class Undo:
    """An undo back to the first `left` steps.

    Attributes:
        seat: whose choice is taken back. seen: what has been revealed or done since, of `chance`, `shown`, `moved`;
            empty: the undo is free.
        seats: those that saw something hidden.
    """

    left: int
    seat: int
    seen: tuple[str, ...] = ()
    seats: tuple[int, ...] = ()

    @property
    def free(self) -> bool:
        """Return whether an undo reveals nothing: no chance, hidden information or other seat's choice came since."""
        return not self.seen


@dataclass
class Session:
    """A game in progress.

    Attributes:
        who: party -> `human` or the name of a bot. seed: of chance and bots.
        moments: one for each step of the record. positions: the states before and after each.
        bots: party -> bot. scripts: seat -> script.
        lang: the language that it was last played in. file: where it was saved last.
    """

    state: State
    seed: int
    who: dict[int, str]
    record: Record
    positions: Positions
    moments: list[ChoiceMoment] = field(default_factory=list)
    bots: dict[int, Bot] = field(default_factory=dict)
    scripts: dict[int, ScriptedAgent] = field(default_factory=dict)
    lang: str = ""
    file: str = ""

    @classmethod
    def new(
        cls, state: State, seed: int, who: Mapping[int, str], scripts: Mapping[int, Sequence[Line]] | None = None
    ) -> Session:
        """Start a session for a game that has just begun.

        Args:
            seed: of chance and bots. who: party -> `human` or the name of a bot. scripts: seat -> its lines.

        Raises:
            UsageError: there is no such bot.
        """
        session = cls(state, seed, dict(who), Record.of(state, seed), Positions(state))
        session.bots = {party: make_bot(name, seed, party) for party, name in who.items() if name != HUMAN}
        session.scripts = {seat: ScriptedAgent(lines) for seat, lines in (scripts or {}).items()}
        return session

    @property
    def people(self) -> list[int]:
        """Return the seats played by people, in order."""
        return [seat for seat, name in sorted(self.who.items()) if name == HUMAN]

    @property
    def unused(self) -> int:
        """Return the number of script lines not yet played."""
        return sum(len(script.lines) for script in self.scripts.values())

    # ---- choosing

    def choose_automatically(self, seat: int) -> bool:
        """Let the script or bot of a seat choose; return False if a person plays the seat.

        Raises:
            IllegalAction: the action of the script is not legal.
        """
        script = self.scripts.get(seat)
        if script is not None and script.lines:
            line = script.lines[0]
            self._apply(script.choose(self.state, seat), seat, SCRIPT, line=line)
            return True
        bot = self.bots.get(seat)
        if bot is None:
            return False
        position = bot.position
        self._apply(bot.choose(self.state, seat), seat, BOT, position=position)
        return True

    def forced(self, seat: int) -> Action | None:
        """Return a seat's only legal action, if it may be taken automatically.

        None for several actions, and for decisions that must be put to the player even then, so that others learn
        nothing.
        """
        decision = self.state.decision(seat)
        if decision is None or decision.anyway or len(decision.choices) != 1:
            return None
        return decision.choices[0]

    def choose(self, action: Action, seat: int, by: str = PERSON) -> None:
        """Apply a seat's action; a RuleError leaves the session unchanged."""
        self._apply(action, seat, by)

    def _apply(
        self, action: Action, seat: int, by: str, *, position: int | None = None, line: Line | None = None
    ) -> None:
        """Apply an action and append it to the record, the moments and the positions."""
        self.state.apply(action, seat)
        self.record.add(seat, action.id, self.state)
        self.moments.append(ChoiceMoment(seat, by, position, line))
        self.positions.add(len(self.moments), self.state)

    def before(self, number: int) -> State:
        """Return the state before choice number `number`, counted from 0."""
        return self.positions.at(number, self.record.steps).named(self.state.names, self.state.first)

    def story(
        self, reader: int | None, since: int, lang: str, until: int | None = None, state: State | None = None
    ) -> list[dict[str, Any]]:
        """Return `Positions.story` of a position of this game; None: of the last one."""
        return self.positions.story(state or self.state, self.record.steps, reader, since, lang, until)

    # ---- undoing

    def undoing(self, seat: int) -> Undo | None:
        """Return the undo of the last choice that a person made at this seat; None if there is none."""
        for left in range(len(self.moments) - 1, -1, -1):
            moment = self.moments[left]
            if moment.seat == seat and moment.by == PERSON:
                return self._undo_to(left, seat)
        return None

    def _undo_to(self, left: int, seat: int) -> Undo:
        """Build the undo that returns to the first `left` steps, with the information revealed since."""
        moved = any(moment.seat != seat for moment in self.moments[left:])
        seen, seats = shown_since(self.before(left), self.state)
        return Undo(left, seat, tuple([MOVED] * moved + seen), tuple(sorted(seats)))

    def undo(self, undo: Undo) -> None:
        """Carry out an undo: restore the state, bot generators and script lines; the record notes revealed
        information."""
        taken = self.moments[undo.left :]
        for moment in reversed(taken):
            if moment.position is not None:
                self.bots[moment.seat].position = moment.position
            if moment.line is not None:
                self.scripts[moment.seat].lines.insert(0, moment.line)
        del self.moments[undo.left :]
        self.state = self.before(undo.left)
        self.positions.cut(undo.left)
        self.record.undo(undo.left, undo.seat, undo.seen)


# ---- hidden information that was shown ------------------------------------------------------------------------------


def shown_since(before: State, now: State) -> tuple[list[str], set[int]]:
    """Return the kinds of information revealed after `before` (`chance`, `shown`) and the seats that saw hidden
    information."""
    length = before.event_count()
    chance = any(event["type"] == "chance" for event in now.events(None, length, None))
    seats = {seat for seat in range(now.players) if _saw_hidden(length, now, seat)}
    return [CHANCE] * chance + [SHOWN] * bool(seats), seats


def _saw_hidden(length: int, now: State, seat: int) -> bool:
    """Return whether an event after the first `length` log entries showed a seat something hidden from it."""
    # The log of the current state is memoised; that of a replayed position is another object.
    first = now.event_count(seat, length)
    zones = now.observation(seat)["zones"]
    return any(_reveals(event, seat, zones) for event in now.events(seat, first, None))


def _reveals(event: dict[str, Any], seat: int, zones: dict[str, Any]) -> bool:
    """Return whether a redacted event shows a piece or value that the seat did not see before.

    Args:
        zones: those that the seat sees.
    """
    if event["type"] == "reveal":
        return seat in event["seats"]
    if event["type"] != "move":
        return False
    if "shows" in event:
        return True
    if not any(piece is not None for piece in event["pieces"]):
        return False
    origin = zones.get(event["from"], {})
    # Of a pile that shows its top, one piece was seen before it went; the others were not.
    return "pieces" not in origin and ("top" not in origin or event["count"] > 1)
