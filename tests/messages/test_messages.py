"""Every message has a witness: a wrong text of which a table has the exact words."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path

import pytest

from rulelang.diagnostics import Diagnostic, Diagnostics, Source
from rulelang.ruleset import load_ruleset
from rulelang.ruleset.scenarios import scenarios_of
from rulelang.semantics.check import analyse, lint
from rulelang.syntax import parse_expression, parse_piece_text, parse_rule_file, parse_rule_text, parse_type
from rulelang.syntax.scan import Place
from tests.diagnostics.pages import GOLDEN
from tests.lints.game import Edit
from tests.messages import phrases
from tests.messages.cases import LINTS, NOUNS, PARTS, RULES, SYNTAX
from tests.messages.said import block, unsaid
from tests.messages.texts import ROOT, texts
from tests.offenders import emptied, none, offenders
from tests.semantics.case import Case

WORDS = Path(__file__).with_name("words.txt")
HEAD = "rulelang: 2\nname: t\nplayers: 2..4\n"
PARSERS = {"piece": parse_piece_text, "rules": parse_rule_text, "type": parse_type, "value": parse_expression}
EXACT = ("tests/syntax/test_syntax_errors.py", "tests/syntax/test_recovery.py")
"""Tests that have the words of findings in their own tables."""


def loaded(text: str, folder: Path) -> Diagnostics:
    """What is found in a `ruleset.yaml`."""
    (folder / "ruleset.yaml").write_text(f"{HEAD}{text}\n", encoding="utf-8")
    found = Diagnostics()
    load_ruleset(folder, diagnostics=found)
    return found


def parsed(text: str) -> Diagnostics:
    """What is found in a `.rule` file."""
    found = Diagnostics()
    parse_rule_file(Source("t.rule", f"rulelang 2\n{text}\n"), found)
    return found


def of_part(part: str, text: str) -> Diagnostics:
    """What is found in a text of a YAML file."""
    found = Diagnostics()
    PARSERS[part](Place(Source("t", text)), text, found)
    return found


@pytest.mark.parametrize("code", sorted({*RULES, *LINTS, *NOUNS, *SYNTAX, *PARTS}))
def test_words(code: str, same_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each wrong text gives this code alone, in the words of the table."""
    monkeypatch.setenv("RULELANG_CACHE", "")
    said = []

    def told(found: Iterable[Diagnostic]) -> None:
        findings = list(found)
        said.append(block(findings))
        assert [d.code for d in findings] == [code], said[-1]

    def of_rules(case: Case) -> None:
        told(case.check(emptied(same_folder)))

    def of_lints(edit: Edit) -> None:
        said.append(block(edit.findings(emptied(same_folder))))

    def of_nouns(text: str) -> None:
        told(loaded(text, emptied(same_folder)))

    wrong = offenders(of_rules, RULES.get(code, ())) | offenders(of_nouns, NOUNS.get(code, ()))
    wrong |= offenders(of_lints, LINTS.get(code, ()))
    wrong |= offenders(lambda text: told(parsed(text)), SYNTAX.get(code, ()))
    wrong |= offenders(lambda *part: told(of_part(*part)), PARTS.get(code, ()))
    none(wrong)
    none(unsaid(WORDS, code, said))


def of_top(line: str) -> str:
    return block(parsed(line))


def of_line(line: str) -> str:
    return block(parsed(f"play:\n  {line}"))


def of_declaration(line: str, folder: Path) -> str:
    return block(Case(line.replace("/", "\n")).check(emptied(folder)))


def test_phrases(same_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What people write who come from elsewhere is told in the words of the table."""
    monkeypatch.setenv("RULELANG_CACHE", "")
    none(unsaid(WORDS, "phrases at the top", map(of_top, phrases.TOP)))
    none(unsaid(WORDS, "phrases in a block", map(of_line, phrases.LINES)))
    none(unsaid(WORDS, "phrases in a ruleset", [of_declaration(line, same_folder) for line in phrases.CHECKED]))


BASE = f"{HEAD}kinds: {{Card: {{start: box}}}}\nzones: {{box: {{holds: Card}}}}\npieces: {{Card: [{{id: c1}}]}}\nrules: |\n  play: pass\n"
ROW = "words: {en: {Card: {row: 'card {number}'}}}\n"
FOLDERS: dict[str, tuple[dict[str, str], str, tuple[str, ...], dict[str, int]]] = {
    # name: files, what is loaded, overlays, smaller bounds
    "a long path": ({}, "x" * 5000, (), {}),
    "a file": ({"a.yaml": HEAD}, "a.yaml", (), {}),
    "a file of a ruleset": ({"a/ruleset.yaml": HEAD}, "a/ruleset.yaml", (), {}),
    "an empty folder": ({"a/b/c.txt": ""}, "a", (), {}),
    "a folder of folders": ({"a/b/ruleset.yaml": HEAD}, "a", (), {}),
    "a name that cannot be shown": ({"a/ruleset.yaml": HEAD, "a/\x01.yaml": HEAD}, "a", (), {}),
    "many files": ({"a/ruleset.yaml": HEAD, "a/b.rule": "", "a/c.rule": ""}, "a", (), {"files.FILES": 2}),
    "many words": ({"a/ruleset.yaml": HEAD + f"untold: [{'a, ' * 90}a]\n"}, "a", (), {"files.LEXEMES": 100}),
    "many entries": ({"a/ruleset.yaml": HEAD, "a/b/c.txt": ""}, "a", (), {"files.ENTRIES": 2}),
    "many keys": ({"a/ruleset.yaml": HEAD + "zones:\n" + "  -\n" * 110}, "a", (), dict.fromkeys(("files.YAML_NODES", "yaml_reader.YAML_NODES"), 100)),
    "a folder called as a file": ({"a/ruleset.yaml": HEAD, "a/b.yaml/c": ""}, "a", (), {}),
    "many overlays": ({"a/ruleset.yaml": HEAD, "b/ruleset.yaml": "rulelang: 2\n"}, "a", ("b",) * 2, {"loader.OVERLAYS": 1}),
    "extends elsewhere": ({"a/ruleset.yaml": HEAD, "a/b.yaml": "rulelang: 2\nextends: ../c\n", "c/ruleset.yaml": HEAD}, "a", (), {}),
    "an overlay of another": (
        {"a/ruleset.yaml": HEAD, "c/ruleset.yaml": HEAD, "b/ruleset.yaml": "rulelang: 2\nextends: ../c\n"}, "a", ("b",), {},
    ),
    "many players": ({"a/ruleset.yaml": "rulelang: 2\nname: t\nplayers: 30..40\n"}, "a", (), {}),
    "a long name": ({"a/ruleset.yaml": f"rulelang: 2\nname: {'t' * 70}\nplayers: 2\n"}, "a", (), {}),
    "a row without a number": (
        {"a/ruleset.yaml": BASE + ROW, "b/ruleset.yaml": "rulelang: 2\npieces: {Card: [{id: joker}]}\n"}, "a", ("b",), {},
    ),
    "a name below": (
        {
            "a/ruleset.yaml": BASE.replace("play: pass", "play: r()\n  rule r: pass"),
            "b/ruleset.yaml": "rulelang: 2\nrules: |\n  function rr -> number = 7\n",
        },
        "a", ("b",), {},
    ),
    "a case without a value": (
        {"a/ruleset.yaml": BASE, "a/scenarios/b.yaml": "rulelang: 2\nscenarios:\n  - {name: $zzz, cases: [{a: 1}], then: [\"$a = 1\"]}\n"}, "a", (), {},
    ),
    "a link of scenarios": ({"a/ruleset.yaml": BASE, "a/scenarios": "-> ..", "scenario.yaml": ""}, "a", (), {}),
}  # fmt: skip


@pytest.mark.parametrize("name", FOLDERS)
def test_folders(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that is no ruleset, or too large for one, is refused in the words of the table."""
    files, path, overlays, bounds = FOLDERS[name]
    for file, text in files.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        if text.startswith("-> "):
            (tmp_path / file).symlink_to(text.removeprefix("-> "))
        else:
            (tmp_path / file).write_text(text, encoding="utf-8")
    for bound, value in bounds.items():
        monkeypatch.setattr(f"rulelang.ruleset.{bound}", value)
    monkeypatch.setenv("RULELANG_CACHE", "")
    monkeypatch.chdir(tmp_path)
    found = Diagnostics()
    ruleset = load_ruleset(path, [Path(each) for each in overlays], diagnostics=found)
    if ruleset is not None:
        scenarios_of(ruleset, found)
        if (analysed := analyse(ruleset, found)) is not None:
            lint(analysed, found)
    assert found
    none(unsaid(WORDS, name, [block(found)]))


PARSER, PRINTED, TYPES = (
    "what the YAML library says",
    "a line that is read in the place of a wrong one",
    "types for mypy",
)
NOT_SAID = {
    **dict.fromkeys(
        (
            "mapping values are not allowed", "could not find expected ':'", "while scanning a quoted", "expected <block end>", "expected <block end>, but found '{'", "expected <block end>, but found '-'",
            "expected the node content", "cannot start any token", "expected alphabetic or numeric", "unknown escape character",
            "expected escape sequence", "expected chomping", "more indented follow up", "<document start>", "not allowed here",
            "block end", "mapping values",
        ),
        PARSER,
    ),
    "the first lines of this block are indented more than the rest": "libyaml takes such a block",
    **dict.fromkeys(("rule r :", "else if true :", "if true :", "if true: pass"), PRINTED),
    **dict.fromkeys(("tuple[tuple[str, Span], ...]", "dict[str, str]", "dict[str, Text]", "dict[str, Word]"), TYPES),
    "the ruleset is at fault": "begins an exception with findings",
    "an indented block": "a block that lacks is told in words of its own",
    "at most so many times": "why an option is refused in a game",
    "this came about, though the rule says `never`": "an error of a game",
    **dict.fromkeys(("`…` has no room for all of this", "`…` does not hold all of this"), "an error of a game"),
    "memory of …": "a variable that nobody sees",
    "purse of …": "a type that no value has which a rule names",
    "reaction to …": "a type that no value has which a rule names",
    "whether there is `…`": "the condition is made from maps",
    "this branch": "branches fit the type that they have in common",
}  # fmt: skip
"""Texts that no wrong text brings about, and why."""


def test_every_text_is_seen() -> None:
    """Each text of a message in the source is part of what a table says, word for word."""
    said = [path.read_text(encoding="utf-8") for path in (*GOLDEN.glob("*.txt"), *ROOT.glob("tests/*/words.txt"))]
    for path in EXACT:
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        said += [str(node.value) for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    whole = "\n".join(said)
    lines = set(whole.split("\n"))
    unseen = {text.words: text.place for text in texts() if not text.is_in(whole, lines)}
    new = {words: place for words, place in unseen.items() if words not in NOT_SAID}
    none(new)
    assert NOT_SAID.keys() - unseen.keys() == set()
