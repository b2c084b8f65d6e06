"""How findings are shown: marks under the right letters, related places, colours, many that say the same."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rulelang.cli.report import SHOWN_OF_SAME, WIDTH, as_text, reading_on, show, wants_colour
from rulelang.diagnostics import NOWHERE, Diagnostic, Source, Span
from tests.diagnostics.pages import ROOT


def finding(text: str, column: int, end: int, line: int = 1, end_line: int = 0, path: str = "a.rule") -> Diagnostic:
    return Diagnostic("error", "some-code", "words", Span(Source(path, text), line, column, end_line or line, end))


class Terminal(io.StringIO):
    """A stream that someone looks at."""

    def isatty(self) -> bool:
        return True


def test_one_line() -> None:
    """The place, the line, and marks as long as what is at fault."""
    assert as_text(finding("score x: cions\n", 10, 15)) == (
        "a.rule:1:10: error[some-code]: words\n  1 | score x: cions\n    |          ^^^^^"
    )


def test_wide_letters_and_tabs() -> None:
    """Marks stand under their letters, whether those take two columns, none, or are tabs."""
    lines = as_text(finding("漢字e\u0301\tcions", 6, 11)).split("\n")
    assert lines[1:] == ["  1 | 漢字e\u0301→   cions", "    |          ^^^^^"]


def test_what_terminals_obey_is_not_passed_on() -> None:
    """Control characters and those that turn the writing direction show as escapes, in lines, messages and paths."""
    text = as_text(Diagnostic("error", "c", "in \x1b[31m", Span(Source("a\u202eb", "x \x1b]0;t\x07y"), 1, 1, 1, 2)))
    assert not set(text) & set("\x1b\x07\u202e")
    assert text.splitlines()[0] == r"a\u202eb:1:1: error[c]: in \x1b[31m"
    assert r"x \x1b]0;t\x07y" in text


def test_several_lines() -> None:
    """A stretch of lines is shown by its first and its last line."""
    text = "choose:\n  a: pass\n  b: pass\nstop\n"
    assert as_text(finding(text, 1, 10, 1, 3)).split("\n")[1:] == [
        "  1 | choose:",
        "    | ^^^^^^^",
        "  … |",
        "  3 |   b: pass",
        "    |   ^^^^^^^",
    ]


def test_long_lines_are_cut_around_the_place() -> None:
    """Of a line of thousands of letters a part is shown, with the mark at its place."""
    shown, mark = as_text(finding("a" * 500 + "FAULT" + "b" * 500, 501, 506)).split("\n")[1:]
    assert len(shown) < WIDTH + 10
    assert shown[mark.index("^") : mark.rindex("^") + 1] == "FAULT"


def test_place_at_the_end_and_beyond() -> None:
    """A place after the last letter of a line has a mark too; one in a file that was not read has only its name."""
    assert as_text(finding("if a\n", 5, 6)).endswith("1 | if a\n    |     ^")
    assert as_text(finding("", 1, 1)) == "a.rule: error[some-code]: words"
    assert as_text(Diagnostic("error", "c", "words", NOWHERE)) == "error[c]: words"


def test_related_places_have_a_line_of_their_own() -> None:
    """The other place is named, shown and marked."""
    source = Source("z.yaml", "a: 1\nb: 2\na: 3\n")
    first, second = Span(source, 1, 1, 1, 2), Span(source, 3, 1, 3, 2)
    text = as_text(Diagnostic("error", "c", "twice", second, "rename it", ((first, "first here"),)))
    assert text.split("\n")[3:] == ["  hint: rename it", "  z.yaml:1:1: first here", "  1 | a: 1", "    | -"]


def test_many_of_the_same_are_counted() -> None:
    """Past a few findings of the same words in a file the rest is only counted, other findings are shown."""
    source = Source("a.yaml", "x\n" * 20)
    many = [Diagnostic("error", "c", "words", Span(source, n, 1, n, 2)) for n in range(1, 13)]
    other = Diagnostic("error", "c", "other words", Span(source, 13, 1, 13, 2))
    out = io.StringIO()
    show([*many, other], out)
    assert out.getvalue().count("]: words") == SHOWN_OF_SAME
    assert f"… and {12 - SHOWN_OF_SAME} more of the same in a.yaml, up to line 12" in out.getvalue()
    assert "other words" in out.getvalue()


@pytest.mark.parametrize(("variable", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_colours_only_where_wanted(monkeypatch: pytest.MonkeyPatch, variable: str, value: str) -> None:
    """Colours go to a terminal only, and not if it or its user wants none."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    assert wants_colour(Terminal())
    assert not wants_colour(io.StringIO())
    monkeypatch.setenv(variable, value)
    assert not wants_colour(Terminal())


@pytest.mark.parametrize("path", ["a.rule", "a.yaml"])
def test_colours_change_no_letter(monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    """In colour, words of the language stand out, and the letters are those of the plain text."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    found = finding("rules: |\n  play:\n    if coins\t> 3: cions := 漢  # [bold]\n", 14, 19, 3, path=path)
    out = Terminal()
    show([found], out)
    coloured = out.getvalue()
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == as_text(found) + "\n"
    assert re.search(r"\x1b\[35mif\x1b", coloured)


def test_how_to_read_on() -> None:
    """One code is named in the command, of several each once."""
    one, two = Diagnostic("error", "b-b", ""), Diagnostic("error", "a-a", "")
    assert reading_on([one, one]) == "`rulelang explain b-b` says more"
    assert reading_on([one, two]) == "`rulelang explain CODE` says more: a-a, b-b"


def test_a_terminal_without_the_letters(tmp_path: Path) -> None:
    """Where the output cannot hold a letter, another stands for it, and nothing breaks."""
    (tmp_path / "game").mkdir()
    (tmp_path / "game" / "ruleset.yaml").write_text("rulelang: 2\nname: é\nplayers: 2\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "rulelang", "check", "game"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 1
    assert b"name: ?" in done.stdout
    assert b"Traceback" not in done.stderr
