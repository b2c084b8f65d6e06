"""Conditions on cells of boards, looked at as sets with a bit for each cell: the answers stay the same."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest

import rulelang
from rulelang.native.rows import row_width
from rulelang.native.steps import new_machine
from rulelang.runtime.canonical import state_hash
from tests.soak import times

from .compared import never_interpreted

pytestmark = pytest.mark.usefixtures("compiler")
GAMES, TRIED_GAMES = 25, 6

# Each choice asks for rays and neighbours, each score for lines, in all ways that quantifiers can be nested.
BOARD = """\
rulelang: 2
name: board
players: 2
languages: [en]
grids:
  Square: {{columns: {columns}, rows: {rows}, adjacency: {adjacency}}}
limits: {{decisions: 12}}
variables:
  taken: {{type: "player?", per: Square}}
  marks: {{type: 0..9, per: Square}}
rules: |
  play:
    repeat:
      for p in players:
        turn of p: put()
  rule put:
    choose one:
      drop(square in Square) when taken[square] is none and all(taken[c] is not none for c in ray(square, south)):
        taken[square] := you
      join(square in Square) when taken[square] is none and any(taken[c] = you for c in neighbours(square)):
        taken[square] := you
        if marks[square] < 9: marks[square] += 1
      see(square in Square) when any(marks[c] > 0 for c in ray(square, northeast)) and marks[square] < 9:
        marks[square] += 1
      leave(square in Square) when taken[square] is not none and all(taken[c] is none for c in neighbours(square)):
        taken[square] := none
      pass: pass
  score whole: 1 if any(all(taken[c] = you for c in line) for line in lines(Square, 3)) else 0
  score open: 10 if all(any(taken[c] is none for c in line) for line in lines(Square, 2)) else 0
  score some: 100 if any(any(marks[c] > 2 for c in line) for line in lines(Square, 4)) else 0
  score every: 1000 if all(all(marks[c] = 0 or taken[c] = you for c in line) for line in lines(Square, 4)) else 0
"""


@pytest.mark.parametrize(
    ("columns", "rows", "adjacency"),
    [(4, 4, "orthogonal"), (8, 8, "all"), (7, 6, "orthogonal"), (13, 5, "all"), (12, 11, "orthogonal")],
)
def test_games_end_alike(columns: int, rows: int, adjacency: str, tmp_path: Path) -> None:
    """Boards of few cells, as many as a word has bits, two, or four: native code plays as the interpreter does."""
    text = BOARD.format(columns=columns, rows=rows, adjacency=adjacency)
    (tmp_path / "ruleset.yaml").write_text(text, encoding="utf-8")
    ruleset = rulelang.load(tmp_path)
    one, native = (ruleset.executor(2, {}, backend) for backend in ("interpreter", "native"))
    never_interpreted(native)
    assert native.native is not None
    assert "#define BOARDS 0\n" not in native.native.c
    points = set()
    for seed in range(GAMES):
        wanted, found = (executor.new_state(seed, logging=False) for executor in (one, native))
        one.random_playout(wanted)
        native.random_playout(found)
        assert (state_hash(found), found.rng) == (state_hash(wanted), wanted.rng)
        scores = one.interpreter.scores(wanted)
        (game,) = native.games([seed])
        assert game.scores == scores
        points |= set(scores)
    assert len(points) > 2


TRIED = """\
rulelang: 2
name: tried
players: 2
languages: [en]
grids:
  Square: {columns: COLUMNS, rows: 8, adjacency: all}
limits: {decisions: 20}
variables:
  taken: {type: "player?", per: Square}
  marks: {type: 0..9, per: Square}
rules: |
  play:
    repeat:
      for p in players:
        turn of p:
          choose one:
            put(square in Square where taken[it] is none) when possible(take(square) then is_near(square)): take(square)
            move_on(from_ in Square where taken[it] = you, to in Square where taken[it] is none and may_go(from_, it)):
              taken[from_] := none
              take(to)
            pass: pass
  rule take(square: Square):
    taken[square] := you
    marks[square] := 1 if marks[square] = 0 else 0
  function near(c: Square) -> number = count(neighbours(c) where taken[it] = you)
  function is_near(c: Square) -> bool = near(c) = count(Square where marks[it] > 0) - 1
  function may_go(a: Square, b: Square) -> bool = distance(a, b) = 2 or count(Square where taken[it] = you) = 3
"""


LYING = """\
rulelang: 2
name: lying
players: 2
languages: [en]
grids:
  Square: {columns: COLUMNS, rows: 8, adjacency: all}
kinds:
  Man: {attributes: {rank: 0..3}, start: box}
  King: {identity: true}
pieces:
  Man:
    - {id: low, rank: 1, per: player, count: 20}
    - {id: high, rank: 3, per: player, count: 20}
  King:
    - {id: king, per: player, start: "throne[a1 if you = seat(0) else b8]"}
zones:
  box: {holds: Man, per: player}
  board: {holds: Man, per: Square, capacity: 1}
  hall: {holds: Man, per: Square}
  throne: {holds: King, per: Square, capacity: 1}
limits: {decisions: 40}
variables: {times: {type: 0..99}}
rules: |
  play:
    repeat:
      for p in players:
        turn of p:
          times := count(Square where any(m.rank = 3 and m.owner != you for m in board[it]))
          choose one:
            put(c in Square where board[it] is empty) when box is not empty: move top of box to board[c]
            move_on(a in Square where is_own(it), b in neighbours(a) where board[it] is empty):
              move board[a] to board[b]
            stack(c in Square where any(m.rank = 3 for m in board[it])):
              move board[c] to hall[c]
              move top 1 of hall[c] to board[c]
            take(c in Square where all(m.owner = p.next for m in board[it])):
              move (board[c] where it.rank = 1) to box
              move board[c] to hall[a1]
            ride(c in Square where is_free(it)) when possible(rides(c) then times < 9): rides(c)
            some_back(back from 1 to 2) when count(hall[a1]) >= back: move top back of hall[a1] to box
            any_back(c in Square where board[c] is empty) when hall[a1] is not empty:
              move random one of hall[a1] to board[c]
            pass: pass
  rule rides(c: Square):
    for king in throne where it.owner = you: move king to throne[c]
    for other in Square where any(k.owner != you for k in throne[it]) and board[other] is not empty:
      move board[other] to hall[c]
      times := count(Square where board[it] is not empty)
  function is_free(c: Square) -> bool = c.row = 4 and throne[c] is empty and board[c] is empty
  function is_own(c: Square) -> bool = any(m.owner = you for m in board[c])
  score ranks: count(Square where any(m.rank = 3 for m in board[it]) and is_own(it))
"""


@pytest.mark.parametrize("columns", [8, 9])
@pytest.mark.parametrize(("text", "sizes"), [(TRIED, [3, 10]), (LYING, [3, 2, 2, 1, 1])])
def test_bitboards_are_those_of_variables_and_zones(text: str, sizes: list[int], columns: int, tmp_path: Path) -> None:
    """After games in which rules are tried, and what they did is taken back, bitboards are those of the state."""
    (tmp_path / "ruleset.yaml").write_text(text.replace("COLUMNS", str(columns)), encoding="utf-8")
    ruleset = rulelang.load(tmp_path)
    one, executor = (ruleset.executor(2, {}, backend) for backend in ("interpreter", "native"))
    never_interpreted(executor)
    native = executor.native
    assert native is not None
    boards = native.flat.bitboards
    assert [len(of.values) for of in boards.values()] == sizes
    moved = set()
    for seed in range(times(TRIED_GAMES)):
        wanted, state = (each.new_state(seed, logging=False) for each in (one, executor))
        block, frames = native.flat.packed(state), native.forms.written(state.frames)
        row = (ctypes.c_int64 * row_width(native.layout))()
        native.library.rulelang_play(new_machine(native.library, native), ctypes.byref(block), frames, row)
        one.random_playout(wanted)
        assert block.v[: len(wanted.v)] == wanted.v
        words = [word for of in boards.values() for word in of.words(wanted.v, wanted.z)]
        assert block.boards[: len(words)] == words
        moved.add(tuple(words))
    assert len(moved) > 1
