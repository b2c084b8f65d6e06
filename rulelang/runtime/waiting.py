"""Pending nodes and their options, as both executors give them.

Leaves: `Waiting`, `Option`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from rulelang.ir.nodes import Chance


@dataclass(frozen=True, slots=True)
class Waiting:
    """What a state waits for.

    Attributes:
        kind: `decision` or `chance`.
        seats: the seats that still have to choose, in seat order (none for chance).
        decision: index into `Program.decisions`, -1 for chance.
        chance: the chance node, or None.
        site: where it stands.
    """

    kind: str
    seats: tuple[int, ...]
    decision: int
    chance: Chance | None
    site: int


class Option(NamedTuple):
    """One option: the item of the decision and a value for each of its binders (chosen collections as tuples)."""

    item: int
    values: tuple[Any, ...]


def plain(values: Sequence[Any]) -> tuple[Any, ...]:
    """Return values as an `Option` and an entry of the log have them: collections as tuples."""
    return tuple([plain(value) if isinstance(value, list) else value for value in values])
