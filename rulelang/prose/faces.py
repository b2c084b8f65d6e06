"""The faces of pieces: all that a table would want to read of a card, in one language.

Enters: a written ruleset, a row of its pieces, a language. Leaves: a `Face`: its name, how many there are, attributes
and rule text in words, the text as it was written, and where all this comes from.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from rulelang.prose.rows import PLAYERS, Value, known, worth
from rulelang.prose.sorts import Nouns
from rulelang.prose.writer import RuleWriter, declarations_of, expression_of
from rulelang.ruleset.model import Cite, PieceDecl, Text, WrittenRuleset
from rulelang.syntax import ast


@dataclass(frozen=True)
class Face:
    """A piece in words.

    Attributes:
        id, kind: as the ruleset names them; `name` and `kind_name` in words.
        count: how many there are, with what that depends on; `per_player`: for each player.
        attributes: label and value, in words. start: the zone where it starts.
        effects: the rule text in words, one text for each of its declarations; `rules` as it was written.
        text: the author's own text for it in this language, or empty.
        provenance: the ruleset's word; `provenance_text` in words (empty of a game without sources).
        cites: `source:line` or `source:first-last`.
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
    text: str
    rules: str
    provenance: str
    provenance_text: str
    cites: tuple[str, ...]
    options: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the face as a dictionary, its attributes as a mapping."""
        return dataclasses.asdict(self) | {"attributes": dict(self.attributes)}


class Faces:
    """The faces of a ruleset's pieces in one language."""

    def __init__(self, ruleset: WrittenRuleset, lang: str, nouns: Nouns | None = None) -> None:
        self.ruleset = ruleset
        self.nouns = nouns or Nouns(ruleset)
        self.writer = RuleWriter(ruleset, lang, nouns=self.nouns)
        self.lexicon = self.writer.lexicon
        words = {value for option in ruleset.options for value in option.values if isinstance(value, str)}
        # A word of an enumerated type or of an option stands for itself.
        self._values: dict[str, Value] = {word: word for word in {*words, *self.nouns.values}}

    def all(self) -> tuple[Face, ...]:
        """Return the faces of all piece definitions, in declaration order."""
        return tuple(self.face(row) for row in self.ruleset.pieces)

    def face(self, row: PieceDecl) -> Face:
        """Build the face of a piece definition."""
        is_told = self.ruleset.sources or row.cites or row.provenance != "stated"
        return Face(
            id=row.id,
            kind=row.kind,
            name=self.lexicon.noun(f"{row.kind}.{row.id}", row.id).one,
            kind_name=self.lexicon.name(row.kind),
            count=self.count(row),
            per_player=row.per_player,
            attributes=tuple(
                _labelled(self.writer.attribute(row.kind, name), self.writer.value(text, row.kind))
                for name, text in row.attributes.items()
            ),
            start=self.start(row),
            effects=self.writer.piece(row),
            text=self._own_text(row),
            rules=row.rules.text.strip("\n") if row.rules is not None else "",
            provenance=row.provenance,
            provenance_text=self.writer.say(f"provenance.{row.provenance}") if is_told else "",
            cites=tuple(map(cite_text, row.cites)),
            options=tuple(self.lexicon.name(name) for name in self._options(row)),
        )

    def _own_text(self, row: PieceDecl) -> str:
        """Return the author's text for a piece in this language; empty if there is none."""
        return row.text.get(self.lexicon.lang) or row.text.get(self.lexicon.lang.partition("-")[0], "")

    def _options(self, row: PieceDecl) -> list[str]:
        """Return the options that the row or its rule text reads, in declaration order."""
        start = row.start or self.nouns.kinds[row.kind].start
        texts = [row.count, *row.attributes.values(), *([start] if start is not None else [])]
        nodes = [node for text in texts for node in ast.walk(expression_of(text))]
        nodes += [node for declaration in declarations_of(row) for node in ast.walk(declaration)]
        read = {node.name for node in nodes if isinstance(node, ast.NameExpr)}
        return [name for name in self.nouns.options if name in read]

    # ---- what is known before a game

    def _known(self, text: Text, row: PieceDecl) -> ast.Expr | None:
        """Return an expression of a row, with the row's attributes substituted and decided branches resolved."""
        node = expression_of(text)
        attributes = {name: expression_of(value) for name, value in row.attributes.items()}
        known_attributes = {name: value for name, value in attributes.items() if value is not None}
        return known(node, known_attributes, self._values) if node is not None else None

    def start(self, row: PieceDecl) -> str:
        """Word the zone in which the pieces of a row start; empty if they have none."""
        text = row.start or self.nouns.kinds[row.kind].start
        node = self._known(text, row) if text is not None else None
        return self.writer.phrase(node, row.kind) if node is not None else ""

    def count(self, row: PieceDecl) -> str:
        """Word the number of copies: `19, with deck 100: 22`, `1 with 4 players`; the formula if it depends on more."""
        node = self._known(row.count, row)
        if node is None:
            return row.count.text
        decides = self._decides(node)
        usual = self._values | {option.name: option.default for option in self.ruleset.options}
        usual[PLAYERS] = self.ruleset.players[0]
        usual_worth = worth(node, usual)
        if usual_worth is None or len(decides) > 1:
            return self.writer.phrase(node, row.kind)
        said = str(usual_worth)
        for name in decides:
            others: dict[Value | None, list[Value]] = {}
            for value in self.ruleset.players if name == PLAYERS else self.nouns.options[name].values:
                others.setdefault(worth(node, usual | {name: value}), []).append(value)
            others.pop(usual_worth, None)
            for other, values in others.items():
                said = self._with(said, name, values, other)
        return said

    def _decides(self, node: ast.Expr) -> list[str]:
        """Return the options that an expression reads, with `PLAYERS` if it reads the number of players."""
        nodes = list(ast.walk(node))
        names = {inner.name for inner in nodes if isinstance(inner, ast.NameExpr) and inner.name in self.nouns.options}
        if any(isinstance(inner, ast.Call) and inner.function.text == "count" for inner in nodes):
            names.add(PLAYERS)
        return sorted(names)

    def _with(self, said: str, name: str, values: list[Value], other: Value | None) -> str:
        """Append the count `other` for certain option values to a text of counts."""
        shown = self.writer.joined([self._shown(value) for value in values], "or")
        only = ".only" if said == "0" else ""
        if name == PLAYERS:
            noun = self.lexicon.language.form(self.lexicon.engine("player"), int(values[-1]))
            return self.writer.say(f"face.count.players{only}", n=said, value=f"{shown} {noun}", other=str(other))
        option = self.lexicon.name(name)
        return self.writer.say(f"face.count.with{only}", n=said, option=option, value=shown, other=str(other))

    def _shown(self, value: Value) -> str:
        """Word an option's value, or a number of players."""
        if isinstance(value, bool):
            return self.writer.say("Truth.true" if value else "Truth.false")
        return self.lexicon.name(value) if isinstance(value, str) else str(value)


def face(ruleset: WrittenRuleset, row: PieceDecl, lang: str) -> Face:
    """Return the face of one piece definition in a language."""
    return Faces(ruleset, lang).face(row)


def cite_text(cite: Cite) -> str:
    """Return a citation as text, such as `rules-en:12-14`."""
    return f"{cite.source}:{cite.first}" + (f"-{cite.last}" if cite.last != cite.first else "")


def _labelled(label: str, value: str) -> tuple[str, str]:
    """Return label and value; a label that the value begins with is removed from it (`season` and `I`)."""
    return label, value.removeprefix(f"{label} ")
