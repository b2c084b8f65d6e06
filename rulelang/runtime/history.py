"""A recorded game as a list of steps, and which of them a seat has not learnt.

Enters: a state with its whole log. Leaves: `recorded_steps`, and with a `Trace` of what it led to, which are open.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, Protocol

from rulelang.runtime.layout import ITEM_MASK, Layout, members
from rulelang.runtime.log import Entry
from rulelang.runtime.sight import Sight, place_of
from rulelang.runtime.state import State


class RecordError(ValueError):
    """The log tells of something that the state knows nothing of."""


class Pending(Protocol):
    """What a state waits for (see the interpreter's `Waiting`)."""

    @property
    def kind(self) -> str: ...

    @property
    def seats(self) -> tuple[int, ...]: ...

    @property
    def decision(self) -> int: ...

    @property
    def site(self) -> int: ...


class Player(Protocol):
    """The machine, as far as it is needed here.

    Attributes:
        courses: the games that were played again last (see `rulelang.runtime.course`).
    """

    layout: Layout
    courses: list[Any]

    def new_state(self, seed: int, explicit: bool) -> State:
        """A game before its setup."""

    def advance(self, state: State) -> None:
        """Goes on to the first node."""

    def waiting(self, state: State) -> Pending | None:
        """What the state waits for."""

    def options(self, state: State, seat: int) -> Sequence[Any]:
        """The options of a pending seat, each with `item` and `values`."""

    def has_option(self, state: State, seat: int, chosen: Any) -> bool:
        """Whether this is an option of the seat."""

    def choose(self, state: State, seat: int, chosen: Any) -> None:
        """Makes a choice."""

    def outcomes(self, state: State) -> list[tuple[Any, Fraction]]:
        """The outcomes of the pending chance node."""

    def take_outcome(self, state: State, value: Any) -> None:
        """Makes an outcome come true."""


class Chosen(NamedTuple):
    """An option, as the machine's own."""

    item: int
    values: tuple[Any, ...]


NO_CHOICE = Chosen(0, ())


@dataclass(slots=True)
class Step:
    """One edge of a recorded game.

    Attributes:
        decision: index of the decision, -1 for chance. seat: who chose. choice: the option.
        value: the outcome. site: of the node. pool: the items it was drawn from, pieces only.
        target: what the seat saw of the choice (None: nothing); told: whether the log tells of it yet.
        open: whether it may differ without the seat noticing.
        hidden: whether the seat learnt of it only later, or never.
    """

    decision: int
    seat: int = -1
    choice: Chosen = NO_CHOICE
    value: Any = None
    site: int = -1
    pool: tuple[int, ...] = ()
    target: Entry | None = None
    told: bool = True
    open: bool = False
    hidden: bool = False


# ---- from the log --------------------------------------------------------------------------------------


def recorded_steps(state: State, since: int = 0) -> list[Step]:
    """The steps that the log tells of; what a `together` still hides is read from the state.

    Args:
        since: leaves out the entries before this number; there no `together` may be half collected.
    """
    steps: list[Step] = []
    committed: dict[tuple[int, int], list[Step]] = defaultdict(list)
    for entry in state.log.since(since):
        if entry[0] == "chance":
            steps.append(Step(-1, value=entry[3], site=entry[1]))
        elif entry[0] == "commit":
            steps.append(Step(entry[3], entry[2], site=entry[1]))
            committed[entry[3], entry[2]].append(steps[-1])
        elif entry[0] == "choice":
            _, site, seat, number, item, values, *_ = entry
            if not state.layout.program.decisions[number].together:
                steps.append(Step(number, seat, Chosen(item, values), site=site))
            elif committed[number, seat]:
                committed[number, seat].pop(0).choice = Chosen(item, values)
    for (number, seat), left in committed.items():
        for step in left:
            step.choice, step.told = _committed(state, number, seat), False
    return steps


def _committed(state: State, number: int, seat: int) -> Chosen:
    """Return what a seat chose in the `together` at which the state waits."""
    decision = state.layout.program.decisions[number]
    collected = state.frames[-1][2][decision.result_slot] if state.pending_decision() is decision else None
    if isinstance(collected, list):
        value = collected[seat]
        return Chosen(0, (tuple(value) if isinstance(value, list) else value,))
    raise RecordError("a choice was made and is nowhere")


# ---- what a seat has not learnt --------------------------------------------------------------------------


class Trace:
    """Follows each piece that came up unseen until the seat sees it, and sets `open` and `hidden` of the steps.

    Which of several like pieces it was that a seat saw is a guess, so this guides the search and proves nothing.

    Attributes:
        held: (zone instance, item) -> the steps whose pieces lie there, and the zone that each came up in.
        loose: (zone instance, item) -> how many more of them lie there that no unseen step brought.
        last: the last choice with its pieces: (zone instance, item).
    """

    def __init__(self, sight: Sight) -> None:
        self.sight = sight
        self.layout = sight.layout
        self.held: dict[tuple[int, int], list[tuple[Step, int]]] = defaultdict(list)
        self.loose = Counter((zone, item) for zone, contents in enumerate(self.layout.start_z) for item in contents)
        self.last: tuple[Step, set[tuple[int, int]]] | None = None

    def begin(self, step: Step) -> None:
        """The next step; what it led to is told with `add`."""
        rival = step.decision >= 0 and step.seat != self.sight.seat
        is_told = step.told and step.target is not None and step.target[5] == step.choice.values
        step.open = step.hidden = rival and not is_told

    def add(self, entry: Entry, shown: Entry | None, step: Step | None, where: list[int]) -> None:
        """An entry of the log.

        Args:
            shown: what the seat saw of it. step: what it came of; None for the game's beginning.
            where: where individuals are, as the log tells it.
        """
        match entry[0]:
            case "chance" if step is not None:
                self._chance(entry, step, shown is None)
            case "choice" if step is not None:
                self._choice(entry, step, where)
            case "move":
                self._move(entry, shown)
            case "shuffle":
                self._shuffle(entry[2])
            case "reveal" if shown is not None and shown[3] is not None:
                self._reveal(entry, where)

    def _chance(self, entry: Entry, step: Step, unseen: bool) -> None:
        step.open = step.hidden = unseen
        if len(entry) > 4:
            _, _, _, item, zone, _ = entry
            if unseen:
                self.held[zone, item].append((step, zone))
            else:
                self.loose[zone, item] += 1

    def _choice(self, entry: Entry, step: Step, where: list[int]) -> None:
        _, _, _, number, item, values, *_ = entry
        decision = self.layout.program.decisions[number]
        if not decision.together:
            pieces = {
                (place_of(self.layout, where, piece), piece & ITEM_MASK)
                for binder, value in decision.bound(item, values)
                if binder.type.core.kind == "piece"
                for piece in members(value)
                if isinstance(piece, int) and piece >= 0
            }
            self.last = step, pieces

    def _move(self, entry: Entry, shown: Entry | None) -> None:
        _, _, origin, destination, items, _ = entry
        known = shown[4] if shown is not None else (None,) * len(items)
        for item, seen in zip(items, known, strict=True):
            if item < 0:
                continue
            step, home = self._take(origin, item, seen is not None)
            if seen is None:
                if step is not None:
                    self.held[destination, item].append((step, home))
                    continue
            else:
                if step is not None:
                    step.open = False
                    # What is seen as soon as it leaves the place where it came up was never hidden.
                    step.hidden = home != origin
                if self.last is not None and (origin, item) in self.last[1]:
                    self.last[0].open = False
            self.loose[destination, item] += 1

    def _take(self, zone: int, item: int, seen: bool) -> tuple[Step | None, int]:
        """The step that brought what leaves: the latest if it came up here, else, if seen, rather what was known."""
        steps = self.held.get((zone, item))
        if steps and (steps[-1][1] == zone or not seen or not self.loose[zone, item]):
            return steps.pop()
        self.loose[zone, item] -= 1
        return None, -1

    def _shuffle(self, zone: int) -> None:
        for accounts in (self.held, self.loose):
            for key in [key for key in accounts if key[0] == zone]:
                del accounts[key]

    def _reveal(self, entry: Entry, where: list[int]) -> None:
        _, _, type_, value, _ = entry
        if type_.core.kind != "piece":
            return
        for piece in value if isinstance(value, list | tuple) else (value,):
            if piece >= 0:
                zone, item = place_of(self.layout, where, piece), piece & ITEM_MASK
                step, _ = self._take(zone, item, True)
                self.loose[zone, item] += 1
                if step is not None:
                    step.open = False
