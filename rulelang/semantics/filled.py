"""Zones that are certainly not empty: conditions that hold on the way to a statement, until something may change them.

Enters: conditions of branches, loops and menu items, and the statements behind them. Leaves: whether a zone has pieces.
"""

from __future__ import annotations

from collections.abc import Iterable

from rulelang.semantics import core
from rulelang.semantics.core import Body, CExpr, CStatement, Local, conjunction, negated, same, substitute
from rulelang.semantics.types import NumberT

HARMLESS = (
    *(core.CSet, core.CIf, core.CNever, core.CReturn, core.CBreak, core.CEnd, core.CStep),
    *(core.CChoose, core.CRandom, core.CExpose),
)
"""Statements that themselves, without the blocks in them, change nothing."""
CHANGING = frozenset(("var", "pvar", "call", "next_player", "previous_player"))
"""What may be another when a variable has changed, or a player is out."""


def refuted(condition: CExpr) -> list[CExpr]:
    """What holds when a condition does not."""
    if condition.op == "or":
        return [fact for part in _operands(condition) for fact in refuted(part)]
    return [negated(condition)]


def of_each_player(facts: Iterable[CExpr], seat: CExpr, body: Body) -> list[CExpr]:
    """What holds for a player because it holds for all."""
    return [
        substitute(part, {fact.args[0]: seat}, body)
        for fact in facts
        if fact.op == "all" and isinstance(fact.args[0], Local) and _operands(fact)[0].op == "players"
        for part in conjunction(_operands(fact)[1])
    ]


def lasting(facts: list[CExpr], s: CStatement) -> list[CExpr]:
    """The facts that a statement, without the blocks in it, leaves as they are."""
    if isinstance(s, HARMLESS):
        return facts
    return [fact for fact in facts if isinstance(s, core.CDo) and not _reads_changing(fact)]


def is_filled(facts: Iterable[CExpr], zone: CExpr) -> bool:
    """Whether a fact says that there are pieces in a zone: `ZONE is not empty`, `count(ZONE) >= 2`."""
    for fact in facts:
        op, compared = fact.op, fact
        if op == "not":
            (compared,) = _operands(fact)
            op = {"eq": "gt"}.get(compared.op, "")
        if op in ("gt", "ge"):
            size, bound = _operands(compared)
            least = bound.type.low + (op == "gt") if isinstance(bound.type, NumberT) else 0
            if least > 0 and size.op == "size" and same(_operands(size)[0], zone):
                return True
    return False


def _operands(expr: CExpr) -> list[CExpr]:
    return [arg for arg in expr.args if isinstance(arg, CExpr)]


def _reads_changing(expr: CExpr) -> bool:
    return expr.op in CHANGING or any(map(_reads_changing, _operands(expr)))
