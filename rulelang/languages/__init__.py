"""The languages that the engine speaks: one folder holds all of a language.

Enters: a code such as `fr`. Leaves: its `Language`. The folder `CODE/` is a package with a class `Grammar`, derived
from `Language`, and its texts: `words.toml` (what is asked, done and refused), `prose.toml` (rules in words),
`terminal.toml`, `web.toml`, `lab.toml`, `studio.toml` and, if there is any, `syntax.toml` (what people write in rules
who think in the language). Such folders lie here and in the folders that `RULELANG_LANGUAGES` of the environment names.
"""

from __future__ import annotations

import os
import unicodedata
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from rulelang.diagnostics import UsageError, enumerated
from rulelang.languages.grammar import NO_ARTICLE, Language, Noun, Phrase

__all__ = [
    "DEFAULT",
    "NO_ARTICLE",
    "Language",
    "Noun",
    "Phrase",
    "codes",
    "folded",
    "language",
    "number_meant",
    "number_words",
    "spoken",
]

__path__ += filter(None, os.environ.get("RULELANG_LANGUAGES", "").split(os.pathsep))
DEFAULT = "en"
"""What is spoken where a language is not known."""
FILES = ("words", "prose", "terminal", "web", "lab", "studio")
"""Files of texts that every language has."""


@cache
def codes() -> tuple[str, ...]:
    """Return the codes of all languages, the default first."""
    found = {module.name.replace("_", "-") for module in iter_modules(__path__) if module.ispkg}
    return (DEFAULT, *sorted(found - {DEFAULT}))


def spoken(lang: str) -> str:
    """Return the code of the language that is spoken for one: its own, that of its first part (`fr` for `fr-CA`), or
    nothing."""
    lang = lang.lower()
    return next((code for code in (lang, lang.partition("-")[0]) if code in codes()), "")


def language(lang: str) -> Language:
    """Return the language that is spoken for one, or the default one.

    Raises:
        UsageError: its folder lacks a file, its grammar a method.
    """
    return _pack(spoken(lang) or DEFAULT)


def folded(text: str) -> str:
    """Return a text without case and accents, as it is searched and compared."""
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in parts if not unicodedata.combining(letter))


@cache
def number_words(code: str) -> tuple[str, ...]:
    """Return the words of a language for the numbers from zero on, without accents; none where it lists none."""
    return tuple(language(code).texts("syntax").get("NUMBERS", "").split())


def number_meant(word: str) -> str:
    """Return the digits of a number in words, of any language; empty for any other word."""
    listed = next((words for words in map(number_words, codes()) if word.lower() in words), ())
    return str(listed.index(word.lower())) if listed else ""


@cache
def _pack(code: str) -> Language:
    package = import_module(f"{__name__}.{code.replace('-', '_')}")
    grammar: type[Language] | None = getattr(package, "Grammar", None)
    folder = Path(package.__file__ or "").parent
    lacking = [f"`{name}.toml`" for name in FILES if not (folder / f"{name}.toml").is_file()]
    lacking += [f"`{name}`" for name in (["Grammar"] if grammar is None else sorted(grammar.__abstractmethods__))]
    if grammar is None or lacking:
        raise UsageError(f"the language `{code}` lacks {enumerated(lacking)} ({folder})")
    return grammar(code)
