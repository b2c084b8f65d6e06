"""A ruleset's folder as it is now: what its files mean, whatever their comments, blank lines and layout.

Enters: a folder. Leaves: a digest for each check of it, equal while its files mean the same.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from collections.abc import Mapping as AnyMapping
from collections.abc import Sequence as Names
from functools import cached_property
from pathlib import Path
from typing import Any

from rulelang.cache import digest_of
from rulelang.diagnostics import Diagnostics
from rulelang.limits import FILE_BYTES, LEXEMES, current
from rulelang.memory.store import Memory
from rulelang.programs import engine_digest
from rulelang.ruleset.files import VARIANTS, characters_fit, display_path, enclosing, find_folder, lexemes, source_of
from rulelang.ruleset.nodes import Mapping, Node, Scalar, Sequence
from rulelang.ruleset.yaml_reader import read_yaml
from rulelang.syntax.meaning import meaning

FILES, BYTES = 1000, 8 << 20
"""A folder with more in it is read and parsed again each time it is checked."""
SCENARIOS = "scenarios"
_OWNER = re.compile(rf"((?:{VARIANTS}/[^/]+(?=/)/?)*?)/?((?!{VARIANTS}/[^/]+/).*)")
"""A path within a ruleset's folder: the folder of the ruleset or variant that it belongs to, and the rest."""
_SILENT = re.compile(r" *(#[^\t]*)?")
"""A line of a scenario file that says nothing; a tab, which YAML may not hold, is a finding in comments, too."""


class Folder:
    """The files of a ruleset's folder, and what is known of them.

    Attributes:
        path: the folder that is checked. outer: that of the base ruleset in which it lies. memory: what is known.
        texts: by path within `outer`, the bytes of each file.
    """

    def __init__(self, path: Path, outer: Path, texts: dict[str, bytes], memory: Memory | None = None) -> None:
        self.path, self.outer, self.texts = path, outer, texts
        self.memory = memory or Memory(digest_of(engine_digest(), str(outer), repr(current())))

    def within(self, path: Path) -> Folder:
        """Return another folder of the same base ruleset, such as a variant's, with the same files and memory."""
        return Folder(path, self.outer, self.texts, self.memory)

    @cached_property
    def key(self) -> str:
        """A digest of what a check of the folder depends on: its rules and its own scenarios; empty where the files
        hold so much that comments count, too."""
        parts, size, words = [self._own], 0, 0
        for name, scenarios in self._matters():
            if scenarios is None:
                parts.append(name)
                continue
            said, length, many = self._known(name, self.texts[name], scenarios)
            parts += [name, said]
            size, words = size + length, words + many
        return digest_of(*parts) if size <= current().text and words <= LEXEMES else ""

    @cached_property
    def read_by_analysis(self) -> dict[str, bytes]:
        """What an analysis of the folder's rules reads: the files by path, with nothing where the name alone matters,
        as it does of scenarios."""
        return {
            name: b"" if scenarios is None or (scenarios and name.endswith(".yaml")) else self.texts[name]
            for name, scenarios in self._matters()
        }

    @property
    def _own(self) -> str:
        return self.path.relative_to(self.outer).as_posix().strip(".")

    def _matters(self) -> Iterator[tuple[str, bool | None]]:
        """Yield each file, and whether it lies among the folder's scenarios; None where its name alone matters, as
        others read it."""
        own = self._own
        for name in self.texts:
            owner, rest = _OWNER.fullmatch(name).groups()  # type: ignore[union-attr]
            scenarios = rest.startswith(f"{SCENARIOS}/")
            yield name, None if owner.rstrip("/") != own and (scenarios or not own) else scenarios

    @cached_property
    def scenarios(self) -> dict[str, str]:
        """The texts of the folder's own scenario files by their names."""
        place = f"{self.path.relative_to(self.outer).as_posix()}/{SCENARIOS}/".removeprefix("./")
        return {
            name.removeprefix(place): content.decode(errors="replace").removeprefix("\ufeff").replace("\r\n", "\n")
            for name, content in self.texts.items()
            if name.startswith(place) and name.endswith(".yaml") and "/" not in name.removeprefix(place)
        }

    def note_tested(self, passed: Names[str], failed: Names[str]) -> None:
        """Keep which scenarios of the folder passed and which failed, by their names."""
        if not failed and self.key:
            self.memory.put("tested", self.key, list(passed))
        self.memory.put("failed", digest_of(str(self.path)), list(failed))

    @property
    def passed(self) -> list[str] | None:
        """The names of the scenarios, if all passed when the files said what they say now; else None."""
        return self.memory.get("tested", self.key) if self.key else None

    @property
    def failed(self) -> list[str]:
        """The names of the scenarios that failed when they were run last."""
        return self.memory.get("failed", digest_of(str(self.path))) or []

    def _known(self, name: str, content: bytes, scenarios: bool) -> tuple[str, int, int]:
        """Return the digest of what a file means, and how much the ruleset's bounds count of it."""
        written = digest_of(name.rpartition(".")[2], str(scenarios), content)
        known = self.memory.get("meanings", written)
        if known is None:
            said, counted = _meaning(self.outer / name, content, scenarios)
            known = [digest_of(said) if said else written, *counted]
            self.memory.put("meanings", written, known)
        return known[0], known[1], known[2]


def folder_at(path: str) -> Folder | None:
    """Return the folder of a path or name, with its files; None if there is none, or it holds links or too much."""
    place = find_folder(path, Diagnostics())
    return None if place is None else folder_of(place)


def folder_of(path: Path, instead: AnyMapping[Path, str] | None = None, memory: Memory | None = None) -> Folder | None:
    """Return a ruleset's folder with its files; None if it holds links or is too large.

    Args:
        instead: texts in place of those of files, by their real paths. memory: what is known of the folder, if it has
            been read.
    """
    outer, instead = outermost(path), instead or {}
    texts: dict[str, bytes] = {}
    count = size = 0
    try:
        for place, folders, names in os.walk(outer):
            folders.sort()
            count += len(folders) + len(names)
            if count > FILES or any(os.path.islink(os.path.join(place, name)) for name in (*folders, *names)):
                return None
            for name in sorted(names):
                file = Path(place, name)
                own = file.stat().st_size
                size += own
                if own > FILE_BYTES or size > BYTES or not file.is_file():
                    return None
                content = instead[file].encode() if file in instead else file.read_bytes()
                texts[file.relative_to(outer).as_posix()] = content
    except OSError:
        return None
    return Folder(path, outer, texts, memory)


def outermost(folder: Path) -> Path:
    """Return the folder of the base ruleset that a variant's folder lies in, or else the folder itself."""
    outer = enclosing(folder)
    return folder if outer is None else outermost(outer)


def without_silence(lines: Iterable[str]) -> str:
    """Return lines of a scenario file without those that hold a comment or nothing."""
    return "\n".join(line.rstrip(" ") for line in lines if not _SILENT.fullmatch(line))


def _meaning(path: Path, content: bytes, scenarios: bool) -> tuple[str, tuple[int, int]]:
    """Return what a file says, and its size in characters and lexemes; nothing where that is not known."""
    if not path.name.endswith((".yaml", ".rule")):
        return "other", (0, 0)
    try:
        text = content.decode().removeprefix("\ufeff").replace("\r\n", "\n")
    except UnicodeDecodeError:
        return "", (0, 0)
    source, findings = source_of(display_path(path), text), Diagnostics()  # its tree will be wanted again
    if not characters_fit(source, findings):
        return "", (0, 0)
    if scenarios:
        return without_silence(source.lines), (0, 0)
    counted = len(text), lexemes(text)
    if counted[1] > LEXEMES:
        return "", counted
    if path.name.endswith(".rule"):
        return meaning(text), counted
    tree = read_yaml(source, findings)
    return "" if tree is None or len(findings) else repr(_said(tree, "")), counted


def _said(node: Node, key: str) -> Any:
    """Return a YAML node without its place; rule texts without their comments."""
    if isinstance(node, Mapping):
        return [(name, entry.key.style, _said(entry.value, name)) for name, entry in node.entries.items()]
    if isinstance(node, Sequence):
        return (node.flow, *(_said(item, key) for item in node.items))
    assert isinstance(node, Scalar)
    if key == "rules" and node.style == "literal" and isinstance(node.value, str) and (rule := meaning(node.value)):
        return ("rules", rule)
    return (node.style, node.value)
