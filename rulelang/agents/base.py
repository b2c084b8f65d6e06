"""The uniform agent and the scripted one.

Enters: seeds, or lines of a script. Leaves: agents. A script is JSON Lines of `{"seat": 0, "id":
"rule:argument=value"}`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Protocol

from rulelang.diagnostics import IllegalAction, SaveError
from rulelang.game import Action, State
from rulelang.limits import SCRIPT_LINES
from rulelang.runtime.rng import output, seeded, uniform


class Agent(Protocol):
    """Chooses for a seat."""

    def choose(self, state: State, seat: int) -> Action:
        """Return one of the seat's legal actions; the state stays as it is."""


class Bot(Agent, Protocol):
    """An agent of the engine's own, which goes on the same from where its generator stands."""

    position: int


class RandomAgent:
    """Chooses every legal action with the same probability; `position` is where its generator stands."""

    def __init__(self, seed: int, seat: int) -> None:
        self.position, _ = output(seeded(seed + seat))

    def choose(self, state: State, seat: int) -> Action:
        """Return one of the seat's legal actions, each equally likely."""
        actions = state.legal_actions(seat)
        index, self.position = uniform(self.position, len(actions))
        return actions[index]


class ScriptedAgent:
    """Chooses what its script says; `lines` are those that are left."""

    def __init__(self, lines: Iterable[tuple[int, str]]) -> None:
        self.lines = list(lines)

    def choose(self, state: State, seat: int) -> Action:
        """Return what the script's next line says; there must be one.

        Raises:
            IllegalAction: that is not offered; the message names the script's line.
        """
        line, id_ = self.lines.pop(0)
        try:
            return state.legal(id_, seat)
        except IllegalAction as error:
            raise IllegalAction(f"line {line} of the script: {error}") from None


def read_script(text: str, players: int) -> dict[int, list[tuple[int, str]]]:
    """Return the choices of a script by seat, each with the number of its line.

    Raises:
        SaveError: a line is no choice of one of the seats, or there are too many.
    """
    choices: dict[int, list[tuple[int, str]]] = {}
    lines = text.splitlines()
    if len(lines) > SCRIPT_LINES:
        raise SaveError(f"line {SCRIPT_LINES + 1} of the script is one too many")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise SaveError(f"line {number} of the script is not JSON: {error}") from None
        seat = row.get("seat") if isinstance(row, dict) else None
        id_ = row.get("id") if isinstance(row, dict) else None
        if type(seat) is not int or not isinstance(id_, str):
            raise SaveError(f'line {number} of the script must read {{"seat": 0, "id": "…"}}')
        if not 0 <= seat < players:
            raise SaveError(f"line {number} of the script: there is no seat {seat} among {players} players")
        choices.setdefault(seat, []).append((number, id_))
    return choices
