"""What `check` believes is never empty has an element in every game; where it can be emptied, `check` does not believe
it.

Each operation of the one table of least sizes has a row here: collections that surely have an element, and the same ones
in a ruleset in which they have none.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest

import rulelang
from rulelang.diagnostics import Diagnostics
from rulelang.ruleset.loader import load_ruleset
from rulelang.semantics.analysis.least import LEAST
from rulelang.semantics.check import analyse
from rulelang.semantics.tree.types import OptionalT, Type

TEXT = """\
rulelang: 2
name: sizes
players: 2..3
options: {width: {values: [1, 2], default: 1}, map: {values: [near, far], default: near}}
types:
  Colour: [red, blue]
  Side: {between: neighbours}
  Good: {values: [wood, wool], classes: {any_good: [wood, wool]}}
grids:
  Board: {columns: "width + 1", rows: 1, edges: {name: Path}}
  Lake:
    map:
      map:
        near: |
          o.
        far: |
          .o
    legend: {"o": {}, ".": none}
kinds: {Card: {attributes: {value: 1..3}, start: hand}}
pieces: {Card: [{each: {value: 1..3}, id: "c{value}", per: player}]}
zones: {hand: {holds: Card, per: player}, spare: {holds: Card}}
variables:
  n: {type: 0..99}
  life: {type: 0..9, per: player, start: 3}
  purse: {type: "bag of Good", per: player}
  full: {type: "bag of Good", per: player, start: 1 wood, capacity: {total: 1}}
rules: |
  play:
    turn of seat(0):
      leave()
      act()
  rule leave: pass
  rule act:
    BODY
"""
EMPTIED = {
    "out": ("rule leave: pass", "rule leave:\n    for q in everyone: eliminate q"),
    "one wide": ('columns: "width + 1"', "columns: width"),
    "one cell": ('columns: "width + 1"', "columns: 1"),
    "no neighbours": ("between: neighbours", "between: {2: [], 3: [[0, 1]]}"),
}
"""Changes of the ruleset by which collections lose their elements, in some of its games at least."""


@dataclass(frozen=True)
class Row:
    """Collections that an operation gives: `sure` ones, and those that a change of the ruleset empties, each with that
    change. What is never empty at all says why."""

    sure: tuple[str, ...] = ()
    emptied: tuple[tuple[str, str], ...] = ()
    never: str = ""


def of_players(*collections: str) -> Row:
    """A row of collections that have an element as long as somebody is in."""
    return Row(collections, tuple(("out", collection) for collection in collections))


ROWS = {
    "players": of_players("players"),
    "parties": of_players("parties"),
    "players_from": of_players("players_from(seat(0))"),
    "everyone": Row(("everyone",), never="a game has a seat, in it or out"),
    "domain": Row(
        ("Colour", "Side", "Board", "Path", "Lake", "Direction"),
        (("one wide", "Path"), ("one cell", "Path"), ("no neighbours", "Side")),
    ),
    "list": Row(
        ("[seat(0)]", "any_good", "orthogonal", "(you if n = 0 else you).next.others + [you]"), never="written so"
    ),
    "map": of_players("players.next", "each(p.next for p in players)"),
    "flatten": of_players("each(q.life for p in players for q in [p, p.next])"),
    "reachable": of_players("reachable(players by [it.next])"),
    "union": Row(
        ("players + players", "[you] + players"),
        (("out", "players + players"), ("out", "players + (everyone where it.life > 3)")),
    ),
    "most": of_players("players with most it.life"),
    "fewest": of_players("players with fewest it.life"),
    "descending": of_players("players sorted by most it.life"),
    "ascending": of_players("players sorted by fewest it.life"),
    "distinct": of_players("distinct(players.next)"),
    "distinct_by": of_players("distinct(players by it.life)"),
    "others": Row(emptied=(("out", "others"),)),
    "opponents": Row(emptied=(("out", "opponents"),)),
    "teammates": Row(emptied=(("out", "teammates"),)),
    "players_after": Row(emptied=(("out", "players_after(seat(0))"),)),
    "sub_bags": Row(never="nothing of an empty bag is a bag too"),
    "placements": Row(never="what is there already is left where nothing more fits"),
}


def load(folder: Path, body: str, change: str = "") -> Path:
    """Write the ruleset with a body and a change."""
    text = TEXT.replace("BODY", body.replace("\n", "\n    "))
    if change:
        old, new = EMPTIED[change]
        assert text.count(old) == 1
        text = text.replace(old, new)
    (folder / "ruleset.yaml").write_text(text, encoding="utf-8")
    return folder


def type_of_top(folder: Path) -> Type:
    """The type that `check` gives `let x = top of …` in the rule `act`."""
    diagnostics = Diagnostics()
    ruleset = load_ruleset(folder, diagnostics=diagnostics)
    assert ruleset is not None
    analysed = analyse(ruleset, diagnostics)
    assert analysed is not None, [str(finding) for finding in diagnostics]
    (act,) = (procedure for procedure in analysed.checked.procedures if procedure.name == "act")
    return next(local.type for local in act.body.locals if local.name == "x")


def sizes(folder: Path) -> list[int]:
    """How many elements the collection has in each game of the ruleset."""
    ruleset = rulelang.load(folder)
    choices = product(ruleset.players, (1, 2), ("near", "far"))
    games = (ruleset.new_game(players=n, options={"width": w, "map": m}) for n, w, m in choices)
    return [int(game.observation(0)["variables"]["n"]) for game in games]


def test_each_operation_has_a_row() -> None:
    """Whatever may give a collection that is never empty is tried here."""
    assert ROWS.keys() == LEAST.keys()
    assert all(row.emptied or row.never for row in ROWS.values())


@pytest.mark.parametrize("operation", sorted(LEAST))
def test_what_is_believed_is_so(operation: str, same_folder: Path) -> None:
    """The top of a collection that surely has an element is no `T?`, and there is one in every game."""
    for collection in ROWS[operation].sure:
        folder = load(same_folder, f"let x = top of ({collection})\nn := count({collection})")
        assert not isinstance(type_of_top(folder), OptionalT), collection
        assert min(sizes(folder)) > 0, collection


@pytest.mark.parametrize("operation", sorted(LEAST))
def test_what_can_be_emptied_is_not_believed(operation: str, same_folder: Path) -> None:
    """The top of what has no element in some game is a `T?`; and that game is there."""
    for change, collection in ROWS[operation].emptied:
        folder = load(same_folder, f"let x = top of ({collection})\nn := count({collection})", change)
        assert isinstance(type_of_top(folder), OptionalT), (change, collection)
        assert min(sizes(folder)) == 0, (change, collection)


def test_a_part_of_nothing_and_a_full_bag_leave_one_way(same_folder: Path) -> None:
    """`choose up to 2 of` an empty bag and a gain of a full one have an option: the game is over after them."""
    body = "let part = choose up to 2 of purse\npurse := part\nfull += 1 any Good\nn := count(full)"
    ruleset = rulelang.load(load(same_folder, body))
    game = ruleset.new_game()
    while not game.is_terminal():
        game.apply(game.legal_actions()[0])
    assert game.observation(0)["variables"]["n"] == 1


@pytest.mark.parametrize(
    ("condition", "believed"),
    [
        ("players is not empty", True),
        ("count(players) >= 1", True),
        ("0 < count(players)", True),
        ("count(players) != 0", True),
        ("count(players) = 2", True),
        ("not (count(players) < 1)", True),
        ("you in players", True),
        ("any(p.life > 2 for p in players)", True),
        ("not all(p.life > 9 for p in players)", True),
        ("count(players) != 3", False),
        ("count(players) <= 2", False),
        ("count(players) >= 0", False),
        ("not (count(players) = 3)", False),
        ("all(p.life > 2 for p in players)", False),
        ("others is empty", False),
        ("players is not empty or n = 0", False),
    ],
)
def test_a_condition_says_that_somebody_is_in(condition: str, believed: bool, same_folder: Path) -> None:
    """In its branch a collection has an element if the condition says so, and only then."""
    folder = load(same_folder, f"if {condition}:\n  let x = top of players\n  n := 1", "out")
    assert isinstance(type_of_top(folder), OptionalT) is not believed


@pytest.mark.parametrize(
    ("statements", "believed"),
    [
        ("n := 1", True),
        ("let part = choose one of [1, 2]", True),
        ("for p in everyone: n := 1", True),
        ("eliminate you", False),
        ("for p in everyone: eliminate p", False),
        ("leave()", False),
        ("if n = 0: leave()", False),
    ],
)
def test_a_condition_holds_until_somebody_may_be_put_out(statements: str, believed: bool, same_folder: Path) -> None:
    """What changes no seat leaves it, an `eliminate` or a call of a rule ends it."""
    folder = load(same_folder, f"if players is empty: return\n{statements}\nlet x = top of players", "out")
    assert isinstance(type_of_top(folder), OptionalT) is not believed


def test_who_is_in_has_a_turn(same_folder: Path) -> None:
    """A turn is only of a player who is in, so that somebody is; not any more after an `eliminate`."""
    folder = load(same_folder, "turn of seat(1):\n  let x = top of players\n  n := x.seat", "out")
    assert not isinstance(type_of_top(folder), OptionalT)
    folder = load(same_folder, "turn of seat(1):\n  eliminate you\n  let x = top of players", "out")
    assert isinstance(type_of_top(folder), OptionalT)


@pytest.mark.parametrize("value", ["bottom of players", "random one of players", "choose one of players"])
def test_who_may_be_nobody_is_in_where_he_is_there(value: str, same_folder: Path) -> None:
    """A player of whom it is not known that he is there doesn't say that somebody is in."""
    body = f"for p in everyone: eliminate p\nlet q = {value}\nGUARDlet x = top of players"
    assert isinstance(type_of_top(load(same_folder, body.replace("GUARD", ""), "out")), OptionalT)
    guarded = body.replace("GUARD", "if q is none: return\n")
    assert not isinstance(type_of_top(load(same_folder, guarded, "out")), OptionalT)
