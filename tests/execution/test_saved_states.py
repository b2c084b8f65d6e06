"""A state, what is loaded from its text, and the same state on another executor are one game; reading changes nothing.

Every ruleset, number of players, a sample of options, sampled and explicit chance: random games, and at their positions
all of that. A few steps of each run with the others, whole games with `--soak`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from rulelang.game.ruleset import Ruleset
from rulelang.game.state import State

from .test_same_answers import FOLDERS, LARGE, LONG, option_sample, players_of, ruleset

MODES = ("sampled", "explicit")
SKIPPED, LOOKED_AT = 25, 3
"""Steps without a look before the first position, at most; positions in a row, in the short run."""
VARIANTS = (LARGE | LONG) - {"ldd", "imaginarium"}
"""Left to the long run."""
SMALL = {"payments", "sealed", "reactions", "regroup"}
"""Purses, answers of several seats, reactions, groupings: their native steps are compiled in the short run too."""
SOAKED = 400


def compiled(folder: Path, players: int, place: int) -> bool:
    """Whether native steps are compiled for the options at this place of the sample: of what is large, for some."""
    return not place or folder.name not in LARGE or (folder.name == "ldd" and place % 4 == players % 4)


def _seats(read: Callable[[State, int], object]) -> Callable[[State], object]:
    return lambda state: [read(state, seat) for seat in range(state.players)]


READINGS: tuple[Callable[[State], object], ...] = (
    State.hash, State.is_terminal, State.is_chance_node, State.current_players, State.chance_outcomes,
    _seats(State.legal_actions), _seats(State.decision), _seats(State.refusals), _seats(State.observation),
    _seats(State.information_state), State.events, _seats(State.events), _seats(State.story),
    State.scores, State.returns, State.winners, _seats(State.score_sheet), State.clone,
    lambda state: [state.resample(seat, 1) for seat in range(state.players) if not state.is_terminal()],
    lambda state: state.ruleset.state_from_json(state.to_json()),
    repr,
)  # fmt: skip
"""Everything that tells of a state and is not to change it."""


def offered(state: State) -> list[tuple[int | None, str]]:
    """What each seat may do, or chance."""
    seats = [None] if state.is_chance_node() else state.current_players()
    return [(seat, action.id) for seat in seats for action in state.legal_actions(seat)]


def loaded(state: State, text: str) -> State:
    """What the text gives; it is the state."""
    again = state.ruleset.state_from_json(text, backend=state.engine[0].backend)
    assert again.to_json() == text
    assert again.hash() == state.hash()
    return again


def follow(
    rules: Ruleset, players: int, options: dict[str, Any], chance: str, backends: Sequence[str], name: str, steps: int
) -> None:
    """Play a random game on each of the backends, going on both from the state and from what was loaded."""
    picker = random.Random(name)
    seed = picker.randrange(1 << 30)
    games = [rules.new_game(players, seed, options, backend=backend, chance=chance) for backend in backends]
    for _ in range(picker.randrange(SKIPPED)):
        if not games[0].is_terminal():
            seat, chosen = picker.choice(offered(games[0]))
            for game in games:
                game.apply(chosen, seat)
    doubles: list[State] = []
    for step in range(steps):
        text, ways = games[0].to_json(), offered(games[0])
        for game in [*games, *doubles]:
            assert game.to_json() == text
            assert offered(game) == ways
        if step % 10 == 0:
            for game in games:
                for reading in READINGS:
                    reading(game)
                assert game.to_json() == text
        doubles = [loaded(game, text) for game in games]
        if not ways:
            break
        seat, chosen = picker.choice(ways)
        for game in [*games, *doubles]:
            game.apply(chosen, seat)


@pytest.mark.parametrize(
    "folder",
    [
        pytest.param(folder, id=folder.name, marks=pytest.mark.soak if number % 2 else ())
        for number, folder in enumerate(folder for folder in FOLDERS if folder.name not in VARIANTS)
    ],
)
def test_a_few_steps(folder: Path) -> None:
    """At some positions of a game in each mode of chance, for some number of players and some options."""
    picker = random.Random(folder.name)
    players = picker.choice(players_of(folder))
    options = picker.choice(option_sample(folder, players))
    for chance in MODES:
        follow(ruleset(folder), players, options, chance, ["interpreter"], f"{folder.name} {chance}", LOOKED_AT)


@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize("folder", [folder for folder in FOLDERS if folder.name in SMALL], ids=lambda path: path.name)
def test_a_few_steps_in_native_code(folder: Path) -> None:
    """The same with native code, whose states are those of the interpreter."""
    for chance in MODES:
        players = max(players_of(folder))
        follow(ruleset(folder), players, {}, chance, ["interpreter", "native"], folder.name, 3 * LOOKED_AT)


@pytest.mark.soak
@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize("chance", MODES)
@pytest.mark.parametrize(
    ("folder", "players"),
    [pytest.param(folder, n, id=f"{folder.name}-{n}") for folder in FOLDERS for n in players_of(folder)],
)
def test_whole_games(folder: Path, players: int, chance: str) -> None:
    """At every position of a whole game (the first ones where it is very long), for each value of each option."""
    for place, options in enumerate(option_sample(folder, players)):
        name = f"{folder.name} {players} {chance} {place}"
        backends = ["interpreter", "native"] if compiled(folder, players, place) else ["interpreter"]
        follow(ruleset(folder), players, options, chance, backends, name, SOAKED)
