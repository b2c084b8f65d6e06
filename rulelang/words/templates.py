"""The sentences of the engine, from `english.toml` and `french.toml` beside this module.

Enters: nothing. Leaves: `TEMPLATES`. Every language has the same templates with the same fields; a test sees to it. A
name that ends in `_you` is the form for the reader, one in `_many` that for several.
"""

from __future__ import annotations

from rulelang.resources import room_data
from rulelang.words.languages import NO_ARTICLE, Noun

TEMPLATES: dict[str, dict[str, str]] = {"en": room_data("words", "english"), "fr": room_data("words", "french")}
"""Language -> construct -> template."""


def _names(*words: str) -> dict[str, Noun]:
    return {word: Noun(word, word + "s") for word in words}


NOUNS: dict[str, dict[str, Noun]] = {
    "en": {
        **_names("seat", "setup", "play", "turn", "round", "phase", "draw", "roll", "random", "choice", "piece"),
        **_names("number", "player", "cell", "direction", "purse", "done", "pass"),
        "goods": Noun("goods", "goods", plural=True),
        "this": Noun("piece", "pieces"),
    },
    "fr": {
        "seat": Noun("joueur", "joueurs", "m"),
        "setup": Noun("mise en place", "mises en place", "f"),
        "play": Noun("partie", "parties", "f"),
        "turn": Noun("tour", "tours", "m"),
        "round": Noun("manche", "manches", "f"),
        "phase": Noun("phase", "phases", "f"),
        "draw": Noun("tirage", "tirages", "m"),
        "roll": Noun("dé", "dés", "m"),
        "random": Noun("hasard", "hasards", "m"),
        "choice": Noun("choix", "choix", "m"),
        "piece": Noun("pièce", "pièces", "f"),
        "number": Noun("nombre", "nombres", "m"),
        "player": Noun("joueur", "joueurs", "m"),
        "cell": Noun("case", "cases", "f"),
        "direction": Noun("direction", "directions", "f"),
        "purse": Noun("bourse", "bourses", "f"),
        "done": Noun("terminer", "terminer", article=NO_ARTICLE),
        "pass": Noun("passer", "passer", article=NO_ARTICLE),
        "goods": Noun("biens", "biens", "m", plural=True),
        "this": Noun("pièce", "pièces", "f"),
    },
}
"""Language -> what the engine itself names: kinds of values, scopes, and the names it gives to its own questions."""
