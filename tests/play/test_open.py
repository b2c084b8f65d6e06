"""A game without secrets: nothing is hidden between turns; signs, headings, languages, where an option comes from."""

from __future__ import annotations

from pathlib import Path

from .conftest import Play

BOTH = ("--seat", "0=human", "--seat", "1=human")


def test_the_authors_signs_are_drawn(play: Play) -> None:
    """As in the map and the legend; no piece has a sign that is a ground's."""
    out = play("play", "open", typed=["q"]).out
    assert " 1       _ An0,An1       A" in out
    assert " 2       A       _       _" in out
    assert "_ high no  A high\n" in out


def test_options_are_headed_by_their_sentence(play: Play) -> None:
    """A word that is only a sentence gives its beginning; a single option stands without heading."""
    lines = play("play", "open", "--lang", "fr", typed=["q"]).out.splitlines()
    start = lines.index("Aller en")
    assert lines[start : start + 10] == [
        "Aller en", "   1  aller en a1", "   2  aller en b1", "   3  aller en c1", "   4  aller en a2",
        "   5  aller en b2", "   6  aller en c2", "Gagner", "   7  gagner 1", "   8  gagner 2",
    ]  # fmt: skip
    assert lines[start + 10 : start + 13] == ["   9  gagner 3", "   0  attendre", "vous> q"]


def test_why_names_the_items_own_line(play: Play) -> None:
    """Each item of a menu has its line; not the line of `choose:`."""
    text = Path("open/ruleset.yaml").read_text(encoding="utf-8").splitlines()
    out = play("play", "open", typed=["cite 1", "cite why 7", "cite 0", "q"]).out
    for item in ("go(there", "gain(n", "wait:"):
        line = next(number for number, row in enumerate(text, 1) if row.strip().startswith(item))
        assert f"rule  act, open/ruleset.yaml:{line}\n" in out


def test_nothing_is_hidden_between_turns(play: Play) -> None:
    """Only whose turn it is is said; `undo` takes back what was chosen last, whoever is asked now."""
    out = play("play", "open", *BOTH, typed=["wait", "undo", "y", "gain 2", "q"]).out
    assert out.count("---- Basil's turn at the screen ----") == 2
    assert "Taken back: wait" in out
    assert "press Enter" not in out
    assert "• You: gain 2. Your points: 0 → 2.\n---- Basil's turn" in out


def test_the_log_has_articles_in_french(play: Play) -> None:
    """What is somebody's, and a board with its cell, have theirs."""
    out = play("play", "open", *BOTH, "--lang", "fr", typed=["1", "q"], width=200).out.replace("\u00a0", " ")
    assert "• Vous : aller en a1. Votre fourmi va du champ b1 au champ a1." in out
    assert "• Ada : aller en a1. La fourmi d'Ada va du champ b1 au champ a1." in out


def test_a_save_keeps_its_language(play: Play) -> None:
    """`--load` goes on in it; `--lang` says otherwise. That the game is not over is said in it too."""
    assert play("play", "open", "--lang", "fr", typed=["save s.json"]).err == "rulelang: la partie n'est pas finie\n"
    assert "choisissez quoi faire" in play("play", "--load", "s.json", typed=["q"]).out
    assert "choose what to do" in play("play", "--load", "s.json", "--lang", "en", typed=["q"]).out


def test_a_game_begins_where_a_scenario_does(play: Play, tmp_path: Path) -> None:
    """With what that gives; it says itself how many play."""
    text = 'rulelang: 2\nscenarios:\n  - {name: later, given: {variables: {"seat(0).points": 7}}, then: ["true"]}\n'
    (tmp_path / "open" / "scenarios").mkdir()
    (tmp_path / "open" / "scenarios" / "all.yaml").write_text(text, encoding="utf-8")
    begun = ("play", "open", "--scenario", "later", "--bot", "random")
    out = play(*begun, typed=["q"], seed=None).out
    assert "points: 7" in out
    assert "--seed" not in out
    refused = play(*begun, "--players", "3", seed=None)
    assert (refused.status, "--players is for other games" in refused.err) == (2, True)
