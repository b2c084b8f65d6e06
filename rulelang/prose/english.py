"""English: how verbs and possessives go; templates, nouns and irregular verbs are in `english.toml`."""

from __future__ import annotations

import re

from rulelang.prose.grammar import Grammar, Phrase, language_data
from rulelang.words.languages import Noun

ARTICLE = re.compile(r"\b([Aa]) (?=[aeio]|un(?!i)|8|11\b|18\b)")


class EnglishGrammar(Grammar):
    """English."""

    templates, nouns, verbs = language_data("english")

    def verb(self, verb: str, subject: Phrase) -> str:
        """Return the verb without -s after `you` or a plural, unchanged otherwise."""
        first, _, rest = verb.partition(" ")
        if subject.many or subject.person == "you":
            first = self.verbs.get(first) or _without_s(first)
            if subject.silent and first == "are":
                first = "be"
        return f"{first} {rest}" if rest else first

    def possessed(self, owner: Phrase, thing: Noun) -> Phrase:
        """Return a possessed noun: `your hand`, `its hand`, `whose hand`, `the hand of each player in the game`."""
        many = thing.plural
        name = thing.many if many else thing.one
        if owner.person == "you":
            return Phrase(f"your {name}", many=many)
        if owner.person == "pronoun":
            return Phrase(f"{'their' if owner.many or owner.gender == 'p' else 'its'} {name}", many=many)
        if owner.person == "whose":
            return Phrase(f"whose {name}", many=many)
        if owner.plain:
            mark = "'" if owner.text.endswith("s") else "'s"
            return Phrase(f"{owner.text}{mark} {name}", many=many)
        return Phrase(f"the {name} of {owner.text}", many=many, plain=False)

    def agreeing(self, adjective: Noun, subject: Phrase) -> str:
        """Return the adjective unchanged, as English adjectives do not agree."""
        return adjective.one

    def phrase(self, text: str) -> Phrase:
        """Return a text as a phrase; always in the singular, as an English article does not tell the number."""
        return Phrase(text, plain=False)

    def polish(self, text: str) -> str:
        """Correct `a` before vowels to `an`, and the spacing."""
        text = re.sub(r" {2,}", " ", text)
        text = re.sub(r" ([,;.)])", r"\1", text).replace("an other ", "another ")
        return ARTICLE.sub(lambda m: f"{m[1]}n ", text).rstrip(" ")


def _without_s(verb: str) -> str:
    """Return a verb's plural form from its third person singular: `carries` becomes `carry`."""
    if verb.endswith("ies") and len(verb) > 4:
        return verb[:-3] + "y"
    if verb.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return verb[:-2]
    return verb[:-1] if verb.endswith("s") and not verb.endswith("ss") else verb
