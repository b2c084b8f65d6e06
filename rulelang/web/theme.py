"""A ruleset's own colours, signs and pictures: `theme/theme.yaml` and the pictures beside it.

Enters: a ruleset. Leaves: a `Theme`, the bytes of a picture, a style sheet of the colours. A ruleset without a theme
has the usual look, and so has one whose theme is wrong, which then says why. A picture is served if the theme names it,
if it lies in that very folder, is no larger than `PICTURE` bytes and begins as files of its type do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from rulelang.diagnostics import Diagnostics
from rulelang.game import Ruleset
from rulelang.inputs import read_input
from rulelang.ruleset.files import read_file
from rulelang.ruleset.nodes import plain
from rulelang.ruleset.schema import validate
from rulelang.ruleset.yaml_reader import read_yaml

FOLDER, FILE, SCHEMA = "theme", "theme.yaml", "theme.schema.json"
STYLES = "colours.css"
PICTURE = 1 << 20
TYPES = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif", b"RIFF": "image/webp"}
"""First bytes of a file -> its media type."""


@dataclass(frozen=True)
class Theme:
    """The declared look of a ruleset.

    Attributes:
        colours: name of a value, resource or row -> colour. signs: name -> one to three letters. by: kind -> the
            attribute that colours its cards. pictures: name -> file. folders: file -> its folder. faults: messages for
            errors.
    """

    colours: Mapping[str, str] = field(default_factory=dict)
    signs: Mapping[str, str] = field(default_factory=dict)
    by: Mapping[str, str] = field(default_factory=dict)
    pictures: Mapping[str, str] = field(default_factory=dict)
    folders: Mapping[str, Path] = field(default_factory=dict)
    faults: tuple[str, ...] = ()

    def picture(self, *names: str) -> str:
        """Return the file for the first of these names that has one; empty without."""
        return next((self.pictures[name] for name in names if name in self.pictures), "")

    def styles(self) -> str:
        """Return a style sheet with a class for each colour."""
        return "".join(f".own-{name}{{--c:{colour}}}\n" for name, colour in self.colours.items())


@lru_cache(maxsize=32)
def theme_of(ruleset: Ruleset) -> Theme:
    """Return the theme of a ruleset: that of its base, overridden by those of its variants and overlays."""
    merged: dict[str, dict[str, Any]] = {"colours": {}, "signs": {}, "by": {}, "pictures": {}}
    folders: dict[str, Path] = {}
    diagnostics = Diagnostics()
    for layer in ruleset.written.layers:
        folder = Path(layer.folder) / FOLDER
        own = _own(folder, diagnostics)
        for key, values in merged.items():
            values.update(own.get(key, {}))
        folders.update(dict.fromkeys(own.get("pictures", {}).values(), folder))
    faults = [f"{finding.span.path}:{finding.span.line}: {finding.message}" for finding in diagnostics]
    faults += _unknown_name_messages(ruleset, merged) + [
        f"{name}: no picture" for name in folders if _read(folders, name) is None
    ]
    return Theme(**merged, folders=folders, faults=tuple(faults))


def _own(folder: Path, diagnostics: Diagnostics) -> dict[str, Any]:
    """Return what the theme in a folder says; nothing if there is none, or it is wrong."""
    source = read_file(folder / FILE, folder.resolve(), diagnostics) if (folder / FILE).is_file() else None
    tree = read_yaml(source, diagnostics) if source is not None else None
    return {} if tree is None or validate(tree, SCHEMA, diagnostics) else cast("dict[str, Any]", plain(tree))


def cover_in(ruleset: Path) -> tuple[bytes, str] | None:
    """Return the picture that stands for the ruleset of a folder, with its media type; None if its theme has none."""
    folder = ruleset / FOLDER
    name = str(_own(folder, Diagnostics()).get("cover", ""))
    return _read({name: folder}, name)


def _unknown_name_messages(ruleset: Ruleset, merged: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return messages for names in a theme that the ruleset does not have."""
    written = ruleset.written
    names = {row.id for row in written.pieces} | {row.name for row in written.kinds}
    names |= {value.name for row in written.types for value in row.values}
    names |= {value.name for row in written.resources for value in row.values}
    return [f"{key}: there is no `{name}`" for key, values in merged.items() for name in values if name not in names]


def picture(ruleset: Ruleset, name: str) -> tuple[bytes, str] | None:
    """Return a picture of the theme, or its style sheet, with its media type; None if there is none of this name."""
    theme = theme_of(ruleset)
    return (theme.styles().encode(), "text/css") if name == STYLES else _read(theme.folders, name)


def _read(folders: Mapping[str, Path], name: str) -> tuple[bytes, str] | None:
    """Return a picture with its media type; None if there is no such file in its folder."""
    if name not in folders:
        return None
    path = (folders[name] / name).resolve()
    try:
        data = read_input(path, PICTURE) if path.parent == folders[name].resolve() else b""
    except OSError:
        return None
    media_type = next((type_ for start, type_ in TYPES.items() if data.startswith(start)), "")
    return (data, media_type) if media_type else None
