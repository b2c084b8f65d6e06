"""Compiled programs, kept in the process and in the user's cache folder so that a ruleset is compiled once.

Enters: a ruleset as written. Leaves: its program. On disk a program is the text of its intermediate representation; it
is kept under the ruleset's hash, the places of its files, and the engine's own files: whatever changes, another
program is made. Reading it back takes about a quarter of the time of loading the compiler and compiling. Failing to
read or write is no error.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

from rulelang.diagnostics import Diagnostics, RulesetError
from rulelang.ir.errors import IrError
from rulelang.ir.program import IR_VERSION, Program
from rulelang.limits import FILE_BYTES
from rulelang.resources import cache_folder, grammar_path
from rulelang.ruleset.cache import is_remembered, remember
from rulelang.ruleset.files import enclosing
from rulelang.ruleset.model import Ruleset

MAX_PROGRAMS = 200
WHOLE_FILES, WHOLE_BYTES = 1000, 8 << 20
"""A folder with more in it is read and parsed again each time it is checked."""
ENTRY = re.compile(r"[0-9a-f]{64}\.ir")
"""The names of entries: nothing else in the folder is ever deleted."""

_programs: dict[str, Program] = {}


@cache
def _engine() -> str:
    """What the program depends on beside the ruleset: names, sizes and times of the engine's files."""
    package = Path(__file__).resolve().parent
    names = ("diagnostics", "syntax", "ruleset", "semantics", "semantics/lints", "ir", "compiler")
    rooms = [package / room for room in names]
    digest = hashlib.sha256(str(IR_VERSION).encode())
    for room in (*rooms, grammar_path("rulelang.lark").parent):
        for entry in sorted(os.scandir(room), key=lambda entry: entry.name):
            if entry.is_file():
                found = entry.stat()
                digest.update(f"{entry.name} {found.st_size} {found.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def _key(ruleset: Ruleset) -> str:
    # A program names the files that its rules stand in.
    texts = {row.rules.span.path for row in ruleset.pieces if row.rules is not None}
    on = [repr(sorted(layer.on)) for layer in ruleset.layers]
    places = [os.getcwd(), *on, ruleset.root, *(file.source.path for file in ruleset.rule_files), *sorted(texts)]
    return hashlib.sha256("\0".join([_engine(), ruleset.hash, *places]).encode(errors="surrogatepass")).hexdigest()


def program_of(ruleset: Ruleset) -> Program:
    """The program of a ruleset.

    Raises:
        RulesetError: the ruleset has errors.
    """
    key = _key(ruleset)
    if key not in _programs:
        _programs[key] = _read(key) or _write(key, lambda: _compiled(ruleset))
    return _programs[key]


def _good_key(ruleset: Ruleset, strict: bool) -> str:
    """Stands for the ruleset, the engine and the scenarios beside it; and for how strictly they were checked."""
    digest = hashlib.sha256((_key(ruleset) + ("strict" if strict else "")).encode())
    folders = [Path(layer.folder) / "scenarios" for layer in ruleset.layers if layer.named]
    for number, folder in enumerate(folders):
        for file in sorted(folder.glob("*.yaml")) if folder.is_dir() else ():
            digest.update(f"{number}/{file.name}\0".encode(errors="surrogatepass"))
            with suppress(OSError):
                if file.is_file():
                    with file.open("rb") as opened:
                        digest.update(hashlib.sha256(opened.read(FILE_BYTES + 1)).digest())
    return digest.hexdigest()


def is_known_good(ruleset: Ruleset, strict: bool = False) -> bool:
    """Whether `remember_good` was called with this ruleset, in this run or an earlier one."""
    return is_remembered(_good_key(ruleset, strict))


def is_known_whole(folder: Path, strict: bool = False) -> bool:
    """Whether `remember_whole` was called for a ruleset in this folder with all files as they are now; to tell that,
    nothing is parsed."""
    key = _whole_key(folder, strict)
    return bool(key) and is_remembered(key)


def remember_whole(ruleset: Ruleset, strict: bool = False) -> None:
    """Remembers that nothing was found, if nothing but what lies in the ruleset's own folder was read for it."""
    folder = Path(ruleset.layers[-1].folder)
    outer = _outermost(folder)
    if all(Path(layer.folder).is_relative_to(outer) for layer in ruleset.layers):
        key = _whole_key(folder, strict)
        if key:
            remember(key)


def _outermost(folder: Path) -> Path:
    """The folder itself or, of a variant, that of the ruleset that it lies in."""
    outer = enclosing(folder)
    return folder if outer is None else _outermost(outer)


def _whole_key(folder: Path, strict: bool) -> str:
    """Stands for all files under the outermost folder, and for the engine; empty where links or too much lie there."""
    outer = _outermost(folder)
    digest = hashlib.sha256(f"{_engine()} {strict} {folder.relative_to(outer)}".encode(errors="surrogatepass"))
    count = size = 0
    try:
        for place, folders, names in os.walk(outer):
            folders.sort()
            count += len(folders) + len(names)
            if count > WHOLE_FILES or any(os.path.islink(os.path.join(place, name)) for name in (*folders, *names)):
                return ""
            for name in sorted(names):
                path = Path(place, name)
                size += path.stat().st_size
                if size > WHOLE_BYTES or not path.is_file():
                    return ""
                digest.update(f"{path.relative_to(outer)}\0".encode(errors="surrogatepass"))
                digest.update(hashlib.sha256(path.read_bytes()).digest())
    except OSError:
        return ""
    return digest.hexdigest()


def remember_good(ruleset: Ruleset, strict: bool = False) -> None:
    """Remembers that checking the ruleset and its scenarios (strictly) found nothing."""
    remember(_good_key(ruleset, strict))


def _compiled(ruleset: Ruleset) -> Program:
    from rulelang.compiler import compile_ruleset
    from rulelang.semantics.check import check

    diagnostics = Diagnostics()
    checked = check(ruleset, diagnostics)
    if checked is None:
        raise RulesetError(diagnostics)
    try:
        return compile_ruleset(checked)
    except RecursionError:
        message = "the rules are too many within each other to be compiled, such as modifiers of one quantity"
        diagnostics.error("ruleset-size", message, ruleset.span, "use fewer of them")
        raise RulesetError(diagnostics) from None


def _file(key: str) -> Path | None:
    folder = cache_folder()
    return folder / "programs" / f"{key}.ir" if folder is not None else None


def _read(key: str) -> Program | None:
    file = _file(key)
    if file is None or not os.path.isfile(file):
        return None
    from rulelang.ir.reader import parse_program
    from rulelang.ir.verify import verify

    with suppress(OSError, ValueError, RecursionError, IrError):
        program = parse_program(file.read_text(encoding="utf-8"))
        verify(program)
        return program
    return None


def _write(key: str, make: Callable[[], Program]) -> Program:
    program = make()
    file = _file(key)
    if file is None:
        return program
    from rulelang.ir.text import print_program

    with suppress(OSError, ValueError):
        file.parent.mkdir(parents=True, exist_ok=True)
        old = os.listdir(file.parent)
        if len(old) >= MAX_PROGRAMS:
            for name in filter(ENTRY.fullmatch, old):
                (file.parent / name).unlink()
        draft = file.with_suffix(f".{os.getpid()}")
        draft.write_text(print_program(program), encoding="utf-8")
        os.replace(draft, file)
    return program
