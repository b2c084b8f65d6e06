"""What operations give for operands of which parts are hidden, against all that these may be.

Operands are made up: numbers that are one of a few, bags of such counts, collections of such elements. The operation is
run on each combination of values that they may have; what the rule gives must have all of the results, and of the
operations in `EXACT` no other.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice, permutations, product
from typing import Any, NamedTuple

import pytest

from rulelang.interpreter import Machine, abstract_rules
from rulelang.interpreter.abstract import RULES, Abstract, Codes
from rulelang.interpreter.abstract_values import (
    AbstractElements,
    Anything,
    Counts,
    Members,
    Range,
    Several,
    bounds,
    finite,
    may_be,
    one_of,
)
from rulelang.runtime.sight import ALL, TOP
from rulelang.runtime.state import State
from rulelang.runtime.veil import Veil
from rulelang.runtime.views import _sight
from rulelang.vocabulary.types import ABSENT_NUMBER, Type
from tests.interpreter.test_expressions import MEMORY, PICK, position
from tests.mutants import Mutant, mutants, planted
from tests.vocabulary.claims import Case, cases, changed, drawn, outcome

TRIALS, MOST = 40, 200
"""Abstract operands for each operation, and combinations of what they may be."""
APART = frozenset(("let", "call", "possible", "cell", "offered", "var", "pvar", "family", "active"))
"""Operations that read what is hidden themselves, or have procedures of their own."""


def made(draw: random.Random, type_: Type) -> Any:
    """An abstract value of a type; None where none is made up."""
    if type_.kind == "set" and type_.inner.scalar:
        parts = [
            AbstractElements(one_of(_few(draw, type_.inner)), low := draw.randint(0, 1), low + draw.randint(0, 1))
            for _ in range(draw.randint(0, 2))
        ]
        return Members(tuple(part for part in parts if part.high), draw.random() < 1 / 2)
    if type_.kind == "bag":
        return Counts(tuple(one_of(draw.sample(range(4), draw.randint(1, 2))) for _ in range(2)))
    if type_ == "int" and draw.random() < 1 / 4:
        return Range(draw.randint(-3, 0), draw.randint(600, 700))
    return one_of(_few(draw, type_)) if type_.scalar else None


def _few(draw: random.Random, type_: Type) -> list[int]:
    if type_.present == "int":
        values = draw.sample(range(-2, 5), draw.randint(1, 3))
        return values + [type_.absent] * (type_.kind == "opt" and draw.random() < 1 / 2)
    values = [drawn(draw, type_, True) for _ in range(draw.randint(1, 3))]
    return [value for value in values if value is not None]


def instances(value: Any) -> Iterator[Any]:
    """What an abstract value may be; of a long range both ends and what lies within."""
    match value:
        case Several():
            yield from sorted(value.values)
        case Range():
            yield from sorted({value.low, *range(7), value.high})
        case Counts():
            yield from product(*map(_all, value.counts))
        case Members():
            ways = [
                [way for n in range(e.low, e.high + 1) for way in product(_all(e.value), repeat=n)]
                for e in value.entries
            ]
            for parts in product(*ways):
                elements = [element for part in parts for element in part]
                yield from map(list, [elements] if value.ordered else permutations(elements))
        case _:
            yield value


def _all(value: Any) -> list[Any]:
    return list(instances(value))


def has(value: Any, result: Any) -> bool:
    """Whether a value is one of those that an abstract value may be."""
    match value:
        case Anything():
            return True
        case Counts():
            return all(map(may_be, value.counts, result))
        case Members():
            if not sum(e.low for e in value.entries) <= len(result) <= sum(e.high for e in value.entries):
                return False
            if value.ordered:
                return _in_order(value.entries, result)
            return all(any(has(e.value, part) for e in value.entries) for part in result) and all(
                sum(has(e.value, part) for part in result) >= e.low for e in value.entries
            )
        case Several() | Range():
            return may_be(value, int(result))
    return bool(value == result)


def _in_order(entries: Sequence[AbstractElements], result: Sequence[Any]) -> bool:
    if not entries:
        return not result
    first, *rest = entries
    return any(
        all(has(first.value, part) for part in result[:n]) and _in_order(rest, result[n:])
        for n in range(first.low, min(first.high, len(result)) + 1)
    )


def is_tight(value: Any, results: list[Any], hull: bool = False) -> bool:
    """Whether an abstract value has no other values than these, as far as its form can say; `hull`: none beyond the
    least and greatest of them."""
    match value:
        case Several() if hull:
            present = [result for result in results if result != ABSENT_NUMBER]
            absent = may_be(value, ABSENT_NUMBER) == (ABSENT_NUMBER in results)
            return absent and bounds(value) == (min(present), max(present))
        case Anything():  # of costs nothing is said
            return any(isinstance(result, tuple) and isinstance(result[0], tuple) for result in results)
        case Counts():
            return all(
                is_tight(count, [result[place] for result in results], hull) for place, count in enumerate(value.counts)
            )
        case Members():
            low, high = sum(e.low for e in value.entries), sum(e.high for e in value.entries)
            sizes = {len(result) for result in results}
            elements = [part for result in results for part in result]
            return (low, high) == (min(sizes), max(sizes)) and all(
                any(has(choice, part) for part in elements) for e in value.entries for choice in finite(e.value) or ()
            )
        case Range():
            return bounds(value) == (min(results), max(results))
        case Several():
            return value.values == {*map(int, results)}
    return True


def _known(draw: random.Random, machine: Machine, case: Case, type_: Type) -> Any:
    """A zone that holds what the operation gives, one of several such, or a place in a collection."""
    if type_ == "int":
        return one_of(draw.sample(range(3), draw.randint(1, 2)))
    kinds, name = machine.program.kinds, case.expr.type.core.name
    fitting = [zone for zone, kind in enumerate(machine.layout.inst_kind) if not name or kinds[kind].name == name]
    return one_of(draw.sample(fitting, draw.randint(1, 3)))


class Trial(NamedTuple):
    """An operation on abstract operands, with the results of all that these may be."""

    case: Case
    operands: list[Any]
    results: list[Any]


@cache
def table() -> tuple[Machine, State, Codes]:
    """The machine of all operations, a state, and what is compiled for it."""
    _, machine, _ = cases()
    return machine, position(machine), Codes(machine)


HIDDEN = {"deck": "count", "hand": "owner", "square": "count", "stack": "top", "rack": "all", "camp": "nobody"}
"""Zone -> who sees it in the worlds that seat 0 can't tell apart."""
WORLDS = 30


@cache
def worlds() -> tuple[Codes, list[State]]:
    """States of one machine that look alike to seat 0: other pieces where it does not see them, other variables."""
    draw, (_, machine, _) = random.Random(4), cases()
    zones = tuple(replace(zone, visible=HIDDEN[zone.name]) for zone in machine.program.zones)
    variables = tuple(
        replace(table, visible="owner" if place == 0 else "nobody") if place <= MEMORY else table
        for place, table in enumerate(machine.program.variables)
    )
    of_pieces = tuple(replace(table, visible="nobody") for table in machine.program.piece_variables)
    program = replace(machine.program, zones=zones, variables=variables, piece_variables=of_pieces)
    machine = Machine(program, 4)
    first, found = machine.new_state(), list[State]()
    sight = _sight(first, 0)
    lying = changed(draw, first, "pieces").z
    for number in range(WORLDS):
        state = first.clone()
        state.z = [list(pieces) for pieces in lying]
        for kind in (0, 1):
            unseen = [z for z, of in enumerate(machine.layout.inst_kind) if of == kind and sight.zones[z] != ALL]
            places = [(z, at) for z in unseen for at in range(len(state.z[z]) - (sight.zones[z] == TOP))]
            items = [state.z[z][at] for z, at in places]
            draw.shuffle(items)
            for (z, at), item in zip(places, items, strict=True):
                state.z[z][at] = item
        for z, items in enumerate(state.z):
            if not machine.layout.inst_kept[z]:
                items.sort()
            for item in items:
                if state.where[item] >= 0:
                    state.where[item] = z
        if number:
            for cell, seen in enumerate(sight.cells):
                if not seen and cell < machine.layout.var_base[PICK]:
                    state.v[cell] = draw.randint(0, 9)
            first_cell = machine.layout.pvar_cell(0, machine.layout.kind_items[1].start)
            for cell in range(first_cell, len(state.v)):
                state.v[cell] = draw.randint(0, 9)
        found.append(state)
    return Codes(machine), found


def told_apart(op: str) -> list[str]:
    """What a rule leaves out of what an operation gives in worlds that look alike."""
    codes, states = worlds()
    draw, found = random.Random(op), []
    for case in [case for case in cases()[0].get(op, []) for _ in range(12)]:
        operands = [
            _known(draw, codes.machine, case, type_)
            if type_ == "zone"
            else outcome(codes.machine, states[0], input_, ())[1]
            for type_, input_ in zip(case.types, case.inputs, strict=True)
        ]
        a = Abstract(codes, Veil(states[0], _sight(states[0], 0)))
        a._work, a._depth = 100_000, 0
        codes.declared.clear()
        value = RULES[op](a, case.expr, [*operands, *[0] * 8])
        for state in states:
            for values in product(*map(instances, operands)):
                sort, result = outcome(codes.machine, state, case.procedure, values)
                if sort == "value" and not has(value, result):
                    found.append(f"{operands}: {value} has not {result}")
    return found


@cache
def trials(op: str) -> list[Trial]:
    """Made-up operands of an operation, with what comes of them."""
    draw, (of, _, _), (machine, state, _) = random.Random(op), cases(), table()
    found = []
    for case in of.get(op, []) * (TRIALS // max(len(of.get(op, [])), 1) + 1):
        operands = []
        for type_, procedure in zip(case.types, case.inputs, strict=True):
            value = made(draw, type_) if draw.random() < 4 / 5 else drawn(draw, type_, True)
            if type_ == "zone" or (op == "at" and type_ == "int"):
                value = _known(draw, machine, case, type_)
            operands.append(outcome(machine, state, procedure, ())[1] if value is None else value)
        every = list(islice(product(*map(instances, operands)), MOST + 1))
        if len(every) > MOST:
            continue
        outcomes = [
            outcome(machine, state, case.procedure, [list(v) if isinstance(v, list) else v for v in values])
            for values in every
        ]
        results = [value for sort, value in outcomes if sort == "value"]
        if results:
            found.append(Trial(case, operands, results))
    return found


def wrong(op: str) -> list[str]:
    """What a rule leaves out, or of an exact operation has too much."""
    _, state, codes = table()
    found = []
    for trial in trials(op):
        a = Abstract(codes, Veil(state, _sight(state, 0)))
        a._work, a._depth = 100_000, 0
        value = RULES[op](a, trial.case.expr, [*trial.operands, *[0] * 8])
        if not all(has(value, result) for result in trial.results):
            found.append(f"{trial.operands}: {value} has not all of {trial.results}")
        elif op not in LOOSE and not is_tight(value, trial.results, op in HULL):
            found.append(f"{trial.operands}: {value} has more than {trial.results}")
    return found


HULL = frozenset(("bag_add", "bag_scale", "bag_sub", "bag_size", "max", "min", "min2", "sum", "total"))
LOOSE = frozenset(
    (
        *("at", "bag_clamp", "bottoms", "difference", "distinct", "distinct_by", "div", "fewest", "firsts", "flatten"),
        *(
            "ascending",
            "descending",
            "runs",
            "group",
            "in_zone",
            "is_none",
            "lasts",
            "lookup",
            "mod",
            "most",
            "numbers",
            "pieces",
            "reachable",
            "tops",
        ),
    )
)
"""Operations whose results may be told too generously; of those in `HULL` within their ends; the others are exact."""


@pytest.mark.parametrize("op", sorted(RULES.keys() - APART))
def test_a_rule_gives_all_that_there_may_be(op: str) -> None:
    """And no more, of those that are exact."""
    assert len(trials(op)) >= TRIALS // 3
    assert wrong(op) == []


LOOKING = [
    *("var", "pvar", "family", "active", "pieces", "size", "top", "bottom", "tops", "bottoms"),
    *("owner", "zone_of", "cell_of", "in_zone"),
]


@pytest.mark.parametrize("op", LOOKING)
def test_a_rule_gives_all_that_may_be_hidden(op: str) -> None:
    """In every world that the seat can't tell from the one it is in."""
    assert told_apart(op) == []


def failing(op: str) -> list[str]:
    """What is wrong with the rule of an operation, by all trials."""
    return (wrong(op) if op not in APART else []) or (told_apart(op) if op in LOOKING else [])


@cache
def entered() -> dict[str, set[str]]:
    """Function of the rules -> the operations whose trials enter it."""
    by: dict[str, set[str]] = {}
    operation = ""

    def note(frame: Any, event: str, arg: Any) -> None:
        if event == "call" and frame.f_code.co_filename == abstract_rules.__file__:
            name = frame.f_code.co_qualname.replace(".<locals>", "")
            by.setdefault(f"interpreter.abstract_rules.{name}", set()).add(operation)

    for operation in RULES.keys() - APART | {*LOOKING}:
        sys.setprofile(note)
        try:
            failing(operation)
        finally:
            sys.setprofile(None)
    return by


def is_caught(mutant: Mutant) -> bool:
    """Whether the trials of an operation that comes through the mutant fail."""
    for op in sorted(entered().get(mutant.function, ())):
        with planted(mutant):
            try:
                if failing(op):
                    return True
            except Exception:  # noqa: BLE001 - whatever comes out catches it
                return True
    return False


UNSHOWN = """
_lookup: not steps
_quotient: divisors
_equal: may_be(x, ABSENT_NUMBER)
_equal: may_be(y, ABSENT_NUMBER)
_equal: not both_absent
_declared_now: type_.core == 'int' or type_.kind == 'bag'
_declared_now: type_.core == 'int'
_declared_now: type_.kind == 'bag'
_declared_now: type_.kind == 'opt'
_var: choices is None
_var: cell in within
_pvar: items is None
_pvar: item >= 0
_lying: table.view.by_owner
_pieces: zones is None
_pieces: zone >= 0
_family: not all(map(is_known, indices))
_size: a.layout.items
_size: sum(a.layout.copies)
_end_piece: ()
_end_piece: e.op == 'top' #2
_active: ()
_active: handles is None
_active: len(fitting) == len(handles)
_owner: (-1,)
_in_zone: zones is None
_flatten: inner is None
_group: keys is None
_distinct: not certain
_distinct: certain
_distinct: e.op == 'distinct'
_at: entries_of(collection)
_at: ()
_at: _is_ordered(collection)
_at: entry.low != entry.high
_bag_clamp: counts is None
""".strip().split("\n")
"""Conditions that no trial shows: turned around they make a result only more generous, of an operation in `LOOSE` or of
operands of which nothing is known."""


@pytest.mark.soak
def test_a_negated_condition_is_caught() -> None:
    """Each other condition of the rules, by the trials of an operation that comes through it."""
    entered()
    missed = [each.name for each in mutants([abstract_rules]) if not is_caught(each)]
    assert [name.removeprefix("interpreter.abstract_rules.") for name in missed] == UNSHOWN
