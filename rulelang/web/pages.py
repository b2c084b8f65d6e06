"""HTML from templates: every value is escaped unless it is markup already; an undefined name is an error.

Enters: the name of a template in `templates/`, values. Leaves: HTML. Frequent parts of tables (cards, zones, lines of
the log) are memoised by their content, with a placeholder (`BASE`) for the page's address.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Hashable
from functools import cache
from pathlib import Path
from sys import getsizeof

from jinja2 import BytecodeCache, Environment, FileSystemLoader, StrictUndefined, __version__
from jinja2.bccache import Bucket
from markupsafe import Markup

from rulelang.agents import OFFERED
from rulelang.cache import PAGES, digest_of
from rulelang.languages import codes, language
from rulelang.memos import kept_within
from rulelang.words.phrases import capital

TEMPLATES = Path(__file__).parent / "templates"
STATIC = Path(__file__).parent / "static"
BASE = "\0"
"""Placeholder for the address of the page in memoised parts."""

FILLED_BYTES = 16 << 20
"""So much is kept of fillings of macros."""


class _Compiled(BytecodeCache):  # type: ignore[misc]
    """Compiled templates, kept in the user's cache folder: to compile all is a third of the start of a worker."""

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill a bucket with the code of its template, if it is kept."""
        if (code := PAGES.load(_key(bucket))) is not None:
            bucket.bytecode_from_string(code)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the code of a template."""
        PAGES.save(_key(bucket), bucket.bytecode_to_string())


def _key(bucket: Bucket) -> str:
    """Return the key of a template: its place, its text, and what compiled it."""
    return digest_of(bucket.key, bucket.checksum, __version__, sys.version)


@cache
def _environment() -> Environment:
    """Return the Jinja environment."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, bytecode_cache=_Compiled(),
    )  # fmt: skip
    environment.filters["capital"] = capital
    environment.globals.update(asset=asset, drawn=drawn, base=BASE, filled=_filled, offered=OFFERED, codes=codes())
    return environment


def _filled(template: str, lang: str, /, **fields: object) -> str:
    return language(lang).filled(template, **fields)


def prepare() -> None:
    """Compile all templates ahead of the first request."""
    for name in _environment().list_templates(["html"]):
        _environment().get_template(name)


def render(template: str, lang: str, **values: object) -> str:
    """Fill a template; `lang` is the language of the page."""
    html: str = _environment().get_template(template).render(lang=lang, t=language(lang).texts("web"), **values)
    return html


@kept_within(FILLED_BYTES, getsizeof)
def drawn(name: str, lang: str, *values: Hashable) -> Markup:
    """Fill the macro `name` of `macros.html`, memoised; `BASE` stands in it for the address of the page."""
    macro = getattr(_environment().get_template("macros.html").module, name)
    html: Markup = macro(*values, lang, language(lang).texts("web"))
    return html


@cache
def asset(name: str) -> str:
    """Return the address of a static file, with a hash of its content against stale caches."""
    return f"/static/{name}?v={hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:12]}"
