"""Where names are declared and where they are used: noted once, where they are resolved, and only if somebody asks.

Enters: places, and what the name there stands for. Leaves: the list of both, for editors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rulelang.diagnostics import Span
from rulelang.syntax import ast


class NamedMember(NamedTuple):
    """What has a name and no symbol.

    Attributes:
        what: `attribute`, `option`, `field` for what is chosen with one, `menu`, `phase`, `step`, `score line`,
            `exchange`, `removed` for the name of what an overlay takes away, `word` for what there are words for.
        owner: what has it: a kind, a type, a group of exchanges, an option, or empty.
    """

    what: str
    owner: str
    name: str


class Use(NamedTuple):
    """A place where a name stands.

    Attributes:
        named: what it stands for: a symbol, a local, a row or a `NamedMember`. declares: whether it is declared here.
    """

    span: Span
    named: object
    declares: bool = False


class Uses:
    """The places of all names of a ruleset, in the order in which they were resolved."""

    def __init__(self) -> None:
        self.found: list[Use] = []

    def note(self, span: Span, named: object, declares: bool = False) -> None:
        """Note that a name stands at a place."""
        if span.source is not None:
            self.found.append(Use(span, named, declares))


def note_members(uses: Uses, declared: Iterable[ast.Declaration]) -> None:
    """Note the names in rule texts that no symbol stands for."""
    for declaration in declared:
        for node in ast.walk(declaration):
            for name, member, declares in _members(node):
                uses.note(name.span, member, declares)


def _members(node: ast.Node) -> Iterator[tuple[ast.Name, NamedMember, bool]]:
    """Yield the names that a node gives or uses beside symbols and locals, and whether it is declared there."""
    match node:
        case ast.MenuItem(name=name, binders=binders):
            yield name, NamedMember("option", "", name.text), True
            for binder in binders:
                if not isinstance(binder, ast.Let | ast.BindPayment):
                    yield binder.name, NamedMember("field", name.text, binder.name.text), True
        case ast.Menu(name=ast.Name() as name) | ast.Offer(menu=name):
            yield name, NamedMember("menu", "", name.text), isinstance(node, ast.Menu)
        case ast.Scope(kind="phase", name=ast.Name() as name):
            yield name, NamedMember("phase", "", name.text), True
        case ast.Step(name=name) | ast.StepChange(step=name):
            yield name, NamedMember("step", "", name.text), isinstance(node, ast.Step)
        case ast.Score(name=name):
            yield name, NamedMember("score line", "", name.text), True
        case ast.ExchangeGroup(name=group, exchanges=exchanges):
            yield from ((e.name, NamedMember("exchange", group.text, e.name.text), True) for e in exchanges)
        case ast.Exchange(name=name, group=ast.Name() as group):
            yield name, NamedMember("exchange", group.text, name.text), True
        case ast.Removal(name=ast.Name() as name):
            yield name, NamedMember("removed", "", name.text), False
