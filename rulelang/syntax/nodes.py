"""The nodes that all syntax trees have: names, citations, types.

Every node is a frozen dataclass and starts with its span.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, dataclass_transform

from rulelang.diagnostics import Span
from rulelang.records import make_record


@dataclass_transform(frozen_default=True)
@make_record
class Node:
    """A part of the syntax tree; subclasses are frozen dataclasses."""

    span: Span
    word: ClassVar[str]  # of a declaration: what it is called, mostly its first word

    def __init_subclass__(cls, word: str = "") -> None:
        make_record(cls)
        cls.word = word


class Name(Node):
    """An identifier where it stands."""

    text: str


NewName = Name  # declared there and used in values: no word of the language
RuleName = Name  # declared there and called in statements: no word that begins one either


class Citation(Node):
    """`source:first-last`, as written between brackets; of `[invented]`, which no source has, the source is empty."""

    source: str
    first: int
    last: int


class Cited(Node):
    """What may stand under citations."""

    citations: tuple[Citation, ...]


class TypeNode(Node):
    """A type as written."""


class NamedType(TypeNode):
    name: str


class RangeType(TypeNode):
    low: int
    high: int


class BagType(TypeNode):
    resource: str


class CostType(TypeNode):
    resource: str


class SetType(TypeNode):
    element: TypeNode


class GroupType(TypeNode):
    element: Name
    attribute: Name


class OptionalType(TypeNode):
    inner: TypeNode


def walk(node: object) -> Iterator[Node]:
    """Yield all nodes of one or several syntax trees in preorder."""
    if isinstance(node, Node):
        yield node
        for name in node.__match_args__:
            yield from walk(getattr(node, name))
    elif isinstance(node, tuple):
        for part in node:
            yield from walk(part)
