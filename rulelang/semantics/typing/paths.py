"""Names, attributes and indices: what a path such as `p.plant[red].value` means."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from rulelang.diagnostics import Span, enumerated, suggest
from rulelang.diagnostics.names import USUAL_ZONES
from rulelang.geometry import DIRECTIONS
from rulelang.ruleset.grids import CELL, named_otherwise
from rulelang.semantics.analysis.least import is_in_every_game, set_of
from rulelang.semantics.tree import types as ty
from rulelang.semantics.tree.core import CExpr, CFor, Local
from rulelang.semantics.tree.shared import Shared, const, element_type, number, source_text
from rulelang.semantics.tree.symbols import (
    AutomatonSym,
    ClassSym,
    GroupInfo,
    KindSym,
    OptionSym,
    PositionSym,
    ProcedureSym,
    Symbol,
    TypeSym,
    ValueSym,
    VariableSym,
    ZoneSym,
)
from rulelang.semantics.tree.uses import NamedMember
from rulelang.semantics.typing.asked import is_in
from rulelang.semantics.typing.calls import call_procedure
from rulelang.semantics.typing.context import Context, as_there
from rulelang.syntax import ast
from rulelang.syntax.words import BUILTIN_NAMES
from rulelang.vocabulary.operations import SEAT_SETS

ORTHOGONAL = (0, 2, 4, 6)
DIAGONAL = (1, 3, 5, 7)
PLAYER_SETS = ("others", "opponents", "teammates")
MAX_SEATS = 64
FEW = 6
"""So many attributes are named where none is near."""
"""What the name of a cell looks like."""
OTHER_WORDS = {"None": "none", "null": "none", "nil": "none", "True": "true", "False": "false", "self": "this"}
OTHER_WORDS |= {word: str(n) for n, word in enumerate("one two three four five six".split(), 1)}
OTHER_WORDS |= {word: str(n) for n, word in enumerate("un deux trois quatre cinq".split(), 1)}
"""Words of other languages, and numbers -> what is written here."""
INSTEAD = {
    "player": "`players` are all of them, `you` is the one who acts: `for p in players:`, `turn of p:`, `you.seat`",
    **dict.fromkeys(
        ("cards", "pieces", "tiles", "tokens"), "say where they lie: `hand`, or `count(hand)` for how many"
    ),
    "empty": "write `… is empty`: `hand is empty`, `hand is not empty`",
}
"""Words that stand for no value -> what may be meant."""


@dataclass(frozen=True)
class IndexedPath:
    """A variable or zone with the indices given so far."""

    symbol: VariableSym | ZoneSym
    indices: tuple[CExpr, ...]
    span: Span

    @property
    def complete(self) -> bool:
        """Whether every index is given, so that the place is one instance."""
        return len(self.indices) == len(self.symbol.per)

    def report_missing(self, c: Context, span: Span) -> CExpr:
        """Report that it lacks indices."""
        missing = self.symbol.per[len(self.indices) :]
        message = f"`{self.symbol.name}` needs an index: {', '.join(map(str, missing))}"
        of, values = source_text(span), c.shared.values_of(missing[0])
        example = next(iter(values.values), "") if values is not None else ""
        which = f"say which one, such as `{of}[{example}]`; " if example else ""
        return c.error("index-missing", message, span, which + _one_by_one(of, missing[0]))


def _one_by_one(of: str, index: ty.Type) -> str:
    """Return a hint at a loop over all that an index can be."""
    name, collection = ("p", "players") if index == ty.PLAYER else ("x", str(index))
    return f"all of them one by one: `for {name} in {collection}: … {of}[{name}]`"


@dataclass(frozen=True)
class Places:
    """A variable or zone of each element of a collection, `element` standing for it in the indices of the place."""

    element: Local
    collection: CExpr
    place: CExpr | IndexedPath


def path(c: Context, node: ast.Expr) -> CExpr | IndexedPath:
    """Return what a node denotes: a place if it names a zone or variable, else its value."""
    target = paths(c, node)
    return finish(c, target) if isinstance(target, Places) else target


def paths(c: Context, node: ast.Expr) -> CExpr | IndexedPath | Places:
    """Return what a node denotes: a place, one place for each element of a collection (`players.hand`), or a value."""
    match node:
        case ast.NameExpr():
            return _resolve_name(c, node)
        case ast.Attribute():
            return _attribute_of(c, paths(c, node.object), node.name, node.span)
        case ast.Index():
            return _indexed(c, node)
    return c.expr(node)


def finish(c: Context, target: CExpr | IndexedPath | Places) -> CExpr:
    """Return the value at a place.

    A zone with indices missing gives the pieces of all its instances; several places give the pieces of all of them.
    Reports a variable with indices missing.
    """
    if isinstance(target, CExpr):
        return target
    if isinstance(target, Places):
        with c.pure() if c.prelude is None else c.collect() as unseen:
            value = finish(c, target.place)
            value = c.as_set(value) if isinstance(value.type, ty.ZoneT) else value
        if unseen:
            c.emit(CFor(value.span, c.label("each"), target.element, target.collection, tuple(unseen)))
        return _of_each(c, target.element, target.collection, value, value.span)
    sym = target.symbol
    if any(isinstance(index.type, ty.ErrorT) for index in target.indices):
        return const(0, ty.ERROR, target.span)
    if target.complete:
        if isinstance(sym, ZoneSym):
            return CExpr("zone", ty.ZoneT(sym.kind), (sym, *target.indices), target.span)
        return _variable_value(sym, CExpr("var", sym.type, (sym, *target.indices), target.span))
    if isinstance(sym, ZoneSym) and not sym.unseen:
        return CExpr("family", ty.SetT(ty.PieceT(sym.kind)), (sym, *target.indices), target.span)
    if ty.ERROR in sym.per or (isinstance(sym, VariableSym) and sym.type == ty.ERROR):
        return const(0, ty.ERROR, target.span)
    return target.report_missing(c, target.span)


def _resolve_name(c: Context, node: ast.NameExpr) -> CExpr | IndexedPath:
    """Return what a name denotes: a local, a word of the language or a declared symbol, looked up in this order."""
    span, text = node.span, node.name
    local = c.find_local(text)
    if local is not None:
        c.names.note(span, local)
        return c.read(local, span)
    special = special_name(c, text, span)
    if special is not None:
        return special
    symbol = c.names.get(text, span)
    meaning = _meaning(c, symbol, span) if symbol is not None else individual(c, text, span)
    return meaning if meaning is not None else _unknown_name(c, text, span)


def _meaning(c: Context, symbol: Symbol, span: Span) -> CExpr | IndexedPath:
    """Return the value or place that the name of a declared thing denotes."""
    text = symbol.name
    match symbol:
        case VariableSym() | ZoneSym():
            return IndexedPath(symbol, (c.seat_here(span, f"`{text}`"),) if symbol.owned else (), span)
        case ValueSym():
            return named_value(c, symbol.type, symbol.index, span)
        case ClassSym():
            members = tuple(const(i, symbol.type, span) for i in symbol.members)
            return set_of(c.shared, "list", symbol.type, members, span)
        case OptionSym():
            return CExpr("option", symbol.type, (symbol,), span)
        case AutomatonSym():
            always = set(c.checked.ruleset.players) <= set(symbol.players)
            return CExpr("automaton", ty.PLAYER if always else ty.optional(ty.PLAYER), (symbol.index,), span)
        case TypeSym():
            return all_values(c, symbol, span)
        case ProcedureSym():
            if symbol.category in ("function", "quantity") and not symbol.params:
                return call_procedure(c, symbol, (), span)
            message, hint = f"`{text}` is a {symbol.category}", f"call it: `{text}(…)`"
        case KindSym():
            return _pieces_in_play(c, symbol, span)
        case GroupInfo():
            message, hint = f"`{text}` is a group of exchanges, not a value", f"`trade {text}(…)` offers them"
        case PositionSym():
            message, hint = f"`{text}` is a position, not a value", f"`seen({text})` counts how often it has been there"
    return c.error("name-misused", message, span, hint)


def _pieces_in_play(c: Context, kind: KindSym, span: Span) -> CExpr:
    """Return all pieces of a kind, zone by zone as declared, without zones whose pieces may be unknown."""
    union = CExpr("list", ty.SetT(ty.PieceT(kind.name)), (), span)
    for zone in kind.zones:
        if not zone.unseen:
            pieces = c.as_set(finish(c, IndexedPath(zone, (), span)))
            element = ty.PieceT(kind.name)
            union = pieces if not union.args else set_of(c.shared, "union", element, (union, pieces), span)
    return union


def _unknown_name(c: Context, text: str, span: Span) -> CExpr:
    """Report an undeclared name with a hint at what may be meant; return an error expression."""
    values = [s.name for s in c.names.values() if not isinstance(s, GroupInfo)]
    hint = suggest(text, [*values, *BUILTIN_NAMES - {text}, *(n for s in c.layers for n in s)])
    if text in OTHER_WORDS:
        hint = f"write `{OTHER_WORDS[text]}`"
    elif text in INSTEAD:
        hint = INSTEAD[text]
    elif re.fullmatch(r"(?:player|seat|joueur|[pj])_?\d+", text, re.IGNORECASE) or (text == "p" and c.is_scenario):
        hint = "seats are numbered from 0: the first is `seat(0)`, the second `seat(1)`"
    elif times := re.fullmatch(r"x(\d+)|(\d+)x", text):
        hint = f"write `{times[1] or times[2]}`"
    zones = sorted(zone.name for zone in c.checked.zones)
    if not hint and text in USUAL_ZONES and zones:
        hint = f"zones are {enumerated((f'`{zone}`' for zone in zones), 'and')}; another is declared below `zones:`"
    if text.lower() not in hint.lower() and any(text in kind.attributes for kind in c.checked.kinds.values()):
        hint = f"`{text}` is an attribute: `card.{text}` of a piece, `sum(hand.{text})` of several"
    elif f"`{text}`" not in hint.lower() and any(
        isinstance(d, ast.Score) and d.name.text == text for d, _ in c.shared.declared
    ):
        hint = "a line of the score sheet is no value; `total_score(you)` is their sum, which decides without `winner:`"
    several = [k for k in c.checked.kinds.values() if k.definition(text) is not None]
    if several and not several[0].identity:
        kind = several[0].name
        hint = (
            f"ask `… is {text}` of a piece, `any(c is {text} for c in …)` of several; with `identity: true` in {kind}, "
        )
        hint += f"`{text}` is the one there is"
    elif several:
        hint = f"there may be several `{text}`: take one from where they lie (`top of …`), or ask `piece is {text}`"
    elif c.it is not None and text in attributes_of(c.shared, c.it.type):
        hint = f"write `it.{text}`"
    elif c.it is not None and not hint:
        hint = "after `where` and `with` the element is called `it`"
    if CELL.fullmatch(text) and c.checked.ruleset.grids:
        cells = [f"`{g.cells[0].name}` to `{g.cells[-1].name}` of {g.name}" for g in c.checked.ruleset.grids]
        hint = f"there are the cells {', '.join(cells[:FEW])}"
    parts = ((grid, part) for grid in c.checked.ruleset.grids if grid.cells for part in grid.around)
    hint = next((said for grid, part in parts if (said := named_otherwise(grid, part, text))), hint)
    if text in c.closed:
        message = f"`{text}` is a name only in the block where it is given"
        hint = f"give it before the block (`let {text} = …`); what changes is a variable, declared under `variables:`"
        return c.error("name-unknown", message, span, hint, [(c.closed[text], "it is given here")])
    given = [name for name, _ in c.procedure.params if name not in ("this", "owner")]
    if text in given:  # of a handler or modifier, which need not name what it is given
        hint = f"name what it is given, in parentheses: `({', '.join(given[: given.index(text) + 1])})`"
    return c.error("name-unknown", f"nothing here is called `{text}`", span, hint)


def named_value(c: Context, t: ty.Type, index: int, span: Span) -> CExpr:
    """Return a named constant of a type; report a cell, edge or corner that some boards lack, in a scenario its own."""
    sym = c.shared.values_of(t)
    if sym is not None and sym.present and not is_in_every_game(c.shared, sym, index):
        of = "all boards of these options" if c.shared.chosen is None else "the board of this scenario's options"
        by = "`edge(…)` or `corner(…)` of a cell" if sym.points else "its column and row (`cell_at`)"
        hint = f"ask for it by {by}, which may be absent"
        return c.error("range-outside", f"`{sym.values[index]}` is not on {of}", span, hint)
    return const(index, t, span)


def individual(c: Context, text: str, span: Span, seat: CExpr | None = None) -> CExpr | None:
    """Return the unique piece with this id, or None.

    Args:
        seat: whose piece, where each player has one (`p.pawn`); None for the acting seat's.
    """
    for kind in c.checked.kinds.values():
        definition = kind.definition(text) if kind.identity else None
        if definition is None or definition.decl.count.text != "1":
            continue
        c.names.note(span, definition)
        if not definition.decl.per_player:
            return None if seat is not None else CExpr("individual", ty.PieceT(kind.name), (kind, definition), span)
        whose = seat if seat is not None else c.seat_here(span, f"`{text}`")
        return CExpr("individual", ty.PieceT(kind.name), (kind, definition, whose), span)
    return None


def _report_ownerless(c: Context, this: CExpr, span: Span) -> CExpr:
    """Report `owner` in rule text that is active in a zone nobody owns: at the kind's `active`, once."""
    assert isinstance(this.type, ty.PieceT)
    kind = c.checked.kinds[this.type.kind]
    free = {zone.name for zone in kind.active if not zone.owned}
    name, place = next(((n, s) for n, s in kind.decl.active if n in free), ("", span))
    message = f"`{name}` belongs to nobody, and the rule text of {kind.name}, in force there, speaks of its `owner`"
    hint = "name a zone with `per: player`, or say in the rule text who is meant"
    c.procedure.faulty = True
    c.shared.diagnostics.error("name-unknown", message, place, hint, [(span, "`owner` stands here")])
    return const(0, ty.ERROR, span)


def special_name(c: Context, text: str, span: Span) -> CExpr | None:
    """Return the value of a word of the language (`you`, `players`, `north`, …); None for any other name."""
    if text == "you":
        return c.seat_here(span, "`you`")
    if text in ("this", "owner", "it"):
        value = {"this": c.this, "owner": c.owner, "it": c.it}[text]
        if value is None and text == "owner" and c.this is not None:
            return _report_ownerless(c, c.this, span)
        if value is None:
            where = "after `where` and `with`" if text == "it" else "in the rule text of a piece that has one"
            hint = "the element of a collection has a name in `for x in …` and `choose`" if text == "it" else ""
            if text == "owner":
                hint = "who acts is `you`: what is yours stands alone (`coins`), what is another's is `p.coins`"
            return c.error("name-unknown", f"`{text}` has a meaning only {where}", span, hint)
        return CExpr(value.op, value.type, value.args, span)
    if text in SEAT_SETS:
        return set_of(c.shared, text, ty.PLAYER, (), span)
    if text in (*PLAYER_SETS, "next", "previous"):
        return _other_players(c, text, c.seat_here(span, f"`{text}`"), span)
    if text == "Direction":
        return set_of(c.shared, "domain", ty.DIRECTION, ("dir",), span)
    if text in ("orthogonal", "diagonal"):
        members = ORTHOGONAL if text == "orthogonal" else DIAGONAL
        directions = tuple(const(i, ty.DIRECTION, span) for i in members)
        return set_of(c.shared, "list", ty.DIRECTION, directions, span)
    if text in DIRECTIONS and c.names.get(text) is None:
        return const(DIRECTIONS.index(text), ty.DIRECTION, span)
    return None


def _other_players(c: Context, text: str, seat: CExpr, span: Span) -> CExpr:
    """Return the players that a word such as `others` or `next` means from a seat."""
    if text in PLAYER_SETS:
        return set_of(c.shared, text, ty.PLAYER, (seat,), span)
    return CExpr(f"{text}_player", ty.PLAYER, (seat,), span)


def all_values(c: Context, symbol: TypeSym, span: Span) -> CExpr:
    """Return the set of all values of a type."""
    sort = "cell" if symbol.category == "grid" else "enum"
    return set_of(c.shared, "domain", symbol.type, (f"{sort}:{symbol.name}",), span)


def _attribute_of(
    c: Context, object: CExpr | IndexedPath | Places, name: ast.Name, span: Span
) -> CExpr | IndexedPath | Places:
    """Return what `object.name` denotes: an attribute, a zone or variable of a player, or one value for each
    element."""
    value = c.narrowed(finish(c, object))
    t = value.type
    if isinstance(t, ty.ErrorT):
        return value
    if isinstance(t, ty.OptionalT):
        return _optional_attribute(c, value, t.inner, name, span)
    if isinstance(t, ty.GroupT) and name.text in ("key", t.attribute):
        first = CExpr("first", t.element, (c.as_set(value),), span)
        return scalar_attribute(c, first, ast.Name(name.span, t.attribute), span)
    if value.op == "domain" and isinstance(element_type(value), ty.CellT) and name.text in ("columns", "rows"):
        sym = c.shared.values_of(element_type(value))
        assert sym is not None
        return replace(sym.sizes[name.text == "rows"], span=span)
    if isinstance(t, ty.GroupT) and name.text not in (known := attributes_of(c.shared, t)):
        hint = suggest(name.text, known) or f"it has {', '.join(f'`{attribute}`' for attribute in known)}"
        return c.error("attribute-unknown", f"a {t} has no attribute `{name.text}`", name.span, hint)
    if isinstance(t, ty.ZoneT | ty.SetT | ty.GroupT):
        return _projection(c, c.as_set(value), name, span)
    return scalar_attribute(c, value, name, span)


def _optional_attribute(c: Context, value: CExpr, inner: ty.Type, name: ast.Name, span: Span) -> CExpr:
    """Return an attribute of an optional value as an optional value: absent if that is."""
    present = CExpr("cast", inner, (value,), span)
    place = scalar_attribute(c, present, name, span)
    if isinstance(place, IndexedPath) and isinstance(place.symbol, VariableSym) and not place.complete:
        return c.error("value-absent", "whose this is may be absent", span, c.when_absent(value))
    attribute = finish(c, place)
    if isinstance(attribute.type, ty.ErrorT):
        return attribute
    if not ty.is_scalar(attribute.type) or isinstance(attribute.type, ty.ZoneT):
        message = f"this may be absent, so `.{name.text}` can't be read"
        return c.error("value-absent", message, span, c.when_absent(value))
    result = ty.optional(attribute.type)
    return CExpr("if", result, (CExpr("is_none", ty.BOOL, (value,), span), const(-1, result, span), attribute), span)


def _projection(c: Context, elements: CExpr, name: ast.Name, span: Span) -> CExpr | Places:
    """Return the attribute of each element of a collection, or the place of each."""
    local = c.new_local("it", element_type(elements), span)
    with c.pure():
        body = scalar_attribute(c, c.read(local, span), name, span, elements)
    return Places(local, elements, body) if isinstance(body, IndexedPath) else _of_each(c, local, elements, body, span)


def _of_each(c: Context, local: Local, elements: CExpr, body: CExpr, span: Span) -> CExpr:
    """Map a body over a collection; a body that is itself a collection is flattened."""
    if isinstance(body.type, ty.ErrorT):
        return body
    if isinstance(body.type, ty.SetT):
        return set_of(c.shared, "flatten", body.type.element, (local, elements, body), span)
    return set_of(c.shared, "map", body.type, (local, elements, body), span)


def scalar_attribute(
    c: Context, value: CExpr, name: ast.Name, span: Span, whole: CExpr | None = None
) -> CExpr | IndexedPath:
    """Return an attribute of a single value, or of each of a `whole`; report one that its type does not have."""
    text, t = name.text, value.type
    if isinstance(t, ty.ErrorT):
        return value
    if isinstance(t, ty.SetT | ty.GroupT):
        return finish(c, _attribute_of(c, value, name, span))
    read = ATTRIBUTES.get(type(t))
    value_read = read(c, value, text, span) if read is not None else None
    if value_read is not None:
        if c.names.uses is not None:
            _note_attribute(c, t, name)
        return value_read
    symbol = c.names.get(text)
    if isinstance(symbol, ZoneSym | VariableSym) and ty.ERROR in symbol.per:
        return const(0, ty.ERROR, span)
    known = attributes_of(c.shared, t)
    hint = those_with(c, whole or value, symbol.type, text) if isinstance(symbol, ValueSym) else suggest(text, known)
    if isinstance(t, ty.PieceT) and c.shared.kind(t.kind).definition(text) is not None:
        of = source_text((whole or value).span)
        hint = f"write `any(x is {text} for x in {of})`" if whole is not None else f"write `{of} is {text}`"
    if not hint and 0 < len(known) <= FEW:
        hint = f"it has {', '.join(f'`{attribute}`' for attribute in known)}"
    rows = (kind.definition(text) for kind in c.checked.kinds.values()) if isinstance(t, ty.PlayerT) else ()
    if any(row is not None and not row.decl.per_player for row in rows):
        hint = f"add `per: player` to the row `{text}`, and `identity: true` to its kind"
    if isinstance(t, ty.PlayerT) and isinstance(symbol, ZoneSym | VariableSym):
        message = f"there is one `{text}` for all, and none of a player"
        hint = f"add `per: player` to the {symbol.what} `{text}`"
        return c.error("attribute-unknown", message, name.span, hint, [(symbol.span, f"the {symbol.what} `{text}`")])
    return c.error("attribute-unknown", f"a {t} has no attribute `{text}`", name.span, hint)


def _note_attribute(c: Context, t: ty.Type, name: ast.Name) -> None:
    """Note what stands after the dot of a value of a type that has it."""
    match t:
        case ty.PieceT(kind=kind):
            sym = c.shared.kind(kind)
            declared = sym.attributes if name.text in sym.attributes else sym.variables
            if name.text in declared:
                c.names.note(name.span, sym.variables.get(name.text) or NamedMember("attribute", kind, name.text))
        case ty.EnumT() | ty.CellT():
            values = c.shared.values_of(t)
            if values is not None and name.text in (*values.attributes, *values.touching):
                c.names.note(name.span, NamedMember("attribute", values.name, name.text))
        case ty.PlayerT():
            rows = (kind.definition(name.text) for kind in c.checked.kinds.values() if kind.identity)
            row = next((row for row in rows if row is not None), None)
            if c.names.get(name.text, name.span) is None and row is not None:
                c.names.note(name.span, row)
        case ty.BagT():
            c.names.get(name.text, name.span)


def _player_attribute(c: Context, value: CExpr, text: str, span: Span) -> CExpr | IndexedPath | None:
    """Return an attribute of a player: a word of the language, a zone or variable `per: player`, or a unique piece;
    else None."""
    if text in (*PLAYER_SETS, "next", "previous"):
        return _other_players(c, text, value, span)
    if text == "seat":
        return CExpr("cast", ty.NumberT(0, MAX_SEATS), (value,), span)
    symbol = c.names.get(text)
    if isinstance(symbol, VariableSym | ZoneSym) and symbol.owned:
        return IndexedPath(symbol, (value,), span)
    return individual(c, text, span, value)


def _piece_attribute(c: Context, value: CExpr, text: str, span: Span) -> CExpr | None:
    """Return an attribute of a piece: one of its row, a variable or mark of its kind, or its `owner`; None if it has
    none such."""
    assert isinstance(value.type, ty.PieceT)
    kind = c.shared.kind(value.type.kind)
    attribute = _declared_attribute("attr", kind, value, text, span)
    if attribute is None and text in kind.variables:
        sym = kind.variables[text]
        return _variable_value(sym, CExpr("pvar", sym.type, (sym, value), span))
    return CExpr("owner", owner_type(kind), (value,), span) if attribute is None and text == "owner" else attribute


def _variable_value(sym: VariableSym, value: CExpr) -> CExpr:
    """Return the value of a variable; of a mark, whether it is set."""
    return CExpr("ne", ty.BOOL, (value, number(0, value.span)), value.span) if sym.mark else value


def _declared_attribute(op: str, sym: KindSym | TypeSym, value: CExpr, text: str, span: Span) -> CExpr | None:
    """Return the operation that reads a declared attribute of a kind or type; None if there is none of this name."""
    if text not in sym.attributes:
        return None
    return CExpr(op, sym.attributes[text], (sym, list(sym.attributes).index(text), value), span)


def owner_type(kind: KindSym) -> ty.Type:
    """Return the type of a piece's owner: `player` if every piece of the kind always has one, else `player?`."""
    sure = kind.per_player or (bool(kind.zones) and all(zone.owned for zone in kind.zones))
    return ty.PLAYER if sure else ty.optional(ty.PLAYER)


def _value_attribute(c: Context, value: CExpr, text: str, span: Span) -> CExpr | None:
    """Return a declared attribute of a value of an enumerated type or of a cell, or a cell's column or row; else
    None."""
    sym, cell = c.shared.values_of(value.type), isinstance(value.type, ty.CellT)
    if sym is not None and cell and text in ("column", "row"):
        return CExpr(text, ty.NumberT(1, 64), (sym, value), span)
    if sym is not None and text in sym.touching:
        return CExpr("touching", sym.touching[text], (c.shared.type_sym(sym.grid or sym.name), value), span)
    return _declared_attribute("gattr" if cell else "eattr", sym, value, text, span) if sym is not None else None


def _bag_attribute(c: Context, value: CExpr, text: str, span: Span) -> CExpr | None:
    """Return how much of a resource a bag holds (`bag.gold`); None if it is no resource of this bag."""
    sym = c.shared.resource(value.type)
    if sym is None or text not in sym.values:
        return None
    return CExpr("bag_get", ty.NumberT(0), (value, sym.values.index(text)), span)


ATTRIBUTES: dict[type[ty.Type], Callable[[Context, CExpr, str, Span], CExpr | IndexedPath | None]] = {
    ty.PlayerT: _player_attribute,
    ty.PieceT: _piece_attribute,
    **dict.fromkeys((ty.EnumT, ty.CellT), _value_attribute),
    ty.BagT: _bag_attribute,
}
"""Class of types -> what its values have after the dot."""


def attributes_of(shared: Shared, t: ty.Type) -> list[str]:
    """Return the names of all attributes of a type, for hints."""
    match t:
        case ty.PlayerT():
            owned = [s.name for s in shared.names.values() if isinstance(s, VariableSym | ZoneSym) and s.owned]
            return [*PLAYER_SETS, "next", "previous", "seat", *owned]
        case ty.PieceT(kind=kind):
            k = shared.kind(kind)
            return [*k.attributes, *k.variables, "owner"]
        case ty.EnumT() | ty.CellT():
            sym = shared.values_of(t)
            of_cells = ("column", "row") if isinstance(t, ty.CellT) else ()
            return [*sym.attributes, *sym.touching, *of_cells] if sym is not None else []
        case ty.BagT():
            sym = shared.resource(t)
            return list(sym.values) if sym else []
        case ty.SetT(element=element):
            return attributes_of(shared, element)
        case ty.ZoneT(kind=kind):
            return attributes_of(shared, ty.PieceT(kind))
        case ty.GroupT(element=element):
            return ["key", *attributes_of(shared, element)]
    return []


def attribute_with(c: Context, of: ty.Type, value: ty.Type) -> str:
    """Return the first attribute of a kind, or of elements of a collection, that takes such values; empty if none."""
    kind = getattr(getattr(of, "element", of), "kind", "")
    attributes = c.shared.kind(kind).attributes if kind and isinstance(value, ty.EnumT | ty.CellT) else {}
    return next((name for name, t in attributes.items() if ty.bare(t) == value), "")


def those_with(c: Context, of: CExpr, value: ty.Type, text: str) -> str:
    """Return a hint for a value of an attribute in the place of what has it: `red in tableau`; empty if none has."""
    name, zone = attribute_with(c, of.type, value), source_text(of.span)
    if not name:
        return ""
    if isinstance(of.type, ty.PieceT):
        return f"write `{zone}.{name} = {text}`"
    return f"`{zone} where it.{name} = {text}` are those, `any(x.{name} = {text} for x in {zone})` whether there is one"


def _indexed(c: Context, node: ast.Index) -> CExpr | IndexedPath | Places:
    """Return the value or place that an index expression denotes."""
    target = paths(c, node.object)
    if isinstance(target, Places):
        return replace(target, place=_apply_indices(c, target.place, node))
    return _apply_indices(c, target, node)


def _apply_indices(c: Context, target: CExpr | IndexedPath, node: ast.Index) -> CExpr | IndexedPath:
    """Apply the indices of a node to a place, a bag or one-per-player values; report what takes no more indices."""
    for index in node.indices:
        if (
            isinstance(target, IndexedPath)
            and target.complete
            and isinstance(getattr(target.symbol, "type", None), ty.BagT)
        ):
            target = finish(c, target)
        if isinstance(target, IndexedPath):
            if target.complete:
                name, mine = target.symbol.name, len(target.symbol.per) == 1 and target.symbol.per[0] == ty.PLAYER
                whose = index.name if isinstance(index, ast.NameExpr) else "p"
                hint = f"there is only one: write `{name}`" if not target.symbol.per else ""
                hint = f"a player's is written with a dot: `{whose}.{name}`" if mine else hint
                if isinstance(target.symbol, ZoneSym) and isinstance(index, ast.Number):
                    of = source_text(node.object.span)
                    hint = f"what lies in a zone has no numbers: `choose one of {of}` if the player chooses, "
                    hint += f"`random one of {of}` for chance, `top of {of}` for the first"
                    if c.is_scenario:
                        hint = (
                            f"what lies in a zone has no numbers: ask `any(x is ROW for x in {of})`, or `count({of})`"
                        )
                local = c.find_local(index.name) if isinstance(index, ast.NameExpr) else None
                if local is not None and isinstance(local.type, ty.ErrorT):
                    return const(0, ty.ERROR, node.span)
                return c.error("index-extra", f"`{name}` takes no more indices", index.span, hint)
            index_type = target.symbol.per[len(target.indices)]
            what, value = f"the index of `{target.symbol.name}`", c.expr(index, index_type)
            if isinstance(value.type, ty.SetT) and ty.fits(value.type.element, index_type):
                hint = _one_by_one(source_text(node.object.span), index_type)
                message = f"{what} must be one {index_type}, and `{source_text(index.span)}` is several"
                return c.error("type-mismatch", message, index.span, hint)
            if value.type == ty.PLAYER != index_type and ty.PLAYER in target.symbol.per:
                # `x[p, other]` for `p.x[other]`: an owner that was not written is `you`, the first index already.
                left = ", ".join(source_text(other.span) for other in node.indices if other is not index)
                whose = f"{source_text(index.span)}.{target.symbol.name}" + (f"[{left}]" if left else "")
                message = f"{what} must be a {index_type}, but this is a player"
                return c.error("type-mismatch", message, index.span, f"a player's is written with a dot: `{whose}`")
            value = c.fit(value, index_type, what)
            target = IndexedPath(target.symbol, (*target.indices, value), node.span)
        elif isinstance(target.type, ty.SeatsT):
            seat = c.seat(index, "the index")
            value = CExpr("get_seat", target.type.collected, (target, seat), node.span)
            lacks = value.type != target.type.element
            target = as_there(value) if lacks and is_in(c, seat) else value
        elif isinstance(target.type, ty.ErrorT):
            return target
        elif isinstance(target.type, ty.BagT) and (res := c.shared.resource(target.type)):
            value = c.value(index, res.type, "the index of a bag")
            target = CExpr("bag_pick", ty.NumberT(0), (target, value), node.span)
        else:
            local = c.find_local(index.name) if isinstance(index, ast.NameExpr) else None
            if local is not None and isinstance(local.type, ty.ErrorT):
                return const(0, ty.ERROR, node.span)
            return c.error("index-extra", f"a {target.type} can't be indexed", node.span, _picked(target, index))
    return target


def _picked(target: CExpr, index: ast.Expr) -> str:
    """Return a hint for an index that counts through a collection."""
    t, text = target.type, source_text(target.span)
    if isinstance(t, ty.SetT) and isinstance(t.element, ty.PlayerT) and text in ("players", "everyone", "parties"):
        return f"write `seat({source_text(index.span)})`: seats are numbered from 0"
    text = f"({text})" if " where " in text else text
    hint = f"the first is `top of {text}`, the last `bottom of {text}`; which of them is asked with `where`"
    return hint if isinstance(t, ty.ZoneT | ty.SetT) else ""


def zone_place(c: Context, node: ast.Expr, what: str) -> CExpr:
    """Return the one zone instance that a node names; report anything else. `what` begins the message."""
    target = paths(c, node)
    if isinstance(target, Places):
        target = c.error(
            "type-mismatch", f"`{source_text(node.span)}` is a zone of each", node.span, "say which one's zone you mean"
        )
    if isinstance(target, IndexedPath) and isinstance(target.symbol, ZoneSym) and not target.complete:
        if ty.ERROR in target.symbol.per:
            return const(0, ty.ERROR, node.span)
        return target.report_missing(c, node.span)
    value = finish(c, target)
    if not isinstance(value.type, ty.ZoneT | ty.ErrorT):
        hint = "goods of a bag say where they come from: `move … from PURSE to PURSE`"
        hint = hint if isinstance(value.type, ty.BagT) else ""
        return c.error("type-mismatch", f"{what} must be a zone, but this is a {value.type}", node.span, hint)
    return value


def purse_at(c: Context, node: ast.Expr, wrong: str) -> CExpr:
    """Return a bag variable, or the bags on each piece of a collection, as a purse; report anything else as `wrong`."""
    if isinstance(node, ast.Attribute):
        owner = path(c, node.object)
        owner_value = finish(c, owner)
        if isinstance(owner_value.type, ty.PieceT):
            owner_value = CExpr("list", ty.SetT(owner_value.type), (owner_value,), owner_value.span)
        if isinstance(owner_value.type, ty.ZoneT | ty.SetT):
            pieces = c.as_set(owner_value)
            kind = element_type(pieces)
            if isinstance(kind, ty.PieceT):
                sym = c.shared.kind(kind.kind).variables.get(node.name.text)
                if sym is not None and isinstance(sym.type, ty.BagT):
                    c.names.note(node.name.span, sym)
                    return CExpr("purses_of", ty.PurseT(sym.type.resource), (sym, pieces), node.span)
    target = path(c, node)
    if isinstance(target, IndexedPath) and isinstance(target.symbol, VariableSym):
        if not target.complete:
            return finish(c, target)
        if isinstance(target.symbol.type, ty.BagT):
            return CExpr("purse", ty.PurseT(target.symbol.type.resource), (target.symbol, *target.indices), node.span)
    value = finish(c, target)
    if isinstance(value.type, ty.ErrorT):
        return value
    return c.error("type-mismatch", f"a {value.type} {wrong}", node.span, "name a variable that holds a bag")


def purses_at(c: Context, nodes: tuple[ast.Expr, ...]) -> CExpr:
    """Return all the purses that a payment may draw on as one expression; report purses of different resources."""
    purses = [purse_at(c, n, "can't be paid from") for n in nodes]
    span = nodes[0].span.to(nodes[-1].span)
    bad = next((p for p in purses if isinstance(p.type, ty.ErrorT)), None)
    if bad is not None:
        return bad
    if len({p.type for p in purses}) > 1:
        return c.error("type-mismatch", "these purses hold different resources", span)
    return CExpr("purses", purses[0].type, tuple(purses), span)
