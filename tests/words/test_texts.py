"""What tiny games say in English and French: options, questions, outcomes and the log, sentence by sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.words.games import made, story, texts, walked

MARKET = """
rulelang: 2
name: market
title: {en: Market, fr: Marché}
players: 2
languages: [en, fr]
types: {Part: {values: [nut, oil]}}
kinds: {Card: {active: [tableau], start: display}}
pieces:
  Card:
    - id: bell
      rules: |
        before gain(n): coins += n
        after gain(n): coins += 1
    - id: drum
      rules: |
        before gain(n): coins := max(coins + 1, n)
        after gain(n): coins := max(coins + 2, n)
    - {id: horn, rules: "instead of strike(n): coins += n"}
    - {id: flute, rules: "instead of strike(n): coins += 1"}
zones:
  display: {holds: Card}
  tableau: {holds: Card, per: player}
variables:
  coins: {type: 0..999, per: player}
  shed: {type: bag of Part, per: player, start: 2 nut + 1 oil, capacity: {total: 4}}
  store: {type: bag of Part, per: player, start: 2 nut}
rules: |
  setup:
    for p in players:
      for c in display: move c to seat(0).tableau
  play:
    for p in players:
      turn of p:
        choose:
          work: gain(1)
          strike: strike(2)
          buy when can pay 1 nut from shed + store: pay 1 nut from shed + store
          swap: trade market()
          forage: shed += 2 any Part
          leave: pass
  event gain(n: 0..9): coins += n
  event strike(n: 0..9): coins += n
  exchanges market from shed:
    exchange melt: 2 nut -> 1 oil
  score coins: coins
words:
  en: {coins: {one: coin, many: coins}, swap: haggle}
  fr:
    Card: {one: carte, gender: f}
    bell: {one: cloche, gender: f}
    drum: tambour
    horn: cor
    flute: {one: flûte, gender: f}
    display: étalage
    tableau: tableau
    coins: {one: pièce, many: pièces, gender: f}
    shed: {one: remise, gender: f}
    store: {one: réserve, gender: f}
    nut: {one: noix, many: noix, gender: f}
    oil: {one: huile, gender: f}
    gain: gain
    strike: frapper
    work: travailler
    buy: acheter
    swap: marchander
    forage: glaner
    leave: partir
    market: marché
    melt: fondre
"""

BOARD = """
rulelang: 2
name: board
players: 2
languages: [en, fr]
types: {Colour: [red, green], Side: {between: neighbours}}
automata: {machine: {players: [2]}}
grids: {Square: {columns: 3, rows: 3, adjacency: all}}
kinds:
  Robot: {identity: true, variables: {load: {type: 0..3}}, start: home}
  Tile: {attributes: {colour: Colour}, start: stack}
pieces:
  Robot: [{id: robot, per: player}, {id: crate, count: 2, start: "board[b2]"}]
  Tile: [{id: rock, colour: red, count: 2}, {id: reed, colour: green, count: 2}]
zones:
  home: {holds: Robot, per: player}
  board: {holds: Robot, per: Square}
  stack: {holds: Tile, order: pile, visible: top}
  heap: {holds: Tile, per: Colour}
  pit: {holds: Tile, visible: nobody}
variables:
  guarded: {type: bool, per: Side}
  strength: {type: 0..9, per: Colour}
  warned: {type: bool, per: player}
  best: {type: "Colour?"}
rules: |
  setup:
    for p in players: move p.robot to board[a1]
    shuffle stack
    draw 1 from stack to pit
    for t in top 2 of stack: move t to heap[t.colour]
  play:
    for p in players:
      turn of p:
        let way = choose one of Direction
        let thing = choose one of board[b2] else stop
        thing.load += 1
        move thing to board[c2 if way = north else b2]
        let any_crate = choose one of board else stop
        let rival = choose one of p.others
        let colour = choose one of Colour
        let some_tiles = choose up to 2 of heap[red]
        let choice = choose one of Square where it = a1
        let amount = choose a number from 0 to 1
        choose:
          march(colour2 in Colour, n from 1 to 2): strength[colour2] += n
          guard(s in Side): guarded[s] := true
          warn: p.next.warned := true
          none_of_it: best := red
        reveal colour to p
    end the game won by everyone
words:
  en: {player: {one: pirate}, strength: {one: strength}}
  fr:
    player: {one: pirate}
    Robot: robot
    Tile: {one: tuile, gender: f}
    robot: robot
    crate: {one: caisse, gender: f}
    rock: roc
    reed: roseau
    home: {one: maison, gender: f}
    board: plateau
    stack: {one: pile, gender: f}
    heap: tas
    heap.green: {one: herbier}
    pit: {one: fosse, gender: f}
    red: {one: rouge, feminine: rouge}
    green: {one: vert, feminine: verte}
    strength: {one: force, gender: f}
    load: {one: charge, gender: f}
    warned: averti
    guarded: gardé
    best: meilleur
    machine: {one: machine, gender: f}
    march: marcher
    march.colour2: couleur
    march.n: nombre
    guard: garder
    warn: avertir
    none_of_it: rien de tout cela
"""


def heard(folder: Path, text: str, lang: str) -> set[str]:
    """Everything that random games of a ruleset say."""
    ruleset = made(folder, text)
    found: set[str] = set()
    for seed in range(40):
        for state in walked(ruleset, 2, seed):
            found.update(text for _, text in texts(state, lang))
        found.update(text for _, text in story(state, lang))
    return found


MARKET_SAYS = {
    "en": (
        "Seat 0, play: choose what to do",
        "haggle",
        "Seat 0, play: choose how to pay",
        "pay 1 nut from the shed",
        "pay 1 nut from the store",
        "You pay 1 nut.",
        "Seat 1 pays 1 nut.",
        "Seat 0's shed: −1 nut.",
        "Your store: −1 nut.",
        "Seat 0, gain (n 1): choose the next reaction",
        "the bell reacts after gain",
        "the drum reacts after gain",
        "The bell reacts after gain.",
        "the horn reacts instead of strike",
        "Seat 0, market: trade, or be done",
        "melt: 2 nuts for 1 oil",
        "done",
        "Seat 1: melt: 2 nuts for 1 oil.",
        "Seat 0, play: choose what to keep",
        "keep 2 nuts and 2 oils",
        "You keep 2 nuts and 2 oils.",
        "Seat 1 keeps 2 nuts and 2 oils.",
        "Seat 0's coins: 0 → 1.",
        "Your coins: 0 → 1.",
        "the bell reacts before gain",
    ),
    "fr": (
        "Joueur 0, partie : choisissez quoi faire",
        "marchander",
        "Joueur 0, partie : choisissez comment payer",
        "payer 1 noix de la remise",
        "payer 1 noix de la réserve",
        "Vous payez 1 noix.",
        "Le joueur 1 paie 1 noix.",
        "La remise du joueur 0 : −1 noix.",
        "Votre réserve : −1 noix.",
        "Joueur 0, gain (n 1) : choisissez la prochaine réaction",
        "la cloche réagit avant gain",
        "la cloche réagit après gain",
        "La cloche réagit après gain.",
        "le cor remplace frapper",
        "Joueur 0, marché : échangez, ou terminez",
        "fondre : 2 noix contre 1 huile",
        "terminer",
        "Joueur 1 : fondre : 2 noix contre 1 huile.",
        "Joueur 0, partie : choisissez quoi garder",
        "garder 2 noix et 2 huiles",
        "Vous gardez 2 noix et 2 huiles.",
        "Le joueur 1 garde 2 noix et 2 huiles.",
        "Pièces du joueur 0 : 0 → 1.",
        "Vos pièces : 0 → 1.",
    ),
}

BOARD_SAYS = {
    "en": (
        "Pirate 0, play: choose way",
        "northeast",
        "crate [load 0] on b2",
        "crate [load 1] on b2",
        "crate on c2",
        "your robot",
        "Pirate 0, play: choose a cell",
        "a1",
        "pirate 1",
        "nothing",
        "You choose nothing.",
        "Pirate 1 chooses red.",
        "march (colour2 green, n 2)",
        "guard between pirate 0 and you",
        "Green strength: 0 → 2.",
        "Guarded between pirate 0 and pirate 1.",
        "Warned (pirate 1).",
        "Warned (you).",
        "Best: red.",
        "Load of a crate: 0 → 1.",
        "Red is shown to you.",
        "Red is shown to pirate 1.",
        "Your turn begins.",
        "Pirate 1's turn begins.",
        "Your robot goes from your home to board a1.",
        "Pirate 1's robot goes from pirate 1's home to board a1.",
        "The stack is shuffled.",
        "A rock goes from the stack to somewhere.",
        "A rock goes from the stack to the red heap. On top now: a reed.",
        "The game is over: pirate 0 and pirate 1 win.",
    ),
    "fr": (
        "Pirate 0, partie : choisissez way",
        "nord-est",
        "caisse [charge 0] en b2",
        "caisse en c2",
        "Pirate 0, partie : choisissez une case",
        "rien",
        "Vous ne choisissez rien.",
        "Le pirate 1 choisit vert.",
        "marcher (couleur vert, nombre 2)",
        "garder entre le pirate 0 et vous",
        "Force verte : 0 → 2.",
        "Averti (vous).",
        "Meilleur : rouge.",
        "Charge d'une caisse : 0 → 1.",
        "On montre rouge à vous.",
        "On montre rouge au pirate 1.",
        "Le tour du pirate 1 commence.",
        "Votre robot va de votre maison au plateau a1.",
        "Le pirate 1 choisit le robot du pirate 0.",
        "Un roc va de la pile à quelque part.",
        "Un roc va de la pile au tas rouge. Au-dessus : un roseau.",
        "Un roseau va de la pile à l'herbier. Au-dessus : un roc.",
        "La partie est finie : le pirate 0 et le pirate 1 gagnent.",
    ),
}


@pytest.mark.parametrize("lang", ["en", "fr"])
def test_a_market(tmp_path: Path, lang: str) -> None:
    """Payments by purse, trades, what to keep, reactions before, after and instead."""
    said = {text.replace("\u00a0", " ") for text in heard(tmp_path, MARKET, lang)}
    assert [text for text in MARKET_SAYS[lang] if text not in said] == [], "\n".join(sorted(said))


@pytest.mark.parametrize("lang", ["en", "fr"])
def test_a_board(tmp_path: Path, lang: str) -> None:
    """Cells, directions, what lies between seats, individuals told apart, hidden pieces, several winners."""
    said = {text.replace("\u00a0", " ") for text in heard(tmp_path, BOARD, lang)}
    assert [text for text in BOARD_SAYS[lang] if text not in said] == [], "\n".join(sorted(said))
