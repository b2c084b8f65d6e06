"""A set that is only chosen from, or drawn from, tells none of its pieces from another (law 4 of the language)."""

from __future__ import annotations

from pathlib import Path

import pytest

import rulelang
from rulelang.native.compilers import find_compiler
from rulelang.runtime.canonical import state_hash

BACKENDS = ("interpreter", "native")
GAME = """\
rulelang: 2
name: tokens
players: 1
languages: [en]
kinds: {Token: {identity: true, start: bag, variables: {level: {type: 0..9}}}}
pieces: {Token: [{id: red, count: 3}, {id: blue}]}
zones: {bag: {holds: Token}, out: {holds: Token}}
variables: {kept: {type: "Token?"}}
rules: |
  play:
    turn of seat(0): act()
  rule act:
    %s
  rule take(from: list of Token): move choose 2 of from to out
"""
TWO = ["red+red", "blue+red"]


def load(folder: Path, *statements: str) -> rulelang.Ruleset:
    (folder / "ruleset.yaml").write_text(GAME % "\n    ".join(statements), encoding="utf-8")
    return rulelang.load(folder)


@pytest.mark.parametrize(
    ("statements", "offered"),
    [
        # By hand: of three red tokens and a blue one, any two are two red ones, or one of each.
        (("move choose 2 of bag to out",), TWO),
        (("let some_two = choose 2 of bag", "move some_two to out"), TWO),
        (("let there = bag", "if count(there) > 1: move choose 2 of there to out"), TWO),
        (("take(bag)",), TWO),
        (("move choose up to 1 of bag to out",), ["none", "red", "blue"]),
        # The set is read again afterwards: the first token of it is another one than the others.
        (
            ("let there = top 2 of bag", "move choose 1 of there to out", "kept := top of there"),
            ["red@bag#1", "red@bag#2"],
        ),
        # What a variable refers to is told apart.
        (("kept := top of bag", "move choose 1 of bag to out"), ["blue", "red@bag#1", "red@bag#2"]),
    ],
)
def test_what_is_offered(statements: tuple[str, ...], offered: list[str], tmp_path: Path) -> None:
    """Each distinct option once, on every backend the same game from it."""
    ruleset = load(tmp_path, *statements)
    state = ruleset.new_game(players=1, seed=1)
    assert sorted(action.id.partition("=")[2] for action in state.legal_actions()) == sorted(offered)
    ends = set()
    for backend in BACKENDS if find_compiler() is not None else BACKENDS[:1]:
        executor = ruleset.executor(1, {}, backend)
        found = []
        for seed in range(20):
            end = executor.new_state(seed, logging=False)
            executor.random_playout(end)
            found.append((state_hash(end), end.rng, end.decisions))
        ends.add(tuple(found))
    assert len(ends) == 1


def test_what_is_drawn(tmp_path: Path) -> None:
    """Chance among alike pieces has one outcome for them: red with 3 of 4."""
    ruleset = load(tmp_path, "let there = bag", "if count(there) > 1:", "  move random one of there to out")
    state = ruleset.new_game(players=1, seed=1, chance="explicit")
    assert sorted(str(probability) for _, probability in state.chance_outcomes()) == ["1/4", "3/4"]
