"""`alike` of collections: as many of each, in any order, as Python's `Counter` says."""

from __future__ import annotations

from collections import Counter
from itertools import product
from pathlib import Path

import pytest

import rulelang
from rulelang.scenarios import run_scenarios

YAML = """\
rulelang: 2
name: alike
players: 2
kinds: {Card: {start: box}}
pieces:
  Card: [{id: red, count: 4}, {id: blue, count: 4}]
zones:
  box: {holds: Card}
  hand: {holds: Card, per: player, order: pile}
rules: |
  play:
    for p in players:
      turn of p:
        choose:
          wait: pass
"""
LISTS = [part for size in range(4) for part in product((1, 2), repeat=size)][1:]
HANDS = [part for size in range(3) for part in product(("red", "blue"), repeat=size)]


@pytest.mark.parametrize("backend", ["interpreter", "native"])
def test_alike(tmp_path: Path, backend: str) -> None:
    """Numbers in all lists of up to three, and cards in all piles of up to two."""
    lines = ["rulelang: 2", "scenarios:"]
    conditions = [
        f"{'' if Counter(a) == Counter(b) else 'not '}alike({[*a]}, {[*b]})" for a, b in product(LISTS, LISTS)
    ]
    lines.append(f"  - {{name: numbers, given: {{}}, then: [{', '.join(map(repr, conditions))}]}}")
    for a, b in product(HANDS, HANDS):
        zones = f'{{"seat(0).hand": [{", ".join(a)}], "seat(1).hand": [{", ".join(b)}], box: rest}}'
        then = f"{'' if Counter(a) == Counter(b) else 'not '}alike(seat(0).hand, seat(1).hand)"
        lines.append(f'  - {{name: "{a} {b}", given: {{zones: {zones}}}, then: ["{then}"]}}')
    (tmp_path / "ruleset.yaml").write_text(YAML, encoding="utf-8")
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "scenarios" / "all.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    results = list(run_scenarios(rulelang.load(tmp_path), backend))
    assert [(r.name, r.message) for r in results if r.message] == []
    assert len(results) == 1 + len(HANDS) ** 2
