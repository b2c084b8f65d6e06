"""Why requests of the API are refused: the one table of codes, for answers, the OpenAPI document and the docs."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import JSONResponse

ERRORS: Mapping[str, tuple[int, str]] = {
    "usage": (400, "a field is missing, unknown, out of range, or names what the ruleset does not have"),
    "not-yours": (403, "a spectator, or the person of a seat that a bot plays, can't do that"),
    "not-over": (403, "it would tell secrets before the game is over"),
    "no-seat": (404, "there is no such game or place, or the token is not that of the place"),
    "no-ruleset": (404, "there is no such ruleset"),
    "no-page": (404, "there is no such address, or nothing there"),
    "method": (405, "the address is not asked for like this"),
    "too-slow": (408, "the request did not come whole in time"),
    "stale": (409, "the seat sees something else than when it chose: observe, and choose again"),
    "not-your-turn": (409, "the game waits for somebody else"),
    "over": (409, "the game is over"),
    "refused": (409, "there is no such action now; the message says what is missing"),
    "nothing-to-undo": (409, "there is nothing to take back, or it was asked for already"),
    "changed": (409, "the rules have changed so much that the game can't go on; its record can be had"),
    "ruleset": (409, "the ruleset has errors, or a rule of it went wrong"),
    "too-large": (413, "the request is too large"),
    "not-json": (415, "the body is to be sent as application/json"),
    "too-many": (429, "too many requests of this sort, from this address or for this seat"),
    "fault": (500, "a fault of the server"),
    "worker": (503, "the process of the game took too long, or died; it may be asked again"),
    "store": (503, "the database can't be reached; it may be asked again"),
    "full": (507, "there is no room for more rulesets"),
}
"""Code -> HTTP status, and what it means."""


def error_answer(code: str, message: str = "") -> JSONResponse:
    """Return the answer of a refusal.

    Args:
        code: of ERRORS, with `_` for `-` too. message: for people; "" for what the code means.
    """
    code = code.replace("_", "-")
    status, meaning = ERRORS[code]
    return JSONResponse({"error": {"code": code, "message": message or meaning}}, status)
