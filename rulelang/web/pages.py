"""HTML from templates: every value is escaped unless it is markup already, and a name that is not given is an error.

Enters: the name of a template in `templates/`, values. Leaves: HTML. What lies on tables again and again (cards, zones,
lines of the log) is memoised by what it shows, without the address of the page, which comes in last (`BASE`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable
from functools import cache, lru_cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from rulelang.resources import room_data

TEMPLATES = Path(__file__).parent / "templates"
STATIC = Path(__file__).parent / "static"
TEXTS = {"en": room_data("web", "english"), "fr": room_data("web", "french")}
"""Language -> what the pages say of themselves."""


BASE = "\0"
"""Stands for the address of a page in what is drawn for all pages."""

MEMOISED = 1 << 13
"""So many drawn things of one sort are memoised: some 4 MB of each."""


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    environment.globals.update(asset=asset, drawn=drawn, base=BASE)
    return environment


def prepare() -> None:
    """Compile all templates, so that no reader waits for it."""
    for name in _environment().list_templates(["html"]):
        _environment().get_template(name)


def render(template: str, lang: str, **values: object) -> str:
    """Fill a template; `lang` is that of the page."""
    html: str = _environment().get_template(template).render(lang=lang, t=TEXTS.get(lang, TEXTS["en"]), **values)
    return html


def drawn(name: str, lang: str, *values: Hashable) -> Markup:
    """Fill the macro `name` of `macros.html`; `BASE` stands in it for the address of the page."""
    return _memo(name)(lang, *values)


@cache
def _memo(name: str) -> Callable[..., Markup]:
    macro = getattr(_environment().get_template("macros.html").module, name)

    @lru_cache(MEMOISED)
    def fill(lang: str, *values: Hashable) -> Markup:
        html: Markup = macro(*values, lang, TEXTS.get(lang, TEXTS["en"]))
        return html

    return fill


@cache
def asset(name: str) -> str:
    """Return the address of a static file, which changes when the file does."""
    return f"/static/{name}?v={hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:12]}"
