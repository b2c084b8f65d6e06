"""Kuhn poker.

Cards 1, 2, 3; each of two players stakes 1 and is dealt one card (chance: first the card of seat 0, then that of
seat 1). Seat 0 checks or bets 1; seat 1 checks or bets after a check, calls or folds after a bet; seat 0 calls or
folds after check and bet. After a fold the other player, else the higher card, wins what the loser staked. Outcome:
what each seat wins.
"""

from __future__ import annotations

from fractions import Fraction

from .tree import Ask, Outcome, enumeration

BETTING = {"": ("check", "bet"), "check": ("check", "bet"), "bet": ("call", "fold"), "check bet": ("call", "fold")}


def play(ask: Ask, players: int) -> Outcome:
    """One game; the outcome is the payoff."""
    first = ask.chance({1: 1, 2: 1, 3: 1})
    second = ask.chance({card: 1 for card in (1, 2, 3) if card != first})
    said: list[str] = []
    while " ".join(said) in BETTING:
        said.append(ask.decide(BETTING[" ".join(said)]))
    return payoff(first, second, said)


def payoff(first: int, second: int, said: list[str]) -> tuple[int, int]:
    """What both seats win after this betting."""
    higher = 1 if first > second else -1
    if said[-1] == "fold":
        folder = (len(said) - 1) % 2
        return (-1, 1) if folder == 0 else (1, -1)
    stake = 2 if said[-1] == "call" else 1
    return higher * stake, -higher * stake


def value(bluff: Fraction) -> Fraction:
    """Expected payoff of seat 0 in Kuhn's equilibrium with this chance (0 to 1/3) of betting the lowest card."""
    third = Fraction(1, 3)
    first = {
        "bet": {1: bluff, 2: Fraction(0), 3: 3 * bluff},
        "call": {1: Fraction(0), 2: bluff + third, 3: Fraction(1)},
    }
    second = {"bet": {1: third, 2: Fraction(0), 3: Fraction(1)}, "call": {1: Fraction(0), 2: third, 3: Fraction(1)}}
    total = Fraction(0)
    for mine, theirs in ((a, b) for a in (1, 2, 3) for b in (1, 2, 3) if a != b):
        pending: list[tuple[list[str], Fraction]] = [([], Fraction(1, 6))]
        while pending:
            said, chance = pending.pop()
            if " ".join(said) not in BETTING:
                total += chance * payoff(mine, theirs, said)[0]
                continue
            strategy, card = (first, mine) if len(said) % 2 == 0 else (second, theirs)
            yes, no = ("bet", "check") if "bet" not in said else ("call", "fold")
            pending.append(([*said, yes], chance * strategy[yes][card]))
            pending.append(([*said, no], chance * (1 - strategy[yes][card])))
    return total


rows, terminal_probabilities = enumeration(play)
