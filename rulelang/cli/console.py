"""The one way that text which Rich lays out takes to a terminal.

Enters: renderables whose texts may hold anything. Leaves: segments whose text `printable` has escaped; the colours and
cursor movements that Rich adds are left as they are.
"""

from __future__ import annotations

from collections.abc import Iterable

from rich import console
from rich.console import ConsoleOptions, RenderableType
from rich.segment import Segment

from rulelang.cli.output import printable


class Console(console.Console):
    """A Rich console that escapes text, and leaves a closed pipe to the command line."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The segments of a renderable, each with its text escaped."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=printable(segment.text))

    def on_broken_pipe(self) -> None:
        """Whoever reads the output has seen enough."""
        raise BrokenPipeError from None
