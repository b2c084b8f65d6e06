"""The beginning of a scenario, as its author wrote it, for one that expects something there.

Enters: the text of a scenario file, a line of it. Leaves: the scenario that stands there and how many of its steps have
been made; its text up to that step under another name.
"""

from __future__ import annotations

from typing import NamedTuple

from rulelang.diagnostics import Diagnostics, Source, Span
from rulelang.memory.meaning import SCENARIOS
from rulelang.ruleset.nodes import Mapping, Node, Scalar, Sequence
from rulelang.ruleset.yaml_reader import read_yaml

_KEPT = ("cites", "given", "do")
"""Keys of a scenario that say from where it begins."""


class Beginning(NamedTuple):
    """A scenario up to a step: its item in the file, its name, how many steps are made, how many there are."""

    item: Mapping
    name: str
    steps: int
    of: int

    @property
    def last_line(self) -> int:
        """The last line of the item."""
        ends = [(entry.value.span.end_line, entry.value.span.end_column) for entry in self.item.entries.values()]
        line, column = max(ends)
        return line - (column == 1)  # a text ends at the start of the line below it


def beginning_at(source: Source, line: int) -> Beginning | None:
    """Return the scenario at a line (from 1), up to the step that stands there: all steps elsewhere in it. None where
    there is none, or one of several cases, each of which has a position of its own."""
    tree = read_yaml(source, Diagnostics())
    listed = tree.get(SCENARIOS) if tree is not None else None
    items = [i for i in listed.items if isinstance(i, Mapping)] if isinstance(listed, Sequence) else []
    item = next((item for item in reversed(items) if item.span.line <= line), None)
    name = item.get("name") if item is not None else None
    if item is None or not isinstance(name, Scalar) or item.get("cases") is not None:
        return None
    steps = _steps(item)
    if not steps or not steps[0].span.line <= line <= steps[-1].span.end_line:
        return Beginning(item, str(name.value), len(steps), len(steps))
    return Beginning(item, str(name.value), sum(step.span.line <= line for step in steps), len(steps))


def _steps(item: Mapping) -> tuple[Node, ...]:
    when = item.get("when")
    return when.items if isinstance(when, Sequence) else ()


def text_of(source: Source, beginning: Beginning, name: str, expected: list[str]) -> str:
    """Return an item of a scenario file that begins so.

    Args:
        name: of the new scenario, in YAML. expected: the items of its `then`, in YAML.
    """
    item, indent = beginning.item, " " * (beginning.item.span.column - 1)
    parts = [f"name: {name}"]
    for key, entry in item.entries.items():
        if key in _KEPT:
            end = entry.value.span
            parts.append(_between(source, entry.key.span, end.end_line, end.end_column))
    steps = [
        _between(source, step.span, step.span.end_line, step.span.end_column)
        for step in _steps(item)[: beginning.steps]
    ]
    for key, rows in (("when", steps), ("then", expected)):
        parts += [f"{key}:" + "".join(f"\n{indent}  - {row}" for row in rows)] if rows else []
    lead = indent[:-2] + "- "
    return lead + f"\n{indent}".join(parts) + "\n"


def _between(source: Source, start: Span, line: int, column: int) -> str:
    """Return a text from the start of a place to a line and column."""
    lines = list(source.lines[start.line - 1 : line])
    if len(lines) == line - start.line + 1:  # a text that ends with the file ends behind its last line
        lines[-1] = lines[-1][: column - 1]
    return "\n".join(lines)[start.column - 1 :].rstrip()
