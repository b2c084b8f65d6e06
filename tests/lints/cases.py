"""What each lint must find in the edited game, and what none may say a word about."""

from __future__ import annotations

from tests.lints.game import Edit, edit

RED = "price: 1 nut, count: 4}"
TABLEAU = "  tableau: {holds: Card, per: player}"
DISCARD = "  discard: {holds: Card}"
FROZEN = "marks: {frozen: {per: player}}"
COINS = "coins + pawn.steps - (1 if rounds = 3 else 0)"
OTHERS_COINS = f"{COINS} - (1 if count(everyone where it.coins > 5) = 0 else 0)"
TIE = "tie: most count(shed), then shared"
ROUNDS = "  rounds: {type: 0..3}"
REPEAT = "repeat (1 if quick else 2) times:"
COLOURS = "Colour: [red, blue]"
PRICE = "price: 1 oil + 1 any Part"
WAIT = "      wait: pass"
TAKEN = "      let coin = choose one of bank else stop\n      move coin to purse"
HELD = "function held(p: player) -> number = count(p.hand where it.value > 1)"
SHOW = "        show(card)\n"
PAID = "pay card.price from shed\n"
BLUE = "colour: blue, price: 1 nut"
JOKER = f"{BLUE}, value: 5"

GAIN = "after gain(owner, n): owner.coins += 1"
DISCARDED = "move card to discard"
BURNT = "burn(card)"
BURN_ALL = (WAIT, "      wait:\n        for c in tableau: burn(c)")
BURN = "event burn(card: Card):\n  move card to discard"
BURN_EITHER_WAY = "event burn(card: Card):\n  if rounds = 1: move card to discard\n  else: move card to hand"
STORM = "event storm:\n  for p in players: move p.tableau to discard"
OF_TABLEAU = "c in p.tableau)"
EQUALS = "function equals(a: list of Card, b: list of Card) -> number = 1 if a.colour = b.colour else 0  #!"
WORTH_OF_ONE = (
    ("quantity worth(card: Card, s: player) -> number", "quantity worth(card: Card, s: player, n: number) -> number"),
    ("sum(worth(c, p) for", "sum(worth(c, p, 1) for"),
)


def reacts(text: str) -> tuple[str, str]:
    """The smith with a reaction more, which never comes."""
    return GAIN, f"{GAIN}\n        {text}: owner.coins += 1  #!"


def departs(text: str) -> tuple[tuple[str, str], ...]:
    """The smith with a reaction more to an event that takes cards of the hand."""
    return (DISCARDED, BURNT), (GAIN, f"{GAIN}\n        {text}: owner.coins += 1")


def with_row(row: str, *more: tuple[str, str]) -> Edit:
    """The game with a row of cards more."""
    return edit((RED, f"{RED}\n    - {{id: joker, {row}"), *more)


def with_bank(coins: int, rounds: str) -> Edit:
    """The game, then rounds in which players take coins of a bank."""
    return edit(
        ("  Pawn: {marks", "  Coin: {start: bank}\n  Pawn: {marks"),
        ("  Pawn:\n    - {id: pawn", f"  Coin: [{{id: coin, count: {coins}}}]\n  Pawn:\n    - {{id: pawn"),
        ("  home: {", "  bank: {holds: Coin}\n  purse: {holds: Coin, per: player}\n  home: {"),
        ("take_turn()\n", "take_turn()\n" + "".join(f"    {line}\n" for line in rounds.splitlines())),
        ("score coins: coins", "score coins: coins + count(purse)"),
    )


WRONG: dict[str, tuple[Edit, ...]] = {
    "version-old": (
        edit(("rulelang: 2", "rulelang: 1  #!")),
        edit(
            ("rulelang: 2", "rulelang: 1  #!"),
            (" for c in p.tableau)", " for c in laid(p))"),
            rules="function laid(p: player) -> set of Card = p.tableau",
        ),
    ),
    "game-uneven": (
        with_bank(13, f"while bank is not empty:\n  for p in players:  #!\n    turn of p:\n{TAKEN}"),
        with_bank(11, f"repeat 4 times:\n  for p in players:  #!\n    turn of p:\n{TAKEN}"),
    ),
    "option-unread": (
        edit(("  quick: {", "  slow: {type: bool, default: true}  #!\n  quick: {")),
        edit(("default: 2}", "default: 2}  #!"), ("draw hand_size", "draw 2")),
    ),
    "variable-unread": (
        edit((ROUNDS, f"{ROUNDS}  #!"), (COINS, "coins + pawn.steps")),
        edit((ROUNDS, f"{ROUNDS}\n  idle: {{type: bool}}  #!")),
        edit((FROZEN, f"{FROZEN}  #!"), ("if not frozen: take_turn()", "take_turn()")),
        # What a variable reads of itself makes no use of it.
        edit((ROUNDS, f"{ROUNDS}  #!"), (COINS, "coins + pawn.steps"), ("rounds += 1", "rounds := rounds + 1")),
    ),
    "variable-unchanged": (
        edit((ROUNDS, f"{ROUNDS}  #!"), ("      rounds += 1\n", "")),
        edit((ROUNDS, f"{ROUNDS}  #!"), ("      rounds += 1\n", "      rounds := 0\n")),
        edit(
            (ROUNDS, f"{ROUNDS}\n  bonus: {{type: 1..3, per: player}}  #!"),
            ("      rounds += 1\n", "      rounds += 1\n      for p in players: p.bonus := 1\n"),
            (COINS, f"bonus + {COINS}"),
        ),
        edit(("start: home}\np", "start: home}  #!\np"), ("        mark pawn.tired until after turn of you\n", "")),
        edit((ROUNDS, f"{ROUNDS}\n  bonus: {{type: 0..3, start: 2}}  #!"), (COINS, f"bonus + {COINS}")),
    ),
    "attribute-unread": (
        edit(("value: 1..5, price", "value: 1..5, #!\n        price"), ("= card.value", "= 1")),
        edit(
            (
                COLOURS,
                "Colour:\n    attributes: {worth: 0..9}  #!\n    values: {red: {worth: 1}, blue: {worth: 2}}",
            )
        ),
    ),
    "type-unused": (
        edit((COLOURS, f"{COLOURS}\n  Family: [water, land]  #!")),
        edit(("types:\n", "grids: {Square: {columns: 3, rows: 3}}  #!\ntypes:\n")),
    ),
    "kind-empty": (
        edit(("  Pawn: {marks", "  Coin: {attributes: {size: 1..3}}  #!\n  Pawn: {marks")),
        edit(
            ("  Pawn: {marks", "  Coin: {start: bank}  #!\n  Pawn: {marks"),
            ("  home: {", "  bank: {holds: Coin}\n  home: {"),
        ),
    ),
    "name-unused": (
        edit((PAID, f"{PAID}        let left = count(shed)  #!\n")),
        edit(
            ("function total(p: player)", "function total(n: number,  #!\n      p: player)"),
            ("cards: total(you)", "cards: total(1, you)"),
        ),
        edit((WAIT, "      wait(n from 1 to 3): coins += 1  #!")),
        edit((WAIT, "      wait:\n        if some card = choose one of hand: coins += 1  #!")),
        edit((WAIT, "      wait:\n        let card = choose one of hand else return  #!\n        coins += 1")),
    ),
    "piece-absent": (
        with_row(f"{JOKER}, count: 0}}  #!"),
        with_row(f"{JOKER}, count: 1 if count(players) = 5 else 0}}  #!"),
        with_row(f"{JOKER}, count: hand_size - hand_size * 1 if hand_size > 3 else 0}}  #!"),
        edit((RED, f"{RED}\n    - {{each: {{value: 3..5}}, id: 'j{{value}}', {BLUE}, count: 0}}  #!")),
        with_row(f"{JOKER}, start: box}}  #!", (DISCARD, f"  box: {{holds: Card}}\n{DISCARD}")),
    ),
    "zone-empty": (
        edit((DISCARD, f"  box: {{holds: Card}}  #!\n{DISCARD}")),
        edit((DISCARD, f"  box: {{holds: Card}}  #!\n{DISCARD}"), (COINS, f"count(box) + {COINS}")),
        edit((TABLEAU, f"{TABLEAU}  #!"), ("        move card to tableau\n", "")),
    ),
    "zone-unread": (
        edit((", refill: discard", ""), (DISCARD, f"{DISCARD}  #!")),
        edit(
            (TABLEAU, f"{TABLEAU}\n  won: {{holds: Card, per: player}}  #!"),
            (WAIT, f"      keep(card in hand): move card to won\n{WAIT}"),
        ),
    ),
    "rule-unused": (
        edit(rules="rule idle: coins += 1  #!"),
        edit(rules="rule idle(n: number): pass  #!"),
        edit(rules="function twice(n: number) -> number = n + n  #!"),
        # What only an unused rule calls is not told of besides.
        edit(rules="rule a: b()  #!\nrule b: coins += 1"),
        edit(rules="rule a(n: 0..9) up to 3 deep: b(n)  #!\nrule b(n: 0..9): a(n)"),
        edit(rules="event lost(s: player): s.coins -= 1  #!"),
        edit(rules="exchanges fair from shed:  #!\n  exchange swap: 1 nut -> 1 oil"),
        edit(rules="quantity price -> number = 1  #!"),
    ),
    "effect-never": (
        edit(
            ("on show(card): gain(you, 1)", "on show(card): coins += 1"),
            ("rest: gain(you, 1)", "rest: coins += 1"),
            (": s.coins += n", ": s.coins += n  #!"),
        ),
        edit(("sum(worth(c, p) for", "sum(c.value for"), ("= card.value", "= card.value  #!")),
        edit((SHOW, ""), ("(card: Card): pass", "(card: Card): pass  #!")),
        edit(("      barter: trade market(you)\n", ""), ("from s.shed:", "from s.shed:  #!")),
    ),
    "loop-unchanged": (
        edit((WAIT, "      wait:\n        while coins > 3: rounds := 1  #!")),
        edit((WAIT, "      wait:\n        while tableau is not empty: gain(you, 1)  #!")),
    ),
    "reaction-never": (
        # The event moves away pieces that were not in force when it began.
        edit((DISCARDED, BURNT), reacts("after burn(c) when c = this"), rules=BURN),
        edit(
            (DISCARDED, BURNT),
            reacts("after burn(c) when c = this and owner.coins > 2"),
            rules=f"{BURN}\n  rounds := 1",
        ),
        edit(
            (DISCARDED, BURNT),
            reacts("after burn(c) when c = this"),
            rules=f"{BURN}\n  for c in tableau: move c to hand",
        ),
        edit((DISCARDED, BURNT), reacts("after burn(c) when c = this"), rules=BURN_EITHER_WAY),
        edit(
            (DISCARDED, BURNT),
            reacts("after burn(c) when c = this"),
            rules="event burn(c: Card): bury(c)\nrule bury(dead: Card):\n  move dead to hand\n  move dead to discard",
        ),
        edit((DISCARDED, f"storm()\n        {DISCARDED}"), reacts("after storm"), rules=STORM),
        # It does not lie where it is in force when the event comes, or the quantity is asked for.
        edit((DISCARDED, BURNT), reacts("before burn(c) when c = this"), rules=BURN),
        edit((DISCARDED, BURNT), reacts("instead of burn(c) when c = this"), rules=BURN),
        edit(
            (DISCARDED, f"for c in hand where c.value > 1:\n          if c != card: burn(c)\n        {BURNT}"),
            reacts("before burn(c) when c = this"),
            rules=BURN,
        ),
        edit(("when card.colour = blue: plus 1", "when card = this: plus 1  #!"), (OF_TABLEAU, "c in p.hand)")),
        # No call gives what it asks for.
        edit(reacts("after gain(s, n) when n = 2")),
        edit(reacts("after gain(owner, n) when 1 < n and owner.coins = 3")),
        edit(
            ("(card, owner) when card.colour = blue: plus 1", "(card, s, it_is) when 3 = it_is: plus 1  #!"),
            *WORTH_OF_ONE,
        ),
    ),
    "replacement-never": (
        edit((GAIN, f"{GAIN}  #!"), rules="instead of gain: pass"),
        edit((GAIN, f"{GAIN}  #!"), rules="instead of gain(s): s.coins += 2\ninstead of gain(s): s.coins += 3  #!"),
        edit((GAIN, "may instead of gain(owner): owner.coins += 5  #!"), rules="instead of gain(s): s.coins += 2"),
        edit(
            (
                GAIN,
                "instead of gain(owner, n): owner.coins += 5\n"
                "        may instead of gain(owner, n) when n > 0: owner.coins += 6  #!",
            ),
        ),
    ),
    "collections-compared": (
        edit((COINS, f"{COINS} + (1 if hand.colour = tableau.colour else 0)  #!")),
        edit((COINS, f"{COINS} + (1 if (hand where it.value > 1).value != hand.value else 0)  #!")),
        edit((COINS, f"{COINS} + equals(hand, tableau)"), rules=EQUALS),
        edit((COINS, f"{COINS} + (1 if others.coins = players.coins else 0)  #!")),
    ),
    "statement-unreachable": (
        edit((SHOW, f"        return\n{SHOW[:-1]}  #!\n")),
        edit(
            (
                "      rounds += 1\n",
                "      rounds += 1\n      if quick: end the game\n      else: stop\n      coin()  #!\n",
            ),
            rules="rule coin:\n  for p in players: p.coins += 1",
        ),
        edit((WAIT, "      wait:\n        end the game won by you\n        coins += 1  #!")),
    ),
    "condition-constant": (
        edit(("pawn.steps < 3:", "pawn.steps < 10:  #!")),
        edit(("where it.colour = red):", "where it.value = 4):  #!")),
        edit(("where it.colour = red):", "where it.value != 4):  #!")),
        edit(("where it.colour = red):", "where it.value > 3):  #!")),
        edit(("where it.colour = red):", "where card.colour = it.colour):  #!")),
        edit((COINS, "coins + pawn.steps - (1 if rounds = 4 else 0)  #!")),
        edit((COINS, "coins + pawn.steps - (1 if rounds < 0 else rounds)  #!")),
        edit((REPEAT, "repeat (1 if quick or count(players) = 6 else 2) times:  #!")),
        edit((REPEAT, "repeat (1 if quick or hand_size = 4 else 2) times:  #!")),
        edit((COLOURS, "Colour: [red, blue, green]"), ("where it.colour = red):", "where it.colour = green):  #!")),
        # Of two to four players up to four have something, and never five.
        edit((REPEAT, "repeat (1 if quick or count(players where it.coins > 1) > 4 else 2) times:  #!")),
        edit((REPEAT, "repeat (1 if quick or count(players) < 2 else 2) times:  #!")),
        # What a zone can hold, and how many pieces there are (nine).
        edit(
            (f"{TABLEAU}", f"{TABLEAU[:-1]}, capacity: 3}}"), (COINS, f"{COINS} + (1 if count(tableau) > 3 else 0)  #!")
        ),
        edit(
            (f"{TABLEAU}", f"{TABLEAU[:-1]}, capacity: 3}}"), (COINS, f"{COINS} + (1 if count(tableau) < 4 else 0)  #!")
        ),
        edit((COINS, f"{COINS} + (1 if held(you) >= 10 else 0)  #!"), rules=HELD),
        edit((COINS, f"{COINS} + (1 if quick and not quick else 0)  #!")),
        edit((COINS, f"{COINS} + (1 if coins > 3 or rounds = 1 or not coins > 3 else 0)  #!")),
        edit((WAIT, "      wait when not frozen and rounds = 1 and frozen: pass  #!")),
    ),
    "count-never": (
        edit(
            (TABLEAU, f"{TABLEAU[:-1]}, capacity: 4}}"),
            (WAIT, f"{WAIT}\n      more: draw count(tableau) - 4 from deck to tableau  #!"),
        ),
        edit((WAIT, f"{WAIT}\n      more:\n        repeat hand_size - 3 times: coins += 1  #!")),
        edit((WAIT, f"{WAIT}\n      more:\n        repeat 0 times: coins += 1  #!")),
    ),
    "pile-unshuffled": (
        edit(
            ("  deck: {", "  # the deck\n  deck: {"),
            ("refill: discard}", "refill: discard}  #!"),
            ("    shuffle deck\n", ""),
        ),
        edit(
            ("refill: discard}", "refill: discard}  #!"),
            ("    shuffle deck\n", "    draw 1 from deck to discard\n"),
            (RED, "price: 1 nut}"),
        ),
    ),
    "game-endless": (
        edit(
            (REPEAT, "while true:  #!"),
            ("      rounds += 1\n", "      rounds := (rounds + (1 if quick else 2)) mod 4\n"),
        ),
        edit(
            (REPEAT, "repeat:  #!"),
            (
                "      rounds += 1\n",
                "      rounds := (rounds + 1) mod 4\n      repeat 2 times:\n        if quick: stop\n        rest()\n",
            ),
            rules="rule rest:\n  for p in players: p.coins := 1 if quick else 2",
        ),
    ),
    "cost-unpayable": (
        edit((f"{PRICE}, ", "price: 4 oil,  #!\n       ")),
        edit((f"{PRICE}, ", "price: 7 any Part,  #!\n       ")),
        edit((WAIT, f"{WAIT}\n      feast when can pay 4 nut from shed: pay 4 nut from shed  #!")),
        edit((WAIT, f"{WAIT}\n      feast:\n        pay 2 nut + 2 nut from shed: coins += 9  #!\n        else: pass")),
    ),
    "piece-same": (
        with_row("colour: red, value: 1, price: 1 nut}  #!"),
        with_row("colour: red, value: 1, price: 1 nut, count: 4, words: {en: Joker}}  #!"),
    ),
    "branch-same": (
        edit(("if not frozen: take_turn()", "if not frozen: take_turn()  #!\n          else: take_turn()")),
        edit(("      rounds += 1\n", "      rounds += 1\n      if rounds = 2: pass  #!\n")),
        edit((COINS, "coins + pawn.steps - (1 if rounds = 3 else 1)  #!")),
        edit(
            (
                WAIT,
                "      wait:\n        if quick:  #!\n          for p in players: p.coins += 1\n"
                "        else:\n          for q in players: q.coins += 1",
            )
        ),
    ),
    "score-same": (
        edit(rules="score all: 5  #!"),
        edit(rules="score all: count(deck)  #!"),
        edit(rules="score all: rounds - rounds  #!"),
        edit((TIE, "tie: most rounds, then shared  #!")),
        edit(rules="winner: most rounds  #!"),
    ),
    "tie-same": (
        edit((TIE, "tie: most count(shed), then fewest count(shed), then shared  #!")),
        edit((TIE, f"winner: most count(shed)\n  {TIE}  #!")),
        edit((TIE, "tie: most total_score(you), then shared  #!")),
        edit(
            ("  score cards: total(you)\n", ""),
            ("        scores: 1\n", ""),
            (f"score coins: {COINS}", f"score all: total(you) + {COINS}"),
            (TIE, f"tie: most total(you) + {COINS}  #!"),
        ),
    ),
}

# Nothing is said of these.
MEANT: dict[str, Edit] = {
    "the game itself": edit(),
    "edges and corners that only functions name": edit(
        ("types:\n", "grids: {Square: {columns: 3, rows: 3, edges: {name: Rim}, corners: {name: Post}}}\ntypes:\n"),
        ("score coins: coins", "score coins: count(a1.corners) + (1 if edge(a1, b1) is none else 0) + coins"),
    ),
    "a board of which only the corners are read": edit(
        ("types:\n", "grids: {Square: {columns: 3, rows: 3, corners: {name: Post}}}\ntypes:\n"),
        ("score coins: coins", "score coins: count(Post where count(it.cells) = 4) + coins"),
    ),
    "rounds that come out even": with_bank(
        12, f"while bank is not empty:\n  for p in players:\n    turn of p:\n{TAKEN}"
    ),
    "a departure that may fail for want of room": edit(
        (DISCARD, "  discard: {holds: Card, capacity: 3}"), *departs("after burn(c) when c = this"), rules=BURN
    ),
    "a departure on one way alone": edit(
        *departs("after burn(c) when c = this"), rules="event burn(card: Card):\n  if rounds = 1: move card to discard"
    ),
    "a departure to where the text is in force": edit(
        BURN_ALL,
        (GAIN, f"{GAIN}\n        after burn(c) when c = this: owner.coins += 1"),
        rules="event burn(card: Card): move card to next.tableau",
    ),
    "a departure of one of several alike": edit(
        ("value: 2\n", "value: 2\n      count: 2\n"), *departs("after burn(c) when c = this"), rules=BURN
    ),
    "a departure and a return": edit(*departs("after burn(c) when c = this"), rules=f"{BURN}\n  move card to tableau"),
    "a departure and a return by a rule": edit(
        *departs("after burn(c) when c = this"), rules=f"{BURN}\n  revive()\nrule revive: move discard to tableau"
    ),
    "its own departure": edit(BURN_ALL, *departs("may after burn(c) when this = c")[1:], rules=BURN),
    "a departure of another": edit(*departs("after burn(c) when c != this"), rules=BURN),
    "a departure of one or another": edit(*departs("after burn(c) when c = this or owner.coins > 2"), rules=BURN),
    "a choice after what may bring it back": edit(
        BURN_ALL,
        (GAIN, f"{GAIN}\n        may after burn(c) when c = this: owner.coins += 1"),
        rules=f"{BURN}\nafter burn(c): move c to next.tableau",
    ),
    "a departure that is left early": edit(
        *departs("after burn(c) when c = this"),
        rules="event burn(card: Card):\n  if rounds = 2: return\n  move card to discard",
    ),
    "an arrival": edit(
        (SHOW, "        arrive(card)\n        show(card)\n"),
        ("        move card to tableau\n", ""),
        (GAIN, f"{GAIN}\n        after arrive(c) when c = this: owner.coins += 1"),
        rules="event arrive(card: Card): move card to tableau",
    ),
    "a departure before it comes": edit(
        (SHOW, "        burn(card)\n        show(card)\n"),
        (GAIN, f"{GAIN}\n        before burn(c) when c = this: owner.coins += 1"),
        rules=BURN,
    ),
    "an arrival for which there may be no room": edit(
        (TABLEAU, "  tableau: {holds: Card, per: player, capacity: 9}"),
        (SHOW, "        burn(card)\n        show(card)\n"),
        (GAIN, f"{GAIN}\n        before burn(c) when c = this: owner.coins += 1"),
        rules=BURN,
    ),
    "a departure that a rule undoes": edit(
        *departs("after burn(c) when c = this"),
        rules=f"{BURN}\n  revive(card)\nrule revive(gone: Card):\n  if rounds = 2: move gone to tableau",
    ),
    "a storm that leaves something": edit(
        (DISCARDED, f"storm()\n        {DISCARDED}"),
        (GAIN, f"{GAIN}\n        after storm: owner.coins += 1"),
        rules="event storm:\n  for p in players: move (p.tableau where it.value > 1) to discard",
    ),
    "a storm for others": edit(
        (DISCARDED, f"storm()\n        {DISCARDED}"),
        (GAIN, f"{GAIN}\n        after storm: owner.coins += 1"),
        rules="event storm:\n  for p in others: move p.tableau to discard",
    ),
    "a number that one call gives": edit(
        ("rest: gain(you, 1)", "rest: gain(you, 2)"),
        (GAIN, f"{GAIN}\n        after gain(s, n) when n = 2: owner.coins += 1"),
    ),
    "a replacement that may proceed": edit(
        rules="instead of gain(s, n):\n  if n > 1: s.coins += 2\n  else: proceed",
    ),
    "a replacement on a condition": edit(rules="instead of gain(s, n) when n = 1: s.coins += 2"),
    "a replacement once": edit(rules="instead of gain(s, n) once per turn: s.coins += 2"),
    "two replacements of one piece, in any order": edit(
        (GAIN, "instead of gain(owner): owner.coins += 5\n        instead of gain(owner): owner.coins += 6")
    ),
    "a choice to replace under another condition": edit(
        (
            GAIN,
            "instead of gain(owner, n) when n > 1: owner.coins += 5\n"
            "        may instead of gain(owner, n): owner.coins += 6",
        ),
        ("rest: gain(you, 1)", "rest: gain(you, 2)"),
    ),
    "collections of pieces compared": edit((COINS, f"{COINS} + (1 if hand = tableau else 0)")),
    "an attribute compared with what is listed": edit((COINS, f"{COINS} + (1 if tableau.value = [1, 3] else 0)")),
    "attributes compared of as many": edit(
        (COINS, f"{COINS} + (1 if [pawn, pawn].steps = [pawn, next.pawn].steps else 0)")
    ),
    "for how many players something holds": edit(
        (REPEAT, "repeat (1 if quick or count(players where it.coins > 1) > 0 else 2) times:"), (COINS, OTHERS_COINS)
    ),
    "an option that only a count reads": edit(
        ("draw hand_size", "draw 2"), (RED, RED.replace("count: 4", "count: hand_size"))
    ),
    "an option that only the size of a board reads": edit(
        ("draw hand_size", "draw 2"),
        ("types:\n", "grids: {Square: {columns: 3, rows: hand_size}}\ntypes:\n"),
        (COINS, f"{COINS} + count(Square) * pawn.steps"),
    ),
    "a variable that only a capacity reads": edit(
        (COINS, "coins + pawn.steps"), ("capacity: {each: 3}", "capacity: {each: 3 + rounds}")
    ),
    "an attribute that only its words tell": edit(
        (COLOURS, f"{COLOURS}\n  Suit: [cups, swords]"),
        ("{colour: Colour, value", "{colour: Colour, suit: Suit, value"),
        (
            RED,
            "price: 1 nut, suit: cups, count: 4}\n    - {id: red2, suit: swords, colour: red, value: 1, price: 1 nut}",
        ),
        (f"{PRICE}, count", f"{PRICE}, suit: cups, count"),
        ("price: 2 nut\n", "price: 2 nut\n      suit: cups\n"),
    ),
    "an attribute that only counts": edit(
        ("value: 1..5, price", "value: 1..5, many: 1..4, price"),
        ("    start: deck\n", "    start: deck\n    count: many\n"),
        (RED, "price: 1 nut, many: 4}"),
        (f"{PRICE}, count", f"{PRICE}, many"),
        ("price: 2 nut\n", "price: 2 nut\n      many: 1\n"),
    ),
    "a product without its diagonal": edit(
        (
            RED,
            f"{RED}\n    - {{each: {{value: 3..5, colour: Colour}}, id: 'j{{value}}_{{colour}}', price: 1 nut, "
            "count: 0 if value = 4 and colour = red else 1}",
        )
    ),
    "a count for some numbers of players": with_row(f"{JOKER}, count: 1 if count(players) = 4 else 0}}"),
    "a zone that pieces leave the game for": edit(
        (", refill: discard", ""), (DISCARD, "  discard: {holds: Card, final: true}")
    ),
    "rows that are asked for by name": with_row(
        "colour: red, value: 1, price: 1 nut}", (COINS, f"{COINS} + count(c for c in tableau where c is joker)")
    ),
    "rows that differ in their rules": edit(
        (
            "        scores: 1\n",
            "        scores: 1\n    - {id: baker, colour: red, value: 2, price: 2 nut, rules: 'scores: 2'}\n",
        )
    ),
    "rows of a pile in their order": edit(
        ("    shuffle deck\n", ""),
        ("order: pile, visible: count", "order: pile, visible: all"),
        (f"{PRICE}, count: 4}}", f"{PRICE}, count: 4}}\n    - {{id: red2, colour: red, value: 1, price: 1 nut}}"),
    ),
    "rows whose counts complement each other": edit(
        (
            RED,
            "price: 1 nut, count: hand_size}\n"
            "    - {id: joker, colour: red, value: 1, price: 1 nut, count: 4 - hand_size}",
        )
    ),
    "individuals": edit(("- {id: pawn, per: player}", "- {id: pawn, per: player}\n    - {id: dog, per: player}")),
    "a rule that a scenario runs": edit(
        rules="rule pay_out: coins += 1",
        scenario="rulelang: 2\nscenarios:\n  - name: one\n    given: {players: 2, do: 'as seat(0): pay_out()'}\n"
        "    then: [seat(0).coins = 1]\n",
    ),
    "a score of one player alone": edit(("players: 2..4", "players: 1"), rules="score all: rounds"),
    "what holds for all rows so far": edit(("where it.colour = red):", "where it.value >= 1):")),
    "the number of players": edit((REPEAT, "repeat (1 if quick or count(players) = 3 else 2) times:")),
    "that there is one": edit((WAIT, "      wait:\n        if some p = seat(3): coins += 1")),
    "names of loops": edit((WAIT, "      wait:\n        for n in numbers(1, 3): coins += 1")),
    "choosing as all that an item is for": edit((WAIT, "      wait(n from 1 to 3): pass")),
    "a cost that a quantity may lower": edit(
        ("can pay card.price from", "can pay price(card) from"),
        ("pay card.price from shed\n", "pay price(card) from shed\n"),
        (f"{PRICE}, ", "price: 4 oil, "),
        rules="quantity price(card: Card) -> cost of Part = card.price\nmodify price(card): minus 2 oil",
    ),
    "what only holds for as many pieces as there are": edit((COINS, f"{COINS} + (1 if count(tableau) < 50 else 0)")),
    "a function that a variant may replace": edit(
        (COINS, f"{COINS} + (1 if most() > 2 else 0)"), rules="function most -> number = 2"
    ),
    "a count that is sometimes above 0": edit(
        (TABLEAU, f"{TABLEAU[:-1]}, capacity: 4}}"),
        (WAIT, f"{WAIT}\n      more: draw count(tableau) - 3 from deck to tableau"),
    ),
    "a pile of one row": edit(
        ("    shuffle deck\n", ""),
        ("  deck: {", "  box: {holds: Card, order: pile, visible: count}\n  deck: {"),
        (RED, "price: 1 nut, count: 40, start: box}"),
        ("draw hand_size from deck to p.hand", "draw hand_size from box to p.hand"),
        (WAIT, f"{WAIT}\n      more: draw 1 from deck to hand"),
        ("visible: count, refill", "visible: all, refill"),
    ),
    "a pile that is shuffled elsewhere": edit(
        ("    shuffle deck\n", "    move deck to box\n    shuffle box\n    move box to deck\n"),
        ("  deck: {", "  box: {holds: Card, order: pile, visible: count}\n  deck: {"),
    ),
    "an end that a rule of a rule brings": edit(
        (REPEAT, "repeat:"),
        ("      rounds += 1\n", "      rounds += 1\n      last()\n"),
        rules="rule last:\n  if rounds = 3 or quick: finish()\nrule finish: end the game",
    ),
    "an end after the round": edit(
        (REPEAT, "repeat:\n      round:"),
        ("      rounds += 1\n", "        rounds += 1\n        if rounds = 2 or quick: end the game after this round\n"),
        (
            "      for p in players:\n        turn of p:\n          if not frozen",
            "        for p in players:\n          turn of p:\n            if not frozen",
        ),
    ),
    "a capacity that grows": edit((f"{PRICE}, ", "price: 4 oil, "), ("{each: 3}", "{each: 3 + rounds}")),
    "a loop that comes round": edit(
        ("      rounds += 1\n", "      rounds += 1\n      if quick: stop\n      else: coin()\n"),
        rules="rule coin:\n  for p in players:\n    if p.coins > 90: return\n    p.coins += 1",
    ),
}
