"""What scenarios ask for that no game can have: ids, pieces, room, seats; and what starts where it has no room."""

from __future__ import annotations

from tests.semantics.case import Case, Check

PLAY = """\
play:
  for p in players:
    turn of p: act()
rule act:
  let colour = choose one of Colour
  choose:
    build(card in hand, many from 1 to 2): move card to tableau
    sell when can pay 1 any Part from shed: pay 1 any Part from shed
    give(to in others): to.coins += 1
    walk(way in orthogonal): pass
    spot(square in Square): pass
    guard(side in Side): pass
    wait: pass
  move (choose any of hand) to tableau
  let luck = random one of Colour
  if luck = red: draw 1 from pile to hand
"""


def refused(pattern: str) -> Case:
    """A scenario that asks whether something is refused that cannot be."""
    return Case(PLAY, tests=f'given: {{players: 3}}\nthen:\n  - {{refused: "{pattern}"}}  #!')


def given(zones: str, more: str = "") -> Case:
    return Case(tests=f"given:\n  players: 2\n  zones:\n    {zones}\n{more}then: [{{over: true}}]")


def line(position: str) -> Case:
    return Case(
        yaml='variables: {mover: {type: "player?"}}\n'
        'notation: {position: "{board} {mover}", signs: {board: {crate: c, bot: Bbde}, mover: abde}}',
        tests=f"given:\n  position: {position}  #!\nthen: [{{over: true}}]",
    )


CHECKS: tuple[Check, ...] = (
    Check(
        "scenario-pattern",
        (
            refused("biuld:card=low"),
            refused("zzz*"),
            refused("biuld*:card=low"),
            refused("pass"),
            refused("act"),  # it asks for a colour: `act:colour=…`
            refused("build"),
            refused("build:cards=low,many=1"),
            refused("build:card=lowe,many=1"),
            refused("build:card=low"),
            refused("build:low*"),
            refused("build:card=low,many=two"),
            refused("act:colour=green"),
            refused("sell:pay=nut"),  # the question after `sell` is named by its rule
            refused("act:pay=nuts"),
            refused("give:to=3"),
            refused("walk:way=up"),
            refused("spot:square=d1"),
            refused("guard:side=0-3"),
            refused("act:choice=low+hihg"),
            refused("act:luck=red"),  # an outcome is no option
            refused("*:card=zebra"),
            Case(
                PLAY,
                tests='given: {players: 2}\nwhen: [\n  "act:colour=red",\n  "wiat"  #!\n  ]\nthen: [{over: false}]',
            ),
            Case(PLAY, tests='when:\n  - {maybe: "act:pie=*"}  #!\nthen: [{over: false}]'),
            Case(PLAY, tests='when:\n  - "act:luck=green"  #!\nthen: [{over: false}]'),
            Case(PLAY, tests='when:\n  - "act:draw=lower"  #!\nthen: [{over: false}]'),
            Case(PLAY, tests='then:\n  - {offered: "wait*s"}\n  - {offered: "w"}  #!'),
        ),
        Case(
            PLAY,
            tests="""
given: {players: 3}
when: ["act:colour=red", "build:card=low,many=*", {maybe: "act:choice=none"}, "act:luck=blue", "*:draw=smith"]
then:
  - {refused: "build:card=low@hand[0],many=1"}
  - {refused: "build:card=*,many=2"}
  - {refused: "build*"}
  - {refused: "*=red"}
  - {refused: "act:pay=nut|oil"}
  - {refused: "act:pay=n*"}
  - {refused: "act:choice=low+high"}
  - {refused: "act:choice=low#2"}
  - {refused: "sell"}
  - {refused: "give:to=machine"}
  - {refused: "walk:way=north"}
  - {refused: "spot:square=c3"}
  - {refused: "guard:side=1-2"}
  - {offered: "[wb]*"}
  - {refused: "build", missing: "x"}
  - {refused: "build:*"}""",
        ),
        (
            # What is asked in the scenario itself.
            Case(tests="given: {do: 'turn of seat(0): mood := choose one of Colour'}\nthen: [{offered: '*:mood=red'}]"),
            Case(
                "play:\n  for p in players:\n    turn of p:\n      anyway choose:\n        act when coins > 9: pass",
                tests="when: [pass]\nthen: [{offered: pass}]",
            ),
            # Pieces with a seat, exchanges and the end of a trade.
            Case(
                "play:\n  for p in players:\n    turn of p:\n      trade fair(you)\n"
                "      let robot = choose one of home else stop\n      robot_moves(robot)\n"
                "rule robot_moves(r: Robot): move r to board[a2]\n"
                "exchanges fair(s: player) from s.shed:\n  exchange sell once per turn: 1 oil -> 1 nut\n",
                tests="when: ['sell:pay=oil,gain=nut', done]\n"
                "then: [{refused: 'play:robot=bot@1'}, {refused: sell, missing: x}]",
            ),
        ),
    ),
    Check(
        "scenario-position",
        (
            line("3/3"),
            line("x2/3/3"),
            Case(tests="given: {position: 3/3/3}  #!\nthen: [{over: true}]"),
            Case(yaml='notation:\n  position: "{zzz}"  #!'),
        ),
        line("B1c/3/b2 -"),
    ),
    Check(
        "scenario-pieces",
        (
            given('"seat(0).hand": [2 high]  #!'),
            given('"seat(0).hand": [2 low]\n    "seat(1).hand": [2 low]  #!'),
            given('"seat(0).home": [3 bot]  #!'),
            given('"board[b2]": [crate, bot]  #!'),
            Case(
                swap=("value: 3}", "value: 3, count: deck}"),
                tests='given:\n  options: {deck: 8}\n  zones:\n    "seat(0).hand": [9 high]  #!\nthen: [{over: true}]',
            ),
        ),
        given('"seat(0).hand": [2 low, high]\n    "seat(1).hand": [low]\n    "seat(1).home": [bot@0, bot]'),
        (
            Case(
                swap=("value: 3}", "value: 3, count: deck}"),
                tests='given:\n  options: {deck: 10}\n  zones:\n    "seat(0).hand": [10 high]\nthen: [{over: true}]',
            ),
        ),
    ),
    Check(
        "capacity-start",
        (
            Case(tests='given:\n  variables:\n    "seat(0).shed": 4 nut  #!\nthen: [{over: true}]'),
            Case(tests='given:\n  variables:\n    "seat(1).shed": 2 nut + 2 nut  #!\nthen: [{over: true}]'),
            Case(
                swap=("held: {type: bag of Part}", "held: {type: bag of Part, capacity: {total: 2, oil: 1}}"),
                tests='given:\n  zones:\n    "seat(0).tableau": [{piece: high, held: 2 oil}]  #!\nthen: [{over: true}]',
            ),
        ),
        Case(tests='given:\n  variables:\n    "seat(0).shed": 3 nut + 3 oil\nthen: [{over: true}]'),
        (
            Case(
                swap=("held: {type: bag of Part}", "held: {type: bag of Part, capacity: {total: 2, oil: 1}}"),
                tests='given:\n  zones:\n    "seat(0).tableau": [{piece: high, held: 1 oil + 1 nut}]\nthen: [{over: true}]',
            ),
        ),
    ),
    Check(
        "scenario-parties",
        (
            # With two players there are the automata `machine` and `ghost` too, with four `machine` alone.
            Case("score all: coins", tests="then:\n  - {lines: {all: [5]}}  #!"),
            Case("score all: coins", tests="then:\n  - {lines: {all: [5, 5, 5]}}  #!"),
            Case("score all: coins", tests="given: {players: 4}\nthen:\n  - {scores: [5, 5, 5, 5, 5, 5]}  #!"),
            Case("score all: coins", tests="given: {players: 4}\nthen:\n  - {winners: [5]}  #!"),
            # No rule of the tiny ruleset puts players out.
            Case(tests="given: {do: 'eliminate seat(1)'}  #!\nwhen: []\nthen: [{over: true}]"),
            Case(PLAY, tests="given: {players: 2}\nwhen:\n  - {seat: 2, id: 'act:*'}  #!\nthen: [{over: false}]"),
        ),
        Case("score all: coins", tests="then: [{lines: {all: [5, 5]}}, {scores: [5, 5, 5, 5]}, {winners: [0, 3]}]"),
        also=(
            Case(
                "rule leave: eliminate you",
                tests="given: {do: 'eliminate seat(1)'}\nwhen: []\nthen: [{over: true}]",
            ),
        ),
    ),
    Check(
        "zone-full",
        (
            # Three of `low`, `high` and `smith`.
            Case(
                yaml="zones: {shelf: {holds: Chip, capacity: 3}}\npieces: {Chip: [{id: blot, size: 2, count: 4, start: shelf}]}  #!"
            ),
            Case(swap=("    start: pile\n", "    start: tray  #!\n"), yaml="zones: {tray: {holds: Card, capacity: 4}}"),
            Case(
                yaml="pieces:\n  Robot:\n    - {id: box, start: 'board[b2]'}\n    - {id: bin, start: 'board[b2]'}  #!"
            ),
            Case(yaml="pieces:\n  Robot:\n    - {id: box, start: 'board[a1]'}  #!"),
            Case(yaml="pieces:\n  Robot:\n    - {id: box, per: player, start: 'board[b2]'}  #!"),
            # With four players alone.
            Case(
                yaml="zones: {shelf: {holds: Chip, capacity: 3}}\npieces: {Chip: [{id: blot, size: 2, count: count(players), start: shelf}]}  #!"
            ),
        ),
        Case(yaml="pieces:\n  Robot:\n    - {id: box, start: 'board[b2]'}\n    - {id: bin, start: 'board[c2]'}"),
        (
            # What depends on an option is found when such a game is made.
            Case(
                yaml="zones: {shelf: {holds: Chip, capacity: 8}}\npieces: {Chip: [{id: blot, size: 2, count: deck, start: shelf}]}"
            ),
            Case(
                yaml="zones: {shelf: {holds: Chip, capacity: count(players)}}\npieces: {Chip: [{id: blot, size: 2, count: count(players), start: shelf}]}"
            ),
        ),
    ),
)
