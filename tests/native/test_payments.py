"""Bags, costs and payments in C give what rulelang.runtime.payments gives: every operation, on random states."""

from __future__ import annotations

import ctypes
import itertools
import random
import re
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

import rulelang.native
from rulelang import limits
from rulelang.diagnostics import FuelError, RuleError
from rulelang.interpreter import Machine
from rulelang.interpreter.bags import purse_cells
from rulelang.ir.nodes import Expr
from rulelang.ir.program import EnumTable
from rulelang.ir.walk import subexpressions
from rulelang.native import bags, purses
from rulelang.native.build import built
from rulelang.native.compilers import find_compiler
from rulelang.native.expressions import Environment, Writer, compound
from rulelang.native.source import CSource
from rulelang.runtime import payments
from rulelang.runtime.state import State
from rulelang.vocabulary.types import Type
from tests.interpreter.build import (
    const,
    definition,
    e,
    function,
    kind,
    local,
    nothing,
    place,
    program,
    var,
    variable,
    zone,
)
from tests.soak import soaking, times

HEADERS = Path(rulelang.native.__file__).parent / "c"
INT, BOOL, SEAT, BAG, COST, MEN, R = "int", "bool", "seat", "bag:R", "cost:R", "piece:Man", "enum:R"
SETS = {
    "bags": "set<bag:R>",
    "purses": "set<purse:R>",
    "payments": "set<payment:R>",
    "ints": "set<int>",
    "men": "set<piece:Man>",
}
PILE, MASK, DEBT, NUMBER = range(4)
LOAD = 0
MEN_THERE = 3
LONG = ctypes.POINTER(ctypes.c_int64)
FUEL = 10_000
FLAGS = (
    "-shared", "-fPIC", "-std=gnu11", "-O0", "-Wall", "-Wextra", "-Werror", "-Wno-parentheses", "-Wno-unused-function",
    "-Wno-unused-parameter", "-fsanitize=undefined", "-fsanitize-undefined-trap-on-error",
)  # fmt: skip

pytestmark = pytest.mark.usefixtures("compiler")


# ---- expressions ----------------------------------------------------------------------------------------


def seat(number: int) -> Expr:
    return const(number, SEAT)


def number(place_: int) -> Expr:
    return var(NUMBER, seat(place_))


def pile(place_: int) -> Expr:
    return var(PILE, seat(place_), type_=BAG)


def mask(place_: int) -> Expr:
    return var(MASK, seat(place_), type_=BAG)


def purse(place_: int) -> Expr:
    return e("purse", "purse:R", PILE, seat(place_))


def fixed(*counts: int) -> Expr:
    return e("bag", BAG, *map(const, counts))


def wild(width: int, count: Expr, mask_: Expr, identical: int) -> Expr:
    return e("wild", COST, width, count, mask_, identical)


def both(*costs: Expr) -> Expr:
    first, *rest = costs
    return e("cost_add", COST, first, both(*rest)) if rest else first


def expressions(width: int) -> list[Expr]:
    """Every operation of the module in several shapes."""
    debt = var(DEBT, type_=BAG)
    some_kind = e("cast", R, e("mod", INT, number(1), const(width)))
    any_kind = e("cast", R, e("max2", INT, number(2), const(0)))
    a, b, c = pile(0), pile(1), pile(2)
    debts = e("cost", COST, debt)
    loads = e("purses_of", SETS["purses"], LOAD, e("list", SETS["men"], *(const(k, MEN) for k in range(MEN_THERE))))
    one_load = e("pvar", BAG, LOAD, const(1, MEN))
    all_purses = e("purses", SETS["purses"], purse(1), loads, purse(0), purse(1))
    two = e("purses", SETS["purses"], purse(0), purse(2))
    alone = e("purses", SETS["purses"], purse(1))
    numbers = e("list", SETS["ints"], *map(const, range(8)))
    place_of_x = e("cast", SEAT, e("mod", INT, local(0), const(3)))
    kind_of_x = e("cast", R, e("mod", INT, local(0), const(width)))
    ten = fixed(*((k * 2 + 1) % 3 for k in range(width)))
    owed = fixed(*(k - 2 for k in range(width)))
    loose, tight = wild(width, number(0), mask(0), 0), wild(width, number(1), mask(1), 1)
    hard = wild(width, const(2), mask(2), 1)
    mixed = both(e("cost", COST, c), loose, tight)
    harder = both(tight, hard, hard, wild(width, number(2), mask(0), 1), loose)
    choice = e("cost_either", COST, e("cost", COST, c), e("cost_either", COST, mixed, tight))
    narrow = e("bag_add", BAG, e("bag_one", BAG, width, kind_of_x), var(MASK, place_of_x, type_=BAG))
    many = e("sum", COST, 0, numbers, wild(width, var(NUMBER, place_of_x), narrow, 0))
    many_tight = e("sum", COST, 0, numbers, wild(width, var(NUMBER, place_of_x), narrow, 1))
    constant = both(e("cost", COST, ten), wild(width, const(2), fixed(*[1] * width), 0))
    grown = e("sum", BAG, 0, numbers, var(PILE, place_of_x, type_=BAG))
    made = e("sum", BAG, 0, numbers, e("bag_scale", BAG, number(0), narrow))
    either = e("if", BAG, e("gt", BOOL, number(0), number(1)), a, e("bag_sub", BAG, b, c))
    whole = [
        a, one_load, debt, ten, either, grown, made,
        e("bag", BAG, *(number(k % 3) for k in range(width))),
        e("bag_add", BAG, a, b), e("bag_add", BAG, one_load, debt),
        e("bag_sub", BAG, a, b), e("bag_sub", BAG, debt, b), e("bag_sub", BAG, either, ten),
        e("bag_scale", BAG, number(0), a), e("bag_scale", BAG, const(-3), debt),
        e("bag_one", BAG, width, some_kind), e("bag_one", BAG, width, any_kind),
        e("bag_clamp", BAG, a, number(0)), e("bag_clamp", BAG, debt, const(-1)),
        e("bag_clamp", BAG, a, number(1), *(number(k % 3) for k in range(width))),
        e("bag_clamp", BAG, b, const(-1), *(const(k - 1) for k in range(width))),
        e("cost_fixed", BAG, mixed), e("holdings", BAG, two), e("holdings", BAG, alone), e("holdings", BAG, purse(2)),
        e("holdings", BAG, all_purses),
    ]  # fmt: skip
    costs = [
        loose, tight, mixed, harder, many, many_tight, constant, e("cost", COST, either),
        e("cost_add", COST, mixed, harder), e("cost_add", COST, many, loose),
        e("cost_sub", COST, mixed, b), e("cost_sub", COST, many, grown), e("cost_sub", COST, harder, debt),
        e("cost_scale", COST, number(0), mixed), e("cost_scale", COST, number(2), harder),
        e("cost_scale", COST, const(40), harder), e("cost_scale", COST, const(2), many),
        choice, e("cost_add", COST, choice, mixed), e("cost_add", COST, loose, choice),
        e("cost_add", COST, choice, choice), e("cost_sub", COST, choice, b), e("cost_scale", COST, number(0), choice),
    ]  # fmt: skip
    listed = [
        *(e("expansions", SETS["bags"], cost) for cost in (loose, tight, mixed, harder, constant, debts, choice)),
        *(
            e("payments", SETS["payments"], cost, purses)
            for cost in (loose, mixed, harder, constant, e("cost", COST, debt), e("cost_sub", COST, many, c), choice)
            for purses in (purse(0), two, all_purses, alone, e("purses", SETS["purses"], loads))
        ),
        e("sub_bags", SETS["bags"], a, number(0), number(1)), e("sub_bags", SETS["bags"], grown, const(-1), number(0)),
        e("sub_bags", SETS["bags"], debt, const(0), const(9)),
        e("placements", SETS["bags"], a, mixed, number(0), number(1)),
        e("placements", SETS["bags"], a, b, const(-1), number(1), *(number(k % 3) for k in range(width))),
        e("placements", SETS["bags"], b, loose, number(2), const(-1), *(const(k - 1) for k in range(width))),
        e("placements", SETS["bags"], debt, c, const(4), const(-1)),
        loads, all_purses, two, e("bag_kinds", f"set<{R}>", a), e("bag_kinds", f"set<{R}>", debt),
    ]  # fmt: skip
    scalars = [
        *(e("can_pay", BOOL, cost, purses)
          for cost in (loose, tight, mixed, harder, many, many_tight, constant, e("cost", COST, ten),
                       e("cost", COST, owed), e("cost", COST, c), e("cost_sub", COST, many_tight, grown), choice)
          for purses in (purse(0), two, all_purses)),
        *(e("bag_get", INT, bag, width - 1) for bag in (a, debt, one_load, grown, either, e("holdings", BAG, alone))),
        *(e("bag_pick", INT, bag, some_kind) for bag in (a, ten, made, either, e("holdings", BAG, alone))),
        e("bag_pick", INT, a, any_kind),
        *(e("bag_size", INT, bag) for bag in (a, debt, grown, one_load)),
        *(e("cost_size", INT, cost) for cost in (mixed, many, many_tight, choice)),
        e("sum", INT, 0, e("bag_kinds", f"set<{R}>", a), e("add", INT, e("cast", INT, local(0, R)), const(1))),
        e("count", INT, e("filter", SETS["ints"], 0, numbers,
                          e("can_pay", BOOL, wild(width, local(0), mask(0), 0), purse(0)))),
    ]  # fmt: skip
    return [*whole, *costs, *listed, *scalars]


@cache
def machine_of(width: int) -> Machine:
    """A game of three seats with bags of so many resources."""
    empty = fixed(*[0] * width)
    return Machine(
        program(
            nothing(),
            nothing("play"),
            function("slots", const(0), more=(INT, INT)),
            players=(3,),
            enums=(EnumTable("R", tuple(f"r{k}" for k in range(width))),),
            kinds=(kind("Man", definition("man", MEN_THERE, zone(0)), identity=True, variables=(LOAD,)),),
            zones=(place("square"),),
            variables=(
                variable("pile", SEAT, type_=BAG, start=empty, high=1 << 62),
                variable("mask", SEAT, type_=BAG, start=empty),
                variable("debt", type_=BAG, start=empty, low=-9),
                variable("number", SEAT, low=-9),
            ),
            piece_variables=(variable("load", type_=BAG, start=empty),),
            fuel=FUEL,
        ),
        3,
    )


# ---- running them in C ---------------------------------------------------------------------------------


EVALUATE = """
static W scratch[1 << 21];
W evaluate(int which, const W *v, W fuel, W **found) {
    static G game;
    G *const g = &game;
    memcpy(g->s.v, v, VARIABLES * sizeof(W));
    memset(scratch, 0x55, 4096);
    g->fuel = fuel;
    g->top = scratch;
    g->limit = scratch + (1 << 21);
    g->status = RUNNING;
    if (setjmp(g->out)) return g->status;
    const W value = CASES[which](g);
    found[0] = (W *)(intptr_t)value;
    found[1] = g->top;
    found[2] = scratch;
    found[3] = g->s.v;
    found[4] = (W *)(intptr_t)g->fuel;
    return g->status;
}
"""


class InC:
    """The expressions of one width, compiled."""

    def __init__(self, width: int, cases: list[Expr], statements: list[Callable[[Writer], str]]) -> None:
        self.width = width
        self.cases = cases
        self.machine = machine_of(width)
        layout = self.machine.layout
        source = CSource(layout.program)
        w = Writer(layout, source)
        w.checked = False  # guards are put into whole files of a layout alone
        scope = Environment(2)
        self.texts = [w.writes_to_arena(partial(w.text, case, scope)) for case in cases]
        for place_, (text, _) in enumerate(self.texts):
            source.line(f"static W case_{place_}(G *g) {{ return {text}; }}")
        for place_, statement in enumerate(statements, len(cases)):
            source.line(f"static W case_{place_}(G *g) {{ {statement(w)} return 0; }}")
        names = ", ".join(f"case_{place_}" for place_ in range(len(cases) + len(statements)))
        sizes = {"VARIABLES": len(layout.start_v), "BOARDS": 0, **dict.fromkeys(("ITEMS", "INSTANCES", "SLOTS"), 3)}
        sizes |= {"POOLS": 0, "MEMBERS": 0, "PARTIES": 3, "PROCEDURES": 3}
        defines = "".join(f"#define {name} {value}\n" for name, value in sizes.items())
        parts_ = ("core", "state", "seats", "sets", "bags", "costs", "payments")
        headers = {name: (HEADERS / f"{name}.h").read_text() for name in parts_}
        text = "\n".join([
            headers.pop("core"), defines, "typedef int16_t Z;", *headers.values(), source.text(),
            f"static W (*const CASES[])(G *) = {{{names}}};", EVALUATE,
        ])  # fmt: skip
        compiler = find_compiler()
        assert compiler is not None
        self.library = built(text, compiler, FLAGS)
        self.library.evaluate.restype = ctypes.c_int64
        self.library.evaluate.argtypes = [ctypes.c_int, LONG, ctypes.c_int64, ctypes.POINTER(LONG)]

    def run(self, case: int, cells: list[int], fuel: int) -> Any:
        """The value, the fuel left and the cells after it; None where it fails."""
        found = (LONG * 5)()
        given = (ctypes.c_int64 * len(cells))(*cells)
        if self.library.evaluate(case, given, fuel, found):
            return None
        word, top, scratch, after, left = (ctypes.cast(part, ctypes.c_void_p).value or 0 for part in found)
        if case < len(self.cases):
            text, writes_to_arena = self.texts[case]
            assert top == scratch or writes_to_arena, text
        signed = left - (1 << 64) if left >> 63 else left
        kept = list(ctypes.cast(after, LONG)[: len(cells)])
        type_ = self.cases[case].type if case < len(self.cases) else Type(INT)
        return self.read(word, type_), signed, kept

    def read(self, word: int, type_: Type) -> Any:
        """A value from its word."""
        wrapper, inner = type_.wraps and type_.kind, type_.inner
        if not compound(type_):
            return word - (1 << 64) if word >> 63 else word
        at = ctypes.cast(word, LONG)
        if wrapper == "set":
            return [self.read(part & (1 << 64) - 1, inner) for part in at[1 : 1 + at[0]]]
        if inner == "payment:R":
            return tuple(at[1 : 1 + at[0]])
        bag, more = tuple(at[: self.width]), at[self.width : self.width + 1]
        if inner == BAG:
            return bag
        wilds = at[self.width + 1 : self.width + 1 + 3 * more[0]]
        return bag, tuple(zip(wilds[::3], wilds[1::3], wilds[2::3], strict=True))


def spends(w: Writer) -> str:
    """The statement that spends the first payment of pile 2 from piles 0 and 1."""
    scope = Environment(2)
    source = e("purses", SETS["purses"], purse(0), purse(1))
    ways = w.text(e("payments", SETS["payments"], e("cost", COST, pile(2)), source), scope)
    return purses.spend(
        w, f"({{ const W found = {ways}; COUNT(found) ? AT(found, 0) : NOTHING; }})", purses.cells(w, source, scope), 0
    )


def counts(price: Expr, sparse: bool) -> Callable[[Writer], str]:
    """The statement that compares payments that are counted with those that are listed: what is spent too. It gives
    how many there are, or less than nothing where they differ."""

    def statement(w: Writer) -> str:
        scope, source = Environment(2), e("purses", SETS["purses"], purse(1), purse(0))
        ways = e("payments", SETS["payments"], price, source)
        width = bags.width_of(w, price.type)
        given = ("some", "held", "cost")
        before, count, nth = purses.counted_payments(w, ways, scope, given, sparse)
        same = "same_lists(paid, AT(list, i))" if not sparse else "1"
        spending = "spend_fused(g, paid, 0)" if sparse else "spend(g, paid, all, 0)"
        return f"""
            W some = NOTHING; const W *held = NULL, *cost = NULL;
            const W all = {purses.cells(w, source, scope)}, list = {w.text(ways, scope)};
            {purses.stocked(w, source, scope, width, ("some", "held"), sparse)} {before}
            const W n = {count}, bytes = sizeof g->s.v;
            if (n != COUNT(list)) return -1;
            for (W i = 0; i < n; i++) {{
                W was[VARIABLES + 1], now[VARIABLES + 1];
                const W paid = {nth("i")};
                if (!{same}) return -2;
                memcpy(was, g->s.v, bytes); {spending};
                memcpy(now, g->s.v, bytes); memcpy(g->s.v, was, bytes); spend(g, AT(list, i), all, 0);
                if (memcmp(now, g->s.v, bytes)) return -3;
                memcpy(g->s.v, was, bytes);
            }}
            (void)cost; return n;"""

    return statement


@cache
def in_c(width: int) -> InC:
    return InC(width, expressions(width), [spends])


def lists_only(expr: Expr) -> bool:
    """Whether fuel is used for what is listed and for nothing else; C does not charge for short loops and constants."""
    names = {part.op for part in subexpressions(expr)}
    return (
        expr.op in ("payments", "expansions", "sub_bags", "placements")
        and "var" in names
        and not names & {"sum", "call"}
    )


def overflowing(value: Any) -> bool:
    """Whether a number in a value has more than 64 bits."""
    if isinstance(value, (list, tuple)):
        return any(map(overflowing, value))
    return not -(1 << 63) <= value < 1 << 63


def interpreted(machine: Machine, expr: Expr, state: State) -> Any:
    """The value, the fuel left and the cells after it; None where it is an error."""
    try:
        found = machine.compiler.code(expr)(state, [0, 0, 0])
    except (FuelError, RuleError, ArithmeticError, payments.TooManyError, LookupError, ValueError):
        return None
    if state.fuel < 0 or overflowing(found):
        return None
    return found, state.fuel, list(state.v)


def random_cells(machine: Machine, rng: random.Random, width: int, rough: bool) -> list[int]:
    """Cells with small counts; rough ones have debts and very large counts."""
    cells = [rng.choice((0, 0, 1, 1, 2, 3)) for _ in machine.layout.start_v]
    for place_ in range(3):
        base = machine.layout.var_base[NUMBER] + place_
        cells[base] = rng.choice((-1, 0, 1, 1, 2, 2, 3, 4, 6) if not rough else (-2, 0, 2, 5, 11, 1 << 40))
    base = machine.layout.var_base[MASK]
    cells[base : base + 3 * width] = [rng.randint(0, 1) for _ in range(3 * width)]
    if rough:
        base = machine.layout.var_base[DEBT]
        cells[base : base + width] = [rng.choice((-2, 0, 1, 3)) for _ in range(width)]
        base = machine.layout.var_base[PILE]
        cells[base + rng.randrange(3 * width)] = rng.choice((1, 7, 30, (1 << 62) - 1))
    return cells


# ---- tests ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [3, *soaking(1, 2, 6)])
def test_every_operation_gives_what_the_interpreter_gives(width: int) -> None:
    """The same values in the same order for the same fuel; C fails where the interpreter does."""
    machine, compiled = machine_of(width), in_c(width)
    rng = random.Random(width)
    for _ in range(times(5 if width < 6 else 3)):
        cells = random_cells(machine, rng, width, False)
        for case, expr in enumerate(compiled.cases):
            state = machine.new_state()
            state.v, state.fuel = list(cells), FUEL
            wanted = interpreted(machine, expr, state)
            got = compiled.run(case, cells, FUEL)
            assert (got is None) == (wanted is None), (expr, cells)
            if wanted is not None:
                assert got[0] == wanted[0], (expr, cells)
                assert got[1] >= wanted[1], (expr, cells)
                assert got[2] == wanted[2], (expr, cells)


@pytest.mark.parametrize("width", [3, *soaking(1, 6)])
def test_debts_and_large_numbers_give_the_same_or_fail(width: int) -> None:
    """What C gives is right; it fails wherever the interpreter does, and where it would need more than 64 bits."""
    machine, compiled = machine_of(width), in_c(width)
    rng = random.Random(width)
    given = 0
    for _ in range(times(10 if width < 6 else 4)):
        cells = random_cells(machine, rng, width, True)
        for case, expr in enumerate(compiled.cases):
            state = machine.new_state()
            fuel = rng.choice((0, 3, 40, FUEL)) if lists_only(expr) else FUEL
            state.v, state.fuel = list(cells), fuel
            got = compiled.run(case, cells, fuel)
            if got is not None:
                given += 1
                wanted = interpreted(machine, expr, state)
                assert wanted is not None, (expr, cells, fuel)
                assert (got[0], got[2]) == (wanted[0], wanted[2]), (expr, cells, fuel)
    assert given > 300


@pytest.mark.parametrize("width", [3, *soaking(2)])
def test_as_many_ways_are_listed_as_there_is_fuel_for(width: int) -> None:
    """With any fuel, what lists ways fails or gives all of them as the interpreter does."""
    machine, compiled = machine_of(width), in_c(width)
    rng = random.Random(width)
    listing = [case for case, expr in enumerate(compiled.cases) if lists_only(expr)]
    outcomes = set()
    for _ in range(times(20)):
        cells = random_cells(machine, rng, width, False)
        for case in listing:
            for fuel in rng.sample(range(14), 4):
                state = machine.new_state()
                state.v, state.fuel = list(cells), fuel
                wanted = interpreted(machine, compiled.cases[case], state)
                got = compiled.run(case, cells, fuel)
                outcomes.add(got is None)
                assert (got is None) == (wanted is None), (compiled.cases[case], cells, fuel)
                assert got is None or got[:2] == wanted[:2], (compiled.cases[case], cells, fuel)
    assert outcomes == {True, False}


def test_what_is_spent_leaves_its_purses() -> None:
    """A payment is taken from the purses it was found for."""
    width = 3
    machine, compiled = machine_of(width), in_c(width)
    source = e("purses", SETS["purses"], purse(0), purse(1))
    ways = machine.compiler.code(e("payments", SETS["payments"], e("cost", COST, pile(2)), source))
    purses = purse_cells(machine.compiler, source)
    rng = random.Random(3)
    spent = 0
    for _ in range(times(100)):
        cells = random_cells(machine, rng, width, False)
        state = machine.new_state()
        state.v, state.fuel = list(cells), FUEL
        found = ways(state, [0, 0])
        spent += bool(found)
        for place_, count in enumerate(found[0] if found else ()):
            state.v[purses(state, [0, 0])[place_ // width] + place_ % width] -= count
        assert compiled.run(len(compiled.cases), cells, FUEL)[2] == state.v
    assert spent > 10


@pytest.mark.parametrize("width", [3, *soaking(1, 6)])
def test_payments_that_are_counted_are_those_that_are_listed(width: int) -> None:
    """As many, each at its place, and the same is spent; also where empty purses are left out."""
    known = payments.make_wild(width, 2, [1] * width, 0), payments.make_wild(width, 3, [1] * width, 1)
    prices = [
        e("cost", COST, pile(2)),
        both(e("cost", COST, pile(2)), wild(width, number(0), mask(0), 0)),
        both(e("cost", COST, pile(2)), wild(width, number(0), mask(0), 1), wild(width, number(1), mask(1), 0)),
        e("cost", COST, fixed(*(int(kind_ < 2) + (kind_ == 0) for kind_ in range(width)))),
        *(wild(width, const(cost[1][0][0]), fixed(*[1] * width), cost[1][0][2]) for cost in known),
    ]
    statements = [counts(price, sparse) for price in prices for sparse in (False, True)]
    machine = machine_of(width)
    compiled = InC(width, [], statements)
    rng = random.Random(width)
    most = [0] * len(statements)
    for _ in range(times(100)):
        cells = random_cells(machine, rng, width, False)
        for case in range(len(statements)):
            got = compiled.run(case, cells, FUEL)
            if got is not None:
                assert got[0] >= 0, (case, cells)
                most[case] = max(most[case], got[0])
    assert min(most) > 0
    assert width == 1 or max(most) > 5


def test_many_wilds_are_covered_as_in_python() -> None:
    """Ten and more parts of several resources each: who gets what is found as the flow of payments.py finds it."""
    width = 6
    shapes = itertools.combinations(range(width), 3)
    wilds = [
        wild(
            width, var(NUMBER, seat(k % 3)), fixed(*(int(place_ in shape) for place_ in range(width))), int(k % 7 == 0)
        )
        for k, shape in enumerate(itertools.islice(shapes, 11))
    ]
    cases = [e("can_pay", BOOL, both(*wilds[:amount]), purse(0)) for amount in (6, 8, 11)]
    compiled, machine = InC(width, cases, []), machine_of(width)
    rng = random.Random(1)
    outcomes = set()
    for _ in range(times(400)):
        cells = random_cells(machine, rng, width, False)
        cells[:width] = [rng.choice((0, 0, 1, 3, 6, 9, 14)) for _ in range(width)]
        state = machine.new_state()
        state.v, state.fuel = list(cells), FUEL
        for case, expr in enumerate(cases):
            wanted = interpreted(machine, expr, state)
            outcomes.add(wanted and wanted[0])
            assert compiled.run(case, cells, FUEL) == wanted, (case, cells)
    assert outcomes == {True, False}


def test_too_many_tries_are_given_up_as_in_python() -> None:
    """Parts of identical resources of which only the last one tried cannot be had: there is an end to trying."""
    width = 6
    anything, scarce = fixed(1, 1, 1, 1, 1, 0), fixed(0, 0, 0, 0, 0, 1)
    parts = [wild(width, const(3 + k), anything, 1) for k in range(7)]
    cases = [e("can_pay", BOOL, both(*parts[:n], wild(width, const(2), scarce, 1)), purse(0)) for n in (4, 7)]
    compiled, machine = InC(width, cases, []), machine_of(width)
    cells = [60] * 5 + [1] + [0] * (len(machine.layout.start_v) - width)
    for case, expr in enumerate(cases):
        state = machine.new_state()
        state.v, state.fuel = list(cells), FUEL
        wanted = interpreted(machine, expr, state)
        assert (wanted is None) == (case == 1)
        assert compiled.run(case, cells, FUEL) == wanted


def test_limits_are_those_of_the_engine() -> None:
    """The bounds of what is listed and tried are the same numbers in C."""
    text = "\n".join((HEADERS / f"{name}.h").read_text() for name in ("bags", "costs", "payments"))
    found = {name: int(value) for name, value in re.findall(r"#define (\w+) (\d+)", text)}
    assert found["MOST_WAYS"] == limits.WAYS == payments.MOST_LISTED
    assert found["COST_PARTS"] == limits.COST_PARTS
    assert found["COVERING_STEPS"] == limits.COVERING_STEPS
    assert found["STEPS_PER_BAG"] == payments.STEPS_PER_BAG
    assert found["WIDEST"] == bags.WIDEST
