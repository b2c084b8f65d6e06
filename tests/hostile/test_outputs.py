"""Files that are written: whole or not at all, on the disk before it is said, nothing left of what failed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from rulelang import outputs
from rulelang.outputs import write_file, write_folder

ROOT = Path(__file__).resolve().parents[2]
LIMITED = """
import resource, sys
sys.dont_write_bytecode = True
from rulelang.cli import run
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
sys.exit(run(sys.argv[2:]))
"""
"""A command that can write only so many bytes to a file, as on a full disk."""
WRITES = """
import sys
from pathlib import Path
from rulelang.outputs import write_file, write_folder
text = "x" * 200_000
while True:
    write_file(Path(sys.argv[1], "file"), text)
"""


def limited(size: int, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", LIMITED, str(size), *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=60)


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_disk_has_a_file_before_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The content is synced, then put in its place, then the folder is synced; so for each file of a folder."""
    steps: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def noted_sync(descriptor: int) -> None:
        steps.append("folder" if os.path.isdir(f"/proc/self/fd/{descriptor}") else "file")
        fsync(descriptor)

    def noted_replace(own: Path, target: Any) -> Path:
        steps.append("place")
        return replace(own, target)

    monkeypatch.setattr(os, "fsync", noted_sync)
    monkeypatch.setattr(Path, "replace", noted_replace)
    write_file(tmp_path / "a", "text")
    assert steps == ["file", "place", "folder"]
    steps.clear()
    write_folder(tmp_path / "b", {"c/d": "1", "e": "2"})
    assert steps == ["file", "place", "folder"] * 2 + ["place", "folder"]
    assert (tmp_path / "b/c/d").read_text() == "1"
    assert left(tmp_path) == ["a", "b"]


def test_drafts_of_killed_writers_go(tmp_path: Path) -> None:
    """The next writer of the same file removes them, but none that is being written, and no file of another name."""
    names = [
        f".file.{'0' * 16}.draft",
        f".file.{'1' * 16}.draft",
        f".other.{'0' * 16}.draft",
        ".file.draft",
        ".file.x.draft",
    ]
    for name in names:
        (tmp_path / name).write_text("")
    (tmp_path / f".file.{'2' * 16}.draft").mkdir()
    (tmp_path / f".file.{'3' * 16}.draft").symlink_to("file")
    with (tmp_path / names[1]).open() as held:
        assert outputs._lock(held.fileno())
        write_file(tmp_path / "file", "text")
        assert set(left(tmp_path)) == {*names[1:], "file", f".file.{'3' * 16}.draft"}
    write_file(tmp_path / "file", "text")
    assert names[1] not in left(tmp_path)


@pytest.mark.soak
def test_a_killed_writer_leaves_a_whole_file(tmp_path: Path) -> None:
    """Killed at any moment, what is there is whole, and at most one draft, which the next writer removes."""
    for number in range(8):
        process = subprocess.Popen([sys.executable, "-c", WRITES, str(tmp_path)], cwd=ROOT)
        while not (tmp_path / "file").exists():
            time.sleep(0.01)
        time.sleep(0.2 + number * 0.003)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert (tmp_path / "file").stat().st_size == 200_000
        assert len(left(tmp_path)) <= 2
        write_file(tmp_path / "file", "x" * 200_000)
        assert left(tmp_path) == ["file"]


def test_a_full_disk_leaves_nothing_of_a_new_ruleset(tmp_path: Path) -> None:
    """`new` that fails leaves no folder, nor those above it that it made; then it can be made."""
    for name in ("game", "a/b/game"):
        ended = limited(100, tmp_path, "new", name)
        assert (ended.returncode, ended.stdout) == (2, "")
        assert ended.stderr.startswith(f"rulelang: `{name}` can't be made: ")
        assert left(tmp_path) == []
    assert limited(1 << 20, tmp_path, "new", "a/b/game").returncode == 0
    again = limited(1 << 20, tmp_path, "new", "a/b/game")
    assert (again.returncode, again.stderr) == (2, "rulelang: `a/b/game` exists already\n")


def test_what_could_not_be_written_is_not_called_changed(tmp_path: Path) -> None:
    """`fmt` says what it changed once it did."""
    file = tmp_path / "g.rule"
    text = "rulelang 2\nplay:\n  turn of seat(0):\n" + "    n   :=   1\n" * 100
    file.write_text(text)
    ended = limited(500, tmp_path, "fmt", "g.rule")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "cannot be written" in ended.stderr
    assert file.read_text() == text
    assert left(tmp_path) == ["g.rule"]
    ended = limited(1 << 20, tmp_path, "fmt", "g.rule")
    assert (ended.returncode, ended.stdout) == (0, "g.rule: changed\n")
    assert file.read_text() != text


def test_links_modes_and_devices_stay(tmp_path: Path) -> None:
    """A link is followed, the mode of a file stays, a device is written to as it is."""
    file, link = tmp_path / "file", tmp_path / "link"
    file.write_text("old")
    file.chmod(0o640)
    link.symlink_to("file")
    write_file(link, b"new")
    assert (link.is_symlink(), file.read_bytes(), file.stat().st_mode & 0o777) == (True, b"new", 0o640)
    write_file(Path(os.devnull), "gone")
    with pytest.raises(OSError, match="No space"):
        write_file(Path("/dev/full"), "text")
    with pytest.raises(FileExistsError):
        write_folder(link, {"a": ""})


ELSEWHERE = {
    "outputs.py": "it is that place",
    "cache.py": "what is cached can be made again, and is verified by its digest",
    "native/compilers.py": "the C text of a library, in a temporary folder",
    "results.py": "rows are added to a file while games are played",
    "parallel.py": "where nobody reads",
}
"""Module that opens files for writing itself -> why."""
_WRITES = re.compile(r"""\.write_(?:text|bytes)\(|open\([^)\n]*["'][rwax]?b?[wax+]b?\+?["']|os\.replace|O_CREAT""")


def test_files_are_written_in_one_place() -> None:
    """No other module opens a file for writing."""
    folder = ROOT / "rulelang"
    found = {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        if _WRITES.search(path.read_text(encoding="utf-8"))
    }
    assert found - {"web/store.py"} == set(ELSEWHERE)
