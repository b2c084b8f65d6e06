"""Values as players of a game write them down, and the parts of which an option's notation consists.

Enters: a ruleset's `notation`s and short words in a language, values. Leaves: parts, texts of values. What has no
notation in the language has that of the ruleset's first one.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any

from rulelang.ir.nodes import Decision
from rulelang.ruleset.model import WrittenRuleset
from rulelang.ruleset.notations import NotationCall, NotationPart, parse_notation
from rulelang.runtime.layout import ITEM_MASK, Layout
from rulelang.runtime.log import Entry
from rulelang.runtime.names import enum_names
from rulelang.vocabulary.types import Type
from rulelang.words.lexicon import Lexicon, row_texts
from rulelang.words.phrases import Phrases
from rulelang.words.questions import Questions, is_question

UNKNOWN = "?"
"""A value that the reader can't know."""
CELL = re.compile(r"([a-z]+)([0-9]+)")
"""The name of a cell: its column and its row."""


class NotationWords:
    """The notations of one ruleset in one language."""

    def __init__(self, ruleset: WrittenRuleset, lang: str) -> None:
        self._ruleset, self._phrases = ruleset, Phrases(ruleset, lang)
        self._questions = Questions(self._phrases)
        self._lexicon = self._phrases.lexicon = Lexicon(ruleset, lang, short=True)

    def parts(self, decision: Decision, item: int) -> tuple[NotationPart, ...]:
        """Return the parts of the notation of a sort of options; of a question about pieces that have one themselves,
        the piece; none without."""
        if item < 0:
            return ()
        menu_item = decision.items[item]
        if own := self._lexicon.notation(*self._questions.names(decision, menu_item)):
            return parse_notation(own)
        binder = menu_item.binders[0] if is_question(decision) else None
        if binder is None or binder.type.core.kind != "piece" or not self._lexicon.notation(binder.type.core.name):
            return ()
        return (NotationPart(value=NotationCall(binder.name)),)

    @cached_property
    def _pieces(self) -> dict[tuple[str, str], str]:
        """The notation of each row of the kinds that have one: (kind, id) -> text."""
        texts = {}
        for row in self._ruleset.pieces:
            if template := self._lexicon.notation(row.kind):
                fields = row_texts(row, self._named)
                texts[row.kind, row.id] = "".join(
                    part.text if part.value is None else fields.get(part.value.name, "")
                    for part in parse_notation(template)
                )
        return texts

    @cached_property
    def is_used(self) -> bool:
        """Whether the ruleset has any notation."""
        return any(word.notation for words in self._ruleset.words.values() for word in words.values())

    def entry(self, layout: Layout, entry: Entry) -> str:
        """Return the notation of a choice in the log, or of the pieces that a choice moves, as its reader saw it; empty
        where more than what is chosen tells it (functions, other options), or something of that is not seen."""
        if entry[0] == "move":
            written = [self._piece(layout, item) for item in entry[4]]
            return " ".join(written) if all(written) else ""
        _, _, _, number, item, values, *_ = entry
        decision = layout.program.decisions[number]
        parts = self.parts(decision, item) if self.is_used and not decision.passes(item, values) else ()
        if any(part.least or part.condition or (part.value and part.value.arguments is not None) for part in parts):
            return ""
        bound = {binder.name: (binder.type, value) for binder, value in decision.bound(item, values)} if parts else {}
        texts = [self.value(layout, *bound[part.value.name]) if part.value else part.text for part in parts]
        seen = all(part.value is None or UNKNOWN not in text for part, text in zip(parts, texts, strict=True))
        return "".join(texts) if seen else ""

    def _piece(self, layout: Layout, item: int | None) -> str:
        """Return the notation of a piece by its row or kind; empty without, or if it is not seen."""
        if item is None or item < 0:
            return ""
        kind = layout.program.kinds[layout.item_kind[item & ITEM_MASK]]
        id_ = kind.definitions[layout.item_definition[item & ITEM_MASK]].id
        return self._lexicon.notation(f"{kind.name}.{id_}", id_) or self._pieces.get((kind.name, id_), "")

    def _named(self, *names: str) -> str:
        """Return what the first of these names is written as that has a notation; else their short word."""
        return self._lexicon.notation(*names) or self._lexicon.name_of(*names)

    def value(self, layout: Layout, type_: Type, value: Any) -> str:
        """Return a value by its notation, else its short word; of an absent one nothing."""
        if value is None:
            return UNKNOWN
        if type_.kind == "opt":
            return "" if value == type_.absent else self.value(layout, type_.inner, value)
        if type_.kind == "set":
            return " ".join(self.value(layout, type_.inner, member) for member in value)
        if type_.kind == "piece" and value >= 0:
            kind = layout.program.kinds[layout.item_kind[value & ITEM_MASK]]
            id_ = kind.definitions[layout.item_definition[value & ITEM_MASK]].id
            return self._piece(layout, value) or self._named(f"{kind.name}.{id_}", id_)
        if type_.kind == "enum" and value >= 0 and not layout.program.enums[layout.enum_index[type_.name]].between:
            return self._named(enum_names(layout, type_.name)[value])
        return "" if type_.scalar and type_ != "int" and value < 0 else self._phrases.value(layout, type_, value)

    def cell_parts(self, layout: Layout, type_: Type, value: int) -> tuple[str, str, str]:
        """Return column, row and whole of a cell; three times the whole where its name is not made of two."""
        whole = self.value(layout, type_, value)
        parts = CELL.fullmatch(whole)
        return (parts[1], parts[2], whole) if parts else (whole, whole, whole)
