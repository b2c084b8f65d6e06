"""Whatever a game tells leads back to a rule, its file and line, and the rulebook."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import rulelang
from tests.citations.sample import write

ROOT = Path(__file__).resolve().parents[2]


def is_traced(told: dict[str, Any], ruleset: rulelang.Ruleset) -> bool:
    """Whether it names a rule, a line of a file that has the rule's words, and lines that the rulebook's index has."""
    lines = Path(told["file"]).read_text(encoding="utf-8").splitlines()
    titles = [title for citation in told["cites"] for title in ruleset.cite(citation)]
    return bool(told["rule"] and lines[told["line"] - 1].strip() and titles)


@pytest.mark.parametrize(("players", "seed"), [(3, 1), (4, 2), (5, 3)])
def test_whole_games_are_traced(players: int, seed: int) -> None:
    """In random games of R-ECO every entry of the log, every line of every score sheet and every refusal is traced."""
    ruleset = rulelang.load(ROOT / "rulesets" / "reco")
    state, picker = ruleset.new_game(players=players, seed=seed), random.Random(seed)
    refusals = []
    while not state.is_terminal():
        refusals += state.refusals()
        state.apply(picker.choice(state.legal_actions()))
    told = state.events()
    sheets = [line for seat in range(players) for line in state.score_sheet(seat).to_json()["lines"]]
    assert {event["type"] for event in told} >= {"choice", "chance", "move", "shuffle", "begin", "end"}
    assert refusals
    assert len(sheets) == 3 * players
    assert [one for one in (*told, *sheets, *refusals) if not is_traced(one, ruleset)] == []


@pytest.mark.parametrize("seed", range(3))
def test_everything_of_the_sample_is_traced(seed: int, tmp_path: Path) -> None:
    """So it is in a game with events, handlers, exchanges and offers of pieces."""
    ruleset = rulelang.load(write(tmp_path))
    state, picker = ruleset.new_game(seed=seed), random.Random(seed)
    told = []
    while not state.is_terminal():
        told += state.refusals()
        state.apply(picker.choice(state.legal_actions()))
    told += [*state.events(), *state.score_sheet(0).to_json()["lines"], *state.score_sheet(1).to_json()["lines"]]
    assert [one for one in told if not is_traced(one, ruleset)] == []


def test_what_a_piece_does_names_it(tmp_path: Path) -> None:
    """Handlers, offers, exchanges and score lines of a piece name it and cite its row; an item of a menu what it cites
    itself."""
    ruleset = rulelang.load(write(tmp_path))
    state = ruleset.new_game(seed=0)
    state.apply("work")
    (earned,) = [event for event in state.events() if event.get("card")]
    assert (earned["card"], earned["rule"], earned["cites"]) == ("fern", "fern", ["leaflet:10"])
    assert "owner.coins += 1" in line_of(earned)
    since = len(state.events())
    state.apply("pressed:pay=nut,gain=oil")
    traded = state.events(since=since)
    assert [event["card"] for event in traded if event["type"] in ("choice", "set")] == ["fern"] * 3
    assert all("exchange pressed" in line_of(event) for event in traded if event.get("card"))
    (line,) = [line for line in state.score_sheet(0).lines if line.piece]
    assert (line.name, line.cites) == ("fern", ("leaflet:10",))
    state = ruleset.new_game(seed=0)
    state.apply("water:this=fern")
    chosen, set_ = state.events()[-3:-1] if state.events()[-1]["type"] == "begin" else state.events()[-2:]
    assert (chosen["card"], chosen["cites"], set_["card"], set_["cites"]) == (
        "fern",
        ["leaflet:5"],
        "fern",
        ["leaflet:5"],
    )
    state = ruleset.new_game(seed=0)
    since = len(state.events())
    state.apply("take:leaf=oak")
    assert [event["cites"] for event in state.events(since=since)[:2]] == [["leaflet:6"], ["leaflet:6"]]


def line_of(event: dict[str, Any]) -> str:
    """The line that an event leads to."""
    lines = Path(event["file"]).read_text(encoding="utf-8").splitlines()
    return lines[int(event["line"]) - 1]


def test_the_end_is_traced(tmp_path: Path) -> None:
    """The last entry names what ended the game: `end the game`, `play` that is through, or the limit's decision."""
    plain = rulelang.load(write(tmp_path / "a")).new_game()
    play_out(plain)
    assert (plain.events()[-1]["type"], plain.events()[-1]["rule"], plain.events()[-1]["line"]) == ("end", "play", 8)
    ended = rulelang.load(write(tmp_path / "b", ("        pass: pass", "        pass: end the game"))).new_game()
    ended.apply("pass")
    assert (ended.events()[-1]["type"], ended.events()[-1]["line"]) == ("end", 16)
    assert "pass: end the game" in line_of(ended.events()[-1])
    capped = rulelang.load(write(tmp_path / "c", ("players: 2\n", "players: 2\nlimits: {decisions: 1}\n"))).new_game()
    play_out(capped)
    assert (capped.events()[-1]["type"], capped.events()[-1]["rule"]) == ("end", "market")


def play_out(state: rulelang.State) -> None:
    """Plays a game to its end."""
    while not state.is_terminal():
        state.apply(state.legal_actions()[0])
