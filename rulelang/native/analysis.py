"""Static analysis of a program bound to a layout: sizes of sets, zone tables, where unseen pieces may lie.

Enters: a layout. Leaves: `Analysis`. All results are conservative: they only allow code to be left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from rulelang.ir.nodes import CallProc, Chance, Choose, Decision, Expr, Procedure, Statement
from rulelang.ir.walk import exits, index, operands, procedure_parts
from rulelang.mir.fields import bitboard_of
from rulelang.runtime.layout import Layout
from rulelang.runtime.state import DEFERRALS, DRAWN, WON, State
from rulelang.vocabulary.operations import BINDING, LYING, expressions, having
from rulelang.vocabulary.types import Type

SMALL = 128
"""The fuel of an innermost loop over no more elements is part of its block's fuel."""
ENDLESS = 1 << 40
HEAVY = (
    BINDING
    | expressions(lambda op: "callee" in op.reads or (op.result.kind == "set" and "work" in op.failures))
    | {"region"}
)
"""Operations that may take more than a few steps."""
"""Operations that may take more than a few steps."""
PARTIES = expressions(lambda op: op.result == "set<seat>")
NO_LARGER = having("shrinks")


class Analysis:
    """What holds in every state of one layout.

    Attributes:
        hidden: the tables of zones in which unknown pieces may lie.
        eliminates: whether rules put players out of the game.
        deferrals: the bits of the sorts of ends that rules put off.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.program = layout.program
        self.procedures = layout.program.procedures
        self._copies = [sum(layout.copies[item] for item in items) for items in layout.kind_items]
        self._zones_in_slots: dict[tuple[int, int], int] = {}
        self._find_zones()
        self.hidden = self._hidden()
        statements = [node for procedure in self.procedures for block in procedure.blocks for node in block.statements]
        self.eliminates = layout.eliminates
        names = {str(node.args[0]) for node in statements if node.op == "defer"}
        self.deferrals = WON | DRAWN | sum(DEFERRALS[name] for name in names)

    # ---- zones

    def _find_zones(self) -> None:
        """Find the slots of type `zone` that only ever hold instances of one table."""
        for number, procedure in enumerate(self.procedures):
            tables_of: dict[int, set[int]] = {}
            for slot, value in fillings(procedure, self.program.decisions):
                table = index(value) if value is not None and value.op == "zone" else -1
                tables_of.setdefault(slot, set()).add(table)
            for slot, tables in tables_of.items():
                if len(tables) == 1 and -1 not in tables:
                    self._zones_in_slots[number, slot] = next(iter(tables))

    def zone_table(self, procedure: int, expr: Expr) -> int:
        """Return the table of the zone that an expression gives, -1 if there may be several."""
        if expr.op == "zone":
            return index(expr)
        if expr.op == "local":
            return self._zones_in_slots.get((procedure, index(expr)), -1)
        return -1

    def _hidden(self) -> frozenset[int]:
        """Return the zones that hold what was shuffled, and those to which such pieces go unseen."""
        everywhere = frozenset(range(len(self.program.zones)))
        hidden: set[int] = set()
        flows: list[tuple[int, int]] = []
        for number, procedure in enumerate(self.procedures):
            seen_first = exposed_blocks(procedure, self.program.decisions)
            for place, block in enumerate(procedure.blocks):
                for position, statement in enumerate(block.statements):
                    if statement.op == "shuffle":
                        hidden.add(self.zone_table(number, operands(statement)[0]))
                    if statement.op == "move_slots":
                        origin, _, to = operands(statement)
                        pile = self._pile(self.zone_table(number, origin))
                        if pile and position == 0 and _takes_top(statement, seen_first.get(place)):
                            continue
                        flows.append((self.zone_table(number, origin), self.zone_table(number, to)))
        changed = True
        while changed:
            changed = False
            for source, target in flows:
                if (source in hidden or source < 0) and target not in hidden:
                    hidden.add(target)
                    changed = True
        return everywhere if -1 in hidden else frozenset(hidden)

    def _pile(self, table: int) -> bool:
        return table >= 0 and self.program.zones[table].kept

    def may_hide(self, table: int) -> bool:
        """Return whether a zone of the table (-1: any) may hold a piece that nobody has seen."""
        return table < 0 or table in self.hidden

    def hold_for(self, state: State) -> bool:
        """Return whether a state is one that rules may lead to, as far as code relies on it: unknown pieces lie only in
        hidden zones, no pool says what its members are, and nobody is out and no end put off unless a rule does that.
        """
        if state.deferred & ~self.deferrals or (state.out and not self.eliminates):
            return False
        if not state.pools:
            return True
        if any(items and items[0] == items[-1] for items in state.pools):
            return False
        zones = self.layout.inst_zone
        return all(min(contents, default=0) >= 0 or zones[i] in self.hidden for i, contents in enumerate(state.z))

    # ---- sizes

    def most(self, expr: Expr) -> int:
        """Return a bound on the number of elements of a set."""
        layout = self.layout
        parts = operands(expr)
        match expr.op:
            case op if op in LYING or op in ("family", "active"):  # a set of pieces holds each at most once
                return self._copies[layout.kind_index[expr.type.core.name]]
            case op if op in PARTIES:
                return layout.parties
            case "domain":
                return len(layout.domain(Type(str(expr.args[0]))))
            case "list":
                return len(parts)
            case op if op in NO_LARGER:
                return self.most(parts[0])
            case "flatten":
                return min(self.most(parts[0]) * self.most(parts[1]), ENDLESS)
            case "reachable":
                return layout.size(expr.type.inner)
            case "union":
                return self.most(parts[0]) + self.most(parts[1])
            case "neighbours":
                return 8
            case "touching":
                touching = layout.grids[index(expr)].touching(parts[0].type.core, expr.type.core)
                return max(map(len, touching), default=0)
            case "ray":
                return max(layout.grids[index(expr)].columns, layout.grids[index(expr)].rows)
            case "region":
                return layout.grids[index(expr)].size
            case "relocate":
                inner = expr.type.core
                return self._copies[layout.kind_index[inner.name]] if inner.kind == "piece" else ENDLESS
            case "bag_kinds":
                return 64
        return ENDLESS

    def small(self, source: Expr, *bodies: Expr) -> bool:
        """Return whether going through a set, reading the bodies for each element, takes so little that nobody counts
        it."""
        return self.most(source) <= SMALL and not any(is_heavy(self.layout, body) for body in bodies)


def is_heavy(layout: Layout, expr: Expr) -> bool:
    """Return whether reading the expression may take more than a few steps."""
    if expr.op in HEAVY:
        return True
    return any(is_heavy(layout, part) for part in operands(expr) if bitboard_of(layout, expr) is None)


def fillings(procedure: Procedure, decisions: tuple[Decision, ...]) -> Iterator[tuple[int, Expr | None]]:
    """Yield the slot of each place in a procedure that gives a local a value; with the value if it is assigned."""
    yield from ((slot, None) for slot in range(procedure.parameters))
    for block in procedure.blocks:
        yield from ((index(node), operands(node)[0]) for node in block.statements if node.op == "set")
        yield from ((slot, None) for _, slots in exits(block.terminator, decisions) for slot in slots)
        if isinstance(block.terminator, Choose):
            decision = decisions[block.terminator.decision]
            yield from ((slot, None) for slot in (decision.you_slot, decision.result_slot))
    yield from ((index(part), None) for part in procedure_parts(procedure, decisions) if part.op in BINDING)


def exposed_blocks(procedure: Procedure, decisions: tuple[Decision, ...]) -> dict[int, Expr]:
    """Return the blocks that are entered only right after the top piece of a zone became known, with that zone."""
    zone_of: dict[int, Expr | None] = {}
    for block in procedure.blocks:
        terminator = block.terminator
        for to, _ in exits(terminator, decisions):
            zone = None
            if isinstance(terminator, Chance) and terminator.kind == "expose":
                where, place = terminator.args
                if place.op == "const" and place.args[0] == 0:
                    zone = where
            if to in zone_of and not same(zone_of[to], zone):
                zone = None
            zone_of[to] = zone
    zone_of[0] = None
    return {to: zone for to, zone in zone_of.items() if zone is not None}


def _takes_top(statement: Statement, known: Expr | None) -> bool:
    """Return whether a move takes just the piece that is known."""
    origin, amount, _ = operands(statement)
    return known is not None and same(origin, known) and amount.op == "const" and amount.args[0] == 1


def same(a: Expr | None, b: Expr | None) -> bool:
    """Return whether two expressions are the same but for their sites."""
    if a is None or b is None or a.op != b.op or len(a.args) != len(b.args):
        return False
    return all(
        same(x, y) if isinstance(x, Expr) and isinstance(y, Expr) else x == y
        for x, y in zip(a.args, b.args, strict=True)
    )


def suspending_calls(procedure: Procedure) -> Iterator[int]:
    """Yield the procedures that wait and are called."""
    for block in procedure.blocks:
        if isinstance(block.terminator, CallProc):
            yield block.terminator.procedure
