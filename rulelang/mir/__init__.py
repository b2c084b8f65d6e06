"""The mid-level form of a program: bound to one layout and improved by passes, before C is printed from it.

Enters: a layout. Leaves: the layout of a program of the same meaning. Each pass is a function from layout to layout in
a module of its own, and stands once in `PASSES`, in the order in which they run.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from rulelang.mir.bitboards import bitboards
from rulelang.mir.branches import branches
from rulelang.mir.cells import cells
from rulelang.mir.exists import exists
from rulelang.mir.inverted import inverted
from rulelang.mir.narrow import narrow
from rulelang.mir.share import share
from rulelang.runtime.layout import Layout

PASSES: dict[str, Callable[[Layout], Layout]] = {
    improve.__name__: improve for improve in (branches, exists, inverted, bitboards, narrow, share, cells)
}


def lowered(layout: Layout, without: Collection[str] = ()) -> Layout:
    """Return the layout after all passes but these."""
    for name, improve in PASSES.items():
        if name not in without:
            layout = improve(layout)
    return layout
