"""Decisions of random games as C: count the options, draw one by its index; a list is made only where it is needed.

Enters: the decision that ends a block. Leaves: lines that draw one option, fill the slots of its binders and go on with
the block that follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import replace

from rulelang.ir.nodes import Binder, Decision, Expr, Item
from rulelang.ir.rewrite import changed_item
from rulelang.ir.types import INT, Type
from rulelang.ir.walk import decision_expressions, item_expressions
from rulelang.limits import COUNTED
from rulelang.native.entailed import replace_entailed
from rulelang.native.expressions import Scope, UnwrittenError, Writer, compound
from rulelang.native.groupings import GROUPING, reads_groups
from rulelang.native.hoisting import eliminate_common, slots_read
from rulelang.native.interchangeable import asked_by, depends_on_references, referenced
from rulelang.native.memoising import memoise_calls
from rulelang.native.options import part_of
from rulelang.native.parts import Part, Room
from rulelang.native.text import literal, numeral
from rulelang.runtime.constants import UNKNOWN
from rulelang.runtime.state import SCORED, TIED

Leaf = Callable[[int], None]
"""Writes what goes on with a block."""


class Options:
    """The options of one item.

    Attributes:
        count: the text of their number: a name or a literal. most: an upper bound of it. once: whether at most one is
            taken, which then releases the arena.
    """

    once = True

    def __init__(self, room: Room, item: Item, scope: Scope) -> None:
        self.room = room
        self.w = room.w
        self.item = item
        self.scope = scope
        self.tests: list[Expr] = []
        pre = [guard.condition for guard in item.pre]
        guards: list[list[Expr]] = [[] for _ in item.binders]
        level = -1
        for guard in item.guards:
            read = slots_read([guard.condition])
            asked = [
                n
                for n, binder in enumerate(item.binders)
                if binder.slot in read or reads_groups(self.w, binder, guard.condition)
            ]
            level = max([level, *asked])
            (guards[level] if level >= 0 else pre).append(guard.condition)
        self.never = False
        for test in pre:
            known = self.w.known(test)
            if known is UNKNOWN:
                self.tests.append(test)
            elif not known:
                self.never = True
        self.parts = [] if self.never else self._parts(item.binders, guards)
        self.count: str = numeral(0 if self.never else 1)
        self.most = 0 if self.never else 1

    def _parts(self, binders: tuple[Binder, ...], guards: list[list[Expr]]) -> list[Part]:
        """The binders in parts of which none depends on those before it: their options are all combinations."""
        parts: list[Part] = []
        start = 0
        for end in range(1, len(binders) + 1):
            before = {binder.slot for binder in binders[:end]}
            rest = [arg for binder in binders[end:] for arg in binder.args]
            if slots_read([*rest, *[guard for level in guards[end:] for guard in level]]) & before:
                continue
            if depends_on_references(self.w, binders[:end], binders[end:]):
                continue
            parts.append(part_of(self.room, binders[start:end], guards[start:end], self.scope, self.item.site))
            start = end
        return parts

    def write(self) -> None:
        """Emit lines that count the options."""
        if self.never:
            return
        w, tests = self.w, [self.w.text(test, self.scope) for test in self.tests]
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
                line(f"const W {name} = pairs(g, {product}, {part.count}, {self.item.site});")
                product = name
        self.most = min(self.most, COUNTED)
        if product != self.count:
            line(f"{self.count} = {product};")

    def take(self, place: str) -> None:
        """Emit lines that fill the slots of the binders with the option of an index (a name or a literal)."""
        values: list[str] = []
        for part in reversed(self.parts):
            digit = place
            if part is not self.parts[0] and literal(place) is None:
                digit, rest = self.w.source.fresh("k"), self.w.source.fresh("k")
                self.w.source.line(f"const W {digit} = {place} % {part.count}, {rest} = {place} / {part.count};")
                place = rest
            values = part.values(digit) + values
        self._bind(values)

    def _bind(self, values: Sequence[str]) -> None:
        """Emit lines that fill the slots and release what the decision allocated in the arena."""
        names = [self.scope.names[binder.slot] for binder in self.item.binders]
        for name, value in zip(names, values, strict=True):
            self.w.source.line(f"{name} = {value};")
        if not self.once:
            return
        in_arena = [binder.slot for part in self.parts if part.lies for binder in part.binders]
        bound = zip(names, self.item.binders, strict=True)
        release_arena(self.room, [(name, binder.type) for name, binder in bound if binder.slot in in_arena])

    def none_chosen(self) -> str:
        """Return the text of whether the first option chooses nothing; empty if it never does."""
        if len(self.item.binders) != 1 or not self.parts:
            return ""
        (part,), (binder,) = self.parts, self.item.binders
        if binder.kind in ("some", GROUPING):
            return part.chooses_none()
        if binder.kind == "number" or binder.type.scalar:
            return ""
        type_ = binder.type.present
        (value,) = part.values(numeral(0))
        if type_.kind == "set":
            return f"COUNT({value}) == 0"
        if type_.kind == "bag":
            return f"all_zero(LIST({value}), {self.w.layout.width(type_)})"
        if type_.kind == "payment":
            name = self.w.source.fresh("paid")
            return f"({{ const W {name} = {value}; all_zero(LIST({name}) + 1, COUNT({name})); }})"
        if type_.kind == "cost":
            return ""
        raise UnwrittenError(f"a choice of {type_}")


def words_of(w: Writer, type_: Type, name: str) -> str:
    """Return the text of the size in words of a compound value (a name); empty if it contains addresses."""
    if type_.kind == "payment" or (type_.kind in ("set", "seats") and not compound(type_.inner)):
        return f"COUNT({name}) + 1"
    if type_.kind == "bag":
        return str(w.layout.width(type_))
    if type_.kind == "cost":
        width = w.layout.size(type_)
        return f"{width} + 1 + 3 * LIST({name})[{width}]"
    return ""


def release_arena(room: Room, bound: list[tuple[str, Type]]) -> None:
    """Emit lines that reset the arena to its mark, moving down the compound values that the names keep."""
    line, compound_values = room.w.source.line, [(name, type_) for name, type_ in bound if compound(type_)]
    if room.kept:
        line(f"g->limit = {room.end};")
    if not room.taken:
        return
    if not compound_values:
        line(f"g->top = {room.mark};")
        return
    sizes = [words_of(room.w, type_, name) for name, type_ in compound_values]
    if not all(sizes):
        return  # they contain addresses into the arena
    if len(compound_values) == 1:
        line(f"{compound_values[0][0]} = a_lowered(g, {room.mark}, {compound_values[0][0]}, {sizes[0]});")
        return
    copies = room.w.source.fresh("copies")
    line(f"W *const {copies} = g->top;")
    for (name, _), size in zip(compound_values, sizes, strict=True):
        line(f"{name} = a_copied(g, LIST({name}), {size});")
    for name, _ in compound_values:
        line(f"{name} -= (W)sizeof(W) * ({copies} - {room.mark});")
    line(f"memmove({room.mark}, {copies}, (size_t)(g->top - {copies}) * sizeof(W));")
    line(f"g->top -= {copies} - {room.mark};")


def check_written(w: Writer, node: Decision) -> None:
    """An UnwrittenError where C cannot find the options."""
    for item in node.items:
        for binder in item.binders:
            if binder.kind == "some" and not binder.args[0].type.inner.scalar:
                raise UnwrittenError("a choice of several sets or bags")


def write_decision(w: Writer, number: int, live: Iterable[int], scope: Scope, leaf: Leaf) -> None:
    """Emit a decision. `live`: the slots that are live after it."""
    node = w.program.decisions[number]
    check_written(w, node)
    w.source.at(node.site)
    with w.source.block("do"):
        if node.together:
            Together(w, node, scope, leaf).write(live)
        else:
            _write_alone(w, node, live, scope, leaf)
    w.source.lines[-1] += " while (0);"


def ended_by_limit(w: Writer, room: Room) -> str:
    """Ends the game if it has had all decisions that it may have."""
    over = TIED if w.program.outcome == "drawn" else SCORED
    free = f"g->limit = {room.end}; " if room.kept else ""
    return f"if (UNLIKELY(g->s.decisions >= MAX_DECISIONS)) {{ {free}capped(g, {over}); }}"


# ---- one seat ---------------------------------------------------------------------------------------------


def _write_alone(w: Writer, node: Decision, live: Iterable[int], scope: Scope, leaf: Leaf) -> None:
    line, block = w.source.line, w.source.block
    room = Room(w)
    room.open()
    options, total = write_options(room, node, live, scope)
    if total == "0":
        _write_no_options(room, node, leaf)
        return
    if not any(literal(item.count) for item in options):
        with block(f"if ({total} == 0)"):
            _write_no_options(room, node, leaf)
    k = w.source.fresh("k")
    line(f"W {k} UNUSED = 0;")
    draw = f"{k} = uniform(g, {total});"
    draw_lines = [ended_by_limit(w, room), "decided(g);", *([draw] if total != "1" else [])]
    condition = asked_condition(node, options, total)
    with block(f"if ({condition})") if condition else nullcontext():
        for text in draw_lines:
            line(text)
    possible = [item for item in options if item.count != "0"]
    for place, item in enumerate(possible):
        if place == len(possible) - 1:
            item.take(k)
            leaf(item.item.to)
            break
        with block(f"if ({k} < {item.count})"):
            item.take(k)
            leaf(item.item.to)
        line(f"{k} -= {item.count};")


def write_options(room: Room, node: Decision, live: Iterable[int], scope: Scope) -> tuple[list[Options], str]:
    """Emit lines that count the options of all items; return these and the text of their number."""
    w = room.w
    speculates = w.speculates(*decision_expressions(node))
    if speculates:
        w.source.line(f"looking(g, {w.text(node.seat, scope)});")
    items, inner = _eliminate_common(room, node, scope)
    option_flags: dict[int, str] = {}
    lines: list[str] = []
    # Groups that are put in place while guards are read change what the same call gives.
    if not any(binder.kind == GROUPING for item in items for binder in item.binders):
        items, inner, option_flags = replace_entailed(w, items, inner)
        lines, items = memoise_calls(w, items)
    for text in lines:
        room.w.source.line(text)
    options = [Options(room, item, inner) for item in items]
    with referenced(w, asked_by(w, node), live, scope):
        for place, item in enumerate(options):
            item.write()
            if place in option_flags:
                w.source.line(f"const W {option_flags[place]} = {item.count} != 0;")
    _charge(w, options, node.site)
    if speculates:
        w.source.line("looked(g);")
    return options, _total(w, options, node.site)


def asked_condition(node: Decision, options: Sequence[Options], total: str) -> str:
    """Return the condition on which the seat is asked, given that there is an option; empty if it always is."""
    if node.ask == "engine":
        return f"{total} > 1"
    if node.ask == "some" and len(options) == 1:
        empty = options[0].none_chosen()
        return f"!({total} == 1 && {empty})" if empty else ""
    return ""


def _charge(w: Writer, options: Sequence[Options], site: int) -> None:
    """Emit the line that takes the fuel of options that were counted without a list."""
    charges = [part.charge for item in options for part in item.parts if part.charge]
    if charges:
        w.source.line(f"charge(g, {' + '.join(charges)}, {site});")


def go_without(w: Writer, node: Decision, leaf: Leaf) -> None:
    """Emit how the game goes on from a decision without options; it fails where that is said nowhere."""
    if node.otherwise >= 0:
        leaf(node.otherwise)
    else:
        w.source.line(f"fail(g, {node.site});")


def _write_no_options(room: Room, node: Decision, leaf: Leaf) -> None:
    """Emit what happens at a decision without options."""
    w = room.w
    if node.ask == "anyway":
        w.source.line(ended_by_limit(w, room))
        w.source.line("decided(g);")
    release_arena(room, [])
    go_without(w, node, leaf)


def _total(w: Writer, options: Sequence[Options], site: int) -> str:
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
            text = f"both(g, {text}, {item.count}, {site})"
    w.source.line(f"const W {name} = {text};")
    return name


def _eliminate_common(room: Room, node: Decision, scope: Scope) -> tuple[list[Item], Scope]:
    """Emit declarations of the items' common subexpressions; return the rewritten items and their scope."""
    exprs = [expr for item in node.items for expr in item_expressions(item)]
    slots = {binder.slot for item in node.items for binder in item.binders}
    paid = [
        binder.args[0]
        for item in node.items
        for binder in item.binders
        if (scope.procedure, binder.slot) in room.w.bills
    ]
    lines, change, inner = eliminate_common(room.w, exprs, slots, scope, paid)
    if not lines:
        return list(node.items), scope
    for text in lines:
        room.w.source.line(text)

    return [changed_item(item, change) for item in node.items], inner


# ---- several seats ----------------------------------------------------------------------------------------


class Together:
    """A decision of several seats at once, each drawing its option: what they chose is told when all have. Who is asked
    is the same whatever the others choose, so that each one's options are found once, in the order in which random
    numbers are used.

    Args:
        leaf: goes on with a block.

    Attributes:
        result, seat: names of the list that collects what is chosen, and of the seat whose turn it is. some: name of
            whether some seat had an option.
    """

    def __init__(self, w: Writer, node: Decision, scope: Scope, leaf: Leaf) -> None:
        self.w, self.node, self.scope, self.leaf = w, node, scope, leaf
        (self.item,) = node.items
        fresh = w.source.fresh
        self.result, self.seat, self.some = fresh("result"), fresh("seat"), fresh("some")
        self.ending, self.drawn, self.asked = fresh("ending"), fresh("drawn"), fresh("asked")

    def write(self, live: Iterable[int]) -> None:
        """Emit the decision. `live`: the slots that are live after it."""
        w, node, scope = self.w, self.node, self.scope
        line, block, seat, result = w.source.line, w.source.block, self.seat, self.result
        asked, parties = self.asked, w.layout.parties
        (binder,) = self.item.binders
        room = Room(w)
        room.open()
        line(f"U {asked} = 0; bool {self.some} = false;")
        line(w.freed(lambda: w.each(node.seat, scope, lambda x: f"{asked} |= (U)1 << ({x} & 63);")))
        line(f"W *const {result} = alloc(g, {parties + 1});")
        line(f"{result}[0] = {parties};")
        line(f"for (W i_ = 1; i_ <= {parties}; i_++) {result}[i_] = {self._no_choice(binder.type)};")
        self._begin()
        names = {binder.slot: f"{result}[1 + {seat}]", node.you_slot: seat}
        inner = replace(scope, names={**scope.names, **names})
        with referenced(w, asked_by(w, node), live, scope), block(f"for (W {seat} = 0; {seat} < {parties}; {seat}++)"):
            line(f"if (!({asked} >> {seat} & 1)) continue;")
            self._pass_over()
            own = Room(w)
            own.open()
            looks = w.speculates(*item_expressions(self.item))
            if looks:
                line(f"g->asker = {seat};")
            options = Options(own, self.item, inner)
            options.write()
            _charge(w, [options], node.site)
            if looks:
                line("g->asker = -1;")
            if not options.never:
                with block(f"if ({options.count} == 0)"):
                    self._without_options(own)
                line(f"{self.some} = true;")
                self._choose(own, options)
        self._end(room)
        if node.otherwise >= 0:
            with block(f"if (!{self.some})"):
                line(f"g->top = {room.mark};")
                self.leaf(node.otherwise)
        line(f"{scope.names[node.result_slot]} = ADDRESS({result});")
        self.leaf(self.item.to)

    def _no_choice(self, type_: Type) -> str:
        """Return the placeholder that is collected of a seat that is not asked; rules never use it, but it must be
        readable."""
        w = self.w
        if not compound(type_):
            return w.constant(type_.absent, INT)
        if type_.kind in ("bag", "cost"):
            return f"ADDRESS({w.source.table([0] * (1 + w.layout.size(type_)))})"
        return "NOTHING"

    def _next(self, room: Room) -> None:
        """Emit the step to the next seat."""
        release_arena(room, [])
        self.w.source.line("continue;")

    def _without_options(self, room: Room) -> None:
        """Emit what happens to a seat without options."""
        self._next(room)

    def _begin(self) -> None:
        """Emit lines before the loop over seats."""
        self.w.source.line(f"bool {self.ending} = false, {self.drawn} = false;")

    def _pass_over(self) -> None:
        """Emit the test that skips a seat whose options are not enumerated."""

    def _choose(self, room: Room, options: Options) -> None:
        """Emit the choice of a seat that has options."""
        line, k = self.w.source.line, self.w.source.fresh("k")
        line(f"W {k} = 0;")
        condition = asked_condition(self.node, [options], options.count)
        with self.w.source.block(f"if ({condition})") if condition else nullcontext():
            # the game ends only when all seats were looked at
            with self.w.source.block(f"if (UNLIKELY({self.ending} || g->s.decisions >= MAX_DECISIONS))"):
                line(f"{self.ending} = true;")
                self._next(room)
            line("not_directly(g);")
            line("g->s.decisions++;")
            line(f"{self.drawn} = true;")
            self._draw(k, options)
        options.take(k)

    def _draw(self, k: str, options: Options) -> None:
        """A line that draws one of the options."""
        self.w.source.line(f"{k} = uniform(g, {options.count});")

    def _end(self, room: Room) -> None:
        """Emit lines after the loop over seats."""
        over = TIED if self.w.program.outcome == "drawn" else SCORED
        self.w.source.line(f"if (UNLIKELY({self.ending})) capped(g, {over});")
        self.w.source.line(f"if ({self.drawn}) g->fuel = FUEL;")
