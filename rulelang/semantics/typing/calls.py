"""Calls of the ruleset's own rules, functions and quantities."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rulelang.diagnostics import Span
from rulelang.semantics.analysis.nonempty import is_fixed
from rulelang.semantics.tree.core import CCall, CExpr, CSet, subexpressions
from rulelang.semantics.tree.shared import CallEdge, const, source_text
from rulelang.semantics.tree.symbols import ProcedureSym
from rulelang.semantics.tree.types import BOOL, ERROR, PLAYER, ErrorT, VoidT
from rulelang.semantics.typing.context import Context, expression
from rulelang.syntax import ast


def _with_all(symbol: ProcedureSym, arguments: tuple[ast.Expr, ...]) -> str:
    """Return a hint with as many arguments as a call takes: those that are given, and `you` for a player."""
    if not symbol.params or len(arguments) > len(symbol.params):
        shown = [source_text(argument.span) for argument in arguments[: len(symbol.params)]]
        return f"write `{symbol.name}({', '.join(shown)})`"
    missing, shown, left = len(symbol.params) - len(arguments), [], [source_text(a.span) for a in arguments]
    for name, t in symbol.params:
        is_lacking = missing and (not left or (t == PLAYER and left[0] != "you"))
        missing -= bool(is_lacking)
        shown.append(("you" if t == PLAYER else name) if is_lacking else left.pop(0))
    return f"write `{symbol.name}({', '.join(shown)})`"


def checked_arguments(
    c: Context, symbol: ProcedureSym, arguments: tuple[ast.Expr, ...], span: Span
) -> tuple[CExpr, ...] | None:
    """Return the arguments of a call, or None if there are too few or too many."""
    if len(arguments) != len(symbol.params):
        parameters = ", ".join(f"{n}: {t}" for n, t in symbol.params) or "nothing"
        message = f"`{symbol.name}` takes {parameters}; {len(arguments)} given"
        c.error("call-arguments", message, span, _with_all(symbol, arguments))
        return None
    values: list[CExpr] = []
    for argument, (name, t) in zip(arguments, symbol.params, strict=True):
        with after(c, values):
            values.append(c.ranged(argument, t, f"`{name}` of `{symbol.name}`"))
    return tuple(values)


@contextmanager
def after(c: Context, values: list[CExpr]) -> Iterator[None]:
    """Save the values in locals before a call inside the block changes what they are read from."""
    known, mark = len(values), len(c.prelude or ())
    yield
    if c.prelude is None or not any(isinstance(s, CCall) for s in c.prelude[mark:]):
        return
    for i, value in enumerate(values[:known]):
        if value.op not in ("const", "local") and not isinstance(value.type, ErrorT):
            saved = c.new_local("kept", value.type, value.span)
            c.prelude.insert(mark, CSet(value.span, saved, value))
            values[i] = c.read(saved, value.span)
            mark += 1
            c.outdated = [there for there in c.outdated if all(there is not part for part in subexpressions(value))]


def you_argument(c: Context, symbol: ProcedureSym, span: Span) -> tuple[CExpr, ...]:
    """Return the hidden first argument, and a note of who called whom."""
    if not symbol.hidden_you:
        return ()
    own = c.you is not None and bool(c.body.parameters) and c.you.args == (c.body.parameters[0],)
    kind = "own" if own else "given" if c.you is not None else "none"
    c.shared.edges.append(CallEdge(c.procedure, symbol, kind, span))
    return (c.you or const(-1, PLAYER, span),)


def call_procedure(c: Context, symbol: ProcedureSym, arguments: tuple[ast.Expr, ...], span: Span) -> CExpr:
    """Return the value of a call; what may change things becomes a statement before the one that it stands in."""
    values = checked_arguments(c, symbol, arguments, span)
    if values is None:
        return const(0, ERROR, span)
    full = (*you_argument(c, symbol, span), *values)
    if symbol.pure:
        return CExpr("call", symbol.returns, (symbol, *full), span)
    if not c.waits:
        message = f"`{symbol.name}` is a {symbol.category}: it may change things, so it can't be called here"
        return c.error("call-misplaced", message, span, "call it in a statement, or make it a `function`")
    if symbol.category == "event":
        symbol.returns = BOOL  # Whether it came about; nobody asked before.
    if isinstance(symbol.returns, VoidT):
        hint = f"declare what it gives: `rule {symbol.name}(…) -> type:`"
        return c.error("call-void", f"`{symbol.name}` gives no value", span, hint)
    result = c.new_local(symbol.name, symbol.returns, span)
    c.emit(CCall(span, symbol, full, result))
    return c.read(result, span)


@expression(ast.Possible)
def _possible(c: Context, node: ast.Possible) -> CExpr:
    """Return `possible`: whether a run of the rule can end with the condition true."""
    name = node.call.function.text
    symbol = c.names.get(name, node.call.function.span)
    if name in c.shared.broken:
        return const(0, BOOL, node.span)
    if not isinstance(symbol, ProcedureSym) or symbol.pure:
        message = f"there is no rule `{name}` to look ahead through"
        return c.error("call-unknown", message, node.call.span, c.names.suggest(name))
    with c.pure():
        values = checked_arguments(c, symbol, node.call.arguments, node.call.span)
        with c.within(facts=list(filter(is_fixed, c.facts))):  # it is read after the rule has changed things
            condition = c.condition(node.condition)
    if values is None:
        return const(0, BOOL, node.span)
    return CExpr("possible", BOOL, (symbol, condition, *you_argument(c, symbol, node.span), *values), node.span)
