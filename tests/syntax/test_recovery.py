"""Mistakes in several lines of one declaration are told together, and one mistake alone."""

from __future__ import annotations

import re

from rulelang.diagnostics import Diagnostics, Source
from rulelang.syntax.parser import parse_rule_file
from tests.diagnostics_trial.mistakes import ROOT
from tests.soak import every

TOKEN = re.compile(r"\w+|:=|\+=|-=|->|!=|<=|>=|\.\.|[^\s\w]")
MANY = """\
rulelang 2
play:
  repeat:
    for p in players  #!
      turn of p:
        coins == 3  #!
        choose:
          lay(c in hand whre x): move c to heap  #!
          wait: pass
        if coins > 3 then  #!
          put 3 to coins  #!
        else:
          coins += += 1  #!
        discard 2 cards  #!
  if a = = 3: pass  #!
  else: pass
rule third(n) -> = :  #!
  if n:
    x := ; 3  #!
  else if n n:  #!
    y := 3
  else:
    pass pass  #!
choose_from:  #!
  pass
rule last:
  chose one:  #!
    a: pass
    b: pass pass
  x := )3  # the whole declaration is cut wrong: its other mistakes wait
"""


def told(text: str) -> list[int]:
    """The lines of the findings of a rule file."""
    diagnostics = Diagnostics()
    parse_rule_file(Source("a.rule", text), diagnostics)
    return [finding.span.line for finding in diagnostics]


def test_each_mistake_of_a_declaration_is_told() -> None:
    """Once, at its line; a block goes on to be read where its first line opens statements."""
    lines = MANY.split("\n")
    wanted = [number for number, line in enumerate(lines, 1) if "#!" in line]
    cut = len(lines) - 1
    assert told("\n".join(lines[: cut - 1])) == wanted
    assert told(MANY) == [*(n for n in wanted if n <= lines.index("rule last:")), cut]


def slips(line: str) -> list[str]:
    """The line with a word or sign left out, and with one twice."""
    marks = list(TOKEN.finditer(line))[::3]
    left_out = [line[: m.start()] + line[m.end() :] for m in marks]
    return left_out + [f"{line[: m.end()]} {m[0]}{line[m.end() :]}" for m in marks]


def test_one_slip_is_one_finding() -> None:
    """In two rule files of shipped rulesets: a word or sign that is missing or stands twice, in each fifth line, or
    in a third of those."""
    followers = []
    tried = 0
    for file in ("ldd/ldd.rule", "imaginarium/turn.rule"):
        text = (ROOT / "rulesets" / file).read_text(encoding="utf-8")
        lines = [line for line in text.split("\n") if line.lstrip()[:1] != "["]
        heads = [n for n, line in enumerate(lines) if line[:1].isalpha()] + [len(lines)]
        for n, line in every(3, list(enumerate(lines))[2::5]):
            if not line.strip() or line.startswith("#"):
                continue
            first = max(head for head in heads if head <= n)
            last = min(head for head in heads if head > n)
            for slip in slips(line):
                tried += 1
                text = "\n".join(["rulelang 2", *lines[first:n], slip, *lines[n + 1 : last], ""])
                if len(told(text)) > 1:
                    followers.append(slip)
    assert tried > 100
    assert followers == []
