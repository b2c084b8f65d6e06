"""The public `State`: what it offers, refuses and keeps."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

import rulelang
from rulelang import IllegalAction, RuleError, UsageError
from tests.shipped import shipped
from tests.soak import times

from .samples import SHOP_YAML, load_shop


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> rulelang.Ruleset:
    return load_shop(tmp_path_factory.mktemp("rulesets") / "shop")


@pytest.fixture(scope="module")
def reco() -> rulelang.Ruleset:
    return shipped("reco")


def ids(state: rulelang.State, player: int | None = None) -> list[str]:
    return [action.id for action in state.legal_actions(player)]


def test_actions_have_ids_words_and_data(shop: rulelang.Ruleset) -> None:
    """Alike pieces make one option; texts come in the asked language, in English where there are no words."""
    state = shop.new_game(players=2)
    assert ids(state) == ["buy:w=gem", "buy:w=rag", "earn", "quit", "cheat", "claim", "truce", "rest"]
    buy = state.legal_actions()[0]
    assert buy.data == {"rule": "act", "item": "buy", "arguments": {"w": "gem"}}
    assert buy.text() == "buy gem"
    assert buy.text("fr") == "acheter joyau"
    assert state.legal_actions()[-1].text("xx") == "rest"


def test_decision_says_who_is_asked_what_and_why(shop: rulelang.Ruleset) -> None:
    """A decision has a prompt, its rule, place and citation, and structured choices; who is not asked has none."""
    state = shop.new_game(players=2)
    decision = state.decision()
    assert decision is not None
    assert (decision.seat, decision.rule, decision.cites, decision.line) == (0, "act", ("rules-en:4",), 10)
    assert decision.prompt == "Seat 0, act: choose what to do"
    assert [choice["id"] for choice in decision.to_json("fr")["choices"]] == ids(state)
    assert state.decision(1) is None
    assert state.legal_actions(1) == []
    assert state.refusals(1) == []


def test_a_refusal_names_the_guard_its_rule_and_citation(shop: rulelang.Ruleset) -> None:
    """What the guard forbids is refused with the guard's words, and so says the error of trying it."""
    state = shop.new_game(players=2, options={"price": 3})
    refused = [refusal for refusal in state.refusals() if refusal["item"] == "buy"]
    assert refused[0]["reason"] == "coins >= price"
    assert refused[0]["missing"] == "needs `coins >= price`: coins is 2, price is 3"
    assert refused[0]["cites"] == ["rules-en:4"]
    before = state.to_json()
    wanted = r"needs `coins >= price`: coins is 2, price is 3 \(act, .*shop.rule:\d+, rules-en:4\)"
    with pytest.raises(IllegalAction, match=wanted):
        state.apply("buy:w=gem")
    assert state.to_json() == before


@pytest.mark.parametrize(
    ("action", "player", "message"),
    [
        ("ern", None, "did you mean `earn`"),
        ("earn", 1, "waits for seat 0"),
        ("nonsense", None, "offered are `buy:w=gem`"),
    ],
)
def test_an_illegal_action_changes_nothing(
    shop: rulelang.Ruleset, action: str, player: int | None, message: str
) -> None:
    """The message says what is offered, or who is asked; the state is as it was."""
    state = shop.new_game(players=2)
    before = state.to_json()
    with pytest.raises(IllegalAction, match=message):
        state.apply(action, player)
    assert state.to_json() == before


def test_a_rule_that_goes_wrong_changes_nothing(shop: rulelang.Ruleset) -> None:
    """A variable that leaves its range is an error that names the rule; the state is as it was."""
    state = shop.new_game(players=2)
    before = state.to_json()
    with pytest.raises(RuleError, match=r"act: .*shop.rule"):
        state.apply("cheat")
    assert state.to_json() == before
    state.apply("earn")
    assert state.current_players() == [1]


def test_an_action_of_another_position_goes_by_its_id(shop: rulelang.Ruleset) -> None:
    """Actions may be kept: they mean the option with their id, whatever state they came from."""
    first, second = shop.new_game(players=2), shop.new_game(players=2, options={"lavish": True})
    rest = first.legal_actions()[-1]
    second.apply(rest)
    assert second.current_players() == [1]
    with pytest.raises(IllegalAction, match="waits for seat 1"):
        second.apply(rest)


def test_clones_go_their_own_ways(shop: rulelang.Ruleset) -> None:
    """Neither a clone nor its original sees what the other does; reseeded clones draw otherwise."""
    state = shop.new_game(players=2, options={"mood": "wild"}, seed=1)
    clone = state.clone()
    clone.apply("earn")
    assert state.current_players() == [0]
    assert clone.hash() != state.hash()
    drawn = set()
    for seed in range(20):
        other = state.clone(reseed=seed)
        assert other.hash() == state.hash()
        other.apply("risk")
        drawn.add(other.scores()[0])
    assert drawn == {0, 1, 2, 3}


def test_explicit_chance_has_exact_probabilities(shop: rulelang.Ruleset) -> None:
    """A roll is a node of its own outcomes; an outcome is taken like an action, and nobody else may act."""
    state = shop.new_game(players=2, options={"mood": "wild"}, chance="explicit")
    assert state.chance_outcomes() == []
    state.apply("risk")
    assert state.is_chance_node()
    assert state.current_players() == []
    assert [(action.id, share) for action, share in state.chance_outcomes()] == [
        (f"act:coins={n}", Fraction(1, 4)) for n in range(4)
    ]
    assert [action.id for action in state.legal_actions()] == [action.id for action, _ in state.chance_outcomes()]
    assert state.chance_outcomes()[2][0].data["arguments"] == {"coins": 2}
    with pytest.raises(IllegalAction, match="waits for chance"):
        state.apply("act:coins=1", 0)
    state.apply("act:coins=3")
    assert state.scores() == [3, 2]


def test_a_state_survives_json_at_its_decisions(reco: rulelang.Ruleset) -> None:
    """What is loaded has the same hash, events and future."""
    state = reco.new_game(players=3, seed=5)
    while not state.is_terminal():
        if state.decisions % (5 if times(1) == 1 else 1) == 0:
            state = reco.state_from_json(state.to_json())
        state.apply(state.legal_actions()[-1])
    other = reco.new_game(players=3, seed=5)
    while not other.is_terminal():
        other.apply(other.legal_actions()[-1].id)
    assert state.hash() == other.hash()
    assert state.events() == other.events()


def test_a_save_must_fit_the_ruleset(shop: rulelang.Ruleset, reco: rulelang.Ruleset) -> None:
    """Another ruleset's state, damaged text, players and options that do not exist are refused."""
    text = shop.new_game(players=2).to_json()
    with pytest.raises(rulelang.SaveError):
        reco.state_from_json(text)
    for key, value in (("players", 9), ("options", {"price": 7, "lavish": False, "mood": "calm"}), ("hash", "0" * 32)):
        with pytest.raises(rulelang.SaveError):
            shop.state_from_json(json.dumps({**json.loads(text), key: value}))


def test_views_hide_what_a_seat_does_not_see(reco: rulelang.Ruleset) -> None:
    """A rival's hand is a number; one's own is listed; events name no card that went unseen."""
    state = reco.new_game(players=3, seed=2)
    seen = state.observation(1)
    assert set(seen["zones"]["hand[1]"]) == {"count", "pieces"}
    assert seen["zones"]["hand[0]"] == {"count": 3}
    assert seen["current"] == [0]
    dealt = [event for event in state.events(1) if event["type"] == "move" and event["to"] == "hand[0]"]
    assert [event["pieces"] for event in dealt] == [[None]] * 3
    json.dumps(state.information_state(1))


def test_resampling_keeps_what_a_seat_knows(reco: rulelang.Ruleset) -> None:
    """A resampled state tells the seat the same story, and another one to somebody else."""
    state = reco.new_game(players=3, seed=2)
    for _ in range(9):
        state.apply(state.legal_actions()[0])
    others = [state.resample(1, seed) for seed in range(4)]
    assert all(other.information_state(1) == state.information_state(1) for other in others)
    assert any(other.observation(0) != state.observation(0) for other in others)


def test_the_cap_on_decisions_ends_a_game(tmp_path: Path) -> None:
    """With `outcome: scores` the scores decide at the cap; no decision is left."""
    yaml = SHOP_YAML.replace("decisions: 40", "decisions: 3")
    state = load_shop(tmp_path / "shop", yaml=yaml).new_game(players=2)
    for _ in range(3):
        state.apply("earn")
    assert state.is_terminal()
    assert (state.decisions, state.winners()) == (3, [0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"players": 7}, "for 1 to 3 players, not 7"),
        ({"options": {"prize": 2}}, "did you mean `price`"),
        ({"options": {"price": 7}}, "its values are 2, 3"),
        ({"options": {"mood": True}}, "its values are calm, wild"),
        ({"backend": "quantum"}, "there are auto, interpreter"),
        ({"chance": "dice"}, "sampled or explicit"),
    ],
)
def test_wrong_arguments_name_the_valid_ones(
    shop: rulelang.Ruleset, arguments: dict[str, object], message: str
) -> None:
    """A wrong number of players, option, value, backend or chance is a UsageError that says what there is."""
    with pytest.raises(UsageError, match=message):
        shop.new_game(**arguments)  # type: ignore[arg-type]


def test_seats_that_do_not_exist_are_usage_errors(shop: rulelang.Ruleset) -> None:
    """Asking about a seat beyond the last says which there are."""
    state = shop.new_game(players=2)
    for question in (state.legal_actions, state.observation, state.score_sheet):
        with pytest.raises(UsageError, match=r"seat|party"):
            question(5)


def test_the_search_key_tells_positions_with_other_ends_apart(tmp_path: Path) -> None:
    """Moving away and back is the same position by its hash; with one decision left it is not the same to a search."""
    folder = tmp_path / "walk"
    folder.mkdir()
    (folder / "ruleset.yaml").write_text(
        "rulelang: 2\nname: walk\nplayers: 1\nlimits: {decisions: 3}\nvariables: {at: {type: -9..9}}\n"
        "rules: |\n  play:\n    turn of seat(0):\n      repeat:\n"
        "        choose:\n          on: at += 1\n          back: at -= 1\n"
    )
    start = rulelang.load(folder).new_game(seed=1)
    later = start.clone()
    later.apply("on")
    later.apply("back")
    assert later.hash() == start.hash()
    assert later.search_key() != start.search_key()
    assert start.search_key() == start.clone().search_key()
    start.apply("on")
    later.apply("on")
    assert (start.is_terminal(), later.is_terminal()) == (False, True)
