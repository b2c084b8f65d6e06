"""Games that begin from a given position: what the log tells of it, and how its unseen pieces are dealt anew.

Enters: a state before its first node; a machine, a state that was reached from it, a seat. Leaves: the state with a log
that begins with where all pieces lie; another game that the seat can't tell from that one.

Unseen pieces change places within their kind, each seat's own ones among themselves; those that carry something of
their own stay, as does what variables hold that the seat does not see. Then the recorded steps are played from there,
and the deal is kept if the seat would have seen the same. All of them are dealt first, then, from the last deal that
fitted, ever smaller parts.
"""

from __future__ import annotations

from rulelang.diagnostics import RuleError
from rulelang.runtime.course import Course, course_of, node_of
from rulelang.runtime.history import Player, Step
from rulelang.runtime.log import Log
from rulelang.runtime.pools import lies, settle
from rulelang.runtime.replay import Dice
from rulelang.runtime.sight import ALL, TOP, Redactor, Sight
from rulelang.runtime.state import State
from rulelang.runtime.witness import Witness, choice_entry, witness_of

WHOLE = 8
"""Deals of all unseen pieces; the first that fits is enough."""

PARTS = 4
"""Deals of each smaller size, which is halved from one to the next."""

SWAPS = 24
"""Deals that exchange two unseen pieces."""


def open_with(state: State) -> None:
    """Begins the log of a state that stands before its first node with where all pieces lie that are not at their
    start, and remembers the state for `redealt`."""
    zones = enumerate(zip(state.z, state.layout.start_z, strict=True))
    _tell(state, [zone for zone, (contents, start) in zones if contents != list(start)])


def _tell(state: State, zones: list[int]) -> None:
    root = Log.root(None)
    state.log = root
    for zone in zones:
        state.log = state.log.append(("given", -1, zone, tuple(state.z[zone])))
    root.opening = state.clone()


def redealt(machine: Player, truth: State, opening: State, seat: int, dice: Dice) -> State:
    """A state that was reached from another deal of the opening and that the seat can't tell from the true one, or the
    true one if none was found.

    Raises:
        ResampleError: the log does not lead to the state.
    """
    course, length = course_of(machine, truth)
    witness = witness_of(course, seat, length)
    current, accepted = opening, truth.clone()
    count = sum(map(len, _unseen(opening, witness.sight)))
    sizes = [part for size in _halves(count) for part in [size] * PARTS]
    for size in [0] * WHOLE + sizes + [2] * SWAPS:
        deal = _dealt(current, witness.sight, size, dice)
        played = _played(machine, deal, course, witness, length, dice) if deal is not None else None
        if deal is not None and played is not None:
            current, accepted = deal, played
        if deal is None or (played is not None and not size):
            break
    accepted.explicit = truth.explicit
    return accepted


def _halves(count: int) -> list[int]:
    return [count // 2, *_halves(count // 2)] if count > 5 else []


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
    unseen = (
        item
        for zone, contents in enumerate(opening.z)
        if sight.zones[zone] != ALL
        for item in contents[: len(contents) - (sight.zones[zone] == TOP)]
    )
    return any(item >= 0 and _carries(opening, item) for item in unseen)


def with_unseen_dealt(opening: State, sight: Sight, dice: Dice) -> State:
    """Return the position with all pieces that the seat does not see dealt anew."""
    return _dealt(opening, sight, 0, dice) or opening.clone()


def _dealt(opening: State, sight: Sight, size: int, dice: Dice) -> State | None:
    """The opening with its unseen pieces, or so many of one group, dealt anew; None if there are none to deal."""
    new = opening.clone()
    groups = [group for group in _unseen(opening, sight) if len({_item(opening, place) for place in group}) > 1]
    if not groups:
        return None
    if size:
        groups = [dice.shuffled(groups[dice.below(len(groups))])[:size]]
    for group in groups:
        items = [_item(opening, place) for place in group]
        if not size:
            items.sort()  # so that the deal does not hang on where they lie
        for (zone, index), item in zip(group, dice.shuffled(items), strict=True):
            (new.pools[-1 - zone] if zone < 0 else new.z[zone])[index] = item
    _put_in_order(new)
    _tell(new, [entry[2] for entry in opening.log])
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


# ---- the same game from there -----------------------------------------------------------------------------


def _played(machine: Player, opening: State, course: Course, witness: Witness, length: int, dice: Dice) -> State | None:
    """The state that the recorded steps lead to from an opening; None if the seat would have noticed."""
    live = opening.clone()
    live.explicit = True
    known, seen_length = Redactor(witness.sight), 0
    try:
        machine.advance(live)
        for number in range(length + 1):
            fresh = live.log.since(seen_length)
            seen_length = len(live.log)
            shown = [entry for entry in map(known.see, fresh) if entry is not None]
            seen = witness.stream[witness.seen[number - 1] if number else 0 : witness.seen[number]]
            if len(shown) != len(seen) or not all(map(witness.same, shown, seen)):
                return None
            if node_of(machine, live) != course.nodes[number] or not witness.sees_same(live, number, None):
                return None
            if number < length and not _take(machine, live, witness.steps[number], witness, known, dice):
                return None
    except RuleError:
        return None
    return live


def _take(machine: Player, live: State, step: Step, witness: Witness, known: Redactor, dice: Dice) -> bool:
    """Takes a recorded step, or where it is not possible any that the seat can't tell from it; whether there is one."""
    if step.decision < 0:
        values = [value for value, _ in machine.outcomes(live)]
        if step.value not in values and not step.open:
            return False
        machine.take_outcome(live, step.value if step.value in values else values[dice.below(len(values))])
        return True
    choice = step.choice
    if not machine.has_option(live, step.seat, choice):
        if step.seat == witness.seat:
            return False
        alike = [
            option
            for option in machine.options(live, step.seat)
            if not step.told or witness.same(known.see(choice_entry(step, option)), step.target)
        ]
        if not alike:
            return False
        choice = alike[dice.below(len(alike))]
    machine.choose(live, step.seat, choice)
    return True
