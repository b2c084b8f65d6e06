"""Whether a seat is asked tells nothing where it is asked anyway: what fits it may have to pass, and nobody sees it."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from rulelang.game import Action, State
from rulelang.perft import HistoryCounts, perft
from rulelang.session import HUMAN, Session
from tests.words.games import made

GAME = """\
rulelang: 2
name: drawn
players: 2
types: {Sort: [ice, trap]}
kinds: {Card: {attributes: {sort: Sort}, start: deck}}
pieces: {Card: [{id: wall, sort: ice, count: 4}, {id: pit, sort: trap, count: 4}]}
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
  row: {holds: Card, visible: count}
variables: {n: {type: 0..9}}
rules: |
  play:
    shuffle deck
    repeat 2 times:
      for p in players:
        turn of p: draws()
  rule draws:
    draw 1 from deck to hand
    CHOICE
    n += count(row)
  score n: n
"""
MENU = "anyway secretly choose:\n      show(c in hand where it.sort = ice): move c to row"
FORMS = (
    "move (anyway secretly choose one of hand where it.sort = ice) to row",
    "move (anyway secretly choose 1 of (hand where it.sort = ice)) to row",
    "let shown = anyway secretly choose one of hand where it.sort = ice\n    if some c = shown: move c to row",
    "for c in anyway secretly choose 1 of (hand where it.sort = ice): move c to row",
    "let shown = anyway secretly choose 1 to 1 of (hand where it.sort = ice)\n    move shown to row",
)
"""Other ways to ask for a card of ice if there is one."""


def rows(folder: Path, choice: str) -> list[HistoryCounts]:
    """How many histories of each length there are: of each draw two, of each choice as many as there are options."""
    return list(perft(made(folder, GAME.replace("CHOICE", choice)), 6, 2))


def test_all_forms_have_the_tree_of_the_menu(tmp_path: Path) -> None:
    """One node a turn, of one option, as no seat has two different cards of ice: 1, 2, 2, 4, 4, 8, 8 histories."""
    counted = rows(tmp_path / "menu", MENU)
    assert [row.histories for row in counted] == [1, 2, 2, 4, 4, 8, 8]
    for number, choice in enumerate(FORMS):
        assert rows(tmp_path / str(number), choice) == counted


def walk(state: State, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], State]]:
    """All histories of at most six steps."""
    found = [(path, state)]
    moves: list[tuple[int | None, Action]] = [(None, action) for action, _ in state.chance_outcomes()]
    moves += [(seat, action) for seat in state.current_players() for action in state.legal_actions(seat)]
    for seat, action in moves if len(path) < 6 else ():
        after = state.clone()
        after.apply(action, seat)
        found += walk(after, (*path, action.id))
    return found


@pytest.mark.parametrize("choice", [MENU, *FORMS[:2]])
def test_the_others_see_that_it_was_asked_alone(tmp_path: Path, choice: str) -> None:
    """Up to its first choice, what seat 1 knows is the same with ice in seat 0's hand and without; after it only how
    much lies in the row tells."""
    state = made(tmp_path, GAME.replace("CHOICE", choice)).new_game(2, chance="explicit")
    known = defaultdict(set)
    for path, after in walk(state):
        known[len(path)].add(str(after.information_state(1)))
    assert (len(known[1]), len(known[2])) == (1, 2)
    sizes = {after.observation(1)["zones"]["row"]["count"] for path, after in walk(state) if len(path) == 2}
    assert sizes == {0, 1}


def test_to_choose_nothing_is_to_pass(tmp_path: Path) -> None:
    """Where something fits one may pass too if the form lets one choose nothing, by the same id and event; a lone pass
    is never taken by itself."""
    choice = "move (anyway choose up to 1 of (hand where it.sort = ice)) to row"
    ruleset = made(tmp_path, GAME.replace("CHOICE", choice))
    told = set()
    for draw, ids in (("pit", ["pass"]), ("wall", ["pass", "draws:choice=wall"])):
        state = ruleset.new_game(2, chance="explicit")
        state.apply(f"draws:draw={draw}")
        assert [action.id for action in state.legal_actions()] == ids
        assert state.legal_actions()[0].data == {"rule": "draws", "item": "pass", "arguments": {}}
        assert state.legal_actions()[0].text("fr") == "passer"
        decision = state.decision()
        assert decision is not None
        assert decision.anyway
        assert Session.new(state, 0, {0: HUMAN, 1: HUMAN}, None).forced(0) is None
        state.apply("pass")
        (event,) = [event for event in state.events(1) if event["type"] == "choice"]
        told.add(str({key: value for key, value in event.items() if key != "index"}))
        assert event["text"] == "Seat 0 passes."
        assert ruleset.state_from_json(state.to_json()).hash() == state.hash()
    assert len(told) == 1


def test_what_is_surely_there_is_asked_as_ever(tmp_path: Path) -> None:
    """`anyway` changes nothing where there always is something to choose: its value is there."""
    choice = "n := anyway choose a number from 0 to 1"
    without = rows(tmp_path / "without", choice.replace("anyway ", ""))
    assert rows(tmp_path / "anyway", choice) == without
