"""What sort of thing a value is, as far as a sentence must know: a player, a number, pieces of a kind.

Enters: a written ruleset and expressions of the syntax tree, checked or not. Leaves: `Sort`s; where the text does not
tell, `UNKNOWN`, for which sentences have a neutral wording.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from rulelang.diagnostics import Diagnostics
from rulelang.ruleset.model import (
    GridDecl,
    KindDecl,
    MarkDecl,
    ResourceDecl,
    Text,
    TypeDecl,
    VariableDecl,
    WrittenRuleset,
    ZoneDecl,
)
from rulelang.syntax import ast, parse_rule_file, parse_rule_text, parse_type
from rulelang.syntax.scan import Place
from rulelang.vocabulary.operations import EXPRESSIONS
from rulelang.vocabulary.types import ANY

SEAT_NOUNS = {
    "players": "player", "everyone": "everyone", "parties": "party",
    "others": "other", "opponents": "opponent", "teammates": "teammate",
}  # fmt: skip
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
        """The sort of one element of a collection."""
        return replace(self, many=False)

    @property
    def all(self) -> Sort:
        """The sort of a collection of these."""
        return replace(self, many=True)

    @property
    def is_goods(self) -> bool:
        """Whether values are a single bag or cost."""
        return self.what in ("bag", "cost") and not self.many

    @property
    def is_simple(self) -> bool:
        """Whether values are numbers, truth values or the like, for which `that NOUN` is no fitting phrase."""
        return self.what in ("number", "bool", "unknown", "group") and not self.many


UNKNOWN = Sort("unknown")
PLAYER, NUMBER, BOOL = Sort("player"), Sort("number"), Sort("bool")
DIRECTION = Sort("direction")
SORTS: dict[type[ast.Node], Sort] = {
    **dict.fromkeys((ast.Number, ast.Negative, ast.Roll), NUMBER),
    **dict.fromkeys((ast.Truth, ast.Compare, ast.Not, ast.Member, ast.Is, ast.CanPay), BOOL),
    ast.Possible: BOOL,
    ast.Choose: NUMBER,
}
"""Class of expressions -> the sort of all of them (of a choice: of those whose domain does not tell)."""
LIKE = {
    ast.Where: "collection",
    ast.Ranked: "collection",
    ast.Sorted: "collection",
    ast.Index: "object",
    ast.Comprehension: "body",
}
"""Class of expressions -> the part that is of the same sort."""
CALLS = {
    **dict.fromkeys(("sum", "total_score", "rank", "mean", "seen"), NUMBER),
    "shared_ranks": NUMBER.all,
    "seat": PLAYER,
}
"""Function of the language -> the sort of what it gives, where no operation of its name says it."""
RESULTS = {"int": NUMBER, "bool": BOOL, "dir": DIRECTION, "seat": PLAYER}
"""Type of what an operation gives, or of its elements -> their sort."""

Procedure = ast.Rule | ast.Giving | ast.Event | ast.Ability | ast.ExchangeGroup


class Nouns:
    """What the names of a ruleset stand for."""

    def __init__(self, ruleset: WrittenRuleset) -> None:
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
        self.touching = {attribute.name for owner in owners for attribute in owner.attributes if attribute.board}
        self.places: dict[str, ZoneDecl | VariableDecl | MarkDecl] = {**self.zones, **self.variables, **self.marks}
        self.declarations = _declarations(ruleset)
        self.procedures: dict[str, Procedure] = {d.name.text: d for d in self.declarations if isinstance(d, Procedure)}
        self.sorts = self._sorts()

    def _sorts(self) -> dict[str, Sort]:
        """Return the sort of each declared name; later categories in the table take precedence."""
        options = {"number": "number", "bool": "bool"}
        return {
            **{name: self._named(name).all for name in (*self.kinds, *self.types, *self.resources, *self.grids)},
            **{name: self.returns(name) for name in self.procedures},
            **{name: Sort("piece", row.kind) for name, row in self.rows.items()},
            **{name: Sort("value", of) for name, of in (*self.values.items(), *self.goods.items())},
            **{name: Sort("value", of, True) for name, of in self.classes.items()},
            **{name: Sort(options.get(option.kind, "value")) for name, option in self.options.items()},
            **dict.fromkeys(self.marks, BOOL),
            **{name: self.variable(declared) for name, declared in self.variables.items()},
            **{name: Sort("piece", zone.holds, True) for name, zone in self.zones.items()},
            **dict.fromkeys(DIRECTIONS, DIRECTION),
            **dict.fromkeys(DIRECTION_SETS, DIRECTION.all),
            **dict.fromkeys(("you", "next", "previous", "owner", *self.automata), PLAYER),
            **dict.fromkeys(SEAT_NOUNS, PLAYER.all),
        }

    # ---- types

    def of_type(self, node: ast.TypeNode | None) -> Sort:
        """Return the sort of a type node."""
        match node:
            case ast.OptionalType():
                return self.of_type(node.inner)
            case ast.SetType():
                return self.of_type(node.element).all
            case ast.GroupType():
                return self._named(node.element.text).all
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
        """Return the sort of a type in the DSL text of a YAML value."""
        return self.of_type(parse_type(Place.of(text.span, text.indent), text.text, Diagnostics()))

    def _named(self, name: str) -> Sort:
        """Return the sort of a named type."""
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
        """Return the sort of an expression; `local` returns the sorts of local names, None for others."""

        def of(inner: ast.Expr) -> Sort:
            return self.of(inner, local)

        if (like := LIKE.get(type(node))) is not None:
            return of(getattr(node, like))
        match node:
            case ast.NameExpr():
                return local(node.name) or self._name(node.name)
            case ast.Amount():
                names = [name.text for name in node.names]
                resource = next((self.goods.get(n) or self.classes.get(n) or n for n in names), "")
                resource = of(node.goods[0]).name if node.goods else resource
                what = "bag" if node.mode == "plain" or len(node.goods) == 1 else "cost"
                return Sort(what, resource if resource in self.resources else "")
            case ast.Arithmetic():
                left, right = of(node.left), of(node.right)
                return right if left == UNKNOWN or (node.op == "*" and left == NUMBER) else left
            case ast.Logic():
                return left if (left := of(node.left)).what in ("bag", "cost") else BOOL
            case ast.Conditional(then=first, otherwise=second) | ast.Otherwise(value=first, default=second):
                sort = of(first)
                return sort if sort != UNKNOWN else of(second)
            case ast.Grouped():
                return of(node.collection).all
            case ast.EndOf():
                return replace(of(node.collection), many=node.count is not None)
            case ast.CellOf():
                return self.only_grid
            case ast.Attribute():
                return self.attribute(of(node.object), node.name.text)
            case ast.Call():
                return self._call(node, of)
            case ast.SetLiteral():
                return of(node.elements[0]).all if node.elements else UNKNOWN
            case ast.Lookup():
                return of(node.entries[0][1])
            case ast.Choose(domain=ast.OneOf(collection=collection)) | ast.RandomOf(count=None, collection=collection):
                among = of(collection)
                return Sort("value", among.name) if among.is_goods else among.one
            case ast.Choose(domain=ast.SomeOf(collection=collection)) | ast.RandomOf(collection=collection):
                return of(collection)
        return SORTS.get(type(node), UNKNOWN)

    @property
    def only_grid(self) -> Sort:
        """The sort of cells, if the ruleset has one grid."""
        return Sort("cell", next(iter(self.grids))) if self.grids else UNKNOWN

    def variable(self, declared: VariableDecl | MarkDecl) -> Sort:
        """Return the sort of the value of a variable or mark."""
        return BOOL if isinstance(declared, MarkDecl) else self.of_text(declared.type)

    def attribute(self, owner: Sort, name: str) -> Sort:
        """Return the sort of an attribute of a value, or of a collection's elements."""
        sort = self._attribute(owner.one, name)
        return sort.all if owner.many else sort

    def _attribute(self, owner: Sort, name: str) -> Sort:
        """Return the sort of an attribute of a single value."""
        if owner.what in ("player", "unknown") or name == "owner":
            if name == "seat":
                return NUMBER
            if (sort := self._name(name)) != UNKNOWN:
                return sort
        if owner.what in ("bag", "cost") or (owner.what == "cell" and name in ("column", "row")):
            return NUMBER
        if name == "players":
            return PLAYER.all
        if name in self.attributes.get(owner.name, {}):
            return self.of_text(self.attributes[owner.name][name])
        return self.variable(self.carried[name]) if name in self.carried else UNKNOWN

    def _name(self, name: str) -> Sort:
        """Return the sort of a declared name, or of a cell name such as `a1`."""
        if name in self.sorts:
            return self.sorts[name]
        return self.only_grid if len(name) <= 3 and name[-1:].isdigit() and self.grids else UNKNOWN

    def returns(self, name: str) -> Sort:
        """Return the sort of a procedure's result."""
        return self.of_type(getattr(self.procedures.get(name), "returns", None))

    def params(self, name: str) -> list[tuple[str, Sort]]:
        """Return names and sorts of a procedure's parameters; empty for other names."""
        declared = self.procedures.get(name)
        return [(p.name.text, self.of_type(p.type)) for p in declared.params] if declared is not None else []

    def is_done(self, name: str) -> bool:
        """Return whether a name is a rule or ability, whose call has effects."""
        return isinstance(self.procedures.get(name), ast.Rule | ast.Ability)

    def is_event(self, name: str) -> bool:
        """Return whether a name is an event, whose call returns whether it came about."""
        return isinstance(self.procedures.get(name), ast.Event)

    def _call(self, node: ast.Call, of: Callable[[ast.Expr], Sort]) -> Sort:
        """Return the sort of a call's result."""
        name = node.function.text
        if name in self.procedures:
            return self.returns(name)
        if name in CALLS:
            return CALLS[name]
        if name in ("edge", "corner"):
            parts = (grid.edges if name == "edge" else grid.corners for grid in self.grids.values())
            return next((Sort("value", part.name) for part in parts if part is not None), UNKNOWN)
        if name == "neighbours" and (around := of(node.arguments[0])).what == "value":
            return around.all
        result = EXPRESSIONS[name].result if name in EXPRESSIONS else ANY
        sort = self.only_grid if result.core.kind == "cell" else RESULTS.get(result.core)
        if sort is not None:
            return sort.all if result.kind == "set" else sort
        first = of(node.arguments[0]) if node.arguments else UNKNOWN
        return first.all if name in ("distinct", "each", "reachable", "runs", "subsets") else UNKNOWN

    # ---- who owns what

    def per(self, name: str) -> tuple[str, ...]:
        """Return the sorts of the indices of a zone, variable or mark."""
        return self.places[name].per if name in self.places else ()

    def is_own(self, name: str) -> bool:
        """Return whether each player has a zone, variable or mark of this name."""
        return self.per(name)[:1] == ("player",)


def _declarations(ruleset: WrittenRuleset) -> tuple[ast.Declaration, ...]:
    """Return the declarations of all rule files; of equal names only that of the highest layer."""
    declarations: list[ast.Declaration] = []
    for file in sorted(ruleset.rule_files, key=lambda file: file.layer):
        if file.text is None:
            declarations += parse_rule_file(file.source, Diagnostics())
        else:
            declarations += parse_rule_text(Place.of(file.text.span, file.text.indent), file.text.text, Diagnostics())
    return tuple(declarations)
