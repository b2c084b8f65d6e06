"""What was found faultless is not looked at again until a file changes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.memory.known import is_known

from .conftest import Run

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """R-ECO with its variants, in a folder of its own, with an empty cache."""
    monkeypatch.setenv("RULELANG_CACHE", str(tmp_path / "cache"))
    return Path(shutil.copytree(ROOT / "rulesets" / "reco", tmp_path / "reco"))


def test_a_change_anywhere_is_seen(game: Path, rulelang: Run) -> None:
    """Also one in a variant, a scenario or a file that is new; a link is never remembered."""
    assert not is_known(game)
    for _ in range(2):
        assert rulelang("check", str(game)).status == 0
        assert is_known(game)
    assert not is_known(game, strict=True)
    scenario = next((game / "scenarios").glob("*.yaml"))
    text = scenario.read_text(encoding="utf-8")
    scenario.write_text(text.replace("players:", "playrs:", 1), encoding="utf-8")
    assert rulelang("check", str(game)).status == 1
    scenario.write_text(text, encoding="utf-8")
    assert is_known(game)
    (game / "more.rule").write_text("rulelang 2\nrule loose: shufle stock\n", encoding="utf-8")
    assert "syntax-word" in rulelang("check", str(game)).out
    (game / "more.rule").unlink()
    variant = game / "variants" / "hand_of_six"
    assert is_known(variant)
    (variant / "ruleset.yaml").open("a", encoding="utf-8").write("nonsense: 1\n")
    assert rulelang("check", str(game)).status == 1
    assert is_known(game)
    assert not is_known(variant)


def test_what_lies_elsewhere_is_read_each_time(game: Path, rulelang: Run, tmp_path: Path) -> None:
    """A ruleset that extends another folder, or that holds a link, is not known by its own files."""
    beside = tmp_path / "mine"
    beside.mkdir()
    (beside / "ruleset.yaml").write_text("rulelang: 2\nextends: ../reco\nname: mine\n", encoding="utf-8")
    assert rulelang("check", str(beside)).status == 0
    assert not is_known(beside)
    (game / "notes").symlink_to(tmp_path)
    assert not is_known(game)
