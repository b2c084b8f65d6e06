"""Decisions as generators of options: count, the n-th, list, contains, and why a combination is refused.

Enters: `Decision`s. Leaves: `DecisionCode`. The options of one item are a *chunk*: a sequence of values (of its only
binder) or of tuples of values; it is a range or a counted family wherever no guard forbids it, so that counting and
picking need no list.
"""

# S is the state, L the locals, in every closure of this package.

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate, groupby
from typing import Any

from rulelang.interpreter.expressions import Code, Compiler, Locals, charge
from rulelang.interpreter.groupings import GroupingCode
from rulelang.interpreter.refusals import Explainer
from rulelang.ir.nodes import Binder, Decision, Guard, Item
from rulelang.ir.walk import local_reads
from rulelang.limits import COUNTED, SELECTION_TABLE
from rulelang.runtime.bounds import fuel_error
from rulelang.runtime.distinct import distinct, key
from rulelang.runtime.fuel import round_work
from rulelang.runtime.layout import ITEM_MASK, REACTION_MASK, REACTION_SHIFT
from rulelang.runtime.payments import TooManyError
from rulelang.runtime.pools import interchangeable_classes
from rulelang.runtime.refusals import Refusal
from rulelang.runtime.state import State
from rulelang.runtime.waiting import Family, LongOptions, Option, plain
from rulelang.vocabulary.operations import DISTINCT

Chunk = Sequence[Any]
ONE: Chunk = ((),)
NONE: Chunk = ()
TABLES_CACHED = 256
LONG = 1024
"""More options are made one by one when they are looked at; native code lists as many."""
TOO_MANY = "there are too many options to be looked through: limit what can be chosen from"


class _SelectionCounts:
    """How many sub-multisets of each size there are, by dynamic programming over classes of equal elements.

    Attributes:
        suffix: [class][size] -> number of sub-multisets of that class and those after it. by_size: of all classes, for
            the sizes from `low` on. total: their sum.

    Args:
        copies: how many elements each class has.

    Raises:
        TooManyError: there are more than COUNTED.
    """

    __slots__ = ("by_size", "suffix", "total")

    def __init__(self, copies: tuple[int, ...], low: int, high: int) -> None:
        row = [1] + [0] * high
        suffix = [row]
        for count in reversed(copies):
            sums = [0, *accumulate(row)]
            row = [sums[n + 1] - sums[max(n - count, 0)] for n in range(high + 1)]
            suffix.append(row)
        suffix.reverse()
        self.suffix = suffix
        self.by_size = suffix[0][low:]
        self.total = sum(self.by_size)
        if self.total > COUNTED:
            raise TooManyError


_selection_counts = lru_cache(maxsize=TABLES_CACHED)(_SelectionCounts)


class Selections(Sequence[list[Any]]):
    """Every distinct sub-multiset with `low` to `high` elements, by size, then in lexicographic order.

    Args:
        classes: elements that are alike, together; the first ones of a class stand for any of it.
    """

    __slots__ = ("classes", "copies", "high", "low", "numbers")

    def __init__(self, classes: list[list[Any]], low: int, high: int) -> None:
        self.classes = classes
        self.copies = tuple([len(members) for members in classes])
        self.low = max(low, 0)
        self.high = min(high, sum(self.copies))
        if self.low <= self.high and (len(classes) + 1) * (self.high + 1) > SELECTION_TABLE:
            raise TooManyError
        self.numbers = _selection_counts(self.copies, self.low, self.high) if self.low <= self.high else None

    def __len__(self) -> int:
        return self.numbers.total if self.numbers else 0

    def __getitem__(self, index: Any) -> Any:
        assert self.numbers is not None
        size = self.low
        for number in self.numbers.by_size:
            if index < number:
                break
            index -= number
            size += 1
        suffix = self.numbers.suffix
        selection: list[Any] = []
        for position, members in enumerate(self.classes):
            below = suffix[position + 1]
            taken = min(len(members), size)
            while index >= below[size - taken]:
                index -= below[size - taken]
                taken -= 1
            if taken:
                selection += members[:taken]
                size -= taken
                if not size:
                    break
        return selection

    def __iter__(self) -> Iterator[list[Any]]:
        return map(self.__getitem__, range(len(self)))

    def rank(self, value: Sequence[Any]) -> int:
        """Return the index of a sub-multiset, the inverse of `__getitem__`; -1 if it is none of these."""
        if self.numbers is None or not self.low <= len(value) <= self.high:
            return -1
        size, at = len(value), 0
        index = sum(self.numbers.by_size[: size - self.low])
        for position, members in enumerate(self.classes):
            taken = 0
            while taken < len(members) and at + taken < len(value) and members[taken] == value[at + taken]:
                taken += 1
            below, most = self.numbers.suffix[position + 1], min(len(members), size)
            index += sum(below[size - more] for more in range(taken + 1, most + 1))
            at, size = at + taken, size - taken
        return -1 if size else index

    def __contains__(self, value: object) -> bool:
        if not isinstance(value, list) or not self.low <= len(value) <= self.high:
            return False
        left = [key(part) for part in value]
        for members in self.classes:
            for member in members:
                if not left or left[0] != key(member):
                    break
                del left[0]
        return not left


class Nested(Sequence[tuple[Any, ...]]):
    """Tuples of several binders: for each prefix the chunk of the last binder."""

    __slots__ = ("ends", "parts")

    def __init__(self, parts: list[tuple[tuple[Any, ...], Chunk]]) -> None:
        self.parts = parts
        self.ends = list(accumulate(len(chunk) for _, chunk in parts))
        if self.ends and self.ends[-1] > COUNTED:
            raise TooManyError

    def __len__(self) -> int:
        return self.ends[-1] if self.ends else 0

    def __getitem__(self, index: Any) -> Any:
        part = bisect_right(self.ends, index)
        prefix, chunk = self.parts[part]
        return (*prefix, chunk[index - (self.ends[part - 1] if part else 0)])

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        for prefix, chunk in self.parts:
            for last in chunk:
                yield (*prefix, last)


class _BinderCode:
    """The values of one binder, given the state and the binders before it.

    Attributes:
        slot: where a value is bound. kind: `each`, `number`, `some` and the like. codes: its set, or bounds. before:
            types and slots of earlier binders that may refer to individuals. refers: whether its own values may.
            reactions: whether they are reactions. distinct: whether its set has no duplicates. listed: whether a value
            is a set.
    """

    def __init__(self, c: Compiler, binder: Binder, before: tuple[Binder, ...]) -> None:
        self.slot = binder.slot
        self.kind = binder.kind
        self.codes = [c.code(arg) for arg in binder.args]
        # Groups differ in what they are grouped by, in which pieces that are alike do not.
        among = binder.args[0].type
        self.refers = binder.kind != "number" and among.inner.scalar and c.layout.refers(among)
        self.reactions = binder.type.core == "reaction"
        self.layout, self.kinds = c.layout, c.program.kinds
        self.before = [(other.type, other.slot) for other in before if c.layout.refers(other.type)]
        source = binder.args[0].op
        self.distinct = source in DISTINCT
        self.listed = binder.type.present.kind == "set"

    def chunk(self, S: State, L: Locals) -> Chunk:
        """Return the distinct values in their order."""
        if self.kind == "number":
            low, high = self.codes[0](S, L), self.codes[1](S, L)
            if high - low >= COUNTED:
                raise TooManyError
            return range(low, high + 1)
        elements: list[Any] = self.codes[0](S, L)
        if self.kind == "each":
            if self.refers:
                return [members[0] for members in self._classes(S, L, elements)]
            return elements if self.distinct else distinct(elements)
        low, high = self.codes[1](S, L), self.codes[2](S, L)
        if self.refers:
            classes = sorted(self._classes(S, L, elements))
        else:
            classes = [list(equal) for _, equal in groupby(sorted(elements))]
        return Selections(classes, low, high)

    def _classes(self, S: State, L: Locals, elements: list[Any]) -> list[list[int]]:
        """Return the elements in classes of interchangeable ones."""
        before = [(type_, L[slot]) for type_, slot in self.before]
        if not self.reactions:
            return interchangeable_classes(S, elements, before)
        # Reactions of one handler are alike if their pieces are; only individuals can be.
        classes: list[list[int]] = []
        individuals: dict[int, list[int]] = {}
        for code in dict.fromkeys(elements):
            piece = (code & REACTION_MASK) - 1
            if piece >= 0 and self.kinds[self.layout.item_kind[piece & ITEM_MASK]].identity:
                individuals.setdefault(code >> REACTION_SHIFT, []).append(piece)
            else:
                classes.append([code])
        for number, pieces in individuals.items():
            shifted = number << REACTION_SHIFT
            classes += [
                [shifted | piece + 1 for piece in alike] for alike in interchangeable_classes(S, pieces, before)
            ]
        return classes


class _ItemCode:
    """Options of one kind. A guard is read as soon as the binders that it, or a guard before it, reads are bound.

    Attributes:
        to: the block that follows. pre: guards that read no binder. guards: by binder those that are read when it is
            bound; work: the fuel of reading them. single: whether there is one binder.
    """

    def __init__(self, c: Compiler, item: Item) -> None:
        self.item = item
        self.to = item.to
        self.pre = [(c.code(guard.condition), guard) for guard in item.pre]
        self.binders = [_BinderCode(c, binder, item.binders[:n]) for n, binder in enumerate(item.binders)]
        self.guards: list[list[tuple[Code, Guard]]] = [[] for _ in item.binders]
        level = -1
        for guard in item.guards:
            reads = local_reads(guard.condition)
            own = [n for n, binder in enumerate(item.binders) if binder.slot in reads]
            level = max([level, *own])
            (self.guards[level] if level >= 0 else self.pre).append((c.code(guard.condition), guard))
        self.single = len(self.binders) == 1
        self.program, self.site = c.program, item.site
        self.work = [round_work(c.layout, *[node.condition for _, node in guards]) for guards in self.guards]

    def chunk(self, S: State, L: Locals) -> Chunk:
        """Return all options of the item; writes to the slots of the binders."""
        try:
            return self._chunk(S, L)
        except TooManyError:
            raise fuel_error(self.program, self.site, TOO_MANY) from None

    def _chunk(self, S: State, L: Locals) -> Chunk:
        """Return all options of the item, after the guards that read no binder."""
        for guard, _ in self.pre:
            if not guard(S, L):
                return NONE
        if not self.binders:
            return ONE
        if self.single:
            return self._last(S, L, 0)
        parts: list[tuple[tuple[Any, ...], Chunk]] = []
        self._collect(S, L, (), parts)
        return Nested(parts)

    def _last(self, S: State, L: Locals, level: int) -> Chunk:
        """Return the values of the binder at a level that pass its guards."""
        binder = self.binders[level]
        values = binder.chunk(S, L)
        guards = self.guards[level]
        if not guards:
            return values
        charge(self.program, self.site, S, len(values) * self.work[level], TOO_MANY)
        passing = []
        slot = binder.slot
        for value in values:
            L[slot] = value
            for guard, _ in guards:
                if not guard(S, L):
                    break
            else:
                passing.append(value)
        return passing

    def _collect(
        self, S: State, L: Locals, prefix: tuple[Any, ...], parts: list[tuple[tuple[Any, ...], Chunk]]
    ) -> None:
        """Collect the values of the last binder for each choice of those before it, depth first."""
        level = len(prefix)
        values = self._last(S, L, level)
        if level == len(self.binders) - 1:
            if len(values):
                parts.append((prefix, values))
            return
        slot = self.binders[level].slot
        charge(self.program, self.site, S, len(values) * self.work[level], TOO_MANY)
        for value in values:
            L[slot] = value
            self._collect(S, L, (*prefix, value), parts)

    def values(self, chosen: Any) -> tuple[Any, ...]:
        """Return the values of an element of the chunk."""
        return (chosen,) if self.single else tuple(chosen)

    def bind(self, L: Locals, values: Sequence[Any]) -> None:
        """Put the values into the slots of the binders."""
        for binder, value in zip(self.binders, values, strict=True):
            L[binder.slot] = list(value) if binder.listed else value

    def contains(self, S: State, L: Locals, values: Sequence[Any]) -> bool:
        """Return whether the values are an option; writes to the slots of the binders."""
        if len(values) != len(self.binders) or not all(guard(S, L) for guard, _ in self.pre):
            return False
        for binder, guards, value in zip(self.binders, self.guards, values, strict=True):
            element = list(value) if binder.listed else value
            if element not in binder.chunk(S, L):
                return False
            L[binder.slot] = element
            if not all(guard(S, L) for guard, _ in guards):
                return False
        return True

    def refused(self, S: State, L: Locals) -> Iterator[tuple[tuple[Any, ...], Guard | Binder]]:
        """Yield values for which a guard fails, with the first guard that does, or a binder that has no value;
        binders after that one are left out. The slots hold the values when each is yielded."""
        offered = self.binders and self.item.binders[0].name == "this"
        if offered and not len(self.binders[0].chunk(S, L)):
            yield (), self.item.binders[0]
            return
        for guard, node in self.pre:
            if not guard(S, L):
                yield (), node
                return
        if self.binders:
            yield from self._refused(S, L, ())

    def seen(self, S: State, L: Locals) -> State:
        """Return the state in which the guards are read."""
        return S

    def _refused(
        self, S: State, L: Locals, prefix: tuple[Any, ...]
    ) -> Iterator[tuple[tuple[Any, ...], Guard | Binder]]:
        """Yield refused values from a binder on, given those before it: see `refused`."""
        level = len(prefix)
        binder = self.binders[level]
        last = level + 1 == len(self.binders)
        chunk = binder.chunk(S, L)
        if not len(chunk):
            yield plain(prefix), self.item.binders[level]
        if last and not self.guards[level]:
            return
        for value in chunk:
            S.fuel -= self.work[level]
            if S.fuel < 0:
                return  # enough was said
            L[binder.slot] = value
            for guard, node in self.guards[level]:
                if not guard(S, L):
                    yield plain((*prefix, value)), node
                    break
            else:
                if not last:
                    yield from self._refused(S, L, (*prefix, value))


def _item_code(c: Compiler, item: Item) -> _ItemCode | GroupingCode:
    if any(binder.kind == "grouping" for binder in item.binders):
        return GroupingCode(c, item)
    return _ItemCode(c, item)


def _empty(chosen: Any) -> bool:
    """Return whether a choice of several is the choice of none: an empty list, or a bag (a tuple) of nothing."""
    return chosen == [] or (isinstance(chosen, tuple) and not any(chosen))


class DecisionCode:
    """One decision of the program.

    Attributes:
        seat: code for the acting seat, or seats. items: their options; with `passes` the last item is the lone pass.
            engine: whether the engine asks, which never asks of one option. may_be_none: whether choosing nothing is
            taken without asking if it is the one option. listed: whether seats at once each answer with a set.
    """

    def __init__(self, c: Compiler, number: int, node: Decision) -> None:
        self.number = number
        self.node = node
        self.seat = c.code(node.seat)
        self.items = [_item_code(c, item) for item in node.items]
        self.explainer = Explainer(c)
        # `anyway`: the lone pass comes last, so that its item number -1 finds it.
        self.passes = node.ask == "anyway"
        if self.passes and node.otherwise >= 0:
            self.items.append(_ItemCode(c, Item("pass", (), (), node.otherwise, node.site)))
        self.listed = node.together and node.items[0].binders[0].type.kind == "set"
        self.layout = c.layout
        self.parties = c.layout.parties
        self.engine = node.ask == "engine"
        self.may_be_none = node.ask == "some"

    def chunks(self, S: State, L: Locals) -> list[Chunk]:
        """Return the options of every item; writes to the slots of binders."""
        if len(self.items) == len(self.node.items):
            return [item.chunk(S, L) for item in self.items]
        chunks = [item.chunk(S, L) for item in self.items[:-1]]
        chunks.append(NONE if any(map(len, chunks)) else ONE)
        return chunks

    def chunk_at_once(self, S: State, L: Locals) -> Chunk:
        """Return the options of one seat of several that answer at once; writes to the slots of binders."""
        chunk = self.items[0].chunk(S, L)
        return chunk if len(chunk) or not self.passes else (self.nothing(),)

    def unasked(self, chunks: list[Chunk]) -> tuple[int, Any] | None:
        """Return the (item, element) that is taken without asking, if that is so; there is at least one option."""
        if self.may_be_none:
            chunk = chunks[0]
            if len(chunk) == 1 and _empty(chunk[0]):
                return 0, chunk[0]
        elif self.engine:
            nonempty = [n for n, chunk in enumerate(chunks) if len(chunk)]
            if len(nonempty) == 1 and len(chunks[nonempty[0]]) == 1:
                return nonempty[0], chunks[nonempty[0]][0]
        return None

    def nth(self, chunks: list[Chunk], k: int) -> tuple[int, Any]:
        """Return the (item, element) at a position in the order of options. Raises IndexError if there are fewer."""
        for number, chunk in enumerate(chunks):
            size = len(chunk)
            if k < size:
                return number, chunk[k]
            k -= size
        raise IndexError(k)

    def nothing(self) -> Any:
        """Return the value of a party that is not asked in a `together`: absent, or an empty collection."""
        type_ = self.node.items[0].binders[0].type
        if type_.kind == "bag":
            return (0,) * self.layout.size(type_)
        return [] if self.listed else type_.absent

    def option(self, number: int, chosen: Any) -> Option:
        """Return the public form of an element of the chunk of an item."""
        item = -1 if number == len(self.node.items) else number
        return Option(item, plain(self.items[number].values(chosen)))

    def listed_options(self, chunks: Sequence[Chunk]) -> Sequence[Option]:
        """Return all options in their order; where they are many, as they are looked at."""
        if sum(map(len, chunks)) > LONG:
            return Listing(self, chunks)
        return [self.option(number, chosen) for number, chunk in enumerate(chunks) for chosen in chunk]

    def contains(self, S: State, L: Locals, chosen: Option) -> bool:
        """Return whether this is an option; writes to the slots of binders."""
        if chosen.item == -1 and self.passes and not self.node.together:
            return not chosen.values and len(self.chunks(S, L)[-1]) == 1
        if self.node.together and self.passes and self.node.passes(*chosen) and not len(self.items[0].chunk(S, L)):
            return True
        if not 0 <= chosen.item < len(self.node.items):
            return False
        return self.items[chosen.item].contains(S, L, chosen.values)

    def refused(self, S: State, L: Locals) -> Iterator[Refusal]:
        """Yield the refusals of options whose guards fail; writes to the slots of binders."""
        for number in range(len(self.node.items)):
            item = self.items[number]
            for values, failed in item.refused(S, L):
                yield self.explainer.refusal(item.seen(S, L), L, number, values, failed)


class Listing(LongOptions):
    """The options in a decision's chunks; they stay what they are when the state goes on."""

    def __init__(self, code: DecisionCode, chunks: Sequence[Chunk]) -> None:
        self._code = code
        self._chunks = [_settled(chunk) for chunk in chunks]
        self._ends = list(accumulate(map(len, self._chunks)))

    def __len__(self) -> int:
        return self._ends[-1]

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        place = index + len(self) if index < 0 else index
        if not 0 <= place < len(self):
            raise IndexError(index)
        number = bisect_right(self._ends, place)
        return self._code.option(number, self._chunks[number][place - self._start(number)])

    def __iter__(self) -> Iterator[Option]:
        return (self._code.option(number, chosen) for number, chunk in enumerate(self._chunks) for chosen in chunk)

    def _start(self, number: int) -> int:
        """Return the index at which the options of an item begin."""
        return self._ends[number - 1] if number else 0

    @property
    def starts(self) -> list[int]:
        return [self._start(number) for number, chunk in enumerate(self._chunks) if len(chunk)]

    @property
    def selections(self) -> tuple[int, int] | None:
        (first, *others) = [chunk for chunk in self._chunks if len(chunk)]
        return (first.low, first.high) if isinstance(first, Selections) and not others else None

    @cached_property
    def families(self) -> list[Family] | None:
        families = []
        for number, chunk in enumerate(self._chunks):
            if len(chunk):
                item = self._code.items[number]
                binders = _occurring(item, chunk) if isinstance(item, _ItemCode) else None
                if binders is None:
                    return None
                families.append(Family(-1 if number == len(self._code.node.items) else number, tuple(binders)))
        return families

    def rank(self, item: int, values: Sequence[Any]) -> int:
        chunk, code = self._chunks[item], self._code.items[item]
        rank = _rank(chunk, values[0] if code.single else tuple(values)) if len(values) else 0
        return -1 if rank < 0 else self._start(item) + rank


def _settled(chunk: Chunk) -> Chunk:
    """Return a chunk that refers to no list of a state, and asks nothing of one."""
    if isinstance(chunk, Nested):
        return Nested([(prefix, _settled(last)) for prefix, last in chunk.parts])
    return chunk if isinstance(chunk, Selections | range | tuple) else list(chunk)


def _rank(chunk: Chunk, value: Any) -> int:
    """Return the index of an element in a chunk; -1 if it isn't there."""
    if isinstance(chunk, Selections):
        return chunk.rank(value)
    if isinstance(chunk, Nested):
        start = 0
        for (prefix, last), end in zip(chunk.parts, chunk.ends, strict=True):
            if prefix == value[:-1]:
                rank = _rank(last, value[-1])
                return -1 if rank < 0 else start + rank
            start = end
        return -1
    return chunk.index(value) if value in chunk else -1


def _occurring(item: _ItemCode, chunk: Chunk) -> list[list[list[Any]]] | None:
    """Return the classes of values that occur in a chunk, binder by binder; None if they hold collections."""
    if isinstance(chunk, Selections):
        return None if any(isinstance(value, list) for value in chunk.classes[0]) else [chunk.classes]
    if not isinstance(chunk, Nested):
        return _classes_by_value([(item.binders[0], chunk)]) if item.binders else []
    columns: list[list[Any]] = [[] for _ in item.binders]
    for prefix, last in chunk.parts:
        for column, value in zip(columns, prefix, strict=False):
            column.append(value)
        if isinstance(last, Selections):
            columns[-1] += map(list, {tuple(members): None for members in last.classes if _are_plain(members)})
            if not all(map(_are_plain, last.classes)):
                return None
        else:
            columns[-1] += last
    return _classes_by_value(list(zip(item.binders, columns, strict=True)))


def _are_plain(values: Sequence[Any]) -> bool:
    """Return whether values are no lists."""
    return not any(isinstance(value, list) for value in values)


def _classes_by_value(columns: Sequence[tuple[_BinderCode, Sequence[Any]]]) -> list[list[list[Any]]] | None:
    """Return for each binder its values, or the elements of its collections, as often as they stand in one, each a
    class of its own; None if elements are collections."""
    binders = []
    for binder, values in columns:
        most: dict[Any, int] = {}
        for value in values:
            if not binder.listed:
                most[value] = 1
                continue
            if not _are_plain(value):
                return None
            for element, count in Counter(value).items():
                most[element] = max(most.get(element, 0), count)
        binders.append([[value] * count for value, count in sorted(most.items())])
    return binders
