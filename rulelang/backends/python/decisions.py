"""Decisions of random playouts as lines of Python: options counted, one picked, no list where none is needed.

Enters: the decision that ends a block. Leaves: lines that take one option with the state's generator, fill the slots
that it binds and go on with the block that follows.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from rulelang.backends.facts import HEAVY, SMALL
from rulelang.backends.interpreter.decisions import DISTINCT
from rulelang.backends.interpreter.expressions import UNKNOWN
from rulelang.backends.interpreter.work import round_work
from rulelang.backends.python.chance import write_draw
from rulelang.backends.python.expressions import Writer
from rulelang.backends.python.picks import Pick
from rulelang.backends.python.scope import Bare, Scope
from rulelang.backends.python.sets import bare_text
from rulelang.backends.sharing import SAFE, form, shareable
from rulelang.backends.text import literal
from rulelang.ir.liveness import decision_reads
from rulelang.ir.nodes import Binder, Decision, Expr, Item
from rulelang.ir.types import element, scalar
from rulelang.ir.walk import (
    BINDING,
    children,
    index,
    item_expressions,
    local_reads,
    subexpressions,
)

_CONTENTS = re.compile(r"\b[cz]\[(?:[^\[\]]*)\]")
_WORD = re.compile(r"\b(?!(?:look|K|column|listed)\d+\b)[A-Za-z_]\w*")

WORTH = BINDING | {"active", "purses", "purses_of", "pieces", "family"}
"""Operations that take some steps."""

Leaf = Callable[[int], None]
"""Writes what goes on with a block."""


class ItemWriter:
    """The options of one kind."""

    def __init__(self, w: Writer, item: Item, scope: Scope, pick: Pick | None = None) -> None:
        self.w = w
        self.pick = pick if pick is not None and pick.kept.handfuls is None else None
        self.item = item
        self.scope = scope
        self.single = len(item.binders) == 1
        self.pre: list[Expr] = [guard.condition for guard in item.pre]
        self.guards: list[list[Expr]] = [[] for _ in item.binders]
        level = -1
        for guard in item.guards:
            reads = local_reads(guard.condition)
            level = max([level, *[n for n, binder in enumerate(item.binders) if binder.slot in reads]])
            (self.guards[level] if level >= 0 else self.pre).append(guard.condition)
        self.picked = self.single and item.binders[0].kind == "some" and not self.guards[0]
        self.kept = self._kept() if self.picked else None
        """How what is chosen is kept, if as a number."""
        self.values = ""
        self.count = ""
        self.pair = ""
        self.as_kept = pick is not None or self.kept is not None
        self.ways = ""
        self.parts = ""
        self.nothing = ""

    def _kept(self) -> Bare | None:
        binder = self.item.binders[0]
        source, kept = self.w.bare(binder.args[0], self.scope), self.scope.bare.get(binder.slot)
        if source is None or kept is None or source.zone != kept.zone:
            return None
        return kept if kept.handfuls is not None else None

    @property
    def none(self) -> str:
        """The option to choose nothing of what there is."""
        return "[]" if self.kept is None else "0"

    def write(self) -> None:
        """Lines that find the options: `values` holds them, `count` says how many there are."""
        w = self.w
        w.source.at(self.item.site)
        tests = [text for text in (w.truth(condition, self.scope) for condition in self.pre) if text != "1"]
        if not self.item.binders:
            self.count = w.source.fresh("n") if tests else "1"
            if tests:
                w.source.line(f"{self.count} = 1 if {' and '.join(tests)} else 0")
            return
        self.values, self.count = w.source.fresh("options"), w.source.fresh("n")
        if not tests:
            self._find()
            return
        with w.source.block(f"if {' and '.join(tests)}:"):
            self._find()
        with w.source.block("else:"):
            w.source.line(f"{self.count} = 0")

    def _find(self) -> None:
        """Lines that find the options, all guards that read no binder holding."""
        w = self.w
        if self.single and self._by_contents():
            return
        hoisted = self._hoist()
        if self._is_product():
            first, second = (self._values(binder, self.scope) for binder in self.item.binders)
            self.pair = w.source.fresh("options")
            w.source.line(f"{self.values} = {first}")
            w.source.line(f"{self.pair} = {second} if {self.values} else ()")
            w.source.line(f"{self.count} = len({self.values}) * len({self.pair})")
            return
        if self.picked:
            if self.kept is not None:
                self._counted()
            elif self.pick is not None:
                self._looked_up()
            else:
                self._remembered()
            self.ways, self.nothing = w.source.fresh("ways"), w.source.fresh("nothing")
            rest = ", _" if self.pick is None else ""
            if self.kept is not None:
                self.parts, rest = w.source.fresh("parts"), ""
            parts = f", {self.parts}" if self.parts else ""
            w.source.line(f"{self.count}, {self.ways}{parts}, {self.nothing}{rest} = {self.values}")
        else:
            w.source.line(f"{self.values} = {self._chunk()}")
            w.source.line(f"{self.count} = len({self.values})")
        for key in hoisted:
            del w.hoisted[key]

    def _counted(self) -> None:
        """The same where what there is to choose from is kept as a number."""
        w, kept = self.w, self.kept
        assert kept is not None
        assert kept.handfuls is not None
        source, low, high = self.item.binders[0].args
        number = w.bare(source, self.scope)
        assert number is not None
        least, most = (w.text(bound, self.scope) for bound in (low, high))
        bounds = f"{least}, {most}"
        words = _words(bounds.replace(w.source.size(kept.handfuls, number.name), ""))
        memory = w.source.shared("memory", {})
        key = f"({number.name}, {bounds})" if words else number.name
        self._recall(memory, key)
        with w.source.block("except KeyError:"):
            handfuls = w.source.shared("handfuls", kept.handfuls)
            if least == most:
                bound = w.source.fresh("bound")
                w.source.line(f"{bound} = {least}")
                bounds = f"{bound}, {bound}"
            arguments = f"{memory}, {key}, {handfuls}, {number.name}, {bounds}, {self.item.site}"
            w.source.line(f"{self.values} = remember_handful({arguments})")

    def _remembered(self) -> None:
        """Lines that find the ways to choose several, which are remembered by what there is to choose from."""
        w, binder = self.w, self.item.binders[0]
        source, low, high = binder.args
        kept = w.bare(source, self.scope)
        ordered = kept is not None and not w.program.zones[kept.table].pile
        self.as_kept = kept is not None and binder.slot in self.scope.bare
        name = kept.name if self.as_kept and kept is not None else w.text(source, self.scope)
        if name != (kept.name if kept is not None else "") and not name.isidentifier():
            found = w.source.fresh("found")
            w.source.line(f"{found} = {name}")
            name = found
        bounds = [w.text(bound, self.scope) for bound in (low, high)]
        words = _words(" ".join(bounds).replace(f"len({name})", ""))
        key = f"{name if ordered else f'sorted({name})'}"
        key = f"(*{key}, {', '.join(bounds)})" if words else f"tuple({key})"
        memory, there = w.source.shared("memory", {}), w.source.fresh("key")
        w.source.line(f"{there} = {key}")
        self._recall(memory, there)
        with w.source.block("except KeyError:"):
            arguments = f"{memory}, {there}, {name}, {', '.join(bounds)}, {self.item.site}"
            w.source.line(f"{self.values} = remember({arguments})")

    def _looked_up(self) -> None:
        """Lines that find the ways to choose several pieces of a zone, which are remembered by all that lies there."""
        w, pick = self.w, self.pick
        assert pick is not None
        _, low, high = (w.text(arg, self.scope) for arg in self.item.binders[0].args)
        words = " ".join((low, high)).replace(f"len({pick.kept.name})", "")
        others = [self.scope.names[slot] for slot in pick.others]
        others += sorted(_words(words) - {*others})
        types = w.program.procedures[self.scope.procedure].locals
        if len(others) == 1 and pick.others and types[pick.others[0]].startswith("enum:"):
            # One memory for each value, and a last one for none, which is -1.
            size = len(w.layout.domain(types[pick.others[0]])) + 1
            memory = f"{w.source.shared('memory', [{} for _ in range(size)])}[{others[0]}]"
            others = []
        else:
            memory = w.source.shared("memory", {})
        zone = f"z[{pick.kept.zone}]"
        key = f"({', '.join(others)}, *{zone})" if others else f"tuple({zone})"
        self._recall(memory, key)
        with w.source.block("except KeyError:"):
            scope = self.scope
            for slot in pick.others:  # a variable that an inner function reads is slower everywhere
                name = w.name(scope, slot)
                w.source.line(f"{name} = {scope.names[slot]}")
                scope = scope.bind(slot, name)
            w.source.line(f"{pick.kept.name} = {bare_text(w, pick.source, scope)}")
            arguments = f"{memory}, {key}, {zone}, {pick.kept.name}, {low}, {high}, {self.item.site}"
            w.source.line(f"{self.values} = remember_places({arguments})")

    def _recall(self, memory: str, key: str) -> None:
        """Lines that look something up that is nearly always there, but for what is done if it is not."""
        with self.w.source.block("try:"):
            self.w.source.line(f"{self.values} = {memory}[{key}]")

    def _is_product(self) -> bool:
        """Whether the options are all pairs of two independent values."""
        binders = self.item.binders
        if len(binders) != 2 or any(self.guards) or any(binder.kind != "each" for binder in binders):
            return False
        return not any(binders[0].slot in local_reads(arg) for arg in binders[1].args)

    def _hoist(self) -> list[int]:
        """Lines that read once what guards read again and again; which expressions those are."""
        w = self.w
        slots = {binder.slot for binder in self.item.binders}
        found: list[int] = []
        for guard in (guard for level in self.guards for guard in level):
            for expr in _invariant(guard, slots):
                name = w.source.fresh("known")
                w.source.line(f"{name} = {w.text(expr, self.scope)}")
                w.hoisted[id(expr)] = name
                found.append(id(expr))
        return found

    def _chunk(self) -> str:
        binders, w, site = self.item.binders, self.w, self.item.site
        if self.single:
            return self._level(binders[0], self.guards[0], self.scope)[1]
        clauses: list[str] = []
        names: list[str] = []
        scope = self.scope
        for binder, guards in zip(binders[:-1], self.guards[:-1], strict=True):
            name = w.name(scope, binder.slot)
            values = self._values(binder, scope)
            scope = scope.bind(binder.slot, name)
            values = f"looked(S, {values}, {round_work(w.layout, *guards)}, {site})"
            tests = "".join(f" if {w.truth(guard, scope)}" for guard in guards)
            clauses.append(f"for {name} in {values}{tests}")
            names.append(name)
        last, rest = w.source.fresh("last"), self._level(binders[-1], self.guards[-1], scope)[1]
        prefix = f"({', '.join(names)},)"
        return f"nested([({prefix}, {last}) {' '.join(clauses)} for {last} in ({rest},) if len({last})], {site})"

    def _level(self, binder: Binder, guards: list[Expr], scope: Scope) -> tuple[str, str]:
        """The values of a binder for which its guards hold."""
        w = self.w
        values = self._values(binder, scope)
        if not guards:
            return "", values
        name = w.name(scope, binder.slot)
        inner = scope.bind(binder.slot, name)
        few = binder.kind == "each" and w.facts.most(binder.args[0]) <= SMALL
        if not few or any(_loops(guard, w.hoisted) for guard in guards):
            values = f"looked(S, {values}, {round_work(w.layout, *guards)}, {self.item.site})"
        return name, f"[{name} for {name} in {values} if {' and '.join(w.truth(guard, inner) for guard in guards)}]"

    def _by_contents(self) -> bool:
        """Lines for fixed values of which those are wanted that are in a set which one zone's contents decide: they are
        remembered by the contents. Whether it is that."""
        w, binder, guards = self.w, self.item.binders[0], self.guards[0]
        fixed = w.compiler.known(binder.args[0])
        if binder.kind != "each" or len(guards) != 1 or guards[0].op != "member" or not isinstance(fixed, list):
            return False
        value, among = children(guards[0])
        if value.op != "local" or index(value) != binder.slot or id(among) in w.hoisted:
            return False
        if len(fixed) > SMALL or not all(part.op in SAFE for part in subexpressions(among)):
            return False
        text = w.text(among, self.scope)
        zones = set(_CONTENTS.findall(text))
        if len(zones) != 1 or not set(_WORD.findall(_CONTENTS.sub("", text))) <= {"map", "list"}:
            return False
        (zone,) = zones
        memory, key = w.source.shared("memory", {}), f"tuple({zone})" if zone[0] == "z" else zone
        self._recall(memory, key)
        with w.source.block("except KeyError:"):
            wanted = w.source.fresh("wanted")
            w.source.line(f"{wanted} = {text}")
            x = w.name(self.scope, binder.slot)
            values = w.text(binder.args[0], self.scope)
            w.source.line(f"{self.values} = keep({memory}, {key}, [{x} for {x} in {values} if {x} in {wanted}])")
        w.source.line(f"{self.count} = len({self.values})")
        return True

    def _values(self, binder: Binder, scope: Scope) -> str:
        """The distinct values of a binder."""
        w = self.w
        texts = [w.text(arg, scope) for arg in binder.args]
        if binder.kind == "number":
            return f"span({texts[0]}, {texts[1]}, {self.item.site})"
        if binder.kind == "some":
            return f"selections({', '.join(texts)}, {self.item.site})"
        return texts[0] if binder.args[0].op in DISTINCT else f"distinct({texts[0]})"

    def take(self, place: str) -> None:
        """Lines that fill the slots of the binders with the option at a place."""
        if not self.picked:
            self.bind(self.element(place))
            return
        line, slot = self.w.source.line, self.item.binders[0].slot
        if self.kept is not None:
            way = f"{self.ways}[{place}] if {self.parts} is None else sum({self.parts}[{place}]({self.ways}))"
            line(f"{self.kept.name} = {way}")
            return
        if self.pick is not None:
            take, leave = self.w.source.fresh("take"), self.w.source.fresh("leave")
            self._of_ways(f"{take}, {leave}", place, "parted")
            zone = f"z[{self.pick.kept.zone}]"
            line(f"{self.scope.bare[slot].name} = {take}({zone})")
            if self.pick.move is not None:
                line(f"{self.pick.rest} = {leave}({zone})")
            return
        way = self.w.source.fresh("way")
        if slot not in self.scope.bare or self.as_kept:
            way = self.scope.bare[slot].name if self.as_kept else self.scope.names[slot]
        self._of_ways(way, place, "taken")
        if way not in (self.scope.names[slot], self.scope.bare[slot].name if self.as_kept else ""):
            self.bind(way)

    def _of_ways(self, names: str, place: str, other: str) -> None:
        """Lines that put the way at a place into names; a function makes those that were not taken before."""
        with self.w.source.block("try:"):
            self.w.source.line(f"{names} = {self.ways}[{place}]")
        with self.w.source.block("except KeyError:"):
            self.w.source.line(f"{names} = {other}({self.values}, {place})")

    def element(self, place: str) -> str:
        """The option at a place of `values`."""
        if self.pair:
            if "-" in place:
                place = f"({place})"
            return f"{self.values}[{place} // len({self.pair})], {self.pair}[{place} % len({self.pair})]"
        return f"{self.values}[{place}]"

    def bind(self, value: str) -> None:
        """Lines that fill the slots of the binders."""
        slots = [binder.slot for binder in self.item.binders]
        if any(slot in self.scope.bare for slot in slots):
            kept = self.scope.bare[slots[0]] if self.single else None
            if kept is not None and self.as_kept:
                self.w.source.line(f"{kept.name} = {value}")
                return
            taken = self.w.source.fresh("taken")
            self.w.source.line(f"{taken} = {value}")
            for place, slot in enumerate(slots):
                self.w.assign(self.scope, slot, taken if self.single else f"{taken}[{place}]")
            return
        names = [self.scope.names[binder.slot] for binder in self.item.binders]
        if names:
            self.w.source.line(f"{', '.join(names)} = {value}")


def _words(bounds: str) -> set[str]:
    """The names that bounds read."""
    return set(re.findall(r"[A-Za-z_]\w*", bounds)) - {"min", "max", "if", "else"}


def _invariant(expr: Expr, slots: set[int]) -> list[Expr]:
    """The largest loops in an expression that read none of the slots, cannot fail and change nothing."""
    if expr.op in BINDING and not (local_reads(expr) & slots):
        if all(part.op in SAFE for part in subexpressions(expr)):
            return [expr]
    if expr.op in BINDING:
        return []  # what stands in a loop may read its elements
    return [found for child in children(expr) for found in _invariant(child, slots)]


def _loops(expr: Expr, hoisted: dict[int, str]) -> bool:
    """Whether reading the expression may take more than a few steps."""
    if id(expr) in hoisted:
        return False
    return expr.op in HEAVY or any(_loops(child, hoisted) for child in children(expr))


def written_out(w: Writer, decision: Decision) -> bool:
    """Whether the decision is written out; others are asked by the machine."""
    if decision.together:
        return False
    for item in decision.items:
        for binder in item.binders:
            if binder.kind == "grouping":
                return False
            if binder.kind != "number" and w.layout.refers(binder.args[0].type):
                return False
            if binder.kind == "some" and not scalar(element(binder.args[0].type)):
                return False
    return True


def write_decision(w: Writer, block: int, decision: int, scope: Scope, leaf: Leaf) -> None:
    """The lines of a decision."""
    node = w.program.decisions[decision]
    w.source.at(node.site)
    if written_out(w, node):
        _written_out(w, node, scope, leaf, scope.picks.get(decision))
    else:
        _by_machine(w, block, decision, node, scope, leaf)


def _by_machine(w: Writer, block: int, number: int, node: Decision, scope: Scope, leaf: Leaf) -> None:
    """Lines that let the machine ask."""
    values, to = w.source.fresh("values"), w.source.fresh("to")
    reads = decision_reads(node) | frozenset(w.program.procedures[scope.procedure].blocks[block].live)
    w.source.line(f"{values} = {w.locals(scope, reads)}")
    w.source.line(f"{to} = ask(S, R, {values}, {number}, {scope.procedure}, {block})")
    exits: dict[int, set[int]] = {}
    for item in node.items:
        slots = {node.result_slot} if node.together else {binder.slot for binder in item.binders}
        exits.setdefault(item.to, set()).update(slots)
    if node.otherwise >= 0:
        exits.setdefault(node.otherwise, set())
    word = "if"
    for target, slots in exits.items():
        with w.source.block(f"{word} {to} == {target}:" if len(exits) > 1 else "if True:"):
            for slot in sorted(slots):
                w.assign(scope, slot, f"{values}[{slot}]")
            leaf(target)
        word = "elif"


def _written_out(w: Writer, node: Decision, scope: Scope, leaf: Leaf, pick: Pick | None) -> None:
    line, block = w.source.line, w.source.block
    if w.looks_ahead:
        line(f"machine.asker = {w.text(node.seat, scope)}")
    items = [ItemWriter(w, item, scope, pick) for item in node.items]
    shared = _share(w, node, scope)
    for item in items:
        item.write()
    for key in shared:
        w.hoisted.pop(key, None)
    if w.looks_ahead:
        line("machine.asker = -1")
    w.source.at(node.site)
    total = items[0].count
    ends = [total]
    for item in items[1:]:
        total = w.source.fresh("n")
        line(f"{total} = {ends[-1]} + {item.count}")
        ends.append(total)
    k = w.source.fresh("k")
    none = node.ask == "some" and len(items) == 1 and items[0].single
    certain = literal(total) is not None
    word = "if"
    if none:
        first = items[0].none if items[0].picked else items[0].element("0")
        test = f"{total} == 1 and not any({first})" if _bags(node) else f"{total} == 1 and not {first}"
        with block(f"if {items[0].nothing}:" if items[0].picked else f"if {test}:"):
            items[0].bind(first)
            leaf(node.items[0].to)
        word = "elif"
    with block("if True:" if certain else f"{word} {total}:"):
        _ask(w, node, k if items[0].values or len(items) > 1 else "", total)
        for number, item in enumerate(items):
            if len(items) == 1:
                item.take(k)
                leaf(item.item.to)
                continue
            head = "else:" if number == len(items) - 1 else f"{'elif' if number else 'if'} {k} < {ends[number]}:"
            with block(head):
                item.take(f"{k} - {ends[number - 1]}" if number else k)
                leaf(item.item.to)
    if certain:
        return
    with block("else:"):
        if node.ask == "anyway":
            line(f"decided(S, {node.site})")
        if node.otherwise >= 0:
            leaf(node.otherwise)
        else:
            line(f"fail({node.site}, 'there is nothing to choose')")


def _share(w: Writer, node: Decision, scope: Scope) -> list[int]:
    """Lines that read once what several items read; which expressions those are."""
    slots = {binder.slot for item in node.items for binder in item.binders}
    places: dict[Any, list[Expr]] = {}
    for item in node.items:
        for outer in item_expressions(item):
            for expr in shareable(outer, slots, WORTH):
                places.setdefault(form(expr), []).append(expr)
    found: list[int] = []
    for alike in places.values():
        if len(alike) < 2 or w.compiler.known(alike[0]) is not UNKNOWN:
            continue
        name = w.source.fresh("known")
        w.source.line(f"{name} = {w.text(alike[0], scope)}")
        for expr in alike:
            w.hoisted[id(expr)] = name
            found.append(id(expr))
    return found


def _bags(node: Decision) -> bool:
    return not node.items[0].binders[0].type.startswith("set<")


def _ask(w: Writer, node: Decision, k: str, total: str) -> None:
    """Lines that take one option at random."""
    line, block = w.source.line, w.source.block

    def decided() -> None:
        with block(f"if S.decisions >= {w.program.max_decisions}:"):
            line(f"capped(S, {node.site})")
        line("S.decisions += 1")
        line(f"S.fuel = {w.program.fuel}")

    if node.ask != "engine":
        decided()
    if literal(total) == 1:
        if k:
            line(f"{k} = 0")
        return
    if not k:
        return
    with block(f"if {total} > 1:"):
        if node.ask == "engine":
            decided()
        write_draw(w, k, total)
    with block("else:"):
        line(f"{k} = 0")
