"""A claim with `never` that turns out false is an error at its place, the same in both executors."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulelang.native.compilers import find_compiler

from .compared import ended, load

RULESET = """\
rulelang: 2
name: claims
players: 2
kinds: {Card: {attributes: {value: 1..2}, start: "seat(0).hand"}}
pieces: {Card: [{id: low, value: 1}]}
zones: {hand: {holds: Card, per: player}}
rules: |
  play:
    turn of seat(1):
      choose:
        one:
          let card = choose one of hand else never
          move card to next.hand
        each_one:
          let cards = together choose one of hand else never
          move cards[you] to next.hand
        of_a_menu:
          repeat worth() times: pass
  rule worth -> number:
    choose:
      lay(card in hand): return card.value
      else: never
"""


@pytest.mark.skipif(find_compiler() is None, reason="no C compiler")
def test_false_claims(tmp_path: Path) -> None:
    ruleset = load(tmp_path, RULESET)
    found = []
    for backend in ("interpreter", "native"):
        executor = ruleset.executor(2, {}, backend)
        found.append([str(ended(executor, executor.new_state(seed))) for seed in range(20)])
    assert found[0] == found[1]
    lines = {(error.partition(":")[0], error.rpartition("yaml:")[2]) for error in found[0]}
    assert lines == {("play", "12:46)"), ("play", "15:56)"), ("worth", "22:13)")}
