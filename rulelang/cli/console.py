"""The one way that text which Rich lays out takes to a terminal.

Enters: texts that may hold anything, in renderables. Leaves: segments whose text `printable` has escaped; the colours
and cursor movements that Rich adds are left as they are. `Text` escapes before the layout, so that widths are right,
`Console` whatever was not made with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich import console, text
from rich.console import ConsoleOptions, RenderableType
from rich.segment import Segment

from rulelang.cli.output import printable


class Text(text.Text):
    """A text of Rich that is escaped as it is made."""

    def __init__(self, content: str = "", *args: Any, **kwargs: Any) -> None:
        super().__init__(printable(content), *args, **kwargs)

    def append(self, content: text.Text | str, style: Any = None) -> Text:
        """More text at the end."""
        super().append(printable(content) if isinstance(content, str) else content, style)
        return self


class Console(console.Console):
    """A Rich console that escapes text, and leaves a closed pipe to the command line."""

    def render_str(self, content: str, **kwargs: Any) -> text.Text:
        """A string as a text."""
        return super().render_str(printable(content), **kwargs)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The segments of a renderable, each with its text escaped."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=printable(segment.text))

    def on_broken_pipe(self) -> None:
        """Whoever reads the output has seen enough."""
        raise BrokenPipeError from None
