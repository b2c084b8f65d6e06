"""A layout with another program of the same tables, and slots for what its expressions bind."""

from __future__ import annotations

from copy import copy

from rulelang.ir.program import Program
from rulelang.runtime.layout import Layout


def first_free_slot(program: Program) -> int:
    """Return the first slot that no procedure has: what passes bind from there on is gone with its expression."""
    return max((len(code.locals) for code in program.procedures), default=0)


def with_program(layout: Layout, program: Program) -> Layout:
    """Return the layout of a program that differs in nothing but its code."""
    bound = copy(layout)
    bound.program = program
    return bound
