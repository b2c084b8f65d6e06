"""A limit over all exchanges of a group, in one trade."""

from __future__ import annotations

from pathlib import Path

import pytest

import rulelang
from rulelang.game import State
from rulelang.native import find_compiler

TEXT = """\
rulelang: 2
name: stalls
players: 2
languages: [en]
types: {Good: {values: [wood, wool, coin]}}
kinds: {Card: {active: [hall], start: box}}
pieces:
  Card:
    - {id: broker, rules: "modify rounds(owner): plus 1"}
zones: {box: {holds: Card}, hall: {holds: Card, per: player}}
variables:
  store: {type: bag of Good, per: player, start: 1 wood}
  strict: {type: bool}
rules: |
  play:
    for p in players:
      turn of p: trade stalls(you)
  exchanges stalls(s: player) from s.store at most rounds(s) times:
    exchange spin: 1 wood -> 1 wool + 1 wood
    exchange sell: 1 wool -> 2 coin
  quantity rounds(s: player) -> number = 2
  score coins: store.coin
"""


def begun(folder: Path, text: str = TEXT) -> State:
    (folder / "ruleset.yaml").write_text(text, encoding="utf-8")
    return rulelang.load(folder).new_game(2)


def ids(state: State) -> list[str]:
    return [action.id for action in state.legal_actions()]


def test_exchanges_of_a_trade_are_counted_together(tmp_path: Path) -> None:
    """Spinning gains for ever, but two exchanges in all may be made, whichever; the other seat has its own two."""
    state = begun(tmp_path)
    assert ids(state) == ["spin:pay=wood,gain=wood+wool", "done"]
    state.apply("spin:pay=wood,gain=wood+wool")
    assert ids(state) == ["spin:pay=wood,gain=wood+wool", "sell:pay=wool,gain=coin+coin", "done"]
    state.apply("sell:pay=wool,gain=coin+coin")
    assert state.current_players() == [1]
    state.apply("spin:pay=wood,gain=wood+wool")
    state.apply("done")
    assert state.is_terminal()
    assert state.scores() == [2, 0]


def test_cards_change_how_many(tmp_path: Path) -> None:
    """A broker that seat 1 has allows a third exchange."""
    state = begun(tmp_path, TEXT.replace("  play:", "  setup: move box to seat(1).hall\n  play:"))
    state.apply("done")
    for _ in range(3):
        assert state.current_players() == [1]
        state.apply("spin:pay=wood,gain=wood+wool")
    assert state.is_terminal()


@pytest.mark.parametrize("times", [0, 1, 3])
def test_every_backend_keeps_to_it(tmp_path: Path, times: int) -> None:
    """Random games have at most so many exchanges for each seat: with 3 at most 2 coins, with 1 none."""
    (tmp_path / "ruleset.yaml").write_text(TEXT.replace("-> number = 2", f"-> number = {times}"), encoding="utf-8")
    ruleset = rulelang.load(tmp_path)
    found = []
    for backend in ("interpreter", "native") if find_compiler() is not None else ("interpreter",):
        executor, scores = ruleset.executor(2, backend=backend), []
        for seed in range(40):
            end = executor.new_state(seed, logging=False)
            executor.random_playout(end)
            assert end.decisions <= 2 * times
            scores.append(executor.interpreter.scores(end))
        found.append(scores)
    assert found[0] == found[-1]
    assert max(max(scores) for scores in found[0]) == (2 if times == 3 else 0)


def test_what_can_t_be_paid_is_told(tmp_path: Path) -> None:
    """As in a group without a limit."""
    state = begun(tmp_path)
    assert [(refusal["item"], refusal["missing"]) for refusal in state.refusals()] == [("sell", "lacks 1 wool")]
