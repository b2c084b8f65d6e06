"""What a ruleset may say itself: sentences of its options, words at a value, exact names; what is missing is a lint."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import rulelang
from rulelang.diagnostics import Diagnostics, UsageError
from rulelang.prose.rules import rule_texts
from rulelang.ruleset.loader import load_ruleset
from rulelang.semantics.check import analyse, lint
from rulelang.words.lexicon import Lexicon
from tests.reference import YAML
from tests.words.games import made, story, texts, walked

SHOP = """
rulelang: 2
name: shop
players: 2
languages: [en, fr]
types: {Colour: [red, blue]}
kinds: {Gem: {attributes: {colour: Colour}, start: "tray[red]"}}
pieces: {Gem: [{id: ruby, colour: red, count: 2}]}
zones:
  tray: {holds: Gem, per: Colour}
  bag: {holds: Gem, per: player}
variables: {coins: {type: 0..9, per: player}}
rules: |
  play:
    for p in players:
      turn of p:
        act()
        other()
  rule act:
    choose:
      buy(gem in tray[red], n from 1 to 2):
        move gem to bag
        coins += n
      wait: pass
  rule other:
    choose:
      wait: pass
      work(n from 1 to 2): coins += n
    let kept = choose 1 or more of bag
    move kept to tray[blue]
"""


def lints(folder: Path, text: str) -> list[tuple[str, str]]:
    """Code and message of what the lints find about words."""
    (folder / "ruleset.yaml").write_text(text, encoding="utf-8")
    found = Diagnostics()
    ruleset = load_ruleset(folder, diagnostics=found)
    assert ruleset is not None
    analysed = analyse(ruleset, found)
    assert analysed is not None, [str(finding) for finding in found]
    lint(analysed, found)
    return [(finding.code, finding.message) for finding in found if finding.code.startswith("words")]


def said(folder: Path, words: str, lang: str = "en") -> set[str]:
    """All that random games of the shop say with these words."""
    ruleset = made(folder, f"{SHOP}words:\n{words}")
    found: set[str] = set()
    for seed in range(10):
        for state in walked(ruleset, 2, seed):
            found.update(text for _, text in texts(state, lang))
        found.update(text for _, text in story(state, lang))
    return found


def test_a_sentence_of_an_option(tmp_path: Path) -> None:
    """A sentence takes the place of the engine's words for an option, in the log too; its fields are the arguments."""
    found = said(tmp_path, '  en: {buy: "pay {n:coins} for {gem} {{at once}}", coins: {one: coin, many: coins}}')
    assert {"pay 1 coin for ruby {at once}", "pay 2 coins for ruby {at once}"} <= found
    assert "Seat 0: pay 2 coins for ruby {at once}." in found


def test_what_stands_after_a_number_has_its_plural(tmp_path: Path) -> None:
    """`{n} {colour}`: a value right after a number is as many as the number says."""
    item = "      dye(n from 1 to 2, colour in Colour): coins += n\n"
    words = 'words:\n  en: {dye: "mix {n} {colour}", red: {one: red pot, many: red pots}}'
    ruleset = made(tmp_path, SHOP.replace("      work(n", f"{item}      work(n") + words)
    found = {text for state in walked(ruleset, 2, 0) for _, text in texts(state, "en")}
    assert {"mix 1 red pot", "mix 2 red pots", "mix 2 blues"} <= found


def test_a_sentence_of_a_choice(tmp_path: Path) -> None:
    """What is chosen may have a noun for the question and a sentence for the answer."""
    found = said(tmp_path, '  en: {other.kept: {one: gems to give back, option: "give back {kept}"}, other: at last}')
    assert {"Seat 0, at last: choose gems to give back", "give back ruby", "Seat 1: give back ruby."} <= found


def test_exact_names_go_first(tmp_path: Path) -> None:
    """`RULE.ITEM` and `ZONE.VALUE` go before plain names; without a sentence arguments are named."""
    found = said(
        tmp_path,
        "  en: {wait: linger, act.wait: stay, tray.red: {one: jewel box}, Gem.ruby: red gem, act.buy.n: price}",
    )
    assert {"stay", "linger", "buy (gem red gem, price 2)"} <= found
    assert "A red gem goes from the jewel box to your bag." in found


def test_another_language_may_have_less(tmp_path: Path) -> None:
    """A language without its own sentence takes the first one's; with words of its own, the engine's sentence."""
    words = '  en: {buy: "get {gem} at {n}", work: "toil {n}"}\n  fr: {work: travailler, ruby: rubis}'
    found = said(tmp_path, words, "fr")
    assert {"get rubis at 1", "travailler 2"} <= found


def test_the_example_of_the_language_reference(tmp_path: Path) -> None:
    """What the page says of its example is what is said."""
    (example,) = (text for text in YAML if "\nname: worded\n" in text)
    ruleset = made(tmp_path, example)
    heard: dict[str, set[str]] = {"en": set(), "fr": set()}
    for lang, found in heard.items():
        for seed in range(10):
            for state in walked(ruleset, 2, seed):
                found.update(text for _, text in texts(state, lang))
            found.update(text for _, text in story(state, lang))
    assert {"lay red nut", "work for 1 coin", "work for 2 coins", "Your coins: 0 → 2."} <= heard["en"]
    assert {"poser noix rouge", "travailler pour 2 pièces", "Vos pièces\u00a0: 0 → 1."} <= heard["fr"]
    assert "Une noix verte va de votre main au tas vert." in heard["fr"]
    assert lints(tmp_path, example) == []


def test_prompts_and_refusals_name_arguments(tmp_path: Path) -> None:
    """What the page says of its second example; the rule's other words and languages say no more than its name."""
    (example,) = (text for text in YAML if "\nname: ordered\n" in text)
    state = made(tmp_path, example).new_game()
    asked = state.decision(0)
    assert asked is not None
    assert asked.question_in("en") == "Order your crane for 1 energy: choose what to do"
    assert asked.prompt_in("en") == "Seat 0, order seat 0's crane for 1 energy: choose what to do"
    state.apply("drive")
    assert asked.question_in("en") == "Order your crane for 1 energy: choose what to do"
    assert [one["missing"] for one in state.refusals(0)] == ["less than 1 energy left"]


REACTING = """
rulelang: 2
name: reacting
players: 2
kinds: {Card: {active: [hand], start: deck}}
pieces: {Card: [{id: strike}, {id: shield, count: 2, rules: "may instead of use(card, by, on) when by != owner: pass"}]}
zones: {deck: {holds: Card}, hand: {holds: Card, per: player, visible: owner}}
rules: |
  setup:
    for p in players: move random one of deck where it is shield to p.hand
  play:
    turn of seat(0):
      for card in deck where it is strike: use(card, you, next, count(hand where it is shield))
  event use(card: Card, by: player, on: player, n: number): pass
words: WORDS
"""


@pytest.mark.parametrize(
    ("words", "lang", "question", "option"),
    [
        ("{}", "en", "Use (card strike, by seat 0, on you)", "a shield reacts instead of use"),
        (
            "{en: {use: '{by} lays {card:the} on {on:the}'}, fr: {use: '{by} joue {card:the} contre {on:the}'}}",
            "fr",
            "Le joueur 0 joue le strike contre vous",
            "un shield remplace use",
        ),
        (
            "{en: {use: 'parry {card} of {by} with {react}'}}",
            "en",
            "Use (card strike, by seat 0, on you)",
            "parry strike of seat 0",
        ),
    ],
)
def test_a_reaction_says_to_what(tmp_path: Path, words: str, lang: str, question: str, option: str) -> None:
    """In the event's own sentence, else with its arguments; what the asked seat can't know is not told."""
    text = REACTING.replace("WORDS", words)
    state = made(tmp_path, text).new_game(2, 1)
    asked = state.decision(1)
    assert asked is not None
    assert asked.question_in(lang).startswith(question), asked.question_in(lang)
    assert asked.choices[0].text(lang).startswith(option)


def test_missing_words_are_one_lint_per_language(tmp_path: Path) -> None:
    """What people see and no one translated is listed, once, and nowhere else; English needs nothing."""
    ((code, message),) = lints(tmp_path, SHOP)
    assert code == "words-missing"
    assert message == (
        "17 names have no words in `fr`: `Gem`, `ruby`, `colour`, `tray`, `bag`, `coins`, `red`, `blue`, `Colour`, "
        "`act`, `buy`, `gem`, `n`, `wait`, `other`, `work`, `kept`"
    )
    assert lints(tmp_path, SHOP.replace("[en, fr]", "[fr, en]")) == [(code, message)]
    assert lints(tmp_path, SHOP.replace("[en, fr]", "[fr]")) == []
    unspoken = lints(tmp_path, SHOP.replace("[en, fr]", "[en, fr, xx]") + "words:\n  fr: {Gem: gemme}\n")
    assert {message.partition(":")[0] for _, message in unspoken} == {
        "there are no words in `xx`, neither here nor in the engine",
        "16 names have no words in `fr`",
    }
    half = lints(tmp_path, SHOP.replace("[en, fr]", "[en, xx]") + "words:\n  xx: {Gem: Stein}\n")
    assert {message.partition(":")[0] for _, message in half} == {
        "the engine has no sentences in `xx`",
        "16 names have no words in `xx`",
    }


def test_english_words_are_missing_where_the_first_language_has_some(tmp_path: Path) -> None:
    """Without an English word the French one would stand in English sentences; an identifier is English enough."""
    french, (code, message) = lints(tmp_path, SHOP.replace("[en, fr]", "[fr, en]") + "words:\n  fr: {Gem: gemme}\n")
    assert (code, message) == ("words-missing", "1 name has no words in `en`: `Gem`")
    assert french[1].startswith("16 names have no words in `fr`: `ruby`")


TOLD = """
rulelang: 2
name: told
players: 2
languages: [en, fr]
types: {Good: {attributes: {price: number}, values: {wood: {price: 2}, clay: {price: 3}}}}
variables:
  goods: {type: bag of Good, per: player}
  coins: {type: 0..20, per: player}
rules: |
  play:
    for p in players:
      turn of p:
        step harvest: gather(p)
        if rich(p): fair()
  rule gather(p: player): p.goods += (yield_of(p)) wood
  quantity yield_of(p: player) -> number = 2
  function rich(p: player) -> bool = p.coins > bar()
  function bar -> number = 3
  event fair:
    choose market:
      sell(good in Good) when goods[good] >= 1: coins += good.price
      wait: pass
"""


def test_what_rules_in_words_name_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a rule in words looks up by a name of the ruleset, and finds no words for, is named by the lint."""
    asked: set[str] = set()
    noun = Lexicon.noun

    def noted(own: Lexicon, *names: str) -> Any:
        if own.word(*names) is None:
            asked.add(names[-1])
        return noun(own, *names)

    monkeypatch.setattr(Lexicon, "noun", noted)
    rule_texts(made(tmp_path, TOLD).written, "fr")
    ((_, message),) = lints(tmp_path, TOLD)
    told = set(re.findall("`([^`]*)`", message))
    assert {"harvest", "gather", "yield_of", "rich", "bar", "fair", "price", "sell", "Good", "wood"} <= told
    assert {name for name in asked if name in TOLD} <= told | {"p", "good", "fr"}


def test_a_language_that_is_not_there(tmp_path: Path) -> None:
    """Asked for by a person it is refused with those there are; texts in it fall back."""
    ruleset = made(tmp_path, SHOP)
    assert (ruleset.language(), ruleset.language("fr")) == ("en", "fr")
    with pytest.raises(UsageError, match="shop has no words in `de`; it has `en` and `fr`"):
        ruleset.language("de")
    assert ruleset.new_game().legal_actions()[-1].text("de") == "wait"


def test_an_overlay_that_removes_a_name_is_not_asked_about_its_words(tmp_path: Path) -> None:
    """Words of the base for what a variant takes away are no fault of the variant."""
    made(tmp_path / "shop", f"{SHOP}words:\n  en: {{wait: linger, other.kept: gems}}\n")
    over = tmp_path / "over"
    over.mkdir()
    (over / "ruleset.yaml").write_text(
        "rulelang: 2\nextends: shop\nname: short\nrules: |\n  rule other: pass\n", encoding="utf-8"
    )
    assert rulelang.load(over).new_game().decision() is not None


@pytest.mark.parametrize("command", ["info", "play"])
def test_the_commands_refuse_a_language_that_is_not_there(tmp_path: Path, command: str) -> None:
    """Exit status 2 and the languages there are."""
    made(tmp_path / "shop", SHOP)
    done = subprocess.run(
        [sys.executable, "-m", "rulelang", command, str(tmp_path / "shop"), "--lang", "de"],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert (done.returncode, done.stderr) == (2, "rulelang: shop has no words in `de`; it has `en` and `fr`\n")


MARKET = """
rulelang: 2
name: market
players: 2
languages: [en, fr]
types: {Colour: [red, blue]}
kinds: {Card: {attributes: {colour: Colour, value: 1..9}, start: row}}
pieces:
  Card:
    - {id: c07, colour: red, value: 1, count: 2}
    - {id: c12, colour: blue, value: 3}
    - {id: joker0, colour: blue, value: 9, words: {fr: joker}}
zones:
  row: {holds: Card}
  hand: {holds: Card, per: player}
rules: |
  play:
    for p in players:
      turn of p: take_one()
  rule take_one:
    let card = choose one of row else return
    move card to hand
words:
"""


def test_a_kind_says_what_its_rows_are_called(tmp_path: Path) -> None:
    """Number and attributes fill the text; a row's own words go before it; the kind's forms give gender and plural."""
    words = """  en: {Card: {one: card, row: "card {number} ({colour})"}, Card.c12: the twelve}
  fr: {Card: {one: carte, gender: f, row: "carte {number} de valeur {value}"}, red: rouge}
"""
    ruleset = made(tmp_path, MARKET + words)
    state = ruleset.new_game(2)
    assert [action.text() for action in state.legal_actions()] == ["card 7 (red)", "the twelve", "card 0 (blue)"]
    french = ["carte 7 de valeur 1", "carte 12 de valeur 3", "joker"]
    assert [action.text("fr") for action in state.legal_actions()] == french
    lexicon = ruleset.words("fr").lexicon
    assert lexicon.the("c07", 2) == "les cartes 7 de valeur 1"
    assert lexicon.the("c12") == "la carte 12 de valeur 3"
    missing = lints(tmp_path, MARKET + words)[0][1]
    assert missing.startswith("8 names have no words in `fr`: `colour`, `value`, `row`, `hand`, `blue`, `Colour`"), (
        missing
    )


@pytest.mark.parametrize(
    ("red", "the", "several"),
    [
        ("{one: roi}", "le roi numéro 7", "les rois numéro 7"),
        ("{one: dame, gender: f}", "la dame numéro 7", "les dames numéro 7"),
        ("{one: as}", "l'as numéro 7", "les as numéro 7"),
        ("{one: vert, feminine: verte}", "la vert numéro 7", "les verts numéros 7"),
    ],
)
def test_the_first_noun_of_a_row_gives_its_gender(tmp_path: Path, red: str, the: str, several: str) -> None:
    """Where its text begins with an attribute that is that value's, not the kind's, but for an adjective."""
    row = f'{{Card: {{one: carte, gender: f, row: "{{colour}} numéro {{number}}"}}, red: {red}}}'
    lexicon = made(tmp_path, f"{MARKET}  en: {{Card: card}}\n  fr: {row}\n").words("fr").lexicon
    assert (lexicon.the("c07"), lexicon.the("c07", 2)) == (the, several)


def test_rows_in_a_language_without_words(tmp_path: Path) -> None:
    """A language that does not say what rows are called takes the first language's text."""
    ruleset = made(tmp_path, MARKET + '  en: {Card: {one: card, row: "{colour} {number}"}}\n  fr: {Card: carte}\n')
    texts = [action.text("fr") for action in ruleset.new_game(2).legal_actions()]
    assert texts == ["red 7", "blue 12", "joker"]
