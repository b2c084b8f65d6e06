"""Access to seats by secret tokens, of which only the hash is stored.

Enters: nothing, or a token. Leaves: tokens of 192 random bits, their SHA-256, whether one matches. A token of that
length needs no slow hash: it can't be guessed.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection

WATCH, MAKER = "watch", "links"
"""The places at a table that are no seats: spectators, the maker of the game."""

FIRST = 1
"""People count seats from here; addresses and records from 0."""

STRANGE = "~"
"""Prefix of the keys of uploaded rulesets and of the ids of their games."""

TOKEN_BYTES, GAME_BYTES = 24, 9


def new_token() -> str:
    """Return a secret for a link: 32 characters of the URL-safe alphabet."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def new_game_id() -> str:
    """Return a new game's id: 12 characters. Who knows it may watch where spectators are allowed."""
    return secrets.token_urlsafe(GAME_BYTES)


def digest(token: str) -> str:
    """Return the hash of a token, as it is stored."""
    return hashlib.sha256(token.encode()).hexdigest()


def fits(token: str | None, stored: str | None) -> bool:
    """Return whether a token has the stored hash, in constant time."""
    return token is not None and stored is not None and secrets.compare_digest(digest(token), stored)


def turn(teams: Collection[Collection[int]], players: int) -> int:
    """Return by how many seats people move for a rematch: by one, or by as many as keep teams together."""
    own = {frozenset(team) for team in teams}
    moved = ({frozenset((seat - by) % players for seat in team) for team in own} for by in range(1, players))
    return next((by for by, their in enumerate(moved, 1) if their == own), 1)
