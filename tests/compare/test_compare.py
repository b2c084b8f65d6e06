"""Two rulesets on paired seeds: what differs, how surely, and how many games would say more."""

from __future__ import annotations

from pathlib import Path

import pytest

import rulelang
from rulelang.compare import ComparedMeasure, Comparison, compare

BASE = """\
rulelang: 2
name: dice
players: 2
kinds: {Card: {attributes: {worth: 1..3}, start: shop}}
pieces: {Card: [{id: low, worth: 1, count: 9}, {id: high, worth: 2, count: 9}]}
zones: {shop: {holds: Card}, kept: {holds: Card, per: player}}
variables: {luck: {type: 0..60, per: player}}
rules: |
  play:
    repeat 3 times:
      for p in players:
        turn of p:
          luck += roll 1 to 6
          move (choose one of shop) to kept
  score luck: luck
  score cards: sum(kept.worth)
"""


def ruleset(folder: Path, name: str, *changes: tuple[str, str]) -> rulelang.Ruleset:
    """The game above with changes of its text."""
    text = BASE
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (folder / name).mkdir()
    (folder / name / "ruleset.yaml").write_text(text, encoding="utf-8")
    return rulelang.load(folder / name)


def measure(found: Comparison, name: str, seat: int = -1, card: str = "", action: str = "") -> ComparedMeasure:
    """The one measure of these keys."""
    (row,) = [m for m in found.measures if (m.name, m.seat, m.card, m.action) == (name, seat, card, action)]
    return row


def test_a_ruleset_does_not_differ_from_itself(tmp_path: Path) -> None:
    """Paired games are the same games: no difference, no interval, nothing clear, nothing to be advised."""
    base = ruleset(tmp_path, "base")
    for m in compare(base, base, games=40).measures:
        assert m.difference == m.low == m.high == 0
        assert (m.clear, m.games_needed) == (False, None)


def test_a_longer_game_is_compared_by_turns(tmp_path: Path) -> None:
    """Six rounds instead of three: each seat takes one card a turn of its own, half a card a turn of the game, in both.
    In a game of equal length totals stay."""
    base = ruleset(tmp_path, "base", ("luck += roll 1 to 6", "luck += 2"))
    found = compare(
        base, ruleset(tmp_path, "long", ("repeat 3", "repeat 4"), ("luck += roll 1 to 6", "luck += 2")), games=30
    )
    turns, decisions = measure(found, "turns"), measure(found, "decisions")
    assert (turns.a, turns.b, turns.per_turn) == (6, 8, False)
    assert (decisions.a, decisions.b, decisions.per_turn) == (1, 1, True)
    assert all(m.per_turn == (m.name in ("score", "decisions", "action")) for m in found.measures)
    cards = [m for m in found.measures if m.card]
    assert sum(m.a for m in cards) == pytest.approx(1, abs=1e-5)  # one card a turn, whichever
    assert sum(m.b for m in cards) == pytest.approx(1, abs=1e-5)
    assert not any(
        m.per_turn for m in compare(base, ruleset(tmp_path, "same", ("luck +=", "luck +=")), games=30).measures
    )


def test_a_known_difference(tmp_path: Path) -> None:
    """Three points more for seat 1 in every game: exactly 3, clear, and a larger part of the wins."""
    found = compare(
        ruleset(tmp_path, "base"),
        ruleset(tmp_path, "more", ("score luck: luck", "score luck: luck + 3 * you.seat")),
        games=300,
    )
    assert measure(found, "score", 0).difference == 0
    gain = measure(found, "score", 1)
    assert (gain.difference, gain.low, gain.high, gain.clear) == (3, 3, 3, True)
    assert measure(found, "score").difference == 1.5
    share = measure(found, "win_share", 1)
    assert share.clear
    assert share.difference == pytest.approx(-measure(found, "win_share", 0).difference)
    assert share.low < share.difference < share.high
    assert measure(found, "turns").a == 6
    assert measure(found, "decisions").a == 6


def test_what_happens_to_cards(tmp_path: Path) -> None:
    """Each of six choices names a card, and has no other name than the section `play`. A card that one ruleset lacks
    counts 0."""
    found = compare(
        ruleset(tmp_path, "base"),
        ruleset(tmp_path, "gone", ("{id: high, worth: 2, count: 9}", "{id: top, worth: 3, count: 9}")),
        games=50,
    )
    low, high, top = (measure(found, "action", card=card, action="play") for card in ("low", "high", "top"))
    assert low.a + high.a == 6
    assert low.b + top.b == 6
    assert (top.a, high.b) == (0, 0)
    assert [(c.change, c.section, c.kind, c.id) for c in found.changes] == [
        ("removed", "pieces", "Card", "high"),
        ("added", "pieces", "Card", "top"),
    ]


def test_a_card_is_counted_by_what_is_done_with_it(tmp_path: Path) -> None:
    """The rule `buy` was given a card: `keep` and `burn` are done with it, `swap` with another one that it names too.
    In each of six turns one card is bought, one way or the other; the last way is about both cards."""
    ways = (
        "          move (choose one of shop) to kept\n",
        "          if some offered = random one of shop: buy(offered)\n",
    )
    rule = """\
  rule buy(card: Card):
    choose:
      keep: move card to kept
      burn: luck += 1
      swap(second in shop): move second to kept
  score luck"""
    base = ruleset(tmp_path, "base", ways, ("  score luck", rule))
    found = compare(base, base, games=30)
    rows = {(m.card, m.action): m.a for m in found.measures if m.card}
    assert set(rows) == {(card, action) for card in ("low", "high") for action in ("keep", "burn", "swap")}
    swaps = sum(value for (_, action), value in rows.items() if action == "swap")
    once = sum(value for (_, action), value in rows.items() if action != "swap")
    assert 6 - once < swaps <= 2 * (6 - once)  # the same row counts once where both cards are of it
    assert {m.rule for m in found.measures if m.card} == {"buy"}


def test_what_the_second_declares_otherwise(tmp_path: Path) -> None:
    """Attributes with their values before and after, rows that are new, and declarations of rules; words, citations and
    the order of attributes are nothing that is played."""
    base = ruleset(tmp_path, "base", ("players: 2\n", "players: 2\noptions: {bonus: {values: [1, 2], default: 1}}\n"))
    (tmp_path / "variant").mkdir()
    (tmp_path / "variant" / "ruleset.yaml").write_text(
        """\
rulelang: 2
extends: base
name: variant
options: {bonus: {default: 2}, extra: {values: [3, 4], default: 4}}
pieces: {Card: [{id: low, count: 9, worth: 3}, {id: high, words: {en: {one: prize}}}]}
rules: |
  score cards: 2 * sum(kept.worth)
""",
        encoding="utf-8",
    )
    variant = rulelang.load(tmp_path / "variant")
    found = [
        (c.change, c.section, c.kind, c.id, *((a.name, a.old, a.new) for a in c.attributes))
        for c in compare(base, variant, games=1).changes
    ]
    assert found == [
        ("changed", "options", "", "bonus", ("default", "1", "2")),
        ("added", "options", "", "extra", ("values", None, "3, 4"), ("default", None, "4")),
        ("changed", "pieces", "Card", "low", ("worth", "1", "3")),
        (
            "changed",
            "rules",
            "score",
            "cards",
            ("rules", "score cards: sum(kept.worth)", "score cards: 2 * sum(kept.worth)"),
        ),
    ]
    assert compare(base, base, games=1).changes == ()


def test_how_many_games_a_clearer_answer_needs(tmp_path: Path) -> None:
    """What is unclear with few games is found with about as many as advised; what is clear needs none."""
    base = ruleset(tmp_path, "base")
    lucky = ruleset(tmp_path, "lucky", ("luck += roll 1 to 6", "luck += roll 1 to (7 if you.seat = 0 else 6)"))
    tries = [measure(compare(base, lucky, games=12, seed=seed), "win_share", 0) for seed in range(10)]
    unclear = [m for m in tries if m.low <= 0 < m.difference]
    assert unclear
    assert all(m.games_needed is not None and 12 < m.games_needed < 400 for m in unclear)
    many = measure(compare(base, lucky, games=400, seed=11), "win_share", 0)
    assert many.low > 0
    assert many.games_needed is None


@pytest.mark.parametrize(("times", "by_luck"), [(2, 1), pytest.param(20, 2, marks=pytest.mark.soak)])
def test_finds_what_is_there_and_nothing_else(times: int, by_luck: int, tmp_path: Path) -> None:
    """Several times each: a die whose mean is half a point higher is found; rows in another order, which change the
    luck of every game but nothing else, are called clear in few of them (5 % of the tables)."""
    base = ruleset(tmp_path, "base")
    lucky = ruleset(tmp_path, "lucky", ("luck += roll 1 to 6", "luck += roll 1 to (7 if you.seat = 0 else 6)"))
    other = ruleset(
        tmp_path,
        "other",
        (
            "{id: low, worth: 1, count: 9}, {id: high, worth: 2, count: 9}",
            "{id: high, worth: 2, count: 9}, {id: low, worth: 1, count: 9}",
        ),
        (
            "  play:\n",
            "  setup:\n    if (roll 1 to 2) = 1: luck_of_the_draw()\n  rule luck_of_the_draw: pass\n  play:\n",
        ),
    )
    found = [compare(base, lucky, games=400, seed=seed) for seed in range(times)]
    assert sum(measure(c, "score", 0).clear for c in found) == times
    unlike = [compare(base, other, games=400, seed=seed) for seed in range(times)]
    assert any(m.difference for m in unlike[0].measures)
    assert sum(any(m.clear for m in c.measures) for c in unlike) <= by_luck


def test_the_same_for_every_number_of_processes(tmp_path: Path) -> None:
    """Sums are exact, so how the games are shared out does not matter."""
    base = ruleset(tmp_path, "base")
    more = ruleset(tmp_path, "more", ("1 to 6", "1 to 5"))
    assert compare(base, more, games=200, jobs=2) == compare(base, more, games=200, jobs=1)
