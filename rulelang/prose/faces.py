"""The faces of pieces: all that a table would want to read of a card, in one language.

Enters: a written ruleset, a row of its pieces, a language. Leaves: a `Face`: its name, how many there are, attributes
and rule text in words, the text as it was written, and where all this comes from.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from rulelang.diagnostics import Diagnostics
from rulelang.prose.base import children
from rulelang.prose.sorts import Nouns
from rulelang.prose.writer import Writer, declarations_of
from rulelang.ruleset.model import Cite, PieceDecl, Ruleset, Text
from rulelang.syntax import ast, parse_expression

Settings = dict[str, int | bool | str]
PLAYERS = "count(players)"


@dataclass(frozen=True)
class Face:
    """A piece in words.

    Attributes:
        id, kind: as the ruleset names them; `name` and `kind_name` in words.
        count: how many there are, with what that depends on; `per_player`: for each player.
        attributes: label and value, in words. start: the zone where it starts.
        effects: the rule text in words, one text for each of its declarations; `rules` as it was written.
        provenance: the ruleset's word; `provenance_text` in words. cites: `source:line` or `source:first-last`.
        options: the options that its row reads, in words.
    """

    id: str
    kind: str
    name: str
    kind_name: str
    count: str
    per_player: bool
    attributes: tuple[tuple[str, str], ...]
    start: str
    effects: tuple[str, ...]
    rules: str
    provenance: str
    provenance_text: str
    cites: tuple[str, ...]
    options: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """As JSON-able values."""
        return dataclasses.asdict(self) | {"attributes": dict(self.attributes)}


class Faces:
    """The faces of a ruleset's pieces in one language."""

    def __init__(self, ruleset: Ruleset, lang: str, nouns: Nouns | None = None) -> None:
        self.ruleset = ruleset
        self.nouns = nouns or Nouns(ruleset)
        self.writer = Writer(ruleset, lang, nouns=self.nouns)
        self.lexicon = self.writer.lexicon

    def all(self) -> tuple[Face, ...]:
        """The faces of all rows, in their order."""
        return tuple(self.face(row) for row in self.ruleset.pieces)

    def face(self, row: PieceDecl) -> Face:
        """The face of one row."""
        kind = self.nouns.kinds[row.kind]
        start = row.start or kind.start
        return Face(
            id=row.id,
            kind=row.kind,
            name=self.lexicon.name(row.id),
            kind_name=self.lexicon.name(row.kind),
            count=self.count(row.count),
            per_player=row.per_player,
            attributes=tuple(
                (self.writer.attribute(row.kind, name), self.writer.value(text, row.kind))
                for name, text in row.attributes.items()
            ),
            start=self.writer.value(start, row.kind) if start is not None else "",
            effects=self.writer.piece(row),
            rules=row.rules.text.strip("\n") if row.rules is not None else "",
            provenance=row.provenance,
            provenance_text=self.writer.say(f"provenance.{row.provenance}"),
            cites=tuple(map(cite_text, row.cites)),
            options=tuple(self.lexicon.name(name) for name in self._options(row)),
        )

    def _options(self, row: PieceDecl) -> list[str]:
        """The options that a row reads, in the order of the ruleset."""
        texts = [row.count, *row.attributes.values(), *([row.start] if row.start is not None else [])]
        nodes = [node for text in texts for node in children(_parsed(text))]
        nodes += [node for declaration in declarations_of(row) for node in children(declaration)]
        read = {node.name for node in nodes if isinstance(node, ast.NameExpr)}
        return [name for name in self.nouns.options if name in read]

    # ---- how many

    def count(self, text: Text) -> str:
        """`19, with deck 100: 22`; in words where more than one thing decides."""
        node = _parsed(text)
        usual: Settings = {option.name: option.default for option in self.ruleset.options}
        decides = self._decides(node)
        if node is None or len(decides) > 1:
            return self.writer.value(text)
        usual[PLAYERS] = self.ruleset.players[0]
        found = worth(node, usual)
        if found is None:
            return self.writer.value(text)
        said = str(found)
        for name in decides:
            values = self.ruleset.players if name == PLAYERS else self.nouns.options[name].values
            for value in values:
                other = worth(node, usual | {name: value})
                if other is None:
                    return self.writer.value(text)
                if other != found:
                    said = self._with(said, name, value, other)
        return said

    def _decides(self, node: ast.Expr | None) -> list[str]:
        found = {
            PLAYERS if isinstance(inner, ast.Call) else inner.name
            for inner in children(node)
            if isinstance(inner, ast.Call) or (isinstance(inner, ast.NameExpr) and inner.name in self.nouns.options)
        }
        return sorted(found)

    def _with(self, said: str, name: str, value: int | bool | str, other: object) -> str:
        if name == PLAYERS:
            return self.writer.say("face.count.players", n=said, value=int(value), other=str(other))
        shown = self.lexicon.name(value) if isinstance(value, str) else self._shown(value)
        option = self.lexicon.name(name)
        return self.writer.say("face.count.with", n=said, option=option, value=shown, other=str(other))

    def _shown(self, value: int) -> str:
        if isinstance(value, bool):
            return self.writer.say("Truth.true" if value else "Truth.false")
        return str(value)


def face(ruleset: Ruleset, row: PieceDecl, lang: str) -> Face:
    """The face of one row of a ruleset in a language."""
    return Faces(ruleset, lang).face(row)


def cite_text(cite: Cite) -> str:
    """`rules-en:12-14`."""
    return f"{cite.source}:{cite.first}" + (f"-{cite.last}" if cite.last != cite.first else "")


def _parsed(text: Text) -> ast.Expr | None:
    span = text.span
    assert span.source is not None
    return parse_expression(span.source, text.text, span.line, span.column, text.indent, Diagnostics())


def worth(node: ast.Expr, settings: Settings) -> int | bool | str | None:
    """The value of an expression over options and the number of players; None if it reads anything else."""
    match node:
        case ast.Number() | ast.Truth():
            return node.value
        case ast.NameExpr():
            return settings.get(node.name, node.name)
        case ast.Call(function=ast.Name(text="count"), arguments=(ast.NameExpr(name="players"),)):
            return settings[PLAYERS]
        case ast.Conditional():
            return worth(node.then if worth(node.condition, settings) else node.otherwise, settings)
        case ast.Not():
            return not worth(node.operand, settings)
        case ast.Logic():
            left, right = worth(node.left, settings), worth(node.right, settings)
            return (left and right) if node.op == "and" else (left or right)
        case ast.Compare() | ast.Arithmetic():
            return _combined(node.op, worth(node.left, settings), worth(node.right, settings))
    return None


def _combined(op: str, left: object, right: object) -> int | bool | None:
    if op in ("=", "!="):
        return (left == right) == (op == "=")
    if not isinstance(left, int) or not isinstance(right, int):
        return None
    match op:
        case "<":
            return left < right
        case "<=":
            return left <= right
        case ">":
            return left > right
        case ">=":
            return left >= right
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "div" | "mod" if right:
            return left // right if op == "div" else left % right
    return None
