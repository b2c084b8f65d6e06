"""Sight by a condition: who looks sees what the condition says, what is settled in the setup among it."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

import rulelang
from rulelang import State
from tests.shipped import CONFORMANCE
from tests.words.games import made

KEYS = """\
rulelang: 2
name: keys
players: 4
teams: {4: [[0, 2], [1, 3]]}
options: {open: {type: bool, default: false}}
kinds: {Agent: {start: box}}
pieces: {Agent: [{id: red, count: 2}, {id: blue}]}
grids: {Spot: {columns: 3, rows: 1}}
zones:
  box: {holds: Agent, order: pile, visible: nobody, size: all}
  key: {holds: Agent, per: Spot, visible: "you.seat < 2 or open"}
variables:
  plan: {type: 0..9, per: player, visible: team, start: you.seat}
  told: {type: 0..9, per: player, visible: "you = owner or owner.seat > you.seat", start: 5}
  sack: {type: bag of Good, per: player, visible: "you.seat = 3", size: owner, start: 2 nut}
types: {Good: [nut, oil]}
rules: |
  setup:
    shuffle box
    for s in Spot: draw 1 from box to key[s]
  play:
    for giver in [seat(0), seat(1)]:
      turn of giver: plan := choose a number from 0 to count(Spot where any(a is red for a in key[it]))
    for p in players where p.seat < 2:
      turn of p: look(p)
    for p in players:
      turn of p:
        if p.seat < 2: plan := choose a number from 0 to count(key[a1])
        let mate = top of teammates else return
        told := choose a number from 0 to mate.plan
  rule look(who: player): plan := choose a number from 0 to count(key[b1] where it is red)
  score plan: plan + told + count(sack)
"""


def seen(state: State, part: str, name: str) -> list[set[str]]:
    """The things of this name that each seat sees."""
    return [{text for text in state.observation(seat)[part] if text.startswith(name)} for seat in range(state.players)]


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> rulelang.Ruleset:
    return made(tmp_path_factory.mktemp("keys"), KEYS)


@pytest.mark.parametrize("backend", ["interpreter", "native"])
def test_a_condition_says_who_sees(keys: rulelang.Ruleset, backend: str) -> None:
    """Two seats see the key, teams each other's plans, each seat what those behind it were told, one all sacks."""
    state = keys.new_game(players=4, seed=1, backend=backend)
    for seat in range(4):
        key = state.observation(seat)["zones"]["key[a1]"]
        assert ("pieces" in key) == (seat < 2)
        assert key["count"] == 1
    assert seen(state, "variables", "plan") == [{"plan[0]", "plan[2]"}, {"plan[1]", "plan[3]"}] * 2
    assert seen(state, "variables", "told") == [{f"told[{n}]" for n in range(seat, 4)} for seat in range(4)]
    assert seen(state, "variables", "sack") == [set(), set(), set(), {f"sack[{n}]" for n in range(4)}]
    assert [state.observation(seat).get("sizes") for seat in range(4)] == [{f"sack[{n}]": 2} for n in range(3)] + [None]
    watcher = state.observation(-2)
    assert not {name for name in watcher["variables"] if name.startswith(("plan", "told", "sack"))}
    assert "pieces" not in watcher["zones"]["key[a1]"]


def test_what_all_see_may_stand_in_a_condition(tmp_path: Path) -> None:
    """Each sees the notes of those who are of the side that it is dealt to in the setup."""
    text = """\
rulelang: 2
name: sides
players: 3
variables:
  side: {type: 0..1, per: player}
  note: {type: 0..9, per: player, visible: "you = owner or owner.side = you.side", start: you.seat}
rules: |
  setup:
    for p in players: p.side := p.seat mod 2
  play: pass
  score note: note
"""
    state = made(tmp_path, text).new_game(players=3, seed=0)
    assert seen(state, "variables", "note") == [{"note[0]", "note[2]"}, {"note[1]"}, {"note[0]", "note[2]"}]


def test_options_may_stand_in_a_condition(keys: rulelang.Ruleset) -> None:
    """With an open key all see it."""
    state = keys.new_game(players=4, seed=1, options={"open": True})
    assert all("pieces" in state.observation(seat)["zones"]["key[c1]"] for seat in range(4))


def deals(state: State) -> list[State]:
    """The states after all outcomes of chance in the setup."""
    ends, waiting = [], [state]
    while waiting:
        at = waiting.pop()
        if not at.is_chance_node():
            ends.append(at)
            continue
        for outcome, _ in at.chance_outcomes():
            waiting.append(at.clone())
            waiting[-1].apply(outcome)
    return ends


@pytest.mark.parametrize("backend", ["interpreter", "native"])
def test_the_pack_knows_each_other(backend: str) -> None:
    """Of three players with two wolves and two villagers in the deck there are six packs. A villager can't tell one
    from another, neither by what it sees nor by all that it has been told; a wolf knows its own."""
    ruleset = rulelang.load(CONFORMANCE / "wolves")
    packs = [defaultdict[str, set[tuple[int, ...]]](set) for _ in range(3)]
    for state in deals(ruleset.new_game(players=3, seed=0, chance="explicit", backend=backend)):
        pack = tuple(p for p in range(3) if state.observation(p)["variables"][f"pack[{p}]"])
        for seat in range(3):
            known = str(state.information_state(seat))
            packs[seat][known].add(pack)
            assert ("prey" in state.observation(seat)["variables"]) == (seat in pack)
            again = ruleset.state_from_json(state.to_json())
            assert again.observation(seat) == state.observation(seat)
            assert again.events(seat) == state.events(seat)
    for seat in range(3):
        classes = sorted(packs[seat].values(), key=len)
        assert [len(of) for of in classes] == [1, 1, 1, 3]
        assert not any(seat in pack for pack in classes[-1])


@pytest.mark.filterwarnings("ignore:search and resampling use the interpreter")
def test_worlds_keep_what_the_pack_knows() -> None:
    """In a wolf's worlds the pack is as it is, in a villager's it may be another; each with equal views."""
    ruleset = rulelang.load(CONFORMANCE / "wolves")
    for seed in range(4):
        state = ruleset.new_game(players=3, seed=seed)
        for seat in range(3):
            worlds = [state.resample(seat, n) for n in range(8)]
            assert all(world.observation(seat) == state.observation(seat) for world in worlds)
            found = {tuple(w.observation(p)["variables"][f"pack[{p}]"] for p in range(3)) for w in worlds}
            assert (len(found) == 1) == state.observation(seat)["variables"][f"pack[{seat}]"]


def test_the_first_of_ones_mates_may_read_what_the_team_sees(tmp_path: Path) -> None:
    """Who is asked is called by whose mate it is, or the owner by whose mate that is, through calls too; nobody of
    another team may."""
    text = """\
rulelang: 2
name: mates
players: 4
teams: {4: [[0, 2], [1, 3]]}
variables:
  plan: {type: 0..3, per: player, visible: team, start: 1 + you.seat mod 2}
  told: {type: 0..3, per: player}
rules: |
  play:
    for chief in [seat(0), seat(1)]:
      let mate = top of MATES else never
      turn of mate: told := choose a number from 0 to plan_of(chief)
  function plan_of(p: player) -> 0..3 = p.plan
  score told: told
"""
    state = made(tmp_path / "mates", text.replace("MATES", "chief.teammates")).new_game()
    assert [len(state.legal_actions()), state.current_players()] == [2, [2]]
    state = made(tmp_path / "some", text.replace("MATES", "(chief.teammates where it.told < 3)")).new_game()
    assert state.current_players() == [2]
    with pytest.raises(rulelang.RulesetError, match="visibility-leak"):
        made(tmp_path / "rivals", text.replace("MATES", "chief.opponents"))
