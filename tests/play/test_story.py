"""The log told briefly."""

from __future__ import annotations

from pathlib import Path

import pytest

import rulelang
from rulelang.diagnostics import RulesetError
from rulelang.runtime.log import Entry
from rulelang.runtime.sight import Redactor
from rulelang.session import HUMAN, Session
from rulelang.table.recent_events import moved
from tests.play import games


def test_moves_are_joined_and_draws_told_once(tmp_path: Path) -> None:
    """What goes on with the event before is one with it; chance that a move tells of is left out; numbers stay."""
    state = games.ruleset(tmp_path / "secrets", games.SECRETS).new_game(2, 1)
    assert [event["type"] for event in state.events()] == ["shuffle", "chance", "move", "chance", "move", "begin"]
    assert [(event["type"], event["index"]) for event in state.story()] == [
        ("shuffle", 0), ("move", 2), ("move", 4), ("begin", 5),
    ]  # fmt: skip
    since = len(state.events(0))
    for id_ in ("spend", "keep"):
        state.apply(id_)
    assert [event["type"] for event in state.story(0, since)] == ["choice", "set", "choice", "begin"]


def test_a_choice_of_pieces_is_told_by_their_move(tmp_path: Path) -> None:
    """Where all that was asked is which pieces, the move says it, after changes too; in a menu the choice says more."""
    text = games.SECRETS.replace("    choose first:\n      spend: spent += 1\n      save: pass\n", "").replace(
        "    choose second:\n      throw: luck := roll 1 to 6\n      lay(card in hand): move card to table\n"
        "      keep: pass\n",
        "    let card = choose one of hand else return\n    luck += 1\n    move card to table\n    move card to hand\n"
        "    spent += 1\n    spent += 2\n    luck += 1\n    luck -= 1\n",
    )
    state = games.ruleset(tmp_path / "brief", text).new_game(2, 1)
    since = {seat: len(state.events(seat)) for seat in (0, 1)}
    state.apply(state.legal_actions()[0])
    for seat in (0, 1):
        told = state.story(seat, since[seat])
        assert [event["type"] for event in told] == ["move", "move", "set", "set", "begin"]
        assert [(change["old"], change["new"]) for change in told[2:4]] == [(0, 3), (0, 1)]
        assert len(state.events(seat)) - since[seat] == 9


CHANGES = """\
rulelang: 2
name: changes
players: 1
types: {Part: {values: [nut, oil]}}
variables:
  shed: {type: bag of Part, per: player}
  dice: {type: -1..6, start: 0}
  best: {type: 0..9}
rules: |
  rule throw():
    dice := -1
    you.shed += 1 nut
    dice := roll 1 to 6
    best := 3
    best := 0
    you.shed += 2 oil
    you.shed -= 1 nut

  play:
    turn of seat(0):
      you.shed += 2 nut
      throw()
      choose go:
        on: you.shed += 1 nut
      you.shed += 1 oil
  score all: best
"""


def test_changes_by_one_rule_are_one(tmp_path: Path) -> None:
    """Told where the last is, without what was in between, apart before and after a choice; in the end as it was: not
    told."""
    (tmp_path / "ruleset.yaml").write_text(CHANGES, encoding="utf-8")
    state = rulelang.load(tmp_path).new_game(1, 1)
    rolled = next(event["value"] for event in state.events() if event["type"] == "chance")
    assert [event["text"] for event in state.story(0)] == [
        "Your turn begins.",
        "Your shed: +2 nuts.",
        f"Dice: 0 → {rolled}.",
        "Your shed: +2 oils.",
    ]
    since = state.event_count(0)
    state.apply("on")
    assert [event["text"] for event in state.story(0, since)][:2] == ["You: on.", "Your shed: +1 nut, +1 oil."]


def test_what_was_read_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an undo would give away is told from the log that was read, not from that of a position played again."""
    state = games.ruleset(tmp_path / "secrets", games.SECRETS).new_game(2, 1)
    session = Session.new(state, 1, dict.fromkeys(range(2), HUMAN))
    session.choose(state.legal("spend"), 0)
    session.choose(state.legal("keep"), 0)
    first = session.undoing(0)
    counts = [state.event_count(seat) for seat in range(2)]
    reads: list[object] = []
    see = Redactor.see

    def counted(self: Redactor, entry: Entry) -> Entry | None:
        reads.append(entry)
        return see(self, entry)

    monkeypatch.setattr(Redactor, "see", counted)
    assert (session.undoing(0), [state.event_count(seat) for seat in range(2)], reads) == (first, counts, [])
    length = session.before(1).event_count()
    assert [state.event_count(seat, length) for seat in range(2)] == [
        session.before(1).event_count(seat) for seat in range(2)
    ]


INNER = """\
rulelang: 2
name: inner
players: 1
untold: [counted, Stone.seen, Stone.weight, tired, recount]
kinds: {Stone: {start: heap, marks: [seen], variables: {weight: {type: 0..9}}}}
pieces: {Stone: [{id: pebble}]}
zones: {heap: {holds: Stone}}
variables: {counted: {type: 0..9}, told: {type: 0..9}}
marks: {tired: {per: player}}
rules: |
  play:
    turn of seat(0):
      counted += 1
      told += 1
      mark you.tired until after turn of you
      for s in heap:
        mark s.seen until after turn of you
        s.weight := 3
      recount()
      reveal told = 2
      let n = choose a number from 1 to 2
  rule recount:
    reveal told > 1
    reveal told
  score told: told
"""


def test_inner_steps_are_not_told(tmp_path: Path) -> None:
    """Of what the ruleset lists under `untold` only `events` tells; names that there are not are refused."""
    (tmp_path / "ruleset.yaml").write_text(INNER, encoding="utf-8")
    state = rulelang.load(tmp_path).new_game(1, 1)
    assert [event["text"] for event in state.story(0)] == [
        "Your turn begins.",
        "Told: 0 → 1.",
        "1 is shown to all.",
        "Play: no, shown to all.",
    ]
    assert len([event for event in state.events(0) if event["type"] in ("set", "pset")]) == 5
    for name in ("count", "Stone.sen", "seen", "play"):
        (tmp_path / "ruleset.yaml").write_text(INNER.replace("[counted,", f"[{name},"), encoding="utf-8")
        with pytest.raises(RulesetError, match=f"there is no variable, mark or rule `{name}`"):
            rulelang.load(tmp_path)


DRAWN = """\
rulelang: 2
name: drawn
players: 1
types: {Side: [left, right]}
kinds: {Stone: {start: heap}}
pieces: {Stone: [{id: pebble}, {id: flint}]}
zones: {heap: {holds: Stone}, kept: {holds: Stone}, left_over: {holds: Stone}}
variables: {dice: {type: 0..6}, coins: {type: 0..99, start: 9}, side: {type: Side}}
rules: |
  play:
    turn of seat(0):
      dice := roll 1 to 6
      coins += roll 1 to 6
      side := random one of Side
      let stone = random one of heap else return
      move stone to kept
      let other = random one of heap else return
      coins += 1
      move kept to left_over
      if other is flint: coins += 1
      let n = choose a number from 1 to 2
  score told: coins + dice + count(left_over) + (1 if side = left else 0)
"""


def test_what_chance_gives_is_told_once(tmp_path: Path) -> None:
    """A roll that a variable holds and a piece that is moved at once are told by that alone; all else is told."""
    (tmp_path / "ruleset.yaml").write_text(DRAWN, encoding="utf-8")
    sides = set()
    for seed in range(8):
        begins, dice, rolled, side, stone, *_ = (e["text"] for e in rulelang.load(tmp_path).new_game(1, seed).story(0))
        assert begins == "Your turn begins."
        assert dice.startswith("Dice: 0 → ")
        assert rolled.startswith("Chance gives ")  # the coins say more than the roll
        assert stone.endswith(" goes from the heap to the kept.")
        sides.add(side)
    assert sides == {"Chance gives left.", "Side: right."}  # left it was before


LAID = """\
rulelang: 2
name: laid
players: 1
types: {Row: [north, south, west], Spot: [first, second, aside], Way: [up, down], Bin: [left, right]}
kinds:
  Card: {attributes: {bin: Bin}, variables: {way: {type: "Way?"}}, start: hand}
pieces: {Card: [{id: ace, bin: left}, {id: two, bin: right, count: 2}]}
untold: [Card.way]
zones:
  hand: {holds: Card}
  rows: {holds: Card, per: [player, Row, Spot], capacity: 1}
  bins: {holds: Card, per: Bin}
rules: |
  play:
    turn of seat(0):
      repeat 3 times: lay()
      for row in Row:
        for card in rows[row, first]: move card to rows[row, aside]
      for card in rows:
        card.way := none
        move card to bins[card.bin]
  rule lay:
    choose:
      lay(card in hand):
        let row = choose one of Row where any(rows[it, s] is empty for s in Spot) else return
        let spot = choose one of Spot where rows[row, it] is empty else return
        card.way := choose one of Way
        move card to rows[row, spot]
      rest: pass
  score kept: 0
"""


def test_where_a_piece_goes_is_told_by_its_move(tmp_path: Path) -> None:
    """Neither which row nor which spot, but which way; what leaves several places of a zone at once is one
    sentence."""
    (tmp_path / "ruleset.yaml").write_text(LAID, encoding="utf-8")
    state = rulelang.load(tmp_path).new_game(1, 1)
    for id_ in ("lay:card=ace", "lay:row=south", "lay:spot=first", "lay:way=up"):
        state.apply(id_)
    assert [event["text"] for event in state.story(0)][1:] == [
        "You: lay ace.",
        "You choose up.",
        "The ace goes from the hand to your first south rows.",
    ]
    for row in ("north", "west"):
        for id_ in ("lay:card=two", f"lay:row={row}", "lay:spot=first", "lay:way=down"):
            state.apply(id_)
    aside = [event["text"] for event in state.story(0) if event["type"] == "move" and event["to"].endswith("aside]")]
    assert len(aside) == 3, "what goes from place to place within a zone is told one by one"
    said = [event for event in state.story(0) if event["type"] == "moves"]
    assert [event["text"] for event in said] == ["2 twos and the ace go from your rows to the bins."]
    assert {piece.partition(".")[0] for piece, _ in moved(said)} == {"ace", "two"}
    assert {zone for _, zone in moved(said)} == {"bins[left]", "bins[right]"}
