"""Unpacks rulesets that strangers send: some files, or one zip of them, into a folder of their own.

Enters: names and bytes that nobody vouches for. Leaves: a folder called by the hash of its files, with YAML and rule
files, notes and pictures alone, bounded in number and size; `UsageError` with what is wrong. No name leads out of it,
nothing is a link, and what is unpacked is counted as it is unpacked, whatever a zip says of itself.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from rulelang.diagnostics import UsageError
from rulelang.outputs import sync_folder, write_file
from rulelang.ruleset.files import HEADER, VARIANTS

FILES = 200
UNPACKED = 4 << 20
"""So many files, and bytes of all of them, an upload has."""
FRESH, RUNNING = 3600.0, 7 * 24 * 3600.0
"""So many seconds a ruleset is kept for whoever sent it, and for a game that went on last."""
GAME = "game"
"""The folder of a ruleset within that of its hash, which `extends` may not lead out of."""

_FILE = r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}"
_NAME = re.compile(
    rf"({VARIANTS}/[A-Za-z0-9_-]{{1,64}}/)?"
    rf"({_FILE}\.(yaml|rule|md)|scenarios/{_FILE}\.yaml|theme/{_FILE}\.(yaml|png|jpe?g|gif|webp|svg))"
)
_TOP = re.compile(r"\w[\w. -]{0,63}")
_LINK = 0o120000
_PLAIN = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def unpack(folder: Path, files: Mapping[str, bytes], check: Callable[[Path], object]) -> str:
    """Store an uploaded ruleset in `folder/HASH/game` and return HASH, 32 hex digits over its files.

    Args:
        files: name -> content of what was sent; a single one may be a zip. check: is called with the folder of the
            ruleset before it is there to stay; what it raises ends that.

    Raises:
        UsageError: it is no ruleset, or more than one may be.
    """
    (name, data), *others = files.items() if files else [("", b"")]
    rows = list(_zipped(data)) if not others and data.startswith(b"PK") else list(files.items())
    heads = {name.rpartition("/")[0] for name, _ in rows if name.rpartition("/")[2] == HEADER}
    top = min(heads, key=len, default="")
    top = top if _TOP.fullmatch(top) else ""  # a zip of a folder has its name before all others
    content = {name.removeprefix(f"{top}/") if top else name: data for name, data in rows}
    wrong = next((name for name in content if not _NAME.fullmatch(name)), None)
    if wrong is not None:
        raise UsageError(
            f"{wrong[:100]!a}: a ruleset has .yaml, .rule and .md files, scenarios/*.yaml, "
            "theme/ with pictures, and variants/NAME with such"
        )
    if not 0 < len(content) == len(rows) <= FILES or sum(map(len, content.values())) > UNPACKED:
        raise UsageError(f"a ruleset has at most {FILES} files of {UNPACKED >> 20} MiB together, each of them once")
    digest = hashlib.sha256(repr(sorted(content.items())).encode()).hexdigest()[:32]
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / digest).exists():
        with tempfile.TemporaryDirectory(prefix=".draft", dir=folder, ignore_cleanup_errors=True) as draft:
            for name, data in content.items():
                path = Path(draft, GAME, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                write_file(path, data)
            check(Path(draft, GAME))
            shutil.move(draft, folder / digest)
            sync_folder(folder)
    os.utime(folder / digest)  # it came now
    return digest


def make_room(folder: Path, most: int, size: int, used: Mapping[str, float], now: float) -> bool:
    """Delete the least recently used rulesets of a folder until one more fits; return whether it does.

    Args:
        most, size: so many rulesets and bytes the folder may have. used: hash -> when a game of it went on last. now:
            in seconds since 1970. What was used in the last RUNNING seconds stays, and what came in the last FRESH.
    """
    rows = []
    for path in folder.glob("*"):
        files = [file.stat() for file in path.rglob("*") if file.is_file()]
        came, last = path.stat().st_mtime, used.get(path.name, 0.0)
        rows.append((max(came, last), came < now - FRESH and last < now - RUNNING, sum(f.st_size for f in files), path))
    count, total = len(rows), sum(row[2] for row in rows)
    for _, unused, length, path in sorted(rows):
        if unused and (count >= most or total + UNPACKED > size):
            shutil.rmtree(path, ignore_errors=True)
            count, total = count - 1, total - length
    return count < most and total + UNPACKED <= size


def _zipped(data: bytes) -> Iterable[tuple[str, bytes]]:
    """Yield name and content of the files in a zip, reading at most `UNPACKED` bytes of each."""
    left = UNPACKED
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for info in archive.infolist()[: 2 * FILES]:
                if info.is_dir():
                    continue
                if info.external_attr >> 16 & 0o170000 == _LINK or info.compress_type not in _PLAIN:
                    raise UsageError(f"{info.filename[:100]!a} is a link, or packed in another way than zips are")
                with archive.open(info) as file:
                    part = file.read(left + 1)
                left -= len(part)
                if left < 0:
                    raise UsageError(f"there is more than {UNPACKED >> 20} MiB in it")
                yield info.filename, part
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, OSError, ValueError, zlib.error) as error:
        raise UsageError(f"the zip can't be read: {error}") from None
