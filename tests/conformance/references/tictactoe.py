"""Tic-tac-toe.

Two players in turn put a stone on an empty square of three by three; three of one's own in a row, column or
diagonal win at once; a full board is drawn. No chance. The number of stones is the depth, so every history of
length d is on a board of d stones and equal boards can be merged.
"""

from __future__ import annotations

from .tree import Outcome, merged_enumeration, shares

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def children(board: str) -> list[str]:
    """The boards after one more stone."""
    stone = "1" if board.count("0") > board.count("1") else "0"
    return [board[:square] + stone + board[square + 1 :] for square in range(9) if board[square] == "."]


def outcome(board: str) -> Outcome | None:
    """What the players get, if the game is over."""
    for seat in (0, 1):
        if any(all(board[square] == str(seat) for square in line) for line in LINES):
            return shares({seat}, 2)
    return None if "." in board else shares({0, 1}, 2)


rows, terminal_probabilities = merged_enumeration("." * 9, children, outcome)
