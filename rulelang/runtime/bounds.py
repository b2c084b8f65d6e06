"""Interval analysis of numbers, and the errors of rules at run time.

Enters: expressions and sites. Leaves: intervals that contain an expression's value, and `RuleError`s with rule and
source location.
"""

from __future__ import annotations

from rulelang.diagnostics import FuelError, RuleError, Source, Span
from rulelang.ir.nodes import Expr
from rulelang.ir.program import Program
from rulelang.ir.walk import number, operands
from rulelang.vocabulary.operations import COUNTS

LOWEST, HIGHEST = -(1 << 63), (1 << 63) - 1
WHOLE = (LOWEST, HIGHEST)
Interval = tuple[int, int]

MANY = 1 << 32
"""No collection has more elements than this."""


def _location(program: Program, site: int) -> tuple[str, Span]:
    """Return the name of the rule at a site (an index into `Program.sites`) and its span."""
    if not 0 <= site < len(program.sites):
        return "", Span(None, 0, 0, 0, 0)
    where = program.sites[site]
    return where.rule, Span(Source(where.path, ""), where.line, where.column, where.line, where.column)


def rule_error(program: Program, site: int, message: str) -> RuleError:
    """Return a RuleError with the rule and source location of a site."""
    rule, span = _location(program, site)
    return RuleError(message, rule, span)


def fuel_error(program: Program, site: int, message: str) -> FuelError:
    """Return a FuelError, of a rule that ran too long or called too deep, with the source location of a site."""
    rule, span = _location(program, site)
    return FuelError(message, rule, span)


def in_64_bits(interval: Interval) -> bool:
    """Return whether every number of the interval fits 64 bits."""
    return interval[0] >= LOWEST and interval[1] <= HIGHEST


def interval(program: Program, expr: Expr) -> Interval:
    """Return the lowest and highest number that a scalar expression may have, if it is evaluated without an error."""
    args = operands(expr)
    match expr.op:
        case "const":
            value = expr.args[0]
            return (value, value) if isinstance(value, int) else WHOLE
        case op if op in COUNTS:
            return 0, MANY
        case "player_count":
            return 0, max(program.players)
        case "var" | "pvar":
            table = (program.variables if expr.op == "var" else program.piece_variables)[number(expr)]
            return (min(table.low, -1), table.high) if table.type == "int" else WHOLE
        case "bag_get" | "bag_pick":
            return 0, HIGHEST
        case "add" | "sub":
            (a, b), (c, d) = interval(program, args[0]), interval(program, args[1])
            bounds = (a + c, b + d) if expr.op == "add" else (a - d, b - c)
            return bounds if in_64_bits(bounds) else WHOLE
        case "if":
            (a, b), (c, d) = interval(program, args[1]), interval(program, args[2])
            return min(a, c), max(b, d)
        case "min2" | "max2":
            (a, b), (c, d) = interval(program, args[0]), interval(program, args[1])
            return (min(a, c), min(b, d)) if expr.op == "min2" else (max(a, c), max(b, d))
    return (0, 1) if expr.type == "bool" else WHOLE
