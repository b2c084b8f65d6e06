"""What the writers of both generated languages share: numbers and names as text, and where places stand.

Enters: expressions of a program bound to a layout. Leaves: text that means the same in Python and in C.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

from rulelang.backends.facts import Facts, Intervals
from rulelang.backends.interpreter.expressions import Compiler, operands
from rulelang.backends.interpreter.work import round_work
from rulelang.ir.nodes import Expr
from rulelang.runtime.layout import Layout

_ATOM = re.compile(r"[A-Za-z_]\w*|\d+|\(-\d+\)|INT64_MIN")
_NUMBER = re.compile(r"\d+|\(-\d+\)")


def atomic(text: str) -> bool:
    """Whether the text is a name or a number, so that it may be read twice."""
    return _ATOM.fullmatch(text) is not None


def literal(text: str) -> int | None:
    """The number that the text is."""
    return int(text.strip("()")) if _NUMBER.fullmatch(text) else None


class Place(Protocol):
    """Where an expression stands: its procedure, and how many functions are being written out."""

    @property
    def procedure(self) -> int: ...

    @property
    def inlined(self) -> int: ...


ScopeT = TypeVar("ScopeT", bound=Place)


class TextWriter(ABC, Generic[ScopeT]):
    """Writes expressions of one layout.

    Args:
        facts: those of the layout, if they are known.

    Attributes:
        eliminates: whether rules put players out of the game.
    """

    def __init__(self, layout: Layout, compiler: Compiler, facts: Facts | None = None) -> None:
        self.layout = layout
        self.program = layout.program
        self.compiler = compiler
        self.facts = Facts(layout) if facts is None else facts
        self.intervals = Intervals(self.facts)
        self.eliminates = any(
            statement.op == "eliminate"
            for procedure in self.program.procedures
            for block in procedure.blocks
            for statement in block.statements
        )

    @abstractmethod
    def text(self, expr: Expr, scope: ScopeT) -> str:
        """The value of an expression."""

    def texts(self, expr: Expr, scope: ScopeT) -> list[str]:
        """All arguments that are expressions."""
        return [self.text(part, scope) for part in operands(expr)]

    def work(self, *bodies: Expr) -> int:
        """The fuel of reading the expressions once."""
        return round_work(self.layout, *bodies)

    def instance(self, base: int, strides: Sequence[int], indices: Sequence[Expr], scope: ScopeT) -> str:
        """The text of `base + sum(index * stride)`."""
        moving = []
        for expr, stride in zip(indices, strides, strict=True):
            text = self.text(expr, scope)
            value = literal(text)
            if value is not None:
                base += value * stride
            else:
                moving.append(text if stride == 1 else f"{text} * {stride}")
        if not moving:
            return str(base)
        return f"({' + '.join([*([str(base)] if base else []), *moving])})"

    def variable_cell(self, variable: int, indices: Sequence[Expr], scope: ScopeT) -> str:
        """The first cell of a variable."""
        return self.instance(self.layout.var_base[variable], self.layout.var_strides[variable], indices, scope)

    def piece_variable_base(self, variable: int) -> int:
        """The first cell that a piece variable would have for item 0."""
        width = self.layout.pvar_width[variable]
        return self.layout.pvar_base[variable] - self.layout.kind_items[self.layout.pvar_kind[variable]].start * width

    def piece_variable_cell(self, variable: int, item: str) -> str:
        """The first cell of a piece variable of an item."""
        width, base = self.layout.pvar_width[variable], self.piece_variable_base(variable)
        return f"({base} + {item} * {width})" if width > 1 else f"({base} + {item})"

    def table_of(self, zone: Expr, scope: ScopeT) -> int:
        """The zone table of a zone, -1 where there may be several."""
        if scope.inlined and zone.op == "local":
            return -1
        return self.facts.zone_table(scope.procedure, zone)

    def hides(self, zone: Expr, scope: ScopeT) -> bool:
        """Whether a zone may hold a piece that nobody has seen."""
        return self.facts.may_hide(self.table_of(zone, scope))
