"""Types as written, and values that must be known before a game starts."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from operator import is_

from rulelang.diagnostics import Span, suggest
from rulelang.languages import codes, folded, language
from rulelang.ruleset.senses import VALUES, sense_of
from rulelang.semantics.tree import types as ty
from rulelang.semantics.tree.core import CExpr, Local, subexpressions
from rulelang.semantics.tree.shared import Shared, const
from rulelang.semantics.tree.symbols import KindSym, ProcedureSym, TypeSym
from rulelang.semantics.tree.uses import NamedMember
from rulelang.semantics.typing.context import Context
from rulelang.semantics.typing.paths import attributes_of
from rulelang.syntax import ast
from rulelang.vocabulary.operations import BINDING, FOLDED, expressions

KNOWN = FOLDED - BINDING - expressions(lambda op: "grid" in op.shape)
"""Operations of constants: no loop, for whose element they have no local, and nothing of grids, made of constants."""
# Types of other languages, in small letters -> what is written here.
OTHER_TYPES = {
    **dict.fromkeys(("int", "integer", "float", "double"), "a range such as `0..99`, or `number` for a parameter"),
    "boolean": "`bool`",
    **dict.fromkeys(("str", "string", "text"), "a type of your own with the words that it may be (`types:`)"),
    **dict.fromkeys(("list", "array"), "`list of …`"),
    **dict.fromkeys(("void", "nothing", "none", "null", "unit"), "no `->`: a rule without it gives nothing"),
}


@cache
def _foreign_types() -> tuple[dict[str, str], ...]:
    """Return for each language what types are called in it, without accents, with their names in `OTHER_TYPES`."""
    return tuple(language(code).texts("syntax").get("TYPES", {}) for code in codes())


def report_unknown(shared: Shared, sort: str, name: str, span: Span, hint: str) -> None:
    """Report a name of no type or kind: where it is declared, if that begins with a small letter and this does not."""
    named = (s for s in shared.names.values() if isinstance(s, TypeSym | KindSym) and s.name[0].islower())
    declared = next((s for s in named if s.name.lower() == name.lower()), None)
    message = f"there is no {sort} `{name}`"
    if declared is not None and name[0].isupper():
        message, hint = f"`{declared.name}` is called `{name}` elsewhere", f"did you mean `{name}`?"
        span = declared.span
    shared.diagnostics.error("type-unknown", message, span, hint)


def resolve_type(shared: Shared, node: ast.TypeNode) -> ty.Type:
    """Return the type that was written, or an error."""
    match node:
        case ast.NamedType(name=name):
            simple = {"number": ty.NUMBER, "bool": ty.BOOL, "player": ty.PLAYER, "Direction": ty.DIRECTION}.get(name)
            if simple is not None:
                return simple
            sym = shared.names.get(name, node.span)
            if isinstance(sym, TypeSym):
                return sym.type
            if isinstance(sym, KindSym):
                return ty.PieceT(sym.name)
            known = [s.name for s in shared.names.values() if isinstance(s, TypeSym | KindSym)]
            hint = suggest(name, [*known, "number", "bool", "player", "Direction"])
            called = next((own[word] for own in _foreign_types() if (word := folded(name)) in own), name.lower())
            if called in OTHER_TYPES:
                hint = f"write {OTHER_TYPES[called]}"
            elif sense_of(name, ("player",), VALUES):
                hint = "write `player`"
            report_unknown(shared, "type", name, node.span, hint)
            return ty.ERROR
        case ast.RangeType(low=low, high=high):
            if low > high:
                message, hint = f"the range {low}..{high} holds no number", f"write `{high}..{low}`"
                shared.diagnostics.error("type-range", message, node.span, hint)
            return ty.NumberT(min(low, high), max(low, high))
        case ast.BagType(resource=name) | ast.CostType(resource=name):
            end = node.span.end_column
            sym = shared.names.get(name, replace(node.span, column=end - len(name)))
            if not (isinstance(sym, TypeSym) and sym.category == "resource"):
                known = [s.name for s in shared.names.values() if isinstance(s, TypeSym) and s.category == "resource"]
                message = f"there is no resource type `{name}`"
                shared.diagnostics.error("type-unknown", message, node.span, suggest(name, known))
                return ty.ERROR
            return ty.BagT(name) if isinstance(node, ast.BagType) else ty.CostT(name)
        case ast.SetType(element=element):
            return ty.SetT(resolve_type(shared, element))
        case ast.GroupType(element=element, attribute=attribute):
            t = resolve_type(shared, ast.NamedType(element.span, element.text))
            known = attributes_of(shared, t)
            shared.names.note(attribute.span, NamedMember("attribute", str(t), attribute.text))
            if not isinstance(t, ty.ErrorT) and attribute.text not in known:
                message = f"a {t} has no attribute `{attribute.text}`"
                shared.diagnostics.error("attribute-unknown", message, attribute.span, suggest(attribute.text, known))
                return ty.ERROR
            return ty.GroupT(t, attribute.text)
        case ast.OptionalType(inner=inner):
            t = resolve_type(shared, inner)
            if not ty.is_scalar(t):
                message = f"a {t} can't be absent (it can be empty)"
                shared.diagnostics.error("type-optional", message, node.span, "take the `?` away")
                return t
            return ty.optional(t)
    raise AssertionError(f"no rule for {type(node).__name__}")


class Row(dict[str, CExpr]):
    """The attributes of a row so far, by name.

    Attributes:
        locals: what stands for them in expressions, by name. by_local: their values by that.
    """

    def __init__(self) -> None:
        super().__init__()
        self.locals: dict[str, Local] = {}
        self.by_local: dict[Local, CExpr] = {}

    def __setitem__(self, name: str, value: CExpr) -> None:
        """Add an attribute."""
        super().__setitem__(name, value)
        local = self.locals[name] = Local(name, value.type, value.span)
        self.by_local[local] = value


def constant(shared: Shared, name: str, span: Span, row: Row | None = None) -> Context:
    """Return the context of one expression that must not depend on the state; it may name the attributes of its
    `row`."""
    c = Context(shared, ProcedureSym(name, "constant", (), ty.VOID, span, hidden_you=False), constant=True)
    if row:
        c.layers[-1].update(row.locals)
        c.row = row.by_local
    return c


def stateless(c: Context, value: CExpr) -> CExpr:
    """Return the expression with the values of its row in place of their names, or an error if it reads the state."""
    return _stateless(c, _with_row_values(c, value) if c.row else value)


def is_stateless(value: CExpr) -> bool:
    """Return whether the expression is known before the game starts, wherever it stands."""
    return all(part.op in KNOWN and part.op != "local" for part in subexpressions(value))


def _with_row_values(c: Context, value: CExpr) -> CExpr:
    """Return an expression with the attributes of a row (`c.row`) in place of the locals that name them."""
    if value.op == "local" and value.args[0] in c.row:
        return replace(c.row[value.args[0]], span=value.span)
    args = tuple([_with_row_values(c, arg) if isinstance(arg, CExpr) else arg for arg in value.args])
    return value if all(map(is_, args, value.args)) else CExpr(value.op, value.type, args, value.span)


def _stateless(c: Context, value: CExpr) -> CExpr:
    """Return an expression that reads no state, or an error."""
    if isinstance(value.type, ty.ErrorT):
        return value
    if value.op not in KNOWN:
        hint = "use numbers, options and `count(players)` here, or set it in `setup:`"
        return c.error("constant-state", "this must be known before the game starts", value.span, hint)
    for arg in value.args:
        if isinstance(arg, CExpr) and isinstance(_stateless(c, arg).type, ty.ErrorT):
            return const(0, ty.ERROR, value.span)
    return value
