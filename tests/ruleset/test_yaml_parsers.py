"""libyaml, where it gives a tree at all, gives that of ruamel.yaml: the same values, styles and places."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from rulelang.diagnostics import Diagnostics, Source
from rulelang.ruleset import yaml_reader
from rulelang.ruleset.yaml_reader import _libyaml, _parsed, _ruamel, read_yaml
from tests.fuzz.mutations import mutated
from tests.offenders import of_each
from tests.soak import every, times

ROOT = Path(__file__).resolve().parents[2]
LINES = 40
"""So many of each file are read by ruamel.yaml too, which takes 2 s for all of LDD's."""
FILES = sorted([*ROOT.glob("rulesets/**/*.yaml"), *ROOT.glob("tests/**/rulesets/**/*.yaml")])
SNIPPETS = (
    "a: |\n  x\n   y\n\n  z\n\nb: >-\n  f\n  g\n\n  h\n",
    'a: {b: c, d: [e, f], "g": h, i}\n',
    "- a\n- b:\n  - c\n  -\n  d: e\n",
    "? a\n: b\n? - x\n: - y\n",
    "a: \"x\\n b\n  y\n\n  z\" # c\nb: p\n  q\n\n  r # t\nc: 'c''d'\n",
    '𝕏: "𝕫 𝕫" # 𝕏\nb: é\nc: {𝕏: 𝕐}\n',
    "---\na: b # e\n\n# f\n...\n",
    "a: |2\n    x\n   y\nb: |+\n  z\n\n\nc: >+1\n x\n",
    "a: [b:c, d:, :e, {h: i}:j, ?k, ? l, -m, - n, o?p]\nq: r#s\nt: :u\nv: !w x\ny: &z ~\n",
)
SIGNS = (*" :-?,[]{}#&*!|>'\"%@`\\\n", "\n  ", ": ", "- ", " #", "\n---\n", "\n...\n", "𝕏", ">-\n", '"\n', "\\x0")
DIFFERENT = (
    "a:\n\nb: c\n",
    "a: {b: , c: d}\n",
    "a: b\n...\n...\n",
    "a: >-#\n  b\n",
    'a: ["b":c]\n',
    "a: |\n   \n  b\n",
    "\ud800: a\n",
    "a: \ufeffb\n",
)


def is_read_alike(text: str) -> bool:
    """Whether libyaml finds no fault with a text; then ruamel.yaml must give the same tree."""
    source = Source("x.yaml", text)
    fast = _parsed(source, 5000, _libyaml)
    faultless = fast.root is not None and not fast.findings
    assert not faultless or fast == _parsed(source, 5000, _ruamel), text
    return faultless


@of_each(every(4, FILES))
def test_files_are_read_by_libyaml(path: Path) -> None:
    """All of the repository, with `--soak`, and their first lines alike."""
    text = path.read_text(encoding="utf-8")
    assert _parsed(Source("x.yaml", text), 5000, _libyaml).root is not None
    is_read_alike("\n".join(text.split("\n")[:LINES]))


@of_each(DIFFERENT)
def test_what_libyaml_would_read_otherwise_is_left_to_ruamel(text: str) -> None:
    """Where an empty value stands, what ends a document, headers of blocks."""
    assert _parsed(Source("x.yaml", text), 5000, _libyaml).root is None


def test_mutants_are_read_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever libyaml finds no fault with."""
    monkeypatch.setattr(yaml_reader, "_check_version", lambda *_: None)
    rng, faultless = Random(7), 0
    texts = [path.read_text(encoding="utf-8").split("\n") for path in FILES]
    for _ in range(times(1500)):
        lines = rng.choice(texts)
        first = rng.randrange(len(lines))
        text = rng.choice(("\n".join(lines[first : first + rng.randrange(1, 20)]) + "\n", *SNIPPETS))
        for _ in range(rng.randrange(4)):
            place = rng.randrange(len(text) + 1)
            text = text[:place] + rng.choice(SIGNS) + text[place + rng.randrange(3) :]
        text = mutated(text, rng) if rng.random() < 0.3 else text
        faultless += is_read_alike(text)
    assert faultless > times(200)


@pytest.mark.parametrize("end", ["\r", "\r\r", "\x85", "\u2028", "\x0c", "\ud800"])
def test_ends_of_lines_that_only_some_know_are_refused(end: str) -> None:
    """Wherever it stands, beside whatever mistake, it is a finding with its place: parsers count other lines then."""
    text = "rulelang: 2\nscenarios:\n  - {name: x, given: {players: 2, zones: {t: [a]}}, then: ['true']}\n    do: |\n"
    rng = Random(3)
    for place in range(len(text) + 1):
        broken = text[:place] + end + text[place:]
        for sign in ("", "{", "'", "!x ", ": "):
            at = rng.randrange(len(broken))
            diagnostics = Diagnostics()
            assert read_yaml(Source("a.yaml", broken[:at] + sign + broken[at:]), diagnostics) is None
            assert [finding.code for finding in diagnostics] == ["ruleset-character"]
