"""A ruleset's nouns in one language.

Enters: a ruleset's `words`, a language. Leaves: what each name is called, with number, article and case as a sentence
needs it. A name without words in the language is called as in the ruleset's first language, else by its own spelling
without underscores.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from rulelang.geometry import DIRECTIONS, sides
from rulelang.languages import NO_ARTICLE, Noun, language
from rulelang.ruleset.model import PieceDecl, Word, WrittenRuleset
from rulelang.ruleset.sentences import ROW_ID, ROW_NUMBER, parse_sentence, row_number, sentence_opening

__all__ = ["Lexicon", "Noun", "plain_words"]

TITLE_WORD = re.compile("[A-Z][a-z0-9]+")
"""One word of a name such as `TwoWords`."""
BESIDE = re.compile(rf"([a-z]+[0-9]+)_(?:([a-z]+[0-9]+)|({'|'.join(DIRECTIONS)}))")
"""The name of an edge between two cells, or of an edge or corner of one."""


def plain_words(name: str) -> str:
    """Return a name as words: `take_turn` is `take turn`; of a qualified name, the last part."""
    return name.rpartition(".")[2].replace("_", " ").strip() or name


def row_texts(row: PieceDecl, named: Callable[[str], str]) -> dict[str, str]:
    """Return the fields of what is said of a row: its id, its number, its attributes as they are `named`."""
    attributes = {name: named(text.text.strip()) for name, text in row.attributes.items()}
    return {ROW_ID: plain_words(row.id), ROW_NUMBER: row_number(row.id), **attributes}


def types_of(ruleset: WrittenRuleset) -> Iterator[list[str]]:
    """Yield the names of kinds, types, resources and grids."""
    yield [row.name for row in ruleset.kinds]
    yield [row.name for row in ruleset.types]
    yield [row.name for row in ruleset.resources]
    yield [row.name for row in ruleset.grids]


class Lexicon:
    """What the ruleset's names are called in one language; `short`: by their short words where they have some."""

    def __init__(self, ruleset: WrittenRuleset, lang: str, short: bool = False) -> None:
        self.lang = lang
        self._short = short
        self.language = language(lang)
        self._engine = self.language.nouns("words")
        known = lang if lang in ruleset.languages else lang.partition("-")[0]
        self._own = _words_in(ruleset, known)
        first = ruleset.languages[0]
        first_words = self._own if first == known else _words_in(ruleset, first)
        self._first, self._words = first_words, first_words | self._own
        self._types = {name for rows in types_of(ruleset) for name in rows}
        self._variables = {row.name for row in ruleset.variables}
        corners = {grid.corners.name: "corner" for grid in ruleset.grids if grid.corners is not None}
        self.beside = {grid.edges.name: "border" for grid in ruleset.grids if grid.edges is not None} | corners
        """Types of edges and corners, whose words stand after a noun: `the doors between a1 and b1`."""
        self._borders = {
            DIRECTIONS[way]
            for grid in ruleset.grids
            for column in range(2 * grid.border)
            for way in sides(grid.adjacency, column, 0)
        }
        self._nouns: dict[tuple[str, ...], Noun] = {}
        rows = self._called_by_kind(ruleset, self._own)
        self._words = first_words | self._called_by_kind(ruleset, first_words) | self._own | rows
        self._own = self._own | rows

    def _called_by_kind(self, ruleset: WrittenRuleset, words: dict[str, Word]) -> dict[str, Word]:
        """Return the words of rows that have none under their plain name: those under the exact one, or as their kind
        says."""
        words_of_rows: dict[str, Word] = {}
        for row in ruleset.pieces:
            kind, exact = words.get(row.kind), f"{row.kind}.{row.id}"
            numbered = bool(row_number(row.id)) or ROW_NUMBER in row.attributes
            if exact in words and row.id not in words:  # a rule of a piece is called as the piece
                words_of_rows.setdefault(row.id, words[exact])
            elif kind is not None and f"{{{ROW_NUMBER}" in kind.row and not numbered:
                continue  # called by its id
            elif kind is not None and kind.row and row.id not in words and exact not in words:
                words_of_rows[exact] = self._of_row(kind, row)
                words_of_rows.setdefault(row.id, words_of_rows[exact])
        return words_of_rows

    def _of_row(self, kind: Word, row: PieceDecl) -> Word:
        """Return a row's noun by the template of its kind; the first noun of it gives gender and plural."""
        parts = parse_sentence(kind.row)
        texts = row_texts(row, self.name_of)
        singular = ""
        for part in parts:
            value = texts.get(part.field, "")
            singular += part.text + (self.counted(int(value), part.noun) if part.noun and value.isdecimal() else value)
        noun = self._of(kind, row.kind)
        if not (parts[0].text or parts[0].noun) and parts[0].field in row.attributes:
            value_noun = self.noun(row.attributes[parts[0].field].text.strip())
            noun = noun if value_noun.feminine or value_noun.plural else value_noun
        plural = (
            noun.many + singular.removeprefix(noun.one)
            if singular.startswith(noun.one)
            else self.language.plural(singular)
        )
        numbered = any(part.field in (ROW_ID, ROW_NUMBER) for part in parts)
        return Word(singular, plural, noun.gender, self.language.row_article(noun.article, numbered))

    def is_counted(self, name: str) -> bool:
        """Return whether this is a variable of things that are counted: one that has words for one and for many."""
        word = self.word(name)
        return name in self._variables and word is not None and bool(word.one and word.many)

    def tally(self, n: int, *names: str) -> tuple[str, bool]:
        """Return what stands by a number of an attribute, and whether it is counted: `leaves` of 2 where the ruleset
        has a word for many, else `level`."""
        word, noun = self.word(*names), self.noun(*names)
        counted = word is not None and bool(word.many)
        return self.language.form(noun, n) if counted else noun.one, counted

    def label(self, name: str) -> str:
        """Return what a name is called where it stands alone: `coins` for a variable of coins."""
        return self.noun(name).many if self.is_counted(name) else self.name(name)

    def agreeing(self, adjective: Noun, noun: Noun) -> str:
        """Return an adjective, or a mark, as it stands by a noun."""
        return adjective.feminine if adjective.feminine and noun.gender == "f" else adjective.one

    def has(self, name: str) -> bool:
        """Return whether the ruleset has words for the name in this very language."""
        return name in self._own

    def word(self, *names: str) -> Word | None:
        """Return the ruleset's words for the first of these names that has any."""
        for words in (self._own, self._words):
            for name in names:
                if name in words:
                    return words[name]
        return None

    def noun(self, *names: str) -> Noun:
        """Return the noun for a name; of several, for the first that has words, else for the last one's own
        spelling."""
        if names not in self._nouns:
            entry, last = self.word(*names), names[-1]
            plain = self._engine.get(last) or self._plain(last, names[0].rpartition(".")[0])
            self._nouns[names] = plain if entry is None else self._of(entry, last)
        return self._nouns[names]

    def engine(self, name: str) -> Noun:
        """Return the engine's own noun for a kind of value, or for what it asks."""
        return self._engine[name]

    def _of(self, word: Word, name: str) -> Noun:
        """Return the noun of a declared word; a missing form is made of the other one, or of the name."""
        if self._short and word.short:
            return Noun(word.short, self.language.plural(word.short), word.gender, word.article)
        singular = word.one or word.many or plain_words(name)
        plural = word.many or self.language.plural(singular)
        return Noun(singular, plural, word.gender, word.article, word.feminine, plural=bool(word.many and not word.one))

    def _plain(self, name: str, type_: str) -> Noun:
        """Return the noun of a name without declared words; of an edge it names both cells, of an edge or corner of one
        the cell and the direction. `type_`: which of the two it is, if that is known."""
        if self.beside and (match := BESIDE.fullmatch(name)):
            cell, other, way = match.groups()
            texts = self.language.texts("words")
            key = self.beside.get(type_) or ("border" if way in self._borders else "corner")
            singular = (
                self.language.filled(texts["edge"], a=self.name(cell), b=self.name(other))
                if other
                else self.language.filled(texts[key], cell=self.name(cell), way=texts[way])
            )
            return Noun(singular, singular, article=NO_ARTICLE)
        singular = plain_words(name)
        if name in self._types:
            singular = TITLE_WORD.sub(lambda found: f" {found[0].lower()}", singular).strip()
        return Noun(singular, self.language.plural(singular))

    def name(self, name: str, count: int = 1) -> str:
        """Return what a name is called, for so many."""
        return self.language.form(self.noun(name), count)

    def name_of(self, *names: str) -> str:
        """Return what is called by the first of these names that has words, else by the last one's own spelling."""
        return self.noun(*names).one

    def sentence(self, *names: str) -> str | None:
        """Return the ruleset's own sentence for an option with one of these names: in this language, if it has any
        words."""
        worded = next((word for name in names if (word := self.word(name)) is not None and word.option), None)
        return worded.option if worded is not None else None

    def notation(self, *names: str) -> str:
        """Return the notation under the first of these names that has one: in this language, else in the first."""
        by_name = ((words[name].notation for name in names if name in words) for words in (self._own, self._first))
        return next((text for texts in by_name for text in texts if text), "")

    def refused(self, *names: str) -> str:
        """Return the ruleset's words for a function that does not hold or gives nothing, or for a refused option;
        empty without."""
        return next((word.refused for name in names if (word := self.word(name)) is not None and word.refused), "")

    def heading(self, *names: str) -> str:
        """Return the heading of a sort of options: its noun; without one, the beginning of its sentence."""
        word = self.word(*names)
        if word is not None and not (word.one or word.many):
            return sentence_opening(word.option) or self.name_of(*names)
        return self.name_of(*names)

    def counted(self, n: int, name: str) -> str:
        """Return a noun with its count: `2 cards`."""
        return f"{n} {self.name(name, n)}"

    def a(self, name: str) -> str:
        """`a card`, `une carte`."""
        return self.language.a(self.noun(name))

    def the(self, name: str, count: int = 1) -> str:
        """`the card`, `l'énergie`, `les cartes`."""
        return self.language.the(self.noun(name), count)

    def joined(self, parts: Sequence[str], word: str = "and") -> str:
        """`a, b and c`; `word` is `and` or `or`."""
        return self.language.joined(parts, word)


def _words_in(ruleset: WrittenRuleset, lang: str) -> dict[str, Word]:
    """Return the ruleset's words in a language: those of rows, and over them those under `words`."""
    words_of_rows: dict[str, Word] = {}
    rows = [*((row.id, row.words) for row in ruleset.pieces), *((row.name, row.words) for row in ruleset.options)]
    for name, words in rows:
        if lang in words:
            words_of_rows[name] = words[lang]
    return words_of_rows | ruleset.words.get(lang, {})
