"""Benchmarks as ratios within one run: the engine against hand-written code, commands against an empty interpreter.

Run `python benchmarks/run.py`, or parts of it: `python benchmarks/run.py races memory`. Every figure is the median of
several rounds; in each round the two sides of a ratio take turns, so that a busy machine slows both. Races and
compiling are told in time of the processor, all else in time that passes. Every round of a race plays games that were
not played before, after a round to warm up: what a backend remembers of games is of use only as far as games are alike.
Only peak memory is measured once. All of it takes some five minutes on two idle cores, most of them for `processes`.

Another backend is another entry of `contestants` and another line of `RACES`.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

import rulelang
from benchmarks import folder_of
from benchmarks.handwritten import native, reco
from benchmarks.handwritten.repeated import repeated
from rulelang.diagnostics import Diagnostics
from rulelang.execution.choice import BACKENDS
from rulelang.native.compilers import DEFAULT
from rulelang.ruleset.loader import load_ruleset
from rulelang.semantics.check import analyse, lint
from rulelang.simulate import play_game, share_unit

TOOL = str(Path(sys.executable).parent / "rulelang")
SMALL = Path(__file__).parents[1] / "tests/conformance/rulesets/kuhn"
RECO = Path(__file__).parents[1] / "rulesets/reco"
GAMES_OF_C = 100
"""Games of native code or the C program in about the time of one in Python."""

CLONES = 20_000
STEPPED = (
    ("reco", 4, 2_000),
    ("ldd", 2, 500),
    ("imaginarium", 4, 1_000),
    *(
        (str(folder_of(name)), players, 2_000)
        for name, players in (("tic_tac_toe", 2), ("connect_four", 2), ("hearts", 4))
    ),
)
"""Rulesets with players, and the decisions that are made in single steps."""
MIDDLE = 60
"""Decisions before the state that is cloned; a game of R-ECO takes about 160."""


class Row(NamedTuple):
    """A line of the table.

    Attributes:
        what: is measured. wanted: the target, if there is one.
    """

    what: str
    value: str
    wanted: str = ""


class Settings(NamedTuple):
    """The extent of the measurements.

    Attributes:
        games: of the hand-written Python in a round. many: games for processes and memory. program: the compiled
            hand-written C, None without a compiler.
    """

    rounds: int
    games: int
    many: int
    program: Path | None


# ---- races --------------------------------------------------------------------------------------------------


class Played(NamedTuple):
    """The work of a contestant in a round."""

    games: int
    decisions: int
    seconds: float


class Race(NamedTuple):
    """A ratio of the speeds of two contestants.

    Attributes:
        per: `games` or `decisions`. wanted: the target.
    """

    what: str
    one: str
    other: str
    per: str
    wanted: str


RACES = (
    Race(
        "R-ECO 4 players, interpreter, games per second against hand-written Python",
        "reco interpreter",
        "reco Python",
        "games",
        "at least 0.15",
    ),
    Race(
        "R-ECO 4 players, native, games per second against hand-written Python",
        "reco native",
        "reco Python",
        "games",
        "at least 100",
    ),
    Race(
        "R-ECO 4 players, native, games per second against hand-written C",
        "reco native",
        "reco C",
        "games",
        "at least 0.7",
    ),
    Race(
        "R-ECO 4 players, hand-written C, games per second against hand-written Python",
        "reco C",
        "reco Python",
        "games",
        "",
    ),
    Race(
        "LDD 2 players, native, games per second against the interpreter",
        "ldd native",
        "ldd interpreter",
        "games",
        "",
    ),
    Race(
        "LDD 2 players, interpreter, decisions per second against hand-written Python R-ECO",
        "ldd interpreter",
        "reco Python",
        "decisions",
        "",
    ),
    Race(
        "LDD 2 players, native, decisions per second against hand-written Python R-ECO",
        "ldd native",
        "reco Python",
        "decisions",
        "at least 40",
    ),
    Race(
        "Imaginarium 4 players, native, decisions per second against hand-written Python R-ECO",
        "imaginarium native",
        "reco Python",
        "decisions",
        "at least 40",
    ),
)


def spent() -> float:
    """Return the processor time in seconds of this process and its finished children."""
    if sys.platform == "win32":
        return time.perf_counter()
    import resource

    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def new_seeds(games: int) -> Callable[[], range]:
    """Return a function that gives new seeds for so many games at each call."""
    starts = count(0, games)
    return lambda: range(start := next(starts), start + games)


def by_hand(games: int) -> Callable[[], Played]:
    """Return a contestant: R-ECO in Python."""
    seeds = new_seeds(games)

    def play() -> Played:
        """Play a round."""
        playing, start = seeds(), spent()
        decisions = sum(reco.play(4, seed).decisions for seed in playing)
        return Played(games, decisions, spent() - start)

    return play


def by_hand_in_c(program: Path, games: int) -> Callable[[], Played]:
    """Return a contestant: R-ECO in C, in a process of its own, whose start of about a millisecond counts."""
    numbers = new_seeds(games)

    def play() -> Played:
        """Play a round."""
        playing, start = numbers(), spent()
        result = native.play(program, games, first=playing.start)
        return Played(games, result.sums["decisions"], spent() - start)

    return play


def by_engine(ruleset: str, players: int, backend: str, games: int) -> Callable[[], Played]:
    """Return a contestant: games of a ruleset on a backend."""
    executor = rulelang.load(ruleset).executor(players, backend=backend)
    seeds = new_seeds(games)

    def play() -> Played:
        """Play a round."""
        playing, start = seeds(), spent()
        decisions = sum(play_game(executor, seed).decisions for seed in playing)
        return Played(games, decisions, spent() - start)

    return play


def in_bulk(ruleset: str, players: int, games: int) -> Callable[[], Played]:
    """Return a contestant: games of a ruleset in native code, summed up there, as `rulelang simulate` plays them."""
    executor = rulelang.load(ruleset).executor(players, backend="native")
    executor.prepare()
    unit = share_unit(executor.layout.parties)
    numbers = new_seeds(games)

    def play() -> Played:
        """Play a round.

        Raises:
            RuntimeError: native code can't play a game.
        """
        playing, start = numbers(), spent()
        played, sums = executor.tally(0, playing, unit)
        seconds = spent() - start
        if played < games:
            raise RuntimeError(f"game {playing[played]} of {ruleset} is not for native code")
        return Played(games, sums[0], seconds)

    return play


def contestants(settings: Settings) -> Mapping[str, Callable[[], Played]]:
    """Return the contestants that can play on this machine; all take about as long."""
    playing = {
        "reco Python": by_hand(settings.games),
        "reco interpreter": by_engine("reco", 4, "interpreter", max(1, settings.games // 5)),
        "ldd interpreter": by_engine("ldd", 2, "interpreter", max(1, settings.games // 50)),
    }
    if settings.program is not None:
        playing["reco C"] = by_hand_in_c(settings.program, GAMES_OF_C * settings.games)
        playing["reco native"] = in_bulk("reco", 4, GAMES_OF_C * settings.games)
        playing["ldd native"] = in_bulk("ldd", 2, GAMES_OF_C * settings.games // 10)
        playing["imaginarium native"] = in_bulk("imaginarium", 4, GAMES_OF_C * settings.games // 75)
    return playing


def races(settings: Settings) -> Iterator[Row]:
    """Measure the speed of random games: all contestants play in every round, after a warm-up."""
    playing = contestants(settings)
    rounds = [{name: play() for name, play in playing.items()} for _ in range(settings.rounds + 1)][1:]
    for race in RACES:
        if race.one in playing and race.other in playing:
            ratios = [speed(played[race.one], race.per) / speed(played[race.other], race.per) for played in rounds]
            yield Row(race.what, f"{statistics.median(ratios):.2f} x", race.wanted)


def speed(played: Played, per: str) -> float:
    """Return games or decisions per second."""
    return (played.games if per == "games" else played.decisions) / played.seconds


# ---- the rest of the table -----------------------------------------------------------------------------------


def timed(work: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """Return the seconds that the work takes."""
    start = clock()
    work()
    return clock() - start


def ratio(one: Callable[[], object], other: Callable[[], object], rounds: int) -> float:
    """Return the median ratio of the times of two works, which alternate, after a warm-up."""
    one(), other()
    return statistics.median(timed(one) / timed(other) for _ in range(rounds))


def processes(settings: Settings) -> Iterator[Row]:
    """Measure the gain by a second process, with the start of both."""
    program, games = settings.program, settings.many
    if program is None:
        return
    simulate = (TOOL, "simulate", "reco", "--players", "4", "--backend", "native", "--games")
    command(*simulate, "1")()  # the first run compiles
    works: tuple[Callable[[], object], ...] = (
        *(partial(native.play_side_by_side, program, games, jobs) for jobs in (1, 2)),
        *(command(*simulate, str(games), "--jobs", str(jobs)) for jobs in (1, 2)),
    )
    rounds = [[timed(work) for work in works] for _ in range(settings.rounds)]
    gains = [(c1 / c2, one / two) for c1, c2, one, two in rounds]
    yield Row(
        f"{games:,} R-ECO games, two processes of hand-written C against one",
        f"{statistics.median(by_hand for by_hand, _ in gains):.2f} x",
    )
    yield Row(
        f"{games:,} R-ECO games, native, --jobs 2 against --jobs 1, as a share of that",
        f"{statistics.median(ours / by_hand for by_hand, ours in gains):.2f} x",
        "at least 0.9",
    )


COMPILE = """
import sys, rulelang
sys.path.insert(0, sys.argv[3])
from benchmarks.run import spent
ruleset = rulelang.load(sys.argv[1])
ruleset.program
start = spent()
executor = ruleset.executor(int(sys.argv[2]), backend="native")
executor.prepare()
print(spent() - start, executor.native.c.count("\\n"))
"""
"""From a compiled program to a loaded library: what it took, and the lines of C."""


def compiling(settings: Settings) -> Iterator[Row]:
    """Measure the time to build a library: with an empty cache (finding and trying the compiler included), with a full
    one, and the compiler's time for as many lines of C written by hand."""
    if settings.program is None:
        return
    for name, players in (("reco", 4), ("ldd", 2)):
        with TemporaryDirectory() as folder:
            cold, cached, by_hand = [], [], []
            for number in range(settings.rounds):
                cache = f"{folder}/{number}"
                seconds, lines = build_time(name, players, cache)
                cold.append(seconds)
                cached.append(build_time(name, players, cache)[0])
                by_hand.append(timed(by_compiler(int(lines), folder), spent) * lines / repeated(int(lines)).count("\n"))
        what = f"{name.upper().replace('RECO', 'R-ECO')} {players} players, C of {int(lines):,} lines"
        factor = statistics.median(a / b for a, b in zip(cold, by_hand, strict=True))
        yield Row(f"{what}, made and compiled, against as many by hand", f"{factor:.2f} x", "at most 1.5")
        yield Row("  in seconds of the processor", f"{statistics.median(cold):.2f} s")
        factor = statistics.median(a / b for a, b in zip(cached, cold, strict=True))
        yield Row("  from the cache against that", f"{factor:.3f} x")


def build_time(name: str, players: int, cache: str) -> tuple[float, float]:
    """Return the seconds that another process takes to build a library with this cache folder, and the lines of C."""
    words = [sys.executable, "-c", COMPILE, name, str(players), str(Path(__file__).parents[1])]
    environment = {**os.environ, "RULELANG_CACHE": cache}
    said = subprocess.run(words, check=True, capture_output=True, text=True, env=environment).stdout.split()
    return float(said[0]), float(said[1])


def by_compiler(lines: int, folder: str) -> Callable[[], object]:
    """Return the compilation of about so many lines of hand-written C, with the flags of generated C."""
    source = Path(folder) / "by_hand.c"
    source.write_text(repeated(lines), encoding="utf-8")
    return command(native.compiler(), *DEFAULT, "-o", f"{folder}/by_hand.so", str(source))


def clones(settings: Settings) -> Iterator[Row]:
    """Measure how fast a state in the middle of a game is cloned through the public API."""
    states = {}
    for backend in BACKENDS[1:]:
        if backend == "native" and settings.program is None:
            continue
        state = states[backend] = rulelang.load("reco").new_game(players=4, seed=1, backend=backend)
        while state.decisions < MIDDLE and not state.is_terminal():
            state.apply(state.legal_actions()[0])
    rounds = [{name: timed(partial(clone, state)) for name, state in states.items()} for _ in range(settings.rounds)]
    for name in states:
        seconds = statistics.median(round_[name] for round_ in rounds)
        yield Row(f"R-ECO 4 players, {name}, states cloned per second", f"{CLONES / seconds:,.0f} /s")


def steps(settings: Settings) -> Iterator[Row]:
    """Measure how fast random games are played step by step through the public API: all options listed, one taken."""
    backends = BACKENDS[1:] if settings.program is not None else BACKENDS[1:2]
    for name, players, decisions in STEPPED:
        play = partial(stepped, rulelang.load(name), players, decisions)
        rounds = [
            {backend: timed(partial(play, backend, number), spent) for backend in backends}
            for number in range(settings.rounds + 1)
        ]
        for backend in backends:
            times_taken = [round_[backend] for round_ in rounds[1:]]
            times = statistics.median(round_["interpreter"] / round_[backend] for round_ in rounds[1:])
            what = f"{Path(name).name}, {players} players, {backend}, steps per second; against the interpreter"
            yield Row(what, f"{decisions / statistics.median(times_taken):,.0f} /s", f"{times:.1f} x")


def stepped(ruleset: rulelang.Ruleset, players: int, decisions: int, backend: str, seed: int) -> None:
    """Make so many decisions of random games."""
    picker = random.Random(seed)
    while decisions > 0:
        state = ruleset.new_game(players, picker.randrange(1 << 30), backend=backend)
        while decisions > 0 and not state.is_terminal():
            state.apply(picker.choice(state.legal_actions()))
            decisions -= 1


def clone(state: rulelang.State) -> None:
    """Clone a state CLONES times."""
    for _ in range(CLONES):
        state.clone()


def starts(settings: Settings) -> Iterator[Row]:
    """Measure how long commands take to start, against an empty interpreter."""
    empty = command(sys.executable, "-c", "pass")
    for words, wanted in (
        ("--help", "at most 6"),
        ("check reco", "at most 30"),
        ("simulate reco --games 1", ""),
        ("simulate reco --games 1 --backend native", ""),
        ("simulate ldd --games 1 --backend native", ""),
    ):
        if "native" in words and settings.program is None:
            continue
        run = ratio(command(TOOL, *words.split()), empty, settings.rounds)
        yield Row(f"rulelang {words} against python -c pass", f"{run:.1f} x", wanted)


def checks(settings: Settings) -> Iterator[Row]:
    """Measure the time of checks against that of reading a ruleset's files, and of lints against checks."""
    reading: list[float] = []
    checking: list[float] = []
    linting: list[float] = []
    for _ in range(settings.rounds + 1):
        diagnostics = Diagnostics()
        times = [time.process_time()]
        ruleset = load_ruleset(RECO, diagnostics=diagnostics)
        times.append(time.process_time())
        analysed = analyse(ruleset, diagnostics) if ruleset else None
        times.append(time.process_time())
        if analysed is None:
            raise AssertionError(diagnostics)
        lint(analysed, diagnostics)
        times.append(time.process_time())
        for phase, start, end in zip((reading, checking, linting), times, times[1:], strict=False):
            phase.append(end - start)
    read, check, lints = (statistics.median(phase[1:]) for phase in (reading, checking, linting))
    yield Row("checks of R-ECO against reading its files", f"{check / read:.2f} x", "at most 4")
    yield Row("lints of R-ECO against its checks", f"{lints / check:.2f} x", "at most 0.1")


def command(*words: str) -> Callable[[], object]:
    """Return a function that runs a command to its end, without its output."""
    return lambda: subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def memory(settings: Settings) -> Iterator[Row]:
    """Measure the peak memory of a hundred times as many games, and of many small ones written to a file."""
    if sys.platform == "win32":
        return  # no getrusage there
    few, many = settings.many // 100, settings.many
    simulate = (TOOL, "simulate", "reco", "--players", "4")
    if settings.program is None:
        few, many = few // 10, many // 100
    peak_memory(*simulate, "--games", str(few))  # the first run compiles
    peaks = [peak_memory(*simulate, "--games", str(games)) for games in (many, few)]
    what = f"peak memory of rulelang simulate reco, {many:,} games against {few:,}"
    yield Row(what, f"{peaks[0] / peaks[1]:.2f} x", "at most 1.1")
    few, many = settings.many // 1000, settings.many // 50
    with TemporaryDirectory() as folder:
        small = (TOOL, "simulate", str(SMALL), "--jobs", "2")
        peak_memory(*small, "--games", "2")
        peaks = [
            peak_memory(*small, "--games", str(games), "--out", f"{folder}/{games}.jsonl") for games in (many, few)
        ]
    yield Row(
        f"the same of {SMALL.name} with --jobs 2 --out, {many:,} games against {few:,}",
        f"{peaks[0] / peaks[1]:.2f} x",
        "at most 1.1",
    )


MEASURE = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def peak_memory(*words: str) -> int:
    """Return the peak memory of a command, in the system's unit.

    An empty interpreter starts the command: the peak of a process is never below that of the one that starts it.
    """
    done = subprocess.run([sys.executable, "-S", "-c", MEASURE, *words], check=True, capture_output=True, text=True)
    return int(done.stdout)


PARTS: Mapping[str, Callable[[Settings], Iterator[Row]]] = {
    "races": races,
    "compile": compiling,
    "processes": processes,
    "steps": steps,
    "clones": clones,
    "starts": starts,
    "checks": checks,
    "memory": memory,
}


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; all of them if left out")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--games", type=int, default=400, help="games of the hand-written Python in a round")
    parser.add_argument("--many", type=int, default=1_000_000, help="games that processes and memory are measured with")
    args = parser.parse_args()
    if unknown := [part for part in args.parts if part not in PARTS]:
        parser.error(f"no such part: {', '.join(unknown)}")
    with ExitStack() as stack:
        try:
            program = stack.enter_context(native.built())
        except native.NoCompilerError as error:
            say(f"hand-written C is left out: {error}")
            program = None
        settings = Settings(args.rounds, args.games, args.many, program)
        for part in args.parts or PARTS:
            for row in PARTS[part](settings):
                say(f"{row.what:<84} {row.value:>12}   {row.wanted}".rstrip())


def say(line: str) -> None:
    """Print a line at once."""
    print(line, flush=True)  # noqa: T201 - a table for people


if __name__ == "__main__":
    main()
