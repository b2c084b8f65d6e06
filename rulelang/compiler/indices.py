"""Symbols to table indices, types to type strings, spans to sites: what every part of the lowering asks."""

from __future__ import annotations

from rulelang.diagnostics import Span
from rulelang.ir.nodes import Expr
from rulelang.ir.program import Site
from rulelang.ir.types import absent, core_type
from rulelang.semantics import symbols as s
from rulelang.semantics import types as t
from rulelang.semantics.core import CExpr, Local


def type_string(type_: t.Type) -> str:
    """The IR's name of a type."""
    match type_:
        case t.NumberT():
            return "int"
        case t.BoolT():
            return "bool"
        case t.EnumT(name=name):
            return f"enum:{name}"
        case t.PlayerT():
            return "seat"
        case t.CellT(grid=grid):
            return f"cell:{grid}"
        case t.DirectionT():
            return "dir"
        case t.PieceT(kind=kind):
            return f"piece:{kind}"
        case t.ZoneT():
            return "zone"
        case t.PurseT(resource=resource):
            return f"set<purse:{resource}>"
        case t.BagT(resource=resource):
            return f"bag:{resource}"
        case t.CostT(resource=resource):
            return f"cost:{resource}"
        case t.PaymentT(resource=resource):
            return f"payment:{resource}"
        case t.ReactionT():
            return "reaction"
        case t.SetT(element=element):
            return f"set<{type_string(element)}>"
        case t.GroupT(element=element, key=key):
            return f"group<{type_string(key)},{type_string(element)}>"
        case t.SeatsT(element=element):
            return f"seats<{type_string(element)}>"
        case t.OptionalT(inner=inner):
            return f"opt<{type_string(inner)}>"
        case t.VoidT():
            return "void"
    raise AssertionError(f"a {type_} has no place in a program")


class Indices:
    """Positions of symbols in the program's tables, and the growing table of sites."""

    def __init__(self, checked: s.Checked) -> None:
        self.checked = checked
        self.enums = [x for x in checked.types if x.category != "grid"]
        self.grids = [x for x in checked.types if x.category == "grid"]
        self.kinds = list(checked.kinds.values())
        self._index: dict[object, int] = {}
        tables: tuple[list[object], ...] = (
            list(self.enums),
            list(self.grids),
            list(self.kinds),
            list(checked.zones),
            list(checked.variables),
            list(checked.piece_variables),
            list(checked.options),
            list(checked.procedures),
        )
        for table in tables:
            for i, symbol in enumerate(table):
                self._index[symbol] = i
        for kind in self.kinds:
            for definition in kind.definitions:
                self._index[definition] = definition.index
        self.sites: list[Site] = [Site("", "", 0, 0)]
        self._sites: dict[Site, int] = {self.sites[0]: 0}

    def of(self, symbol: object) -> int:
        return self._index[symbol]

    def site(self, rule: str, span: Span, citations: tuple[str, ...], piece: str = "") -> int:
        """The number of a site, a new one if need be."""
        site = Site(rule, span.path, span.line, span.column, citations, piece)
        found = self._sites.get(site)
        if found is None:
            found = self._sites[site] = len(self.sites)
            self.sites.append(site)
        return found

    def expr(self, expr: CExpr, slots: dict[Local, int], site: int = 0) -> Expr:
        """The IR expression, locals as slots and symbols as indices."""
        args: list[Expr | int | str] = []
        for arg in expr.args:
            if isinstance(arg, CExpr):
                args.append(self.expr(arg, slots, site))
            elif isinstance(arg, Local):
                args.append(slots[arg])
            elif isinstance(arg, int | str):
                args.append(arg)
            else:
                args.append(self.of(arg))
        type_ = type_string(expr.type)
        if expr.op == "purse":
            type_ = core_type(type_)
        if expr.op == "const" and type_.startswith("opt<"):
            args = [absent(type_)]
        return Expr(expr.op, type_, tuple(args), site)
