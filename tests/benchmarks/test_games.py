"""The board and card games of the benchmarks: no findings, the counts of histories that others know, games that end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import rulelang
from benchmarks import agree
from rulelang.cli import rulelang as command
from rulelang.perft import perft
from tests import soak

GAMES = Path(__file__).parents[2] / "benchmarks" / "games"
SOME = {"hearts", "goofspiel", "leduc_poker"}
NAMES = sorted(folder.name for folder in GAMES.iterdir())
DIRECTIONS = [(across, down) for across in (-1, 0, 1) for down in (-1, 0, 1) if (across, down) != (0, 0)]

Cell = tuple[int, int]


@pytest.fixture(scope="module")
def games() -> dict[str, rulelang.Ruleset]:
    """All of them, loaded."""
    return {name: rulelang.load(str(GAMES / name)) for name in NAMES}


def test_there_are_no_findings() -> None:
    """Games that `check` has nothing to say of."""
    done = CliRunner().invoke(command, ["check", *(str(GAMES / name) for name in NAMES), "--format", "json"])
    assert json.loads(done.stdout)["diagnostics"] == []


def amazons() -> list[int]:
    """How many histories of 0, 1 and 2 choices amazons has on 6 × 6: where an amazon goes, and where it shoots."""
    own, rivals = [(1, 5), (5, 4)], [(0, 1), (4, 0)]

    def reach(start: Cell, taken: set[Cell]) -> list[Cell]:
        cells = []
        for across, down in DIRECTIONS:
            column, row = start[0] + across, start[1] + down
            while 0 <= column < 6 and 0 <= row < 6 and (column, row) not in taken:
                cells.append((column, row))
                column, row = column + across, row + down
        return cells

    taken = {*own, *rivals}
    rides = [(start, target) for start in own for target in reach(start, taken)]
    return [1, len(rides), sum(len(reach(target, taken - {start})) for start, target in rides)]


def clobber() -> list[int]:
    """How many histories of 0, 1 and 2 moves clobber has on 6 × 5."""
    cells = [(column, row) for column in range(6) for row in range(5)]
    pairs = [
        (start, target)
        for start in cells
        for target in cells
        if abs(start[0] - target[0]) + abs(start[1] - target[1]) == 1
    ]

    def moves(owners: dict[Cell, int], seat: int) -> list[tuple[Cell, Cell]]:
        return [(a, b) for a, b in pairs if owners.get(a) == seat and owners.get(b) == 1 - seat]

    owners = {(column, row): (column + row) % 2 for column, row in cells}
    first = moves(owners, 0)
    second = [moves({**{cell: owners[cell] for cell in cells if cell != a}, b: 0}, 1) for a, b in first]
    return [1, len(first), sum(map(len, second))]


@pytest.mark.slow
def test_as_many_histories_as_others_count(games: dict[str, rulelang.Ruleset]) -> None:
    """From published figures, from loops that know nothing of the engine, and by hand."""
    expected = {
        "goofspiel": [1, 5, 25, 100, 400],  # a bid of five by each, then of the four that are left
        "amazons": amazons(),
        "clobber": clobber(),
        # Three ranks for each hand; check or raise; then check or raise, or fold, call or raise; then 3 hands of a
        # pair, for which there are 2 cards to be drawn, and 6 others after two checks and after a raise that is called,
        # fold, call or raise after a check and a raise, fold or call after two raises.
        "leduc_poker": [1, 3, 9, 9 * 2, 9 * 5, 2 * (3 * 2 + 6 * 3) + 9 * 3 + 9 * 2],
        "pentago": [1, 36 * 4 * 2],
        "tic_tac_toe": [1, 9, 9 * 8, 9 * 8 * 7],
        "y": [1, 45, 45 * 44],
    }
    if soak.FACTOR == 1:  # all rows take four times as long
        expected = {name: [count for count in rows if count <= 200] for name, rows in expected.items()}
    counts = {
        name: [row.histories for row in perft(games[name], len(rows) - 1, backend="interpreter")]
        for name, rows in expected.items()
    }
    assert counts == expected


def test_a_twist_turns_a_quarter(games: dict[str, rulelang.Ruleset]) -> None:
    """Clockwise a1, a2, a3 go to c1, b1, a1, which d1 and e1 continue to five; counterclockwise they go to row 3."""
    marbles = {f"marble[{cell}]": "seat(0)" for cell in ("a1", "a2", "d1", "e1")}
    ends = {}
    for twist in ("clockwise", "counterclockwise"):
        state = games["pentago"].position({"variables": marbles}, backend="interpreter")
        state.apply(f"place:spot=a3,quarter=top_left,twist={twist}")
        ends[twist] = state.is_terminal()
    assert ends == {"clockwise": True, "counterclockwise": False}


def test_a_random_game_of_each_ends(games: dict[str, rulelang.Ruleset]) -> None:
    """By its rules, not by the limit of decisions; of each with `--soak`, else of some."""
    played = {name: game for name, game in games.items() if soak.FACTOR > 1 or name in SOME}
    ends = {name: agree.play(game.executor(None, None, "interpreter"), 1) for name, game in played.items()}
    assert {name: end for name, end in ends.items() if end.limited or end.error} == {}
    assert ends["hearts"].decisions == 52
