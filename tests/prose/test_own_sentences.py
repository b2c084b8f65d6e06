"""Sentences that a ruleset has for its rules: they are used, agree with who does it, and are checked."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulelang.diagnostics import Diagnostics
from rulelang.prose import Faces
from rulelang.semantics.check import analyse
from tests.prose.sentences import load

RULESET = """rulelang: 2
name: takings
players: 2
languages: [en, fr]
kinds: {{Card: {{active: [tableau], start: deck}}}}
pieces:
  Card:
    - id: thief
      rules: |
        {rules}
zones: {{deck: {{holds: Card}}, tableau: {{holds: Card, per: player}}}}
variables: {{coins: {{type: 0..99, per: player}}}}
words:
  en:
    coins: {{one: coin, many: coins}}
    take: "{english}"
  fr:
    Card: {{one: carte, gender: f}}
    coins: {{one: pièce, many: pièces, gender: f}}
    take: "{french}"
rules: |
  play: take(seat(0), seat(1), 1)
  event take(who: player, from_whom: player, n: number):
    who.coins += n
    from_whom.coins -= n
  ability use(card: Card): pass
"""
ENGLISH, FRENCH = "{who} takes {n:coins} from {from_whom}", "{who} prend {n:coins} chez {from_whom}"


def write(folder: Path, rules: str, english: str = ENGLISH, french: str = FRENCH) -> Path:
    text = RULESET.format(rules=rules, english=english, french=french)
    (folder / "ruleset.yaml").write_text(text, encoding="utf-8")
    return folder


def effects(folder: Path) -> list[str]:
    """The first card's rules in both languages."""
    ruleset = load(folder)
    return [Faces(ruleset, lang).all()[0].effects[0].replace("\u00a0", " ") for lang in ("en", "fr")]


@pytest.mark.parametrize(
    ("rules", "english", "french"),
    [
        (
            "after take(owner, b, n): owner.coins += n",
            "After you take n coins from a player: gain n coins.",
            "Quand vous prenez n pièces chez un joueur, ensuite : gagnez n pièces.",
        ),
        (
            "before take(a, owner, n) when a != owner: owner.coins += 1",
            "Before another player takes n coins from you: gain 1 coin.",
            "Quand un autre joueur prend n pièces chez vous, juste avant : gagnez 1 pièce.",
        ),
        (
            "on use(card): take(you, next, 2)",
            "On “use”: take 2 coins from the next player.",
            "Lors de « use » : prenez 2 pièces chez le joueur suivant.",
        ),
        (
            "on use(card): take(next, you, 1)",
            "On “use”: the next player takes 1 coin from you.",
            "Lors de « use » : le joueur suivant prend 1 pièce chez vous.",
        ),
    ],
)
def test_sentence_agrees(tmp_path: Path, rules: str, english: str, french: str) -> None:
    """The third person that a ruleset writes becomes a command, `you`, or stays, by who does it."""
    assert effects(write(tmp_path, rules)) == [english, french]


def findings(folder: Path) -> list[str]:
    found = Diagnostics()
    analyse(load(folder), found)
    return [d.code for d in found if d.severity == "error"]


def test_sentences_are_checked(tmp_path: Path) -> None:
    """A sentence of a rule has the rule's parameters as fields, and no others; a number alone can be counted."""
    rules = "on use(card): coins += 1"
    assert findings(write(tmp_path, rules)) == []
    assert findings(write(tmp_path, rules, english="{whom} takes {n:coins}")) == ["words-field"]
    assert findings(write(tmp_path, rules, french="{who:coins} prend {n}")) == ["words-field"]


def test_sentence_that_asks_for_more_is_not_used(tmp_path: Path) -> None:
    """What does not fit is left aside: the rule is called by its name."""
    write(tmp_path, "on use(card): take(you, next, 2)", english="{whom} takes {n:coins}", french="{who prend")
    assert effects(tmp_path) == [
        "On “use”: carry out “take” for you and the next player with 2.",
        "Lors de « use » : appliquez « take » pour vous et le joueur suivant avec 2.",
    ]


STORES = """rulelang: 2
name: stores
players: 2
languages: [en]
types: {{Good: {{values: [plank, stone]}}}}
kinds: {{Card: {{variables: {{kept: {{type: bag of Good}}}}, active: [tableau], start: deck}}}}
pieces:
  Card:
    - id: cart
      rules: |
        on use(card):
          store += 1 any Good
          card.kept += 2 plank
        exchange saw in swaps once per turn: 2 plank -> 1 stone
        scores: 3 if rich() else 0
zones: {{deck: {{holds: Card}}, tableau: {{holds: Card, per: player}}}}
variables: {{store: {{type: bag of Good, per: player}}}}
words:
  en:
    store: {{one: store, option: "{store}"}}
    kept: {{one: load, option: "{kept}"}}
    rich: {{one: rich, option: "{rich}"}}
    use: "{{card}} is used"
rules: |
  play:
    for p in players:
      turn of p:
        for card in deck: use(card)
        trade swaps(p)
  ability use(card: Card): pass
  function rich -> bool = count(store) > 4
  exchanges swaps(s: player) from s.store:
    exchange pair: 2 stone -> 1 plank
"""
STORE, KEPT, RICH = "{who} stores {more}", "{who} loads {more} on {what}", "you are rich"


def stores(folder: Path, store: str = STORE, kept: str = KEPT, rich: str = RICH) -> Path:
    (folder / "ruleset.yaml").write_text(STORES.format(store=store, kept=kept, rich=rich), encoding="utf-8")
    return folder


def test_bags_and_functions_have_sentences(tmp_path: Path) -> None:
    """What is put into a bag, and a function without parameters; the only group of exchanges is not named."""
    ruleset = load(stores(tmp_path))
    assert findings(tmp_path) == []
    assert list(Faces(ruleset, "en").all()[0].effects) == [
        "When this card is used: Store 1 good of any kind. Load 2 planks on this card.",
        "You may exchange 2 planks for 1 stone, once per turn.",
        "Score 3 if you are rich, otherwise 0.",
    ]


@pytest.mark.parametrize("wrong", [{"store": "{who} stores {much}"}, {"store": "{what}"}, {"rich": "{you} are rich"}])
def test_their_fields_are_checked(tmp_path: Path, wrong: dict[str, str]) -> None:
    """A bag of a player has no `what`, a function without parameters no field at all."""
    assert findings(stores(tmp_path, **wrong)) == ["words-field"]
