"""Draws the picture of the entry page: one screen of `rulelang play`, as an SVG: `python docs/picture.py`.

Enters: nothing. Leaves: `docs/_static/play.svg`; `tests/docs/test_site.py` compares its words with the screen of today.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

import rulelang
from rulelang.cli.play.desk import Desk
from rulelang.cli.play.game import play_out
from rulelang.cli.play.seats import named
from rulelang.cli.play.terminal import InputEnded, Terminal
from rulelang.session import Session

FILE = Path(__file__).parent / "_static" / "play.svg"
GAME, PLAYERS, SEED = "reco", 3, 7
COLUMNS, ROWS = 92, 26
ANSWERS = ["1", "2", "1", "1", "2"]
"""What the person at seat 0 types before the picture is taken."""


class Window(Terminal):
    """A window of a fixed size that somebody types into; it keeps the last screen."""

    def __init__(self, answers: Sequence[str]) -> None:
        super().__init__()
        self.console = rulelang.cli.console.Console(
            file=io.StringIO(), width=COLUMNS, height=ROWS, force_terminal=True, color_system="standard",
            highlight=False, markup=False, emoji=False,
        )  # fmt: skip
        self.answers = list(answers)
        self.screen: list[str] = []

    @property
    def height(self) -> int:
        """How many rows there are."""
        return ROWS

    def write(self, lines: Sequence[str]) -> None:
        """Keep the lines of a screen."""
        self.screen = list(lines)

    def ask(self, prompt: str) -> str:
        """Return the next answer; without one the game is left."""
        if not self.answers:
            self.screen.append(prompt)
            raise InputEnded
        return self.answers.pop(0)


def screen() -> Text:
    """Return the screen that the picture shows."""
    state = named(rulelang.load(GAME).new_game(PLAYERS, SEED), [0], {})
    session = Session.new(state, SEED, {seat: "human" if seat == 0 else "random" for seat in range(PLAYERS)})
    window = Window(ANSWERS)
    try:
        play_out(Desk(session, window, "en"))
    except InputEnded:
        return Text.from_ansi("\n".join(window.screen))
    raise AssertionError("the game is over before the picture is taken")


def picture() -> str:
    """Return the SVG, which fetches no fonts."""
    console = Console(file=io.StringIO(), width=COLUMNS, record=True)
    console.print(screen())
    form = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
    title = f"rulelang play {GAME} --players {PLAYERS}"
    return console.export_svg(title=title, theme=MONOKAI, code_format=form, unique_id="play")


if __name__ == "__main__":
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(picture(), encoding="utf-8")
