"""The rules of a game as a page, and a hint for who is new to it, made of what a decision asks.

Enters: a ruleset, a language; a decision in part made. Leaves: HTML; a `Guide`.
"""

from __future__ import annotations

from dataclasses import dataclass
from sys import getsizeof

from rulelang.game import Ruleset
from rulelang.memos import kept_with, kept_within
from rulelang.table.rules import TOPICS, Chapter, chapters
from rulelang.table.scene import Scene
from rulelang.web.pages import render

PAGE_BYTES = 8 << 20
"""So much is kept of pages of rules."""


@dataclass(frozen=True)
class Guide:
    """What helps with a choice.

    Attributes:
        told: what is told of a turn. rule: the rule that asks, in words; empty if it has none. steps: what is to be
            chosen in turn, and whether it is chosen.
    """

    told: str
    rule: str
    steps: tuple[tuple[str, bool], ...]


@kept_with
def _chapters(ruleset: Ruleset, lang: str) -> tuple[Chapter, ...]:
    """Return what is told of a ruleset, then its rules in words; memoised."""
    return chapters(ruleset, lang)


@kept_within(PAGE_BYTES, getsizeof)
def page(ruleset: Ruleset, lang: str, back: str) -> str:
    """Return the rules of a ruleset in words, each with the passages of its rulebook, as a page.

    Args:
        back: the address of the page that leads here.
    """
    told = [
        (chapter.title, [(rule.text, _passages(ruleset, rule.cites, lang)) for rule in chapter.texts])
        for chapter in _chapters(ruleset, lang)
    ]
    return render("rules.html", lang, title=ruleset.words(lang).title, chapters=told, back=back)


def _passages(ruleset: Ruleset, cites: tuple[str, ...], lang: str) -> list[tuple[str, str]]:
    """Return citations with the titles of their passages."""
    return [(cite, "; ".join(ruleset.cite(cite, lang))) for cite in cites]


def guide(scene: Scene, ruleset: Ruleset, lang: str, rule: str) -> Guide:
    """Return what helps with the choice that a rule asks for.

    Args:
        scene: has the choice as far as it is made.
    """
    told = _chapters(ruleset, lang)
    texts = {text.name: text.text for chapter in told for text in chapter.texts}
    picked = {part.name for pick, part in scene.choosing.parts if pick in scene.choosing.picks}
    names = dict.fromkeys(part.name for _, part in scene.choosing.parts)
    steps = tuple((scene.names.words.lexicon.noun(f"{rule}.{name}", name).one, name in picked) for name in names)
    own = texts.get(rule, "") if rule not in TOPICS else ""
    return Guide(texts.get("turn", ""), own, steps)
