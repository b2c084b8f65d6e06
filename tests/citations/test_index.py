"""The index of the rulebook through the public API."""

from __future__ import annotations

from pathlib import Path

import pytest

import rulelang
from tests.citations.sample import write


def test_titles_of_a_citation(tmp_path: Path) -> None:
    """A line leads to the title of its passage, a range to all that it meets, a line between passages to none."""
    ruleset = rulelang.load(write(tmp_path))
    assert ruleset.cite("leaflet:5") == ("A turn",)
    assert ruleset.cite("leaflet:2-8") == ("The story", "Coins", "A turn", "Ada earns a coin")
    assert ruleset.cite("leaflet:7") == ()
    assert [(p.source, p.first, p.last, p.kind) for p in ruleset.rulebook][:2] == [
        ("leaflet", 1, 2, "flavour"),
        ("leaflet", 3, 3, "rule"),
    ]


def test_titles_in_a_language(tmp_path: Path) -> None:
    """A title is given in the language asked for, else in one that it has."""
    swaps = (("languages: [en]", "languages: [en, fr]"), ("{en: A turn}", "{en: A turn, fr: Un tour}"))
    ruleset = rulelang.load(write(tmp_path, *swaps))
    assert ruleset.cite("leaflet:4", "fr") == ("Un tour",)
    assert ruleset.cite("leaflet:4", "de") == ("A turn",)
    assert ruleset.cite("leaflet:3", "fr") == ("Coins",)


@pytest.mark.parametrize("citation", ["leaflet", "leaflet:", "leaflet:1-", "leaf:1", "leaflet:one", ""])
def test_no_citation(citation: str, tmp_path: Path) -> None:
    """What cites no source of the ruleset is refused, with the sources that there are."""
    with pytest.raises(rulelang.UsageError, match="its sources are leaflet"):
        rulelang.load(write(tmp_path)).cite(citation)


def test_an_index_is_of_one_piece(tmp_path: Path) -> None:
    """A source's index stands in one file; a variant's replaces it."""
    folder = write(tmp_path / "leaves")
    more = "rulelang: 2\nrulebook: {leaflet: [{lines: 11, title: More, is: rule}]}\n"
    variant = tmp_path / "short"
    variant.mkdir()
    (variant / "ruleset.yaml").write_text(f"{more}extends: leaves\nname: short\n", encoding="utf-8")
    assert [p.first for p in rulelang.load(variant).rulebook] == [11]
    (folder / "more.yaml").write_text(more, encoding="utf-8")
    with pytest.raises(rulelang.RulesetError, match="ruleset-duplicate"):
        rulelang.load(folder)
