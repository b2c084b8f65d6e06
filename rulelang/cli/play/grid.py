"""A grid as a board: columns by letter, rows by number, a short sign for each piece, and what the signs mean.

Enters: a grid's zones and variables by cell. Leaves: renderables; where the board is wider than the terminal, a list of
the cells that hold anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from rich.console import RenderableType

from rulelang.cli.console import Text
from rulelang.cli.play.names import Names
from rulelang.cli.play.view import Contents, Piece, Share, Thing, Value, is_empty
from rulelang.game import Ruleset
from rulelang.ruleset.model import GridDecl, ValueDecl

GROUNDS = ".~^#+*=%"
"""Signs for what cells are like, the most common first."""


def drawn(ruleset: Ruleset, names: Names, grid: str, share: Share, width: int) -> list[RenderableType]:
    """The board of a grid with the pieces of all its zones; then each variable that differs from cell to cell."""
    decl = next(row for row in ruleset.written.grids if row.name == grid)
    rows = share.boards[grid]
    zones = {name: row for name, row in rows.items() if any(isinstance(thing, Contents) for thing in row.values())}
    found: list[RenderableType] = []
    if zones:
        found += _pieces(ruleset, names, decl, zones, _on_edges(ruleset, decl, share), width)
    for name, row in rows.items():
        texts = {cell: _value(names, name, thing) for cell, thing in row.items() if isinstance(thing, Value)}
        if len(set(texts.values())) > 1:
            found += [Text(names.name(name), "dim"), *_square(decl, texts, width)]
    return found


def _value(names: Names, name: str, thing: Thing) -> str:
    return "." if is_empty(thing) else names.thing(name, thing)


def _on_edges(ruleset: Ruleset, decl: GridDecl, share: Share) -> dict[str, Mapping[str, Thing]]:
    """What the edges of a grid hold: by name, then by edge; truth values where they hold."""
    if decl.edges is None:
        return {}
    type_ = decl.edges.name
    per = {row.name: row.per for row in ruleset.written.variables} | {
        row.name: row.per for row in ruleset.written.marks
    }
    truths = {name for name, types in per.items() if types[-1:] == (type_,)}
    return share.tables.get(type_, {}) | {
        name: {edge: Value(True) for edge in thing.value}
        for name, thing in share.singles.items()
        if name in truths and isinstance(thing, Value) and isinstance(thing.value, list)
    }


def _pieces(
    ruleset: Ruleset,
    names: Names,
    decl: GridDecl,
    zones: Mapping[str, Mapping[str, Thing]],
    on_edges: Mapping[str, Mapping[str, Thing]],
    width: int,
) -> list[RenderableType]:
    ground, meaning = _grounds(names, decl.cells, decl.signs)
    between, of_edges = _grounds(names, decl.edges.values, decl.edge_signs) if decl.edges is not None else ({}, [])
    holds = {zone.holds for zone in ruleset.written.zones if zone.name in zones or zone.name in on_edges}
    rows = {row.id: names.row(row.id) for row in ruleset.written.pieces if row.kind in holds}
    rows |= {name: names.name(name) for name in on_edges}
    signs = _signs(rows, [*ground.values(), *between.values()])
    texts = dict(ground)
    used: set[tuple[str, str]] = set()
    for row in zones.values():
        for cell, thing in row.items():
            if isinstance(thing, Contents) and thing.count:
                here = _sign(thing, signs, names, used)
                texts[cell] = here if texts.get(cell) == ground.get(cell) else f"{texts[cell]},{here}"
    for name, row in on_edges.items():
        for edge, thing in row.items():
            if isinstance(thing, Contents) and thing.count:
                between[edge] = _sign(thing, signs, names, used)
            elif not is_empty(thing):
                between[edge] = signs[name]
                used.add((signs[name], rows[name]))
    shown = _square(decl, texts, width, ground, between)
    legend = [f"{sign} {what}" for sign, what in (*sorted(used), *meaning, *of_edges)]
    return [*shown, Text("  ".join(legend), "dim")] if legend else shown


def _sign(contents: Contents, signs: Mapping[str, str], names: Names, used: set[tuple[str, str]]) -> str:
    """What stands in a cell; the meaning of its signs goes to `used`."""
    if contents.pieces is None:
        seen: Sequence[Piece | None] = (contents.top, *[None] * (contents.count - 1)) if contents.top else ()
    else:
        seen = contents.pieces
    counts: Counter[str] = Counter()
    for piece in seen or [None] * contents.count:
        if piece is None:
            counts["?"] += 1
        else:
            sign = signs[piece.id] + piece.owner
            used.add((sign, names.piece(piece)))
            counts[sign] += 1
    return ",".join(sign if count == 1 else f"{count}{sign}" for sign, count in counts.items())


def _signs(rows: Mapping[str, str], grounds: Iterable[str]) -> dict[str, str]:
    """A short sign for each row: as many letters of its name as tell it from all others and from the grounds."""
    found: dict[str, str] = {}
    taken = set(grounds)
    for id_, name in rows.items():
        letters = "".join(letter for letter in name if letter.isalnum()) or id_
        others = ["".join(filter(str.isalnum, other)).lower() for key, other in rows.items() if key != id_]
        size = 1
        while size < len(letters) and (
            letters[:size].capitalize() in taken or any(other.startswith(letters[:size].lower()) for other in others)
        ):
            size += 1
        sign = letters[:size].capitalize()
        number = 2
        while sign in taken:
            sign, number = f"{letters[:size].capitalize()}{number}.", number + 1
        taken.add(sign)
        found[id_] = sign
    return found


def _grounds(names: Names, cells: Sequence[ValueDecl], map_: str) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """A sign for each cell or edge, and what the signs mean: those of the author's map, if it tells them apart."""
    if len(set(map_)) > 1:
        drawn_as = {cell.name: sign for cell, sign in zip(cells, map_, strict=True)}
        like = {drawn_as[cell.name]: cell.attributes for cell in cells}
        said = {
            sign: [_attribute(names, key, text.text) for key, text in sort.items() if key != "cells"]
            for sign, sort in like.items()
        }
        return drawn_as, [(sign, ", ".join(texts)) for sign, texts in said.items() if texts and not sign.isspace()]
    sorts = {cell.name: tuple(sorted((key, text.text) for key, text in cell.attributes.items())) for cell in cells}
    common = [sort for sort, _ in Counter(sorts.values()).most_common()]
    if not 1 < len(common) <= len(GROUNDS):
        return dict.fromkeys(sorts, "."), []
    signs = dict(zip(common, GROUNDS, strict=False))
    meaning = [(signs[sort], ", ".join(_attribute(names, key, text) for key, text in sort)) for sort in common]
    return {cell: signs[sort] for cell, sort in sorts.items()}, meaning


def _attribute(names: Names, key: str, text: str) -> str:
    if text in ("true", "false"):
        return f"{names.name(key)} {names.value(text == 'true')}"
    return names.name(text) if text.isidentifier() else f"{names.name(key)} {text}"


def _square(
    decl: GridDecl,
    texts: Mapping[str, str],
    width: int,
    empty: Mapping[str, str] | None = None,
    edges: Mapping[str, str] | None = None,
) -> list[RenderableType]:
    """The cells' texts as a board; cells that are as in `empty` are left out where it must be a list. `edges`: what
    stands between cells."""
    between = {name: sign for name, sign in (edges or {}).items() if not sign.isspace()}
    names = [
        [cell.name for cell in decl.cells[row * decl.columns : (row + 1) * decl.columns]] for row in range(decl.rows)
    ]
    gap = max(map(len, between.values()), default=0)
    size = max(2, *(len(text) for text in texts.values())) + 1 + bool(gap)
    margin = len(str(decl.rows)) + 1
    if margin + (gap + size) * decl.columns > width:
        bare = dict.fromkeys(texts, ".") if empty is None else empty
        held = [
            f"{cell} {texts[cell]}" for row in names for cell in row if cell in texts and texts[cell] != bare.get(cell)
        ]
        return [Text(" · ".join(held))]

    def line(head: str, row: Sequence[str], texts: Mapping[str, str], between: Mapping[str, str]) -> str:
        """A line of the board: the texts below each other, each after the edge to the cell on its left."""
        sides = ["", *(f"{a}_{b}" for a, b in pairwise(row))]
        cells = [f"{texts.get(cell, ''):>{size - bool(gap)}}{' ' * bool(gap)}" for cell in row]
        return head.rjust(margin) + "".join(f"{between.get(s, ''):{gap}}{c}" for s, c in zip(sides, cells, strict=True))

    lines = [line("", names[0], {cell: cell.rstrip("0123456789") for cell in names[0]}, {})]
    for number, row in enumerate(names, 1):
        lines.append(line(str(number), row, texts, between))
        below = (
            {a: between.get(f"{a}_{b}", "") for a, b in zip(row, names[number], strict=True)}
            if row != names[-1]
            else {}
        )
        if any(below.values()):
            wide = {cell: sign * (size - 2) if len(sign) == 1 else sign for cell, sign in below.items()}
            lines.append(line("", row, wide, {}))
    found = Text("\n".join(text.rstrip() for text in lines))
    found.stylize("dim", 0, len(lines[0]))
    return [found]
