"""Renaming whatever a ruleset declares: its check finds what it found, its scenarios pass, its games are the same."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from rulelang.diagnostics import UsageError, replaced
from rulelang.game.ruleset import load
from rulelang.ruleset.files import display_path
from rulelang.scenarios import run_scenarios
from rulelang.service import Project
from rulelang.service.names import Key, described
from rulelang.service.rename import rename

RULESETS = Path(__file__).resolve().parents[2] / "rulesets"
YAML = """\
rulelang: 2
name: fair
players: 2
languages: [en, fr]
types: {Colour: [red, blue]}
kinds:
  Flag: {attributes: {colour: Colour, points: 0..9}, start: stall}
  Coin: {attributes: {colour: Colour, worth: 0..9}, start: box}
zones:
  stall: {holds: Flag, visible: all}
  box: {holds: Coin, visible: all}
  won: {holds: Flag, per: player, visible: all}
  purse: {holds: Coin, per: player, visible: all}
variables: {first: {type: player}, sold: {type: 0..99, per: player}}
pieces:
  Flag:
    - {each: {colour: Colour}, id: "{colour}_flag_{points}", columns: [points], rows: [[1], [2]]}
  Coin:
    - {id: amber, colour: red, worth: 1, count: 2}
    - {id: beryl, colour: blue, worth: 2, count: 2}
words:
  fr:
    Colour: colour
    colour: {one: colour}
    points: {many: points}
    worth: worth
    red_flag_1: red one
    red_flag_2: red two
    blue_flag_1: blue one
    blue_flag_2: blue two
    Flag: Flag
    Coin: Coin
    amber: amber
    beryl: beryl
    stall: stall
    box: box
    won: won
    purse: purse
    first: first
    sold: sold
    red: red
    blue: blue
    spend: spend
    excess: excess
"""
RULES = """\
rulelang 2

setup:
  for p in players: move (random 2 of box) to p.purse

play:
  first := random one of players
  turn of first: spend()
  end the game

rule spend:
  let excess = choose up to 2 of purse
  sold += sum(excess.worth)
  if some prize = top of (stall where any(c.colour = it.colour for c in excess)): move prize to won
  move excess to box

score sold: sold + sum(won.points)
"""
SCENARIOS = """\
rulelang: 2
scenarios:
  - name: two coins are paid
    cases:
      - {amber: amber, both: amber+beryl, sum: 3}
      - {amber: beryl, both: beryl+beryl, sum: 4}
    given:
      players: 2
      zones: {"seat(0).purse": [amber, amber, 2 beryl], "seat(1).purse": []}
    when: ["play:first=0", "spend:excess=$both"]
    then:
      - "seat(0).sold = $sum and any(c is $amber for c in box)"
"""


def declared(project: Project) -> dict[Key, str]:
    """The names that are declared in the project, with what they are."""
    return {
        place.key: "local" if place.key[0] == "local" else described(place.named).split()[0]
        for path in project.files
        for place in project.names.in_file(display_path(path))
        if place.declares
    }


def played(folder: Path) -> list[object]:
    """Scores and numbers of events of some random games, as nothing but the places of options tells them."""
    results: list[object] = []
    for seed in range(2):
        state, rng = load(str(folder)).new_game(seed=seed, backend="interpreter"), Random(seed)
        for _ in range(300):
            if state.is_terminal():
                break
            seat = state.current_players()[0]
            state.apply(rng.choice(state.legal_actions(seat)), seat)
        results.append((len(state.events()), state.scores()))
    return results


def written(project: Project, key: Key, new: str) -> Project:
    """Rename, write the files, and read them again."""
    for path, changes in rename(project, key, new).items():
        path.write_text(replaced(path.read_text(encoding="utf-8"), changes), encoding="utf-8")
    again = Project(project.folder)
    again.all_findings()
    return again


def failures(project: Project) -> Iterator[str]:
    """Scenarios of the base and its variants that fail."""
    for folder in project.rulesets:
        yield from (
            f"{result.file}:{result.line}: {result.message}"
            for result in run_scenarios(load(str(folder)))
            if not result.ok
        )


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("game", ["reco", "droids", "imaginarium", "ldd"])
def test_names_of_whole_games(game: str, seed: int, tmp_path: Path) -> None:
    """Of each sort one, one after the other in the same files: rules, events, zones, kinds, attributes, cards, ….

    What is refused says why: an id that is made of other names, one name that two things share."""
    project = Project(Path(shutil.copytree(RULESETS / game, tmp_path / game)))
    assert not len(project.all_findings())
    before, rng, sorts = played(project.folder), Random(seed), sorted({*declared(project).values()})
    refused: list[str] = []
    for sort in sorts:
        key = rng.choice(sorted(key for key, what in declared(project).items() if what == sort))
        new = "Renamed" if key[-1][:1].isupper() and key[0] == "symbol" else "renamed_it"
        try:
            project = written(project, key, f"{new}_{sorts.index(sort)}")
        except UsageError as error:
            refused.append(str(error))
        assert [str(finding) for finding in project.all_findings()] == []
    assert all("is made of" in each for each in refused), refused
    assert list(failures(project)) == []
    assert played(project.folder) == before


@pytest.fixture(scope="module")
def fair(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A ruleset with made ids, a table of cases, ids with `+` in them, words that two things share."""
    folder = tmp_path_factory.mktemp("rulesets") / "fair"
    for name, text in (("ruleset.yaml", YAML), ("fair.rule", RULES), ("scenarios/all.yaml", SCENARIOS)):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    project = Project(folder)
    assert [str(finding) for finding in project.all_findings()] == []
    return project


def test_what_can_not_be_renamed_says_why(fair: Project) -> None:
    """An id that is made of other names; anything while there are errors."""
    with pytest.raises(UsageError, match=r"`red_flag_1` is made of .*colour"):
        rename(fair, ("row", "red_flag_1"), "flag")
    rules = fair.folder / "fair.rule"
    fair.set_text(rules, rules.read_text(encoding="utf-8").replace("sold +=", "sold ++="))
    with pytest.raises(UsageError, match="while there are errors"):
        rename(fair, ("symbol", "sold"), "earned")
    fair.set_text(rules, None)


RENAMED: tuple[tuple[Key, str, dict[str, tuple[str, ...]]], ...] = (
    # What stands elsewhere then, by file. Ids are made of values, values of columns.
    (("symbol", "red"), "crimson", {"ruleset.yaml": ("crimson_flag_1: red one", "[crimson, blue]", "colour: crimson")}),
    (("member", "Flag", "points"), "marks_of", {"ruleset.yaml": ("{colour}_flag_{marks_of}", "columns: [marks_of]")}),
    # Sorted ids are sorted again; a field of a case keeps its name, its values don't.
    (
        ("row", "amber"),
        "topaz",
        {"scenarios/all.yaml": ("{amber: topaz, both: beryl+topaz,", "[topaz, topaz, 2 beryl]", "c is $amber")},
    ),
    # The other attribute of that name needs the words as well; so does the score line.
    (("member", "Coin", "colour"), "tint", {"ruleset.yaml": ("    colour: {one: colour}\n    tint: {one: colour}",)}),
    # An outcome of chance is called as what is assigned.
    (("symbol", "first"), "opener", {"scenarios/all.yaml": ("play:opener=0",)}),
    (
        ("symbol", "sold"),
        "earned",
        {
            "scenarios/all.yaml": ("seat(0).earned = $sum and",),
            "fair.rule": ("score sold: earned",),
            "ruleset.yaml": ("    earned: sold\n    sold: sold\n",),
        },
    ),
    (("symbol", "spend"), "use_up", {"scenarios/all.yaml": ("use_up:excess=$both",)}),
)


def test_what_hangs_on_a_name_follows(fair: Project) -> None:
    """One name after the other; the check finds nothing after each, and at last the scenarios pass."""
    project = fair
    for key, new, texts in RENAMED:
        project = written(project, key, new)
        for file, parts in texts.items():
            whole = (fair.folder / file).read_text(encoding="utf-8")
            assert [part for part in parts if part not in whole] == [], key
        assert [str(finding) for finding in project.all_findings()] == [], key
    assert list(failures(project)) == []


SHORES = Path(__file__).resolve().parents[1] / "game" / "shores"


def test_what_boards_consist_of(tmp_path: Path) -> None:
    """Types of edges and corners and their attributes, where they are declared, given and read; a corner has the name
    of its cell and can have no other."""
    project = Project(Path(shutil.copytree(SHORES, tmp_path / "shores")))
    before = played(project.folder)
    for key, new in (
        (("symbol", "Corner"), "Spot"), (("symbol", "Path"), "Way"), (("member", "Spot", "rate"), "price"),
        (("member", "Spot", "harbour"), "port"), (("member", "Tile", "gives"), "yields"),
    ):  # fmt: skip
        project = written(project, key, new)
        assert [str(finding) for finding in project.all_findings()] == []
    text = (project.folder / "ruleset.yaml").read_text(encoding="utf-8")
    assert "c1_northeast: {price: 2, port: wool}" in text
    assert "min(c.price for c in Spot where" in text
    assert played(project.folder) == before


TAILOR = """\
rulelang: 2
name: tailor
players: 2
types: {Work: [cut, sew]}
kinds: {Cloth: {identity: true, variables: {roll: {type: 0..9}}, start: shop}}
pieces: {Cloth: [{id: linen}, {id: wool}]}
zones: {shop: {holds: Cloth}}
variables: {done: {type: 0..9, per: Work}}
rules: |
  play:
    for p in players:
      turn of p: work()
  rule work:
    choose:
      cut: done[cut] += 1
      tidy: arrange shop by roll
  function times(a: Work) -> number = done[a]
  score s: times(cut) + (max(cloth.roll for cloth in shop) otherwise 0)
  tie: most you.seat
"""
CASES = """\
rulelang: 2
scenarios:
  - name: "$chosen is done"
    cases:
      - {chosen: cut, then_so: "times(cut) = 1 and times(sew) = 0"}
      - {chosen: tidy, then_so: "times(cut) = 0"}
    when: ["$chosen*"]
    then: ["$then_so"]
"""


def test_what_cases_stand_for(tmp_path: Path) -> None:
    """What a case has for an id is renamed as the option is, what it has for a condition as the value is; what numbers
    the groups of `arrange` is the pieces' variable."""
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "ruleset.yaml").write_text(TAILOR, encoding="utf-8")
    (tmp_path / "scenarios" / "all.yaml").write_text(CASES, encoding="utf-8")
    project = Project(tmp_path)
    before = played(project.folder)
    for key, new in (
        (("option", "cut"), "snip"),
        (("symbol", "cut"), "cutting"),
        (("member", "Cloth", "roll"), "bale"),
    ):
        project = written(project, key, new)
        assert [finding for finding in project.all_findings() if finding.severity == "error"] == []
    text = (tmp_path / "scenarios" / "all.yaml").read_text(encoding="utf-8")
    assert '- {chosen: snip, then_so: "times(cutting) = 1 and times(sew) = 0"}' in text
    assert "arrange shop by bale" in (tmp_path / "ruleset.yaml").read_text(encoding="utf-8")
    assert played(project.folder) == before
    assert list(failures(project)) == []
