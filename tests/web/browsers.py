"""Browsers at one table: a server, pages of all seats, and people who play until the game is over.

A person chooses at random, prefers what finishes a choice, and what they choose is drawn from a seed; or people follow
a plan, a game that bots have played before. What they choose they reach as people do: by scrolling and hitting it, or
from key to key.
"""

from __future__ import annotations

import json
import logging
import random
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from rulelang import load
from rulelang.game.choosing import PickedAction
from rulelang.record import Record
from rulelang.session import Session

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
WATCHED = """
window.swaps = 0;
document.addEventListener('htmx:after:swap', () => { window.swaps += 1; });
window.person = {
  things: () => [...document.querySelectorAll('#table button[name=pick], #table button[name=id]')]
    .filter((thing) => thing.checkVisibility()),
  picks: () => [...document.querySelectorAll('#pick input')].map((input) => input.value),
  // What is wanted of somebody who chooses at random: `leave` and `which` are drawn, from 0 to 1.
  any(leave, which, enough) {
    const things = person.things();
    const named = (id) => things.find((thing) => thing.id === id);
    return named('confirm') || (leave < enough && named('leave')) || things[Math.floor(which * things.length)];
  },
  // What is wanted of somebody who wants the option `id`: to confirm it, one of its parts that is not picked, its
  // sentence, or the list of all sentences; `which` is drawn, from 0 to 1.
  toward(which, id, parts) {
    const left = [...parts];
    for (const pick of person.picks()) {
      if (!left.includes(pick)) return document.querySelector('[data-back]');
      left.splice(left.indexOf(pick), 1);
    }
    const said = person.things().filter((thing) => thing.name === 'id' && thing.value === id);
    const lit = person.things().filter((thing) => thing.name === 'pick' && left.includes(thing.value));
    const all = said[0]?.id === 'confirm' ? said : [...lit, ...said];
    return all[Math.floor(which * all.length)] || document.querySelector('#all:not([open]) summary');
  },
  // Want something: whether that is an option, where it is hit, if it is there and can be, and what the page shows.
  want(thing) {
    person.goal = thing;
    person.tried = new Map();
    person.lost = false;
    const wanted = { chooses: thing?.name === 'id', point: null, seen: person.told() };
    for (const block of thing ? ['nearest', 'center', 'start', 'end'] : []) {
      thing.scrollIntoView({ block, inline: 'nearest', behavior: 'instant' });
      const box = thing.getBoundingClientRect();
      const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
      if (thing.contains(document.elementFromPoint(x, y))) return { ...wanted, point: [x, y] };
    }
    return wanted;
  },
  // The next key on the way to what is wanted: the arrow that leads there, the other one if that did not, else Tab.
  key() {
    const [from, goal] = [document.activeElement, person.goal];
    if (!goal?.isConnected) return null;
    if (from === goal) return 'Enter';
    const [at, to] = [from.getBoundingClientRect(), goal.getBoundingClientRect()];
    const [x, y] = [to.left + to.width / 2 - at.left - at.width / 2, to.top + to.height / 2 - at.top - at.height / 2];
    const ways = [x < 0 ? 'ArrowLeft' : 'ArrowRight', y < 0 ? 'ArrowUp' : 'ArrowDown'];
    if (Math.abs(y) > Math.abs(x)) ways.reverse();
    const tried = person.tried.get(from) || 0;
    person.tried.set(from, tried + 1);
    person.lost ||= tried >= ways.length || !person.things().includes(goal);
    const before = from !== document.body && goal.compareDocumentPosition(from) & Node.DOCUMENT_POSITION_FOLLOWING;
    return person.lost ? (before ? 'Shift+Tab' : 'Tab') : ways[tried];
  },
  told() {
    const table = document.querySelector('#table');
    return {
      swaps: window.swaps, asked: 'turn' in table.dataset, over: 'over' in table.dataset,
      shown: JSON.stringify([table.dataset.stamp, person.picks(), document.querySelector('#all')?.open]),
      turn: [...document.querySelectorAll('.player')].findIndex((one) => one.classList.contains('turn')),
      lost: document.activeElement === document.body, refused: !!document.querySelector('.state [role=alert]'),
    };
  },
  // The table as it is once it shows something else than `shown`, or once `seconds` are over.
  changed: (shown, seconds) => new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      document.removeEventListener('htmx:after:swap', look);
      resolve(person.told());
    };
    const look = () => { if (person.told().shown !== shown) end(); };
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
        self.missed = self.keys = 0
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda said: self.faults.append(said.text) if said.type == "error" else None)
        page.on("framenavigated", lambda frame: self.faults.append(f"loaded whole: {frame.url}"))

    def look(self, shown: str = "", seconds: float = SECONDS) -> Any:
        """The page once it shows something else, or after so many seconds: `shown`, how many `swaps` there were,
        `asked`, `over`, `turn`, the number of the seat that plays, `lost`, whether nothing has the focus, `refused`,
        whether it says that something went wrong."""
        return self.page.evaluate(f"person.changed({json.dumps(shown)}, {seconds})")

    def act(self) -> Any:
        """Choose something at random, or confirm what is chosen; the page once it has answered."""
        return self._do(f"person.any({self.random.random()}, {self.random.random()}, {ENOUGH})")[1]

    def choose(self, option: PickedAction) -> None:
        """Choose an option by its parts or its sentence, as it comes; once more where it was refused as too late."""
        option_ = f"{json.dumps(option.action.id)}, {json.dumps(list(option.tokens.elements()))}"
        for _ in range(MISSED * (1 + option.tokens.total())):
            chosen, seen = self._do(f"person.toward({self.random.random()}, {option_})")
            if chosen and not self.missed and not seen["refused"]:
                return
        raise AssertionError(f"`{option.action.id}` can't be chosen: {self.page.url}")

    def _do(self, wanted: str) -> tuple[bool, Any]:
        """Click, tap or press Enter on what a script finds; whether that is an option, and the page once it shows
        something else than before. What is not there, or can't be hit, is left alone."""
        if self.missed:
            self.page.keyboard.press("Escape")
        goal = self.page.evaluate(f"person.want({wanted})")
        typed = self.hand == "keyboard" and self._type()
        if self.hand != "keyboard" and goal["point"]:
            (self.page.touchscreen.tap if self.hand == "finger" else self.page.mouse.click)(*goal["point"])
        seen = self.look(goal["seen"]["shown"])
        # What was meant may go away meanwhile: what others did comes in, and a card is hit that shows its details.
        self.missed = self.missed + 1 if seen["shown"] == goal["seen"]["shown"] else 0
        assert self.missed < MISSED, f"the page does not answer: {self.page.url}"
        assert not (typed and seen["lost"]) or self.missed, "a choice takes the focus away"
        return goal["chooses"], seen

    def _type(self) -> bool:
        """Go from one thing to the next with the keys that lead to what is wanted, then press Enter; whether it is
        still there."""
        key = ""
        while key != "Enter" and (key := self.page.evaluate("person.key()")):
            self.page.keyboard.press(key)
            self.keys += 1
        return key == "Enter"


@dataclass(frozen=True)
class Plan:
    """A game that bots have played: its record, the seat and the option of each choice."""

    record: Record
    options: tuple[tuple[int, PickedAction], ...]

    @property
    def start(self) -> str:
        """The record of the game before the first choice."""
        return replace(self.record, steps=[], scores=None, winners=None).to_json()


@cache
def planned(game: str, players: int, bot: str, seed: int) -> Plan:
    """A whole game of bots, whose choices people can make on pages."""
    session = Session.new(load(game).new_game(players, seed), seed, dict.fromkeys(range(players), bot))
    options = []
    while not session.state.is_terminal():
        seat, before = session.state.current_players()[0], session.state.clone()
        session.choose_automatically(seat)
        options.append((seat, PickedAction.of(before.legal(session.record.steps[-1].id, seat))))
    return Plan(session.record, tuple(options))


def invited(
    page: Any, address: str, ruleset: str, players: int, settings: Mapping[str, str], record: str = ""
) -> list[str]:
    """Make a game by the form of the lobby, or have one go on from a record; the links of its seats."""
    page.goto(address)
    page.click(f"a[href='/new/{ruleset}']")
    page.click(f".counts a[href='?players={players}']")  # once it is loaded
    page.evaluate("document.querySelectorAll('details').forEach((folded) => { folded.open = true; })")
    for name, value in settings.items():
        page.select_option(f"select[name='{name}']", value)
    if record:
        file = {"name": "game.json", "mimeType": "application/json", "buffer": record.encode()}
        page.set_input_files("input[name=record]", file)
    page.click("main form button.main")
    page.wait_for_selector("a[href*='/join/']")
    return [link.get_attribute("href") for link in page.query_selector_all("a[href*='/join/']")]


def enter(page: Any, link: str) -> None:
    """Come to a table by a link, and sit down without a name."""
    page.goto(link)
    page.click("main form + p a")
    page.wait_for_selector("#table")


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
        enter(page, link)
        people.append(Person(page, hand, seed + seat))
    return people


def play(people: Sequence[Person], clicks: int) -> int:
    """Play at random until all pages say that the game is over, or so many clicks; how many there were."""
    person, number, idle = people[0], 0, 0
    seen = person.look()
    while number < clicks:
        if seen["asked"]:
            seen = person.act()
            number, idle = number + 1, 0
        elif seen["over"] and all(is_over(other) for other in people):
            return number
        else:  # whoever plays now is asked; until that page knows it too, it is looked at again
            assert (idle := idle + 1) < MISSED * len(people), "nobody is asked and the game is not over"
            person = people[seen["turn"]] if 0 <= seen["turn"] < len(people) else person
            seen = person.look()
            if not (seen["asked"] or seen["over"]):
                seen = person.look(seen["shown"])
    return clicks


def follow(people: Sequence[Person], plan: Plan) -> None:
    """Play as planned until all pages say that the game is over."""
    for number, (seat, option) in enumerate(plan.options):
        logging.info("%d of %d: %s", number, len(plan.options), option.action.id)
        people[seat].choose(option)
    assert all(is_over(person) for person in people)


def is_over(person: Person) -> bool:
    """Whether a page says that the game is over, by now or soon."""
    seen = person.look()
    return bool(seen["over"] or person.look(seen["shown"])["over"])
