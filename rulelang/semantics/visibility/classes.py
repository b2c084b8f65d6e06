"""Classes of seats: those that a word or condition of `visible` lets see something, and which seats surely are of them.

Enters: zones and variables with their conditions, conditions that hold somewhere. Leaves: keys of classes for labels
(`is_class`), pairs of a seat and a class that it is one of, findings about conditions that are not settled.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import cast

from rulelang.semantics.analysis.known import KnownValues
from rulelang.semantics.analysis.writes import Writes
from rulelang.semantics.tree.core import Body, CExpr, expressions, mentions, subexpressions, substitute
from rulelang.semantics.tree.shared import Shared, const, source_text
from rulelang.semantics.tree.symbols import ProcedureSym, SightCondition, VariableSym, ZoneSym
from rulelang.semantics.tree.types import PLAYER, PlayerT, bare
from rulelang.semantics.visibility.labels import Env, Key, Label, collections_of, is_class


def classes(sym: ZoneSym | VariableSym, owner: Key) -> frozenset[Key]:
    """Return the keys of who sees something of an owner by a word or a condition: its seat, and classes of seats."""
    if sym.sight is None:
        return frozenset((("looks", owner, "team"),)) if owner else frozenset()
    keys: set[Key] = set()
    for way in sym.sight.ways:
        if sym.sight.is_owner(way):
            keys.add(owner)
        else:
            whose = owner if sym.sight.owner is not None and mentions(way, sym.sight.owner) else ()
            keys.add(("looks", whose, Way(way, sym.sight)))
    return frozenset(keys - {()})


def ways_of(sym: ZoneSym | VariableSym) -> Iterator[Way]:
    """Yield the conditions of which one is enough for a seat, besides whose it is, to see a zone or variable."""
    sight = sym.sight
    if sight is not None:
        yield from (Way(way, sight) for way in sight.ways if not sight.is_owner(way))


@dataclass(frozen=True)
class Way:
    """One of the conditions of which one is enough to see something; equal texts are one."""

    condition: CExpr = field(compare=False)
    sight: SightCondition = field(compare=False)
    text: str = ""

    def __post_init__(self) -> None:
        """Note by what ways are told apart."""
        object.__setattr__(self, "text", source_text(self.condition.span))

    def holds(self, you: CExpr, owner: CExpr | None) -> CExpr:
        """Return the condition of a seat that looks, and an owner."""
        values = {self.sight.you: you}
        if self.sight.owner is not None and owner is not None:
            values[self.sight.owner] = owner
        return substitute(self.condition, values, Body())


def looking(ways: Collection[Way], condition: CExpr, key_of: Callable[[CExpr], Key]) -> Iterator[tuple[Key, Key]]:
    """Yield the seats, each with the class that it is one of, for which a condition says that they may look."""
    if condition.op == "and":
        for part in expressions(condition.args):
            yield from looking(ways, part, key_of)
        return
    seats = [part for part in subexpressions(condition) if isinstance(bare(part.type), PlayerT)]
    key = key_of(condition) if seats else ()
    for way in ways if seats else ():
        owned = way.sight.owner is not None and mentions(way.condition, way.sight.owner)
        for you in seats:
            for owner in seats if owned else (None,):
                if key_of(way.holds(you, owner)) == key:
                    whose = key_of(owner) if owner is not None else ()
                    yield key_of(you), ("looks", whose, way)


def widened(label: Label, env: Env, certain: Callable[[Way], Iterable[int]]) -> Label:
    """Return a label with the seats that are surely among the classes of seats in it."""
    if label.but or not any(map(is_class, label.keys)):
        return label
    seats = {seat for seat, of in env.looking if of in label.keys}
    for key in label.keys:
        if is_class(key) and isinstance(key[2], Way) and not key[1]:
            seats |= {("const", seat) for seat in certain(key[2])}
        elif is_class(key) and key[2] == "team":
            owner = cast("Key", key[1])
            of_owner = ("teammates", owner)
            seats |= {seat for seat, of in env.members.items() if any(c[:2] == of_owner for c in of)}
            seats |= {cast("Key", c[1]) for c in members_of(env, owner) if c[:1] == ("teammates",)}
    return replace(label, keys=label.keys | frozenset(seats))


def members_of(env: Env, seat: Key) -> frozenset[Key]:
    """Return the keys of the collections that a seat is surely from."""
    return env.members.get(seat, frozenset()) | collections_of(seat[1] if seat[0] in ("first", "last") else ())


def certain_seats(shared: Shared, way: Way) -> list[int]:
    """Return the numbers of the seats for which a condition of `visible` surely holds, whoever has what is seen."""
    known, most = KnownValues(shared.checked, shared.eliminates), max(shared.checked.ruleset.players)
    seats = (const(seat, PLAYER, way.condition.span) for seat in range(most))
    return [number for number, seat in enumerate(seats) if known.values(way.holds(seat, None)) == frozenset((1,))]


def check_settled(shared: Shared, writes: Writes, asking: Collection[ProcedureSym]) -> None:
    """Report what conditions of `visible` read and what changes after the setup; and a setup that asks somebody while
    it is not settled who sees what."""
    checked = shared.checked
    changing = writes.of(checked.play) if checked.play is not None else frozenset[object]()
    for name, seen in (*map(_sight_of, checked.zones), *map(_sight_of, checked.variables)):
        read = [part for part in subexpressions(seen.condition) if part.op == "var"] if seen is not None else []
        for sym, part in {cast(VariableSym, part.args[0]): part for part in read}.items():
            message, hint = "", ""
            if not (sym.view.own or (sym.sight is not None and any(map(sym.sight.is_owner, sym.sight.ways)))):
                message = f"who sees `{name}` depends on `{sym.name}`, which players don't see of themselves"
                hint = "let its owner see it: `visible: owner`, or a condition with `you = owner or …`"
            elif sym in changing:
                message = f"`{sym.name}`, by which `{name}` is seen, changes while the game is played"
                hint = "let it change in `setup` alone: what was seen once is not hidden again"
            elif checked.setup in asking:
                message = f"`setup` asks somebody before it is settled who sees `{name}`"
                hint = f"set `{sym.name}` in `setup` without a question, or ask in `play`"
            if message:
                shared.diagnostics.error("visibility-unsettled", message, part.span, hint)


def _sight_of(sym: ZoneSym | VariableSym) -> tuple[str, SightCondition | None]:
    return sym.name, sym.sight
