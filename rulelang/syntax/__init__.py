"""Text to syntax tree and back: the only room that knows Lark.

Enters: `.rule` files, and DSL texts with their place in a YAML file. Leaves: the nodes of `ast` with spans in the real
file, findings in the author's words, and text in the one layout.
"""

from rulelang.diagnostics import LANGUAGE_VERSION
from rulelang.syntax import ast
from rulelang.syntax.parser import (
    parse_block,
    parse_expression,
    parse_piece_text,
    parse_rule_file,
    parse_rule_text,
    parse_type,
)
from rulelang.syntax.printer import format_rule_text, format_source, print_node
from rulelang.syntax.words import RESERVED

__all__ = [
    "LANGUAGE_VERSION",
    "RESERVED",
    "ast",
    "format_rule_text",
    "format_source",
    "parse_block",
    "parse_expression",
    "parse_piece_text",
    "parse_rule_file",
    "parse_rule_text",
    "parse_type",
    "print_node",
]
