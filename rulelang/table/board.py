"""What the drawing of a grid needs besides pieces: signs of pieces, meanings of the map's signs, contents of edges.

Enters: a ruleset, names, the visible contents of a grid. Leaves: signs and words.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from rulelang.game import Ruleset
from rulelang.geometry import ADJACENCIES
from rulelang.ruleset.model import GridDecl, Legend
from rulelang.runtime.grids import Grid
from rulelang.table.facts import NOTHING
from rulelang.table.names import Names
from rulelang.table.view import Observed, Share, Value

SHORT = 3
"""An author's own short word of so many letters is a sign."""


def on_edges(ruleset: Ruleset, decl: GridDecl, share: Share) -> dict[str, Mapping[str, Observed]]:
    """Return what the edges of a grid hold: zone or variable -> edge -> contents; of truth values only the edges where
    they hold."""
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


def signs_of(names: Names, rows: Mapping[str, str], grounds: Iterable[str]) -> dict[str, str]:
    """Return a short sign for each row: the author's short word if it has at most SHORT letters, else as many letters
    of its name as tell it from all others and from the grounds.

    Args:
        rows: id -> name. grounds: signs that the map uses.
    """
    sign_of = {id_: short for id_ in rows if len(short := names.short(id_)) <= SHORT and short != rows[id_]}
    taken = {*grounds, *sign_of.values()}
    for id_, name in rows.items():
        if id_ in sign_of:
            continue
        letters = "".join(letter for letter in name if letter.isalnum()) or id_
        others = ["".join(filter(str.isalnum, row)).lower() for key, row in rows.items() if key != id_]
        size = 1
        while size < len(letters) and (
            letters[:size].capitalize() in taken or any(row.startswith(letters[:size].lower()) for row in others)
        ):
            size += 1
        sign = letters[:size].capitalize()
        number = 2
        while sign in taken:
            sign, number = f"{letters[:size].capitalize()}{number}.", number + 1
        taken.add(sign)
        sign_of[id_] = sign
    return sign_of


def blank(grid: Grid, place: tuple[int, int]) -> str:
    """Return the sign of a cell that no map draws."""
    return ADJACENCIES[grid.adjacency].blank(*place)


def meaning(names: Names, legend: Legend, drawn: Collection[str]) -> list[tuple[str, str]]:
    """Return the signs on the author's map with their meanings, if it uses several; false and 0 are left out beside
    other attributes.

    Args:
        drawn: the signs that the map uses.
    """
    said: dict[str, str] = {}
    for sign, sort in legend.items():
        telling = {key: text for key, text in sort.items() if text.text not in NOTHING} or sort
        said[sign] = ", ".join(_attribute(names, key, text.text) for key, text in telling.items())
    return [(sign, text) for sign, text in said.items() if sign in drawn and text] if len(drawn) > 1 else []


def _attribute(names: Names, key: str, text: str) -> str:
    """Return an attribute of a sign in words."""
    if text in ("true", "false"):
        return f"{names.name(key)} {names.value(text == 'true')}"
    return names.name(text) if text.isidentifier() else f"{names.name(key)} {text}"
