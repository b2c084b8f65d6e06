"""Chess as players write it down: games of python-chess, told in its SAN (`board.san`), are played by it.

The games of `chess_san.txt` were drawn by `random`, with a preference for castling, promotions, captures in
passing and checks: one a line. `python -m tests.gallery.record_san` writes them again.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import rulelang
from rulelang.game import State
from rulelang.record import Record, begun, replayed
from rulelang.transcript import transcript

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


POSITIONS = {
    "e4": "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
    "c5": "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq c6 0 2",
    "Nf3": "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2",
}
"""The examples of the standard of PGN (Edwards 1994), 16.1.4."""


def test_chess_in_fen() -> None:
    """The position after each move is written as in the standard, and read as what was written."""
    chess = rulelang.load("chess")
    state = chess.new_game()
    assert state.notation() == "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    for san, line in POSITIONS.items():
        move = state.decision()
        assert move is not None
        action = move.meant(san)
        assert action is not None
        state.apply(action)
        assert state.notation() == line
        given = chess.scenario(line)
        assert given.notation().rsplit(" ", 1)[0] == line.rsplit(" ", 1)[0]
        assert [a.id for a in given.legal_actions()] == [a.id for a in state.legal_actions()]


def test_chess_in_pgn() -> None:
    """The seven tags in their order, the moves, the result (8.1.1); from a given position its tags, and `1...`."""
    chess = rulelang.load("chess")
    whole = played(begun(chess, None, 0, {}, ""), LEGAL.split())
    tags = ["Event", "Site", "Date", "Round", "White", "Black", "Result"]
    assert re.findall(r"^\[(\w+) ", whole, re.MULTILINE) == tags
    assert whole.endswith("7. Nd5# 1-0")
    line = POSITIONS["e4"]
    later = played(begun(chess, None, 0, {}, line), ["c5", "Nf3", "d6"], line)
    assert later.endswith(f'[Result "*"]\n[SetUp "1"]\n[FEN "{line}"]\n\n1... c5 2. Nf3 d6 *')


def played(state: State, moves: list[str], scenario: str = "") -> str:
    """Play a game by its notation; return it as it is written down."""
    record = Record.of(state, 0, scenario)
    for move in moves:
        seat, decision = state.current_players()[0], state.decision()
        assert decision is not None
        action = decision.meant(move)
        assert action is not None, move
        state.apply(action)
        record.add(seat, action.id, state)
    return transcript(record, replayed(record)[1], "en")


def test_classics_in_their_notation() -> None:
    """Draughts by squares 1 to 32 from the first seat's right; backgammon by points from one's own side."""
    draughts = rulelang.load("draughts").new_game()
    moves = ["9-13", "9-14", "10-14", "10-15", "11-15", "11-16", "12-16"]  # of every book: the seven first ones
    assert sorted(action.notation() for action in draughts.legal_actions()) == sorted(moves)
    state = rulelang.load("backgammon").new_game(seed=1)
    texts = {action.notation() for action in state.legal_actions()}
    assert texts
    assert all(re.fullmatch(r"(24|13|8|6)/\d+", text) for text in texts), texts


def test_go_leaves_out_a_letter() -> None:
    assert [action.notation() for action in rulelang.load("go").new_game().legal_actions()][7:10] == ["h1", "j1", "a2"]


def test_the_games_hold_each_form() -> None:
    """Both castlings, different promotions, mate, and cells told by their column."""
    moves = set(" ".join(GAMES).split())
    bare = {move.rstrip("+#").replace("x", "") for move in moves}
    assert {"O-O", "O-O-O"} <= bare
    assert len({move[-2:] for move in bare if move[-2] == "="}) > 1
    assert any(move.endswith("#") for move in moves)
    assert any(move[0] in "NRQB" and len(move) == 4 and move[1].isalpha() for move in bare)
