"""The options of a decision as data: of each item its tests, then parts whose combinations are its options.

Enters: an item of a decision. Leaves: `ItemOptions`. A part is one binder or several of which each depends on those
before it; parts do not depend on each other, so an item has as many options as the product of its parts' numbers of
values, and the n-th option is made of one value of each part, by mixed radix. A guard belongs to the last binder that
it reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rulelang.ir.effects import expression_effects
from rulelang.ir.nodes import Binder, Expr, Item
from rulelang.ir.program import Program
from rulelang.ir.walk import local_reads
from rulelang.runtime.constants import UNKNOWN
from rulelang.runtime.layout import Layout
from rulelang.vocabulary.types import Type

GROUPING = "grouping"
"""The kind of a binder whose values are groupings."""
Kinds = frozenset[int]
NONE: Kinds = frozenset()


@dataclass(frozen=True)
class PartOptions:
    """Values of binders that do not depend on those before them.

    Attributes:
        guards: for each binder the conditions that read it, and no later one.
    """

    binders: tuple[Binder, ...]
    guards: tuple[tuple[Expr, ...], ...]


@dataclass(frozen=True)
class ItemOptions:
    """The options of one item.

    Attributes:
        tests: conditions that read no binder. parts: see the module; None if there is never an option.
    """

    item: Item
    tests: tuple[Expr, ...]
    parts: tuple[PartOptions, ...] | None


def options_of(layout: Layout, item: Item, known: Callable[[Expr], Any]) -> ItemOptions:
    """Return the options of an item. `known`: gives the value of an expression that is constant, else UNKNOWN."""
    tests = [guard.condition for guard in item.pre]
    guards: list[list[Expr]] = [[] for _ in item.binders]
    level = -1
    for guard in item.guards:
        condition, read = guard.condition, local_reads(guard.condition)
        if known(condition) is not UNKNOWN and known(condition):
            continue
        for place, binder in enumerate(item.binders):
            if binder.slot in read or reads_groups(layout.program, binder, condition):
                level = max(level, place)
        (guards[level] if level >= 0 else tests).append(condition)
    if any(known(test) is not UNKNOWN and not known(test) for test in tests):
        return ItemOptions(item, (), None)
    parts, start, binders = [], 0, item.binders
    for end in range(1, len(binders) + 1):
        rest = [arg for binder in binders[end:] for arg in binder.args]
        rest += [guard for level in guards[end:] for guard in level]
        if slots_read(rest).isdisjoint(binder.slot for binder in binders[:end]):
            if not depends_on_references(layout, binders[:end], binders[end:]):
                parts.append(PartOptions(binders[start:end], tuple(map(tuple, guards[start:end]))))
                start = end
    return ItemOptions(item, tuple(test for test in tests if known(test) is UNKNOWN), tuple(parts))


def slots_read(exprs: Iterable[Expr]) -> frozenset[int]:
    """Return all slots that the expressions read."""
    return frozenset().union(*map(local_reads, exprs))


def reads_groups(program: Program, binder: Binder, condition: Expr) -> bool:
    """Return whether a condition reads the variable that numbers the groups, itself or in what it calls."""
    if binder.kind != GROUPING:
        return False
    table = program.piece_variables[binder.variable]
    effects = [procedure.effects for procedure in program.procedures]
    return f"pvar:{table.name}" in expression_effects(program, [condition], effects).reads


# ---- interchangeable individuals ------------------------------------------------------------------------


def kinds_in(layout: Layout, type_: Type) -> Kinds:
    """Return the kinds with interchangeable individuals to which a value of the type can refer."""
    if not layout.refers(type_):
        return NONE
    inner = type_.core
    if inner == "reaction":
        return frozenset(kind for kind, alike in enumerate(layout.interchangeable) if alike)
    return frozenset((layout.kind_index[inner.name],))


def asks(layout: Layout, binder: Binder) -> bool:
    """Return whether the values of a binder depend on which individuals are interchangeable: groups never do."""
    return binder.kind != "number" and binder.args[0].type.inner.scalar and layout.refers(binder.args[0].type)


def asked_of(layout: Layout, binders: Iterable[Binder]) -> Kinds:
    """Return the kinds whose interchangeable individuals are merged into one value of these binders."""
    return NONE.union(*(kinds_in(layout, binder.args[0].type) for binder in binders if asks(layout, binder)))


def depends_on_references(layout: Layout, before: Sequence[Binder], after: Sequence[Binder]) -> bool:
    """Return whether the values of later binders depend on the individuals that earlier binders refer to."""
    return bool(asked_of(layout, after) & NONE.union(*(kinds_in(layout, binder.type) for binder in before)))
