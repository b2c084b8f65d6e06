"""Values, seats and places in words.

Enters: run-time values with their types, the seat that reads (or None). Leaves: phrases such as `2 red ones`, `your
hand`, `the red plant`, `seat 1's coins`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from rulelang.geometry import DIRECTIONS
from rulelang.languages import NO_ARTICLE, Noun
from rulelang.ruleset.model import WrittenRuleset
from rulelang.ruleset.sentences import THE, fields, parse_sentence
from rulelang.runtime.layout import ITEM_MASK, REACTION_MASK, Layout
from rulelang.runtime.names import enum_names, is_lone, value_text
from rulelang.runtime.payments import alternatives
from rulelang.vocabulary.types import ANY, Type
from rulelang.words.lexicon import Lexicon

Reader = int | None
"""The seat that reads a text, which is then called `you`."""
Bindings = Mapping[str, tuple[Type, Any]]
"""Values with their types, by the fields of a sentence."""


def capital(text: str) -> str:
    """Return a text with a capital letter first."""
    return text[:1].upper() + text[1:]


def _items(pieces: Iterable[int | None]) -> list[int | None]:
    """Return the items of pieces; None for one that is not seen."""
    return [None if piece is None else piece & ITEM_MASK for piece in pieces]


def bare(noun: Noun) -> Noun:
    """Return the noun as a label, without article."""
    return replace(noun, article=NO_ARTICLE)


class Phrases:
    """Values and places of one ruleset in one language; `names`: of people by seat; `first`: what the first seat is
    called without one."""

    def __init__(self, ruleset: WrittenRuleset, lang: str, names: Sequence[str] = (), first: int = 0) -> None:
        self.lexicon = Lexicon(ruleset, lang)
        self.names, self.first = names, first
        self.language = self.lexicon.language
        self.templates: Mapping[str, str] = self.language.texts("words")

    def fill(self, template: str, **fields: object) -> str:
        """Return a template with its fields."""
        return self.language.filled(self.templates[template], **fields)

    # ---- sentences of the ruleset

    def by_field(
        self, layout: Layout, bindings: Bindings, texts: Mapping[str, str] | None = None, reader: Reader = None
    ) -> dict[str, str]:
        """Return values by their fields, also those such as `{card:the}`; `texts` are the values in words, where
        known."""
        plainly = {name: self.value(layout, type_, value, reader) for name, (type_, value) in bindings.items()}
        texts_by_field = dict(texts or plainly)
        for field, (type_, value) in bindings.items():
            sort, name = type_.core.kind, type_.core.name
            said = texts_by_field[field]
            if isinstance(value, int) and value >= 0:
                if sort == "piece" and said.startswith(plainly[field]):
                    said = self.the_piece(layout, value & ITEM_MASK, reader) + said.removeprefix(plainly[field])
                elif sort == "seat":
                    said = self.the_seat(layout, value, reader)
                elif sort == "enum":
                    said = self.language.the(self.enum(layout, name, value, reader))
            elif type_ == f"set<piece:{name}>" and said == plainly[field]:
                said = self.the_pieces(layout, _items(value or ()), name, reader)
            texts_by_field[f"{field}:{THE}"] = said
        return texts_by_field

    def sentence(
        self, layout: Layout, sentence: str, bindings: Bindings, texts: Mapping[str, str] | None = None,
        reader: Reader = None,
    ) -> str:  # fmt: skip
        """Return a sentence with its values; what stands right after a number has the number's plural. Empty where it
        names what is not told."""
        field_texts = self.by_field(layout, bindings, None, reader) if texts is None else texts
        if not fields(sentence) <= {*field_texts}:
            return ""
        text, number = "", None
        for part in parse_sentence(sentence):
            text += part.text
            type_, value = bindings.get(part.field, (ANY, None))
            if part.noun == THE:
                text += field_texts[f"{part.field}:{THE}"]
            elif part.noun:
                text += self.lexicon.counted(value, part.noun)
            elif number is not None and part.text == " " and type_.kind == "enum" and value >= 0:
                text += self.language.form(self.enum(layout, type_.name, value), number)
            elif part.field:
                text += field_texts[part.field]
            number = value if type_ == "int" and not part.noun else None
        return text

    # ---- seats

    def seat_noun(self, layout: Layout, party: int) -> Noun:
        """Return a seat by its person's name, else by its number; an automaton by its name."""
        if any(self.names[party : party + 1]):
            return Noun(self.names[party], self.names[party], article=NO_ARTICLE)
        if party < layout.players:
            own, number = self.lexicon.word("player") is not None, party + self.first
            return self.language.numbered(self.lexicon.noun("player") if own else self.lexicon.engine("seat"), number)
        name = layout.party_names[party]
        noun = self.lexicon.noun(name)
        return noun if self.lexicon.word(name) is not None else Noun(noun.one, noun.many, article=NO_ARTICLE)

    def seat(self, layout: Layout, party: int, reader: Reader = None) -> str:
        """Return a seat as a label: `seat 1`, `joueur 1`, `you`, `Ada`."""
        return self.templates["you"] if party == reader else self.seat_noun(layout, party).one

    def the_seat(self, layout: Layout, party: int, reader: Reader = None) -> str:
        """Return a seat in a sentence: `seat 1`, `le joueur 1`, `you`."""
        return self.templates["you"] if party == reader else self.language.the(self.seat_noun(layout, party))

    # ---- values

    def value(self, layout: Layout, type_: Type, value: Any, reader: Reader = None) -> str:
        """Return a run-time value; a collection with how often each member stands in it; None for what is not seen."""
        if value is None:
            return self._hidden(layout, type_, 1 if type_.scalar else None)
        if type_.kind == "opt":
            if value == type_.absent:
                return self.templates["none"]
            return self.value(layout, type_.inner, value, reader)
        if type_.kind == type_.inner.kind == "set":
            parts = [self.group(layout, type_.inner, part, reader) for part in value]
            return ", ".join(parts) or self.templates["nothing"]
        if type_.kind == "set":
            return self._collection(layout, type_.inner, value, reader)
        if type_.kind == "seats":
            return self._by_seat(layout, type_.inner, value, reader)
        sort, name = type_.kind, type_.name
        if sort == "bool":
            return self.templates["true" if value else "false"]
        if sort == "piece":
            return self.piece(layout, value & ITEM_MASK, 1, reader) if value >= 0 else self.templates["none"]
        if sort == "reaction":
            piece = (value & REACTION_MASK) - 1
            return self.templates["rule_reacts"] if piece < 0 else self.piece(layout, piece & ITEM_MASK, 1, reader)
        if sort in ("bag", "payment"):
            return self.bag(layout, name, value)
        if sort == "cost":
            return self._cost(layout, name, value)
        if sort in ("seat", "enum", "cell", "dir", "zone"):
            return self.templates["none"] if value < 0 else self._scalar(layout, sort, name, value, reader)
        return str(value)

    def in_sentence(self, layout: Layout, type_: Type, value: Any, reader: Reader = None) -> str:
        """Return a value as it stands in a sentence: pieces and seats with their articles."""
        if isinstance(value, int) and value >= 0 and type_.present.kind in ("piece", "seat"):
            said = self.the_seat if type_.core == "seat" else self.the_piece
            return said(layout, value if type_.core == "seat" else value & ITEM_MASK, reader)
        if isinstance(value, tuple | list) and type_.kind == "set":
            if type_.inner.kind == "piece":
                return self.the_pieces(layout, _items(value), type_.inner.name, reader)
            if type_.inner.kind == "seat" and value:
                return self.lexicon.joined([self.the_seat(layout, seat, reader) for seat in value])
        return self.value(layout, type_, value, reader)

    def group(self, layout: Layout, type_: Type, members: Sequence[Any], reader: Reader = None) -> str:
        """Return one collection of several: a group of a grouping is `mill + oven`, numbers are `(1, 2 and 3)`."""
        if type_.inner.kind != "piece":
            return f"({self.value(layout, type_, members, reader)})"
        parts = self._pieces(layout, _items(members), type_.inner.name, reader)
        return " + ".join(parts) or self.templates["nothing"]

    def _by_seat(self, layout: Layout, type_: Type, values: Sequence[Any], reader: Reader) -> str:
        """Word the value of each party that has one, with whose it is."""
        parts = [
            f"{self.value(layout, type_, value, reader)} ({self.seat(layout, party, reader)})"
            for party, value in enumerate(values)
            if value is not None and value != type_.absent
        ]
        return self.lexicon.joined(parts) or self.templates["nothing"]

    def _scalar(self, layout: Layout, sort: str, name: str, value: int, reader: Reader) -> str:
        """Word a value of a type with one cell: a seat, zone, direction, cell of a grid, or value of an enumeration."""
        if sort == "seat":
            return self.seat(layout, value, reader)
        if sort == "zone":
            return self.zone(layout, value, reader)
        if sort == "dir":
            return self.templates[DIRECTIONS[value]]
        if sort == "cell":
            grid = layout.grids[layout.grid_index[name]]
            return self.lexicon.name(grid.cells[value])
        return self.enum(layout, name, value, reader).one

    def enum(self, layout: Layout, name: str, value: int, reader: Reader = None) -> Noun:
        """Return a value of an enumerated type; of a `between` type the seats that it lies between."""
        number = layout.enum_index[name]
        if layout.program.enums[number].between:
            seats = [self.the_seat(layout, seat, reader) for seat in layout.between[number][value]]
            text = self.fill("bound" if len(seats) > 1 else "bound_alone", seats=self.lexicon.joined(seats))
            return Noun(text, text, article=NO_ARTICLE)
        own = enum_names(layout, name)[value]
        return self.lexicon.noun(f"{name}.{own}", own) if name in self.lexicon.beside else self.lexicon.noun(own)

    def _collection(self, layout: Layout, type_: Type, values: Iterable[Any], reader: Reader) -> str:
        """Word the elements of a collection in their order, of equal ones in a row how many."""
        if type_.kind == "piece":
            seen = list(values)
            return self.pieces(layout, _items(seen), type_.name, reader)
        runs = groupby(self.value(layout, type_, part, reader) for part in values)
        counts = [(text, len(list(run))) for text, run in runs]
        parts = [text if count == 1 else f"{count} × {text}" for text, count in counts]
        return self.lexicon.joined(parts) or self.templates["nothing"]

    # ---- pieces and goods

    def piece_noun(self, layout: Layout, item: int) -> Noun:
        """Return what an item is called, without whose it is."""
        kind = layout.program.kinds[layout.item_kind[item]]
        id_ = kind.definitions[layout.item_definition[item]].id
        return self.lexicon.noun(f"{kind.name}.{id_}", id_)

    def piece(self, layout: Layout, item: int, count: int = 1, reader: Reader = None) -> str:
        """Return a number of pieces like this: `red one`, `2 red ones`, `seat 1's pawn`."""
        noun, seat = self.piece_noun(layout, item), layout.item_seat[item]
        if count == 1:
            return noun.one if seat < 0 else self.whose(layout, noun, seat, reader)
        whose = "" if seat < 0 else f" ({self.seat(layout, seat, reader)})"
        return f"{count} {self.language.form(noun, count)}{whose}"

    def the_piece(self, layout: Layout, item: int, reader: Reader = None) -> str:
        """Return a piece with its article: `the crate` where there is but one, else `a red one`; `seat 1's pawn`."""
        noun, seat = self.piece_noun(layout, item), layout.item_seat[item]
        if seat >= 0:
            return self.whose(layout, noun, seat, reader)
        return self.language.the(noun) if is_lone(layout, item) else self.language.a(noun)

    def pieces(self, layout: Layout, items: Sequence[int | None], kind: str, reader: Reader = None) -> str:
        """Return several pieces; None for one that is not seen, of which only the kind is told."""
        return self.lexicon.joined(self._pieces(layout, items, kind, reader)) or self.templates["nothing"]

    def the_pieces(self, layout: Layout, items: Sequence[int | None], kind: str, reader: Reader = None) -> str:
        """Return the same with articles."""
        return self.lexicon.joined(self._pieces(layout, items, kind, reader, True)) or self.templates["nothing"]

    def _pieces(
        self, layout: Layout, items: Sequence[int | None], kind: str, reader: Reader, articles: bool = False
    ) -> list[str]:
        """Return pieces in words, alike ones together, those that are not seen as a number."""
        alike: dict[tuple[int, int, int], list[int]] = {}
        for item in items:
            if item is not None:
                row = layout.item_kind[item], layout.item_definition[item], layout.item_seat[item]
                alike.setdefault(row, []).append(item)
        parts = [
            self.the_piece(layout, items_alike[0], reader)
            if articles and len(items_alike) == 1
            else self.piece(layout, items_alike[0], len(items_alike), reader)
            for items_alike in alike.values()
        ]
        hidden = sum(item is None for item in items)
        if hidden:
            parts.append(self._hidden(layout, Type(f"piece:{kind}"), hidden))
        return parts

    def _hidden(self, layout: Layout, type_: Type, count: int | None) -> str:
        """Word a number of values that the reader does not see: `a card`, `3 cards`; None: `cards`."""
        if type_.core.kind != "piece":
            return self.templates["hidden"]
        name = type_.core.name
        if count is None:
            return self.lexicon.noun(name).many
        return self.lexicon.a(name) if count == 1 else self.lexicon.counted(count, name)

    def bag(self, layout: Layout, resource: str, counts: Sequence[int]) -> str:
        """Return the goods of a bag, or of a payment purse by purse: `2 coins and 1 stone`."""
        names = enum_names(layout, resource)
        sums = [sum(counts[kind :: len(names)]) for kind in range(len(names))]
        parts = [self.lexicon.counted(count, name) for name, count in zip(names, sums, strict=True) if count]
        return self.lexicon.joined(parts) or self.templates["nothing"]

    def _cost(self, layout: Layout, resource: str, cost: Any) -> str:
        """Word a cost: its fixed resources, then its wilds; of alternatives each, joined by “or”."""
        if len(ways := alternatives(cost)) > 1:
            return self.lexicon.joined([self._cost(layout, resource, way) for way in ways], "or")
        names = enum_names(layout, resource)
        parts = [self.bag(layout, resource, cost[0])] if any(cost[0]) else []
        for count, mask, identical in cost[1]:
            kinds = [self.lexicon.name(name) for kind, name in enumerate(names) if mask >> kind & 1]
            template = "alike_of" if identical else "any_of"
            parts.append(self.fill(template, count=count, names=self.lexicon.joined(kinds, "or")))
        return self.lexicon.joined(parts) or self.templates["nothing"]

    # ---- places

    def zone(self, layout: Layout, zone: int, reader: Reader = None) -> str:
        """Return a zone instance: `the stock`, `the red plant`, `seat 1's hand`, `your hand`."""
        table = layout.program.zones[layout.inst_zone[zone]]
        return self._the(layout, *self._place(layout, table.name, table.index, layout.inst_index[zone], reader), reader)

    def zones(self, layout: Layout, zones: Sequence[int], reader: Reader = None) -> str:
        """Return instances of one zone and owner: `the dumps`, `seat 1's rows`; a single one as `zone` does."""
        if len(zones) == 1:
            return self.zone(layout, zones[0], reader)
        name = layout.program.zones[layout.inst_zone[zones[0]]].name
        noun = self.lexicon.noun(name)
        is_many = self.lexicon.word(name) is None and bool(self.language.singular(noun.one))
        many = noun.one if is_many else noun.many
        return self._the(layout, replace(noun, one=many, many=many, plural=True), layout.inst_owner[zones[0]], reader)

    def flag(self, layout: Layout, number: int, place: int) -> str:
        """Return a mark or truth at a place, whosever it is."""
        return self._variable(layout, number, place)[0].one

    def _variable(self, layout: Layout, number: int, place: int, reader: Reader = None) -> tuple[Noun, int]:
        """Return what a variable is called at a place, and whose it is."""
        table = layout.program.variables[number]
        index: list[int] = []
        for type_ in reversed(table.index):
            place, index_value = divmod(place, layout.size(type_))
            index.insert(0, index_value)
        return self._place(layout, table.name, table.index, index, reader)

    def variable(self, layout: Layout, number: int, place: int, reader: Reader = None) -> str:
        """Return a variable at a place, counted row by row: `coins`, `seat 1's coins`, `frozen (seat 1)`; of bags with
        an article."""
        table = layout.program.variables[number]
        noun, owner = self._variable(layout, number, place, reader)
        if self.lexicon.is_counted(table.name):
            noun = replace(noun, one=noun.many, plural=True)
        if table.type.kind == "bag":
            return self._the(layout, noun, owner, reader)
        if owner < 0:
            return noun.one
        if table.mark or table.type == "bool":
            return self.fill("flag_of", flag=noun.one, seat=self.seat(layout, owner, reader))
        return self.whose(layout, bare(noun), owner, reader)

    def _the(self, layout: Layout, noun: Noun, owner: int, reader: Reader) -> str:
        return self.language.the(noun) if owner < 0 else self.whose(layout, noun, owner, reader)

    def _place(
        self, layout: Layout, name: str, types: Sequence[Type], index: Sequence[int], reader: Reader
    ) -> tuple[Noun, int]:
        """Return what a zone or variable is called at an index, and whose it is (-1: nobody's)."""
        owner, noun = -1, self.lexicon.noun(name)
        apart = [(type_, value) for type_, value in zip(types, index, strict=True) if type_ != "seat"]
        if len(apart) < len(types):
            owner = index[types.index("seat")]
        qualified = ".".join([name, *(value_text(layout, type_, value) for type_, value in apart)])
        if apart and self.lexicon.word(qualified) is not None:
            return self.lexicon.noun(qualified), owner
        for type_, value in apart:
            noun = self._disambiguated(layout, noun, type_, value, reader)
        return noun, owner

    def whose(self, layout: Layout, noun: Noun, owner: int, reader: Reader) -> str:
        """Return a phrase for what is somebody's: `seat 1's hand`, `your hand`."""
        if owner == reader:
            return self.language.your(noun)
        return self.language.owned(noun, self.seat_noun(layout, owner))

    def _disambiguated(self, layout: Layout, noun: Noun, type_: Type, value: int, reader: Reader) -> Noun:
        """Return a noun with the value that it is for: a label, or seats, a cell or an edge after it."""
        sort, name = type_.kind, type_.name
        if sort == "enum" and name not in self.lexicon.beside and not layout.between[layout.enum_index[name]]:
            return self.language.with_label(noun, self.enum(layout, name, value))
        after = self._scalar(layout, sort, name, value, reader)
        article = noun.article if sort == "enum" else self.language.article_before_cell(noun)
        return replace(noun, one=f"{noun.one} {after}", many=f"{noun.many} {after}", article=article)
