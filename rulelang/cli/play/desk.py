"""A person's place at the terminal: shows the table and the options, and asks for an action.

Enters: a session, a seat. Leaves: the action that a person chose there, or None when the session was changed (undone,
loaded). With several people the terminal is passed on: the screen of one is cleared before the next looks, unless the
game has no secrets.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType

from rulelang.cli.console import Text
from rulelang.cli.files import write_whole
from rulelang.cli.play import commands
from rulelang.cli.play.options import LEAVE, Option, Options
from rulelang.cli.play.saves import free_name, save_text
from rulelang.cli.play.screen import Screen, wrapped
from rulelang.cli.play.sheet import score_sheet
from rulelang.cli.play.terminal import Terminal
from rulelang.game import Action
from rulelang.runtime.sight import has_secrets
from rulelang.session import PERSON, Session
from rulelang.table.names import Names
from rulelang.table.news import doings
from rulelang.table.sheet import ending, sheet
from rulelang.words.phrases import capital

BULLET = "• "
PIPED_ROWS = 40
"""Rows of options on a page, without a window."""
PIPED_TABLE = 24
"""Most lines of the table, without a window."""
SHORT_PANE = 4
"""Longest output of a command that stands below the table; longer output replaces it."""


class Desk:
    """The terminal that people share, one after the other.

    Attributes:
        front: the seat whose view is on the screen. seat, options: the acting player and the options.
        since: seat (None: an omniscient reader) -> the first event that it was not told.
    """

    def __init__(self, session: Session, terminal: Terminal, lang: str) -> None:
        self.terminal = terminal
        self.lang = lang
        self.front: int | None = None
        self.take(session)

    def take(self, session: Session) -> None:
        """Switch to a session; its earlier events are not told."""
        self.session = session
        state = session.state
        self._secrets = has_secrets(state.ruleset.executor(state.players, state.options).program)
        session.lang = self.lang
        self.names = Names(session.state, self.lang)
        self.texts = self.names.texts
        self.since: dict[int | None, int] = {None: 0}
        self.since.update({seat: session.state.event_count(seat) for seat in session.people})
        self._notes: dict[int, list[str]] = defaultdict(list)
        self._last_table: object = None
        self.seat = 0
        self.options = Options((), self.names)
        self._listed: Sequence[Option] = ()
        self._page_start = self._next_page = self._pane_rest = 0
        self._pane: list[str] = []
        self._moves: dict[int, list[list[Text]]] = defaultdict(list)
        self._question = ""

    # ---- passing the screen on

    def bring(self, seat: int) -> bool:
        """Pass the terminal to a seat's person; return False if the last person undid their choice instead."""
        if self.front == seat or len(self.session.people) < 2:
            self.front = seat
            return True
        name = capital(self.names.seat(seat))
        if not self._secrets:
            if self.front is not None:
                self.tell(self.front)
            self.terminal.say(f"---- {self.texts('separator', seat=name)} ----")
            self.front, self._last_table = seat, None
            return True
        if self.front is not None and self.tell(self.front) and self.terminal.live:
            answer = self.terminal.ask(self.texts("pass_on", seat=self.names.seat(seat)) + " ")
            self.seat = self.front
            if answer.lower() in ("u", "undo") and commands.run(self, answer) == commands.CHANGED:
                return False
        self.terminal.forget()
        if self.terminal.live:
            self.terminal.ask(self.texts("press_enter", seat=name) + " ")
        else:
            self.terminal.say(f"---- {self.texts('separator', seat=name)} ----")
        self.front, self._last_table = seat, None
        return True

    # ---- showing

    @property
    def screen(self) -> Screen:
        """Return the screen in the window's current width."""
        state = self.session.state
        return Screen(state.ruleset, self.names, self.terminal.width, self.names.stage(state.stage()))

    def _news(self, seat: int | None, brief: bool = False) -> list[list[Text]]:
        """Return the events since the last call for a seat (None: all events) as wrapped paragraphs.

        Args:
            brief: leave out what the table shows.
        """
        state, width = self.session.state, self.terminal.width
        notes = self._notes.pop(seat, []) if seat is not None else []
        news = doings(state, seat, self.since[seat], self.lang, brief=brief)
        self.since[seat] = state.event_count(seat)
        texts = [Text(note, "dim") for note in notes]
        texts += [Text(f"{BULLET}{doing.text}", "dim" if doing.seat == seat else "") for doing in news]
        return [wrapped(text, width) for text in texts]

    def _last_moves(self, rows: int) -> list[Text]:
        """Return the last paragraphs of the news that fit `rows`; of a longer last one its end."""
        lines: list[Text] = []
        for paragraph in reversed(self._moves[self.seat]):
            if len(lines) + len(paragraph) > rows:
                break
            lines = [*paragraph, *lines]
        if not lines and self._moves[self.seat]:
            first, *rest = self._moves[self.seat][-1][-rows:]
            lines = [Text(f"… {first.plain.strip()}", first.style), *rest]
        return lines

    def tell(self, seat: int | None) -> bool:
        """Print the events since last told; return whether there were any."""
        paragraphs = self._news(seat)
        if paragraphs:
            self.terminal.show(Group(*(line for paragraph in paragraphs for line in paragraph)))
        return bool(paragraphs)

    def forced(self, seat: int, action: Action) -> None:
        """Tell a seat that its only option was chosen, at once or with its next screen."""
        text = self.texts("forced", option=action.text(self.lang))
        self.names.reader = seat
        if self.terminal.height is not None:
            return  # The last moves on the next screen tell it.
        if self.session.people == [seat]:
            self.tell(seat)
            self.terminal.say(text, "dim")
        else:
            self._notes[seat].append(text)

    def board(self) -> None:
        """Show the whole table as the seat sees it, nothing folded."""
        self.terminal.show(Group(*self.screen.full(self.session.state.observation(self.seat), self.seat)))

    def list_options(self, options: Sequence[Option] | None = None) -> None:
        """Show the first page of some options; None: of all."""
        self._listed, self._page_start = self.options.all if options is None else options, 0
        self._pane = []
        if self.terminal.height is None:
            self.terminal.show(self._page(PIPED_ROWS)[0])

    def more(self) -> bool:
        """Show the next page of output or options; return False if there is none."""
        if self._pane_rest:
            self._pane = self._pane[self._pane_rest :]
            return True
        if not self._next_page:
            return False
        self._page_start = self._next_page
        if self.terminal.height is None:
            self.terminal.show(self._page(PIPED_ROWS)[0])
        return True

    def _page(self, rows: int) -> tuple[RenderableType, int]:
        """Return the current page of options in at most `rows` lines, and its number of lines."""
        width = self.terminal.width
        lines, self._next_page = self.options.page(self._listed, self._page_start, width, rows)
        if self._next_page or self._page_start:
            lines, self._next_page = self.options.page(self._listed, self._page_start, width, rows - 1)
            count = sum(option.number != LEAVE for option in self._listed)
            shown = self._next_page or count
            lines.append(Text(self.texts("some_options", shown=shown, count=count), "dim"))
        return Group(*lines), len(lines)

    def _draw(self, height: int) -> None:
        """Draw one screen of `height` rows: table or output, last moves, question, options."""
        terminal = self.terminal
        seen, named = self.session.state.observation(self.seat), self.options.named
        boards = self.screen.deep(seen)
        question = wrapped(Text(self._question, "bold"), terminal.width)
        room = height - 1 - len(question)
        moves = self._last_moves(max(min(max(height // 5, 3), room - boards - 4), 1))
        room -= len(moves)
        options, taken = self._page(max(min(room // 2, room - boards), 4))
        room -= taken
        self._pane_rest = 0
        if len(self._pane) > SHORT_PANE:
            lines = self._pane
            if len(lines) > room:
                lines, self._pane_rest = lines[: room - 1], room - 1
                lines = [
                    *lines,
                    *terminal.lines_of(Text(self.texts("more_lines", count=len(self._pane) - room + 1), "dim")),
                ]
        else:
            board = self.screen.board(seen, self.seat, room - len(self._pane), named)
            lines = [*terminal.lines_of(board), *self._pane]
        lines += terminal.lines_of(Group(*moves, *question, options))
        terminal.clear()
        terminal.write(lines)

    def ending(self) -> None:
        """Show the score sheet and the winners."""
        people = self.session.people
        self.names.reader = people[0] if len(people) == 1 else None
        self.terminal.clear()
        self.tell(self.front if self.front is not None or not people else people[0])
        scores = sheet(self.session.state, None)
        self.terminal.say()
        if scores.rows:
            self.terminal.show(score_sheet(scores, self.names, self.terminal.width))
            self.terminal.say()
        self.terminal.say(ending(self.session.state, self.names), "bold")

    # ---- asking

    def ask(self, seat: int) -> Action | None:
        """Show the seat's view and prompt until an action is chosen; return None when the session was changed."""
        state = self.session.state
        decision = state.decision(seat)
        assert decision is not None
        self.seat = self.names.reader = seat
        self.options = Options(decision.choices, self.names)
        self._question = decision.question_in(self.lang)
        if self.terminal.height is None:
            self._print()
        else:
            self._moves[seat] += self._news(seat, brief=True)
            self.list_options()
        prompt = self.names.party(seat) if len(self.session.people) < 2 else self.names.seat(seat)
        while True:
            height = self.terminal.height
            if height is not None:
                self._draw(height)
            answer = self._answer(self.terminal.ask(f"{prompt}> "), height is not None)
            if isinstance(answer, Action):
                return answer
            if answer == commands.CHANGED:
                return None

    def _print(self) -> None:
        """Print view, question and options below each other, without a window; the table only if it has changed."""
        self.tell(self.seat)
        seen = self.session.state.observation(self.seat)
        if _visible_table(seen) != self._last_table:
            self._last_table = _visible_table(seen)
            self.terminal.show(self.screen.board(seen, self.seat, PIPED_TABLE, self.options.named))
        self.terminal.say(self._question, "bold")
        self.list_options()

    def _answer(self, line: str, framed: bool) -> commands.Result:
        """Execute a line; with a window (`framed`) its output waits for the next screen."""
        if not framed:
            return commands.run(self, line)
        with self.terminal.captured() as captured:
            result = commands.run(self, line)
        if captured:
            self._pane = self.terminal.lines_of(Group(*captured))
        if result == commands.CHANGED:
            self._notes[self.seat] += [text.plain for text in captured if isinstance(text, Text)]
        return result

    def keep(self) -> str:
        """Save the game in its file, or a new one; return the file's name.

        Raises:
            UsageError: it can't be written.
        """
        session = self.session
        session.file = session.file or free_name(session.state.ruleset.name)
        write_whole(Path(session.file), save_text(session))
        return session.file

    def undoes(self) -> int:
        """Return the seat whose choice `undo` takes back: the acting player; without secrets, the person who chose
        last."""
        chosen = [moment.seat for moment in self.session.moments if moment.by == PERSON]
        return chosen[-1] if chosen and not self._secrets else self.seat

    def undone(self) -> None:
        """Reset what was told of choices that an undo took back."""
        for seat, count in self.since.items():
            self.since[seat] = min(count, self.session.state.event_count(seat))
        self._last_table = None
        self._moves.clear()


def _visible_table(seen: dict[str, Any]) -> object:
    """Return the part of an observation that the table shows."""
    return seen["zones"], seen["variables"], seen.get("pieces"), seen["turn"]
