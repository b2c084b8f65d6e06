"""Saves, records and scripts that nobody vouches for; what an illegal action leaves behind."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from rulelang.diagnostics import IllegalAction, RuleError, RulesetError, SaveError
from rulelang.game import State, load
from rulelang.record import Record, read_record, replay
from rulelang.runtime import serial
from rulelang.runtime.canonical import live_slots
from tests.fuzz.mutations import mutate_document
from tests.shipped import shipped

from .sandbox import rulelang_in

RULESETS = Path(__file__).resolve().parents[1] / "conformance" / "rulesets"
NAMES = ["reco", *(str(RULESETS / name) for name in ("push", "raids", "payments", "bazaar", "connect", "reactions"))]
Document = dict[str, Any]


def begun(name: str, random: Random, chance: str = "sampled") -> State:
    """A game some steps on."""
    ruleset = shipped(name)
    state = ruleset.new_game(random.choice(ruleset.players), random.randrange(99), chance=chance)
    for _ in range(random.randrange(12)):
        if not state.is_terminal():
            state.apply(random.choice(state.legal_actions()))
    return state


@pytest.mark.parametrize("name", NAMES, ids=lambda name: Path(name).name)
def test_a_changed_save_is_refused_or_the_same(name: str) -> None:
    """Whatever is changed, in the values or in the bytes, is found out: hash and digest cover all of it."""
    random = Random(Path(name).name)
    for _ in range(15):
        state = begun(name, random)
        text = state.to_json()
        document = json.loads(text)
        mutate_document(document, random)
        data = bytearray(text.encode())
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
        for changed in (
            json.dumps(document),
            data.decode("utf-8", "surrogateescape"),
            text[: random.randrange(len(text))],
        ):
            try:
                again = state.ruleset.state_from_json(changed)
            except SaveError:
                continue
            assert again.to_json() == text


@pytest.mark.parametrize("name", NAMES, ids=lambda name: Path(name).name)
def test_a_forged_save_is_refused_or_playable(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even with hash and digest forged: what is loaded can be looked at and goes on to an end or a RuleError."""
    random = Random(Path(name).name)
    monkeypatch.setattr(serial, "state_hash", lambda state: "forged")
    monkeypatch.setattr(serial, "_sum", lambda pieces: list(pieces) and "forged")
    loaded = 0
    for number in range(30):
        state = begun(name, random, "explicit" if number % 3 == 0 else "sampled")
        document = json.loads(state.to_json())
        for _ in range(random.choice((1, 1, 2))):
            mutate_document(document, random)
        document["hash"] = document["digest"] = "forged"
        try:
            again = state.ruleset.state_from_json(json.dumps(document))
        except SaveError:
            continue
        loaded += 1
        look(again)
        try:
            for _ in range(60):
                if not again.is_terminal():
                    again.apply(random.choice(again.legal_actions()))
        except RuleError:
            pass
    assert loaded


SHAPES = """\
rulelang: 2
name: shapes
players: 2
grids: {Field: {columns: 3, rows: 1}}
types: {Colour: [red, green], Good: {values: [wood, coal, iron]}, Coin: {values: [gold, tin]}}
kinds: {Card: {attributes: {colour: Colour}, start: deck}}
pieces: {Card: [{id: a, count: 2, colour: red}, {id: b, count: 2, colour: green}]}
zones: {deck: {holds: Card, visible: all}}
variables:
  goods: {type: bag of Good, per: player, start: 2 wood + 2 coal, visible: all}
  purse: {type: bag of Coin, per: player, start: 1 gold + 1 tin, visible: all}
  points: {type: 0..99, visible: all}
rules: |
  play:
    let gifts = together choose 1 of goods
    for p in players:
      turn of p:
        pay 1 any Coin from purse: points += 1
        else: pass
        for g in deck grouped by colour:
          let way = choose one of orthogonal
          act(g.key, goods, 1 any Good + 1 wood, lines(Field, 2), way)
        points += count(gifts[p])
  rule act(c: Colour, b: bag of Good, k: cost of Good, rows: list of list of Field, way: Direction?):
    choose:
      see: points += count(b) + count(k) + count(rows)
      skip when c = red and way is not none: pass
  score points: points
"""
"""At `act` values of all sorts wait."""


def waiting_in_act(folder: Path) -> State:
    """The game of SHAPES at the first choice of `act`."""
    (folder / "ruleset.yaml").write_text(SHAPES, "utf-8")
    state = load(folder).new_game(seed=1)
    for action in ("play:gifts=wood", "play:gifts=coal", "play:pay=tin", "play:way=north"):
        state.apply(action)
    assert state.decision(0).rule == "act"  # type: ignore[union-attr]
    return state


WRONG: dict[str, tuple[object, ...]] = {
    "you": (-1, 2, [0], None),
    "c": (-1, 2, "red", [0]),
    "b": ([2, 2], [2, 2, 0, 0], [2, -1, 0], [[2], 2, 0], 0, -1),
    "k": (
        [[1, 0, 0]],
        [[1, 0], [[1, 7, 0]]],
        [[1, 0, 0], [[1, 8, 0]]],
        [[1, 0, 0], [[1, 7]]],
        [[1, 0, 0], [1, 7, 0]],
        1,
    ),
    "rows": ([0, 1], [[0, 3]], [[[0, 1]]], 0, [0, [1]]),
    "way": (-2, 8, [0]),
    "elements": ([[2, [0, 0]]], [["red"]], [[[0], [0]]], [0], 0, [[99]], [[-2]], [None]),
    "gifts": ([[1, 0, 0]], [[1, 0, 0], -1], [[1, 0, 0], 0], [[1, 0, 0], None], [[1, 0, 0], [0, 1]], 0),
}
"""Values that these locals can't have; `elements`: the groups of cards by colour."""


@pytest.mark.parametrize("name", WRONG)
def test_a_value_of_another_shape_is_refused(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bags, costs, groups, sets in sets, absent values, values of seats: each is read by its type, to the last part."""
    state = waiting_in_act(tmp_path)
    monkeypatch.setattr(serial, "_sum", lambda pieces: list(pieces) and "forged")
    monkeypatch.setattr(serial, "state_hash", lambda state: "forged")
    document = json.loads(state.to_json()) | {"hash": "forged", "digest": "forged"}
    state.ruleset.state_from_json(json.dumps(document))
    found = [
        (depth, slot)
        for depth, frame in enumerate(document["frames"])
        for slot in live_slots(state.engine[1], depth)
        if state.ruleset.program.procedures[frame[0]].local_names[slot] == name
    ]
    depth, slot = found[-1]
    for wrong in WRONG[name]:
        document["frames"][depth][2][slot] = wrong
        with pytest.raises(SaveError, match=f"local {name} of|a seat's value is missing"):
            state.ruleset.state_from_json(json.dumps(document))


@pytest.mark.parametrize("paid", [[1], [1, 0, 0], [-1, 0], [[1, 0]], 1])
def test_a_payment_of_another_shape_is_refused(paid: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A payment on record is a bag of its resource for each purse."""
    state = waiting_in_act(tmp_path)
    monkeypatch.setattr(serial, "_sum", lambda pieces: list(pieces) and "forged")
    document = json.loads(state.to_json()) | {"digest": "forged"}
    (entry,) = [entry for entry in document["log"] if entry[0] == "choice" and entry[-1] == [[0, 1]]]
    entry[-1] = [paid]
    with pytest.raises(SaveError, match=f"entry {document['log'].index(entry)} of the log"):
        state.ruleset.state_from_json(json.dumps(document))


def look(state: State) -> None:
    """All views of a state."""
    for seat in range(state.players):
        state.observation(seat)
        state.information_state(seat)
        state.events(seat)
        state.refusals(seat)
    state.events(None)


@pytest.mark.parametrize("name", NAMES, ids=lambda name: Path(name).name)
def test_an_illegal_action_changes_nothing(name: str) -> None:
    """Hash, JSON and log are as they were, and the message says what is missing."""
    random = Random(Path(name).name)
    state = begun(name, random)
    before = state.hash(), state.to_json(), state.events(None)
    seats = [None, *range(state.players)]
    for action in ("", "x", "\ud800", "a:b=c", "\0", "9" * 5000, "pass ", "*"):
        for seat in seats:
            with pytest.raises(IllegalAction) as caught:
                state.apply(action, seat)
            assert str(caught.value)
    assert (state.hash(), state.to_json(), state.events(None)) == before


DEEP = "[" * 100_000
DIGITS = "9" * 1_000_000
TEXTS: dict[str, tuple[bytes | Callable[[], bytes], str]] = {
    "empty": (b"", "not JSON"),
    "deep": (DEEP.encode(), "not JSON|deep|an object"),
    "digits": (b'{"rulelang_record": 1, "seed": ' + DIGITS.encode() + b"}", "not JSON|digits|too large"),
    "a list": (b"[]", "object"),
    "lists": (lambda: b"[" + b"[]," * 1_350_000 + b"[]]", "object"),
    "objects": (lambda: b'{"rulelang_record": 1, "steps": [' + b'{"":{}},' * 500_000 + b"{}]}", "chance"),
    "too long": (lambda: b"[" + b"[]," * 20_000_000 + b"[]]", "must be an object"),
    "another thing": (b'{"rulelang_record": 2}', "no record"),
    "no UTF-8": (b"\xff\xfe", "not UTF-8"),
    "zeros": (b"\0" * 1000, "not JSON"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_hostile_record(name: str, tmp_path: Path) -> None:
    """A file that is no record is refused by `replay`, saying why."""
    data, says = TEXTS[name]
    folder = tmp_path / "r"
    folder.mkdir()
    (folder / "game.json").write_bytes(data() if callable(data) else data)
    found = rulelang_in(folder, "replay", "game.json")
    assert found.problems() == [], found.said[:2000]
    assert found.status == 1
    assert "game.json" in found.err
    assert any(part in found.err for part in says.split("|")), found.said[:2000]
    found = rulelang_in(folder, "play", "--load", "game.json")
    assert (found.problems(), found.status) == ([], 1), found.said[:2000]
    assert "game.json" in found.err


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "line 1 of the script is not JSON"),
        (DEEP, "line 1 of the script is nested too deep"),
        ('{"seat": ' + DIGITS + ', "id": "x"}', "line 1 of the script has what no document has"),
        ("[]", "line 1 of the script must read"),
        ('{"seat": 9, "id": "x"}', "line 1 of the script: there is no seat 9"),
        ('{"seat": true, "id": "x"}', "line 1 of the script must read"),
        ('{"seat": 0, "id": 3}', "line 1 of the script must read"),
        ('{"seat": 0, "id": "nothing like it"}', "line 1 of the script: `nothing like it` is not offered"),
        ('{"seat": 0, "id": "x"}\n' * 180_000, "line 100001 of the script is one too many"),
        ("\n" * 4_000_000, "line 100001 of the script is one too many"),
        ("\ud800", "not UTF-8 at byte 0"),
        (" " * 9_000_000, "larger than 4 MiB"),
    ],
    ids=range(12),
)
def test_hostile_script(line: str, says: str, tmp_path: Path) -> None:
    """A line that is no choice is refused by `play`, with the name of the file and the number of the line."""
    folder = tmp_path / "s"
    folder.mkdir()
    (folder / "game.jsonl").write_bytes((line + "\n").encode("utf-8", "surrogatepass"))
    found = rulelang_in(folder, "play", str(RULESETS / "push"), "--script", "game.jsonl")
    assert found.problems() == [], found.said[:2000]
    assert found.status == 1, found.said[:2000]
    assert says in found.err
    assert "game.jsonl" in found.err or "not offered" in says


def recorded() -> Document:
    """A short game on record."""
    random = Random(1)
    state = load(str(RULESETS / "leduc")).new_game(seed=5)
    record = Record.of(state, 5)
    while not state.is_terminal():
        action = random.choice(state.legal_actions())
        assert action.seat is not None
        state.apply(action)
        record.add(action.seat, action.id, state)
    found: Document = json.loads(record.to_json())
    return found


def test_changed_records_are_refused_or_play() -> None:
    """A record with one thing changed is refused, or its game goes as it says; nothing else comes of it."""
    random = Random(2)
    whole = json.dumps(recorded())
    refused = 0
    for _ in range(300):
        document = json.loads(whole)
        mutate_document(document, random)
        try:
            for _ in replay(read_record(json.dumps(document))):
                pass
        except (SaveError, RulesetError):
            refused += 1
    assert refused > 150


EDITS: dict[str, tuple[Callable[[Document], object], str]] = {
    "a seat of no number": (lambda d: d["steps"][1].update(seat="0"), "`steps` 2: `seat` must be a whole number"),
    "a step of no object": (lambda d: d["steps"].insert(2, 7), "`steps` 3 must be an object"),
    "a step left out": (lambda d: d["steps"].pop(0), "step 1|after step"),
    "a step twice": (lambda d: d["steps"].insert(0, d["steps"][0]), "step 2|after step"),
    "another seed": (lambda d: d.update(seed=6), "hash|step"),
    "another score": (lambda d: d.update(scores=[9] * len(d["scores"])), "scores"),
    "another ruleset": (lambda d: d["ruleset"].update(hash="0"), "version"),
    "players of no number": (lambda d: d.update(players="2"), "players"),
    "too many players": (lambda d: d.update(players=10**9), "players"),
    "an unknown option": (lambda d: d.update(options={"x": 1}), "option"),
    "overlays of no text": (lambda d: d["ruleset"].update(overlays=[1]), "overlays"),
}


@pytest.mark.parametrize("name", EDITS)
def test_a_wrong_record_is_refused_with_its_reason(name: str) -> None:
    """Each says what does not fit."""
    document = recorded()
    edit, says = EDITS[name]
    edit(document)
    with pytest.raises(SaveError) as caught:
        for _ in replay(read_record(json.dumps(document))):
            pass
    assert any(part in str(caught.value) for part in says.split("|")), caught.value
