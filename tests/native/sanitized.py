"""Native code as a program that watches itself: every access outside of memory's bounds and every undefined operation
ends it with a report.

Enters: native code, states. Leaves: what came of games from them. A library made so can't be loaded by a Python
that was not, hence a program: the C text and a `main` that reads states and plays.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from rulelang.cache import CacheFolder, digest_of
from rulelang.diagnostics import RuleError
from rulelang.execution.executor import Executor
from rulelang.native import NativeCode
from rulelang.native.build import without_places
from rulelang.native.machine import STEPS
from rulelang.native.rows import outcome_of
from rulelang.runtime.outcome import Outcome, returns
from rulelang.runtime.rng import seeded
from rulelang.runtime.state import State
from tests import soak

WATCHED = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
FLAGS = ("-O0", "-std=gnu11", "-w", "-DKEPT=static inline UNUSED", *WATCHED)
"""Without optimising: nothing is left out that could go wrong, and it takes a third of the time to compile."""
QUICK, TOLD = ("-fsanitize-undefined-trap-on-error",), ("-g1",)
"""An undefined operation only ends the program, compiled in two thirds of the time; with `--soak` it is told where."""
PROGRAMS = CacheFolder("watched", ".run", 300)
"""What was made of a text is kept for later runs: it takes a second each, five times as long as a library."""
PATIENCE = 300
MASK = (1 << 64) - 1

MAIN = r"""
#include <stdio.h>

static void watched_read(void *place, size_t bytes, FILE *file) {
    if (fread(place, 1, bytes, file) != bytes) exit(3);
}

/* Jobs follow each other: size of a state, words of frames, a seed, games; the state, the frames, the generator's
   states. A line of numbers is told of each game. */
int main(int count, char **names) {
    FILE *file = count == 2 ? fopen(names[1], "rb") : NULL;
    if (file == NULL) return 2;
    Machine *machine = rulelang_new();
    U head[4];
    while (fread(head, sizeof(U), 4, file) == 4) {
        if (head[0] != sizeof(State)) return 4;
        State *start = malloc(sizeof(State)), *copy = malloc(sizeof(State));
        watched_read(start, sizeof(State), file);
        W *frames = malloc(head[1] * sizeof(W));
        watched_read(frames, head[1] * sizeof(W), file);
        U *rngs = malloc(head[3] * sizeof(U));
        watched_read(rngs, head[3] * sizeof(U), file);
        W *rows = malloc(head[3] * ROW * sizeof(W)), *again = malloc(ROW * sizeof(W));
        rulelang_rows(machine, start, frames, rngs, (W)head[3], rows);
        for (U i = 0; i < head[3]; i++) {
            memcpy(copy, start, sizeof(State));
            copy->rng = rngs[i];
            rulelang_play(machine, copy, frames, again);
            const W *row = rows + i * ROW;
            if (row[ROW_STATUS] != again[ROW_STATUS]) return 5;
            if (row[ROW_STATUS] == OVER && (row[ROW_RNG] != again[ROW_RNG] || (U)row[ROW_RNG] != copy->rng)) return 6;
            const int told = row[ROW_STATUS] == OVER ? ROW : 1;
            for (int k = 0; k < told; k++) printf("%lld ", (long long)row[k]);
            printf("\n");
        }
        W sums[4 + 4 * 64] = {0};
        rulelang_tally(machine, start, frames, head[2], 0, (W)head[3], PARTIES < 64 ? PARTIES : 0, 1, sums);
        free(start), free(copy), free(frames), free(rngs), free(rows), free(again);
    }
    rulelang_free(machine);
    return fclose(file) ? 7 : 0;
}
"""

STEPPING = r"""
#include <stdio.h>

/* The size of a state, words of frames, a seed, games; the state, the frames. Options and outcomes are chosen at
   random; of seats that are asked at once the last one chooses first. A line for each game: how it ended. */
int main(int count, char **names) {
    FILE *file = count == 2 ? fopen(names[1], "rb") : NULL;
    U head[4];
    if (file == NULL || fread(head, sizeof(U), 4, file) != 4 || head[0] != sizeof(State)) return 2;
    State *start = malloc(sizeof(State) + (TOLD + head[1]) * sizeof(W));
    W *words = (W *)(void *)(start + 1);
    if (fread(start, sizeof(State), 1, file) != 1 || fread(words + TOLD, sizeof(W), head[1], file) != head[1]) return 3;
    words[TOLD_NODE] = words[TOLD_SEATS] = words[TOLD_OPTIONS] = 0;
    words[TOLD_LISTED] = -1;
    words[TOLD_FRAMES] = TOLD;
    words[TOLD_WORDS] = TOLD + (W)head[1];
    Machine *machine = rulelang_new();
    G *const g = &machine->game;
    U random = head[2];
    for (U i = 0; i < head[3]; i++) {
        const size_t size = sizeof(State) + (size_t)words[TOLD_WORDS] * sizeof(W);
        State *block = malloc(size);
        memcpy(block, start, size);
        block->rng = random;
        ((W *)(void *)(block + 1))[TOLD_FLAGS] = i & 1 ? EXPLICIT : 0;
        const char *end = NULL;
        W steps = 0, choice = -1, chooser = -1;
        while (end == NULL) {
            stepped(machine, block, choice, chooser, NULL);
            if (g->status == FAILED) end = "failed";
            else if (g->status == OVER) end = "over";
            if (end != NULL) break;
            free(block);
            block = malloc(sizeof(State) + (size_t)words_told(&g->step) * sizeof(W));
            tell(g, i & 1 ? EXPLICIT : 0, 0, block);
            const W *const told = told_of(block);
            const bool asked = told[TOLD_NODE] & 1;
            if (asked) {
                chooser = 63 - __builtin_clzll((U)told[TOLD_SEATS]);
                stepped(machine, block, LIST_AGAIN, chooser, NULL);
                if (g->status != RUNNING || memcmp(block, &g->s, sizeof(State))) return 6;
            }
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            choice = (W)((random >> 33) % (U)g->step.options);
            if (asked) {
                steps++;
                continue;
            }
            const W outcomes = choice;
            choice = 0;
            for (W k = 0; k < outcomes; k++) choice += told[TOLD + 2 * k];
        }
        if (end[0] == 'o' && g->s.decisions != steps) return 4;
        printf("%s\n", end);
        free(block);
    }
    rulelang_free(machine);
    free(start);
    return fclose(file) ? 5 : 0;
}
"""


@cache
def watching_compiler() -> str | None:
    """A compiler whose programs watch themselves, and run here."""
    import tempfile

    for name in ("gcc", "cc", "clang"):
        command = shutil.which(name)
        if command is None:
            continue
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "trial.c").write_text("int main(void) { return 0; }")
            made = subprocess.run([command, *FLAGS, "-o", "trial", "trial.c"], cwd=folder, capture_output=True)
            if made.returncode == 0 and subprocess.run([f"{folder}/trial"], capture_output=True).returncode == 0:
                return command
    return None


@cache
def _version(command: str) -> str:
    return subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout


def made_to_watch(text: str, folder: Path) -> None:
    """Makes the program of a C text in a folder."""
    command = watching_compiler()
    if command is None:
        pytest.skip("there is no C compiler whose programs watch themselves")
    flags = (*FLAGS, *(QUICK if soak.FACTOR == 1 else TOLD))
    key, program = digest_of(_version(command), *flags, without_places(text)), folder / "watched"
    if (known := PROGRAMS.load(key)) is not None:
        program.write_bytes(known)
        program.chmod(0o700)
        return
    (folder / "watched.c").write_text(text, encoding="utf-8")
    made = subprocess.run([command, *flags, "-o", "watched", "watched.c"], cwd=folder, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr[:3000]
    PROGRAMS.save(key, program.read_bytes())


def watched_run(folder: Path) -> list[str]:
    """What the program in a folder tells of the folder's jobs; an assertion fails when it reports anything."""
    env = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "print_stacktrace=1"}
    command = [str(folder / "watched"), "jobs"]
    found = subprocess.run(command, cwd=folder, capture_output=True, env=env, timeout=PATIENCE)
    said = found.stderr.decode(errors="replace")
    assert (found.returncode, said) == (0, ""), said[:4000]
    return found.stdout.decode().splitlines()


def watched_steps(native: NativeCode, state: State, games: int, folder: Path, ends: set[str]) -> None:
    """Random games step by step from a state, every other one with explicit chance; they end in these ways."""
    text, flat, forms = native.written(STEPS)
    made_to_watch(text + STEPPING, folder)
    block, frames = bytes(flat.packed(state)), forms.written(state.frames)
    head = (len(block), len(frames) // 8, 7, games)
    (folder / "jobs").write_bytes(bytes((ctypes.c_uint64 * 4)(*head)) + block + frames)
    told = watched_run(folder)
    assert len(told) == games
    assert set(told) == ends


class Watched:
    """The program of a layout."""

    def __init__(self, native: NativeCode, folder: Path) -> None:
        self.native, self.folder = native, folder
        made_to_watch(native.c + MAIN, folder)

    def play(self, jobs: Sequence[tuple[State, Sequence[int]]]) -> list[list[Outcome | None]]:
        """What came of games from states, for each state of the generator: None where native code gave up.

        An assertion fails when the program reports anything.
        """
        with open(self.folder / "jobs", "wb") as file:
            for state, rngs in jobs:
                start = self.native.frames_of(state) or ()
                block, frames = self.native.flat.packed(state), self.native.forms.written(start)
                head = (len(bytes(block)), len(frames) // 8, sum(rngs) & MASK, len(rngs))
                file.write(bytes((ctypes.c_uint64 * 4)(*head)) + bytes(block) + frames)
                file.write(bytes((ctypes.c_uint64 * len(rngs))(*rngs)))
        rows = [[int(word) for word in line.split()] for line in watched_run(self.folder)]
        outcomes = [outcome_of(self.native.layout, row) for row in rows]
        assert len(outcomes) == sum(len(rngs) for _, rngs in jobs)
        ends = [sum(len(rngs) for _, rngs in jobs[: place + 1]) for place in range(len(jobs))]
        return [outcomes[end - len(rngs) : end] for end, (_, rngs) in zip(ends, jobs, strict=True)]


def outcome(executor: Executor, state: State, rng: int) -> Outcome | str:
    """What comes of playing on from a state, or what is wrong with a rule; the state stays as it is."""
    state = state.clone()
    state.logging = False
    state.rng = rng
    try:
        executor.random_playout(state)
        return Outcome(executor.game(state), returns(executor.interpreter, state))
    except RuleError as error:
        return str(error)


def generators(count: int, first: int = 0) -> list[int]:
    """States of the generator."""
    return [seeded(first + number) for number in range(count)]
