"""What the checkers of all procedures of a ruleset share: the tables of its symbols, constants, the author's words."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from typing import TypeVar

from rulelang.diagnostics import Diagnostics, Span
from rulelang.ruleset.model import Text, VariableDecl, ZoneDecl, seen_by
from rulelang.semantics.tree.core import CExpr
from rulelang.semantics.tree.symbols import (
    Bodies,
    Checked,
    DefinitionSym,
    KindSym,
    LimitInfo,
    ProcedureSym,
    Secrets,
    SymbolTable,
    TypeSym,
    VariableSym,
    ZoneSym,
)
from rulelang.semantics.tree.types import ERROR, PLAYER, BagT, CellT, CostT, EnumT, NumberT, OptionalT, SetT, Type, bare
from rulelang.syntax import ast
from rulelang.syntax.scan import Place

LIMIT_MAX = 1_000_000
AMOUNT_MAX = 10**12
T = TypeVar("T")


@dataclass(frozen=True)
class CallEdge:
    """A call found while checking: caller, callee, and the `you` passed: `own` (the caller's), `given` or `none`."""

    caller: ProcedureSym
    callee: ProcedureSym
    you: str
    span: Span


@dataclass
class Shared:
    """What the checkers of all procedures of a ruleset share."""

    checked: Checked
    names: SymbolTable
    diagnostics: Diagnostics
    edges: list[CallEdge] = field(default_factory=list)
    phases: set[str] = field(default_factory=set)
    chosen: Mapping[str, int | bool | str] | None = None  # options of the game, where it is a certain one
    eliminates: bool = False
    # number of players -> how many pieces lie where at the start, and the zones of which that is not certain
    laid_out: dict[int, tuple[Mapping[tuple[ZoneSym, tuple[int, ...]], int], set[ZoneSym]]] = field(
        default_factory=dict
    )
    fewest: dict[str, int] = field(default_factory=dict)  # type -> how many values it surely has, where that was asked
    broken: set[str] = field(default_factory=set)
    idle: set[KindSym] = field(default_factory=set)  # kinds whose rule text is never in force, as has been said
    new_rows: dict[Span, str] = field(default_factory=dict)  # where a row lacks attributes: who is meant instead
    single: dict[str, Span] = field(default_factory=dict)  # where what may be declared once was first declared
    removed: dict[str, Span] = field(default_factory=dict)
    declared: list[tuple[ast.Declaration, tuple[DefinitionSym, ...]]] = field(default_factory=list)

    def limit(self, limit: ast.Limit | None, what: str) -> LimitInfo | None:
        """Return the hidden counter of a limit that was written."""
        if limit is None:
            return None
        number = len(self.checked.limits)
        counts = NumberT(0, LIMIT_MAX)
        variable = VariableSym(f"limit {number} {what}", counts, (PLAYER,), limit.span, "nobody", internal=True)
        info = LimitInfo(variable, limit.times, limit.scope)
        self.checked.variables.append(variable)
        self.checked.limits.append(info)
        return info

    def amounts(self, span: Span) -> VariableSym:
        """Return the hidden variable for what each party gets by `end the game with …`."""
        if self.checked.amounts is None:
            t = OptionalT(NumberT(-AMOUNT_MAX, AMOUNT_MAX))
            self.checked.amounts = VariableSym("amounts", t, (PLAYER,), span, "nobody", internal=True)
            self.checked.variables.append(self.checked.amounts)
        return self.checked.amounts

    def kind(self, name: str) -> KindSym:
        return self.checked.kinds[name]

    def type_sym(self, name: str) -> TypeSym | None:
        symbol = self.names.get(name)
        return symbol if isinstance(symbol, TypeSym) else None

    def values_of(self, t: Type) -> TypeSym | None:
        """Return the list of values that a type is."""
        return self.type_sym(t.name if isinstance(t, EnumT) else t.grid if isinstance(t, CellT) else "")

    def resource(self, t: Type) -> TypeSym | None:
        """Return the resource type that a bag, a cost or a value is of."""
        match bare(t):
            case BagT(resource=name) | CostT(resource=name) | EnumT(name=name):
                symbol = self.type_sym(name)
                return symbol if symbol and symbol.category == "resource" else None
        return None


@dataclass(frozen=True)
class Analysed:
    """A ruleset without errors: the checked tree with its names, all bodies, and what analyses found out of them."""

    shared: Shared
    bodies: Bodies
    secrets: Secrets

    @property
    def checked(self) -> Checked:
        """The checked tree."""
        return self.shared.checked

    def copy(self) -> Analysed:
        """Return a copy to which e.g. the texts of scenarios can be added; this one stays unchanged."""
        checked = _with_own_containers(self.checked)
        return replace(self, shared=_with_own_containers(self.shared, checked=checked), bodies=copy(self.bodies))


def _with_own_containers(table: T, **changes: object) -> T:
    """Return a copy of a table whose lists, dictionaries and sets are its own."""
    new = copy(table)
    for name, value in {**vars(table), **changes}.items():
        setattr(new, name, copy(value) if isinstance(value, (list, dict, set)) else value)
    return new


def parsed(parse: Callable[[Place, str, Diagnostics], T], text: Text, shared: Shared) -> T | None:
    """Parse a text of a YAML file. That a name can't be read which was refused where it is declared is not said
    again."""
    if not text.span.source:
        return None
    findings = Diagnostics(shared.diagnostics.names)
    node = parse(Place.of(text.span, text.indent), text.text, findings)
    if shared.names.refused.isdisjoint(re.findall(r"\w+", text.text)):
        shared.diagnostics.extend(findings)
    return node


def const(value: int, type: Type, span: Span) -> CExpr:
    """Return a constant of a scalar type."""
    return CExpr("const", type, (value,), span)


def number(value: int, span: Span) -> CExpr:
    """Return a constant number as an expression of the checked tree."""
    return const(value, NumberT(value, value), span)


def conjuncts(node: ast.Expr) -> list[ast.Expr]:
    """Return the parts of an `and`, so that a refusal can name the one that failed."""
    if isinstance(node, ast.Logic) and node.op == "and":
        return [*conjuncts(node.left), *conjuncts(node.right)]
    return [node]


def source_text(span: Span) -> str:
    """Return the author's own words at a place, on one line."""
    if span.source is None:
        return ""
    lines = list(span.source.lines[span.line - 1 : span.end_line])
    if not lines:
        return ""
    lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = lines[0][span.column - 1 :]
    return " ".join(part.strip() for part in lines)


def in_parentheses(span: Span) -> bool:
    """Return whether parentheses stand directly around a place."""
    lines = span.source.lines if span.source is not None else ()
    before = "".join(lines[: span.line - 1]) + lines[span.line - 1][: span.column - 1] if lines else ""
    after = lines[span.end_line - 1][span.end_column - 1 :] + "".join(lines[span.end_line :]) if lines else ""
    return before.rstrip().endswith("(") and after.lstrip().startswith(")")


def zone_symbol(zone: CExpr) -> ZoneSym | None:
    """Return the zone that an expression names directly; None for one that is computed."""
    return zone.args[0] if zone.op == "zone" and isinstance(zone.args[0], ZoneSym) else None


def declared_visible(sym: ZoneSym | VariableSym) -> tuple[Span, str]:
    """Return the second place of a finding about a zone or variable that not all see."""
    seen = sym.visible if not isinstance(sym.decl, ZoneDecl | VariableDecl) else seen_by(sym.decl)
    return sym.span, f"`{sym.name}` is `visible: {seen}`"


def element_type(collection: CExpr) -> Type:
    """Return the type of the elements of a collection."""
    return collection.type.element if isinstance(collection.type, SetT) else ERROR


def least_size(collection: CExpr) -> int:
    """Return a lower bound of the size of a collection."""
    return collection.type.least if isinstance(collection.type, SetT) else 0


def never_within(value: Type, target: Type) -> bool:
    """Return whether a number is outside a range for certain."""
    if not isinstance(value, NumberT) or not isinstance(target, NumberT):
        return False
    return value.high < target.low or value.low > target.high
