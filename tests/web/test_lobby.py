"""The lobby: what rulesets say of themselves in brief, tiles, the form for a new game, pages while something loads."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from rulelang.ruleset.loader import glance
from rulelang.web import app
from rulelang.web.lobby import tiles
from tests.web.direct import Direct, scope_of

PNG = b"\x89PNG\r\n\x1a\n" + b"drawn"
HEAD = "rulelang: 2\nname: game\n"
MODES = (
    HEAD
    + """\
title: {en: Modes, fr: Modalités}
players: 1..3
languages: [en, fr]
options:
  mode: {values: [many, pairs, alone], players: {many: 2..3, pairs: 2, alone: 1}, default: many}
  short: {type: bool, default: false}
variables: {points: {type: 0..9, per: player}}
rules: |
  play:
    for p in players:
      turn of p: points := choose a number from 1 to 5
  score points: points
"""
)


def folder(place: Path, **files: str) -> Path:
    """A folder with files, whose names end with `.yaml`."""
    place.mkdir(parents=True)
    for name, text in files.items():
        (place / f"{name}.yaml").write_text(text)
    return place


BRIEF = {
    "players: 3..5": ("players", (3, 4, 5)),
    "players: [2, 4]": ("players", (2, 4)),
    "players: 2": ("players", (2,)),
    "players: some": ("players", ()),
    "players: {a: 1}": ("players", ()),
    "minutes: 30": ("minutes", "30"),
    "minutes: 30..45": ("minutes", "30..45"),
    "minutes: [1]": ("minutes", ""),
    "minutes: {number: 30..45, provenance: invented}": ("minutes", "30..45"),
    "minutes: {number: 7, provenance: community}": ("is_estimate", True),
    "minutes: {number: 7, provenance: card}": ("is_estimate", False),
    "minutes: 7": ("is_estimate", False),
    "minutes: {number: [1]}": ("minutes", ""),
    "title: Chess": ("title", {"": "Chess"}),
    "title: {en: Chess, fr: Échecs}": ("title", {"en": "Chess", "fr": "Échecs"}),
    "title: {en: [1]}": ("title", {}),
    "about: {goal: {text: Win.}}": ("about", {"goal": {"": "Win."}}),
    "about: {goal: {text: {en: Win., fr: Gagnez.}}, end: 3}": ("about", {"goal": {"en": "Win.", "fr": "Gagnez."}}),
    "about: nothing": ("about", {}),
    "pieces: {": ("players", ()),
}  # fmt: skip


@pytest.mark.parametrize("text", BRIEF)
def test_what_is_said_in_brief(tmp_path: Path, text: str) -> None:
    """It is read where it is said well, and whatever else is in a file, faulty or not."""
    name, value = BRIEF[text]
    said = getattr(glance(folder(tmp_path / "game", ruleset=HEAD + text)), name)
    assert said == value
    assert getattr(glance(folder(tmp_path / "split", ruleset=HEAD, more=f"rulelang: 2\n{text}")), name) == said


def test_a_variant_says_what_its_base_says_unless_it_says_it_itself(tmp_path: Path) -> None:
    """And what leads out of the folder is not read."""
    folder(tmp_path / "base", ruleset=HEAD + "title: Base\nplayers: 2\nminutes: 10")
    text = HEAD + "extends: base\nminutes: {number: 90, provenance: invented}"
    variant = folder(tmp_path / "base" / "variants" / "long", ruleset=text)
    brief = glance(variant)
    assert (brief.title, brief.players, brief.minutes) == ({"": "Base"}, (2,), "90")
    (tmp_path / "base" / "more.yaml").symlink_to(folder(tmp_path / "out", other="title: Secret") / "other.yaml")
    assert glance(tmp_path / "base").title == {"": "Base"}
    assert [tile.minutes for tile in tiles({"long": brief}, "fr")] == ["environ 90 minutes"]
    shown = tiles({"b": glance(tmp_path / "base"), "b-long": brief, "gone": glance(tmp_path / "nothing")}, "fr")
    assert [(tile.key, tile.title, tile.players, tile.minutes, tile.variants) for tile in shown] == [
        ("b", "Base", "2 joueurs", "10 minutes", (("b-long", "Base"),)),
        ("gone", "gone", "", "", ()),
    ]


async def page(server: Direct, address: str) -> tuple[int, str]:
    """Status and text of a page that anybody may see."""
    path, _, query = address.partition("?")
    status, data = await server.answer(scope_of("GET", path, query, {}))
    return status, data.decode("utf-8", "replace")


def test_the_lobby_loads_nothing(tmp_path: Path) -> None:
    """Games are told of by what their folders say; a picture is shown where a theme has one."""
    text = MODES.replace("languages", "minutes: 5..10\nabout: {goal: {text: {en: Have <most>.}}}\nlanguages")
    game = folder(tmp_path / "modes", ruleset=text)
    folder(tmp_path / "plain", ruleset=HEAD + "players: 2", theme="rulelang: 2\ncover: box.png")
    folder(game / "theme", theme="rulelang: 2\ncover: box.png")
    (game / "theme" / "box.png").write_bytes(PNG)
    (tmp_path / "box.png").write_bytes(PNG)
    server = Direct(paths={"modes": str(game), "plain": str(tmp_path / "plain")})

    async def look() -> None:
        """Look at the lobby and its pictures."""
        status, text = await page(server, "/?lang=fr")
        assert status == 200
        for said in (
            "Modalités",
            "1–3 joueurs",
            "5–10 minutes",
            "Have &lt;most&gt;.",
            'src="/cover/modes"',
            'href="/new/plain"',
        ):
            assert said in text, said
        assert "/cover/plain" not in text
        assert [(await page(server, f"/cover/{key}"))[0] for key in ("modes", "plain", "none")] == [200, 404, 404]
        assert PNG in (await server.answer(scope_of("GET", "/cover/modes", "", {})))[1]
        assert server.games._rulesets == {}

    asyncio.run(look())


def test_the_form_has_what_so_many_players_can_choose(tmp_path: Path) -> None:
    """Options, values and seats are those of the number of players; the usual value of it is sent as none."""
    server = Direct(paths={"modes": str(folder(tmp_path / "modes", ruleset=MODES))})

    async def look() -> None:
        """Look at the form for each number of players."""
        for asked, players, mode in (("", 2, ["", "pairs"]), ("1", 1, None), ("3", 3, None), ("9", 1, None)):
            _, text = await page(server, f"/new/modes?players={asked}")
            assert f'name="players" value="{players}"' in text
            assert len(re.findall(r'name="bot\.\d"', text)) == players
            found = re.search(r'name="option.mode">(.*?)</select>', text, re.DOTALL)
            assert (re.findall(r'value="(\w*)"', found[1]) if found else None) == mode
            assert 'name="option.short"' in text

    asyncio.run(look())


def test_what_loads_says_so_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A form, and a table, is there at once or else a page that asks again; the work is done once for all who ask, and
    what goes wrong is told; what nobody comes back for is forgotten."""
    monkeypatch.setattr(app, "PATIENCE", 0.01)
    server = Direct(paths={"modes": str(folder(tmp_path / "modes", ruleset=MODES))})
    game, asked = server.make(path=str(tmp_path / "modes"), players=2), []

    async def look() -> None:
        """Ask twice while it loads, and again when it has."""
        go, host = asyncio.Event(), server.app.workers.loader
        call = host.call

        async def slow(request: Any, seconds: float = 0) -> Any:
            """Answer once it may."""
            asked.append(request.method)
            await go.wait()
            return await call(request, seconds)

        monkeypatch.setattr(host, "call", slow)
        for address in ("/new/modes?lang=en", "/new/modes?lang=fr"):
            status, text = await page(server, address)
            assert (status, "'refresh', b'1'" in text or "b'refresh', b'1'" in text) == (202, True)
            assert "modes is loading" in text or "Chargement de modes" in text
        assert (await server.ask(game, "0"))[0] == 202
        assert (await server.ask(game, "0"))[0] == 202
        assert asked == ["offers", "stamp"]
        go.set()
        await asyncio.sleep(0.05)
        monkeypatch.setattr(host, "call", call)
        assert (await page(server, "/new/modes"))[0] == 200
        assert (await server.ask(game, "0"))[0] == 200
        assert server.app._works == {}

    asyncio.run(look())
