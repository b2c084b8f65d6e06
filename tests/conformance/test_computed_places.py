"""A zone that is computed, `A if C else B` or a table, wherever one may be named: it is as if the whole line stood
under the condition."""

from __future__ import annotations

from pathlib import Path

import pytest

import rulelang

HEAD = """\
rulelang: 2
name: places
players: 2
types: {Hue: [red, blue]}
kinds: {Card: {IDENTITYattributes: {value: 1..3}, start: deck}}
pieces:
  Card: [{id: one, value: 1, count: 8}, {id: two, value: 2, count: 8}, {id: three, value: 3, count: 8}]
zones:
  deck: {holds: Card, order: pile, visible: count, refill: gone}
  spare: {holds: Card, order: pile, visible: count}
  gone: {holds: Card}
  heap: {holds: Card, order: pile, visible: top}
  hand: {holds: Card, per: player, visible: owner}
  row: {holds: Card, per: player}
variables:
  n: {type: 0..99}
  hue: {type: Hue}
rules: |
  setup:
    shuffle deck
    for p in players: draw 3 from deck to p.hand
    draw 4 from deck to spare
    draw 2 from deck to gone
    draw 3 from deck to heap
  play:
    repeat 6 times:
      as seat(0):
        hue := choose one of Hue
"""
PILES = (
    "draw 1 from P to gone",
    "draw 2 at once from P to gone",
    "shuffle P",
    "move top of P to row",
    "move top 2 of P to gone",
    "let c@ = bottom of P\nif some d@ = c@: n := d@.value",
    "reveal top of P",
)
"""What is done with a pile alone."""
ANY = (
    "draw 1 from deck to P",
    "draw 2 from spare to P",
    "draw 2 at once from deck to P",
    "draw 2 at once from deck to P secretly",
    "move top of deck to P",
    "move top 2 of heap to P",
    "move spare to P",
    "move spare to P secretly",
    "move gone to P",
    "move (gone where it.value > 1) to P",
    "let e@ = top of gone\nif some f@ = e@: move f@ to P",
    "move P to gone",
    "move (P where it.value > 1) to gone",
    "move (random 1 of P) to gone",
    "move top of deck to row\nmove top of row to P",
    "reveal P",
    "for g@ in P: n := g@.value",
    "n := min(count(P), 99)",
    "if P is not empty: n := 7",
    "n := min(sum(P.value), 99)",
    "n := count(gone where it in P)",
    "let h@ = P\nn := count(h@)",
    "n := min(count(P + gone), 99)",
    "n := count(top 2 of P)",
)
"""What is done with any zone."""
PLACES = {
    "two piles": ("deck", "spare", PILES + ANY),
    "a pile whose top all see, and a hidden one": ("heap", "deck", PILES + ANY),
    "an open zone and a pile": ("gone", "heap", ANY),
    "hands": ("seat(1).hand", "hand", ANY),
    "a row and a hand": ("row", "seat(1).hand", ANY),
    "a hidden pile and a hand": ("spare", "hand", ANY),
}
"""Two zones, and what is done with one or the other."""
FIRST = ("a pile whose top all see, and a hidden one", "hands")
FORMS = {"if": "(A if hue = red else B)", "a table": "({red: A, blue: B} at hue)"}


def ruleset(statements: tuple[str, ...], first: str, second: str, form: str, identity: bool) -> str:
    """The ruleset in which a line names one of two zones, or, without a form, of two lines one is carried out."""
    lines = list[str]()
    for number, statement in enumerate(statements):
        text = statement.replace("@", str(number))
        place = form.replace("A", first).replace("B", second)
        if form:
            lines += text.replace("P", place).split("\n")
        else:
            for condition, zone in (("if hue = red:", first), ("else:", second)):
                lines += [condition, *(f"  {line}" for line in text.replace("P", zone).split("\n"))]
    rules = "".join(f"        {line}\n" for line in lines)
    return HEAD.replace("IDENTITY", "identity: true, " if identity else "") + rules


def course(text: str, folder: Path, backend: str, chance: str) -> list[object]:
    """All that seats and chance see of a game, whose choices are taken in turn."""
    folder.mkdir()
    (folder / "ruleset.yaml").write_text(text, encoding="utf-8")
    state = rulelang.load(folder).new_game(2, seed=3, backend=backend, chance=chance)
    seen: list[object] = []
    for step in range(200):
        if state.is_terminal():
            break
        if state.is_chance_node():
            outcomes = state.chance_outcomes()
            seen.append([(action.text("en"), weight) for action, weight in outcomes])
            state.apply(outcomes[step * 7 % len(outcomes)][0])
        else:
            actions = state.legal_actions()
            state.apply(actions[step % len(actions)])
        views = [state.observation(seat) | {"known": None} for seat in (0, 1)]
        seen.append([{name: part for name, part in view.items() if name != "asked"} for view in views])
    return seen


@pytest.mark.parametrize(
    ("places", "backend"),
    [
        pytest.param(places, backend, marks=[] if backend == "interpreter" and places in FIRST else pytest.mark.soak)
        for places in PLACES
        for backend in ("interpreter", "native")
    ],
)
def test_zones_that_are_computed(places: str, backend: str, tmp_path: Path) -> None:
    """A game with a computed zone goes the same way as one in which each line stands under the condition."""
    first, second, statements = PLACES[places]
    identity, chance = places in ("two piles", "hands"), "sampled" if "hand" in places else "explicit"
    form = FORMS["a table" if places in ("hands", "an open zone and a pile") else "if"]
    written = course(ruleset(statements, first, second, "", identity), tmp_path / "a", "interpreter", chance)
    assert len(written) >= 6
    assert course(ruleset(statements, first, second, form, identity), tmp_path / "b", backend, chance) == written
