"""Statements: each is checked and appended, after whatever it has to wait for. Here: names, control and calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from rulelang.diagnostics import Span
from rulelang.semantics.base import const, number, source_text
from rulelang.semantics.changes import Changes
from rulelang.semantics.choices import cite_texts
from rulelang.semantics.core import (
    CBreak,
    CCall,
    CDo,
    CEnd,
    CExpr,
    CFor,
    CIf,
    CLabelled,
    CLoop,
    CMoment,
    CReturn,
    CSet,
    CStatement,
    CStep,
    Local,
)
from rulelang.semantics.steps import Inserted
from rulelang.semantics.symbols import ProcedureSym
from rulelang.semantics.types import (
    BOOL,
    NUMBER,
    PLAYER,
    EmptyT,
    ErrorT,
    NoneT,
    OptionalT,
    SetT,
    Type,
    VoidT,
    ZoneT,
    bare,
    optional,
)
from rulelang.syntax import ast


def conditions(condition: CExpr) -> list[CExpr]:
    """The parts of an `and` that was checked."""
    if condition.op == "and":
        return [part for side in condition.args if isinstance(side, CExpr) for part in conditions(side)]
    return [condition]


class Statements(Changes):
    """Checks the body of one procedure."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._labels = 0
        self._loops: list[tuple[str, int]] = []
        self._open: list[tuple[str, str, tuple[CStatement, ...]]] = []

    # ---- blocks

    def label(self, what: str) -> str:
        self._labels += 1
        return f"{what}{self._labels}"

    def block(self, node: ast.Block) -> tuple[CStatement, ...]:
        with self.scope():
            return self.statements(node.statements)

    def statements(self, nodes: tuple[ast.Statement, ...]) -> tuple[CStatement, ...]:
        old, self.prelude = self.prelude, []
        for node in nodes:
            self.choice_name = "choice"
            self.STATEMENTS[type(node)](self, node)
        result, self.prelude = tuple(self.prelude), old
        return result

    @contextmanager
    def collect(self) -> Iterator[list[CStatement]]:
        """Statements emitted inside go to a list of their own."""
        old, self.prelude = self.prelude, []
        try:
            yield self.prelude
        finally:
            self.prelude = old

    # ---- naming values

    def let(self, node: ast.Let) -> None:
        self.choice_name = node.name.text
        value = self.expr(node.value)
        if isinstance(value.type, NoneT | EmptyT):
            value = self.unclear("this", node.value.span)
        if node.leave is not None:
            value = self.there_or_leave(node.name.text, node.leave, value, node.span)
        self.bind_name(node.name, value, value.type)
        if (local := self.scopes[-1].get(node.name.text)) is not None:
            self.lets.add(local)

    def there_or_leave(self, name: str, leave: ast.Statement, value: CExpr, span: Span) -> CExpr:
        """`let x = value else return`: an absent value leaves, so what follows has it."""
        if not isinstance(value.type, OptionalT | ErrorT):
            self.warn("value-present", f"this {value.type} is never absent, so `else` has no effect", value.span)
            return value
        held = self.new_local(name, value.type, span)
        self.emit(CSet(span, held, value))
        with self.collect() as leaving:
            self.STATEMENTS[type(leave)](self, leave)
        absent = CExpr("is_none", BOOL, (self.read(held),), value.span)
        self.emit(CIf(span, absent, tuple(leaving), ()))
        return CExpr("cast", bare(value.type), (self.read(held),), value.span)

    def bind_name(self, name: ast.Name, value: CExpr, type: Type) -> None:
        """Names a value; a result that was just made keeps its own local."""
        if (
            value.op == "local"
            and isinstance(node := value.args[0], Local)
            and self.is_fresh(node)
            and type == node.type
        ):
            named = self.declare(name, type)
            self.body.locals.remove(named)
            self.scopes[-1][name.text] = node
            node.name, node.named = name.text, True
            return
        local = self.declare(name, type)
        if isinstance(value.type, ZoneT):
            value = self.pieces_of(value)
            local.type = value.type
        self.emit(CSet(name.span, local, value))

    def is_fresh(self, local: Local) -> bool:
        """Whether nothing else names this local."""
        return (
            all(local is not known for scope in self.scopes for known in scope.values())
            and local not in self.body.parameters
        )

    # ---- control

    def if_(self, node: ast.If) -> None:
        self.branch(node.branches, node.otherwise)

    def branch(
        self, branches: tuple[tuple[ast.Expr | ast.IfSome, ast.Block], ...], otherwise: ast.Block | None
    ) -> None:
        (condition, block), *rest = branches
        if isinstance(condition, ast.IfSome):
            self.choice_name = condition.name.text
            value = self.expr(condition.value)
            if not isinstance(value.type, OptionalT | ErrorT):
                self.warn("value-present", f"this {value.type} is never absent", condition.value.span, "use `let`")
            held = value
            if value.op != "local":
                temporary = self.new_local(condition.name.text, value.type, condition.span)
                self.emit(CSet(condition.span, temporary, value))
                held = self.read(temporary)
            test = CExpr("not", BOOL, (CExpr("is_none", BOOL, (held,), condition.span),), condition.span)
            if not isinstance(value.type, OptionalT):
                test = const(1, BOOL, condition.span)
            with self.scope(), self.payable():
                inner = self.declare(condition.name, bare(value.type))
                there = CExpr("cast", inner.type, (held,), condition.span)
                then = (CSet(condition.span, inner, there), *self.statements(block.statements))
        else:
            test = self.condition(condition)
            with self.payable(conditions(test)):
                then = self.block(block)
        with self.collect() as other, self.payable():
            if rest:
                self.branch(tuple(rest), otherwise)
            elif otherwise is not None:
                other += self.block(otherwise)
        self.emit(CIf(block.span, test, then, tuple(other)))

    def for_(self, node: ast.For) -> None:
        if isinstance(node.collection, ast.Where):
            collection = self.filtered(node.collection, node.name)
        else:
            collection = self.as_set(self.expr(node.collection), "what is gone through")
        label = self.label("for")
        with self.scope():
            local = self.declare(node.name, self.element_type(collection))
            body = self.looped(label, node.body)
        self.emit(CFor(node.span, label, local, collection, body))

    def filtered(self, node: ast.Where, name: ast.Name) -> CExpr:
        """`for x in C where cond`: in the condition the element is `it`, or `x`."""
        collection = self.collection(node.collection, "what is gone through")
        local = self.new_local(name.text, self.element_type(collection), name.span)
        with self.scope(), self.element(local):
            self.scopes[-1][name.text] = local
            condition = self.condition(node.condition)
        return CExpr("filter", SetT(self.element_type(collection)), (local, collection, condition), node.span)

    def looped(self, label: str, block: ast.Block) -> tuple[CStatement, ...]:
        self._loops.append((label, len(self._open)))
        old, self._payable = self._payable, []
        body = self.block(block)
        self._payable = old
        self._loops.pop()
        return body

    def while_(self, node: ast.While) -> None:
        label = self.label("while")
        with self.collect() as out:
            condition = self.condition(node.condition)
            out.append(CIf(node.condition.span, condition, (), (CBreak(node.span, label),)))
            out += self.looped(label, node.body)
        self.emit(CLoop(node.span, label, tuple(out)))

    def repeat(self, node: ast.Repeat) -> None:
        label = self.label("repeat")
        if node.times is None:
            self.emit(CLoop(node.span, label, self.looped(label, node.body)))
            return
        times = self.value(node.times, NUMBER, "how often")
        counter = self.new_local("round", NUMBER, node.span)
        rounds = CExpr("numbers", SetT(NUMBER), (number(1, node.span), times), node.span)
        self.emit(CFor(node.span, label, counter, rounds, self.looped(label, node.body)))

    def stop(self, node: ast.Stop) -> None:
        if not self._loops:
            self.error(
                "stop-outside", "`stop` leaves a loop, and there is none around it", node.span, "`return` leaves a rule"
            )
            return
        label, outside = self._loops[-1]
        self.close_scopes(outside)
        self.emit(CBreak(node.span, label))

    def close_scopes(self, outside: int) -> None:
        """What leaves turns, rounds and phases before their end closes them, innermost first; `outside` stay open."""
        for _, _, closing in reversed(self._open[outside:]):
            for statement in closing:
                self.emit(statement)

    def return_(self, node: ast.Return) -> None:
        wanted = self.procedure.returns
        if node.value is None:
            if not isinstance(wanted, VoidT):
                self.error("return-value", f"`{self.procedure.name}` must return a {wanted}", node.span)
            self.close_scopes(0)
            self.emit(CReturn(node.span, None))
            return
        if isinstance(wanted, VoidT):
            self.error(
                "return-value",
                f"`{self.procedure.name}` gives no value",
                node.span,
                f"declare it: `rule {self.procedure.name}(…) -> type:`",
            )
            return
        value = self.value(node.value, wanted, "what is returned")
        if self._open:
            result = self.new_local("result", wanted, node.span)
            self.emit(CSet(node.span, result, value))
            self.close_scopes(0)
            value = self.read(result)
        self.emit(CReturn(node.span, value))

    def pass_(self, node: ast.Pass) -> None:
        del node

    def require(self, node: ast.Require) -> None:
        condition = self.condition(node.condition)
        self.emit(CDo(node.span, "check", (condition, source_text(node.condition.span))))

    def as_block(self, node: ast.AsBlock) -> None:
        seat = self.seat(node.seat, "who acts")
        local = self.new_local("you", PLAYER, node.seat.span)
        self.emit(CSet(node.span, local, seat))
        with self.acting(self.read(local)):
            body = self.block(node.body)
        for statement in body:
            self.emit(statement)

    def scope_block(self, node: ast.Scope) -> None:
        span = node.seat.span if node.seat is not None else node.span
        event = node.name.text if node.name is not None else node.kind
        seat = const(-1, optional(PLAYER), span)
        if node.seat is not None:
            you = self.new_local("you", PLAYER, span)
            self.emit(CSet(span, you, self.seat(node.seat, "whose turn it is")))
            seat = self.read(you)
        events = [event] if event == node.kind else [node.kind, event]
        # A phase is of the seat that acts (-1 where none does), so that marks can end with that seat's phase.
        whose = self.you if node.kind == "phase" and self.you is not None else seat
        closing: tuple[CStatement, ...] = (
            *(CMoment(span, "after", name, whose) for name in reversed(events)),
            CIf(span, CExpr("deferred", BOOL, (node.kind,), span), (CEnd(span),), ()),
        )
        label = self.label(node.kind)
        self._open.append((node.kind, label, closing))
        if node.seat is not None:
            with self.acting(seat):
                body = self.block(node.body)
        else:
            body = self.block(node.body)
        self._open.pop()
        opening = (CDo(span, "begin", (node.kind, seat)), *(CMoment(span, "before", name, whose) for name in events))
        inner: tuple[CStatement, ...] = (CLabelled(span, label, body),)
        if node.citations or node.name is not None:
            inner = (CStep(span, event, cite_texts(node.citations), inner),)
        whole = (*opening, *inner, *closing)
        if node.seat is not None and self.shared.eliminates:
            # A seat that is out has no turn.
            still_in = CExpr("member", BOOL, (seat, CExpr("parties", SetT(PLAYER, 1), (), span)), span)
            whole = (CIf(span, still_in, whole, ()),)
        for statement in whole:
            self.emit(statement)

    def step(self, node: ast.Step) -> None:
        self.emit(CMoment(node.span, "before", "step", const(-1, optional(PLAYER), node.span)))
        self.emit(CStep(node.span, node.name.text, cite_texts(node.citations), self.block(node.body)))

    def inserted(self, node: Inserted) -> None:
        self.emit(CStep(node.span, node.step.text, cite_texts(node.citations), self.block(node.body)))

    def end_block(self, node: ast.EndBlock) -> None:
        place = next((i for i in reversed(range(len(self._open))) if self._open[i][0] == node.scope), None)
        if place is None:
            self.error(
                "stop-outside", f"there is no {node.scope} around this to end", node.span, "`return` leaves a rule"
            )
            return
        self.close_scopes(place + 1)
        self.emit(CBreak(node.span, self._open[place][1]))

    def end_game(self, node: ast.EndGame) -> None:
        if node.won_by is not None:
            winners = self.expr(node.won_by)
            if winners.type == PLAYER:
                winners = CExpr("list", SetT(PLAYER, 1), (winners,), node.span)
            winners = self.fit(self.as_set(winners, "who wins"), SetT(PLAYER), "who wins")
            self.emit(CDo(node.span, "win", (winners,)))
        if node.drawn:
            self.emit(CDo(node.span, "draw_game", ()))
        if node.after is None:
            self.emit(CEnd(node.span))
        elif node.after not in ("turn", "round", "phase"):
            self.error(
                "stop-outside", f"a game ends after this turn, round or phase, not after a {node.after}", node.span
            )
        else:
            self.emit(CDo(node.span, "defer", (node.after,)))

    # ---- calls, payments, exchanges

    def call_statement(self, node: ast.CallStatement) -> None:
        symbol = self.names.get(node.call.function.text)
        if not isinstance(symbol, ProcedureSym) or symbol.pure:
            value = self.expr(node.call)
            if not isinstance(value.type, ErrorT):
                self.error(
                    "call-unused",
                    f"`{node.call.function.text}` only gives a value; on its own it does nothing",
                    node.span,
                )
            return
        values = self.arguments(symbol, node.call.arguments, node.span)
        if values is None:
            return
        full = (*self.you_argument(symbol, node.span), *values)
        self.emit(CCall(node.span, symbol, full, None))

    STATEMENTS: ClassVar[dict[type[ast.Statement], Callable[[Any, Any], None]]] = {
        ast.Let: let,
        ast.Assign: Changes.assign,
        ast.Move: Changes.move,
        ast.Draw: Changes.draw,
        ast.Shuffle: Changes.shuffle,
        ast.CallStatement: call_statement,
        ast.Return: return_,
        ast.Stop: stop,
        ast.Pass: pass_,
        ast.Require: require,
        ast.EndGame: end_game,
        ast.EndBlock: end_block,
        ast.Mark: Changes.mark,
        ast.Unmark: Changes.unmark,
        ast.Eliminate: Changes.eliminate,
        ast.Reveal: Changes.reveal,
        ast.Arrange: Changes.arrange,
        ast.Trade: Changes.trade,
        ast.Pay: Changes.pay,
        ast.If: if_,
        ast.For: for_,
        ast.While: while_,
        ast.Repeat: repeat,
        ast.AsBlock: as_block,
        ast.Scope: scope_block,
        ast.Step: step,
        Inserted: inserted,
        ast.Menu: Changes.menu,
    }
