"""Overlays that know nothing of each other: what goes together and what does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulelang.diagnostics import RulesetError
from rulelang.game import load

from .games import findings, first_lines, write

LOW, HIGH = "pieces: {Card: [{id: low, ", "pieces: {Card: [{id: high, "

CLASHES = {
    "row": (LOW + "value: 2}]}", LOW + "value: 3}]}"),
    "other key of a row": (LOW + "value: 2}]}", LOW + "count: 3}]}"),
    "row removed": (LOW + "remove: true}]}", LOW + "words: {en: x}}]}"),
    "section removed": ("zones: {table: {visible: top}}", "zones: {remove: true}"),
    "words of a language": ("words: {en: {low: x}}", "words: {en: {low: y}}"),
    "option": ("options: {size: {default: 2}}", "options: {size: {values: [1, 2, 3]}}"),
    "players": ("players: 3", "players: 2..4"),
    "rule": ("function bonus -> number = 1", "function bonus -> number = 2"),
    "rule that is new": ("function extra -> number = 1", "rule extra: pass"),
    "rule removed": ("remove score cards", "score cards: 1"),
    "instead": ("instead of step second: note(3)", "instead of step second: note(4)"),
    "remove and after": ("remove step second", "after step second: note(4)"),
    "before and remove": ("before step second: note(4)", "remove step second"),
    "instead and remove": ("instead of step second: note(4)", "remove step second"),
    "rule and step": ("rule act: pass", "after step second: note(4)"),
    "step and rule": ("after step second: note(4)", "rule act: note(4)"),
    "rule removed and step": ("remove rule other", "after step first of other: note(4)"),
    "step in a step": (
        "instead of step second:\n  step inner: note(4)",
        "instead of step second:\n  step inside: note(4)",
    ),
    "exchange": ("exchange pair in market: 4 nut -> 1 oil", "exchange pair in market: 5 nut -> 1 oil"),
    "exchange and group": (
        "exchange pair in market: 4 nut -> 1 oil",
        "exchanges market from shed:\n  exchange only: 5 nut -> 1 oil",
    ),
    "group and exchange": (
        "exchanges market from shed:\n  exchange only: 5 nut -> 1 oil",
        "remove exchange only in market",
    ),
}

TOGETHER = {
    "other rows": (LOW + "value: 2}]}", HIGH + "value: 4}]}"),
    "the same row, the same": (LOW + "value: 2}]}", LOW + "value: 2}]}"),
    "a row and its words": (LOW + "value: 2}]}", LOW + "words: {en: x}}]}"),
    "both remove": (LOW + "remove: true}]}", LOW + "remove: true}]}"),
    "names of their own": ("title: {en: One}", "title: {en: Two}"),
    "other rules": ("function bonus -> number = 1", "remove score cards"),
    "the same rule, the same": ("function bonus -> number = 1", "function bonus -> number = 1"),
    "both remove a rule": ("remove rule other", "remove rule other"),
    "both remove a step": ("remove step second", "remove step second"),
    "both remove an exchange": ("remove exchange pair in market", "remove exchange pair in market"),
    "before and after": ("before step second: note(4)", "after step second: note(4)"),
    "twice before": ("before step second: note(4)", "before step second: note(5)"),
    "instead and before": ("instead of step second: note(4)", "before step second: note(5)"),
    "other steps": ("remove step second", "after step first of act: note(5)"),
    "other exchanges": ("remove exchange pair in market", "exchange one in market: 6 nut -> 1 oil"),
}


@pytest.mark.parametrize("case", CLASHES)
def test_two_that_touch_the_same_name_clash(tmp_path: Path, case: str) -> None:
    """Whichever comes first, the finding stands in the second and shows the first; each alone is accepted."""
    one, two = CLASHES[case]
    tiny, first, second = write(tmp_path, one=one, two=two)
    for below, above in ((first, second), (second, first)):
        clashes = [d for d in findings(tiny, below, above) if d.code == "overlay-clash"]
        assert clashes
        for found in clashes:
            assert Path(found.span.path).parent.name == above.name
            assert [Path(span.path).parent.name for span, _ in found.related] == [below.name]


@pytest.mark.parametrize("case", TOGETHER)
def test_others_combine(tmp_path: Path, case: str) -> None:
    """Overlays that touch different names, or say the same, go together in both orders."""
    one, two = TOGETHER[case]
    tiny, first, second = write(tmp_path, one=one, two=two)
    assert findings(tiny, first, second) == []
    assert findings(tiny, second, first) == []


@pytest.mark.parametrize("case", CLASHES)
def test_who_extends_the_other_may_change_it(tmp_path: Path, case: str) -> None:
    """The same two changes are no clash when the second extends the first."""
    one, two = CLASHES[case]
    two = (
        f"extends: one\n{two}"
        if two.startswith(("pieces", "zones", "words", "options", "players"))
        else ("extends: one\nrules: |\n" + "".join(f"  {line}\n" for line in two.split("\n")))
    )
    found = findings(*write(tmp_path, one=one, two=two))
    assert [d for d in found if d.code == "overlay-clash"] == []


def test_an_overlay_of_the_base_clashes_with_a_variant_of_it(tmp_path: Path) -> None:
    """Laid over a variant, an overlay that extends the base is as independent as two overlays are."""
    _, variant, over = write(
        tmp_path,
        variant="extends: tiny\nrules: |\n  function bonus -> number = 1",
        over="extends: tiny\nrules: |\n  function bonus -> number = 2",
    )
    assert [d.code for d in findings(variant, over)] == ["overlay-clash"]
    (over / "ruleset.yaml").write_text("rulelang: 2\nrules: |\n  function bonus -> number = 2\n", encoding="utf-8")
    assert first_lines(variant, over)["bonus"] == 2


def test_the_same_overlay_is_laid_once(tmp_path: Path) -> None:
    """Naming an overlay twice changes nothing."""
    tiny, over = write(tmp_path, over="before step second: note(5)")
    assert first_lines(tiny, over, over)["trace"] == 152


def test_no_clash_is_hidden_by_what_was_compiled_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same files are one program where one builds on the other, and a clash where they do not."""
    monkeypatch.setenv("RULELANG_CACHE", str(tmp_path / "cache"))
    tiny, one, two = write(
        tmp_path,
        one="extends: tiny\nrules: |\n  function bonus -> number = 1",
        two="function bonus -> number = 2",
    )
    assert load(one, [two]).hash
    with pytest.raises(RulesetError, match="overlay-clash"):
        load(tiny, [one, two])
