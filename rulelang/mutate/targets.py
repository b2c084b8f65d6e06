"""Programs of mutants, many from one compilation.

Enters: a ruleset and mutants of its text. Leaves: for each mutant the parts of the program that it changes. The ruleset
is compiled with mutants of several regions at once; each part of the program that differs belongs to the mutant in
whose region its text stands. (Mutant schemata, Untch, Offutt and Harrold 1993, have all mutants in one program too;
here the parts are put into the program of the scenarios one at a time, as each would be if compiled alone.) What can't
be told apart is compiled in halves.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from rulelang.compiler import compile_ruleset
from rulelang.diagnostics import Diagnostic, Diagnostics, RulesetError, Span
from rulelang.game.ruleset import Ruleset
from rulelang.game.situations import Suite
from rulelang.ir.nodes import Choose, Decision, Procedure
from rulelang.ir.program import DefinitionTable, Program, Ranking
from rulelang.mutate.sites import Mutant
from rulelang.ruleset.loader import read_ruleset
from rulelang.ruleset.model import PieceDecl, Text
from rulelang.ruleset.model import WrittenRuleset as Written
from rulelang.ruleset.scenarios import Scenario, scenarios_of
from rulelang.semantics.check import analyse
from rulelang.semantics.tree.shared import Analysed

Part = tuple[str | int, ...]
"""Where a part stands: a table of the program and a number in it; of kinds also a row, and the number of an attribute
or a name of `ROW`; of decisions also an item."""
ROW = ("count", "start")
"""What is declared of a row besides its attributes."""
UNPLAYED = ("hash", "title", "sites", "version")
"""Fields of a program that no game depends on."""


@dataclass(frozen=True)
class Compiled:
    """A ruleset with some mutants, compiled."""

    written: Written
    analysed: Analysed
    program: Program


@dataclass(frozen=True)
class MutatedProgram:
    """What one mutant makes of the program.

    Attributes:
        parts: those that differ, with their new value; sites are numbers in `compiled`.
        compiled: what they come from. whole: whether the tables are others, so that no part fits into another program.
    """

    mutant: Mutant
    parts: Mapping[Part, Any]
    compiled: Compiled | None
    whole: bool = False


class MutationTarget:
    """A ruleset with scenarios: that whose files are changed, or a variant of it.

    Attributes:
        name: as given. suite: its scenarios, compiled.
    """

    def __init__(self, name: str, path: str | Path, overlays: Sequence[str] = ()) -> None:
        self.name, self.path, self.overlays = name, path, tuple(overlays)
        findings = Diagnostics()
        base = self.compile({}, findings)
        if base is None:
            raise RulesetError(findings)
        self.base = base

    @cached_property
    def suite(self) -> Suite:
        """The scenarios compiled with the ruleset as it is."""
        return self.suite_of(self.base, scenarios_of(self.base.written, Diagnostics()))

    def suite_of(self, compiled: Compiled, scenarios: Sequence[Scenario]) -> Suite:
        """Return some scenarios compiled with a ruleset."""
        ruleset = Ruleset(compiled.written, str(self.path), self.overlays, compiled.program)
        ruleset.__dict__["analysed"] = compiled.analysed
        return Suite(ruleset, scenarios, "interpreter")

    def compile(self, instead: Mapping[Path, str], findings: Diagnostics) -> Compiled | None:
        """Compile the ruleset with other texts of some files; None if it has errors."""
        written = read_ruleset(self.path, self.overlays, diagnostics=findings, instead=instead)[0]
        analysed = analyse(written, findings) if written is not None else None
        if written is None or analysed is None:
            return None
        try:
            return Compiled(written, analysed, compile_ruleset(analysed))
        except RecursionError:
            findings.error("ruleset-size", "the rules are too many within each other", written.span)
            return None

    # ---- mutants

    def variants(self, mutants: Sequence[Mutant], files: Mapping[str, Path]) -> Iterator[MutatedProgram | Mutant]:
        """Yield for each mutant what it makes of the program, or the mutant itself if it has errors.

        Args:
            mutants: of different regions. files: shown path -> real path.
        """
        left, wrong, suspected = list(mutants), list[Mutant](), list[Mutant]()
        while left:
            findings = Diagnostics()
            compiled = self.compile(edited(left, files), findings)
            if compiled is not None:
                break
            errors = [d for d in findings if d.severity == "error"]
            blamed = _blamed(left, [d.span for d in errors]) if len(left) > 1 else left
            wrong += blamed
            if not blamed:
                blamed = _suspects(left, errors)
                suspected += blamed
            if not blamed:
                yield from self._halves(mutants, files)
                return
            left = [m for m in left if m not in blamed]
        found = self._told_apart(left, compiled) if left and compiled is not None else []
        if found is None:
            yield from self._halves(mutants, files)
            return
        yield from wrong
        yield from found
        for mutant in suspected:
            yield from self.variants([mutant], files)

    def _halves(self, mutants: Sequence[Mutant], files: Mapping[str, Path]) -> Iterator[MutatedProgram | Mutant]:
        middle = len(mutants) // 2
        yield from self.variants(mutants[:middle], files)
        yield from self.variants(mutants[middle:], files)

    def _told_apart(self, mutants: Sequence[Mutant], compiled: Compiled) -> list[MutatedProgram] | None:
        """Return the variant of each mutant; None if a part may be that of several, or of another than it seems."""
        changed = differences(self.base.program, compiled.program)
        if len(mutants) == 1:
            return [MutatedProgram(mutants[0], changed or {}, compiled, changed is None or self._waits(changed))]
        if changed is None:
            return None
        parts: dict[str, dict[Part, Any]] = {m.id: {} for m in mutants}
        for part, value in changed.items():
            owner = self._owner(mutants, part)
            if owner is None or self._waits({part: value}):
                return None
            parts[owner.id][part] = value
        return [MutatedProgram(m, parts[m.id], compiled) for m in mutants]

    def _owner(self, mutants: Sequence[Mutant], part: Part) -> Mutant | None:
        """Return the mutant that a part comes of; None if that is not known. How many there are of a row and where
        they start may follow from all that it says."""
        lines = {self.line(part)}
        if len(part) == 4 and isinstance(part[3], str):
            kind = self.base.program.kinds[int(part[1])]
            row = self.rows[kind.name, kind.definitions[int(part[2])].id]
            spans = [row.span, *(text.span for text in row.attributes.values())]
            lines |= {(span.path, span.line) for span in spans}
        there = {m.id: m for m in mutants for at in lines if m.file == at[0] and m.covers(at[1])}
        return next(iter(there.values())) if len(there) == 1 else None

    def _waits(self, changed: Mapping[Part, Any]) -> bool:
        """Return whether a procedure waits that did not: then those that call it are others too."""
        before = self.base.program.procedures
        return any(
            part[0] == "procedures" and value.effects.suspends and not before[int(part[1])].effects.suspends
            for part, value in changed.items()
        )

    def line(self, part: Part) -> tuple[str, int]:
        """Return the file and line that a part of the program comes from; no file where that is not known."""
        program = self.base.program
        value = getattr(program, str(part[0]))
        value = value[part[1]] if len(part) > 1 else value
        if len(part) == 3:
            value = value.items[part[2]]
        elif len(part) > 2:
            row = self.rows[value.name, value.definitions[part[2]].id]
            cell = (
                getattr(row, part[3]) if isinstance(part[3], str) else row.attributes.get(value.attributes[part[3]][0])
            )
            span = cell.span if isinstance(cell, Text) else row.span
            return span.path, span.line
        if isinstance(value, Ranking) and value.procedure >= 0:
            value = program.procedures[value.procedure]
        site = program.sites[getattr(value, "site", 0)]
        return site.path, site.line

    @cached_property
    def rows(self) -> dict[tuple[str, str], PieceDecl]:
        """Kind and id -> the row as written."""
        return {(row.kind, row.id): row for row in self.base.written.pieces}

    def spliced(self, variant: MutatedProgram) -> Program:
        """Return the program of the scenarios with the parts of a variant."""
        program = self.suite.ruleset.program
        assert variant.compiled is not None
        sites = _Sites(program, variant.compiled.program)
        tables: dict[str, list[Any]] = {}
        changes: dict[str, Any] = {}
        reads: set[str] = set()
        for part, value in variant.parts.items():
            name, value = str(part[0]), sites.moved(value)
            if len(part) == 1:
                changes[name] = value
                continue
            table = tables.setdefault(name, list(getattr(program, name)))
            place = int(part[1])
            if len(part) == 2:
                if name == "procedures":
                    reads |= set(value.effects.reads) - set(table[place].effects.reads)
                table[place] = value
            elif len(part) == 3:
                items = list(table[place].items)
                items[int(part[2])] = value
                table[place] = replace(table[place], items=tuple(items))
            else:
                rows = list(table[place].definitions)
                row = rows[int(part[2])]
                if isinstance(part[3], str):
                    rows[int(part[2])] = replace(row, **{part[3]: value})
                else:
                    cells = list(row.attributes)
                    cells[part[3]] = value
                    rows[int(part[2])] = replace(row, attributes=tuple(cells))
                table[place] = replace(table[place], definitions=tuple(rows))
        if reads:  # more than is read does no harm; who calls what reads it is not looked for
            tables["procedures"] = [_reading(p, reads) for p in tables["procedures"]]
        changes |= {name: tuple(table) for name, table in tables.items()}
        return replace(program, sites=sites.all(), **changes)


def edited(mutants: Sequence[Mutant], files: Mapping[str, Path]) -> dict[Path, str]:
    """Return the texts of the files that some mutants change."""
    texts: dict[str, str] = {}
    for mutant in sorted(mutants, key=lambda m: -m.edit.start):
        source = mutant.source
        text = texts.get(mutant.file, source.text)
        texts[mutant.file] = text[: mutant.edit.start] + mutant.edit.text + text[mutant.edit.end :]
    return {files[name]: text for name, text in texts.items()}


def _at(mutants: Sequence[Mutant], path: str, line: int) -> Mutant | None:
    """Return the mutant in whose region a line lies; None if there is none, or more than one."""
    there = [m for m in mutants if m.file == path and m.covers(line)]
    return there[0] if len(there) == 1 else None


def _blamed(mutants: Sequence[Mutant], spans: Iterable[Span]) -> list[Mutant]:
    """Return the mutants in whose regions some places lie."""
    there = {m.id for span in spans for m in (_at(mutants, span.path, span.line),) if m is not None}
    return [m for m in mutants if m.id in there]


def _suspects(mutants: Sequence[Mutant], errors: Sequence[Diagnostic]) -> list[Mutant]:
    """Return the mutants that errors elsewhere may come from: those of related places, or of what errors name."""
    named = {name for d in errors for name in re.findall(r"`(\w+)", d.message)}
    related = _blamed(mutants, [span for d in errors for span, _ in d.related])
    return related or [m for m in mutants if m.region.name in named]


def _reading(procedure: Procedure, more: set[str]) -> Procedure:
    """Return a procedure that reads more."""
    reads = tuple(sorted(more.union(procedure.effects.reads)))
    return replace(procedure, effects=replace(procedure.effects, reads=reads))


# ---- what differs


def differences(old: Program, new: Program) -> dict[Part, Any] | None:
    """Return the parts of a program that another one has otherwise, with their new values; None if its tables have
    other sizes or names, so that the same number means something else."""
    changed: dict[Part, Any] = {}
    for field in fields(Program):
        name, a, b = field.name, getattr(old, field.name), getattr(new, field.name)
        if name in UNPLAYED or a == b:
            continue
        if not isinstance(a, tuple) or not a or not is_dataclass(a[0]):
            if bare(a) != bare(b):
                changed[name,] = b
            continue
        if len(a) != len(b):
            return None
        for number, (one, other) in enumerate(zip(a, b, strict=True)):
            if one == other or bare(one) == bare(other):
                continue
            if isinstance(one, Procedure) and bare(one) == bare(replace(other, effects=one.effects)):
                continue  # what it calls has other effects
            if getattr(one, "name", "") != getattr(other, "name", ""):
                return None
            if name == "kinds":
                rows = _rows_changed(number, one, other)
                if rows is None:
                    return None
                changed |= rows
            elif name == "decisions" and _same_but_items(one, other):
                items = enumerate(zip(one.items, other.items, strict=True))
                changed |= {(name, number, n): b for n, (a, b) in items if bare(a) != bare(b)}
            else:
                changed[name, number] = other
    return changed


def _same_but_items(one: Decision, other: Decision) -> bool:
    """Return whether two decisions differ at most in what their items are, one by one."""
    return len(one.items) == len(other.items) and bare(replace(one, items=other.items)) == bare(other)


def _rows_changed(kind: int, old: Any, new: Any) -> dict[Part, Any] | None:
    """Return the cells and rows of a kind that differ; None if there are others, or the kind itself is another."""
    rows: tuple[DefinitionTable, ...] = new.definitions
    if len(rows) != len(old.definitions) or bare(replace(old, definitions=())) != bare(replace(new, definitions=())):
        return None
    changed: dict[Part, Any] = {}
    for row, (one, other) in enumerate(zip(old.definitions, rows, strict=True)):
        if one == other:
            continue
        for cell, (a, b) in enumerate(zip(one.attributes, other.attributes, strict=True)):
            if bare(a) != bare(b):
                changed["kinds", kind, row, cell] = b
        here, there = ({n: bare(getattr(r, n)) for n in ROW} for r in (one, other))
        changed |= {("kinds", kind, row, n): getattr(other, n) for n in ROW if here[n] != there[n]}
        rest = {name: getattr(one, name) for name in ("attributes", "site", *ROW)}
        if bare(one) != bare(replace(other, **rest)):
            return None
    return changed


def bare(node: object) -> object:
    """Return a node as tuples, without its sites: equal for those of the same meaning."""
    if isinstance(node, tuple | list):
        return tuple([bare(part) for part in node])
    if isinstance(node, dict):
        return tuple((key, bare(value)) for key, value in node.items())
    if isinstance(node, Span):
        return None
    if is_dataclass(node) and not isinstance(node, type):
        names = node.__match_args__  # type: ignore[attr-defined]
        return (type(node).__name__, *[bare(getattr(node, name)) for name in names if name != "site"])
    return node


class _Sites:
    """Sites of one program in the table of another."""

    def __init__(self, into: Program, source: Program) -> None:
        self._source = source.sites
        self._all = list(into.sites)
        self._numbers: dict[int, int] = {}

    def all(self) -> tuple[Any, ...]:
        """Return the table with all that was added."""
        return tuple(self._all)

    def moved(self, node: Any) -> Any:
        """Return a node with its sites as numbers of the other table."""
        if isinstance(node, tuple):
            return tuple([self.moved(part) for part in node])
        if not is_dataclass(node) or isinstance(node, type):
            return node
        changes = {}
        for name in node.__match_args__:  # type: ignore[attr-defined]
            value = getattr(node, name)
            new = self._number(value) if name == "site" else self.moved(value)
            if new is not value:
                changes[name] = new
        return replace(node, **changes) if changes else node

    def _number(self, site: int) -> int:
        if site not in self._numbers:
            self._numbers[site] = len(self._all)
            self._all.append(self._source[site])
        return self._numbers[site]


# ---- what is touched


def touched(base: Program, variant: MutatedProgram) -> frozenset[Part] | None:
    """Return the elements of a trace (see `trace`) one of which must be reached for a variant to be noticed; None if
    everything may notice it."""
    elements: set[Part] = set()
    for part, value in variant.parts.items():
        match part:
            case ("procedures", int(number)):
                elements |= {("block", number, block) for block in _blocks(base.procedures[number], value)}
            case ("decisions", int(number), *_):
                elements |= {
                    ("block", place, block)
                    for place, procedure in enumerate(base.procedures)
                    for block, code in enumerate(procedure.blocks)
                    if code.terminator == Choose(number)
                }
            case ("kinds", int(kind), int(row), int(cell)):
                elements.add(("cell", kind, row, cell))
            case ("enums", int(number)):
                elements.add(("enum", number))
            case ("grids", int(number)):
                elements.add(("grid", number))
            case _:
                return None
    return frozenset(elements)


def _blocks(old: Procedure, new: Procedure) -> list[int]:
    """Return the blocks of a procedure that differ; the first if there are more or fewer, or it has other locals."""
    outside = (bare(replace(p, blocks=(), effects=old.effects)) for p in (old, new))
    if len(old.blocks) != len(new.blocks) or len(set(outside)) > 1:
        return [0]
    return [n for n, (a, b) in enumerate(zip(old.blocks, new.blocks, strict=True)) if bare(a) != bare(b)]
