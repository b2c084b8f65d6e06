"""What lies in the cache is ours and whole, or it is not used, whatever it is: program, grammar, library, note."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from rulelang import cache, programs
from rulelang.cache import COMPILERS, GRAMMARS, LIBRARIES, PROGRAMS, VALIDATED, CacheFolder, digest_of
from rulelang.diagnostics import Diagnostics
from rulelang.game import load
from rulelang.ir.table import to_table
from rulelang.resources import shipped_rulesets
from rulelang.ruleset.loader import load_ruleset

ROOT = Path(__file__).resolve().parents[2]
GAME = ROOT / "tests" / "conformance" / "rulesets" / "refill"
STORES = (GRAMMARS, VALIDATED, PROGRAMS, COMPILERS, LIBRARIES)
KEY, CONTENT = digest_of("a key"), b"content"
pytestmark = pytest.mark.skipif(os.name != "posix", reason="written for POSIX")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache; no program is known from before."""
    monkeypatch.setenv("RULELANG_CACHE", str(tmp_path / "cache"))
    programs._programs.clear()
    return tmp_path / "cache"


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def changed(path: Path) -> None:
    path.write_bytes(CONTENT.upper() + b"!")


def of_another_key(path: Path) -> None:
    """Whole, but the digest is that of the content under another key."""
    path.unlink()
    path.with_name(f"{KEY}.{digest_of('another', CONTENT)}{path.suffix}").write_bytes(CONTENT)


def linked(path: Path) -> None:
    aside = path.parent.parent / "aside"
    path.rename(aside)
    path.symlink_to(aside)


def fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


def writable_by_all(path: Path) -> None:
    path.chmod(0o666)


@pytest.mark.parametrize("damage", [emptied, changed, of_another_key, linked, fifo, directory, writable_by_all])
def test_damaged_entry_is_not_used(damage: Callable[[Path], None]) -> None:
    """In every store: it is removed without being followed or waited for, and can be saved anew."""
    for store in STORES:
        content = b"" if store is VALIDATED and damage is not emptied else CONTENT
        path = store.save(KEY, content)
        assert path is not None
        assert store.load(KEY) == content
        damage(path)
        assert store.load(KEY) is None
        assert store.find(KEY) is None
        assert not store.holds(KEY)
        assert store.save(KEY, content) == path
        assert store.load(KEY) == content


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o775])
def test_folder_that_others_may_write_is_not_used(folder: Path, mode: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither read nor written, whichever folder on the way to it that is."""
    monkeypatch.setattr(cache, "_is_private_group", lambda number: False)
    for store in STORES:
        path = store.save(KEY, CONTENT)
        assert path is not None
        for place in (path.parent, *((folder,) if mode != 0o1777 else ())):
            cache._trusted.cache_clear()
            before = place.stat().st_mode
            place.chmod(mode)
            assert store.load(KEY) is None
            assert store.save(digest_of("other"), CONTENT) is None
            place.chmod(before & 0o7777)
            assert len(list(path.parent.iterdir())) == 1
        cache._trusted.cache_clear()
        assert store.load(KEY) == CONTENT


def test_planted_links_are_not_followed(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who guesses the name of a draft and puts a link there does not make us write over what it leads to."""
    victim = tmp_path / "victim"
    victim.write_text("precious")
    monkeypatch.setattr(os, "urandom", lambda size: b"\0" * size)
    for store in STORES:
        place = store.folder()
        assert place is not None
        (place / f"{KEY}.{os.getpid()}.00000000.draft").symlink_to(victim)
        assert store.save(KEY, b"overwritten") is None
        (place / f"{KEY}.lock").symlink_to(victim)
        with store.locked(KEY):
            pass
        assert victim.read_text() == "precious"


def test_program_of_another_is_not_played(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program put in place of ours is played only where nobody but us could have put it there."""
    honest = load(GAME).program
    (entry,) = (folder / "programs").iterdir()
    forged = replace(honest, name="forged")
    content = to_table(forged)
    key = entry.name.split(".")[0]
    entry.write_bytes(content)
    programs._programs.clear()
    assert load(GAME).program.name == "refill", "the digest is not that of the content"
    (entry,) = (folder / "programs").iterdir()
    entry.unlink()
    entry = entry.with_name(f"{key}.{digest_of(key, content)}.json")
    entry.write_bytes(content)
    programs._programs.clear()
    assert load(GAME).program.name == "forged", "we wrote it ourselves"
    entry.parent.chmod(0o777)
    cache._trusted.cache_clear()
    programs._programs.clear()
    assert load(GAME).program.name == "refill", "anybody could have written it"


def test_what_is_checked_again_when_the_engine_changes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The key of a program covers the engine, the place and the ruleset."""
    ruleset = load(GAME)
    key = programs._key(ruleset.written)
    programs.engine_digest.cache_clear()
    monkeypatch.setattr(programs, "IR_VERSION", 999)
    assert programs._key(ruleset.written) != key
    programs.engine_digest.cache_clear()


def test_a_program_is_found_from_any_folder_outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its key has the folders of base and variant as messages say them, which are relative from those above alone."""
    base = shipped_rulesets() / "reco"

    def key(place: Path) -> str:
        monkeypatch.chdir(place)
        written = load_ruleset(base / "variants" / "two_players", diagnostics=Diagnostics())
        assert written is not None
        return programs._key(written)

    assert key(tmp_path) == key(tmp_path.parent)
    assert len({key(place) for place in (tmp_path, base.parent, base, base / "variants")}) == 4


def test_capacity_bounds_every_store() -> None:
    """Beyond its capacity a store gives up what was used longest ago."""
    store = CacheFolder("small", ".txt", 3)
    for number in range(6):
        path = store.save(digest_of(str(number)), CONTENT)
        assert path is not None
        os.utime(path, (number, number))
    kept = [number for number in range(6) if store.holds(digest_of(str(number)))]
    assert kept == [4, 5]


@pytest.mark.parametrize(
    ("chosen", "capacity"), [("", 200), ("2", 200), ("many", 200), ("-5000", 200), ("9" * 5000, 200), ("5000", 5000)]
)
def test_the_environment_can_only_ask_for_more(monkeypatch: pytest.MonkeyPatch, chosen: str, capacity: int) -> None:
    """What is no number, or less than the usual, counts for nothing."""
    monkeypatch.setenv("RULELANG_CACHE_LIBRARIES", chosen)
    assert cache._more_than(200) == capacity
