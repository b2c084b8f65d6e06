"""The uniform agent and the scripted one.

Enters: seeds, or lines of a script. Leaves: agents. A script is JSON Lines of `{"seat": 0, "id":
"rule:argument=value"}`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from rulelang.diagnostics import IllegalAction, SaveError, counted
from rulelang.documents import json_value
from rulelang.game import Action, State
from rulelang.limits import SCRIPT_LINES
from rulelang.runtime.rng import output, seeded, uniform


class Agent(Protocol):
    """What chooses the actions of a seat."""

    def choose(self, state: State, seat: int) -> Action:
        """Return one of the seat's legal actions; `state` is not changed."""


class Bot(Agent, Protocol):
    """An agent whose choices depend on the game and on `position` alone: the state of its random generator, stored in
    saved games."""

    position: int


class RandomAgent:
    """Chooses uniformly among the legal actions; `position` is the state of its random generator."""

    def __init__(self, seed: int, seat: int) -> None:
        self.position, _ = output(seeded(seed + seat))

    def choose(self, state: State, seat: int) -> Action:
        """Return one of the seat's legal actions, each equally likely."""
        actions = state.legal_actions(seat)
        index, self.position = uniform(self.position, len(actions))
        return actions[index]


class ScriptedAgent:
    """Chooses the actions of a script in turn.

    Attributes:
        lines: those still to come: number of the line and id of the action.
    """

    def __init__(self, lines: Iterable[tuple[int, str]]) -> None:
        self.lines = list(lines)

    def choose(self, state: State, seat: int) -> Action:
        """Return the action of the script's next line; there must be one.

        Raises:
            IllegalAction: the action is not legal; the message names the script's line.
        """
        line, id_ = self.lines.pop(0)
        try:
            return state.legal(id_, seat)
        except IllegalAction as error:
            raise IllegalAction(f"line {line} of the script: {error}") from None


def read_script(text: str, players: int) -> dict[int, list[tuple[int, str]]]:
    """Return the choices of a script by seat: number of the line and id of the action.

    Args:
        text: JSON Lines, see the module's docstring. players: number of seats.

    Raises:
        SaveError: a line is malformed, names no seat of the game, or there are too many.
    """
    choices: dict[int, list[tuple[int, str]]] = {}
    lines = text.splitlines()
    if len(lines) > SCRIPT_LINES:
        raise SaveError(f"line {SCRIPT_LINES + 1} of the script is one too many")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        row = json_value(line, f"line {number} of the script")
        seat = row.get("seat") if isinstance(row, dict) else None
        id_ = row.get("id") if isinstance(row, dict) else None
        if type(seat) is not int or not isinstance(id_, str):
            raise SaveError(f'line {number} of the script must read {{"seat": 0, "id": "…"}}')
        if not 0 <= seat < players:
            raise SaveError(f"line {number} of the script: there is no seat {seat} among {counted(players, 'player')}")
        choices.setdefault(seat, []).append((number, id_))
    return choices
