"""The table as boxes: what belongs to nobody, what is yours, then the others in a line each.

Enters: an observation sorted by owner, names. Leaves: renderables as wide as the terminal. Nothing is read but the
observation.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table

from rulelang.cli.console import Text
from rulelang.cli.play.grid import drawn
from rulelang.cli.play.names import NONE, Names, folded
from rulelang.cli.play.view import TABLE, Share, Thing, Value, is_empty, shares
from rulelang.game import Ruleset

EDGES = 4
"""Columns that a box takes for itself."""
GAP = 2
COLUMN = 8
"""A table whose columns would be narrower than this is written as a list."""

LABEL = "dim"
YOURS = "bold cyan"


class Screen:
    """Shows the table of one game."""

    def __init__(self, ruleset: Ruleset, names: Names, width: int) -> None:
        self.ruleset = ruleset
        self.names = names
        self.texts = names.texts
        self.inner = width - EDGES

    # ---- the whole table

    def board(self, seen: dict[str, Any], seat: int | None) -> RenderableType:
        """All that is seen; `seat` is whose things come first (None: nobody's)."""
        found = shares(self.ruleset, seen)
        owners = [owner for owner in found if owner != TABLE]
        if all(found[owner].bare for owner in owners):
            owners = []
        yours = None if seat is None else str(seat)
        title = f"{self.names.title} · {self.texts('turn', turn=seen['turn'])}"
        parts: list[RenderableType] = [self._box(self._share(found[TABLE], brief=True), title, "bold")]
        if seat is not None and yours in owners:
            parts.append(self._box(self._share(found[str(seat)]), self._you(seat, seen), YOURS))
        others = [owner for owner in owners if owner != yours]
        if others:
            rows = [(self._owner(owner, seen), self._line(found[owner])) for owner in others]
            parts.append(self._box([self._rows(rows)], self.texts("others") if yours in owners else "", "dim"))
        return Group(*parts)

    def place(self, seen: dict[str, Any], words: str) -> RenderableType | None:
        """All that is seen of the places that are called so; None without any."""
        found = shares(self.ruleset, seen)
        wanted = folded(words)
        names = {name for share in found.values() for name in _names(share)}
        fitting = {name for name in names if wanted in (folded(name), folded(self.names.name(name)))}
        fitting = fitting or {name for name in names if wanted in folded(self.names.name(name))}
        rows = []
        for owner, share in found.items():
            kept = share.named(fitting)
            whose = "" if owner == TABLE else f" ({self.names.party_named(owner)})"
            for label, name, thing in _flat(kept, self.names):
                rows.append((f"{label}{whose}", self.names.thing(name, thing, full=True)))
        return self._rows(rows) if rows else None

    def place_names(self, seen: dict[str, Any]) -> str:
        """What the places are called."""
        found = shares(self.ruleset, seen)
        return ", ".join(dict.fromkeys(self.names.name(name) for share in found.values() for name in _names(share)))

    def _box(self, parts: Iterable[RenderableType], title: str, style: str) -> RenderableType:
        inside = list(parts) or [Text(self.texts("empty"), LABEL)]
        heading = Text(title, style) if title else None
        return Panel(Group(*inside), title=heading, title_align="left", border_style=style.split()[-1], box=box.ROUNDED)

    def _you(self, seat: int, seen: dict[str, Any]) -> str:
        text = self.texts("you", seat=self.names.party(seat))
        return self.texts("out", seat=text) if seat in seen["eliminated"] else text

    def _owner(self, owner: str, seen: dict[str, Any]) -> str:
        text = self.names.party_named(owner)
        out = owner in self.names.parties and self.names.parties.index(owner) in seen["eliminated"]
        return self.texts("out", seat=text) if out else text

    # ---- what belongs to one owner

    def _share(self, share: Share, brief: bool = False) -> list[RenderableType]:
        """What belongs to one owner; `brief`: its single things in one line if they fit."""
        parts: list[RenderableType] = []
        for grid, rows in share.boards.items():
            parts += drawn(self.ruleset, self.names, grid, rows, self.inner)
        for type_, table in share.tables.items():
            parts.append(self._table(type_, table))
        things = [(self.names.name(name), name, thing) for name, thing in share.singles.items()]
        things += [(self.names.indexed(*key), key[0], thing) for key, thing in share.lists.items()]
        line = " · ".join(
            f"{label} {self.names.thing(name, thing)}" for label, name, thing in things if not _mark(thing)
        )
        if brief and len(line) <= self.inner and not any(_mark(thing) for _, _, thing in things):
            return [*parts, Text(line)] if line else parts
        held = [(label, self.names.thing(name, thing)) for label, name, thing in things if not is_empty(thing)]
        if held:
            parts.append(self._rows(held))
        empty = [label for label, _, thing in things if is_empty(thing) and not _mark(thing)]
        if empty:
            parts.append(Text(self.texts("nothing_there", names=", ".join(empty)), LABEL))
        return parts

    def _rows(self, rows: Iterable[tuple[str, str]]) -> Table:
        """Labels and what they have, side by side."""
        listed = list(rows)
        room = min(max(len(label) for label, _ in listed), max(self.inner // 3, COLUMN))
        grid = Table.grid(padding=(0, GAP))
        grid.add_column(style=LABEL, width=room, overflow="fold")
        grid.add_column(overflow="fold")
        for label, text in listed:
            grid.add_row(label, Text(text))
        return grid

    def _line(self, share: Share) -> str:
        """All of an owner in one line."""
        parts = []
        for label, name, thing in _flat(share, self.names):
            if isinstance(thing, Value) and thing.value is True and thing.mark:
                parts.append(label)
            elif not (_mark(thing) and is_empty(thing)):
                parts.append(f"{label} {self.names.thing(name, thing)}")
        return " · ".join(parts) or NONE

    def _table(self, type_: str, rows: dict[str, dict[str, Thing]]) -> RenderableType:
        """One column for each value that anything is indexed by; as a list where it would be too narrow."""
        columns = list(dict.fromkeys(index for row in rows.values() for index in row))
        labels = [self.names.name(name) for name in rows]
        width = self.inner - max(map(len, labels)) - GAP * len(columns)
        texts = {
            (name, index): self.names.thing(name, row[index]) if index in row else ""
            for name, row in rows.items()
            for index in columns
        }
        heads = [self.names.index(index) for index in columns]
        wanted = [
            max(len(head), *(len(texts[name, index]) for name in rows))
            for head, index in zip(heads, columns, strict=True)
        ]
        if sum(wanted) > width and width // len(columns) < COLUMN:
            return self._rows(
                (label, self._listed(columns, heads, row, name))
                for label, (name, row) in zip(labels, rows.items(), strict=True)
            )
        table = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False, show_edge=False, header_style="bold")
        table.add_column("", style=LABEL, no_wrap=True)
        for head in heads:
            table.add_column(head, overflow="fold")
        for label, name in zip(labels, rows, strict=True):
            table.add_row(label, *(Text(texts[name, index]) for index in columns))
        return table

    def _listed(self, columns: list[str], heads: list[str], row: dict[str, Thing], name: str) -> str:
        parts = [
            self.names.labelled(head, self.names.thing(name, row[index]))
            for head, index in zip(heads, columns, strict=True)
            if index in row and not is_empty(row[index])
        ]
        return " · ".join(parts) or NONE


def _names(share: Share) -> list[str]:
    return [*share.singles, *(name for rows in _tabled(share) for name in rows), *(name for name, _ in share.lists)]


def _flat(share: Share, names: Names) -> list[tuple[str, str, Thing]]:
    """All things one after the other, with what they are called and their names; of indexed ones those that hold
    anything."""
    found = [(names.name(name), name, thing) for name, thing in share.singles.items()]
    indexed: list[tuple[tuple[str, tuple[str, ...]], Thing]] = [
        ((name, (at,)), thing) for rows in _tabled(share) for name, row in rows.items() for at, thing in row.items()
    ]
    indexed += share.lists.items()
    return found + [(names.indexed(*key), key[0], thing) for key, thing in indexed if not is_empty(thing)]


def _tabled(share: Share) -> list[dict[str, dict[str, Thing]]]:
    return [*share.tables.values(), *share.boards.values()]


def _mark(thing: Thing) -> bool:
    return getattr(thing, "mark", False)
