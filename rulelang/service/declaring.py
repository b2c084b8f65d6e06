"""Declarations for what a finding misses: a noun that nothing declares, words that a language lacks.

Enters: a project, a finding. Leaves: changes, of which a check tells whether they mend it. Figures, types and words in
them are the likeliest; the author mends those.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rulelang.diagnostics import Diagnostic, Source, Span
from rulelang.ruleset.files import HEADER
from rulelang.service.completion import type_of
from rulelang.service.project import Project, folder_of

_NAME = re.compile(r"`([A-Za-z_]\w*)`")
_LACKS = re.compile(r"`?(?P<owner>\w+)`? (?:has|declares) no attribute `(?P<name>\w+)`")
_NO_VALUE = re.compile(r"`(?P<name>\w+)` is not an? (?P<owner>\w+)")
_NO_WORDS = re.compile(r"words in `(?P<language>\w+)`")


class Mend(NamedTuple):
    """A change: what it is called, the file, what stands at the span then."""

    title: str
    path: Path
    span: Span
    text: str


def declarations(project: Project, path: Path, finding: Diagnostic) -> Iterator[Mend]:
    """Yield declarations of the noun that a finding misses, the likeliest first."""
    named = _NAME.search(finding.message)
    name, code = (named[1] if named is not None else ""), finding.code
    if lacks := _LACKS.search(finding.message):
        owner, name = lacks["owner"], lacks["name"]
        yield from _in_row(project, path, "kinds", owner, "variables", f"{name}: {{type: 0..99, start: 0}}", name)
        yield from _in_row(project, path, "types", owner, "attributes", f"{name}: 0..9", name)
    elif lacks := _NO_VALUE.search(finding.message):
        yield from _in_row(project, path, "types", lacks["owner"], "values", lacks["name"], lacks["name"])
    elif code == "call-unknown":
        yield from _called(project, path, finding, name)
    elif code in ("name-unknown", "type-unknown", "scenario-option"):
        for section, row in _rows(project, path, code, name):
            yield _in_section(project, path, section, f"{name}: {row}", f"declare the {section[:-1]} `{name}`")


def _rows(project: Project, path: Path, code: str, name: str) -> Iterator[tuple[str, str]]:
    """Yield sections of YAML with rows for a name."""
    snapshot = project.snapshot_of(path)
    kinds = [*snapshot.analysed.checked.kinds] if snapshot is not None else []
    if name[:1].isupper():
        yield "kinds", "{identity: true}"
        yield "types", f"[{name.lower()}_a, {name.lower()}_b]"
    elif code != "scenario-option":
        yield "variables", "{type: 0..99, start: 0}"
        yield "variables", "{type: 0..99, per: player, start: 0}"
    if not name[:1].isupper():
        yield "options", "{type: bool, default: false}"
        for kind in kinds:
            yield "zones", f"{{holds: {kind}, visible: all}}"
            yield "zones", f"{{holds: {kind}, per: player, visible: all}}"


def _called(project: Project, path: Path, finding: Diagnostic, name: str) -> Iterator[Mend]:
    """Yield a rule, or a function, with parameters of the types that its arguments have."""
    rules = next((p for p in project.files if p.suffix == ".rule" and p.parent == folder_of(path)), None)
    called = re.search(rf"\b{re.escape(name)}\(([^()]*)\)", finding.span.whole_line)
    snapshot = project.snapshot_of(path)
    if rules is None:
        return
    parameters = []
    for number, argument in enumerate(
        filter(None, (part.strip() for part in (called[1] if called else "").split(",")))
    ):
        known = type_of(snapshot, argument, "") if snapshot is not None and re.match(r"[A-Za-z_]", argument) else None
        label = argument if re.fullmatch(r"[a-z_]\w*", argument) else f"value{number}"
        parameters.append(f"{label}: {known or 'number'}")
    head = f"{name}({', '.join(parameters)})" if parameters else name
    end = _end(project.source(rules))
    yield Mend(f"declare the rule `{name}`", rules, end, f"\n\nrule {head}:\n  pass\n")
    for returned, value in (("number", "0"), ("bool", "false")):
        text = f"\n\nfunction {head} -> {returned} = {value}\n"
        yield Mend(f"declare the function `{name}`", rules, end, text)


def _end(source: Source) -> Span:
    last = len(source.lines)
    end = len(source.lines[-1]) + 1
    return Span(source, last, end, last, end)


def _behind(source: Source, line: int, column: int = 0) -> Span:
    """Return the place behind a line, or at a column of it."""
    column = column or len(source.lines[line - 1]) + 1
    return Span(source, line, column, line, column)


def _yaml(project: Project, path: Path) -> list[Path]:
    """Return the YAML files of the ruleset that a file belongs to, its header first."""
    own = [p for p in project.files if p.parent == folder_of(path) and p.suffix == ".yaml"]
    return sorted(own, key=lambda p: p.name != HEADER)


def _in_section(project: Project, path: Path, section: str, row: str, title: str) -> Mend:
    """Return a change that adds a row to a section, which the header gets if there is none."""
    files = _yaml(project, path)
    for file in files:
        source = project.source(file)
        for number, line in enumerate(source.lines, 1):
            if re.match(rf"{section}:\s*(#.*)?$", line):
                return Mend(title, file, _behind(source, number), f"\n  {row}")
            if brace := re.match(rf"{section}:\s*\{{", line):
                return Mend(title, file, _behind(source, number, brace.end() + 1), f"{row}, ")
    source = project.source(files[0])
    text = f"{section}:\n  {row}\n"
    return Mend(title, files[0], _end(source), text if not source.lines[-1] else f"\n{text}")


def _in_row(project: Project, path: Path, section: str, owner: str, key: str, entry: str, name: str) -> Iterator[Mend]:
    """Yield changes that add an entry under a key of a row, which gets the key if it has none."""
    title = f"declare `{name}` of `{owner}`"
    for file in _yaml(project, path):
        source, inside, indent = project.source(file), False, -1
        for number, line in enumerate(source.lines, 1):
            depth = len(line) - len(line.lstrip())
            inside = line.startswith(f"{section}:") or (inside and not re.match(r"[^\s#]", line))
            if indent >= 0 and line.strip() and depth <= indent:
                break
            row = re.match(rf"(\s*|{section}:\s*\{{\s*){owner}:\s*", line) if inside and indent < 0 else None
            if row is not None:
                indent = depth
                if re.match(r"(#.*)?$", line[row.end() :]) and not re.search(
                    rf"^\s+{key}:", "\n".join(source.lines[number:]), re.M
                ):
                    yield Mend(title, file, _behind(source, number), f"\n{' ' * (depth + 2)}{key}: {{{entry}}}")
            listed = line[row.end() :].startswith("[") if row is not None else False
            if row is not None and listed:
                yield Mend(title, file, _behind(source, number, line.index("[", row.end()) + 2), f"{entry}, ")
            if indent >= 0 and (opened := re.search(rf"\b{key}:\s*([{{\[])", line)):
                yield Mend(title, file, _behind(source, number, opened.end() + 1), f"{entry}, ")
            elif indent >= 0 and (opened := re.match(rf"\s+{key}:\s*$", line)):
                value = f"{entry}: {{}}" if ":" not in entry else entry
                yield Mend(title, file, _behind(source, number), f"\n{' ' * (depth + 2)}{value}")
            elif row is not None and line[row.end() :].startswith("{"):
                place = _behind(source, number, line.index("{", row.end()) + 2)
                yield Mend(title, file, place, f"{key}: {{{entry}}}, ")


def translations(project: Project, path: Path, finding: Diagnostic) -> Iterator[Mend]:
    """Yield words, to be translated, for names that have none in a language."""
    lacking = _NO_WORDS.search(finding.message)
    if lacking is None:
        return
    language = lacking["language"]
    title = f"add words in `{language}`"
    names = [name for name in re.findall(r"`([^`]+)`", finding.message) if name != language]

    def rows(indent: str) -> str:
        return "".join(f"\n{indent}{name}: {name.rpartition('.')[2].replace('_', ' ')}" for name in names)

    files = _yaml(project, path)
    sections: list[tuple[Path, Source, int]] = []
    for file in files:
        source = project.source(file)
        inside = False
        for number, line in enumerate(source.lines, 1):
            inside = (inside and not re.match(r"\S", line)) or line.startswith("words:")
            if re.match(r"words:\s*(#.*)?$", line):
                sections.append((file, source, number))
            if inside and re.match(rf"\s+{language}:\s*$", line):
                indent = " " * (len(line) - len(line.lstrip()) + 2)
                yield Mend(title, file, _behind(source, number), rows(indent))
    for file, source, number in sections:
        yield Mend(title, file, _behind(source, number), f"\n  {language}:{rows('    ')}")
    if not sections:
        source = project.source(files[0])
        text = f"words:\n  {language}:{rows('    ')}\n"
        yield Mend(title, files[0], _end(source), text if not source.lines[-1] else f"\n{text}")
