"""What to write in the place of a line that can't be parsed, where no mistake that people make explains it.

Enters: a `Failure` of the grammar. Leaves: the line with one or two words changed, if it can be parsed then, found by
trying what the parser accepts where it stopped; else a line of the same form, from `examples.toml`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from functools import cache
from itertools import islice, pairwise
from pathlib import Path

from rulelang.syntax.grammar import Failure, load_grammar
from rulelang.syntax.lexemes import Kind, Lexeme
from rulelang.syntax.words import DECLARATION_WORDS, JOINING_WORDS, KEYWORDS, RESERVED, STATEMENT_WORDS, VALUE_WORDS

_BREAKS = ("newline", "indent", "dedent")
_MOST_TRIES = 160
_LONGEST = 600
"""No longer text is parsed again."""
_ENDS = frozenset(") ] } :".split())
_NEEDLESS = frozenset(", : ? a an the then of to do".split())
_UNTRIED = (DECLARATION_WORDS | STATEMENT_WORDS | VALUE_WORDS | RESERVED) - frozenset({"of", "then", "else", "is"})
"""Words by which another statement, value or condition than the author's would begin."""


def nearest_line(failure: Failure, start: str) -> str:
    """Return the line of a failure with as few words changed as make it parse, at most two; empty if none do.

    Args:
        start: the rule of the grammar that was tried.
    """
    lexemes = list(failure.lexemes)
    at = min(failure.at, len(lexemes) - 1)
    begin = next((n + 1 for n in range(at - 1, -1, -1) if lexemes[n].kind in _BREAKS), 0)
    end = next((n for n in range(at, len(lexemes)) if lexemes[n].kind in _BREAKS), len(lexemes))
    if len(lexemes) > _LONGEST or lexemes[begin].line != lexemes[end - 1].line or end <= begin:
        return ""
    parse, tries, steps = load_grammar().parse, 0, [(lexemes, failure, end)]
    for _ in range(2):
        further: list[tuple[list[Lexeme], Failure, int]] = []
        for tokens, failed, last in steps:
            for edited, growth in islice(_edits(tokens, failed, begin, last), _MOST_TRIES - tries):
                tries += 1
                parsed = parse(edited, start)
                until = parsed.at if isinstance(parsed, Failure) else len(edited)
                if until > last + growth:
                    line = edited[begin : last + growth]
                    if all(a.text != b.text or not a.text.isalpha() for a, b in pairwise(line)):
                        return written(line)
                elif isinstance(parsed, Failure) and until > failed.at + max(growth, 0):
                    further.append((edited, parsed, last + growth))
        steps = sorted(further, key=lambda step: step[2] - step[1].at)[:3]
    return ""


def _edits(lexemes: list[Lexeme], failure: Failure, begin: int, end: int) -> Iterator[tuple[list[Lexeme], int]]:
    """Yield lexemes with a word put in, replaced or left out where the parser stopped, and how many more they are."""
    at = failure.at
    if at > end:
        return
    there = lexemes[at]
    if at > begin and lexemes[at - 1].kind == "word" and lexemes[at - 1].text in JOINING_WORDS | {"any"}:
        yield [*lexemes[: at - 1], *lexemes[at:]], -1
    for place in (at, at - 1):
        word = lexemes[place].text if place >= begin else ""
        for near in get_close_matches(word, KEYWORDS - {word}, 2, 0.7) if word.isalpha() and len(word) > 2 else ():
            yield [*lexemes[:place], _put("word", near, lexemes[place]), *lexemes[place + 1 :]], 0
    words = sorted((w for w in failure.accepts if w.isalpha() and w.islower() and w not in _UNTRIED), reverse=True)
    signs = sorted(failure.accepts & _ENDS) if there.kind != "newline" or ")" in failure.accepts else []
    for text in words:
        yield [*lexemes[:at], _put("word", text, there), *lexemes[at:]], 1
        if at > begin + 1 and lexemes[at - 1].kind == "word":
            yield [*lexemes[: at - 1], _put("word", text, there), *lexemes[at - 1 :]], 1
    for text in signs:
        yield [*lexemes[:at], _put("sign", text, there), *lexemes[at:]], 1
    if there.kind in _BREAKS:
        return
    if there.text in RESERVED or there.kind == "wrong" or there.text in (*_ENDS, "="):
        for text in (*words, *(signs if there.kind != "word" else ())):
            yield [*lexemes[:at], _put("word" if text.isalpha() else "sign", text, there), *lexemes[at + 1 :]], 0
    before_value = there.kind == "sign" and (at == begin or "NAME" in failure.accepts)
    if there.kind == "wrong" or before_value or there.text in _NEEDLESS:
        yield [*lexemes[:at], *lexemes[at + 1 :]], -1


_PUT_IN = -1
"""The column of what the author has not written."""


def _put(kind: Kind, text: str, there: Lexeme) -> Lexeme:
    """Return a word or sign that the author has not written."""
    return Lexeme(kind, text, there.line, _PUT_IN)


def written(lexemes: Sequence[Lexeme]) -> str:
    """Return lexemes of a line as they are written: blanks where their author has some, and around words put in."""
    text = ""
    for before, lexeme in zip([None, *lexemes], lexemes, strict=False):
        apart = before is not None and lexeme.column > before.end_column
        if before is not None and _PUT_IN in (before.column, lexeme.column):
            apart = lexeme.text not in (*_ENDS, ",", ".", "(") and before.text not in ("(", "[", "{", ".")
        text += f"{' ' if apart else ''}{lexeme.text}"
    return text


@cache
def _examples() -> list[tuple[tuple[str, ...], str]]:
    """Load the examples: the words of a form, and a line that has it."""
    rows = tomllib.loads(Path(__file__).with_name("examples.toml").read_text(encoding="utf-8"))["examples"]
    return [((words,) if words.startswith("…") else tuple(words.split()), line) for words, line in rows.items()]


def example(before: Sequence[str]) -> str:
    """Return a line of the form that a line, given by its words up to the failure, was going to have; empty if unknown.

    Of several forms the one counts whose words stand last.
    """
    last: tuple[int, int, str] = (-1, 0, "")
    in_value = [n and word == "if" and before[n - 1] not in (":", "else") for n, word in enumerate(before)]
    before = ["… if" if inside else word for word, inside in zip(before, in_value, strict=True)]
    for words, line in _examples():
        for place in range(len(before) - len(words) + 1):
            if before[place - 1 : place] != ["per"] and tuple(before[place : place + len(words)]) == words:
                last = max(last, (place, len(words), line))
    return last[2]
