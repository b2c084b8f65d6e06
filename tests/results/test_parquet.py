"""Parquet files: the same games as in JSON Lines, and just as much can be gone on with."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from rulelang import results
from rulelang.diagnostics import SaveError, UsageError
from rulelang.simulate import StoppedError, simulate

from .games import figures, rows, steps

GAMES = 100


def test_where_the_library_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said how to install it, before a game is played, and no file is left."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    played: list[int] = []
    with pytest.raises(UsageError, match=r"needs pyarrow: pip install '\.\[parquet\]'"):
        simulate(steps(tmp_path), games=5, out=tmp_path / "games.parquet", progress=played.append)
    assert played == []
    assert [path.name for path in tmp_path.iterdir()] == ["steps"]


@pytest.fixture
def parquet() -> Any:
    pytest.importorskip("pyarrow")
    import pyarrow.parquet

    return pyarrow.parquet


@pytest.fixture
def wanted(tmp_path: Path) -> list[dict[str, Any]]:
    """The games as they stand in JSON Lines."""
    simulate(steps(tmp_path), games=GAMES, out=tmp_path / "games.jsonl")
    return rows(tmp_path / "games.jsonl")[1:]


def test_the_same_games(
    parquet: Any, wanted: list[dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row for each game, whatever the number of processes, in groups that are written as they come."""
    monkeypatch.setattr(results, "ROWS", 20)
    assert any(game["seed"] >= 1 << 63 for game in wanted)
    for jobs in (1, 2):
        file = tmp_path / f"{jobs}.parquet"
        sizes: list[int] = []

        def grown(_: int, file: Path = file, sizes: list[int] = sizes) -> None:
            sizes.append(file.stat().st_size)

        found = simulate(steps(tmp_path), games=GAMES, jobs=jobs, out=file, progress=grown)
        assert parquet.read_table(file).to_pylist() == wanted
        assert sizes[0] < sizes[-1]
        assert parquet.ParquetFile(file).num_row_groups > 1
        assert not (tmp_path / f"{jobs}.parquet.part.jsonl").exists()
        again = simulate(steps(tmp_path), games=GAMES, jobs=jobs, out=file, resume=True)
        assert figures(again.to_json()) == figures(found.to_json())
        assert again.earlier == GAMES


def interrupted(folder: Path, after: int) -> None:
    """A run that Ctrl-C ends when so many games are finished."""
    finished = 0

    def count(more: int) -> None:
        nonlocal finished
        finished += more
        if finished >= after:
            raise KeyboardInterrupt

    with pytest.raises(StoppedError) as stop:
        simulate(steps(folder), games=GAMES, out=folder / "games.parquet", progress=count)
    assert stop.value.lasting
    assert 0 < stop.value.result.games < GAMES


def test_ended_and_gone_on_with(
    parquet: Any, wanted: list[dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After Ctrl-C the file can be read; after a kill it can't, but the run goes on from the lines beside it."""
    monkeypatch.setattr(results, "ROWS", 10)
    whole = simulate(steps(tmp_path), games=GAMES)
    file, beside = tmp_path / "games.parquet", tmp_path / "games.parquet.part.jsonl"
    for killed in (False, True):
        interrupted(tmp_path, 30)
        part = parquet.read_table(file).to_pylist()
        assert part == wanted[: len(part)]
        assert rows(beside)[1:] == part != []
        if killed:
            file.write_bytes(b"PAR1 and what was not finished")
            beside.write_bytes(beside.read_bytes()[:-9])
        with pytest.raises(UsageError, match="is there already"):
            simulate(steps(tmp_path), games=GAMES, out=file)
        with pytest.raises(UsageError, match="is of another run: seed"):
            simulate(steps(tmp_path), games=GAMES, seed=1, out=file, resume=True)
        found = simulate(steps(tmp_path), games=GAMES, out=file, resume=True)
        assert found.earlier == len(part) - killed
        assert figures(found.to_json()) == figures(whole.to_json())
        assert parquet.read_table(file).to_pylist() == wanted
        assert not beside.exists()
        file.unlink()


def test_what_cannot_be_gone_on_with(parquet: Any, tmp_path: Path) -> None:
    """No Parquet, Parquet of something else, a finished file of another run, an unfinished one that lost its lines."""
    import pyarrow

    file = tmp_path / "games.parquet"
    file.write_text("PAR1PAR1PAR1")
    with pytest.raises(SaveError, match="no Parquet file that `simulate` has finished"):
        simulate(steps(tmp_path), games=GAMES, out=file, resume=True)
    parquet.write_table(pyarrow.table({"x": [1]}), file)
    with pytest.raises(SaveError, match="no Parquet file that `simulate` has finished"):
        simulate(steps(tmp_path), games=GAMES, out=file, resume=True)
    file.unlink()
    interrupted(tmp_path, 30)
    (tmp_path / "games.parquet.part.jsonl").unlink()
    with pytest.raises(UsageError, match=r"games\.parquet\.part\.jsonl is not beside it any more"):
        simulate(steps(tmp_path), games=GAMES, out=file, resume=True)
    file.unlink()
    simulate(steps(tmp_path), games=5, out=file)
    with pytest.raises(UsageError, match="games is 5 there and 6 here"):
        simulate(steps(tmp_path), games=6, out=file, resume=True)
    with pytest.raises(UsageError, match="cannot be written"):
        simulate(steps(tmp_path), games=5, out=tmp_path / "none" / "games.parquet")
    with pytest.raises(UsageError, match="is no file"):
        simulate(steps(tmp_path), games=5, out=_folder(tmp_path / "folder.parquet"))


def _folder(path: Path) -> Path:
    path.mkdir()
    return path
