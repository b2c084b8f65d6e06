"""Choosing any of many things on a page: piece by piece, all choices never listed."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

import rulelang
from rulelang.game import actions
from rulelang.game.choosing import Choosing, ChoosingOfMany
from rulelang.interpreter import decisions
from rulelang.web.table import part
from tests.game.test_many_subsets import YAML, game
from tests.web.views import view_of

CHOICES = ("any of hand", "2 or more of hand", "up to 3 of hand", "2 of hand", "1 to 4 of hand")


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("copies", [False, True])
def test_counted_choices_are_those_that_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, choice: str, copies: bool
) -> None:
    """A partial choice whose choices are only counted has the same open picks, the same number of choices left and the
    same one that is ready as one that lists them, after any picks."""
    text = YAML.replace("SIZE", "5").replace("any of hand", choice)
    if copies:
        text = text.replace('value: 1..40}, id: "c{value}"', 'value: 1..3}, id: "c{value}", count: 9')
    (tmp_path / "ruleset.yaml").write_text(text, encoding="utf-8")
    picker = random.Random(choice)
    monkeypatch.setattr(decisions, "LONG", 1)
    for seed in range(4):
        acts = rulelang.load(tmp_path).new_game(2, seed=seed, backend="interpreter").legal_actions()
        picks: list[str] = []
        for _ in range(6):
            counted, listed = ChoosingOfMany.of(acts, picks), Choosing(acts, picks)
            assert counted is not None
            assert (counted.picks, counted.count, counted.leave) == (listed.picks, listed.count, listed.leave)
            assert counted.open == listed.open
            ready = counted.ready and counted.ready.action.id, listed.ready and listed.ready.action.id
            assert ready[0] == ready[1]
            assert {c.action.id for c in counted.left} == {c.action.id for c in listed.left}
            picks.append(picker.choice([*listed.open, "choice=c99@hand[0]"]))


def test_a_page_of_many_choices_makes_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 65,536 choices a page shows each card to pick, 80 choices and how many there are; it makes no others. Words
    that are searched are cards that a choice has."""
    state, made = game(tmp_path, 16), [0]
    text_of = actions.Action.text

    def counted(action: actions.Action, lang: str = "en") -> str:
        made[0] += 1
        return text_of(action, lang)

    monkeypatch.setattr(actions.Action, "text", counted)
    html = part(view_of(state, 0), "")
    assert html is not None
    assert len(html) < 200_000
    assert "65535" in html  # without the choice of none, which has a place of its own
    hand = sorted(state.observation(0)["zones"]["hand[0]"]["pieces"])
    assert all(f'value="choice={name}@hand[0]"' in html for name in hand)
    picked = part(view_of(state, 0, picks=(f"choice={hand[3]}@hand[0]",)), "")
    assert picked is not None
    assert f'value="play:choice={hand[3]}" class="main"' in picked  # what was picked so far can be confirmed
    searched = part(view_of(state, 0, find=f"{hand[5]} {hand[9]}"), "")
    assert searched is not None
    found = [id_.split("+") for id_ in re.findall(r'value="play:choice=([^"]+)" id="r-', searched)]
    assert len(found) == 80
    assert sorted((hand[5], hand[9])) in found
    assert all({hand[5], hand[9]} <= {*cards} for cards in found)
    assert made[0] < 400
