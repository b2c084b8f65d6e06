"""The options of a decision as players of a game write them down, such as `Nbd7` and `exd5+`.

Enters: a decision, its options, the seat that chooses. Leaves: the notation of an option; the option that a notation
means. What functions give is worked out from what the seat sees, as in `rulelang.game.shown`.

How little of a cell tells an option from the others whose text is otherwise the same is found as in the standard
algebraic notation of chess (Edwards, PGN specification, 1994, 8.2.3.4): nothing, the column, the row, the whole.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from rulelang.diagnostics import RuleError
from rulelang.interpreter import Machine
from rulelang.interpreter.abstract import Abstract
from rulelang.ir.nodes import Decision
from rulelang.ruleset.notations import NotationCall, NotationPart
from rulelang.runtime.sight import sees_everything, sight_of
from rulelang.runtime.state import State
from rulelang.runtime.veil import Veil
from rulelang.runtime.waiting import Option
from rulelang.vocabulary.types import Type
from rulelang.words.notation import NotationWords

MOST_OPTIONS = 4096
"""Of more options none is compared with all others: they have no notation."""
NOTHING, COLUMN, ROW, WHOLE = range(4)


class Notation:
    """The notations of the options of one decision.

    Args:
        seat: who chooses, and knows what it sees.
    """

    def __init__(
        self,
        words: NotationWords,
        interpreter: Machine,
        state: State,
        decision: Decision,
        options: Sequence[Option],
        seat: int,
    ) -> None:
        self._words, self._interpreter, self._state = words, interpreter, state
        self._decision, self._seat = decision, seat
        self._options = options if len(options) <= MOST_OPTIONS else ()
        self._parts = [words.parts(decision, item) for item in range(len(decision.items))]
        self._values: dict[tuple[int, NotationCall], tuple[Type, Any]] = {}

    def text(self, place: int) -> str:
        """Return the notation of an option, by its index; empty if it has none."""
        parts = self._parts_of(place)
        exact = self._exact(place) if any(part.least for part in parts) else NOTHING
        return "".join(self._printed(place, part, exact) for part in parts)

    def meant(self, text: str) -> int:
        """Return the index of the only option that a text is the notation of; -1 if there is none, or several. What
        stands under a condition may be left out, and more of a cell be told than is needed."""
        if not any(self._parts):
            return -1
        places = [n for n in range(len(self._options)) if self._matches(n, text, False)]  # before conditions are asked
        fitting = [n for n in places if self._matches(n, text, True)]
        if len(fitting) > 1:
            fitting = [n for n in fitting if self.text(n) == text]
        return fitting[0] if len(fitting) == 1 else -1

    def _parts_of(self, place: int) -> tuple[NotationPart, ...]:
        item = self._options[place].item if self._options else -1
        return self._parts[item] if item >= 0 else ()

    def _matches(self, place: int, text: str, holding: bool) -> bool:
        """Return whether a text is a form of an option's notation; `holding`: only with marks whose conditions hold."""
        forms = []
        for part in self._parts_of(place):
            if part.text and part.condition is not None:
                holds = not holding or self._holds(place, part.condition)
                forms.append(["", part.text] if holds else [""])
            elif part.least:
                forms.append(["", *self._cell(place, part.least)])
            else:
                forms.append([self._printed(place, part, NOTHING)])
        pattern = "".join(f"(?:{'|'.join(map(re.escape, texts))})" for texts in forms)
        return bool(forms) and re.fullmatch(pattern, text) is not None

    def _printed(self, place: int, part: NotationPart, exact: int) -> str:
        """Return the text of a part; `exact`: how much of a cell is told."""
        if part.value is not None:
            return self._words.value(self._state.layout, *self._value(place, part.value))
        holds = part.condition is None or self._holds(place, part.condition)
        if not part.least:
            return part.text if holds else ""
        if exact == NOTHING and part.condition is not None and holds:
            exact = COLUMN
        return ["", *self._cell(place, part.least)][exact]

    # ---- values

    def _value(self, place: int, call: NotationCall) -> tuple[Type, Any]:
        """Return what an argument is, or what a function gives for arguments, with its type; None for what is not
        known."""
        key = place, call
        if key not in self._values:
            self._values[key] = (
                self._argument(place, call.name) if call.arguments is None else self._called(place, call)
            )
        return self._values[key]

    def _argument(self, place: int, name: str) -> tuple[Type, Any]:
        """Return an argument of an option."""
        option = self._options[place]
        bound = self._decision.bound(option.item, option.values)
        return next((binder.type, value) for binder, value in bound if binder.name == name)

    def _called(self, place: int, call: NotationCall) -> tuple[Type, Any]:
        """Return what a function gives."""
        number = self._numbers[call.name]
        arguments = [self._seat, *(self._argument(place, name)[1] for name in call.arguments or ())]
        returns = self._interpreter.program.procedures[number].returns
        try:
            if self._is_open:
                return returns, self._interpreter.evaluate(self._state, number, arguments)
            value = self._abstract.function(number, arguments)
        except RuleError:
            return returns, None
        return returns, value if isinstance(value, int | tuple | list) else None

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {procedure.name: n for n, procedure in enumerate(self._interpreter.program.procedures)}

    @cached_property
    def _abstract(self) -> Abstract:
        """What the seat can know."""
        veil = Veil(self._state, sight_of(self._state.layout, self._seat, self._state))
        return Abstract(self._interpreter.codes, veil)

    @cached_property
    def _is_open(self) -> bool:
        """Whether everybody sees everything, so that look-ahead is possible, too."""
        return sees_everything(self._interpreter.program)

    def _holds(self, place: int, condition: NotationCall) -> bool:
        return bool(self._value(place, condition)[1])

    # ---- how much of a cell is told

    def _cell(self, place: int, name: str) -> tuple[str, str, str]:
        type_, value = self._argument(place, name)
        return self._words.cell_parts(self._state.layout, type_, value)

    def _exact(self, place: int) -> int:
        """Return how much of its cells tells an option from the others whose text is otherwise the same."""
        own = self._cells(place)
        rivals = [self._cells(number) for number in self._alike[self._key(place)] if number != place]
        if not rivals:
            return NOTHING
        for much in (COLUMN, ROW):
            if all([c[much - 1] for c in rival] != [c[much - 1] for c in own] for rival in rivals):
                return much
        return WHOLE

    def _cells(self, place: int) -> list[tuple[str, str, str]]:
        return [self._cell(place, part.least) for part in self._parts_of(place) if part.least]

    @cached_property
    def _alike(self) -> dict[str, list[int]]:
        """The options by the texts that they have in any case."""
        alike: dict[str, list[int]] = {}
        for place in range(len(self._options)):
            alike.setdefault(self._key(place), []).append(place)
        return alike

    def _key(self, place: int) -> str:
        """Return the text that an option has in any case."""
        parts = [part for part in self._parts_of(place) if not part.least and part.condition is None]
        return "".join(self._printed(place, part, NOTHING) for part in parts)
