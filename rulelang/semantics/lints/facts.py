"""What the checked tree does with everything that was declared, gathered in one walk.

Enters: a ruleset without errors. Leaves: `Facts`, from which each lint draws its conclusions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from rulelang.diagnostics import NOWHERE
from rulelang.ruleset.notations import functions_called
from rulelang.semantics.analysis.writes import purses
from rulelang.semantics.tree import core
from rulelang.semantics.tree.core import CExpr, CStatement, Local, expressions, own_expressions
from rulelang.semantics.tree.symbols import Bodies, Checked, DefinitionSym, ProcedureSym, TypeSym, VariableSym, ZoneSym
from rulelang.semantics.tree.types import CellT, EnumT, PieceT, Type, ZoneT, bare
from rulelang.vocabulary.operations import ASSIGNMENTS, ATTRIBUTES, SIGNS

# Their bodies are the engine's own; what the author wrote stands in procedures that these call.
ENGINE_MADE = ("event", "quantity", "ability", "trade")
WHEREABOUTS = frozenset(("individual", "var", "pvar", "cell_of"))


@dataclass
class Facts:
    """What happens to what.

    Attributes:
        read: symbols that stand in an expression, a variable not only in its own new value, a zone not as a target.
        written, entered: variables that are changed, zones that something moves to.
        assigned: by variable, the values that are put into it; None among them: changed in another way.
        starts: by zone, the rows that start there.
        shuffled: zones whose order is made unknown.
        attributes: (kind or type, position) of attributes that are read.
        constants: enumerated types of which some value stands somewhere. told: the types of what boards and types say
            of their values.
        domains: what is gone through whole, as `enum:NAME` or `cell:NAME`.
        named: rows that are asked for by their id.
        locals, bound: locals that are read; those that an expression or a loop binds.
        calls: who calls whom. authored: procedures whose bodies the author wrote. live: those that a game comes to.
        comparisons, payable, branches, joined: what authors compare, what must be payable, what expressions decide,
            what is joined by `and` or `or`; a comparison that stands for many rows of a table is there for each.
        equated: what authors ask to be equal element by element.
    """

    checked: Checked
    bodies: Bodies
    read: set[object] = field(default_factory=set)
    written: set[VariableSym] = field(default_factory=set)
    entered: set[ZoneSym] = field(default_factory=set)
    assigned: dict[VariableSym, list[CExpr | None]] = field(default_factory=dict)
    starts: dict[ZoneSym, list[DefinitionSym]] = field(default_factory=dict)
    shuffled: set[ZoneSym] = field(default_factory=set)
    attributes: set[tuple[object, object]] = field(default_factory=set)
    constants: set[str] = field(default_factory=set)
    told: set[Type] = field(default_factory=set)
    domains: set[str] = field(default_factory=set)
    named: set[DefinitionSym] = field(default_factory=set)
    locals: set[Local] = field(default_factory=set)
    bound: set[Local] = field(default_factory=set)
    calls: dict[ProcedureSym, set[ProcedureSym]] = field(default_factory=dict)
    authored: list[ProcedureSym] = field(default_factory=list)
    comparisons: list[CExpr] = field(default_factory=list)
    equated: list[CExpr] = field(default_factory=list)
    payable: list[CExpr] = field(default_factory=list)
    branches: list[CExpr] = field(default_factory=list)
    joined: list[CExpr] = field(default_factory=list)
    blocks: list[Sequence[CStatement]] = field(default_factory=list)
    statements: list[CStatement] = field(default_factory=list)
    roots: set[ProcedureSym] = field(default_factory=set)
    live: set[ProcedureSym] = field(default_factory=set)

    def reached(self, roots: Iterable[ProcedureSym]) -> set[ProcedureSym]:
        """Return all that may run from here."""
        reached: set[ProcedureSym] = set()
        waiting = list(roots)
        while waiting:
            procedure = waiting.pop()
            if procedure not in reached:
                reached.add(procedure)
                waiting += self.calls.get(procedure, ())
        return reached


def calls_of(checked: Checked, bodies: Bodies, tests: Iterable[ProcedureSym]) -> set[ProcedureSym]:
    """Return what the procedures of scenarios call."""
    aside = Facts(checked, bodies)
    for procedure in tests:
        _Walker(aside).procedure(procedure)
    return set().union(*aside.calls.values())


def gather(checked: Checked, bodies: Bodies, called: Iterable[ProcedureSym]) -> Facts:
    """Return the facts of a ruleset; what scenarios call (`called`) counts as called."""
    facts = Facts(checked, bodies)
    walker = _Walker(facts)
    for procedure in checked.procedures:
        walker.procedure(procedure)
    for expr in tables(checked):
        walker.expr(expr)
    for position in checked.positions:
        facts.read |= {*position.zones, *position.variables}
    ranked = [r for r in (checked.winner, *checked.ties) if r is not None]
    implied = [s.procedure for s in checked.scores] + [r.procedure for r in ranked]
    facts.roots = {p for p in (checked.setup, checked.play, checked.payoff, *implied) if p is not None} | walker.calls
    told = {name for zone in checked.zones for name in zone.decl.shown}
    told.update(
        *(functions_called(word.notation) for words in checked.ruleset.words.values() for word in words.values())
    )
    facts.roots |= {
        procedure for procedure in checked.procedures if procedure.decl is not None and procedure.name in told
    }
    facts.roots.update(called)
    for kind in checked.kinds.values():
        for definition in kind.definitions:
            if definition.decl.rules is not None:
                # Where rule text is in force, it matters what lies there.
                facts.read.update(kind.active)
            if definition.start is not None:
                for zone in zones_in(definition.start):
                    facts.starts.setdefault(zone, []).append(definition)
    for zone in checked.zones:
        if zone.decl.refill is not None:
            facts.read.update(z for z in checked.zones if z.name == zone.decl.refill)
    facts.live = facts.reached(facts.roots)
    return facts


def tables(checked: Checked) -> Iterator[CExpr]:
    """Yield the expressions of the YAML, but for where pieces start."""
    for kind in checked.kinds.values():
        for definition in kind.definitions:
            yield from definition.attributes
            if definition.count is not None:
                yield definition.count
            if definition.start is not None:
                yield from expressions(definition.start.args)
    for sym in (*checked.variables, *checked.piece_variables):
        yield from (e for e in (sym.start, sym.each, sym.total, *sym.limits.values()) if e is not None)
    for type_ in checked.types:
        for column in type_.attribute_values.values():
            yield from column
        yield from (*type_.present, *type_.sizes)
    yield from (z.capacity for z in checked.zones if z.capacity is not None)


def zones_in(target: CExpr) -> list[ZoneSym]:
    """Return the zones that something may move to: `z`, or `z if cond else y`."""
    if target.op == "zone" and isinstance(target.args[0], ZoneSym):
        return [target.args[0]]
    return [z for a in target.args if isinstance(a, CExpr) and isinstance(a.type, ZoneT) for z in zones_in(a)]


class _Walker:
    """Walks the procedures and gathers their facts."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.calls: set[ProcedureSym] = set()
        self.authored = True

    def procedure(self, procedure: ProcedureSym) -> None:
        """Gather the facts of a procedure, and which procedures it calls."""
        outer, self.calls = self.calls, set()
        self.authored = procedure.category not in ENGINE_MADE
        if self.authored:
            self.facts.authored.append(procedure)
        self.block(self.facts.bodies[procedure].statements)
        self.authored = True
        self.facts.calls[procedure], self.calls = self.calls, outer

    def block(self, statements: Sequence[CStatement]) -> None:
        """Record the statements of a block, and what is in them."""
        if self.authored:
            self.facts.blocks.append(statements)
        for s in statements:
            if self.authored:
                self.facts.statements.append(s)
            self.statement(s)
            for part in s.inner():
                self.block(part)

    def statement(self, s: CStatement) -> None:
        """Record what a statement itself does, without the blocks inside it."""
        facts = self.facts
        match s:
            case core.CDo():
                self.change(s)
                return
            case core.CMove() | core.CDraw():
                self.target(s.zone)
                if isinstance(s, core.CDraw) and s.refill:
                    facts.entered.update(z for z in zones_in(s.pile) if z.decl.refill is not None)
            case core.CShuffle(pile=pile):
                facts.shuffled.update(zones_in(pile))
                self.indices(pile)
                return
            case core.CFor():
                facts.bound.add(s.local)
            case core.CCall():
                self.calls.add(s.procedure)
        place = s.zone if isinstance(s, core.CMove | core.CDraw) else s.acting if isinstance(s, core.CChoose) else None
        self.each(e for e in own_expressions(s) if e is not place)

    def change(self, s: core.CDo) -> None:
        """Note a plain effect; reading a variable in its own new value does not count."""
        facts = self.facts
        if s.op == "spend":
            self.put(purses(s.args), None)
        first, *rest = s.args or (None,)
        if s.op in ASSIGNMENTS and isinstance(first, VariableSym):
            self.put([first], rest[0] if isinstance(rest[0], CExpr) else None)
            known = first in facts.read
            self.each(rest)
            if not known:
                facts.read.discard(first)
        else:
            self.each(s.args)

    def put(self, variables: Iterable[VariableSym], value: CExpr | None) -> None:
        for variable in variables:
            self.facts.written.add(variable)
            self.facts.assigned.setdefault(variable, []).append(value)

    def target(self, zone: CExpr) -> None:
        self.facts.entered.update(zones_in(zone))
        self.indices(zone)

    def indices(self, zone: CExpr) -> None:
        """Note what a place is found by: its indices, or the condition between two."""
        for arg in zone.args:
            if isinstance(arg, CExpr):
                (self.indices if isinstance(arg.type, ZoneT) else self.expr)(arg)

    def each(self, args: Iterable[object]) -> None:
        for arg in args:
            if isinstance(arg, CExpr):
                self.expr(arg)

    def expr(self, expr: CExpr) -> None:
        """Note everything that an expression names."""
        facts = self.facts
        waiting = [expr]
        while waiting:
            e = waiting.pop()
            op, args = e.op, e.args
            if op == "local":
                facts.locals.add(args[0])
                continue
            if op == "const":
                if isinstance(e.type, EnumT):
                    facts.constants.add(e.type.name)
                continue
            authored = self.authored and e.span is not NOWHERE
            if op in SIGNS:
                if authored:
                    facts.comparisons.append(e)
            elif op == "same" and authored:
                facts.equated.append(e)
            elif op in ATTRIBUTES:
                facts.attributes.add((args[0], args[1]))
            elif op in ("can_pay", "payments"):
                facts.payable.append(e)
            elif op == "if" and authored:
                facts.branches.append(e)
            elif op in ("and", "or") and authored:
                facts.joined.append(e)
            elif op == "domain":
                facts.domains.add(str(args[0]))
            if args and isinstance(args[0], TypeSym):
                facts.told.add(e.type)
            for arg in args:
                if isinstance(arg, CExpr):
                    waiting.append(arg)
                elif isinstance(arg, Local):
                    facts.bound.add(arg)
                elif isinstance(arg, ProcedureSym):
                    self.calls.add(arg)
                elif isinstance(arg, DefinitionSym):
                    if op != "active":
                        facts.named.add(arg)
                else:
                    facts.read.add(arg)
            if op in WHEREABOUTS:
                self.whereabouts(e)

    def whereabouts(self, e: CExpr) -> None:
        """Note zones where an expression may find its pieces: an individual is named wherever it lies; asking for a
        cell reads the boards."""
        t = e.args[-1].type if e.op == "cell_of" and isinstance(e.args[-1], CExpr) else bare(e.type)
        kind = self.facts.checked.kinds.get(t.kind) if isinstance(t, PieceT) else None
        for zone in kind.zones if kind is not None else ():
            if e.op != "cell_of" or any(isinstance(index, CellT) for index in zone.per):
                self.facts.read.add(zone)
