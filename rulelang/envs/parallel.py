"""A ruleset in which all decide at once as an environment of PettingZoo (parallel).

Enters: a ruleset of which every decision is `together`. Leaves: `env`. One number makes an action, as picks of several
would tell others how many they are; who is not asked has the number 0 alone: to wait.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import ParallelEnv

from rulelang.diagnostics import UsageError
from rulelang.envs.aec import agent_names
from rulelang.envs.core import PickGame
from rulelang.envs.specs import Spec, spec
from rulelang.envs.vectors import mask, observation_space, vector
from rulelang.game import Ruleset


class AtOnce(ParallelEnv[str, Any, Any]):  # type: ignore[misc]
    """The environment; see the module. Numbers are those of the spec plus 1."""

    def __init__(self, spec: Spec, render_mode: str | None = None) -> None:
        self.spec, self.render_mode = spec, render_mode
        self.metadata = {"name": f"rulelang/{spec.ruleset.name}-v0", "render_modes": ["ansi"]}
        self.possible_agents = agent_names(spec)
        self.agents: list[str] = []
        self._actions = spaces.Discrete(spec.size + 1)
        masks = spaces.Box(0, 1, (spec.size + 1,), "int8")
        self._space = spaces.Dict({"observation": observation_space(spec), "action_mask": masks})
        self._random: Any = None

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the space of an agent's observations, the same for all."""
        del agent
        return self._space

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the space of an agent's numbers, the same for all."""
        del agent
        return self._actions

    def _observations(self) -> dict[str, Any]:
        seen = {}
        for seat, agent in enumerate(self.possible_agents):
            waits = np.array([seat not in self.game.seats], np.int8)
            masks = np.concatenate((waits, mask(self.game, seat)))
            seen[agent] = {"observation": vector(self.game, seat), "action_mask": masks}
        return seen

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Begin a game: with a seed that of `Ruleset.new_game`, without one drawn by the one before."""
        del options
        if seed is not None or self._random is None:
            self._random, _ = seeding.np_random(seed)
        self.game = PickGame(self.spec, int(self._random.integers(1 << 62)) if seed is None else seed)
        self.agents = self.possible_agents[:]
        return self._observations(), {agent: {} for agent in self.agents}

    def step(self, actions: Mapping[str, int]) -> tuple[dict[str, Any], ...]:
        """Let all seats that are asked answer.

        Raises:
            IllegalAction: one of the numbers can't be picked.
        """
        for seat in self.game.seats:
            self.game.step(int(actions[self.possible_agents[seat]]) - 1, seat)
        end, agents = self.game.end, self.possible_agents
        rewards = dict(zip(agents, map(float, self.game.returns()), strict=True))
        seen = self._observations()
        if end:
            self.agents = []
        ended = dict.fromkeys(agents, end == 1), dict.fromkeys(agents, end == 2)
        return seen, rewards, *ended, {agent: {} for agent in agents}

    def render(self) -> str:
        """Return the last events of the game, as everybody sees them, in words."""
        return "\n".join(event["text"] for event in self.game.state.events()[-10:])


def env(
    ruleset: Ruleset | str,
    players: int | None = None,
    options: Mapping[str, Any] | None = None,
    actions: str = "discrete",
    render_mode: str | None = None,
) -> AtOnce:
    """Return an environment of PettingZoo in which all act at once.

    Raises:
        UsageError: as `rulelang.envs.spec`; a decision is not `together`, or the actions are `picks`.
    """
    of = spec(ruleset, players, options, actions)
    alone = [decision.rule for decision in of.layout.program.decisions if not decision.together]
    if alone:
        raise UsageError(f"not all decide at once in {of.ruleset.name}: `{alone[0]}` asks one seat; use `aec`")
    if actions == "picks":
        raise UsageError("several picks would tell others how many they are: use `discrete` or `index`")
    return AtOnce(of, render_mode)
