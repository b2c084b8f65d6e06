"""What sort of thing a value is, as far as a sentence must know: a player, a number, pieces of a kind.

Enters: a written ruleset and expressions of the syntax tree, checked or not. Leaves: `Sort`s; where the text does not
tell, `UNKNOWN`, for which sentences have a neutral wording.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from rulelang.diagnostics import Diagnostics
from rulelang.ruleset.model import (
    GridDecl,
    KindDecl,
    MarkDecl,
    ResourceDecl,
    Ruleset,
    Text,
    TypeDecl,
    VariableDecl,
    ZoneDecl,
)
from rulelang.syntax import ast, parse_rule_file, parse_rule_text, parse_type

SEATS = frozenset("players everyone parties others opponents teammates".split())
SEAT_CALLS = frozenset(("players_from", "players_after"))
DIRECTIONS = frozenset("north northeast east southeast south southwest west northwest".split())
DIRECTION_SETS = frozenset(("Direction", "orthogonal", "diagonal"))


@dataclass(frozen=True)
class Sort:
    """`what`: player, number, bool, value, cell, direction, piece, bag, cost or unknown; `name`: of which type.

    `many`: several of them.
    """

    what: str
    name: str = ""
    many: bool = False

    @property
    def one(self) -> Sort:
        """The sort of an element."""
        return replace(self, many=False)

    @property
    def all(self) -> Sort:
        """The sort of a collection of these."""
        return replace(self, many=True)


UNKNOWN = Sort("unknown")
PLAYER, NUMBER, BOOL = Sort("player"), Sort("number"), Sort("bool")
DIRECTION = Sort("direction")

Procedure = ast.Rule | ast.Giving | ast.Event | ast.Ability | ast.ExchangeGroup


class Nouns:
    """What the names of a ruleset stand for."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset
        self.kinds: dict[str, KindDecl] = {kind.name: kind for kind in ruleset.kinds}
        self.zones: dict[str, ZoneDecl] = {zone.name: zone for zone in ruleset.zones}
        self.variables: dict[str, VariableDecl] = {v.name: v for v in ruleset.variables}
        self.marks: dict[str, MarkDecl] = {mark.name: mark for mark in ruleset.marks}
        self.options = {option.name: option for option in ruleset.options}
        self.automata = {automaton.name for automaton in ruleset.automata}
        self.resources = {resource.name: resource for resource in ruleset.resources}
        self.classes = {name: r.name for r in ruleset.resources for name in r.classes}
        self.goods = {value.name: r.name for r in ruleset.resources for value in r.values}
        self.grids = {grid.name: grid for grid in ruleset.grids}
        self.types = {type_.name: type_ for type_ in ruleset.types}
        self.values = {value.name: type_.name for type_ in ruleset.types for value in type_.values}
        self.rows = {row.id: row for row in ruleset.pieces}
        self.carried: dict[str, VariableDecl | MarkDecl] = {}
        for kind in ruleset.kinds:
            self.carried |= {variable.name: variable for variable in kind.variables}
            self.carried |= {mark.name: mark for mark in kind.marks}
        owners: list[KindDecl | TypeDecl | ResourceDecl | GridDecl] = [
            *ruleset.kinds, *ruleset.types, *ruleset.resources, *ruleset.grids
        ]  # fmt: skip
        self.attributes: dict[str, dict[str, Text]] = {
            owner.name: {attribute.name: attribute.type for attribute in owner.attributes} for owner in owners
        }
        self.declarations = _declarations(ruleset)
        self.procedures: dict[str, Procedure] = {d.name.text: d for d in self.declarations if isinstance(d, Procedure)}

    # ---- types

    def of_type(self, node: ast.TypeNode | None) -> Sort:
        """The sort of a declared type."""
        match node:
            case ast.OptionalType():
                return self.of_type(node.inner)
            case ast.SetType():
                return self.of_type(node.element).all
            case ast.BagType():
                return Sort("bag", node.resource)
            case ast.CostType():
                return Sort("cost", node.resource)
            case ast.RangeType():
                return NUMBER
            case ast.NamedType():
                return self._named(node.name)
        return UNKNOWN

    def of_text(self, text: Text) -> Sort:
        """The sort of a type that stands in YAML."""
        span = text.span
        assert span.source is not None
        return self.of_type(parse_type(span.source, text.text, span.line, span.column, text.indent, Diagnostics()))

    def _named(self, name: str) -> Sort:
        if name in ("number", "bool", "player"):
            return Sort(name)
        if name == "Direction":
            return DIRECTION
        if name in self.grids:
            return Sort("cell", name)
        if name in self.kinds:
            return Sort("piece", name)
        if name in self.types or name in self.resources:
            return Sort("value", name)
        return UNKNOWN

    # ---- values

    def of(self, node: ast.Expr, local: Callable[[str], Sort | None]) -> Sort:
        """The sort of an expression; `local` knows the names of this place, `it`, `this` and `owner` among them."""

        def of(inner: ast.Expr) -> Sort:
            return self.of(inner, local)

        match node:
            case ast.NameExpr():
                return local(node.name) or self._name(node.name)
            case ast.Number() | ast.Negative() | ast.Roll():
                return NUMBER
            case ast.Truth() | ast.Compare() | ast.Logic() | ast.Not() | ast.Member() | ast.Has() | ast.Is():
                return BOOL
            case ast.CanPay() | ast.Possible():
                return BOOL
            case ast.Amount():
                return self._amount(node)
            case ast.Arithmetic():
                left, right = of(node.left), of(node.right)
                return right if left == UNKNOWN or (node.op == "*" and left == NUMBER) else left
            case ast.Conditional():
                then = of(node.then)
                return then if then != UNKNOWN else of(node.otherwise)
            case ast.Otherwise():
                value = of(node.value)
                return value if value != UNKNOWN else of(node.default)
            case ast.Where() | ast.Ranked():
                return of(node.collection)
            case ast.Grouped():
                return of(node.collection).all
            case ast.EndOf():
                return of(node.collection).all if node.count is not None else of(node.collection).one
            case ast.CellOf():
                return self.only_grid
            case ast.Attribute():
                return self.attribute(of(node.object), node.name.text)
            case ast.Index():
                return of(node.object)
            case ast.Comprehension():
                return of(node.body)
            case ast.Call():
                return self._call(node, of)
            case ast.SetLiteral():
                return of(node.elements[0]).all if node.elements else UNKNOWN
            case ast.Lookup():
                return of(node.entries[0][1])
            case ast.Choose():
                return self._chosen(node.domain, of)
            case ast.RandomOf():
                found = of(node.collection)
                return found.one if node.count is None else found
        return UNKNOWN

    @property
    def only_grid(self) -> Sort:
        """The cells, if there is one grid."""
        return Sort("cell", next(iter(self.grids))) if self.grids else UNKNOWN

    def variable(self, declared: VariableDecl | MarkDecl) -> Sort:
        """The sort of what a variable or mark holds."""
        return BOOL if isinstance(declared, MarkDecl) else self.of_text(declared.type)

    def attribute(self, owner: Sort, name: str) -> Sort:
        """The sort of an attribute; of a collection, of all its elements' attributes."""
        found = self._attribute(owner.one, name)
        return found.all if owner.many else found

    def _attribute(self, owner: Sort, name: str) -> Sort:
        if owner.what in ("player", "unknown") or name == "owner":
            if name in SEATS:
                return PLAYER.all
            if name in ("next", "previous", "owner"):
                return PLAYER
            if name == "seat":
                return NUMBER
            if (found := self._name(name)) != UNKNOWN:
                return found
        if owner.what in ("bag", "cost"):
            return NUMBER
        if owner.what == "cell" and name in ("column", "row"):
            return NUMBER
        if name == "players":
            return PLAYER.all
        if name in self.attributes.get(owner.name, {}):
            return self.of_text(self.attributes[owner.name][name])
        if name in self.carried:
            return self.variable(self.carried[name])
        return UNKNOWN

    def _name(self, name: str) -> Sort:
        if name in SEATS:
            return PLAYER.all
        if name in ("you", "next", "previous", "owner") or name in self.automata:
            return PLAYER
        if name in DIRECTION_SETS:
            return DIRECTION.all
        if name in DIRECTIONS:
            return DIRECTION
        if name in self.zones:
            return Sort("piece", self.zones[name].holds, True)
        if name in self.variables:
            return self.variable(self.variables[name])
        if name in self.marks:
            return BOOL
        if name in self.options:
            return Sort({"number": "number", "bool": "bool"}.get(self.options[name].kind, "value"))
        if name in self.classes:
            return Sort("value", self.classes[name], True)
        if name in self.goods:
            return Sort("value", self.goods[name])
        if name in self.values:
            return Sort("value", self.values[name])
        if name in self.rows:
            return Sort("piece", self.rows[name].kind)
        if name in self.procedures:
            return self._returns(name)
        named = self._named(name)
        if named.what in ("value", "cell"):
            return named.all
        return self.only_grid if len(name) <= 3 and name[-1:].isdigit() and self.grids else UNKNOWN

    def _returns(self, name: str) -> Sort:
        found = self.procedures[name]
        if isinstance(found, ast.Event | ast.ExchangeGroup):
            return UNKNOWN
        return self.of_type(found.returns)

    def _amount(self, node: ast.Amount) -> Sort:
        names = [name.text for name in node.names]
        resource = next((self.goods.get(n) or self.classes.get(n) or n for n in names), "")
        return Sort("bag" if node.mode == "plain" else "cost", resource if resource in self.resources else "")

    def _call(self, node: ast.Call, of: Callable[[ast.Expr], Sort]) -> Sort:
        name = node.function.text
        if name in self.procedures:
            return self._returns(name)
        first = of(node.arguments[0]) if node.arguments else UNKNOWN
        if name in ("count", "sum", "abs", "distance", "min", "max", "total_score"):
            return first.one if name in ("min", "max") else NUMBER
        if name in ("any", "all", "on_edge", "alike"):
            return BOOL
        if name == "seat" or name in SEAT_CALLS:
            return PLAYER if name == "seat" else PLAYER.all
        if name in ("toward", "cell_at"):
            return self.only_grid
        if name in ("ray", "neighbours", "region", "lines"):
            return self.only_grid.all
        if name in ("direction", "opposite"):
            return DIRECTION
        if name == "numbers":
            return NUMBER.all
        return first.all if name in ("distinct", "each") else UNKNOWN

    def _chosen(self, domain: ast.Domain, of: Callable[[ast.Expr], Sort]) -> Sort:
        match domain:
            case ast.OneOf():
                return of(domain.collection).one
            case ast.OneNumber():
                return NUMBER
            case ast.OneValue():
                return self._named(domain.type.text)
            case ast.SomeOf():
                return of(domain.collection)

    # ---- who owns what

    def per(self, name: str) -> tuple[str, ...]:
        """What there is one of a zone, variable or mark for."""
        found: Mapping[str, ZoneDecl | VariableDecl | MarkDecl] = {**self.zones, **self.variables, **self.marks}
        return found[name].per if name in found else ()


def _declarations(ruleset: Ruleset) -> tuple[ast.Declaration, ...]:
    """The declarations of the rule files; of two of one name that of the highest layer."""
    found: list[ast.Declaration] = []
    for file in sorted(ruleset.rule_files, key=lambda file: file.layer):
        if file.text is None:
            found += parse_rule_file(file.source, Diagnostics())
        else:
            span = file.text.span
            found += parse_rule_text(
                file.source, file.text.text, span.line, span.column, file.text.indent, Diagnostics()
            )
    return tuple(found)
