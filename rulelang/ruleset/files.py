"""Finds and reads the files of a ruleset folder, and no others.

Enters: a path, or the name of a shipped ruleset. Leaves: the texts of the folder's YAML and rule files as `Source`s.
A ruleset is untrusted: links that lead out of its folder, special files, large files and characters that no text needs
are refused here, before anything reads them.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rulelang.diagnostics import LANGUAGE_VERSION, VERSION_LINE, Diagnostics, Source, Span, counted, nearest, suggest
from rulelang.inputs import TooLargeError, read_input
from rulelang.limits import ENTRIES, FILE_BYTES, FILES, LEXEMES, LINE, PATH, YAML_NODES, current
from rulelang.memos import Bounded
from rulelang.resources import shipped_rulesets
from rulelang.ruleset.nodes import file_span

HEADER = "ruleset.yaml"
VARIANTS, SCENARIOS = "variants", "scenarios"
SCENARIOS_CALLED = ("scenario", "tests", "test", "cases", "golden", "specs", "examples")
"""What people call the folder of scenarios."""
VERSIONS = 2
"""So many texts of one file are kept, with what came of them: a ruleset and its variants share most files."""
SOURCE_BYTES = 96 << 20
"""So much is kept of texts of files with their trees."""
CHARACTER = 60
"""Bytes of the trees of a text for each character: 22 of YAML, 30 of rules, 60 where YAML is full of rules."""

# About what the parsers see; a comment is one.
_LEXEME = re.compile(r"#.*|\w+|[^\w\s]")
_NOT_READ = {"lexicon", "scenarios", "survivors"}  # files of other stages that may stand beside the ruleset's own
# Control characters, line breaks that only some programs know, and characters that turn the writing direction around.
BAD_CHARACTER = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff\ufffe\uffff]"
)


@dataclass
class Budget:
    """What may still be read of a ruleset and of all that it extends: characters of text, words and signs in it, keys
    and values of YAML. `instead`: texts in place of those of files, by their real paths."""

    text: int = field(default_factory=lambda: current().text)
    lexemes: int = field(default_factory=lambda: LEXEMES)
    nodes: int = field(default_factory=lambda: YAML_NODES)
    instead: Mapping[Path, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Layer:
    """The files of one folder: the base ruleset or what is laid over it."""

    folder: Path
    yaml: tuple[Source, ...]
    rules: tuple[Source, ...]

    @property
    def former(self) -> tuple[Source, ...]:
        """The files that say an older version of the language."""
        return tuple(file for file in (*self.yaml, *self.rules) if file.version < LANGUAGE_VERSION)


def find_folder(path: str | Path, diagnostics: Diagnostics) -> Path | None:
    """Resolve a path, or the name of a shipped ruleset or variant, to a real folder; None if there is none.

    `GAME/NAME` is the variant in `GAME/variants/NAME`, GAME being a shipped name or a folder.
    """
    if len(str(path)) > PATH:
        message = f"a path of {counted(len(str(path)), 'character')} leads nowhere; the longest has {PATH}"
        diagnostics.error("ruleset-not-found", message, file_span(Source("", "")))
        return None
    named = Path(path)
    if means_shipped(path):
        return addressed(shipped_rulesets(), str(path)).resolve()
    for folder in (named, named.parent / VARIANTS / named.name):
        if os.path.isdir(folder):
            return folder.resolve()
    names = ruleset_names(shipped_rulesets())
    where = file_span(Source(str(path), ""))
    if os.path.exists(named):
        message = f"`{path}` is not a folder: a ruleset is a folder with a `{HEADER}`"
        above = next((folder for folder in named.parents if (folder / HEADER).is_file()), None)
        before = len(diagnostics)
        _refuse_name(named.parent, named.name, diagnostics)
        if len(diagnostics) == before:
            hint = f"name the folder: `{above}`" if above else ""
            diagnostics.error("ruleset-not-found", message, where, hint)
    else:
        beside = [str(named.with_name(name)) for name in _rulesets_in(named.parent)] if named.name else []
        hint = suggest(str(path), [*names, *beside]) or (f"shipped rulesets: {', '.join(names)}" if names else "")
        diagnostics.error("ruleset-not-found", f"there is no folder and no shipped ruleset `{path}`", where, hint)
    return None


def _rulesets_in(folder: Path) -> list[str]:
    """Return the names of the subfolders that are rulesets."""
    try:
        return sorted(entry.name for entry in os.scandir(folder) if os.path.isfile(os.path.join(entry.path, HEADER)))
    except OSError:
        return []


def means_shipped(path: str | Path) -> bool:
    """Return whether a path names a shipped ruleset or variant.

    A folder of that name hides it only if it is a ruleset, and then hides the shipped variants too.
    """
    name = str(path)
    if not is_name(name) or any(os.path.isfile(Path(place) / HEADER) for place in (name, name.partition("/")[0])):
        return False
    return os.path.isdir(addressed(shipped_rulesets(), name))


def is_name(text: str) -> bool:
    """Return whether a text has the form `game` or `game/variant` of a shipped name."""
    return re.fullmatch(r"[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)?", text) is not None


def addressed(folder: Path, name: str) -> Path:
    """Return the folder of the ruleset or variant `name` among those in `folder`."""
    game, _, variant = name.partition("/")
    return folder / game / VARIANTS / variant if variant else folder / game


def ruleset_names(folder: Path) -> list[str]:
    """Return the names of all rulesets in a folder and of their variants, as `game/variant`."""
    games = sorted(path.name for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []
    names = [name for game in games for name in (game, *(f"{game}/{v}" for v in variant_names(folder / game)))]
    return [name for name in names if (addressed(folder, name) / HEADER).is_file()]


def variant_names(folder: Path) -> tuple[str, ...]:
    """Return the names of the variants in a ruleset's folder."""
    return tuple(sorted(path.parent.name for path in (folder / VARIANTS).glob(f"*/{HEADER}")))


def enclosing(folder: Path) -> Path | None:
    """Return the folder of the ruleset that contains a variant's folder; None if it is no variant."""
    outer = folder.parent.parent
    return outer if folder.parent.name == VARIANTS and (outer / HEADER).is_file() else None


def ruleset_root(folder: Path) -> Path:
    """Return the folder of rulesets that contains this one, which `extends` may not lead out of."""
    outer = enclosing(folder)
    return ruleset_root(outer) if outer is not None else folder.parent


def display_path(path: Path) -> str:
    """Return the path for messages: relative if it lies below the current folder."""
    current = Path.cwd()
    return path.relative_to(current).as_posix() if path.is_relative_to(current) else path.as_posix()


def read_layer(folder: Path, diagnostics: Diagnostics, budget: Budget) -> Layer | None:
    """Read the YAML and rule files in the root of `folder`, a real path; None when it has no `ruleset.yaml`.

    Findings: `ruleset-missing-header`, `ruleset-python`, `ruleset-link`, `ruleset-file`, `ruleset-size`,
    `ruleset-encoding`, `ruleset-character`, `ruleset-long-line`.
    """
    where = file_span(Source(display_path(folder), ""))
    if not (folder / HEADER).is_file():
        below = [f"`{display_path(folder / name)}`" for name in _rulesets_in(folder)]
        hint = f"rulesets below it: {', '.join(below)}" if below else f"it holds `{VERSION_LINE}`, `name` and `players`"
        if (meant := _header_meant(folder)) and not below:
            hint = f"call `{meant}` `{HEADER}`"
        diagnostics.error("ruleset-missing-header", f"the folder has no `{HEADER}`", where, hint)
        return None
    _refuse_python(folder, diagnostics)
    names = sorted(entry.name for entry in os.scandir(folder))
    for name in names:
        _refuse_name(folder, name, diagnostics)
        _refuse_below(folder / name, diagnostics)
        if name.endswith((".yaml", ".rule")) and not name.isprintable():
            diagnostics.error("ruleset-file", f"the name of {name!a} cannot be shown", where, "give it another")
            return None
    yaml = [n for n in names if n.endswith(".yaml") and n.split(".")[0] not in _NOT_READ]
    yaml = [n for n in yaml if not any(Path(d.span.path).name == n for d in diagnostics if d.code == "ruleset-file")]
    yaml.sort(key=lambda name: (name != HEADER, name))
    rules = [n for n in names if n.endswith(".rule")]
    if len(yaml) + len(rules) > FILES:
        diagnostics.error("ruleset-size", f"the folder holds more than {FILES} files", where)
        return None
    return Layer(folder, _read_all(folder, yaml, diagnostics, budget), _read_all(folder, rules, diagnostics, budget))


def _header_meant(folder: Path) -> str:
    """Return the name of the file that was probably meant as the header; empty if there is none."""
    names = sorted(path.name for path in folder.iterdir() if path.is_file())
    spelt = [name for name in names if Path(name).suffix.lower() in (".yaml", ".yml", ".txt", ".json")]
    near = nearest("ruleset", [name.lower().split(".")[0] for name in spelt])
    with_players = (name for name in spelt if re.search(r"^(players|extends) *:", _start(folder / name), re.MULTILINE))
    return next(with_players, next((name for name in spelt if name.lower().split(".")[0] == near), ""))


def _start(path: Path) -> str:
    """Return how a file begins; empty if it cannot be read."""
    try:
        return read_input(path, FILE_BYTES)[:1000].decode("utf-8", "replace")
    except (OSError, TooLargeError):
        return ""


def _refuse_name(folder: Path, name: str, diagnostics: Diagnostics) -> None:
    """Report a file that is not read and was probably meant to be, by its name or how it begins."""
    stem, suffix = os.path.splitext(name)
    why, hint = "", ""
    if suffix.lower() == ".yml" or (suffix != ".yaml" and suffix.lower() == ".yaml"):
        why, hint = "its name must end in `.yaml`", f"call it `{stem}.yaml`"
    elif suffix.lower() in (".rules", ".rul", ".rl", ".rulelang") or (suffix != ".rule" and suffix.lower() == ".rule"):
        why, hint = "its name must end in `.rule`", f"call it `{stem}.rule`"
    elif suffix in (".txt", ".md", "") and re.match(r"\s*rulelang:? \d\b", _start(folder / name)):
        ending = ".yaml" if re.match(r"\s*rulelang:", _start(folder / name)) else ".rule"
        stem = stem.removesuffix(ending)
        why, hint = f"its name must end in `{ending}`", f"call it `{stem}{ending}`"
    elif (
        suffix == ".yaml"
        and folder.name == VARIANTS
        and (folder / name).is_file()
        and (folder.parent / HEADER).is_file()
    ):
        why, hint = "a variant is a folder", f"move it to `{VARIANTS}/{stem}/{HEADER}`"
    elif suffix == ".yaml" and name != HEADER and folder.name != SCENARIOS and _has_scenarios(folder / name):
        why, hint = "scenarios stand in a folder of their own", f"move it to `{SCENARIOS}/{name}`"
    if why:
        span = file_span(Source(display_path(folder / name), ""))
        diagnostics.error("ruleset-file", f"`{name}` is not read here: {why}", span, hint)


def _refuse_below(folder: Path, diagnostics: Diagnostics) -> None:
    """Report files that were meant to be read in a folder beside the ruleset's own: scenarios, variants."""
    inside = sorted(folder.glob("*.rule")) if folder.is_dir() and folder.name not in (SCENARIOS, VARIANTS) else []
    for file in inside if not (folder / HEADER).exists() else ():
        span, hint = file_span(Source(display_path(file), "")), f"move it up, out of `{folder.name}`"
        message = f"`{file.name}` is not read here: files of rules stand beside `{HEADER}`"
        diagnostics.error("ruleset-file", message, span, hint)
    is_read = folder.name in (SCENARIOS, VARIANTS)
    for variant in sorted(folder.iterdir()) if folder.name == VARIANTS and folder.is_dir() else ():
        if variant.is_dir() and not (variant / HEADER).is_file() and (meant := _header_meant(variant)):
            span = file_span(Source(display_path(variant / meant), ""))
            message = f"`{meant}` is not read here: a variant has a `{HEADER}`"
            diagnostics.error("ruleset-file", message, span, f"call it `{HEADER}`")
    if (is_read or folder.name in SCENARIOS_CALLED) and folder.is_dir() and not folder.is_symlink():
        for name in sorted(os.listdir(folder)):
            if name.isprintable() and (is_read or (name.endswith((".yaml", ".yml")) and _has_scenarios(folder / name))):
                _refuse_name(folder, name, diagnostics)


def _has_scenarios(path: Path) -> bool:
    """Return whether a file begins as one of scenarios does."""
    return re.search(r"^scenarios *:", _start(path), re.MULTILINE) is not None


def _read_all(folder: Path, names: Iterable[str], diagnostics: Diagnostics, budget: Budget) -> tuple[Source, ...]:
    """Read the named files of a folder into sources, counting them against the budget."""
    sources: list[Source] = []
    for name in names:
        source = read_file(folder / name, folder, diagnostics, budget.instead.get(folder / name))
        if source is None:
            continue
        budget.text -= len(source.text)
        budget.lexemes -= lexemes(source.text)
        if budget.text < 0 or budget.lexemes < 0:
            bound = counted(current().text, "byte") if budget.text < 0 else f"{LEXEMES} words, numbers and signs"
            diagnostics.error("ruleset-size", f"with this file the ruleset holds more than {bound}", file_span(source))
            break
        sources.append(source)
    return tuple(sources)


def lexemes(text: str) -> int:
    """Return the number of words, numbers and signs in a text, as counted for `LEXEMES`."""
    return len(_LEXEME.findall(text))


def source_of(path: str, text: str) -> Source:
    """Return one `Source` object for equal paths and texts, so that what is memoised with it is shared."""
    known = _SOURCES.get(path) or ()
    source = next((source for source in known if source.text == text), None)
    if source is None:
        source = Source(path, text)
        known = (*known[: VERSIONS - 1], source)
        _SOURCES.put(path, known, CHARACTER * sum(len(each.text) for each in known))
    return source


_SOURCES: Bounded[str, tuple[Source, ...]] = Bounded(SOURCE_BYTES)
"""By path its first text, to which trials of others return, and the last one; the path used last at the end."""


def read_file(path: Path, folder: Path, diagnostics: Diagnostics, instead: str | None = None) -> Source | None:
    """Return the text of one file that lies in `folder`, without a byte order mark and with `\\n` as line ends.

    Args:
        instead: a text in place of the file's own, which is held to the same bounds.
    """
    where = file_span(Source(display_path(path), ""))
    real = Path(os.path.realpath(path))  # a circle of links has no end, and is no file
    if not real.is_relative_to(folder):
        message = f"`{path.name}` is a link that leads out of the ruleset's folder"
        diagnostics.error("ruleset-link", message, where, "copy the file into the folder")
        return None
    try:
        data = read_input(real, FILE_BYTES) if instead is None else instead.encode()
        if len(data) > FILE_BYTES:
            raise TooLargeError
    except TooLargeError:
        diagnostics.error("ruleset-size", f"the file is larger than {FILE_BYTES >> 20} MiB", where)
        return None
    except OSError as error:
        diagnostics.error("ruleset-file", f"`{path.name}` cannot be read: {error.strerror}", where)
        return None
    data = data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
    try:
        source = source_of(display_path(path), data.decode("utf-8"))
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        span = Span(Source(display_path(path), data.decode("utf-8", "replace")), line, column, line, column + 1)
        diagnostics.error("ruleset-encoding", "this byte is not UTF-8", span, "save the file as UTF-8")
        return None
    return source if characters_fit(source, diagnostics) else None


def characters_fit(source: Source, diagnostics: Diagnostics) -> bool:
    """Report overlong lines and forbidden characters; return whether there are none."""
    for number, line in enumerate(source.lines, 1):
        if len(line) > LINE:
            span = Span(source, number, LINE, number, LINE + 1)
            diagnostics.error("ruleset-long-line", f"the line has more than {LINE} characters", span, "break it")
            return False
    bad = BAD_CHARACTER.search(source.text)
    if bad is None:
        return True
    number = source.text.count("\n", 0, bad.start()) + 1
    column = bad.start() - source.text.rfind("\n", 0, bad.start())
    span = Span(source, number, column, number, column + 1)
    message = f"the invisible character U+{ord(bad.group()):04X} does not belong here"
    diagnostics.error("ruleset-character", message, span, "delete this place and type it again")
    return False


def _refuse_python(folder: Path, diagnostics: Diagnostics) -> None:
    """Report Python files anywhere in a ruleset's folder, since a ruleset is data only."""
    seen = 0
    for parent, folders, names in os.walk(folder):
        folders.sort()
        seen += len(folders) + len(names)
        if seen > ENTRIES:
            where = file_span(Source(display_path(folder), ""))
            diagnostics.error("ruleset-size", f"more than {ENTRIES} files and folders lie in the folder", where)
            return
        for name in sorted(names):
            if name.endswith(".py"):
                where = file_span(Source(display_path(Path(parent) / name), ""))
                message = "a ruleset is data: its folder holds no Python"
                diagnostics.error("ruleset-python", message, where, "keep it in another folder")


def content_hash(layers: Iterable[Layer]) -> str:
    """Return the SHA-256, in hex, of the names and texts of all files of all layers, whatever their folders."""
    digest = hashlib.sha256()
    for number, layer in enumerate(layers):
        for source in sorted(layer.yaml + layer.rules, key=lambda s: Path(s.path).name):
            data = source.text.encode()
            digest.update(f"{number}/{Path(source.path).name}\0{len(data)}\0".encode())
            digest.update(data)
    return digest.hexdigest()
