"""The table of one reader as HTML.

Enters: a `View`. Leaves: a whole page, or the part of it that changes.
"""

from __future__ import annotations

from rulelang.web.pages import render
from rulelang.web.view import View


def page(view: View) -> str:
    """The whole page."""
    return render("table.html", view.lang, view=view, table=fragment(view))


def fragment(view: View) -> str:
    """The part that is fetched anew whenever the reader sees something else."""
    return render("fragment.html", view.lang, view=view)
