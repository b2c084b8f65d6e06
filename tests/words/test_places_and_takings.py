"""What may be taken, told without what was there; a place that belongs to one seat alone."""

from __future__ import annotations

from pathlib import Path

from tests.words.games import made, story, texts, walked

GARDEN = """
rulelang: 1
name: garden
players: 1
resources: {Fruit: {values: [apple, pear, fig], classes: {soft: [pear, fig]}}}
types: {Bed: {between: {1: [[0]]}}}
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
    """Then old goods may go for new ones, so the options are what is kept in the end."""
    found = said(tmp_path, GARDEN.replace("{each: 2}", "{total: 2}"), "en")
    assert {"keep 2 apples", "keep 1 apple and 1 fig", "keep 1 apple and 1 pear"} <= found


def test_a_place_of_one_seat(tmp_path: Path) -> None:
    """A value of a `between` type that has one seat lies before that seat, not between several."""
    assert "Tree goes from the nursery to the bed in front of seat 0." in said(tmp_path, GARDEN, "en")
    assert "Tree va du nursery au bed devant le joueur 0." in said(tmp_path, GARDEN, "fr")
