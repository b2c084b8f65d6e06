"""The language reference as tests read it: its chapters in the order of the menu, their text as one, and with it the
page of examples."""

from __future__ import annotations

import re
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "docs" / "language"
INDEX = FOLDER / "index.md"
CHAPTERS = [INDEX, *(FOLDER / f"{name}.md" for name in re.findall(r"^(\w+)$", INDEX.read_text(encoding="utf-8"), re.M))]
TEXT = "\n".join(chapter.read_text(encoding="utf-8") for chapter in CHAPTERS)
EXAMPLES = FOLDER.parent / "examples.md"
YAML: list[str] = re.findall(r"^```yaml\n(.*?)^```", TEXT + EXAMPLES.read_text(encoding="utf-8"), re.M | re.S)
"""The blocks of YAML of both."""
