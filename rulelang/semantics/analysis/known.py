"""What is known of a value before a game: the few values that it can have, or its range.

Enters: an expression of the checked tree. Leaves: a set that holds all values it can have, or None if they are many.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import product

from rulelang.semantics.tree.core import CExpr, expressions
from rulelang.semantics.tree.symbols import Checked, KindSym, ProcedureSym, ZoneSym
from rulelang.semantics.tree.types import INT_MAX, INT_MIN, NumberT, OptionalT
from rulelang.vocabulary.computing import COMPUTES, PAIRS
from rulelang.vocabulary.operations import EQUALITIES

Values = frozenset[int | None]
MOST = 64


@dataclass(frozen=True)
class KnownValues:
    """Answers for one ruleset.

    `eliminates`: whether a player can be out of the game. `chosen`: options of the game, where it is a certain one;
    then all others have their default. `pieces`: whether a zone holds no more than the pieces that there are now; else
    only its capacity counts.
    """

    checked: Checked
    eliminates: bool
    chosen: Mapping[str, int | bool | str] | None = None
    pieces: bool = True
    _columns: dict[tuple[KindSym, int], Values | None] = field(default_factory=dict, init=False, compare=False)
    _pieces: dict[KindSym, int | None] = field(default_factory=dict, init=False, compare=False)

    def lasting(self) -> KnownValues:
        """Return the known values that also hold when rows of pieces are added."""
        return replace(self, pieces=False)

    def values(self, e: CExpr) -> Values | None:
        """Return all values that an expression can have (with None if it can be absent); None if they are not known."""
        match e.op:
            case "const":
                absent = isinstance(e.type, OptionalT) and e.args[0] == -1
                return frozenset((None if absent else int(str(e.args[0])),))
            case "cast" if isinstance(e.args[0], CExpr) and e.args[0].op == "const":
                return self.values(e.args[0])
            case "option":
                option = e.args[0].option
                counts = self.checked.ruleset.players
                asked = None if self.chosen is None else self.chosen.get(option.name, option.default_for(counts[0]))
                suiting = [(i, v) for i, v in enumerate(option.values) if any(option.suits(v, n) for n in counts)]
                values = [(i, v) for i, v in suiting if asked is None or v == asked]
                return frozenset(int(v) if not isinstance(v, str) else i for i, v in values)
            case "player_count":
                return frozenset(self.checked.ruleset.players)
            case "count" | "size":
                return self._count(e)
            case "call":
                return self._called(e)
            case "attr":
                kind, position, _ = e.args
                if (kind, position) not in self._columns:
                    self._columns[kind, position] = self._union(row.attributes[position] for row in kind.definitions)
                return self._columns[kind, position]
            case "eattr" | "gattr":
                sym, position, _ = e.args
                columns = list(sym.attribute_values.values())
                return self._union(columns[position]) if position < len(columns) else None
            case "if":
                return self._either(e)
            case op if op in PAIRS:
                return self._computed(e)
        return self._range(e)

    def bounds(self, e: CExpr) -> tuple[int, int]:
        """Return the least and the greatest that a number can be."""
        values = self.values(e)
        numbers = [v for v in values if v is not None] if values is not None else []
        if numbers:
            return min(numbers), max(numbers)
        return (e.type.low, e.type.high) if isinstance(e.type, NumberT) else (INT_MIN, INT_MAX)

    def least(self, e: CExpr) -> int | None:
        """Return the least number that an expression can be, if its values are known and it can't be absent."""
        values = self.values(e)
        return min(v for v in values if v is not None) if values and None not in values else None

    def most(self, e: CExpr) -> int | None:
        """Return the greatest number that an expression can be, if its values are known."""
        values = self.values(e)
        return max(v for v in values if v is not None) if values and None not in values else None

    def outcome(self, e: CExpr) -> bool | None:
        """Return the constant outcome of a comparison, or None if it depends on the state."""
        left, right = e.args
        outcomes = self._computed(e)
        if outcomes:
            return None if len(outcomes) > 1 else outcomes == {1}
        if not isinstance(left.type, NumberT) or not isinstance(right.type, NumberT):
            return None
        (a, b), (c, d) = self.bounds(left), self.bounds(right)
        apart = b < c or d < a
        ends = {bool(COMPUTES[e.op](x, y)) for x in (a, b) for y in (c, d)}
        return ends.pop() if len(ends) == 1 and (apart or e.op not in EQUALITIES) else None

    # ---- parts

    def _range(self, e: CExpr) -> Values | None:
        """Return all numbers of the type of an expression; None if they are more than MOST, or no numbers."""
        t = e.type
        if isinstance(t, NumberT) and t.high - t.low < MOST:
            return frozenset(range(t.low, t.high + 1))
        return None

    def _union(self, parts: Iterable[CExpr]) -> Values | None:
        """Return the values that any of the expressions can have; None if they are unknown or more than MOST."""
        union: set[int | None] = set()
        for part in parts:
            values = self.values(part)
            if values is None:
                return None
            union |= values
        return frozenset(union) if len(union) <= MOST else None

    def _count(self, e: CExpr) -> Values | None:
        """Return how many players there are, or others, or up to that of those for which something holds; how many
        pieces can lie in a place."""
        of = e.args[0]
        players = self.checked.ruleset.players
        some = False
        while isinstance(of, CExpr) and of.op in ("filter", "pieces"):
            some = some or of.op == "filter"
            of = of.args[1] if of.op == "filter" else of.args[0]
        if isinstance(of, CExpr) and of.op == "zone":
            return self._contents(of)
        if not isinstance(of, CExpr) or (self.eliminates and of.op != "everyone"):
            return None
        less = 1 if of.op == "others" and not self.checked.automata else 0
        if less == 0 and of.op not in ("players", "everyone"):
            return None
        counts = frozenset(n - less for n in players)
        return frozenset(range(max(counts) + 1)) if some else counts

    def _contents(self, place: CExpr) -> Values | None:
        """Return the values that the number of pieces in a zone can have."""
        zone = place.args[0]
        if not isinstance(zone, ZoneSym):
            return None
        room = [self.most(zone.capacity) if zone.capacity is not None else None]
        if self.pieces:
            kind = self.checked.kinds[zone.kind]
            if kind not in self._pieces:
                self._pieces[kind] = self._exist(kind)
            room.append(self._pieces[kind])
        most = min((n for n in room if n is not None), default=MOST)
        return frozenset(range(most + 1)) if 0 <= most < MOST else None

    def _exist(self, kind: KindSym) -> int | None:
        """Return an upper bound of the number of pieces of a kind."""
        total = 0
        for row in kind.definitions:
            count = self.most(row.count) if row.count is not None else 1
            if count is None:
                return None
            total += max(count, 0) * (max(self.checked.ruleset.players) if row.decl.per_player else 1)
        return total

    def _called(self, e: CExpr) -> Values | None:
        """Return the values of a function that is one expression; a constant may be there to be replaced, so it is
        not known."""
        procedure = e.args[0]
        if isinstance(procedure, ProcedureSym) and procedure.category == "function" and not procedure.depth:
            value = procedure.body.value
            values = self.values(value) if value is not None else None
            if values is not None and len(values) > 1:
                return values
        return self._range(e)

    def _either(self, e: CExpr) -> Values | None:
        """Return the values of a conditional: of one branch alone where its condition is known."""
        condition, then, otherwise = expressions(e.args)
        asked = self.values(condition)
        if asked == frozenset((1,)):
            return self.values(then)
        return self.values(otherwise) if asked == frozenset((0,)) else self._union((then, otherwise))

    def _computed(self, e: CExpr) -> Values | None:
        """Return all values that an operation of two operands can have; None if it is not known."""
        left, right = (self.values(a) if isinstance(a, CExpr) else None for a in e.args)
        if left is None or right is None:
            return None
        results: set[int | None] = set()
        for a, b in product(left, right):
            if a is None or b is None:
                if e.op not in EQUALITIES:
                    return None
                results.add(int((a is b) == (e.op == "eq")))
            else:
                results.add(int(COMPUTES[e.op](a, b)))
        return frozenset(results) if len(results) <= MOST else None
