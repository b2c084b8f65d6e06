"""English: plurals, articles, verbs and possessives."""

from __future__ import annotations

import re

from rulelang.languages.grammar import NO_ARTICLE, Language, Noun, Phrase, singular_of_s, stem, titled

ARTICLE = re.compile(r"\b([Aa]) (?=[aeio]|un(?!i)|8|11\b|18\b)")


class Grammar(Language):
    """English."""

    conjunctions = {"and": "and", "or": "or"}  # noqa: RUF012 - never written to
    called = "english englisch anglais"
    has_identifiers = True
    _an = ("hour", "honest", "heir", "honour", "honor", "8", "11", "18")
    _a = ("uni", "use", "usu", "eu", "one", "ubiq", "unanim", "ewe")

    def singular(self, phrase: str) -> str:
        """Return the singular of a noun with an -s before `of`."""
        return singular_of_s(phrase, phrase.partition(" of ")[0])

    def gender(self, noun: Noun, person: bool) -> str:
        """Return `p` for a person, whose hand is `their hand`."""
        return "p" if person else super().gender(noun, person)

    def plural(self, phrase: str) -> str:
        """Return the regular plural: of `cup of tea` it is `cups of tea`, of `advance 2` `advances 2`."""
        words, _, number = phrase.rpartition(" ")
        if words and number.isdigit():
            return f"{self.plural(words)} {number}"
        head, of, rest = phrase.partition(" of ")
        lower = head.lower()
        if lower.endswith(("s", "x", "z", "ch", "sh")):
            head += "es"
        elif lower.endswith("y") and lower[-2:-1] not in set("aeiou "):
            head = head[:-1] + "ies"
        else:
            head += "s"
        return head + of + rest

    def a(self, noun: Noun) -> str:
        """Put the indefinite article before a noun."""
        if noun.article == NO_ARTICLE or noun.plural:
            return stem(noun)
        start = noun.one.lower()
        vowel = start.startswith(self._an) or (start[:1] in set("aeiou") and not start.startswith(self._a))
        return f"{noun.article or ('an' if vowel else 'a')} {noun.one}"

    def none(self, noun: Noun) -> str:
        """Return a noun of which there is none: `no card`."""
        return f"no {stem(noun)}"

    def the(self, noun: Noun, count: int = 1) -> str:
        """Put the definite article before a noun."""
        return self.form(noun, count) if noun.article == NO_ARTICLE else f"the {self.form(noun, count)}"

    def that(self, noun: Noun, many: bool) -> str:
        """Put the demonstrative before a noun."""
        return f"those {noun.many}" if many else f"that {noun.one}"

    def of(self, phrase: str) -> str:
        """Put `of` before a phrase."""
        return f"of {phrase}"

    def row_article(self, article: str, numbered: bool) -> str:
        """Return the article of a row that its kind has a text for: `card 7` is a name."""
        return NO_ARTICLE if numbered else article

    def from_(self, phrase: str) -> str:
        """Return a phrase with its article after `from`."""
        return f"from {phrase}"

    def to(self, phrase: str) -> str:
        """Return a phrase with its article after `to`."""
        return f"to {phrase}"

    def numbered(self, noun: Noun, number: int) -> Noun:
        """Return a noun with a number that tells it from others: `seat 1`."""
        return Noun(f"{noun.one} {number}", f"{noun.many} {number}", noun.gender, NO_ARTICLE)

    def owned(self, noun: Noun, owner: Noun) -> str:
        """Return a phrase for what is somebody's: `seat 1's hand`."""
        return f"{self.the(owner)}'s {stem(noun)}"

    def your(self, noun: Noun) -> str:
        """Return a phrase for what is the reader's: `your hand`."""
        return f"your {stem(noun)}"

    def with_label(self, noun: Noun, label: Noun) -> Noun:
        """Return a noun told apart by a label: `the red plant`."""
        if label.article == NO_ARTICLE:
            return titled(noun, label, ": ")
        singular, plural = (f"{label.one} {form}" for form in (noun.one, noun.many))
        return Noun(singular, plural, noun.gender, NO_ARTICLE if noun.article == NO_ARTICLE else "", plural=noun.plural)

    def article_before_cell(self, noun: Noun) -> str:
        """Return the article of a noun that a cell follows: `board a1` is a name."""
        del noun
        return NO_ARTICLE

    def verb(self, verb: str, subject: Phrase) -> str:
        """Return the verb without -s after `you` or a plural, unchanged otherwise."""
        first, _, rest = verb.partition(" ")
        if subject.many or subject.person == "you":
            first = self.texts("prose")["verbs"].get(first) or _without_s(first)
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

    def elided(self, text: str) -> str:
        """Correct `a` before vowels to `an`, and the spacing."""
        return ARTICLE.sub(lambda m: f"{m[1]}n ", super().elided(text).replace("an other ", "another "))


def _without_s(verb: str) -> str:
    """Return a verb's plural form from its third person singular: `carries` becomes `carry`."""
    if verb.endswith("ies") and len(verb) > 4:
        return verb[:-3] + "y"
    if verb.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return verb[:-2]
    return verb[:-1] if verb.endswith("s") and not verb.endswith("ss") else verb
