"""The conformance suite: each small game is counted and weighed as its reference says, and played alike everywhere.

Counts and probabilities come from the references, which know nothing of the engine. Native code goes in lockstep with
the interpreter. The laws (explicit against sampled chance, clones, JSON, what a seat can't see) hold on both at every
decision of seeded random games. `--soak` compiles every case, and counts in native code too.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import pytest

from rulelang.perft import perft
from tests.shipped import shipped

from .cases import BY_RETURNS, CASES, LONG, RULESETS, WHOLE, Case, depth_of, label, reference

LAW_CASES = [case for i, case in enumerate(CASES) if case.name not in {c.name for c in CASES[:i]}]
GAMES = {"interpreter": 2, "native": 1}
"""For each law, so many games."""
COMPILED = {"bazaar", "leduc", "parcels", "pickpocket", "reactions", "refill", "sealed", "tricks"}
"""The laws are tried in native code too; with `--soak` those of all cases."""


def name_of(case: Case) -> str:
    return "-".join([case.name, str(case.players), *(f"{k}={v}" for k, v in case.options.items())])


def on_interpreter(cases: Iterable[Case]) -> pytest.MarkDecorator:
    """The cases on the interpreter, with `--soak` the long ones and all in native code too."""
    return pytest.mark.parametrize(
        ("case", "backend"),
        [
            pytest.param(case, backend, id=f"{name_of(case)}-{backend}", marks=pytest.mark.soak if soaked else ())
            for case in cases
            for backend, soaked in (("interpreter", label(case) in LONG), ("native", True))
        ],
    )


on_each_backend = pytest.mark.parametrize(
    ("case", "backend"),
    [
        pytest.param(case, backend, id=f"{name_of(case)}-{backend}", marks=pytest.mark.soak if soaked else ())
        for case in LAW_CASES
        for backend, soaked in (("interpreter", False), ("native", case.name not in COMPILED))
    ],
)


def ruleset(name: str) -> Any:
    return shipped(RULESETS / name)


def new_game(case: Case, backend: str, chance: str = "explicit", seed: int = 0) -> Any:
    return ruleset(case.name).new_game(
        players=case.players, seed=seed, options=case.options, backend=backend, chance=chance
    )


@on_interpreter(CASES)
def test_histories(case: Case, backend: str) -> None:
    """Each row of perft is the reference's."""
    depth = depth_of(case)
    rows = [row.to_json() for row in perft(ruleset(case.name), depth, case.players, case.options, backend=backend)]
    assert rows == reference(case.name).rows(depth, case.players, **case.options)[: depth + 1]


def outcome(state: Any, case: Case) -> str:
    """The reference's key of an outcome."""
    values = state.returns() if case.name in BY_RETURNS else state.scores()[: case.players]
    return ",".join(str(Fraction(v).limit_denominator(1000)) for v in values)


@pytest.mark.soak  # test_to_end holds the same numbers by another way through the tree
@on_interpreter([c for c in WHOLE if c.name != "tictactoe"])
def test_probabilities(case: Case, backend: str) -> None:
    """Under uniformly random play each outcome is as likely as the reference says, exactly."""
    layer: dict[str, tuple[Any, Fraction]] = {"": (new_game(case, backend), Fraction(1))}
    found: Counter[str] = Counter()
    while layer:
        following: dict[str, tuple[Any, Fraction]] = {}
        for state, weight in layer.values():
            if state.is_terminal():
                found[outcome(state, case)] += weight  # type: ignore[assignment]
                continue
            if state.is_chance_node():
                edges = state.chance_outcomes()
            else:
                actions = state.legal_actions(min(state.current_players()))
                edges = [(action, Fraction(1, len(actions))) for action in actions]
            for action, share in edges:
                child = state.clone()
                child.apply(action, None if state.is_chance_node() else min(state.current_players()))
                key = child.hash()
                known = following.get(key, (child, Fraction(0)))
                following[key] = (known[0], known[1] + weight * share)
        layer = following
    wanted = reference(case.name).terminal_probabilities(case.players, **case.options)
    assert {k: Fraction(v) for k, v in found.items() if v} == {k: v for k, v in wanted.items() if v}


@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize(
    "case",
    [pytest.param(case, id=name_of(case), marks=() if case in LAW_CASES else pytest.mark.soak) for case in CASES],
)
def test_lockstep(case: Case) -> None:
    """Along games with explicit chance native code has the interpreter's states, options, chances and outcomes."""
    for seed in range(2):
        picker = random.Random(seed)
        games = [new_game(case, backend, seed=seed) for backend in GAMES]
        while True:
            nodes = [(game.hash(), game.is_terminal(), game.is_chance_node(), game.current_players()) for game in games]
            assert nodes[0] == nodes[1]
            _, over, chance, seats = nodes[0]
            if over:
                break
            seat = None if chance else picker.choice(seats)
            edges = [game.chance_outcomes() if chance else [(a, 1) for a in game.legal_actions(seat)] for game in games]
            ids, others = ([(action.id, share) for action, share in found] for found in edges)
            assert ids == others
            number = picker.randrange(len(ids))
            for game, found in zip(games, edges, strict=True):
                game.apply(found[number][0], seat)
        ends = [(game.scores(), game.returns(), game.winners()) for game in games]
        assert ends[0] == ends[1]


def played(case: Case, backend: str, seed: int) -> list[tuple[Any, int, str]]:
    """A sampled random game: each state before a decision, the seat that decided, the id."""
    state = new_game(case, backend, "sampled", seed)
    picker = random.Random(seed)
    steps = []
    while not state.is_terminal():
        seat = picker.choice(state.current_players())
        action = picker.choice(state.legal_actions(seat))
        steps.append((state.clone(), seat, action.id))
        state.apply(action.id, seat)
    steps.append((state, -1, ""))
    return steps


def gives(action: Any, wanted: Any) -> bool:
    """Whether an outcome is the value that a chance event tells of."""
    return str(action.id).rpartition("=")[2].partition("@")[0] == str(wanted).partition("@")[0]


@on_each_backend
def test_sampled_is_explicit(case: Case, backend: str) -> None:
    """A sampled game replayed with explicit chance has the same hash at every decision."""
    for seed in range(GAMES[backend]):
        steps = played(case, backend, seed)
        drawn = [e["value"] for e in steps[-1][0].events() if e["type"] == "chance"]
        state = new_game(case, backend, "explicit", seed)
        for before, seat, action in steps:
            while state.is_chance_node():
                outcomes = [a for a, _ in state.chance_outcomes()]
                if outcomes[0].data["item"] == "several":  # it is told piece by piece, and moves them
                    told = [e for e in steps[-1][0].events() if e["type"] in ("chance", "move")]
                    moves = [n for n, e in enumerate(told) if e["type"] == "move"]
                    place = len([e for e in state.events() if e["type"] == "move"])
                    bags = {tuple(sorted(a.data["arguments"]["draw"].split("+"))): a for a in outcomes}
                    outcome = bags[tuple(sorted(told[moves[place]]["pieces"]))]
                    del drawn[: moves[place] - (moves[place - 1] + 1 if place else 0)]
                elif outcomes[0].data["item"] == "some":  # it is told element by element, while several are left
                    bags = {a: Counter(str(a.id).rpartition("=")[2].split("+")) for a in outcomes}
                    told_of = Counter[str]()
                    while drawn and any(told_of + Counter([drawn[0]]) <= bag for bag in bags.values()):
                        told_of[drawn.pop(0)] += 1
                    (outcome,) = [a for a, bag in bags.items() if told_of <= bag]
                else:
                    wanted = drawn.pop(0)
                    (outcome,) = [a for a in outcomes if gives(a, wanted)]
                state.apply(outcome)
            assert state.hash() == before.hash()
            assert state.is_terminal() == before.is_terminal()
            if seat >= 0:
                state.apply(action, seat)
        assert not drawn


@on_each_backend
def test_clone_and_json(case: Case, backend: str) -> None:
    """A clone, and a state saved and loaded, go on exactly as the original; the original does not notice."""
    for seed in range(GAMES[backend]):
        steps = played(case, backend, seed)
        end = steps[-1][0].hash()
        for i, (before, _, _) in enumerate(steps):
            loaded = ruleset(case.name).state_from_json(before.to_json())
            copy = before.clone()
            for twin in (loaded, copy):
                assert twin.hash() == before.hash()
                assert [a.id for s in twin.current_players() for a in twin.legal_actions(s)] == [
                    a.id for s in before.current_players() for a in before.legal_actions(s)
                ]
            if i % 3 == 0:
                for twin in (loaded, copy):
                    for _, seat, action in steps[i:-1]:
                        twin.apply(action, seat)
                    assert twin.hash() == end
            assert steps[i][0].hash() == before.hash()


@on_each_backend
def test_unseen_makes_no_difference(case: Case, backend: str) -> None:
    """With what a seat has not seen exchanged, it observes the same and has the same options."""
    for seed in range(GAMES[backend]):
        for before, _, _ in played(case, backend, seed)[:-1]:
            for seat in range(case.players):
                other = before.resample(seat, seed)
                assert other.observation(seat) == before.observation(seat)
                assert other.information_state(seat) == before.information_state(seat)
                assert other.current_players() == before.current_players()
                if seat in before.current_players():
                    assert [a.id for a in other.legal_actions(seat)] == [a.id for a in before.legal_actions(seat)]
