"""A fault in the YAML is told alone: nothing is said of what is missing by it, and other mistakes are still told."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rulelang.syntax.words import RESERVED_VALUES
from tests.diagnostics_trial.mistakes import ROOT
from tests.diagnostics_trial.test_trial import findings
from tests.reference import YAML
from tests.soak import times

LDD = ROOT / "rulesets" / "ldd"
EXAMPLES = [
    text
    for text in YAML
    if text.startswith("rulelang: 2")
    and re.search(r"\nname: (with_pieces|menus|money|boards|cards_with_rules)\n", text)
]
KEY = re.compile(r"(?<=[ {\n])(\w{4,})(?=: )")
VALUE = re.compile(r"(?<=: )([^,{}\[\]\n|]+)")
FAULTY = ("schema-", "ruleset-attribute")


def told(folder: Path, text: str) -> list[str]:
    """The lines of the findings, each with code and words, for a ruleset of one file."""
    (folder / "ruleset.yaml").write_text(text, encoding="utf-8")
    return [f"{d.span.line}: {d.code} {d.message}" for d in findings(folder)]


def spoiled(text: str) -> list[tuple[int, str]]:
    """Each text that comes of swapping two letters of a key of the YAML, or of a mapping in the place of a value; with
    the line of the slip."""
    head = text[: text.index("\nrules: |")]
    found = []
    for match in KEY.finditer(head):
        key = match[1]
        found.append((match, f"{key[:2]}{key[3]}{key[2]}{key[4:]}"))
    found += [(match, "{oops: 1}") for match in VALUE.finditer(head) if match[1].strip()]
    return [(text.count("\n", 0, m.start()) + 1, text[: m.start()] + new + text[m.end() :]) for m, new in found]


def test_a_fault_of_the_schema_stands_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of fifty slips in five rulesets each that the schema knows is told on its line and nowhere else; but for that
    nothing says whose a piece is, or where it may lie."""
    monkeypatch.setenv("RULELANG_CACHE", "")  # nobody reads them a second time
    cascades = []
    slips = [slip for text in EXAMPLES for slip in spoiled(text)[:: 6 if times(1) == 1 else 1]]
    for line, text in slips:
        found = told(tmp_path, text)
        if any(one.startswith(f"{line}: ") and one.split()[1].startswith(FAULTY) for one in found) and len(found) > 1:
            cascades.append((text.split("\n")[line - 1], found))
    assert len(slips) > 40
    assert [row for row, _ in cascades if not re.search(r"(per|id|holds): \{oops", row)] == []


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        pytest.param(
            "    active: [repaired]\n", "    activ: [repaired]\n", "schema-unknown-key", marks=pytest.mark.soak
        ),
        ("      stored: {type: bag of Part", "      stored: {typ: bag of Part", "schema-unknown-key"),
        ("[season1, season2, season3]", "[season1, season 2, season3]", "schema-form"),
        ("{values: [nut, oil, circuit, energy]", "{values: [nut, oil, circuit, 7]", "schema-type"),
    ],
)
def test_a_fault_in_a_large_ruleset(tmp_path: Path, old: str, new: str, code: str) -> None:
    """A kind keeps what is right in it, and a value that is lost is missed in none of the hundred rows that name it."""
    for path in LDD.glob("*.*"):
        text = path.read_text(encoding="utf-8")
        if path.name == "ruleset.yaml":
            assert text.count(old) == 1
            text = text.replace(old, new)
        (tmp_path / path.name).write_text(text, encoding="utf-8")
    assert [(d.code, Path(d.span.path).name) for d in findings(tmp_path)] == [(code, "ruleset.yaml")]


def test_other_mistakes_are_still_told(tmp_path: Path) -> None:
    """In the rest of the faulty row, in its section, in its pieces, and in rules that use what is misspelt."""
    text = """\
rulelang: 2
name: stall
players: 2
kinds:
  Card: {atributes: {value: 1..3, colour: Colr}, start: deck}
pieces:
  Card:
    - {id: one, value: 1, colour: red, cuont: 2}
zones:
  deck: {holds: Card, ordr: pile, visible: count, refill: bin}
  hand: {holds: Card, per: player}
types: {Colour: [red, blue]}
rules: |
  play:
    shuffle dek
    draw 1 from deck to hand
  score cards: sum(hand.value) + hand
"""
    found = told(tmp_path, text)
    assert [one.split()[:2] for one in found] == [
        ["5:", "schema-unknown-key"],
        ["8:", "ruleset-attribute"],
        ["10:", "schema-unknown-key"],
    ]
    mended = told(tmp_path, text.replace("cuont", "count"))
    assert [one.split()[:2] for one in mended] == [
        ["5:", "schema-unknown-key"],
        ["5:", "type-unknown"],
        ["10:", "schema-unknown-key"],
        ["10:", "zone-refill"],
        ["15:", "name-unknown"],
        ["16:", "you-missing"],
        ["17:", "type-mismatch"],
    ]


SLIPS = [
    # what is looked for, what stands in its place
    (r"holds: (\w+)", r"holds: \1s"),
    (r"\{id: (\w+)", r"{id: \1-x"),
    (r"\{id: (\w+)", r"{id:\1"),
    (r"\{id: (\w+)", r"{name: \1"),
    (r"\n(zones|kinds|variables|types):\n  (\w+):", r"\n\1:\n  - \2:"),
]


@pytest.mark.parametrize(("pattern", "new"), SLIPS, ids=[new for _, new in SLIPS])
def test_a_row_that_is_refused_stands_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pattern: str, new: str
) -> None:
    """A kind that is called otherwise, a row without its id, a section as a list: told where it stands, and nothing is
    said of what lacks by it, least of all of a type that nobody has written."""
    monkeypatch.setenv("RULELANG_CACHE", "")
    slips = [(text, match) for text in EXAMPLES for match in [*re.finditer(pattern, text)][:2]]
    told_of = {}
    for text, match in slips:
        spoilt = text[: match.start()] + match.expand(new) + text[match.end() :]
        found = [one for one in told(tmp_path, spoilt) if " of ?" in one or "warning" not in one]
        if len(found) != 1:
            told_of[match[0]] = found
    assert len(slips) >= 4
    assert told_of == {}


def test_a_reserved_value_is_told_once(tmp_path: Path) -> None:
    """Where it is declared; not where rows and starts use it. What YAML reads as no name is told by the schema."""
    wrong = {}
    for word in sorted(RESERVED_VALUES - {"true", "false", "none"}):
        text = f"""\
rulelang: 2
name: dishes
players: 2
types: {{Dish: [soup, {word}]}}
kinds: {{Card: {{attributes: {{dish: Dish}}, start: deck}}}}
pieces: {{Card: [{{id: "card{{dish}}", each: {{dish: Dish}}, count: 8}}]}}
zones: {{deck: {{holds: Card}}}}
variables: {{wanted: {{type: Dish, start: {word}}}}}
rules: |
  play: wanted := soup
"""
        found = told(tmp_path, text)
        if len(found) != 1 or not found[0].startswith("4: name-reserved"):
            wrong[word] = found
    assert wrong == {}
