"""Abstract execution of a game: how many pieces lie where and what variables hold, as far as it is certain.

Enters: the checked tree with the bodies of its procedures, a number of players. Leaves: `Start`, what variables start
with; `Execution`, which runs procedures statement by statement with the default options. Where games part, what a
statement may change is forgotten (a widening to "unknown"); where one of them leaves a loop, a rule or the game there
and another does not, `UnknownError` is raised.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from operator import is_

from rulelang.semantics.analysis.flow import walk
from rulelang.semantics.analysis.known import KnownValues
from rulelang.semantics.analysis.writes import writes
from rulelang.semantics.tree import core
from rulelang.semantics.tree.core import CExpr, CStatement, Local, expressions, subexpressions
from rulelang.semantics.tree.shared import Shared, const, zone_symbol
from rulelang.semantics.tree.symbols import Bodies, DefinitionSym, ProcedureSym, VariableSym, ZoneSym
from rulelang.semantics.tree.types import BOOL, BagT, OptionalT, PieceT, ZoneT, bare
from rulelang.vocabulary.operations import BAG_COUNTS, EVERY, SOURCES, STATEMENTS, SUBSET

Numbers = Mapping[Local, int]
Place = tuple[ZoneSym, tuple[int, ...]]
Pieces = tuple[Place, int | None]
"""Where pieces lie, and how many they are, if that is certain."""
STEPS = 6_000
"""So many statements are executed at most."""
EVERYONE = EVERY - {"parties"}


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
        self.known = KnownValues(variant, shared.eliminates, chosen)
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
        if e.op == "const":
            return int(str(e.args[0]))
        if e.op == "local" and e.args[0] in numbers:
            return numbers[e.args[0]]
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
        elif e.op in BAG_COUNTS:
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
        args = tuple([self._with_known(a, numbers) if isinstance(a, CExpr) else a for a in e.args])
        return e if all(map(is_, args, e.args)) else CExpr(e.op, e.type, args, e.span)


class UnknownError(Exception):
    """What happens from here on depends on the game."""


class _LeftError(Exception):
    """A loop is left; with the label of none, the rule (`return`) or the game (`end`)."""

    def __init__(self, label: str, value: int | None = None) -> None:
        self.label = label
        self.value = value


RETURN, END = "return", "end"


class Execution(Start):
    """One game of so many players with the default options, executed by what it moves."""

    def __init__(self, shared: Shared, bodies: Bodies, players: int) -> None:
        super().__init__(shared, players, {})
        self.bodies = bodies
        self.numbers_of: dict[Local, int] = {}
        self.pieces_of: dict[Local, Pieces] = {}
        self.cells: dict[tuple[VariableSym, tuple[int, ...]], int] = {}
        self.deferred: set[object] = set()
        self.unknown: set[ZoneSym] = set()
        self.counts: Counter[Place] = Counter()
        self.taken: Counter[Place] = Counter()
        self.steps = 0
        self._running: list[ProcedureSym] = []
        if players not in shared.laid_out:
            for kind in shared.checked.kinds.values():
                known: dict[tuple[int, int], Place | None] = {}  # rows share where they start
                for row in kind.definitions:
                    self._lay_out(row, kind.zones, known)
            shared.laid_out[players] = self.counts, self.unknown
        counts, unknown = shared.laid_out[players]
        self.counts, self.unknown = Counter(counts), {*unknown}

    def run(self, procedure: ProcedureSym | None) -> None:
        """Execute a procedure without parameters, to its end or that of the game.

        Raises:
            UnknownError: what happens is not certain.
        """
        if procedure is not None:
            with suppress(_LeftError):
                self.block(self.bodies[procedure].statements)

    def _lay_out(
        self, row: DefinitionSym, zones: Sequence[ZoneSym], known: dict[tuple[int, int], Place | None]
    ) -> None:
        """Count the pieces of a row where they start; `known`: by the identity of an expression and a seat a place."""
        count = self.number(row.count, {}) if row.count is not None else None
        for seat in range(self.players) if row.decl.per_player else (0,):
            key = id(row.start), seat
            if key not in known:
                known[key] = self.place_of(row, seat)
            place = known[key]
            if count is None or place is None:
                self.unknown.update(zones)
            else:
                self.counts[place] += max(count, 0)

    # ---- what is known

    def count(self, place: Place) -> int | None:
        """Return the number of pieces in a place, if it is certain."""
        return None if place[0] in self.unknown else self.counts[place]

    def pieces(self, e: CExpr, numbers: Numbers | None = None) -> Pieces | None:
        """Return where all pieces of an expression lie and how many they are; None if the place is not certain."""
        numbers, parts = self.numbers_of if numbers is None else numbers, expressions(e.args)
        if isinstance(e.type, ZoneT) and e.op in ("zone", "if"):
            place = self.place(e, numbers)
            return (place, self.count(place)) if place is not None else None
        if e.op == "local":
            return self.pieces_of.get(e.args[0])
        if e.op not in SOURCES or (e.op in SUBSET and e.op not in ("firsts", "lasts")):
            return None
        source = self.pieces(parts[0], numbers)
        if source is None or e.op in ("pieces", "cast"):
            return source
        most = self.number(parts[1], numbers) if len(parts) > 1 else 1
        return source[0], None if source[1] is None or most is None else min(source[1], max(most, 0))

    def _with_known(self, e: CExpr, numbers: Numbers) -> CExpr:
        value = self._value(e, numbers)
        return super()._with_known(e, numbers) if value is None else const(value, bare(e.type), e.span)

    def _value(self, e: CExpr, numbers: Numbers) -> int | None:
        """Return the value of an expression that reads where pieces lie, a variable, or what is common to players."""
        match e.op, e.args:
            case (("size" | "count" | "is_none"), (CExpr() as of,)):
                known = self.pieces(of, numbers)
                if known is None or known[1] is None:
                    absent = numbers.get(of.args[0]) if e.op == "is_none" and of.op == "local" else None
                    return None if absent is None else int(absent == -1)
                return int(known[1] == 0) if e.op == "is_none" else known[1]
            case "not", (CExpr() as condition,):
                holds = self.number(condition, numbers)
                return None if holds is None else 1 - holds
            case "deferred", (word,):
                return int(word in self.deferred) if word not in self.changed else None
            case "var", (VariableSym() as sym, *_):
                indices = self.numbers(expressions(e.args), numbers)
                if indices is None or sym in self.changed or sym.mark or sym.internal:
                    return None
                return self.cells.get((sym, indices), 0 if sym.start is None and sym.type == BOOL else None)
            case (("and" | "or"), parts):
                return _joined(e.op == "or", [self.number(part, numbers) for part in parts])
            case (("any" | "all"), (local, collection, body)) if collection.op in EVERYONE:
                each = [self.number(body, {**numbers, local: seat}) for seat in range(self.players)]
                return _joined(e.op == "any", each)
            case "call", (ProcedureSym(category="function", depth=0) as called, *_) if called.body.value is not None:
                values = self.numbers(expressions(e.args), numbers)
                if values is not None and len(values) == len(called.body.parameters):
                    return self.number(called.body.value, dict(zip(called.body.parameters, values, strict=True)))
        return None

    # ---- statements

    def block(self, statements: Sequence[CStatement]) -> None:
        """Execute statements; of one of which it is not certain what it does, forget what it may change."""
        for s in statements:
            self.steps += 1
            if self.steps > STEPS:
                raise UnknownError
            try:
                self.statement(s)
            except UnknownError:
                self.forget((s,))

    def statement(self, s: CStatement) -> None:
        """Execute a statement. Raises UnknownError if what it does is not known."""
        numbers = self.numbers_of
        match s:
            case core.CFor():
                self.loop(s)
            case core.CLoop():
                while not self.leaves(s.label, s.body):
                    pass
            case core.CIf():
                asked = self.number(s.condition, numbers)
                if asked is None:
                    raise UnknownError
                self.block(s.then if asked else s.otherwise)
            case core.CStep():
                self.block(s.body)
            case core.CCall():
                self.call(s)
            case core.CSet():
                self.bind(s.local, self.pieces(s.value), self.number(s.value, numbers))
            case core.CRandom():
                drawn = self.pieces(s.args[0]) if s.kind in ("element", "some") else None
                many = self.number(s.args[1], numbers) if s.kind == "some" else 1
                self.bind(s.result, self.part(drawn, many, many))
            case core.CDo():
                self.change(s)
            case core.CDraw():
                self.draw(s)
            case core.CMove():
                self.move(s)
            case core.CChoose():
                self.choose(s)
            case core.CBreak():
                raise _LeftError(s.label)
            case core.CReturn():
                raise _LeftError(RETURN, self.number(s.value, numbers) if s.value is not None else None)
            case core.CEnd():
                raise _LeftError(END)

    def leaves(self, label: str, body: Sequence[CStatement]) -> bool:
        """Execute a block and return whether it leaves by a label."""
        try:
            self.block(body)
        except _LeftError as left:
            if left.label != label:
                raise
            return True
        return False

    def loop(self, s: core.CFor) -> None:
        """Execute a loop for each of its elements."""
        known = self.pieces(s.collection)
        if known is not None and known[1] is not None:
            elements: Iterator[tuple[Pieces | None, int | None]] = (((known[0], 1), None) for _ in range(known[1]))
        else:
            elements = ((None, value) for value in self.elements(s.collection))
        for pieces, value in elements:
            self.bind(s.local, pieces, value)
            if self.element(s):
                break

    def element(self, s: core.CFor) -> bool:
        """Execute the body of a loop once; return whether it leaves the loop."""
        return self.leaves(s.label, s.body)

    def elements(self, e: CExpr) -> Sequence[int]:
        """Return the values over which a loop runs; players from one who is not known count from the first. Raises
        UnknownError if they are not known."""
        parts = expressions(e.args)
        if e.op in EVERYONE:
            first = self.number(parts[0], self.numbers_of) if parts else 0
            return [((first or 0) + n) % self.players for n in range(self.players)]
        if e.op == "numbers":
            low, high = (self.number(part, self.numbers_of) for part in parts)
            if low is not None and high is not None and high - low < STEPS:
                return range(low, high + 1)
        sym = self.shared.type_sym(str(e.args[0]).partition(":")[2]) if e.op == "domain" else None
        if sym is not None:
            pairs = sym.between.get(self.players, ())
            return range(len(pairs) if sym.category == "between" else len(sym.values))
        raise UnknownError

    def call(self, s: core.CCall) -> None:
        """Execute a call; what a rule that calls itself does is not known. Raises UnknownError if what it does is not
        known."""
        if s.procedure in self._running:
            raise UnknownError
        body = self.bodies[s.procedure]
        values = [(self.pieces(a), self.number(a, self.numbers_of)) for a in s.arguments]
        for local, (pieces, number) in zip(body.parameters, values, strict=True):
            self.bind(local, pieces, number)
        value = None
        self._running.append(s.procedure)
        try:
            self.block(body.statements)
        except _LeftError as left:
            if left.label != RETURN:
                raise
            value = left.value
        finally:
            self._running.pop()
        if s.result is not None:
            self.bind(s.result, None, value)

    def bind(self, local: Local, pieces: Pieces | None, number: int | None = None) -> None:
        """Give a local what is known of its value."""
        self.pieces_of.pop(local, None)
        self.numbers_of.pop(local, None)
        if pieces is not None:
            self.pieces_of[local] = pieces
        elif number is not None:
            self.numbers_of[local] = number

    def change(self, s: core.CDo) -> None:
        """Note what a plain effect does to a variable. Raises UnknownError if what it does is not known."""
        variable, *rest = s.args or (None,)
        if s.op in ("defer", "undefer"):
            (self.deferred.add if s.op == "defer" else self.deferred.discard)(variable)
        elif s.op == "set_var" and isinstance(variable, VariableSym) and not variable.mark:
            value, *indices = expressions(rest)
            new, cell = self.number(value, self.numbers_of), self.numbers(indices, self.numbers_of)
            if new is None or cell is None or isinstance(variable.type, BagT | OptionalT):
                self.changed.add(variable)
            else:
                self.cells[variable, cell] = new
        elif s.op == "evaluate":
            raise UnknownError
        else:
            self.changed |= _written(s)

    def part(self, of: Pieces | None, low: int | None, high: int | None) -> Pieces | None:
        """Return so many of some pieces."""
        if of is None or of[1] is None or low is None or high is None:
            return (of[0], None) if of is not None else None
        low, high = min(low, of[1]), min(high, of[1])
        return of[0], low if low == high else None

    def draw(self, s: core.CDraw) -> None:
        """Move pieces of a pile, as many as it has at most."""
        pile = self.pieces(s.pile)
        wanted = pile[1] if pile is not None and s.whole else self.number(s.count, self.numbers_of)
        refill = pile[0][0].decl.refill if pile is not None else None
        if pile is not None and refill is not None and (pile[1] is None or wanted is None or wanted > pile[1]):
            self.unknown.update(z for z in self.shared.checked.zones if z.name == refill)
            wanted = None
        self.relocate(s, self.part(pile, wanted, wanted), s.pile)

    def move(self, s: core.CMove) -> None:
        """Move pieces."""
        if s.what.op == "local" and self.numbers_of.get(s.what.args[0]) == -1:
            return  # nothing was there to choose
        moved = self.relocate(s, self.pieces(s.what), s.what)
        if s.relocated is not None:
            self.bind(s.relocated, moved)

    def relocate(self, s: core.CMove | core.CDraw, moved: Pieces | None, source: CExpr) -> Pieces | None:
        """Count pieces in another place; return them there."""
        target = self.place(s.zone, self.numbers_of)
        if moved is None or moved[1] is None or target is None or target[0].capacity is not None:
            self.unknown |= self._zones(source) if moved is None else {moved[0][0]}
            self.unknown |= self._zones(s.zone)
            return None
        origin, many = moved[0], moved[1]
        self.counts[origin] -= many
        self.taken[origin] += many
        self.counts[target] += many
        return target, many

    def choose(self, s: core.CChoose) -> None:
        """Execute a decision of which it is certain what is done. Raises UnknownError if it is not certain."""
        if s.together or s.you is not None or any(len(item.binders) > 1 for item in s.items):
            raise UnknownError
        offered = [(item, self.offers(s, item)) for item in s.items]
        sure = [item for item, is_offered in offered if is_offered]
        if len(sure) > 1 or any(is_offered is None for _, is_offered in offered):
            raise UnknownError
        if sure:
            self.block(sure[0].body)
        else:
            self.block(s.otherwise or ())

    def offers(self, s: core.CChoose, item: core.CItem) -> bool | None:
        """Return whether there is something to choose, and bind what is chosen; None if it is not certain."""
        some = True
        for binder in item.binders:
            source = self.pieces(binder.args[0]) if binder.kind in ("each", "some") else None
            low, high = (self.number(a, self.numbers_of) for a in binder.args[1:3]) if binder.kind == "some" else (1, 1)
            if source is None or source[1] is None or (high == 0 and s.ask != "some"):
                return None
            some = binder.kind == "some" or source[1] > 0
            self.bind(binder.local, self.part(source, low, high))
        guards = [self.number(guard.condition, self.numbers_of) for guard in item.guards]
        return False if not some or 0 in guards else None if None in guards else True

    # ---- what is not known

    def forget(self, statements: Sequence[CStatement]) -> None:
        """Forget what statements may change.

        Raises:
            UnknownError: they may leave what they stand in.
        """
        own = {s.label for s in walk(statements) if isinstance(s, core.CLoop | core.CFor)}
        seen: set[ProcedureSym] = set()
        waiting: list[tuple[CStatement, bool]] = [(s, True) for s in walk(statements)]
        while waiting:
            s, is_own = waiting.pop()
            self.steps += 1
            if isinstance(s, core.CEnd) or self.steps > STEPS:
                raise UnknownError
            if is_own and (isinstance(s, core.CReturn) or (isinstance(s, core.CBreak) and s.label not in own)):
                raise UnknownError
            match s:
                case core.CMove(what=source) | core.CDraw(pile=source):
                    self.unknown |= self._zones(source) | self._zones(s.zone)
                    refills = {zone.decl.refill for zone in self._zones(source)}
                    self.unknown.update(z for z in self.shared.checked.zones if z.name in refills)
                case core.CDo():
                    self.changed |= _written(s)
            for called in {s.procedure} if isinstance(s, core.CCall) else _called(s):
                if called not in seen:
                    seen.add(called)
                    waiting += [(inner, False) for inner in walk(self.bodies[called].statements)]
            for local in s.bound():
                self.bind(local, None)

    def _zones(self, e: CExpr) -> set[ZoneSym]:
        """Return the zones in which the pieces of an expression may lie, or of which it is one."""
        while e.op in SOURCES:
            e = e.args[SOURCES[e.op]]
        known = self.pieces(e)
        if known is not None:
            return {known[0][0]}
        if e.op in ("zone", "family"):
            return {e.args[0]}
        zones = set(self.shared.checked.zones)
        kind = bare(e.type)
        return {z for z in zones if z.kind == kind.kind} if isinstance(kind, PieceT) else zones


def _joined(decides: bool, parts: Sequence[int | None]) -> int | None:
    """Return whether some of the parts hold (`decides`), or all; None if it is not certain."""
    return int(decides) if int(decides) in parts else None if None in parts else int(not decides)


def _written(s: core.CDo) -> set[object]:
    """Return the variables that a plain effect may change, and what it puts off the end of the game to."""
    return {*writes(s), *(s.args[:1] if STATEMENTS[s.op].reads == {"deferrals"} else ())}


def _called(s: CStatement) -> set[ProcedureSym]:
    """Return the procedures that a plain effect calls."""
    read = expressions(s.args) if isinstance(s, core.CDo) and s.op == "evaluate" else ()
    return {arg for e in read for part in subexpressions(e) for arg in part.args if isinstance(arg, ProcedureSym)}
