"""Figures that others published: how many histories of 0, 1, 2, … choices a game has, and who wins with best play.

Each row says where the figure stands. `soaked` is what is counted with `--soak` alone.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Counted(NamedTuple):
    """How many histories a position has by their length.

    Attributes:
        rows: from no choice on. soaked: the rows behind these. scenario: whose position they begin from.
    """

    source: str
    rows: list[int]
    soaked: tuple[int, ...] = ()
    scenario: str | None = None
    options: dict[str, Any] | None = None


class Won(NamedTuple):
    """Who wins with best play after these first choices; which openings those are is known of boards of any size."""

    source: str
    options: dict[str, Any]
    opening: tuple[str, ...]
    winner: int


NASH = "J. Nash, Some games and machines for playing them, 1952: who begins has a winning strategy"
BECK = (
    "A. Beck, M. Bleicher, D. Crowe, Excursions into Mathematics, 1969: to begin in the acute corner or beside it loses"
)
THREE = {"size": 3, "swap": False}
WINNERS: dict[str, list[Won]] = {
    "hex": [
        Won(NASH, THREE, (), 0),
        Won(BECK, THREE, ("place:spot=a1",), 1),
        Won(BECK, THREE, ("place:spot=c3",), 1),
        Won(BECK, THREE, ("place:spot=b1",), 1),
        Won(BECK, THREE, ("place:spot=b3",), 1),
        Won("from the middle both sides are joined by two neighbours each", THREE, ("place:spot=b2",), 0),
    ],
}


PERFT = "https://www.chessprogramming.org/Perft_Results"
HISTORIES: dict[str, list[Counted]] = {
    "chess": [
        Counted(PERFT, [1, 20, 400], (8902, 197281)),
        Counted(PERFT, [1, 48], (2039, 97862), "castling and captures everywhere"),
        Counted(PERFT, [1, 14, 191], (2812, 43238), "pins along a row"),
        Counted(PERFT, [1, 6, 264], (9467,), "checks and promotions"),
        Counted(PERFT, [1, 6], (264, 9467), "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1"),
        Counted(PERFT, [1, 44], (1486, 62379), "a pawn that promotes by capturing"),
        Counted(PERFT, [1, 46], (2079, 89890), "a full middle game"),
    ],
    "breakthrough": [Counted("eight pawns go ahead, seven of them to either side", [1, 22, 22 * 22])],
    "connect_four": [
        Counted("seven columns, full after six discs; nobody has four before the seventh", [1, 7, 49, 343])
    ],
    "dots_and_boxes": [Counted("any line", [1, 24], (24 * 23,))],
    "draughts": [Counted("https://www.aartbik.com/MISC/checkers.html", [1, 7, 49, 302], (1469, 7361, 36768))],
    "gomoku": [Counted("any point", [1, 225], (225 * 224,))],
    "hex": [Counted("any cell", [1, 121], (121 * 121,))],
    "lines_of_action": [
        Counted("of each side six go across the board, five along each diagonal, the outer two along it", [1, 36])
    ],
    "mancala": [
        Counted("the third pit reaches the store: five pits are left, and five first moves end there", [1, 6, 35])
    ],
    "nine_mens_morris": [Counted("any point", [1, 24, 24 * 23])],
    "othello": [
        Counted("https://aartbik.blogspot.com/2009/02/perft-for-reversi.html", [1, 4, 12, 56], (244, 1396, 8200))
    ],
}
