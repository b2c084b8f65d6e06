"""The faces of pieces, the command that shows them and the directive that puts them into documentation."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from sphinx.application import Sphinx

import rulelang as rulelang_api
from rulelang.cli import rulelang
from rulelang.cli.console import Console
from rulelang.cli.play.card import card
from rulelang.prose import Faces, face
from rulelang.table.names import Names
from tests.prose.sentences import load

RULESET = """rulelang: 2
name: robots
players: 2..3
languages: [en, fr]
sources: {leaflet: the leaflet}
options: {size: {values: [3, 4], default: 3, words: {fr: {one: taille, gender: f}}}, rich: {type: bool, default: false}}
types: {Colour: [red, blue]}
kinds:
  Card: {attributes: {colour: Colour, value: 1..9}, active: [tableau], start: deck}
  Pawn: {start: home}
pieces:
  Card:
    - id: the_mill
      colour: red
      value: 2
      count: size + 1
      cites: [leaflet:3, leaflet:5-6]
      provenance: community
      words: {fr: {one: le moulin}}
      rules: |
        on use(card): coins += 2 if rich else 1
        scores: 2 * count(tableau)
    - {id: well, colour: blue, value: 3, count: 2 if count(players) = 3 else 1}
    - {id: tower, colour: blue, value: 4, count: 2 if rich and size = 4 else 1}
  Pawn:
    - {id: pawn, per: player}
zones:
  deck: {holds: Card, order: pile, visible: count}
  tableau: {holds: Card, per: player}
  home: {holds: Pawn, per: player}
variables: {coins: {type: 0..99, per: player}}
words:
  fr:
    Card: {one: carte, gender: f}
    colour: {one: couleur, gender: f}
    value: {one: valeur, gender: f}
    red: rouge
    deck: {one: pioche, gender: f}
    tableau: tableau
    coins: {one: pièce, many: pièces, gender: f}
    use: "{card} est utilisée"
rules: |
  play: draw 1 from deck to seat(0).tableau
  ability use(card: Card): pass
"""


@pytest.fixture
def robots(tmp_path: Path) -> Path:
    folder = tmp_path / "robots"
    folder.mkdir()
    (folder / "ruleset.yaml").write_text(RULESET, encoding="utf-8")
    return folder


def test_face(robots: Path) -> None:
    """All that a card says, in words, with what was written and where it comes from."""
    ruleset = load(robots)
    found = face(ruleset, ruleset.pieces[0], "fr")
    assert (found.id, found.kind, found.name, found.kind_name) == ("the_mill", "Card", "le moulin", "carte")
    assert found.attributes == (("couleur", "rouge"), ("valeur", "2"))
    assert found.start == "la pioche"
    assert [text.replace("\u00a0", " ") for text in found.effects] == [
        "Quand cette carte-ci est utilisée : vos pièces augmentent de 2 si « rich » vaut, sinon 1.",
        "Marquez 2 points pour chaque carte dans votre tableau.",
    ]
    assert found.rules.startswith("on use(card): coins += 2 if rich else 1\nscores:")
    assert (found.provenance, found.provenance_text) == ("community", "rapporté par des joueurs")
    assert found.cites == ("leaflet:3", "leaflet:5-6")
    assert found.options == ("taille", "rich")


@pytest.mark.parametrize(
    ("lang", "counts"),
    [
        ("en", ["4, with size 4: 5", "1, with 3 players: 2", "2 if “rich” holds and the size is 4, otherwise 1", "1"]),
        (
            "fr",
            [
                "4, avec taille 4 : 5",
                "1, à 3 joueurs : 2",
                "2 si « rich » vaut et la taille est égale à 4, sinon 1",
                "1",
            ],
        ),
    ],
)
def test_counts(robots: Path, lang: str, counts: list[str]) -> None:
    """How many there are, with what decides it; where several things decide, in words."""
    assert [f.count.replace("\u00a0", " ") for f in Faces(load(robots), lang).all()] == counts


def test_counts_that_read_the_row(tmp_path: Path) -> None:
    """Where a kind says how many there are and where they start, the attributes of each row decide."""
    text = """rulelang: 2
name: marked
players: 1..4
types: {Season: [spring, autumn]}
kinds:
  Card:
    attributes: {mark: 2..4, season: Season}
    defaults: {season: spring}
    count: 1 if mark <= max(count(players), 2) and (season = spring or mark not in [2, 3]) else 0
    start: "deck[spring if mark = 2 else autumn]"
pieces:
  Card: [{id: two, mark: 1 + 1}, {id: three, mark: 3, season: spring}, {id: four, mark: 4, season: autumn}]
zones: {deck: {holds: Card, per: Season, order: pile, visible: count}}
rules: |
  play: pass
"""
    (tmp_path / "ruleset.yaml").write_text(text, encoding="utf-8")
    found = Faces(load(tmp_path), "en").all()
    assert [f.count for f in found] == ["1", "1, with 3 or 4 players only", "1, with 4 players only"]
    assert [f.start for f in found] == ["the spring deck", "the autumn deck", "the autumn deck"]
    assert found[0].attributes == (("mark", "2"), ("season", "spring"))


def test_info_shows_cards(robots: Path) -> None:
    """`info --cards` prints every face in the language asked for; JSON has them beside all else."""
    shown = CliRunner().invoke(rulelang, ["info", str(robots), "--cards", "--lang", "en"])
    assert shown.exit_code == 0
    assert "the mill (card)\n  copies 4, with size 4: 5; colour red; value 2\n" in shown.stdout
    assert "  copies 1 for each player\n" in shown.stdout
    assert "  told by the community [leaflet:3, leaflet:5-6]\n" in shown.stdout
    whole = json.loads(CliRunner().invoke(rulelang, ["info", str(robots), "--format", "json"]).stdout)
    cards = json.loads(CliRunner().invoke(rulelang, ["info", str(robots), "--cards", "--format", "json"]).stdout)
    assert {key: cards[key] for key in whole} == whole
    assert [card["id"] for card in cards["cards"]] == ["the_mill", "well", "tower", "pawn"]
    assert cards["cards"][1]["attributes"] == {"colour": "blue", "value": "3"}


def build(tmp_path: Path, page: str) -> tuple[str, str, list[str]]:
    """A page of documentation beside the ruleset: its HTML, what Sphinx warned of, which files it depends on."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "conf.py").write_text("extensions = ['rulelang.sphinx']\nhtml_theme = 'basic'\n", encoding="utf-8")
    (docs / "index.rst").write_text(f"Cards\n=====\n\n{page}\n", encoding="utf-8")
    warnings = tmp_path / "warnings.txt"
    with warnings.open("w", encoding="utf-8") as out:
        app = Sphinx(docs, docs, tmp_path / "html", tmp_path / "trees", "html", status=None, warning=out)
        app.build()
    files = sorted(Path(str(file)).name for file in app.env.dependencies["index"])
    return (tmp_path / "html" / "index.html").read_text(encoding="utf-8"), warnings.read_text(encoding="utf-8"), files


def test_directive(robots: Path, tmp_path: Path) -> None:
    """The card reference of a ruleset: names, effects in each language, where it comes from; the page depends on it."""
    html, warnings, files = build(tmp_path, f".. rulelang-cards:: ../{robots.name}\n   :lang: en, fr")
    assert (warnings, files) == ("", ["ruleset.yaml"])
    assert html.count('<div class="rulelang-card rulelang-figures-') == 4
    for kind, text in (
        ("name", "the mill"),
        ("name-too", "le moulin"),
        ("text", "Score 2 points for each card in your tableau."),
        ("text-too", "Marquez 2 points pour chaque carte dans votre tableau."),
        ("source", "told by the community · leaflet:3 · leaflet:5-6"),
    ):
        assert f'<p class="rulelang-{kind}">{text}</p>' in html
    assert re.search(r"<dt>value</dt>\s*<dd><p>2</p>", html)
    assert (tmp_path / "html" / "_static" / "rulelang-cards.css").is_file()
    assert ">Pawns</p>" in html


def test_directive_refuses(robots: Path, tmp_path: Path) -> None:
    """A kind that there is not is an error of the page that names those there are."""
    _, warnings, _ = build(tmp_path, f".. rulelang-cards:: ../{robots.name}\n   :kind: Crad")
    assert "no kind `Crad`; it has Card, Pawn" in warnings


def test_a_text_of_ones_own_stands_beside_the_made_one(tmp_path: Path) -> None:
    """`text` of a row, in its language only: in the face, in `info --cards`, in the box of `play`."""
    (tmp_path / "robots").mkdir()
    own = RULESET.replace("      words: {fr: {one: le moulin}}\n", "      text: {fr: Moulin à prières.}\n", 1)
    (tmp_path / "robots" / "ruleset.yaml").write_text(own, encoding="utf-8")
    ruleset = load(tmp_path / "robots")
    row = next(row for row in ruleset.pieces if row.id == "the_mill")
    french, english = face(ruleset, row, "fr"), face(ruleset, row, "en")
    assert (french.text, english.text) == ("Moulin à prières.", "")
    assert french.effects
    assert french.to_json()["text"] == "Moulin à prières."
    path = str(tmp_path / "robots")
    shown = CliRunner().invoke(rulelang, ["info", path, "--cards", "--lang", "fr"]).output
    assert "  Moulin à prières.\n" in shown
    assert "Moulin" not in CliRunner().invoke(rulelang, ["info", path, "--cards", "--lang", "en"]).output
    game = rulelang_api.load(path)
    out = io.StringIO()
    Console(file=out, width=80).print(card(game, Names(game.new_game(2), "fr"), "mill"))
    assert "Moulin à prières." in out.getvalue()
