"""Lists whose elements are made when somebody looks at them.

Enters: what makes them. Leaves: lists that can be used like any other, though nothing was made yet.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any


class UnreadList(list[Any]):
    """A list before it was looked at: whatever is done with it, `read` comes first, which gives it another class."""

    __slots__ = ()

    @abstractmethod
    def read(self) -> None:
        """Make the elements."""

    def __radd__(self, before: list[Any]) -> list[Any]:
        return before + list(self)

    def __reduce__(self) -> Any:
        return list, (list(self),)


def after_reading(name: str) -> Callable[..., Any]:
    """Return what does to a list what a method of lists does, once it was read."""

    def read(self: UnreadList, *given: Any, **named: Any) -> Any:
        for each in (self, *given):
            if isinstance(each, UnreadList):
                each.read()
        return getattr(self, name)(*given, **named)

    return read


for _name in "iter reversed contains getitem eq ne lt le gt ge add iadd mul rmul imul setitem delitem repr".split():
    setattr(UnreadList, f"__{_name}__", after_reading(f"__{_name}__"))
for _name in "append extend insert remove pop clear index count sort reverse copy".split():
    setattr(UnreadList, _name, after_reading(_name))


class _Read(list[Any]):
    """A list that was looked at."""

    __slots__ = ("make",)
    make: Callable[[], list[Any]]


class Unread(_Read, UnreadList):
    """A list of which not even the length is known before it is looked at."""

    __slots__ = ()

    def read(self) -> None:
        """Make the elements."""
        make = self.make
        del self.make
        self.__class__ = _Read  # type: ignore[assignment]
        self[:] = make()

    __len__ = after_reading("__len__")


def unread(make: Callable[[], list[Any]]) -> list[Any]:
    """Return the list that `make` gives, which is called when somebody looks at it."""
    result = Unread()
    result.make = make
    return result
