"""Games of one party: without a rival the score is the result, unless a win or loss is declared."""

from __future__ import annotations

from pathlib import Path

import pytest

import rulelang
from rulelang.agents import PlayoutAgent
from rulelang.search import Searcher, SearchOptions
from rulelang.search.solve import solve
from rulelang.table.names import Names
from rulelang.table.sheet import ending

HEAD = """\
rulelang: 2
name: lone
players: {players}
variables:
  points: {{type: 0..9, per: player}}
  strokes: {{type: 0..9, per: player}}
  rest: {{type: 0..9, per: player}}
{more}
rules: |
  play:
    turn of seat(0):
      points := choose a number from 0 to 3
      strokes := points
      rest := 3 - points
{rules}
"""
SCORE, LEAST, MOST = "score points: points", "winner: fewest strokes", "winner: most rest"
ENDS = "    if seat(0).points = 3: end the game won by seat(0)\n    if seat(0).points = 2: end the game drawn"
TEAM, AUTOMATON = "teams: {2: [[0, 1]]}", "automata: {Rival: {players: [1]}}"
GAMES = {
    # players, more declarations, rules -> the return of seat 0 after 0, 1, 2, 3 points
    "the score": (1, "", f"  {SCORE}", [0, 1, 2, 3]),
    "the fewest": (1, "", f"  {LEAST}", [0, -1, -2, -3]),
    "the most of something else than the score": (1, "", f"  {SCORE}\n  {MOST}", [3, 2, 1, 0]),
    "nothing to have": (1, "", "", [-1, -1, -1, -1]),
    "won, drawn, nothing": (1, "", ENDS, [-1, -1, -1, 1]),
    "won, drawn, else the score": (1, "", f"{ENDS}\n  {SCORE}", [0, 1, -1, 1]),
    "a payoff": (1, "", f"  {SCORE}\n  payoff: 2 * you.points - 3", [-3, -1, 1, 3]),
    "an amount, else the score": (1, "", f"    if seat(0).points = 3: end the game with 7\n  {SCORE}", [0, 1, 2, 7]),
    "a rival with 2 points": (1, AUTOMATON, "  score points: points if you = seat(0) else 2", [-1, -1, 1, 1]),
    "one team": (2, TEAM, f"  {SCORE}", [0, 1, 2, 3]),
    "one team with the fewest": (2, TEAM, "  winner: fewest strokes - 1", [1, 1, 1, 1]),
    "one team that wins and loses": (2, TEAM, f"{ENDS}\n  {SCORE}", [0, 1, -1, 1]),
    "two seats": (2, "", f"  {SCORE}", [0, 1, 1, 1]),
}  # fmt: skip


def written(folder: Path, name: str) -> rulelang.Ruleset:
    """One of the games."""
    players, more, rules, _ = GAMES[name]
    folder.mkdir(exist_ok=True)
    (folder / "ruleset.yaml").write_text(HEAD.format(players=players, more=more, rules=rules), encoding="utf-8")
    return rulelang.load(folder)


@pytest.mark.parametrize("backend", ["interpreter", "native"])
@pytest.mark.parametrize("name", GAMES)
def test_what_one_party_gets(name: str, backend: str, tmp_path: Path) -> None:
    """The score where nothing else is declared, as a loss where the fewest is best; 1 and -1 where the game is declared
    won or drawn. All seats of one team get the same."""
    game, (players, more, _, expected) = written(tmp_path, name), GAMES[name]
    for points, wanted in enumerate(expected):
        state = game.new_game(backend=backend)
        state.apply(state.legal_actions()[points])
        alone = players == 1 or more == TEAM
        assert state.returns() == ([wanted] * players if alone else [wanted, -wanted]), points
        assert state.engine[0].outcome(state.engine[1]).returns == state.returns()


@pytest.mark.parametrize("name", ["the score", "the fewest", "the most of something else than the score", "one team"])
def test_solutions_searches_and_bots_want_it(name: str, tmp_path: Path) -> None:
    """The best that can be had is found by all: 3 points, no stroke, the most that is left."""
    game, expected = written(tmp_path, name), GAMES[name][3]
    best = expected.index(max(expected))
    assert solve(game).value[0] == max(expected)
    for rollout in ("uniform", "greedy"):
        found = []
        for backend in ("native", "interpreter"):
            state = game.new_game(backend=backend)
            options = SearchOptions(backend=backend, rollout=rollout)
            finding = Searcher(100, 5, options=options).search(state)
            assert finding.action == state.legal_actions()[best], (backend, rollout)
            found.append([(move.action.id, move.visits, move.value) for move in finding.moves])
        assert found[0] == found[1]
    state = game.new_game()
    assert PlayoutAgent(1, 0).choose(state, 0) == state.legal_actions()[best]


def test_the_end_is_told_as_it_is(tmp_path: Path) -> None:
    """Where the score is the result nobody is said to have won or not; a game without points still says so."""
    told = {}
    for name in ("the score", "nothing to have", "one team"):
        state = written(tmp_path, name).new_game()
        state.apply(state.legal_actions()[1])
        assert state.winners() == []
        told[name] = [ending(state, Names(state, lang)) for lang in ("en", "fr")]
    scored = ["The score is the result.", "Le score est le résultat."]
    assert told == {
        "the score": scored,
        "nothing to have": ["Nobody has won.", "Personne n'a gagné."],
        "one team": scored,
    }
