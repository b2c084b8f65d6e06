"""A ruleset's own look: `theme/theme.yaml` and the pictures beside it.

Enters: a ruleset. Leaves: a `Theme`, the bytes of a picture, a style sheet. A ruleset without a theme has the usual
look, and so has one whose theme is wrong, which then says why. A picture is served if the theme names it, if it lies in
that very folder, is no larger than `PICTURE` bytes and begins as files of its type do; an SVG if it only draws.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any, cast
from xml.etree import ElementTree

from rulelang.diagnostics import Diagnostics
from rulelang.game import Ruleset
from rulelang.inputs import read_input
from rulelang.memos import kept_with
from rulelang.ruleset.files import read_file
from rulelang.ruleset.nodes import plain
from rulelang.ruleset.schema import validate
from rulelang.ruleset.yaml_reader import read_yaml

FOLDER, FILE, SCHEMA = "theme", "theme.yaml", "theme.schema.json"
STYLES = "colours.css"
PICTURE = 1 << 20
TYPES = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif", b"RIFF": "image/webp"}
"""First bytes of a file -> its media type."""
SVG = "image/svg+xml"
DRAWS = frozenset(
    "svg g path circle ellipse rect line polyline polygon defs symbol use linearGradient radialGradient stop clipPath "
    "mask pattern title desc".split()
)
"""Elements of an SVG that draw; links within it and plain attributes are allowed, nothing that leads out of it."""
ACTIVE = re.compile(r"^on|^style$|^src$", re.IGNORECASE)
FONTS = {
    "plain": "system-ui, sans-serif", "serif": "Charter, Georgia, serif", "slab": "Rockwell, 'Roboto Slab', serif",
    "rounded": "ui-rounded, 'Arial Rounded MT Bold', Quicksand, sans-serif",
    "narrow": "'Arial Narrow', 'Roboto Condensed', sans-serif-condensed, sans-serif",
    "typewriter": "'Courier Prime', 'Courier New', monospace",
}  # fmt: skip
"""Names of fonts -> those that computers have."""


@dataclass(frozen=True)
class Theme:
    """The declared look of a ruleset.

    Attributes:
        colours: name of a value, resource or row -> colour. signs: name -> one to three letters. by: kind -> the
            attribute that colours its cards. pictures: name -> file. backs: kind -> file. boards: grid -> file. cells:
            grid -> sign of its map -> file. patterns: grid -> `chequered`, `crossings` or `slanted`. layout: zone ->
            `pile`, `track`, `cards` or `hidden`. shapes: kind -> shape. players: colour of a party -> shade. fonts:
            `titles`, `text` -> font. places: picture, size and where zones are `at`. folders: file -> its folder.
            faults: messages for errors.
    """

    colours: Mapping[str, str] = field(default_factory=dict)
    signs: Mapping[str, str] = field(default_factory=dict)
    by: Mapping[str, str] = field(default_factory=dict)
    pictures: Mapping[str, str] = field(default_factory=dict)
    backs: Mapping[str, str] = field(default_factory=dict)
    boards: Mapping[str, str] = field(default_factory=dict)
    cells: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    patterns: Mapping[str, str] = field(default_factory=dict)
    layout: Mapping[str, str] = field(default_factory=dict)
    shapes: Mapping[str, str] = field(default_factory=dict)
    players: Mapping[str, str] = field(default_factory=dict)
    fonts: Mapping[str, str] = field(default_factory=dict)
    places: Mapping[str, Any] = field(default_factory=dict)
    folders: Mapping[str, Path] = field(default_factory=dict)
    faults: tuple[str, ...] = ()

    def picture(self, *names: str) -> str:
        """Return the file for the first of these names that has one; empty without."""
        return next((self.pictures[name] for name in names if name in self.pictures), "")

    @property
    def hidden(self) -> frozenset[str]:
        """Return the zones and variables that are not drawn."""
        return frozenset(zone for zone, layout in self.layout.items() if layout == "hidden")

    @cached_property
    def styles(self) -> str:
        """Return a style sheet: a class for each colour, back and place."""
        rules = [f".own-{name}{{--c:{colour}}}" for name, colour in self.colours.items()]
        rules += [f".p-{name}{{--p:{colour}}}" for name, colour in self.players.items()]
        rules += [f".back-{kind}{{background:url({file}) center/cover}}" for kind, file in self.backs.items()]
        rules += [f":root{{--{use}:{FONTS[font]}}}" for use, font in self.fonts.items()]
        if self.places:
            width, height = self.places["size"]
            rules.append(f".map{{aspect-ratio:{width}/{height};background:url({self.places['picture']}) center/cover}}")
            rules += [f".at-{at}{{left:{x}%;top:{y}%;width:{wide}%}}" for at, (x, y, wide) in self.places["at"].items()]
        return "".join(f"{rule}\n" for rule in rules)


SECTIONS = tuple(row.name for row in fields(Theme) if row.name not in ("folders", "faults"))


@kept_with
def theme_of(ruleset: Ruleset) -> Theme:
    """Return the theme of a ruleset: that of its base, overridden by those of its variants and overlays."""
    merged: dict[str, dict[str, Any]] = {section: {} for section in SECTIONS}
    folders: dict[str, Path] = {}
    diagnostics = Diagnostics()
    for layer in ruleset.written.layers:
        folder = Path(layer.folder) / FOLDER
        own = _own(folder, diagnostics)
        for key, values in merged.items():
            values.update(own.get(key, {}))
        folders.update(dict.fromkeys(_files(own), folder))
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


def _files(own: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return the pictures that a theme names."""
    named = [*(own.get(key, {}) for key in ("pictures", "backs", "boards")), *own.get("cells", {}).values()]
    named += [{"": row["picture"]} for row in (own.get("places"),) if row]
    return [file for row in named for file in row.values()]


def _unknown_name_messages(ruleset: Ruleset, merged: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return messages for names in a theme that the ruleset does not have."""
    written = ruleset.written
    kinds, grids, zones = ({row.name for row in rows} for rows in (written.kinds, written.grids, written.zones))
    variables = {row.name for row in (*written.variables, *written.marks)}
    variables |= {row.name for kind in written.kinds for row in (*kind.variables, *kind.marks)}
    values = {value.name for row in written.types for value in row.values}
    values |= {value.name for row in written.resources for value in row.values}
    names = {row.id for row in written.pieces} | kinds | values
    known = dict.fromkeys(("colours", "signs", "by", "pictures"), names)
    known |= {"backs": kinds, "shapes": kinds, "layout": zones | variables, "at": zones | values}
    known |= dict.fromkeys(("boards", "cells", "patterns"), grids)
    named = [(key, row) for key, row in merged.items() if key in known] + [("at", merged["places"].get("at", {}))]
    return [f"{key}: there is no `{name}`" for key, row in named for name in row if name not in known[key]]


def picture(ruleset: Ruleset, name: str) -> tuple[bytes, str] | None:
    """Return a picture of the theme, or its style sheet, with its media type; None if there is none of this name."""
    theme = theme_of(ruleset)
    return (theme.styles.encode(), "text/css") if name == STYLES else _read(theme.folders, name)


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
    if not media_type and name.endswith(".svg") and _only_draws(data):
        media_type = SVG
    return (data, media_type) if media_type else None


def _only_draws(data: bytes) -> bool:
    """Return whether an SVG holds nothing but shapes: no script, style, entity, text, or link that leads out of it."""
    try:
        text = data.decode()
        root = ElementTree.fromstring(text) if "<!" not in text and "<?" not in text else None
    except (UnicodeDecodeError, ElementTree.ParseError, ValueError):
        return False
    if root is None or root.tag != "{http://www.w3.org/2000/svg}svg":
        return False
    for element in root.iter():
        if str(element.tag).removeprefix("{http://www.w3.org/2000/svg}") not in DRAWS:
            return False
        for key, value in element.attrib.items():
            name = key.rpartition("}")[2]
            leads = (name == "href" or "url" in value.lower()) and not re.fullmatch(r"#[\w-]+|url\(#[\w-]+\)", value)
            if ACTIVE.search(name) or leads or "\\" in value:
                return False
    return True
