"""The terminal's own texts."""

from __future__ import annotations

import re
from pathlib import Path

import rulelang.cli
from rulelang.languages import language
from rulelang.table.names import Names
from rulelang.table.sheet import ending
from rulelang.words.terminal import Texts
from tests.reference import YAML

FOLDER = Path(rulelang.cli.__file__).parent


def test_every_text_is_used() -> None:
    """No text is left over."""
    code = "".join(
        path.read_text(encoding="utf-8")
        for path in [
            *FOLDER.glob("play/*.py"),
            *FOLDER.parent.glob("table/*.py"),
            FOLDER / "compare.py",
            FOLDER / "replay.py",
        ]
    )
    used = set(re.findall(r"""["'](\w+)["']""", code)) | {f"seen_{sort}" for sort in ("moved", "chance", "shown")}
    begun = tuple(re.findall(r"""f["'](\w+_)\{""", code))
    several = {f"{name}s" for name in used}
    assert {
        name
        for name in set(language("en").texts("terminal")) - {"commands", "bots"} - used - several
        if not name.startswith(begun)
    } == set()


def test_other_languages_fall_back() -> None:
    """A regional code has its language's texts, an unknown one the English."""
    assert Texts("fr-CA")("total") == language("fr").texts("terminal")["total"]
    assert Texts("xx")("not_over") == "not over"


def test_the_end_tells_ranks(tmp_path: Path) -> None:
    """Where it says more than who has won."""
    (text,) = [text for text in YAML if "\nname: ranked\n" in text]
    (tmp_path / "ruleset.yaml").write_text(text, encoding="utf-8")
    told = []
    for coins in ((0, 2, 0), (2, 0, 2)):
        state = rulelang.load(tmp_path).new_game(players=3)
        for n in coins:
            state.apply(f"play:coins={n}")
        told.append(ending(state, Names(state, "en")))
    assert told == ["Seat 1 wins. Ranks: 1 seat 1; 2 seat 2; 3 seat 0.", "Seat 0 and seat 2 win together."]
