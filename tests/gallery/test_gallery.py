"""The classics: each is whole, is played by both executors, and agrees with a program that no one here wrote."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks import agree
from rulelang.game import Action, State
from rulelang.perft import perft
from rulelang.resources import shipped_rulesets
from rulelang.ruleset.loader import glance
from rulelang.web.theme import cover_in
from tests import soak
from tests.scenario_files import judged
from tests.shipped import shipped

from .lockstep import RECORDED, Game, begun, compare, follow, read
from .published import HISTORIES, WINNERS, Counted

PAGES = Path(__file__).parents[2] / "docs" / "rulesets"
CLASSICS = [
    folder.name
    for folder in sorted(shipped_rulesets().iterdir())
    if not re.search("^sources:", (folder / "ruleset.yaml").read_text(encoding="utf-8"), re.M)
]
"""What is shipped and follows no publisher's rulebook."""
COUNTED = [
    pytest.param(name, counted, marks=pytest.mark.soak if counted.scenario else (), id=f"{name}-{number}")
    for name, rows in HISTORIES.items()
    for number, counted in enumerate(rows)
]
"""Of positions a scenario says how many options there are; what lies behind them is counted with `--soak`."""
FEW = 12
"""Steps of a recorded game that the interpreter plays; with `--soak` all of all games."""


def test_each_classic_has_a_witness() -> None:
    """Games of another program that are played again, and nothing else is recorded or counted."""
    assert sorted(path.stem for path in RECORDED.iterdir()) == CLASSICS
    assert HISTORIES.keys() <= {*CLASSICS}


def test_the_readme_says_how_many_and_how_long() -> None:
    """How many classics there are, and how many lines the YAML and the rules of the shortest and the longest have."""
    lines = [
        sum(
            len(path.read_text(encoding="utf-8").splitlines())
            for path in (folder / "ruleset.yaml", *folder.glob("*.rule"))
        )
        for folder in (shipped_rulesets() / name for name in CLASSICS)
    ]
    count = {24: "twenty-four"}[len(CLASSICS)]
    readme = (PAGES.parents[1] / "README.md").read_text(encoding="utf-8")
    assert f"[{count} classics](docs/rulesets/index.md)" in readme
    assert f"written in {min(lines)} to {max(lines)} lines each" in readme


@pytest.mark.parametrize("name", CLASSICS)
def test_it_is_whole(name: str) -> None:
    """A strict check finds nothing, its scenarios hold, people are told what they need in both languages before they
    play, it has a picture in the lobby and a page."""
    findings, results = judged(name)
    assert findings == []
    assert results
    assert {result.name: result.message for result in results if not result.ok} == {}
    brief, both = glance(name), {"en", "fr"}
    assert {*shipped(name).written.languages} == {*brief.title} == both
    assert brief.minutes
    assert brief.is_estimate  # no publisher says it
    assert {"goal", "turn", "end"} <= {topic for topic, texts in brief.about.items() if both == {*texts}}
    assert cover_in(shipped_rulesets() / name)
    assert (PAGES / f"{name}.md").is_file()


@pytest.mark.parametrize("name", CLASSICS)
def test_games_of_another_program(name: str) -> None:
    """What it offered at each decision we offer, and who won there wins here."""
    players, options, games = read(name)
    for game in games:
        follow(begun(shipped(name), players, options, "native"), game)


@pytest.mark.parametrize("name", CLASSICS)
def test_games_of_another_program_without_native_code(name: str) -> None:
    """So does the interpreter, which takes longer."""
    players, options, games = read(name)
    for game in games if soak.FACTOR > 1 else [Game(games[-1].steps[:FEW], None)]:
        follow(begun(shipped(name), players, options, "interpreter"), game)


@pytest.mark.parametrize(("name", "counted"), COUNTED)
def test_published_counts(name: str, counted: Counted) -> None:
    """As many histories as others have counted."""
    rows = [*counted.rows, *(counted.soaked if soak.FACTOR > 1 else ())]
    found = perft(shipped(name), len(rows) - 1, options=counted.options, scenario=counted.scenario)
    assert [row.histories for row in found] == rows


@pytest.mark.parametrize("name", WINNERS)
def test_published_winners(name: str) -> None:
    """With best play who wins is as others have proved."""
    known: dict[tuple[str, int], int] = {}
    for won in WINNERS[name]:
        state = shipped(name).new_game(options=won.options)
        for choice in won.opening:
            state.apply(choice)
        assert _winner(state, known) == won.winner, won.opening


def _winner(state: State, known: dict[tuple[str, int], int]) -> int:
    """Return which of two seats wins a game without draws; `known`: by the key of a position."""
    if state.is_terminal():
        return state.winners()[0]
    key, (seat,) = state.search_key(), state.current_players()
    if key not in known:
        won = any(_winner(_after(state, action), known) == seat for action in state.legal_actions())
        known[key] = seat if won else 1 - seat
    return known[key]


def _after(state: State, action: Action) -> State:
    """Return the state after a choice."""
    state = state.clone()
    state.apply(action)
    return state


@pytest.mark.soak
@pytest.mark.parametrize("name", CLASSICS)
def test_many_games_end_alike(name: str) -> None:
    """A thousand random games of native code, none of which its bound of decisions ends or an error stops, and of these
    as many on the interpreter as it plays in a minute."""
    ruleset = shipped(name)
    for players in {ruleset.players[0], ruleset.players[-1]}:
        native = agree.played(ruleset.executor(players, None, "native"), 0, 0, 1000, 1).games
        assert [game for game in native if game.limited or game.error] == []
        executor = ruleset.executor(players, None, "interpreter")
        one = agree.played(executor, 0, 0, 1, 1)
        number = max(2, min(1000, int(60 / max(one.seconds, 0.001))))
        assert agree.played(executor, 0, 0, number, 1).games == native[:number]


@pytest.mark.soak
@pytest.mark.parametrize("name", CLASSICS)
def test_against_the_program_itself(name: str) -> None:
    """Where it is installed: a hundred other games side by side."""
    pytest.importorskip("pyspiel")
    from .witnesses import WITNESSES

    for seed in range(1000, 1100):
        compare(shipped(name), WITNESSES[name], seed)


@pytest.mark.soak
def test_hex_on_nine_cells() -> None:
    """The first seat wins (Nash), by the middle (Hein's boards), and loses by a cell in an acute corner (Beck)."""
    known: dict[str, float] = {}

    def value(state: State) -> float:
        """What the first seat gets with best play."""
        if state.is_terminal():
            return state.returns()[0]
        key = state.hash()
        if key not in known:
            best = max if state.current_players() == [0] else min
            known[key] = best(value(after(state, action.id)) for action in state.legal_actions())
        return known[key]

    def after(state: State, id_: str) -> State:
        """The state after a choice."""
        state = state.clone()
        state.apply(id_)
        return state

    start = shipped("hex").new_game(options={"size": 3, "swap": False}, backend="native")
    assert value(start) == 1
    assert value(after(start, "place:spot=b2")) == 1
    assert [value(after(start, f"place:spot={cell}")) for cell in ("a1", "c3")] == [-1, -1]
