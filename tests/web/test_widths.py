"""No card is wider than the column that it lies in, whatever the width of the window and the length of its name."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

import rulelang

CHROMIUM = Path("/usr/bin/chromium")
CSS = Path(rulelang.__file__).parent / "web" / "static" / "app.css"
NAMES = ("Récompense rouge", "Rouge", "Extraordinairement long", "Yellow reward")
PAGE = """\
<!doctype html><meta charset="utf-8"><style>{css}</style><div id="width"><div class="columns">{columns}</div></div>
<pre id="wide"></pre><script>
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
document.getElementById('wide').textContent = [...new Set(wide)].join(' ');
</script>
"""


def _card(name: str, token: str) -> str:
    """A card as `macros.html` writes it."""
    top = f'<span class="top"><span class="name">{name}</span><span class="badge"><b>5</b> <i>points</i></span></span>'
    return f'<li class="card{token}"><a class="face">{top}<span class="count">×3</span></a></li>'


@pytest.mark.skipif(not CHROMIUM.exists(), reason="there is no Chromium")
@pytest.mark.parametrize("token", ["", " token"])
def test_cards_stay_within_their_column(token: str, tmp_path: Path) -> None:
    """Of four columns, one card or two side by side in each."""
    cards = [f'<ul class="cards">{_card(name, token)}</ul>' for name in NAMES]
    cards += [f'<ul class="cards">{_card(name, token)}{_card("a", token)}</ul>' for name in NAMES]
    zones = [f'<div class="zone">{card}</div>' for card in cards]
    pairs = zip(zones[:4], zones[4:], strict=True)
    columns = "".join(f'<section class="column">{one}{two}</section>' for one, two in pairs)
    page = tmp_path / "page.html"
    page.write_text(PAGE.format(css=CSS.read_text(encoding="utf-8"), columns=columns), encoding="utf-8")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}/profile", "--dump-dom"]
    shown = subprocess.run(
        [CHROMIUM, *flags, page.as_uri()], capture_output=True, text=True, timeout=120, check=True
    ).stdout
    found = re.search(r'<pre id="wide">(.*?)</pre>', shown)
    assert found is not None, shown
    assert found[1] == ""
