"""What the terminal says of itself, around the words of the game: `terminal_english.toml`, `terminal_french.toml`.

Enters: a language. Leaves: `Texts`, which fills templates. Every language has the same templates; one that is not here
falls back to English.
"""

from __future__ import annotations

from rulelang.resources import room_data

TEXTS: dict[str, dict[str, str]] = {
    "en": room_data("words", "terminal_english"),
    "fr": room_data("words", "terminal_french"),
}
"""Language -> name -> template."""


class Texts:
    """The terminal's own texts in one language."""

    def __init__(self, lang: str) -> None:
        self.lang = lang
        self._texts = TEXTS.get(lang) or TEXTS.get(lang.partition("-")[0]) or TEXTS["en"]

    def __call__(self, name: str, /, **fields: object) -> str:
        """Return a template with its fields."""
        return self._texts[name].format(**fields)
