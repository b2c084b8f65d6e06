"""Made-up decisions of every shape are counted and taken in native code as the interpreter does it."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import rulelang
from rulelang.diagnostics import RuleError
from rulelang.execution.executor import Executor
from rulelang.ir.liveness import live_slots
from rulelang.ir.nodes import Binder, Block, Choose, Decision, Effects, Expr, Guard, Item, Jump, Procedure, Statement
from rulelang.ir.program import Program, VariableTable
from rulelang.native.compilers import find_compiler
from rulelang.runtime.canonical import state_hash
from rulelang.vocabulary.types import INT, VOID, Type
from tests.soak import times

ROOT = Path(__file__).parents[2]
PLAYERS = 3
DECISIONS = 24
MODULUS = 1_000_003
LIMIT = 150
COLOURS = "enum:Colour"
HAND, PLANT = 5, 2
"""Zones of the ruleset whose pieces are chosen from: each seat's hand, and one zone for each colour."""


def const(n: int) -> Expr:
    return Expr("const", INT, (n,))


def op(name: str, type_: str, *args: Any) -> Expr:
    return Expr(name, Type(type_), args)


MIXED_VARIABLE = 1
"""After the variables of the ruleset."""
MIXED = op("var", "int", MIXED_VARIABLE)


class Maker:
    """Makes decisions; each binder has a slot of its own in one procedure."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.types: list[str] = []

    def slot(self, type_: str) -> int:
        self.types.append(type_)
        return len(self.types) - 1

    # ---- expressions

    def number(self, bound: list[tuple[int, str]]) -> Expr:
        rng = self.rng
        ways = [
            lambda: const(rng.randint(-2, 5)),
            lambda: op("mod", "int", op("add", "int", MIXED, const(rng.randrange(50))), const(rng.randint(2, 7))),
            lambda: op("count", "int", self.pieces(bound)),
        ]
        if bound:
            ways.append(lambda: op("mod", "int", self.weight(*rng.choice(bound)), const(rng.randint(2, 6))))
        return rng.choice(ways)()

    def pieces(self, bound: list[tuple[int, str]]) -> Expr:
        rng = self.rng
        seats = [slot for slot, type_ in bound if type_ == "seat"]
        seat = op("const", "seat", rng.randrange(PLAYERS))
        if seats and rng.random() < 0.5:
            seat = op("local", "seat", rng.choice(seats))
        hand = op("zone", "zone", HAND, seat)
        plant = op("zone", "zone", PLANT, op("const", COLOURS, rng.randrange(3)))
        found = op("pieces", "set<piece:Garbage>", rng.choice((hand, hand, plant)))
        if rng.random() < 0.3:
            slot = self.slot("piece:Garbage")
            value = op("attr", "int", 0, 1, op("local", "piece:Garbage", slot))
            test = op("lt", "bool", value, const(rng.randint(1, 4)))
            found = op("filter", found.type, slot, found, test)
        if rng.random() < 0.2:
            found = op("union", found.type, found, op("pieces", found.type, plant))
        return found

    def colours(self, bound: list[tuple[int, str]]) -> Expr:
        rng, type_ = self.rng, f"set<{COLOURS}>"
        slot = self.slot("piece:Garbage")
        return rng.choice((
            op("domain", type_, COLOURS),
            op("list", type_, *[op("const", COLOURS, rng.randrange(4)) for _ in range(rng.randint(0, 4))]),
            op("map", type_, slot, self.pieces(bound), op("attr", COLOURS, 0, 0, op("local", "piece:Garbage", slot))),
        ))  # fmt: skip

    def numbers(self, bound: list[tuple[int, str]]) -> Expr:
        rng = self.rng
        slot = self.slot("int")
        return rng.choice((
            op("numbers", "set<int>", self.number(bound), self.number(bound)),
            op("list", "set<int>", *[self.number(bound) for _ in range(rng.randint(0, 5))]),
            op("map", "set<int>", slot, op("numbers", "set<int>", const(0), self.number(bound)),
               op("mod", "int", op("mul", "int", op("local", "int", slot), const(7)), const(rng.randint(2, 5)))),
        ))  # fmt: skip

    def seats(self, bound: list[tuple[int, str]]) -> Expr:
        return self.rng.choice((
            op("players", "set<seat>"),
            op("others", "set<seat>", op("const", "seat", self.rng.randrange(PLAYERS))),
        ))  # fmt: skip

    def bags(self, bound: list[tuple[int, str]]) -> Expr:
        size = colours()
        counts = [op("mod", "int", op("abs", "int", self.number(bound)), const(3)) for _ in range(size)]
        bag = op("bag", "bag:Colour", *counts)
        return op("sub_bags", "set<bag:Colour>", bag, const(0), self.number(bound))

    def source(self, bound: list[tuple[int, str]]) -> Expr:
        make = self.rng.choice((self.pieces, self.pieces, self.colours, self.numbers, self.seats))
        return make(bound)

    def weight(self, slot: int, type_: str) -> Expr:
        """A number that tells values apart."""
        local = op("local", type_, slot)
        if type_.startswith("set<"):
            inner = self.slot("int")
            term = op("mul", "int", op("local", "int", inner), op("add", "int", op("local", "int", inner), const(3)))
            small = op("mod", "int", term, const(MODULUS))
            return op("add", "int", op("sum", "int", inner, local, small), op("count", "int", local))
        if type_.startswith("bag:"):
            size = colours()
            found = const(0)
            for n in range(size):
                found = op("add", "int", op("mul", "int", found, const(5)), op("bag_get", "int", local, n))
            return found
        return op("cast", "int", local)

    def guard(self, bound: list[tuple[int, str]]) -> Guard:
        rng = self.rng
        colours = [(slot, type_) for slot, type_ in bound if type_ == COLOURS]
        if colours and rng.random() < 0.6:
            slot = self.slot("piece:Garbage")
            colour = op("attr", COLOURS, 0, 0, op("local", "piece:Garbage", slot))
            among = op("map", f"set<{COLOURS}>", slot, self.pieces(bound if rng.random() < 0.5 else []), colour)
            test = op("member", "bool", op("local", COLOURS, colours[-1][0]), among)
        elif bound:
            left = op("mod", "int", self.weight(*bound[-1 if rng.random() < 0.7 else 0]), const(rng.randint(2, 4)))
            test = op(rng.choice(("lt", "ne", "eq", "ge")), "bool", left, self.number(bound))
        else:
            test = op("lt", "bool", self.number([]), self.number([]))
        if rng.random() < 0.3:
            many = op("gt", "bool", op("count", "int", self.pieces(bound)), const(rng.randint(0, 3)))
            test = op("or", "bool", test, many)
        return Guard(test, "", 0)

    # ---- decisions

    def binder(self, bound: list[tuple[int, str]]) -> Binder:
        rng = self.rng
        kind = rng.choice(("each", "each", "each", "number", "some"))
        if kind == "number":
            return Binder("number", "n", self.slot("int"), INT, (self.number(bound), self.number(bound)))
        if kind == "each":
            source = self.bags(bound) if rng.random() < 0.15 else self.source(bound)
            inner = source.type.inner
            return Binder("each", "x", self.slot(inner), inner, (source,))
        source = self.source(bound)
        size = op("count", "int", source)
        low = rng.choice((const(rng.randint(0, 2)), op("min2", "int", const(1), size)))
        high = rng.choice((size, size, op("min2", "int", size, const(rng.randint(0, 3)))))
        return Binder("some", "xs", self.slot(source.type), source.type, (source, low, high))

    def item(self, to: int, most: int = 3) -> Item:
        rng = self.rng
        bound: list[tuple[int, str]] = []
        binders: list[Binder] = []
        guards: list[Guard] = []
        for _ in range(rng.choice([n for n in (0, 1, 1, 1, 2, 2, 3) if n <= most])):
            binder = self.binder(bound if rng.random() < 0.5 else [])
            binders.append(binder)
            bound.append((binder.slot, binder.type))
            if rng.random() < 0.45:
                guards.append(self.guard(bound))
        pre = (self.guard([]),) if rng.random() < 0.3 else ()
        return Item("it", tuple(binders), tuple(guards), to, 0, pre)


def program(seed: int) -> Program:
    """A game that goes through made-up decisions in turn; what is chosen changes the number that most of them read."""
    maker = Maker(seed)
    rng = maker.rng
    blocks: list[Block] = [Block((), Jump(1))]
    decisions: list[Decision] = []
    number = len(base().procedures)
    last: list[int] = []

    def mixed(*parts: Expr) -> Statement:
        value = MIXED
        for part in parts:
            total = op("add", "int", op("mul", "int", value, const(31)), part)
            value = op("mod", "int", op("abs", "int", total), const(MODULUS))
        return Statement("set_var", (MIXED_VARIABLE, value))

    for place in range(DECISIONS):
        start = len(blocks)
        blocks.append(Block((), Choose(place)))
        together = rng.random() < 0.12
        items: list[Item] = []
        you, result = maker.slot("seat"), -1
        for choice in range(1 if together else rng.choice((1, 1, 2, 3))):
            to = len(blocks)
            item = maker.item(to, 1 if together else 3)
            while together and (not item.binders or item.binders[0].type.startswith("bag")):
                item = maker.item(to, 1)
            if together:
                result = maker.slot(f"seats<{item.binders[0].type}>")
                values = op("local", f"seats<{item.binders[0].type}>", result)
                parts = []
                for seat in range(PLAYERS):
                    held = maker.slot(item.binders[0].type)
                    parts.append((held, op("get_seat", item.binders[0].type, values, op("const", "seat", seat))))
                sets = tuple(Statement("set", (held, value)) for held, value in parts)
                weights = [maker.weight(held, item.binders[0].type) for held, _ in parts]
                blocks.append(Block((*sets, mixed(const(choice), *weights)), Jump(-1)))
            else:
                weights = [maker.weight(binder.slot, binder.type) for binder in item.binders]
                blocks.append(Block((mixed(const(choice), *weights),), Jump(-1)))
            last.append(to)
            items.append(item)
        otherwise = len(blocks)
        blocks.append(Block((mixed(const(17)),), Jump(-1)))
        last.append(otherwise)
        binders = items[0].binders if len(items) == 1 else ()
        may_be_none = binders and (binders[0].type.kind == "bag" or (binders[0].kind == "some" and not items[0].guards))
        several = len(binders) == 1 and may_be_none
        special = ("some" if several else "author", "anyway")
        ask = rng.choice(("author", "author", "engine", *special))
        asked = op("players", "set<seat>") if together else op("const", "seat", 0)
        decisions.append(Decision(number, "made", asked, tuple(items), otherwise, ask, together, False, you, result))
        following = len(blocks) if place < DECISIONS - 1 else 1
        for block in last:
            blocks[block] = replace(blocks[block], terminator=Jump(following))
        last.clear()
        assert start < otherwise
    names = tuple(f"x{slot}" for slot in range(len(maker.types)))
    effects = Effects((), (), True, True)
    play = Procedure("made", 0, tuple(map(Type, maker.types)), names, VOID, tuple(blocks), effects)
    variable = VariableTable("mixed", INT, (), const(1), 0, MODULUS, "all")
    made = replace(
        base(), procedures=(*_silent(), play), decisions=tuple(decisions), variables=(*base().variables, variable),
        play=number, max_decisions=LIMIT,
    )  # fmt: skip
    live = live_slots(play, made.decisions)
    play = replace(play, blocks=tuple(replace(b, live=tuple(sorted(s))) for b, s in zip(blocks, live, strict=True)))
    return replace(made, procedures=(*made.procedures[:-1], play))


@cache
def base() -> Program:
    found: Program = rulelang.load(ROOT / "rulesets/reco").program
    return found


def colours() -> int:
    (colour,) = [enum for enum in base().enums if enum.name == "Colour"]
    return len(colour.values)


def _silent() -> list[Procedure]:
    """The procedures of the ruleset, its decisions taken out."""
    found = []
    for procedure in base().procedures:
        blocks = tuple(
            replace(block, terminator=Jump(number)) if isinstance(block.terminator, Choose) else block
            for number, block in enumerate(procedure.blocks)
        )
        found.append(replace(procedure, blocks=blocks))
    return found


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(1, 10))])
def test_made_up_decisions(seed: int) -> None:
    """Games through random decisions end in the same state, most of them in native code."""
    if find_compiler() is None:
        pytest.skip("no C compiler")
    made = program(seed)
    one, other = Executor(made, PLAYERS), Executor(made, PLAYERS, backend="native")
    again: list[int] = []
    slow = other.interpreter.random_playout

    def counted(state: Any) -> None:
        again.append(1)
        slow(state)

    other.interpreter.random_playout = counted  # type: ignore[method-assign]
    for game in range(times(10)):
        found: list[Any] = []
        for executor in (one, other):
            state = executor.new_state(game, logging=False)
            try:
                executor.random_playout(state)
            except RuleError as error:
                found.append(str(error))
                continue
            found.append((state_hash(state), state.rng, state.decisions, state.v, state.over))
        assert found[0] == found[1], game
    assert len(again) < times(5)
