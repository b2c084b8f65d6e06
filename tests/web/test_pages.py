"""Templates are compiled once for all processes, and again whenever what is kept of them can't be believed."""

from __future__ import annotations

from pathlib import Path

import pytest
from jinja2 import Environment

from rulelang.languages import language
from rulelang.web import pages


def rendered() -> str:
    """A page by an environment that knows no template yet."""
    pages._environment.cache_clear()
    return pages.render("upload.html", "en", error="")


def test_compiled_templates_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process compiles none; of a changed, damaged or missing entry the template is compiled anew."""
    monkeypatch.setenv("RULELANG_CACHE", str(tmp_path / "cache"))
    compiled: list[str] = []
    compile_ = Environment.compile

    def counted(self: Environment, source: str, name: str, *more: object) -> object:
        compiled.append(name)
        return compile_(self, source, name, *more)

    monkeypatch.setattr(Environment, "compile", counted)
    page = rendered()
    assert compiled
    first, compiled[:] = [*compiled], []
    assert rendered() == page
    assert compiled == []
    entries = [*(tmp_path / "cache" / "pages").iterdir()]
    assert len(entries) == len(first)
    for entry in entries:
        entry.write_bytes(entry.read_bytes()[:-1])
    assert rendered() == page
    assert compiled == first
    monkeypatch.setattr(pages, "__version__", "0")
    assert rendered() == page
    assert compiled == first * 2


def test_no_text_is_called_like_what_a_dictionary_does() -> None:
    """A template would show the method."""
    assert {*dir(dict)} & {*language("en").texts("web")} == set()
