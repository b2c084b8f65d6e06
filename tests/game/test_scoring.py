"""Scores, winners, returns and score sheets."""

from __future__ import annotations

from pathlib import Path

import pytest

import rulelang

from .samples import SHOP_RULE, SHOP_YAML, load_shop


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> rulelang.Ruleset:
    return load_shop(tmp_path_factory.mktemp("rulesets") / "shop")


def played(ruleset: rulelang.Ruleset, players: int, *ids: str, **options: int | bool | str) -> rulelang.State:
    """The state after these actions, and then `rest` to the end."""
    state = ruleset.new_game(players=players, options=options)
    for id_ in ids:
        state.apply(id_)
    while not state.is_terminal():
        state.apply("rest")
    return state


def test_a_sole_winner_takes_all(shop: rulelang.Ruleset) -> None:
    """With one winner of three: 1 and -1/2 each. Scores are those of the sheet: a gem is worth 5."""
    state = played(shop, 3, "buy:w=gem")
    assert state.scores() == [5, 2, 2]
    assert state.winners() == [0]
    assert state.returns() == [1, -0.5, -0.5]


def test_shared_wins_are_split(shop: rulelang.Ruleset) -> None:
    """Two of three with 3 coins share: 1/2 each, -1 for the third."""
    state = played(shop, 3, "earn", "earn")
    assert state.winners() == [0, 1]
    assert state.returns() == [0.5, 0.5, -1]


def test_all_tied_is_nothing_for_all(shop: rulelang.Ruleset) -> None:
    """When every seat wins, every seat gets 0."""
    state = played(shop, 2)
    assert state.winners() == [0, 1]
    assert state.returns() == [0, 0]


def test_ties_are_broken_as_declared(shop: rulelang.Ruleset) -> None:
    """5 points each, by a gem or by coins: fewest cards wins."""
    state = played(shop, 2, "buy:w=gem", "earn", "rest", "earn", lavish=True, price=3)
    assert state.scores() == [6, 6]
    assert state.winners() == [1]


def test_a_declared_winner_wins_whatever_the_scores(shop: rulelang.Ruleset) -> None:
    """`end the game won by you` decides; a draw has no winners and pays nothing."""
    state = played(shop, 2, "buy:w=gem", "claim")
    assert (state.winners(), state.returns()) == ([1], [-1, 1])
    drawn = played(shop, 2, "buy:w=gem", "truce")
    assert (drawn.winners(), drawn.returns()) == ([], [0, 0])


def test_who_is_eliminated_does_not_win_by_scores(shop: rulelang.Ruleset) -> None:
    """The eliminated seat keeps its points but not its claim; if all are out, scores decide among all."""
    state = played(shop, 2, "buy:w=gem", "rest", "quit")
    assert state.scores() == [5, 2]
    assert state.winners() == [1]
    everyone = played(shop, 2, "quit", "quit")
    assert everyone.winners() == [0, 1]


def test_an_automaton_is_compared_but_takes_no_returns(shop: rulelang.Ruleset) -> None:
    """Alone against the automaton (2 coins): more points win, fewer lose."""
    state = played(shop, 1, "earn")
    assert state.parties == ("0", "miser")
    assert state.scores() == [3, 2]
    assert (state.winners(), state.returns()) == ([0], [1])
    behind = played(shop, 1, "buy:w=rag")
    assert (behind.scores(), behind.winners(), behind.returns()) == ([1, 2], [1], [-1])
    assert behind.score_sheet("miser").total == 2


def test_before_the_end_there_are_scores_but_no_winners(shop: rulelang.Ruleset) -> None:
    """Scores as things stand; returns are 0."""
    state = shop.new_game(players=2)
    assert state.scores() == [2, 2]
    assert (state.winners(), state.returns()) == ([], [0, 0])


def test_a_score_sheet_leads_back_to_the_rules(shop: rulelang.Ruleset) -> None:
    """Each line has its rule's file, line and citation; the total is the sum."""
    sheet = played(shop, 2, "buy:w=gem").score_sheet(0)
    wares, change = sheet.lines
    assert (wares.name, wares.value, wares.cites) == ("wares", 5, ("rules-en:9",))
    assert wares.file.endswith("shop.rule")
    assert SHOP_RULE.splitlines()[wares.line - 1].startswith("score wares")
    assert (change.value, sheet.total) == (0, 5)


@pytest.mark.parametrize(("line", "winners"), [("winner: fewest coins", [0]), ("winner: most coins - count(bag)", [1])])
def test_a_declared_comparison_replaces_the_total(tmp_path: Path, line: str, winners: list[int]) -> None:
    """`winner` says by what the parties are compared."""
    ruleset = load_shop(tmp_path / "shop", SHOP_RULE + line + "\n")
    assert played(ruleset, 2, "buy:w=gem").winners() == winners


def test_a_declared_payoff_replaces_shares(tmp_path: Path) -> None:
    """`payoff` gives each seat's return as it says."""
    ruleset = load_shop(tmp_path / "shop", SHOP_RULE + "payoff: 10 * count(bag) - coins\n")
    assert played(ruleset, 2, "buy:w=gem").returns() == [10, -2]


def test_a_team_wins_together(tmp_path: Path) -> None:
    """Who is in a team with the winner wins too."""
    yaml = SHOP_YAML.replace("[1, 2, 3]", "[3]").replace("players: [1]", "players: []")
    yaml = yaml.replace("automata: {miser: {players: []}}", "teams: {3: [[0, 2]]}")
    state = played(load_shop(tmp_path / "shop", yaml=yaml), 3, "buy:w=gem")
    assert state.winners() == [0, 2]
    assert state.returns() == [0.5, -1, 0.5]
