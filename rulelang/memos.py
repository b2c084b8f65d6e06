"""Memory of a process that stays: memos whose results go when what they are of does, or within a number of bytes.

A bound by count alone says nothing where an entry may be a program or a page: each edit of a ruleset makes new ones.
"""

from __future__ import annotations

import gc
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

Owner = TypeVar("Owner")
Rest = ParamSpec("Rest")
Key = TypeVar("Key")
Value = TypeVar("Value")
_MEMOS = "_memos"
"""The attribute of an owner that holds its identity, as a copy has the attributes of the original, and its results."""
ENTRY_BYTES = 400
"""About what an entry takes beside its value: the key, a link of the order, a row of the dictionary."""


@contextmanager
def uncollected() -> Iterator[None]:
    """Keep Python from looking for cycles of unused objects meanwhile: with a ruleset open that takes longer than to
    analyse it. Whoever leaves many collects them when nobody waits."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def kept_with(function: Callable[Concatenate[Owner, Rest], Value]) -> Callable[Concatenate[Owner, Rest], Value]:
    """Memoise a function by its arguments in the first of them, an object with attributes that does not change.

    There is no bound: the results go with that object, so the other arguments are to have few values.
    """

    @wraps(function)
    def memoised(owner: Owner, /, *rest: Rest.args, **named: Rest.kwargs) -> Value:
        """Return the memoised result."""
        own, results = vars(owner).get(_MEMOS, (0, {}))
        if own != id(owner):
            own, results = vars(owner)[_MEMOS] = id(owner), {}
        key = (function, rest, *named.items())
        if key not in results:
            results[key] = function(owner, *rest, **named)
        value: Value = results[key]
        return value

    return memoised


class Bounded(Generic[Key, Value]):
    """Values by key, of which those used last are kept, within a number of bytes. Threads may share it.

    Args:
        most: bytes, as those who put values estimate them. The last value is kept, however large.

    Attributes:
        size: the bytes of what is kept, with `ENTRY_BYTES` for each entry.
    """

    def __init__(self, most: int) -> None:
        self.most, self.size = most, 0
        self._entries: OrderedDict[Key, tuple[Value, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Key) -> Value | None:
        """Return a value, None if there is none; it counts as used."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            self._entries.move_to_end(key)
            return entry[0]

    def put(self, key: Key, value: Value, size: int) -> Value:
        """Keep a value of so many bytes, give up those used longest ago if there are too many, and return it."""
        with self._lock:
            if key in self._entries:
                self.size -= self._entries.pop(key)[1]
            self._entries[key] = value, size + ENTRY_BYTES
            self.size += size + ENTRY_BYTES
            while self.size > self.most and len(self._entries) > 1:
                self.size -= self._entries.popitem(last=False)[1][1]
        return value

    def clear(self) -> None:
        """Give up all."""
        with self._lock:
            self._entries.clear()
            self.size = 0

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: object) -> bool:
        return key in self._entries

    def keys(self) -> list[Key]:
        """Return the keys, that of the value used last at the end."""
        return [*self._entries]


def kept_within(most: int, size: Callable[[Any], int]) -> Callable[[Callable[Rest, Value]], Callable[Rest, Value]]:
    """Memoise a function of hashable arguments within a number of bytes.

    Args:
        size: estimates the bytes of a result.
    """

    def decorate(function: Callable[Rest, Value]) -> Callable[Rest, Value]:
        """Return the memoised function; its attribute `memo` holds the results."""
        memo: Bounded[Any, tuple[Value]] = Bounded(most)

        @wraps(function)
        def memoised(*values: Rest.args, **named: Rest.kwargs) -> Value:
            """Return the memoised result."""
            key = (values, *named.items())
            known = memo.get(key)
            if known is None:
                value = function(*values, **named)
                known = memo.put(key, (value,), size(value))
            return known[0]

        memoised.memo = memo  # type: ignore[attr-defined]
        return memoised

    return decorate
