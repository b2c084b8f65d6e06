"""Groupings of pieces: every distinct partition of what lies in a place that a condition allows.

Enters: items of decisions whose binder is a `grouping`. Leaves: `GroupingCode`. A grouping is a list of groups in the
order of their first pieces, each with the pieces in order; pieces that differ in nothing but the number of their group
are taken in turn, so that one grouping stands for all that leave the same state.
"""

# S is the state, L the locals, in every closure of this package.

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import prod
from typing import Any

from rulelang.diagnostics import FuelError
from rulelang.interpreter.expressions import Code, Compiler, Locals, charge
from rulelang.ir.effects import expression_effects
from rulelang.ir.nodes import Expr, Guard, Item
from rulelang.ir.walk import asked_of_each, index, local_reads
from rulelang.limits import COUNTED, FUEL
from rulelang.runtime.bounds import fuel_error
from rulelang.runtime.fuel import round_work
from rulelang.runtime.payments import TooManyError
from rulelang.runtime.pools import interchangeable_classes
from rulelang.runtime.state import State

Grouping = list[list[int]]
TOO_MANY = "there are too many groupings to be looked through: let conditions on a group alone leave fewer"
STEPS = 4
"""So many groups are looked at, to find the next ones, for one unit of fuel."""


class Partitions(Sequence[Grouping]):
    """The distinct partitions of a multiset of pieces into groups that are allowed, each alone.

    A group is a number with one field of bits for each class of alike pieces, the first class in the highest: how many
    of that class it has. Groups of a partition stand in falling order of these numbers, so each holds the first piece
    that those before it have left. What can be done with what is left depends on that alone, unless alike pieces are
    left: then no group may be greater than the one before it.

    Args:
        classes: pieces that are alike, together. most: the number of groups at most.
        allowed: whether pieces may be a group. charge: takes fuel.
    """

    def __init__(
        self,
        classes: list[list[int]],
        most: int,
        allowed: Callable[[list[int]], bool] | None,
        charge: Callable[[int], None],
    ) -> None:
        self.classes = classes
        self.charge = charge
        self.allowed = allowed
        pieces = sum(map(len, classes))
        self.most = most if most < pieces else -1  # -1: there are never too many groups
        self.units: list[int] = []
        self.class_of_bit: list[int] = []
        self.guards = self.whole = 0
        for number in range(len(classes) - 1, -1, -1):
            shift, width = len(self.class_of_bit), len(classes[number]).bit_length() + 1
            self.units.append(1 << shift)
            self.class_of_bit += [number] * width
            self.guards |= 1 << shift + width - 1
            self.whole += len(classes[number]) << shift
        self.units.reverse()
        widths = [len(members).bit_length() for members in classes]
        self._masks = [(u, u.bit_length() - 1, (1 << width) - 1) for u, width in zip(self.units, widths, strict=True)]
        self._groups: list[list[int]] = [[] for _ in classes]
        self._parts: dict[int, list[tuple[int, int]]] = {}
        self._memo: dict[tuple[int, int, int], int] = {}
        self._fields: dict[int, list[tuple[int, int]]] = {}
        self._total = -1

    # ---- the groups that there can be

    def find(self) -> None:
        """Find the groups and count the partitions; everything that reads the state is read now. Raises TooManyError if
        they are too many to be counted."""
        sizes = [len(members) for members in self.classes]
        if prod(size + 1 for size in sizes) > FUEL:
            raise TooManyError
        for first, size in enumerate(sizes):
            # In falling order; the groups of `first` hold nothing of the classes before it.
            ranges = [range(size, 0, -1), *(range(other, -1, -1) for other in sizes[first + 1 :])]
            for counts in product(*ranges):
                parts = [(number, count) for number, count in enumerate(counts, first) if count]
                group = sum(count * self.units[number] for number, count in parts)
                if self._admit(group, parts):
                    self._groups[first].append(group)
        self._total = self._count(self.whole, self.whole, self.most)
        if self._total > COUNTED:
            raise TooManyError

    def _admit(self, group: int, parts: list[tuple[int, int]]) -> bool:
        """Return whether a group is allowed, and store its parts if it is; charges fuel."""
        self.charge(1 + len(self.classes) // 8)
        if self.allowed is not None and not self.allowed([m for n, count in parts for m in self.classes[n][:count]]):
            return False
        self._parts[group] = parts
        return True

    # ---- counting

    def _fields_of(self, rest: int) -> list[tuple[int, int]]:
        """Return the (unit, count) of each class of pieces of which some are left."""
        fields = self._fields.get(rest)
        if fields is None:
            counts = [(unit, rest >> shift & mask) for unit, shift, mask in self._masks]
            fields = self._fields[rest] = [(unit, count) for unit, count in counts if count]
        return fields

    def _next(self, rest: int, bound: int) -> list[int]:
        """Return the groups that can come next: they hold the first piece of the rest, and none is greater than the
        bound."""
        groups = self._groups[self.class_of_bit[rest.bit_length() - 1]]
        fields = self._fields_of(rest)
        within = prod(count + 1 for _, count in fields)
        self.charge(1 + min(within, len(groups)) // STEPS)
        if within > len(groups):
            guards, guarded = self.guards, rest | self.guards
            return [group for group in groups if group <= bound and (guarded - group) & guards == guards]
        # Fewer groups are within the rest than there are in all.
        (unit, most), *others = fields
        candidates = [count * unit for count in range(most, 0, -1)]
        for unit, most in others:
            more = [count * unit for count in range(most, -1, -1)]
            candidates = [group + part for group in candidates for part in more]
        known = self._parts
        return [group for group in candidates if group <= bound and group in known]

    def _count(self, rest: int, bound: int, left: int) -> int:
        """Return the number of partitions of the rest into at most `left` groups, none greater than the bound."""
        if not rest or not left:
            return int(not rest)
        if left > 0:
            left = min(left, sum(count for _, count in self._fields_of(rest)))
        key = rest, min(bound, rest), left
        count = self._memo.get(key)
        if count is None:
            left -= left > 0
            count = self._memo[key] = sum(self._count(rest - group, group, left) for group in self._next(rest, bound))
        return count

    # ---- as a sequence

    def __len__(self) -> int:
        return self._total

    def __getitem__(self, place: Any) -> Any:
        if not 0 <= place < self._total:
            raise IndexError(place)
        rest, bound, left, groups = self.whole, self.whole, self.most, list[int]()
        while rest:
            left -= left > 0
            for group in self._next(rest, bound):
                count = self._count(rest - group, group, left)
                if place < count:
                    break
                place -= count
            groups.append(group)
            rest, bound = rest - group, group
        return self._grouping(groups)

    def __iter__(self) -> Iterator[Grouping]:
        return map(self._grouping, self._from(self.whole, self.whole, self.most, []))

    def _from(self, rest: int, bound: int, left: int, before: list[int]) -> Iterator[list[int]]:
        """Yield the partitions of the rest, after the groups `before`; arguments as in `_count`."""
        if not rest:
            yield before
            return
        if not left:
            return
        left -= left > 0
        for group in self._next(rest, bound):
            if self._count(rest - group, group, left):
                yield from self._from(rest - group, group, left, [*before, group])

    def __contains__(self, value: object) -> bool:
        """Return whether this is one of the partitions; `find` need not have been called."""
        if not isinstance(value, list):
            return False
        class_of = {piece: number for number, members in enumerate(self.classes) for piece in members}
        groups: list[int] = []
        for members in value:
            numbers = [class_of.get(piece, -1) for piece in members]
            if -1 in numbers or not members:
                return False
            counts = {number: numbers.count(number) for number in sorted(set(numbers))}
            if any(count > len(self.classes[number]) for number, count in counts.items()):
                return False
            groups.append(sum(self.units[number] * count for number, count in counts.items()))
            if not self._admit(groups[-1], list(counts.items())):
                return False
        if sum(groups) != self.whole or 0 <= self.most < len(groups) or groups != sorted(groups, reverse=True):
            return False
        return self._grouping(groups) == value

    def _grouping(self, groups: Sequence[int]) -> Grouping:
        """Return the pieces of the groups: of alike ones the next."""
        used = [0] * len(self.classes)
        grouping: Grouping = []
        for group in groups:
            members: list[int] = []
            for number, taken in self._parts[group]:
                members += self.classes[number][used[number] : used[number] + taken]
                used[number] += taken
            grouping.append(members)
        return grouping


def classes_of(state: State, pieces: Sequence[int], variable: int) -> list[list[int]]:
    """Return the pieces, alike ones together: those of a pile from its top, others by row, seat and variables."""
    layout = state.layout
    classes = interchangeable_classes(state, pieces, excluding=variable)

    def order(members: list[int]) -> tuple[int, ...]:
        item = members[0]
        cells = [state.v[cell] for cell in layout.cells_of(item, excluding=variable)]
        return (layout.item_definition[item], layout.item_seat[item], *cells, item)

    in_order = bool(pieces) and layout.inst_kept[state.where[pieces[0]]]
    return classes if in_order else sorted(classes, key=order)


class GroupingCode:
    """The options of an item that groups pieces.

    A guard that reads neither the grouping nor the variable that numbers it is read once; one that asks each group, and
    doesn't read the variable, directly or by what it calls, is read of each group that there can be; the others are
    read of each grouping, in a copy of the state in which it is in place.

    Attributes:
        to: the block that follows. slot, variable: what the grouping is bound to, and what numbers its groups; offset:
            the variable's cell of item 0. pieces: what is grouped. most: groups at most. guards: all of them; fixed,
            alone, whole: their code by when it is read (see above); alone_work, whole_work: the fuel of reading those.
    """

    def __init__(self, c: Compiler, item: Item) -> None:
        self.item = item
        self.to = item.to
        self.single = True
        self.program, self.site, self.layout = c.program, item.site, c.layout
        (binder,) = item.binders
        self.slot, self.variable = binder.slot, binder.variable
        self.pieces = c.code(binder.args[0])
        table = c.program.piece_variables[binder.variable]
        self.most = table.high if table.low <= 1 else 0
        self.offset = c.layout.pvar_cell(binder.variable, 0)
        self.guards = [(c.code(guard.condition), guard) for guard in item.guards]
        self.fixed: list[Code] = []
        self.alone: list[tuple[int, Code]] = []
        self.whole: list[Code] = []
        effects = [procedure.effects for procedure in c.program.procedures]
        alone: list[Expr] = []
        whole: list[Expr] = []
        for code, guard in self.guards:
            condition, asked = guard.condition, asked_of_each(guard.condition, self.slot)
            numbered = f"pvar:{table.name}" in expression_effects(c.program, [condition], effects).reads
            if not numbered and self.slot not in local_reads(condition):
                self.fixed.append(code)
            elif not numbered and asked is not None:
                self.alone.append((index(condition), c.code(asked)))
                alone.append(asked)
            else:
                self.whole.append(code)
                whole.append(condition)
        self.alone_work, self.whole_work = round_work(c.layout, *alone), round_work(c.layout, *whole)

    def _charge(self, S: State, units: int) -> None:
        charge(self.program, self.site, S, units, TOO_MANY)

    def _partitions(self, S: State, L: Locals, guarded: bool = True) -> Partitions:
        """Return the partitions of the pieces; `guarded`: into groups that the guards on a group alone allow."""
        alone, work = self.alone, self.alone_work

        def allowed(members: list[int]) -> bool:
            self._charge(S, work)
            for slot, code in alone:
                L[slot] = members
                if not code(S, L):
                    return False
            return True

        classes = classes_of(S, self.pieces(S, L), self.variable)
        return Partitions(classes, self.most, allowed if alone and guarded else None, lambda n: self._charge(S, n))

    def chunk(self, S: State, L: Locals) -> Sequence[Any]:
        """Return all groupings; writes to slots."""
        for code in self.fixed:
            if not code(S, L):
                return ()
        partitions = self._partitions(S, L)
        try:
            partitions.find()
        except TooManyError:
            raise fuel_error(self.program, self.site, TOO_MANY) from None
        if not self.whole or not len(partitions):
            return partitions
        placed = self._copy(S)
        try:
            return [grouping for grouping in partitions if self._holds(placed, L, grouping)]
        finally:
            S.fuel = placed.fuel

    def _copy(self, S: State) -> State:
        placed = S.clone()
        placed.logging = False
        return placed

    def _place(self, placed: State, L: Locals, grouping: Grouping) -> None:
        """Put a grouping in place; of an earlier one in the same copy nothing is left, as it had the same pieces."""
        L[self.slot] = grouping
        cells, offset = placed.v, self.offset
        for number, members in enumerate(grouping, 1):
            for piece in members:
                cells[offset + piece] = number

    def _holds(self, placed: State, L: Locals, grouping: Grouping) -> bool:
        """Return whether the guards on the whole hold."""
        self._charge(placed, self.whole_work + len(grouping))
        self._place(placed, L, grouping)
        return all(code(placed, L) for code in self.whole)

    def values(self, chosen: Any) -> tuple[Any, ...]:
        """Return the values of an element of the chunk."""
        return (chosen,)

    def bind(self, L: Locals, values: Sequence[Any]) -> None:
        """Put the grouping into its slot."""
        L[self.slot] = [list(members) for members in values[0]]

    def contains(self, S: State, L: Locals, values: Sequence[Any]) -> bool:
        """Return whether the values are an option; writes to slots."""
        if len(values) != 1 or not all(code(S, L) for code in self.fixed):
            return False
        grouping = [list(members) for members in values[0]]
        if grouping not in self._partitions(S, L):
            return False
        return not self.whole or self._holds(self._copy(S), L, grouping)

    def refused(self, S: State, L: Locals) -> Iterator[tuple[tuple[Any, ...], Guard]]:
        """Yield groupings for which a guard fails, with the first guard that does, as long as there is fuel."""
        if not self.guards:
            return
        placed = self._copy(S)
        partitions = self._partitions(placed, L, guarded=False)
        try:
            partitions.find()
            for grouping in partitions:
                self._charge(placed, self.alone_work + self.whole_work + len(grouping))
                self._place(placed, L, grouping)
                failed = next((guard for code, guard in self.guards if not code(placed, L)), None)
                if failed is not None:
                    yield (tuple(map(tuple, grouping)),), failed
        except (FuelError, TooManyError):
            return  # enough was said

    def seen(self, S: State, L: Locals) -> State:
        """Return the state in which the guards are read."""
        placed = self._copy(S)
        self._place(placed, L, L[self.slot])
        return placed
