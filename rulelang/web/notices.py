"""Notices that it is somebody's turn: by mail, or posted to a webhook such as Discord's.

Enters: where people want to be told, which strangers write. Leaves: mail and posts, bounded in time and number. A post
goes by HTTPS to hosts that whoever runs the server names, no redirect is followed, nothing is told of an answer; mail
goes through one server, to an address that has repeated a code which was sent there.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import smtplib
from collections.abc import Sequence
from email.message import EmailMessage
from http.client import HTTPException, HTTPSConnection
from urllib.parse import urlsplit

from rulelang.languages import language
from rulelang.web.games import LOG
from rulelang.web.guard import Rates
from rulelang.web.live import RefusedError

SECONDS = 10.0
"""How long a server that takes notices may take for each step."""
AT_ONCE, WAITING = 4, 200
"""So many notices are under way, and wait at most; more are dropped."""
OF_ONE = 20, 3600.0
"""Most notices to one address in so many seconds."""
LOGIN = "RULELANG_SMTP_LOGIN"
"""The variable of the environment with `user:password` for the mail server."""
_MAIL = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+")


class Notices:
    """What sends notices.

    Args:
        hosts: those that posts may go to. smtp: `host:port` of the mail server, empty for none. sender: whom mail is
            from.
    """

    def __init__(self, hosts: Sequence[str], smtp: str = "", sender: str = "") -> None:
        self.hosts, self._smtp, self._sender = tuple(host.lower() for host in hosts), smtp, sender
        self._rates, self._waiting, self._free = Rates(OF_ONE), 0, asyncio.Semaphore(AT_ONCE)

    @property
    def mails(self) -> bool:
        """Return whether mail is sent."""
        return bool(self._smtp)

    def check(self, to: str) -> bool:
        """Return whether an address has to be confirmed: one of mail has.

        Raises:
            RefusedError: no notice goes there.
        """
        if self.mails and _MAIL.fullmatch(to):
            return True
        if not (host := _target(to)[0]) or host not in self.hosts:
            raise RefusedError(400, "usage", ", ".join(f"https://{host}/…" for host in self.hosts))
        return False

    async def send(self, to: str, lang: str, text: str) -> None:
        """Send a text, unless too many are sent; what goes wrong is logged, without the address."""
        if self._waiting >= WAITING or not self._rates.allow(to):
            return
        self._waiting += 1
        try:
            self.check(to)  # hosts of before may not be those of now
            async with self._free:
                await asyncio.to_thread(self._mail if "@" in to.partition("/")[0] else _post, to, lang, text)
        except (OSError, HTTPException, smtplib.SMTPException, RefusedError, ValueError) as error:
            LOG.warning("a notice was not sent: %s", type(error).__name__)
        finally:
            self._waiting -= 1

    def _mail(self, to: str, lang: str, text: str) -> None:
        """Send a mail."""
        message = EmailMessage()
        message["From"], message["To"], message["Auto-Submitted"] = self._sender, to, "auto-generated"
        message["Subject"] = language(lang).texts("web")["notice_subject"]
        message.set_content(text)
        host, _, port = self._smtp.partition(":")
        with smtplib.SMTP(host, int(port or 25), timeout=SECONDS) as server:
            server.ehlo()
            if server.has_extn("starttls"):
                server.starttls()
            if login := os.environ.get(LOGIN):
                user, _, password = login.partition(":")
                server.login(user, password)
            server.send_message(message)


def _target(to: str) -> tuple[str, str]:
    """Return host, and path with query, of an HTTPS address at its usual port; empty texts for anything else."""
    try:
        parts = urlsplit(to)
        plain = parts.scheme == "https" and parts.port in (None, 443) and "@" not in parts.netloc
    except ValueError:
        return "", ""
    if not plain or not re.fullmatch(r"[!-~]+", to):
        return "", ""
    return parts.hostname or "", f"{parts.path or '/'}{'?' * bool(parts.query)}{parts.query}"


def _post(to: str, lang: str, text: str) -> None:
    """Post a text as Discord (`content`), Slack and Mattermost (`text`) take it; nobody is called by it."""
    host, path = _target(to)
    body = json.dumps({"content": text, "text": text, "allowed_mentions": {"parse": []}})
    connection = HTTPSConnection(host, timeout=SECONDS)
    try:
        connection.request("POST", path, body, {"Content-Type": "application/json", "Accept-Language": lang})
        if connection.getresponse().status >= 300:
            raise HTTPException
    finally:
        connection.close()
