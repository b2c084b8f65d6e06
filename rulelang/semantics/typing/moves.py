"""Statements that change where pieces lie and who sees them."""

from __future__ import annotations

from rulelang.diagnostics import Span
from rulelang.semantics.analysis.least import set_of
from rulelang.semantics.tree import core
from rulelang.semantics.tree import types as ty
from rulelang.semantics.tree.core import CExpr, CStatement, Local, mentions
from rulelang.semantics.tree.shared import conjuncts, number, source_text
from rulelang.semantics.tree.symbols import VariableSym, ZoneSym
from rulelang.semantics.typing.context import Context, statement
from rulelang.semantics.typing.goods import move_goods
from rulelang.semantics.typing.paths import IndexedPath, finish, path, zone_place
from rulelang.syntax import ast


def _entered(zone: CExpr) -> str:
    """Return the end of a zone that pieces come to where none is named."""
    sym = zone.args[0] if zone.args else None
    return sym.decl.laid.enters if isinstance(sym, ZoneSym) else "top"


@statement(ast.Move)
def _move(c: Context, node: ast.Move) -> None:
    """Emit a move of a piece or collection to a zone; the types of pieces must agree."""
    if node.origin is not None:
        move_goods(c, node, node.origin)
        return
    zone = zone_place(c, node.to, "where it moves")
    if not isinstance(zone.type, ty.ZoneT):
        c.expr(node.what)
        return
    kind = ty.PieceT(zone.type.kind)
    sym = zone.args[0]
    end = "bottom" if node.at_bottom else _entered(zone)
    if node.at_bottom and isinstance(sym, ZoneSym) and not sym.decl.laid.ends:
        c.error("zone-order", f"`{sym.name}` has no bottom", node.to.span, "declare it with `order: pile`")
    if _whole_or_top(c, node, zone, end):
        return
    what = c.expr(node.what)
    if isinstance(what.type, ty.ZoneT | ty.GroupT):
        what = c.as_set(what)
    inner = ty.bare(what.type)
    element = inner.element if isinstance(inner, ty.SetT) else inner
    if isinstance(what.type, ty.ErrorT):
        return
    if element != kind:
        message = f"`{source_text(node.to.span)}` holds {zone.type.kind}, but this is a {what.type}"
        c.error("type-mismatch", message, node.what.span)
        return
    relocated = None
    if what.op == "local" and not c.shared.kind(kind.kind).identity and isinstance(what.args[0], Local):
        relocated = what.args[0]
    c.emit(core.CMove(node.span, what, zone, end, node.secretly, relocated))


def _whole_or_top(c: Context, node: ast.Move, zone: CExpr, end: str) -> bool:
    """Emit `move top N of P` or the move of a whole unseen zone, pieces as they lie; return whether `node` is one."""
    source, count = node.what, None
    top = isinstance(source, ast.EndOf) and source.end == "top"
    if top:
        assert isinstance(source, ast.EndOf)
        count, source = source.count, source.collection
    if not isinstance(source, ast.NameExpr | ast.Attribute | ast.Index):
        return False
    if isinstance(source, ast.Attribute) and not isinstance(c.names.get(source.name.text), ZoneSym):
        return False
    source_place = path(c, source)
    if not (
        isinstance(source_place, IndexedPath) and isinstance(source_place.symbol, ZoneSym) and source_place.complete
    ):
        return False
    if (not source_place.symbol.decl.laid.ends) if top else not source_place.symbol.unseen:
        return False
    pile = finish(c, source_place)
    if pile.type != zone.type:
        target_kind, source_kind = (t.kind if isinstance(t, ty.ZoneT) else str(t) for t in (zone.type, pile.type))
        message = f"`{source_text(node.to.span)}` holds {target_kind}, not {source_kind}"
        c.error("type-mismatch", message, node.what.span)
        return True
    amount = number(1, node.span) if top else CExpr("size", ty.NumberT(0), (pile,), node.span)
    if count is not None:
        amount = c.value(count, ty.NUMBER, "how many")
    c.emit(core.CDraw(node.span, amount, pile, zone, end, node.secretly, False, not top))
    return True


def _no_pile(c: Context, zone: ZoneSym, span: Span) -> None:
    """Report that a zone without an order is drawn from or shuffled."""
    hint = "declare it with `order: pile`; `random N of` takes some of what has no order"
    c.error("zone-order", f"`{zone.name}` is not a pile", span, hint, [(zone.span, f"the zone `{zone.name}`")])


@statement(ast.Draw)
def _draw(c: Context, node: ast.Draw) -> None:
    """Emit a draw of pieces from a pile. Findings: `zone-order`, `type-mismatch`."""
    count = c.value(node.count, ty.NUMBER, "how many")
    pile, zone = zone_place(c, node.pile, "what is drawn from"), zone_place(c, node.to, "where it goes")
    if not isinstance(pile.type, ty.ZoneT) or not isinstance(zone.type, ty.ZoneT):
        return
    sym = pile.args[0]
    if isinstance(sym, ZoneSym) and not sym.decl.laid.ends:
        _no_pile(c, sym, node.pile.span)
        return
    if pile.type != zone.type:
        c.error("type-mismatch", f"one holds {pile.type.kind}, the other {zone.type.kind}", node.span)
        return
    target = zone.args[0]
    if node.at_once and isinstance(target, ZoneSym) and target.decl.laid.kept and not target.unseen:
        message = f"`{target.name}` shows in which order pieces come, so they can't be drawn at once"
        c.error("zone-order", message, node.span, "draw them one after the other: without `at once`")
        return
    c.emit(core.CDraw(node.span, count, pile, zone, _entered(zone), node.secretly, True, at_once=node.at_once))


@statement(ast.Shuffle)
def _shuffle(c: Context, node: ast.Shuffle) -> None:
    """Check `shuffle`: of a pile whose order is hidden."""
    pile = zone_place(c, node.pile, "what is shuffled")
    sym = pile.args[0] if pile.args else None
    if isinstance(sym, ZoneSym):
        if not sym.decl.laid.ends:
            _no_pile(c, sym, node.pile.span)
            return
        if not sym.view.unseen:
            message = f"`{sym.name}` is seen as it lies, so shuffling it hides nothing"
            c.error("zone-order", message, node.pile.span, "declare it `visible: count` (or `top`)")
            return
        c.emit(core.CShuffle(node.span, pile))


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
    c.emit(core.CDo(node.span, "reveal", (value, seats)))


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
