"""Run games of one layout: native code where there is any, the interpreter for the rest.

Enters: a `Program`, a number of players, option values, a backend. Leaves: `Executor`, which has an interpreter and, on
the backend `native`, native code; it asks native code first. Native code answers None where it can't do something, or a
rule goes wrong in it: then the interpreter does that again, and says what is wrong.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rulelang.diagnostics import ResampleError, UsageError
from rulelang.interpreter import Machine
from rulelang.ir.program import Program
from rulelang.limits import current
from rulelang.runtime.canonical import state_hash
from rulelang.runtime.log import Log
from rulelang.runtime.outcome import FinishedGame, Outcome, ranks, returns, winners
from rulelang.runtime.rejection import MOST_STEPS, Sampler
from rulelang.runtime.rng import Dice, output, seeded
from rulelang.runtime.sight import has_secrets, settled_cells
from rulelang.runtime.state import TIED, State
from rulelang.runtime.waiting import Option, Waiting

if TYPE_CHECKING:
    from rulelang.ismcts.library import SearchLibrary
    from rulelang.ismcts.worlds import NativeWorlds
    from rulelang.native import NativeCode
    from rulelang.native.steps import Steps

MOST_SAMPLED_GAMES = 2000
"""Games played at most, by rejection sampling, for a world that native code does not find."""


class Executor:
    """Runs games of one program with a fixed number of players and fixed options.

    Args:
        players: number of seats. options: one int per option table; None for the defaults.
        backend: `interpreter` or `native`.

    Attributes:
        interpreter: what rules mean; it changes states in place.
        native: whole random games in native code; None on the backend `interpreter`.
        steps: single steps in native code; None until `prepare_steps` was called.
    """

    def __init__(
        self, program: Program, players: int, options: Sequence[int] | None = None, backend: str = "interpreter"
    ) -> None:
        self.backend = backend
        self.interpreter = Machine(program, players, options)
        self.program, self.layout = self.interpreter.program, self.interpreter.layout
        self.native: NativeCode | None = None
        self.steps: Steps | None = None
        self._search_library: SearchLibrary | UsageError | None = None
        self._worlds: NativeWorlds | None = None
        self._sampler_cache: tuple[Log, int, Sampler] | None = None
        if backend == "native":
            from rulelang.native import NativeCode

            self.native = NativeCode(self.interpreter)

    def prepare(self) -> None:
        """Build the library of whole games, which executors of other processes find in the cache.

        Raises:
            UsageError: there is no C compiler, or it failed, or the program can't be written as C.
        """
        if self.native is not None:
            self.native.prepare()

    def prepare_steps(self) -> None:
        """Build the library of single steps.

        Raises:
            UsageError: there is no C compiler, or it failed, or the program can't be written as C.
        """
        if self.native is not None:
            self.steps = self.native.steps()

    def quick(self, classes: Mapping[str, type]) -> Mapping[str, type]:
        """Return the classes of games, by name, or subclasses with methods of native code: see `Steps.quick`."""
        return classes if self.steps is None else self.steps.quick(classes)

    def search_library(self) -> SearchLibrary:
        """Return the native tree search, built at the first call, whatever the backend.

        Raises:
            UsageError: there is no C compiler, or it failed, or the program can't be searched in C.
        """
        if self._search_library is None:
            from rulelang.ismcts.library import SearchLibrary
            from rulelang.native import NativeCode

            try:
                if settled_cells(self.interpreter.layout, 0):
                    raise UsageError("who sees what is settled in the setup of each game")
                self._search_library = SearchLibrary(self.native or NativeCode(self.interpreter))
            except UsageError as error:
                self._search_library = error
        if isinstance(self._search_library, UsageError):
            raise self._search_library
        return self._search_library

    def search_library_or_none(self) -> SearchLibrary | None:
        """Return the native tree search; None without a C compiler, or if it can't be built.

        Where there is a compiler the reason is a RuntimeWarning, as what is done instead is far slower.
        """
        from rulelang.native import has_compiler

        is_new = self._search_library is None
        try:
            return self.search_library()
        except UsageError as error:
            if is_new and has_compiler():
                warnings.warn(f"search and resampling use the interpreter: {error}", RuntimeWarning, stacklevel=2)
            return None

    def resample(self, state: State, seat: int, seed: int) -> State:
        """Determinize: return a state that the seat can't tell from this one, by native code where there is a compiler,
        else by rejection sampling. It depends on the seat's knowledge and the seed alone.

        Raises:
            ResampleError: none was found, or the state has no log of what the seat saw.
        """
        if not has_secrets(self.program) and state.log.first().opening is None:
            return self.with_rng(state, output(seeded(seed))[0])
        native = self._native_world(state, seat, seed)
        if native is not None:
            return native
        sampler = self._sampler(state, seat)
        last = sampler.last
        for begin in (lambda seed: self._native_world(last, seat, seed) if last is not None else None, None):
            world = sampler.world(Dice(output(seeded(seed))[0]), MOST_SAMPLED_GAMES, begin)
            if world is not None:
                return self.immutable(world)
        advice = " (with a C compiler, such as the extra `native` brings, more are found)"
        raise ResampleError(
            f"no game was found that fits what seat {seat} saw, in {MOST_SAMPLED_GAMES} games or {MOST_STEPS} steps"
            f"{advice if isinstance(self._search_library, UsageError) else ''}"
        )

    def _sampler(self, state: State, seat: int) -> Sampler:
        """Return the rejection sampler of a state for a seat; the last one is cached."""
        cached = self._sampler_cache
        if cached is None or cached[0] is not state.log or cached[1] != seat:
            self._sampler_cache = cached = state.log, seat, Sampler(self.interpreter, state, seat)
        return cached[2]

    def _native_world(self, state: State, seat: int, seed: int) -> State | None:
        """Return a world from native code; None without a compiler, or if it finds none."""
        library = self.search_library_or_none()
        if library is None:
            return None
        from rulelang.ismcts.worlds import NativeWorlds

        if self._worlds is None:
            self._worlds = NativeWorlds(self.interpreter, library)
        world = self._worlds.deal(state, seat, seed, self.waiting(state), self.steps)
        return None if world is None else self.immutable(world)

    # ---- states as values

    def initial_state(self, seed: int, explicit: bool = False, logging: bool = True) -> State:
        """Return a new game after its setup, at its first node.

        Args:
            seed: of chance. explicit: whether chance nodes wait for outcomes. logging: whether events are logged.
        """
        state: State | None = self.steps.initial_state(seed, explicit, logging) if self.steps is not None else None
        if state is None:
            new = self.interpreter.new_state(seed, explicit, logging)
            self.interpreter.advance(new)
            state = self.immutable(new)
        return state

    def unbegun_state(self, explicit: bool) -> State:
        """Return a game before its setup, not to be changed."""
        if self.steps is not None:
            return self.steps.unbegun(explicit, True)
        return self.interpreter.new_state(0, explicit)

    def flat_state(self, block: bytes, tape: Any) -> State:
        """Return the state of a block and a tape of native code (`FlatState`)."""
        from rulelang.native.flat import FlatState

        assert self.steps is not None
        return FlatState(self.steps, block, tape)

    def immutable(self, state: State) -> State:
        """Return an immutable form of the state: flat where native code can go on from it, else the state itself."""
        flat = self.steps.flattened(state) if self.steps is not None else None
        return state if flat is None else flat

    def after_choice(self, state: State, seat: int, index: int, options: Sequence[Option] | None = None) -> State:
        """Return the state at the next node after a seat takes the option at `index` of its options (listed if they are
        not given); `state` is not changed."""
        after = self.steps.after_choice(state, seat, index) if self.steps is not None else None
        if after is not None:
            return after
        return self.after_choice_by_interpreter(state, seat, (options or self.options(state, seat))[index])

    def after_choice_by_interpreter(self, state: State, seat: int, option: Option) -> State:
        """Return the state at the next node after a seat takes an option, which native code has given up."""
        return self._changed(state, lambda copy: self.interpreter.choose(copy, seat, option))

    def after_chance(self, state: State, outcome: Any, draw: int) -> State:
        """Return the state at the next node after an outcome of explicit chance; `state` is not changed.

        Args:
            draw: the weight of all outcomes that come before it in `outcomes`.
        """
        after = self.steps.after_chance(state, outcome, draw) if self.steps is not None else None
        if after is not None:
            return after
        return self._changed(state, lambda copy: self.interpreter.take_outcome(copy, outcome))

    def with_rng(self, state: State, rng: int) -> State:
        """Return the same state with this state of its random generator; `state` is not changed."""
        after = self.steps.with_rng(state, rng) if self.steps is not None else None
        if after is not None:
            return after
        copy = state.clone()
        copy.rng = rng
        return self.immutable(copy)

    def _changed(self, state: State, change: Callable[[State], None]) -> State:
        """Return a copy of the state with a change made by the interpreter."""
        copy = state.clone()
        change(copy)
        return self.immutable(copy)

    def waiting(self, state: State) -> Waiting | None:
        """Return the node that the state waits at: a decision or chance node; None when the game is over."""
        return state.waiting if state.is_flat else self.interpreter.waiting(state)

    def options(self, state: State, seat: int) -> Sequence[Option]:
        """Return the options of a pending seat, distinct, in a stable order.

        Raises:
            RuleError: they are too many to be listed.
        """
        listed = self.steps.options(state, seat) if self.steps is not None else None
        if listed is not None and len(listed) <= current().options:
            return listed
        return self.interpreter.options(state, seat)

    def outcomes(self, state: State) -> Sequence[tuple[Any, int]]:
        """Return the distinct outcomes of the pending chance node with their weights, in a stable order.

        Raises:
            RuleError: they are too many to be listed.
        """
        listed = self.steps.outcomes(state) if self.steps is not None else None
        if listed is not None and len(listed) <= current().options:
            return listed
        return self.interpreter.weighted_outcomes(state)

    def search_key(self, state: State) -> tuple[str | bytes, int]:
        """Return a key of the position for transposition tables, and the number of decisions made.

        Two states of this executor have equal keys exactly if they have equal hashes; native keys are faster.
        """
        key = self.steps.key(state) if self.steps is not None else None
        return (state_hash(state) if key is None else key), state.decisions

    def outcome(self, state: State) -> Outcome:
        """Return the result of a finished game, with returns.

        Raises:
            RuleError: a rule went wrong in scoring.
        """
        outcome = self.steps.outcome(state) if self.steps is not None else None
        if outcome is not None:
            return outcome
        game = self.game(state)
        return Outcome(game, returns(self.interpreter, state, game.winners))

    # ---- random play

    def new_state(self, seed: int = 0, logging: bool = True) -> State:
        """Return a new game before its setup."""
        return self.interpreter.new_state(seed, logging=logging)

    def random_playout(self, state: State) -> None:
        """Play the state to its end, choosing uniformly with its own generator; chance is sampled.

        Raises:
            RuleError: a rule went wrong.
        """
        limited = self.native.random_playout(state) if self.native is not None else None
        if limited is None:
            self.interpreter.random_playout(state)
        elif limited:
            self.interpreter.capped = state

    def game(self, state: State) -> FinishedGame:
        """Return the result of a finished game."""
        scores = self.interpreter.scores(state)
        places = ranks(self.interpreter, state, scores)
        won = winners(self.interpreter, state, places)
        limited = state.limited or self.interpreter.capped is state
        return FinishedGame(scores, places, won, state.decisions, state.turns, limited, state.over == TIED)

    def games(self, seeds: Sequence[int]) -> Iterator[FinishedGame]:
        """Play a new game at random for each seed; yield its result.

        Raises:
            RuleError: a rule went wrong in the game that comes next.
        """
        outcomes = self._native_playouts(self.new_state(logging=False), [seeded(seed) for seed in seeds])
        for seed, outcome in zip(seeds, outcomes, strict=True):
            if outcome is None:
                state = self.new_state(seed, logging=False)
                self.interpreter.random_playout(state)
                yield self.game(state)
            else:
                yield outcome.game

    def playouts(self, state: State, rngs: Sequence[int]) -> Iterator[Outcome]:
        """Play a state to its end at random, once for each `rngs` (states of the generator); `state` is not changed.

        Raises:
            RuleError: a rule went wrong in the playout that comes next.
        """
        for rng, outcome in zip(rngs, self._native_playouts(state, rngs), strict=True):
            if outcome is None:
                copy = state.clone()
                copy.rng = rng
                self.interpreter.random_playout(copy)
                yield self.outcome(copy)
            else:
                yield outcome

    def tally(self, seed: int, numbers: range, unit: int) -> tuple[int, list[int]]:
        """Play the first of a run's numbered games at random and sum up their results.

        Args:
            seed: of the run. numbers: of the games. unit: the share of a win that one game gives out.

        Returns:
            How many games were played: as many as native code can play in a row, without it none. The sums: decisions,
            turns, games ended by `limits`, drawn games; for each seat wins, shares of wins, points, squared points;
            then for each seat how often it had each rank.
        """
        return self.native.tally(seed, numbers, unit) if self.native is not None else (0, [])

    def _native_playouts(self, state: State, rngs: Sequence[int]) -> Sequence[Outcome | None]:
        """Return the native result of each playout; None for those that native code could not play to their end."""
        outcomes = self.native.playouts(state, rngs) if self.native is not None else None
        return [None] * len(rngs) if outcomes is None else outcomes
