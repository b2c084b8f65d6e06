"""C text becomes a loaded library: which compiler, what is kept, and what is not believed."""

from __future__ import annotations

import dataclasses
import errno
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from rulelang import cache
from rulelang.native import build, compilers
from rulelang.native.build import build_cost, build_library, built, cached
from rulelang.native.compilers import BuildError, CCompiler, find_compiler

LIBRARIES = cache.LIBRARIES
ROOT = Path(__file__).resolve().parents[2]
pytestmark = [
    pytest.mark.skipif(shutil.which("cc") is None, reason="there is no cc"),
    pytest.mark.skipif(os.name != "posix", reason="written for POSIX"),
]
IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
ANSWER = "int answer(void) { return 42; }"

CHILD = """
import sys
from rulelang import cache
from rulelang.native import build
command, text, how = sys.argv[1:]
if how == "unlocked":
    cache._lock = lambda path: -1
compiler = build.CCompiler((command,), "a compiler", "its identity")
print(build.built(text, compiler).answer())
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache and an empty folder for temporary files; nothing is known from before. Where libraries lie."""
    room = tmp_path.resolve() / "cache"
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("RULELANG_CACHE", str(room))
    monkeypatch.delenv("RULELANG_CFLAGS", raising=False)
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.setattr(build, "_loaded", {})
    build._failed.clear()
    compilers._first_working.cache_clear()
    return room / "native"


@pytest.fixture(scope="module")
def compiler() -> CCompiler:
    """That of this machine, tried once for all tests."""
    found = find_compiler()
    assert found is not None
    return found


def absent(compiler: CCompiler) -> CCompiler:
    """The same compiler, but gone: with it only what is kept can be had."""
    return dataclasses.replace(compiler, command=("/nowhere/cc",))


def forget() -> None:
    """Forgets what this process has loaded."""
    build._loaded.clear()
    build._failed.clear()


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def child(command: Path | str, text: str, how: str = "") -> subprocess.Popen[str]:
    """Another process that builds a text and prints what it answers."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": tempfile.gettempdir()}
    arguments = [sys.executable, "-c", CHILD, str(command), text, how]
    return subprocess.Popen(
        arguments, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
    )


def answer(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return out.strip()


def libraries(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.suffix == LIBRARIES.suffix)


def temporary() -> list[str]:
    return os.listdir(tempfile.gettempdir())


# ---- building and keeping


def test_text_becomes_a_library(folder: Path, compiler: CCompiler) -> None:
    """A text is compiled and loaded, knows its key, and is loaded once."""
    library = built(ANSWER, compiler)
    assert library.answer() == 42
    assert built(ANSWER, compiler) is library
    assert build_library(ANSWER) is library
    assert len(libraries(folder)) == 1
    assert temporary() == []


def test_kept_library_needs_no_compiler(folder: Path, compiler: CCompiler) -> None:
    """What one process has built another loads; `cached` says so beforehand."""
    other = CCompiler(("/nowhere/cc",), "a compiler", "its identity")
    assert not cached(ANSWER, other)
    assert answer(child("cc", ANSWER)) == "42"
    assert cached(ANSWER, other)
    assert built(ANSWER, other).answer() == 42
    assert not cached(ANSWER, compiler), "another compiler's is another library"
    assert not cached(ANSWER, other, (*compilers.DEFAULT, "-O1"))
    assert not cached(ANSWER + "\n", other)
    assert cached(f"/* play, /elsewhere/game.rule:3 */\n{ANSWER}", other), "where rules stand changes no library"
    assert not cached(f"{ANSWER} /* no line of its own */\n", other)


def test_generator_version_counts(compiler: CCompiler, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new version of the generator does not take what an older one has left."""
    built(ANSWER, compiler)
    forget()
    build._key.cache_clear()
    monkeypatch.setattr(build, "GENERATOR", build.GENERATOR + 1)
    assert not cached(ANSWER, compiler)
    build._key.cache_clear()


def test_library_says_nothing_of_its_place(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No path gets into a library: built elsewhere it is the same, byte for byte."""
    assert answer(child("cc", ANSWER)) == "42"
    (name,) = libraries(folder)
    assert str(tmp_path).encode() not in (folder / name).read_bytes()
    (tmp_path / "other").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "other"))
    monkeypatch.setenv("RULELANG_CACHE", str(tmp_path / "cache2"))
    assert answer(child("cc", ANSWER)) == "42"
    assert libraries(tmp_path / "cache2" / "native") == [name]


def test_longer_text_costs_more() -> None:
    """The cost that is foreseen grows with the text and is never nothing."""
    assert 0 < build_cost("") < build_cost(ANSWER) < build_cost(ANSWER * 1000)


# ---- damaged and foreign entries


def truncated(path: Path) -> None:
    renewed(path, path.read_bytes()[:5000])


def changed(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    renewed(path, bytes(content))


def renewed(path: Path, content: bytes) -> None:
    path.unlink()
    path.write_bytes(content)
    path.chmod(0o600)


def empty(path: Path) -> None:
    renewed(path, b"")


def written(path: Path) -> None:
    renewed(path, b"This is not a library.\n")


def folded(path: Path) -> None:
    path.unlink()
    (path / "deeper").mkdir(parents=True)


def linked(path: Path) -> None:
    """The very library, but elsewhere: whoever owns that place could change it at any time."""
    elsewhere = path.parent.parent / "elsewhere.so"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)


def dangling(path: Path) -> None:
    path.unlink()
    path.symlink_to("/nowhere/library.so")


def piped(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def writable(path: Path) -> None:
    path.chmod(0o666)


def given_away(path: Path) -> None:
    os.chown(path, 12345, 12345)


def other_library(path: Path) -> None:
    """Whole, with the right digest in its name, but something else's."""
    foreign(path, "int answer(void) { return 7; }")


def pretender(path: Path) -> None:
    """Mentions the key, but was built for another one."""
    key = path.name.split(".")[0]
    foreign(
        path,
        f'const char rulelang_key[] = "another"; const char *mentioned = "{key}"; int answer(void) {{ return 7; }}',
    )


def foreign(path: Path, text: str) -> None:
    with compilers.compiled(("cc",), text) as library:
        content = library.read_bytes()
    path.unlink()
    key = path.name.split(".")[0]
    renewed_path = path.with_name(f"{key}.{cache.digest_of(key, content)}{LIBRARIES.suffix}")
    renewed_path.write_bytes(content)
    renewed_path.chmod(0o600)


DAMAGES: list[Callable[[Path], None]] = [
    truncated,
    changed,
    empty,
    written,
    folded,
    linked,
    dangling,
    piped,
    writable,
    pytest.param(given_away, marks=pytest.mark.skipif(not IS_ROOT, reason="only root gives files away")),  # type: ignore[list-item]
    other_library,
    pretender,
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_entry_is_built_anew(folder: Path, damage: Callable[[Path], None]) -> None:
    """What is not what was put there is seen before it is loaded, removed, and built again."""
    assert answer(child("cc", ANSWER)) == "42"
    (name,) = libraries(folder)
    whole = (folder / name).read_bytes()
    damage(folder / name)
    assert built(ANSWER, CCompiler(("cc",), "a compiler", "its identity")).answer() == 42
    assert libraries(folder) == [name]
    assert (folder / name).is_file()
    assert not (folder / name).is_symlink()
    assert (folder / name).read_bytes() == whole
    assert (folder / name).stat().st_uid == os.geteuid()
    assert (folder / name).stat().st_mode & 0o022 == 0


def test_damaged_entry_that_stays_is_not_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What can't be removed (another user's file) does no harm: the library is loaded from where it was made."""
    assert answer(child("cc", ANSWER)) == "42"
    (name,) = libraries(folder)
    folded(folder / name)
    monkeypatch.setattr(cache, "discard", lambda path: None)
    monkeypatch.setattr(build, "discard", lambda path: None)
    assert built(ANSWER, CCompiler(("cc",), "a compiler", "its identity")).answer() == 42
    assert (folder / name).is_dir()
    assert temporary() == []


# ---- folders that can't be used


def nowhere(room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RULELANG_CACHE", "")


def a_file(room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room.parent.write_text("not a folder", encoding="utf-8")


def a_file_inside(room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room.parent.mkdir()
    room.write_text("not a folder", encoding="utf-8")


def for_all(room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room.mkdir(parents=True)
    room.chmod(0o777)


def for_all_but_sticky(room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room.mkdir(parents=True)
    room.chmod(0o1777)


def in_a_folder_for_all(room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room.mkdir(parents=True)
    room.parent.chmod(0o777)


def linked_to_a_folder_for_all(room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room.parent.mkdir()
    other = room.parent.parent / "other"
    other.mkdir()
    other.chmod(0o777)
    room.symlink_to(other)


def anothers(room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room.mkdir(parents=True)
    os.chown(room, 12345, 12345)


def full(room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", refuse)


FOLDERS: list[Callable[[Path, pytest.MonkeyPatch], None]] = [
    nowhere,
    a_file,
    a_file_inside,
    for_all,
    for_all_but_sticky,
    in_a_folder_for_all,
    linked_to_a_folder_for_all,
    pytest.param(anothers, marks=pytest.mark.skipif(not IS_ROOT, reason="only root gives folders away")),  # type: ignore[list-item]
    full,
]


@pytest.mark.parametrize("prepare", FOLDERS)
def test_without_a_folder_it_builds_all_the_same(
    folder: Path, prepare: Callable[[Path, pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cache that can't be written, or that others could write, is not used; nothing is left anywhere."""
    prepare(folder, monkeypatch)
    compiler = find_compiler()
    assert compiler is not None
    assert not cached(ANSWER, compiler)
    assert built(ANSWER, compiler).answer() == 42
    assert cached(ANSWER, compiler), "for this process"
    assert not folder.is_dir() or list(folder.iterdir()) == []
    assert temporary() == []


def test_group_of_the_user_alone_may_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where each user has a group of the same name folders are writable for it, and are trusted nevertheless."""
    for group, trusted in ((True, True), (False, False)):
        place = tmp_path / str(group)
        place.mkdir()
        place.chmod(0o775)
        monkeypatch.setattr(cache, "_is_private_group", lambda number, answer=group: answer)
        monkeypatch.setenv("RULELANG_CACHE", str(place))
        assert (LIBRARIES.folder() is not None) == trusted


# ---- what compilers say


def test_failing_compiler_is_quoted(folder: Path, compiler: CCompiler) -> None:
    """A text that is no C is an error that says what the compiler said; nothing is left of it."""
    with pytest.raises(BuildError, match=r"made no library \(status 1\)(.|\n)*rulelang\.c:1:.*error") as caught:
        built("int answer(void) { return nothing; }", compiler)
    assert len(str(caught.value).splitlines()) <= compilers.SAID + 1
    assert list(folder.iterdir()) == []
    assert temporary() == []


@pytest.mark.parametrize(
    ("text", "said"),
    [("exit 0", r"no library \(status 0\)"), ("kill -9 $$", r"status -9"), (": > rulelang.so", "no library")],
)
def test_compiler_that_makes_nothing(tmp_path: Path, text: str, said: str) -> None:
    """Success without a library, an empty one and a killed compiler are errors too."""
    fake = script(tmp_path / "bin" / "cc", text)
    with pytest.raises(BuildError, match=said):
        built(ANSWER, CCompiler((str(fake),), "a fake", "a fake"))


def test_compiler_that_makes_garbage(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What can't be loaded, or has lost its key, is not kept."""
    monkeypatch.setattr(build, "loads", compilers.loads)
    for text in ("echo garbage > rulelang.so", "printf 'int x;' > y.c && cc -shared -fPIC y.c -o rulelang.so"):
        forget()
        with pytest.raises(BuildError, match="can't be loaded"):
            built(ANSWER, CCompiler((str(script(tmp_path / "bin" / "cc", text)),), "a fake", "a fake"))
        assert list(folder.iterdir()) == []


def test_missing_compiler_is_an_error() -> None:
    """A compiler that has gone away."""
    with pytest.raises(BuildError, match="can't be run"):
        built(ANSWER, CCompiler(("/nowhere/cc",), "gone", "gone"))


def test_failed_text_is_not_tried_again(tmp_path: Path) -> None:
    """Whoever asks again for what failed is told at once."""
    fake = script(tmp_path / "bin" / "cc", f"echo run >> {tmp_path}/log; exit 1")
    for _ in range(3):
        with pytest.raises(BuildError):
            built(ANSWER, CCompiler((str(fake),), "a fake", "a fake"))
    assert (tmp_path / "log").read_text() == "run\n"


def hanging(tmp_path: Path) -> tuple[Path, int]:
    """A compiler whose own child hangs; and a pipe that is open as long as that child lives."""
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    return script(tmp_path / "bin" / "cc", f"exec 3> {tmp_path}/pipe; echo >&3; sleep 300; :"), reader


def assert_ended(reader: int) -> None:
    """No process has the pipe open any more."""
    os.set_blocking(reader, True)
    said = b"?"
    while said:
        assert select.select([reader], [], [], 60)[0], "the compiler's child is still there"
        said = os.read(reader, 100)
    os.close(reader)


def test_hanging_compiler_is_ended(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiler that takes too long is ended with all that it has started."""
    fake, reader = hanging(tmp_path)
    monkeypatch.setattr(compilers, "TIMEOUT", 1.0)
    with pytest.raises(BuildError, match="took more than 1 s"):
        built(ANSWER, CCompiler((str(fake),), "a fake", "a fake"))
    assert_ended(reader)
    assert list(folder.iterdir()) == []
    assert temporary() == []


def test_interrupted_build_leaves_nothing(folder: Path, tmp_path: Path) -> None:
    """Ctrl-C ends the compiler and passes on; no lock, no draft and no temporary folder stay."""
    fake, reader = hanging(tmp_path)
    process = child(fake, ANSWER)
    assert select.select([reader], [], [], 60)[0]
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in err
    assert_ended(reader)
    assert list(folder.iterdir()) == []
    assert temporary() == []


# ---- two at once


def test_of_two_processes_one_compiles(folder: Path, tmp_path: Path) -> None:
    """Processes that want the same at the same time: one compiles, the others wait and load."""
    slow = script(tmp_path / "bin" / "cc", f'echo run >> {tmp_path}/log; sleep 0.7; exec cc "$@"')
    processes = [child(slow, ANSWER) for _ in range(3)]
    assert [answer(process) for process in processes] == ["42"] * 3
    assert (tmp_path / "log").read_text() == "run\n"
    assert [path.suffix for path in folder.iterdir()] == [LIBRARIES.suffix]


def test_two_that_compile_at_once_do_no_harm(folder: Path, tmp_path: Path) -> None:
    """Where files can't be locked both compile, both load, and one whole library stays."""
    text = f'echo run >> {tmp_path}/log; while [ $(wc -l < {tmp_path}/log) -lt 2 ]; do sleep 0.05; done; exec cc "$@"'
    slow = script(tmp_path / "bin" / "cc", text)
    processes = [child(slow, ANSWER, "unlocked") for _ in range(2)]
    assert [answer(process) for process in processes] == ["42"] * 2
    assert (tmp_path / "log").read_text() == "run\nrun\n"
    assert len(libraries(folder)) == 1
    assert built(ANSWER, CCompiler(("/nowhere/cc",), "a compiler", "its identity")).answer() == 42


def test_lock_of_a_killed_process_holds_nobody_up(folder: Path, compiler: CCompiler) -> None:
    """A lock file alone locks nothing."""
    folder.mkdir(mode=0o700, parents=True)
    (folder / f"{build._key(ANSWER, compiler, compilers.DEFAULT)}.lock").write_text("")
    assert built(ANSWER, compiler).answer() == 42
    assert [path for path in folder.iterdir() if path.suffix == ".lock"] == []


def test_one_who_takes_too_long_is_not_waited_for(
    folder: Path, compiler: CCompiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a while the library is made without a lock."""
    monkeypatch.setattr(cache, "PATIENCE", 0.1)
    with LIBRARIES.locked(build._key(ANSWER, compiler, compilers.DEFAULT)):
        assert built(ANSWER, compiler).answer() == 42


# ---- how much is kept


def test_entries_used_long_ago_go(folder: Path, compiler: CCompiler, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond a number of entries those go that were used longest ago; what is not an entry stays."""
    folder.mkdir(mode=0o700, parents=True)
    monkeypatch.setattr(build, "LIBRARIES", dataclasses.replace(LIBRARIES, capacity=3))
    texts = [f"int answer(void) {{ return {number}; }}" for number in range(5)]
    (folder / "README").write_text("not ours")
    os.utime(folder / "README", (0, 0))
    for number, text in enumerate(texts[:3]):
        built(text, compiler)
        for name in libraries(folder):
            if name.startswith(build._key(text, compiler, compilers.DEFAULT)):
                os.utime(folder / name, (1000 + number, 1000 + number))
    forget()
    assert built(texts[0], absent(compiler)).answer() == 0  # the oldest, but used now
    for text in texts[3:]:
        built(text, compiler)
    forget()
    assert [cached(text, compiler) for text in texts] == [True, False, False, True, True]
    assert len(libraries(folder)) == 3
    assert (folder / "README").exists()


def test_what_killed_processes_left_goes(folder: Path, compiler: CCompiler) -> None:
    """Old drafts and locks are removed; new ones may be in use."""
    folder.mkdir(mode=0o700, parents=True)
    names = [f"{'0' * 32}.77.ab.draft", f"{'0' * 32}.lock", f"{'1' * 32}.78.cd.draft", f"{'1' * 32}.lock"]
    for name in names:
        (folder / name).write_text("")
    for name in names[:2]:
        os.utime(folder / name, (1000, 1000))
    built(ANSWER, compiler)
    assert [(folder / name).exists() for name in names] == [False, False, True, True]


# ---- which compiler


def test_cc_of_the_environment_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CC is read as a shell reads it, arguments and all."""
    mine = script(tmp_path / "my bin" / "compile it", 'shift; exec cc "$@"')
    monkeypatch.setenv("CC", f"'{mine}' please")
    found = find_compiler()
    assert found is not None
    assert found.command == (str(mine), "please")
    assert built(ANSWER, found).answer() == 42


@pytest.mark.parametrize("chosen", ["", " ", "false", "true", "/nowhere/cc", "'", "cc -no-such-flag", "cc -x c++"])
def test_cc_that_does_not_work_is_passed_over(chosen: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What makes no library of C that this Python can load is no compiler."""
    monkeypatch.setenv("CC", chosen)
    found = find_compiler()
    assert found is not None
    assert found.command == (shutil.which("cc"),)


def test_names_are_tried_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After cc comes gcc, then clang."""
    real = shutil.which("cc")
    broken = script(tmp_path / "bin" / "cc", "exit 1")
    monkeypatch.setenv("PATH", f"{broken.parent}{os.pathsep}{os.environ['PATH']}")
    for name in ("clang", "gcc"):
        script(tmp_path / "bin" / name, f'exec {real} "$@"')
        if name == "clang":
            script(tmp_path / "bin" / "gcc", "exit 1")
        compilers._first_working.cache_clear()
        found = find_compiler()
        assert found is not None
        assert found.command == (str(tmp_path / "bin" / name),)


def test_compiler_of_the_current_folder_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative folder in PATH would let whoever made the current folder choose the program."""
    script(tmp_path / "cc", f"touch {tmp_path}/ran; exit 1")
    monkeypatch.chdir(tmp_path)
    for folders in (".", "", f".{os.pathsep}{os.environ['PATH']}"):
        monkeypatch.setenv("PATH", folders)
        compilers._first_working.cache_clear()
        find_compiler()
        assert not (tmp_path / "ran").exists()


def test_without_a_compiler_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No compiler is no error until a library is wanted."""
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.setattr(compilers, "ZIG", "no_such_package")
    assert find_compiler() is None
    with pytest.raises(BuildError, match="no C compiler"):
        build_library(ANSWER)


def test_compiler_is_tried_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That a compiler works is noted for later processes; when its program changes it is tried again."""
    log = tmp_path / "log"
    mine = script(tmp_path / "bin" / "cc", f'echo run >> {log}; exec cc "$@"')
    monkeypatch.setenv("CC", str(mine))
    first = find_compiler()
    assert first is not None
    assert "unknown" not in first.version
    assert first.version in first.identity
    runs = log.read_text()
    compilers._first_working.cache_clear()
    assert find_compiler() == first
    assert log.read_text() == runs, "nothing was run"
    os.utime(mine, (time.time() - 1000,) * 2)
    compilers._first_working.cache_clear()
    upgraded = find_compiler()
    assert upgraded is not None
    assert upgraded.identity != first.identity
    assert log.read_text() == runs * 2


@pytest.mark.slow
def test_package_of_a_compiler_is_the_last_resort(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the machine has no compiler the one that the extra `native` brings builds the same."""
    pytest.importorskip("ziglang")
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    found = find_compiler()
    assert found is not None
    assert "ziglang" in found.command
    assert built(ANSWER, found).answer() == 42
    assert temporary() == []


# ---- other machines ---------------------------------------------------------------------------------------


def test_package_of_a_compiler_is_a_candidate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is called through Python, and known by its own program; of one that is gone nothing is known."""
    script(tmp_path / "package_of_a_compiler" / "zig", "exit 1")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(compilers, "ZIG", "package_of_a_compiler")
    *_, last = compilers._candidates("", "")
    assert last[:3] == (sys.executable, "-m", "package_of_a_compiler")
    assert any(
        "package_of_a_compiler" in mark and mark.split()[0].endswith("zig") for mark in compilers._marks(last, "")
    )
    monkeypatch.setattr(compilers, "ZIG", "no_such_package")
    assert compilers._marks(("no_such_package",), "") == ["no_such_package", *compilers._marks((), "")]


def test_code_for_this_processor_is_kept_by_machine() -> None:
    """A folder may be shared."""
    assert compilers._marks(("cc", "-march=native"), "")[-1] == os.uname().nodename


def test_macos_is_not_asked_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its `cc` opens a window where there are no developer tools."""
    monkeypatch.setattr(sys, "platform", "darwin")
    assert compilers._asks_to_be_installed("/usr/bin/cc")
    assert not compilers._asks_to_be_installed("/opt/bin/cc")


def test_compiler_is_ended_where_there_are_no_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows."""
    process = subprocess.Popen(["sleep", "60"], stdout=subprocess.PIPE)
    with monkeypatch.context() as patched:
        patched.setattr(os, "name", "nt")
        compilers._end(process)
    process.communicate()
    assert process.returncode == -signal.SIGKILL


def test_library_that_came_meanwhile_is_taken(
    folder: Path, compiler: CCompiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who has waited for another process looks again; what can't be read is not kept."""
    first = built(ANSWER, compiler)
    forget()
    found = iter([None, first])
    monkeypatch.setattr(build, "_from_cache", lambda _: next(found))
    assert built(ANSWER, compiler) is first
    assert build._kept("key", folder / "nothing") is None


@pytest.mark.parametrize("stream", ["1", "2"])
def test_a_compiler_that_never_stops_talking_is_ended(folder: Path, tmp_path: Path, stream: str) -> None:
    """Who floods its output or its errors is ended soon; of what it said nothing is held but its first part."""
    fake = tmp_path / "fake"
    fake.write_text(f"#!/bin/sh\nexec yes 'a long line of complaints about everything' >&{stream}\n")
    fake.chmod(0o755)
    begun = time.monotonic()
    with pytest.raises(BuildError, match="says more than 1024 KiB"):
        built(ANSWER, CCompiler((str(fake),), "a fake", f"a fake {stream}"))
    assert time.monotonic() - begun < 20
    assert temporary() == []


def test_a_refused_fork_is_told_as_such(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no process is started it isn't said that there is no compiler; it is looked for again later."""

    def refuse(*_: object, **__: object) -> None:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    compilers._first_working.cache_clear()
    with monkeypatch.context() as patched:
        patched.setattr(subprocess, "Popen", refuse)
        with pytest.raises(BuildError, match="no process can be started: Resource temporarily unavailable"):
            build.build_library(ANSWER + "/* another */\n")
        assert compilers.has_compiler()
    assert compilers.find_compiler() is not None
    assert build.build_library(ANSWER + "/* another */\n")
