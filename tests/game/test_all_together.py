"""Games that all win or all lose, `winner: all when`: with automata, players who are out, ends that are declared."""

from __future__ import annotations

from fractions import Fraction

import pytest

from rulelang.game import load
from rulelang.perft import perft_to_end
from rulelang.search import Searcher, SearchOptions
from rulelang.search.solve import solve
from rulelang.simulate import simulate

RAFT = """
rulelang: 2
name: raft
players: 2
MORE
variables: {logs: {type: 0..2, per: player}}
rules: |
  play:
    for p in players:
      turn of p: logs := choose a number from 0 to 2
    END
  score logs: logs
  winner: all when CONDITION
"""
ENOUGH = "sum(p.logs for p in everyone) >= 3"
AUTOMATON = "automata: {storm: {players: [2]}}"
TWO = "if seat(0).logs = 2: end the game"
PAIRS = [(a, b) for a in range(3) for b in range(3)]
GAMES = {
    "by total": (ENOUGH, "pass", "", lambda a, b: a + b >= 3),
    "each": ("logs > 0", "pass", "", lambda a, b: a > 0 and b > 0),
    "against an automaton": (ENOUGH, "pass", AUTOMATON, lambda a, b: a + b >= 3),
    "whoever is out": (ENOUGH, "eliminate seat(0)", "", lambda a, b: a + b >= 3),
    "declared for one": (ENOUGH, f"{TWO} won by seat(1)", "", lambda a, b: a == 2 or a + b >= 3),
    "drawn": (ENOUGH, f"{TWO} drawn", "", lambda a, b: a != 2 and a + b >= 3),
}  # fmt: skip
"""Condition, what happens before the end, more nouns, whether two numbers of logs win: both then, else nobody."""


def raft(folder, name="by total"):
    condition, end, more, _ = GAMES[name]
    text = RAFT.replace("CONDITION", condition).replace("END", end).replace("MORE\n", f"{more}\n" if more else "")
    (folder / "ruleset.yaml").write_text(text, encoding="utf-8")
    return load(folder)


@pytest.mark.parametrize("backend", ["interpreter", "native"])
@pytest.mark.parametrize("name", GAMES)
def test_all_win_or_nobody_does(name, backend, tmp_path):
    """Each of the nine pairs of choices: winners, returns, ranks; what the whole tree comes to."""
    ruleset, wins = raft(tmp_path, name), GAMES[name][-1]
    for a, b in PAIRS:
        state = ruleset.new_game(2, backend=backend)
        state.apply(state.legal_actions()[a])
        state.apply(state.legal_actions()[b])
        assert state.is_terminal()
        assert state.winners() == ([0, 1] if wins(a, b) else [])
        assert state.returns() == ([1, 1] if wins(a, b) else [-1, -1])
        assert state.ranks()[:2] in ([1, 1], [2, 2])
        if name == "against an automaton":
            assert state.ranks() == ([1, 1, 3] if wins(a, b) else [2, 2, 1])
        assert state.scores()[:2] == [a, b]
    won = sum(wins(a, b) for a, b in PAIRS)
    endings = perft_to_end(ruleset, backend=backend).endings
    assert sum(ending.histories for ending in endings if ending.winners == (0, 1)) == won
    assert {ending.returns for ending in endings} == {(Fraction(1),) * 2, (Fraction(-1),) * 2}


def test_those_who_play_together_help_each_other(tmp_path):
    """The value is 1 to each; after one log search takes two; simulated games count a win for each seat."""
    ruleset = raft(tmp_path)
    assert solve(ruleset).value == (1, 1)
    state = ruleset.new_game(2)
    state.apply(state.legal_actions()[1])
    for backend in ("native", "interpreter"):
        assert Searcher(200, options=SearchOptions(backend=backend)).choose(state, 1).id == "play:logs=2"
    reports = [simulate(ruleset, 2, 60, seed=3, backend=backend) for backend in ("native", "interpreter")]
    assert reports[0].seats == reports[1].seats
    assert reports[0].seats[0].wins == reports[0].seats[1].wins > 0
