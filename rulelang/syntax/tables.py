"""The parser's tables, kept in the user's cache folder: making them anew takes most of a second.

Enters: the grammar's text. Leaves: Lark's parser. An entry is JSON with its digest in front, so that nothing that lies
in the folder is ever run (Lark's own cache is a pickle). What is damaged, or of another grammar or version, is made
anew.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from lark import Lark

UNSOUND = (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError)
"""What reading an entry that is none may raise."""


def cached_parser(text: str, starts: list[str], folder: Path | None) -> Lark:
    """The parser of a grammar, from the folder if a sound entry lies there; else it is made, and kept if it can be."""
    if folder is None:
        return _made(text, starts)
    from lark import __version__

    with suppress(UnicodeEncodeError):
        key = hashlib.sha256(f"{sys.version_info[:2]} {__version__} {starts} {text}".encode()).hexdigest()
        file = folder / f"grammar-{key[:16]}.json"
        return _read(file) or _kept(file, _made(text, starts))
    return _made(text, starts)


def _made(text: str, starts: list[str]) -> Lark:
    from lark import Lark

    return Lark(text, parser="lalr", lexer="basic", start=starts, propagate_positions=True, maybe_placeholders=True)


def _read(file: Path) -> Lark | None:
    from lark import Lark

    with suppress(*UNSOUND):
        digest, _, body = file.read_text(encoding="utf-8").partition("\n")
        if digest != hashlib.sha256(body.encode()).hexdigest():
            return None
        data, memo = json.loads(body)
        tables = data["parser"]["parser"]
        # JSON has no numbers for keys.
        tables["tokens"] = _numbered(tables["tokens"])
        tables["states"] = {
            state: {token: tuple(action) for token, action in _numbered(row).items()}
            for state, row in _numbered(tables["states"]).items()
        }
        return cast("Lark", Lark._load_from_dict(data, _numbered(memo)))  # type: ignore[no-untyped-call]
    return None


def _numbered(table: dict[str, Any]) -> dict[int, Any]:
    return {int(key): value for key, value in table.items()}


def _kept(file: Path, parser: Lark) -> Lark:
    from lark.grammar import Rule
    from lark.lexer import TerminalDef

    body = json.dumps(parser.memo_serialize([TerminalDef, Rule]))
    with suppress(OSError, ValueError):
        file.parent.mkdir(parents=True, exist_ok=True)
        draft = file.with_suffix(f".{os.getpid()}")
        draft.write_text(f"{hashlib.sha256(body.encode()).hexdigest()}\n{body}", encoding="utf-8")
        os.replace(draft, file)
    return parser
