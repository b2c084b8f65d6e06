"""What people write who know other languages, or rulebooks: each is found at its line, once, with what to write."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnostics_trial.test_trial import WORDS, findings
from tests.messages.said import block, unsaid
from tests.offenders import none

GAME = """\
rulelang: 2
name: bazaar
players: 2..3
options: {start_coins: {values: [3, 4], default: 4}}
types: {Colour: [red, blue]}
kinds:
  Card: {attributes: {price: 1..4, value: 1..5, colour: Colour}, active: [stall], start: deck}
pieces:
  Card:
    - {id: pepper, price: 1, value: 1, colour: red, count: 9}
    - id: broker
      price: 2
      value: 1
      colour: blue
      rules: |
        modify cost(card, owner): minus 1
        after buy(card) when you = owner once per turn: owner.coins += 1
zones:
  deck: {holds: Card, order: pile, visible: count, refill: discard}
  discard: {holds: Card}
  market: {holds: Card}
  hand: {holds: Card, per: player, visible: owner}
  stall: {holds: Card, per: player}
variables:
  coins: {type: 0..99, per: player, start: start_coins}
  done: {type: bool, per: player}
rules: |
  setup:
    shuffle deck
    for p in players: draw 2 from deck to p.hand
    draw 4 from deck to market

  play:
    repeat 3 times:
      round:
        for p in players:
          turn of p: act()

  rule act:
    draw 1 from deck to hand
    let shown = choose up to 1 of hand
    move shown to discard
    choose action:
      buy_card(card in market) when cost(card, you) <= coins: buy(card)
      wait: pass
    if count(hand) = 3:
      coins += 1
    else if coins > 5 and not done:
      coins -= 1
    done := count(stall where it.colour = red) > 2

  event buy(card: Card):
    coins -= cost(card, you)
    move card to stall

  quantity cost(card: Card, who: player) -> number = card.price
  function dearest -> number = max(market.price) otherwise 0
  score stalls: sum(stall.value) + dearest()
"""

DRAW, MOVE, COINS = "draw 1 from deck to hand", "move shown to discard", "coins += 1\n    else"
IF, SHOWN, LOOP, PLAYERS = (
    "if count(hand) = 3:",
    "let shown = choose up to 1 of hand",
    "repeat 3 times:",
    "p in players:\n",
)
TURN, WAIT, ITEM = "turn of p: act()", "wait: pass", "when cost(card, you) <="
DEAL, MARKET = "for p in players: draw 2 from deck to p.hand", "draw 4 from deck to market"
CALL, DEAREST = "event buy(card: Card)", "function dearest -> number ="

MISTAKES: tuple[tuple[str, str, str], ...] = (
    # what stands in the game, what is written instead, what the words of the finding hold
    (DRAW, "draw a card", "`draw 1 from deck to hand`"),
    (DRAW, "draw a card from deck to hand", "`draw 1 from deck to hand`"),
    (DRAW, "draw one card from deck to hand", "`draw 1 from deck to hand`"),
    (MARKET, "draw 4 cards from deck to market", "`draw 4 from deck to market`"),
    (MARKET, "draw 4 to market", "`draw 4 from deck to market`"),
    (MARKET, "draw 4 from deck into market", "to"),
    (MOVE, "move 1 of hand", "`move (choose 1 of hand) to …`"),
    (MOVE, "move 1 card from hand to discard", "`move (choose 1 of hand) to discard`"),
    (MOVE, "move 1 card to discard", "`move (choose 1 of hand) to …`"),
    (MOVE, "end", "`end the game`"),
    (MOVE, "end game", "`end the game`"),
    (MOVE, "end the turn", "`return`"),
    (MOVE, "require coins > 2", "`then:`"),
    (IF, "if stall has 3:", "`can pay"),
    (MOVE, "unmark done", "ends by itself"),
    (ITEM, "where cost(card, you) <=", "`when` must stand here"),
    (WAIT, "wait where coins > 2: pass", "`when` must stand here"),
    ("after buy(card) when you = owner once", "after buy(card) where you = owner once", "`when` must stand here"),
    (IF, "if you have 3 cards:", "`if count(hand) >= 3:`"),
    (IF, "if hand has 3 cards:", "`if count(hand) >= 3:`"),
    (IF, "if you have red:", "what is yours stands alone"),
    (IF, "if your coins > 2:", "`coins`"),
    (IF, "if the hand is empty:", "`hand` without it"),
    (IF, "if no cards in hand:", "`if hand is empty:`"),
    (IF, "if hand = empty:", "`hand is empty`"),
    (IF, "if hand.empty:", "`hand is empty`"),
    (IF, "if empty(hand):", "`hand is empty`"),
    (IF, "if there is red in hand:", "`if any(c.colour = red for c in hand):`"),
    (IF, "if count of hand = 3:", "`count(hand)`"),
    (IF, "if number of cards = 3:", "`count(cards)`"),
    (IF, "if coins is 3:", "`if coins = 3:`"),
    (IF, "if coins is greater than 3:", "`if coins > 3:`"),
    (IF, "if coins is at least 3:", "`if coins >= 3:`"),
    (IF, "if coins at most 3:", "`if coins <= 3:`"),
    (IF, "if hand = 3:", "`count(…)`"),
    (IF, "if hand > 3:", "`count(…)`"),
    (IF, "if hand.count = 3:", "`count(hand)`"),
    (IF, "if hand:", "`hand is not empty`"),
    (IF, "if coins:", "`… > 0`"),
    (IF, "if max(hand.value) > 3:", "`… otherwise …`"),
    (IF, "if player.coins > 3:", "`you` is the one who acts"),
    (IF, "unless count(hand) = 3:", "`if not (count(hand) = 3):`"),
    (COINS, "coins += hand.value\n    else", "`sum(…)`"),
    (COINS, "coins + 1\n    else", "`coins += 1`"),
    (COINS, "coins =+ 1\n    else", "`coins += 1`"),
    (COINS, "add 1 to coins\n    else", "`coins += 1`"),
    (COINS, "increase coins by 1\n    else", "`coins += 1`"),
    (COINS, "subtract 1 from coins\n    else", "`coins -= 1`"),
    (COINS, "set coins to 3\n    else", "`coins := 3`"),
    (COINS, "gain 1 coins\n    else", "`coins += 1`"),
    (COINS, "lose 1 coins\n    else", "`coins -= 1`"),
    (
        COINS,
        "let bonus = 2\n      coins += bonus\n    coins += bonus\n    if coins > 9: pass\n    else",
        "before the block",
    ),
    (COINS, "owner.coins += 1\n    else", "who acts is `you`"),
    (COINS, "you have 1 more\n    else", "count(hand) >= 1"),
    ("once per turn: owner.coins", "once per turn: as owner: coins", "`owner.coins += 1`"),
    (SHOWN, "let shown = choose a card from hand", "`choose one of hand`"),
    (SHOWN, "let shown = choose 1 from hand", "`choose 1 of hand`"),
    (SHOWN, "let shown = choose 0..1 of hand", "`choose 0 to 1 of hand`"),
    (SHOWN, "shown = choose up to 1 of hand", "`let shown = choose …`"),
    (SHOWN, "shown := choose up to 1 of hand", "`let shown = …`"),
    (WAIT, "- wait: pass", "without a dash"),
    (WAIT, "wait: nothing", "`pass`"),
    (WAIT, "wait: do nothing", "`pass`"),
    (TURN, "turn of p: call act()", "`act()`"),
    (TURN, "turn of p: act", "`act()`"),
    (TURN, "p.turn: act()", "`turn of p:`"),
    (TURN, "act()", "`turn of p:`"),
    (LOOP, "for 3 times:", "`repeat 3 times:`"),
    (LOOP, "loop 3 times:", "`repeat 3 times:`"),
    (LOOP, "for i from 1 to 3:", "`repeat 3 times:`"),
    (PLAYERS, "each p in players:\n", "`for p in players:`"),
    (PLAYERS, "all players:\n", "`for p in players:`"),
    (DEAL, "deal 2 to each player", "`for p in players: draw 2 from deck to p.hand`"),
    (DEAL, "for p in all players: draw 2 from deck to p.hand", "`for p in players:`"),
    ("shuffle deck", "shuffle the deck", "write `shuffle deck`"),
    (CALL, "event buy(Card card)", "`card: Card`"),
    (CALL, "event buy(card)", "`card: TYPE`"),
    ("default: 4}}", "default: 4}, fast: {values: [no, yes], default: no}}", "`fast: {type: bool, default: false}`"),
    (IF, "if count(hand) = 3 or coins > 2 and done:", "`(coins > 2 and done)`"),
)


def line_of(text: str, new: str, old: str) -> int:
    """The line on which the slip stands: where it begins, or the last of several lines that is not the game's own."""
    start = text.index(new)
    lines = new.removesuffix("\n    else").rstrip("\n").split("\n")
    which = 2 if "bonus" in new else 0
    return text.count("\n", 0, start) + 1 + min(which, len(lines) - 1)


def test_the_game_is_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RULELANG_CACHE", "")
    (tmp_path / "ruleset.yaml").write_text(GAME, encoding="utf-8")
    assert [str(d) for d in findings(tmp_path)] == []


@pytest.mark.parametrize("part", range(4))
def test_mistakes(part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One finding, at the line, whose words hold the fix (of the option, which nothing reads, the lint adds one)."""
    monkeypatch.setenv("RULELANG_CACHE", "")
    missed, blocks = {}, []
    for old, new, words in MISTAKES[part::4]:
        assert GAME.count(old) == 1, old
        text = GAME.replace(old, new)
        (tmp_path / "ruleset.yaml").write_text(text, encoding="utf-8")
        found = [d for d in findings(tmp_path) if d.code != "option-unread"]
        told = [(d.span.line, f"{d.message} | {d.hint}") for d in found]
        blocks.append(block(found))
        if len(found) != 1 or told[0][0] != line_of(text, new, old) or words not in told[0][1]:
            missed[new] = told
    assert missed == {}
    none(unsaid(WORDS, f"first game {part}", blocks))


def test_a_misspelt_name_in_an_overlay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A function that nothing calls and that is called nearly like one below: it was to stand in its place."""
    monkeypatch.setenv("RULELANG_CACHE", "")
    variant = tmp_path / "bazaar" / "variants" / "dear"
    variant.mkdir(parents=True)
    (tmp_path / "bazaar" / "ruleset.yaml").write_text(GAME, encoding="utf-8")
    over = "rulelang: 2\nextends: bazaar\nname: dear\nrules: |\n  function dearst -> number = 7\n"
    (variant / "ruleset.yaml").write_text(over, encoding="utf-8")
    (found,) = findings(variant)
    assert (found.code, found.span.line) == ("rule-unused", 5)
    assert found.hint == "did you mean to replace `dearest`?"
