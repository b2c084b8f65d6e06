"""French: how verbs, possessives and elisions go; templates, nouns and irregular verbs are in `french.toml`."""

from __future__ import annotations

import re

from rulelang.prose.grammar import Grammar, Phrase, language_data
from rulelang.words.languages import French, Noun

_GRAVE = re.compile(r"è(?=[^aeiouyéèê]+$)")
_MUTE = ("achèt", "lèv", "mèn", "pès", "gèl", "sèm", "crèv", "modèl", "pèl", "harcèl")
"""How stems end whose vowel is mute where it is not stressed; that of the others becomes é."""
_NOUNS = French()
_SUBJECTS = re.compile(r"^(ne |n'|se |s')?(.*)$")


class FrenchGrammar(Grammar):
    """French."""

    templates, nouns, verbs = language_data("french")

    def verb(self, verb: str, subject: Phrase) -> str:
        """Return the verb agreeing with its subject: -ez after `vous`, -ent after a plural."""
        match = _SUBJECTS.match(verb)
        assert match is not None
        before, (first, _, rest) = match[1] or "", match[2].partition(" ")
        if subject.many or subject.person == "you":
            several = subject.many and subject.person != "you"
            first = self.verbs[first][several] if first in self.verbs else _form(first, several)
            if subject.person == "you" and before.startswith("s"):
                before = "vous "
            if before == "n'" and not _NOUNS.elides(first):
                before = "ne "
        return f"{before}{first} {rest}" if rest else before + first

    def possessed(self, owner: Phrase, thing: Noun) -> Phrase:
        """Return a possessed noun: `votre main`, `son énergie`, `dont la main`, `la main de ce joueur`."""
        many = thing.plural
        name = thing.many if many else thing.one
        gender = thing.gender or "m"
        if owner.person == "you":
            return Phrase(f"{'vos' if many else 'votre'} {name}", gender, many)
        the = _NOUNS.the(thing, 2 if many else 1)
        if owner.person == "pronoun":
            if owner.many:
                return Phrase(f"{'leurs' if many else 'leur'} {name}", gender, many)
            feminine = gender == "f" and not the.startswith("l'")
            return Phrase(f"{'ses' if many else 'sa' if feminine else 'son'} {name}", gender, many)
        if owner.person == "whose":
            rest = owner.text.removeprefix("qui").removeprefix("dont ")
            return Phrase(f"dont {the} de {rest}" if rest else f"dont {the}", gender, many)
        if owner.text.startswith("dont "):
            return Phrase(self.polish(f"dont {the} de {owner.text.removeprefix('dont ')}"), gender, many)
        return Phrase(self.polish(f"{the} de {owner.text}"), gender, many, plain=owner.plain)

    def agreeing(self, adjective: Noun, subject: Phrase) -> str:
        """Return the adjective agreeing with its subject: -e and -s, or the ruleset's own forms."""
        word = adjective.one
        if subject.gender == "f":
            word = adjective.feminine or (word if word.endswith("e") else f"{word}e")
        return f"{word}s" if subject.many and not word.endswith(("s", "x")) else word

    def phrase(self, text: str) -> Phrase:
        """Return a text as a phrase with the gender and number of its article."""
        return Phrase(text, "f" if text.startswith(("la ", "une ")) else "m", text.startswith(("les ", "des ")))

    def polish(self, text: str) -> str:
        """Contract and elide: `de le` to `du`, `que il` to `qu'il`; put no-break spaces before `:` and `;`."""
        text = re.sub(r" {2,}", " ", text)
        for article, contracted in (
            ("de le ", "du "), ("de les ", "des "), ("à le ", "au "), ("à les ", "aux "), ("de des ", "de ")
        ):  # fmt: skip
            text = re.sub(rf"\b{article}", contracted, text)
        text = re.sub(r"\bsi (?=ils?\b)", "s'", text)
        text = re.sub(r"\b([Dd]e|[Qq]ue|[Jj]usque|lorsque|ne|se) (?=(\w+))", _elided, text)
        text = re.sub(r" ?([,.)])(?!\w)", r"\1", text)
        text = re.sub(r"[ \u00a0]*([:;])(?=\s|$)", "\u00a0\\1", text)
        return text.rstrip(" ")


def _elided(match: re.Match[str]) -> str:
    """Return a regex match with its final vowel elided, if the next word requires it."""
    following = match[2]
    if following[:1].isdigit() or not _NOUNS.elides(following):
        return match[0]
    return f"{match[1][:-1]}'"


def _unstressed(stem: str) -> str:
    """Return a verb stem before a stressed ending: `récupèr-` becomes `récupér-`, `achèt-` `achet-`."""
    match = _GRAVE.search(stem)
    if match is None:
        return stem
    vowel = "e" if stem.endswith(_MUTE) else "é"
    return f"{stem[: match.start()]}{vowel}{stem[match.start() + 1 :]}"


def _form(verb: str, several: bool) -> str:
    """Return a present-tense verb after `vous` or, if `several`, after `ils`."""
    if verb.endswith("e"):
        return verb + "nt" if several else _unstressed(verb[:-1]) + "ez"
    return verb
