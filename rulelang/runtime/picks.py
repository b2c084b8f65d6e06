"""Options as sequences of picks from one fixed vocabulary, whatever the ruleset and however many options there are.

Enters: a layout; a seat, a state, the options of its decision. Leaves: `Vocabulary`: the names of all picks, known
without playing; for each option one sequence, of which none is a prefix of another. `Picking`: the picks made so far
and those that are possible next; picks that all options that are left have in common are made at once.

A sequence names the item of a menu, then each value:

 - a scalar by its name; a number by itself where its binder bounds it, else by sign and `DIGITS` digits
 - a piece by its definition; one that only its place tells from others also by its cell or zone; an individual by its
   row (the place among those of its definition, sorted by what the seat sees of them: `Relative.row`)
 - a collection by its members in the order of their picks, then `done`; a bag unit by unit, then `done`; a payment so
   for each purse; a grouping by the group of each member, a new one at most one higher than before

Names are relative to the seat (`rulelang.runtime.relative`) and hang on no number.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Iterator, Sequence
from copy import copy
from math import prod
from typing import Any, Protocol

from rulelang.diagnostics import UsageError, counted
from rulelang.ir.nodes import Binder, Decision
from rulelang.ir.walk import index, procedure_parts
from rulelang.memos import kept_with
from rulelang.runtime.bounds import Interval, interval
from rulelang.runtime.layout import ITEM_MASK, REACTION_MASK, REACTION_SHIFT, ZONE_SHIFT, Layout, members
from rulelang.runtime.names import enum_names, is_lone
from rulelang.runtime.relative import Relative, relative_to, values_of
from rulelang.runtime.state import State
from rulelang.runtime.waiting import Option
from rulelang.vocabulary.types import Type

DIGITS = 19
"""So many digits every number of 64 bits has."""
VALUE, MEMBERS, UNITS, WHOLE, GROUPS = range(5)
"""How picks follow from what is known of parts: of a single value; of each member, sorted, then `done`; of each unit of
a bag, of each purse of a payment, then `done`; of all words of one or several values together; of each member of groups
and the group, sorted."""
MOST_NUMBERS = 1024
"""A number of so many values is one pick, of more it is spelled out."""
MOST_DISCRETE, MOST_MEMBERS = 1 << 16, 16
Sequence_ = tuple[int, ...]
Part = tuple[int, Hashable, int, Sequence[int]]
"""A word of `VALUE, MEMBERS, UNITS, WHOLE, GROUPS`; what values that are spelled alike have in common; of how many
binders it is; of `UNITS` the pick of each resource, of `GROUPS` of each group."""


class Spelling(Protocol):
    """Options as numbers of a space.

    Attributes:
        size: how many numbers there are. passing, done: the numbers that pass, that end a collection.
        rows: those of the rows of individuals, from 1 on.
    """

    size: int
    passing: int
    done: int
    rows: Sequence[int]

    def sequences(self, state: State, seat: int, decision: int, options: Sequence[Option]) -> list[Sequence_]:
        """Return for each option of a seat at a decision its numbers: all different, none a prefix of another."""

    def plan(self, decision: int, item: int) -> tuple[int, list[Part]] | None:
        """Return the number that an item begins with (-1: none), and of which parts the rest is made; None: it hangs on
        more than the values."""

    def parts(self, seat: int, decision: int, options: Sequence[Option]) -> Iterator[list[int]]:
        """Yield, option by option, the numbers of each part, of `MEMBERS` and `GROUPS` of each member, of `UNITS` none;
        -1 - item in place of an individual's row. A seat names values in the same way in all positions."""


class Vocabulary:
    """The picks of a layout.

    Attributes:
        names: by number. number_of: name -> number.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.names: list[str] = []
        self.number_of: dict[str, int] = {}
        self._ranges: dict[int, Interval] = {}
        self._values = [_Values(self, seat) for seat in range(layout.players)]
        self.items = [_item_names(decision) for decision in layout.program.decisions]
        self._add("done", "pass")
        for decision, names in zip(layout.program.decisions, self.items, strict=True):
            if len(names) > 1 or not decision.items[0].binders:
                self._add(*names)
            for item in decision.items:
                for binder in item.binders:
                    self._add(*(name for axis in self.axes(binder.type, binder) for name in axis))
                    if binder.kind == "grouping":
                        self._add(*self._groups(binder.type))
        self.size, self.done, self.passing = len(self.names), self.number_of["done"], self.number_of["pass"]
        most = max(layout.item_copy, default=0) + 1
        self.rows: Sequence[int] = [self.number_of.get(f"row:{row}", self.done) for row in range(1, most + 1)]

    def _groups(self, type_: Type) -> list[str]:
        """Return the names of the groups of which a member may be one."""
        layout = self.layout
        return [f"group:{n}" for n in range(1, 1 + len(layout.kind_items[layout.kind_index[type_.core.name]]))]

    def _add(self, *names: str) -> None:
        for name in names:
            if self.number_of.setdefault(name, len(self.names)) == len(self.names):
                self.names.append(name)

    def axes(self, type_: Type, binder: Binder) -> list[list[str]]:
        """Return the names from which the picks of a value are taken, one after the other; of a collection those of a
        member."""
        layout, relative = self.layout, relative_to(self.layout, 0)
        if type_.wraps:
            axes = self.axes(type_.inner, binder)
            return [["none", *axes[0]], *axes[1:]] if type_.kind == "opt" else axes
        if type_.kind in ("bag", "payment"):
            return [[f"{type_.name}/{name}" for name in enum_names(layout, type_.name)]]
        if type_.kind == "int":
            low, high = self.range_of(binder)
            if high - low < MOST_NUMBERS:
                return [[f"number:{number}" for number in range(low, high + 1)]]
            return [["sign:+", "sign:-"], *[[f"digit:{digit}" for digit in range(10)]] * DIGITS]
        if type_.kind == "piece":
            return self._piece_axes([layout.kind_index[type_.name]])
        if type_.kind == "reaction":
            (first, *others) = self._piece_axes(list(range(len(layout.program.kinds))))
            return [[f"handler:{number}" for number in sorted(_handlers(layout))], ["none", *first], *others]
        return [[_scalar_name(relative, type_, value) for value in values_of(relative, type_)]]

    def _piece_axes(self, kinds: Sequence[int]) -> list[list[str]]:
        layout, relative = self.layout, relative_to(self.layout, 0)
        items = [item for kind in kinds for item in layout.kind_items[kind]]
        sorts = sorted({relative.sorts[layout.item_sorts[item]] for item in items})
        apart = [item for item in items if not is_lone(layout, item)]
        identity = [item for item in apart if layout.program.kinds[layout.item_kind[item]].identity]
        rows = range(1, 2 + max((layout.item_copy[item] for item in identity), default=-1))
        placed = {layout.item_kind[item] for item in apart} - {layout.item_kind[item] for item in identity}
        zones = [relative.zones[zone] for zone in relative.zone_order if layout.inst_kind[zone] in placed]
        names = [*(f"row:{row}" for row in rows), *(f"zone:{relative.zone_names[zone]}" for zone in zones)]
        return [[f"piece:{relative.sort_names[sort]}" for sort in sorts], *([names] if names else [])]

    def range_of(self, binder: Binder) -> Interval:
        """Return the lowest and highest number among a binder's values, as far as declarations tell."""
        if id(binder) not in self._ranges:
            bounds = [interval(self.layout.program, arg) for arg in binder.args] if binder.kind == "number" else []
            self._ranges[id(binder)] = (bounds[0][0], bounds[1][1]) if bounds else (0, 1 << 62)
        return self._ranges[id(binder)]

    def sequences(self, state: State, seat: int, decision: int, options: Sequence[Option]) -> list[Sequence_]:
        """Return for each option of a seat at a decision its sequence of picks: all different, none a prefix of
        another."""
        speller = _Speller(self, state, seat, decision, options)
        return [tuple(speller.option(option)) for option in options]

    def item_pick(self, decision: int, item: int) -> int:
        """Return the pick that an item begins with; -1: none is needed."""
        names = self.items[decision]
        bound = self.layout.program.decisions[decision].items[item].binders
        return self.number_of[names[item]] if len(names) > 1 or not bound else -1

    def scalar(self, seat: int, type_: Type, value: int, binder: Binder) -> list[int]:
        """Return the picks of a single value; -1 - item in place of an individual's row."""
        return self._values[seat].picks(type_, value, binder)

    def plan(self, decision: int, item: int) -> tuple[int, list[Part]] | None:
        """See `Spelling`."""
        parts: list[Part] = []
        for binder in self.layout.program.decisions[decision].items[item].binders:
            manner = _manner(binder)
            if manner == WHOLE and has_rows(self.layout, binder.type.core):
                return None
            units = self.resources(binder.type) if manner == UNITS else ()
            if manner == GROUPS:
                units = [self.number_of[name] for name in self._groups(binder.type)]
            parts.append((manner, (binder.type, self.range_of(binder)), 1, units))
        return self.item_pick(decision, item), parts

    def parts(self, seat: int, decision: int, options: Sequence[Option]) -> Iterator[list[int]]:
        """See `Spelling`."""
        speller = _Speller(self, None, seat, decision, options)
        for option in options:
            for binder, value in speller.decision.bound(*option):
                manner = _manner(binder)
                if manner == UNITS:
                    continue
                if manner == WHOLE:
                    yield speller.value(binder.type, value, binder)
                    continue
                of = binder.type if manner == VALUE else binder.type.core if manner == GROUPS else binder.type.inner
                for part in members(value):
                    yield self.scalar(seat, of, part, binder)

    def resources(self, type_: Type) -> list[int]:
        """Return the pick of a unit of each resource of a bag or payment."""
        return [self.number_of[f"{type_.name}/{name}"] for name in enum_names(self.layout, type_.name)]


class _Values:
    """The picks of single values as a seat names them, the same in all positions."""

    def __init__(self, vocabulary: Vocabulary, seat: int) -> None:
        self.vocabulary, self.layout, self.relative = (
            vocabulary,
            vocabulary.layout,
            relative_to(vocabulary.layout, seat),
        )
        self._memo: dict[tuple[Type, int, Interval], list[int]] = {}

    def picks(self, type_: Type, value: int, binder: Binder) -> list[int]:
        """Return the picks of a value; -1 - item in place of an individual's row."""
        low, high = self.vocabulary.range_of(binder)
        if type_.core == "int" and high - low >= MOST_NUMBERS:
            return self._picks(type_, value, binder)
        key = type_, value, (low, high)
        if key not in self._memo:
            self._memo[key] = self._picks(type_, value, binder)
        return self._memo[key]

    def _picks(self, type_: Type, value: int, binder: Binder) -> list[int]:
        number = self.vocabulary.number_of
        if type_.kind == "opt":
            return [number["none"]] if value == type_.absent else self.picks(type_.inner, value, binder)
        if type_.kind == "int":
            low, high = self.vocabulary.range_of(binder)
            if high - low < MOST_NUMBERS:
                return [number[f"number:{value}"]]
            digits = f"{abs(value):0{DIGITS}}"
            return [number["sign:-" if value < 0 else "sign:+"], *(number[f"digit:{digit}"] for digit in digits)]
        if type_.kind == "reaction":
            piece = (value & REACTION_MASK) - 1
            told = [number["none"]] if piece < 0 else self._piece(piece)
            return [number[f"handler:{value >> REACTION_SHIFT}"], *told]
        if type_.kind == "piece":
            return self._piece(value)
        return [number[_scalar_name(self.relative, type_, value)]]

    def _piece(self, piece: int) -> list[int]:
        """Return the picks of a piece."""
        layout, relative, item = self.layout, self.relative, piece & ITEM_MASK
        number = self.vocabulary.number_of
        picks = [number[f"piece:{relative.sort_names[relative.sorts[layout.item_sorts[item]]]}"]]
        if not is_lone(layout, item):
            if layout.program.kinds[layout.item_kind[item]].identity:
                picks.append(-1 - item)
            else:
                picks.append(number[f"zone:{relative.zone_names[relative.zones[piece >> ZONE_SHIFT]]}"])
        return picks


class Discrete:
    """Options numbered over all values of their types, offered or not: the offset of the item, then its values by mixed
    radix. A `Spelling` of one number each.

    Attributes:
        size: how many numbers there are; 0 is to pass.

    Raises:
        UsageError: a choice has no bound, or there are more than `MOST_DISCRETE` numbers; it says at which choice.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary, self.size = vocabulary, 1
        self.passing = self.done = 0
        self.rows: Sequence[int] = ()
        self._items: dict[tuple[int, int], tuple[int, list[_Radix]]] = {}
        for number, decision in enumerate(vocabulary.layout.program.decisions):
            for place, item in enumerate(decision.items):
                radices = [self._radix(binder, decision.rule) for binder in item.binders]
                self._items[number, place] = self.size, radices
                self.size += prod(radix.size for radix in radices)
                if self.size > MOST_DISCRETE:
                    raise UsageError(f"with `{decision.rule}` there are over {MOST_DISCRETE} actions; use `picks`")

    def _radix(self, binder: Binder, rule: str) -> _Radix:
        """Return how the values of a binder are numbered."""
        vocabulary, most = self.vocabulary, 0
        if binder.kind == "some":
            most = interval(vocabulary.layout.program, binder.args[2])[1]
        elif not binder.type.scalar:
            raise UsageError(f"`{binder.name}` of `{rule}` is a collection without a bound; use `picks`")
        axes = [{vocabulary.number_of[n]: k for k, n in enumerate(a)} for a in vocabulary.axes(binder.type, binder)]
        radix = _Radix(axes, most)
        if most > MOST_MEMBERS or radix.size > MOST_DISCRETE:
            raise UsageError(f"`{binder.name}` of `{rule}` may be one of over {MOST_DISCRETE} values; use `picks`")
        return radix

    def sequences(self, state: State, seat: int, decision: int, options: Sequence[Option]) -> list[Sequence_]:
        """See `Spelling`."""
        return [
            (number,) for number in self._numbers(_Speller(self.vocabulary, state, seat, decision, options), options)
        ]

    def plan(self, decision: int, item: int) -> tuple[int, list[Part]] | None:
        """See `Spelling`."""
        binders = self.vocabulary.layout.program.decisions[decision].items[item].binders
        if any(has_rows(self.vocabulary.layout, binder.type.core) for binder in binders):
            return None
        return -1, [(WHOLE, (decision, item), len(binders), ())]

    def parts(self, seat: int, decision: int, options: Sequence[Option]) -> Iterator[list[int]]:
        """See `Spelling`."""
        chosen = [option for option in options if option.item >= 0]
        for number in self._numbers(_Speller(self.vocabulary, None, seat, decision, options), chosen):
            yield [number]

    def _numbers(self, speller: _Speller, options: Sequence[Option]) -> list[int]:
        node, decision = speller.decision, speller.number
        result = []
        for option in options:
            number, radices = self._items[decision, option.item] if option.item >= 0 else (0, [])
            value = 0
            for (binder, chosen), radix in zip(node.bound(*option), radices, strict=True):
                parts = chosen if radix.most else (chosen,)
                inner = binder.type.inner if radix.most else binder.type
                value = value * radix.size + radix.number([speller.value(inner, part, binder) for part in parts])
            result.append(number + value)
        return result


class Ordinals:
    """Options by their places among those of their decision: a `Spelling` that means something else at each."""

    size = 1024
    passing = done = 0
    rows: Sequence[int] = ()

    def sequences(self, state: State, seat: int, decision: int, options: Sequence[Option]) -> list[Sequence_]:
        """See `Spelling`.

        Raises:
            UsageError: there are more options than numbers.
        """
        if len(options) > self.size:
            raise UsageError(f"a decision has {counted(len(options), 'option')}; the space `index` ends at {self.size}")
        return [(place,) for place in range(len(options))]

    def plan(self, decision: int, item: int) -> None:
        """See `Spelling`."""

    def parts(self, seat: int, decision: int, options: Sequence[Option]) -> Iterator[list[int]]:
        """See `Spelling`."""
        return iter(())


class _Radix:
    """The numbers of a value, or of at most `most` members of a collection, in the order of their picks."""

    def __init__(self, axes: list[dict[int, int]], most: int) -> None:
        self.axes, self.most = axes, most
        self._each = prod(map(len, axes))
        self.size = (self._each + 1) ** most if 0 < most <= MOST_MEMBERS else self._each

    def number(self, parts: list[list[int]]) -> int:
        """Return the number of a value by its picks, or those of its members."""
        numbers = []
        for picks in sorted(parts):
            number = 0
            for place, axis in enumerate(self.axes):
                number = number * len(axis) + (axis[picks[place]] if place < len(picks) else 0)
            numbers.append(number)
        if not self.most:
            return numbers[0]
        result = 0
        for number in [-1] * (self.most - len(numbers)) + numbers:
            result = result * (self._each + 1) + number + 1
        return result


@kept_with
def vocabulary_of(layout: Layout) -> Vocabulary:
    """Return the memoised vocabulary of a layout."""
    return Vocabulary(layout)


def has_rows(layout: Layout, type_: Type) -> bool:
    """Return whether a value may be an individual that its row tells from others."""
    kinds = layout.program.kinds if type_.kind == "reaction" else ()
    if type_.kind == "piece":
        kinds = (layout.program.kinds[layout.kind_index[type_.name]],)
    return any(
        kind.identity and not all(is_lone(layout, item) for item in layout.kind_items[layout.kind_index[kind.name]])
        for kind in kinds
    )


def _manner(binder: Binder) -> int:
    """Return how the picks of a binder's value are put together."""
    type_ = binder.type
    if type_.scalar:
        return VALUE
    if type_.kind in ("bag", "payment"):
        return UNITS
    if binder.kind == "grouping" and type_.inner.wraps:
        return GROUPS
    return MEMBERS if type_.wraps and type_.inner.scalar and type_.kind not in ("opt", "seats") else WHOLE


def _item_names(decision: Decision) -> list[str]:
    """Return the picks that name the items of a decision, all different."""
    names: list[str] = []
    for item in decision.items:
        name = f"item:{decision.rule}/{item.name or decision.rule}"
        count = sum(other.partition("#")[0] == name for other in names)
        names.append(f"{name}#{count + 1}" if count else name)
    return names


def _handlers(layout: Layout) -> set[int]:
    """Return the numbers of all handlers that a reaction may be."""
    program = layout.program
    parts = (part for procedure in program.procedures for part in procedure_parts(procedure, program.decisions))
    return {index(part) for part in parts if part.op == "reaction"}


def _scalar_name(relative: Relative, type_: Type, value: int) -> str:
    """Return the pick of a scalar that is no number and no piece."""
    return f"{type_.name or type_.kind}/{relative.name(type_, value)}"


class _Speller:
    """Writes the values of one decision's options as picks."""

    def __init__(
        self, vocabulary: Vocabulary, state: State | None, seat: int, decision: int, options: Sequence[Option]
    ) -> None:
        self.vocabulary, self.layout, self.state, self._seat = vocabulary, vocabulary.layout, state, seat
        self.number, self.decision = decision, self.layout.program.decisions[decision]
        self._number = vocabulary.number_of
        self._item_picks = [vocabulary.item_pick(decision, item) for item in range(len(self.decision.items))]
        self._ordinals: dict[int, int] = {}
        self._options = options

    def option(self, option: Option) -> Iterator[int]:
        """Yield the picks of an option."""
        if option.item < 0:
            yield self.vocabulary.passing
            return
        if self._item_picks[option.item] >= 0:
            yield self._item_picks[option.item]
        for binder, value in self.decision.bound(*option):
            yield from self.value(binder.type, value, binder)

    def value(self, type_: Type, value: Any, binder: Binder) -> list[int]:
        """Return the picks of a value."""
        if not type_.scalar:
            return self._collected(type_, value, binder)
        picks = self.vocabulary.scalar(self._seat, type_, value, binder)
        return [pick if pick >= 0 else self._row(-1 - pick) for pick in picks]

    def _collected(self, type_: Type, value: Any, binder: Binder) -> list[int]:
        number, done = self._number, self.vocabulary.done
        if type_.kind == "opt":
            return [number["none"]] if value == type_.absent else self.value(type_.inner, value, binder)
        if type_.kind in ("bag", "payment"):
            names = self.vocabulary.resources(type_)
            purses = [value[start : start + len(names)] for start in range(0, len(value), len(names))] or [()]
            units = [[n for n, count in zip(names, purse, strict=False) for _ in range(count)] for purse in purses]
            return [pick for purse in units for pick in (*purse, done)]
        if binder.kind == "grouping" and type_.inner.wraps:
            return self._grouped(type_, value, binder)
        parts = [self.value(type_.inner, part, binder) for part in value]
        if type_.kind == "seats":
            return [pick for part in parts for pick in part]
        return [*(pick for part in sorted(parts) for pick in part), done]

    def _grouped(self, type_: Type, value: Any, binder: Binder) -> list[int]:
        """Return the picks of a grouping: each individual in order, and its group."""
        rows = sorted(
            (self.value(type_.core, member, binder), group) for group, each in enumerate(value) for member in each
        )
        groups: dict[int, int] = {}
        picks: list[int] = []
        for row, group in rows:
            picks += [*row, self._number[f"group:{groups.setdefault(group, len(groups) + 1)}"]]
        return picks

    def _row(self, item: int) -> int:
        """Return the pick of an individual's row: those of its definition are sorted by what the seat sees of them; of
        those that look the same the offered ones count in their order."""
        if not self._ordinals:
            assert self.state is not None
            self._number_rows(self.state)
        return self.vocabulary.rows[self._ordinals[item] - 1]

    def _number_rows(self, state: State) -> None:
        layout, relative = self.layout, relative_to(self.layout, self._seat)
        used: dict[tuple[int, tuple[int, ...]], int] = {}
        rows: dict[int, list[tuple[int, ...]]] = {}
        for item in self._offered():
            sort = layout.item_sorts[item]
            if sort not in rows:
                rows[sort] = sorted(relative.row(state, other) for other in relative.items[sort])
            row = relative.row(state, item)
            first = bisect_left(rows[sort], row)
            used[sort, row] = place = used.get((sort, row), 0) + 1
            assert first + place <= bisect_right(rows[sort], row)
            self._ordinals[item] = first + place

    def _offered(self) -> list[int]:
        """Return the individuals among the values of the options, in the order in which they first stand there."""
        layout, items = self.layout, dict[int, None]()
        for option in self._options:
            for binder, value in self.decision.bound(*option):
                if binder.type.core.kind not in ("piece", "reaction"):
                    continue
                for member in members(value):
                    piece = (member & REACTION_MASK) - 1 if binder.type.core.kind == "reaction" else member
                    if piece >= 0 and layout.program.kinds[layout.item_kind[piece & ITEM_MASK]].identity:
                        items[piece & ITEM_MASK] = None
        return list(items)


class Picking:
    """The picks of one decision, made one by one.

    Attributes:
        prefix: the picks so far, with those that followed of themselves. chosen: the index of the option, once only
            one is left and at least one pick was made; else -1. mask: the picks that are possible next, sorted.
    """

    def __init__(self, sequences: Sequence[Sequence_]) -> None:
        self._sorted = sorted((sequence, place) for place, sequence in enumerate(sequences))
        self._low, self._high = 0, len(self._sorted)
        self.prefix: Sequence_ = ()
        self.chosen = -1
        if len(self._sorted) > 1:
            self._follow()

    def copy(self) -> Picking:
        """Return an independent copy."""
        return copy(self)

    @property
    def mask(self) -> list[int]:
        """Return the picks that are possible next, in order."""
        if self.chosen >= 0:
            return []
        at = len(self.prefix)
        return sorted({sequence[at] for sequence, _ in self._sorted[self._low : self._high]})

    def pick(self, pick: int) -> int:
        """Make a pick; return the index of the option that is chosen by it, -1 where more is to be picked.

        Raises:
            ValueError: it is not possible.
        """
        at = len(self.prefix)
        key: Callable[[tuple[Sequence_, int]], int] = lambda row: row[0][at]  # noqa: E731
        low = bisect_left(self._sorted, pick, self._low, self._high, key=key)
        high = bisect_right(self._sorted, pick, low, self._high, key=key)
        if low == high or self.chosen >= 0:
            raise ValueError(pick)
        self._low, self._high, self.prefix = low, high, (*self.prefix, pick)
        self._follow()
        return self.chosen

    def _follow(self) -> None:
        """Make the picks that all options that are left have in common; take a lone one."""
        first, last = self._sorted[self._low][0], self._sorted[self._high - 1][0]
        if self._high - self._low == 1:
            self.prefix, self.chosen = first, self._sorted[self._low][1]
            return
        at = len(self.prefix)
        while first[at] == last[at]:
            at += 1
        self.prefix = first[:at]
