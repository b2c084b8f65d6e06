"""Who chooses: agents that play a seat.

Enters: a state and the seat that is asked. Leaves: one of its legal actions. A person at a terminal is an agent too,
in `cli`.
"""

from rulelang.agents.base import BOTS, Agent, RandomAgent, ScriptedAgent, check_bot, make_bot, read_script

__all__ = ["BOTS", "Agent", "RandomAgent", "ScriptedAgent", "check_bot", "make_bot", "read_script"]
