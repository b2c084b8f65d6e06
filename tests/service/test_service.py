"""What editors ask: findings of texts that are not saved, names, renaming, proposals, mends."""

from __future__ import annotations

import gc
import json
import shutil
from pathlib import Path
from random import Random
from typing import Any

import pytest

from rulelang.cli.check import with_variants
from rulelang.diagnostics import Diagnostic, Diagnostics, Source, Span, UsageError
from rulelang.memory.check import check
from rulelang.ruleset.files import display_path
from rulelang.semantics import check as checks
from rulelang.service import Project
from rulelang.service.actions import applied, mends
from rulelang.service.completion import complete
from rulelang.service.hints import hints, parameters
from rulelang.service.hover import as_written, hover
from rulelang.service.layout import formatted
from rulelang.service.names import Occurrence
from rulelang.service.outline import colours, enclosing, folds, outline
from rulelang.service.project import ANALYSES, project_of
from rulelang.service.rename import rename
from tests.diagnostics.pages import read_page
from tests.memory.edits import edits
from tests.service.sample import FILES, write
from tests.soak import every, soaking, times

RULESETS = Path(__file__).resolve().parents[2] / "rulesets"


@pytest.fixture(scope="module")
def pond(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The sample, looked through once."""
    project = Project(write(tmp_path_factory.mktemp("rulesets") / "pond"))
    assert [str(finding) for finding in project.all_findings()] == []
    return project


def at(project: Project, file: str, text: str, nth: int = 0) -> tuple[Path, int, int]:
    """File, line and column of the n-th place of a text in a file; `|` in it is the place, else its start."""
    path = project.folder / file
    shift, whole = max(text.find("|"), 0), project.text_of(path)
    offset = -1
    for _ in range(nth + 1):
        offset = whole.index(text.replace("|", ""), offset + 1)
    offset += shift
    return path, whole.count("\n", 0, offset) + 1, offset - whole.rfind("\n", 0, offset)


def name_at(project: Project, file: str, text: str, nth: int = 0) -> Occurrence:
    path, line, column = at(project, file, text, nth)
    found = project.names.at(display_path(path), line, column)
    assert found is not None, text
    return found


# ---- names -----------------------------------------------------------------------------------------

NOUNS = (
    ("ruleset.yaml", "deep:", "symbol", 3),
    ("ruleset.yaml", "Colour:", "symbol", 3),
    ("ruleset.yaml", "worth: 0", "member", 4),
    ("ruleset.yaml", "green: {", "symbol", 5),
    ("ruleset.yaml", "Frog:", "symbol", 8),
    ("ruleset.yaml", "size: 0", "member", 6),
    ("ruleset.yaml", "fed: {", "member", 3),
    ("ruleset.yaml", "deck: {", "symbol", 4),
    ("ruleset.yaml", "hand: {", "symbol", 5),
    ("ruleset.yaml", "bank: {", "symbol", 4),
    ("ruleset.yaml", "coins: {t", "symbol", 7),
    ("ruleset.yaml", "tiny, c", "row", 5),
    ("pond.rule", "turn_of:", "symbol", 3),
    ("pond.rule", "worth_of(frog: F", "symbol", 5),
    ("pond.rule", "frog in hand", "local", 10),
    ("pond.rule", "frog: Frog", "local", 3),
    ("pond.rule", "release(", "option", 3),
    ("pond.rule", "purse:", "score line", 1),
)


@pytest.mark.parametrize(("file", "text", "sort", "count"), NOUNS)
def test_names_are_found_and_renamed(pond: Project, file: str, text: str, sort: str, count: int) -> None:
    """Every place of each sort of name, counted by hand in the sample: rules, YAML, words, scenarios, the variant. With
    another name all is found faultless."""
    place = name_at(pond, file, text)
    assert place.key[0] == sort
    changed = rename(pond, place.key, "Newt" if text[0].isupper() else "newt")
    assert sum(map(len, changed.values())) == count, changed


CLASSES = """\
rulelang: 2
name: stall
players: 2
types: {Good: {values: [wood, wool], classes: {cloth: [wool]}}}
variables: {purse: {type: bag of Good, per: player}}
positions: {past: {of: [purse], last: 2}}
rules: |
  play:
    remember past
    as seat(0):
      if can pay 1 any cloth from purse: purse += 1 wool
  score seen: seen(past)
"""


@pytest.mark.parametrize(("name", "count"), [("cloth", 2), ("wool", 3), ("purse", 4), ("past", 3)])
def test_classes_and_positions_are_renamed(name: str, count: int, tmp_path: Path) -> None:
    """Where they are declared and where they are used."""
    (tmp_path / "ruleset.yaml").write_text(CLASSES, encoding="utf-8")
    project = Project(tmp_path)
    assert not project.all_findings().has_errors
    changed = rename(project, ("symbol", name), "other_name")
    assert sum(map(len, changed.values())) == count


def test_a_position_is_no_value(tmp_path: Path) -> None:
    """It is remembered and counted."""
    text = CLASSES.replace("    remember past\n", "    remember past\n    past := 3\n")
    (tmp_path / "ruleset.yaml").write_text(text, encoding="utf-8")
    assert "name-misused" in {finding.code for finding in Project(tmp_path).all_findings()}


@pytest.mark.parametrize("new", ["hand", "choose", "two words", "coins", ""])
def test_a_name_that_would_not_do_is_refused(pond: Project, new: str) -> None:
    """Another thing's name, a word of the language, no name, the same name."""
    with pytest.raises(UsageError):
        rename(pond, ("symbol", "coins"), new)


def test_where_a_name_is_declared(pond: Project) -> None:
    """A use leads to its declaration, in another file too; a use in a variant to that of the base."""
    for file, text in (("pond.rule", "coins += w"), ("variants/rich/ruleset.yaml", "coins:")):
        (first, *_) = [p for p in pond.names.of(name_at(pond, file, text).key) if p.declares]
        assert (Path(first.span.path).name, first.span.line) == ("ruleset.yaml", 30)


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("function worth_of", "\n\n# more\nfunction worth_of", (24, 10)),
        ("function worth_of", "function  worth_of", (21, 11)),
        ("  end the game\n", "", (20, 10)),
        ("function worth_of", "function worth_off", None),
        ("function worth_of", "function xworth_of", None),
        ("setup:\n", "setup:\n  let\n", (22, 10)),
    ],
)
def test_names_move_with_the_text(tmp_path: Path, old: str, new: str, place: tuple[int, int] | None) -> None:
    """While it can't be analysed: what stands on lines that were not changed, and beside the change."""
    project = Project(write(tmp_path / "pond"))
    assert not len(project.all_findings())
    path = project.folder / "pond.rule"
    project.set_text(path, project.text_of(path).replace(old, new) + "\nrule (\n")
    assert project.all_findings().has_errors
    declared = [p.span for p in project.names.of(("symbol", "worth_of")) if p.declares]
    assert [(span.line, span.column) for span in declared] == ([] if place is None else [place])
    assert place is None or place_text(project, path, declared[0]) == "worth_of"


def place_text(project: Project, path: Path, span: Span) -> str:
    return project.text_of(path).split("\n")[span.line - 1][span.column - 1 : span.end_column - 1]


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("pond.rule", "move frog to bank", "move frog to bnk"),
        ("pond.rule", "shuffle deck", "shuffle (deck"),
        ("ruleset.yaml", "coins: {type: 0..99, per: player, start: 0}", "coins: {type: 0..99, pr: player}"),
        ("ruleset.yaml", "players: 2..3", "players: [2"),
    ],
)
def test_a_ruleset_that_was_never_whole(tmp_path: Path, file: str, old: str, new: str) -> None:
    """What can be resolved has a declaration, a hover and proposals; it can't be renamed, and nothing is played."""
    folder = write(tmp_path / "pond")
    path = folder / file
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    project = Project(folder)
    assert project.all_findings().has_errors
    place = name_at(project, "pond.rule", "worth_of(frog) > 3")
    (declared,) = [p for p in project.names.of(place.key) if p.declares]
    assert place_text(project, folder / "pond.rule", declared.span) == "worth_of"
    said = (
        as_written(declared.span) if project.base is None or place.named is None else hover(project.base, place.named)
    )
    assert "function worth_of(frog: Frog) -> number" in said
    at_end = at(project, "pond.rule", "wait: coins += |1")
    assert {"turn_of", "worth_of", "coins"} <= {proposal.label for proposal in complete(project, *at_end)}
    with pytest.raises(UsageError):
        rename(project, place.key, "value_of")
    project.set_text(path, FILES[file])
    assert not len(project.all_findings())
    assert project.base is not None
    assert project.base.is_whole


def test_hover(pond: Project) -> None:
    """The declaration, the comment above, the rule or the piece in words."""
    base = pond.base
    assert base is not None
    said = hover(base, name_at(pond, "pond.rule", "turn_of()").named)
    assert said.startswith("```rule\nrule turn_of:\n```\n\nWhat a player does.\n\n")
    assert "coin" in said.split("\n\n", 2)[2]
    assert hover(base, name_at(pond, "ruleset.yaml", "coins: {t").named).startswith(
        "```rule\nvariable coins: 0..99, per player"
    )
    assert "the tiny one" in hover(base, name_at(pond, "ruleset.yaml", "tiny, c").named)
    assert "frog: Frog" in hover(base, name_at(pond, "pond.rule", "frog in hand").named)
    assert "What lives in the pond." in hover(base, name_at(pond, "ruleset.yaml", "Frog:").named)


# ---- proposals -------------------------------------------------------------------------------------

PROPOSED: tuple[tuple[str, str, set[str], set[str]], ...] = (
    (
        "pond.rule",
        "rule r:\n  choose:\n    let_go(frog in hand):\n      coins += |",
        {"coins", "worth_of", "frog", "hand", "choose"},
        {"visible"},
    ),
    ("pond.rule", "      move frog to bank[frog.|", {"colour", "size", "fed", "owner"}, {"coins", "choose"}),
    ("pond.rule", "  for p in players: p.|", {"hand", "coins"}, {"bank", "size"}),
    ("pond.rule", "|", {"rule", "function", "score", "event"}, {"visible"}),
    ("pond.rule", "function g(x: |", {"Frog", "Colour", "number"}, {"coins"}),
    ("pond.rule", "  # |", set(), {"coins"}),
    ("ruleset.yaml", "zones:\n  pool: {holds: |", {"Frog"}, {"coins"}),
    ("ruleset.yaml", "zones:\n  pool: {|", {"holds", "visible", "per", "order"}, {"coins"}),
    ("ruleset.yaml", "zones:\n  pool: {visible: |", {"all", "owner", "nobody"}, set()),
    ("ruleset.yaml", "zones:\n  pool:\n    |", {"holds", "visible"}, {"kinds"}),
    ("ruleset.yaml", "|", {"zones", "kinds", "variables", "pieces"}, {"holds"}),
    ("ruleset.yaml", "pieces:\n  Frog:\n    - {|", {"id", "colour", "size", "count"}, {"holds"}),
    ("ruleset.yaml", "words:\n  en:\n    |", {"coins", "Frog.size", "release", "purse"}, {"holds"}),
    ("scenarios/all.yaml", "scenarios:\n  - |", {"name", "given", "when", "then"}, {"zones"}),
)


@pytest.mark.parametrize(("file", "text", "there", "absent"), PROPOSED)
def test_what_is_proposed(pond: Project, file: str, text: str, there: set[str], absent: set[str]) -> None:
    """At the end of a text that is not finished yet."""
    project = Project(pond.folder)
    project.snapshots, path = pond.snapshots, pond.folder / file
    before = text.partition("|")[0]
    project.set_text(path, before)
    lines = before.split("\n")
    labels = {proposal.label for proposal in complete(project, path, len(lines), len(lines[-1]) + 1)}
    assert there <= labels
    assert not absent & labels


def test_what_is_proposed_of_a_ruleset_that_was_never_whole(pond: Project) -> None:
    """What its files declare, since there is no analysis without errors."""
    project, path = Project(pond.folder), pond.folder / "pond.rule"
    project.set_text(path, project.text_of(path) + "\nrule broken(:\n  ")
    assert project.all_findings().has_errors
    lines = project.text_of(path).split("\n")
    proposed = {proposal.label: proposal.sort for proposal in complete(project, path, len(lines), 3)}
    assert {name: proposed[name] for name in ("turn_of", "coins", "hand", "Frog")} == {
        "turn_of": "function",
        "coins": "variable",
        "hand": "variable",
        "Frog": "class",
    }
    assert "pond" not in proposed


def test_parameters_of_what_is_called(pond: Project) -> None:
    """The header, and which parameter is written."""
    path, line, column = at(pond, "pond.rule", "worth_of(|frog) > 3")
    assert parameters(pond, path, line, column) == ("worth_of(frog: Frog) -> number", ["frog: Frog"], 0)
    assert parameters(pond, *at(pond, "pond.rule", "coins += |1")) is None


def test_hints(pond: Project) -> None:
    """The types of names that a rule gives."""
    assert (5, 8, ": player") in list(hints(pond, pond.folder / "pond.rule"))
    reco = Project(RULESETS / "reco")
    next(reco.findings())
    path = reco.folder / "reco.rule"
    line = reco.text_of(path).split("\n").index("  let played = choose 1 or more of hand where it.colour = colour") + 1
    assert [hint for hint in hints(reco, path) if hint[0] == line] == [(line, 13, ": list of Garbage")]


# ---- the shape of a file ---------------------------------------------------------------------------


def test_outline(pond: Project) -> None:
    """What files declare, and what within."""
    rules = outline(pond.source(pond.folder / "pond.rule"))
    assert [each.name for each in rules] == ["setup", "play", "turn_of", "worth_of", "purse"]
    assert [each.name for each in rules[2].inside] == ["release", "wait"]
    yaml = {
        each.name: [inner.name for inner in each.inside] for each in outline(pond.source(pond.folder / "ruleset.yaml"))
    }
    assert yaml["zones"] == ["deck", "hand", "bank"]
    (frogs,) = (each for each in outline(pond.source(pond.folder / "ruleset.yaml")) if each.name == "pieces")
    assert [row.name for row in frogs.inside[0].inside] == ["tiny", "huge", "grey"]


def test_folds_and_stretches() -> None:
    """What is indented folds, comments too; each stretch around a place holds the one before."""
    source = Source("x.rule", "# one\n# two\nrule a:\n  if x:\n    b()\n  c()\n\nrule d: e()")
    assert sorted(folds(source)) == [(1, 2, True), (3, 6, False), (4, 5, False)]
    stretches = enclosing(source, 5, 5)
    assert [source.lines[f - 1][c - 1 :].strip() for f, c, _, _ in stretches] == [
        "b()",
        "b()",
        "if x:",
        "rule a:",
        "# one",
    ]
    ends = [(f, c, -e, -k) for f, c, e, k in stretches]
    assert ends == sorted(ends, reverse=True)


def test_colours() -> None:
    """Keywords, names, numbers and comments, in the order of the text."""
    source = Source("x.rule", "rule a: coins += 2  # more")
    words = [(source.text[c - 1 : c - 1 + n], colour) for _, c, n, colour in colours(source)]
    assert words == [
        ("rule", "keyword"),
        ("a", "function"),
        ("coins", "variable"),
        ("+=", "operator"),
        ("2", "number"),
        ("# more", "comment"),
    ]


def test_layout() -> None:
    """Only lines that are not in the one layout change, and only within the stretch."""
    source = Source("x.rule", "rulelang 2\n\nrule a:\n  coins+=1\n\nrule b:\n  coins+=2\n")
    assert formatted(source) == [(4, 5, "  coins += 1\n"), (7, 8, "  coins += 2\n")]
    assert formatted(source, (6, 7)) == [(7, 8, "  coins += 2\n")]


# ---- findings and mends ----------------------------------------------------------------------------


def test_findings_of_texts_that_are_not_saved(pond: Project) -> None:
    """Those of the rules come first; what is mended is no longer found."""
    project, path = Project(pond.folder), pond.folder / "pond.rule"
    project.set_text(path, project.text_of(path).replace("move frog", "move frg"))
    waves = [[str(finding) for finding in findings] for findings in project.findings()]
    assert "`frg`" in waves[0][0]
    assert waves[-1] == waves[0]
    project.set_text(path, None)
    assert not len(project.all_findings())


def test_texts_are_held_to_the_bounds_of_files(pond: Project) -> None:
    """Rules and scenarios alike: a character that does not belong there is told before the file is saved."""
    for file in ("pond.rule", "scenarios/all.yaml"):
        project, path = Project(pond.folder), pond.folder / file
        project.set_text(path, project.text_of(path) + "\n# \u202e\n")
        assert [finding.code for finding in project.all_findings()] == ["ruleset-character"]


def test_a_scenario_file_is_that_of_its_own_ruleset(pond: Project) -> None:
    """A variant has one of the same name, whose text is another."""
    project = Project(pond.folder)
    for folder in (pond.folder, pond.folder / "variants" / "rich"):
        path = folder / "scenarios" / "all.yaml"
        project.set_text(path, project.text_of(path) + "  - {name: wrong, then: [nothing = 1]}\n")
        places = {Path(f.span.path).parts[-4:-2] for f in project.all_findings() if f.code == "name-unknown"}
        assert len(places) == 1
        project.set_text(path, None)


def test_a_file_of_which_nothing_is_known_is_read_as_it_stands(pond: Project, tmp_path: Path) -> None:
    """In an editor, not on the disk: there it may have no fault."""
    project = Project(write(tmp_path / "pond"))
    path = project.folder / "scenarios" / "more.yaml"
    path.write_text('rulelang: 2\nscenarios:\n  - {name: more, then: ["count(bank) = 0"]}\n', encoding="utf-8")
    assert not len(project.all_findings())
    project.set_text(path, project.text_of(path).replace("count(bank)", "count(bnk)"))
    assert [finding.code for finding in project.all_findings()] == ["name-unknown"]
    project.set_text(path, project.text_of(path).replace("name: more", "name: [more"))
    assert [finding.code for finding in project.all_findings()] == ["yaml-syntax"]


def test_what_is_as_it_was_is_not_analysed_again(pond: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of scenarios an analysis reads nothing, of a variant's files the base reads none, and a name is known on."""
    project, analysed = Project(pond.folder), list[str]()

    def noted(ruleset: Any, *rest: Any) -> Any:
        analysed.append(Path(ruleset.root).name)
        return original(ruleset, *rest)

    original = checks.analyse_partly
    monkeypatch.setattr(checks, "analyse_partly", noted)
    for file, expected in (
        ("pond.rule", ["pond", "rich"]),
        ("scenarios/all.yaml", []),
        ("variants/rich/ruleset.yaml", ["rich"]),
        ("variants/rich/scenarios/all.yaml", []),
        ("scenarios/all.yaml", []),
    ):
        analysed.clear()
        project.set_text(project.folder / file, project.text_of(project.folder / file) + "\n# more\n")
        assert not len(project.all_findings())
        assert analysed == expected, file
        assert name_at(project, "pond.rule", "worth_of(frog) > 3").declares is False
        assert project.is_current(project.folder)


def test_garbage_is_collected_while_nobody_waits(pond: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not before the first findings; after some edits then, whether or not later findings are waited for."""
    project, path, collected = Project(pond.folder), pond.folder / "pond.rule", list[int]()
    monkeypatch.setattr(gc, "collect", lambda: collected.append(1))
    for number in range(2 * ANALYSES + 2):
        project.set_text(path, project.text_of(path) + f"\n# {number}\n")
        waves = project.findings()
        before = len(collected)
        next(waves)
        assert (len(collected), gc.isenabled()) == (before, True)
        next(waves)
        del waves
        assert gc.isenabled()
    assert 2 <= len(collected) <= 4  # of 12 analyses of the base, and those of the variant that were begun


def test_while_rules_are_at_fault_names_are_those_of_before(pond: Project) -> None:
    """So that completion and hover go on."""
    project, path = Project(pond.folder), pond.folder / "pond.rule"
    project.all_findings()
    project.set_text(path, project.text_of(path) + "\nrule broken(:\n")
    assert len(project.all_findings())
    assert name_at(project, "pond.rule", "worth_of(frog) > 3").declares is False


MENDED = (
    ("pond.rule", "move frog to bank", "move frog to bnk"),
    ("pond.rule", "worth_of(frog) > 3", "worth_off(frog) > 3"),
    ("ruleset.yaml", "deck: {holds: Frog", "deck: {holds: Frgo"),
    ("ruleset.yaml", "    start: deck", "    start: dekc"),
    ("ruleset.yaml", "visible: owner", "visibl: owner"),
    ("pond.rule", "turn of p: turn_of()", "turn of p: turn_off()"),
)


@pytest.mark.parametrize(("file", "right", "wrong"), MENDED)
def test_what_a_hint_names_mends(pond: Project, file: str, right: str, wrong: str) -> None:
    """The first mend that is offered gives the text as it was."""
    project, path = Project(pond.folder), pond.folder / file
    before = project.text_of(path)
    project.set_text(path, before.replace(right, wrong, 1))
    offered = [mend for finding in project.all_findings() for mend in mends(project, finding)]
    assert offered
    assert applied(project, offered[0]) == before


DECLARED = (
    ("pond.rule", "coins += worth_of(frog)", "coins += fame", "fame: {type: 0..99, start: 0}"),
    ("pond.rule", "coins += worth_of(frog)", "coins += price_of(frog)", "function price_of(frog: Frog) -> number = 0"),
    ("pond.rule", "wait: coins += 1", "wait: rest_now()", "rule rest_now:\n  pass"),
    ("pond.rule", "move frog to bank[frog.colour]", "move frog to swamp", "swamp: {holds: Frog, visible: all}"),
    ("pond.rule", "when deep or", "when shallow or", "shallow: {type: bool, default: false}"),
    ("pond.rule", "frog.fed += 1", "frog.happy += 1", "variables: {happy: {type: 0..99, start: 0}, fed:"),
    ("scenarios/all.yaml", "options: {deep", "options: {deep: true, quick", "quick: {type: bool, default: false}"),
    ("ruleset.yaml", "languages: [en]", "languages: [en, fr]", "words:\n  fr:\n    Frog: Frog\n"),
)


@pytest.mark.parametrize(("file", "right", "wrong", "declared"), every(2, DECLARED))
def test_a_missing_noun_is_declared(pond: Project, file: str, right: str, wrong: str, declared: str) -> None:
    """With the type that its use asks for; words that a language lacks are added, to be translated."""
    project, path = Project(pond.folder), pond.folder / file
    project.snapshots = dict(pond.snapshots)
    project.set_text(path, project.text_of(path).replace(right, wrong, 1))
    offered = [mend for finding in project.all_findings() for mend in mends(project, finding)]
    assert [declared in applied(project, mend) for mend in offered] == [True]


def test_what_names_no_mend_offers_none(tmp_path: Path) -> None:
    """Nor does a finding without a place."""
    nowhere = Diagnostic("error", "x", "`a` is wrong", hint="did you mean `b`?")
    assert mends(Project(write(tmp_path / "pond")), nowhere) == []


PAGES = sorted(page.stem for page in (Path(__file__).parents[2] / "docs" / "diagnostics").glob("*-*.md"))
LEAST_MENDED = 55
"""Of the examples in the pages of messages so many at least are mended by what their hints say."""


def mended_page(code: str, folder: Path) -> bool | None:
    """Whether the first change that is offered for a page's example mends it; None if none is offered."""
    read_page(code).wrong.write(folder)
    project = Project(folder / "game")
    offered = [m for f in project.all_findings() if f.code == code for m in mends(project, f)[:1]]
    for mend in offered[:1]:
        project.set_text(mend.path, applied(project, mend))
    return code not in {each.code for each in project.all_findings()} if offered else None


@pytest.mark.parametrize("code", ["call-unknown", "game-endless", "index-order", "visibility-size"])
def test_what_a_page_has_wrong_is_mended(code: str, tmp_path: Path) -> None:
    """By the first change that is offered."""
    assert mended_page(code, tmp_path)


@pytest.mark.soak
def test_what_pages_have_wrong_is_mended(tmp_path: Path) -> None:
    """What is offered mends, on all pages; on how many something is."""
    outcomes = {code: mended_page(code, tmp_path / code) for code in PAGES}
    assert [code for code, mended in outcomes.items() if mended is False] == []
    assert sum(map(bool, outcomes.values())) >= LEAST_MENDED


def test_files_of_no_ruleset(tmp_path: Path) -> None:
    """Belong to no project."""
    assert project_of(tmp_path / "x.rule") is None


@pytest.mark.parametrize("name", ["pond", *soaking("", "reco", "droids", "imaginarium", "ldd")[1:]])
def test_edited_texts_are_found_what_a_check_finds(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After random edits, in memory and on the disk, by one project that has seen all edits before."""
    monkeypatch.setenv("RULELANG_CACHE", str(tmp_path / "cache"))
    folder, other = tmp_path / name, tmp_path / "other" / name
    for place in (folder, other):
        write(place) if name == "pond" else shutil.copytree(RULESETS / name, place)
    project = Project(folder)
    for edit in edits(other, Random(38), times(8)):
        for path in project.files:
            there = other / path.relative_to(folder)
            project.set_text(path, there.read_text(encoding="utf-8") if there.is_file() else None)
        fresh = Diagnostics()
        for each in with_variants((str(other),), ()):
            fresh.extend(check(each, (), remembering=False))
        found, expected = (
            json.dumps([f.to_json() for f in findings]).replace(str(base), "").replace(display_path(base), "")
            for findings, base in ((project.all_findings(), folder), (fresh, other))
        )
        assert found == expected, edit


def test_what_is_proposed_around_boards(tmp_path: Path) -> None:
    """Corners by name below `at`, then their attributes; what touches a value, after a dot; functions of boards."""
    path = tmp_path / "ruleset.yaml"
    text = (Path(__file__).parents[1] / "game" / "shores" / "ruleset.yaml").read_text(encoding="utf-8")
    path.write_text(text, encoding="utf-8")
    project = Project(tmp_path)
    assert not len(project.all_findings())
    harbour = "        b3_south: {rate: 3}\n"
    for old, new, there, absent in (
        (harbour, f"{harbour}        @\n", {"b1_northeast", "c3_southeast"}, {"b1_east", "b2_north"}),
        ("b3_south: {rate: 3}", "b3_south: {@}", {"rate", "harbour"}, {"cells", "gives"}),
        ("for t in site.cells", "for t in site.@", {"rate", "cells", "edges"}, {"corners"}),
        ("for d in neighbours(c))", "for d in @)", {"corner", "turned"}, {"seen"}),
    ):
        changed = text.replace(old, new)
        before = changed.partition("@")[0].split("\n")
        project.set_text(path, changed.replace("@", "", 1))
        labels = {proposal.label for proposal in complete(project, path, len(before), len(before[-1]) + 1)}
        assert there <= labels
        assert not absent & labels
