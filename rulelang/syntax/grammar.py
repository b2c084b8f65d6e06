"""The grammar, compiled once and kept in the user's cache folder.

Enters: `grammar/rulelang.lark`. Leaves: `LarkGrammar`, which turns the lexemes of one chunk into a tree or says where
it stuck and what could have stood there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from rulelang.diagnostics import Source, Span
from rulelang.resources import grammar_path
from rulelang.syntax.lexemes import Lexeme
from rulelang.syntax.tables import ParserTables, Reduction, cached_tables
from rulelang.syntax.words import ASSIGNMENTS, FIXED, STATEMENT_WORDS, TYPE_WORDS

if TYPE_CHECKING:
    from rulelang.syntax.tables import Action

STARTS = ("rule_file", "piece_text", "block_text", "expression_text", "type_text")

_SPECIAL = {"newline": "_NL", "indent": "_INDENT", "dedent": "_DEDENT", "int": "INT", "cites": "CITES"}


class ParseToken(str):
    """A lexeme as a terminal of the grammar: its text with the terminal's name and its place."""

    __slots__ = ("column", "line", "type")
    type: str
    line: int
    column: int


class ParseTree:
    """A parse tree: the name of its rule, its children, the tokens at which it begins and ends (None: of no text)."""

    __slots__ = ("begin", "children", "data", "end")

    def __init__(self, data: str, children: list[Any]) -> None:
        self.data, self.children = data, children
        self.begin: ParseToken | None = None
        self.end: ParseToken | None = None

    def span(self, source: Source) -> Span:
        """Return the place of the tree, which is of some text."""
        begin, end = cast("ParseToken", self.begin), cast("ParseToken", self.end)
        return Span(source, begin.line, begin.column, end.line, end.column + len(end))


@dataclass(frozen=True)
class Failure:
    """Where a chunk stopped making sense.

    Attributes:
        lexemes: all of the chunk.
        at: the index of the first that cannot stand where it stands; the number of lexemes when more was wanted.
        accepts: what could stand there: words and signs as written, and NAME, INT, CITES, _NL, _INDENT, _DEDENT.
    """

    lexemes: Sequence[Lexeme]
    at: int
    accepts: frozenset[str]


class LarkGrammar:
    """Lark's tables and how to feed them.

    A word is a keyword where the parser can take it as one, and a name where it can only take a name. The words of
    `FIXED` are names after a dot alone, and after a number (`2 gold`) no keyword is a name.
    """

    def __init__(self, tables: ParserTables) -> None:
        texts = {text: name for text, name in tables.terminals.items() if name not in (*_SPECIAL.values(), "NAME")}
        self._words = {text: name for text, name in texts.items() if text.isalpha()}
        self._signs = {text: name for text, name in texts.items() if not text.isalpha()}
        self._shown = {name: text for text, name in texts.items()}
        self._tables = tables

    def parse(self, lexemes: Sequence[Lexeme], start: str) -> ParseTree | Failure:
        """Parse a chunk from the start rule `start`; return its tree, or the failure."""
        stack = _Stack(self._tables, start)
        tokens: list[ParseToken] = []
        before = None
        for index, lexeme in enumerate(lexemes):
            kind = self._type(stack, lexeme, before, lexemes, index + 1)
            token = ParseToken(lexeme.text)
            token.type, token.line, token.column = kind, lexeme.line, lexeme.column
            if not stack.shift(token):
                return self._failure(lexemes, tokens, start)
            tokens.append(token)
            before = lexeme
        return stack.finish(self._tables.ends[start]) or self._failure(lexemes, tokens, start)

    def _failure(self, lexemes: Sequence[Lexeme], tokens: Sequence[ParseToken], start: str) -> Failure:
        """Return the failure at the first unaccepted lexeme.

        The tokens before it are parsed again, as the failed attempt has changed the stack.
        """
        stack = _Stack(self._tables, start)
        for token in tokens:
            stack.shift(token)
        accepted = [name for name in stack.choices() if name.isupper() and stack.takes(name)]
        accepts = frozenset(self._shown.get(name, name) for name in accepted)
        return Failure(lexemes, len(tokens), accepts)

    def _type(self, stack: _Stack, lexeme: Lexeme, before: Lexeme | None, lexemes: Sequence[Lexeme], after: int) -> str:
        """Return the terminal of a lexeme: contextually, a word is a keyword where the parser accepts it, else a
        name; `after` is the index of the next one."""
        if lexeme.kind != "word":
            return _SPECIAL.get(lexeme.kind) or self._signs.get(lexeme.text, "WRONG")
        keyword = self._words.get(lexeme.text)
        if keyword is None or (before and before.text == ".") or _is_name(lexeme.text, lexemes, after):
            return "NAME"
        if lexeme.text in FIXED or "NAME" not in stack.choices() or (before and before.kind == "int"):
            return keyword
        return keyword if keyword in stack.settled(keyword, "NAME") else "NAME"


class _Stack:
    """A parse that goes on: Lark's tables, run without what its own parser does beside (which took half of the time).

    Each value on the stack has the tokens at which it begins and ends; a tree that is made from it stands there.
    """

    __slots__ = ("actions", "begins", "ends", "states", "values")

    def __init__(self, tables: ParserTables, start: str) -> None:
        self.actions = tables.actions
        self.states = [tables.starts[start]]
        self.values: list[Any] = []
        self.begins: list[ParseToken | None] = []
        self.ends: list[ParseToken | None] = []

    def choices(self) -> dict[str, Action]:
        """Return the actions of the current state by terminal."""
        return self.actions[self.states[-1]]

    def settled(self, kind: str, other: str) -> dict[str, Action]:
        """Make the reductions common to two terminals and return the actions then.

        After a block's end, a state's table lists terminals that its reductions rule out.
        """
        while isinstance(action := self.choices().get(kind), Reduction) and action is self.choices().get(other):
            self._reduce(action)
        return self.choices()

    def takes(self, kind: str) -> bool:
        """Return whether a terminal can be shifted after its reductions, simulated on the states alone."""
        below, above = len(self.states) - 1, [self.states[-1]]
        action: Action | None
        while isinstance(action := self.actions[above[-1]].get(kind), Reduction):
            below -= max(action.size - len(above), 0)
            del above[max(len(above) - action.size, 0) :]
            above.append(cast("int", self.actions[above[-1] if above else self.states[below - 1]][action.origin]))
        return action is not None

    def shift(self, token: ParseToken) -> bool:
        """Make the reductions that a token triggers, then shift it; return False if it is not accepted."""
        action: Action | None
        while isinstance(action := self.actions[self.states[-1]].get(token.type), Reduction):
            self._reduce(action)
        if action is None:
            return False
        self.states.append(action)
        self.values.append(token)
        self.begins.append(token)
        self.ends.append(token)
        return True

    def finish(self, last: int) -> ParseTree | None:
        """Make the reductions at the end of the chunk; return its tree, or None if it is incomplete."""
        while isinstance(action := self.actions[self.states[-1]].get("$END"), Reduction):
            self._reduce(action)
            if self.states[-1] == last:
                return cast("ParseTree", self.values[-1])
        return None

    def _reduce(self, action: Reduction) -> None:
        """Replace the values of a rule's symbols by the tree built from them, with its position."""
        size, states = action.size, self.states
        if not action.rule:
            states[-1] = cast("int", self.actions[states[-2]][action.origin])
            return
        values, begin, end = [], None, None
        if size == 1:  # as six of seven are
            self.states.pop()
            values, begin, end = [self.values.pop()], self.begins.pop(), self.ends.pop()
        elif size:
            values = self.values[-size:]
            begin = next((token for token in self.begins[-size:] if token is not None), None)
            end = next((token for token in reversed(self.ends[-size:]) if token is not None), None)
            del self.values[-size:], self.begins[-size:], self.ends[-size:], states[-size:]
        children: list[Any] = values
        if action.parts is not None:
            children = []
            for index, inlined, absent in action.parts:
                children += [None] * absent
                children += values[index].children if inlined else values[index : index + 1]
            children += [None] * action.absent
        value = children[0] if action.alone and len(children) == 1 else ParseTree(action.rule, children)
        if begin is not None and end is not None and isinstance(value, ParseTree) and value.begin is None:
            value.begin, value.end = begin, end
        states.append(cast("int", self.actions[states[-1]][action.origin]))
        self.values.append(value)
        self.begins.append(begin)
        self.ends.append(end)


def _is_name(word: str, lexemes: Sequence[Lexeme], after: int) -> bool:
    """Return whether what follows a word, from index `after` on, shows that it is a name: `choose a to b of hand`,
    `turn[p] += 1`, `x: list`."""
    following = lexemes[after] if after < len(lexemes) else None
    if word in ("a", "an"):
        return following is None or following.kind != "word" or following.text in FIXED or following.text == "to"
    if word in TYPE_WORDS:
        return following is None or following.kind != "word"
    return word in STATEMENT_WORDS and word not in FIXED and _is_assigned(lexemes, after)


def _is_assigned(lexemes: Sequence[Lexeme], after: int) -> bool:
    """Return whether a dot follows at index `after`, or the sign of an assignment, maybe behind indices."""
    depth, before = 0, ""
    for lexeme in islice(lexemes, after, None):
        text = lexeme.text
        if not depth and before != "." and (text not in ("[", ".") or (not before and text == ".")):
            return text == "." or text in ASSIGNMENTS
        depth += (text == "[") - (text == "]")
        before = text
    return False


@cache
def load_grammar() -> LarkGrammar:
    """Return the grammar, its tables loaded from the disk cache where possible. Memoised.

    A cache that cannot be read or written costs time and nothing else.
    """
    text = grammar_path("rulelang.lark").read_text(encoding="utf-8")
    return LarkGrammar(cached_tables(text, list(STARTS), own=True))
