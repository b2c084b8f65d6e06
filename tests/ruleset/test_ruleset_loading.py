"""What a good ruleset becomes, and where its texts stand."""

from __future__ import annotations

from pathlib import Path

import pytest
from ruleset_samples import TINY, Write

from rulelang.diagnostics import Diagnostics
from rulelang.ruleset import Text, WrittenRuleset, load_ruleset
from rulelang.ruleset.model import Word


def load(path: Path | str, *overlays: Path) -> WrittenRuleset:
    found = Diagnostics()
    ruleset = load_ruleset(path, overlays, diagnostics=found)
    assert ruleset is not None, "\n".join(f"{d} ({d.hint})" for d in found)
    assert not len(found)
    return ruleset


@pytest.fixture
def tiny(write: Write) -> WrittenRuleset:
    return load(write("tiny", {"ruleset.yaml": TINY, "b.rule": "rulelang 2\n", "a.rule": "rulelang 2\n"}))


def at(text: Text | None) -> str:
    """The characters of the file at the text's span."""
    assert text is not None
    span = text.span
    assert span.source is not None
    return span.source.lines[span.line - 1][span.column - 1 : span.end_column - 1]


def line_of(text: str) -> int:
    """The line of `TINY` that holds a text."""
    return next(n for n, line in enumerate(TINY.split("\n"), 1) if text in line)


def test_header(tiny: WrittenRuleset) -> None:
    """Header fields arrive with their defaults."""
    assert (tiny.name, tiny.title, tiny.players) == ("tiny", {"en": "Tiny", "fr": "Petit"}, (2, 3, 4))
    assert (tiny.limits.decisions, tiny.limits.outcome, tiny.limits.fuel) == (500, "scores", 1_000_000)
    assert tiny.teams == {4: ((0, 2), (1, 3))}
    assert tiny.automata[0].players == (2, 3)
    assert tiny.words == {"en": {"red1": Word("a red can")}}
    assert [(Path(f.source.path).name, f.layer) for f in tiny.rule_files] == [("a.rule", 0), ("b.rule", 0)]


def test_options(tiny: WrittenRuleset) -> None:
    """An option's values are numbers, truth values or words."""
    assert [(o.name, o.kind, o.values, o.default) for o in tiny.options] == [
        ("deck", "number", (88, 100), 88),
        ("hard", "bool", (False, True), False),
        ("variant", "word", ("base", "quick"), "base"),
    ]
    cite = tiny.options[0].cites[0]
    assert (cite.source, cite.first, cite.last, cite.span.line) == ("tiny-en", 3, 3, line_of("deck: {values"))


def test_types(tiny: WrittenRuleset) -> None:
    """Types are lists, mappings with attributes, or lie between seats."""
    colour, family, side, front = tiny.types
    assert [v.name for v in colour.values] == ["red", "blue"]
    assert family.attributes[0].type.text == "number"
    assert family.values[0].attributes["worth"].text == "2"
    assert side.between == "neighbours"
    assert front.between == {2: ((0, 1),), 3: (), 4: ((0, 2), (1, 3))}
    assert tiny.resources[0].classes == {"base": ("nut", "oil")}


def test_grids(tiny: WrittenRuleset) -> None:
    """Cells are named from the top left; after column z comes aa; a map gives each cell its attributes and place."""
    plain, square = tiny.grids
    assert (plain.cells[0].name, plain.cells[27].name, plain.cells[28].name) == ("a1", "ab1", "a2")
    assert (square.columns.text, square.rows.text, square.adjacency) == ("3", "2", "all")
    assert [(c.name, c.attributes["terrain"].text) for c in square.cells[2:5]] == [
        ("c1", "river"),
        ("a2", "land"),
        ("b2", "river"),
    ]
    assert (square.cells[4].span.line, square.cells[4].span.column) == (line_of(".~~"), 8)


def test_pieces(tiny: WrittenRuleset) -> None:
    """Rows carry counts, attributes and rule text as DSL text, numbers included."""
    red1, red2, smith, robot = tiny.pieces
    assert red1.count == Text("19", red1.count.span)
    assert {k: v.text for k, v in red1.attributes.items()} == {
        "colour": "red",
        "value": "1",
        "cost": "2 nut",
        "families": "[water, market]",
    }
    assert red2.count.text == "3 if deck = 88 else 4"
    assert (smith.count.text, smith.provenance, smith.cites[0].last) == ("1", "invented", 14)
    assert robot.per_player
    assert robot.words == {"en": Word("a robot")}
    card = tiny.kinds[0]
    assert (card.variables[0].start or card.variables[0].type).text == "0"
    assert (card.marks[0].name, card.active[0][0], card.start and card.start.text) == ("disabled", "tableau", "deck")


def test_zones_and_variables(tiny: WrittenRuleset) -> None:
    """`per` is one name or several; capacities are texts."""
    deck, discard, held = tiny.zones
    assert (deck.order, deck.visible, deck.refill, discard.visible) == ("pile", "count", "discard", "all")
    assert (held.per, held.capacity and held.capacity.text) == (("player", "Colour"), "3")
    coins, shed, target = tiny.variables
    assert (coins.per, coins.type.text, coins.start and coins.start.text) == (("player",), "0..99", "5")
    assert {k: v.text for k, v in shed.capacity.items()} == {"each": "3", "total": "10"}
    assert target.type.text == "Robot?"


def test_places_of_texts(tiny: WrittenRuleset) -> None:
    """A text's span covers its characters, without quotes; a block's starts at its first line's first character."""
    red1, red2, smith, _ = tiny.pieces
    assert at(red2.count) == red2.count.text
    assert at(red1.attributes["cost"]) == "2 nut"
    assert at(red1.attributes["families"]) == "[water, market]"
    assert at(tiny.variables[2].type) == "Robot?"
    rules = smith.rules
    assert rules is not None
    assert rules.text == "scores: 2 * count(tableau where it.colour = red)\nscores: 1\n"
    assert (rules.span.line, rules.span.column, rules.indent, rules.span.end_line) == (
        line_of("scores: 2"),
        9,
        8,
        line_of("scores: 1"),
    )


def test_a_shipped_name_and_other_files(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name finds a shipped ruleset; sections may stand in several files; lexicons and scenarios are not read."""
    folder = write(
        "tiny",
        {
            "ruleset.yaml": TINY,
            "more.yaml": "rulelang: 2\npieces: {Card: [{id: more}]}\nwords: {en: {more: more}}\n",
            "lexicon.en.yaml": "anything: [",
            "scenarios/a.yaml": "anything: [",
        },
    )
    monkeypatch.setattr("rulelang.ruleset.files.shipped_rulesets", lambda: folder.parent)
    ruleset = load(Path("tiny"))
    assert ruleset.pieces[3].id == "more"
    assert ruleset.words["en"] == {"red1": Word("a red can"), "more": Word("more")}


def test_hash_is_of_the_content(write: Write) -> None:
    """The hash ignores line endings, a byte order mark and the folder's name, and follows every file and overlay."""
    first = load(write("a", {"ruleset.yaml": TINY, "x.rule": "rulelang 2\n"})).hash
    windows = b"\xef\xbb\xbf" + TINY.replace("\n", "\r\n").encode()
    assert load(write("b", {"ruleset.yaml": windows, "x.rule": "rulelang 2\r\n"})).hash == first
    assert load(write("c", {"ruleset.yaml": TINY, "x.rule": "rulelang 2\n\n"})).hash != first
    over = write("over", {"ruleset.yaml": "rulelang: 2\n"})
    assert load(write("a", {}) or Path(), over).hash != first


def test_a_warm_load_needs_neither_schema_library(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found valid once is not validated again."""
    folder = write("tiny", {"ruleset.yaml": TINY})
    load(folder)
    monkeypatch.setitem(__import__("sys").modules, "jsonschema", None)
    load(folder)


def variant(text: str) -> dict[str, str | bytes]:
    return {"ruleset.yaml": "rulelang: 2\nextends: tiny\n" + text, "v.rule": "rulelang 2\n"}


def test_a_variant_replaces_adds_and_removes(write: Write) -> None:
    """A variant's rows change their base's key by key; `remove` takes away; what is new is added."""
    write("tiny", {"ruleset.yaml": TINY, "t.rule": "rulelang 2\n"})
    changes = """\
name: changed
players: 2
teams: {remove: true}
options: {deck: {default: 100}, hard: {remove: true}}
types: {Front: {remove: true}}
automata: {machine: {players: [2]}}
pieces:
  Card:
    - {id: red1, count: 20}
    - {id: smith, remove: true}
    - {id: blue1, colour: blue, value: 1}
"""
    ruleset = load(write("variant", variant(changes)))
    assert (ruleset.name, ruleset.players, ruleset.title["en"]) == ("changed", (2,), "Tiny")
    assert [(o.name, o.default) for o in ruleset.options] == [("deck", 100), ("variant", "base")]
    assert [(p.id, p.count.text) for p in ruleset.pieces] == [
        ("red1", "20"),
        ("red2", "3 if deck = 88 else 4"),
        ("blue1", "1"),
        ("robot", "1"),
    ]
    assert [(Path(f.source.path).name, f.layer) for f in ruleset.rule_files] == [("t.rule", 0), ("v.rule", 1)]


def test_overlays_stack(write: Write) -> None:
    """Of two overlays the upper one counts where it extends the lower; each changes only what it names."""
    base = write("tiny", {"ruleset.yaml": TINY})
    one = write("one", variant("variables: {coins: {start: 6}}\n"))
    two = write("two", {"ruleset.yaml": "rulelang: 2\nextends: one\nvariables: {coins: {start: 7}}\n"})
    coins = load(base, one, two).variables[0]
    assert (coins.start and coins.start.text, coins.type.text) == ("7", "0..99")
    starts = [[v.start and v.start.text for v in loaded.variables] for loaded in (load(base, one), load(one))]
    assert starts[0] == starts[1]


def test_a_relative_base(write: Write) -> None:
    """`extends` may be a relative folder beside the variant's own."""
    write("deep/tiny", {"ruleset.yaml": TINY})
    assert load(write("deep/v", {"ruleset.yaml": "rulelang: 2\nextends: ../tiny\nname: v\n"})).name == "v"


def test_a_local_base_comes_before_a_shipped_one(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on the command line; a variant that is itself called like the shipped one extends that, not itself."""
    local = write("reco", {"ruleset.yaml": TINY.replace("name: tiny", "name: local")})
    variant = write("v", {"ruleset.yaml": "rulelang: 2\nextends: reco\n"})
    monkeypatch.chdir(local.parent)
    assert load(Path("reco")).name == load(variant).name == "local"
    found = Diagnostics()
    assert load_ruleset("reco/hand_of_six", diagnostics=found) is None  # a local game hides the shipped variants too
    assert [d.code for d in found] == ["ruleset-not-found"]
    inner = write("other/reco", {"ruleset.yaml": "rulelang: 2\nextends: reco\nname: mine\n"})
    assert load(inner).kinds[0].name == "Garbage"
