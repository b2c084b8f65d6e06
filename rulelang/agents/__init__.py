"""Agents: programs that play a seat.

Enters: a state and the acting seat. Leaves: one of its legal actions. People are asked by `cli`.
"""

from rulelang.agents.base import Agent, Bot, RandomAgent, ScriptedAgent, read_script
from rulelang.agents.bots import BOTS, OFFERED, STRENGTHS, BotChoice, bot_spec, check_bot, make_bot, play_out
from rulelang.agents.playouts import PlayoutAgent

__all__ = [
    "BOTS",
    "OFFERED",
    "STRENGTHS",
    "Agent",
    "Bot",
    "BotChoice",
    "PlayoutAgent",
    "RandomAgent",
    "ScriptedAgent",
    "bot_spec",
    "check_bot",
    "make_bot",
    "play_out",
    "read_script",
]
