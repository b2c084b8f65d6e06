"""The page about backends shows what the engine prints: its excerpts stand in what `rulelang compile` says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import rulelang
from rulelang.ir.text import print_program

PAGE = Path(__file__).parents[2] / "docs" / "backends.md"
EXCERPT = re.compile(r"^<!-- (\w+) (\w+) -->\n```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"(?<=[A-Za-z_])\d+_?\b")
"""Numbers that tell generated names apart: others, when an operation before them is written otherwise."""
EXCERPTS = EXCERPT.findall(PAGE.read_text(encoding="utf-8"))


def printed(ruleset: str, form: str) -> str:
    """What `rulelang compile RULESET --emit FORM` says."""
    loaded = rulelang.load(ruleset)
    if form == "ir":
        return print_program(loaded.program)
    native = loaded.executor(backend="native").native
    assert native is not None
    return native.text()


def lines(text: str) -> list[str]:
    """Without indentation, empty lines and the numbers of names."""
    return [NUMBER.sub("", line.strip()) for line in text.splitlines() if line.strip()]


@pytest.mark.parametrize(("ruleset", "form", "text"), EXCERPTS)
def test_excerpts_are_printed(ruleset: str, form: str, text: str) -> None:
    """An excerpt is a run of lines of the output."""
    wanted, said = lines(text), lines(printed(ruleset, form))
    assert wanted
    starts = [place for place, line in enumerate(said) if line == wanted[0]]
    runs = [said[place : place + len(wanted)] for place in starts]
    assert wanted in runs, "\n".join(runs[0] if runs else ["the first line is not printed any more"])


def test_every_form_is_shown() -> None:
    """The page shows the representation and the code that is generated from it."""
    assert {form for _, form, _ in EXCERPTS} == {"ir", "c"}
