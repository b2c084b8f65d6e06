"""A shorter log for people to read: entries that belong together merged, redundant ones left out.

Enters: entries of the log, redacted or not, with their numbers. Leaves: fewer such entries.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from rulelang.runtime.layout import ITEM_MASK, Layout, members
from rulelang.runtime.log import Entry
from rulelang.runtime.sight import drawn_type
from rulelang.vocabulary.operations import TOLD

Numbered = tuple[int, Entry]


CHANGES = ("set", "pset", "size")
BREAKS = ("choice", "commit", "begin", "end")
"""Entries across which changes are not merged."""
MANY = 3
"""So many moves are told as one."""


def merged(layout: Layout, entries: Sequence[Numbered]) -> list[Numbered]:
    """Return the entries with those that continue an earlier one merged into it.

    Moves between the same zones become one move; changes of one variable by one rule become one change, at the last of
    them; changes of a bag's amounts become an entry `bag` (site, `set` or `pset`, variable, first cell, (part, old,
    new) of each). Left out are: what chance gives if the next move moves it or the next entry gives a variable that
    value, chosen pieces if the next move moves them, a place that is chosen after something else if it is where the
    next move goes, and the end of a mark, which was known when it was set.
    """
    shown: list[Numbered] = []
    after: Entry | None = None
    following: Entry | None = None
    chose_before = _choosers_before(entries)
    for (number, entry), seat in zip(reversed(entries), reversed(chose_before), strict=True):
        implied = after is not None and _is_implied_by(layout, entry, after)
        if following is not None and entry[0] == "choice" and seat == entry[2]:
            implied = implied or _is_where(layout, entry, following)
        if not implied and not _ends_mark(layout, entry):
            shown.append((number, _as_bag_change(layout, entry)))
        if entry[0] not in CHANGES:
            after = entry
            following = entry if entry[0] == "move" else following if entry[0] == "choice" else None
    story: list[Numbered] = []
    for number, entry in reversed(shown):
        at = _continued_index(layout, story, entry)
        if at is None:
            story.append((number, entry))
        else:
            first, before = story.pop(at)
            story.append((first, _joined(before, entry)))
    kept = [(number, entry) for number, entry in map(_without_no_ops, story) if entry is not None]
    seen = {entry[4] for _, entry in kept if entry[0] == "bag" and entry[2] == "set"}
    kept = [told for told in kept if told[1][0] != "size" or told[1][3] not in seen]  # whoever sees all sees both
    nexts = [entry for _, entry in kept[1:]] + [("end",)]
    return [told for told, after in zip(kept, nexts, strict=False) if not _is_stored_by(layout, told[1], after)]


def gathered(layout: Layout, told: Sequence[Numbered]) -> Iterator[Numbered]:
    """Yield the entries with `MANY` and more consecutive moves out of several places of one zone into another as an
    entry `moves` (site, moves)."""
    for course, run in groupby(told, lambda numbered: _course(layout, numbered[1])):
        moves = list(run)
        if course is None or len(moves) < MANY or len({entry[2] for _, entry in moves}) == 1:
            yield from moves
        else:
            yield moves[0][0], ("moves", moves[0][1][1], tuple(entry for _, entry in moves))


def _course(layout: Layout, entry: Entry) -> tuple[object, ...] | None:
    """Return the zones that a move leads from and to, each with its owner; None for a move within a zone and for any
    other entry."""
    if entry[0] != "move" or min(entry[2:4]) < 0:
        return None
    origin, target = ((layout.inst_zone[zone], layout.inst_owner[zone]) for zone in entry[2:4])
    return (origin, target) if origin != target else None


def moves_chosen(layout: Layout, entries: Sequence[Numbered]) -> set[int]:
    """Return the numbers of the moves of what has just been chosen."""
    lasting = [numbered for numbered in entries if numbered[1][0] not in CHANGES]
    return {
        number
        for (_, choice), (number, move) in pairwise(lasting)
        if choice[0] == "choice" and move[0] == "move" and any(_moves(layout, choice, move))
    }


def _moves(layout: Layout, choice: Entry, move: Entry) -> Iterator[bool]:
    """Yield of each piece or collection of pieces that is chosen whether just that is moved, as far as it is seen."""
    _, _, _, number, item, values, *_ = choice
    decision = layout.program.decisions[number]
    moved = Counter(map(_item, move[4]))
    for binder, value in () if decision.passes(item, values) else decision.bound(item, values):
        if binder.type.core.kind == "piece":
            chosen = Counter(map(_item, members(value)))
            unseen = set(chosen) == {None} and chosen.total() == moved.total()
            yield bool(chosen) and (unseen or chosen == moved)


def _as_bag_change(layout: Layout, entry: Entry) -> Entry:
    """Return the change of an amount in a bag as an entry `bag`; any other entry unchanged."""
    if entry[0] not in CHANGES or entry[0] == "size":
        return entry
    event, site, number, cell, old, new = entry
    if event == "set":
        type_ = layout.program.variables[number].type
        part = (cell - layout.var_base[number]) % max(layout.var_width[number], 1)
    else:
        type_ = layout.program.piece_variables[number].type
        part = cell - layout.pvar_cell(number, layout.cell_place[cell][2])
    return ("bag", site, event, number, cell - part, ((part, old, new),)) if type_.kind == "bag" else entry


def _continued_index(layout: Layout, story: Sequence[Numbered], entry: Entry) -> int | None:
    """Return the index in `story` of the entry that this one continues; None if there is none. A move continues the
    last entry alone."""
    subject = _subject(layout, entry)
    for at in range(len(story) - 1, -1, -1) if subject else ():
        if _subject(layout, story[at][1]) == subject:
            return at
        if entry[0] in ("move", "goods") or story[at][1][0] in BREAKS:
            return None
    return None


def _subject(layout: Layout, entry: Entry) -> tuple[object, ...] | None:
    """Return the key by which moves or changes are merged; None for other entries."""
    if entry[0] == "move":
        return (*entry[2:4], entry[5])
    if entry[0] == "goods":
        return ("goods", *entry[2:4], entry[4] is None)
    if entry[0] not in (*CHANGES, "bag"):
        return None
    site = entry[1]
    rule = layout.program.sites[site].rule if 0 <= site < len(layout.program.sites) else ""
    return (entry[0], rule, *(entry[2:5] if entry[0] == "bag" else entry[2:4]))


def _joined(entry: Entry, after: Entry) -> Entry:
    """Merge an entry and a later one with the same subject."""
    if entry[0] == "move":
        return ("move", entry[1], entry[2], entry[3], entry[4] + after[4], entry[5], *after[6:])
    if entry[0] == "goods":
        counts = None if entry[4] is None else tuple(map(int.__add__, entry[4], after[4]))
        return (*entry[:4], counts, entry[5] + after[5])
    if entry[0] == "bag":
        changes = {part: (old, new) for part, old, new in entry[5]}
        for part, old, new in after[5]:
            changes[part] = (changes.get(part, (old,))[0], new)
        return (*entry[:5], tuple((part, old, new) for part, (old, new) in sorted(changes.items())))
    return (*entry[:5], after[5])


def _without_no_ops(numbered: Numbered) -> tuple[int, Entry | None]:
    """Return the entry without changes that end at their old value; None if nothing is left."""
    number, entry = numbered
    if entry[0] == "bag":
        changes = tuple((part, old, new) for part, old, new in entry[5] if old != new)
        return number, (*entry[:5], changes) if changes else None
    return number, None if entry[0] in CHANGES and entry[4] == entry[5] else entry


def _is_implied_by(layout: Layout, entry: Entry, after: Entry) -> bool:
    """Return whether a chance or choice entry says nothing beyond the next entry that is no change of a variable."""
    if after[0] == "goods":
        return bool(entry[0] == "chance" and entry[2] == "unit" and after[4] == _one_of(entry[3], after[4]))
    if after[0] != "move":
        return False
    if entry[0] == "chance":
        if entry[2] not in TOLD:
            return bool(entry[4] == after[2])
        piece = drawn_type(layout, entry).core.kind == "piece" and isinstance(entry[3], int) and entry[3] >= 0
        return piece and [_item(entry[3])] == [_item(moved) for moved in after[4]]
    if entry[0] != "choice" or entry[4] < 0:
        return False
    number, item = entry[3:5]
    decision = layout.program.decisions[number]
    binders = decision.items[item].binders
    if len(decision.items) > 1 or len(binders) != 1 or binders[0].type.core.kind != "piece":
        return False
    return any(_moves(layout, entry, after))


def _choosers_before(entries: Sequence[Numbered]) -> list[int | None]:
    """Return for each entry the seat that chose directly before it, changes aside; None if nobody did."""
    seats: list[int | None] = []
    chose: int | None = None
    for _, entry in entries:
        seats.append(chose)
        if entry[0] not in CHANGES:
            chose = entry[2] if entry[0] == "choice" else None
    return seats


def _is_where(layout: Layout, entry: Entry, move: Entry) -> bool:
    """Return whether a choice is of a place, by itself, that a move goes to."""
    if entry[4] < 0 or move[3] < 0:
        return False
    _, _, _, number, item, values, *_ = entry
    decision = layout.program.decisions[number]
    binders = decision.items[item].binders
    if len(decision.items) > 1 or len(binders) != 1:
        return False
    types = layout.program.zones[layout.inst_zone[move[3]]].index
    return (binders[0].type.core, values[0]) in zip(types, layout.inst_index[move[3]], strict=True)


def _one_of(good: int, counts: Sequence[int] | None) -> tuple[int, ...]:
    """Return a bag of one good, with as many kinds as another bag."""
    return tuple(int(kind == good) for kind in range(len(counts or ())))


def _is_stored_by(layout: Layout, entry: Entry, after: Entry) -> bool:
    """Return whether a chance entry gives the value that the next entry gives a variable."""
    if entry[0] != "chance" or entry[2] not in TOLD or after[0] not in ("set", "pset"):
        return False
    variables = layout.program.variables if after[0] == "set" else layout.program.piece_variables
    return bool(entry[3] == after[5]) and variables[after[2]].type.core == drawn_type(layout, entry).core


def _ends_mark(layout: Layout, entry: Entry) -> bool:
    """Return whether the entry removes a mark."""
    if entry[0] == "set":
        return layout.program.variables[entry[2]].mark and not entry[5]
    return entry[0] == "pset" and layout.program.piece_variables[entry[2]].mark and not entry[5]


def _item(piece: int | None) -> int | None:
    """Return the item of a piece; None if it is unknown or unseen."""
    return None if piece is None or piece < 0 else piece & ITEM_MASK
