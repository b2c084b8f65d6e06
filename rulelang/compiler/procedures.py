"""One procedure: structured statements become basic blocks, cut where the game waits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from rulelang.compiler.fixpoints import shown_tops
from rulelang.compiler.guards import WHOLE, guard_operands, revealed_whole
from rulelang.compiler.indices import Indices, ir_type
from rulelang.compiler.scopes import Scopes
from rulelang.diagnostics import Span
from rulelang.ir import nodes as ir
from rulelang.ir.walk import successors
from rulelang.semantics.tree import core
from rulelang.semantics.tree.core import (
    Body,
    CExpr,
    CStatement,
    Local,
    binding,
    expressions,
    subexpressions,
    substitute,
)
from rulelang.semantics.tree.shared import Analysed, zone_symbol
from rulelang.semantics.tree.symbols import ProcedureSym, VariableSym, ZoneSym
from rulelang.semantics.tree.types import NUMBER, PLAYER, BagT, CellT, EnumT, PieceT, SetT, Type, ZoneT
from rulelang.vocabulary.operations import FIXED_VALUES, UNCHANGING
from rulelang.vocabulary.operations import expressions as expressions_of
from rulelang.vocabulary.types import BOOL, INT, SEATS, ZONE
from rulelang.vocabulary.types import Type as IrType


@dataclass
class Lowering:
    """What the lowering of all procedures shares."""

    analysed: Analysed
    indices: Indices
    uncertain: set[ZoneSym]
    waiting: set[ProcedureSym]
    scopes: Scopes
    decisions: list[ir.Decision] = field(default_factory=list)


@dataclass
class Draft:
    """A block under construction."""

    statements: list[ir.Statement] = field(default_factory=list)
    terminator: ir.Terminator | None = None
    site: int = 0


FIXED = UNCHANGING & expressions_of(lambda op: "distinct" in op.traits and not op.operands)
"""Operations whose value is a collection that is the same throughout a game."""
SEAT, COUNTS = IrType("seat"), IrType("set<int>")
EVERYONE = ir.Expr("everyone", SEATS, ())
PARTIES = ir.Expr("union", SEATS, (EVERYONE, ir.Expr("difference", SEATS, (ir.Expr("parties", SEATS, ()), EVERYONE))))
"""All parties, whoever is still in the game: seats, then automata; the same list throughout a game."""
REACHED = "this came about, though the rule says `never`"


def number(value: int) -> ir.Expr:
    """Return a constant number."""
    return ir.Expr("const", INT, (value,))


def number_of(op: str, *operands: ir.Expr) -> ir.Expr:
    """Return an operation whose value is a number."""
    return ir.Expr(op, INT, operands)


def both(left: ir.Expr, right: ir.Expr) -> ir.Expr:
    """Return whether two conditions hold."""
    return ir.Expr("and", BOOL, (left, right))


def positive(value: ir.Expr) -> ir.Expr:
    """Return whether a number is greater than 0."""
    return ir.Expr("gt", BOOL, (value, number(0)))


def every_value(index: Type, span: Span) -> CExpr:
    """Return all values that a zone's index of this type can have."""
    if index == PLAYER:
        return CExpr("parties", SetT(index), (), span)
    assert isinstance(index, EnumT | CellT)
    return CExpr("domain", SetT(index), (f"enum:{index}" if isinstance(index, EnumT) else f"cell:{index}",), span)


class ProcedureLowering:
    """Lowers the body of one procedure.

    Attributes:
        symbol: the procedure. body: its checked statements and locals. blocks: those begun so far; current: the number
            of the one that statements go to. slots: local -> its slot; types, names: by slot. labels: label of a loop
            -> the block where its `stop` leads. around: sort and place of a scope -> counters with the slots that
            hold what they counted around it, and the slot for whether the game is to end then. citations, piece: what
            sites say of the rule at hand.
    """

    def __init__(self, shared: Lowering, symbol: ProcedureSym) -> None:
        self.shared = shared
        self.indices = shared.indices
        self.symbol = symbol
        self.body = shared.analysed.bodies[symbol]
        self.blocks: list[Draft] = []
        self.slots: dict[Local, int] = {}
        self.types: list[IrType] = []
        self.names: list[str] = []
        self.labels: dict[str, int] = {}
        self.around: dict[tuple[str, Span], tuple[list[tuple[int, int]], int]] = {}
        self.citations = symbol.citations
        self.piece = symbol.piece
        self.current = 0
        for local in [*self.body.parameters, *self.body.locals]:
            if local not in self.slots:
                self.slots[local] = self.slot(local.name, ir_type(local.type))

    def run(self) -> ir.Procedure:
        """Lower the whole body; return the procedure with its reachable blocks."""
        self.current = self.block(self.symbol.span)
        self.sequence(self.body.statements)
        self.close(ir.Return(None))
        blocks, levels = self.reachable(), self.symbol.levels
        return ir.Procedure(
            self.symbol.name,
            len(self.body.parameters),
            tuple(self.types),
            tuple(self.names),
            ir_type(self.symbol.returns),
            blocks,
            ir.Effects(),
            self.symbol.depth,
            self.site(self.symbol.span),
            None if levels is None or levels.op == "const" else self.indices.expr(levels, {}),
        )

    # ---- building

    def slot(self, name: str, type_: IrType) -> int:
        """Add a local of the procedure; return its slot."""
        self.types.append(type_)
        self.names.append(name)
        return len(self.types) - 1

    def site(self, span: Span) -> int:
        """Return the site index of a span, under the citations and the piece in force here."""
        return self.indices.site(self.symbol.name, span, self.citations, self.piece)

    def block(self, span: Span) -> int:
        """Add an empty block; return its number."""
        self.blocks.append(Draft(site=self.site(span)))
        return len(self.blocks) - 1

    def close(self, terminator: ir.Terminator) -> None:
        """Give the current block its terminator, unless it has one already."""
        draft = self.blocks[self.current]
        if draft.terminator is None:
            draft.terminator = terminator

    def jump_to(self, block: int) -> None:
        """Jump from the current block to another one and continue there."""
        self.close(ir.Jump(block))
        self.current = block

    def begin_waiting_block(self, span: Span) -> None:
        """Make the current block an empty one: terminators that wait stand in blocks without statements."""
        if self.blocks[self.current].statements or self.blocks[self.current].terminator is not None:
            self.jump_to(self.block(span))

    def emit(self, op: str, span: Span, *args: ir.Expr | int | str) -> None:
        """Append a statement to the current block; after a terminator it is unreachable and dropped."""
        draft = self.blocks[self.current]
        if draft.terminator is None:
            draft.statements.append(ir.Statement(op, args, self.site(span)))

    def set(self, slot: int, value: ir.Expr, span: Span) -> None:
        """Append an assignment to a slot."""
        self.emit("set", span, slot, value)

    def read(self, slot: int) -> ir.Expr:
        """Return the expression that reads a slot."""
        return ir.Expr("local", self.types[slot], (slot,))

    def expr(self, expr: CExpr) -> ir.Expr:
        """Return the IR of an expression of the checked tree."""
        return self.indices.expr(expr, self.slots, self.site(expr.span))

    def read_once(self, name: str, expr: CExpr, span: Span) -> ir.Expr:
        """Return an expression that may be read several times at no cost: a constant as it stands, else a new slot that
        holds the value."""
        value = self.expr(expr)
        if value.op in ("local", "const") or (value.op == "zone" and all(isinstance(a, int) for a in value.args)):
            return value
        return self.read(self.held(name, value, span))

    def branch(self, condition: ir.Expr, span: Span) -> tuple[int, int]:
        """End the present block with a branch; return the blocks for true and for false."""
        then, otherwise = self.block(span), self.block(span)
        self.close(ir.Branch(condition, then, otherwise))
        return then, otherwise

    def passage(self, block: int, body: Sequence[CStatement], after: int) -> None:
        """Lower statements to a block and those that follow it, and jump from their end to the block `after`."""
        self.current = block
        self.sequence(body)
        self.close(ir.Jump(after))

    @contextmanager
    def when(self, condition: ir.Expr, span: Span) -> Iterator[None]:
        """Lower what the block emits so that it runs only if the condition holds."""
        then, after = self.branch(condition, span)
        self.current = then
        yield
        self.close(ir.Jump(after))
        self.current = after

    @contextmanager
    def loop_while(self, condition: Callable[[], ir.Expr], span: Span) -> Iterator[int]:
        """Lower what the block emits so that it runs as long as the condition holds; yield the block behind the
        loop."""
        head = self.block(span)
        self.jump_to(head)
        more, after = self.branch(condition(), span)
        self.current = more
        yield after
        self.close(ir.Jump(head))
        self.current = after

    def held(self, name: str, value: ir.Expr, span: Span) -> int:
        """Return a new slot that holds a value."""
        slot = self.slot(name, value.type)
        self.set(slot, value, span)
        return slot

    def step_counter(self, slot: int, op: str, span: Span) -> None:
        """Add 1 to a number (`add`) or subtract it (`sub`)."""
        self.set(slot, number_of(op, self.read(slot), number(1)), span)

    def chance(self, kind: str, name: str, args: tuple[ir.Expr, ...], slot: int, span: Span) -> None:
        """End the current block with a chance node whose outcome goes to `slot` (-1: nowhere); continue in a new
        block."""
        self.begin_waiting_block(span)
        after = self.block(span)
        self.close(ir.Chance(kind, name, args, slot, after, self.site(span)))
        self.current = after

    def reachable(self) -> tuple[ir.Block, ...]:
        """Return the blocks that can be reached from the first one, renumbered in depth-first order, with jumps through
        empty blocks threaded to their end (jump threading)."""
        order: list[int] = []
        target: dict[int, int] = {}

        def end_of_jumps(b: int) -> int:
            """Return the block where a chain of empty blocks that only jump ends."""
            visited = set()
            while (
                not self.blocks[b].statements
                and isinstance(j := self.blocks[b].terminator, ir.Jump)
                and b not in visited
            ):
                visited.add(b)
                b = j.to
            return b

        work = [0]
        while work:
            b = end_of_jumps(work.pop())
            if b not in target:
                target[b] = len(order)
                order.append(b)
                work += reversed(successors(self.blocks[b].terminator, self.shared.decisions))

        def new_number(b: int) -> int:
            """Return the new number of the block that a jump to `b` ends in; -1 stays -1."""
            return target[end_of_jumps(b)] if b >= 0 else -1

        result = []
        for b in order:
            draft = self.blocks[b]
            terminator = draft.terminator
            match terminator:
                case ir.Jump() | ir.CallProc() | ir.Chance():
                    terminator = replace(terminator, to=new_number(terminator.to))
                case ir.Branch():
                    terminator = replace(
                        terminator, then=new_number(terminator.then), otherwise=new_number(terminator.otherwise)
                    )
                case ir.Choose(decision=d):
                    decision = self.shared.decisions[d]
                    items = tuple(replace(item, to=new_number(item.to)) for item in decision.items)
                    self.shared.decisions[d] = replace(decision, items=items, otherwise=new_number(decision.otherwise))
            assert terminator is not None
            result.append(ir.Block(tuple(draft.statements), terminator, (), draft.site))
        return tuple(result)

    # ---- statements

    def sequence(self, statements: Sequence[CStatement]) -> None:
        """Lower statements one after the other."""
        for s in statements:
            self.LOWER[type(s)](self, s)

    def assign(self, s: core.CSet) -> None:
        """Lower an assignment to a local."""
        self.set(self.slots[s.local], self.expr(s.value), s.span)

    def do(self, s: core.CDo) -> None:
        """Lower a plain statement to the IR operation of the same name."""
        args = (self.expr(arg) if isinstance(arg, CExpr) else self.indices.immediate(arg, {}) for arg in s.args)
        self.emit(s.op, s.span, *args)

    def move(self, s: core.CMove) -> None:
        """Lower a move of one piece; where the rule refers to it later, a local gets its handle in the target zone."""
        zone = self.read_once("zone", s.zone, s.span)
        piece = self.expr(s.what)
        self.emit("move", s.span, piece, zone, s.end, int(s.secretly))
        if s.relocated is not None:
            self.set(self.slots[s.relocated], ir.Expr("relocate", piece.type, (piece, zone)), s.span)
        self.show_tops(s.zone, s.span)

    def show_tops(self, zone: CExpr, span: Span) -> None:
        """Expose the next piece of each pile whose top all see and which a move between zones of its kind may have
        uncovered."""
        for sym in shown_tops(self.indices.checked, self.shared.uncertain, zone):
            indices = [Local(f"{sym.name}_{i}", t, span) for i, t in enumerate(sym.per)]
            pile = CExpr("zone", ZoneT(sym.kind), (sym, *(CExpr("local", i.type, (i,), span) for i in indices)), span)
            shown: CStatement = core.CExpose(span, pile, CExpr("const", NUMBER, (0,), span))
            for index in reversed(indices):
                self.slots[index] = self.slot(index.name, ir_type(index.type))
                shown = core.CFor(span, index.name, index, every_value(index.type, span), (shown,))
            self.sequence((shown,))

    def draw(self, s: core.CDraw) -> None:
        """Lower a draw of several pieces from a pile.

        Where nobody can learn an unknown piece, the pieces move in one step. Otherwise a loop refills an empty pile,
        exposes the next piece (a chance node) if somebody sees the target, and moves it.
        """
        pile, zone = zone_symbol(s.pile), zone_symbol(s.zone)
        assert pile is not None
        assert zone is not None
        seen = not zone.unseen
        uncertain = pile in self.shared.uncertain
        refill = pile.decl.refill if s.refill else None
        source, goal = self.read_once("pile", s.pile, s.span), self.read_once("zone", s.zone, s.span)
        count, size = self.expr(s.count), number_of("size", source)
        if s.whole and uncertain and seen and (not zone.decl.laid.kept or not pile.decl.laid.kept):
            if not zone.decl.laid.kept:
                self.emit("settle", s.span, source)
            self.expose_some(source, size, False, s.span)
            self.emit("move_slots", s.span, source, size, goal, s.end, int(s.secretly))
        elif refill is None and not (uncertain and seen):
            self.emit("move_slots", s.span, source, count, goal, s.end, int(s.secretly))
        else:
            left = self.held("left", count, s.span)
            with self.loop_while(lambda: positive(self.read(left)), s.span) as done:
                if refill is not None:
                    self.refill(pile, s.pile, source, refill, s.span)
                some, none = self.branch(positive(size), s.span)
                self.current = none
                self.close(ir.Jump(done))
                self.current = some
                portion = number(1)
                if s.at_once:
                    portion = self.read(self.held("portion", number_of("min2", self.read(left), size), s.span))
                if uncertain and seen and s.at_once:
                    self.chance("several", "draw", (source, portion), -1, s.span)
                elif uncertain and seen:
                    self.chance("expose", "draw", (source, number(0)), -1, s.span)
                self.emit("move_slots", s.span, source, portion, goal, s.end, int(s.secretly))
                self.set(left, number_of("sub", self.read(left), portion), s.span)
        self.show_tops(s.zone, s.span)

    def refill(self, pile: ZoneSym, place: CExpr, source: ir.Expr, name: str, span: Span) -> None:
        """Move all pieces of the zone called `name` to the pile and shuffle it, if it is empty."""
        refilling = next(z for z in self.indices.checked.zones if z.name == name)
        indices = tuple(self.expr(a) for a in place.args[1:] if isinstance(a, CExpr))
        origin = ir.Expr("zone", ZONE, (self.indices.of(refilling), *indices))
        with self.when(ir.Expr("eq", BOOL, (number_of("size", source), number(0))), span):
            self.emit("move_slots", span, origin, number_of("size", origin), source, "top", 0)
            self.shuffle_pile(pile, source, span)

    def shuffle(self, s: core.CShuffle) -> None:
        """Lower a shuffle and expose what may lie on top."""
        pile = zone_symbol(s.pile)
        assert pile is not None
        self.shuffle_pile(pile, self.read_once("pile", s.pile, s.span), s.span)
        self.show_tops(s.pile, s.span)

    def shuffle_pile(self, pile: ZoneSym, source: ir.Expr, span: Span) -> None:
        """Shuffle a pile; where other zones hold unknown pieces of its kind, a chance node first settles which are
        here."""
        if sum(z.kind == pile.kind for z in self.shared.uncertain) > 1 or len(pile.per) > 0:
            self.chance("shared", "draw", (source,), -1, span)
        self.emit("shuffle", span, source)

    def expose(self, s: core.CExpose) -> None:
        """Lower the exposure of one piece, several from an end, or all of a zone; nothing where no piece of it can be
        unknown."""
        zone = zone_symbol(s.zone)
        if zone is not None and zone not in self.shared.uncertain:
            return
        source = self.read_once("zone", s.zone, s.span)
        size = number_of("size", source)
        if s.position is not None and s.count is None:
            with self.when(positive(size), s.span):
                self.chance("expose", "draw", (source, self.expr(s.position)), -1, s.span)
            return
        many = number_of("min2", self.expr(s.count), size) if s.count is not None else size
        from_bottom = s.position is not None and s.position.args == (-1,)
        self.expose_some(source, many, from_bottom, s.span)

    def expose_some(self, source: ir.Expr, count: ir.Expr, from_bottom: bool, span: Span) -> None:
        """Lower the exposure of `count` pieces from an end of a zone to a loop of chance nodes."""
        last, offset = self.held("last", count, span), self.held("place", number(0), span)
        with self.loop_while(lambda: ir.Expr("lt", BOOL, (self.read(offset), self.read(last))), span):
            position = number_of("sub", number(-1), self.read(offset)) if from_bottom else self.read(offset)
            self.chance("expose", "draw", (source, position), -1, span)
            self.step_counter(offset, "add", span)

    def moment(self, s: core.CMoment) -> None:
        """Lower the moment before or after an event: marks that last until then end, limits of its scope begin anew;
        once a scope is closed, those of the one around it go on."""
        code = f"{s.moment} {s.event}"
        checked = self.indices.checked
        if code in checked.untils:
            self.emit("clear_marks", s.span, checked.untils.index(code), self.expr(s.seat))
        counters = [self.indices.of(limit.variable) for limit in checked.limits if limit.scope == s.event]
        if s.moment == "opened":
            self.open_scope(s, counters)
        elif s.moment == "closed":
            self.close_scope(s, counters)

    def open_scope(self, s: core.CMoment, counters: Sequence[int]) -> None:
        """Lower the beginning of a scope: what is counted in it begins at 0.

        Where one of its sort may be open, locals take what was counted there, and whether the game is to end with it.
        What was used outside of all is of the stretch between two scopes, and ends here.
        """
        scopes, sort, span = self.shared.scopes, s.event, s.span
        around = scopes.openings.get((self.symbol, sort, span), set())
        loose = {self.indices.of(what) for what in scopes.loose if isinstance(what, VariableSym)}
        level = scopes.levels.get(sort)
        if True in around:
            within = ir.Expr("const", BOOL, (1,)) if level is None else positive(self.level_of(level))
            if level is not None:
                with self.when(ir.Expr("not", BOOL, (within,)), span):
                    self.reset(loose.intersection(counters), span)
            saved = [(counter, self.held("used", self.uses(counter), span)) for counter in counters]
            ending = -1
            if sort in scopes.put_off:
                deferred = ir.Expr("deferred", BOOL, (sort,))
                ending = self.held("ending", deferred if level is None else both(within, deferred), span)
                with self.when(self.read(ending), span):
                    self.emit("undefer", span, sort)
            self.around[sort, span] = saved, ending
            loose = set(counters)
        self.reset(loose.intersection(counters), span)
        if level is not None:
            self.count_level(level, "add", span)

    def close_scope(self, s: core.CMoment, counters: Sequence[int]) -> None:
        """Lower the end of a scope: what was counted in the one around it goes on, or all begins at 0."""
        level = self.shared.scopes.levels.get(s.event)
        if level is not None:
            self.count_level(level, "sub", s.span)
        saved, ending = self.around.get((s.event, s.span), ([], -1))
        if not saved:
            self.reset(counters, s.span)
        else:
            place = self.held("place", number(0), s.span)
            size = number_of("count", self.read(saved[0][1]))
            with self.loop_while(lambda: ir.Expr("lt", BOOL, (self.read(place), size)), s.span):
                party = ir.Expr("at", SEAT, (PARTIES, self.read(place)))
                for counter, slot in saved:
                    used = number_of("at", self.read(slot), self.read(place))
                    self.emit("set_var", s.span, counter, used, party)
                self.step_counter(place, "add", s.span)
        if ending >= 0:
            with self.when(self.read(ending), s.span):
                self.emit("defer", s.span, s.event)

    def reset(self, counters: Iterable[int], span: Span) -> None:
        """Append the statements that let counters begin anew."""
        for counter in sorted(counters):
            self.emit("reset", span, counter)

    def uses(self, counter: int) -> ir.Expr:
        """Return what a counter says of each party, in the order of `PARTIES`."""
        party = self.slot("party", SEAT)
        return ir.Expr("map", COUNTS, (party, PARTIES, ir.Expr("var", INT, (counter, self.read(party)))))

    def level_of(self, level: VariableSym) -> ir.Expr:
        """Return how many scopes of a sort are open."""
        return ir.Expr("var", INT, (self.indices.of(level),))

    def count_level(self, level: VariableSym, op: str, span: Span) -> None:
        """Append the statement that counts one scope more (`add`) or less (`sub`)."""
        self.emit("set_var", span, self.indices.of(level), number_of(op, self.level_of(level), number(1)))

    def call(self, s: core.CCall) -> None:
        """Lower a call: of a procedure that may wait as a terminator, of any other as a statement."""
        symbol = s.procedure
        args = tuple(self.expr(a) for a in s.arguments)
        index = self.indices.of(symbol)
        slot = self.slots[s.result] if s.result is not None else -1
        if symbol in self.shared.waiting:
            after = self.block(s.span)
            self.close(ir.CallProc(index, args, slot, after, self.site(s.span)))
            self.current = after
            return
        value = ir.Expr("call", ir_type(symbol.returns), (index, *args), self.site(s.span))
        if slot >= 0:
            self.set(slot, value, s.span)
        else:
            self.emit("evaluate", s.span, value)

    def random(self, s: core.CRandom) -> None:
        """Lower a draw to a chance node; of `some`, several without replacement, to a loop of chance nodes. `at_once`:
        a node before it does the loop's work where outcomes are listed; the result is in the order of the source."""
        slot, told = self.slots[s.result], self._seers(s)
        if s.kind != "some":
            self.chance(s.kind, s.name, (*map(self.expr, s.args), *told), slot, s.span)
            return
        source, count = (self.expr(a) for a in s.args)
        if s.at_once:
            left = self.held("left", count, s.span)
            # While it waits no local holds what is drawn from: individuals that nothing refers to are alike.
            some, all_ = self.branch(ir.Expr("lt", BOOL, (self.read(left), number_of("count", source))), s.span)
            after = self.block(s.span)
            self.current = all_
            self.set(slot, source, s.span)
            self.close(ir.Jump(after))
            self.current = some
            self.chance("some", s.name, (source, self.read(left), *told), slot, s.span)
            self.close(ir.Jump(after))
            self.current = after
            source = self.read(self.held("source", source, s.span))
            rest = self.held("rest", source, s.span)
        else:
            rest, left = self.held("rest", source, s.span), self.held("left", count, s.span)
        bag = self.shared.analysed.shared.resource(s.result.type) if isinstance(s.result.type, BagT) else None
        of = IrType(f"enum:{bag.name}") if bag is not None else source.type.inner
        element = self.slot("one", IrType(f"opt<{of}>") if bag is not None else of)
        kind, size = ("element", "count") if bag is None else ("unit", "bag_size")
        add, remove = ("union", "difference") if bag is None else ("bag_add", "bag_sub")
        if s.at_once:
            self.set(rest, ir.Expr(remove, source.type, (source, self.read(slot))), s.span)
            self.set(left, number_of("sub", self.read(left), number_of(size, self.read(slot))), s.span)
        else:
            none = (
                ir.Expr("list", source.type, ())
                if bag is None
                else ir.Expr(remove, source.type, (self.read(rest),) * 2)
            )
            self.set(slot, none, s.span)

        def more() -> ir.Expr:
            return ir.Expr("and", BOOL, (positive(self.read(left)), positive(number_of(size, self.read(rest)))))

        with self.loop_while(more, s.span):
            self.chance(kind, s.name, (self.read(rest), *told), element, s.span)
            drawn = ir.Expr("list", source.type, (self.read(element),))
            if bag is not None:
                one = ir.Expr("cast", of, (self.read(element),))
                drawn = ir.Expr("bag_one", source.type, (len(bag.values), one))
            self.set(slot, ir.Expr(add, source.type, (self.read(slot), drawn)), s.span)
            self.set(rest, ir.Expr(remove, source.type, (self.read(rest), drawn)), s.span)
            self.step_counter(left, "sub", s.span)
        if s.at_once:
            self.set(slot, ir.Expr(remove, source.type, (source, self.read(rest))), s.span)

    def _seers(self, s: core.CRandom) -> tuple[ir.Expr, ...]:
        """Return the set of seats that are told the outcome of a draw; nothing where all are."""
        seers = self.shared.analysed.secrets.seers.get(s)
        if seers is None or (seers.but and not seers.seats):
            return ()
        seats = ir.Expr("list", SEATS, tuple(map(self.expr, seers.seats)))
        return (ir.Expr("difference", SEATS, (ir.Expr("everyone", SEATS), seats)) if seers.but else seats,)

    def choose(self, s: core.CChoose) -> None:
        """Lower a decision: a block for each item, one for `otherwise`, all of which lead to the block after the
        decision."""
        self.begin_waiting_block(s.span)
        waiting = self.current
        after = self.block(s.span)
        old_citations, old_piece = self.citations, self.piece
        self.citations = s.citations or old_citations
        site = self.site(s.span)
        items = []
        for item in s.items:
            self.citations = item.citations or s.citations or old_citations
            self.piece = item.piece or old_piece
            items.append(self._item(item, after))
        self.citations, self.piece = old_citations, old_piece
        otherwise = -1
        if s.otherwise is not None:
            otherwise = self.block(s.span)
            self.passage(otherwise, s.otherwise, after)
        seat = self.expr(s.seat)
        decision = ir.Decision(
            self.indices.of(self.symbol),
            s.rule,
            seat,
            tuple(items),
            otherwise,
            s.ask,
            s.together,
            s.secret,
            self.slots[s.you] if s.you is not None else -1,
            self.slots[s.result] if s.result is not None else -1,
            site,
            tuple(local.name for local in self.body.parameters if local in self.shared.analysed.secrets.arguments),
        )
        self.shared.decisions.append(decision)
        self.current = waiting
        self.close(ir.Choose(len(self.shared.decisions) - 1))
        self.current = after

    def _item(self, item: core.CItem, after: int) -> ir.Item:
        """Lower an item of a decision; its body is a block of its own that leads to the block `after`."""
        secret = self.shared.analysed.secrets.values
        binders = tuple(
            ir.Binder(
                b.kind,
                b.name,
                self.slots[b.local],
                self.types[self.slots[b.local]],
                tuple(self.expr(a) for a in b.args),
                b.text,
                self.indices.of(b.variable) if b.variable is not None else -1,
            )
            for b in item.binders
        )
        guards = tuple(
            ir.Guard(
                self.expr(g.condition),
                g.reason,
                self.site(g.condition.span),
                guard_operands(g, secret),
                g.kind,
                WHOLE if revealed_whole(g.condition, secret) else g.word,
            )
            for g in item.guards
        )
        to = self.block(item.span)
        self.passage(to, item.body, after)
        grouped = any(b.kind == "grouping" for b in binders)
        pre, post = split_guards(guards, {b.slot for b in binders}) if not grouped else ((), guards)
        return ir.Item(item.name, binders, post, to, self.site(item.span), pre)

    def if_(self, s: core.CIf) -> None:
        """Lower a conditional to two blocks that meet in a third."""
        then, otherwise = self.branch(self.expr(s.condition), s.span)
        after = self.block(s.span)
        self.passage(then, s.then, after)
        self.passage(otherwise, s.otherwise, after)
        self.current = after

    def loop(self, s: core.CLoop) -> None:
        """Lower an endless loop, which a `break` to its label leaves."""
        head, after = self.block(s.span), self.block(s.span)
        self.labels[s.label] = after
        self.close(ir.Jump(head))
        self.passage(head, s.body, head)
        self.current = after

    def for_(self, s: core.CFor) -> None:
        """Lower a loop over a collection to a counter, a test and a jump back.

        What is gone through lies in a slot, and so in every state that waits in the loop; numbers and collections that
        are the same throughout a game do not: a state has the number, or the index, alone.
        """
        if s.collection.op == "numbers":
            self._for_numbers(s)
            return
        body = s.body
        if self.symbol in self.shared.waiting and (fixed := fixed_loop(s, self.body)) is not None:
            collection, body = fixed
            elements = self.expr(collection)
        else:
            elements = self.read(self.held("elements", self.expr(s.collection), s.span))
        position = self.held("place", number(0), s.span)
        head, after, step = self.block(s.span), self.block(s.span), self.block(s.span)
        self.labels[s.label] = after
        self.jump_to(head)
        count = number_of("count", elements)
        more, done = self.branch(ir.Expr("lt", BOOL, (self.read(position), count)), s.span)
        self.current = done
        self.close(ir.Jump(after))
        self.current = more
        local = self.slots[s.local]
        self.set(local, ir.Expr("at", self.types[local], (elements, self.read(position))), s.span)
        self.sequence(body)
        self.close(ir.Jump(step))
        self.current = step
        self.step_counter(position, "add", s.span)
        self.close(ir.Jump(head))
        self.current = after

    def _for_numbers(self, s: core.CFor) -> None:
        """Lower a loop over the numbers from one to another: the next one is counted after the test that there is one,
        so that the last may be the largest number that there is."""
        low, high = expressions(s.collection.args)
        local = self.slots[s.local]
        first, last = self.expr(low), self.read_once("last", high, s.span)
        self.set(local, first, s.span)
        after, step = self.block(s.span), self.block(s.span)
        self.labels[s.label] = after
        body, done = self.branch(ir.Expr("le", BOOL, (self.read(local), last)), s.span)
        self.passage(done, (), after)
        self.passage(body, s.body, step)
        self.current = step
        more, done = self.branch(ir.Expr("lt", BOOL, (self.read(local), last)), s.span)
        self.passage(done, (), after)
        self.current = more
        self.step_counter(local, "add", s.span)
        self.close(ir.Jump(body))
        self.current = after

    def break_(self, s: core.CBreak) -> None:
        """Lower a jump out of the loop of a label."""
        self.close(ir.Jump(self.labels[s.label]))
        self.current = self.block(s.span)

    def step(self, s: core.CStep) -> None:
        """Lower a step, whose citations hold for the sites in it."""
        old = self.citations
        self.citations = s.citations or old
        self.sequence(s.body)
        self.citations = old

    def return_(self, s: core.CReturn) -> None:
        """Lower a return; what follows goes to an unreachable block."""
        self.close(ir.Return(self.expr(s.value) if s.value is not None else None))
        self.current = self.block(s.span)

    def never(self, s: core.CNever) -> None:
        """Lower `never` to a block that reports its failure and jumps to itself."""
        failing = self.block(s.span)
        self.jump_to(failing)
        self.emit("check", s.span, ir.Expr("const", BOOL, (0,)), REACHED)
        self.close(ir.Jump(failing))
        self.current = self.block(s.span)

    def end(self, s: core.CEnd) -> None:
        """Lower the end of the game to a block of its own."""
        self.begin_waiting_block(s.span)
        self.blocks[self.current].site = self.site(s.span)
        self.close(ir.End())
        self.current = self.block(s.span)

    LOWER: ClassVar[dict[type[CStatement], Callable[[Any, Any], None]]] = {
        core.CSet: assign,
        core.CDo: do,
        core.CMove: move,
        core.CDraw: draw,
        core.CShuffle: shuffle,
        core.CExpose: expose,
        core.CMoment: moment,
        core.CCall: call,
        core.CRandom: random,
        core.CChoose: choose,
        core.CIf: if_,
        core.CLoop: loop,
        core.CFor: for_,
        core.CBreak: break_,
        core.CStep: step,
        core.CReturn: return_,
        core.CNever: never,
        core.CEnd: end,
    }


def fixed_loop(s: core.CFor, body: Body) -> tuple[CExpr, tuple[CStatement, ...]] | None:
    """Return the collection and the body of a loop whose collection is the same throughout a game, or is filtered out
    of such a one by a condition that reads no state; None for other loops.

    Such a collection needs no slot: its elements are found by their index, and the condition is asked in the body.
    """
    if s.collection.op in FIXED:
        return s.collection, s.body
    if s.collection.op != "filter":
        return None
    it, source, condition = binding(s.collection)
    parts = list(subexpressions(condition))
    if source.op not in FIXED or any(part.op not in FIXED_VALUES or isinstance(part.type, PieceT) for part in parts):
        return None
    passes = substitute(condition, {it: CExpr("local", s.local.type, (s.local,), s.span)}, body)
    return source, (core.CIf(condition.span, passes, s.body, ()),)


def split_guards(guards: tuple[ir.Guard, ...], slots: set[int]) -> tuple[tuple[ir.Guard, ...], tuple[ir.Guard, ...]]:
    """Return the leading guards that read none of the binders' `slots`, and the rest, both in the author's order."""

    def reads(expr: ir.Expr) -> bool:
        """Return whether an expression reads a binder."""
        return any(reads(a) if isinstance(a, ir.Expr) else (expr.op == "local" and a in slots) for a in expr.args)

    cut = 0
    while cut < len(guards) and not reads(guards[cut].condition):
        cut += 1
    return guards[:cut], guards[cut:]
