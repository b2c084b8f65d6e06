"""The index of the site and its inventory: every construct that a table of the language lists, every message.

Enters: the pages of `docs/language` and `docs/diagnostics`. Leaves: entries of the index under each word of the
language that a construct has, else under its name, and objects of the inventory (`objects.inv`) for other sites.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.addnodes import index

from rulelang.syntax.words import KEYWORDS

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

WORD = re.compile(r"[A-Za-z_]\w*")
OPERANDS = re.compile(r"\([^)]*\)|\ba\b(?! (?:[A-Z]|number))|\b[b-z]\b")
"""What stands for values: what is in brackets, single letters; `a` before a type is a word."""


def words_of(construct: str) -> list[str]:
    """Return the words under which a construct is looked up: those of the language, else its first one; none of signs
    alone."""
    words = list(dict.fromkeys(WORD.findall(OPERANDS.sub(" ", construct))))
    return [word for word in words if word in KEYWORDS] or words[:1]


def add_entries(app: Sphinx, document: nodes.document) -> None:
    """Add the entries of a page."""
    page = app.env.docname
    if page.startswith("diagnostics/") and page != "diagnostics/index":
        code = page.rpartition("/")[2]
        _enter(app, next(document.findall(nodes.section)), "message", [code], [f"message; {code}", code])
    for row in list(document.findall(nodes.row)) if page.startswith("language/") else ():
        first, *_, last = cells = list(row.findall(nodes.entry))
        constructs = [literal.astext() for literal in first.findall(nodes.literal)]
        pairs = [(word, construct) for construct in constructs for word in words_of(construct)]
        entries = [word if word == construct else f"{word}; {construct}" for word, construct in pairs]
        if page == "language/index" and len(cells) > 1 and not constructs:
            reserved = [literal.astext() for literal in last.findall(nodes.literal) if literal.astext() in KEYWORDS]
            pairs += [(word, word) for word in reserved]
            entries += [f"{word}; reserved word" for word in reserved]
        if entries:
            _enter(app, first, "word", [word for word, _ in pairs], entries)
    app.env.domains.index_domain.process_doc(app.env, page, document)  # which has read the page without them


def _enter(app: Sphinx, node: nodes.Element, sort: str, names: list[str], entries: list[str]) -> None:
    """Add entries of the index that lead to a node, and objects of the inventory; the first of a name keeps it."""
    if not node["ids"]:
        node["ids"].append(f"entry-{app.env.new_serialno('entry')}")
    target = node["ids"][0]
    node.insert(0, index(entries=[("single", text, target, "", None) for text in entries]))
    domain = app.env.domains.standard_domain
    for name in names:
        if (sort, name) not in domain.objects:
            domain.note_object(sort, name, target)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Make words and messages known to Sphinx."""
    app.add_object_type("word", "word")
    app.add_object_type("message", "message")
    app.connect("doctree-read", add_entries)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
