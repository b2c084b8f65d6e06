"""All that a page is drawn from, for one reader; nothing that is hidden from the reader.

Enters: a session, the seat that reads (or a spectator). Leaves: `View`; its expensive parts are computed on demand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from rulelang.game import Decision, Ruleset
from rulelang.table.sheet import Sheet
from rulelang.web.seats import FIRST

EVENTS = 60
"""Number of latest events on a page."""
SINCE = 500
"""Most events that are told at once of those since a number."""


@dataclass(frozen=True)
class Asked:
    """A pending request to take back choices although something was revealed since, or for a draw.

    Attributes:
        seat: who asks. steps: how many are taken back; None: for a draw. waiting: the seats that have not answered.
    """

    seat: int
    steps: int | None
    waiting: tuple[int, ...]


@dataclass(frozen=True)
class View:
    """A table as one reader sees it.

    Attributes:
        base: the address of the page, to which `/act` and the like are added. seat: None for a spectator.
        parties: the names of seats (their numbers), then of automata. names: what people call themselves, "" where
            they don't. bots: party -> the bot that plays it; a seat that is not in it is a person's.
        observation: as `State.observation`. events: as `State.story`, the last EVENTS, or those since a number; until:
            the number of the event after them. decision: what is asked now.
        stamp: stands for what this page shows; a choice is made with the stamp of the page that it was made on.
        undo: whether the reader's last choice can be taken back: `free`, `ask` or nothing. undone: how often one was.
        clocks: seat -> seconds that are left now. links: whether the reader made the game.
        replay: the step shown and how many there are, on a page that looks back.
        sheet: the score sheet as far as the reader can know it. picks: what is picked of a choice, one thing at a time;
            find: words of the choices that are wanted. notice: names what went wrong with what the reader did last.
        notes: how many events the reader had seen, who wrote then, what, and of which kind (see `Live`). ranks: by
            party, once the rules have ended the game. ended: how and by whom it was ended else. rematch: whether there
            is one. draws: whether the reader may ask for a draw. guided: which of the reader's first choices it is.
            fork: the step at which another game may begin. diagnostics: what is wrong with newer rules than those of
            this table. reload: how many choices were `kept` `of` all when the rules changed, and which was `lost` first
            (seat, id; "" where that is not for all). changed: the names of what the server's rules declare otherwise
            than those of this game. first: what the first seat is called without a name. designer: whether files and
            lines of rules are told: the rules may change while they are played.
    """

    ruleset: Ruleset
    lang: str
    base: str
    seat: int | None
    players: int
    parties: tuple[str, ...]
    options: dict[str, int | bool | str]
    names: tuple[str, ...]
    bots: dict[int, str]
    observation: dict[str, Any]
    events: list[dict[str, Any]]
    decision: Decision | None
    over: bool
    winners: list[int] | None
    stage: dict[str, Any]
    stamp: str
    until: int = 0
    undone: int = 0
    undo: str = ""
    scored: bool = False
    asked: Asked | None = None
    clocks: dict[int, float] = field(default_factory=dict)
    replay: tuple[int, int] | None = None
    refusals: Callable[[], list[dict[str, Any]]] = list
    sheet: Callable[[], Sheet | None] = lambda: None
    picks: tuple[str, ...] = ()
    find: str = ""
    notice: str = ""
    notes: tuple[tuple[int, int, str, str], ...] = ()
    ranks: list[int] | None = None
    ended: dict[str, Any] = field(default_factory=dict)
    rematch: bool = False
    draws: bool = False
    guided: int = 0
    fork: int | None = None
    diagnostics: str = ""
    changed: tuple[str, ...] = ()
    reload: dict[str, Any] = field(default_factory=dict)
    first: int = FIRST
    designer: bool = False

    @property
    def alone(self) -> bool:
        """Return whether no other person plays."""
        return self.players - sum(party < self.players for party in self.bots) <= 1

    def file(self, file: str) -> str:
        """Return the file that a rule comes from, if the reader is to know it."""
        return file if self.designer else ""
