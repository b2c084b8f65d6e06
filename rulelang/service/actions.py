"""What mends a finding: what its hint says to write, as a change of the text that a check has confirmed.

Enters: a project, a finding of it. Leaves: changes, each with a title; after any of them the finding is gone, and
there is no new error. Which stretch of the text a hint is about it does not say, so the likely ones are tried in turn.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from rulelang.diagnostics import Diagnostic, Diagnostics, Span, replaced
from rulelang.memory.check import checking
from rulelang.ruleset.files import display_path
from rulelang.service.declaring import Mend, declarations, translations
from rulelang.service.project import Project, edited, folder_of

MOST_TRIED = 12
"""So many changes are tried for a finding."""
MOST_MENDED = 50
"""So many findings are mended in one go."""

_WRITE = re.compile(r"\b(?:write|call it|name it|mend it to|ask|compare) `([^`…]+)`")
_ADD = re.compile(r"\badd `([^`…]+)` to the (?:kind|zone|variable|row|option|type) `?(\w+)`?")
_ADD_LINE = re.compile(
    r"\badd (?:the line|a line such as) `([^`…]+)`|\badd `([^`…]+)` as the first line|start(?:s| it) with `([^`…]+)`"
)
_BRACKET = re.compile(r"\badd the `([)\]}])`")
_SPACES = re.compile(r"\bspaces\b")
_MEANT = re.compile(r"did you mean `([^`]+)`\?")
_AWAY = re.compile(r"\btake (?:it|this|the test|the `\?`|the line|the tag|`([^`]+)`|the quotes) away")
_QUOTED = re.compile(r"\bput (?:it|the text|this) in quotes")


def mends(project: Project, finding: Diagnostic) -> list[Mend]:
    """Return the changes that mend a finding, the likeliest first; those of one title once."""
    files = {display_path(path): path for path in project.files}
    path = files.get(finding.span.path)
    if path is None or finding.span.source is None or finding.span.source.text != project.text_of(path):
        return []
    found: dict[str, Mend] = {}
    for number, mend in enumerate(_tried(project, path, finding)):
        if number >= MOST_TRIED:
            break
        if mend.title not in found and _mended(project, finding, mend):
            found[mend.title] = mend
    return list(found.values())


def mended(project: Project, path: Path) -> dict[Path, str]:
    """Return the texts of files that change when the first change for each finding of a file is made."""
    now, hopeless = edited(project, {}), set[tuple[str, str]]()
    for _ in range(MOST_MENDED):
        findings = (f for f in now.all_findings() if f.hint and f.span.path == display_path(path))
        finding = next((f for f in findings if (f.code, f.message) not in hopeless), None)
        if finding is None:
            break
        mend = next(iter(mends(now, finding)), None)
        if mend is None:
            hopeless.add((finding.code, finding.message))
        else:
            now.set_text(mend.path, applied(now, mend))
    return {path: text for path, text in now.texts.items() if text != project.text_of(path)}


def applied(project: Project, mend: Mend) -> str:
    """Return the text of a mend's file after it."""
    return replaced(project.text_of(mend.path), [(mend.span, mend.text)])


def _mended(project: Project, finding: Diagnostic, mend: Mend) -> bool:
    """Return whether the finding is gone after a change, and no error is new: of the ruleset that the file belongs
    to."""
    text = applied(project, mend)
    if text == project.text_of(mend.path):
        return False
    folder = folder_of(mend.path)
    key = finding.code, finding.message
    before = _found(project, folder, key)
    after = _found(edited(project, {mend.path: text}), folder, key, len(before) > 1)

    def count(findings: Sequence[Diagnostics]) -> int:
        return max(sum((d.code, d.message) == key for d in found) for found in findings)

    errors = [{(d.code, d.message) for d in found[-1] if d.severity == "error"} for found in (before, after)]
    return count(after) < count(before) and errors[1] <= errors[0]


def _found(project: Project, folder: Path, key: tuple[str, str], whole: bool = False) -> list[Diagnostics]:
    """Return the findings of a ruleset's rules; if a finding is not among them, also all findings."""
    waves = []
    for found in checking(folder, instead=project.texts):
        waves.append(found)
        if not whole and any((d.code, d.message) == key for d in found):
            return waves[:1]
    return [waves[0], waves[-1]]


# ---- what may be meant -----------------------------------------------------------------------------


def _tried(project: Project, path: Path, finding: Diagnostic) -> Iterator[Mend]:
    """Yield changes that the hint may mean."""
    for pattern, make in _HINTS:
        for match in pattern.finditer(finding.hint):
            yield from make(project, path, finding, match)
    yield from declarations(project, path, finding)
    yield from translations(project, path, finding)


def _words(finding: Diagnostic) -> list[str]:
    """Return what a message quotes."""
    return re.findall(r"`([^`]+)`", finding.message)


def _at(finding: Diagnostic, text: str) -> Iterator[Span]:
    """Yield the places of a text on the line of a finding, those within it first."""
    span = finding.span
    assert span.source is not None
    line = span.whole_line
    edge = r"\w"
    left, right = (
        (rf"(?<!{edge})" if re.match(edge, text) else ""),
        (rf"(?!{edge})" if re.search(rf"{edge}$", text) else ""),
    )
    places = [
        Span(span.source, span.line, match.start() + 1, span.line, match.end() + 1)
        for match in re.finditer(left + re.escape(text) + right, line)
    ]
    end = span.end_column if span.end_line == span.line else len(line) + 1
    yield from sorted(places, key=lambda p: not (span.column <= p.column and p.end_column <= max(end, span.column + 1)))


def _stretches(finding: Diagnostic) -> Iterator[Span]:
    """Yield what a hint that says what to write may be about."""
    span = finding.span
    assert span.source is not None
    line = span.whole_line
    code = line.split("#")[0].rstrip()
    indent = len(line) - len(line.lstrip(" -"))

    def stretch(first: int, end: int) -> Span:
        return Span(span.source, span.line, first + 1, span.line, end + 1)

    yield span
    for word in _words(finding):
        yield from _at(finding, word)
    for pair in re.finditer(r"[\w-]+: (?:\[[^\]]*\]|\{[^}]*\})|\d+-\d+", line):
        if pair.start() < span.end_column and span.column - 1 <= pair.end():
            yield stretch(pair.start(), pair.end())
    yield stretch(span.column - 1, len(code))
    yield stretch(indent, len(code))
    if span.end_line == span.line:
        yield stretch(indent, span.end_column - 1)
    colon = code.find(": ")
    if 0 <= colon < len(code) - 2:
        yield stretch(colon + 2, len(code))


def _like(finding: Diagnostic, text: str) -> Iterator[Span]:
    """Yield the stretches of the line that begin and end as a text does, those of the finding's place first: `2 base`
    for `2 any base`, `bank[p]` for `bank`."""
    parts = re.findall(r"\w+|[^\w\s]", text)
    line, place = finding.span.whole_line.split("#")[0], finding.span.column - 1
    whole = re.escape(parts[0])
    if len(parts) > 1:
        whole += rf"(?:.*?{re.escape(parts[-1])})?" if parts[-1] not in ")]" else r"(?:.*?[)\]])?"
    else:
        whole += r"\s*(?:\[[^\]]*\]|\([^)]*\))"
    found = [(match.start(), match.end()) for match in re.finditer(rf"(?<!\w){whole}(?!\w)", line)]
    for first, end in sorted(found, key=lambda ends: not (ends[0] <= place <= ends[1])):
        yield Span(finding.span.source, finding.span.line, first + 1, finding.span.line, end + 1)


Make = Callable[[Project, Path, Diagnostic, "re.Match[str]"], Iterator[Mend]]


def _meant(project: Project, path: Path, finding: Diagnostic, match: re.Match[str]) -> Iterator[Mend]:
    """A name or key that is like the one that was written."""
    for word in (*_words(finding), ""):
        if word and word != match[1]:
            for span in _at(finding, word):
                yield Mend(f"write `{match[1]}`", path, span, match[1])
    yield Mend(f"write `{match[1]}`", path, finding.span, match[1])


def _written(project: Project, path: Path, finding: Diagnostic, match: re.Match[str]) -> Iterator[Mend]:
    """What is to be written instead of a stretch of the line."""
    for span in (*_like(finding, match[1]), *_stretches(finding)):
        yield Mend(f"write `{match[1]}`", path, span, match[1])


def _added(project: Project, path: Path, finding: Diagnostic, match: re.Match[str]) -> Iterator[Mend]:
    """A key and value in the row of something declared."""
    for place in project.names.of(("symbol", match[2])):
        source = place.span.source
        file = next((p for p in project.files if display_path(p) == place.span.path), None)
        if not place.declares or source is None or file is None or file.suffix != ".yaml":
            continue
        line = place.span.whole_line
        brace = re.match(r"\s*:\s*\{", line[place.span.end_column - 1 :])
        title = f"add `{match[1]}` to `{match[2]}`"
        if brace is not None:
            column = place.span.end_column + brace.end()
            yield Mend(title, file, Span(source, place.span.line, column, place.span.line, column), f"{match[1]}, ")
        else:
            indent = len(line) - len(line.lstrip()) + 2
            below = Span(source, place.span.line, len(line) + 1, place.span.line, len(line) + 1)
            yield Mend(title, file, below, f"\n{' ' * indent}{match[1]}")


def _line(project: Project, path: Path, finding: Diagnostic, match: re.Match[str]) -> Iterator[Mend]:
    """A line of its own, above the place or at the end of the file's head."""
    text = match[1] or match[2] or match[3]
    source = finding.span.source
    for line in (finding.span.line, finding.span.line + 1, 1, 2):
        yield Mend(f"add the line `{text}`", path, Span(source, line, 1, line, 1), f"{text}\n")


def _away(project: Project, path: Path, finding: Diagnostic, match: re.Match[str]) -> Iterator[Mend]:
    """What is to be left out: a word, a stretch, a line."""
    span = finding.span
    title = match[0]
    line, names = span.whole_line, [match[1] or "", *_words(finding)]
    for name in names:  # a key with its value, between commas
        key = rf"{re.escape(name)}:\s*"
        pair = rf",\s*{key}(?:[^,{{}}\[\]]|\{{[^}}]*\}}|\[[^\]]*\])+|\b{key}[^,{{}}\[\]]+,\s*"
        for found in re.finditer(pair, line) if re.fullmatch(r"\w+", name) else ():
            yield Mend(title, path, Span(span.source, span.line, found.start() + 1, span.line, found.end() + 1), "")
    for tag in re.finditer(r"!\S+\s+", line) if "tag" in match[0] else ():
        yield Mend(title, path, Span(span.source, span.line, tag.start() + 1, span.line, tag.end() + 1), "")
    for word in (match[1], "?" if "`?`" in match[0] else ""):
        for place in _at(finding, word) if word else ():
            yield Mend(title, path, place, "")
    yield Mend(title, path, span, "")
    if span.source is not None:
        yield Mend(title, path, Span(span.source, span.line, 1, span.end_line + 1, 1), "")
        text = span.whole_line[span.column - 1 : span.end_column - 1]
        yield Mend(title, path, span, text.strip("\"'"))


def _bracket(project: Project, path: Path, finding: Diagnostic, match: re.Match[str]) -> Iterator[Mend]:
    """A closing bracket, before what follows or at the end of the line."""
    span = finding.span
    line = span.whole_line.split("#")[0].rstrip()
    for column in dict.fromkeys((span.column, span.end_column, len(line.rstrip(":")) + 1, len(line) + 1)):
        yield Mend(match[0], path, Span(span.source, span.line, column, span.line, column), match[1])


def _spaces(project: Project, path: Path, finding: Diagnostic, match: re.Match[str]) -> Iterator[Mend]:
    """Spaces in place of the tabs of a line."""
    span, line = finding.span, finding.span.whole_line
    if "\t" in line:
        whole = Span(span.source, span.line, 1, span.line, len(line) + 1)
        yield Mend("put spaces in place of tabs", path, whole, line.replace("\t", "  "))


def _quotes(project: Project, path: Path, finding: Diagnostic, match: re.Match[str]) -> Iterator[Mend]:
    """Quotes around a value."""
    for span in _stretches(finding):
        if span.source is not None and span.line == span.end_line:
            text = span.whole_line[span.column - 1 : span.end_column - 1]
            quote = "'" if '"' in text else '"'
            yield Mend("put it in quotes", path, span, f"{quote}{text}{quote}")


_HINTS: tuple[tuple[re.Pattern[str], Make], ...] = (
    (_MEANT, _meant),
    (_ADD, _added),
    (_ADD_LINE, _line),
    (_WRITE, _written),
    (_BRACKET, _bracket),
    (_SPACES, _spaces),
    (_AWAY, _away),
    (_QUOTED, _quotes),
)
"""What a hint says -> what makes changes of it."""
