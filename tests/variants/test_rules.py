"""What variants do to rules: steps and declarations, one layer over another."""

from __future__ import annotations

from pathlib import Path

import pytest

from .games import BASE, findings, first_lines, places, write


def trace(tmp_path: Path, **overlays: str) -> int:
    """The order of what happened with overlays."""
    return first_lines(*write(tmp_path, **overlays))["trace"]


def test_the_base_alone(tmp_path: Path) -> None:
    """Without overlays the steps run as written."""
    assert first_lines(*write(tmp_path)) == {"trace": 12, "bonus": 0, "cards": 4}


@pytest.mark.parametrize(
    ("rules", "wanted"),
    [
        ("before step second: note(5)", 152),
        ("after step second: note(5)", 125),
        ("instead of step second: note(5)", 15),
        ("remove step second", 1),
        ("before step first of act: note(digit + 3)", 412),
        ("after step first of act:\n  let two = 6\n  note(two)", 162),
        ("remove step second\nafter step second: note(4)", 1),
        ("remove step second\nremove step first of act", 0),
        ("before step second: note(5)\nafter step second: note(6)\ninstead of step second: note(7)", 1576),
        ("rule act:\n  step first: note(4)\nafter step first of act: note(5)", 45),
        ("after act: note(5)", 125),
        ("before act: note(5)", 512),
        ("instead of act: note(5)", 5),
        ("before act: note(5)\nafter step second of act: note(6)", 5126),
        ("after act when you.trace > 9: note(5)", 125),
        ("rule note(digit: number): trace := trace * 10 + digit + 1", 23),
    ],
)
def test_a_variant_changes_steps(tmp_path: Path, rules: str, wanted: int) -> None:
    """A block stands in the place of its step and sees what the step sees; the rest stays as it is."""
    assert trace(tmp_path, over=rules) == wanted


def test_a_rule_of_another_layer_may_be_hooked(tmp_path: Path) -> None:
    """Also where a higher layer declares it anew; not one of the same folder, nor one that gives a value."""
    assert trace(tmp_path / "a", one="after act: note(5)", two="rule act: note(4)") == 45
    assert trace(tmp_path / "b", one="rule act: note(4)", two="after act: note(5)") == 45
    for number, rules in enumerate(("rule act: note(4)\nafter act: note(5)", "after bonus: note(5)")):
        assert "event-unknown" in {d.code for d in findings(*write(tmp_path / str(number), over=rules))}


def test_layers_nest(tmp_path: Path) -> None:
    """The higher layer's block comes first before a step and last after it; replaced or not, the step is between."""
    one = "before step second: note(3)\nafter step second: note(4)"
    two = "extends: one\nrules: |\n  before step second: note(5)\n  after step second: note(6)"
    three = "extends: two\nrules: |\n  instead of step second: note(7)"
    assert trace(tmp_path, one=one, two=two) == 153246
    assert trace(tmp_path, one=one, two=two, three=three) == 153746
    alone = "before step second: note(5)\nafter step second: note(6)"
    assert trace(tmp_path, one=one, two=alone) == 153246
    assert trace(tmp_path, two=alone, one=one) == 135264


def test_a_variant_changes_the_steps_that_another_brought(tmp_path: Path) -> None:
    """Steps inside what a variant put there are steps of the layers above it, and of no other."""
    one = "instead of step second:\n  step inner: note(3)"
    assert trace(tmp_path, one=one, two="extends: one\nrules: |\n  before step inner: note(4)") == 143
    over = one + "\nbefore step inner: note(4)"
    assert places(findings(*write(tmp_path, over=over))) == [("step-unknown", "over", 5)]
    nested = "extends: one\nrules: |\n  remove step second\n  before step inner: note(4)"
    (found,) = findings(*write(tmp_path, one=one, two=nested))
    assert (found.code, found.span.line, found.related[0][0].line) == ("step-unknown", 5, 4)


def test_a_removed_step_takes_along_what_lower_layers_put_there(tmp_path: Path) -> None:
    """Nothing of it remains, and a higher layer is told who took it."""
    one, two = "before step second: note(3)", "extends: one\nrules: |\n  remove step second"
    assert trace(tmp_path, one=one, two=two) == 1
    late = "extends: two\nrules: |\n  after step second: note(4)"
    (found,) = findings(*write(tmp_path, one=one, two=two, late=late))
    assert (found.code, found.span.line) == ("step-unknown", 4)
    assert found.hint.endswith("two/ruleset.yaml:4")


def test_steps_of_play_and_setup_and_events(tmp_path: Path) -> None:
    """Whatever has a block has steps; `of` names what it is called, or the word that it begins with."""
    rules = "play:\n  step begin:\n    for p in players:\n      turn of p: ring()\nevent ring:\n  step bell: note(1)"
    over = "extends: one\nrules: |\n  after step begin of play: pass\n  instead of step bell of ring: note(2)"
    tiny, one, two = write(tmp_path, one=rules, two=over)
    assert first_lines(tiny, one, two)["trace"] == 2


def test_a_declaration_stands_in_the_place_of_the_lower_one(tmp_path: Path) -> None:
    """A score line keeps its place on the sheet; a removed one is gone."""
    over = "score trace: 7\nremove score cards\nfunction bonus -> number = 5"
    assert list(first_lines(*write(tmp_path, over=over)).items()) == [("trace", 7), ("bonus", 5)]


def test_what_uses_something_removed_is_told_who_removed_it(tmp_path: Path) -> None:
    """The hint and a related place show the line of the overlay, for rules and for what YAML declares."""
    (found,) = findings(*write(tmp_path, over="remove function bonus"))
    assert (found.code, found.span.line) == ("call-unknown", 1 + BASE[: BASE.index("score bonus")].count("\n"))
    assert found.hint.endswith("over/ruleset.yaml:3")
    assert found.related[-1][0].line == 3
    found = next(d for d in findings(*write(tmp_path, over="zones: {table: {remove: true}}")) if "-unknown" in d.code)
    assert found.hint.endswith("over/ruleset.yaml:2")


def exchanges(tmp_path: Path, over: str) -> list[str]:
    """The exchanges offered at first."""
    from rulelang.game import load

    base, *overlays = write(tmp_path, over=over)
    return [action.id for action in load(base, overlays).new_game().legal_actions()]


@pytest.mark.parametrize(
    ("rules", "wanted"),
    [
        ("remove exchange pair in market", ["triple:pay=nut+nut+nut,gain=oil", "done"]),
        (
            "exchange pair in market: 4 nut -> 2 oil",
            ["pair:pay=nut+nut+nut+nut,gain=oil+oil", "triple:pay=nut+nut+nut,gain=oil", "done"],
        ),
        (
            "exchange one in market: 6 nut -> 1 oil\nremove exchange triple in market",
            ["pair:pay=nut+nut,gain=oil", "one:pay=nut+nut+nut+nut+nut+nut,gain=oil", "done"],
        ),
        (
            "exchanges market from shed:\n  exchange only: 5 nut -> 1 oil",
            ["only:pay=nut+nut+nut+nut+nut,gain=oil", "done"],
        ),
    ],
)
def test_one_exchange_of_a_group(tmp_path: Path, rules: str, wanted: list[str]) -> None:
    """An exchange is replaced in its place, added last or removed; a group is replaced whole."""
    assert exchanges(tmp_path, rules) == wanted


def test_a_group_without_exchanges_asks_nothing(tmp_path: Path) -> None:
    """When all exchanges are removed, trading in the group is no decision."""
    over = "remove exchange pair in market\nremove exchange triple in market"
    assert first_lines(*write(tmp_path, over=over))["trace"] == 12


@pytest.mark.parametrize(
    ("rules", "code", "line"),
    [
        ("before step second: note(1)\nbefore step second: note(2)", "name-duplicate", 4),
        ("function bonus -> number = 1\nfunction bonus -> number = 2", "name-duplicate", 4),
        ("exchange pair in market: 4 nut -> 1 oil\nexchange pair in market: 5 nut -> 1 oil", "name-duplicate", 4),
        ("before step first: pass", "step-ambiguous", 3),
        ("before step second of play: pass", "step-unknown", 3),
        ("before step second of acct: pass", "step-unknown", 3),
        ("remove rule bonus", "remove-unknown", 3),
        ("remove exchange par in market", "remove-unknown", 3),
        ("remove payoff", "remove-unknown", 3),
        ("instead of step second: note(digitt)", "name-unknown", 3),
        ("rule act: note(1)\nremove step second of act", "step-unknown", 4),
    ],
)
def test_mistakes_stand_at_their_line(tmp_path: Path, rules: str, code: str, line: int) -> None:
    """A mistake of an overlay is found in the overlay."""
    assert places(findings(*write(tmp_path, over=rules))) == [(code, "over", line)]


def test_a_broken_rule_hides_no_second_mistake(tmp_path: Path) -> None:
    """Where rule text cannot be read, nobody is told that what stands in it is missing."""
    found = findings(*write(tmp_path, over="rule extra\n  step third: pass\nbefore step third of extra: pass"))
    assert [d.code for d in found] == ["syntax-colon"]
