"""The card reference of a ruleset in Sphinx documentation: the directive `rulelang-cards`.

Enters: a ruleset's folder or name in a page. Leaves: for each kind of piece a table: name, number, attributes, effect
in words, how sure the figures are, where they come from. Sphinx is needed only here; put `rulelang.sphinx` among the
`extensions` of a `conf.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from rulelang.diagnostics import Diagnostics
from rulelang.prose import Face, Faces
from rulelang.prose.sorts import Nouns
from rulelang.ruleset.loader import load_ruleset
from rulelang.ruleset.model import Ruleset

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata, OptionSpec


def codes(argument: str | None) -> list[str]:
    """`en, fr` as codes."""
    return [code.strip() for code in (argument or "").split(",") if code.strip()]


class CardsDirective(SphinxDirective):
    """`rulelang-cards` with a folder (seen from the page) or the name of a shipped ruleset.

    `:lang:` names one or several languages, the ruleset's own if left out; `:kind:` shows pieces of that kind only.
    """

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[OptionSpec] = {"lang": codes, "kind": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        """The tables."""
        ruleset = self.ruleset()
        nouns = Nouns(ruleset)
        langs = self.options.get("lang") or list(ruleset.languages) or ["en"]
        readers = [Faces(ruleset, lang, nouns) for lang in langs]
        wanted = self.options.get("kind")
        if wanted is not None and wanted not in nouns.kinds:
            raise self.error(f"the ruleset has no kind `{wanted}`; it has {', '.join(nouns.kinds)}")
        found: list[nodes.Node] = []
        for kind in nouns.kinds:
            rows = [row for row in ruleset.pieces if row.kind == kind]
            if rows and wanted in (None, kind):
                title = readers[0].lexicon.name(kind, 2)
                found.append(nodes.rubric("", title[:1].upper() + title[1:]))
                found.append(cards_table(readers, [[reader.face(row) for reader in readers] for row in rows]))
        return found

    def ruleset(self) -> Ruleset:
        """The ruleset that is meant; the page depends on all its files."""
        name = self.arguments[0]
        beside = Path(self.env.relfn2path(name)[1])
        diagnostics = Diagnostics()
        ruleset = load_ruleset(beside if beside.is_dir() else name, diagnostics=diagnostics)
        if ruleset is None:
            raise self.error("; ".join(map(str, diagnostics)))
        for layer in ruleset.layers:
            for file in sorted(Path(layer.folder).rglob("*")):
                if file.suffix in (".yaml", ".rule"):
                    self.env.note_dependency(str(file))
        return ruleset


def cards_table(readers: Sequence[Faces], rows: Sequence[Sequence[Face]]) -> nodes.table:
    """The faces of one kind, each in all languages; columns in which nothing stands are left out."""
    say = readers[0].writer.say
    several = len(readers) > 1
    heads = [f"{say('face.name')} ({reader.lexicon.lang})" if several else say("face.name") for reader in readers]
    labels = list(dict.fromkeys(label for faces in rows for label, _ in faces[0].attributes))
    heads += [say("face.number"), *labels, say("face.effect"), say("face.source")]
    body = [[*([face.name] for face in faces), *_cells(faces, labels)] for faces in rows]
    filled = [column for column in range(len(heads)) if any(any(cells[column]) for cells in body)]
    group = nodes.tgroup("", cols=len(filled))
    group += [nodes.colspec("", colwidth=4 if heads[column] == say("face.effect") else 1) for column in filled]
    group += nodes.thead("", _row([[heads[column]] for column in filled]))
    group += nodes.tbody("", *(_row([cells[column] for column in filled]) for cells in body))
    return nodes.table("", group, classes=["rulelang-cards"])


def _cells(faces: Sequence[Face], labels: Sequence[str]) -> list[list[str]]:
    """Number, attributes, effect in each language, and where it comes from; one paragraph for each text."""
    first = faces[0]
    attributes = dict(first.attributes)
    source = [first.provenance_text, *first.cites]
    return [
        [first.count],
        *([attributes.get(label, "")] for label in labels),
        [text for face in faces for text in (face.text, *face.effects)],
        source,
    ]


def _row(cells: Sequence[Sequence[str]]) -> nodes.row:
    return nodes.row("", *(nodes.entry("", *(nodes.paragraph("", text) for text in cell if text)) for cell in cells))


def setup(app: Sphinx) -> ExtensionMetadata:
    """Makes the directive known."""
    app.add_directive("rulelang-cards", CardsDirective)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
