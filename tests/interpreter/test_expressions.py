"""What every expression means, on one small state; and that every operation is there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from rulelang.diagnostics import FuelError, RuleError
from rulelang.interpreter import Machine
from rulelang.interpreter.expressions import BUILDERS
from rulelang.interpreter.statements import STATEMENTS as STATEMENT_BUILDERS
from rulelang.ir.nodes import Expr
from rulelang.ir.program import AutomatonTable, EnumTable, OptionTable, PositionTable, Program
from rulelang.ir.rewrite import mapped
from rulelang.ir.walk import index, subexpressions
from rulelang.runtime.bounds import LOWEST
from rulelang.runtime.constants import BOUND, PURE, UNKNOWN, Constants
from rulelang.runtime.state import DECLARED, DEFERRALS, TIED, State
from rulelang.vocabulary.operations import EXPRESSIONS, STATEMENTS
from rulelang.vocabulary.types import BOOL, INT, SEAT, Type

from .build import (
    const,
    definition,
    e,
    function,
    kind,
    local,
    nothing,
    place,
    program,
    shown,
    square,
    var,
    variable,
    zone,
)

DIR = Type("dir")
CELL, COLOUR, BAG, COST = "cell:G", "enum:Colour", "bag:R", "cost:R"
CARD, MEN = "piece:Card", "piece:Man"
CARDS, PEOPLE, CELLS, LINES, SEATS = "set<piece:Card>", "set<piece:Man>", "set<cell:G>", "set<set<cell:G>>", "set<seat>"
Z = 1 << 16

# kinds: Card (red 0, blue 1) counts, Man (man 2, 3 alike; boss 4..7 one per seat, scout 8, 9) individuals
# zones: deck 0 (pile), hand 1..5 (per seat and for one automaton), square 6..11 (per cell),
# stack 12 (pile), rack 13..22 (per seat and colour)
DECK, HAND, SQUARE, STACK, RACK = 0, 1, 2, 3, 4
COINS, SHED, PICK, MEMORY = 0, 1, 2, 3
LEVEL, LOAD = 0, 1


GIVEN: dict[tuple[str, int], int] = {}
"""Type and value of what cases read -> its variable."""


def n(value: int, type_: str = INT) -> Expr:
    """A value that the state holds, in a variable: nothing of it is folded."""
    return var(MEMORY + 1 + GIVEN.setdefault((type_, int(value)), len(GIVEN)), type_=type_)


def seat(value: int) -> Expr:
    return n(value, SEAT)


def yes(value: bool = True) -> Expr:
    return n(value, BOOL)


def ints(*values: int) -> Expr:
    return e("list", "set<int>", *(n(value) for value in values))


def bag(*counts: int) -> Expr:
    return e("bag", BAG, *(n(count) for count in counts))


def cost(*counts: int) -> Expr:
    return e("cost", COST, bag(*counts))


def cell(value: int) -> Expr:
    return n(value, CELL)


def cells(*values: int) -> Expr:
    return e("list", CELLS, *(cell(value) for value in values))


def man(value: int) -> Expr:
    return n(value, MEN)


def card(handle: int) -> Expr:
    return n(handle, CARD)


hand = e("pieces", CARDS, zone(HAND, seat(0)))
deck = zone(DECK)
x = local(0)
even = e("eq", BOOL, e("mod", INT, x, n(2)), n(0))
worth = e("attr", INT, 0, 1, local(0, CARD))
red = e("eq", BOOL, e("attr", COLOUR, 0, 0, local(0, CARD)), n(0, COLOUR))
wild = e("wild", COST, 2, n(1), bag(1, 1), 0)
shed = e("purse", "purse:R", SHED, seat(0))
shed1 = e("purse", "purse:R", SHED, seat(1))
loads = e("purses_of", "set<purse:R>", LOAD, e("family", PEOPLE, SQUARE))
pair = e("purses_of", "set<purse:R>", LOAD, e("family", PEOPLE, SQUARE, cell(1)))

CASES: list[tuple[Expr, Any]] = [
    (const(7), 7),
    (e("add", INT, e("option", INT, 0), var(COINS, seat(0))), 15),
    (e("option", INT, 0), 8),
    (e("player_count", INT), 4),
    (e("seen", INT, MEMORY, n(1), seat(1)), 2),
    (e("seen", INT, MEMORY, n(1), seat(2)), 0),
    (zone(HAND, seat(1)), 2),
    (var(COINS, seat(1)), 8),
    (e("var", BAG, SHED, seat(0)), (1, 2)),
    (e("pvar", INT, LEVEL, man(3)), 5),
    (e("pvar", BAG, LOAD, man(2)), (0, 1)),
    (e("zone_of", "opt<zone>", man(4)), 6),
    (e("players", SEATS), [0, 1, 2]),
    (e("everyone", SEATS), [0, 1, 2, 3]),
    (e("parties", SEATS), [0, 1, 2, 4]),
    (e("automaton", "opt<seat>", 0), 4),
    (e("automaton", "opt<seat>", 1), -1),
    (e("others", SEATS, seat(1)), [0, 2]),
    (e("opponents", SEATS, seat(0)), []),
    (e("opponents", SEATS, seat(3)), [0, 1, 2]),
    (e("teammates", SEATS, seat(1)), [0, 2]),
    (e("next_player", SEAT, seat(2)), 0),
    (e("next_player", SEAT, seat(0)), 1),
    (e("previous_player", SEAT, seat(0)), 2),
    (e("next_player", SEAT, seat(3)), 0),
    (e("players_from", SEATS, seat(1)), [1, 2, 0]),
    (e("players_from", SEATS, seat(3)), [0, 1, 2]),
    (e("players_after", SEATS, seat(1)), [2, 0]),
    (e("seat_of", "opt<seat>", n(3)), 3),
    (e("seat_of", "opt<seat>", e("add", INT, var(COINS, seat(0)), n(0))), -1),
    (e("cast", INT, seat(2)), 2),
    (e("sub", INT, n(3), var(COINS, seat(0))), -4),
    (e("mul", INT, n(3), var(COINS, seat(0))), 21),
    (e("div", INT, n(-7), n(2)), -4),
    (e("div", INT, var(COINS, seat(0)), n(-2)), -4),
    (e("mod", INT, n(-7), n(3)), 2),
    (e("neg", INT, var(COINS, seat(0))), -7),
    (e("abs", INT, e("neg", INT, var(COINS, seat(0)))), 7),
    (e("min2", INT, var(COINS, seat(0)), n(3)), 3),
    (e("max2", INT, var(COINS, seat(0)), n(3)), 7),
    *(
        (e(op, BOOL, var(COINS, seat(0)), right), answer)
        for op, answers in (("eq", "010"), ("ne", "101"), ("lt", "001"), ("le", "011"), ("gt", "100"), ("ge", "110"))
        for right, answer in zip((n(6), n(7), var(COINS, seat(1))), map(int, answers), strict=True)
    ),
    (e("same", BOOL, bag(1, 2), e("var", BAG, SHED, seat(0))), True),
    (e("same", BOOL, card(Z), card(2 * Z)), True),
    (e("same", BOOL, hand, e("list", CARDS, card(0), card(0), card(1))), True),
    (e("and", BOOL, yes(False), e("eq", BOOL, e("div", INT, n(1), n(0)), n(0))), False),
    (e("and", BOOL, yes(), e("lt", BOOL, n(5), n(6))), True),
    (e("and", BOOL, yes(), yes(False)), False),
    (e("or", BOOL, yes(False), yes(False)), False),
    (e("or", BOOL, yes(), e("eq", BOOL, e("div", INT, n(1), n(0)), n(0))), True),
    (e("or", BOOL, e("eq", BOOL, var(COINS, seat(0)), n(7)), yes(False)), True),
    (e("not", BOOL, e("eq", BOOL, var(COINS, seat(0)), n(7))), False),
    (e("not", BOOL, e("lt", BOOL, n(6), n(5))), True),
    (e("if", INT, e("eq", BOOL, var(COINS, seat(0)), n(7)), n(1), n(2)), 1),
    (e("if", INT, yes(), var(COINS, seat(0)), n(2)), 7),
    (e("if", INT, yes(False), n(2), var(COINS, seat(0))), 7),
    (e("is_none", BOOL, e("top", "opt<piece:Card>", zone(HAND, seat(1)))), True),
    (e("otherwise", INT, e("max", "opt<int>", 0, ints(), x), n(9)), 9),
    (e("let", INT, 0, n(4), e("add", INT, x, x)), 8),
    (e("mask", INT, ints(0, 3)), 9),
    (e("mask", INT, ints(0, 63)), 1 - (1 << 63)),
    (e("meets", BOOL, n(6), n(5)), True),
    (e("bit_and", INT, n(6), n(5)), 4),
    (e("bit_or", INT, n(6), n(5)), 7),
    (e("bit_xor", INT, n(6), n(-1)), -7),
    (e("ones", INT, n(-(1 << 63) + 5)), 3),
    (e("cell", INT, 0, n(6)), 6),
    (e("offered", BOOL, 0, e("eq", BOOL, n(6), n(5))), False),
    (e("offered", BOOL, 0, e("lt", BOOL, n(5), n(6))), True),
    (e("elements", "set<seat>", n(5)), [0, 2]),
    (e("pick", INT, n(1), 7, 8, 9), 8),
    (e("in_mask", BOOL, n(3), n(9)), True),
    (e("containing", LINES, e("lines", LINES, 0, const(3)), cell(4)), [[3, 4, 5]]),
    (e("containing", "set<int>", e("list", "set<int>", const(6), const(9), const(3)), cell(1)), [6, 3]),
    (e("lookup", INT, var(COINS, seat(0)), const(3), n(30), const(7), n(70), const(8), n(80)), 70),
    (e("lookup", INT, n(2), const(3), var(COINS, seat(0))), 0),
    (e("lookup", INT, n(4), const(3), var(COINS, seat(0))), 7),
    (e("lookup", INT, n(4), const(3), n(30)), 30),
    (e("lookup", "set<int>", n(4), const(LOWEST), ints(1), const(3), ints(5, 5, 7)), [5, 5, 7]),
    (e("lookup", "enum:Colour", n(2), const(LOWEST), n(1, "enum:Colour"), const(3), n(0, "enum:Colour")), 1),
    (hand, [Z, Z, Z + 1]),
    (e("pieces", CARDS, deck), [1, 0, 0]),
    (e("family", CARDS, HAND), [Z, Z, Z + 1]),
    (e("family", PEOPLE, SQUARE, cell(1)), [2, 3]),
    (e("family", CARDS, RACK, seat(1)), [15 * Z, 16 * Z + 1]),
    (e("family", CARDS, RACK, seat(1), n(1, COLOUR)), [16 * Z + 1]),
    (e("top", "opt<piece:Man>", zone(STACK)), 8),
    (e("tops", PEOPLE, zone(STACK), n(2)), [8, 9]),
    (e("bottom", "opt<piece:Man>", zone(STACK)), 9),
    (e("size", INT, deck), 3),
    (e("top", "opt<piece:Card>", deck), 1),
    (e("bottom", "opt<piece:Card>", deck), 0),
    (e("tops", CARDS, deck, n(2)), [1, 0]),
    (e("bottoms", CARDS, deck, n(2)), [0, 0]),
    (e("bottoms", CARDS, deck, n(3)), [0, 0, 1]),
    (e("tops", CARDS, deck, n(-1)), []),
    (e("attr", INT, 0, 1, card(Z + 1)), 4),
    (e("eattr", INT, 0, 0, n(1, COLOUR)), 20),
    (e("eattr", SEATS, 2, 0, n(1, "enum:Side")), [1, 2]),
    (e("gattr", INT, 0, 0, cell(5)), 105),
    (e("owner", "opt<seat>", card(2 * Z)), 1),
    (e("owner", "opt<seat>", card(0)), -1),
    (e("owner", "opt<seat>", man(5)), 1),
    (e("owner", "opt<seat>", man(2)), -1),
    (e("in_zone", BOOL, card(0), zone(HAND, seat(0))), True),
    (e("in_zone", BOOL, card(0), zone(HAND, seat(1))), False),
    (e("in_zone", BOOL, man(2), zone(SQUARE, cell(1))), True),
    (e("cell_of", "opt<cell:G>", 0, man(2)), 1),
    (e("cell_of", "opt<cell:G>", 0, card(Z)), -1),
    (e("alike", BOOL, man(2), man(3)), True),
    (e("alike", BOOL, man(4), man(5)), False),
    (e("eq", BOOL, e("sort_of", INT, man(2)), e("sort_of", INT, man(3))), True),
    (e("sort_of", INT, card(Z + 1)), 1),
    (e("is_def", BOOL, card(Z + 1), 1), True),
    (e("is_def", BOOL, man(4), 0), False),
    (e("individual", MEN, 1, 1, seat(2)), 6),
    (e("active", PEOPLE, 1, 0, 1), [4, 5, 6, 7, 2, 3]),
    (e("active", CARDS, 0, 1), [Z + 1]),
    (e("relocate", CARDS, hand, deck), [0, 0, 1]),
    (e("relocate", "opt<piece:Card>", e("top", "opt<piece:Card>", deck), zone(HAND, seat(1))), 2 * Z + 1),
    (e("relocate", "opt<piece:Card>", e("top", "opt<piece:Card>", zone(HAND, seat(1))), deck), -1),
    (e("relocate", MEN, man(2), zone(SQUARE, cell(0))), 2),
    (e("list", "set<bool>", e("eq", BOOL, var(COINS, seat(0)), n(7))), [1]),
    (ints(3, 1), [3, 1]),
    (e("domain", "set<enum:Colour>", COLOUR), [0, 1]),
    (e("domain", "set<dir>", DIR), list(range(8))),
    (e("domain", SEATS, SEAT), [0, 1, 2, 3]),
    (e("numbers", "set<int>", n(2), var(COINS, seat(0))), [2, 3, 4, 5, 6, 7]),
    (e("numbers", "set<int>", n(2), n(4)), [2, 3, 4]),
    (e("filter", "set<int>", 0, ints(1, 2, 4), even), [2, 4]),
    (e("filter", CARDS, 0, hand, red), [Z, Z]),
    (e("filter", CARDS, 0, e("list", CARDS, card(Z), card(Z + 1)), red), [Z]),
    (e("filter", "set<int>", 0, ints(1, 2), e("member", BOOL, x, ints(2, 3))), [2]),
    (e("map", "set<int>", 0, ints(1, 2), e("add", INT, x, n(1))), [2, 3]),
    (e("map", "set<int>", 0, e("pieces", CARDS, deck), worth), [4, 3, 3]),
    (e("map", "set<bool>", 0, ints(1, 2), even), [0, 1]),
    (e("flatten", "set<int>", 0, ints(1, 2), e("numbers", "set<int>", n(1), x)), [1, 1, 2]),
    (e("reachable", CELLS, 0, cells(0, 1), e("neighbours", CELLS, 0, local(0, CELL))), [0, 1, 3, 2, 4, 5]),
    (e("sum", INT, 0, hand, worth), 10),
    (e("sum", INT, 0, ints(1, 2), e("mul", INT, x, x)), 5),
    (e("sum", BAG, 0, ints(1, 2), bag(1, 3)), (2, 6)),
    (e("sum", COST, 0, ints(1, 2), wild), ((0, 0), ((2, 3, 0),))),
    (e("any", BOOL, 0, ints(1, 2), even), True),
    (e("all", BOOL, 0, ints(1, 2), even), False),
    (e("all", BOOL, 0, ints(4, 2), even), True),
    (e("any", BOOL, 0, ints(1, 3), even), False),
    (e("any", BOOL, 0, hand, red), True),
    (e("all", BOOL, 0, hand, red), False),
    (e("all", BOOL, 0, e("pieces", CARDS, zone(HAND, seat(1))), red), True),
    (e("max", "opt<int>", 0, ints(3, 5), x), 5),
    (e("min", "opt<int>", 0, ints(3, 5), x), 3),
    (e("most", "set<int>", 0, ints(4, 3, 2), e("mod", INT, x, n(2))), [3]),
    (e("most", "set<int>", 0, ints(5, 4, 3), e("mod", INT, x, n(2))), [5, 3]),
    (e("fewest", "set<int>", 0, ints(4, 3, 2), e("mod", INT, x, n(2))), [4, 2]),
    (e("count", INT, hand), 3),
    (e("count", INT, ints(3, 1)), 2),
    (e("count", INT, e("filter", CARDS, 0, hand, red)), 2),
    (e("count", INT, e("pieces", CARDS, zone(HAND, e("cast", SEAT, n(1))))), 0),
    (e("total", INT, ints(1, 2, 3)), 6),
    (e("distinct", "set<int>", ints(3, 1, 3)), [3, 1]),
    (e("distinct_by", "set<int>", 0, ints(3, 1, 5, 4), e("mod", INT, x, n(3))), [3, 1, 5]),
    (e("distinct", "set<set<int>>", e("list", "set<set<int>>", ints(1), ints(2), ints(1))), [[1], [2]]),
    (e("member", BOOL, n(3), ints(3, 1)), True),
    (e("union", "set<int>", ints(1), ints(1, 2)), [1, 1, 2]),
    (e("difference", "set<int>", ints(1, 2, 1, 3), ints(1, 4)), [2, 1, 3]),
    (e("group", "set<set<int>>", 0, ints(3, 1, 2), e("mod", INT, x, n(2))), [[2], [3, 1]]),
    (e("most", "set<int>", 0, ints(4, 2, 3), e("list", "set<int>", e("mod", INT, x, n(2)), n(7))), [3]),
    (e("fewest", "set<int>", 0, ints(4, 3, 2), e("list", "set<int>", e("mod", INT, x, n(2)))), [4, 2]),
    (e("descending", "set<int>", 0, ints(4, 3, 2, 5), e("mod", INT, x, n(2))), [3, 5, 4, 2]),
    (e("ascending", "set<int>", 0, ints(4, 3, 2, 5), e("mod", INT, x, n(2))), [4, 2, 3, 5]),
    (e("descending", "set<int>", 0, ints(3, 1, 2), e("list", "set<int>", n(1), x)), [3, 2, 1]),
    (e("precedes", BOOL, ints(1, 2), ints(1, 2, 0)), True),
    (e("precedes", BOOL, ints(1, 3), ints(1, 2, 0)), False),
    (e("precedes", BOOL, ints(2), ints(2)), False),
    (e("runs", "set<set<int>>", 0, ints(7, 3, 4, 9, 3, 8), x), [[3, 3, 4], [7, 8, 9]]),
    (e("runs", "set<set<int>>", 0, ints(3, 5), x), [[3], [5]]),
    (e("subsets", "set<set<int>>", ints(1, 2, 1, 3), n(2)), [[1, 1], [1, 2], [1, 3], [2, 3]]),
    (e("subsets", "set<set<int>>", ints(1, 2), n(0)), [[]]),
    (e("subsets", "set<set<int>>", ints(1, 2), n(3)), []),
    (e("subsets", "set<set<int>>", ints(1, 2), n(-1)), []),
    (e("placed", "opt<int>", seat(0)), LOWEST),
    (e("at", INT, ints(4, 5), n(1)), 5),
    (e("first", "opt<int>", ints(4, 5)), 4),
    (e("first", "opt<int>", e("numbers", "set<int>", n(2), n(1))), -(2**63)),
    (e("last", "opt<int>", ints(4, 5)), 5),
    (e("last", "opt<int>", e("numbers", "set<int>", n(2), n(1))), -(2**63)),
    (e("firsts", "set<int>", ints(1, 2, 3), n(2)), [1, 2]),
    (e("lasts", "set<int>", ints(1, 2, 3), n(2)), [2, 3]),
    (e("lasts", "set<int>", ints(1, 2, 3), n(0)), []),
    (e("reaction", "reaction", 5, card(Z)), (5 << 32) + Z + 1),
    (e("reaction_handler", INT, e("reaction", "reaction", 5, card(Z))), 5),
    (e("reaction_piece", CARD, e("reaction", "reaction", 5, card(Z))), Z),
    (e("reaction_owner", "opt<seat>", e("reaction", "reaction", 5, card(2 * Z))), 1),
    (e("reaction_owner", "opt<seat>", e("reaction", "reaction", 5, n(-1))), -1),
    (e("reaction_order", SEATS, seat(1)), [1, 2, 0, 3, 4]),
    (e("reaction_order", SEATS, n(-1)), [0, 1, 2, 3, 4]),
    (e("mark_code", INT, 2, seat(1)), 14),
    (e("mark_code", INT, 2, n(-1)), 18),
    (e("get_seat", INT, e("map", "seats<int>", 0, e("everyone", SEATS), var(COINS, local(0, SEAT))), seat(1)), 8),
    (e("answer", INT, e("map", "seats<opt<int>>", 0, e("everyone", SEATS), var(COINS, local(0, SEAT))), seat(1)), 8),
    (e("bag", BAG, n(1), var(COINS, seat(0))), (1, 7)),
    (e("bag_add", BAG, bag(1, 2), e("var", BAG, SHED, seat(0))), (2, 4)),
    (e("bag_sub", BAG, bag(0, 5), e("var", BAG, SHED, seat(0))), (0, 3)),
    (e("bag_scale", BAG, n(3), bag(1, 2)), (3, 6)),
    (e("bag_get", INT, e("var", BAG, SHED, seat(0)), 1), 2),
    (e("bag_get", INT, e("bag_add", BAG, bag(1, 1), e("var", BAG, SHED, seat(0))), 1), 3),
    (e("bag_pick", INT, e("var", BAG, SHED, seat(0)), n(1, "enum:R")), 2),
    (e("bag_one", BAG, 2, n(1, "enum:R")), (0, 1)),
    (e("bag_size", INT, e("var", BAG, SHED, seat(0))), 3),
    (e("bag_clamp", BAG, bag(4, 5), n(3)), (3, 3)),
    (e("bag_clamp", BAG, bag(4, 5), n(-1), n(2), n(-1)), (2, 5)),
    (e("placements", "set<bag:R>", e("var", BAG, SHED, seat(0)), bag(2, 2), n(5), n(3)), [(3, 2), (2, 3)]),
    (e("placements", "set<bag:R>", bag(0, 3), wild, n(-1), n(3)), [(1, 3), (0, 3)]),
    (cost(1, 0), ((1, 0), ())),
    (wild, ((0, 0), ((1, 3, 0),))),
    (e("wild", COST, 2, n(2), bag(0, 1), 1), ((0, 0), ((2, 2, 1),))),
    (e("cost_add", COST, cost(1, 0), wild), ((1, 0), ((1, 3, 0),))),
    (e("cost_sub", COST, e("cost_add", COST, cost(1, 0), wild), bag(2, 0)), ((0, 0), ())),
    (e("cost_sub", COST, cost(2, 1), bag(1, 0)), ((1, 1), ())),
    (e("cost_scale", COST, n(2), wild), ((0, 0), ((2, 3, 0),))),
    (e("cost_either", COST, wild, cost(2, 0)), ((0, 0), ((1, 3, 2), (2, 1, 4)))),
    (e("cost_fixed", BAG, e("cost_add", COST, cost(1, 0), wild)), (1, 0)),
    (e("cost_size", INT, e("cost_add", COST, cost(1, 0), wild)), 2),
    (e("bag_kinds", "set<enum:R>", bag(0, 2)), [1]),
    (e("bag_kinds", "set<enum:R>", e("var", BAG, SHED, seat(0))), [0, 1]),
    (e("sub_bags", "set<bag:R>", e("var", BAG, SHED, seat(0)), n(1), n(2)), [(1, 0), (0, 1), (1, 1), (0, 2)]),
    (e("expansions", "set<bag:R>", wild), [(1, 0), (0, 1)]),
    (e("holdings", BAG, shed), (1, 2)),
    (e("holdings", BAG, loads), (1, 1)),
    (e("holdings", BAG, e("purses", "set<purse:R>", shed, loads, shed)), (2, 3)),
    (e("holdings", BAG, e("purses", "set<purse:R>", shed, loads)), (2, 3)),
    (e("can_pay", BOOL, cost(1, 2), shed), True),
    (e("can_pay", BOOL, cost(2, 0), shed), False),
    (e("payments", "set<payment:R>", wild, shed), [(1, 0), (0, 1)]),
    (e("payments", "set<payment:R>", cost(1, 1), pair), [(0, 1, 1, 0)]),
    (e("payments", "set<payment:R>", cost(2, 3), e("purses", "set<purse:R>", shed, pair)), [(1, 2, 0, 1, 1, 0)]),
    (
        e("payments", "set<payment:R>", cost(0, 3), e("purses", "set<purse:R>", shed, shed1)),
        [(0, 2, 0, 1), (0, 1, 0, 2)],
    ),
    (e("toward", "opt<cell:G>", 0, cell(4), n(0, DIR)), 1),
    (e("edge", "opt<enum:Edge>", 0, cell(4), n(0, DIR)), 1),
    (e("edge", "opt<enum:Edge>", 0, cell(1), cell(4)), 1),
    (e("edge", "opt<enum:Edge>", 0, cell(1), cell(5)), -1),
    (e("corner", "opt<enum:Corner>", 0, cell(0), n(3, DIR)), 1),
    (e("corner", "opt<enum:Corner>", 0, cell(0), n(5, DIR)), -1),
    (e("touching", "set<enum:Corner>", 0, cell(4)), [2, 1]),
    (e("touching", CELLS, 0, n(1, "enum:Edge")), [1, 4]),
    (e("touching", "set<enum:Edge>", 0, n(0, "enum:Edge")), [1]),
    (e("turned", DIR, 0, cell(0), n(1, DIR), n(-1)), 7),
    (e("ray", CELLS, 0, cell(0), n(2, DIR)), [1, 2]),
    (e("neighbours", CELLS, 0, cell(0)), [1, 3]),
    (e("distance", INT, 0, cell(0), cell(5)), 3),
    (e("region", CELLS, 0, cell(0), cells(0, 3, 5)), [0, 3]),
    (e("on_edge", BOOL, 0, cell(4)), True),
    (e("lines", LINES, 0, n(3)), [[0, 1, 2], [3, 4, 5]]),
    (e("column", INT, 0, cell(5)), 3),
    (e("row", INT, 0, cell(5)), 2),
    (e("cell_at", "opt<cell:G>", 0, n(3), n(2)), 5),
    (e("opposite", DIR, n(1, DIR)), 5),
    (e("direction", "opt<dir>", 0, cell(0), cell(4)), 3),
    (e("call", INT, 2, var(COINS, seat(0))), 14),
    (e("possible", BOOL, 2, e("eq", BOOL, var(COINS, seat(0)), n(7)), n(1)), True),
    (e("deferred", BOOL, "turn"), False),
    (e("deferred", BOOL, "round"), True),
]  # fmt: skip


def machine_for(*functions: Expr, fuel: int = 10_000) -> Machine:
    """A machine whose procedures 3, 4, … return the expressions."""
    whole = program(
        nothing(),
        nothing("play"),
        function("double", e("mul", INT, n(2), x), INT),
        *(function(f"f{k}", expr, more=(INT, INT)) for k, expr in enumerate(functions)),
        players=(4,),
        teams=((4, ((0, 1, 2),)),),
        automata=(AutomatonTable("engine", (4,)), AutomatonTable("other", (1,))),
        options=(OptionTable("deck", INT, (8, 9), (), 8),),
        enums=(
            EnumTable("Colour", ("red", "blue"), (("worth", INT, (const(10), const(20))),)),
            EnumTable("R", ("nut", "oil")),
            EnumTable("Side", (), between=((4, ((0, 1), (1, 2), (2, 3), (3, 0))),)),
            EnumTable("Edge", ("a1_b1", "b1_b2"), points=(((1, -1), (1, 1)), ((1, 1), (3, 1)))),
            EnumTable(
                "Corner", ("a1_northeast", "a1_southeast", "b1_southeast"), points=(((1, -1),), ((1, 1),), ((3, 1),))
            ),
        ),
        grids=(square(3, 2),),
        kinds=(
            kind(
                "Card",
                definition("red", 4, zone(DECK), const(0, COLOUR), const(3)),
                definition("blue", 2, zone(DECK), const(1, COLOUR), const(4)),
                attributes=(("colour", COLOUR), ("worth", INT)),
                active=(HAND,),
            ),
            kind(
                "Man",
                definition("man", 2, zone(SQUARE, const(1, CELL))),
                definition("boss", 1, zone(SQUARE, const(0, CELL)), per_player=True),
                definition("scout", 2, zone(STACK)),
                identity=True,
                variables=(LEVEL, LOAD),
                active=(SQUARE,),
            ),
        ),
        zones=(
            place("deck", pile=True),
            place("hand", 0, SEAT),
            place("square", 1, CELL),
            place("stack", 1, pile=True),
            place("rack", 0, SEAT, COLOUR),
        ),
        variables=(
            variable("coins", SEAT, start=e("add", INT, local(0, SEAT), const(7))),
            variable("shed", SEAT, type_=BAG, start=folded(bag(1, 2))),
            variable("pick", type_="opt<piece:Man>", start=const(-1, "opt<piece:Man>")),
            variable("memory", internal=True),
            *(
                variable(f"given{k}", type_=type_, low=v, high=v, start=const(v, type_))
                for (type_, v), k in GIVEN.items()
            ),
        ),
        piece_variables=(variable("level", start=5), variable("load", type_=BAG, start=folded(bag(0, 1)))),
        positions=(PositionTable(MEMORY, (STACK,), (COINS,), (INT, SEAT), ((0, 9), (0, 0)), 0, 0, 9),),
        fuel=fuel,
    )
    grid = whole.grids[0]
    values = tuple(const(100 + cell) for cell in range(6))
    return Machine(whole_with_grid(whole, (("height", INT, values),), grid), 4)


def whole_with_grid(whole: Any, attributes: Any, grid: Any) -> Any:
    return replace(whole, grids=(replace(grid, attributes=attributes),))


def position(machine: Machine) -> State:
    """Seat 0 holds two red and one blue; seat 3 is out; two men have loads."""
    return filled(machine.new_state())


def filled(state: State) -> State:
    """A new state with that position."""
    layout = state.layout
    state.z[0] = [0, 0, 1]
    state.z[1] = [0, 0, 1]
    state.z[15], state.z[16] = [0], [1]
    state.out = 8
    if MEMORY in layout.positions and layout.positions[MEMORY].room:
        form = layout.positions[MEMORY]
        for number, party in ((1, 1), (0, 2), (1, 1)):
            assert form.remember(state, [number, party])
    state.deferred = DEFERRALS["round"]
    state.v[layout.pvar_cell(LOAD, 3)] = 1
    state.v[layout.pvar_cell(LOAD, 3) + 1] = 0
    for item in (4, 5, 6, 7):
        start = layout.pvar_cell(LOAD, item)
        state.v[start : start + 2] = [0, 0]
    return state


def given(expr: Expr) -> Iterator[Expr]:
    """The parts of an expression that are values in variables of their own."""
    return (part for part in subexpressions(expr) if part.op == "var" and index(part) > MEMORY)


def folded(expr: Expr, *rest: Expr) -> Expr:
    """The same with constants for the values in variables, but for some."""
    if expr.op == "var" and index(expr) > MEMORY:
        values = {number: key for key, number in GIVEN.items()}
        type_, value = values[index(expr) - MEMORY - 1]
        return expr if any(expr is part for part in rest) else const(value, type_)
    return mapped(expr, lambda part: folded(part, *rest))


def variants(expr: Expr) -> list[Expr]:
    """An expression whose values come from the state: all, none, each alone, all but one."""
    parts = list(given(expr))
    some = [[part] for part in parts] + [[other for other in parts if other is not part] for part in parts]
    return [expr, *(folded(expr, *kept) for kept in ([], *some))]


ROWS = [(each, answer) for expr, answer in CASES for each in variants(expr)]
OWN = {
    op: [place for place, (expr, _) in enumerate(ROWS) if expr.op == op]
    or [place for place, (expr, _) in enumerate(ROWS) if any(part.op == op for part in subexpressions(expr))]
    for op in EXPRESSIONS
}
"""Operation -> the rows whose outermost operation it is, or else those in which it stands."""


ENDED = {"placed": [(DECLARED, 0b0001, 0), (DECLARED, 0b0010, 0), (DECLARED, 0b1000, 1), (TIED, 0, 0)]}
"""Operation -> how the game has ended, who was declared winner, and what the operation's cases give then."""


@cache
def whole() -> Program:
    """A program whose procedures from the third on are the rows."""
    return machine_for(*(expr for expr, _ in ROWS)).program


def wrong(op: str) -> list[str]:
    """The rows of an operation that give something else, with what they give. One program, laid out fast."""
    machine = Machine(whole(), 4)
    state = position(machine)
    told = []
    for row in OWN[op]:
        expr, wanted = ROWS[row]
        value = machine.evaluate(state, 3 + row)
        if value != wanted or (isinstance(wanted, list) and repr(value) != repr(wanted)):
            told.append(f"{shown(expr)} gives {value}, not {wanted}")
        for over, winners, then in ENDED.get(op, ()):
            ended = position(machine)
            ended.over, ended.winners = over, winners
            value = machine.evaluate(ended, 3 + row)
            if value != then:
                told.append(f"{shown(expr)} gives {value}, not {then}, in a game that is over ({over}, {winners})")
    return told


@pytest.mark.parametrize("op", EXPRESSIONS)
def test_values(op: str) -> None:
    """An operation gives the value that its documentation says, whichever operands are constants."""
    assert wrong(op) == []


def test_values_come_from_the_state() -> None:
    """No case is folded whole but those of operations without an operand that a state could hold."""
    constants = Constants(Machine(whole(), 4).layout)
    fixed = {expr.op for expr, _ in CASES if constants.known(expr) is not UNKNOWN}
    assert fixed == {"const", "player_count", "option", "automaton", "everyone", "domain"} & fixed


def test_every_operation_has_a_case_and_a_builder() -> None:
    """The tables of operations are covered: by the interpreter, and by the cases above."""
    assert {*BUILDERS, *PURE, *BOUND, "const"} == set(EXPRESSIONS)
    assert set(STATEMENT_BUILDERS) == set(STATEMENTS)
    assert [op for op, rows in OWN.items() if not rows] == []


@pytest.mark.parametrize(
    "expr",
    [
        e("div", INT, var(COINS, seat(0)), e("sub", INT, n(3), n(3))),
        e("mod", INT, var(COINS, seat(0)), n(0)),
        e("mul", INT, n(1 << 62), e("abs", INT, n(2))),
        e("add", INT, e("mul", INT, n(1 << 62), n(1)), e("mul", INT, n(1 << 62), n(1))),
        e("neg", INT, n(-(1 << 63))),
        e("sum", INT, 0, ints(1 << 62, 1 << 62), x),
        e("total", INT, ints(1 << 62, 1 << 62)),
        e("top", "opt<piece:Card>", deck),
        e("tops", CARDS, deck, n(1)),
    ],
)
def test_errors_name_the_rule(expr: Expr) -> None:
    """Overflow, division by zero and reading what nobody has seen are errors of the rule."""
    machine = machine_for(expr)
    state = position(machine)
    state.pools = [[0, 0, 1]]
    state.z[0] = [-1, -1, -1]
    with pytest.raises(RuleError, match=r"^rule: "):
        machine.evaluate(state, 3)


@pytest.mark.parametrize(
    "expr",
    [
        e("numbers", "set<int>", n(0), n(1 << 40)),
        e(
            "sum",
            INT,
            0,
            e("numbers", "set<int>", n(1), n(60)),
            e("sum", INT, 1, e("numbers", "set<int>", n(1), n(60)), e("count", INT, e("players", "set<seat>"))),
        ),
        e(
            "flatten",
            "set<int>",
            0,
            ints(1, 2, 3),
            e("numbers", "set<int>", n(1), e("add", INT, n(78), e("count", INT, e("players", "set<seat>")))),
        ),
        e("expansions", "set<bag:R>", e("cost_scale", COST, n(1 << 30), wild)),
        e("sub_bags", "set<bag:R>", bag(1000, 1000), n(0), n(1000)),
        e("placements", "set<bag:R>", bag(0, 0), bag(1000, 1000), n(1000), n(-1)),
    ],
)
def test_loops_use_fuel(expr: Expr) -> None:
    """A hostile comprehension runs out of fuel instead of memory or time."""
    machine = machine_for(expr, fuel=100)
    with pytest.raises(FuelError):
        machine.evaluate(position(machine), 3)
    assert position(machine).fuel == 100


def test_unknown_pieces_are_not_listed() -> None:
    """`pieces` and counts leave out what nobody has seen; `size` counts it."""
    machine = machine_for(
        e("pieces", CARDS, zone(HAND, seat(0))),
        e("count", INT, hand),
        e("size", INT, zone(HAND, seat(0))),
        e("sum", INT, 0, hand, worth),
        e("filter", CARDS, 0, hand, red),
    )
    state = position(machine)
    state.pools = [[0, 1]]
    state.z[1] = [-1, 0, 1]
    state.z[2] = [-1]
    assert [machine.evaluate(state, 3 + k) for k in range(5)] == [[Z, Z + 1], 2, 3, 7, [Z]]
