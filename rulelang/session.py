"""A game with people, bots and scripts in its seats: what was chosen by whom, and what undoing brings back.

Enters: a state, who sits where, actions. Leaves: the state after them, the record, for each step how it was chosen, and
what undoing it would give away. `cli.play` and `web` have it in common.
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
"""Who made a choice: a person, nobody (there was only one), the engine's agent, a line of the script."""

Line = tuple[int, str]
"""A line of a script: its number, the id of an action."""


@dataclass(frozen=True)
class Moment:
    """How a choice was made.

    Attributes:
        seat, by: who chose, and how.
        position: where the generator of the bot that chose stood. line: the line of the script that was used up.
    """

    seat: int
    by: str
    position: int | None = None
    line: Line | None = None


@dataclass(frozen=True)
class Undo:
    """Going back to the first `left` steps.

    Attributes:
        seen: what somebody has seen or done since, of `chance`, `shown`, `moved`; empty: it is free.
        seats: to whom something hidden was shown.
    """

    left: int
    seat: int
    seen: tuple[str, ...] = ()
    seats: tuple[int, ...] = ()

    @property
    def free(self) -> bool:
        """Whether nobody has learnt anything since."""
        return not self.seen


@dataclass
class Session:
    """A game as it is played.

    Attributes:
        who: party -> `human` or the name of a bot. seed: what chance and bots were seeded with.
        moments: one for each step of the record. positions: where the game stood before and after each.
        lang: the language that it was last played in. file: where it was put aside last.
    """

    state: State
    seed: int
    who: dict[int, str]
    record: Record
    positions: Positions
    moments: list[Moment] = field(default_factory=list)
    bots: dict[int, Bot] = field(default_factory=dict)
    scripts: dict[int, ScriptedAgent] = field(default_factory=dict)
    lang: str = ""
    file: str = ""

    @classmethod
    def new(
        cls, state: State, seed: int, who: Mapping[int, str], scripts: Mapping[int, Sequence[Line]] | None = None
    ) -> Session:
        """Return a game that has just been started with this seed; UsageError if there is no such bot."""
        session = cls(state, seed, dict(who), Record.of(state, seed), Positions(state))
        session.bots = {party: make_bot(name, seed, party) for party, name in who.items() if name != HUMAN}
        session.scripts = {seat: ScriptedAgent(lines) for seat, lines in (scripts or {}).items()}
        return session

    @property
    def people(self) -> list[int]:
        """The seats that people play."""
        return [seat for seat, name in sorted(self.who.items()) if name == HUMAN]

    @property
    def unused(self) -> int:
        """How many lines of the script are left."""
        return sum(len(script.lines) for script in self.scripts.values())

    # ---- choosing

    def automatic(self, seat: int) -> bool:
        """Choose for a seat whose script or bot can; False if a person must be asked.

        Raises:
            IllegalAction: the script wants what is not offered.
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
        """Return the only thing that a seat may do. Where it is asked so that nobody learns of it, it is no such
        thing."""
        decision = self.state.decision(seat)
        if decision is None or decision.anyway or len(decision.choices) != 1:
            return None
        return decision.choices[0]

    def choose(self, action: Action, seat: int, by: str = PERSON) -> None:
        """Take a seat's choice; the session stays as it was if a rule goes wrong."""
        self._apply(action, seat, by)

    def _apply(
        self, action: Action, seat: int, by: str, *, position: int | None = None, line: Line | None = None
    ) -> None:
        self.state.apply(action, seat)
        self.record.add(seat, action.id, self.state)
        self.moments.append(Moment(seat, by, position, line))
        self.positions.add(len(self.moments), self.state)

    def before(self, number: int) -> State:
        """Return the position in which choice `number` was made, from 0 on."""
        return self.positions.at(number, self.record.steps)

    # ---- undoing

    def undoing(self, seat: int) -> Undo | None:
        """Return what taking back the last thing that a person chose at this seat would mean; None without any."""
        for left in range(len(self.moments) - 1, -1, -1):
            moment = self.moments[left]
            if moment.seat == seat and moment.by == PERSON:
                return self._undo_to(left, seat)
        return None

    def _undo_to(self, left: int, seat: int) -> Undo:
        moved = any(moment.seat != seat for moment in self.moments[left:])
        seen, seats = shown_since(self.before(left), self.state)
        return Undo(left, seat, tuple([MOVED] * moved + seen), tuple(sorted(seats)))

    def undo(self, undo: Undo) -> None:
        """Go back; bots and scripts too, and with the same chance to come. What was seen is marked on the record."""
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


# ---- what was learnt ----------------------------------------------------------------------------------


def shown_since(before: State, now: State) -> tuple[list[str], set[int]]:
    """Return the sorts of things seen since (`chance`, `shown`), and the seats that something hidden was shown to."""
    length = before.event_count()
    chance = any(event["type"] == "chance" for event in now.events(None, length, None))
    seats = {seat for seat in range(now.players) if _shown(length, now, seat)}
    return [CHANCE] * chance + [SHOWN] * bool(seats), seats


def _shown(length: int, now: State, seat: int) -> bool:
    """Return whether a seat was shown what it could not see, since `length` things had happened."""
    # Read from the log that there is, which was read before: that of a position played again is another one.
    known = now.event_count(seat, length)
    zones = now.observation(seat)["zones"]
    return any(_reveals(event, zones) for event in now.events(seat, known, None))


def _reveals(event: dict[str, Any], zones: dict[str, Any]) -> bool:
    """Return whether an event, as a seat sees it, shows the seat what it did not see before."""
    if event["type"] == "reveal":
        return event["value"] is not None
    if event["type"] != "move":
        return False
    if "shows" in event:
        return True
    if not any(piece is not None for piece in event["pieces"]):
        return False
    origin = zones.get(event["from"], {})
    # Of a pile that shows its top, one piece was seen before it went; the others were not.
    return "pieces" not in origin and ("top" not in origin or event["count"] > 1)
