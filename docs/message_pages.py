"""The pages of the messages on the site: what `rulelang check` prints, its line marked, what mends it as a diff.

Enters: a page of `docs/diagnostics` and `tests/diagnostics/golden/CODE.txt`, which the tests hold against what `check`
prints. Leaves: the page with the message below the wrong example. The files stay what `rulelang explain` shows.
"""

from __future__ import annotations

import difflib
import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

GOLDEN = Path(__file__).resolve().parents[1] / "tests" / "diagnostics" / "golden"
GAME = "game"
PLACE = re.compile(r"^(\S+):(\d+):\d+: (?:error|warning)\[", re.MULTILINE)
ALIKE = 0.5
"""Examples that have less in common are shown one below the other."""


class Fence:
    """A block of an example: the file that it stands for, and how many lines above its text say so."""

    def __init__(self, block: nodes.literal_block) -> None:
        self.block = block
        self.lines = block.astext().rstrip("\n").split("\n")
        named = self.lines[0].startswith("# file: ")
        name = self.lines[0].removeprefix("# file: ") if named else "ruleset.yaml"
        self.file = posixpath.normpath(f"{GAME}/{name}")
        self.escaped = self.lines[named:][:1] == ["# escaped"]
        self.head = named + self.escaped
        self.marked: set[int] = set()

    def mark(self, line: int) -> None:
        """Mark a line of the file; where the fence says how often a text is repeated, that text."""
        repeated = [n for n, text in enumerate(self.lines, 1) if self.escaped and "\\(" in text]
        self.marked |= set(repeated or [line + self.head])
        self.block["highlight_args"] = {"hl_lines": sorted(self.marked)}

    def mended(self, right: Fence) -> nodes.literal_block | None:
        """Return the right text as a diff; None where too little stayed."""
        if difflib.SequenceMatcher(None, self.lines, right.lines).ratio() < ALIKE:
            return None
        lines = list(difflib.unified_diff(self.lines, right.lines, n=len(self.lines), lineterm=""))[3:]
        text = "\n".join(lines)
        return nodes.literal_block(text, text, language="diff") if lines else None


def fences(section: nodes.section) -> list[Fence]:
    """Return the blocks of an example that are files."""
    blocks = section.findall(nodes.literal_block)
    return [Fence(block) for block in blocks if block.get("language") != "console"]


def show_message(app: Sphinx, document: nodes.document) -> None:
    """Add to the page of a message what the site shows of it."""
    folder, _, code = app.env.docname.rpartition("/")
    golden = GOLDEN / f"{code}.txt"
    if folder != "diagnostics" or not golden.is_file():
        return
    app.env.note_dependency(str(golden))
    message = golden.read_text(encoding="utf-8").rstrip("\n")
    wrong, right = (node for node in document.findall(nodes.section) if node["ids"][0] in ("wrong", "right"))
    files = {fence.file: fence for fence in fences(wrong)}
    for file, line in PLACE.findall(message):
        if file in files:
            files[file].mark(int(line))
    commands = [block for block in wrong.findall(nodes.literal_block) if block.get("language") == "console"]
    command = commands[0].astext().strip() if commands else f"$ rulelang check {GAME}"
    for block in commands:
        wrong.remove(block)
    text = f"{command}\n{message}"
    wrong += nodes.literal_block(text, text, language="text", classes=["message"])
    for fence in fences(right):
        mended = files[fence.file].mended(fence) if fence.file in files else None
        if mended is not None:
            fence.block.replace_self(mended)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Make the pages known to Sphinx."""
    app.connect("doctree-read", show_message)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
