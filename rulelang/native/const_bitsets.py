"""Evaluate the guards of a binder over at most 64 constants as a bit set, without a loop.

Enters: the guards. Leaves: the text of a word with a bit for each constant that passes. A test of constant attributes
is a number, a comparison with a value of the running game sets one bit, a loop-invariant test is all bits or none.
Functions that are one expression are inlined first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rulelang.ir.nodes import Expr
from rulelang.ir.rewrite import Change, lone_value, mapped, substituted, with_arguments
from rulelang.ir.walk import index, local_reads, number, operands, subexpressions
from rulelang.mir.bits import unwraps
from rulelang.mir.cells import LARGE
from rulelang.mir.early import is_early
from rulelang.native.expressions import Environment, Writer, wrapped
from rulelang.runtime.constants import UNKNOWN
from rulelang.vocabulary.operations import EQUALITIES

DEEPEST = 5
"""Greatest depth of inlining."""


def bit_set_text(w: Writer, guards: Sequence[Expr], slot: int, fixed: Sequence[Any], env: Environment) -> str | None:
    """Return the text of the bit set of the constants 0 to n - 1 that pass all guards; None where a loop is needed."""
    if list(fixed) != list(range(len(fixed))):
        return None
    evaluator = _BitSets(w, slot, len(fixed), env)
    texts = [evaluator.bits(evaluator.inlined(guard, 0)) for guard in guards]
    if None in texts:
        return None
    return f"{' & '.join(f'({text})' for text in texts)} & {evaluator.all}"


class _BitSets:
    """Prints conditions on a local of few values as the bit sets of the values that meet them."""

    def __init__(self, w: Writer, slot: int, size: int, env: Environment) -> None:
        self.w, self.slot, self.size, self.env = w, slot, size, env
        self.all = f"UINT64_C({(1 << size) - 1})"

    def inlined(self, e: Expr, depth: int) -> Expr:
        """Inline functions that are one expression."""
        e = mapped(e, lambda arg: self.inlined(arg, depth))
        if e.op != "call" or depth >= DEEPEST or self.w.speculates(e):
            return e
        value = lone_value(self.w.program.procedures[number(e)])
        if value is None or sum(1 for _ in subexpressions(value)) > LARGE:
            return e
        if not all(is_early(self.w.program, arg) for arg in operands(e)):
            return e
        return self.inlined(with_arguments(value, dict(enumerate(operands(e)))), depth + 1)

    def bits(self, e: Expr) -> str | None:
        """Return the text of the bit set of the constants that meet a condition; bits beyond them may be set."""
        w = self.w
        known = w.known(e)
        if known is not UNKNOWN:
            return self.all if known else "0"
        if self.slot not in local_reads(e):
            if not is_early(w.program, e):
                return None
            return f"0 - (U)({w.text(e, self.env)} != 0)"
        fixed = [w.known(substituted(e, self.slot, _constant(value))) for value in range(self.size)]
        if UNKNOWN not in fixed:
            return f"UINT64_C({sum(1 << place for place, value in enumerate(fixed) if value)})"
        match e.op:
            case "not":
                (inner,) = map(self.bits, operands(e))
                return None if inner is None else f"~({inner})"
            case "and" | "or" | "if":
                # All parts are evaluated: none may rely on an earlier test that an optional value is present.
                parts = [None] if any(map(unwraps, subexpressions(e))) else list(map(self.bits, operands(e)))
                if None in parts:
                    return None
                if e.op != "if":
                    return f"({parts[0]}) {'&' if e.op == 'and' else '|'} ({parts[1]})"
                name = w.source.fresh("where")
                return f"({{ const U {name} = {parts[0]}; ({name} & ({parts[1]})) | (~{name} & ({parts[2]})); }})"
            case op if op in EQUALITIES:
                return self._equal(e)
        return None

    def _equal(self, e: Expr) -> str | None:
        """Return the text of the bit set of `local == value` or `!=`; None if the value reads the local or may fail."""
        left, right = operands(e)
        if self.slot in local_reads(right):
            left, right = right, left
        if left.op != "local" or index(left) != self.slot or self.slot in local_reads(right):
            return None
        if not is_early(self.w.program, right):
            return None
        text = self.w.text(right, self.env)
        before, x = self.w.temporary(text, "value")
        bit = f"((U){x} < {self.size} ? (U)1 << {x} : 0)"
        bit = wrapped(before, bit)
        return f"~{bit}" if e.op == "ne" else bit


def _constant(value: int) -> Change:
    """Return a rewrite of a local into a constant of the local's type."""
    return lambda local: replace(local, op="const", args=(value,))
