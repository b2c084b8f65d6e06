"""Record games of chess in SAN: `python -m tests.gallery.record_san`.

Enters: `chess` (the extra `verify`). Leaves: `chess_san.txt`, a game a line, first a short one that ends in
mate and has both a promotion and castling.
"""

from __future__ import annotations

import random
from pathlib import Path

import chess

SEEDS = (3891, 811, 12, 40)
MOST = 160


def san_of(seed: int, most: int) -> str:
    """Return a random game; seven of ten times what is rare is played where it can be."""
    chance, board, moves = random.Random(seed), chess.Board(), list[str]()
    while len(moves) < most and not board.is_game_over() and not board.is_repetition(3):
        legal = list(board.legal_moves)
        rare = [
            m for m in legal if board.is_castling(m) or m.promotion or board.is_en_passant(m) or board.gives_check(m)
        ]
        move = chance.choice(rare) if rare and chance.random() < 0.7 else chance.choice(legal)
        moves.append(board.san(move))
        board.push(move)
    return " ".join(moves)


if __name__ == "__main__":
    games = "".join(f"{san_of(seed, MOST)}\n" for seed in SEEDS)
    Path(__file__).with_name("chess_san.txt").write_text(games, encoding="utf-8")
