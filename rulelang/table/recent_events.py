"""What happened since somebody last looked, grouped by who did it.

Enters: a state, a seat, the number of the first event that it has not read. Leaves: paragraphs, each about one party.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from rulelang.game import State
from rulelang.runtime.layout import Layout
from rulelang.words import Words

Json = dict[str, Any]


@dataclass
class PartyNews:
    """The sentences about one party's choices and their effects; `seat` is None for events that nobody caused."""

    seat: int | None
    sentences: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Return all sentences."""
        return " ".join(self.sentences)


def joined(words: Words, layout: Layout, reader: int | None, events: Iterable[Json]) -> list[Json]:
    """Return events, choices with their notation, and consecutive ones of a seat merged into one sentence, where the
    language can.

    Args:
        reader: the seat addressed as `you`.
    """
    news: list[Json] = []
    for event in events:
        event, text = event | {"text": in_words(event)}, ""
        if news and news[-1]["type"] == event["type"] == "choice" and news[-1]["seat"] == event["seat"]:
            text = words.did_both(layout, event["seat"], reader, news[-1]["text"], event["text"])
        news[len(news) - bool(text) :] = [news[-1] | {"text": text} if text else event]
    return news


def doings(
    state: State, seat: int | None, events: Iterable[Json], lang: str, *, brief: bool = False
) -> list[PartyNews]:
    """Return events, as the seat learnt of them (None: all of them), grouped by who caused them.

    Args:
        brief: leave out changes of variables, which the table shows.
    """
    words, layout = state.ruleset.words(lang, state.names), state.engine[1].layout
    return grouped(words, layout, seat, events, brief=brief)


def in_words(event: Json) -> str:
    """Return the sentence of an event with its notation, if it has one."""
    return noted(event["text"], event.get("notation", ""), len(event.get("arguments", ())))


def noted(sentence: str, notation: str, arguments: int) -> str:
    """Return a sentence with a notation at its end before the full stop, if there is one.

    Args:
        arguments: of the choice; of one at most the notation is left out where it is a word of the sentence.
    """
    if arguments <= 1 and notation.lower() in re.findall(r"\w+", sentence.lower()):
        return sentence
    stop = "." * sentence.endswith(".")
    return f"{sentence.removesuffix(stop)} ({notation}){stop}" if notation else sentence


def grouped(words: Words, layout: Layout, seat: int | None, events: Iterable[Json], *, brief: bool) -> list[PartyNews]:
    """Return events grouped by who caused them; see `doings`."""
    groups: list[PartyNews] = []
    told = (event for event in events if not (brief and event["type"] in ("set", "pset", "bag")))
    for event in joined(words, layout, seat, told):
        kind = event["type"]
        if kind == "begin" and event["scope"] == "turn":
            groups.append(PartyNews(event["seat"]))
            continue
        if kind in ("begin", "end") or not groups:
            groups.append(PartyNews(None))
        if kind in ("choice", "commit") and groups[-1].seat != event["seat"]:
            groups.append(PartyNews(event["seat"]))
        groups[-1].sentences.append(event["text"])
    return [doing for doing in groups if doing.sentences]


def of_rivals(events: Sequence[Json], seat: int | None) -> Sequence[Json]:
    """Return what the others chose after a seat's last turn and before its present one, and what came of it."""
    chose = [(number, event["seat"]) for number, event in enumerate(events) if event["type"] in ("choice", "commit")]
    last = max((number for number, who in chose if who != seat), default=-1)
    own = max((number for number, who in chose if who == seat and number < last), default=-1)
    first = next((number for number, who in chose if number > own and who != seat), len(events))
    return events[first : next((number for number, who in chose if number > last and who == seat), None)]


def moved(events: Sequence[Json], hidden: Collection[str] = ()) -> frozenset[tuple[str, str]]:
    """Return the pieces that are seen to move, each with the zone that it came to last, and the cells, edges and
    corners whose variables change, each with "".

    Args:
        hidden: variables that the table does not show.
    """
    moves = (move for event in events for move in event.get("moves", [event] * (event["type"] == "move")))
    came = {piece: move["to"] for move in moves for piece in move["pieces"] if piece}
    changed = (event["variable"].rstrip("]").partition("[") for event in events if event["type"] == "set")
    return frozenset([*came.items(), *((index, "") for name, _, index in changed if index and name not in hidden)])
