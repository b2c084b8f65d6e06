"""Who may know a value, and how seats are told apart: the algebra of the check of visibility.

A key names a value: equal keys are equal values. What reads the state carries a stamp of when it was read, so that a
seat held by a variable is another one after the variable changed.

What was shown is a fact about a value, a zone or a variable from then on (`Env.revealed`): those of some owners are
known to some seats, until something that these don't see goes there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rulelang.diagnostics import Span
from rulelang.records import record
from rulelang.semantics.analysis.rows import Rows
from rulelang.semantics.analysis.writes import Stamp
from rulelang.semantics.tree.core import CExpr, Local
from rulelang.semantics.tree.symbols import VariableSym, ZoneSym
from rulelang.semantics.tree.types import GroupT, PieceT, SetT, Type, bare
from rulelang.vocabulary.operations import SOURCES, SUBSET

Key = tuple[object, ...]
Pair = frozenset[Key]


NONE: frozenset[Any] = frozenset()


@record
class Label:
    """Who may know a value: everyone but the seats in `keys` (`but`), or only they. `why` are the zones and variables
    that it was made from and that not all see, `acts` the seats that chose something that it was made from, `secretly`
    those of secret choices, `warned` whether it was said that all see something of it; they take no part in comparing
    labels."""

    but: bool
    keys: frozenset[Key] = frozenset()
    why: frozenset[ZoneSym | VariableSym] = field(default=NONE, compare=False)
    acts: frozenset[Key] = field(default=NONE, compare=False)
    secretly: frozenset[Key] = field(default=NONE, compare=False)
    warned: bool = field(default=False, compare=False)


PUBLIC, HIDDEN = Label(True), Label(False)
NOBODY: Key = ("const", -1)
"""The acting seat where nobody acts."""
ACT: Key = ("act",)
"""Among those who know a value: it is nothing but what a seat chose before all, so what follows from it is its act."""


def is_class(key: Key) -> bool:
    """Return whether a key stands for all seats that a word or condition of `visible` names: `("looks", whose, which)`,
    of an owner's key (empty for any) and what says it."""
    return key[:1] == ("looks",)


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
    if b is PUBLIC or a is b:
        return a
    if a is PUBLIC:
        return b
    whence = a.why | b.why, a.acts | b.acts, a.secretly | b.secretly, a.warned or b.warned
    if a.but and b.but:
        return Label(True, a.keys | b.keys, *whence)
    if not a.but and not b.but:
        return Label(False, a.keys & b.keys, *whence)
    some, rest = (b, a) if a.but else (a, b)
    keys = frozenset(k for k in some.keys if all(neighbours(k, other) for other in rest.keys))
    return Label(False, keys, *whence)


def declassified(a: Label, b: Label) -> Label:
    """Return label `a` widened to those of `b` as well, after a reveal or a move to a zone they see."""
    if a.but and b.but:
        return replace(a, keys=a.keys & b.keys)
    if not a.but and not b.but:
        return replace(a, keys=a.keys | b.keys)
    some, rest = (b, a) if a.but else (a, b)
    return replace(a, but=True, keys=rest.keys - some.keys)


def acted(label: Label, seat: Key, secret: bool) -> Label:
    """Return the label of what a seat has chosen: that it did so all saw, unless it was secret."""
    if secret:
        return replace(label, secretly=label.secretly | {seat})
    keys = label.keys if label.but else label.keys | {ACT}
    return replace(label, keys=keys, acts=label.acts | {seat})


def collections_of(key: object) -> frozenset[Key]:
    """Return the keys of a collection and of those that all its elements are from."""
    found: set[Key] = set()
    while isinstance(key, tuple) and key:
        found.add(key)
        key = key[1 + SOURCES[key[0]]] if key[0] in SUBSET else ()
    return frozenset(found)


@record
class LocalLabel:
    """What is known of a local: who may know it, which seat it is, who may know whether it is there at all, of what
    rows a piece can be, who may know how many elements a collection has, what it was made from, with the key of that,
    whether it may hold pieces that are called by their names, parameters: who knows these pieces knows it, the zones in
    which its pieces can lie, whether it surely holds or fails, and the key of a bag that the goods in it are of."""

    label: Label
    key: Key
    presence: Label | None = None
    rows: Rows = None
    size: Label | None = None
    value: tuple[CExpr, Key] | None = None
    named: bool = False
    pieces: tuple[Local, ...] = ()
    zones: frozenset[ZoneSym] | None = None
    truth: bool | None = None
    within: Key = ()


Shown = tuple[Key, Label, tuple[CExpr, Key] | None]
"""What was shown, to whom, and under which condition, with the key that it had then."""


@dataclass
class Env:
    """One call: its locals (`parameters` among them), what is shown, which seats surely differ or are the same.

    `revealed` are values by their keys, and facts by keys that `shown` makes. `result` labels what the call gives;
    `returns` is what was revealed at each of its early ends. `members` has for a seat the collections that it is from.
    `conditional` is what was shown of a seat under a condition. `forgotten` are zones and variables to which something
    unseen came, `ends` the ends of the game that tell a secret if anybody is still asked. `over`: nothing is reached.
    `looking` has pairs of a seat and a class of seats (see `is_class`) that it is surely one of.
    """

    locals: dict[Local, LocalLabel] = field(default_factory=dict)
    revealed: dict[Key, Label] = field(default_factory=dict)
    apart: set[Pair] = field(default_factory=set)
    same: set[Pair] = field(default_factory=set)
    result: Label = PUBLIC
    returns: list[dict[Key, Label]] = field(default_factory=list)
    parameters: tuple[Local, ...] = ()
    members: dict[Key, frozenset[Key]] = field(default_factory=dict)
    conditional: list[Shown] = field(default_factory=list)
    forgotten: set[object] = field(default_factory=set)
    ends: dict[Span, Label] = field(default_factory=dict)
    over: bool = False
    looking: set[tuple[Key, Key]] = field(default_factory=set)

    def differ(self, a: Key, b: Key) -> bool:
        """Return whether two seat keys surely denote different seats."""
        numbered = a[:1] == b[:1] == ("const",)
        return a != b and (numbered or frozenset((a, b)) in self.apart or neighbours(a, b))

    def knows(self, seat: Key, label: Label) -> bool:
        """Return whether a seat is surely among those who may know what a label describes."""
        if label.but:
            return all(self.differ(seat, key) for key in label.keys)
        if seat in label.keys:
            return True
        owners = {key[1] for key in label.keys if is_class(key) and key[2] == "team"}
        mates = collections_of(seat[1]) if owners and seat[0] in ("first", "last") else NONE
        return any(key[0] == "teammates" and key[1] in owners for key in mates)

    def tells_nothing(self, label: Label) -> bool:
        """Return whether all may know what a label describes, or somebody who knows it made it public by a choice that
        all saw."""
        return label == PUBLIC or ACT in label.keys or any(self.knows(seat, label) for seat in label.acts)


class Renaming:
    """Seats of a caller as the callee knows them: by position, so that calls that differ in nothing else are one."""

    def __init__(self, values: Mapping[Key, Key] | None = None) -> None:
        self.inner: dict[Key, Key] = {}
        self.values = values or {}  # what is given besides seats

    def key(self, key: Key) -> Key:
        """Return the callee's key for a seat of the caller: a number by order of appearance; automata, nobody and an
        act keep theirs."""
        if key[:1] == ("automaton",) or key in (NOBODY, ACT):
            return key
        if is_class(key):
            return "looks", self.key(key[1]) if key[1] else (), *key[2:]  # type: ignore[arg-type]
        return self.inner.setdefault(key, ("seat", len(self.inner)))

    def meet(self, labels: Iterable[Label]) -> None:
        """Name the seats that labels speak of as knowing, or not knowing, a value."""
        for label in labels:
            for key in label.keys:
                self.key(key)

    def label(self, label: Label) -> Label:
        """Return a label of the caller in the callee's keys. What was done by seats that the callee has no name for is
        left out: nothing that it can speak of is known to them, and of calls within calls they would be ever more."""
        if label.acts or label.secretly:
            acts, secretly = (frozenset(filter(self._is_named, keys)) for keys in (label.acts, label.secretly))
            label = replace(label, acts=acts, secretly=secretly)
        return _with_keys(label, self.key)

    def _is_named(self, key: Key) -> bool:
        return key in self.inner or key[:1] == ("automaton",) or key in (NOBODY, ACT)

    def back(self, label: Label) -> Label:
        """Return a label of the callee in the caller's keys."""
        outer = {v: k for k, v in self.inner.items()}

        def back(key: Key) -> Key:
            """Return a key of the callee in the caller's names."""
            if is_class(key):
                return "looks", outer.get(key[1], key[1]), *key[2:]  # type: ignore[call-overload]
            return outer.get(key, key)

        return _with_keys(label, back)

    def looking(self, env: Env) -> frozenset[tuple[Key, Key]]:
        """Return the caller's pairs of seats and classes that the callee has names for, in these names."""
        pairs = ((self.inner.get(seat), self.key_in(whose)) for seat, whose in env.looking)
        return frozenset((seat, whose) for seat, whose in pairs if seat is not None and whose is not None)

    def key_back(self, key: Key, args: Sequence[Key]) -> Key:
        """Return a key of the callee in the caller's keys; `args` are the keys of the call's arguments."""
        if len(key) == 2 and key[0] == "value" and isinstance(key[1], int):
            return args[key[1]]
        outer = next((k for k, v in self.inner.items() if v == key), None)
        if outer is not None:
            return outer
        return _with_parts(key, lambda part: self.key_back(part, args), self.back)

    def key_in(self, key: Key) -> Key | None:
        """Return a key of the caller in the callee's keys; None where the callee has no name for a part: a seat, local
        or parameter of the caller alone, whose key may be that of another one of the callee's."""
        if key in self.inner:
            return self.inner[key]
        if len(key) == 2 and key[0] in ("seat", "local", "value") and isinstance(key[1], int):
            return self.values.get(key)
        parts: list[object] = []
        for part in key:
            new = self.key_in(part) if isinstance(part, tuple) else part
            if isinstance(part, Label):
                keys = frozenset(inner for k in part.keys if (inner := self.key_in(k)) is not None)
                new = replace(part, keys=keys) if len(keys) == len(part.keys) else None
            if new is None and part is not None:
                return None
            parts.append(new)
        return tuple(parts)

    def apart(self, env: Env) -> frozenset[Pair]:
        """Return the caller's pairs of different seats that the callee can refer to, in the callee's names."""
        names = list(self.inner.items())
        return frozenset(frozenset((x, y)) for i, (a, x) in enumerate(names) for b, y in names[:i] if env.differ(a, b))


def _with_keys(label: Label, new: Callable[[Key], Key]) -> Label:
    """Return a label with other keys."""
    if not (label.keys or label.acts or label.secretly):
        return label
    keys, acts, secretly = (frozenset(map(new, keys)) for keys in (label.keys, label.acts, label.secretly))
    return Label(label.but, keys, label.why, acts, secretly, label.warned)


def _with_parts(key: Key, of_key: Callable[[Key], Key], of_label: Callable[[Label], Label]) -> Key:
    """Return a key with its parts that are keys or labels replaced."""
    return tuple(
        of_key(part) if isinstance(part, tuple) else of_label(part) if isinstance(part, Label) else part for part in key
    )


def key_stamped(key: Key, new: Callable[[Stamp], Stamp | None]) -> Key | None:
    """Return a key with other stamps; None if a stamp has none, or if a part is a local, which only its procedure has a
    name for: in another call of it, that name is of another value."""
    if key[:1] == ("local",):
        return None
    parts: list[object] = []
    for part in key:
        other: object = part
        if isinstance(part, Label):
            keys = _keys_stamped(part.keys, new)
            other = replace(part, keys=keys) if len(keys) == len(part.keys) else None
        elif isinstance(part, tuple | Stamp):
            other = key_stamped(part, new) if isinstance(part, tuple) else new(part)
        if other is None and part is not None:
            return None
        parts.append(other)
    return tuple(parts)


def _keys_stamped(keys: Iterable[Key], new: Callable[[Stamp], Stamp | None]) -> frozenset[Key]:
    """Return keys with other stamps, without those that have none."""
    return frozenset(key for old in keys if (key := key_stamped(old, new)) is not None)


def facts_stamped(facts: Mapping[Key, Label], new: Callable[[Stamp], Stamp | None]) -> dict[Key, Label]:
    """Return what was shown with other stamps, without that which has none."""
    keys = {key: key_stamped(key, new) for key in facts}
    return {key: label_stamped(facts[old], new) for old, key in keys.items() if key is not None}


def label_stamped(label: Label, new: Callable[[Stamp], Stamp | None]) -> Label:
    """Return a label with other stamps, without the seats that have none; if one is excepted, nobody knows it."""
    if not (label.keys or label.acts or label.secretly):
        return label
    keys, acts, secretly = (_keys_stamped(part, new) for part in (label.keys, label.acts, label.secretly))
    lost = label.but and len(keys) < len(label.keys)
    return Label(label.but and not lost, NONE if lost else keys, label.why, acts, secretly, label.warned)


def shown_on_all(ways: Sequence[dict[Key, Label]]) -> dict[Key, Label]:
    """Return what every path reveals, each with the seats that it is revealed to on every path.

    Args:
        ways: for each path the labels of what it reveals.
    """
    first, *rest = ways
    for way in rest:
        first = {key: join(label, way[key]) for key, label in first.items() if key in way}
    return first


End = tuple[dict[Local, LocalLabel], dict[Key, Label]]
"""What is known of locals, and what was revealed, at the end of a path."""


def meet(env: Env, ends: Sequence[End]) -> None:
    """Set `env` to what is known after several paths join: labels and rows that hold whichever path was taken."""
    first, *rest = ends
    env.locals, env.revealed = first
    for locals_, revealed in rest:
        for local, known in locals_.items():
            before = env.locals.setdefault(local, known)
            if before is not known:
                env.locals[local] = _either(local, before, known)
        env.revealed = shown_on_all([env.revealed, revealed])


def _either(local: Local, a: LocalLabel, b: LocalLabel) -> LocalLabel:
    """Return what is known of a local of which one or the other is known."""
    return LocalLabel(
        join(a.label, b.label),
        a.key if a.key == b.key else ("local", id(local)),
        None if a.presence is None or b.presence is None else join(a.presence, b.presence),
        None if a.rows is None or b.rows is None else a.rows | b.rows,
        None if a.size is None or b.size is None else join(a.size, b.size),
        a.value if a.value == b.value else None,
        a.named or b.named,
        a.pieces if a.pieces == b.pieces else (),
        None if a.zones is None or b.zones is None else a.zones | b.zones,
        a.truth if a.truth == b.truth else None,
    )


def holds_pieces(t: Type) -> bool:
    """Return whether a type is a piece or a collection of pieces; choices of any other type are public."""
    inner = bare(t)
    return holds_pieces(inner.element) if isinstance(inner, SetT | GroupT) else isinstance(inner, PieceT)
