"""A ruleset as an environment of PettingZoo, turn by turn (AEC).

Enters: a ruleset. Leaves: `env`. Agents are `seat_0`, `seat_1`, …; whoever has more to pick of its action stays the
selected one. Observations are `{"observation": float32 vector, "action_mask": int8}`, if asked for also
`"events"`: int32 rows; payoffs are given at the end.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import AECEnv

from rulelang.diagnostics import IllegalAction
from rulelang.envs.core import PickGame
from rulelang.envs.specs import Spec, spec
from rulelang.envs.vectors import event_array, events_space, mask, observation_space, vector
from rulelang.game import Ruleset


class Agents:
    """What both environments of PettingZoo have: agents, one space for all of them, seeds."""

    _random: Any = None

    def _prepare(self, spec: Spec, render_mode: str | None, events: int, waits: int = 0) -> None:
        """Set what follows from a spec; `events`: how many rows are shown; `waits`: how many numbers there are besides
        its own."""
        size = spec.size + waits
        self.spec, self.render_mode, self._events = spec, render_mode, events
        self.metadata: dict[str, Any] = {"name": f"rulelang/{spec.ruleset.name}-v0", "render_modes": ["ansi"]}
        self.possible_agents = [f"seat_{seat}" for seat in range(spec.players)]
        self._actions = spaces.Discrete(size)
        masks = spaces.Box(0, 1, (size,), "int8")
        parts = {"observation": observation_space(spec), "action_mask": masks}
        self._space = spaces.Dict(parts | ({"events": events_space(events)} if events else {}))

    def _seen(self, seat: int, masked: Any) -> dict[str, Any]:
        """Return the observation of a seat, with its mask."""
        seen = {"observation": vector(self.game, seat), "action_mask": masked}
        return seen | ({"events": event_array(self.game, seat, self._events)} if self._events else {})

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the space of an agent's observations, the same for all."""
        del agent
        return self._space

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the space of an agent's numbers, the same for all."""
        del agent
        return self._actions

    def _begin(self, seed: int | None) -> None:
        """Begin a game: with a seed that of `Ruleset.new_game`, without one drawn by the one before."""
        if seed is not None or self._random is None:
            self._random, _ = seeding.np_random(seed)
        self.game = PickGame(self.spec, int(self._random.integers(1 << 62)) if seed is None else seed)
        self.agents = self.possible_agents[:]

    def render(self) -> str:
        """Return the last events of the game, as everybody sees them, in words."""
        return self.game.told()


class Turns(Agents, AECEnv[str, Any, Any]):  # type: ignore[misc]
    """The environment; see the module."""

    def __init__(self, spec: Spec, render_mode: str | None = None, events: int = 0) -> None:
        super().__init__()
        self._prepare(spec, render_mode, events)
        self.metadata["is_parallelizable"] = False

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin a game: with a seed that of `Ruleset.new_game`, without one drawn by the one before."""
        del options
        self._begin(seed)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[max(self.game.seat, 0)]
        self._settle()

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what an agent sees, and what it can pick: nothing unless it is selected."""
        seat = self.possible_agents.index(agent)
        masked = mask(self.game, seat)
        if agent != self.agent_selection:
            masked[:] = 0
        return self._seen(seat, masked)

    def step(self, action: int | None) -> None:
        """Pick a number for the selected agent.

        Raises:
            IllegalAction: it can't be picked.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise IllegalAction(f"{agent} has to pick a number")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self.game.step(int(action), self.possible_agents.index(agent))
        self._settle()
        self._accumulate_rewards()

    def _settle(self) -> None:
        """Select who picks next; at the end give payoffs."""
        if end := self.game.end:
            self.rewards = dict(zip(self.possible_agents, map(float, self.game.returns()), strict=True))
            ended = self.truncations if end == 2 else self.terminations
            ended.update(dict.fromkeys(self.agents, True))
        else:
            self.agent_selection = self.possible_agents[self.game.seat]

    def close(self) -> None:
        """Nothing is to be closed."""


def env(
    ruleset: Ruleset | str,
    players: int | None = None,
    options: Mapping[str, Any] | None = None,
    actions: str = "picks",
    render_mode: str | None = None,
    events: int = 0,
) -> Turns:
    """Return an environment of PettingZoo; arguments and errors as of `rulelang.envs.spec`.

    Args:
        events: how many rows of what it has seen happen an agent sees; see `rulelang.runtime.event_rows`.
    """
    return Turns(spec(ruleset, players, options, actions), render_mode, events)
