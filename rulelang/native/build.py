"""From C text to a loaded library.

Enters: generated C, a compiler. Leaves: the library, from this process, from the cache, or compiled. A library says
which key it was built for, so that another one in its place is seen.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from sys import getsizeof
from typing import TYPE_CHECKING

from rulelang.cache import LIBRARIES, digest_of, discard
from rulelang.memos import Bounded
from rulelang.native.compilers import (
    BuildError,
    CCompiler,
    NoProcessError,
    chosen_flags,
    compiled,
    find_compiler,
    loads,
)
from rulelang.resources import installing

if TYPE_CHECKING:
    import ctypes

GENERATOR = 1
"""To be raised when libraries of before are not to be used, although their text is the same."""
BASE_SECONDS, SECONDS_PER_BYTE = 0.06, 7e-6
"""What gcc 12 takes to start, and for a byte of generated text (150 to 500 KB)."""

_COMMENT_LINES = re.compile(r"^ */\*[^*\n]*\*/\n", re.M)
_loaded: dict[str, ctypes.CDLL] = {}
_failed: Bounded[str, str] = Bounded(1 << 20)


def build_cost(text: str) -> float:
    """Return about how many seconds compiling this text takes."""
    return BASE_SECONDS + SECONDS_PER_BYTE * len(text)


def cached(text: str, compiler: CCompiler, flags: Sequence[str] | None = None) -> bool:
    """Return whether `built` need not compile this text: it is loaded, or in the cache (whether undamaged, `built`
    sees)."""
    key = _key(text, compiler, tuple(chosen_flags(text) if flags is None else flags))
    return key in _loaded or LIBRARIES.holds(key)


def built(text: str, compiler: CCompiler, flags: Sequence[str] | None = None) -> ctypes.CDLL:
    """Return the library of this text, loaded.

    Raises:
        BuildError: there is none; a text that failed once fails at once when it is asked for again.
    """
    flags = chosen_flags(text) if flags is None else flags
    key = _key(text, compiler, tuple(flags))
    if key not in _loaded:
        if (failure := _failed.get(key)) is not None:
            raise BuildError(failure)
        try:
            _loaded[key] = _from_cache(key) or _new(key, text, compiler, flags)
        except NoProcessError:  # which is no fault of the text
            raise
        except BuildError as error:
            _failed.put(key, str(error), getsizeof(str(error)))
            raise
    return _loaded[key]


def build_library(text: str) -> ctypes.CDLL:
    """Return the library of this text, loaded, with this machine's compiler.

    Raises:
        BuildError: there is none, or there is no compiler.
    """
    compiler = find_compiler()
    if compiler is None:
        raise BuildError(f"there is no C compiler: cc, gcc or clang, or {installing('native')}")
    return built(text, compiler)


@lru_cache(maxsize=4)
def _key(text: str, compiler: CCompiler, flags: tuple[str, ...]) -> str:
    return digest_of(str(GENERATOR), compiler.identity, str(len(flags)), *flags, without_places(text))


def without_places(text: str) -> str:
    """Return generated C without lines of comments, which say where rules stand: they make no other library."""
    return _COMMENT_LINES.sub("", text)


def _from_cache(key: str) -> ctypes.CDLL | None:
    return _loaded_or_discarded(LIBRARIES.find(key), key)


def _loaded_or_discarded(path: Path | None, key: str) -> ctypes.CDLL | None:
    """Return the library of a key in a file of the cache; a file that has none is removed."""
    library = None if path is None else _load(path, key)
    if path is not None and library is None:
        discard(path)
    return library


def _new(key: str, text: str, compiler: CCompiler, flags: Sequence[str]) -> ctypes.CDLL:
    """Compile and cache; what can't be kept, or not be loaded from where it is kept, is loaded from where it was made
    and then removed there."""
    signed = f'{text}\n__attribute__((used, visibility("default"))) const char rulelang_key[] = "{key}";\n'
    with LIBRARIES.locked(key):
        library = _from_cache(key)  # another process may have made it while this one waited
        if library is not None:
            return library
        with compiled(compiler.command, signed, flags) as library_path:
            library = (_kept(key, library_path) or _load(library_path, key)) if loads(library_path) else None
    if library is None:
        raise BuildError(f"what {compiler.version} made can't be loaded")
    return library


def _kept(key: str, library_path: Path) -> ctypes.CDLL | None:
    """Save a built library in the cache and load it from there; None if either fails."""
    try:
        content = library_path.read_bytes()
    except OSError:
        return None
    return _loaded_or_discarded(LIBRARIES.save(key, content), key)


def _load(path: Path, key: str) -> ctypes.CDLL | None:
    """Return the library in this file, if it was built for this key."""
    import ctypes

    try:
        library = ctypes.CDLL(str(path))
        said = (ctypes.c_char * (len(key) + 1)).in_dll(library, "rulelang_key").value
    except (OSError, ValueError):
        return None
    return library if said == key.encode() else None
