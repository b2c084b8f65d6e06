"""The outermost layer of the application: limits of size and number, same-origin check of posts, security headers.

Enters: an ASGI application. Leaves: one that refuses early. A post is answered only if the browser says that it comes
from a page of this server (`Sec-Fetch-Site`, else `Origin`): together with `SameSite=Lax` cookies that prevents
cross-site request forgery.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Coroutine, Mapping
from contextlib import AsyncExitStack, suppress
from ipaddress import ip_address, ip_network
from typing import Any, TypeVar
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rulelang.web.api.errors import error_answer

T = TypeVar("T")
API = "/api/"
BODY = 1 << 20
"""The bytes of a form; a recorded game is the longest."""
HOST = 260
"""The characters of a host and its port: names have 253."""
SEND_SECONDS = 30.0
"""Who does not take a part of an answer in this time is hung up on."""

BODY_SECONDS = 30.0
"""A form that has not come whole in this time is refused."""
AT_ONCE, TURN, SENDING = 16, "rulelang.turn", "rulelang.sender"
"""How many requests of an address are worked on at once; where a request has its turn, and whom it is from."""
LONG = 1 << 14
"""A body of more bytes is parsed beside other requests: a mebibyte of signs may take 0.2 seconds."""
ADDRESSES = 10_000
"""So many addresses are remembered before those of long ago are forgotten."""

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


class Rates:
    """A sliding-window rate limit by address.

    Args:
        limit: how often, and the window in seconds.
    """

    def __init__(self, limit: tuple[int, float]) -> None:
        self._most, self._seconds = limit
        self._times: dict[str, deque[float]] = {}

    def allow(self, key: str) -> bool:
        """Count a request; return whether it is within the limit."""
        now = time.monotonic()
        if len(self._times) > ADDRESSES:
            self._times = {who: times for who, times in self._times.items() if times[-1] > now - self._seconds}
        times = self._times.setdefault(key, deque())
        while times and times[0] < now - self._seconds:
            times.popleft()
        if len(times) >= self._most:
            return False
        times.append(now)
        return True


def client_address(request: HTTPConnection) -> str:
    """Return the address of a request's sender, for limits: of IPv6 the network, as everybody has many in one."""
    host = request.client.host if request.client else ""
    with suppress(ValueError):  # no address, behind some proxies
        if (address := ip_address(host)).version == 6:
            return str(address.ipv4_mapped or ip_network((address, 64), strict=False).network_address)
    return host


class _Sender:
    """What requests of one address wait for: their turns; long bodies are parsed, and uploads checked, one after the
    other."""

    def __init__(self) -> None:
        self.requests, self.bodies = asyncio.Semaphore(AT_ONCE), asyncio.Lock()


class RequestGuard:
    """ASGI middleware: see the module. AT_ONCE requests of an address are worked on at once, up to the beginning of
    their answers or until they wait for news (`waiting`).

    Args:
        headers: what each answer carries.
    """

    def __init__(self, app: ASGIApp, headers: Mapping[str, str] = HEADERS) -> None:
        self.app, self.headers = app, headers
        self._senders = WeakValueDictionary[str, _Sender]()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = _refusal(scope["method"], headers, scope["path"].startswith(API))
        if refusal:
            await _refused(scope, *refusal)(scope, receive, self._headed(scope, send))
            return
        sender = self._senders.setdefault(client_address(HTTPConnection(scope)), _Sender())
        async with AsyncExitStack() as turn:
            await turn.enter_async_context(sender.requests)
            scope[TURN], scope[SENDING] = turn, sender
            try:
                await self.app(scope, _bounded(receive), self._headed(scope, send))
            except ClientDisconnect:  # or a form that is too long, or too slow in coming
                await _refused(scope, 408, "too-slow", "no whole form came")(scope, receive, self._headed(scope, send))

    def _headed(self, scope: Scope, send: Send) -> Send:
        """Return a `send` that adds the security headers and a time limit."""

        async def headed(message: Message) -> None:
            """Send a message, with headers if it begins the answer."""
            if message["type"] == "http.response.start":
                await waiting(scope)
                headers = MutableHeaders(scope=message)
                headers.update(self.headers)
                static = scope["path"].startswith("/static/")
                headers.setdefault("Cache-Control", "public, max-age=3600" if static else "no-store")
            async with asyncio.timeout(SEND_SECONDS):
                await send(message)

        return headed


async def waiting(scope: Scope) -> None:
    """Let other requests of the sender be worked on: that of the scope waits, or is answered."""
    if TURN in scope:
        await scope[TURN].aclose()


async def parsed(request: Request, parse: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Return what is parsed of a request's body; of LONG ones in a thread, so that others are answered meanwhile."""
    if len(await request.body()) <= LONG:
        return await parse()
    async with request.scope[SENDING].bodies:
        return await asyncio.to_thread(lambda: asyncio.run(parse()))


def _refused(scope: Scope, status: int, code: str, reason: str) -> Response:
    """Return the answer of a refusal: of the API a code."""
    return error_answer(code, reason) if scope["path"].startswith(API) else PlainTextResponse(reason, status)


def _refusal(method: str, headers: Headers, of_api: bool) -> tuple[int, str, str] | None:
    """Return status, code and reason if a request is refused; else None. The API takes no forms and no cookies, and
    answers itself what other origins may ask."""
    if method not in ("GET", "HEAD", "POST") and not of_api:
        return 405, "method", "no such method"
    length = headers.get("content-length", "0")
    if not length.isdecimal() or len(length) > len(str(BODY)) or int(length) > BODY:
        return 413, "too-large", "too large"
    if len(headers.get("host", "")) > HOST:
        return 400, "usage", "no such host"
    if method == "POST" and not of_api and not _same_origin(headers):
        return 403, "not-yours", "a form of another site"
    return None


def _same_origin(headers: Headers) -> bool:
    """Return whether a post comes from a page of this server."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    origin = headers.get("origin")
    with suppress(ValueError):  # brackets that are no address
        return origin is not None and urlsplit(origin).netloc == headers.get("host")
    return False


def _bounded(receive: Receive) -> Receive:
    """Return a `receive` that disconnects after BODY bytes or BODY_SECONDS."""
    taken, whole, until = 0, False, asyncio.get_running_loop().time() + BODY_SECONDS

    async def bounded() -> Message:
        """Receive a message of the body, or a disconnect."""
        nonlocal taken, whole
        with suppress(TimeoutError):
            async with asyncio.timeout_at(None if whole else until):
                message = await receive()
            taken, whole = taken + len(message.get("body", b"")), not message.get("more_body", False)
            if taken <= BODY:
                return message
        return {"type": "http.disconnect"}

    return bounded
