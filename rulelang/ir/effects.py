"""What procedures do to the state, computed to a fixpoint over their calls.

Enters: a program. Leaves: `Effects` per procedure, and the state that a single expression reads.

Names of state: `zone:NAME`, `var:NAME`, `pvar:NAME`, `players` (who is still in), `deferred` (an end to come),
`winners` (how the game ended), `chance` (random draws), `events` (entries of the log that change nothing else).
A zone or purse that comes in through a parameter may be any of its sort.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from rulelang.ir.nodes import (
    CallProc,
    Chance,
    Choose,
    Effects,
    End,
    Expr,
    Procedure,
    Statement,
    Terminator,
    Waiting,
)
from rulelang.ir.program import Program, VariableTable, ZoneTable
from rulelang.ir.walk import block_expressions, index, operands, subexpressions
from rulelang.vocabulary.operations import BINDING, EXPRESSIONS, FIXED, FIXED_VALUES, GIVING, NAMED, STATEMENTS

CONTENTS = frozenset(("contents", "purses", "variables"))
"""What operations read or change of the zones, purses and variables that they or their operands name."""
STATE = {"seats": "players", "winners": "winners", "deferrals": "deferred", "log": "events"}
"""What an operation reads or changes -> its name of state."""


@dataclass(slots=True)
class _Accesses:
    """What the code of a procedure does directly, and which procedures it calls."""

    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)
    suspends: bool = False
    ends_game: bool = False
    calls: set[int] = field(default_factory=set)
    imagines: set[int] = field(default_factory=set)

    def effects(self) -> Effects:
        return Effects(tuple(sorted(self.reads)), tuple(sorted(self.writes)), self.suspends, self.ends_game)


class _Scan:
    """Collects what the code of one procedure, or one expression of a table, does directly."""

    def __init__(self, program: Program, procedure: Procedure | None) -> None:
        self.program = program
        self.accesses = _Accesses()
        # slot -> the expressions whose value it may hold; None: any value of its type
        self.sources: dict[int, list[Expr | None]] = {}
        if procedure is not None:
            self._collect_sources(procedure)

    def _collect_sources(self, procedure: Procedure) -> None:
        """Collect for each slot the expressions that may give its value; None: a parameter or result of a call."""
        sources = self.sources
        for slot in range(procedure.parameters):
            sources.setdefault(slot, []).append(None)
        for block in procedure.blocks:
            for statement in block.statements:
                if statement.op == "set":
                    sources.setdefault(index(statement), []).extend(operands(statement))
            self.accesses.suspends |= isinstance(block.terminator, Waiting)
            match block.terminator:
                case CallProc(slot=slot):
                    sources.setdefault(slot, []).append(None)
                case Chance(slot=slot, args=args):
                    sources.setdefault(slot, []).extend(args)
                case Choose(decision=number) if 0 <= number < len(self.program.decisions):
                    decision = self.program.decisions[number]
                    for item in decision.items:
                        for binder in item.binders:
                            sources.setdefault(binder.slot, []).extend(binder.args)
                            sources.setdefault(decision.result_slot, []).extend(binder.args)
            for outer in block_expressions(block, self.program.decisions):
                for expr in subexpressions(outer):
                    if expr.op in BINDING:
                        sources.setdefault(index(expr), []).extend(operands(expr)[:1])

    # names of state

    def _zones_of_kind(self, kind: str) -> set[str]:
        kinds = self.program.kinds
        return {f"zone:{z.name}" for z in self.program.zones if 0 <= z.kind < len(kinds) and kinds[z.kind].name == kind}

    def _everything(self, word: str) -> set[str]:
        """Return the names of all state that an operation of unknown operands may touch: all zones, or all bags."""
        program = self.program
        if word == "zone":
            return {f"zone:{z.name}" for z in program.zones}
        names = {f"var:{v.name}" for v in program.variables if v.type.kind == "bag"}
        return names | {f"pvar:{v.name}" for v in program.piece_variables if v.type.kind == "bag"}

    def _named(self, node: Expr | Statement) -> set[str]:
        """Return the one table row that a node names, as `zone:NAME`, `var:NAME` or `pvar:NAME`; none out of range."""
        tables: dict[str, tuple[ZoneTable | VariableTable, ...]]
        tables = {"zone": self.program.zones, "var": self.program.variables, "pvar": self.program.piece_variables}
        prefix, number = NAMED[node.op], index(node)
        table = tables[prefix]
        return {f"{prefix}:{table[number].name}"} if 0 <= number < len(table) else set()

    def origins(self, expr: Expr, word: str, seen: frozenset[int] = frozenset()) -> set[str]:
        """Return the zones (`word` is `zone`) or bag variables (`purse`) that the value of an expression may refer
        to."""
        if expr.op in NAMED and expr.op in FIXED_VALUES:
            return self._named(expr)
        if expr.op == "zone_of":
            return set().union(*(self._zones_of_kind(child.type.core.name) for child in operands(expr)))
        if expr.op == "local":
            slot = index(expr)
            if slot in seen:
                return set()
            names: set[str] = set()
            for source in self.sources.get(slot, [None]):
                names |= self._everything(word) if source is None else self._parts(source, word, seen | {slot})
            return names
        parts = [child for child in operands(expr) if child.type.core == word]
        if not parts or expr.op == "call":
            return self._everything(word)
        return set().union(*(self.origins(part, word, seen) for part in parts))

    def _parts(self, expr: Expr, word: str, seen: frozenset[int]) -> set[str]:
        # sources also list the bounds of a number or an amount: only values of the right type matter
        return self.origins(expr, word, seen) if expr.type.core == word else set()

    def _places(self, node: Expr | Statement) -> set[str]:
        """Return what the zones and purses among the operands of a node may refer to."""
        places = [part for part in operands(node) if part.type.core.kind in ("zone", "purse")]
        return set().union(*(self.origins(place, place.type.core.kind) for place in places))

    # what code does

    def expression(self, outer: Expr) -> None:
        """Add what reading an expression reads and calls."""
        accesses = self.accesses
        for expr in subexpressions(outer):
            op = expr.op
            reads = EXPRESSIONS[op].reads if op in EXPRESSIONS else frozenset()  # the verifier refuses what is none
            if reads <= FIXED:
                continue
            accesses.reads |= {STATE[word] for word in reads & STATE.keys()}
            if "positions" in reads:
                self._position(index(expr))
            if op == "call":
                accesses.calls.add(index(expr))
            elif op == "possible":
                accesses.imagines.add(index(expr))
            elif op in NAMED and reads & CONTENTS:
                accesses.reads |= self._named(expr)
            elif op == "active":
                kinds = self.program.kinds
                rows = kinds[index(expr)].active if 0 <= index(expr) < len(kinds) else ()
                zones = self.program.zones
                accesses.reads |= {f"zone:{zones[z].name}" for z in rows if 0 <= z < len(zones)}
            elif reads & CONTENTS:
                accesses.reads |= self._places(expr)
            elif "whereabouts" in reads:  # a reaction may be that of any piece
                asked = {part.type.core.name for part in operands(expr)}
                for kind in self.program.kinds:
                    if kind.identity and (op == "reaction_owner" or kind.name in asked):
                        accesses.reads |= self._zones_of_kind(kind.name)

    def _position(self, variable: int) -> None:
        """Add what the position that is kept in a variable is of."""
        program = self.program
        for table in program.positions:
            if table.variable == variable:
                self.accesses.reads |= {f"zone:{program.zones[z].name}" for z in table.zones}
                self.accesses.reads |= {f"var:{program.variables[v].name}" for v in table.variables}

    def statement(self, statement: Statement) -> None:
        """Add what a statement writes besides what its expressions read."""
        accesses, op = self.accesses, statement.op
        for expr in operands(statement):
            self.expression(expr)
        changes = STATEMENTS[op].reads if op in STATEMENTS else frozenset()
        accesses.writes |= {STATE[word] for word in changes & STATE.keys()}
        accesses.ends_game |= "winners" in changes
        if "positions" in changes:
            self._position(index(statement))
        if op in NAMED:
            accesses.writes |= self._named(statement)
        elif op == "clear_marks":
            accesses.writes |= {f"var:{v.name}" for v in self.program.variables if v.mark}
            accesses.writes |= {f"pvar:{v.name}" for v in self.program.piece_variables if v.mark}
        elif changes & CONTENTS:  # which a full destination reads, too
            self._touch(self._places(statement))
            for moved in operands(statement)[:1] if op == "move" else ():
                self._touch(self._zones_of_kind(moved.type.core.name))

    def _touch(self, names: set[str]) -> None:
        self.accesses.reads |= names
        self.accesses.writes |= names

    def chance(self, chance: Chance) -> None:
        """Add what a chance node does. A piece that becomes known may make others of its kind known elsewhere."""
        self.accesses.writes.add("chance")
        if chance.kind not in GIVING and chance.args:
            names = self.origins(chance.args[0], "zone")
            kinds = {zone.kind for zone in self.program.zones if f"zone:{zone.name}" in names}
            self._touch({f"zone:{zone.name}" for zone in self.program.zones if zone.kind in kinds})

    def procedure(self, procedure: Procedure) -> None:
        """Add everything that the procedure's own code does."""
        for block in procedure.blocks:
            for expr in block_expressions(block, self.program.decisions):
                self.expression(expr)
            for statement in block.statements:
                self.statement(statement)
            self.terminator(block.terminator)

    def terminator(self, terminator: Terminator) -> None:
        """Add what the end of a block does besides what its expressions read."""
        match terminator:
            case CallProc(procedure=number):
                self.accesses.calls.add(number)
            case Chance() as chance:
                self.chance(chance)
            case End():
                self.accesses.ends_game = True


def _propagate(accesses: _Accesses, scans: Sequence[_Accesses | Effects]) -> bool:
    """Add the accesses of all called procedures to those of the caller; return whether there were new ones."""
    before = (len(accesses.reads), len(accesses.writes), accesses.suspends, accesses.ends_game)
    for number in accesses.calls:
        if 0 <= number < len(scans):
            callee = scans[number]
            accesses.reads.update(callee.reads)
            accesses.writes.update(callee.writes)
            accesses.suspends |= callee.suspends
            accesses.ends_game |= callee.ends_game
    for number in accesses.imagines:
        # what `possible` tries happens in a scratch state
        if 0 <= number < len(scans):
            accesses.reads.update(scans[number].reads)
    return before != (len(accesses.reads), len(accesses.writes), accesses.suspends, accesses.ends_game)


def effects_of(program: Program, known: Sequence[Effects] = ()) -> tuple[Effects, ...]:
    """Return the effects of every procedure, those of what it calls included; `Procedure.effects` is not looked at.

    Args:
        known: those of the first procedures, which call no others.
    """
    scans = []
    for procedure in program.procedures[len(known) :]:
        scan = _Scan(program, procedure)
        scan.procedure(procedure)
        scans.append(scan.accesses)
    everything: list[_Accesses | Effects] = [*known, *scans]
    changed = True
    while changed:
        changed = False
        for scanned in reversed(scans):
            changed |= _propagate(scanned, everything)
    return (*known, *(scanned.effects() for scanned in scans))


class BlockWrites:
    """What parts of a procedure write, with what they call.

    Attributes:
        blocks: by block.
    """

    def __init__(self, program: Program, procedure: Procedure) -> None:
        self._program, self._scan = program, _Scan(program, procedure)
        self.blocks = [self.of(block.statements, block.terminator) for block in procedure.blocks]

    def of(self, statements: Iterable[Statement], terminator: Terminator | None = None) -> frozenset[str]:
        """Return the names of state that statements, and the end of a block, write."""
        accesses = self._scan.accesses = _Accesses()
        for statement in statements:
            self._scan.statement(statement)
        if terminator is not None:
            self._scan.terminator(terminator)
        _propagate(accesses, [procedure.effects for procedure in self._program.procedures])
        return frozenset(accesses.writes)


def expression_effects(program: Program, exprs: Iterable[Expr], effects: Sequence[Effects]) -> Effects:
    """Return the effects of reading expressions, by the given effects of procedures; locals may refer to anything of
    their type."""
    scan = _Scan(program, None)
    for expr in exprs:
        scan.expression(expr)
    _propagate(scan.accesses, effects)
    return scan.accesses.effects()
