"""`for SEAT` of handlers and modifiers, as the condition that it stands for.

Enters: a node. Leaves: `s = SEAT`, s being the parameter that is not named.
"""

from __future__ import annotations

from collections.abc import Sequence

from rulelang.syntax import ast

SEAT = "for"
"""What the parameter is called that is not named; no author's name is a word of the language."""


def spelt_out(
    d: ast.Handler | ast.Modifier, players: Sequence[tuple[str, bool]]
) -> tuple[tuple[ast.Name | None, ...], ast.Expr | None] | None:
    """Expand `for SEAT` of a handler or modifier to parameter names and one condition.

    `players` are the parameters as (name, is a player); without a player parameter the acting seat is compared. Unnamed
    parameters are None. Returns None if the parameter meant is unknown or ambiguous.
    """
    whose = d.whose
    if whose is None:
        return d.params, d.guard
    span, named = whose.seat.span, whose.parameter
    meant = [i for i, (name, player) in enumerate(players) if player and (named is None or name == named.text)]
    if len(meant) > 1 or (named is not None and not meant):
        return None
    names: list[ast.Name | None] = [*d.params]
    if meant:
        names += [None] * (meant[0] - len(names))
        names.insert(meant[0], ast.Name(span, SEAT))
    same = ast.Compare(span, "=", ast.NameExpr(span, SEAT if meant else "you"), whose.seat)
    return tuple(names), same if d.guard is None else ast.Logic(span.to(d.guard.span), "and", same, d.guard)
