"""Decisions of random games as C: count the options, draw one by its index; a list is made only where it is needed.

Enters: the decision that ends a block. Leaves: lines that draw one option, fill the slots of its binders and go on with
the block that follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rulelang.ir.nodes import Decision, Item
from rulelang.ir.walk import number, outermost, subexpressions
from rulelang.limits import COUNTED
from rulelang.mir.options import options_of
from rulelang.native.binders import Room
from rulelang.native.expressions import Environment, Writer, compound
from rulelang.native.hoisting import declare_cells
from rulelang.native.interchangeable import asked_by, referenced
from rulelang.native.options import part_of
from rulelang.native.text import literal, numeral
from rulelang.runtime.state import SCORED, TIED
from rulelang.vocabulary.types import INT, Type

if TYPE_CHECKING:
    from rulelang.native.procedures import ProcedureBody


@dataclass(frozen=True)
class Question:
    """A decision where it is asked.

    Attributes:
        number: its number. place: the block that ends with it. live: the slots that are live after it and refer to
            individuals.
    """

    node: Decision
    number: int
    place: int
    live: Sequence[int]


class OptionWriter:
    """The options of one item, printed: their number, and any of them by its index.

    Attributes:
        count: the text of their number: a name or a literal. most: an upper bound of it.
    """

    def __init__(self, room: Room, item: Item, env: Environment) -> None:
        self.room, self.w, self.item, self.env = room, room.w, item, env
        data = options_of(self.w.layout, item, self.w.known)
        self.tests, self.never = data.tests, data.parts is None
        self.parts = [part_of(room, part.binders, part.guards, env, item.site) for part in data.parts or ()]
        self.most = 0 if self.never else 1
        self.count: str = numeral(self.most)

    def write(self) -> None:
        """Emit lines that count the options."""
        if self.never:
            return
        w, tests = self.w, [self.w.text(test, self.env) for test in self.tests]
        w.source.at(self.item.site)
        test = " && ".join(f"({text})" for text in tests) if len(tests) != 1 else tests[0]
        for part in self.parts:
            part.declare()
        self.most = 1
        for part in self.parts:
            self.most *= part.most
        if not self.parts:
            if tests:
                self.count = w.source.fresh("n")
                self.w.source.line(f"const W {self.count} = {test};")
            return
        alone = self.parts[0].count if len(self.parts) == 1 else ""
        if alone and (literal(alone) is None or not tests):
            self.count = alone
        else:
            self.count = w.source.fresh("n")
            w.source.line(f"W {self.count} = 0;")
        with w.source.block(f"if ({test})") if tests else nullcontext():
            self._find()

    def _find(self) -> None:
        """Emit lines that count the options, for when all guards hold that read no binder."""
        line, block = self.w.source.line, self.w.source.block
        product = ""
        for part in self.parts:
            if literal(part.count) is None:
                with block(f"if ({product})") if product and literal(product) is None else nullcontext():
                    part.find()
            if not product:
                product = part.count
            elif self.most <= COUNTED:
                product = f"{product} * {part.count}"
            else:
                name = self.w.source.fresh("n")
                line(f"const W {name} = multiply_counts(g, {product}, {part.count}, {self.item.site});")
                product = name
        self.most = min(self.most, COUNTED)
        if product != self.count:
            line(f"{self.count} = {product};")

    def take(self, place: str, release: bool = True) -> None:
        """Emit lines that fill the slots of the binders with the option of an index (a name or a literal). `release`:
        whether no other one is taken, so that what the decision allocated in the arena is given back."""
        values: list[str] = []
        for part in reversed(self.parts):
            digit = place
            if part is not self.parts[0] and literal(place) is None:
                digit, rest = self.w.source.fresh("k"), self.w.source.fresh("k")
                self.w.source.line(f"const W {digit} = {place} % {part.count}, {rest} = {place} / {part.count};")
                place = rest
            values = part.values(digit) + values
        names = [self.env.names[binder.slot] for binder in self.item.binders]
        for name, value in zip(names, values, strict=True):
            if value:  # else the part has filled it
                self.w.source.line(f"{name} = {value};")
        if release:
            in_arena = [binder.slot for part in self.parts if part.lies for binder in part.binders]
            bound = zip(names, self.item.binders, strict=True)
            release_arena(self.room, [(name, binder.type) for name, binder in bound if binder.slot in in_arena])


def words_of(w: Writer, type_: Type, name: str) -> str:
    """Return the text of the size in words of a compound value (a name); empty if it contains addresses."""
    if type_.kind == "payment" or (type_.kind in ("set", "seats") and not compound(type_.inner)):
        return f"COUNT({name}) + 1"
    if type_.kind == "bag":
        return str(w.layout.width(type_))
    return ""


def release_arena(room: Room, bound: list[tuple[str, Type]]) -> None:
    """Emit lines that reset the arena to its mark, moving down the compound value that a name keeps."""
    line, compound_values = room.w.source.line, [(name, type_) for name, type_ in bound if compound(type_)]
    if room.kept:
        line(f"g->limit = {room.end};")
    if not room.taken:
        return
    if not compound_values:
        line(f"g->top = {room.mark};")
    # Several stay where they are, and so does what contains addresses into the arena.
    elif len(compound_values) == 1 and (size := words_of(room.w, compound_values[0][1], compound_values[0][0])):
        line(f"{compound_values[0][0]} = a_lowered(g, {room.mark}, {compound_values[0][0]}, {size});")


def write_decision(by: ProcedureBody, asked: Question) -> None:
    """Emit a decision: count the options, find the one that is taken, fill the slots of its binders, go on."""
    w, node = by.w, asked.node
    w.source.at(node.site)
    with w.source.block("do"):
        if node.together:
            by.together(by, asked).write()
        else:
            _write_single_seat(by, asked)
    w.source.lines[-1] += " while (0);"


def ended_by_limit(w: Writer, room: Room) -> str:
    """Return the statement that ends the game if it has had all decisions that it may have."""
    over = TIED if w.program.outcome == "drawn" else SCORED
    free = f"g->limit = {room.end}; " if room.kept else ""
    return f"if (UNLIKELY(g->s.decisions >= MAX_DECISIONS)) {{ {free}end_at_limit(g, {over}); }}"


# ---- one seat ---------------------------------------------------------------------------------------------


def _write_single_seat(by: ProcedureBody, asked: Question) -> None:
    """Emit a decision of one seat: its options, whether it is asked at all, the choice and where each option leads."""
    w, node, line, block = by.w, asked.node, by.w.source.line, by.w.source.block
    room, k = Room(w), w.source.fresh("k")
    room.open()
    options, total = write_options(room, node, asked.live, by.env)
    line(f"W {k} UNUSED = 0;")
    if not any(literal(item.count) for item in options):
        with block(f"if ({total} == 0)") if total != "0" else nullcontext():
            if node.ask == "anyway" and node.otherwise >= 0:
                by.choose(room, asked, (), "1", k)
            release_arena(room, [])
            go_without(w, node, by.goto)
    if total == "0":
        return
    condition = asked_condition(node, options, total)
    with block(f"if ({condition})") if condition else nullcontext():
        goes_on = by.choose(room, asked, options, total, k)
    if condition or goes_on:
        write_taken(options, k, lambda _, option: by.goto(option.item.to))


def write_taken(
    options: Sequence[OptionWriter], k: str, then: Callable[[int, OptionWriter], None], release: bool = True
) -> None:
    """Emit the taking of the option of index `k` among those of all items, which is changed. `then`: emits what is done
    with an item's option and leads away from there."""
    possible = [(place, item) for place, item in enumerate(options) if item.count != "0"]
    for place, item in possible:
        source, last = item.w.source, item is possible[-1][1]
        with source.block(f"if ({k} < {item.count})" if not last else ""):
            item.take(k, release)
            then(place, item)
        if not last:
            source.line(f"{k} -= {item.count};")


def write_options(room: Room, node: Decision, live: Iterable[int], env: Environment) -> tuple[list[OptionWriter], str]:
    """Emit lines that count the options of all items; return these and the text of their number."""
    w = room.w
    speculates = w.speculates(*outermost(node))
    if speculates:
        w.source.line(f"begin_option_search(g, {w.text(node.seat, env)});")
    declare_cells(w, node, env)
    exprs = [*outermost(node.items)]
    known_by = {number(part) for expr in exprs for part in subexpressions(expr) if part.op == "offered"}
    options = [OptionWriter(room, item, env) for item in node.items]
    with referenced(w, asked_by(w, node), live, env):
        for place, item in enumerate(options):
            item.write()
            if place in known_by:
                w.offered[place] = w.source.fresh("some")
                w.source.line(f"const W {w.offered[place]} = {item.count} != 0;")
    _charge(w, options, node.site)
    if speculates:
        w.source.line("end_option_search(g);")
    return options, _total(w, options, node.site)


def asked_condition(node: Decision, options: Sequence[OptionWriter], total: str) -> str:
    """Return the condition on which the seat is asked, given that there is an option; empty if it always is."""
    if node.ask == "engine":
        return f"{total} > 1"
    if node.ask == "some":
        (part,) = options[0].parts
        return f"!({total} == 1 && {part.chooses_none()})"
    return ""


def _charge(w: Writer, options: Sequence[OptionWriter], site: int) -> None:
    """Emit the line that takes the fuel of options that were counted without a list."""
    charges = [part.charge for item in options for part in item.parts if part.charge]
    if charges:
        w.source.line(f"charge(g, {' + '.join(charges)}, {site});")


def go_without(w: Writer, node: Decision, goto: Callable[[int], None]) -> None:
    """Emit how the game goes on from a decision without options; it fails where that is said nowhere."""
    if node.otherwise >= 0:
        goto(node.otherwise)
    else:
        w.source.line(f"fail(g, {node.site});")


def _total(w: Writer, options: Sequence[OptionWriter], site: int) -> str:
    """Return the text of the number of options: a name or a literal."""
    fixed = sum(literal(item.count) or 0 for item in options)
    moving = [item for item in options if literal(item.count) is None]
    if not moving:
        return numeral(fixed)
    if len(moving) == 1 and not fixed:
        return moving[0].count
    name = w.source.fresh("n")
    if sum(item.most for item in options) <= COUNTED:
        text = " + ".join([item.count for item in moving] + ([str(fixed)] if fixed else []))
    else:
        text = str(fixed)
        for item in moving:
            text = f"add_counts(g, {text}, {item.count}, {site})"
    w.source.line(f"const W {name} = {text};")
    return name


# ---- several seats ----------------------------------------------------------------------------------------


class Together:
    """A decision of several seats at once, each drawing its option: what they chose is told when all have. Who is asked
    is the same whatever the others choose, so that each one's options are found once, in the order in which random
    numbers are used.

    Attributes:
        result, seat: names of the list that collects what is chosen, and of the seat whose turn it is. some: name of
            whether some seat had an option.
    """

    def __init__(self, by: ProcedureBody, question: Question) -> None:
        self.by, self.question, self.w, self.node, self.env = by, question, by.w, question.node, by.env
        (self.item,) = self.node.items
        fresh = self.w.source.fresh
        self.result, self.seat, self.some = fresh("result"), fresh("seat"), fresh("some")
        self.ending, self.drawn, self.asked = fresh("ending"), fresh("drawn"), fresh("asked")

    def write(self) -> None:
        """Emit the decision."""
        w, node, env = self.w, self.node, self.env
        line, block, result = w.source.line, w.source.block, self.result
        asked, parties = self.asked, w.layout.parties
        (binder,) = self.item.binders
        room = Room(w)
        room.open()
        line(f"U {asked} = 0; bool {self.some} = false;")
        line(w.freed(lambda: w.each(node.seat, env, lambda x: f"{asked} |= (U)1 << ({x} & 63);")))
        line(f"W *const {result} = alloc(g, {parties + 1});")
        line(f"{result}[0] = {parties};")
        line(f"for (W i_ = 1; i_ <= {parties}; i_++) {result}[i_] = {self._no_choice(binder.type)};")
        self._begin()
        with self.each_seat():
            self._pass_over()
            own = Room(w)
            options = self.options(own)
            passes = node.ask == "anyway" and literal(options.count) in (None, 0)
            if passes or not options.never:
                with block(f"if ({options.count} == 0)"):
                    if passes:
                        line(f"{self.some} = true;")
                        self._pass(own)
                    else:
                        self._without_options(own)
            if not options.never:
                line(f"{self.some} = true;")
                self._choose(own, options)
        self._end(room)
        if node.otherwise >= 0:
            with block(f"if (!{self.some})"):
                line(f"g->top = {room.mark};")
                self.by.goto(node.otherwise)
        line(f"{env.names[node.result_slot]} = ADDRESS({result});")
        self._collected()
        self.by.goto(self.item.to)

    @contextmanager
    def each_seat(self) -> Iterator[None]:
        """Emit a loop over the seats that the decision is put to, around the lines written inside."""
        w, seat = self.w, self.seat
        seats = w.source.block(f"for (W {seat} = 0; {seat} < {w.layout.parties}; {seat}++)")
        with referenced(w, asked_by(w, self.node), self.question.live, self.env), seats:
            w.source.line(f"if (!({self.asked} >> {seat} & 1)) continue;")
            yield

    def options(self, room: Room) -> OptionWriter:
        """Emit lines that count the options of the seat of the loop."""
        w, line = self.w, self.w.source.line
        (binder,) = self.item.binders
        names = {binder.slot: f"{self.result}[1 + {self.seat}]", self.node.you_slot: self.seat}
        room.open()
        looks = w.speculates(*outermost(self.item))
        if looks:
            line(f"g->asker = {self.seat};")
        options = OptionWriter(room, self.item, replace(self.env, names={**self.env.names, **names}))
        options.write()
        _charge(w, [options], self.node.site)
        if looks:
            line("g->asker = -1;")
        return options

    def _no_choice(self, type_: Type) -> str:
        """Return what is collected of a party that is not asked: an absent value, or an empty collection."""
        w = self.w
        if not compound(type_):
            return w.constant(type_.absent, INT)
        return f"ADDRESS({w.source.table([0] * w.layout.size(type_))})" if type_.kind == "bag" else "NOTHING"

    def _next(self, room: Room) -> None:
        """Emit the step to the next seat."""
        release_arena(room, [])
        self.w.source.line("continue;")

    def _without_options(self, room: Room) -> None:
        """Emit what happens to a seat without options."""
        self._next(room)

    def _collected(self) -> None:
        """Emit lines for when all answers are in."""

    def _begin(self) -> None:
        """Emit lines before the loop over seats."""
        self.w.source.line(f"bool {self.ending} = false, {self.drawn} = false;")

    def _pass_over(self) -> None:
        """Emit the test that skips a seat whose options are not enumerated."""

    def _choose(self, room: Room, options: OptionWriter) -> None:
        """Emit the choice of a seat that has options."""
        line, k = self.w.source.line, self.w.source.fresh("k")
        line(f"W {k} = 0;")
        condition = asked_condition(self.node, [options], options.count)
        with self.w.source.block(f"if ({condition})") if condition else nullcontext():
            self._count_answer(room)
            self._draw(k, options)
        options.take(k)

    def _count_answer(self, room: Room) -> None:
        """Emit lines that count the answer of a seat."""
        line = self.w.source.line
        # the game ends only when all seats were looked at
        with self.w.source.block(f"if (UNLIKELY({self.ending} || g->s.decisions >= MAX_DECISIONS))"):
            line(f"{self.ending} = true;")
            self._next(room)
        line("not_directly(g);")
        line("g->s.decisions++;")
        line(f"{self.drawn} = true;")

    def _pass(self, room: Room) -> None:
        """Emit that a seat without options, which is asked anyway, passes: its answer is that of who is not asked."""
        self._count_answer(room)
        self._next(room)

    def _draw(self, k: str, options: OptionWriter) -> None:
        """Write a line that draws one of the options."""
        self.w.source.line(f"{k} = uniform(g, {options.count});")

    def _end(self, room: Room) -> None:
        """Emit lines after the loop over seats."""
        over = TIED if self.w.program.outcome == "drawn" else SCORED
        self.w.source.line(f"if (UNLIKELY({self.ending})) end_at_limit(g, {over});")
        self.w.source.line(f"if ({self.drawn}) g->fuel = FUEL;")
