"""Lists of options: groups, pages, search; an option keeps its number."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from rulelang.cli.play.options import NumberedAction, OptionMenu
from rulelang.table.names import Names
from rulelang.words.search import holding
from tests.play import games

from .conftest import Play


@pytest.fixture
def options(tmp_path: Path) -> OptionMenu:
    """14 ways to use a tool, three ways to rest; sweeping does nothing, so it has the number 0."""
    state = games.ruleset(tmp_path / "many", games.MANY).new_game(1)
    return OptionMenu(state.legal_actions(), Names(state, "en"))


def printed(options: OptionMenu, shown: list[NumberedAction], width: int) -> list[str]:
    """The options as lines."""
    out = io.StringIO()
    Console(file=out, width=width, color_system=None).print(*options.lines(shown, width), sep="\n")
    return [line.rstrip() for line in out.getvalue().splitlines()]


def test_options_stand_in_groups(options: OptionMenu) -> None:
    """By what is done; in as many columns as fit, filled downwards. What there is only one of needs no heading."""
    assert [(heading, len(members)) for heading, members in options.groups(options.all)] == [
        ("use", 14), ("rest", 3), ("", 1),
    ]  # fmt: skip
    lines = printed(options, options.all, 80)
    assert lines[0] == "Use"
    assert lines[1] == "   1  use (tool hammer, at b1)      8  use (tool saw, at b1)"
    assert lines[7] == "   7  use (tool hammer, at b7)     14  use (tool saw, at b7)"
    assert lines[8:] == ["Rest", "  15  rest 1", "  16  rest 2", "  17  rest 3", "   0  sweep"]
    assert max(map(len, printed(options, options.all, 30))) <= 30


def test_many_of_one_sort_stand_by_what_is_chosen_first(options: OptionMenu) -> None:
    """Where all do the same, the first choice makes the groups; few options need no heading."""
    assert [heading for heading, _ in options.groups(options.all[:14])] == ["tool: hammer", "tool: saw"]
    assert options.groups(options.all[:3]) == [("", options.all[:3])]


def test_search(options: OptionMenu) -> None:
    """All words, or parts of words where no option has them whole, without case and accents; the numbers stay."""
    assert [option.number for option in options.search("SAW b3")] == [10]
    assert [option.number for option in options.search("res")] == [15, 16, 17]
    assert options.search("nail") == []
    assert [option.number for option in options.search("tool=saw,at=b7")] == [14]


def test_an_option_is_called_by_id_or_words(options: OptionMenu) -> None:
    """Exactly; anything else is a search."""
    for text in ("use:tool=saw,at=b2", "Use (tool saw, at b2)"):
        found = options.called(text)
        assert found is not None
        assert found.number == 9
    assert options.called("saw") is None
    assert options.numbered(18) is None


def test_pages(options: OptionMenu) -> None:
    """A page holds as many rows as it is told; the next begins where it ended, the last says so."""
    shown, start = [], 0
    for expected in (7, 14, 0):
        lines, after = options.page(options.all, start, 30, 8)
        out = io.StringIO()
        Console(file=out, width=30, color_system=None).print(*lines, sep="\n")
        assert len(out.getvalue().splitlines()) <= 8
        shown += [int(line.split()[0]) for line in out.getvalue().splitlines() if line.strip()[:1].isdigit()]
        assert after == expected
        start = after
    assert [number for number in shown if number] == list(range(1, 18))
    assert shown.count(0) == 3, "at the end of every page"


def test_words_that_only_one_option_has_choose_it(play: Play) -> None:
    """Whole words choose, parts of words find; `o WORDS` only finds."""
    out = play("play", "many", typed=["sa b3", "o swee", "nail", "o rest", "saw b3", "hammer b1"], width=120).out
    assert "Only one option has sa b3, number 10: use (tool saw, at b3). Type 10 to choose it." in out
    assert "Only one option has swee, number 0: sweep. Type 0 to choose it." in out
    assert "No option has “nail”. `options` shows all 18" in out
    assert "3 options have rest:\n  15  rest 1\n  16  rest 2\n  17  rest 3\n" in out
    assert "• You: use (tool saw, at b3). Done: 0 → 1." in out
    assert "• You: use again (tool hammer, at b1). Done: 1 → 3." in out


def test_whole_words_come_before_parts_of_words() -> None:
    """`card 7` is one card, though 17 has a 7 in it too."""
    cards = ["card 7 (oak)", "card 17 (oak)", "card 7b (elm)"]
    assert holding("Card 7", cards) == [0]
    assert holding("oak", cards) == [0, 1]
    assert holding("7 el", cards) == [2]
    assert holding("ash", cards) == []
