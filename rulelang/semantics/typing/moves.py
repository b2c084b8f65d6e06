"""Statements that change where pieces lie and who sees them."""

from __future__ import annotations

from collections.abc import Sequence

from rulelang.diagnostics import Span
from rulelang.semantics.analysis.least import set_of
from rulelang.semantics.tree import core
from rulelang.semantics.tree import types as ty
from rulelang.semantics.tree.core import CExpr, CStatement, Local, expressions, mentions
from rulelang.semantics.tree.shared import conjuncts, number, source_text
from rulelang.semantics.tree.symbols import VariableSym, ZoneSym
from rulelang.semantics.typing.context import Context, statement
from rulelang.semantics.typing.expressions import end_of_zone
from rulelang.semantics.typing.goods import move_goods
from rulelang.semantics.typing.paths import IndexedPath, finish, path, zone_place
from rulelang.syntax import ast
from rulelang.vocabulary.operations import PLACES, SOURCES


def _entered(c: Context, node: ast.Move | ast.Draw, zone: CExpr) -> str:
    """Return the end of a zone that pieces come to; report `to bottom of` one that has none."""
    sym = zone.args[0] if zone.args else None
    if not isinstance(sym, ZoneSym):
        return "top"
    if isinstance(node, ast.Draw) or not node.at_bottom:
        return sym.decl.laid.enters
    if not sym.decl.laid.ends:
        c.error("zone-order", f"`{sym.name}` has no bottom", node.to.span, "declare it with `order: pile`")
    return "bottom"


@statement(ast.Move)
def _move(c: Context, node: ast.Move) -> None:
    """Emit a move of a piece or collection to a zone; the types of pieces must agree."""
    if node.origin is not None:
        move_goods(c, node, node.origin)
        return
    target = zone_place(c, node.to, "where it moves")
    if not isinstance(target.type, ty.ZoneT):
        c.expr(node.what)
        return
    kind = ty.PieceT(target.type.kind)
    if _whole_or_top(c, node, target):
        return
    what = c.expr(node.what)
    if isinstance(what.type, ty.ZoneT | ty.GroupT):
        what = c.as_set(what)
    inner = ty.bare(what.type)
    element = inner.element if isinstance(inner, ty.SetT) else inner
    if isinstance(what.type, ty.ErrorT):
        return
    if element != kind:
        message = f"`{source_text(node.to.span)}` holds {target.type.kind}, but this is a {what.type}"
        c.error("type-mismatch", message, node.what.span)
        return
    relocated = None
    if what.op == "local" and not c.shared.kind(kind.kind).identity and isinstance(what.args[0], Local):
        relocated = what.args[0]
    _move_to(c, node, what, target, relocated)


def _move_to(c: Context, node: ast.Move, what: CExpr, target: CExpr, relocated: Local | None = None) -> None:
    """Emit the move of pieces to where they go."""
    c.at_place(
        target,
        lambda zone: c.emit(core.CMove(node.span, what, zone, _entered(c, node, zone), node.secretly, relocated)),
    )


def _whole_or_top(c: Context, node: ast.Move, target: CExpr) -> bool:
    """Emit `move top N of P` or the move of a whole unseen zone, pieces as they lie; return whether `node` is one."""
    source, count = node.what, None
    end = source if isinstance(source, ast.EndOf) and source.end == "top" else None
    if end is not None:
        count, source = end.count, end.collection
    places = [_zone_of(c, part) for part in _alternatives(source)]
    if None in places:
        return False
    if not any(zone.decl.laid.ends if end is not None else zone.unseen for zone in places if zone is not None):
        return False
    pile = c.expr(source) if len(places) > 1 else finish(c, path(c, source))
    if isinstance(pile.type, ty.ErrorT):
        return True
    if pile.type != target.type:
        target_kind, source_kind = (t.kind if isinstance(t, ty.ZoneT) else str(t) for t in (target.type, pile.type))
        message = f"`{source_text(node.to.span)}` holds {target_kind}, not {source_kind}"
        c.error("type-mismatch", message, node.what.span)
        return True
    wanted = c.value(count, ty.NUMBER, "how many") if count is not None else None

    def take(place: CExpr) -> None:
        """Emit the move out of one zone."""
        sym = place.args[0]
        assert isinstance(sym, ZoneSym)
        if end is not None and not sym.decl.laid.ends:
            _move_to(c, node, end_of_zone(c, end, place, wanted), target)
        elif end is None and not sym.unseen:
            _move_to(c, node, c.pieces_of(place), target)
        else:
            size = number(1, node.span) if end is not None else CExpr("size", ty.NumberT(0), (place,), node.span)
            amount = size if wanted is None else wanted
            c.at_place(
                target,
                lambda zone: c.emit(
                    core.CDraw(
                        node.span, amount, place, zone, _entered(c, node, zone), node.secretly, False, end is None
                    )
                ),
            )

    c.at_place(pile, take)
    return True


def _alternatives(node: ast.Expr) -> list[ast.Expr]:
    """Return the expressions of which a conditional one, or a table, gives one."""
    match node:
        case ast.Conditional():
            parts: Sequence[ast.Expr] = (node.then, node.otherwise)
        case ast.Lookup():
            parts = [entry for _, entry in node.entries]
        case _:
            return [node]
    return [leaf for part in parts for leaf in _alternatives(part)]


def _zone_of(c: Context, node: ast.Expr) -> ZoneSym | None:
    """Return the zone of which a node names one instance; None for anything else."""
    if not isinstance(node, ast.NameExpr | ast.Attribute | ast.Index):
        return None
    if isinstance(node, ast.Attribute) and not isinstance(c.names.get(node.name.text), ZoneSym):
        return None
    place = path(c, node)
    is_one = isinstance(place, IndexedPath) and isinstance(place.symbol, ZoneSym) and place.complete
    return place.symbol if is_one and isinstance(place, IndexedPath) and isinstance(place.symbol, ZoneSym) else None


def _no_pile(c: Context, zone: ZoneSym, span: Span) -> None:
    """Report that a zone without an order is drawn from or shuffled."""
    hint = "declare it with `order: pile`; `random N of` takes some of what has no order"
    c.error("zone-order", f"`{zone.name}` is not a pile", span, hint, [(zone.span, f"the zone `{zone.name}`")])


@statement(ast.Draw)
def _draw(c: Context, node: ast.Draw) -> None:
    """Emit a draw of pieces from a pile. Findings: `zone-order`, `type-mismatch`."""
    count = c.value(node.count, ty.NUMBER, "how many")
    source, target = zone_place(c, node.pile, "what is drawn from"), zone_place(c, node.to, "where it goes")
    if not isinstance(source.type, ty.ZoneT) or not isinstance(target.type, ty.ZoneT):
        return

    def draw(pile: CExpr, zone: CExpr) -> None:
        """Emit the draw from one pile to one zone."""
        sym, to = pile.args[0], zone.args[0]
        if isinstance(sym, ZoneSym) and not sym.decl.laid.ends:
            _no_pile(c, sym, pile.span)
        elif pile.type != zone.type:
            kinds = [place.type.kind for place in (pile, zone) if isinstance(place.type, ty.ZoneT)]
            c.error("type-mismatch", f"one holds {kinds[0]}, the other {kinds[1]}", node.span)
        elif node.at_once and isinstance(to, ZoneSym) and to.decl.laid.kept and not to.unseen:
            message = f"`{to.name}` shows in which order pieces come, so they can't be drawn at once"
            c.error("zone-order", message, node.span, "draw them one after the other: without `at once`")
        else:
            end = _entered(c, node, zone)
            c.emit(core.CDraw(node.span, count, pile, zone, end, node.secretly, True, at_once=node.at_once))

    c.at_place(source, lambda pile: c.at_place(target, lambda zone: draw(pile, zone)))


@statement(ast.Shuffle)
def _shuffle(c: Context, node: ast.Shuffle) -> None:
    """Check `shuffle`: of a pile whose order is hidden."""

    def shuffle(pile: CExpr) -> None:
        """Emit the shuffle of one pile."""
        sym = pile.args[0] if pile.args else None
        if not isinstance(sym, ZoneSym):
            return
        if not sym.decl.laid.ends:
            _no_pile(c, sym, pile.span)
        elif not sym.view.unseen:
            message = f"`{sym.name}` is seen as it lies, so shuffling it hides nothing"
            c.error("zone-order", message, pile.span, "declare it `visible: count` (or `top`)")
        else:
            c.emit(core.CShuffle(node.span, pile))

    c.at_place(zone_place(c, node.pile, "what is shuffled"), shuffle)


@statement(ast.Reveal)
def _reveal(c: Context, node: ast.Reveal) -> None:
    """Check `reveal VALUE to SEATS`: without seats everybody learns it; of a zone all its pieces."""
    value = c.expr(node.value)
    if isinstance(value.type, ty.NoneT | ty.EmptyT):
        value = c.unclear("this", node.value.span)
    if isinstance(value.type, ty.ZoneT):
        value = c.pieces_of(value)
    if node.to is None:
        seats = set_of(c.shared, "everyone", ty.PLAYER, (), node.span)
    else:
        seats = c.seats(node.to, "who sees it", node.span)
    c.emit(core.CDo(node.span, "reveal", (value, seats, *_index_of(value))))


def _index_of(value: CExpr) -> list[CExpr]:
    """Return the index of the zone or variable, not seen by all, that a value lies in; empty if it lies in none."""
    while value.op in SOURCES:
        source = value.args[SOURCES[value.op]]
        assert isinstance(source, CExpr)
        value = source
    sym = value.args[0] if value.op in PLACES else None
    return expressions(value.args) if isinstance(sym, ZoneSym | VariableSym) and not sym.view.public else []


@statement(ast.Arrange)
def _arrange(c: Context, node: ast.Arrange) -> None:
    """Emit the choice of a grouping of a zone's pieces, and the numbering of its groups in their variable."""
    zone = c.expr(node.zone)
    if isinstance(zone.type, ty.ErrorT):
        return
    if not isinstance(zone.type, ty.ZoneT):
        c.error("type-mismatch", "`arrange` groups the pieces of one zone", node.zone.span)
        return
    kind = c.shared.kind(zone.type.kind)
    sym = kind.variables.get(node.variable.text)
    if sym is None or not isinstance(sym.type, ty.NumberT) or sym.mark or not sym.type.low <= 1 <= sym.type.high:
        message = f"`{node.variable.text}` must be a number, 1 and more, that each {kind.name} carries"
        hint = f"give {kind.name} a variable such as `variables: {{group: {{type: 0..9}}}}`"
        c.error("arrange-variable", message, node.variable.span, hint)
        return
    c.names.note(node.variable.span, sym)
    pieces = c.pieces_of(zone)
    if isinstance(pieces.type, ty.ErrorT):
        return
    group = c.new_local("it", ty.SetT(ty.PieceT(kind.name), 1), node.span)
    grouping = c.new_local(sym.name, ty.SetT(group.type), node.span)
    guards: list[core.CGuard] = []
    for part in conjuncts(node.condition) if node.condition is not None else ():
        with c.element(group):
            condition = c.condition(part)
        if mentions(condition, group):
            condition = CExpr("all", ty.BOOL, (group, c.read(grouping), condition), condition.span)
        guards.append(core.CGuard(condition, source_text(part.span)))
    seat = c.seat_here(node.span, "an arrangement")
    binder = core.CBinder("grouping", sym.name, grouping, (pieces,), source_text(node.zone.span), sym)
    body = _numbered(c, sym, group, grouping, node.span)
    item = core.CItem(c.procedure.name, (binder,), tuple(guards), body, node.span)
    ask = "anyway" if node.anyway else "some"
    c.emit(core.CChoose(node.span, c.procedure.name, seat, (item,), (), ask))


def _numbered(c: Context, sym: VariableSym, group: Local, grouping: Local, span: Span) -> tuple[CStatement, ...]:
    """Write the number of its group, from 1 on, into each piece of a grouping."""
    count, piece = c.new_local("number", ty.NUMBER, span), c.new_local("piece", ty.PieceT(sym.kind), span)
    more = CExpr("add", ty.NUMBER, (c.read(count), number(1, span)), span)
    write = core.CDo(span, "set_pvar", (sym, c.read(piece), c.read(count)))
    each = core.CFor(span, c.label("piece"), piece, c.read(group), (write,))
    groups = core.CFor(span, c.label("group"), group, c.read(grouping), (core.CSet(span, count, more), each))
    return core.CSet(span, count, number(0, span)), groups
