"""HTML from templates: every value is escaped unless it is markup already, and a name that is not given is an error.

Enters: the name of a template in `templates/`, values. Leaves: HTML.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

TEMPLATES = Path(__file__).parent / "templates"
STATIC = Path(__file__).parent / "static"


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render(template: str, lang: str, **values: object) -> str:
    """Fill a template; `lang` is that of the page."""
    html: str = _environment().get_template(template).render(lang=lang, **values)
    return html
