"""Browsers at one table: a server, pages of all seats, and people who choose at random until the game is over.

A person prefers what finishes a choice; what they choose is drawn from a seed.
"""

from __future__ import annotations

import random
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Error

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
SECONDS = 5.0
"""So long a page may take to show what somebody did."""
ENOUGH = 0.4
"""How often somebody has done enough who may do more."""
MISSED = 5
"""So many things may go away under a hand, one after the other."""
THINGS = "#table button[name=pick], #table button[name=id]"
COUNT_SWAPS = "window.swaps = 0; document.addEventListener('htmx:after:swap', () => { window.swaps += 1; });"


@contextmanager
def serving(folder: Path, *paths: str) -> Iterator[str]:
    """The address of a server with a database of its own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "rulelang", "serve", *paths, "--port", str(port), "--workers", "1"]
    process = subprocess.Popen([*command, "--database", str(folder / "games.sqlite")], stdout=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        until = time.monotonic() + 60
        while True:
            try:
                urllib.request.urlopen(f"{address}/static/app.css", timeout=60).close()
                break
            except (urllib.error.URLError, ConnectionError):
                assert time.monotonic() < until, "the server does not answer"
                time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.wait(20)


class Person:
    """Somebody at a page, who uses a `mouse`, a `finger` or only the `keyboard`."""

    def __init__(self, page: Any, hand: str, seed: int) -> None:
        self.page, self.hand, self.random = page, hand, random.Random(seed)
        self.faults: list[str] = []
        self.missed = 0
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda said: self.faults.append(said.text) if said.type == "error" else None)

    @property
    def asked(self) -> bool:
        """Whether it is this person's turn."""
        return bool(self.page.evaluate("document.querySelector('#table').hasAttribute('data-turn')"))

    @property
    def over(self) -> bool:
        """Whether the page says that the game is over."""
        return bool(self.page.evaluate("document.querySelector('#table').hasAttribute('data-over')"))

    def act(self) -> None:
        """Choose something, or confirm what is chosen, and wait until the page has answered."""
        swaps = self.page.evaluate("window.swaps")
        if self._reach():
            until = time.monotonic() + SECONDS
            while self.page.evaluate("window.swaps") == swaps and time.monotonic() < until:
                time.sleep(0.01)
        # What was meant may go away meanwhile: what others did comes in.
        self.missed = self.missed + 1 if self.page.evaluate("window.swaps") == swaps else 0
        assert self.missed < MISSED, f"the page does not answer: {self.page.url}"

    def _reach(self) -> bool:
        """Click, tap or press Enter on something that can be chosen; whether it was there."""
        if self.hand == "keyboard":
            self._type()
            return True
        things = self.page.evaluate(
            f"[...document.querySelectorAll('{THINGS}')].filter(e => e.getClientRects().length).map(e => e.id)"
        )
        if "leave" in things and self.random.random() < ENOUGH:
            things = ["leave"]
        if not things:
            return False
        wanted = self.page.locator(f'[id="{"confirm" if "confirm" in things else self.random.choice(things)}"]')
        try:
            (wanted.tap if self.hand == "finger" else wanted.click)(timeout=2000)
        except Error:
            return False
        return True

    def _type(self) -> None:
        """Arrows from one thing to the next, Enter; where something is picked whole, Enter again."""
        keys = self.page.keyboard
        if self.page.evaluate("document.activeElement.id") != "confirm":
            for _ in range(self.random.randint(1, 6)):
                keys.press(self.random.choice(["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"]))
        keys.press("Enter")


def invited(page: Any, address: str, ruleset: str, players: int, settings: Mapping[str, str]) -> list[str]:
    """Make a game by the form of the lobby; the links of its seats."""
    page.goto(address)
    page.click(f"a[href='/new/{ruleset}']")
    page.select_option("select[name=players]", str(players))
    for name, value in settings.items():
        page.select_option(f"select[name='{name}']", value)
    page.click("main form button.main")
    page.wait_for_selector("a[href*='/join/']")
    return [link.get_attribute("href") for link in page.query_selector_all("a[href*='/join/']")]


def seated(
    browser: Any,
    links: Sequence[str],
    lang: str,
    hands: Sequence[str],
    seed: int = 1,
    width: int = 1440,
    height: int = 900,
    scheme: Any = "light",
) -> list[Person]:
    """A person in a browser of their own for each link."""
    people = []
    for seat, link in enumerate(links):
        hand = hands[seat % len(hands)]
        context = browser.new_context(
            locale=lang, viewport={"width": width, "height": height}, color_scheme=scheme, has_touch=hand == "finger"
        )
        page = context.new_page()
        page.add_init_script(COUNT_SWAPS)
        page.goto(link)
        people.append(Person(page, hand, seed + seat))
    return people


def play(people: Sequence[Person], clicks: int) -> int:
    """Play until all pages say that the game is over, or so many clicks; how many there were."""
    until = time.monotonic() + SECONDS
    number = 0
    while number < clicks:
        person = next((person for person in people if person.asked), None)
        if person is not None:
            person.act()
            number += 1
            until = time.monotonic() + SECONDS
        elif all(person.over for person in people):
            return number
        else:
            assert time.monotonic() < until + 2 * SECONDS, "nobody is asked and the game is not over"
            time.sleep(0.02)
    return clicks
