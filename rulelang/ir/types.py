"""The type strings of the intermediate representation: taking them apart, comparing and matching them.

Enters: type strings as `rulelang.ir.nodes` lists them, and patterns with one-letter variables (`set<T>`, `piece:K`).
Leaves: whether a value of one type may stand where another is wanted.
"""

from __future__ import annotations

from collections.abc import Container, Mapping

WRAPPERS = ("opt", "set", "group", "seats")
PLAIN = ("int", "bool", "seat", "dir", "zone", "void", "reaction")
SCALARS = ("int", "bool", "seat", "dir", "zone", "reaction")
SCALAR_PREFIXES = ("enum:", "cell:", "piece:")
ANY = "?"
ABSENT = -1
ABSENT_NUMBER = -(2**63)


def absent(type_: str) -> int:
    """How an absent value of an optional type is stored: -1, which is no other type's value; for numbers the least."""
    return ABSENT_NUMBER if core_type(type_) == "int" else ABSENT


def unwrap(type_: str) -> tuple[str, str]:
    """The outer wrapper and what is inside (`set<int>` gives `set`, `int`); an empty wrapper if there is none.

    Inside a group are its elements: `group<int,seat>` gives `group`, `seat`.
    """
    if type_.endswith(">"):
        head, _, rest = type_.partition("<")
        if head in WRAPPERS:
            return head, rest[:-1].partition(",")[2] if head == "group" else rest[:-1]
    return "", type_


def group_key(type_: str) -> str:
    """The type of a group's key: `group<int,seat>` gives `int`."""
    return type_[len("group<") :].partition(",")[0]


def core_type(type_: str) -> str:
    """The innermost type inside all wrappers."""
    wrapper, inner = unwrap(type_)
    while wrapper:
        wrapper, inner = unwrap(inner)
    return inner


def present(type_: str) -> str:
    """The type without `opt`."""
    wrapper, inner = unwrap(type_)
    return inner if wrapper == "opt" else type_


def element(type_: str) -> str:
    """The type of a set's elements; `?` if it is no set."""
    wrapper, inner = unwrap(type_)
    return inner if wrapper == "set" else ANY


def scalar(type_: str) -> bool:
    """Whether the values are single ints (an absent one included)."""
    inner = present(type_)
    return inner in SCALARS or inner.startswith(SCALAR_PREFIXES)


def well_formed(type_: str, names: Mapping[str, Container[str]]) -> bool:
    """Whether a type string means something. `names`: the known names for enum, cell, piece, bag, cost and so on."""
    wrapper, inner = unwrap(type_)
    if wrapper:
        return well_formed(inner, names) and (wrapper != "group" or well_formed(group_key(type_), names))
    if inner in PLAIN:
        return True
    prefix, colon, name = inner.partition(":")
    return bool(colon) and name in names.get(prefix, ())


def fits(actual: str, wanted: str) -> bool:
    """Whether a value of one type may stand where the other is wanted.

    That is the same type, a present value for an optional one, and sets likewise. `?` is anything.
    """
    if actual == wanted or ANY in (actual, wanted):
        return True
    if wanted.endswith(":" + ANY):
        return actual.startswith(wanted[:-1])
    if actual.endswith(":" + ANY):
        return wanted.startswith(actual[:-1])
    have, inside = unwrap(actual)
    want, wanted_inside = unwrap(wanted)
    if want == "opt":
        return fits(inside if have == "opt" else actual, wanted_inside)
    if have == want == "group" and not fits(group_key(actual), group_key(wanted)):
        return False
    return bool(have) and have == want and fits(inside, wanted_inside)


def comparable(left: str, right: str) -> bool:
    """Whether two values can be equal; either may be absent."""
    left, right = present(left), present(right)
    return fits(left, right) or fits(right, left)


def bind(pattern: str, actual: str, found: dict[str, str]) -> None:
    """Fills the unbound variables of a pattern from a type, as far as their shapes agree."""
    wrapper, inner = unwrap(pattern)
    have, inside = unwrap(actual)
    if wrapper and wrapper == have:
        if wrapper == "group":
            bind(group_key(pattern), group_key(actual), found)
        bind(inner, inside, found)
    elif wrapper == "opt":
        bind(inner, actual, found)
    elif _variable(pattern):
        found.setdefault(pattern, actual)
    elif not wrapper:
        prefix, colon, name = pattern.partition(":")
        if colon and _variable(name) and actual.startswith(prefix + ":"):
            found.setdefault(name, actual[len(prefix) + 1 :])


def fill(pattern: str, found: dict[str, str]) -> str:
    """The pattern with its variables replaced; an unbound one becomes `?`."""
    wrapper, inner = unwrap(pattern)
    if wrapper == "group":
        return f"group<{fill(group_key(pattern), found)},{fill(inner, found)}>"
    if wrapper:
        return f"{wrapper}<{fill(inner, found)}>"
    if _variable(pattern):
        return found.get(pattern, ANY)
    prefix, colon, name = pattern.partition(":")
    return f"{prefix}:{found.get(name, ANY)}" if colon and _variable(name) else pattern


def _variable(name: str) -> bool:
    return len(name) == 1 and name.isupper()
