"""Rows of stored games that nobody vouches for: whether each value is one that a game of its setting can have.

Enters: a row as it was parsed, what it should be of. Leaves: nothing, or ValueError with the first key that is wrong.
Rows are written by `study.py` and `traces.py`; a key that is added there has its shape here, or no row is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

from rulelang.execution.executor import Executor
from rulelang.lab.traces import MOST_ODDS, PARTS, POINTS, CountedNames, purse_names
from rulelang.results import outcome_of

LARGEST = float(1 << 53)
"""The largest amount of a number of a row that is no score."""

Check = Callable[[Any], bool]
"""Whether a value has a shape."""


class Rows:
    """Verifies the rows of one setting.

    Args:
        seed_of: the seed of a game by its number. features: see `Setting`. pays: whether rows have `returns`.
    """

    def __init__(
        self, executor: Executor, seed_of: Callable[[int], int], features: Iterable[str], *, pays: bool
    ) -> None:
        self._executor, self._seed_of = executor, seed_of
        layout = executor.layout
        self._players, self._parties = layout.players, layout.parties
        self._keys = {"returns": self._is_returns} if pays else dict[str, Check]()
        traced, estimated = "trace" in features, "odds" in features
        self._keys |= {"at": _list_of(_is_count)} if traced or estimated else {}
        if estimated:
            is_number = lambda value: type(value) is int and 0 < value <= MOST_ODDS  # noqa: E731
            self._keys |= {"odds": _list_of(_list_of(_is_share, self._parties)), "playouts": _list_of(is_number)}
        self._keys |= self._traced if traced else {}

    def check(self, row: Any, number: int) -> None:
        """Check a row that should be of the game with this number.

        Raises:
            ValueError: it is none.
        """
        if not isinstance(row, dict) or row.get("game") != number or type(row["game"]) is not int:
            raise ValueError(f"it is not game {number}")
        if row.get("seed") != self._seed_of(number):
            raise ValueError(f"its seed is not that of game {number}")
        if "error" in row:
            if row.keys() != {"game", "seed", "error"} or not isinstance(row["error"], str):
                raise ValueError("it is no failed game")
            return
        more = {key: row[key] for key in row if key in self._keys}
        game = outcome_of({key: value for key, value in row.items() if key not in more}, self._parties)
        for key, is_sound in self._keys.items():
            if key not in more or not is_sound(more[key]):
                raise ValueError(f"`{key}` is none that a game of this setting has")
        if "at" in more:
            at = more["at"]
            courses = [more[key] for key in ("odds", "curve") if key in more]
            if (
                not 1 <= len(at) <= POINTS + 1
                or at != sorted(at)
                or at[-1] != game.decisions
                or any(len(course) != len(at) for course in courses)
                or len(more.get("playouts", at[1:])) != len(at) - 1
            ):
                raise ValueError("its course is none that a game has")

    def _is_returns(self, value: Any) -> bool:
        """Return whether a value is a payoff for each seat."""
        return _list_of(_is_number, self._players)(value)

    @cached_property
    def _traced(self) -> Mapping[str, Check]:
        """Return the keys of the feature `trace` with their shapes."""
        names = CountedNames(self._executor.layout)
        cards, actions = set(names.cards.ids), names.actions
        purses = set(purse_names(self._executor.layout))
        of_seats = _list_of(_is_integer, self._players)
        counts = _list_of(_list_of(_is_count, PARTS), self._players)
        is_action = lambda name: name.split(":")[0] in actions  # noqa: E731
        is_card = cards.__contains__
        is_way = lambda name: name.split(":")[0] in actions and name.split(":")[-1] in cards  # noqa: E731
        seats = set(range(self._players))
        return {
            "curve": _list_of(lambda point: point == [] or _list_of(_is_integer, self._parties)(point)),
            "holds": _list_of(lambda part: part == {} or (_map_of(purses.__contains__, of_seats)(part)), PARTS),
            "options": _list_of(_is_count, 3),
            "looks": _list_of(_is_number, 4),
            "met": _list_of(lambda action: isinstance(action, str) and action in actions),
            "actions": _map_of(is_action, counts),
            "offered": _map_of(is_action, _is_offer),
            "cards": _map_of(is_card, _is_offer),
            "ways": _map_of(is_way, _is_offer),
            "had": _map_of(is_card, lambda who: _list_of(_is_count)(who) and who == sorted({*who} & seats)),
            "used": _map_of(is_card, _list_of(_is_count, self._players)),
            "moved": _list_of(lambda card: isinstance(card, str) and card in cards),
        }


def _is_integer(value: Any) -> bool:
    """Return whether a value is a whole number that a rule can have."""
    return type(value) is int and -(1 << 63) <= value < 1 << 63


def _is_count(value: Any) -> bool:
    """Return whether a value is a number of things."""
    return type(value) is int and 0 <= value <= LARGEST


def _is_number(value: Any) -> bool:
    """Return whether a value is a number."""
    return type(value) in (int, float) and -LARGEST <= value <= LARGEST


def _is_share(value: Any) -> bool:
    """Return whether a value is a share."""
    return type(value) in (int, float) and 0 <= value <= 1


def _is_offer(value: Any) -> bool:
    """Return whether a value says how often something was offered, taken, and expected of chance."""
    if not isinstance(value, list) or len(value) != 3 or not (_is_count(value[0]) and _is_count(value[1])):
        return False
    offered, taken, expected = value
    return bool(offered > 0 and taken <= offered and _is_number(expected) and 0 <= expected <= offered)


def _list_of(is_sound: Check, size: int | None = None) -> Check:
    """Return the check of a list of `size` values of a shape."""
    return lambda value: isinstance(value, list) and size in (None, len(value)) and all(map(is_sound, value))


def _map_of(is_name: Callable[[str], bool], is_sound: Check) -> Check:
    """Return the check of an object with values of a shape."""
    return lambda value: isinstance(value, dict) and all(is_name(key) and is_sound(part) for key, part in value.items())
