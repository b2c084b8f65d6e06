"""OpenSpiel's games told in the ids of our rulesets.

Enters: `open_spiel` (the extra `verify`). Leaves: `WITNESSES`. For each game a function gives the id of our action for
one of OpenSpiel's: mostly read from its text, which names squares as players do.
"""

from __future__ import annotations

import random
import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import pyspiel

from .lockstep import AND, WITHOUT, Played, Witness

Told = Callable[[Any, int], str]
"""From a state of OpenSpiel and an action there to our id."""
WITNESSES: dict[str, Witness] = {}


class _Game:
    """A game of OpenSpiel; `other_draws`: whether it has draws that our rules have not."""

    def __init__(self, game: Any, told: Told, other_draws: bool, seed: int) -> None:
        self.state, self.told, self.other_draws, self.seed = game.new_initial_state(), told, other_draws, seed

    def is_over(self) -> bool:
        return bool(self.state.is_terminal())

    def is_chance(self) -> bool:
        return bool(self.state.is_chance_node())

    def _actions(self) -> dict[str, int]:
        actions = self.state.legal_actions()
        certain = WITHOUT if self.state.is_chance_node() and len(actions) == 1 else ""  # ours has no node for it
        return {certain + self.told(self.state, action): action for action in actions}

    def offered(self) -> list[str]:
        return [*self._actions()]

    def choose(self, id_: str) -> None:
        self.state.apply_action(self._actions()[id_])

    def returns(self) -> list[float] | None:
        returns = list(self.state.returns())
        return None if self.other_draws and not any(returns) else returns


def witness(
    name: str,
    game: str,
    players: int = 2,
    options: dict[str, Any] | None = None,
    other_draws: bool = False,
    kind: type[_Game] = _Game,
    **more: Any,
) -> Callable[[Told], Told]:
    """Enter a function that tells OpenSpiel's actions as the witness of a ruleset."""
    loaded = pyspiel.load_game(game)

    def enter(told: Told) -> Told:
        def begin(seed: int) -> Played:
            return kind(loaded, told, other_draws, seed)

        WITNESSES[name] = Witness(begin, f"OpenSpiel {version('open_spiel')}", players, options or {}, **more)
        return told

    return enter


def flipped(square: str, rows: int) -> str:
    """Return the name of a square when rows are counted from the top instead of from the bottom, or the other way."""
    return f"{square[0]}{rows + 1 - int(square[1:])}"


@witness("connect_four", "connect_four")
def _column(state: Any, action: int) -> str:
    column = chr(97 + action)
    discs = sum(row[action] != "." for row in str(state).split("\n")[:6])
    return f"drop:spot={column}{6 - discs}"


@witness("othello", "othello")
def _disc(state: Any, action: int) -> str:
    text = state.action_to_string(action)
    return f"place_disc:spot={text[:2]}" if action < 64 else f"{WITHOUT}pass"


@witness("breakthrough", "breakthrough")
def _pawn(state: Any, action: int) -> str:
    text = state.action_to_string(action)
    return f"advance:start={flipped(text[:2], 8)},target={flipped(text[2:4], 8)}"


@witness("hex", "hex(board_size=7)", options={"size": 7, "swap": False})
def _stone(state: Any, action: int) -> str:
    return f"place:spot={state.action_to_string(action)[-2:]}"


@witness("gomoku", "gomoku")
def _five(state: Any, action: int) -> str:
    row, column = map(int, state.action_to_string(action).split(","))
    return f"place:spot={chr(97 + column)}{row + 1}"


@witness("lines_of_action", "lines_of_action", other_draws=True)  # where stones stand as before
def _line(state: Any, action: int) -> str:
    text = state.action_to_string(action)
    return f"go:start={text[:2]},target={text[3:5]}"


@witness("dots_and_boxes", "dots_and_boxes(num_rows=3,num_cols=3)")
def _edge(state: Any, action: int) -> str:
    _, way, row, column = re.split(r"\D*\((\w),(\d),(\d)\)", "x" + state.action_to_string(action))[0:4]
    return _between_dots(way, int(row), int(column))


def _between_dots(way: str, row: int, column: int) -> str:
    """Return the line from a dot to the right or down."""
    across, down = (1, 0) if way == "h" else (0, 1)
    return f"draw_lines:line={chr(97 + column)}{row + 1}_{chr(97 + column + across)}{row + 1 + down}"


def _again(state: Any) -> bool:
    """Return whether who moved last moves again."""
    history = state.full_history()
    return bool(history) and history[-1].player == state.current_player()


@witness("draughts", "checkers", other_draws=True)  # after twenty moves of each without a capture
def _draught(state: Any, action: int) -> str:
    text = state.action_to_string(action)
    start, target = text[:2], text[-2:]
    if _again(state):
        return f"leap:further={target}"
    return f"{'jump' if abs(int(start[1]) - int(target[1])) == 2 else 'go'}:start={start},target={target}"


POINTS = "a1 d1 g1 b2 d2 f2 c3 d3 e3 a4 b4 c4 e4 f4 g4 c5 d5 e5 b6 d6 f6 a7 d7 g7".split()
"""OpenSpiel counts the points of the three squares row by row."""


@witness("nine_mens_morris", "nine_mens_morris")
def _man(state: Any, action: int) -> str:
    text = state.action_to_string(action)
    points = [POINTS[int(number)] for number in re.findall(r"\d+", text)]
    if len(points) == 2:
        return f"go:start={points[0]},target={points[1]}"
    return f"capture:victim={points[0]}" if _again(state) else f"place:spot={points[0]}"


PITS = "a1 b2 c2 d2 e2 f2 g2 h2 g1 f1 e1 d1 c1 b1".split()
"""OpenSpiel's pits: the second seat's store, the first seat's pits and store, the second seat's pits."""


@witness("mancala", "mancala")
def _pit(state: Any, action: int) -> str:
    return f"take_turn:start={PITS[action]}"


@witness("pig", "pig", steps=300)
def _throw(state: Any, action: int) -> str:
    text = state.action_to_string(action)
    if state.is_chance_node():
        return f"take_turn:die={text[-1]}"
    return {"roll": "throw", "stop": "hold"}[text]


FACES = " ace two three four five six".split(" ")


CATEGORIES = {"chance": "choice", "small_straight": "little_straight", "large_straight": "big_straight"}


@witness("yacht", "yacht", steps=200)
def _dice(state: Any, action: int) -> str:
    text = state.action_to_string(action)
    if state.is_chance_node():
        return AND.join(f"throw:face={FACES[int(digit)]}" for digit in re.findall(r"\d", text))
    if text.startswith("Score in "):
        name = text.removeprefix("Score in ").lower().replace(" ", "_")
        return f"take_turn:category={CATEGORIES.get(name, name)}"
    thrown = re.findall(r"\d", re.search(r"Dice: ([\d ]*)", str(state))[1])  # type: ignore[index]
    again = sorted(FACES[int(thrown[int(place)])] for place in re.findall(r"\d", text))
    return f"take_turn:again={'+'.join(again) or 'none'}"


BIDS = "one two three four five six".split()


@witness("liars_dice", "liars_dice(numdice=3)", options={"dice_each": 3, "game": "one_round"})
def _bid(state: Any, action: int) -> str:
    text = state.action_to_string(action)
    if state.is_chance_node():
        die = len(state.history()) % 3 + 1
        return f"throw:draw=die{die}_{BIDS[int(text[-1]) - 1]}@{len(state.history()) // 3}"
    number, _, face = text.partition("-")
    return f"bid:n={number},f={BIDS[int(face) - 1]}" if face else "doubt"


class _Go(_Game):
    """A game of go; OpenSpiel ends it where a position comes up again, too."""

    def returns(self) -> list[float] | None:
        history = self.state.history()
        return list(self.state.returns()) if history[-1] == history[-2] else None


@witness("go", "go(board_size=9)", options={"superko": False}, kind=_Go, steps=100)
def _go(state: Any, action: int) -> str:
    name = state.action_to_string(action)[2:]
    return "give_up_turn" if name == "PASS" else f"place:point={name}"


RANKS = dict(
    zip("23456789TJQKA", "two three four five six seven eight nine ten jack queen king ace".split(), strict=True)
)
SUITS = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}


def card(text: str) -> str:
    """Return the id of a card: `TH` or `HT` is the ten of hearts."""
    suit, rank = sorted(text.upper(), key=lambda letter: letter not in SUITS)
    return f"{RANKS[rank]}_of_{SUITS[suit]}"


def shares(scores: list[float]) -> list[float]:
    """Return what those get who share a victory, by who has most: one in all, of the others minus one in all."""
    best = [score == max(scores) for score in scores]
    if all(best):
        return [0.0] * len(scores)
    return [1 / sum(best) if won else -1 / (len(best) - sum(best)) for won in best]


class _Dealt(_Game, ABC):
    """A game of cards that OpenSpiel deals in another order: the whole deal is one step of chance, told in ours;
    `fixed`: what chance gives where it may."""

    deal = fixed = ""

    def __init__(self, game: Any, told: Told, other_draws: bool, seed: int) -> None:
        super().__init__(game, told, other_draws, seed)
        picker, drawn = random.Random(self.seed), list[str]()
        while self.state.is_chance_node() and not self.is_dealt(drawn):
            outcomes = {self.state.action_to_string(action): action for action, _ in self.state.chance_outcomes()}
            drawn.append(self.fixed if self.fixed in outcomes else self.picked(picker, [*outcomes], drawn))
            self.state.apply_action(outcomes[drawn[-1]])
        self.deal = AND.join(self.dealt(drawn))

    def is_dealt(self, drawn: list[str]) -> bool:
        """Return whether what chance gives next is no part of the deal."""
        return False

    def picked(self, picker: random.Random, outcomes: list[str], drawn: list[str]) -> str:
        """Return what chance gives next."""
        return picker.choice(outcomes)

    @abstractmethod
    def dealt(self, drawn: list[str]) -> list[str]:
        """Return the ids of our draws, of what OpenSpiel drew."""

    def is_chance(self) -> bool:
        return bool(self.deal) or super().is_chance()

    def offered(self) -> list[str]:
        return [self.deal] if self.deal else super().offered()

    def choose(self, id_: str) -> None:
        if self.deal:
            self.deal = ""
        else:
            super().choose(id_)


class _Hearts(_Dealt):
    """A deal of hearts without passing."""

    fixed = "No Pass"

    def dealt(self, drawn: list[str]) -> list[str]:
        hands = [drawn[-52:][seat::4] for seat in range(4)]
        return [f"deal_cards:draw={card(text)}" for hand in hands for text in hand][:-1]

    def returns(self) -> list[float] | None:
        return shares(list(self.state.returns()))


@witness(
    "hearts",
    "hearts(pass_cards=false,qs_breaks_hearts=false)",
    4,
    {"deals": "a_single_one", "passing": "never_passed"},
    kind=_Hearts,
)
def _trick(state: Any, action: int) -> str:
    return f"play_card:card={card(state.action_to_string(action))}"


class _Eights(_Dealt):
    """A deal of crazy eights of which the first seat is the dealer; when all have passed, OpenSpiel goes on."""

    fixed = "Decide Player 0 to be the dealer"
    passes = 0

    def is_dealt(self, drawn: list[str]) -> bool:
        return len(drawn) >= 1 + 3 * 5 + 1 and "8" not in drawn[-1]  # an eight goes back

    def choose(self, id_: str) -> None:
        super().choose(id_)
        self.passes = self.passes + 1 if id_ == "give_up_turn" else 0 if id_.startswith("play") else self.passes

    def is_over(self) -> bool:
        return self.passes == 3 or super().is_over()

    def dealt(self, drawn: list[str]) -> list[str]:
        cards = [card(text[-2:]) for text in drawn[1:]]
        hands = [cards[:15][(seat - 1) % 3 :: 3] for seat in range(3)]
        return [f"setup:draw={each}" for hand in [*hands, cards[15:]] for each in hand]

    def returns(self) -> list[float] | None:
        return shares(list(self.state.returns())) if self.passes < 3 else None


@witness("crazy_eights", "crazy_eights(players=3)", 3, {"draws": "five_at_most"}, kind=_Eights)
def _eight(state: Any, action: int) -> str:
    text = state.action_to_string(action)
    if state.is_chance_node():
        return f"take_turn:draw={card(text[-2:])}"
    if text.startswith("Play"):
        return f"play:card={card(text[-2:])}"
    if text.startswith("Nominate"):
        return f"take_turn:suit_to_follow={SUITS[text[-1]]}"
    return {"Draw": "draw_one", "Pass": "give_up_turn"}[text]


class _Blackjack(_Dealt):
    """A game of blackjack; the dealer's hidden card is drawn in ours when it is turned over."""

    def is_dealt(self, drawn: list[str]) -> bool:
        return len(drawn) == 4

    def dealt(self, drawn: list[str]) -> list[str]:
        self.hole = f"play:draw={card(drawn[2])}"
        return [f"setup:draw={card(text)}" for text in (*drawn[:2], drawn[3])]

    def choose(self, id_: str) -> None:
        super().choose(id_)
        if id_ == "stand":
            self.deal = self.hole

    def is_over(self) -> bool:
        return not self.deal and super().is_over()


@witness("blackjack", "blackjack", 1, kind=_Blackjack)
def _hit(state: Any, action: int) -> str:
    text = state.action_to_string(action)
    if state.is_chance_node():
        is_over = bool(state.history()[4:]) and "Dealer" in str(state).split("\n")[0]
        return f"{'play' if is_over else 'draw_cards'}:draw={card(text)}"
    return {"Hit": "hit", "Stand": "stand"}[text]


STRAINS = {"♣": "in_clubs", "♦": "in_diamonds", "♥": "in_hearts", "♠": "in_spades", "NT": "no_trumps"}
LETTERS = {"♣": "C", "♦": "D", "♥": "H", "♠": "S", "10": "T"}


def _plain(text: str) -> str:
    """Return a card of bridge, `♠10`, as two letters."""
    return re.sub("10|[♣♦♥♠]", lambda found: LETTERS[found[0]], text)


PLAYED, OPEN = "play_card:card=", ("play_card", "play_from_dummy")


class _Bridge(_Dealt):
    """A deal of bridge. Who sits to the left of who leads is dummy."""

    dummy = -1

    def dealt(self, drawn: list[str]) -> list[str]:
        self.hands = [[card(_plain(text)) for text in drawn[seat::4]] for seat in range(4)]
        return [f"setup:draw={each}" for hand in self.hands for each in hand][:-1]

    def _actions(self) -> dict[str, int]:
        told = super()._actions()
        if any(id_.startswith(PLAYED) for id_ in told):
            if self.dummy < 0:
                self.dummy = (self.state.current_player() + 1) % 4
            open_hand = {f"{PLAYED}{each}" for each in self.hands[self.dummy]}
            told = {id_.replace(*OPEN) if id_ in open_hand else id_: action for id_, action in told.items()}
        return told


@witness(
    "bridge",
    "bridge(use_double_dummy_result=false,dealer_vul=true)",
    4,
    {"vulnerable": "dealers_side"},
    kind=_Bridge,
    often="say_pass",
)
def _call(state: Any, action: int) -> str:
    text = state.action_to_string(action)
    calls = {"Pass": "say_pass", "Dbl": "double", "RDbl": "redouble"}
    if text in calls:
        return calls[text]
    if text[0].isdigit():
        return f"bid:n={text[0]},s={STRAINS[text[1:]]}"
    return f"{PLAYED}{card(_plain(text))}"


class _Whist(_Bridge):
    """A deal of whist: bridge in which the first seat's last card names the trumps, and that seat bids one of them, so
    that its left-hand neighbour leads. Who has more than six tricks wins."""

    def __init__(self, game: Any, told: Told, other_draws: bool, seed: int) -> None:
        super().__init__(game, told, other_draws, seed)
        trumps = self.hands[0][-1].rpartition("_")[2]
        calls = {self.state.action_to_string(action): action for action in self.state.legal_actions()}
        bid = next(call for call in calls if call[0] == "1" and STRAINS[call[1:]] == f"in_{trumps}")
        self.state.apply_action(calls[bid])
        for _ in range(3):
            self.state.apply_action(calls["Pass"])

    def dealt(self, drawn: list[str]) -> list[str]:
        super().dealt(drawn)
        dealer, *others = self.hands
        order = [*dealer[:-1], *(each for hand in others for each in hand), dealer[-1]]
        return [f"deal_cards:draw={each}" for each in order][:-1]

    def _actions(self) -> dict[str, int]:
        return _Dealt._actions(self)

    def returns(self) -> list[float] | None:
        return shares(list(self.state.returns()))


witness("whist", "bridge(use_double_dummy_result=false)", 4, {"game_to": "one_deal"}, kind=_Whist)(_call)


class _Cribbage(_Game):
    """A game of cribbage; when all cards are laid OpenSpiel lets both pass, which ours does not ask, and it counts all
    hands where ours ends with the 121st point."""

    def points(self) -> list[int]:
        """Return what each seat has."""
        return [int(text) for text in re.findall(r"\d+", re.findall(r"Scores: (.*)", str(self.state))[0])]

    def is_over(self) -> bool:
        return max(self.points()) >= 121

    def returns(self) -> list[float] | None:
        points = self.points()
        return None if min(points) >= 121 else [1.0, -1.0] if points[0] >= 121 else [-1.0, 1.0]


@witness("cribbage", "cribbage", options={"crib_flush": "four_too"}, kind=_Cribbage, seeds=(0,))
def _lay(state: Any, action: int) -> str:
    text = state.action_to_string(action)
    shown = str(state)
    if state.is_chance_node():
        return f"{'deal_hands' if 'Phase: Card' in shown else 'turn_starter'}:draw={card(text[-2:])}"
    if text == "Pass" and len(re.findall(r"^P\d Hand: *$", shown, re.M)) == 2:
        return f"{WITHOUT}pass"
    chosen = sorted(map(card, text.split()[1:]))
    if len(chosen) == 2:
        return f"fill_crib:away={'+'.join(chosen)}"
    return f"lay:card={chosen[0]}" if chosen else "say_go"


class _Backgammon(_Game):
    """A game of backgammon: a play of OpenSpiel is two moves in a row, of doubles two such plays; offered are first the
    moves that some play begins with, then those that may follow."""

    begun: Any = None
    """The first move of a play."""

    def _plays(self) -> list[tuple[list[Any], int]]:
        """Return all plays: their moves and the action."""
        seat, state = self.state.current_player(), self.state
        return [(state.spiel_move_to_checker_moves(seat, action), action) for action in state.legal_actions()]

    def _steps(self) -> dict[str, tuple[list[Any], int]]:
        if self.begun is None:
            return {self._told(moves[0]): (moves, action) for moves, action in self._plays()}
        plays = [(moves, action) for moves, action in self._plays() if self._told(moves[0]) == self.begun]
        return {self._told(moves[1]): (moves, action) for moves, action in plays}

    def _told(self, move: Any) -> str:
        if move.pos < 0:
            return f"{WITHOUT}pass"
        place = 24 - move.pos if move.pos < 24 else 25 * (self.state.current_player() == 0)
        return f"move_man:start={POINT_NAMES[place]},face={BIDS[move.num - 1]}"

    def offered(self) -> list[str]:
        return super().offered() if self.is_chance() else [*self._steps()]

    def choose(self, id_: str) -> None:
        if self.is_chance():
            super().choose(id_)
        elif self.begun is None:
            self.begun = id_
        else:
            self.state.apply_action(self._steps()[id_][1])
            self.begun = None

    def returns(self) -> list[float] | None:
        returns = list(self.state.returns())
        return returns if any(returns) else None


POINT_NAMES = [
    "g1",
    *(f"{column}1" for column in "mlkjihfedcba"),
    *(f"{column}2" for column in "abcdefhijklm"),
    "g2",
]
"""Of our board, by the number that the first seat gives a point."""


@witness(
    "backgammon",
    "backgammon(scoring_type=full_scoring)",
    options={"cube": "without_cube"},
    kind=_Backgammon,
    seeds=(0, 1),
)
def _throw_dice(state: Any, action: int) -> str:
    text = state.action_to_string(action)
    first, second = (BIDS[int(digit) - 1] for digit in text[-3:-1])
    if "starts" in text and ("X starts" in text) != (text[-3] > text[-2]):
        first, second = second, first
    rule = "open_game" if "starts" in text else "throw"
    return AND.join([f"{rule}:first={first}", f"{rule}:second={second}"])


class _Gin(_Dealt):
    """A deal of gin rummy whose hands have melds more often than not. OpenSpiel asks for a knock, then for the discard;
    a deal that repeats itself ends there, and to runs of five it lets nobody lay off."""

    def _is_beyond(self) -> bool:
        """Return whether a run has five cards when cards may be laid off."""
        if self.deal or self.state.is_terminal() or self._phase() != "Layoff" or _laid_off(self.state):
            return False
        knocker = 1 - self.state.current_player()
        shown = str(self.state).partition(f"Player{knocker}:")[2].partition("+-")[0].partition("melds:")[2]
        history = self.state.history()
        since = len(history) - history[::-1].index(PASS)
        off = [self.state.action_to_string(action)[-2:] for action in history[since:]]
        runs = [meld for meld in shown.split() if meld[1] == meld[3]]
        return any(len(run) // 2 + sum(each[1] == run[1] for each in off) >= 5 for run in runs)

    def _misses_knock(self) -> bool:
        """Return whether one may knock and OpenSpiel does not see it: of two ways to meld eleven cards that leave as
        much, it looks at one."""
        if self.deal or self.state.is_chance_node() or self._phase() != "Discard":
            return False
        actions, seat = self.state.legal_actions(), self.state.current_player()
        if KNOCK in actions or _deadwood(self.state)[seat] > 20:
            return False
        return any(_deadwood(self.state.child(action))[seat] <= 10 for action in actions)

    def is_over(self) -> bool:
        return self._is_beyond() or self._misses_knock() or super().is_over()

    def picked(self, picker: random.Random, outcomes: list[str], drawn: list[str]) -> str:
        """Return a card next to the last one three times in four."""
        alike = [each for each in outcomes if drawn and _are_near(each[-2:], drawn[-1][-2:])]
        return picker.choice(alike if alike and picker.random() < 0.75 else outcomes)

    def is_dealt(self, drawn: list[str]) -> bool:
        return len(drawn) == 21

    def dealt(self, drawn: list[str]) -> list[str]:
        return [f"deal_cards:draw={card(text[-2:])}" for text in drawn]

    def _phase(self) -> str:
        return str(re.findall(r"Phase: (\w+)", str(self.state))[0])

    def _knocks(self) -> dict[str, tuple[int, int]]:
        """Return the discards with which one may knock, by the two actions."""
        state = self.state
        if state.is_chance_node() or self._phase() != "Discard" or KNOCK not in state.legal_actions():
            return {}
        after = state.clone()
        after.apply_action(KNOCK)
        return {
            f"knock:card={card(after.action_to_string(action)[-2:])}": (KNOCK, action)
            for action in after.legal_actions()
        }

    def offered(self) -> list[str]:
        ids = super().offered()
        return ids if self.deal else [*(id_ for id_ in ids if id_ != "Knock"), *self._knocks()]

    def choose(self, id_: str) -> None:
        knocks = {} if self.deal else self._knocks()
        if id_ in knocks:
            for action in knocks[id_]:
                self.state.apply_action(action)
        else:
            super().choose(id_)

    def returns(self) -> list[float] | None:
        returns = list(self.state.returns())
        return returns if any(returns) and self.state.is_terminal() else None


KNOCK, PASS = 55, 54


def _are_near(one: str, two: str) -> bool:
    """Return whether two cards have the same rank, or the same suit and ranks next to each other."""
    order = "A23456789TJQK"
    apart = abs(order.index(one[0]) - order.index(two[0]))
    return apart == 0 or (apart == 1 and one[1] == two[1])


def _pass(state: Any, phase: str) -> str:
    """Return what a pass is called: after a knock one has laid down melds, then cards to those of the other, then one's
    own melds; nothing is laid to those of who has gin."""
    if phase in {"FirstUpcard", "Wall"}:
        return "leave_it" if phase == "FirstUpcard" else "call_off"
    return "stop_laying_off" if phase == "Layoff" and not _laid_off(state) else "lay_no_more"


def _laid_off(state: Any) -> bool:
    """Return whether who did not knock can lay off no more."""
    history = state.history()
    after = history[len(history) - history[::-1].index(KNOCK) :]
    return _deadwood(state)[1 - state.current_player()] == 0 or bool(after.count(PASS) > 1)


def _deadwood(state: Any) -> list[int]:
    """Return what each seat has left over."""
    return [int(points) for points in re.findall(r"Deadwood=(\d+)", str(state))]


@witness("gin_rummy", "gin_rummy", options={"deals": "a_single_one"}, kind=_Gin, often="knock", seeds=(18, 23, 52))
def _meld(state: Any, action: int) -> str:
    text = state.action_to_string(action).rpartition(": ")[2]
    phase = re.findall(r"Phase: (\w+)", str(state))[0]
    if state.is_chance_node():
        return f"play_turns:draw={card(text[-2:])}"
    if text == "Pass":
        return _pass(state, phase)
    if text == "Draw upcard":
        return "take_upcard"
    if text == "Draw stock":
        return "draw_card"
    if text == "Knock":
        return "take_to_knock" if phase == "Wall" else "Knock"
    cards = sorted(card(text[at : at + 2]) for at in range(0, len(text), 2))
    if len(cards) > 1:
        return f"lay_meld:meld={'+'.join(cards)}"
    names = {"Discard": "discard", "Knock": "knock", "Layoff": "lay_off"}
    return f"{names[phase]}:card={cards[0]}"
