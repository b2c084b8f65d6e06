"""The player beside a party, looked up where nobody is ever out, is the one that the interpreter finds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import rulelang
from rulelang.interpreter import Machine
from rulelang.ir.nodes import Expr
from rulelang.native.expressions import Environment, Writer
from rulelang.native.source import CSource
from rulelang.vocabulary.types import SEAT

GAME = """\
rulelang: 2
name: game
players: 1..3
automata: {robot: {players: [1, 2, 3]}}
variables: {n: {type: 0..9, per: player}}
rules: |
  play: seat(0).n += 1
"""


@pytest.mark.parametrize("players", [1, 2, 3])
def test_every_party_and_none(players: int, tmp_path: Path) -> None:
    """Seats, an automaton, which has no place among them, and nobody."""
    (tmp_path / "ruleset.yaml").write_text(GAME, encoding="utf-8")
    machine = Machine(rulelang.load(tmp_path).program, players)
    layout = machine.layout
    assert layout.parties == players + 1
    source = CSource(layout.program)
    writer = Writer(layout, source)
    state = machine.new_state()
    for op in ("next_player", "previous_player"):
        beside = Expr(op, SEAT, (Expr("local", SEAT, (0,)),))
        text = writer.text(beside, Environment(0, {0: "p"}))
        name = text.removesuffix("[p + 1]")
        (table,) = [line for line in source.tables if f" {name}[" in line]
        row = [int(number) for number in re.findall(r"-?\d+", table.partition("{")[2])]
        code = machine.compiler.code(beside)
        assert row == [code(state, [party]) for party in range(-1, layout.parties)], op
