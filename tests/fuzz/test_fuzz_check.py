"""Whatever is written, the checker answers with findings or a program: no other exception, nothing that can't compile.

The rulesets of the repository are mutated: tokens of their files are deleted, doubled, exchanged, replaced by others of
the same file or by expressions that are odd in most places. The same mutations in every run.
"""

from __future__ import annotations

import contextlib
import random
import shutil
from pathlib import Path

import pytest

from rulelang.compiler import compile_ruleset
from rulelang.diagnostics import Diagnostics, RuleError, RulesetError
from rulelang.game import Ruleset
from rulelang.ruleset.loader import load_ruleset
from rulelang.semantics.check import analyse
from tests.fuzz.mutations import mutated, scrambled

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = [
    path.parent
    for place in ("rulesets", "tests/conformance/rulesets", "tests/fragments")
    for path in sorted((ROOT / place).glob("*/ruleset.yaml"))
]
MUTATIONS, FEWER = 6, 3
SOAK = 10
"""With `--soak` so many times the mutations."""
LARGE = 50_000
"""Rulesets of more bytes take seconds to check; the others say most of what there is to find."""
STEPS = 12


def mutations(folder: Path, times: int) -> int:
    """Return how many mutations of a ruleset are tried."""
    if times == 1:
        return 1
    return times * (MUTATIONS if sum(path.stat().st_size for path in folder.glob("*.*")) < LARGE else FEWER)


def outcome(folder: Path) -> str:
    """`refused` with findings, or `compiled`."""
    diagnostics = Diagnostics()
    ruleset = load_ruleset(folder, diagnostics=diagnostics)
    analysed = analyse(ruleset, diagnostics) if ruleset is not None else None
    assert (analysed is None) == diagnostics.has_errors
    if analysed is None or ruleset is None:
        return "refused"
    try:
        program = compile_ruleset(analysed)
    except RulesetError:
        return "refused"
    play(Ruleset(ruleset, str(folder), (), program))
    return "compiled"


def play(ruleset: Ruleset) -> None:
    """Some steps of a game: only a rule's own error may come out."""
    rng = random.Random(ruleset.name)
    with contextlib.suppress(RuleError):
        state = ruleset.new_game(rng.choice(ruleset.players), 1)
        for _ in range(STEPS):
            if state.is_terminal():
                break
            state.refusals()
            state.apply(rng.choice(state.legal_actions()))
        for seat in range(state.players):
            state.information_state(seat)
        assert ruleset.state_from_json(state.to_json()).hash() == state.hash()
        state.scores()
        state.winners()


@pytest.mark.parametrize("times", [1, pytest.param(SOAK, marks=pytest.mark.soak)])
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_mutations_are_refused_or_compile(folder: Path, times: int, tmp_path: Path) -> None:
    """Every mutation of a ruleset has findings or a program that the verifier accepts."""
    rng = random.Random(folder.name)
    copy = tmp_path / folder.name
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("scenarios", "playthroughs"))
    texts = {path: path.read_text(encoding="utf-8") for path in sorted((*copy.glob("*.rule"), *copy.glob("*.yaml")))}
    for _ in range(mutations(copy, times)):
        path = rng.choice(sorted(texts))
        path.write_text(mutated(texts[path], rng), encoding="utf-8")
        outcome(copy)  # what fails stays as it is in `copy`
        path.write_text(texts[path], encoding="utf-8")


@pytest.mark.parametrize("times", [1, pytest.param(SOAK, marks=pytest.mark.soak)])
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_scrambled_bytes_are_refused_or_compile(folder: Path, times: int, tmp_path: Path) -> None:
    """As above for files that are hardly text any more."""
    rng = random.Random(f"bytes {folder.name}")
    copy = tmp_path / folder.name
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("scenarios", "playthroughs"))
    files = {path: path.read_bytes() for path in sorted((*copy.glob("*.rule"), *copy.glob("*.yaml")))}
    for _ in range(mutations(copy, times)):
        path = rng.choice(sorted(files))
        path.write_bytes(scrambled(files[path], rng))
        outcome(copy)
        path.write_bytes(files[path])


def test_both_outcomes_occur(tmp_path: Path) -> None:
    """What is not mutated compiles; what is emptied is refused."""
    copy = tmp_path / "game"
    shutil.copytree(ROOT / "tests" / "conformance" / "rulesets" / "refill", copy)
    assert outcome(copy) == "compiled"
    for path in copy.glob("*.rule"):
        path.write_text("rulelang 2\n", encoding="utf-8")
    assert outcome(copy) == "refused"
