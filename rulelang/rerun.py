"""Runs the scenarios of a ruleset's folder, those alone whose results may be others than they were.

Enters: a path. Leaves: results, equal to those of `run_scenarios`. A scenario is not run if its text is known, the
procedures that it names look as they did, and nothing that it reached of the program has changed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from rulelang.diagnostics import Diagnostics
from rulelang.game.ruleset import Ruleset, load
from rulelang.game.situations import Suite
from rulelang.interpreter.tracing import Element
from rulelang.ir.nodes import Chance, Choose
from rulelang.memory.items import KnownFiles, known_items, learn_items
from rulelang.memory.meaning import Folder, folder_at
from rulelang.memory.results import KEPT, Parts
from rulelang.parallel import blocks_of_games
from rulelang.ruleset.scenarios import scenarios_of
from rulelang.scenarios import Result, result_of
from rulelang.semantics.scenarios.face import face_of
from rulelang.semantics.scenarios.texts import ScenarioCode

TOLD = ("reveal", "eliminate")
"""Operations that change what all games of a program tell."""


@dataclass(frozen=True)
class Rerun:
    """Results in the order of their files; `run`: how many scenarios were run for them."""

    results: tuple[Result, ...]
    run: int


def rerun(path: str, folder: Folder, complete: bool = False, jobs: int = 1) -> Rerun | None:
    """Run the scenarios of a folder; None where what is known of it does not tell all its results.

    Args:
        complete: whether results of what was not run have places and citations, which takes as long as to read them.
        jobs: processes that run the files of scenarios side by side.

    Raises:
        RulesetError: the ruleset has errors.
    """
    ruleset = load(path)
    if not all(Path(layer.folder).is_relative_to(folder.outer) for layer in ruleset.written.layers):
        return None
    found = _Rerun(ruleset, folder).run(path, jobs)
    if found is not None and complete:
        scenarios = {scenario.name: scenario for scenario in scenarios_of(ruleset.written, Diagnostics())}
        whole = (Result.of(scenarios[r.name]) if r.ok else r for r in found.results)
        return Rerun(tuple(whole), found.run)
    return found


@dataclass(frozen=True)
class PartialResults:
    """What came of some files: results, each with its file and line; what was learnt, as `Memory.put` takes it."""

    rows: list[tuple[str, int, Result]]
    learnt: list[tuple[str, str, Any]]


def _run_files(
    path: str, groups: Sequence[Sequence[str]], _: object, __: int, numbers: range
) -> list[PartialResults | None]:
    """Run what is not known of some groups of files, in a process of its own."""
    folder = folder_at(path)
    assert folder is not None
    again = _Rerun(load(path), folder)
    known = again.known()
    return [None if known is None else again.part(known, groups[number]) for number in numbers]


def _passed(name: str, file: str, line: int) -> Result:
    return Result(name, file, line, True, "", ())


class _Rerun:
    """One run of a folder's scenarios."""

    def __init__(self, ruleset: Ruleset, folder: Folder) -> None:
        self.ruleset, self.folder, self.memory = ruleset, folder, folder.memory
        self.analysed = ruleset.analysed
        self.face = face_of(self.analysed)
        self.parts = Parts(ruleset.program, ruleset.written)

    def known(self) -> KnownFiles | None:
        """Return the items that would pass again; None if without them the others would be compiled otherwise."""
        known = known_items(self.memory, self.face, self.folder.scenarios, self.analysed, self.passes)
        return None if known.others.changes(self.analysed) else known

    def passes(self, key: str) -> bool:
        """Return whether a trace of an item holds."""
        return any(self.parts.holds(trace) for trace in self.memory.get("results", key) or ())

    def run(self, path: str, jobs: int) -> Rerun | None:
        """Run what is not known, and keep what passed; None if all are to be run as if nothing was known."""
        known = self.known()
        if known is None:
            return None
        left = [name for name, text in self.folder.scenarios.items() if known.instead.get(name, text)]
        parts: Iterable[PartialResults | None]
        if jobs > 1 and len(left) > 1:
            groups = [left[first::jobs] for first in range(min(jobs, len(left)))]
            parts = chain.from_iterable(blocks_of_games(partial(_run_files, path, groups), (), 0, len(groups), jobs))
        else:
            parts = [self.part(known, left)]
        files = [*self.folder.scenarios]
        rows = [
            (name, line, _passed(scenario, name, line))
            for scenario, (name, line) in zip(known.names, known.places, strict=True)
        ]
        for part in parts:
            if part is None:
                return None
            rows += part.rows
            for row in part.learnt:
                self.memory.put(*row)
        if len(rows) > len({result.name for _, _, result in rows}):
            return None
        results = [result for _, _, result in sorted(rows, key=lambda row: (files.index(row[0]), row[1]))]
        self.folder.note_tested([r.name for r in results if r.ok], [r.name for r in results if not r.ok])
        return Rerun(tuple(results), len(results) - len(known.names))

    def part(self, known: KnownFiles, files: Collection[str]) -> PartialResults | None:
        """Run what is not known of some files; None if without the others it is compiled otherwise, or can't be
        read."""
        findings, others = Diagnostics(), {name: "" for name in self.folder.scenarios if name not in files}
        scenarios = scenarios_of(self.ruleset.written, findings, {**known.instead, **others})
        if len(findings):
            return None
        if not scenarios:
            return PartialResults([], [])
        suite = Suite(self.ruleset, scenarios, "interpreter").traced()
        if not self.is_base_of(suite):
            return None
        rows, reached = [], dict[str, frozenset[Element]]()
        for code in suite.codes:
            suite.reached.clear()
            result, span = result_of(suite, code), code.scenario.span
            reached[code.scenario.name] = frozenset(suite.reached)
            rows.append((span.path.rpartition("/")[2], span.line, result))
        learnt = self.memory.new = []
        self.learn(suite, reached, {result.name for _, _, result in rows if not result.ok})
        self.memory.new = None
        return PartialResults(rows, learnt)

    def is_base_of(self, suite: Suite) -> bool:
        """Return whether the ruleset's procedures and tables are the same with the scenarios of a suite."""
        program, base = suite.ruleset.program, self.ruleset.program
        if program.procedures[: len(base.procedures)] != base.procedures:
            return False
        return Parts(program, self.ruleset.written).tables == self.parts.tables

    def learn(self, suite: Suite, reached: dict[str, frozenset[Element]], failed: set[str]) -> None:
        """Keep the traces of items of which all scenarios passed."""
        for key, of_item in learn_items(self.memory, self.face, self.folder.scenarios, self.analysed, suite.codes):
            if any(code.scenario.name in failed or self.tells(suite, code) for code in of_item):
                continue
            base = len(self.ruleset.program.procedures)
            numbers = {suite.procedure_numbers[named] for code in of_item for named in code.named}
            elements = frozenset[Element]().union(*(reached[code.scenario.name] for code in of_item))
            elements = frozenset(e for e in elements if e[0] != "block" or int(e[1]) < base)
            worded = any(expected.missing for code in of_item for expected in code.scenario.then)
            trace = self.parts.trace(elements, {n for n in numbers if n < base}, worded)
            old = [known for known in self.memory.get("results", key) or () if known != trace]
            self.memory.put("results", key, [trace, *old][:KEPT])

    def tells(self, suite: Suite, code: ScenarioCode) -> bool:
        """Return whether procedures of a scenario change what all games of the program tell."""
        program = suite.ruleset.program
        for symbol in code.procedures:
            for block in program.procedures[suite.procedure_numbers[symbol]].blocks:
                if any(statement.op in TOLD for statement in block.statements) or isinstance(block.terminator, Chance):
                    return True
                if isinstance(block.terminator, Choose):
                    decision = program.decisions[block.terminator.decision]
                    if decision.secret or decision.together:
                        return True
        return False
