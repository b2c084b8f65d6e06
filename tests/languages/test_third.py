"""A third language is one folder: with it `check`, `play`, rules in words, pages of the web and of the lab speak it."""

from __future__ import annotations

import asyncio
import html
import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import rulelang
from rulelang import languages
from rulelang.cli import run
from rulelang.cli.play import commands
from rulelang.game import Ruleset
from rulelang.prose import rule_texts
from rulelang.syntax import phrases
from rulelang.words import terminal
from tests.languages import third
from tests.languages.test_packs import keys
from tests.play.games import STALLS

WORDS = {
    "Card": "κάρτα", "ruby": "ρουμπίνι", "sky": "ουρανός", "colour": "χρώμα", "value": "αξία", "deck": "στοίβα",
    "shop": "μαγαζί", "hand": "χέρι", "kept": "κρατημένα", "coins": "νομίσματα", "lead": "πρώτος", "rest": "αργία",
    "tired": "κουρασμένος", "red": "κόκκινο", "blue": "μπλε", "act": "πράξη", "deal": "δοσοληψία", "show": "δείξε",
    "buy": "αγόρασε", "card": "κάρτα", "left": "υπόλοιπο", "Colour": "χρώμα",
}  # fmt: skip


LAST = "if some last = seat(1): lead := last"
"""A line that names what has no words."""
CITED = {"ruleset", "yaml", "leaflet", "en", "fr", "qx", "stalls", "watch", "RuleLang"}
"""Names of files and sources that are cited, of the language, the game, an address and the program."""


@pytest.fixture(scope="module")
def spoken(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of the language, which is known while the tests of this module run."""
    folder = tmp_path_factory.mktemp("languages")
    third.make(folder)
    caches = (languages.codes, terminal.spoken, commands.called, phrases._rows)
    languages.__path__.append(str(folder))
    for cache in caches:
        cache.cache_clear()
    yield folder
    languages.__path__.remove(str(folder))
    for cache in caches:
        cache.cache_clear()


@pytest.fixture(scope="module")
def stalls(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ruleset in the third language alone."""
    folder = tmp_path_factory.mktemp("stalls")
    text = STALLS.replace("{en: Stalls, fr: Étals}", f"{{{third.CODE}: σταλλς}}")
    text = text.replace("languages: [en, fr]", f"languages: [{third.CODE}]").replace(", words: {fr: ciel}", "")
    before, _, after = text.partition("words:\n")
    listed = ", ".join(f"{name}: {word}" for name, word in WORDS.items())
    rules = after[after.index("rules: |") :].replace(f"      {LAST}\n", "")
    (folder / "ruleset.yaml").write_text(f"{before}words:\n  {third.CODE}: {{{listed}}}\n{rules}", encoding="utf-8")
    return folder


def latin(text: str) -> list[str]:
    """The words of a text in Latin letters."""
    return re.findall(r"[A-Za-z]{2,}", text)


def seen(page: str) -> str:
    """What is read of a page: its texts and what is read aloud of its elements."""
    page = re.sub(r"<(style|script)\b.*?</\1>", " ", page, flags=re.DOTALL)
    said = re.findall(r'(?:aria-label|title|placeholder|alt)="([^"]*)"', page)
    return html.unescape(" ".join([re.sub(r"<[^>]*>", " ", page), *said]))


@pytest.fixture
def ruleset(spoken: Path, stalls: Path) -> Ruleset:
    return rulelang.load(stalls)


@pytest.mark.parametrize("room", languages.FILES)
def test_it_has_all_texts(spoken: Path, room: str) -> None:
    """What is asked of those that come along."""
    assert keys(room, third.CODE) == keys(room, "en")


def test_check_knows_it(spoken: Path, stalls: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The engine has sentences in it, its name is understood, and words of its own in rules."""
    assert run(["check", str(stalls)]) == 0
    assert "words-missing" not in capsys.readouterr().out
    text = (stalls / "ruleset.yaml").read_text(encoding="utf-8")
    wrong = stalls.parent / "wrong" / "ruleset.yaml"
    wrong.parent.mkdir(exist_ok=True)
    wrong.write_text(text.replace("languages: [qx]", "languages: [greekish]"), encoding="utf-8")
    run(["check", str(wrong.parent)])
    assert "write `qx`" in capsys.readouterr().out
    for word, hint in (("kvand", "write `if coins = 3:`"), ("ϙυανδ", "names and words have letters from a to z alone")):
        wrong.write_text(f"{text}  score more: 1\n  play:\n    {word} coins = 3: pass\n", encoding="utf-8")
        run(["check", str(wrong.parent)])
        assert hint in capsys.readouterr().out


def test_a_process_finds_it_by_the_environment(spoken: Path, stalls: Path) -> None:
    """Such as a worker that holds games of the web."""
    command = [sys.executable, "-m", "rulelang", "check", str(stalls)]
    environment = os.environ | {"RULELANG_LANGUAGES": str(spoken)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, "no sentences" in done.stdout) == (0, False)


def test_rules_read_in_it(ruleset: Ruleset) -> None:
    """Every sentence of every rule and card; of one of them the words."""
    texts = [text for rule in rule_texts(ruleset.written, third.CODE) for text in rule.text.splitlines()]
    assert texts
    assert latin("\n".join(texts)) == []


def test_a_game_is_played_in_it(
    spoken: Path, stalls: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Commands by their names in it; all that is told."""
    own = terminal.Texts(third.CODE)
    asked = ("help", "options", "board", "rules", "log", "scores", "why")
    typed = [*(own.commands[name][0] for name in asked), "1", "1"]
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in typed)))
    monkeypatch.setenv("NO_COLOR", "1")
    command = ["play", str(stalls), "--lang", third.CODE, "--seed", "0", "--bot", "random", "--name", "1=Άδα"]
    assert run(command) == 1  # the game is not over
    out = capsys.readouterr().out
    assert f"• {third.greek('You choose')} κόκκινο." in out
    assert latin(out) == []


def test_pages_show_it(spoken: Path, stalls: Path) -> None:
    """To a browser that asks for it: the list of rulesets, a new game, the table of who is asked and of who is not."""
    pytest.importorskip("starlette")
    from tests.web.direct import Direct, scope_of

    direct = Direct()
    direct.app.settings = replace(direct.app.settings, rulesets={"stalls": str(stalls)}, uploads=str(stalls))
    game = direct.make(path=str(stalls), players=2)
    own = [f"/g/{game}/{place}{part}" for place in "01" for part in ("", "/sheet", "/replay", "/why", "/nothing")]
    shown = {}
    for path in ("/", "/new/stalls", "/upload", "/nothing", f"/g/{game}/links", *own):
        token = direct.tokens[game].get(path.split("/")[3] if path.count("/") > 2 else "", "")
        headers = {"accept-language": f"{third.CODE}, en", "cookie": f"seat={token}"}
        page = asyncio.run(direct.answer(scope_of("GET", path, "", headers)))[1].decode()
        shown[path] = seen(page[page.index("<", page.index(")]")) :]).replace(game, "")
        assert re.search("[α-ω]{3}", shown[path]), path
    assert third.greek("Your turn") in shown[f"/g/{game}/0"] + shown[f"/g/{game}/1"]
    assert {path: words for path, text in shown.items() if (words := set(latin(text)) - CITED)} == {}


def test_a_report_of_the_lab_is_in_it(ruleset: Ruleset, stalls: Path) -> None:
    """Headings, figures and findings; what is Latin are names of files and commands."""
    pytest.importorskip("matplotlib")
    from rulelang.lab.page import page
    from rulelang.lab.report import Plan, report
    from rulelang.lab.study import Setting, Study

    with Study() as study:
        setting = Setting(str(stalls), players=2)
        found = report(study, setting, Plan(4, "random", 1))
        made = page(found, study.ruleset(setting).words(third.CODE)).replace(found.hash[:16], "")
    shown = seen(re.sub(r"<(code|svg)\b.*?</\1>", " ", made, flags=re.DOTALL))
    assert third.greek("Findings") in shown
    assert set(latin(shown)) - {"stalls", "mcts", "ruby", "sky"} == set()
