"""Rows of pieces that are written together: what each of them is, and what is said of a group that is none."""

from __future__ import annotations

from pathlib import Path

import pytest

import rulelang
from rulelang.diagnostics import Diagnostics
from rulelang.ruleset.loader import load_ruleset
from tests.messages.said import block, unsaid
from tests.offenders import none

WORDS = Path(__file__).with_name("words.txt")
HEAD = """\
rulelang: 2
name: deck
players: 2
types: {Suit: [clubs, hearts], Height: {values: {low: {of: 1}, high: {of: 2}}, attributes: {of: number}}}
kinds:
  Card:
    attributes: {suit: Suit, rank: -9..14, points: 0..50}
    defaults: {points: 1, provenance: card}
    start: deck
zones: {deck: {holds: Card, order: pile}}
rules: |
  play: pass
  score all: sum(c.points + c.rank for c in deck where c.suit = hearts)
pieces:
  Card:
"""


def rows_of(folder: Path, rows: str, head: str = HEAD) -> list[tuple[str, dict[str, str], str]]:
    """Of each row its id, the texts of its attributes and its provenance."""
    (folder / "ruleset.yaml").write_text(head + rows, encoding="utf-8")
    told = Diagnostics()
    found = load_ruleset(folder, diagnostics=told)
    assert found is not None, list(told)
    return [(row.id, {k: v.text for k, v in row.attributes.items()}, row.provenance) for row in found.pieces]


def faults_of(folder: Path, rows: str) -> list[tuple[str, int, str]]:
    """Code, row and words of what is found; the whole of it stands in the table."""
    (folder / "ruleset.yaml").write_text(HEAD + rows, encoding="utf-8")
    told = Diagnostics()
    load_ruleset(folder, diagnostics=told)
    none(unsaid(WORDS, f"groups: {' '.join(rows.split())}", [block(told)]))
    return [(found.code, found.span.line - HEAD.count("\n"), found.message) for found in told]


def test_a_row_for_all_combinations(tmp_path: Path) -> None:
    """The first name changes last; a list, a range and a type are values; the kind's defaults hold."""
    found = rows_of(tmp_path, '    - {each: {suit: Suit, rank: 2..4}, id: "{suit}_{rank}"}\n')
    assert [row[0] for row in found] == ["clubs_2", "clubs_3", "clubs_4", "hearts_2", "hearts_3", "hearts_4"]
    assert found[4] == ("hearts_3", {"suit": "hearts", "rank": "3", "points": "1"}, "card")
    found = rows_of(tmp_path, '    - {each: {suit: [hearts], rank: [-2, 10]}, id: "{suit}_{rank}", points: 5}\n')
    assert [row[0] for row in found] == ["hearts_minus_2", "hearts_10"]
    assert [row[1]["points"] for row in found] == ["5", "5"]


def test_a_table(tmp_path: Path) -> None:
    """Lists are read by the columns, keys with values as they are; what stands beside `rows` holds unless a row says
    otherwise; rows come one after the other, once for each combination."""
    rows = """\
    - each: {suit: Suit}
      id: "{suit}_{rank}"
      points: 7
      columns: [rank, provenance]
      rows:
        - [2, invented]
        - {rank: 3, points: 8}
    - {id: joker, suit: hearts, rank: 14}
"""
    assert rows_of(tmp_path, rows) == [
        ("clubs_2", {"suit": "clubs", "rank": "2", "points": "7"}, "invented"),
        ("clubs_3", {"suit": "clubs", "rank": "3", "points": "8"}, "card"),
        ("hearts_2", {"suit": "hearts", "rank": "2", "points": "7"}, "invented"),
        ("hearts_3", {"suit": "hearts", "rank": "3", "points": "8"}, "card"),
        ("joker", {"suit": "hearts", "rank": "14", "points": "1"}, "card"),
    ]


def test_attributes_name_those_declared_before(tmp_path: Path) -> None:
    """An attribute and a count may be worked out from the row's: 10 + 2 hearts of 2, 1 of 3, each worth its rank more.

    By hand: hearts_2 has 2 copies of 2 points and rank 2, hearts_3 one of 13 points and rank 3: 2 * 4 + 16 = 24.
    """
    rows = """\
    - each: {suit: Suit, rank: 2..3}
      id: "{suit}_{rank}"
      points: 13 if suit = hearts and rank = 3 else rank
      count: 4 - rank
"""
    rows_of(tmp_path, rows)
    state = rulelang.load(tmp_path).new_game(players=2, seed=1)
    assert state.scores() == [24, 24]


def test_an_overlay_changes_one_of_them(tmp_path: Path) -> None:
    """A row of a group is a row like others to whoever builds on it; a group of an overlay may name types below."""
    rows_of(tmp_path, '    - {each: {suit: Suit, rank: 2..3}, id: "{suit}_{rank}"}\n')
    over = tmp_path / "variants" / "more"
    over.mkdir(parents=True)
    rows = """\
    - {id: clubs_2, points: 9}
    - {id: clubs_3, remove: true}
    - {each: {suit: Suit}, id: "{suit}_ace", rank: 14}
"""
    text = f"rulelang: 2\nextends: ../..\npieces:\n  Card:\n{rows}"
    (over / "ruleset.yaml").write_text(text, encoding="utf-8")
    found = load_ruleset(over, diagnostics=Diagnostics())
    assert found is not None
    ids = {row.id: row.attributes["points"].text for row in found.pieces}
    assert ids == {"clubs_2": "9", "hearts_2": "1", "hearts_3": "1", "clubs_ace": "1", "hearts_ace": "1"}


@pytest.mark.parametrize(
    ("rows", "line", "said"),
    [
        ("    - {each: {suit: Siut}, id: a}\n", 1, "`Siut` is no type with values"),
        ("    - {each: {rank: 3}, id: a}\n", 1, "`3` is no type with values"),
        ("    - {each: Suit, id: a}\n", 1, "`each` holds names"),
        ('    - {each: {suit: Suit}, id: "{siut}_a", rank: 2}\n', 1, "the row says nothing for `siut`"),
        ("    - {columns: [id, suit], rows: [[a, clubs, 3]]}\n", 1, "this row has 3 values; `columns` names id, suit"),
        ("    - {rows: [[a]]}\n", 1, "this row has 1 value; `columns` names nothing"),
        ("    - rows:\n        - a\n", 2, "a row is a list of values, or keys with values"),
        (
            '    - {each: {rank: 0..9, points: 0..9999}, suit: clubs, id: "a{rank}_{points}"}\n',
            1,
            "more than 20000 rows",
        ),
    ],
)
def test_faulty_groups(tmp_path: Path, rows: str, line: int, said: str) -> None:
    """One finding says what is wrong, where it is."""
    found = [fault for fault in faults_of(tmp_path, rows) if fault[0] == "ruleset-rows"]
    assert {fault[1] for fault in found} == {line}
    assert said in found[0][2]


def test_equal_ids(tmp_path: Path) -> None:
    """An id that leaves something out stands for several rows."""
    found = faults_of(tmp_path, '    - {each: {suit: Suit, rank: 2..3}, id: "{suit}"}\n')
    assert [fault[0] for fault in found] == ["ruleset-duplicate", "ruleset-duplicate"]
    found = faults_of(tmp_path, '    - {each: {suit: Suit, rank: 2..3}, id: "{siut}"}\n')
    assert [fault[0] for fault in found] == ["ruleset-rows"]
