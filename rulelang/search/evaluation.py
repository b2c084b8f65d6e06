"""Leaf evaluation by a function of the caller, in batches.

Enters: states of the engine at leaves. Leaves: for each the value to each seat, as whole numbers of `ONE`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rulelang.diagnostics import UsageError
from rulelang.execution.executor import Executor
from rulelang.ismcts.library import ONE, Tree
from rulelang.runtime.state import State

Evaluate = Callable[[list[State]], Sequence[Sequence[float]]]
"""A batch of states -> for each a row with the value to each seat, from 0 to 1."""


class Evaluation:
    """A function that evaluates states, and the size of its batches."""

    def __init__(self, executor: Executor, evaluate: Evaluate, batch: int) -> None:
        self.executor, self.evaluate, self.batch = executor, evaluate, batch

    def values(self, leaves: list[State]) -> list[list[int]]:
        """Return the value of each state to each seat, in units of `ONE`.

        Raises:
            UsageError: the function gave something else than numbers from 0 to 1, one for each seat of each state.
        """
        players, rows = self.executor.layout.players, self.evaluate(leaves)
        if len(rows) != len(leaves) or any(len(row) != players for row in rows):
            raise UsageError(f"`evaluate` gives {players} values, one for each seat, for each of {len(leaves)} states")
        if not all(0 <= value <= 1 for row in rows for value in row):
            raise UsageError("values of `evaluate` lie between 0 and 1")
        return [[round(float(value) * ONE) for value in row] for row in rows]

    def run(self, tree: Tree, iterations: int) -> int:
        """Run `iterations` iterations of a native tree; return how many: fewer if no world was found."""
        done = 0
        while done < iterations:
            leaves: list[State] = []
            for _ in range(min(self.batch, iterations - done)):
                leaf = tree.next_leaf()
                if leaf is None:
                    return done
                done += 1
                if leaf[0]:
                    leaves.append(self._state(tree, *leaf))
            if leaves:
                tree.back_up_values([value for row in self.values(leaves) for value in row])
        return done

    def _state(self, tree: Tree, block: bytes, frames: bytes) -> State:
        """Decode a leaf, up to where it waits for a choice."""
        state = self.executor.interpreter.new_state(0, logging=False)
        tree.code.unpack(block, state)
        state.frames = tree.code.forms.read(frames)
        self.executor.interpreter.advance(state)
        return state
