"""Pairs of positions that a seat can't tell apart, and what an agent of it gets in each: arrays, masks, events.

Enters: a ruleset, how many pairs. Leaves: `compared`, counts by name. A random game is taken with a world that a seat
can't tell from it at some point: that world was played, so that at each earlier decision the seat can't tell the two
apart either. In the world like individuals are exchanged, too.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

from rulelang.diagnostics import ResampleError
from rulelang.envs import PickGame, Spec, spec
from rulelang.execution.executor import Executor
from rulelang.game import Ruleset, State
from rulelang.runtime import views
from rulelang.runtime.event_rows import event_rows_of
from rulelang.runtime.sight import has_secrets
from rulelang.runtime.state import State as RuntimeState
from tests.leaks.exchanged import Exchange, likes

WHOLE = 8
"""Of so many pairs all that the seat knows is compared, and the rows of events as they are given; else what is new."""

BARREN = 50
"""After so many games in a row without a pair there are no secrets."""


class Course:
    """An interpreter that notes the positions before each choice of the games that it plays again."""

    def __init__(self, interpreter: Any) -> None:
        self._interpreter = interpreter
        self.positions: list[RuntimeState] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._interpreter, name)

    def choose(self, state: RuntimeState, seat: int, option: Any) -> None:
        self.positions.append(state.clone())
        self._interpreter.choose(state, seat, option)


def world_of(executor: Executor, state: State, seat: int, seed: int) -> list[RuntimeState]:
    """The positions at all decisions of a world that a seat can't tell from a state, up to this; the last one alone
    where no native code samples it."""
    _, at = state.engine
    library = executor.search_library_or_none() if not at.over else None
    if library is not None:
        from rulelang.ismcts.worlds import NativeWorlds

        course = Course(executor.interpreter)
        world = NativeWorlds(course, library).deal(at, seat, seed, executor.waiting(at), None)
        if world is not None:
            assert world.log.first() is not world.log  # it was played for its log
            return [*course.positions, world]
    return [state.resample(seat, seed).engine[1]]


def course_of(ruleset: Ruleset, players: int, dice: random.Random, backend: str) -> list[State]:
    """The positions at all decisions of a random game, up to some point."""
    state = ruleset.new_game(players, dice.randrange(1 << 40), backend=backend)
    positions = [state.clone()]
    while not state.is_terminal():
        seat = dice.choice(state.current_players())
        state.apply(dice.choice(state.legal_actions(seat)))
        positions.append(state.clone())
    return positions[: dice.randint(len(positions) // 2, len(positions) - 1)]


def got(of: Spec, state: State, seat: int, since: int, whole: bool) -> dict[str, object]:
    """What an agent of a seat gets: arrays, masks (of the first pick, and which picks can follow), rows of the events
    from a number on, or all of them as they are given."""
    game = PickGame(of, state=state)
    counts, numbers, prefix = game.observe(seat)
    rows = [row for entry in state.entries(seat, since) for row in event_rows_of(of.layout, seat).of(entry)]
    result: dict[str, object] = {
        "event count": state.event_count(seat), "event rows": rows, "counts": bytes(counts),
        "numbers": numbers.tobytes(), "prefix": bytes(prefix), "mask": game.mask(seat),
    }  # fmt: skip
    if whole:
        result["events"] = game.events(seat)
    if seat in game.seats:
        executor, at = state.engine
        options = executor.options(at, seat)
        result["picks"] = sorted(of.sequences(state, seat, at.pending_question(), options))
    return result


def known(state: State, seat: int, whole: bool) -> object:
    """What a seat sees, with what it was told of the course. A world may differ from the game in what like pieces were
    like when they came into sight (`sightings`); of that arrays tell nothing."""
    return state.observation(seat), state.events(seat, lang=None) if whole else ()


def pairs(ruleset: Ruleset, players: int, seed: int, backend: str) -> Iterator[tuple[int, list[State], list[State]]]:
    """Seats with the positions of two games that they can't tell apart, decision by decision; without end, unless many
    games in a row have no secret."""
    dice, executor, barren = random.Random(seed), ruleset.executor(players), 0
    while barren < BARREN:
        barren += 1
        game = course_of(ruleset, players, dice, backend)
        for seat in range(players):
            exchange = Exchange(game[-1].engine[1].layout, dice)
            try:
                world = world_of(executor, game[-1], seat, dice.randrange(1 << 30))
            except ResampleError:
                continue
            own = game[-len(world) :]
            if world[-1].log is game[-1].engine[1].log and not exchange.exchanges:
                continue  # nothing is another
            barren = 0
            others = [State(ruleset, executor, exchange.of(at)) for at in world]
            readings = views.Readings()
            for state in others:
                state._readings = readings
            yield seat, own, others


def compared(ruleset: Ruleset, players: int, most: int, backend: str = "interpreter", seed: int = 1) -> Counter[str]:
    """Compare so many pairs; none where nobody has secrets and no individuals are alike.

    Args:
        backend: of the games; worlds are native code's where there is a compiler.

    Returns:
        `pairs`; how many of them are of `different` positions, but for which of several like individuals is which; how
        often the two were `told apart` after all, so that nothing follows; each array, mask or row that differs.
    """
    of, found = spec(ruleset, players), Counter[str]()
    if not has_secrets(of.layout.program) and not likes(of.layout):
        return found
    for seat, own, others in pairs(ruleset, players, seed, backend):
        since = 0
        for number, (state, other) in enumerate(zip(own, others, strict=True)):
            whole = number == len(own) - 1 or not number % WHOLE
            if known(state, seat, whole) != known(other, seat, whole):
                found["told apart"] += 1
                continue
            left, right = (got(of, each, seat, since, whole) for each in (state, other))
            since = len(state.entries(seat))
            found["pairs"] += 1
            found["different"] += state.hash() != other.hash()
            found.update(name for name in left.keys() | right.keys() if left.get(name) != right.get(name))
            if found["pairs"] >= most:
                return found
    return found
