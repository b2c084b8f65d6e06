"""French: plurals, articles, agreement, verbs, possessives and elisions."""

from __future__ import annotations

import re
import unicodedata

from rulelang.languages.grammar import NO_ARTICLE, Language, Noun, Phrase, singular_of_s, stem, titled

_GRAVE = re.compile(r"è(?=[^aeiouyéèê]+$)")
_MUTE = ("achèt", "lèv", "mèn", "pès", "gèl", "sèm", "crèv", "modèl", "pèl", "harcèl")
"""How stems end whose vowel is mute where it is not stressed; that of the others becomes é."""
_SUBJECTS = re.compile(r"^(ne |n'|se |s')?(.*)$")


class Grammar(Language):
    """French."""

    conjunctions = {"and": "et", "or": "ou"}  # noqa: RUF012 - never written to
    called = "french francais français französisch"
    # What begins with a vowel and is not elided before, beside aspirated h, which only the noun's `article` can tell.
    _full = ("onz", "oui")
    _prepositions = frozenset("de du des à au aux en pour sans avec sur sous par dans contre".split())
    _with_s = ("bleu", "pneu", "landau", "bal", "carnaval", "festival", "chacal", "récital", "régal")

    def singular(self, phrase: str) -> str:
        """Return the singular of a noun whose first word ends in -s."""
        return singular_of_s(phrase, phrase.partition(" ")[0])

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
            return stem(noun)
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

    def that(self, noun: Noun, many: bool) -> str:
        """Put the demonstrative before a noun: `cette carte`, `cet objet`."""
        if many:
            return f"ces {noun.many}"
        masculine = "cet" if self.the(noun).startswith("l'") else "ce"
        return f"{'cette' if noun.gender == 'f' else masculine} {noun.one}"

    def of(self, phrase: str) -> str:
        """Put `de` before a phrase, contracted with its article or elided."""
        return self._contracted(phrase, "du ", "des ") or (f"d'{phrase}" if self.elides(phrase) else f"de {phrase}")

    def to(self, phrase: str) -> str:
        """Return a phrase with its article after `à`, contracted."""
        return self._contracted(phrase, "au ", "aux ") or f"à {phrase}"

    def _contracted(self, phrase: str, with_le: str, with_les: str) -> str:
        if phrase.startswith("les "):
            return with_les + phrase.removeprefix("les ")
        return with_le + phrase.removeprefix("le ") if phrase.startswith("le ") else ""

    def your(self, noun: Noun) -> str:
        """Return a phrase for what is the reader's: `votre main`."""
        return f"{'vos' if noun.plural else 'votre'} {stem(noun)}"

    def with_label(self, noun: Noun, label: Noun) -> Noun:
        """Return a noun told apart by a label, which agrees if it is an adjective: `la carte verte`."""
        if label.article == NO_ARTICLE:
            return titled(noun, label, "\u00a0: ")
        singular, plural = label.one, label.one
        if label.feminine:
            feminine = self.feminine(noun)
            singular = label.feminine if feminine else label.one
            plural = self.plural(label.feminine) if feminine else label.many
        return Noun(f"{noun.one} {singular}", f"{noun.many} {plural}", noun.gender, noun.article, plural=noun.plural)

    def verb(self, verb: str, subject: Phrase) -> str:
        """Return the verb agreeing with its subject: -ez after `vous`, -ent after a plural."""
        match = _SUBJECTS.match(verb)
        assert match is not None
        before, (first, _, rest) = match[1] or "", match[2].partition(" ")
        if subject.many or subject.person == "you":
            several = subject.many and subject.person != "you"
            irregular = self.texts("prose")["verbs"].get(first)
            first = irregular[several] if irregular else _form(first, several)
            if subject.person == "you" and before.startswith("s"):
                before = "vous "
            if before == "n'" and not self.elides(first):
                before = "ne "
        return f"{before}{first} {rest}" if rest else before + first

    def possessed(self, owner: Phrase, thing: Noun) -> Phrase:
        """Return a possessed noun: `votre main`, `son énergie`, `dont la main`, `la main de ce joueur`."""
        many = thing.plural
        name = thing.many if many else thing.one
        gender = thing.gender or "m"
        if owner.person == "you":
            return Phrase(f"{'vos' if many else 'votre'} {name}", gender, many)
        the = self.the(thing, 2 if many else 1)
        if owner.person == "pronoun":
            if owner.many:
                return Phrase(f"{'leurs' if many else 'leur'} {name}", gender, many)
            feminine = gender == "f" and not the.startswith("l'")
            return Phrase(f"{'ses' if many else 'sa' if feminine else 'son'} {name}", gender, many)
        if owner.person == "whose":
            rest = owner.text.removeprefix("qui").removeprefix("dont ")
            return Phrase(f"dont {the} de {rest}" if rest else f"dont {the}", gender, many)
        if owner.text.startswith("dont "):
            return Phrase(self.elided(f"dont {the} de {owner.text.removeprefix('dont ')}"), gender, many)
        return Phrase(self.elided(f"{the} de {owner.text}"), gender, many, plain=owner.plain)

    def agreeing(self, adjective: Noun, subject: Phrase) -> str:
        """Return the adjective agreeing with its subject: -e and -s, or the ruleset's own forms."""
        word = adjective.one
        if subject.gender == "f":
            word = adjective.feminine or (word if word.endswith("e") else f"{word}e")
        return f"{word}s" if subject.many and not word.endswith(("s", "x")) else word

    def ending(self, phrase: Phrase, name: str) -> str:
        """Return the ending of the feminine (`e`) or of the plural (`s`), or nothing."""
        return name if (phrase.gender == "f" if name == "e" else phrase.many) else ""

    def phrase(self, text: str) -> Phrase:
        """Return a text as a phrase with the gender and number of its article."""
        return Phrase(text, "f" if text.startswith(("la ", "une ")) else "m", text.startswith(("les ", "des ")))

    def elided(self, text: str) -> str:
        """Contract and elide: `de le` to `du`, `que il` to `qu'il`; put no-break spaces before `:` and `;`."""
        text = re.sub(r" {2,}", " ", text)
        for article, contracted in (
            ("de le ", "du "), ("de les ", "des "), ("à le ", "au "), ("à les ", "aux "), ("de des ", "de ")
        ):  # fmt: skip
            text = re.sub(rf"\b{article}", contracted, text)
        text = re.sub(r"\bsi (?=ils?\b)", "s'", text)
        text = re.sub(r"\b([Dd]e|[Qq]ue|[Jj]usque|lorsque|ne|se) (?=(\w+))", self._shortened, text)
        text = re.sub(r" ?([,.)])(?!\w)", r"\1", text)
        text = re.sub(r"[ \u00a0]*([:;])(?=\s|$)", "\u00a0\\1", text)
        return text.rstrip(" ")

    def _shortened(self, match: re.Match[str]) -> str:
        """Return a regex match with its final vowel elided, if the next word requires it."""
        following = match[2]
        return match[0] if following[:1].isdigit() or not self.elides(following) else f"{match[1][:-1]}'"


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
