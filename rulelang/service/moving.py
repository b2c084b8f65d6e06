"""Where a place of a text stands after the text was edited.

Enters: a text as it was analysed, the text of now, a place on one line. Leaves: the place now; none where what stood
there was changed. Lines that both have are aligned (Ratcliff and Obershelp's matching blocks, after what is the same at
both ends); within a changed line what lies before and behind the change.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from rulelang.diagnostics import Source, Span

MOST_LINES = 400
"""Of longer changes the lines are not aligned, which takes their square."""


class Moving:
    """How places of one text moved to another."""

    def __init__(self, old: Source, new: Source) -> None:
        self.new = new
        self._is_same = old.text == new.text
        self._old = old.lines
        self._lines: dict[int, int] = {} if self._is_same else _aligned(old.lines, new.lines)

    def place(self, span: Span) -> Span | None:
        """Return where a place on one line stands now."""
        if self._is_same:
            return span
        line = self._lines.get(span.line)
        if line is None:
            return None
        shift = _shift(self._old[span.line - 1], self.new.lines[line - 1], span.column - 1, span.end_column - 1)
        return None if shift is None else Span(self.new, line, span.column + shift, line, span.end_column + shift)


def _same_ends(old: tuple[str, ...] | str, new: tuple[str, ...] | str) -> tuple[int, int]:
    """Return how many lines or characters are the same at the start, and at the end beside them."""
    most = min(len(old), len(new))
    start = next((n for n in range(most) if old[n] != new[n]), most)
    end = next((n for n in range(most - start) if old[-1 - n] != new[-1 - n]), most - start)
    return start, end


def _aligned(old: tuple[str, ...], new: tuple[str, ...]) -> dict[int, int]:
    """Return for the lines of a text, counted from 1, those of another that they are; a line that was changed is the
    one that stands in its place."""
    start, end = _same_ends(old, new)
    lines = {n: n for n in range(1, start + 1)}
    lines |= {len(old) - n: len(new) - n for n in range(end)}
    before, after = old[start : len(old) - end], new[start : len(new) - end]
    if max(len(before), len(after)) <= MOST_LINES:
        for _, low, high, new_low, new_high in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
            if high - low == new_high - new_low:
                lines |= {start + low + n + 1: start + new_low + n + 1 for n in range(high - low)}
    return lines


def _shift(old: str, new: str, first: int, end: int) -> int | None:
    """Return by how many columns a stretch of a line moved; None if it was changed."""
    if old == new:
        return 0
    same_start, same_end = _same_ends(old, new)
    if end <= same_start and not re.match(r"\w", new[end:]):
        return 0
    shift = len(new) - len(old)
    if first >= len(old) - same_end and not re.match(r"\w", new[first + shift - 1 :][: first + shift]):
        return shift
    return None
