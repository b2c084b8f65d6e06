"""Symbols to table indices, types to those of the IR, spans to sites: what every part of the lowering asks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from rulelang.diagnostics import Span
from rulelang.ir.nodes import Expr
from rulelang.ir.program import Site
from rulelang.semantics.tree import symbols as s
from rulelang.semantics.tree import types as t
from rulelang.semantics.tree.core import CExpr, Local
from rulelang.vocabulary.types import Type

FORMS = {
    t.NumberT: "int",
    t.BoolT: "bool",
    t.EnumT: "enum:{name}",
    t.PlayerT: "seat",
    t.CellT: "cell:{grid}",
    t.DirectionT: "dir",
    t.PieceT: "piece:{kind}",
    t.ZoneT: "zone",
    t.PurseT: "set<purse:{resource}>",
    t.BagT: "bag:{resource}",
    t.CostT: "cost:{resource}",
    t.PaymentT: "payment:{resource}",
    t.ReactionT: "reaction",
    t.SetT: "set<{element}>",
    t.GroupT: "set<{element}>",
    t.SeatsT: "seats<{collected}>",
    t.OptionalT: "opt<{inner}>",
    t.VoidT: "void",
}


@lru_cache(maxsize=1 << 12)
def ir_type(type_: t.Type) -> Type:
    """Return the IR's type of a type of the checked tree."""
    inside = vars(type_) | ({"collected": type_.collected} if isinstance(type_, t.SeatsT) else {})
    parts = {name: ir_type(part) if isinstance(part, t.Type) else part for name, part in inside.items()}
    return Type(FORMS[type(type_)].format(**parts))


class Indices:
    """Positions of symbols in the program's tables, and the growing table of sites."""

    def __init__(
        self, checked: s.Checked, procedures: Sequence[s.ProcedureSym], levels: Sequence[s.VariableSym] = ()
    ) -> None:
        """Number all symbols; `levels` are variables besides those of the checked tree."""
        self.checked = checked
        self.variables = [*checked.variables, *levels]
        self.enums = [x for x in checked.types if x.category != "grid"]
        self.grids = [x for x in checked.types if x.category == "grid"]
        self.kinds = list(checked.kinds.values())
        self._index: dict[object, int] = {}
        named = (self.enums, self.grids, self.kinds, checked.options, procedures)
        placed = (checked.zones, self.variables, checked.piece_variables)
        for table in (*named, *placed):
            self._index.update((symbol, i) for i, symbol in enumerate(table))
        for kind in self.kinds:
            for definition in kind.definitions:
                self._index[definition] = definition.index
        self.sites: list[Site] = [Site("", "", 0, 0)]
        self._sites: dict[Site, int] = {self.sites[0]: 0}

    def of(self, symbol: object) -> int:
        """Return the index of a symbol in its table."""
        return self._index[symbol]

    def site(self, rule: str, span: Span, citations: tuple[str, ...], piece: str = "") -> int:
        """Return the index of a site in the table of sites; a new site is appended."""
        site = Site(rule, span.path, span.line, span.column, citations, piece)
        number = self._sites.get(site)
        if number is None:
            number = self._sites[site] = len(self.sites)
            self.sites.append(site)
        return number

    def immediate(self, arg: object, slots: dict[Local, int]) -> int | str:
        """Return an argument that is no expression: the slot of a local, a number or text, the index of a symbol."""
        if isinstance(arg, Local):
            return slots[arg]
        return arg if isinstance(arg, int | str) else self.of(arg)

    def expr(self, expr: CExpr, slots: dict[Local, int], site: int = 0) -> Expr:
        """Return an expression of the checked tree in the IR, locals as their `slots` and symbols as table indices."""
        args = [
            self.expr(arg, slots, site) if isinstance(arg, CExpr) else self.immediate(arg, slots) for arg in expr.args
        ]
        type_ = ir_type(expr.type)
        if expr.op == "purse":
            type_ = type_.core
        if expr.op == "const" and type_.kind == "opt":
            args = [type_.absent]
        return Expr(expr.op, type_, tuple(args), site)
