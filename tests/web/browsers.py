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

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
SECONDS = 5.0
"""So long a page may take to show what somebody did."""
ENOUGH = 0.4
"""How often somebody has done enough who may do more."""
FOREVER = 1 << 30
MISSED = 5
"""So many things may go away under a hand, one after the other."""
WATCHED = """
window.swaps = 0;
document.addEventListener('htmx:after:swap', () => { window.swaps += 1; });
window.person = {
  things: () => [...document.querySelectorAll('#table button[name=pick], #table button[name=id]')]
    .filter((thing) => thing.checkVisibility()),
  // Where the thing that a person wants is hit: `leave` and `which` are drawn, from 0 to 1. Nothing if it can't be hit.
  aim(leave, which, enough) {
    const things = person.things();
    const named = (id) => things.find((thing) => thing.id === id);
    const thing = named('confirm') || (leave < enough && named('leave')) || things[Math.floor(which * things.length)];
    for (const block of thing ? ['nearest', 'center', 'start', 'end'] : []) {
      thing.scrollIntoView({ block, inline: 'nearest', behavior: 'instant' });
      const box = thing.getBoundingClientRect();
      const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
      if (thing.contains(document.elementFromPoint(x, y))) return [x, y];
    }
    return null;
  },
  // The table as it is once it was swapped more often than `swaps`, or once `seconds` are over.
  swapped: (swaps, seconds) => new Promise((resolve) => {
    const told = () => {
      const is = (name) => document.querySelector('#table').hasAttribute(name);
      const turn = [...document.querySelectorAll('.player')].findIndex((one) => one.classList.contains('turn'));
      const lost = document.activeElement === document.body;
      return { swaps: window.swaps, asked: is('data-turn'), over: is('data-over'), turn, lost };
    };
    const end = () => { clearTimeout(timer); document.removeEventListener('htmx:after:swap', look); resolve(told()); };
    const look = () => { if (window.swaps > swaps) end(); };
    const timer = setTimeout(end, seconds * 1000);
    document.addEventListener('htmx:after:swap', look);
    look();
  }),
};
"""
"""What a page does for its person: one question and one answer for each thing that is done."""


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

    def look(self, swaps: int = -1, seconds: float = SECONDS) -> Any:
        """The page once it was swapped more than so often, or after so many seconds: `swaps`, `asked`, `over`, `turn`,
        the number of the seat that plays, and `lost`, whether nothing has the focus."""
        return self.page.evaluate(f"person.swapped({swaps}, {seconds})")

    def act(self, swaps: int) -> Any:
        """Choose something, or confirm what is chosen; the page once it has answered."""
        seen = self.look(swaps) if self._reach() else self.look()
        # What was meant may go away meanwhile: what others did comes in, and a card is hit that shows its details.
        self.missed = self.missed + 1 if seen["swaps"] == swaps else 0
        assert self.missed < MISSED, f"the page does not answer: {self.page.url}"
        assert self.hand != "keyboard" or self.missed or not seen["lost"], "a choice takes the focus away"
        return seen

    def _reach(self) -> bool:
        """Click, tap or press Enter on something that can be chosen; whether it was there and could be hit."""
        if self.missed:
            self.page.keyboard.press("Escape")
        if self.hand == "keyboard":
            self._type()
            return True
        point = self.page.evaluate(f"person.aim({self.random.random()}, {self.random.random()}, {ENOUGH})")
        if point is not None:
            (self.page.touchscreen.tap if self.hand == "finger" else self.page.mouse.click)(*point)
        return point is not None

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
        page.add_init_script(WATCHED)
        page.goto(link)
        people.append(Person(page, hand, seed + seat))
    return people


def play(people: Sequence[Person], clicks: int) -> int:
    """Play until all pages say that the game is over, or so many clicks; how many there were."""
    person, number, idle = people[0], 0, 0
    seen = person.look()
    while number < clicks:
        if seen["asked"]:
            seen = person.act(seen["swaps"])
            number, idle = number + 1, 0
        elif seen["over"] and all(other.look()["over"] or other.look(FOREVER, 1)["over"] for other in people):
            return number
        else:  # whoever plays now is asked; until that page knows it too, it is looked at again
            assert (idle := idle + 1) < MISSED * len(people), "nobody is asked and the game is not over"
            person = people[seen["turn"]] if 0 <= seen["turn"] < len(people) else person
            seen = person.look()
            if not (seen["asked"] or seen["over"]):
                seen = person.look(seen["swaps"])
    return clicks
