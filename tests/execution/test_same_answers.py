"""Native code gives the answers of the interpreter for every ruleset.

The test command compiles one layout (number of players, options) of some rulesets (`PLAYED`, thinned by
tests/sparse.py); `--soak` compiles all numbers of players with a sample of the options, and plays more games.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest

from rulelang.diagnostics import RuleError
from rulelang.execution.executor import Executor
from rulelang.native import NativeCode, find_compiler
from rulelang.runtime.canonical import state_hash
from rulelang.runtime.outcome import FinishedGame, Outcome, ranks, returns, winners
from rulelang.runtime.rng import game_seed
from rulelang.runtime.state import TIED, State
from rulelang.simulate import Tally, play_game
from tests.conformance.cases import CASES, RULESETS
from tests.shipped import shipped
from tests.sparse import IS_SPARSE

ROOT = Path(__file__).parents[2]
FOLDERS = sorted(
    path.parent
    for pattern in ("rulesets/*", "rulesets/*/variants/*", "tests/conformance/rulesets/*", "tests/fragments/*")
    for path in ROOT.glob(f"{pattern}/ruleset.yaml")
)
LONG = {folder.name for folder in FOLDERS if "imaginarium" in folder.parts}
"""A random game of one of these takes thousands of decisions: few are played, without other options."""
LARGE = {folder.name for folder in FOLDERS if "ldd" in folder.parts} | LONG
"""Compiling one of these takes as long as ten others."""
GAMES = 1
GAMES_ADDED = 3
SUMMED = 1 << 20
"""Scores below it are summed up in C, their squares too."""
STEPS = 20
SOAK = 20
"""With `--soak` so many times the games."""
PLAYED = set(
    "anyway belt could_generate droids emitters garden imaginarium killer ldd parcels push_chain reco regroup "
    "secret_bid trick".split()
)
"""The rulesets that are played without `--soak`: between them every operation, decision and sort of chance of all."""
EVERY, DEFAULTS, LAST = slice(None), slice(1), slice(-1, None)
"""Which options of `option_sample` are played."""
Sample = slice | dict[str, Any]


def ruleset(folder: Path) -> Any:
    return shipped(folder)


def players_of(folder: Path) -> list[int]:
    """The numbers of players that are written in a ruleset or its base: nothing is loaded to name the tests."""
    written = dict(
        re.findall(r"^(players|extends): *(.+)$", (folder / "ruleset.yaml").read_text("utf-8"), re.MULTILINE)
    )
    if "players" not in written:
        (base,) = [other for other in FOLDERS if other.name == written["extends"]]
        return players_of(base)
    numbers = [int(number) for number in re.findall(r"\d+", written["players"])]
    return list(range(numbers[0], numbers[-1] + 1)) if ".." in written["players"] else numbers


def layouts() -> list[Any]:
    """Return folder, number of players and `Sample` of the layouts to compare, those of `--soak` marked."""
    chosen: dict[str, tuple[Path, int, Sample]] = {}
    first = {case.name: case for case in reversed(CASES)}
    for folder in FOLDERS:
        counts = players_of(folder)
        samples: list[tuple[int, Sample]] = [(counts[-1], LAST)]
        if folder.name not in PLAYED:
            samples = []
        elif folder.name == "anyway":
            samples = [(2, DEFAULTS)]
        elif folder.parent == RULESETS:
            samples = [(first[folder.name].players, first[folder.name].options)]
        elif folder.name == "imaginarium":
            samples = [(2, DEFAULTS)]
        elif folder.name == "droids":
            samples = [(3, {"scenario": "minefield"})]
        elif folder.name in ("reco", "ldd"):
            samples = [(counts[1], DEFAULTS)]
        chosen |= {f"{folder.name}-{count}": (folder, count, sample) for count, sample in samples}
    soaked = {f"{folder.name}-{n}-soak": (folder, n, EVERY) for folder in FOLDERS for n in players_of(folder)}
    return [
        *(pytest.param(*layout, id=name) for name, layout in chosen.items()),
        *(pytest.param(*layout, id=name, marks=pytest.mark.soak) for name, layout in soaked.items()),
    ]


def option_sample(folder: Path, players: int) -> list[dict[str, Any]]:
    """Return the defaults, then each other value of each option once, as far as so many may choose it."""
    found: list[dict[str, Any]] = [{}]
    if folder.name in LONG:
        return found
    tables, names = ruleset(folder).program.options, ruleset(folder).option_names
    default = tuple(table.suiting(players)[0] for table in tables)
    for place, option in enumerate(tables):
        for value in option.suiting(players)[1:4]:
            numbers = (*default[:place], value, *default[place + 1 :])
            found.append({option.name: names(numbers)[option.name]})
    return found


def options_of(folder: Path, players: int, sample: Sample) -> list[dict[str, Any]]:
    """Return the options of a layout."""
    return option_sample(folder, players)[sample] if isinstance(sample, slice) else [sample]


def times(sample: Sample) -> int:
    """Return how many times the games are played."""
    return SOAK if sample is EVERY else 1


def executors(folder: Path, players: int, options: dict[str, Any]) -> list[Executor]:
    """The executors of the backends that can play this, the interpreter's first."""
    rules = ruleset(folder)
    able = ("interpreter", "native") if find_compiler() is not None else ("interpreter",)
    found = [rules.executor(players, options, backend) for backend in able]
    assert [executor.native is not None for executor in found] == [backend == "native" for backend in able]
    return found


def outcome(executor: Executor, state: State) -> tuple[Any, ...]:
    """All that a finished game leaves."""
    machine = executor.interpreter
    return (
        state_hash(state), state.rng, state.decisions, state.turns, state.over, state.winners, state.out,
        state.deferred, state.v, state.z, state.where, state.pools, state.frames, state.explicit,
        executor.game(state).limited,
        machine.scores(state), ranks(machine, state), winners(machine, state), returns(machine, state),
    )  # fmt: skip


def played(executor: Executor, state: State) -> tuple[Any, ...] | str:
    try:
        executor.random_playout(state)
    except RuleError as error:
        return str(error)
    return outcome(executor, state)


def in_bulk(native: NativeCode, state: State, rng: int) -> Outcome:
    """What came of a game that is played as the first of several."""
    (found, again) = native.playouts(state, [rng, rng]) or (None, None)
    assert found == again
    assert found is not None, "the game was not played to its end in native code"
    return found


def ended(found: tuple[Any, ...] | str) -> Outcome:
    """The part of a finished game that `playouts` tells of."""
    assert not isinstance(found, str)
    return Outcome(
        FinishedGame(found[-4], found[-3], found[-2], found[2], found[3], found[-5], found[4] == TIED), found[-1]
    )


@pytest.mark.parametrize(("folder", "players", "sample"), layouts())
def test_answers(folder: Path, players: int, sample: Sample) -> None:
    """Games from their start and from the middle, sums of games, single steps: all of it is the interpreter's.

    Of a large game one is played from its start to its end, and the rest with `--soak`: what it is made of stands in
    smaller rulesets too."""
    check_playouts_from_the_start(folder, players, sample)
    if folder.name in LARGE and sample is not EVERY and IS_SPARSE:
        return
    check_sums_of_numbered_games(folder, players, sample)
    check_lockstep(folder, players, sample)
    check_explicit_chance(folder, players, sample)


def check_playouts_from_the_start(folder: Path, players: int, sample: Sample) -> None:
    """From equal seeds a random game ends in the same state after the same decisions and draws."""
    for options in options_of(folder, players, sample):
        one, *others = executors(folder, players, options)
        for seed in range((1 if folder.name in LARGE else GAMES) * times(sample)):
            wanted = played(one, one.new_state(seed, logging=False))
            for other in others:
                assert other.native is not None
                start = other.new_state(seed, logging=False)
                assert in_bulk(other.native, start, start.rng) == ended(wanted)
                assert played(other, start) == wanted, options


def check_sums_of_numbered_games(folder: Path, players: int, sample: Sample) -> None:
    """Many games that native code adds up come to what single games come to."""
    one, *others = executors(folder, players, options_of(folder, players, sample)[0])
    for other in others:
        compare_sums(one, other, range(5, 5 + (1 if folder.name in LARGE else GAMES_ADDED) * times(sample)))


def compare_sums(one: Executor, other: Executor, numbers: range) -> None:
    """Compare the sums of numbered games, up to the first with a score that C does not sum up."""
    games = [play_game(one, game_seed(7, number)) for number in numbers]
    summed = list(takewhile(lambda game: max(map(abs, game.scores)) < SUMMED, games))
    wanted, found = (Tally(one.layout.players, other.layout.parties) for _ in range(2))
    for game in summed:
        wanted.add(game)
    number_of_games, sums = other.tally(7, numbers, found.unit)
    assert number_of_games == len(summed)
    found.add_sums(number_of_games, sums)
    assert vars(found) == vars(wanted)


def go_on(all_of_them: Sequence[Executor], state: State, seed: int) -> None:
    """A game is played on at random in the same way by all; native code does it where no seat's answer is missing."""
    one, *others = all_of_them
    state = state.clone()
    state.logging = False
    state.rng = seed
    wanted = played(one, state.clone())
    for other in others:
        assert other.native is not None
        if not any(isinstance(value, list) and None in value for value in state.frames[-1][2]):
            assert in_bulk(other.native, state, seed) == ended(wanted)
        assert played(other, state.clone()) == wanted


def check_lockstep(folder: Path, players: int, sample: Sample) -> None:
    """At every decision of a random game the backends offer, show and hash the same, and play on from there alike."""
    rules = ruleset(folder)
    for options in options_of(folder, players, sample):
        able = executors(folder, players, options)
        # Single steps have a library of their own, which takes its time.
        stepping = able[:1] if folder.name in LARGE and sample is LAST else able
        for seed in range(times(sample)):
            games = [rules.new_game(players, seed, options, executor.backend) for executor in stepping]
            picker = random.Random(seed)
            for step in range(STEPS):
                a, *others = games
                hashed, asked = a.hash(), a.current_players()
                assert all((b.hash(), b.current_players()) == (hashed, asked) for b in others)
                if a.is_terminal():
                    break
                seat = picker.choice(asked)
                ids = [action.id for action in a.legal_actions(seat)]
                assert all([action.id for action in b.legal_actions(seat)] == ids for b in others)
                for viewer in range(players) if step % 8 == 0 else ():
                    seen, scores = a.observation(viewer), a.scores()
                    assert all((b.observation(viewer), b.scores()) == (seen, scores) for b in others)
                if step % 5 == 0 and (folder.name not in LONG or (sample is EVERY and not step)):
                    go_on(able, a.engine[1], seed + step)
                chosen = picker.choice(ids)
                for state in games:
                    state.apply(chosen, seat)
            saved = games[0].to_json()
            assert all(b.to_json() == saved for b in games[1:])


def check_explicit_chance(folder: Path, players: int, sample: Sample) -> None:
    """A state that waits for an outcome of chance is played on alike."""
    assert list(ruleset(folder).players) == players_of(folder)
    one, *others = executors(folder, players, options_of(folder, players, sample)[0])
    machine = one.interpreter
    picker = random.Random(3)
    state = machine.new_state(3, explicit=True, logging=False)
    machine.advance(state)
    for step in range(1 if folder.name in LONG else 4 if folder.name in LARGE else STEPS):
        waiting = machine.waiting(state)
        if waiting is None:
            break
        copies = [state.clone() for _ in (one, *others)]
        for copy in copies:
            copy.rng = step
        wanted = played(one, copies[0])
        assert all(played(other, copy) == wanted for other, copy in zip(others, copies[1:], strict=True))
        if waiting.kind == "chance":
            machine.take_outcome(state, picker.choice(machine.outcomes(state))[0])
        else:
            seat = picker.choice(waiting.seats)
            machine.choose(state, seat, picker.choice(machine.options(state, seat)))
