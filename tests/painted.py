"""What terminal and browser show of positions of seeded games.

`python -m tests.painted FOLDER [POSITIONS]` writes all of it there. The folders of two versions are compared with
`diff -r`: a change that is to change no screen and no page changes no byte.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path

from rulelang.cli.console import Console
from rulelang.cli.play.options import OptionMenu
from rulelang.cli.play.screen import Screen
from rulelang.game import Ruleset, State
from rulelang.table.names import Names
from rulelang.table.view import lying
from rulelang.web.table import part
from tests.shipped import conformance, shipped
from tests.web.views import view_of

GAMES = (("reco", 4), ("ldd", 2), ("imaginarium", 3), ("droids", 3))
SMALL = ("tiles", "connect", "push", "machine", "tricks", "tictactoe")
"""Games of the conformance suite with boards of all shapes, edges, marks, automata."""
SIZES = ((100, 30), (80, 24))
LANGUAGES = ("en", "fr")
ASKED = 10
"""Rows of a window that the question and the options take."""


def positions(ruleset: Ruleset, players: int | None, count: int, seed: int = 1) -> Iterator[tuple[int, State]]:
    """Yield so many positions of a random game, and how many choices came before each."""
    rng = random.Random(seed)
    state, moments = ruleset.new_game(players, seed), [0]
    line = []
    while not state.is_terminal():
        seat = state.current_players()[0]
        decision = state.decision(seat)
        assert decision is not None
        line.append((seat, rng.choice(decision.choices).id))
        state.apply(line[-1][1], player=seat)
    moments = sorted({round(n * len(line) / (count - 1)) for n in range(count)})
    state = ruleset.new_game(players, seed)
    for number in range(len(line) + 1):
        if number in moments:
            yield number, state
        if number < len(line):
            state.apply(line[number][1], player=line[number][0])


def screens(state: State, seat: int, lang: str) -> Iterator[str]:
    """Yield the terminal's screens of a seat: fitted to windows, whole, its options."""
    names = Names(state, lang, seat)
    seen = state.observation(seat) | {"shown": state.shown(seat)}
    decision = state.decision(seat) if seat in state.current_players() else None
    options = OptionMenu(decision.choices if decision else (), names, lying(state.ruleset, seen))
    for width, height in SIZES:
        console = Console(width=width, force_terminal=True, color_system="standard", highlight=False, markup=False)
        screen = Screen(state.ruleset, names, width, names.stage(state.stage()))
        for lines in (
            screen.table(seen, seat, options.named, options.told).lines(height - ASKED),
            screen.full(seen, seat),
            options.page(options.all, 0, width, ASKED)[0],
        ):
            with console.capture() as capture:
                for line in lines:
                    console.print(line)
            yield capture.get()


def pages(state: State, seat: int, lang: str) -> Iterator[str]:
    """Yield the pages of a seat: the table, and after the first thing is picked; cards."""
    view = view_of(state, seat, lang)
    yield part(view, "") or ""
    decision = view.decision
    if decision is not None:
        action = decision.choices[-1]
        picks = [f"{p.name}={p.value}@{p.zone}" if p.zone else f"{p.name}={p.value}" for p in action.parts]
        yield part(view_of(state, seat, lang, picks=picks[:1]), "table") or ""
    yield part(view, "sheet") or ""


def write(folder: Path, count: int = 20) -> None:
    """Write all screens and pages of all games into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    games: list[tuple[str, Ruleset, int | None]] = [(name, shipped(name), players) for name, players in GAMES]
    games += [(name, conformance(name), None) for name in SMALL]
    for name, ruleset, players in games:
        for number, state in positions(ruleset, players, count):
            for seat in range(state.players):
                for lang in LANGUAGES:
                    stem = f"{name}-{number:04}-{seat}-{lang}"
                    (folder / f"{stem}.txt").write_text("\n".join(screens(state, seat, lang)), encoding="utf-8")
                    (folder / f"{stem}.html").write_text("\n".join(pages(state, seat, lang)), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]), *map(int, sys.argv[2:]))
