"""Connect three on an upright board of four by four.

Two players in turn drop a stone into a column that is not full; it comes to rest on the lowest empty square. Three
of one's own in a straight line (row, column, diagonal) win at once; a full board is drawn. No chance. A board is
four columns from the bottom up; the number of stones is the depth.
"""

from __future__ import annotations

from functools import cache

from .tree import Outcome, merged_enumeration, shares

Board = tuple[str, ...]
START: Board = ("", "", "", "")


def children(board: Board) -> list[Board]:
    """The boards after one more stone."""
    stone = str(sum(map(len, board)) % 2)
    return [(*board[:i], board[i] + stone, *board[i + 1 :]) for i in range(4) if len(board[i]) < 4]


def stone_at(board: Board, column: int, height: int) -> str:
    """Whose stone is there; a dot if none is, or no such place."""
    return board[column][height] if 0 <= column < 4 and 0 <= height < len(board[column]) else "."


@cache
def outcome(board: Board) -> Outcome | None:
    """What the players get, if the game is over."""
    for seat in (0, 1):
        for column in range(4):
            for height in range(4):
                for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
                    run = {stone_at(board, column + step * right, height + step * up) for step in range(3)}
                    if run == {str(seat)}:
                        return shares({seat}, 2)
    return shares({0, 1}, 2) if all(len(column) == 4 for column in board) else None


rows, terminal_probabilities = merged_enumeration(START, children, outcome)
