"""The looks of cards, resources and values: hues, signs, facts, texts.

Enters: a ruleset, a language. Leaves: `Look`s and `Glyph`s, memoised for each ruleset and language. No game is read. A
name that is a colour has that colour; other values of a type have a hue by their index in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from rulelang.game import Ruleset
from rulelang.memos import kept_with
from rulelang.prose.faces import Face, Faces
from rulelang.ruleset.model import KindDecl, PieceDecl, Text
from rulelang.table.facts import NOTHING
from rulelang.table.scene import Column
from rulelang.web.theme import Theme, theme_of
from rulelang.words.lexicon import Lexicon

COLOURS = {name: name for name in "red blue yellow green orange purple pink brown black white grey cyan".split()} | {
    "gray": "grey", "violet": "purple", "magenta": "pink", "rouge": "red", "bleu": "blue", "jaune": "yellow",
    "vert": "green", "rose": "pink", "noir": "black", "blanc": "white", "gris": "grey", "brun": "brown",
}  # fmt: skip
"""Words that are colours -> the class that has it."""
HUES = 10
SHAPES = 8
"""Numbers of hues in the style sheet and of shapes in the sprite."""
MOST_VALUES = 12
"""A type with more values does not colour cards: hues would repeat."""
TERM = re.compile(r"(\d+)\s+(?:(any|identical)\s+)?(\w+)")
LETTERS = 2


@dataclass(frozen=True, eq=False)
class Glyph:
    """A resource, or another value, as a sign.

    Attributes:
        label: its name in words. hue: class of its colour. shape: number of a shape in the sprite. letters: drawn on
            it.
    """

    name: str
    label: str
    hue: str
    shape: int
    letters: str
    picture: str = ""


@dataclass(frozen=True)
class Fact:
    """A line on a card.

    Attributes:
        goods: amounts with their glyphs. text: the value, if it is no sum of goods. badge: whether that is a bare
            number.
    """

    name: str
    label: str
    text: str
    goods: tuple[tuple[int, Glyph], ...] = ()
    badge: bool = False


@dataclass(frozen=True, eq=False)
class Look:
    """The front of a piece.

    Attributes:
        sign: one to three letters. facts, text: on its face, in pieces that may begin with a glyph. token: whether it
            has neither, and is drawn small.
    """

    row: str
    name: str
    sign: str
    hue: str
    facts: tuple[Fact, ...]
    text: tuple[tuple[str, Glyph | None], ...]
    token: bool
    picture: str
    shape: str = ""


class Looks:
    """The looks of one ruleset in one language."""

    def __init__(self, ruleset: Ruleset, lang: str) -> None:
        written = ruleset.written
        self.ruleset, self.lang, self.written = ruleset, lang, written
        self.lexicon, self.short = Lexicon(written, lang), Lexicon(written, lang, short=True)
        self.theme: Theme = theme_of(ruleset)
        self.rows = {row.id: row for row in written.pieces}
        self.kinds = {kind.name: kind for kind in written.kinds}
        self.resources = {value.name for row in written.resources for value in row.values}
        self._values = {row.name: [value.name for value in row.values] for row in written.types}
        self._values |= {row.name: [value.name for value in row.values] for row in written.resources}
        self._index_of = {
            value: (type_, at) for type_, values in self._values.items() for at, value in enumerate(values)
        }
        self._holds = {zone.name: zone.holds for zone in written.zones}
        self._looks: dict[str, Look] = {}
        self._glyphs: dict[str, Glyph] = {}
        self._signs: dict[str, dict[str, str]] = {}

    @cached_property
    def _faces(self) -> Faces:
        return Faces(self.written, self.lang)

    def face(self, row: str) -> Face:
        """Return the face of a row: all that is known of it."""
        return self._faces.face(self.rows[row])

    # ---- values

    def hue(self, name: str) -> str:
        """Return the class of a value's colour."""
        if name in self.theme.colours:
            return f"own-{name}"
        for word in (name, self.lexicon.name(name).lower()):
            if word in COLOURS:
                return f"is-{COLOURS[word]}"
        return f"hue{self._index_of[name][1] % HUES}" if name in self._index_of else "plain"

    def tint(self, name: str) -> str:
        """Return the class of a zone's colour: that of a value if it is a colour, or if cards have it too."""
        hue = self.hue(name)
        return hue if not hue.startswith("hue") or self._index_of[name][0] in self._on_cards else "plain"

    @cached_property
    def _on_cards(self) -> set[str]:
        """Return the types of attributes of pieces."""
        return {a.type.text.rstrip("?") for kind in self.written.kinds for a in kind.attributes}

    def glyph(self, name: str) -> Glyph:
        """Return the glyph of a resource or of another value of a type."""
        if name not in self._glyphs:
            type_, at = self._index_of.get(name, ("", 0))
            letters = self.theme.signs.get(name) or self._letters(type_).get(name, name[:1].upper())
            label, picture = self.lexicon.label(name), self.theme.picture(name)
            self._glyphs[name] = Glyph(name, label, self.hue(name), at % SHAPES, letters, picture)
        return self._glyphs[name]

    def _letters(self, type_: str) -> dict[str, str]:
        """Return for each value of a type the letters that tell it from the others, two at most."""
        if type_ not in self._signs:
            names = {value: self.short.name(value) for value in self._values.get(type_, ())}
            self._signs[type_] = {value: distinct(name, names.values()) for value, name in names.items()}
        return self._signs[type_]

    # ---- pieces

    def look(self, row: str) -> Look:
        """Return the look of a row's pieces."""
        if row not in self._looks:
            self._looks[row] = self._look(self.rows[row])
        return self._looks[row]

    def _look(self, row: PieceDecl) -> Look:
        """Return the look of a row's pieces, not memoised."""
        kind = self.kinds[row.kind]
        name = self.lexicon.noun(f"{row.kind}.{row.id}", row.id).one
        facts = tuple(fact for name_ in self._card_attributes(kind) if (fact := self._fact(row, name_)) is not None)
        has_text = kind.shown or any(r.rules or r.text for r in self.written.pieces if r.kind == row.kind)
        face = self.face(row.id) if row.rules or row.text else None
        text = (face.text or " ".join(face.effects)) if face is not None else ""
        value = self._colouring(row, kind)
        return Look(
            row.id, name, self.theme.signs.get(row.id) or self._sign(row, value), self.hue(value) if value else "plain",
            facts, tuple(self._with_icons(text)), not (has_text or facts), self.theme.picture(row.id, value, row.kind),
            self.theme.shapes.get(row.kind, ""),
        )  # fmt: skip

    def _sign(self, row: PieceDecl, colouring: str) -> str:
        """Return the sign of a piece: of a playing card its values as players write them down, then the sign of that
        which colours it; else the initials of its name."""
        if self.theme.shapes.get(row.kind) != "playing":
            return initials(self.short.noun(f"{row.kind}.{row.id}", row.id).one)
        values = [text.text.strip() for text in row.attributes.values()]
        written = [self.short.notation(v) or self.short.name(v) for v in values if v != colouring]
        return "".join([*written, self.theme.signs.get(colouring, "")])

    def _with_icons(self, text: str) -> Iterator[tuple[str, Glyph | None]]:
        """Yield a text in pieces, each with the glyph of the resource that it names, if that has a picture."""
        nouns = {name: self.lexicon.noun(name, name) for name in self.resources if name in self.theme.pictures}
        names = {word.lower(): name for name, noun in nouns.items() for word in (noun.one, noun.many)}
        words = sorted(map(re.escape, filter(None, names)), key=len, reverse=True)
        parts = re.split(rf"\b({'|'.join(words)})\b", text, flags=re.IGNORECASE) if words and text else [text]
        for number, part in enumerate(parts):
            if part:
                yield part, self.glyph(names[part.lower()]) if number % 2 else None

    def is_track(self, columns: Iterable[Column]) -> bool:
        """Return whether columns are the places of a zone that is laid out as a track."""
        return any(self.theme.layout.get(zone.declared) == "track" for column in columns for zone in column.zones)

    def back(self, zone: str) -> str:
        """Return the class of the back of the pieces in a zone; empty without a picture."""
        kind = self._holds.get(zone, "")
        return f"back-{kind}" if kind in self.theme.backs else ""

    def _card_attributes(self, kind: KindDecl) -> list[str]:
        """Return the attributes on a card: those that its kind shows; without any the only number, if there is just
        one."""
        if kind.shown:
            return [name for name, _ in kind.shown]
        numbers = [attribute.name for attribute in kind.attributes if ".." in attribute.type.text]
        return numbers if len(numbers) == 1 else []

    def _colouring(self, row: PieceDecl, kind: KindDecl) -> str:
        """Return what colours a card: itself, or the value of the attribute that the theme names, else of one whose
        values are all colours, else of the one with most values; empty without any."""
        if row.id in self.theme.colours:
            return row.id
        types = {a.name: a.type.text.rstrip("?") for a in kind.attributes}
        values = {name: self._values[type_] for name, type_ in types.items() if len(self._values.get(type_, ())) > 1}
        by = self.theme.by.get(row.kind)
        if by is None:
            painted = [name for name, own in values.items() if all(self.hue(value).startswith("is-") for value in own)]
            sorted_ = sorted((len(v), name) for name, v in values.items() if len(v) <= MOST_VALUES)
            by = painted[0] if painted else sorted_[-1][1] if sorted_ else None
        text = row.attributes.get(by) if by is not None else None
        return text.text.strip() if text is not None else ""

    def _fact(self, row: PieceDecl, name: str) -> Fact | None:
        """Return an attribute as a line on a card; None if its value is not worth telling."""
        text = row.attributes.get(name)
        if text is None or text.text.strip() in NOTHING:
            return None
        noun = self.short.noun(f"{row.kind}.{name}", name)
        goods = self._goods(text)
        value = "" if goods else self._faces.writer.value(text, row.kind)
        value = self.lexicon.name(value) if value in self._index_of else value.removeprefix(f"{noun.one} ")
        label = noun.many if noun.plural else noun.one
        number = value.lstrip("-−")
        if number.isdecimal():
            label = self.short.tally(int(number), f"{row.kind}.{name}", name)[0]
        return Fact(name, label, value, goods, number.isdecimal())

    def _goods(self, text: Text) -> tuple[tuple[int, Glyph], ...]:
        """Return a bag or cost that is a sum of amounts as glyphs; empty if it is anything else."""
        goods = []
        for term in text.text.split("+"):
            match = TERM.fullmatch(term.strip())
            if match is None or match[3] not in self.resources | self._classes:
                return ()
            glyph = self.glyph(match[3]) if match[3] in self.resources else self._class(match[3], match[2] or "")
            goods.append((int(match[1]), glyph))
        return tuple(goods)

    @cached_property
    def _classes(self) -> set[str]:
        """Return the classes of resources."""
        return {name for row in self.written.resources for name in row.classes}

    def _class(self, name: str, how: str) -> Glyph:
        """Return the glyph of any resource of a class.

        Args:
            how: `identical` if all must be of one kind.
        """
        return Glyph(name, self.lexicon.label(name), "plain", SHAPES, "=" if how == "identical" else "?")


def distinct(name: str, names: Iterable[str]) -> str:
    """Return as many letters of a name as tell it from the others, two at most."""
    others = [other for other in names if other != name]
    for size in range(1, LETTERS + 1):
        if not any(other[:size].lower() == name[:size].lower() for other in others):
            break
    return name[:size].capitalize()


def initials(name: str) -> str:
    """Return a sign for a piece: the number in its name, the initials of its words, or its first letters."""
    number = re.search(r"\d+", name)
    words = re.findall(r"[^\W\d_]+", name)
    if number is not None:
        return number[0]
    return "".join(word[0] for word in words[:3]).upper() if len(words) > 1 else name[:2].capitalize()


@kept_with
def looks(ruleset: Ruleset, lang: str) -> Looks:
    """Return the memoised looks of a ruleset in a language."""
    return Looks(ruleset, lang)
