"""Which parts of a condition a refusal shows when the condition fails.

Enters: a condition, of the intermediate representation or of the checked tree: both name operations alike. Leaves: the
parts, in one order, so that what a guard says of them (`Guard.operands`) finds them again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, TypeVar

from rulelang.vocabulary.operations import LOGIC, MIRRORED, having

MEMBERSHIPS = having("membership")


class EitherNode(Protocol):
    """What both trees have in common."""

    @property
    def op(self) -> str:
        """The operation."""

    @property
    def args(self) -> tuple[object, ...]:
        """Its arguments, nodes and others."""


N = TypeVar("N", bound=EitherNode)


def shown_parts(condition: N) -> Iterator[N]:
    """Yield the parts of a condition whose values tell why it fails: both sides of comparisons, what should be in a
    collection, whether something is absent. What a condition reads of the elements of a collection is none."""
    parts = [arg for arg in condition.args if isinstance(arg, type(condition))]
    if condition.op in LOGIC:
        for part in parts:
            yield from shown_parts(part)
    elif condition.op in MIRRORED:
        yield from parts
    elif condition.op in MEMBERSHIPS:
        yield parts[0]
    elif condition.op == "is_none":
        yield condition
