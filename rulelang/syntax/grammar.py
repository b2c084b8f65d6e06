"""The grammar, compiled once and kept in the user's cache folder.

Enters: `grammar/rulelang.lark`. Leaves: `Grammar`, which turns the lexemes of one chunk into a tree or says where it
stuck and what could have stood there. Lark is imported when the first text is parsed, not before.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Protocol, cast

from rulelang.resources import grammar_path
from rulelang.syntax.scan import Lexeme
from rulelang.syntax.tables import cached_parser
from rulelang.syntax.words import FIXED

if TYPE_CHECKING:
    from lark import Lark, Token, Tree
    from lark.parsers.lalr_parser_state import ParserState

    class _State(Protocol):
        """What is used of Lark's `InteractiveParser`, which has no types of its own."""

        def feed_token(self, token: Token) -> object: ...
        def feed_eof(self) -> Tree[Token]: ...
        def accepts(self) -> set[str]: ...
        def choices(self) -> dict[str, object]: ...
        def copy(self, deepcopy_values: bool) -> _State: ...

        @property
        def parser_state(self) -> ParserState[int]: ...


STARTS = ("rule_file", "piece_text", "block_text", "expression_text", "type_text")

_SPECIAL = {"newline": "_NL", "indent": "_INDENT", "dedent": "_DEDENT", "int": "INT", "cites": "CITES"}


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


class Grammar:
    """Lark's tables and how to feed them.

    A word is a keyword where the parser can take it as one, and a name where it can only take a name. The words of
    `FIXED` are names after a dot alone, and after a number (`2 gold`) no keyword is a name.
    """

    def __init__(self, lark: Lark) -> None:
        self._lark = lark
        texts = {str(t.pattern.value): t.name for t in lark.terminals if t.name not in (*_SPECIAL.values(), "NAME")}
        self._words = {text: name for text, name in texts.items() if text.isalpha()}
        self._signs = {text: name for text, name in texts.items() if not text.isalpha()}
        self._shown = {name: text for text, name in texts.items()}

    def parse(self, lexemes: Sequence[Lexeme], start: str) -> Tree[Token] | Failure:
        """The tree of a chunk under the rule `start`."""
        from lark import Token, UnexpectedToken

        state = self._state(start)
        tokens: list[Token] = []
        for index, lexeme in enumerate(lexemes):
            before = lexemes[index - 1] if index else None
            kind = self._type(state, lexeme, before, lexemes[index + 1 : index + 2])
            end = lexeme.end_column
            token = Token(kind, lexeme.text, None, lexeme.line, lexeme.column, lexeme.line, end)
            try:
                state.feed_token(token)
            except UnexpectedToken:
                return self._failure(lexemes, tokens, start)
            tokens.append(token)
        try:
            return state.feed_eof()
        except UnexpectedToken:
            return self._failure(lexemes, tokens, start)

    def _state(self, start: str) -> _State:
        return cast("_State", self._lark.parse_interactive(start=start))

    def _failure(self, lexemes: Sequence[Lexeme], tokens: Sequence[Token], start: str) -> Failure:
        """Feed the good part anew: the attempt to take the bad token has left the parser in another state."""
        state = self._state(start)
        for token in tokens:
            state.feed_token(token)
        accepts = frozenset(self._shown.get(name, name) for name in state.accepts())
        return Failure(lexemes, len(tokens), accepts)

    def _type(self, state: _State, lexeme: Lexeme, before: Lexeme | None, after: Sequence[Lexeme]) -> str:
        if lexeme.kind != "word":
            return _SPECIAL.get(lexeme.kind) or self._signs.get(lexeme.text, "WRONG")
        keyword = self._words.get(lexeme.text)
        if keyword is None or (before and before.text == ".") or _is_variable(lexeme, after):
            return "NAME"
        choices = state.choices()
        if lexeme.text in FIXED or "NAME" not in choices or (before and before.kind == "int"):
            return keyword
        if keyword not in choices:
            return "NAME"
        # The table of a state can promise too much after the end of a block; only trying tells.
        return keyword if _takes(state, keyword) else "NAME"


def _is_variable(lexeme: Lexeme, after: Sequence[Lexeme]) -> bool:
    """Whether `a` or `an` is no article but a name, as in `choose a to b of hand`: an article stands before a type."""
    if lexeme.text not in ("a", "an"):
        return False
    return not after or after[0].kind != "word" or after[0].text in FIXED or after[0].text == "to"


def _takes(state: _State, kind: str) -> bool:
    """Whether the parser can really shift a token of this kind now."""
    from lark import Token, UnexpectedToken

    trial = state.copy(deepcopy_values=False)
    # Without callbacks, for those that build lists do it in place.
    trial.parser_state.parse_conf = copy(state.parser_state.parse_conf)
    trial.parser_state.parse_conf.callbacks = {}
    try:
        trial.feed_token(Token(kind, ""))
    except UnexpectedToken:
        return False
    return True


@cache
def load_grammar() -> Grammar:
    """The grammar of this version, from the cache when a sound entry is there.

    A cache that cannot be read or written costs time and nothing else.
    """
    text = grammar_path("rulelang.lark").read_text(encoding="utf-8")
    return Grammar(cached_parser(text, list(STARTS)))
