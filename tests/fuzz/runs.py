"""Hostile runs of the command line: files in a folder, and arguments.

Enters: a sort of input, a generator. Leaves: a `Run`. `python -m tests.fuzz.runs COUNT [SEED] [SORT …]` makes that many
and prints those that end as no run may.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from rulelang.game import load
from rulelang.record import Record
from tests.fuzz.mutations import SPLINTERS, VALUES, mutate_document, mutated, scrambled
from tests.hostile.sandbox import Outcome, rulelang_in

ROOT = Path(__file__).resolve().parents[2]
GAMES = [
    path.parent
    for place in ("tests/conformance/rulesets", "tests/fragments")
    for path in sorted((ROOT / place).glob("*/ruleset.yaml"))
]
SCENARIOS = [path for game in GAMES for path in sorted(game.glob("scenarios/*.yaml"))]
SECRET = "a text that lies outside of the ruleset"
"""Stands in a file that hostile paths lead to; no run may show it."""

Arguments = tuple[str, ...]


def copied(game: Path, folder: Path) -> Path:
    """A copy of a ruleset in the folder."""
    place = folder / "game"
    shutil.copytree(game, place, ignore=shutil.ignore_patterns("playthroughs"))
    return place


def text_files(place: Path) -> list[Path]:
    """The files of a ruleset that hold text."""
    return sorted(path for path in place.rglob("*.*") if path.suffix in (".yaml", ".rule"))


def ruleset(folder: Path, random: Random) -> Arguments:
    """A ruleset with changes in one file, for any command that reads one."""
    place = copied(random.choice(GAMES), folder)
    path = random.choice([file for file in text_files(place) if file.parent == place])
    if random.random() < 0.5:
        path.write_text(mutated(path.read_text(encoding="utf-8"), random), encoding="utf-8")
    else:
        path.write_bytes(scrambled(path.read_bytes(), random))
    return random.choice(
        (
            ("check", "game"),
            ("check", "game", "--format", random.choice(("json", "sarif"))),
            ("info", "game", "--cards"),
            ("play", "game", "--bot", "random", "--seat", "0=random", "--seed", str(random.randrange(99))),
            ("simulate", "game", "--games", "3", "--backend", "interpreter"),
            ("perft", "game", "--depth", "1"),
            ("test", "game"),
            ("fmt", "game"),
            ("compile", "game"),
            ("compile", "game", "--emit", "c"),
        )
    )


def scenario(folder: Path, random: Random) -> Arguments:
    """A scenario file with changes."""
    path = random.choice(SCENARIOS)
    place = copied(path.parents[1], folder)
    target = place / "scenarios" / path.name
    if random.random() < 0.7:
        target.write_text(mutated(path.read_text(encoding="utf-8"), random), encoding="utf-8")
    else:
        target.write_bytes(scrambled(path.read_bytes(), random))
    return (random.choice(("test", "check")), "game")


def overlay(folder: Path, random: Random) -> Arguments:
    """A variant or overlay that leads out, or holds what is no plain file."""
    game = random.choice(GAMES)
    copied(game, folder)
    (folder / "secret.yaml").write_text(f"name: {SECRET}\n", encoding="utf-8")
    (folder / "secret.rule").write_text(f"rulelang 2\n# {SECRET}\n{SECRET}\n", encoding="utf-8")
    variant = folder / "game" / "variants" / "v" if random.random() < 0.5 else folder / "v"
    variant.mkdir(parents=True)
    outward = random.choice(
        (
            "..", "../..", "../../..", "/etc", "/proc/self", "/dev", "//", "~", "game/../../secret.yaml", "reco\\..\\x",
            "game\0x", "./././game", "variants/v", str(folder), "../game", "game", "reco", "a" * 300, "file:///etc",
        )
    )  # fmt: skip
    body = {"extends": outward, "name": "v"} | ({"players": 2} if random.random() < 0.3 else {})
    header = variant / "ruleset.yaml"
    header.write_text("rulelang: 2\n" + "".join(f"{k}: {json.dumps(v)}\n" for k, v in body.items()), encoding="utf-8")
    for place in (variant, folder / "game"):
        if random.random() < 0.6:
            special(place / random.choice(("x.rule", "cards.yaml", "scenarios", "lexicon", "variants")), folder, random)
    command = random.choice(("check", "info", "test", "play"))
    more = ("--seat", "0=random") if command == "play" else ()
    if random.random() < 0.5:
        return (command, str(variant.relative_to(folder)), *more)
    return (command, "game", "--overlay", str(variant.relative_to(folder)), *more)


def special(path: Path, folder: Path, random: Random) -> None:
    """Put what is no plain file of the ruleset at a path, unless something is there."""
    if path.exists() or path.is_symlink():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    sort = random.randrange(5)
    if sort == 0:
        os.mkfifo(path)
    elif sort == 1:
        path.symlink_to(random.choice((folder / "secret.yaml", folder / "secret.rule")))
    elif sort == 2:
        path.symlink_to(random.choice(("/dev/zero", "/dev/stdin", "/proc/self/environ", "/", "..", path)))
    elif sort == 3:
        path.mkdir()
        (path / "a.yaml").symlink_to(folder / "secret.yaml")
    else:
        path.write_bytes(random.choice(SPLINTERS) * random.choice((1, 1000)))


@cache
def document(game: Path) -> str:
    """The record of a short game, as a JSON text."""
    random = Random(game.name)
    state = load(game).new_game(seed=5)
    record = Record.of(state, 5)
    for _ in range(40):
        if state.is_terminal():
            break
        seat = state.current_players()[0]
        action = random.choice(state.legal_actions(seat))
        state.apply(action, seat)
        record.add(seat, action.id, state)
    return record.to_json()


PLAYED = [game for game in GAMES if game.name in ("leduc", "push", "bazaar", "payments", "raids", "refill")]


def changed_document(text: str, random: Random) -> bytes:
    """A JSON document with changes in its values or its bytes."""
    if random.random() < 0.2:
        return scrambled(text.encode(), random)
    document: dict[str, Any] = json.loads(text)
    for _ in range(random.choice((1, 1, 2, 5))):
        mutate_document(document, random)
    return json.dumps(document).encode("utf-8", "surrogatepass")


def record(folder: Path, random: Random) -> Arguments:
    """A record with changes, or a path that is none."""
    (folder / "r.json").write_bytes(changed_document(document(random.choice(PLAYED)), random))
    name = "r.json" if random.random() < 0.95 else random.choice(("/dev/zero", ".", "missing", "/proc/self/mem", ""))
    return ("replay", name, *random.choice(((), ("--steps",), ("--to", "3"), ("--format", "json"))))


@cache
def saved(game: Path) -> str:
    """A saved game of the terminal, as a JSON text."""
    with tempfile.TemporaryDirectory() as name:
        outcome = rulelang_in(
            Path(name), "play", str(game), "--bot", "random", "--seed", "3", stdin="1\nsave s.json\nquit\n"
        )
        return (Path(name) / "s.json").read_text(encoding="utf-8") if (Path(name) / "s.json").exists() else outcome.said


def save(folder: Path, random: Random) -> Arguments:
    """A saved game with changes."""
    text = saved(random.choice(PLAYED))
    assert text.startswith("{"), text
    (folder / "s.json").write_bytes(changed_document(text, random))
    return ("play", "--load", "s.json")


def script(folder: Path, random: Random) -> Arguments:
    """Choices with changes, for one of the games."""
    game = random.choice(PLAYED)
    steps = json.loads(document(game))["steps"]
    lines = [json.dumps({"seat": step["seat"], "id": step["id"]}) for step in steps]
    for _ in range(random.choice((1, 2))):
        at = random.randrange(len(lines)) if lines else 0
        lines[at : at + 1] = random.choice(
            (
                [], lines * random.choice((1, 50)), [mutated(lines[at] if lines else "{}", random)],
                [json.dumps({"seat": random.choice(VALUES), "id": random.choice(VALUES)})], ["[" * 5000], ["{}"] * 9000,
            )
        )  # fmt: skip
    (folder / "s.jsonl").write_text("\n".join(lines), encoding="utf-8", errors="surrogatepass")
    return ("play", str(game), "--bot", "random", "--seed", "5", "--script", "s.jsonl")


COMMANDS = "check info play simulate compare test perft replay compile explain new fmt".split()
OPTIONS = [
    f"--{name}"
    for name in (
        "players games bot seed jobs backend option overlay format lang depth seat script load record out resume strict"
        " steps cards emit help"
    ).split()
]
WORDS = (
    *"- -- -1 0 1 2 999999999999 1e3 nan x a=b 0=random 99=human = en fr json random playouts: playouts:0".split(),
    *"playouts:99999999999 ../.. /dev/null /dev/full / %s%n {0} reco refill name-unknown * $(id)".split(),
    *("", " ", "9" * 400, "\x1b]0;x\x07", "\u202ex", "é", "\udcff", "a" * 5000),
)


def command_line(folder: Path, random: Random) -> Arguments:
    """A command with wrong arguments; never many games."""
    command = random.choice(COMMANDS)
    words: list[str] = []
    for _ in range(random.randrange(5)):
        option = random.choice(OPTIONS)
        words += [option, random.choice(WORDS)] if random.random() < 0.8 else [random.choice(WORDS)]
    if random.random() < 0.7:
        words.insert(0, str(random.choice(PLAYED)))
    if command in ("simulate", "compare"):
        words += ["--games", "2", "--jobs", "1", "--bot", "random"]
    if command == "perft":
        words += ["--depth", "1"]
    if command == "fmt":
        words = [word for word in words if "/" not in word]  # it writes
    return (command, *words)


SORTS: dict[str, Callable[[Path, Random], Arguments]] = {
    "ruleset": ruleset,
    "scenario": scenario,
    "overlay": overlay,
    "record": record,
    "save": save,
    "script": script,
    "command line": command_line,
}


def run(sort: str, number: int, folder: Path) -> tuple[Arguments, Outcome]:
    """Make the run of this number, its files in the folder, and let it run in a process of its own."""
    arguments = SORTS[sort](folder, Random(f"{sort} {number}"))
    return arguments, rulelang_in(folder, *arguments)


def faults(outcome: Outcome) -> list[str]:
    """What no run may bring about: a traceback, a hang, much memory, control characters, a text from elsewhere."""
    controls = sorted({sign for sign in outcome.said if (sign < " " and sign != "\n") or "\x7f" <= sign <= "\x9f"})
    return [
        *outcome.problems(),
        *([f"it wrote the control characters {controls}"] if controls else []),
        *(["it showed a file from elsewhere"] if SECRET in outcome.said else []),
    ]


def main() -> None:
    """Make runs and print those at fault, with the number that makes them again."""
    count, first = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    sorts = sys.argv[3:] or list(SORTS)
    wrong = 0
    for number in range(first, first + count):
        sort = sorts[number % len(sorts)]
        with tempfile.TemporaryDirectory(prefix="fuzz") as name:
            (Path(name) / "in").mkdir()
            arguments, outcome = run(sort, number, Path(name) / "in")
            found = faults(outcome)
        if found:
            wrong += 1
            print(f"{sort} {number}: {found} {arguments!r:.300}\n{outcome.said[-1500:]}\n", flush=True)  # noqa: T201
    print(f"{count} runs, {wrong} at fault")  # noqa: T201


if __name__ == "__main__":
    main()
