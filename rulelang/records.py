"""Dataclasses whose methods are generated when they are first called, and not for every class at every start.

Enters: a class with annotated fields. Leaves: the class as `dataclass` makes it for `fields` and `replace`. `dataclass`
generates six methods for each class when it is defined, which took 0.10 of the 0.18 s that `check` needs to start; here
`__init__`, `__eq__` and `__hash__` are stubs that replace themselves, and all classes share the others. That records
are not assigned to is held by mypy alone: a constructor that gets past a refusal takes four times as long, which was a
tenth of an analysis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, dataclass, fields
from typing import Any, TypeVar, cast, dataclass_transform

C = TypeVar("C", bound=type[Any])


def _init_text(each: tuple[Field[Any], ...]) -> str:
    """Return the source of a constructor."""
    names = [field.name for field in each]
    optional = {f.name for f in each if f.default is not MISSING or f.default_factory is not MISSING}
    fresh = {field.name for field in each if field.default_factory is not MISSING}
    parameters = ", ".join(f"{name}=_{name}" if name in optional else name for name in names)
    values = {name: f"_make_{name}() if {name} is _{name} else {name}" if name in fresh else name for name in names}
    body = "".join(f"\n    self.{name} = {value}" for name, value in values.items())
    return f"def __init__(self, {parameters}):{body or chr(10) + '    pass'}"


def _eq_text(each: tuple[Field[Any], ...]) -> str:
    """Return the source of a comparison."""
    left, right = (_values(each, name) for name in ("self", "other"))
    return f"def __eq__(self, other):\n    return {left} == {right} if other.__class__ is _class else NotImplemented"


def _hash_text(each: tuple[Field[Any], ...]) -> str:
    """Return the source of a hash."""
    return f"def __hash__(self):\n    return hash({_values(each, 'self')})"


def _values(each: tuple[Field[Any], ...], of: str) -> str:
    """Return the source of a tuple of the compared fields of a record."""
    return "(" + "".join(f"{of}.{field.name}," for field in each if field.compare) + ")"


TEXTS = {"__init__": _init_text, "__eq__": _eq_text, "__hash__": _hash_text}


def _generated(class_: Any, method: str) -> Callable[..., Any]:
    """Generate a method of a class of records, put it in place of its stub and return it."""
    each = fields(class_)
    scope: dict[str, Any] = {"_class": class_}
    for field in each:
        scope[f"_{field.name}"] = field.default
        scope[f"_make_{field.name}"] = field.default_factory
    exec(TEXTS[method](each), scope)
    setattr(class_, method, scope[method])
    return scope[method]  # type: ignore[no-any-return]


def _init(self: Any, *values: object, **named: object) -> None:
    """Generate the constructor of a record, and fill its fields."""
    _generated(type(self), "__init__")(self, *values, **named)


def _eq(self: Any, other: object) -> Any:
    """Generate the comparison of records of a class, and return whether two are of one class with equal fields."""
    return _generated(type(self), "__eq__")(self, other)


def _hash(self: Any) -> int:
    """Generate the hash of records of a class, and return that of one."""
    return int(_generated(type(self), "__hash__")(self))


def _repr(self: Any) -> str:
    """Return the class and the fields with their values."""
    return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in self.__match_args__)})"


def _getstate(self: Any) -> list[object]:
    """Return the fields, to copy a record that has slots."""
    return [getattr(self, name) for name in self.__match_args__]


def _setstate(self: Any, state: Iterable[object]) -> None:
    """Fill the fields of a copy."""
    for name, value in zip(self.__match_args__, state, strict=True):
        setattr(self, name, value)


FROZEN = {"__eq__": _eq, "__hash__": _hash}
SLOTS = {"__getstate__": _getstate, "__setstate__": _setstate}


@dataclass_transform(frozen_default=True)
def make_record(class_: C, frozen: bool = True, slots: bool = False) -> C:
    """Make a class a dataclass and return it; with slots it is a new class.

    Args:
        frozen: records with equal fields are equal.
    """
    own = {*vars(class_)}
    class_.__doc__ = class_.__doc__ or class_.__name__  # else `dataclass` works one out of the signature
    class_ = cast("C", dataclass(init=False, repr=False, eq=False, slots=slots)(class_))
    for name, method in {
        "__init__": _init,
        "__repr__": _repr,
        **(FROZEN if frozen else {}),
        **(SLOTS if slots else {}),
    }.items():
        if name not in own:
            setattr(class_, name, method)
    return class_


@dataclass_transform(frozen_default=True)
def record(class_: C) -> C:
    """Make a class of frozen records that have slots."""
    return make_record(class_, slots=True)
