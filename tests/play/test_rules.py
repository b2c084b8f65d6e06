"""What a ruleset tells of itself, and its rules in words: `about`, and the command `rules`."""

from __future__ import annotations

from pathlib import Path

import pytest

import rulelang
from rulelang.diagnostics import RulesetError
from rulelang.game import Ruleset
from rulelang.table.rules import about, chapters
from tests.play import games

from .conftest import Play

ABOUT = """\
about:
  turn: {text: {en: "Show, buy,\\n or rest.", fr: "Montrez, achetez ou passez."}, cites: [leaflet-en:5-6]}
  goal: {text: Be rich.}
"""


def told(folder: Path, added: str = ABOUT) -> Ruleset:
    return games.ruleset(folder, games.STALLS.replace("sources:", f"{added}sources:"))


def test_what_a_ruleset_tells_of_itself(tmp_path: Path) -> None:
    """In the order of the topics, with titles and texts of the language, or of another that there is; then by phase: of
    setup and play the rules that they carry out."""
    ruleset = told(tmp_path / "stalls")
    assert [(chapter.title, chapter.texts[0].text) for chapter in about(ruleset, "fr")] == [
        ("Le but", "Be rich."),
        ("Votre tour", "Montrez, achetez ou passez."),
    ]
    assert [text.cites for chapter in about(ruleset, "en") for text in chapter.texts] == [(), ("leaflet-en:5-6",)]
    assert about(games.ruleset(tmp_path / "secrets", games.SECRETS), "en") == ()
    made = [(chapter.title, [text.name for text in chapter.texts]) for chapter in chapters(ruleset, "en")][2:]
    assert made == [
        ("Setting up, rule by rule", [""]),
        ("The game, rule by rule", ["", "act"]),
        ("The points, rule by rule", ["kept", "left"]),
    ]
    assert chapters(ruleset, "en")[3].texts[1].cites == ("leaflet-en:5-6",)


def test_rules_that_several_phases_carry_out_are_told_once(tmp_path: Path) -> None:
    """Where they first come up; what nothing carries out by name applies whenever it happens."""
    text = games.SECRETS.replace("    shuffle deck\n", "    shuffle deck\n    act_first()\n").replace(
        "  rule act:\n",
        "  rule act_first: pass\n\n  event flash(): pass\n\n  after flash(): pass\n\n  function two() -> 0..9 = 2\n\n"
        "  rule act:\n    flash()\n    act_first()\n",
    )
    ruleset = games.ruleset(tmp_path / "secrets", text)
    made = {chapter.title: [text.name for text in chapter.texts] for chapter in chapters(ruleset, "en")}
    assert made["Setting up, rule by rule"] == ["", "act_first"]
    assert made["The game, rule by rule"] == ["", "act", "flash"]
    assert made["What applies whenever it happens"] == [""]
    assert made["What the rules mean by it"] == ["two"]


WRONG = {
    "missing translation": ("about: {goal: {text: {en: Be rich.}}}\n", "`goal` has no text in `fr`"),
    "two missing": ("about: {goal: {text: {de: Sei reich.}}}\n", "`goal` has no text in `en` and `fr`"),
    "unknown topic": ("about: {gaol: {text: Be rich.}}\n", "`gaol` is not a key of `about`"),
    "unknown key": ("about: {goal: {txt: Be rich.}}\n", "`txt` is not a key"),
    "no text": ("about: {goal: {cites: [leaflet-en:1]}}\n", "`text`"),
    "unknown language": ("about: {goal: {text: {en: A, fr: B, de: C}}}\n", "`de` is not one of the ruleset's"),
    "unknown source": ("about: {goal: {text: {en: A, fr: B}, cites: [leafelt:1]}}\n", "`leafelt` is not a source"),
}
"""What of an `about` is wrong, and what is said of it."""


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_in_it(play: Play, case: str) -> None:
    """`check` tells it."""
    added, said = WRONG[case]
    Path("wrong").mkdir()
    Path("wrong/ruleset.yaml").write_text(games.STALLS.replace("sources:", f"{added}sources:"), encoding="utf-8")
    assert said in play("check", "wrong").out


def test_an_overlay_changes_it(tmp_path: Path) -> None:
    """Topic by topic and language by language; `remove: true` takes a topic away."""
    told(tmp_path / "stalls")
    over = tmp_path / "over"
    over.mkdir()
    (over / "ruleset.yaml").write_text(
        "rulelang: 2\nabout:\n  turn: {text: {fr: Achetez.}}\n  end: {text: {en: Soon., fr: Bientôt.}}\n"
        "  goal: {remove: true}\n",
        encoding="utf-8",
    )
    ruleset = rulelang.load(tmp_path / "stalls", [over])
    assert [chapter.texts[0].text for chapter in about(ruleset, "fr")] == ["Achetez.", "Bientôt."]
    assert [chapter.texts[0].text for chapter in about(ruleset, "en")] == ["Show, buy, or rest.", "Soon."]


def test_the_command(play: Play, tmp_path: Path) -> None:
    """All of it, in order; with words the rule or the card that has them; `cite` tells where it stands."""
    told(Path("told"))
    out = play("play", "told", typed=["rules"]).out.split("you> rules\n")[1]
    order = [
        "The goal\n  Be rich.",
        "Your turn\n  Show, buy, or rest.",
        "Setting up, rule",
        "The game, rule",
        "The points",
    ]
    assert sorted(order, key=out.index) == order
    assert "leaflet" not in out
    assert ".yaml" not in out
    for words, said in (
        ("goal", "Be rich."),
        ("act", "Act: "),
        ("sky", "sky · card"),
        ("kept", "Score for kept"),
        ("shuffle", "No piece"),
        ("rest.", "Show, buy"),
    ):
        assert said in play("play", "told", typed=[f"rules {words}"]).out, words
    cited = play("play", "told", typed=["cite rules turn", "cite rules act"], width=120).out
    assert "leaflet-en:5-6; told/ruleset.yaml:" in cited
    with pytest.raises(RulesetError):
        told(tmp_path / "broken", "about: 3\n")
