"""Chess as players write it down: games of python-chess, told in its SAN (`board.san`), are played by it.

The games of `chess_san.txt` were drawn by `random`, with a preference for castling, promotions, captures in
passing and checks: one a line. `python -m tests.gallery.record_san` writes them again.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import rulelang

GAMES = Path(__file__).with_name("chess_san.txt").read_text(encoding="utf-8").splitlines()


LEGAL = "e4 e5 Nf3 d6 Bc4 Bg4 Nc3 g6 Nxe5 Bxd1 Bxf7+ Ke7 Nd5#"
"""Légal's mate, as every book of openings has it."""


@pytest.mark.parametrize("game", [LEGAL, *(pytest.param(game, marks=pytest.mark.soak) for game in GAMES)])
def test_chess_in_san(game: str) -> None:
    """Each move is understood, written back as it stood, and understood without its marks where that is one move."""
    state = rulelang.load("chess").new_game()
    for san in game.split():
        decision = state.decision()
        assert decision is not None
        action = decision.meant(san)
        assert action is not None, san
        assert action.notation() == san
        assert decision.meant(san.rstrip("+#")) == action, san
        state.apply(action)
    assert game[-1] != "#" or state.is_terminal()


def test_the_games_hold_each_form() -> None:
    """Both castlings, different promotions, mate, and cells told by their column."""
    moves = set(" ".join(GAMES).split())
    bare = {move.rstrip("+#").replace("x", "") for move in moves}
    assert {"O-O", "O-O-O"} <= bare
    assert len({move[-2:] for move in bare if move[-2] == "="}) > 1
    assert any(move.endswith("#") for move in moves)
    assert any(move[0] in "NRQB" and len(move) == 4 and move[1].isalpha() for move in bare)
