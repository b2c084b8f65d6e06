"""What a lobby shows: a tile for each game with its variants, a picture, how many play and for how long.

Enters: what rulesets say of themselves in brief, and their themes. Leaves: `Tile`s, pictures. Nothing is loaded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rulelang.diagnostics import Diagnostics
from rulelang.game import Ruleset
from rulelang.languages import language
from rulelang.ruleset.files import VARIANTS, enclosing, find_folder
from rulelang.ruleset.loader import Glance, glance
from rulelang.table.rules import TOPICS, polished, told_about
from rulelang.web.theme import cover_in
from rulelang.words.phrases import capital


@dataclass(frozen=True)
class Tile:
    """A game of the lobby.

    Attributes:
        key: in addresses. players, minutes: such as `3–5 players`, empty if unknown.
        told: title and text of what is told of it, the goal first. variants: key and title of each.
    """

    key: str
    title: str
    players: str
    minutes: str
    pictured: bool
    told: tuple[tuple[str, str], ...]
    variants: tuple[tuple[str, str], ...]


def tiles(glances: Mapping[str, Glance], lang: str) -> list[Tile]:
    """Return a tile for each ruleset that is no variant of another one among them.

    Args:
        glances: by key in addresses.
    """
    keys: dict[Path | None, str] = {brief.folder: key for key, brief in glances.items() if brief.folder is not None}
    within = {key: keys.get(enclosing(brief.folder)) if brief.folder else None for key, brief in glances.items()}
    texts, page = language(lang).texts("terminal"), language(lang).texts("web")
    filled = language(lang).filled
    return [
        Tile(
            key, _text(brief.title, lang) or key,
            filled(page["players_of"], n=_range([*brief.players]), most=max(brief.players)) if brief.players else "",
            _minutes(brief, lang),
            brief.folder is not None and cover_in(brief.folder) is not None,
            tuple((texts[f"about_{topic}"], polished(about[topic], lang)) for topic in TOPICS if topic in about),
            tuple((name, _text(glances[name].title, lang) or name) for name, of in within.items() if of == key),
        )
        for key, brief in glances.items()
        if within[key] is None
        for about in (brief.about,)
    ]  # fmt: skip


def _minutes(brief: Glance, lang: str) -> str:
    """Return how long a game takes; empty if unknown."""
    template = language(lang).texts("web")["minutes_about" if brief.is_estimate else "minutes_of"]
    most = 1 if brief.minutes == "1" else 2
    return language(lang).filled(template, n=brief.minutes.replace("..", "–"), most=most) if brief.minutes else ""


def offer_in_words(ruleset: Ruleset, lang: str) -> dict[str, Any]:
    """Return what is in words of what `Games.offers` gives."""
    words = ruleset.words(lang)
    options = [
        {
            "name": o.name, "label": capital(words.name(o.name)), "values": list(o.values),
            "labels": [words.name(value) if isinstance(value, str) else str(value) for value in o.values],
            "players": {value: list(counts) for value, counts in o.players.items()},
        }
        for o in ruleset.info.options
    ]  # fmt: skip
    folders = {name: Path(ruleset.written.root, VARIANTS, name) for name in ruleset.info.variants}
    titles = {name: glance(folder).title for name, folder in folders.items()}
    variants = {name: title.get(lang) or next(iter(title.values()), name) for name, title in titles.items()}
    return {"title": words.title, "options": options, "variants": variants, "about": told_about(ruleset, lang)}


def cover(path: str) -> tuple[bytes, str] | None:
    """Return the picture of a ruleset with its media type; None if its theme has none."""
    folder = find_folder(path, Diagnostics())
    return cover_in(folder) if folder is not None else None


def _text(texts: Mapping[str, str], lang: str) -> str:
    """Return a text in a language, else in the first that it has."""
    return texts.get(lang) or next(iter(texts.values()), "")


def _range(counts: list[int]) -> str:
    """Return numbers of players as a text: `3–5`, `2, 4`."""
    if len(counts) > 2 and counts == [*range(counts[0], counts[-1] + 1)]:
        return f"{counts[0]}–{counts[-1]}"
    return ", ".join(map(str, counts))
