"""How the documentation is built: `python -m sphinx docs docs/_build`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pygments.lexer import RegexLexer, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Text

from rulelang import __version__
from rulelang.syntax import RESERVED

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "RuleLang"
author = "The RuleLang founders"
version = release = __version__

extensions = ["myst_parser"]
myst_heading_anchors = 4
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"RuleLang {version}"


class RuleLexer(RegexLexer):
    """Colours rules; it never refuses a text, since the tests parse every example."""

    name = "RuleLang"
    aliases = ("rule",)
    tokens = {  # noqa: RUF012 - as Pygments asks for it
        "root": [
            (r"#.*", Comment.Single),
            (r"\[[a-z][\w-]*:\d[^\]]*\]", Comment.Special),  # a citation
            (words(sorted(RESERVED), prefix=r"\b", suffix=r"\b"), Keyword),
            (r"\d+", Number),
            (r"\w+", Name),
            (r"[-+*:=<>!.,|{}()\[\]?]+", Operator),
            (r"\s+|.", Text),
        ]
    }


def setup(app: Sphinx) -> None:
    """Makes the colours known."""
    app.add_lexer("rule", RuleLexer)
