"""The references against published figures, against figures worked out by hand, and against each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import pytest

from .cases import BY_RETURNS, CASES, CUT, LONG, RULESETS, WHOLE, Case, depth_of, label, reference
from .references import connect, dice, kuhn, payments, tictactoe
from .references.tree import Ask, Outcome, enumeration


def labelled(cases: Iterable[Case]) -> list[Any]:
    return [pytest.param(case, id=label(case), marks=pytest.mark.soak if label(case) in LONG else ()) for case in cases]


def histories(name: str, depth: int, players: int, **options: int) -> list[int]:
    return [row["histories"] for row in reference(name).rows(depth, players, **options)]


def numbers(outcome: str) -> list[Fraction]:
    return [Fraction(number) for number in outcome.split(",")]


def mean(probabilities: Mapping[str, Fraction], seat: int) -> Fraction:
    return sum((numbers(outcome)[seat] * chance for outcome, chance in probabilities.items()), Fraction(0))


def test_every_ruleset_has_cases_and_every_case_a_ruleset() -> None:
    """The folders and the table name the same games; each folder holds nouns and rules, no Python."""
    folders = {folder.name for folder in RULESETS.iterdir()}
    assert folders == {case.name for case in CASES}
    assert folders >= BY_RETURNS
    for name in folders:
        assert sorted(path.name for path in (RULESETS / name).iterdir()) == sorted(["ruleset.yaml", f"{name}.rule"])


@pytest.mark.parametrize("case", labelled(CASES))
def test_rows_are_complete(case: Case) -> None:
    """A table starts with one history, adds up, and reaches the end of the game exactly when it says so."""
    depth = depth_of(case)
    rows = reference(case.name).rows(depth, case.players, **case.options)
    assert [row["depth"] for row in rows] == list(range(depth + 1))
    assert all(row["histories"] == row["chance"] + row["decision"] + row["terminal"] for row in rows)
    assert rows[0]["histories"] == 1
    assert rows[-1]["histories"] > 0
    assert (rows[-1]["terminal"] == rows[-1]["histories"]) == (case in WHOLE and depth == case.depth)
    assert (case in WHOLE) != (case in CUT)
    assert sum(row["histories"] for row in rows) < 2_000_000


@pytest.mark.parametrize("case", labelled(WHOLE))
def test_probabilities_add_up(case: Case) -> None:
    """The outcomes of random play have probability 1 together, and a number for each seat."""
    found = reference(case.name).terminal_probabilities(case.players, **case.options)
    assert sum(found.values()) == 1
    assert all(len(numbers(outcome)) == case.players for outcome in found)


@pytest.mark.parametrize("name", ["tictactoe", "kuhn", "push", "leduc", "wards"])
def test_games_of_two_are_zero_sum(name: str) -> None:
    """What one seat wins in these games the other loses."""
    assert all(sum(numbers(outcome)) == 0 for outcome in reference(name).terminal_probabilities(2))


def test_tictactoe_published() -> None:
    """Published: histories by length, 255,168 games; at random 737/1260 won, 121/420 lost, 8/63 drawn."""
    rows = tictactoe.rows(9, 2)
    assert [row["histories"] for row in rows] == [1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]
    assert [row["terminal"] for row in rows] == [0, 0, 0, 0, 0, 1440, 5328, 47952, 72576, 127872]
    assert sum(row["terminal"] for row in rows) == 255168
    assert tictactoe.terminal_probabilities(2) == {
        "1,-1": Fraction(737, 1260),
        "-1,1": Fraction(121, 420),
        "0,0": Fraction(8, 63),
    }


def test_kuhn_published() -> None:
    """Published: 58 histories, 30 of them terminal; equilibria worth -1/18; 1/8 under random play."""
    rows = kuhn.rows(5, 2)
    assert sum(row["histories"] for row in rows) == 58
    assert sum(row["terminal"] for row in rows) == 30
    assert {kuhn.value(Fraction(bluff, 12)) for bluff in range(5)} == {Fraction(-1, 18)}
    assert mean(kuhn.terminal_probabilities(2), 0) == Fraction(1, 8)


def test_leduc_published() -> None:
    """Published: 9,457 histories, 5,520 of them terminal, with six distinct cards."""
    rows = reference("leduc").rows(11, 2, suits=2)
    assert sum(row["histories"] for row in rows) == 9457
    assert sum(row["terminal"] for row in rows) == 5520


def test_leduc_by_hand_with_alike_cards() -> None:
    """Of 9 deals 3 leave two ranks to turn up, 6 leave three; round 1: 4 folds, 5 ways on; round 2: 9 ends."""
    rows = reference("leduc").rows(11, 2, suits=1)
    assert sum(row["terminal"] for row in rows) == 9 * 4 + (3 * 2 + 6 * 3) * 5 * 9


def test_alike_pieces_change_counts_not_probabilities() -> None:
    """Whether the two cards of a rank are alike makes no difference to the outcomes."""
    leduc = reference("leduc")
    assert leduc.terminal_probabilities(2, suits=1) == leduc.terminal_probabilities(2, suits=2)


def test_dice_closed_form() -> None:
    """The better of two dice is at most k with probability (k/n)²; keeping or rolling again is a coin flip."""
    found = dice.terminal_probabilities(1, faces=4)
    kept = {k: Fraction(1, 8) + Fraction(k * k - (k - 1) ** 2, 32) for k in range(1, 5)}
    pips = {2: Fraction(1, 4), 3: Fraction(1, 2), 4: Fraction(1, 4)}
    for total in range(3, 9):
        assert found[str(total)] == sum(kept.get(total - pip, Fraction(0)) * chance for pip, chance in pips.items())


def test_two_merge_or_do_not_merge() -> None:
    """Counting boards with multiplicity and walking every history give the same rows and probabilities."""

    def play(ask: Ask, players: int) -> Outcome:
        board: tuple[str, ...] = ("", "", "", "")
        while (ended := connect.outcome(board)) is None:
            board = ask.decide(connect.children(board))
        return ended

    walked_rows, _ = enumeration(play)
    assert walked_rows(5, 2) == connect.rows(5, 2)


def test_hand_worked_first_rows() -> None:
    """First rows of games, worked out by hand as each line says."""
    # deals one by one from 6 cards without a repeat
    assert histories("tricks", 5, 2) == [1, 6, 30, 120, 360, 720]
    # 4 ties, 6 prizes of seat 1: seat 0 has 4 bids; it won with 2 once, 3 twice, 4 three times (then only seat 1 bids)
    assert histories("sealed", 3, 2) == [1, 4, 16, 4 * 4 + 6 * 4 + (1 * 2 + 2 * 1 + 3 * 4)]
    # pass leads to 5 options again, barn to 7 payments, cart to 2, lamp to 6, duct to 4
    assert histories("payments", 2, 1) == [1, 5, 5 + 7 + 2 + 6 + 4]
    # noted: a pebble, twig, brick or rock. The rock fills a box; brick with one of three alone and the two others
    # together, or all three small ones together: 3 + 1 ways, one less where the pebbles are alike. Then 3 boxes.
    assert histories("parcels", 3, 1, limit=3) == [1, 4, 4 + 3 * 3, (4 + 3 * 3) * 3]
    # 4 of 5 cards differ, the top one is left or buried
    assert histories("peek", 2, 2) == [1, 4, 8]
    # 5 × 4 cards in the row, either may be taken, 3 × 2 cards fill it up, either may be taken
    assert histories("machine", 6, 1) == [1, 5, 20, 40, 120, 240, 480]
    # 3 machines, 2 left, then each with crate and beg: the bank's owner may invest the coin as well
    assert histories("abilities", 3, 2) == [1, 3, 6, 2 * (3 + 3 + 4)]
    # take, give, hit one of two; one less where the hit of seat 0 was not made good by seat 1 (2 · 3 ways)
    assert histories("teams", 3, 4) == [1, 4, 16, 16 * 4 - 6]
    # 5 cards of 3 kinds; high and low twice, the middle once: 3 · 3 - 1 pairs
    assert histories("refill", 3, 2) == [1, 3, 8, 3 * (2 * 1 + 6 * 2)]
    # 4 cards are drafted in 4 · 3 · 2 · 1 ways, the last as a decision with one option
    assert histories("reactions", 5, 2) == [1, 4, 12, 24, 24, 48]
    # 7 cards or pass: nothing costs more than 7 coins yet
    assert histories("prices", 1, 2) == [1, 8]


def test_payments_keep_purses_apart() -> None:
    """The same parts from the shed or from the store are two results, from one purse in any order one."""
    shed, store = ("nut", "nut"), ("nut",)
    left = payments.results((shed, store), frozenset({("nut", "nut")}))
    assert sorted(left) == [((), ("nut",)), (("nut",), ())]


def test_totals_are_kept() -> None:
    """Two tricks are always taken, a peeked deck always deals four of its five cards, points only come from prizes."""
    assert all(sum(numbers(outcome)) == 2 for outcome in reference("tricks").terminal_probabilities(3))
    left = {1, 2, 3, 5}
    assert {12 - sum(numbers(outcome)) for outcome in reference("peek").terminal_probabilities(2)} == left
    sealed = reference("sealed").terminal_probabilities(2)
    assert {sum(numbers(outcome)) for outcome in sealed} == {0, 2, 3, 5}
    assert sum(chance for outcome, chance in sealed.items() if sum(numbers(outcome)) in (0, 3)) == Fraction(1, 4)
