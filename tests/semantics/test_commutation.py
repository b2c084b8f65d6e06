"""Reactions that commute happen without a question; and no question that matters is left out.

A table says by hand which reactions of two cards are put in order by their owner. Then bodies are joined at random, and
what can come of them is compared with what comes of all orders.
"""

from __future__ import annotations

import random
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from rulelang.compiler.stages import compile_ruleset
from rulelang.diagnostics import NOWHERE, Diagnostics, RuleError
from rulelang.game.ruleset import Ruleset
from rulelang.game.state import State
from rulelang.ruleset.loader import load_ruleset
from rulelang.semantics.check import analyse
from rulelang.semantics.combination.commutation import Commutation
from rulelang.semantics.combination.draft import ProcedureDraft
from rulelang.semantics.tree.core import CExpr, expressions, subexpressions
from rulelang.semantics.tree.types import NUMBER
from tests.native.compared import load, same_games
from tests.shipped import shipped
from tests.soak import soaking, times

GAME = """\
rulelang: 2
name: bells
players: 2
types: {{Ware: {{values: [nut, oil]}}}}
kinds:
  Card: {{active: [tower], identity: true, start: tower, variables: {{force: {{type: 0..9}}}}}}
pieces:
  Card:
{rows}
zones: {{tower: {{holds: Card, per: player}}, gone: {{holds: Card}}}}
variables:
  x: {{type: 0..9, start: 5}}
  y: {{type: 0..9, start: 1}}
  coins: {{type: 0..9, per: player, start: 2}}
  purse: {{type: bag of Ware, per: player, start: 1 nut, capacity: {{each: 2}}}}
rules: |
  play:
    turn of seat(0): ring(you, 2, 3)
    for p in players: p.coins := min(9, p.coins + x + y + sum(p.tower.force) + 2 * count(p.purse))
  event ring(who: player, few: 0..3, many: number): pass
  event still(who: player, n: number): who.coins += n
  event heard(who: player): who.coins += 1
  rule reward(who: player, n: 0..3): who.coins += n
  quantity worth(who: player) -> number = 1
  modify worth(who): plus y
  quantity price(who: player) -> number = y
  function twice(n: number) -> number = 2 * n
  after heard(who): x := 3
  score coins: coins
"""
ROW = """\
    - id: {id}
      per: player
      count: {count}
      rules: |
        after ring(owner, few, many):
          {body}"""
FREE, ASKED = False, True
TABLE: dict[tuple[str, ...], bool] = {
    ("x += 1", "x += 2"): FREE,
    ("x -= 1", "x -= few"): FREE,
    ("x += 1", "x -= 1"): ASKED,  # 9 + 1 is an error where 9 - 1 + 1 is none
    ("x += many", "x += 1"): ASKED,
    ("x += many", "x -= 1"): ASKED,
    ("x := 1", "y := 2"): FREE,
    ("x := 1", "x := 2"): ASKED,
    ("x += this.force", "y += 1"): FREE,
    ("x += y", "y += 1"): ASKED,
    ("x += y", "x += 2 * y"): FREE,
    ("x += twice(y)", "y += 1"): ASKED,
    ("coins += worth(you)", "y += 1"): ASKED,
    ("coins += worth(you)", "x += 1"): FREE,
    ("coins += price(you)", "y += 1"): ASKED,
    ("this.force += 1", "this.force := 2"): FREE,
    ("this.force := x", "x += 1"): ASKED,
    ("this.force := 1", "x += sum(tower.force)"): ASKED,
    ("for c in tower: c.force := 1", "this.force := 2"): ASKED,
    ("owner.coins += 1", "owner.next.coins += 1"): FREE,
    ("reward(owner, 1)", "owner.coins += 2"): FREE,
    ("reward(owner, few)", "reward(owner, 3)"): FREE,
    ("still(owner, 1)", "still(owner, 2)"): FREE,
    ("still(owner, many)", "still(owner, 2)"): ASKED,
    ("heard(owner)", "y += 1"): ASKED,
    ("owner.purse += 1 nut", "owner.purse += 1 nut + 1 oil"): FREE,
    ("owner.purse += 1 nut", "owner.purse -= 1 nut"): ASKED,
    ("move this to gone", "x += 1"): ASKED,
    ("if x > 4: y += 1", "x += 1"): ASKED,
    ("if few > 1: y += 1", "x += 1"): FREE,
    ("y := choose a number from 1 to 2", "x += 1"): ASKED,
    ("y := roll 1 to 2", "x += 1"): ASKED,
    ("x += total_score(owner)", "owner.coins += 1"): ASKED,
}


def text(bodies: tuple[str, ...], count: int = 1) -> str:
    """The game with a row of cards for each body."""
    rows = (ROW.format(id=f"card{n}", body=body, count=count) for n, body in enumerate(bodies))
    return GAME.format(rows="\n".join(rows))


def compiled(folder: Path, content: str) -> Ruleset:
    """Load a game without the cache, so that the compiler is as it is now."""
    (folder / "ruleset.yaml").write_text(content, encoding="utf-8")
    found = Diagnostics()
    ruleset = load_ruleset(folder, diagnostics=found)
    assert ruleset is not None
    analysed = analyse(ruleset, found)
    assert analysed is not None, list(map(str, found))
    return Ruleset(ruleset, str(folder), (), compile_ruleset(analysed))


@pytest.mark.parametrize("bodies", TABLE, ids=" | ".join)
def test_who_is_asked(bodies: tuple[str, ...], same_folder: Path) -> None:
    """The owner is asked for an order where it may matter."""
    state = load(same_folder, text(bodies)).new_game(chance="explicit", backend="interpreter")
    orders = not state.is_terminal() and any("react=" in action.id for action in state.legal_actions())
    assert orders == TABLE[bodies]


@pytest.mark.parametrize(
    ("body", "asked"),
    [
        ("this.force := 3", FREE),
        ("this.force := 3\n        after ring(owner, few, many): this.force := 4", ASKED),
        ("x := this.force", ASKED),
        ("x := 9 - x", FREE),
        ("move this to gone", ASKED),
    ],
)
def test_pieces_of_one_row(body: str, asked: bool, same_folder: Path) -> None:
    """Two pieces of a row are put in order if it may matter which of them is first."""
    state = load(same_folder, text((body,), count=2)).new_game(backend="interpreter")
    assert state.is_terminal() == (not asked)


def test_only_those_are_put_in_order_that_need_one(tmp_path: Path) -> None:
    """What commutes with all others comes first; the rest is asked for."""
    ruleset = load(tmp_path, text(("x += 1", "y := 2", "y := 3", "this.force := 1")))
    state = ruleset.new_game()
    assert [action.id.partition("=")[2].partition("@")[0] for action in state.legal_actions()] == ["1.card1", "2.card2"]


@pytest.mark.usefixtures("compiler")
def test_many_reactions_ask_nothing(tmp_path: Path) -> None:
    """A hundred and twenty cards that count for themselves: no decision, on both executors."""
    ruleset = load(tmp_path, text(("this.force += 1", "y := few"), count=60))
    state = ruleset.new_game(backend="native")
    assert state.is_terminal()
    assert state.scores()[0] == 9
    same_games(ruleset)


def results(ruleset: Ruleset) -> set[str]:
    """What can come of a game: the final positions, and errors."""
    ends = set[str]()
    pending: list[list[int]] = [[]]
    while pending:
        path = pending.pop()
        try:
            state = ruleset.new_game(chance="explicit", backend="interpreter")
            for place in path:
                state.apply(state.legal_actions()[place])
        except RuleError:
            ends.add("error")
            continue
        if state.is_terminal():
            ends.add(state.hash())
        else:
            pending += [[*path, place] for place in range(len(state.legal_actions()))]
    return ends


POOL = sorted({body for body in chain(*TABLE) if "choose" not in body and "roll" not in body})


@pytest.mark.parametrize("number", range(times(8)))
def test_no_outcome_is_lost(number: int, same_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of what may come of all orders nothing is missing, whatever is joined and where the numbers begin."""
    picker = random.Random(number)
    content = text(tuple(picker.sample(POOL, 3)))
    for start in (5, 1, 2):
        content = content.replace(f"start: {start}}}", f"start: {picker.choice([0, 1, 7, 8, 9])}}}", 1)
    few = results(compiled(same_folder, content))
    monkeypatch.setattr(Commutation, "free", lambda *_: set())
    assert few == results(compiled(same_folder, content))


def asks_for_an_order(state: State) -> bool:
    """Whether a seat is asked which of its reactions is next."""
    return not state.is_terminal() and all("react=" in action.id for action in state.legal_actions())


def orders_that_never_mattered(ruleset: Ruleset, players: int, games: int) -> set[str]:
    """The questions for an order, by the reactions, that random games asked and whose answers all led to one position
    whenever they did."""
    matters = dict[str, bool]()
    for seed in range(games):
        picker, state = random.Random(seed), ruleset.new_game(players, seed=seed, backend="interpreter")
        while not state.is_terminal():
            actions = state.legal_actions()
            if asks_for_an_order(state):
                name = " | ".join(sorted(action.id.partition("react=")[2] for action in actions))
                ends, pending = set[str](), {state.hash(): state}
                while pending:
                    _, first = pending.popitem()
                    for action in first.legal_actions():
                        (after := first.clone()).apply(action)
                        if asks_for_an_order(after):
                            pending[after.hash()] = after
                        else:
                            ends.add(after.hash())
                matters[name] = matters.get(name, False) or len(ends) > 1
            state.apply(picker.choice(actions))
    return {name for name, matter in matters.items() if not matter}


@pytest.mark.parametrize(
    "table",
    [("ldd", 4), *soaking(("ldd", 2), ("ldd", 3), ("reco", 5), ("imaginarium", 2), ("imaginarium", 4), ("droids", 4))],
)
def test_no_shipped_game_asks_for_an_order_that_never_matters(table: tuple[str, int]) -> None:
    """Random games of the shipped rulesets ask for an order only where that may come out differently."""
    name, players = table
    assert orders_that_never_mattered(shipped(name), players, times(1)) == set()


@pytest.mark.parametrize("bodies", [("x += 1", "x += 2"), ("x := 1", "y := 2"), ("x := 1", "x := 2")], ids=" | ".join)
def test_orders_that_never_matter_are_seen(
    bodies: tuple[str, ...], same_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check above tells those that commute, if they are asked for, from those that do not."""
    monkeypatch.setattr(Commutation, "free", lambda *_: set())
    assert bool(orders_that_never_mattered(compiled(same_folder, text(bodies)), 2, 1)) == (not TABLE[bodies])


def test_many_operands_do_not_stand_in_each_other() -> None:
    """What is joined of the handlers of an event keeps its order, and is no deeper than walks over it can go."""
    nothing: Any = None
    frame = ProcedureDraft(nothing, nothing, nothing, NOWHERE, nothing)
    parts = [frame.number(value) for value in range(3000)]
    joined = frame.joined("add", NUMBER, parts)
    assert [part for part in subexpressions(joined) if part.op == "const"] == parts

    def depth(e: CExpr) -> int:
        return 1 + max(map(depth, expressions(e.args)), default=0)

    assert depth(joined) < 150
    assert frame.joined("add", NUMBER, parts[:2]).args == tuple(parts[:2])
