"""Endings.

Two or three players with 2 lives each; turns go round. In a turn: hit another player still in, who loses a life and
without lives is out at once; work for a coin; rush, so that the game ends after this turn; or leave the game
oneself. When at most one player is left the game ends at once. Otherwise the player of the turn (even one who left)
gets a coin, and with 3 or more coins the game ends after this round. A round is one turn for each seat still in
when it would come. Outcome: coins, less 5 for who is out.
"""

from __future__ import annotations

from .tree import Ask, Outcome, enumeration


def play(ask: Ask, players: int) -> Outcome:
    """One game; the outcome is the scores."""
    lives, coins, left = [2] * players, [0] * players, set(range(players))

    def scores() -> Outcome:
        return tuple(coins[seat] - (0 if seat in left else 5) for seat in range(players))

    last_round = False
    while not last_round:
        for seat in range(players):
            if seat not in left:
                continue
            last_turn = False
            hits = [("hit", other) for other in sorted(left) if other != seat]
            action, whom = ask.decide([*hits, ("work", seat), ("rush", seat), ("leave", seat)])
            if action == "hit":
                lives[whom] -= 1
                left -= {whom} if not lives[whom] else set()
            elif action == "work":
                coins[seat] += 1
            elif action == "rush":
                last_turn = True
            else:
                left -= {seat}
            if len(left) <= 1:
                return scores()
            coins[seat] += 1
            last_round = last_round or coins[seat] >= 3
            if last_turn:
                return scores()
    return scores()


rows, terminal_probabilities = enumeration(play)
