"""The one way that text which Rich lays out takes to a terminal.

Enters: texts that may hold anything, in renderables. Leaves: segments whose text `printable` has escaped; the colours
and cursor movements that Rich adds are left as they are. `Text` escapes before the layout, so that widths are right,
`Console` whatever was not made with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from rich import console
from rich import text as rich_text
from rich.console import ConsoleOptions, RenderableType
from rich.segment import Segment

from rulelang.cli.output import printable

PLAIN_SIGNS = str.maketrans(
    {"─": "-", "·": "*", "•": "*", "–": "-", "—": "-", "…": "~", "×": "x", "→": ">", "│": "|"}
    | dict(zip("↑↗↘↓↙←↖", "^/\\v/<\\", strict=True))
)
"""What stands for signs where there is only ASCII."""
HARD_SPACE = "\u00a0"
_STAND_IN = "\ue000"
"""A letter for private use, as wide as a space, that no line is broken at."""


class Text(rich_text.Text):
    """A text of Rich that is escaped as it is made."""

    def __init__(self, text: str = "", *args: Any, **kwargs: Any) -> None:
        super().__init__(printable(text), *args, **kwargs)

    @classmethod
    def assemble(cls, *parts: Any, **kwargs: Any) -> Text:
        """Return a text of several strings, texts, or pairs of string and style."""
        text = super().assemble(*parts, **kwargs)
        assert isinstance(text, Text)
        return text

    def append(self, text: rich_text.Text | str, style: Any = None) -> Text:
        """Append text."""
        super().append(printable(text) if isinstance(text, str) else text, style)
        return self


@lru_cache(maxsize=4096)
def wrap(text: str, width: int) -> tuple[str, ...]:
    """Return a text as lines of at most so many columns, not broken at hard spaces."""
    lines = rich_text.Text(printable(text).replace(HARD_SPACE, _STAND_IN)).wrap(_MEASURE, width)
    return tuple(line.plain.rstrip().replace(_STAND_IN, HARD_SPACE) for line in lines) or ("",)


class Console(console.Console):
    """A Rich console that escapes text, and leaves a closed pipe to the command line."""

    def render_str(self, text: str, **kwargs: Any) -> rich_text.Text:
        """Return a string as a text."""
        return super().render_str(printable(text), **kwargs)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield the segments of a renderable, each with its text escaped."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=self._writable(printable(segment.text)))

    def _writable(self, text: str) -> str:
        """Return a text with signs that the terminal has."""
        return text if self.encoding.startswith("utf") else text.translate(PLAIN_SIGNS)

    def on_broken_pipe(self) -> None:
        """Raise BrokenPipeError: whoever reads the output has seen enough."""
        raise BrokenPipeError from None


_MEASURE = Console(width=80)
"""Only wraps texts; prints nothing."""
