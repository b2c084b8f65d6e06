"""The parser's tables, cached: making them anew takes most of a second.

Enters: the grammar's text. Leaves: Lark's parser. An entry is JSON, so that nothing that lies in the cache is ever run
(Lark's own cache is a pickle). What can't be read, or is of another grammar or version, is made anew.
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from rulelang.cache import GRAMMARS, digest_of

if TYPE_CHECKING:
    from lark import Lark

OPTIONS: dict[str, Any] = {"parser": "lalr", "lexer": "basic", "maybe_placeholders": True}
UNSOUND = (ValueError, TypeError, LookupError, AttributeError, RecursionError)
"""What reading an entry that is none may raise."""


def cached_parser(text: str, starts: list[str]) -> Lark:
    """Return the Lark parser of a grammar, loaded from the disk cache or generated and saved there."""
    from lark import __version__

    key = digest_of(f"{sys.version_info[:2]} {__version__} {starts} {OPTIONS}", text)
    return _read(GRAMMARS.load(key)) or _saved(key, _generated(text, starts))


def _generated(text: str, starts: list[str]) -> Lark:
    """Generate the parser from the grammar's text."""
    from lark import Lark

    return Lark(text, start=starts, **OPTIONS)


def _read(content: bytes | None) -> Lark | None:
    """Load a parser from cached JSON; None if it is missing or invalid."""
    if content is None:
        return None
    from lark import Lark

    with suppress(*UNSOUND):
        data, memo = json.loads(content)
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
    """Convert the keys of a table back to integers, which JSON turns into strings."""
    return {int(key): value for key, value in table.items()}


def _saved(key: str, parser: Lark) -> Lark:
    """Save the parser's tables to the disk cache and return the parser."""
    from lark.grammar import Rule
    from lark.lexer import TerminalDef

    GRAMMARS.save(key, json.dumps(parser.memo_serialize([TerminalDef, Rule])).encode())
    return parser
