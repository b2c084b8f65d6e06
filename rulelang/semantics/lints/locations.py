"""Where pieces lie when events and quantities are called, and when the body of an event is through: a forward dataflow
analysis of each procedure over the zones in which its locals' pieces may lie.

Enters: the facts of a ruleset. Leaves: `Calls`: the arguments of all calls, with the zones of each, and the zones at
the ends of a body. What is not known for sure is left out: a local without zones may lie anywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from rulelang.semantics.analysis.flow import walk
from rulelang.semantics.lints.facts import Facts
from rulelang.semantics.tree import core
from rulelang.semantics.tree.core import CExpr, CStatement, Local, expressions
from rulelang.semantics.tree.symbols import ProcedureSym, ZoneSym
from rulelang.semantics.tree.types import PieceT, ZoneT, bare
from rulelang.vocabulary.operations import SOURCES

Zones = frozenset[ZoneSym]


@dataclass
class LocatedCall:
    """A call with its arguments, and for each the zones in which its piece may lie; None: unknown, or no piece."""

    arguments: Sequence[CExpr]
    zones: Sequence[Zones | None]


@dataclass
class _Point:
    """What is known at a point of a procedure: locals -> zones of their pieces, and zones that are empty."""

    zones: dict[Local, Zones] = field(default_factory=dict)
    empty: set[ZoneSym] = field(default_factory=set)
    reached: bool = True

    def copy(self) -> _Point:
        return _Point(dict(self.zones), set(self.empty))

    def join(self, others: Iterable[_Point]) -> None:
        """Keep what holds on all ways that meet here."""
        others = list(others)
        ways = [way for way in others if way.reached] or others
        self.zones = {
            local: frozenset().union(*(way.zones[local] for way in ways))
            for local in set.intersection(*(set(way.zones) for way in ways))
        }
        self.empty = set.intersection(*(way.empty for way in ways))


class Calls:
    """The calls of all procedures, and the analysis of single ones.

    Attributes:
        of: procedure -> its calls. events: procedures of events.
        tried: procedures that `possible` tries, with arguments that are not looked at.
    """

    def __init__(self, facts: Facts, tests: Iterable[ProcedureSym], eliminates: bool) -> None:
        self.facts = facts
        self.eliminates = eliminates
        self.of: dict[ProcedureSym, list[LocatedCall]] = {}
        self.tried: set[ProcedureSym] = set()
        self._entered: dict[ProcedureSym, Zones] = {}
        self._own: dict[ProcedureSym, Zones] = {}
        self._exits: list[_Point] = []
        self._through: dict[ProcedureSym, _Point] = {}
        self.events = {event.procedure for event in facts.checked.events.values()}
        for procedure in (*facts.authored, *(g.trade for g in facts.checked.groups.values()), *tests):
            self._run(procedure, facts.bodies[procedure].statements)

    def left(self, procedure: ProcedureSym) -> _Point:
        """Return what is known wherever the body of a procedure ends."""
        return self._run(procedure, procedure.body.statements)

    def entered(self, procedure: ProcedureSym) -> Zones:
        """Return the zones into which a procedure, or what it calls, may move something."""
        if procedure not in self._entered:
            reached = self.facts.reached([procedure])
            self._entered[procedure] = frozenset().union(*map(self._targets_in, reached))
        return self._entered[procedure]

    # ---- moves

    def _targets_in(self, procedure: ProcedureSym) -> Zones:
        """Return the zones into which a procedure itself may move something; memoised."""
        if procedure not in self._own:
            statements = walk(self.facts.bodies[procedure].statements)
            self._own[procedure] = frozenset(zone for s in statements for zone in self._targets(s))
        return self._own[procedure]

    def _targets(self, s: CStatement) -> Zones:
        """Return the zones into which one statement may move something."""
        if not isinstance(s, core.CMove | core.CDraw):
            return frozenset()
        zones = self._zones_named(s.zone)
        if isinstance(s, core.CDraw) and s.refill:
            zones |= self._zones_named(s.pile)
        return zones

    def _zones_named(self, zone: CExpr) -> Zones:
        """Return the zones that an expression may name: all of its kind where it is no name."""
        if zone.op == "zone" and isinstance(zone.args[0], ZoneSym):
            return frozenset((zone.args[0],))
        if zone.op == "if":
            return self._zones_named(expressions(zone.args)[1]) | self._zones_named(expressions(zone.args)[2])
        kind = zone.type.kind if isinstance(zone.type, ZoneT) else ""
        return frozenset(z for z in self.facts.checked.zones if z.kind == kind or not kind)

    def _lying(self, e: CExpr, point: _Point) -> Zones | None:
        """Return the zones in which the piece, or all pieces, of an expression lie; None where that is not known."""
        if e.op == "local":
            return point.zones.get(e.args[0])
        if e.op in ("zone", "family") and isinstance(e.args[0], ZoneSym):
            return frozenset((e.args[0],))
        if e.op in ("union", "list"):
            known = [self._lying(part, point) for part in expressions(e.args)]
            return None if not known or None in known else frozenset().union(*(z for z in known if z is not None))
        if e.op not in SOURCES:
            return None
        source = e.args[SOURCES[e.op]]
        return self._lying(source, point) if isinstance(source, CExpr) else None

    # ---- procedures

    def _run(self, procedure: ProcedureSym, statements: Sequence[CStatement]) -> _Point:
        outer, self._exits = self._exits, []
        end = _Point()
        self._block(statements, end)
        end.join([end, *self._exits])
        self._exits = outer
        return end

    def _block(self, statements: Sequence[CStatement], point: _Point) -> None:
        for s in statements:
            self._statement(s, point)

    def _after(self, block: Sequence[CStatement], point: _Point) -> _Point:
        """Return what is known after a block that begins with what is known at a point."""
        way = point.copy()
        self._block(block, way)
        way.reached = not (block and block[-1].leaves)
        return way

    def _statement(self, s: CStatement, point: _Point) -> None:
        """Note the calls of a statement, and change `point` to what is known after it."""
        if isinstance(s, core.CChoose):
            self._choose(s, point)
            return
        self._read(core.own_expressions(s), point)
        match s:
            case core.CMove():
                self._move(s, point)
            case core.CDraw():
                self._enter(self._targets(s), self._lying(s.pile, point), point, None)
            case core.CCall():
                arguments = s.arguments[int(s.procedure.hidden_you) :]
                self._note(s.procedure, arguments, point)
                self._enter(self.entered(s.procedure), None, point, None)
                self._follow(s, point)
            case core.CSet():
                self._set(s.local, self._lying(s.value, point), point)
            case core.CRandom():
                source = expressions(s.args)[0] if s.kind in ("element", "some") else None
                self._set(s.result, self._lying(source, point) if source is not None else None, point)
            case core.CIf():
                point.join([self._after(block, point) for block in (s.then, s.otherwise)])
            case core.CLoop() | core.CFor():
                self._loop(s, point)
            case core.CReturn() | core.CBreak():
                self._exits.append(point.copy())
            case _:
                for block in s.inner():
                    self._block(block, point)

    def _follow(self, s: core.CCall, point: _Point) -> None:
        """Keep where the pieces lie that were given to a rule, when it is through."""
        if s.procedure not in self._through:
            self._through[s.procedure] = _Point()  # of what calls itself nothing is known
            if s.procedure not in self.events:
                self._through[s.procedure] = self._run(s.procedure, self.facts.bodies[s.procedure].statements)
        known = self._through[s.procedure].zones
        for parameter, argument in zip(self.facts.bodies[s.procedure].parameters, s.arguments, strict=True):
            if argument.op == "local" and parameter in known:
                point.zones[argument.args[0]] = known[parameter]
        if s.result is not None:
            point.zones.pop(s.result, None)

    def _set(self, local: Local, zones: Zones | None, point: _Point) -> None:
        if zones is None:
            point.zones.pop(local, None)
        else:
            point.zones[local] = zones

    def _move(self, s: core.CMove, point: _Point) -> None:
        """Follow a move: a piece that is named lies where it was moved, if there is room for all."""
        targets, source = self._targets(s), self._lying(s.what, point)
        moved = s.what.args[0] if s.what.op == "local" and isinstance(bare(s.what.type), PieceT) else None
        self._enter(targets, source, point, moved)
        if isinstance(moved, Local) and moved in point.zones and any(zone.capacity is not None for zone in targets):
            point.zones[moved] |= targets
        if all(zone.capacity is None for zone in targets):
            if isinstance(moved, Local):
                point.zones[moved] = targets
            emptied = s.what.args[0] if s.what.op in ("pieces", "family") else None
            if isinstance(emptied, CExpr) and emptied.op == "zone" and len(emptied.args) == 1:
                emptied = emptied.args[0]
            if isinstance(emptied, ZoneSym) and emptied not in targets:
                point.empty.add(emptied)

    def _enter(self, targets: Zones, source: Zones | None, point: _Point, moved: object) -> None:
        """Count that something, from zones of `source` (None: from anywhere), may have come into other zones."""
        for local, zones in point.zones.items():
            if local is not moved and (source is None or zones & source):
                point.zones[local] = zones | targets
        point.empty -= targets

    def _loop(self, s: core.CLoop | core.CFor, point: _Point) -> None:
        """Follow the body of a loop once, from what holds before each of its rounds."""
        entered: Zones = frozenset()
        for inner in walk(s.body):
            entered |= self.entered(inner.procedure) if isinstance(inner, core.CCall) else self._targets(inner)
            if isinstance(inner, core.CSet):
                point.zones.pop(inner.local, None)
        self._enter(entered, None, point, None)
        way = point.copy()
        if isinstance(s, core.CFor):
            lying = self._lying(s.collection, point)
            self._set(s.local, None if lying is None else lying | entered, way)
        outer, self._exits = self._exits, []
        self._block(s.body, way)
        ways = [point.copy(), way, *self._exits]
        self._exits = [*outer, *self._exits]
        point.join(ways)
        if isinstance(s, core.CFor):
            point.empty |= self._emptied(s)

    def _emptied(self, s: core.CFor) -> set[ZoneSym]:
        """Return the zones of players that a loop over all of them empties: it does nothing but move pieces."""
        whole = s.collection.op == "everyone" or (s.collection.op == "players" and not self.eliminates)
        moves = [inner for inner in s.body if isinstance(inner, core.CMove)]
        if not whole or self.facts.checked.automata or len(moves) < len(s.body):
            return set()
        emptied, entered = set[ZoneSym](), set[ZoneSym]()
        for move in moves:
            targets, zone = self._targets(move), move.what.args[0]
            entered |= targets
            if isinstance(zone, CExpr) and zone.op == "zone" and not any(z.capacity for z in targets):
                name, *index = zone.args
                mine = [part.args[0] for part in expressions(index) if part.op == "local"] == [s.local]
                if isinstance(name, ZoneSym) and mine and move.what.op == "pieces":
                    emptied.add(name)
        return emptied - entered

    def _choose(self, s: core.CChoose, point: _Point) -> None:
        """Follow each item of a decision, from what it binds on."""
        self._read([s.seat], point)
        ways: list[_Point] = []
        asked = point.copy()
        for item in s.items:
            way = point.copy()
            for binder in item.binders:
                self._read(expressions(binder.args), way)
                lying = self._lying(binder.args[0], way) if binder.kind in ("each", "some") else None
                self._set(binder.local, lying, way)
                self._set(binder.local, lying, asked)
            self._read([guard.condition for guard in item.guards], way)
            ways.append(self._after(item.body, way))
        # Where there is nothing to choose, what would be chosen is absent, and lies nowhere.
        ways.append(asked if s.otherwise is None else self._after(s.otherwise, asked))
        point.join(ways)
        if s.result is not None:
            point.zones.pop(s.result, None)

    # ---- expressions

    def _read(self, exprs: Iterable[CExpr], point: _Point) -> None:
        """Note the calls within expressions."""
        for e in exprs:
            if e.op == "call":
                procedure, *arguments = e.args
                if isinstance(procedure, ProcedureSym):
                    given = expressions(arguments)[int(procedure.hidden_you) :]
                    self._note(procedure, given, point)
            elif e.op == "possible":
                self.tried |= {arg for arg in e.args if isinstance(arg, ProcedureSym)}
            bound = [arg for arg in e.args if isinstance(arg, Local)] if e.op != "local" else []
            inner = point
            if bound:
                inner = point.copy()
                collection = expressions(e.args)[0]
                for local in bound:
                    self._set(local, self._lying(collection, point), inner)
            self._read(expressions(e.args), inner)

    def _note(self, procedure: ProcedureSym, arguments: Sequence[CExpr], point: _Point) -> None:
        zones = [self._lying(a, point) if isinstance(bare(a.type), PieceT) else None for a in arguments]
        self.of.setdefault(procedure, []).append(LocatedCall(arguments, zones))
