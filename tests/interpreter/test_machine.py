"""Running programs: blocks, calls, decisions, chance, limits."""

from __future__ import annotations

from fractions import Fraction

import pytest

from rulelang.diagnostics import FuelError, RuleError
from rulelang.interpreter import Machine
from rulelang.ir.nodes import Branch, CallProc, Chance, Choose, End, Jump, Return
from rulelang.runtime.canonical import state_hash
from rulelang.runtime.waiting import Option

from .build import (
    block,
    const,
    decision,
    definition,
    do,
    e,
    each,
    function,
    item,
    kind,
    local,
    nothing,
    numbered,
    place,
    procedure,
    program,
    some,
    var,
    variable,
    zone,
)

INT = "int"
ZERO, ONE = const(0), const(1)
SEAT0 = const(0, "seat")


def coins(n: int):
    """Flips n coins and counts the heads in a variable."""
    play = procedure(
        "play",
        block(do("set", 0, ZERO), then=Jump(1)),
        block(then=Branch(e("lt", "bool", local(0), const(n)), 2, 4)),
        block(then=Chance("number", "coin", (ZERO, ONE), 1, 3)),
        block(
            do("set_var", 0, e("add", INT, var(0), local(1))),
            do("set", 0, e("add", INT, local(0), ONE)),
            then=Jump(1),
        ),
        block(then=Return(None)),
        locals_=(INT, INT),
    )
    return program(nothing(), play, variables=(variable("heads"),))


def test_three_coins_have_binomial_chances() -> None:
    """Explicit chance reaches every number of heads with its exact probability."""
    machine = Machine(coins(3), 1)
    found: dict[int, Fraction] = {}

    def walk(state, chance):
        waiting = machine.waiting(state)
        if waiting is None:
            assert state.over == 1
            found[state.v[0]] = found.get(state.v[0], Fraction(0)) + chance
            return
        assert waiting.kind == "chance"
        for value, probability in machine.outcomes(state):
            child = state.clone()
            machine.take_outcome(child, value)
            walk(child, chance * probability)

    start = machine.new_state(explicit=True)
    machine.advance(start)
    walk(start, Fraction(1))
    assert found == {0: Fraction(1, 8), 1: Fraction(3, 8), 2: Fraction(3, 8), 3: Fraction(1, 8)}


def test_sampled_run_replayed_explicitly_is_equal() -> None:
    """The outcomes in a sampled game's log lead an explicit game to an equal state."""
    machine = Machine(coins(20), 1)
    sampled = machine.new_state(seed=5)
    machine.advance(sampled)
    explicit = machine.new_state(explicit=True)
    machine.advance(explicit)
    for entry in sampled.log:
        if entry[0] == "chance":
            machine.take_outcome(explicit, entry[3])
    assert (explicit.over, explicit.v) == (sampled.over, sampled.v)
    assert state_hash(explicit) == state_hash(sampled)


def deck(hand_size: int = 2):
    """Four cards, two of them alike, shuffled; `hand_size` are drawn, then the hand is chosen from."""
    top = Chance("expose", "draw", (zone(0), ZERO), -1, 3)
    setup = procedure("setup", block(do("shuffle", zone(0)), then=Return(None)))
    play = procedure(
        "play",
        block(do("set", 0, ZERO), then=Jump(1)),
        block(then=Branch(e("lt", "bool", local(0), const(hand_size)), 2, 4)),
        block(then=top),
        block(
            do("move", e("top", "opt<piece:Card>", zone(0)), zone(1), "top", 0),
            do("set", 0, e("add", INT, local(0), ONE)),
            then=Jump(1),
        ),
        block(then=Choose(0)),
        block(
            do("move", local(1, "set<piece:Card>"), zone(2), "top", 0),
            then=Return(None),
        ),
        locals_=(INT, "set<piece:Card>"),
    )
    hand = e("pieces", "set<piece:Card>", zone(1))
    chosen = some("played", 1, hand, ZERO, e("count", INT, hand))
    return program(
        setup,
        play,
        kinds=(
            kind("Card", definition("ace", 1, zone(0)), definition("two", 2, zone(0)), definition("joker", 1, zone(0))),
        ),
        zones=(place("deck", pile=True), place("hand"), place("table")),
        decisions=(decision(1, SEAT0, item("play", 5, chosen), ask="some"),),
    )


def histories(machine, state, chance=Fraction(1)):
    """Every hand that is reached, with its probability."""
    waiting = machine.waiting(state)
    if waiting is None or waiting.kind == "decision":
        yield tuple(state.z[1]), chance
        return
    for value, probability in machine.outcomes(state):
        child = state.clone()
        machine.take_outcome(child, value)
        yield from histories(machine, child, chance * probability)


def test_two_cards_from_four() -> None:
    """Drawing two of {ace, two, two, joker}: the chances of each hand."""
    machine = Machine(deck(), 1)
    start = machine.new_state(explicit=True)
    machine.advance(start)
    assert [(value, str(p)) for value, p in machine.outcomes(start)] == [(0, "1/4"), (1, "1/2"), (2, "1/4")]
    hands: dict[tuple[int, ...], Fraction] = {}
    for hand, chance in histories(machine, start):
        hands[hand] = hands.get(hand, Fraction(0)) + chance
    third, sixth = Fraction(1, 3), Fraction(1, 6)
    assert hands == {(0, 1): third, (0, 2): sixth, (1, 1): sixth, (1, 2): third}


def test_pool_of_one_sort_is_known() -> None:
    """When only alike cards are left unseen, no chance node is needed for them."""
    machine = Machine(deck(4), 1)
    state = machine.new_state(explicit=True)
    machine.advance(state)
    machine.take_outcome(state, 0)
    machine.take_outcome(state, 2)
    waiting = machine.waiting(state)
    assert waiting is not None
    assert waiting.kind == "decision"
    assert state.pools == [[]]
    assert state.z[1] == [0, 1, 1, 2]


def test_sub_bags_of_a_hand() -> None:
    """Options are the distinct sub-multisets, by size, then in order; count and n-th agree with the list."""
    machine = Machine(deck(4), 1)
    state = machine.new_state(seed=3)
    machine.advance(state)
    base = 1 << 16
    sizes = [[], [0], [1], [2], [0, 1], [0, 2], [1, 1], [1, 2], [0, 1, 1], [0, 1, 2], [1, 1, 2], [0, 1, 1, 2]]
    options = machine.options(state, 0)
    assert options == [Option(0, (tuple(base + card for card in cards),)) for cards in sizes]
    assert machine.option_count(state, 0) == len(options)
    assert [machine.nth_option(state, 0, k) for k in range(len(options))] == options
    assert all(machine.has_option(state, 0, option) for option in options)
    assert not machine.has_option(state, 0, Option(0, ((base, base),)))
    machine.choose(state, 0, options[6])
    assert state.z == [[], [0, 2], [1, 1]]
    assert state.over == 1


def test_choosing_none_of_nothing_is_no_node() -> None:
    """`some` of an empty hand is taken as the empty choice."""
    machine = Machine(deck(0), 1)
    state = machine.new_state(seed=3)
    machine.advance(state)
    assert state.over == 1
    assert state.decisions == 0


def menu(**more):
    """Picks a pair x < y of numbers, or passes; x plus y goes to a variable."""
    less = e("lt", "bool", local(0), local(1))
    play = procedure(
        "play",
        block(then=Choose(0)),
        block(do("set_var", 0, e("add", INT, local(0), local(1))), then=Return(None)),
        block(do("set_var", 0, const(99)), then=Return(None)),
        locals_=(INT, INT),
    )
    items = (
        item("pair", 1, numbered("x", 0, ONE, const(3)), numbered("y", 1, ONE, const(4)), when=(less,)),
        item("pass", 2),
        item("never", 2, pre=(e("eq", "bool", var(0), ONE),)),
    )
    return program(nothing(), play, variables=(variable("total"),), decisions=(decision(1, SEAT0, *items),), **more)


def test_menu_with_dependent_binders() -> None:
    """Options stand in the order of items, then of binders; refusals name the guard that fails."""
    machine = Machine(menu(), 1)
    state = machine.new_state()
    machine.advance(state)
    pairs = [(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)]
    options = machine.options(state, 0)
    assert options == [Option(0, pair) for pair in pairs] + [Option(1, ())]
    assert [machine.nth_option(state, 0, k) for k in range(7)] == options
    refused = machine.refusals(state, 0)
    assert [(one.item, one.values) for one in refused] == [
        *((0, pair) for pair in [(1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3)]),
        (2, ()),
    ]
    assert refused[-1].reason == "eq"
    before = state_hash(state)
    child = state.clone()
    machine.choose(child, 0, options[3])
    assert child.v == [5]
    assert state_hash(state) == before
    assert [entry[0] for entry in child.log] == ["choice", "set", "end"]


def test_decisions_beyond_the_limit_end_the_game() -> None:
    """After `max_decisions` the game is drawn, or scored as it stands."""
    for outcome, over in (("drawn", 3), ("scores", 1)):
        machine = Machine(menu(max_decisions=0, outcome=outcome), 1)
        state = machine.new_state()
        machine.advance(state)
        assert (state.over, state.frames) == (over, [])


def test_fuel_ends_an_endless_loop() -> None:
    """A loop without a decision is a FuelError that names the rule."""
    play = procedure("play", block(then=Jump(0)))
    machine = Machine(program(nothing(), play, fuel=50), 1)
    with pytest.raises(FuelError, match="rule"):
        machine.advance(machine.new_state())


def test_too_deep_calls_are_an_error() -> None:
    """A procedure that calls itself deeper than declared is a FuelError."""
    play = procedure("play", block(then=CallProc(2, (), -1, 1)), block(then=Return(None)))
    again = procedure("again", block(then=CallProc(2, (), -1, 1)), block(then=Return(None)), depth=3)
    machine = Machine(program(nothing(), play, again), 1)
    with pytest.raises(FuelError, match="3 levels"):
        machine.advance(machine.new_state())
    machine = Machine(program(nothing(), play, again, depth=2), 1)
    with pytest.raises(FuelError):
        machine.advance(machine.new_state())


def test_pure_recursion_is_bounded() -> None:
    """A function that calls itself runs to its declared depth and no further."""
    deeper = e("call", INT, 2, e("sub", INT, local(0), ONE))
    body = e("if", INT, e("le", "bool", local(0), ZERO), ZERO, e("add", INT, ONE, deeper))
    count = procedure("count", block(then=Return(body)), locals_=(INT,), parameters=1, returns=INT, depth=5)
    machine = Machine(program(nothing(), nothing("play"), count), 1)
    state = machine.new_state()
    assert machine.evaluate(state, 2, [5]) == 5
    with pytest.raises(FuelError):
        machine.evaluate(state, 2, [6])
    assert machine.evaluate(state, 2, [3]) == 3


def test_a_variable_keeps_its_range() -> None:
    """A number that leaves its range is a RuleError with the rule and the numbers."""
    play = procedure("play", block(do("set_var", 0, const(100)), then=Return(None)))
    for logging in (True, False):
        machine = Machine(program(nothing(), play, variables=(variable("heads"),)), 1)
        with pytest.raises(RuleError, match=r"rule: `heads` would become 100, outside 0\.\.99"):
            machine.advance(machine.new_state(logging=logging))


def test_waiting_procedures_return_values() -> None:
    """A called procedure waits, and its value reaches the caller's slot; dead locals are zero while it waits."""
    play = procedure(
        "play",
        block(do("set", 1, const(7)), do("set", 2, const(8)), then=CallProc(2, (const(30),), 0, 1)),
        block(do("set_var", 0, e("add", INT, local(0), local(1))), then=Return(None)),
        locals_=(INT, INT, INT),
    )
    ask = procedure(
        "ask",
        block(then=Choose(0)),
        block(then=Return(e("add", INT, local(0), local(1)))),
        locals_=(INT, INT),
        parameters=1,
        returns=INT,
    )
    asked = decision(2, SEAT0, item("ask", 1, numbered("n", 1, ONE, const(5))))
    machine = Machine(program(nothing(), play, ask, variables=(variable("total"),), decisions=(asked,)), 1)
    state = machine.new_state()
    machine.advance(state)
    assert state.frames == [[1, 1, [0, 7, 0], -1], [2, 0, [30, 0], 0]]
    machine.choose(state, 0, Option(0, (4,)))
    assert state.v == [41]


def test_end_inside_a_plain_procedure() -> None:
    """A function that ends the game stops everything at once; declared winners decide."""
    finish = procedure("finish", block(do("win", e("list", "set<seat>", const(1, "seat"))), then=End()))
    play = procedure(
        "play",
        block(do("evaluate", e("call", "void", 2)), do("set_var", 0, ONE), then=Return(None)),
    )
    machine = Machine(program(nothing(), play, finish, variables=(variable("x"),)), 2)
    state = machine.new_state()
    machine.advance(state)
    assert (state.over, state.winners, state.v) == (2, 2, [0])
    assert list(state.log)[-1] == ("end", 0, 2, 2)


def together():
    """Each seat secretly names a number below its own number plus two; the sum goes to a variable."""
    numbers = e("numbers", "set<int>", ZERO, local(0, "seat"))
    total = e("sum", INT, 2, e("players", "set<seat>"), e("get_seat", INT, local(1, "seats<int>"), local(2, "seat")))
    play = procedure(
        "play",
        block(then=Choose(0)),
        block(do("set_var", 0, total), then=Return(None)),
        locals_=("seat", "seats<int>", "seat", INT),
    )
    asked = decision(
        1,
        e("players", "set<seat>"),
        item("bid", 1, each("x", 3, INT, numbers)),
        together=True,
        you_slot=0,
        result_slot=1,
    )
    return program(nothing(), play, variables=(variable("total"),), decisions=(asked,))


def test_together_in_any_order() -> None:
    """Seats choose in any order; the end is the same, and values are logged only when all are in."""
    machine = Machine(together(), 3)
    ends = []
    for order in ((0, 1, 2), (2, 1, 0)):
        state = machine.new_state()
        machine.advance(state)
        for position, seat in enumerate(order):
            waiting = machine.waiting(state)
            assert waiting is not None
            assert waiting.seats == tuple(sorted(order[position:]))
            assert machine.option_count(state, seat) == seat + 1
            assert all(entry[0] == "commit" for entry in state.log)
            machine.choose(state, seat, machine.options(state, seat)[-1])
        assert [entry[0] for entry in state.log][3:] == ["choice", "choice", "choice", "set", "end"]
        ends.append((state.v, state_hash(state)))
    assert ends[0] == ends[1]
    assert ends[0][0] == [3]


def test_random_playouts_end_and_are_reproducible() -> None:
    """The same seed gives the same game; a playout equals choosing by hand with the same generator."""
    for whole, players in ((deck(4), 1), (menu(), 1), (together(), 3), (coins(4), 1)):
        machine = Machine(whole, players)
        for seed in range(20):
            runs = []
            for explicit in (False, True):
                state = machine.new_state(seed, explicit)
                machine.random_playout(state)
                assert state.over == 1
                runs.append((state.v, state.z, state.rng, list(state.log)))
            assert runs[0] == runs[1]


def test_playout_from_the_middle() -> None:
    """A playout goes on from a decision already reached."""
    for whole, players in ((deck(4), 1), (together(), 3)):
        machine = Machine(whole, players)
        state = machine.new_state(2)
        machine.advance(state)
        if players == 3:
            machine.choose(state, 1, Option(0, (0,)))
        machine.random_playout(state)
        assert state.over == 1


def test_anyway_asks_with_a_lone_pass() -> None:
    """With no item there, the seat is asked with one option of number -1."""
    never = item("never", 1, pre=(e("eq", "bool", var(0), ONE),))
    play = procedure(
        "play",
        block(then=Choose(0)),
        block(then=Return(None)),
        block(do("set_var", 0, const(5)), then=Return(None)),
    )
    asked = decision(1, SEAT0, never, otherwise=2, ask="anyway")
    machine = Machine(program(nothing(), play, variables=(variable("x"),), decisions=(asked,)), 1)
    state = machine.new_state()
    machine.advance(state)
    assert machine.options(state, 0) == [Option(-1, ())]
    assert machine.has_option(state, 0, Option(-1, ()))
    machine.choose(state, 0, Option(-1, ()))
    assert (state.v, state.decisions) == ([5], 1)


@pytest.mark.parametrize(("choices", "nodes"), [(0, 0), (1, 0), (2, 1)])
def test_engine_decisions_need_two_options(choices, nodes) -> None:
    """A question of the engine is a node only with two or more options."""
    play = procedure(
        "play",
        block(then=Choose(0)),
        block(do("set_var", 0, local(0)), then=Return(None)),
        block(do("set_var", 0, const(50)), then=Return(None)),
        locals_=(INT,),
    )
    asked = decision(1, SEAT0, item("which", 1, numbered("n", 0, ONE, const(choices))), otherwise=2, ask="engine")
    machine = Machine(program(nothing(), play, variables=(variable("x"),), decisions=(asked,)), 1)
    state = machine.new_state()
    machine.advance(state)
    assert (machine.waiting(state) is not None) == bool(nodes)
    if not nodes:
        assert state.v == [50 if choices == 0 else 1]


def counting(targets: tuple[int, ...]):
    """`pick` adds twos and threes to a variable until it is 7 or more; functions ask for totals; `play` picks."""
    less = e("lt", "bool", var(0), const(7))
    add = item("add", 1, numbered("n", 0, const(2), const(3)), pre=(less,))
    pick = procedure(
        "pick",
        block(then=Choose(0)),
        block(do("set_var", 0, e("add", INT, var(0), local(0))), then=Jump(0)),
        block(then=Return(None)),
        locals_=(INT,),
    )
    reaches = [function(f"r{n}", e("possible", "bool", 2, e("eq", "bool", var(0), const(n)))) for n in targets]
    all_of = e("list", "set<bool>", *(e("call", "bool", 3 + n) for n in range(len(targets))))
    play = procedure(
        "play",
        block(do("set_var", 1, e("count", INT, e("filter", "set<bool>", 0, all_of, local(0, "bool")))), then=Jump(1)),
        block(then=CallProc(2, (), -1, 2)),
        block(then=Return(None)),
        locals_=("bool",),
    )
    return program(
        nothing(),
        play,
        pick,
        *reaches,
        variables=(variable("x"), variable("found")),
        decisions=(decision(2, SEAT0, add, otherwise=2),),
    )


def test_possible_looks_ahead() -> None:
    """`possible` finds a run of choices after which the condition holds, on a copy."""
    targets = (7, 8, 9, 10, 6)
    machine = Machine(counting(targets), 2)
    state = machine.new_state()
    assert [machine.evaluate(state, 3 + n) for n in range(len(targets))] == [True, True, True, False, False]
    assert state.v == [0, 0]


def test_playouts_look_ahead_like_games() -> None:
    """Looking ahead tries every choice in a random playout too."""
    machine = Machine(counting((7, 8, 9, 10)), 2)
    for seed in range(10):
        state = machine.new_state(seed)
        machine.random_playout(state)
        assert state.v[1] == 3
        assert 7 <= state.v[0] <= 9


def test_possible_fails_at_chance_and_other_seats() -> None:
    """A branch that would draw, or ask someone else, is no way."""
    roll = procedure(
        "roll", block(then=Chance("number", "x", (ONE, const(6)), 0, 1)), block(then=Return(None)), locals_=(INT,)
    )
    ask = procedure("ask", block(then=Choose(0)), block(then=Choose(1)), block(then=Return(None)))
    first = decision(3, SEAT0, item("a", 1))
    second = decision(3, const(1, "seat"), item("b", 2))
    yes = e("eq", "bool", ONE, ONE)
    machine = Machine(
        program(
            nothing(),
            nothing("play"),
            roll,
            ask,
            function("rolls", e("possible", "bool", 2, yes)),
            function("asks", e("possible", "bool", 3, yes)),
            decisions=(first, second),
        ),
        2,
    )
    state = machine.new_state()
    assert not machine.evaluate(state, 4)
    assert not machine.evaluate(state, 5)
