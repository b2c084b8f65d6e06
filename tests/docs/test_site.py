"""The site reads well: what its pages show is real, marked and in parts."""

from __future__ import annotations

import html
import re
import subprocess
import sys
import zlib
from pathlib import Path

import game_pages
import picture
import pytest
from pygments.styles import get_style_by_name
from pygments.token import STANDARD_TYPES, Comment, Error, Generic, Whitespace, _TokenType

from rulelang.highlight import RulesetLexer
from rulelang.syntax.words import KEYWORDS
from tests import soak
from tests.reference import CHAPTERS, YAML
from tests.remembered import remembered

ROOT = Path(__file__).resolve().parents[2]
DOCS, STATIC = ROOT / "docs", ROOT / "docs" / "_static"
GOLDEN = ROOT / "tests" / "diagnostics" / "golden"
BUILD = """
import gc, sys
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.cmd.build import main
gc.disable()
StandaloneHTMLBuilder.search = "--soak" in sys.argv
sys.exit(main([each for each in sys.argv[1:] if each != "--soak"]))
"""
"""Looking for garbage takes a sixth of the time, and words that are looked for on the site a twelfth."""
MENUS = {
    "Learn": ["five_minutes", "tutorial", "examples", "howto/index", "rulesets/index"],
    "Reference": [
        "language/index",
        "cli",
        "api",
        "environments",
        "lab",
        "diagnostics/index",
        "Index <genindex>",
        "changelog",
    ],
    "Engine": [
        "architecture",
        "howto/add_an_operation",
        "howto/add_a_language",
        "glossary",
        "backends",
        "threat-model",
        "decisions/index",
        "contributing",
        "releasing",
    ],
}


def test_the_language_is_in_chapters() -> None:
    """Between eight and sixteen beside the first page and the index of words, each of which a reader finishes: no more
    than 12 000 characters."""
    assert not (DOCS / "language.md").exists()
    chapters = [chapter for chapter in CHAPTERS if chapter.name != "word_index.md"]
    assert 8 <= len(chapters) - 1 <= 16
    assert [chapter.name for chapter in chapters if len(chapter.read_text(encoding="utf-8")) > 12_000] == []


def test_the_menu_is_in_parts() -> None:
    """Three parts under captions, each page in one of them."""
    trees = re.findall(
        r"```\{toctree\}\n:caption: (\w+)\n:hidden:\n\n(.*?)\n```", (DOCS / "index.md").read_text(), re.S
    )
    assert {caption: pages.split("\n") for caption, pages in trees} == MENUS


STYLE = (STATIC / "site.css").read_text(encoding="utf-8")
OWN = {
    name: dict(re.findall(r"([\w-]+): (none|var\([\w-]+\))", rule))
    for name, rule in re.findall(r"^html:root body \.highlight \.(\w+) { (.*) }$", STYLE, re.M)
}
"""What the style sheet itself says of each class of tokens."""


def known(token: _TokenType) -> _TokenType:
    """Return the nearest token above that styles know."""
    return token if token in STANDARD_TYPES or token.parent is None else known(token.parent)


SHOWN = {known(token) for _, token, _ in RulesetLexer().get_tokens_unprocessed("\n".join(YAML))} - {Whitespace}


@pytest.mark.parametrize(
    ("ground", "theme"),
    [("body", "a11y-light"), ('body[data-theme="dark"]', "native"), ('  body:not([data-theme="light"])', "native")],
)
def test_code_can_be_read(ground: str, theme: str) -> None:
    """By WCAG, with 4.5 to 1, in the light and both ways to the dark: every token of rules, YAML and diffs, as theme or
    style sheet colour it, on a ground of its own, or on the page's and in a marked line."""
    (block,) = re.findall(rf"^{re.escape(ground)} {{\n(.*?)}}", STYLE, re.M | re.S)
    colours = {"none": "", **{f"var({name})": value for name, value in re.findall(r"(--[\w-]+): (#\w{6});", block)}}
    paper = get_style_by_name(theme)
    low = []
    for token in SHOWN | {Comment.Special, Error, Generic.Inserted, Generic.Deleted}:
        own, theirs = OWN.get(STANDARD_TYPES[token], {}), paper.style_for_token(token)
        ink = colours[own["color"]] if "color" in own else f"#{theirs['color'] or '808080'}"
        back = colours[own["background"]] if "background" in own else theirs["bgcolor"] and f"#{theirs['bgcolor']}"
        grounds = [back] if back else [paper.background_color, colours[OWN["hll"]["background"]]]
        low += [(token, ink, behind) for behind in grounds if contrast(ink, behind) < 4.5]
    assert low == []


def contrast(*colours: str) -> float:
    """Return the ratio of two colours `#rrggbb` by WCAG 2, from 1 to 21."""

    def light(colour: str) -> float:
        parts = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    darker, lighter = sorted(map(light, colours))
    return (lighter + 0.05) / (darker + 0.05)


def test_contrast() -> None:
    """Black on white is 21 to 1, a colour on itself 1; #777777 on white the standard has at 4.48."""
    assert contrast("#000000", "#ffffff") == 21
    assert contrast("#123456", "#123456") == 1
    assert round(contrast("#777777", "#ffffff"), 2) == 4.48


def test_the_picture_is_the_screen() -> None:
    """The entry page shows what `play` shows today, and fetches nothing; `python docs/picture.py` draws it again."""
    svg = picture.FILE.read_text(encoding="utf-8")
    assert "url(http" not in svg
    rows: dict[str, str] = {}
    for row, words in re.findall(r'<text class="play-[^>]*clip-path="url\(#play-(line-\d+)\)">(.*?)</text>', svg):
        rows[row] = rows.get(row, "") + html.unescape(words)
    shown = [row.replace("\u00a0", " ").split() for row in rows.values()]
    assert [row for row in shown if row] == [row.split() for row in picture.screen().plain.split("\n") if row.strip()]


def test_every_game_has_its_picture() -> None:
    """Of its table in the browser, of at most 80 kB, on its page; `python docs/tables.py` takes it."""
    for name in game_pages.names():
        page = (DOCS / "rulesets" / f"{name}.md").read_text(encoding="utf-8")
        assert f"table-{name}.webp" in page or f"```{{classic}} {name}\n" in page
        assert 0 < (STATIC / f"table-{name}.webp").stat().st_size <= 80_000


@pytest.mark.slow
@remembered("docs", "tests", "CHANGELOG.md", "CONTRIBUTING.md")
def test_the_site(tmp_path: Path) -> None:
    """The documentation builds without a warning: no dead reference, no page that nothing leads to. The theme of the
    site adds half of the time again, for a menu on each page, and quotation marks a fourteenth. Then
    its pages show what they should."""
    options = ["-q", "-W", "--keep-going", "-E", "-b", "html", "-D", "html_theme=basic", "-d", str(tmp_path / "trees")]
    options += ["-D", "smartquotes=0"] if soak.FACTOR == 1 else ["--soak"]
    done = subprocess.run(
        [sys.executable, "-c", BUILD, *options, "docs", tmp_path / "html"],
        cwd=ROOT, capture_output=True, text=True, timeout=500, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    entry, tutorial, *cards = (
        (tmp_path / "html" / f"{page}.html").read_text(encoding="utf-8")
        for page in ("index", "tutorial", "rulesets/reco", "rulesets/ldd", "rulesets/imaginarium")
    )
    assert re.search(r'<img [^>]*class="play"', entry)
    assert ">play_garbage</span>" in entry
    assert all(f'<span class="{name}">' in tutorial for name in ("gi", "gd"))
    assert "site.css" in tutorial
    assert [page.count('<div class="rulelang-card rulelang-figures-') > 20 for page in cards] == [True] * 3
    assert [page for page in cards if "rulelang-cards docutils container" not in page] == []
    assert messages(tmp_path / "html" / "diagnostics") == []
    assert '<div class="output ' in (tmp_path / "html" / "lab_notebook.html").read_text(encoding="utf-8")
    index = words((tmp_path / "html" / "genindex.html").read_text(encoding="utf-8"))
    assert sorted(KEYWORDS - {re.sub(r"(, \[\d+\])*$", "", line.strip()) for line in index.split("\n")}) == []
    inventory = zlib.decompress((tmp_path / "html" / "objects.inv").read_bytes().split(b"zlib.\n", 1)[1]).decode()
    assert {f"{word} std:word" for word in KEYWORDS} <= {" ".join(line.split()[:2]) for line in inventory.splitlines()}


def messages(folder: Path) -> list[str]:
    """Return the codes whose page lacks the message as `check` prints it, or a mark on the line that it quotes."""
    wrong = []
    for golden in sorted(GOLDEN.glob("*.txt")):
        message = golden.read_text(encoding="utf-8").strip()
        page = (folder / f"{golden.stem}.html").read_text(encoding="utf-8")
        marked = [words(line).strip() for line in re.findall(r'<span class="hll">(.*?)\n</span>', page)]
        quoted = re.search(r"\A\S+:\d+:\d+: .*\n *\d+ \| +(.*)", message)
        same = marked and ("# escaped" in page or quoted is None or quoted[1] in marked)
        placed = re.match(r"\S+:\d+:\d+: ", message)
        if message not in words(page) or (placed and not same):
            wrong.append(golden.stem)
    return wrong


def words(page: str) -> str:
    """Return the text of HTML."""
    return html.unescape(re.sub(r"<[^>]*>", "", page))
