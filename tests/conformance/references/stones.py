"""Stones.

Go on a board of two rows, until both pass one after the other. A position is a tuple of owners; which positions a move
may not make again: `ko`, the one before the last; `superko`, any; `sides`, any that the same player left.
"""

from __future__ import annotations

from .tree import Ask, Outcome, enumeration

Board = tuple[int, ...]


def beside(point: int, columns: int) -> list[int]:
    """The points next to one, of `2 * columns` row by row."""
    column, row = point % columns, point // columns
    sides = [point + step for step, there in ((-1, column > 0), (1, column < columns - 1)) if there]
    return [*sides, (1 - row) * columns + column]


def has_liberty(board: Board, point: int, columns: int) -> bool:
    """Whether the group of a stone has a free point beside it."""
    group, waiting = {point}, [point]
    while waiting:
        for near in beside(waiting.pop(), columns):
            if board[near] < 0:
                return True
            if board[near] == board[point] and near not in group:
                group.add(near)
                waiting.append(near)
    return False


def put(board: Board, point: int, seat: int, columns: int) -> Board:
    """The board after a stone was put, and those without liberties taken off: at most all of the other player."""
    new = [*board]
    new[point] = seat
    for near in beside(point, columns):
        if new[near] == 1 - seat and not has_liberty(tuple(new), near, columns):
            lost = {near}
            while more := {n for p in lost for n in beside(p, columns) if new[n] == 1 - seat} - lost:
                lost |= more
            for gone in lost:
                new[gone] = -1
    return tuple(new)


def play(ask: Ask, players: int, columns: int, repetition: str) -> Outcome:
    """One game; the outcome is how many stones each has."""
    board: Board = (-1,) * (2 * columns)
    boards, left = [board], set[tuple[int, Board]]()
    seat = passed = 0
    while passed < 2:
        moves: list[Board | None] = []
        for point in range(2 * columns):
            if board[point] >= 0:
                continue
            new = put(board, point, seat, columns)
            barred = {"free": False, "ko": new in boards[-2:], "superko": new in boards, "sides": (seat, new) in left}
            if has_liberty(new, point, columns) and not barred[repetition]:
                moves.append(new)
        chosen = ask.decide([*moves, None])
        passed = passed + 1 if chosen is None else 0
        board = board if chosen is None else chosen
        boards.append(board)
        left.add((seat, board))
        seat = 1 - seat
    return (board.count(0), board.count(1))


rows, terminal_probabilities = enumeration(play)
