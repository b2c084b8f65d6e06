"""The items of scenario files: which of them are known to be faultless, and what is left to be read.

Enters: the texts of scenario files, the face of a ruleset. Leaves: texts in which what is known is blank, so that lines
stay; what the known items call. An item is known by its text and the core of the face, as long as the procedures that
it names look the same, and none of its words begins or ceases to be the name of a procedure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from typing import Any

from rulelang.cache import digest_of
from rulelang.compiler.scenario_procedures import Others, others_of
from rulelang.diagnostics import Diagnostics, Source
from rulelang.memory.meaning import without_silence
from rulelang.memory.store import Memory
from rulelang.ruleset.files import characters_fit
from rulelang.ruleset.nodes import Mapping as Tree
from rulelang.ruleset.nodes import Sequence as Items
from rulelang.ruleset.scenarios import Scenario
from rulelang.ruleset.yaml_reader import read_yaml
from rulelang.semantics.lints.facts import calls_of
from rulelang.semantics.scenarios.face import RulesetInterface
from rulelang.semantics.scenarios.texts import ScenarioCode
from rulelang.semantics.tree.shared import Analysed
from rulelang.semantics.tree.symbols import ProcedureSym

_LIST = re.compile(r"scenarios:[ \t]*(?:#.*)?")
_OPENS = re.compile(r"( *)-(?: .*)?")


@dataclass(frozen=True)
class ScenarioItem:
    """One item of a scenario file: its first line and the one behind it, counted from 0; a digest of its text."""

    first: int
    end: int
    digest: str


def items_in(text: str) -> tuple[ScenarioItem, ...]:
    """Return the items of a scenario file as far as its indentation shows them; none where that is unsure."""
    lines = text.split("\n")
    head = next((number for number, line in enumerate(lines) if _LIST.fullmatch(line)), -1)
    said = [number for number in range(head + 1, len(lines)) if lines[number].lstrip()[:1] not in ("", "#")]
    opening = _OPENS.fullmatch(lines[said[0]]) if head >= 0 and said else None
    if opening is None:
        return ()
    depth = len(opening[1])
    starts = [number for number in said if len(lines[number]) - len(lines[number].lstrip()) <= depth]
    if not all((match := _OPENS.fullmatch(lines[number])) and len(match[1]) == depth for number in starts):
        return ()
    above = without_silence(lines[: starts[0]])
    ends = (*starts[1:], len(lines))
    texts = [without_silence(lines[first:end]) for first, end in zip(starts, ends, strict=True)]
    return tuple(
        ScenarioItem(first, end, digest_of(above, text)) for first, end, text in zip(starts, ends, texts, strict=True)
    )


@dataclass(frozen=True)
class KnownFiles:
    """What is known of the scenario files of a ruleset.

    Attributes:
        instead: by file name the text of what is left to be read. names: of the scenarios that are known. called: what
            these call. others: what else they do, where that was asked for. places: of each name its file and the line
            of its item, counted from 1.
    """

    instead: Mapping[str, str]
    names: tuple[str, ...]
    called: frozenset[ProcedureSym]
    others: Others
    places: tuple[tuple[str, int], ...]


def known_items(
    memory: Memory,
    face: RulesetInterface,
    texts: Mapping[str, str],
    analysed: Analysed | None = None,
    passes: Callable[[str], bool] = bool,
) -> KnownFiles:
    """Return what is known of scenario files, given by their names.

    Args:
        analysed: where it is asked for what the items do, else None. passes: whether an item, by its key, counts.
    """
    instead: dict[str, str] = {}
    names: list[str] = []
    places: list[tuple[str, int]] = []
    called: set[ProcedureSym] = set()
    others = Others()
    differing = cache(lambda digest: _names_that_differ(memory, face, digest))
    for name, text in texts.items():
        if not characters_fit(Source(name, text), Diagnostics()):
            continue  # also in comments, which items leave out
        items, lines = items_in(text), text.split("\n")
        left = len(items)
        for item in items:
            key = digest_of(item.digest, face.core)
            row = memory.get("items", key)
            if row is None or row[3] != face.of(row[2]):
                continue
            names_ = differing(row[5])
            if names_ is None or (names_ and not names_.isdisjoint(_words(lines[item.first : item.end]))):
                continue
            if not passes(key):
                continue
            if analysed is not None:
                others |= _others(row[4], face, analysed)
            left -= 1
            lines[item.first : item.end] = [""] * (item.end - item.first)
            names += row[0]
            places += [(name, item.first + 1)] * len(row[0])
            called |= {face.procedures[procedure] for procedure in row[1]}
        if left < len(items):
            instead[name] = "\n".join(lines) if left else ""
    return KnownFiles(instead, tuple(names), frozenset(called), others, tuple(places))


def _words(lines: Iterable[str]) -> Iterator[str]:
    """Yield the words of a text."""
    return (word for line in lines for word in re.findall(r"\w+", line))


def _names_that_differ(memory: Memory, face: RulesetInterface, digest: str) -> frozenset[str] | None:
    """Return the names that are those of procedures now and were not when there were those of a digest, or the other
    way round; None if these are not known any more."""
    if digest == _digest_of_names(face):
        return frozenset()
    then = memory.get("named", digest)
    return None if then is None else frozenset(name.partition(":")[0] for name in face.names.symmetric_difference(then))


def _digest_of_names(face: RulesetInterface) -> str:
    return digest_of(*sorted(face.names))[:16]


def _others(row: Any, face: RulesetInterface, analysed: Analysed) -> Others:
    """Return what an item does besides, as it was kept."""
    calls, shuffled, moves = row
    zones = {zone.name: zone for zone in analysed.checked.zones}
    return Others(
        frozenset((face.procedures[name], tuple(around)) for name, *around in calls),
        frozenset(zones[name] for name in shuffled),
        frozenset((zones[one], zones[other]) for one, other in moves),
    )


def learn_items(
    memory: Memory, face: RulesetInterface, texts: Mapping[str, str], analysed: Analysed, codes: Iterable[ScenarioCode]
) -> list[tuple[str, list[ScenarioCode]]]:
    """Keep those items of scenarios that were read and checked without a finding.

    Returns:
        The key of each, with its scenarios, if what it does can be told (see `Others`).
    """
    kept: list[tuple[str, list[ScenarioCode]]] = []
    memory.put("named", _digest_of_names(face), sorted(face.names))
    done: dict[ProcedureSym, tuple[set[ProcedureSym], Others | None]] = {}
    by_file: dict[str, list[ScenarioCode]] = {}
    for code in codes:
        by_file.setdefault(code.scenario.span.path.rpartition("/")[2], []).append(code)
    for name, of_file in by_file.items():
        source = of_file[0].scenario.span.source
        tree = read_yaml(source, Diagnostics()) if source is not None else None
        starts = _starts(tree)
        for item in items_in(texts[name]):
            inside = [code for code in of_file if item.first < code.scenario.span.line <= item.end]
            faultless = inside and not any(len(code.diagnostics) for code in inside)
            if faultless and [line for line in starts if item.first < line <= item.end] == [item.first + 1]:
                for procedure in (procedure for code in inside for procedure in code.procedures):
                    if procedure not in done:  # items share those of the same text
                        calls = calls_of(analysed.checked, analysed.bodies, (procedure,))
                        done[procedure] = calls, others_of(analysed, (procedure,))
                key = _learn(memory, face, item, inside, done)
                kept += [(key, inside)] if key else []
    return kept


def files_of(findings: Diagnostics) -> set[str]:
    """Return the names of the files that findings point to."""
    spans = (span for finding in findings for span in (finding.span, *(place for place, _ in finding.related)))
    return {span.path.rpartition("/")[2] for span in spans}


def known_files(memory: Memory, texts: Mapping[str, str]) -> dict[str, list[str]]:
    """Return those of some scenario files that can be read without a finding, with the names of their scenarios."""
    rows = ((name, memory.get("read", digest_of(text))) for name, text in texts.items() if "\ufffd" not in text)
    return {name: names for name, names in rows if names is not None}


def learn_read(memory: Memory, texts: Mapping[str, str], scenarios: Iterable[Scenario], findings: Diagnostics) -> None:
    """Keep the files in which, when the scenarios were read, nothing was found."""
    faulty, names = files_of(findings), dict[str, list[str]]()
    for scenario in scenarios:
        names.setdefault(scenario.span.path.rpartition("/")[2], []).append(scenario.name)
    for name in names.keys() - faulty:
        memory.put("read", digest_of(texts[name]), names[name])


def _starts(tree: Tree | None) -> Sequence[int]:
    """Return the lines of the items of a scenario file, counted from 1."""
    listed = tree.get("scenarios") if tree is not None else None
    return [item.span.line for item in listed.items] if isinstance(listed, Items) else []


def _learn(
    memory: Memory,
    face: RulesetInterface,
    item: ScenarioItem,
    codes: Sequence[ScenarioCode],
    done: Mapping[ProcedureSym, tuple[set[ProcedureSym], Others | None]],
) -> str:
    """Keep one item; return its key if what it does can be told. `done`: what each procedure of scenarios calls, and
    does besides."""
    parts = [done[procedure] for code in codes for procedure in code.procedures]
    ours = set[ProcedureSym]().union(*(calls for calls, _ in parts))
    named = ours.union(*(code.named for code in codes))
    names = sorted(procedure.name for procedure in named)
    looks = face.of(names)
    if not looks or any(face.procedures[procedure.name] is not procedure for procedure in named):
        return ""
    told = [others for _, others in parts if others is not None]
    others = reduce(Others.__or__, told, Others()) if len(told) == len(parts) else None
    known = others is not None and all(face.procedures.get(p.name) is p for p, _ in others.calls)
    does: list[Any] = []
    if others is not None and known:
        calls = sorted([procedure.name, *around] for procedure, around in others.calls)
        moves = sorted([one.name, other.name] for one, other in others.moves)
        does = [calls, sorted(zone.name for zone in others.shuffled), moves]
    called, key = sorted(procedure.name for procedure in ours), digest_of(item.digest, face.core)
    scenarios = [code.scenario.name for code in codes]
    memory.put("items", key, [scenarios, called, names, looks, does, _digest_of_names(face)])
    return key if does else ""
