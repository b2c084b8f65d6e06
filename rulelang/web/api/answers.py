"""What a reader is told of a game, as JSON.

Enters: a `View`, which has only what its reader may know. Leaves: typed dictionaries, from which the OpenAPI document
takes its schemas. Folders of the server are left out of the places of rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import PurePath
from typing import Annotated, Any, Literal, TypedDict, cast

from rulelang.game import Action as Offered
from rulelang.game.choosing import token
from rulelang.table.sheet import row_label
from rulelang.web.table import PageBuilder as Drawn
from rulelang.web.view import View

MOST = 200
"""Most actions of a decision that are told at once; of more, some are told by picks or words."""

Json = dict[str, Any]


class Part(TypedDict):
    """Something that can be picked to narrow a choice down."""

    pick: Annotated[str, "sent back as `pick`"]
    name: Annotated[str, "what it is chosen as; empty for an item of a menu"]
    value: str
    zone: Annotated[str, "where a piece lies"]
    text: str


class Action(TypedDict):
    """Something that can be chosen."""

    id: Annotated[str, "sent back to `act`"]
    text: str
    item: Annotated[str, "the item of a menu, else the rule"]
    arguments: Annotated[Json, "as the schema of the ruleset says"]
    parts: Annotated[list[str], "the picks that name it"]
    cites: list[str]


class Decision(TypedDict):
    """The question to a seat."""

    rule: str
    question: str
    together: Annotated[bool, "others are asked at the same time"]
    secret: Annotated[bool, "others do not learn the answer"]
    count: Annotated[int, "how many actions the picks leave"]
    picked: Annotated[list[str], "the picks that count"]
    open: Annotated[list[Part], "the picks that would tell the actions left apart"]
    ready: Annotated[str | None, "the id of the action that is picked, if one is"]
    actions: Annotated[list[Action], f"those that the picks and words leave, the first {MOST}"]


class Asked(TypedDict):
    """A request to take back choices, or for a draw, which the others are to answer."""

    seat: int
    steps: Annotated[int | None, "how many are taken back; null: for a draw"]
    waiting: list[int]


class Note(TypedDict):
    """What was said beside the game."""

    seat: int
    text: str
    kind: str


class Clock(TypedDict):
    """The time that a person has left; it runs while the seat is to choose."""

    seat: int
    seconds: float


class Stage(TypedDict):
    """How far the game is."""

    round: int
    values: dict[str, str]


class Table(TypedDict):
    """A game as one reader sees it."""

    stamp: Annotated[str, "stands for all of this but the clocks; another one is news"]
    lang: str
    title: str
    seat: Annotated[int | None, "the reader's seat; null for a spectator"]
    players: int
    parties: Annotated[list[str], "seats by number, then automata by name"]
    names: Annotated[list[str], "what people call themselves, by seat; empty where they don't"]
    bots: Annotated[dict[str, str], "party -> the bot that plays it"]
    options: dict[str, int | bool | str]
    over: bool
    winners: list[int] | None
    stage: Stage
    observation: Annotated[Json, "as the schema of the ruleset says"]
    events: Annotated[list[Json], "what happened, as the reader learnt it, each with `index`, `type` and `text`"]
    next: Annotated[int, "the number from which on to ask for events"]
    undone: Annotated[int, "how many choices were taken back: when it grows, events before `next` may be others"]
    decision: Annotated[Decision | None, "what the reader is asked"]
    undo: Annotated[Literal["free", "ask", ""], "whether the reader's last choice can be taken back"]
    asked: Asked | None
    clocks: list[Clock]
    notes: list[Note]
    ended: Annotated[Json, "how people ended the game, and which seat did; empty where the rules did or none"]
    ranks: Annotated[list[int] | None, "by party, once the rules have ended the game"]
    rematch: Annotated[bool, "whether there is a next game"]
    draws: Annotated[bool, "whether the reader may ask for a draw"]
    changed: Annotated[list[str], "what the server's rules declare otherwise than those of this game"]


class Refusals(TypedDict):
    """What the reader might try now and may not, each with `text`, `missing`, `rule`, `cites`."""

    refusals: list[Json]


class Line(TypedDict):
    """A line of the score sheet."""

    text: str
    piece: str
    rule: str
    cites: list[str]
    values: Annotated[list[list[int] | None], "by party the least and greatest value; null for what is not known"]


class Sheet(TypedDict):
    """The score sheet, as far as the reader can know it."""

    lines: list[Line]
    totals: list[list[int] | None]


def without_folder(row: Mapping[str, Any]) -> Json:
    """Return a row with the bare name of its file."""
    return {**row, "file": PurePath(row["file"]).name} if row.get("file") else dict(row)


def table(view: View) -> Table:
    """Return all that a reader is told, but what is asked for by itself."""
    observation = dict(view.observation)
    if observation["asked"] is not None:
        observation["asked"] = without_folder(observation["asked"])
    return {
        "stamp": view.stamp, "lang": view.lang, "title": view.ruleset.words(view.lang).title, "seat": view.seat,
        "players": view.players, "parties": list(view.parties), "names": list(view.names),
        "bots": {view.parties[party]: bot for party, bot in view.bots.items()}, "options": view.options,
        "over": view.over, "winners": view.winners, "stage": cast("Stage", view.stage), "observation": observation,
        "events": [*map(without_folder, view.events)], "next": view.until, "undone": view.undone,
        "decision": decision(view) if view.decision is not None else None,
        "undo": cast("Any", view.undo),
        "asked": cast("Asked", asdict(view.asked)) if view.asked else None,
        "clocks": [{"seat": seat, "seconds": round(left, 1)} for seat, left in view.clocks.items()],
        "notes": [{"seat": seat, "text": text, "kind": kind} for _, seat, text, kind in view.notes],
        "ended": view.ended, "ranks": view.ranks, "rematch": view.rematch, "draws": view.draws,
        "changed": list(view.changed),
    }  # fmt: skip


def decision(view: View) -> Decision | None:
    """Return the question to the reader with what the picks and words of the view leave; None without one."""
    asked = view.decision
    if asked is None:
        return None
    drawn = Drawn(view)
    choosing = drawn.choosing
    actions = [*choosing.lone, *choosing.listed(MOST, view.find, view.lang, drawn.label_of)]
    if choosing.leave is not None and not choosing.picks:
        actions.append(choosing.leave)
    parts = [
        Part(
            pick=pick, name=part.name if part else "", value=part.value if part else pick.partition("=")[2],
            zone=part.zone if part else "", text=drawn.label_of(pick),
        )
        for pick, part in choosing.open.items()
    ]  # fmt: skip
    return {
        "rule": asked.rule, "question": asked.question_in(view.lang), "together": asked.together,
        "secret": asked.secret, "count": choosing.count + (choosing.leave is not None and not choosing.picks),
        "picked": list(choosing.picks), "open": parts, "ready": choosing.ready.action.id if choosing.ready else None,
        "actions": [_action(action, view.lang) for action in actions[:MOST]],
    }  # fmt: skip


def _action(action: Offered, lang: str) -> Action:
    """Return an action in words and parts."""
    data = action.data
    return {
        "id": action.id, "text": action.text(lang), "item": data["item"], "arguments": data["arguments"],
        "parts": [*map(token, action.parts)], "cites": list(action.cites),
    }  # fmt: skip


def refusals(view: View) -> Refusals:
    """Return what is refused to the reader now, and why."""
    return {"refusals": [*map(without_folder, view.refusals())]}


def sheet(view: View) -> Sheet:
    """Return the score sheet; empty for a spectator before the end."""
    seen, names = view.sheet(), Drawn(view).names
    lines: list[Line] = [
        {
            "text": row_label(row, names), "piece": row.piece, "rule": row.rule, "cites": list(row.cites),
            "values": [value and list(value) for value in row.values],
        }
        for row in (seen.rows if seen else ())
    ]  # fmt: skip
    return {"lines": lines, "totals": [value and list(value) for value in (seen.totals if seen else ())]}


PARTS: Mapping[str, Callable[[View], Any]] = {
    "api.table": table, "api.decision": decision, "api.refusals": refusals, "api.sheet": sheet,
}  # fmt: skip
"""Part of a page -> what it is as JSON; no address of a page has such a name."""
