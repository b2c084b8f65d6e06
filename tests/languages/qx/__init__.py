"""A language that nobody speaks: no genders, no irregular verbs, all in Greek letters."""

from __future__ import annotations

from rulelang.languages import Language, Noun, Phrase
from rulelang.languages.grammar import stem


class Grammar(Language):
    """A plural ends in -ι, the article is ο or οι."""

    conjunctions = {"and": "και", "or": "η"}  # noqa: RUF012 - never written to
    called = "greekish"

    def plural(self, phrase: str) -> str:
        """Add -ι."""
        return f"{phrase}ι"

    def a(self, noun: Noun) -> str:
        """Put no article."""
        return stem(noun)

    def none(self, noun: Noun) -> str:
        """Put `ουδε`."""
        return f"ουδε {noun.one}"

    def the(self, noun: Noun, count: int = 1) -> str:
        """Put `ο` or `οι`."""
        return f"{'οι' if self.is_many(count) else 'ο'} {self.form(noun, count)}"

    def that(self, noun: Noun, many: bool) -> str:
        """Put `τουτο`."""
        return f"τουτο {stem(noun, many)}"

    def of(self, phrase: str) -> str:
        """Put `του`."""
        return f"του {phrase}"

    def to(self, phrase: str) -> str:
        """Put `προς`."""
        return f"προς {phrase}"

    def your(self, noun: Noun) -> str:
        """Put `σου`."""
        return f"{stem(noun)} σου"

    def with_label(self, noun: Noun, label: Noun) -> Noun:
        """Put the label behind."""
        return Noun(f"{noun.one} {label.one}", f"{noun.many} {label.one}")

    def verb(self, verb: str, subject: Phrase) -> str:
        """Return the verb as it is."""
        del subject
        return verb

    def possessed(self, owner: Phrase, thing: Noun) -> Phrase:
        """Put the owner behind."""
        return Phrase(f"{stem(thing)} του {owner.text}")
