"""Whatever all can see depends only on what all may know: each kind of effect is warned of where it tells a secret, and not
where the secret was shown; whole games that tell nothing are silent."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest

from rulelang.diagnostics import Diagnostic, Diagnostics
from rulelang.ruleset.loader import load_ruleset
from rulelang.semantics.check import analyse
from rulelang.semantics.tree import core
from rulelang.semantics.visibility import check as visibility
from rulelang.semantics.visibility.effects import EFFECTS
from rulelang.semantics.visibility.labelling import Walk
from rulelang.vocabulary import operations as ops
from tests.messages.said import block, unsaid
from tests.offenders import emptied, none, offenders
from tests.semantics import cases_stowed
from tests.semantics.cases_leaks import AGAIN, CLEAN, LEAKS, SILENT, WAYS
from tests.semantics.cases_twins import CLEAN as GAMES
from tests.semantics.cases_twins import GAME, TWINS

LOWERED = {"set": core.CSet, "evaluate": core.CCall}
"""Operations of the intermediate representation that do nothing which a row would tell of."""


def check(text: str, folder: Path) -> list[Diagnostic]:
    """All that is found in a ruleset."""
    (folder / "ruleset.yaml").write_text(text, encoding="utf-8")
    diagnostics = Diagnostics()
    ruleset = load_ruleset(folder, diagnostics=diagnostics)
    if ruleset is not None:
        analyse(ruleset, diagnostics)
    return list(diagnostics)


def found_and_marked(
    text: str, folder: Path, said: list[str] | None = None
) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
    """Code and line of what is found, and of what should be; `said` takes up its words."""
    findings = check(text, folder)
    if said is not None:
        said.append(block(findings))
    lines = enumerate(text.split("\n"), 1)
    return [(finding.code, finding.span.line) for finding in findings], [
        ("visibility-leak", number) for number, line in lines if "#!" in line
    ]


def test_each_effect_that_tells_a_secret(same_folder: Path) -> None:
    """An effect of each kind that depends on a secret is found, once and where it stands, whichever way it depends on
    it; so is what was shown and is hidden again."""
    leaks, said = LEAKS | WAYS | AGAIN, list[str]()

    def told(name: str) -> None:
        found, marked = found_and_marked(leaks[name].ruleset(shown=False), emptied(same_folder), said)
        assert sorted(found) == marked

    none(offenders(told, leaks))
    none(unsaid(Path(__file__).with_name("words.txt"), "effects", said))


def test_each_effect_after_the_secret_is_shown(same_folder: Path) -> None:
    """The same effects tell nothing new after a `reveal`; nor do effects of what was shown or chosen otherwise."""
    texts = {name: leak.ruleset(shown=True) for name, leak in LEAKS.items()}
    texts |= {name: case.ruleset(shown=False) for name, case in SILENT.items()}

    def silent(name: str) -> None:
        assert list(map(str, check(texts[name], emptied(same_folder)))) == []

    none(offenders(silent, texts))


def test_games_that_tell_nothing(same_folder: Path) -> None:
    """Games of many kinds, in which players show what they must, are silent."""

    def silent(name: str) -> None:
        assert list(map(str, check(CLEAN[name], emptied(same_folder)))) == []

    none(offenders(silent, CLEAN))


def test_games_and_their_twins(same_folder: Path) -> None:
    """Ten games in a few lines are silent; twins, in which a line tells a secret, are warned of there and nowhere else."""
    texts = {name: GAME + indent(rules, "  ") for name, rules in GAMES.items()}
    for name, (game, part, other) in TWINS.items():
        assert part in GAMES[game], name
        texts[name] = GAME + indent(GAMES[game].replace(part, other, 1), "  ")

    def told(name: str) -> None:
        found, marked = found_and_marked(texts[name], emptied(same_folder))
        assert sorted(found) == marked

    assert all("#!" in texts[name] for name in TWINS)
    none(offenders(told, texts))


def test_hints_say_what_helps(same_folder: Path) -> None:
    """`anyway` helps where nothing fits, not where the question stands behind a condition."""
    hints = {
        name: check(LEAKS[f"CChoose, {name}"].ruleset(False), same_folder)[0].hint
        for name in ("whether", "of what fits")
    }
    assert {name: "anyway" in (hint or "") for name, hint in hints.items()} == {"whether": False, "of what fits": True}


def test_every_effect_has_a_row_and_a_leak() -> None:
    """Each class of statement and each operation has a row; each row that all see something of has a ruleset in which it
    tells a secret."""
    rows = {row if isinstance(row, str) else row.__name__: effect for row, effect in EFFECTS.items()}
    made = {operation for effect in rows.values() for operation in effect.operations}
    assert set(ops.STATEMENTS) - made - LOWERED.keys() - rows.keys() == set()
    seen = {name for name, effect in rows.items() if effect.what}
    tried = {re.split(r"[ ,]", name)[0] for name in LEAKS}
    assert tried == seen


SECRETS = """\
rulelang: 2
name: secrets
players: 3
variables: {bid: {type: 0..9, per: player, visible: owner, start: 1}, n: {type: 0..9}}
rules: |
  play:
    for p in players:
      turn of p:
        bid := secretly choose a number from 0 to 9
        act(1)
"""


def test_a_leak_below_many_calls_and_blocks(same_folder: Path) -> None:
    """Rules that call each other from within many blocks are walked to the last of them, in any number of frames."""
    text = SECRETS.replace("act(1)", "rule0(seat(0))")
    for number in range(50):
        blocks = [f"{'  ' * depth}if n != {depth}:" for depth in range(8)]
        last = f"rule{number + 1}(p.next)" if number < 49 else "if p.bid > 2: eliminate p.next  #!"
        lines = [f"rule rule{number}(p: player):", *(f"  {line}" for line in blocks), "  " * 9 + last]
        text += "".join(f"  {line}\n" for line in lines)
    found, marked = found_and_marked(text, same_folder)
    assert marked
    assert found == marked


def test_turns_within_turns_are_walked_once(same_folder: Path) -> None:
    """What other seats did in turns around makes no new call of a rule that can't name them."""
    rule = """\
  rule act(k: number) up to 3 deep:
    choose:
      other(q in others) when k > 0:
        turn of q: act(k - 1)
      again(q in others) when k > 0:
        turn of q: act(0)
      hit(q in others): n := q.seat
      wait: pass
"""
    walked, found = walks(SECRETS + rule, same_folder)
    assert [finding for finding in found if finding.code == "visibility-leak"] == []
    assert len(walked) < 10


MANY = 12
EACH_OTHER = {
    "reveal": "reveal p.bid",
    "a value that is written": "reveal n\nn := 1",
    "a value made of one that is written": "reveal p.bid + n\nif n > 3: n := k",
    "another seat": "let q = p.next\nreveal q.bid",
}
"""What each of `MANY` rules does before it calls all others."""


def test_rules_that_call_each_other_are_walked_a_few_times(same_folder: Path) -> None:
    """Of rules that each call all others each is walked a few times, whatever it shows, writes and gives."""

    def few(name: str) -> None:
        text = SECRETS.replace("act(1)", "let told = rule0(you, 3)")
        for number in range(MANY):
            calls = [f"let x{other} = rule{other}(p, k - 1)" for other in range(MANY) if other != number]
            total = " + ".join(f"x{other}" for other in range(MANY) if other != number)
            lines = ["if k = 0: return p.bid", *EACH_OTHER[name].split("\n"), *calls, f"return {total}"]
            text += f"  rule rule{number}(p: player, k: number) -> number up to 3 deep:\n"
            text += "".join(f"    {line}\n" for line in lines)
        walked, found = walks(text, emptied(same_folder))
        assert [finding for finding in found if finding.severity == "error"] == []
        assert len(walked) <= 3 * MANY

    none(offenders(few, EACH_OTHER))


def walks(text: str, folder: Path) -> tuple[list[str], list[Diagnostic]]:
    """The procedures that are walked in a ruleset, each as often as it is, and what is found."""
    walked: list[str] = []
    walk_body = visibility._walk_body

    def counted(*arguments: Any) -> Any:
        walked.append(arguments[1].name)
        return walk_body(*arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(visibility, "_walk_body", counted)
        return walked, check(text, folder)


def test_reactions_to_cards_that_are_stowed(same_folder: Path) -> None:
    """Reactions of pieces that all see tell nothing of a hidden card that is surely none of them."""
    texts = {name: (text, True) for name, text in cases_stowed.TOLD.items()}
    texts |= {name: (text, False) for name, text in cases_stowed.SILENT.items()}

    def told(name: str) -> None:
        text, tells = texts[name]
        found = [str(finding) for finding in check(text, emptied(same_folder))]
        assert bool(found) == tells, found
        assert all("visibility-leak" in finding for finding in found), found

    none(offenders(told, texts))


def test_rules_that_call_each_other_with_a_secret_each(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Eight rules, each of which calls two others as its own secret says, could be reached with 2 to the power of 8 sets
    of secrets; they are walked about as often as there are rules and secrets, and what tells a secret is found."""
    count = 8
    variables = "".join(f"  s{n}: {{type: 0..3, per: player, visible: owner, start: 1}}\n" for n in range(count))
    rules = "".join(
        f"  rule r{n}(p: player) up to 3 deep:\n    as p:\n      s{n} -= 1\n"
        + "".join(f"      if s{n} > {step}: r{(n + step) % count}(p)\n" for step in (1, 2))
        for n in range(count)
    ).replace("s5 -= 1\n", "s5 -= 1\n      coins += 1\n")
    text = (
        f"rulelang: 2\nname: webs\nplayers: 2\nvariables:\n{variables}  coins: {{type: 0..99, per: player}}\nrules: |\n"
        f"  play:\n    for p in players:\n      turn of p:\n        r0(p)\n        coins += choose a number from 0 to 1\n"
        f"{rules}  score coins: coins\n"
    )
    walks: list[Walk] = []
    monkeypatch.setattr(visibility, "MOST_CONTEXTS", 4)

    def begun(*args: Any, **named: Any) -> Walk:
        """A walk, noted."""
        walks.append(Walk(*args, **named))
        return walks[-1]

    monkeypatch.setattr(visibility, "Walk", begun)
    found = [finding for finding in check(text, tmp_path) if finding.code == "visibility-leak"]
    assert {text.split("\n")[finding.span.line - 1].strip() for finding in found} == {"coins += 1"}
    assert walks[0].calls <= count * (4 + count + 1)
