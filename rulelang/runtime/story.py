"""The log told briefly: what belongs together as one entry, what says nothing new left out.

Enters: entries of the log, redacted or not, with their numbers. Leaves: fewer such entries, for people to read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rulelang.runtime.layout import ITEM_MASK, Layout, members
from rulelang.runtime.log import Entry

Numbered = tuple[int, Entry]


def merged(layout: Layout, entries: Sequence[Numbered]) -> list[Numbered]:
    """The entries, those that go on with the one before joined to it.

    Moves from one place to another are one move, changes of one variable one change; a piece that chance gives is told
    by the move that draws it, pieces that are chosen by the move that they were chosen for. That a mark ends, as was
    known when it was set, is not told.
    """
    shown = [
        (number, entry)
        for place, (number, entry) in enumerate(entries)
        if not _ends_mark(layout, entry)
        and (place + 1 == len(entries) or not _told_by(layout, entry, entries[place + 1][1]))
    ]
    story: list[Numbered] = []
    for number, entry in shown:
        joined = _joined(story[-1][1], entry) if story else None
        if joined is None:
            story.append((number, entry))
        else:
            story[-1] = (story[-1][0], joined)
    return [(number, entry) for number, entry in story if entry[0] != "set" or entry[4] != entry[5]]


def _told_by(layout: Layout, entry: Entry, after: Entry) -> bool:
    """Whether the next entry says all that this one says."""
    if after[0] != "move":
        return False
    if entry[0] == "chance":
        return len(entry) > 4 and entry[4] == after[2]
    if entry[0] != "choice" or entry[4] < 0:
        return False
    _, _, _, number, item, values, *_ = entry
    decision = layout.program.decisions[number]
    binders = decision.items[item].binders
    if len(decision.items) > 1 or len(binders) != 1 or binders[0].type.core.kind != "piece":
        return False
    chosen = Counter(map(_item, members(values[0])))
    moved = Counter(map(_item, after[4]))
    unseen = set(chosen) == {None} and chosen.total() == moved.total()
    return bool(chosen) and (unseen or chosen == moved)


def _ends_mark(layout: Layout, entry: Entry) -> bool:
    """Whether a mark is no longer set."""
    if entry[0] == "set":
        return layout.program.variables[entry[2]].mark and not entry[5]
    return entry[0] == "pset" and layout.program.piece_variables[entry[2]].mark and not entry[5]


def _item(piece: int | None) -> int | None:
    return None if piece is None or piece < 0 else piece & ITEM_MASK


def _joined(entry: Entry, after: Entry) -> Entry | None:
    """Both entries as one; None if they are not alike."""
    if entry[0] != after[0]:
        return None
    if entry[0] == "move" and entry[2:4] == after[2:4] and entry[5] == after[5]:
        return ("move", entry[1], entry[2], entry[3], entry[4] + after[4], entry[5], *after[6:])
    if entry[0] in ("set", "pset") and entry[2:4] == after[2:4]:
        return (*entry[:5], after[5])
    return None
