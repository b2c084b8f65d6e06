"""Limits, and ends that are put off, in turns, rounds, phases and steps within one another: each open one has its own.

Random walks through a game in which all of them may be opened from within each other, and left by `stop` and `return`,
are held against a model of a few lines: a stack of counts for each sort of scope.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Generator
from pathlib import Path

import pytest

import rulelang
from rulelang.compiler.scopes import scopes_of
from rulelang.resources import shipped_rulesets
from tests.native.compared import load
from tests.shipped import checked

GAME = """\
rulelang: 2
name: nested
players: 2
kinds: {Card: {active: [tableau], start: tableau}}
pieces:
  Card:
    - {id: bell, per: player, rules: "after ring(owner) once per turn: owner.gold += 100"}
    - {id: gong, per: player, rules: "may after strike(owner) 2 times per round: owner.gold += 1"}
zones: {tableau: {holds: Card, per: player}}
variables: {gold: {type: 0..99999, per: player}}
rules: |
  play:
    as seat(0): acts(2)
    round:
      turn of seat(0): acts(3)
      as seat(1): acts(3)
    phase night:
      turn of seat(1): acts(3)
    as seat(0): acts(1)
  rule acts(n: number) up to 4 deep:
    repeat 3 times:
      choose:
        dig_turn once per turn: pass
        dig_round 2 times per round: pass
        dig_phase once per phase: pass
        dig_step once per step: pass
        dig_game 3 times per game: pass
        ring: ring(you)
        strike: strike(you)
        mine when n > 0:
          turn of you: acts(n - 1)
        next when n > 0:
          turn of next: acts(n - 1)
        around when n > 0:
          round: acts(n - 1)
        day when n > 0:
          phase day: acts(n - 1)
        rest when n > 0:
          step rest: acts(n - 1)
        both when n > 0:
          turn of you:
            step twice: acts(n - 1)
        cut when n > 0:
          turn of you:
            phase day:
              step short:
                acts(n - 1)
                stop
        dream when possible(dreamt() then gold >= 100): pass
        leave: return
        last_turn: end the game after this turn
        last_round: end the game after this round
        last_phase: end the game after this phase
        wait: pass
  rule dreamt:
    turn of you: ring(you)
  event ring(who: player): pass
  event strike(who: player): pass
  score gold: gold
"""
GAMES = 6
DEEP = ("mine", "next", "around", "day", "rest", "both", "cut")
LIMITS = {"dig_turn": ("turn", 1), "dig_round": ("round", 2), "dig_phase": ("phase", 1), "dig_step": ("step", 1)}
SCOPES = {
    "mine": ["turn"], "next": ["turn"], "around": ["round"], "day": ["phase"], "rest": ["step"],
    "both": ["turn", "step"], "cut": ["turn", "phase", "step"],
}  # fmt: skip
Walk = Generator[list[str], str, bool]
"""Yields what is offered and is sent what is chosen; returns whether the loop around is to be left."""


class _OverError(Exception):
    """The game is over."""


class Model:
    """Counts of what was used, by sort a stack with those outside of all scopes first, and whether the game is to end
    with each of them."""

    def __init__(self) -> None:
        self.used = {sort: [Counter[tuple[str, int]]()] for sort in ("turn", "round", "phase", "step", "game")}
        self.ending = {sort: [False] for sort in self.used}
        self.gold = [0, 0]

    def open(self, sort: str) -> None:
        if len(self.used[sort]) == 1:
            self.used[sort][0].clear()
            self.ending[sort].append(self.ending[sort][0])
        else:
            self.ending[sort].append(False)
        self.used[sort].append(Counter())

    def close(self, sort: str) -> None:
        self.used[sort].pop()
        if self.ending[sort].pop():
            raise _OverError
        if len(self.used[sort]) == 1:
            self.used[sort][0].clear()

    def can(self, what: str, sort: str, times: int, seat: int) -> bool:
        return self.used[sort][-1][what, seat] < times

    def use(self, what: str, sort: str, seat: int) -> None:
        self.used[sort][-1][what, seat] += 1

    def acts(self, n: int, seat: int) -> Walk:
        for _ in range(3):
            limited = [what for what, (sort, times) in LIMITS.items() if self.can(what, sort, times, seat)]
            # In a turn of its own the bell has not rung: dreams come true.
            game = ["dig_game"] if self.can("dig_game", "game", 3, seat) else []
            deeper = DEEP if n > 0 else ()
            ends = ("dream", "leave", "last_turn", "last_round", "last_phase", "wait")
            what = yield [*limited, *game, "ring", "strike", *deeper, *ends]
            if what in LIMITS or what == "dig_game":
                self.use(what, LIMITS.get(what, ("game", 0))[0], seat)
            elif what == "ring" and self.can(what, "turn", 1, seat):
                self.use(what, "turn", seat)
                self.gold[seat] += 100
            elif what == "strike" and self.can(what, "round", 2, seat):
                if (yield ["react", "pass"]) == "react":
                    self.use(what, "round", seat)
                    self.gold[seat] += 1
            elif what in DEEP:
                for sort in SCOPES[what]:
                    self.open(sort)
                yield from self.acts(n - 1, 1 - seat if what == "next" else seat)
                for sort in reversed(SCOPES[what]):
                    self.close(sort)
                if what == "cut":
                    return True
            elif what == "leave":
                return True
            elif what.startswith("last_"):
                self.ending[what.removeprefix("last_")][-1] = True
        return True

    def play(self) -> Walk:
        yield from self.acts(2, 0)
        self.open("round")
        self.open("turn")
        yield from self.acts(3, 0)
        self.close("turn")
        yield from self.acts(3, 1)
        self.close("round")
        self.open("phase")
        self.open("turn")
        yield from self.acts(3, 1)
        self.close("turn")
        self.close("phase")
        yield from self.acts(1, 0)
        return True


def name(action: str) -> str:
    """Return what an option is called in the model."""
    return action.partition(":")[2].partition("=")[0] or action


def walk(ruleset: rulelang.Ruleset, backend: str, seed: int) -> int:
    """Play one game at random and hold its options against the model; return how many decisions it had."""
    picker, state, model = random.Random(seed), ruleset.new_game(backend=backend), Model()
    game = model.play()
    offered = next(game)
    while True:
        actions = state.legal_actions()
        assert [name(action.id) for action in actions] == offered, (seed, state.decisions)
        # Ends are rare, and so is what leaves a scope early, or no game would get far.
        weights = [0.03 if name(action.id).startswith(("last", "leave", "cut")) else 1 for action in actions]
        (action,) = picker.choices(actions, weights)
        state.apply(action)
        if state.decisions % 7 == 0 and not state.is_terminal():
            state = ruleset.state_from_json(state.to_json(), backend)
        try:
            offered = game.send(name(action.id))
        except (_OverError, StopIteration):
            break
    assert state.is_terminal(), seed
    assert state.scores() == model.gold
    return state.decisions


@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize("backend", ["interpreter", "native"])
def test_each_open_scope_has_its_own_limits(backend: str, tmp_path: Path) -> None:
    """What is offered, what reacts and where the game ends is what the model says, in all games."""
    ruleset = load(tmp_path, GAME)
    assert sum(walk(ruleset, backend, seed) for seed in range(GAMES)) > GAMES * 20


CLOSED = """\
rulelang: 2
name: closed
players: 2
types: {{Ware: {{values: [nut, oil]}}}}
variables:
  points: {{type: 0..9, per: player}}
  purse: {{type: bag of Ware, per: player, start: 2 nut}}
rules: |
  play:
    {scope}:
      as seat(0): act()
    as seat(1):
      choose:
        go_on: pass
  rule act:
    choose:
      {limited}
      rest: pass
  exchanges market(s: player) from s.purse:
    exchange there once per {sort}: 1 nut -> 1 oil
    exchange back once per {sort}: 1 oil -> 1 nut
  score points: points
"""
CLOSING = {
    "turn": "turn of seat(0)", "round": "round", "phase": "phase day", "step": "step day", "use": "step day",
}  # fmt: skip


@pytest.mark.parametrize("sort", CLOSING)
def test_a_closed_scope_leaves_no_count(sort: str, tmp_path: Path) -> None:
    """Once a turn, round, phase, step or trade is closed, whether a limit of it was used is nowhere in the state."""
    limited = "search: trade market(you)" if sort == "use" else f"search once per {sort}: pass"
    ruleset = load(tmp_path, CLOSED.format(sort=sort, scope=CLOSING[sort], limited=limited))
    hashes = []
    for way in ("search", "rest"):
        state = ruleset.new_game()
        state.apply(next(action for action in state.legal_actions() if action.id.endswith(way)))
        while state.current_players() == [0]:
            state.apply(state.legal_actions()[0])
        hashes.append(state.hash())
    assert hashes[0] == hashes[1]


@pytest.mark.parametrize("name", ["reco", "droids"])
def test_what_is_never_nested_keeps_nothing(name: str) -> None:
    """Games without turns within turns have no counter, no local and no test more for them."""
    analysed = checked(shipped_rulesets() / name)
    scopes = scopes_of(analysed, analysed.checked.procedures)
    assert not scopes.levels
    assert all(True not in open_ for open_ in scopes.openings.values())


EXTRA = """\
rulelang: 2
name: extra
players: 2
variables: {coins: {type: 0..99, per: player}}
rules: |
  play:
    for p in players:
      turn of p: act(1)
  rule act(extra: number) up to 2 deep:
    repeat 3 times:
      choose:
        mine once per turn: coins += 1
        again when extra > 0:
          turn of you: act(0)
        theirs when extra > 0:
          turn of next: act(0)
        rest: pass
  score coins: coins
"""
STORIES = {
    "an extra turn begins anew, and what was used before it is used after it": (
        "mine again mine rest rest", "rest again theirs", [2, 0],
    ),
    "what was left before an extra turn is left after it": ("again mine rest rest", "again mine rest theirs", [1, 0]),
    "another's turn takes nothing": ("mine theirs mine rest rest", "rest again theirs", [1, 1]),
    "of turns in a turn each has its own": (
        "again mine rest rest again mine rest rest", "mine again theirs rest", [2, 0],
    ),
    "the next turn begins anew": ("mine rest rest", "mine again theirs rest", [1, 0]),
}  # fmt: skip


@pytest.mark.parametrize("story", STORIES)
def test_extra_turns(story: str, tmp_path: Path) -> None:
    """After so many choices so much is offered, and so many coins are there."""
    chosen, offered, coins = STORIES[story]
    state = load(tmp_path, EXTRA).new_game()
    for word in chosen.split():
        state.apply(next(action for action in state.legal_actions() if name(action.id) == word))
    assert sorted(name(action.id) for action in state.legal_actions()) == sorted(offered.split())
    assert state.scores() == coins


@pytest.mark.parametrize("leaves", ["stop", "return", "let c = choose one of players else stop", "end the game"])
@pytest.mark.parametrize("scope", ["turn of p", "round", "phase night", "step first"])
def test_what_leaves_a_scope_as_its_last_statement(scope: str, leaves: str, tmp_path: Path) -> None:
    """A scope that is left by a jump at its end is closed there; what the compiler writes after the jump counts not."""
    if leaves.startswith("let") and scope != "turn of p":
        leaves = "stop"
    text = f"""\
rulelang: 2
name: left
players: 2
variables: {{n: {{type: 0..9}}}}
rules: |
  play: act()
  rule act:
    for p in players:
      {scope}:
        n += 1
        {leaves}
    turn of seat(0):
      choose:
        once_a_turn once per turn: n += 5
        rest: pass
  score n: n
"""
    state = load(tmp_path, text).new_game()
    while not state.is_terminal():
        state.apply(state.legal_actions()[0])
    assert state.scores()[0] == {"stop": 6, "return": 1, "end the game": 1}.get(leaves, 7)


def test_who_is_out_counts_on(tmp_path: Path) -> None:
    """Whoever is put out in an inner turn has had what the limits around it counted: all are counted as before."""
    text = """\
rulelang: 2
name: out
players: 3
automata: {robot: {players: [3]}}
variables: {n: {type: 0..9}}
rules: |
  play:
    turn of seat(1):
      spend()
      turn of seat(1):
        spend()
        eliminate seat(0)
        eliminate seat(2)
      spend()
  rule spend:
    choose:
      once_a_turn once per turn: n += 1
      rest: pass
  score n: n
"""
    for backend in ("interpreter", "native"):
        state = load(tmp_path, text).new_game(backend=backend)
        offered = []
        while not state.is_terminal():
            offered.append([action.id for action in state.legal_actions()])
            state.apply(state.legal_actions()[0])
        assert offered == [["once_a_turn", "rest"], ["once_a_turn", "rest"], ["rest"]]
