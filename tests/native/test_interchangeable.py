"""Choices and chance among individuals that may be alike: native code tells apart whom the interpreter tells apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from .compared import load, never_interpreted, same_games, watched_games

pytestmark = pytest.mark.usefixtures("compiler")
GOLDEN = 0x9E3779B97F4A7C15
"""What the generator's state grows by with each number."""

TOKENS = """\
rulelang: 2
name: g
players: 2..3
limits: {decisions: 60, outcome: scores}
kinds:
  Token:
    attributes: {worth: 1..3}
    variables: {level: {type: 0..2}, friend: {type: "Token?"}}
    start: bag
pieces:
  Token:
    - {id: red, worth: 1, count: 5}
    - {id: blue, worth: 2, count: 3}
    - {id: own, worth: 2, per: player, count: 2}
    - {id: gold, worth: 3}
zones:
  bag: {holds: Token}
  hand: {holds: Token, per: player}
  heap: {holds: Token, order: pile}
variables:
  chosen: {type: "Token?"}
  points: {type: 0..9999, per: player}
rules: |
  play:
    repeat 4 times:
      for p in players:
        turn of p: take_turn()

  rule take_turn:
    let first = choose one of bag else return
    first.level := choose a number from 0 to 2
    let second = pick(2) else return
    move first to hand
    let several = choose up to 3 of bag where it.worth < 3
    chain(several)
    for t in several:
      let other = choose one of bag where it != t else stop
      t.friend := other
      points += count(bag where alike(it, t))
    move second to heap
    choose action:
      swap(a in hand, b in bag) when a.worth <= b.worth:
        move b to hand
        move a to bag
      pair(a in bag, b in bag) when a != b: a.friend := b
      collect(s = 2 of bag, t in bag) when t not in s:
        move s to hand
        t.level := 2
      give(t in bag, s = 1 or more of hand) when sum(s.worth) < 5: move s to bag
      keep(t in bag): chosen := t
      wait: pass
    for g in hand grouped by level: chain(g)
    if some c = chosen:
      points += 1 if c in bag else 2
    if some r = random one of bag where it.level = 0: move r to hand
    if some r = random one of hand: r.level := 1

  # Waits, and gives one: what takes its value refers to nothing yet.
  rule pick(most: number) -> Token?:
    let t = choose one of bag where it.level <= most else return none
    let u = choose one of bag where it != t else return t
    return u

  rule chain(tokens: list of Token):
    let t = choose one of bag else return
    if count(tokens) > 1: t.level := 1
    let u = choose one of hand else return
    points += count(tokens where alike(it, u))
    move u to heap
    move top of heap to bag

  score points: points
  score hand: sum(hand.worth)
"""
"""Choices of one, of several, with several binders and guards; references of callers, of sets that they go through, of
variables and of piece variables; values that a waiting rule is to take."""

CARDS = """\
rulelang: 2
name: g
players: 2..3
limits: {decisions: 60, outcome: scores}
kinds:
  Card:
    attributes: {worth: 1..3}
    variables: {level: {type: 0..2}}
    marks: [tired]
    active: [row]
    start: deck
pieces:
  Card:
    - id: red
      worth: 1
      count: 6
      rules: |
        after gain(owner): points += 1
    - id: blue
      worth: 2
      count: 4
      rules: |
        after gain(owner) when not this.tired:
          mark this.tired until after turn of owner
          if some c = choose one of hand: c.level := 1
        before gain(s) when s != owner: points += 2
    - {id: gold, worth: 3}
zones:
  deck: {holds: Card, order: pile, visible: count, refill: discard}
  discard: {holds: Card}
  hand: {holds: Card, per: player, visible: owner}
  row: {holds: Card, per: player}
  secret: {holds: Card, per: player, visible: nobody}
variables:
  chosen: {type: "Card?"}
  points: {type: 0..9999, per: player}
rules: |
  setup:
    chosen := random one of deck where it.worth = 1
    for c in top 3 of deck: c.level := 1
    shuffle deck
    for p in players:
      draw 1 from deck to p.hand
      move top of deck to p.secret
  play:
    repeat 5 times:
      for p in players:
        turn of p: take_turn()

  rule take_turn:
    let first = top of deck else return
    draw 2 from deck to hand
    let played = choose up to 2 of hand
    play_cards(played)
    gain(you)
    together_all()
    if some r = random one of hand: move r to discard
    if first in deck: move first to discard
    choose:
      rest(c in hand, d in row) when c.worth != d.worth:
        c.level := 2
        move d to discard
      look:
        move secret to hand
        move top of deck to secret
      mix:
        move hand to deck
        shuffle deck
        draw 1 from deck to hand
      group(g in each(c for c in row)): chosen := g
      else: pass

  rule play_cards(cards: list of Card):
    for c in cards:
      let other = choose one of row else stop
      points += 1 if alike(other, c) else 0
    move cards to row

  rule together_all:
    let given = together choose one of hand
    for p in players:
      if some c = given[p]: move c to p.row

  event gain(s: player): points += 1

  score points: points
  score row: sum(row.worth)
"""
"""Pieces that nobody has seen, reactions that wait in a row, several seats that choose together, draws from sets."""


@pytest.mark.parametrize("text", [TOKENS, CARDS], ids=["tokens", "cards"])
def test_games_end_alike(text: str, tmp_path: Path) -> None:
    """From the start and from every seventh decision on, all backends play the same game; native code gives none up."""
    same_games(load(tmp_path, text))


@pytest.mark.soak
def test_nothing_is_read_or_written_elsewhere(tmp_path: Path) -> None:
    """Under the eyes of the sanitizers games end as in the interpreter."""
    ruleset = load(tmp_path, CARDS)
    watched_games(ruleset, tmp_path)


# ---- by hand ------------------------------------------------------------------------------------------------

SMALL = """\
rulelang: 2
name: g
players: 1
kinds: {Token: {variables: {level: {type: 0..9}}, start: bag}}
pieces: {Token: [{id: red, count: 3}]}
zones:
  bag: {holds: Token}
  heap: {holds: Token, order: pile}
  hand: {holds: Token, per: player}
variables: {which: {type: 0..99}, chosen: {type: "Token?"}}
rules: |
  play:
    turn of seat(0): act()
  score level: sum(hand.level) + sum(t.level for t in bag where chosen is not none)
  rule pick:
    let t = choose one of bag else return
    move t to hand
  rule pick_beside(other: Token):
    pick()
    other.level := 3
  rule give -> Token?:
    let t = choose one of bag else return none
    return t
  rule act:
"""

DRAWS = [
    ("one option takes no number", 0, "pick()"),
    (
        "nor does one way to choose several",
        0,
        """
        choose:
          take(several = 2 of bag): move several to hand
          else: pass""",
    ),
    ("nor one outcome", 0, "if some t = random one of bag: move t to hand"),
    (
        "a level tells one apart",
        1,
        """
        for t in top 1 of each(t for t in bag): t.level := 1
        pick()""",
    ),
    (
        "of an outcome too",
        1,
        """
        for t in top 1 of each(t for t in bag): t.level := 1
        if some u = random one of bag: move u to hand""",
    ),
    (
        "all are told apart in a pile",
        1,
        """
        move bag to heap
        if some t = choose one of heap: move t to hand""",
    ),
    (
        "a variable refers to one",
        1,
        """
        chosen := top of bag
        pick()""",
    ),
    (
        "two of which one is referred to: that one and another, or two others",
        1,
        """
        chosen := top of bag
        choose:
          take(several = 2 of bag): move several to hand
          else: pass""",
    ),
    (
        "a local that is needed after the choice refers to one",
        1,
        """
        let t = top of bag else return
        if some u = choose one of bag: u.level := 1
        t.level := 2""",
    ),
    (
        "one that is needed after a call does",
        1,
        """
        let t = top of bag else return
        pick()
        t.level := 2""",
    ),
    (
        "one that is needed no more does not",
        0,
        """
        let t = top of bag else return
        t.level := 0
        pick()""",
    ),
    (
        "what is to take a value refers to nothing",
        0,
        """
        let t = give() else return
        move t to hand""",
    ),
    (
        "what took it does",
        1,
        """
        let t = give() else return
        pick()
        move t to hand""",
    ),
    ("of a set that is gone through some: of three, three, two; then one", 2, "for t in bag: pick_beside(t)"),
    (
        "the second binder tells what the first bound from the two others",
        1,
        """
        choose:
          pair(t in bag, u in bag):
            t.level := 1
            u.level := 2
          else: pass""",
    ),
]
"""What is done, how many numbers of the generator that takes, the rule."""


def test_who_is_told_apart(tmp_path: Path) -> None:
    """How many numbers a game takes says how often there was more than one option or outcome."""
    rows = [f"    if which = {place}:\n      a{place}()\n" for place in range(len(DRAWS))]
    rules = [f"  rule a{place}:\n        {rule.strip()}\n" for place, (_, _, rule) in enumerate(DRAWS)]
    ruleset = load(tmp_path, SMALL + "".join(rows + rules))
    for backend in ("interpreter", "native"):
        executor = ruleset.executor(1, {}, backend)
        if backend == "native":
            never_interpreted(executor)
        for place, (what, draws, _) in enumerate(DRAWS):
            state = executor.new_state(3, logging=False)
            state.v[0] = place
            before = state.rng
            executor.random_playout(state)
            assert (state.rng - before) % (1 << 64) == draws * GOLDEN % (1 << 64), (backend, what)
