"""Statements: each is checked and appended, after whatever it has to wait for. Here: names, control and calls."""

from __future__ import annotations

from collections.abc import Iterable

from rulelang.semantics.analysis.least import set_of
from rulelang.semantics.analysis.nonempty import is_fixed, refuted, unaffected
from rulelang.semantics.tree import core
from rulelang.semantics.tree import types as ty
from rulelang.semantics.tree.core import CExpr, CStatement, Local, conjunction
from rulelang.semantics.tree.shared import const, element_type, number, source_text
from rulelang.semantics.tree.symbols import ProcedureSym, cite_texts
from rulelang.semantics.typing.asked import known_of, known_of_element
from rulelang.semantics.typing.bodies import always_returns
from rulelang.semantics.typing.calls import checked_arguments, you_argument
from rulelang.semantics.typing.changes import there_or_leave
from rulelang.semantics.typing.context import Context, statement
from rulelang.semantics.typing.steps import Inserted
from rulelang.syntax import ast


@statement(ast.Let)
def _let(c: Context, node: ast.Let) -> None:
    """Check `let NAME = VALUE`, with `else` for where the value is absent."""
    c.choice_name = node.name.text
    value = let_value(c, node)
    if node.leave is not None:
        value = there_or_leave(c, node.name.text, node.leave, value, node.span)
    _bind_name(c, node.name, value, value.type)
    if (local := c.layers[-1].get(node.name.text)) is not None:
        c.lets.add(local)


def let_value(c: Context, node: ast.Let) -> CExpr:
    """Check and return the value of a `let`."""
    value = c.expr(node.value) if node.leave is None else c.maybe(node.value)
    if isinstance(value.type, ty.NoneT | ty.EmptyT):
        return c.unclear("this", node.value.span)
    return c.pieces_of(value) if isinstance(value.type, ty.ZoneT) else value


def _bind_name(c: Context, name: ast.Name, value: CExpr, type: ty.Type) -> None:
    """Bind a name to a value; a result that was just made keeps its own local."""
    if value.op == "local" and isinstance(node := value.args[0], Local) and _is_fresh(c, node) and type == node.type:
        named = c.declare(name, type)
        if isinstance(named.type, ty.ErrorT):
            return
        c.body.locals.remove(named)
        c.layers[-1][name.text] = node
        node.name, node.named = name.text, True
        c.names.note(name.span, node, declares=True)
        return
    local = c.declare(name, type)
    c.emit(core.CSet(name.span, local, value))


def _is_fresh(c: Context, local: Local) -> bool:
    """Return whether nothing else names this local."""
    return all(local is not known for layer in c.layers for known in layer.values()) and local not in c.body.parameters


@statement(ast.If)
def _if(c: Context, node: ast.If) -> None:
    _branch(c, node.branches, node.otherwise)


def _branch(
    c: Context, branches: tuple[tuple[ast.Expr | ast.IfSome, ast.Block], ...], otherwise: ast.Block | None
) -> None:
    """Emit the first of several branches, with the others in its `else`."""
    (condition, block), *rest = branches
    if isinstance(condition, ast.IfSome):
        c.choice_name = condition.name.text
        value = c.maybe(condition.value)
        if not isinstance(value.type, ty.OptionalT | ty.ErrorT):
            c.warn("value-present", f"this {value.type} is never absent", condition.value.span, "use `let`")
        tested = value
        if value.op != "local":
            temporary = c.new_local(condition.name.text, value.type, condition.span)
            c.emit(core.CSet(condition.span, temporary, value))
            tested = c.read(temporary)
        test = CExpr("not", ty.BOOL, (CExpr("is_none", ty.BOOL, (tested,), condition.span),), condition.span)
        if not isinstance(value.type, ty.OptionalT):
            test = const(1, ty.BOOL, condition.span)
        with c.nested(), c.payable([test]):
            inner = c.declare(condition.name, ty.bare(value.type))
            present = CExpr("cast", inner.type, (tested,), condition.span)
            c.facts = [*c.facts, *known_of(c, inner, present)]
            then = (core.CSet(condition.span, inner, present), *c.statements(block.statements))
    else:
        test = c.condition(condition)
        with c.payable(conjunction(test)):
            then = c.block(block)
    with c.collect() as alternative, c.payable(refuted(test)):
        if rest:
            _branch(c, tuple(rest), otherwise)
        elif otherwise is not None:
            alternative += c.block(otherwise)
    c.emit(core.CIf(block.span, test, then, tuple(alternative)))
    for way, onward, facts in ((then, alternative, refuted(test)), (alternative, then, conjunction(test))):
        if always_returns(way) or any(isinstance(s, core.CBreak) for s in way):
            c.facts = [*c.facts, *unaffected(facts, onward)]


@statement(ast.For)
def _for(c: Context, node: ast.For) -> None:
    """Check `for NAME in SET`: a loop with a local of its own."""
    if isinstance(node.collection, ast.Where):
        collection = _filtered(c, node.collection, node.name)
    else:
        collection = c.as_set(c.expr(node.collection), "what is gone through")
    label = c.label("for")
    with c.nested():
        local = c.declare(node.name, element_type(collection))
        # Which elements there are was read before the first round, after which some may have been put out.
        known = known_of_element(c, local, collection)
        body = _looped(c, label, node.body, filter(is_fixed, known) if c.shared.eliminates else known)
    c.emit(core.CFor(node.span, label, local, collection, body))


def _filtered(c: Context, node: ast.Where, name: ast.Name) -> CExpr:
    """`for x in C where cond`: in the condition the element is `it`, or `x`."""
    collection = c.collection(node.collection, "what is gone through")
    local = c.new_local(name.text, element_type(collection), name.span)
    with c.element(local, collection, name.text):
        condition = c.condition(node.condition)
    return CExpr("filter", ty.SetT(local.type), (local, collection, condition), node.span)


def _looped(c: Context, label: str, block: ast.Block, facts: Iterable[CExpr] = ()) -> tuple[CStatement, ...]:
    """Return the body of a loop; `facts` hold whenever a round begins."""
    c.loops.append((label, len(c.open)))
    with c.within(affordable=[], facts=[*filter(is_fixed, c.facts), *facts]):
        body = c.block(block)
    c.loops.pop()
    return body


@statement(ast.While)
def _while(c: Context, node: ast.While) -> None:
    """Check `while`: an endless loop that breaks where its condition is false."""
    label = c.label("while")
    with c.collect() as out:
        with c.within(facts=list(filter(is_fixed, c.facts))):  # it is read again after each round
            condition = c.condition(node.condition)
        out.append(core.CIf(node.condition.span, condition, (), (core.CBreak(node.span, label),)))
        out += _looped(c, label, node.body, conjunction(condition))
    c.emit(core.CLoop(node.span, label, tuple(out)))


@statement(ast.Repeat)
def _repeat(c: Context, node: ast.Repeat) -> None:
    """Check `repeat`: without a number an endless loop, else one over the numbers from 1 on."""
    label = c.label("repeat")
    if node.times is None:
        c.emit(core.CLoop(node.span, label, _looped(c, label, node.body)))
        return
    times = c.value(node.times, ty.NUMBER, "how often")
    counter = c.new_local("round", ty.NUMBER, node.span)
    rounds = CExpr("numbers", ty.SetT(ty.NUMBER), (number(1, node.span), times), node.span)
    c.emit(core.CFor(node.span, label, counter, rounds, _looped(c, label, node.body)))


@statement(ast.Stop)
def _stop(c: Context, node: ast.Stop) -> None:
    """Check `stop`: a break out of the innermost loop, which closes the scopes of turns in between."""
    if not c.loops:
        message = "`stop` leaves a loop, and there is none around it"
        c.error("stop-outside", message, node.span, "`return` leaves a rule")
        return
    label, outside = c.loops[-1]
    _close_scopes(c, outside)
    c.emit(core.CBreak(node.span, label))


def _close_scopes(c: Context, outside: int) -> None:
    """Emit the ends of the turns, rounds and phases that a jump leaves, innermost first; `outside` stay open."""
    for closing in reversed(c.open[outside:]):
        c.emit(*closing)


@statement(ast.Return)
def _return(c: Context, node: ast.Return) -> None:
    """Emit `return`, after the ends of all turns, rounds and phases that it leaves. Findings: `return-value`."""
    name, returns = c.procedure.name, c.procedure.returns if c.replaced is None else ty.VOID
    value = c.read(c.replaced.proceeded) if c.replaced is not None else None
    if node.value is None:
        if not isinstance(returns, ty.VoidT):
            c.error("return-value", f"`{name}` must return a {returns}", node.span)
    elif isinstance(returns, ty.VoidT):
        c.error("return-value", f"`{name}` gives no value", node.span, f"declare it: `rule {name}(…) -> type:`")
        return
    else:
        value = c.ranged(node.value, returns, "what is returned")
        if any(len(closing) > 1 for closing in c.open):  # the end of a step changes no value
            result = c.new_local("result", returns, node.span)
            c.emit(core.CSet(node.span, result, value))
            value = c.read(result)
    _close_scopes(c, 0)
    c.emit(core.CReturn(node.span, value))


@statement(ast.Pass)
def _pass(c: Context, node: ast.Pass) -> None:
    del node


@statement(ast.Never)
def _never(c: Context, node: ast.Never) -> None:
    c.emit(core.CNever(node.span))


@statement(ast.Require)
def _require(c: Context, node: ast.Require) -> None:
    condition = c.condition(node.condition)
    c.emit(core.CDo(node.span, "check", (condition, source_text(node.condition.span))))


@statement(ast.AsBlock)
def _as_block(c: Context, node: ast.AsBlock) -> None:
    """Check `as SEAT:`: a block in which another seat acts."""
    seat = c.seat(node.seat, "who acts")
    local = c.new_local("you", ty.PLAYER, node.seat.span)
    c.emit(core.CSet(node.span, local, seat))
    with c.within(you=c.read(local)):
        body = c.block(node.body)
    c.emit(*body)


@statement(ast.Scope)
def _scope(c: Context, node: ast.Scope) -> None:
    """Emit a turn, round or phase: its beginning, `before` moments, body, `after` moments and end."""
    span = node.seat.span if node.seat is not None else node.span
    event = node.name.text if node.name is not None else node.kind
    seat, still_in = const(-1, ty.optional(ty.PLAYER), span), None
    if node.seat is not None:
        you = c.new_local("you", ty.PLAYER, span)
        c.emit(core.CSet(span, you, c.seat(node.seat, "whose turn it is")))
        seat = c.read(you)
        parties = set_of(c.shared, "parties", ty.PLAYER, (), span)
        # A seat that is out has no turn.
        still_in = CExpr("member", ty.BOOL, (seat, parties), span) if c.shared.eliminates else None
    events = [event] if event == node.kind else [node.kind, event]
    # A phase is of the seat that acts (-1 where none does), so that marks can end with that seat's phase.
    whose = c.you if node.kind == "phase" and c.you is not None else seat
    closing: tuple[CStatement, ...] = (
        *(core.CMoment(span, "after", name, whose) for name in reversed(events)),
        core.CIf(span, CExpr("deferred", ty.BOOL, (node.kind,), span), (core.CEnd(span),), ()),
        core.CMoment(span, "closed", node.kind, whose),
    )
    c.open.append(closing)
    with c.within(you=seat if node.seat is not None else c.you, facts=c.facts):
        if still_in is not None:
            c.facts = [*c.facts, still_in, *known_of_element(c, you, parties)]
        body = c.block(node.body)
    c.open.pop()
    opening = (
        core.CDo(span, "begin", (node.kind, seat)),
        *(core.CMoment(span, "before", name, whose) for name in events),
        core.CMoment(span, "opened", node.kind, whose),
    )
    inner: tuple[CStatement, ...] = tuple(body)
    if node.citations or node.name is not None:
        inner = (core.CStep(span, event, cite_texts(node.citations), inner),)
    whole = (*opening, *inner, *closing)
    if still_in is not None:
        whole = (core.CIf(span, still_in, whole, ()),)
    c.emit(*whole)


@statement(ast.Step)
def _step(c: Context, node: ast.Step) -> None:
    nobody = const(-1, ty.optional(ty.PLAYER), node.span)
    opened, closed = (core.CMoment(node.span, moment, "step", nobody) for moment in ("opened", "closed"))
    c.emit(opened)
    c.open.append((closed,))
    body = c.block(node.body)
    c.open.pop()
    c.emit(core.CStep(node.span, node.name.text, cite_texts(node.citations), body), closed)


@statement(Inserted)
def _inserted(c: Context, node: Inserted) -> None:
    c.emit(core.CStep(node.span, node.step.text, cite_texts(node.citations), c.block(node.body)))


def _hand_out(c: Context, amounts: ast.Expr) -> None:
    """Emit what each party gets, and that those who get most have won."""
    span, variable = amounts.span, c.shared.amounts(amounts.span)
    parties = set_of(c.shared, "parties", ty.PLAYER, (), span)
    everyone = set_of(c.shared, "everyone", ty.PLAYER, (), span)
    everyone = set_of(c.shared, "union", ty.PLAYER, (everyone, parties), span)
    you, party = c.new_local("you", ty.PLAYER, span), c.new_local("it", ty.PLAYER, span)
    with c.within(you=c.read(you)), c.pure():
        amount = c.value(amounts, ty.NUMBER, "what each gets")
    got = CExpr("var", variable.type, (variable, c.read(party)), span)
    got = CExpr("otherwise", ty.NUMBER, (got, number(0, span)), span)
    c.emit(
        core.CFor(
            span, c.label("amounts"), you, everyone, (core.CDo(span, "set_var", (variable, amount, c.read(you))),)
        ),
        core.CDo(span, "win", (set_of(c.shared, "most", ty.PLAYER, (party, parties, got), span),)),
    )


@statement(ast.EndGame)
def _end_game(c: Context, node: ast.EndGame) -> None:
    """Check `end the game`: winners or payoffs first, then the end, at once or deferred."""
    if node.won_by is not None:
        c.emit(core.CDo(node.span, "win", (c.seats(node.won_by, "who wins", node.span),)))
    if node.amounts is not None:
        _hand_out(c, node.amounts)
    if node.lost:
        c.emit(core.CDo(node.span, "win", (CExpr("list", ty.SetT(ty.PLAYER), (), node.span),)))
    if node.drawn:
        c.emit(core.CDo(node.span, "draw_game", ()))
    if node.after is None:
        c.emit(core.CEnd(node.span))
    else:
        c.emit(core.CDo(node.span, "defer", (node.after,)))


@statement(ast.CallStatement)
def _call_statement(c: Context, node: ast.CallStatement) -> None:
    """Check a call that stands alone; report one of what only gives a value."""
    symbol = c.names.get(node.call.function.text)
    if isinstance(symbol, ProcedureSym) and not symbol.pure:
        c.names.note(node.call.function.span, symbol)
    if not isinstance(symbol, ProcedureSym) or symbol.pure:
        value = c.expr(node.call)
        if not isinstance(value.type, ty.ErrorT):
            message = f"`{node.call.function.text}` only gives a value; on its own it does nothing"
            c.error("call-unused", message, node.span)
        return
    values = checked_arguments(c, symbol, node.call.arguments, node.span)
    if values is None:
        return
    c.emit(core.CCall(node.span, symbol, (*you_argument(c, symbol, node.span), *values), None))
