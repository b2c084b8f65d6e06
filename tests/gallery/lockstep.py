"""Games that another program played and this engine plays again: at each decision both offer the same.

Enters: a game of the other program, told in the ids of our actions, or its record. Leaves: a record of a few games,
small enough for the tree, or the first place at which the two differ. A step of a record is the id of an action and,
where somebody chose it, a checksum of all ids that were offered; what chance gave has none.
"""

from __future__ import annotations

import json
import random
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from rulelang.game import State
from rulelang.game.ruleset import Ruleset

RECORDED = Path(__file__).parent / "recorded"
WITHOUT = "="
"""Begins a step that our rules take without asking: what it must be is no matter of ours."""
AND = " & "
"""Between the ids of what comes at once in the other program, and one after the other here."""


class Played(Protocol):
    """A game of another program, as far as it has gone."""

    def is_over(self) -> bool:
        """Return whether nothing more is asked."""

    def is_chance(self) -> bool:
        """Return whether chance comes next."""

    def offered(self) -> list[str]:
        """Return the ids of our actions that may come next."""

    def choose(self, id_: str) -> None:
        """Go on with one of them."""

    def returns(self) -> list[float] | None:
        """Return what our `returns()` should be at the end; None if it ended by a rule that ours has not."""


class Witness(NamedTuple):
    """A program that plays one of our rulesets by code of its own.

    Attributes:
        begin: starts a game from a seed. program: its name and version. players, options: of our game.
        steps: the most that a recorded game has; what is longer has no end. seeds: which games are recorded.
        often: how ids begin of which one is taken half of the time, so that games are like those of people.
    """

    begin: Callable[[int], Played]
    program: str
    players: int
    options: dict[str, Any]
    steps: int = 400
    seeds: tuple[int, ...] = (0, 1, 2)
    often: str = ""

    def pick(self, picker: random.Random, ids: list[str]) -> str:
        """Return one of the ids."""
        often = [id_ for id_ in ids if self.often and id_.startswith(self.often)]
        return picker.choice(often if often and picker.random() < 0.5 else ids)


class Game(NamedTuple):
    """A record: its steps, and the returns if it came to an end."""

    steps: list[str]
    returns: list[float] | None


def checksum(ids: Iterable[str]) -> str:
    """Return six digits for a set of ids."""
    return f"{zlib.crc32(chr(10).join(sorted(ids)).encode()):08x}"[2:]


def record(witness: Witness, seed: int) -> Game:
    """Return a random game of the other program."""
    game, picker, steps = witness.begin(seed), random.Random(seed), list[str]()
    while not game.is_over() and len(steps) < witness.steps:
        ids = sorted(game.offered())
        id_ = witness.pick(picker, ids)
        steps.append(id_ if game.is_chance() or id_.startswith(WITHOUT) else f"{id_} {checksum(ids)}")
        game.choose(id_)
    return Game(steps, game.returns() if game.is_over() else None)


def follow(state: State, game: Game) -> None:
    """Play a recorded game again.

    Raises:
        AssertionError: something else is offered, asked or scored.
    """
    for number, step in enumerate(game.steps):
        if step.startswith(WITHOUT):
            continue
        id_, offered = (step, "") if AND in step else step.partition(" ")[::2]
        at = f"step {number}, {id_}"
        assert not state.is_terminal(), at
        assert state.is_chance_node() == (not offered), at
        if offered:
            assert checksum(action.id for action in state.legal_actions()) == offered, at
        for part in id_.split(AND):
            state.apply(part)
    if game.returns is not None:
        assert state.is_terminal()
        assert list(state.returns()) == game.returns


def begun(ruleset: Ruleset, players: int, options: dict[str, Any], backend: str) -> State:
    """Return a game of ours that stops where chance comes."""
    return ruleset.new_game(players, options=options, backend=backend, chance="explicit")


def compare(ruleset: Ruleset, witness: Witness, seed: int, backend: str = "native") -> int:
    """Play a random game of both side by side; return how many decisions were the same.

    Raises:
        AssertionError: they differ; the message has both lists.
    """
    game, picker, same = witness.begin(seed), random.Random(seed), 0
    state = begun(ruleset, witness.players, witness.options, backend)
    path: list[str] = []
    while not game.is_over() and len(path) < 50 * witness.steps:
        ids = sorted(game.offered())
        id_ = witness.pick(picker, ids)
        if not id_.startswith(WITHOUT):
            if not game.is_chance():
                ours = sorted(action.id for action in state.legal_actions())
                assert ours == ids, ("ours alone", {*ours} - {*ids}, "theirs alone", {*ids} - {*ours}, "after", path)
                same += 1
            path.append(id_)
            for part in id_.split(AND):
                state.apply(part)
        game.choose(id_)
    returns = game.returns() if game.is_over() else None
    if returns is not None:
        assert state.is_terminal(), ("it is over there", returns, "after", path)
        assert list(state.returns()) == returns, (state.returns(), returns, "after", path)
    return same


def write(name: str, witness: Witness) -> None:
    """Write the recorded games of a witness."""
    games = [record(witness, seed)._asdict() for seed in witness.seeds]
    text = {"program": witness.program, "players": witness.players, "options": witness.options, "games": games}
    (RECORDED / f"{name}.json").write_text(json.dumps(text, separators=(",", ":")) + "\n", encoding="utf-8")


def read(name: str) -> tuple[int, dict[str, Any], list[Game]]:
    """Return the number of players, the options and the recorded games of a ruleset."""
    text = json.loads((RECORDED / f"{name}.json").read_text(encoding="utf-8"))
    return text["players"], text["options"], [Game(**game) for game in text["games"]]
