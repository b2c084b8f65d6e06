"""What a seat sees of a state and of what happened."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

import rulelang
from rulelang.diagnostics import UsageError
from rulelang.interpreter import Machine
from rulelang.runtime.layout import ZONE_SHIFT
from rulelang.runtime.log import EMPTY
from rulelang.runtime.sight import COUNT, NOTHING, Redactor, sight_of
from rulelang.runtime.state import State
from rulelang.runtime.views import events, information_state, observation
from rulelang.vocabulary.types import Type
from tests.soak import times

from .games import CONFORMANCE, PAIRS, SIGHTS, begun, compiled, conformance, current, known, step


def chosen(machine: Machine, state: State, seat: int, index: int) -> None:
    machine.choose(state, seat, machine.options(state, seat)[index])


def of_type(found: list[dict[str, Any]], *types: str) -> list[dict[str, Any]]:
    return [event for event in found if event["type"] in types]


def moves(found: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [(e["from"], e["to"], e["pieces"]) for e in of_type(found, "move")]


@pytest.fixture
def sights() -> tuple[Machine, State]:
    """A game of every way of seeing, at its first decision."""
    return begun(compiled(*SIGHTS), 3)


def test_zones_show_what_they_declare(sights):
    """All, owner, others, top, count and nobody, seen by the owner, a rival, and never by an automaton."""
    _, state = sights
    mine, rival = (observation(state, seat)["zones"] for seat in (0, 1))
    assert mine["mine[0]"] == {"count": 1, "pieces": ["ace"]}
    assert rival["mine[0]"] == {"count": 1}
    assert mine["yours[0]"] == {"count": 1}
    assert rival["yours[0]"] == {"count": 1, "pieces": ["two"]}
    assert mine["stack"] == rival["stack"] == {"count": 1, "top": "three"}
    assert mine["deck"] == rival["deck"] == {"count": 2}
    assert mine["home"]["pieces"] == ["robot@0", "robot@1"]
    assert "pit" not in mine
    assert mine["mine[machine]"] == {"count": 0}


def test_variables_show_what_they_declare(sights):
    """Each seat's variables by who may see them; bags by resource, absent values as null."""
    _, state = sights
    mine, rival = (observation(state, seat)["variables"] for seat in (0, 1))
    assert {"bid[0]", "brow[1]", "coins[1]", "shed[0]", "mood_of[1]"} <= set(mine)
    assert not {"bid[1]", "brow[0]", "dark"} & set(mine)
    assert not {"bid[0]", "brow[1]", "dark"} & set(rival)
    assert mine["shed[0]"] == {"nut": 1, "oil": 2}
    assert mine["mood_of[0]"] == "blue"
    assert mine["mood_of[1]"] is None


def test_public_facts(sights):
    """Ruleset, options in words, who is asked, whose seat this is, the turn, and the outcome once over."""
    machine, state = sights
    found = observation(state, 1, current(machine, state))
    assert found["options"] == {"hard": True, "size": 3, "mood": "wild"}
    assert (found["seat"], found["current"], found["turn"], found["over"]) == (1, [0], 1, False)
    assert found["pieces"][0] == {"piece": "robot@0", "zone": "home", "variables": {"load": 3}}
    while step(machine, state, Random(1)):
        pass
    found = observation(state, 1, (), [3, 4])
    assert (found["over"], found["outcome"], found["scores"]) == (True, "scored", [3, 4])
    # The robots stand in the den of seat 0 now, so that a rival does not see what they carry.
    assert found["pieces"] == []
    assert len(observation(state, 0)["pieces"]) == 2


def test_there_is_no_seat_for_an_automaton(sights):
    """Only seats look."""
    _, state = sights
    for seat in (-1, 2, 3):
        with pytest.raises(UsageError):
            observation(state, seat)
        with pytest.raises(UsageError):
            events(state, seat)


def test_moves_are_seen_as_the_better_end(sights):
    """From a face-down deck: to one's own hand, to another's forehead, face up, to where nobody looks."""
    machine, state = sights
    assert moves(events(state, 0))[:4] == [
        ("deck", "mine[0]", ["ace"]),
        ("deck", "yours[0]", [None]),
        ("deck", "stack", ["three"]),
        ("deck", None, [None]),
    ]
    assert [pieces for _, _, pieces in moves(events(state, 1))[:4]] == [[None], ["two"], ["three"], [None]]
    chosen(machine, state, 0, 1)
    # Under the stack, whose top alone is seen.
    assert moves(events(state, 1))[4] == ("deck", "stack", [None])
    assert moves(events(state))[4] == ("deck", "stack", ["five"])


def test_rolls_into_hidden_variables_are_hidden(sights):
    """A roll is public unless it goes straight into a variable that is not; then those who see that see it change."""
    _, state = sights
    assert len(of_type(events(state), "chance")) == 4
    for seat, sees in ((0, "bid[0]"), (1, "brow[0]")):
        found = of_type(events(state, seat), "chance", "set")
        rolled = [event for event in found if event["type"] == "chance"]
        assert len(rolled) == 1
        changed = [event["variable"] for event in found if event["type"] == "set"]
        assert changed == [sees, "coins[0]", "shed[0]", "mood_of[0]"]


def test_a_reveal_is_told_to_those_it_is_for(sights):
    """What is shown is seen by the seats it is shown to."""
    machine, state = sights
    log = state.log
    chosen(machine, state, 0, 0)
    chosen(machine, state, 0, 0)
    (event,) = of_type(events(state, 1), "reveal")
    assert (event["value"], event["seats"]) == ("ace", [0, 1])
    state.log = log.append(("reveal", 0, Type("piece:Card"), 0 + (2 << ZONE_SHIFT), (0,), ()))
    assert of_type(events(state, 0), "reveal")[0]["value"] == "ace"
    (event,) = of_type(events(state, 1), "reveal")
    assert event["value"] is None


def test_choices_hide_pieces_from_hidden_places():
    """A rival's choice from a hand is seen without the card, a secret one not at all; one's own are whole."""
    machine, state = begun(compiled(*PAIRS), 3)
    for index in (0, 1, 0, 0):
        chosen(machine, state, current(machine, state)[0], index if index < len(machine.options(state, 0)) else 0)
    own = [event["arguments"] for event in of_type(events(state, 0), "choice") if event["seat"] == 0]
    assert all(isinstance(value, list) and value[0] for arguments in own for value in arguments.values())
    rival = [event["arguments"] for event in of_type(events(state, 0), "choice") if event["seat"] == 1]
    assert [list(arguments.values()) for arguments in rival] == [[[None]]]
    assert len(of_type(events(state), "choice")) == 4


def test_hands_of_two_are_redacted_by_seat():
    """The deal is told to each seat with its own cards only; no number or gap tells of what went unseen."""
    machine, state = begun(compiled(*PAIRS), 3, explicit=True)
    while (waiting := machine.waiting(state)) and waiting.kind == "chance":
        machine.take_outcome(state, machine.outcomes(state)[0][0])
    for seat in (0, 1):
        found = events(state, seat)
        assert [event["index"] for event in found] == list(range(len(found)))
        assert not of_type(found, "chance")
        seen = [(to, pieces[0] is not None) for _, to, pieces in moves(found)]
        assert seen == [("hand[0]", seat == 0)] * 2 + [("hand[1]", seat == 1)] * 2
    assert events(state, 0)[3:] == events(state, 0, since=3)
    assert events(state)[3:] == events(state, since=3)


def test_every_event_has_its_rule(sights):
    """Each event is JSON and says type, rule, file, line and citations."""
    machine, state = sights
    while step(machine, state, Random(2)):
        pass
    for seat in (None, 0, 1):
        for event in events(state, seat):
            assert set(event) >= {"index", "type", "rule", "file", "line", "cites"}
        json.dumps(events(state, seat))


def test_a_commitment_is_hidden_until_all_are_in():
    """Of a `together` that goes on, all learn who has chosen, only the chooser what."""
    machine, state = begun(conformance("sealed"))
    option = machine.options(state, 0)[2]
    machine.choose(state, 0, option)
    assert known(machine, state, 0)["committed"] == 3
    assert "committed" not in known(machine, state, 1)
    assert [(event["type"], event["seat"]) for event in events(state, 1)][-1] == ("commit", 0)
    chosen(machine, state, 1, 0)
    told = [event for event in events(state, 1) if event["type"] == "choice"]
    assert [list(event["arguments"].values()) for event in told] == [[3], [1]]


LEFT = """\
rulelang: 2
name: left
players: 3
types: {Good: {values: [wood, coal]}}
variables: {goods: {type: bag of Good, per: player, start: 1 wood + 1 coal}}
rules: |
  setup:
    eliminate seat(1)
  play:
    let gifts = together choose 1 of goods
    for p in players: p.goods := gifts[p]
  score goods: count(goods)
"""


def test_who_is_out_commits_to_nothing(tmp_path):
    """Of a `together` of bags, a seat that was eliminated sees nothing of its own; nobody is told of one."""
    (tmp_path / "ruleset.yaml").write_text(LEFT, "utf-8")
    state = rulelang.load(tmp_path).new_game(chance="explicit")
    state.apply(state.legal_actions(0)[1], 0)
    assert [state.information_state(seat).get("committed") for seat in range(3)] == [{"wood": 0, "coal": 1}, None, None]


def test_nothing_is_left_out_for_nobody(sights):
    """Without a seat the events are the whole log, entry by entry."""
    _, state = sights
    assert len(events(state)) == len(state.log)
    assert moves(events(state))[3] == ("deck", "pit", ["four"])


def exchanged(state: State, seat: int, random: Random) -> State | None:
    """The state with two pieces exchanged that lie where the seat does not see them; None if there are no two."""
    sight = sight_of(state.layout, seat)
    found = state.clone()
    hidden = [contents for contents, seen in zip(found.z, sight.zones, strict=True) if seen in (NOTHING, COUNT)]
    lists = [contents for contents in [*hidden, *found.pools] if contents]
    for _ in range(20 if len(lists) > 1 else 0):
        some, others = random.sample(lists, 2)
        i, j = random.randrange(len(some)), random.randrange(len(others))
        a, b = some[i], others[j]
        if min(a, b) >= 0 and a != b and state.layout.item_kind[a] == state.layout.item_kind[b]:
            some[i], others[j] = b, a
            return found
    return None


@pytest.mark.parametrize("name", ["pickpocket", "tricks", "leduc", "kuhn", "peek", "refill"])
def test_unseen_pieces_can_be_exchanged_unnoticed(name: str):
    """At every decision, two unseen pieces that change places change nothing in the seat's observation."""
    compared = 0
    for seed in range(6):
        machine, state = begun(conformance(name), seed)
        random = Random(seed)
        while machine.waiting(state) is not None:
            for seat in (0, 1):
                other = exchanged(state, seat, random)
                if other is not None:
                    compared += 1
                    assert observation(other, seat) == observation(state, seat)
            step(machine, state, random)
    assert compared > 0


def test_being_asked_for_an_answer_tells_nothing():
    """Whatever card the rivals hold, as long as nobody answers a seat sees and is asked the same."""
    stories: dict[tuple[int, str], set[str]] = {}
    for deal in range(times(24)):
        machine, state = begun(conformance("answers"), deal, players=3)
        told: list[list[object]] = [[], [], []]
        while waiting := machine.waiting(state):
            for seat in range(3):
                # Who is told his own options sees them in his hand.
                own = len(machine.options(state, seat)) if seat in waiting.seats else -1
                told[seat].append((known(machine, state, seat), waiting.seats, own))
            machine.choose(state, waiting.seats[0], machine.options(state, waiting.seats[0])[-1])
        for seat, story in enumerate(told):
            card = observation(state, seat)["zones"][f"hand[{seat}]"]["pieces"]
            stories.setdefault((seat, str(card)), set()).add(json.dumps(story))
    assert len(stories) == 3 * 4
    assert {len(found) for found in stories.values()} == {1}


@pytest.mark.parametrize("name", sorted(folder.name for folder in CONFORMANCE.iterdir()))
def test_views_of_every_small_game_are_json(name: str):
    """At every node of a random game every seat's views are JSON, and an observation never grows a seat's own log."""
    program = conformance(name)
    for players in program.players:
        machine, state = begun(program, 2, players, explicit=True)
        random = Random(2)
        going = True
        while going:
            for seat in range(players):
                told = information_state(state, seat, current(machine, state))
                assert json.loads(json.dumps(told)) == told
                assert [event["index"] for event in told["events"]] == list(range(len(told["events"])))
            going = step(machine, state, random)


def test_the_start_of_a_log_is_seen_alike_whatever_follows():
    """What a seat has learnt stays: its events before are a beginning of its events after."""
    machine, state = begun(conformance("pickpocket"), 4, 3)
    random = Random(4)
    before: list[list[dict[str, Any]]] = [[], [], []]
    while step(machine, state, random):
        for seat in range(3):
            found = events(state, seat)
            assert found[: len(before[seat])] == before[seat]
            before[seat] = found
    assert state.log is not EMPTY


def test_asking_about_a_choice_leaves_the_redactor_alone():
    """A choice may be asked about before it is made: the redactor keeps no trace of it."""
    _, state = begun(compiled(*PAIRS))
    redactor = Redactor(sight_of(state.layout, 0))
    for entry in state.log:
        redactor.see(entry)
    other = redactor.copy()
    redactor.see(("choice", 0, 1, 0, 0, ((0,),)))
    assert (redactor.where, redactor.piles) == (other.where, other.piles)
