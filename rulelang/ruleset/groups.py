"""Rows of pieces that are written together: tables with columns, and one row for all combinations of some values.

Enters: the tree of a folder, the tree below it. Leaves: the same with one row for each piece. A row with `rows` or
`each` is a group: what else stands in it holds for all its rows, unless they say otherwise; `{name}` in an id stands
for what the row says for that name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from rulelang.diagnostics import Diagnostics, Span, counted, suggest
from rulelang.limits import ROWS
from rulelang.ruleset.nodes import Entry, Mapping, Node, Scalar, Sequence

GROUP_KEYS = ("each", "columns", "rows")
_FIELD = re.compile(r"\{(\w+)\}")
_RANGE = re.compile(r"(-?\d{1,9})\.\.(-?\d{1,9})")
Row = dict[str, Entry]


def ungrouped(tree: Mapping, below: Mapping, readable: bool, diagnostics: Diagnostics) -> tuple[Mapping, bool]:
    """Expand all groups of rows in a folder's tree; the flag is False if rows may be missing.

    Args:
        below: what it is laid over, whose types groups may name. readable: whether all files could be read.

    Findings: `ruleset-rows`.
    """
    pieces = tree.get("pieces")
    if not isinstance(pieces, Mapping) or not any(_grouped(entry.value) for entry in pieces.entries.values()):
        return tree, True
    groups = _Groups((tree, below), readable, diagnostics)
    kinds = {kind: Entry(entry.key, groups.rows(entry.value)) for kind, entry in pieces.entries.items()}
    sections = {**tree.entries, "pieces": replace(tree.entries["pieces"], value=Mapping(pieces.span, kinds))}
    return Mapping(tree.span, sections), groups.whole


def _grouped(rows: Node) -> bool:
    """Return whether a list of rows has groups."""
    return isinstance(rows, Sequence) and any(_is_group(row) for row in rows.items)


def _is_group(row: Node) -> bool:
    """Return whether a row is a group: it has `rows`, `columns` or `each`."""
    return isinstance(row, Mapping) and any(key in row.entries for key in GROUP_KEYS)


class _Groups:
    """Takes groups apart; of the trees the first one that names a type counts."""

    def __init__(self, trees: tuple[Mapping, ...], readable: bool, diagnostics: Diagnostics) -> None:
        self.types = [types for tree in trees if isinstance(types := tree.get("types"), Mapping)]
        self.readable = readable and all(isinstance(tree.get("types"), Mapping | None) for tree in trees)
        self.diagnostics = diagnostics
        self.left = ROWS
        self.whole = True

    def rows(self, rows: Node) -> Node:
        """Return the rows of a kind with all groups expanded."""
        if not _grouped(rows):
            return rows
        assert isinstance(rows, Sequence)
        ungrouped = [new for row in rows.items for new in (self._apart(row) if _is_group(row) else (row,))]
        return Sequence(rows.span, tuple(ungrouped))

    def _fault(self, message: str, span: Span, hint: str = "") -> None:
        """Report a malformed group (`ruleset-rows`)."""
        self.diagnostics.error("ruleset-rows", message, span, hint)

    def _apart(self, group: Node) -> Iterator[Node]:
        """Expand a group: yield a row for each combination of `each` values and row of the table.

        Keys in common are merged into each row; a row's own keys take precedence.
        """
        assert isinstance(group, Mapping)
        common = {key: entry for key, entry in group.entries.items() if key not in GROUP_KEYS}
        each = self._each(group.get("each"))
        if each is None:
            return
        names, own = [entry.key for entry in each], list(self._own(group))
        for values in product(*(self._values(entry) for entry in each)):
            cells = {str(name.value): Entry(name, value) for name, value in zip(names, values, strict=True)}
            for row in own:
                self.left -= 1
                if self.left < 0:
                    self._fault(f"more than {ROWS} rows", group.span)
                    return
                yield self._filled({**cells, **common, **row}, group.span)

    def _each(self, node: Node | None) -> list[Entry] | None:
        """Return the entries of `each`; None, with a finding, if it is no mapping."""
        if node is None:
            return []
        if isinstance(node, Mapping):
            return list(node.entries.values())
        self._fault("`each` holds names, each with the values it takes", node.span, "write `each: {suit: Suit}`")
        return None

    def _values(self, entry: Entry) -> tuple[Node, ...]:
        """Return the values for a name under `each`: those of a list, a range such as `1..9`, or a type."""
        node = entry.value
        if isinstance(node, Sequence):
            return node.items
        text = str(node.value) if isinstance(node, Scalar) else ""
        bounds = _RANGE.fullmatch(text)
        if bounds is not None:
            low, high = int(bounds[1]), int(bounds[2])
            return tuple(Scalar(node.span, n) for n in range(low, min(high, low + ROWS) + 1))
        for types in self.types:
            if (declared := types.get(text)) is not None:
                values = (
                    declared.get("values") or declared.get("ordered") if isinstance(declared, Mapping) else declared
                )
                if isinstance(values, Mapping):
                    return tuple(replace(value.key, span=node.span, style="made") for value in values.entries.values())
                if isinstance(values, Sequence):
                    return tuple(
                        replace(v, span=node.span, style="made") for v in values.items if isinstance(v, Scalar)
                    )
        if self.readable:
            hint = suggest(text, [name for types in self.types for name in types.entries]) if text else ""
            message = f"`{text}` is no type with values, no range such as `2..14` and no list"
            self._fault(message, node.span, hint or "write a type, a range or `[a, b]`")
        self.whole = False
        return ()

    def _own(self, group: Mapping) -> Iterator[Row]:
        """Yield the keys that each row of the group's table has; one empty row if there is no table."""
        rows, columns = group.get("rows"), group.get("columns")
        if rows is None:
            yield {}
            return
        names = [item for item in columns.items if isinstance(item, Scalar)] if isinstance(columns, Sequence) else []
        for row in rows.items if isinstance(rows, Sequence) else (rows,):
            if isinstance(row, Mapping):
                yield row.entries
            elif isinstance(row, Sequence) and len(row.items) == len(names):
                yield {str(name.value): Entry(name, value) for name, value in zip(names, row.items, strict=True)}
            elif isinstance(row, Sequence):
                listed = ", ".join(str(name.value) for name in names) or "nothing"
                self._fault(f"this row has {counted(len(row.items), 'value')}; `columns` names {listed}", row.span)
            else:
                self._fault("a row is a list of values, or keys with values", row.span)

    def _filled(self, row: Row, span: Span) -> Mapping:
        """Build a row, with its values substituted for the fields `{name}` in its id."""
        entry = row.get("id")
        if entry is None or not isinstance(entry.value, Scalar) or "{" not in str(entry.value.value):
            return Mapping(span, row)

        def value_of(field: re.Match[str]) -> str:
            """Return the row's value for a field, as part of an id; report a field that the row lacks."""
            value = row[field[1]].value if field[1] in row else None
            if isinstance(value, Scalar) and value.value is not None:
                return str(value.value).replace("-", "minus_")
            self._fault(f"the row says nothing for `{field[1]}`", entry.value.span, suggest(field[1], row))
            return "_"

        unfilled = any(field not in row for field in _FIELD.findall(str(entry.value.value)))
        id = _FIELD.sub(value_of, str(entry.value.value))
        name = Scalar(entry.value.span, id, "made", unfilled or not id.isascii())  # its values are at fault
        return Mapping(span, {**row, "id": Entry(entry.key, name)})
