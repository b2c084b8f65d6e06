"""Compiled programs, kept in the process and in the user's cache folder so that a ruleset is compiled once.

Enters: a ruleset as written. Leaves: its program. On disk a program is the table of its nodes (`rulelang.ir.table`); it
is kept under the ruleset's hash, the places of its files, and the engine's own files: whatever changes, another
program is made. What was written had been verified, and `cache` vouches for what is read. Failing to read or write is
no error.
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from rulelang.cache import PROGRAMS, digest_of, is_valid, mark_valid
from rulelang.diagnostics import Diagnostics, RulesetError
from rulelang.ir.errors import IrError
from rulelang.ir.program import IR_VERSION, Program
from rulelang.limits import FILE_BYTES
from rulelang.memos import Bounded
from rulelang.resources import grammar_path
from rulelang.ruleset.files import display_path
from rulelang.ruleset.model import WrittenRuleset

if TYPE_CHECKING:
    from rulelang.semantics.tree.shared import Analysed

PROGRAM_BYTES = 16 << 20
"""So much is kept of programs in the process."""
SITE_BYTES = 1600
"""Bytes of a program's objects for each of its sites (900 to 1,600 in the shipped games)."""
_programs: Bounded[str, Program] = Bounded(PROGRAM_BYTES)
_compiled: list[tuple[WrittenRuleset, Analysed]] = []
"""The ruleset that was compiled last, and its checked tree, which whoever compiles often asks for next."""


@cache
def engine_digest() -> str:
    """Return a digest of the engine: its source files by path, size and time, and the Python version."""
    parts = [str(IR_VERSION), str(sys.version_info[:2])]
    for root in (Path(__file__).resolve().parent, grammar_path("rulelang.lark").parent):
        for path in sorted((*root.rglob("*.py"), *root.glob("*.lark"), *root.glob("*.json"))):
            status = path.stat()
            parts.append(f"{path} {status.st_size} {status.st_mtime_ns}")
    return digest_of(*parts)


def _key(ruleset: WrittenRuleset) -> str:
    """Return the cache key of a ruleset's program: engine, ruleset hash and the paths that sites refer to."""
    # A program names the files that its rules stand in.
    texts = {row.rules.span.path for row in ruleset.pieces if row.rules is not None}
    on = [repr(sorted(layer.on)) for layer in ruleset.layers]
    places = [display_path(Path(layer.folder)) for layer in ruleset.layers]
    places += [*on, ruleset.root, *(file.source.path for file in ruleset.rule_files), *sorted(texts)]
    return digest_of(engine_digest(), ruleset.hash, *places)


def program_of(ruleset: WrittenRuleset) -> Program:
    """Return the compiled program of a ruleset: from memory, from the disk cache, or by compiling it.

    Raises:
        RulesetError: the ruleset has errors.
    """
    key = _key(ruleset)
    known = _programs.get(key)
    if known is not None:
        return known
    program = _load(key) or _store(key, _compile(ruleset))
    return _programs.put(key, program, bytes_of(program))


def bytes_of(program: Program) -> int:
    """Return about how many bytes a program takes in memory."""
    return SITE_BYTES * len(program.sites)


def _check_key(ruleset: WrittenRuleset, strict: bool) -> str:
    """Return the cache key of a check: of the ruleset, its scenario files, the engine and whether it was strict."""
    parts: list[str | bytes] = [_key(ruleset), "strict" if strict else ""]
    folders = [Path(layer.folder) / "scenarios" for layer in ruleset.layers if layer.named]
    for number, folder in enumerate(folders):
        for file in sorted(folder.glob("*.yaml")) if folder.is_dir() else ():
            parts.append(f"{number}/{file.name}")
            with suppress(OSError):
                if file.is_file():
                    with file.open("rb") as opened:
                        parts.append(opened.read(FILE_BYTES + 1))
    return digest_of(*parts)


def is_checked(ruleset: WrittenRuleset, strict: bool = False) -> bool:
    """Return whether a check of this ruleset and its scenarios has already found no fault."""
    return is_valid(_check_key(ruleset, strict))


def mark_checked(ruleset: WrittenRuleset, strict: bool = False) -> None:
    """Record that a check of the ruleset and its scenarios found no fault."""
    mark_valid(_check_key(ruleset, strict))


def analysed_of(ruleset: WrittenRuleset) -> Analysed:
    """Return the checked tree of a ruleset.

    Raises:
        RulesetError: the ruleset has errors.
    """
    from rulelang.semantics.check import analyse

    for known, analysed in _compiled:
        if known is ruleset:
            return analysed
    diagnostics = Diagnostics()
    found = analyse(ruleset, diagnostics)
    if found is None:
        raise RulesetError(diagnostics)
    return found


def take(analysed: Analysed) -> None:
    """Have the ruleset of a checked tree, which has no errors, compiled from that if it is compiled next."""
    _compiled[:] = [(analysed.checked.ruleset, analysed)]


def _compile(ruleset: WrittenRuleset) -> Program:
    """Check and compile a ruleset.

    Raises RulesetError for errors in the ruleset.
    """
    from rulelang.compiler import compile_ruleset
    from rulelang.semantics.differences import identity

    analysed = analysed_of(ruleset)
    try:
        program = replace(compile_ruleset(analysed), hash=identity(ruleset))
    except RecursionError:
        diagnostics = analysed.shared.diagnostics
        message = "the rules are too many within each other to be compiled"
        diagnostics.error("ruleset-size", message, ruleset.span, "use fewer of them")
        raise RulesetError(diagnostics) from None
    _compiled[:] = [(ruleset, analysed)]
    return program


def kept(ruleset: WrittenRuleset, program: Program) -> str:
    """Return a program, and what its ruleset declares, as a text for `former`."""
    from rulelang.ir.table import to_table
    from rulelang.semantics.differences import declared

    return json.dumps({"declared": declared(ruleset), "program": to_table(program).decode()})


def former(text: str, ruleset: WrittenRuleset) -> tuple[Program, list[str]]:
    """Return the program of a text that `kept` gave, and the names of what another ruleset declares otherwise.

    Raises:
        IrError: this engine can't read the program.
    """
    from rulelang.ir.table import from_table
    from rulelang.semantics.differences import declared

    document, now = json.loads(text), declared(ruleset)
    then: dict[str, str] = document["declared"]
    return from_table(document["program"].encode()), [row for row in {**then, **now} if then.get(row) != now.get(row)]


def _load(key: str) -> Program | None:
    """Load a program from the disk cache; None if it is missing or unreadable."""
    content = PROGRAMS.load(key)
    if content is None:
        return None
    from rulelang.ir.table import from_table

    with suppress(IrError):
        return from_table(content)
    return None


def _store(key: str, program: Program) -> Program:
    """Write a program to the disk cache and return it; a failure to write is ignored."""
    from rulelang.ir.table import to_table

    with suppress(UnicodeEncodeError):  # a path may hold bytes that are no text
        PROGRAMS.save(key, to_table(program))
    return program
