"""`this` and `owner` in the place of a parameter of handlers and modifiers, as the condition that they stand for.

Enters: a node. Leaves: `p = owner`, p being the parameter in whose place it stands, which has no other name.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

from rulelang.syntax import ast

PLACES = ("this", "owner")
_UNNAMED = "for"
"""What the first parameter is called in whose place one stands; no author's name is a word of the language."""


class Parameter(NamedTuple):
    """A parameter as its declaration has it: what it is called, whether it is a player, whether it holds several."""

    name: str
    player: bool
    several: bool


def spelt_out(
    d: ast.Handler | ast.Modifier, parameters: Sequence[Parameter]
) -> tuple[tuple[ast.Name | None, ...], ast.Expr | None] | None:
    """Return the names of the parameters of a handler or modifier and its whole condition.

    A parameter in whose place `this` or `owner` stands is that; of several it is among them. `for SEAT`, of version 1,
    is the only player among the parameters, or the one that it names; where there is none, the acting seat is
    compared. Unnamed parameters are None. Returns None if the parameter of `for` is unknown or ambiguous.
    """
    names: list[ast.Name | None] = [*d.params]
    conditions: list[ast.Expr] = []
    for i, name in enumerate(d.params):
        if name.text in PLACES:
            names[i], several = _named(name, len(conditions)), i < len(parameters) and parameters[i].several
            conditions.append(_same(names[i], ast.NameExpr(name.span, name.text), several))
    if d.whose is not None:
        seat, named = d.whose.seat, d.whose.parameter
        meant = [i for i, p in enumerate(parameters) if p.player and (named is None or p.name == named.text)]
        if len(meant) > 1 or (named is not None and not meant):
            return None
        local = _named(seat, len(conditions)) if meant else ast.Name(seat.span, "you")
        if meant:
            names += [None] * (meant[0] - len(names))
            names.insert(meant[0], local)
        conditions.append(_same(local, seat, False))
    if d.guard is not None:
        conditions.append(d.guard)
    whole = reduce(lambda a, b: ast.Logic(a.span.to(b.span), "and", a, b), conditions) if conditions else None
    return tuple(names), whole


def _named(at: ast.Node, number: int) -> ast.Name:
    """Return the name of a parameter in whose place something stands, at the place of that."""
    return ast.Name(at.span, f"{_UNNAMED} {number}" if number else _UNNAMED)


def _same(name: ast.Name | None, value: ast.Expr, several: bool) -> ast.Expr:
    """Return the condition that a parameter is a value, or has it among several."""
    assert name is not None
    local = ast.NameExpr(name.span, name.text)
    return ast.Member(name.span, value, local, False) if several else ast.Compare(name.span, "=", local, value)
