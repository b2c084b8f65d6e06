"""Who sits at the table: what the seats are called, how strong the bots are.

Enters: a state, what people typed of seats. Leaves: names, bots that are ready, and what the players are told of them.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import TYPE_CHECKING

from rulelang.agents import STRENGTHS, bot_spec, check_bot
from rulelang.game import load
from rulelang.native import has_compiler
from rulelang.resources import cache_folder
from rulelang.search import Searcher
from rulelang.session import HUMAN, Session
from rulelang.words.terminal import Texts, spoken

if TYPE_CHECKING:
    from rulelang.cli.play.desk import Desk
    from rulelang.game import State

AUTOMATON = "automaton"
NAMES = ("Ada", "Basil", "Clara", "Dario", "Edith", "Felix", "Grace", "Hugo", "Irene", "Jules")
"""What those are called whom nobody gave a name."""

MAKE = "from rulelang.cli.play.seats import make_library; make_library()"


def make_library() -> None:
    """Make native code for the searches of the game that the process's argument tells of: path, overlays, number of
    players, options."""
    path, overlays, players, options = json.loads(sys.argv[1])
    load(path, overlays).new_game(players, 0, options).engine[0].search_library_or_none()


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
    for texts in spoken().values():
        name = next((bot for bot, word in texts.bots.items() if word == name.casefold()), name)
    return check_bot(name)


def told(texts: Texts, player: str) -> str:
    """Return in words how a bot plays, or that a person does."""
    if player in (HUMAN, AUTOMATON):
        return texts(f"by_{player}")
    spec = bot_spec(player)
    said = texts(f"by_{spec.kind}", count=spec.budget)
    return texts("by_strength", strength=texts.bots[player], how=said) if player in STRENGTHS else said


def company(desk: Desk) -> str:
    """Return in words who plays besides the only person, or who plays; those together who play alike. An automaton
    plays by the rules: its bot chooses only what they leave to it."""
    session, names = desk.session, desk.names
    alone, players = session.people if len(session.people) == 1 else [], session.state.players
    rows = ((who if seat < players else AUTOMATON, seat) for seat, who in session.who.items() if seat not in alone)
    others = sorted(rows)
    return " · ".join(
        names.labelled(names.parties_of(seat for _, seat in seats), told(desk.texts, who))
        for who, seats in groupby(others, key=lambda pair: pair[0])
    )


def default_bot() -> str:
    """Return the bot that plays where none is named: one that searches, if there is a compiler that makes it quick."""
    return "good" if has_compiler() else "random"


@contextmanager
def prepared(session: Session) -> Iterator[Callable[[], bool]]:
    """Have another process make native code for the bots that search while the block runs; yield a function that tells
    whether that goes on.

    Nobody need wait for it: whoever needs the library first waits until it is in the cache.
    """
    players = session.state.players
    searching = any(isinstance(bot, Searcher) for seat, bot in session.bots.items() if seat < players)
    if not searching or session.scripts or cache_folder() is None:
        yield lambda: False
        return
    record, quiet = session.record, subprocess.DEVNULL
    game = record.ruleset.path, record.ruleset.overlays, record.players, record.options
    command = [sys.executable, "-c", MAKE, json.dumps(game)]
    process = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)
    try:
        yield lambda: process.poll() is None
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)  # it takes away what it has begun
            process.wait()
