"""The notebook of the docs runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

NOTEBOOK = Path(__file__).resolve().parents[2] / "docs" / "lab.ipynb"


def test_the_cells_run_in_order() -> None:
    """Each does; the last two show cards, and shares between 0 and 1."""
    pytest.importorskip("pyarrow")
    names: dict[str, Any] = {}
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    shown = []
    for cell in cells:
        if cell["cell_type"] == "code":
            *lines, last = "".join(cell["source"]).splitlines()
            exec("\n".join(lines), names)
            if " = " in last or last.startswith("from "):
                exec(last, names)
            else:
                shown.append(eval(last, names))
    names["study"].__exit__()
    findings, seat, cards, shares = shown
    assert 0 <= seat.low <= seat.value <= seat.high <= 1
    assert all(row["card"] for row in cards)
    assert all(0 <= value <= 1 for value in shares)
    assert isinstance(findings, tuple)
