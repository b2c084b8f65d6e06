"""Notices of turns: to whom, when, and where none goes."""

from __future__ import annotations

import asyncio
import json
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest

from rulelang.web import notices
from rulelang.web.live import RefusedError
from rulelang.web.notices import Notices
from tests.web.direct import Direct
from tests.web.test_together import COUNT

WEBHOOK = "https://hooks.example/api/1?wait=1"
NOWHERE = (
    "http://hooks.example/", "https://hooks.example:8443/", "https://user@hooks.example/", "https://hooks.example.evil/",
    "https://evil/hooks.example", "https://169.254.169.254/", "https://localhost/", "https://[::1]/", "https://[/",
    "ftp://hooks.example/", "//hooks.example/", "hooks.example", "https://hooks.example/\r\nHost: x", "https:///",
    "https://hooks.example:x/", "https://evil#@hooks.example/", "https://evil\\@hooks.example/", "file:///etc/passwd",
    "ada@example", "ada@example.org, eve@example.org", "ada@example.org\nBcc: eve@example.org", "<ada@example.org>",
    "@example.org", "ada@ex ample.org", "ada", "é@example.org",
)  # fmt: skip
"""What is no address of the one host, nor one of mail."""


@pytest.mark.parametrize("to", NOWHERE)
@pytest.mark.parametrize("smtp", ["", "mail:25"])
def test_no_notice_goes_elsewhere(to: str, smtp: str) -> None:
    """Only to named hosts by HTTPS, and to single addresses of mail where there is a mail server."""
    for hosts in ((), ("hooks.example",), ("",)):
        with pytest.raises(RefusedError):
            Notices(hosts, smtp).check(to)


def test_where_notices_go() -> None:
    """Mail has to be confirmed; without a mail server it is refused, too."""
    both = Notices(("Hooks.example",), "mail:25", "games@example.org")
    places = WEBHOOK, "https://HOOKS.example:443", "ada.b+c@mail.example.org"
    assert [both.check(to) for to in places] == [False, False, True]
    with pytest.raises(RefusedError):
        Notices(("hooks.example",)).check("ada@example.org")


class Sent:
    """A server that notes what it is sent instead of a network, and redirects."""

    all: list[Any] = []  # noqa: RUF012 - it is cleared for each test
    status = 302

    def __init__(self, host: str, port: int = 443, timeout: float = 0.0) -> None:
        assert timeout == notices.SECONDS
        self.host = host

    def request(self, *sent: Any) -> None:
        """Note a post."""
        self.all.append((self.host, *sent))

    def getresponse(self) -> Any:
        """Redirect to where nobody is to go."""
        return self

    def close(self) -> None:
        """Nothing is open."""

    def __enter__(self) -> Sent:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is open."""

    def ehlo(self) -> None:
        """Greet."""

    def has_extn(self, name: str) -> bool:
        """Offer nothing."""
        return not name

    def send_message(self, message: EmailMessage) -> None:
        """Note a mail."""
        self.all.append(message)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    Sent.all.clear()
    monkeypatch.setattr(notices, "HTTPSConnection", Sent)
    monkeypatch.setattr("smtplib.SMTP", Sent)
    return Sent.all


def test_a_redirect_is_not_followed_and_many_notices_are_dropped(sent: list[Any]) -> None:
    """One post is all that is sent for a notice; one address has so many in an hour."""
    own = Notices(("hooks.example",))

    async def send() -> None:
        """Send more than one address is sent."""
        for _ in range(notices.OF_ONE[0] + 5):
            await own.send(WEBHOOK, "en", "hi")
        await own.send("https://evil.example/", "en", "hi")

    asyncio.run(send())
    assert len(sent) == notices.OF_ONE[0]
    assert {row[:3] for row in sent} == {("hooks.example", "POST", "/api/1?wait=1")}


def test_who_is_told(tmp_path: Path, sent: list[Any]) -> None:
    """Whoever's turn has come, once, at the address of their game, in their language, unless they look at it or have
    not confirmed their address; nobody else learns of it."""
    (tmp_path / "ruleset.yaml").write_text(COUNT.replace("    for p", "    repeat 5 times:\n     for p"))
    server = Direct(webhooks=["hooks.example"], smtp="mail:25", mail_from="games@example.org")
    game = server.make(path=str(tmp_path), players=2)

    async def gone() -> None:
        """Wait until no notice is under way."""
        while any(key.startswith("notice") for key in server.app._thinking):
            await asyncio.sleep(0.01)

    async def act(place: str) -> None:
        """Choose something."""
        stamp = server.games.live(game).stamp(int(place))
        status, _ = await server.ask(game, place, "/act", {"id": "play:points=1", "stamp": stamp})
        assert status == 303
        await gone()

    async def tell() -> None:
        """Play on while notices are set."""
        assert (await server.ask(game, "watch", "/tell"))[0] == 403
        for bad in ("https://evil.example/", "ftp://x"):
            assert (await server.ask(game, "1", "/tell", {"to": bad}))[0] == 400
        status, page = await server.ask(game, "1", "/tell", {"to": WEBHOOK}, **{"accept-language": "fr"})
        assert (status, WEBHOOK.encode() in page) == (200, True)
        assert WEBHOOK.encode() not in (await server.ask(game, "0"))[1] + (await server.ask(game, "0", "/tell"))[1]
        await act("0")
        ((_, _, _, body, _),) = sent
        told = json.loads(body)
        assert told["content"] == f"Compte : c'est à vous de jouer. http://games.example/g/{game}/1"
        assert told["allowed_mentions"] == {"parse": []}
        await act("1")
        assert len(sent) == 1
        listening, _ = server.listen(game, "1")
        while not server.app.streams.places(game):
            await asyncio.sleep(0.01)
        await act("0")
        assert len(sent) == 1  # the page is open
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)
        sent.clear()
        assert (await server.ask(game, "0", "/tell", {"to": "ada@example.org"}))[0] == 200
        await gone()
        code = sent[0].get_content().split()[-1]
        await act("1")
        await act("0")
        assert len(sent) == 2  # seat 1 alone: the address of seat 0 is not confirmed
        wrong = f"{(int(code) + 1) % 10**8:08}"
        assert (await server.ask(game, "0", "/tell", {"code": wrong}))[0] == 200
        assert server.games.notice(game, "0", server.tokens[game]["0"])["pending"]
        await server.ask(game, "0", "/tell", {"code": code})
        await act("1")
        assert (sent[-1]["To"], sent[-1]["From"]) == ("ada@example.org", "games@example.org")
        assert f"Count: it is your turn. http://games.example/g/{game}/0" in sent[-1].get_content()
        await server.ask(game, "0", "/tell", {"to": ""})
        number = len(sent)
        await act("0")
        await server.ask(game, "1", "/tell", {"to": ""})
        await act("1")
        assert len(sent) == number + 1

    asyncio.run(tell())
