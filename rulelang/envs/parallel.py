"""A ruleset in which all decide at once as an environment of PettingZoo (parallel).

Enters: a ruleset of which every decision is `together`. Leaves: `env`. One number makes an action, as picks of several
would tell others how many they are; who is not asked has the number 0 alone: to wait.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from pettingzoo import ParallelEnv

from rulelang.diagnostics import UsageError
from rulelang.envs.aec import Agents
from rulelang.envs.specs import Spec, spec
from rulelang.envs.vectors import mask
from rulelang.game import Ruleset


class AtOnce(Agents, ParallelEnv[str, Any, Any]):  # type: ignore[misc]
    """The environment; see the module. Numbers are those of the spec plus 1."""

    def __init__(self, spec: Spec, render_mode: str | None = None, events: int = 0) -> None:
        self._prepare(spec, render_mode, events, waits=1)
        self.agents: list[str] = []

    def _observations(self) -> dict[str, Any]:
        seen = {}
        for seat, agent in enumerate(self.possible_agents):
            waits = np.array([seat not in self.game.seats], np.int8)
            seen[agent] = self._seen(seat, np.concatenate((waits, mask(self.game, seat))))
        return seen

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Begin a game: with a seed that of `Ruleset.new_game`, without one drawn by the one before."""
        del options
        self._begin(seed)
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


def env(
    ruleset: Ruleset | str,
    players: int | None = None,
    options: Mapping[str, Any] | None = None,
    actions: str = "discrete",
    render_mode: str | None = None,
    events: int = 0,
) -> AtOnce:
    """Return an environment of PettingZoo in which all act at once.

    Args:
        events: as for `rulelang.envs.aec.env`.

    Raises:
        UsageError: as `rulelang.envs.spec`; a decision is not `together`, or the actions are `picks`.
    """
    of = spec(ruleset, players, options, actions)
    alone = [decision.rule for decision in of.layout.program.decisions if not decision.together]
    if alone:
        raise UsageError(f"not all decide at once in {of.ruleset.name}: `{alone[0]}` asks one seat; use `aec`")
    if actions == "picks":
        raise UsageError("several picks would tell others how many they are: use `discrete` or `index`")
    return AtOnce(of, render_mode, events)
