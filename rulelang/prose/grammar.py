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
        """The feminine ending of an adjective."""
        return "e" if self.gender == "f" else ""

    @property
    def s(self) -> str:
        """The plural ending of an adjective."""
        return "s" if self.many else ""

    def __str__(self) -> str:
        return self.text


def language_data(name: str) -> tuple[dict[str, str], dict[str, Noun], dict[str, Any]]:
    """Read the file of a language: its templates, the nouns of the engine, irregular verbs."""
    data = room_data("prose", name)
    return data["templates"], {key: Noun(**forms) for key, forms in data["nouns"].items()}, data["verbs"]


class Grammar:
    """What sentences need of a language beyond its nouns."""

    templates: Mapping[str, str]
    nouns: Mapping[str, Noun]
    verbs: Mapping[str, Any]

    def verb(self, verb: str, subject: Phrase) -> str:
        """Return a verb, given as for `it`, as it stands after a subject."""
        raise NotImplementedError

    def possessed(self, owner: Phrase, thing: Noun) -> Phrase:
        """Return the thing of an owner: `your hand`, `la main de ce joueur`."""
        raise NotImplementedError

    def polish(self, text: str) -> str:
        """Return the seams between words mended."""
        raise NotImplementedError

    def agreeing(self, adjective: Noun, subject: Phrase) -> str:
        """Return an adjective in the form that its noun asks for."""
        raise NotImplementedError

    def phrase(self, text: str) -> Phrase:
        """Return a phrase whose number and gender its own article tells."""
        raise NotImplementedError

    def fill(self, template: str, fields: Mapping[str, Phrase], counted: Callable[[str, str], str]) -> str:
        """Return the template with its fields; `counted` says so many of a noun. The first verb after a silent subject
        is a command, and the subject is left out."""
        subject = Phrase("")

        def token(match: re.Match[str]) -> str:
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
    """Return a clause as a sentence of its own."""
    text = text.strip()
    if not text:
        return ""
    first = next((i for i, letter in enumerate(text) if letter.isalnum()), 0)
    if first <= 2:
        text = text[:first] + text[first].upper() + text[first + 1 :]
    return text if text.endswith((".", "!", "?")) else f"{text}."


def spoken_to(phrase: Phrase) -> Phrase:
    """Return the phrase as the subject of a command, if it is the one who is spoken to."""
    return replace(phrase, silent=phrase.person == "you")


def bare(noun: Noun, *, plain: bool = True) -> Phrase:
    """Return a noun without its article."""
    return Phrase(noun.one, noun.gender or "m", plain=plain)


def settled(phrase: Phrase) -> Phrase:
    """Return the phrase as it is said where it is no subject of a command."""
    return replace(phrase, silent=False)
