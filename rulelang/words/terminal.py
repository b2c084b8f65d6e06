"""What the terminal says of itself, around the words of the game: `terminal.toml` of a language.

Enters: a language; one that the engine does not speak falls back to English. Leaves: `Texts`, which fills templates,
and what commands and bots are called.
"""

from __future__ import annotations

from functools import cache

from rulelang.languages import codes, language


class Texts:
    """The terminal's own texts in one language.

    Attributes:
        commands: command -> what it is called: its name, then short and other ones.
        bots: name of a bot -> what it is called.
    """

    def __init__(self, lang: str) -> None:
        self._language = language(lang)
        self.lang = self._language.code
        self._texts = self._language.texts("terminal")
        self.commands: dict[str, list[str]] = {name: said.split() for name, said in self._texts["commands"].items()}
        self.bots: dict[str, str] = self._texts["bots"]

    def __call__(self, name: str, /, **fields: object) -> str:
        """Return a template with its fields."""
        return self._language.filled(self._texts[name], **fields)


@cache
def spoken() -> dict[str, Texts]:
    """Return the terminal's texts in every language, by code."""
    return {code: Texts(code) for code in codes()}
