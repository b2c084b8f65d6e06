"""What is wrong in a ruleset's YAML is said with a stable code at the right place, all of it in one run."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

import pytest
from ruleset_samples import TINY, Write

from rulelang.diagnostics import Diagnostic, Diagnostics, Source
from rulelang.memory.check import check
from rulelang.ruleset import load_ruleset
from rulelang.ruleset.files import Budget
from rulelang.ruleset.yaml_reader import read_yaml
from tests.messages.said import block, unsaid
from tests.offenders import none, offenders

WORDS = Path(__file__).with_name("words.txt")
HEAD = "rulelang: 2\nname: t\nplayers: 2..4\n"


def findings(path: Path | str, *overlays: Path) -> list[Diagnostic]:
    found = Diagnostics()
    ruleset = load_ruleset(path, overlays, diagnostics=found)
    assert (ruleset is None) == found.has_errors
    return list(found)


def codes(found: list[Diagnostic]) -> list[tuple[str, int, int]]:
    return [(d.code, d.span.line, d.span.column) for d in found]


# What stands after HEAD (so its first line is line 4), the code, and the line and column of the only finding.
WRONG = [
    ("zones:\n  deck: &d {holds: Card}\n", "yaml-anchor", 5, 9),
    ("zones:\n  deck: !!map {holds: Card}\n", "yaml-tag", 5, 9),
    ("zones:\n  deck: {holds: Card}\n  deck: {holds: Card}\n", "yaml-duplicate-key", 6, 3),
    ("zones:\n\tdeck: {holds: Card}\n", "yaml-tab", 5, 1),
    ("zones:\n  deck: {holds: Card\n", "yaml-syntax", 5, 9),
    ("zones:\n  deck: {holds: 'Card}\n", "yaml-syntax", 5, 17),
    ("title: a: b\n", "yaml-syntax", 4, 8),
    ("zones:\n  deck: {holds: Card}\n deck2: {holds: Card}\n", "yaml-syntax", 6, 2),
    ("title: @home\n", "yaml-syntax", 4, 8),
    ("variables:\n  x: {type: 0..9, start: 1234567890123456789}\n", "yaml-number", 5, 26),
    ("variables:\n  x: {type: 0..9, start: 1.5}\n", "yaml-number", 5, 26),
    ("variables:\n  x: {type: 0..9, start: 0x10}\n", "yaml-number", 5, 26),
    ("? [a]\n: b\n", "yaml-key", 4, 3),
    ("---\nname: x\n", "yaml-documents", 4, 1),
    ("zoness:\n  deck: {holds: Card}\n", "schema-unknown-key", 4, 1),
    ("zones:\n  deck: {holds: Card, visable: all}\n", "schema-unknown-key", 5, 23),
    ("zones:\n  deck: {visible: all}\n", "schema-missing", 5, 3),
    ("zones:\n  deck: {holds: Card, visible: ownr}\n", "schema-value", 5, 32),
    ("zones:\n  deck: {holds: 5}\n", "schema-type", 5, 17),
    ("zones:\n  deck: {holds: Card, capacity: [1, 2]}\n", "schema-type", 5, 33),
    ("zones:\n  2nd: {holds: Card}\n", "schema-name", 5, 3),
    ("zones:\n  deck: {holds: a card}\n", "schema-form", 5, 17),
    ("zones:\n", "schema-empty", 4, 1),
    ("zones: []\n", "schema-type", 4, 8),
    ("kinds:\n  Card: {identity: yes}\n", "schema-type", 5, 20),
    ("kinds:\n  Card: {attributes: {count: number}}\n", "schema-name", 5, 23),
    ("kinds:\n  Card: {start: ''}\n", "schema-empty", 5, 17),
    ("types:\n  A: [x, y, x]\n", "schema-duplicate", 5, 13),
    ("types:\n  A: [x, true]\n", "schema-type", 5, 10),
    ("types:\n  A: 5\n", "schema-type", 5, 6),
    ("types:\n  A: {attributes: {n: number}}\n", "schema-missing", 5, 3),
    ("types:\n  A: {values: {x: {m: 1}}, attributes: {n: number}}\n", "ruleset-attribute", 5, 20),
    ("types:\n  A: {between: {5: [[0, 1]]}}\n", "ruleset-players", 5, 17),
    ("teams: {2: [[0, 2]], 3: [], 4: []}\n", "ruleset-seat", 4, 17),
    ("teams: {3: [[0, 2], [2, 1]], 4: []}\n", "ruleset-seat", 4, 9),
    ("automata: {a: {players: [1]}}\n", "ruleset-players", 4, 26),
    ("limits: {decisions: 0}\n", "schema-range", 4, 21),
    ("options: {deck: {default: 3}}\n", "schema-missing", 4, 11),
    ("options: {deck: {values: [1, 2], default: 3}}\n", "ruleset-option", 4, 43),
    ("options: {deck: {values: [1, two], default: 1}}\n", "ruleset-option", 4, 18),
    ("options: {deck: {type: bool, default: 0}}\n", "ruleset-option", 4, 39),
    ("options: {deck: {values: [a], default: a, players: {b: 2}}}\n", "ruleset-option", 4, 53),
    ("options: {deck: {values: [a, b], default: a, players: {a: 9}}}\n", "ruleset-players", 4, 59),
    ("resources: {P: {values: [a]}}\n", "syntax-former", 4, 1),
    ("types: {P: {values: [a, b], classes: {c: [a, x]}}}\n", "ruleset-unknown-name", 4, 46),
    ("grids: {G: {columns: 65, rows: 1}}\n", "schema-range", 4, 22),
    ("grids: {G: {columns: 5}}\n", "schema-missing", 4, 9),
    ("grids:\n  G:\n    map: |\n      ..\n", "schema-missing", 6, 5),
    ("grids:\n  G:\n    legend: {'.': {}}\n    map: |\n      ..\n      .x\n", "ruleset-map", 9, 8),
    ("grids:\n  G:\n    legend: {'.': {}}\n    map: |\n      ..\n      .\n", "ruleset-map", 9, 7),
    ("grids:\n  G:\n    legend: {'.': {}}\n    map: ..\n", "ruleset-map", 7, 10),
    ("grids:\n  G:\n    legend: {'.': {}, '#': none}\n    map: |\n      ##\n", "ruleset-map", 8, 7),
    ("grids:\n  G:\n    edges: {name: E}\n    legend: {'.': {}}\n    map: |\n      .|.\n", "ruleset-map", 9, 8),
    (
        "grids:\n  G:\n    edges: {name: E}\n    legend: {'.': {}}\n    map: |\n      . .\n      . .\n",
        "ruleset-map",
        8,
        10,
    ),
    (
        "grids:\n  G:\n    edges: {name: E, legend: {'|': {wall: 1}}}\n    columns: 2\n    rows: 1\n",
        "ruleset-attribute",
        6,
        37,
    ),
    (
        "options: {o: {values: [x, y], default: x}}\ngrids:\n  G:\n    legend: {'.': {}}\n    map:\n"
        "      o:\n        x: |\n          ..\n",
        "ruleset-map",
        9,
        7,
    ),
    ("grids:\n  G:\n    rows: 2 + 2\n    legend: {'.': {}}\n    map: |\n      ..\n", "ruleset-map", 6, 11),
    ("grids:\n  G:\n    rows: 3\n    legend: {'.': {}}\n    map: |\n      ..\n", "ruleset-map", 6, 11),
    ("pieces:\n  Card:\n    - {count: 3}\n", "schema-missing", 6, 7),
    ("pieces:\n  Card:\n    - {id: a}\n    - {id: a}\n", "ruleset-duplicate", 7, 12),
    ("pieces:\n  Card:\n    - {id: a, per: seat}\n", "schema-value", 6, 20),
    ("pieces:\n  Card:\n    - {id: a, provenance: guessed}\n", "schema-value", 6, 27),
    ("pieces:\n  Card:\n    - {id: a, cites: [page 3]}\n", "schema-form", 6, 23),
    ("pieces:\n  Card:\n    - {id: a, cites: ['x:9-3']}\n", "ruleset-cite", 6, 23),
    ("pieces:\n  Card:\n    - {id: a, count: min(1, 2)}\n", "schema-form", 6, 22),
    ("kinds: {Card: {}}\npieces:\n  Card:\n    - {id: a, cont: 2}\n", "ruleset-attribute", 7, 15),
    ("pieces:\n  Card:\n    - id: a\n      rules: >\n        scores: 1\n", "yaml-several-lines", 7, 14),
    ("pieces:\n  Card:\n    - id: a\n      count: 1 if hard\n        else 2\n", "yaml-several-lines", 7, 14),
    ('pieces:\n  Card:\n    - {id: a, count: "1\\x20"}\n', "yaml-escape", 6, 22),
    ("variables:\n  x: {type: 0..9, start: {a: 1}}\n", "schema-type", 5, 26),
    ("variables:\n  x:\n    start: 3\n", "schema-missing", 5, 3),
    ("marks: {m: }\n", "schema-empty", 4, 9),
    ("words: {english: {a: b}}\n", "schema-name", 4, 9),
    ("words: {de: {a: b}}\n", "ruleset-language", 4, 9),
    ("extends: nowhere\n", "ruleset-extends", 4, 10),
    ("extends: ../../..\n", "ruleset-outside", 4, 10),
    ("extends: .\n", "ruleset-extends", 4, 10),
    ("marks: {m: {remove: true}}\n", "ruleset-remove", 4, 9),
    ("title: a\u202eb\n", "ruleset-character", 4, 9),
]


@pytest.mark.parametrize("code", sorted({row[1] for row in WRONG}))
def test_one_wrong_thing(write: Write, code: str) -> None:
    """Each wrong ruleset has exactly one finding, with this code and place, in these words."""
    said = []

    def refused(text: str, code: str, line: int, column: int) -> None:
        found = findings(write("t/t", {"ruleset.yaml": HEAD + text}))
        said.append(block(found))
        assert codes(found) == [(code, line, column)], "\n".join(f"{d} ({d.hint})" for d in found)

    none(offenders(refused, [row for row in WRONG if row[1] == code]))
    none(unsaid(WORDS, code, said))


WHOLE = [
    (b"", "yaml-empty", 1),
    (b"# nothing\n", "yaml-empty", 1),
    (b"- a\n- b\n", "yaml-root", 1),
    (b"name: t\nplayers: 2\n", "ruleset-version", 1),
    (b"name: t\nplayers: 2\nrulelang: 3\n", "ruleset-version", 3),
    (b"name: t\nplayers: 2\nrulelang: true\n", "ruleset-version", 3),
    (b"rulelang: 2\nplayers: 2\n", "schema-missing", 1),
    (b"rulelang: 2\nname: t\nplayers: 4..2\n", "ruleset-players", 3),
    (b"rulelang: 2\nname: t\nplayers: 2 to 4\n", "schema-form", 3),
    (b"rulelang: 2\nname: t\nplayers: 2\ntitle: caf\xe9\n", "ruleset-encoding", 4),
    (b"rulelang: 2\nname: t\nplayers: 2\ntitle: a\x00b\n", "ruleset-character", 4),
    (b"%YAML 1.1\n---\nrulelang: 1\nname: t\nplayers: 2\n", "yaml-directive", 1),
]


@pytest.mark.parametrize("code", sorted({row[1] for row in WHOLE}))
def test_a_wrong_file(write: Write, code: str) -> None:
    """A file that is wrong from its start has one finding, in these words."""
    said = []

    def refused(text: bytes, code: str, line: int) -> None:
        found = findings(write("t/t", {"ruleset.yaml": text}))
        said.append(block(found))
        assert [(d.code, d.span.line) for d in found] == [(code, line)], "\n".join(map(str, found))

    none(offenders(refused, [row for row in WHOLE if row[1] == code]))
    none(unsaid(WORDS, f"{code} in a whole file", said))


def test_many_faults_in_one_run(write: Write) -> None:
    """Independent faults are all found at once, in all files, whatever stage finds them."""
    files = {
        "ruleset.yaml": HEAD
        + "zones: {deck: {hold: Card}}\noptions: {o: {values: [1], default: 2}}\nlimits: {fuel: no}\n",
        "cards.yaml": "rulelang: 2\npieces:\n  Card:\n    - {id: a, count: [3}\n",
        "more.yaml": "rulelang: 2\npieces:\n  Card:\n    - {id: b, count: 1 \n        2}\n",
    }
    found = findings(write("t/t", files))
    assert [(Path(d.span.path).name, d.code, d.span.line) for d in found] == [
        ("cards.yaml", "yaml-syntax", 4),
        ("more.yaml", "yaml-several-lines", 4),
        ("ruleset.yaml", "schema-unknown-key", 4),
        ("ruleset.yaml", "ruleset-option", 5),
        ("ruleset.yaml", "schema-type", 6),
    ]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("zones: {deck: {holds: C, visable: all}}\n", "`visible`"),
        ("zones: {deck: {holds: C, visible: ownr}}\n", "`owner`"),
        ("kinds: {C: {identity: yes}}\n", "`true`"),
        ("kinds: {C: {}}\npieces: {C: [{id: a, cuont: 3}]}\n", "`count`"),
        ("pieces: {C: [{id: a, count: min(1, 2)}]}\n", '`count: "min(1, 2)"`'),
        ("title: 5\n", "quotes"),
    ],
)
def test_hints(write: Write, text: str, hint: str) -> None:
    """A finding names the nearest right thing."""
    assert any(hint in d.hint for d in findings(write("t/t", {"ruleset.yaml": HEAD + text})))


def test_duplicates_over_files_show_both_places(write: Write) -> None:
    """A name that stands in two files is an error at the second, which shows the first."""
    zone = "zones: {deck: {holds: Card}}\n"
    (found,) = findings(write("t/t", {"ruleset.yaml": HEAD + zone, "b.yaml": "rulelang: 2\n" + zone}))
    assert (found.code, Path(found.span.path).name, found.span.line) == ("ruleset-duplicate", "b.yaml", 2)
    assert (Path(found.related[0][0].path).name, found.related[0][0].line) == ("ruleset.yaml", 4)


def test_a_key_that_another_file_adds_has_no_value(write: Write) -> None:
    """It is told in its own file, whose lines are not those of the section's first one."""
    words = "rulelang: 2" + "\n" * 90 + "words:\n  en:\n    deck:\n"
    ruleset = HEAD + "zones: {deck: {holds: Card}}\nwords: {en: {Card: card}}\n"
    (found,) = findings(write("t/t", {"ruleset.yaml": ruleset, "words.yaml": words}))
    assert (found.code, Path(found.span.path).name, found.span.line) == ("schema-empty", "words.yaml", 93)


def test_missing_folders(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path that leads to no ruleset is a finding, with the nearest shipped name."""
    shipped = write("shipped/tiny", {"ruleset.yaml": TINY}).parent
    monkeypatch.setattr("rulelang.ruleset.files.shipped_rulesets", lambda: shipped)
    assert codes(findings(tmp_path / "absent")) == [("ruleset-not-found", 1, 1)]
    assert "`tiny`" in findings("tyny")[0].hint
    assert codes(findings(shipped)) == [("ruleset-missing-header", 1, 1)]
    assert codes(findings(shipped / "tiny" / "ruleset.yaml")) == [("ruleset-not-found", 1, 1)]


def test_what_may_not_lie_in_a_folder(write: Write, tmp_path: Path) -> None:
    """Python, links that lead out, special files and misnamed files are refused."""
    secret = tmp_path / "secret.yaml"
    secret.write_text("rulelang: 2\n")
    folder = write("t/t", {"ruleset.yaml": HEAD, "sub/x.py": "", "b.yml": "", "real.rule": "rulelang 2\n"})
    (folder / "link.yaml").symlink_to(secret)
    (folder / "inside.rule").symlink_to(folder / "real.rule")
    os.mkfifo(folder / "pipe.yaml")
    assert sorted((d.code, Path(d.span.path).name) for d in findings(folder)) == [
        ("ruleset-file", "b.yml"),
        ("ruleset-file", "pipe.yaml"),
        ("ruleset-link", "link.yaml"),
        ("ruleset-python", "x.py"),
    ]


def test_a_base_may_not_lie_outside(write: Write, tmp_path: Path) -> None:
    """Neither a path nor a link leads `extends` out of the folder that the variant lies in."""
    outside = write("elsewhere/tiny", {"ruleset.yaml": TINY})
    for base in (str(outside), "../../elsewhere/tiny", "../link"):
        folder = write("root/v", {"ruleset.yaml": f"rulelang: 2\nextends: {base}\n"})
        link = tmp_path / "root" / "link"
        if not link.exists():
            link.symlink_to(outside)
        assert "ruleset-outside" in [d.code for d in findings(folder)]


def test_what_a_variant_lacks_may_stand_in_a_base_that_can_not_be_read(write: Write) -> None:
    """So it is not said."""
    changed = "rulelang: 2\nextends: tiny\nname: other\nvariables: {coins: {start: 5}}\n"
    write("tiny", {"ruleset.yaml": HEAD + "[["})
    variant = write("tiny/variants/other", {"ruleset.yaml": changed})
    assert [d.code for d in findings(variant)] == ["yaml-syntax"]


def test_circles_and_foreign_overlays(write: Write) -> None:
    """A ruleset that extends itself by way of another, and an overlay of another ruleset, are refused."""
    base = write("r/a", {"ruleset.yaml": HEAD + "extends: b\n"})
    over = write("r/b", {"ruleset.yaml": "rulelang: 2\nextends: a\n"})
    assert [d.code for d in findings(base)] == ["ruleset-extends"]
    other = write("r/c", {"ruleset.yaml": HEAD})
    write("r/a", {"ruleset.yaml": HEAD})
    assert [d.code for d in findings(other, over)] == ["ruleset-extends"]


def test_removing_what_is_not_there(write: Write) -> None:
    """An overlay can remove only what is there; the nearest name is suggested."""
    base = write("r/tiny", {"ruleset.yaml": TINY})
    rows = "zones: {dek: {remove: true}}\npieces: {Card: [{id: smit, remove: true}]}\n"
    found = findings(base, write("r/v", {"ruleset.yaml": "rulelang: 2\n" + rows}))
    assert [(d.code, d.hint) for d in found] == [
        ("ruleset-remove", "did you mean `deck`?"),
        ("ruleset-remove", "did you mean `smith`?"),
    ]


def bomb() -> str:
    levels = [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10) if n else 'x'}]\n" for n in range(40)]
    return "".join(levels)


HOSTILE = [
    (bomb(), "yaml-anchor"),
    ("zones: " + "[" * 9_900, "yaml-depth"),
    ("zones: " + "{a: " * 2_400, "yaml-depth"),
    ("zones:\n" + "".join(f"{' ' * n}a:\n" for n in range(1, 1_000)), "yaml-depth"),
    ("zones:\n" + "- " * 4_900 + "\n", "yaml-depth"),
    ("zones: [" + "\n" * 10 + "[\n" * 10_000, "yaml-depth"),
    ("zones: " + "9" * 1_000_000 + "\n", "ruleset-long-line"),
    ("zones: " + "9" * 9_900 + "\n", "yaml-number"),
    ("zones:\n" + "  9999999999\n" * 20_000, "schema-type"),
    ("a" * (4 * 1024 * 1024 + 1), "ruleset-size"),
    ("".join(f"k{n}: &a x\n" for n in range(210_000)), "ruleset-size"),
    ("zones: [" + "a, " * 3_000 + "a]\n", "schema-type"),
    ("".join(f"k{n}: x\n" for n in range(3_000)), "schema-too-many"),
    ('title: "\\UFFFFFFFF"\n', "yaml-syntax"),
]


@pytest.mark.parametrize(("text", "code"), HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_files_are_refused_at_once(write: Write, text: str, code: str) -> None:
    """Aliases that multiply, deep nesting, huge numbers, lines and files are refused in less than two seconds."""
    folder = write("t/t", {"ruleset.yaml": HEAD + text})
    start = time.process_time()
    found = findings(folder)
    assert time.process_time() - start < 2
    assert code in [d.code for d in found], found[:3]


def test_keys_and_values_are_counted() -> None:
    """Of all files together; past the bound nothing is read."""
    found, budget = Diagnostics(), Budget(nodes=40)
    assert read_yaml(Source("a", HEAD + "zones: {}\n"), found, budget) is not None
    assert read_yaml(Source("b", HEAD + "zones:\n" + "  -\n" * 30), found, budget) is None
    assert [d.code for d in found] == ["yaml-too-many"]


def test_damaged_files_never_raise(write: Write) -> None:
    """Whatever is changed in a good file, loading it ends with findings or a ruleset, never with an exception."""
    rng = random.Random(2)
    marks = "{}[]:,&*!|>'\"%@`#?- \n0a\u00e9"
    for _ in range(60):
        text = list(TINY)
        for _ in range(rng.randint(1, 4)):
            place = rng.randrange(len(text))
            text[place : place + rng.choice((0, 1, 1, 5))] = rng.choice(marks) * rng.choice((0, 1, 1, 2))
        findings(write("t/t", {"ruleset.yaml": "".join(text)}))


ENDING = """\
rulelang: 2
name: t
players: 2
kinds:
  Card: {start: row, active: [row]}
zones:
  row: {holds: Card, visible: all}
pieces:
  Card:
    - id: a
      rules: |
        scores: 1
rules: |
  play:
    pass
"""


def test_texts_that_end_early_never_raise(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever a file ends, a whole check ends with findings or without: also behind the `|` of rules."""
    monkeypatch.setenv("RULELANG_CACHE", "")
    lines = ENDING.split("\n")
    texts = ["\n".join(lines[:count]) + end for count in range(len(lines) + 1) for end in ("", "\n", "\n\n  ")]
    for text in texts + [ENDING[:at] for at in range(0, len(ENDING), 9)]:
        check(str(write("t/t", {"ruleset.yaml": text})), (), remembering=False)
