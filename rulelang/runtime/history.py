"""A recorded game as a list of steps.

Enters: a state with its whole log. Leaves: its choices and outcomes of chance, in order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, Protocol

from rulelang.runtime.layout import Layout
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
    """The machine, as far as it is needed to play a recorded game again."""

    layout: Layout

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


class RecordedChoice(NamedTuple):
    """An option, as the machine's own."""

    item: int
    values: tuple[Any, ...]


NO_CHOICE = RecordedChoice(0, ())


@dataclass(slots=True)
class Step:
    """One edge of a recorded game.

    Attributes:
        decision: index of the decision, -1 for chance. seat: who chose. choice: the option.
        value: the outcome. site: of the node. told: whether the log tells of the choice yet.
    """

    decision: int
    seat: int = -1
    choice: RecordedChoice = NO_CHOICE
    value: Any = None
    site: int = -1
    told: bool = True


def recorded_steps(state: State) -> list[Step]:
    """The steps that the log tells of; what a `together` still hides is read from the state."""
    steps: list[Step] = []
    committed: dict[tuple[int, int], list[Step]] = defaultdict(list)
    for entry in state.log:
        if entry[0] == "chance":
            steps.append(Step(-1, value=entry[3], site=entry[1]))
        elif entry[0] == "commit":
            steps.append(Step(entry[3], entry[2], site=entry[1]))
            committed[entry[3], entry[2]].append(steps[-1])
        elif entry[0] == "choice":
            _, site, seat, number, item, values, *_ = entry
            if not state.layout.program.decisions[number].together:
                steps.append(Step(number, seat, RecordedChoice(item, values), site=site))
            elif committed[number, seat]:
                committed[number, seat].pop(0).choice = RecordedChoice(item, values)
    for (number, seat), left in committed.items():
        for step in left:
            step.choice, step.told = _committed(state, number, seat), False
    return steps


def _committed(state: State, number: int, seat: int) -> RecordedChoice:
    """Return what a seat chose in the `together` at which the state waits."""
    decision = state.layout.program.decisions[number]
    collected = state.frames[-1][2][decision.result_slot] if state.pending_decision() is decision else None
    if isinstance(collected, list):
        value = collected[seat]
        return RecordedChoice(0, (tuple(value) if isinstance(value, list) else value,))
    raise RecordError("a choice was made and is nowhere")
