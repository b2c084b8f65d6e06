"""Takes the pictures of the games and of the studio: `python docs/tables.py`, with Chromium and playwright, hence in no
test.

Enters: a table of games, and how many choices each has behind it. Leaves: `docs/_static/table-NAME.webp`, what the
seat sees that is asked (bots play the game from a seed, a server goes on from its record), and `studio.webp`.
"""

from __future__ import annotations

import base64
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import game_pages
from playwright.sync_api import sync_playwright

import rulelang
from rulelang.session import Session
from tests.studio.browsers import studio, write_and_play
from tests.web.browsers import ARGUMENTS, CHROMIUM, invited, seated, serving

FOLDER = Path(__file__).parent / "_static"
BOT, SEED = "mcts:200", 7
WIDTH, HEIGHT = 1280, 800
MOST = 80_000
"""Bytes of a picture."""
STUDIO = "studio"
GAMES = dict.fromkeys(game_pages.names(), (None, 12)) | {
    "reco": (3, 30),
    "ldd": (3, 60),
    "imaginarium": (3, 120),
    "droids": (2, 40),
}
"""How many players play, and how many choices they have made at least; None: as few as there may be."""
OPTIONS = 3
"""So many has whoever is asked, if there were ever as many, so that there is something to see."""


def record(game: str, players: int | None, choices: int) -> tuple[int, int, str]:
    """Return how many play, who is asked in the middle of a game, and its record; the last choice of a short game."""
    state = rulelang.load(game).new_game(players, SEED)
    session = Session.new(state, SEED, dict.fromkeys(range(state.players), BOT))
    most, shown = 0, (state.players, 0, "")
    while not shown[2] or len(session.record.steps) < choices:
        if session.state.is_terminal():
            break
        (seat, *_) = session.state.current_players()
        offered = len(session.state.legal_actions(seat))
        most = max(most, offered)
        if offered >= min(OPTIONS, most):
            shown = state.players, seat, session.record.to_json()
        session.choose_automatically(seat)
    return shown


def main() -> None:
    """Take all pictures, or those of the games that are named, in the best quality that is small enough."""
    chosen = {name: GAMES[name] for name in sys.argv[1:] or GAMES if name != STUDIO}
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        for name in chosen:
            players, seat, text = record(name, *chosen[name])
            links = invited(browser.new_page(locale="en"), address, name, players, {}, text)
            (person,) = seated(browser, [links[seat]], "en", ["mouse"], width=WIDTH, height=HEIGHT)
            person.look()
            take(person.page, f"table-{name}")
        if STUDIO in (sys.argv[1:] or [STUDIO]):
            with studio(Path(folder) / "reco") as link:
                page = browser.new_page(locale="en", viewport={"width": WIDTH, "height": HEIGHT}, bypass_csp=True)
                write_and_play(page, link)
                take(page, STUDIO)
        browser.close()


def take(page: Any, name: str) -> None:
    """Take a picture of a page, in the best quality that is small enough."""
    tab = page.context.new_cdp_session(page)
    for quality in range(90, 0, -10):
        shot = tab.send("Page.captureScreenshot", {"format": "webp", "quality": quality})
        picture = base64.b64decode(shot["data"])
        if len(picture) <= MOST:
            break
    (FOLDER / f"{name}.webp").write_bytes(picture)


if __name__ == "__main__":
    main()
