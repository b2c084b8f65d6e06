"""Re-deals what a seat does not know: another state that admits all that the seat has seen and done.

Enters: a machine, a state with its whole log, a seat, a seed. Leaves: a state in which the seat's information state
is the same.

What is promised: the state is reached from the start of the game by legal choices of all seats and possible outcomes
of chance, in which every decision was the same question put to the same seats, this seat chose what it chose, and every
event that this seat learnt of, and its view before every decision, are the same. So a rival who failed to follow suit
has none of it, cards taken in the open stay known, and what was never seen may be anything. Any such state may be
drawn; no distribution over them is promised. The generator of the state that is returned is a new one, so that it
does not foretell the future either.

How: the recorded game is played again with other outcomes and hidden choices, Metropolis fashion: proposals start
from the last game that fitted (first the true one), and one that does not fit is dropped at its first mismatch.
Proposals re-deal all unseen pieces at once, then fewer and fewer, then swap two; then hidden choices and hidden
numbers are drawn anew. Their number is bounded; the last game that fitted is returned, which can be the true one.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Any

from rulelang.diagnostics import RuleError
from rulelang.runtime.canonical import canonical_form
from rulelang.runtime.history import Chosen, Mark, Player, Record, RecordError, Step, find_open, recorded_steps
from rulelang.runtime.layout import ITEM_MASK, ZONE_SHIFT, core
from rulelang.runtime.log import Entry
from rulelang.runtime.names import option_ids
from rulelang.runtime.rng import output, seeded, uniform
from rulelang.runtime.sight import Redactor, Sight, sight_of, view_key
from rulelang.runtime.state import State
from rulelang.runtime.views import observation, plain_event

REDEALS = 8
"""Proposals that re-deal everything unseen; the first that fits is enough."""

TRIES = 4
"""Proposals of each smaller size, which is halved from one to the next."""

SWAPS = 24
"""Proposals that exchange two unseen pieces."""

CHOICES = 12
"""Proposals that draw hidden choices and hidden numbers anew, the first two all of them at once."""


class ResampleError(RuleError):
    """Not even the recorded game can be played again: the log is not whole, or the state was changed by other means."""


class _Mismatch(Exception):  # noqa: N818 - a signal, not an error
    """The seat would have noticed."""


class _Dice:
    def __init__(self, seed: int) -> None:
        self.rng = seeded(seed)

    def below(self, n: int) -> int:
        value, self.rng = uniform(self.rng, n)
        return value

    def shuffled(self, values: Sequence[Any]) -> list[Any]:
        found = list(values)
        for last in range(len(found) - 1, 0, -1):
            other = self.below(last + 1)
            found[last], found[other] = found[other], found[last]
        return found

    def outcome(self, outcomes: Sequence[tuple[Any, Fraction]]) -> Any:
        scale = lcm(*(chance.denominator for _, chance in outcomes))
        point = self.below(scale)
        for value, chance in outcomes:
            point -= int(chance * scale)
            if point < 0:
                return value
        return outcomes[-1][0]


def resample(machine: Player, state: State, seat: int, seed: int) -> State:
    """Another state that the seat can't tell from this one.

    Args:
        machine: for the same program, players and options as the state. seed: the same seed gives the same state.

    Raises:
        ResampleError: the log does not lead to this state.
    """
    return _Search(machine, state, seat, seed).run()


class _Search:
    def __init__(self, machine: Player, state: State, seat: int, seed: int) -> None:
        self.machine = machine
        self.layout = machine.layout
        self.truth = state
        self.seat = seat
        self.dice = _Dice(seed)
        self.sight: Sight = sight_of(machine.layout, seat)
        # Individuals that differ by number alone are told apart by nothing that a seat sees: then views are compared.
        self.alike = any(machine.layout.alike)
        redactor = Redactor(self.sight)
        self.stream = [self._told(seen) for entry in state.log if (seen := redactor.see(entry)) is not None]
        # What the seat sees before each decision of the true game, and at its end.
        self.keys: list[Any] = []
        self.record = self._replay_truth()

    def run(self) -> State:
        """Searches, and gives the last game that fitted."""
        for number in range(REDEALS):
            deals = self._epochs()
            # Every other time hidden choices too are free, since a choice may fit only one of the deals.
            more = dict.fromkeys(self._hidden_choices()) if number % 2 else {}
            if not deals or self._try(self._deal(deals, None) | more):
                break
        else:
            self._smaller()
        self._choices()
        found = self.record.state.clone()
        found.explicit = self.truth.explicit
        found.rng, _ = output(self.dice.rng)
        return found

    def _smaller(self) -> None:
        """When everything at once does not fit: part of the unseen pieces, at last two."""
        size = max(sum(len(steps) for steps, _ in self._epochs()) // 2, 1)
        while size > 1:
            for _ in range(TRIES):
                self._try(self._deal(self._epochs(), size))
            size //= 2
        for number in range(SWAPS):
            self._try(self._swap() if number % 2 else self._deal(self._epochs(), 1))

    def _choices(self) -> None:
        """Draws hidden choices and hidden numbers anew, all at once and one by one."""
        for number in range(CHOICES):
            free = self._hidden_choices()
            if not free or number >= 2 + 2 * len(free):
                return
            self._try(dict.fromkeys(free if number < 2 else [free[self.dice.below(len(free))]]))

    def _hidden_choices(self) -> list[int]:
        return [number for number, step in enumerate(self.record.steps) if step.open and not step.pool]

    # ---- proposals: step -> the item that is to come up, or None for anything else

    def _epochs(self) -> list[tuple[list[int], list[int]]]:
        """For each pool as long as it lasted: the steps that drew from it unseen, and the items that stayed in it."""
        found: list[tuple[list[int], list[int]]] = []
        expected: dict[tuple[int, ...], int] = {}
        for number, step in enumerate(self.record.steps):
            if not step.pool:
                continue
            epoch = expected.pop(step.pool, len(found))
            if epoch == len(found):
                found.append(([], []))
            left = list(step.pool)
            left.remove(step.value)
            expected[tuple(left)] = epoch
            found[epoch][1][:] = left
            if step.open:
                found[epoch][0].append(number)
        return [epoch for epoch in found if epoch[0]]

    def _deal(self, epochs: list[tuple[list[int], list[int]]], size: int | None) -> dict[int, Any]:
        """Deals the unseen pieces of each pool anew; with a size, those of so many draws of one pool."""
        if size is not None:
            if not epochs:
                return {}
            chosen, left = epochs[self.dice.below(len(epochs))]
            chosen = sorted(self.dice.shuffled(chosen)[:size])
            epochs = [(chosen, self.dice.shuffled(left)[:size])]
        found: dict[int, Any] = {}
        for chosen, left in epochs:
            values = self.dice.shuffled([self.record.steps[number].value for number in chosen] + left)
            found.update(zip(chosen, values, strict=False))
        return found

    def _swap(self) -> dict[int, Any]:
        """Exchanges what two draws gave, whatever pools they drew from."""
        steps = self.record.steps
        # Draws that the seat was told of later may still have come in another order.
        free = [number for number, step in enumerate(steps) if step.pool and (step.open or step.hidden)]
        if not free:
            return {}
        first = free[self.dice.below(len(free))]
        kind = self.layout.item_kind[steps[first].value]
        others = [
            number
            for number in free
            if self.layout.item_kind[steps[number].value] == kind and steps[number].value != steps[first].value
        ]
        if not others:
            return {}
        second = others[self.dice.below(len(others))]
        return {first: steps[second].value, second: steps[first].value}

    def _try(self, proposal: dict[int, Any]) -> bool:
        """Plays the last game again with these changes; keeps the new one if the seat would notice nothing."""
        steps = self.record.steps
        changes = {n: value for n, value in proposal.items() if value is None or value != steps[n].value}
        if not changes:
            return bool(proposal)
        try:
            self.record = self._replay(changes)
        except (_Mismatch, RuleError):
            return False
        find_open(self.record, self.sight)
        return True

    # ---- playing again

    def _replay_truth(self) -> Record:
        record = Record()
        try:
            steps = recorded_steps(self.truth)
            state = self.machine.new_state(0, True)
            self._begin(record, state)
            for step in steps:
                if not self._possible(state, step):
                    raise _Mismatch
                if step.decision >= 0:
                    self.keys.append(self._view(state))
                self._make(record, state, step)
            self.keys.append(self._view(state))
        except (_Mismatch, RecordError, RuleError):
            raise ResampleError("the log of this state does not lead to it") from None
        if canonical_form(state) != canonical_form(self.truth):
            raise ResampleError("the log of this state does not lead to it")
        find_open(record, self.sight)
        return record

    def _possible(self, state: State, step: Step) -> bool:
        """Whether the state waits for this step."""
        waiting = self.machine.waiting(state)
        if waiting is None or (waiting.kind == "chance") != (step.decision < 0):
            return False
        if step.decision < 0:
            return any(value == step.value for value, _ in self.machine.outcomes(state))
        asked = waiting.decision == step.decision and step.seat in waiting.seats
        return asked and self.machine.has_option(state, step.seat, step.choice)

    def _begin(self, record: Record, state: State) -> None:
        redactor = Redactor(self.sight)
        self.machine.advance(state)
        record.marks.append(Mark(state.clone(), redactor, self._watch(redactor, state, 0, 0), 0))

    def _watch(self, redactor: Redactor, state: State, since: int, seen: int) -> int:
        """Compares what the seat learns from the newest entries with what it learnt in the true game."""
        for entry in state.log.since(since):
            shown = redactor.see(entry)
            if shown is not None:
                if seen >= len(self.stream) or self.stream[seen] != self._told(shown):
                    raise _Mismatch
                seen += 1
        return seen

    def _make(self, record: Record, state: State, step: Step) -> None:
        """Takes one step and puts it on record."""
        mark = record.marks[-1]
        length = len(state.log)
        redactor = mark.redactor.copy()
        if step.decision < 0:
            pools = [tuple(items) for items in state.pools]
            self.machine.take_outcome(state, step.value)
            entry = state.log.since(length)[0]
            if len(entry) > 4:
                _, _, _, item, zone, index = entry
                member = mark.state.z[zone][index]
                if item != step.value or member >= 0:
                    raise _Mismatch
                step.pool = pools[-member - 1]
        else:
            entry = ("choice", step.site, step.seat, step.decision, step.choice.item, step.choice.values)
            step.target = redactor.see(entry)
            self.machine.choose(state, step.seat, step.choice)
        seen = self._watch(redactor, state, length, mark.seen)
        record.steps.append(step)
        record.marks.append(Mark(state.clone(), redactor, seen, mark.asked + (step.decision >= 0)))

    def _replay(self, changes: dict[int, Any]) -> Record:
        old = self.record
        start, last = min(changes), max(changes)
        differs = False
        record = Record(old.steps[:start], old.marks[: start + 1])
        state = record.state.clone()
        pending = list(enumerate(old.steps))[start:]
        pending.reverse()
        while True:
            waiting = self.machine.waiting(state)
            number, former = pending[-1] if pending else (-1, None)
            if waiting is not None and waiting.kind == "chance":
                if former is None and self._at_chance():
                    break
                if former is not None and former.decision < 0 and former.site == waiting.site:
                    pending.pop()
                else:
                    number, former = -1, None
                value = self._outcome(state, changes.get(number, former and former.value), former)
                self._make(record, state, Step(-1, value=value, site=waiting.site))
                differs = differs or former is None or value != former.value
                continue
            if number > last and not differs:
                return old
            while former is not None and former.decision < 0:
                # A result that was uncertain then is certain now.
                pending.pop()
                number, former = pending[-1] if pending else (-1, None)
            asked = record.marks[-1].asked
            if self.keys[asked] != self._view(state):
                raise _Mismatch
            if former is None:
                break
            if waiting is None or waiting.decision != former.decision or former.seat not in waiting.seats:
                raise _Mismatch
            pending.pop()
            choice = self._choice(state, record.marks[-1], former, old.marks[number].state, number in changes)
            self._make(record, state, Step(former.decision, former.seat, choice, site=former.site, told=former.told))
            differs = differs or choice != former.choice
        self._compare_end(state, record.marks[-1].seen)
        return record

    def _at_chance(self) -> bool:
        waiting = self.machine.waiting(self.truth)
        return waiting is not None and waiting.kind == "chance"

    def _outcome(self, state: State, wanted: Any, former: Step | None) -> Any:
        """The wanted outcome, or one like it; if it can't come up, any (when the seat would have noticed, it will)."""
        outcomes = self.machine.outcomes(state)
        values = [value for value, _ in outcomes]
        if wanted is not None and wanted in values:
            return wanted
        if former is not None and wanted is not None and self.alike and self._of_pieces(former):
            alike = [value for value in values if self._like(value, wanted)]
            if alike:
                return alike[0]
        if former is not None and not former.open:
            raise _Mismatch
        return self.dice.outcome(outcomes)

    def _of_pieces(self, step: Step) -> bool:
        return bool(step.pool) or core(self.sight.elements.get(step.site, "")).startswith("piece:")

    def _like(self, a: int, b: int) -> bool:
        """Whether two pieces differ by number alone."""
        layout = self.layout
        return a >> ZONE_SHIFT == b >> ZONE_SHIFT and all(
            table[a & ITEM_MASK] == table[b & ITEM_MASK]
            for table in (layout.item_kind, layout.item_definition, layout.item_seat)
        )

    def _choice(self, state: State, before: Mark, former: Step, then: State, changed: bool) -> Chosen:
        """What the seat chose then; if it can't be chosen now, or may change, any that looks the same from here."""
        seat = former.seat
        if not changed:
            same = self._same_choice(state, former, then)
            if same is not None:
                return same
        if seat == self.seat:
            raise _Mismatch
        target = self._told(former.target)
        found = []
        for option in self.machine.options(state, seat):
            chosen = Chosen(option.item, option.values)
            entry = ("choice", former.site, seat, former.decision, chosen.item, chosen.values)
            if not former.told or self._told(before.redactor.see(entry)) == target:
                found.append(chosen)
        if not found:
            raise _Mismatch
        return found[self.dice.below(len(found))]

    def _same_choice(self, state: State, former: Step, then: State) -> Chosen | None:
        """The choice of then if it is offered now: the same values, or where numbers mean nothing the same id."""
        if not self.alike:
            return former.choice if self.machine.has_option(state, former.seat, former.choice) else None
        decision = self.layout.program.decisions[former.decision]
        options = [Chosen(option.item, option.values) for option in self.machine.options(then, former.seat)]
        wanted = option_ids(then, decision, options)[options.index(former.choice)]
        options = [Chosen(option.item, option.values) for option in self.machine.options(state, former.seat)]
        ids = option_ids(state, decision, options)
        return options[ids.index(wanted)] if wanted in ids else None

    # ---- what the seat sees

    def _told(self, entry: Entry | None) -> Any:
        """An entry that the seat saw, in a form that is equal when the seat can't tell it from another."""
        return plain_event(self.layout, entry, 0) if self.alike and entry is not None else entry

    def _view(self, state: State) -> Any:
        return observation(state, self.seat) if self.alike else view_key(state, self.sight)

    def _compare_end(self, state: State, seen: int) -> None:
        """The seat must have learnt all that it learnt, and those must be asked who are asked."""
        here, there = self.machine.waiting(state), self.machine.waiting(self.truth)
        if seen != len(self.stream) or (here is None) != (there is None):
            raise _Mismatch
        if here is None or there is None:
            return
        if (here.kind, here.seats, here.decision, here.site) != (there.kind, there.seats, there.decision, there.site):
            raise _Mismatch
        if self._view(state) != self.keys[-1]:
            raise _Mismatch
