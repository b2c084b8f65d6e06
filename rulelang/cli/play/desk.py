"""A person's place at the terminal: shows the table and the options, and asks for an action.

Enters: a session, a seat. Leaves: the action that a person chose there, or None when the session was changed (undone,
loaded). With several people the terminal is passed on: the screen of one is cleared before the next looks, unless the
game has no secrets.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType

from rulelang.cli.console import EscapedText
from rulelang.cli.files import write_whole
from rulelang.cli.play import commands, layout
from rulelang.cli.play.layout import TableSections, ended, wrapped
from rulelang.cli.play.options import LEAVE, NumberedAction, OptionMenu
from rulelang.cli.play.saves import free_name, save_text
from rulelang.cli.play.screen import Screen
from rulelang.cli.play.seats import company
from rulelang.cli.play.sheet import score_sheet
from rulelang.cli.play.terminal import Terminal
from rulelang.game import Action
from rulelang.game.state import option_words
from rulelang.runtime.sight import has_secrets
from rulelang.session import PERSON, Session
from rulelang.table.names import Names
from rulelang.table.recent_events import doings
from rulelang.table.sheet import ending, sheet
from rulelang.table.view import lying
from rulelang.words.phrases import capital

BULLET = "• "
PIPED_ROWS = 40
"""Rows of options on a page, without a window."""
PIPED_TABLE = 24
"""Most lines of the table, without a window."""
LEAST_OPTIONS, LEAST_NEWS = 6, 3
"""Lines of a window that options and news have before the other parties and shared zones have theirs."""
LEAST_OUTPUT = 8
"""Lines that the output of a command needs, to leave the reader's own things in sight."""
SHORT_PANE = 4
"""Longest output of a command that stands below the table; longer output replaces it."""


class Desk:
    """The terminal that people share, one after the other.

    Attributes:
        front: the seat whose view is on the screen. seat, options: the acting player and the options.
        since: seat (None: an omniscient reader) -> the first event that it was not told.
        preparing: tells whether native code for the bots is still being made.
        cites: whether commands tell where in the rules and the rulebook something stands.
    """

    def __init__(self, session: Session, terminal: Terminal, lang: str) -> None:
        self.terminal = terminal
        self.lang = lang
        self.front: int | None = None
        self.cites = False
        self.preparing: Callable[[], bool] = lambda: False
        self._welcome: list[EscapedText] = []
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
        self.options = OptionMenu((), self.names)
        self._listed: Sequence[NumberedAction] = ()
        self._page_start = self._next_page = self._pane_rest = 0
        self._pane: list[str] = []
        self._moves: list[list[EscapedText]] = []
        self._question = ""

    def greet(self) -> None:
        """Tell which game is played, by whom, and what can be typed; in a window with the first question."""
        state = self.session.state
        tables = state.ruleset.program.options
        defaults = state.ruleset.option_names([table.suiting(state.players)[0] for table in tables])
        changed = {name: value for name, value in state.options.items() if value != defaults[name]}
        chosen = f" ({option_words(changed)})" if changed else ""
        title = f"{self.texts('game', title=self.names.title, players=state.players)}{chosen} · {company(self)}"
        seed = "" if self.session.record.scenario else f" {self.texts('seed_told', seed=self.session.seed)}"
        self._welcome = [EscapedText(title.removesuffix(" · "), "bold"), EscapedText(f"{self.texts('welcome')}{seed}")]
        if self.terminal.height is None:
            self.terminal.show(Group(*self._welcome))

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
        if self.front is not None and self._show_outcome(self.front, seat):
            answer = self.terminal.ask("> ")
            if commands.meant(self, answer)[0] == "undo" and commands.run(self, answer) == commands.CHANGED:
                return False
        self.terminal.forget()
        if self.terminal.live:
            self.terminal.ask(self.texts("press_enter", seat=name) + " ")
        else:
            self.terminal.say(f"---- {self.texts('separator', seat=name)} ----")
        self.front, self._last_table = seat, None
        return True

    def _show_outcome(self, seat: int, following: int) -> bool:
        """Show a seat what its choice has led to before the screen is passed on; return whether to wait for Enter."""
        self.seat = self.names.reader = seat
        if self.terminal.height is None:
            self.tell(seat)
            return False
        if self.since[seat] == self.session.state.event_count(seat):
            return False
        self.options, self._pane = OptionMenu((), self.names), []
        self._question = self.texts("pass_on", seat=self.names.seat(following))
        self.since[seat] = self.since_choice(seat)
        self._moves = self._news(seat, brief=True)
        self.list_options()
        self._draw(self.terminal.height)
        return True

    # ---- showing

    @property
    def screen(self) -> Screen:
        """Return the screen in the window's current width."""
        state = self.session.state
        return Screen(state.ruleset, self.names, self.terminal.width, self.names.stage(state.stage()))

    def _news(self, seat: int | None, brief: bool = False) -> list[list[EscapedText]]:
        """Return the events since the last call for a seat (None: all events) as wrapped paragraphs.

        Args:
            brief: leave out what the table shows.
        """
        session, width = self.session, self.terminal.width
        notes = self._notes.pop(seat, []) if seat is not None else []
        events = session.story(seat, self.since[seat], self.lang)
        news = doings(session.state, seat, events, self.lang, brief=brief)
        self.since[seat] = session.state.event_count(seat)
        texts = [EscapedText(note, "dim") for note in notes]
        texts += [EscapedText(f"{BULLET}{doing.text}", "dim" if doing.seat == seat else "") for doing in news]
        return [wrapped(text, width) for text in texts]

    def since_choice(self, seat: int) -> int:
        """Return the first event that a seat learnt of after its person's last decision, or of the session."""
        chosen = [n for n, moment in enumerate(self.session.moments) if moment.seat == seat and moment.by == PERSON]
        return self.session.before(chosen[-1] if chosen else 0).event_count(seat)

    def _last_moves(self, rows: int) -> list[EscapedText]:
        """Return the news in at most `rows` lines: whole, or the beginning of each paragraph."""
        lines = [line for paragraph in self._moves for line in paragraph]
        if len(lines) <= rows:
            return lines
        shown = self._moves[-rows:]
        counts = [1] * len(shown)
        for number in [*range(len(shown))] * max(map(len, shown)):
            if sum(counts) < rows and counts[number] < len(shown[number]):
                counts[number] += 1
        texts: list[EscapedText] = []
        for paragraph, count in zip(shown, counts, strict=True):
            texts += paragraph[:count]
            if count < len(paragraph) and paragraph is not shown[-1]:
                texts[-1] = ended(texts[-1], "…", self.terminal.width)
        return [*texts[:-1], ended(texts[-1], self.texts("more_news"), self.terminal.width)]

    def tell(self, seat: int | None) -> bool:
        """Print the events since last told; return whether there were any."""
        paragraphs = self._news(seat)
        if paragraphs:
            self.terminal.show(Group(*(line for paragraph in paragraphs for line in paragraph)))
        return bool(paragraphs)

    def wait(self, text: str) -> None:
        """Tell at once why the next thing takes long."""
        if self.terminal.live:
            self.terminal.say(self.texts(text), "dim")
            self.terminal.release()

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

    def seen(self) -> dict[str, Any]:
        """Return what the seat sees now, with what is told of pieces."""
        state = self.session.state
        return state.observation(self.seat) | {"shown": state.shown(self.seat)}

    def board(self) -> None:
        """Show the whole table as the seat sees it, nothing folded."""
        self.terminal.show(Group(*self.screen.full(self.seen(), self.seat)))

    def list_options(self, options: Sequence[NumberedAction] | None = None) -> None:
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
            count = sum(option.number != LEAVE for option in self._listed)
            note = self._note("some_options", shown=count, count=count)
            lines, self._next_page = self.options.page(self._listed, self._page_start, width, rows - len(note))
            lines += self._note("some_options", shown=self._next_page or count, count=count)
        return Group(*lines), len(lines)

    def _note(self, name: str, **fields: object) -> list[EscapedText]:
        """Return a text of the terminal itself, wrapped."""
        return wrapped(EscapedText(self.texts(name, **fields), "dim"), self.terminal.width)

    def _draw(self, height: int) -> None:
        """Draw one screen of `height` rows: table or output, last moves, question, options."""
        terminal = self.terminal
        seen = self.seen()
        question = wrapped(EscapedText(self._question, "bold"), terminal.width)
        pane = self._pane if len(self._pane) <= SHORT_PANE else []
        room = height - 1 - len(question) - len(pane)
        table = self.screen.table(seen, self.seat, self.options.named, self.options.told)
        rows = self._rows(table, room)
        options, taken = self._page(rows["options"])
        moves = self._last_moves(rows["news"])
        room -= taken + len(moves)
        self._pane_rest = 0
        if self._pane and not pane:
            own = terminal.lines_of(Group(*table.own())) if room >= LEAST_OUTPUT else []
            room -= len(own)
            lines = self._pane
            if len(lines) > room:
                self._pane_rest = room - len(self._note("more_lines", count=len(lines)))
                note = Group(*self._note("more_lines", count=len(lines) - self._pane_rest))
                lines = [*lines[: self._pane_rest], *terminal.lines_of(note)]
            lines = [*lines, *own]
        else:
            lines = [*terminal.lines_of(Group(*table.lines(room))), *pane]
        lines += terminal.lines_of(Group(*moves, *question, options))
        terminal.clear()
        terminal.write(lines)

    def _rows(self, table: TableSections, room: int) -> dict[str, int]:
        """Return how many lines of `room` table, options and news have: each claim in turn what is left, the most
        important first."""
        width, few = self.terminal.width, self._listed[: room * room]
        packed = len(self.options.lines(few, width, True))
        heights = {
            "table": table.height(layout.EMPTY),
            "options": self._page(room)[1],
            "news": sum(map(len, self._moves)),
        }
        claims = [
            ("options", self._page(2)[1]), ("news", 1), ("table", table.height(layout.GRID)),
            ("options", min(LEAST_OPTIONS, packed)), ("news", LEAST_NEWS), ("table", table.height(layout.OTHERS)),
            ("options", min(room // 2, packed)), ("news", room // 5), ("table", table.height(layout.OPEN)),
            ("options", room // 2), ("news", room), ("table", room), ("options", room),
        ]  # fmt: skip
        rows = dict.fromkeys(heights, 0)
        for name, most in claims:
            rows[name] = max(rows[name], min(most, heights[name], room - sum(rows.values()) + rows[name]))
        return rows

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
        self.options = OptionMenu(decision.choices, self.names, lying(state.ruleset, self.seen()))
        self._question = decision.question_in(self.lang)
        if self.terminal.height is None:
            self._print()
        else:
            self.since[seat] = self.since_choice(seat)
            self._moves = self._news(seat, brief=True)
            self.list_options()
            self._pane = self.terminal.lines_of(Group(*self._welcome)) if self._welcome else []
            self._welcome = []
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
        seen = self.seen()
        if _visible_table(seen) != self._last_table:
            self._last_table = _visible_table(seen)
            table = self.screen.table(seen, self.seat, self.options.named, self.options.told)
            self.terminal.show(Group(*table.lines(PIPED_TABLE)))
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
            self._notes[self.seat] += [text.plain for text in captured if isinstance(text, EscapedText)]
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


def _visible_table(seen: dict[str, Any]) -> object:
    """Return the part of an observation that the table shows."""
    return seen["zones"], seen["variables"], seen.get("sizes"), seen.get("pieces"), seen["turn"]
