"""Runs mutants against the scenarios of a ruleset and of its variants, and keeps what came of them.

Enters: a ruleset's folder, which mutants. Leaves: a `MutationReport`: for each mutant whether a scenario failed
with it, and which one. Scenarios that do not reach what a mutant changes are not run; those that reach it are run in
the order of how likely and how soon they fail, up to the first that does.
"""

from __future__ import annotations

import gc
import json
import random
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from rulelang.cache import digest_of
from rulelang.diagnostics import Diagnostics, UsageError
from rulelang.documents import json_value
from rulelang.game.situations import Suite
from rulelang.interpreter.tracing import Element
from rulelang.mutate.accepted import Accepted, accepted_in
from rulelang.mutate.sites import Mutant, Sites
from rulelang.mutate.targets import MutatedProgram, MutationTarget, bare, touched
from rulelang.mutate.trace import traced
from rulelang.parallel import blocks_of_games
from rulelang.results import LINE, VERSION, Lines
from rulelang.ruleset.files import find_folder, variant_names
from rulelang.ruleset.scenarios import Scenario
from rulelang.scenarios import Result, result_of

MARK = "rulelang_mutation"
ACCEPTED = "accepted"
KILLED, SURVIVED, UNCOVERED, STILLBORN, EQUIVALENT = "killed", "survived", "uncovered", "stillborn", "equivalent"
VERDICTS = (KILLED, SURVIVED, UNCOVERED, STILLBORN, EQUIVALENT)
BY_CHECK = "check"
"""What killed a mutant that a variant refuses."""
TOGETHER = 60
"""So many mutants are compiled together at most: little is lost when a run is ended."""
PATIENCE, SLOWER = 2.0, 50
"""A scenario fails that takes so many seconds, and so many times as long as it takes without the mutant."""


@dataclass(frozen=True)
class TargetVerdict:
    """What came of a mutant in one target. `by`: the scenario that failed; `digest`: of it, or of all that were there;
    `reached`: by how many scenarios."""

    mutant: str
    target: str
    verdict: str
    by: str = ""
    digest: str = ""
    reached: int = 0


@dataclass(frozen=True)
class MutantOutcome:
    """What came of a mutant in all targets: the scenario that failed, how many reached it, why it is accepted."""

    mutant: Mutant
    verdict: str
    by: str
    reached: int
    because: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the outcome as a dictionary with the keys of `rulelang mutate --format json`."""
        m = self.mutant
        place = {"mutant": m.id, "file": m.file, "line": m.line, "column": m.column, "operator": m.operator}
        what = {"before": m.before, "after": m.after, "cites": list(m.cites)}
        came = {"verdict": self.verdict, "by": self.by, "reached": self.reached, "because": self.because}
        return place | what | came


@dataclass(frozen=True)
class MutationReport:
    """The outcomes of all mutants that were asked for, in the order of the files. `stale`: where survivors are accepted
    that there are not, if all mutants were tried."""

    outcomes: tuple[MutantOutcome, ...]
    stale: tuple[str, ...] = ()

    def count(self, verdict: str) -> int:
        """Return how many mutants had a verdict."""
        return sum(outcome.verdict == verdict for outcome in self.outcomes)

    @property
    def alive(self) -> tuple[MutantOutcome, ...]:
        """The mutants that nothing noticed."""
        return tuple(o for o in self.outcomes if o.verdict in (SURVIVED, UNCOVERED))

    @property
    def score(self) -> float:
        """The share, in percent, of mutants that were noticed, of those that could be; 100 if there are none."""
        counted = self.count(KILLED) + len(self.alive)
        return 100 * self.count(KILLED) / counted if counted else 100.0

    def to_json(self) -> dict[str, Any]:
        """Return the report as a dictionary with the keys of `rulelang mutate --format json`."""
        counts = {verdict: self.count(verdict) for verdict in (*VERDICTS, ACCEPTED)}
        return {
            "score": self.score,
            **counts,
            "stale": list(self.stale),
            "mutants": [outcome.to_json() for outcome in self.outcomes],
        }


class MutationStoppedError(KeyboardInterrupt):
    """The run was ended before all mutants were tried; `done` says how many were."""

    def __init__(self, done: int, lasting: bool) -> None:
        super().__init__("stopped")
        self.done, self.lasting = done, lasting


class Bench:
    """A target with what its scenarios reach.

    Attributes:
        results, reached, seconds: of each scenario of the suite as it is; cells: how many it reads.
    """

    def __init__(self, target: MutationTarget) -> None:
        self.target = target
        self.failed_before: dict[tuple[str, int], list[int]] = {}
        rows = traced(target.suite)
        self.results: list[Result] = [result for result, _, _ in rows]
        self.reached: list[frozenset[Element]] = [reached for _, reached, _ in rows]
        self.seconds: list[float] = [seconds for _, _, seconds in rows]
        self.cells = [sum(element[0] == "cell" for element in reached) for reached in self.reached]

    @cached_property
    def lines(self) -> list[frozenset[tuple[str, int]]]:
        """The lines of rules and rows that each scenario reaches."""
        known: dict[Element, tuple[str, int]] = {}
        own = len(self.target.base.program.procedures)
        for element in frozenset().union(*self.reached):
            sort, number = str(element[0]), int(element[1])
            if sort == "block" and number < own:
                known[element] = self.target.line(("procedures", number))
            elif sort == "cell":
                known[element] = self.target.line(("kinds", *element[1:]))
        return [frozenset(known[e] for e in reached if e in known) for reached in self.reached]

    @cached_property
    def digests(self) -> dict[str, str]:
        """Digest of each scenario by name."""
        return {c.scenario.name: digest_of(repr(bare(c.scenario)))[:12] for c in self.target.suite.codes}

    @cached_property
    def digest(self) -> str:
        """Digest of all scenarios."""
        return digest_of(*sorted(self.digests.values()))[:12]

    def is_near(self, mutant: Mutant) -> bool:
        """Return whether some scenario reaches the region of a mutant."""
        return mutant.region.alone or any(self._near(mutant, n) for n in range(len(self.lines)))

    def _near(self, mutant: Mutant, scenario: int) -> bool:
        region = mutant.region
        return any((region.path, line) in self.lines[scenario] for line in range(region.first, region.last + 1))

    def rows(self, mutants: Sequence[Mutant], files: Mapping[str, Path], is_base: bool) -> Iterator[TargetVerdict]:
        """Yield what comes of mutants of different regions."""
        for found in self.target.variants(mutants, files):
            if isinstance(found, Mutant):
                verdict = STILLBORN if is_base else KILLED
                yield TargetVerdict(found.id, self.target.name, verdict, "" if is_base else BY_CHECK, self.digest)
            elif not found.parts and not found.whole:
                yield TargetVerdict(found.mutant.id, self.target.name, EQUIVALENT, digest=self.digest)
            else:
                yield self._tried(found)

    def _tried(self, variant: MutatedProgram) -> TargetVerdict:
        """Run the scenarios that may notice a variant, up to the first that fails."""
        mutant, name = variant.mutant, self.target.name
        numbers = self._candidates(variant)
        for number, failed in self._failures(variant, numbers):
            if failed:
                failing = self.target.suite.codes[number].scenario.name
                self.failed_before.setdefault((mutant.region.path, mutant.region.first), []).append(number)
                return TargetVerdict(mutant.id, name, KILLED, failing, self.digests[failing], len(numbers))
        return TargetVerdict(mutant.id, name, SURVIVED if numbers else UNCOVERED, "", self.digest, len(numbers))

    def _candidates(self, variant: MutatedProgram) -> list[int]:
        """Return the scenarios that reach what a variant changes, those that failed there before first."""
        mutant, everything = variant.mutant, range(len(self.reached))
        elements = None if variant.whole else touched(self.target.base.program, variant)
        if elements is not None:
            numbers = [n for n in everything if not elements.isdisjoint(self.reached[n])]
        elif variant.whole and not mutant.region.alone:
            numbers = [n for n in everything if self._near(mutant, n)]
        else:
            numbers = list(everything)
        before = self.failed_before.get((mutant.region.path, mutant.region.first), [])
        # Who reads few rows looks at these.
        passing = [n for n in numbers if self.results[n].ok]
        return sorted(passing, key=lambda n: (-before.count(n), self.cells[n], self.seconds[n]))

    def _failures(self, variant: MutatedProgram, numbers: Sequence[int]) -> Iterator[tuple[int, bool]]:
        """Yield of each scenario whether it fails with a variant."""
        if variant.whole:
            assert variant.compiled is not None
            step = 10
            while numbers:
                now, numbers, step = numbers[:step], numbers[step:], 4 * step
                suite = self.target.suite_of(variant.compiled, [self._scenario(n) for n in now])
                for place, number in enumerate(now):
                    yield number, _fails(suite, place, self.seconds[number]) is not False
            return
        suite = self.target.suite.with_program(self.target.spliced(variant))
        for number in numbers:
            failed = _fails(suite, number, self.seconds[number])
            if failed is None:  # an error of the engine: it is seen whether the mutant compiled alone has it too
                yield from self._failures(replace(variant, whole=True), [number])
            else:
                yield number, failed

    def _scenario(self, number: int) -> Scenario:
        return self.target.suite.codes[number].scenario


class _SlowError(BaseException):
    """A scenario takes far longer than it should."""


@contextmanager
def _patience(seconds: float) -> Iterator[None]:
    """Raise _SlowError in the block after so many seconds of this process's time, where the system can."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def stop(*_: object) -> None:
        raise _SlowError

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _fails(suite: Suite, number: int, seconds: float) -> bool | None:
    """Return whether a scenario of a suite fails, or never ends; None for an error of the engine."""
    try:
        with _patience(PATIENCE + SLOWER * seconds):
            return not result_of(suite, suite.codes[number]).ok
    except _SlowError:
        return True
    except Exception:  # noqa: BLE001 - whatever it is, a program that is valid has it too or has it not
        return None


# ---- a whole run


class _Targets:
    """The targets of a ruleset, each made when it is needed."""

    def __init__(self, path: str) -> None:
        folder = find_folder(path, Diagnostics())
        base = MutationTarget(path, path)
        self.folder = Path(base.base.written.layers[-1].folder)
        self.names = (path, *(f"{path}/{name}" for name in variant_names(self.folder)))
        self.sites = Sites(base.base.written, self.folder)
        self.mutants = {mutant.id: mutant for mutant in self.sites.mutants}
        self._base = base
        self._benches: dict[str, Bench] = {}
        assert folder is not None, "a ruleset was loaded from it"

    def bench(self, name: str) -> Bench:
        """Return a target with what its scenarios reach."""
        if name not in self._benches:
            if name == self.names[0]:
                self._benches[name] = Bench(self._base)
            else:
                self._benches[name] = Bench(MutationTarget(name, self.folder / "variants" / name.rpartition("/")[2]))
        return self._benches[name]


_made: dict[str, _Targets] = {}


def _targets_of(path: str) -> _Targets:
    """Return the targets of a ruleset in this process, and in those that it forks, made once."""
    if path not in _made:
        _made[path] = _Targets(path)
    return _made[path]


def _work(
    path: str, tasks: Sequence[tuple[str, Sequence[str]]], _: Any, __: int, numbers: range
) -> list[TargetVerdict]:
    """Try the mutants of some tasks, each the name of a target and ids."""
    targets = _targets_of(path)
    for name in dict.fromkeys(name for name, _ in tasks):
        targets.bench(name)
    gc.freeze()  # what all mutants share is looked through at each collection else: a third of the time
    try:
        rows: list[TargetVerdict] = []
        for number in numbers:
            name, ids = tasks[number]
            mutants = [targets.mutants[id_] for id_ in ids]
            rows += targets.bench(name).rows(mutants, targets.sites.files, name == targets.names[0])
        return rows
    finally:
        gc.unfreeze()


def batches(mutants: Sequence[Mutant]) -> list[list[str]]:
    """Return the ids of mutants in groups that are compiled together: of different regions each."""
    groups: list[list[str]] = []
    following: dict[object, int] = {}
    alone: list[list[str]] = []
    for mutant in mutants:
        region = mutant.region
        if mutant.alone:
            alone.append([mutant.id])
            continue
        key = region.path, region.first, region.last
        number = following.get(key, 0)
        while number < len(groups) and len(groups[number]) >= TOGETHER:
            number += 1
        if number == len(groups):
            groups.append([])
        groups[number].append(mutant.id)
        following[key] = number + 1
    return groups + alone


def mutate(
    path: str,
    only: Sequence[str] = (),
    sample: int | None = None,
    seed: int = 0,
    jobs: int = 1,
    out: Path | None = None,
    resume: bool = False,
    progress: Callable[[int], None] | None = None,
    expect: Callable[[int], None] | None = None,
) -> MutationReport:
    """Try the mutants of a ruleset against its scenarios and those of its variants.

    Args:
        path: a ruleset folder, a variant folder, or a shipped name; the files of that folder are changed.
        only: patterns of mutants' ids; all if empty. sample, seed: so many of them, drawn at random.
        jobs: processes. out: where what came of them is kept; resume: goes on with that file.
        progress, expect: called with how many mutants were tried, and with how many more will be.

    Raises:
        RulesetError: the ruleset has errors, or its list of accepted survivors. UsageError: no mutant is like `only`; a
            scenario fails without any; the file can't be used. SaveError: the file is damaged. MutationStoppedError:
            Ctrl-C.
    """
    _made.pop(path, None)
    targets = _targets_of(path)
    chosen = [m for m in targets.sites.mutants if not only or any(fnmatchcase(m.id, pattern) for pattern in only)]
    if only and not chosen:
        first = f"; the first mutant is `{targets.sites.mutants[0].id}`" if targets.sites.mutants else ""
        raise UsageError(f"no mutant is like {' or '.join(f'`{pattern}`' for pattern in only)}{first}")
    if sample is not None and sample < len(chosen):
        drawn = set(random.Random(seed).sample(range(len(chosen)), sample))
        chosen = [m for n, m in enumerate(chosen) if n in drawn]
    accepted = accepted_in(targets.folder)
    base = targets.bench(path)
    failing = next((result for result in base.results if not result.ok), None)
    if failing is not None:
        raise UsageError(f"`{failing.name}` fails as it is ({failing.file}:{failing.line}): {failing.message}")
    known: dict[tuple[str, str], TargetVerdict] = {}
    header = {MARK: VERSION, "ruleset": base.target.base.program.name, "hash": base.target.base.program.hash}
    file = None if out is None else Lines(out, header, resume, lambda text, _: _known(targets, text, known))
    done = 0
    try:
        for name in targets.names:
            left = [m for m in chosen if name == path or _is_alive(m, known, targets)]
            if name != path and not left:
                break
            bench = targets.bench(name)
            left = [m for m in left if (m.id, name) not in known and (name == path or bench.is_near(m))]
            if expect is not None:
                expect(len(left))
            tasks = [(name, ids) for ids in batches(left)]
            if not tasks:
                continue
            for rows in blocks_of_games(partial(_work, path, tasks), (), 0, len(tasks), jobs):
                known |= {(row.mutant, row.target): row for row in rows}
                done += len(rows)
                if file is not None:
                    file.add(b"".join(_line(row) for row in rows))
                if progress is not None:
                    progress(len(rows))
    except KeyboardInterrupt:
        raise MutationStoppedError(done, file is not None and file.lasting) from None
    finally:
        if file is not None:
            file.close()
    outcomes = [_outcome(m, known, targets, accepted) for m in chosen]
    used = {row for o in outcomes if o.because for row in accepted if row.accepts(o.mutant)}
    stale = tuple(row.place for row in accepted if row not in used) if len(chosen) == len(targets.mutants) else ()
    return MutationReport(tuple(outcomes), stale)


def _is_alive(mutant: Mutant, known: Mapping[tuple[str, str], TargetVerdict], targets: _Targets) -> bool:
    """Return whether nothing has noticed a mutant yet, and something may."""
    verdicts = [known[mutant.id, name].verdict for name in targets.names if (mutant.id, name) in known]
    return verdicts[0] != EQUIVALENT and not {KILLED, STILLBORN}.intersection(verdicts)


def _outcome(
    mutant: Mutant, known: Mapping[tuple[str, str], TargetVerdict], targets: _Targets, accepted: Sequence[Accepted]
) -> MutantOutcome:
    """Return what came of a mutant in all targets."""
    rows = [known[mutant.id, name] for name in targets.names if (mutant.id, name) in known]
    reached = sum(row.reached for row in rows)
    for row in rows:
        if row.verdict == KILLED:
            by = row.by if row.target == targets.names[0] else f"{row.by} ({row.target})"
            return MutantOutcome(mutant, KILLED, by, reached)
    verdicts = [row.verdict for row in rows]
    verdict = SURVIVED if SURVIVED in verdicts else verdicts[0]
    because = next((row.because for row in accepted if row.accepts(mutant)), "")
    if because and verdict in (SURVIVED, UNCOVERED):
        return MutantOutcome(mutant, ACCEPTED, "", reached, because)
    return MutantOutcome(mutant, verdict, "", reached)


# ---- the file


def _line(row: TargetVerdict) -> bytes:
    """Return a row as one line of JSON."""
    return json.dumps(vars(row), ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _known(targets: _Targets, text: bytes, known: dict[tuple[str, str], TargetVerdict]) -> None:
    """Add what a line of a file says to `known`, unless the scenario that it speaks of is another now.

    Raises:
        ValueError: it is no line of this ruleset.
    """
    try:
        value = json_value(text.decode(), "the line", LINE)
        row = TargetVerdict(**value)
    except (ValueError, TypeError):
        raise ValueError("it says nothing of a mutant") from None
    kinds = [type(part) for part in vars(row).values()]
    if kinds != [str] * 5 + [int] or row.verdict not in VERDICTS or row.reached < 0:
        raise ValueError("it says nothing of a mutant")
    if row.mutant not in targets.mutants or row.target not in targets.names:
        raise ValueError(f"the ruleset has no mutant `{row.mutant}` in `{row.target}`")
    bench = targets.bench(row.target)
    is_current = (
        bench.digests.get(row.by) == row.digest
        if row.verdict == KILLED and row.by != BY_CHECK
        else row.digest == bench.digest or row.verdict in (STILLBORN, EQUIVALENT) or row.by == BY_CHECK
    )
    if is_current:
        known[row.mutant, row.target] = row
    else:
        known.pop((row.mutant, row.target), None)
