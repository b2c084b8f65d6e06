"""What is refused is told in words also where not all was chosen that the option's sentence names."""

from __future__ import annotations

from pathlib import Path

from rulelang.prose import Faces
from tests.words.games import made

SMITHY = """
rulelang: 2
name: smithy
players: 2
types: {Metal: [iron_metal, tin_metal]}
kinds:
  Blade: {attributes: {edge: number, metal: Metal}, start: tray}
pieces: {Blade: [{id: dagger, edge: 0, metal: iron_metal}, {id: sword, edge: 2, metal: tin_metal}]}
zones:
  tray: {holds: Blade}
  chest: {holds: Blade, per: player}
variables: {coins: {type: 0..9, per: player}}
words:
  en:
    metal: metal
    iron_metal: metal I
    tin_metal: metal II
    lend: {option: "lend {blade:the} to {to:the}"}
    use: {option: "use {blade:the}"}
    both: {option: "take {blades:the}"}
    wait: wait
rules: |
  play:
    as seat(0):
      choose:
        use(blade in tray) when blade.edge > 0: pass
        lend(to in others, blade in to.chest): pass
        wait: pass
"""


def test_refusals_show_no_code(tmp_path: Path) -> None:
    """A number that must be more than 0 is `no …`; a sentence without all its fields begins."""
    state = made(tmp_path, SMITHY.replace("    both:", "    # both:")).new_game(2)
    told = {refusal["text"]: refusal["missing"] for refusal in state.refusals(0)}
    assert told == {"use the dagger": "no edge", "lend (seat 1)": "no blade in seat 1's chest"}


def test_several_pieces_have_articles(tmp_path: Path) -> None:
    """`{blades:the}` of a choice of some; an attribute whose value begins with its name says it once."""
    rules = SMITHY.partition("rules: |")[0].replace("    lend:", "    # lend:").replace("    use:", "    # use:")
    text = rules.replace("    both: ", "    blades: ").replace("    wait:", "    # wait:")
    ruleset = made(tmp_path, f"{text}rules: |\n  play:\n    as seat(0): let blades = choose 1 or more of tray\n")
    texts = [action.text("en") for action in ruleset.new_game(2).legal_actions()]
    assert sorted(texts) == ["take the dagger", "take the dagger and the sword", "take the sword"]
    assert [face.attributes[1] for face in Faces(ruleset.written, "en").all()] == [("metal", "I"), ("metal", "II")]


GOODS = """
rulelang: 2
name: purse
players: 2
types: {Good: {values: [nut, oil]}}
variables:
  purse: {type: bag of Good, per: player, start: 3 nut + 3 oil}
  n: {type: 0..9, start: 4}
words:
  en:
    Good: good
rules: |
  play:
    as seat(0):
      choose:
        fewer when purse.nut < 2: pass
        as_many when purse.nut = n: pass
        others when n = purse.nut: pass
        more when purse.nut > n: pass
        no_more when purse.nut <= 2: pass
        not_so_many when purse.nut != 3: pass
        of_both when purse.nut < purse.oil: pass
        wait: pass
"""


def test_how_many_goods_there_should_be_is_said(tmp_path: Path) -> None:
    """Goods of a bag that are compared in any way are a number; too few are lacking."""
    state = made(tmp_path, GOODS).new_game(2)
    assert {refusal["id"]: refusal["missing"] for refusal in state.refusals(0)} == {
        "fewer": "nuts: 3, must be less than 2",
        "as_many": "nuts: 3, must be 4 (n)",
        "others": "nuts: 3, must be 4 (n)",
        "more": "lacks 2 nuts",
        "no_more": "nuts: 3, must be at most 2",
        "not_so_many": "nuts: must not be 3",
        "of_both": "nuts: 3, must be less than 3 (oils)",
    }
