"""What a language must know to put nouns into sentences: plurals, articles, agreement, lists.

Enters: nouns with their forms. Leaves: phrases such as `a card`, `de l'énergie`, `2 cartes`, `a, b and c`. Only what
can't be said with a template stands here; the sentences are in `rulelang.words.templates`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

NO_ARTICLE = "none"
"""As a noun's article: it is a name, and takes none."""


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun. `gender`: `m`, `f` or empty; `article` overrides what its first letters ask for.

    `feminine` makes it an adjective, which agrees with the noun that it stands by. `plural`: there is no singular.
    """

    one: str
    many: str
    gender: str = ""
    article: str = ""
    feminine: str = ""
    plural: bool = False


def _titled(noun: Noun, label: Noun, between: str) -> Noun:
    """Return a noun told apart by a name after it."""
    singular, plural = (f"{form}{between}{label.one}" for form in (noun.one, noun.many))
    return Noun(singular, plural, noun.gender, noun.article, plural=noun.plural)


def _phrase(noun: Noun, many: bool) -> str:
    return noun.many if many or noun.plural else noun.one


class _Language:
    """The grammar of a language: plurals, articles, conjunctions."""

    conjunctions: Mapping[str, str]

    def is_many(self, count: int) -> bool:
        """Return whether a number takes the plural."""
        raise NotImplementedError

    def form(self, noun: Noun, count: int) -> str:
        """Return the noun as it stands after a number."""
        return _phrase(noun, self.is_many(count))

    def joined(self, parts: Sequence[str], word: str = "and") -> str:
        """Return a list: `a, b and c`."""
        return f"{', '.join(parts[:-1])} {self.conjunctions[word]} {parts[-1]}" if len(parts) > 1 else "".join(parts)


class English(_Language):
    """English."""

    code = "en"
    conjunctions = {"and": "and", "or": "or"}  # noqa: RUF012 - never written to
    _an = ("hour", "honest", "heir", "honour", "honor", "8", "11", "18")
    _a = ("uni", "use", "usu", "eu", "one", "ubiq", "unanim", "ewe")

    def plural(self, phrase: str) -> str:
        """Return the regular plural: of `cup of tea` it is `cups of tea`."""
        head, of, rest = phrase.partition(" of ")
        lower = head.lower()
        if lower.endswith(("s", "x", "z", "ch", "sh")):
            head += "es"
        elif lower.endswith("y") and lower[-2:-1] not in set("aeiou "):
            head = head[:-1] + "ies"
        else:
            head += "s"
        return head + of + rest

    def is_many(self, count: int) -> bool:
        """Return whether so many ask for the plural."""
        return abs(count) != 1

    def a(self, noun: Noun) -> str:
        """Put the indefinite article before a noun."""
        if noun.article == NO_ARTICLE or noun.plural:
            return _phrase(noun, False)
        start = noun.one.lower()
        vowel = start.startswith(self._an) or (start[:1] in set("aeiou") and not start.startswith(self._a))
        return f"{noun.article or ('an' if vowel else 'a')} {noun.one}"

    def none(self, noun: Noun) -> str:
        """Return a noun of which there is none: `no card`."""
        return f"no {_phrase(noun, False)}"

    def the(self, noun: Noun, count: int = 1) -> str:
        """Put the definite article before a noun."""
        return self.form(noun, count) if noun.article == NO_ARTICLE else f"the {self.form(noun, count)}"

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
        return f"{self.the(owner)}'s {_phrase(noun, False)}"

    def your(self, noun: Noun) -> str:
        """Return a phrase for what is the reader's: `your hand`."""
        return f"your {_phrase(noun, False)}"

    def with_label(self, noun: Noun, label: Noun) -> Noun:
        """Return a noun told apart by a label: `the red plant`."""
        if label.article == NO_ARTICLE:
            return _titled(noun, label, ": ")
        singular, plural = (f"{label.one} {form}" for form in (noun.one, noun.many))
        return Noun(singular, plural, noun.gender, NO_ARTICLE if noun.article == NO_ARTICLE else "", plural=noun.plural)

    def article_before_cell(self, noun: Noun) -> str:
        """Return the article of a noun that a cell follows: `board a1` is a name."""
        del noun
        return NO_ARTICLE


class French(_Language):
    """French."""

    code = "fr"
    conjunctions = {"and": "et", "or": "ou"}  # noqa: RUF012 - never written to
    # What begins with a vowel and is not elided before, beside aspirated h, which only the noun's `article` can tell.
    _full = ("onz", "oui")
    _prepositions = frozenset("de du des à au aux en pour sans avec sur sous par dans contre".split())
    _with_s = ("bleu", "pneu", "landau", "bal", "carnaval", "festival", "chacal", "récital", "régal")

    def plural(self, phrase: str) -> str:
        """Return the regular plural of a noun and its adjectives: of `carte rouge de tri` it is `cartes rouges de
        tri`."""
        words = phrase.split(" ")
        for number, word in enumerate(words):
            if number and (word.lower() in self._prepositions or word.lower().startswith(("d'", "d’"))):
                break
            words[number] = self._plural_word(word)
        return " ".join(words)

    def _plural_word(self, word: str) -> str:
        """Return the plural of a word by the rules for endings; words in `_with_s` are exceptions."""
        lower = word.lower()
        if not word[-1:].isalpha() or lower.endswith(("s", "x", "z")):
            return word
        if lower not in self._with_s:
            if lower.endswith(("au", "eu")):
                return word + "x"
            if lower.endswith("al"):
                return word[:-2] + "aux"
        return word + "s"

    def is_many(self, count: int) -> bool:
        """Return whether so many ask for the plural: from two on."""
        return abs(count) >= 2

    def elides(self, phrase: str) -> bool:
        """Return whether `le`, `la` and `de` lose their vowel before it: before a vowel or an h, taken as mute."""
        lower = phrase.lower()
        if lower.startswith(self._full) or any(letter.isdecimal() for letter in lower.partition(" ")[0]):
            return False
        first = unicodedata.normalize("NFD", lower[:1])[:1]
        return first in set("aeiouhœæ") and first != ""

    def _elided(self, noun: Noun) -> bool:
        return noun.article == "l'" or (noun.article not in ("le", "la") and self.elides(noun.one))

    def feminine(self, noun: Noun) -> bool:
        """Return whether the noun is feminine."""
        return noun.gender == "f" or noun.article == "la"

    def a(self, noun: Noun) -> str:
        """Put the indefinite article before a noun."""
        if noun.article == NO_ARTICLE:
            return _phrase(noun, False)
        if noun.plural:
            return f"des {noun.many}"
        return f"{'une' if self.feminine(noun) else 'un'} {noun.one}"

    def none(self, noun: Noun) -> str:
        """Return a noun of which there is none: `aucune carte`."""
        return f"{'aucune' if self.feminine(noun) else 'aucun'} {noun.one}"

    def the(self, noun: Noun, count: int = 1) -> str:
        """Put the definite article before a noun."""
        phrase = self.form(noun, count)
        if noun.article == NO_ARTICLE:
            return phrase
        if noun.plural or self.is_many(count):
            return f"les {phrase}"
        return f"l'{phrase}" if self._elided(noun) else f"{'la' if self.feminine(noun) else 'le'} {phrase}"

    def of(self, phrase: str) -> str:
        """Put `de` before a phrase, contracted with its article or elided."""
        return self._contracted(phrase, "du ", "des ") or (f"d'{phrase}" if self.elides(phrase) else f"de {phrase}")

    def row_article(self, article: str, numbered: bool) -> str:
        """Return the article of a row that its kind has a text for: `la carte 7`."""
        del numbered
        return article

    def from_(self, phrase: str) -> str:
        """Return a phrase with its article after `de`, contracted."""
        return self.of(phrase)

    def to(self, phrase: str) -> str:
        """Return a phrase with its article after `à`, contracted."""
        return self._contracted(phrase, "au ", "aux ") or f"à {phrase}"

    def _contracted(self, phrase: str, with_le: str, with_les: str) -> str:
        if phrase.startswith("les "):
            return with_les + phrase.removeprefix("les ")
        return with_le + phrase.removeprefix("le ") if phrase.startswith("le ") else ""

    def numbered(self, noun: Noun, number: int) -> Noun:
        """Return a noun with a number that tells it from others: `joueur 1`."""
        return Noun(f"{noun.one} {number}", f"{noun.many} {number}", noun.gender, noun.article)

    def owned(self, noun: Noun, owner: Noun) -> str:
        """Return a phrase for what is somebody's: `la main du joueur 1`."""
        return f"{self.the(noun)} {self.of(self.the(owner))}"

    def your(self, noun: Noun) -> str:
        """Return a phrase for what is the reader's: `votre main`."""
        return f"{'vos' if noun.plural else 'votre'} {_phrase(noun, False)}"

    def with_label(self, noun: Noun, label: Noun) -> Noun:
        """Return a noun told apart by a label, which agrees if it is an adjective: `la carte verte`."""
        if label.article == NO_ARTICLE:
            return _titled(noun, label, "\u00a0: ")
        singular, plural = label.one, label.one
        if label.feminine:
            feminine = self.feminine(noun)
            singular = label.feminine if feminine else label.one
            plural = self.plural(label.feminine) if feminine else label.many
        return Noun(f"{noun.one} {singular}", f"{noun.many} {plural}", noun.gender, noun.article, plural=noun.plural)

    def article_before_cell(self, noun: Noun) -> str:
        """Return the article of a noun that a cell follows: `le plateau a1`, as without the cell."""
        return noun.article


Language = English | French

LANGUAGES: dict[str, Language] = {"en": English(), "fr": French()}
"""The languages whose grammar is known."""


def language(lang: str) -> Language:
    """Return the grammar for a language code; of a language that is not known, the English one."""
    return LANGUAGES.get(lang) or LANGUAGES.get(lang.partition("-")[0]) or LANGUAGES["en"]
