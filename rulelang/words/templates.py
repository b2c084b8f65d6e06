"""The sentences and nouns of the engine, from `english.toml` and `french.toml` beside this module.

Enters: nothing. Leaves: `TEMPLATES`, `NOUNS`; templates filled with fields. Every language has the same templates with
the same fields; a test sees to it. A name that ends in `_you` is the form for the reader, one in `_many` that for
several.
"""

from __future__ import annotations

from string import Formatter
from typing import Any

from rulelang.resources import room_data
from rulelang.words.languages import Noun, language

_FILES = {"en": room_data("words", "english"), "fr": room_data("words", "french")}

NOUNS = {lang: {name: Noun(**forms) for name, forms in file.pop("nouns").items()} for lang, file in _FILES.items()}
"""Language -> what the engine itself names: kinds of values, scopes, and the names it gives to its own questions."""

TEMPLATES: dict[str, dict[str, str]] = _FILES
"""Language -> construct -> template."""


class _Forms(Formatter):
    """Fills templates of a language: `{count:card|cards}` is the form that stands after this number."""

    def __init__(self, lang: str) -> None:
        self.language = language(lang)

    def format_field(self, value: Any, format_spec: str) -> Any:
        """Return a field as text, or the form that a number asks for."""
        one, several, many = format_spec.partition("|")
        if not several:
            return super().format_field(value, format_spec)
        return many if self.language.is_many(value) else one


def filled(template: str, lang: str, /, **fields: object) -> str:
    """Return a template with its fields; of `{count:card|cards}` the form for that number."""
    return _Forms(lang).vformat(template, (), fields) if "|" in template else template.format(**fields)
