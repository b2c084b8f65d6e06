"""The functions of one way to run a program, each made when it is first called.

Enters: a layout, the names that generated code calls. Leaves: `Module`, which has a function for every procedure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import CodeType
from typing import Any

from rulelang.backends.facts import Facts
from rulelang.backends.interpreter.expressions import Compiler
from rulelang.backends.python.expressions import Writer, function_name
from rulelang.backends.python.handfuls import Handfuls
from rulelang.backends.python.procedures import ProcedureWriter
from rulelang.backends.python.source import Source
from rulelang.runtime.layout import Layout


class Module:
    """Generated functions and what they name.

    Args:
        names: what generated code calls. facts, playing, counted: see `Writer`.

    Attributes:
        functions: the name of the function of each procedure.
    """

    def __init__(
        self,
        layout: Layout,
        compiler: Compiler,
        names: Mapping[str, Any],
        facts: Facts,
        playing: bool,
        counted: Mapping[int, Handfuls],
    ) -> None:
        self.source = Source(layout.program)
        self.writer = Writer(layout, compiler, self.source, facts)
        self.writer.playing = playing
        self.writer.counted.update(counted)
        self.procedures = ProcedureWriter(self.writer)
        self.file = f"<{layout.program.name}, {layout.players} players>"
        self.names = self.source.names
        self.names.update(names)
        self._resumers: dict[int, Callable[..., Any]] = {}
        self._scores: Callable[..., list[int]] | None = None
        self.functions = [function_name(self.writer, number) for number in range(len(layout.program.procedures))]
        for procedure, name in enumerate(self.functions):
            self.names[name] = self._stub(procedure)

    def _stub(self, procedure: int) -> Callable[..., Any]:
        """Stands for a function until it is first called."""

        def stub(*arguments: Any) -> Any:
            return self._made(procedure)(*arguments)

        return stub

    def _made(self, procedure: int) -> Callable[..., Any]:
        name = self.functions[procedure]
        if self.names[name].__name__ == "stub":
            self._compiled(lambda: self.procedures.function(procedure))
        found: Callable[..., Any] = self.names[name]
        return found

    def resumer(self, procedure: int) -> Callable[..., Any]:
        """The function that goes on from any block of a procedure."""
        found = self._resumers.get(procedure)
        if found is None:
            name = self._compiled(lambda: self.procedures.resumer(procedure))
            found = self._resumers[procedure] = self.names[name]
        return found

    @property
    def scores(self) -> Callable[..., list[int]]:
        """The function that adds up the score lines of every party."""
        if self._scores is None:
            self._scores = self.names[self._compiled(self.procedures.scores)]
        return self._scores

    def _compiled(self, write: Callable[[], str]) -> str:
        start = len(self.source.lines)
        name = write()
        text = "\n" * start + "\n".join(self.source.lines[start:]) + "\n"
        code: CodeType = compile(text, self.file, "exec")
        exec(code, self.names)
        return name
