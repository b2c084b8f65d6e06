"""A server without a network: the store, one `Games`, and every byte that each reader was given."""

from __future__ import annotations

import random
from collections import defaultdict
from typing import Any

from rulelang.web.games import Games
from rulelang.web.live import Live
from rulelang.web.seats import WATCH
from rulelang.web.store import Store

FORM: dict[str, Any] = {"overlays": [], "options": {}, "bots": {}, "spectators": "public", "clock": None}
FORM["mark"] = ""


class Wire:
    """One game; `sent` is what went to each place, in order."""

    def __init__(self, database: str, path: str, players: int, **settings: Any) -> None:
        self.games = Games(Store(database))
        made = self.games.call("create", [FORM | {"path": path, "players": players} | settings])
        self.game, self.tokens = made["game"], made["tokens"]
        self.places = [*map(str, range(players)), WATCH]
        self.sent: dict[str, list[str]] = defaultdict(list)

    @property
    def live(self) -> Live:
        return self.games.live(self.game)

    def get(self, place: str, part: str = "table", lang: str = "en") -> Any:
        return self.games.call("page", [self.game, place, self.tokens.get(place), lang, part])

    def tell(self) -> None:
        """Give each reader what a page that listens would be given and then fetch."""
        for place, stamp in self.games.call("stamps", [self.game, self.places])["stamps"].items():
            if not self.sent[place] or self.sent[place][-2] != stamp:
                self.sent[place] += [stamp, self.get(place)["html"]]

    def act(self, seat: int, id_: str) -> Any:
        stamp = self.live.stamp(seat)
        return self.games.call("act", [self.game, str(seat), self.tokens[str(seat)], stamp, id_, "en"])

    def step(self, rng: random.Random) -> bool:
        """One random choice; False if the game is over."""
        state = self.live.session.state
        if state.is_terminal():
            return False
        seat = rng.choice(state.current_players())
        self.act(seat, rng.choice(state.legal_actions(seat)).id)
        return True
