"""What a browser makes of the style sheet: no card is wider than its column, and nobody is hidden on a phone."""

from __future__ import annotations

import html
import re
import subprocess
from pathlib import Path

import pytest

import rulelang
from rulelang.web.table import fragment
from tests.play.games import STALLS, ruleset
from tests.web.views import view_of

CHROMIUM = Path("/usr/bin/chromium")
CSS = Path(rulelang.__file__).parent / "web" / "static" / "app.css"
NAMES = ("Récompense rouge", "Rouge", "Extraordinairement long", "Yellow reward")
PAGE = """\
<!doctype html><meta charset="utf-8"><style>{css}</style><div id="width">{columns}</div>
<pre id="said"></pre><script>
let wide = [];
for (let width = 330; width < 1300; width += 35) {{
  document.getElementById('width').style.width = width + 'px';
  for (const column of document.querySelectorAll('.column')) {{
    const edge = column.getBoundingClientRect().right - parseFloat(getComputedStyle(column).paddingRight);
    for (const part of column.querySelectorAll('.card, .card *')) {{
      if (part.getBoundingClientRect().right > edge + 0.6) wide.push(width);
    }}
  }}
}}
document.getElementById('said').textContent = [...new Set(wide)].join(' ');
</script>
"""


def _card(name: str, token: str) -> str:
    """A card as `macros.html` writes it."""
    top = f'<span class="top"><span class="name">{name}</span><span class="badge"><b>5</b> <i>points</i></span></span>'
    return f'<li class="card{token}"><a class="face">{top}<span class="count">×3</span></a></li>'


def _columns(token: str) -> str:
    """Four columns, one card or two side by side in each."""
    cards = [f'<ul class="cards">{_card(name, token)}</ul>' for name in NAMES]
    cards += [f'<ul class="cards">{_card(name, token)}{_card("a", token)}</ul>' for name in NAMES]
    zones = [f'<div class="zone">{card}</div>' for card in cards]
    pairs = zip(zones[:4], zones[4:], strict=True)
    columns = "".join(f'<section class="column">{one}{two}</section>' for one, two in pairs)
    return f'<div class="columns">{columns}</div>'


@pytest.mark.skipif(not CHROMIUM.exists(), reason="there is no Chromium")
def test_cards_stay_within_their_column(tmp_path: Path) -> None:
    """Cards and tokens, in columns of all widths."""
    columns = _columns("") + _columns(" token")
    page = tmp_path / "page.html"
    page.write_text(PAGE.format(css=CSS.read_text(encoding="utf-8"), columns=columns), encoding="utf-8")
    assert _said(page, tmp_path) == ""


def _said(page: Path, tmp_path: Path, *more: str) -> str:
    """What a page has written into its last element."""
    flags = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}/profile", "--dump-dom", *more]
    shown = subprocess.run(
        [CHROMIUM, *flags, page.as_uri()], capture_output=True, text=True, timeout=120, check=True
    ).stdout
    found = re.search(r'<pre id="said">(.*?)</pre>', shown)
    assert found is not None, shown
    return html.unescape(found[1])


PHONE = """\
<!doctype html><meta charset="utf-8"><style>{css}</style>{table}<pre id="said"></pre><script>
const small = [...document.querySelectorAll('.player')].map((thing) => [thing.className, thing.offsetHeight > 20]);
document.getElementById('said').textContent = JSON.stringify([innerWidth <= 600, ...small]);
</script>
"""


@pytest.mark.skipif(not CHROMIUM.exists(), reason="there is no Chromium")
def test_a_phone_shows_everybody(tmp_path: Path) -> None:
    """Whoever is to choose sees their own goods, too."""
    page = tmp_path / "page.html"
    table = fragment(view_of(ruleset(tmp_path, STALLS).new_game(2), 0))
    page.write_text(PHONE.format(css=CSS.read_text(encoding="utf-8"), table=table), encoding="utf-8")
    said = _said(page, tmp_path, "--window-size=500,900")
    assert re.findall(r'"player[^"]*",\w+', said) == ['"player p-cyan you turn",true', '"player p-yellow",true']
    assert said.startswith("[true")
