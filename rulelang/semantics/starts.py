"""What a game starts from must fit: bags into their capacity, deals into what the piles hold.

Enters: the checked tree. Leaves: findings `capacity-start` where a bag starts with more than it holds for a number of
players and some value of one option (the others at their default), and `zone-short` where the setup deals to players
from a pile that runs out, with the default options. The setup is followed as far as its numbers and places are known
beforehand; from the first statement on for which they are not, nothing is claimed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from operator import is_

from rulelang.diagnostics import Span, counted, enumerated
from rulelang.semantics import core
from rulelang.semantics.base import Shared, const, zone_symbol
from rulelang.semantics.core import CExpr, CStatement, Local, expressions
from rulelang.semantics.flow import walk
from rulelang.semantics.lints.known import Known
from rulelang.semantics.symbols import Bodies, Checked, DefinitionSym, VariableSym, ZoneSym
from rulelang.semantics.types import PLAYER, BagT, OptionalT, bare

Numbers = Mapping[Local, int]
Place = tuple[ZoneSym, tuple[int, ...]]
MOVES = (core.CMove, core.CDraw, core.CCall, core.CBreak, core.CReturn)
MANY = 20_000
"""So many statements of a setup are followed at most."""


def check_starts(shared: Shared, bodies: Bodies) -> None:
    """Report bags that start too full, once for each variable, and deals that fall short, once for each place."""
    ruleset = shared.checked.ruleset
    full: set[VariableSym] = set()
    short: dict[Span, tuple[ZoneSym, list[int]]] = {}
    for players in ruleset.players:
        for chosen in _choices(shared.checked, players):
            _bags(shared, Start(shared, players, chosen), full)
        for span, zone in _Setup(shared, bodies, players).short_draws():
            short.setdefault(span, (zone, []))[1].append(players)
    for span, (zone, counts) in short.items():
        several = counted(enumerated(counts), "player")
        message = f"with {several} `{zone.name}` runs out while it is dealt, and some get fewer than others"
        hint = "raise the `count` of its pieces, deal fewer, or narrow `players`"
        shared.diagnostics.error("zone-short", message, span, hint, [(zone.span, f"the zone `{zone.name}`")])


def _choices(checked: Checked, players: int) -> Iterator[dict[str, int | bool | str]]:
    """Yield the default options with so many players, then each other value of one option."""
    yield {}
    for option in checked.ruleset.options:
        others = (value for value in option.values if option.suits(value, players))
        yield from ({option.name: value} for value in others if value != option.default_for(players))


def _bags(shared: Shared, start: Start, full: set[VariableSym]) -> None:
    """Report the bags of one game that start too full; `full` are those that were reported before."""
    checked = shared.checked
    for sym in (*checked.variables, *checked.piece_variables):
        if not isinstance(sym.type, BagT) or sym in full or not (sym.each or sym.total or sym.limits):
            continue
        seats = range(start.parties) if sym.per[:1] == (PLAYER,) else (0,)
        overflow = next(filter(None, (start.too_full(sym, seat) for seat in seats)), None)
        if overflow is not None:
            full.add(sym)
            what, has, holds = overflow
            some = f" with {counted(start.players, 'player')}" if len(checked.ruleset.players) > 1 else ""
            message = f"`{sym.name}` starts with {has} {what}{some}, and holds {holds}"
            place = getattr(sym.decl, "start", None)
            span = place.span if place is not None else sym.span
            shared.diagnostics.error("capacity-start", message, span, "start with fewer, or raise the `capacity`")


class Start:
    """The values that variables start with in one game, as far as they are known beforehand."""

    def __init__(self, shared: Shared, players: int, chosen: Mapping[str, int | bool | str] | None) -> None:
        checked = shared.checked
        self.players = players
        self.shared = shared
        present = [a for a in checked.automata if players in a.players]
        self.automata = {a.index: players + n for n, a in enumerate(present)}
        self.parties = players + len(present)
        variant = dataclasses.replace(checked, ruleset=dataclasses.replace(checked.ruleset, players=(players,)))
        self.known = Known(variant, shared.eliminates, chosen)
        self.changed: set[object] = set()

    def too_full(self, sym: VariableSym, seat: int) -> tuple[str, int, int] | None:
        """Return the resource of which a variable starts with too much, the amount, and how much fits."""
        bag = self.variable(sym, (seat,) if sym.per else ())
        return self.overflow(sym, bag, (seat,)) if bag is not None else None

    def overflow(self, sym: VariableSym, bag: Sequence[int], indices: Sequence[int]) -> tuple[str, int, int] | None:
        """Return the resource of which a bag has too much for a variable, the amount, and how much fits."""
        res = self.shared.type_sym(sym.type.resource) if isinstance(sym.type, BagT) else None
        if res is None:
            return None
        numbers = dict(zip(sym.capacity_indices, indices, strict=False))
        rooms = [(name, bag[i], sym.limits.get(i, sym.each)) for i, name in enumerate(res.values)]
        for what, has, room in [*rooms, ("goods in all", sum(bag), sym.total)]:
            holds = self.number(room, numbers) if room is not None else None
            if holds is not None and 0 <= holds < has:
                return what, has, holds
        return None

    def variable(self, sym: VariableSym, indices: Sequence[int]) -> tuple[int, ...] | None:
        """Return what a bag holds at the start, by resource; None if rules change it, it is no bag, or that is not
        certain."""
        if sym in self.changed or not isinstance(sym.type, BagT):
            return None
        if sym.start is None:
            res = self.shared.type_sym(sym.type.resource)
            return (0,) * len(res.values) if res is not None else None
        return self.bag(sym.start, dict(zip(sym.start_indices, indices, strict=False)))

    def bag(self, e: CExpr, numbers: Numbers) -> tuple[int, ...] | None:
        """Return the counts of a bag, if they are certain."""
        parts = expressions(e.args)
        match e.op:
            case "bag":
                return self.numbers(parts, numbers)
            case "bag_add":
                left, right = (self.bag(part, numbers) for part in parts)
                return None if left is None or right is None else tuple(map(int.__add__, left, right))
            case "bag_scale":
                times, bag = self.number(parts[0], numbers), self.bag(parts[1], numbers)
                return None if times is None or bag is None else tuple(times * n for n in bag)
            case "if":
                asked = self.number(parts[0], numbers)
                return None if asked is None else self.bag(parts[1 if asked else 2], numbers)
            case "var" if isinstance(e.args[0], VariableSym):
                indices = self.numbers(parts, numbers)
                return None if indices is None else self.variable(e.args[0], indices)
        return None

    def place(self, e: CExpr, numbers: Numbers) -> Place | None:
        """Return the zone and its indices, if they are certain."""
        parts = expressions(e.args)
        if e.op == "if":
            asked = self.number(parts[0], numbers)
            return None if asked is None else self.place(parts[1 if asked else 2], numbers)
        indices, zone = self.numbers(parts, numbers), zone_symbol(e)
        return (zone, indices) if zone is not None and indices is not None else None

    def place_of(self, row: DefinitionSym, seat: int) -> Place | None:
        """Return where the pieces of a row start, those of a seat if each has its own; None if it is not certain."""
        numbers = {row.start_seat: seat} if row.start_seat is not None else {}
        return self.place(row.start, numbers) if row.start is not None else None

    def number(self, e: CExpr, numbers: Numbers) -> int | None:
        """Return the number, if it is certain; a party that is absent is -1."""
        values = self.known.values(self._with_known(e, numbers))
        if values is None or len(values) != 1:
            return None
        (value,) = values
        return -1 if value is None else value

    def numbers(self, parts: Sequence[CExpr], numbers: Numbers) -> tuple[int, ...] | None:
        """Return several numbers, if all are certain."""
        values = tuple(n for part in parts if (n := self.number(part, numbers)) is not None)
        return values if len(values) == len(parts) else None

    def _with_known(self, e: CExpr, numbers: Numbers) -> CExpr:
        """Return the expression with what is known of the game in the place of what reads it."""
        parts = expressions(e.args)
        value: int | None = None
        if e.op == "local" and isinstance(e.args[0], Local):
            value = numbers.get(e.args[0])
        elif e.op == "automaton":
            value = self.automata.get(int(str(e.args[0])), -1)
        elif e.op in ("bag_get", "bag_pick", "bag_size"):
            bag = self.bag(parts[0], numbers)
            which = self.number(parts[1], numbers) if e.op == "bag_pick" else e.args[1] if e.op == "bag_get" else None
            if bag is not None:
                value = sum(bag) if e.op == "bag_size" else bag[which] if isinstance(which, int) else None
        elif e.op == "var" and isinstance(e.args[0], VariableSym) and e.args[0] not in self.changed:
            sym = e.args[0]
            if sym.start is not None and not isinstance(sym.type, BagT | OptionalT):
                indices = self.numbers(parts, numbers)
                if indices is not None:
                    value = self.number(sym.start, dict(zip(sym.start_indices, indices, strict=False)))
        elif e.op == "cast":
            return self._with_known(parts[0], numbers)
        if value is not None:
            return const(value, bare(e.type), e.span)
        args = tuple(self._with_known(a, numbers) if isinstance(a, CExpr) else a for a in e.args)
        return e if all(map(is_, args, e.args)) else dataclasses.replace(e, args=args)


class _UnknownError(Exception):
    """What happens from here on depends on the game."""


class _Setup:
    """The setup of one game, followed by what it draws."""

    def __init__(self, shared: Shared, bodies: Bodies, players: int) -> None:
        self.bodies = bodies
        self.checked = shared.checked
        self.start = Start(shared, players, {})
        self.held = {kind.name: self._laid_out(kind.name) for kind in self.checked.kinds.values()}
        self.shortages: dict[Span, ZoneSym] = {}
        self.steps = 0

    def short_draws(self) -> Iterator[tuple[Span, ZoneSym]]:
        """Follow the setup and yield the draws that find too few pieces, each with the zone drawn from; those before
        what is not certain."""
        try:
            if self.checked.setup is not None:
                self.follow(self.bodies[self.checked.setup].statements, {})
        except _UnknownError:
            pass
        return iter(self.shortages.items())

    def _laid_out(self, kind: str) -> dict[Place, int | None] | None:
        """Return the number of pieces of a kind that start in each place; None where it is not certain."""
        counts: dict[Place, int | None] = {}
        for row in self.checked.kinds[kind].definitions:
            count = self.start.number(row.count, {}) if row.count is not None else None
            for seat in range(self.start.players) if row.decl.per_player else (0,):
                place = self.start.place_of(row, seat)
                if count is None or place is None:
                    return None
                counts[place] = (counts.get(place) or 0) + max(count, 0)
        return counts

    def follow(self, statements: Sequence[CStatement], numbers: dict[Local, int]) -> None:
        """Execute statements abstractly; `numbers` are the known values of locals."""
        for s in statements:
            self.steps += 1
            if self.steps > MANY:
                raise _UnknownError
            self.statement(s, numbers)

    def statement(self, s: CStatement, numbers: dict[Local, int]) -> None:
        """Follow a statement of the setup, counting what it moves; what is not certain raises `_UnknownError`."""
        match s:
            case core.CFor():
                for value in self.elements(s.collection, numbers):
                    self.follow(s.body, {**numbers, s.local: value})
            case core.CIf():
                asked = self.start.number(s.condition, numbers)
                if asked is not None:
                    self.follow(s.then if asked else s.otherwise, numbers)
                elif any(isinstance(inner, MOVES) for inner in walk((*s.then, *s.otherwise))):
                    raise _UnknownError
            case core.CStep():
                self.follow(s.body, numbers)
            case core.CCall(procedure=callee):
                values = [self.start.number(argument, numbers) for argument in s.arguments]
                body = self.bodies[callee]
                known = zip(body.parameters, values, strict=False)
                self.follow(body.statements, {local: value for local, value in known if value is not None})
            case core.CSet():
                number = self.start.number(s.value, numbers)
                numbers.pop(s.local, None)
                if number is not None:
                    numbers[s.local] = number
            case core.CDo():
                self.start.changed.update(arg for arg in s.args if isinstance(arg, VariableSym))
            case core.CDraw():
                self.draw(s, numbers)
            case core.CMove():
                self.fill(self.start.place(s.zone, numbers), None)
            case core.CShuffle() | core.CExpose() | core.CMoment() | core.CRandom():
                pass
            case core.CChoose() if not any(isinstance(inner, MOVES) for item in s.items for inner in walk(item.body)):
                pass
            case _:
                raise _UnknownError

    def elements(self, e: CExpr, numbers: Numbers) -> Sequence[int]:
        """Return the values over which a loop runs; the order of players does not matter."""
        parts = expressions(e.args)
        if e.op in ("players", "everyone", "players_from"):
            return range(self.start.players)
        if e.op == "numbers":
            low, high = (self.start.number(part, numbers) for part in parts)
            if low is not None and high is not None and high - low < MANY:
                return range(low, high + 1)
        sym = self.start.shared.type_sym(str(e.args[0]).partition(":")[2]) if e.op == "domain" else None
        if sym is not None:
            pairs = sym.between.get(self.start.players, ())
            return range(len(pairs) if sym.category == "between" else len(sym.values))
        raise _UnknownError

    def draw(self, s: core.CDraw, numbers: Numbers) -> None:
        """Move pieces from the count of a pile to that of a zone, as many as it has at most."""
        pile, zone = self.start.place(s.pile, numbers), self.start.place(s.zone, numbers)
        if pile is None or (counts := self.held[pile[0].kind]) is None:
            self.fill(zone, None)
            return
        available = counts.get(pile, 0) if pile[0].decl.refill is None else None
        count = available if s.whole else self.start.number(s.count, numbers)
        if available is None or count is None:
            self.fill(zone, None)
            return
        if count > available and zone is not None and zone[0].owned:
            self.shortages.setdefault(s.span, pile[0])
        taken = min(available, max(count, 0))
        counts[pile] = available - taken
        self.fill(zone, taken)

    def fill(self, zone: Place | None, gained: int | None) -> None:
        """Add pieces to the count of a zone; None: an unknown number."""
        if zone is None:
            raise _UnknownError
        counts = self.held[zone[0].kind]
        if counts is not None:
            present = counts.get(zone, 0)
            counts[zone] = present + gained if present is not None and gained is not None else None
