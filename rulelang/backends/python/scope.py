"""How the locals of a procedure are kept while its lines are written.

Enters: names. Leaves: a `Scope`, which every writer of expressions, statements and decisions is given.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rulelang.backends.python.handfuls import Handfuls
    from rulelang.backends.python.picks import Pick


@dataclass(frozen=True)
class Bare:
    """How a set of pieces that were all found in one zone is kept: their items in `name`; `zone` is the text of it.

    Attributes:
        handfuls: what knows the number that `name` holds, where they are kept so.
        items: the text of their items.
    """

    name: str
    zone: str
    table: int
    handfuls: Handfuls | None
    items: str


@dataclass(frozen=True)
class Scope:
    """Where an expression stands: its procedure and what holds its locals.

    Attributes:
        names: slot -> the text that reads it.
        raw: slots whose text gives a piece's item without the zone that it was found in.
        inlined: how many functions are being written out.
        bare: slots with pieces of one zone, kept without it; `names` puts it back.
        places: slots that hold one zone all the time, which `names` spells out; nothing is put there.
        picks: decisions that choose pieces by all that lies in a zone; `left_out`: statements (by identity) that are
            not written for that; `rests`: the name of what a move (by identity) of what was chosen leaves in the zone.
    """

    procedure: int
    names: dict[int, str] = field(default_factory=dict)
    raw: frozenset[int] = frozenset()
    inlined: int = 0
    bare: dict[int, Bare] = field(default_factory=dict)
    places: frozenset[int] = frozenset()
    picks: Mapping[int, Pick] = field(default_factory=dict)
    left_out: frozenset[int] = frozenset()
    rests: Mapping[int, str] = field(default_factory=dict)

    def bind(self, slot: int, text: str, raw: bool = False) -> Scope:
        """The scope in which a slot is read by this text."""
        return replace(self, names={**self.names, slot: text}, raw=self.raw | {slot} if raw else self.raw - {slot})
