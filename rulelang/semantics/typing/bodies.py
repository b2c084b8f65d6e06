"""Procedures and their bodies, and the tables of what declares and what checks each class of declarations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rulelang.diagnostics import Span
from rulelang.registry import registering
from rulelang.semantics.analysis.flow import walk
from rulelang.semantics.tree import core
from rulelang.semantics.tree.core import MANY, Body, CExpr, CReturn, CStatement, times_read
from rulelang.semantics.tree.shared import Shared
from rulelang.semantics.tree.symbols import DefinitionSym, ProcedureSym, cite_texts
from rulelang.semantics.tree.types import PLAYER, ErrorT, OptionalT, PieceT, Type, VoidT
from rulelang.semantics.typing.constants import resolve_type
from rulelang.semantics.typing.context import Context
from rulelang.syntax import ast

Definitions = tuple[DefinitionSym, ...]
"""The pieces whose rule text it is, or none."""
Params = tuple[tuple[str, Type], ...]
Handle = Callable[[Shared, Any, Definitions], None]

NAMES: dict[type[ast.Declaration], Handle] = {}
"""Class of declarations -> what makes its names, parameters and results known."""
BODIES: dict[type[ast.Declaration], Handle] = {}
"""Class of declarations -> what checks its body, when all names are known."""
declares, checks = registering(NAMES), registering(BODIES)


def always_returns(statements: Sequence[CStatement]) -> bool:
    """Return whether every path through the statements ends with a `return`, the end of the game, or `never`."""
    for s in statements:
        if isinstance(s, core.CReturn | core.CEnd | core.CNever):
            return True
        if isinstance(s, core.CIf) and always_returns(s.then) and always_returns(s.otherwise):
            return True
        if isinstance(s, core.CStep) and always_returns(s.body):
            return True
        if isinstance(s, core.CLoop) and not breaks(s.body, s.label):
            return True
        if isinstance(s, core.CChoose) and s.items and all(always_returns(i.body) for i in s.items):
            if s.otherwise is None or always_returns(s.otherwise):
                return True
    return False


def breaks(statements: Sequence[CStatement], label: str) -> bool:
    """Return whether something inside leaves the block called `label`."""
    return any(isinstance(s, core.CBreak) and s.label == label for s in walk(statements))


def params_of(shared: Shared, params: Sequence[ast.Param]) -> Params:
    """Return the parameters of a declaration, as declared."""
    return tuple((p.name.text, resolve_type(shared, p.type)) for p in params)


def names_of(params: Sequence[ast.Param]) -> list[ast.Name]:
    """Return the author's names of parameters."""
    return [p.name for p in params]


def new_procedure(
    shared: Shared,
    name: str,
    category: str,
    params: Params,
    returns: Type,
    span: Span,
    citations: Sequence[ast.Citation] = (),
    definitions: Definitions = (),
) -> ProcedureSym:
    """Return a procedure without a name of its own in the ruleset; what cites nothing itself stands where its piece
    does."""
    cites = cite_texts(citations) or shared.checked.row_citations(definitions)
    piece = definitions[0].id if definitions else ""
    sym = ProcedureSym(name, category, params, returns, span, None, cites, piece=piece)
    shared.checked.procedures.append(sym)
    return sym


def piece_params(definitions: Definitions) -> Params:
    """Return the parameters that precede the declared ones in a procedure of a piece."""
    return (("this", PieceT(definitions[0].kind)), ("owner", PLAYER)) if definitions else ()


def context_of(
    shared: Shared,
    sym: ProcedureSym,
    names: Sequence[ast.Name | None] = (),
    definitions: Definitions = (),
    span: Span | None = None,
) -> Context:
    """Return the context of a body: its parameters under the author's names; what a piece does has `this` and
    `owner`."""
    c, span = Context(shared, sym), span or sym.span
    if sym.hidden_you:
        you = c.new_local("you", PLAYER, span)
        sym.body.parameters.append(you)
        c.you = c.read(you)
    skip = len(piece_params(definitions))
    for i, (name, t) in enumerate(sym.params):
        author_name = names[i - skip] if skip <= i < skip + len(names) else None
        sym.body.parameters.append(c.declare(author_name, t) if author_name is not None else c.new_local(name, t, span))
    if definitions:
        c.this = c.read(sym.body.parameters[1])
        if owned(shared, definitions[0]):
            c.owner = c.read(sym.body.parameters[2])
    return c


def owned(shared: Shared, definition: DefinitionSym) -> bool:
    """Return whether a piece whose text is in force surely has an owner."""
    kind = shared.kind(definition.kind)
    return kind.per_player or (bool(kind.active) and all(zone.owned for zone in kind.active))


def gives(
    c: Context, value: ast.Expr | ast.Block, what: str, span: Span | None = None, lets: Sequence[ast.Let] = ()
) -> None:
    """Check a body that only returns a value; `what` is what the author calls it. A block that can be one expression
    becomes one: then more is known of it where it is called."""
    if isinstance(value, ast.Block):
        with c.within(only_gives=True):
            does(c, value)
    else:
        with c.within(only_gives=bool(lets)):
            named = c.statements(lets)
            result = CReturn(span or value.span, c.ranged(value, c.procedure.returns, what))
        c.body.statements = (*named, result)
    whole = _as_value(c.body, c.body.statements) if len(c.body.statements) > 1 else None
    if whole is not None:
        c.body.statements = (CReturn(span or value.span, whole),)
        for local in c.body.locals:  # what an expression binds has another local where it was put into another
            local.named = local.named and (local in c.lets or times_read(whole, local) > 0)


def _as_value(body: Body, statements: Sequence[CStatement]) -> CExpr | None:
    """Return the value that statements give as one expression, if no name in them is read twice, or in a loop, and only
    one way leads on from each `if`."""
    first, *rest = statements or (None,)
    match first:
        case core.CReturn(value=value):
            return value
        case core.CSet(local=local, value=value):
            inner = _as_value(body, rest)
            reads = times_read(inner, local) if inner is not None else MANY
            if inner is None or reads >= MANY:
                return None
            local.named = local.named and not reads  # else it would be said that nothing reads it
            return core.substitute(inner, {local: value}, body) if reads else inner
        case core.CIf(condition=condition, then=then, otherwise=otherwise):
            ways = [way if always_returns(way) else (*way, *rest) for way in (then, otherwise)]
            if not any(map(always_returns, (then, otherwise))):
                return None
            values = [_as_value(body, way) for way in ways]
            if values[0] is not None and values[1] is not None:
                return CExpr("if", values[0].type, (condition, *values), condition.span)
    return None


def does(c: Context, body: ast.Block) -> None:
    """Check a body that changes something and may return a value."""
    sym = c.procedure
    sym.body.statements = c.block(body)
    if not isinstance(sym.returns, VoidT | ErrorT) and not always_returns(sym.body.statements):
        hint = "end it with `return none`" if isinstance(sym.returns, OptionalT) else "end it with `return …`"
        message = f"`{sym.name}` may end without giving its {sym.returns}"
        c.shared.diagnostics.error("return-missing", message, sym.span, hint)
