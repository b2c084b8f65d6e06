"""Real games in Chromium, from the lobby to the score sheet: by mouse, by touch, by keyboard alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import rulelang
from rulelang.record import record_of

playwright = pytest.importorskip("playwright.sync_api", reason="needs the extra `browser`")
axe = pytest.importorskip("axe_playwright_python", reason="needs the extra `browser`")

from tests.web.browsers import ARGUMENTS, CHROMIUM, enter, follow, invited, planned, play, seated, serving  # noqa: E402

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(not Path(CHROMIUM).exists(), reason=f"there is no {CHROMIUM}"),
]
GAMES = {"reco": 3, "ldd": 2, "imaginarium": 2, "droids": 2}
FULL = {
    ("reco", "fr", "finger"): 5,
    ("reco", "en", "keyboard"): 4,
    ("ldd", "fr", "finger"): 4,
    ("ldd", "en", "keyboard"): 3,
    ("droids", "fr", "keyboard"): 4,
    ("droids", "en", "finger"): 3,
    ("imaginarium", "fr", "finger"): 3,
}
"""Games that are played by more than the others are."""
WIDTHS = {"mouse": 1440, "finger": 390, "keyboard": 820}
PLANNED = {"imaginarium": ("easy", 6)}
"""Games that take thousands of clicks at random: which bots play them beforehand, and with which seed."""
MOST = 12_000
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the games are served."""
    for game in GAMES:
        rulelang.load(game)  # it is compiled once, not while a page waits
    with serving(tmp_path_factory.mktemp("games"), *GAMES) as served:
        yield served


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One Chromium for all."""
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield chromium
        chromium.close()


def links(browser: Any, address: str, game: str, players: int, record: str = "") -> list[str]:
    """A new game by the form."""
    page = browser.new_page()
    try:
        return invited(page, address, game, players, {}, record)
    finally:
        page.close()


@pytest.mark.parametrize("hands", ["mouse", "finger", "keyboard"])
@pytest.mark.parametrize("lang", ["en", "fr"])
@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game(browser: Any, address: str, game: str, lang: str, hands: str) -> None:
    """All pages come to the same end, that of the plan if there is one; no page reports an error, or is loaded whole;
    the score sheet opens."""
    players = FULL.get((game, lang, hands), GAMES[game])
    plan = planned(game, players, *PLANNED[game]) if game in PLANNED else None
    seats = links(browser, address, game, players, plan.start if plan else "")
    people = seated(browser, seats, lang, [hands], width=WIDTHS[hands])
    if plan:
        follow(people, plan)
    else:
        assert play(people, MOST) < MOST
    assert [person.faults for person in people] == [[] for _ in people]
    pages = [person.page for person in people]
    assert all(page.get_attribute("html", "lang") == lang for page in pages)
    assert all(re.search(r"\w", page.inner_text(".turn")) for page in pages)
    totals = []
    for page in pages:
        page.click("nav a[href$='/sheet']")
        page.wait_for_selector("dialog[open] .detail")
        totals.append([cell.inner_text() for cell in page.query_selector_all("tfoot td")])
    assert all(row == totals[0] for row in totals)
    if plan:
        record = record_of(pages[0].request.get(f"{pages[0].url}/record").json())
        assert (record.steps, record.scores) == (plan.record.steps, plan.record.scores)
        assert totals[0][:players] == list(map(str, record.scores or ()))
    pages[0].keyboard.press("Escape")
    audit(pages[0])
    for page in pages:
        page.context.close()


WINDOWS = [(width, scheme) for width in (390, 820, 1440) for scheme in ("light", "dark")]
AXE = Path(axe.__file__).parent / "axe.min.js"


def audit(page: Any) -> None:
    """Axe finds nothing, with all that can be opened open; nothing is wider than the window."""
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    # What the bar covers is scrolled from under it: axe takes what is left of it for all that there is.
    page.evaluate("document.querySelectorAll('.bar, .desk').forEach((bar) => { bar.style.position = 'static'; })")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate(f"axe.run(document, {{runOnly: {RULES}}})")
    assert [(page.url, fault["id"], fault["nodes"][0]["html"]) for fault in found["violations"]] == []
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), page.url


@pytest.mark.parametrize(("width", "scheme"), WINDOWS)
@pytest.mark.parametrize("game", GAMES)
def test_nobody_is_shut_out(browser: Any, address: str, game: str, width: int, scheme: str) -> None:
    """Of the table, its dialogs and of looking back."""
    people = seated(browser, links(browser, address, game, GAMES[game]), "en", ["mouse"], width=width, scheme=scheme)
    play(people, 14)
    page = next((person for person in people if person.look()["asked"]), people[0]).page
    audit(page)
    for opened in ("nav a[href$='/sheet']", "nav a[href$='/why']", "a.face, a.info"):
        if page.query_selector(opened):
            page.locator(opened).first.click()
            page.wait_for_selector("dialog[open] .detail")
            audit(page)
            page.keyboard.press("Escape")
    page.goto(f"{page.url}/replay?at=3")
    audit(page)
    for person in people:
        person.page.context.close()


SHOWN = """(() => {
  const box = (name) => document.querySelector(name).getBoundingClientRect();
  const panels = Math.max(0, box('.players').bottom) + innerHeight - Math.min(innerHeight, box('.bar').top);
  const hit = (x, y) => document.elementFromPoint(x, y);
  const seen = (thing, to) => thing.contains(hit(to.left + to.width / 2, to.top + Math.min(to.height, 44) / 2));
  const texts = [...document.querySelectorAll('#table .card .text')];
  const cut = texts.filter((text) => text.scrollHeight > text.clientHeight + 1);
  const chosen = person.things().some((thing) => seen(thing, thing.getBoundingClientRect()));
  return [panels / innerHeight, chosen, cut.map((text) => text.textContent), scrollY];
})()"""
"""Which part of the height the panels take, whether something that can be chosen is in view, the texts of cards that
are cut, how far the page is scrolled."""


@pytest.mark.parametrize("width", [390, 820, 1440])
@pytest.mark.parametrize("game", GAMES)
def test_the_table_and_a_choice_are_in_sight(browser: Any, address: str, game: str, width: int) -> None:
    """Whoever is asked sees something to choose without scrolling. On a phone the panels take at most 60 % of the
    height; in a wide window no card is cut, and all is in it."""
    is_phone = width <= 600
    hand = "finger" if is_phone else "mouse"
    people = seated(browser, links(browser, address, game, GAMES[game]), "en", [hand], width=width, height=844)
    for _ in range(25):
        play(people, 1)
        for person in people:
            person.page.evaluate("window.scrollTo(0, 0)")
            person.page.reload()
            seen = person.look()
            panels, chosen, cut, scrolled = person.page.evaluate(SHOWN)
            assert panels <= 0.6 or not is_phone
            assert (cut, scrolled) == ([], 0) or width < 1200
            assert chosen or not seen["asked"]
    for person in people:
        person.page.context.close()


@pytest.mark.parametrize(("width", "scheme"), WINDOWS)
def test_nobody_is_shut_out_before_a_game(browser: Any, address: str, width: int, scheme: Any) -> None:
    """Of the lobby, the form, the rules, the links, the invitation, the page of errors."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    for path in ("/", *(f"/{name}/{game}" for name in ("new", "rules") for game in GAMES), "/g/nothing/0"):
        page.goto(address + path)
        audit(page)
    links = invited(page, address, "droids", 4, {"spectators": "public"})
    audit(page)
    page.goto(links[0])
    audit(page)
    context.close()


def test_a_choice_is_one_request_of_each_page(browser: Any, address: str) -> None:
    """The page that chose has the answer, the others fetch the table once; nothing that was picked is fetched away."""
    people = seated(browser, links(browser, address, "reco", 3), "en", ["mouse"])
    seats = [person.page.url[-1] for person in people]
    sent: list[str] = []
    for person in people:
        person.page.on("request", lambda request: sent.append(request.url.split("/g/")[1].partition("/")[2]))
    for _ in range(12):
        sent.clear()
        before = [person.look() for person in people]
        at = next(at for at, seen in enumerate(before) if seen["asked"])
        people[at].act()
        if f"{seats[at]}/act" in sent:
            now = [person.look(seen["shown"]) for person, seen in zip(people, before, strict=True)]
            assert [seen["swaps"] for seen in now] == [seen["swaps"] + 1 for seen in before]
            fetched = [path for path in sent if "events" not in path]
            assert sorted(fetched) == sorted(f"{seat}/{'act' if seat == seats[at] else 'table'}" for seat in seats)
    for person in people:
        person.page.context.close()


def test_a_server_that_fails_leaves_the_table(browser: Any, address: str) -> None:
    """What goes wrong is said, the table stays and is fetched anew until it comes."""
    people = seated(browser, links(browser, address, "droids", 2), "en", ["mouse"])
    person = next(person for person in people if person.look()["asked"])
    page, failures = person.page, iter([503, 500])

    def fail(route: Any) -> None:
        status = next(failures, None)
        route.continue_() if status is None else route.fulfill(status=status, body="busy")

    page.route("**/table?**", fail)
    before = person.look()["swaps"]
    page.locator("#table button[name=pick]").first.click()
    page.wait_for_selector(".lost")
    assert page.locator("#table button[name=pick]").count() > 1
    page.wait_for_function(f"window.swaps > {before}", timeout=10_000)
    page.wait_for_selector(".lost", state="detached")
    for person in people:
        person.page.context.close()


def test_what_a_first_page_weighs(browser: Any, address: str) -> None:
    """At most 200 kB with all that it loads, of which 60 kB are scripts and styles of our own."""
    page = browser.new_page()
    sizes: dict[str, int] = {}
    page.on("response", lambda response: sizes.update({response.url: len(response.body())}))
    enter(page, links(browser, address, "imaginarium", 3)[0])
    sent = {
        url: size
        for url, size in sizes.items()
        if "/join/" not in url and "/welcome" not in url and "/events" not in url
    }
    own = sum(size for url, size in sent.items() if "/static/app." in url or "/static/pages." in url)
    page.close()
    assert sum(sent.values()) <= 200_000
    assert own <= 60_000
