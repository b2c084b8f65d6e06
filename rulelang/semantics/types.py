"""The types of the language and the questions asked of them: what fits where, how a type is told to the author."""

from __future__ import annotations

from dataclasses import dataclass
from typing import dataclass_transform

INT_MIN, INT_MAX = -(2**63), 2**63 - 1


@dataclass_transform(frozen_default=True)
@dataclass(frozen=True)
class Type:
    """Base of all types, frozen dataclasses; `str()` gives the author's words."""

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True)(cls)


class NumberT(Type):
    """A number known to lie within low..high."""

    low: int = INT_MIN
    high: int = INT_MAX

    def __str__(self) -> str:
        if (self.low, self.high) == (INT_MIN, INT_MAX):
            return "number"
        if self.low == self.high:
            return f"number {self.low}"
        low = "" if self.low == INT_MIN else str(self.low)
        high = "" if self.high == INT_MAX else str(self.high)
        return f"{low}..{high}"


class BoolT(Type):
    """True or false."""

    def __str__(self) -> str:
        return "bool"


class EnumT(Type):
    """A declared type, a resource type, or the words of an option."""

    name: str

    def __str__(self) -> str:
        return self.name


class PlayerT(Type):
    """A party: a seat or an automaton."""

    def __str__(self) -> str:
        return "player"


class CellT(Type):
    """A cell of a grid."""

    grid: str

    def __str__(self) -> str:
        return self.grid


class DirectionT(Type):
    """One of the eight directions."""

    def __str__(self) -> str:
        return "Direction"


class PieceT(Type):
    """A piece of a kind."""

    kind: str

    def __str__(self) -> str:
        return self.kind


class ZoneT(Type):
    """A place that holds pieces of a kind."""

    kind: str

    def __str__(self) -> str:
        return f"zone of {self.kind}"


class PurseT(Type):
    """One or several bag variables to pay from."""

    resource: str

    def __str__(self) -> str:
        return f"purse of {self.resource}"


class BagT(Type):
    """How many of each value of a resource type."""

    resource: str

    def __str__(self) -> str:
        return f"bag of {self.resource}"


class CostT(Type):
    """What may be paid in several ways."""

    resource: str

    def __str__(self) -> str:
        return f"cost of {self.resource}"


class PaymentT(Type):
    """One way to pay a cost."""

    resource: str

    def __str__(self) -> str:
        return f"payment of {self.resource}"


class ReactionT(Type):
    """A handler of an event that is about to run."""

    event: str

    def __str__(self) -> str:
        return f"reaction to {self.event}"


class SetT(Type):
    """A collection; `least` is a size it certainly has."""

    element: Type
    least: int = 0

    def __str__(self) -> str:
        return f"set of {self.element}"


class GroupT(Type):
    """A collection of elements with the same value of an attribute, made by `grouped by`: never empty."""

    element: Type
    attribute: str

    def __str__(self) -> str:
        return f"group of {self.element}"


class SeatsT(Type):
    """One value per seat, made by `together choose`."""

    element: Type

    def __str__(self) -> str:
        return f"{self.element} of each player"


class OptionalT(Type):
    """A value that may be absent."""

    inner: Type

    def __str__(self) -> str:
        return f"{self.inner}?"


class NoneT(Type):
    """The type of `none` alone."""

    def __str__(self) -> str:
        return "none"


class EmptyT(Type):
    """The type of `[]` alone."""

    def __str__(self) -> str:
        return "empty set"


class VoidT(Type):
    """No value."""

    def __str__(self) -> str:
        return "nothing"


class ErrorT(Type):
    """Stands for an expression that was already reported; fits everywhere."""

    def __str__(self) -> str:
        return "?"


NUMBER = NumberT()
BOOL = BoolT()
PLAYER = PlayerT()
DIRECTION = DirectionT()
VOID = VoidT()
ERROR = ErrorT()
NONE = NoneT()


def optional(inner: Type) -> Type:
    """`T?`; an optional of an optional is the same optional."""
    return inner if isinstance(inner, OptionalT | ErrorT) else OptionalT(inner)


def bare(t: Type) -> Type:
    """`T` for `T?`, else the type itself."""
    return t.inner if isinstance(t, OptionalT) else t


def is_scalar(t: Type) -> bool:
    """Whether a value of the type is one number at run time."""
    return isinstance(
        bare(t), NumberT | BoolT | EnumT | PlayerT | CellT | DirectionT | PieceT | ZoneT | NoneT | ReactionT | ErrorT
    )


def fits(value: Type, target: Type) -> bool:
    """Whether a value may stand where `target` is asked for.

    Ranges of numbers are not compared here: a number that may leave the range of a variable is tested when stored.
    """
    if isinstance(value, ErrorT) or isinstance(target, ErrorT):
        return True
    if isinstance(target, OptionalT):
        return isinstance(value, NoneT) or fits(bare(value), target.inner)
    match value, target:
        case (NumberT(), NumberT()):
            return True
        case (SetT(element=a), SetT(element=b)):
            return fits(a, b)
        case (GroupT(element=a), SetT(element=b)):
            return fits(a, b)
        case (ZoneT(kind=k), SetT(element=e)):
            return fits(PieceT(k), e)
        case (EmptyT(), SetT()):
            return True
        case (BagT(resource=a), CostT(resource=b)):
            return a == b
        case (GroupT(), GroupT()):
            return fits(value.element, target.element) and value.attribute == target.attribute
    return value == target


def join(a: Type, b: Type) -> Type | None:
    """The least type that both fit, or None."""
    if isinstance(a, ErrorT):
        return b
    if isinstance(b, ErrorT):
        return a
    if isinstance(a, NoneT) or isinstance(b, NoneT):
        present = b if isinstance(a, NoneT) else a
        return optional(present) if is_scalar(present) else None
    if isinstance(a, OptionalT) or isinstance(b, OptionalT):
        inner = join(bare(a), bare(b))
        return optional(inner) if inner else None
    if isinstance(a, NumberT) and isinstance(b, NumberT):
        return NumberT(min(a.low, b.low), max(a.high, b.high))
    if isinstance(a, SetT) and isinstance(b, SetT):
        inner = join(a.element, b.element)
        return SetT(inner, min(a.least, b.least)) if inner else None
    if isinstance(a, ZoneT) and not isinstance(b, ZoneT):
        return join(SetT(PieceT(a.kind)), b)
    if isinstance(b, ZoneT) and not isinstance(a, ZoneT):
        return join(a, SetT(PieceT(b.kind)))
    if fits(a, b):
        return b
    if fits(b, a):
        return a
    return None
