"""What happened since somebody last looked, grouped by who did it.

Enters: a state, a seat, the number of the first event that it has not read. Leaves: paragraphs, each about one party.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from rulelang.game import State
from rulelang.runtime.layout import Layout
from rulelang.words import Words

Json = dict[str, Any]


@dataclass
class Doing:
    """The sentences about one party's choices and their effects; `seat` is None for events that nobody caused."""

    seat: int | None
    sentences: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Return all sentences."""
        return " ".join(self.sentences)


def joined(words: Words, layout: Layout, reader: int | None, events: Iterable[Json]) -> list[Json]:
    """Return events with consecutive choices of a seat merged into one sentence, where the language can.

    Args:
        reader: the seat addressed as `you`.
    """
    news: list[Json] = []
    for event in events:
        text = ""
        if news and news[-1]["type"] == event["type"] == "choice" and news[-1]["seat"] == event["seat"]:
            text = words.did_both(layout, event["seat"], reader, news[-1]["text"], event["text"])
        news[len(news) - bool(text) :] = [news[-1] | {"text": text} if text else event]
    return news


def doings(state: State, seat: int | None, since: int, lang: str, *, brief: bool = False) -> list[Doing]:
    """Return the events from number `since` on, as the seat learnt of them (None: all of them), grouped by who caused
    them.

    Args:
        brief: leave out changes of variables, which the table shows.
    """
    groups: list[Doing] = []
    words, layout = state.ruleset.words(lang, state.names), state.engine[1].layout
    events = [e for e in state.story(seat, since, lang) if not (brief and e["type"] in ("set", "pset", "bag"))]
    for event in joined(words, layout, seat, events):
        kind = event["type"]
        if kind == "begin" and event["scope"] == "turn":
            groups.append(Doing(event["seat"]))
            continue
        if kind in ("begin", "end") or not groups:
            groups.append(Doing(None))
        if kind in ("choice", "commit") and groups[-1].seat != event["seat"]:
            groups.append(Doing(event["seat"]))
        groups[-1].sentences.append(event["text"])
    return [doing for doing in groups if doing.sentences]
