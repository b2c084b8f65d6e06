"""The language reference as tests read it: its chapters in the order of the menu, and their text as one."""

from __future__ import annotations

import re
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "docs" / "language"
INDEX = FOLDER / "index.md"
CHAPTERS = [INDEX, *(FOLDER / f"{name}.md" for name in re.findall(r"^(\w+)$", INDEX.read_text(encoding="utf-8"), re.M))]
TEXT = "\n".join(chapter.read_text(encoding="utf-8") for chapter in CHAPTERS)
YAML: list[str] = re.findall(r"^```yaml\n(.*?)^```", TEXT, re.M | re.S)
"""Its blocks of YAML."""
