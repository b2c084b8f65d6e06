"""What a refusal says of the parts of a guard: the author's words for each, and whether its value, its size or its
presence is told.

Enters: a guard of the checked tree. Leaves: the operands of a `Guard`.
"""

from __future__ import annotations

from collections.abc import Set

from rulelang.diagnostics import Span
from rulelang.ir.nodes import Operand
from rulelang.ir.shown import shown_parts
from rulelang.semantics.tree import types as ty
from rulelang.semantics.tree.core import CExpr, CGuard, expressions
from rulelang.semantics.tree.shared import source_text
from rulelang.vocabulary.operations import COUNTS, LOGIC

NOTHING = Operand()
WHOLE = "whole"
"""The word of a guard that was revealed as a whole (see `Guard`)."""
SIZES = COUNTS | {"sum"}


def guard_operands(guard: CGuard, concealed: Set[CExpr]) -> tuple[Operand, ...]:
    """Return the operand to report for each part of the condition; nothing of those in `concealed`."""
    if guard.kind == "active":
        return ()
    parts = list(shown_parts(guard.condition))
    if guard.kind == "limit":
        return tuple(Operand("", "value") for _ in parts)
    operands = tuple(_operand(part, guard) if part not in concealed else NOTHING for part in parts)
    return operands if any(operand != NOTHING for operand in operands) else ()


def revealed_whole(condition: CExpr, concealed: Set[CExpr]) -> bool:
    """Return whether a condition, or a part that decides it, was revealed as a whole."""
    parts = expressions(condition.args) if condition.op in LOGIC else []
    return condition in concealed or any(revealed_whole(part, concealed) for part in parts)


def _operand(part: CExpr, guard: CGuard) -> Operand:
    """Return how a refusal shows one part of a guard's condition: by the author's words with a value, a size or a
    presence, or not at all."""
    if not _is_within(part.span, guard.condition.span):
        # What has no words of its own here carries the place where it is declared.
        return NOTHING
    inner = next((arg for arg in expressions(part.args)), None)
    if part.op == "is_none" and inner is not None:
        return Operand(source_text(inner.span), "presence")
    text = source_text(part.span)
    if part.op == "const" or text in ("", "you", guard.reason) or not _is_printable(part.type):
        return NOTHING
    if part.op in SIZES and inner is not None and inner.span == part.span:
        # `hand is empty` counts the hand, and the words for the count are those for the hand.
        return Operand(text, "size")
    return Operand(text, "value")


def _is_within(part: Span, whole: Span) -> bool:
    """Return whether one span lies within another of the same file."""
    start, end = (part.line, part.column), (part.end_line, part.end_column)
    return (
        part.source is whole.source
        and (whole.line, whole.column) <= start
        and end <= (whole.end_line, whole.end_column)
    )


def _is_printable(type_: ty.Type) -> bool:
    """Return whether refusals can print values of this type, or sets of them."""
    inner = ty.bare(type_)
    if isinstance(inner, ty.SetT):
        return _is_printable(inner.element)
    return isinstance(
        inner, ty.NumberT | ty.BoolT | ty.EnumT | ty.PlayerT | ty.PieceT | ty.BagT | ty.CellT | ty.DirectionT
    )
