"""Counting of game trees for the references: histories by length, probabilities of outcomes under random play.

A reference writes its game as a plain function `play(ask, players, **options)` that puts every question to `ask`
(`decide` for a player, `chance` for a die or a card) and returns the outcome as a tuple of numbers. The tree is
walked by playing the game anew along each path of answers: slow, and with nothing in it that could be wrong in the
same way as an engine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import TypeVar

Choice = TypeVar("Choice", bound=Hashable)
Outcome = tuple["int | Fraction", ...]
Row = dict[str, int]


class Question(Exception):  # noqa: N818 - a question is no error
    """The game waits: the kind of node and the probability of each answer (uniform for a decision)."""

    def __init__(self, kind: str, chances: Sequence[Fraction]) -> None:
        super().__init__(kind)
        self.kind, self.chances = kind, chances


class Ask:
    """Answers questions along one path (the index of each answer) and raises the first one beyond it."""

    def __init__(self, path: Sequence[int]) -> None:
        self._path = iter(path)

    def decide(self, options: Iterable[Choice]) -> Choice:
        """A player's decision among distinct options; one node, even with one option."""
        listed = list(options)
        assert listed, "a decision needs an option"
        assert len(set(listed)) == len(listed), f"options are not distinct: {listed}"
        return self._answer("decision", listed, [Fraction(1, len(listed))] * len(listed))

    def question(self, results: Iterable[Choice]) -> Choice:
        """A question that only the mechanism of the game raises: no node when there is one distinct result."""
        distinct = list(dict.fromkeys(results))
        return distinct[0] if len(distinct) == 1 else self.decide(distinct)

    def chance(self, weights: Mapping[Choice, int]) -> Choice:
        """One value with probability proportional to its weight; a certain value is no node."""
        values = [value for value, weight in weights.items() if weight]
        if len(values) == 1:
            return values[0]
        total = sum(weights.values())
        return self._answer("chance", values, [Fraction(weights[value], total) for value in values])

    def _answer(self, kind: str, values: Sequence[Choice], chances: Sequence[Fraction]) -> Choice:
        index = next(self._path, None)
        if index is None:
            raise Question(kind, chances)
        return values[index]


def _walk(game: Callable[[Ask], Outcome], depth: int | None) -> Iterator[tuple[int, str, Fraction, Outcome]]:
    """Every history of at most `depth` edges: length, kind of its last node, probability, outcome of a terminal."""
    pending: list[tuple[tuple[int, ...], Fraction]] = [((), Fraction(1))]
    while pending:
        path, probability = pending.pop()
        try:
            outcome = game(Ask(path))
        except Question as question:
            yield len(path), question.kind, probability, ()
            if depth is None or len(path) < depth:
                pending += [((*path, index), probability * chance) for index, chance in enumerate(question.chances)]
        else:
            yield len(path), "terminal", probability, outcome


def row(depth: int, chance: int, decision: int, terminal: int) -> Row:
    """One row of a perft table."""
    return {
        "depth": depth,
        "chance": chance,
        "decision": decision,
        "terminal": terminal,
        "histories": chance + decision + terminal,
    }


def enumeration(play: Callable[..., Outcome]) -> tuple[Callable[..., list[Row]], Callable[..., dict[str, Fraction]]]:
    """`rows(depth, players, **options)` and `terminal_probabilities(players, **options)` of a game."""

    @cache
    def rows(depth: int, players: int, **options: object) -> list[Row]:
        counts = [{"chance": 0, "decision": 0, "terminal": 0} for _ in range(depth + 1)]
        for length, kind, _, _ in _walk(lambda ask: play(ask, players, **options), depth):
            counts[length][kind] += 1
        return [row(length, **count) for length, count in enumerate(counts)]

    @cache
    def terminal_probabilities(players: int, **options: object) -> dict[str, Fraction]:
        found: dict[str, Fraction] = {}
        for _, kind, probability, outcome in _walk(lambda ask: play(ask, players, **options), None):
            if kind == "terminal":
                found[key(outcome)] = found.get(key(outcome), Fraction(0)) + probability
        return found

    return rows, terminal_probabilities


def merged_enumeration(
    start: Choice, children: Callable[[Choice], Collection[Choice]], outcome: Callable[[Choice], Outcome | None]
) -> tuple[Callable[..., list[Row]], Callable[..., dict[str, Fraction]]]:
    """The same two functions for a game of two without chance in which equal positions of one length may be merged.

    `outcome` is absent while the game goes on; `children` are the distinct positions after one move.
    """

    @cache
    def rows(depth: int, players: int) -> list[Row]:
        assert players == 2
        positions, found = Counter({start: 1}), []
        for length in range(depth + 1):
            going_on = {position: count for position, count in positions.items() if outcome(position) is None}
            decision = sum(going_on.values())
            found.append(row(length, chance=0, decision=decision, terminal=positions.total() - decision))
            positions = Counter()
            for position, count in going_on.items():
                for child in children(position):
                    positions[child] += count
        return found

    @cache
    def terminal_probabilities(players: int) -> dict[str, Fraction]:
        assert players == 2
        positions, found = {start: Fraction(1)}, dict[str, Fraction]()
        while positions:
            after: dict[Choice, Fraction] = {}
            for position, probability in positions.items():
                ended = outcome(position)
                if ended is not None:
                    found[key(ended)] = found.get(key(ended), Fraction(0)) + probability
                    continue
                options = children(position)
                for child in options:
                    after[child] = after.get(child, Fraction(0)) + probability / len(options)
            positions = after
        return found

    return rows, terminal_probabilities


def key(outcome: Sequence[int | Fraction]) -> str:
    """An outcome in words: one number per seat, in seat order, such as `1/2,1/2,-1`."""
    return ",".join(str(Fraction(number)) for number in outcome)


def shares(winners: Collection[int], players: int) -> Outcome:
    """The payoff without another rule: winners share 1, losers share -1, all tied 0."""
    if len(winners) == players:
        return (Fraction(0),) * players
    won, lost = Fraction(1, len(winners)), Fraction(-1, players - len(winners))
    return tuple(won if seat in winners else lost for seat in range(players))


def best(scores: Sequence[int]) -> set[int]:
    """The seats with the highest score."""
    return {seat for seat, score in enumerate(scores) if score == max(scores)}
