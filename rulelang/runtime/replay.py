"""Plays a recorded game again with some steps changed, and stops where a seat would notice.

Enters: a game that the seat can't tell from the true one, and steps of it that are to come out otherwise. Leaves:
another such game, or MismatchError.

Of the steps only those are played that are changed, that were played otherwise in the game to start from, or that touch
a place where the state differs from the true one. Whatever else happens is as it was, and so is what the seat sees.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import lcm
from typing import Any

from rulelang.ir.types import INT
from rulelang.runtime.course import Course, Node, node_of, pool_of
from rulelang.runtime.history import Chosen, Player, RecordError, Step
from rulelang.runtime.layout import ITEM_MASK, ZONE_SHIFT, members
from rulelang.runtime.log import EMPTY
from rulelang.runtime.names import option_ids
from rulelang.runtime.rng import seeded, uniform
from rulelang.runtime.sight import Redactor
from rulelang.runtime.state import State
from rulelang.runtime.variation import SAME, Difference, Stretch, Taken, Variation, difference
from rulelang.runtime.witness import Witness, choice_entry, trace_again


class MismatchError(Exception):
    """The seat would have noticed."""


class Dice:
    """Chance for the search, from a seed."""

    def __init__(self, seed: int) -> None:
        self.rng = seeded(seed)

    def below(self, n: int) -> int:
        """A number below n."""
        value, self.rng = uniform(self.rng, n)
        return value

    def shuffled(self, values: Sequence[Any]) -> list[Any]:
        """The values in another order."""
        shuffled = list(values)
        for last in range(len(shuffled) - 1, 0, -1):
            index = self.below(last + 1)
            shuffled[last], shuffled[index] = shuffled[index], shuffled[last]
        return shuffled

    def outcome(self, outcomes: Sequence[tuple[Any, Fraction]]) -> Any:
        """One of the outcomes, by their probabilities."""
        scale = lcm(*(chance.denominator for _, chance in outcomes))
        point = self.below(scale)
        for value, chance in outcomes:
            point -= int(chance * scale)
            if point < 0:
                return value
        return outcomes[-1][0]


class Replay:
    """Varies a course of `length` steps as one seat would not notice."""

    def __init__(self, machine: Player, course: Course, witness: Witness, length: int, dice: Dice) -> None:
        self.machine = machine
        self.layout = machine.layout
        self.course = course
        self.witness = witness
        self.length = length
        self.dice = dice
        self.steps = witness.steps[:length]

    def run(self, base: Variation, changes: dict[int, Any]) -> Variation:
        """A variation of another one.

        Args:
            changes: number of a step -> the outcome or item that is to come up; None for anything.

        Raises:
            MismatchError: the seat would notice. RuleError: a rule went wrong.
        """
        at, _, prefix = base.begin(min(changes))
        stretches = list(prefix)
        played = {base.taken[number].origin for number in changes}
        for stretch in base.stretches[len(prefix) :]:
            played.update(range(stretch.start, max(stretch.end, stretch.start + 1)))
        deviation = stretches[-1].after if stretches else SAME
        while True:
            following = self.next(at, deviation, played)
            self._compare(deviation, at, following)
            if following == self.length:
                break
            stretches.append(_Stretch(self, base, changes, played, deviation, following).run())
            at, deviation = stretches[-1].end, stretches[-1].after
            if stretches[-1].state is not None:
                break
        return self._known(Variation(self.course, self.steps, tuple(stretches)), base, changes)

    def next(self, at: int, deviation: Difference, played: set[int]) -> int:
        """The first step from `at` on that has to be played, or the end."""
        if deviation.rest:
            return at
        touched, places = self.course.touched, deviation.places
        for number in range(at, self.length):
            if number in played or not places.isdisjoint(touched[number]):
                return number
        return self.length

    def _compare(self, deviation: Difference, at: int, following: int) -> None:
        """Compares what the seat sees, and who is asked at the end, from one state to another between which nothing
        touches what differs."""
        if deviation is SAME:
            return
        nodes, state = self.course.nodes, self.course.states[at]
        asked = following == self.length or any(node is not None and node[2] >= 0 for node in nodes[at : following + 1])
        if asked and not self.witness.sees_same(deviation.make(state), at, deviation):
            raise MismatchError
        if following == self.length:
            end = self.course.states[following]
            if node_of(self.machine, deviation.make(end)) != nodes[following]:
                raise MismatchError

    def _known(self, variation: Variation, base: Variation, changes: dict[int, Any]) -> Variation:
        """Finds out what the seat does not know of the new steps."""
        as_before = len(variation.taken) == len(base.taken) and all(
            new.origin == old.origin for new, old in zip(variation.taken, base.taken, strict=True)
        )
        if as_before and all(base.steps[number].open for number in changes):
            # What the seat never learnt it does not learn now: the same steps are open.
            for number, (new, old) in enumerate(zip(variation.taken, base.taken, strict=True)):
                if (new is old) or (new.entries is None and old.entries is None):
                    variation.steps[number] = base.steps[number]
                else:
                    step, known = variation.steps[number], base.steps[number]
                    variation.steps[number] = replace(step, open=known.open, hidden=known.hidden)
            return variation
        variation.steps = [replace(step) for step in variation.steps]
        told = [(step, variation.entries(taken)) for step, taken in zip(variation.steps, variation.taken, strict=True)]
        trace_again(self.course, self.witness.seat, self.course.entries(-1), told)
        return variation


class _Stretch:
    """One stretch of a variation while it is played.

    Attributes:
        origin: the true step that is next; number: the step of the game to start from that is next.
        seen: how much of what the seat saw has come. deviation: where the state differs from the true one, None where
            the game stands between two true steps.
    """

    def __init__(
        self,
        replay: Replay,
        base: Variation,
        changes: dict[int, Any],
        played: set[int],
        deviation: Difference,
        start: int,
    ) -> None:
        witness = replay.witness
        self.replay, self.base, self.changes, self.played = replay, base, changes, played
        self.machine, self.layout, self.course, self.witness = replay.machine, replay.layout, replay.course, witness
        self.start = self.origin = start
        self.number = base.now(start)
        self.live = deviation.make(self.course.states[start])
        self.live.log = EMPTY
        self.truly = witness.redactor(start)
        self.known = deviation.inform(self.truly.copy()) if deviation.known or deviation.piles else self.truly.copy()
        self.told = start
        self.seen = witness.seen[start]
        self.taken: list[Taken] = []
        self.steps: list[Step] = []
        self.deviation: Difference | None = deviation

    def run(self) -> Stretch:
        """Plays until the game goes on as the true one did, or its end."""
        while True:
            node = node_of(self.machine, self.live)
            former = self._former()
            if node is not None and node[0] == "chance":
                if former is None and self._chance_last():
                    break
                self._outcome(node, former if former and former.decision < 0 and former.site == node[3] else None)
            else:
                while former is not None and former.decision < 0:
                    # A result that was uncertain then is certain now.
                    self._pass()
                    former = self._former()
                if former is None:
                    break
                self._decision(node, former)
            ended = self._back()
            if ended is not None:
                return ended
        return self._end()

    def _former(self) -> Step | None:
        return self.base.steps[self.number] if self.number < len(self.base.steps) else None

    def _pass(self) -> None:
        origin = self.base.taken[self.number].origin
        self.number += 1
        if origin >= 0:
            self.origin = origin + 1

    def _back(self) -> Stretch | None:
        """The stretch if the game goes on now as the true one did."""
        self.deviation = None
        if self.number >= len(self.base.taken) or self.base.taken[self.number].origin != self.origin:
            return None
        if self.seen != self.witness.seen[self.origin]:
            return None
        if node_of(self.machine, self.live) != self.course.nodes[self.origin]:
            return None
        deviation = difference(self.live, self.course.states[self.origin], self.known, self._true_account())
        self.deviation = deviation
        if deviation.rest or self.replay.next(self.origin, deviation, self.played) == self.origin:
            return None
        return Stretch(self.start, self.origin, tuple(self.taken), tuple(self.steps), deviation)

    def _true_account(self) -> Redactor:
        """Return what the seat truly knew before the next true step."""
        while self.told < self.origin:
            for entry in self.course.entries(self.told):
                self.truly.see(entry)
            self.told += 1
        return self.truly

    def _end(self) -> Stretch:
        """The seat must have learnt all that it learnt, and those must be asked who are asked."""
        end = self.replay.length
        if self.seen != self.witness.seen[end] or node_of(self.machine, self.live) != self.course.nodes[end]:
            raise MismatchError
        if not self.witness.sees_same(self.live, end, None):
            raise MismatchError
        return Stretch(self.start, end, tuple(self.taken), tuple(self.steps), SAME, self.live)

    def _chance_last(self) -> bool:
        node = self.course.nodes[self.replay.length]
        return node is not None and node[0] == "chance"

    # ---- steps

    def _outcome(self, node: Node, former: Step | None) -> None:
        target = self.changes.get(self.number, former.value) if former is not None else None
        value = self._come_up(target, former)
        self._make(Step(-1, value=value, site=node[3] if node is not None else -1), former is not None)

    def _come_up(self, target: Any, former: Step | None) -> Any:
        """The wanted outcome, or one like it; if it can't come up, any (when the seat would have noticed, it will)."""
        outcomes = self.machine.outcomes(self.live)
        values = [value for value, _ in outcomes]
        if target is not None and target in values:
            return target
        if former is not None and target is not None and self.witness.alike and self._of_pieces(former):
            alike = [value for value in values if self._like(value, target)]
            if alike:
                return alike[0]
        if former is not None and not former.open:
            raise MismatchError
        return self.dice.outcome(outcomes)

    @property
    def dice(self) -> Dice:
        """Chance for the search."""
        return self.replay.dice

    def _of_pieces(self, step: Step) -> bool:
        return bool(step.pool) or self.witness.sight.elements.get(step.site, INT).core.kind == "piece"

    def _like(self, a: int, b: int) -> bool:
        """Whether two pieces differ by number alone."""
        layout = self.layout
        return a >> ZONE_SHIFT == b >> ZONE_SHIFT and all(
            table[a & ITEM_MASK] == table[b & ITEM_MASK]
            for table in (layout.item_kind, layout.item_definition, layout.item_seat)
        )

    def _decision(self, node: Node, former: Step) -> None:
        if node is None or node[2] != former.decision or former.seat not in node[1]:
            raise MismatchError
        origin = self.base.taken[self.number].origin
        if not self.witness.sees_same(self.live, origin, self.deviation if origin == self.origin else None):
            raise MismatchError
        choice = self._choice(former)
        self._make(Step(former.decision, former.seat, choice, site=former.site, told=former.told), True)

    def _choice(self, former: Step) -> Chosen:
        """Return the choice made then; if it is not offered, or may change, a random one that looks the same."""
        witness = self.witness
        if self.number not in self.changes:
            same = self._same_choice(former)
            if same is not None:
                return same
        if former.seat == witness.seat:
            raise MismatchError
        candidates = []
        for option in self.machine.options(self.live, former.seat):
            chosen = Chosen(option.item, option.values)
            if not former.told or witness.same(self.known.see(choice_entry(former, chosen)), former.target):
                candidates.append(chosen)
        if not candidates:
            raise MismatchError
        return candidates[self.dice.below(len(candidates))]

    def _same_choice(self, former: Step) -> Chosen | None:
        """The choice of then if it is offered now: the same values, or where numbers mean nothing the same id."""
        is_offered = self.machine.has_option(self.live, former.seat, former.choice)
        if not self.witness.alike:
            return former.choice if is_offered else None
        taken = self.base.taken[self.number]
        then = taken.before or self.course.states[taken.origin]
        if is_offered and self._as_then(former, then):
            return former.choice
        decision = self.layout.program.decisions[former.decision]
        options = [Chosen(option.item, option.values) for option in self.machine.options(then, former.seat)]
        former_id = option_ids(then, decision, options)[options.index(former.choice)]
        options = [Chosen(option.item, option.values) for option in self.machine.options(self.live, former.seat)]
        ids = option_ids(self.live, decision, options)
        return options[ids.index(former_id)] if former_id in ids else None

    def _as_then(self, step: Step, then: State) -> bool:
        """Whether the individuals that were chosen are where they were, with the same variables."""
        layout, live = self.layout, self.live
        for binder, value in layout.program.decisions[step.decision].bound(step.choice.item, step.choice.values):
            if binder.type.core.kind != "piece" or not layout.identity(binder.type):
                continue
            for piece in members(value):
                if piece is None or piece < 0:
                    continue
                if live.where[piece] != then.where[piece]:
                    return False
                if any(live.v[cell] != then.v[cell] for cell in layout.cells_of(piece)):
                    return False
        return True

    def _make(self, step: Step, counts: bool) -> None:
        """Takes a step, and compares what the seat learns with what it learnt in the true game.

        Args:
            counts: whether it is the next one of the game to start from.
        """
        live, witness = self.live, self.witness
        length = len(live.log)
        before = live.clone()
        if step.decision < 0:
            self.machine.take_outcome(live, step.value)
        else:
            step.target = self.known.see(choice_entry(step, step.choice))
            self.machine.choose(live, step.seat, step.choice)
        entries = live.log.since(length)
        if step.decision < 0:
            try:
                step.pool = pool_of(before, step, entries[0])
            except RecordError:
                raise MismatchError from None
        for entry in entries:
            shown = self.known.see(entry)
            if shown is not None:
                if self.seen >= len(witness.stream) or not witness.same(shown, witness.stream[self.seen]):
                    raise MismatchError
                self.seen += 1
        origin = self.base.taken[self.number].origin if counts else -1
        self.taken.append(Taken(origin, before if self.witness.alike else None, tuple(entries)))
        self.steps.append(step)
        if counts:
            self._pass()
