"""Lines of YAML that don't fit together: what is wrong is found in their indentation, dashes and colons.

Enters: the lines of a file and the one at which the parser stops. Leaves: the line at fault, in the author's words.
What stands in which section is known: rows of pieces and scenarios are lists, all other sections keys.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_KEY = re.compile(r"( *)(- )?([\w-]+):(?: +(.*))?$")
_TEXT = re.compile(r"( *(?:- )?)([\w-]+): +([^\s\"'\[{|>#&*].*)$")
LISTS = frozenset({"pieces", "scenarios", "cases", "then", "when"})
"""Sections and keys below which rows stand."""


class Slip(NamedTuple):
    """What is wrong, from which column (from 1) of which line (from 1)."""

    message: str
    hint: str
    line: int
    column: int


def slip(lines: Sequence[str], number: int, column: int) -> Slip | None:
    """Return what is wrong where the parser stops, at a place counted from 1; None if the lines don't show it."""
    line = lines[number - 1]
    text = _TEXT.match(line)
    if text is not None and column > text.start(3) and re.search(r":(?: |$)", text[3]):
        if re.search(r"\w[;,] *\w+ ?: *\S", text[3]) and text[1].strip() == "-":
            row = re.sub(r" *[;,] *", ", ", f"{text[2]}: {text[3]}")
            message = "a row with several keys stands between braces, with `,` between them"
            return Slip(message, f"write `- {{{row}}}`", number, text.start(3) + 1)
        if re.fullmatch(r"\w+(?: +\w+ ?: *[^\s:]+)+", text[3]) and text[1].strip() == "-":
            row = re.sub(r" +(?=\w+ ?:)", ", ", f"{text[2]}: {text[3]}")
            message = "a row with several keys stands between braces, with `,` between them"
            return Slip(message, f"write `- {{{row}}}`", number, text.start(3) + 1)
        quoted = text[3].replace('"', "'")
        hint = f'write `{text[2]}: "{quoted}"`'
        if text[2] == "rules":
            hint = "write `rules: |`, and the text on the lines below, indented"
        return Slip(f"the text of `{text[2]}` has a `:` in it and no quotes", hint, number, text.start(3) + 1)
    above = [n for n in range(number - 1, 0, -1) if lines[n - 1].strip() and not lines[n - 1].lstrip().startswith("#")]
    depth = _depth(line)
    if not above or not line.strip():
        return None
    before = lines[above[0] - 1]
    key = _KEY.match(before)
    if key is not None and key[4] and not key[4].startswith(("|", ">", "#")) and depth > key.start(3):
        opener = _KEY.match(lines[above[1] - 1]) if above[1:] else None
        if opener is not None and not opener[4] and opener.start(3) == key.start(3):
            message = f"`{key[3]}` belongs to `{opener[3]}`, and stands no deeper than it"
            return Slip(message, f"indent it by {depth}, like what follows", above[0], key.start(3) + 1)
        message = f"this line stands deeper than `{key[3]}: …`, which has its value already"
        if line.lstrip().startswith("- ") and key[3] in LISTS:
            value = key[4] if key[4].startswith(("-", '"', "'")) else f'"{key[4]}"'
            message = f"`{key[3]}` is a list: each stands on a line of its own, with a dash"
            return Slip(message, f"write `{key[3]}:`, and below it `- {value}`", above[0], key.start(3) + 1)
        where = f"indent it by {key.start(3)}" if key.start(3) else "take the spaces before it away"
        return Slip(message, f"{where}, as `{key[3]}`", number, depth + 1)
    open_levels: dict[int, int] = {}
    for n in above:
        level = _depth(lines[n - 1])
        if all(level < known for known in open_levels):
            open_levels[level] = n
    beside = open_levels.get(depth)
    parent = next(
        (_KEY.match(lines[n - 1]) for level, n in sorted(open_levels.items(), reverse=True) if level < depth), None
    )
    if beside is not None:
        return _mixed(lines, number, beside, parent, open_levels)
    deeper = [level for level in open_levels if level > depth]
    if not deeper or depth == 0:
        return None
    other = lines[open_levels[min(deeper)] - 1].strip().split(":")[0]
    message = f"this line is indented by {depth}, and `{other}` above by {min(deeper)}"
    return Slip(message, "give lines that stand beside each other the same indentation", number, depth + 1)


def _mixed(
    lines: Sequence[str], number: int, beside: int, parent: re.Match[str] | None, levels: dict[int, int]
) -> Slip | None:
    """Return what is wrong where a row of a list and a key stand beside each other."""
    dashed = [lines[n - 1].lstrip().startswith("- ") for n in (beside, number)]
    if dashed[0] == dashed[1] or parent is None:
        return None
    top = _KEY.match(lines[levels.get(0, beside) - 1])
    is_list = parent[3] in LISTS or (top is not None and top[3] == "pieces")
    wrong = number if is_list != dashed[1] else beside
    line = lines[wrong - 1]
    bare = line.strip().removeprefix("- ")
    name, _, rest = bare.partition(":")
    column = _depth(line) + 1
    if is_list and wrong == number and not rest.strip().startswith("{") and ":" in lines[beside - 1]:
        message = f"`{name}` belongs to the row above, which begins with `- `"
        return Slip(message, f"indent it by {column + 1}, below what follows the dash", wrong, column)
    if is_list:
        row = rest.strip(" {}")
        id = "name" if parent[3] == "scenarios" else "id"
        written = f"- {{{id}: {name}, {row or '…'}}}" if top is not None and top[3] == "pieces" else f"- {id}: {name}"
        return Slip(
            f"below `{parent[3]}` stands a list: each row begins with `- `", f"write `{written}`", wrong, column
        )
    return Slip(
        f"below `{parent[3]}` each name is a key, and no row of a list",
        f"write `{name}: …`, without the dash",
        wrong,
        column,
    )


def _depth(line: str) -> int:
    """Return the number of leading blanks of a line."""
    return len(line) - len(line.lstrip())
