"""Who is asked what a bag gains: its owner, whoever `by` names, and for nobody's bag whoever acts."""

from __future__ import annotations

from pathlib import Path

import rulelang
from rulelang.diagnostics import Diagnostic, Diagnostics
from rulelang.ruleset.loader import load_ruleset
from rulelang.semantics.check import analyse

YAML = """\
rulelang: 2
name: bags
players: 2
types: {Part: {values: [nut, oil]}}
kinds: {Card: {attributes: {}, active: [table], start: table, variables: {load: {type: bag of Part}}}}
pieces:
  Card:
    - id: well
      per: player
      rules: |
        after strike(s) when s != owner:
          owner.shed += 1 any Part
          this.load += 1 any Part
          this.load += 1 any Part by s
zones: {table: {holds: Card, per: player}}
variables:
  shed: {type: bag of Part, per: player}
  common: {type: bag of Part, start: 1 oil, capacity: {total: 1}}
rules: |
  setup:
    for p in players: gift(p)
  play:
    turn of seat(0):
      shed += 1 any Part
      next.shed += 1 any Part
      next.shed += 1 any Part by you
      strike(you)
      common += 1 nut
      common += 1 nut by next
  rule gift(p: player): p.shed += 1 any Part
  event strike(s: player): pass
  score nuts: shed.nut
"""
LINES = {name: n for n, line in enumerate(YAML.splitlines(), 1) for name in [line.strip()]}


def findings(folder: Path) -> list[Diagnostic]:
    """What `check` finds in a folder."""
    diagnostics = Diagnostics()
    ruleset = load_ruleset(folder, diagnostics=diagnostics)
    assert ruleset is not None
    analyse(ruleset, diagnostics)
    return list(diagnostics)


def line_of(text: str) -> int:
    """The line that ends with a text."""
    (line,) = (n for name, n in LINES.items() if name.endswith(text))
    return line


def test_the_owner_of_a_bag_chooses_unless_by_says_otherwise(tmp_path: Path) -> None:
    """In the setup each owner is asked, in a turn the other seat for its own shed, whoever acts."""
    (tmp_path / "ruleset.yaml").write_text(YAML, encoding="utf-8")
    state = rulelang.load(tmp_path).new_game(2, seed=1)
    asked = []
    while not state.is_terminal():
        decision = state.decision()
        assert decision is not None
        asked.append((decision.line, decision.seat))
        state.apply(state.legal_actions()[-1])
    assert asked == [
        (line_of("rule gift(p: player): p.shed += 1 any Part"), 0),
        (line_of("rule gift(p: player): p.shed += 1 any Part"), 1),
        (LINES["shed += 1 any Part"], 0),
        (LINES["next.shed += 1 any Part"], 1),
        (line_of("by you"), 0),
        (LINES["owner.shed += 1 any Part"], 1),
        (LINES["this.load += 1 any Part"], 1),
        (line_of("by s"), 0),
        (LINES["common += 1 nut"], 0),
        (LINES["common += 1 nut by next"], 1),
    ]


def test_where_another_than_the_acting_seat_is_asked_check_warns(tmp_path: Path) -> None:
    """One's own bag, and a bag with `by`, need no warning."""
    (tmp_path / "ruleset.yaml").write_text(YAML, encoding="utf-8")
    lines = sorted(d.span.line for d in findings(tmp_path) if d.code == "choice-owner")
    others = ("owner.shed += 1 any Part", "this.load += 1 any Part", "next.shed += 1 any Part")
    assert lines == [LINES[text] for text in others]


def test_by_is_refused_where_nothing_is_chosen(tmp_path: Path) -> None:
    """A number, a loss, and a bag with room for each good by itself ask nobody."""
    for wrong in ("common -= 1 nut by next", "shed += 1 nut by next", "nuts += 1 by next"):
        text = YAML.replace("common += 1 nut by next", wrong).replace(
            "variables:\n", "variables:\n  nuts: {type: 0..9}\n"
        )
        (tmp_path / "ruleset.yaml").write_text(text, encoding="utf-8")
        codes = [d.code for d in findings(tmp_path) if d.severity == "error"]
        assert codes == ["choice-misplaced"], wrong
