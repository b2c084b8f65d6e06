"""What refusals say: each names what is missing, in the values of the moment, and nothing that the seat may not see."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import rulelang

YAML = """\
rulelang: 2
name: tiny
players: 2
languages: [en, fr]
types: {Colour: [red, blue], Part: {values: [nut, oil, energy], classes: {base: [nut, oil]}}}
kinds:
  Card: {attributes: {colour: Colour, price: 0..9, fee: cost of Part}, active: [table], start: shop}
pieces:
  Card:
    - {id: smith, colour: red, price: 3, fee: 1 energy + 2 identical base}
    - {id: well, colour: blue, price: 1, fee: 1 any base}
    - id: press
      colour: red
      price: 9
      fee: 9 nut
      rules: |
        exchange pressed in market when coins >= 9: 1 nut -> 1 oil
        offer in menu:
          squeeze when coins > 5: pass
zones:
  shop: {holds: Card}
  hand: {holds: Card, per: player, visible: owner}
  table: {holds: Card, per: player}
  row: {holds: Card, capacity: 1}
variables:
  coins: {type: 0..99, per: player, start: 2}
  secret: {type: 0..9, visible: nobody, start: 7}
  shed: {type: bag of Part, per: player, start: 2 nut}
  chosen: {type: "Colour?"}
marks: {frozen: {per: player}}
words:
  fr: {energy: {one: énergie, many: énergies, gender: f}, nut: {one: noix, many: noix, gender: f}, oil: huile}
rules: |
"""

RULES = """\
play:
  repeat 5 times:
    turn of seat(0):
      repeat 2 times: ask()
rule ask:
  @
  choose menu:
    $
    pass: pass
rule swap: trade market(you)
exchanges market(s: player) from s.shed:
  exchange split: 1 energy -> 1 any base
  exchange pair: 2 identical base -> 1 energy
"""

# An item of the menu, and what is missing for it, in English and French; before `|`, what is done first.
MISSING: tuple[tuple[str, str, str], ...] = (
    ("do(n from 3 to 3) when n <= coins: pass", "needs `n <= coins`: n is 3, coins is 2", "n vaut 3, coins vaut 2"),
    ("do when coins >= 4: pass", "your coins: 2, must be at least 4", "votre coins : 2, il faut au moins 4"),
    ("do when coins >= 2 and count(shop) = 1: pass", "the shop: 3, must be 1", "le shop : 3, il faut 1"),
    (
        "do when coins >= 3 or chosen = red: pass",
        "your coins: 2, must be at least 3 or chosen: none, must be red",
        "chosen : aucun, il faut red",
    ),
    ("do when not (coins = 2): pass", "your coins: must not be 2", "votre coins : il ne faut pas 2"),
    ("do when you = next: pass", "needs `you = next`: next is seat 1", "next vaut joueur 1"),
    ("do when hand is not empty: pass", "nothing in your hand", "rien dans votre hand"),
    ("do when shop is empty: pass", "something in the shop", "il y a déjà quelque chose dans le shop"),
    ("do when chosen is not none: pass", "needs `chosen is not none`: chosen is none", "chosen n'est pas là"),
    ("chosen := blue | do when chosen is none: pass", "needs `chosen is none`: chosen is there", "chosen est là"),
    ("mark frozen until after turn of you | do when not frozen: pass", "frozen", "frozen"),
    ("do(c in shop where it is smith) when c in hand: pass", "needs `c in hand`: c is smith", "c vaut smith"),
    ("do(c in shop where it is smith) when c is well: pass", "needs `c is well`: c is smith", "c vaut smith"),
    ("do when red in hand.colour: pass", "needs `red in hand.colour`", "il faut `red in hand.colour`"),
    ("do when shed.oil >= 1: pass", "lacks 1 oil", "il manque 1 huile"),
    (
        "move (shop where it is press) to row | do when row is empty: pass",
        "something in the row",
        "il y a déjà quelque chose dans le row",
    ),
    ("do when can pay 1 energy + 1 oil from shed: pass", "lacks 1 oil and 1 energy", "il manque 1 huile et 1 énergie"),
    ("do when can pay 3 identical base from shed: pass", "lacks 1 nut", "il manque 1 noix"),
    ("do when can pay 4 any base from shed: pass", "lacks 2 nuts or oils", "il manque 2 noix ou huiles"),
    ("do(c in hand): pass", "no card in your hand", "aucun card dans votre hand"),
    ("do(c in shop, d in hand where it.price = c.price): pass", "no card in your hand", "aucun card dans votre hand"),
    ("do(cards = 1 or more of hand): pass", "no card in your hand", "aucun card dans votre hand"),
    ("do(n from 3 to coins): pass", "no n from 3 to 2", "rien pour n de 3 à 2"),
)


def load(folder: Path, item: str, first: str = "pass") -> rulelang.Ruleset:
    """The ruleset with this item in its menu, and what is done before the menu."""
    rules = RULES.replace("@", first).replace("$", item)
    (folder / "ruleset.yaml").write_text(YAML + "".join(f"  {line}\n" for line in rules.splitlines()), encoding="utf-8")
    return rulelang.load(folder)


def refusals(folder: Path, item: str, lang: str = "en") -> list[dict[str, Any]]:
    """What is refused of an item `first | item`."""
    first, bar, rest = item.rpartition(" | ")
    return load(folder, rest, first if bar else "pass").new_game().refusals(lang=lang)


@pytest.mark.parametrize(("item", "english", "french"), MISSING, ids=[item for item, _, _ in MISSING])
def test_what_is_missing(item: str, english: str, french: str, tmp_path: Path) -> None:
    """A refusal names the part of the guard that fails and what its sides are, or what there is nothing of."""
    found = refusals(tmp_path, item)
    assert english in found[0]["missing"]
    assert french in refusals(tmp_path, item, "fr")[0]["missing"].replace("\u00a0", " ")
    assert all(one["reason"] and one["line"] and one["rule"] == "ask" for one in found)


@pytest.mark.parametrize(
    ("limit", "done", "english", "french"),
    [
        ("once per turn", 1, "already done once this turn", "déjà fait une fois ce tour-ci"),
        ("2 times per game", 2, "already done 2 times in this game", "déjà fait 2 fois dans cette partie"),
    ],
)
def test_limits(limit: str, done: int, english: str, french: str, tmp_path: Path) -> None:
    """What was done as often as it may be says how often, and in what."""
    state = load(tmp_path, f"do {limit}: pass").new_game()
    for _ in range(done):
        state.apply("do")
    assert [one["missing"] for one in state.refusals()] == [english]
    assert [one["missing"] for one in state.refusals(lang="fr")] == [french]
    with pytest.raises(rulelang.IllegalAction, match=f"`do` is refused: {english} .ask, .*:\\d+"):
        state.apply("do")


def test_exchanges(tmp_path: Path) -> None:
    """In a trade, what can't be paid says what it lacks, and what a piece of one's own does not allow says why."""
    ruleset = load(tmp_path, "do: pass", "move (shop where it is press) to table\n  swap()")
    state = ruleset.new_game()
    assert [action.id for action in state.legal_actions()] == ["pair:pay=nut+nut,gain=energy", "done"]
    assert [(one["item"], one["reason"], one["missing"]) for one in state.refusals()] == [
        ("split", "1 energy", "lacks 1 energy"),
        ("pressed", "coins >= 9", "your coins: 2, must be at least 9"),
    ]
    with pytest.raises(rulelang.IllegalAction, match=r"`split:pay=energy,gain=nut` is refused: lacks 1 energy \("):
        state.apply("split:pay=energy,gain=nut")


def test_what_others_hold_is_not_refused(tmp_path: Path) -> None:
    """Offers and exchanges of pieces that a seat has not in force are not listed; trying one tells why it can't be."""
    state = load(tmp_path, "do: pass", "swap()").new_game()
    assert [one["item"] for one in state.refusals()] == ["split"]
    with pytest.raises(rulelang.IllegalAction, match=r"is refused: no press in force \("):
        state.apply("pressed:pay=nut,gain=oil")
    state.apply("done")
    assert state.refusals() == []
    with pytest.raises(rulelang.IllegalAction, match=r"is refused: no press in force \("):
        state.apply("squeeze:this=press")


def test_hidden_values_stay_hidden(tmp_path: Path) -> None:
    """Of what was revealed as a whole, the parts that the seat may not see are not told."""
    (one,) = refusals(tmp_path, "reveal secret = 3 | do when secret = 3: pass")
    assert one["missing"] == "needs `secret = 3`"
    (one,) = refusals(tmp_path, "reveal secret = coins | do when secret = coins: pass")
    assert one["missing"] == "needs `secret = coins`: coins is 2"
    (one,) = refusals(tmp_path, "reveal secret | do when secret = 3: pass")
    assert one["missing"] == "secret: 7, must be 3"


def test_each_combination_says_its_own(tmp_path: Path) -> None:
    """Every refused combination has its id and what is missing for it; the first guard that fails is named."""
    found = refusals(tmp_path, "do(c in shop where it.colour = red) when c.price <= coins: pass")
    assert [(one["id"], one["missing"]) for one in found] == [
        ("do:c=smith", "price: 3, must be at most 2 (your coins)"),
        ("do:c=well", "colour: blue, must be red"),
        ("do:c=press", "price: 9, must be at most 2 (your coins)"),
    ]
    assert [one["arguments"] for one in found] == [{"c": "smith"}, {"c": "well"}, {"c": "press"}]


def test_asking_changes_nothing(tmp_path: Path) -> None:
    """Refusals are read without touching the state."""
    state = load(tmp_path, "do(c in shop) when c.price <= coins: pass").new_game()
    before = state.to_json()
    assert state.refusals() == state.refusals()
    assert state.to_json() == before


LOOKED_THROUGH = (
    ("can pay 1 oil from shed and free()", "lacks 1 oil", "il manque 1 huile"),
    ("can pay 1 nut from shed and free()", "no free place", "aucune place libre"),
    ("not can pay 1 oil from shed and coins >= 2 and free()", "no free place", "aucune place libre"),
    (
        "coins >= 3 or shed.oil >= 3",
        "your coins: 2, must be at least 3 or lacks 3 oils",
        "ou il manque 3 huiles",
    ),
    ("nut in shed and oil in shed", "lacks 1 oil", "il manque 1 huile"),
)
"""What a function says, and what is missing where it does not hold: 2 nuts, 2 coins, three cards in the shop."""


@pytest.mark.parametrize(("body", "english", "french"), LOOKED_THROUGH, ids=[body for body, _, _ in LOOKED_THROUGH])
def test_functions_are_looked_through(body: str, english: str, french: str, tmp_path: Path) -> None:
    """A guard that calls functions tells what fails in them, in words; the ruleset's own words for a function first."""
    rules = f"do when may(you): pass\nfunction may(s: player) -> bool = {body.replace('coins', 's.coins')}"
    rules = rules.replace("shed", "s.shed") + "\nfunction free -> bool = count(shop) < 3"
    item, *functions = rules.split("\n")
    whole = RULES.replace("@", "pass").replace("$", item) + "\n".join(functions) + "\n"
    told = "words:\n  en: {free: {refused: no free place}}\n  fr: {free: {refused: aucune place libre}, "
    text = YAML.replace("words:\n  fr: {", told) + "".join(f"  {line}\n" for line in whole.splitlines())
    (tmp_path / "ruleset.yaml").write_text(text, encoding="utf-8")
    state = rulelang.load(tmp_path).new_game()
    assert state.refusals()[0]["missing"] == english
    assert french in state.refusals(lang="fr")[0]["missing"]


def test_a_function_that_was_revealed_as_a_whole_is_not_looked_through(tmp_path: Path) -> None:
    """What it reads may be hidden."""
    rules = RULES.replace("@", "reveal rich()").replace("$", "do when rich(): pass")
    text = YAML + "".join(f"  {line}\n" for line in (rules + "function rich -> bool = secret > 8\n").splitlines())
    (tmp_path / "ruleset.yaml").write_text(text, encoding="utf-8")
    (one,) = rulelang.load(tmp_path).new_game().refusals()
    assert one["missing"] == "needs `rich()`"
