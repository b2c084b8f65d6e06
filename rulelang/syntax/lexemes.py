"""What rule text is made of: lexemes, and how they are told apart.

Enters: nothing. Leaves: the pattern of all lexemes and their class.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from rulelang.syntax.words import OPERATORS, alternatives

Kind = Literal["word", "int", "cites", "sign", "wrong", "newline", "indent", "dedent"]
_CITE = r"[a-z][a-z0-9-]*:[0-9]+(?:-[0-9]+)?"
LEXEME = re.compile(
    rf"""(?P<space>[ \t\f]+)
      | (?P<comment>\#.*)
      | (?P<word>[A-Za-z_][A-Za-z0-9_]*)
      | (?P<int>[0-9]+)
      | (?P<cites>\[[ \t]*{_CITE}(?:[ \t]*,[ \t]*{_CITE})*[ \t]*\]|(?<!\S)\[invented\])
      | (?P<wrong>==+|=>|<>|\*\*|\+\+|--|&&?|\|\|?|!(?!=)|[;%/"'@$\\^~`])
      | (?P<sign>{alternatives(OPERATORS)}|\.\.|[()\[\]{{}},.:?])
      | (?P<bad>[^\x20-\x7e\t\f]+)
    """,
    re.VERBOSE,
)


class Lexeme(NamedTuple):
    """A piece of text where it stands in the file; `newline`, `indent` and `dedent` have no width."""

    kind: Kind
    text: str
    line: int
    column: int

    @property
    def end_column(self) -> int:
        """The column after the lexeme's last character."""
        return self.column + len(self.text)
