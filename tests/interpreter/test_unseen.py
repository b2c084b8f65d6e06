"""Piles as segments: shuffling, peeking, putting back, drawing from what nobody has seen."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest

from rulelang.interpreter import Machine
from rulelang.ir.nodes import Block, Chance, Choose, Jump, Return
from rulelang.ir.program import Program
from rulelang.runtime.canonical import state_hash
from rulelang.runtime.state import State
from rulelang.runtime.waiting import Option

from .build import (
    block,
    const,
    decision,
    definition,
    do,
    e,
    each,
    item,
    kind,
    local,
    nothing,
    place,
    procedure,
    program,
    variable,
    zone,
)

DECK, HAND, SIDE = 0, 1, 2
CARDS = "set<piece:Card>"
ZERO = const(0)
Z = 1 << 16


def table(play: list[Block], counts: dict[str, int], identity: bool = False, **more: object) -> Program:
    cards = kind("Card", *(definition(name, count, zone(DECK)) for name, count in counts.items()), identity=identity)
    return program(
        nothing(),
        procedure("play", *play, locals_=("opt<piece:Card>", CARDS)),
        kinds=(cards,),
        zones=(place("deck", pile=True), place("hand"), place("side", pile=True)),
        **more,
    )


def expose(position: int, to: int, slot: int = -1, of: int = DECK) -> Chance:
    return Chance("expose", "card", (zone(of), const(position)), slot, to)


def started(whole: Program, explicit: bool = True, seed: int = 0) -> tuple[Machine, State]:
    machine = Machine(whole, 1)
    state = machine.new_state(seed, explicit)
    machine.advance(state)
    return machine, state


def test_peeking_leaves_a_known_segment() -> None:
    """The second card from the top and the bottom one become known where they lie; the rest stays a pool."""
    play = [
        block(do("shuffle", zone(DECK)), then=Jump(1)),
        block(then=expose(1, 2)),
        block(then=expose(-1, 3, slot=0)),
        block(then=expose(-1, 4)),
        block(then=Return(None)),
    ]
    machine, state = started(table(play, {"a": 1, "b": 1, "c": 2, "d": 1}))
    assert [value for value, _ in machine.outcomes(state)] == [0, 1, 2, 3]
    assert dict(machine.outcomes(state))[2] == Fraction(2, 5)
    machine.take_outcome(state, 1)
    assert dict(machine.outcomes(state)) == {0: Fraction(1, 4), 2: Fraction(1, 2), 3: Fraction(1, 4)}
    machine.take_outcome(state, 3)
    assert state.over
    assert state.z[0] == [3, -1, -1, 1, -1]
    assert state.pools == [[0, 2, 2]]
    assert [entry[2:] for entry in state.log if entry[0] == "chance"] == [("expose", 1, 0, 3), ("expose", 3, 0, 0)]


def test_shuffling_merges_segments() -> None:
    """Known cards and whole pools of a pile become one pool; a freed pool number is used again."""
    play = [
        block(do("shuffle", zone(DECK)), then=Jump(1)),
        block(then=expose(0, 2)),
        block(do("shuffle", zone(DECK)), then=Return(None)),
    ]
    machine, state = started(table(play, {"a": 1, "b": 2}))
    machine.take_outcome(state, 0)
    assert state.z[0] == [-1, -1, -1]
    assert state.pools == [[0, 1, 1]]


def test_alike_cards_are_known_at_once() -> None:
    """Shuffling cards of one sort hides nothing."""
    play = [block(do("shuffle", zone(DECK)), then=Jump(1)), block(then=expose(0, 2)), block(then=Return(None))]
    _, state = started(table(play, {"a": 3}))
    assert state.over
    assert (state.z[0], state.pools) == ([0, 0, 0], [])


def test_a_shared_pool_is_resolved_before_a_shuffle() -> None:
    """Pieces of a pool with members elsewhere become known one by one; the last one is certain."""
    play = [
        block(
            do("shuffle", zone(DECK)),
            do("move_slots", zone(DECK), const(1), zone(HAND), "top", 0),
            then=Jump(1),
        ),
        block(then=Chance("shared", "card", (zone(DECK),), -1, 2)),
        block(do("shuffle", zone(DECK)), then=Return(None)),
    ]
    machine, state = started(table(play, {"a": 1, "b": 1, "c": 1}))
    assert state.z[1] == [-1]
    assert [value for value, _ in machine.outcomes(state)] == [0, 1, 2]
    machine.take_outcome(state, 2)
    assert [value for value, _ in machine.outcomes(state)] == [0, 1]
    machine.take_outcome(state, 0)
    assert state.over
    assert (state.z, state.pools) == ([[-1, -1], [1], []], [[0, 2]])


def draws(identity: bool) -> Program:
    """Draws three of five, one of them from the bottom, and keeps one of them."""
    play = [
        block(do("shuffle", zone(DECK)), then=Jump(1)),
        block(then=expose(0, 2)),
        block(do("move", e("top", "opt<piece:Card>", zone(DECK)), zone(HAND), "top", 0), then=Jump(3)),
        block(then=expose(-1, 4)),
        block(do("move", e("bottom", "opt<piece:Card>", zone(DECK)), zone(HAND), "top", 0), then=Jump(5)),
        block(then=expose(0, 6)),
        block(do("move", e("top", "opt<piece:Card>", zone(DECK)), zone(HAND), "top", 0), then=Jump(7)),
        block(then=Choose(0)),
        block(
            do("set_var", 0, local(0, "piece:Card")) if identity else do("set", 1, e("list", CARDS)),
            do("shuffle", zone(DECK)),
            then=Jump(9),
        ),
        block(then=expose(0, 10)),
        block(then=Return(None)),
    ]
    keep = each("card", 0, "piece:Card", e("pieces", CARDS, zone(HAND)))
    return table(
        play,
        {"a": 2, "b": 2, "c": 1},
        identity,
        decisions=(decision(1, const(0, "seat"), item("keep", 8, keep)),),
        variables=(variable("kept", type_="opt<piece:Card>", start=-1),),
    )


@pytest.mark.parametrize("identity", [False, True])
def test_sampled_games_replayed_explicitly_have_equal_hashes(identity: bool) -> None:
    """At every decision and at the end, with counts and with individuals."""
    machine = Machine(draws(identity), 1)
    for seed in range(30):
        sampled, explicit = machine.new_state(seed), machine.new_state(0, True)
        machine.advance(sampled)
        machine.advance(explicit)
        while not sampled.over or not explicit.over:
            waiting = machine.waiting(explicit)
            if waiting is not None and waiting.kind == "chance":
                number = sum(entry[0] == "chance" for entry in explicit.log)
                entry = [entry for entry in sampled.log if entry[0] == "chance"][number]
                machine.take_outcome(explicit, entry[3])
                continue
            assert state_hash(sampled) == state_hash(explicit)
            options = machine.options(sampled, 0)
            assert machine.options(explicit, 0) == options
            machine.choose(sampled, 0, options[seed % len(options)])
            machine.choose(explicit, 0, options[seed % len(options)])
        assert state_hash(sampled) == state_hash(explicit)


def test_sampling_has_the_exact_chances() -> None:
    """Over many seeds the first card drawn comes as often as its exact probability says."""
    machine = Machine(draws(False), 1)
    found: Counter[int] = Counter()
    for seed in range(4000):
        state = machine.new_state(seed)
        machine.advance(state)
        found[next(entry for entry in state.log if entry[0] == "chance")[3]] += 1
    for card, share in {0: 0.4, 1: 0.4, 2: 0.2}.items():
        assert abs(found[card] / 4000 - share) < 0.03


def test_alike_individuals_make_one_option_and_one_outcome() -> None:
    """The lowest of alike individuals stands for all; one that a variable refers to is another."""
    machine, state = started(draws(True))
    assert [value for value, _ in machine.outcomes(state)] == [0, 2, 4]
    machine.take_outcome(state, 0)
    machine.take_outcome(state, 1)
    assert dict(machine.outcomes(state)) == {2: Fraction(2, 3), 4: Fraction(1, 3)}
    machine.take_outcome(state, 4)
    assert machine.options(state, 0) == [Option(0, (0,)), Option(0, (4,))]
    child = state.clone()
    state.v[0] = 0
    assert [option.values for option in machine.options(state, 0)] == [(0,), (1,), (4,)]
    machine.choose(child, 0, Option(0, (4,)))
    assert (child.z[1], child.where, child.v) == ([0, 1, 4], [1, 1, 0, 0, 1], [4])


def test_clones_are_independent() -> None:
    """What happens to a clone leaves the original as it was, and the other way round."""
    machine, state = started(draws(False), explicit=False, seed=9)
    before = state_hash(state)
    child = state.clone()
    machine.random_playout(child)
    assert state_hash(state) == before
    again = state.clone()
    machine.random_playout(again)
    assert (again.z, again.rng, list(again.log)) == (child.z, child.rng, list(child.log))
    assert len(state.log) < len(child.log)
    assert list(state.log) == list(child.log)[: len(state.log)]
