"""The rules of a game in words, in the order in which one meets them.

Enters: a written ruleset, a language. Leaves: a text for each rule with its phase: of setup and play the rules that
they carry out, depth first; then what applies whenever something happens; then scores.
"""

from __future__ import annotations

from dataclasses import dataclass

from rulelang.prose.faces import cite_text
from rulelang.prose.writer import RuleWriter
from rulelang.ruleset.model import Cite, WrittenRuleset
from rulelang.syntax import ast

SETUP, PLAY, WHENEVER, SCORES, VALUES = PHASES = ("setup", "play", "whenever", "scores", "values")
"""The phases; `values` has functions and quantities, which the texts of rules name."""

_PHASES: dict[type[ast.Declaration], str] = {
    ast.Score: SCORES,
    ast.Winner: SCORES,
    ast.Tie: SCORES,
    ast.Payoff: SCORES,
    ast.Function: VALUES,
    ast.QuantityDecl: VALUES,
    ast.AbilityValue: VALUES,
}
_UNTOLD = (ast.Version, ast.Limit, ast.Removal)


@dataclass(frozen=True)
class RuleText:
    """A rule in words.

    Attributes:
        name: as the ruleset names it, empty for one without a name. phase: one of `PHASES`.
        cites: `source:line` or `source:first-last`. file, line: where it stands.
    """

    name: str
    phase: str
    text: str
    cites: tuple[str, ...]
    file: str
    line: int


def rule_texts(ruleset: WrittenRuleset, lang: str) -> tuple[RuleText, ...]:
    """Return the texts of all rules of a ruleset, phase by phase."""
    writer = RuleWriter(ruleset, lang)
    declared = [node for node in writer.declarations if not isinstance(node, _UNTOLD)]
    numbers = {_name(node): number for number, node in enumerate(declared) if type(node) not in _PHASES}
    called = [
        [numbers[inner.text] for inner in ast.walk(node) if isinstance(inner, ast.Name) and inner.text in numbers]
        for node in declared
    ]
    phases: dict[int, str] = {}
    for phase, begin in ((SETUP, ast.Setup), (PLAY, ast.Play)):
        stack = [number for number, node in enumerate(declared) if isinstance(node, begin)]
        while stack:
            number = stack.pop()
            if number not in phases:
                phases[number] = phase
                stack += reversed(called[number])
    phases |= {n: _PHASES.get(type(node), WHENEVER) for n, node in enumerate(declared) if n not in phases}
    ordered = sorted(phases.items(), key=lambda entry: PHASES.index(entry[1]))
    return tuple(_text(writer, declared[number], phase) for number, phase in ordered)


def _text(writer: RuleWriter, node: ast.Declaration, phase: str) -> RuleText:
    cites = (Cite(cite.source, cite.first, cite.last) for cite in getattr(node, "citations", ()))
    text = writer.declaration(node)
    return RuleText(_name(node), phase, text, tuple(map(cite_text, cites)), node.span.path, node.span.line)


def _name(node: ast.Declaration) -> str:
    name = getattr(node, "name", None)
    return name.text if isinstance(name, ast.Name) else ""
