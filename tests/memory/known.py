"""Whether a folder is known to be faultless as it is now."""

from __future__ import annotations

from pathlib import Path

from rulelang.memory.meaning import folder_of


def is_known(path: Path, strict: bool = False) -> bool:
    """Whether its files mean what they did when a check found no fault."""
    folder = folder_of(path)
    return folder is not None and folder.memory.get("strict" if strict else "checked", folder.key) is not None
