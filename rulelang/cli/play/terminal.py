"""The terminal itself: colours and boxes, lines that people type, nothing that a pipe would trip over.

Enters: renderables, prompts. Leaves: what stands on standard output, and answers. Without a terminal everything is
plain text, nothing is cleared, and what was typed is repeated so that a transcript can be read.
"""

from __future__ import annotations

import contextlib
import io
import sys

from rich.console import RenderableType

from rulelang.cli.console import Console, Text
from rulelang.cli.output import printable

NARROWEST = 24
PIPED_ROWS = 40
"""So many rows of options are shown at once where there is no window."""

FORGET = "\x1b[H\x1b[2J\x1b[3J"
"""Clears the window and what has scrolled out of it: the last player's cards stood there."""


class Ended(Exception):  # noqa: N818 - a signal, not an error
    """The input has ended."""


class Terminal:
    """Where people look and type."""

    def __init__(self) -> None:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="replace")
        self.console = Console(highlight=False, markup=False, emoji=False)
        if self.console.width < NARROWEST:
            self.console.width = NARROWEST
        self.live = self.console.is_terminal and sys.stdin is not None and sys.stdin.isatty()
        if self.live:
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401 - `input` edits lines with it

    @property
    def width(self) -> int:
        """How many columns there are."""
        return self.console.width

    @property
    def rows(self) -> int:
        """How many rows of a list are shown at once."""
        return max(self.console.height - 6, 8) if self.live else PIPED_ROWS

    def show(self, what: RenderableType) -> None:
        """Prints a renderable."""
        if self.console.is_terminal:
            self.console.print(what)
            return
        with self.console.capture() as capture:
            self.console.print(what)
        lines = capture.get().split("\n")
        self.console.file.write("\n".join(line.rstrip() for line in lines))

    def say(self, text: str = "", style: str = "") -> None:
        """Prints lines of text."""
        self.show(Text(text, style))

    def ask(self, prompt: str) -> str:
        """A line that was typed.

        Raises:
            Ended: there is none any more.
        """
        try:
            prompt = printable(prompt)
            if self.live:
                return input(prompt).strip()
            self.console.file.write(prompt)
            line = sys.stdin.readline() if sys.stdin is not None else ""
        except EOFError:
            self.say()
            raise Ended from None
        except UnicodeDecodeError:
            line = "?\n"
        self.say(line.rstrip("\n"))
        if not line:
            raise Ended
        return line.strip()

    def forget(self) -> None:
        """Clears a window, so that nobody reads what stood there."""
        if self.live:
            self.console.file.write(FORGET)
            self.console.file.flush()
