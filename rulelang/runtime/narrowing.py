"""Options of a large decision that may be one that a seat saw, without looking through all: the seat's part of it is
kept, and what it did not see is drawn. Worlds of native code have their own (ismcts/c/narrowing.h).

Enters: the options, the chosen values with None for pieces that were not seen. Leaves: a few options.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rulelang.runtime.layout import ITEM_MASK
from rulelang.runtime.rng import Dice
from rulelang.runtime.waiting import Family, LongOptions, Option

LOTS = 16
"""Options that are drawn."""


class Narrowing:
    """Finds options by what a seat saw.

    Args:
        alike: whether a value is one that was seen. unseen: whether the seat does not see a piece.
        departed: pieces that it saw leave right after the choice: most likely those that were chosen.
    """

    def __init__(
        self,
        options: LongOptions,
        dice: Dice,
        alike: Callable[[Any, Any], bool],
        unseen: Callable[[Any], bool],
        departed: Sequence[int],
    ) -> None:
        self.options, self.dice, self.alike, self.unseen, self.departed = options, dice, alike, unseen, departed

    def drawn(self, item: int, shown: Sequence[Any] | None) -> list[Option]:
        """Return options of an item that look as `shown` (None: the choice was secret), each once."""
        options, indices = self.options, dict[int, None]()
        families = {family.item: family for family in options.families or ()}
        if shown is None and len(families) == 1 and self.departed:
            (item,) = families
            shown = [(None,) * len(self.departed)]
        if shown is None or item not in families:
            indices = dict.fromkeys(self.dice.below(len(options)) for _ in range(LOTS))
        else:
            for lot in range(LOTS):
                values = self._values(families[item], shown, list(self.departed) if lot < LOTS // 2 else [])
                index = -1 if values is None else options.rank(item, values)
                if index >= 0:
                    indices[index] = None
        return [options[index] for index in indices]

    def _values(self, family: Family, shown: Sequence[Any], departed: list[int]) -> list[Any] | None:
        """Return values of an option that look as `shown`; None where there is nothing to draw one from."""
        values: list[Any] = []
        for classes, wanted in zip(family.binders, shown, strict=False):
            listed = isinstance(wanted, tuple)
            taken = [0] * len(classes)
            for element in wanted if listed else (wanted,):
                fitting = self._fitting(classes, taken, element, departed)
                if not fitting:
                    return None
                number = fitting[self.dice.below(len(fitting))]
                for piece in departed:
                    if element is None and self._is(classes[number][taken[number]], piece):
                        departed.remove(piece)
                        break
                taken[number] += 1
            parts = [member for members, count in zip(classes, taken, strict=True) for member in members[:count]]
            values.append(parts if listed else parts[0])
        return values if len(values) == len(shown) else None

    def _fitting(self, classes: Sequence[list[Any]], taken: list[int], element: Any, departed: list[int]) -> list[int]:
        """Return the numbers of classes whose next member may be an element; of those that left, if there are any."""
        left = [(n, members[taken[n]]) for n, members in enumerate(classes) if taken[n] < len(members)]
        if element is not None:
            return [number for number, member in left if self.alike(member, element)]
        hidden = [(number, member) for number, member in left if self.unseen(member)]
        gone = [number for number, member in hidden if any(self._is(member, piece) for piece in departed)]
        return gone or [number for number, _ in hidden]

    def _is(self, handle: int, item: int) -> bool:
        """Return whether a piece is one that left."""
        return self.alike(handle & ITEM_MASK, item)
