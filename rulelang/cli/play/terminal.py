"""The terminal itself: colours and boxes, lines that people type, nothing that a pipe would trip over.

Enters: renderables, prompts. Leaves: what stands on standard output, and answers. Without a terminal everything is
plain text, nothing is cleared, and what was typed is repeated so that a transcript can be read.
"""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator, Sequence

from rich.console import RenderableType

from rulelang.cli.console import Console, Text
from rulelang.cli.output import printable

NARROWEST, SHORTEST = 24, 12

CLEAR = "\x1b[H\x1b[2J"
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
        self._held: list[RenderableType] | None = None
        self.live = self.console.is_terminal and sys.stdin is not None and sys.stdin.isatty()
        if self.live:
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401 - `input` edits lines with it

    @property
    def width(self) -> int:
        """How many columns there are."""
        return self.console.width

    @property
    def height(self) -> int | None:
        """How many rows there are; None without a window."""
        return max(self.console.height, SHORTEST) if self.live else None

    def lines_of(self, what: RenderableType) -> list[str]:
        """Return a renderable as lines of text, with colours where there are some."""
        with self.console.capture() as capture:
            self.console.print(what)
        return capture.get().rstrip("\n").split("\n")

    @contextlib.contextmanager
    def captured(self) -> Iterator[list[RenderableType]]:
        """Collect in a list what would be shown during the block."""
        before, self._held = self._held, []
        try:
            yield self._held
        finally:
            self._held = before

    def release(self) -> None:
        """Show what was put aside up to now."""
        held, self._held = self._held, None
        for what in held or ():
            self.show(what)
        if held is not None:
            held.clear()
            self._held = held

    def show(self, what: RenderableType) -> None:
        """Print a renderable."""
        if self._held is not None:
            self._held.append(what)
            return
        if self.console.is_terminal:
            self.console.print(what)
            return
        with self.console.capture() as capture:
            self.console.print(what)
        lines = capture.get().split("\n")
        self.console.file.write("\n".join(line.rstrip() for line in lines))

    def write(self, lines: Sequence[str]) -> None:
        """Print lines that `lines_of` made."""
        shown = lines if self.console.is_terminal else [line.rstrip() for line in lines]
        self.console.file.write("".join(f"{line}\n" for line in shown))

    def say(self, text: str = "", style: str = "") -> None:
        """Print lines of text."""
        self.show(Text(text, style))

    def ask(self, prompt: str) -> str:
        """Return a line that was typed.

        Raises:
            Ended: there is none any more.
        """
        self.release()
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

    def clear(self) -> None:
        """Clear a window for the next screen; what has scrolled out of it stays."""
        if self.live:
            self.console.file.write(CLEAR)
            self.console.file.flush()

    def forget(self) -> None:
        """Clear a window, so that nobody reads what stood there."""
        if self.live:
            self.console.file.write(FORGET)
            self.console.file.flush()
