"""The commands that look: exit statuses, one JSON document on stdout, messages on stderr."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rulelang.cli import COMMANDS
from rulelang.game import load
from rulelang.scenarios import run_scenarios

from .conftest import Run

ROOT = Path(__file__).resolve().parents[2]
CONFORMANCE = ROOT / "tests" / "conformance" / "rulesets"

BAD = """\
rulelang 2

play:
  for p in players:
    turn of p: act()

rule act:
  coins += prize
"""
HEAD = """\
rulelang: 2
name: bad
title: {en: Bad}
players: 2
languages: [en]
options: {price: {values: [2], default: 2}}
variables: {coins: {type: 0..9, per: player}}
"""


@pytest.fixture
def bad(tmp_path: Path) -> str:
    """A folder with a misspelt name in line 8, column 12 of its rules."""
    folder = tmp_path / "bad"
    folder.mkdir()
    (folder / "ruleset.yaml").write_text(HEAD, encoding="utf-8")
    (folder / "bad.rule").write_text(BAD, encoding="utf-8")
    return "bad"


def test_help_lists_every_command(rulelang: Run) -> None:
    """Help and version are good; every command has its own help."""
    shown = rulelang("--help")
    assert shown.status == 0
    assert all(f"\n  {name} " in shown.out for name in COMMANDS)
    assert rulelang("--version").out.startswith("rulelang 0.")
    for name in COMMANDS:
        assert rulelang(name, "--help").status == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("chek", "reco"),
        ("check",),
        ("info", "reco", "--form", "json"),
        ("perft", "reco", "--most", "0"),
        ("perft", "reco", "--depth", "-1"),
        ("perft", "reco", "--depth", "far"),
        ("perft", "reco", "--depth", "1", "--exact"),
        ("perft", "reco", "--depth", "1", "--players", "9"),
        ("perft", "reco", "--depth", "1", "--option", "deck=7"),
        ("perft", "reco", "--depth", "1", "--option", "deck"),
        ("simulate", "reco", "--games", "0"),
        ("simulate", "reco", "--jobs", "0"),
        ("simulate", "reco", "--bot", "genius"),
        ("simulate", "reco", "--backend", "quantum"),
        ("play", "reco", "--seat", "1"),
        ("play", "reco", "--seat", "7=human"),
        ("play", "reco", "--seat", "0=genius"),
        ("play", "reco", "--script", "nothing.jsonl"),
        ("replay", "nothing.json"),
        ("info", "no_such_ruleset"),
        ("new", "Bad-Name"),
    ],
)
def test_wrong_usage_is_2(rulelang: Run, arguments: tuple[str, ...]) -> None:
    """Wrong usage exits with 2, a message on stderr and no traceback; stdout stays empty."""
    done = rulelang(*arguments)
    assert done.status == 2
    assert done.err
    assert done.out == ""


def test_check_shows_the_line_and_the_nearest_name(rulelang: Run, bad: str) -> None:
    """Text has file, line and column, the marked line, and a hint."""
    done = rulelang("check", bad)
    assert done.status == 1
    assert "bad/bad.rule:8:12: error[name-unknown]: nothing here is called `prize`" in done.out
    assert "\n  8 |   coins += prize\n    |            ^^^^^\n  hint: did you mean `price`?" in done.out
    assert done.err == "1 error, 0 warnings; `rulelang explain name-unknown` says more\n"


def test_check_as_json(rulelang: Run, bad: str) -> None:
    """JSON has the fixed keys; a good ruleset has no diagnostics."""
    document = rulelang("check", bad, "--format", "json").json
    assert document["ok"] is False
    (finding,) = document["diagnostics"]
    assert set(finding) == {
        "file", "line", "column", "end_line", "end_column", "severity", "code", "message", "hint", "related",
    }  # fmt: skip
    assert (finding["line"], finding["column"], finding["end_column"], finding["related"]) == (8, 12, 17, [])
    good = rulelang("check", "reco", "--format", "json")
    assert (good.status, good.json) == (0, {"diagnostics": [], "ok": True})


def test_check_as_sarif(rulelang: Run, bad: str) -> None:
    """SARIF names the rule and the region."""
    log = rulelang("check", bad, "--format", "sarif").json
    (result,) = log["runs"][0]["results"]
    assert (log["version"], result["ruleId"], result["level"]) == ("2.1.0", "name-unknown", "error")
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 8


def test_a_second_place_stands_in_every_format(rulelang: Run) -> None:
    """What the text shows below a finding is `related` in JSON and `relatedLocations` in SARIF."""
    Path("twice").mkdir()
    Path("twice/ruleset.yaml").write_text(
        "rulelang: 2\nname: twice\nplayers: 2\nrules: |\n  play:\n    pass\n  rule a:\n    pass\n  rule a:\n    pass\n",
        encoding="utf-8",
    )
    place = {"file": "twice/ruleset.yaml", "line": 7, "column": 8, "message": "the rule `a`"}
    assert "twice/ruleset.yaml:7:8: the rule `a`" in rulelang("check", "twice").out
    findings = rulelang("check", "twice", "--format", "json").json["diagnostics"]
    assert [f["related"] for f in findings if f["code"] == "name-duplicate"] == [[place]]
    results = rulelang("check", "twice", "--format", "sarif").json["runs"][0]["results"]
    (other,) = next(r["relatedLocations"] for r in results if r["ruleId"] == "name-duplicate")
    region = other["physicalLocation"]["region"]
    assert (other["message"]["text"], region["startLine"], region["startColumn"]) == ("the rule `a`", 7, 8)


def test_check_takes_several_and_reads_scenarios(rulelang: Run) -> None:
    """Several paths are checked in one run, each with its variants; a scenario that can't be read is a finding too."""
    rulelang("new", "pond")
    variants = "".join(f"reco/{name}: ok\n" for name in ("hand_of_six", "more_than_four", "two_players"))
    assert rulelang("check", "pond", "reco").out == f"pond: ok\nreco: ok\n{variants}"
    file = Path("pond/scenarios/basics.yaml")
    file.write_text(file.read_text(encoding="utf-8").replace("count(deck)", "count(dock)"), encoding="utf-8")
    done = rulelang("check", "pond")
    assert done.status == 1
    assert "basics.yaml" in done.out
    assert "did you mean `deck`?" in done.out


def test_a_faulty_ruleset_is_1_everywhere(rulelang: Run, bad: str) -> None:
    """Commands that load a faulty ruleset print its findings on stderr, with JSON one document, and exit with 1."""
    for command in (("info", bad), ("test", bad), ("simulate", bad), ("perft", bad, "--depth", "1")):
        done = rulelang(*command)
        assert (done.status, done.out) == (1, "")
        assert "bad.rule:8:12" in done.err
        document = rulelang(*command, "--format", "json").json
        assert document["ok"] is False
        assert document["diagnostics"][0]["code"] == "name-unknown"


def test_info_and_perft(rulelang: Run) -> None:
    """Info lists players, options and zones; perft counts from the start with chance explicit."""
    assert "option deck: 88, 100 (default 88)" in rulelang("info", "reco").out
    assert rulelang("info", "reco", "--format", "json").json["players"] == [3, 4, 5]
    rows = rulelang("perft", str(CONFORMANCE / "kuhn"), "--depth", "5", "--format", "json").json["depths"]
    assert rows[0] == {"depth": 0, "chance": 1, "decision": 0, "terminal": 0, "histories": 1}
    assert [row["histories"] for row in rows] == [1, 3, 6, 12, 24, 12]
    assert "histories" in rulelang("perft", str(CONFORMANCE / "kuhn"), "--depth", "1").out


def test_perft_to_the_end(rulelang: Run) -> None:
    """Without a depth: positions, outcomes, and with `--exact` how likely they are and what to expect."""
    kuhn = str(CONFORMANCE / "kuhn")
    found = rulelang("perft", kuhn, "--exact", "--format", "json").json
    assert [row["histories"] for row in found["depths"]] == [1, 3, 6, 12, 24, 12]
    assert found["positions"] == 52
    assert found["outcomes"][0] == {
        "winners": [0], "scores": [1, -1], "drawn": False, "returns": ["1", "-1"], "histories": 9,
        "probability": "3/8", "decimal": 0.375,
    }  # fmt: skip
    assert found["expected_returns"] == [{"exact": "1/8", "decimal": 0.125}, {"exact": "-1/8", "decimal": -0.125}]
    counted = rulelang("perft", kuhn, "--depth", "end", "--format", "json").json
    assert set(counted) == {"depths", "positions", "outcomes"}
    assert set(counted["outcomes"][0]) == {"winners", "scores", "drawn", "returns", "histories"}
    text = rulelang("perft", kuhn, "--exact").out
    assert "52 positions" in text
    assert "0        1, -1   1, -1            9          3/8  0.375000" in text
    assert "1      -1/8  -0.125000" in text
    folded = rulelang("perft", str(CONFORMANCE / "endings"), "--players", "3").out.partition("positions")[2]
    assert [line.split()[-1] for line in folded.splitlines() if line][2:] == "313 90 36 89 273 83 221".split()


def test_the_scenarios_of_a_ruleset(rulelang: Run) -> None:
    """`test` counts; a failing scenario exits with 1 and says where it stands."""
    rulelang("new", "pond")
    good = rulelang("test", "pond", "--format", "json").json
    assert (good["passed"], good["failed"]) == (3, 0)
    assert set(good["scenarios"][0]) == {"name", "file", "line", "ok", "message", "cites"}
    file = Path("pond/scenarios/basics.yaml")
    file.write_text(file.read_text(encoding="utf-8").replace("scores: [3, 2]", "scores: [4, 2]"), encoding="utf-8")
    done = rulelang("test", "pond")
    assert done.status == 1
    assert "FAIL the better colour counts" in done.out
    assert "the scores are [3, 2], not [4, 2]" in done.out


def test_a_new_ruleset_is_complete(rulelang: Run) -> None:
    """What `new` makes passes check, test, fmt and simulate, and is not made twice."""
    assert rulelang("new", "pond").status == 0
    for command in (("check", "pond", "--strict"), ("test", "pond"), ("fmt", "pond", "--check")):
        assert rulelang(*command).status == 0
    assert rulelang("simulate", "pond", "--players", "4", "--games", "20").status == 0
    assert rulelang("new", "pond").status == 2


def test_fmt(rulelang: Run) -> None:
    """`--check` changes nothing and exits with 1 where something would change; a syntax error names its file."""
    rulelang("new", "pond")
    file = Path("pond/pond.rule")
    neat = file.read_text(encoding="utf-8")
    file.write_text(neat.replace("score best_colour:", "score   best_colour  :"), encoding="utf-8")
    done = rulelang("fmt", "pond", "--check")
    assert (done.status, done.out) == (1, "pond/pond.rule: would be changed\n")
    assert rulelang("fmt", "pond").status == 0
    assert file.read_text(encoding="utf-8") == neat
    file.write_text("rulelang 2\n\nplay\n  pass\n", encoding="utf-8")
    broken = rulelang("fmt", "pond/pond.rule")
    assert broken.status == 1
    assert "pond/pond.rule:" in broken.err


def test_a_closed_pipe_is_no_error() -> None:
    """When whoever reads the output has gone, the program ends quietly."""
    command = f"{shlex.quote(sys.executable)} -m rulelang info reco | true"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, env=os.environ, check=False)
    assert done.stderr == ""


def test_no_shipped_variant_is_ok_in_the_place_of_a_broken_local_one(rulelang: Run) -> None:
    """`check reco` beside a local `reco/` looks at that folder alone, its variants included."""
    text = "rulelang: 2\nname: reco\nplayers: 2\nrules: |\n  play: nothing()\n"
    for name, content in (("reco", text), ("reco/variants/hand_of_six", "rulelang: 2\nextends: reco\n")):
        Path(name).mkdir(parents=True)
        (Path(name) / "ruleset.yaml").write_text(content, encoding="utf-8")
    done = rulelang("check", "reco")
    assert (done.status, "ok" in done.out, done.out.count("error[")) == (1, False, 1)


def test_a_step_of_a_record_becomes_a_scenario(rulelang: Run, tmp_path: Path) -> None:
    """Which leads there again by the same choices and chance; a game that began as a scenario is one already."""
    file = ROOT / "tests" / "reco" / "playthroughs" / "reco-3-100.json"
    made = rulelang("replay", str(file), "--to", "7", "--scenario", "after seven")
    assert made.status == 0
    ignored = shutil.ignore_patterns("scenarios", "variants")
    folder = Path(shutil.copytree(ROOT / "rulesets" / "reco", tmp_path / "reco", ignore=ignored))
    (folder / "scenarios").mkdir()
    text = f"rulelang: 2\nscenarios:\n{made.out}"
    (folder / "scenarios" / "played.yaml").write_text(text, encoding="utf-8")
    (result,) = run_scenarios(load(folder), "interpreter")
    assert (result.name, result.message) == ("after seven", "")
    assert text.count("id:") == 7
