"""A person's place at the terminal: what they are shown and asked.

Enters: a session, a seat. Leaves: the action that a person chose there, or nothing when the session was changed
(undone, loaded). With several people the screen is passed on: what one saw is cleared before the next sees theirs,
unless the game hides nothing from anyone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from rich.table import Table

from rulelang.agents.playouts import has_secrets
from rulelang.cli.console import Text
from rulelang.cli.play import commands
from rulelang.cli.play.names import Names
from rulelang.cli.play.news import doings
from rulelang.cli.play.options import Option, Options
from rulelang.cli.play.screen import Screen
from rulelang.cli.play.session import PERSON, Session
from rulelang.cli.play.sheet import ending, sheet, shown
from rulelang.cli.play.terminal import Terminal
from rulelang.game import Action
from rulelang.words.phrases import capital

BULLET = "• "


class Desk:
    """Where people sit, one after the other.

    Attributes:
        front: the seat whose things are on the screen. seat, options: who is asked, and what.
        since: seat (None: someone who sees all) -> the first event that it was not told.
    """

    def __init__(self, session: Session, terminal: Terminal, lang: str) -> None:
        self.terminal = terminal
        self.lang = lang
        self.front: int | None = None
        self.take(session)

    def take(self, session: Session) -> None:
        """Goes on with a session; what happened before is not told."""
        self.session = session
        state = session.state
        self._secrets = has_secrets(state.ruleset.executor(state.players, state.options).program)
        session.lang = self.lang
        self.names = Names(session.state, self.lang)
        self.texts = self.names.texts
        self.since: dict[int | None, int] = {None: 0}
        self.since.update({seat: session.state.event_count(seat) for seat in session.people})
        self._notes: dict[int, list[str]] = defaultdict(list)
        self._drawn: object = None
        self.seat = 0
        self.options = Options((), self.names)
        self._shown: Sequence[Option] = ()
        self._next = 0

    # ---- passing the screen on

    def bring(self, seat: int) -> bool:
        """Makes sure that it is this person who looks; False if the last one took back their choice instead."""
        if self.front == seat or len(self.session.people) < 2:
            self.front = seat
            return True
        name = capital(self.names.party(seat))
        if not self._secrets:
            if self.front is not None:
                self.tell(self.front)
            self.terminal.say(f"---- {self.texts('separator', seat=name)} ----")
            self.front, self._drawn = seat, None
            return True
        if self.front is not None and self.tell(self.front) and self.terminal.live:
            answer = self.terminal.ask(self.texts("pass_on", seat=self.names.party(seat)) + " ")
            self.seat = self.front
            if answer.lower() in ("u", "undo") and commands.run(self, answer) is commands.CHANGED:
                return False
        self.terminal.forget()
        if self.terminal.live:
            self.terminal.ask(self.texts("press_enter", seat=name) + " ")
        else:
            self.terminal.say(f"---- {self.texts('separator', seat=name)} ----")
        self.front, self._drawn = seat, None
        return True

    # ---- showing

    @property
    def screen(self) -> Screen:
        """The table as wide as the window is now."""
        return Screen(self.session.state.ruleset, self.names, self.terminal.width)

    def tell(self, seat: int | None) -> bool:
        """Says what happened since last told; whether there was anything. To None, who plays no seat, everything."""
        state = self.session.state
        notes = self._notes.pop(seat, []) if seat is not None else []
        found = doings(state, seat, self.since[seat], self.lang)
        self.since[seat] = state.event_count(seat)
        for note in notes:
            self.terminal.say(note, "dim")
        for doing in found:
            line = Table.grid()
            line.add_row(Text(BULLET, "bold"), Text(doing.text, "dim" if doing.seat == seat else ""))
            self.terminal.show(line)
        return bool(notes or found)

    def forced(self, seat: int, action: Action) -> None:
        """Says to a seat that its only choice was taken: now if it is the one that looks, else when it does."""
        text = self.texts("forced", seat=capital(self.names.party(seat)), option=action.text(self.lang))
        if self.session.people == [seat]:
            self.tell(seat)
            self.terminal.say(text, "dim")
        else:
            self._notes[seat].append(text)

    def board(self) -> None:
        """Shows the table as the seat sees it."""
        seen = self.session.state.observation(self.seat)
        self._drawn = _table(seen)
        self.terminal.show(self.screen.board(seen, self.seat))

    def list_options(self, options: Sequence[Option] | None = None) -> None:
        """Shows the first page of some options; None: of all."""
        self._shown, self._next = self.options.all if options is None else options, 0
        self.more()

    def more(self) -> bool:
        """Shows the next page; False if there is none."""
        if self._shown and self._next >= len(self._shown):
            return False
        terminal = self.terminal
        lines, after = self.options.page(self._shown, self._next, terminal.width, terminal.rows)
        terminal.show(lines)
        if after:
            terminal.say(self.texts("some_options", shown=after, count=len(self._shown)), "dim")
        self._next = after or len(self._shown)
        return True

    def ending(self) -> None:
        """Shows the score sheet and who has won."""
        people = self.session.people
        self.tell(self.front if self.front is not None or not people else people[0])
        found = sheet(self.session.state, None)
        self.terminal.say()
        if found.rows:
            self.terminal.show(shown(found, self.names, self.terminal.width))
            self.terminal.say()
        self.terminal.say(ending(self.session.state, self.names), "bold")

    # ---- asking

    def ask(self, seat: int) -> Action | None:
        """Shows what the seat sees and asks until an action is chosen; None when the session was changed."""
        state = self.session.state
        decision = state.decision(seat)
        assert decision is not None
        self.seat = seat
        self.options = Options(decision.choices, self.names)
        self.tell(seat)
        if _table(state.observation(seat)) != self._drawn:
            self.board()
        self.terminal.say(decision.prompt_in(self.lang), "bold")
        self.list_options()
        while True:
            answer = self.terminal.ask(f"{self.names.party(seat)}> ")
            found = commands.run(self, answer)
            if isinstance(found, Action):
                return found
            if found is commands.CHANGED:
                return None

    def undoes(self) -> int:
        """Whose choice `undo` takes back: of who is asked; where nothing is hidden, of the person who chose last."""
        chosen = [moment.seat for moment in self.session.moments if moment.by == PERSON]
        return chosen[-1] if chosen and not self._secrets else self.seat

    def undone(self) -> None:
        """After an undo: what was told of is no more."""
        for seat, told in self.since.items():
            self.since[seat] = min(told, self.session.state.event_count(seat))
        self._drawn = None


def _table(seen: dict[str, Any]) -> object:
    """What is drawn of an observation."""
    return seen["zones"], seen["variables"], seen.get("pieces"), seen["turn"]
