"""Re-dealing what a seat does not know, against an enumeration of all games that it can't tell from the true one."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from rulelang.diagnostics import ResampleError
from rulelang.interpreter import Machine
from rulelang.runtime.canonical import state_hash
from rulelang.runtime.history import recorded_steps
from rulelang.runtime.layout import ITEM_MASK
from rulelang.runtime.names import item_text
from rulelang.runtime.rejection import Sampler
from rulelang.runtime.rng import Dice, output, seeded
from rulelang.runtime.serial import state_from_json, to_json
from rulelang.runtime.state import State
from rulelang.runtime.views import events
from tests.soak import times

from .games import CONFORMANCE, PAIRS, SIGHTS, begun, compiled, conformance, known, step


def resample(machine: Machine, state: State, seat: int, seed: int) -> State:
    """A world by rejection, as it is where there is no compiler."""
    world = Sampler(machine, state, seat).world(Dice(output(seeded(seed))[0]), 2000)
    assert world is not None
    return world


def consistent(machine: Machine, truth: State, seat: int) -> set[str]:
    """The hashes of all states that the seat can't tell from the true one, by walking through all games."""
    told, wanted = events(truth, seat), known(machine, truth, seat)
    found: set[str] = set()

    def walk(state: State) -> None:
        seen = events(state, seat)
        if seen != told[: len(seen)]:
            return
        waiting = machine.waiting(state)
        if waiting is not None and waiting.kind == "chance":
            for value, _ in machine.outcomes(state, single=True):
                child = state.clone()
                machine.take_outcome(child, value)
                walk(child)
            return
        if state.decisions == truth.decisions and known(machine, state, seat) == wanted:
            found.add(state_hash(state))
        if waiting is not None and state.decisions < truth.decisions:
            for option in machine.options(state, waiting.seats[0]):
                child = state.clone()
                machine.choose(child, waiting.seats[0], option)
                walk(child)

    start = machine.new_state(0, True)
    machine.advance(start)
    walk(start)
    return found


def played(name: str, players: int, seed: int, decisions: int) -> tuple[Machine, State]:
    """A sampled game after so many random decisions, seats that are asked together in seat order."""
    program = compiled(*PAIRS) if name == "pairs" else conformance(name)
    machine, state = begun(program, seed, players)
    random = Random(seed)
    for _ in range(decisions):
        waiting = machine.waiting(state)
        if waiting is not None:
            seat = waiting.seats[0]
            machine.choose(state, seat, random.choice(machine.options(state, seat)))
    return machine, state


def drawn(machine: Machine, state: State, seat: int, wanted: set[str]) -> set[str]:
    """The hashes of what is drawn: by some seeds, and by more until all that is wanted came up (or 1000 seeds)."""
    found: set[str] = set()
    for seed in range(1000):
        if seed >= times(12) and wanted <= found:
            break
        found.add(state_hash(resample(machine, state, seat, seed)))
    return found


def hands(state: State, seat: int) -> list[str]:
    zone = state.layout.zone_instance([zone.name for zone in state.layout.program.zones].index("hand"), [seat])
    return sorted(item_text(state.layout, item) for item in state.z[zone] if item >= 0)


@pytest.mark.parametrize("decisions", range(5))
@pytest.mark.parametrize("seat", [0, 1])
def test_four_cards_are_dealt_in_every_possible_way(seat: int, decisions: int):
    """In the game of pairs exactly the deals and hidden discards that the seat can't exclude are drawn."""
    machine, state = played("pairs", 2, 3, decisions)
    wanted = consistent(machine, state, seat)
    assert drawn(machine, state, seat, wanted) == wanted


@pytest.mark.parametrize(
    ("name", "players", "seed", "decisions"),
    [
        ("kuhn", 2, 0, 1),
        ("leduc", 2, 1, 3),
        ("tricks", 2, 0, 2),
        ("tricks", 3, 0, 3),
        ("peek", 2, 0, 3),
        ("peek", 2, 2, 2),
        ("refill", 2, 2, 3),
        ("pickpocket", 2, 0, 3),
        ("pickpocket", 3, 1, 4),
        ("sealed", 2, 0, 1),
        ("sealed", 3, 0, 4),
        ("answers", 3, 0, 3),
        ("vetoes", 3, 1, 4),
        ("deals", 2, 0, 1),
        ("lots", 2, 1, 2),
    ],
)
def test_what_is_drawn_is_what_enumeration_allows(name: str, players: int, seed: int, decisions: int):
    """For every seat: each state drawn is one that enumeration allows, and each of those is drawn sooner or later."""
    machine, state = played(name, players, seed, decisions)
    for seat in range(players):
        wanted = consistent(machine, state, seat)
        assert drawn(machine, state, seat, wanted) == wanted, seat


@pytest.mark.parametrize("explicit", [False, True], ids=["sampled", "explicit"])
@pytest.mark.parametrize("name", sorted(folder.name for folder in CONFORMANCE.iterdir()))
def test_the_information_state_is_kept(name: str, explicit: bool):
    """At every node of a random game, for every seat: what it knows is the same, and the game can go on."""
    program = conformance(name)
    players = program.players[-1]
    machine, state = begun(program, 7, players, explicit)
    random = Random(7)
    going = True
    while going:
        before = to_json(state)
        for seat in range(players):
            other = resample(machine, state, seat, random.getrandbits(64))
            assert known(machine, other, seat) == known(machine, state, seat)
            assert other.explicit == state.explicit
            assert to_json(state_from_json(program, to_json(other))) == to_json(other)
            while step(machine, other, random):
                pass
        assert to_json(state) == before
        going = step(machine, state, random)


TWINS = (
    PAIRS[0]
    .replace("{attributes: {value: 1..4}, start: deck}", "{attributes: {value: 1..4}, marks: [bent], start: deck}")
    .replace("{id: ace, value: 1}", "{id: ace, value: 1, count: 3}")
    .replace("{id: two, value: 2}", "{id: two, value: 2, count: 2}")
    .replace("name: pairs", "name: twins"),
    PAIRS[1],
)


@pytest.mark.parametrize("seed", range(times(2)))
def test_alike_individuals_are_dealt_in_every_possible_way(seed: int):
    """Cards that carry marks, some of them alike, are re-dealt as freely as plain ones."""
    machine, state = begun(compiled(*TWINS), seed)
    random = Random(seed)
    for _ in range(3):
        for seat in (0, 1):
            wanted = consistent(machine, state, seat)
            assert drawn(machine, state, seat, wanted) == wanted
        step(machine, state, random)


def test_a_void_that_was_shown_stays():
    """Who did not follow suit has no card of that suit in any state that is drawn."""
    shown = 0
    for seed in range(times(20)):
        machine, state = played("tricks", 2, seed, 2)
        suits = {item: state.layout.columns[0][0][item] for item in range(state.layout.items)}
        first, second = (step.choice.values[0] & ITEM_MASK for step in recorded_steps(state) if step.decision >= 0)
        if suits[first] == suits[second]:
            continue
        shown += 1
        for draw in range(times(8)):
            other = resample(machine, state, 0, draw)
            for card in hands(other, 1):
                item = next(item for item in suits if item_text(state.layout, item) == card)
                assert suits[item] != suits[first]
    assert shown > 3


def test_rolls_that_were_hidden_are_rolled_anew():
    """A number that only another seat knows may be any; one that the seat knows stays."""
    machine, state = begun(compiled(*SIGHTS), 3)
    names = [table.name for table in state.layout.program.variables]
    bid, brow, dark, coins = (state.layout.var_base[names.index(name)] for name in ("bid", "brow", "dark", "coins"))
    others = [resample(machine, state, 1, seed) for seed in range(times(60))]
    assert {other.v[bid] for other in others} == {other.v[dark] for other in others} == set(range(1, 7))
    assert {other.v[brow] for other in others} == {state.v[brow]}
    assert {other.v[coins] for other in others} == {state.v[coins]}


def test_the_same_seed_gives_the_same_state_with_a_generator_of_its_own():
    """A seed decides everything; the generator is not the true one, which would foretell the rest of the game."""
    machine, state = played("pairs", 2, 3, 1)
    assert to_json(resample(machine, state, 0, 5)) == to_json(resample(machine, state, 0, 5))
    generators = {resample(machine, state, 0, seed).rng for seed in range(20)}
    assert len(generators) == 20
    assert state.rng not in generators


def test_a_state_without_its_log_cannot_be_resampled():
    """Without the whole log, or with a state that the log does not lead to, there is an error that says so."""
    machine = Machine(compiled(*PAIRS), 2)
    silent = machine.new_state(3, False, logging=False)
    machine.advance(silent)
    with pytest.raises(ResampleError, match="log"):
        resample(machine, silent, 0, 1)
    _, state = begun(compiled(*PAIRS), 3)
    state.z[1], state.z[2] = state.z[2], state.z[1]
    with pytest.raises(ResampleError, match="log"):
        resample(machine, state, 0, 1)


def test_an_unseen_card_is_not_always_where_it_is():
    """In pairs, the first look already leaves open who holds what beyond one's own two cards."""
    machine, state = played("pairs", 2, 3, 2)
    rivals = {tuple(hands(resample(machine, state, 0, seed), 1)) for seed in range(30)}
    assert len(rivals) == 2


def test_consecutive_seeds_deal_evenly():
    """Whoever counts seeds up from 0 gets each of four hidden bids as often as any other: chi-square with three degrees
    of freedom, below 16.3 in 999 of 1,000 cases."""
    machine, state = begun(conformance("sealed"), 1, 2)
    machine.choose(state, 1, machine.options(state, 1)[0])
    counts = Counter(str(resample(machine, state, 0, seed).frames[-1][2]) for seed in range(2000))
    assert len(counts) == 4
    assert sum((count - 500) ** 2 / 500 for count in counts.values()) < 16.3
