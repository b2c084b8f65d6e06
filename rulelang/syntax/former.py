"""What version 1 said otherwise: it is read into the nodes of version 2, and refused in a file that says version 2.

Enters: parse trees of rules that the grammar calls `former`. Leaves: nodes of `ast`. When version 1 is refused, this
module goes, with those rules and `rulelang/upgrade.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rulelang.diagnostics import LANGUAGE_VERSION, Span
from rulelang.syntax import ast
from rulelang.syntax.phrases import meant

if TYPE_CHECKING:
    from rulelang.syntax.build import Builder
    from rulelang.syntax.grammar import ParseTree

ALL_OF = {"player": "players"}
"""Type -> what the collection of all its values is called, where that is another word."""


def refused(b: Builder, span: Span, said: str, now: str) -> None:
    """Report what version 1 said otherwise, and that what holds it is not sound, unless the file says version 1."""
    if b.source.version >= LANGUAGE_VERSION:
        told = meant("syntax-former", span, b.diagnostics.names)
        message, hint = (told.message, told.hint) if told is not None else (f"`{said}` is of version 1", now)
        b.diagnostics.error("syntax-former", message, span, hint)
        b.former = True


def whose(b: Builder, tree: ParseTree) -> ast.Whose:
    """Build `for SEAT [as PARAMETER]`, of which the parameter is not known yet."""
    seat, parameter = b.value(tree.children[0]), b.read(tree.children[1])
    now = "write `owner` in the place of the player, as in `after gain(owner, n)`; another seat stands under `when`"
    refused(b, b.span(tree), "for …", now)
    return ast.Whose(b.span(tree), seat, parameter)


def set_type(b: Builder, tree: ParseTree) -> ast.SetType:
    """Build the type of lists from `set of T`."""
    span = b.span(tree)
    refused(b, span, "set of", "write `list of`")
    return ast.SetType(span, b.type(tree.children[0]))


def one_value(b: Builder, tree: ParseTree) -> ast.OneOf:
    """Build the choice of one value of a type from `a T where P`."""
    name, condition = tree.children
    type_ = b.name(name)
    every = ALL_OF.get(type_.text, type_.text)
    refused(b, type_.span, f"choose a {type_.text}", f"write `choose one of {every}`")
    of: ast.Expr = ast.NameExpr(type_.span, every)
    if condition is not None:
        of = ast.Where(b.span(tree), of, b.value(condition))
    return ast.OneOf(b.span(tree), of)
