"""The file that the games of a simulation are written to while they are played, and that a later run goes on with.

Enters: a path, what the run is (its header), lines of games as they come. Leaves: JSON Lines or Parquet; the games of
an earlier run that was ended. JSON Lines begin with the header; a game is a line after it. A Parquet file has its
header in the metadata of its schema. It can't be read before its last byte is written, so that JSON Lines lie beside it
until all games are in it: those are what a later run goes on with.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import IO, Any, Protocol, TypeVar

from rulelang.diagnostics import SaveError, UsageError
from rulelang.documents import json_value
from rulelang.outputs import sync, sync_file
from rulelang.resources import installing
from rulelang.runtime.outcome import FinishedGame
from rulelang.runtime.rng import game_seed

VERSION = 2
MARK = "rulelang_simulation"
"""The first key of a header; its value is the version of the format."""

LINE = 1 << 20
"""The longest line that is read."""

ROWS = 1 << 14
"""The games of a row group."""

TABLE, PART = ".parquet", ".part.jsonl"
"""How a Parquet file's name ends; what is added to it for the lines beside it."""

Header = Mapping[str, Any]

_KINDS = {
    **dict.fromkeys(("scores", "ranks", "winners"), list),
    **dict.fromkeys(("decisions", "turns"), int),
    **dict.fromkeys(("ended_by_limit", "drawn"), bool),
}
"""The keys of a line that hold the fields of `FinishedGame`, in its order, with their types; lists are of integers."""

OnGame = Callable[[FinishedGame], None]
OnLine = Callable[[bytes, int], None]
"""What is called with each stored game, or with its line and number."""


class Results(Protocol):
    """Where games go."""

    @property
    def lasting(self) -> bool:
        """Whether the results stay readable, so that a later run can resume."""

    def add(self, lines: bytes) -> None:
        """Add games, as `line` has them."""

    def close(self) -> None:
        """Finish the file; nothing more comes."""


AnyResults = TypeVar("AnyResults", bound=Results)

_encoded = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


def line(number: int, seed: int, game: FinishedGame, more: Mapping[str, Any] | None = None) -> bytes:
    """Return a game as one line of JSON; `seed` is the game's own, `more` are further keys."""
    row = {"game": number, "seed": seed, **dict(zip(_KINDS, game, strict=True)), **(more or {})}
    return _encoded(row).encode() + b"\n"


def opened(path: Path, header: Header, resume: bool, on_game: OnGame) -> AbstractContextManager[Results]:
    """Open the results of a run for writing. With `resume`, call `on_game` with each game already in the file.

    Raises:
        UsageError: the file can't be written, holds games already (without `resume`), is of another run, is being
            written, or needs a library that is missing.
        SaveError: the file is damaged, or no file of a simulation.
    """
    with _using(path):
        if path.suffix.lower() == TABLE:
            return closed(_Table(path, header, resume, on_game))
        return closed(Lines(path, header, resume, _parser(header, on_game)))


@contextmanager
def closed(results: AnyResults) -> Iterator[AnyResults]:
    """Close results after the block; an error of the block goes before one of closing."""
    try:
        yield results
    except BaseException:
        with suppress(UsageError):
            results.close()
        raise
    results.close()


@contextmanager
def _using(path: Path) -> Iterator[None]:
    """Convert an OSError within the block to a UsageError that names the file."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}") from None


# ---- JSON Lines


def _parser(header: Header, on_game: OnGame) -> OnLine:
    """Return a function that parses a line of JSON to a game and passes it to `on_game`."""
    return lambda text, number: on_game(_game(_parsed(text), header, number))


class Lines:
    """A file of JSON Lines, or a pipe or device, which nothing can be read back from. It begins with a header.

    Args:
        resume: goes on with a file that has the same header. on_line: called with each line that is there already and
            its number.

    Raises:
        UsageError, SaveError: as `opened` says. What `on_line` raises as ValueError becomes a SaveError.
    """

    def __init__(self, path: Path, header: Header, resume: bool, on_line: OnLine) -> None:
        self.path, self.games = path, 0
        self.lasting = path.is_file() or not path.exists()
        first = _json(header) + b"\n"
        if not self.lasting and resume:
            raise UsageError(f"{path} is no file: there is nothing to go on with")
        self._file = _opened(path, self.lasting)
        try:
            if self.lasting:
                _lock(self._file, path)
                self._begin(header, first, resume, on_line)
            else:
                self._write(first)
        except BaseException:
            with suppress(OSError):
                self._file.close()
            raise

    def add(self, lines: bytes) -> None:
        """Write lines of games to the file and flush it."""
        with _using(self.path):
            self._write(lines)
        self.games += lines.count(b"\n")

    def close(self) -> None:
        """Close the file."""
        with _using(self.path):
            if self.lasting:
                self._file.flush()
                sync(self._file.fileno())
            self._file.close()

    def _write(self, lines: bytes) -> None:
        self._file.write(lines)
        self._file.flush()

    def _begin(self, header: Header, first: bytes, resume: bool, on_line: OnLine) -> None:
        """Read the header and games in the file, truncate an unfinished line, and seek to the end; write the header of
        a new file."""
        head = self._file.readline(LINE)
        if head and not resume:
            raise _exists_error(self.path)
        end = 0
        if head.endswith(b"\n"):
            _compare(self.path, header, _header(self.path, head, next(iter(header))))
            end = len(head)
            for text in self._finished():
                try:
                    on_line(text, self.games)
                except ValueError as error:
                    raise SaveError(f"{self.path}, line {self.games + 2}: {error}") from None
                self.games += 1
                end += len(text)
        elif not first.startswith(head):
            raise _foreign(self.path)
        self._file.seek(end)
        self._file.truncate()
        if not end:
            self._write(first)

    def _finished(self) -> Iterator[bytes]:
        """Yield the complete lines after the header."""
        while (text := self._file.readline(LINE)).endswith(b"\n"):
            yield text
        if len(text) == LINE:
            raise SaveError(f"{self.path}, line {self.games + 2}: a line as long as this is no game")


def _opened(path: Path, lasting: bool) -> IO[bytes]:
    """Open a file for reading and writing without truncating it, or a pipe or device for writing."""
    if lasting:
        return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o666), "r+b")
    return path.open("wb")


def _lock(file: IO[bytes], path: Path) -> None:
    """Lock the file against other runs until this process ends, where the system supports it."""
    if sys.platform == "win32":
        return
    import fcntl

    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        raise UsageError(f"{path} is being written by another run") from None
    except OSError:
        return  # some network drives have no locks


def _json(value: object) -> bytes:
    """Encode a value as compact JSON."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def _parsed(text: bytes) -> Any:
    """Parse a line of JSON; ValueError if it is not valid."""
    try:
        return json_value(text.decode(), "the line", LINE)
    except ValueError:
        raise ValueError("it is no line of JSON") from None


def _header(path: Path, text: bytes, mark: str = MARK) -> Header:
    """Parse the header of a results file and check its version; SaveError if it has none."""
    try:
        header = _parsed(text)
    except ValueError:
        header = None
    if not isinstance(header, dict) or header.get(mark) != VERSION:
        raise _foreign(path)
    return header


def _exists_error(path: Path) -> UsageError:
    return UsageError(f"{path} is there already: `--resume` goes on with it, another name leaves it alone")


def _foreign(path: Path) -> SaveError:
    return SaveError(f"{path} does not begin as a file that `simulate` writes")


def _compare(path: Path, header: Header, existing: Header) -> None:
    """Raise a UsageError that lists the differences, if the existing header is that of another run."""
    differ = [
        f"{name} is {_shown(existing.get(name))} there and {_shown(header.get(name))} here"
        for name in dict.fromkeys((*header, *existing))
        if existing.get(name) != header.get(name)
    ]
    if differ:
        raise UsageError(f"{path} is of another run: {'; '.join(differ)}")


def _shown(value: object) -> str:
    return _json(value).decode(errors="replace")


def _game(row: Any, header: Header, number: int) -> FinishedGame:
    """Convert a row of untrusted JSON to the game with this number, checking every field.

    Raises:
        ValueError: it is none.
    """
    game = outcome_of(row, len(header["parties"]))
    if number >= header["games"]:
        raise ValueError("there are more games than the run has")
    if row["game"] != number or row["seed"] != game_seed(header["seed"], number):
        raise ValueError(f"it is not game {number} of the run")
    return game


def outcome_of(row: Any, parties: int) -> FinishedGame:
    """Convert a row of untrusted JSON, without further keys, to a game of so many parties.

    Raises:
        ValueError: it is none.
    """
    if not isinstance(row, dict) or row.keys() != {"game", "seed", *_KINDS}:
        raise ValueError("it is no game")
    game = FinishedGame(*(row[key] for key in _KINDS))
    sound = (
        all(type(value) is kind for value, kind in zip(game, _KINDS.values(), strict=True))
        and all(type(n) is int for n in (*game.scores, *game.ranks, *game.winners))
        and len(game.scores) == len(game.ranks) == parties
        and set(game.ranks) <= set(range(1, parties + 1))
        and min(game.ranks, default=1) == 1
        and set(game.winners) <= set(range(parties))
        and len(set(game.winners)) == len(game.winners)
        and game.decisions >= 0 <= game.turns
        and all(-(1 << 63) <= n < 1 << 63 for n in (*game.scores, game.decisions, game.turns))
    )
    if not sound:
        raise ValueError("its values are none that a game has")
    return game


# ---- Parquet


class _Table:
    """A Parquet file, a row group whenever enough games have come; beside it their lines, until all are in it."""

    def __init__(self, path: Path, header: Header, resume: bool, on_game: OnGame) -> None:
        self.path, self.lasting, self._header = path, True, header
        self._arrow = arrow(str(path), "any other ending gives JSON Lines")
        self._rows: list[bytes] = []
        self._count = 0
        self._writer: Any = None
        self._lines: Lines | None = None
        beside = path.with_name(path.name + PART)
        if path.exists() and not path.is_file():
            raise UsageError(f"{path} is no file")
        exists = path.exists() and path.stat().st_size > 0
        if exists and not resume:
            raise _exists_error(path)
        if exists and not beside.exists():
            self._finished(on_game)
            return
        parse = _parser(header, on_game)

        def parse_and_buffer(text: bytes, number: int) -> None:
            parse(text, number)
            self._buffer(text)

        self._lines = Lines(beside, header, resume, parse_and_buffer)
        self._open()

    @property
    def games(self) -> int:
        """The number of games written so far, those of earlier runs included."""
        return self._lines.games if self._lines is not None else int(self._header["games"])

    def add(self, lines: bytes) -> None:
        """Append games to the line file at once, and to the Parquet file in row groups."""
        assert self._lines is not None, "all games are there"
        self._lines.add(lines)
        with _using(self.path):
            self._buffer(lines)

    def close(self) -> None:
        """Write the remaining games and close the files; the line file is deleted if all games are in the Parquet
        file."""
        if self._lines is None:
            return
        with _using(self.path):
            try:
                if self._rows:
                    self._write()
                if self._writer is not None:
                    self._writer.close()
            finally:
                self._lines.close()
            if self.games == self._header["games"]:
                sync_file(self.path)  # before what it was made of goes
                self._lines.path.unlink()

    def _buffer(self, lines: bytes) -> None:
        """Buffer lines of games, and write them as a row group when there are at least `ROWS`."""
        self._rows.append(lines)
        self._count += lines.count(b"\n")
        if self._count >= ROWS:
            self._write()

    def _write(self) -> None:
        """Write the buffered games as one row group."""
        self._open()
        how = self._arrow.json.ParseOptions(explicit_schema=self._schema(), unexpected_field_behavior="error")
        reading = self._arrow.json.ReadOptions(use_threads=False, block_size=1 << 24)
        table = self._arrow.json.read_json(BytesIO(b"".join(self._rows)), reading, how)
        self._writer.write_table(table.cast(self._writer.schema), row_group_size=len(table))
        self._rows, self._count = [], 0

    def _open(self) -> None:
        """Open the Parquet writer, with the header as metadata of the schema, unless it is open."""
        if self._writer is None:
            text = {MARK: _json(self._header)}
            self._writer = self._arrow.parquet.ParquetWriter(self.path, self._schema().with_metadata(text))

    def _schema(self) -> Any:
        """Return the Arrow schema of a row."""
        arrow = self._arrow
        types = {list: arrow.list_(arrow.int64()), int: arrow.int64(), bool: arrow.bool_()}
        fields = {name: types[kind] for name, kind in _KINDS.items()}
        return arrow.schema({"game": arrow.int64(), "seed": arrow.uint64(), **fields})

    def _finished(self, on_game: OnGame) -> None:
        """Read the games of a finished Parquet file and call `on_game` with each; check header and number."""
        try:
            with self._arrow.parquet.ParquetFile(self.path) as file:
                _compare(self.path, self._header, _header(self.path, file.schema_arrow.metadata[MARK.encode()]))
                number = 0
                for batch in file.iter_batches(ROWS, use_threads=False):
                    for row in batch.to_pylist():
                        on_game(_game(row, self._header, number))
                        number += 1
        except (UsageError, SaveError):
            raise
        except (ValueError, LookupError, TypeError, self._arrow.ArrowException):
            raise SaveError(f"{self.path} is no Parquet file that `simulate` has finished") from None
        if number < self._header["games"]:
            raise UsageError(f"{self.path} can't be gone on with: {self.path.name + PART} is not beside it any more")


def arrow(what: str, instead: str = "") -> Any:
    """Import pyarrow; `what` names the feature that needs it, `instead` an alternative, in the error.

    Raises:
        UsageError: it is missing; `what` needs it.
    """
    try:
        import pyarrow
        import pyarrow.json
        import pyarrow.parquet
    except ImportError:
        text = f"{what} needs pyarrow: {installing('parquet')}"
        raise UsageError(f"{text}; {instead}" if instead else text) from None
    return pyarrow
