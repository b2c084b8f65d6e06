"""What may be taken, told without what was there; a place that belongs to one seat alone."""

from __future__ import annotations

from pathlib import Path

from tests.words.games import made, story, texts, walked

GARDEN = """
rulelang: 2
name: garden
players: 1
types: {Bed: {between: {1: [[0]]}}, Fruit: {values: [apple, pear, fig], classes: {soft: [pear, fig]}}}
kinds: {Tree: {start: nursery}}
pieces: {Tree: [{id: tree}]}
zones:
  nursery: {holds: Tree}
  bed: {holds: Tree, per: Bed}
variables: {basket: {type: bag of Fruit, per: player, start: 1 apple, capacity: {each: 2}}}
rules: |
  play:
    turn of seat(0):
      for place in Bed: move nursery to bed[place]
      basket += 1 apple + 1 any soft
"""


def said(folder: Path, text: str, lang: str) -> set[str]:
    """All that a game says."""
    ruleset = made(folder, text)
    found: set[str] = set()
    for state in walked(ruleset, 1, 1):
        found.update(text for _, text in texts(state, lang))
    return found | {text for _, text in story(state, lang)}


def test_what_all_options_have_is_left_out(tmp_path: Path) -> None:
    """Without a limit for all goods together the question is what to take: neither what is there nor what is sure."""
    assert {"Seat 0, play: choose what to take", "take 1 fig", "take 1 pear", "Seat 0 has chosen."} <= said(
        tmp_path, GARDEN, "en"
    )
    assert {"prendre 1 fig", "Vous avez choisi."} <= said(tmp_path, GARDEN, "fr")


def test_with_a_limit_for_all_together_everything_is_told(tmp_path: Path) -> None:
    """Then old goods may go for new ones, so the options are what is kept in the end; while none goes, they are not."""
    limited = GARDEN.replace("{each: 2}", "{total: 2}")
    assert {"Seat 0, play: choose what to take", "take 1 apple", "take 1 fig"} <= said(tmp_path, limited, "en")
    found = said(tmp_path, limited.replace("start: 1", "start: 2"), "en")
    assert {"keep 2 apples", "keep 1 apple and 1 fig", "keep 1 apple and 1 pear"} <= found


def test_a_place_of_one_seat(tmp_path: Path) -> None:
    """A value of a `between` type that has one seat lies before that seat, not between several."""
    assert "The tree goes from the nursery to the bed in front of seat 0." in said(tmp_path, GARDEN, "en")
    assert "Le tree va du nursery au bed devant le joueur 0." in said(tmp_path, GARDEN, "fr")


STABLE = """
rulelang: 2
name: stable
players: 3
kinds: {Cart: {variables: {load: {type: 0..9}}, marks: [broken], start: yard}}
pieces: {Cart: [{id: cart, count: 2}, {id: sledge, count: 3}]}
words:
  en: {inspect: inspection}
  fr: {sledge: {one: luge, gender: f}, broken: {one: cassé, feminine: cassée}}
zones:
  yard: {holds: Cart}
  barn: {holds: Cart, per: player}
rules: |
  setup:
    move (yard where it is cart) to seat(1).barn
    for c in top 1 of seat(1).barn: c.load := 7
    for c in yard:
      c.load := 1 + count(seat(0).barn where it is sledge)
      move c to seat(0).barn
  play:
    turn of seat(0): inspect()
  rule inspect:
    let mine = choose one of barn where it is sledge else return
    let theirs = choose one of next.barn else return
    mark mine.broken until after turn of you
    move (choose 2 of barn where it is sledge) to yard
    reveal theirs.load > 7
"""
"""Seat 0 has three sledges with loads of 1 to 3, seat 1 two carts, one of them with a load of 7."""


def test_pieces_are_told_apart_by_what_they_carry(tmp_path: Path) -> None:
    """Where they lie in one place; those of others come with their place."""
    state = made(tmp_path, STABLE).new_game(3, 1)
    assert [action.text("en") for action in state.legal_actions()] == [f"sledge [load {n}]" for n in (1, 2, 3)]
    state.apply(state.legal_actions()[0])
    assert [action.text("en") for action in state.legal_actions()] == [
        "cart [load 7] (seat 1's barn)",
        "cart [load 0] (seat 1's barn)",
    ]


def test_what_is_told_of_marks_alike_pieces_and_truths(tmp_path: Path) -> None:
    """Alike individuals are counted; a truth that is shown says what it is about; that a mark ends is not told."""
    state = made(tmp_path, STABLE).new_game(3, 1)
    while not state.is_terminal():
        state.apply(state.legal_actions()[0])
    said = [event["text"] for event in state.story(2)]
    assert "2 sledges go from seat 0's barn to the yard." in said
    assert "Inspection: no, shown to all." in said
    assert [text for text in said if "broken" in text] == ["Sledge: broken."]
    assert "Luge\u00a0: cassée." in [event["text"] for event in state.story(2, lang="fr")]
    assert "Sledge: broken (no longer)." in [event["text"] for event in state.events(2)]


def test_a_place_between_two_seats_addresses_the_reader(tmp_path: Path) -> None:
    """The bed of a lone player is in front of that player, for everybody else of seat 0."""
    state = made(tmp_path, GARDEN).new_game(1)
    (moved,) = [event["text"] for event in state.events(0) if event["type"] == "move"]
    assert moved == "The tree goes from the nursery to the bed in front of you."
    (moved,) = [event["text"] for event in state.events(None) if event["type"] == "move"]
    assert moved == "The tree goes from the nursery to the bed in front of seat 0."
