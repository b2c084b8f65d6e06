"""The parser's tables, cached: Lark takes most of a second to make them, and 0.1 s to load and read its own form.

Enters: the grammar's text. Leaves: `ParserTables`, all that is needed to run them, so that Lark is imported only where
they are made. An entry is JSON, so that nothing that lies in the cache is ever run. What can't be read, or is of
another grammar or another form, is made anew.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from rulelang.cache import GRAMMARS, OWN_GRAMMAR, digest_of
from rulelang.records import record

if TYPE_CHECKING:
    from lark.grammar import Rule

    Action: TypeAlias = "int | Reduction"
    """The state after a token is shifted, or what is reduced before it."""

OPTIONS: dict[str, Any] = {"parser": "lalr", "lexer": "basic", "maybe_placeholders": True}
UNSOUND = (ValueError, TypeError, LookupError, AttributeError, RecursionError)
"""What reading an entry that is none may raise."""


@record
class Reduction:
    """So many values on the stack become one, which stands for the symbol `origin`.

    Attributes:
        rule: the name of the tree that is made of them. Empty: the only one is passed on, as most reductions lead from
            one level of precedence to the next.
        alone: whether an only child takes the place of the tree.
        parts: of each child its index, whether its own children take its place, and how many absent ones come before
            it; None: the values are the children.
        absent: how many absent children come last.
    """

    size: int
    origin: str
    rule: str
    alone: bool
    parts: tuple[tuple[int, bool, int], ...] | None
    absent: int


@record
class ParserTables:
    """What a parser is run by.

    Attributes:
        terminals: the name of each terminal, by its text. actions: by state and symbol. starts, ends: the state in
            which each start rule begins, and that after it.
    """

    terminals: dict[str, str]
    actions: tuple[dict[str, Action], ...]
    starts: dict[str, int]
    ends: dict[str, int]


def cached_tables(text: str, starts: list[str], own: bool = False) -> ParserTables:
    """Return the tables of a grammar, loaded from the disk cache or generated and saved there.

    Args:
        own: whether it is the engine's grammar, whose tables lie beside it if this user can write there.
    """
    key = digest_of(repr((starts, OPTIONS)), text, Path(__file__).read_bytes())
    stores = (OWN_GRAMMAR, GRAMMARS) if own else (GRAMMARS,)
    for content in filter(None, (store.load(key) for store in stores)):
        with suppress(*UNSOUND):
            return _read(content)
    content = _generated(text, starts)
    any(store.save(key, content) for store in stores)
    return _read(content)


def _read(content: bytes) -> ParserTables:
    """Read an entry; raise one of `UNSOUND` for any other content."""
    terminals, reduced, rows, states, starts, ends = json.loads(content)
    reductions = [
        Reduction(size, origin, rule, alone, None if parts is None else tuple(map(tuple, parts)), absent)
        for size, origin, rule, alone, parts, absent in reduced
    ]
    actions = [{name: n if n >= 0 else reductions[~n] for name, n in row.items()} for row in rows]
    return ParserTables(terminals, tuple(actions[row] for row in states), dict(starts), dict(ends))


def _generated(text: str, starts: list[str]) -> bytes:
    """Have Lark make the tables of a grammar; equal reductions and equal rows stand once."""
    from lark import Lark
    from lark.parsers.lalr_analysis import Shift

    lark = Lark(text, start=starts, **OPTIONS)
    table: Any = lark.parser.parser.parser.parse_table
    actions = {state: sorted(row.items()) for state, row in table.states.items()}
    numbers: dict[int, int] = {}  # Lark's own differ from time to time
    pending = [table.start_states[start] for start in starts]
    for state in pending:
        if state not in numbers:
            numbers[state] = len(numbers)
            pending += [what for _, (action, what) in actions[state] if action is Shift]
    reductions: dict[str, int] = {}
    rows: dict[str, int] = {}
    states = []
    for state in numbers:
        row = {
            name: numbers[what] if action is Shift else ~reductions.setdefault(_reduction(what), len(reductions))
            for name, (action, what) in actions[state]
        }
        states.append(rows.setdefault(json.dumps(row), len(rows)))
    terminals = {str(terminal.pattern.value): terminal.name for terminal in sorted(lark.terminals, key=str)}
    ends = [{start: numbers[state] for start, state in of.items()} for of in (table.start_states, table.end_states)]
    return json.dumps([terminals, [*map(json.loads, reductions)], [*map(json.loads, rows)], states, *ends]).encode()


def _reduction(rule: Rule) -> str:
    """Return the reduction of a rule as JSON."""
    options, absent = rule.options, 0
    # For each optional part that is left out Lark has a rule of its own, and says where it would stand.
    missing = "".join(str(int(is_absent)) for is_absent in options.empty_indices) or "0" * len(rule.expansion)
    before = [len(ones) for ones in missing.split("0")]
    parts = []
    for index, symbol in enumerate(rule.expansion):
        absent += before[index]
        if options.keep_all_tokens or not (symbol.is_term and getattr(symbol, "filter_out", False)):
            parts.append((index, not symbol.is_term and symbol.name.startswith("_"), absent))
            absent = 0
    absent += before[-1]
    plain = parts == [(index, False, 0) for index in range(len(rule.expansion))] and not absent
    alone = bool(options.expand1 and not rule.alias)
    name = "" if alone and plain and len(parts) == 1 else rule.alias or options.template_source or rule.origin.name
    return json.dumps([len(rule.expansion), rule.origin.name, name, alone, None if plain else parts, absent])
