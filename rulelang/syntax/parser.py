"""From text to syntax tree.

Enters: a `.rule` file, or a text that stands inside a YAML file. Leaves: nodes of `ast` with spans in the real file,
and findings; never an exception. A file and the rule text of a piece are parsed one declaration at a time, and a
declaration with a mistake once more after each line at fault (`recovery`): one mistake hides no other.

A `Place` says where an embedded text stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, TypeVar, cast

from rulelang.diagnostics import LANGUAGE_VERSION, OLDEST_VERSION, Diagnostic, Diagnostics, Source, Span
from rulelang.diagnostics.names import OwnNames
from rulelang.limits import DEPTH
from rulelang.memos import Bounded
from rulelang.syntax import ast
from rulelang.syntax.build import Builder, too_deep
from rulelang.syntax.grammar import Failure, ParseTree, load_grammar
from rulelang.syntax.scan import Chunk, Place, Scan, scan
from rulelang.syntax.words import DECLARATION_WORDS

TREE_BYTES = 8 << 20
"""So much is kept of the trees of texts of one line without their place, for each sort of text."""
CHARACTER = 105
"""Bytes of the tree of such a text for each character (measured with the scenarios of the shipped games)."""


def parse_rule_file(source: Source, diagnostics: Diagnostics) -> tuple[ast.Declaration, ...]:
    """Parse a `.rule` file, which begins with `rulelang 2`; declarations with errors are left out."""
    return _parse_file(Place(source), source.text, diagnostics)


def scan_rule_file(source: Source, diagnostics: Diagnostics) -> Scan:
    """Split a `.rule` file into chunks, one for each declaration, with comments and lines."""
    return scan(Place(source), source.text, diagnostics, DECLARATION_WORDS)


def parse_scan(place: Place, cut: Scan, diagnostics: Diagnostics) -> tuple[ast.Declaration, ...]:
    """Parse the chunks of a `.rule` file; declarations with errors are left out."""
    if not _has_version(place, cut, diagnostics):
        return ()
    return _declarations(place, cut, "rule_file", diagnostics)


Parsed = TypeVar("Parsed")
Parse = Callable[[Place, str, Diagnostics], Parsed]


def _memoised(parse: Parse[Parsed]) -> Parse[Parsed]:
    """Memoise a parse function by place and text with the source, as a ruleset and its variants share most texts.

    Texts of one line are also memoised by text alone and moved to their place: of the 4,700 in LDD 1,100 are distinct.
    """

    trees: Bounded[str, tuple[Parsed | None]] = Bounded(TREE_BYTES)

    def alone(text: str) -> Parsed | None:
        """Parse a text without a place; None if there are findings."""
        known = trees.get(text)
        if known is None:
            diagnostics = Diagnostics()
            node = parse(Place(Source("", text)), text, diagnostics)
            known = trees.put(text, (None if len(diagnostics) else node,), CHARACTER * len(text))
        return known[0]

    def parsed(place: Place, text: str, names: OwnNames) -> tuple[Parsed, tuple[Diagnostic, ...]]:
        """Parse a text in its place; return the tree and the findings."""
        if "\n" not in text and (node := alone(text)):
            return _moved(node, place.source, place.line - 1, place.column - 1), ()
        diagnostics = Diagnostics(names)
        return parse(place, text, diagnostics), tuple(diagnostics)

    @wraps(parse)
    def memoised(place: Place, text: str, diagnostics: Diagnostics) -> Parsed:
        """Return the memoised tree and add its findings to `diagnostics`."""
        key, memo = (parse, place.line, place.column, place.indent, text), place.source.memo
        known: tuple[Parsed, tuple[Diagnostic, ...]] | None = memo.get(key)
        if known is None:
            known = parsed(place, text, diagnostics.names)
            if not known[1]:  # what is found is told in the names of a ruleset
                memo[key] = known
        diagnostics.extend(known[1])
        return known[0]

    return memoised


def _moved(part: Any, source: Source, lines: int, columns: int) -> Any:
    """Copy a syntax tree to another source, shifted by lines and columns."""
    kind = type(part)
    if kind is Span:
        line, end = part.line + lines, part.end_line + lines
        return Span(source, line, part.column + columns, end, part.end_column + columns)
    if kind is tuple:
        return tuple([_moved(below, source, lines, columns) for below in part])
    if isinstance(part, ast.Node):
        return kind(*[_moved(getattr(part, name), source, lines, columns) for name in part.__match_args__])
    return part


@_memoised
def _parse_file(place: Place, text: str, diagnostics: Diagnostics) -> tuple[ast.Declaration, ...]:
    """Parse a whole `.rule` file."""
    return parse_scan(place, scan(place, text, diagnostics, DECLARATION_WORDS), diagnostics)


@_memoised
def parse_rule_text(place: Place, text: str, diagnostics: Diagnostics) -> tuple[ast.Declaration, ...]:
    """Parse the text under `rules:` in a YAML file; declarations with errors are left out."""
    cut = scan(place, text, diagnostics, DECLARATION_WORDS)
    if not cut.chunks:
        _empty(place, "rule text", diagnostics)
    for chunk in cut.chunks:
        if chunk.lexemes[0].text == "rulelang":
            message = "the version stands at the top of the YAML file"
            diagnostics.error("syntax-version", message, place.span(chunk.lexemes[0]))
    return _declarations(place, cut, "rule_file", diagnostics)


@_memoised
def parse_piece_text(place: Place, text: str, diagnostics: Diagnostics) -> tuple[ast.Declaration, ...]:
    """Parse the rule text of a piece; declarations with errors are left out."""
    cut = scan(place, text, diagnostics, DECLARATION_WORDS)
    if not cut.chunks:
        _empty(place, "the rule text of a piece", diagnostics)
    return _declarations(place, cut, "piece_text", diagnostics)


@_memoised
def parse_block(place: Place, text: str, diagnostics: Diagnostics) -> ast.Block | None:
    """Parse a block of one or more statements; None if it has errors."""
    tree = _single(place, text, "block_text", "a statement", diagnostics)
    return cast("ast.Block | None", Builder(place.source, diagnostics).sound(tree)) if tree else None


@_memoised
def parse_expression(place: Place, text: str, diagnostics: Diagnostics) -> ast.Expr | None:
    """Parse an expression, possibly over several lines; None if it has errors."""
    tree = _single(place, text, "expression_text", "a value", diagnostics)
    return cast("ast.Expr | None", Builder(place.source, diagnostics).sound(tree.children[0])) if tree else None


@_memoised
def parse_type(place: Place, text: str, diagnostics: Diagnostics) -> ast.TypeNode | None:
    """Parse a type; None if it has errors."""
    tree = _single(place, text, "type_text", "a type", diagnostics)
    return cast("ast.TypeNode | None", Builder(place.source, diagnostics).sound(tree.children[0])) if tree else None


def _single(place: Place, text: str, start: str, what: str, diagnostics: Diagnostics) -> ParseTree | None:
    """Parse a text that consists of one node; report an empty text, calling the node `what`."""
    cut = scan(place, text, diagnostics, flat=start != "block_text")
    if not cut.chunks:
        _empty(place, what, diagnostics)
        return None
    return _tree(place, cut.chunks[0], start, diagnostics)


def _declarations(place: Place, cut: Scan, start: str, diagnostics: Diagnostics) -> tuple[ast.Declaration, ...]:
    """Parse each chunk and build its declarations."""
    builder = Builder(place.source, diagnostics)
    trees = (_tree(place, chunk, start, diagnostics) for chunk in _indented(place, cut, diagnostics))
    nodes = (builder.sound(child) for tree in trees if tree for child in tree.children)
    return tuple(cast("ast.Declaration", node) for node in nodes if node is not None)


def _indented(place: Place, cut: Scan, diagnostics: Diagnostics) -> Iterator[Chunk]:
    """Yield the chunks, without declarations whose body stands as deep as they do: of each the first line is told."""
    unindented = False
    for chunk, below in zip(cut.chunks, (*cut.chunks[1:], Chunk()), strict=False):
        if unindented and _is_body(chunk):
            continue
        unindented = [lexeme.text for lexeme in chunk.lexemes[-2:]] == [":", ""] and _is_body(below)
        if not unindented:
            yield chunk
            continue
        head = next(lexeme.text for lexeme in chunk.lexemes if lexeme.kind == "word")
        message = f"the lines that belong to `{head} …:` stand no deeper than it"
        hint = "indent them by two spaces, and what belongs to them with them"
        diagnostics.error("syntax-indent", message, place.span(below.lexemes[0]), hint)


def _is_body(chunk: Chunk) -> bool:
    """Return whether a chunk begins like a statement, and no declaration does."""
    return bool(chunk.lexemes) and chunk.lexemes[0].kind == "word" and chunk.lexemes[0].text not in DECLARATION_WORDS


def _tree(place: Place, chunk: Chunk, start: str, diagnostics: Diagnostics) -> ParseTree | None:
    """Parse one chunk; report all its errors and return None if it has any."""
    if not chunk.sound:
        return None
    tree = load_grammar().parse(chunk.lexemes, start)
    if isinstance(tree, Failure):
        from rulelang.syntax.errors import report
        from rulelang.syntax.recovery import further

        reported: set[object] = set()
        for failure in (tree, *further(tree, start)):
            diagnostic = report(failure, start, place, diagnostics.names)
            # What points back at a line that is told follows from it; so does the use of what is called by a keyword.
            mark = diagnostic.message if diagnostic.code == "syntax-keyword" else None
            if diagnostic.span.line not in reported and mark not in reported:
                diagnostics.add(diagnostic)
            reported |= {diagnostic.span.line, mark} - {None}
        return None
    deep = too_deep(tree)
    if deep:
        span = deep.span(place.source)
        message = f"this is nested or chained more than {DEPTH} deep"
        diagnostics.error("syntax-depth", message, span, "name a part of it with `let`, or make it a function")
        return None
    return tree


def _has_version(place: Place, cut: Scan, diagnostics: Diagnostics) -> bool:
    """Check the version line of a `.rule` file; return False if it names an unknown version."""
    first = cut.chunks[0].lexemes if cut.chunks else []
    words = [lexeme.text for lexeme in first[:2]]
    if words[:1] != ["rulelang"]:
        span = place.span(first[0]) if first else Span(place.source, 1, 1, 1, 2)
        message = f"a `.rule` file begins with the line `rulelang {LANGUAGE_VERSION}`"
        diagnostics.error("syntax-version", message, span, f"add `rulelang {LANGUAGE_VERSION}` as the first line")
    elif first[1].kind == "int" and not OLDEST_VERSION <= int(first[1].text) <= LANGUAGE_VERSION:
        message = (
            f"this file is written in version {first[1].text} of the language; known is version {LANGUAGE_VERSION}"
        )
        diagnostics.error("syntax-version", message, place.span(first[1]))
        return False
    for chunk in cut.chunks[1:]:
        if chunk.lexemes[0].text == "rulelang":
            message = "the version stands once, in the first line"
            diagnostics.error("syntax-version", message, place.span(chunk.lexemes[0]))
    return True


def _empty(place: Place, what: str, diagnostics: Diagnostics) -> None:
    """Report an empty text; `what` says which kind of text is missing."""
    span = Span(place.source, place.line, place.column, place.line, place.column + 1)
    diagnostics.error("syntax-empty", f"{what} is missing here", span, "write it, or take the key away")
