"""What can be chosen and drawn, worked out by hand: decisions as lists, by number, by values; kinds of chance."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

import pytest

from rulelang.diagnostics import RuleError
from rulelang.interpreter import Machine
from rulelang.interpreter.decisions import Listing
from rulelang.ir.nodes import Chance, Choose, Expr, Item, Return
from rulelang.ir.program import EnumTable
from rulelang.runtime.state import State
from rulelang.runtime.waiting import Family, Option
from tests.interpreter import test_machine, test_unseen
from tests.mutants import mutants, planted

from .build import (
    block,
    const,
    decision,
    do,
    e,
    each,
    item,
    local,
    nothing,
    numbered,
    procedure,
    program,
    some,
    var,
    variable,
)

SEAT0, INT, SET = const(0, "seat"), "int", "set<int>"
R = EnumTable("R", ("a", "b", "c"))


def ints(*numbers: int) -> Expr:
    return e("list", SET, *map(const, numbers))


def bag(*counts: int) -> Expr:
    return e("bag", "bag:R", *map(const, counts))


class Menu(NamedTuple):
    """A decision: its items, all options, by item what occurs in them, the sizes of the one family that they are."""

    items: tuple[Item, ...]
    options: list[tuple[int, tuple[Any, ...]]]
    families: list[tuple[int, tuple[list[list[Any]], ...]]] | None
    sizes: tuple[int, int] | None = None
    ask: str = "author"


NEVER = item("never", 1, pre=(e("gt", "bool", var(0), const(1)),))
TOTAL_2 = e("eq", "bool", e("total", INT, local(2, SET)), const(2))
BELOW = e("lt", "bool", local(0), local(1))
MENUS = {
    "pairs": Menu(
        (
            NEVER,
            item("pair", 1, numbered("x", 0, const(1), const(2)), numbered("y", 1, const(1), const(3)), when=(BELOW,)),
            item("none", 1),
        ),
        [(1, (1, 2)), (1, (1, 3)), (1, (2, 3)), (2, ())],
        [(1, ([[1], [2]], [[2], [3]])), (2, ())],
    ),
    "each": Menu((item("one", 1, each("x", 0, INT, ints(7, 5, 7))),), [(0, (7,)), (0, (5,))], [(0, ([[5], [7]],))]),
    "some": Menu(
        (item("some", 1, some("x", 2, ints(2, 1, 1), const(0), const(2))),),
        [(0, (chosen,)) for chosen in [(), (1,), (2,), (1, 1), (1, 2)]],
        [(0, ([[1, 1], [2]],))],
        (0, 2),
    ),
    "some and another": Menu(
        (item("some", 1, some("x", 2, ints(2, 1), const(1), const(1))), item("none", 1)),
        [(0, ((1,),)), (0, ((2,),)), (1, ())],
        [(0, ([[1], [2]],)), (1, ())],
    ),
    "some with a guard": Menu(
        (item("some", 1, some("x", 2, ints(2, 1, 1), const(0), const(2)), when=(TOTAL_2,)),),
        [(0, ((2,),)), (0, ((1, 1),))],
        [(0, ([[1, 1], [2]],))],
    ),
    "each, then some": Menu(
        (item("both", 1, each("x", 0, INT, ints(6, 5)), some("y", 2, ints(1, 3, 3), const(2), const(2))),),
        [(0, (x, y)) for x in (6, 5) for y in ((1, 3), (3, 3))],
        [(0, ([[5], [6]], [[1], [3, 3]]))],
    ),
    "sets": Menu(
        (item("set", 1, each("x", 3, SET, e("list", "set<set<int>>", ints(1, 2), ints(), ints(1, 2)))),),
        [(0, ((1, 2),)), (0, ((),))],
        [(0, ([[1], [2]],))],
    ),
    "sets of sets": Menu(
        (item("set", 1, some("x", 4, e("list", "set<set<int>>", ints(1), ints(2)), const(1), const(1))),),
        [(0, (((1,),),)), (0, (((2,),),))],
        None,
        (1, 1),
    ),
    "a lone pass": Menu((NEVER,), [(-1, ())], [(-1, ())], ask="anyway"),
    "no pass": Menu(
        (item("one", 1, each("x", 0, INT, ints(4, 5))),), [(0, (4,)), (0, (5,))], [(0, ([[4], [5]],))], ask="anyway"
    ),
}


def at_choice(menu: Menu) -> tuple[Machine, State]:
    """A machine and a state in which the decision waits."""
    play = procedure(
        "play", block(then=Choose(0)), block(then=Return(None)), locals_=(INT, INT, SET, SET, "set<set<int>>")
    )
    asked = decision(1, SEAT0, *menu.items, otherwise=1, ask=menu.ask)
    machine = Machine(program(nothing(), play, variables=(variable("none"),), decisions=(asked,)), 1)
    state = machine.new_state()
    machine.advance(state)
    return machine, state


def nested(value: Any) -> Any:
    return [nested(part) for part in value] if isinstance(value, tuple) else value


def check_menu(name: str) -> None:
    """All ways to ask for the options of a decision agree with the list."""
    menu = MENUS[name]
    machine, state = at_choice(menu)
    options = [Option(*option) for option in menu.options]
    code, chunks = machine._chunks(state, 0)
    listing = Listing(code, chunks)
    size = len(options)
    assert list(machine.options(state, 0)) == list(listing) == listing[:] == options
    assert machine.option_count(state, 0) == len(listing) == size
    for place, option in enumerate(options):
        assert machine.nth_option(state, 0, place) == listing[place] == listing[place - size] == option
        assert machine.has_option(state, 0, option)
        assert listing.rank(option.item, nested(option.values)) == place
        last = option.values[-1:]
        others = ((1, 1, 1), (9,), (2, 2)) if last and isinstance(last[0], tuple) else (99, -1)
        for other in others if last else ():
            assert not machine.has_option(state, 0, Option(option.item, (*option.values[:-1], other)))
            assert listing.rank(option.item, nested((*option.values[:-1], other))) == -1
        assert not machine.has_option(state, 0, Option(option.item, (*option.values, 0)))
    assert listing[1:] == options[1:]
    assert listing[::-1] == options[::-1]
    for beyond in (size, -size - 1):
        with pytest.raises(IndexError):
            listing[beyond]
    assert not machine.has_option(state, 0, Option(7, ()))
    assert not machine.has_option(state, 0, Option(0, ("no", "such", "values")))
    assert menu.ask == "anyway" or not machine.has_option(state, 0, Option(-1, ()))
    first = [place for place, option in enumerate(options) if place == 0 or option.item != options[place - 1].item]
    assert listing.starts == first
    assert listing.selections == menu.sizes
    assert listing.families == (None if menu.families is None else [Family(*family) for family in menu.families])


@pytest.mark.parametrize("name", MENUS)
def test_options_are_listed_numbered_and_recognised(name: str) -> None:
    """By hand: in the order of items, then of binders; what occurs in them."""
    check_menu(name)


class Draw(NamedTuple):
    """A chance node: its operands, the weights of its outcomes, what is there if it is certain."""

    kind: str
    operands: tuple[Expr, ...]
    weights: dict[int, int]
    certain: int | None = None


DRAWS = {
    "a number": Draw("number", (const(2), const(4)), {2: 1, 3: 1, 4: 1}),
    "one number": Draw("number", (const(3), const(3)), {}, 3),
    "an element": Draw("element", (ints(4, 7, 4),), {4: 2, 7: 1}),
    "a lone element": Draw("element", (ints(4, 4),), {}, 4),
    "a unit": Draw("unit", (bag(2, 0, 1),), {0: 2, 2: 1}),
    "a lone unit": Draw("unit", (bag(0, 5, 0),), {}, 1),
    "no unit": Draw("unit", (bag(0, 0, 0),), {}, -1),
}
SEEDS = 150


def drawn(draw: Draw, seed: int, explicit: bool) -> tuple[Machine, State]:
    """A game that draws once, into its variable."""
    slot = "opt<enum:R>" if draw.kind == "unit" else INT
    value = e("cast", INT, local(0, slot)) if slot != INT else local(0)
    play = procedure(
        "play",
        block(then=Chance(draw.kind, "draw", draw.operands, 0, 1)),
        block(do("set_var", 0, value), then=Return(None)),
        locals_=(slot,),
    )
    machine = Machine(program(nothing(), play, variables=(variable("x", low=-9),), enums=(R,)), 1)
    state = machine.new_state(seed, explicit)
    machine.advance(state)
    return machine, state


def check_draw(name: str) -> None:
    """Outcomes with their weights where chance is explicit; as often, where it is sampled."""
    draw = DRAWS[name]
    machine, state = drawn(draw, 0, True)
    waiting = machine.waiting(state)
    if draw.certain is not None:
        assert waiting is None
        assert state.v == [draw.certain]
        assert drawn(draw, 5, False)[1].v == [draw.certain]
        return
    assert waiting is not None
    assert machine.weighted_outcomes(state) == list(draw.weights.items())
    for value in draw.weights:
        child = state.clone()
        machine.take_outcome(child, value)
        assert (child.v, child.over) == ([value], 1)
    sampled = Counter(drawn(draw, seed, False)[1].v[0] for seed in range(SEEDS))
    assert sampled.keys() == draw.weights.keys()
    total = sum(draw.weights.values())
    assert all(abs(sampled[value] - SEEDS * weight / total) < SEEDS / 6 for value, weight in draw.weights.items())


@pytest.mark.parametrize("name", DRAWS)
def test_draws_have_their_weights(name: str) -> None:
    """Explicit and sampled; what is certain is not asked."""
    check_draw(name)


def test_there_must_be_a_number_to_draw() -> None:
    """Of an empty range none can be."""
    with pytest.raises(RuleError, match="no number to draw"):
        drawn(Draw("number", (const(3), const(2)), {}), 0, True)


CHECKS: list[Callable[[], Any]] = [
    *(lambda name=name: check_menu(name) for name in MENUS),
    *(lambda name=name: check_draw(name) for name in DRAWS),
]


def killers() -> list[Callable[[], Any]]:
    """What fails when decisions or chance are wrong: what is here, and the games of two other modules."""
    found = list(CHECKS)
    for module in (test_machine, test_unseen):
        for name, test in vars(module).items():
            if name.startswith("test_") and name != "test_sampling_has_the_exact_chances":
                marks = [mark for mark in getattr(test, "pytestmark", ()) if mark.name == "parametrize"]
                rows = marks[0].args[1] if marks else [()]
                found += [partial(test, *(row if isinstance(row, tuple) else (row,))) for row in rows]
    return found


UNSHOWN = """
chance._Unseen.__init__: c.known(chance.args[1]) == 0
chance._Unseen.arrive: self.place is not None
decisions._SelectionCounts.__init__: self.total > COUNTED
decisions.Selections.__init__: self.low <= self.high
decisions.Nested.__init__: self.ends
decisions._BinderCode.__init__: c.layout.refers(other.type)
decisions._BinderCode._classes: piece >= 0 and self.kinds[self.layout.item_kind[piece & ITEM_MASK]].identity
decisions._BinderCode._classes: piece >= 0
decisions._BinderCode._classes: self.kinds[self.layout.item_kind[piece & ITEM_MASK]].identity
decisions._ItemCode.refused: self.item.binders[0].name == 'this'
decisions._ItemCode.refused: not len(self.binders[0].chunk(S, L))
decisions._empty: isinstance(chosen, tuple) and (not any(chosen))
decisions._empty: isinstance(chosen, tuple)
decisions._empty: not any(chosen)
decisions.DecisionCode.chunk_at_once: len(chunk)
decisions.DecisionCode.chunk_at_once: not self.passes
decisions.DecisionCode.nothing: self.listed
decisions.DecisionCode.contains: self.passes #2
decisions.DecisionCode.contains: self.node.passes(*chosen)
decisions.DecisionCode.contains: not len(self.items[0].chunk(S, L))
decisions.Listing.starts: len(chunk)
decisions.Listing.selections: len(chunk)
decisions.Listing.selections: isinstance(first, Selections) and (not others)
decisions.Listing.selections: isinstance(first, Selections)
decisions.Listing.selections: not others
decisions.Listing.families: len(chunk)
decisions.Listing.families: isinstance(item, _ItemCode)
decisions.Listing.families: binders is None
decisions.Listing.families: number == len(self._code.node.items)
""".strip().split("\n")
"""Conditions that none of them shows: limits of work; reactions, trades and answers of all at once, which whole games
show; and properties, which are not turned around."""
SECONDS = 1.0
"""Of its own time a test may take, as a loop whose condition is turned around may not end."""


def is_caught(test: Callable[[], Any]) -> bool:
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        test()
    except Exception:  # noqa: BLE001 - whatever comes out catches it
        return True
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return False


@pytest.mark.soak
def test_a_negated_condition_is_caught() -> None:
    """Each other condition of decisions and chance."""

    def over(*_: Any) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, over)
    modules = [import_module(f"rulelang.interpreter.{name}") for name in ("chance", "decisions")]
    tests, missed = killers(), []
    try:
        for mutant in mutants(modules):
            with planted(mutant):
                if not any(map(is_caught, tests)):
                    missed.append(mutant.name.removeprefix("interpreter."))
    finally:
        signal.signal(signal.SIGVTALRM, before)
    assert {*missed} <= {*UNSHOWN}
