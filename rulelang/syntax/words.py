"""The words of the language.

Enters: nothing. Leaves: which words can never be names, which can be names only where nothing else can stand, and which
begin a declaration or a statement.
"""

from __future__ import annotations

import re

from rulelang.diagnostics import Span


def reserved(name: str, span: Span) -> tuple[str, Span, str]:
    """Return message, span and hint for a declared name that is a keyword."""
    message = f"`{name}` is a word of the language and can't be declared"
    return message, span, f"choose another name, such as `my_{name}` or, better, one that says what it is"


def _words(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


COMPARISONS = _words("= != < <= > >=")
ASSIGNMENTS = _words(":= += -=")
OPERATORS = COMPARISONS | ASSIGNMENTS | _words("+ - * ->")


def alternatives(signs: frozenset[str]) -> str:
    """Return the pattern of any of several signs, the longest that fits."""
    return "|".join(map(re.escape, sorted(signs, key=lambda sign: (-len(sign), sign))))


# Never a name, except after a dot: a name in their place would silently change what a value means.
FIXED = _words(
    "and or not in is if else otherwise where with grouped of for when then div mod true false none "
    "choose let while repeat as"
)

# Words that begin a block, or a statement in which others stand.
OPENING_WORDS = _words("if for while repeat as turn round phase step choose")
# Words that begin a statement, and names before `:=` or a dot and where a value stands: what is called begins one, too.
STATEMENT_WORDS = OPENING_WORDS | _words("""
    let move draw shuffle return stop pass proceed never end mark eliminate reveal arrange trade pay
    remember forget anyway secretly
""")
# Words that begin a value: as names they could be declared but not used.
VALUE_WORDS = _words("can choose cell top bottom possible roll random anyway together secretly some any one up down")

# What no name of a variable, a zone, an option or a local can be, and what none of a rule.
RESERVED = FIXED | VALUE_WORDS
RESERVED_RULES = RESERVED | STATEMENT_WORDS

# What values, and pieces with identity, can't be called.
RESERVED_VALUES = RESERVED - _words("any down one some up")
# Before another word they begin a type.
TYPE_WORDS = _words("bag cost group list set")
PIECE_WORDS = _words("on may before after instead modify exchange offer scores")
DECLARATION_WORDS = PIECE_WORDS | _words("""
    rulelang setup play rule function quantity event ability score winner tie payoff exchanges remove
""")

# Words that mean something only where they stand, and can be names elsewhere.
JOINING_WORDS = TYPE_WORDS | _words("""
    a an the to from at by per once times until use on before after more most least fewest number deep up down drawn
    paying sorted weighted won lost game shared empty identical priority plus minus this require all
""")

# After a number no word of the language is a name: `2 gold`.
KEYWORDS = RESERVED_RULES | DECLARATION_WORDS | JOINING_WORDS

# Names that are there before a ruleset declares any, and that none can have.
BUILTIN_NAMES = _words("""
    you this owner it players everyone parties others opponents teammates next previous
    Direction orthogonal diagonal number bool player
""")

# Functions whose second argument stands after `by`.
BY = ("distinct", "reachable", "runs")
