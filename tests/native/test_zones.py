"""Zones, pools, grids, statements and chance in C do what the interpreter does, step by step on random games."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import pytest

import rulelang.native.machine as native  # registers all operations
from rulelang.diagnostics import RuleError
from rulelang.interpreter import Machine
from rulelang.interpreter.chance import chance_code
from rulelang.interpreter.statements import statement
from rulelang.ir.nodes import Block, Chance, Expr, Jump, Return, Statement
from rulelang.ir.program import GridTable
from rulelang.ir.walk import index
from rulelang.native.analysis import Analysis
from rulelang.native.block import StateBlocks
from rulelang.native.build import built
from rulelang.native.chance import is_deal, write_chance, write_deal
from rulelang.native.compilers import find_compiler
from rulelang.native.expressions import Environment, Writer, compound
from rulelang.native.source import CSource, header
from rulelang.native.statements import write_statement
from rulelang.runtime.state import State
from rulelang.vocabulary.types import INT, Type
from tests import soak
from tests.interpreter.build import (
    block,
    const,
    definition,
    do,
    e,
    kind,
    local,
    nothing,
    place,
    procedure,
    program,
    resources,
    square,
    var,
    variable,
    zone,
)
from tests.soak import soaking, times

pytestmark = pytest.mark.usefixtures("compiler")

CARD, GEM, CHIP, TOKEN = range(4)
KINDS = ("Card", "Gem", "Chip", "Token")
ZONES: tuple[tuple[str, int, tuple[str, ...], bool, int | None], ...] = (
    ("deck", CARD, (), True, None), ("discard", CARD, (), True, None), ("hand", CARD, ("seat",), False, None),
    ("tray", CARD, (), False, 3), ("stack", CARD, (), True, 2),
    ("vault", GEM, (), True, None), ("bag", GEM, (), False, None), ("held", GEM, ("seat",), False, None),
    ("slot", GEM, ("cell:G",), True, 1),
    ("tower", CHIP, (), True, None), ("heap", CHIP, (), False, None), ("rows", CHIP, ("seat",), True, None),
    ("supply", TOKEN, (), False, None), ("row", TOKEN, (), True, None), ("field", TOKEN, ("cell:G",), False, 2),
)  # fmt: skip
A, B, N, OUT, CELL, SEAT, WAY, CELL_B = range(8)
FIRST = ("zone", "zone", "int", "int", "cell:G", "seat", "dir", "cell:G")
FUEL = 100_000
FLAGS = (
    "-O0 -std=gnu11 -shared -fPIC -Wall -Wextra -Werror -Wno-parentheses -Wno-unused-variable -Wno-unused-function"
    " -fsanitize=undefined -fsanitize-undefined-trap-on-error"
).split()
SEATS = 3


@dataclass(frozen=True)
class Case:
    """Something to do: a statement, a chance node, or a chance node and what follows it. `kind`: of zones A and B."""

    node: Statement | Chance
    kind: int = CARD
    then: Statement | None = None


def several(of: int) -> str:
    return f"set<piece:{KINDS[of]}>"


def maybe(of: int) -> str:
    return f"opt<piece:{KINDS[of]}>"


def ways_to_name(of: int, wild: bool) -> list[Expr]:
    """Zones of a kind, some of them known only in the game."""
    found = []
    for number, (_, kind_, indices, _, _) in enumerate(ZONES):
        if kind_ != of:
            continue
        places = {"seat": local(SEAT, "seat"), "cell:G": local(CELL, "cell:G")}
        found.append(zone(number, *(places[name] for name in indices)))
    return [*found, local(A, "zone"), local(B, "zone")] if wild else found


def moves(of: int, wild: bool) -> Iterator[Case]:
    """Moves, and what becomes unknown or known."""
    names = ways_to_name(of, wild)
    piece = f"piece:{KINDS[of]}"
    for here in names:
        all_ = e("pieces", several(of), here)
        odd = e("eq", "bool", e("mod", "int", e("attr", "int", of, 0, local(8, piece)), const(2)), const(1))
        if of != TOKEN:
            if here.op == "local" or ZONES[index(here)][3]:
                yield Case(do("shuffle", here), of)
            yield Case(do("settle", here), of)
            for place_ in (const(0), const(-1), const(1), local(N)):
                yield Case(Chance("expose", "x", (here, place_), -1, 0), of)
            yield Case(Chance("shared", "x", (here,), -1, 0), of)
        yield Case(Chance("element", "x", (all_,), OUT, 0), of)
        relocated = e("relocate", several(of), e("union", several(of), all_, all_), local(B, "zone"))
        yield Case(do("move", relocated, local(B, "zone"), "top", 0), of)
        for there in names:
            for end in ("top", "bottom"):
                whole = [
                    all_,
                    e("filter", several(of), 8, all_, odd),
                    e("tops", several(of), here, local(N)),
                    e("union", several(of), all_, e("bottoms", several(of), here, const(2))),
                ]
                one = [e("top", maybe(of), here), e("last", maybe(of), all_), e("first", maybe(of), all_)]
                for what in (*whole, *one):
                    yield Case(do("move", what, there, end, 0), of)
                for amount in (const(1), local(N), const(60)):
                    yield Case(do("move_slots", here, amount, there, end, 0), of)
                deal = do("move_slots", here, const(1), there, end, 0)
                if of != TOKEN:
                    yield Case(Chance("expose", "x", (here, const(0)), -1, 0), of, deal)


def read(of: int, wild: bool) -> Iterator[tuple[Expr, int]]:
    """What is read of zones and pieces."""
    piece, some = f"piece:{KINDS[of]}", several(of)
    x = local(8, piece)

    def mapped(body: Expr, source: Expr) -> Expr:
        return e("map", f"set<{body.type}>", 8, source, body)

    bodies = [
        e("attr", "int", of, 0, x), e("owner", "opt<seat>", x), e("zone_of", "opt<zone>", x),
        e("cell_of", "opt<cell:G>", 0, x), e("is_def", "bool", x, 0), e("is_def", "bool", x, 0, 2),
        e("is_def", "bool", x, 1, 2), e("in_zone", "bool", x, local(B, "zone")),
        e("reaction_owner", "opt<seat>", e("reaction", "reaction", 5, x)),
        e("reaction_piece", piece, e("reaction", "reaction", 5, x)),
        e("reaction_handler", "int", e("reaction", "reaction", 7, x)),
        e("count", "int", e("attr", "set<int>", of, 1, x)),
        e("relocate", piece, x, local(B, "zone")),
    ]  # fmt: skip
    for here in ways_to_name(of, wild):
        source = e("pieces", some, here)
        yield source, of
        yield e("size", "int", here), of
        yield e("count", "int", source), of
        for op in ("top", "bottom"):
            yield e(op, maybe(of), here), of
        for op in ("tops", "bottoms"):
            yield e(op, some, here, local(N)), of
        yield e("relocate", some, source, local(B, "zone")), of
        pairs = e("list", f"set<{some}>", source, source, e("pieces", some, local(B, "zone")))
        yield e("count", "int", e("distinct", f"set<{some}>", pairs)), of
        for body in bodies:
            yield mapped(body, source), of
        other = e("top", maybe(of), local(B, "zone"))
        yield e("same", "bool", e("top", maybe(of), here), other), of
        yield e("member", "bool", other, e("list", f"set<{maybe(of)}>", e("top", maybe(of), here))), of
        same = e("and", "bool", e("not", "bool", e("is_none", "bool", other)), e("alike", "bool", x, other))
        yield e("filter", some, 8, source, same), of
    either = e("if", "zone", e("gt", "bool", local(N), const(2)), local(A, "zone"), local(B, "zone"))
    yield e("pieces", some, either), of
    for number, (_, kind_, indices, _, _) in enumerate(ZONES):
        if kind_ == of:
            family = e("family", some, number)
            yield family, of
            yield mapped(bodies[0], family), of
            if indices:
                one = e("family", some, number, local(SEAT, "seat") if indices == ("seat",) else local(CELL, "cell:G"))
                yield one, of
    for wanted in ((0,), (0, 2), (1, 2), ()):
        active = e("active", some, of, *wanted)
        yield active, of
        yield mapped(bodies[2], active), of


def grid_cases() -> Iterator[tuple[Expr, int]]:
    """Operations on both grids."""
    for grid, name in enumerate("GH"):
        cell = f"cell:{name}"
        a, b = local(CELL, cell), local(CELL_B, cell)
        way, x = local(WAY, "dir"), local(8, cell)
        everywhere = e("domain", f"set<{cell}>", cell)
        for source in (e("ray", f"set<{cell}>", grid, a, way), e("neighbours", f"set<{cell}>", grid, a)):
            yield source, CARD
            yield e("map", f"set<opt<{cell}>>", 8, source, e("toward", f"opt<{cell}>", grid, x, way)), CARD
            around = e("union", f"set<{cell}>", e("list", f"set<{cell}>", a), source)
            yield e("region", f"set<{cell}>", grid, a, around), CARD
        yield e("ray", f"set<{cell}>", grid, a, const(3, "dir")), CARD
        odd = e("eq", "bool", e("mod", "int", e("mul", "int", e("cast", "int", x), local(N)), const(3)), const(0))
        yield e("region", f"set<{cell}>", grid, a, e("filter", f"set<{cell}>", 8, everywhere, odd)), CARD
        yield e("distance", "int", grid, a, b), CARD
        yield e("direction", "opt<dir>", grid, a, b), CARD
        yield e("map", "set<opt<dir>>", 8, everywhere, e("direction", "opt<dir>", grid, a, x)), CARD
        yield e("map", "set<int>", 8, everywhere, e("distance", "int", grid, x, b)), CARD
        for op in ("on_edge", "column", "row"):
            yield e(op, "bool" if op == "on_edge" else "int", grid, a), CARD
        yield e("cell_at", f"opt<{cell}>", grid, local(N), e("add", "int", local(N), const(1))), CARD
        yield e("gattr", "int", grid, 0, b), CARD
        yield e("count", "int", e("lines", f"set<set<{cell}>>", grid, const(2))), CARD
        yield e("opposite", "dir", way), CARD


SCORE, MAYBE, PURSE, MARK, MANY = range(5)
LOAD, GEM_MARK, GEM_BAG = range(3)


def course() -> Iterator[Case]:
    """Variables, marks, and the course of the game."""
    seat, n = local(SEAT, "seat"), local(N)
    gem = e("first", "piece:Gem", e("list", "set<piece:Gem>", e("individual", "piece:Gem", GEM, 1)))
    bag = e("bag", "bag:R", n, e("add", "int", n, const(1)), const(0))
    purse = var(PURSE, seat, type_="bag:R")
    seats = e("filter", "set<seat>", 8, e("everyone", "set<seat>"), e("lt", "bool", e("cast", "int", local(8)), n))
    yield Case(do("set_var", SCORE, n, seat))
    yield Case(do("set_var", SCORE, e("add", "int", var(SCORE, seat), n), seat))
    yield Case(do("set_var", SCORE, const(3), seat))
    yield Case(do("set_var", SCORE, e("total", "int", e("map", "set<int>", 8, seats, local(8))), seat))
    yield Case(do("set_var", MAYBE, n))
    yield Case(do("set_var", MAYBE, e("max", "opt<int>", 8, seats, local(8))))
    yield Case(do("set_var", PURSE, bag, seat))
    yield Case(do("set_var", PURSE, e("bag_add", "bag:R", purse, purse), seat))
    yield Case(do("set_pvar", LOAD, gem, n))
    yield Case(do("set_pvar", GEM_BAG, gem, bag))
    for code in (0, 1):
        for party in (seat, const(-1)):
            mark = e("mark_code", "int", code, party)
            yield Case(do("set_var", MARK, mark, seat))
            yield Case(do("set_pvar", GEM_MARK, gem, mark))
            yield Case(do("clear_marks", code, party))
    for number in (SCORE, MAYBE, PURSE, MANY):
        yield Case(do("reset", number))
    yield Case(do("set_var", MANY, n, local(CELL, "cell:G")))
    yield Case(do("begin", "turn", seat))
    yield Case(do("begin", "round", seat))
    yield Case(do("eliminate", e("seat_of", "opt<seat>", n)))
    yield Case(do("win", seats))
    yield Case(do("win", e("list", "set<seat>", e("seat_of", "opt<seat>", n))))
    yield Case(do("draw_game"))
    for scope in ("turn", "round", "phase"):
        yield Case(do("defer", scope))
    yield Case(do("check", e("ge", "bool", n, const(1)), "too few"))
    yield Case(do("evaluate", e("sum", "int", 8, seats, local(8))))
    yield Case(do("reveal", n, e("players", "set<seat>")))
    yield Case(do("set", OUT, e("sub", "int", n, const(4))))
    for low, high in ((n, const(7)), (const(2), const(2)), (n, n), (const(-(1 << 62)), const(5))):
        yield Case(Chance("number", "x", (low, high), OUT, 0))
    numbers = e("list", "set<int>", n, const(1), n, const(5), const(1))
    many = e("flatten", "set<int>", 8, e("numbers", "set<int>", const(1), const(30)), numbers)
    for source in (numbers, many, seats, e("firsts", "set<int>", numbers, n), e("list", "set<int>", n, n)):
        yield Case(Chance("element", "x", (source,), OUT, 0))


def out_type(case: Case, fresh: Callable[[str], int]) -> Case:
    """The case with a slot of its own for what a chance node gives."""
    node = case.node
    if isinstance(node, Chance) and node.slot == OUT and node.kind == "element":
        slot = fresh(node.args[0].type.inner)
        return Case(Chance(node.kind, node.name, node.args, slot, 0), case.kind, case.then)
    return case


class Trial:
    """The cases of one program, in the interpreter and in C."""

    def __init__(self, wild: bool) -> None:
        locals_ = [*FIRST, "int"]

        def fresh(type_: str) -> int:
            locals_.append(type_)
            return len(locals_) - 1

        cases = [case for of in range(4) for case in moves(of, wild)]
        cases += course()
        reading = [pair for number in range(4) for pair in read(number, wild)]
        reading = [pair for pair in reading if local(A, "zone") in pair[0].args] if wild else [*reading, *grid_cases()]
        cases += [Case(do("set", fresh(expr.type), expr), of) for expr, of in reading]
        # Compiling all of them takes ten seconds: each third stands for combinations of zones and operations.
        self.cases = [out_type(case, fresh) for case in (cases if soak.FACTOR > 1 else cases[::3])]
        self.types = tuple(map(Type, locals_))
        blocks: list[Block] = []
        for case in self.cases:
            to = len(blocks) + 1
            node = case.node
            if isinstance(node, Chance):
                blocks.append(block(then=Chance(node.kind, node.name, node.args, node.slot, to)))
                if case.then is not None:
                    blocks.append(block(case.then, then=Jump(to + 1)))
            else:
                blocks.append(block(node, then=Jump(to)))
        everything = procedure("all", *blocks, block(then=Return(None)), locals_=self.types, parameters=len(FIRST))
        self.machine = Machine(tiny(everything), SEATS)
        self.layout = self.machine.layout
        self.blocks = StateBlocks(self.layout, Analysis(self.layout))
        self.library = self._compiled()
        self.codes = [self._code(case) for case in self.cases]

    def _compiled(self) -> ctypes.CDLL:
        source = CSource(self.layout.program)
        w = Writer(self.layout, source)
        w.checked = False  # guards are put into whole files of a layout alone
        scope = Environment(2, {slot: f"L[{slot}]" for slot in range(len(self.types))})
        self.dealt = 0
        for number, case in enumerate(self.cases):
            with source.block(f"static void case_{number}(G *g, W *L)"):
                source.line("(void)g, (void)L;")
                if isinstance(case.node, Statement):
                    write_statement(w, case.node, scope)
                elif case.then is None:
                    write_chance(w, case.node, (), scope)
                else:
                    after = block(case.then, then=Return(None))
                    if is_deal(w, case.node, after, scope):
                        self.dealt += 1
                        write_deal(w, case.node, after, (), scope)
                    else:
                        write_chance(w, case.node, (), scope)
                        write_statement(w, case.then, scope)
        names = ", ".join(f"case_{number}" for number in range(len(self.cases)))
        parts = [header("core"), self.blocks.preamble()]
        parts += [header(name) for name in native.HEADERS[: native.HEADERS.index("payments") + 1]]
        parts += [source.text(), f"static void (*const CASES[])(G *, W *) = {{{names}}};", RUN]
        compiler = find_compiler()
        assert compiler is not None
        return built("\n".join(parts), compiler, FLAGS)

    def _code(self, case: Case) -> Callable[[State, list[Any]], object]:
        compiler = self.machine.compiler
        if isinstance(case.node, Statement):
            return statement(compiler, case.node)
        code = chance_code(compiler, case.node)
        after = None if case.then is None else statement(compiler, case.then)

        def both(state: State, values: list[Any]) -> None:
            code.arrive(state, values)
            if after is not None:
                after(state, values)

        return both

    def in_c(self, number: int, state: State, values: list[int]) -> tuple[int, list[Any], int]:
        """Runs a case; whether it failed, the locals after it and the fuel left. The state is changed."""
        packed = self.blocks.packed(state)
        words = (ctypes.c_int64 * len(values))(*values)
        fuel = ctypes.c_int64(state.fuel)
        failed = self.library.run(number, ctypes.byref(packed), words, ctypes.byref(fuel))
        assert failed in (0, 1), failed
        if failed:
            return 1, [], 0
        self.blocks.unpack(packed, state)
        return 0, [self._read(word, type_) for word, type_ in zip(words, self.types, strict=True)], fuel.value

    def _read(self, word: int, type_: Type) -> Any:
        if not compound(type_) or word <= 0:
            return word
        wrapper, inner = type_.wraps and type_.kind, type_.inner
        at = ctypes.cast(word, ctypes.POINTER(ctypes.c_int64))
        if wrapper:
            return [self._read(part, inner) for part in at[1 : 1 + at[0]]]
        return tuple(at[:3])


RUN = """
static W scratch[1 << 16];
int run(int which, State *state, W *L, W *fuel) {
    static G game;
    G *const g = &game;
    g->s = *state;
    g->fuel = *fuel;
    g->top = scratch;
    g->limit = scratch + (1 << 16);
    g->status = RUNNING;
    if (setjmp(g->out)) return 1;
    CASES[which](g, L);
    *state = g->s;
    *fuel = g->fuel;
    return 0;
}
"""


def tiny(everything: Any) -> Any:
    """Four kinds of pieces: few that are alike, individuals, many, and such that are never shuffled."""

    def rows(first: int, *counts: int) -> tuple[Any, ...]:
        return tuple(
            definition(f"d{n}", count, zone(first), const(n * 7 - 20), e("list", "set<int>", *map(const, range(n % 3))))
            for n, count in enumerate(counts)
        )

    def limited(limit: int | None) -> Expr | None:
        return None if limit is None else const(limit)

    def numbers(count: int, step_: int) -> tuple[Expr, ...]:
        return tuple(const(n * step_) for n in range(count))

    attributes = (("value", "int"), ("some", "set<int>"))
    starts = [next(n for n, row in enumerate(ZONES) if row[1] == of) for of in range(4)]
    nine = e("list", "set<int>", const(9))
    per_seat = definition("own", 1, zone(7, local(0, "seat")), const(40), nine, per_player=True)
    gems = (*rows(starts[GEM], *[1] * 9), per_seat)
    actives = [tuple(n for n, row in enumerate(ZONES) if row[1] == of and row[3] == (of == CHIP)) for of in range(4)]
    tall_cells = tuple(f"h{n}" for n in range(12)), tuple((n % 4, n // 4) for n in range(12))
    tall = GridTable("H", "all", *tall_cells, (("worth", INT, numbers(12, 50)),))
    flat = replace(square(3, 3), attributes=(("worth", INT, numbers(9, -3)),))
    empty = e("bag", "bag:R", const(0), const(2), const(0))
    return program(
        nothing(), nothing("play"), everything,
        players=(SEATS,),
        enums=(resources("wood", "clay", "iron"),),
        grids=(flat, tall),
        kinds=(
            kind("Card", *rows(starts[CARD], 3, 1, 4, 2), attributes=attributes, active=actives[CARD]),
            kind("Gem", *gems, identity=True, attributes=attributes, active=actives[GEM], variables=(0, 1, 2)),
            kind("Chip", *rows(starts[CHIP], *[2] * 45), attributes=attributes, active=actives[CHIP]),
            kind("Token", *rows(starts[TOKEN], 5, 3, 1), attributes=attributes, active=actives[TOKEN]),
        ),
        zones=tuple(place(name, of, *index, pile=pile, capacity=limited(n)) for name, of, index, pile, n in ZONES),
        variables=(
            variable("score", "seat", low=-5, high=9, start=1),
            variable("maybe", type_="opt<int>", low=0, high=4, start=const(-(1 << 63))),
            variable("purse", "seat", type_="bag:R", start=empty, high=9),
            variable("mark", "seat", high=99, mark=True),
            variable("many", "cell:G", high=5),
        ),
        piece_variables=(
            variable("load", high=6), variable("gem_mark", high=99, mark=True),
            variable("gem_bag", type_="bag:R", start=empty, high=6),
        ),
        fuel=FUEL,
    )  # fmt: skip


@cache
def trial(wild: bool) -> Trial:
    return Trial(wild)


def everything_of(state: State) -> tuple[Any, ...]:
    counts = state.rng, state.winners, state.out, state.deferred, state.turns
    return counts, state.v, state.z, state.where, state.pools


def step(tried: Trial, number: int, state: State, rng: random.Random) -> tuple[State, bool]:
    """Does a case in both ways; the state after it, and whether it was an error."""
    layout, case = tried.layout, tried.cases[number]
    there = [place_ for place_, of in enumerate(layout.inst_kind) if of == case.kind]
    values = [rng.choice(there), rng.choice(there), rng.choice((-1, 0, 1, 2, 3, 8)), 0]
    values += [rng.randrange(9), rng.randrange(SEATS), rng.randrange(8), rng.randrange(9)]
    values += [0] * (len(tried.types) - len(values))
    state.fuel = FUEL
    mine, after = state.clone(), list(values)
    failed, found, fuel = tried.in_c(number, mine, values)
    wanted = state.clone()
    try:
        tried.codes[number](wanted, after)
    except (RuleError, AssertionError):
        assert failed, case
        return state, True
    assert not failed, case
    assert everything_of(mine) == everything_of(wanted), case
    assert found == [*after[:8], found[8], *after[9:]], case
    assert fuel >= wanted.fuel, case
    return wanted, False


def _changes(case: Case) -> bool:
    return isinstance(case.node, Chance) or case.node.op != "set"


@pytest.mark.parametrize("wild", [True, *soaking(False)])
def test_every_step_leads_to_the_same_state(wild: bool) -> None:
    """Statements, chance and what is read: the same states, values and random numbers, and no more fuel; errors where
    the interpreter has errors."""
    tried = trial(wild)
    rng = random.Random(int(wild))
    done, errors = set(), 0
    for _ in range(times(1)):
        state = tried.machine.new_state()
        state.rng = rng.getrandbits(64)
        for number in rng.sample(range(len(tried.cases)), len(tried.cases)):
            state, error = step(tried, number, state, rng)
            errors += error
            if not error:
                done.add(number)
    # Pieces of one kind, where much is unknown and then drawn again.
    for of in (CARD, GEM, CHIP):
        own = [n for n, case in enumerate(tried.cases) if case.kind == of and _changes(case)]
        state = tried.machine.new_state()
        for _ in range(times(250)):
            state, error = step(tried, rng.choice(own), state, rng)
    assert errors > 1, errors
    assert len(done) > 0.95 * len(tried.cases)
    assert tried.dealt > 5


def test_pools_are_put_together_when_their_array_is_full() -> None:
    """A game that stays in its block, where drawn and emptied pools leave holes, goes on as it should."""
    tried = trial(False)
    groups: dict[str, list[int]] = {"shuffle": [], "move_slots": [], "expose": [], "shared": []}
    for number, case in enumerate(tried.cases):
        name = case.node.kind if isinstance(case.node, Chance) else case.node.op
        if case.kind in (CARD, CHIP) and name in groups:
            groups[name].append(number)
    rng = random.Random(5)
    full = 0
    for turn in range(times(1600)):
        if turn % 400 == 0:
            state = tried.machine.new_state()
            packed = tried.blocks.packed(state)
        number = rng.choice(groups[rng.choice(list(groups))])
        values = [0, 0, rng.choice((1, 1, 2, 30)), 0, rng.randrange(9), rng.randrange(SEATS), 0, 0]
        values += [0] * (len(tried.types) - len(values))
        words, fuel, before = (ctypes.c_int64 * len(values))(*values), ctypes.c_int64(FUEL), packed.members_used
        failed = tried.library.run(number, ctypes.byref(packed), words, ctypes.byref(fuel))
        full += packed.members_used < before
        try:
            tried.codes[number](state, values)
        except (RuleError, AssertionError):
            assert failed
            tried.blocks.unpack(packed, state)
            continue
        assert not failed
        found = state.clone()
        tried.blocks.unpack(packed, found)
        assert everything_of(found) == everything_of(state)
    assert full > 3
