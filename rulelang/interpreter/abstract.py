"""Abstract interpretation of pure functions over what a seat sees of a state.

Enters: a machine, a `Veil`. Leaves: abstract values (`rulelang.interpreter.abstract_values`): what a function gives in
whatever state the seat can't tell from this one.

What reads nothing hidden is run by the machine's own closures and known exactly. Elsewhere `RULES` (abstract_rules) say
what an operation gives for abstract operands; one without a rule is tried with each combination of values that its
operands may have, or gives any value of its type. A branch whose condition is not known is followed both ways up to
where they meet, its immediate postdominator (Cousot and Cousot, 1977, over structured paths). Work is bounded: beyond
`MOST_WORK` whatever is left is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from rulelang.diagnostics import FuelError, RuleError
from rulelang.interpreter.abstract_values import (
    ANYTHING,
    AbstractElements,
    Counts,
    Members,
    Range,
    Several,
    Unknown,
    finite,
    join,
    one_of,
)
from rulelang.interpreter.expressions import Code, Locals
from rulelang.ir.nodes import Branch, Expr, Jump, Procedure, Return
from rulelang.ir.rewrite import fresh_slots
from rulelang.ir.walk import local_reads, number, operands
from rulelang.registry import registering
from rulelang.runtime.bounds import HIGHEST, LOWEST, MANY
from rulelang.runtime.layout import Layout
from rulelang.runtime.veil import HiddenError, Veil
from rulelang.vocabulary.types import Type

if TYPE_CHECKING:
    from rulelang.interpreter.machine import Machine

MOST_WORK = 20_000
"""Expressions and blocks that are looked at for one value, and steps that closures may take meanwhile: some 20 ms."""
MOST_COMBINATIONS = 1024
"""Combinations of operands' values that one operation is tried with."""
MOST_NESTED = 24
"""Depth of calls and of branches within branches that are not known."""

Rule = Callable[["Abstract", Expr, Locals], Any]

RULES: dict[str, Rule] = {}
"""Operation -> what it gives for abstract operands."""
rule = registering(RULES)

TRAPS = (ArithmeticError, LookupError, TypeError, ValueError, RecursionError)
"""What an operation may raise for values that it never has in a game."""


class _TooMuchError(Exception):
    """The function needs more work than is spent on it, or does what no pure function does."""


class Codes:
    """What is compiled once for all evaluations of a machine's functions.

    Attributes:
        returns: by procedure the type of its value.
    """

    def __init__(self, machine: Machine) -> None:
        self.machine, self.layout, self.program = machine, machine.layout, machine.program
        self._codes: dict[int, tuple[Expr, Code, frozenset[int]]] = {}
        self._lifted: dict[int, tuple[Expr, Expr, list[int]]] = {}
        self._meets: dict[int, list[int]] = {}
        self.declared: dict[int, Any] = {}  # what is declared of a variable's cells, by the id of its table

    def code(self, expr: Expr) -> tuple[Expr, Code, frozenset[int]]:
        """Return an expression, its closure, and the slots that it reads."""
        entry = self._codes.get(id(expr))
        if entry is None:
            entry = self._codes[id(expr)] = expr, self.machine.compiler.stored(expr), local_reads(expr)
        return entry

    def lifted(self, expr: Expr) -> tuple[Expr, list[int]]:
        """Return the operation with a local in place of each operand, and their slots, which nothing else has."""
        entry = self._lifted.get(id(expr))
        if entry is None:
            slots = [next(fresh_slots) for _ in operands(expr)]
            places = iter(slots)
            args = tuple(
                Expr("local", arg.type, (next(places),)) if isinstance(arg, Expr) else arg for arg in expr.args
            )
            entry = self._lifted[id(expr)] = expr, Expr(expr.op, expr.type, args, expr.site), slots
        return entry[1:]

    def meeting(self, procedure: int) -> list[int]:
        """Return for each block of a procedure its immediate postdominator; -1: the procedure's end."""
        if procedure not in self._meets:
            self._meets[procedure] = _postdominators(self.program.procedures[procedure])
        return self._meets[procedure]


def _postdominators(code: Procedure) -> list[int]:
    """Return the immediate postdominator of each block, -1 for the end (by iteration over sets)."""
    count = len(code.blocks)
    ends = [block.terminator for block in code.blocks]
    after = [
        [end.to] if isinstance(end, Jump) else [end.then, end.otherwise] if isinstance(end, Branch) else [-1]
        for end in ends
    ]
    everything = frozenset(range(-1, count))
    behind: dict[int, frozenset[int]] = dict.fromkeys(range(count), everything) | {-1: frozenset((-1,))}
    changed = True
    while changed:
        changed = False
        for b in range(count - 1, -1, -1):
            both = frozenset.intersection(*(behind[to] for to in after[b])) | {b}
            if both != behind[b]:
                behind[b], changed = both, True
    # Of those that stand behind a block the nearest has all others behind it.
    return [max(behind[b] - {b}, key=lambda to: len(behind[to]), default=-1) for b in range(count)]


class Abstract:
    """Evaluates functions over a veil.

    Attributes:
        veil: what a seat sees. codes: see `Codes`.
    """

    def __init__(self, codes: Codes, veil: Veil) -> None:
        self.codes, self.veil = codes, veil
        self.layout: Layout = codes.layout
        self._work = self._depth = 0
        self._hidden: set[int] = set()  # expressions that were found to read what is hidden

    def function(self, procedure: int, arguments: Sequence[Any]) -> Any:
        """Return what a procedure that does not suspend gives for known arguments.

        Raises:
            RuleError: a rule goes wrong that reads nothing hidden.
        """
        code = self.codes.program.procedures[procedure]
        if code.effects.writes or code.effects.suspends:
            return ANYTHING
        machine, veil = self.codes.machine, self.veil
        values = [*arguments, *[0] * (len(code.locals) - len(arguments))]
        self._work, self._depth = MOST_WORK, 0
        try:
            return _plain(machine.evaluate(veil, procedure, arguments))  # type: ignore[arg-type]
        except HiddenError:
            pass
        try:
            return self._run(procedure, values)
        except (_TooMuchError, RecursionError):
            return ANYTHING

    def spend(self, work: int) -> None:
        """Take work; raise _TooMuchError where there is no more."""
        self._work -= work
        if self._work < 0:
            raise _TooMuchError

    # ---- expressions

    def value(self, expr: Expr, L: Locals) -> Any:
        """Return the abstract value of an expression over abstract locals."""
        if expr.op == "local":
            return L[number(expr)]
        if expr.op == "const":
            return expr.args[0]
        self.spend(1)
        if id(expr) not in self._hidden:
            _, code, reads = self.codes.code(expr)
            if not any(isinstance(L[slot], Unknown) for slot in reads):
                try:
                    return self.known(code, L)
                except HiddenError:
                    self._hidden.add(id(expr))
        own = RULES.get(expr.op)
        return (
            own(self, expr, L) if own is not None else self.lifted(expr, [self.value(arg, L) for arg in operands(expr)])
        )

    def truth(self, expr: Expr, L: Locals) -> bool | None:
        """Return whether a condition holds; None if that is not known."""
        value = self.value(expr, L)
        return bool(value) if isinstance(value, int) else None

    def known(self, code: Code, L: Locals) -> Any:
        """Return what a closure gives; anything where it goes wrong: then there is no score, or it is never read.

        Raises:
            HiddenError: it reads what is hidden.
        """
        veil = self.veil
        veil.fuel = self._work
        try:
            return _plain(code(veil, L[:]))  # type: ignore[arg-type]
        except FuelError:
            raise _TooMuchError from None
        except (RuleError, *TRAPS):
            return ANYTHING
        finally:
            self._work, veil.fuel = min(self._work, veil.fuel), self.codes.program.fuel

    def lifted(self, expr: Expr, values: Sequence[Any]) -> Any:
        """Return what an operation gives, tried with each combination of its operands' values."""
        known = self.combinations(values)
        if known is None:
            return self.any_of(expr.type)
        plain, slots = self.codes.lifted(expr)
        _, code, _ = self.codes.code(plain)
        L = _Slots()
        results = []
        for combination in product(*known):
            self.spend(1)
            L.update(zip(slots, combination, strict=True))
            try:
                result = self.known(code, L)  # type: ignore[arg-type]
            except HiddenError:
                return self.any_of(expr.type)
            if result is not ANYTHING:
                results.append(result)
        return join(results)

    @staticmethod
    def combinations(values: Sequence[Any]) -> list[Sequence[Any]] | None:
        """Return for each abstract value what it may be; None if there are none, or too many combinations."""
        choices = [finite(value) if isinstance(value, Unknown) else (value,) for value in values]
        known = [choice for choice in choices if choice is not None]
        few = 0 < len(known) == len(choices) and prod(map(len, known)) <= MOST_COMBINATIONS
        return known if few else None

    def any_of(self, type_: Type) -> Any:
        """Return what is known of any value of a type."""
        layout = self.layout
        match type_.kind:
            case "opt":
                inner = self.any_of(type_.inner)
                return ANYTHING if inner is ANYTHING else join([inner, type_.absent])
            case "int":
                return Range(LOWEST, HIGHEST)
            case "bool":
                return Several(frozenset((0, 1)))
            case "seat" | "enum" | "cell":
                return one_of(range(layout.size(type_)))
            case "dir":
                return one_of(range(8))
            case "zone":
                return one_of(range(len(layout.inst_zone)))
            case "bag":
                return Counts((Range(0, HIGHEST),) * layout.size(type_))
            case "set":
                return Members((AbstractElements(self.any_of(type_.inner), 0, MANY),))
            case "piece" if layout.identity(type_):
                return one_of(layout.kind_items[layout.kind_index[type_.name]])
        return ANYTHING

    # ---- procedures

    def call(self, procedure: int, arguments: list[Any]) -> Any:
        """Return what a function gives for abstract arguments."""
        code = self.codes.program.procedures[procedure]
        if code.effects.writes or code.effects.suspends or self._depth > MOST_NESTED:
            return self.any_of(code.returns)
        return self._run(procedure, [*arguments, *[0] * (len(code.locals) - len(arguments))])

    def _run(self, procedure: int, L: Locals) -> Any:
        """Return what a procedure gives, run on abstract locals."""
        self._depth += 1
        try:
            _, returned = self._follow(procedure, 0, L, -1)
            return join(returned)
        finally:
            self._depth -= 1

    def _follow(self, procedure: int, b: int, L: Locals, until: int) -> tuple[Locals | None, list[Any]]:
        """Run blocks from `b` to `until`; return the locals there (None if it is not come to) and what was returned."""
        code = self.codes.program.procedures[procedure]
        returned: list[Any] = []
        while b != until:
            self.spend(1)
            block = code.blocks[b]
            for node in block.statements:
                if node.op == "set":
                    L[number(node)] = self.value(operands(node)[0], L)
                elif node.op not in ("check", "evaluate"):  # which change nothing in a function without writes
                    raise _TooMuchError
            match block.terminator:
                case Jump(to=to):
                    b = to
                case Return(value=value):
                    return None, [*returned, self.value(value, L) if value is not None else 0]
                case Branch(condition=condition, then=then, otherwise=otherwise):
                    holds = self.truth(condition, L)
                    if holds is not None:
                        b = then if holds else otherwise
                        continue
                    meeting = self.codes.meeting(procedure)[b]
                    met, more = self._follow_both(procedure, (then, otherwise), L, meeting)
                    returned += more
                    if met is None:
                        return None, returned
                    L, b = met, meeting
                case _:
                    raise _TooMuchError
        return L, returned

    def _follow_both(
        self, procedure: int, ways: tuple[int, int], L: Locals, meeting: int
    ) -> tuple[Locals | None, list[Any]]:
        """Follow both ways of a branch up to where they meet; return as `_follow` does, the locals joined."""
        if self._depth > MOST_NESTED:
            raise _TooMuchError
        self._depth += 1
        try:
            ends = [self._follow(procedure, way, L[:], meeting) for way in ways]
        finally:
            self._depth -= 1
        arrived = [there for there, _ in ends if there is not None]
        returned = [value for _, values in ends for value in values]
        return [join(values) for values in zip(*arrived, strict=True)] if arrived else None, returned


class _Slots(dict[int, Any]):
    """Locals by slot, of an operation whose operands are locals."""

    def __getitem__(self, at: Any) -> Any:
        """Return a local; a copy of all where a closure copies its locals."""
        return self if isinstance(at, slice) else dict.__getitem__(self, at)


def _plain(value: Any) -> Any:
    """Return a value with truth values as numbers."""
    return int(value) if isinstance(value, bool) else value
