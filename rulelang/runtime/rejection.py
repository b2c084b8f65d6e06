"""Determinization by rejection sampling: a recorded game is replayed with random chance and choices where the seat saw
none, and rejected at the first event that the seat would notice.

Enters: a machine, a state with its whole log, a seat. Leaves: a `Sampler`: states that the seat can't tell from that
one, each a function of the seat's knowledge and the dice alone. Nothing is repaired, so that where much is hidden and
was seen later no world is found in a reasonable number of games; native code (`rulelang.ismcts.worlds`) finds more. It
has worlds of decisions of games that were played from their start; a game here may begin from one of those.

Of a game that began from a given position all unseen pieces of that are dealt anew first. A position with secrets that
are no such pieces (hidden variables, unseen pieces with changed variables) has no worlds: their distribution is
unknown.
"""

from __future__ import annotations

import operator
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from math import inf
from typing import Any

from rulelang.diagnostics import ResampleError, RuleError
from rulelang.runtime.canonical import canonical_form
from rulelang.runtime.definition import Definition
from rulelang.runtime.history import Ply, RecordError, recorded_steps
from rulelang.runtime.layout import ITEM_MASK, ZONE_SHIFT
from rulelang.runtime.log import Entry
from rulelang.runtime.narrowing import Narrowing
from rulelang.runtime.openings import has_other_secrets, with_unseen_dealt
from rulelang.runtime.rng import Dice, output
from rulelang.runtime.sight import ALL, Redactor, Sighting, bag_type, place_of, sight_of, view_key
from rulelang.runtime.state import State
from rulelang.runtime.views import observation, plain_event, sighting_json
from rulelang.runtime.waiting import LongOptions, Option, Waiting
from rulelang.vocabulary.operations import TOLD

MOST_STEPS = 10_000
"""Bound on the choices and outcomes played for a world, in all rejected games: some seconds."""

SIGHTED = "sighted"
Sighted = tuple[str, Sighting]

_NOT_LED = "the log of this state does not lead to it"


@dataclass(frozen=True, slots=True)
class Turn:
    """A decision of the recorded game, or its end, as the seat knows it.

    Attributes:
        seen: how many entries the seat has seen by then. view: what it sees at last, None before.
        draws: outcomes of chance since the choice before, those of a pending chance node included.
        step: what was chosen (None: nothing yet). shown: what the seat saw of that.
    """

    node: Waiting | None
    seen: int
    view: Any
    draws: int
    step: Ply | None
    shown: Entry | None


class Sampler:
    """Samples games that a seat can't tell from a recorded one.

    Attributes:
        turns: all choices, and last where the game is now. stream: the entries that the seat saw; where pieces came
            into sight, also with what.
        last: the state before the last choice; None where there is none.

    Raises:
        ResampleError: the log does not lead to the state, or its secrets can't be sampled.
    """

    def __init__(self, machine: Definition, state: State, seat: int) -> None:
        if not state.logging:
            raise ResampleError("nothing tells what the seat saw of this game: it has no log")
        self.machine, self.seat, self.explicit = machine, seat, state.explicit
        self.opening: State | None = state.log.first().opening
        self.sight = sight_of(state.layout, seat, state)
        # A seat can't distinguish individuals that differ by number alone: then observations are compared, not values.
        self.compares_text = any(state.layout.interchangeable)
        if self.opening is not None and has_other_secrets(self.opening, self.sight):
            raise ResampleError("what is hidden in the given position can't be dealt anew")
        self.turns: list[Turn] = []
        self.stream: list[Entry | Sighted] = []
        self.last: State | None = None
        try:
            self._replay(state)
        except (RecordError, RuleError):
            raise ResampleError(_NOT_LED) from None

    def _replay(self, truth: State) -> None:
        """Replay the recorded game, and record what the seat saw of it.

        Raises:
            RecordError: the log does not lead to the state.
        """
        machine, redactor, read, draws = self.machine, Redactor(self.sight, self.opening), 0, 0
        live = machine.new_state(0, True) if self.opening is None else self.opening.clone()
        live.explicit = True
        machine.advance(live)
        for step in (*recorded_steps(truth), None):
            self.stream += seen_by(redactor, live.log.since(read))
            read, node = len(live.log), machine.waiting(live)
            if step is not None and step.decision < 0:
                is_chance = node is not None and node.kind == "chance"
                if not is_chance or all(step.value != value for value, _ in machine.outcomes(live, True)):
                    raise RecordError
                machine.take_outcome(live, step.value)
                draws += 1
                continue
            shown = redactor.see(choice_entry(step, step.choice)) if step is not None else None
            view = self.view_of(live) if step is None else None
            self.turns.append(Turn(node, len(self.stream), view, draws, step, shown))
            if step is not None:
                draws = 0
                is_pending = node is not None and node.decision == step.decision and step.seat in node.seats
                if not is_pending or not machine.has_option(live, step.seat, step.choice):
                    raise RecordError
                self.last = live.clone()
                machine.choose(live, step.seat, step.choice)
        if canonical_form(live) != canonical_form(truth):
            raise RecordError

    def view_of(self, state: State) -> Any:
        """Return what the seat sees of a state; equal for two that it can't tell apart."""
        return observation(state, self.seat) if self.compares_text else view_key(state, self.sight)

    def alike(self, a: int, b: int) -> bool:
        """Return whether a seat can't tell two pieces from each other by what they are; of those that are counted the
        handles are compared, zones included."""
        if a == b or not self.compares_text:
            return a == b
        sorts = self.machine.layout.item_sorts
        return sorts[a & ITEM_MASK] == sorts[b & ITEM_MASK] and a >> ZONE_SHIFT == b >> ZONE_SHIFT

    def indistinguishable(self, a: Entry | Sighted | None, b: Entry | Sighted | None) -> bool:
        """Return whether the seat can't tell two entries that it saw from each other."""
        if a == b or not self.compares_text or a is None or b is None or a[0] != b[0]:
            return a == b
        if a[0] == SIGHTED:
            return sighting_json(self.machine.layout, a[1]) == sighting_json(self.machine.layout, b[1])
        return bool(plain_event(self.machine.layout, a, 0) == plain_event(self.machine.layout, b, 0))

    def world(
        self, dice: Dice, games: int, begin: Callable[[int], State | None] | None = None, end: float = inf
    ) -> State | None:
        """Sample a state, in at most `games` games with MOST_STEPS steps in all; None if all were rejected.

        Args:
            end: on the monotonic clock; no further game begins after it.
            begin: samples a world of `last` from a seed, which a game begins from; None: games begin at their start.
        """
        steps = 0
        for _ in range(games):
            start = begin(dice.below(1 << 63)) if begin is not None else None
            if begin is not None and start is None:
                return None
            game, state = _Attempt(self, dice, start), None
            with suppress(RuleError):
                state = game.play()
            steps += game.steps
            if state is not None:
                state.explicit = self.explicit
                state.rng, _ = output(dice.rng)
                return state
            if steps > MOST_STEPS or time.monotonic() > end:
                break
        return None


class _Attempt:
    """One game, replayed until it is rejected.

    Attributes:
        matched: how many entries of the seat's stream it has matched. drawn: outcomes since the last one.
        log_read: entries of its own log that were compared. steps: choices and outcomes so far.
        turns: of the recorded game those still to come. begun: whether `live` is at a node.
    """

    def __init__(self, sampler: Sampler, dice: Dice, start: State | None) -> None:
        self.sampler, self.dice = sampler, dice
        self.redactor = Redactor(sampler.sight, sampler.opening)
        self.matched = self.drawn = self.log_read = self.steps = 0
        self.turns = sampler.turns
        if start is not None:
            self.live = start.clone()
            self.turns = sampler.turns[-2:]
            self.steps = len(sampler.turns) - 2
        elif sampler.opening is not None:
            self.live = with_unseen_dealt(sampler.opening, sampler.sight, dice)
        else:
            self.live = sampler.machine.new_state(0, True)
        self.live.explicit = True
        self.begun = start is not None

    def play(self) -> State | None:
        """Play all recorded turns; return the state, None if the game is rejected."""
        machine = self.sampler.machine
        if not self.begun:
            machine.advance(self.live)
        for turn in self.turns:
            draws = 0
            while (node := machine.waiting(self.live)) is not None and node.kind == "chance":
                if not self._matches_stream():
                    return None
                if turn.node is not None and turn.node.kind == "chance" and draws == turn.draws:
                    break
                machine.take_outcome(self.live, self._outcome(node.site))
                draws += 1
                self.drawn += 1
                self.steps += 1
            same = self._matches_stream() and node == turn.node and self.matched == turn.seen
            if not same or sight_of(self.live.layout, self.sampler.seat, self.live) is not self.sampler.sight:
                return None
            if turn.step is None and self.sampler.view_of(self.live) != turn.view:
                return None
            if turn.step is not None and not self._choose(turn.step, turn.shown):
                return None
            self.steps += 1
        return self.live

    def _matches_stream(self) -> bool:
        """Return whether what the seat saw of the new log entries is what it saw in the true game."""
        entries = self.live.log.since(self.log_read)
        self.log_read = len(self.live.log)
        for shown in seen_by(self.redactor, entries):
            if self.matched == len(self.sampler.stream) or not self.sampler.indistinguishable(
                shown, self.sampler.stream[self.matched]
            ):
                return False
            self.matched, self.drawn = self.matched + 1, 0
        return True

    def _outcome(self, site: int) -> Any:
        """Return an outcome for a chance node: the one that the seat was told at once, else any by its probability.

        Raises:
            RuleError: the game is rejected, since the told outcome is less likely in this world than it may be in
                others.
        """
        outcomes = self.sampler.machine.outcomes(self.live, True)
        told = self._told_next(site)
        if told is None:
            return self.dice.outcome(outcomes)
        told_value, origin, is_piece = told
        alike = self.sampler.alike if is_piece else operator.eq
        fitting = [(value, chance) for value, chance in outcomes if alike(value, told_value)]
        if not fitting:
            return self.dice.outcome(outcomes)
        value, chance = self._one_of(fitting)
        zone, size = self._pool(value)
        if origin not in (-1, zone):
            return self.dice.outcome(outcomes)
        acceptance = min(chance * size / self._copies(value), Fraction(1)) if size else Fraction(1)
        if self.dice.below(acceptance.denominator) >= acceptance.numerator:
            raise RuleError("as unlikely worlds are dropped")
        return value

    def _one_of(self, fitting: list[tuple[Any, Fraction]]) -> tuple[Any, Fraction]:
        """Return one of several outcomes that the seat can't tell apart, and how likely it is that one of them comes
        up."""
        total = sum((chance for _, chance in fitting), Fraction(0))
        if len(fitting) == 1:
            return fitting[0]
        return self.dice.outcome([(value, chance / total) for value, chance in fitting]), total

    def _told_next(self, site: int) -> tuple[Any, int, bool] | None:
        """Return the outcome that the seat's next entries tell of a site, the zone that a piece leaves (-1: none), and
        whether it is a piece; None if they tell none."""
        skipped, stream = self.drawn, self.sampler.stream
        told = (stream[place] for place in range(self.matched, len(stream)) if stream[place][0] != SIGHTED)
        for entry in islice(told, skipped + 1):
            if entry[0] == "chance":
                is_piece = entry[2] not in TOLD or (entry[2] == "element" and self._draws_pieces(site))
                return (entry[3], -1, is_piece) if not skipped and entry[1] == site else None
            if entry[0] == "goods" and not skipped and self._shows_unit(site, entry):
                return entry[4].index(1), -1, False
            if entry[0] != "move":
                return None
            if skipped < len(entry[4]):
                item = entry[4][skipped]
                return None if item is None else (item, entry[2], True)
            skipped -= len(entry[4])
        return None

    def _shows_unit(self, site: int, entry: Entry) -> bool:
        """Return whether goods that moved show what a chance node drew: one unit, of its type."""
        drawn, moved = self.sampler.sight.elements.get(site), bag_type(self.live.layout, entry[2])
        return entry[4] is not None and entry[5] == 1 and drawn is not None and drawn.name == moved.name

    def _draws_pieces(self, site: int) -> bool:
        """Return whether a chance node draws from a set of pieces."""
        return self.sampler.sight.elements[site].core.kind == "piece"

    def _pool(self, value: Any) -> tuple[int, int]:
        """Return the zone where an outcome makes a piece known, and the size of its pool; -1, 0 for other outcomes."""
        after = self.live.clone()
        self.sampler.machine.take_outcome(after, value)
        entry: Entry = after.log.since(self.log_read)[0]
        if entry[2] in TOLD:
            return -1, 0
        zone, index = entry[4:6]
        return zone, len(self.live.pools[-1 - self.live.z[zone][index]])

    def _copies(self, item: int) -> int:
        """Return how many pieces like an item the seat does not see: an upper bound of how many can come up."""
        seen, alike = self.sampler.sight.zones, self.sampler.alike
        unseen = (contents for contents, sight in zip(self.live.z, seen, strict=True) if sight != ALL)
        return sum(other >= 0 and alike(other, item) for contents in (*unseen, *self.live.pools) for other in contents)

    def _choose(self, step: Ply, shown: Entry | None) -> bool:
        """Make the recorded choice if the seat knows it, else one drawn from those that it can't tell from that by the
        choice or by what follows at once; return whether there is one."""
        sampler, machine, live = self.sampler, self.sampler.machine, self.live
        own = step.seat == sampler.seat
        if not sampler.compares_text and (own or (step.told and shown == choice_entry(step, step.choice))):
            possible = machine.has_option(live, step.seat, step.choice)
            if possible:
                machine.choose(live, step.seat, step.choice)
            return possible
        candidates, before = [], (self.redactor, self.matched, self.log_read)
        options = machine.options(live, step.seat)
        for option in self._narrowed(options, step, shown) if isinstance(options, LongOptions) else options:
            if (step.told or own) and not sampler.indistinguishable(
                self.redactor.see(choice_entry(step, option)), shown
            ):
                continue
            self.live = live.clone()
            machine.choose(self.live, step.seat, option)
            self.redactor, self.matched, self.log_read = before[0].copy(), *before[1:]
            if self._matches_stream():
                candidates.append((self.live, self.redactor, self.matched, self.log_read))
        if candidates:
            self.live, self.redactor, self.matched, self.log_read = candidates[self.dice.below(len(candidates))]
        return bool(candidates)

    def _narrowed(self, options: LongOptions, step: Ply, shown: Entry | None) -> list[Option]:
        """Return options of a large decision that may be the recorded choice: see `Narrowing`."""
        sampler, departed = self.sampler, list[int]()
        for entry in islice(sampler.stream, self.matched, None):
            if entry[0] not in ("choice", "move", SIGHTED):
                break
            departed += [item for item in (entry[4] if entry[0] == "move" else ()) if item is not None]

        def alike(a: Any, b: Any) -> bool:
            return bool(a == b) or (
                isinstance(a, int) and isinstance(b, int) and min(a, b) >= 0 and sampler.alike(a, b)
            )

        def unseen(piece: Any) -> bool:
            place = place_of(self.live.layout, self.live.where, piece)
            return step.seat != sampler.seat and not self.redactor.sees_piece(place, piece & ITEM_MASK)

        told = shown is not None and shown[0] == "choice" and (step.told or step.seat == sampler.seat)
        narrowing = Narrowing(options, self.dice, alike, unseen, departed)
        return narrowing.drawn(step.choice.item, shown[5] if told and shown is not None else None)


def seen_by(redactor: Redactor, entries: Iterable[Entry]) -> Iterator[Entry | Sighted]:
    """Yield what a seat sees of entries of the log, and the pieces that come into sight with each."""
    for entry in entries:
        shown = redactor.see(entry)
        yield from ((SIGHTED, sighting) for sighting in redactor.sightings)
        if shown is not None:
            yield shown


def choice_entry(step: Ply, choice: Option) -> Entry:
    """Return the log entry of a choice made in a step."""
    return ("choice", step.site, step.seat, step.decision, choice.item, choice.values)
