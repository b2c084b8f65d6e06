"""The figures of a ruleset that may be varied, and overlays that give them other values.

Enters: a ruleset's name, texts such as `gold.cost=3..8`. Leaves: `Variation`s, and overlays as the text of one
`ruleset.yaml`.

A figure is a value of the YAML or a function without parameters, named by its path: `pieces.Card.gold.cost`,
`variables.stake.start`, `options.deck`, `function.points_to_win`. A suffix of the path suffices where it is unique:
`gold.cost`, `deck`, `points_to_win`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rulelang import numbers
from rulelang.diagnostics import LANGUAGE_VERSION, Diagnostics, UsageError, suggest
from rulelang.outputs import write_file, write_folder
from rulelang.ruleset.loader import read_tree
from rulelang.ruleset.model import plain_text
from rulelang.ruleset.nodes import plain
from rulelang.semantics.typing.declarations import parsed_file
from rulelang.syntax import ast, print_node

if TYPE_CHECKING:
    from rulelang.game.ruleset import Ruleset

LINES = 10
"""Most lines of an overlay, for a designer to read."""

MOST_VALUES = 10_000
"""Most values of one range."""

FUNCTION = "function"
_NO_FIGURES = {
    "rulelang", "name", "title", "languages", "sources", "rulebook", "words", "rules", "extends", "players", "cites",
    "provenance", "text", "id", "shown",
}  # fmt: skip
"""Keys of the YAML that are for people, or identify the ruleset."""
_RANGE = re.compile(r"(-?\d{1,9})\s*\.\.\s*(-?\d{1,9})(?:\s*/\s*(\d{1,9}))?")
_PLAIN = re.compile(r"-?\d+|(?!(?:yes|no|on|off|null|y|n)$)[A-Za-z_]\w*", re.I)

Path_ = tuple[str, ...]


@dataclass(frozen=True)
class VariedValue:
    """A value of a ruleset that may be varied.

    Attributes:
        path: the keys that lead to it; of a piece its id is one of them. value: its text in the ruleset; empty where it
            is left out.
        heading: of a function, its declaration up to the equals sign.
    """

    path: Path_
    value: str
    heading: str = ""

    @property
    def name(self) -> str:
        """Return the path as text."""
        return ".".join(self.path[:-1] if self.path[0] == "options" else self.path)


@dataclass(frozen=True)
class Variation:
    """A figure with the values that it may take, in order."""

    figure: VariedValue
    values: tuple[str, ...]

    @property
    def name(self) -> str:
        """Return the name of the figure."""
        return self.figure.name


class Figures:
    """All figures of a ruleset, by name."""

    def __init__(self, ruleset: Ruleset) -> None:
        tree: dict[str, Any] = plain(read_tree(ruleset.path, ruleset.overlays))  # type: ignore[assignment]
        defaults = ruleset.option_names([table.default for table in ruleset.program.options])
        options = (VariedValue(("options", name, "default"), plain_text(value)) for name, value in defaults.items())
        self.all = {figure.name: figure for figure in (*options, *_figures(tree), *_functions(ruleset))}

    def find(self, name: str) -> VariedValue:
        """Return the figure with this name or unique suffix of a name.

        Raises:
            UsageError: there is none, or there are several; the message suggests some.
        """
        parts = tuple(name.strip().split("."))
        ends = {figure: tuple(figure.name.split("."))[-len(parts) :] for figure in self.all.values()}
        exact = self.all.get(name.strip())
        matches = [exact] if exact else [figure for figure, end in ends.items() if end == parts]
        if len(matches) == 1:
            return matches[0]
        if matches:
            listed = ", ".join(f"`{figure.name}`" for figure in matches[:4])
            raise UsageError(f"`{name}` may be {listed}{' or others' * (len(matches) > 4)}: write more of the path")
        hint = suggest(name, list(dict.fromkeys(".".join(end) for end in ends.values())))
        raise UsageError(f"there is no figure `{name}`; {hint or '`rulelang lab figures` lists all of them'}")

    def variation(self, text: str) -> Variation:
        """Parse `PATH=VALUES`: values separated by commas, or a range `1..5`, `10..50/10`.

        Raises:
            UsageError: there is no such figure, or the list is malformed.
        """
        name, sign, listed = text.partition("=")
        if not sign:
            raise UsageError(f"what is varied is written PATH=VALUES, such as `{name}=1..4` or `{name}=2,4,8`")
        values = tuple(dict.fromkeys(value for part in listed.split(",") for value in _parsed_values(part.strip())))
        return Variation(self.find(name), values)


def _parsed_values(part: str) -> Sequence[str]:
    """Return the values of a list element: one value, or those of a range.

    Raises:
        UsageError: it is empty, or no range of at most MOST_VALUES.
    """
    bounds = _RANGE.fullmatch(part)
    if bounds is None:
        if not part or "\n" in part:
            raise UsageError("a list of values has a comma between each two of them: `2,4,8`, or is a range: `1..4`")
        return (part,)
    low, high, step = (numbers.VALUE.read(bound) for bound in (bounds[1], bounds[2], bounds[3] or "1"))
    if low > high or not step or (high - low) // step >= MOST_VALUES:
        raise UsageError(f"`{part}` is no range of values")
    return [str(value) for value in range(low, high + 1, step)]


def _figures(tree: Mapping[str, Any]) -> Iterator[VariedValue]:
    """Yield the figures of the YAML."""
    for section, value in tree.items():
        if section == "pieces":
            for kind, rows in value.items():
                yield from _of_rows(kind, rows, tree["kinds"].get(kind) or {})
        elif section != "options":
            yield from _scalars((section,), value)


def _scalars(path: Path_, value: object) -> Iterator[VariedValue]:
    """Yield the scalars at and under a key."""
    if path[-1] in _NO_FIGURES:
        return
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from _scalars((*path, key), part)
    elif value is not None and not isinstance(value, list) and "\n" not in str(value):
        yield VariedValue(path, plain_text(value))


def _of_rows(kind: str, rows: Sequence[Mapping[str, object]], declared: Mapping[str, Any]) -> Iterator[VariedValue]:
    """Yield the values of the rows of a kind, its defaults included."""
    defaults = {"count": 1, **(declared.get("defaults") or {})}
    for row in rows:
        for key, value in {**defaults, **row}.items():
            yield from _scalars(("pieces", kind, str(row["id"]), key), value)


def _functions(ruleset: Ruleset) -> Iterator[VariedValue]:
    """Yield the functions without parameters whose body is an expression; a higher layer's comes later."""
    for file in sorted(ruleset.written.rule_files, key=lambda file: file.layer):
        for node in parsed_file(file, Diagnostics()):
            if isinstance(node, ast.Function) and not node.params and not isinstance(node.value, ast.Block):
                text = " ".join(print_node(node).split())
                heading, _, value = text.partition(" = ")
                heading = heading[heading.index("function ") :]
                yield VariedValue((FUNCTION, node.name.text), value, heading)


# ---- overlays


def overlay(values: Mapping[VariedValue, str], name: str = "", extends: str = "") -> str:
    """Return the `ruleset.yaml` of a folder that sets figures to new values.

    Args:
        values: figure -> text; values that it has already are left out. name, extends: of a variant; an overlay needs
            neither.

    Raises:
        UsageError: it would have more than `LINES` lines.
    """
    head = [f"rulelang: {LANGUAGE_VERSION}"]
    head += [f"{key}: {value}" for key, value in (("extends", extends), ("name", name)) if value]
    changed = {figure: value for figure, value in values.items() if value != figure.value}
    rules = [f"  {figure.heading} = {value}" for figure, value in changed.items() if figure.heading]
    tree: dict[str, Any] = {}
    for figure, value in changed.items():
        if not figure.heading:
            branch = tree
            for key in figure.path[:-1]:
                branch = branch.setdefault(key, {})
            branch[figure.path[-1]] = value
    for long in (True, False):
        lines = [*head, *_sections(tree, long), *(["rules: |", *rules] if rules else [])]
        if len(lines) <= LINES:
            return "\n".join(lines) + "\n"
    raise UsageError(f"{len(changed)} figures do not fit an overlay of {LINES} lines")


def _sections(tree: Mapping[str, Any], long: bool) -> Iterator[str]:
    """Yield the lines of all sections; with `long` one for each piece."""
    for section, parts in tree.items():
        if section != "pieces":
            yield f"{section}: {_flow(parts)}"
            continue
        rows = {kind: [{"id": id_, **row} for id_, row in of_kind.items()] for kind, of_kind in parts.items()}
        if not long:
            yield f"pieces: {_flow(rows)}"
            continue
        yield "pieces:"
        for kind, of_kind in rows.items():
            yield f"  {kind}:"
            yield from (f"    - {_flow(row)}" for row in of_kind)


def _flow(value: object) -> str:
    """Return a value in YAML's flow style, on one line."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_flow(key)}: {_flow(part)}' for key, part in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_flow, value))}]"
    text = str(value)
    return text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)


def write_overlay(folder: Path, values: Mapping[VariedValue, str], name: str = "", extends: str = "") -> Path:
    """Write an overlay into a new folder; return the folder.

    Args:
        values, name, extends: as for `overlay`.
    """
    text = overlay(values, name, extends)
    if folder.exists():
        write_file(folder / "ruleset.yaml", text)
    else:
        write_folder(folder, {"ruleset.yaml": text})
    return folder
