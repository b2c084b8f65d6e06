"""A small whole game that no lint has anything to say about, and edits of it.

Enters: an `Edit`. Leaves: what `check` and the lints find in the edited game, as (code, line). The line that a finding
must name says `#!`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rulelang.diagnostics import Diagnostic, Diagnostics
from rulelang.ruleset.loader import load_ruleset
from rulelang.ruleset.scenarios import load_scenarios
from rulelang.semantics.check import analyse, lint
from rulelang.semantics.scenarios.texts import check_scenarios

MARK = "#!"

GAME = """\
rulelang: 2
name: market_day
players: 2..4
options:
  hand_size: {values: [2, 3], default: 2}
  quick: {type: bool, default: false}
types:
  Colour: [red, blue]
  Part: {values: [nut, oil]}
kinds:
  Card:
    attributes: {colour: Colour, value: 1..5, price: cost of Part}
    active: [tableau]
    start: deck
  Pawn: {marks: [tired], variables: {steps: {type: 0..9}}, start: home}
pieces:
  Card:
    - {id: red1, colour: red, value: 1, price: 1 nut, count: 4}
    - {id: blue3, colour: blue, value: 3, price: 1 oil + 1 any Part, count: 4}
    - id: smith
      colour: red
      value: 2
      price: 2 nut
      rules: |
        modify worth(card, owner) when card.colour = blue: plus 1
        after gain(owner, n): owner.coins += 1
        on show(card): gain(you, 1)
        exchange melt in market: 2 nut -> 1 oil
        offer in action:
          rest: gain(you, 1)
        scores: 1
  Pawn:
    - {id: pawn, per: player}
zones:
  deck: {holds: Card, order: pile, visible: count, refill: discard}
  discard: {holds: Card}
  hand: {holds: Card, per: player, visible: owner}
  tableau: {holds: Card, per: player}
  home: {holds: Pawn, per: player}
variables:
  coins: {type: 0..99, per: player}
  shed: {type: bag of Part, per: player, start: 2 nut, capacity: {each: 3}}
  rounds: {type: 0..3}
marks: {frozen: {per: player}}
rules: |
  setup:
    shuffle deck
    for p in players: draw hand_size from deck to p.hand

  play:
    repeat (1 if quick else 2) times:
      rounds += 1
      for p in players:
        turn of p:
          if not frozen: take_turn()

  rule take_turn:
    choose action:
      build(card in hand) when can pay card.price from shed:
        pay card.price from shed
        move card to tableau
        show(card)
      swap(card in hand where it.colour = red):
        move card to discard
        mark next.frozen until after turn of next
      walk when not pawn.tired and pawn.steps < 3:
        pawn.steps += 1
        mark pawn.tired until after turn of you
      barter: trade market(you)
      wait: pass

  event gain(s: player, n: number): s.coins += n
  ability show(card: Card): pass
  quantity worth(card: Card, s: player) -> number = card.value
  exchanges market(s: player) from s.shed:
    exchange sell once per turn: 1 oil -> 1 nut
  function total(p: player) -> number = sum(worth(c, p) for c in p.tableau)

  score cards: total(you)
  score coins: coins + pawn.steps - (1 if rounds = 3 else 0)
  tie: most count(shed), then shared
"""


@dataclass(frozen=True)
class Edit:
    """Texts of the game and what stands in their place, and what is appended to its rules."""

    swaps: tuple[tuple[str, str], ...] = ()
    rules: str = ""
    scenario: str = ""

    def text(self) -> str:
        """The edited game."""
        text = GAME
        for old, new in self.swaps:
            assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in the game"
            text = text.replace(old, new)
        return text + "".join(f"  {line}\n" for line in self.rules.splitlines())

    def marked(self) -> list[int]:
        """The lines that say `#!`."""
        return [number for number, line in enumerate(self.text().split("\n"), 1) if MARK in line]

    def findings(self, folder: Path) -> list[Diagnostic]:
        """All that is found in the edited game and its scenario."""
        (folder / "ruleset.yaml").write_text(self.text(), encoding="utf-8")
        if self.scenario:
            (folder / "scenarios").mkdir()
            (folder / "scenarios" / "one.yaml").write_text(self.scenario, encoding="utf-8")
        diagnostics = Diagnostics()
        ruleset = load_ruleset(folder, diagnostics=diagnostics)
        analysed = analyse(ruleset, diagnostics) if ruleset is not None else None
        if analysed is not None:
            _, codes = check_scenarios(analysed, load_scenarios(folder, diagnostics))
            lint(analysed, diagnostics, [procedure for code in codes for procedure in code.procedures])
        return list(diagnostics)


def edit(*swaps: tuple[str, str], rules: str = "", scenario: str = "") -> Edit:
    """An edit, told briefly."""
    return Edit(swaps, rules, scenario)
