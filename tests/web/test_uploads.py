"""Rulesets of strangers: off unless asked for, bounded, YAML and rules alone, played without a compiler."""

from __future__ import annotations

import base64
import io
import os
import re
import shutil
import time
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from rulelang import load
from rulelang.cli.new import skeleton
from rulelang.diagnostics import UsageError
from rulelang.resources import cache_folder
from rulelang.ruleset import unpacking
from rulelang.ruleset.unpacking import FILES, UNPACKED, unpack
from rulelang.syntax.grammar import load_grammar
from rulelang.web.app import UPLOADS, Settings, application
from rulelang.web.games import Games
from rulelang.web.live import RefusedError
from rulelang.web.pages import prepare
from rulelang.web.store import Store
from tests.web.test_app import KUHN, OURS, browser
from tests.web.wire import FORM

MOST_SENT = 8
HEAD = b"rulelang: 2\nname: mine\nplayers: 2\n"


def packed(files: Mapping[str, bytes], **more: int) -> dict[str, bytes]:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", more.get("compression", zipfile.ZIP_DEFLATED)) as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = more.get("attributes", 0o100644) << 16
            archive.writestr(info, content, archive.compression)
    return {"mine.zip": data.getvalue()}


def kuhn() -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path(KUHN).iterdir() if path.suffix in (".yaml", ".rule")}


@pytest.mark.parametrize(
    "files",
    [
        {},
        packed({"../ruleset.yaml": HEAD}),
        packed({"/etc/ruleset.yaml": HEAD}),
        packed({"ruleset.yaml": HEAD, "variants/../../x.yaml": b""}),
        packed({"ruleset.yaml": HEAD, "a\\b.yaml": b""}),
        packed({"ruleset.yaml": HEAD, "rules.py": b"import os"}),
        packed({"ruleset.yaml": HEAD, ".hidden.yaml": b""}),
        packed({"ruleset.yaml": b"/etc/passwd"}, attributes=0o120777),
        packed({"ruleset.yaml": HEAD}, compression=zipfile.ZIP_LZMA),
        packed({"ruleset.yaml": b"\0" * (UNPACKED + 1)}),
        packed({f"{letter}.yaml": b" " * (UNPACKED // 2) for letter in "abc"}),
        packed({f"r{number}.yaml": b"" for number in range(FILES + 1)}),
        {"mine.zip": packed({"ruleset.yaml": HEAD})["mine.zip"][:-30]},
        {"mine.zip": b"PK\3\4" + b"\xff" * 1000},
        {"../ruleset.yaml": HEAD},
        {"ruleset.yaml": HEAD, "x.rule\n": b""},
    ],
)  # fmt: skip
def test_what_is_no_ruleset_leaves_nothing(tmp_path: Path, files: dict[str, bytes]) -> None:
    """Names that lead out, links, Python, bombs and broken zips are refused, and no file is left of them."""
    folder = tmp_path / "in" / "uploads"
    folder.mkdir(parents=True)
    with pytest.raises(UsageError):
        unpack(folder, files, lambda _: None)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_ruleset_lies_under_its_hash(tmp_path: Path) -> None:
    """As files, as a zip, or as a zip of its folder it is the same one; one that fails its check does not stay."""
    checked: list[list[str]] = []

    def check(folder: Path) -> None:
        checked.append(sorted(path.name for path in folder.iterdir()))

    digests = {
        unpack(tmp_path, files, check)
        for files in (kuhn(), packed(kuhn()), packed({f"kuhn/{name}": data for name, data in kuhn().items()}))
    }
    assert checked == [sorted(kuhn())]
    assert [path.name for path in tmp_path.iterdir()] == [*digests]
    assert {path.name: path.read_bytes() for path in (tmp_path / digests.pop() / "game").iterdir()} == kuhn()

    def refuse(_: Path) -> None:
        raise UsageError("no")

    with pytest.raises(UsageError):
        unpack(tmp_path, {"ruleset.yaml": HEAD}, refuse)
    assert len(list(tmp_path.iterdir())) == 1


def test_what_new_writes_can_be_sent(tmp_path: Path) -> None:
    """A new ruleset, with scenarios and its notes, with a theme and a variant, is taken as files and as a zip, checked,
    and its scenarios can be begun with."""
    files = {name: text.encode() for name, text in skeleton("mine").items()}
    files |= {"theme/theme.yaml": b"rulelang: 2\n", "theme/back.png": b"\x89PNG\r\n\x1a\n"}
    files["theme/tree.svg"] = b"<svg/>"  # whether it only draws is looked at when it is asked for
    files["variants/short/theme/theme.yaml"] = b"rulelang: 2\n"
    loaded = []
    for sent_files in (files, packed({f"mine/{name}": data for name, data in files.items()})):
        folder = tmp_path / unpack(tmp_path, sent_files, lambda path: loaded.append(load(path))) / "game"
        assert {path.relative_to(folder).as_posix() for path in folder.rglob("*.*")} == set(files)
    assert len(loaded) == 1
    assert load(folder).scenarios
    for name in ("theme/run.js", "theme/back.svg.html", "scenarios/x.png", "theme/deep/back.png", "other/x.yaml"):
        with pytest.raises(UsageError):
            unpack(tmp_path, files | {name: b""}, lambda _: None)


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    load_grammar()  # its tables are in the cache now, and pages; the process that checks an upload reads them alone
    prepare()
    folder = cache_folder()
    assert folder is not None
    for kept in ("grammar", "pages"):
        if (folder / kept).is_dir():
            shutil.copytree(folder / kept, tmp_path / "cache" / kept, dirs_exist_ok=True)
    monkeypatch.setenv("RULELANG_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("rulelang.web.app.SENT", (MOST_SENT, 3600.0))
    settings = Settings({}, str(tmp_path / "games.sqlite"), thinkers=1, pace=0.0, uploads=str(tmp_path / "uploads"))
    with TestClient(application(settings), follow_redirects=False, headers=OURS) as client:
        yield client


def sent(client: TestClient, files: Mapping[str, bytes]) -> tuple[int, str]:
    """The status of the answer to an upload, and where it leads or what it says."""
    answer = client.post("/upload", files=[("files", (name, data)) for name, data in files.items()])
    said = re.search(r"<pre[^>]*>(.*?)</pre>", answer.text, re.DOTALL)
    return answer.status_code, answer.headers.get("location", said[1] if said else "")


@pytest.mark.slow
def test_a_stranger_plays_what_they_sent(server: TestClient, tmp_path: Path) -> None:
    """The way from the lobby to a game of one's own, with a bot that searches; no library is made of it. What is wrong
    is said by file and line; nothing but a shipped ruleset can be extended."""
    assert '"/upload"' in server.get("/").text
    assert server.get("/upload").status_code == 200
    status, where = sent(server, packed(kuhn()))
    assert (status, where[:6]) == (303, "/new/~")
    assert sent(server, kuhn()) == (303, where)
    answer = server.post(where, data={"players": "2", "bot.1": "easy", "spectators": "public"})
    assert answer.status_code == 303, answer.text
    maker, game = answer.headers["location"], answer.headers["location"].split("/")[2]
    assert game.startswith("~")
    link = re.findall(r'href="http://testserver(/join/[^"]+)"', server.get(maker).text)[0]
    player = browser(server)
    player.get(link)
    until = time.monotonic() + 60
    while "data-over" not in (page := player.get(f"/g/{game}/0/table").text) and time.monotonic() < until:
        if ids := re.findall(r'name="id" value="([^"]*)"', page):
            stamp = re.findall(r'data-stamp="([^"]*)"', page)[0]
            player.post(f"/g/{game}/0/act", data={"id": ids[0], "stamp": stamp})
        time.sleep(0.05)
    assert "data-over" in page
    assert not list((tmp_path / "cache").rglob("*.so"))
    status, told = sent(server, {"ruleset.yaml": HEAD, "rules.rule": b"setup:\n  nonsense\n"})
    assert status == 400
    assert told.startswith(("rules.rule:", "ruleset.yaml:"))
    assert str(tmp_path) not in told
    other = next(path.name for path in (tmp_path / "uploads").iterdir())
    bases = [f"../../{other}/game", f"{tmp_path}/uploads/{other}/game", KUHN, "../game", "/etc"]
    wrong = [{"ruleset.yaml": f"rulelang: 2\nname: mine\nextends: {base}\n".encode()} for base in bases]
    assert sent(server, wrong[0])[0] == 400
    games = Games(Store(":memory:"))  # what the process of an upload does; each would take its time to start
    for base, files in zip(bases, wrong, strict=True):
        coded = {name: base64.b64encode(data).decode() for name, data in files.items()}
        with pytest.raises(RefusedError) as caught:
            games.call("unpack", [str(tmp_path / "uploads"), *UPLOADS, coded])
        assert caught.value.args[:2] == (409, "ruleset"), base
    assert len(os.listdir(tmp_path / "uploads")) == 1
    for key in (other, f"~{other[:-1]}", f"~{other}x", "~../kuhn", "~"):
        assert server.get(f"/new/{key}").status_code == 404


def test_uploads_are_off_bounded_and_counted(
    server: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a folder there is no such page; an address may send so many; of another site's form none."""
    assert server.post("/upload", data={}, headers={"Origin": "https://evil.example"}).status_code == 403
    monkeypatch.setattr("rulelang.web.app.SENT", (2, 3600.0))
    settings = Settings({}, str(tmp_path / "games.sqlite"), thinkers=1, uploads=str(tmp_path / "uploads"))
    with TestClient(application(settings), headers=OURS) as bounded:
        assert [sent(bounded, {"a.txt": b""})[0] for _ in range(3)] == [400, 400, 429]
    settings = Settings({}, str(tmp_path / "games.sqlite"), thinkers=1)
    with TestClient(application(settings), headers=OURS) as plain:
        assert plain.get("/upload").status_code == 404
        assert sent(plain, kuhn())[0] == 404
        assert plain.get(f"/new/~{'0' * 32}").status_code == 404
    assert unpacking.GAME == "game"


def test_what_no_running_game_uses_makes_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The longest unused goes first, by number and by bytes; what has just come and what is played stays. Of a game
    whose ruleset went no more is told than that it is not there."""
    folder, store = tmp_path / "uploads", Store(str(tmp_path / "games.sqlite"))
    games, hour = Games(store), unpacking.FRESH
    most = [3, 3 * unpacking.UNPACKED]

    def send(number: int) -> str:
        files = {name: data + b"#" * number for name, data in kuhn().items()}
        coded = {name: base64.b64encode(data).decode() for name, data in files.items()}
        return str(games.call("unpack", [str(folder), *most, coded])["key"].removeprefix("~"))

    def age(key: str, hours: int) -> None:
        os.utime(folder / key, (time.time() - hours * hour,) * 2)

    first, second, third = map(send, (1, 2, 3))
    with pytest.raises(RefusedError, match="full"):
        send(4)
    made = games.call("create", [FORM | {"path": str(folder / first / "game"), "players": 2, "mark": "~"}])
    for key, hours in ((first, 9), (second, 5), (third, 7)):
        age(key, hours)
    fourth = send(4)
    assert {path.name for path in folder.iterdir()} == {first, second, fourth}
    most[:] = [9, 3 * unpacking.UNPACKED]
    fifth = send(5)
    assert {path.name for path in folder.iterdir()} == {first, second, fourth, fifth}
    files = [path for key in (fourth, fifth) for path in (folder / key).rglob("*.*")]
    most[1] = unpacking.UNPACKED + sum(path.stat().st_size for path in files)
    monkeypatch.setattr(unpacking, "RUNNING", -1.0)
    sixth = send(6)
    assert {path.name for path in folder.iterdir()} == {fourth, fifth, sixth}
    with pytest.raises(RefusedError) as caught:
        Games(store).call("page", [made["game"], "0", made["tokens"]["0"], "en"])
    assert caught.value.args == (404, "no_ruleset", "")
