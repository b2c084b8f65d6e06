"""Many games of a ruleset that go on together, in native code, as numpy arrays.

Enters: a ruleset, how many games. Leaves: `Batch`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rulelang.diagnostics import IllegalAction, UsageError
from rulelang.envs.core import recorded
from rulelang.envs.specs import spec
from rulelang.game import Ruleset, State
from rulelang.record import Record
from rulelang.runtime.rng import game_seed

SEES = ("actor", "all")


@dataclass
class _Trace:
    """The picks of a game, and its number in the run."""

    number: int
    picks: list[int] = field(default_factory=list)


class Batch:
    """`games` games of which each waits for a pick; what ends begins again in the same call.

    Game j of row i has the seed `game_seed(seed, i + j * games)` (`rulelang.runtime.rng`), so that `new_game` plays it
    too. Arrays are the same memory at each step:

    Attributes:
        spec: what the numbers mean.
        counts, numbers: uint8 (games, spec.counts), int32 (games, spec.numbers): what the seat sees that picks; with
            `see="all"` what each seat sees: (games, seats, …).
        prefix: uint8 (games, picks): how often each pick was made of the action that the seat chooses; of the space
            `picks` alone, else it has no columns.
        mask: bool (games, spec.size): what can be picked. seat: int32 (games,): who picks.
        end: uint8 (games,): 1 where a game ended by the last step, 2 where `limits` ended it; the rest of the row is
            the next game's, but for reward: float32 (games, seats): its payoffs; 0 where none ended.
        episode: int64 (games,): how many games of the row have ended.

    Args:
        see: `actor` or `all`. record: whether picks are noted, for `record`.

    Raises:
        UsageError: as `rulelang.envs.spec`; or there is no C compiler, or the program can't be written as C.
    """

    def __init__(
        self,
        ruleset: Ruleset | str,
        games: int,
        players: int | None = None,
        options: Mapping[str, Any] | None = None,
        seed: int = 0,
        actions: str = "picks",
        see: str = "actor",
        record: bool = False,
    ) -> None:
        if see not in SEES:
            raise UsageError(f"`see` is {' or '.join(SEES)}, not `{see}`")
        if games < 1:
            raise UsageError("a batch has at least one game")
        of = self.spec = spec(ruleset, players, options, actions)
        native = of.ruleset.executor(of.players, of.options, "native").native
        assert native is not None
        from rulelang.native.batch import NativeBatch

        rows = (games,) if see == "actor" else (games, of.players)
        self.counts: Any = np.zeros((*rows, of.counts), np.uint8)
        self.numbers: Any = np.zeros((*rows, of.numbers), np.int32)
        self.mask: Any = np.zeros((games, of.size), np.bool_)
        self.prefix: Any = np.zeros((games, len(of.picks)), np.uint8)
        self.seat: Any = np.zeros(games, np.int32)
        self.end: Any = np.zeros(games, np.uint8)
        self.episode: Any = np.zeros(games, np.int64)
        self.reward: Any = np.zeros((games, of.players), np.float32)
        self._is_recording = record
        shown = (self.counts, self.numbers, self.mask, self.prefix, self.seat, self.end, self.episode, self.reward)
        addresses = [array.ctypes.data if array.size else 0 for array in shown]
        sizes = games, of.size, int(see == "all")
        self._native = NativeBatch(native, of.layout_fields, of.spelling, sizes, addresses)
        self.reset(seed)

    def reset(self, seed: int = 0) -> None:
        """Begin all games.

        Raises:
            RuleError: a rule went wrong.
        """
        self._native.reset(seed)
        rows = range(len(self.seat)) if self._is_recording else ()
        self._seed, self._ended = seed, dict[int, _Trace]()
        self._traces = [_Trace(row + int(self.episode[row]) * len(rows)) for row in rows]

    def step(self, picks: Any) -> None:
        """Make a pick in each row: integers (games,); -1 for none.

        Raises:
            IllegalAction: one of them can't be made; none was. RuleError: a rule went wrong in a row. UsageError:
                the picks are not one a row.
        """
        numbers = np.ascontiguousarray(picks, np.int64)
        if numbers.shape != self.seat.shape:
            raise UsageError(f"a pick for each of the rows is wanted: {self.seat.shape}, not {numbers.shape}")
        wrong = self._native.step(numbers.ctypes.data)
        if wrong >= 0:
            raise IllegalAction(f"in row {wrong} seat {self.seat[wrong]} can't pick {numbers[wrong]} now")
        for row in range(len(self._traces)):
            self._traces[row].picks += [int(numbers[row])] if numbers[row] >= 0 else []
            if self.end[row]:
                self._ended[row] = self._traces[row]
                self._traces[row] = _Trace(row + int(self.episode[row]) * len(self.seat))

    def record(self, row: int, ended: bool = True) -> Record:
        """Return the record of the game of a row that ended last, or of the one that is played there.

        Raises:
            UsageError: none has ended, or games are not recorded.
        """
        trace = self._ended.get(row) if ended else self._traces[row] if self._is_recording else None
        if trace is None:
            raise UsageError("no game is on record here: a batch with `record=True` records its games")
        return recorded(self.spec, game_seed(self._seed, trace.number), trace.picks)

    def state(self, row: int) -> State:
        """Return the position of a row's game: a state without a log, and so without events."""
        executor = self.spec.ruleset.executor(self.spec.players, self.spec.options, "interpreter")
        return State(self.spec.ruleset, executor, self._native.state(row).clone())
