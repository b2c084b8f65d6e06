"""A number and its noun agree, with none, one and two of everything: templates, made text, what games say."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from rulelang.languages import codes, language
from rulelang.prose import RuleWriter
from tests.prose.sentences import HERE, is_read, load, read_sentences, said, writers
from tests.words.agreement import disagreements, templates
from tests.words.games import made, story, texts, walked

COUNTS = (0, 1, 2)
NEVER_ONE = {
    "en/words: times",  # once is a template of its own
    "en/lab: says_taken",  # a ratio, with a decimal
}


def test_what_is_found() -> None:
    """The checker sees what it is there for, and no more."""
    wrong = {
        "en": ["1 players", "2 player", "0 card", "1 further cards", "of 1 games", "1 steps."],
        "fr": ["1 joueurs", "0 points", "2 carte", "1 autres cartes"],
    }
    right = {"en": ["0 players", "1 card", "seat 1 steps on", "1 of 2 cards"], "fr": ["0 point", "2 cartes", "1 fois"]}
    for lang in wrong:
        assert [text for text in wrong[lang] if not disagreements(text, lang)] == []
        assert [text for text in right[lang] if disagreements(text, lang)] == []


@pytest.mark.parametrize("lang", codes())
def test_templates(lang: str) -> None:
    """Whatever number stands in any field."""
    wrong = {}
    for name, template in templates(lang).items():
        for count in COUNTS:
            fields = dict.fromkeys(re.findall(r"\{(\w+)", template), count)
            if (found := disagreements(language(lang).filled(template, **fields), lang)) and name not in NEVER_ONE:
                wrong[name] = found
    assert wrong == {}


SHOP = {
    "en": "card coin pawn square colour good well mill".split(),
    "fr": "carte pièce pion case couleur bien moulin".split(),
}


@pytest.fixture(scope="module")
def shop_writers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, RuleWriter]:
    folder = tmp_path_factory.mktemp("shop")
    shutil.copy(HERE / "shop.yaml", folder / "ruleset.yaml")
    return writers(load(folder))


@pytest.mark.parametrize("count", COUNTS)
def test_made_text(count: int, shop_writers: dict[str, RuleWriter]) -> None:
    """Of each sentence of the made text, with this number in the place of each."""
    wrong, read = [], 0
    for sentence in read_sentences():
        text = re.sub(r"(?<![\w.])\d+(?![\w.])", str(count), sentence.text)
        if sentence.sort == "file" or text == sentence.text or not is_read(replace(sentence, text=text)):
            continue
        read += 1
        for lang, writer in shop_writers.items():
            nouns = [(noun, noun + "s") for noun in SHOP[lang]]
            wrong += disagreements(said(writer, replace(sentence, text=text)), lang, nouns)
    assert wrong == []
    assert read > 100


GAME = """\
rulelang: 2
name: counts
players: 1..2
languages: [en, fr]
types: {Good: {values: [nut]}}
kinds: {Card: {attributes: {worth: 0..2}, start: deck}}
pieces: {Card: [{each: {worth: 0..2}, id: "c{worth}", count: 4}]}
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player}
  table: {holds: Card, per: player, visible: count}
variables: {coins: {type: 0..99, per: player}, shed: {type: bag of Good, per: player, start: 2 nut}}
rules: |
  setup: shuffle deck
  play:
    repeat 3 times:
      for p in players:
        turn of p:
          choose act:
            earn(n from 0 to 2) once per game: coins += n
            buy(n from 0 to 2) when coins >= n and count(hand) <= 1: draw n from deck to hand
            lay(cards = 0 to 2 of hand): move cards to table
            spend(n from 0 to 2) when can pay (n) nut from shed: pay (n) nut from shed
            trade_in(n from 1 to 2) twice: shed += (n) nut
            rest: pass
          gain(coins)
          let kept = choose up to 2 of hand
          move kept to table
  event gain(n: number): coins += n mod 3
  score coins: coins
  score nuts: shed.nut
words:
  en:
    Card: {one: card, many: cards}
    coins: {one: coin, many: coins}
    nut: {one: nut, many: nuts}
    earn: "earn {n:coins}"
  fr:
    Card: {one: carte, gender: f}
    coins: {one: pièce, many: pièces, gender: f}
    nut: {one: noix de cajou, many: noix de cajous, gender: f}
    earn: "gagner {n:coins}"
""".replace("trade_in(n from 1 to 2) twice", "trade_in(n from 1 to 2) 2 times per game")


def test_what_games_say(tmp_path: Path) -> None:
    """Options, prompts, refusals, the log, faces and scores of random games."""
    ruleset = made(tmp_path, GAME)
    wrong = []
    for seed in range(6):
        for state in walked(ruleset, 1 + seed % 2, seed):
            for lang in ("en", "fr"):
                said_now = [text for _, text in texts(state, lang)]
                if state.is_terminal():
                    said_now += [text for _, text in story(state, lang)]
                wrong += [(lang, text) for text in said_now if disagreements(text, lang)]
    assert wrong == []
