"""The types of the intermediate representation: taken apart, compared and matched.

Enters: the texts of types as `rulelang.ir.nodes` lists them, and patterns with one-letter variables (`set<T>`,
`piece:K`). Leaves: `Type`, and whether a value of one type may stand where another is wanted.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from functools import cache
from weakref import WeakValueDictionary

WRAPPERS = ("opt", "set", "seats")
PLAIN = ("int", "bits", "bool", "seat", "dir", "zone", "void", "reaction")
SCALARS = ("int", "bits", "bool", "seat", "dir", "zone", "reaction", "enum", "cell", "piece")
ABSENT = -1
ABSENT_NUMBER = -(2**63)


class Type(str):
    """A type: its text, parsed once. Equal types are one object, and nobody writes on it.

    Attributes:
        kind: what comes first: `opt`, `set`, `seats`, `enum`, `cell`, `piece`, `bag`, `cost`, `purse`,
            `payment`, or the whole of a plain type.
        name: NAME of `enum:NAME`, `bag:NAME` and the like; else empty.
        wraps: whether there is a type inside.
        inner: T of `opt<T>`, `set<T>`, `seats<T>`; else the type itself.
        core: the innermost type.
        present: the type without `opt`.
        element: of a set's elements; `?` if it is no set.
        scalar: whether the values are single ints (an absent one included).
        absent: how an absent value of an optional type is stored: -1, which is no other type's value; for numbers the
            least.
    """

    __slots__ = ("__weakref__", "absent", "core", "element", "inner", "kind", "name", "present", "scalar", "wraps")

    kind: str
    name: str
    wraps: bool
    inner: Type
    core: Type
    present: Type
    element: Type
    scalar: bool
    absent: int

    def __new__(cls, text: str) -> Type:
        """Return the one type of this text, parsed when it is first asked for."""
        known = _TYPES.get(text)
        if known is not None:
            return known
        self = _TYPES[text] = super().__new__(cls, text)
        head, _, rest = text.partition("<")
        self.wraps = head in WRAPPERS and text.endswith(">")
        self.kind, _, self.name = (head, "", "") if self.wraps else text.partition(":")
        self.inner = Type(rest[:-1]) if self.wraps else self
        self.core = self.inner.core if self.wraps else self
        self.present = self.inner if head == "opt" else self
        self.element = self.inner if head == "set" else _TYPES["?"]
        self.scalar = self.present.kind in SCALARS
        self.absent = ABSENT_NUMBER if self.core == "int" else ABSENT
        return self


_TYPES: WeakValueDictionary[str, Type] = WeakValueDictionary()
ANY = Type("?")
INT, BITS, BOOL, SEAT, ZONE, VOID = map(Type, ("int", "bits", "bool", "seat", "zone", "void"))
SEATS = Type("set<seat>")
PIECE = Type("piece:")
"""A piece of any kind."""


def well_formed(type_: Type, names: Mapping[str, Container[str]]) -> bool:
    """Return whether a type means something. `names`: the known names for enum, cell, piece, bag, cost and so on."""
    if type_.wraps:
        return well_formed(type_.inner, names)
    return type_ in PLAIN or type_.name in names.get(type_.kind, ())


def fits(actual: Type, wanted: Type) -> bool:
    """Return whether a value of one type may stand where the other is wanted.

    That is the same type, a present value for an optional one, and sets likewise. `?` is anything.
    """
    if actual is wanted or ANY in (actual, wanted):
        return True
    if ANY in (actual.name, wanted.name):
        return actual.kind == wanted.kind
    if wanted.kind == "opt":
        return fits(actual.present, wanted.inner)
    if actual.kind != wanted.kind or not wanted.wraps:
        return False
    return fits(actual.inner, wanted.inner)


def comparable(left: Type, right: Type) -> bool:
    """Return whether two values can be equal; either may be absent."""
    left, right = left.present, right.present
    return fits(left, right) or fits(right, left)


def bind(pattern: Type, actual: Type, bindings: dict[str, str]) -> None:
    """Fill the unbound variables of a pattern from a type, as far as their shapes agree."""
    if pattern.wraps and pattern.kind == actual.kind:
        bind(pattern.inner, actual.inner, bindings)
    elif pattern.kind == "opt":
        bind(pattern.inner, actual, bindings)
    elif _variable(pattern):
        bindings.setdefault(pattern, actual)
    elif _variable(pattern.name) and actual.kind == pattern.kind:
        bindings.setdefault(pattern.name, actual.name)


def fill(pattern: Type, bindings: dict[str, str]) -> Type:
    """Return the pattern with its variables replaced; an unbound one becomes `?`."""
    if not _has_variable(pattern):
        return pattern
    if pattern.wraps:
        return Type(f"{pattern.kind}<{fill(pattern.inner, bindings)}>")
    if _variable(pattern):
        return Type(bindings.get(pattern, ANY))
    return Type(f"{pattern.kind}:{bindings.get(pattern.name, ANY)}") if _variable(pattern.name) else pattern


@cache
def _has_variable(pattern: Type) -> bool:
    return _variable(pattern.core) or _variable(pattern.core.name)


def _variable(name: str) -> bool:
    return len(name) == 1 and name.isupper()
