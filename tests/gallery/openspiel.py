"""OpenSpiel's games told in the ids of our rulesets.

Enters: `open_spiel` (the extra `verify`). Leaves: `WITNESSES`. For each game a function gives the id of our action for
one of OpenSpiel's: mostly read from its text, which names squares as players do.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import pyspiel

from .lockstep import WITHOUT, Played, Witness

Told = Callable[[Any, int], str]
"""From a state of OpenSpiel and an action there to our id."""
WITNESSES: dict[str, Witness] = {}


class _Game:
    """A game of OpenSpiel."""

    def __init__(self, game: Any, told: Told) -> None:
        self.state, self.told = game.new_initial_state(), told

    def is_over(self) -> bool:
        return bool(self.state.is_terminal())

    def is_chance(self) -> bool:
        return bool(self.state.is_chance_node())

    def _actions(self) -> dict[str, int]:
        actions = self.state.legal_actions()
        return {self.told(self.state, action): action for action in actions}

    def offered(self) -> list[str]:
        return [*self._actions()]

    def choose(self, id_: str) -> None:
        self.state.apply_action(self._actions()[id_])

    def returns(self) -> list[float]:
        return list(self.state.returns())


def witness(
    name: str, game: str, players: int = 2, options: dict[str, Any] | None = None, **more: Any
) -> Callable[[Told], Told]:
    """Enter a function that tells OpenSpiel's actions as the witness of a ruleset."""
    loaded = pyspiel.load_game(game)

    def enter(told: Told) -> Told:
        def begin(_: int) -> Played:
            return _Game(loaded, told)

        WITNESSES[name] = Witness(begin, f"OpenSpiel {version('open_spiel')}", players, options or {}, **more)
        return told

    return enter


def flipped(square: str, rows: int) -> str:
    """Return the name of a square when rows are counted from the top instead of from the bottom, or the other way."""
    return f"{square[0]}{rows + 1 - int(square[1:])}"


@witness("connect_four", "connect_four")
def _column(state: Any, action: int) -> str:
    column = chr(97 + action)
    discs = sum(row[action] != "." for row in str(state).split("\n")[:6])
    return f"drop:spot={column}{6 - discs}"


@witness("othello", "othello")
def _disc(state: Any, action: int) -> str:
    text = state.action_to_string(action)
    return f"place_disc:spot={text[:2]}" if action < 64 else f"{WITHOUT}pass"
