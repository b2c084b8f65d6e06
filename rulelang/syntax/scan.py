"""Cutting a text into lexemes, lines and declarations, before any grammar is asked.

Enters: a text and its place in a file. Leaves: chunks of lexemes (one chunk per top-level declaration), the comments,
the logical lines, and a finding for everything that makes a chunk unfit for the parser: tabs and odd steps in the
indentation, unbalanced brackets, too deep nesting, numbers without end, characters that rules do not use.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, cast

from rulelang.diagnostics import Diagnostics, Source, Span, counted
from rulelang.limits import DEPTH, DIGITS
from rulelang.syntax.lexemes import LEXEME, Kind, Lexeme
from rulelang.syntax.phrases import phrase_in, word_meant
from rulelang.syntax.rewording import reworded
from rulelang.syntax.words import OPERATORS

_FIRST_WORD = re.compile(r"[A-Za-z_]*")
_UNFINISHED = OPERATORS | frozenset(
    ", and or not in is where with by of if else otherwise when div mod return "
    "most fewest plus minus least from to".split()
)
"""What ends no line: a deeper line goes on with it."""
_GOES_ON = re.compile(
    r"(?:and|or|not|in|is|where|with|grouped|sorted(?=\s+by\b)|then|otherwise|else|when|div|mod)\b|[-+*=<>!.]|if\b(?=[^:#]*(?:#|$))"
)
"""What begins no line of its own."""
_VALUED = frozenset("score scores winner tie payoff modify".split())
"""Declarations with a value after the colon; in a block it is given by one of these."""
_GIVING = frozenset(("let", "if", "return"))
_CLOSER = {"(": ")", "[": "]", "{": "}"}
_QUOTES = "“”„«»‹›‘’‚"
_PLAIN = {"≥": ">=", "≤": "<=", "≠": "!=", "×": "*", "·": "*", "−": "-", "–": "-", "—": "-", "→": "->", "…": ".."}


class Comment(NamedTuple):
    """A comment with its `#`; `alone` when nothing stands before it in its line."""

    text: str
    line: int
    column: int
    alone: bool


class LogicalLine(NamedTuple):
    """A logical line: from its first to its last line of the file, beginning in `column`."""

    first: int
    last: int
    column: int


@dataclass
class Chunk:
    """The lexemes of one declaration; one that is not `sound` was already complained about and is not parsed."""

    lexemes: list[Lexeme] = field(default_factory=list)
    sound: bool = True


@dataclass(frozen=True)
class Place:
    """Where an embedded text stands: its first character, and how many columns its later lines were stripped of."""

    source: Source
    line: int = 1
    column: int = 1
    indent: int = 0

    @classmethod
    def of(cls, text: Span, indent: int) -> Place:
        """Return the place of a text that begins where a span does."""
        assert text.source is not None
        return cls(text.source, text.line, text.column, indent)

    def span(self, lexeme: Lexeme) -> Span:
        """Return the span of a lexeme, at least one column wide."""
        return Span(self.source, lexeme.line, lexeme.column, lexeme.line, max(lexeme.end_column, lexeme.column + 1))


@dataclass(frozen=True)
class Scan:
    """What a text consists of; `blank` are the numbers of its empty lines."""

    chunks: tuple[Chunk, ...]
    comments: tuple[Comment, ...]
    lines: tuple[LogicalLine, ...]
    blank: frozenset[int]


def scan(
    place: Place, text: str, diagnostics: Diagnostics, openers: frozenset[str] = frozenset(), flat: bool = False
) -> Scan:
    """Split a text into chunks of lexemes, comments and logical lines.

    Args:
        place: where it stands.
        text: what to cut; tabs, carriage returns and a byte order mark are taken as they come.
        diagnostics: takes the findings.
        openers: words that begin a declaration; when given, the text is split into chunks at its unindented lines.
        flat: line ends mean nothing (an expression or a type spread over several lines).
    """
    scanner = _Scanner(place, diagnostics, openers, flat)
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n")):
        scanner.line(number, line.removesuffix("\r"))
    return scanner.finish()


class _Scanner:
    """Cuts one text into lexemes, lines and chunks.

    Attributes:
        place: where the text stands. openers, flat: see `scan`. chunks,
            lines, comments, blank: what was scanned. levels: widths of the indentations that are open; open: brackets
            that are. reported: codes reported for the chunk at hand.
    """

    def __init__(self, place: Place, diagnostics: Diagnostics, openers: frozenset[str], flat: bool) -> None:
        self.place = place
        self.diagnostics = diagnostics
        self.openers = openers
        self.flat = flat
        self.chunks: list[Chunk] = []
        self.comments: list[Comment] = []
        self.lines: list[LogicalLine] = []
        self.blank: set[int] = set()
        self.chunk = Chunk()
        self.levels = [0]
        self.open: list[Lexeme] = []
        self.reported: set[str] = set()

    def error(self, code: str, message: str, lexeme: Lexeme, hint: str = "") -> None:
        """Report an error and mark the chunk as unsound; each code is reported once for a chunk."""
        self.chunk.sound = False
        if code not in self.reported:
            self.reported.add(code)
            self.diagnostics.error(code, message, self.place.span(lexeme), hint)

    def line(self, number: int, text: str) -> None:
        """Scan a physical line: indentation, lexemes, comments; `number` counts from 0."""
        line = self.place.line + number
        shift = self.place.column if number == 0 else self.place.indent + 1
        rest = text.lstrip(" \t\f")
        offset = len(text) - len(rest)
        if not rest:
            self.blank.add(line)
            return
        if rest[0] == "#":
            self.comments.append(Comment(rest.rstrip(), line, offset + shift, True))
            return
        self.begin(line, text, offset, shift)
        for lexeme in self.cut(rest, line, offset + shift):
            self.balance(lexeme)
            self.chunk.lexemes.append(lexeme)
        last = self.lines[-1]
        self.lines[-1] = last._replace(last=line)
        if not self.open and not self.flat:
            self.end_line()

    def begin(self, line: int, text: str, offset: int, shift: int) -> None:
        """Begin a logical line with its indents or dedents, or continue the one whose bracket is open."""
        first = _FIRST_WORD.match(text, offset)
        starts = bool(self.openers) and offset == 0 and text[0] not in ")]}"
        if self.open and starts and first and first[0] in self.openers:
            self.unclosed()
            self.end_line()
        if (self.open or self.flat) and self.lines and self.chunk.lexemes:
            return
        if offset > self.levels[-1] and self.chunk.lexemes and self.goes_on(text[offset:], first):
            self.chunk.lexemes.pop()
            return
        if starts and any(lexeme.kind not in ("cites", "newline") for lexeme in self.chunk.lexemes):
            self.end_chunk()
        self.lines.append(LogicalLine(line, line, offset + shift))
        indent = Lexeme("indent", "", line, offset + shift)
        if not self.chunk.lexemes:
            if self.openers and offset:
                self.error("syntax-indent", "a declaration begins in the first column", indent)
            return
        if "\t" in text[:offset]:
            indent = indent._replace(column=text.index("\t") + shift)
            hint = "indent with spaces, two for each level"
            self.error("syntax-tab", "a tab stands in the indentation", indent, hint)
        elif offset > self.levels[-1]:
            self.levels.append(offset)
            self.chunk.lexemes.append(
                indent._replace(line=self.chunk.lexemes[-1].line, column=self.chunk.lexemes[-1].column)
            )
            self.deep(indent)
        else:
            self.dedent(offset, indent)

    def goes_on(self, text: str, first: re.Match[str] | None) -> bool:
        """Return whether an indented line continues the line above, which opens no block."""
        *_, last, _ = (lexeme.text for lexeme in self.chunk.lexemes)
        if last == ":":
            word = first[0] if first else ""
            head = next(lexeme.text for lexeme in self.chunk.lexemes if lexeme.kind not in ("cites", "newline"))
            return len(self.levels) == 1 and head in _VALUED and word not in _GIVING
        return last in _UNFINISHED or _GOES_ON.match(text) is not None

    def dedent(self, offset: int, indent: Lexeme) -> None:
        """Append the dedents down to an indentation of `offset`; report one that matches no enclosing block."""
        last = self.chunk.lexemes[-1]
        above = list(self.levels)
        while offset < self.levels[-1]:
            self.levels.pop()
            self.chunk.lexemes.append(Lexeme("dedent", "", last.line, last.column))
        if offset != self.levels[-1]:
            levels = " or ".join(str(level) for level in above if level >= self.levels[-1])
            message = f"this line is indented by {offset}, and no block above is"
            self.error("syntax-indent", message, indent, f"indent it by {levels}")
            self.levels.append(offset)

    def cut(self, rest: str, line: int, column: int) -> Iterator[Lexeme]:
        """Yield the lexemes in a line's text; report invalid characters and overlong numbers."""
        for match in LEXEME.finditer(rest):
            kind, text, start = match.lastgroup, match[0], column + match.start()
            if kind == "comment":
                self.comments.append(Comment(text.rstrip(), line, start, False))
            elif kind == "bad":
                yield self.bad(Lexeme("wrong", text, line, start), rest)
            elif kind != "space":
                if kind == "int" and len(text) > DIGITS:
                    message = f"this number has {counted(len(text), 'digit')}; at most {DIGITS} are allowed"
                    self.error("syntax-number", message, Lexeme("int", text, line, start))
                    text = text[:DIGITS]
                yield Lexeme(cast("Kind", kind), text, line, start)

    def bad(self, lexeme: Lexeme, line: str) -> Lexeme:
        """Report an invalid character, with an ASCII spelling as a hint if there is one."""
        shown = lexeme.text[:12] if lexeme.text.isprintable() else ascii(lexeme.text[:12]).strip("'")
        message, hint = (
            f"`{shown}` cannot stand in rules",
            "names are made of a-z, A-Z, 0-9 and _; comments may hold anything",
        )
        words = [word for word in re.findall(r"\w+", line) if lexeme.text[0] in word]
        if lexeme.text[0] == "∞":
            hint = "every number has a bound here: write one that no game reaches, such as `999`"
        elif lexeme.text[0] in _PLAIN:
            hint = f"write `{_PLAIN[lexeme.text[0]]}` instead"
        elif unicodedata.category(lexeme.text[0]) == "Sc":
            amount = re.search(r"\d+", line)
            message, hint = "numbers have no unit", f"write `{amount[0]}`" if amount else "take it away"
        elif lexeme.text[0] in _QUOTES:
            quoted = re.search(f"[{_QUOTES}] ?(\\w+)", line)
            hint = f"names stand without quotes: write `{quoted[1]}`" if quoted else "there are no quotes in rules"
        elif unicodedata.category(lexeme.text[0]) == "Zs":
            message = f"a special space (`{shown}`) stands here, which only looks like a plain one"
            hint = "type a plain space in its place"
        elif words:
            plain = re.sub(r"[^ -~]", "", unicodedata.normalize("NFKD", words[0]))
            meant = word_meant(plain.lower())
            plainly = f"have no accents: `{plain}`, or an English name" if plain else "have letters from a to z alone"
            if len(words[0]) > 1:
                hint = f"write {meant}" if meant else f"names and words {plainly}"
            unaccented = "".join(unicodedata.normalize("NFKD", c)[0] if c.isalpha() else c for c in line)
            at = lexeme.column - 1
            names = self.diagnostics.names
            told = phrase_in(unaccented, at, False, names)
            if told is None and line[:1] != " ":
                told = phrase_in(unaccented, at, True, names)
            message, hint = (told.message, told.hint) if told is not None else (message, hint)
        self.error("syntax-character", message, lexeme, hint)
        return lexeme

    def balance(self, lexeme: Lexeme) -> None:
        """Push an opening bracket; match a closing one with the innermost open bracket."""
        if lexeme.kind != "sign":
            return
        if lexeme.text in "([{":
            self.open.append(lexeme)
            self.deep(lexeme)
        elif lexeme.text in ")]}":
            if not self.open:
                words = [before.text for before in self.chunk.lexemes[-2:] if before.kind == "word"]
                hint = f"write `{words[0]}({words[1]})`" if lexeme.text == ")" and len(words) > 1 else ""
                self.error("syntax-bracket", f"`{lexeme.text}` closes nothing", lexeme, hint)
            elif lexeme.text != _CLOSER[self.open[-1].text]:
                opener = self.open.pop()
                closer = _CLOSER[opener.text]
                message = f"`{lexeme.text}` stands where the `{opener.text}` of line {opener.line} wants its `{closer}`"
                self.error("syntax-bracket", message, lexeme)
            else:
                self.open.pop()

    def deep(self, lexeme: Lexeme) -> None:
        """Report blocks and brackets nested more than `DEPTH` deep."""
        if len(self.levels) - 1 + len(self.open) > DEPTH:
            message = f"blocks and brackets are nested more than {DEPTH} deep"
            self.error("syntax-depth", message, lexeme, "move the inner part to a rule or a function of its own")

    def unclosed(self) -> None:
        """Report the innermost open bracket and discard all open ones."""
        opener = self.open[-1]
        message, hint = f"`{opener.text}` is never closed", f"add the `{_CLOSER[opener.text]}`"
        head = next((x for x in reversed(self.chunk.lexemes) if x.kind == "word" and x.line == opener.line), opener)
        if opener.text == "{" and head.column < opener.column:
            line = self.place.span(opener).whole_line
            worded = reworded(line.strip(), bool(self.openers) and line == line.lstrip())
            message, hint = "a block begins with `:`, and its lines are indented", "write `:` for `{`, and no `}`"
            hint = worded.hint if worded is not None else hint
        self.error("syntax-bracket", message, opener, hint)
        self.open = []

    def end_line(self) -> None:
        """Append the line break of a logical line."""
        if self.chunk.lexemes:
            last = self.chunk.lexemes[-1]
            self.chunk.lexemes.append(Lexeme("newline", "", last.line, last.end_column))

    def end_chunk(self) -> None:
        """Append the missing closers of the current chunk and begin a new one."""
        if self.open:
            self.unclosed()
        if not self.chunk.lexemes:
            return
        if self.chunk.lexemes[-1].kind != "newline":
            self.end_line()
        last = self.chunk.lexemes[-1]
        self.chunk.lexemes += [Lexeme("dedent", "", last.line, last.column)] * (len(self.levels) - 1)
        self.chunks.append(self.chunk)
        self.chunk = Chunk()
        self.levels = [0]
        self.reported = set()

    def finish(self) -> Scan:
        """End the last chunk and return the scan."""
        self.end_chunk()
        return Scan(tuple(self.chunks), tuple(self.comments), tuple(self.lines), frozenset(self.blank))
