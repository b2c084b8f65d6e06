"""Every code has a page, every page is right, and what `check` prints is what it is known to print."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.diagnostics.listing import INDEX, indexed
from tests.diagnostics.pages import GOLDEN, Example, codes_of_pages, codes_of_source, output, read_page

CODES = codes_of_pages()
ENDS_A_LIST = {"schema-too-many", "yaml-too-many"}
"""Codes that follow many findings of another."""
FINDING = re.compile(r"^\S.*: (?:error|warning)\[([a-z-]+)\]: ", re.MULTILINE)


@pytest.fixture(autouse=True)
def _no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RULELANG_CACHE", "")


def codes_of(topic: str) -> list[str]:
    """Return the codes that begin with a word."""
    return [code for code in CODES if code.split("-")[0] == topic]


def checked(example: Example, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Write an example to a folder and return the text of `check` run beside it."""
    example.write(folder)
    monkeypatch.chdir(folder)
    return output(example)


def test_each_code_has_a_page_and_each_page_a_code() -> None:
    """A code that a room emits is explained, and nothing is explained that no room emits."""
    assert codes_of_source() == set(CODES)


def test_pages_have_the_form_of_all_pages() -> None:
    """Title, a sentence of one line, why and how to mend it, then both examples."""
    pages = {code: read_page(code) for code in CODES}
    assert [code for code, page in pages.items() if page.title != f"# `{code}`"] == []
    assert [c for c, page in pages.items() if not page.sentence.endswith(".") or len(page.sentence) >= 200] == []
    assert [code for code, page in pages.items() if not page.text] == []


@pytest.mark.parametrize("topic", sorted({code.split("-")[0] for code in CODES}))
def test_wrong_examples_give_their_code(topic: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One mistake gives one finding, with the code of the page, in the text that is known letter by letter;
    `python -m tests.diagnostics.rewrite` writes the texts again."""
    told = {}
    for code in codes_of(topic):
        text = checked(read_page(code).wrong, tmp_path / code, monkeypatch)
        codes = FINDING.findall(text)
        golden = (GOLDEN / f"{code}.txt").read_text(encoding="utf-8")
        if text != golden or (codes[-1:] if code in ENDS_A_LIST else codes) != [code]:
            told[code] = text
    assert told == {}


@pytest.mark.parametrize("topic", sorted({code.split("-")[0] for code in CODES}))
def test_right_examples_have_no_error(topic: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mended example gives neither the code nor any error."""
    told = {}
    for code in codes_of(topic):
        text = checked(read_page(code).right, tmp_path / code, monkeypatch)
        if "error[" in text or f"[{code}]" in text:
            told[code] = text
    assert told == {}


def test_index_lists_every_page() -> None:
    """The index has one line for each page, with its first sentence; `rewrite` brings it up to date."""
    assert INDEX.read_text(encoding="utf-8") == indexed()
