"""The words of the language.

Enters: nothing. Leaves: which words can never be names, which can be names only where nothing else can stand, and which
begin a declaration or a statement.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Never a name, except after a dot: a name in their place would silently change what a value means.
FIXED = _words(
    "and or not in is has if else otherwise where with grouped of for when then div mod true false none "
    "choose let while repeat as"
)

# Words that begin a statement or a value: as names they could be declared but not used.
STATEMENT_WORDS = _words("""
    let move draw shuffle return stop pass require end mark unmark eliminate reveal arrange trade pay
    if for while repeat as turn round phase step choose anyway secretly
""")
VALUE_WORDS = _words("can choose cell top bottom possible roll random together secretly some all any one up down")

RESERVED = FIXED | STATEMENT_WORDS | VALUE_WORDS

PIECE_WORDS = _words("on before after instead modify exchange offer scores")
DECLARATION_WORDS = PIECE_WORDS | _words("""
    rulelang setup play rule function quantity event ability score winner tie payoff exchanges remove
""")
