"""A recorded game as a list of steps.

Enters: a state with its whole log. Leaves: its choices and outcomes of chance, in order.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from rulelang.runtime.state import State
from rulelang.runtime.waiting import Option


class RecordError(ValueError):
    """The log and the state contradict each other."""


NO_CHOICE = Option(0, ())


@dataclass(slots=True)
class Ply:
    """A ply: a choice or a chance outcome of a recorded game.

    Attributes:
        decision: index of the decision, -1 for chance. seat: acting player. choice: the option.
        value: the outcome. site: of the node. told: whether the log has the choice, not just that it was made.
    """

    decision: int
    seat: int = -1
    choice: Option = NO_CHOICE
    value: Any = None
    site: int = -1
    told: bool = True


def recorded_steps(state: State) -> list[Ply]:
    """Return the steps that the log tells of; choices of an incomplete `together` are read from the state.

    Raises:
        RecordError: the state does not have such a choice.
    """
    steps: list[Ply] = []
    committed: dict[tuple[int, int], list[Ply]] = defaultdict(list)
    for entry in state.log:
        if entry[0] == "chance":
            steps.append(Ply(-1, value=entry[3], site=entry[1]))
        elif entry[0] == "commit":
            steps.append(Ply(entry[3], entry[2], site=entry[1]))
            committed[entry[3], entry[2]].append(steps[-1])
        elif entry[0] == "choice":
            _, site, seat, number, item, values, *_ = entry
            if not state.layout.program.decisions[number].together:
                steps.append(Ply(number, seat, Option(item, values), site=site))
            elif committed[number, seat]:
                committed[number, seat].pop(0).choice = Option(item, values)
    for (number, seat), untold in committed.items():
        for step in untold:
            step.choice, step.told = _committed(state, number, seat), False
    return steps


def _committed(state: State, number: int, seat: int) -> Option:
    """Return what a seat chose in the `together` at which the state waits.

    Raises:
        RecordError: the state has no such choice.
    """
    decision = state.layout.program.decisions[number]
    collected = state.frames[-1][2][decision.result_slot] if state.pending_decision() is decision else None
    if isinstance(collected, list):
        value = collected[seat]
        return Option(0, (tuple(value) if isinstance(value, list) else value,))
    raise RecordError("a choice was made and is nowhere")
