"""The interface of the interpreter to scoring and native code.

Leaves: `Definition`, the protocol of the executor that defines what rules mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Protocol

from rulelang.ir.program import Program
from rulelang.runtime.layout import Layout
from rulelang.runtime.state import Frame, State
from rulelang.runtime.waiting import Option, Waiting


class Definition(Protocol):
    """Runs states of one layout from node to node, changing them in place; the interpreter implements it.

    Attributes:
        capped: the last game that `limits.decisions` ended.
    """

    program: Program
    layout: Layout
    capped: State | None

    def new_state(self, seed: int = 0, explicit: bool = False, logging: bool = True) -> State:
        """Return a game before its setup.

        Args:
            seed: of chance. explicit: whether chance nodes wait for outcomes. logging: whether events are logged.
        """

    def advance(self, state: State) -> None:
        """Run to the next decision, explicit chance node or the end."""

    def waiting(self, state: State) -> Waiting | None:
        """Return the node at which the state waits; None when the game is over."""

    def frames_before_answers(self, state: State) -> Sequence[Frame] | None:
        """Return the frames with which the state reached its decision; None where several seats are asked at once and
        some of them have answered."""

    def options(self, state: State, seat: int) -> Sequence[Option]:
        """Return the options of a pending seat."""

    def has_option(self, state: State, seat: int, chosen: Option) -> bool:
        """Return whether an option is legal for the seat."""

    def choose(self, state: State, seat: int, chosen: Option) -> None:
        """Apply a seat's choice and run to the next node."""

    def outcomes(self, state: State, single: bool = False) -> list[tuple[Any, Fraction]]:
        """Return the outcomes of the pending chance node with their probabilities; `single`: of several things that are
        drawn at once the first alone."""

    def take_outcome(self, state: State, value: Any) -> None:
        """Apply an outcome of explicit chance and run to the next node."""

    def scores(self, state: State) -> list[int]:
        """Return the total score of each party."""

    def evaluate(self, state: State, procedure: int, arguments: Sequence[int]) -> Any:
        """Return the value of a procedure that does not wait, called with these arguments.

        Args:
            procedure: its index in the program.
        """
