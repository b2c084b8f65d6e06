"""Choosing by parts: picks on the table, one at a time, until one action is left.

Enters: the actions of a decision, the picks so far as texts. Leaves: the actions that have all picks, the picks that
tell them apart, the action that is chosen. It is stateless: the picks travel in the address. Of a large decision that
is any selection of some things the choices are counted, and only those that are shown are made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, product
from typing import TYPE_CHECKING, Any

from rulelang.languages import folded
from rulelang.runtime.names import LongIds, NamedValue
from rulelang.runtime.waiting import LongOptions
from rulelang.words.search import holding

if TYPE_CHECKING:
    from rulelang.game.actions import Action

ITEM = "item"


def token(part: NamedValue) -> str:
    """Return the pick of a part: `name=value@zone`."""
    return f"{part.name}={part.value}@{part.zone}" if part.zone else f"{part.name}={part.value}"


@dataclass(frozen=True)
class PickedAction:
    """An action as a multiset of picks: its menu item, and each of its parts.

    Attributes:
        parts: picks with their parts. tokens: the multiset, the item included.
    """

    action: Action
    parts: tuple[tuple[str, NamedValue], ...]
    tokens: Counter[str]

    @classmethod
    def of(cls, action: Action) -> PickedAction:
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

    left: list[PickedAction]

    def __init__(self, actions: Sequence[Action], picks: Iterable[str] = ()) -> None:
        self.all = [PickedAction.of(action) for action in actions if not action.leaves]
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
    def open(self) -> dict[str, NamedValue | None]:
        """Return the picks that tell the remaining choices apart: pick -> its part, None for a menu item. Of a single
        choice, all its parts."""
        if len(self.left) < 2:
            return dict(self.left[0].parts) if self.left and not self.picks else {}
        picked = Counter(self.picks)
        parts: dict[str, NamedValue | None] = {}
        counts: dict[str, set[int]] = {}
        for choice in self.left:
            parts.update({f"{ITEM}={choice.action.data['item']}": None})
            parts.update(choice.parts)
        for name in parts:
            counts[name] = {choice.tokens[name] - picked[name] for choice in self.left}
        return {name: part for name, part in parts.items() if len(counts[name]) > 1}

    @cached_property
    def ready(self) -> PickedAction | None:
        """Return the chosen one: the only choice left, or the one that has no open pick beyond those made."""
        if len(self.left) == 1:
            return self.left[0] if self.picks else None
        picked = Counter(self.picks)
        whole = [c for c in self.left if all(picked[name] >= n for name, n in c.tokens.items() if name in self.open)]
        return whole[0] if len(whole) == 1 and self.picks else None

    @property
    def count(self) -> int:
        """Return how many choices are left."""
        return len(self.left)

    @property
    def parts(self) -> Iterable[tuple[str, NamedValue]]:
        """Return the picks of the choices left, with their parts."""
        return (part for choice in self.left for part in choice.parts)

    def part(self, pick: str) -> NamedValue | None:
        """Return the part of a pick; None of a menu item."""
        return next((part for choice in self.all for name, part in choice.parts if name == pick), None)

    @cached_property
    def lone(self) -> list[Action]:
        """Return the actions left whose menu item has no other: there is nothing else to pick."""
        counts = Counter(choice.action.data["item"] for choice in self.left)
        return [choice.action for choice in self.left if counts[choice.action.data["item"]] == 1]

    def listed(self, most: int, words: str, lang: str, label: Callable[[str], str]) -> list[Action]:
        """Return the first actions left that aren't `lone`; with words those that contain them.

        Args:
            label: returns a pick in words.
        """
        lone = set(map(id, self.lone))
        rest = [choice.action for choice in self.left if id(choice.action) not in lone]
        if words:
            rest = [rest[n] for n in holding(words, [folded(action.text(lang)) for action in rest])]
        return rest[:most]

    def without(self, number: int) -> list[str]:
        """Return the picks without the one at an index."""
        return self.picks[:number] + self.picks[number + 1 :]


MOST_READINGS = 64
"""So many combinations of things that the words of a search may mean are looked at."""


@dataclass(frozen=True)
class PartialChoice:
    """An answer of which some parts are chosen.

    Attributes:
        prefix: the parts chosen so far. parts: those that can come next, as texts: `item=NAME` of a menu, else
            `name=value`, of what has a place `name=value@zone`. action: what the parts chosen are as a whole answer;
            None where some are lacking. count: how many actions of the decision have them.
    """

    prefix: tuple[str, ...]
    parts: tuple[str, ...]
    action: Action | None
    count: int


class ChoosingOfMany(Choosing):
    """A partial choice of a selection of things, all selections of some sizes being offered.

    Args:
        options: those of `actions`. sizes: the smallest and the largest. kinds: what can be selected: the members that
            are alike, with the pick and the part that stand for them.
    """

    def __init__(
        self,
        actions: Sequence[Action],
        picks: Iterable[str],
        options: LongOptions,
        sizes: tuple[int, int],
        kinds: dict[str, tuple[list[Any], NamedValue]],
    ) -> None:
        self._actions, self._options, self._kinds, self.picks = actions, options, kinds, []
        leaving = actions[0].offer.leaving
        self.leave = actions[leaving] if leaving >= 0 else None
        low, self._high = sizes
        self._low = max(low, 1 if self.leave else 0)  # what leaves selects nothing
        picked = Counter[str]()
        for pick in picks:
            if pick in kinds and len(self.picks) < self._high and picked[pick] < len(kinds[pick][0]):
                self.picks.append(pick)
                picked[pick] += 1
        self._picked = picked
        self._more = {pick: len(members) - picked[pick] for pick, (members, _) in kinds.items()}

    @classmethod
    def of(cls, actions: Sequence[Action], picks: Iterable[str]) -> ChoosingOfMany | None:
        """Return the partial choice among actions; None where they are few, or no selections of things that differ in
        their picks."""
        offer = actions[0].offer if actions else None
        options = offer.options if offer is not None else ()
        if offer is None or not isinstance(options, LongOptions) or (sizes := options.selections) is None:
            return None
        if not isinstance(offer.ids, LongIds) or not options.families:
            return None
        kinds: dict[str, tuple[list[Any], NamedValue]] = {}
        for members in options.families[0].binders[0]:
            parts = [part for member in members for part in offer.parts_of(options.families[0].item, ((member,),))]
            if len({*map(token, parts)}) != 1 or len(parts) != len(members) or token(parts[0]) in kinds:
                return None
            kinds[token(parts[0])] = members, parts[0]
        return cls(actions, picks, options, sizes, kinds)

    @property
    def left(self) -> list[PickedAction]:  # type: ignore[override]
        return list(map(PickedAction.of, self._left(Counter())))

    @cached_property
    def count(self) -> int:
        """Return the number of selections that contain the picks."""
        room = self._high - len(self.picks)
        ways = [1] + [0] * room
        for most in self._more.values():
            ways = [sum(ways[max(size - most, 0) : size + 1]) for size in range(room + 1)]
        return sum(ways[max(self._low - len(self.picks), 0) :])

    @cached_property
    def open(self) -> dict[str, NamedValue | None]:
        if self.count < 2:
            return {} if self.picks else dict(PickedAction.of(next(self._left(Counter()))).parts)
        room = self._high - len(self.picks)
        return {pick: part for pick, (_, part) in self._kinds.items() if room and self._more[pick]}

    @cached_property
    def ready(self) -> PickedAction | None:
        if not self.picks or (self.count > 1 and len(self.picks) < self._low):
            return None
        return PickedAction.of(next(self._left(Counter())))

    @property
    def parts(self) -> Iterable[tuple[str, NamedValue]]:
        return ((pick, part) for pick, (_, part) in self._kinds.items())

    def part(self, pick: str) -> NamedValue | None:
        return self._kinds[pick][1] if pick in self._kinds else None

    @cached_property
    def lone(self) -> list[Action]:
        return []

    def _left(self, wanted: Counter[str]) -> Iterator[Action]:
        """Yield the actions that select the picks and what is wanted besides, smaller ones first."""
        least = self._picked | wanted
        names = list(self._kinds)
        most = [len(self._kinds[name][0]) - least[name] for name in names]
        behind = [sum(most[number:]) for number in range(len(most) + 1)]

        def more(number: int, size: int) -> Iterator[list[int]]:
            """Yield how many more to take of each kind from a number on, so many in all."""
            if size > behind[number]:
                return
            if number == len(most):
                yield []
                return
            for taken in range(min(most[number], size), -1, -1):
                for others in more(number + 1, size - taken):
                    yield [taken, *others]

        for size in range(max(self._low, least.total()), self._high + 1):
            for extra in more(0, size - least.total()):
                counts = zip(names, extra, strict=True)
                members = [m for name, n in counts for m in self._kinds[name][0][: least[name] + n]]
                yield self._actions[self._options.rank((self._options.families or [])[0].item, [members])]

    def _readings(self, words: str, label: Callable[[str], str]) -> list[tuple[str, ...]]:
        """Return what words may mean: for each word one of the picks that it names."""
        names = list(self._kinds)
        alone = [folded(label(name)) for name in names]
        meant = [[names[number] for number in holding(word, alone)] for word in folded(words).split()]
        return list(islice(product(*meant), MOST_READINGS))

    def found(self, words: str, label: Callable[[str], str], most: int) -> int:
        """Return how many choices words find; where they may mean several things, `most` at most."""
        readings = self._readings(words, label)
        if len(readings) != 1:
            return len(self.listed(most, words, "", label)) if readings else 0
        wanted = [*(Counter({*readings[0]}) | self._picked).elements()]
        sizes = self._low, self._high
        return ChoosingOfMany(self._actions, wanted, self._options, sizes, self._kinds).count

    def is_named(self, word: str, label: Callable[[str], str]) -> bool:
        """Return whether a word names something that can be selected."""
        return bool(holding(word, [folded(label(pick)) for pick in self._kinds]))

    def listed(self, most: int, words: str, lang: str, label: Callable[[str], str]) -> list[Action]:
        if not words:
            return list(islice(self._left(Counter()), most))
        found: dict[int, Action] = {}
        for reading in self._readings(words, label):
            for action in islice(self._left(Counter({*reading})), most):
                found.setdefault(action.place, action)
        return [found[place] for place in sorted(found)][:most]


def partial_choice(actions: Sequence[Action], prefix: Sequence[str] = ()) -> PartialChoice:
    """Return what part of an answer can come next, after those of a prefix, in any order of choosing.

    Raises:
        ValueError: the parts of the prefix are no part of any action.
    """
    choosing = ChoosingOfMany.of(actions, prefix) or Choosing(actions, prefix)
    if len(choosing.picks) < len(prefix):
        raise ValueError(f"no action has these parts: {', '.join(prefix)}")
    if not prefix:
        ready = choosing.leave or (actions[0] if len(actions) == 1 else None)
        return PartialChoice((), tuple(choosing.open), ready, len(actions))
    ready = choosing.ready.action if choosing.ready is not None else None
    return PartialChoice(tuple(prefix), tuple(choosing.open), ready, choosing.count)
