"""One game as picks and arrays: what all adapters stand on.

Enters: a `Spec`, a seed; numbers of its space. Leaves: `PickGame`: who picks, what can be picked, what a seat sees,
how the game ended. Picks are no steps of the game: no seat sees those of another before they make an action.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rulelang.diagnostics import IllegalAction
from rulelang.envs.specs import Spec
from rulelang.game import Action, State
from rulelang.record import Record
from rulelang.runtime.event_rows import EventRow, event_rows_of
from rulelang.runtime.picks import Picking

MOST_EVENTS = 256
"""How many rows of events are given, unless another number is asked for."""


class PickGame:
    """A game in progress.

    Attributes:
        spec: what its numbers mean. state: the game as of its last action; not to be changed. action: that action; None
            of a new game and of a copy.
    """

    def __init__(self, spec: Spec, seed: int = 0, backend: str = "auto", state: State | None = None) -> None:
        self.spec = spec
        self.state = (
            spec.ruleset.new_game(spec.players, seed, spec.options, backend) if state is None else state.clone()
        )
        self._pickings: dict[int, Picking] = {}
        self.action: Action | None = None

    def copy(self) -> PickGame:
        """Return an independent copy, with the picks made so far."""
        new = PickGame(self.spec, state=self.state)
        new._pickings = {seat: picking.copy() for seat, picking in self._pickings.items()}
        return new

    def __deepcopy__(self, memo: object) -> PickGame:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the game as spec, state, and the picks made so far; the last action is left out, as of a copy."""
        return _with_picks, (self.spec, self.state, {seat: each.prefix for seat, each in self._pickings.items()})

    @property
    def seats(self) -> list[int]:
        """The seats that are to pick; several where they are asked together."""
        return self.state.current_players()

    @property
    def seat(self) -> int:
        """The lowest of them; -1 at the end and at chance."""
        return next(iter(self.seats), -1)

    def _picking(self, seat: int) -> Picking:
        """Return the picks that a seat has made of the action that it is to choose.

        Raises:
            IllegalAction: it has none to choose.
        """
        if seat not in self._pickings:
            if seat not in self.seats:
                raise IllegalAction(f"seat {seat} has nothing to pick")
            executor, at = self.state.engine
            options = executor.options(at, seat)
            self._pickings[seat] = Picking(self.spec.sequences(self.state, seat, at.pending_question(), options))
        return self._pickings[seat]

    def mask(self, seat: int) -> list[int]:
        """Return the numbers that a seat can pick now, in order; none if it has nothing to choose."""
        return self._picking(seat).mask if seat in self.seats else []

    def prefix(self, seat: int) -> tuple[int, ...]:
        """Return the picks that a seat has made of its next action, with those that followed of themselves."""
        return self._picking(seat).prefix if seat in self.seats else ()

    def step(self, number: int, seat: int | None = None) -> bool:
        """Pick a number for a seat (None: `seat`); return whether that made an action, so that the game went on.

        Raises:
            IllegalAction: it can't be picked. RuleError: a rule went wrong; the game is as it was.
        """
        chooser = self.seat if seat is None else seat
        picking = self._picking(chooser)
        before = picking.copy()
        try:
            chosen = picking.pick(number)
        except ValueError:
            raise IllegalAction(f"seat {chooser} can't pick {number} now") from None
        if chosen < 0:
            return False
        self._pickings[chooser] = before  # should a rule go wrong
        others = [seat for seat in self.seats if seat != chooser]
        action = self.state.legal_actions(chooser)[chosen]
        self.state.apply(action)
        self.action = action
        del self._pickings[chooser]
        if not others or self.seats != others:  # else they are still asked together
            self._pickings = {}
        return True

    def name(self, seat: int, number: int) -> str:
        """Return the name of a number that a seat can pick: of a pick its own, else the id of its action."""
        if self.spec.picks:
            return self.spec.picks[number]
        place = self._picking(seat).copy().pick(number)
        return self.state.legal_actions(seat)[place].id

    def take_outcome(self, number: int) -> None:
        """Let chance, where it is explicit, draw an outcome, by its number in `State.chance_outcomes`."""
        self.state.apply(self.state.chance_outcomes()[number][0])

    @property
    def end(self) -> int:
        """0: it goes on; 1: it is over; 2: it was ended by `limits`."""
        return (2 if self.state.is_truncated() else 1) if self.state.is_terminal() else 0

    def observe(self, seat: int) -> tuple[bytearray, array[int], bytearray]:
        """Return what a seat sees: `spec.counts` bytes, `spec.numbers` int32, and for each pick how often it was made
        of its next action."""
        counts, numbers = bytearray(self.spec.counts), array("i", bytes(4 * self.spec.numbers))
        self.spec.layout_fields.write(self.state.engine[1], seat, self.seats, counts, numbers)
        prefix = bytearray(len(self.spec.picks))
        if prefix:
            for pick in self.prefix(seat):
                prefix[pick] = min(prefix[pick] + 1, 255)
        return counts, numbers, prefix

    def events(self, seat: int, most: int = MOST_EVENTS) -> tuple[list[EventRow], int]:
        """Return the last rows, `most` at most, of what a seat has seen happen, the oldest first; and the number of all
        events that it has seen."""
        count = self.state.event_count(seat)
        entries, maker = self.state.entries(seat, max(count - most, 0)), event_rows_of(self.spec.layout, seat)
        rows = [row for entry in entries for row in maker.of(entry)]
        return rows[max(len(rows) - most, 0) :], count

    def write_events(self, seat: int, to: Any) -> None:
        """Write the last rows of what a seat has seen happen to the end of an array of numpy, (rows, 8), -1 before
        them."""
        rows, _ = self.events(seat, len(to))
        to[:] = -1
        if rows:
            to[-len(rows) :] = rows

    def told(self, seat: int | None = None) -> str:
        """Return the last ten events, as a seat (None: everybody) learnt them, in words."""
        return "\n".join(event["text"] for event in self.state.events(seat)[-10:])

    def returns(self) -> Sequence[float]:
        """Return the payoff of each seat; 0 for all before the end."""
        return self.state.returns()


def _with_picks(spec: Spec, state: State, prefixes: Mapping[int, Sequence[int]]) -> PickGame:
    """Return a game in which seats have made these picks, as `PickGame.prefix` tells them."""
    game = PickGame(spec, state=state)
    for seat, prefix in prefixes.items():
        picking = game._picking(seat)
        while len(picking.prefix) < len(prefix):
            picking.pick(prefix[len(picking.prefix)])
    return game


def picks_of(spec: Spec, state: State, seat: int, option: int) -> list[int]:
    """Return the picks that choose an option of a seat, without those that follow of themselves."""
    executor, at = state.engine
    sequences = spec.sequences(state, seat, at.pending_question(), executor.options(at, seat))
    picking, picks = Picking(sequences), list[int]()
    while picking.chosen < 0:
        picks.append(sequences[option][len(picking.prefix)])
        picking.pick(picks[-1])
    return picks


def recorded(spec: Spec, seed: int, picks: Iterable[int]) -> Record:
    """Return the record of a game: of `new_game` with this seed, after these picks of whoever was asked first. What
    `to_json` of it gives `rulelang replay` plays.

    Raises:
        IllegalAction: one of them can't be picked.
    """
    game = PickGame(spec, seed)
    record = Record.of(game.state, seed)
    for pick in picks:
        seat = game.seat
        if game.step(pick):
            assert game.action is not None
            record.add(seat, game.action.id, game.state)
    return record
