"""Procedures and their bodies: rules, functions, score lines, and those that the checker makes itself."""

from __future__ import annotations

from collections.abc import Sequence

from rulelang.diagnostics import Span
from rulelang.semantics import core
from rulelang.semantics.base import Shared
from rulelang.semantics.constants import resolve_type
from rulelang.semantics.context import Context
from rulelang.semantics.core import CReturn, CStatement, Local
from rulelang.semantics.flow import walk
from rulelang.semantics.symbols import ProcedureSym, cite_texts
from rulelang.semantics.types import NUMBER, PLAYER, VOID, OptionalT, Type, VoidT
from rulelang.syntax import ast


def always_returns(statements: Sequence[CStatement]) -> bool:
    """Whether every way through ends with a `return` (or the end of the game, or never)."""
    for s in statements:
        if isinstance(s, core.CReturn | core.CEnd):
            return True
        if isinstance(s, core.CIf) and always_returns(s.then) and always_returns(s.otherwise):
            return True
        if isinstance(s, core.CStep) and always_returns(s.body):
            return True
        if isinstance(s, core.CLoop) and not breaks(s.body, s.label):
            return True
        if isinstance(s, core.CLabelled) and always_returns(s.body) and not breaks(s.body, s.label):
            return True
        if isinstance(s, core.CChoose) and s.items and all(always_returns(i.body) for i in s.items):
            if s.otherwise is None or always_returns(s.otherwise):
                return True
    return False


def breaks(statements: Sequence[CStatement], label: str) -> bool:
    """Whether something inside leaves the block called `label`."""
    return any(isinstance(s, core.CBreak) and s.label == label for s in walk(statements))


class Bodies:
    """Makes procedures and checks their bodies."""

    def __init__(self, shared: Shared) -> None:
        self.shared = shared
        self.checked = shared.checked
        self.names = shared.names
        self.diagnostics = shared.diagnostics

    def params(self, params: tuple[ast.Param, ...]) -> tuple[tuple[str, Type], ...]:
        return tuple((p.name.text, resolve_type(self.shared, p.type)) for p in params)

    def made(
        self,
        name: str,
        category: str,
        params: tuple[tuple[str, Type], ...],
        returns: Type,
        span: Span,
        citations: tuple[str, ...] = (),
    ) -> ProcedureSym:
        """A procedure without a name of its own in the ruleset."""
        sym = ProcedureSym(name, category, params, returns, span, None, citations)
        self.checked.procedures.append(sym)
        return sym

    def checker(self, sym: ProcedureSym, params: Sequence[ast.Name] | None = None) -> Context:
        """A checker for the body of `sym` with its parameters declared (under the given names)."""
        checker = Context(self.shared, sym)
        if sym.hidden_you:
            you = Local("you", PLAYER, sym.span)
            sym.body.parameters.append(you)
            sym.body.locals.append(you)
            checker.you = checker.read(you)
        given = list(params) if params is not None else []
        for i, (name, t) in enumerate(sym.params):
            if i < len(given):
                local = checker.declare(given[i], t)
            else:
                local = checker.new_local(name, t, sym.span)
            sym.body.parameters.append(local)
        return checker

    def top(self, name: str, body: ast.Block, span: Span, citations: tuple[ast.Citation, ...]) -> ProcedureSym:
        sym = ProcedureSym(name, "rule", (), VOID, span, None, cite_texts(citations), hidden_you=False)
        self.checked.procedures.append(sym)
        sym.body.statements = Context(self.shared, sym).block(body)
        return sym

    def rule(self, sym: ProcedureSym | None, body: ast.Block, params: Sequence[ast.Name] | None = None) -> None:
        if sym is None:
            return
        if params is None and isinstance(sym.decl, ast.Rule):
            params = [p.name for p in sym.decl.params]
        sym.body.statements = self.checker(sym, params).block(body)
        self.must_return(sym)

    def must_return(self, sym: ProcedureSym) -> None:
        if not isinstance(sym.returns, VoidT) and not always_returns(sym.body.statements):
            hint = "end it with `return none`" if isinstance(sym.returns, OptionalT) else "end it with `return …`"
            self.diagnostics.error(
                "return-missing", f"`{sym.name}` may end without giving its {sym.returns}", sym.span, hint
            )

    def function(self, sym: ProcedureSym | None, value: ast.Expr) -> None:
        if sym is None or not isinstance(sym.decl, ast.Function):
            return
        self.gives(sym, self.checker(sym, [p.name for p in sym.decl.params]), value, sym.name)

    def gives(self, sym: ProcedureSym, checker: Context, value: ast.Expr, name: str) -> None:
        """The body of what only gives a value; `name` is what the author calls it."""
        sym.body.statements = (CReturn(value.span, checker.value(value, sym.returns, f"`{name}`")),)

    def scored(self, name: str, value: ast.Expr, span: Span, citations: tuple[ast.Citation, ...]) -> ProcedureSym:
        sym = self.made(name, "function", (), NUMBER, span, cite_texts(citations))
        checker = self.checker(sym)
        sym.body.statements = (CReturn(span, checker.value(value, NUMBER, name)),)
        return sym
