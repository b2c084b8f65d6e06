"""Every backend gives the answers of the interpreter, for every ruleset, number of players and a sample of options."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import rulelang
from rulelang.backends.interpreter import Machine
from rulelang.backends.python import PythonMachine
from rulelang.diagnostics import RuleError
from rulelang.game import scoring
from rulelang.runtime.canonical import state_hash
from rulelang.runtime.state import State

ROOT = Path(__file__).parents[2]
FOLDERS = sorted(
    path.parent
    for pattern in ("rulesets/*", "rulesets/*/variants/*", "tests/conformance/rulesets/*", "tests/fragments/*")
    for path in ROOT.glob(f"{pattern}/ruleset.yaml")
)
GAMES = 4
LOCKSTEPS = 1
STEPS = 40


@cache
def ruleset(folder: Path) -> Any:
    return rulelang.load(folder)


def cases() -> list[Any]:
    return [
        pytest.param(folder, players, id=f"{folder.name}-{players}")
        for folder in FOLDERS
        for players in ruleset(folder).players
    ]


def option_sample(folder: Path) -> list[dict[str, Any]]:
    """The defaults, and each other value of each option once."""
    found: list[dict[str, Any]] = [{}]
    for option in ruleset(folder).program.options:
        names = ruleset(folder).option_names
        default = tuple(table.default for table in ruleset(folder).program.options)
        place = ruleset(folder).program.options.index(option)
        for value in option.values[:4]:
            if value != option.default:
                numbers = (*default[:place], value, *default[place + 1 :])
                found.append({option.name: names(numbers)[option.name]})
    return found


def machines(folder: Path, players: int, options: dict[str, Any]) -> tuple[Machine, Machine]:
    rules = ruleset(folder)
    one, other = (rules.machine(players, options, backend) for backend in ("interpreter", "python"))
    assert type(one) is Machine
    assert isinstance(other, PythonMachine)
    return one, other


def outcome(machine: Machine, state: State) -> tuple[Any, ...]:
    """All that a finished game leaves."""
    return (
        state_hash(state), state.rng, state.decisions, state.turns, state.over, state.winners, state.out,
        state.deferred, state.v, state.z, state.where, state.frames, state.explicit,
        scoring.scores(machine, state), scoring.winners(machine, state), scoring.returns(machine, state),
    )  # fmt: skip


def played(machine: Machine, state: State) -> tuple[Any, ...] | str:
    try:
        machine.random_playout(state)
    except RuleError as error:
        return str(error)
    return outcome(machine, state)


@pytest.mark.parametrize(("folder", "players"), cases())
def test_playouts_from_the_start(folder: Path, players: int) -> None:
    """From equal seeds a random game ends in the same state after the same decisions and draws."""
    for options in option_sample(folder):
        one, other = machines(folder, players, options)
        for seed in range(GAMES):
            states = [machine.new_state(seed, logging=False) for machine in (one, other)]
            assert played(one, states[0]) == played(other, states[1])


def goes_on(one: Machine, other: Machine, a: Any, b: Any, seed: int) -> None:
    """Both games are played on at random in the same way."""
    states = [a.engine[1].clone(), b.engine[1].clone()]
    for state in states:
        state.logging = False
        state.rng = seed
    assert played(one, states[0]) == played(other, states[1])


@pytest.mark.parametrize(("folder", "players"), cases())
def test_lockstep(folder: Path, players: int) -> None:
    """At every decision of a random game the backends offer, show and hash the same, and play on from there alike."""
    rules = ruleset(folder)
    for options in option_sample(folder)[:2]:
        one, other = machines(folder, players, options)
        for seed in range(LOCKSTEPS):
            pair = [rules.new_game(players, seed, options, backend) for backend in ("interpreter", "python")]
            picker = random.Random(seed)
            for step in range(STEPS):
                a, b = pair
                assert a.hash() == b.hash()
                assert a.current_players() == b.current_players()
                if a.is_terminal():
                    break
                seat = picker.choice(a.current_players())
                ids = [action.id for action in a.legal_actions(seat)]
                assert ids == [action.id for action in b.legal_actions(seat)]
                for viewer in range(players) if step % 8 == 0 else ():
                    assert a.scores() == b.scores()
                    assert a.observation(viewer) == b.observation(viewer)
                if step % 3 == 0:
                    goes_on(one, other, a, b, seed + step)
                chosen = picker.choice(ids)
                for state in pair:
                    state.apply(chosen, seat)
            assert pair[0].to_json() == pair[1].to_json()


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_explicit_chance(folder: Path) -> None:
    """A state that waits for an outcome of chance is played on alike."""
    players = min(ruleset(folder).players)
    one, other = machines(folder, players, {})
    picker = random.Random(3)
    state = one.new_state(3, explicit=True, logging=False)
    one.advance(state)
    for step in range(STEPS):
        waiting = one.waiting(state)
        if waiting is None:
            break
        states = [state.clone(), state.clone()]
        for copy in states:
            copy.rng = step
        assert played(one, states[0]) == played(other, states[1])
        if waiting.kind == "chance":
            one.take_outcome(state, picker.choice(one.outcomes(state))[0])
        else:
            seat = picker.choice(waiting.seats)
            one.choose(state, seat, picker.choice(one.options(state, seat)))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_everything_has_a_writer(folder: Path) -> None:
    """All procedures can be written down for people, and nothing common is left to the interpreter's closures."""
    _, other = machines(folder, min(ruleset(folder).players), {})
    assert isinstance(other, PythonMachine)
    text = other.text()
    compile(text, str(folder), "exec")
    places = {f"{site.path}:" for site in other.program.sites}
    assert any(place in text for place in places)
