"""Whole generated rulesets: nouns, and rules of all forms of statements that speak of them.

Enters: a number. Leaves: the `Written` ruleset of that number, the same in every run. Most pass `check`: expressions
have types, what may be absent is dealt with, menus have an `else`, what a seat is asked depends on what it sees. Some
authors are bold (`Values.bold`).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from random import Random

from tests.soundness.texts import Line, Written, indented
from tests.soundness.values import NothingThereError, Scope, Values
from tests.soundness.world import BOOL, NUMBER, SEAT, WAY, Place, world

CARD = (("owner", SEAT), ("this", "Card"))
"""What the rule text of a card names."""
Statement = Callable[[Scope], list[Line] | None]


def written(number: int) -> Written:
    """Return the ruleset of a number."""
    return Author(Random(f"soundness {number}")).ruleset()


class Author:
    """Writes one ruleset."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.world = world(random)
        bold = random.choice((0.0, 0.0, 0.1) if self.world.eliminates else (0.0, 0.0, 0.02, 0.05))
        self.values = Values(self.world, bold)
        self.rules: list[tuple[str, tuple[str, ...], str]] = []
        self.events: list[tuple[str, tuple[str, ...]]] = []
        self.deep: set[str] = set()
        self.event_names: dict[str, list[str]] = {}
        self.abilities: list[tuple[str, str]] = []
        self.quantities: list[str] = []
        self.markets: list[str] = []
        self.steps: list[str] = []
        self.is_reaction = False
        self.sees_hand = any(zone.name == "hand" and zone.visible in ("all", "owner") for zone in self.world.zones)
        self.public = random.random() < 0.8
        self.depth = random.choice((1, 2, 2, 3))

    def ruleset(self) -> Written:
        """Return the ruleset."""
        r = self.random
        declarations: list[Line] = []
        declarations += [self.function() for _ in range(r.randrange(3))]
        if self.world.goods and r.random() < 0.6:
            declarations.append(self.market())
        if r.random() < 0.5:
            declarations += self.quantity()
        if r.random() < 0.5:
            declarations.append(self.ability())
        for _ in range(r.randrange(3)):
            declarations.append(self.event())
        for _ in range(r.randint(1, 2)):
            declarations.append(self.rule())
        self.piece_rules()
        play = self.play()
        ruleset = Written(self.world.nouns, [self.setup(), play, *declarations, *self.ends()])
        if r.random() < 0.25:
            ruleset.overlays.append(self.overlay(ruleset.rules))
        return ruleset

    def overlay(self, declared: list[Line]) -> Written:
        """Return what is laid over these declarations: rows, and rules, steps and lines in the place of theirs."""
        r, rows = self.random, self.world.nouns["pieces"]["Card"]
        attributes = {name: rows[0][name] for name in ("value", "hue", "price", "bonus") if name in rows[0]}
        cards = [
            {"id": rows[-1]["id"], "value": r.randint(0, 4)},
            {"id": "owl", "count": r.choice((1, 3)), **attributes},
        ]
        lines = [
            Line(f"score {self.values.name('line')}: {self.values.number(Scope(acts=True, changes=False, depth=1))}")
        ]
        plain = [rule for rule in self.rules if rule[0] not in self.deep]
        self.rules, self.events, self.values.tried = [], [], []  # which may call what is replaced
        if plain and r.random() < 0.6:
            name, types, of = r.choice(plain)
            given, scope = self.parameters(*types)
            block = self.block(replace(scope, acts=True, public=self.public, returns=of, depth=2), 1)
            if of:
                block.append(Line(f"return {self.values.value(of, replace(scope, acts=True, depth=1))}"))
            lines.append(Line(f"rule {name}({given}){f' -> {of}' if of else ''}:", block))
        written = indented(declared, 0)
        for step in [step for step in self.steps if written.count(f"step {step}:") == 1][:1]:
            way = r.choice(("before", "after", "instead of", "remove"))
            if way == "remove":
                lines.append(Line(f"remove step {step}"))
            else:
                lines.append(Line(f"{way} step {step}:", self.block(Scope(depth=1), 1)))
        return Written({"pieces": {"Card": cards}}, lines)

    # ---- declarations

    def parameters(self, *types: str) -> tuple[str, Scope]:
        """Return the text of parameters of some types, and the scope that names them."""
        names = [(self.values.name("a"), type_) for type_ in types]
        return ", ".join(f"{name}: {type_}" for name, type_ in names), Scope(tuple(names))

    def some_types(self) -> tuple[str, ...]:
        """Return types of parameters."""
        all_types = [NUMBER, BOOL, SEAT, *self.world.types(), *self.world.kinds]
        types = [self.random.choice(all_types) for _ in range(self.random.choice((0, 1, 1, 2)))]
        return tuple(
            f"list of {t}" if self.random.random() < 0.15 else f"{t}?" if self.random.random() < 0.15 else t
            for t in types
        )

    def function(self) -> Line:
        """Return a function, with a block or an expression."""
        types, of = self.some_types(), self.random.choice((NUMBER, NUMBER, BOOL, SEAT))
        given, scope = self.parameters(*types)
        scope = replace(scope, changes=False, depth=2)
        name = self.values.name("f")
        if self.random.random() < 0.6:
            line = Line(f"function {name}({given}) -> {of} = {self.values.value(of, scope)}")
        else:
            block = [Line(f"if {self.values.truth(scope)}:", [Line(f"return {self.values.value(of, scope)}")])]
            absent = [part for part in scope.names if part[1].endswith("?")]
            if absent:
                x = self.values.name()
                inner = scope.naming((x, absent[0][1][:-1]))
                block.append(Line(f"if some {x} = {absent[0][0]}:", [Line(f"return {self.values.value(of, inner)}")]))
            line = Line(f"function {name}({given}) -> {of}:", [*block, Line(f"return {self.values.value(of, scope)}")])
        self.values.functions.append((name, types, of))
        return line

    def rule(self) -> Line:
        """Return a rule: one that ends, or gives a value, or calls itself."""
        r, types, name = self.random, self.some_types(), self.values.name("r")
        given, scope = self.parameters(*types)
        of = r.choice(("", "", NUMBER, SEAT))
        calls_itself = not of and r.random() < 0.2
        scope = replace(scope, acts=True, public=self.public, returns=of, depth=self.depth)
        block = self.block(scope, r.randint(1, 2))
        if calls_itself:
            block.append(Line(f"{name}({', '.join(self.values.value(t, scope) for t in types)})"))
        if of:
            block.append(Line(f"return {self.values.value(of, replace(scope, depth=1))}"))
        if calls_itself:
            self.deep.add(name)
        elif not of:
            self.values.tried.append((name, types))
        self.rules.append((name, types, of))
        deep = f" up to {r.randint(1, 4)} deep" if calls_itself else ""
        return Line(f"rule {name}({given}){f' -> {of}' if of else ''}{deep}:", block)

    def event(self) -> Line:
        """Return an event."""
        types = (SEAT, *self.some_types()[:1])
        given, scope = self.parameters(*types)
        name = self.values.name("e")
        block = self.block(replace(scope, acts=True, returns="", depth=2), self.random.randint(1, 2))
        self.events.append((name, types))
        self.event_names[name] = [parameter for parameter, _ in scope.names]
        deep = f" up to {self.random.randint(1, 4)} deep" if self.random.random() < 0.5 else ""
        self.deep |= {name} if deep else set()
        return Line(f"event {name}({given}){deep}:", block)

    def quantity(self) -> list[Line]:
        """Return a quantity of a card and what changes it."""
        name = self.values.name("q")
        self.quantities.append(name)
        lines = [Line(f"quantity {name}(card9: Card) -> number = card9.value")]
        for layer in self.random.sample(("plus", "minus", "at least", "at most", "set to"), self.random.randrange(3)):
            scope = Scope((("card7", "Card"),), changes=False, depth=1)
            lines.append(Line(f"modify {name}(card7) when card7.value > 1: {layer} {self.values.number(scope)}"))
        self.values.functions.append((name, ("Card",), NUMBER))
        return lines

    def ability(self) -> Line:
        """Return an ability of cards: what a card does that has no text of its own."""
        name = self.values.name("act")
        self.abilities.append((name, "Card"))
        self.is_reaction = True
        block = self.block(Scope((("card6", "Card"),), acts=True, returns="", depth=1), 1)
        self.is_reaction = False
        return Line(f"ability {name}(card6: Card):", block)

    def market(self) -> Line:
        """Return exchanges that lose something each time, or are limited."""
        r, goods, name = self.random, self.world.goods, self.values.name("t")
        bags = [place for place in self.world.variables if place.holds == "bag of Ore" and place.per_player]
        if not bags:
            return self.function()
        self.markets.append(name)
        given = [f"2 {goods[0]}", f"2 {goods[0]} or 2 {goods[-1]}", "2 identical Ore", f"1 {goods[0]} + 1 any Ore"]
        first = f"exchange swap: {r.choice(given)} -> 1 {goods[-1]}"
        paid = ["1 any Ore", f"1 {goods[0]} or 2 any Ore", f"1 ({' or '.join(goods)})"]
        other = f"exchange gift once per turn: {r.choice(paid)} -> {r.choice(('1 any Ore', f'2 {goods[0]}'))}"
        purses = " + ".join(f"who9.{bag.name}" for bag in r.sample(bags, r.randint(1, len(bags))) if not bag.index)
        most = f" at most {r.choice(('2', 'count(players)'))} times" if r.random() < 0.3 else ""
        return Line(
            f"exchanges {name}(who9: player) from {purses or f'who9.{bags[0].name}'}{most}:",
            [Line(first), *([Line(other)] if r.random() < 0.6 else [])],
        )

    def piece_rules(self) -> None:
        """Give cards rules of their own: handlers, modifiers, abilities, offers, scores."""
        r = self.random
        rows = self.world.nouns["pieces"]["Card"]
        active = self.world.nouns["kinds"]["Card"].get("active", [])
        self.is_reaction = True
        for row in rows:
            lines: list[Line] = []
            for ability, _ in self.abilities:
                if r.random() < 0.4:
                    scope = Scope((("card8", "Card"),), acts=True, returns="", depth=1)
                    lines.append(Line(f"on {ability}(card8):", self.block(scope, 1)))
            if active and r.random() < 0.5:
                lines += self.reactions(active)
            if lines:
                row["rules"] = lines
        self.is_reaction = False

    def reactions(self, active: list[str]) -> list[Line]:
        """Return what a card that is in force does by itself."""
        r, lines = self.random, []
        for name, types in self.events:
            if r.random() < 0.5:
                continue
            way, may = (
                r.choice(("before", "after", "instead of", "instead of")),
                "may " if self.is_unseen(active) else r.choice(("", "may ")),
            )
            names = ((r.choice(("who8", "owner")), SEAT), *(("given8", type_) for type_ in types[1:]))
            scope = Scope((*names, ("owner", SEAT), ("this", "Card")), acts=True, returns="", depth=1)
            given = f"({', '.join(n for n, _ in names)})" if names else ""
            when = f" when {self.values.truth(replace(scope, changes=False, depth=1))}" if r.random() < 0.4 else ""
            limit = r.choice(("", "", " once per turn", " once per round", " once per game"))
            block = self.block(scope, 1)
            if way == "instead of" and r.random() < 0.7:
                with suppress(NothingThereError):
                    others = ", ".join(self.values.value(type_, replace(scope, depth=1)) for _, type_ in names)
                    on = f"proceed({others})" if names and r.random() < 0.7 else "proceed"
                    block = (
                        [Line("choose:", [Line("yes: pass"), Line(f"no: {on}")])]
                        if r.random() < 0.5
                        else [*block, Line(on)]
                    )
            lines.append(Line(f"{may}{way} {name}{given}{when}{limit}:", block))
        if self.quantities and r.random() < 0.3:
            lines.append(Line(f"modify {self.quantities[0]}(card5) when you = owner: plus {r.randint(0, 2)}"))
        if r.random() < 0.3:
            lines.append(Line(f"scores: {self.values.number(Scope(CARD, acts=True, changes=False, depth=1))}"))
        if r.random() < 0.3:
            lines.append(
                Line(
                    "offer in act:", [Line("use" + ":", self.block(Scope((("this", "Card"),), acts=True, depth=1), 1))]
                )
            )
        return lines

    def is_unseen(self, zones: list[str]) -> bool:
        """Return whether not all see one of these zones."""
        return any(zone.name in zones and zone.visible != "all" for zone in self.world.zones)

    # ---- the game

    def setup(self) -> Line:
        """Return the setup: cards are shuffled and dealt."""
        r = self.random
        lines = [Line("shuffle deck")] if r.random() < 0.8 else []
        counts = [
            row["count"] for row in self.world.nouns["pieces"]["Card"] if "per" not in row and row["count"] != "size"
        ]
        if r.random() < 0.7 and sum(counts) >= self.world.seats[-1]:
            lines.append(Line("for seat0 in players:", [Line("draw 1 from deck to seat0.hand")]))
        home = next((zone for zone in self.world.zones if zone.name == "board"), None)
        if home is not None and not home.per_player and self.world.singles and r.random() < 0.7:
            cell = self.values.value("Sq", Scope(depth=1))
            lines.append(
                Line("for seat1 in players:", [Line(f"move seat1.{self.world.singles[0][0]} to board[{cell}]")])
            )
        scope = Scope(depth=2)
        lines += self.block(scope, r.randrange(2)) if r.random() < 0.5 else []
        return Line("setup:", lines or [Line("pass")])

    def play(self) -> Line:
        """Return the game: rounds and turns, in which rules are called."""
        r = self.random
        scope = Scope((("seat2", SEAT),), acts=True, public=self.public, loops=True, depth=self.depth)
        turn = self.acting(scope, r.randint(1, 2))
        loop = Line(
            f"for seat2 in {r.choice(('players', 'players', 'everyone', 'players_from(seat(0))'))}:",
            [Line("turn of seat2:", turn)],
        )
        if r.random() < 0.3:
            loop = Line("round:", [loop])
        before = self.block(Scope(loops=True, depth=self.depth), 1) if r.random() < 0.6 else []
        after = self.block(Scope(loops=True, depth=self.depth), 1) if r.random() < 0.3 else []
        if r.random() < (0.7 if self.world.eliminates else 0.3):
            where = r.choice((before, before, after))  # a game that is cut short reaches what stands before its turns
            where += self.last_one(Scope(loops=True, depth=2))
        head = r.choice(("repeat 2 times:", "repeat 3 times:", "repeat 3 times:"))
        return Line("play:", [Line(head, [*before, loop, *after])])

    def acting(self, scope: Scope, count: int) -> list[Line]:
        """Return the statements of a turn: one menu at least, and calls of rules."""
        lines = self.block(scope, count)
        for name, types, of in [*self.rules, *((*event, "") for event in self.events)]:
            with suppress(NothingThereError):
                lines += self.called(name, types, of, scope) if self.random.random() < 0.6 else []
        menu = self.menu(scope, "act")
        return [*menu, *lines] if self.random.random() < 0.5 else [*lines, *menu]

    def called(self, name: str, types: tuple[str, ...], of: str, scope: Scope) -> list[Line]:
        """Return the call of a rule."""
        call = f"{name}({', '.join(self.values.value(t, replace(scope, depth=1)) for t in types)})"
        return [Line(f"let {self.values.name()} = {call}" if of else call)]

    def ends(self) -> list[Line]:
        """Return score lines, and how the game is won."""
        r = self.random
        scope = Scope(acts=True, changes=False, public=True, depth=2)
        lines = [
            Line(f"score {self.values.name('line')}: {self.values.number(scope)}") for _ in range(r.randrange(1, 3))
        ]
        if r.random() < 0.2:
            ranking, number = r.choice(("most", "fewest")), self.values.number(scope)
            together = len(number) % 3 == 0  # no random number: the rulesets of all other seeds stay what they are
            lines.append(Line(f"winner: all when {number} > 1" if together else f"winner: {ranking} {number}"))
        if r.random() < 0.2:
            lines.append(Line(f"tie: most {self.values.number(replace(scope, depth=1))}, then shared"))
        if r.random() < 0.1:
            lines.append(Line(f"payoff: {self.values.number(scope)}"))
        return lines

    # ---- statements

    def secretly(self) -> str:
        """Return what makes a choice secret, sometimes, of an author with secrets."""
        return "secretly " if not self.public and self.random.random() < 0.3 else ""

    def block(self, s: Scope, count: int) -> list[Line]:
        """Return some statements; those after a `let` know its name."""
        lines: list[Line] = []
        for _ in range(max(1, count)):
            found = self.statement(s)
            lines += found
            for line in found:
                s = self._named(line, s)
            if line.text in ("stop", "return", "end the game"):
                break
        return lines

    def _named(self, line: Line, s: Scope) -> Scope:
        """Return the scope after a line: what a `let` names has the type that stands in `self.let_types`."""
        words = line.text.split()
        if words[0] == "let" and (type_ := self.let_types.get(words[1])) is not None:
            return s.naming((words[1], type_))
        return s

    let_types: dict[str, str] = {}  # noqa: RUF012 - names are unique in a ruleset only: see `let`

    def let(self, type_: str, value: str, otherwise: str = "") -> list[Line]:
        """Return a `let`, and note its type."""
        name = self.values.name("l")
        if "let_types" not in self.__dict__:
            self.let_types = {}
        self.let_types[name] = type_
        return [Line(f"let {name} = {value}{otherwise}")]

    def statement(self, s: Scope) -> list[Line]:
        """Return a statement of some form, maybe with what must stand before it."""
        r = self.random
        forms: list[Statement] = [
            self.assign, self.assign, self.assign, self.move, self.move, self.draw_, self.shuffle, self.piece_change,
            self.gain, self.reveal, self.mark, self.chance, self.random_one, self.eliminate,
        ]  # fmt: skip
        if s.depth > 0:
            forms += [
                self.if_,
                self.if_some,
                self.each,
                self.while_,
                self.repeat,
                self.as_,
                self.turn,
                self.timed,
                self.let_,
            ]
        if s.acts:
            forms += [
                self.choice,
                self.choice,
                self.choice,
                self.number_choice,
                self.several,
                self.pay,
                self.call,
                self.arrange,
                self.trade,
            ]
            if s.depth > 0:
                forms += [lambda s: self.menu(s), lambda s: self.menu(s)]
        if not s.acts or r.random() < 0.3:
            forms += [self.together, self.together]
        if r.random() < 0.08:
            forms.append(self.end)
        if s.loops and r.random() < 0.1:
            forms.append(lambda _: [Line("stop")])
        if s.returns == "" and r.random() < 0.1:
            forms.append(lambda _: [Line("return")])
        while True:
            try:
                found = r.choice(forms)(s)
            except NothingThereError:
                continue
            if found is not None:
                return found

    def writable(self, s: Scope, types: tuple[str, ...]) -> Place | None:
        """Return a variable that may be written: one that all see, or that the acting seat alone does."""
        found = [p for p in self.world.variables if p.holds in types and (p.visible == "all" or s.acts)]
        return self.random.choice(found) if found else None

    def target(self, place: Place, s: Scope) -> str | None:
        """Return the text of a variable that is written."""
        if place.visible != "all" and place.per_player:
            index = ", ".join(self.values.value(part, replace(s, depth=1)) for part in place.index)
            return f"{place.name}[{index}]" if index else place.name if s.acts else None
        return self.values.named(place, replace(s, depth=1))

    def assign(self, s: Scope) -> list[Line] | None:
        """Return an assignment; most numbers are kept within their range."""
        place = self.writable(s, (NUMBER, BOOL, SEAT, WAY, *self.world.types(), *self.world.individuals))
        if place is None or (target := self.target(place, s)) is None:
            return None
        value = self.values.value(f"{place.holds}?" if place.optional else place.holds, s.deeper())
        if place.optional and self.random.random() < 0.1:
            value = "none"
        if place.holds == NUMBER:
            if self.random.random() < 0.15:
                return [Line(f"{target} {self.random.choice(('+=', '-='))} {value}")]
            value = f"max({place.low}, min({place.high}, {value}))"
        return [Line(f"{target} := {value}")]

    def _zone(self, s: Scope, kind: str) -> str | None:
        """Return a zone into which pieces may be put."""
        zones = [zone for zone in self.world.zones if zone.holds == kind]
        zone = self.random.choice(zones)
        near = replace(s, depth=1)
        if zone.per_player:
            index = ", ".join(self.values.value(part, near) for part in zone.index)
            own = zone.name if s.acts and self.random.random() < 0.6 else f"{self.values.seat(near)}.{zone.name}"
            return f"{own}[{index}]" if index else own
        return self.values.named(zone, near)

    def move(self, s: Scope) -> list[Line] | None:
        """Return a move."""
        kind = self.random.choice(self.world.kinds)
        what = self.values.collection(kind, replace(s, depth=min(s.depth, 2)))
        if self.random.random() < 0.5:
            what = f"{self.random.choice(('top', 'bottom', 'top 2'))} of {what}"
        elif self.random.random() < 0.3 and kind in self.world.individuals:
            what = self.values.value(kind, replace(s, depth=1))
        elif self.random.random() < 0.5:
            what = f"({what})"
        to = self._zone(s, kind)
        piles = tuple(zone.name for zone in self.world.zones if zone.pile and not zone.per_player and not zone.index)
        below = " at bottom" if to in piles and self.random.random() < 0.2 else ""
        return [Line(f"move {what} to {to}{below}")]

    def draw_(self, s: Scope) -> list[Line] | None:
        to = self._zone(s, "Card")
        return (
            [Line(f"draw {self.random.choice((1, 1, 2))} from deck to {to}")]
            if to and not to.startswith("deck")
            else None
        )

    def shuffle(self, s: Scope) -> list[Line]:
        piles = [
            zone
            for zone in self.world.zones
            if zone.pile and not zone.per_player and not zone.index and zone.visible != "all"
        ]
        return [Line(f"shuffle {self.random.choice(piles).name}")]

    def piece_change(self, s: Scope) -> list[Line] | None:
        """Return a change of a piece's variable."""
        kinds = [kind for kind, places in self.world.piece_variables.items() if places]
        if not kinds:
            return None
        kind = self.random.choice(kinds)
        place = self.random.choice(self.world.piece_variables[kind])
        piece = self.values.value(kind, replace(s, depth=1))
        value = self.values.value(f"{place.holds}?" if place.optional else place.holds, replace(s, depth=1))
        if place.holds == NUMBER:
            value = f"max(0, min(3, {value}))"
        return [Line(f"{piece}.{place.name} := {value}")]

    def bags(self, s: Scope) -> bool:
        """Return whether there are bags that may be read here."""
        bags = [place for place in self.world.variables if place.holds == "bag of Ore"]
        return any(place.visible == "all" for place in bags)

    def gain(self, s: Scope) -> list[Line] | None:
        """Return a change of a bag, or goods that go from one to another."""
        if not self.world.goods or not self.bags(s):
            return None
        purse = self.values.purse(replace(s, depth=1))
        if s.acts and self.random.random() < 0.4:
            return [Line(f"{purse} += {self.random.randint(1, 2)} any Ore")]
        if s.acts and self.random.random() < 0.4:
            target = self.values.purse(replace(s, depth=1))
            what = self.random.choice((self.values.bag(s.deeper()), purse, f"(random 1 of {purse})"))
            return [Line(f"move {what} from {purse} to {target}")]
        return [Line(f"{purse} {self.random.choice(('+=', '-=', ':='))} {self.values.bag(s.deeper())}")]

    def reveal(self, s: Scope) -> list[Line] | None:
        """Return what shows something: a value or a collection, to all or to some."""
        sort = self.random.choice(
            [NUMBER, SEAT, *self.world.types(), *self.world.kinds, *(["bag of Ore"] if self.world.goods else [])]
        )
        near = replace(s, depth=1)
        of = [f"list of {sort}" if sort != "bag of Ore" and self.random.random() < 0.6 else sort][0]
        what = "hand" if s.acts and self.random.random() < 0.3 else self.values.value(of, near)
        to = (
            f" to {self.values.value(self.random.choice((SEAT, 'list of player')), near)}"
            if self.random.random() < 0.3
            else ""
        )
        return [Line(f"reveal {what}{to}")]

    def mark(self, s: Scope) -> list[Line] | None:
        if not self.world.own_marks:
            return None
        seat = self.values.seat(replace(s, depth=1))
        mark = self.world.own_marks[0]
        name = f"{seat}.{mark.name}" if mark.per_player else mark.name
        whose = f" of {self.values.seat(replace(s, depth=1))}" if self.random.random() < 0.6 else ""
        event = self.random.choice(("turn", "turn", *(name for name, _ in self.events)))
        return [Line(f"mark {name} until {self.random.choice(('before', 'after'))} {event}{whose}")]

    def chance(self, s: Scope) -> list[Line]:
        high = self.random.choice(("1", "3", self.values.number(replace(s, depth=1))))
        return self.let(NUMBER, f"roll {self.random.randint(0, 1)} to {high}")

    def _random_sort(self) -> str:
        return self.random.choice([SEAT, *self.world.types(), *self.world.kinds])

    def random_one(self, s: Scope) -> list[Line] | None:
        """Return what chance picks; `if some`, or the bold take it for granted."""
        sort = self._random_sort()
        what = f"random one of {self.values.collection(sort, s.deeper())}"
        return self.maybe(sort, what, s)

    def maybe(self, sort: str, what: str, s: Scope) -> list[Line]:
        """Return statements that deal with a value that may be absent."""
        r = self.random
        if self.values.dares():
            return self.let(sort, what)
        if s.returns == "" and r.random() < 0.4:
            return self.let(sort, what, " else return")
        if s.loops and r.random() < 0.3:
            return self.let(sort, what, " else stop")
        x = self.values.name()
        return [Line(f"if some {x} = {what}:", self.block(s.deeper().naming((x, sort)), 1))]

    def eliminate(self, s: Scope) -> list[Line] | None:
        """Return what puts somebody, or all, out of the game."""
        if not self.world.eliminates:
            return None
        if self.random.random() < 0.4:
            x = self.values.name("p")
            return [Line(f"for {x} in players:", [Line(f"eliminate {x}")])]
        return [Line(f"eliminate {self.values.seat(replace(s, depth=1))}")]

    def last_one(self, s: Scope) -> list[Line]:
        """Return what is done with somebody who is still in: nobody may be, where rules put players out."""
        r = self.random
        x = self.values.name("p")
        lines = (
            [Line(f"for {x} in players:", [Line(f"eliminate {x}")])]
            if self.world.eliminates and r.random() < 0.5
            else []
        )
        which = r.choice(
            ("top of players", "random one of players", f"top of (players with most {self.values.number(s)})")
        )
        certain = not self.world.eliminates or r.random() < 0.5
        if not certain:
            return [*lines, *self.maybe(SEAT, which, s)]
        named = self.let(SEAT, which)
        who = named[0].text.split()[1]
        places = [p for p in self.world.variables if p.per_player and p.visible == "all" and p.holds == NUMBER]
        uses = [f"{who}.{p.name} := {p.high}" for p in places if not p.index]
        use = r.choice([*uses, f"draw 1 from deck to {who}.hand"])
        return [*lines, *named, Line(use), *self.block(s.naming((who, SEAT)), 1)]

    def if_(self, s: Scope) -> list[Line]:
        lines = [Line(f"if {self.values.truth(s.deeper())}:", self.block(s.deeper(), self.random.randint(1, 2)))]
        if self.random.random() < 0.4:
            lines.append(Line("else:", self.block(s.deeper(), 1)))
        return lines

    def if_some(self, s: Scope) -> list[Line] | None:
        sort = self.random.choice([NUMBER, SEAT, WAY, *self.world.types(), *self.world.kinds])
        absent = self.values.optional(sort, s.deeper())
        return None if absent is None else self.maybe(sort, absent, s)

    def each(self, s: Scope) -> list[Line]:
        sort = self.random.choice(self.values.sorts())
        x = self.values.name()
        inner = s.deeper(loops=True).naming((x, sort))
        return [Line(f"for {x} in {self.values.collection(sort, s.deeper())}:", self.block(inner, 1))]

    def while_(self, s: Scope) -> list[Line] | None:
        place = self.writable(s, (NUMBER,))
        if place is None or self.random.random() < 0.6 or (target := self.target(place, s)) is None:
            return None
        return [Line(f"while {target} < {place.high}:", [*self.block(s.deeper(loops=True), 1), Line(f"{target} += 1")])]

    def repeat(self, s: Scope) -> list[Line]:
        times = self.random.choice(("2", "3", self.values.number(replace(s, depth=1))))
        return [Line(f"repeat {times} times:", self.block(s.deeper(loops=True), 1))]

    def as_(self, s: Scope) -> list[Line]:
        return [Line(f"as {self.values.seat(replace(s, depth=1))}:", self.block(s.deeper(acts=True), 1))]

    def turn(self, s: Scope) -> list[Line] | None:
        """Return a turn: an extra one where somebody has his."""
        if self.random.random() < 0.5:
            return None
        return [
            Line(f"turn of {self.values.seat(replace(s, depth=1))}:", self.block(s.deeper(acts=True, loops=False), 2))
        ]

    def timed(self, s: Scope) -> list[Line] | None:
        name = self.values.name("st")
        head = self.random.choice((f"phase {self.values.name('ph')}:", f"step {name}:", "round:"))
        self.steps += [name] if head.startswith("step") else []
        return [Line(head, self.block(s.deeper(loops=False), 1))]

    def let_(self, s: Scope) -> list[Line]:
        sort = self.random.choice([NUMBER, BOOL, SEAT, WAY, *self.world.types(), *self.world.kinds])
        if self.random.random() < 0.3:
            sort = f"list of {sort}" if sort != BOOL else sort
        return self.let(sort, self.values.value(sort, s.deeper()))

    # ---- choices

    def choice(self, s: Scope) -> list[Line]:
        """Return a choice of one of a collection."""
        sort = self._random_sort()
        how = self.secretly() or self.random.choice(("", "", "", "anyway "))
        of = self.values.collection(sort, s.deeper())
        if sort == "Card" and self.sees_hand and self.random.random() < 0.5:
            of = "hand"
        return self.maybe(sort, f"{how}choose one of {of}", s)

    def number_choice(self, s: Scope) -> list[Line]:
        """Return a choice of a number, of a type, or of a subset."""
        r, low = self.random, self.random.choice((0, 0, 1))
        kind = r.randrange(3)
        high = self.values.number(replace(s, depth=1))
        high = high if r.random() < 0.3 else f"max({low}, {high})"
        if kind == 0:
            return self.let(NUMBER, f"choose a number from {low} to {low + r.randint(0, 3)}")
        if kind == 1 and self.world.types():
            sort = r.choice(self.world.types())
            what = f"{self.secretly()}choose one of {sort}"
            return self.let(sort, what) if r.random() < 0.5 else self.maybe(sort, what, s)
        return self.maybe(NUMBER, f"choose a number from {low} to {high}", s)

    def several(self, s: Scope) -> list[Line]:
        """Return a choice of several, or of what chance picks."""
        sort = self._random_sort()
        amount = self.random.choice(("any of", "1 of", "2 of", "up to 2 of", "1 or more of", "down to 1 of"))
        way = "choose" if self.random.random() < 0.8 else "random 2 of"
        of = self.values.collection(sort, replace(s, depth=1))
        return self.let(f"list of {sort}", f"{way} {amount} {of}" if way == "choose" else f"{way} {of}")

    def together(self, s: Scope) -> list[Line]:
        """Return what all are asked at once, and what is read of it for a seat or for all."""
        r, name = self.random, self.values.name("g")
        sort = r.choice([NUMBER, SEAT, *self.world.types(), *self.world.kinds])
        if sort == NUMBER:
            what, certain = "a number from 0 to 2", True
        elif sort in self.world.enums and r.random() < 0.6:
            what, certain = f"one of {sort}", True
        else:
            of = (
                "hand"
                if sort == "Card" and self.sees_hand
                else self.values.collection(sort, Scope(acts=False, depth=1))
            )
            what, certain = f"one of {of}", False
        x = self.values.name("p")
        inner = s.deeper().naming((x, SEAT)) if s.depth > 0 else s.naming((x, SEAT))
        among = r.choice(("players", "players", "everyone", *(["parties"] if self.world.automaton else [])))
        if certain:
            y = self.values.name()
            known = inner.naming((y, sort))
            self.let_type(y, sort)
            body = [Line(f"let {y} = {name}[{x}]"), *self.block(known, 1)]
        else:
            y = self.values.name()
            body = [Line(f"if some {y} = {name}[{x}]:", self.block(inner.naming((y, sort)), 1))]
        return [Line(f"let {name} = together choose {what}"), Line(f"for {x} in {among}:", body)]

    def let_type(self, name: str, type_: str) -> None:
        """Note the type of a name."""
        if "let_types" not in self.__dict__:
            self.let_types = {}
        self.let_types[name] = type_

    def menu(self, s: Scope, name: str = "") -> list[Line]:
        """Return a menu."""
        r, items = self.random, []
        for _ in range(r.randint(1, 2)):
            item, scope = self.values.name("i"), s.deeper()
            binders = []
            for _ in range(r.choice((0, 1, 1, 2))):
                x, sort = self.values.name(), r.choice([NUMBER, SEAT, *self.world.types(), *self.world.kinds])
                of = (
                    "hand"
                    if sort == "Card" and self.sees_hand and r.random() < 0.5
                    else self.values.collection(sort, replace(scope, depth=min(scope.depth, 1)))
                )
                if sort == NUMBER:
                    binders.append(f"{x} from 0 to {r.choice(('1', '2', 'count(players)'))}")
                elif sort in self.world.kinds and r.random() < 0.25:
                    binders.append(f"{x} = {r.choice(('1', 'up to 2', 'any', '1 or more'))} of {of}")
                    sort = f"list of {sort}"
                else:
                    where = (
                        f" where {self.values.truth(replace(scope, depth=1).naming(('it', sort)))}"
                        if r.random() < 0.2
                        else ""
                    )
                    binders.append(f"{x} in {of}{where}")
                scope = scope.naming((x, sort))
            if any(p.holds == "bag of Ore" and p.visible == "all" for p in self.world.variables) and r.random() < 0.15:
                near = replace(scope, depth=1)
                binders.append(f"paying {self.values.cost(near)} from {self.values.purse(near)}")
            when = (
                f" when {self.values.truth(replace(scope, depth=min(scope.depth, 2), changes=False))}"
                if r.random() < 0.5
                else ""
            )
            if self.values.tried and s.acts and r.random() < 0.15:
                with suppress(NothingThereError):
                    when = f" when {self.values.ahead(replace(scope, depth=1))}"
            limit = r.choice(("", "", "", " once per turn", " 2 times per game", " once per round", " once per phase"))
            bound = f"({', '.join(binders)})" if binders else ""
            items.append(Line(f"{item}{bound}{when}{limit}:", self.block(scope, r.randint(1, 2))))
        items.append(
            Line("else:", self.block(s.deeper(), 1)) if r.random() < 0.4 else Line(f"{self.values.name('rest')}: pass")
        )
        how = self.secretly() or r.choice(("", "", "", "anyway "))
        whom = f" by {self.values.seat(replace(s, depth=1))}" if not name and r.random() < 0.1 else ""
        return [Line(f"{how}choose{f' {name}' if name else ''}{whom}:", items)]

    def pay(self, s: Scope) -> list[Line] | None:
        if not self.world.goods or not self.bags(s):
            return None
        purse = self.values.purse(replace(s, depth=1))
        return [
            Line(f"pay {self.values.cost(replace(s, depth=1))} from {purse}:", self.block(replace(s, depth=0), 1)),
            Line("else:", [Line("pass")]),
        ]

    def trade(self, s: Scope) -> list[Line] | None:
        return [Line(f"trade {self.random.choice(self.markets)}(you)")] if self.markets else None

    def arrange(self, s: Scope) -> list[Line] | None:
        """Return a grouping of individuals."""
        if not any(place.name == "load" for place in self.world.piece_variables.get("Man", [])):
            return None
        zones = [
            zone
            for zone in self.world.zones
            if zone.holds == "Man" and not zone.index and not zone.per_player and zone.visible == "all"
        ]
        if not zones:
            return None
        where = self.random.choice(("", " where count(it) <= 2", " where count(it) = 1"))
        return [Line(f"arrange {self.random.choice(zones).name} by load{where}")]

    def call(self, s: Scope) -> list[Line] | None:
        """Return the call of a rule, an event or an ability that is declared before."""
        r = self.random
        candidates: list[tuple[str, tuple[str, ...], str]] = [*self.rules, *((*event, "") for event in self.events)]
        if self.is_reaction:
            candidates = [(name, types, of) for name, types, of in candidates if name in self.deep]
        elif self.abilities and s.of("Card") and r.random() < 0.5:
            return [Line(f"{self.abilities[0][0]}({s.of('Card')[0]})")]
        return self.called(*r.choice(candidates), s) if candidates else None

    def end(self, s: Scope) -> list[Line]:
        """Return what ends the game."""
        near = replace(s, depth=1)
        how = self.random.choice(
            ("", " drawn", f" won by {self.values.seat(near)}", " won by players", " after this turn" if s.acts else "")
        )
        return [Line(f"if {self.values.truth(near)}:", [Line(f"end the game{how}")])]
