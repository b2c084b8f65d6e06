"""What designers write who come from rulebooks, spreadsheets, programs or French: one finding, at the cause, with what
to write; and where that is text to type, the game is right with it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from rulelang.diagnostics import Diagnostic
from tests.diagnostics_trial.test_trial import WORDS, findings
from tests.messages.said import block, unsaid
from tests.offenders import none

HEAD = """\
rulelang: 2
name: pond
players: 2..4
types:
  Colour: [red, blue]
kinds:
  Card:
    attributes: {value: 1..3, colour: Colour}
    start: deck
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
  tableau: {holds: Card, per: player, visible: all}
  discard: {holds: Card, visible: all, final: true}
variables:
  coins: {type: 0..99, per: player, start: 3}
"""
CARDS = """\
rulelang: 2
pieces:
  Card:
    - {id: red1, value: 1, colour: red, count: 6}
    - {id: red3, value: 3, colour: red, count: 6}
    - {id: blue2, value: 2, colour: blue, count: 6}
    - {id: frog, value: 3, colour: blue, count: 6}
"""
RULES = """\
rulelang 2

setup:
  shuffle deck
  for p in players: draw 6 from deck to p.hand

play:
  repeat 4 times:
    for p in players:
      turn of p: take_turn()

rule take_turn:
  draw 1 from deck to hand
  let card = choose one of hand else return
  move card to tableau
  if count(hand) > 3:
    coins += 1
  choose action:
    trade(c in hand) when c.value <= coins:
      coins -= c.value
      move c to discard
    wait: pass

score points: sum(tableau.value)
score coins: coins
tie: fewest count(hand), then shared
"""
FILES = {"ruleset.yaml": HEAD, "cards.yaml": CARDS, "pond.rule": RULES}
DRAW, MOVE, IF, COINS = "draw 1 from deck to hand", "move card to tableau", "if count(hand) > 3:", "coins += 1"
CHOOSE, SCORE, LOOP = "let card = choose one of hand else return", "score points: sum(tableau.value)", "repeat 4 times:"
ITEM, WAIT, TIE = "trade(c in hand) when c.value <= coins:", "wait: pass", "tie: fewest count(hand), then shared"
RULE = "rule take_turn:"
ROW = "{id: red1, value: 1, colour: red, count: 6}"


NAMED_ELSEWHERE = ("type-unknown", "attribute-unknown")
"""What names a declaration that is not there, or of another sort: told where it is used, with the place of that."""


class Slip(NamedTuple):
    """In the file that holds `old`, `new` is written instead; a finding `code` says `words` in its message or
    hint. With `mend` in the place of `new` the game is right, and the hint says it."""

    old: str
    new: str
    code: str
    words: str = ""
    mend: str = ""


def to(old: str, new: str, code: str, mend: str, words: str = "") -> Slip:
    """A slip whose hint is text to type."""
    return Slip(old, new, code, words, mend)


SLIPS = (
    # English, as on cards
    Slip(DRAW, "draw 2 cards from deck", "syntax-missing", "`draw 2 from deck to hand`"),
    Slip(DRAW, "draw N cards from deck", "syntax-missing", "`draw N from deck to hand`"),
    Slip(DRAW, "draw card from deck", "syntax-missing", "`draw 1 from deck to hand`"),
    to(DRAW, "draw 2 cards from deck to hand", "resource-unknown", "draw 2 from deck to hand"),
    to(DRAW, "draw 1 card to hand", "syntax-missing", "draw 1 from deck to hand"),
    to(DRAW, "draw 1 from deck into hand", "syntax-missing", "draw 1 from deck to hand"),
    to(DRAW, "draw 1 to hand from deck", "syntax-missing", "draw 1 from deck to hand"),
    to(DRAW, "draw up to 5", "syntax-word", "draw max(5 - count(hand), 0) from deck to hand"),
    to(DRAW, "refill hand to 5", "syntax-word", "draw max(5 - count(hand), 0) from deck to hand"),
    to(DRAW, "you draw 1", "syntax-word", "draw 1 from deck to you.hand"),
    Slip(COINS, "owner draws 1", "syntax-word", "`draw 1 from deck to owner.hand`"),
    to(COINS, "each player draws 1", "syntax-word", "for p in players: draw 1 from deck to p.hand"),
    to(COINS, "each player gains 1 coins", "syntax-word", "for p in players: p.coins += 1"),
    to(COINS, "each opponent loses 1 coins", "syntax-word", "for p in others: p.coins -= 1"),
    to(COINS, "you gain 1 coins", "syntax-word", "you.coins += 1"),
    to(COINS, "coins plus 1", "syntax-assign", "coins += 1"),
    to(COINS, "+1 coins", "syntax-assign", "coins += 1"),
    Slip(COINS, "game over", "syntax-word", "`end the game`"),
    Slip(COINS, "you win", "syntax-word", "`end the game won by you`"),
    Slip(COINS, "next player", "syntax-word", "`return`"),
    to(MOVE, "move card from hand to tableau", "move-goods", "move card to tableau"),
    to(MOVE, "put card in tableau", "syntax-word", "move card to tableau"),
    to(MOVE, "play card to tableau", "syntax-word", "move card to tableau"),
    to(MOVE, "discard card", "syntax-word", "move card to discard"),
    to(MOVE, "destroy card", "syntax-word", "move card to discard"),
    to(MOVE, "discard 1", "syntax-word", "move (choose 1 of hand) to discard"),
    to(MOVE, "return card to tableau", "syntax-word", "move card to tableau"),
    to(MOVE, "move card to bottom of deck", "syntax-unexpected", "move card to deck at bottom"),
    to(MOVE, "give card to next player", "syntax-word", "move card to next.hand"),
    to(MOVE, "move card tableau", "syntax-missing", "move card to tableau"),
    Slip(COINS, "shuffle discard into deck", "syntax-unexpected", "`move discard to deck`, and `shuffle deck`"),
    to(CHOOSE, "let card = pick one of hand else return", "syntax-choose", "choose one of hand", "asked with `choose`"),
    Slip(CHOOSE, "let card = choose card", "syntax-choose", "`choose one of card`"),
    Slip(CHOOSE, "let card = choose a card", "syntax-former", "`choose one of hand`"),
    Slip(CHOOSE, "let card = choose one red of hand", "syntax-choose", "`choose one of hand where it.colour = red`"),
    Slip(CHOOSE, "let card = choose one of hand or pass", "type-mismatch", "`choose up to 1 of hand`"),
    Slip(CHOOSE, "let card = choose one of hand and tableau", "type-mismatch", "`hand + tableau`"),
    Slip(CHOOSE, "let card = random hand", "syntax-choose", "`random one of hand`"),
    Slip(COINS, "roll 1d6", "syntax-choose", "`roll 1 to 6`"),
    Slip(COINS, "flip a coin", "syntax-choose", "(roll 0 to 1) = 1"),
    to(IF, "if count hand > 3:", "syntax-call", "count(hand)"),
    to(IF, "if coins between 2 and 5:", "syntax-compare", "2 <= coins and coins <= 5"),
    to(IF, "if coins > 3 and < 6:", "syntax-compare", "coins > 3 and coins < 6"),
    to(IF, "if coins > 3 or 2:", "type-mismatch", "coins > 3 or coins > 2"),
    to(IF, "if hand has frog:", "syntax-word", "any(c is frog for c in hand)"),
    to(IF, "if any card in tableau is red:", "syntax-word", "if any(c.colour = red for c in tableau):"),
    to(IF, "if card is red:", "name-unknown", "card.colour = red"),
    to(IF, "if card.colour is red:", "type-mismatch", "card.colour = red"),
    Slip(IF, "if tableau.value > 3:", "type-mismatch", "`any(x.value > 3 for x in tableau)` whether there is one"),
    Slip(IF, "if tableau.colour = red:", "type-mismatch", "`any(x.colour = red for x in tableau)` whether there"),
    Slip(IF, "if round > 2:", "name-unknown", "declare a variable"),
    Slip(IF, "if current_player.coins > 3:", "name-unknown", "who acts is `you`"),
    Slip(IF, "if opponent.coins > 3:", "name-unknown", "`next` is the other one"),
    Slip(SCORE, "score points: 1 per card in tableau", "syntax-word", "write `score points: 1 * count(tableau)`"),
    to(SCORE, "score points: 2 x count(tableau)", "syntax-operator", "2 * count(tableau)"),
    Slip(SCORE, "score points: 3 if count(tableau) > 2", "syntax-missing", "`… if count(tableau) > 2 else 0`"),
    to(SCORE, "score: sum(tableau.value)", "syntax-unexpected", "score points: sum(tableau.value)"),
    Slip(TIE, "tie: least count(hand)", "syntax-word", "`tie: fewest count(hand)`"),
    Slip(TIE, "winner is most coins", "syntax-word", "`winner: most coins`"),
    Slip(TIE, "game ends when deck is empty", "syntax-word", "`if deck is empty: end the game` inside `play:`"),
    to("setup:\n", "preparation:\n", "syntax-word", "setup:"),
    to("play:\n", "main:\n", "syntax-word", "play:"),
    to(RULE, "take_turn:", "syntax-word", "rule take_turn:"),
    to(RULE, "rule take turn:", "syntax-unexpected", "rule take_turn:"),
    to(RULE, "rule: take_turn", "syntax-unexpected", "rule take_turn:"),
    to(LOOP, "4 times:", "syntax-word", "repeat 4 times:"),
    to(LOOP, "repeat until deck is empty:", "syntax-word", "while not (deck is empty):"),
    to(ITEM, "trade c in hand when c.value <= coins:", "syntax-missing", "trade(c in hand)"),
    Slip(ITEM, "trade(c) when c.value <= coins:", "syntax-missing", "`c in hand`"),
    to(WAIT, "wait(): pass", "syntax-word", "wait:"),
    # spreadsheets
    to(SCORE, "score points: IF(count(hand)>3;5;0)", "syntax-word", "5 if count(hand)>3 else 0"),
    to(SCORE, "score points: IF(count(hand) > 3, 5, 0)", "call-unknown", "5 if count(hand) > 3 else 0"),
    to(SCORE, "score points: SUM(tableau.value)", "call-unknown", "sum(tableau.value)"),
    to(SCORE, "score points: sum(tableau, value)", "call-arguments", "sum(tableau.value)"),
    to(SCORE, "score points: sum(value of tableau)", "syntax-word", "sum(tableau.value)"),
    to(SCORE, "score points: COUNTIF(tableau;red)", "syntax-word", "count(tableau where it.colour = red)"),
    Slip(IF, "if AND(coins > 2; coins < 5):", "syntax-word", "`coins > 2 and coins < 5`"),
    to(IF, "if coins > 1,000:", "syntax-number", "1000"),
    # Python, JavaScript, C
    to(MOVE, "tableau.append(card)", "syntax-call", "move card to tableau"),
    to(MOVE, "card.move(tableau)", "syntax-call", "move card to tableau"),
    to(MOVE, "hand.remove(card)", "syntax-call", "move card to discard"),
    Slip(MOVE, "tableau += card", "assign-target", "pieces are moved"),
    Slip(COINS, "c.value += 1", "name-unknown"),
    Slip(COINS, "card.value += 1", "assign-target", "an attribute is printed on the piece"),
    to(COINS, "coins = coins + 1", "syntax-assign", "coins += 1"),
    to(COINS, "coins++", "syntax-operator", "coins += 1"),
    to(COINS, "coins += 1;", "syntax-operator", "", "take the `;` away"),
    to(COINS, "coins = 3", "syntax-assign", "coins := 3"),
    to(COINS, "int x = 3", "syntax-word", "let x = 3"),
    Slip(COINS, "// a coin", "syntax-operator", "`# …`"),
    Slip(COINS, "coins += 1 // a coin", "syntax-operator", "`# …`"),
    Slip(COINS, "/* a coin */", "syntax-operator", "`# …`"),
    Slip(COINS, 'print("x")', "syntax-word", "the log is written by itself"),
    Slip(COINS, "print(coins)", "call-unknown", "the log is written by itself"),
    Slip(COINS, "break", "syntax-word", "`stop`"),
    Slip(CHOOSE, "let card = hand[0]", "index-extra", "`choose one of hand`"),
    Slip(CHOOSE, "let card = tableau[p]", "index-extra", "`p.tableau`"),
    Slip(CHOOSE, "let card = input()", "call-unknown", "`choose one of hand`"),
    to(CHOOSE, "let my-card = choose one of hand else return", "syntax-assign", "let my_card =", "a name is one word"),
    to(IF, "if (count(hand) > 3) {", "syntax-bracket", "", "write `if count(hand) > 3:`"),
    to(IF, "if card.id = frog:", "attribute-unknown", "card is frog"),
    to(IF, "if card.name != frog:", "attribute-unknown", "card is not frog"),
    Slip(IF, "if card = frog:", "name-unknown", "`… is frog` of a piece"),
    to(IF, 'if card.colour = "red":', "syntax-operator", "if card.colour = red:"),
    to(IF, "if len(hand) > 3:", "call-unknown", "count(hand)"),
    to(IF, "if hand.isEmpty():", "syntax-call", "hand is empty"),
    to(IF, "if card == null:", "syntax-word", "if card is none:"),
    to(LOOP, "for i in range(4):", "call-unknown", "repeat 4 times:"),
    to(LOOP, "for i in range(1, 5):", "call-unknown", "numbers(1, 5 - 1)", "both ends count"),
    to(LOOP, "for i in 1..4:", "syntax-unexpected", "for i in numbers(1, 4):"),
    to(RULE, "def take_turn():", "syntax-word", "rule take_turn:"),
    Slip("for p in players:\n      turn of p: take_turn()", "for p in players: turn of p: take_turn()", "syntax-block",
         "begin a new line after the colon"),
    to("turn of p: take_turn()", "take_turn(p)", "call-arguments", "turn of p: take_turn()"),
    to("turn of p: take_turn()", "p: take_turn()", "syntax-word", "turn of p: take_turn()"),
    # French
    to(IF, "si count(hand) > 3 :", "syntax-word", "if count(hand) > 3:"),
    Slip(IF, "if count(hand) > 3\u00a0:", "syntax-character", "type a plain space"),
    to(IF, "if card.colour = «red»:", "syntax-character", "red"),
    to(LOOP, "tant que deck is not empty :", "syntax-word", "while deck is not empty:", "no word of the language"),
    # indentation
    Slip("setup:\n  shuffle deck\n  for", "setup:\nshuffle deck\nfor", "syntax-indent", "stand no deeper"),
    Slip("  if count(hand) > 3:\n    coins", "  if count(hand) > 3:\n  coins", "syntax-indent", "stand deeper"),
    # rows and sections
    Slip("id: red1", "id: red-1", "schema-form", "`red_1`"),
    to("id: red1", "id:red1", "schema-name", "id: red1"),
    to("id: red1", "name: red1", "schema-missing", "id: red1"),
    to("id: red1", "Id: red1", "schema-missing", "id: red1"),
    to("{id: red1,", "{red1,", "schema-empty", "id: red1"),
    to("{id: red1, value: 1,", "{id: red1, value 1,", "schema-name", "value: 1"),
    Slip("id: red1, value: 1", "id: red1, value: 1,5", "schema-name", "a number has no `,`"),
    Slip("id: red1, value: 1", "id: “red1”, value: 1", "schema-form", "`red1`"),
    to("count: 6}\n    - {id: red3", "copies: 6}\n    - {id: red3", "ruleset-attribute", "count"),
    Slip("pieces:\n  Card:\n", "pieces:\n", "schema-type", "below the name of its kind"),
    to("pieces:\n", "cards:\n", "schema-unknown-key", "pieces"),
    to("deck: {holds: Card,", "deck: {kind: Card,", "schema-unknown-key", "holds"),
    to("deck: {holds: Card,", "deck: {holds:Card,", "schema-unknown-key", "holds: Card"),
    to("deck: {holds: Card,", "deck: {holds Card,", "schema-unknown-key", "holds: Card"),
    to("deck: {holds: Card,", "deck: {holds: Cards,", "type-unknown", "Card"),
    to("deck: {holds: Card,", "deck: {holds: [Card],", "schema-type", "holds: Card"),
    Slip("zones:\n  deck: ", "zones:\n  - deck: ", "yaml-syntax"),
    to("order: pile", "order: stack", "schema-value", "pile"),
    to("visible: owner", "visible: private", "schema-value", "owner"),
    to("per: player, visible: owner", "per: each player, visible: owner", "schema-form", "player"),
    Slip("hand: {holds: Card, per: player, visible: owner}", "hand: {holds: Card, visible: owner}", "visibility-owner",
         "`per: player`"),
    Slip("hand: {holds: Card, per: player, visible: owner}", "hand: {holds: Card}", "attribute-unknown",
         "add `per: player` to the zone `hand`"),
    Slip("deck: {holds: Card, order: pile, visible: count}", "deck: {holds: Card}", "zone-order", "`order: pile`"),
    Slip("coins: {type: 0..99, per: player, start: 3}", "coins: 3", "schema-type", "`coins: {type: 0..99, start: 3}`"),
    to("{type: 0..99,", "{range: 0..99,", "schema-unknown-key", "type"),
    to("[red, blue]", "red, blue", "schema-type", "[red, blue]"),
    to("[red, blue]", "{red, blue}", "schema-type", "[red, blue]"),
    Slip("attributes: {value: 1..3, colour: Colour}", "value: 1..3\n    colour: Colour", "schema-unknown-key",
         "`attributes: {value: …, colour: …}`"),
    Slip("kinds:\n  Card:", "kinds:\n  Kard:", "type-unknown", "`Kard`"),
    to("players: 2..4", "players: 2-4", "schema-form", "2..4"),
    to("players: 2..4", "players: {min: 2, max: 4}", "schema-type", "2..4"),
    Slip("players: 2..4", "min_players: 2\nmax_players: 4", "schema-unknown-key", "`players: 2..4`"),
    to("name: pond", "name:pond", "yaml-syntax", "", "a space is missing after `name:`"),
    to("rulelang: 2\nname", "rulelang 2\nname", "yaml-syntax", "rulelang: 2"),
    to("  coins: {type", "  coins = {type", "yaml-syntax", "coins: {type: 0..99, per: player, start: 3}"),
    Slip("variables:\n", "# the money\n// of players\nvariables:\n", "yaml-syntax", "a comment begins with `#`"),
    Slip("variables:\n", "setup: shuffle deck\nvariables:\n", "schema-unknown-key", "indented below `rules: |`"),
    Slip("variables:\n", "languages: [french]\nvariables:\n", "schema-form", "`fr`"),
    Slip("variables:\n", "languages: [en, xx]\nvariables:\n", "words-missing", "there are no words in `xx`"),
    Slip("  coins: {type", "  coins\u00a0: {type", "schema-name", "`coins:`"),
    # more of all of these
    Slip(DRAW, 'take the top card of deck', 'syntax-word', '`draw 1 from deck to hand`'),
    Slip(COINS, 'coins increases by 1', 'syntax-word', '`coins += 1`'),
    Slip(COINS, 'skip next.turn', 'syntax-word', '`mark next.resting until after turn of next`'),
    Slip(MOVE, 'swap card with top of deck', 'syntax-word', 'give what lies in one a name (`let held = card`), '),
    Slip(MOVE, "move card to next player's hand", 'syntax-unexpected', '`to next.hand`'),
    Slip(MOVE, 'move all cards in hand to discard', 'syntax-word', '`move hand to discard`'),
    Slip(CHOOSE, 'let card = the highest card in hand', 'syntax-word', '`hand with most it.value`'),
    Slip(CHOOSE, 'let card = choose one of hand unless coins = 0', 'syntax-word',
         'put it into a block of its own: `if not (coins = 0'),
    Slip(IF, 'if deck runs out:', 'syntax-word', '`if deck is empty:`'),
    Slip(LOOP, 'for each round from 1 to 4:', 'syntax-missing', '`repeat 4 times:`'),
    Slip(SCORE, 'score points: value of tableau', 'syntax-unexpected', '`tableau.value`'),
    Slip(SCORE, 'score points: twice count(tableau)', 'syntax-unexpected', '`2 * count(tableau)`'),
    Slip(TIE, 'tie: player with most coins', 'syntax-word', '`tie: most coins`'),
    Slip(SCORE, 'score points: =sum(tableau.value)', 'syntax-unexpected', '`sum(tableau.value)`'),
    Slip(SCORE, 'score points: SUMIF(tableau; red; value)', 'syntax-word',
         '`sum((tableau where it.colour = red).value)`'),
    Slip(SCORE, 'score points: VLOOKUP(count(hand), 3, 5)', 'call-unknown', '`{0: 0, 3: 5} at count(hand)`'),
    to(SCORE, "score points: MAX(0; coins - 3)", "syntax-word", "max(0, coins - 3)"),
    Slip(SCORE, 'score points: 50% * coins', 'syntax-operator', '`coins * 50 div 100`'),
    Slip(COINS, 'self.coins += 1', 'name-unknown', '`coins`'),
    Slip(COINS, 'coins += random.randint(1, 6)', 'syntax-word', '`coins += roll 1 to 6`'),
    Slip(COINS, 'await choose(hand)', 'syntax-word', '`let card = choose one of hand`'),
    Slip(COINS, 'yield', 'syntax-word', '`let card = choose one of hand`'),
    Slip(COINS, 'coins, cards = 1, 2', 'syntax-word', '`coins := 1`'),
    Slip(COINS, 'del card', 'syntax-word', '`move card to discard`'),
    Slip(COINS, 'try:', 'syntax-word', 'rules need nothing like it: what may be missing is'),
    to(CHOOSE, "let card = [c for c in hand if c.value > 1][0]", "syntax-word",
       "let card = choose one of (hand where it.value > 1) else return"),
    Slip(IF, 'if isinstance(card, red1):', 'call-unknown', '`card is red1`'),
    Slip(IF, 'switch card.colour:', 'syntax-word', '`if … = …:`'),
    Slip(LOOP, 'for i, p in enumerate(players):', 'syntax-missing', '`for p in players:`'),
    Slip(RULE, 'rule take_turn -> void:', 'type-unknown', 'write no `->`: a rule without it gives nothing'),
    Slip(MOVE, 'défausser card', 'syntax-character', '`move card to discard`'),
    Slip(COINS, 'coins += un', 'name-unknown', '`1`'),
    Slip(LOOP, 'répéter 4 fois :', 'syntax-character', '`repeat 4 times:`'),
    Slip(LOOP, 'pour chaque joueur :', 'syntax-word', '`for p in players:`'),
    Slip(COINS, 'fin de la partie', 'syntax-word', '`end the game`'),
    Slip(TIE, 'égalité : moins de cartes', 'syntax-character', '`tie: fewest count(hand)`'),
    Slip(SCORE, 'score points: 1,5 * coins', 'syntax-unexpected', 'work with multiples: `3 * coins div 2` is one and '),
    Slip(ROW, ROW.replace(",", ";"), 'yaml-syntax', '`,`'),
    Slip(COINS, 'double coins', 'syntax-word', '`coins := 2 * coins`'),
    Slip(COINS, 'steal 1 coins from next', 'syntax-word', '`let n = min(1, next.coins)`'),
    Slip(COINS, 'then coins += 1', 'syntax-word', '`coins += 1`'),
    Slip(MOVE, 'flip card face up', 'syntax-word', 'what a piece remembers is a variable of its kind ('),
    Slip(CHOOSE, 'let card = top card of deck', 'name-unknown', '`top of deck`'),
    Slip(IF, 'if it is your turn:', 'syntax-word', 'what happens in a turn stands inside `turn of p:`;'),
    Slip(IF, 'if number of cards in hand > 3:', 'syntax-word', '`count(hand)`'),
    Slip(SCORE, 'score points: number of cards in tableau', 'syntax-word', 'write `score points: count(tableau)`'),
    to(COINS, "coins += len(tableau) // 2", "syntax-word", "coins += count(tableau) div 2"),
    Slip(COINS, 'return coins, 3', 'syntax-unexpected', '`return coins`'),
    Slip(RULE, 'rule take_turn by p:', 'syntax-word', '`rule take_turn:`'),
    Slip(MOVE, 'mettre card dans tableau', 'syntax-word', '`move card to tableau`'),
    Slip(COINS, 'gagner 1 coins', 'syntax-word', '`coins += 1`'),
    Slip(SCORE, 'score points: somme(tableau.value)', 'call-unknown', '`sum(tableau.value)`'),
    Slip("players: 2..4\n", 'players: 2,3,4\n', 'schema-form', '`2..4`'),
    Slip("    start: deck\n", '    start: [deck]\n', 'schema-type', '`start: deck`'),
    Slip("types:\n  Colour: [red, blue]\n", 'types:\n  Colour:\n    red\n    blue\n', 'schema-type',
         'a list stands between brackets: `Colour: [red, blu'),
    Slip(ROW, f"({ROW[1:-1]})", 'yaml-syntax', f"`- {ROW}`"),
    Slip(ROW, ROW[1:-1], 'yaml-syntax', f"`- {ROW}`"),
    Slip(COINS, "everyone gets 1 coins", "syntax-word", "`for p in players: p.coins += 1`"),
    Slip(DRAW, "draw 1 per player", "syntax-missing", "`for p in players: draw 1 from deck to p.hand`"),
    Slip(SCORE, "score points: 2(count(tableau))", "resource-unknown", "`2 * (…)`"),
    Slip(SCORE, "score points: lambda c: c.value", "syntax-word", "`sum(c.value for c in tableau)`"),
    Slip("visible: all, final: true}", "visible: all final: true}", "yaml-syntax", "`, final: …`"),
    Slip(COINS, "bless card", "syntax-word", "`bless(card)`"),
    # powers, conditions behind, what a pile ends in, spreadsheets in French
    to(SCORE, "score points: coins ^ 2", "syntax-operator", "coins * coins"),
    to(SCORE, "score points: coins ** 2", "syntax-operator", "coins * coins"),
    to(COINS, "coins += 1 si coins < 3", "syntax-unexpected", "if coins < 3: coins += 1"),
    Slip(MOVE, "reveal the top card of deck", "syntax-word", "`reveal top of deck`"),
    Slip(MOVE, "reveal the bottom of deck", "syntax-word", "`bottom of deck`"),
    to(CHOOSE, "let card = choisir une carte de hand", "syntax-word", "let card = choose one of hand"),
    Slip(SCORE, 'score points: SOMME.SI(tableau;"red";value)', "syntax-word", "`sum((tableau where it.colour = red)"),
    to(LOOP, "pour i de 1 \u00e0 4 :", "syntax-character", "repeat 4 times:"),
    # values and rows
    Slip("players: 2..4", "players: 2+", "schema-form", "`2..4`, with your numbers"),
    Slip("players: 2..4", "players: up to 4", "schema-form", "`1..4`, with your numbers"),
    to("[red, blue]", "red | blue", "schema-type", "[red, blue]"),
    to("[red, blue]", "red/blue", "schema-type", "[red, blue]"),
    Slip("start: 3}", "start: 3 coins}", "resource-unknown", "`3`; numbers have no unit"),
    Slip(ROW, ROW.replace("red1", "1"), "schema-type", "`card_1`"),
    Slip(ROW, "[red1, 1, red, 6]", "schema-type", "`- {id: red1, value: 1, colour: red, count: 6}`"),
    Slip(ROW, ROW.replace("6", "x6"), "name-unknown", "`6`"),
    Slip(ROW, ROW.replace("value: 1", "value: high"), "name-unknown", "1..3"),
    Slip(ROW, ROW.replace("6}", "6, text: draw a card}"), "schema-type", "`text: {en: draw a card}`"),
    Slip(ROW, ROW.replace("6}", "6, rules: coins += 1}"), "syntax-word", "say when it happens: `after EVENT(…)"),
    Slip(ROW, ROW.replace("6}", '6, rules: "when played: coins += 1"}'), "syntax-word",
         "`after EVENT(…): coins += 1` here"),
    # whose, how many, loops, words of other languages
    Slip(COINS, "score 2 points", "syntax-word", "`coins += 2`"),
    Slip(MOVE, "move card to the tableau of next player", "syntax-word", "`next.tableau`"),
    Slip(MOVE, "move card to discard pile", "syntax-word", "write `move card to discard`"),
    Slip(DRAW, "draw 1, 2 or 3 from deck to hand", "syntax-missing", "`let n = choose a number from 1 to 3`"),
    Slip(CHOOSE, "let card = choose one of hand otherwise return", "name-unknown", "`else return`"),
    Slip(SCORE, "score points: max(tableau)", "type-mismatch", "`.value`"),
    Slip(TIE, "tie: fewest cards, then shared", "name-unknown", "`count(hand)`"),
    to("for p in players:\n      turn", "for (p in players):\n      turn", "syntax-unexpected", "for p in players:"),
    to("order: pile", "order: lifo", "schema-value", "pile"),
    Slip("type: 0..99", "type: 0..\u221e", "syntax-character", "`999`"),
    Slip("count: 6}\n    - {id: red3", "nombre: 6}\n    - {id: red3", "ruleset-attribute", "`count`"),
    Slip(COINS, "coins := coins plus 2", "syntax-unexpected", "`coins + 2`"),
    Slip(COINS, "coins := coins minus 2", "syntax-unexpected", "`coins - 2`"),
    Slip(COINS, "winner = you", "syntax-assign", "`end the game won by you`"),
    to(DRAW, "draw 1 from top of deck to hand", "syntax-unexpected", "draw 1 from deck to hand"),
    to(DRAW, "pick up a card from deck", "syntax-word", "draw 1 from deck to hand"),
    Slip("[red, blue]", "[red; blue]", "schema-form", "`red, blue`"),
    # loops without an end
    Slip("  if count(hand) > 3:\n    coins += 1", "  while count(hand) > 3:\n    coins += 1", "loop-unchanged",
         "nothing in this loop changes"),
    Slip("players: 2..4\n", "players: [2-4]\n", "schema-type", "write `players: 2..4`, without brackets"),
)  # fmt: skip


def told(folder: Path, files: dict[str, str], where: str = ".") -> list[Diagnostic]:
    """What `check` finds of a folder with these files."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return [d for d in findings(folder / where) if d.code not in ("name-unused", "visibility-leak", "piece-absent")]


def edited(old: str, new: str) -> dict[str, str]:
    """The game with one text in the place of another."""
    (file,) = [name for name, text in FILES.items() if old in text]
    assert FILES[file].count(old) == 1
    return {**FILES, file: FILES[file].replace(old, new)}


@pytest.fixture(autouse=True)
def _no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RULELANG_CACHE", "")


def test_the_game_is_right(tmp_path: Path) -> None:
    assert told(tmp_path, FILES) == []


@pytest.mark.parametrize("part", range(6))
def test_slips(part: int, same_folder: Path) -> None:
    """One finding, at the line of the slip or, where one is declared for all, where it is declared."""
    wrong, blocks = {}, []
    for slip in SLIPS[part::6]:
        found = told(same_folder, edited(slip.old, slip.new))
        blocks.append(block(found))
        said = [(d.code, f"{d.message} | {d.hint}") for d in found]
        mend = slip.mend and f"`{slip.mend}" not in said[0][1] if said else False
        if len(said) != 1 or said[0][0] != slip.code or slip.words not in said[0][1] or mend:
            wrong[slip.new] = said
        elif slip.code not in NAMED_ELSEWHERE:
            (file,) = [name for name, text in FILES.items() if slip.old in text]
            line = FILES[file][: FILES[file].index(slip.old)].count("\n") + 1
            here = range(line, line + slip.new.count("\n") + 2)
            if Path(found[0].span.path).name != file or found[0].span.line not in here:
                wrong[slip.new] = [(str(found[0].span), said[0][1])]
    assert wrong == {}
    none(unsaid(WORDS, f"slips {part}", blocks))


MENDED: list[tuple[Slip, str]] = [
    # what is written, what stands there at last
    (slip, slip.mend)
    for slip in SLIPS
    if slip.mend and slip.mend[:1].islower() and slip.old in (DRAW, MOVE, COINS, SCORE, LOOP, RULE)
]


@pytest.mark.parametrize("part", range(3))
def test_what_is_said_can_be_typed(part: int, same_folder: Path) -> None:
    """Where the hint is a whole statement or value, it stands in the place of the slip and nothing is at fault."""
    wrong = {}
    for slip, mend in MENDED[part::3]:
        head, _, _ = slip.old.partition(": ") if slip.old == SCORE else ("", "", "")
        text = f"{head}: {mend}" if head and not mend.startswith("score") else mend
        text = f"for i in {mend}:" if mend.startswith("numbers") else text
        errors = [str(d) for d in told(same_folder, edited(slip.old, text)) if d.severity == "error"]
        if errors:
            wrong[slip.new] = (text, errors)
    assert wrong == {}


SCENARIO = 'rulelang: 2\nscenarios:\n  - name: first\n    given: {players: 2}\n    then: ["count(deck) = 12"]\n'
VARIANT = "rulelang: 2\nname: big\nextends: pond\npieces:\n  Card:\n"


def overlaid(text: str) -> dict[str, str | None]:
    """A variant that says this."""
    return {"variants/big/ruleset.yaml": f"rulelang: 2\nname: big\nextends: pond\n{text}"}


def one_test(given: str, then: str = "1 = 1", when: str = '"*"') -> dict[str, str | None]:
    """A file with one scenario."""
    text = f"  - name: first\n    given: {{{given}}}\n    when: [{when}]\n    then: ['{then}']\n"
    return {"scenarios/a.yaml": f"rulelang: 2\nscenarios:\n{text}"}


FOLDERS: list[tuple[dict[str, str | None], str, str, str]] = [
    # file -> text (None: not there), where it is checked, the finding
    ({"ruleset.yml": HEAD, "ruleset.yaml": None}, ".", "ruleset-missing-header", "call `ruleset.yml` `ruleset.yaml`"),
    ({"pond.yaml": HEAD, "ruleset.yaml": None}, ".", "ruleset-missing-header", "call `pond.yaml` `ruleset.yaml`"),
    ({"cards.yml": CARDS, "cards.yaml": None}, ".", "ruleset-file", "call it `cards.yaml`"),
    ({"pond.rules": RULES, "pond.rule": None}, ".", "ruleset-file", "call it `pond.rule`"),
    ({"pond.rule.txt": RULES, "pond.rule": None}, ".", "ruleset-file", "call it `pond.rule`"),
    ({"scenarios.yaml": SCENARIO}, ".", "ruleset-file", "move it to `scenarios/scenarios.yaml`"),
    ({"first.yaml": SCENARIO}, ".", "ruleset-file", "move it to `scenarios/first.yaml`"),
    ({"variants/big/ruleset.yaml": VARIANT.replace("extends: pond\n", "") + "    - {id: frog, value: 2}\n"},
     "variants/big", "ruleset-extends", "`extends: "),
    ({"variants/big/ruleset.yaml": VARIANT + "    - {id: toad, value: 2, colour: red}\n    - remove: frog\n"},
     "variants/big", "schema-missing", "`{id: frog, remove: true}`"),
    ({"scenarios/a.yml": SCENARIO}, ".", "ruleset-file", "call it `a.yaml`"),
    ({"tests/a.yaml": SCENARIO}, ".", "ruleset-file", "move it to `scenarios/a.yaml`"),
    ({"variants/big.yaml": VARIANT}, ".", "ruleset-file", "move it to `variants/big/ruleset.yaml`"),
    ({"variants/big/big.yaml": VARIANT}, "variants/big", "ruleset-missing-header", "call `big.yaml` `ruleset.yaml`"),
    (overlaid("rules: |\n  override rule take_turn: pass\n"), "variants/big", "syntax-word", "`rule take_turn: pass`"),
    (overlaid("rules: |\n  remove take_turn\n"), "variants/big", "syntax-word", "`remove rule take_turn`"),
    (overlaid("rules: |\n  after rule take_turn: pass\n"), "variants/big", "syntax-colon", "`after take_turn`"),
    (overlaid("rules: |\n  super()\n"), "variants/big", "syntax-word", "`after NAME: …`"),
    (overlaid("rules: take_turn.rule\n"), "variants/big", "syntax-word", "take the line away"),
    (overlaid("pieces: {Card: [{id: frog, remove: yes}]}\n"), "variants/big", "ruleset-attribute", "`remove: true`"),
    (overlaid("pieces: {Card: {remove: frog}}\n"), "variants/big", "schema-type", "`- {id: frog, remove: true}`"),
    (overlaid("zones: {deck: remove}\n"), "variants/big", "schema-type", "`deck: {remove: true}`"),
    ({"variants/big/ruleset.yaml": "rulelang: 2\nname: big\nextends: [pond]\n"}, "variants/big", "schema-type",
     "`extends: pond`"),
    ({"words.yaml": "rulelang: 2\nwords: {frog: grenouille}\n"}, ".", "schema-name", "`en: {frog: grenouille}`"),
    ({"words.yaml": "rulelang: 2\nwords: {english: {frog: a frog}}\n"}, ".", "schema-name", "`en`"),
    ({"words.yaml": "rulelang: 2\nen: {frog: a frog}\n"}, ".", "schema-unknown-key", "`words: {en: …}`"),
    ({"words.yaml": "rulelang: 2\nwords: {en: {coins: {singular: coin, many: coins}}}\n"}, ".", "schema-unknown-key",
     "`one`"),
    (one_test("hand: [red1]"), ".", "schema-unknown-key", "it stands below `zones`"),
    (one_test("coins: 5"), ".", "schema-unknown-key", "it stands below `variables`: `variables: {coins: 5}`"),
    (one_test('zones: {"seat(0).hand": red1}'), ".", "schema-value", "`[red1]`"),
    ({"rules/more.rule": "rulelang 2\n"}, ".", "ruleset-file", "move it up"),
    ({"variants/big/overlay.yaml": "rulelang: 2\nextends: pond\n"}, ".", "ruleset-file", "call it `ruleset.yaml`"),
    (one_test('zones: {"seat(0).hand": [frog x2]}'), ".", "schema-form", "`2 frog`"),
    (one_test("players: 2", when='"trade(frog)"'), ".", "scenario-pattern", "write `trade:c=frog`"),
    ({"scenarios/a.yaml": SCENARIO.replace('["count(deck) = 12"]', "[count(deck): 12]")}, ".", "schema-type",
     '`"count(deck) = 12"`'),
    (one_test("players: 2", when="seat 0 wait"), ".", "scenario-pattern", 'id: "wait"}`'),
    (one_test('zones: {"p.hand": [red1]}'), ".", "name-unknown", "first is `seat(0)`"),
    (one_test("zones: {hand: [red1]}"), ".", "you-missing", "`seat(0).hand`"),
    (one_test("variables: {coins: 5}"), ".", "you-missing", "`seat(0).coins`"),
    (one_test("players: 2", "player1.coins = 3"), ".", "name-unknown", "the first is `seat(0)`"),
    (one_test("players: 2", "seat(0).hand = [red1, red1]"), ".", "name-unknown", "`… is red1`"),
    (one_test("players: 2", when="{seat: 1, do: wait}"), ".", "schema-unknown-key", "`id`"),
    (one_test("players: 2", when='"seat 0: wait"'), ".", "scenario-pattern", '`{seat: 0, id: "wait"}`'),
    ({"scenarios/a.yaml": SCENARIO.replace("then", "expect")}, ".", "schema-unknown-key", "`then`"),
    ({"scenarios/a.yaml": "rulelang: 2\n- name: first\n"}, ".", "yaml-syntax", "`NAME:` above it"),
    ({"pond.rule": None, "ruleset.yaml": HEAD + "rules: |\n" + RULES.removeprefix("rulelang 2\n")}, ".", "yaml-syntax",
     "the text of `rules` stands no deeper than its key"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("files", "where", "code", "words"), FOLDERS, ids=[f"{n} {row[2]}" for n, row in enumerate(FOLDERS)]
)
def test_slips_of_files(tmp_path: Path, files: dict[str, str | None], where: str, code: str, words: str) -> None:
    """A file that is called otherwise, or lies elsewhere, is told by its name, and nothing of what it would say."""
    whole = {**FILES, **files}
    game = tmp_path / "pond"
    found = told(game, {name: text for name, text in whole.items() if text is not None}, where)
    assert [d.code for d in found] == [code]
    none(unsaid(WORDS, f"files: {next(iter(files))} {code} {words}", [block(found)]))
    assert words in f"{found[0].message} | {found[0].hint}"


def test_rows_that_are_refused_are_counted(tmp_path: Path) -> None:
    """That cards run short is not said beside a row that is lost: 18 cards are left, and four hands take 24."""
    found = told(tmp_path, edited("id: red1", "id: red-1"))
    assert [(d.code, Path(d.span.path).name) for d in found] == [("schema-form", "cards.yaml")]
    short = told(tmp_path, edited("{id: red1, value: 1, colour: red, count: 6}", "{id: red1, value: 1, colour: red}"))
    assert [d.code for d in short] == ["zone-short"]


def test_each_row_of_the_table_is_a_pattern_of_its_own() -> None:
    """No phrase stands twice; each has the group that it points at, and no hint names a group that is not there."""
    from rulelang.syntax.phrases import _rows

    rows = _rows()
    assert len({pattern.pattern for pattern, *_ in rows}) == len(rows) > 200
    for pattern, codes, message, hint in rows:
        assert codes, pattern.pattern
        assert "at" in pattern.groupindex, pattern.pattern
        assert set(re.findall(r"\\g<(\w+)>", message + hint)) <= set(pattern.groupindex), pattern.pattern
