"""Words for people: for names that there are, with fields that an option has."""

from __future__ import annotations

from tests.semantics.case import Case, Check

MENU = "rule r:\n  choose:\n    sell(n from 1 to 3): coins += n\n    stop: pass\n"
PLAY = MENU + "play:\n  for p in players:\n    turn of p: r()\n"

CHECKS = (
    Check(
        "words-unknown",
        (
            Case(yaml="words:\n  en:\n    hnad: a hand  #!\n"),
            Case(PLAY, yaml="words:\n  en:\n    r.sale: trade  #!\n    r.sell: sale\n"),
            Case(yaml="words:\n  en:\n    drawers.green: green drawer  #!\n    drawers.red: red drawer\n"),
            Case(yaml="words:\n  en:\n    Card.lwo: low card  #!\n"),
            Case("score rich: 1", yaml="words:\n  en:\n    score.poor: poverty  #!\n"),
        ),
        Case(
            PLAY + "score rich: 1",
            yaml=(
                "words:\n  en: {hand: hand, Card: card, Card.low: low card, drawers.red: red drawer, nut: nut, red: red,"
                " charge: load, spent: tired, r: turn, r.sell: sale, sell.n: number, r.sell.n: price, n: sum,"
                " score.rich: wealth, machine: the machine, deck: size, coins: coins, player: trader, turn: go}\n"
            ),
        ),
        also=(Case(PLAY, yaml="words:\n  en: {board.b2: the middle, frozen: cold, value: worth}\n"),),
    ),
    Check(
        "words-field",
        (
            Case(PLAY, yaml='words:\n  en:\n    sell: "sell {m}"  #!\n'),
            Case(PLAY, yaml='words:\n  en:\n    sell: "sell {n"  #!\n'),
            Case(PLAY, yaml='words:\n  en:\n    sell: "sell {n:coyn}"  #!\n'),
            Case(PLAY, yaml='words:\n  en:\n    sell: "sell {n!r}"  #!\n'),
            Case(PLAY, yaml='words:\n  en:\n    hand: "hand {n}"  #!\n'),
            Case(PLAY, yaml='words:\n  en:\n    sell: {one: sale, refused: "no {m}"}  #!\n'),
            Case(PLAY, yaml='words:\n  en:\n    stop: {one: stop, option: "stop at {n}"}  #!\n'),
            Case(PLAY, yaml='words:\n  en:\n    sell: {one: sale, notation: "S{n"}  #!\n'),
            Case(PLAY, yaml='words:\n  en:\n    sell: {one: sale, notation: "S{n!r}"}  #!\n'),
            Case(PLAY, yaml='words:\n  en:\n    sell: {one: sale, notation: "S{m}"}  #!\n'),
            Case(PLAY, yaml='words:\n  en:\n    sell: {one: sale, notation: "S{n~}"}  #!\n'),
            Case(PLAY, yaml='words:\n  en:\n    sell: {one: sale, notation: "S{+: n}"}  #!\n'),
            Case(PLAY, yaml='words:\n  en:\n    sell: {one: sale, notation: "S{worth(n)}"}  #!\n'),
            Case(PLAY, yaml='words:\n  en:\n    hand: {one: hand, notation: "H{n}"}  #!\n'),
            Case(yaml='words:\n  en:\n    Card: {one: card, notation: "{+: colour}"}  #!\n'),
            Case(yaml='words:\n  en:\n    Card: {one: card, row: "card {worth}"}  #!\n'),
            Case(yaml='words:\n  en:\n    Card: {one: card, row: "card {number}"}  #!\n'),
            Case(yaml='words:\n  en:\n    Card: {one: card, row: "{colour:coins} card"}  #!\n'),
            Case(yaml='words:\n  en:\n    Card: {one: card, row: "card {value"}  #!\n'),
            Case(yaml='words:\n  en:\n    hand: {one: hand, row: "hand {id}"}  #!\n'),
            Case(
                yaml=(
                    "kinds: {Tile: {attributes: {price: cost of Part}, start: heap}}\n"
                    "pieces: {Tile: [{id: tile, price: 1 nut}]}\n"
                    "zones: {heap: {holds: Tile}}\n"
                    'words:\n  en:\n    Tile: {one: tile, row: "tile at {price}"}  #!\n'
                ),
            ),
            Case(
                "play:\n  for p in players:\n    turn of p:\n      let c = choose one of hand else stop\n      move c to trash",
                yaml='words:\n  en:\n    c: "throw {c:coins}"  #!\n',
            ),
        ),
        Case(
            PLAY + "function is_dear(n: number) -> bool = n > 2\nfunction half(n: number) -> number = n div 2\n",
            yaml=(
                'words:\n  en: {stop: {option: stop here, notation: "-"}, r.sell: {option: "sell for {n:coins} {{or so}}",'
                ' notation: "S{{{n}/{half(n)}{!: is_dear(n)}}}"}, Card: {one: card,'
                ' notation: "{colour}"}, red: {one: red, notation: R}}\n'
            ),
        ),
        also=(
            Case(
                PLAY + "rule sell(c: Card): pass\n", yaml='words:\n  en: {r.sell: "sell at {n}", sell: "{c} is sold"}\n'
            ),
            Case(yaml='words:\n  en: {Card: {one: card, row: "{{{value:coins}}} {colour} {id}"}}\n'),
            Case(
                yaml='words:\n  en: {Chip: {row: "chip {number} of {size}"}}\n',
                swap=("{id: chip, size: 1, count: 4}", "{id: chip7, size: 1, count: 4}"),
            ),
            Case(
                "play:\n  for p in players:\n    turn of p:\n      let c = choose one of hand else stop\n      move c to trash",
                yaml='words:\n  en: {c: {one: a card, option: "throw {c}"}}\n',
            ),
        ),
    ),
)
