"""Results of scenarios: what each reached of its program, and digests by which it is known that it would pass again.

Enters: a program, what a scenario reached. Leaves: a trace, and whether a trace holds for a program. A trace has
digests of the tables that every game reads with facts of the layout that come from all procedures, and of what was
reached: the procedures (without places), what they call, columns of rows, attributes of types.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cache, cached_property
from typing import Any

from rulelang.cache import digest_of
from rulelang.ir.nodes import Choose, Expr
from rulelang.ir.program import Program
from rulelang.ir.walk import callees, index, subexpressions
from rulelang.ruleset.model import WrittenRuleset
from rulelang.runtime.constants import reachable
from rulelang.runtime.sight import has_secrets, private_draws
from rulelang.runtime.typed import shown_types
from rulelang.vocabulary.operations import reading

CALLS = reading("callee")
KEPT = 4
"""Traces of an item: what is undone, and done again, costs nothing."""
UNPLAYED = {"version", "hash", "sites", "title", "procedures", "decisions", "kinds", "enums", "grids"}
"""Fields of a program that are no tables, or of which a game reads parts."""

Trace = list[Any]
"""Digest of the tables, procedures, (kind, column, rows), (`enum` or `grid`, number), digest of what was reached."""
NAME = 8
"""Length of the name of a procedure in a trace: no number, as numbers move when something is declared."""


class Parts:
    """Digests of the parts of a program, sites left out but for their rules."""

    def __init__(self, program: Program, written: WrittenRuleset) -> None:
        self.program, self.written = program, written
        self._procedures: dict[int, str] = {}

    def said(self, node: Any) -> str:
        """Return a text for a node, equal for nodes of the same meaning and for no others."""
        if isinstance(node, str):
            return repr(str(node))
        if isinstance(node, tuple):
            return f"[{','.join(map(self.said, node))}]"
        if isinstance(node, dict):
            return self.said(tuple(node.items()))
        names = _fields_of(node.__class__)
        if not names:
            return repr(node)
        return f"{type(node).__name__}({','.join([self._field(node, name) for name in names])})"

    def _field(self, node: Any, name: str) -> str:
        """Return a field of a node, procedures by their names; which decision is asked stands in its place."""
        value = getattr(node, name)
        if name == "site":
            return repr(self._site(value))
        if name in ("procedure", "setup", "play", "payoff"):
            return self.names[value] if value >= 0 else str(value)
        if name == "args" and isinstance(node, Expr) and node.op in CALLS:
            return self.names[index(node)] + self.said(value[1:])
        return "" if name == "decision" else self.said(value)

    @cached_property
    def names(self) -> list[str]:
        """Of each procedure a name that stays when others are declared."""
        said, seen = [f"{each.name} {self._site(each.site)}" for each in self.program.procedures], Counter[str]()
        for number, name in enumerate(said):
            seen[name] += 1
            said[number] = digest_of(name, str(seen[name]))[:NAME]
        return said

    def procedures(self, names: str) -> list[int]:
        """Return the numbers of the procedures of a trace.

        Raises:
            LookupError: there is not one of each name.
        """
        return [self._numbers[names[at : at + NAME]] for at in range(0, len(names), NAME)]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        many = Counter(self.names)
        return {name: number for number, name in enumerate(self.names) if many[name] == 1}

    def _site(self, number: int) -> str:
        site = self.program.sites[number]
        return f"{site.rule} {site.piece}"

    @cached_property
    def tables(self) -> str:
        """A digest of what every game may read, facts of the layout included."""
        program = self.program
        own = [self._field(program, field.name) for field in fields(Program) if field.name not in UNPLAYED]
        rows = [tuple(replace(row, attributes=()) for row in kind.definitions) for kind in program.kinds]
        kinds = tuple(replace(kind, definitions=of) for kind, of in zip(program.kinds, rows, strict=True))
        tables: tuple[Any, ...] = (*program.enums, *program.grids)
        types = tuple(
            replace(table, attributes=tuple((name, type_, ()) for name, type_, _ in table.attributes))
            for table in tables
        )
        blocks = [block for procedure in program.procedures for block in procedure.blocks]
        operations = {statement.op for block in blocks for statement in block.statements}
        facts = (
            *(has_secrets(program), any(decision.secret for decision in program.decisions)),
            *(bool(private_draws(program)), sorted(map(str, shown_types(program)))),
            *("eliminate" in operations, "reveal" in operations),
            any(getattr(block.terminator, "seers", None) is not None for block in blocks),
        )
        bodies = sorted(map(self.procedure, self.of_tables))
        return digest_of(*own, self.said(kinds), self.said(types), repr(facts), *bodies)

    @cached_property
    def of_tables(self) -> set[int]:
        """The numbers of the procedures that expressions of tables may come to."""
        program = self.program
        rows = (row for kind in program.kinds for row in kind.definitions)
        tables = (program.zones, program.variables, program.piece_variables, program.grids, program.options)
        expressions = _expressions((*tables, tuple((row.count, row.start) for row in rows)))
        parts = (part for expression in expressions for part in subexpressions(expression))
        return self.closure(index(part) for part in parts if part.op in CALLS)

    @cached_property
    def words(self) -> str:
        """A digest of the words of the ruleset, by which refusals are worded."""
        pieces = [(piece.id, piece.words, piece.text) for piece in self.written.pieces]
        options = [(option.name, option.words) for option in self.written.options]
        return digest_of(repr((self.written.words, pieces, options)))

    def procedure(self, number: int) -> str:
        """Return a digest of a procedure, of the decisions that it asks, and of what those that it calls may do."""
        known = self._procedures.get(number)
        if known is None:
            program = self.program
            procedure = program.procedures[number]
            asked = [b.terminator.decision for b in procedure.blocks if isinstance(b.terminator, Choose)]
            decisions = [self.said(program.decisions[decision]) for decision in asked]
            called = sorted({*callees(procedure, program.decisions)}, key=self.names.__getitem__)
            effects = [self.said((self.names[n], program.procedures[n].effects)) for n in called]
            known = self._procedures[number] = digest_of(self.said(procedure), *decisions, *effects)
        return known

    def closure(self, numbers: Iterable[int]) -> set[int]:
        """Return the numbers of procedures and of all that they may come to."""
        program = self.program
        return {*reachable(numbers, lambda number: callees(program.procedures[number], program.decisions))}

    def reached(self, procedures: str, columns: Sequence[Any], types: Sequence[Any], worded: bool) -> str:
        """Return a digest of parts of the program; empty if one is not there."""
        program = self.program
        try:
            parts = [self.procedure(number) for number in self.procedures(procedures)]
            for kind, column, rows in columns:
                definitions = program.kinds[kind].definitions
                parts += [self.said(definitions[row].attributes[column]) for row in _ones(rows)]
            for sort, number in types:
                parts.append(self.said((program.enums if sort == "enum" else program.grids)[number].attributes))
        except LookupError:
            return ""
        return digest_of(*parts, self.words if worded else "")

    def trace(self, elements: Iterable[Any], called: Iterable[int], worded: bool) -> Trace:
        """Return the trace of a scenario that reached some elements of the program and calls some procedures."""
        procedures, rows, types = {*called}, dict[tuple[int, int], int](), set[tuple[str, int]]()
        for element in elements:
            if element[0] == "block":
                procedures.add(element[1])
            elif element[0] == "cell":
                _, kind, row, column = element
                rows[kind, column] = rows.get((kind, column), 0) | 1 << row
            else:
                types.add(element)
        own = {number for number in procedures if number < len(self.program.procedures)}
        names = "".join(sorted(self.names[number] for number in (self.closure(own) if worded else own)))
        columns = [[kind, column, f"{bits:x}"] for (kind, column), bits in sorted(rows.items())]
        parts = names, columns, sorted(types), worded
        return [self.tables, *parts, self.reached(*parts)]

    def holds(self, trace: Trace) -> bool:
        """Return whether what a trace reached is as it was."""
        tables, procedures, columns, types, worded, reached = trace
        return bool(tables == self.tables and reached == self.reached(procedures, columns, types, worded))


@cache
def _fields_of(class_: Any) -> tuple[str, ...]:
    """Return the fields of a class of nodes; none of any other class."""
    return tuple(field.name for field in fields(class_)) if is_dataclass(class_) else ()


def _ones(bits: str) -> Iterator[int]:
    """Yield the places of the ones of a hexadecimal number."""
    value = int(bits, 16)
    while value:
        yield (value & -value).bit_length() - 1
        value &= value - 1


def _expressions(value: Any) -> Iterator[Expr]:
    """Yield the outermost expressions in tables."""
    if isinstance(value, Expr):
        yield value
    elif isinstance(value, tuple | list):
        for part in value:
            yield from _expressions(part)
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from _expressions(getattr(value, field.name))
