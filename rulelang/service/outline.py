"""The shape of a file: what it declares, what folds, which stretches enclose a place, the colour of each word.

Enters: a text, and the names in it. Leaves: places.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rulelang.diagnostics import Diagnostics, Source, Span
from rulelang.highlight import RuleLexer, RulesetLexer
from rulelang.ruleset.nodes import Mapping, Node, Scalar, Sequence
from rulelang.ruleset.rule_blocks import rule_blocks
from rulelang.ruleset.yaml_reader import read_yaml
from rulelang.service.names import DECLARING, TOKEN, Occurrence
from rulelang.syntax import ast
from rulelang.syntax.parser import parse_rule_file, parse_rule_text
from rulelang.syntax.scan import Place

SECTIONS = DECLARING | {"pieces", "scenarios", "teams", "words"}
"""Keys of YAML below which things with names stand."""
COLOURS = ("keyword", "comment", "string", "number", "operator", "function", "class", "property", "variable")
"""What words are coloured as, in the order of the legend."""
_TOKENS = (
    ("Comment", "comment"),
    ("Keyword.Constant", "keyword"),
    ("Keyword", "keyword"),
    ("Literal.Number", "number"),
    ("Literal", "string"),
    ("Operator", "operator"),
    ("Name.Function", "function"),
    ("Name.Class", "class"),
    ("Name.Attribute", "property"),
    ("Name.Tag", "property"),
    ("Name", "variable"),
)


class Outlined(NamedTuple):
    """A thing that a file declares: its name, what it is, all of it, its name's place, what is within."""

    name: str
    sort: str
    span: Span
    named: Span
    inside: tuple[Outlined, ...] = ()


def outline(source: Source) -> tuple[Outlined, ...]:
    """Return what a file declares, in its order; what can't be read is left out."""
    if source.path.endswith(".rule"):
        return tuple(_declarations(parse_rule_file(source, Diagnostics())))
    tree = read_yaml(source, Diagnostics())
    return tuple(_sections(tree, source)) if tree is not None else ()


def declared_in(source: Source) -> Iterator[Outlined]:
    """Yield what a file of a ruleset gives a name."""
    for each in outline(source):
        inside = each.inside if each.name in DECLARING or each.name == "rules" else ()
        yield from (named for named in (inside if each.sort == "section" else (each,)) if TOKEN.fullmatch(named.name))


def unresolved(sources: Iterable[Source]) -> Iterator[Occurrence]:
    """Yield where the files of a ruleset that can't be analysed declare names, and the words in rules that are one."""
    declared = set[str]()
    rules: list[Source] = []
    for source in sources:
        for each in declared_in(source):
            declared.add(each.name)
            yield Occurrence(each.named, ("symbol", each.name), declares=True)
        rules += [source] if source.path.endswith(".rule") else []
    for source in rules:
        for number, line in enumerate(source.lines, 1):
            for word in TOKEN.finditer(line.split("#")[0]):
                if word[0] in declared:
                    span = Span(source, number, word.start() + 1, number, word.end() + 1)
                    yield Occurrence(span, ("symbol", word[0]))


def _declarations(declared: tuple[ast.Declaration, ...]) -> Iterator[Outlined]:
    for node in declared:
        if isinstance(node, ast.Version | ast.Limit):
            continue
        name = next((n for n in (getattr(node, key, None) for key in _NAMED) if isinstance(n, ast.Name)), None)
        word = getattr(type(node), "word", "") or type(node).__name__.lower()
        inside = tuple(
            Outlined(item.name.text, "option", item.span, item.name.span)
            for item in ast.walk(node)
            if isinstance(item, ast.MenuItem)
        )
        text = name.text if name is not None else word
        yield Outlined(text, word, node.span, name.span if name is not None else node.span, inside)


_NAMED = ("name", "event", "quantity", "ability", "menu", "step")
"""Fields of declarations that name them, or what they are about."""


def _sections(tree: Mapping, source: Source) -> Iterator[Outlined]:
    for section, entry in tree.entries.items():
        inside = tuple(_rows(section, entry.value)) if section in SECTIONS else ()
        for block in rule_blocks(source, Diagnostics()) if section == "rules" else ():
            if not block.piece:
                text, place = block.text.text, Place.of(block.text.span, block.text.indent)
                inside = tuple(_declarations(parse_rule_text(place, text, Diagnostics())))
        yield Outlined(section, "section", _around(entry.key, entry.value), entry.key.span, inside)


def _rows(section: str, node: Node) -> Iterator[Outlined]:
    if isinstance(node, Mapping):
        for name, entry in node.entries.items():
            inside = tuple(_rows(name, entry.value)) if section == "pieces" else ()
            yield Outlined(name, section.removesuffix("s"), _around(entry.key, entry.value), entry.key.span, inside)
    elif isinstance(node, Sequence):
        for item in node.items:
            named = item.get("id") or item.get("name") if isinstance(item, Mapping) else None
            if isinstance(named, Scalar):
                yield Outlined(str(named.value), section, item.span.to(_last(item)), named.span)


def _around(key: Scalar, value: Node) -> Span:
    return key.span.to(_last(value))


def _last(node: Node) -> Span:
    """Return the span of the last part of a node."""
    if isinstance(node, Mapping) and node.entries:
        return _last(list(node.entries.values())[-1].value)
    if isinstance(node, Sequence) and node.items and not node.flow:
        return _last(node.items[-1])
    return node.span


def folds(source: Source) -> Iterator[tuple[int, int, bool]]:
    """Yield first and last lines, counted from 1, of what is indented below a line; True for comments."""
    lines = source.lines
    depths = [len(line) - len(line.lstrip()) if line.strip() else -1 for line in lines]
    open_: list[tuple[int, int]] = []
    last = 0
    for number, depth in enumerate([*depths, 0], 1):
        if depth < 0:
            continue
        while open_ and open_[-1][0] >= depth:
            _, first = open_.pop()
            if last > first:
                yield first, last, False
        open_.append((depth, number))
        last = number
    first = 0
    for number, line in enumerate([*lines, ""], 1):
        comment = line.lstrip().startswith("#")
        if comment and not first:
            first = number
        elif not comment and first:
            if number - first > 1:
                yield first, number - 1, True
            first = 0


def enclosing(source: Source, line: int, column: int) -> list[tuple[int, int, int, int]]:
    """Return the stretches around a place, each within the next: word, line, indented blocks, file.

    Each is first line, first column, last line and the column behind the end.
    """
    text = source.lines[line - 1] if line <= len(source.lines) else ""
    word = next((m for m in re.finditer(r"[A-Za-z_]\w*|\d+", text) if m.start() < column <= m.end() + 1), None)
    found = [(line, word.start() + 1, line, word.end() + 1)] if word else []
    found.append((line, len(text) - len(text.lstrip()) + 1, line, len(text) + 1))
    blocks = [(first, last) for first, last, comment in folds(source) if first <= line <= last and not comment]
    for first, last in sorted(blocks, key=lambda block: block[1] - block[0]):
        indent = len(source.lines[first - 1]) - len(source.lines[first - 1].lstrip())
        found.append((first, indent + 1, last, len(source.lines[last - 1]) + 1))
    found.append((1, 1, len(source.lines), len(source.lines[-1]) + 1))
    return list(dict.fromkeys(found))


def colours(source: Source) -> Iterator[tuple[int, int, int, str]]:
    """Yield line, column (both from 1), length and colour of each word of a file, in order."""
    lexer = RuleLexer() if source.path.endswith(".rule") else RulesetLexer()
    starts = [0]
    for text in source.lines:
        starts.append(starts[-1] + len(text) + 1)
    line = 0
    for offset, token, value in lexer.get_tokens_unprocessed(source.text):
        said = str(token).removeprefix("Token.")
        colour = next((colour for name, colour in _TOKENS if said.startswith(name)), "")
        while line + 1 < len(starts) and starts[line + 1] <= offset:
            line += 1
        if colour and value.strip() and "\n" not in value:
            yield line + 1, offset - starts[line] + 1, len(value), colour
