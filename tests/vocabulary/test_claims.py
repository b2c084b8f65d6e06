"""Every row of the table of operations is so: of random operands, in both executors; and a wrong row is found."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from rulelang.diagnostics import RuleError
from rulelang.execution.executor import Executor
from rulelang.ir.complete import complete
from rulelang.ir.nodes import Choose, End, Expr
from rulelang.ir.walk import index, operands, subexpressions
from rulelang.native.guards import GUARDED, NATIVE, GuardError
from rulelang.runtime.bounds import HIGHEST, LOWEST
from rulelang.vocabulary.operations import EXPRESSIONS, FAILURES, Op, having, parsed
from rulelang.vocabulary.types import INT
from tests.interpreter.build import block, const, decision, do, e, item, procedure, shown, variable, zone
from tests.interpreter.test_expressions import CASES, DECK, MEMORY, card, filled, machine_for

from .claims import BORROWED, HOLDS, MORE, TOLD, UNSAID, claims, drawn


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_a_row_is_so(name: str) -> None:
    """How it fails, what it reads, and its traits."""
    assert claims(name, EXPRESSIONS[name]) == []


@pytest.mark.parametrize(
    "row",
    [
        "add int int -> int | total; pure -- cannot fail",
        "min2 int int -> int | overflow; pure -- may fail",
        "div int int -> int | overflow; pure -- nothing of zero",
        "top zone -> opt<piece:K> | total; contents -- nothing of what nobody has seen",
        "individual #kind #int seat* -> piece:K | total; setup -- nothing of automata",
        "sub_bags bag:R int int -> set<bag:R> | total; pure; distinct -- nothing of work",
        "others seat -> set<seat> | total; setup; distinct apart -- fixed",
        "everyone -> set<seat> | total; seats; distinct -- of those who are in",
        "player_count -> int | total; pure -- the same in any game",
        "attr #kind #int _ -> _ | total; pure -- the same in any game",
        "opposite dir -> dir | total; setup -- another in another game",
        "in_zone piece:K zone -> bool | total; pure -- fixed",
        "owner piece:K -> opt<seat> | total; setup -- fixed",
        "var #var _* -> _ | total; contents -- of pieces",
        "holdings purse:R|set<purse:R> -> bag:R | overflow; setup -- fixed",
        "deferred #str -> bool | total; setup -- fixed",
        "union set<T> set<T> -> set<T> | total; pure; distinct -- no repeats",
        "players_from seat -> set<seat> | total; seats; distinct apart -- without the first",
        "union set<T> set<T> -> set<T> | total; pure; shrinks repeats -- no more",
        "lt int int -> bool | total; pure; negates:gt mirrors:gt sign:< -- of gt",
        "le int int -> bool | total; pure; negates:gt mirrors:lt sign:<= -- mirror of lt",
        "ge int int -> bool | total; pure; negates:lt mirrors:le sign:> -- as gt",
        "map @T set<T> U -> set<U> | total; pure; subset repeats -- of the elements",
        "max @T set<T> int -> opt<int> | total; pure; element -- one of the elements",
        "filter @T set<T> bool -> set<T> | total; pure; sized repeats -- as many",
        "others seat -> set<seat> | total; seats; distinct every -- all",
        "list T* -> set<T> | total; pure; nonempty repeats -- as its first",
        "toward #grid cell:G dir -> opt<cell:G> | total; pure -- of any grid",
        "total set<int> -> int | overflow; pure; counts -- never negative",
        "lt int int -> bool | total; pure; negates:ge mirrors:gt sign:< equates -- of equal ones",
        "eq T U -> bool | total; pure; negates:ne mirrors:eq sign:== -- not of equal ones alone",
        "bit_or int int -> int | total; pure; sign:& -- the other sign",
        "on_edge #grid cell:G -> bool | total; setup; membership -- in what",
        "member U set<T> -> bool | total; pure; lenient -- in nothing",
        "domain #str -> _ | total; setup -- may repeat",
        "add int int -> int | overflow; log -- reads the log",
        "sub int int -> int | overflow; pure; counts folds -- less than none",
        "size zone -> int | total; contents -- how many, and not said",
        "distance #grid cell:G cell:G -> int | total; setup; folds -- how many steps, and not said",
        "max2 int int -> int | total; pure; folds lenient -- hands what is absent on",
        "owner piece:K -> opt<seat> | total; whereabouts; lenient -- nobody's where there is no piece",
        "min2 int int -> int | total; pure -- known beforehand, and not said",
        "size zone -> int | total; contents; counts folds -- of a state",
        "otherwise opt<T> T -> T | total; pure -- known beforehand, and not said",
    ],
)
def test_a_wrong_row_is_found(row: str) -> None:
    """By the name of its operation."""
    name, op = parsed(row)
    assert claims(name, op)[:1] == [found for found in claims(name, op) if found.startswith(f"{name}: ")][:1] != []


FLAGS = ("folds", *sorted(HOLDS.keys() - {"negates", "mirrors", "sign", "lenient"}))


def test_any_wrong_flag_is_found() -> None:
    """A trait that a row does not have, or no longer has; a failure or reading more."""
    draw, missed = random.Random(20), []
    for name in draw.sample([name for name in EXPRESSIONS if name not in BORROWED], 100):
        op, flag = EXPRESSIONS[name], draw.choice(FLAGS)
        traits = {**op.traits, flag: ""} if flag not in op.traits else {t: v for t, v in op.traits.items() if t != flag}
        more = draw.choice([word for word in FAILURES if word not in ("total", *op.failures)])
        wrong = replace(op, traits=traits), replace(op, failures=op.failures | {more})
        told = (name, flag) in UNSAID or (flag in op.traits and any(t in op.traits for t in TOLD.get(flag, ())))
        if not told and flag not in IMPLIED.get(name, ()) and not all(_is_named(name, row) for row in wrong):
            missed.append((name, flag, more))
    assert missed == []


def _is_named(name: str, row: Op) -> bool:
    found = claims(name, row)
    return bool(found) and all(text.startswith(f"{name}: ") for text in found)


IMPLIED = {"reaction_order": ("every",), "cast": ("shrinks",), "relocate": ("shrinks",), "purses_of": ("shrinks",)}
"""What may be said, as `sized` says more."""
PARTICULAR = frozenset(
    ("pick", "lines", "mark_code", "reaction", "reaction_order", "cast", "lookup", "firsts", "lasts")
)
"""Operations whose numbers are not any."""

WITHIN = {"cell", "offered", "lines"}
"""Operations that native code has within a decision alone, or folds."""


def as_number(value: Expr) -> Expr:
    """An expression as a number that tells its values apart as far as that is easily done."""
    if value.type.kind == "set":
        return e("count", INT, value)
    if value.type.kind == "bag":
        return e("bag_get", INT, value, 1)
    if value.type.kind == "cost":
        return e("cost_size", INT, value)
    if value.type.kind == "purse":
        return e("bag_get", INT, e("holdings", f"bag:{value.type.name}", value), 0)
    return value if value.type == INT else Expr("cast", INT, (value,))


def without_operands(expr: Expr, none: Expr) -> Expr:
    """An operation whose operands, where they are single values but no numbers, are absent ones taken as present."""
    return replace(
        expr,
        args=tuple(
            Expr("cast", arg.type, (none,)) if isinstance(arg, Expr) and arg.type.scalar and arg.type != INT else arg
            for arg in expr.args
        ),
    )


def test_total_operations_never_fail_in_native_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each operation that says it is total, on random operands: native code with guards never gives up, and finds what
    the interpreter does; where operands are absent, too, if the operation is lenient."""
    monkeypatch.setenv(NATIVE, GUARDED)
    every = [
        expr
        for expr in (*MORE, *(expr for expr, _ in CASES))
        if expr.op not in WITHIN and all(EXPRESSIONS[part.op].is_total for part in subexpressions(expr))
    ]
    total = [*{expr.op: expr for expr in every}.values(), *every[: len(MORE)]]
    said = {name for name, op in EXPRESSIONS.items() if op.is_total}
    assert said - {part.op for expr in total for part in subexpressions(expr)} == WITHIN | {"let"}
    none = Expr("var", INT, (len(machine_for().program.variables),))
    total += [without_operands(expr, none) for expr in total if expr.op in having("lenient")]
    found = differing(total)
    while found is None and len(total) > 1:
        half = total[: len(total) // 2]
        total = half if differing(half) is None else total[len(half) :]
    assert found is not None, f"it fails: {shown(total[0])}"
    assert found == []


@pytest.mark.parametrize("name", ["column", "on_edge"])
def test_native_code_finds_what_is_not_lenient(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row that says so, of an operation that looks an absent operand up: the guards see it."""
    monkeypatch.setenv(NATIVE, GUARDED)
    none = Expr("var", INT, (len(machine_for().program.variables),))
    with pytest.raises(GuardError):
        differing([without_operands(next(expr for expr, _ in CASES if expr.op == name), none)])


def differing(total: Sequence[Expr]) -> list[str] | None:
    """Return the expressions of which native code finds another value than the interpreter; None where either
    fails."""
    before = machine_for().program
    first = len(before.variables) + 1
    results = [do("set_var", first + place, as_number(expr)) for place, expr in enumerate(total)]
    elsewhere = (do("eliminate", const(3, "seat")), do("defer", "round"), do("move", card(0), zone(DECK), "top", 0))
    play = procedure(
        "play", block(then=Choose(0)), block(*results, then=End()), block(*elsewhere, then=End()), locals_=(INT, INT)
    )
    wide = [
        replace(table, low=LOWEST, high=HIGHEST) if place > MEMORY and table.type == INT else table
        for place, table in enumerate(before.variables)
    ]
    more = [
        variable("none", low=-1, start=-1),
        *(variable(f"result{k}", low=LOWEST, high=HIGHEST) for k in range(len(total))),
    ]
    program = complete(
        replace(
            before,
            procedures=(before.procedures[0], play, *before.procedures[2:]),
            variables=(*wide, *more),
            decisions=(decision(1, const(0, "seat"), item("go", 1)),),
        )
    )
    interpreter, native = (Executor(program, 4, None, backend) for backend in ("interpreter", "native"))
    particular = {
        index(part)
        for expr, _ in CASES
        for outer in subexpressions(expr)
        if outer.op in PARTICULAR
        for part in operands(outer)
        if part.op == "var" and part.type == INT
    }
    draw, bases = random.Random(1), interpreter.layout.var_base
    start = interpreter.new_state(logging=False)
    interpreter.interpreter.advance(start)
    filled(start)
    assert native.native is not None
    for _ in range(30):
        state, same = start.clone(), start.clone()
        for place, table in enumerate(program.variables[MEMORY + 1 : first - 1], MEMORY + 1):
            if place not in particular:
                state.v[bases[place]] = same.v[bases[place]] = drawn(draw, table.type, False)
        try:
            interpreter.random_playout(state)
        except (RuleError, IndexError):
            return None
        if native.native.random_playout(same) is None:
            return None
        told = [shown(expr) for place, expr in enumerate(total, first) if state.v[bases[place]] != same.v[bases[place]]]
        if told:
            return told
    return []
