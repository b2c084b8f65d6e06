"""Chess of python-chess, told in the ids of our ruleset.

Enters: `chess` (the extra `verify`). Leaves: `WITNESSES`.
"""

from __future__ import annotations

import chess

from .lockstep import Played, Witness

INTO = {piece: chess.piece_name(piece) for piece in (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT)}


class _Game:
    """A game that ends without claims: by mate, stalemate, men that can't mate, fifty quiet moves of each, a position
    for the third time."""

    def __init__(self) -> None:
        self.board = chess.Board()

    def is_over(self) -> bool:
        board = self.board
        decided: bool = board.is_checkmate() or board.is_stalemate()
        drawn: bool = board.is_insufficient_material() or board.is_fifty_moves() or board.is_repetition(3)
        return decided or drawn

    def is_chance(self) -> bool:
        return False

    def _moves(self) -> dict[str, chess.Move]:
        return {self._told(move): move for move in self.board.legal_moves}

    def _told(self, move: chess.Move) -> str:
        if self.board.is_castling(move):
            return f"castle:side={'short' if self.board.is_kingside_castling(move) else 'long'}"
        squares = f"start={chess.square_name(move.from_square)},target={chess.square_name(move.to_square)}"
        return f"promote:{squares},into={INTO[move.promotion]}" if move.promotion else f"go:{squares}"

    def offered(self) -> list[str]:
        return [*self._moves()]

    def choose(self, id_: str) -> None:
        self.board.push(self._moves()[id_])

    def returns(self) -> list[float] | None:
        if not self.board.is_checkmate():
            return [0.0, 0.0]
        return [-1.0, 1.0] if self.board.turn == chess.WHITE else [1.0, -1.0]


def _begin(_: int) -> Played:
    return _Game()


WITNESSES = {
    "chess": Witness(_begin, f"python-chess {chess.__version__}", 2, {}, steps=600, seeds=(2980, 1053, 2827)),
}
