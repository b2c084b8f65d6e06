"""A ruleset's own look: colours, signs and pictures; what is wrong with it is said, and nothing else is served."""

from __future__ import annotations

from pathlib import Path

from rulelang.web.theme import PICTURE, STYLES, picture, theme_of
from tests.play.games import STALLS, ruleset

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
THEME = """\
rulelang: 1
colours: {red: "#c0392b"}
signs: {ruby: R}
pictures: {ruby: ruby.png, sky: big.png, Card: page.jpg}
"""


def test_a_theme(tmp_path: Path) -> None:
    """What it names is served as what it is; what is too large, no picture, or leads out of the folder is not."""
    folder = tmp_path / "theme"
    folder.mkdir()
    (folder / "theme.yaml").write_text(THEME, encoding="utf-8")
    (folder / "ruby.png").write_bytes(PNG)
    (folder / "big.png").write_bytes(PNG + bytes(PICTURE))
    (folder / "secret.png").write_bytes(PNG)
    (tmp_path / "outside.jpg").write_bytes(b"\xff\xd8\xff")
    (folder / "page.jpg").symlink_to(tmp_path / "outside.jpg")
    game = ruleset(tmp_path, STALLS)
    theme = theme_of(game)
    assert (theme.signs, theme.picture("ruby", "Card"), theme.picture("none")) == ({"ruby": "R"}, "ruby.png", "")
    assert picture(game, "ruby.png") == (PNG, "image/png")
    assert picture(game, STYLES) == (b".own-red{--c:#c0392b}\n", "text/css")
    for name in ("big.png", "secret.png", "page.jpg", "../ruleset.yaml", "theme.yaml"):
        assert picture(game, name) is None
    assert theme.faults == ("big.png: no picture", "page.jpg: no picture")


def test_a_wrong_theme(tmp_path: Path) -> None:
    """It is not used, and says where it is wrong; names that the ruleset has not are told too."""
    (tmp_path / "theme").mkdir()
    file = tmp_path / "theme" / "theme.yaml"
    file.write_text('rulelang: 1\ncolours: {red: "red; }"}\n', encoding="utf-8")
    wrong = theme_of(ruleset(tmp_path, STALLS))
    assert not wrong.colours
    assert len(wrong.faults) == 1
    assert "theme.yaml:2" in wrong.faults[0]
    file.write_text('rulelang: 1\ncolours: {reed: "#123456"}\n', encoding="utf-8")
    assert theme_of(ruleset(tmp_path, STALLS)).faults == ("colours: there is no `reed`",)
