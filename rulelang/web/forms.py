"""The form for a new game: as a page, and as it comes back.

Enters: what a ruleset offers (`Games.offers`), a query or a form. Leaves: HTML; the settings of `Games.create`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rulelang import numbers
from rulelang.diagnostics import counted
from rulelang.ruleset.files import means_shipped
from rulelang.web import fields
from rulelang.web.live import Json, RefusedError
from rulelang.web.pages import render
from rulelang.web.workers import SIMPLE


def page(
    key: str, lang: str, offer: Json, rulesets: Mapping[str, str], sent: fields.RequestFields, path: str, error: str
) -> str:
    """Return the form for a new game, for as many players as its query or what was sent says.

    Args:
        key, path: of the ruleset. rulesets: key -> path of all that are served; variants among them have forms of their
            own. error: what was wrong with what was sent.
    """
    counts, keys = offer["players"], {served: other for other, served in rulesets.items()}
    players = sent.get("players", next((n for n in counts if n > 1), counts[0]))
    players = players if players in counts else counts[0]
    rows = [option | {"values": _values(option, players)} for option in offer["options"]]
    own = offer | {"options": [row for row in rows if len(row["values"]) > 1]}
    versions = {name: keys[served] for name in offer["variants"] if (served := _variant(path, name)) in keys}
    defaults = offer["defaults"][str(players)]
    return render(
        "new.html", lang, offer=own, players=players, error=error, defaults=defaults, key=key, versions=versions
    )


def _variant(path: str, name: str) -> str:
    """Return the path of a ruleset's variant."""
    return f"{path}/{name}" if means_shipped(path) else f"{path}/variants/{name}"


def settings_of(path: str, form: fields.RequestFields, offer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a new game (see `Games.create`) from its form.

    Args:
        offer: of `Games.offers`.

    Raises:
        RefusedError: a field is out of range, or names what the ruleset does not have.
    """
    players = form.get("players", offer["players"][0])
    if players not in offer["players"]:
        raise RefusedError(
            400, "usage", f"{offer['title']} is for {counted(_listed(offer['players']), 'player')}, not {players}"
        )
    minutes, each = form.get("minutes", 0.0), form.get("each", 0.0)
    clock = {"bank": minutes * 60, "each": each, "bot": form.get("late", SIMPLE)}
    variants = form.family("variant.", offer["variants"].__contains__)
    bots = form.family("bot.", [str(seat) for seat in range(max(offer["players"]))].__contains__)
    return {name: form.get(name, "") for name in ("record", "scenario")} | {
        "path": path,
        "overlays": [_variant(path, name) for name in variants],
        "players": players,
        "options": form.family("option.", [option["name"] for option in offer["options"]].__contains__),
        "bots": {seat: bot for seat, bot in bots.items() if numbers.SEAT.read(seat) < players},
        "spectators": form.get("spectators", "off"),
        "clock": clock if minutes > 0 else None,
    }


def _values(option: Mapping[str, Any], players: int) -> list[tuple[Any, str]]:
    """Return the values of an option that games of so many players have, each with its words."""
    rows, counts = zip(option["values"], option["labels"], strict=True), option["players"]
    return [(value, label) for value, label in rows if players in counts.get(str(value), [players])]


def _listed(values: Sequence[int]) -> str:
    """Return numbers as a text."""
    return ", ".join(map(str, values))
