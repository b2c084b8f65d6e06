"""The operations of the API, in one table: routes and the OpenAPI document are made of it.

Enters: the application, requests. Leaves: JSON answers, streams, pictures. Bodies are read into the fields of a form,
so that the same sorts bound them. A body counts as `application/json` alone, which no page of another site can send
unasked, and no cookie reaches these addresses.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from rulelang import numbers
from rulelang.agents import OFFERED
from rulelang.diagnostics import SaveError, counted
from rulelang.documents import json_object
from rulelang.ruleset.model import plain_text
from rulelang.web import fields
from rulelang.web.api import schemas
from rulelang.web.api.answers import Decision, Json, Refusals, Sheet, Table
from rulelang.web.api.errors import ERRORS, error_answer
from rulelang.web.api.rulesets import Cards, Rules, Schema, Theme
from rulelang.web.fields import RequestFields, language, sender_of
from rulelang.web.games import Games
from rulelang.web.guard import BODY, parsed
from rulelang.web.live import RefusedError

if TYPE_CHECKING:
    from rulelang.web.app import App

ADDRESS = "/api/v1"
VALUES = fields.MOST**2
"""Most values of a body, texts aside: no more than some lists of as many as one may have."""
_TEXTS = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"')
RULESET, PLACE = "/rulesets/{ruleset}", "/games/{game}/{place}"
NEW = {name: name for name in "ruleset players minutes each late spectators scenario record".split()} | {
    "options": "option.", "bots": "bot.", "variants": "variant.",
}  # fmt: skip
"""Key of the body of a new game -> its row in `FIELDS`."""


class Brief(TypedDict):
    """A ruleset that can be played."""

    key: str
    title: str
    players: Annotated[list[int], "how many can play"]
    minutes: Annotated[str, "how long it takes; empty if unknown"]


class Known(TypedDict):
    """What a new game of a ruleset may have."""

    key: str
    title: str
    players: list[int]
    options: Annotated[list[Json], "each with `name`, `label`, `values`, `labels`, and `players` of values"]
    defaults: Annotated[dict[str, Json], "number of players -> values of options"]
    variants: Annotated[dict[str, str], "name -> title"]
    scenarios: list[str]
    about: Annotated[list[list[str]], "titles and texts"]
    bots: Annotated[list[str], "who may play for seats, by strength"]


class Offers(TypedDict):
    """The rulesets of the server."""

    rulesets: list[Brief]


class Created(TypedDict):
    """A new game, and the secrets of its places, which nobody is told again."""

    game: str
    tokens: Annotated[dict[str, str], "place -> token: seats by number, `links` for who made the game"]


class Rematch(TypedDict):
    """Where the token of a place opens the next game."""

    game: str
    place: str


class Token(TypedDict):
    """The new secret of a place."""

    token: str


Call = Callable[["App", Request, RequestFields], Awaitable[Any]]
"""What answers an operation: with JSON, or a whole response."""


@dataclass(frozen=True)
class Operation:
    """One thing that can be asked for.

    Attributes:
        answer: the type of what comes back, or a media type. query: names of fields. body: key -> row of `FIELDS`; None
            for a GET. needed: keys or names that must be there.
    """

    name: str
    path: str
    says: str
    answer: Any
    call: Call
    query: tuple[str, ...] = ()
    body: Mapping[str, str] | None = None
    needed: tuple[str, ...] = ()
    created: bool = False

    @property
    def method(self) -> str:
        """The HTTP method."""
        return "GET" if self.body is None else "POST"


def _keys(*names: str) -> Mapping[str, str]:
    """Return the keys of a body that are called as their fields."""
    return {name: name for name in names}


async def _rulesets(app: App, request: Request, _: RequestFields) -> Offers:
    """Answer which rulesets there are."""
    lang = language(request)
    return {"rulesets": [
        {"key": key, "title": brief.title.get(lang) or next(iter(brief.title.values()), key),
         "players": [*brief.players], "minutes": brief.minutes}
        for key, brief in (await app.glances()).items()
    ]}  # fmt: skip


async def _ruleset(app: App, request: Request, _: RequestFields) -> Json:
    """Answer what a new game of a ruleset may have."""
    key = request.path_params["ruleset"]
    return await app.offer(key, language(request), waits=True) | {"key": key, "bots": list(OFFERED)}


async def _create(app: App, request: Request, sent: RequestFields) -> Json:
    """Begin a game."""
    app.limit(request)
    key = sent.get("ruleset", "")
    return await app.make(key, sent, await app.offer(key, language(request), waits=True))


def _told(part: str, at_table: bool) -> Call:
    """Return what answers a part of what is known of a ruleset, or of that of a game."""

    async def call(app: App, request: Request, _: RequestFields) -> Any:
        if at_table:
            return (await app.ask(request, Games.told_at, part, language(request)))["answer"]
        return (await app.of_ruleset(request, Games.told, part, language(request)))["answer"]

    return call


async def _picture(app: App, request: Request, _: RequestFields) -> Response:
    """Answer a picture, of a ruleset or of that of a game."""
    if "game" in request.path_params:
        return await app.picture(request)
    answer = await app.of_ruleset(request, Games.picture_of, request.path_params["name"])
    return Response(base64.b64decode(answer["data"]), media_type=answer["type"])


def _seen(part: str) -> Call:
    """Return what answers a part of what a reader sees."""

    async def call(app: App, request: Request, sent: RequestFields) -> Any:
        if wait := sent.get("wait", 0.0):
            await app.await_news(request, sent.get("stamp", ""), wait)
        search = {"picks": sent.all("pick"), "find": sent.get("find", ""), "since": sent.get("since", None)}
        return (await app.ask(request, Games.page, language(request), part, search))["answer"]

    return call


async def _replay(app: App, request: Request, sent: RequestFields) -> Any:
    """Answer an earlier position."""
    at, eyes = sent.get("at", 0), sent.get("seat", "")
    return (await app.ask(request, Games.replay, language(request), at, eyes, "api.table"))["answer"]


async def _record(app: App, request: Request, _: RequestFields) -> Any:
    """Answer the record of a game."""
    return (await app.ask(request, Games.record))["record"]


async def _act(app: App, request: Request, sent: RequestFields) -> Any:
    """Make a person's choice."""
    search = {"since": sent.get("since", None)}
    stamp, id_ = sent.get("stamp", ""), sent.get("id", "")
    answer = await app.ask(request, Games.act, stamp, id_, language(request), "api.table", search)
    await app.changed(sender_of(request)[0])
    return answer["answer"]


async def _rematch(app: App, request: Request, _: RequestFields) -> Json:
    """Go on in another game."""
    app.limit(request)
    answer = await app.ask(request, Games.rematch)
    await app.changed(sender_of(request)[0])
    return answer


def _say(kind: str, row: str, default: str = "") -> Call:
    """Return what does something that is no choice of the game: see `KINDS` of sayings.py."""

    async def call(app: App, request: Request, sent: RequestFields) -> Any:
        answer = await app.ask(request, Games.say, kind, sent.get(row, default), language(request), "api.table", {})
        await app.changed(sender_of(request)[0])
        return answer["answer"]

    return call


async def _openapi(app: App, request: Request, _: RequestFields) -> Json:
    """Answer the OpenAPI document."""
    del app, request
    return openapi()


_ABOUT = {
    "schema": (Schema, "The JSON Schema of observations and actions"),
    "cards": (Cards, "The definitions of all pieces"),
    "theme": (Theme, "Colours, signs and pictures"),
    "rules": (Rules, "The rules in words, with citations"),
}
OPERATIONS = (
    Operation("openapi", "/openapi.json", "This document", Json, _openapi),
    Operation("rulesets", "/rulesets", "The rulesets that can be played", Offers, _rulesets),
    Operation("ruleset", RULESET, "What a new game of a ruleset may have", Known, _ruleset),
    *(Operation(f"ruleset_{part}", f"{RULESET}/{part}", says, kind, _told(part, False))
      for part, (kind, says) in _ABOUT.items()),
    Operation("ruleset_picture", f"{RULESET}/pictures/{{name}}", "A picture of the theme", "image/*", _picture),
    Operation("create", "/games", "Begin a game", Created, _create, body=NEW, needed=("ruleset",), created=True),
    Operation("observe", PLACE, "The game as the place sees it, with events since a number; with `wait` once it has "
              "another stamp than `stamp`, or so many seconds later", Table, _seen("api.table"),
              ("since", "stamp", "wait")),
    Operation("decision", f"{PLACE}/decision", "What the seat is asked, narrowed down by picks and words",
              Decision | None, _seen("api.decision"), ("pick", "find")),
    Operation("refusals", f"{PLACE}/refusals", "What can't be done now, and why", Refusals, _seen("api.refusals")),
    Operation("sheet", f"{PLACE}/sheet", "The score sheet", Sheet, _seen("api.sheet")),
    Operation("replay", f"{PLACE}/replay", "An earlier position; of another seat once the game is over", Table, _replay,
              ("at", "seat")),
    Operation("record", f"{PLACE}/record", "The record of a finished game, for `rulelang replay`", Json, _record),
    Operation("stream", f"{PLACE}/stream", "Server-sent events: a stamp whenever the place has another one",
              "text/event-stream", lambda app, request, _: app.events(request), ("stamp",)),
    *(Operation(part, f"{PLACE}/{part}", f"{says}, of this game's ruleset", kind, _told(part, True))
      for part, (kind, says) in _ABOUT.items()),
    Operation("picture", f"{PLACE}/pictures/{{name}}", "A picture of the theme", "image/*", _picture),
    Operation("act", f"{PLACE}/act", "Choose an action, on what has this stamp", Table, _act,
              body=_keys("id", "stamp", "since"), needed=("id", "stamp")),
    Operation("undo", f"{PLACE}/undo", "Take the seat's last choice back, or ask the others whether it may", Table,
              _say("undo", "stamp"), body=_keys("stamp"), needed=("stamp",)),
    Operation("consent", f"{PLACE}/consent", "Answer the one who asks to take back, or for a draw", Table,
              _say("consent", "answer"), body=_keys("answer"), needed=("answer",)),
    Operation("join", f"{PLACE}/join", "Take the seat of a token, and say your name", Table, _say("name", "name"),
              body=_keys("name")),
    Operation("renew", f"{PLACE}/renew", "Exchange the seat's token for a new one", Token,
              lambda app, request, _: app.ask(request, Games.renew), body={}),
    Operation("bot", f"{PLACE}/bot", "Let a bot play the seat; without one, play it again", Table, _say("bot", "bot"),
              body=_keys("bot")),
    Operation("note", f"{PLACE}/note", "Write a note to this moment", Table, _say("note", "note"),
              body={"text": "note"}, needed=("text",)),
    Operation("chat", f"{PLACE}/chat", "Say something to all at the table", Table, _say("chat", "note"),
              body={"text": "note"}, needed=("text",)),
    Operation("resign", f"{PLACE}/resign", "Give up", Table, _say("resign", "answer", "yes"), body={}),
    Operation("draw", f"{PLACE}/draw", "Ask the others to end the game without a winner", Table,
              _say("draw", "answer", "yes"), body={}),
    Operation("rematch", f"{PLACE}/rematch", "Go on in another game, once this one is over", Rematch, _rematch,
              body={}),
)  # fmt: skip


def _text(row: str, value: object) -> str:
    """Return a JSON value as the text of a field.

    Raises:
        RefusedError: it is not of the field's sort.
    """
    sorts = {numbers.Whole: (int,), numbers.Real: (int, float)}
    if type(value) not in ((str, int, bool) if row == "option." else sorts.get(type(fields.FIELDS[row]), (str,))):
        raise RefusedError(400, "usage", f"a value of another type is wanted for `{row.rstrip('.')}`")
    return repr(value) if isinstance(value, float) else plain_text(value)


async def _body(request: Request, rows: Mapping[str, str]) -> RequestFields:
    """Return the body of a request as fields.

    Raises:
        RefusedError: it is no JSON object, or holds something else than `rows` say.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise RefusedError(415, "not_json")

    async def parse() -> RequestFields:
        """Parse the body, which has come."""
        return _fields(await request.body(), rows)

    return await parsed(request, parse)


def _fields(body: bytes, rows: Mapping[str, str]) -> RequestFields:
    """Return a body as fields: see `_body`. Its values are counted first: while JSON is parsed nothing else goes on."""
    pairs: list[tuple[str, str]] = []
    bare = _TEXTS.sub(b"", body)
    if sum(map(bare.count, (b",", b"[", b"{"))) > VALUES:
        raise RefusedError(400, "usage", f"the body has at most {VALUES} values")
    try:
        document = json_object(body.decode("utf-8", "replace") or "{}", "the body", BODY)
    except SaveError as error:
        raise RefusedError(400, "usage", str(error)) from None
    for key, value in document.items():
        row = rows.get(key, "")
        if not row:
            raise RefusedError(400, "usage", f"there is no `{key[: fields.SHOWN]}`")
        if isinstance(value, list | dict) and len(value) > fields.MOST:
            raise RefusedError(400, "usage", f"`{key}` has at most {counted(fields.MOST, 'value')}")
        if row == "variant." and isinstance(value, list):
            pairs += [(row + _text(row, name), "on") for name in value]
        elif row.endswith("."):
            if row == "variant." or not isinstance(value, dict):
                raise RefusedError(400, "usage", f"a value of another type is wanted for `{key}`")
            pairs += [(row + name, _text(row, part)) for name, part in value.items()]
        else:
            pairs.append((row, _text(row, value)))
    return RequestFields(pairs)


def _answering(app: App, operation: Operation) -> Callable[[Request], Awaitable[Response]]:
    """Return what answers the requests of an operation."""

    async def answer(request: Request) -> Response:
        """Answer a request."""
        query = fields.query(request)
        query.only((*operation.query, "lang"))
        query.get("lang", "")
        sent = query if operation.body is None else await _body(request, operation.body)
        for name in operation.needed:
            if (operation.body or {}).get(name, name) not in sent:
                raise RefusedError(400, "usage", f"`{name}` is missing")
        result = await operation.call(app, request, sent)
        return result if isinstance(result, Response) else JSONResponse(result, 201 if operation.created else 200)

    return app.checked(ADDRESS + operation.path, answer)


@cache
def openapi() -> Json:
    """Return the OpenAPI document."""
    paths: dict[str, Json] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _described(operation)
    code = {"enum": list(ERRORS), "description": "; ".join(f"`{name}`: {text}" for name, (_, text) in ERRORS.items())}
    error = schemas.of_object({"code": code, "message": {"type": "string"}})
    components = schemas.named(operation.answer for operation in OPERATIONS)
    components["Error"] = schemas.of_object({"error": error})
    return {
        "openapi": "3.1.0", "info": {"title": "RuleLang", "version": "1", "description": "Games, as seats see them."},
        "servers": [{"url": ADDRESS}], "paths": paths,
        "components": {"schemas": components, "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    }  # fmt: skip


def parameters(operation: Operation) -> dict[str, tuple[str, Json]]:
    """Return name -> where it stands (`path`, `query`) and schema, of what an operation takes beside its body."""
    parts = [part.partition("}")[0] for part in operation.path.split("{")[1:]]
    path = {part: ("path", {"type": "string", **_pattern(part)}) for part in parts}
    query = {name: ("query", schemas.of_field(name)) for name in (*operation.query, "lang")}
    if fields.REPEATED in query:
        query[fields.REPEATED] = "query", {"type": "array", "items": query[fields.REPEATED][1]}
    return path | query


def _pattern(part: str) -> Json:
    """Return the pattern of a part of an address; none of a file's name, which says what it may not have."""
    return {} if part == "name" else {"pattern": f"^({fields.PARTS[part][0]})$"}


def _described(operation: Operation) -> Json:
    """Return the operation as OpenAPI has it."""
    rows = [
        {"name": name, "in": where, "required": where == "path" or name in operation.needed, "schema": schema}
        for name, (where, schema) in parameters(operation).items()
    ]  # fmt: skip
    is_media = isinstance(operation.answer, str)
    media = operation.answer if is_media else "application/json"
    content = {media: {"schema": {} if is_media else schemas.of_type(operation.answer)}}
    errors = {"application/json": {"schema": {"$ref": f"{schemas.REFERENCE}Error"}}}
    described: Json = {
        "operationId": operation.name, "summary": operation.says, "parameters": rows,
        "responses": {
            "201" if operation.created else "200": {"description": "Done", "content": content},
            "default": {"description": "Refused", "content": errors},
        },
    }  # fmt: skip
    if operation.path.startswith(PLACE):
        described["security"] = [{"token": []}, {}]
    if operation.body is not None:
        properties = {key: schemas.of_field(row) for key, row in operation.body.items()}
        body = {"application/json": {"schema": schemas.of_object(properties, operation.needed)}}
        described["requestBody"] = {"required": bool(operation.needed), "content": body}
    return described


def mounted(app: App, origins: Sequence[str]) -> Mount:
    """Return the API below its address.

    Args:
        origins: whose pages may use it from browsers; `*` for all.
    """

    async def refused(request: Request, error: Exception) -> Response:
        """Return the answer of a refusal."""
        refusal = app.refusal(request, error)
        return error_answer(refusal.code, refusal.detail)

    routes: list[BaseRoute] = [
        Route(operation.path, _answering(app, operation), methods=[operation.method]) for operation in OPERATIONS
    ]
    cors = Middleware(
        CORSMiddleware, allow_origins=list(origins), allow_methods=["GET", "POST"],
        allow_headers=["Authorization", "Content-Type", "Last-Event-ID"],
    )  # fmt: skip
    handlers = dict.fromkeys((RefusedError, HTTPException), refused)
    return Mount(ADDRESS, Starlette(routes=routes, middleware=[cors] if origins else [], exception_handlers=handlers))
