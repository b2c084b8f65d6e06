"""Slips that a newcomer made in a game of their own: in YAML, in rules, in a variant of it, in its scenarios."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnostics_trial.test_trial import WORDS, findings
from tests.messages.said import block, unsaid
from tests.offenders import none

GAME = """\
rulelang: 2
name: bazaar
players: 2
languages: [en, fr]
limits: {decisions: 20, outcome: scores}
options: {start_coins: {values: [3, 4], default: 4}}
grids: {Square: {columns: 5, rows: 4}}
kinds:
  Card: {attributes: {price: 1..4, value: 1..5}, active: [stall], start: deck}
  Man: {identity: true, start: "board[a1]"}
pieces:
  Card:
    - {id: pepper, price: 1, value: 1, count: 9}
    - id: broker
      price: 2
      value: 1
      rules: |
        modify cost(card, owner): minus 1
        after buy(card) when you = owner once per turn: owner.coins += 1
  Man: [{id: man}]
zones:
  deck: {holds: Card, order: pile, visible: count}
  market: {holds: Card}
  stall: {holds: Card, per: player}
  board: {holds: Man, per: Square}
variables: {coins: {type: 0..99, per: player, start: start_coins}}
rules: |
  setup:
    shuffle deck
    draw 4 from deck to market
  play:
    for p in players:
      turn of p: act()
  rule act:
    let here = cell of man
    let there = choose one of neighbours(here) else return
    move man to board[there]
    choose:
      buy_card(card in market) when cost(card, you) <= coins: buy(card)
      wait: pass
  event buy(card: Card):
    coins -= cost(card, you)
    move card to stall
  quantity cost(card: Card, who: player) -> number = card.price
  function dearest -> number = max(market.price) otherwise 0
  score stalls: sum(stall.value) + dearest()
words:
  en: {coins: {one: coin, many: coins}}
  fr:
    Card: carte
    Man: pion
    man: pion
    pepper: poivre
    broker: courtier
    price: prix
    value: valeur
    deck: pioche
    market: marché
    stall: étal
    board: plateau
    coins: {one: pièce, many: pièces}
    start_coins: pièces de départ
    act: tour
    act.there: une case
    buy_card: "acheter {card}"
    wait: attendre
    buy: achat
    cost: coût
    dearest: plus haut prix
    stalls: étals
"""
FILE = "ruleset.yaml"
TEST = (
    'scenarios:\n  - name: it\n    given: {zones: {market: [pepper, broker]}}\n    when: [WHEN]\n    then: ["1 = 1"]\n'
)


def told(
    folder: Path, game: str = GAME, variant: str = "", scenario: str = "", title: str = ""
) -> list[tuple[str, str, str, str]]:
    """Code, file, line and words of what is found in the game, or in its variant; `title` is a section of the table."""
    (folder / "bazaar").mkdir(exist_ok=True)
    (folder / "bazaar" / FILE).write_text(game, encoding="utf-8")
    where = folder / "bazaar"
    if variant:
        where = folder / "other"
        where.mkdir()
        (where / FILE).write_text(f"rulelang: 2\nextends: bazaar\nname: other\n{variant}", encoding="utf-8")
    if scenario:
        (where / "scenarios").mkdir()
        (where / "scenarios" / "it.yaml").write_text(f"rulelang: 2\n{scenario}", encoding="utf-8")
    found = []
    if title:
        none(unsaid(WORDS, title, [block(findings(where))]))
    for d in findings(where):
        line = Path(d.span.path).read_text(encoding="utf-8").splitlines()[d.span.line - 1].strip()
        found.append((d.code, d.span.path.removeprefix(f"{folder}/"), line, f"{d.message} ({d.hint})"))
    return found


def test_the_game_is_right(tmp_path: Path) -> None:
    """Nothing is found in it, in a variant that is right, in a scenario that is right."""
    assert told(tmp_path) == []
    assert told(tmp_path, variant="options: {start_coins: {default: 3}}\n", scenario=TEST.replace("WHEN", '"*"')) == []


SLIPS = [
    ("event buy(card: Card)", "event buy(card)", "syntax-missing", "event buy(card):", "write `card: TYPE`: a kind"),
    ("once per turn", "once a turn", "syntax-word", "after buy(card) when you = owner once a turn: owner.coins += 1",
     "write `after buy(card) when you = owner once per turn: owner.coins += 1`"),
    ("max(market.price) otherwise 0", "max(market.price)", "value-absent",
     "function dearest -> number = max(market.price)",
     "(give another value with `… otherwise …`)"),
    ("active: [stall]", "active: [market]", "name-unknown",
     "Card: {attributes: {price: 1..4, value: 1..5}, active: [market], start: deck}", "`market` belongs to nobody"),
    ("board[a1]", "board[f1]", "name-unknown", 'Man: {identity: true, start: "board[f1]"}',
     "cells `a1` to `e4` of Square"),
    ("    - id: broker", '    - {each: {value: [1, 2]}, id: "x_{value}", price: 9}\n    - id: broker',
     "range-outside", '- {each: {value: [1, 2]}, id: "x_{value}", price: 9}', "`price` of `x_1` is 9"),
    ("quantity cost(card: Card, who: player) -> number = card.price",
     "quantity cost(cell: Card, who: player) -> number = cell.price", "name-reserved",
     "quantity cost(cell: Card, who: player) -> number = cell.price", "`cell` is a word of the language"),
    ("once per turn: owner.coins += 1", "once per turn: buy(card)", "recursion-depth", "event buy(card: Card):",
     "`buy` calls itself (`buy` → `broker` → `buy`)"),
    ("sum(stall.value)", "sum(g.bonus for g in stall grouped by price)", "attribute-unknown",
     "score stalls: sum(g.bonus for g in stall grouped by price) + dearest()", "it has `key`, `price`, `value`"),
    ("sum(stall.value)", "(1 if pepper in stall else 0)", "name-unknown",
     "score stalls: (1 if pepper in stall else 0) + dearest()", "`any(c is pepper for c in …)` of several"),
    ("languages: [en, fr]", "languages: [en, fr", "yaml-syntax", "languages: [en, fr",
     "`[` is opened here and never closed"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "code", "line", "words"), SLIPS, ids=[slip[2] + slip[1] for slip in SLIPS])
def test_a_slip_in_the_game(tmp_path: Path, old: str, new: str, code: str, line: str, words: str) -> None:
    """One finding, in its line, with what leads to the fix."""
    assert GAME.count(old) == 1
    ((found, _, at, says),) = told(tmp_path, GAME.replace(old, new), title=f"newcomer: {code} {new}".replace("\n", " "))
    assert (found, at) == (code, line)
    assert words in says


IN_VARIANTS = [
    ("rules:\n  score extra: 1", "schema-type", "write `rules: |`"),
    ("options: {start_coin: {default: 3}}", "schema-missing", "did you mean `start_coins`?"),
    ("pieces: {Card: [{id: brokre, price: 1}]}", "attribute-missing", "did you mean `broker`?"),
    ("rules: |\n  before step buying: pass", "step-unknown", "there are no steps in what lies below"),
    ("rules: |\n  function cost(card: Card, who: player) -> number = 1", "quantity-unknown",
     "needs a quantity (declare it as `quantity`)"),
    ("rules: |\n  rule buy(card: Card): pass", "event-unknown", "needs an event (declare it as `event`)"),
]  # fmt: skip


@pytest.mark.parametrize(("variant", "code", "words"), IN_VARIANTS, ids=[slip[1] for slip in IN_VARIANTS])
def test_a_slip_in_a_variant(tmp_path: Path, variant: str, code: str, words: str) -> None:
    """It is told where the variant has it, not in the base."""
    ((found, file, at, says),) = told(tmp_path, variant=variant, title=f"variant: {code}")
    assert (found, file, at) == (code, "other/ruleset.yaml", variant.splitlines()[-1].strip())
    assert words in says


def test_a_new_row_that_is_meant_so(tmp_path: Path) -> None:
    """A row that is called nothing like those below lacks each of its attributes for itself."""
    found = told(tmp_path, variant="pieces: {Card: [{id: saffron}]}")
    assert [code for code, *_ in found] == ["attribute-missing"] * 2
    assert all("did you mean" not in says for *_, says in found)


def test_what_a_scenario_may_choose(tmp_path: Path) -> None:
    """A mapping that is no step: the keys that steps have are named."""
    ((code, _, at, says),) = told(tmp_path, scenario=TEST.replace("WHEN", '"a", {offered: "x"}'))
    assert (code, at) == ("schema-type", 'when: ["a", {offered: "x"}]')
    assert "the keys `seat`, `id`, `choice`, `chance` or `maybe`" in says


@pytest.mark.parametrize(
    ("line", "new", "missing"),
    [
        ("    cost: coût\n", "", "`cost`"),
        ("    buy: achat\n", "", "`buy`"),
        ("    act.there: une case\n", '    act.there: "aller en {there}"\n', "`there`"),
    ],
)
def test_words_of_what_cards_speak_of(tmp_path: Path, line: str, new: str, missing: str) -> None:
    """Quantities and events that card texts name, and what is chosen, need a noun; items have their sentence."""
    assert GAME.count(line) == 1
    ((code, _, _, says),) = told(tmp_path, GAME.replace(line, new))
    assert code == "words-missing"
    assert says.startswith(f"1 name has no words in `fr`: {missing} (")
