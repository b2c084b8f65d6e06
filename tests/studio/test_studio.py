"""The studio's server without a browser: who gets in, what is written, how the game follows the text."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from rulelang import load
from rulelang.cli.language_server import server
from rulelang.cli.new import copied, make
from rulelang.cli.studio import EditorBridge
from rulelang.diagnostics import UsageError
from rulelang.memory.check import check
from rulelang.studio import app, files
from rulelang.studio.app import Studio, application
from rulelang.studio.work import worked
from tests.service.sample import write

WAIT = 60.0
ORIGIN = {"origin": "http://127.0.0.1"}


@dataclass
class Page:
    """The page, as far as the server sees it."""

    studio: Studio
    client: TestClient
    findings: dict[str, list[str]] = field(default_factory=dict)
    version: int = 0

    def get(self, path: str) -> Any:
        return self.client.get(path)

    def do(self, verb: str, **body: Any) -> Any:
        answer = self.client.post(f"/do/{verb}", content=json.dumps(body), headers=ORIGIN)
        return answer.json()

    def lsp(self, method: str, params: Any, **more: Any) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params, **more}
        assert self.client.post("/lsp", content=json.dumps(message), headers=ORIGIN).status_code == 204

    def write(self, name: str, text: str) -> None:
        """Type a text, which is not saved."""
        uri, self.version = (self.studio.root / name).as_uri(), self.version + 1
        item = {"uri": uri, "languageId": "rule", "version": self.version, "text": text}
        self.lsp("textDocument/didOpen", {"textDocument": item})

    def edit(self, name: str, old: str, new: str) -> str:
        """Replace a part of a file's text in the editor; return the text."""
        path = self.studio.root / name
        text = self.studio.project.text_of(path)
        assert text.count(old) == 1
        self.write(name, text.replace(old, new))
        return text.replace(old, new)

    def game(self, until: Callable[[Any], bool] = lambda game: game["ready"]) -> Any:
        """Return what the page shows of the game, once something holds of it."""
        end = time.monotonic() + WAIT
        while not until(told := self.get("/game").json()):
            assert time.monotonic() < end, told
            time.sleep(0.01)
        return told

    def choose(self, pattern: str) -> None:
        """Choose at the table, as its page does."""
        play = self.studio.play
        assert play is not None
        id_ = next(a.id for a in play.state.legal_actions() if a.id.startswith(pattern))
        sent = {"stamp": play.stamp(), "id": id_}
        assert self.client.post("/table/act", data=sent, headers=ORIGIN).status_code == 200


def hear(page: Page) -> Callable[[str], None]:
    def heard(message: str) -> None:
        told = json.loads(message)
        if told.get("method") == "textDocument/publishDiagnostics":
            name = Path(told["params"]["uri"]).name
            page.findings[name] = [finding["code"] for finding in told["params"]["diagnostics"]]

    return heard


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    folder = write(tmp_path / "pond")
    (tmp_path / "home").mkdir()
    studio = Studio(EditorBridge(server), make, folder, tmp_path / "home", True, "secret")
    with TestClient(application(studio), base_url="http://127.0.0.1") as client:
        shown = Page(studio, client)
        studio.editor.send = hear(shown)
        assert client.get("/?token=secret").status_code == 200
        shown.lsp("initialize", {"capabilities": {}, "processId": None, "rootUri": None}, id=1)
        yield shown


def test_who_gets_in(page: Page) -> None:
    """Only who has the token, at this machine's own name, from its own page; nothing may be fetched from elsewhere."""
    for path in ("/", "/game", "/table", "/events", "/table/events", "/table/picture/x.png"):
        stranger = TestClient(page.client.app, base_url="http://127.0.0.1")
        assert stranger.get(path).status_code == 403, path
        assert stranger.get(f"{path}?token=secreT").status_code == 403
    for host in ("evil.example", "127.0.0.1.evil.example"):
        assert page.client.get("/game", headers={"host": host}).status_code == 403
    for origin in (
        {},
        {"origin": "http://evil.example"},
        {"origin": "http://127.0.0.1", "sec-fetch-site": "cross-site"},
    ):
        assert page.client.post("/do/go", content='{"at": 0}', headers=origin).status_code == 403
    policy = page.get("/").headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "connect-src 'self'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy.replace("https", "http")
    cookie = TestClient(page.client.app, base_url="http://127.0.0.1", follow_redirects=False).get("/?token=secret")
    assert {"httponly", "samesite=strict"} <= {*cookie.headers["set-cookie"].lower().split("; ")}


ELSEWHERE = "../x.yaml /etc/x.yaml a/../../x.yaml .git/x.yaml x.py a\\..\\x.yaml x\0.yaml out/x.yaml".split(" ")


def test_no_file_elsewhere_is_written_or_read(page: Page, tmp_path: Path) -> None:
    """Not by dots, nor by a link, nor a file of another sort."""
    (page.studio.root / "out").symlink_to(tmp_path)
    for name in (*ELSEWHERE, ""):
        assert "error" in page.do("save", name=name, text="x", known=None, force=True), name
        with pytest.raises(UsageError):
            files.read(page.studio.root, name)
    assert not [*tmp_path.glob("x*")]


def test_an_edit_is_told_and_not_written(page: Page) -> None:
    """Findings come as one types; the disk has the text once it is saved, and what others wrote there is not lost."""
    path = page.studio.root / "pond.rule"
    before = path.read_text("utf-8")
    page.game()
    page.edit("pond.rule", "move frog to bank", "move frog to bnk")
    page.game(lambda game: game["stale"])
    assert page.findings["pond.rule"] == ["name-unknown"]
    text = page.edit("pond.rule", "move frog to bnk", "coins += 1\n      move frog to bank")
    page.game(lambda game: not game["stale"])
    assert page.findings["pond.rule"] == []
    assert path.read_text("utf-8") == before
    path.write_text(before + "# theirs\n", encoding="utf-8")
    assert page.do("save", name="pond.rule", text=text, known=before) == {"conflict": before + "# theirs\n"}
    assert path.read_text("utf-8").endswith("# theirs\n")
    assert page.do("save", name="pond.rule", text=text, known=before + "# theirs\n") == {"saved": "pond.rule"}
    assert path.read_text("utf-8") == text
    assert page.do("save", name="notes.md", text="new", known=None) == {"saved": "notes.md"}
    page.studio.writable = False  # a shipped one
    assert "error" in page.do("save", name="notes.md", text="old", known="new")
    assert (page.studio.root / "notes.md").read_text("utf-8") == "new"


def test_an_edit_plays_the_game_again_up_to_what_differs(page: Page) -> None:
    """What was chosen is chosen again; the table stands where a coin, or an option, is another one."""
    page.game()
    assert page.do("new_game", players=3, seed=4, options={"deep": True}) == {}
    for _ in range(3):
        page.choose("wait")
    told = page.game()
    assert (told["at"], told["kept"], told["over"]) == (3, 3, True)
    page.do("go", at=2)
    assert page.game()["at"] == 2
    assert "Your turn" in page.get("/table/table").text

    page.edit("pond.rule", "wait: coins += 1", "wait: coins += 2")
    told = page.game(lambda game: game["difference"])
    assert (told["at"], told["kept"], told["of"]) == (1, 3, 3)  # the first choice gives 2 coins now
    assert told["difference"]["changed"] == [["coins[0]", "1", "2"]]
    assert told["difference"]["offered"] == told["difference"]["refused"] == told["difference"]["moved"] == []

    page.edit("pond.rule", "wait: coins += 2", "pause: coins += 2")
    told = page.game(lambda game: game["difference"] and game["difference"]["error"])
    assert (told["at"], told["kept"], told["of"]) == (0, 0, 3)  # nothing is lost of what was recorded
    assert told["difference"]["offered"] == ["pause"]
    assert told["difference"]["refused"] == ["wait"]
    page.edit("pond.rule", "pause: coins += 2", "wait: coins += 1")
    told = page.game(lambda game: game["kept"] == 3)
    assert told["difference"]["refused"] == ["pause"]

    page.do("go", at=1)
    page.choose("release")  # another way from there, and back
    told = page.game()
    assert (told["at"], told["of"], [branch["number"] for branch in told["branches"]]) == (2, 2, [1])
    page.do("switch", branch=0)
    told = page.game()
    assert (told["at"], told["kept"]) == (2, 3)
    assert [branch["of"] for branch in told["branches"]] == [2]
    page.client.post("/table/undo", data={"stamp": page.studio.play.stamp()}, headers=ORIGIN)  # type: ignore[union-attr]
    assert page.game()["at"] == 1


def test_who_looks(page: Page) -> None:
    """All at once see each hand, a seat its own; bots play to the end; a choice of an old page is not made."""
    page.game()
    play = page.studio.play
    assert play is not None
    hands = {seat: str(play.state.observation(seat)["zones"][f"hand[{seat}]"]["pieces"][0]) for seat in range(2)}
    for view, shown in (("0", {0}), ("1", {1}), ("turn", {0}), ("all", {0, 1})):
        page.do("look", view=view)
        html = page.get("/table").text
        assert {seat for seat, piece in hands.items() if f'data-p="{piece}@' in html} == shown, view
    stale = {"stamp": play.stamp(), "id": "wait"}
    page.do("bots", bot="random", until="end")
    assert page.game(lambda game: game["over"])["at"] == 2
    assert "data-over" in page.client.post("/table/act", data=stale, headers=ORIGIN).text
    assert play.at == 2


def test_what_others_write_is_read_again(page: Page) -> None:
    """A file that another program writes is analysed, and so is one that is new."""
    page.game()
    path = page.studio.root / "pond.rule"
    path.write_text(path.read_text("utf-8").replace("wait: coins += 1", "wait: coins += 5"), encoding="utf-8")
    page.choose("wait")
    told = page.game(lambda game: game["difference"])
    assert told["difference"]["changed"] == [["coins[0]", "1", "5"]]
    assert page.studio.saved["pond.rule"].count("coins += 5") == 1


def test_scenarios_run_by_the_text_of_now(page: Page) -> None:
    """As they stand in the editor; one that fails says what came out instead."""
    page.game()
    assert [row["name"] for row in page.do("scenarios")["scenarios"]] == ["a frog that is released is paid for"]
    request = {"job": "test", "path": str(page.studio.folder), "names": None}
    assert [row["result"]["ok"] for row in worked({**request, "texts": page.studio._now()})] == [True]
    page.edit("scenarios/all.yaml", "count(bank[green]) = 1", "count(bank[green]) = 2")
    (row,) = worked({**request, "texts": page.studio._now()})
    assert "count(bank[green]) = 2" in row["result"]["message"]
    assert page.studio._name(row["result"]["file"]) == "scenarios/all.yaml"
    assert "error" in next(worked({**request, "texts": {str(page.studio.root / "pond.rule"): "play: pray"}}))


def test_a_position_becomes_a_scenario(page: Page) -> None:
    """Of the choices up to what is shown; it passes as it stands."""
    page.game()
    page.do("bots", bot="random", until="2")
    page.game(lambda game: game["kept"] == 2)
    page.do("go", at=1)
    text = page.do("position", name='one "choice"')["text"]
    assert text.startswith('  - name: "one \\"choice\\""\n    given: {players: 2, seed: 1}\n    when:\n')
    assert text.count("{seat: ") == 1
    page.write("scenarios/all.yaml", f"rulelang: 2\nscenarios:\n{text}")
    assert [each["name"] for each in page.do("scenarios")["scenarios"]] == ['one "choice"']
    request = {"job": "test", "path": str(page.studio.folder), "texts": page.studio._now(), "names": None}
    assert [row["result"]["ok"] for row in worked(request)] == [True]


def test_figures_before_and_after(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wins are shared where all wait for a coin each; the first seat wins each game if it has ten coins for it."""
    page.game()
    rule = page.studio.root / "pond.rule"
    old = "release(frog in hand) when deep or worth_of(frog) > 3:\n      coins += worth_of(frog)"
    before = page.edit("pond.rule", old, "release(frog in hand) when false:\n      coins += 1")
    page.do("pin")
    assert page.studio.opened[str(rule)] == before
    page.edit("pond.rule", "wait: coins += 1", "wait: coins += 10 if you = seat(0) else 1")
    page.game(lambda game: not game["stale"])
    sides = {"before": page.studio.opened, "after": page.studio._now()}
    asked = {
        "job": "simulate",
        "path": str(page.studio.folder),
        "players": 2,
        "options": {},
        "games": 6,
        "bot": "random",
    }
    last = {row["side"]: row for row in worked({**asked, "seed": 1, "sides": sides})}
    assert [row["games"] for row in last.values()] == [6, 6]
    assert [seat["share"] for seat in last["before"]["seats"]] == [0.5, 0.5]
    assert [seat["share"] for seat in last["after"]["seats"]] == [1, 0]
    assert [seat["score"] for seat in last["after"]["seats"]] == [10, 1]
    assert last["after"]["decisions"] == 2

    async def here(request: Any) -> AsyncIterator[Any]:
        for row in worked(request):
            yield row

    monkeypatch.setattr(app, "working", here)
    told: list[Any] = []
    monkeypatch.setattr(page.studio, "tell", lambda event, data: told.append((event, data)))
    assert page.do("simulate", games=6, bot="random") == {"both": True}
    while ("simulate", {"done": True}) not in told:
        page.game()
    rows = [row for event, row in told if event == "simulate" and row.get("games") == 6]
    assert [row["side"] for row in rows] == ["before", "after"]
    told.clear()
    page.edit("pond.rule", "10 if you", "9 if you")  # of what did not change the figures are known
    page.game(lambda game: not game["stale"])
    page.do("simulate", games=6, bot="random")
    while ("simulate", {"done": True}) not in told:
        page.game()
    rows = [row for event, row in told if event == "simulate" and "side" in row]
    assert [row["side"] for row in rows] == ["before", *["after"] * 4]
    assert rows[-1]["seats"][0] == {"share": 1, "score": 9}


def test_a_variant_says_what_differs(page: Page, tmp_path: Path) -> None:
    """Rows key by key, declarations whole, what is gone; `check` finds nothing in it; the base stays as it was."""
    page.game()
    before = {name: (page.studio.root / name).read_text("utf-8") for name in files.tree(page.studio.root)}
    assert page.do("vary", name="same")["reasons"]
    page.edit("ruleset.yaml", "{id: tiny, colour: green, size: 1}", "{id: tiny, colour: brown, size: 1}")
    page.edit(
        "ruleset.yaml", "    - {id: grey, colour: green, size: 3}\n", "    - {id: blue, colour: green, size: 4}\n"
    )
    page.edit("ruleset.yaml", "tiny: the tiny one", "tiny: the tiniest, of all")
    page.edit("pond.rule", "wait: coins += 1", "wait: coins += 2")
    page.edit(
        "pond.rule",
        "score purse: coins + sum(frog.fed for frog in bank)",
        "score bag: coins + sum(frog.fed for frog in bank)\nscore more: coins",
    )
    assert "error" in page.do("vary", name="Bad-Name")
    page.edit(
        "scenarios/all.yaml",
        "scenarios:\n",
        'scenarios:\n  - name: three play\n    given: {players: 3}\n    then: ["count(players) = 3"]\n',
    )
    meant = load(page.studio.folder, instead=page.studio.unsaved())
    answer = page.do("vary", name="brown")
    assert answer.get("files") == ["brown.rule", "ruleset.yaml", "scenarios/brown.yaml"], answer
    folder = Path(answer["folder"])
    text = (folder / "ruleset.yaml").read_text("utf-8")
    assert "extends: pond" in text
    assert "- {id: tiny, colour: brown}" in text
    assert "size: 1" not in text
    assert "{id: grey, remove: true}" in text
    assert "the tiniest, of all" in text
    rules = (folder / "brown.rule").read_text("utf-8")
    assert "remove score purse" in rules
    assert "worth_of(frog: Frog)" not in rules
    assert not [*check(str(folder), ())]
    made = load(folder)
    assert (made.name, made.program.scores) == ("brown", meant.program.scores)
    assert [d.id for d in made.program.kinds[0].definitions] == [d.id for d in meant.program.kinds[0].definitions]
    after = {name: (tmp_path / "pond" / name).read_text("utf-8") for name in before}
    assert after == before
    assert page.studio.folder == folder
    assert page.game()["ready"]


def test_what_no_variant_can_say_is_said(page: Page) -> None:
    """What has no name can't be changed, and then nothing is written; rows that only moved are told of."""
    path = page.studio.root / "pond.rule"
    handled = path.read_text("utf-8") + "\nevent fed_well:\n  coins += 1\n\nafter fed_well: coins += 1\n"
    path.write_text(handled.replace("wait: coins += 1", "wait: fed_well()"), encoding="utf-8")
    page.game(lambda game: "wait: fed_well()" in page.studio.saved["pond.rule"] and not game["stale"])
    page.edit("pond.rule", "after fed_well: coins += 1", "after fed_well: coins += 2")
    (reason,) = page.do("vary", name="handled")["reasons"]
    assert reason.startswith("`after fed_well:")
    assert not (page.studio.root / "variants" / "handled").exists()
    page.edit("pond.rule", "after fed_well: coins += 2", "after fed_well: coins += 1")
    row = "    - {id: tiny, colour: green, size: 1}\n"
    page.edit("ruleset.yaml", row, "    - {id: new, colour: green, size: 1}\n" + row)
    answer = page.do("vary", name="moved")
    assert (answer["files"], answer["moved"]) == (["ruleset.yaml"], ["pieces"])


def test_a_new_game_is_made_and_opened(page: Page, tmp_path: Path) -> None:
    """A small one, or a copy of a shipped one whose variants extend the copy; nothing is written over."""
    folder = tmp_path / "home" / "mine"
    assert page.do("new", name="mine") == {"folder": str(folder)}
    assert page.studio.root == folder
    assert page.do("save", name="notes.md", text="mine", known=None) == {"saved": "notes.md"}
    assert "exists" in page.do("new", name="mine")["error"]
    for base in ("../pond", "reco/two_players", "none"):
        assert page.do("new", name="other", base=base)["error"]
    texts = {name: content for name, content in copied("reco", "other").items() if name.endswith("ruleset.yaml")}
    assert b"\nname: other\n" in texts["ruleset.yaml"]
    assert b"\nextends: other\n" in texts["variants/two_players/ruleset.yaml"]


@pytest.mark.soak
def test_a_shipped_game_is_not_written_to(tmp_path: Path) -> None:
    """It is played and edited; what differs is saved as a variant in the folder of who works."""
    folder = Path(load("reco").written.root)
    studio = Studio(EditorBridge(server), make, folder, tmp_path, False, "secret")
    with TestClient(application(studio), base_url="http://127.0.0.1") as client:
        page = Page(studio, client)
        client.get("/?token=secret")
        page.lsp("initialize", {"capabilities": {}, "processId": None, "rootUri": None}, id=1)
        text = (folder / "reco.rule").read_text("utf-8")
        assert "error" in page.do("save", name="reco.rule", text=text + "# mine\n", known=text)
        assert (folder / "reco.rule").read_text("utf-8") == text
        page.edit("reco.rule", "function reward_price -> number = 4", "function reward_price -> number = 5")
        assert page.do("vary", name="cheap")["folder"] == str(tmp_path / "cheap")
        assert load(tmp_path / "cheap").name == "cheap"
