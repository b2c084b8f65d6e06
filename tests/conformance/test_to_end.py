"""Perft to the end of a game: outcomes, positions and exact probabilities are those found without the engine."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

from rulelang.diagnostics import UsageError
from rulelang.perft import HistoryTree, perft_to_end
from tests.native.compared import load
from tests.shipped import conformance

from .cases import BY_RETURNS, LONG, WHOLE, Case, label, reference

SEVERAL = {"sealed-2", "kuhn-2", "dice-2-3", "leduc-2-1", "auction-3"}
"""What these do native code does too."""

ROOMS = """\
rulelang: 2
name: rooms
players: 2
kinds: {Card: {attributes: {worth: 1..3}, start: deck}}
pieces: {Card: [{id: low, count: 2, worth: 1}, {id: high, worth: 3}]}
zones: {deck: {holds: Card, order: pile, visible: count}, hand: {holds: Card, per: player, visible: owner}}
variables: {won: {type: 0..9, per: player, visible: all}}
rules: |
  play:
    shuffle deck
    draw 1 from deck to seat(0).hand
    let shown = together choose a number from 0 to 1
    if shown[seat(0)] = shown[seat(1)]: seat(0).won := roll 1 to 2
    else: seat(1).won := 1
  score won: won + sum(hand.worth)
"""
"""A card of three, of which two are the same; both seats show 0 or 1; a roll where they show the same."""


CASE = {label(case): case for case in WHOLE}


@cache
def tree(name: str, backend: str) -> HistoryTree:
    """A game of the suite to its end, with probabilities."""
    case = CASE[name]
    return perft_to_end(conformance(case.name), case.players, case.options, backend=backend, exact=True)


LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
Shares = dict[str, Fraction]


@cache
def tictactoe(board: str) -> tuple[Counter[str], Shares]:
    """Games and probabilities by who wins, of a tic-tac-toe that is no ruleset."""
    over = next((board[a] for a, b, c in LINES if board[a] != "." and board[a] == board[b] == board[c]), "")
    free = [place for place in range(9) if board[place] == "."]
    if over or not free:
        return Counter({over: 1}), {over: Fraction(1)}
    games: Counter[str] = Counter()
    chances: Shares = defaultdict(Fraction)
    for place in free:
        more, likely = tictactoe(board[:place] + "OX"[len(free) % 2] + board[place + 1 :])
        games += more
        for winner, chance in likely.items():
            chances[winner] += chance / len(free)
    return games, chances


@pytest.mark.soak
@pytest.mark.parametrize("backend", ["interpreter", "native"])
def test_tictactoe(backend: str) -> None:
    """255,168 games in 5,478 positions, as everybody counts them; so likely as a program of its own says."""
    games, chances = tictactoe("." * 9)
    found = tree("tictactoe-2", backend)
    assert sum(games.values()) == 255168
    assert found.positions == tictactoe.cache_info().currsize == 5478
    by_winner = {"".join("XO"[seat] for seat in ending.winners): ending for ending in found.endings}
    assert {name: ending.histories for name, ending in by_winner.items()} == {"X": 131184, "O": 77904, "": 46080}
    assert {name: ending.histories for name, ending in by_winner.items()} == games
    assert {name: ending.probability for name, ending in by_winner.items()} == chances
    assert found.returns == [chances["X"] - chances["O"], chances["O"] - chances["X"]]


def test_kuhn() -> None:
    """Check and check 1/4, bet and fold 1/4, bet and call 1/4, check, bet and call or fold 1/8 each; the higher card is
    either's as often."""
    found = tree("kuhn-2", "interpreter")
    chances = {ending.scores: ending.probability for ending in found.endings}
    assert chances == {
        (1, -1): Fraction(1, 4) + Fraction(1, 8), (-1, 1): Fraction(1, 8) + Fraction(1, 8),
        (2, -2): Fraction(1, 8) + Fraction(1, 16), (-2, 2): Fraction(1, 8) + Fraction(1, 16),
    }  # fmt: skip
    assert found.returns == [Fraction(1, 8), Fraction(-1, 8)]
    assert sum(ending.histories for ending in found.endings) == 6 * 5


def test_chance_and_several_seats(tmp_path: Path) -> None:
    """By hand: card, seat 0, seat 1, perhaps a roll; a low card is twice as likely as the high one."""
    found = perft_to_end(load(tmp_path, ROOMS), exact=True, backend="interpreter")
    assert [(row.chance, row.decision, row.terminal) for row in found.rows] == [
        (1, 0, 0), (0, 2, 0), (0, 4, 0), (4, 0, 4), (0, 0, 8),
    ]  # fmt: skip
    # the start; the card; what seat 0 showed; a roll to come; 1 or 2 for seat 0, or 1 for seat 1
    assert found.positions == 1 + 2 + 4 + 2 + 6
    assert {(ending.winners, ending.scores): (ending.histories, ending.probability) for ending in found.endings} == {
        ((0,), (2, 0)): (2, Fraction(2, 3) / 4), ((0,), (3, 0)): (2, Fraction(2, 3) / 4),
        ((0,), (4, 0)): (2, Fraction(1, 3) / 4), ((0,), (5, 0)): (2, Fraction(1, 3) / 4),
        ((0, 1), (1, 1)): (2, Fraction(2, 3) / 2), ((0,), (3, 1)): (2, Fraction(1, 3) / 2),
    }  # fmt: skip
    assert found.returns == [Fraction(2, 3), Fraction(-2, 3)]


@pytest.mark.parametrize(
    "case", [pytest.param(c, id=label(c), marks=pytest.mark.soak if label(c) in LONG else ()) for c in WHOLE[1:]]
)
def test_references(case: Case) -> None:
    """Histories by length and outcomes under random play are the references'."""
    found = tree(label(case), "interpreter")
    assert [row.to_json() for row in found.rows] == reference(case.name).rows(case.depth, case.players, **case.options)
    assert sum(ending.histories for ending in found.endings) == sum(row.terminal for row in found.rows)
    wanted = {
        key: probability
        for key, probability in reference(case.name).terminal_probabilities(case.players, **case.options).items()
        if probability
    }
    chances: Shares = defaultdict(Fraction)
    for ending in found.endings:
        values = ending.returns if case.name in BY_RETURNS else ending.scores[: case.players]
        chances[",".join(map(str, values))] += ending.probability or 0
    assert chances == wanted


@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in SEVERAL else pytest.mark.soak) for name in CASE]
)
def test_native_code_counts_the_same(name: str) -> None:
    """Rows, positions, outcomes, probabilities and returns."""
    assert tree(name, "native") == tree(name, "interpreter")


def test_positions_are_those_of_the_hash() -> None:
    """As many as there are hashes, gone through by the public API."""
    case = CASE["sealed-2"]
    ruleset = conformance(case.name)
    layer, hashes = [ruleset.new_game(case.players, options=case.options, chance="explicit")], set()
    while layer:
        state = layer.pop()
        if state.hash() in hashes:
            continue
        hashes.add(state.hash())
        for action in state.legal_actions():
            child = state.clone()
            child.apply(action)
            layer.append(child)
    assert tree("sealed-2", "interpreter").positions == len(hashes)


def test_a_game_that_is_too_large_is_told(tmp_path: Path) -> None:
    """So many positions beyond the start are counted, and no more."""
    ruleset = load(tmp_path, ROOMS)
    assert perft_to_end(ruleset, most=14).positions == 15
    with pytest.raises(UsageError, match=r"more than 13 positions.*--depth"):
        perft_to_end(ruleset, most=13)
