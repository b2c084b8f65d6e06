"""What others ask of the executor that defines what rules mean.

Leaves: `Definition`, which the interpreter is; who has won and native code know no more of it, and are given one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from rulelang.ir.program import Program
from rulelang.runtime.layout import Layout
from rulelang.runtime.state import State
from rulelang.runtime.waiting import Option, Waiting


class Definition(Protocol):
    """Runs states of one layout from node to node; they are changed in place.

    Attributes:
        capped: the last game that was ended by the limit of decisions.
    """

    program: Program
    layout: Layout
    capped: State | None

    def new_state(self, seed: int = 0, explicit: bool = False, logging: bool = True) -> State:
        """Return a game before its setup."""

    def advance(self, state: State) -> None:
        """Go on to the next decision, explicit chance node or the end."""

    def waiting(self, state: State) -> Waiting | None:
        """Return what the state waits for; None when the game is over."""

    def choose(self, state: State, seat: int, chosen: Option) -> None:
        """Make a choice and go on to the next node."""

    def take_outcome(self, state: State, value: Any) -> None:
        """Make an outcome of explicit chance come true and go on to the next node."""

    def scores(self, state: State) -> list[int]:
        """Return the total score of each party."""

    def evaluate(self, state: State, procedure: int, arguments: Sequence[int]) -> Any:
        """Return the value of a procedure that does not wait."""
