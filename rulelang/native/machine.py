"""Whole random games in native code.

Enters: an interpreter, whose layout and constants the C text is written for. Leaves: `NativeCode`, which answers None
where native code can't play something, or a rule went wrong in it.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from rulelang.diagnostics import UsageError
from rulelang.ir.nodes import Expr
from rulelang.ir.program import Program
from rulelang.mir import lowered
from rulelang.native import bags, grids, guards, interchangeable, lookahead, pieces, positions, purses, sets
from rulelang.native.analysis import Analysis
from rulelang.native.block import StateBlocks, StateTooLargeError
from rulelang.native.build import build_library
from rulelang.native.compilers import STEPPING, BuildError
from rulelang.native.expressions import UnwrittenError, Writer, check_expressions
from rulelang.native.frames import WordForms
from rulelang.native.groupings import groups_anything
from rulelang.native.procedures import ProcedureWriter
from rulelang.native.rows import CAPPED, DONE, STATUS, outcome_of, row_width
from rulelang.native.source import CSource, header, readable
from rulelang.native.speculation import write_speculation
from rulelang.native.stepping import Stepped
from rulelang.native.steps import Steps, new_machine
from rulelang.runtime.canonical import transient_cells
from rulelang.runtime.definition import Definition
from rulelang.runtime.layout import Layout
from rulelang.runtime.outcome import Outcome
from rulelang.runtime.rng import seeded
from rulelang.runtime.state import Frame, State

REGISTERED = (bags, grids, pieces, positions, purses, sets, lookahead)
"""Modules whose import registers operations."""

HEADERS = (
    "state", "marks", "seats", "sets", "zones", "pools", "moves",
    "grids", "bags", "costs", "payments", "choices", "ranks",
)  # fmt: skip


class LibraryKind(NamedTuple):
    """One of the C files of a layout.

    Attributes:
        body: what writes procedures that stop; None: whole games. flag: the macro that the headers read.
        before: what stands before the procedures. after: what
            follows them and the headers of whole games. logs: whether events are logged.
    """

    body: type[Stepped] | None = None
    flag: str = ""
    before: Callable[[Writer], Sequence[str]] = lambda _: ()
    after: Callable[[], Sequence[str]] = lambda: ()
    logs: bool = False


def _before_steps(writer: Writer) -> list[str]:
    """Return what stands before single steps: of each cell whether nothing reads it of a finished game (1), or only
    whether it is 0 (2)."""
    counters, marks = transient_cells(writer.layout)
    cells = [2 if cell in marks else int(cell in counters) for cell in range(len(writer.layout.start_v))]
    taking = ", ".join(map(str, _taking(writer)))
    return [
        f"static const uint8_t transient_cell[] = {{{', '.join(map(str, [*cells, 0]))}}};",
        f"static const int32_t taking[] = {{{taking}}};",
        f"#define PLAY_SITE {writer.program.procedures[writer.program.play].site}",
        header("outcomes"),
    ]


def _taking(writer: Writer) -> list[int]:
    """Return the table by which c/steps.h takes a listed option."""
    decisions = writer.program.decisions
    table = [0] * max(len(decisions), 1)
    for number, decision in enumerate(decisions):
        if decision.together:
            continue
        table[number] = at = len(table)
        table += [decision.otherwise, decision.site, 0, *[0] * len(decision.items)]
        table[at + 2] = len(table)
        subjects = writer.layout.subjects[number]
        table += [len(subjects), *subjects]
        for place, item in enumerate(decision.items):
            table[at + 3 + place] = len(table)
            forms = [(binder.slot, writer.forms.form(binder.type)) for binder in item.binders]
            table += [item.to, len(forms), *(number for pair in forms for number in pair)]
    return table


GAMES = LibraryKind()
STEPS = LibraryKind(Stepped, STEPPING.rstrip(), _before_steps, lambda: [header("steps"), header("objects")], True)
BATCH = STEPS._replace(
    flag="#define BATCHED\n" + STEPS.flag, after=lambda: [header("steps"), header("sight"), header("batch")]
)


def c_text(
    layout: Layout, variant: LibraryKind = GAMES, without: Collection[str] = ()
) -> tuple[str, StateBlocks, WordForms]:
    """Return the whole C file of a layout, its blocks, and how values are written outside of them.

    Args:
        without: passes that are left out.

    Raises:
        UnwrittenError: C has no words for something in the program.
        StateTooLargeError: its states are too large.
    """
    check_expressions(layout.program)
    before = layout.program
    layout = lookahead.numbered(lowered(layout, without))
    source = CSource(layout.program)
    writer = Writer(layout, source)
    conditions = zip(_guards(before), _guards(layout.program), strict=True)
    writer.origins = {id(after): original for original, after in conditions}
    writer.logs = variant.logs
    if variant.body is None:
        writer.fused_payments = purses.fused_payments(writer)
    writer.askers = interchangeable.askers(writer)
    procedures = ProcedureWriter(writer, variant.body)
    procedures.write()
    write_speculation(procedures)
    more = {
        "bits": writer.blocks.bit_words > 0,
        "interchangeable": any(layout.interchangeable),
        "groupings": groups_anything(layout.program),
        "lookahead": bool(writer.lookaheads),
        "positions": bool(layout.positions),
    }
    headers = [*HEADERS, *(name for name, is_used in more.items() if is_used)]
    parts = [
        header("core"),
        writer.blocks.preamble(),
        interchangeable.tables(layout),
        lookahead.preamble(writer),
        header(headers[0]),
        *([header("events")] if variant.logs else []),
        *map(header, headers[1:]),
        writer.forms.tables(),
        header("frames"),
        *variant.before(writer),
        source.text(),
        header("play"),
        *variant.after(),
    ]
    if writer.checked:
        parts = guards.checked(parts, source.text(), layout.program)
    return "\n".join([*([variant.flag] if variant.flag else []), *parts]), writer.blocks, writer.forms


def _guards(program: Program) -> list[Expr]:
    """Return the conditions of all options."""
    items = [item for node in program.decisions for item in node.items]
    return [guard.condition for item in items for guard in (*item.pre, *item.guards)]


def loaded(text: str) -> Any:
    """Return the library of a C text, compiled or from the cache.

    Raises:
        UsageError: this machine has no compiler, or it failed.
    """
    try:
        return guards.watch(build_library(text), text)
    except BuildError as error:
        raise UsageError(f"there is no native code: {error}") from None


class NativeCode:
    """The C texts of one layout, each written when it is first wanted (a large ruleset takes 0.6 s for either),
    and the libraries that are compiled from them when they are first used. Threads may share it.

    Args:
        without: passes that are left out, to see what they are worth.
    """

    def __init__(self, interpreter: Definition, without: Collection[str] = ()) -> None:
        self.interpreter, self._without = interpreter, without
        self.program, self.layout = interpreter.program, interpreter.layout
        self.analysis = Analysis(self.layout)
        self._library: Any = None
        self._native: Any = None
        self._fresh: tuple[Any, Any] | None = None
        self._lock = threading.Lock()
        self._steps: Steps | None = None

    def written(self, variant: LibraryKind) -> tuple[str, StateBlocks, WordForms]:
        """Return the C text of a variant, its blocks, and the encoding of values outside of them.

        Raises:
            UsageError: the program can't be written as C.
        """
        name = self.program.name
        try:
            return c_text(self.layout, variant, self._without)
        except (UnwrittenError, StateTooLargeError) as error:
            reason = str(error) or "its states are too large"
        except RecursionError:
            reason = "its rules call each other too deep"
        raise UsageError(f"{name} can't be played in native code: {reason}")

    @cached_property
    def _written_games(self) -> tuple[str, StateBlocks, WordForms]:
        return self.written(GAMES)

    @cached_property
    def _written_steps(self) -> tuple[str, StateBlocks, WordForms]:
        return self.written(STEPS)

    @property
    def c(self) -> str:
        """The C text of whole games; UsageError as for `emitted`."""
        return self._written_games[0]

    @property
    def flat(self) -> StateBlocks:
        """The blocks of whole games."""
        return self._written_games[1]

    @property
    def forms(self) -> WordForms:
        """Return the encoding of values outside of blocks in whole games."""
        return self._written_games[2]

    def emitted(self, steps: bool = False) -> str:
        """Return the C text that is compiled: of whole games, or of single steps.

        Raises:
            UsageError: the program can't be written as C.
        """
        return self._written_steps[0] if steps else self.c

    @property
    def library(self) -> Any:
        """The library, built if it was not.

        Raises:
            UsageError: this machine has no compiler, or it failed.
        """
        with self._lock:
            if self._library is None:
                self._library = self._built()
            return self._library

    def _built(self) -> Any:
        """Load the library and set the types of the functions that play whole games."""
        library = loaded(self.c)
        word, pointer = ctypes.c_int64, ctypes.c_void_p
        self._native = new_machine(library, self)
        library.rulelang_play.argtypes = [pointer] * 4
        library.rulelang_rows.argtypes = [*[pointer] * 4, word, pointer]
        library.rulelang_tally.argtypes = [
            *[pointer] * 3, ctypes.c_uint64, ctypes.c_uint64, word, word, word, pointer,
        ]  # fmt: skip
        library.rulelang_tally.restype = word
        return library

    def text(self, steps: bool = False) -> str:
        """Return what is compiled, for people to read: each block says which rule it is.

        Args:
            steps: of single steps, not of whole games.
        """
        return readable(self.emitted(steps))

    def prepare(self) -> None:
        """Build the library of whole games.

        Raises:
            UsageError: this machine has no compiler, or it failed.
        """
        self.library  # noqa: B018 - read for what it does

    def steps(self) -> Steps:
        """Return single steps, whose library is built when it is first asked for.

        Raises:
            UsageError: this machine has no compiler, or it failed.
        """
        with self._lock:
            if self._steps is None:
                text, flat, forms = self._written_steps
                library = loaded(text)
                held = guards.watch(ctypes.PyDLL(library._name, handle=library._handle), text)
                self._steps = Steps(self.interpreter, held, flat, forms, self.analysis)
            return self._steps

    def frames_of(self, state: State) -> Sequence[Frame] | None:
        """Return the frames that native code goes on from; None where it can't: what rules never bring about, and
        decisions of several seats that some have answered, are left to the interpreter."""
        if state.logging or not state.frames or not self.analysis.hold_for(state):
            return None
        return self.interpreter.frames_before_answers(state)

    def _packed(self, state: State) -> tuple[Any, bytes] | None:
        """Return the block and the frames with which native code goes on from a state; None where it can't."""
        frames = self.frames_of(state)
        try:
            return None if frames is None else (self.flat.packed(state), self.forms.written(frames))
        except StateTooLargeError:
            return None

    def random_playout(self, state: State) -> bool | None:
        """Play the state to its end and return whether `limits` ended it; None, and nothing is changed, where native
        code can't."""
        start = self._packed(state)
        if start is None:
            return None
        block, frames = start
        library, row = self.library, (ctypes.c_int64 * row_width(self.layout))()
        with self._lock:
            library.rulelang_play(self._native, ctypes.byref(block), frames, row)
        if row[STATUS] != DONE:
            return None
        self.flat.unpack(block, state)
        state.frames.clear()
        state.fuel = self.program.fuel
        return bool(row[CAPPED])

    def tally(self, seed: int, numbers: range, unit: int) -> tuple[int, list[int]]:
        """See `Executor.tally`."""
        library, seats, parties = self.library, self.layout.players, self.layout.parties
        if self._fresh is None:
            self._fresh = self._packed(self.interpreter.new_state(logging=False))
        if self._fresh is None:
            return 0, []
        block, frames = self._fresh
        sums = (ctypes.c_int64 * (4 + (4 + parties) * seats))()
        with self._lock:
            played = library.rulelang_tally(
                self._native, ctypes.byref(block), frames, seeded(seed), numbers.start, len(numbers), seats, unit, sums
            )
        return played, list(sums)

    def playouts(self, state: State, rngs: Sequence[int]) -> list[Outcome | None] | None:
        """Play on at random from a state, once for each state of the generator; `state` is not changed.

        Returns:
            what came of each playout, None where a rule went wrong in it; None where native code can't play them.
        """
        start = self._packed(state) if rngs else None
        if start is None:
            return None
        block, frames = start
        width, library = row_width(self.layout), self.library
        rows = (ctypes.c_int64 * (width * len(rngs)))()
        with self._lock:
            library.rulelang_rows(
                self._native, ctypes.byref(block), frames, (ctypes.c_uint64 * len(rngs))(*rngs), len(rngs), rows
            )
        return [outcome_of(self.layout, rows[place : place + width]) for place in range(0, len(rows), width)]
