"""The screens of the shipped games in a window: they fit, and what matters is in sight."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from rulelang.cli.play.desk import Desk
from rulelang.cli.play.terminal import Terminal
from rulelang.session import Session
from tests.shipped import shipped

SMALL, LARGE = (80, 24), (100, 30)


class Screens(Terminal):
    """A window of a given size that keeps what it is told to show, and types what it is told."""

    def __init__(self, width: int, height: int, typed: list[str]) -> None:
        super().__init__()
        self.console.width, self.console.height, self.live = width, height, True
        self.typed, self.shown = typed, []  # type: tuple[list[str], list[list[str]]]

    def write(self, lines: object) -> None:
        assert isinstance(lines, list)
        self.shown.append([line.replace("\u00a0", " ") for line in lines])

    def clear(self) -> None:
        """Nothing to clear."""

    def ask(self, prompt: str) -> str:
        self.shown[-1].append(prompt)
        first = "1" if any(re.match(r" +1  ", line) for line in self.shown[-1]) else "0"
        return self.typed.pop(0) if self.typed else first


def screens(name: str, players: int, size: tuple[int, int], seat: int = 0, moves: int = 12) -> Iterator[list[str]]:
    """The screens of the first moves of a game, the person choosing the first option or typing what is set."""
    state = shipped(name).new_game(players, 3)
    who = dict.fromkeys(range(len(state.parties)), "random") | {seat: "human"}
    desk = Desk(Session.new(state, 3, who), Screens(*size, typed=[]), "fr")
    for _ in range(moves):
        session = desk.session
        if session.state.is_terminal():
            return
        asked = session.state.current_players()[0]
        if not session.choose_automatically(asked):
            action = desk.ask(asked)
            assert action is not None
            session.choose(action, asked)
            assert isinstance(desk.terminal, Screens)
            yield desk.terminal.shown[-1]


@pytest.mark.parametrize(
    ("name", "players", "seat", "size"),
    [("ldd", 1, 0, LARGE), ("ldd", 4, 1, SMALL), ("imaginarium", 5, 1, SMALL), ("imaginarium", 2, 0, LARGE)],
)
def test_every_screen_fits(name: str, players: int, seat: int, size: tuple[int, int]) -> None:
    """No line too wide, no screen too high; the title names the round, the options and the prompt are there."""
    for shown in screens(name, players, size, seat):
        assert len(shown) <= size[1]
        assert max(map(len, shown)) <= size[0]
        assert "tour de jeu" in shown[0]
        assert shown[-1] == "vous> "
        assert any(re.match(r" +\d+  ", line) for line in shown)


def test_what_a_screen_of_two_players_says() -> None:
    """Season and round, cards with what stands on them, options that name the card, 0 for being done; nothing of the
    second stack, which only four players have."""
    first, trade, *_ = screens("ldd", 2, LARGE)
    assert "saison I · tour de jeu 1" in first[0]
    text = "\n".join(first)
    assert "droïde 11 (collecte) — coût 1 écrou et 1 circuit · gain 2 circuits · 1 PR" in text
    assert not any(word in text for word in ("second", "Auto-Écomécano"))
    assert "── Vous ─" in text
    assert "  0  terminer les échanges" in trade
    assert any(line.startswith("• ") for line in trade), "the last moves"
    acts = [line for shown in screens("ldd", 2, LARGE) for line in shown if "réparer le droïde" in line]
    assert acts


def test_the_board_pages() -> None:
    """`board` shows all of the table, a page at a time; Enter turns the page and then shows the table again."""
    state = shipped("ldd").new_game(2, 3)
    terminal = Screens(80, 24, ["board", "", "", "", "1"])
    desk = Desk(Session.new(state, 3, {0: "human", 1: "random"}), terminal, "fr")
    assert desk.ask(state.current_players()[0]) is not None
    assert all(len(shown) <= 24 for shown in terminal.shown)
    assert sum(any("encore" in line for line in shown) for shown in terminal.shown) >= 2
    option = "  2  donner le droïde 11 (collecte) — coût 1 écrou et 1 circuit"
    assert all(any(line.startswith(option) for line in shown) for shown in terminal.shown), "options stay in sight"
