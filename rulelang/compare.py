"""Plays two rulesets, or two variants of one, on the same seeds and says how they differ.

Enters: two rulesets, players, a seed. Leaves: `Comparison`: what the second declares otherwise; means of both, and
their differences (second less first) with intervals that hold with 95 %, from the differences game by game (pairs share
a seed, so that luck that both games have in common cancels). Cards are counted by the actions whose choice names them,
or whose rule was given them: what befalls a card without a choice is not counted. All sums are exact integers: the
results are the same for every number of processes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from math import ceil, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple

from rulelang.agents import BotChoice, check_bot, play_out
from rulelang.diagnostics import UsageError
from rulelang.execution.executor import Executor
from rulelang.ir.nodes import Decision
from rulelang.parallel import Executors, Progress, blocks_of_games, each_game
from rulelang.runtime.layout import ITEM_MASK, Layout, members
from rulelang.runtime.outcome import ranks, winners
from rulelang.runtime.state import State
from rulelang.runtime.waiting import Option
from rulelang.semantics.differences import Change, differences
from rulelang.simulate import deviation, playouts_of, share_unit
from rulelang.vocabulary.types import Type

if TYPE_CHECKING:
    from rulelang.game.ruleset import OptionValue, Ruleset

LEVEL = 0.05
"""One interval in twenty misses; the same for the whole table when a difference is called clear."""

POWER = 0.8
"""So surely should a difference of the size that was seen be found with the number of games that is advised."""

Z = NormalDist().inv_cdf(1 - LEVEL / 2)
MOST_ADVISED = 10**9
TOTALS = ("score", "decisions", "action")
"""Figures that a longer game has more of, whatever it is like."""
MILLIONTH = 10**6
"""What a turn has is counted in such parts, so that sums stay exact."""


@dataclass(frozen=True)
class ComparedMeasure:
    """One figure per game, compared.

    Attributes:
        name: `score`, `win_share`, `won` (by all, where all win or lose), `turns`, `decisions`, or `action`: how often
            a choice of it is about a card.
        per_turn: whether it is of a game's turns, the mean over games of what a turn has: so it is of all totals where
            games of one ruleset surely take more turns.
        seat: whose; -1 for the game as a whole (of `score` the mean of all seats).
        card, action, rule: the id of the row; the item of the menu, or the rule that asks the question, by which it is
            named; the rule that asks, or the first of them. Else empty.
        a, b: the means. difference: b less a. low, high: its interval of 95 %.
        clear: whether it differs from 0 although so many figures are looked at (Holm's step-down, 5 % for the table).
        games_needed: how many games would probably (80 %) make a difference of this size leave 0 outside its interval;
            None if it does already, if there is no difference, or if no number that could be played would do.
    """

    name: str
    seat: int
    card: str
    action: str
    rule: str
    a: float
    b: float
    difference: float
    low: float
    high: float
    clear: bool
    games_needed: int | None
    per_turn: bool = False


@dataclass(frozen=True)
class Comparison:
    """How two rulesets differ.

    Attributes:
        changes: what the second declares otherwise. measures: the figures of the game, then those of cards that are not
            0 in both. kinds: card -> its kind.
    """

    games: int
    players: int
    bot: str
    a: str
    b: str
    changes: tuple[Change, ...]
    measures: tuple[ComparedMeasure, ...]
    kinds: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, object]:
        """Return the comparison as JSON-able values."""
        return asdict(self)


class _Figure(NamedTuple):
    """What a measure is of; the sums are multiples of 1 / `unit`."""

    name: str
    seat: int = -1
    card: str = ""
    action: str = ""
    unit: int = 1
    per_turn: bool = False


TURNS = _Figure("turns")


def _of_a_turn(figure: _Figure) -> _Figure:
    """Return what a turn has of a total."""
    return figure._replace(unit=figure.unit * MILLIONTH, per_turn=True)


Sums = dict[_Figure, list[int]]
"""For each measure that was not 0 in every game: the sums of both rulesets, of their differences, and of the squares of
these."""


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
    """Play `games` games of each ruleset with the same seeds and measure how their figures differ.

    Args:
        players: None for the smallest number that both are for. options: each ruleset takes those that it has.

    Raises:
        UsageError: an argument that does not fit.
        RuleError: a rule went wrong in a game.
    """
    check_bot(bot)
    count = _players(first, second, players)
    executors = _executors(first, second, count, dict(options or {}), bot, playouts_of(bot, games))
    total: Sums = {}
    for part in blocks_of_games(partial(_differences, bot), executors, seed, games, jobs, progress):
        _add(total, part)
    cards = {card: place for place, card in enumerate(_cards(executors))}
    played = sorted((f for f in total if f.card and not f.per_turn), key=lambda f: (cards[f.card], f.action))
    asking = askers(executors)
    turns = _measure(TURNS, "", games, total.get(TURNS, [0] * 4))
    shown = [*_figures(executors), *played]
    if turns.low > 0 or turns.high < 0:
        shown = [_of_a_turn(figure) if figure.name in TOTALS else figure for figure in shown]
    measures = [_measure(f, asking.get(f.action, ""), games, total.get(f, [0] * 4)) for f in shown]
    changes = differences(first.written, second.written)
    kinds = {row.id: kind.name for e in executors for kind in e.program.kinds for row in kind.definitions}
    return Comparison(games, count, bot, _called(first), _called(second), changes, holm(measures), kinds)


def _called(ruleset: Ruleset) -> str:
    """Return a ruleset as the user named it: its path and overlays, joined by `+`."""
    return " + ".join((ruleset.path, *ruleset.overlays))


def _players(first: Ruleset, second: Ruleset, players: int | None) -> int:
    """Return the number of players to compare with: `players`, or else the smallest number both rulesets allow."""
    common = [n for n in first.players if n in second.players]
    if players is None and not common:
        raise UsageError(f"{_called(first)} and {_called(second)} are for different numbers of players")
    return players if players is not None else min(common)


def _executors(
    first: Ruleset, second: Ruleset, players: int, options: dict[str, OptionValue], bot: str, playouts: int
) -> list[Executor]:
    """Return an executor for each ruleset, with those of `options` that it declares.

    Raises UsageError for an option that neither ruleset has.
    """
    known = {table.name for ruleset in (first, second) for table in ruleset.program.options}
    for name in options:
        if name not in known:
            first.option_numbers({name: options[name]}, players)  # says what it has
    return [
        ruleset.executor(
            players,
            {n: v for n, v in options.items() if n in {t.name for t in ruleset.program.options}},
            playouts=playouts,
            steps=bot == "random",
        )
        for ruleset in (first, second)
    ]


# ---- figures of a game -------------------------------------------------------------------------------


def _figures(executors: Executors) -> list[_Figure]:
    """Return the figures measured in every game: scores, win shares (or whether all won), turns and decisions."""
    together = all(executor.layout.together for executor in executors)
    seats = range(executors[0].layout.players)
    unit = share_unit(max(executor.layout.parties for executor in executors))
    return [
        *(_Figure("score", seat) for seat in seats),
        _Figure("score", unit=len(seats)),
        *([_Figure("won")] if together else [_Figure("win_share", seat, unit=unit) for seat in seats]),
        TURNS,
        _Figure("decisions"),
    ]


def _cards(executors: Executors) -> list[str]:
    """Return the ids of all rows of pieces in either ruleset, without duplicates, in declaration order."""
    rows = (row.id for executor in executors for kind in executor.program.kinds for row in kind.definitions)
    return list(dict.fromkeys(rows))


def action_name(decision: Decision, item: int) -> str:
    """Return the action of an option: the name of its menu item, or the rule that asks a question."""
    return decision.items[item].name or decision.rule


def askers(executors: Executors) -> dict[str, str]:
    """Return a map from each action to the first rule with a decision that offers it."""
    decisions = [decision for executor in executors for decision in executor.program.decisions]
    pairs = [(action_name(decision, n), decision.rule) for decision in decisions for n in range(len(decision.items))]
    return dict(reversed(pairs))


class CardsOfChoices:
    """Which cards a choice is about, by the tables of one layout. `ids`: item -> the id of its row."""

    def __init__(self, layout: Layout) -> None:
        kinds, self._program = layout.program.kinds, layout.program
        pairs = zip(layout.item_kind, layout.item_definition, strict=True)
        self.ids = [kinds[kind].definitions[definition].id for kind, definition in pairs]
        self._given = [self._parameters(decision) for decision in layout.program.decisions]

    def _parameters(self, decision: Decision) -> list[int]:
        """Return the slots of a decision's procedure that are parameters of a piece type; none for engine decisions,
        such as payments, whose pieces the decision before has counted."""
        procedure = self._program.procedures[decision.procedure]
        slots = range(procedure.parameters) if decision.ask != "engine" else ()
        return [slot for slot in slots if _is_piece(procedure.locals[slot])]

    def of(self, state: State, number: int, option: Option) -> list[str]:
        """Return the row ids of the pieces in a chosen option and in live parameters of its rule.

        A row is repeated for each of its pieces that the option names.
        """
        decision, slots = self._program.decisions[number], self._given[number]
        values = [value for binder, value in decision.bound(option.item, option.values) if _is_piece(binder.type)]
        cards = [card for value in values for card in self._rows(value)]
        if slots:
            asking, block, locals_, _ = state.frames[-1]
            live = self._program.procedures[asking].blocks[block].live if asking == decision.procedure else ()
            cards += [card for slot in slots if slot in live for card in self._rows(locals_[slot]) if card not in cards]
        return cards

    def _rows(self, value: Any) -> list[str]:
        """Return the row id of each visible piece in a value, in order."""
        return [self.ids[piece & ITEM_MASK] for piece in members(value) if piece >= 0]


def _is_piece(type_: Type) -> bool:
    """Return whether a type is that of pieces or of collections of them."""
    return type_.core.kind == "piece"


def _one_game(
    executor: Executor, cards: CardsOfChoices, seed: int, figures: Sequence[_Figure], bot: str
) -> Counter[_Figure]:
    """Play one game and return the value of each figure, cards used in each action included."""
    counts: Counter[_Figure] = Counter()
    decisions = executor.program.decisions

    def count(chosen: BotChoice) -> None:
        """Count each card that a chosen option uses under the action of the option."""
        option = chosen.option
        if option.item >= 0:
            action = action_name(decisions[chosen.decision], option.item)
            named = cards.of(chosen.state, chosen.decision, option)
            counts.update(_Figure("action", card=card, action=action) for card in named)

    state = play_out(executor, seed, bot, count)
    scores = executor.interpreter.scores(state)
    won = winners(executor.interpreter, state, ranks(executor.interpreter, state, scores))
    for figure in figures:
        match figure.name:
            case "score":
                counts[figure] = scores[figure.seat] if figure.seat >= 0 else sum(scores[: figure.unit])
            case "won":
                counts[figure] = int(bool(won))
            case "win_share":
                counts[figure] = figure.unit // len(won) if figure.seat in won else 0
            case _:
                counts[figure] = int(getattr(state, figure.name))
    if state.turns:
        for figure in [figure for figure in counts if figure.name in TOTALS]:
            counts[_of_a_turn(figure)] = (counts[figure] * MILLIONTH + state.turns // 2) // state.turns
    return counts


def _differences(bot: str, executors: Executors, seed: int, numbers: range) -> Sums:
    """Play a block of paired games and return, for each figure, the sums that `Sums` describes."""
    figures = _figures(executors)
    cards = [CardsOfChoices(executor.layout) for executor in executors]
    sums: Sums = {}

    def play(game: int) -> None:
        """Play one pair of games with a seed and add their figures to the sums."""
        a, b = (_one_game(*pair, game, figures, bot) for pair in zip(executors, cards, strict=True))
        _add(sums, {figure: [a[figure], b[figure], (d := b[figure] - a[figure]), d * d] for figure in {**a, **b}})

    each_game(seed, numbers, play)
    return sums


def _add(total: Sums, more: Sums) -> None:
    """Add the sums of `more` to those of `total`, figure by figure."""
    for figure, row in more.items():
        total[figure] = [a + b for a, b in zip(total.get(figure, [0] * 4), row, strict=True)]


# ---- what they say ----------------------------------------------------------------------------------


def _measure(figure: _Figure, rule: str, games: int, row: list[int]) -> ComparedMeasure:
    """Return a figure's means, their difference with a confidence interval, and the games needed to tell it from 0."""
    a, b, difference, squares = row
    mean = difference / (games * figure.unit)
    spread = deviation(games, difference, squares) / figure.unit
    reach = Z * spread / sqrt(games)
    needed = None
    if mean and abs(mean) <= reach:
        needed = ceil(((Z + NormalDist().inv_cdf(POWER)) * spread / mean) ** 2)
    advised = needed if needed is not None and needed <= MOST_ADVISED else None
    means = (a / (games * figure.unit), b / (games * figure.unit))
    return ComparedMeasure(
        figure.name, figure.seat, figure.card, figure.action, rule, *means, mean, mean - reach, mean + reach,
        clear=False, games_needed=advised, per_turn=figure.per_turn,
    )  # fmt: skip


def _chance(measure: ComparedMeasure) -> float:
    """Return the p-value of a measure's difference: two-sided, under a normal approximation."""
    reach = (measure.high - measure.low) / 2
    if not reach:
        return 0.0 if measure.difference else 1.0
    return 2 * NormalDist().cdf(-abs(measure.difference) * Z / reach)


def rejected(chances: Sequence[float]) -> list[bool]:
    """Return which null hypotheses the Holm procedure rejects at family-wise error rate `LEVEL`.

    `chances` are the p-values. Holm, A simple sequentially rejective multiple test procedure (1979).
    """
    clear = [False] * len(chances)
    for rank, place in enumerate(sorted(range(len(chances)), key=lambda n: (chances[n], n))):
        if chances[place] > LEVEL / (len(chances) - rank):
            break
        clear[place] = True
    return clear


def holm(measures: Sequence[ComparedMeasure]) -> tuple[ComparedMeasure, ...]:
    """Mark the measures whose difference is significant after Holm's correction for multiple tests.

    Measures that were equal in every pair of games are not tested.
    """
    tested = [n for n, m in enumerate(measures) if m.difference or m.low != m.high]
    clear = dict(zip(tested, rejected([_chance(measures[n]) for n in tested]), strict=True))
    return tuple(replace(m, clear=clear.get(n, False)) for n, m in enumerate(measures))
