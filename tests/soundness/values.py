"""Typed expressions of generated rulesets.

Enters: a world, what a scope names, a type. Leaves: the text of an expression of that type. What may be absent is
dealt with, but where the author is bold: he takes for granted what `check` may or may not let him.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from random import Random

from tests.soundness.world import BOOL, NUMBER, SEAT, WAY, Place, World


class NothingThereError(Exception):
    """There is no expression of a type that is certainly there."""


@dataclass(frozen=True)
class Scope:
    """Where an expression or statement stands.

    Attributes:
        names: locals, each with its type (`it` among them). acts: whether `you` is somebody. changes: whether
            statements may change the game and ask. loops: whether `stop` may stand. returns: the type that a rule
            gives; an empty text: it just ends; None: it can't be left. public: whether only what all see may be read.
        depth: how much deeper what stands here may be.
    """

    names: tuple[tuple[str, str], ...] = ()
    acts: bool = False
    changes: bool = True
    loops: bool = False
    returns: str | None = None
    public: bool = True
    depth: int = 3

    def naming(self, *names: tuple[str, str]) -> Scope:
        """Return the scope in which these are named too; `it` hides an outer one."""
        given = [name for name, _ in names]
        return replace(self, names=(*(pair for pair in self.names if pair[0] not in given), *names))

    def deeper(self, **more: object) -> Scope:
        """Return the scope of a part."""
        return replace(self, depth=self.depth - 1, **more)  # type: ignore[arg-type]

    def of(self, type_: str) -> list[str]:
        """Return the locals of a type."""
        return [name for name, named in self.names if named == type_]


@dataclass
class Values:
    """Writes expressions.

    Args:
        bold: how likely it is, wherever it could be, that what may be absent is taken for granted; it happens once.
    """

    world: World
    bold: float = 0.0
    functions: list[tuple[str, tuple[str, ...], str]] = field(default_factory=list)
    tried: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    """Rules that `possible` may try, with the types of their parameters."""
    fresh: int = 0

    @property
    def random(self) -> Random:
        return self.world.random

    def name(self, stem: str = "x") -> str:
        """Return a name that is used nowhere else."""
        self.fresh += 1
        return f"{stem}_{self.fresh}"

    def pick(self, *ways: Callable[[], str | None]) -> str:
        """Return what the first of some ways, in random order, gives."""
        order = list(ways)
        self.random.shuffle(order)
        for way in order:
            try:
                text = way()
            except NothingThereError:
                continue
            if text is not None:
                return text
        raise NothingThereError

    def dares(self) -> bool:
        """Return whether something that may be absent is taken for granted here: once in a ruleset of the bold."""
        if self.random.random() >= self.bold:
            return False
        self.bold = 0.0
        return True

    # ---- any type

    def value(self, type_: str, s: Scope) -> str:
        """Return an expression of a type that is there."""
        if type_.endswith("?"):
            return self.pick(lambda: self.optional(type_[:-1], s), lambda: self.value(type_[:-1], s))
        if type_.startswith("list of "):
            return self.collection(type_.removeprefix("list of "), s)
        local = s.of(type_)
        if local and self.random.random() < (0.45 if s.depth > 0 else 0.8):
            return self.random.choice(local)
        if type_ == SEAT and self.dares():
            return "(top of players)"
        if self.dares() and (absent := self.optional(type_, s)) is not None:
            return f"({absent})"
        writers = {NUMBER: self.number, BOOL: self.truth, SEAT: self.seat, WAY: self.way, "bag of Ore": self.bag}
        if type_ in writers:
            return writers[type_](s)
        if type_ == "Ore":
            return self.random.choice(self.world.goods)
        if type_ == "cost of Ore":
            return self.cost(s)
        return self.thing(type_, s)

    def default(self, type_: str, s: Scope) -> str | None:
        """Return the simplest expression of a type; None where there may be none."""
        w = self.world
        if local := s.of(type_):
            return local[0]
        if type_ in w.enums:
            return w.enums[type_][0]
        if type_ == SEAT:
            return "you" if s.acts else "seat(0)"
        if type_ in ("Man",):
            return None
        return {NUMBER: "0", BOOL: "false", WAY: "north", "Sq": "a1", "Ore": (w.goods or ["nut"])[0]}.get(type_)

    def thing(self, type_: str, s: Scope) -> str:
        """Return an expression for a value of a declared type, or for a piece."""
        w, default = self.world, self.default(type_, s)
        ways: list[Callable[[], str | None]] = [lambda: default]
        if type_ in w.enums:
            ways.append(lambda: self.random.choice(w.enums[type_]))
        if s.depth > 0:
            if default is not None and (absent := self.optional(type_, s)) is not None:
                ways.append(lambda: f"({absent} otherwise {default})")
            if default is not None:
                ways.append(lambda: f"({default} if {self.truth(s.deeper())} else {self.value(type_, s.deeper())})")
            ways += [self._read(place, s) for place in self._variables(type_, s, False)]
            if type_ in w.kinds:
                ways += [
                    self._attribute(kind, name, s) for kind in w.kinds for name, of in w.attributes[kind] if of == type_
                ]
        if type_ in w.individuals and (s.acts or s.of(SEAT)):
            whose = "" if s.acts else f"{s.of(SEAT)[0]}."
            ways += [self._text(f"{whose}{one}") for one, of in w.singles if of == type_]
        if default is None and type_ in w.types() and s.depth > 0 and self.random.random() < 0.3:
            ways.append(lambda: f"(top of {type_})")
        return self.pick(*ways)

    def optional(self, type_: str, s: Scope) -> str | None:
        """Return an expression of a type that may be absent; None where there is none."""
        w = self.world
        ways: list[Callable[[], str | None]] = [self._read(place, s) for place in self._variables(type_, s, True)]
        if type_ in (*w.types(), *w.kinds, SEAT, WAY) and s.depth > 0:
            ways.append(lambda: f"top of {self.collection(type_, s.deeper())}")
        if type_ == NUMBER and s.depth > 0:
            ways.append(lambda: f"{self.random.choice(('max', 'min'))}({self._numbers(s.deeper())})")
        if type_ == SEAT:
            ways.append(lambda: f"seat(({self.number(s.deeper())}) mod 4)" if s.depth > 0 else None)
        if type_ == "Sq" and s.depth > 0:
            ways.append(lambda: f"toward({self.value('Sq', s.deeper())}, {self.way(s.deeper())})")
            ways.append(lambda: f"cell_at(Sq, {self.number(s.deeper())}, {self.number(s.deeper())})")
            if any(zone.index == ("Sq",) for zone in w.zones):
                ways.append(lambda: f"cell of {self.value('Man', s.deeper())}")
        if type_ == "Rim" and s.depth > 0:
            ways.append(
                lambda: (
                    f"edge({self.value('Sq', s.deeper())}, {self.value(self.random.choice(('Sq', WAY)), s.deeper())})"
                )
            )
        if type_ == "Post" and s.depth > 0:
            ways.append(lambda: f"corner({self.value('Sq', s.deeper())}, {self.way(s.deeper())})")
        if type_ == WAY and w.grids and s.depth > 0:
            ways.append(lambda: f"direction({self.value('Sq', s.deeper())}, {self.value('Sq', s.deeper())})")
        if not ways:
            return None
        try:
            return self.pick(*ways)
        except NothingThereError:
            return None

    def certainly_optional(self, type_: str, s: Scope) -> str:
        """Return an expression that may be absent; NothingThereError where there is none."""
        text = self.optional(type_, s)
        if text is None:
            raise NothingThereError
        return text

    # ---- variables and zones

    def _sees(self, place: Place, s: Scope) -> bool:
        """Return whether whoever acts may read what is in a place: all, or his own."""
        if place.visible == "all":
            return True
        return place.visible == "owner" and place.per_player and s.acts and not s.public

    def _variables(self, type_: str, s: Scope, optional: bool) -> list[Place]:
        """Return the variables of a type that may be read."""
        return [p for p in self.world.variables if p.holds == type_ and p.optional == optional and self._sees(p, s)]

    def _read(self, place: Place, s: Scope) -> Callable[[], str | None]:
        """Return what writes the reading of a variable."""
        return lambda: self.named(place, s)

    def named(self, place: Place, s: Scope) -> str:
        """Return the name of a place with its index; NothingThereError where nobody is there whose it could be."""
        index = "".join(f"[{self.value(part, s.deeper() if s.depth > 0 else s)}]" for part in place.index)
        if index.count("[") > 1:
            index = index.replace("][", ", ")
        if not place.per_player:
            return f"{place.name}{index}"
        if s.acts and (place.visible != "all" or self.random.random() < 0.5):
            return f"{place.name}{index}"
        if place.visible != "all":
            raise NothingThereError
        return f"{self.value(SEAT, s.deeper() if s.depth > 0 else s)}.{place.name}{index}"

    def _attribute(self, type_: str, name: str, s: Scope) -> Callable[[], str | None]:
        return lambda: f"{self.value(type_, s.deeper())}.{name}" if s.depth > 0 or s.of(type_) else None

    # ---- numbers and truth

    def number(self, s: Scope) -> str:
        """Return a number."""
        w, r = self.world, self.random
        ways: list[Callable[[], str | None]] = [
            lambda: str(r.choice((0, 1, 1, 2, 2, 3, 5, "(-1)"))),
            lambda: r.choice((*w.options, "count(players)", "1")),
        ]
        ways += [self._read(place, s) for place in self._variables(NUMBER, s, False)]
        if s.acts:
            ways.append(lambda: "you.seat")
        if s.depth > 0:
            deeper = s.deeper()
            ways += [
                lambda: f"({self.number(deeper)} {r.choice('+-')} {self.number(deeper)})",
                lambda: f"({self.number(deeper)} {r.choice(('* 2', 'div 2', 'mod 3', 'mod 2', '* (-1)'))})",
                lambda: f"{r.choice(('min', 'max'))}({self.number(deeper)}, {self.number(deeper)})",
                lambda: f"abs({self.number(deeper)})",
                lambda: f"({self.number(deeper)} if {self.truth(deeper)} else {self.number(deeper)})",
                lambda: f"({{1: 2, 3: {r.randint(0, 9)}}} at ({self.number(deeper)} + 0))",
                lambda: f"count({self.collection(r.choice(self.sorts()), deeper)})",
                lambda: f"sum({self._numbers(deeper)})",
                lambda: f"({self.optional(NUMBER, deeper) or '1'} otherwise {r.randint(0, 3)})",
            ]
            ways += [
                self._attribute(type_, name, s)
                for type_, names in w.attributes.items()
                for name, of in names
                if of == NUMBER and type_ not in w.individuals
            ]
            ways += [self._call(NUMBER, deeper)]
            if w.goods:
                ways.append(
                    lambda: (
                        f"{self.bag(deeper)}.{r.choice(w.goods)}" if r.random() < 0.5 else f"count({self.bag(deeper)})"
                    )
                )
            if w.grids:
                ways.append(
                    lambda: r.choice(
                        (
                            f"{self.value('Sq', deeper)}.column",
                            f"distance({self.value('Sq', deeper)}, {self.value('Sq', deeper)})",
                            "Sq.rows",
                        )
                    )
                )
            for kind, places in w.piece_variables.items():
                ways += [self._attribute(kind, place.name, s) for place in places if place.holds == NUMBER]
        return self.pick(*ways)

    def sorts(self) -> list[str]:
        """Return the types of which there are collections."""
        return [*self.world.types(), *self.world.kinds, SEAT, WAY, NUMBER]

    def _numbers(self, s: Scope) -> str:
        """Return what `sum`, `max` and `min` may be of: a collection of numbers, or a comprehension."""
        sort = self.random.choice(self.sorts())
        x = self.name()
        inner = s.deeper().naming((x, sort)) if s.depth > 0 else s.naming((x, sort))
        where = f" where {self.truth(inner)}" if self.random.random() < 0.4 else ""
        return f"{self.number(inner)} for {x} in {self.collection(sort, s)}{where}"

    def truth(self, s: Scope) -> str:
        """Return a truth value."""
        w, r = self.world, self.random
        ways: list[Callable[[], str | None]] = [
            lambda: r.choice(("true", "false", *w.truths)),
            lambda: (
                f"{self.number(s)} {r.choice(('=', '!=', '<', '<=', '>', '>='))} {self.number(s)}"
                if s.depth > 0
                else None
            ),
        ]
        ways += [self._read(place, s) for place in self._variables(BOOL, s, False)]
        ways += [self._read(place, s) for place in w.own_marks]
        if s.depth > 0:
            deeper = s.deeper()
            sort = r.choice(self.sorts())
            equal = r.choice([*w.types(), *w.kinds, SEAT])
            ways += [
                lambda: f"({self.truth(deeper)} {r.choice(('and', 'or'))} {self.truth(deeper)})",
                lambda: f"not {self.truth(deeper)}" if r.random() < 0.5 else None,
                lambda: f"{self.value(equal, deeper)} {r.choice(('=', '!='))} {self.value(equal, deeper)}",
                lambda: f"{self.value(sort, deeper)} {r.choice(('in', 'not in'))} {self.collection(sort, deeper)}",
                lambda: f"{self.collection(sort, deeper)} is {r.choice(('empty', 'not empty'))}",
                lambda: f"{r.choice(('any', 'all'))}({self._truths(sort, deeper)})",
                lambda: f"{self.absent(deeper)} is {r.choice(('none', 'not none'))}",
                self._call(BOOL, deeper),
            ]
            if w.grids:
                ways.append(lambda: f"on_edge({self.value('Sq', deeper)})")
            if w.goods:
                ways.append(lambda: f"can pay {self.cost(deeper)} from {self.purse(deeper)}")
            if self.tried and s.acts and r.random() < 0.5:
                ways.append(lambda: self.ahead(deeper))
            one = r.choice(w.kinds)
            ways.append(lambda: f"{self.value(one, deeper)} is {r.choice(w.rows[one])}")
            for kind, places in w.piece_variables.items():
                ways += [self._attribute(kind, place.name, s) for place in places if place.holds == BOOL]
            ways += [self._attribute(kind, "tired", s) for kind in w.marks]
        text = self.pick(*ways)
        return f"({text})" if " " in text and not text.startswith("(") else text

    def ahead(self, s: Scope) -> str:
        """Return whether something could hold after a rule that is declared before."""
        rule, types = self.random.choice(self.tried)
        given = ", ".join(self.value(type_, s) for type_ in types)
        return f"possible({rule}({given}) then {self.truth(replace(s, names=()))})"

    def absent(self, s: Scope) -> str:
        """Return what may be absent as far as `check` can see: a variable, an argument, the top of a zone."""
        places = [place for place in self.world.variables if place.optional and self._sees(place, s)]
        ways = [self._read(place, s) for place in places]
        ways += [self._text(name) for name, type_ in s.names if type_.endswith("?")]
        ways.append(lambda: "top of table" if self.random.random() < 0.5 else None)
        return self.pick(*ways)

    def _truths(self, sort: str, s: Scope) -> str:
        x = self.name()
        return f"{self.truth(s.naming((x, sort)))} for {x} in {self.collection(sort, s)}"

    def _call(self, type_: str, s: Scope) -> Callable[[], str | None]:
        """Return what writes the call of a function of a type."""
        candidates = [function for function in self.functions if function[2] == type_]
        if not candidates:
            return lambda: None
        name, types, _ = self.random.choice(candidates)
        return lambda: f"{name}({', '.join(self.value(part, s) for part in types)})"

    # ---- seats and directions

    def seat(self, s: Scope) -> str:
        """Return a seat."""
        r = self.random
        ways: list[Callable[[], str | None]] = [
            lambda: "you" if s.acts else None,
            lambda: f"seat({r.randrange(self.world.seats[0])})",
        ]
        ways += [self._read(place, s) for place in self._variables(SEAT, s, False)]
        if not self.world.eliminates:
            ways.append(lambda: "(top of players)")
        if s.depth > 0:
            deeper = s.deeper()
            ways += [
                lambda: f"{self.seat(deeper)}.{r.choice(('next', 'previous'))}",
                lambda: f"({self.certainly_optional(SEAT, deeper)} otherwise {self.seat(deeper)})",
                self._call(SEAT, deeper),
            ]
        return self.pick(*ways)

    def way(self, s: Scope) -> str:
        """Return a direction."""
        ways: list[Callable[[], str | None]] = [lambda: self.random.choice(("north", "east", "southwest"))]
        ways += [self._read(place, s) for place in self._variables(WAY, s, False)]
        if s.depth > 0:
            ways.append(lambda: f"opposite({self.way(s.deeper())})")
            if self.world.edges:
                turned = "turned({}, {}, {})"
                ways.append(
                    lambda: turned.format(self.value("Sq", s.deeper()), self.way(s.deeper()), self.number(s.deeper()))
                )
        return self.pick(*ways)

    # ---- collections

    def collection(self, type_: str, s: Scope) -> str:
        """Return a collection of a type."""
        w, r = self.world, self.random
        ways: list[Callable[[], str | None]] = []
        deeper = s.deeper()
        if local := s.of(f"list of {type_}"):
            ways.append(lambda: r.choice(local))
        if type_ in w.types():
            ways.append(lambda: type_)
        if type_ == SEAT:
            ways += [
                lambda: "players",
                lambda: "everyone",
                lambda: "others" if s.acts else "players",
                lambda: f"players_from({self.seat(deeper)})",
            ]
            if w.automaton:
                ways.append(lambda: "parties")
            if "Gap" in w.betweens and s.of("Gap"):
                ways.append(lambda: f"{s.of('Gap')[0]}.players")
        if type_ == WAY:
            ways += [lambda: r.choice(("Direction", "orthogonal", "diagonal"))]
        if type_ == NUMBER:
            ways += [lambda: f"numbers({r.randint(-1, 2)}, {self.number(deeper) if s.depth > 0 else 2})"]
        if type_ in w.kinds:
            ways += [self._zone(zone, s) for zone in w.zones if zone.holds == type_ and self._sees(zone, s)]
            ways.append(lambda: type_ if all(self._sees(z, s) for z in w.zones if z.holds == type_) else None)
        if type_ == "Sq" and s.depth > 0:
            ways += [
                lambda: f"neighbours({self.value('Sq', deeper)})",
                lambda: f"ray({self.value('Sq', deeper)}, {self.way(deeper)})",
                lambda: f"region({self.value('Sq', deeper)}, {self.collection('Sq', deeper)})",
            ]
        on_board = {"Sq": "cells", "Rim": "edges", "Post": "corners"}
        if type_ in on_board and w.edges and s.depth > 0:
            other = r.choice([each for each in ("Sq", *w.edges) if each != type_])
            ways.append(lambda: f"{self.value(other, deeper)}.{on_board[type_]}")
            if type_ != "Sq":
                ways.append(lambda: f"neighbours({self.value(type_, deeper)})")
        if not ways:
            value = self.default(type_, s)
            return f"[{value}]" if value is not None else "[]"
        if s.depth <= 0:
            return self.pick(*ways)
        cond = lambda: self.truth(deeper.naming(("it", type_)))  # noqa: E731
        more: list[Callable[[], str | None]] = [
            lambda: f"({self.collection(type_, deeper)} where {cond()})",
            lambda: (
                f"({self.collection(type_, deeper)} with {r.choice(('most', 'fewest'))}"
                f" {self.number(deeper.naming(('it', type_)))})"
            ),
            lambda: f"({self.collection(type_, deeper)} {r.choice('+-')} {self.collection(type_, deeper)})",
            lambda: f"distinct({self.collection(type_, deeper)})",
            lambda: f"(top {r.randint(0, 3)} of {self.collection(type_, deeper)})",
            lambda: (
                f"[{self.value(type_, deeper)}, {self.value(type_, deeper)}]"
                if type_ not in w.kinds or type_ in w.individuals
                else None
            ),
        ]
        return self.pick(*ways) if r.random() < 0.6 else self.pick(*more, *ways)

    def _zone(self, zone: Place, s: Scope) -> Callable[[], str | None]:
        """Return what writes the name of a zone."""
        return lambda: self.zone(zone, s, True)

    def _text(self, text: str) -> Callable[[], str | None]:
        """Return what writes a text."""
        return lambda: text

    def zone(self, zone: Place, s: Scope, whole: bool = False) -> str:
        """Return the name of a zone, with its index; `whole`: or of all its places together."""
        if whole and zone.index and self.random.random() < 0.4:
            return zone.name if not zone.per_player or s.acts else f"{self.seat(s)}.{zone.name}"
        return self.named(zone, s)

    # ---- money

    def purse(self, s: Scope) -> str:
        """Return a bag variable."""
        bags = [place for place in self.world.variables if place.holds == "bag of Ore" and self._sees(place, s)]
        if not bags:
            raise NothingThereError
        return self.named(self.random.choice(bags), s)

    def bag(self, s: Scope) -> str:
        """Return a bag."""
        w, r = self.world, self.random
        fixed = f"({r.randint(0, 2)} {r.choice(w.goods)})"
        return self.pick(
            lambda: fixed, lambda: self.purse(s), lambda: f"({fixed} + {self.bag(s.deeper())})" if s.depth > 0 else None
        )

    def cost(self, s: Scope) -> str:
        """Return a cost."""
        w, r = self.world, self.random
        exact = f"{r.randint(0, 2)} {r.choice(w.goods)}"
        texts = [exact, "1 any Ore", "2 identical Ore", f"({exact} + 1 any Ore)"]
        if len(w.goods) > 1:
            texts.append(f"1 ({w.goods[0]} or {w.goods[1]})")
        if s.of("Card") and ("price", "cost of Ore") in w.attributes["Card"]:
            texts.append(f"{s.of('Card')[0]}.price")
        return r.choice(texts)
