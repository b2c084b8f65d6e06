"""What people write who come from elsewhere: a line for each phrase of `rulelang/syntax/phrases.toml` that no other table has."""

TOP = """
tiebreaker: coins
add exchange fine: 1 nut -> 1 oil
score a: 1 card = 1 point, 2 cards = 4 points
rule r { coins 3 }
when coins > 3: stop
setup(): pass
setup the game: pass
rule 2players: pass
winner is the lowest coins
tie breaker: highest coins
ties: none
tie: coins
tie: le plus de cartes
the player with the most coins wins
in case of a tie, the player with the most coins wins
tie: fewest count(tableau) then shared
each player draws 3 cards
score: each coin is worth 2 points
rulelang: 2
override lay_out:
play the game:
rule lay_out(self):
ties are broken by the most coins
score bonus: 5 points for the player with the most coins
score coins: 3 points if you have the most coins
score coins: sum(1 for c in tableau if c.colour == red)
score coins: COUNTIF(tableau,"red")*2
coins = 0
score reds: number of red cards in tableau
score reds: 2 points for each red card in your tableau
score coins: sum([c.value for c in tableau])
score coins: SELECT COUNT(*) FROM tableau WHERE colour = red
score reds: count(tableau with colour red)
def worth(who): return coins
tie: the player who sat last
tie: who was first
winner: whoever has built most of all
score a: SUMIFS(tableau.value; tableau.colour; "red")
score a: COUNTIFS(tableau.colour; "red")
score a: count(unique(tableau.colour)))
score a: SUMPRODUCT(tableau.value; tableau.worth)
score a: LARGE(tableau.value; 2)
score a: max(1; 2)
score a: card => card.value + 1
score a: sum([c.value * 2 for c in tableau])
function f -> number = SUM(coins; LARGE)
""".strip().split("\n")
"""Lines where a declaration begins."""

LINES = """
foreach player p: stop
falls the cat sleeps here:
case x {
let x = the cats from best to worst
if (coins 3) { stop }
serve (if there is one): stop
serve only if there is one: stop
stalemate
if board is repeated: stop
on repetition stop
bring card from hand to table
mark x until e
p.turn(): stop
lay(card from hand): stop
lay(card in hand) if coins > 1: stop
coins := 2 per red hand
bless 3 4
let x = no red in hand
let c = choose one of hand pile
move 2 of (hand where it.worth > 1) to table
if (coins > 3) { stop }
si coins est plus grand que 3: stop
si coins est inferieur a 3: stop
si coins est au moins 3: stop
si coins est au plus 3: stop
si coins vaut 3: stop
if coins is more than 3 3: stop
if coins is at least 3 3: stop
coins += 7 // 2 2
let x = (2 nut, 1 oil
let n = 2 nut, 1 oil
for c in hand[:2]: stop
tableau.extend(deck.draw(3))
if coins AND round <> 3: stop
COINS += 1 AND 2
let x = [c for c in hand if c.value > 1][2]
if there are reds and 2 blues: stop
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
if deck.pop() is red: stop
play(card)
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
each player draws 3 cards
if you have no cards: coins += 1
at the end of the round, coins += 1
otherwise coins += 2
the next player takes 1 coin
you may draw a card
each player may discard a card
pay 2 coins to the next player
if the deck is empty, the game ends
end the game if deck is empty
unless the deck is empty, draw a card
until nobody has any cards, each player discards a card
each player discards a card and draws 2 cards
each player who has no cards left gains 1 coin
each player discards a card
When a player plays a card, gain 1 coin
if first player: coins += 1
if red cards in tableau > 2: coins += 1
if you have more than 3 coins then draw a card, otherwise gain 1 coin
if quick: coins += 1 else: coins += 2
while nobody has any cards:
steal 1 coin from the next player
choose a colour
choose another player
buy a card from the market for 3 coins
take 2 cards from the deck and add them to your hand
return one card to the bottom of the deck
if you played a red card, gain a coin
if the deck is empty, everybody shouts
players may trade coins
every opponent frowns at you
whoever has the fewest coins draws a card
gain a coin for each card you have in hand
put the card on the bottom of the deck
keep one card and discard the rest
you cannot have more than 5 coins
switch coins
lay card)
the player with the fewest cards draws a card
the first player to reach 10 coins wins
if a player has 5 or more coins, that player wins
you get 1 coin for each red card in your tableau
the active player draws two cards, then discards one
choose a card from your hand and discard it
every card with value 3 goes to the discard pile
pay 3 coins to draw a card
the owner of the frog gains 1 coin
you must discard down to 2 cards
swap two cards with another player
if all players have passed, the round ends
pour chaque joueur : coins += 1
hand.push(deck.pop())
update players set coins = coins + 1
card = random.choice(deck)
move card to hand , tableau
if coins > = 3: stop
draw 3 form deck to hand
lay card
frobnicate card
let x = seat(0) hand
until the deck is empty, everybody shouts
player 0.hand is empty
hand.where(red)
every player takes 2 coins from the bank
the turn passes to the next player
repeat this three times
double your coins
si la pioche est vide alors fin de partie
chaque joueur pioche une carte
tableau.forEach(c)
let bonus = quick ? 2 : 1
rule inner:
pass: wait
let other = choose one of other players
""".strip().split("\n")
"""Lines of a block."""

CHECKED = """
score a: 1 if coins > 3 then 1 else 0
rule r: hand -= hand
rule r: hand.burn(3, 2)
function g(c: Card) -> number = 1/function f -> number = g(3)
rule r: if north: stop
function f -> number = abs(north)
function f -> bool = a1 + 1 = a1
rule r: let x = you + 1
function f(c: Card) -> number = count(hand + c)
function f -> number = done + 1
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
rule r: play(hand)
rule r: let x = SWITCH(coins, 1, 2)
function f -> list of Card = sorted(hand)
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
function f -> number = count(red in hand)
function f -> number = count(hand.red)
function f(c: Card) -> bool = c = red
function f(c: Card) -> bool = c.low
function f -> bool = hand.low is empty
function f -> number = count(hand where red)
function f -> number = sum(hand.value where colour = red)
function f -> bool = nut > 2
rule r: players[0].coins += 1
rule r: player(0).coins += 1
rule r: shed.nut := 3
rule r: coins(0) := 3
function f -> number = coins(0)
rule r: super()
rule s: pass/rule r: s(0)
function f -> bool = hand.value > 3
function f -> number = first(hand)[0]
rule r: hard := true
rule r: let x = 2d6
function f -> bool = main is empty
function f(c: Card) -> bool = c in [low, high]
rule r:/  choose:/    pass
""".strip().split("\n")
"""Declarations that a ruleset adds to the base of `tests/semantics/case.py`; `/` parts lines."""
