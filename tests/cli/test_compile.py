"""`rulelang compile` prints what is run; `simulate` says what `auto` took."""

from __future__ import annotations

import re

from .conftest import Run


def test_single_steps_in_c(rulelang: Run) -> None:
    """The C of single steps stops where somebody is asked; only C has such a text."""
    texts = [rulelang("compile", "reco", "--emit", "c", *more).out for more in ((), ("--steps",))]
    assert ["stop_asked(g, " in text for text in texts] == [False, True]
    assert all(re.search(r"rulesets/reco/reco\.rule:\d+ \*/", text) for text in texts)
    done = rulelang("compile", "reco", "--steps")
    assert (done.status, done.out) == (2, "")


def test_ir_is_the_default(rulelang: Run) -> None:
    """Without `--emit` it is the intermediate representation."""
    assert rulelang("compile", "reco").out.startswith("rulelang-ir")


def test_auto_says_what_it_took(rulelang: Run) -> None:
    """For many games `auto` says in one line what it took; the results are the interpreter's."""
    done = rulelang("simulate", "reco", "--games", "40", "--format", "json")
    assert done.err.count("\n") == 1
    assert done.json["backend"] in ("interpreter", "native")  # native if its library is at hand
    assert f"backend {done.json['backend']}: " in done.err
    other = rulelang("simulate", "reco", "--games", "40", "--backend", "interpreter", "--format", "json")
    assert other.json["seats"] == done.json["seats"]
