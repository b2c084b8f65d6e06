"""Events that take a card where not all see it, and the reactions of pieces that all see: which of them are in force, and
in which order they come, hangs on the card only where it may lie among them or its face is asked for."""

from __future__ import annotations

from textwrap import indent

GAME = """\
rulelang: 2
name: stow
players: 3
kinds:
  Card: {attributes: {value: 1..3}, start: deck, active: [row]}
pieces:
  Card:
    - {id: one, value: 1, count: 20}
    - id: two
      value: 2
      count: 20
      rules: |
        @: owner.coins += 1
    - id: three
      value: 3
      count: 20
      rules: |
        @:
          if owner.coins < 400: owner.coins := 2 * owner.coins
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
  stash: {holds: Card, per: player, visible: owner}
  vault: {holds: Card, visible: nobody}
  row: {holds: Card, per: player}
variables:
  coins: {type: 0..999, per: player, start: 9}
rules: |
  setup:
    shuffle deck
    for p in players: draw 3 from deck to p.hand
    for p in players: draw 3 from deck to p.row
  play:
    for p in players:
      turn of p:
"""
CHOSEN = "let c = secretly choose one of hand else return\n"


def stowed(
    head: str = "after stow(c)", turn: str = f"{CHOSEN}stow(c)", body: str = "move c to stash", rules: str = ""
) -> str:
    """The game of an event with this body, of two reactions that don't commute and begin with `head`, and a turn."""
    event = f"event stow(c: Card):\n  {body}\n{rules}"
    return GAME.replace("@", head) + indent(turn, " " * 8) + "\n" + indent(event, "  ")


def with_identity(text: str) -> str:
    """The same game, in which cards that are alike are told apart."""
    return text.replace("Card: {attributes", "Card: {identity: true, attributes")


DUMP = "rule dump:\n  for c in hand where it.value > 1: move c to row\n"
SILENT = {
    **{f"{head}, from a hand": stowed(head) for head in ("after stow(c)", "before stow(c)", "may after stow(c)")},
    "once per turn": stowed("after stow(c) once per turn"),
    "by whose turn it is": stowed("after stow(c) when owner = you"),
    "of the card itself, which can't be it": with_identity(stowed("after stow(this)")),
    "of a card that can't lie there": with_identity(stowed("after stow(c) when c in row")),
    "of a card drawn blindly": stowed(turn="let c = random one of next.hand else return\nstow(c)"),
    "of the top of a pile": stowed(turn="let c = top of deck else return\nstow(c)"),
    "of each card": stowed(turn="for c in hand: stow(c)"),
    "of a card that is hidden already": stowed(turn=f"{CHOSEN}move c to stash\nstow(c)", body="move c to vault"),
    "after others are drawn": stowed(turn=f"{CHOSEN}draw 1 from deck to row\nstow(c)"),
    "in rules in each other": stowed(
        turn=f"{CHOSEN}act(c)",
        body="store(c)",
        rules="rule store(c: Card): move c to stash\nrule act(c: Card): stow(c)\n",
    ),
    "of one that all see, too": stowed(turn=f"{CHOSEN}stow(c)\nlet d = choose one of row else return\nstow(d)"),
}
TOLD = {
    "by its face": stowed("after stow(c) when c.value > 1"),
    "of a hand or a row": stowed(turn="let c = secretly choose one of (hand + row) else return\nstow(c)"),
    "of a hand or a row, the second time": stowed(
        turn=f"{CHOSEN}stow(c)\nlet d = secretly choose one of (hand + row) else return\nstow(d)"
    ),
    "of one or another by a secret": stowed(
        turn=f"{CHOSEN}let d = choose one of row else return\nlet e = c if c.value > 1 else d\nstow(e)"
    ),
    "after all are laid open": stowed(turn="let c = random one of hand else return\nmove hand to row\nstow(c)"),
    "after it may be laid open": stowed(turn=f"{CHOSEN}if c.value > 1: move c to row\nstow(c)", body="move c to vault"),
    "after others like it are laid open": stowed(turn=f"{CHOSEN}move (hand where it.value > 1) to row\nstow(c)"),
    "after a rule lays some open": stowed(turn=f"{CHOSEN}dump()\nstow(c)", rules=DUMP),
    "in a loop that lays some open": stowed(
        turn="for c in hand:\n  stow(c)\n  move (hand where it.value > 1) to row", body="move c to vault"
    ),
    "of cards like it": stowed("after stow(this)"),
    "of cards like one that lies there": stowed("after stow(c) when c in row"),
}
"""Each tells a secret, by which reactions are in force or by what they are put in order."""
