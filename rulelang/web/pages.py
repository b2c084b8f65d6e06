"""HTML from templates: every value is escaped unless it is markup already, and a name that is not given is an error.

Enters: the name of a template in `templates/`, values. Leaves: HTML.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from rulelang.resources import room_data

TEMPLATES = Path(__file__).parent / "templates"
STATIC = Path(__file__).parent / "static"
TEXTS = {"en": room_data("web", "english"), "fr": room_data("web", "french")}
"""Language -> what the pages say of themselves."""


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
    html: str = (
        _environment().get_template(template).render(lang=lang, t=TEXTS.get(lang, TEXTS["en"]), asset=asset, **values)
    )
    return html


@cache
def asset(name: str) -> str:
    """The address of a static file, which changes when the file does."""
    return f"/static/{name}?v={hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:12]}"
