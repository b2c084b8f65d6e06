"""The terminal: output with colours, line input.

Enters: renderables, prompts. Leaves: text on stdout, and answers. Without a terminal everything is plain text, nothing
is cleared, and input is echoed for a readable transcript.
"""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator, Sequence

from rich.console import RenderableType

from rulelang.cli.console import Console, EscapedText
from rulelang.cli.output import printable

NARROWEST, SHORTEST = 24, 12

CLEAR = "\x1b[H\x1b[2J"
FORGET = "\x1b[H\x1b[2J\x1b[3J"
"""Clears the window and its scrollback, which may show another player's secrets."""


class InputEnded(Exception):  # noqa: N818 - a signal, not an error
    """The input has ended."""


class Terminal:
    """Standard input and output of people.

    Attributes:
        live: whether both are a terminal.
    """

    def __init__(self) -> None:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="replace")
        self.console = Console(highlight=False, markup=False, emoji=False)
        if self.console.width < NARROWEST:
            self.console.width = NARROWEST
        self._captured: list[RenderableType] | None = None
        self.live = self.console.is_terminal and sys.stdin is not None and sys.stdin.isatty()
        if self.live:
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401 - `input` edits lines with it

    @property
    def width(self) -> int:
        """Return the number of columns."""
        return self.console.width

    @property
    def height(self) -> int | None:
        """Return the number of rows; None without a window."""
        return max(self.console.height, SHORTEST) if self.live else None

    def lines_of(self, renderable: RenderableType) -> list[str]:
        """Return a renderable as lines of text, with colour codes if there are colours."""
        with self.console.capture() as capture:
            self.console.print(renderable)
        return capture.get().rstrip("\n").split("\n")

    @contextlib.contextmanager
    def captured(self) -> Iterator[list[RenderableType]]:
        """Collect the output of the block in the list that it yields, instead of printing it."""
        before, self._captured = self._captured, []
        try:
            yield self._captured
        finally:
            self._captured = before

    def release(self) -> None:
        """Print the output captured up to now."""
        captured, self._captured = self._captured, None
        for renderable in captured or ():
            self.show(renderable)
        if captured is not None:
            captured.clear()
            self._captured = captured

    def show(self, renderable: RenderableType) -> None:
        """Print a renderable."""
        if self._captured is not None:
            self._captured.append(renderable)
            return
        if self.console.is_terminal:
            self.console.print(renderable)
            return
        with self.console.capture() as capture:
            self.console.print(renderable)
        lines = capture.get().split("\n")
        self.console.file.write("\n".join(line.rstrip() for line in lines))

    def write(self, lines: Sequence[str]) -> None:
        """Print lines of `lines_of`."""
        shown = lines if self.console.is_terminal else [line.rstrip() for line in lines]
        self.console.file.write("".join(f"{line}\n" for line in shown))

    def say(self, text: str = "", style: str = "") -> None:
        """Print lines of text."""
        self.show(EscapedText(text, style))

    def ask(self, prompt: str) -> str:
        """Prompt for a line and return it.

        Raises:
            InputEnded: the input has ended.
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
            raise InputEnded from None
        except UnicodeDecodeError:
            line = "?\n"
        self.say(line.rstrip("\n"))
        if not line:
            raise InputEnded
        return line.strip()

    def clear(self) -> None:
        """Clear the window for the next screen, but not its scrollback."""
        if self.live:
            self.console.file.write(CLEAR)
            self.console.file.flush()

    def forget(self) -> None:
        """Clear the window and its scrollback."""
        if self.live:
            self.console.file.write(FORGET)
            self.console.file.flush()
