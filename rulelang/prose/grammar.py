"""Filling templates: verbs agree with their subject, and the seams between words are mended.

Enters: a template, phrases. Leaves: text. In a template `{x}` stands for a phrase, `[draws]` for a verb that agrees
with the phrase before it (`you draw`; in a command the subject is left out), `{x.e}` and `{x.s}` for the endings that a
French adjective takes from it, `{n:card}` (in the sentences of rulesets) for so many cards.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from rulelang.resources import room_data
from rulelang.words.languages import Noun

TOKEN = re.compile(r"\{(\w+)(?:\.(\w))?(?::(\w+))?\}|\[([^\]]+)\]")


@dataclass(frozen=True)
class Phrase:
    """Words with what must be known to fit them into a sentence.

    `person`: `you`, `it` (anything else), `pronoun` (it stands for something named before) or `whose` (it begins a
    relative clause). `plain`: English can put `'s` after it. `silent`: it is left out as a subject, a command.
    """

    text: str
    gender: str = "m"
    many: bool = False
    person: str = "it"
    plain: bool = True
    silent: bool = False

    @property
    def e(self) -> str:
        """The feminine ending of an adjective: `e` or empty."""
        return "e" if self.gender == "f" else ""

    @property
    def s(self) -> str:
        """The plural ending of an adjective: `s` or empty."""
        return "s" if self.many else ""

    def __str__(self) -> str:
        return self.text


def language_data(name: str) -> tuple[dict[str, str], dict[str, Noun], dict[str, Any]]:
    """Load the templates, engine nouns and irregular verbs of a language."""
    data = room_data("prose", name)
    return data["templates"], {key: Noun(**forms) for key, forms in data["nouns"].items()}, data["verbs"]


class Grammar:
    """What sentences need of a language beyond its nouns."""

    templates: Mapping[str, str]
    nouns: Mapping[str, Noun]
    verbs: Mapping[str, Any]

    def verb(self, verb: str, subject: Phrase) -> str:
        """Return a verb, given in the third person singular, as it agrees with a subject."""
        raise NotImplementedError

    def possessed(self, owner: Phrase, thing: Noun) -> Phrase:
        """Return the phrase of a noun that an owner has: `your hand`, `la main de ce joueur`."""
        raise NotImplementedError

    def polish(self, text: str) -> str:
        """Apply the spelling rules that span words, such as elision, to a text."""
        raise NotImplementedError

    def agreeing(self, adjective: Noun, subject: Phrase) -> str:
        """Return an adjective as it agrees with a subject."""
        raise NotImplementedError

    def phrase(self, text: str) -> Phrase:
        """Return a text as a phrase, its number and gender read from its article."""
        raise NotImplementedError

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
                return str(getattr(phrase, ending))
            subject = phrase
            if phrase.silent and template.startswith(f"{{{name}}} [") and match.start() == 0:
                return ""
            if unit is not None:
                return counted(phrase.text, unit)
            return phrase.text

        text = TOKEN.sub(token, template)
        return self.polish(text.lstrip(" ") if template.startswith("{") else text)


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
