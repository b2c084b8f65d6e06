"""The one path by which text that Rich lays out reaches a terminal.

Enters: arbitrary texts, in renderables. Leaves: segments whose text `printable` has escaped; the colours and cursor
movements that Rich adds are not changed. `EscapedText` escapes before the layout, so that widths are right, `Console`
any text that was not made with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from sys import getsizeof
from typing import Any

from rich import console
from rich import text as rich_text
from rich.console import ConsoleOptions, RenderableType
from rich.segment import Segment

from rulelang.cli.output import printable
from rulelang.memos import kept_within

PLAIN_SIGNS = str.maketrans(
    {"─": "-", "·": "*", "•": "*", "–": "-", "—": "-", "…": "~", "×": "x", "→": ">", "│": "|"}
    | dict(zip("↑↗↘↓↙←↖", "^/\\v/<\\", strict=True))
)
"""ASCII replacements of signs."""
WRAPPED_BYTES = 4 << 20
"""So much is kept of texts in lines."""
HARD_SPACE = "\u00a0"
_STAND_IN = "\ue000"
"""A private-use character of a space's width, at which no line is broken."""


class EscapedText(rich_text.Text):
    """A text of Rich that is escaped at its creation."""

    def __init__(self, text: str = "", *args: Any, **kwargs: Any) -> None:
        super().__init__(printable(text), *args, **kwargs)

    @classmethod
    def assemble(cls, *parts: Any, **kwargs: Any) -> EscapedText:
        """Return a text of several strings, texts, or pairs of string and style."""
        text = super().assemble(*parts, **kwargs)
        assert isinstance(text, EscapedText)
        return text

    def append(self, text: rich_text.Text | str, style: Any = None) -> EscapedText:
        """Append an escaped text."""
        super().append(printable(text) if isinstance(text, str) else text, style)
        return self


@kept_within(WRAPPED_BYTES, lambda lines: sum(map(getsizeof, lines)))
def wrap(text: str, width: int) -> tuple[str, ...]:
    """Return a text as lines of at most `width` columns, never broken at hard spaces."""
    lines = rich_text.Text(printable(text).replace(HARD_SPACE, _STAND_IN)).wrap(_MEASURE, width)
    return tuple(line.plain.rstrip().replace(_STAND_IN, HARD_SPACE) for line in lines) or ("",)


class Console(console.Console):
    """A Rich console that escapes text and raises BrokenPipeError."""

    def render_str(self, text: str, **kwargs: Any) -> rich_text.Text:
        """Return a string as an escaped text."""
        return super().render_str(printable(text), **kwargs)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield the segments of a renderable, each with its text escaped."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=self._writable(printable(segment.text)))

    def _writable(self, text: str) -> str:
        """Return a text in the signs of the terminal's encoding."""
        return text if self.encoding.startswith("utf") else text.translate(PLAIN_SIGNS)

    def on_broken_pipe(self) -> None:
        """Raise BrokenPipeError, which the command line handles."""
        raise BrokenPipeError from None


_MEASURE = Console(width=80)
"""Used for wrapping alone."""
