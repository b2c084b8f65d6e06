"""What is asked of a language: its texts, plurals, articles, agreement, lists; how templates are filled.

Enters: a template, nouns with their forms, phrases. Leaves: text such as `a card`, `de l'énergie`, `2 cartes`, `a, b
and c`. In a template of prose `{x}` stands for a phrase, `[draws]` for a verb that agrees with the phrase before it
(`you draw`; in a command the subject is left out), `{x.e}` for an ending that an adjective takes from it (`ending`),
`{n:card}` (in the sentences of rulesets) for so many cards; elsewhere `{count:card|cards}` is the form for that number.
"""

from __future__ import annotations

import re
import sys
import tomllib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

from rulelang.diagnostics import UsageError

NO_ARTICLE = "none"
"""As a noun's article: it is a name, and takes none."""

TOKEN = re.compile(r"\{(\w+)(?:\.(\w))?(?::(\w+))?\}|\[([^\]]+)\]")


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


@dataclass(frozen=True)
class Phrase:
    """Words with what must be known to fit them into a sentence.

    `person`: `you`, `it` (anything else), `pronoun` (it stands for something named before) or `whose` (it begins a
    relative clause). `plain`: it is short, so that English puts `'s` after it. `silent`: it is left out as a subject, a
    command.
    """

    text: str
    gender: str = "m"
    many: bool = False
    person: str = "it"
    plain: bool = True
    silent: bool = False

    def __str__(self) -> str:
        return self.text


OPTIONAL = ("syntax",)
"""Files that a language may do without."""


@cache
def _texts(module: str, room: str) -> dict[str, Any]:
    file = Path(sys.modules[module].__file__ or "").with_name(f"{room}.toml")
    if room in OPTIONAL and not file.exists():
        return {}
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} is no TOML: {error}") from None


@cache
def _nouns(module: str, room: str) -> dict[str, Noun]:
    return {name: Noun(**forms) for name, forms in _texts(module, room)["nouns"].items()}


class _Forms(Formatter):
    """Fills templates of a language: `{count:card|cards}` is the form that stands after this number."""

    def __init__(self, is_many: Callable[[int], bool]) -> None:
        self._is_many = is_many

    def format_field(self, value: Any, format_spec: str) -> Any:
        """Return a field as text, or the form that a number asks for."""
        one, several, many = format_spec.partition("|")
        if not several:
            return super().format_field(value, format_spec)
        return many if self._is_many(value) else one


class Language(ABC):
    """A language. What most languages do alike stands here; its own class has the rest.

    Attributes:
        conjunctions: `and` and `or` -> their words. called: what people call the language, where its code is asked for.
        has_identifiers: whether names in rules are words of it.
    """

    conjunctions: Mapping[str, str]
    called = ""
    has_identifiers = False

    def __init__(self, code: str) -> None:
        self.code = code

    def texts(self, room: str) -> dict[str, Any]:
        """Return the texts of a file of the language, such as `web`: name -> text, or a table such as `commands`.

        Raises:
            UsageError: the file is no TOML.
        """
        return _texts(type(self).__module__, room)

    def nouns(self, room: str) -> dict[str, Noun]:
        """Return what the engine itself names: kinds of values, scopes, its own questions."""
        return _nouns(type(self).__module__, room)

    def filled(self, template: str, /, **fields: object) -> str:
        """Return a template with its fields; of `{count:card|cards}` the form for that number."""
        return _Forms(self.is_many).vformat(template, (), fields) if "|" in template else template.format(**fields)

    # ---- nouns

    @abstractmethod
    def plural(self, phrase: str) -> str:
        """Return the regular plural of a noun with what stands by it."""

    def singular(self, phrase: str) -> str:
        """Return the singular of a noun that looks like a plural; nothing of one that does not."""
        del phrase
        return ""

    def is_many(self, count: int) -> bool:
        """Return whether a number takes the plural."""
        return abs(count) != 1

    def form(self, noun: Noun, count: int) -> str:
        """Return the noun as it stands after a number."""
        return stem(noun, self.is_many(count))

    def gender(self, noun: Noun, person: bool) -> str:
        """Return the gender of the pronoun for a noun; `person`: it is a player."""
        del person
        return noun.gender or "m"

    @abstractmethod
    def a(self, noun: Noun) -> str:
        """Put the indefinite article before a noun."""

    @abstractmethod
    def none(self, noun: Noun) -> str:
        """Return a noun of which there is none: `no card`."""

    @abstractmethod
    def the(self, noun: Noun, count: int = 1) -> str:
        """Put the definite article before a noun."""

    @abstractmethod
    def that(self, noun: Noun, many: bool) -> str:
        """Put the demonstrative before a noun: `that card`, `those cards`."""

    @abstractmethod
    def of(self, phrase: str) -> str:
        """Put `of` before a phrase, contracted with its article where the language does so."""

    def from_(self, phrase: str) -> str:
        """Put `from` before a phrase."""
        return self.of(phrase)

    @abstractmethod
    def to(self, phrase: str) -> str:
        """Put `to` before a phrase."""

    @abstractmethod
    def your(self, noun: Noun) -> str:
        """Return a phrase for what is the reader's: `your hand`."""

    def owned(self, noun: Noun, owner: Noun) -> str:
        """Return a phrase for what is somebody's: `seat 1's hand`."""
        return f"{self.the(noun)} {self.of(self.the(owner))}"

    def numbered(self, noun: Noun, number: int) -> Noun:
        """Return a noun with a number that tells it from others: `seat 1`."""
        return replace(noun, one=f"{noun.one} {number}", many=f"{noun.many} {number}", feminine="", plural=False)

    @abstractmethod
    def with_label(self, noun: Noun, label: Noun) -> Noun:
        """Return a noun told apart by a label: `the red plant`."""

    def row_article(self, article: str, numbered: bool) -> str:
        """Return the article of a row that its kind has a text for: `card 7` is a name."""
        del numbered
        return article

    def article_before_cell(self, noun: Noun) -> str:
        """Return the article of a noun that a cell follows: `board a1` is a name."""
        return noun.article

    def joined(self, parts: Sequence[str], word: str = "and") -> str:
        """Return a list: `a, b and c`."""
        return f"{', '.join(parts[:-1])} {self.conjunctions[word]} {parts[-1]}" if len(parts) > 1 else "".join(parts)

    # ---- sentences

    @abstractmethod
    def verb(self, verb: str, subject: Phrase) -> str:
        """Return a verb, given in the third person singular, as it agrees with a subject."""

    @abstractmethod
    def possessed(self, owner: Phrase, thing: Noun) -> Phrase:
        """Return the phrase of a noun that an owner has: `your hand`, `la main de ce joueur`."""

    def agreeing(self, adjective: Noun, subject: Phrase) -> str:
        """Return an adjective as it agrees with a subject."""
        del subject
        return adjective.one

    def ending(self, phrase: Phrase, name: str) -> str:
        """Return the ending `{x.NAME}` that an adjective takes from a phrase; none where they don't agree."""
        del phrase, name
        return ""

    def phrase(self, text: str) -> Phrase:
        """Return a text as a phrase, its number and gender read from its article."""
        return Phrase(text, plain=False)

    def elided(self, text: str) -> str:
        """Apply the spelling rules that span words, such as elision, to a text."""
        return re.sub(r" ([,;.)])", r"\1", re.sub(r" {2,}", " ", text)).rstrip(" ")

    def fill(self, template: str, fields: Mapping[str, Phrase], counted: Callable[[str, str], str]) -> str:
        """Fill a template, with verbs agreeing; `counted` formats a field that counts a noun.

        A silent subject is omitted, so that the verb after it becomes a command.
        """
        subject = Phrase("")

        def token(match: re.Match[str]) -> str:
            """Return the replacement of a field or verb of the template."""
            nonlocal subject
            name, ending, unit, verb = match.groups()
            if verb is not None:
                return self.verb(verb, subject)
            phrase = fields[name]
            if ending is not None:
                return self.ending(phrase, ending)
            subject = phrase
            if phrase.silent and template.startswith(f"{{{name}}} [") and match.start() == 0:
                return ""
            if unit is not None:
                return counted(phrase.text, unit)
            return phrase.text

        text = TOKEN.sub(token, template)
        return self.elided(text.lstrip(" ") if template.startswith("{") else text)


def sentence(text: str) -> str:
    """Return a clause as a sentence, with capital letter and full stop."""
    text = text.strip()
    if not text:
        return ""
    first = next((i for i, letter in enumerate(text) if letter.isalnum()), 0)
    if first <= 2:
        text = text[:first] + text[first].upper() + text[first + 1 :]
    return text if text.endswith((".", "!", "?")) else f"{text}."


def spoken_to(phrase: Phrase) -> Phrase:
    """Return the phrase as a silent subject of a command if it is `you`, unchanged otherwise."""
    return replace(phrase, silent=phrase.person == "you")


def bare(noun: Noun, *, plain: bool = True) -> Phrase:
    """Return the noun as a phrase without article."""
    return Phrase(noun.one, noun.gender or "m", plain=plain)


def settled(phrase: Phrase) -> Phrase:
    """Return the phrase in a form that is never the silent subject of a command."""
    return replace(phrase, silent=False)


def titled(noun: Noun, label: Noun, between: str) -> Noun:
    """Return a noun told apart by a name after it; `between` stands before a name that is no number."""
    between = " " if any(letter.isdigit() for letter in label.one) else between
    singular, plural = (f"{form}{between}{label.one}" for form in (noun.one, noun.many))
    return Noun(singular, plural, noun.gender, noun.article, plural=noun.plural)


def stem(noun: Noun, many: bool = False) -> str:
    """Return a noun without article."""
    return noun.many if many or noun.plural else noun.one


def singular_of_s(phrase: str, head: str) -> str:
    """Return a phrase without its plural -s; nothing if no word of its head ends so. That of several words is kept."""
    if not any(word.endswith("s") and not word.endswith(("ss", "us", "is")) for word in head.split(" ")):
        return ""
    return phrase if " " in phrase else phrase[:-1]
