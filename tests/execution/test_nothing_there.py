"""Nobody left, a seat that was not asked, a type without values: both executors do the same with them, and say so."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

import rulelang
from rulelang.diagnostics import RuleError, RulesetError, SaveError
from rulelang.vocabulary.types import ABSENT_NUMBER
from rulelang.web.table import fragment
from tests.fuzz.executors import differences
from tests.web.views import view_of

pytestmark = pytest.mark.usefixtures("compiler")

HEAD = "rulelang: 2\nname: nothing\nplayers: 2..3\n"


def load(folder: Path, nouns: str, rules: str, head: str = HEAD) -> rulelang.Ruleset:
    """A ruleset of nouns and rules."""
    text = f"{head}{nouns}rules: |\n" + "".join(f"  {line}\n" for line in rules.strip("\n").split("\n"))
    (folder / "ruleset.yaml").write_text(text, encoding="utf-8")
    return rulelang.load(folder)


# ---- nobody left

LIVES = """\
kinds: {Card: {attributes: {value: 1..3}, start: hand}}
pieces: {Card: [{each: {value: 1..3}, id: "c{value}", per: player}]}
zones: {hand: {holds: Card, per: player}}
variables:
  life: {type: -9..9, per: player, start: 3}
  best: {type: -9..9, start: 5}
  met: {type: 0..99}
  missed: {type: 0..99}
  whom: {type: "player?"}
"""
LEAVING = """\
play:
  repeat 4 times:
    for q in everyone:
      turn of q:
        choose:
          go: eliminate you
          stay: pass
  act(seat(0))
  met += choose a number from 0 to 1 by seat(1)
rule seen: met += 1
rule act(p: player):
"""
NOBODY = (
    *("players", "parties", "players_from(p)", "players_after(p)", "p.others", "players with most it.life"),
    *("players where it.life > 0", "players + players", "distinct(players.next)", "each(q.next for q in players)"),
    *("reachable(players by [it.next])", "(players if best > 0 else [])"),
)
TAKEN = ("top of (C)", "bottom of (C)", "choose one of (C) by p", "random one of (C)")


def test_when_all_are_out_there_is_nobody_to_take(tmp_path: Path) -> None:
    """Whoever is taken of the players when all may be out has to be tested for; then both executors agree, with all in,
    some out and all out."""
    lines = []
    for taken, collection in [*product(TAKEN[:1], NOBODY), *product(TAKEN[1:], NOBODY[:1])]:
        lines += [f"  if some q = {taken.replace('C', collection)}:", "    q.life := 7", "    seen()"]
    lines += ["  missed += max(q.life for q in players) otherwise 9", "  missed += min(players.life) otherwise 9"]
    lines += ["  whom := top of players", "  p.next.life += 1", "  p.previous.life += 1", "  reveal players"]
    lines += ["  if some q = choose one of players by p: q.life := 2", "  missed += sum(players.life) + count(players)"]
    ruleset = load(tmp_path, LIVES, LEAVING + "\n".join(lines))
    assert [text for seed in range(4) for text in differences(ruleset, seed)] == []
    game = ruleset.new_game(players=2)
    while not game.is_terminal():
        game.apply(next((action for action in game.legal_actions() if action.id == "act:go"), game.legal_actions()[0]))
        game = ruleset.state_from_json(game.to_json())
    values = game.observation(0)["variables"]
    assert [values[name] for name in ("met", "missed", "whom", "life[0]", "life[1]")] == [0, 18, None, 5, 3]


@pytest.mark.parametrize("taken", [taken.replace("C", "players") for taken in TAKEN])
def test_nobody_is_no_index(taken: str, tmp_path: Path) -> None:
    """Without a test `check` refuses it, at its line, whatever is read or written of whom there may not be."""
    for use in ("q.life := 7", "best := q.life", "move q.hand to seat(0).hand", "turn of q: pass", "eliminate q"):
        with pytest.raises(RulesetError, match=r"ruleset.yaml:\d+:\d+: error\[value-absent\]"):
            load(tmp_path, LIVES, f"{LEAVING}  let q = {taken}\n  {use}")


def test_nobody_is_no_index_among_many(tmp_path: Path) -> None:
    """With a second index, which is still to come, it is refused for the first as well."""
    nouns = "grids: {Square: {columns: 50, rows: 50}}\nvariables: {big: {type: 0..9, per: [player, Square]}}\n"
    rules = (
        "play:\n  turn of seat(0):\n    eliminate you\n    let q = top of players\n    for c in Square: q.big[c] := 7"
    )
    with pytest.raises(RulesetError, match=r"\[value-absent\]: whose this is may be absent"):
        load(tmp_path, nouns, rules)


def all_out(ruleset: rulelang.Ruleset) -> str:
    """The save of a game at its start, but that all players are out."""
    game = ruleset.new_game(players=2)
    game._state.out = 3
    return game.to_json()


def test_a_save_says_nobody_out_where_no_rule_puts_players_out(tmp_path: Path) -> None:
    """`check` relies on it, so a save that says otherwise is refused; where a rule does, it is read."""
    rules = "play:\n  turn of seat(0): life += choose a number from 0 to 1\n  let q = top of players{}\n  q.life := 7\n"
    ruleset = load(tmp_path, LIVES, rules.format(""))
    with pytest.raises(SaveError, match="out must be from 0 to 0"):
        ruleset.state_from_json(all_out(ruleset))
    with pytest.raises(RulesetError, match="scenario-parties"):
        ruleset.position({"do": "for q in everyone: eliminate q"})
    ruleset = load(tmp_path, LIVES, rules.format(" else return") + "rule leave: eliminate you\n")
    assert ruleset.state_from_json(all_out(ruleset)).observation(0)


def test_an_automaton_has_no_piece_of_its_own(tmp_path: Path) -> None:
    """A piece that each player has is a player's alone: asked for another party's, both executors stop at that line."""
    nouns = """\
automata: {bot: {players: [2, 3]}}
kinds: {Pawn: {identity: true, start: home, variables: {n: {type: 0..9}}}}
pieces: {Pawn: [{id: pawn, per: player}]}
zones: {home: {holds: Pawn, per: player}, away: {holds: Pawn}}
"""
    ruleset = load(tmp_path, nouns, "play:\n  for q in parties:\n    q.pawn.n := 1\n    move q.pawn to away\n")
    for backend in ("interpreter", "native"):
        with pytest.raises(RuleError, match=r"play: an automaton has no piece of its own \(.*ruleset.yaml:11:7\)"):
            ruleset.new_game(players=2, backend=backend)


# ---- who was not asked

ASKING = """\
types: {Colour: [red, blue], Good: {values: [wood, wool]}}
kinds: {Card: {attributes: {value: 1..3}, start: hand}}
pieces: {Card: [{each: {value: 1..3}, id: "c{value}", per: player}]}
zones: {hand: {holds: Card, per: player}, table: {holds: Card, per: player}}
variables:
  n: {type: 0..99}
  life: {type: -9..9, per: player}
  liked: {type: 0..9, per: [player, Colour]}
  purse: {type: bag of Good, per: player, start: 2 wood + 1 wool}
  spent: {type: bag of Good}
"""
ASKED = {
    "a number from 1 to 2": "n += V",
    "one of Colour": "p.liked[V] += 1",
    "one of [true, false]": "if V: n += 1",
    "one of players": "V.life += 1",
    "one of hand": "move V to p.table",
    "one of [east, west]": "n += 1 if opposite(V) = west else 2",
}
LOOPS = {  # how `p` is found, whether some rule puts players out -> whether all such `p` were asked
    ("for p in players:", True): True,
    ("for p in players where it.life < 9:", True): True,
    ("for p in players with most it.life:", True): True,
    ("for p in you.others:", True): True,
    ("for p in everyone:", True): False,
    ("for p in before:", True): False,
    ("for p in everyone:", False): True,
    ("for p in before:", False): True,
}


@pytest.mark.parametrize(("asked", "use"), ASKED.items())
def test_who_was_not_asked_has_no_value(asked: str, use: str, tmp_path: Path) -> None:
    """Where players may be out their answers are `T?` unless they are surely in; where nobody is ever out they are
    not."""
    for (loop, leaves), certain in LOOPS.items():
        if asked == "one of hand":
            use = "if some card = V: move card to p.table" if not certain else "move V to p.table"
            certain = True  # one may have nothing to choose
        rules = f"play:\n  turn of seat(0):\n    let before = players\n    {'leave()' if leaves else 'n := 0'}\n"
        rules += f"    let bid = together choose {asked}\n    {loop}\n      {use.replace('V', 'bid[p]')}\n"
        rules += "rule leave: eliminate seat(1)\n" if leaves else ""
        if certain:
            load(tmp_path, ASKING, rules)
        else:
            with pytest.raises(RulesetError, match=r":\d+: error\[value-absent\]"):
                load(tmp_path, ASKING, rules)
            load(tmp_path, ASKING, rules.replace("\n      ", "\n      if bid[p] is not none:\n        "))
            load(
                tmp_path, ASKING, rules.replace("\n      ", "\n      if bid[p] is none: n += 1\n      else:\n        ")
            )
            load(tmp_path, ASKING, rules.replace("\n      ", "\n      if p in players:\n        "))


def test_answers_of_all_sorts_are_the_same_on_both_executors(tmp_path: Path) -> None:
    """With seats out before the question, after it, and never; collections and bags of who was not asked are empty."""
    rules = """\
play:
  for q in everyone:
    turn of q:
      choose:
        go: eliminate you
        stay: pass
  seat(0).life := 1
  turn of seat(0): asks()
  asks()
rule asks:
  let amount = together choose a number from 1 to 2
  let colour = together choose one of Colour
  let side = together choose one of [east, west]
  let lone = together choose one of hand
  let cards = together choose up to 2 of hand
  let goods = together choose up to 2 of purse
  let other = together choose one of others
  for p in players:
    eliminate p
    n += amount[p]
    p.liked[colour[p]] += 1
    if some card = lone[p]: move card to p.table
    if some friend = other[p]: friend.life += 1
    if side[p] = west: n += 1
  for p in everyone:
    n += amount[p] otherwise 5
    n += count(cards[p]) + count(goods[p])
    spent += goods[p]
    move cards[p] to p.table
    if colour[p] is none: n += 1
  reveal amount
  reveal cards
  reveal goods
  n := n mod 7
  n += choose a number from 0 to 1 by seat(0)
"""
    ruleset = load(tmp_path, ASKING, rules)
    assert [text for seed in range(4) for text in differences(ruleset, seed)] == []


def test_an_answer_that_a_save_takes_away_stops_the_game(tmp_path: Path) -> None:
    """A seat that was asked has its answer: where a changed save says it has none, the rule that reads it stops."""
    rules = """\
play:
  turn of seat(0):
    let bid = together choose a number from 1 to 2
    for p in players:
      eliminate p
      n += choose a number from 0 to 1 by p
      n += bid[p]
"""
    ruleset = load(tmp_path, ASKING, rules)
    game = ruleset.new_game(players=2)
    for choice in ("play:bid=2", "play:bid=2"):
        game.apply(next(action for action in game.legal_actions() if action.id == choice))
    state = game._state
    (bid,) = (place for place, value in enumerate(state.frames[-1][2]) if value == [2, 2])
    state.frames[-1][2][bid] = [2, ABSENT_NUMBER]
    text = game.to_json()
    for backend in ("interpreter", "native"):
        changed = ruleset.state_from_json(text, backend=backend)
        changed.apply(changed.legal_actions()[0])
        with pytest.raises(RuleError, match=r"play: a party that was not asked has no answer \(.*:21:9"):
            changed.apply(changed.legal_actions()[0])


# ---- types without values

PLACES = """\
options: {width: {values: [1, 2], default: 1}, pawns: {values: [0, 1], default: 0}}
types: {Colour: [red, blue], Side: {between: neighbours}, Good: {values: [wood, wool]}}
grids: {Square: {columns: width, rows: 1, edges: {name: Path, attributes: {toll: "0..3"}, defaults: {toll: 2}}}}
kinds:
  Card: {attributes: {value: 1..3}, start: hand}
  Pawn: {identity: true, start: home, variables: {at: {type: "Path?"}, load: {type: bag of Good}}}
pieces:
  Card: [{id: low, value: 1, per: player, count: 1}, {id: high, value: 2, per: player, count: pawns}]
  Pawn: [{id: pawn, count: pawns}]
zones:
  hand: {holds: Card, per: player}
  beside: {holds: Card, per: Path, visible: count, order: pile}
  between: {holds: Card, per: [player, Side]}
  home: {holds: Pawn}
  road: {holds: Pawn, per: Path}
variables:
  held: {type: 0..9, per: Path, start: 3}
  stock: {type: bag of Good, per: Path, start: 1 wood}
  debt: {type: 0..9, per: [player, Side], visible: owner}
  shared: {type: Path, per: Path}
  spot: {type: "Path?"}
  side: {type: "Side?"}
  here: {type: Square}
  n: {type: 0..99}
marks: {closed: {per: Path}}
"""
OVER_THEM = """\
play:
  for p in players:
    turn of p: act()
rule act:
  choose:
    walk(path in Path): held[path] += 1
    give(side_of in Side, card in hand): move card to between[side_of]
    lay(card in hand, path in Path where closed[it] = false): move card to beside[path]
    rest: n += 1
  if some path = choose one of Path: mark closed[path] until after turn of you
  if some path = random one of Path: stock[path] += 1 wool
  let liked = together choose one of Side
  for p in players:
    if some it_is = liked[p]: p.debt[it_is] += 1
  spot := top of Path
  side := bottom of Side
  if some path = top of Path: move home to road[path]
  n += sum(held[path] for path in Path) + sum(path.toll for path in Path where held[path] > 0)
  n += count(Path) + count(Side) + count(beside) + count(distinct(Path.toll)) + count(Path.cells)
  n += max(path.toll for path in Path) otherwise 7
  for group in Path grouped by toll: n += count(group)
  for path in Path with most held[it]: shared[path] := path
  if some path = edge(here, east): n += held[path]
  n := n mod 50
score paths: sum(held[path] for path in Path) + n
"""


def told(state: rulelang.State, picked: int, backend: str) -> list[object]:
    """All that a state says of itself and to its seats, and the states after it, each read from its save."""
    said: list[object] = []
    while True:
        state = state.ruleset.state_from_json(state.to_json(), backend=backend)
        said += [state.hash(), state.to_json()]
        for seat in range(state.players):
            said += [state.observation(seat), state.information_state(seat), state.story(seat)]
            said.append(fragment(view_of(state, seat)))
        if state.is_terminal():
            return [*said, state.scores(), [vars(line) for line in state.score_sheet(0).lines]]
        actions = state.legal_actions()
        said.append([(action.id, action.text()) for action in actions])
        state.apply(actions[picked % len(actions)])


@pytest.mark.parametrize("width", [1, 2])
def test_types_without_values_are_the_same_on_both_executors(width: int, tmp_path: Path) -> None:
    """The edges of a board of one cell, which an option makes so, what lies between the seats of a lone player, pieces
    of which there are none: zones, variables, marks and choices over them have no place, in every table and view."""
    ruleset = load(tmp_path, PLACES, OVER_THEM, HEAD.replace("2..3", "1..3"))
    for players, pawns in ((1, 0), (2, 1)):
        options = {"width": width, "pawns": pawns}
        for picked in (0, 5):
            backends = ("interpreter", "native")
            games = [ruleset.new_game(players, picked, options, backend) for backend in backends]
            one, other = (told(game, picked, backend) for game, backend in zip(games, backends, strict=True))
            assert one == other
        values = games[0].observation(0)["variables"]
        assert [name for name in values if name.startswith("held")] == (["held[a1_b1]"] if width == 2 else [])
        assert (values["spot"], values["side"]) == (None, None)


def test_the_first_value_is_that_of_the_board(tmp_path: Path) -> None:
    """A variable without a start holds the first cell of the map of its options, also where another map has an earlier
    one."""
    nouns = """\
options: {big: {type: bool, default: false}}
grids:
  Square:
    map:
      big:
        true: |
          ooo
        false: |
          .oo
    legend: {"o": {}, ".": none}
variables: {here: {type: Square}, n: {type: 0..9}}
"""
    ruleset = load(tmp_path, nouns, "play:\n  turn of seat(0): n := choose a number from 0 to count(Square)\n")
    for big, first in ((False, "b1"), (True, "a1")):
        for backend in ("interpreter", "native"):
            game = ruleset.new_game(2, options={"big": big}, backend=backend)
            assert game.observation(0)["variables"]["here"] == first


def test_a_question_without_an_answer_stops_the_game(tmp_path: Path) -> None:
    """Where a program asks with nothing to choose and says nothing of that, both executors stop at its line; no game
    waits for an answer that there is not."""
    rules = "play:\n  turn of seat(0):\n    let card = choose one of hand where it.value > 3 else return\n"
    ruleset = load(tmp_path, LIVES, rules + "    move card to hand\n")
    (decision,) = ruleset.program.decisions
    ruleset.program = replace(ruleset.program, decisions=(replace(decision, otherwise=-1),))
    for backend in ("interpreter", "native"):
        with pytest.raises(RuleError, match=r"play: there is nothing to choose \(.*:16:"):
            ruleset.new_game(2, backend=backend)


def test_the_log_names_who_was_put_out(tmp_path: Path) -> None:
    """Whom the words mean as they stand before: who comes next is another one once the seat is out."""
    rules = """\
play:
  let first = seat(0)
  eliminate first.previous.previous
  n := choose a number from 0 to 1 by first
"""
    ruleset = load(tmp_path, "variables: {n: {type: 0..1}}\n", rules)
    for backend in ("interpreter", "native"):
        state = ruleset.new_game(players=3, backend=backend)
        assert [event["seat"] for event in state.events() if event["type"] == "eliminate"] == [1]
