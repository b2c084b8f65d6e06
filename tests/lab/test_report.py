"""Reports name planted flaws, say nothing of clean games, and are the same to the byte however they were played."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rulelang.lab.page import TEXTS, page
from rulelang.lab.report import Plan, Report, report
from rulelang.lab.study import Setting, Study
from tests.lab.games import FLAWS, Flaw, written
from tests.lab.games import TEXTS as GAMES
from tests.soak import soaking

PLAN = Plan(games=3000, bot="mcts:60", bot_games=60)


def reported(folder: Path, plan: Plan = PLAN, players: int = 3) -> Report:
    with Study() as study:
        return report(study, Setting(str(folder), players=players), plan)


QUICK = {("market", "dead_card", "inn"), ("race", "seat_bias", "")}


@pytest.mark.parametrize(
    "flaw",
    [
        *(flaw for flaw in FLAWS if flaw[:3] in QUICK),
        *soaking(*(flaw for flaw in FLAWS if flaw[:3] not in QUICK)),
    ],
    ids=lambda flaw: "-".join(flaw[:3]),
)
def test_planted_flaws_are_named(flaw: Flaw, tmp_path: Path) -> None:
    """The flaw, about the card, action or seat, and no other one."""
    found = reported(written(tmp_path / flaw.game, flaw.game, flaw.changes))
    named = {(test.flaw, test.of) for test in found.findings}
    assert (flaw.finding, flaw.of) in named
    assert {name for name, _ in named} <= {flaw.finding, *flaw.also}


@pytest.mark.parametrize("game", soaking(*GAMES))
def test_clean_games_are_clean(game: str, tmp_path: Path) -> None:
    """No finding."""
    assert reported(written(tmp_path / game, game)).findings == ()


def test_languages_have_the_same_texts() -> None:
    """With the same fields."""
    fields = {lang: {name: set(re.findall(r"\{(\w+)\}", text)) for name, text in TEXTS[lang].items()} for lang in TEXTS}
    assert fields["en"] == fields["fr"]


@pytest.mark.parametrize("lang", ["en", "fr"])
def test_the_page_needs_nothing_and_is_the_same_again(lang: str, tmp_path: Path) -> None:
    """One file without scripts and addresses; the same from a folder of games that two processes play bit by bit."""
    pytest.importorskip("matplotlib")
    plan = Plan(games=60, bot="mcts:5", bot_games=4, budgets=(2, 4), rung_games=2)
    setting = Setting(str(written(tmp_path / "market", "market")), players=2)
    pages = []
    with Study() as study:
        pages.append(page(report(study, setting, plan), study.ruleset(setting).words(lang)))
    for jobs in (2, 1):
        with Study(tmp_path / "out", jobs) as study:
            pages.append(page(report(study, setting, plan), study.ruleset(setting).words(lang)))
    assert pages[0] == pages[1] == pages[2]
    assert not re.search(r"<script|<link|<img|src=|@import|url[(]http", pages[0])
    assert pages[0].count("<svg") == pages[0].count("</svg>") >= 5
