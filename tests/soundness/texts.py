"""Rulesets as trees: written as the text of a `ruleset.yaml`, and made smaller while they still show a fault.

Enters: nouns (what YAML holds) and rules (statements with what stands under them). Leaves: text; a smaller tree.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Line:
    """A line of rules and the block under it; one that has lost its whole block says `pass`.

    Attributes:
        text: the line. block: the lines under it; None where there can be none.
    """

    text: str
    block: list[Line] | None = None


OVERLAY = "# overlay\n"
"""Stands before the text of each overlay."""


@dataclass
class Written:
    """A whole ruleset.

    Attributes:
        nouns: the sections of YAML; where a piece has rules, its `rules` are a list of `Line`s.
        rules: the declarations. overlays: what is laid over it.
    """

    nouns: dict[str, Any] = field(default_factory=dict)
    rules: list[Line] = field(default_factory=list)
    overlays: list[Written] = field(default_factory=list)

    def text(self) -> str:
        """Return the text of the file, and of its overlays."""
        own = "rulelang: 2\n" + yaml_text(plain(self.nouns), 0) + f"rules: |\n{indented(self.rules, 1)}\n"
        return OVERLAY.join([own, *(over.text() for over in self.overlays)])


def yaml_text(value: dict[Any, Any], depth: int) -> str:
    """Return a mapping as YAML: texts of several lines as blocks, the rest as JSON."""
    lines, pad = "", "  " * depth
    for key, part in value.items():
        if isinstance(part, dict) and part:
            lines += f"{pad}{key}:\n{yaml_text(part, depth + 1)}"
        elif isinstance(part, list) and part and isinstance(part[0], dict):
            rows = (yaml_text(row, depth + 2) for row in part)
            lines += f"{pad}{key}:\n" + "".join(f"{pad}  - {row.lstrip()}" for row in rows)
        elif isinstance(part, str) and ("\n" in part or key == "rules"):
            block = "".join(f"{pad}  {line}\n" for line in part.split("\n"))
            lines += f"{pad}{key}: |\n{block}"
        else:
            lines += f"{pad}{key}: {json.dumps(part)}\n"
    return lines


def plain(value: Any) -> Any:
    """Return nouns with the texts of rules in place of their lines."""
    if isinstance(value, list) and value and isinstance(value[0], Line):
        return indented(value, 0)
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items() if part != [] or key != "rules"}
    return [plain(part) for part in value] if isinstance(value, list) else value


def indented(lines: list[Line], depth: int) -> str:
    """Return lines and what stands under them."""
    text = []
    for line in lines:
        text.append(f"{'  ' * depth}{line.text}")
        if line.block is not None:
            text.append(indented(line.block or [Line("pass")], depth + 1))
    return "\n".join(text)


Remove = Callable[[Written], None]


def removals(written: Written) -> Iterator[Remove]:
    """Yield what makes a ruleset smaller by one part, large parts first: each is to be done to a copy."""
    paths = sorted(_paths(written), key=len)
    for path in paths:
        yield lambda copy, path=path: _remove(copy, path)  # type: ignore[misc]


def _paths(written: Written) -> list[tuple[Any, ...]]:
    """Return the ways to all parts that can be left out, and those of blocks that can stand for their line."""
    paths: list[tuple[Any, ...]] = []

    def walk(value: Any, path: tuple[Any, ...]) -> None:
        if isinstance(value, Line):
            if value.block is not None:
                walk(value.block, (*path, "block"))
                if path[-2:-1] != ("rules",) or len(path) > 2:
                    paths.append((*path, "unwrap"))
            return
        parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, part in parts:
            paths.append((*path, key))
            walk(part, (*path, key))

    walk(written.nouns, ("nouns",))
    walk(written.rules, ("rules",))
    for number, over in enumerate(written.overlays):
        paths.append(("overlays", number))
        walk(over.nouns, ("overlays", number, "nouns"))
        walk(over.rules, ("overlays", number, "rules"))
    return [path for path in paths if len(path) > 1]


def _remove(written: Written, path: tuple[Any, ...]) -> None:
    """Leave a part out, or let what stands under a line take its place."""
    holder: Any = written
    *steps, last = path
    if last == "unwrap":
        *steps, last = steps
        for step in steps:
            holder = getattr(holder, step) if isinstance(step, str) and not isinstance(holder, dict) else holder[step]
        holder[last : last + 1] = holder[last].block
        return
    for step in steps:
        holder = getattr(holder, step) if isinstance(step, str) and not isinstance(holder, dict) else holder[step]
    del holder[last]


def shrunk(written: Written, is_faulty: Callable[[Written], bool], tries: int = 400) -> Written:
    """Return a smaller ruleset for which the same is true, by leaving out one part after another."""
    at, has_changed = 0, False
    while tries > 0:
        ways = list(removals(written))
        if at >= len(ways):
            if not has_changed:
                break
            at, has_changed = 0, False
        tries -= 1
        smaller = copy.deepcopy(written)
        try:
            ways[at](smaller)
            is_smaller = is_faulty(smaller)
        except (IndexError, KeyError, TypeError):
            is_smaller = False
        if is_smaller:
            written, has_changed = smaller, True
        else:
            at += 1
    return written
