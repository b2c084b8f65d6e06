"""Who may sit where: secret tokens of which only the hash is stored.

Enters: nothing, or a token that somebody shows. Leaves: tokens of 192 random bits, their SHA-256, whether one fits. A
token of that length needs no slow hash: there is nothing to try.
"""

from __future__ import annotations

import hashlib
import secrets

WATCH, MAKER = "watch", "links"
"""The places at a table that are no seats: who looks on, who made the game."""

STRANGE = "~"
"""What the keys of rulesets that strangers sent begin with, and the names of their games."""

TOKEN_BYTES, GAME_BYTES = 24, 9


def new_token() -> str:
    """Return a secret that stands in a link: 32 characters of the URL-safe alphabet."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def new_game_id() -> str:
    """Return the name of a game in links: 12 characters. Who knows it may look on where spectators are let in."""
    return secrets.token_urlsafe(GAME_BYTES)


def digest(token: str) -> str:
    """Return what is stored of a token."""
    return hashlib.sha256(token.encode()).hexdigest()


def fits(token: str | None, stored: str | None) -> bool:
    """Return whether a token is the one whose hash is stored, in constant time."""
    return token is not None and stored is not None and secrets.compare_digest(digest(token), stored)
