"""Finds where a number and the noun after it don't agree: `1 players`, `2 card`, « 0 points ».

Enters: a text and its language. Leaves: what is wrong in it. Nouns are those that the engine names in its templates,
and those of a ruleset's words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from rulelang.languages import language

TEXTS = ("words", "terminal", "web", "lab")
VERBS = {"play", "draw", "roll", "pass", "done", "has", "its", "a", "ont", "ses", "sa", "leurs", "their", "have"}
"""Among the nouns and forms of templates: what follows a number as something else."""
MORE = {
    "en": "point card turn line step row column cell piece coin goods seed error warning file day minute second",
    "fr": "point carte tour ligne étape pièce joueur partie place robot mesure chance défaut niveau",
}
JOINTS = set("of for to from in by at and or is are de des per pour à par sur en au et ou est sont fois".split())
NUMBER = re.compile(r"(?:(\w+) )?(?<![\w.,−+-])(\d+) (\w+)(?: (\w+))?")
FORM = re.compile(r"\{\w+:([^|}]+)\|([^}]+)\}")


@cache
def templates(lang: str) -> dict[str, str]:
    """All sentence templates of a language but those of made text."""
    return {
        f"{lang}/{room}: {name}": text
        for room in TEXTS
        for name, text in language(lang).texts(room).items()
        if isinstance(text, str)
    }


@cache
def _nouns(lang: str) -> tuple[frozenset[str], frozenset[str]]:
    """The forms that stand after one, and those that stand after several."""
    pairs = [(noun.one, noun.many) for noun in language(lang).nouns("words").values()]
    pairs += [(word, word + "s") for word in MORE.get(lang, "").split()]
    for text in templates(lang).values():
        for one, many in FORM.findall(text):
            pairs += zip(one.split(), many.split(), strict=False)
    kept = [(one, many) for one, many in pairs if one != many and not {one, many} & VERBS]
    return frozenset(one for one, _ in kept), frozenset(many for _, many in kept)


def disagreements(text: str, lang: str, nouns: Iterable[tuple[str, str]] = ()) -> list[str]:
    """The numbers with a noun in the wrong form after them, at most one word on; `nouns`: more of these."""
    singular, plural = _nouns(lang)
    singular |= {one for one, _ in nouns}
    plural |= {many for _, many in nouns}
    wrong = re.findall(r"\b1 times(?! [\w(])", text)  # `1 times your coins` is a product
    for m in NUMBER.finditer(text):
        before, number, first, second = m[1], int(m[2]), m[3], m[4] or ""
        if before in singular:
            continue  # `seat 1 pays`: a name, and no amount
        noun = first if first in singular | plural or first in JOINTS else second
        is_many = language(lang).is_many(number)
        if noun in (singular - plural if is_many else plural - singular):
            wrong.append(m[0])
    return wrong
