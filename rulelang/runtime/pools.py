"""Pools of pieces that nobody has seen, and the updates when one of their members becomes known.

Enters: a state and a location in it. Leaves: the state changed, or the possible outcomes. Also says which individuals
are interchangeable.

A slot of a zone that holds `-(k + 1)` is a member of pool k; the pool lists (sorted) the items that its members may
still be, one for each member. A pool that is reduced to one distinct item is known at once, wherever its members lie.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Sequence
from typing import Any

from rulelang.runtime.layout import REACTION_MASK
from rulelang.runtime.state import State
from rulelang.vocabulary.types import Type


def shuffle(state: State, zone: int) -> None:
    """Make the order of a pile instance unknown to all.

    Its known pieces and the pools whose members all lie in it become one pool. Pools with members elsewhere must have
    been made known before.
    """
    layout = state.layout
    contents = state.z[zone]
    if not contents:
        return
    items = sorted(contents)
    if items[0] < 0:
        items = [item for item in items if item >= 0]
        inside: dict[int, int] = {}
        for member in contents:
            if member < 0:
                inside[-member - 1] = inside.get(-member - 1, 0) + 1
        for pool, members in inside.items():
            assert members == len(state.pools[pool]), "a pool that is shared between zones can't be shuffled"
            items.extend(state.pools[pool])
            state.pools[pool] = []
        items.sort()
    identity = layout.program.kinds[layout.inst_kind[zone]].identity
    if items[0] == items[-1]:
        contents[:] = items
        if identity:
            state.where[items[0]] = zone
        return
    pool = next((k for k, members in enumerate(state.pools) if not members), len(state.pools))
    if pool == len(state.pools):
        state.pools.append(items)
    else:
        state.pools[pool] = items
    contents[:] = [-pool - 1] * len(items)
    if identity:
        for item in items:
            state.where[item] = -1


def position(contents: Sequence[int], place: int) -> int:
    """Return the index in a pile's contents of the piece at `place` from the top (0 the top, -1 the bottom); -1: there
    is none."""
    index = len(contents) - 1 - place if place >= 0 else -place - 1
    return index if 0 <= index < len(contents) else -1


def make_known(state: State, zone: int, index: int, item: int) -> None:
    """Set a pool member, at an index of a zone's contents, to the item that it turned out to be."""
    layout = state.layout
    contents = state.z[zone]
    pool = -contents[index] - 1
    items = state.pools[pool]
    del items[bisect_left(items, item)]
    _put(state, zone, index, item)
    if items and items[0] == items[-1]:
        settle(state, pool)
    if not layout.inst_kept[zone]:
        contents.sort()


def settle(state: State, pool: int) -> None:
    """Make a pool with one distinct item known, wherever its members lie."""
    item = state.pools[pool][0]
    state.pools[pool] = []
    member = -pool - 1
    for zone, contents in enumerate(state.z):
        if member in contents:
            for index, value in enumerate(contents):
                if value == member:
                    _put(state, zone, index, item)
            if not state.layout.inst_kept[zone]:
                contents.sort()


def settle_within(state: State, zone: int) -> None:
    """Make the members of pools that lie wholly within a zone known, assigning items in order: for when the order of a
    pile no longer matters."""
    contents = state.z[zone]
    for member in {value for value in contents if value < 0}:
        items = state.pools[-member - 1]
        places = [index for index, value in enumerate(contents) if value == member]
        if len(places) == len(items):
            state.pools[-member - 1] = []
            for index, item in zip(places, items, strict=True):
                _put(state, zone, index, item)
    if not state.layout.inst_kept[zone]:
        contents.sort()


def _put(state: State, zone: int, index: int, item: int) -> None:
    """Set a slot of a zone to a known item."""
    state.z[zone][index] = item
    set_location(state, item, zone)


def set_location(state: State, item: int, zone: int) -> None:
    """Update `State.where` for a known piece, if it is an individual; zone -1: nowhere known."""
    if state.layout.program.kinds[state.layout.item_kind[item]].identity:
        state.where[item] = zone


def shared_member(state: State, zone: int) -> int:
    """Return the index nearest the top of a pool member whose pool has members outside of the zone; -1: there is
    none."""
    contents = state.z[zone]
    for index in range(len(contents) - 1, -1, -1):
        member = contents[index]
        if member < 0 and contents.count(member) < len(state.pools[-member - 1]):
            return index
    return -1


def pool_outcomes(state: State, pool: int) -> list[tuple[int, int]]:
    """Return the distinct items that a member of the pool may be, with their numbers; the lowest of interchangeable
    ones stands for all."""
    items = state.pools[pool]
    layout = state.layout
    if layout.interchangeable[layout.item_kind[items[0]]]:
        return [(members[0], len(members)) for members in interchangeable_classes(state, items)]
    counts: dict[int, int] = {}
    for item in items:
        counts[item] = counts.get(item, 0) + 1
    return list(counts.items())


def take_at_random(state: State, pool: int, draw: int) -> int:
    """Return the item at the cumulative weight `draw`, from 0 to the size of the pool - 1, in the order of
    `pool_outcomes`. Raises ValueError if `draw` is beyond that."""
    items = state.pools[pool]
    layout = state.layout
    if not layout.interchangeable[layout.item_kind[items[0]]]:
        return items[draw]
    for item, weight in pool_outcomes(state, pool):
        if draw < weight:
            return item
        draw -= weight
    raise ValueError("draw must be below the size of the pool")


# ---- interchangeable individuals --------------------------------------------------------------------


def referred(state: State, bound: Iterable[tuple[Type, Any]] = ()) -> set[int]:
    """Return the individuals that a variable, a live local of a frame, or one of `bound` (type, value) refers to."""
    layout = state.layout
    program = layout.program
    items = {state.v[cell] for cell, *_ in layout.referring_cells}
    for depth, (procedure, block, values, _) in enumerate(state.frames):
        types = program.procedures[procedure].locals
        innermost = depth + 1 == len(state.frames)
        waits = -1 if innermost else state.frames[depth + 1][3]  # what is to take a value refers to nothing yet
        for slot in (layout.references_at if innermost else layout.references)(procedure, block):
            if slot != waits:
                _collect(types[slot], values[slot], items)
    for type_, value in bound:
        if layout.refers(type_):
            _collect(type_, value, items)
    return items


def _collect(type_: Type, value: Any, items: set[int]) -> None:
    """Add the individuals in a value of a type to `items`."""
    if isinstance(value, (list, tuple)):
        for part in value:
            _collect(type_.inner, part, items)
    elif value is not None:
        items.add((value & REACTION_MASK) - 1 if type_ == "reaction" else value)


def interchangeable_classes(
    state: State, items: Sequence[int], bound: Iterable[tuple[Type, Any]] = (), excluding: int = -1
) -> list[list[int]]:
    """Return the groups of interchangeable individuals among `items`, each sorted, in order of first occurrence.

    Individuals are interchangeable if they have the same definition, seat, zone instance (none that is a pile; or both
    nowhere known) and values of piece variables, and nothing refers to them.

    Args:
        bound: types and values of binders, which refer to individuals too. excluding: a piece variable that may differ,
            as it is about to be assigned.
    """
    layout = state.layout
    referenced = referred(state, bound)
    classes: dict[tuple[int, ...], list[int]] = {}
    for item in items:
        key: tuple[int, ...] = (item,)
        zone = state.where[item]
        if item not in referenced and (zone < 0 or not layout.inst_kept[zone]):
            cells = [state.v[cell] for cell in layout.cells_of(item, excluding)]
            key = (layout.item_definition[item], layout.item_seat[item], zone, *cells)
        classes.setdefault(key, []).append(item)
    return [sorted(members) for members in classes.values()]


def put_into(contents: list[int], member: int, pile: bool, top: bool) -> None:
    """Insert a piece into a zone's contents: sorted into a bag, on top of or below a pile."""
    if not pile:
        insort(contents, member)
    elif top:
        contents.append(member)
    else:
        contents.insert(0, member)
