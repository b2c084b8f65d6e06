"""Literals, questions, collections and lookups."""

from __future__ import annotations

from rulelang.diagnostics import Span, counted, enumerated, suggest
from rulelang.geometry import DIRECTIONS
from rulelang.semantics.analysis.least import set_of
from rulelang.semantics.tree import types as ty
from rulelang.semantics.tree.core import CExpose, CExpr, negated
from rulelang.semantics.tree.shared import const, declared_visible, element_type, least_size, number, source_text
from rulelang.semantics.tree.symbols import ValueSym, ZoneSym
from rulelang.semantics.typing.aggregates import count_of
from rulelang.semantics.typing.calls import after
from rulelang.semantics.typing.context import Context, expression, literal
from rulelang.semantics.typing.paths import (
    OTHER_WORDS,
    attribute_with,
    finish,
    named_value,
    path,
    scalar_attribute,
    those_with,
)
from rulelang.syntax import ast

MOST_NAMED = 5
"""So many values that a table lacks are named."""


@literal(ast.NameExpr)
def _name(c: Context, node: ast.NameExpr, expect: ty.Type | None) -> CExpr:
    value = _expected_value(c, node.name, expect, node.span)
    return value if value is not None else finish(c, path(c, node))


@expression(ast.Attribute, ast.Index)
def _path_value(c: Context, node: ast.Attribute | ast.Index) -> CExpr:
    return finish(c, path(c, node))


@expression(ast.Number)
def _number_literal(c: Context, node: ast.Number) -> CExpr:
    return number(node.value, node.span)


@expression(ast.Truth)
def _truth(c: Context, node: ast.Truth) -> CExpr:
    return const(int(node.value), ty.BOOL, node.span)


@literal(ast.NoneExpr)
def _none(c: Context, node: ast.NoneExpr, expect: ty.Type | None) -> CExpr:
    known = expect is not None and ty.is_scalar(expect) and not isinstance(ty.bare(expect), ty.NoneT | ty.ErrorT)
    return const(-1, ty.optional(expect) if expect is not None and known else ty.NONE, node.span)


def _expected_value(c: Context, name: str, expect: ty.Type | None, span: Span) -> CExpr | None:
    """Return a word that several options share, or a cell's name on several grids, where one of them is expected."""
    t = ty.bare(expect) if expect is not None else None
    if not isinstance(t, ty.EnumT | ty.CellT) or not isinstance(c.names.get(name), ValueSym):
        return None
    options = (s for s in c.checked.types if s.category == "option" and s.type == t)
    sym = c.shared.values_of(t) or next(options, None)
    if sym is None or name not in sym.values:
        return None
    c.names.get(name, span)
    return named_value(c, t, sym.values.index(name), span)


@expression(ast.Member)
def _member(c: Context, node: ast.Member) -> CExpr:
    """Return `x in y` as a truth value: a piece in a zone, a resource in a bag or an element of a collection."""
    element, value = c.expr(node.element), finish(c, path(c, node.collection))
    if isinstance(value.type, ty.ZoneT) and isinstance(element.type, ty.PieceT):
        result = c.by_place(value, lambda zone: CExpr("in_zone", ty.BOOL, (element, zone), node.span))
    elif (res := c.shared.resource(value.type)) is not None and isinstance(value.type, ty.BagT):
        element = c.fit(element, res.type, "what stands before `in`")
        amount = CExpr("bag_pick", ty.NumberT(0), (value, element), node.span)
        result = CExpr("gt", ty.BOOL, (amount, number(0, node.span)), node.span)
    else:
        collection = c.as_set(value, "what stands after `in`")
        if not isinstance(collection.type, ty.SetT):
            return const(0, ty.ERROR, node.span)
        inside = collection.type.element
        never = isinstance(element.type, ty.NoneT) and not isinstance(inside, ty.OptionalT | ty.ErrorT)
        if never or ty.join(inside, element.type) is None:
            hint = those_with(c, collection, element.type, source_text(element.span))
            return c.error("type-mismatch", f"a {element.type} is never in a {collection.type}", node.span, hint)
        result = CExpr("member", ty.BOOL, (element, collection), node.span)
    return negated(result) if node.negated else result


@expression(ast.Is)
def _is(c: Context, node: ast.Is) -> CExpr:
    """Check `is none`, `is empty` and `is CARD`, and their negations."""
    if node.state == "definition":
        result = _is_definition(c, node)
    elif node.state == "none":
        value = c.maybe(node.operand)
        if not isinstance(value.type, ty.OptionalT | ty.ErrorT):
            hint = "take the test away; a type that ends in `?` may be absent"
            return c.error("value-present", f"this {value.type} is never absent", node.span, hint)
        result = CExpr("is_none", ty.BOOL, (value,), node.span)
    else:
        result = CExpr("eq", ty.BOOL, (count_of(c, node.operand), number(0, node.span)), node.span)
    return negated(result) if node.negated else result


def _value_asked(c: Context, node: ast.Is, kind: ty.Type, text: str) -> str:
    """Return a hint at the comparison that `x is VALUE` was meant as; empty if it was none."""
    symbol = c.names.get(text)
    sign, of = "!=" if node.negated else "=", source_text(node.operand.span)
    of = f"({of})" if " " in of else of
    if not isinstance(symbol, ValueSym):
        return ""
    if isinstance(kind, ty.PieceT):
        name = attribute_with(c, kind, symbol.type)
        return f"write `{of}.{name} {sign} {text}`" if name else ""
    return f"write `{of} {sign} {text}`" if kind == symbol.type else ""


def _is_definition(c: Context, node: ast.Is) -> CExpr:
    """Check `x is ROW`: whether a piece is of a row."""
    value = c.expr(node.operand)
    assert node.definition is not None
    if isinstance(value.type, ty.ErrorT):
        return const(0, ty.BOOL, node.span)
    kind = ty.bare(value.type)
    if not isinstance(kind, ty.PieceT) or isinstance(value.type, ty.OptionalT):
        text = node.definition.text
        word = OTHER_WORDS.get(text, "")
        hint = f"write `is {word}`" if word == "none" else _value_asked(c, node, kind, text)
        message = f"`is {text}` asks about a piece, not a {value.type}"
        if isinstance(kind, ty.PieceT) and not hint:
            message, hint = "this piece may be absent", c.when_absent(value)
        return c.error("type-mismatch", message, node.span, hint)
    sym = c.shared.kind(kind.kind)
    definition = sym.definition(node.definition.text)
    if definition is None:
        hint = _value_asked(c, node, kind, node.definition.text)
        own = [v.name for v in c.checked.piece_variables if v.kind == kind.kind and v.type == ty.BOOL]
        own += [name for name, of in sym.attributes.items() if of == ty.BOOL]
        if not hint and node.definition.text in own:
            hint = f"a truth is asked with a dot: `{source_text(value.span)}.{node.definition.text}`"
        hint = hint or suggest(node.definition.text, [d.id for d in sym.definitions])
        return c.error("name-unknown", f"no {kind} is called `{node.definition.text}`", node.definition.span, hint)
    c.names.note(node.definition.span, definition)
    return CExpr("is_def", ty.BOOL, (value, definition), node.span)


@literal(ast.SetLiteral)
def _set_literal(c: Context, node: ast.SetLiteral, expect: ty.Type | None) -> CExpr:
    """Return a collection of single values, whose type is the one that they have in common."""
    element_type = expect.element if isinstance(expect, ty.SetT) else None
    if not node.elements:
        return CExpr("list", ty.SetT(element_type) if element_type else ty.EmptyT(), (), node.span)
    values: list[CExpr] = []
    for part in node.elements:
        with after(c, values):
            values.append(c.expr(part, element_type))
    joined: ty.Type | None = values[0].type
    for value in values[1:]:
        joined = ty.join(joined, value.type) if joined else None
    if isinstance(joined, ty.NoneT):
        return c.unclear("`none`", node.span)
    if joined is None or not ty.is_scalar(joined):
        bags = any(isinstance(value.type, ty.BagT | ty.CostT) for value in values)
        hint = "amounts are joined by `+`: `1 a + 2 b`; of which one is chosen, by `or`: `1 a or 2 b`" if bags else ""
        message = "the elements of a collection are single values of one type"
        return c.error("type-mismatch", message, node.span, hint)
    fitted = tuple(c.fit(value, joined, "this") for value in values)
    return set_of(c.shared, "list", joined, fitted, node.span)


@expression(ast.Where)
def _where(c: Context, node: ast.Where) -> CExpr:
    """Check `SET where CONDITION`: a filter whose element is `it`."""
    collection = c.collection(node.collection, "what stands before `where`")
    local = c.new_local("it", element_type(collection), node.span)
    with c.element(local, collection):
        condition = c.condition(node.condition, "the condition")
    return CExpr("filter", ty.SetT(local.type), (local, collection, condition), node.span)


@expression(ast.Grouped)
def _grouped(c: Context, node: ast.Grouped) -> CExpr:
    """Check `SET grouped by ATTRIBUTE`: the set of groups of elements that agree in a scalar attribute."""
    collection = c.collection(node.collection, "what is grouped")
    element = element_type(collection)
    local = c.new_local("it", element, node.span)
    with c.pure():
        key = finish(c, scalar_attribute(c, c.read(local, node.span), node.attribute, node.span))
    if not ty.is_scalar(key.type):
        return c.error("type-mismatch", f"a {key.type} can't be grouped by", node.attribute.span)
    return CExpr("group", ty.SetT(ty.GroupT(element, node.attribute.text)), (local, collection, key), node.span)


@expression(ast.EndOf)
def _end_of(c: Context, node: ast.EndOf) -> CExpr:
    """Return the top or bottom piece (or pieces) of a pile, or the first or last elements of a collection."""
    value = c.expr(node.collection)
    count = c.value(node.count, ty.NUMBER, "how many") if node.count is not None else None
    if isinstance(value.type, ty.ZoneT):
        return c.by_place(value, lambda zone: end_of_zone(c, node, zone, count))
    return _end_of_collection(c, node, c.as_set(value, f"what has a {node.end}"), count)


def end_of_zone(c: Context, node: ast.EndOf, zone: CExpr, count: CExpr | None) -> CExpr:
    """Return the top or bottom piece (or pieces) of a zone; those that nobody has seen become known."""
    sym = zone.args[0]
    if isinstance(sym, ZoneSym) and not sym.decl.laid.ends:
        return _end_of_collection(c, node, c.pieces_of(zone), count)
    if isinstance(sym, ZoneSym) and sym.unseen:
        _expose(c, sym, zone, node.end, count, node.span)
    assert isinstance(zone.type, ty.ZoneT)
    piece = ty.PieceT(zone.type.kind)
    if count is None:
        return CExpr(node.end, ty.optional(piece), (zone,), node.span)
    return CExpr(f"{node.end}s", ty.SetT(piece), (zone, count), node.span)


def _end_of_collection(c: Context, node: ast.EndOf, collection: CExpr, count: CExpr | None) -> CExpr:
    """Return the first or last of a collection; a bag of pieces is in the order of their rows."""
    element, op = element_type(collection), "first" if node.end == "top" else "last"
    if count is not None:
        return CExpr(f"{op}s", ty.SetT(element), (collection, count), node.span)
    if not ty.is_scalar(element):
        return c.error("type-mismatch", f"`{node.end} of` gives single values, not a {element}", node.span)
    return CExpr(op, element if least_size(collection) else ty.optional(element), (collection,), node.span)


@literal(ast.Lookup)
def _lookup(c: Context, node: ast.Lookup, expect: ty.Type | None) -> CExpr:
    """Return what a table says at a number (of the largest key not above it), or at a value or truth (of this one)."""
    at = c.expr(node.at)
    exact = ty.bare(at.type) == ty.DIRECTION or isinstance(ty.bare(at.type), ty.BoolT | ty.EnumT | ty.CellT)
    at = c.fit(at, ty.bare(at.type) if exact else ty.NUMBER, "what is looked up")
    values: list[CExpr] = []
    for _, entry in node.entries:
        with c.pure():
            values.append(c.expr(entry, expect or (values[0].type if values else None)))
    if isinstance(at.type, ty.ErrorT):
        return const(0, ty.ERROR, node.span)
    joined: ty.Type | None = values[0].type
    for value in values[1:]:
        joined = ty.join(joined, value.type) if joined else None
    if joined is None or isinstance(ty.bare(joined), ty.NoneT | ty.EmptyT):
        given = enumerated(list(dict.fromkeys(f"a {value.type}" for value in values)))
        return c.error("type-mismatch", f"the entries of a table are of one type, not {given}", node.span)
    fitted = [c.fit(value, joined, "an entry") for value in values]
    rows = [(key, value) for (key, _), value in zip(node.entries, fitted, strict=True) if key is not None]
    others = [value for (key, _), value in zip(node.entries, fitted, strict=True) if key is None]
    if len(others) > 1:
        return c.error("lookup-order", "a table has one `else`", others[1].span, "take the others away")
    if exact:
        return _exact(c, node, at, rows, others, joined)
    return _steps(c, node, at, rows, others, joined)


def _steps(
    c: Context, node: ast.Lookup, at: CExpr, rows: list[tuple[int | ast.Expr, CExpr]], others: list[CExpr], t: ty.Type
) -> CExpr:
    """Return the lookup of a number in a table with rising keys. Findings: `lookup-order`, `lookup-rest`."""
    counted = at.args[0] if at.op == "count" else at
    if isinstance(counted, CExpr) and counted.op in ("player_count", "players", "everyone"):
        _covers_players(c, node)
    keys: list[int] = []
    for key, value in rows:
        if not isinstance(key, int):
            message = f"a number is looked up, and `{source_text(key.span)}` is none"
            hint = "what counts below all numbers is the row `else: …`, above the last one this one"
            return c.error("type-mismatch", message, key.span, hint)
        if keys and key <= keys[-1]:
            c.error("lookup-order", "the keys must rise", value.span, "put the smallest first, each once")
        keys.append(key)
    covered = bool(keys) and isinstance(at.type, ty.NumberT) and at.type.low >= keys[0]
    if others:
        if covered:
            message = f"no number here is below {keys[0]}, so `else` has no effect"
            c.warn("lookup-rest", message, others[0].span, "a key counts for all numbers up to the next one")
        rows = [(ty.INT_MIN, others[0]), *rows]
    elif not isinstance(t, ty.NumberT):
        if not covered:
            message = f"nothing says what this is below {keys[0]}"
            return c.error("lookup-rest", message, node.span, "add `else: …`")
        rows = [(ty.INT_MIN, rows[0][1]), *rows[1:]]
    elif not covered:
        t = ty.NumberT(min(t.low, 0), max(t.high, 0))
    return _table(at, [(key, value) for key, value in rows if isinstance(key, int)], t, node.span)


def _exact(
    c: Context, node: ast.Lookup, at: CExpr, rows: list[tuple[int | ast.Expr, CExpr]], others: list[CExpr], t: ty.Type
) -> CExpr:
    """Return the lookup of a value or truth among all that there are. Findings: `lookup-order`, `lookup-rest`."""
    options = (s for s in c.checked.types if s.category == "option" and s.type == at.type)
    sym = c.shared.values_of(at.type) or next(options, None)
    told: dict[ty.Type, tuple[str, ...]] = {ty.BOOL: ("false", "true"), ty.DIRECTION: DIRECTIONS}
    names = told.get(at.type, sym.values if sym is not None else ())
    if not names:
        return c.error("type-mismatch", f"the values of {at.type} have no names to look up", node.at.span)
    given: dict[str, CExpr] = {}
    for key, value in rows:
        text, span = (str(key), value.span) if isinstance(key, int) else (source_text(key.span), key.span)
        if text not in names:
            hint = suggest(text, names) or "what counts for all others is the row `else: …`"
            return c.error("type-mismatch", f"`{text}` is not a {at.type}", span, hint)
        if text in given:
            return c.error("lookup-order", f"`{text}` is a key twice", span, "take one of the two away")
        c.names.get(text, span)
        given[text] = value
    missing = [f"`{name}`" for name in names if name not in given]
    if missing and not others:
        more = [f"{len(missing) - MOST_NAMED} more"] if len(missing) > MOST_NAMED else []
        message = f"this table says nothing for {enumerated([*missing[:MOST_NAMED], *more])}"
        return c.error("lookup-rest", message, node.span, "name every value, or add `else: …`")
    if others and not missing:
        c.warn("lookup-rest", "every value has a row, so `else` has no effect", others[0].span, "take it away")
    table = [given.get(name, *others) for name in names]
    steps = [(place, value) for place, value in enumerate(table) if place and value is not table[place - 1]]
    place = CExpr("cast", ty.NumberT(0, len(names) - 1), (at,), at.span)
    return _table(place, [(ty.INT_MIN, table[0]), *steps], t, node.span)


def _table(at: CExpr, rows: list[tuple[int, CExpr]], t: ty.Type, span: Span) -> CExpr:
    """Return the value of the largest key not above a number; a zone is one of two, as where each is read is known."""
    if isinstance(t, ty.ZoneT) and len(rows) > 1:
        (_, first), (key, second), *rest = rows
        is_below = CExpr("lt", ty.BOOL, (at, number(key, span)), span)
        return CExpr("if", t, (is_below, first, _table(at, [(key, second), *rest], t, span)), span)
    if isinstance(t, ty.ZoneT):
        return rows[0][1]
    return CExpr("lookup", t, (at, *(part for key, value in rows for part in (number(key, span), value))), span)


def _covers_players(c: Context, node: ast.Lookup) -> None:
    """Report a table, indexed by the number of players, that lacks a number which the ruleset is for."""
    keys = {key for key, _ in node.entries}
    missing = [count for count in c.checked.ruleset.players if count not in keys]
    if missing:
        message = f"this table says nothing for {counted(enumerated(missing), 'player')}"
        hint = "name every number of players; a row otherwise counts for larger ones too, and below all rows is 0"
        c.error("ruleset-uncovered", message, node.span, hint)


@expression(ast.Comprehension)
def _comprehension(c: Context, node: ast.Comprehension) -> CExpr:
    message = "`… for x in …` stands only in `sum`, `count`, `any`, `all`, `max`, `min`, `distinct` and `each`"
    return c.error("syntax-misplaced", message, node.span, "`each(… for x in …)` is a collection")


def _expose(c: Context, sym: ZoneSym, zone: CExpr, end: str, count: CExpr | None, span: Span) -> None:
    """Make known the pieces at an end of a zone that are read; report where that can't wait."""
    exposes_one = count is None or (count.op == "const" and count.args == (1,))
    if c.procedure.sees_all or (sym.view.top and end == "top" and exposes_one):
        return
    if not c.waits:
        message = f"nobody may have seen the {end} of `{sym.name}`, so it can't be read here"
        hint = "read it in a statement of a rule: `let card = top of …`"
        c.error("visibility-unseen", message, span, hint, [declared_visible(sym)])
        return
    c.emit(CExpose(span, zone, const(0 if end == "top" else -1, ty.NUMBER, span), count))
