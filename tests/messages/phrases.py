"""What people write who come from elsewhere: a line for each phrase of `rulelang/syntax/phrases.toml` that no other table has."""

TOP = """
when coins > 3: stop
setup(): pass
setup the game: pass
rule 2players: pass
winner is the lowest coins
tie breaker: highest coins
ties: none
tie: coins
tie: le plus de cartes
""".strip().split("\n")
"""Lines where a declaration begins."""

LINES = """
move 2 of (hand where it.worth > 1) to table
if (coins > 3) { stop }
si coins est plus grand que 3: stop
si coins est inferieur a 3: stop
si coins est au moins 3: stop
si coins est au plus 3: stop
si coins vaut 3: stop
boucle:
repeat forever: stop
let x = any card of deck
let x = the lowest card in hand
spends 2 coins
foreach i from 1 to 3: stop
menu:
each player: go()
turn: go()
p.go()
buy = pass
buy -> go(1)
buy(c in hand) costs 3: pass
if coins =< 3: stop
let x = a + f(1) points
Else: stop
for (i = 0; i < 3): stop
for c in hand if c.value > 1: stop
coins := count(c for c in hand if c.value > 1)
coins := IF(coins > 3; 1; 2)
if OR(a; b): stop
if leader <> null: stop
if exists c in hand: stop
if any red in hand: stop
if all cards in hand are red: stop
move player's hand to deck
move hand to hand of player
hand.append(3)
deck.shuffle()
let x = deck.pop()
if hand.contains(x): stop
let x = hand.filter(a)
let x = hand.sum()
p.gain(3)
draw until hand has 5 cards
draw deck to hand
draw 2 from deck
draw from deck
draw 3
each opponent draws 1
each player loses 2 coins
each opponent gains 2 coins
every player cheers
continue
TODO
pass()
show hand
look at the top of deck
search deck for low
roll dice
roll 2d6
let x = random(1, 6)
let x = random number
move hand from deck
move from deck to hand
move hand to top of deck
move hand to deck top
move hand back to deck
hand -> deck
move card
move(card, hand)
move each card in hand to deck
move random card to deck
play card
swap hand with deck
tap card
untap card
let x = 2 of hand
let x: number = 3
let 2nd = 3
3 coins
coins + = 3
coins: 3
move all hand to deck
print
until coins > 3: stop
switch
move one card to hand
coins := IF(a; 1)
""".strip().split("\n")
"""Lines of a block."""

CHECKED = """
score a: 1 if coins > 3 then 1 else 0
rule r: players.coins += 3
rule r: let x = left.hand
rule r: let x = right.hand
rule r: let x = all
function f -> number = count(range(3))
function f -> number = average(hand.value)
function f -> bool = even(coins)
function f -> bool = odd(coins)
function f -> number = round(coins)
function f -> number = ceil(coins)
rule r: let x = dice(6)
rule r: let x = shuffle(pile)
function f -> set of Card = sorted(hand)
rule r: let x = hand.first
rule r: if card in hand: stop
rule r: shed += 3 points
score a: if coins > 3: 2 else 1
function f -> bool = IF(hard; true; false)
function f -> bool = OR(hard; done)
function f -> number = hand.total
rule r: move top card of pile to hand
rule r: add(coins, 3)
rule r: move 2 cards to hand
rule r:/  while coins > 3 do: stop
rule r:/  if card in hand: stop
""".strip().split("\n")
"""Declarations that a ruleset adds to the base of `tests/semantics/case.py`; `/` parts lines."""
