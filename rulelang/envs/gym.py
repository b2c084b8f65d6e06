"""A ruleset as an environment of Gymnasium: one seat is the agent's, functions play the others.

Enters: a ruleset, a seat, who plays the others. Leaves: `env`; the shipped rulesets registered by name, such as
`rulelang/reco-v0`. Masks are in `info["action_mask"]` and by `action_masks()`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from rulelang.diagnostics import IllegalAction, UsageError
from rulelang.envs.core import PickGame
from rulelang.envs.specs import Spec, spec
from rulelang.envs.vectors import event_array, events_space, mask, observation_space, vector
from rulelang.game import Ruleset
from rulelang.resources import shipped_rulesets

Opponent = Callable[[PickGame, Any], int]
"""A game and a generator of numpy -> a number that the game's lowest asked seat picks."""
LOST = -1.0
"""The reward of a number that can't be picked, where declarations tell no least payoff."""


def random_pick(game: PickGame, random: Any) -> int:
    """Pick one of the possible numbers, all equally likely."""
    return int(random.choice(game.mask(game.seat)))


class Solo(gymnasium.Env[Any, Any]):  # type: ignore[misc]
    """The environment; see the module.

    Args:
        others: who plays the other seats. illegal: what a number that can't be picked does: `lose` ends the
            episode with the least payoff, `raise` raises IllegalAction. events: how many rows of what it has seen
            happen the agent sees (`rulelang.runtime.event_rows`); with some the observation is `{"observation": float32
            vector, "events": int32 rows}`.
    """

    metadata = {"render_modes": ["ansi"]}  # noqa: RUF012 - as Gymnasium has it

    def __init__(
        self,
        spec: Spec,
        seat: int = 0,
        others: Opponent = random_pick,
        illegal: str = "lose",
        render_mode: str | None = None,
        events: int = 0,
    ) -> None:
        if not 0 <= seat < spec.players:
            raise UsageError(f"there is no seat {seat}: seats are 0 to {spec.players - 1}")
        if illegal not in ("lose", "raise"):
            raise UsageError(f"`illegal` is lose or raise, not `{illegal}`")
        self.rules, self.seat, self.others, self.illegal, self.render_mode = spec, seat, others, illegal, render_mode
        self.events, self.observation_space = events, observation_space(spec)
        if events:
            parts = {"observation": self.observation_space, "events": events_space(events)}
            self.observation_space = spaces.Dict(parts)
        self.action_space = spaces.Discrete(spec.size)

    def _play_others(self) -> None:
        """Play until the agent is asked, or the game is over."""
        while not self.game.end and self.seat not in self.game.seats:
            self.game.step(self.others(self.game, self.np_random))

    def _observation(self) -> Any:
        seen = vector(self.game, self.seat)
        return {"observation": seen, "events": event_array(self.game, self.seat, self.events)} if self.events else seen

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.action_masks().astype(np.int8)}

    def action_masks(self) -> Any:
        """Return for each number whether it can be picked: bool."""
        return mask(self.game, self.seat, np.bool_)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin a game, up to the agent's first question."""
        super().reset(seed=seed, options=options)
        while True:
            self.game = PickGame(self.rules, int(self.np_random.integers(1 << 62)))
            self._play_others()
            if not self.game.end:
                return self._observation(), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Pick a number; what the others do follows, until the agent is asked again.

        Raises:
            IllegalAction: it can't be picked, and `illegal` is `raise`.
        """
        try:
            self.game.step(int(action), self.seat)
        except IllegalAction:
            if self.illegal == "raise":
                raise
            least = self.rules.payoffs[0] if self.rules.payoffs else LOST
            return self._observation(), least, True, False, self._info() | {"illegal": True}
        self._play_others()
        end = self.game.end
        reward = float(self.game.returns()[self.seat])
        return self._observation(), reward, end == 1, end == 2, self._info()

    def render(self) -> Any:
        """Return the last events of the game, as the agent sees them, in words."""
        return self.game.told(self.seat)


def env(
    ruleset: Ruleset | str,
    players: int | None = None,
    options: Mapping[str, Any] | None = None,
    actions: str = "picks",
    **more: Any,
) -> Solo:
    """Return an environment of Gymnasium; arguments and errors as of `rulelang.envs.spec` and `Solo`."""
    return Solo(spec(ruleset, players, options, actions), **more)


def register() -> None:
    """Register each shipped ruleset as `rulelang/NAME-v0`."""
    for folder in sorted(shipped_rulesets().iterdir()):
        if (folder / "ruleset.yaml").is_file():
            id_ = f"rulelang/{folder.name}-v0"
            if id_ not in gymnasium.registry:
                gymnasium.register(id_, entry_point=env, kwargs={"ruleset": folder.name})


register()
