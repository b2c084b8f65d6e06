"""Every clause of a rule is in its sentence: without the clause the sentence is another one.

All declarations are looked at with `--soak`, else every 24th of each ruleset.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from rulelang.diagnostics import Diagnostics
from rulelang.prose import RuleWriter, declarations, wording
from rulelang.prose.context import ProseContext
from rulelang.prose.sorts import Nouns
from rulelang.prose.writer import declarations_of
from rulelang.ruleset.loader import load_ruleset
from rulelang.ruleset.model import WrittenRuleset
from rulelang.ruleset.sentences import Fragment
from rulelang.syntax import ast, print_node
from tests.prose.clauses import Cut, cuts
from tests.prose.test_all_texts import FOLDERS, ROOT
from tests.shipped import written
from tests.soak import times

Ruled = tuple[str, ast.Declaration]
"""A declaration, with the kind of the piece whose text it is in, or empty."""
EXAMPLES = [
    text
    for page in sorted((ROOT / "docs").rglob("*.md"))
    if page.parent.name != "diagnostics"  # half of them are wrong
    for text in re.findall(r"^```yaml\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    if re.search(r"^rulelang: 2$", text, re.M) and "\nname: " in text and "\nextends: " not in text
]
STEP = 1 if times(1) > 1 else 24
"""Every so many declarations are looked at."""


def ruled(ruleset: WrittenRuleset, nouns: Nouns) -> list[Ruled]:
    """All declarations of a ruleset."""
    of_pieces = [(row.kind, declared) for row in ruleset.pieces for declared in declarations_of(row)]
    return of_pieces + [("", declared) for declared in nouns.declarations]


def is_silent(cut: Cut, writer: RuleWriter) -> bool:
    """Whether it is right that a sentence does not tell a clause."""
    match cut:
        case Cut(node=ast.Let() | ast.Assign(), field="leave", part=ast.Never()):
            return True  # a claim: it never comes to that
        case Cut(node=ast.Menu(), field="otherwise", part=ast.Block(statements=(ast.Pass() | ast.Never(),))):
            return True  # where nothing can be done, nothing is done
        case Cut(node=ast.Call(function=function), field="arguments"):
            # The ruleset's own words name those arguments that they want; those of the language are no clauses.
            return function.text not in writer._at.nouns.procedures or bool(
                wording.sentence_parts(writer._at, function.text)
            )
    return False


def untold(ruleset: WrittenRuleset, step: int, only: type[ast.Declaration] = ast.Declaration) -> Iterator[str]:
    """The clauses that the sentences of every `step`-th declaration of a class do not tell."""
    nouns = Nouns(ruleset)
    chosen = [one for one in ruled(ruleset, nouns) if isinstance(one[1], only)][::step]
    for lang in ("en", "fr"):
        writer = RuleWriter(ruleset, lang, nouns=nouns)
        for kind, declared in chosen:
            said = writer.declaration(declared, kind)
            for cut in cuts(declared):
                if not is_silent(cut, writer) and writer.declaration(cut.rest, kind) == said:
                    yield f"{type(cut.node).__name__}.{cut.field} is not told: {said} <- {print_node(declared)}"


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda f: f.relative_to(ROOT).as_posix())
def test_rulesets(folder: Path) -> None:
    """Shipped rulesets and those of the tests."""
    assert list(untold(written(folder), STEP)) == []


def test_examples_of_the_docs(tmp_path: Path) -> None:
    """The whole rulesets of all pages."""
    found = []
    for number, text in enumerate(EXAMPLES):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "ruleset.yaml").write_text(text, encoding="utf-8")
        ruleset = load_ruleset(folder, diagnostics=Diagnostics())
        found += list(untold(ruleset, STEP)) if ruleset is not None else []
    assert found == []


@pytest.mark.parametrize("only", [ast.Handler, ast.Modifier])
def test_where_own_words_mention_nothing(only: type[ast.Declaration], monkeypatch: pytest.MonkeyPatch) -> None:
    """What a condition says of an event or quantity is told too where the own words have no field for it."""

    def without_fields(at: ProseContext, *names: str) -> tuple[Fragment, ...]:
        """Own words for everything."""
        return (Fragment("it happens"),)

    for room in (wording, declarations):
        monkeypatch.setattr(room, "sentence_parts", without_fields)
    assert [text for folder in FOLDERS for text in untold(written(folder), STEP, only)] == []


DUEL = """\
rulelang: 2
name: duel
players: 2
languages: [en, fr]
kinds: {Card: {active: [table], start: table}}
pieces:
  Card:
    - {id: a, per: player, rules: "after hit(owner): owner.n += 1"}
    - {id: b, per: player, rules: "after hit(who, force) when force = 2: owner.n += 1"}
    - {id: c, per: player, rules: "after rest when you = owner: owner.n += 1"}
    - {id: d, per: player, rules: "modify cost(owner): plus 1"}
zones: {table: {holds: Card, per: player}}
variables: {n: {type: 0..9, per: player}}
words:
  en: {hit: {one: hit, option: "a blow falls"}, rest: {one: rest, option: "it is quiet"}}
  fr: {hit: {one: coup, option: "un coup tombe"}, rest: {one: repos, option: "tout est calme"}}
rules: |
  play:
    for p in players:
      turn of p:
        hit(you, cost(you))
        rest()
  event hit(who: player, force: number): pass
  event rest: pass
  quantity cost(who: player) -> number = 1
  score n: n
"""


def test_whose_it_is_is_told(tmp_path: Path) -> None:
    """Own words that name nobody are completed by whom the text is about, in both languages; so is an event that names
    no player, which is then of who acts."""
    (tmp_path / "ruleset.yaml").write_text(DUEL, encoding="utf-8")
    ruleset = written(tmp_path)
    said = [[text for row in ruleset.pieces for text in RuleWriter(ruleset, lang).piece(row)] for lang in ("en", "fr")]
    assert said == [
        [
            "After a blow falls for you: your n increases by 1.",
            "After a blow falls, if “force” is 2: your n increases by 1.",
            "After it is quiet for you: your n increases by 1.",
            "Your cost increases by 1.",
        ],
        [
            "Quand un coup tombe pour vous, ensuite\u00a0: votre n augmente de 1.",
            "Quand un coup tombe, si «\u00a0force\u00a0» est égal à 2, ensuite\u00a0: votre n augmente de 1.",
            "Quand tout est calme pour vous, ensuite\u00a0: votre n augmente de 1.",
            "Votre cost augmente de 1.",
        ],
    ]
