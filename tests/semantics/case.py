"""Small rulesets for the checks: a tiny base, and cases that add to it or change it.

Enters: a `Case`. Leaves: what the checker finds in it, as (code, file, line). A line that must be found says `#!`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rulelang.compiler import compile_ruleset
from rulelang.diagnostics import Diagnostic, Diagnostics
from rulelang.ruleset.loader import load_ruleset
from rulelang.ruleset.scenarios import scenarios_of
from rulelang.semantics.check import analyse
from rulelang.semantics.scenarios.texts import check_scenarios

MARK = "#!"
Places = list[tuple[str, str, int]]

BASE = """\
rulelang: 2
name: tiny
players: 2..4
sources: {leaflet: the leaflet}
automata: {machine: {players: [2, 3, 4]}, ghost: {players: [2]}}
options: {deck: {values: [8, 10], default: 8}, hard: {type: bool, default: false}}
types:
  Colour: [red, blue]
  Family: {attributes: {worth: number}, values: {water: {worth: 2}, market: {worth: 1}}}
  Side: {between: neighbours}
  Part: {values: [nut, oil], classes: {base: [nut, oil]}}
grids: {Square: {columns: 3, rows: 3}}
kinds:
  Card:
    attributes: {colour: Colour, value: 1..3}
    variables: {charge: {type: 0..3}, held: {type: bag of Part}}
    marks: [spent]
    active: [tableau]
    start: pile
  Chip: {attributes: {size: 1..5}, start: bank}
  Robot: {identity: true, start: home}
pieces:
  Card:
    - {id: low, colour: red, value: 1, count: 3}
    - {id: high, colour: blue, value: 3}
    - id: smith
      colour: red
      value: 2
      rules: |
        @
  Chip: [{id: chip, size: 1, count: 4}]
  Robot: [{id: bot, per: player}, {id: crate, start: "board[a1]"}]
zones:
  pile: {holds: Card, order: pile, visible: count, refill: trash}
  trash: {holds: Card}
  hand: {holds: Card, per: player, visible: owner}
  mirror: {holds: Card, per: player, visible: others}
  tableau: {holds: Card, per: player}
  shown: {holds: Card, order: pile, visible: top}
  vault: {holds: Card, visible: nobody}
  drawers: {holds: Card, per: Colour}
  bank: {holds: Chip, order: pile}
  home: {holds: Robot, per: player, order: pile}
  board: {holds: Robot, per: Square, capacity: 1}
variables:
  coins: {type: 0..99, per: player, start: 5}
  bid: {type: 0..9, per: player, visible: owner}
  shed: {type: bag of Part, per: player, capacity: {each: 3}}
  stock: {type: 0..20, per: Colour}
  first: {type: player}
  leader: {type: player?}
  spot: {type: Square?}
  target: {type: Robot?}
  mood: {type: Colour}
  secret: {type: 0..9, visible: nobody}
  done: {type: bool, per: player}
marks: {frozen: {per: player}}
"""

SCENARIO = "rulelang: 2\nscenarios:\n  - name: one\n    given:\n      @  #!\n    when: []\n    then: [{over: true}]\n"


@dataclass(frozen=True)
class Case:
    """What a ruleset adds to the base: `rules`, further `yaml`, the rule text of the piece `smith`, what is given in a
    scenario, or with `tests` the whole of one but for its name; `swap`, a part of the base and what stands in its place; `play`, what is played if `rules` don't say; and
    `over`, the rules of an overlay.
    """

    rules: str = ""
    yaml: str = ""
    piece: str = "scores: 1"
    scenario: str = ""
    tests: str = ""
    play: str = "play: pass\n"
    swap: tuple[str, str] = ("", "")
    over: str = ""

    def files(self) -> dict[str, str]:
        """The ruleset's files by name."""
        old, new = self.swap
        assert not old or BASE.count(old) == 1, f"{old!r} stands {BASE.count(old)} times in the base"
        base = (BASE.replace(old, new) if old else BASE).replace("@", self.piece.strip().replace("\n", "\n        "))
        play = "" if self.rules.startswith("play") or "\nplay" in self.rules else self.play
        files = {"ruleset.yaml": base, "tiny.rule": f"rulelang 2\n{self.rules.strip()}\n{play}"}
        if self.yaml:
            files["more.yaml"] = f"rulelang: 2\n{self.yaml}"
        if self.scenario:
            files["scenarios/one.yaml"] = SCENARIO.replace("@", self.scenario)
        if self.tests:
            lines = "".join(f"    {line}\n" for line in self.tests.strip().split("\n"))
            files["scenarios/one.yaml"] = f"rulelang: 2\nscenarios:\n  - name: one\n{lines}"
        if self.over:
            files |= {"over/ruleset.yaml": "rulelang: 2\n", "over/over.rule": f"rulelang 2\n{self.over.strip()}\n"}
        return files

    def marked(self) -> list[tuple[str, int]]:
        """File and line of every mark."""
        return [
            (name, number)
            for name, text in self.files().items()
            for number, line in enumerate(text.split("\n"), 1)
            if MARK in line
        ]

    def check(self, folder: Path) -> list[Diagnostic]:
        """Everything that the checker finds; what it lets pass compiles (but for what can't be played yet)."""
        for name, text in self.files().items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        diagnostics = Diagnostics()
        ruleset = load_ruleset(folder, [folder / "over"] if self.over else [], diagnostics=diagnostics)
        analysed = analyse(ruleset, diagnostics) if ruleset is not None else None
        if analysed is not None and "arrange" not in self.rules:
            compile_ruleset(analysed)
        if analysed is not None and (self.scenario or self.tests):
            for code in check_scenarios(analysed, scenarios_of(analysed.checked.ruleset, diagnostics))[1]:
                diagnostics.extend(code.diagnostics)
        return list(diagnostics)


@dataclass(frozen=True)
class Check:
    """A check by its code: rulesets that it refuses, each at the marked lines and for nothing else; what it accepts."""

    code: str
    wrong: tuple[Case, ...]
    right: Case
    also: tuple[Case, ...] = ()


def places(found: list[Diagnostic], folder: Path) -> Places:
    """Code, file and line of every finding."""
    return [(d.code, d.span.path.removeprefix(f"{folder}/"), d.span.line) for d in found]
