"""Re-deals what a seat does not know: another state that admits all that the seat has seen and done.

Enters: a machine, a state with its whole log, a seat, a seed. Leaves: a state in which the seat's information state
is the same.

What is promised: the state is reached from the start of the game by legal choices of all seats and possible outcomes
of chance, in which every decision was the same question put to the same seats, this seat chose what it chose, and every
event that this seat learnt of, and its view before every decision, are the same. So a rival who failed to follow suit
has none of it, cards taken in the open stay known, and what was never seen may be anything. Any such state may be
drawn; no distribution over them is promised. The generator of the state that is returned is a new one, so that it
does not foretell the future either.

How: the recorded game is varied with other outcomes and hidden choices, Metropolis fashion: proposals start from the
last game that fitted (first the true one), and one that does not fit is dropped at its first mismatch. Proposals
re-deal all unseen pieces at once, then fewer and fewer, then swap two; then hidden choices and hidden numbers are
drawn anew. Their number is bounded; the last game that fitted is returned, which can be the true one. The true game is
played again once (`rulelang.runtime.course`); of a proposal only the steps that touch what differs are played
(`rulelang.runtime.replay`). Of a game that began from a given position, what lay unseen in that is dealt anew before
(`rulelang.runtime.openings`).
"""

from __future__ import annotations

from typing import Any

from rulelang.diagnostics import RuleError
from rulelang.runtime.course import ResampleError, course_of
from rulelang.runtime.history import Player
from rulelang.runtime.openings import redealt
from rulelang.runtime.replay import Dice, MismatchError, Replay
from rulelang.runtime.rng import output, seeded
from rulelang.runtime.state import State
from rulelang.runtime.variation import Variation
from rulelang.runtime.witness import witness_of

__all__ = ["ResampleError", "resample"]

REDEALS = 8
"""Proposals that re-deal everything unseen; the first that fits is enough."""

TRIES = 4
"""Proposals of each smaller size, which is halved from one to the next."""

SWAPS = 24
"""Proposals that exchange two unseen pieces."""

CHOICES = 12
"""Proposals that draw hidden choices and hidden numbers anew, the first two all of them at once."""


def resample(machine: Player, state: State, seat: int, seed: int) -> State:
    """Another state that the seat can't tell from this one.

    Args:
        machine: for the same program, players and options as the state. seed: the same seed gives the same state.

    Raises:
        ResampleError: the log does not lead to this state.
    """
    opening = state.log.first().opening
    dice = Dice(output(seeded(seed))[0])  # consecutive seeds are no independent states of the generator
    truth = state if opening is None else redealt(machine, state, opening, seat, dice)
    return _Search(machine, truth, seat, dice).run()


class _Search:
    def __init__(self, machine: Player, state: State, seat: int, dice: Dice) -> None:
        self.dice = dice
        self.truth = state
        course, length = course_of(machine, state)
        witness = witness_of(course, seat, length)
        self.replay = Replay(machine, course, witness, length, self.dice)
        self.layout = machine.layout
        self.record = Variation(course, witness.steps[:length])

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
        resampled = self.record.state()
        resampled.explicit = self.truth.explicit
        resampled.rng, _ = output(self.dice.rng)
        return resampled

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
        epochs: list[tuple[list[int], list[int]]] = []
        expected: dict[tuple[int, ...], int] = {}
        for number, step in enumerate(self.record.steps):
            if not step.pool:
                continue
            epoch = expected.pop(step.pool, len(epochs))
            if epoch == len(epochs):
                epochs.append(([], []))
            left = list(step.pool)
            left.remove(step.value)
            expected[tuple(left)] = epoch
            epochs[epoch][1][:] = left
            if step.open:
                epochs[epoch][0].append(number)
        return [epoch for epoch in epochs if epoch[0]]

    def _deal(self, epochs: list[tuple[list[int], list[int]]], size: int | None) -> dict[int, Any]:
        """Deals the unseen pieces of each pool anew; with a size, those of so many draws of one pool."""
        if size is not None:
            if not epochs:
                return {}
            chosen, left = epochs[self.dice.below(len(epochs))]
            chosen = sorted(self.dice.shuffled(chosen)[:size])
            epochs = [(chosen, self.dice.shuffled(left)[:size])]
        proposal: dict[int, Any] = {}
        for chosen, left in epochs:
            values = self.dice.shuffled([self.record.steps[number].value for number in chosen] + left)
            proposal.update(zip(chosen, values, strict=False))
        return proposal

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
            self.record = self.replay.run(self.record, changes)
        except (MismatchError, RuleError):
            return False
        return True
