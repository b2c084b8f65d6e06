"""Visibility: what a seat is asked, and whether it is asked, depends only on what it sees."""

from __future__ import annotations

from dataclasses import replace

from tests.semantics.case import Case, Check


def turns(body: str, more: str = "") -> Case:
    """A game in which each player in turn does `body`."""
    lines = "".join(f"      {line}\n" for line in body.split("\n"))
    return Case(f"play:\n  for p in players:\n    turn of p:\n{lines}{more}")


ABILITY = "ability worth(c: Card) -> number = 1\n"
WORK = "ability work(c: Card): coins += 1\n"
TALE = "on worth(c) = secret"
"""What only the row `smith` reads, which is red and worth 2; the others are `low`, red and 1, and `high`, blue and 3."""


def each_card(of: str, body: str = "", more: str = ABILITY, piece: str = TALE) -> Case:
    """A game in which each player is asked something for cards, by what they are worth."""
    body = body or "if worth(c) > 1: coins := choose a number from 1 to 2"
    lines = "\n".join(f"  {line}" for line in body.split("\n"))
    return Case(turns(f"for c in {of}:\n{lines}", more).rules, piece=piece)


HIT = "event hit(p: player): p.coins += 1\n"
ASK = "rule ask(q: player):\n  as q: coins := choose a number from 1 to 2\n"
ANY = "any(c.value = 2 for c in next.hand)"


def from_hand(piece: str) -> Case:
    """A game in which the row `smith` is in force in a hand, which its owner alone sees."""
    return Case(HIT + turns("hit(next)\nchoose act:\n  a: coins += 1").rules, swap=IN_HANDS, piece=piece)


IN_HANDS = ("active: [tableau]", "active: [hand]")


SHOW = "rule show(q: player): reveal q.bid\n"
ASK_BY_BID = "if next.bid > 2: coins := choose a number from 1 to 2  #!"
SHOWN = f"show(next)\n{ASK_BY_BID}"

LEAKS = (
    # A prompt tells what its words name.
    replace(
        turns("ask(next.bid)", "rule ask(n: number):\n  let x = choose a number from 1 to 2  #!\n  coins += n"),
        yaml='words:\n  en: {ask: "ask for {n}"}\n',
    ),
    # From a hand a piece can't have to react: that it does tells what is in the hand.
    from_hand("after hit(owner): owner.coins += 1  #!"),
    from_hand("instead of hit(owner): move this to trash  #!"),
    Case(
        HIT.replace("\n", "  #!\n") + turns("hit(next)").rules,
        swap=IN_HANDS,
        piece="may after hit(p) when p.next.bid > 2: p.coins += 1",
    ),
    # Whether a seat is asked all see: where nothing is offered, that tells what it holds.
    turns("choose:  #!\n  lay(c in hand where it.value > 2): move c to tableau\n  else: ask(next)", ASK),
    turns("choose:  #!\n  lay(c in hand where it.value > 2): move c to tableau\n  else: ask(you)", ASK),
    turns("choose:  #!\n  a when bid > 2: coins += 1\n  else: let n = choose a number from 1 to 2 by next"),
    turns(
        "go()",
        "rule go:\n  choose:  #!\n    lay(c in hand where it.value > 2): return\n    else: pass\n"
        "  as next: coins := choose a number from 1 to 2\n",
    ),
    turns(
        "go()",
        "rule go:\n  let c = choose one of (hand where it.value > 2) else return  #!\n"
        "  as next: coins := choose a number from 1 to 2\n",
    ),
    turns("secretly choose:  #!\n  lay(c in hand where it.value > 2): move c to tableau\n  else: pass"),
    turns("let c = secretly choose up to 1 of (hand where it.value > 2)  #!"),
    turns("let c = together choose up to 1 of (hand where it.value > 2)  #!"),
    turns("if bid > 2: coins := choose a number from 1 to 2  #!"),
    turns("for c in hand where it.value > 2: coins := choose a number from 1 to 2  #!"),
    turns("reveal vault to you\nlet c = choose one of vault  #!"),
    turns("anyway secretly choose:\n  lay(c in hand where it.value > 2): move c to tableau\n  else: coins += 1  #!"),
    # A value that was revealed is known, and no other; on the ways on which it was revealed.
    turns(f"reveal {ANY}\nif any(c.value = 3 for c in next.hand): coins := choose a number from 1 to 2  #!"),
    turns(f"reveal {ANY} to next.next\nif {ANY}: coins := choose a number from 1 to 2  #!"),
    turns(f"if coins > 3: reveal {ANY}\nif {ANY}: coins := choose a number from 1 to 2  #!"),
    turns(f"reveal {ANY}\ndraw 1 from pile to next.hand\nif {ANY}: coins := choose a number from 1 to 2  #!"),
    turns("reveal pile to next\nlet c = choose one of pile  #!"),
    turns("reveal pile to you\nshuffle pile\nlet c = choose one of pile  #!"),
    turns("reveal top of pile to you\nlet c = choose one of pile  #!"),
    # What a piece brings is read where the piece may be of that row.
    each_card("hand where it.value >= 2", "if worth(c) > 1: coins := choose a number from 1 to 2  #!"),
    each_card("hand where it.colour = red", "if worth(c) > 1: coins := choose a number from 1 to 2  #!"),
    each_card(
        "hand where it.colour = blue or it.charge > 0", "if worth(c) > 1: coins := choose a number from 1 to 2  #!"
    ),
    each_card("hand", "if c is not low and worth(c) > 1: coins := choose a number from 1 to 2  #!"),
    each_card("hand", "if c.value > 2: pass\nif worth(c) > 1: coins := choose a number from 1 to 2  #!"),
    Case(
        turns("choose:\n  a when possible(tell() then coins > 1): pass  #!\n  b: pass", WORK).rules
        + "rule tell:\n  for c in tableau where it.value >= 2: work(c)\n",
        piece="on work(c): coins += secret",
    ),
    # A variable that all see is written only from what all see, or what a player who acts has chosen before all.
    turns("coins := next.bid  #!"),
    turns("if bid > 2: coins := bid  #!"),
    turns("let n = choose a number from 1 to 2\nif bid > 2: coins := 1  #!"),
    turns("let n = secretly choose a number from 1 to 2\ncoins := n  #!"),
    turns("if next.bid > 2: coins := 1  #!"),
    turns("for q in others where it.bid > 2: leader := q  #!"),
    turns("for c in shown: mood := c.colour  #!"),
    turns("for c in top 2 of shown: mood := c.colour  #!"),
    Case("play:\n  for p in players where any(c is smith for c in p.hand): leader := p  #!\n"),
    Case("play:\n  for p in players:\n    if any(c is smith for c in p.hand): leader := p  #!\n"),
    Case("play:\n  for p in players: go(p)\nrule go(p: player):\n  if p.bid > 2: leader := p  #!\n"),
    # What a rule reveals is known after it if each way through it reveals it, and nothing has changed.
    turns(SHOWN, "rule show(q: player):\n  if coins > 3: return\n  reveal q.bid\n"),
    turns(SHOWN, "rule show(q: player):\n  if coins > 3: reveal q.bid\n"),
    turns(SHOWN, "rule show(q: player): reveal q.next.bid\n"),
    turns(SHOWN, "rule show(q: player):\n  reveal q.bid\n  q.bid := secret\n"),
    turns(f"show(next)\nnext.bid := secret\n{ASK_BY_BID}", "rule show(q: player): reveal q.bid\n"),
    turns(f"show(next)\nnext.bid := secret\nmind(next)\n{ASK_BY_BID}", "rule mind(q: player): pass\n" + SHOW),
    # Choosing from where one does not see.
    turns("let c = choose one of next.hand  #!"),
    turns("let c = choose 2 of next.hand  #!"),
    turns("let c = choose one of mirror  #!"),
    turns("let c = choose one of vault  #!"),
    turns("let c = choose one of (top 2 of pile)  #!"),
    turns("let c = choose one of hand by next  #!"),
    turns("choose:\n  a(q in others, c in q.hand): pass  #!\n  b: pass"),
    # A guard or a condition that reads what one does not see.
    turns("let q = choose one of others where count(it.hand where it.value > 1) > 1  #!"),
    turns("choose:\n  a when next.bid > 2: pass  #!\n  b: pass"),
    turns("choose:\n  a when secret = 1: pass  #!\n  b: pass"),
    turns("choose:\n  a when count(vault) > 1: pass  #!\n  b: pass"),
    turns("choose:\n  a when max(mirror.value) = 2: pass  #!\n  b: pass"),
    # Being asked at all.
    turns("if next.bid > 2:\n  let n = choose a number from 1 to 2  #!"),
    turns("while secret > 2:\n  let n = choose a number from 1 to 2  #!"),
    turns("for c in next.hand where it.value > 1:\n  let n = choose a number from 1 to 2  #!"),
    turns("let n = choose a number from 1 to secret  #!"),
    turns("let x = next.bid\nlet y = x + 1\nif y > 2: coins := choose a number from 1 to 2  #!"),
    turns("let best = players with most it.bid\nfor q in best:\n  let n = choose a number from 1 to 2 by q  #!"),
    # Leaving early.
    turns("go()", "rule go:\n  if next.bid > 2: return\n  let n = choose a number from 1 to 2  #!\n"),
    turns("repeat:\n  if next.bid > 2: stop\n  let n = choose a number from 1 to 2  #!"),
    # Through functions, rules, events and pieces.
    turns("if rich(next): coins := choose a number from 1 to 2  #!", "function rich(p: player) -> bool = p.bid > 2\n"),
    turns(
        "let n = peek()\nif n > 2: coins := choose a number from 1 to 2  #!", "rule peek -> number: return next.bid\n"
    ),
    turns("ask(next.bid)", "rule ask(n: number):\n  if n > 2: coins := choose a number from 1 to 2  #!\n"),
    turns("ask(next)", "rule ask(q: player): let c = choose one of q.hand  #!\n"),
    turns("harm(next)", "event harm(q: player):\n  let c = choose one of q.hand  #!\n"),
    turns(
        "if price > 2: coins := choose a number from 1 to 2  #!",
        "quantity price -> number = 1\nmodify price: plus secret\n",
    ),
    Case(
        turns("e()", "event e: pass  #!\n").rules,
        piece="after e when secret > 2: move hand to trash\nafter e: coins += 1",
    ),
    # A piece that must react tells by it what its condition reads.
    Case(turns("e()", "event e: pass\n").rules, piece="after e when owner.bid > 2: owner.coins += 1  #!"),
    Case(turns("e()", "event e: pass  #!\n").rules, piece="may after e when owner.bid > 2: owner.coins += 1"),
    Case(
        turns("e()", "event e: pass\n").rules,
        piece="after e when owner.bid > 2:\n  choose by owner:  #!\n    a(c in owner.hand): pass\n    b: pass",
    ),
    # A value that one row brings, whoever else's row says nothing: it is read by whoever asks.
    Case(
        turns(
            "for c in hand:\n  if worth(c) > 1: coins := choose a number from 1 to 2  #!",
            "ability worth(c: Card) -> number = 1\n",
        ).rules,
        piece="on worth(c) = secret",
    ),
    # What was shown is shown no longer, or was not shown on every way.
    turns("reveal next.hand\ndraw 1 from pile to next.hand\nlet c = choose one of next.hand  #!"),
    turns("if coins > 2: reveal next.hand\nlet c = choose one of next.hand  #!"),
    turns("for q in others: reveal next.hand\nlet c = choose one of next.hand  #!"),
    turns("reveal next.hand to next.next\nlet c = choose one of next.hand  #!"),
    # A variable that holds another seat by now.
    turns("first := next\nturn of first:\n  first := next\n  let c = choose one of first.hand  #!"),
    # What is drawn blindly from a hand only its owner knows.
    turns("if some c = random one of next.hand:\n  if c.value > 2: coins := choose a number from 1 to 2  #!"),
    # What several players hold, or all of a kind.
    turns("let c = choose one of others.hand  #!"),
    turns("let c = choose one of Card  #!"),
    turns("let g = choose one of next.hand grouped by colour  #!"),
    turns("let c = choose one of distinct(next.hand by it.value)  #!"),
    turns("if sum(c.value for q in others for c in q.hand) > 4: coins := choose a number from 1 to 2  #!"),
    # A secret choice.
    turns("let n = secretly choose a number from 1 to 2\nif n > 1: coins := choose a number from 1 to 2 by next  #!"),
    turns(
        "let x = together secretly choose a number from 0 to 2\nif x[next] > 1: coins := choose a number from 1 to 2  #!"
    ),
    turns("let x = together choose 1 of hand\nif x[next] is empty: coins := choose a number from 1 to 2  #!"),
    # Looking ahead through what one does not see.
    turns("choose:\n  a when possible(go() then coins > 2): pass  #!\n  b: pass", "rule go: coins := next.bid\n"),
)

SEEN = (
    from_hand("may instead of hit(owner): move this to trash"),
    from_hand(
        "may instead of hit(p) when this.value > owner.bid:\n  as p: coins := choose a number from 1 to 2\n  proceed"
    ),
    from_hand("may before hit(p):\n  let x = choose one of others by p.next else return\n  x.coins += 1"),
    replace(from_hand("after hit(owner): owner.coins += 1"), swap=("active: [tableau]", "active: [hand, tableau]")),
    from_hand("offer in act:\n  go(x in others): x.coins += 1"),
    turns("choose:\n  lay(c in hand): move c to tableau\n  else: ask(next)", ASK),
    turns("choose:\n  lay(c in hand where it.value > 2): move c to tableau\n  b: ask(next)", ASK),
    turns("anyway secretly choose:\n  lay(c in hand where it.value > 2): move c to tableau"),
    turns("let c = anyway secretly choose up to 1 of (hand where it.value > 2)\nmove c to tableau"),
    turns("if some c = anyway secretly choose one of (hand where it.value > 2): move c to tableau"),
    turns("let c = anyway choose one of (hand where it.value > 2) else return\nmove c to tableau\nask(next)", ASK),
    turns(
        "let c = anyway together choose 1 or more of (hand where it.value > 2)\nfor q in players: move c[q] to q.tableau"
    ),
    turns("choose:\n  a when bid > 2: coins += 1\n  else: never\nlet n = choose a number from 1 to 2 by next"),
    turns("let c = choose one of (hand where it.value > 2) else never\nmove c to tableau"),
    turns("let c = choose one of (hand where it.colour = mood or all(d.colour != mood for d in hand)) else return"),
    turns("let x = together secretly choose a number from 0 to bid"),
    turns("if some colour = choose one of Colour where it in hand.colour: mood := colour"),
    turns("choose:\n  a when count(next.hand) > 2: coins += 1\n  else: ask(next)", ASK),
    turns(
        "go()", "rule go:\n  let c = choose one of hand else return\n  as next: coins := choose a number from 1 to 2\n"
    ),
    turns(f"reveal {ANY}\nif {ANY}: coins := choose a number from 1 to 2"),
    turns(f"if coins > 3:\n  reveal {ANY}\n  if {ANY}: coins := choose a number from 1 to 2"),
    turns(f"if coins > 3: reveal {ANY}\nelse: reveal {ANY}\nif {ANY}: coins := choose a number from 1 to 2"),
    turns("reveal max(next.hand.value)\nif some m = max(next.hand.value): coins := choose a number from 0 to m"),
    turns("reveal pile to you\nlet c = choose one of pile"),
    turns("reveal vault\nlet c = choose one of vault"),
    turns("reveal top 2 of pile to you\nlet c = choose one of (top 2 of pile)"),
    turns("let c = choose one of hand\nlet d = choose 2 of hand\nlet e = choose one of trash"),
    turns("let c = choose one of next.mirror\nlet d = choose one of hand by p"),
    turns(
        "choose:\n  a(q in others, c in q.tableau): pass\n  b when bid > 2 and count(next.hand) > 1: pass\n  c: pass"
    ),
    turns("let g = choose one of hand grouped by colour\nlet n = choose one of distinct(hand by it.value)"),
    turns("let c = choose one of others.tableau\nlet r = choose one of Robot\nmove others.hand to trash"),
    turns("if count(others.hand) > 2 and players.hand is not empty: coins := choose a number from 1 to 2"),
    turns("reveal next.hand\nlet c = choose one of next.hand"),
    turns("reveal next.hand to you\nlet c = choose one of next.hand"),
    turns(
        "if some c = random one of next.hand:\n  move c to hand\n  choose:\n    a when c.value > 2: pass\n    b: pass"
    ),
    turns("if some c = top of pile:\n  move c to trash\n  if c.value > 2: coins := choose a number from 1 to 2"),
    turns("if some c = top of shown:\n  if c.value > 2: coins := choose a number from 1 to 2"),
    turns("let n = choose a number from 1 to 2\nif n > 1: coins := choose a number from 1 to 2 by next"),
    turns("let n = choose a number from 1 to bid + 1\nif n > 1: coins := choose a number from 1 to 2 by next"),
    turns("let x = together choose a number from 0 to 2\nif x[next] > 1: coins := choose a number from 1 to 2"),
    turns("reveal next.bid\ncoins := next.bid\nif coins > 2: coins := choose a number from 1 to 2"),
    turns("turn of first:\n  let c = choose one of first.hand"),
    turns("choose by first:\n  a(c in first.hand): pass\n  b: pass"),
    turns("reveal next.bid\nif next.bid > 2: end the game\nlet n = choose a number from 1 to 2"),
    # What a rule surely reveals is known after it.
    turns(SHOWN.replace("  #!", ""), SHOW),
    turns(SHOWN.replace("  #!", ""), "rule show(q: player): deeper(q)\nrule deeper(r: player): reveal r.bid\n"),
    turns(
        SHOWN.replace("  #!", ""),
        "rule show(q: player):\n  if coins > 3:\n    reveal q.bid\n    return\n  reveal q.bid\n",
    ),
    turns(f"show(next)\nnext.bid := secret\nshow(next)\n{ASK_BY_BID}".replace("  #!", ""), SHOW),
    # The top one of a pile that shows its top, one way or the other.
    turns("if fits(): coins += 1", "function fits -> bool = any(c.value = 2 for c in top 1 of shown)\n"),
    turns("for c in top 1 of shown: mood := c.colour"),
    # What all see is written from what the acting player sees, from what was revealed, and after a move that all see.
    turns("let c = choose one of hand else return\nmood := c.colour\nmove c to tableau"),
    turns(
        "let q = choose one of others else return\nreveal q.hand to you\nif count(q.hand where it.value > 1) > bid: q.coins -= 1"
    ),
    turns("if some c = top of shown: mood := c.colour"),
    turns("if some c = top of (pile where it is smith):\n  move c to tableau\n  mood := c.colour"),
    Case(
        "play:\n  reveal players where any(c is smith for c in it.hand)\n"
        "  for p in players where any(c is smith for c in p.hand): leader := p\n"
    ),
    # A piece that is surely of another row reads nothing of what that row reads.
    each_card("tableau where it.colour = blue"),
    each_card("tableau where it.value in [1, 3]"),
    each_card("tableau where it is not smith"),
    each_card("tableau where not (it.value = 2)"),
    each_card("tableau", "if c.colour = blue and worth(c) > 1: coins := choose a number from 1 to 2"),
    each_card("tableau", "if c.value = 2: pass\nelse if worth(c) > 1: coins := choose a number from 1 to 2"),
    each_card("tableau", "if c.value != 2:\n  if worth(c) > 1: coins := choose a number from 1 to 2"),
    each_card("blue_ones()", more=ABILITY + "function blue_ones -> list of Card = tableau where it.colour = blue\n"),
    each_card(
        "tableau",
        "if plain(c):\n  if worth(c) > 1: coins := choose a number from 1 to 2",
        ABILITY + "function plain(c: Card) -> bool = c.value > 2 and count(trash) > 1\n",
    ),
    each_card("hand", "bid := value_of(c)", ABILITY + "function value_of(c: Card) -> number = worth(c)\n"),
    Case(
        turns("choose:\n  a when possible(tell() then coins > 1): pass\n  b: pass", WORK).rules
        + "rule tell:\n  for c in tableau where it.value != 2: work(c)\n",
        piece="on work(c): coins += secret",
    ),
    Case(
        turns("choose:\n  a when possible(tell() then coins > 1): pass\n  b: pass", WORK).rules
        + "rule tell:\n  for c in tableau:\n    if c.value = 2: return\n    work(c)\n",
        piece="on work(c): coins += secret",
    ),
    turns("choose:\n  a when possible(go() then coins > 2): pass\n  b: pass", "rule go: coins := bid\n"),
    Case(
        turns("e()", "event e: pass\n").rules,
        piece="after e when owner.coins > 2:\n  choose by owner:\n    a(c in owner.hand): pass\n    b: pass",
    ),
)

STRIKE = ("strike(you)", "event strike(s: player): pass\n")

CHECKS = (
    Check("visibility-leak", LEAKS, SEEN[0], SEEN[1:]),
    Check(
        "choice-automaton",
        (
            Case("play: let n = choose a number from 1 to 2 by machine  #!"),
            Case("play:\n  turn of machine: let n = choose a number from 1 to 2  #!"),
            Case("play:\n  as machine: go()\nrule go:\n  choose:  #!\n    a: pass\n    b: pass"),
        ),
        Case("play:\n  turn of machine: move trash to tableau\n  let n = choose a number from 1 to 2 by seat(0)"),
    ),
    Check(
        "choice-owner",
        (
            turns("next.shed += 1 any Part  #!"),
            turns("for q in others: gift(q)", "rule gift(q: player): q.shed += 1 (nut or oil)  #!\n"),
            Case(turns("strike()", "event strike: pass\n").rules, piece="after strike: owner.shed += 1 any Part  #!"),
            Case(turns(*STRIKE).rules, piece="after strike(s) when s != owner: owner.shed += 1 any Part  #!"),
            Case(
                turns(*STRIKE).rules, piece="after strike(s) when s = owner or coins > 1: owner.shed += 1 any Part  #!"
            ),
        ),
        turns("for q in others: gift(q)", "rule gift(q: player): q.shed += 1 (nut or oil) by q\n"),
        (
            turns("shed += 1 any Part"),
            turns("p.shed += 1 any Part"),
            turns("next.shed += 1 any Part by you"),
            turns("next.shed += 1 nut"),
            Case("setup:\n  for p in players: p.shed += 1 any Part"),
            Case(turns(*STRIKE).rules, piece="after strike(owner): owner.shed += 1 any Part"),
            Case(
                turns(*STRIKE).rules, piece="after strike(s) when coins > 1 and you = owner: owner.shed += 1 any Part"
            ),
            turns("for q in players:\n  if q = you: q.shed += 1 any Part"),
        ),
    ),
)
