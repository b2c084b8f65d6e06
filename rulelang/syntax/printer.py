"""The one layout of `.rule` files.

Enters: a text, or nodes of `ast`. Leaves: text that parses to the same tree. Two spaces for each level, one blank line
between declarations, at most one between statements, comments kept, a block on the line of its header when it is one
simple statement and was written so.
"""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from rulelang.diagnostics import Diagnostics, RulesetError, Source
from rulelang.syntax import ast
from rulelang.syntax.forms import filled, value
from rulelang.syntax.layout import STEP, WIDTH, Doc, LineWriter, deeper, flat
from rulelang.syntax.parser import parse_piece_text, parse_rule_text, parse_scan, scan_rule_file
from rulelang.syntax.scan import Place, scan
from rulelang.syntax.words import DECLARATION_WORDS

_ONE_LINERS = (
    ast.Function,
    ast.QuantityDecl,
    ast.AbilityValue,
    ast.ImplementValue,
    ast.Score,
    ast.Winner,
    ast.Tie,
    ast.Payoff,
    ast.Modifier,
    ast.Exchange,
    ast.PieceScore,
    ast.Removal,
)
_COMPOUND = (ast.If, ast.For, ast.While, ast.Repeat, ast.AsBlock, ast.Scope, ast.Step, ast.Menu)


def format_source(text: str) -> str:
    """Format the text of a `.rule` file. Idempotent: formatted text is not changed.

    Raises:
        RulesetError: the text has syntax errors.
    """
    diagnostics = Diagnostics()
    source = Source("", text)
    cut = scan_rule_file(source, diagnostics)
    declarations = parse_scan(Place(source), cut, diagnostics)
    if diagnostics.has_errors:
        raise RulesetError(diagnostics)
    return _laid_out(declarations, LineWriter(cut))


def format_rule_text(place: Place, text: str, piece: bool, diagnostics: Diagnostics) -> str | None:
    """Format rule text embedded in YAML, without its indentation; None if it has errors.

    `piece` says that it is the rule text of a piece.
    """
    cut = scan(place, text, diagnostics, DECLARATION_WORDS)
    parse = parse_piece_text if piece else parse_rule_text
    findings = Diagnostics()
    declarations = parse(place, text, findings)
    diagnostics.extend(findings)
    return None if findings.has_errors else _laid_out(declarations, LineWriter(cut, WIDTH - place.indent), piece)


def _laid_out(declarations: Sequence[ast.Declaration], writer: LineWriter, piece: bool = False) -> str:
    """Write declarations with blank lines between them; one-liners and rule text of pieces keep the source's blank
    lines."""
    printer = _Printer(writer)
    before: ast.Declaration | None = None
    for declaration in declarations:
        cited = isinstance(declaration, ast.Cited) and declaration.citations
        together = piece or (_is_one_line(before) and _is_one_line(declaration) and not cited)
        writer.separate(None if together or before is None else True)
        printer.node(declaration, 0)
        before = declaration
    return writer.text()


def print_node(node: ast.Declaration | ast.Statement) -> str:
    """Return the formatted source of one declaration, or statement, with its blocks and without a final line end."""
    printer = _Printer(LineWriter())
    printer.node(node, 0)
    return printer.writer.text().rstrip("\n")


class _Printer:
    """Prints one syntax tree in the standard layout."""

    def __init__(self, writer: LineWriter) -> None:
        self.writer = writer

    def block(self, header: Doc, line: int, block: ast.Block, level: int) -> None:
        """Write a header with its block, on one line if the source has it so and it fits; `line` is the header's source
        line."""
        first = block.statements[0]
        if len(block.statements) == 1 and not _is_compound(first) and self.writer.same_line(line, first.span.line):
            whole = (header, ": ", value(first))
            if len(flat(whole)) <= self.writer.width - level * len(STEP):
                self.writer.write(whole, level, line)
                return
        self.writer.write((deeper(header, 2), ":"), level, line)
        self.writer.separate(False)
        for statement in block.statements:
            self.node(statement, level + 1)
        if not self.writer.same_line(line, first.span.line):
            self.writer.end_block(level + 1, first.span.column)

    def alternative(self, block: ast.Block, level: int) -> None:
        """Write an `else` with its block, on the source line before the block."""
        self.writer.separate(False)
        first, line = block.statements[0], block.span.line
        cites = first.citations if isinstance(first, ast.Cited) else ()
        header = self.writer.header_line(cites[0].span.line if cites else line, block.span.column)
        self.block("else", header, block, level)

    def cites(self, node: ast.Node, level: int) -> None:
        """Write the citations of a node in brackets on lines above it."""
        if isinstance(node, ast.Cited) and node.citations:
            cites = [c for c in node.citations if c.source]
            if len(cites) < len(node.citations):
                self.writer.write("[invented]", level, node.citations[0].span.line)
                self.writer.separate(False)
            spans = (f"{c.first}" if c.first == c.last else f"{c.first}-{c.last}" for c in cites)
            texts = [f"{c.source}:{span}" for c, span in zip(cites, spans, strict=True)]
            room = self.writer.width - level * len(STEP) - len("[]")
            for row in wrap(", ".join(texts), room, break_long_words=False, break_on_hyphens=False):
                self.writer.write(f"[{row.rstrip(',')}]", level, node.citations[0].span.line)
                self.writer.separate(False)

    def node(self, node: ast.Declaration | ast.Statement, level: int) -> None:
        """Write a declaration or statement with its blocks."""
        self.cites(node, level)
        parts = (getattr(node, "body", None), getattr(node, "value", None), getattr(node, "paid", None))
        block = next((part for part in parts if isinstance(part, ast.Block)), None)
        match node:
            case ast.If():
                self._if(node, level)
            case ast.Menu() | ast.Offer():
                self._menu(node, level)
            case ast.ExchangeGroup(exchanges=exchanges):
                self.writer.write((value(node), ":"), level, node.span.line)
                self.writer.separate(False)
                for exchange in exchanges:
                    self.node(exchange, level + 1)
                self.writer.end_block(level + 1, exchanges[0].span.column)
            case ast.Modifier(lets=lets) if lets:
                self.writer.write((deeper(value(node), 2), ":"), level, node.span.line)
                self.writer.separate(False)
                for let in lets:
                    self.node(let, level + 1)
                self.writer.write(filled("{layer} {value:VALUE}", node), level + 1, node.value.span.line)
                self.writer.end_block(level + 1, lets[0].span.column)
            case _ if block is not None:
                self.block(value(node), node.span.line, block, level)
                if isinstance(node, ast.Pay) and node.unpaid:
                    self.alternative(node.unpaid, level)
            case _:
                self.writer.write(_on_one_line(node), level, node.span.line)

    def _if(self, node: ast.If, level: int) -> None:
        """Write an `if` with its `else if` and `else` branches."""
        word, line = "if ", node.span.line
        for condition, body in node.branches:
            if word == "else if ":
                self.writer.separate(False)
            self.block((word, value(condition)), line if word == "if " else condition.span.line, body, level)
            word = "else if "
        if node.otherwise:
            self.alternative(node.otherwise, level)

    def _menu(self, node: ast.Menu | ast.Offer, level: int) -> None:
        """Write a menu, or what is offered in one, with its items and `else`."""
        self.writer.write((value(node), ":"), level, node.span.line)
        self.writer.separate(False)
        for item in node.items:
            self.cites(item, level + 1)
            self.block(value(item), item.span.line, item.body, level + 1)
        if isinstance(node, ast.Menu) and node.otherwise:
            self.alternative(node.otherwise, level + 1)
        self.writer.end_block(level + 1, node.items[0].span.column)


def _on_one_line(node: ast.Declaration | ast.Statement) -> Doc:
    """Return the document of what has no block: of a declaration with its value."""
    match node:
        case ast.Giving():
            return (value(node), filled(" ={value:=VALUE}", node))
        case ast.Score() | ast.PieceScore() | ast.Payoff():
            return (value(node), filled(":{value:=VALUE}", node))
        case ast.Modifier():
            return (deeper(value(node), 2), filled(": {layer} {value:>VALUE}", node))
    return value(node)


def _is_one_line(node: ast.Declaration | None) -> bool:
    """Return whether a declaration is a one-liner: no blank line separates it from another one."""
    if isinstance(getattr(node, "value", None), ast.Block) or getattr(node, "lets", None):
        return False
    return isinstance(node, _ONE_LINERS) or (isinstance(node, ast.StepChange) and node.body is None)


def _is_compound(node: ast.Statement) -> bool:
    """Return whether a statement has blocks of its own."""
    return isinstance(node, _COMPOUND) or (isinstance(node, ast.Pay) and node.paid is not None)
