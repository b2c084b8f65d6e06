"""A finding about two places shows both: the use and the declaration, each exchange of a circle, the word that wants a
seat in the rule that is called, the other one of two equal names."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.semantics.case import Case
from tests.semantics.cases_visibility import turns

EXCHANGES = """\
exchanges bazaar from shed:
  exchange press: 1 nut -> 2 oil
  exchange idle once per turn: 1 nut -> 9 oil
  exchange plant: 1 oil -> 1 nut
play:
  for p in players:
    turn of p: trade bazaar()
"""
CASES: dict[str, tuple[Case, str, str, list[str]]] = {
    # what is checked: the case, code and part of the line of the finding, parts of the lines of its second places
    "exchanges of a circle": (Case(EXCHANGES), "exchange-cycle", "exchange press", ["exchange plant"]),
    "a rule that wants a seat": (
        Case("rule act:\n  let n = 2\n  coins += n\nplay: act()\n"),
        "you-missing",
        "play: act()",
        ["coins += n"],
    ),
    "by way of another": (
        Case("rule go: act()\nrule act: move hand to trash\nplay: go()\n"),
        "you-missing",
        "play: go()",
        ["rule act: move hand to trash"],
    ),
    "what a score line calls": (
        Case("function rich -> bool = count(others) > 2\nsetup:\n  if rich(): pass\n"),
        "you-missing",
        "if rich(): pass",
        ["count(others)"],
    ),
    "unseen pieces": (
        Case("function top_of_it -> number = max(vault.value) otherwise 0\n"),
        "visibility-unseen",
        "max(vault.value)",
        ["vault: {holds: Card, visible: nobody}"],
    ),
    "the top of unseen pieces": (
        Case("function top_of_it -> number = (top of pile).value otherwise 0\n"),
        "visibility-unseen",
        "(top of pile)",
        ["pile: {holds: Card, order: pile, visible: count"],
    ),
    "rules in force unseen": (
        Case(swap=("active: [tableau]", "active: [vault]")),
        "visibility-unseen",
        "active: [vault]",
        ["vault: {holds: Card, visible: nobody}"],
    ),
    "a local twice": (turns("let n = 1\nlet n = 2\ncoins += n"), "name-duplicate", "let n = 2", ["let n = 1"]),
    "a local and a zone": (turns("let hand = 2\ncoins += hand"), "name-duplicate", "let hand = 2", ["hand: {holds"]),
    "two score lines": (Case("score a: 1\nscore a: 2\n"), "name-duplicate", "score a: 2", ["score a: 1"]),
    "two setups": (Case("setup: pass\nsetup:\n  shuffle pile\n"), "name-duplicate", "setup:", ["setup: pass"]),
    "two items": (
        turns("choose:\n  a: pass\n  b: pass\n  a: coins += 1"),
        "name-duplicate",
        "a: coins += 1",
        ["a: pass"],
    ),
    "two exchanges": (
        Case(EXCHANGES.replace("idle", "press").replace("plant: 1 oil", "plant: 3 oil")),
        "name-duplicate",
        "exchange press once",
        ["exchange press: 1"],
    ),
    "two implementations": (
        Case("ability work(c: Card): pass\n", piece="on work(c): pass\non work(c): coins += 1"),
        "name-duplicate",
        "on work(c): coins += 1",
        ["on work(c): pass"],
    ),
    "choosing from an unseen zone": (
        turns("let c = choose one of next.hand else return\nmove c to trash"),
        "visibility-leak",
        "choose one of next.hand",
        ["hand: {holds: Card, per: player, visible: owner"],
    ),
    "asked because of an unseen variable": (
        turns(
            "let n = bid + 1\nif n > 2: ask(next)",
            "rule ask(q: player):\n  as q: coins := choose a number from 1 to 2\n",
        ),
        "visibility-leak",
        "as q: coins := choose",
        ["bid: {type: 0..9, per: player, visible: owner"],
    ),
    "two things unseen": (
        turns("choose:\n  a when secret + (max(mirror.value) otherwise 0) > 3: pass\n  b: pass"),
        "visibility-leak",
        "a when secret",
        ["mirror: {holds: Card, per: player, visible: others", "secret: {type: 0..9, visible: nobody"],
    ),
    "two members": (
        Case(swap=("{colour: Colour, value: 1..3}", "{colour: Colour, value: 1..3, charge: 1..2}"), piece="scores: 1"),
        "name-duplicate",
        "variables: {charge",
        ["value: 1..3, charge: 1..2}"],
    ),
}


@pytest.mark.parametrize(("case", "code", "line", "others"), CASES.values(), ids=CASES)
def test_both_places(case: Case, code: str, line: str, others: list[str], same_folder: Path) -> None:
    """The finding stands at its line, and names the other lines."""
    (found,) = [d for d in case.check(same_folder) if d.code == code]

    def text(path: str, number: int) -> str:
        return Path(path).read_text(encoding="utf-8").split("\n")[number - 1]

    assert line in text(found.span.path, found.span.line)
    shown = [text(span.path, span.line) for span, _ in found.related]
    assert len(shown) == len(others)
    assert [other for other, at in zip(others, shown, strict=True) if other not in at] == [], shown
    assert all(words for _, words in found.related)
