"""A state that takes down which of its places are read or written.

Enters: a state. Leaves: `Watched`, which plays as any state does; `touched` holds the numbers of the places that were
read or written, by whomever. Copies of it, such as those that look ahead, tell of the same places.

Places are zone instances, then cells of variables, then where individuals are, then pools; each has one number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rulelang.runtime.layout import Layout
from rulelang.runtime.state import State


class Places:
    """How places are numbered in games of a layout: the number of the first cell, individual and pool."""

    __slots__ = ("cells", "pools", "where")

    def __init__(self, layout: Layout) -> None:
        self.cells = len(layout.start_z)
        self.where = self.cells + len(layout.start_v)
        self.pools = self.where + len(layout.start_where)


class _Parts(list[Any]):
    """A list that takes down what is asked of it; `base` is the place of its first element."""

    __slots__ = ("base", "touched")

    def __init__(self, values: Iterable[Any], base: int, touched: set[int]) -> None:
        super().__init__(values)
        self.base = base
        self.touched = touched

    def _all(self) -> None:
        self.touched.update(range(self.base, self.base + len(self)))

    def __getitem__(self, index: Any) -> Any:
        if index.__class__ is int and index >= 0:
            self.touched.add(self.base + index)
        else:
            self._some(index)
        return super().__getitem__(index)

    def __setitem__(self, index: Any, value: Any) -> None:
        if index.__class__ is int and index >= 0:
            self.touched.add(self.base + index)
        else:
            self._some(index)
        super().__setitem__(index, value)

    def _some(self, index: Any) -> None:
        parts = range(self.base, self.base + len(self))[index]
        self.touched.update([parts] if isinstance(parts, int) else parts)

    def __iter__(self) -> Iterator[Any]:
        self._all()
        return super().__iter__()

    def __contains__(self, value: object) -> bool:
        self._all()
        return super().__contains__(value)

    def index(self, *arguments: Any) -> int:
        """The place of a value."""
        self._all()
        return super().index(*arguments)

    def count(self, value: Any) -> int:
        """Return how often a value occurs."""
        self._all()
        return super().count(value)

    def append(self, value: Any) -> None:
        """One more element, which counts as touched."""
        self.touched.add(self.base + len(self))
        super().append(value)


class Watched(State):
    """A state with the set of its places that were touched since the set was last emptied."""

    __slots__ = ("touched",)

    touched: set[int]

    @classmethod
    def of(cls, state: State) -> Watched:
        """A copy of a state that is watched from now on."""
        return cls._with(state, state.v, state.z, state.where, state.pools, set())

    @classmethod
    def _with(
        cls,
        state: State,
        v: Iterable[int],
        z: Iterable[list[int]],
        where: Iterable[int],
        pools: Iterable[list[int]],
        touched: set[int],
    ) -> Watched:
        new = cls.__new__(cls)
        state.copy_rest(new)
        places = Places(state.layout)
        new.touched = touched
        new.v = _Parts(v, places.cells, touched)
        new.z = _Parts([contents[:] for contents in z], 0, touched)
        new.where = _Parts(where, places.where, touched)
        new.pools = _Parts([items[:] for items in pools], places.pools, touched)
        return new

    def _plain(self) -> tuple[Iterator[int], Iterator[list[int]], Iterator[int], Iterator[list[int]]]:
        """The parts without their being touched."""
        return list.__iter__(self.v), list.__iter__(self.z), list.__iter__(self.where), list.__iter__(self.pools)

    def clone(self) -> Watched:
        """A copy that tells of the same places; copying touches none."""
        return self._with(self, *self._plain(), self.touched)

    def mark(self) -> tuple[Any, ...]:
        """As of any state. To tell copies apart touches nothing: those that are equal here are equal wherever only
        places differ that no copy touches."""
        v, z, _, _ = self._plain()
        return self.mark_of(v, z)

    def pieces(self) -> int:
        """As of any state, and always the same."""
        return sum(map(len, list.__iter__(self.z)))

    def snapshot(self, before: State) -> State:
        """The state as it is now, unwatched; what was not touched since `before` is shared with that."""
        new = State.__new__(State)
        self.copy_rest(new)
        v, z, where, pools = self._plain()
        touched, places = self.touched, Places(self.layout)
        new.v = list(v) if any(places.cells <= place < places.where for place in touched) else before.v
        new.z = [
            contents[:] if zone in touched else old
            for zone, (contents, old) in enumerate(zip(z, before.z, strict=True))
        ]
        new.where = list(where) if any(places.where <= place < places.pools for place in touched) else before.where
        new.pools = [items[:] for items in pools]
        return new
