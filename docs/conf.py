"""How the documentation is built: `python -m sphinx docs docs/_build`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from sphinx.search.en import SearchEnglish

from rulelang import __version__
from rulelang.highlight import RuleLexer, RulesetLexer

if TYPE_CHECKING:
    from docutils.nodes import document
    from sphinx.application import Sphinx

project = "RuleLang"
author = "The RuleLang founders"
html_show_copyright = False
version = release = __version__

sys.path.insert(0, str(Path(__file__).parent))
extensions = [
    "myst_parser",
    "rulelang.sphinx",
    "message_pages",
    "notebooks",
    "entries",
    "game_pages",
    "sphinx_copybutton",
]
myst_heading_anchors = 4
exclude_patterns = ["_build"]
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_title = f"RuleLang {version}"
html_search_scorer = str(Path(__file__).parent / "_static" / "scorer.js")
copybutton_prompt_text = "$ "  # of a console only what is typed is copied


class Search(SearchEnglish):
    """English; a word's stem is worked out once for all pages, which saves a tenth of the build."""

    stems: ClassVar[dict[str, str]] = {}

    def stem(self, word: str) -> str:
        """Return the stem of a word."""
        if word not in self.stems:
            self.stems[word] = super().stem(word)
        return self.stems[word]


def leave_out_of_the_menu(app: Sphinx, _: document) -> None:
    """The pages of the messages are listed by their index: in the menu, nearly 200 would bury the others."""
    name = app.env.docname
    if name.startswith("diagnostics/") and name != "diagnostics/index":
        app.env.metadata[name]["orphan"] = "listed"


def setup(app: Sphinx) -> None:
    """Makes the colours and the search known."""
    app.add_search_language(Search)
    app.connect("doctree-read", leave_out_of_the_menu)
    app.add_lexer("rule", RuleLexer)
    app.add_lexer("yaml", RulesetLexer)  # every YAML of these pages is part of a ruleset
