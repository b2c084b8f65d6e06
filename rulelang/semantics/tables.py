"""The nouns: what the YAML declares becomes symbols with resolved types and constant values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rulelang.diagnostics import Span, suggest
from rulelang.ruleset.model import (
    AttributeDecl,
    KindDecl,
    MarkDecl,
    PieceDecl,
    Text,
    TypeDecl,
    ValueDecl,
    VariableDecl,
    ZoneDecl,
)
from rulelang.semantics.base import Shared, const, declared_unseen
from rulelang.semantics.constants import Constant, resolve_type
from rulelang.semantics.core import CExpr, Local
from rulelang.semantics.statements import Statements
from rulelang.semantics.symbols import (
    BUILTIN_NAMES,
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
from rulelang.semantics.types import (
    BOOL,
    ERROR,
    NUMBER,
    PLAYER,
    VOID,
    BagT,
    CellT,
    CostT,
    EnumT,
    ErrorT,
    NumberT,
    OptionalT,
    PieceT,
    SetT,
    Type,
    ZoneT,
    bare,
)
from rulelang.syntax import ast
from rulelang.syntax.parser import parse_expression, parse_type
from rulelang.syntax.words import FIXED, KEYWORDS, RESERVED_VALUES

SUGGESTED = 20
"""For so many rows a name is looked for that may have been meant, since looking takes long among many."""


class Tables:
    """Builds all symbols of the YAML, in the order in which they need one another."""

    def __init__(self, shared: Shared) -> None:
        self.shared = shared
        self.checked = shared.checked
        self.ruleset = shared.checked.ruleset
        self.names = shared.names
        self.diagnostics = shared.diagnostics
        self.new_rows: dict[Span, str] = {}

    def build(self) -> None:
        self.options()
        for declared in self.ruleset.types:
            self.enumeration(declared)
        for resource in self.ruleset.resources:
            self.resource(resource.name, resource.values, resource.classes, resource.span)
        for grid in self.ruleset.grids:
            sym = TypeSym(grid.name, "grid", CellT(grid.name), grid.span, tuple(c.name for c in grid.cells))
            self.names.declare(grid.name, sym, grid.span)
            self.checked.types.append(sym)
            for i, cell in enumerate(grid.cells):
                self.declare_cell(cell, sym, i)
        for kind in self.ruleset.kinds:
            made = KindSym(kind.name, kind.span, kind.identity or bool(kind.variables) or bool(kind.marks))
            self.names.declare(kind.name, made, kind.span)
            self.checked.kinds[kind.name] = made
        self.automata()
        self.type_attributes()
        self.zones()
        for kind in self.ruleset.kinds:
            self.kind(kind)
        for variable in self.ruleset.variables:
            sym2 = self.variable(variable, "")
            self.names.declare(variable.name, sym2, variable.span)
            self.checked.variables.append(sym2)
        for mark in self.ruleset.marks:
            marked = VariableSym(mark.name, NumberT(0), self.index_types(mark), mark.span, "all", mark, mark=True)
            self.names.declare(mark.name, marked, mark.span)
            self.checked.variables.append(marked)
        for piece in self.ruleset.pieces:
            self.piece(piece)
        self.values()

    # ---- types

    def options(self) -> None:
        for index, option in enumerate(self.ruleset.options):
            del index
            t: Type
            if option.kind == "bool":
                t = BOOL
            elif option.kind == "number":
                numbers = [int(v) for v in option.values]
                t = NumberT(min(numbers), max(numbers))
            else:
                t = EnumT(option.name)
                words = tuple(str(v) for v in option.values)
                self.checked.types.append(TypeSym(option.name, "option", t, option.span, words))
                for i, word in enumerate(words):
                    known = self.names.get(word)
                    if not isinstance(known, ValueSym):
                        self.names.declare(word, ValueSym(word, t, i, option.span), option.span)
            sym = OptionSym(option.name, t, option, option.span)
            self.names.declare(option.name, sym, option.span)
            self.checked.options.append(sym)

    def enumeration(self, declared: TypeDecl) -> None:
        sym = TypeSym(
            declared.name, "enum", EnumT(declared.name), declared.span, tuple(v.name for v in declared.values)
        )
        if declared.between is not None:
            sym.category = "between"
            for count in self.ruleset.players:
                if isinstance(declared.between, dict):
                    sym.between[count] = declared.between.get(count, ())
                else:
                    pairs = (
                        [(s, (s + 1) % count) for s in range(count)] if count > 2 else [(0, 1)] if count == 2 else []
                    )
                    sym.between[count] = tuple(pairs)
            sym.attributes["players"] = SetT(PLAYER, 1)
        self.names.declare(declared.name, sym, declared.span)
        self.checked.types.append(sym)
        for i, value in enumerate(declared.values):
            self.names.declare(value.name, ValueSym(value.name, sym.type, i, value.span), value.span)

    def resource(self, name: str, values: Sequence[ValueDecl], classes: dict[str, tuple[str, ...]], span: Span) -> None:
        sym = TypeSym(name, "resource", EnumT(name), span, tuple(v.name for v in values))
        self.names.declare(name, sym, span)
        self.checked.types.append(sym)
        for i, value in enumerate(values):
            self.names.declare(value.name, ValueSym(value.name, sym.type, i, value.span), value.span, KEYWORDS)
        for class_name, members in classes.items():
            indices = tuple(sym.values.index(member) for member in members)
            self.names.declare(class_name, ClassSym(class_name, EnumT(name), indices, span), span, KEYWORDS)

    def declare_cell(self, cell: ValueDecl, sym: TypeSym, index: int) -> None:
        if self.names.get(cell.name) is None:
            self.names.declare(cell.name, ValueSym(cell.name, sym.type, index, cell.span), cell.span)

    def automata(self) -> None:
        for index, automaton in enumerate(self.ruleset.automata):
            sym = AutomatonSym(automaton.name, index, tuple(automaton.players), automaton.span)
            self.names.declare(automaton.name, sym, automaton.span)
            self.checked.automata.append(sym)

    def type_of(self, text: Text) -> Type:
        s = text.span
        node = parse_type(s.source, text.text, s.line, s.column, text.indent, self.diagnostics) if s.source else None
        return resolve_type(self.shared, node) if node is not None else ERROR

    def type_attributes(self) -> None:
        """Attributes of the values of types and of cells: types first, then values."""
        declared: list[tuple[str, Sequence[AttributeDecl], Sequence[ValueDecl]]] = [
            *((t.name, t.attributes, t.values) for t in self.ruleset.types),
            *((r.name, r.attributes, r.values) for r in self.ruleset.resources),
            *((g.name, g.attributes, g.cells) for g in self.ruleset.grids),
        ]
        for name, attributes, values in declared:
            sym = self.shared.type_sym(name)
            if sym is None:
                continue
            for attribute in attributes:
                if sym.category == "grid" and attribute.name in ("column", "row"):
                    message = f"every cell has a `{attribute.name}` already"
                    self.diagnostics.error("name-reserved", message, attribute.span, "choose another name")
                sym.attributes[attribute.name] = self.type_of(attribute.type)
            for attribute in attributes:
                t = sym.attributes[attribute.name]
                column = []
                for value in values:
                    text = value.attributes.get(attribute.name)
                    if text is None:
                        column.append(self.missing(t, f"`{value.name}` has no `{attribute.name}`", value.span))
                    else:
                        column.append(self.constant(text, t, f"`{attribute.name}` of `{value.name}`"))
                sym.attribute_values[attribute.name] = column

    def missing(self, t: Type, message: str, span: Span) -> CExpr:
        if not isinstance(t, OptionalT | ErrorT):
            hint = ""
            if (new := self.ruleset.beside.get(span)) is not None and len(self.new_rows) < SUGGESTED:
                if self.new_rows.get(span):
                    return const(-1, t, span)  # hardly a row of its own: what else it lacks need not be said
                hint = self.new_rows[span] = new.hint()
            self.diagnostics.error("attribute-missing", message, span, hint or "give it, or let its type end in `?`")
        return const(-1, t, span)

    # ---- constants

    def expression(self, text: Text) -> ast.Expr | None:
        s = text.span
        return (
            parse_expression(s.source, text.text, s.line, s.column, text.indent, self.diagnostics) if s.source else None
        )

    def constant(self, text: Text, t: Type, what: str, row: Mapping[str, CExpr] | None = None) -> CExpr:
        """A value known before the game starts, of type `t`; it may name the attributes of its `row`."""
        node = self.expression(text)
        if node is None:
            return const(0, ERROR, text.span)
        checker = Constant(self.shared, what, text.span)
        if isinstance(bare(t), ErrorT):
            return const(0, ERROR, text.span)
        if isinstance(node, ast.NameExpr) and self.no_value(node.name, t, row or {}, text.span):
            return const(0, ERROR, text.span)
        checker.know(row or {})
        value = checker.stateless(checker.known(checker.value(node, t, what)))
        plain = bare(t)
        if isinstance(plain, NumberT) and isinstance(value.type, NumberT):
            if value.type.high < plain.low or value.type.low > plain.high:
                shown = str(value.type).removeprefix("number ")
                self.diagnostics.error("range-outside", f"{what} is {shown}, outside {plain}", text.span)
        return value

    def no_value(self, name: str, t: Type, row: Mapping[str, CExpr], span: Span) -> bool:
        """Whether a word is none of the values of a type, nor anything else; then it is a finding."""
        plain = bare(t)
        sym = self.shared.type_sym(plain.name) if isinstance(plain, EnumT) else None
        if sym is None or name in row or name in BUILTIN_NAMES or self.names.get(name) is not None or name == "none":
            return False
        hint = suggest(name, sym.values) or f"its values are {', '.join(sym.values)}"
        self.diagnostics.error("name-unknown", f"`{name}` is not a {plain}", span, hint)
        return True

    # ---- zones, kinds, variables

    def index_types(self, declared: MarkDecl | VariableDecl | ZoneDecl) -> tuple[Type, ...]:
        per = declared.per
        found: list[Type] = []
        for name in per:
            if name == "player":
                found.append(PLAYER)
                continue
            sym = self.shared.type_sym(name)
            if sym is None or sym.category == "option":
                known = [s.name for s in self.names.values() if isinstance(s, TypeSym)]
                message = f"`{name}` is not a type with a list of values"
                span = declared.places.get(("per", name), declared.span)
                self.diagnostics.error("type-unknown", message, span, suggest(name, [*known, "player"]))
            found.append(sym.type if sym is not None else ERROR)
        if PLAYER in found[1:]:
            others = [name for name in per if name != "player"]
            hint = f"write `per: [player, {', '.join(others)}]`"
            span = declared.places.get(("per", "player"), declared.span)
            self.diagnostics.error("index-order", "`player` comes first among the indices", span, hint)
            found.sort(key=lambda t: t != PLAYER)
        return tuple(found)

    def zones(self) -> None:
        for declared in self.ruleset.zones:
            per = self.index_types(declared)
            sym = ZoneSym(declared.name, declared.holds, per, declared.span, declared)
            kind = self.checked.kinds.get(declared.holds)
            if kind is None:
                hint = suggest(declared.holds, self.checked.kinds)
                span = declared.places.get(("holds", declared.holds), declared.span)
                self.diagnostics.error("type-unknown", f"there is no kind `{declared.holds}`", span, hint)
                # What stands for it is of no type, so that its uses raise no further errors.
                nothing = VariableSym(declared.name, ERROR, per, declared.span, "all")
                self.names.declare(declared.name, nothing, declared.span)
                continue
            self.names.declare(declared.name, sym, declared.span)
            kind.zones.append(sym)
            self.checked.zones.append(sym)
            owned = bool(sym.per) and sym.per[0] == PLAYER
            if declared.visible in ("owner", "others") and not owned and ERROR not in sym.per:
                message = f"`{sym.name}` belongs to no player, so it can't be `visible: {declared.visible}`"
                self.diagnostics.error(
                    "visibility-owner",
                    message,
                    declared.places.get(("visible", declared.visible), declared.span),
                    "use `count`, `top`, `all` or `nobody`, or `per: player`",
                )
        for sym in self.checked.zones:
            if sym.decl.capacity is not None:
                sym.capacity = self.constant(sym.decl.capacity, NumberT(0), f"the capacity of `{sym.name}`")
            if sym.decl.refill is not None:
                self.refill(sym)

    def refill(self, sym: ZoneSym) -> None:
        other = self.names.get(sym.decl.refill or "")
        if isinstance(other, VariableSym) and other.type == ERROR:
            return  # a zone that holds an unknown kind, of which enough was said
        if not isinstance(other, ZoneSym) or other.kind != sym.kind or other.per != sym.per or sym.decl.order != "pile":
            hint = suggest(sym.decl.refill or "", [z.name for z in self.checked.zones])
            message = f"a pile is refilled from a zone of the same kind and indices; `{sym.decl.refill}` is none"
            span = sym.decl.places.get(("refill", sym.decl.refill or ""), sym.span)
            self.diagnostics.error("zone-refill", message, span, hint)

    def kind(self, declared: KindDecl) -> None:
        sym = self.checked.kinds[declared.name]
        for attribute in declared.attributes:
            sym.attributes[attribute.name] = self.type_of(attribute.type)
        self.distinct_members(declared)
        for variable in declared.variables:
            made = self.variable(variable, declared.name)
            sym.variables[variable.name] = made
            self.checked.piece_variables.append(made)
        for mark in declared.marks:
            marked = VariableSym(mark.name, NumberT(0), (), mark.span, "all", mark, declared.name, mark=True)
            sym.variables[mark.name] = marked
            self.checked.piece_variables.append(marked)
        for name, span in declared.active:
            zone = self.names.get(name)
            if isinstance(zone, VariableSym):
                continue
            if not isinstance(zone, ZoneSym) or zone.kind != declared.name:
                hint = suggest(name, [z.name for z in sym.zones])
                self.diagnostics.error("name-unknown", f"`{name}` is not a zone that holds {declared.name}", span, hint)
                continue
            if zone.unseen:
                message = f"rule text can't be in force in `{name}`, where nobody may see it"
                self.diagnostics.error(
                    "visibility-unseen", message, span, "declare the zone `visible: all`", [declared_unseen(zone)]
                )
            sym.active.append(zone)

    def distinct_members(self, declared: KindDecl) -> None:
        """What stands after the dot of a piece has one meaning."""
        seen: dict[str, Span] = {}
        members: tuple[AttributeDecl | VariableDecl | MarkDecl, ...] = (
            *declared.attributes,
            *declared.variables,
            *declared.marks,
        )
        for member in members:
            if member.name == "owner":
                self.diagnostics.error("name-reserved", "`owner` is a word of the language", member.span)
            elif member.name in seen:
                message = f"`{member.name}` is declared twice for {declared.name}"
                related = [(seen[member.name], "the first one")]
                self.diagnostics.error("name-duplicate", message, member.span, "give one of them another name", related)
            seen.setdefault(member.name, member.span)

    def variable(self, declared: VariableDecl, kind: str) -> VariableSym:
        t = self.type_of(declared.type)
        if isinstance(t, NumberT) and t == NUMBER:
            self.diagnostics.error(
                "type-range", f"`{declared.name}` needs a range", declared.type.span, "write `0..99`"
            )
        if isinstance(t, CostT | SetT | ZoneT):
            hint = "store what it is made of, or make it a `function`"
            self.diagnostics.error("type-stored", f"a {t} can't be stored", declared.type.span, hint)
            t = ERROR
        sym = VariableSym(
            declared.name,
            t,
            self.index_types(declared),
            declared.span,
            declared.visible,
            declared,
            kind,
        )
        self.check_identity(t, declared)
        owned = bool(sym.per) and sym.per[0] == PLAYER
        if declared.visible in ("owner", "others") and not owned and ERROR not in sym.per:
            message = f"`{declared.name}` belongs to no player, so it can't be `visible: {declared.visible}`"
            span = declared.places.get(("visible", declared.visible), declared.span)
            self.diagnostics.error("visibility-owner", message, span)
        return sym

    def check_identity(self, t: Type, declared: VariableDecl) -> None:
        piece = t.inner if isinstance(t, OptionalT) else t
        if isinstance(piece, PieceT):
            kind = self.checked.kinds[piece.kind]
            if not kind.identity:
                message = f"a variable can store a {piece} only if {piece} has identity"
                self.diagnostics.error(
                    "identity-needed", message, declared.type.span, f"add `identity: true` to the kind {piece}"
                )
            elif not isinstance(t, OptionalT) and declared.start is None:
                message = f"nothing says which {piece} `{declared.name}` holds at first"
                self.diagnostics.error(
                    "type-stored", message, declared.type.span, f'write "{piece}?": it may be absent'
                )

    # ---- pieces

    def piece(self, declared: PieceDecl) -> None:
        kind = self.checked.kinds.get(declared.kind)
        if kind is None:
            hint = suggest(declared.kind, self.checked.kinds)
            self.diagnostics.error("type-unknown", f"there is no kind `{declared.kind}`", declared.kind_span, hint)
            return
        if declared.id in (RESERVED_VALUES if kind.identity else FIXED):
            self.names.refuse(declared.id, declared.span)
        kind.definitions.append(DefinitionSym(declared.id, declared.kind, len(kind.definitions), declared))

    def values(self) -> None:
        """What may use any name: attribute values, counts, starts, start values, capacities of bags."""
        kinds = {k.name: k for k in self.ruleset.kinds}
        for kind in self.checked.kinds.values():
            declared = kinds[kind.name]
            for sym in kind.definitions:
                d = sym.decl
                row: dict[str, CExpr] = {}
                for name, t in kind.attributes.items():
                    text = d.attributes.get(name)
                    if text is None:
                        row[name] = self.missing(t, f"`{sym.id}` has no `{name}`", d.span)
                    else:
                        row[name] = self.constant(text, t, f"`{name}` of `{sym.id}`", row)
                sym.attributes.extend(row.values())
                whose = f"`{sym.id}`" if d.count != declared.count else kind.name
                sym.count = self.constant(d.count, NumberT(0, 1000), f"the count of {whose}", row)
                self.start(sym, kind, d.start or declared.start, row)

        for variable in [*self.checked.variables, *self.checked.piece_variables]:
            self.variable_values(variable)

    def nowhere(self, sym: DefinitionSym, kind: KindSym) -> None:
        """One finding for all rows of a kind that start nowhere: mostly it is the kind that should say it."""
        rows = [d for d in kind.definitions if d.decl.start is None and d.decl.count.text != "0"]
        if not rows or sym is not rows[0]:
            return
        others = f" (nor {', '.join(f'`{d.id}`' for d in rows[1:6])}{', …' if len(rows) > 6 else ''})"
        message = f"nothing says in which zone `{sym.id}` starts" + (others if rows[1:] else "")
        hint = f"add `start: ZONE` to the kind {kind.name}" + ("" if rows[1:] else " or to the row")
        self.diagnostics.error("piece-start", message, sym.decl.span, hint)

    def start(self, sym: DefinitionSym, kind: KindSym, text: Text | None, row: Mapping[str, CExpr]) -> None:
        if text is None:
            self.nowhere(sym, kind)
            return
        node = self.expression(text)
        if node is None:
            return
        if isinstance(node, ast.NameExpr) and self.names.get(node.name) is None and node.name not in row:
            known = [zone.name for zone in self.checked.zones if zone.kind == kind.name]
            hint = suggest(node.name, known) or f"zones of {kind.name}: {', '.join(known)}" if known else ""
            self.diagnostics.error("name-unknown", f"there is no zone `{node.name}`", text.span, hint)
            return
        checker = Constant(self.shared, f"the start of `{sym.id}`", text.span)
        if sym.decl.per_player:
            seat = Local("you", PLAYER, text.span)
            sym.start_seat = seat
            checker.you = checker.read(seat)
        checker.know(row)
        zone = checker.stateless(checker.known(checker.zone_place(node, "where a piece starts")))
        if isinstance(zone.type, ZoneT) and zone.type.kind != kind.name:
            self.diagnostics.error("type-mismatch", f"this zone holds {zone.type.kind}, not {kind.name}", text.span)
        sym.start = zone

    def variable_values(self, sym: VariableSym) -> None:
        d = sym.decl
        if not isinstance(d, VariableDecl) or isinstance(sym.type, ErrorT):
            return
        if d.start is not None:
            node = self.expression(d.start)
            if node is not None:
                checker = Constant(self.shared, f"the start of `{sym.name}`", d.start.span)
                indices = tuple(Local(f"index{i}", t, d.start.span) for i, t in enumerate(sym.per))
                sym.start_indices = indices
                if sym.per and sym.per[0] == PLAYER:
                    checker.you = checker.read(indices[0])
                value = checker.expr(node, sym.type)
                if bare(sym.type) == PLAYER and isinstance(value.type, NumberT) and value.op == "const":
                    value = self.first_seat(value)
                value = checker.fit(value, sym.type, f"the start of `{sym.name}`")
                sym.start = checker.stateless(value)
                self.start_range(sym, value)
        for key, text in d.capacity.items():
            if not isinstance(sym.type, BagT):
                message = f"only bags have a capacity, and `{sym.name}` is a {sym.type}"
                self.diagnostics.error("capacity-type", message, d.span, "the range of a number is its bound")
                break
            self.capacity(sym, key, text)

    def first_seat(self, value: CExpr) -> CExpr:
        """The number of a seat as that seat."""
        assert isinstance(value.type, NumberT)
        fewest = min(self.ruleset.players)
        if not 0 <= value.type.low < fewest:
            message = f"there is no seat {value.type.low} with {fewest} players"
            self.diagnostics.error("range-outside", message, value.span, f"seats are 0 to {fewest - 1}")
            return CExpr("const", ERROR, (0,), value.span)
        return CExpr("const", PLAYER, value.args, value.span)

    def start_range(self, sym: VariableSym, value: CExpr) -> None:
        t = bare(sym.type)
        if isinstance(t, NumberT) and isinstance(value.type, NumberT):
            if value.type.high < t.low or value.type.low > t.high:
                start = str(value.type).removeprefix("number ")
                message = f"`{sym.name}` starts at {start}, outside {t}"
                self.diagnostics.error("range-outside", message, value.span, "mend one of the two")

    def capacity(self, sym: VariableSym, key: str, text: Text) -> None:
        node = self.expression(text)
        if node is None:
            return
        checker = Statements(
            self.shared, ProcedureSym(f"capacity of {sym.name}", "constant", (), VOID, text.span, hidden_you=False)
        )
        indices = sym.capacity_indices or tuple(Local(f"index{i}", t, text.span) for i, t in enumerate(sym.per))
        if sym.per and sym.per[0] == PLAYER:
            checker.you = checker.read(indices[0])
        value = checker.value(node, NUMBER, f"the capacity of `{sym.name}`")
        if isinstance(value.type, NumberT) and value.type.high < 0:
            self.diagnostics.error("range-outside", f"the capacity of `{sym.name}` is {value.type}", text.span)
        sym.capacity_indices = indices
        if key == "each":
            sym.each = value
        elif key == "total":
            sym.total = value
        else:
            res = self.shared.type_sym(sym.type.resource) if isinstance(sym.type, BagT) else None
            if res is None or key not in res.values:
                hint = suggest(key, [*(res.values if res else ()), "each", "total"])
                self.diagnostics.error(
                    "resource-unknown", f"`{key}` is not a resource of `{sym.name}`", text.span, hint
                )
                return
            sym.limits[res.values.index(key)] = value
