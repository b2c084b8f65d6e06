"""Worlds by rejection sampling: a recorded game is played again with chance and choices of its own where the seat saw
none, and dropped at the first thing that the seat would notice.

Enters: a machine, a state with its whole log, a seat. Leaves: a `Sampler`: states that the seat can't tell from that
one, each a function of what the seat knows and of the dice alone. Nothing is repaired, so that where much is hidden and
was seen later no world comes in any reasonable number of games; native code (`rulelang.ismcts.worlds`) finds more. It
has worlds of decisions of games that were played from their start; one of those may be what a game begins from here.

Of a game that began from a given position all unseen pieces of that are dealt anew first. A position with secrets that
are no such pieces (hidden variables, unseen pieces that carry something) has no worlds: nobody can say what else they
might be.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rulelang.diagnostics import ResampleError, RuleError
from rulelang.runtime.canonical import canonical_form
from rulelang.runtime.history import Player, RecordedChoice, RecordError, Step, recorded_steps
from rulelang.runtime.log import Entry
from rulelang.runtime.openings import has_other_secrets, with_unseen_dealt
from rulelang.runtime.rng import Dice, output
from rulelang.runtime.sight import ALL, Redactor, sight_of, view_key
from rulelang.runtime.state import State
from rulelang.runtime.views import observation, plain_event

MOST_STEPS = 10_000
"""So many choices and outcomes are played for a world at most, in games that do not fit: 2 s in R-ECO, 12 in Droids."""

_NOT_LED = "the log of this state does not lead to it"

Node = tuple[str, tuple[int, ...], int, int] | None
"""What a state waits for: kind, seats, decision, site; None when the game is over."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What a seat knows of a decision of the recorded game, or of its end.

    Attributes:
        seen: how many entries the seat has seen by then. view: what it sees then.
        draws: how often chance was asked since the choice before, which counts as seen where the game waits for chance.
        step: what was chosen (None: nothing yet). shown: what the seat saw of that.
    """

    node: Node
    seen: int
    view: Any
    draws: int
    step: Step | None
    shown: Entry | None


class Sampler:
    """Games that a seat can't tell from a recorded one.

    Attributes:
        turns: all choices, and last where the game is now. stream: the entries that the seat saw.
        last: the state before the last choice; None where there is none.

    Raises:
        ResampleError: the log does not lead to the state, or its secrets can't be dealt.
    """

    def __init__(self, machine: Player, state: State, seat: int) -> None:
        if not state.logging:
            raise ResampleError("nothing tells what the seat saw of this game: it has no log")
        self.machine, self.seat, self.explicit = machine, seat, state.explicit
        self.opening: State | None = state.log.first().opening
        self.sight = sight_of(state.layout, seat)
        # Individuals that differ by number alone are told apart by nothing that a seat sees: then views are compared.
        self.alike = any(state.layout.alike)
        if self.opening is not None and has_other_secrets(self.opening, self.sight):
            raise ResampleError("what is hidden in the given position can't be dealt anew")
        self.turns: list[Turn] = []
        self.stream: list[Entry] = []
        self.last: State | None = None
        try:
            self._follow(state)
        except (RecordError, RuleError):
            raise ResampleError(_NOT_LED) from None

    def _follow(self, truth: State) -> None:
        """Play the recorded game again, and keep what the seat saw of it."""
        machine, known, read, draws = self.machine, Redactor(self.sight), 0, 0
        live = machine.new_state(0, True) if self.opening is None else self.opening.clone()
        live.explicit = True
        machine.advance(live)
        for step in (*recorded_steps(truth), None):
            self.stream += [shown for shown in map(known.see, live.log.since(read)) if shown is not None]
            read, node = len(live.log), node_of(machine, live)
            if step is not None and step.decision < 0:
                if (
                    node is None
                    or node[0] != "chance"
                    or all(step.value != value for value, _ in machine.outcomes(live))
                ):
                    raise RecordError
                machine.take_outcome(live, step.value)
                draws += 1
                continue
            shown = known.see(choice_entry(step, step.choice)) if step is not None else None
            self.turns.append(Turn(node, len(self.stream), self.view_of(live), draws, step, shown))
            if step is not None:
                draws = 0
                asked = node is not None and node[2] == step.decision and step.seat in node[1]
                if not asked or not machine.has_option(live, step.seat, step.choice):
                    raise RecordError
                self.last = live.clone()
                machine.choose(live, step.seat, step.choice)
        if canonical_form(live) != canonical_form(truth):
            raise RecordError

    def view_of(self, state: State) -> Any:
        """What the seat sees of a state, equal for two that it can't tell apart."""
        return observation(state, self.seat) if self.alike else view_key(state, self.sight)

    def same(self, a: Entry | None, b: Entry | None) -> bool:
        """Whether the seat can't tell two entries that it saw from each other."""
        if a == b or not self.alike or a is None or b is None:
            return a == b
        return bool(plain_event(self.machine.layout, a, 0) == plain_event(self.machine.layout, b, 0))

    def world(self, dice: Dice, games: int, begin: Callable[[int], State | None] | None = None) -> State | None:
        """Return a state, played in one of so many games, of MOST_STEPS choices and outcomes in all; None if the seat
        would have noticed something in each.

        Args:
            begin: a world of `last` from a seed, which a game begins from; None: games begin at their start.
        """
        steps = 0
        for _ in range(games):
            start = begin(dice.below(1 << 63)) if begin is not None else None
            if begin is not None and start is None:
                return None
            game, state = _Game(self, dice, start), None
            with suppress(RuleError):
                state = game.played()
            steps += game.steps
            if state is not None:
                state.explicit = self.explicit
                state.rng, _ = output(dice.rng)
                return state
            if steps > MOST_STEPS:
                break
        return None


class _Game:
    """One game.

    Attributes:
        at: how many entries of the seat's stream it has matched. drawn: how many outcomes have come since the last one.
        log_read: how many entries of its own log it has read. steps: how many choices and outcomes there were.
        turns: of the recorded game those that are to come. begun: whether `live` is at a node.
    """

    def __init__(self, of: Sampler, dice: Dice, start: State | None) -> None:
        self.of, self.dice = of, dice
        self.known = Redactor(of.sight)
        self.at = self.drawn = self.log_read = self.steps = 0
        self.turns = of.turns
        if start is not None:
            self.live = start.clone()
            self.turns = of.turns[-2:]
            self.steps = len(of.turns) - 2
        elif of.opening is not None:
            self.live = with_unseen_dealt(of.opening, of.sight, dice)
        else:
            self.live = of.machine.new_state(0, True)
        self.live.explicit = True
        self.begun = start is not None

    def played(self) -> State | None:
        """Return the state after all recorded choices; None if the seat would have noticed."""
        machine = self.of.machine
        if not self.begun:
            machine.advance(self.live)
        for turn in self.turns:
            draws = 0
            while (node := node_of(machine, self.live)) is not None and node[0] == "chance":
                if not self._sees_same():
                    return None
                if turn.node is not None and turn.node[0] == "chance" and draws == turn.draws:
                    break
                machine.take_outcome(self.live, self._outcome(node[3]))
                draws += 1
                self.drawn += 1
                self.steps += 1
            same = self._sees_same() and node == turn.node and self.at == turn.seen
            if not same or self.of.view_of(self.live) != turn.view:
                return None
            if turn.step is not None and not self._choose(turn.step, turn.shown):
                return None
            self.steps += 1
        return self.live

    def _sees_same(self) -> bool:
        """Whether the seat saw of what was logged since what it saw of the true game."""
        entries = self.live.log.since(self.log_read)
        self.log_read = len(self.live.log)
        for shown in map(self.known.see, entries):
            if shown is None:
                continue
            if self.at == len(self.of.stream) or not self.of.same(shown, self.of.stream[self.at]):
                return False
            self.at, self.drawn = self.at + 1, 0
        return True

    def _outcome(self, site: int) -> Any:
        """Return what comes up: what the seat was told of it at once, else any outcome by its probability.

        Raises:
            RuleError: what it was told comes up less often than it might in another world, and did not.
        """
        outcomes = self.of.machine.outcomes(self.live)
        seen = self._told_next(site)
        told, origin = seen or (None, -1)
        for value, chance in outcomes if seen is not None else ():
            if value != told:
                continue
            zone, size = self._pool(value)
            if origin not in (-1, zone):
                break
            likely = chance * size / self._copies(value) if size else Fraction(1)
            if self.dice.below(likely.denominator) >= likely.numerator:
                raise RuleError("as unlikely worlds are dropped")
            return value
        return self.dice.outcome(outcomes)

    def _told_next(self, site: int) -> tuple[Any, int] | None:
        """Return the outcome that the seat's next entries tell of a site, with the zone that a piece
        leaves (-1: none)."""
        ahead, stream = self.drawn, self.of.stream
        for entry in stream[self.at : self.at + ahead + 1]:
            if entry[0] == "chance":
                return (entry[3], -1) if not ahead and entry[1] == site else None
            if entry[0] != "move":
                return None
            if ahead < len(entry[4]):
                item = entry[4][ahead]
                return None if item is None else (item, entry[2])
            ahead -= len(entry[4])
        return None

    def _pool(self, value: Any) -> tuple[int, int]:
        """Return the zone in which an outcome makes a piece known and how many pieces it is one of; else -1, 0."""
        after = self.live.clone()
        self.of.machine.take_outcome(after, value)
        entry: Entry = after.log.since(self.log_read)[0]
        if len(entry) <= 4:
            return -1, 0
        zone, index = entry[4:6]
        return zone, len(self.live.pools[-1 - self.live.z[zone][index]])

    def _copies(self, item: int) -> int:
        """Return how many pieces that the seat does not see can't be told from an item: at most so many can come up."""
        seen = self.of.sight.zones
        unseen = (contents for contents, sight in zip(self.live.z, seen, strict=True) if sight != ALL)
        return sum(contents.count(item) for contents in (*unseen, *self.live.pools))

    def _choose(self, step: Step, shown: Entry | None) -> bool:
        """Make the seat's own choice, or any that it can't tell from this one or from a rival's by what follows at
        once; return whether there is one."""
        of, machine, live = self.of, self.of.machine, self.live
        own = step.seat == of.seat
        if own or (step.told and not of.alike and shown == choice_entry(step, step.choice)):
            possible = machine.has_option(live, step.seat, step.choice)
            if possible:
                machine.choose(live, step.seat, step.choice)
            if possible or not of.alike:
                return possible
        alike, before = [], (self.known, self.at, self.log_read)
        for option in machine.options(live, step.seat):
            if (step.told or own) and not of.same(self.known.see(choice_entry(step, option)), shown):
                continue
            self.live = live.clone()
            machine.choose(self.live, step.seat, option)
            self.known, self.at, self.log_read = before[0].copy(), *before[1:]
            if self._sees_same():
                alike.append((self.live, self.known, self.at, self.log_read))
        if alike:
            self.live, self.known, self.at, self.log_read = alike[self.dice.below(len(alike))]
        return bool(alike)


def node_of(machine: Player, state: State) -> Node:
    """Return what a state waits for."""
    waiting = machine.waiting(state)
    return None if waiting is None else (waiting.kind, waiting.seats, waiting.decision, waiting.site)


def choice_entry(step: Step, choice: RecordedChoice) -> Entry:
    """Return the log entry of choosing this in a step."""
    return ("choice", step.site, step.seat, step.decision, choice.item, choice.values)
