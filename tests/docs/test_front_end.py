"""The page on front ends: its requests are sent, its answers come, its tables and types are what the server has, its
clients play."""

from __future__ import annotations

import asyncio
import io
import json
import re
import runpy
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib import request
from urllib.error import HTTPError
from urllib.parse import urlsplit

import pytest
import typescript

from rulelang.web.api.errors import ERRORS
from rulelang.web.api.server import openapi
from tests.web.direct import Direct
from tests.web.test_games import KUHN

FOLDER = Path(typescript.__file__).parent / "howto"
PAGE = (FOLDER / "front_end.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```http\n(.*?)\n```(?:\n\n```json\n(.*?)\n```)?", PAGE, re.S)
CLIENT, CLIENT_TS, TYPES = (FOLDER / "front_end" / name for name in ("client.py", "client.ts", "rulelang.ts"))
DIFFERS = re.compile(r"\b(GAME|TOKEN|OTHER|BOTS|MAKER|STAMP|AFTER|ID|TEXT|COLOUR)\b")
"""What stands on the page for what differs each time."""
MOST_LINES = 60


def shows(shown: Any, answer: Any, known: dict[str, str]) -> bool:
    """Whether an answer has what the page shows of it; what differs each time is known from then on."""
    if isinstance(shown, dict):
        return isinstance(answer, dict) and all(
            key in answer and shows(row, answer[key], known) for key, row in shown.items()
        )
    if isinstance(shown, list):
        return len(shown) <= len(answer) and all(map(shows, shown, answer, [known] * len(shown)))
    if isinstance(shown, str):
        if DIFFERS.fullmatch(shown):
            known.setdefault(shown, answer)
        shown = DIFFERS.sub(lambda match: known[match[0]], shown)
    return bool(shown == answer)


def test_the_examples_of_the_page_are_what_the_server_answers() -> None:
    """Each request of the page is sent in turn, and the answer shown below it is what comes, as far as it is shown."""

    async def send() -> int:
        direct, known, shown = Direct(rulesets={}), dict[str, str](), 0
        direct.app.settings.rulesets["reco"] = "reco"
        for text, answer in EXAMPLES:
            head, _, body = DIFFERS.sub(lambda match: known[match[0]], text).partition("\n\n")
            (method, address, _), *lines = (line.split(" ") for line in head.split("\n"))
            headers = {name.rstrip(":").lower(): " ".join(words) for name, *words in lines}
            sent = json.loads(body) if body else None
            status, told = await direct.api(method, address.removeprefix("/api/v1"), sent, **headers)
            assert status in (200, 201), (text, told)
            if answer:
                shown += 1
                assert shows(json.loads(answer), told, known), (answer, told)
        return shown

    assert asyncio.run(send()) == len([answer for _, answer in EXAMPLES if answer]) == 6
    assert len(EXAMPLES) == 7


def test_the_codes_of_the_page_are_those_of_the_server() -> None:
    """The table lists each code with its status and meaning, in order."""
    rows = re.findall(r"^\| ([0-9]{3}) \| `([a-z-]+)` \| (.*) \|$", PAGE, re.M)
    assert [(code, (int(status), text)) for status, code, text in rows] == list(ERRORS.items())


def test_the_types_are_made_of_the_document() -> None:
    """`python docs/typescript.py` writes them again."""
    document = json.loads(json.dumps(openapi()))
    assert TYPES.read_text(encoding="utf-8") == typescript.typescript(document)


def test_clients_are_short() -> None:
    """Each is 60 lines, no more."""
    assert [file.name for file in (CLIENT, CLIENT_TS) if len(file.read_text().splitlines()) > MOST_LINES] == []


def test_the_client_in_python_plays_a_game(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """As it is on the page, against a server in this process: it plays to the end, whoever is asked first."""
    direct, loop = Direct(rulesets={}), asyncio.new_event_loop()
    direct.app.settings.rulesets["kuhn"] = KUHN

    def urlopen(asked: request.Request) -> io.BytesIO:
        parts = urlsplit(asked.full_url)
        headers = {name.lower(): value for name, value in asked.header_items() if name != "Content-type"}
        assert isinstance(asked.data, bytes | None)
        path = f"{parts.path.removeprefix('/api/v1')}?{parts.query}"
        status, answer = loop.run_until_complete(direct.api(asked.get_method(), path, asked.data, **headers))
        data = io.BytesIO(json.dumps(answer).encode())
        if status >= 400:
            raise HTTPError(asked.full_url, status, "", {}, data)  # type: ignore[arg-type]
        return data

    monkeypatch.setattr(request, "urlopen", urlopen)
    monkeypatch.setattr("sys.argv", ["client.py", "http://games.example", "kuhn", "2"])
    runpy.run_path(str(CLIENT), run_name="__main__")
    loop.close()
    *story, winners = capsys.readouterr().out.splitlines()
    assert winners in ("[0]", "[1]")
    assert len(story) > 3


@contextmanager
def serving() -> Iterator[str]:
    """A server of Kuhn poker behind a real port; its address."""
    import uvicorn

    servers: list[uvicorn.Server] = []

    def serve(listening: socket.socket) -> None:
        direct = Direct(rulesets={})  # here, as a connection of SQLite is its thread's
        direct.app.settings.rulesets["kuhn"] = KUHN
        direct.app.failures._most = direct.app.made._most = 1 << 30
        servers.append(uvicorn.Server(uvicorn.Config(direct.asgi, log_level="warning", lifespan="off")))
        servers[0].run([listening])

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve, args=(listening,))
        thread.start()
        while not (servers and servers[0].started):
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        servers[0].should_exit = True
        thread.join()


@pytest.mark.soak
def test_the_client_in_typescript_plays_a_game(tmp_path: Path) -> None:
    """It passes `tsc --strict` with the types, and plays to the end over a real connection, told by the stream."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        pytest.skip("no Node.js here: nothing checks or runs TypeScript")
    for file in (CLIENT_TS, TYPES):
        shutil.copy(file, tmp_path)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    installed = subprocess.run(
        [npm, "install", "--silent", "--no-fund", "--no-audit", "typescript@^7", "@types/node@^24"],
        cwd=tmp_path, capture_output=True, check=False, timeout=300,
    )  # fmt: skip
    if installed.returncode:
        pytest.skip("npm reaches no registry: nothing checks TypeScript")
    tsc = tmp_path / "node_modules" / ".bin" / "tsc"
    options = "--strict --target es2022 --module es2022 --moduleResolution bundler --types node --outDir out"
    subprocess.run([tsc, *options.split(), "client.ts"], cwd=tmp_path, check=True, timeout=300)
    with serving() as address:
        command = [node, str(tmp_path / "out" / "client.js"), address, "kuhn", "2"]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert re.search(r"^\[ [01] \]$", done.stdout, re.M), done.stdout
