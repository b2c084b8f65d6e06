"""Values that are no single word, outside of native code: the locals of procedures that wait, and options.

Enters: a layout; frames; words that native code wrote. Leaves: the tables that c/frames.h reads such values by; frames
as words, and back.

In such words an address is the number of a word among the *parts*, plus one. Frames are written as

    how many frames, how many words of parts, the parts, then for each frame, the innermost first: procedure, block, the
    slot of the one outside of it that takes its value (-1: none), how many locals, the locals
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from rulelang.runtime.layout import Layout
from rulelang.runtime.state import Frame
from rulelang.vocabulary.types import ABSENT, ABSENT_NUMBER, Type

WORD, LIST, PAYMENT, FIXED, PRICE, LISTS = range(6)
"""Sorts of values, as c/frames.h has them."""

NOWHERE = (0, ABSENT, ABSENT_NUMBER)
"""What stands for an address where there is no value yet, or an absent one."""

PENDING = -(2**63) + 1
"""What is collected of a seat that has still to choose; None in Python."""

Words = Sequence[int]


class WordForms:
    """The encoding of values as words, by type.

    Attributes:
        rows: sort, width, inner form of each form; form 0 is a single word.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.rows: list[tuple[int, int, int]] = [(WORD, 1, 0)]
        self._numbers: dict[str, int] = {}
        self._locals: dict[int, list[int]] = {}

    def form(self, type_: Type) -> int:
        """Return the form of a type."""
        if type_ not in self._numbers:
            self._numbers[type_] = self._new(type_.present)
        return self._numbers[type_]

    def _new(self, type_: Type) -> int:
        """Return the number of the row that says how a type is copied; 0 for one word."""
        if type_.wraps:
            form = self.form(type_.inner)
            row = (LISTS if form else LIST, 0, form)
        elif type_.kind == "payment":
            row = (PAYMENT, 0, 0)
        elif type_.kind == "bag":
            row = (FIXED, self.layout.width(type_), 0)
        elif type_.kind == "cost":
            row = (PRICE, self.layout.size(type_), 0)
        else:
            return 0
        if row not in self.rows:
            self.rows.append(row)
        return self.rows.index(row)

    def tables(self) -> str:
        """Return the forms of all locals, as C."""
        numbers_of: dict[tuple[int, ...], int] = {}
        numbers = []
        for code in self.layout.program.procedures:
            forms = tuple(map(self.form, code.locals))
            numbers.append(numbers_of.setdefault(forms, len(numbers_of)) if any(forms) else -1)
        used = sorted((place, forms) for forms, place in numbers_of.items() if any(forms))
        lines = [f"static const uint8_t forms_{place}[] = {{{', '.join(map(str, forms))}}};" for place, forms in used]
        names = ", ".join(f"forms_{number}" if number >= 0 else "NULL" for number in numbers)
        lines.append(f"static const uint8_t *const local_forms[] = {{{names}}};")
        rows = ", ".join(f"{{{sort}, {width}, {inner}}}" for sort, width, inner in self.rows)
        lines.append(f"static const struct {{ int32_t sort, width, inner; }} forms[] = {{{rows}}};")
        return "\n".join(lines)

    # ---- frames

    def written(self, frames: Sequence[Frame]) -> bytes:
        """Return frames as words."""
        parts: list[int] = []
        rows: list[int] = []
        for procedure, block, values, slot in reversed(frames):
            forms = self._of_locals(procedure)
            rows += (procedure, block, slot, len(values))
            rows += [
                value if isinstance(value, int) else self._part(form, value, parts)
                for form, value in zip(forms, values, strict=True)
            ]
        return struct.pack(f"<{2 + len(parts) + len(rows)}q", len(frames), len(parts), *parts, *rows)

    def read(self, words: bytes) -> list[Frame]:
        """Return the frames that these words tell of."""
        numbers = struct.unpack(f"<{len(words) // 8}q", words)
        count, size = numbers[:2]
        parts, at = numbers[2 : 2 + size], 2 + size
        frames: list[Frame] = []
        for _ in range(count):
            procedure, block, slot, locals_ = numbers[at : at + 4]
            values = list(numbers[at + 4 : at + 4 + locals_])
            at += 4 + locals_
            for place, form in enumerate(self._of_locals(procedure)):
                if form:
                    values[place] = self.value(form, values[place], parts)
            frames.append([procedure, block, values, slot])
        frames.reverse()
        return frames

    def _of_locals(self, procedure: int) -> list[int]:
        """Return the forms of a procedure's locals, memoised."""
        if procedure not in self._locals:
            types = self.layout.program.procedures[procedure].locals
            self._locals[procedure] = [self.form(type_) for type_ in types]
        return self._locals[procedure]

    def _part(self, form: int, value: Any, parts: list[int]) -> int:
        """Return the address of a value that is put among the parts, before its own parts, as C does."""
        sort, _, inner = self.rows[form]
        if sort == FIXED:
            row = list(value)
        elif sort == PRICE:
            fixed, wilds = value
            row = [*fixed, len(wilds), *[int(n) for wild in wilds for n in wild]]
        else:
            row = [len(value), *value]
        at = len(parts)
        parts += row
        for place, item in enumerate(row, at):
            if item is None:
                parts[place] = PENDING
            elif not isinstance(item, int):
                parts[place] = self._part(inner, item, parts)
        return at + 1

    def value(self, form: int, word: int, parts: Words) -> Any:
        """Return the value of a word."""
        if word == PENDING:
            return None
        if not form or word in NOWHERE:
            return word
        sort, width, inner = self.rows[form]
        at = word - 1
        if sort == FIXED:
            return tuple(parts[at : at + width])
        if sort == PRICE:
            start, wilds = at + width + 1, parts[at + width]
            places = range(start, start + 3 * wilds, 3)
            return tuple(parts[at : at + width]), tuple(tuple(parts[place : place + 3]) for place in places)
        items = parts[at + 1 : at + 1 + parts[at]]
        if sort == PAYMENT:
            return tuple(items)
        if inner or PENDING in items:
            return [self.value(inner, item, parts) for item in items]
        return list(items)
