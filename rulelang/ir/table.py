"""Write and read a program as a table of its distinct nodes in JSON, the form in which programs are cached.

Enters: a `Program`, or the bytes of a table. Leaves: its bytes, or an equal program. A table is
`[version, shapes, rows]`. A shape is `[class, positions]`: the class of a node (or `tuple`, `dict`, `Type`) and which
of its fields are numbers of earlier rows; a row is `[shape, field, …]`, all other fields being JSON scalars. The last
row is the program. Equal nodes are one row (hash-consing), and a table is read ten times as fast as text.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Callable
from dataclasses import fields
from functools import cache
from operator import attrgetter
from typing import Any

from rulelang.ir import nodes, program
from rulelang.ir.errors import IrError
from rulelang.ir.program import IR_VERSION, Program
from rulelang.vocabulary.types import Type

CLASSES: dict[str, type[Any]] = {
    item.__name__: item
    for module in (nodes, program)
    for item in vars(module).values()
    if isinstance(item, type) and item.__module__ == module.__name__
}
MAKERS: dict[str, Callable[..., object]] = {
    **CLASSES,
    "Type": Type,
    "tuple": lambda *parts: parts,
    "dict": lambda *parts: dict(zip(parts[::2], parts[1::2], strict=True)),
}
SCALARS = (int, str, bool)


@cache
def _parts_of(class_: Any) -> Callable[[Any], tuple[object, ...]]:
    """Return the function that gives the fields of a node of this class, as its maker takes them."""
    if class_ is tuple:
        return lambda node: node
    if class_ is dict:
        return lambda node: tuple(part for pair in node.items() for part in pair)
    if class_ is Type:
        return lambda node: (str.__str__(node),)
    names = [field.name for field in fields(class_)]
    return attrgetter(*names) if len(names) > 1 else lambda node: tuple(getattr(node, name) for name in names)


def to_table(program: Program) -> bytes:
    """Return the table of a program, in UTF-8.

    Raises:
        UnicodeEncodeError: a path in it holds bytes that are no text.
    """
    shapes: dict[object, tuple[int, list[object]]] = {}
    rows: dict[object, tuple[int, list[object]]] = {}
    numbers: dict[int, int] = {}  # by identity: what is shared is looked through once

    def number(node: object) -> int:
        """Return the row number of a node, appending the rows that are missing."""
        known = numbers.get(id(node))
        if known is None:
            class_: Any = type(node)
            parts = list(_parts_of(class_)(node))
            places = [place for place, part in enumerate(parts) if part is not None and type(part) not in SCALARS]
            for place in places:
                parts[place] = number(parts[place])
            shape = shapes.setdefault((class_, *places), (len(shapes), [class_.__name__, places]))[0]
            key = shape, *parts, *map(type, parts)  # else 1 would be True
            known = numbers[id(node)] = rows.setdefault(key, (len(rows), [shape, *parts]))[0]
        return known

    number(program)
    table = [IR_VERSION, *([row for _, row in rows_.values()] for rows_ in (shapes, rows))]
    return json.dumps(table, ensure_ascii=False, separators=(",", ":")).encode()


def from_table(content: bytes) -> Program:
    """Return the program of a table. What its nodes mean is left to the verifier.

    Raises:
        IrError: the content is no table of this version.
    """
    collects = gc.isenabled()
    gc.disable()  # everything that is made here is kept
    try:
        version, shapes, rows = json.loads(content)
        if version != IR_VERSION:
            raise IrError(f"the table is of version {version}, this engine reads version {IR_VERSION}")
        makers = [(MAKERS[name], [place + 1 for place in positions]) for name, positions in shapes]
        values: list[object] = []
        for row in rows:
            make, places = makers[row[0]]
            for place in places:
                row[place] = values[row[place]]
            values.append(make(*row[1:]))
        program = values[-1]
    except (ValueError, TypeError, LookupError, RecursionError) as error:
        raise IrError(f"this is no table of a program: {error}") from None
    finally:
        if collects:
            gc.enable()
    if not isinstance(program, Program):
        raise IrError("the table holds no program")
    return program
