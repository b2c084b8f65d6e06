"""Who may know a value, and how seats are told apart: the algebra of the check of visibility.

A key names a value: equal keys are equal values. What reads the state carries a stamp of when it was read, so that a
seat held by a variable is another one after the variable changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rulelang.semantics.core import Local
from rulelang.semantics.rows import Rows
from rulelang.semantics.symbols import VariableSym, ZoneSym
from rulelang.semantics.types import GroupT, PieceT, SetT, Type, bare

Key = tuple[object, ...]
Pair = frozenset[Key]


@dataclass(frozen=True)
class Label:
    """Who may know a value: everyone but the seats in `keys` (`but`), or only they. `why` are the zones and variables
    that it was made from and that not all see; it takes no part in comparing labels."""

    but: bool
    keys: frozenset[Key] = frozenset()
    why: frozenset[ZoneSym | VariableSym] = field(default=frozenset(), compare=False)


PUBLIC, HIDDEN = Label(True), Label(False)
NOBODY: Key = ("const", -1)
"""The acting seat where nobody acts."""


def only(key: Key) -> Label:
    """Return the label of what one seat knows."""
    return Label(False, frozenset((key,)))


def all_but(key: Key) -> Label:
    """Return the label of what all but one seat know."""
    return Label(True, frozenset((key,)))


def neighbours(a: Key, b: Key) -> bool:
    """Return whether one seat was computed as the next or previous player of the other."""
    return any(x[0] in ("next_player", "previous_player") and x[1] == y for x, y in ((a, b), (b, a)))


def join(a: Label, b: Label) -> Label:
    """Return the label of a value computed from two others: known to those who may know both."""
    why = a.why | b.why
    if a.but and b.but:
        return Label(True, a.keys | b.keys, why)
    if not a.but and not b.but:
        return Label(False, a.keys & b.keys, why)
    some, rest = (b, a) if a.but else (a, b)
    keys = frozenset(k for k in some.keys if all(neighbours(k, other) for other in rest.keys))
    return Label(False, keys, why)


def declassified(a: Label, b: Label) -> Label:
    """Return label `a` widened to those of `b` as well, after a reveal or a move to a zone they see."""
    if a.but and b.but:
        return Label(True, a.keys & b.keys, a.why)
    if not a.but and not b.but:
        return Label(False, a.keys | b.keys, a.why)
    some, rest = (b, a) if a.but else (a, b)
    return Label(True, rest.keys - some.keys, a.why)


@dataclass
class Known:
    """What is known of a local: who may know it, which seat it is, who may know whether it is there at all, and of what
    rows a piece can be."""

    label: Label
    key: Key
    presence: Label | None = None
    rows: Rows = None


@dataclass
class Env:
    """One call: its locals (`parameters` among them), what was revealed in it, which seats surely differ or are the
    same, and which were asked. `result` labels what it gives; `returns` is what was revealed at each of its early
    ends."""

    locals: dict[Local, Known] = field(default_factory=dict)
    revealed: dict[Key, Label] = field(default_factory=dict)
    apart: set[Pair] = field(default_factory=set)
    same: set[Pair] = field(default_factory=set)
    asked: set[Key] = field(default_factory=set)
    result: Label = PUBLIC
    returns: list[dict[Key, Label]] = field(default_factory=list)
    parameters: tuple[Local, ...] = ()

    def differ(self, a: Key, b: Key) -> bool:
        """Return whether two seat keys surely denote different seats."""
        numbered = a[:1] == b[:1] == ("const",)
        return a != b and (numbered or frozenset((a, b)) in self.apart or neighbours(a, b))

    def knows(self, seat: Key, label: Label) -> bool:
        """Return whether a seat is surely among those who may know what a label describes."""
        if label.but:
            return all(self.differ(seat, key) for key in label.keys)
        return seat in label.keys


class Renaming:
    """Seats of a caller as the callee knows them: by position, so that calls that differ in nothing else are one."""

    def __init__(self) -> None:
        self.inner: dict[Key, Key] = {}

    def key(self, key: Key) -> Key:
        """Return the callee's key for a seat of the caller: a number by order of appearance; automata and nobody keep
        theirs."""
        if key[:1] == ("automaton",) or key == NOBODY:
            return key
        return self.inner.setdefault(key, ("seat", len(self.inner)))

    def label(self, label: Label) -> Label:
        """Return a label of the caller in the callee's keys."""
        return Label(label.but, frozenset(self.key(k) for k in label.keys), label.why)

    def back(self, label: Label) -> Label:
        """Return a label of the callee in the caller's keys."""
        outer = {v: k for k, v in self.inner.items()}
        return Label(label.but, frozenset(outer.get(k, k) for k in label.keys), label.why)

    def key_back(self, key: Key, args: Sequence[Key]) -> Key:
        """Return a key of the callee in the caller's keys; `args` are the keys of the call's arguments."""
        if len(key) == 2 and key[0] == "value" and isinstance(key[1], int):
            return args[key[1]]
        outer = next((k for k, v in self.inner.items() if v == key), None)
        if outer is not None:
            return outer
        return tuple(self.key_back(part, args) if isinstance(part, tuple) else part for part in key)

    def apart(self, env: Env) -> frozenset[Pair]:
        """Return the caller's pairs of different seats that the callee can refer to, in the callee's names."""
        names = list(self.inner.items())
        return frozenset(frozenset((x, y)) for i, (a, x) in enumerate(names) for b, y in names[:i] if env.differ(a, b))


def shown_on_all(ways: Sequence[dict[Key, Label]]) -> dict[Key, Label]:
    """Return what every path reveals, each with the seats that it is revealed to on every path.

    Args:
        ways: for each path the labels of what it reveals.
    """
    first, *rest = ways
    for way in rest:
        first = {key: join(label, way[key]) for key, label in first.items() if key in way}
    return first


End = tuple[dict[Local, Known], dict[Key, Label]]
"""What is known of locals, and what was revealed, at the end of a path."""


def meet(env: Env, ends: Sequence[End]) -> None:
    """Set `env` to what is known after several paths join: labels and rows that hold whichever path was taken."""
    first, *rest = ends
    env.locals, env.revealed = first
    for locals_, revealed in rest:
        for local, known in locals_.items():
            merged = env.locals.setdefault(local, known)
            merged.label = join(merged.label, known.label)
            merged.presence = (
                None if merged.presence is None or known.presence is None else join(merged.presence, known.presence)
            )
            merged.rows = merged.rows | known.rows if merged.rows is not None and known.rows is not None else None
        env.revealed = shown_on_all([env.revealed, revealed])


def holds_pieces(t: Type) -> bool:
    """Return whether a type is a piece or a collection of pieces; choices of any other type are public."""
    inner = bare(t)
    return holds_pieces(inner.element) if isinstance(inner, SetT | GroupT) else isinstance(inner, PieceT)
