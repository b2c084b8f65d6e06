"""The types of the language and the questions asked of them: what fits where, how a type is told to the author."""

from __future__ import annotations

from typing import ClassVar, dataclass_transform

from rulelang.records import make_record

INT_MIN, INT_MAX = -(2**63), 2**63 - 1


@dataclass_transform(frozen_default=True)
@make_record
class Type:
    """Base of all types, frozen dataclasses; `str()` gives the author's words, in which fields are filled in."""

    _words: ClassVar[str]

    def __init_subclass__(cls, words: str = "") -> None:
        make_record(cls)
        cls._words = words

    def __str__(self) -> str:
        return self._words.format(**vars(self))


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


class BoolT(Type, words="bool"):
    """True or false."""


class EnumT(Type, words="{name}"):
    """A declared type, a resource type, or the words of an option."""

    name: str


class PlayerT(Type, words="player"):
    """A party: a seat or an automaton."""


class CellT(Type, words="{grid}"):
    """A cell of a grid."""

    grid: str


class DirectionT(Type, words="Direction"):
    """One of the eight directions."""


class PieceT(Type, words="{kind}"):
    """A piece of a kind."""

    kind: str


class ZoneT(Type, words="zone of {kind}"):
    """A place that holds pieces of a kind."""

    kind: str


class PurseT(Type, words="purse of {resource}"):
    """One or several bag variables to pay from."""

    resource: str


class BagT(Type, words="bag of {resource}"):
    """How many of each value of a resource type."""

    resource: str


class CostT(Type, words="cost of {resource}"):
    """What may be paid in several ways."""

    resource: str


class PaymentT(Type, words="payment of {resource}"):
    """One way to pay a cost."""

    resource: str


class ReactionT(Type, words="reaction to {event}"):
    """A handler of an event that is about to run."""

    event: str


class SetT(Type, words="list of {element}"):
    """A collection; `least` is a size it certainly has."""

    element: Type
    least: int = 0


class GroupT(Type, words="group of {element}"):
    """A collection of elements with the same value of an attribute, made by `grouped by`: never empty."""

    element: Type
    attribute: str


class SeatsT(Type, words="{element} of each player"):
    """One value per party, made by `together choose`; `complete`: no party can be without one."""

    element: Type
    complete: bool = False

    @property
    def collected(self) -> Type:
        """The type of the value of any party: one that was not asked has none, or an empty collection."""
        return optional(self.element) if is_scalar(self.element) and not self.complete else self.element


class OptionalT(Type, words="{inner}?"):
    """A value that may be absent."""

    inner: Type


class NoneT(Type, words="none"):
    """The type of `none` alone."""


class EmptyT(Type, words="empty list"):
    """The type of `[]` alone."""


class VoidT(Type, words="nothing"):
    """No value."""


class ErrorT(Type, words="?"):
    """Stands for an expression that was already reported; fits everywhere."""


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
    """Return whether a value of the type is one number at run time."""
    return isinstance(
        bare(t), NumberT | BoolT | EnumT | PlayerT | CellT | DirectionT | PieceT | ZoneT | NoneT | ReactionT | ErrorT
    )


def fits(value: Type, target: Type) -> bool:
    """Return whether a value may stand where `target` is asked for.

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
    """Return the least type that both fit, or None."""
    if isinstance(a, ErrorT):
        return b
    if isinstance(b, ErrorT):
        return a
    if isinstance(a, NoneT) or isinstance(b, NoneT):
        present = b if isinstance(a, NoneT) else a
        return optional(present) if is_scalar(present) and not isinstance(bare(present), ZoneT) else None
    if isinstance(a, OptionalT) or isinstance(b, OptionalT):
        inner = join(bare(a), bare(b))
        return optional(inner) if inner and not isinstance(inner, ZoneT) else None  # a zone is always there
    if isinstance(a, NumberT) and isinstance(b, NumberT):
        return NumberT(min(a.low, b.low), max(a.high, b.high))
    if isinstance(a, SetT) and isinstance(b, SetT):
        inner = join(a.element, b.element)
        return SetT(inner, min(a.least, b.least)) if inner else None
    if isinstance(a, ZoneT) and not isinstance(b, ZoneT):
        return join(SetT(PieceT(a.kind)), b)
    if isinstance(b, ZoneT) and not isinstance(a, ZoneT):
        return join(a, SetT(PieceT(b.kind)))
    fitted = b if fits(a, b) else a if fits(b, a) else None
    if isinstance(fitted, SetT) and a != b:  # a group or `[]` beside a set
        return SetT(fitted.element, min(fitted.least, int(GroupT in (type(a), type(b)))))
    return fitted
