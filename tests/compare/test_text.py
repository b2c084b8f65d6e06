"""What `rulelang compare` tells people."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import rulelang
from rulelang.cli.compare import WIDTH, ComparisonText
from rulelang.compare import ComparedMeasure, Comparison
from rulelang.semantics.differences import AttributeChange, Change

from .test_compare import BASE


def measure(
    name: str = "turns", card: str = "", difference: float = 0.25, needed: int | None = None
) -> ComparedMeasure:
    """A measure with an interval that ends at 0 or above."""
    ends = (-0.0001, 0.5) if abs(difference) < 0.5 else (difference - 0.1, difference + 0.1)
    keys = (card, "take", "play") if card else ("", "", "")
    return ComparedMeasure(name, -1, *keys, 1.0, 1.0 + difference, difference, *ends, difference > 1, needed)


def report(
    folder: Path, lang: str, *measures: ComparedMeasure, every: bool = False, bot: str = "random"
) -> ComparisonText:
    """What is told of a ruleset in which one card, one option and one function differ, and one card is gone."""
    folder.mkdir(exist_ok=True)
    words = "words: {en: {low: tin can, take: buy}, fr: {low: boîte, take: acheter}}\nrules: |\n  rule take: pass"
    (folder / "ruleset.yaml").write_text(BASE.replace("rules: |", words), encoding="utf-8")
    changes = (
        Change("added", "options", "", "bonus", (AttributeChange("values", None, "1, 2"),)),
        Change("changed", "pieces", "Card", "low", (AttributeChange("worth", "1", "3"),)),
        Change("removed", "pieces", "Card", "gone", ()),
        Change("changed", "rules", "function", "limit", (AttributeChange("rules", "function limit -> number = 5",
        "function limit -> number = 6"),)),
    )  # fmt: skip
    found = Comparison(200, 2, bot, "base", "variant", changes, measures)
    return ComparisonText(found, rulelang.load(folder).words(lang), every)


def row(folder: Path, games_needed: int | None, difference: float = 0.25) -> list[object]:
    """B - A, the interval, how many games would show it."""
    found = report(folder, "en")._row(measure(difference=difference, needed=games_needed))
    return [found[3], found[4], found[6]]


def test_numbers(tmp_path: Path) -> None:
    """Past a million games the number is not told; below, two digits of it are. What rounds to nothing is not less than
    nothing."""
    assert row(tmp_path, 17_000_123) == ["+0.250", "0.000 to 0.500", "> 1 million"]
    assert row(tmp_path, 12_345) == ["+0.250", "0.000 to 0.500", "~13000"]
    assert row(tmp_path, None) == ["+0.250", "0.000 to 0.500", ""]
    assert row(tmp_path, None, -0.0002)[0] == "+0.000"
    assert row(tmp_path, None, -0.002)[0] == "-0.002"


def test_what_changed_comes_first_and_the_rest_folds(tmp_path: Path) -> None:
    """The declarations, then the figures of the game and of the changed card though it did not move, then the card that
    moved; the others are a number, or with `every` rows. The ruleset's words name what is done with a card."""
    figures = [measure(), *(measure("action", card) for card in ("low", "dull", "still")), measure("action", "up", 2.0)]
    lines = list(report(tmp_path, "en", *figures).lines())
    assert lines[2:7] == [
        "What B has otherwise:",
        "  options bonus is new: values 1, 2",
        "  card tin can: worth 1 → 3",
        "  card gone is gone",
        "  function limit: … 5 → … 6",
    ]
    text = "\n".join(lines)
    places = [
        text.index(part) for part in ("\nturns ", "\ntin can: buy ", "\nFurther cards ", "\nup: buy ", "\n2 further")
    ]
    assert places == sorted(places)
    assert "dull" not in text
    assert "* 1 clear difference," in text
    everything = "\n".join(report(tmp_path, "en", *figures, every=True).lines())
    assert "\ndull: buy " in everything
    assert "no difference shown" not in everything


def test_cards_of_one_name_have_their_ids(tmp_path: Path) -> None:
    """What stands in a row and in a change."""
    found = report(tmp_path, "en", measure("action", "low"), every=True).comparison
    found = dataclasses.replace(found, kinds={"low": "Card", "tin_can": "Card", "top": "Card"})
    told = ComparisonText(found, rulelang.load(tmp_path).words("en"), every=True)
    names = [told._name(measure("action", card)) for card in ("low", "tin_can", "top")]
    assert names == ["tin can (low): buy", "tin can (tin_can): buy", "top: buy"]
    assert "  card tin can (low): worth 1 → 3" in list(told.lines())


def test_what_a_bot_cannot_show_in_both_languages(tmp_path: Path) -> None:
    """The last line, by the bot that played; nothing is wider than the table may be."""
    ends = {}
    for lang in ("en", "fr"):
        for bot in ("random", "playouts:5"):
            lines = "\n".join(report(tmp_path, lang, measure("action", "low"), bot=bot).lines()).split("\n")
            assert max(map(len, lines)) <= WIDTH
            ends[lang, bot] = " ".join(lines[-2:])
    assert "`--bot playouts` looks one move ahead" in ends["en", "random"]
    assert "one move ahead and then plays at random" in ends["en", "playouts:5"]
    assert "`--bot playouts` regarde un coup à l'avance" in ends["fr", "random"]
    assert len(set(ends.values())) == 4
    assert "  card boîte : worth 1 → 3" in list(report(tmp_path, "fr").lines())
    assert any(line.startswith("boîte: acheter ") for line in "\n".join(
        report(tmp_path, "fr", measure("action", "low")).lines()).split("\n"))  # fmt: skip
