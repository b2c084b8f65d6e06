"""Findings as an author meets them: all in one run, none for the consequences of another, each at the right words."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulelang.diagnostics import Span
from tests.semantics.case import Case, places

ROOT = Path(__file__).resolve().parents[2]

# Rules with one mistake, and the words that the finding underlines.
SPANS = (
    ("rule r: coins := moneey + 1", "moneey"),
    ("rule r(c: Crad): pass", "Crad"),
    ("function f(c: Card) -> number = c.valeu + 1", "valeu"),
    ("function f(c: Card) -> bool = c is lwo and hard", "lwo"),
    ("rule r: coins := 1 + true * 2", "true * 2"),
    ("rule r: coins := (1 if hard else red)", "1 if hard else red"),
    ("rule r: coins := max(hand.value) + 1", "max(hand.value)"),
    ("rule r: move hand to bank", "hand"),
    ("rule r: move hand to drawers", "drawers"),
    ("rule r: shed += 2 nut + 1 tin", "tin"),
    ("rule r: go(1)", "go"),
    ("rule r: s(1, 2)\nrule s(n: number): pass", "s(1, 2)"),
    ("rule r: let x = none", "none"),
    ("rule r: let hand = 1", "hand"),
    ("rule r -> number: pass", "r"),
    ("rule r:\n  repeat 2 times:\n    repeat: pass", "repeat: pass"),
    ("[leaflet:1, leflet:2]\nrule r: pass", "leflet:2"),
    ("play:\n  for p in players:\n    turn of p: let c = choose one of (next.hand where it.value > 1)", "next.hand"),
    (
        "play:\n  for p in players:\n    turn of p:\n      choose:\n        a when not hard and secret > 1: pass\n        b: pass",
        "secret > 1",
    ),
)

# Several mistakes, each marked, each found once.
MANY = (
    Case(
        "rule r: coins := moneey  #!\n"
        "rule s: let n = 1 + red  #!\n"
        "function f -> number = f()  #!\n"
        "rule t:\n  repeat: coins += 1  #!\n"
        "play: u()  #!\n"
        "rule u: coins := 1\n"
        "exchanges e from shed:\n  exchange a: 1 nut -> 1 nut  #!\n"
        "quantity q -> number = 1\nmodify q: set to 1\nmodify q: set to 2  #!\n"
        "[nowhere:1]  #!\nscore a: 1",
        yaml="variables: {x: {type: Foo}}  #!\nzones: {box: {holds: Bar}}  #!",
        piece="on go(c): pass  #!",
    ),
    # What follows from a mistake is not told again.
    Case("rule r:\n  let a = moneey  #!\n  let b = a + 1\n  for p in b: p.coins := a\n  if a = red: move a to b"),
    Case("rule r(c: Crad): move c to c.home  #!"),
    Case("rule r:\n  for c in cellar: move c to trash  #!\n  while true:\n    coins += 1\n    if coins > 3: stop"),
    Case("rule r:\n  repeat: go()  #!"),
    Case("rule r:\n  repeat: s()\nrule s: let c = choose one of cellar  #!"),
    Case("rule r:\n  if can pay 1 nut from shed: pay 1 nutt from shed  #!"),
    Case("rule r:\n  choose:\n    a(c in cellar): move c to trash  #!\n    b: pass"),
    Case("rule r: let x = box[red].value + count(box[blue])", yaml="zones: {box: {holds: Bar, per: Colour}}  #!"),
    Case(
        "function f(c: Box) -> bool = c.size = huge",
        yaml="kinds:\n  Box:\n    attributes: {size: Size}  #!\n    start: box\n"
        "zones: {box: {holds: Box}}\npieces: {Box: [{id: a, size: large}, {id: b, size: small}]}",
    ),
    Case(yaml="variables: {x: {type: Foo, start: bar, capacity: {each: 3}}}  #!"),
    Case("rule r: e(1)\nevent e(n: numbr): coins := n  #!\nafter e(n): coins += n"),
    Case("function f -> number = g + 1\nfunction g -> number = h  #!"),
    Case(
        "play:\n  for p in players:\n    turn of p:\n      if secret > 1:\n"
        "        let n = choose a number from 1 to 2  #!\n        let m = choose a number from 1 to n"
    ),
)


def underlined(span: Span) -> str:
    """The words of a span, which ends on the line where it begins or is cut there."""
    assert span.source is not None
    line = span.source.lines[span.line - 1]
    return line[span.column - 1 : span.end_column - 1 if span.end_line == span.line else None]


@pytest.mark.parametrize(("rules", "words"), SPANS, ids=[words for _, words in SPANS])
def test_spans(rules: str, words: str, same_folder: Path) -> None:
    """A finding underlines the words that are wrong."""
    (found,) = Case(rules).check(same_folder)
    assert underlined(found.span) == words, found


@pytest.mark.parametrize("case", MANY, ids=range(len(MANY)))
def test_every_mistake_once(case: Case, same_folder: Path) -> None:
    """All mistakes are found in one run, and none is told of twice."""
    found = case.check(same_folder)
    lines = sorted((name, line) for _, name, line in places(found, same_folder))
    assert lines == sorted(case.marked()), "\n".join(map(str, found))


def test_words_and_hints(tmp_path: Path) -> None:
    """What is said to the author: in the words of the ruleset, with what to do about it."""
    case = Case(
        "rule r:\n  let c = choose one of next.hand\n  pay 1 nut from shed\n  coins := coin\nplay:\n  turn of seat(0): r()"
    )
    assert [(d.message, d.hint) for d in case.check(tmp_path)] == [
        (
            "this may not be payable, and does not say what happens then",
            "guard it with `can pay 1 nut from …` (one guard is good for one payment), or write `pay …:` with `else:`",
        ),
        ("nothing here is called `coin`", "did you mean `coins`?"),
    ]
