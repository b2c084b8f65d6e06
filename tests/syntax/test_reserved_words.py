"""The words of the language: which can be names is worked out from the grammar, and the reference lists the others."""

from __future__ import annotations

import re
from functools import cache

import pytest

from rulelang.diagnostics import Diagnostics, Source
from rulelang.syntax.grammar import load_grammar
from rulelang.syntax.parser import parse_rule_text
from rulelang.syntax.scan import Place
from rulelang.syntax.words import FIXED, KEYWORDS, RESERVED, RESERVED_RULES, RESERVED_VALUES
from tests.reference import TEXT


def inside(*lines: str) -> tuple[str, ...]:
    """Each statement in a rule of its own."""
    return tuple(f"rule r:\n  pass\n  {line}\n  pass\n" for line in lines)


VALUE = inside(
    "x := N", "if x = N: pass", "if x != N and y: pass", "let x = z[N]", "if x in [N, b]: pass", "f(N)", "f(1, N)",
    "let x = N if a else N", "let x = N.worth",
)  # fmt: skip
NAME_IN_RULES = inside(
    "N := 1", "N += 1", "let x = N + 1", "if N > 1: pass", "if not N: pass", "N[red] += 1", "p.N := 1", "let x = (N)",
    "pay c from N", "let x = N otherwise 1", "repeat N times: pass", "return N", "let c = choose N of hand",
    "mark N until after turn of p", "let n = choose a number from 1 to N", "turn of N: pass", "draw N from d to e",
    "move N to b", "move b to N", "draw 1 from N to b", "shuffle N", "let c = choose one of N", "let x = count(N)",
    "let x = count(N where it.v = 1)", "let x = top of N", "if N is empty: pass", "if c in N: pass",
    "let x = N(1) + 1", "trade N()", "let N = 1", "for N in players: pass", "if some N = x: pass",
    "let x = sum(N.v for N in c)",
)  # fmt: skip
NAME = (
    *NAME_IN_RULES,
    "function N(a: number) -> number = 1\n",
    "rule f(N: number): pass\n",
    "score a: N\n",
    "exchanges N from s:\n  exchange a: 1 b -> 2 b\n",
)
RULE = (*inside("N()", "N(1)"), "rule N: pass\n", "event N(a: number): pass\n", "ability N: pass\n")
TYPE = (
    *inside("let x = choose one of N", "for x in N: pass", "let x = N(1, 0)"),
    "function f(a: N) -> N = 1\n",
    "rule f(a: list of N, b: bag of N, c: N?): pass\n",
)
RESOURCE = inside("x += 1 N", "x += 2 N + 1 b", "x += 1 any N", "pay 1 N from s", "x += 1 (N or b)", "if N in s: pass")
PIECE = inside("if c is N: pass", "let x = count(h where it is N)", "if c is not N: pass")
MEANT = {"true", "false", "none"}
"""Words that can be read as what they mean, whatever else is called so."""
LISTS = {
    "types, zones, variables, marks, options, functions, locals": (RESERVED, VALUE + NAME + TYPE),
    "rules, events, abilities": (RESERVED_RULES, VALUE + NAME + RULE),
    "values of types, cells, pieces with identity": (RESERVED_VALUES, VALUE + PIECE),
    "other pieces": (FIXED, PIECE),
    "resources": (KEYWORDS, VALUE + NAME + RESOURCE),
}


@cache
def reads(text: str) -> bool:
    """Whether a text is a sentence of the language."""
    found = Diagnostics()
    parse_rule_text(Place(Source("f", text)), text, found)
    return not found.has_errors


def test_the_list_holds_all_words_of_the_grammar() -> None:
    assert set(load_grammar()._words) == KEYWORDS


@pytest.mark.parametrize(("reserved", "uses"), LISTS.values(), ids=LISTS)
def test_a_word_is_reserved_where_it_could_not_be_used(reserved: frozenset[str], uses: tuple[str, ...]) -> None:
    """Each word that is no name somewhere is reserved; each that is reserved is no name somewhere."""
    assert [text for text in uses if not reads(text.replace("N", "thing"))] == []
    useless = {word for word in KEYWORDS if not all(reads(text.replace("N", word)) for text in uses)}
    assert sorted(useless ^ (reserved - MEANT)) == sorted(useless & MEANT)


def test_the_reference_lists_them() -> None:
    """Word for word, in the table under `Reserved words`."""
    part = TEXT.partition("## Reserved words")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (.+?) \| ((?:`\w+` ?)+) \|$", part, re.M)
    listed = [set(re.findall(r"\w+", words)) for _, words in rows]
    assert listed == [
        set(FIXED),
        set(RESERVED_VALUES - FIXED),
        set(RESERVED - RESERVED_VALUES),
        set(RESERVED_RULES - RESERVED),
        set(KEYWORDS - RESERVED_RULES),
    ]
