"""The guard build: C text in which every subscript is checked before memory is touched.

Enters: the C text of a layout. Leaves: the same program, in which each subscript `base[index]` is the macro GUARDED of
c/guards.h, and each index that comes from a rule's value an INDEX (`Writer.index`). The text of the default build is
not touched. A violation ends the call with a `GuardError`, which names the line of the rule and the place in C.

All subscripts are found by reading the C text, whoever wrote it, so that none can be forgotten: a scanner of C's
lexemes, which knows where declarations stand.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from rulelang.diagnostics import UsageError
from rulelang.ir.program import Program
from rulelang.native.compilers import CHECKED
from rulelang.native.source import header, safe_text

NATIVE, GUARDED = "RULELANG_NATIVE", "checked"
"""The environment variable and its value that choose the guard build."""
FEW = "#define KEPT static inline UNUSED"
"""Without optimising, unused functions are left out only so (c/core.h)."""
INDEX = '"an index"'
"""What a failure calls an index that comes from a rule's value."""
LONGEST = 80
"""Characters of a subscript that a failure shows."""


class GuardError(RuntimeError):
    """Native code was about to leave the bounds of an array: a fault of this program, never of a ruleset's author."""


def is_checked() -> bool:
    """Return whether native code is to be built with guards.

    Raises:
        UsageError: the environment asks for another build.
    """
    chosen = os.environ.get(NATIVE, "")
    if chosen not in ("", GUARDED):
        raise UsageError(f"{NATIVE}={chosen!r}: it may be {GUARDED!r}, or empty")
    return chosen == GUARDED


def site_names(program: Program) -> str:
    """Return the table of the lines of rules, by site, for messages."""
    names = [safe_text(f"{where.rule}, {where.path}:{int(where.line)}") for where in program.sites]
    rows = ", ".join(f'"{name}"' for name in [*names, ""])
    return f"#define SITES {len(names)}\nKEPT const char *const SITE_NAMES[] = {{{rows}}};"


def checked(parts: Sequence[str], generated: str, program: Program) -> list[str]:
    """Return the parts of a C file, core.h the first, with guards; `generated`: the one whose comments name rules."""
    core, *others = (guarded(part, part == generated) for part in parts)
    declared, defined = (header(name) for name in ("guards", "guarded"))
    return [f"{CHECKED}{FEW}", core, declared, site_names(program), *others, defined]


def watch(library: Any, text: str) -> Any:
    """Have each function of the library of a checked text raise GuardError where a guard was violated."""
    if CHECKED not in text or is_watched(library):
        return library
    import ctypes

    told = library.rulelang_guard
    told.restype = ctypes.c_char_p

    def verify(result: Any, _function: object, _arguments: object) -> Any:
        message: bytes = told()
        if message:
            raise GuardError(f"native code, {message.decode(errors='replace')}")
        return result

    for name in EXPORT.findall(text):
        if name != "rulelang_guard":
            getattr(library, name).errcheck = verify
    library.verify = verify
    return library


def is_watched(library: Any) -> bool:
    """Return whether the functions of a library raise GuardError; `verify` is what looks at each result."""
    return hasattr(library, "verify")


EXPORT = re.compile(r"^EXPORTED [^(\n]*\b(\w+)\(", re.M)


# ---- the scanner


LEXEME = re.compile(
    r"""(?P<comment>/\*.*?\*/)|(?P<directive>^[ \t]*\#(?:/\*.*?\*/|[^\n\\]|\\\n|\\.)*)"""
    r"""|(?P<space>(?:\s|\\\n)+|//[^\n]*)"""
    r"""|(?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(?P<word>[A-Za-z_]\w*)|(?P<number>\.?\d[\w.]*)"""
    r"""|(?P<sign>->|\+\+|--|<<=?|>>=?|&&|\|\||[-+*/%&|^=!<>]=|\#\#?|.)""",
    re.S | re.M,
)
DEFINITION = re.compile(r"([ \t]*#[ \t]*define[ \t]+\w+(?:\([^)]*\))?)(.*)", re.S)
SITE = re.compile(r"/\* (.+, .*:\d+) \*/")
CONTROL = frozenset(
    "if while for switch return else do goto break continue case default sizeof typeof __typeof__".split()
)
"""Words that begin no declaration, and no base of a subscript."""
TYPES = frozenset("const static volatile unsigned signed struct extern register __thread".split())
SPARE = {
    r"(?:g->s\.|(?:state|key)->)": {
        "v": "VARIABLES", "boards": "BOARDS", "where": "ITEMS", "length": "INSTANCES", "counts": "INSTANCES",
        "pool_length": "POOLS", "pool_start": "POOLS", "pool_counts": "POOLS", "members": "MEMBERS", "slots": "SLOTS",
    },
    "g->": {"depth": "PROCEDURES", "references": "REFERENCED", "known": "FAMILIES", "evaluating": "LOOKAHEADS"},
    "zone_": dict.fromkeys(("start", "room", "form", "item", "capacity", "identity", "owner"), "INSTANCES"),
    "item_": dict.fromkeys(("identity", "seat"), "ITEMS"),
}  # fmt: skip
"""Arrays that have room for one element more, so that none is empty (c/state.h): how many elements there are."""
OPENING, CLOSING = {"(": ")", "[": "]", "{": "}"}, {")", "]", "}"}


class CLexeme(NamedTuple):
    """A lexeme of C.

    Attributes:
        sort: the name of its group in `LEXEME`. text: as it stands. start, end: where.
    """

    sort: str
    text: str
    start: int
    end: int


class _Bracket:
    """What stands between two brackets: whether a declaration is read there, and a value in it."""

    def __init__(self, sign: str, statements: bool) -> None:
        self.sign, self.statements = sign, statements
        self.declares = self.values = False


class _Rewriter:
    """Finds the subscripts of C text and writes it with guards.

    Args:
        sited: whether comments say which line of a rule the text after them comes from. head: of a macro, whose body
            the text is; None for what stands in a file.
    """

    def __init__(self, text: str, sited: bool = False, head: str | None = None) -> None:
        self.text, self.sited, self.head = text, sited, head
        self.lexemes = [CLexeme(str(m.lastgroup), m[0], m.start(), m.end()) for m in LEXEME.finditer(text)]
        self.code = [lexeme for lexeme in self.lexemes if lexeme.sort in ("string", "word", "number", "sign")]
        self.partner: dict[int, int] = {}
        self.bodies: list[int] = []  # where the bodies of functions begin and end, in turn
        self.subscripts: list[tuple[int, str]] = []  # the place of each `[` in `code`, the text of its failure's site

    def sign(self, at: int) -> str:
        """Return the text of a lexeme of the code; an empty one outside of it."""
        return self.code[at].text if 0 <= at < len(self.code) else ""

    def is_word(self, at: int) -> bool:
        """Return whether a lexeme is a name, or a word of C that a value may be called by."""
        return 0 <= at < len(self.code) and self.code[at].sort == "word" and self.sign(at) not in CONTROL

    def pair(self) -> None:
        """Pair the brackets."""
        opened: list[int] = []
        for at, lexeme in enumerate(self.code):
            if lexeme.sort != "sign":
                continue
            if lexeme.text in OPENING:
                opened.append(at)
            elif lexeme.text in CLOSING:
                start = opened.pop()
                assert OPENING[self.sign(start)] == lexeme.text, self.text[self.code[start].start : lexeme.end]
                self.partner[start], self.partner[at] = at, start
        assert not opened

    def find(self) -> None:
        """Find the subscripts of functions, those of macros everywhere."""
        at = 0
        site = "site" if self.head is not None and re.search(r"\bsite\b", self.head) else "-1"
        if self.head is not None:
            self.read(0, len(self.code), site)
            return
        head = 0
        while at < len(self.code):
            sign = self.sign(at)
            if sign == "{":
                if self.sign(at - 1) == ")":
                    self.bodies += [at + 1, self.partner[at] + 1]
                    has_site = any(self.sign(place) == "site" for place in range(head, at))
                    self.read(at, self.partner[at] + 1, "site" if has_site else "-1")
                at = head = self.partner[at]
            elif sign == ";":
                head = at
            at += 1

    def read(self, start: int, end: int, site: str) -> None:
        """Find the subscripts of some lexemes: what is declared, between brackets, is none."""
        brackets = [_Bracket("", statements=True)]
        begins = True
        for at in range(start, end):
            sign, within = self.sign(at), brackets[-1]
            if begins:
                within.declares, within.values = self.declares(at), False
            begins = False
            if self.code[at].sort != "sign":
                continue
            if sign in OPENING:
                if sign == "[" and self.is_subscript(at, within):
                    self.subscripts.append((at, site))
                statements = sign == "{" and self.opens_block(at)
                brackets.append(_Bracket(sign, statements))
                begins = statements or (sign == "(" and self.sign(at - 1) == "for")
            elif sign in CLOSING:
                begins = brackets.pop().statements and brackets[-1].statements
            elif sign == ";":
                within.declares = False
                begins = within.statements
            elif sign == "," and within.declares:
                within.values = False
            elif sign == "=" and within.declares:
                within.values = True

    def declares(self, at: int) -> bool:
        """Return whether a declaration begins here."""
        if not self.is_word(at):
            return False
        if self.sign(at) in TYPES or self.is_word(at + 1):
            return True
        while self.sign(at + 1) == "*" or (self.sign(at) == "*" and self.sign(at + 1) in ("const", "UNUSED")):
            at += 1
        return self.sign(at) in ("*", "const", "UNUSED") and self.is_word(at + 1)

    def opens_block(self, at: int) -> bool:
        """Return whether a brace opens a block, not a list of values."""
        before = self.sign(at - 1)
        if before == ")":
            return (
                self.code[self.partner[at - 1] - 1].sort == "word" and self.sign(self.partner[at - 1] - 1) != "return"
            )
        return before in ("{", "}", ";", "(", ":", "else", "do", "")

    def is_subscript(self, at: int, within: _Bracket) -> bool:
        """Return whether a bracket follows a value."""
        if self.sign(at + 1) == "]" or (within.declares and not within.values):
            return False
        return self.sign(at - 1) in (")", "]") or self.is_word(at - 1)

    def base(self, at: int) -> int:
        """Return where the value begins that a subscript is of."""
        place = at - 1
        while True:
            if self.sign(place) in (")", "]") and self.code[place].sort == "sign":
                sign, place = self.sign(place), self.partner[place]
                if sign == "]" or self.is_word(place - 1):
                    place -= 1
                    if sign == "]" and not self.is_word(place):
                        continue
            if self.sign(place - 1) not in ("->", "."):
                return place
            place -= 2

    def guarded(self) -> str:
        """Return the text with its guards."""
        self.pair()
        self.find()
        changes: dict[int, list[str]] = {}
        skipped: dict[int, int] = {}
        for at, site in self.subscripts:
            start, end = self.base(at), self.partner[at]
            name = "GUARDED_END" if self.is_address(start) else "GUARDED"
            shown = " ".join(self.text[self.code[start].start : self.code[end].end].replace("\\\n", " ").split())
            shown = shown[:LONGEST].replace("\\", "/").replace('"', "'")
            changes.setdefault(self.code[start].start, []).insert(0, f"{name}((")
            room = self.room(start, at)
            changes[self.code[at].start] = ["), ("]
            changes[self.code[end].start] = [f'), {room}, "{shown}", {self.rule_at(self.code[at].start)}, {site})']
            skipped[self.code[at].start] = skipped[self.code[end].start] = 1
        for lexeme in self.lexemes:
            if lexeme.sort == "directive" and (definition := DEFINITION.fullmatch(lexeme.text)) is not None:
                changes[lexeme.start] = [definition[1] + _Rewriter(definition[2], head=definition[1]).guarded()]
                skipped[lexeme.start] = lexeme.end - lexeme.start
        for at, lexeme in enumerate(self.code):
            if lexeme.text == INDEX:  # an index of `Writer.index`, and after it the line of its rule
                after = self.code[at + 2]
                changes[after.start], skipped[after.start] = [self.rule_at(after.start)], len(after.text)
        for place, rule in self.told():
            changes[place] = [f'guarded_rule = "{rule}"; ']
        parts, place = [], 0
        for start in sorted(changes):
            parts += [self.text[place:start], *changes[start]]
            place = start + skipped.get(start, 0)
        return "".join([*parts, self.text[place:]])

    def room(self, start: int, at: int) -> str:
        """Return how many elements what is subscripted has, as C: -1 where only its pointer tells."""
        base = self.text[self.code[start].start : self.code[at].start].strip()
        for before, names in SPARE.items():
            if (match := re.fullmatch(f"{before}(\\w+)", base)) is not None and match[1] in names:
                return names[match[1]]
        return f"GUARDED_ROOM(({base}))"

    def is_address(self, start: int) -> bool:
        """Return whether only the address of an element is taken."""
        return self.sign(start - 1) == "&" and not (
            self.is_word(start - 2) or self.code[start - 2].sort == "number" or self.sign(start - 2) in (")", "]")
        )

    def rule_at(self, place: int) -> str:
        """Return the text of the line of a rule that this place comes from, as C."""
        if not self.sited:
            return "NULL"
        number = bisect_right(self.sites, place, key=lambda site: site[0])
        return f'"{self.sites[number - 1][1]}"' if number else "NULL"

    def told(self) -> Iterator[tuple[int, str]]:
        """Yield where statements may stand that say from which line of a rule those after them come."""
        starts = [lexeme.start for lexeme in self.code]
        for place, rule in self.sites if self.sited else ():
            after = bisect_right(starts, place)
            within = bisect_right(self.bodies, after)
            if within % 2 and self.sign(after - 1) in (";", "{", "}", ":") and self.sign(after) != "else":
                yield place, rule

    @cached_property
    def sites(self) -> list[tuple[int, str]]:
        """Where comments say from which line of a rule the text comes."""
        comments = (lexeme for lexeme in self.lexemes if lexeme.sort == "comment")
        return [(lexeme.start, match[1]) for lexeme in comments if (match := SITE.fullmatch(lexeme.text)) is not None]


def guarded(text: str, sited: bool = False) -> str:
    """Return C text with a guard around each subscript; `sited`: as for `_Rewriter`."""
    return _Rewriter(text, sited).guarded()
