"""The notebook of the docs runs, and gives what its page shows."""

from __future__ import annotations

import json
import re
from ast import literal_eval
from typing import Any

import notebooks
import pytest


def test_the_cells_give_what_is_kept() -> None:
    """They show no findings, a share with its interval, cards, and shares between 0 and 1; so does the page, which
    `python docs/notebooks.py` makes anew."""
    pytest.importorskip("pyarrow")
    cells = json.loads(notebooks.NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    names: dict[str, Any] = {}
    shown = notebooks.results(cells, names)
    names["study"].__exit__()
    assert shown == [notebooks.kept(cell) for cell in cells]
    findings, seat, cards, shares = filter(None, shown)
    assert findings == "()"
    value, low, high, games = map(float, re.findall(r"=([\d.]+)", seat))
    assert 0 <= low <= value <= high <= 1
    assert games == 30
    assert all(row["card"] for row in literal_eval(cards))
    assert all(0 <= share <= 1 for share in literal_eval(shares))


def test_cells_as_markdown() -> None:
    """Text stays, code and what it gave are fences; what has no value shows nothing, and every cell sees the names of
    those before."""
    code = ["n = 6\n", "n"], ["m = n * 7"], ["m"]
    cells = [{"cell_type": "code", "source": source} for source in code]
    cells.insert(0, {"cell_type": "markdown", "source": ["# Six"]})
    assert notebooks.results(cells, {}) == ["", "6", "", "42"]
    assert notebooks.markdown(cells[0]) == "# Six"
    assert notebooks.markdown(cells[2]) == "````python\nm = n * 7\n````"
    given = {**cells[3], "outputs": [{"data": {"text/plain": ["42"]}}]}
    assert notebooks.markdown(given) == "````python\nm\n````\n\n````{code-block} python\n:class: output\n\n42\n````"
