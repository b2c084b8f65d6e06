"""Statements that change variables, marks and who is in the game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from rulelang.diagnostics import Span, suggest
from rulelang.semantics.analysis.least import set_of
from rulelang.semantics.tree import core
from rulelang.semantics.tree import types as ty
from rulelang.semantics.tree.core import Body, CExpr, mentions, same, substitute
from rulelang.semantics.tree.shared import const, never_within, number, source_text
from rulelang.semantics.tree.symbols import Checked, VariableSym
from rulelang.semantics.typing.bags import bag_literal
from rulelang.semantics.typing.context import TEST, Context, statement
from rulelang.semantics.typing.paths import IndexedPath, finish, individual, path
from rulelang.syntax import ast
from rulelang.syntax.words import BUILTIN_NAMES


def _undeclared(c: Context, target: ast.NameExpr) -> bool:
    """Return whether nothing is called so; then it is a finding, the only one about this name in the block."""
    name = target.name
    if c.find_local(name) or c.names.get(name) or name in BUILTIN_NAMES or individual(c, name, target.span):
        return False
    near = suggest(name, [v.name for v in c.checked.variables if not v.internal])
    hint = near or f"`let {name} = …` names a value; what changes is declared under `variables:`"
    c.error("name-unknown", f"there is no variable `{name}`", target.span, hint)
    c.layers[-1][name] = c.new_local(name, ty.ERROR, target.span)
    return True


def _assignable(c: Context, target: CExpr | IndexedPath, node: ast.Assign) -> VariableSym | None:
    """Return the variable at a place, if there is one to be changed."""
    span = node.target.span
    if isinstance(target, IndexedPath) and isinstance(target.symbol, VariableSym):
        return target.symbol
    if isinstance(target, CExpr) and target.op == "pvar" and isinstance(target.args[0], VariableSym):
        return target.args[0]
    if isinstance(target, CExpr) and isinstance(target.type, ty.ErrorT):
        return None
    if isinstance(target, CExpr) and target.op == "if" and isinstance(target.type, ty.OptionalT):
        c.error("value-absent", "whose this is may be absent", span, f"{TEST} first")
        return None
    hint = "`let` names a value that does not change"
    value = finish(c, target) if isinstance(target, IndexedPath | CExpr) else None
    if value is not None and value.op == "option":
        hint = "an option is chosen before the game: what changes in it is declared under `variables:`"
    elif value is not None and value.op in ("bag_get", "bag_pick") and source_text(span).endswith("]"):
        bag, _, good = source_text(span).removesuffix("]").partition("[")
        hint = f"what a bag holds changes by an amount: `{bag} += 1 {good}`, `{bag} -= 1 {good}`"
    elif value is not None and value.op == "bag_get":
        bag, _, resource = source_text(span).rpartition(".")
        hint = f"what a bag holds changes by an amount: `{bag} += 1 {resource}`, `{bag} -= 1 {resource}`"
    elif value is not None and isinstance(value.type, ty.ZoneT):
        what = source_text(node.value.span) if isinstance(node.value, ast.NameExpr) else "…"
        hint = f"pieces are moved: write `move {what} to {source_text(span)}`"
        if node.op == "-=":
            hint = f"pieces are moved: write `move {what} to …`, with the zone where they go"
    elif isinstance(target, CExpr) and target.op == "attr":
        hint = "an attribute is printed on the piece; what changes is under `variables:` of its kind"
    c.error("assign-target", "only a variable can be changed", span, hint)
    return None


@statement(ast.Assign)
def _assign(c: Context, node: ast.Assign) -> None:
    """Emit an assignment to a variable or bag. Findings: `assign-target`, `type-mismatch`, `range-outside`."""
    if isinstance(node.target, ast.NameExpr) and _undeclared(c, node.target):
        return
    target = path(c, node.target)
    sym = _assignable(c, target, node)
    if sym is None:
        return
    if isinstance(target, IndexedPath) and not target.complete:
        finish(c, target)
        return
    if sym.mark:
        c.error("assign-target", f"`{sym.name}` is a mark", node.span, f"write `mark {sym.name} until …`")
        return
    c.choice_name = sym.name
    current = finish(c, target)
    if isinstance(sym.type, ty.ErrorT):
        return
    if node.by is not None and not isinstance(sym.type, ty.BagT):
        _nobody_chooses(c, node.by)
        return
    if isinstance(sym.type, ty.BagT):
        _assign_bag(c, node, sym, target, current)
        if node.op != "+=":
            c.affordable = [guard for guard in c.affordable if not mentions(guard, sym)]
        return
    if node.op == ":=":
        value = c.fit(_assigned(c, node, sym.type), sym.type, f"the new value of `{sym.name}`")
    else:
        if not isinstance(sym.type, ty.NumberT):
            message = f"`{node.op}` changes numbers and bags, and `{sym.name}` is a {sym.type}"
            c.error("type-mismatch", message, node.span)
            return
        change = c.fit(_assigned(c, node, ty.NUMBER), ty.NUMBER, f"the change of `{sym.name}`")
        value = CExpr("add" if node.op == "+=" else "sub", ty.NUMBER, (current, change), node.span)
    if never_within(value.type, sym.type):
        c.error("range-outside", f"this is {value.type}, but `{sym.name}` holds {sym.type}", node.value.span)
    if sym.beyond == "lost":
        value = _at_ends(value, sym.type)
    _store(c, sym, target, value, node.span)


def _at_ends(value: CExpr, target: ty.Type) -> CExpr:
    """Return a number that stays at the ends of a range beyond which it would go."""
    if not isinstance(value.type, ty.NumberT) or not isinstance(target, ty.NumberT):
        return value
    for op, end, inside in (
        ("min2", target.high, value.type.high <= target.high),
        ("max2", target.low, value.type.low >= target.low),
    ):
        if not inside:
            value = CExpr(op, target, (value, number(end, value.span)), value.span)
    return value


def _assigned(c: Context, node: ast.Assign, target: ty.Type | None) -> CExpr:
    """Return the value after the sign; where it is absent and `else` says so, what follows is left."""
    value = c.expr(node.value, target)
    return value if node.leave is None else there_or_leave(c, c.choice_name, node.leave, value, node.span)


def _store(c: Context, sym: VariableSym, target: CExpr | IndexedPath, value: CExpr, span: Span) -> None:
    """Emit the write of a value: `set_var` for a variable at its indices, `set_pvar` for one of a piece."""
    if isinstance(target, IndexedPath):
        c.emit(core.CDo(span, "set_var", (sym, value, *target.indices)))
    else:
        c.emit(core.CDo(span, "set_pvar", (sym, target.args[1], value)))


NO_ROOM = "`{}` has no room for all of this"
Capacity = tuple[CExpr, tuple[CExpr, ...], CExpr]
"""The limit of each kind (-1 for none), limits per kind where some have their own, and the limit of all."""


def capacity(checked: Checked, body: Body, sym: VariableSym, indices: Sequence[CExpr], span: Span) -> Capacity:
    """Return how much a bag holds, as expressions of `body`."""
    values = dict(zip(sym.capacity_indices, indices, strict=False))

    def limit(expr: CExpr | None) -> CExpr:
        return substitute(expr, values, body) if expr is not None else const(-1, ty.NUMBER, span)

    each, total = limit(sym.each), limit(sym.total)
    if not sym.limits:
        return each, (), total
    assert isinstance(sym.type, ty.BagT)
    kinds = next(len(t.values) for t in checked.types if t.name == sym.type.resource)
    return each, tuple(limit(sym.limits[i]) if i in sym.limits else each for i in range(kinds)), total


def _capacity(c: Context, sym: VariableSym, target: CExpr | IndexedPath, span: Span) -> Capacity:
    return capacity(c.checked, c.body, sym, target.indices if isinstance(target, IndexedPath) else (), span)


def has_room(bag: CExpr, room: Capacity, span: Span) -> CExpr:
    """Return whether a bag holds no more than it may."""
    each, limits, total = room
    fits = CExpr("same", ty.BOOL, (CExpr("bag_clamp", bag.type, (bag, each, *limits), span), bag), span)
    below = CExpr("le", ty.BOOL, (CExpr("bag_size", ty.NUMBER, (bag,), span), total), span)
    free = CExpr("lt", ty.BOOL, (total, number(0, span)), span)
    return CExpr("and", ty.BOOL, (fits, CExpr("or", ty.BOOL, (free, below), span)), span)


def must_fit(sym: VariableSym, bag: CExpr, room: Capacity, span: Span) -> core.CDo:
    """Return the statement that a bag holds no more than it may."""
    return core.CDo(span, "check", (has_room(bag, room, span), NO_ROOM.format(sym.name)))


def _assign_bag(c: Context, node: ast.Assign, sym: VariableSym, target: CExpr | IndexedPath, current: CExpr) -> None:
    """Emit an assignment to a bag: `:=`, `+=` cut off at the capacity (somebody chooses what is kept), `-=`."""
    assert isinstance(sym.type, ty.BagT)
    span = node.span
    cost = ty.CostT(sym.type.resource)
    value = _assigned(c, node, None)
    if node.op == "-=":
        if node.by is not None:
            _nobody_chooses(c, node.by)
        value = c.fit(value, sym.type, f"what `{sym.name}` loses")
        less = CExpr("bag_sub", sym.type, (current, value), span)
        if sym.beyond == "error":
            there = CExpr("same", ty.BOOL, (CExpr("bag_add", sym.type, (less, value), span), current), span)
            c.emit(core.CDo(span, "check", (there, f"`{sym.name}` does not hold all of this")))
        _store(c, sym, target, less, span)
        return
    free = isinstance(value.type, ty.CostT)
    value = c.fit(value, cost if free else sym.type, f"what `{sym.name}` gains")
    each, limits, total = room = _capacity(c, sym, target, span)
    must = sym.beyond == "error"
    if not free and (sym.total is None or must):
        if node.by is not None:
            _nobody_chooses(c, node.by)
        new = value if node.op == ":=" else CExpr("bag_add", sym.type, (current, value), span)
        if must:
            c.emit(must_fit(sym, new, room, span))
        elif sym.each is not None or limits:
            new = CExpr("bag_clamp", sym.type, (new, each, *limits), span)
        _store(c, sym, target, new, span)
        return
    empty = bag_literal(c, sym.type.resource, {}, span)
    present = current if node.op == "+=" else empty
    added = value if free else CExpr("cost", cost, (value,), span)
    if must:
        each, limits, total = const(-1, ty.NUMBER, span), (), const(-1, ty.NUMBER, span)
    options = set_of(c.shared, "placements", sym.type, (present, added, total, each, *limits), span)
    if must:
        some, each_bag = c.new_local("bag", sym.type, span), c.new_local("bag", sym.type, span)
        fits = CExpr("any", ty.BOOL, (some, options, has_room(c.read(some), room, span)), span)
        c.emit(core.CDo(span, "check", (fits, NO_ROOM.format(sym.name))))
        fitting = (each_bag, options, has_room(c.read(each_bag), room, span))
        options = CExpr("filter", ty.SetT(sym.type), fitting, span)
    local = c.new_local("keep", sym.type, span)
    seat, acting = _bag_chooser(c, node, target)
    item = core.CItem(c.procedure.name, (core.CBinder("each", "keep", local, (options,)),), (), (), span)
    c.emit(core.CChoose(span, c.procedure.name, seat, (item,), None, "engine", acting=acting))
    _store(c, sym, target, c.read(local, span), span)


def give(c: Context, node: ast.Assign) -> CExpr | None:
    """Return a scenario's assignment: a bag is taken even with more than it holds; gives what must then be true."""
    target = path(c, node.target)
    symbol = target.symbol if isinstance(target, IndexedPath) else target.args[0] if target.op == "pvar" else None
    whole = not isinstance(target, IndexedPath) or target.complete
    if not isinstance(symbol, VariableSym) or not isinstance(symbol.type, ty.BagT) or not whole:
        _assign(c, node)
        return None
    span, current = node.span, finish(c, target)
    value = c.fit(c.expr(node.value, None), symbol.type, f"what `{symbol.name}` is given")
    _store(c, symbol, target, value, span)
    return has_room(current, _capacity(c, symbol, target, span), span)


def _bag_chooser(c: Context, node: ast.Assign, target: CExpr | IndexedPath) -> tuple[CExpr, CExpr | None]:
    """Return who is asked what a bag gains: whoever `by` names, else the bag's owner; for a bag of nobody's the
    acting seat (the first player where nobody acts). For an owner also the acting seat, who may be another one."""
    if node.by is not None:
        return c.seat(node.by, "who chooses"), None
    if isinstance(target, IndexedPath) and target.symbol.owned:
        return target.indices[0], c.you
    if isinstance(target, CExpr) and c.owner is not None and c.owner.type == ty.PLAYER:
        if c.this is not None and same(cast("CExpr", target.args[1]), c.this):
            return c.owner, c.you
    if c.you is None:
        return const(0, ty.PLAYER, node.span), None
    return c.seat_here(node.span, "this"), None


def _nobody_chooses(c: Context, by: ast.Expr) -> None:
    """`by` where there is nothing to choose."""
    hint = "take `by` away; it says who chooses free parts such as `1 any …`, or what a bag with a `total` keeps"
    c.error("choice-misplaced", "nothing is chosen here, so nobody is asked", by.span, hint)


@statement(ast.Mark)
def _mark_until(c: Context, node: ast.Mark) -> None:
    """Emit the setting of a mark, as the code of the event (and seat) that ends it. Findings: `name-unknown`."""
    mark = _mark_place(c, node.target)
    event = node.event.text
    known = {"turn", "round", "phase", *c.checked.events, *c.shared.phases}
    if event not in known:
        hint = c.names.suggest(event, known)
        c.error("name-unknown", f"`{event}` is not an event, `turn`, `round` or a phase", node.event.span, hint)
        return
    seat = (
        c.seat(node.seat, "whose event it is")
        if node.seat is not None
        else const(-1, ty.optional(ty.PLAYER), node.span)
    )
    c.names.get(event, node.event.span)
    code = f"{node.moment} {event}"
    if code not in c.checked.untils:
        c.checked.untils.append(code)
    if mark is not None:
        value = CExpr("mark_code", ty.NUMBER, (c.checked.untils.index(code), seat), node.span)
        _store(c, *mark, value, node.span)


def _mark_place(c: Context, node: ast.Expr) -> tuple[VariableSym, CExpr | IndexedPath] | None:
    """Return the mark that a text names and its place; None, after a finding, for anything else."""
    target = path(c, node)
    if isinstance(target, IndexedPath) and isinstance(target.symbol, VariableSym) and target.symbol.mark:
        if target.complete:
            return target.symbol, target
        finish(c, target)
        return None
    match target:
        case CExpr(op="ne", args=(CExpr(op="pvar", args=(VariableSym(mark=True) as sym, *_)) as mark, *_)):
            return sym, mark
    if not (isinstance(target, CExpr) and isinstance(target.type, ty.ErrorT)):
        c.error("assign-target", "this is not a mark", node.span, "declare it under `marks:`")
    return None


@statement(ast.Eliminate)
def _eliminate(c: Context, node: ast.Eliminate) -> None:
    if not c.shared.eliminates:  # in a scenario
        message = "no rule of the ruleset puts a player out, and its rules rely on that"
        c.error("scenario-parties", message, node.span, "give a position that its rules lead to")
    c.emit(core.CDo(node.span, "eliminate", (c.seat(node.seat, "who is eliminated"),)))


def there_or_leave(c: Context, name: str, leave: ast.Statement, value: CExpr, span: Span) -> CExpr:
    """`let x = value else return`: an absent value leaves, so what follows has it."""
    if (
        isinstance(leave, ast.Never)
        and isinstance(value.type, ty.SeatsT)
        and isinstance(value.type.element, ty.OptionalT)
    ):
        return _all_there(c, value, value.type, value.type.element, leave.span)
    if not isinstance(value.type, ty.OptionalT | ty.ErrorT):
        c.warn("value-present", f"this {value.type} is never absent, so `else` has no effect", value.span)
        return value
    local = c.new_local(name, value.type, span)
    c.emit(core.CSet(span, local, value))
    absent = CExpr("is_none", ty.BOOL, (c.read(local),), value.span)
    c.emit(core.CIf(span, absent, c.statements((leave,)), ()))
    return CExpr("cast", ty.bare(value.type), (c.read(local),), value.span)


def _all_there(c: Context, value: CExpr, seats: ty.SeatsT, choice_type: ty.OptionalT, span: Span) -> CExpr:
    """`together choose … else never`: every player had something to choose."""
    player = c.new_local("p", ty.PLAYER, span)
    absent = CExpr("is_none", ty.BOOL, (CExpr("get_seat", choice_type, (value, c.read(player)), span),), span)
    missing = CExpr("any", ty.BOOL, (player, set_of(c.shared, "players", ty.PLAYER, (), span), absent), span)
    c.emit(core.CIf(span, missing, (core.CNever(span),), ()))
    return CExpr("cast", replace(seats, element=choice_type.inner), (value,), value.span)
