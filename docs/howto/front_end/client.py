"""Plays a seat at random: `python client.py http://127.0.0.1:8000 reco 3`. Needs nothing but Python."""

from __future__ import annotations

import json
import random
import sys
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen


class RefusedError(Exception):
    """A request that was refused: its code."""


class Api:
    """One place at a table, or the server before there is one."""

    def __init__(self, address: str, token: str = "") -> None:
        self.address, self.token = address, token

    def ask(self, path: str = "", body: Any = None, **query: Any) -> Any:
        """Return the answer of a request."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self.token}"}
        try:
            with urlopen(Request(f"{self.address}{path}?{urlencode(query)}", data, headers)) as answer:
                return json.load(answer)
        except HTTPError as error:
            raise RefusedError(json.load(error)["error"]["code"]) from None


def play(place: Api) -> Any:
    """Play a seat to the end of its game; return what it sees then."""
    table = place.ask(since=0)
    while not table["over"]:
        for event in table["events"]:
            sys.stdout.write(f"{event['text']}\n")
        try:
            if table["decision"] is None:  # wait for the others
                table = place.ask(since=table["next"], stamp=table["stamp"], wait=20)
            else:
                action = random.choice(table["decision"]["actions"])
                body = {"id": action["id"], "stamp": table["stamp"], "since": table["next"]}
                table = place.ask("/act", body)
        except RefusedError as refusal:
            if refusal.args[0] != "stale":
                raise
            table = place.ask(since=table["next"])
    return table


if __name__ == "__main__":
    server, ruleset, players = f"{sys.argv[1]}/api/v1", sys.argv[2], int(sys.argv[3])
    bots = {str(seat): "easy" for seat in range(1, players)}
    game = Api(server).ask("/games", {"ruleset": ruleset, "players": players, "bots": bots})
    seat = Api(f"{server}/games/{game['game']}/0", game["tokens"]["0"])
    sys.stdout.write(f"{play(seat)['winners']}\n")
