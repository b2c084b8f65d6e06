"""Refusals: options that a seat might try but may not take, with what executors know of the reason.

Enters: values that an executor found. Leaves: `Refusal`s, which `rulelang.words` puts into sentences.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rulelang.ir.nodes import Binder, Guard
from rulelang.runtime.payments import Lack
from rulelang.vocabulary.types import Type


@dataclass(frozen=True, slots=True)
class FailedPart:
    """A part of a guard when it failed.

    Attributes:
        text: the author's words for it. says: what `value` is of it (see `rulelang.ir.nodes.Operand`).
    """

    text: str
    says: str
    type: Type
    value: Any


@dataclass(frozen=True, slots=True)
class FailedCall:
    """A function whose value is not as `expected`, with its parameters: name, type and value of each."""

    name: str
    expected: bool
    arguments: tuple[tuple[str, Type, Any], ...]


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison.

    Attributes:
        sort: `variable` (`number` and `place` say which), `name` (an attribute, a function: by its name), `mark` (of a
            piece), `size` (of zone instance `number`), `goods` (resource `number` of the resource type `name`), or
            `value`, which has no name.
    """

    sort: str
    name: str
    type: Type
    value: Any
    number: int = -1
    place: int = 0


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a condition fails.

    Attributes:
        calls: the functions that it was found in, the outermost first.
        op: how the sides should compare: `lt`, `le`, `gt`, `ge`, `eq`, `ne`; `is`: `left` is a truth that should be
            otherwise; empty: nothing more is known.
        resource, lacks: what is missing from a bag.
    """

    calls: tuple[FailedCall, ...] = ()
    op: str = ""
    left: Side | None = None
    right: Side | None = None
    resource: str = ""
    lacks: tuple[Lack, ...] = ()


@dataclass(frozen=True, slots=True)
class Refusal:
    """Something that might be tried but may not.

    Attributes:
        item: its number in the decision.
        values: of the binders before what fails; of a guard, of those that it reads.
        guard: the guard that fails, or None where there is nothing to choose from for `binder`.
        facts: what is known of the guard; where there is no number to choose, the bounds.
        resource, lacks: what is missing to pay, as `payments.lacking` tells it.
        causes: why the guard fails, any one of which would do away with the refusal if it went. source: where there is
            nothing to choose from: the zone instance, or the function that gives nothing.
    """

    item: int
    values: tuple[Any, ...]
    guard: Guard | None
    binder: Binder | None
    facts: tuple[FailedPart, ...] = ()
    resource: str = ""
    lacks: tuple[Lack, ...] = ()
    causes: tuple[Cause, ...] = ()
    source: int | str = -1

    @property
    def inactive(self) -> bool:
        """Whether it belongs to a piece that the seat has not in force."""
        return self.guard.kind == "active" if self.guard is not None else self.binder_name in ("this", "react")

    @property
    def binder_name(self) -> str:
        """Return the name of the binder that has no values."""
        return self.binder.name if self.binder is not None else ""

    @property
    def reason(self) -> str:
        """The author's words for what fails."""
        if self.guard is not None:
            return self.guard.reason
        return self.binder.text if self.binder is not None else ""
