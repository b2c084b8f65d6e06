"""What the terminal says of itself, around the words of the game: `terminal_english.toml`, `terminal_french.toml`.

Enters: a language. Leaves: `Texts`, which fills templates, and what the commands are called. Every language has the
same templates and commands; one that is not here falls back to English.
"""

from __future__ import annotations

from typing import Any

from rulelang.resources import room_data
from rulelang.words.templates import filled

_FILES: dict[str, dict[str, Any]] = {
    "en": room_data("words", "terminal_english"),
    "fr": room_data("words", "terminal_french"),
}
COMMANDS: dict[str, dict[str, list[str]]] = {
    lang: {name: names.split() for name, names in file.pop("commands").items()} for lang, file in _FILES.items()
}
"""Language -> command -> what it is called: its name, then short and other ones."""
BOTS: dict[str, dict[str, str]] = {lang: file.pop("bots") for lang, file in _FILES.items()}
"""Language -> name of a bot -> what it is called there."""
TEXTS: dict[str, dict[str, str]] = _FILES
"""Language -> name -> template."""


class Texts:
    """The terminal's own texts in one language.

    Attributes:
        commands, bots: what commands and bots are called, see `COMMANDS` and `BOTS`.
    """

    def __init__(self, lang: str) -> None:
        self.lang = next((code for code in (lang, lang.partition("-")[0]) if code in TEXTS), "en")
        self._texts, self.commands, self.bots = TEXTS[self.lang], COMMANDS[self.lang], BOTS[self.lang]

    def __call__(self, name: str, /, **fields: object) -> str:
        """Return a template with its fields."""
        return filled(self._texts[name], self.lang, **fields)
