"""Choosing by parts: picks on the table, one at a time, until one action is left.

Enters: the actions of a decision, the picks so far as texts. Leaves: the actions that have all picks, the picks that
tell them apart, the action that is chosen. It is stateless: the picks travel in the address.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from rulelang.game import Action
from rulelang.runtime.names import Part

ITEM = "item"


def token(part: Part) -> str:
    """Return the pick of a part: `name=value@zone`."""
    return f"{part.name}={part.value}@{part.zone}" if part.zone else f"{part.name}={part.value}"


@dataclass(frozen=True)
class Choice:
    """An action as a multiset of picks: its menu item, and each of its parts.

    Attributes:
        parts: picks with their parts. tokens: the multiset, the item included.
    """

    action: Action
    parts: tuple[tuple[str, Part], ...]
    tokens: Counter[str]

    @classmethod
    def of(cls, action: Action) -> Choice:
        """Return the choice of an action."""
        parts = tuple((token(part), part) for part in action.parts)
        tokens = Counter(name for name, _ in parts)
        tokens[f"{ITEM}={action.data['item']}"] += 1
        return cls(action, parts, tokens)


class Choosing:
    """A partial choice.

    Attributes:
        picks: so far, in order. left: the choices that contain all of them. leave: the action that ends a repeated
            choice.
    """

    def __init__(self, actions: Sequence[Action], picks: Iterable[str] = ()) -> None:
        self.all = [Choice.of(action) for action in actions if not action.leaves]
        self.leave = next((action for action in actions if action.leaves), None)
        self.picks: list[str] = []
        self.left = self.all
        for pick in picks:
            chosen = Counter([*self.picks, pick])
            fitting = [choice for choice in self.left if chosen <= choice.tokens]
            if fitting:  # else it is of an older table
                self.picks.append(pick)
                self.left = fitting

    @cached_property
    def open(self) -> dict[str, Part | None]:
        """Return the picks that tell the remaining choices apart: pick -> its part, None for a menu item. Of a single
        choice, all its parts."""
        if len(self.left) < 2:
            return dict(self.left[0].parts) if self.left and not self.picks else {}
        picked = Counter(self.picks)
        parts: dict[str, Part | None] = {}
        counts: dict[str, set[int]] = {}
        for choice in self.left:
            parts.update({f"{ITEM}={choice.action.data['item']}": None})
            parts.update(choice.parts)
        for name in parts:
            counts[name] = {choice.tokens[name] - picked[name] for choice in self.left}
        return {name: part for name, part in parts.items() if len(counts[name]) > 1}

    @cached_property
    def ready(self) -> Choice | None:
        """Return the chosen one: the only choice left, or the one that has no open pick beyond those made."""
        if len(self.left) == 1:
            return self.left[0] if self.picks else None
        picked = Counter(self.picks)
        whole = [c for c in self.left if all(picked[name] >= n for name, n in c.tokens.items() if name in self.open)]
        return whole[0] if len(whole) == 1 and self.picks else None

    def without(self, number: int) -> list[str]:
        """Return the picks without the one at an index."""
        return self.picks[:number] + self.picks[number + 1 :]
