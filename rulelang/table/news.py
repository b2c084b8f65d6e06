"""What happened since somebody last looked, a line for each who did something.

Enters: a state, a seat, the number of the first event that it has not read. Leaves: paragraphs, each about one party's
doings.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from rulelang.game import State


@dataclass
class Doing:
    """What came of one party's choices; `seat` is None for what nobody in particular did."""

    seat: int | None
    sentences: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All of it."""
        return " ".join(self.sentences)


def doings(state: State, seat: int | None, since: int, lang: str, *, brief: bool = False) -> list[Doing]:
    """Return what happened from event number `since` on, as the seat learnt it (None: all of it), grouped by who did
    it.

    `brief`: what was done and where pieces went, not how variables changed, which the table shows.
    """
    groups: list[Doing] = []
    words, layout = state.ruleset.words(lang), state.engine[1].layout
    for event in state.story(seat, since, lang):
        kind = event["type"]
        if brief and kind in ("set", "pset"):
            continue
        if kind == "begin" and event["scope"] == "turn":
            groups.append(Doing(event["seat"]))
            continue
        if kind in ("begin", "end") or not groups:
            groups.append(Doing(None))
        if kind in ("choice", "commit") and groups[-1].seat != event["seat"]:
            groups.append(Doing(event["seat"]))
        sentences, text = groups[-1].sentences, event["text"]
        joined = (
            words.did_both(layout, event["seat"], seat, sentences[-1], text) if kind == "choice" and sentences else ""
        )
        sentences[len(sentences) - bool(joined) :] = [joined or text]
    return [doing for doing in groups if doing.sentences]
