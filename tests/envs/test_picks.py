"""Options as picks: written out by hand, and what holds of all of them in positions of games."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path

import pytest

import rulelang
from rulelang.envs import PickGame, Spec, spec
from rulelang.envs.specs import SPACES
from tests.shipped import CONFORMANCE, ROOT, shipped
from tests.soak import times
from tests.words.games import made

STALL = """\
rulelang: 2
name: stall
players: 3
kinds:
  Ware: {attributes: {worth: 1..9}, start: stall}
  Pawn: {start: home}
pieces:
  Ware: [{id: gem, worth: 5, count: 2}, {id: rag, worth: 1, count: 2}]
  Pawn: [{id: pawn, per: player}]
types: {Good: {values: [nut, oil]}}
zones:
  stall: {holds: Ware}
  hand: {holds: Ware, per: player}
  home: {holds: Pawn}
variables:
  purse: {type: bag of Good, per: player, start: 2 nut + 1 oil}
  last: {type: 0..9}
rules: |
  play:
    for p in players:
      turn of p: act()
  rule act:
    choose:
      take(w in stall): move w to hand
      give(q in players, n from 1 to 2) when q != you: last := n
      leave: pass
    let several = choose up to 2 of stall
    move several to hand
    let far = choose a number from 0 to 3000
    pay 2 any Good from purse: pass
    else: pass
"""
"""Items with and without arguments; wares that only their zone tells apart, seats, numbers, collections, payments."""


def named(of: Spec, game: PickGame, seat: int) -> dict[str, list[str]]:
    """The picks of each option of a seat, by its id."""
    executor, at = game.state.engine
    sequences = of.sequences(game.state, seat, at.pending_question(), executor.options(at, seat))
    ids = [action.id for action in game.state.legal_actions(seat)]
    return {id_: [of.picks[pick] for pick in sequence] for id_, sequence in zip(ids, sequences, strict=True)}


@pytest.fixture(scope="module")
def stall(tmp_path_factory: pytest.TempPathFactory) -> rulelang.Ruleset:
    return made(tmp_path_factory.mktemp("stall"), STALL)


def played(of: Spec, *ids: str) -> PickGame:
    """A game after these actions."""
    game = PickGame(of)
    for id_ in ids:
        game.state.apply(id_)
    return game


def test_options_are_spelled_as_the_page_says(stall: rulelang.Ruleset) -> None:
    """Item, then value by value; seats by their distance; like pieces also by their zone; a collection in the order of
    the vocabulary, then `done`; a number without a small bound by sign and 19 digits; a payment unit by unit."""
    of = spec(stall)
    gem, rag = ["piece:Ware/gem", "zone:stall"], ["piece:Ware/rag", "zone:stall"]
    give = {(q, n): ["item:act/give", f"seat/+{q}", f"number:{n}"] for q in (1, 2) for n in (1, 2)}
    take = {"take:w=gem": ["item:act/take", *gem], "take:w=rag": ["item:act/take", *rag], "leave": ["item:act/leave"]}
    assert named(of, PickGame(of), 0) == take | {f"give:q={q},n={n}": picks for (q, n), picks in give.items()}
    game = played(of, "take:w=gem")
    assert named(of, game, 0) == {
        "act:several=none": ["done"],
        "act:several=gem": [*gem, "done"],
        "act:several=rag": [*rag, "done"],
        "act:several=gem+rag": [*gem, *rag, "done"],
        "act:several=rag+rag": [*rag, *rag, "done"],
    }
    game.state.apply("act:several=gem+rag")
    assert named(of, game, 0)["act:far=1204"] == ["sign:+", *(f"digit:{d}" for d in "0000000000000001204")]
    game.state.apply("act:far=7")
    nut, oil = "Good/nut", "Good/oil"
    assert sorted(named(of, game, 0).values()) == [[nut, nut, "done"], [nut, oil, "done"]]
    for id_ in ("act:pay=nut+nut", "leave", "act:several=none", "act:far=0", "act:pay=nut+nut"):
        game.state.apply(id_)
    second = named(of, played(of, *TO_SEAT_1), 1)
    assert second["give:q=0,n=1"] == give[2, 1]
    assert second["give:q=2,n=2"] == give[1, 2]


TO_SEAT_1 = ("take:w=gem", "act:several=gem+rag", "act:far=7", "act:pay=nut+nut")


def test_common_picks_are_made_at_once(stall: rulelang.Ruleset) -> None:
    """Leading zeros of all numbers, `done` of the largest collection, the zone that all have in common; a lone option
    is taken with one pick, and what is no option is refused."""
    of = spec(stall)
    game = PickGame(of)
    pick = of.picks.index
    assert not game.step(pick("item:act/take"))
    assert [of.picks[number] for number in game.mask(0)] == ["piece:Ware/gem", "piece:Ware/rag"]
    with pytest.raises(rulelang.IllegalAction, match="seat 0 can't pick 0 now"):
        game.step(0)
    assert game.step(pick("piece:Ware/gem"))
    assert not game.step(pick("piece:Ware/rag"))
    assert [of.picks[number] for number in game.mask(0)] == ["done", "piece:Ware/rag"]
    assert game.step(pick("piece:Ware/rag"))
    assert len(game.prefix(0)) == 16  # the sign and 15 zeros
    copy = game.copy()
    game.step(pick("digit:3"))
    assert game.prefix(0) == (pick("Good/nut"),)  # both ways to pay begin with it
    assert len(copy.prefix(0)) == 16


LARGE = [pytest.param(name, marks=pytest.mark.soak) for name in ("ldd", "imaginarium", "droids")]
FEW = [CONFORMANCE / name for name in ("tiles", "vetoes", "raids", "parcels", "abilities")]
ALL = ["reco", "draughts", *FEW, *(ROOT / "benchmarks/games" / name for name in ("pentago", "goofspiel"))]


UNBOUNDED = {"reco", "ldd", "imaginarium", "droids", "raids", "parcels"}
"""Rulesets with collections without a small bound."""


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("name", [*ALL, *LARGE], ids=lambda name: Path(name).name)
def test_numbers_and_options_are_one_to_one(name: str | Path, space: str) -> None:
    """Along random games: one sequence for each option, none a prefix of another; whatever the mask lets through is
    completed to an option; a number out of it is refused; all seats share one set of names."""
    ruleset, dice = shipped(name), random.Random(str(name))
    if space == "discrete" and Path(name).name in UNBOUNDED:
        with pytest.raises(rulelang.UsageError, match="; use `picks`"):
            spec(ruleset, max(ruleset.players), actions=space)
        return
    of = spec(ruleset, max(ruleset.players), actions=space)
    game = PickGame(of, 1)
    for _ in range(times(5)):
        if game.end:
            game = PickGame(of, dice.randrange(1000))
        seat = dice.choice(game.seats)
        executor, at = game.state.engine
        options = executor.options(at, seat)
        sequences = sorted(of.sequences(game.state, seat, at.pending_question(), options))
        assert len(sequences) == len(options)
        assert all(b[: len(a)] != a for a, b in pairwise(sequences))
        chosen, went_on = [], False
        while not went_on:
            mask = game.mask(seat)
            assert mask == sorted({*mask})
            assert {*mask} <= {*range(of.size)}
            before = game.prefix(seat)
            starts = [sequence for sequence in sequences if sequence[: len(before)] == before]
            assert mask == sorted({sequence[len(before)] for sequence in starts})
            chosen.append(number := dice.choice(mask))
            went_on = game.step(number, seat)
        assert len(chosen) <= max(map(len, sequences))
