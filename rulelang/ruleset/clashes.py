"""Finds what two overlays that know nothing of each other both change.

Enters: for each layer what it says of which name. Leaves: findings `overlay-clash` at the later place, with the earlier
one. Overlays that touch different names combine; saying the very same twice is no clash.
"""

from __future__ import annotations

from collections.abc import Sequence as Steps
from dataclasses import dataclass

from rulelang.diagnostics import Diagnostics, Span
from rulelang.ruleset.layers import SHARED, removes, row_id
from rulelang.ruleset.nodes import Mapping, Node, Sequence, plain

Path = tuple[str, ...]

PER_LANGUAGE = ("words", "text")
"""Keys of a row whose languages are changed one by one."""

# Whatever its overlays are called, a ruleset has the name and title of the topmost.
_NO_NAMES = {"rulelang", "name", "title", "extends", "rules"}


@dataclass(frozen=True)
class Touch:
    """What a layer does to a name: `what` says which, `same` is equal for two that do the same."""

    layer: int
    what: str
    span: Span
    same: object


def report_clash(second: Touch, first: Touch, diagnostics: Diagnostics) -> None:
    """Report a name changed by two independent layers, at the second place, with the first as related."""
    message = f"{second.what} is changed here and by another overlay ({first.span.path}:{first.span.line})"
    hint = "leave one of the two out, or let one of the overlays extend the other"
    diagnostics.error("overlay-clash", message, second.span, hint, [(first.span, "changed by the other overlay")])


def check_clashes(trees: Steps[Mapping], on: Steps[frozenset[int]], diagnostics: Diagnostics) -> None:
    """Report every YAML name changed by two layers of which neither builds on the other; `on` lists, for each layer,
    those it builds on."""
    pairs = [(first, second) for second, below in enumerate(on) for first in sorted(set(range(second)) - below)]
    touches_of = [_touches(number, tree) for number, tree in enumerate(trees)] if pairs else []
    for first, second in pairs:
        for path, touch in touches_of[second].items():
            for length in range(1, len(path) + 1):
                earlier = touches_of[first].get(path[:length])
                if earlier is not None and (length < len(path) or touch.same != earlier.same):
                    report_clash(touch, earlier, diagnostics)
        for path, earlier in touches_of[first].items():
            for length in range(1, len(path)):
                if path[:length] in touches_of[second]:
                    report_clash(touches_of[second][path[:length]], earlier, diagnostics)


def _touches(layer: int, tree: Mapping) -> dict[Path, Touch]:
    """Return each changed name of a layer by its path. Words and texts of a row count apart, language by language."""
    touches: dict[Path, Touch] = {}

    def add(path: Path, span: Span, value: object) -> None:
        """Record a change of the value at a path."""
        touches[path] = Touch(layer, f"`{'.'.join(part for part in path if part)}`", span, value)

    def row(path: Path, span: Span, node: Node) -> None:
        """Record the changes of a row.

        A path with an empty last part stands for all of the row but its translations; a removed row counts as a whole.
        """
        per_language = (
            {key: node.get(key) for key in PER_LANGUAGE} if isinstance(node, Mapping) and not removes(node) else {}
        )
        by_language = {key: value for key, value in per_language.items() if isinstance(value, Mapping)}
        if isinstance(node, Mapping) and by_language:
            for key, value in by_language.items():
                for language, entry in value.entries.items():
                    add((*path, key, language), entry.key.span, plain(entry.value))
            rest = {
                key: plain(entry.value) for key, entry in node.entries.items() if key != "id" and key not in by_language
            }
            if rest:
                add((*path, ""), span, rest)
        else:
            content = plain(node)
            if isinstance(content, dict):
                content.pop("id", None)
            add(path if removes(node) else (*path, ""), span, content)

    def down(path: Path, span: Span, node: Node, levels: int) -> None:
        """Record the changes in a section: descend `levels` of keys, then treat each node as a row."""
        if levels and isinstance(node, Mapping) and not removes(node):
            for key, entry in node.entries.items():
                down((*path, key), entry.key.span, entry.value, levels - 1)
        elif levels and isinstance(node, Sequence):
            for item in node.items:
                name = row_id(item)
                if name is not None:
                    row((*path, str(name.value)), name.span, item)
        elif levels:
            add(path, span, plain(node))
        else:
            row(path, span, node)

    for key, entry in tree.entries.items():
        if key not in _NO_NAMES:
            down((key,), entry.key.span, entry.value, SHARED.get(key, 0))
    return touches
