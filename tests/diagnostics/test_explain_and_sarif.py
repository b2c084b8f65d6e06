"""The pages at the terminal and in SARIF logs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import rulelang.cli
from rulelang.cli import pages
from rulelang.cli.sarif import sarif
from rulelang.diagnostics import NOWHERE, Diagnostic, Source, Span
from tests.diagnostics.pages import codes_of_pages, read_page

CODES = codes_of_pages()


def test_explain_prints_the_page() -> None:
    """The page as it is written, and no colours where nobody looks."""
    result = CliRunner().invoke(rulelang.cli.rulelang, ["explain", "name-unknown"])
    assert result.exit_code == 0
    assert result.stdout.startswith("# `name-unknown`\n\nA name is used that nothing in the ruleset declares.\n")
    assert "## Wrong" in result.stdout


def test_explain_suggests_a_code() -> None:
    """A code that does not exist is wrong usage, and the nearest one is named; no path leads out of the pages."""
    result = CliRunner().invoke(rulelang.cli.rulelang, ["explain", "name-unknwon"])
    assert result.exit_code == 2
    assert "did you mean `name-unknown`?" in result.stderr
    assert CliRunner().invoke(rulelang.cli.rulelang, ["explain", "../index"]).exit_code == 2
    assert CliRunner().invoke(rulelang.cli.rulelang, ["explain", "index"]).exit_code == 2


def test_pages_are_found_where_they_are_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed engine reads the pages that lie in its own folder."""
    folder = tmp_path / "_data" / "diagnostics"
    folder.mkdir(parents=True)
    (folder / "a-b.md").write_text("# `a-b`\n\nSays so.\n\nWhy.\n\n## Wrong\n", encoding="utf-8")
    monkeypatch.setattr("rulelang.resources._PACKAGE", tmp_path)
    assert pages.codes() == ["a-b"]
    page = pages.read_page("a-b")
    assert page is not None
    assert (page.sentence, page.explanation) == ("Says so.", "Why.")


def log(*findings: Diagnostic) -> dict[str, Any]:
    return sarif(findings, "1.0")


def test_every_code_is_a_rule_of_sarif() -> None:
    """A rule has an id, texts without line breaks in its short description, and help as text and Markdown."""
    rules = {
        rule["id"]: rule
        for rule in log(*(Diagnostic("error", code, "words") for code in CODES))["runs"][0]["tool"]["driver"]["rules"]
    }
    assert list(rules) == CODES
    for code, rule in rules.items():
        assert set(rule) == {"id", "shortDescription", "fullDescription", "help"}
        assert rule["shortDescription"] == {"text": read_page(code).sentence}
        assert rule["fullDescription"]["text"].startswith(rule["shortDescription"]["text"])
        assert rule["help"]["markdown"].startswith(f"# `{code}`")
        assert rule["help"]["text"]


def test_sarif_has_the_required_shape() -> None:
    """What the schema of SARIF 2.1.0 demands: names, one-based places, indices that hit, relative or `file:` URIs."""
    source = Source("my games/a#1.rule", "one\ntwo\n")
    here, there = Span(source, 2, 1, 2, 4), Span(Source("/tmp/a b.yaml", "x"), 1, 1, 1, 2)
    document = log(
        Diagnostic("error", "name-duplicate", "twice", here, "rename it", ((there, "first here"),)),
        Diagnostic("warning", "name-unknown", "nowhere", NOWHERE),
        Diagnostic("note", "name-duplicate", "again", there),
    )
    assert (document["version"], document["$schema"]) == ("2.1.0", "https://json.schemastore.org/sarif-2.1.0.json")
    (run,) = document["runs"]
    driver = run["tool"]["driver"]
    assert (driver["name"], driver["version"], run["columnKind"]) == ("rulelang", "1.0", "unicodeCodePoints")
    assert [rule["id"] for rule in driver["rules"]] == ["name-duplicate", "name-unknown"]
    for result in run["results"]:
        assert set(result) <= {"ruleId", "ruleIndex", "level", "message", "locations", "relatedLocations"}
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in {"error", "warning", "note"}
        assert result["message"]["text"]
        for place in [*result["locations"], *result.get("relatedLocations", [])]:
            physical = place["physicalLocation"]
            assert re.fullmatch(r"(file:///)?[\w./%~-]+", physical["artifactLocation"]["uri"])
            region = physical["region"]
            assert all(region[key] >= 1 for key in ("startLine", "startColumn", "endLine", "endColumn"))
    first, second, _ = run["results"]
    assert first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "my%20games/a%231.rule"
    assert first["message"]["text"] == "twice (rename it)"
    (related,) = first["relatedLocations"]
    assert related["physicalLocation"]["artifactLocation"]["uri"] == "file:///tmp/a%20b.yaml"
    assert (related["id"], related["message"]) == (1, {"text": "first here"})
    assert second["locations"] == []
