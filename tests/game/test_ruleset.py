"""Loading rulesets, what they tell about themselves, and the programs kept on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

import rulelang
from rulelang import RulesetError, programs
from tests.shipped import shipped

from .samples import SHOP_RULE, load_shop


def test_errors_come_all_at_once(tmp_path: Path) -> None:
    """A faulty ruleset raises RulesetError with every diagnostic."""
    with pytest.raises(RulesetError) as caught:
        load_shop(
            tmp_path / "shop", SHOP_RULE.replace("coins -= price", "coins -= prise").replace("sum(bag", "sum(bags")
        )
    assert [finding.code for finding in caught.value.diagnostics] == ["name-unknown", "name-unknown"]


def test_a_path_that_leads_nowhere(tmp_path: Path) -> None:
    """A missing folder is a diagnostic too."""
    with pytest.raises(RulesetError, match="ruleset-not-found"):
        rulelang.load(tmp_path / "nothing")


def test_info_tells_what_there_is() -> None:
    """Players, options, kinds with counts by number of players, zones, languages and provenance."""
    info = shipped("reco").info
    assert info.players == (3, 4, 5)
    assert [(o.name, o.values, o.default) for o in info.options] == [
        ("deck", (88, 100), 88),
        ("first_player", ("by_seat", "by_lot"), "by_seat"),
    ]
    assert {kind.name: kind.pieces for kind in info.kinds} == {
        "Garbage": {3: 88, 4: 88, 5: 88},
        "Reward": {3: 28, 4: 28, 5: 32},
    }
    assert "hand" in [zone.name for zone in info.zones]
    assert info.provenance == {"community": 8, "stated": 28}
    assert info.to_json()["languages"] == ("en", "fr")


def test_a_program_is_kept_and_read_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second load reads the program from disk; a damaged file is made again; without a folder nothing is kept."""
    cache = tmp_path / "cache"
    monkeypatch.setenv("RULELANG_CACHE", str(cache))
    first = load_shop(tmp_path / "shop").program
    (file,) = (cache / "programs").iterdir()
    programs._programs.clear()
    monkeypatch.setattr(programs, "_compile", lambda ruleset: pytest.fail("compiled again"))
    assert load_shop(tmp_path / "shop").program == first
    monkeypatch.undo()
    monkeypatch.setenv("RULELANG_CACHE", str(cache))
    file.write_text(file.read_text(encoding="utf-8").replace("Jump", "Hump"), encoding="utf-8")
    programs._programs.clear()
    assert load_shop(tmp_path / "shop").program == first
    programs._programs.clear()
    monkeypatch.setenv("RULELANG_CACHE", "")
    assert load_shop(tmp_path / "shop").program == first


def test_a_changed_ruleset_is_another_program(tmp_path: Path) -> None:
    """The key is the content: an edited rule is never served from what was kept."""
    first = load_shop(tmp_path / "shop").new_game(players=2)
    second = load_shop(tmp_path / "shop", SHOP_RULE.replace("earn: coins += 1", "earn: coins += 2")).new_game(players=2)
    for state in (first, second):
        state.apply("earn")
    assert (first.scores()[0], second.scores()[0]) == (3, 4)
