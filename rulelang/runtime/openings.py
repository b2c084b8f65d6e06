"""Games that begin from a given position: what the log tells of it, and how its unseen pieces are dealt anew.

Enters: a state before its first node, what a seat sees. Leaves: the state with a log that begins with where all pieces
lie; the same with its unseen pieces dealt anew (`rulelang.runtime.rejection` plays on from there).

Unseen pieces change places within their kind, each seat's own ones among themselves. What else a seat may not know of a
position, `has_other_secrets` tells.
"""

from __future__ import annotations

from rulelang.runtime.log import Log
from rulelang.runtime.pools import lies, settle
from rulelang.runtime.rng import Dice
from rulelang.runtime.sight import ALL, TOP, Sight
from rulelang.runtime.state import State


def open_with(state: State) -> None:
    """Begins the log of a state that stands before its first node with where all pieces lie that are not at their
    start, and remembers the state."""
    zones = enumerate(zip(state.z, state.layout.start_z, strict=True))
    _tell(state, [zone for zone, (contents, start) in zones if contents != list(start)])


def _tell(state: State, zones: list[int]) -> None:
    root = Log.root(None)
    state.log = root
    for zone in zones:
        state.log = state.log.append(("given", -1, zone, tuple(state.z[zone])))
    root.opening = state.clone()


# ---- another deal -----------------------------------------------------------------------------------------


def _unseen(state: State, sight: Sight) -> list[list[tuple[int, int]]]:
    """The places of pieces that a seat does not see, (zone, index) or (-1 - pool, index), those that may change places
    together."""
    layout = state.layout
    groups: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for zone, contents in enumerate(state.z):
        end = len(contents) - (sight.zones[zone] == TOP)
        for index, item in enumerate(contents[:end] if sight.zones[zone] != ALL else []):
            if item >= 0 and not _carries(state, item):
                groups.setdefault((layout.item_kind[item], layout.item_seat[item]), []).append((zone, index))
    for pool, items in enumerate(state.pools):
        for index, item in enumerate(items):
            groups.setdefault((layout.item_kind[item], layout.item_seat[item]), []).append((-1 - pool, index))
    return list(groups.values())


def _carries(state: State, item: int) -> bool:
    """Whether a variable of a piece is not as at its start."""
    return any(state.v[cell] != state.layout.start_v[cell] for cell in state.layout.cells_of(item))


def has_other_secrets(opening: State, sight: Sight) -> bool:
    """Return whether the seat does not know something of a position that no deal of unseen pieces changes."""
    layout = opening.layout
    for cell, (of_piece, number, _) in enumerate(layout.cell_place):
        hidden = not of_piece and not sight.cells[cell] and not layout.program.variables[number].internal
        if hidden and opening.v[cell] != layout.start_v[cell]:
            return True
    return has_changed_unseen(opening, sight)


def has_changed_unseen(state: State, sight: Sight) -> bool:
    """Return whether a piece that the seat does not see has a variable that is not as at its start."""
    unseen = (
        item
        for zone, contents in enumerate(state.z)
        if sight.zones[zone] != ALL
        for item in contents[: len(contents) - (sight.zones[zone] == TOP)]
    )
    return any(item >= 0 and _carries(state, item) for item in unseen)


def with_unseen_dealt(opening: State, sight: Sight, dice: Dice) -> State:
    """Return the position with all pieces that the seat does not see dealt anew, and a log that begins with it."""
    new = unseen_dealt(opening, sight, dice)
    _tell(new, [entry[2] for entry in opening.log])
    return new


def unseen_dealt(state: State, sight: Sight, dice: Dice) -> State:
    """Return the state with all pieces that the seat does not see dealt anew, whatever it may remember of them."""
    new = state.clone()
    for group in _unseen(state, sight):
        items = sorted(_item(state, place) for place in group)  # so that the deal does not hang on where they lie
        for (zone, index), item in zip(group, dice.shuffled(items), strict=True):
            (new.pools[-1 - zone] if zone < 0 else new.z[zone])[index] = item
    _put_in_order(new)
    return new


def _item(state: State, place: tuple[int, int]) -> int:
    zone, index = place
    return (state.pools[-1 - zone] if zone < 0 else state.z[zone])[index]


def _put_in_order(state: State) -> None:
    """Makes zones without an order and pools sorted again, pools of like pieces known, and notes where pieces are."""
    layout = state.layout
    for pool, items in enumerate(state.pools):
        items.sort()
        for item in items:
            lies(state, item, -1)
        if items and items[0] == items[-1]:
            settle(state, pool)
    for zone, contents in enumerate(state.z):
        if not layout.inst_pile[zone]:
            contents.sort()
        for item in contents:
            if item >= 0:
                lies(state, item, zone)
