"""Reactions: a handler of an event together with the piece whose rule text it stands in.

Enters: expressions over handlers. Leaves: their closures. A reaction is one number: handler << 32 | piece + 1 (0 for
no piece).
"""

# S is the state, L the locals, in every closure of this package.

from __future__ import annotations

from rulelang.interpreter.expressions import Code, Compiler, Locals, builds
from rulelang.interpreter.pieces import owner
from rulelang.ir.nodes import Expr
from rulelang.ir.walk import number
from rulelang.runtime.layout import REACTION_MASK, REACTION_SHIFT
from rulelang.runtime.state import State


@builds("reaction")
def _reaction(c: Compiler, e: Expr) -> Code:
    (piece,) = c.codes(e)
    base = number(e) << REACTION_SHIFT
    return lambda S, L: base + piece(S, L) + 1


@builds("reaction_handler", "reaction_piece", "reaction_owner")
def _part(c: Compiler, e: Expr) -> Code:
    (reaction,) = c.codes(e)
    if e.op == "reaction_handler":
        return lambda S, L: reaction(S, L) >> REACTION_SHIFT
    if e.op == "reaction_piece":
        return lambda S, L: (reaction(S, L) & REACTION_MASK) - 1

    def reaction_owner(S: State, L: Locals) -> int:
        piece = (reaction(S, L) & REACTION_MASK) - 1
        return owner(S, piece) if piece >= 0 else -1

    return reaction_owner
