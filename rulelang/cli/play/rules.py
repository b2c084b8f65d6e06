"""The rules of a game as text of the terminal.

Enters: names, words that somebody typed. Leaves: a renderable. No game is read, so nothing hidden can show.
"""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.padding import Padding

from rulelang.cli.console import EscapedText
from rulelang.cli.play.card import card
from rulelang.game import Ruleset
from rulelang.languages import folded
from rulelang.table.facts import cited
from rulelang.table.names import Names
from rulelang.words.search import holding

INDENT = (0, 0, 0, 2)


def rules_page(ruleset: Ruleset, names: Names, words: str = "", cites: bool = False) -> RenderableType:
    """Return what is told of the game and its rules; with words, the rules that have them in their name, else the card
    that is called so, else the rules that have them anywhere.

    Args:
        cites: tell where each stands in the rulebook and the ruleset, too.
    """
    told = [(chapter, rule) for chapter in names.rules for rule in chapter.texts]
    if words:
        called = [folded(f"{rule.name} {names.name(rule.name)} {chapter.title}") for chapter, rule in told]
        matches = holding(words, called)
        if not matches and holding(words, [folded(f"{row.id} {names.row(row.id)}") for row in ruleset.written.pieces]):
            return card(ruleset, names, words, cites)
        matches = matches or holding(words, [folded(rule.text) for _, rule in told])
        if not matches:
            return card(ruleset, names, words, cites)
        told = [told[n] for n in matches]
    lines: list[RenderableType] = []
    for number, (chapter, rule) in enumerate(told):
        if number == 0 or told[number - 1][0] is not chapter:
            lines += [EscapedText()] * bool(lines) + [EscapedText(chapter.title, "bold")]
        lines.append(Padding(EscapedText(rule.text), INDENT))
        if cites:
            where = [*cited(ruleset, rule.cites, names.lang), f"{rule.file}:{rule.line}"]
            lines.append(Padding(EscapedText("; ".join(where), "dim"), INDENT))
    if not words:
        lines += [EscapedText(), EscapedText(names.texts("rules_more"), "dim")]
    return Group(*lines)


def rule_text(names: Names, name: str) -> str:
    """Return the text of the rule with a name; empty if there is none."""
    return next((rule.text for chapter in names.rules for rule in chapter.texts if name and rule.name == name), "")
