"""What a table tells of a game's rules: what its author says of it, then each rule in words.

Enters: names, for a ruleset and a language. Leaves: chapters with titles, texts and where they come from.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from rulelang.game import Ruleset
from rulelang.prose import PHASES, RuleText, rule_texts
from rulelang.prose.faces import cite_text
from rulelang.table.facts import HARD_SPACE
from rulelang.words.terminal import Texts

TOPICS = ("goal", "setup", "turn", "end", "scoring")
"""The keys of `about`, in the order in which they are told."""
BEFORE_SIGN = re.compile(" (?=[;:!?»])")
"""A space at which no line is to break."""


@dataclass(frozen=True)
class Chapter:
    """A part of what is told."""

    title: str
    texts: tuple[RuleText, ...]


def about(ruleset: Ruleset, lang: str) -> tuple[Chapter, ...]:
    """Return what the ruleset tells of itself under `about`; empty if it tells nothing."""
    texts = Texts(lang)
    chapters = []
    for topic in TOPICS:
        for told in ruleset.written.about:
            if told.topic == topic:
                cites = tuple(map(cite_text, told.cites))
                own = RuleText(topic, "", polished(told.text, lang), cites, told.span.path, told.span.line)
                chapters.append(Chapter(texts(f"about_{topic}"), (own,)))
    return tuple(chapters)


def polished(texts: Mapping[str, str], lang: str) -> str:
    """Return what is told in a language, else in the first that it is told in, as one paragraph."""
    text = " ".join((texts.get(lang) or next(iter(texts.values()))).split())
    return BEFORE_SIGN.sub(HARD_SPACE, text)


def told_about(ruleset: Ruleset, lang: str) -> list[tuple[str, str]]:
    """Return the titles and texts of `about`."""
    return [(chapter.title, rule.text) for chapter in about(ruleset, lang) for rule in chapter.texts]


def chapters(ruleset: Ruleset, lang: str) -> tuple[Chapter, ...]:
    """Return what the ruleset tells of itself, then its rules in words by phase."""
    texts, rules = Texts(lang), rule_texts(ruleset.written, lang)
    phases = [(phase, tuple(rule for rule in rules if rule.phase == phase)) for phase in PHASES]
    return about(ruleset, lang) + tuple(Chapter(texts(f"phase_{phase}"), told) for phase, told in phases if told)
