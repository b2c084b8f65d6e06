"""The canonical form and the hash of states."""

from __future__ import annotations

from itertools import permutations
from random import Random

import pytest

from rulelang.runtime.canonical import canonical_form, encode, state_hash
from rulelang.runtime.state import State

from .games import CONFORMANCE, PAIRS, TOKENS, begun, compiled, conformance, step

LINE = 1


def tokens() -> State:
    """Six alike tokens 0 to 5 and the chief, item 6, in the bag."""
    _, state = begun(compiled(*TOKENS))
    assert state.layout.copies == [1] * 7
    return state


def mates(state: State, pairs: dict[int, int]) -> State:
    for item, mate in pairs.items():
        state.v[state.layout.pvar_cell(1, item)] = mate
    return state


def renumbered(state: State, order: tuple[int, ...]) -> State:
    """The same state with token n called order[n]."""
    name = [*order, 6]
    layout = state.layout
    other = state.clone()
    for zone, contents in enumerate(state.z):
        other.z[zone] = [name[item] if item >= 0 else item for item in contents]
        if not layout.inst_kept[zone]:
            other.z[zone].sort()
    other.pools = [sorted(name[item] for item in items) for items in state.pools]
    for item in range(7):
        other.where[name[item]] = state.where[item]
        for variable in (0, 1):
            value = state.v[layout.pvar_cell(variable, item)]
            other.v[layout.pvar_cell(variable, name[item])] = name[value] if variable and value >= 0 else value
    marked = layout.var_base[0]
    other.v[marked] = name[state.v[marked]] if state.v[marked] >= 0 else -1
    return other


def lie(state: State, bag: list[int], line: list[int]) -> State:
    state.z[0], state.z[LINE] = bag, line
    for zone, contents in enumerate(state.z):
        for item in contents:
            if item >= 0:
                state.where[item] = zone
    return state


def test_the_byte_form_is_bencoding():
    """The form is nested tuples, its bytes the bencoding of them; a truth value is a number."""
    assert encode(("aé", 3, (), (-1, True))) == b"l3:a\xc3\xa9i3eleli-1ei1eee"


def test_the_form_names_ruleset_and_table():
    """The form begins with its own name and version, the ruleset's hash, players, options."""
    _, state = begun(compiled(*PAIRS))
    form = canonical_form(state)
    assert form[:5] == ("rulelang-state", 1, state.layout.program.hash, 2, ())
    assert len(state_hash(state)) == 32
    assert int(state_hash(state), 16) >= 0


def test_what_the_hash_leaves_out():
    """Log, generator, counts and the way of chance are not hashed; variables, zones and frames are."""
    _, state = begun(compiled(*TOKENS))
    other = state.clone()
    other.log = other.log.append(("shuffle", 0, 1))
    other.rng, other.decisions, other.turns, other.fuel, other.explicit = 1, 7, 9, 3, True
    assert state_hash(other) == state_hash(state)
    for change in ("v", "z", "over", "winners", "out", "deferred"):
        other = state.clone()
        if change == "v":
            other.v[other.layout.pvar_cell(0, 0)] = 1
        elif change == "z":
            other.z[LINE] = [other.z[0].pop()]
        else:
            setattr(other, change, 1)
        assert state_hash(other) != state_hash(state), change


CYCLES = {
    "hexagon": {0: 1, 1: 2, 2: 3, 3: 4, 4: 5, 5: 0},
    "triangles": {0: 1, 1: 2, 2: 0, 3: 4, 4: 5, 5: 3},
    "pairs": {0: 1, 1: 0, 2: 3, 3: 2, 4: 5, 5: 4},
    "pair and square": {0: 1, 1: 0, 2: 3, 3: 4, 4: 5, 5: 2},
    "loops": {n: n for n in range(6)},
    "tree": {1: 0, 2: 0, 3: 1, 4: 1, 5: 2},
    "star with chief": {0: 6, 1: 6, 2: 6, 6: 0},
    "nothing": {},
}


@pytest.mark.parametrize("shape", CYCLES)
def test_alike_individuals_are_numbered_canonically(shape: str):
    """However alike individuals that refer to each other are numbered, equal states have one form."""
    random = Random(shape)
    state = mates(tokens(), CYCLES[shape])
    wanted = canonical_form(state)
    orders = list(permutations(range(6)))
    for order in random.sample(orders, 60):
        assert canonical_form(renumbered(state, order)) == wanted


def test_different_references_have_different_hashes():
    """Shapes that colour refinement alone can't tell apart (one hexagon, two triangles) still differ."""
    hashes = {state_hash(mates(tokens(), pairs)) for pairs in CYCLES.values()}
    assert len(hashes) == len(CYCLES)


def test_place_variables_and_references_tell_individuals_apart():
    """Position in a pile, a charge, and a variable that refers to one of them follow the renumbering."""
    state = lie(tokens(), [1, 3, 5, 6], [4, 0, 2])
    state.v[state.layout.pvar_cell(0, 3)] = 2
    state.v[state.layout.var_base[0]] = 5
    mates(state, {1: 0})
    wanted = canonical_form(state)
    for order in Random(4).sample(list(permutations(range(6))), 60):
        assert canonical_form(renumbered(state, order)) == wanted
    other = state.clone()
    other.v[other.layout.var_base[0]] = 1
    assert canonical_form(other) != wanted


def test_individuals_in_pools_are_renumbered():
    """Members of one pool are free, a pool is told apart by where its members lie."""
    state = lie(tokens(), [-2, -2, -1, -1, 4, 6], [5])
    state.pools = [[0, 1], [2, 3]]
    for item in range(4):
        state.where[item] = -1
    mates(state, {4: 2})
    wanted = canonical_form(state)
    for order in Random(4).sample(list(permutations(range(6))), 60):
        assert canonical_form(renumbered(state, order)) == wanted
    swapped = state.clone()
    swapped.pools = [[2, 3], [0, 1]]
    assert canonical_form(swapped) == wanted
    moved = lie(state.clone(), [-2, -2, -1, 4, 6], [5, -1])
    assert canonical_form(moved) != wanted


def test_pools_are_numbered_by_where_they_lie():
    """The number of a pool, and empty pools before it, make no difference."""
    _, state = begun(compiled(*PAIRS), explicit=True)
    other = state.clone()
    other.pools = [[], *other.pools]
    other.z = [[item - 1 if item < 0 else item for item in contents] for contents in other.z]
    assert state_hash(other) == state_hash(state)


@pytest.mark.parametrize("name", sorted(folder.name for folder in CONFORMANCE.iterdir() if folder.name != "lots"))
def test_a_sampled_game_replayed_explicitly_has_equal_hashes(name: str):
    """Chance that is drawn and chance that is chosen lead through the same states. Several elements, which the log of a
    sampled game tells one by one, are one outcome where chance is explicit: tests/game/test_at_once.py has those."""
    program = conformance(name)
    machine, sampled = begun(program, 5, program.players[-1])
    explicit = machine.new_state(5, True)
    machine.advance(explicit)
    random = Random(5)
    for _ in range(60):
        while (waiting := machine.waiting(explicit)) is not None and waiting.kind == "chance":
            drawn = sampled.log.since(len(explicit.log))[0]
            assert drawn[0] == "chance"
            machine.take_outcome(explicit, drawn[3])
        assert state_hash(explicit) == state_hash(sampled)
        waiting = machine.waiting(sampled)
        if waiting is None:
            break
        seat = waiting.seats[0]
        chosen = random.choice(machine.options(sampled, seat))
        machine.choose(sampled, seat, chosen)
        machine.choose(explicit, seat, chosen)


def test_a_clone_goes_its_own_way():
    """Playing on with a clone leaves the state and its hash alone."""
    machine, state = begun(compiled(*PAIRS))
    before = state_hash(state)
    step(machine, state.clone(), Random(1))
    assert state_hash(state) == before
