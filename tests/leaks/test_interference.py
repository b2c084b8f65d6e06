"""Where `check` is silent a seat can't tell from the course of the game what is hidden from it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import rulelang
from tests.leaks.compared import written
from tests.leaks.histories import warnings_of
from tests.leaks.interference import interference
from tests.leaks.rulesets import ruleset
from tests.leaks.tells import REFUSED, TELLS, tell
from tests.soak import times


def test_where_check_is_silent_the_course_tells_nothing(tmp_path: Path) -> None:
    """Generated rulesets: another secret, the same public choices, and a seat sees the same."""
    silent = 0
    for seed in range(times(4)):
        game = written(tmp_path, ruleset(random.Random(seed)))
        if "visibility-leak" not in warnings_of(tmp_path):
            silent += 1
            assert not interference(game, random.Random(seed), width=10 * times(1) + 6), seed
    assert silent > times(2)


@pytest.mark.parametrize("name", TELLS)
def test_check_warns_where_the_course_tells(tmp_path: Path, name: str) -> None:
    """Whatever all see hangs on a secret: `check` says so, and it is seen in play."""
    if name in REFUSED:
        with pytest.raises(rulelang.RulesetError, match="visibility-leak"):
            written(tmp_path, tell(name))
        return
    game = written(tmp_path, tell(name))
    assert "visibility-leak" in warnings_of(tmp_path)
    assert interference(game, random.Random(1), width=12, depth=6)


def test_the_frame_tells_nothing(tmp_path: Path) -> None:
    """Without the statement that tells there is neither a warning nor anything to see."""
    game = written(tmp_path, tell("nothing"))
    assert warnings_of(tmp_path) == []
    assert not interference(game, random.Random(1), width=12, depth=6)
