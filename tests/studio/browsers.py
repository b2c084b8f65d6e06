"""The studio in a real browser: a process of its own, a page, what an author does there."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rulelang.cli.new import make

PATIENCE = 120_000
"""So many milliseconds something may take on a busy machine."""
PRICE = "reward_price -> number = "


@contextmanager
def studio(folder: Path) -> Iterator[str]:
    """The link of a studio for a copy of R-ECO."""
    make(folder, "reco")
    command = [sys.executable, "-m", "rulelang", "studio", str(folder), "--no-browser"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=folder.parent)
    try:
        assert process.stderr is not None
        yield process.stderr.readline().split()[1]
    finally:
        process.terminate()
        process.wait(20)


def write_and_play(page: Any, link: str) -> None:
    """Let bots play two rounds, make rewards cheaper, and wait until the table and the figures show it."""
    page.set_default_timeout(PATIENCE)
    page.goto(link)
    page.wait_for_selector(".tok-property")
    page.get_by_role("button", name="reco.rule").click()
    page.wait_for_selector(".tok-keyword")
    for _ in range(2):
        page.wait_for_selector("[data-until=round]:not([disabled])")
        before = page.locator("#where").inner_text()
        page.click("[data-until=round]")
        page.locator("#where").filter(has_not_text=before).wait_for()
        page.wait_for_selector("#halt", state="hidden")
    page.click("#tab-numbers")
    find(page, f"{PRICE}4")
    page.keyboard.insert_text(f"{PRICE}3")
    page.wait_for_selector("#difference:not([hidden]) li")
    page.locator("#figures").filter(has_text="400 games each").filter(has_text="Before").wait_for()
    page.wait_for_selector("#count-stop", state="hidden")


def find(page: Any, text: str) -> None:
    """Select a text in the editor."""
    page.click(".cm-content")
    page.keyboard.press("Control+f")
    page.keyboard.type(text)
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
