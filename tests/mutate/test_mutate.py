"""Mutation testing on a small ruleset with gaps planted: a rule of each sort stands in it twice, once with a scenario
that looks at what it does, once with one that only runs it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from rulelang.diagnostics import RulesetError, SaveError, UsageError
from rulelang.mutate import MutationReport, mutate

HEADER = """\
rulelang: 2
name: stall
players: 2
sources: {book: The rules of the stall}
types: {Sort: {values: [sweet, dry]}, Good: {values: [fig, nut]}}
kinds: {Ware: {attributes: {sort: Sort, worth: 0..9}, start: stall, active: [basket]}}
zones:
  stall: {holds: Ware}
  basket: {holds: Ware, per: player}
variables:
  purse: {type: bag of Good, per: player}
  result: {type: -99..99}
pieces:
  Ware:
    - {id: cake, sort: sweet, worth: 3, cites: [book:4]}
    - {id: bread, sort: dry, worth: 2}
    - {id: salt, sort: dry, worth: 1}
    - {id: rice, sort: dry, worth: 4}
"""

GIVEN = """\
    given:
      players: 2
      zones: {"seat(0).basket": [cake, bread, salt]}
      variables: {"seat(0).purse": 2 fig + 1 nut}
"""

RULES: list[tuple[str, str, str, str]] = [
    # body; what holds then; what is noticed; what is not, even so
    ("result := 2 + 3", "result = 5", "SDL:pass AOR:- ODL:2 ODL:3 CRP:3 CRP:1 CRP:4 CRP:2", ""),
    (
        "result := sum(w.worth for w in you.basket where w.sort = dry and w.worth > 1)",  # bread is 2, salt 1, cake 3
        "result = 2",
        "SDL:pass ODL:true COI:not(w.sort=dryandw.worth>1) COR:((w.sort=dry)or(w.worth>1)) ODL:(w.sort=dry) "
        "ODL:(w.worth>1) ROR:!= SVR:sweet ROR:>= ROR:<= CRP:2 CRP:0",
        "",
    ),
    (
        "you.purse += 1 fig + 1 nut",
        "seat(0).purse.fig = 3 and seat(0).purse.nut = 2",
        "SDL:pass LOR:-= ODL:1fig ODL:1nut CRP:2 CRP:0 SVR:nut CRP:2 CRP:0 SVR:fig",
        "",
    ),
    (
        "result := {1: 4, 3: 6} at count(you.basket)",  # three wares
        "result = 6",
        "SDL:pass CRP:4 CRP:7 CRP:5",
        "CRP:2 CRP:0 CRP:2 CRP:5 CRP:3",
    ),
    (
        "result := 5 if 8 in you.basket.worth else 7",
        "result = 7",
        "SDL:pass ODL:true COI:notin CRP:8 CRP:6",
        "CRP:6 CRP:4 CRP:9 CRP:7",
    ),
    (
        "result := 1 if not (result = 1) else 2",
        "result = 1",
        "SDL:pass COI:(result=1) ROR:!= CRP:2 CRP:0 CRP:0",
        "ODL:true CRP:2 CRP:3 CRP:1",
    ),
    ("result := sum((you.basket with most it.worth).worth)", "result = 3", "SDL:pass LOR:fewest", ""),
    (
        "result := max(count(stall), count(you.basket)) - 1",  # one and three
        "result = 2",
        "SDL:pass LOR:min AOR:+ ODL:max(count(stall),count(you.basket)) CRP:2 CRP:0",
        "",
    ),
    ("result := count(players)", "result = 2", "SDL:pass SVR:others", ""),
    ("if stall is empty: result := 1", "result = 0", "ODL:true COI:isnot", "SDL:pass SDL:pass CRP:2 CRP:0"),
    ("move you.basket to stall", "stall is not empty and count(stall) = 4", "SDL:pass", ""),
]


def stall(folder: Path, rules: str = "", scenarios: str = "", more: str = "") -> Path:
    """Write the ruleset; `rules` go behind a `play:` that does nothing."""
    (folder / "scenarios").mkdir(parents=True)
    (folder / "ruleset.yaml").write_text(HEADER + more, encoding="utf-8")
    (folder / "stall.rule").write_text(f"rulelang 2\n\nplay: pass\n\n{rules}", encoding="utf-8")
    (folder / "scenarios/all.yaml").write_text(f"rulelang: 2\nscenarios:\n{scenarios}", encoding="utf-8")
    return folder


def scenario(name: str, do: str, then: str) -> str:
    """Return a scenario in which seat 0 does something."""
    return f'  - name: {name}\n{GIVEN}      do: "as seat(0): {do}"\n    then: ["{then}"]\n'


def short(mutant: str) -> str:
    """Return operator and new text of an id, without spaces."""
    return ":".join(mutant.split(":")[3:]).replace(" ", "")


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, MutationReport]:
    """The ruleset with each of the rules twice, and what comes of its mutants."""
    rules = [f"[book:{n}]\nrule {at}{n}:\n  {row[0]}\n" for n, row in enumerate(RULES, 1) for at in ("seen", "unseen")]
    tests = [scenario(f"seen{n}", f"seen{n}()", row[1]) for n, row in enumerate(RULES, 1)]
    tests += [scenario(f"unseen{n}", f"unseen{n}()", "true") for n in range(1, len(RULES) + 1)]
    folder = stall(tmp_path_factory.mktemp("all") / "stall", "\n".join(rules), "".join(tests))
    return folder, mutate(str(folder))


@pytest.mark.parametrize("number", range(1, len(RULES) + 1))
def test_each_operator_is_noticed_where_something_looks(everything: tuple[Path, MutationReport], number: int) -> None:
    _, report = everything
    _, _, noticed, unnoticed = RULES[number - 1]
    line = 8 * number - 1  # behind four lines, each with a citation, the head, the body and an empty line
    seen = [o for o in report.outcomes if o.mutant.file.endswith(".rule") and o.mutant.line == line]
    unseen = [o for o in report.outcomes if o.mutant.file.endswith(".rule") and o.mutant.line == line + 4]
    counted = [o for o in seen if o.verdict != "stillborn"]
    assert sorted(short(o.mutant.id) for o in counted if o.verdict == "killed") == sorted(noticed.split())
    assert sorted(short(o.mutant.id) for o in counted if o.verdict in ("survived", "uncovered")) == sorted(
        unnoticed.split()
    )
    assert {o.by for o in counted if o.verdict == "killed"} <= {f"seen{number}"}
    assert [short(o.mutant.id) for o in unseen] == [short(o.mutant.id) for o in seen]
    assert {o.verdict for o in unseen} <= {"survived", "uncovered", "stillborn"}
    assert {o.mutant.cites for o in seen} == {(f"book:{number}",)}


# ---- rows, reactions, variants

ROWS = """\
    - sort: dry
      worth: 9
      rows:
        - {id: tea, worth: 5, cites: [book:7]}
        - id: oil
          worth: 6
          rules: |
            after sell(owner, ware) when ware.sort = dry: owner.purse += 1 nut
            modify price_of(owner, ware): plus 2
"""
TRADE = """\
event sell(s: player, ware: Ware):
  move ware to stall
  s.purse += (price_of(s, ware)) fig

quantity price_of(s: player, ware: Ware) -> number = ware.worth
"""
SELLING = """\
  - name: tea is sold beside oil
    given:
      players: 2
      zones: {"seat(0).basket": [tea, oil]}
      do: |
        as seat(0):
          for w in you.basket where it is tea: sell(you, w)
    then: ["seat(0).purse.fig = 7 and seat(0).purse.nut = 1"]
"""


@pytest.fixture(scope="module")
def selling(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ruleset with a group of rows, a reaction and a modifier, and a variant with a scenario of its own."""
    folder = stall(tmp_path_factory.mktemp("rows") / "stall", TRADE, SELLING, ROWS)
    variant = folder / "variants/dear"
    (variant / "scenarios").mkdir(parents=True)
    (variant / "ruleset.yaml").write_text("rulelang: 2\nextends: stall\nname: dear\n")
    dear = SELLING.replace("tea", "bread").replace("purse.fig = 7", "purse.fig = 4")  # bread is worth 2, and oil adds 2
    (variant / "scenarios/all.yaml").write_text(f"rulelang: 2\nscenarios:\n{dear}")
    return folder


def verdicts(report: MutationReport) -> dict[str, str]:
    """Return the verdict of each mutant by line, operator and new text."""
    return {f"{o.mutant.line}:{short(o.mutant.id)}": o.verdict for o in report.outcomes}


def test_rows_reactions_and_variants(selling: Path) -> None:
    found = mutate(str(selling))
    result = verdicts(found)
    first = HEADER.count("\n") + 1
    expected = {
        f"{first}:SVR:sweet": "killed",  # then oil does not react to tea
        f"{first + 1}:CRP:8": "equivalent",  # each row of the group says its own
        f"{first + 3}:CRP:6": "killed",
        f"{first + 5}:CRP:7": "uncovered",  # nobody sells the oil
        f"{first + 7}:SDL:whenfalse": None,
        f"{first + 7}:SDL:false": "killed",
        f"{first + 7}:ODL:true": "survived",  # what is sold is dry
        f"{first + 7}:LOR:before": "survived",  # nobody sees when the nut comes
        f"{first + 7}:CRP:2": "killed",
        f"{first + 8}:SDL:whenfalse": "killed",
        f"{first + 8}:LOR:minus": "killed",
        f"{first + 8}:CRP:3": "killed",
        f"{first - 3}:CRP:3": "killed",  # the bread, by the scenario of the variant alone
        f"{first - 2}:CRP:2": "uncovered",
    }
    assert {key: result.get(key) for key in expected} == expected
    bread = next(o for o in found.outcomes if o.mutant.line == first - 3 and short(o.mutant.id) == "CRP:3")
    assert bread.by == f"bread is sold beside oil ({selling}/dear)"
    tea = next(o for o in found.outcomes if o.mutant.line == first + 3)
    assert tea.mutant.cites == ("book:7",)


# ---- what is kept, what is chosen


def test_a_file_is_gone_on_with_and_only_what_new_scenarios_may_notice_is_tried(selling: Path, tmp_path: Path) -> None:
    file = tmp_path / "kept.jsonl"
    whole = mutate(str(selling), only=["*.rule:*"], out=file)
    lines = file.read_text().splitlines(keepends=True)
    with pytest.raises(UsageError, match="is there already"):
        mutate(str(selling), only=["*.rule:*"], out=file)
    file.write_text("".join(lines[:4]) + lines[4][:20])  # it was ended in the middle of a line
    tried: list[int] = []
    assert mutate(str(selling), only=["*.rule:*"], out=file, resume=True, progress=tried.append) == whole
    assert sum(tried) == len(lines) - 4
    tried.clear()
    assert mutate(str(selling), only=["*.rule:*"], out=file, resume=True, progress=tried.append) == whole
    assert not tried
    scenarios = selling / "scenarios/all.yaml"
    before = scenarios.read_text()
    try:
        scenarios.write_text(before + scenario("another", "pass", "true"))
        mutate(str(selling), only=["*.rule:*"], out=file, resume=True, progress=tried.append)
    finally:
        scenarios.write_text(before)
    assert 0 < sum(tried) <= len(whole.alive)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"mutant": "x"}\n', "says nothing of a mutant"),
        ('{"mutant":"x","target":"T","verdict":"killed","by":"","digest":"","reached":1}\n', "has no mutant `x`"),
        ('{"mutant":"x","target":"T","verdict":"fine","by":"","digest":"","reached":1}\n', "says nothing of a mutant"),
        ('{"mutant":"x","target":"T","verdict":"killed","by":"","digest":"","reached":"1"}\n', "says nothing"),
        ("[" * 100 + "\n", "says nothing of a mutant"),
    ],
)
def test_a_file_of_something_else_is_refused(selling: Path, tmp_path: Path, line: str, message: str) -> None:
    file = tmp_path / "kept.jsonl"
    mutate(str(selling), only=["*.rule:*:SDL:*"], out=file)
    with file.open("a") as opened:
        opened.write(line)
    with pytest.raises(SaveError, match=message):
        mutate(str(selling), out=file, resume=True)
    file.write_text('{"rulelang_simulation": 2}\n')
    with pytest.raises(SaveError, match="does not begin"):
        mutate(str(selling), out=file, resume=True)
    file.write_text(json.dumps({"rulelang_mutation": 2, "ruleset": "stall", "hash": "0"}) + "\n")
    with pytest.raises(UsageError, match="is of another run: hash"):
        mutate(str(selling), out=file, resume=True)


def test_processes_change_nothing_and_samples_are_parts(everything: tuple[Path, MutationReport]) -> None:
    folder, whole = everything
    part = mutate(str(folder), sample=20, seed=3, jobs=2)
    assert len(part.outcomes) == 20
    assert part.outcomes == mutate(str(folder), sample=20, seed=3).outcomes
    known = {o.mutant.id: (o.verdict, o.by) for o in whole.outcomes}
    assert {o.mutant.id: (o.verdict, o.by) for o in part.outcomes}.items() <= known.items()


def test_what_can_not_be_tried_is_said(everything: tuple[Path, MutationReport], tmp_path: Path) -> None:
    folder, _ = everything
    with pytest.raises(UsageError, match=r"no mutant is like `\*\.doc:\*`; the first mutant is `ruleset\.yaml:15:"):
        mutate(str(folder), only=["*.doc:*"])
    broken = stall(tmp_path / "broken", "rule x:\n  result := nothing\n")
    with pytest.raises(RulesetError):
        mutate(str(broken))
    failing = stall(tmp_path / "failing", "rule x: pass\n", scenario("wrong", "x()", "false"))
    with pytest.raises(UsageError, match="`wrong` fails as it is"):
        mutate(str(failing))


# ---- mutants compiled together and alone


def test_a_mutant_compiled_with_others_is_as_if_compiled_alone(everything: tuple[Path, MutationReport]) -> None:
    """The parts of the program that belong to a mutant are those by which the program of it alone differs."""
    from rulelang.mutate.run import _Targets, batches
    from rulelang.mutate.targets import MutatedProgram, bare, differences, edited

    shop = _Targets(str(everything[0]))
    target = shop.bench(shop.names[0]).target
    compared = 0
    for ids in batches(shop.sites.mutants)[:2]:
        mutants: Sequence[object] = [shop.mutants[id_] for id_ in ids]
        for found in target.variants(mutants, shop.sites.files):  # type: ignore[arg-type]
            if isinstance(found, MutatedProgram):
                from rulelang.diagnostics import Diagnostics

                alone = target.compile(edited([found.mutant], shop.sites.files), Diagnostics())
                assert alone is not None
                changed = differences(target.base.program, alone.program)
                assert changed is not None
                assert {p: bare(v) for p, v in changed.items()} == {p: bare(v) for p, v in found.parts.items()}
                compared += 1
    assert compared > 20


def test_survivors_are_accepted_with_a_reason(selling: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from click.testing import CliRunner

    from rulelang.cli import rulelang

    file = selling / "survivors.yaml"
    rows = [
        ("after sell(owner, ware) *", "LOR:before", "what is sold first does not matter"),
        ("after sell(owner, ware) *", "CRP:9", "there is no such mutant"),
    ]
    text = "".join(f'  - {{line: "{a}", mutant: "{b}", because: {c}}}\n' for a, b, c in rows)
    try:
        file.write_text(f"rulelang: 2\nsurvivors:\n{text}")
        report = mutate(str(selling))
        (found,) = [o for o in report.outcomes if o.verdict == "accepted"]
        assert (found.because, report.stale) == (rows[0][2], (f"{file}:4",))
        done = CliRunner().invoke(rulelang, ["mutate", str(selling), "--only", "*:LOR:before", "--format", "json"])
        counts = json.loads(done.output)
        assert (done.exit_code, counts["accepted"], counts["survived"], counts["score"]) == (0, 1, 0, 100.0)
        file.write_text("rulelang: 2\nsurvivors:\n  - {line: x, reason: y}\n")
        with pytest.raises(RulesetError, match="no `reason`"):
            mutate(str(selling))
    finally:
        file.unlink()


def test_the_command_lists_what_is_not_noticed(selling: Path) -> None:
    from click.testing import CliRunner

    from rulelang.cli import rulelang

    line = HEADER.count("\n") + 6  # what the oil is worth, which nobody sells
    done = CliRunner().invoke(rulelang, ["mutate", str(selling), "--only", f"ruleset.yaml:{line}:*"])
    rows = [f"{selling}/ruleset.yaml:{line}:18: CRP 6 -> {n}\n    reached by no scenario\n" for n in (7, 5)]
    assert (done.exit_code, done.output) == (1, "".join(rows) + "2 mutants: 0 noticed, 2 not (0.0 %)\n")
    done = CliRunner().invoke(rulelang, ["mutate", str(selling), "--only", f"*:{line}:*", "--fail-under", "0"])
    assert done.exit_code == 0
    done = CliRunner().invoke(rulelang, ["mutate", str(selling), "--resume"])
    assert (done.exit_code, done.output) == (2, "rulelang: `--resume` goes on with the file that `--out FILE` names\n")
