"""Plays two rulesets, or two variants of one, on the same seeds and says how they differ.

Enters: two rulesets, players, a seed. Leaves: `Comparison`: means of both, and their differences (second less first)
with intervals that hold with 95 %, from the differences game by game (pairs share a seed, so that luck that both games
have in common cancels). All sums are exact integers: the results are the same for every number of processes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from math import ceil, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple

from rulelang.agents import check_bot, play_out
from rulelang.backends.executor import Executor
from rulelang.backends.outcome import winners
from rulelang.diagnostics import UsageError
from rulelang.parallel import Executors, Progress, blocks_of_games, each_game
from rulelang.runtime.layout import ITEM_MASK, Layout, core, members
from rulelang.runtime.rng import uniform
from rulelang.runtime.state import State
from rulelang.simulate import deviation, share_unit

if TYPE_CHECKING:
    from rulelang.game.ruleset import OptionValue, Ruleset

LEVEL = 0.05
"""One interval in twenty misses; the same for the whole table when a difference is called clear."""

POWER = 0.8
"""So surely should a difference of the size that was seen be found with the number of games that is advised."""

Z = NormalDist().inv_cdf(1 - LEVEL / 2)
MOST_ADVISED = 10**9


@dataclass(frozen=True)
class Measure:
    """One figure per game, compared.

    Attributes:
        name: `score`, `win_share`, `turns`, `decisions`, or `use` of a card.
        seat: whose; -1 for the game as a whole (of `score` the mean of all seats).
        card: the id of the row that `use` counts, else empty.
        a, b: the means. difference: b less a. low, high: its interval of 95 %.
        clear: whether it differs from 0 although so many figures are looked at (Holm's step-down, 5 % for the table).
        games_needed: how many games would probably (80 %) make a difference of this size leave 0 outside its interval;
            None if it does already, if there is no difference, or if no number that could be played would do.
    """

    name: str
    seat: int
    card: str
    a: float
    b: float
    difference: float
    low: float
    high: float
    clear: bool
    games_needed: int | None


@dataclass(frozen=True)
class Comparison:
    """How two rulesets differ."""

    games: int
    players: int
    a: str
    b: str
    measures: tuple[Measure, ...]

    def to_json(self) -> dict[str, object]:
        """As JSON-able values."""
        return asdict(self)


class _Figure(NamedTuple):
    """What a measure is of; the sums are multiples of 1 / `unit`."""

    name: str
    seat: int
    card: str
    unit: int


Sums = list[list[int]]
"""For each measure: the sums of both rulesets, of their differences, and of the squares of these."""


def compare(
    first: Ruleset,
    second: Ruleset,
    players: int | None = None,
    games: int = 1000,
    bot: str = "random",
    seed: int = 0,
    jobs: int = 1,
    options: Mapping[str, OptionValue] | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Plays both on paired seeds.

    Args:
        players: None for the smallest number that both are for. options: each ruleset takes those that it has.

    Raises:
        UsageError: an argument that does not fit.
        RuleError: a rule went wrong in a game.
    """
    check_bot(bot)
    count = _players(first, second, players)
    executors = _executors(first, second, count, dict(options or {}), games if bot == "random" else 0)
    total: Sums = []
    for part in blocks_of_games(partial(_differences, bot), executors, seed, games, jobs, progress):
        total = _added(total, part) if total else part
    found = [_measure(figure, games, row) for figure, row in zip(_figures(executors), total, strict=True)]
    return Comparison(games, count, _called(first), _called(second), _clear(found))


def _called(ruleset: Ruleset) -> str:
    return " + ".join((ruleset.path, *ruleset.overlays))


def _players(first: Ruleset, second: Ruleset, players: int | None) -> int:
    common = [n for n in first.players if n in second.players]
    if players is None and not common:
        raise UsageError(f"{_called(first)} and {_called(second)} are for different numbers of players")
    return players if players is not None else min(common)


def _executors(
    first: Ruleset, second: Ruleset, players: int, given: dict[str, OptionValue], playouts: int
) -> list[Executor]:
    known = {table.name for ruleset in (first, second) for table in ruleset.program.options}
    for name in given:
        if name not in known:
            first.option_numbers({name: given[name]})  # says what it has
    return [
        ruleset.executor(
            players,
            {n: v for n, v in given.items() if n in {t.name for t in ruleset.program.options}},
            playouts=playouts,
            steps=True,
        )
        for ruleset in (first, second)
    ]


# ---- figures of a game -------------------------------------------------------------------------------


def _figures(executors: Executors) -> list[_Figure]:
    """What is compared, in the order of the sums."""
    seats = range(executors[0].layout.players)
    unit = share_unit(max(executor.layout.parties for executor in executors))
    return [
        *(_Figure("score", seat, "", 1) for seat in seats),
        _Figure("score", -1, "", len(seats)),
        *(_Figure("win_share", seat, "", unit) for seat in seats),
        _Figure("turns", -1, "", 1),
        _Figure("decisions", -1, "", 1),
        *(_Figure("use", -1, card, 1) for card in _cards(executors)),
    ]


def _cards(executors: Executors) -> list[str]:
    """The ids of all rows of pieces of both rulesets, each once."""
    rows = (row.id for executor in executors for kind in executor.program.kinds for row in kind.definitions)
    return list(dict.fromkeys(rows))


def _one_game(executor: Executor, seed: int, figures: Sequence[_Figure], bot: str) -> list[int]:
    uses: Counter[str] = Counter()
    if bot == "random" and executor.native is not None:
        state = _stepped(executor, seed, uses)
    else:
        state = executor.new_state(seed)
        play_out(executor, state, bot, seed)
        for entry in state.log:
            if entry[0] == "choice":
                _, _, _, number, item, values, *_ = entry
                uses.update(_pieces(state.layout, number, item, values))
    scores = executor.interpreter.scores(state)
    won = winners(executor.interpreter, state, scores)

    def value(figure: _Figure) -> int:
        match figure.name:
            case "score":
                return scores[figure.seat] if figure.seat >= 0 else sum(scores[: figure.unit])
            case "win_share":
                return figure.unit // len(won) if figure.seat in won else 0
            case "use":
                return uses[figure.card]
            case _:
                return int(getattr(state, figure.name))

    return [value(figure) for figure in figures]


def _stepped(executor: Executor, seed: int, uses: Counter[str]) -> State:
    """Play a game in single steps of native code, which keep no log; the choices are those of a random playout."""
    executor.prepare_steps()
    state = executor.initial_state(seed, logging=False)
    while (waiting := executor.waiting(state)) is not None:
        seat = waiting.seats[0]
        options = executor.options(state, seat)
        index, rng = uniform(state.rng, len(options))
        chosen = options[index]
        uses.update(_pieces(state.layout, waiting.decision, chosen.item, chosen.values))
        state = executor.after_choice(executor.with_rng(state, rng), seat, options, index)
    return state


def _pieces(layout: Layout, decision: int, item: int, values: Sequence[Any]) -> Iterator[str]:
    """Return the ids of the pieces that a choice names, as often as it does."""
    binders = layout.program.decisions[decision].items[item].binders if item >= 0 else ()
    for binder, value in zip(binders, values, strict=False):
        if core(binder.type).startswith("piece:"):
            yield from _ids(layout, value)


def _ids(layout: Layout, value: Any) -> Iterator[str]:
    for piece in members(value):
        if piece >= 0:
            item = piece & ITEM_MASK
            yield layout.program.kinds[layout.item_kind[item]].definitions[layout.item_definition[item]].id


def _differences(bot: str, executors: Executors, seed: int, numbers: range) -> Sums:
    figures = _figures(executors)
    found: Sums = []

    def play(game: int) -> None:
        a, b = (_one_game(executor, game, figures, bot) for executor in executors)
        rows = [[x, y, y - x, (y - x) ** 2] for x, y in zip(a, b, strict=True)]
        found[:] = _added(found, rows) if found else rows

    each_game(seed, numbers, play)
    return found


def _added(left: Sums, right: Sums) -> Sums:
    return [[a + b for a, b in zip(x, y, strict=True)] for x, y in zip(left, right, strict=True)]


# ---- what they say ----------------------------------------------------------------------------------


def _measure(figure: _Figure, games: int, row: list[int]) -> Measure:
    a, b, difference, squares = row
    mean = difference / (games * figure.unit)
    spread = deviation(games, difference, squares) / figure.unit
    reach = Z * spread / sqrt(games)
    needed = None
    if mean and abs(mean) <= reach:
        needed = ceil(((Z + NormalDist().inv_cdf(POWER)) * spread / mean) ** 2)
    advised = needed if needed is not None and needed <= MOST_ADVISED else None
    means = (a / (games * figure.unit), b / (games * figure.unit))
    return Measure(
        figure.name, figure.seat, figure.card, *means, mean, mean - reach, mean + reach, clear=False,
        games_needed=advised,
    )  # fmt: skip


def _chance(measure: Measure) -> float:
    """How probable a difference as large would be if there were none (two-sided, normal)."""
    reach = (measure.high - measure.low) / 2
    if not reach:
        return 0.0 if measure.difference else 1.0
    return 2 * NormalDist().cdf(-abs(measure.difference) * Z / reach)


def _clear(measures: Sequence[Measure]) -> tuple[Measure, ...]:
    """Marks those that stand although many were looked at: Holm, A simple sequentially rejective multiple test
    procedure (1979). Figures that were the same in every pair of games are no tests."""
    tested = [n for n, m in enumerate(measures) if m.difference or m.low != m.high]
    found = list(measures)
    for rank, number in enumerate(sorted(tested, key=lambda n: (_chance(measures[n]), n))):
        if _chance(measures[number]) > LEVEL / (len(tested) - rank):
            break
        found[number] = replace(measures[number], clear=True)
    return tuple(found)
