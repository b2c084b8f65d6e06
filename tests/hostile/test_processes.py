"""Odd folders, odd names, full disks, closed pipes, signals, terminals without letters, caches that lie."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.soak import soaking, times

from .sandbox import ITS_CACHE, rulelang_in

ROOT = Path(__file__).resolve().parents[2]
PUSH = str(ROOT / "tests/conformance/rulesets/push")
SMALL = "rulelang: 2\nname: g\nplayers: 2\nrules: |\n  play: pass\n"
COMMAND = [sys.executable, "-m", "rulelang"]


def ruleset(folder: Path) -> Path:
    """A small sound ruleset."""
    folder.mkdir(parents=True)
    (folder / "ruleset.yaml").write_text(SMALL)
    return folder


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), **more}


# ---- folders


def fifo_header(folder: Path) -> None:
    folder.mkdir()
    os.mkfifo(folder / "ruleset.yaml")


def folder_header(folder: Path) -> None:
    (folder / "ruleset.yaml").mkdir(parents=True)


def fifo_beside(folder: Path) -> None:
    os.mkfifo(ruleset(folder) / "a.yaml")


def folder_beside(folder: Path) -> None:
    (ruleset(folder) / "a.rule").mkdir()


def circle_of_links(folder: Path) -> None:
    ruleset(folder)
    (folder / "a.rule").symlink_to("b.rule")
    (folder / "b.rule").symlink_to("a.rule")


def link_to_itself(folder: Path) -> None:
    folder.mkdir()
    (folder / "ruleset.yaml").symlink_to("ruleset.yaml")


def link_out(folder: Path) -> None:
    (ruleset(folder) / "x.rule").symlink_to("/etc/passwd")


def link_to_a_device(folder: Path) -> None:
    (ruleset(folder) / "x.yaml").symlink_to("/dev/zero")


def fifo_scenario(folder: Path) -> None:
    (ruleset(folder) / "scenarios").mkdir()
    os.mkfifo(folder / "scenarios" / "a.yaml")


def scenarios_outside(folder: Path) -> None:
    (ruleset(folder) / "scenarios").symlink_to("/etc")


def name_of_no_text(folder: Path) -> None:
    (ruleset(folder) / "a\udcff.rule").touch()


def python_inside(folder: Path) -> None:
    (ruleset(folder) / "deep" / "er").mkdir(parents=True)
    (folder / "deep" / "er" / "x.py").touch()


FOLDERS: dict[str, tuple[Callable[[Path], None], str]] = {
    "a header that is a pipe": (fifo_header, "ruleset-missing-header"),
    "a header that is a folder": (folder_header, "ruleset-missing-header"),
    "a pipe beside it": (fifo_beside, "ruleset-file"),
    "a folder beside it": (folder_beside, "ruleset-file"),
    "a circle of links": (circle_of_links, "ruleset-file"),
    "a link to itself": (link_to_itself, "ruleset-missing-header"),
    "a link out": (link_out, "ruleset-link"),
    "a link to a device": (link_to_a_device, "ruleset-link"),
    "a scenario that is a pipe": (fifo_scenario, "ruleset-file"),
    "scenarios that lie elsewhere": (scenarios_outside, "ruleset-link"),
    "a name of no text": (name_of_no_text, "ruleset-file"),
    "Python": (python_inside, "ruleset-python"),
}


@pytest.mark.parametrize("name", FOLDERS)
def test_odd_folder(name: str, tmp_path: Path) -> None:
    """Each is refused at once with its code, whatever is to be done with it."""
    make, code = FOLDERS[name]
    make(tmp_path / "g")
    found = rulelang_in(tmp_path, "check", "g")
    assert found.problems() == [], found.said
    assert found.status == 1
    assert f"error[{code}]" in found.out
    if "scenario" not in name:
        found = rulelang_in(tmp_path, "info", "g", "--format", "json")
        assert found.problems() == [], found.said
        assert found.status == 1
        assert not json.loads(found.out)["ok"]


@pytest.mark.parametrize("path", ["", ".", "nope", "/dev/null", "/dev/zero", "a" * 5000, "a/" * 3000, "\udcff", "a\nb"])
def test_odd_path(path: str, tmp_path: Path) -> None:
    """A path that leads to no ruleset is refused, in JSON too."""
    for form in ("text", "json"):
        found = rulelang_in(tmp_path, "check", path, "--format", form)
        assert found.problems() == [], found.said
        assert found.status in (1, 2)
        assert form == "text" or not json.loads(found.out)["ok"]


@pytest.mark.parametrize("name", ["", "..", "/", "é", "a" * 300, "/proc/x", "there", "file", "file/x", "dangling", "A"])
def test_new_over_what_is_there(name: str, tmp_path: Path) -> None:
    """`new` refuses names that are none and writes over nothing."""
    folder = tmp_path / "w"
    ruleset(folder / "there")
    (folder / "file").touch()
    (folder / "dangling").symlink_to("/nowhere/x")
    found = rulelang_in(folder, "new", name)
    assert found.problems() == [], found.said
    assert found.status == 2
    assert (folder / "there" / "ruleset.yaml").read_text() == SMALL


@pytest.mark.parametrize(
    "arguments",
    [
        ("--seed", "9" * 100_000),
        ("--seed", "x"),
        ("--games", "9" * 100_000),
        ("--games", "-1"),
        ("--jobs", "0"),
        ("--jobs", "1000000"),
        ("--players", "9" * 30),
        ("--option", "x\udcff=3"),
        ("--option", "=" * 9),
        ("--bot", "\udcff"),
        ("--backend", ""),
        ("--out", ""),
        ("--out", "a" * 5000),
        ("--out", "x\udcff/y"),
        ("--out", "x\udcff/y.parquet"),
        ("--resume", "--out", "/dev/null"),
    ],
    ids=range(16),
)
def test_odd_option(arguments: tuple[str, ...], tmp_path: Path) -> None:
    """A value that does not fit is wrong usage."""
    found = rulelang_in(tmp_path, "simulate", PUSH, "--games", "1", *arguments)
    assert found.problems() == [], found.said[:2000]
    assert found.status == 2


def processor_time(group: int) -> float:
    """Return the processor time in seconds that the living processes of a group have taken."""
    ticks = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = path.read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12]) if int(fields[2]) == group else 0
    return ticks / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("jobs", ["2", *soaking("1")])
def test_more_games_than_numbers(jobs: str) -> None:
    """Games that nobody will see the end of take no memory beforehand: they begin, and Ctrl-C ends them."""
    arguments = ["simulate", PUSH, "--games", "9" * 17, "--jobs", jobs]
    process = subprocess.Popen(
        ["bash", "-c", f"ulimit -v 1500000; exec {shlex.join([*COMMAND, *arguments])}"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), start_new_session=True,
    )  # fmt: skip
    assert process.stderr is not None
    assert process.stderr.readline().startswith(b"backend native")  # it has been compiled, and games begin
    begun = processor_time(process.pid)
    while processor_time(process.pid) < begun + 0.6:
        assert process.poll() is None
        time.sleep(0.1)
    memory = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{process.pid}/status").read_text())
    assert memory is not None
    assert int(memory[1]) < 200_000
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert b" drawn\n" in out
    assert f" of {'9' * 17} games\n".encode() in err
    assert process.returncode == 130


# ---- output and signals


@pytest.mark.parametrize(
    "command", [["play", PUSH, "--seat", "0=random"], *soaking(["info", PUSH], ["info", PUSH, "--format", "json"])]
)
def test_no_room_and_no_reader(command: list[str]) -> None:
    """A full disk is told, a closed pipe is not."""
    with open("/dev/full", "w") as full:
        found = subprocess.run([*COMMAND, *command], stdout=full, stderr=subprocess.PIPE, text=True, env=environment())
    assert (found.returncode, found.stderr.count("\n")) == (2, 1)
    assert "No space left" in found.stderr
    reader = subprocess.Popen([*COMMAND, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
    assert reader.stdout is not None
    assert reader.stderr is not None
    reader.stdout.close()
    assert (reader.stderr.read(), reader.wait(30)) == (b"", 0)
    reader.stderr.close()


# What Python does before the program begins is not the program's business: it says when it does.
BEGUN = "import os, rulelang; os.write(1, b'+'); from rulelang.__main__ import main; main()"
SOME = ((signal.SIGINT, "1", 0.1), (signal.SIGINT, "1", 0.8), (signal.SIGINT, "2", 0.4), (signal.SIGTERM, "1", 0.25))
CHOSEN = (
    rb"(backend (interpreter|native): [^\n]+\n)?"  # which backend plays is said on the error output, if it came so far
)


@pytest.mark.parametrize(
    ("sent", "jobs", "after"),
    [
        pytest.param(
            sent,
            jobs,
            after,
            marks=() if (sent, jobs, after) in SOME else pytest.mark.soak,
            id=f"{name}-{jobs}-{after}",
        )
        for name, sent in (("int", signal.SIGINT), ("term", signal.SIGTERM))
        for jobs in ("1", "2")
        for after in (0.02, 0.1, 0.25, 0.4, 0.8, 2)
    ],
)
def test_signals_end_quietly(sent: signal.Signals, jobs: str, after: float, tmp_path: Path) -> None:
    """Ctrl-C, whenever it comes, gives 130, and no word but of what was finished; no process is left that holds the
    output. For one job native code is compiled first, and the signal may come while it is."""
    fresh = {"RULELANG_CACHE": str(tmp_path)} if jobs == "1" else {}
    arguments = ["simulate", PUSH, "--games", "100000000", "--jobs", jobs]
    process = subprocess.Popen(
        [sys.executable, "-c", BEGUN, *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(**fresh), start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.read(1) == b"+"
    time.sleep(after)
    os.killpg(process.pid, sent)  # as a terminal does: to all processes of the command
    out, err = process.communicate(timeout=60)
    assert process.returncode == (130 if sent == signal.SIGINT else -sent), err.decode()
    if out:  # games were finished
        assert re.fullmatch(rb"seat .*\n\d+ games?, .* drawn\n", out, re.DOTALL)
        assert re.fullmatch(CHOSEN + rb"rulelang: stopped after \d+ of 100000000 games\n", err)
    else:
        assert re.fullmatch(CHOSEN + rb"\n?", err)


FRENCH = ("play", "reco", "--seat", "0=random", "--bot", "random", "--lang", "fr")


def test_a_terminal_without_letters() -> None:
    """Letters that the terminal does not have end nothing; JSON is JSON."""
    env = environment(PYTHONIOENCODING="ascii", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    found = subprocess.run([*COMMAND, *FRENCH], capture_output=True, env=env)
    assert (found.returncode, found.stderr) == (0, b"")
    info = subprocess.run([*COMMAND, "info", "reco", "--format", "json"], capture_output=True, env=env)
    assert json.loads(info.stdout)["name"] == "reco"


@pytest.mark.parametrize("variable", ["COLUMNS=1", *soaking("COLUMNS=99999999999", "TERM=dumb")])
def test_odd_terminals(variable: str, tmp_path: Path) -> None:
    """No width at all, or more than there is, ends nothing."""
    name, _, value = variable.partition("=")
    found = rulelang_in(tmp_path, *FRENCH, env={name: value, **ITS_CACHE})
    assert (found.status, found.err, found.problems()) == (0, "", [])


def test_no_streams() -> None:
    """Without input, output and messages a command ends like any other."""
    command = shlex.join([*COMMAND, "play", str(PUSH)])
    for closed, status in (("<&- >/dev/null 2>&1", 1), ("<&- >&- 2>&-", 1), (">&-", 1)):
        found = subprocess.run(["bash", "-c", f"{command} {closed} </dev/null"], env=environment())
        assert found.returncode in (0, status)


# ---- the cache


def test_caches_that_cannot_be_used(tmp_path: Path) -> None:
    """A cache that is a file, a device, unwritable or has no place is as good as none."""
    (tmp_path / "file").touch()
    for cache in (str(tmp_path / "file"), "/dev/null/x", "/proc/none", ""):
        found = rulelang_in(tmp_path, "simulate", PUSH, "--games", "1", env={"RULELANG_CACHE": cache})
        assert (found.status, found.err, found.problems()) == (0, "", [])
    bare = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "HOME": "/nowhere"}
    assert subprocess.run([*COMMAND, "check", PUSH], capture_output=True, env=bare).returncode == 0


def test_entries_that_lie(tmp_path: Path) -> None:
    """Whatever stands in the entries of the cache: the ruleset is compiled anew, and plays the same."""
    folder = ruleset(tmp_path / "g")
    (folder / "ruleset.yaml").write_text(SMALL.replace("play: pass", "play: pass\n  score x: 7"))
    env = {"RULELANG_CACHE": str(tmp_path / "cache")}

    def score() -> float:
        found = rulelang_in(tmp_path, "simulate", "g", "--games", "1", "--format", "json", env=env)
        assert (found.status, found.err, found.problems()) == (0, "", [])
        mean: float = json.loads(found.out)["seats"][0]["mean_score"]
        return mean

    assert score() == 7
    (entry,) = (tmp_path / "cache" / "programs").iterdir()
    good = entry.read_bytes()
    for bad in (b"\xff", good[: len(good) // 2], good.replace(b"7", b"[" * 9999)):
        entry.write_bytes(bad)
        assert score() == 7


WRITER = """
import sys
from pathlib import Path
from rulelang.cli.files import write_whole
print("ready", flush=True)
while True:
    for letter in "ab":
        write_whole(Path(sys.argv[1]), letter * 300_000)
"""


def test_a_killed_writer_leaves_a_whole_file(tmp_path: Path) -> None:
    """Killed at any moment, a save is the one before or the one after, never a part; its mode stays."""
    save = tmp_path / "save.json"
    save.write_text("a" * 300_000)
    save.chmod(0o640)
    for number in range(times(8)):
        with subprocess.Popen([sys.executable, "-c", WRITER, str(save)], cwd=ROOT, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            time.sleep(0.0007 * number)
            process.kill()
        assert save.read_text() in ("a" * 300_000, "b" * 300_000)
        assert save.stat().st_mode & 0o777 == 0o640
