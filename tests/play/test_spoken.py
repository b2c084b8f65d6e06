"""What is typed and told in each language: commands, languages of the environment, seeds, names, forms for numbers."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from string import Formatter

import pytest

from rulelang.cli.common import language_of
from rulelang.cli.play import commands, seats
from rulelang.cli.play.seats import NAMES, bot_called
from rulelang.diagnostics import UsageError
from rulelang.languages import codes, folded, language
from rulelang.session import Session
from rulelang.words.terminal import spoken
from tests.play import games

from .conftest import Play

BACKTICKED = re.compile(r"`([^`]+)`")


def test_every_command_has_names_of_its_own() -> None:
    """In each language a name means one command; the commands are the same, in the order of the help."""
    for lang, texts in spoken().items():
        names = texts.commands
        folded_names = [folded(name) for command in names.values() for name in command]
        assert list(names) == list(commands.COMMANDS)
        assert len(folded_names) == len(set(folded_names)), lang


def test_texts_name_commands_as_their_language_does() -> None:
    """What stands between backticks is a command of that language, its option, or one of the program's."""
    for lang, terminal in spoken().items():
        own = {names[0] for names in terminal.commands.values()}
        for name, text in language(lang).texts("terminal").items():
            for quoted in BACKTICKED.findall(text) if isinstance(text, str) else ():
                word = quoted.split()[0]
                assert word in own or word[:1] in "{-?" or word == "rulelang" or name == "so_far", (lang, name, quoted)


TYPED = [
    ("en", "score", "Points", "total"),
    ("en", "points", "", "total"),
    ("fr", "points", "", "total"),
    ("fr", "SCORES", "", "total"),
    ("fr", "regles", "", "Les points"),
    ("en", "aide", "", "goal, your turn"),
    ("fr", "help", "", "le but, votre tour"),
    ("fr", "citer 1", "", "act, stalls/ruleset.yaml"),
    ("en", "hlep", "", "Did you mean `help`?"),
    ("fr", "regels", "", "Vouliez-vous dire `règles` ?"),
    ("fr", "pourqoi 1", "", "Vouliez-vous dire `pourquoi` ?"),
    ("en", "xyzzy", "Did you mean", "No option has “xyzzy”"),
]
"""Language, what is typed, what is not answered, what is."""


@pytest.mark.parametrize(("lang", "typed", "absent", "said"), TYPED)
def test_what_is_typed_in_either_language(play: Play, lang: str, typed: str, absent: str, said: str) -> None:
    """Commands by their names in both languages, without accents or case; a slip is answered with what was meant."""
    out = play("play", "stalls", "--lang", lang, typed=[typed], width=200).out.replace("\u00a0", " ")
    answer = out.split("> ", 1)[1]
    assert said in answer
    assert not absent or absent not in answer


def test_a_name_of_another_language_is_words_where_options_have_it(play: Play) -> None:
    """`table` shows the table in French; in English it finds the options that have it."""
    text = games.STALLS.replace("rest: mark", "table: mark").replace("{en: Stalls, fr: Étals}", "Tables")
    games.written(Path("tables"), text)
    english = play("play", "tables", "--lang", "en", typed=["red", "table", "q"]).out
    assert "• You: table." in english
    french = play("play", "tables", "--lang", "fr", typed=["1", "table"]).out
    assert "• Vous : table." not in french.replace("\u00a0", " ")


ENVIRONMENTS = [
    ({"LANG": "fr_FR.UTF-8"}, "fr"),
    ({"LANG": "fr"}, "fr"),
    ({"LANG": "fr_CA@euro"}, "fr"),
    ({"LANG": "C"}, "en"),
    ({"LANG": "C.UTF-8"}, "en"),
    ({"LANG": "POSIX"}, "en"),
    ({"LANG": "xx_YY.UTF-8"}, "en"),
    ({"LANG": "de_DE.UTF-8"}, "en"),
    ({}, "en"),
    ({"LANG": "fr_FR.UTF-8", "LC_MESSAGES": "en_GB.UTF-8"}, "en"),
    ({"LANG": "en_GB.UTF-8", "LC_MESSAGES": "fr_BE.UTF-8"}, "fr"),
    ({"LC_MESSAGES": "fr_FR.UTF-8", "LC_ALL": "C"}, "en"),
    ({"LANG": "C", "LC_ALL": "fr_FR"}, "fr"),
    ({"LC_ALL": "", "LANG": "fr_FR"}, "fr"),
]
"""Variables of the environment, and the language of a game in English and French."""


@pytest.mark.parametrize(("environment", "lang"), ENVIRONMENTS)
def test_the_language_of_the_environment(
    environment: dict[str, str], lang: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """LC_ALL before LC_MESSAGES before LANG; a game that lacks the language has its first one; `--lang` is stronger."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    both = games.ruleset(tmp_path / "stalls", games.STALLS)
    assert language_of(both, None) == lang
    assert language_of(both, "fr") == "fr"
    alone = games.ruleset(tmp_path / "secrets", games.SECRETS)  # in English alone
    assert language_of(alone, None) == "en"
    with pytest.raises(UsageError):
        language_of(alone, "fr")


def test_seeds_differ_and_are_told(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each launch has its own, which plays the same game again; a script plays with 0."""
    drawn = iter([81723, 4])
    monkeypatch.setattr("secrets.randbelow", lambda below: next(drawn))
    told = []
    for seed in ((), (), ("--seed", "81723")):
        out = play("play", "secrets", "--bot", "random", *seed, typed=["spend", "throw"], seed=None, width=200).out
        told.append(out)
    assert "Seed 81723: `--seed 81723` plays it again." in told[0]
    assert "Seed 4: `--seed 4` plays it again." in told[1]
    assert told[0] == told[2]
    assert told[0] != told[1]
    Path("s.jsonl").write_text('{"seat": 0, "id": "spend"}', encoding="utf-8")
    assert "Seed 0:" in play("play", "secrets", "--bot", "random", "--script", "s.jsonl", seed=None).out


def test_seats_have_names(play: Play) -> None:
    """Chosen ones, else others; a save keeps them; a slip is told."""
    out = play("play", "secrets", "--seat", "1=human", "--seat", "0=human", "--name", "1=Zoé", typed=["spend"]).out
    assert "You, Ada" in out
    out = play("play", "secrets", "--name", "1=Ada", typed=["save g.save", "q"], width=120).out
    assert "secrets, 2 players · Ada: random moves" in out
    assert "Ada  hand" in play("play", "--load", "g.save", typed=["q"]).out
    assert play("play", "secrets", "--name", "Zoé").status == 2
    assert play("play", "secrets", "--name", "7=Zoé").status == 2
    assert len(set(NAMES)) == len(NAMES)


def test_bots_have_names_in_each_language() -> None:
    """`fort` is `strong`; what no bot is called is told."""
    for lang, texts in spoken().items():
        assert {bot_called(word) for word in texts.bots.values()} == set(texts.bots), lang
    assert bot_called("mcts:30") == "mcts:30"
    with pytest.raises(UsageError):
        bot_called("genius")


COUNTS = {"count", "players", "steps", "taken", "games", "deals", "found", "kept"}
"""Fields that count what stands after them."""


MANY = {"en": (True, False, True), "fr": (False, False, True)}
"""Language -> whether the plural stands after 0, 1 and 2."""


@pytest.mark.parametrize("room", ["terminal", "words", "lab", "web"])
def test_numbers_have_the_form_that_follows(room: str) -> None:
    """0, 1 and 2: English has one form for 1 alone, French for 0 and 1; a noun after a count has both."""
    for lang in codes():
        for name, text in language(lang).texts(room).items():
            parts = list(Formatter().parse(text)) if isinstance(text, str) else []
            for at, (_, field, spec, _) in enumerate(parts):
                if field not in COUNTS:
                    continue
                formed = "|" in (spec or "")
                after = parts[at + 1][0] if at + 1 < len(parts) else ""
                is_alone = not re.match(r"\s+\w+", after)
                inflected = any("|" in (s or "") for _, _, s, _ in parts)
                assert formed or inflected or is_alone or name in INVARIABLE, (room, lang, name, text)
                if formed and lang in MANY:
                    one, many = (spec or "").split("|")
                    said = [language(lang).filled(f"{{n:{spec}}}", n=n) for n in (0, 1, 2)]
                    assert said == [many if plural else one for plural in MANY[lang]]


INVARIABLE = {"any_of", "alike_of", "compared", "more_choices", "times"}
"""Texts in which what follows is no noun, or the same for one and for several."""


def test_native_code_for_bots_is_made_beside_the_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiler: None
) -> None:
    """By a process that leaves the library in the cache, where the bot finds it; for a random bot none is started."""
    commands_run: list[list[str]] = []

    class Process:
        """A process that has ended."""

        def __init__(self, command: list[str], **_: object) -> None:
            commands_run.append(command)

        def poll(self) -> int:
            return 0

    popen = subprocess.Popen
    monkeypatch.setattr("subprocess.Popen", Process)
    stalls = games.ruleset(tmp_path / "tables", games.STALLS)
    session = Session.new(stalls.new_game(3, 1), 1, {0: "human", 1: "random", 2: "random"})
    with seats.prepared(session) as preparing:
        assert not preparing()
    assert commands_run == []
    session = Session.new(stalls.new_game(3, 1), 1, {0: "human", 1: "random", 2: "mcts:4"})
    with seats.prepared(session) as preparing:
        assert not preparing()
    (command,) = commands_run
    monkeypatch.setattr("subprocess.Popen", popen)
    monkeypatch.setattr("sys.argv", ["-c", *command[3:]])
    exec(command[2], {})
    monkeypatch.setattr("rulelang.native.build.compiled", None)  # what is not cached would call it
    executor, _ = session.state.engine
    assert executor.search_library_or_none() is not None
    monkeypatch.setattr("rulelang.cli.play.seats.has_compiler", lambda: False)
    assert seats.default_bot() == "random"


CITED = {"why": "why 1", "hint": "hint 20", "card": "card ruby", "rules": "rules act", "log": "log", "scores": "scores"}
"""A command of each sort that tells what has a place in the rules."""


@pytest.mark.parametrize("lang", ["en", "fr"])
@pytest.mark.parametrize("command", commands.CITING)
def test_places_are_told_on_demand_alone(play: Play, lang: str, command: str) -> None:
    """No file, citation or id of an action without `cite`; with it they are there."""
    name, _, rest = CITED[command].partition(" ")
    typed = f"{spoken()[lang].commands[name][0]} {rest}"
    cite = spoken()[lang].commands["cite"][0]
    out = play("play", "stalls", "--lang", lang, typed=["red", typed, f"{cite} {typed}"], width=200).out
    plain, cited = (part.split("\n", 1)[1] for part in re.split(r"> (?=\w)", out)[2:4])
    for place in ("stalls/ruleset.yaml", "ruleset.yaml:", "leaflet-en:", "card=", "colour="):
        assert place not in plain, plain
    assert "ruleset.yaml:" in cited
