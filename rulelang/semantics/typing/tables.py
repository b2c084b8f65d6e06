"""The nouns: what the YAML declares becomes symbols with resolved types and constant values."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from rulelang.diagnostics import Span, nearest, suggest
from rulelang.ruleset import model
from rulelang.semantics.analysis.least import fewest_values
from rulelang.semantics.tree import types as ty
from rulelang.semantics.tree.shared import Shared, declared_visible, parsed
from rulelang.semantics.tree.symbols import (
    AutomatonSym,
    ClassSym,
    DefinitionSym,
    KindSym,
    OptionSym,
    ProcedureSym,
    TypeSym,
    ValueSym,
    VariableSym,
    ZoneSym,
)
from rulelang.semantics.tree.uses import NamedMember
from rulelang.semantics.typing import positions
from rulelang.semantics.typing.constants import report_unknown, resolve_type
from rulelang.semantics.typing.grids import presence, presence_around, size_grids, sized
from rulelang.semantics.typing.values import attribute_value, constant_value, fill
from rulelang.syntax.parser import parse_type
from rulelang.syntax.words import FIXED, KEYWORDS, RESERVED_VALUES
from rulelang.vocabulary.views import VIEWS


def build(shared: Shared) -> None:
    """Declare all nouns, in the order in which they need one another, and fill in their values."""
    checked, names = shared.checked, shared.names
    for option in checked.ruleset.options:
        _option(shared, option)
    sizes = size_grids(shared)
    ruleset = checked.ruleset
    for declared in ruleset.types:
        _enumeration(shared, declared)
    for resource in ruleset.resources:
        sym = _type(shared, resource.name, "resource", resource.values, resource.span)
        sym.ordered = resource.ordered
        _name_values(shared, sym, resource.values, KEYWORDS)
        for name, members in resource.classes.items():
            indices = tuple(sym.values.index(member) for member in members)
            names.declare(
                name, ClassSym(name, ty.EnumT(resource.name), indices, resource.span), resource.span, KEYWORDS
            )
    for grid in ruleset.grids:
        cells = _type(shared, grid.name, "grid", grid.cells, grid.span)
        cells.sizes = sizes[grid.name]
        _name_values(shared, cells, grid.cells)
    for kind in ruleset.kinds:
        symbol = KindSym(kind.name, kind.span, kind.identity or bool(kind.variables) or bool(kind.marks), kind)
        names.declare(kind.name, symbol, kind.span)
        checked.kinds[kind.name] = symbol
    for index, automaton in enumerate(ruleset.automata):
        party = AutomatonSym(automaton.name, index, tuple(automaton.players), automaton.span)
        names.declare(automaton.name, party, automaton.span)
        checked.automata.append(party)
    _type_attributes(shared)
    _zones(shared)
    for kind in ruleset.kinds:
        _kind_table(shared, kind)
    for variable in chain((_variable(shared, v) for v in ruleset.variables), (_mark(shared, m) for m in ruleset.marks)):
        names.declare(variable.name, variable, variable.span)
        checked.variables.append(variable)
    positions.declare(shared)
    for zone in checked.zones:
        if zone.decl.beside:
            _beside(shared, zone)
        carriers = [row.id for row in ruleset.pieces if row.per_player]
        if zone.decl.carried_by and (zone.decl.carried_by not in carriers or zone.per != (ty.PLAYER,)):
            message = f"`{zone.name}` is not carried by `{zone.decl.carried_by}`"
            hint = suggest(zone.decl.carried_by, carriers) or "a zone `per: player` is carried by a piece `per: player`"
            span = zone.decl.places.get(("carried_by", zone.decl.carried_by), zone.span)
            shared.diagnostics.error("name-unknown", message, span, hint)
    for piece in ruleset.pieces:
        _piece(shared, piece)
    fill(shared)


def _mark(shared: Shared, mark: model.MarkDecl, kind: str = "") -> VariableSym:
    per = () if kind else _index_types(shared, mark)
    return VariableSym(mark.name, ty.NumberT(0), per, mark.span, "all", mark, kind, mark=True)


def _option(shared: Shared, option: model.GameOption) -> None:
    """Declare an option of the ruleset: its type and, of words, their values."""
    t: ty.Type
    if option.kind == "bool":
        t = ty.BOOL
    elif option.kind == "number":
        numbers = [int(v) for v in option.values]
        t = ty.NumberT(min(numbers), max(numbers))
    else:
        t = ty.EnumT(option.name)
        words = tuple(str(v) for v in option.values)
        shared.checked.types.append(TypeSym(option.name, "option", t, option.span, words))
        for i, word in enumerate(words):
            if not isinstance(shared.names.get(word), ValueSym):
                shared.names.declare(word, ValueSym(word, t, i, option.span), option.span)
    sym = OptionSym(option.name, t, option, option.span)
    shared.names.declare(option.name, sym, option.span)
    shared.checked.options.append(sym)


def _type(shared: Shared, name: str, category: str, values: Sequence[model.ValueDecl], span: Span) -> TypeSym:
    """Declare a type with named values: an enumeration or a grid of cells."""
    t = ty.CellT(name) if category == "grid" else ty.EnumT(name)
    sym = TypeSym(name, category, t, span, tuple(v.name for v in values))
    shared.names.declare(name, sym, span)
    shared.checked.types.append(sym)
    return sym


def _name_values(
    shared: Shared, sym: TypeSym, values: Sequence[model.ValueDecl], words: frozenset[str] = frozenset()
) -> None:
    """Declare the values of a type; a name that cells, edges or corners have more than once is that of the first."""
    for i, value in enumerate(values):
        if not (sym.category == "grid" or value.points) or shared.names.get(value.name) is None:
            shared.names.declare(value.name, ValueSym(value.name, sym.type, i, value.span), value.span, words)


def _enumeration(shared: Shared, declared: model.TypeDecl) -> None:
    """Declare a type with its values; one between players with its pairs of seats for each number of players."""
    between = declared.between is not None
    sym = _type(shared, declared.name, "between" if between else "enum", declared.values, declared.span)
    sym.ordered = declared.ordered
    sym.points = tuple(value.points for value in declared.values if value.points)
    if declared.between is not None:
        for count in shared.checked.ruleset.players:
            if isinstance(declared.between, dict):
                sym.between[count] = declared.between.get(count, ())
            else:
                pairs = [(s, (s + 1) % count) for s in range(count)] if count > 2 else [(0, 1)] if count == 2 else []
                sym.between[count] = tuple(pairs)
        sym.attributes["players"] = ty.SetT(ty.PLAYER, 1)
    _name_values(shared, sym, declared.values)


def _type_of(shared: Shared, text: model.Text) -> ty.Type:
    node = parsed(parse_type, text, shared)
    return resolve_type(shared, node) if node is not None else ty.ERROR


def _type_attributes(shared: Shared) -> None:
    """Declare the attributes of the values of types and of cells: types first, then values."""
    declared: list[tuple[str, Sequence[model.AttributeDecl], Sequence[model.ValueDecl]]] = [
        *((t.name, t.attributes, t.values) for t in shared.checked.ruleset.types),
        *((r.name, r.attributes, r.values) for r in shared.checked.ruleset.resources),
        *((g.name, g.attributes, g.cells) for g in shared.checked.ruleset.grids),
    ]
    _present(shared)
    for name, attributes, values in declared:
        sym = shared.type_sym(name)
        if sym is None:
            continue
        if sym.category == "between":
            _report_attributes_between(shared, sym, attributes)
            continue
        sym.touching = {
            each.name: sized(shared, sym, each.name, _type_of(shared, each.type)) for each in attributes if each.board
        }
        attributes = [attribute for attribute in attributes if not attribute.board]
        for attribute in attributes:
            if sym.category == "grid" and attribute.name in ("column", "row", "columns", "rows"):
                message = f"every {'grid' if attribute.name.endswith('s') else 'cell'} has `{attribute.name}` already"
                shared.diagnostics.error("name-reserved", message, attribute.span, "choose another name")
            sym.attributes[attribute.name] = _type_of(shared, attribute.type)
            shared.names.note(attribute.span, NamedMember("attribute", name, attribute.name), declares=True)
        for attribute in attributes:
            t = sym.attributes[attribute.name]
            sym.attribute_values[attribute.name] = [
                attribute_value(shared, v.attributes.get(attribute.name), t, attribute.name, v.name, v.span)
                for v in values
            ]


def _report_attributes_between(shared: Shared, sym: TypeSym, attributes: Sequence[model.AttributeDecl]) -> None:
    """Report attributes of the values of a type between players, which nothing gives them."""
    for attribute in attributes:
        sym.attributes.setdefault(attribute.name, _type_of(shared, attribute.type))
        message = f"nothing says what `{attribute.name}` of a {sym.name} is: its values are not listed"
        hint = f"they have `players` alone; what else each has is a variable with `per: {sym.name}`"
        shared.diagnostics.error("attribute-missing", message, attribute.span, hint)


def _present(shared: Shared) -> None:
    """Give cells, edges and corners the conditions for them to be there, where that depends on options."""
    for grid in shared.checked.ruleset.grids:
        sym = shared.type_sym(grid.name)
        if sym is None or sym.category != "grid":
            continue
        sym.present = presence(shared, grid, sym.sizes)
        for part in grid.around:
            if (around := shared.type_sym(part.name)) is not None:
                around.grid = grid.name
                around.present = presence_around(grid, part, sym.present) if sym.present else []


def _index_types(shared: Shared, declared: model.MarkDecl | model.VariableDecl | model.ZoneDecl) -> tuple[ty.Type, ...]:
    """Return the types by which a mark, variable or zone is indexed."""
    per = declared.per
    types: list[ty.Type] = []
    for name in per:
        if name == "player":
            types.append(ty.PLAYER)
            continue
        sym = shared.type_sym(name)
        if sym is None or sym.category == "option":
            known = [s.name for s in shared.names.values() if isinstance(s, TypeSym)]
            message = f"`{name}` is not a type with a list of values"
            without = "write `player`, or take `per` away: then there is one for all"
            span = declared.places.get(("per", name), declared.span)
            shared.diagnostics.error("type-unknown", message, span, suggest(name, [*known, "player"]) or without)
        elif ("per", name) in declared.places:
            shared.names.note(declared.places["per", name], sym)
        types.append(sym.type if sym is not None else ty.ERROR)
    if ty.PLAYER in types[1:]:
        others = [name for name in per if name != "player"]
        hint = f"write `per: [player, {', '.join(others)}]`"
        span = declared.places.get(("per", "player"), declared.span)
        shared.diagnostics.error("index-order", "`player` comes first among the indices", span, hint)
        types.sort(key=lambda t: t != ty.PLAYER)
    return tuple(types)


def _kind(shared: Shared, name: str, span: Span) -> KindSym | None:
    """Return the kind of this name; of a name that is not known, which is reported, the kind that it is nearest to."""
    kinds = shared.checked.kinds
    if name not in kinds:
        report_unknown(shared, "kind", name, span, suggest(name, kinds))
    return kinds.get(name) or kinds.get(nearest(name, kinds))


def _zones(shared: Shared) -> None:
    """Declare the zones, each with its kind and the types of its index."""
    for declared in shared.checked.ruleset.zones:
        per = _index_types(shared, declared)
        holds = declared.places.get(("holds", declared.holds))
        kind = _kind(shared, declared.holds, holds or declared.span)
        if kind is not None and holds is not None:
            shared.names.note(holds, kind)
        sym = ZoneSym(declared.name, kind.name if kind is not None else "", per, declared.span, declared)
        if kind is None:
            # What stands for it is of no type, so that its uses raise no further errors.
            nothing = VariableSym(declared.name, ty.ERROR, per, declared.span, "all")
            shared.names.declare(declared.name, nothing, declared.span)
            continue
        shared.names.declare(declared.name, sym, declared.span)
        kind.zones.append(sym)
        shared.checked.zones.append(sym)
        _seen_by_owner(shared, sym, declared, "use `count`, `top`, `all` or `nobody`, or `per: player`")
    for sym in shared.checked.zones:
        if sym.decl.capacity is not None:
            sym.capacity = constant_value(shared, sym.decl.capacity, ty.NumberT(0), f"the capacity of `{sym.name}`")
        if sym.decl.refill is not None:
            _refill(shared, sym)


def _refill(shared: Shared, sym: ZoneSym) -> None:
    """Check the zone from which a pile is refilled."""
    refill = shared.names.get(sym.decl.refill or "", sym.decl.places.get(("refill", sym.decl.refill or "")))
    if isinstance(refill, VariableSym) and refill.type == ty.ERROR:
        return  # a zone that holds an unknown kind, of which enough was said
    if not isinstance(refill, ZoneSym) or refill.kind != sym.kind or refill.per != sym.per or not sym.decl.laid.ends:
        hint = suggest(sym.decl.refill or "", [z.name for z in shared.checked.zones])
        message = f"a pile is refilled from a zone of the same kind and indices; `{sym.decl.refill}` is none"
        span = sym.decl.places.get(("refill", sym.decl.refill or ""), sym.span)
        shared.diagnostics.error("zone-refill", message, span, hint)


def _beside(shared: Shared, sym: ZoneSym) -> None:
    """Check what says along which side of the only board the places of a zone are drawn."""
    name, _, attribute = sym.decl.beside.partition(".")
    variable = shared.names.get(name)
    span = sym.decl.places.get(("beside", sym.decl.beside), sym.span)
    if isinstance(variable, VariableSym) and variable.per == (ty.PLAYER,):
        type_ = ty.bare(variable.type)
        enum = shared.type_sym(type_.name) if isinstance(type_, ty.EnumT) and attribute else None
        if (enum.attributes.get(attribute) if enum is not None else type_) == ty.DIRECTION:
            if len(sym.per) != 3 or sym.per[0] != ty.PLAYER or len(shared.checked.ruleset.grids) != 1:
                message = f"`{sym.name}` can't lie beside a board"
                hint = "such a zone is `per: [player, T, U]`, and there is one grid"
                shared.diagnostics.error("grid-none", message, span, hint)
            return
    known = [v.name for v in shared.checked.variables if v.per == (ty.PLAYER,)]
    message = f"`{sym.decl.beside}` is not a direction that each player has"
    near = suggest(name, known) if name not in known else ""
    hint = near or "name a variable `per: player` of type `Direction`, or an attribute of its value"
    shared.diagnostics.error("type-mismatch", message, span, hint)


def check_shown(shared: Shared) -> None:
    """Check the functions that tell of a piece where it lies: of the piece, of that place, of who reads."""
    for sym in shared.checked.zones:
        given = [ty.PieceT(sym.kind), *sym.per, ty.PLAYER]
        for name in sym.decl.shown:
            found = shared.names.get(name, sym.decl.places.get(("shown", name)))
            if isinstance(found, ProcedureSym) and found.pure and ty.fits(found.returns, ty.NumberT()):
                if all(type_ in given for _, type_ in found.params):
                    continue
            span = sym.decl.places.get(("shown", name), sym.span)
            message = f"`{name}` is no function that gives a number for a piece in `{sym.name}`"
            functions = [p.name for p in shared.checked.procedures if p.decl is not None and p.pure]
            hint = (suggest(name, functions) if found is None else "") or (
                f"its parameters may be of type {', '.join(dict.fromkeys(f'`{type_}`' for type_ in given))}"
            )
            shared.diagnostics.error("name-unknown" if found is None else "type-mismatch", message, span, hint)


def check_untold(shared: Shared) -> None:
    """Check the names of variables, marks and rules of which the log does not tell."""
    known = [sym.name for sym in shared.checked.variables if not sym.internal]
    known += [f"{sym.kind}.{sym.name}" for sym in shared.checked.piece_variables if not sym.internal]
    known += [sym.name for sym in shared.names.values() if isinstance(sym, ProcedureSym) and not sym.pure]
    for name, span in shared.checked.ruleset.untold.items():
        shared.names.get(name, span)
        if name not in known:
            message = f"there is no variable, mark or rule `{name}`"
            shared.diagnostics.error("ruleset-unknown-name", message, span, suggest(name, known))


def _kind_table(shared: Shared, declared: model.KindDecl) -> None:
    """Declare what the pieces of a kind have: attributes, variables, marks, zones where their rules are active."""
    sym = shared.checked.kinds[declared.name]
    for attribute in declared.attributes:
        sym.attributes[attribute.name] = _type_of(shared, attribute.type)
        shared.names.note(attribute.span, NamedMember("attribute", declared.name, attribute.name), declares=True)
    _distinct_members(shared, declared)
    carried = [_variable(shared, v, sym.name) for v in declared.variables]
    carried += [_mark(shared, mark, sym.name) for mark in declared.marks]
    sym.variables |= {variable.name: variable for variable in carried}
    for variable in carried:
        shared.names.note(variable.span, variable, declares=True)
    shared.checked.piece_variables += carried
    for name, span in declared.active:
        zone = shared.names.get(name, span)
        if isinstance(zone, VariableSym):
            continue
        if not isinstance(zone, ZoneSym) or zone.kind != declared.name:
            hint = suggest(name, [z.name for z in sym.zones])
            shared.diagnostics.error("name-unknown", f"`{name}` is not a zone that holds {declared.name}", span, hint)
            continue
        if zone.unseen:
            message = f"rule text can't be in force in `{name}`, where nobody may see it"
            hint = "declare the zone `visible: all`"
            shared.diagnostics.error("visibility-unseen", message, span, hint, [declared_visible(zone)])
        sym.active.append(zone)


def _distinct_members(shared: Shared, declared: model.KindDecl) -> None:
    """Report names that would have two meanings after the dot of a piece."""
    seen: dict[str, Span] = {}
    members: list[model.AttributeDecl | model.VariableDecl | model.MarkDecl] = [
        *declared.attributes,
        *declared.variables,
        *declared.marks,
    ]
    for member in members:
        if member.name == "owner":
            shared.diagnostics.error("name-reserved", "`owner` is a word of the language", member.span)
        elif member.name in seen:
            message = f"`{member.name}` is declared twice for {declared.name}"
            related = [(seen[member.name], "the first one")]
            shared.diagnostics.error("name-duplicate", message, member.span, "give one of them another name", related)
        seen.setdefault(member.name, member.span)


def _variable(shared: Shared, declared: model.VariableDecl, kind: str = "") -> VariableSym:
    """Declare a variable of the game, of players, or of a kind's pieces."""
    t = _type_of(shared, declared.type)
    if isinstance(t, ty.NumberT) and t == ty.NUMBER:
        shared.diagnostics.error("type-range", f"`{declared.name}` needs a range", declared.type.span, "write `0..99`")
    if isinstance(t, ty.CostT | ty.SetT | ty.ZoneT):
        hint = "store what it is made of, or make it a `function`"
        shared.diagnostics.error("type-stored", f"a {t} can't be stored", declared.type.span, hint)
        t = ty.ERROR
    sym = VariableSym(declared.name, t, _index_types(shared, declared), declared.span, declared.visible, declared, kind)
    _check_identity(shared, t, declared)
    _check_values(shared, sym, declared)
    _seen_by_owner(shared, sym, declared)
    return sym


def _seen_by_owner(
    shared: Shared, sym: VariableSym | ZoneSym, declared: model.VariableDecl | model.ZoneDecl, hint: str = ""
) -> None:
    """Report a variable or zone that only its owner sees or may count, or all others, but that belongs to no player;
    and one of which `size` says what can't be."""
    if sym.view.by_owner and not sym.owned and ty.ERROR not in sym.per:
        key, said = ("size", declared.size) if declared.size == "owner" else ("visible", declared.visible)
        message = f"`{sym.name}` belongs to no player, so it can't be `{key}: {said}`"
        span = declared.places.get((key, said), declared.span)
        shared.diagnostics.error("visibility-owner", message, span, hint)
    elif declared.size and isinstance(sym, VariableSym) and not isinstance(sym.type, ty.BagT | ty.ErrorT):
        message = f"`{sym.name}` is a {sym.type}, so there is nothing to count"
        _no_size(shared, declared, message, "`size` is of zones and of bags; take it away")
    elif declared.size not in ("", "all") and (seen := VIEWS[declared.visible]).counts and not seen.private:
        message = f"`{sym.name}` is `visible: {declared.visible}`, so all can count it"
        _no_size(shared, declared, message, "take `size` away, or let not all see it: `visible: nobody`")


def _no_size(shared: Shared, declared: model.VariableDecl | model.ZoneDecl, message: str, hint: str) -> None:
    """Report a `size` that means nothing."""
    span = declared.places.get(("size", declared.size), declared.span)
    shared.diagnostics.error("visibility-size", message, span, hint)


def _check_identity(shared: Shared, t: ty.Type, declared: model.VariableDecl) -> None:
    """Report a variable that refers to a piece of a kind without identity."""
    piece = ty.bare(t)
    if not isinstance(piece, ty.PieceT):
        return
    span = declared.type.span
    if not shared.kind(piece.kind).identity:
        message = f"a variable can store a {piece} only if {piece} has identity"
        shared.diagnostics.error("identity-needed", message, span, f"add `identity: true` to the kind {piece}")
    elif not isinstance(t, ty.OptionalT) and declared.start is None:
        message = f"nothing says which {piece} `{declared.name}` holds at first"
        shared.diagnostics.error("type-stored", message, span, f'write "{piece}?": it may be absent')


def _check_values(shared: Shared, sym: VariableSym, declared: model.VariableDecl) -> None:
    """Report a variable without a start whose type has no value in some game; where there is one for each value of the
    type, there is no variable either."""
    values = shared.values_of(sym.type)
    if values is None or declared.start is not None or sym.type in sym.per or fewest_values(shared, values):
        return
    message = f"in some games there is no {sym.type}, so nothing says what `{sym.name}` holds at first"
    shared.diagnostics.error("type-stored", message, declared.type.span, f'write "{sym.type}?": it may be absent')


def _piece(shared: Shared, declared: model.PieceDecl) -> None:
    """Declare a row of a kind."""
    kind = _kind(shared, declared.kind, declared.kind_span)
    if kind is None:
        return
    if declared.id in (RESERVED_VALUES if kind.identity else FIXED):
        shared.names.refuse(declared.id, declared.span)
    kind.definitions.append(DefinitionSym(declared.id, kind.name, len(kind.definitions), declared))
    shared.names.note(declared.kind_span, kind)
    shared.names.note(declared.span, kind.definitions[-1], declares=True)
