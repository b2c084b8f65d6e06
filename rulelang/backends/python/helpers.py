"""Functions that generated code calls, where an operation is too long to be written out.

Enters: a program. Leaves: their names and what they are.
"""

# S is the state in every function of this module.

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from rulelang.backends.interpreter.decisions import TOO_MANY, Nested, Selections
from rulelang.backends.interpreter.expressions import clockwise
from rulelang.backends.interpreter.pieces import owner
from rulelang.backends.interpreter.sets import OUT_OF_FUEL, distinct, key, known_pieces
from rulelang.backends.interpreter.statements import take
from rulelang.backends.python.handfuls import Choice, Handfuls, chosen_of
from rulelang.backends.python.piles import shuffle_known
from rulelang.backends.python.selections import Parts, keep, parted, placed_ways, remembered, selections, taken
from rulelang.ir.types import ABSENT_NUMBER
from rulelang.limits import COUNTED, OPTIONS
from rulelang.runtime import payments
from rulelang.runtime.bounds import HIGHEST, LOWEST, fuel_error, rule_error
from rulelang.runtime.constants import PURE, look_up
from rulelang.runtime.layout import ITEM_MASK, REACTION_MASK, ZONE_SHIFT, Layout
from rulelang.runtime.pools import put_into, settle_within, shuffle
from rulelang.runtime.state import State

BEYOND = "a number went beyond 64 bits"
LISTS = 4096
"""So many lists of ways to pay are remembered, each of SHORT ways at most."""
SHORT = 64
UNSEEN = "a piece that nobody has seen was read"


class Helpers:
    """The functions that report errors of a program's rules, or know its layout."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.program = layout.program
        self._listed: dict[Any, list[Any]] = {}
        self._most: dict[payments.Cost, payments.Bag] = {}

    def fail(self, site: int, message: str) -> None:
        """A rule did what it may not."""
        raise rule_error(self.program, site, message)

    def tired(self, site: int) -> None:
        """The fuel is used up."""
        raise fuel_error(self.program, site, OUT_OF_FUEL)

    def outside(self, site: int, name: str, low: int, high: int, value: int) -> None:
        """A variable would leave its range."""
        raise rule_error(self.program, site, f"`{name}` would become {value}, outside {low}..{high}")

    # ---- numbers

    def wide(self, n: int, site: int) -> int:
        """The number, if it has 64 bits."""
        if LOWEST <= n <= HIGHEST:
            return n
        raise rule_error(self.program, site, BEYOND)

    def div(self, n: int, d: int, site: int) -> int:
        """The quotient rounded down."""
        if not d:
            raise rule_error(self.program, site, "division by zero")
        return self.wide(n // d, site)

    def mod(self, n: int, d: int, site: int) -> int:
        """The remainder with the sign of the divisor."""
        if not d:
            raise rule_error(self.program, site, "division by zero")
        return n % d

    # ---- fuel

    def spent(self, S: State, work: int, site: int) -> None:
        """Takes fuel."""
        S.fuel -= work
        if S.fuel < 0:
            raise fuel_error(self.program, site, OUT_OF_FUEL)

    def charged(self, S: State, found: Any, work: int, site: int) -> Any:
        """The elements, each of which costs so much fuel."""
        S.fuel -= len(found) * work
        if S.fuel < 0:
            raise fuel_error(self.program, site, OUT_OF_FUEL)
        return found

    def numbers(self, S: State, low: int, high: int, site: int) -> list[int]:
        """The numbers from low to high."""
        if low > high:
            return []
        self.spent(S, high - low + 1, site)
        return list(range(low, high + 1))

    # ---- seats

    def others(self, S: State, party: int) -> list[int]:
        """Players but this one."""
        return [q for q in self.layout.players_in(S.out) if q != party]

    def teammates(self, S: State, party: int, same: bool) -> list[int]:
        """Players of the same team but this one, or of other teams."""
        team_of = self.layout.team_of
        return [q for q in self.others(S, party) if (team_of[q] == team_of[party]) == same]

    def players_from(self, S: State, party: int) -> list[int]:
        """Players clockwise from this one on."""
        return clockwise(self.layout, S.out, party)

    def players_after(self, S: State, party: int) -> list[int]:
        """Players clockwise after this one."""
        return [q for q in clockwise(self.layout, S.out, party) if q != party]

    def neighbour(self, S: State, party: int, place: int) -> int:
        """The next (0) or the last (-1) player clockwise after this one."""
        order = self.players_after(S, party)
        return order[place] if order else party

    # ---- pieces

    def end(self, contents: Sequence[int], index: int, base: int, site: int) -> int:
        """The handle of the top (-1) or bottom (0) piece; `base` is what the zone adds to an item."""
        if not contents:
            return -1
        if contents[index] < 0:
            raise rule_error(self.program, site, UNSEEN)
        return contents[index] + base

    def ends(self, contents: Sequence[int], top: bool, n: int, base: int, site: int) -> list[int]:
        """The handles of the n pieces at the top or bottom."""
        n = max(n, 0)
        found = contents[: -n - 1 : -1] if top else contents[:n]
        if found and min(found) < 0:
            raise rule_error(self.program, site, UNSEEN)
        return [item + base for item in found]

    def listed(self, S: State, ways: Any, site: int) -> list[Any]:
        """What a function of a bound lists: as many ways as there is fuel for, which they use."""
        try:
            found: list[Any] = ways(min(S.fuel, OPTIONS))
        except payments.TooManyError:
            raise fuel_error(self.program, site, "there are more ways than can be listed") from None
        S.fuel -= len(found)
        return found

    def expanded(self, S: State, cost: payments.Cost, site: int) -> list[Any]:
        """Every bag that satisfies a cost exactly."""
        return self._ways(S, payments.expansions, (cost,), site)

    def payable(self, S: State, cost: payments.Cost, starts: Sequence[int], site: int) -> list[Any]:
        """Every payment with a distinct result; remembered for all purses that make no difference to it."""
        v, size = S.v, len(cost[0])
        most = self._most.get(cost)
        if most is None:
            if len(self._most) >= LISTS:
                self._most.clear()
            most = self._most[cost] = payments.most_taken(cost)
        # `strict` would take as long as all the rest.
        held = tuple([n if n < m else m for x in starts for n, m in zip(v[x : x + size], most)])  # noqa: B905
        return self._ways(S, joint_payments, (cost, held), site)

    def placed(self, S: State, arguments: tuple[Any, ...], site: int) -> list[Any]:
        """Every distinct bag that keeps as much as fits."""
        return self._ways(S, payments.placements, arguments, site)

    def _ways(self, S: State, ways: Callable[..., list[Any]], arguments: tuple[Any, ...], site: int) -> list[Any]:
        """What a function lists, as many as there is fuel for; lists are remembered for a while."""
        most = min(S.fuel, OPTIONS)
        known = self._listed.get((ways, arguments, most))
        if known is None:
            try:
                known = ways(*arguments, most)
            except payments.TooManyError:
                raise fuel_error(self.program, site, "there are more ways than can be listed") from None
            if len(known) <= SHORT:
                if len(self._listed) >= LISTS:
                    self._listed.clear()
                self._listed[ways, arguments, most] = known
        S.fuel -= len(known)
        return known

    # ---- options

    def remember(self, memory: dict[Any, Any], key: Any, found: list[Any], low: int, high: int, site: int) -> Any:
        """The ways to choose several, put into a memory."""
        try:
            return remembered(memory, key, found, low, high)
        except payments.TooManyError:
            raise fuel_error(self.program, site, TOO_MANY) from None

    def remember_handful(
        self, memory: dict[Any, Any], key: Any, handfuls: Handfuls, n: int, low: int, high: int, site: int
    ) -> Choice:
        """The ways to choose several of what a number stands for, put into a memory."""
        try:
            return chosen_of(memory, key, handfuls, n, low, high)
        except payments.TooManyError:
            raise fuel_error(self.program, site, TOO_MANY) from None

    def remember_places(
        self, memory: dict[Any, Any], key: Any, contents: list[Any], found: list[Any], low: int, high: int, site: int
    ) -> Parts:
        """The ways to choose several pieces of a zone, put into a memory."""
        try:
            return placed_ways(memory, key, contents, found, low, high)
        except payments.TooManyError:
            raise fuel_error(self.program, site, TOO_MANY) from None

    def selections(self, found: list[Any], low: int, high: int, site: int) -> Selections:
        """The ways to choose several, to be gone through."""
        try:
            return selections(found, low, high)
        except payments.TooManyError:
            raise fuel_error(self.program, site, TOO_MANY) from None

    def span(self, low: int, high: int, site: int) -> range:
        """The numbers that may be chosen."""
        if high - low >= COUNTED:
            raise fuel_error(self.program, site, TOO_MANY)
        return range(low, high + 1)

    def nested(self, parts: list[tuple[tuple[Any, ...], Sequence[Any]]], site: int) -> Sequence[Any]:
        """Tuples of several values: for each prefix the last ones."""
        try:
            return Nested(parts)
        except payments.TooManyError:
            raise fuel_error(self.program, site, TOO_MANY) from None

    def looked(self, S: State, found: Any, work: int, site: int) -> Any:
        """The values of a binder, each of which costs so much fuel."""
        S.fuel -= len(found) * work
        if S.fuel < 0:
            raise fuel_error(self.program, site, TOO_MANY)
        return found

    # ---- changes

    def move_one(self, S: State, handle: int, to: int, identity: bool, top: bool, site: int) -> None:
        """Moves a piece, if it is there and fits."""
        if handle < 0:
            return
        item, origin = (handle, S.where[handle]) if identity else (handle & ITEM_MASK, handle >> ZONE_SHIFT)
        layout = self.layout
        contents = S.z[to]
        room = layout.inst_capacity[to]
        if identity and origin < 0:
            raise rule_error(self.program, site, "nobody can know where this piece lies: it is in a shuffled pile")
        if origin < 0 or (room >= 0 and origin != to and len(contents) >= room):
            return
        source = S.z[origin]
        S.fuel -= (len(source) + len(contents)) >> 6
        if source and source[-1] == item:
            source.pop()
        elif not take(source, item, layout.inst_pile[origin]):
            return
        put_into(contents, item, layout.inst_pile[to], top)
        if identity:
            S.where[item] = to

    def move(self, S: State, handles: list[int], to: int, identity: bool, top: bool) -> None:
        """Moves pieces, as many as fit."""
        if not handles:
            return
        layout = self.layout
        S.fuel -= len(handles)
        z, where, room, piles = S.z, S.where, layout.inst_capacity[to], layout.inst_pile
        contents, to_pile = z[to], piles[to]
        for handle in handles:
            item, origin = (handle, where[handle]) if identity else (handle & ITEM_MASK, handle >> ZONE_SHIFT)
            if room >= 0 and origin != to and len(contents) >= room:
                break
            if origin < 0 or not take(z[origin], item, piles[origin]):
                continue
            put_into(contents, item, to_pile, top)
            if identity:
                where[item] = to

    def move_slots(self, S: State, origin: int, amount: int, to: int, top: bool) -> None:
        """Moves pieces as they lie, unknown ones too."""
        layout = self.layout
        source, contents = S.z[origin], S.z[to]
        n = min(max(amount, 0), len(source))
        room = layout.inst_capacity[to]
        if room >= 0 and origin != to:
            n = min(n, max(room - len(contents), 0))
        if not n:
            return
        S.fuel -= n
        if layout.inst_pile[origin]:
            members = source[: -n - 1 : -1]
            del source[len(source) - n :]
        else:
            members = source[:n]
            del source[:n]
        pile = layout.inst_pile[to]
        if not pile:
            contents += members
            contents.sort()
        elif top:
            contents += members
        else:
            contents[:0] = members[::-1]
        if self.program.kinds[layout.inst_kind[to]].identity:
            for member in members:
                if member >= 0:
                    S.where[member] = to

    def spend(self, S: State, counts: Sequence[int], starts: Sequence[int], site: int) -> None:
        """Takes a payment out of purses."""
        if not starts:
            return
        size = len(counts) // len(starts)
        v = S.v
        for position, count in enumerate(counts):
            if count:
                cell = starts[position // size] + position % size
                if v[cell] < count:
                    raise rule_error(self.program, site, "a purse does not hold what is to be paid from it")
                v[cell] -= count

    def win(self, S: State, seats: Sequence[int], site: int) -> int:
        """The mask of the parties that win."""
        winners = set(seats)
        if min(winners, default=0) < 0:
            raise rule_error(self.program, site, "nobody is meant")
        return sum(1 << party for party in winners)


def joint_payments(cost: payments.Cost, held: Sequence[int], most: int) -> list[tuple[int, ...]]:
    """Every payment out of purses, what they hold one after the other."""
    size = len(cost[0])
    return payments.payments(cost, [tuple(held[x : x + size]) for x in range(0, len(held), size)], most)


def pieces_of(z: list[list[int]], zone: int, pile: bool, shift: int) -> list[int]:
    """The known pieces of a zone."""
    base = zone * shift
    return [item + base for item in (reversed(z[zone]) if pile else z[zone]) if item >= 0]


def family(z: list[list[int]], start: int, length: int, shift: int, pile: bool) -> list[int]:
    """The known pieces of zones that follow each other."""
    found: list[int] = []
    for there in range(start, start + length):
        contents = z[there]
        if contents:
            in_order = reversed(contents) if pile else contents
            found += [item + there * shift for item in in_order if item >= 0]
    return found


def active(z: list[list[int]], zones: Sequence[int], items: frozenset[int], shift: int) -> list[int]:
    """The pieces among these items that lie in these zones."""
    found = []
    for zone in zones:
        contents = z[zone]
        if contents and not items.isdisjoint(contents):
            found += [item + zone * shift for item in sorted(contents) if item in items]
    return found


def relocated(value: Any, zone: int) -> Any:
    """The handles of pieces that are in a zone now."""
    base = zone << ZONE_SHIFT
    if isinstance(value, list):
        return [(handle & ITEM_MASK) + base for handle in value]
    return value if value < 0 else (value & ITEM_MASK) + base


def difference(a: list[Any], b: list[Any]) -> list[Any]:
    """The first, less one for each in the second."""
    less = Counter(map(key, b))
    found = []
    for x in a:
        if less[key(x)]:
            less[key(x)] -= 1
        else:
            found.append(x)
    return found


def grouped_by(body: Callable[[Any], Any], found: list[Any]) -> list[tuple[Any, list[Any]]]:
    """Groups of elements with equal bodies, in order of the key."""
    groups: dict[Any, list[Any]] = {}
    for x in found:
        groups.setdefault(body(x), []).append(x)
    return sorted(groups.items())


def holders_of(body: Callable[[Any], int], found: list[Any], best: Callable[[list[int]], int]) -> list[Any]:
    """The elements whose body is the best one."""
    bodies = [body(x) for x in found]
    if not bodies:
        return []
    wanted = best(bodies)
    return [x for x, n in zip(found, bodies, strict=True) if n == wanted]


def end_of(found: Sequence[Any], place: int, none: int) -> Any:
    """The first or last element."""
    return found[place] if found else none


def firsts(found: list[Any], n: int) -> list[Any]:
    """The first n elements."""
    return found[: max(n, 0)]


def lasts(found: list[Any], n: int) -> list[Any]:
    """The last n elements."""
    return found[max(len(found) - max(n, 0), 0) :]


def pieces_at(z: list[list[int]], zone: int, piles: Sequence[bool], shift: int) -> list[int]:
    """The known pieces of a zone of any sort."""
    return pieces_of(z, zone, piles[zone], shift)


def seat_of(n: int, players: int) -> int:
    """The seat with a number, -1 if there is none."""
    return n if 0 <= n < players else -1


def reaction_owner(S: State, reaction: int) -> int:
    """The owner of a reaction's piece, -1 without piece."""
    piece = (reaction & REACTION_MASK) - 1
    return owner(S, piece) if piece >= 0 else -1


def bag_total(nothing: payments.Bag, bags: Sequence[payments.Bag]) -> payments.Bag:
    """The sum of bags."""
    total = nothing
    for bag in bags:
        total = payments.add(total, bag)
    return total


def cost_total(nothing: payments.Cost, costs: Sequence[payments.Cost]) -> payments.Cost:
    """The sum of costs."""
    total = nothing
    for cost in costs:
        total = payments.cost_add(total, cost)
    return total


def purse_bags(v: list[int], starts: Sequence[int], size: int) -> list[payments.Bag]:
    """What lies in each purse."""
    return [tuple(v[start : start + size]) for start in starts]


def can_pay(v: list[int], cost: payments.Cost, starts: Sequence[int]) -> bool:
    """Whether the purses hold what is to be paid."""
    size = len(cost[0])
    if len(starts) == 1:
        return payments.can_pay(cost, tuple(v[starts[0] : starts[0] + size]))
    return payments.can_pay(cost, payments.holdings(size, purse_bags(v, starts, size)))


def bag_at(v: list[int], cell: int, width: int) -> payments.Bag:
    """The bag that starts at a cell."""
    return tuple(v[cell : cell + width])


def pure_mark(base: int, parties: int, party: int) -> int:
    """The value of a mark that waits for a party, or for any."""
    return base + (party if party >= 0 else parties)


def absent_or(value: Any, none: int, other: Any) -> Any:
    """The value, or what a function gives where it is absent."""
    return other() if value == none else value


def pure_names() -> dict[str, Any]:
    """The functions that need no layout, by the name that generated code has for them."""
    functions = (
        family, active, relocated, difference, grouped_by, holders_of, end_of, firsts, lasts, pieces_at, pieces_of,
        reaction_owner, seat_of, bag_total, cost_total, purse_bags, can_pay, absent_or, distinct, shuffle,
        settle_within, owner, bag_at, pure_mark, look_up, known_pieces, shuffle_known,
    )  # fmt: skip
    return {
        **{function.__name__: function for function in functions},
        **{f"pure_{name}": function for name, function in PURE.items()},
        "insort": insort,
        "ABSENT_NUMBER": ABSENT_NUMBER,
        "keep": keep,
        "parted": parted,
        "taken": taken,
        "listed_sub_bags": payments.sub_bags,
        "make_wild": payments.make_wild,
        "holdings": payments.holdings,
    }


def names_of(helpers: Helpers) -> dict[str, Any]:
    """Everything that generated code calls, by name."""
    bound = (
        "fail", "tired", "outside", "wide", "div", "mod", "spent", "charged", "numbers", "others", "teammates",
        "players_from", "players_after", "neighbour", "end", "ends", "listed", "move_one", "move", "move_slots",
        "expanded", "payable", "placed", "spend", "win", "remember", "remember_handful", "remember_places",
        "selections", "span", "nested", "looked",
    )  # fmt: skip
    return {"players_in": helpers.layout.players_in, **pure_names(), **{name: getattr(helpers, name) for name in bound}}
