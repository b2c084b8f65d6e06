"""Figures that may be varied, targets, and overlays of both: what `rulelang.lab` does without playing."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulelang.diagnostics import Diagnostics, UsageError
from rulelang.game import load
from rulelang.lab.figures import Figures, overlay, write_overlay
from rulelang.lab.targets import miss, target
from rulelang.ruleset.loader import load_ruleset

GAME = """rulelang: 2
name: stall_of_fruit
players: 2
options: {rounds: {values: [1, 2], default: 2}}
kinds: {Fruit: {attributes: {worth: 0..9}, defaults: {worth: 2}, start: tree}}
pieces:
  Fruit: [{id: apple, worth: 1, count: 6}, {id: pear}]
zones:
  tree: {holds: Fruit, order: pile, visible: count}
  basket: {holds: Fruit, per: player}
variables:
  wasps: {type: 0..20, per: player, start: 3}
rules: |
  setup: shuffle tree
  play:
    repeat rounds times:
      for p in players:
        turn of p: harvest()
  rule harvest:
    let n = choose a number from 1 to most_picked()
    draw n from tree to basket
    wasps += 1
  function most_picked -> 1..6 = 2
  score fruit: sum(basket.worth) - wasps
"""


@pytest.fixture
def figures(tmp_path: Path) -> Figures:
    folder = tmp_path / "stall_of_fruit"
    folder.mkdir()
    (folder / "ruleset.yaml").write_text(GAME, encoding="utf-8")
    return Figures(load(folder))


def test_the_end_of_a_path_names_a_figure(figures: Figures) -> None:
    """Values of rows, those that a row leaves to its kind too, options, starts, and functions that are a number."""
    values = {name: figures.find(name).value for name in ("apple.worth", "pear.worth", "pear.count", "wasps.start")}
    assert values == {"apple.worth": "1", "pear.worth": "2", "pear.count": "1", "wasps.start": "3"}
    assert figures.find("rounds").path == ("options", "rounds", "default")
    assert figures.find("most_picked").name == "function.most_picked"
    assert figures.find("pieces.Fruit.apple.count").value == "6"
    assert figures.variation("apple.worth=0..4/2,9").values == ("0", "2", "4", "9")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("aple.worth=1", "did you mean `apple.worth`?"),
        ("worth=1", "`pieces.Fruit.apple.worth`, `pieces.Fruit.pear.worth`"),
        ("apple.worth", "PATH=VALUES"),
        ("apple.worth=4..1", "`4..1` is no range"),
        ("apple.worth=1,,2", "a comma between each two"),
        ("xyz=1", "`rulelang lab figures` lists all of them"),
    ],
)
def test_what_can_not_be_varied_is_refused(figures: Figures, text: str, said: str) -> None:
    """The message names what may have been meant."""
    with pytest.raises(UsageError, match=r"^[^\n]*$") as error:
        figures.variation(text)
    assert said in str(error.value)


def test_an_overlay_says_what_changes(figures: Figures, tmp_path: Path) -> None:
    """As a variant it is a ruleset of its own, with the values; it has what a designer would write, and no more."""
    names = {"apple.worth": "4", "pear.worth": "2", "pear.count": "3", "rounds": "1", "most_picked": "4"}
    values = {figures.find(name): value for name, value in names.items()}
    assert overlay(values, "sweet", "stall_of_fruit") == (
        "rulelang: 2\nextends: stall_of_fruit\nname: sweet\n"
        "pieces:\n  Fruit:\n    - {id: apple, worth: 4}\n    - {id: pear, count: 3}\n"
        "options: {rounds: {default: 1}}\nrules: |\n  function most_picked -> 1..6 = 4\n"
    )
    folder = write_overlay(tmp_path / "sweet", values, "sweet", "stall_of_fruit")
    changed = Figures(load(folder))
    assert {name: changed.find(name).value for name in names} == names
    findings = Diagnostics()
    assert load_ruleset(tmp_path / "stall_of_fruit", [write_overlay(tmp_path / "over", values)], diagnostics=findings)
    assert not findings.has_errors


def test_an_overlay_keeps_to_its_lines(tmp_path: Path) -> None:
    """Many rows of a kind go on one line; what does not fit even so is refused."""
    rows = "".join(f", {{id: fig{number}}}" for number in range(12))
    (tmp_path / "ruleset.yaml").write_text(GAME.replace(", {id: pear}", rows), encoding="utf-8")
    figures = Figures(load(tmp_path))
    many = {figures.find(f"fig{number}.worth"): "4" for number in range(12)}
    assert len(overlay(many).splitlines()) == 2
    assert len(overlay(dict(list(many.items())[:7])).splitlines()) == 10
    text = "\n".join(f"  function f{number} -> number = {number}" for number in range(9))
    (tmp_path / "ruleset.yaml").write_text(f"{GAME}{text}\n", encoding="utf-8")
    functions = [figure for figure in Figures(load(tmp_path)).all.values() if figure.path[-1].startswith("f")]
    assert len(overlay(dict.fromkeys(functions[:8], "9")).splitlines()) == 10
    with pytest.raises(UsageError, match="10 lines"):
        overlay(dict.fromkeys(functions, "9"))


def test_targets_are_missed_by_widths_of_their_range() -> None:
    """Worked out by hand."""
    means = {("turns", -1, ""): 56.0, ("seats", 0, ""): 0.3, ("win_share", 1, ""): 0.35, ("used", -1, "d12"): 0.5}
    assert target("turns=40..50").miss(means, 2) == pytest.approx(0.6)
    assert target("seats=..0.05").miss(means, 2) == pytest.approx((0.3 - 0.05) / 0.05)
    assert target("win_share.1=0.4..").miss(means, 2) == pytest.approx(0.05 / 0.04)
    assert target("turns=70").miss(means, 2) == pytest.approx(2.0)
    both = [target("turns=40..50"), target("used.d12=0.1..0.9")]
    assert miss(both, means, 2) == pytest.approx(0.6)
    assert [str(t) for t in both] == ["turns=40..50", "used.d12=0.1..0.9"]
    for text in ("turns", "turns=", "turns=..", "turns=5..3", "turns=1 2", "turns=abc"):
        with pytest.raises(UsageError):
            target(text)
