"""Positions: what of a game is written down, to be compared with later.

Enters: `positions:` of the YAML, `remember`, `forget`, `seen`. Leaves: operations on the hidden variable of a position,
whose operands are those of its parts that are worked out: who acts, what functions give.
"""

from __future__ import annotations

from rulelang.diagnostics import suggest
from rulelang.semantics.tree import core
from rulelang.semantics.tree.core import CExpr
from rulelang.semantics.tree.shared import Shared
from rulelang.semantics.tree.symbols import PositionSym, ProcedureSym, VariableSym, ZoneSym
from rulelang.semantics.tree.types import ERROR, INT_MAX, INT_MIN, BoolT, CellT, EnumT, NumberT, PieceT, PlayerT, bare
from rulelang.semantics.typing.calls import you_argument
from rulelang.semantics.typing.context import Context, statement
from rulelang.syntax import ast

MANY = 1000
"""So many positions in every state are worth a warning."""


def declare(shared: Shared) -> None:
    """Declare the positions, each with the variable that keeps what was written down."""
    decisions = shared.checked.ruleset.limits.decisions
    for declared in shared.checked.ruleset.positions:
        numbers = NumberT(INT_MIN, INT_MAX)
        memory = VariableSym(f"memory of {declared.name}", numbers, (), declared.span, "all", internal=True)
        highest = declared.times or declared.last or decisions + 1
        symbol = PositionSym(declared.name, declared.span, declared, memory, highest)
        shared.checked.variables.append(memory)
        shared.checked.positions.append(symbol)
        shared.names.declare(declared.name, symbol, declared.span)
        if not declared.last and not declared.most and decisions > MANY:
            message = f"every state keeps room for {decisions + 1} of `{declared.name}`"
            hint = "say how many there can be (`most: 200`), or keep the last ones alone (`last: 2`)"
            shared.diagnostics.warning("position-long", message, declared.span, hint)


def resolve(shared: Shared) -> None:
    """Look up the parts of the positions, once zones, variables and functions are known."""
    for symbol in shared.checked.positions:
        for name in symbol.decl.of:
            _part(shared, symbol, name)


def _part(shared: Shared, symbol: PositionSym, name: str) -> None:
    """Add a part of a position; report one that is none."""
    span = symbol.decl.places.get(("of", name), symbol.span)
    part = shared.names.get(name, span)
    message, hint = "", ""
    if name == "you":
        symbol.values.append(None)
    elif isinstance(part, ZoneSym):
        symbol.zones.append(part)
        symbol.unseen = symbol.unseen or ("" if part.view.public else name)
    elif isinstance(part, VariableSym):
        symbol.variables.append(part)
        symbol.unseen = symbol.unseen or ("" if part.view.public else name)
        if isinstance(bare(part.type), PieceT) or part.mark:
            message = f"`{name}` is {'a mark' if part.mark else f'a {part.type}'}, which a position can't have"
            hint = "name a function that says of it what counts"
    elif isinstance(part, ProcedureSym) and part.category in ("function", "quantity"):
        symbol.values.append(part)
        if part.params:
            message = f"`{name}` has parameters, and a position gives none"
            hint = "name a function without parameters"
        elif not isinstance(bare(part.returns), NumberT | EnumT | BoolT | PlayerT | CellT):
            message = f"`{name}` gives a {part.returns}, which a position can't have"
            hint = "name functions that give numbers, truths, players or values of a type"
    else:
        known = [s.name for s in shared.names.values() if isinstance(s, ZoneSym | VariableSym)]
        functions = [p.name for p in shared.checked.procedures if p.pure and not p.params]
        message = f"there is no zone, variable or function `{name}`"
        hint = suggest(name, [*known, *functions, "you"])
    if message:
        shared.diagnostics.error("position-part", message, span, hint)


def _operation(c: Context, name: ast.Name) -> tuple[PositionSym, tuple[object, ...]] | None:
    """Return the position of a name, and the arguments of an operation on it; None, after a finding, if it is none."""
    symbol = c.names.get(name.text, name.span)
    if not isinstance(symbol, PositionSym):
        known = [position.name for position in c.checked.positions]
        hint = suggest(name.text, known) or "positions are declared in the YAML: `positions: {position: {of: [board]}}`"
        c.error("name-unknown", f"there is no position `{name.text}`", name.span, hint)
        return None
    values: list[CExpr] = []
    for part in symbol.values:
        if part is None:
            values.append(c.seat_here(name.span, "`you` in this position"))
        else:
            values.append(CExpr("call", part.returns, (part, *you_argument(c, part, name.span)), name.span))
    return symbol, (symbol.memory, *values)


@statement(ast.Remember)
def _remember(c: Context, node: ast.Remember) -> None:
    """Emit that a position is written down as it is now."""
    if (found := _operation(c, node.position)) is not None:
        c.emit(core.CDo(node.span, "remember", found[1]))


@statement(ast.Forget)
def _forget(c: Context, node: ast.Forget) -> None:
    """Emit that all that was written down of a position is gone."""
    if (found := _operation(c, node.position)) is not None:
        c.emit(core.CDo(node.span, "forget", (found[0].memory,)))


def seen(c: Context, node: ast.Call) -> CExpr:
    """`seen(P)`: how often the position as it is now stands among those that were written down."""
    (argument,) = node.arguments
    if not isinstance(argument, ast.NameExpr):
        return c.error("call-arguments", "`seen` takes the name of a position", argument.span)
    found = _operation(c, ast.Name(argument.span, argument.name))
    if found is None:
        return CExpr("const", ERROR, (0,), node.span)
    symbol, arguments = found
    if symbol.unseen:
        message = f"`{symbol.name}` is also of `{symbol.unseen}`, which not all see"
        return c.error("visibility-leak", message, node.span, "leave it out of the position")
    return CExpr("seen", NumberT(0, symbol.highest), arguments, node.span)
