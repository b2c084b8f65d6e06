"""`proceed` in a replacement: the event goes on, at most once on every way through.

What goes on is the rest of a chain (`EventInfo.proceeding`): replacements that were not used on this event, then what
reacts before, the event's body, and what reacts after. Its last parameter has the reactions that were used, as has that
of each replacement that may let the event proceed; it gives whether the event came about.
"""

from __future__ import annotations

from collections.abc import Sequence

from rulelang.diagnostics import Span
from rulelang.semantics.analysis.flow import walk
from rulelang.semantics.tree.core import CBreak, CCall, CChoose, CEnd, CExpr, CIf, CReturn, CSet, CStatement
from rulelang.semantics.tree.shared import CallEdge, const
from rulelang.semantics.tree.symbols import EventInfo, ProcedureSym
from rulelang.semantics.tree.types import BOOL, NUMBER, ReactionT, SetT, Type
from rulelang.semantics.typing.bodies import new_procedure
from rulelang.semantics.typing.context import Context, Replaced, statement
from rulelang.syntax import ast

LONGEST = 1000
"""So many replacements of one event may be in each other; `limits: depth` is less."""
ONCE = "what is replaced proceeds at most once: leave with `return` after the first, or put the second into `else`"


def used_param(event: EventInfo) -> tuple[str, Type]:
    """Return the parameter for the reactions that were used on an event so far."""
    return "used", SetT(ReactionT(event.procedure.name))


def proceeds(node: ast.Block) -> bool:
    """Return whether a block lets what it replaces proceed."""
    return any(isinstance(part, ast.Proceed) for part in ast.walk(node))


def replacing(
    c: Context,
    event: EventInfo,
    names: Sequence[ast.Name | None],
    own: Sequence[ast.Name],
    body: ast.Block,
    of_piece: bool,
) -> None:
    """Check the body of a replacement that may proceed, the next handler of the event; it returns whether it did.

    Args:
        own: what the author named, `this` and `owner` in their places included. of_piece: whether it is the rule text
            of a piece.
    """
    proceeded = c.new_local("proceeded", BOOL, body.span)
    places = {name.span for name in own}
    named = tuple(i for i, name in enumerate(names) if name is not None and name.span in places)
    c.replaced = Replaced(event, named, proceeded, len(event.handlers), of_piece)
    statements = (
        CSet(body.span, proceeded, const(0, BOOL, body.span)),
        *c.block(body),
        CReturn(body.span, c.read(proceeded)),
    )
    c.body.statements = statements
    if event.proceeding is not None:
        twice: dict[Span, None] = {}
        _proceeds_once(statements, event.proceeding, False, twice)
        for span in twice:
            c.error("proceed-misplaced", "on a way to here the event has already proceeded", span, ONCE)


@statement(ast.Proceed)
def _proceed(c: Context, node: ast.Proceed) -> None:
    """Emit the call of the event that the handler replaces, with its arguments or those of `proceed`."""
    if c.replaced is None:
        hint = "write it in the block of `instead of EVENT: …`, the rules that this calls not included"
        message = "`proceed` lets go on what is replaced, and nothing is replaced here"
        c.error("proceed-misplaced", message, node.span, hint)
        return
    event, named = c.replaced.event, c.replaced.named
    sym = event.procedure
    you, *params, used = (c.read(local, node.span) for local in c.body.parameters)
    values = params[len(params) - len(event.params) :]
    arguments = node.arguments if node.arguments is not None else ()
    if node.arguments is not None and len(arguments) != len(named):
        parameters = ", ".join(f"{event.params[i][0]}: {event.params[i][1]}" for i in named) or "nothing"
        message = f"`proceed` takes what the handler names, {parameters}; {len(arguments)} given"
        c.error("call-arguments", message, node.span)
        return
    for i, argument in zip(named, arguments, strict=False):
        values[i] = c.value(argument, event.params[i][1], f"`{event.params[i][0]}` of `{sym.name}`")
    if event.proceeding is None:
        event.proceeding = new_procedure(c.shared, sym.name, "rule", (*event.params, used_param(event)), BOOL, sym.span)
        event.proceeding.depth = LONGEST
    c.shared.edges.append(CallEdge(c.procedure, event.proceeding, "own", node.span))
    t = ReactionT(sym.name)
    piece = c.read(c.body.parameters[1], node.span) if c.replaced.of_piece else const(-1, NUMBER, node.span)
    this = CExpr("list", used.type, (CExpr("reaction", t, (c.replaced.number, piece), node.span),), node.span)
    used = CExpr("union", used.type, (used, this), node.span)
    c.emit(CCall(node.span, event.proceeding, (you, *values, used), c.replaced.proceeded))


def _proceeds_once(
    statements: Sequence[CStatement], event: ProcedureSym, done: bool, twice: dict[Span, None]
) -> bool | None:
    """Return whether the event may have proceeded at the end of statements, `done` before them; None if they are left
    before.

    `twice`: where it may do so a second time.
    """
    for s in statements:
        if isinstance(s, CReturn | CBreak | CEnd):
            return None
        if isinstance(s, CCall) and s.procedure is event:
            if done:
                twice[s.span] = None
            done = True
        elif isinstance(s, CIf | CChoose):
            ends = [_proceeds_once(part, event, done, twice) for part in s.inner()]
            if all(end is None for end in ends):
                return None
            done = any(ends)
        elif inner := s.inner():
            if _proceeds_once(inner[0], event, done, twice):
                _proceeds_once(inner[0], event, True, twice)
            done = done or any(isinstance(x, CCall) and x.procedure is event for x in walk(inner[0]))
    return done
