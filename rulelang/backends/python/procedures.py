"""Procedures as Python functions: blocks become `while` and `if`, or one loop over their numbers.

Enters: the number of a procedure. Leaves: the lines of its function. `pN_name` runs it from its beginning. A
procedure that may wait has another function too, `rN_name`, which goes on from any of its blocks: a random playout that
starts in the middle of a game enters it there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from rulelang.backends.facts import same, suspending_calls
from rulelang.backends.interpreter.expressions import UNKNOWN
from rulelang.backends.interpreter.work import CALL_WORK, block_work
from rulelang.backends.python.chance import write_chance
from rulelang.backends.python.decisions import Leaf, write_decision
from rulelang.backends.python.expressions import Writer, function_name, inlined_value
from rulelang.backends.python.flow import UnstructuredError
from rulelang.backends.python.polish import count_apart, share_zones, spare_cells
from rulelang.backends.python.scope import Bare, Scope
from rulelang.backends.python.sets import ZONELESS
from rulelang.backends.python.source import plain_name
from rulelang.backends.python.statements import write_statement
from rulelang.backends.python.structured import NOWHERE, Structured
from rulelang.backends.sharing import needed_statements
from rulelang.backends.text import atomic
from rulelang.ir.liveness import live_slots
from rulelang.ir.nodes import Block, Branch, CallProc, Chance, Choose, End, Expr, Jump, Return, Statement
from rulelang.ir.walk import BINDING, children, exits, index, subexpressions
from rulelang.runtime.layout import ZONE_SHIFT

NESTED = 8
SHALLOW = 16
"""Procedures are written where they are called no deeper within each other and no further indented than this."""


class ProcedureWriter:
    """Writes the functions of procedures.

    Attributes:
        stacked: whether procedures that wait for each other must be counted while they run.
        looped: procedures that were written as one loop over the numbers of their blocks.
    """

    def __init__(self, writer: Writer) -> None:
        self.w = writer
        self.source = writer.source
        self.program = writer.program
        self.looped: list[int] = []
        self._sure_work: dict[int, int] = {}
        self._scopes: dict[int, Scope] = {}
        self._within: list[int] = []
        self._sources: dict[int, dict[int, list[Expr]]] = {}
        self._kept: dict[int, list[Statement]] = {}
        self._calls = Counter(call for code in writer.program.procedures for call in suspending_calls(code))
        self._live: dict[int, list[frozenset[int]]] = {}
        # Those that must be counted are not written out where they are called.
        writer.charged = writer.facts.counted
        for number in writer.facts.order if writer.charged else ():
            self._sure(number)
        self.stacked = self._stacked()
        self.alike = any(writer.layout.alike)

    # ---- what must be counted

    def _stacked(self) -> bool:
        program = self.program
        depths: dict[int, int] = {}

        def depth(procedure: int) -> int:
            if procedure not in depths:
                depths[procedure] = program.depth  # calls itself
                code = program.procedures[procedure]
                depths[procedure] = 1 + max([0, *map(depth, suspending_calls(code))])
            return depths[procedure]

        waiting = [n for n in self.w.facts.order if program.procedures[n].effects.suspends]
        recursive = any(program.procedures[n].depth for n in waiting)
        return recursive or max([0, *map(depth, waiting)]) + 1 >= program.depth

    def _sure(self, procedure: int) -> int:
        """The fuel that every call takes at least; calls that are counted themselves are left out."""
        code = self.program.procedures[procedure]
        end = code.blocks[0].terminator
        if code.depth or code.blocks[0].statements or not isinstance(end, Return) or end.value is None:
            return CALL_WORK + 1
        if procedure not in self._sure_work:
            found = CALL_WORK + block_work(self.w.layout, code.blocks[0])
            found += sum(
                self._sure(called) for called in _sure_calls(self.w, end.value) if called not in self.w.charged
            )
            self._sure_work[procedure] = found
        return self._sure_work[procedure]

    # ---- functions

    def scope(self, procedure: int) -> Scope:
        """The names of a procedure's locals."""
        if procedure not in self._scopes:
            self._scopes[procedure] = self._named(procedure, "", {})
        return self._scopes[procedure]

    def _plain(self, procedure: int, suffix: str = "") -> Scope:
        """The names of a procedure's locals, each kept as the interpreter has it."""
        own = enumerate(self.program.procedures[procedure].local_names)
        return Scope(procedure, {slot: f"{plain_name(name)}_{slot}{suffix}" for slot, name in own})

    def _named(self, procedure: int, suffix: str, given: dict[int, str]) -> Scope:
        """The names of a procedure's locals, which runs from its beginning; some are given."""
        scope = self._plain(procedure, suffix)
        scope = replace(scope, names=scope.names | given)
        places = self._places(procedure)
        scope = replace(
            scope,
            names={**scope.names, **{slot: self.w.text(zone, scope) for slot, zone in places.items()}},
            places=frozenset(places),
        )
        for slot, zone in self._bare(procedure).items():
            text = self.w.text(zone, scope)
            handfuls, name = self.w.counted.get(index(zone)), scope.names[slot]
            items = name if handfuls is None else f"{self.source.listed(handfuls)}[{name}]"
            kept = Bare(name, text, index(zone), handfuls, items)
            scope = replace(scope, bare={**scope.bare, slot: kept})
        handles = {
            slot: f"[x + base for base in ({kept.zone} << {ZONE_SHIFT},) for x in {kept.items}]"
            for slot, kept in scope.bare.items()
        }
        return replace(scope, names={**scope.names, **handles})

    def sources(self, procedure: int) -> dict[int, list[Expr]]:
        """What is put into each slot that something is put into."""
        if procedure in self._sources:
            return self._sources[procedure]
        code = self.program.procedures[procedure]
        sources: dict[int, list[Expr]] = {}
        self._sources[procedure] = sources
        for block in code.blocks:
            for node in self.kept(procedure, block):
                if node.op == "set":
                    sources.setdefault(index(node), []).extend(children(node))
            for _, filled in exits(block.terminator, self.program.decisions):
                if not isinstance(block.terminator, Choose):
                    for slot in filled:
                        sources.setdefault(slot, []).append(NOWHERE)
            if isinstance(block.terminator, Choose):
                for item in self.program.decisions[block.terminator.decision].items:
                    for binder in item.binders:
                        sources.setdefault(binder.slot, []).append(binder.args[0] if binder.kind == "some" else NOWHERE)
        return sources

    def _places(self, procedure: int) -> dict[int, Expr]:
        """Slots that hold the same zone for as long as the procedure runs, with the zone."""
        code, fixed = self.program.procedures[procedure], self._fixed(procedure)
        return {
            slot: parts[0]
            for slot, parts in self.sources(procedure).items()
            if slot >= code.parameters and code.locals[slot] == "zone" and len(parts) == 1
            if parts[0].op == "zone" and _settled(parts[0], fixed)
        }

    def _bare(self, procedure: int) -> dict[int, Expr]:
        """Slots that hold pieces which were all found in one zone, with the zone."""
        code, fixed, sources = self.program.procedures[procedure], self._fixed(procedure), self.sources(procedure)
        found: dict[int, Expr] = {}
        for slot, parts in sources.items():
            type_ = code.locals[slot]
            if slot < code.parameters or not type_.startswith("set<piece:") or self.w.layout.identity(type_):
                continue
            zones = [_found_in(part, sources, frozenset((slot,))) for part in parts]
            first = zones[0]
            if first is None or not all(same(first, zone) for zone in zones):
                continue
            if _settled(first, fixed):
                found[slot] = first
        return found

    def _fixed(self, procedure: int) -> set[int]:
        """The parameters that never change."""
        code = self.program.procedures[procedure]
        found = set(range(code.parameters))
        for block in code.blocks:
            found -= {index(node) for node in block.statements if node.op == "set"}
            for _, filled in exits(block.terminator, self.program.decisions):
                found -= filled
        return found

    def kept(self, procedure: int, block: Block) -> list[Statement]:
        """The statements of a block, without those that set what nobody reads."""
        if id(block) not in self._kept:
            self._kept[id(block)] = needed_statements(block, self.live(procedure), self.program.decisions)
        return self._kept[id(block)]

    def function(self, procedure: int) -> str:
        """Writes `pN_name`; gives its name."""
        code = self.program.procedures[procedure]
        name, scope = function_name(self.w, procedure), self.scope(procedure)
        self.source.owner = procedure
        parameters = [
            "S",
            *(["R"] if code.effects.suspends else []),
            *(scope.names[slot] for slot in range(code.parameters)),
        ]
        self.source.at(code.site)
        start = len(self.source.lines)
        if code.depth and not code.effects.suspends:
            self._nested(name, parameters, procedure)
            name = f"{name}_within"
        try:
            self._define(name, parameters, lambda: self._structured(procedure, scope))
        except UnstructuredError:
            self.looped.append(procedure)
            self.source.cut(start)
            if code.depth and not code.effects.suspends:
                name = name.removesuffix("_within")
                self._nested(name, parameters, procedure)
                name = f"{name}_within"
            self._define(name, parameters, lambda: self._looped(procedure, scope, "0"))
        return function_name(self.w, procedure)

    def _nested(self, name: str, parameters: list[str], procedure: int) -> None:
        code = self.program.procedures[procedure]
        line = self.source.line
        with self.source.block(f"def {name}({', '.join(parameters)}):"):
            with self.source.block(f"if depths[{procedure}] > {min(code.depth, self.program.depth)}:"):
                line(f"deep({procedure})")
            line(f"depths[{procedure}] += 1")
            with self.source.block("try:"):
                line(f"return {name}_within({', '.join(parameters)})")
            with self.source.block("finally:"):
                line(f"depths[{procedure}] -= 1")

    def resumer(self, procedure: int) -> str:
        """Writes `rN_name`; gives its name."""
        # A frame has lost what is not live, so that nothing may be told from parameters.
        code, scope = self.program.procedures[procedure], self._plain(procedure)
        name = f"r{function_name(self.w, procedure)[1:]}"
        self.source.at(code.site)
        self.source.owner = procedure
        parameters = ["S", "R", "b", *(scope.names[slot] for slot in range(len(code.locals)))]
        self._define(name, parameters, lambda: self._looped(procedure, scope, ""))
        return name

    def _define(self, name: str, parameters: Sequence[str], body: Callable[[], None]) -> None:
        source = self.source
        with source.block(f"def {name}({', '.join(parameters)}):"):
            start = len(source.lines)
            body()
            text = "\n".join(source.lines[start:])
            if "R.draw()" in text:
                source.lines[start:] = [row.replace("R.draw()", "draw()") for row in source.lines[start:]]
                source.insert(start, "draw = R.draw")
            share_zones(source, start, parameters)
            count_apart(source, start)
            spare_cells(source, start)
            for short in ("z", "v", "pools"):
                if re.search(rf"\b{short}\b", text):
                    source.insert(start, f"{short} = S.{short}")
            if "c[" in text:
                source.insert(start, "c = S.z")

    def _charge(self, procedure: int, site: int) -> None:
        code = self.program.procedures[procedure]
        if code.depth or procedure in self.w.charged:
            self.source.line(f"S.fuel -= {self._sure(procedure)}")
            with self.source.block("if S.fuel < 0:"):
                self.source.line(f"tired({site})")

    # ---- blocks as `while` and `if`

    def _structured(self, procedure: int, scope: Scope) -> None:
        code = self.program.procedures[procedure]
        self._charge(procedure, code.site)
        Structured(self, procedure, scope).write()

    # ---- blocks as one loop over their numbers

    def _looped(self, procedure: int, scope: Scope, first: str) -> None:
        source, code = self.source, self.program.procedures[procedure]
        if first:
            source.line(f"b = {first}")
        with source.block("while True:"):
            source.line("S.fuel -= 1")
            with source.block("if S.fuel < 0:"):
                source.line(f"tired({code.site})")
            self._between(procedure, scope, 0, len(code.blocks))

    def _between(self, procedure: int, scope: Scope, low: int, high: int) -> None:
        """Lines that find one of the blocks from `low` to `high` - 1."""
        if high - low > 1:
            middle = (low + high) // 2
            with self.source.block(f"if b < {middle}:"):
                self._between(procedure, scope, low, middle)
            with self.source.block("else:"):
                self._between(procedure, scope, middle, high)
            return
        block = self.program.procedures[procedure].blocks[low]
        self.statements(block, scope)
        self.terminator(low, block, scope, lambda to: self.source.line(f"b = {to}"))

    # ---- parts of blocks

    def statements(self, block: Block, scope: Scope, first: int = 0) -> None:
        """The lines of a block's statements, from one on."""
        if block.site:
            self.source.at(block.site)
        for node in self.kept(scope.procedure, block)[first:]:
            write_statement(self.w, node, scope)

    def live(self, procedure: int) -> list[frozenset[int]]:
        """The slots that are needed at the start of each block."""
        if procedure not in self._live:
            self._live[procedure] = list(live_slots(self.program.procedures[procedure], self.program.decisions))
        return self._live[procedure]

    def terminator(self, number: int, block: Block, scope: Scope, leaf: Leaf) -> None:
        """The lines of a block's end; `leaf` writes what goes on with another block."""
        line = self.source.line
        match block.terminator:
            case Jump(to=to):
                leaf(to)
            case Branch(condition=condition, then=then, otherwise=otherwise):
                with self.source.block(f"if {self.w.truth(condition, scope)}:"):
                    leaf(then)
                with self.source.block("else:"):
                    leaf(otherwise)
            case CallProc() as call:
                self.call(call, scope)
                leaf(call.to)
            case Return(value=value):
                line(f"return {self.w.stored(value, scope) if value is not None else 0}")
            case Choose(decision=decision):
                write_decision(self.w, number, decision, scope, leaf)
            case Chance() as chance:
                write_chance(self.w, chance, scope, number)
                leaf(chance.to)
            case End():
                line(f"raise Ended({block.site})")

    def call(self, call: CallProc, scope: Scope) -> None:
        """The lines of a call of a procedure that may wait."""
        line, w = self.source.line, self.w
        self.source.at(call.site)
        code = self.program.procedures[call.procedure]
        arguments = ["S", *(["R"] if code.effects.suspends else [])]
        arguments += [w.stored(argument, scope) for argument in call.arguments]
        references = w.layout.references(scope.procedure, call.to) if self.alike else ()
        kept = tuple(slot for slot in references if slot != call.slot)
        if kept:
            # What is to take the value refers to nothing yet.
            names = {**scope.names, call.slot: "None"}
            values = w.locals(replace(scope, names=names), frozenset((*kept, call.slot)))
            line(f"S.frames.append([{scope.procedure}, {call.to}, {values}, -1])")
        if self.stacked:
            line(f"enter({call.procedure})")
        made = f"{function_name(w, call.procedure)}({', '.join(arguments)})"
        line(f"{scope.names[call.slot]} = {made}" if call.slot >= 0 else made)
        if self.stacked:
            line(f"leave({call.procedure})")
        if kept:
            line("S.frames.pop()")

    def scores(self) -> str:
        """Writes the function that adds up the score lines of every party; gives its name."""
        line, w = self.source.line, self.w
        party = Expr("local", "seat", (0,))

        def body() -> None:
            line("found = []")
            with self.source.block(f"for party in range({w.layout.parties}):"):
                line("total = 0")
                for row in self.program.scores:
                    self.source.at(row.site)
                    code = self.program.procedures[row.procedure]
                    call = Expr("call", code.returns, (row.procedure, party))
                    value = inlined_value(w, row.procedure)
                    if value is None:
                        line(f"S.fuel = {self.program.fuel}")
                    w.zoneless = value is not None and all(part.op in ZONELESS for part in subexpressions(value))
                    line(f"total += {w.stored(call, Scope(row.procedure, {0: 'party'}))}")
                    w.zoneless = False
                line("found.append(total)")
            line("return found")

        self._define("scores", ["S"], body)
        return "scores"

    def within(self, call: CallProc, scope: Scope) -> bool:
        """Writes a procedure where it is called, if it is called nowhere else and has one way back."""
        code, source = self.program.procedures[call.procedure], self.source
        returns = sum(isinstance(block.terminator, Return) for block in code.blocks)
        if self._calls[call.procedure] > 1 or returns != 1 or code.depth or self.stacked or self.alike:
            return False
        if source.depth > SHALLOW or len(self._within) >= NESTED or call.procedure in self._within:
            return False
        start, depth, owner = len(source.lines), source.depth, source.owner
        arguments = dict(enumerate(self.w.stored(argument, scope) for argument in call.arguments))
        given = {slot: text for slot, text in arguments.items() if atomic(text) and slot in self._fixed(call.procedure)}
        inner = self._named(call.procedure, source.fresh("in"), given)
        source.owner = call.procedure
        self._within.append(call.procedure)
        try:
            for slot, text in arguments.items():
                if slot not in given:
                    source.line(f"{inner.names[slot]} = {text}")
            self._charge(call.procedure, code.site)
            Structured(self, call.procedure, inner, scope.names[call.slot] if call.slot >= 0 else "").write()
        except UnstructuredError:
            source.cut(start, depth)
            return False
        finally:
            source.owner = owner
            self._within.pop()
        return True

    def all_functions(self) -> None:
        """Writes everything that a game may run, for people to read."""
        for number, code in enumerate(self.program.procedures):
            if inlined_value(self.w, number) is None or code.effects.suspends:
                self.function(number)


def _settled(zone: Expr, fixed: set[int]) -> bool:
    """Whether a zone is the same one for as long as these slots are."""
    return all(part.op == "const" or (part.op == "local" and index(part) in fixed) for part in children(zone))


def _found_in(expr: Expr, sources: dict[int, list[Expr]], seen: frozenset[int]) -> Expr | None:
    """The zone in which all pieces of a set were found."""
    if expr.op == "pieces":
        zone = next(children(expr))
        return zone if zone.op == "zone" else None
    if expr.op == "filter":
        return _found_in(next(children(expr)), sources, seen)
    if expr.op == "local" and index(expr) not in seen:
        slot = index(expr)
        zones = [_found_in(part, sources, seen | {slot}) for part in sources.get(slot, [NOWHERE])]
        return zones[0] if all(same(zones[0], zone) for zone in zones) else None
    return None


def _sure_calls(w: Writer, expr: Expr) -> Iterator[int]:
    """The functions that are called whenever an expression is read, as often as they stand there."""
    if expr.op == "possible" or w.compiler.known(expr) is not UNKNOWN:
        return
    if expr.op == "call":
        yield index(expr)
    parts = list(children(expr))
    for part in parts[:1] if expr.op in BINDING | SOMETIMES else parts:
        yield from _sure_calls(w, part)


SOMETIMES = frozenset(("and", "or", "if", "otherwise", "lookup"))
"""Operations of which not all arguments are always read."""
