"""Games that begin from a given position: the beginning of their log, and determinization of the position.

Enters: a state before its first node, what a seat sees. Leaves: the state with a log that begins with where all pieces
lie; the same with its unseen pieces dealt anew (`rulelang.runtime.rejection` plays on from there).

Unseen pieces are permuted within their kind, each seat's own ones among themselves. `has_other_secrets` tells whether a
position has secrets that this does not cover.
"""

from __future__ import annotations

from rulelang.runtime.log import Log
from rulelang.runtime.pools import set_location, settle
from rulelang.runtime.rng import Dice
from rulelang.runtime.sight import ALL, TOP, Sight
from rulelang.runtime.state import State


def open_with(state: State) -> None:
    """Begin the log of a state before its first node: one entry for each zone whose pieces are not at their start, and
    the state itself as the log's opening."""
    zones = enumerate(zip(state.z, state.layout.start_z, strict=True))
    _log_given(state, [zone for zone, (contents, start) in zones if contents != list(start)])


def _log_given(state: State, zones: list[int]) -> None:
    """Replace the log by one that tells the contents of these zones; its root has a copy of the state."""
    root = Log.root(None)
    state.log = root
    for zone in zones:
        state.log = state.log.append(("given", -1, zone, tuple(state.z[zone])))
    root.opening = state.clone()


# ---- another deal -----------------------------------------------------------------------------------------


def _unseen_groups(state: State, sight: Sight) -> list[list[tuple[int, int]]]:
    """Return the locations of pieces that a seat does not see, in groups whose pieces may be permuted: (zone, index),
    or (-1 - pool, index) in a pool."""
    layout = state.layout
    groups: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for zone, contents in enumerate(state.z):
        end = len(contents) - (sight.zones[zone] == TOP)
        for index, item in enumerate(contents[:end] if sight.zones[zone] != ALL else []):
            if item >= 0 and not _has_changed_variables(state, item):
                groups.setdefault((layout.item_kind[item], layout.item_seat[item]), []).append((zone, index))
    for pool, items in enumerate(state.pools):
        for index, item in enumerate(items):
            groups.setdefault((layout.item_kind[item], layout.item_seat[item]), []).append((-1 - pool, index))
    return list(groups.values())


def _has_changed_variables(state: State, item: int) -> bool:
    """Return whether a variable of a piece has not its value at the start."""
    return any(state.v[cell] != state.layout.start_v[cell] for cell in state.layout.cells_of(item))


def has_other_secrets(opening: State, sight: Sight) -> bool:
    """Return whether a given position has secrets that no deal of unseen pieces covers: hidden variables with other
    values than at the start, or unseen pieces with such."""
    layout = opening.layout
    for cell, (of_piece, number, _) in enumerate(layout.cell_place):
        hidden = not of_piece and not sight.cells[cell] and not layout.program.variables[number].internal
        if hidden and opening.v[cell] != layout.start_v[cell]:
            return True
    return _has_changed_unseen(opening, sight)


def _has_changed_unseen(state: State, sight: Sight) -> bool:
    """Return whether a piece that the seat does not see has a variable that has not its value at the start."""
    unseen = (
        item
        for zone, contents in enumerate(state.z)
        if sight.zones[zone] != ALL
        for item in contents[: len(contents) - (sight.zones[zone] == TOP)]
    )
    return any(item >= 0 and _has_changed_variables(state, item) for item in unseen)


def with_unseen_dealt(opening: State, sight: Sight, dice: Dice) -> State:
    """Return the given position with its unseen pieces dealt anew, and a log that begins with it."""
    new = opening.clone()
    for group in _unseen_groups(opening, sight):
        items = sorted(_item_at(opening, place) for place in group)  # the deal must not depend on where they lie
        for (zone, index), item in zip(group, dice.shuffled(items), strict=True):
            (new.pools[-1 - zone] if zone < 0 else new.z[zone])[index] = item
    _normalise(new)
    _log_given(new, [entry[2] for entry in opening.log])
    return new


def _item_at(state: State, place: tuple[int, int]) -> int:
    """Return the item at a location of `_unseen_groups`."""
    zone, index = place
    return (state.pools[-1 - zone] if zone < 0 else state.z[zone])[index]


def _normalise(state: State) -> None:
    """Restore the invariants of a state: sorted bags and pools, no pool of equal pieces, `where` up to date."""
    layout = state.layout
    for pool, items in enumerate(state.pools):
        items.sort()
        for item in items:
            set_location(state, item, -1)
        if items and items[0] == items[-1]:
            settle(state, pool)
    for zone, contents in enumerate(state.z):
        if not layout.inst_kept[zone]:
            contents.sort()
        for item in contents:
            if item >= 0:
                set_location(state, item, zone)
