"""Rewrites files of version 1 of the language into version 2, from the checked tree: all means what it meant.

Enters: the folder of a ruleset or variant, overlays. Leaves: the new texts of its files, and what can't be rewritten.
Only the words at fault change; layout and comments stay. Goes with `syntax/former.py` when version 1 is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

from rulelang.diagnostics import LANGUAGE_VERSION, Diagnostics, RulesetError, Source, Span, replaced
from rulelang.registry import registering
from rulelang.ruleset.files import read_file
from rulelang.ruleset.loader import read_ruleset
from rulelang.ruleset.model import ByOption, Text, Written, WrittenRuleset
from rulelang.ruleset.scenarios import scenarios_of
from rulelang.semantics.check import analyse
from rulelang.semantics.tree.shared import Analysed, in_parentheses, source_text
from rulelang.semantics.tree.types import PLAYER, bare
from rulelang.semantics.typing.declarations import parsed_file
from rulelang.syntax import ast, parse_block, parse_expression, parse_piece_text, parse_rule_text, parse_type
from rulelang.syntax.scan import Place
from rulelang.syntax.whose import PLACES, Parameter, spelt_out

READERS = (parse_type, parse_expression, parse_block, parse_piece_text, parse_rule_text)
"""What a text in YAML may be; of those that can read it the first does."""
SAID = re.compile(r"\b(?:set|choose|for)\b")
"""What stands in each text that version 1 said otherwise."""


class Rewording(NamedTuple):
    """A stretch of a file and what stands there instead."""

    span: Span
    text: str


@dataclass(frozen=True)
class Upgrade:
    """New texts by the paths of their files, of those that change; `left`: what was not rewritten, as findings."""

    texts: dict[Path, str]
    left: Diagnostics


Rewrite = Callable[[Any, Analysed], Iterator[Rewording]]
REWRITES: dict[type[ast.Node], Rewrite] = {}
"""Class of nodes -> what yields the edits that make version 2 of it."""
rewrites = registering(REWRITES)


def upgraded(path: str, overlays: Sequence[str] = ()) -> Upgrade:
    """Return the files of a ruleset, or of a variant or overlays alone, in version 2; what they extend stays.

    Raises:
        RulesetError: the ruleset has errors.
    """
    diagnostics = Diagnostics()
    ruleset = read_ruleset(path, overlays, diagnostics=diagnostics)[0]
    analysed = analyse(ruleset, diagnostics) if ruleset is not None else None
    scenarios = scenarios_of(ruleset, diagnostics) if ruleset is not None else ()
    if ruleset is None or analysed is None or diagnostics.has_errors:
        raise RulesetError(diagnostics)
    folders = [Path(layer.folder) for layer in ruleset.layers if layer.named]
    files = {file: source for folder in folders for file, source in _sources(folder)}
    former = {source.path: (file, source) for file, source in files.items() if source.version < LANGUAGE_VERSION}
    said = {shown: Rewording(source.version_span, str(LANGUAGE_VERSION)) for shown, (_, source) in former.items()}
    edits: dict[str, dict[Rewording, None]] = {shown: {edit: None} for shown, edit in said.items()}
    trees = [parsed_file(file, Diagnostics()) for file in ruleset.rule_files if file.text is None]
    for tree in (*trees, *map(_parsed, {(t.span, t.text): t for t in _texts((ruleset, scenarios))}.values())):
        for node in ast.walk(tree):
            if node.span.path in edits and type(node) in REWRITES:
                edits[node.span.path].update(dict.fromkeys(REWRITES[type(node)](node, analysed)))
    for edit in _sizes(ruleset):
        if edit.span.path in edits:
            edits[edit.span.path][edit] = None
    left = Diagnostics()
    texts = {file: _applied(source, edits[shown], left) for shown, (file, source) in former.items()}
    _still_sound(path, overlays, texts, left)
    return Upgrade(texts, left)


def _sources(folder: Path) -> Iterator[tuple[Path, Source]]:
    """Yield the YAML and rule files of a folder and its scenarios."""
    for file in sorted(
        (*folder.glob("*.yaml"), *folder.glob("*.rule"), *folder.glob("scenarios/*.yaml"), *folder.glob("theme/*.yaml"))
    ):
        source = read_file(file, file.parent, Diagnostics())
        if source is not None:
            yield file, source


def _texts(part: object) -> Iterator[Text]:
    """Yield the DSL texts in a part of a ruleset."""
    if isinstance(part, ByOption):
        yield from _texts(part.texts)
    elif isinstance(part, Text):
        yield part
    elif isinstance(part, Written):
        for field in fields(part):  # type: ignore[arg-type]
            yield from _texts(getattr(part, field.name))
    elif isinstance(part, dict):
        yield from _texts((*part.keys(), *part.values()))
    elif isinstance(part, tuple | list) and not isinstance(part, Span):
        for each in part:
            yield from _texts(each)


def _sizes(ruleset: WrittenRuleset) -> Iterator[Rewording]:
    """Write who may count a bag that not all see, which in version 1 nobody else could."""
    for variable in ruleset.variables:
        span = variable.places.get(("visible", variable.visible))
        if span is None or not variable.size or ("size", variable.size) in variable.places or span.source is None:
            continue
        after = "\n".join(
            (span.source.lines[span.end_line - 1][span.end_column - 1 :], *span.source.lines[span.end_line :])
        )
        if re.sub(r"#.*", "", after).lstrip()[:1] in (",", "}"):
            yield Rewording(span, f"{variable.visible}, size: {variable.size}")
        else:
            line, indent = span.source.lines[span.line - 1], re.match(r"\s*", span.whole_line)
            end = Span(span.source, span.line, len(line) + 1, span.line, len(line) + 1)
            yield Rewording(end, f"\n{indent[0] if indent else ''}size: {variable.size}")


def _parsed(text: Text) -> object:
    """Return the tree of a text in YAML; None if it is no rule."""
    if text.span.source is None or not SAID.search(text.text):
        return None
    for read in READERS:
        diagnostics = Diagnostics()
        tree = read(Place.of(text.span, text.indent), text.text, diagnostics)
        if not len(diagnostics):
            return tree
    return None


def _applied(source: Source, edits: dict[Rewording, None], left: Diagnostics) -> str:
    """Return the text of a file with edits; those whose place in it is not sure are left."""
    placed = {}
    for edit in edits:
        span = _place(source, edit.span)
        if span is None:
            said = source_text(edit.span)
            left.error("syntax-former", f"`{said}` is made of fields, and is left", edit.span, f"write `{edit.text}`")
        else:
            placed[span] = edit.text
    text = replaced(source.text, placed.items())
    return "\n".join(_one_section(text.split("\n"))) if source.path.endswith(".yaml") else text


def _one_section(lines: list[str]) -> list[str]:
    """Return the lines of a YAML file with what stands under `resources:` at the end of `types:`."""
    first, last = _section(lines, "resources")
    if first < 0:
        return lines
    begin, end = _section(lines, "types")
    if begin < 0:
        return [*lines[:first], lines[first].replace("resources", "types", 1), *lines[first + 1 :]]
    moved, own = _entries(lines[first:last]), _entries(lines[begin:end])
    said = [said for section in (lines[begin:end], lines[first:last]) if (said := _said_behind(section))]
    if "{" in lines[begin] and "{" in lines[first] and last == first + 1 and end == begin + 1:
        flow = ", ".join(part.strip() for part in (*own, *moved))
        types = [f"types: {{{flow}}}" + "".join(f"   {comment}" for comment in said)]
    else:
        own = [*(f"  {comment}" for comment in said), *own]
        types = ["types:" if "{" in lines[begin] else lines[begin], *own, *moved]
    if begin < first:
        return [*lines[:begin], *types, *lines[end:first], *lines[last:]]
    return [*lines[:first], *lines[last:begin], *types, *lines[end:]]


def _section(lines: Sequence[str], name: str) -> tuple[int, int]:
    """Return the indices of the first line of a section and of that behind its last; -1 of one that is not there."""
    first = next((n for n, line in enumerate(lines) if re.match(rf"{name}[ ]*:(?:\s|$)", line)), -1)
    last = first + 1
    for n in range(first + 1, len(lines)) if first >= 0 else ():
        if lines[n][:1] not in ("", " ", "#", "}", "]"):
            break
        if lines[n][:1] not in ("", "#"):
            last = n + 1
    return first, last


def _entries(section: Sequence[str]) -> list[str]:
    """Return the lines below the key of a section, indented by two; those of one in braces are an entry each."""
    inside = "\n".join(section).partition(":")[2].strip()
    if inside.startswith("{"):
        return [f"  {part}" for part in _cut(inside[1 : inside.rindex("}")])]
    indent = min((len(line) - len(line.lstrip()) for line in section[1:] if line.strip()), default=2)
    return [f"  {line[indent:]}" if line.strip() else line for line in section[1:]]


def _said_behind(section: Sequence[str]) -> str:
    """Return the comment behind the braces of a section; empty without one."""
    inside = "\n".join(section).partition(":")[2].strip()
    return inside[inside.rindex("}") + 1 :].strip() if inside.startswith("{") else ""


def _place(source: Source, span: Span) -> Span | None:
    """Return where a span stands in the file; in a line with fields, which have values in the span's source, the
    place of the same words between the same others."""
    assert span.source is not None
    at, start, end = slice(span.line - 1, span.end_line), span.column - 1, span.end_column - 1
    own, read = source.lines[at], span.source.lines[at]
    if own == read:
        return Span(source, span.line, span.column, span.end_line, span.end_column)
    if len(own) > 1:
        return None
    for match in re.finditer(rf"(?<!\w){re.escape(read[0][start:end])}(?!\w)", own[0]):
        if own[0][: match.start()] == read[0][:start] or own[0][match.end() :] == read[0][end:]:
            return Span(source, span.line, match.start() + 1, span.line, match.end() + 1)
    return None


def _still_sound(path: str, overlays: Sequence[str], texts: dict[Path, str], left: Diagnostics) -> None:
    """Check what was rewritten; its errors are what could not be."""
    diagnostics = Diagnostics()
    instead = {file.resolve(): text for file, text in texts.items()}
    ruleset = read_ruleset(path, overlays, diagnostics=diagnostics, instead=instead)[0]
    if ruleset is not None:
        analyse(ruleset, diagnostics)
    left.extend(finding for finding in diagnostics if finding.severity == "error")


def _from(span: Span, length: int) -> Span:
    """Return the first letters of a span."""
    return Span(span.source, span.line, span.column, span.line, span.column + length)


@rewrites(ast.Handler, ast.Modifier)
def _whose(node: ast.Handler | ast.Modifier, analysed: Analysed) -> Iterator[Rewording]:
    """Write `owner` in the place of a parameter for `for owner`, and another seat as a condition."""
    of = node.event if isinstance(node, ast.Handler) else node.quantity
    known = analysed.checked.events if isinstance(node, ast.Handler) else analysed.checked.quantities
    if node.whose is None or of.text not in known:
        return
    parameters = [Parameter(name, bare(t) == PLAYER, False) for name, t in known[of.text].procedure.params]
    spelt = spelt_out(node, parameters)
    assert spelt is not None
    own, seat = {name.span for name in node.params}, source_text(node.whose.seat.span)
    inserted = [i for i, name in enumerate(spelt[0]) if name is None or name.span not in own]
    names = [parameters[i].name if i in inserted else getattr(name, "text", "") for i, name in enumerate(spelt[0])]
    compared = "you"
    if inserted:
        compared, names[inserted[-1]] = names[inserted[-1]], seat if seat in PLACES else names[inserted[-1]]
    head, end = f"({', '.join(names)})" if names else "", node.whose.span
    if (not inserted or seat not in PLACES) and node.guard is not None:
        behind = source_text(_between(end, node.guard.span)).strip().removeprefix("when").strip()
        loose = isinstance(node.guard, ast.Conditional | ast.Otherwise) or getattr(node.guard, "op", "") == "or"
        opening = "(" * (loose and not in_parentheses(node.guard.span))
        head, end = f"{head} when {compared} = {seat} and {opening}{behind}", _from(node.guard.span, 0)
        if opening:
            yield Rewording(_after(node.guard.span), ")")
    elif not inserted or seat not in PLACES:
        head += f" when {compared} = {seat}"
    yield Rewording(_after(of.span).to(end), head)
    for part in ast.walk(node.body) if isinstance(node, ast.Handler) and inserted else ():
        if isinstance(part, ast.Proceed) and part.arguments is not None:
            given = iter(_cut(source_text(part.span).removeprefix("proceed").strip()[1:-1]))
            values = [names[i] if i in inserted else next(given) for i in range(len(names))]
            yield Rewording(part.span, f"proceed({', '.join(values)})")


def _cut(text: str) -> list[str]:
    """Return the arguments of a call, cut at the commas outside of brackets."""
    depth, parts = 0, [""]
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def _after(span: Span) -> Span:
    """Return the place behind a span."""
    return Span(span.source, span.end_line, span.end_column, span.end_line, span.end_column)


def _between(first: Span, second: Span) -> Span:
    """Return what stands between two spans."""
    return Span(first.source, first.end_line, first.end_column, second.line, second.column)


@rewrites(ast.SetType)
def _set(node: ast.SetType, _: Analysed) -> Iterator[Rewording]:
    """Write `list of T` for `set of T`."""
    if source_text(node.span).startswith("set"):
        yield Rewording(_from(node.span, len("set")), "list")


@rewrites(ast.OneOf)
def _one_value(node: ast.OneOf, _: Analysed) -> Iterator[Rewording]:
    """Write `one of T` for `a T`."""
    name = node.collection.collection if isinstance(node.collection, ast.Where) else node.collection
    article = source_text(node.span).split()[0]
    if isinstance(name, ast.NameExpr) and article in ("a", "an"):
        yield Rewording(_from(node.span, len(article)), "one of")
        if name.name != source_text(name.span):
            yield Rewording(name.span, name.name)
