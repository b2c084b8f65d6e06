"""The flags of the environment come after those that libraries are compiled with otherwise."""

from __future__ import annotations

import pytest

from rulelang.native.build import build_library, built, cached
from rulelang.native.compilers import DEFAULT, FLAGS, STEPPING, BuildError, chosen_flags, find_compiler

pytestmark = pytest.mark.usefixtures("compiler")
TEXT = "int answer(void) { return ANSWER; }"


def test_flags_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are followed, and another library is made for other ones."""
    compiler = find_compiler()
    assert compiler is not None
    for answer in (41, 42):
        monkeypatch.setenv(FLAGS, f"-O0 '-DANSWER={answer}'")
        assert chosen_flags() == (*DEFAULT, "-O0", f"-DANSWER={answer}")
        assert built(TEXT, compiler).answer() == answer
        assert build_library(TEXT).answer() == answer
        assert cached(TEXT, compiler)
    assert chosen_flags(STEPPING + TEXT) == (*DEFAULT, "-O1", "-O0", "-DANSWER=42")
    monkeypatch.delenv(FLAGS)
    assert chosen_flags() == DEFAULT
    assert not cached(TEXT, compiler)


def test_flags_that_are_no_flags(monkeypatch: pytest.MonkeyPatch) -> None:
    """What can't be split into words is left out; what no compiler knows is said."""
    monkeypatch.setenv(FLAGS, "-DANSWER='")
    assert chosen_flags() == DEFAULT
    monkeypatch.setenv(FLAGS, "--no-such-flag-at-all")
    with pytest.raises(BuildError, match="no-such-flag-at-all"):
        build_library(TEXT)
