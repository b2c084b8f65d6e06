"""OpenSpiel's games told in the ids of our rulesets.

Enters: `open_spiel` (the extra `verify`). Leaves: `WITNESSES`. For each game a function gives the id of our action for
one of OpenSpiel's: mostly read from its text, which names squares as players do.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import pyspiel

from .lockstep import AND, WITHOUT, Played, Witness

Told = Callable[[Any, int], str]
"""From a state of OpenSpiel and an action there to our id."""
WITNESSES: dict[str, Witness] = {}


class _Game:
    """A game of OpenSpiel; `other_draws`: whether it has draws that our rules have not."""

    def __init__(self, game: Any, told: Told, other_draws: bool) -> None:
        self.state, self.told, self.other_draws = game.new_initial_state(), told, other_draws

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

    def returns(self) -> list[float] | None:
        returns = list(self.state.returns())
        return None if self.other_draws and not any(returns) else returns


def witness(
    name: str,
    game: str,
    players: int = 2,
    options: dict[str, Any] | None = None,
    other_draws: bool = False,
    kind: type[_Game] = _Game,
    **more: Any,
) -> Callable[[Told], Told]:
    """Enter a function that tells OpenSpiel's actions as the witness of a ruleset."""
    loaded = pyspiel.load_game(game)

    def enter(told: Told) -> Told:
        def begin(_: int) -> Played:
            return kind(loaded, told, other_draws)

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


@witness("breakthrough", "breakthrough")
def _pawn(state: Any, action: int) -> str:
    text = state.action_to_string(action)
    return f"advance:start={flipped(text[:2], 8)},target={flipped(text[2:4], 8)}"


@witness("hex", "hex(board_size=7)", options={"size": 7, "swap": False})
def _stone(state: Any, action: int) -> str:
    return f"place:spot={state.action_to_string(action)[-2:]}"


@witness("gomoku", "gomoku")
def _five(state: Any, action: int) -> str:
    row, column = map(int, state.action_to_string(action).split(","))
    return f"place:spot={chr(97 + column)}{row + 1}"


@witness("lines_of_action", "lines_of_action", other_draws=True)  # by repetition
def _line(state: Any, action: int) -> str:
    text = state.action_to_string(action)
    return f"go:start={text[:2]},target={text[3:5]}"


@witness("dots_and_boxes", "dots_and_boxes(num_rows=3,num_cols=3)")
def _edge(state: Any, action: int) -> str:
    _, way, row, column = re.split(r"\D*\((\w),(\d),(\d)\)", "x" + state.action_to_string(action))[0:4]
    return _between_dots(way, int(row), int(column))


def _between_dots(way: str, row: int, column: int) -> str:
    """Return the line from a dot to the right or down."""
    across, down = (1, 0) if way == "h" else (0, 1)
    return f"draw_lines:line={chr(97 + column)}{row + 1}_{chr(97 + column + across)}{row + 1 + down}"


def _again(state: Any) -> bool:
    """Return whether who moved last moves again."""
    history = state.full_history()
    return bool(history) and history[-1].player == state.current_player()


@witness("draughts", "checkers", other_draws=True)  # after twenty moves of each without a capture
def _draught(state: Any, action: int) -> str:
    text = state.action_to_string(action)
    start, target = text[:2], text[-2:]
    if _again(state):
        return f"leap:further={target}"
    return f"{'jump' if abs(int(start[1]) - int(target[1])) == 2 else 'go'}:start={start},target={target}"


POINTS = "a1 d1 g1 b2 d2 f2 c3 d3 e3 a4 b4 c4 e4 f4 g4 c5 d5 e5 b6 d6 f6 a7 d7 g7".split()
"""OpenSpiel counts the points of the three squares row by row."""


@witness("nine_mens_morris", "nine_mens_morris")
def _man(state: Any, action: int) -> str:
    text = state.action_to_string(action)
    points = [POINTS[int(number)] for number in re.findall(r"\d+", text)]
    if len(points) == 2:
        return f"go:start={points[0]},target={points[1]}"
    return f"capture:victim={points[0]}" if _again(state) else f"place:spot={points[0]}"


PITS = "a1 b2 c2 d2 e2 f2 g2 h2 g1 f1 e1 d1 c1 b1".split()
"""OpenSpiel's pits: the second seat's store, the first seat's pits and store, the second seat's pits."""


@witness("mancala", "mancala")
def _pit(state: Any, action: int) -> str:
    return f"take_turn:start={PITS[action]}"


@witness("pig", "pig", steps=300)
def _throw(state: Any, action: int) -> str:
    text = state.action_to_string(action)
    if state.is_chance_node():
        return f"take_turn:die={text[-1]}"
    return {"roll": "throw", "stop": "hold"}[text]


FACES = " ace two three four five six".split(" ")


CATEGORIES = {"chance": "choice", "small_straight": "little_straight", "large_straight": "big_straight"}


@witness("yacht", "yacht", steps=200)
def _dice(state: Any, action: int) -> str:
    text = state.action_to_string(action)
    if state.is_chance_node():
        return AND.join(f"throw:face={FACES[int(digit)]}" for digit in re.findall(r"\d", text))
    if text.startswith("Score in "):
        name = text.removeprefix("Score in ").lower().replace(" ", "_")
        return f"take_turn:category={CATEGORIES.get(name, name)}"
    thrown = re.findall(r"\d", re.search(r"Dice: ([\d ]*)", str(state))[1])  # type: ignore[index]
    again = sorted(FACES[int(thrown[int(place)])] for place in re.findall(r"\d", text))
    return f"take_turn:again={'+'.join(again) or 'none'}"


BIDS = "one two three four five six".split()


@witness("liars_dice", "liars_dice(numdice=3)", options={"dice_each": 3, "game": "one_round"})
def _bid(state: Any, action: int) -> str:
    text = state.action_to_string(action)
    if state.is_chance_node():
        die = len(state.history()) % 3 + 1
        return f"throw:draw=die{die}_{BIDS[int(text[-1]) - 1]}@{len(state.history()) // 3}"
    number, _, face = text.partition("-")
    return f"bid:n={number},f={BIDS[int(face) - 1]}" if face else "doubt"


class _Go(_Game):
    """A game of go; OpenSpiel ends it where a position comes up again, too."""

    def returns(self) -> list[float] | None:
        history = self.state.history()
        return list(self.state.returns()) if history[-1] == history[-2] else None


@witness("go", "go(board_size=9)", kind=_Go, steps=100)
def _go(state: Any, action: int) -> str:
    name = state.action_to_string(action)[2:]
    return "give_up_turn" if name == "PASS" else f"place:point={name.replace('j', 'i')}"
