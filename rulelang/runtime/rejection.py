"""Worlds by rejection sampling: a recorded game is played again with chance and choices of its own where the seat saw
none, and dropped at the first thing that the seat would notice.

Enters: a machine, a state with its whole log, a seat. Leaves: a `Sampler`: states that the seat can't tell from that
one, each a function of what the seat knows and of the dice alone. Nothing is repaired, so that where much is hidden and
was seen later no world comes in any reasonable number of games; native code (`rulelang.ismcts.worlds`) finds more.

Of a game that began from a given position all unseen pieces of that are dealt anew first. A position with secrets that
are no such pieces (hidden variables, unseen pieces that carry something) has no worlds: nobody can say what else they
might be.
"""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from typing import Any

from rulelang.diagnostics import RuleError
from rulelang.runtime.course import ResampleError, course_of, node_of
from rulelang.runtime.history import Player, Step
from rulelang.runtime.log import Entry
from rulelang.runtime.openings import has_other_secrets, with_unseen_dealt
from rulelang.runtime.replay import Dice
from rulelang.runtime.rng import output
from rulelang.runtime.sight import ALL, Redactor
from rulelang.runtime.state import State
from rulelang.runtime.witness import choice_entry, witness_of

MOST_STEPS = 20_000
"""So many choices and outcomes are played for a world at most, in games that do not fit; a second or two."""


class Sampler:
    """Games that a seat can't tell from a recorded one.

    Raises:
        ResampleError: the log does not lead to the state, which is no decision, or its secrets can't be dealt.
    """

    def __init__(self, machine: Player, state: State, seat: int) -> None:
        if not state.logging:
            raise ResampleError("nothing tells what the seat saw of this game")
        self.machine, self.seat = machine, seat
        self.opening: State | None = state.log.first().opening
        self.course, self.length = course_of(machine, state)
        self.witness = witness_of(self.course, seat, self.length)
        self.sight, self.explicit = self.witness.sight, state.explicit
        if self.opening is not None and has_other_secrets(self.opening, self.sight):
            raise ResampleError("what is hidden in the given position can't be dealt anew")
        self.stream = self.witness.stream[: self.witness.seen[self.length]]
        steps = self.witness.steps[: self.length]
        self.choices = [(number, step) for number, step in enumerate(steps) if step.decision >= 0]

    def world(self, dice: Dice, games: int) -> State | None:
        """Return a state, played in one of so many games, of MOST_STEPS choices and outcomes in all; None if the seat
        would have noticed something in each."""
        steps = 0
        for _ in range(games):
            game, state = _Game(self, dice), None
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
    """

    def __init__(self, of: Sampler, dice: Dice) -> None:
        self.of, self.dice = of, dice
        self.known = Redactor(of.sight)
        self.at = self.drawn = self.log_read = self.steps = 0
        opening = of.opening
        if opening is None:
            self.live = of.machine.new_state(0, True)
        else:
            self.live = with_unseen_dealt(opening, of.sight, dice)
        self.live.explicit = True

    def played(self) -> State | None:
        """Return the state after all recorded choices; None if the seat would have noticed."""
        of, machine = self.of, self.of.machine
        machine.advance(self.live)
        for number, step in [*of.choices, (of.length, None)]:
            while (node := node_of(machine, self.live)) is not None and node[0] == "chance":
                if not self._sees_same():
                    return None
                machine.take_outcome(self.live, self._outcome())
                self.drawn += 1
                self.steps += 1
            same = self._sees_same() and node == of.course.nodes[number] and self.at == of.witness.seen[number]
            if not same or not of.witness.sees_same(self.live, number, None):
                return None
            if step is not None and not self._choose(step):
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
            if self.at == len(self.of.stream) or not self.of.witness.same(shown, self.of.stream[self.at]):
                return False
            self.at, self.drawn = self.at + 1, 0
        return True

    def _outcome(self) -> Any:
        """Return what comes up: what the seat was told of it at once, else any outcome by its probability.

        Raises:
            RuleError: what it was told comes up less often than it might in another world, and did not.
        """
        outcomes = self.of.machine.outcomes(self.live)
        seen = self._told_next()
        told, origin = seen or (None, -1)
        for value, chance in outcomes if seen is not None else ():
            if value != told:
                continue
            zone, size = self._pool(value)
            if origin not in (-1, zone):
                break
            likely = chance * size / self._copies(value) if zone >= 0 else Fraction(1)
            if self.dice.below(likely.denominator) >= likely.numerator:
                raise RuleError("as unlikely worlds are dropped")
            return value
        return self.dice.outcome(outcomes)

    def _told_next(self) -> tuple[Any, int] | None:
        """Return the outcome that the seat's next entries tell, with the zone that a piece leaves (-1: none)."""
        ahead, stream = self.drawn, self.of.stream
        for entry in stream[self.at : self.at + ahead + 1]:
            if entry[0] == "chance":
                return (entry[3], -1) if not ahead else None
            if entry[0] != "move":
                return None
            if ahead < len(entry[4]):
                item = entry[4][ahead]
                return None if item is None else (item, entry[2])
            ahead -= len(entry[4])
        return None

    def _pool(self, value: Any) -> tuple[int, int]:
        """Return the zone in which an outcome makes a piece known and how many pieces it is one of; else -1, 1."""
        after = self.live.clone()
        self.of.machine.take_outcome(after, value)
        entry: Entry = after.log.since(self.log_read)[0]
        if len(entry) <= 4:
            return -1, 1
        zone, index = entry[4:6]
        return zone, len(self.live.pools[-1 - self.live.z[zone][index]])

    def _copies(self, item: int) -> int:
        """Return how many pieces that the seat does not see can't be told from an item: at most so many can come up."""
        seen = self.of.sight.zones
        unseen = (contents for contents, sight in zip(self.live.z, seen, strict=True) if sight != ALL)
        return sum(contents.count(item) for contents in (*unseen, *self.live.pools))

    def _choose(self, step: Step) -> bool:
        """Make the seat's own choice, or of a rival's any that the seat can't tell from it by what follows at once;
        return whether there is one."""
        of, machine, live = self.of, self.of.machine, self.live
        if step.seat == of.seat:
            possible = machine.has_option(live, step.seat, step.choice)
            if possible:
                machine.choose(live, step.seat, step.choice)
            return possible
        alike, before = [], (self.known, self.at, self.log_read)
        for option in machine.options(live, step.seat):
            if step.told and not of.witness.same(self.known.see(choice_entry(step, option)), step.target):
                continue
            self.live = live.clone()
            machine.choose(self.live, step.seat, option)
            self.known, self.at, self.log_read = before[0].copy(), *before[1:]
            if self._sees_same():
                alike.append((self.live, self.known, self.at, self.log_read))
        if alike:
            self.live, self.known, self.at, self.log_read = alike[self.dice.below(len(alike))]
        return bool(alike)
