"""The sentences and nouns of the engine, from `english.toml` and `french.toml` beside this module.

Enters: nothing. Leaves: `TEMPLATES`, `NOUNS`. Every language has the same templates with the same fields; a test sees
to it. A name that ends in `_you` is the form for the reader, one in `_many` that for several.
"""

from __future__ import annotations

from rulelang.resources import room_data
from rulelang.words.languages import Noun

_FILES = {"en": room_data("words", "english"), "fr": room_data("words", "french")}

NOUNS = {lang: {name: Noun(**forms) for name, forms in file.pop("nouns").items()} for lang, file in _FILES.items()}
"""Language -> what the engine itself names: kinds of values, scopes, and the names it gives to its own questions."""

TEMPLATES: dict[str, dict[str, str]] = _FILES
"""Language -> construct -> template."""
