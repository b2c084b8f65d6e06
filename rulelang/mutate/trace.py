"""What each scenario reaches of the program, by which it is known which mutants it may notice.

Enters: a suite. Leaves: for each scenario its result, the set of what it reached, and the seconds it took.
"""

from __future__ import annotations

import time

from rulelang.game.situations import Suite
from rulelang.interpreter.tracing import Element
from rulelang.scenarios import Result, result_of


def traced(suite: Suite) -> list[tuple[Result, frozenset[Element], float]]:
    """Run each scenario of a suite; return its result, what it reached and the seconds it took."""
    suite = suite.traced()
    rows = []
    for code in suite.codes:
        suite.reached.clear()
        start = time.process_time()
        result = result_of(suite, code)
        rows.append((result, frozenset(suite.reached), time.process_time() - start))
    return rows
