"""What a request may carry: for each part of an address, and each field of a query or a form, its sort.

Enters: texts of a stranger. Leaves: numbers within their range, names that there are, texts of bounded length;
RefusedError for everything else. Nothing else in this room reads a query, a form or a part of an address, so that a new
field has a row here before it has a use; the routes are tested with hostile values of all rows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from starlette.datastructures import FormData
from starlette.requests import Request

from rulelang import numbers
from rulelang.agents import OFFERED
from rulelang.diagnostics import UsageError, counted
from rulelang.languages import DEFAULT, spoken
from rulelang.web.guard import BODY, parsed
from rulelang.web.live import RefusedError

COOKIE = "seat"
PICKS = 64
"""Most picks of one choice that a request may carry."""
MOST = 100
"""Most fields of a form, and most values of one in JSON."""
SHOWN = 40
"""So much of a text that is refused is shown."""


class Kind(Protocol):
    """A sort of values: reads a text, or raises a UsageError."""

    def read(self, text: str) -> Any:
        """Return the value that a text says."""


@dataclass(frozen=True)
class TextField:
    """Texts of at most `most` characters that are Unicode; `what` names them in messages."""

    what: str
    most: int

    def read(self, text: str) -> str:
        """Return the text. Raises UsageError if it does not fit."""
        if len(text) > self.most:
            raise UsageError(f"{self.what} has at most {counted(self.most, 'character')}")
        if any("\ud800" <= letter <= "\udfff" for letter in text):
            raise UsageError(f"{self.what} holds a character that no text has")
        return text


@dataclass(frozen=True)
class ListedField:
    """The texts of a list; `what` names them in messages."""

    what: str
    values: tuple[str, ...]

    def read(self, text: str) -> str:
        """Return the text. Raises UsageError if it does not fit."""
        if text not in self.values:
            raise UsageError(f"{self.what} is one of {', '.join(self.values)}, not `{text[:SHOWN]}`")
        return text


FIELDS: Mapping[str, Kind] = {
    # a page
    "lang": TextField("a language", 100),
    "stamp": TextField("a stamp", 64),
    "pick": TextField("a pick", 1 << 14),
    "find": TextField("what is looked for", 200),
    "piece": TextField("a piece", 200),
    "at": numbers.STEP,
    "seat": TextField("a place", 8),
    "csv": TextField("a format", 8),
    "since": numbers.EVENT,
    "wait": numbers.WAIT,
    # what is done at a table
    "id": TextField("a choice", BODY),
    "name": TextField("a name", BODY),
    "note": TextField("a note", BODY),
    "bot": ListedField("a bot", OFFERED),
    "to": TextField("an address", 300),
    "code": TextField("a code", 8),
    "answer": ListedField("an answer", ("yes", "no")),
    # a new game
    "ruleset": TextField("a ruleset", 101),
    "players": numbers.SEATS,
    "minutes": numbers.MINUTES,
    "each": numbers.EACH,
    "late": ListedField("a bot", OFFERED),
    "spectators": ListedField("who may watch", ("off", "public", "after")),
    "scenario": TextField("a scenario", 200),
    "record": TextField("a record", BODY),
    "bot.": ListedField("a bot", OFFERED),
    "option.": TextField("a value of an option", 200),
    "variant.": TextField("a variant", 200),
}
"""Field of a query or a form -> its sort. A name that ends with a dot stands for all that begin with it."""

REPEATED = "pick"
"""The one field that may come several times."""

_NO_SEAT, _NO_RULESET, _NO_PAGE = "no_seat", "no_ruleset", "no_page"

PARTS: Mapping[str, tuple[str, str]] = {
    "game": (r"~?[A-Za-z0-9_-]{1,40}", _NO_SEAT),
    "place": (r"[a-z]{1,8}|[0-9]{1,2}", _NO_SEAT),
    "token": (r"[A-Za-z0-9_-]{1,100}", _NO_SEAT),
    "ruleset": (r"~?[A-Za-z0-9_-]{1,100}", _NO_RULESET),
    "part": (r"[a-z]{1,20}", _NO_PAGE),
    "kind": (r"[a-z]{1,20}", _NO_PAGE),
    "name": (r"[^\0-\x1f/\\\ud800-\udfff]{1,200}", _NO_PAGE),
}
"""Part of an address -> what it may be, and the reason why anything else is not found."""


class RequestFields:
    """The fields of one query or form, as `FIELDS` reads them.

    Args:
        pairs: names and texts, as they came.
    """

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self._texts: dict[str, list[str]] = {}
        for name, text in pairs:
            self._texts.setdefault(name, []).append(text)

    def __contains__(self, name: str) -> bool:
        return name in self._texts

    def only(self, names: Collection[str]) -> None:
        """Raise a RefusedError if there is a field of another name."""
        for name in self._texts:
            if name not in names:
                raise RefusedError(400, "usage", f"there is no `{name[:SHOWN]}`")

    def get(self, name: str, default: Any) -> Any:
        """Return the value of a field; the default if it is missing, or empty and may not be.

        Raises:
            RefusedError: it is none of its sort, or came twice.
        """
        texts = self._texts.get(name, [])
        if len(texts) > 1:
            raise RefusedError(400, "usage", f"`{name[:SHOWN]}` came {len(texts)} times")
        return self._read(name, texts[0]) if texts and texts[0].strip() else default

    def all(self, name: str) -> list[Any]:
        """Return the values of a field that may come several times, the first PICKS of them."""
        return [self._read(name, text) for text in self._texts.get(name, [])[:PICKS]]

    def family(self, prefix: str, allowed: Callable[[str], bool]) -> dict[str, Any]:
        """Return the values of all fields whose names begin with `prefix`, by the rest of their names, but empty ones.

        Args:
            allowed: whether there is such a rest.

        Raises:
            RefusedError: there is none, or a value is none of its sort.
        """
        values = {}
        for name in self._texts:
            if name.startswith(prefix):
                if not allowed(name[len(prefix) :]):
                    raise RefusedError(400, "usage", f"there is no `{name[:SHOWN]}`")
                if (value := self.get(name, None)) is not None:
                    values[name[len(prefix) :]] = value
        return values

    def _read(self, name: str, text: str) -> Any:
        """Return a text of a field as its sort reads it."""
        row = name if name in FIELDS else name[: name.find(".") + 1]
        try:
            return FIELDS[row].read(text)
        except UsageError as error:
            raise RefusedError(400, "usage", str(error)) from None


def query(request: Request) -> RequestFields:
    """Return the fields of a request's query."""
    return RequestFields(request.query_params.multi_items())


async def parts(request: Request, files: int = 1, most: int = MOST) -> FormData:
    """Return the parts of a request's form, so many files and other fields at most."""

    async def parse() -> FormData:
        """Parse the body, which has come."""
        return await request.form(max_files=files, max_fields=most, max_part_size=BODY)

    return await parsed(request, parse)


async def form(request: Request) -> RequestFields:
    """Return the fields of a request's form; a file counts as its text."""
    sent = await parts(request)
    return RequestFields(
        [
            (name, value if isinstance(value, str) else (await value.read()).decode("utf-8-sig", "replace"))
            for name, value in sent.multi_items()
        ]
    )


def check_parts(request: Request) -> None:
    """Check the parts of a request's address.

    Raises:
        RefusedError: with status 404, as one is nothing that there could be.
    """
    for name, text in request.path_params.items():
        pattern, code = PARTS[name]
        if re.fullmatch(pattern, text) is None:
            raise RefusedError(404, code)


def language(request: Request) -> str:
    """Return the reader's language: of the query, else the cookie, else the first one of the browser that the pages
    have."""
    asked = [request.cookies.get("lang", "")]
    with suppress(RefusedError):  # an error page has a language too
        asked.insert(0, query(request).get("lang", ""))
    asked += [part.partition(";")[0].strip() for part in request.headers.get("accept-language", "").split(",")]
    return next(filter(None, map(spoken, asked)), DEFAULT)


def sender_of(request: Request) -> tuple[str, str, str | None]:
    """Return game, place and token of a request: a bearer's, else that of the page's cookie, which no other address
    gets."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    bearer = token.strip() if scheme.lower() == "bearer" else request.cookies.get(COOKIE)
    return request.path_params["game"], request.path_params["place"], bearer
