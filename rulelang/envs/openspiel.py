"""A ruleset as a game of OpenSpiel, chance explicit: for its search, CFR and learners.

Enters: a ruleset. Leaves: `game`; with the module `pyspiel.load_game("rulelang(ruleset=reco,players=3)")` finds it, as
do pickled states, by `PARAMETERS`. The actions are `discrete` where that has a bound, else `picks`. Whoever is asked
together is asked in turn, without seeing what the others chose.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
import pyspiel

from rulelang.diagnostics import UsageError
from rulelang.envs.core import PickGame
from rulelang.envs.specs import Spec, spec
from rulelang.game import Ruleset, load

UNBOUNDED = 1e6
"""The bound of payoffs that is told where declarations have none."""
PARAMETERS: dict[str, Any] = {
    "ruleset": "", "players": 0, "overlays": "", "options": "", "actions": "", "least": 0.0, "most": 0.0,
    "backend": "auto",
}  # fmt: skip
"""The parameters of a game, as `game` takes them: overlays and options (`name:value`) divided by `;`, payoffs as two
numbers, both 0 for what declarations tell."""
MOST_PICKS = 8
"""About so many picks make an action: what the length of a game is told by."""


class OpenSpielState(pyspiel.State):  # type: ignore[misc]
    """A game in progress."""

    def __init__(self, game: OpenSpielGame) -> None:
        super().__init__(game)
        self._of = game

    @cached_property
    def rules(self) -> PickGame:
        """The game; made when it is first wanted, as OpenSpiel copies states by giving a new one their attributes."""
        of = self._of.spec
        return PickGame(
            of, state=of.ruleset.new_game(of.players, options=of.options, chance="explicit", backend=self._of.backend)
        )

    def current_player(self) -> int:
        """Return who picks, or OpenSpiel's sign for chance or the end."""
        if self.rules.state.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        return int(pyspiel.PlayerId.CHANCE) if self.rules.state.is_chance_node() else self.rules.seat

    def _legal_actions(self, player: int) -> list[int]:
        """Return what a player can pick, in order."""
        return self.rules.mask(player) if player == self.rules.seat else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the numbers of the outcomes with their probabilities."""
        return [(n, float(share)) for n, (_, share) in enumerate(self.rules.state.chance_outcomes())]

    def _apply_action(self, action: int) -> None:
        """Pick, or let chance draw."""
        if self.rules.state.is_chance_node():
            self.rules.take_outcome(action)
        else:
            self.rules.step(action)

    def _action_to_string(self, player: int, action: int) -> str:
        """Return the name of a number: of a pick its own, of an option or outcome its id."""
        if player == pyspiel.PlayerId.CHANCE:
            return str(self.rules.state.chance_outcomes()[action][0])
        return self.rules.name(player, action)

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.rules.state.is_terminal()

    def returns(self) -> list[float]:
        """Return the payoffs; 0 before the end."""
        return list(map(float, self.rules.returns()))

    def information_state_string(self, player: int | None = None) -> str:
        """Return all that a player has seen and done, as JSON."""
        return self._of.observer.string_from(self, self.current_player() if player is None else player)

    def __str__(self) -> str:
        return f"{self.rules.state.hash()} {list(self.history())}"


class Observer:
    """What a player sees: `tensor`, float32, and `string_from`, which has perfect recall."""

    def __init__(self, spec: Spec) -> None:
        self.tensor: Any = np.zeros(spec.counts + spec.numbers + len(spec.picks), np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: OpenSpielState, player: int) -> None:
        """Fill the tensor with what a player sees now."""
        counts, numbers, prefix = state.rules.observe(player)
        self.tensor[:] = np.concatenate([[*counts], numbers, [*prefix]])

    def string_from(self, state: OpenSpielState, player: int) -> str:
        """Return all that a player has seen and done, with the picks of its next action, as JSON."""
        known = state.rules.state.information_state(player)
        seen = json.dumps({**known, "events": [*known["events"]]}, sort_keys=True, default=list)
        return f"{seen}{list(state.rules.prefix(player))}"


class OpenSpielGame(pyspiel.Game):  # type: ignore[misc]
    """A ruleset with a number of players.

    Args:
        payoffs: the least and greatest payoff, where declarations don't tell them.
    """

    def __init__(
        self, spec: Spec, payoffs: tuple[float, float] | None = None, backend: str = "auto", params: Any = None
    ) -> None:
        self.spec, self.backend, self._payoffs = spec, backend, payoffs
        low, high = payoffs or spec.payoffs or (-UNBOUNDED, UNBOUNDED)
        is_zero_sum = spec.payoffs is not None and spec.players > 1
        info = pyspiel.GameInfo(
            num_distinct_actions=spec.size,
            max_chance_outcomes=max(spec.most_outcomes, 1),
            num_players=spec.players,
            min_utility=low,
            max_utility=high,
            max_game_length=min(spec.decisions * MOST_PICKS, 2**31 - 1),
            **({"utility_sum": 0.0} if is_zero_sum else {}),
        )
        super().__init__(_game_type(spec.players, is_zero_sum), info, params or {})
        self.observer = Observer(spec)

    def new_initial_state(self, state: Any = None) -> OpenSpielState:
        """Return a game at its first node."""
        del state
        return OpenSpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:
        """Return what makes observations."""
        del iig_obs_type, params
        return Observer(self.spec)

    def __deepcopy__(self, memo: Any) -> OpenSpielGame:
        return self

    def __reduce__(self) -> Any:
        return OpenSpielGame, (self.spec, self._payoffs, self.backend, self.get_parameters())


def _game_type(players: int | None = None, is_zero_sum: bool = False) -> Any:
    kinds = pyspiel.GameType
    return kinds(
        short_name="rulelang",
        long_name="A ruleset of RuleLang",
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kinds.Information.IMPERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM if is_zero_sum else kinds.Utility.GENERAL_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=players or 100,
        min_num_players=players or 1,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=False,
        provides_observation_tensor=True,
        parameter_specification=PARAMETERS,
    )


def game(
    ruleset: Ruleset | str,
    players: int | None = None,
    options: Mapping[str, Any] | None = None,
    actions: str | None = None,
    payoffs: tuple[float, float] | None = None,
    backend: str = "auto",
) -> OpenSpielGame:
    """Return a game of OpenSpiel; arguments and errors as of `rulelang.envs.spec`, `payoffs` as of `OpenSpielGame`."""
    try:
        of = spec(ruleset, players, options, actions or "discrete")
    except UsageError:
        if actions is not None:
            raise
        of = spec(ruleset, players, options, "picks")
    low, high = payoffs or (0.0, 0.0)
    values = {
        "ruleset": of.ruleset.path, "players": of.players, "overlays": ";".join(of.ruleset.overlays),
        "options": ";".join(f"{name}:{json.dumps(value)}" for name, value in (options or {}).items()),
        "actions": actions or "", "least": float(low), "most": float(high), "backend": backend,
    }  # fmt: skip
    told = {name: value for name, value in values.items() if value != PARAMETERS[name]}
    return OpenSpielGame(of, payoffs, backend, told)


class Loaded(OpenSpielGame):
    """What `pyspiel.load_game` makes of `rulelang(ruleset=NAME,players=N)`."""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        told = PARAMETERS | dict(params or {})
        options = dict(option.split(":", 1) for option in told["options"].split(";") if option)
        payoffs = (told["least"], told["most"]) if told["least"] or told["most"] else None
        of = game(
            load(told["ruleset"], [overlay for overlay in told["overlays"].split(";") if overlay]),
            told["players"] or None,
            {name: json.loads(value) for name, value in options.items()},
            told["actions"] or None,
            payoffs,
        )
        super().__init__(of.spec, payoffs, told["backend"], params)


def register() -> None:
    """Let `pyspiel.load_game` find `rulelang(ruleset=NAME,players=N)`, once."""
    if "rulelang" not in pyspiel.registered_names():
        pyspiel.register_game(_game_type(), Loaded)


register()
