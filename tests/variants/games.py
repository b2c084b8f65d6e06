"""A tiny game whose score tells which of its rules ran, and how overlays are laid over it.

Every step writes a digit behind those of `trace`, so the score of a seat is the order in which things happened.
"""

from __future__ import annotations

from pathlib import Path

from rulelang.diagnostics import Diagnostic, Diagnostics
from rulelang.game import load
from rulelang.ruleset.loader import load_ruleset
from rulelang.semantics.check import analyse

BASE = """\
rulelang: 2
name: tiny
players: 2
types: {Part: {values: [nut, oil]}}
options: {size: {values: [1, 2], default: 1}}
kinds: {Card: {attributes: {value: 1..9}, start: table}}
pieces:
  Card:
    - {id: low, value: 1, count: size}
    - {id: high, value: 3}
zones: {table: {holds: Card}}
variables:
  trace: {type: 0..999999, per: player}
  shed: {type: bag of Part, per: player, start: 6 nut}
words: {en: {low: low card}}
rules: |
  play:
    for p in players:
      turn of p: act()

  rule act:
    let digit = 1
    step first: note(digit)
    if trace > 0:
      step second: note(2)
    trade market()

  rule other:
    step first: note(9)

  rule note(digit: number): trace := trace * 10 + digit

  event ring: note(8)

  exchanges market from shed:
    exchange pair: 2 nut -> 1 oil
    exchange triple: 3 nut -> 1 oil

  score trace: trace
  score bonus: bonus()
  score cards: sum(table.value)

  function bonus -> number = 0
"""


def write(folder: Path, **overlays: str) -> list[Path]:
    """Writes the base `tiny` and overlays beside it: YAML, or rules if it does not say a key; gives their folders."""
    files = {"tiny": BASE, **{name: _overlay(text) for name, text in overlays.items()}}
    for name, text in files.items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / "ruleset.yaml").write_text(text, encoding="utf-8")
    return [folder / name for name in files]


def _overlay(text: str) -> str:
    if text.split(":")[0] in ("extends", "pieces", "options", "words", "kinds", "players", "zones", "title"):
        return f"rulelang: 2\n{text.strip()}\n"
    return "rulelang: 2\nrules: |\n" + "".join(f"  {line}\n" for line in text.strip().split("\n"))


def first_lines(*folders: Path) -> dict[str, int]:
    """The score lines of seat 0 after a game in which nothing is traded, and their order."""
    base, *overlays = folders
    state = load(base, overlays).new_game()
    while not state.is_terminal():
        state.apply("done")
    return {line.name: line.value for line in state.score_sheet(0).lines}


def findings(*folders: Path) -> list[Diagnostic]:
    """All findings of a ruleset with overlays."""
    base, *overlays = folders
    found = Diagnostics()
    ruleset = load_ruleset(base, overlays, diagnostics=found)
    if ruleset is not None:
        analyse(ruleset, found)
    return [finding for finding in found if finding.severity == "error"]


def places(found: list[Diagnostic]) -> list[tuple[str, str, int]]:
    """Code, folder and line of each."""
    return [(d.code, Path(d.span.path).parent.name, d.span.line) for d in found]
