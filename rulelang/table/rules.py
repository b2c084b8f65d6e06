"""What a table tells of a game's rules: what its author says of it, then each rule in words.

Enters: names, for a ruleset and a language. Leaves: chapters with titles, texts and where they come from.
"""

from __future__ import annotations

from dataclasses import dataclass

from rulelang.game import Ruleset
from rulelang.prose import PHASES, RuleText, rule_texts
from rulelang.prose.faces import cite_text
from rulelang.words.terminal import Texts


@dataclass(frozen=True)
class Chapter:
    """A part of what is told.

    Attributes:
        is_own: whether its texts are the author's words; else they are made from rules.
    """

    title: str
    texts: tuple[RuleText, ...]
    is_own: bool = False


def about(ruleset: Ruleset, lang: str) -> tuple[Chapter, ...]:
    """Return what the ruleset tells of itself under `about`; empty if it tells nothing."""
    texts = Texts(lang)
    chapters = []
    for topic in TOPICS:
        for told in ruleset.written.about:
            if told.topic == topic:
                text = told.text.get(lang) or next(iter(told.text.values()))
                cites = tuple(map(cite_text, told.cites))
                own = RuleText(topic, "", " ".join(text.split()), cites, told.span.path, told.span.line)
                chapters.append(Chapter(texts(f"about_{topic}"), (own,), True))
    return tuple(chapters)


def chapters(ruleset: Ruleset, lang: str) -> tuple[Chapter, ...]:
    """Return what the ruleset tells of itself, then its rules in words by phase."""
    texts, rules = Texts(lang), rule_texts(ruleset.written, lang)
    phases = [(phase, tuple(rule for rule in rules if rule.phase == phase)) for phase in PHASES]
    return about(ruleset, lang) + tuple(Chapter(texts(f"phase_{phase}"), told) for phase, told in phases if told)


TOPICS = ("goal", "setup", "turn", "end", "scoring")
"""The keys of `about`, in the order in which they are told."""
