"""Reports name planted flaws, say nothing of clean games, and are the same to the byte however they were played."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from rulelang.cli import lab_report
from rulelang.lab import findings
from rulelang.lab import report as module
from rulelang.lab.page import half_width, page
from rulelang.lab.report import Plan, Report, report
from rulelang.lab.statistics import Estimate
from rulelang.lab.study import Setting, Study
from rulelang.lab.traces import CountedNames
from rulelang.languages import language
from tests.lab.games import FLAWS, WORK, Flaw, written
from tests.lab.games import TEXTS as GAMES
from tests.soak import soaking

SHORT = ("repeat 10 times", "repeat 5 times")
"""Of the market: half of the time of its games."""
PLAN = Plan(games=3000, bot="mcts:100", bot_games=100)
QUICK = Plan(games=200, bot="mcts:20", bot_games=30)


def reported(folder: Path, plan: Plan = PLAN, players: int = 3) -> Report:
    with Study() as study:
        return report(study, Setting(str(folder), players=players), plan)


@pytest.mark.slow
def test_a_flaw_is_named_and_tables_tell_it(tmp_path: Path) -> None:
    """A card that decides the game, in few games; tables of pyarrow have what the report has."""
    flaw = next(flaw for flaw in FLAWS if flaw.finding == "dominant_card")
    found = reported(written(tmp_path / flaw.game, flaw.game, [*flaw.changes, SHORT]), Plan(100, "mcts:5", 100), 2)
    assert {(test.flaw, test.of) for test in found.findings} == {(flaw.finding, flaw.of)}
    pytest.importorskip("pyarrow")
    tables = found.to_arrow()
    rows = tables["figures"].to_pylist()
    assert [row["value"] for row in rows] == [figure.estimate.value for figure in found.figures]
    assert {row["card"] for row in tables["cards"].to_pylist()} == {"hut", "inn", "mill", "barn", "forge", "hall"}
    for row in tables["actions"].to_pylist():
        assert all(part["low"] <= part["value"] <= part["high"] for part in (*row["winners"], *row["others"]))
        assert {part["games"] for part in row["winners"]} == {100}  # all are won
    assert [row["flaw"] for row in tables["tests"].to_pylist() if row["found"]].count("dominant_card") >= 1


@pytest.mark.soak
def test_a_suspected_seat_is_tested_with_other_games(tmp_path: Path) -> None:
    """Best bots play more games, of other seeds, where a seat looks biased; they are tested, and stand on the page."""
    flaw = next(flaw for flaw in FLAWS if flaw.finding == "seat_bias" and flaw.game == "race")
    pytest.importorskip("matplotlib")
    with Study() as study:
        setting = Setting(str(written(tmp_path / flaw.game, flaw.game, flaw.changes)), players=2)
        found, words = report(study, setting, QUICK), study.ruleset(setting).words("en")
    samples = {sample.name: sample for sample in found.samples}
    assert samples["seats"].games == 3 * samples["best"].games
    assert samples["seats"].setting.seed != samples["best"].setting.seed
    assert "seat_bias" in {test.flaw for test in found.tests if test.sample == "seats" and test.found}
    assert language("en").texts("lab")["sample_seats"].format(bot="mcts:20") in page(found, words)


@pytest.mark.soak
def test_a_flaw_of_one_use_is_named(tmp_path: Path) -> None:
    """A value that is no use in an action; restricted play goes without that use alone."""
    flaw = next(flaw for flaw in FLAWS if ":" in flaw.of)
    found = reported(written(tmp_path / flaw.game, flaw.game, flaw.changes), Plan(20, "mcts:50", 25), 2)
    assert {(test.flaw, test.of) for test in found.findings} == {(flaw.finding, flaw.of)}
    assert any(f":{flaw.of}" in line.command and abs(line.loss.value) < 0.2 for line in found.restricted)


def test_names_of_what_is_chosen(tmp_path: Path) -> None:
    """An action, each enumerated value with it; the argument's name where there are several; no number, no pass."""
    items = """\
      grow(what in Herb, n from 1 to 2): herbs += 1 what
      swap(give in Herb, get in Herb) when give = sage and get != give: herbs += 1 get
      rest: points += 0
"""
    path = written(tmp_path / "kitchen", "kitchen", [("      grow(what in Herb): herbs += 1 what\n", items)])
    with Study() as study:
        executor = study.executor(Setting(str(path), players=2))
    state, names = executor.initial_state(1), CountedNames(executor.layout)
    number = executor.waiting(state).decision  # type: ignore[union-attr]
    options = executor.options(state, 0)
    found = list(dict.fromkeys(name for option in options for name in names.of_action(number, option)))
    grown = ["grow:sage", "grow:mint", "grow:dill"]
    swapped = ["swap:give:sage", "swap:get:mint", "swap:get:dill"]
    assert sorted(found) == sorted(["grow", *grown, "swap", *swapped, "rest", "serve", "sell"])
    (card, *_) = names.of_cards(state, number, options[-1])
    assert names.of_cards(state, number, options[-1]) == [card, f"sell:{card}"]


def test_a_whole_action_is_named_without_its_parts(capsys: pytest.CaptureFixture[str]) -> None:
    """Findings of a value in an action, or of a card in one, are left out where the action, or the card, is found; the
    command counts the others."""
    estimate = Estimate(0.0, 0.0, 0.1, 50)
    flaws = [
        ("useless_action", "dig"),
        ("useless_action", "dig:tin"),
        ("useless_action", "trade:tin"),
        ("deadlock", ""),
    ]
    flaws += [("dead_card", "nap"), ("dead_card", "play:nap"), ("dead_card", "play:raid")]
    tests = tuple(findings.Test(flaw, of, -1, "best", "taken", estimate, 0.25, 0.0, True) for flaw, of in flaws)
    fields = {field.name: () for field in dataclasses.fields(Report)}
    whole, one = (Report(**{**fields, "tests": some}) for some in (tests, tests[:2]))  # type: ignore[arg-type]
    assert {test.of for test in whole.findings} == {"dig", "trade:tin", "", "nap", "play:raid"}
    for balance in (whole, one):
        lab_report._show(balance)
    said = capsys.readouterr().out
    assert "\n5 flaws found by 7 tests\n" in said
    assert said.endswith("\n1 flaw found by 2 tests\n")


MORE = [
    (
        "    - {id: hut",
        "    - {id: tent, cost: 2, value: 3, count: 3 * (count(players) div 3)}\n"
        "    - {id: tower, cost: 60, value: 9, count: 3}\n    - {id: hut",
    ),
    (WORK, f"{WORK}      trade when count(players) > 2: coins += 3\n"),
]


@pytest.mark.slow
def test_what_a_setting_lacks_is_no_flaw(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A card without a piece at two players and a choice of three are listed as what no test is about; at three both
    are there. A card that lies there, but costs more than a game brings, is dead all the same."""
    path = written(tmp_path / "market", "market", [*MORE, SHORT])
    two, three = reported(path, Plan(600, "mcts:1", 1), 2), reported(path, Plan(30, "random"), 3)
    assert (two.absent_cards, two.absent_actions) == (("tent",), ("trade",))
    assert (three.absent_cards, three.absent_actions) == ((), ())
    assert not any({"tent", "trade"} & set(test.of.split(":")) for test in two.tests)
    assert {(test.flaw, test.of) for test in two.findings} == {("dead_card", "tower")}
    lab_report._show(two)
    said = capsys.readouterr().out
    assert "cards without a piece: tent\n" in said
    assert "no game offered: trade\n" in said


def test_what_random_play_alone_shows_is_told_as_such(capsys: pytest.CaptureFixture[str]) -> None:
    """A finding that better bots do not share is none of the flaws; a game that nobody better plays may not end."""
    estimate = Estimate(0.0, 0.0, 0.1, 50)

    def result(flaw: str, seat: int, random: bool, found: bool = True) -> findings.Test:
        return findings.Test(flaw, "", seat, "best", "win_share", estimate, 0.2, 0.0, found, random)

    results = [result("seat_bias", seat, random=True) for seat in (0, 1)] + [result("deadlock", -1, random=True)]
    assert {(test.flaw, test.seat) for test in findings.surest(results, random=False)} == {("deadlock", -1)}
    assert {(test.flaw, test.seat) for test in findings.surest(results, random=True)} == {
        ("seat_bias", 0),
        ("seat_bias", 1),
    }
    results += [result("seat_bias", 0, random=False), result("seat_bias", 1, random=False, found=False)]
    (flaw,) = findings.surest(results, random=False)
    assert (flaw.seat, flaw.random) == (0, False)
    assert {(test.flaw, test.seat) for test in findings.surest(results, random=True)} == {
        ("seat_bias", 1),
        ("deadlock", -1),
    }
    fields = {field.name: () for field in dataclasses.fields(Report)}
    lab_report._show(Report(**{**fields, "tests": tuple(results)}))  # type: ignore[arg-type]
    said = capsys.readouterr().out
    assert said.index("1 flaw found") < said.index("only in random play") < said.index("seat 1")


def test_what_is_seldom_chosen_is_no_flaw_unless_nobody_needs_it(capsys: pytest.CaptureFixture[str]) -> None:
    """Restricted play proves that an action is useless: going without it surely costs at most 5 % of the win. What it
    leaves open, or was not played for, is told beside the flaws; what no game saw taken needs no such proof."""
    rate = Estimate(0.18, 0.1, 0.24, 50)
    tests = [findings.Test("useless_action", of, -1, "best", "taken", rate, 0.25, 0.0, True) for of in "abc"]
    tests += [
        findings.Test("dead_card", "d", -1, "best", "picked", rate, 0.25, 0.0, True),
        findings.Test("dead_card", "e", -1, "random", "met", rate, 0.01, 0.0, True),
        findings.Test("seat_bias", "", 0, "best", "win_share", rate, 0.25, 0.0, True),
    ]
    losses = {
        "a": Estimate(0.0, -0.04, 0.04, 200),
        "b": Estimate(0.0, -0.06, 0.06, 200),
        "d": Estimate(-0.2, -0.3, -0.1, 200),
    }
    fields = {field.name: () for field in dataclasses.fields(Report)}
    judged = Report(**{**fields, "tests": tuple(findings.proven(tests, losses))})  # type: ignore[arg-type]
    assert {(test.flaw, test.of) for test in judged.findings} == {
        ("useless_action", "a"),
        ("dead_card", "d"),
        ("dead_card", "e"),
        ("seat_bias", ""),
    }
    assert {(test.flaw, test.of) for test in judged.unproven} == {("useless_action", "b"), ("useless_action", "c")}
    lab_report._show(judged)
    said = capsys.readouterr().out
    assert said.index("4 flaws found") < said.index("seldom chosen") < said.index("\nuseless_action  b")


def test_a_report_takes_no_longer_where_games_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Searching bots play fewer games where these are long, but as many as they are told to; 20 decisions each here."""
    setting = Setting(str(written(tmp_path / "market", "market")), players=2)
    with Study() as study:
        random = module._play(study, module._sample("random", setting, 30))
    for most, plan, games in [(20_000, Plan(), 200), (100, Plan(), 6), (100, Plan(bot_games=9), 9)]:
        monkeypatch.setattr(module, "SEARCHED_DECISIONS", most)
        assert module._further_samples(setting, plan, random)["best"].games == games


def test_odds_are_told_of_positions_that_all_have_answered(tmp_path: Path) -> None:
    """Where several choose at once, no position lies between their answers."""
    setting = Setting(str(written(tmp_path / "bids", "bids")), players=3, features=("odds",))
    with Study() as study:
        study.play([(setting, 3)])
        for row in study.rows(setting, 3):
            assert len(row["at"]) > 2
            assert not any(decisions % 3 for decisions in row["at"][:-1])


@pytest.mark.parametrize("flaw", soaking(*FLAWS))
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


def test_to_pass_is_no_action(tmp_path: Path) -> None:
    """What only goes on where other items do, or leaves the rule, declines; a loop, an end and a change do not."""
    items = """\
      wait: pass
      rest: pass
      go: return
      halt: end the game
      feast:
        while coins < 9: coins += 1
"""
    path = written(tmp_path / "market", "market", [("      buy(", f"{items}      buy(")])
    with Study() as study:
        assert findings.passing_actions(study.executor(Setting(str(path), players=2))) == {"wait", "rest", "go"}


def test_half_of_an_interval_that_leans_to_one_side() -> None:
    """Not the part above the mean alone."""
    assert half_width(Estimate(1.0, 0.5, 3.5, 9)) == "1.00 ± 1.50"


@pytest.mark.slow
@pytest.mark.parametrize("lang", ["fr", *soaking("en")])
def test_the_page_needs_nothing_and_is_the_same_again(lang: str, tmp_path: Path) -> None:
    """One file without scripts and addresses; the same from a folder of games that two processes play bit by bit."""
    pytest.importorskip("matplotlib")
    plan = Plan(games=20, bot="mcts:5", bot_games=4, budgets=(2, 4), rung_games=2)
    setting = Setting(str(written(tmp_path / "market", "market", [SHORT])), players=2)
    pages = []
    with Study() as study:
        pages.append(page(report(study, setting, plan), study.ruleset(setting).words(lang)))
    for jobs in (2, 1):
        with Study(tmp_path / "out", jobs) as study:
            pages.append(page(report(study, setting, plan), study.ruleset(setting).words(lang)))
    assert pages[0] == pages[1] == pages[2]
    assert not re.search(r"<script|<link|<img|src=|@import|url[(]http", pages[0])
    assert "--players 2 --budgets 2,4 --games 2 --seed 0" in re.sub(
        "<.*?>", "", pages[0]
    )  # what plays the ladder again
    assert bool(re.search("[0-9],[0-9].%", pages[0])) == (lang == "fr") != bool(re.search("[0-9][.][0-9].%", pages[0]))
    anchors = re.findall(r'<a href="#([^"]*)"', pages[0])
    assert {"findings", "glossary", "figure-skill"} <= set(anchors)
    assert [anchor for anchor in anchors if pages[0].count(f'id="{anchor}"') != 1] == []
    assert pages[0].count("<svg") == pages[0].count("</svg>") >= 5
