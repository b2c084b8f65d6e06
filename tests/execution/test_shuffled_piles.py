"""Rules that read more than the top of a shuffled pile: three cards of ranks 1, 2 and 3, shuffled, and read at once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import rulelang
from rulelang.cli import run
from rulelang.execution.executor import Executor
from rulelang.native import build, find_compiler
from rulelang.runtime.canonical import state_hash
from tests import soak
from tests.native.compared import never_interpreted

GAMES = 50
DECK = """\
rulelang: 2
name: pile
players: 2
languages: [en]
kinds: {Card: {attributes: {rank: 1..3}, start: deck}}
pieces: {Card: [{id: one, rank: 1}, {id: two, rank: 2}, {id: three, rank: 3}]}
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
  look: {holds: Card, per: player, visible: owner}
variables: {n: {type: 0..999, per: player}}
rules: |
  setup: shuffle deck
  play:
    for p in players:
      turn of p: act()
  score n: n
  score hand: sum(hand.rank)
  rule act:
"""
ORDERS = {123, 132, 213, 231, 312, 321}
RULES = {
    "all to a hand": (["move deck to hand"], {(6, 0)}),
    "all to a hand, part by part": (["move top 2 of deck to hand", "n := count(deck)"], {(4, 3), (5, 2), (6, 1)}),
    "gone through": (["for c in deck: n := 10 * n + c.rank"], {(order, order) for order in ORDERS}),
    "the top two": (["n := sum(c.rank for c in top 2 of deck)"], {(3, 3), (4, 4), (5, 5)}),
    "searched": (
        [
            "move deck to look",
            "if some card = choose one of look where it.rank >= 2: move card to hand",
            "move look to deck",
            "shuffle deck",
        ],
        {(2, 3), (3, 2)},
    ),
    "searched for what may be there": (
        ["for c in deck:", "  if c.rank = 3: move c to hand", "n := count(deck where it.rank < 3)"],
        {(5, 2)},
    ),
    "shuffled back": (["move deck to hand", "move hand to deck", "shuffle deck", "draw 1 from deck to hand"], None),
}
"""What is done in each of two turns, and the scores that games end with; where None, those of two ranks."""


def pile(folder: Path, name: str) -> rulelang.Ruleset:
    lines = [f"    {line}\n" for line in RULES[name][0]]
    (folder / "ruleset.yaml").write_text(DECK + "".join(lines), encoding="utf-8")
    return rulelang.load(folder)


def scores(executor: Executor, seed: int) -> tuple[tuple[int, ...], str]:
    """The scores and the hash of the end of a game."""
    state = executor.new_state(seed, logging=False)
    executor.random_playout(state)
    return tuple(executor.interpreter.scores(state)), state_hash(state)


@pytest.mark.parametrize("name", RULES)
def test_what_is_read(name: str, same_folder: Path) -> None:
    """All cards are there, each once, in every order; both backends play the same games."""
    ruleset = pile(same_folder, name)
    interpreter = ruleset.executor(2, backend="interpreter")
    found = [scores(interpreter, seed) for seed in range(GAMES)]
    pairs = {(a, b) for a in (1, 2, 3) for b in (1, 2, 3) if a != b}
    assert {score for score, _ in found} == (RULES[name][1] or pairs)
    if find_compiler() is not None:
        native = ruleset.executor(2, backend="native")
        never_interpreted(native)
        assert [scores(native, seed) for seed in range(GAMES)] == found


@pytest.mark.parametrize("compiler", [True, False], ids=["with a compiler", "without one"])
def test_many_games(
    compiler: bool, same_folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`simulate` plays them whatever is installed; what is played and who wins does not depend on it."""
    if not compiler:
        monkeypatch.setenv("PATH", str(same_folder / "none"))
        monkeypatch.delenv("CC", raising=False)
        monkeypatch.setattr("rulelang.native.compilers.ZIG", "no_such_package")
        monkeypatch.setattr(build, "_loaded", {})
    elif find_compiler() is None:
        pytest.skip("there is no C compiler for native code")
    for name in list(RULES)[:: 1 if soak.FACTOR > 1 else 3]:
        pile(same_folder, name)
        seats = []
        for backend in ("auto", "interpreter", *(("native",) if compiler else ())):
            capsys.readouterr()
            arguments = ("simulate", str(same_folder), "--games", str(GAMES), "--backend", backend, "--format", "json")
            assert run(list(arguments)) == 0
            said = capsys.readouterr()
            assert "Traceback" not in said.err
            assert ("pip install '.[native]'" in said.err) == (backend == "auto" and not compiler)
            seats.append(json.loads(said.out)["seats"])
        assert seats[1:] == seats[:-1]
