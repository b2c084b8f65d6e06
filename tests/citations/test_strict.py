"""`rulelang check --strict` as an author meets it: what it lists, when, and what it remembers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from rulelang.cli import rulelang as command
from rulelang.memory.meaning import Folder, folder_of
from rulelang.resources import shipped_rulesets
from rulelang.ruleset.files import ruleset_names
from tests.citations.sample import write
from tests.memory.known import is_known
from tests.soak import soaking

SILENT_RULE = ("[leaflet:4]\nevent earn(who: player):", "event earn(who: player):")
VARIANTS = [name for name in ruleset_names(shipped_rulesets()) if name.startswith(("ldd/", "imaginarium/"))]
UNPLAYED = ("cites: [leaflet:8]", "cites: [leaflet:6]")


@pytest.fixture(autouse=True)
def _own_cache(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A cache of its own, but for shipped rulesets, whose files others read too: they are checked anew all the same."""
    if request.node.originalname == "test_shipped_rulesets_list_nothing":
        for known in ("folder_of", "is_checked"):
            monkeypatch.setattr(f"rulelang.memory.check.{known}", lambda *of, **more: None)
    else:
        monkeypatch.setenv("RULELANG_CACHE", str(tmp_path / "cache"))


def check(*arguments: str | Path) -> tuple[int, list[dict[str, Any]]]:
    """The exit status and the findings."""
    result = CliRunner().invoke(command, ["check", *map(str, arguments), "--format", "json"])
    return result.exit_code, json.loads(result.stdout)["diagnostics"]


def test_nothing_is_missing(tmp_path: Path) -> None:
    """Where all is cited there is nothing to list."""
    assert check(write(tmp_path / "leaves"), "--strict") == (0, [])


@pytest.mark.parametrize("name", ["reco", VARIANTS[-1], *soaking("ldd", "imaginarium", *VARIANTS[:-1])])
def test_shipped_rulesets_list_nothing(name: str) -> None:
    """They and the variants in their folders follow the rulebooks to the line, and nothing is warned of. The tests
    of the large ones and their variants ask it too, with their scenarios."""
    assert check(name, "--strict") == (0, [])


def test_what_is_missing_is_listed_at_its_place(tmp_path: Path) -> None:
    """Uncited lines stand at the passage, with its title; what cites nothing at its name. Each is a fault."""
    folder = write(
        tmp_path / "leaves", SILENT_RULE, UNPLAYED, ("[leaflet:9-10]\nscore coins", "[leaflet:10]\nscore coins")
    )
    status, found = check(folder, "--strict")
    listed = [(d["code"], Path(d["file"]).name, d["line"], d["column"], d["message"]) for d in found]
    assert status == 1
    assert listed == [
        ("citation-none", "leaves.rule", 19, 7, "the event `earn` cites nothing"),
        ("citation-uncited", "ruleset.yaml", 11, 15, "no scenario cites line 8 of `leaflet`: Ada earns a coin"),
    ]


def test_only_the_missing_lines_are_named(tmp_path: Path) -> None:
    """Of a passage of several lines those that nothing cites are named, ranges as ranges."""
    swaps = [("[leaflet:4-6]\nplay", "[leaflet:3]\nplay"), ("lines: 4-6", "lines: 4-7")]
    (found,) = check(write(tmp_path / "leaves", *swaps), "--strict")[1]
    assert found["message"] == "nothing cites line 7 of `leaflet`: A turn"
    swaps += [("[leaflet:6]\n        take", "take"), ("[leaflet:5]\n          water", "water")]
    swaps += [("[leaflet:5]\nexchanges", "[leaflet:4]\nexchanges")]
    (found,) = check(write(tmp_path / "leaves", *swaps), "--strict")[1]
    assert found["message"] == "nothing cites lines 5-7 of `leaflet`: A turn"


def test_what_is_invented_is_asked_for_nothing(tmp_path: Path) -> None:
    """A declaration with `[invented]` above it; what it says of a step is not said of the rule around it. `fmt` keeps
    it."""
    rules = "rulelang 2\n\n[invented]\nscore coins: 2 * coins\n\nrule work:\n  [invented]\n  step a: coins += 1\n"
    write(tmp_path / "leaves")
    variant = tmp_path / "short"
    variant.mkdir()
    (variant / "ruleset.yaml").write_text("rulelang: 2\nextends: leaves\nname: short\n", encoding="utf-8")
    (variant / "short.rule").write_text(rules, encoding="utf-8")
    found = check(variant, "--strict")[1]
    assert [(d["code"], d["line"]) for d in found if d["code"] == "citation-none"] == [("citation-none", 6)]
    assert not {"citation-source", "citation-range"} & {d["code"] for d in found}
    done = CliRunner().invoke(command, ["fmt", str(variant), "--check"])
    assert done.exit_code == 0, done.output


def test_without_strict_nothing_is_listed(tmp_path: Path) -> None:
    """A plain check does not ask for it, before and after a strict one."""
    folder = write(tmp_path / "leaves", SILENT_RULE)
    assert check(folder) == (0, [])
    assert [d["code"] for d in check(folder, "--strict")[1]] == ["citation-none"]
    assert check(folder) == (0, [])
    assert check(folder, "--strict")[0] == 1


def test_what_was_faultless_is_not_looked_at_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A strict check is remembered apart from a plain one, until a scenario changes."""
    folder = write(tmp_path / "leaves")
    assert check(folder) == (0, [])
    known: list[bool] = []

    def watched(path: Path, instead: object) -> Folder | None:
        known.append(is_known(path, True))
        return folder_of(path)

    monkeypatch.setattr("rulelang.memory.check.folder_of", watched)
    assert check(folder, "--strict") == (0, [])
    assert check(folder, "--strict") == (0, [])
    assert check(folder) == (0, [])
    write(folder, UNPLAYED)
    assert check(folder, "--strict")[0] == 1
    assert known == [False, True, True, False]


def test_a_designers_own_game_cites_nothing(tmp_path: Path) -> None:
    """Without `sources` nothing is asked for."""
    (tmp_path / "ruleset.yaml").write_text(
        "rulelang: 2\nname: own\nplayers: 2\nrules: |\n  play: pass\n", encoding="utf-8"
    )
    assert check(tmp_path, "--strict") == (0, [])


def test_a_variant_answers_for_itself_alone(tmp_path: Path) -> None:
    """What a variant adds must cite; what its base says, and what it takes from it, is not its matter."""
    write(tmp_path / "leaves", SILENT_RULE)
    variant = tmp_path / "short"
    variant.mkdir()
    (variant / "ruleset.yaml").write_text("rulelang: 2\nextends: leaves\nname: short\n", encoding="utf-8")
    rules = "rulelang 2\n\nscore coins: 2 * coins\n[leaflet:10]\nscore shed: count(shed)\n"
    (variant / "short.rule").write_text(rules, encoding="utf-8")
    (found,) = check(variant, "--strict")[1]
    assert (found["code"], Path(found["file"]).name, found["line"]) == ("citation-none", "short.rule", 3)
