"""Pending nodes and their options, as both executors give them.

Leaves: `Waiting`, `Option`, `LongOptions`.
"""

from __future__ import annotations

from abc import abstractmethod
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


@dataclass(frozen=True, slots=True)
class Family:
    """The values that occur among the options of one menu item.

    Attributes:
        item: its number. binders: for each binder the classes of its values, or of the elements of its collections:
            members of a class stand for each other, and a collection has the first ones of a class.
    """

    item: int
    binders: tuple[list[list[Any]], ...]


class LongOptions(Sequence[Option]):
    """The options of a large decision: each is made when it is looked at, and its index found by its values."""

    @property
    @abstractmethod
    def families(self) -> list[Family] | None:
        """What occurs in the options, item by item; None where that isn't known."""

    @property
    @abstractmethod
    def starts(self) -> list[int]:
        """The index of the first option of each item that has any."""

    @property
    @abstractmethod
    def selections(self) -> tuple[int, int] | None:
        """The smallest and largest size, where the options are all sub-multisets of these sizes of one family, by size;
        else None."""

    @abstractmethod
    def rank(self, item: int, values: Sequence[Any]) -> int:
        """Return the index of the option of an item with these values, collections as lists; -1 if it is none."""


def plain(values: Sequence[Any]) -> tuple[Any, ...]:
    """Return values as an `Option` and an entry of the log have them: collections as tuples."""
    return tuple([plain(value) if isinstance(value, list) else value for value in values])
