"""Every code has a page, every page is right, and what `check` prints is what it is known to print."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnostics.listing import INDEX, indexed
from tests.diagnostics.pages import GOLDEN, codes_of_pages, codes_of_source, findings, output, read_page

CODES = codes_of_pages()
ENDS_A_LIST = {"schema-too-many", "yaml-too-many"}
"""Codes that follow many findings of another."""


@pytest.fixture(autouse=True)
def _no_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RULELANG_CACHE", "")
    monkeypatch.chdir(tmp_path)


def test_each_code_has_a_page_and_each_page_a_code() -> None:
    """A code that a room emits is explained, and nothing is explained that no room emits."""
    assert codes_of_source() == set(CODES)


@pytest.mark.parametrize("code", CODES)
def test_page_has_the_form_of_all_pages(code: str) -> None:
    """Title, a sentence of one line, why and how to mend it, then both examples."""
    page = read_page(code)
    assert page.title == f"# `{code}`"
    assert page.sentence.endswith(".")
    assert len(page.sentence) < 200
    assert page.text


@pytest.mark.parametrize("code", CODES)
def test_wrong_example_gives_the_code(code: str, tmp_path: Path) -> None:
    """One mistake gives one finding, and it has the code that the page is about."""
    example = read_page(code).wrong
    example.write(tmp_path)
    codes = [finding["code"] for finding in findings(example)]
    assert (codes[-1:] if code in ENDS_A_LIST else codes) == [code]


@pytest.mark.parametrize("code", CODES)
def test_right_example_has_no_error(code: str, tmp_path: Path) -> None:
    """The mended example gives neither the code nor any error."""
    example = read_page(code).right
    example.write(tmp_path)
    assert [found for found in findings(example) if found["severity"] == "error" or found["code"] == code] == []


@pytest.mark.parametrize("code", CODES)
def test_text_of_check_is_golden(code: str, tmp_path: Path) -> None:
    """The text for the wrong example, letter by letter; `python -m tests.diagnostics.rewrite` writes it again."""
    example = read_page(code).wrong
    example.write(tmp_path)
    assert output(example) == (GOLDEN / f"{code}.txt").read_text(encoding="utf-8")


def test_index_lists_every_page() -> None:
    """The index has one line for each page, with its first sentence; `rewrite` brings it up to date."""
    assert INDEX.read_text(encoding="utf-8") == indexed()
