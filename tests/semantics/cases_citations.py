"""Citations, the index of the rulebook, and what `--strict` lists: see `case.py` for the form."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rulelang.diagnostics import Diagnostic, Diagnostics
from rulelang.ruleset.loader import load_ruleset
from rulelang.ruleset.scenarios import load_scenarios
from rulelang.semantics.check import analyse
from rulelang.semantics.checks.coverage import check_coverage
from tests.semantics.case import Case, Check

INDEX = """\
rulebook:
  leaflet:
    - {lines: 1-2, title: The story, is: flavour}
    - {lines: 3-5, title: The game, is: rule}
    - {lines: 8, title: A game, is: example}
"""

STRICT_BASE = """\
rulelang: 2
name: tiny
players: 2
sources: {leaflet: the leaflet}
kinds: {Card: {attributes: {value: 1..3}, active: [tableau], start: box, cites: [leaflet:3]}}
pieces: {Card: [{id: low, value: 1}]}
zones: {tableau: {holds: Card, per: player}, box: {holds: Card}}
variables: {coins: {type: 0..99, per: player, cites: [leaflet:3-5]}}
"""


@dataclass(frozen=True)
class Strict(Case):
    """A case for what `--strict` lists: a base of its own, in which all lines but the example's are cited. `plays` is
    what the scenario cites."""

    plays: str = "leaflet:8"
    play: str = "[leaflet:3]\nplay: pass\n"

    def files(self) -> dict[str, str]:
        """The ruleset's files by name."""
        old, new = self.swap
        assert not old or STRICT_BASE.count(old) == 1, old
        base = STRICT_BASE.replace(old, new) if old else STRICT_BASE
        play = "" if self.rules.startswith("play") or "\nplay" in self.rules else self.play
        scenario = f"rulelang: 2\nscenarios:\n  - {{name: one, cites: [{self.plays}], then: [{{over: true}}]}}\n"
        return {
            "ruleset.yaml": base,
            "tiny.rule": f"rulelang 2\n{self.rules.strip()}\n{play}",
            "more.yaml": f"rulelang: 2\n{self.yaml or INDEX}",
            "scenarios/one.yaml": scenario,
        }

    def check(self, folder: Path) -> list[Diagnostic]:
        """Everything that a strict check finds."""
        for name, text in self.files().items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        diagnostics = Diagnostics()
        ruleset = load_ruleset(folder, diagnostics=diagnostics)
        analysed = analyse(ruleset, diagnostics) if ruleset is not None else None
        if analysed is not None:
            check_coverage(analysed.shared, load_scenarios(folder, diagnostics), diagnostics)
        return list(diagnostics)


NO_INDEX = "marks: {m: {}}"
MARKET = "exchanges market(s: player) from s.shed"
GOODS = (
    """\
types: {Part: {values: [nut, oil]}}
variables: {shed: {type: bag of Part, per: player}}
"""
    + INDEX
)
ORDER = "rulebook:\n  leaflet:\n    - {lines: 3-5, title: a, is: rule}\n    - {lines: @, title: b, is: rule}  #!\n"
OUTSIDE = "variables: {x: {type: 0..1, cites: [leaflet:@]}}  #!\n" + INDEX

CHECKS = (
    Check(
        "rulebook-order",
        (
            Case(yaml=ORDER.replace("@", "1-2")),
            Case(yaml=ORDER.replace("@", "5-6")),
            Case(yaml=ORDER.replace("@", "4")),
        ),
        Case(yaml=ORDER.replace("@", "6-7").replace("  #!", "")),
    ),
    Check(
        "citation-outside",
        (
            Case(yaml=OUTSIDE.replace("@", "9")),
            Case(yaml=OUTSIDE.replace("@", "3-6")),
            Case("[leaflet:7]  #!\nrule r: pass", yaml=INDEX),
        ),
        Case("[leaflet:3-8, leaflet:4]\nrule r: pass", yaml=INDEX),
        (Case("[leaflet:999]\nrule r: pass"),),
    ),
    Check(
        "citation-flavour",
        (
            Case("[leaflet:1]  #!\nrule r: pass", yaml=INDEX),
            Case("[leaflet:3, leaflet:1-2]  #!\nscore s: 1", yaml=INDEX),
            Case(yaml=OUTSIDE.replace("@", "2")),
        ),
        Case("[leaflet:1-3]\nrule r: pass", yaml=INDEX),
    ),
    Check(
        "rulebook-missing",
        (
            Strict(yaml=NO_INDEX, swap=("the leaflet}", "the leaflet}  #!")),
            Strict("rule r: pass", yaml=NO_INDEX, swap=("the leaflet}", "the leaflet}  #!")),
            Strict(yaml="sources: {errata: what was wrong}  #!\n" + INDEX),
        ),
        Strict(),
    ),
    Check(
        "citation-uncited",
        (
            Strict(yaml=INDEX.replace("is: rule}", "is: rule}  #!"), swap=("3-5", "3")),
            Strict(yaml=INDEX.replace("is: example}", "is: example}  #!"), plays="leaflet:3"),
            Strict("[leaflet:8]\nrule r: pass", yaml=INDEX.replace("example}", "example}  #!"), plays="leaflet:3"),
        ),
        Strict("[leaflet:5]\nrule r: pass", swap=("3-5", "3-4")),
        (Strict(plays="leaflet:3-8", swap=("3-5", "3")),),
    ),
    Check(
        "citation-none",
        (
            Strict("setup: pass  #!\nplay: pass  #!\nrule r: pass  #!\nfunction f -> number = 1  #!"),
            Strict("event e: pass  #!\nability a(c: Card): pass  #!\nquantity q -> number = 1  #!"),
            Strict("score s: 1  #!\nwinner: most coins  #!\ntie: most coins, then shared  #!\npayoff: coins  #!"),
            Strict("[leaflet:3]\nevent e: pass\nafter e: pass  #!"),
            Strict("[leaflet:3]\nquantity q -> number = 1\nmodify q: plus 1  #!"),
            Strict(
                f"{MARKET}:\n  [leaflet:3]\n  exchange a: 1 nut -> 1 oil\n  exchange b: 2 oil -> 1 nut  #!", yaml=GOODS
            ),
            Strict(
                swap=(
                    ", cites: [leaflet:3]}}\npieces: {Card: [{id: low, value: 1}]}",
                    "}}\npieces: {Card: [{id: low, value: 1}]}  #!",
                )
            ),
        ),
        Strict("rule r:\n  [leaflet:3]\n  step a: pass"),
        (
            Strict(f"[leaflet:3]\n{MARKET}:\n  exchange a: 2 nut -> 1 oil", yaml=GOODS),
            Strict(
                swap=(
                    ", cites: [leaflet:3]}}\npieces: {Card: [{id: low, value: 1}]}",
                    "}}\npieces:\n  Card:\n    - id: low\n      value: 1\n      rules: |\n        [leaflet:3]\n        scores: 1",
                )
            ),
            Strict(
                swap=(
                    ", cites: [leaflet:3]}}\npieces: {Card: [{id: low, value: 1}]}",
                    "}}\npieces: {Card: [{id: low, value: 1, provenance: invented}]}",
                )
            ),
        ),
    ),
)
