"""The one table of figures: each has its words in every language, and each that is said is in it."""

from __future__ import annotations

import pytest

from rulelang.lab.measures import FIGURES, FigureKey, figures
from rulelang.lab.targets import SEATS
from rulelang.languages import codes, language


@pytest.mark.parametrize("lang", codes())
def test_every_figure_has_words(lang: str) -> None:
    """Under `name_` those of games, cards, choices and samples; under `says_` what a test says of one."""
    texts = language(lang).texts("lab")
    named = {name.removeprefix("name_") for name in texts if name.startswith("name_")}
    said = {name.removeprefix("says_") for name in texts if name.startswith("says_")}
    assert named == {name for name, figure in FIGURES.items() if figure.of != "test"} | {SEATS}
    assert {name for name, figure in FIGURES.items() if figure.of == "test"} <= said <= set(FIGURES)


@pytest.mark.parametrize("lang", codes())
def test_every_figure_is_explained(lang: str) -> None:
    """Each that a page has, and each flaw that a test may find has something to try."""
    texts = language(lang).texts("lab")
    explained = {name.removeprefix("about_") for name in texts if name.startswith("about_")}
    assert explained == {name for name, figure in FIGURES.items() if figure.of != "test"}
    assert {name.removeprefix("good_") for name in texts if name.startswith("good_")} <= explained
    flaws, tries = (
        {name.removeprefix(f"{sort}_") for name in texts if name.startswith(f"{sort}_")} for sort in ("found", "try")
    )
    assert flaws == tries


ROW = {
    "scores": [4, 10, 10], "winners": [1, 2], "turns": 4, "decisions": 10, "ended_by_limit": False, "drawn": False,
}  # fmt: skip
TRACE = {
    "curve": [[0, 0, 0], [1, 0, 0], [1, 3, 0], [4, 10, 10]], "options": [10, 25, 2], "looks": [4, 1.0, 0.4, 2.0],
    "actions": {"dig": [[1, 0], [0, 2], [0, 0]]}, "had": ["axe"], "used": [], "cards": {"axe": [3, 1, 1.5]},
}  # fmt: skip
ODDS = {
    "odds": [[0.5, 0.3, 0.2], [0.2, 0.6, 0.2], [0.0, 1.0, 0.0]], "at": [0, 5, 10], "winners": [1],
    "playouts": [10_000, 10_000],
}  # fmt: skip


def test_a_game_by_hand() -> None:
    """Two share the win with ten points each: a margin of 0, close; ten decisions in four turns are 2.5 a turn."""
    assert figures(ROW | {"error": "it went wrong"}) == {FigureKey("failed"): 1.0, FigureKey("completed"): 0.0}
    values = figures(ROW)
    seats = {key: number for key, number in values.items() if key.seat >= 0}
    assert seats == {
        FigureKey("win_share", 0): 0.0, FigureKey("win_share", 1): 0.5, FigureKey("win_share", 2): 0.5,
        FigureKey("score", 0): 4.0, FigureKey("score", 1): 10.0, FigureKey("score", 2): 10.0,
    }  # fmt: skip
    assert {key.name: number for key, number in values.items() if key.seat < 0} == {
        "turns": 4.0, "decisions": 10.0, "decisions_per_turn": 2.5, "completed": 1.0, "drawn": 0.0, "shared": 1.0,
        "failed": 0.0, "margin": 0.0, "close": 1.0,
    }  # fmt: skip


def test_a_course_by_hand() -> None:
    """25 options in ten decisions, two of them with one; a search that looked four times; one lead change by points and
    one by odds; the winner was 0.2 behind once, and leads from the middle on."""
    more = {key: number for key, number in figures(ROW | TRACE | ODDS).items() if key not in figures(ROW)}
    assert {key: pytest.approx(number) for key, number in more.items()} == {
        FigureKey("branching"): 2.5, FigureKey("forced"): 0.2, FigureKey("gap"): 0.25, FigureKey("narrowness"): 0.5,
        FigureKey("gap_noise"): 0.1, FigureKey("least_lead"): 0.15,
        FigureKey("score_lead_changes"): 1.0, FigureKey("taken", -1, "dig"): 3.0, FigureKey("had", -1, "axe"): 1.0,
        FigureKey("picked", -1, "axe"): 1.0,
        FigureKey("lead_changes"): 1.0, FigureKey("drama"): 0.2**0.5, FigureKey("decided"): 0.5,
    }  # fmt: skip
    alone = {
        "scores": [3],
        "winners": [0],
        "curve": [[0], [1], [3]],
        "odds": [[1.0], [1.0]],
        "at": [0, 10],
        "playouts": [48],
    }
    assert {key.name for key in figures(ROW | TRACE | alone)}.isdisjoint({"margin", "close", "lead_changes", "drama"})
