"""Every lint says what it should, where it should and alone; and it says nothing of what was meant."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import rulelang.cli
from rulelang.cli.new import skeleton
from rulelang.diagnostics import Diagnostics
from rulelang.game.ruleset import load
from rulelang.ruleset.loader import load_ruleset
from rulelang.semantics.check import analyse, lint
from rulelang.semantics.tree.shared import Analysed
from tests.lints.cases import MEANT, WRONG
from tests.lints.game import Edit, edit
from tests.messages.said import block, unsaid
from tests.offenders import emptied, none, offenders
from tests.reference import YAML
from tests.shipped import checked

ROOT = Path(__file__).resolve().parents[2]
WORDS = Path(__file__).with_name("words.txt")
LINTS = ROOT / "rulelang" / "semantics" / "lints"
FOLDERS = sorted(
    path.parent
    for below in ("rulesets", "tests/conformance/rulesets", "tests/fragments")
    for path in (ROOT / below).glob("*/ruleset.yaml")
)
EXAMPLES = [text for text in YAML if text.startswith("rulelang: 2") and "\nname: " in text]


def found(path: Path) -> list[str]:
    """What the checks and lints find in a ruleset."""
    diagnostics = Diagnostics()
    ruleset = load_ruleset(path, diagnostics=diagnostics)
    assert ruleset is not None, list(map(str, diagnostics))
    analysed = analyse(ruleset, diagnostics)
    assert analysed is not None, list(map(str, diagnostics))
    return of_analysed(analysed)


def of_analysed(analysed: Analysed) -> list[str]:
    """What the lints find in a ruleset that is checked, after what the checker found."""
    warnings = Diagnostics()
    lint(analysed, warnings)
    return [*map(str, analysed.shared.diagnostics), *map(str, warnings)]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(rulelang.cli.rulelang, list(arguments))


@pytest.mark.parametrize("code", WRONG)
def test_warned(code: str, same_folder: Path) -> None:
    """What was hardly meant gives this warning at the marked line, in these words, and no other."""
    said = []

    def warned(wrong: Edit) -> None:
        warnings = wrong.findings(emptied(same_folder))
        said.append(block(warnings))
        marked = [("warning", code, n) for n in wrong.marked()]
        assert [(d.severity, d.code, d.span.line) for d in warnings] == marked, "\n".join(map(str, warnings))
        assert all(d.hint for d in warnings)

    none(offenders(warned, WRONG[code]))
    none(unsaid(WORDS, code, said))


@pytest.mark.parametrize("meant", MEANT.values(), ids=MEANT)
def test_silent(meant: Edit, same_folder: Path) -> None:
    """What may well be meant gives no warning."""
    assert [str(d) for d in meant.findings(same_folder)] == []


def test_every_lint_is_covered() -> None:
    """Each code that stands in the lints has two wrong games here."""
    texts = [path.read_text(encoding="utf-8") for path in LINTS.glob("*.py") if path.stem != "words"]
    codes = {code for text in texts for code in re.findall(r'"([a-z]+-[a-z]+)"', text)}
    assert codes == set(WRONG)
    assert [code for code, cases in WRONG.items() if len(cases) < 2] == []


@pytest.mark.parametrize("folder", FOLDERS, ids=[path.name for path in FOLDERS])
def test_no_false_alarm(folder: Path) -> None:
    """The rulesets of the project say nothing that they do not mean."""
    meant = {"fair": ["game-uneven"]}.get(folder.name, [])  # of five fruits the last to draw finds none
    assert [words.partition("[")[2].partition("]")[0] for words in of_analysed(checked(folder))] == meant


@pytest.mark.parametrize("text", EXAMPLES, ids=[text.split("name: ")[1].split()[0] for text in EXAMPLES])
def test_no_false_alarm_in_the_reference(text: str, tmp_path: Path) -> None:
    """Nor do the examples of the language reference; words in all languages are not asked of them."""
    (tmp_path / "ruleset.yaml").write_text(text, encoding="utf-8")
    assert [finding for finding in found(tmp_path) if "words-missing" not in finding] == []


def test_no_false_alarm_in_a_new_ruleset(tmp_path: Path) -> None:
    """Nor does what `rulelang new` writes."""
    for name, text in skeleton("first").items():
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert found(tmp_path) == []


def test_check_warns_and_play_does_not(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """`check` exits 0 with warnings, 1 with `--strict`; to load and play a ruleset prints none."""
    game = edit(rules="rule idle: pass")
    (tmp_path / "ruleset.yaml").write_text(game.text(), encoding="utf-8")
    result = run("check", str(tmp_path))
    assert result.exit_code == 0
    assert "warning[rule-unused]" in result.output
    assert run("check", "--strict", str(tmp_path)).exit_code == 1
    load(tmp_path).new_game(players=2, seed=1)
    assert capfd.readouterr() == ("", "")


def test_lints_wait_for_a_faultless_ruleset(tmp_path: Path) -> None:
    """While there is an error, `check` says nothing of what is not used."""
    game = edit(("rounds += 1", "rounds += one"), rules="rule idle: pass")
    (tmp_path / "ruleset.yaml").write_text(game.text(), encoding="utf-8")
    output = run("check", str(tmp_path)).output
    assert "error[name-unknown]" in output
    assert "warning" not in output.replace("0 warnings", "")
