"""States as JSON, and what damaged texts get."""

from __future__ import annotations

import cProfile
import json
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

import pytest

from rulelang import documents, limits
from rulelang.diagnostics import RuleError, SaveError
from rulelang.runtime import log, serial
from rulelang.runtime.canonical import state_hash
from rulelang.runtime.serial import state_from_json, to_json
from rulelang.runtime.state import State
from rulelang.runtime.views import events, information_state
from tests.soak import times

from .games import CONFORMANCE, PAIRS, SIGHTS, TOKENS, begun, compiled, conformance, step

Document = dict[str, Any]


def restored(state: State) -> State:
    return state_from_json(state.layout.program, to_json(state), lambda program, players, options: state.layout)


@pytest.mark.parametrize("explicit", [False, True], ids=["sampled", "explicit"])
@pytest.mark.parametrize("name", sorted(folder.name for folder in CONFORMANCE.iterdir()))
def test_every_node_of_every_small_game_is_restored(name: str, explicit: bool):
    """At every node the loaded state writes the same document, has the same hash, and goes on the same way."""
    program = conformance(name)
    for players in program.players:
        machine, state = begun(program, 3, players, explicit)
        random = Random(3)
        going = True
        while going:
            again = restored(state)
            assert to_json(again) == to_json(state)
            assert state_hash(again) == state_hash(state)
            seed = random.random()
            going = step(machine, state, Random(seed))
            assert step(machine, again, Random(seed)) == going
            assert to_json(again) == to_json(state)


def test_options_are_written_in_words():
    """The document says what it is of in readable words, and loads without a layout at hand."""
    _, state = begun(compiled(*SIGHTS), 3)
    document = json.loads(to_json(state))
    assert document["rulelang_state"] == 2
    assert document["ruleset"]["name"] == "sights"
    assert document["options"] == {"hard": True, "size": 3, "mood": "wild"}
    again = state_from_json(state.layout.program, json.dumps(document, indent=2))
    assert again.layout is not state.layout
    assert to_json(again) == to_json(state)


def put(*path: Any) -> Callable[[Document], None]:
    """Writes the last of the path at the place that the rest names."""

    def damage(document: Document) -> None:
        *steps, last, value = path
        place: Any = document
        for part in steps:
            place = place[part]
        place[last] = value

    return damage


def drop(key: str) -> Callable[[Document], None]:
    return lambda document: document.pop(key)


def swap_pool(document: Document) -> None:
    document["pools"][0] = document["pools"][0][:1] * 2


# The game: two seats with two cards each, all known to the machine; seat 0 is asked.
DAMAGE: dict[str, tuple[Callable[[Document], None], str]] = {
    "a missing key": (drop("zones"), "lacks `zones`"),
    "a key too many": (put("more", 1), "`more`"),
    "another version": (put("rulelang_state", 1), "another version"),
    "a version of no type": (put("rulelang_state", "1"), "whole number"),
    "another ir": (put("ir", 99), "another version"),
    "another ruleset": (put("ruleset", "hash", "0"), "not one of this version"),
    "a ruleset that is a list": (put("ruleset", []), "object"),
    "players it is not for": (put("players", 7), "not for 7 players"),
    "players of no number": (put("players", 10**30), "too large"),
    "an option too many": (put("options", "x", 1), "`x`"),
    "options as a list": (put("options", []), "object"),
    "over beyond the table": (put("over", 4), "from 0 to 3"),
    "over without an end": (put("over", 1), "either over or waits"),
    "no frames": (put("frames", []), "either over or waits"),
    "winners without a seat": (put("winners", 8), "from 0 to 3"),
    "a truth value for a number": (put("turns", True), "whole number"),
    "a number for a truth value": (put("explicit", 1), "true or false"),
    "negative decisions": (put("decisions", -1), "from 0"),
    "a short generator": (put("rng", "ff"), "hex digits"),
    "a generator of no text": (put("rng", 5), "hex digits"),
    "a zone too few": (put("zones", []), "elements"),
    "a zone of no list": (put("zones", 1, 3), "must be a list"),
    "a piece that is none": (put("zones", 1, 0, 99), "from"),
    "a piece of a pool that is none": (put("zones", 1, 0, -99), "from"),
    "a piece twice": (put("zones", 1, 0, 1), "instead of 1"),
    "a piece lost": (put("zones", 1, [0]), "instead of 1"),
    "a bag out of order": (lambda document: document["zones"][1].reverse(), "not sorted"),
    "a pool without members": (put("pools", [[0, 1]]), "a pool has 0 members"),
    "a pool of alike pieces": (put("pools", [[2, 2]]), "a pool has 0 members"),
    "a pool of no list": (put("pools", ["x"]), "must be a list"),
    "a frame of no list": (put("frames", 0, 1), "must be a list"),
    "a procedure that is none": (put("frames", 0, 0, 99), "a procedure"),
    "a block that does not wait": (put("frames", -1, 1, 0), "does not wait"),
    "a block that is none": (put("frames", -1, 1, 999), "a block"),
    "a frame that nobody called": (
        lambda document: document["frames"].insert(0, document["frames"][0]),
        "does not wait for",
    ),
    "too many frames": (lambda document: document["frames"].extend(document["frames"] * 99), "more rules"),
    "a slot out of nothing": (put("frames", 0, 3, 1), "nothing waits"),
    "locals too few": (put("frames", -1, 2, []), "elements"),
    "a dead local": (lambda document: kill(document), "no longer needed"),
    "a log of no list": (put("log", {}), "must be a list"),
    "a log entry of no sort": (put("log", 0, ["boo", 0]), "no known sort"),
    "a log entry of a wrong shape": (put("log", 0, ["move", 0]), "elements"),
    "a log entry with a wrong site": (put("log", 0, ["shuffle", 10**6, 0]), "from -1"),
    "a log entry with a wrong zone": (put("log", 0, ["shuffle", 0, 99]), "from 0"),
    "a log entry that is a number": (put("log", 0, 7), "must be a list"),
    "a log where none is kept": (put("logging", False), "nothing is logged"),
    "another hash": (put("hash", "0" * 32), "hash"),
    "another state": (put("deferred", 1), "hash"),
    "a hash of no text": (put("hash", []), "hash"),
    "another generator": (put("rng", "0" * 16), "digest"),
    "another count of turns": (put("turns", 7), "digest"),
    "a shorter log": (lambda document: document["log"].pop(), "digest"),
    "a digest of no text": (put("digest", None), "digest"),
    "more decisions than a game has": (put("decisions", 10**9), "decisions must be"),
}


def kill(document: Document) -> None:
    values = document["frames"][-1][2]
    values[:] = [5 if value == 0 else value for value in values]


def dealt() -> State:
    """Pairs at its first decision; all four cards are dealt and known to the machine."""
    _, state = begun(compiled(*PAIRS), 3)
    assert [len(contents) for contents in state.z] == [0, 2, 2, 0, 0, 0]
    return state


@pytest.mark.parametrize("case", DAMAGE)
def test_damage_is_refused_with_its_reason(case: str):
    """Each broken rule of saves is a SaveError that says which."""
    state = dealt()
    document = json.loads(to_json(state))
    damage, message = DAMAGE[case]
    damage(document)
    with pytest.raises(SaveError, match=message.replace("(", r"\(")):
        state_from_json(state.layout.program, json.dumps(document))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[]", "must be an object"),
        ("3", "must be an object"),
        ("[" * 100_000, "deep|not JSON|object"),
        ('{"a":' * 50_000 + "1" + "}" * 50_000, "deep"),
        ('{"rulelang_state": ' + "9" * 5000 + "}", "not JSON|another|number"),
        ('{"rulelang_state": 1.0}', "no whole number"),
        ('{"rulelang_state": NaN}', "no number"),
        ('{"a": 1, "a": 1}', "twice"),
        ("\ud800", "not JSON"),
    ],
)
def test_texts_that_are_no_documents(text: str, message: str):
    """Text that is no JSON, too deep, of huge numbers or fractions is a SaveError too."""
    with pytest.raises(SaveError, match=message):
        state_from_json(compiled(*PAIRS), text)


def test_pools_must_be_open():
    """A pool holds at least two distinct pieces, in order, one for each member."""
    _, state = begun(compiled(*PAIRS), 3, explicit=True)
    program = state.layout.program
    for items, message in ([0, 1, 2], "4 members"), ([0, 1, 3, 2], "not sorted"), ([2, 2, 2, 2], "known"):
        document = json.loads(to_json(state))
        document["pools"] = [items]
        with pytest.raises(SaveError, match=message):
            state_from_json(program, json.dumps(document))


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    if isinstance(value, dict):
        for key, part in value.items():
            found += places(part, (*path, key))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            found += places(part, (*path, index))
    return found


JUNK: tuple[object, ...] = (
    None,
    True,
    -1,
    0,
    1,
    3,
    10**40,
    -(10**40),
    "",
    "x",
    [],
    {},
    [[]],
    [0, 0],
    [None],
    1 << 62,
    2**32 + 1,
)


OWN = {"pairs": PAIRS, "sights": SIGHTS, "tokens": TOKENS}
DAMAGED = [*OWN, "reactions", "sealed", "payments", "leduc", "raids"]


def damaged(document: Document, random: Random) -> None:
    for _ in range(random.choice((1, 1, 2))):
        put(*random.choice(places(document)), random.choice(JUNK))(document)


@pytest.mark.parametrize("name", DAMAGED)
def test_random_damage_never_gives_another_error(name: str):
    """Whatever stands anywhere in a document: it loads to a state of the same hash, or it is a SaveError."""
    program = compiled(*OWN[name]) if name in OWN else conformance(name)
    machine, state = begun(program, 1, program.players[0])
    random = Random(name)
    refused = 0
    for number in range(times(160)):
        if number % 16 == 15:
            step(machine, state, random)
        document = json.loads(to_json(state))
        damaged(document, random)
        try:
            again = state_from_json(program, json.dumps(document), lambda p, n, options: state.layout)
        except SaveError:
            refused += 1
        else:
            assert state_hash(again) == document["hash"]
    assert refused > times(40)


@pytest.mark.parametrize("name", DAMAGED)
def test_what_is_loaded_can_be_looked_at(name: str, monkeypatch: pytest.MonkeyPatch):
    """A forged document, whose hash fits, is either refused or a state that all views and the writer can read."""
    program = compiled(*OWN[name]) if name in OWN else conformance(name)
    machine, state = begun(program, 2, program.players[0])
    random = Random(name)
    monkeypatch.setattr(serial, "state_hash", lambda forged: "forged")
    monkeypatch.setattr(serial, "_sum", lambda pieces: list(pieces) and "forged")
    loaded = 0
    for number in range(times(160)):
        if number % 16 == 15:
            step(machine, state, random)
        document = json.loads(to_json(state))
        damaged(document, random)
        document["hash"] = document["digest"] = "forged"
        try:
            again = state_from_json(program, json.dumps(document), lambda p, n, options: state.layout)
        except SaveError:
            continue
        loaded += 1
        to_json(again)
        state_hash(again)
        events(again)
        for seat in range(program.players[0]):
            json.dumps(information_state(again, seat))
            json.dumps(events(again, seat))
    assert loaded > 0


# ---- long games and many pieces


LONG = (
    "rulelang: 2\nname: long\nplayers: 1\nvariables: {n: {type: 0..1}}\nlimits: {decisions: 2000000}",
    "rulelang 2\nplay:\n  turn of seat(0):\n    while n < 2: n := choose a number from 0 to 1\n",
)


def long_game(decisions: int) -> State:
    """A state of a game after so many decisions, each of which left two entries in the log."""
    machine, state = begun(compiled(*LONG), 1, 1)
    for _ in range(decisions):
        machine.choose(state, 0, machine.options(state, 0)[state.decisions % 2])
    return state


def test_what_is_written_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """A log may be as long as the game that its ruleset declares; only the rest of a state has a fixed bound."""
    state = long_game(times(2000))
    text = to_json(state)
    monkeypatch.setattr(documents, "STATE_BYTES", 4000)
    assert len(text) > 40_000
    again = state_from_json(state.layout.program, text)
    assert to_json(again) == text
    assert list(again.log) == list(state.log)
    monkeypatch.setattr(documents, "STATE_BYTES", 60)
    with pytest.raises(SaveError, match="longer than"):
        state_from_json(state.layout.program, text)
    longest = len(max(map(json.dumps, json.loads(text)["log"]), key=len))
    assert longest * log.most_events(2_000_000) < serial.most_bytes(state.layout.program)


def test_a_log_grows_with_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is full after the events of one decision without end, not after many decisions; a host's bound is for all."""
    monkeypatch.setattr(log, "EVENTS", 50)
    before = limits.use(limits.Limits(events=50))
    try:
        state = long_game(200)
        assert (state.decisions, state.log.size > 150) == (200, True)
        for number in range(50 + limits.EVENTS_OF_DECISION * 200 - state.log.size):
            assert state.log.size + number
            state.log = state.log.append(("end", -1, 1, 1), 200)
        with pytest.raises(log.LogFullError):
            state.log.append(("end", -1, 1, 1), 200)
        limits.use(limits.Limits(events=49))
        with pytest.raises(RuleError, match="49 events"):
            long_game(200)
    finally:
        limits.use(before)


def calls(work: Callable[[], object]) -> int:
    """How many functions work calls, and how many elements it loops over in generators."""
    profile = cProfile.Profile()
    profile.runcall(work)
    return sum(entry.callcount for entry in profile.getstats())


def test_many_copies_take_linear_time() -> None:
    """Twice as many pieces in a shuffled pile take twice as many steps to read."""
    steps = []
    for copies in (500, 1000):
        program = compiled(
            "rulelang: 2\nname: copies\nplayers: 1\nkinds: {Card: {start: pile}}\n"
            f"pieces: {{Card: [{{id: a, count: {copies}}}, {{id: b, count: {copies}}}]}}\n"
            "zones: {pile: {holds: Card, order: pile, visible: nobody}}",
            "rulelang 2\nsetup:\n  shuffle pile\nplay:\n  turn of seat(0):\n    choose:\n      go: pass\n",
        )
        _, state = begun(program, 1, 1)
        assert len(state.pools[0]) == 2 * copies
        text = to_json(state)
        steps.append(calls(partial(state_from_json, program, text)))
    assert steps[1] < 2.2 * steps[0], steps


@pytest.mark.parametrize("blank", ["", " ", "\n\t "])
@pytest.mark.parametrize("where", ["first", "last", "between"])
def test_long_lists_stand_anywhere(where: str, blank: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the order of keys, the blanks and the length of elements, a document is read as one piece would be."""
    monkeypatch.setattr(documents, "WINDOW", 7)
    rest = {"a": [1, {"b": [2]}], "c": "]},[", "d": -12345678901}
    rows = [[], [1, 2], "x" * 50, {"y": []}, 12345678, "]", None]
    place = {"first": 0, "last": 3, "between": 1}[where]
    keys = list(rest)
    whole = {key: rows if key == "long" else rest[key] for key in [*keys[:place], "long", *keys[place:]]}
    text = json.dumps(whole, separators=(f"{blank},{blank}", f"{blank}:{blank}"))
    text = f"{blank}{text[0]}{blank}{text[1:-1]}{blank}{text[-1]}{blank}"
    parts = documents.LongObject(text, "it", "long", 10_000, exact=True)
    assert (parts.rest, list(parts.elements())) == (rest | {"long": []}, rows)
    for cut in range(len(text.rstrip())):
        with pytest.raises(SaveError):
            documents.LongObject(text[:cut], "it", "long", 10_000, exact=True)


@pytest.mark.parametrize(
    "text",
    [
        '{"long":[1,]}', '{"long":[,1]}', '{"long":[1 2]}', '{"long":[1],}', '{,"long":[1]}', '{"long":[1]}x',
        '{"long":[1}', '{"long":[1],"long":[2]}', '{"a":1,"a":2}', '{"long":[{"a":1,"a":2}]}', '{"long":[1.5]}',
        '{"long":[NaN]}', '{"long":["\\ud800"]}', '{"long":[' + "9" * 30 + "]}", '{"long":[' + "[" * 100_000 + "]}",
        "[]", "1", '{"long" [1]}', "{1:2}", '{"long":["' + "x" * (5 << 20) + '"]}',
    ],
    ids=range(20),
)  # fmt: skip
def test_long_objects_that_are_none(text: str) -> None:
    """What json refuses, and what no document has, is a SaveError wherever it stands."""
    with pytest.raises(SaveError):
        list(documents.LongObject(text, "it", "long", 1 << 24, exact=True).elements())
