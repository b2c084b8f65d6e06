"""The card reference of a ruleset in Sphinx documentation: the directive `rulelang-cards`.

Enters: a ruleset's folder or name in a page. Leaves: for each kind of piece a gallery of cards: name, number,
attributes, effect in words, how sure the figures are, where they come from. Sphinx is needed only here; put
`rulelang.sphinx` among the `extensions` of a `conf.py`.
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
from rulelang.ruleset.model import WrittenRuleset

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata, OptionSpec


def codes(argument: str | None) -> list[str]:
    """Parse the option `:lang:`, a comma-separated list of language codes."""
    return [code.strip() for code in (argument or "").split(",") if code.strip()]


class CardsDirective(SphinxDirective):
    """`rulelang-cards` with a folder (seen from the page) or the name of a shipped ruleset.

    `:lang:` names one or several languages, the ruleset's own if left out; `:kind:` shows pieces of that kind only.
    """

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[OptionSpec] = {"lang": codes, "kind": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        """Build the galleries of cards, one for each kind of piece, under the kind's name."""
        ruleset = self.ruleset()
        nouns = Nouns(ruleset)
        langs = self.options.get("lang") or ruleset.languages
        readers = [Faces(ruleset, lang, nouns) for lang in langs]
        only_kind = self.options.get("kind")
        if only_kind is not None and only_kind not in nouns.kinds:
            raise self.error(f"the ruleset has no kind `{only_kind}`; it has {', '.join(nouns.kinds)}")
        galleries: list[nodes.Node] = []
        for kind in nouns.kinds:
            rows = [row for row in ruleset.pieces if row.kind == kind]
            if rows and only_kind in (None, kind):
                title = readers[0].lexicon.name(kind, 2)
                galleries.append(nodes.rubric("", title[:1].upper() + title[1:]))
                galleries.append(gallery(readers, [[reader.face(row) for reader in readers] for row in rows]))
        return galleries

    def ruleset(self) -> WrittenRuleset:
        """Load the directive's ruleset and register all its files as dependencies of the page."""
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


def gallery(readers: Sequence[Faces], rows: Sequence[Sequence[Face]]) -> nodes.container:
    """Build the gallery of one kind: a card for each piece, with its faces in all readers' languages."""
    number = readers[0].writer.say("face.number")
    return nodes.container("", *(_card(faces, number) for faces in rows), classes=["rulelang-cards"])


def _card(faces: Sequence[Face], number: str) -> nodes.container:
    """Build a card from the faces of one piece, the first language in full, of the others what differs.

    A CSS class says how reliable the figures are.
    """
    first, *translated = faces
    card = nodes.container("", classes=["rulelang-card", f"rulelang-figures-{first.provenance}"])
    card += _line(first.name, "name")
    card += [_line(face.name, "name-too") for face in translated if face.name != first.name]
    if facts := [(label, value) for label, value in ((number, first.count), *first.attributes) if value]:
        card += nodes.definition_list("", *(_fact(label, value) for label, value in facts))
    for face in faces:
        name = "text" if face is first else "text-too"
        card += [_line(text, name) for text in (face.text, *face.effects) if text]
    if sources := [text for text in (first.provenance_text, *first.cites) if text]:
        card += _line(" · ".join(sources), "source")
    return card


def _line(text: str, name: str) -> nodes.paragraph:
    """Build a paragraph with the CSS class `rulelang-NAME`."""
    return nodes.paragraph("", text, classes=[f"rulelang-{name}"])


def _fact(label: str, value: str) -> nodes.definition_list_item:
    """Build one item of a definition list: the label of an attribute and its value."""
    return nodes.definition_list_item("", nodes.term("", label), nodes.definition("", nodes.paragraph("", value)))


def add_styles(app: Sphinx) -> None:
    """Add the folder of the gallery's style sheet to the static files of the site."""
    app.config.html_static_path.append(str(Path(__file__).with_name("static")))


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive, its style sheet and the hook that copies it, as Sphinx expects of an extension."""
    app.add_directive("rulelang-cards", CardsDirective)
    app.add_css_file("rulelang-cards.css")
    app.connect("builder-inited", add_styles)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
