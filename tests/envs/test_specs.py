"""Specs: known without playing, the same on all backends, compared with older ones by name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import rulelang
from rulelang import UsageError
from rulelang.envs import spec
from tests.envs.test_picks import STALL
from tests.shipped import ROOT, conformance, shipped
from tests.words.games import made


def test_other_versions_are_compared_by_name(tmp_path: Path) -> None:
    """A ware more, one renamed, the rows in another order, a variable less: what an agent knew keeps its name."""
    older = spec(made(tmp_path / "old", STALL))
    changed = STALL.replace(
        "{id: gem, worth: 5, count: 2}, {id: rag, worth: 1, count: 2}",
        "{id: rug, worth: 1, count: 2}, {id: pot, worth: 2}, {id: gem, worth: 5, count: 2}",
    )
    changed = changed.replace("  last: {type: 0..9}\n", "").replace(": last := n", ": pass")  # fmt: skip
    newer = spec(made(tmp_path / "new", changed))
    changes = newer.against(older.to_json())
    assert changes == newer.against(older)
    assert {name for name in changes.new if name.startswith("piece")} == {"piece:Ware/rug", "piece:Ware/pot"}
    assert {name for name in changes.gone if not name.startswith("zone")} == {"piece:Ware/rag", "variable:last/last"}
    for number, before in enumerate(changes.picks):
        name = newer.picks[number]
        assert (before >= 0) == (name in older.picks)
        assert before < 0 or older.picks[before] == name
    assert changes.counts.count(-1) == len([name for name in changes.new if "zone:" in name])
    same = older.against(older)
    assert same.picks == tuple(range(older.size))
    assert (same.new, same.gone) == ((), ())
    for other in ({}, {**older.to_json(), "actions": "index"}, {**older.to_json(), "rulelang_spec": 2}):
        with pytest.raises(UsageError, match="that is no spec"):
            newer.against(other)


def test_a_spec_hangs_on_rules_players_and_options_alone() -> None:
    """Loaded again it has the same hash; of other players or in another space it has another one."""
    ruleset = shipped("reco")
    hashes = {spec(ruleset, players).hash for players in (3, 4)} | {spec(ruleset, 3, actions="index").hash}
    assert len(hashes) == 3
    assert spec("reco", 3).hash == spec(rulelang.load("reco")).hash


def test_spaces_say_what_has_no_bound() -> None:
    """`discrete` of leduc is pass, fold, call, raise; goofspiel's single cards have numbers, R-ECO's subsets none."""
    assert spec(shipped(ROOT / "benchmarks/games/leduc_poker"), actions="discrete").size == 4
    assert spec(shipped(ROOT / "benchmarks/games/goofspiel"), actions="discrete").size < 16
    with pytest.raises(UsageError, match="`played` of `play_garbage` may be one of over 65536 values; use `picks`"):
        spec("reco", actions="discrete")
    with pytest.raises(UsageError, match="`pay` of `market` is a collection without a bound; use `picks`"):
        spec(conformance("bazaar"), actions="discrete")
    with pytest.raises(UsageError, match="actions are picks, discrete, index, not `ids`"):
        spec("reco", actions="ids")


def test_chance_and_payoffs_are_bounded_by_declarations() -> None:
    """Leduc draws one of three cards, and what it pays no declaration tells; tic-tac-toe is won or lost."""
    leduc = spec(shipped(ROOT / "benchmarks/games/leduc_poker"))
    assert (leduc.most_outcomes, leduc.payoffs) == (3, None)
    assert spec(shipped(ROOT / "benchmarks/games/tic_tac_toe")).payoffs == (-1, 1)


def test_specs_want_no_numpy() -> None:
    """What needs no arrays of numpy works without the extra `envs`, and loads nothing of it."""
    code = (
        "import sys, rulelang.envs as e; g = e.PickGame(e.spec('reco')); g.step(g.mask(g.seat)[0]); g.observe(0)\n"
        "sys.exit(','.join({'numpy', 'gymnasium', 'pettingzoo'} & sys.modules.keys()) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    assert (done.returncode, done.stderr.strip()) == (0, "")
