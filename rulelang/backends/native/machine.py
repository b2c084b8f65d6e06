"""The machine that plays whole random games in native code; everything else is the Python backend's.

Enters: a `Program` bound to players and options. Leaves: `NativeMachine`. A game that fails in native code, for whatever
reason, is played again by the interpreter, which says what was wrong, or goes on where native code could not.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from rulelang.backends.interpreter.expressions import Compiler
from rulelang.backends.interpreter.machine import Machine
from rulelang.backends.native import bags, grids, pieces, sets
from rulelang.backends.native.block import Blocks, TooLargeError
from rulelang.backends.native.build import build_library
from rulelang.backends.native.expressions import UnwrittenError, Writer
from rulelang.backends.native.procedures import ProcedureWriter
from rulelang.backends.native.source import Source
from rulelang.backends.python import PythonMachine
from rulelang.diagnostics import UsageError
from rulelang.ir.program import Program
from rulelang.runtime.layout import Layout
from rulelang.runtime.state import State

REGISTERED = (bags, grids, pieces, sets)
"""Modules whose import registers operations."""

HEADERS = ("core", "state", "seats", "sets", "zones", "grids", "payments", "choices", "ranks")
STATUS, WON, DECISIONS, TURNS, CAPPED, SCORES = 0, 4, 5, 6, 7, 9
"""Places in a row, as c/play.h has them."""
OVER = 1


@cache
def header(name: str) -> str:
    """A part of the runtime."""
    return (Path(__file__).parent / "c" / f"{name}.h").read_text(encoding="utf-8")


def c_text(layout: Layout, compiler: Compiler) -> tuple[str, Blocks]:
    """The whole C file of a layout, and its blocks.

    Raises:
        UnwrittenError: C has no words for something in the program.
        TooLargeError: its states are too large.
    """
    source = Source(layout.program)
    writer = Writer(layout, compiler, source)
    blocks = Blocks(layout, writer.facts)
    ProcedureWriter(writer).write()
    parts = [header("core"), blocks.preamble(), *map(header, HEADERS[1:]), source.text(), header("play")]
    return "\n".join(parts), blocks


class NativeMachine(PythonMachine):
    """Plays games of one program with a fixed number of players and fixed options in native code."""

    backend = "native"

    def __init__(self, program: Program, players: int, options: Sequence[int] | None = None) -> None:
        super().__init__(program, players, options)
        try:
            self.c, self.flat = c_text(self.layout, self.compiler)
        except UnwrittenError as error:
            raise UsageError(f"{program.name} can't be played in native code: {error}") from None
        except TooLargeError:
            raise UsageError(f"{program.name} can't be played in native code: its states are too large") from None
        self._library: Any = None
        self._native: Any = None
        self._lock = threading.Lock()
        self._slow = Machine(program, players, options)

    @property
    def library(self) -> Any:
        """The library, built if it was not."""
        if self._library is None:
            self._library = build_library(self.c)
            self._library.rulelang_new.restype = ctypes.c_void_p
            self._library.rulelang_tally.restype = ctypes.c_int64
            self._native = ctypes.c_void_p(self._library.rulelang_new())
            if not self._native:
                raise MemoryError
        return self._library

    def __del__(self) -> None:
        if getattr(self, "_native", None):
            self._library.rulelang_free(self._native)

    def _row(self) -> Any:
        return (ctypes.c_int64 * (SCORES + self.layout.parties))()

    def random_playout(self, state: State) -> None:
        """Plays to the end, choosing uniformly among the options with the state's own generator; chance is sampled."""
        if not state.frames:
            return
        if state.logging or not self._as_foreseen(state) or (state.out and not self._eliminates):
            super().random_playout(state)
            return
        pending = self.pending_decision(state)
        if pending is not None and pending.together:
            super().random_playout(state)
            return
        try:
            block = self.flat.packed(state)
        except TooLargeError:
            super().random_playout(state)
            return
        library, row = self.library, self._row()
        frames = self.flat.frames(state.frames)
        with self._lock:
            library.rulelang_play(self._native, ctypes.byref(block), frames, row)
        if row[STATUS] != OVER:
            self._slow.random_playout(state)
            if self._slow.capped is state:
                self.capped = state
            return
        self.flat.unpack(block, state)
        state.frames.clear()
        state.fuel = self.program.fuel
        if row[CAPPED]:
            self.capped = state

    @property
    def _eliminates(self) -> bool:
        return any(
            statement.op == "eliminate"
            for procedure in self.program.procedures
            for block in procedure.blocks
            for statement in block.statements
        )
