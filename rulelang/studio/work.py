"""What takes long: games that are counted, scenarios that are run; in a process of its own, which can be killed.

Enters: one JSON object on stdin. Leaves: a JSON object a line, as soon as something is known.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from rulelang.diagnostics import RuleError, RulesetError, UsageError
from rulelang.game import Ruleset, load
from rulelang.scenarios import run_scenarios
from rulelang.simulate import Simulation, simulate

Json = dict[str, Any]
PARTS = 4
"""So often figures are told while games are played."""
_START = "import sys; sys.path.insert(0, sys.argv[1]); from rulelang.studio.work import main; main()"
LINE = 1 << 22
"""The bytes of the longest line that is read."""


def worked(request: Json) -> Iterator[Json]:
    """Yield what comes of a request.

    Args:
        request: `job` (`simulate` or `test`), `path` of the ruleset; for `simulate` `sides` (name -> texts in place of
            those of files), `players`, `options`, `games`, `bot`, `seed`; for `test` `texts`, `names` (null for all).
    """
    try:
        if request["job"] == "test":
            texts = _texts(request["texts"])
            wanted = None if request["names"] is None else {*request["names"]}
            selected = None if wanted is None else wanted.__contains__
            for result in run_scenarios(load(request["path"], instead=texts), selected=selected, instead=texts):
                yield {"result": result.to_json()}
            return
        for side, sent in request["sides"].items():
            yield from _figures(side, load(request["path"], instead=_texts(sent)), request)
    except (RulesetError, RuleError, UsageError) as error:
        yield {"error": str(error)}


def _texts(sent: Mapping[str, str]) -> dict[Path, str]:
    return {Path(path): text for path, text in sent.items()}


def _figures(side: str, ruleset: Ruleset, request: Json) -> Iterator[Json]:
    """Yield the figures of a ruleset's games, of ever more of them."""
    games, total = 0, dict[str, Any]()
    for part in range(PARTS):
        more = request["games"] * (part + 1) // PARTS - games
        if more:
            bot, seed, options = request["bot"], request["seed"] + part, request["options"]
            total = _added(total, simulate(ruleset, request["players"], more, bot, seed, options=options))
            games += more
            seats = [{key: value / games for key, value in seat.items()} for seat in total["seats"]]
            means = {key: total[key] / games for key in ("decisions", "turns", "limited", "drawn")}
            yield {"side": side, "games": games, "seats": seats, "backend": total["backend"], **means}


def _added(total: Json, more: Simulation) -> Json:
    """Return sums over the games of a total, empty at first, and of a simulation."""
    sums: Json = {key: getattr(more, key) + total.get(key, 0) for key in ("decisions", "turns", "limited", "drawn")}
    seats = [{"share": seat.win_share * more.games, "score": seat.mean_score * more.games} for seat in more.seats]
    old = total.get("seats") or [dict.fromkeys(seat, 0) for seat in seats]
    summed = [{key: seat[key] + was[key] for key in seat} for seat, was in zip(seats, old, strict=True)]
    return sums | {"seats": summed, "backend": more.backend}


def main() -> None:
    """Answer the request on stdin."""
    for answer in worked(json.load(sys.stdin)):
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


async def working(request: Json) -> AsyncIterator[Json]:
    """Yield what comes of a request, from a process that ends when nobody waits for more."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-c", _START, str(Path(__file__).parents[2]),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=LINE,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(json.dumps(request).encode())
        process.stdin.close()
        while line := await process.stdout.readline():
            yield json.loads(line)
        if await process.wait():
            yield {"error": f"the process ended with status {process.returncode}"}
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
