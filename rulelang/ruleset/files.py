"""Finds and reads the files of a ruleset folder, and no others.

Enters: a path, or the name of a shipped ruleset. Leaves: the texts of the folder's YAML and rule files as `Source`s.
A ruleset is untrusted: links that lead out of its folder, special files, large files and characters that no text needs
are refused here, before anything reads them.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from rulelang.diagnostics import Diagnostics, Source, Span, suggest
from rulelang.resources import shipped_rulesets
from rulelang.ruleset.nodes import file_span

MAX_FILE = 4 * 1024 * 1024
MAX_FILES = 500
MAX_LINE = 10_000
HEADER = "ruleset.yaml"

_NOT_READ = {"lexicon", "scenarios"}  # files of other stages that may stand beside the ruleset's own
# Control characters, line breaks that only some programs know, and characters that turn the writing direction around.
BAD_CHARACTER = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff\ufffe\uffff]"
)


@dataclass(frozen=True)
class Layer:
    """The files of one folder: the base ruleset or what is laid over it."""

    folder: Path
    yaml: tuple[Source, ...]
    rules: tuple[Source, ...]


def find_folder(path: str | Path, diagnostics: Diagnostics) -> Path | None:
    """The real folder that a path or the name of a shipped ruleset means."""
    given = Path(path)
    shipped = shipped_rulesets()
    if means_shipped(path):
        return (shipped / str(path)).resolve()
    if os.path.isdir(given):
        return given.resolve()
    names = sorted(p.name for p in shipped.iterdir() if p.is_dir()) if shipped.is_dir() else []
    where = file_span(Source(str(path), ""))
    if os.path.exists(given):
        diagnostics.error(
            "ruleset-not-found", f"`{path}` is not a folder: a ruleset is a folder with a `{HEADER}`", where
        )
    else:
        hint = suggest(str(path), names) or (f"shipped rulesets: {', '.join(names)}" if names else "")
        diagnostics.error("ruleset-not-found", f"there is no folder and no shipped ruleset `{path}`", where, hint)
    return None


def means_shipped(path: str | Path) -> bool:
    """Whether a shipped ruleset is meant: a folder that happens to be called like one does not hide it, unless it is
    a ruleset."""
    name = str(path)
    return is_name(name) and os.path.isdir(shipped_rulesets() / name) and not os.path.isfile(Path(path) / HEADER)


def is_name(text: str) -> bool:
    """Whether a text can be the name of a shipped ruleset: no part of a path."""
    return re.fullmatch(r"[A-Za-z0-9_-]+", text) is not None


def shown(path: Path) -> str:
    """The path as messages show it: short where it lies under the current folder."""
    here = Path.cwd()
    return path.relative_to(here).as_posix() if path.is_relative_to(here) else path.as_posix()


def read_layer(folder: Path, diagnostics: Diagnostics) -> Layer | None:
    """Reads the YAML and rule files in the root of `folder`, a real path; None when it has no `ruleset.yaml`.

    Findings: `ruleset-missing-header`, `ruleset-python`, `ruleset-link`, `ruleset-file`, `ruleset-size`,
    `ruleset-encoding`, `ruleset-character`, `ruleset-long-line`.
    """
    where = file_span(Source(shown(folder), ""))
    if not (folder / HEADER).is_file():
        diagnostics.error("ruleset-missing-header", f"the folder has no `{HEADER}`", where)
        return None
    _refuse_python(folder, diagnostics)
    names = sorted(entry.name for entry in os.scandir(folder))
    for name in names:
        if name.endswith(".yml"):
            span = file_span(Source(shown(folder / name), ""))
            diagnostics.error("ruleset-file", f"`{name}` is not read: its name must end in `.yaml`", span)
    yaml = [n for n in names if n.endswith(".yaml") and n.split(".")[0] not in _NOT_READ]
    yaml.sort(key=lambda name: (name != HEADER, name))
    rules = [n for n in names if n.endswith(".rule")]
    if len(yaml) + len(rules) > MAX_FILES:
        diagnostics.error("ruleset-size", f"the folder holds more than {MAX_FILES} files", where)
        return None
    return Layer(folder, _read_all(folder, yaml, diagnostics), _read_all(folder, rules, diagnostics))


def _read_all(folder: Path, names: Iterable[str], diagnostics: Diagnostics) -> tuple[Source, ...]:
    sources = (read_file(folder / name, folder, diagnostics) for name in names)
    return tuple(source for source in sources if source is not None)


def read_file(path: Path, folder: Path, diagnostics: Diagnostics) -> Source | None:
    """The text of one file that lies in `folder`, without a byte order mark and with `\\n` as line ends."""
    where = file_span(Source(shown(path), ""))
    real = path.resolve()
    if not real.is_relative_to(folder):
        diagnostics.error("ruleset-link", f"`{path.name}` is a link that leads out of the ruleset's folder", where)
        return None
    if not real.is_file():
        diagnostics.error("ruleset-file", f"`{path.name}` is not a regular file", where)
        return None
    try:
        with real.open("rb") as file:
            data = file.read(MAX_FILE + 1)
    except OSError as error:
        diagnostics.error("ruleset-file", f"`{path.name}` cannot be read: {error.strerror}", where)
        return None
    if len(data) > MAX_FILE:
        diagnostics.error("ruleset-size", f"the file is larger than {MAX_FILE // 1024 // 1024} MiB", where)
        return None
    data = data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
    try:
        source = Source(shown(path), data.decode("utf-8"))
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        span = Span(Source(shown(path), data.decode("utf-8", "replace")), line, column, line, column + 1)
        diagnostics.error("ruleset-encoding", "this byte is not UTF-8", span, "save the file as UTF-8")
        return None
    return source if _characters_fit(source, diagnostics) else None


def _characters_fit(source: Source, diagnostics: Diagnostics) -> bool:
    for number, line in enumerate(source.lines, 1):
        if len(line) > MAX_LINE:
            span = Span(source, number, MAX_LINE, number, MAX_LINE + 1)
            diagnostics.error("ruleset-long-line", f"the line has more than {MAX_LINE} characters", span)
            return False
    bad = BAD_CHARACTER.search(source.text)
    if bad is None:
        return True
    number = source.text.count("\n", 0, bad.start()) + 1
    column = bad.start() - source.text.rfind("\n", 0, bad.start())
    span = Span(source, number, column, number, column + 1)
    diagnostics.error(
        "ruleset-character", f"the invisible character U+{ord(bad.group()):04X} does not belong here", span
    )
    return False


def _refuse_python(folder: Path, diagnostics: Diagnostics) -> None:
    """A ruleset is data: the presence of Python in its folder, at any depth, is an error."""
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if name.endswith(".py"):
                where = file_span(Source(shown(Path(parent) / name), ""))
                diagnostics.error("ruleset-python", "a ruleset is data: its folder holds no Python", where)


def content_hash(layers: Iterable[Layer]) -> str:
    """SHA-256, in hex, over the names and texts of all files of all layers, whatever their folders are called."""
    digest = hashlib.sha256()
    for number, layer in enumerate(layers):
        for source in sorted(layer.yaml + layer.rules, key=lambda s: Path(s.path).name):
            data = source.text.encode()
            digest.update(f"{number}/{Path(source.path).name}\0{len(data)}\0".encode())
            digest.update(data)
    return digest.hexdigest()
