"""Any of many things at the terminal: a screen makes what it shows, and names of things find their choices."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulelang.cli.play.options import OptionMenu
from rulelang.game import actions
from rulelang.table.names import Names
from tests.game.test_many_subsets import game


def test_a_screen_of_many_options_makes_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 65,536 options a page of 12 rows makes the texts that come next; ids, texts, what ends the choice and names
    of cards find theirs, the choice of just these cards first."""
    state, made = game(tmp_path, 16), [0]
    text_of = actions.Action.text

    def counted(action: actions.Action, lang: str = "en") -> str:
        made[0] += 1
        return text_of(action, lang)

    monkeypatch.setattr(actions.Action, "text", counted)
    options = OptionMenu(state.legal_actions(), Names(state, "en", 0))
    hand = sorted(state.observation(0)["zones"]["hand[0]"]["pieces"], key=lambda name: int(name[1:]))
    assert options.named == set(hand)
    lines, after = options.page(options.all, 0, 100, 12)
    assert 8 <= len(lines) <= 12
    assert lines[-1].plain.split() == ["0", "nothing"]
    assert 12 <= after <= 100
    assert made[0] < 3_000
    matches = options.search(f"{hand[9]} {hand[4]}")
    assert matches[0].text == f"{hand[4]} and {hand[9]}"
    assert options.found(f"{hand[9]} {hand[4]}") == 2**14  # the other 14 cards are chosen or not
    assert options.search("c99") == []
    made[0] = 0
    long = f"{', '.join(hand[:8])} and {hand[8]}"
    called = options.called(long)
    assert called is not None
    assert called.action.id == f"play:choice={'+'.join(sorted(hand[:9]))}"
    assert options.called(called.action.id) is called
    ends = options.called("nothing")
    assert ends is not None
    assert ends.action.leaves
    assert options.called("nonsense") is None
    assert made[0] < 20
