"""Worlds of a seat: it can't tell them from the true one, and they come as often as they should."""

from __future__ import annotations

import random
from collections import defaultdict
from fractions import Fraction
from itertools import product
from math import prod

import pytest

from rulelang.diagnostics import UsageError
from rulelang.game import State, load
from rulelang.ismcts.library import SearchLibrary
from rulelang.native.compilers import FLAGS
from rulelang.runtime.canonical import state_hash
from rulelang.runtime.rejection import Sampler
from rulelang.runtime.rng import Dice
from rulelang.search import BlindWarning, Searcher, SearchOptions, Worlds
from tests.search.posterior import fit, middle, posterior
from tests.shipped import ROOT, conformance, shipped
from tests.soak import soaking, times

GAMES = {
    "kuhn": (2, 3), "leduc": (2, 4), "peek": (2, 4), "pickpocket": (3, 4), "tricks": (3, 3), "sealed": (3, 4),
}  # fmt: skip
"""Small games with secrets -> players, and a number of choices after which much is still open."""
LARGE = {"rulesets/reco": (4, 40), "benchmarks/games/hearts": (4, 30), "rulesets/droids": (4, 40)}
MORE = {"rulesets/ldd": (3, 80), "rulesets/imaginarium": (3, 250), "benchmarks/games/crazy_eights": (3, 40)}


def _ruleset(name):
    return shipped(ROOT / name) if "/" in name else conformance(name)


@pytest.mark.parametrize("name", [*GAMES, *LARGE, *soaking(*MORE)])
def test_no_seat_can_tell_a_world_from_the_true_one(name):
    """Its information state is the same, after every deal."""
    players, steps = {**GAMES, **LARGE, **MORE}[name]
    for seed in range(times(2)):
        state, _ = middle(_ruleset(name), players, seed, steps * (1 + seed % 3) // 2)
        for seat in range(players):
            known, worlds = state.information_state(seat), Worlds(state, seat, seed)
            for _ in range(times(2)):
                worlds.skip(3)
                assert worlds.deal().information_state(seat) == known


@pytest.mark.parametrize("name", GAMES)
def test_worlds_come_as_often_as_they_should(name):
    """They fit the exact posterior, by the chi-squared test."""
    players, steps = GAMES[name]
    for seed in (2, 7):
        state, choices = middle(_ruleset(name), players, seed, steps)
        seat = (state.current_players()[0] + 1) % players
        exact, worlds, drawn = posterior(state, choices, seat), Worlds(state, seat, seed), []
        for _ in range(times(60)):
            worlds.skip(2)
            drawn.append(worlds.deal().hash())
        assert fit(drawn, exact) > 0.001
        executor, true = state.engine
        dealt = (executor.resample(true, seat, number) for number in range(times(60)))
        assert fit(map(state_hash, dealt), exact) > 0.001


@pytest.mark.parametrize("name", ["peek", "sealed", "rulesets/reco", *soaking(*LARGE, *MORE)])
def test_resampling_by_native_code_is_a_function_of_what_is_known(name):
    """The same seed gives the same state, with its log, whatever is hidden; all other worlds give it too."""
    players, steps = {**GAMES, **LARGE, **MORE}[name]
    for seed in range(times(1)):
        state, _ = middle(_ruleset(name), players, seed, steps)
        executor, true = state.engine
        for seat in range(players):
            known = state.information_state(seat)
            for number in range(times(2)):
                other = executor.resample(true, seat, number)
                again = executor.resample(other, seat, 1)
                assert state_hash(again) == state_hash(executor.resample(true, seat, 1))
                dealt = State(state.ruleset, executor, other)
                assert dealt.information_state(seat) == known
                assert dealt.current_players() == state.current_players()
                assert state.ruleset.state_from_json(dealt.to_json()).hash() == dealt.hash()
                dealt.apply(dealt.legal_actions(dealt.current_players()[0])[0], dealt.current_players()[0])


def test_a_deal_that_keeps_a_true_hand_is_caught():
    """The mistake of OpenSpiel's gin rummy: one rival's cards stay what they are."""
    state, choices = middle(_ruleset("peek"), 2, 3, 4)
    seat = (state.current_players()[0] + 1) % 2
    exact = posterior(state, choices, seat)
    assert len(exact) > 1
    assert fit([state.hash()] * 60, exact) < 0.001


def test_a_deal_that_contradicts_a_void_is_caught():
    """The mistake of TAG's hearts: who could not follow suit is dealt the suit. The seat's views would be the same."""
    name, players = "tricks", 3
    for seed in range(40):
        state, choices = middle(_ruleset(name), players, seed, 3)
        for seat in range(players):
            exact = posterior(state, choices, seat)
            shuffled = _shuffled(state, seat)
            if shuffled is not None and shuffled not in exact:
                assert fit([shuffled], exact) == 0
                return
    pytest.fail("in no game a hand was void")


def _shuffled(state, seat):
    """The hash of the state with two unseen cards of the rivals exchanged, whatever was led; None if they have none."""
    _, position = state.engine
    mixed = position.clone()
    layout = mixed.layout
    hands = [
        zone
        for zone, owner in enumerate(layout.inst_owner)
        if owner not in (-1, seat) and layout.program.zones[layout.inst_zone[zone]].visible == "owner" and mixed.z[zone]
    ]
    if len(hands) < 2:
        return None
    a, b = hands[:2]
    mixed.z[a][0], mixed.z[b][0] = mixed.z[b][0], mixed.z[a][0]
    mixed.z[a].sort()
    mixed.z[b].sort()
    return state_hash(mixed)


@pytest.mark.parametrize("name", [*GAMES, *LARGE, *soaking(*MORE)])
def test_what_is_hidden_changes_no_move(name):
    """With another world in place of the true one the searcher finds the same, visits and values included."""
    players, steps = {**GAMES, **LARGE, **MORE}[name]
    for seed in range(times(2)):
        state, _ = middle(_ruleset(name), players, seed, steps)
        seat = state.current_players()[0]
        worlds = Worlds(state, seat, seed)
        options = SearchOptions(backend="native", trees=("single", "multiple")[seed % 2])
        known = _found(state, seat, seed, options)
        for _ in range(times(2)):
            worlds.skip(2)
            assert _found(worlds.deal(), seat, seed, options) == known


def _found(state, seat, seed, options):
    found = Searcher(60, seed, options=options).search(state, seat)
    return [(move.action.id, move.visits, move.value) for move in found.moves]


@pytest.mark.parametrize("name", [*GAMES, *LARGE, *soaking(*MORE)])
def test_a_longer_record_is_the_one_that_is_made_anew(name):
    """A searcher that has searched earlier in the game finds what a new one finds."""
    players, steps = {**GAMES, **LARGE, **MORE}[name]
    state, _ = middle(_ruleset(name), players, 1, steps // 2)
    seat = state.current_players()[0]
    searcher, dice = Searcher(20, 3, options=SearchOptions(backend="native")), random.Random(1)
    for _ in range(times(steps)):
        if state.is_terminal():
            break
        asked = state.current_players()
        if seat in asked:
            found = Searcher(20, options=searcher.options)
            found.position = searcher.position
            assert found.search(state, seat) == searcher.search(state, seat)
        state.apply(dice.choice(state.legal_actions(asked[0])), asked[0])


def _opened(rival):
    """A position of `peek` in which seat 0 has this card, seat 1 the cow, and seat 1 was shown the dog."""
    return _ruleset("peek").position({"zones": {"seat(0).hand": [rival], "seat(1).hand": ["cow"]}})


@pytest.mark.parametrize("backend", ["auto", "interpreter"])
def test_a_search_from_a_given_position_does_not_peek(backend):
    """Positions that differ in the card of a rival alone are searched with the same result, by worlds dealt anew."""
    finds = []
    for rival in ("ant", "bee"):
        searcher = Searcher(64, 3, options=SearchOptions(backend=backend))
        found = searcher.search(_opened(rival), 1)
        assert found.native == (backend == "auto")
        assert not found.blind
        finds.append([(move.action.id, move.visits, move.value) for move in found.moves])
    assert finds[0] == finds[1]


def test_where_no_world_is_found_nothing_is_looked_at():
    """A position that was saved knows no more how it began: a warning, and an option that the seed alone determines."""
    taken = set()
    for rival in ("ant", "bee"):
        saved = _ruleset("peek").state_from_json(_opened(rival).to_json())
        with pytest.warns(BlindWarning):
            found = Searcher(64, 3).search(saved, 1)
        assert found.blind
        assert found.iterations == 0
        taken.add(found.action.id)
    assert len(taken) == 1


def test_a_record_that_native_code_plays_otherwise_is_refused(monkeypatch):
    """Where a recorded choice is none of the options there are no worlds, rather than wrong ones."""
    record = SearchLibrary.record

    def changed(code, state, since):
        choices, draws, complete = record(code, state, since)
        return [word ^ 1 for word in choices], draws, complete

    monkeypatch.setattr(SearchLibrary, "record", changed)
    state, _ = middle(_ruleset("kuhn"), 2, 7, 3)
    with pytest.raises(UsageError, match="does not play the recorded game again"):
        Worlds(state, state.current_players()[0], 1)


def test_a_compiler_that_fails_is_not_silent(monkeypatch):
    """Search goes on without native code, and says once why; where native code was asked for it is an error."""
    monkeypatch.setenv(FLAGS, "-include /no/such/header.h")
    ruleset = load("tests/conformance/rulesets/peek")
    with pytest.warns(RuntimeWarning, match="use the interpreter: .*made no library") as warned:
        found = [Searcher(8, 3).search(state) for state in (ruleset.new_game(2, 1), ruleset.new_game(2, 2))]
    assert len(warned) == 1
    assert not any(one.native for one in found)
    with pytest.raises(UsageError, match="made no library"):
        Searcher(8, 3, options=SearchOptions(backend="native")).search(ruleset.new_game(2, 1))


@pytest.mark.parametrize("name", GAMES)
def test_worlds_by_rejection_come_as_often_as_they_should(name):
    """Without native code too they fit the exact posterior, and the seat can't tell them from the true one."""
    players, steps = GAMES[name]
    state, choices = middle(_ruleset(name), players, 7, steps)
    seat = (state.current_players()[0] + 1) % players
    executor, true = state.engine
    sampler, dice = Sampler(executor.interpreter, true, seat), Dice(1)
    drawn = (sampler.world(dice, 500) for _ in range(times(200)))
    worlds = [world for world in drawn if world is not None]
    assert len(worlds) == times(200)
    assert fit(map(state_hash, worlds), posterior(state, choices, seat)) > 0.001
    dealt = State(state.ruleset, executor, executor.immutable(worlds[0]))
    assert dealt.information_state(seat) == state.information_state(seat)


STASHES = """
rulelang: 2
name: stashes
players: 2
variables:
  clock: {type: 0..200}
  die: {type: 1..2, start: 1, per: player, visible: owner}
  twos: {type: 0..5, per: player, visible: owner}
  stash: {type: 0..30, per: player, visible: owner}
  shown: {type: 0..30}
rules: |
  play:
    repeat 200 times: clock += 1
    repeat 5 times:
      turn of seat(1): hide()
    shown := seat(1).stash
    turn of seat(0):
      choose:
        stay: pass
        go: pass

  rule hide:
    die := roll 1 to 2
    if die = 2: twos += 1
    let n = secretly choose a number from 1 to 6 where it = 1 or die = 2 else never
    stash += n

  score points: shown
"""
"""Seat 1 hides 1 after a one, 1 to 6 after a two, five times, and the sum is shown. The long clock makes the game too
long for worlds that are drawn wholly anew."""


def test_unseen_choices_weigh_how_many_there_were(tmp_path):
    """A two with a choice of six is not six times as likely as a one without: how many twos there were, against what
    all sequences of dice and choices with this sum come to."""
    (tmp_path / "ruleset.yaml").write_text(STASHES, encoding="utf-8")
    state, draw = load(tmp_path).new_game(2, seed=13), random.Random(13)
    while list(state.current_players()) == [1]:
        state.apply(draw.choice(state.legal_actions(1)), 1)
    assert state.observation(0)["variables"]["shown"] == 17
    hidden = {(1, 1): Fraction(1, 2), **{(2, n): Fraction(1, 12) for n in range(1, 7)}}
    exact: dict[str, Fraction] = defaultdict(Fraction)
    for course in product(hidden, repeat=5):
        if sum(n for _, n in course) == 17:
            exact[str(sum(die == 2 for die, _ in course))] += prod(hidden[step] for step in course)
    total = sum(exact.values())
    worlds, drawn = Worlds(state, 0, 5), []
    for _ in range(times(200)):
        worlds.skip(100)
        drawn.append(str(worlds.deal().observation(1)["variables"]["twos[1]"]))
    assert fit(drawn, {twos: weight / total for twos, weight in exact.items()}) > 0.001


ROUNDS = """
rulelang: 2
name: rounds
players: 2
kinds:
  Card: {attributes: {gold: bool}, start: deck}
pieces:
  Card:
    - {id: coin, gold: true}
    - {id: stone, gold: false, count: 3}
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
variables:
  clock: {type: 0..200}
  coins: {type: 0..9, per: player, visible: owner}
  told: {type: bool}
  points: {type: 0..1, per: player}
rules: |
  play:
    repeat 200 times: clock += 1
    repeat 4 times:
      shuffle deck
      turn of seat(1): draw_and_return()
    told := seat(1).coins > 0
    shuffle deck
    draw 2 from deck to seat(1).hand
    turn of seat(0): wait()
    if seat(1).coins = 1 and count(seat(1).hand where it.gold) = 1: seat(0).points := 1
    else: seat(1).points := 1

  rule draw_and_return:
    wait()
    draw 1 from deck to hand
    coins += count(hand where it.gold)
    move hand to deck

  rule wait:
    choose:
      stay: pass
      go: pass

  score total: points
"""
"""Four times seat 1 draws a card and puts it back: of these no card is unknown later, of how many were coins it is told
that some were. Then it draws two that it keeps."""


def test_what_lies_in_the_past_is_drawn_again_too(tmp_path):
    """Runs begin where no card was hidden; how many coins there were before and what is hidden since are as likely as
    they should be all the same: how often seat 0 wins, with one coin then and the coin in the hand now."""
    (tmp_path / "ruleset.yaml").write_text(ROUNDS, encoding="utf-8")
    state, draw = load(tmp_path).new_game(2, seed=3), random.Random(3)
    while list(state.current_players()) == [1]:
        state.apply(draw.choice(state.legal_actions(1)), 1)
    assert state.observation(0)["variables"]["told"]
    one_coin = Fraction(4 * 3**3, 4**4 - 3**4)
    for seed in range(times(2)):
        found = Searcher(50000, seed, options=SearchOptions(score_share=0, backend="native")).search(state, 0)
        assert abs(found.moves[0].value - one_coin / 2) < 0.04


TWINS = """
rulelang: 2
name: twins
players: 2
kinds:
  Doll: {start: box, variables: {size: {type: 0..2}}}
  Card: {attributes: {gold: bool}, start: deck}
pieces:
  Doll:
    - {id: twin, count: 2}
  Card:
    - {id: coin, gold: true}
    - {id: stone, gold: false, count: 3}
zones:
  box: {holds: Doll, order: pile, visible: all}
  shelf: {holds: Doll, visible: all}
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
variables:
  first: {type: 0..2}
  points: {type: 0..1, per: player}
rules: |
  play:
    for n in [1, 2]:
      if some doll = random one of box:
        move doll to shelf
        doll.size := n
    shuffle deck
    draw 1 from deck to seat(1).hand
    turn of seat(0): wait()
    for doll in shelf:
      if first = 0: first := doll.size
    turn of seat(0): wait()
    if count(seat(1).hand where it.gold) = 1: seat(1).points := 1
    else: seat(0).points := 1

  rule wait:
    choose:
      stay: pass
      go: pass

  score total: points
"""
"""Of two dolls that are called the same one becomes small and one large; which comes first in a rule is seen later."""


def test_an_order_that_was_seen_of_copies_is_kept(tmp_path):
    """A world has the copies where the order in which rules went through them was the one that was seen."""
    (tmp_path / "ruleset.yaml").write_text(TWINS, encoding="utf-8")
    ruleset, firsts = load(tmp_path), set()
    for seed in range(8):
        state = ruleset.new_game(2, seed=seed)
        state.apply(state.legal_actions(0)[0], 0)
        known, worlds = state.information_state(0), Worlds(state, 0, seed)
        firsts.add(state.observation(0)["variables"]["first"])
        for _ in range(4):
            assert worlds.deal().information_state(0) == known
            assert state.resample(0, seed).information_state(0) == known
    assert firsts == {1, 2}


VOIDS = """clubs_2 clubs_14 clubs_6 clubs_10  spades_5 spades_7 spades_9 spades_3
diamonds_6 diamonds_10 diamonds_3 diamonds_8  clubs_3 clubs_7 clubs_13 clubs_9  clubs_4 diamonds_11 clubs_8 clubs_12
spades_8 spades_4 spades_2 diamonds_9  hearts_3 hearts_7 hearts_12"""
"""Cards of a game of hearts between searching bots, after which two rivals are known to lack a suit."""


def test_worlds_are_found_where_rivals_were_seen_to_lack_much():
    """Where a rule forbids what was seen, what could be chosen instead is what has to go."""
    state = _ruleset("benchmarks/games/hearts").new_game(4, seed=5578003029973847173)
    for card in VOIDS.split():
        state.apply(f"play_card:card={card}", state.current_players()[0])
    assert all(Worlds(state, 0, seed).skip(1) for seed in range(times(3)))


DRAFT = """
rulelang: 2
name: draft
players: 3
kinds:
  Flower: {start: deck}
pieces:
  Flower: [{id: tulip, count: 9}, {id: rose, count: 9}, {id: lily, count: 9}, {id: fern, count: 9}]
zones:
  deck: {holds: Flower, order: pile, visible: count}
  hand: {holds: Flower, per: player, visible: owner}
  parcel: {holds: Flower, per: player, visible: owner}
  bed: {holds: Flower, per: player}
rules: |
  setup: shuffle deck

  play:
    repeat 2 times:
      round:
        for p in players: draw 5 from deck to p.hand
        repeat 4 times: plant_and_pass()
        for p in players: move p.hand to p.bed

  rule plant_and_pass:
    let planted = together choose one of hand
    for p in players: move planted[p] to p.bed
    for p in players: move p.hand to p.next.parcel
    for p in players: move p.parcel to p.hand

  score tulips: 2 * count(bed where it is tulip)
  score roses: 5 * (count(bed where it is rose) div 2)
"""
"""Each seat plants a card, all at once, and passes its hand on."""


def test_hands_that_are_passed_on_have_worlds(tmp_path):
    """What was planted is put down to who chose it, though all chose at once: else this position has no world."""
    (tmp_path / "ruleset.yaml").write_text(DRAFT, encoding="utf-8")
    state, draw = load(tmp_path).new_game(3, seed=3), random.Random(3)
    for _ in range(20):
        seat = state.current_players()[0]
        state.apply(draw.choice(state.legal_actions(seat)), seat)
    seat = state.current_players()[0]
    known = state.information_state(seat)
    for seed in range(6):
        worlds = Worlds(state, seat, seed)
        assert all(worlds.deal().information_state(seat) == known for _ in range(3))


UNSEEN = """\
rulelang: 2
name: g
players: 3
kinds: {Card: {attributes: {value: 1..6}, start: deck}}
pieces: {Card: [{each: {value: 1..6}, id: "card{value}"}]}
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
  table: {holds: Card, visible: all}
variables: {n: {type: 0..9, visible: nobody}}
rules: |
  setup:
    shuffle deck
    draw 2 from deck to seat(1).hand
  rule show: move seat(1).hand to table
  function low -> player = (seat(0) if any(c.value < 4 for c in seat(1).hand) else seat(1))
  function first_out -> player = (seat(2) if seat(2) in players else low())
  play:
    DOES
    repeat 2 times: n := choose a number from 0 to 1 by seat(0)
"""


@pytest.mark.parametrize("does", ["pass", "if possible(show() then n = 0): n := 1", "eliminate first_out()"])
def test_what_is_only_tried_or_meant_afterwards_is_not_seen(does, tmp_path):
    """The two cards of a rival may be any: lookahead that shows them shows them to nobody, and of who is out it is told
    whom the words meant before."""
    (tmp_path / "ruleset.yaml").write_text(UNSEEN.replace("DOES", does), encoding="utf-8")
    state = load(tmp_path).new_game(3, seed=3)
    state.apply(state.legal_actions()[0])
    worlds, hands = Worlds(state, 0, 1), set()
    for _ in range(200):
        worlds.skip(1)
        hands.add(str(worlds.deal().observation(1)["zones"]))
    assert len(hands) == 15
