"""Who sits at the table: what the seats are called, how strong the bots are.

Enters: a state, what people typed of seats. Leaves: names, bots that are ready, and what the players are told of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from rulelang.agents import STRENGTHS, bot_spec, check_bot
from rulelang.search import Searcher
from rulelang.session import HUMAN
from rulelang.words.terminal import BOTS, Texts

if TYPE_CHECKING:
    from rulelang.cli.play.desk import Desk
    from rulelang.game import State

NAMES = ("Ada", "Basil", "Clara", "Dario", "Edith", "Felix", "Grace", "Hugo", "Irene", "Jules")
"""What those are called whom nobody gave a name."""
SECONDS = 0.8
"""Longest time for a move of a bot that is called by its strength, where there is no native code."""


def named(state: State, people: Sequence[int], chosen: dict[int, str]) -> State:
    """Return the state with names for the seats: the chosen ones, and others for those that have none; a person who
    plays alone is `you` and needs none.

    Args:
        people: the seats of people. chosen: seat -> name.
    """
    free = iter([name for name in NAMES if name not in chosen.values()])
    unnamed = dict.fromkeys(people, "") if len(people) == 1 else {}
    names = unnamed | chosen
    return state.named(tuple(names[seat] if seat in names else next(free, "") for seat in range(state.players)))


def bot_called(name: str) -> str:
    """Return the bot that is called so in any language.

    Raises:
        UsageError: there is no such bot.
    """
    for words in BOTS.values():
        name = next((bot for bot, word in words.items() if word == name.casefold()), name)
    return check_bot(name)


def told(texts: Texts, player: str) -> str:
    """Return in words how a bot plays, or that a person does."""
    if player == HUMAN:
        return texts("by_human")
    spec = bot_spec(player)
    said = texts(f"by_{spec.kind}", count=spec.budget)
    return texts("by_strength", strength=texts.bots[player], how=said) if player in STRENGTHS else said


def company(desk: Desk) -> str:
    """Return in words who plays besides the only person, or who plays; those together who play alike."""
    session, names = desk.session, desk.names
    alone = session.people if len(session.people) == 1 else []
    others = sorted(((who, seat) for seat, who in session.who.items() if seat not in alone))
    return " · ".join(
        names.labelled(names.parties_of(seat for _, seat in seats), told(desk.texts, who))
        for who, seats in groupby(others, key=lambda pair: pair[0])
    )


def prepare(desk: Desk) -> None:
    """Make native code for bots that search, once for all their moves; without it those that are called by their
    strength take a limited time for each move."""
    session = desk.session
    searching = {seat: bot for seat, bot in session.bots.items() if isinstance(bot, Searcher)}
    if not searching or session.scripts:
        return  # with a script few moves are left to bots, or none
    if desk.terminal.live:
        desk.terminal.say(desk.texts("preparing"), "dim")
    executor, _ = session.state.engine
    if executor.search_library_or_none() is None:
        for seat, bot in searching.items():
            bot.seconds = SECONDS if session.who[seat] in STRENGTHS else None
