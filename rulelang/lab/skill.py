"""Whether thinking pays, and whether one strategy wins: games in which a seat plays otherwise than the others.

Enters: a study, a setting, the best bot, numbers of games. Leaves: `skill`, what a seat gains by that bot among bots
that choose at random; for actions what a seat of random choices has of the win among the best bots, when it takes the
action wherever it can.

Skill is what is left of a result when its luck is the same: each game is played twice with the same chance, keyed by
its sources, once with the best bot in the seat (Goodman, Perez-Liebana, Lucas, Seeding for success, 2025; Duersch et
al., Measuring skill and chance in games, 2020, fit ratings instead). In a game of pure luck the two games end alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rulelang.lab.statistics import Mean
from rulelang.lab.study import Setting, Study, forced_settings, share


def skill_settings(setting: Setting, bot: str, games: int) -> list[Setting]:
    """Return the settings of games of random bots, and with `bot` in one seat after the other; of the same deals."""
    random = replace(setting, bots=("random",), features=(), deals=games)
    seats = range(setting.players)
    return [random, *(replace(random, bots=tuple(bot if n == seat else "random" for n in seats)) for seat in seats)]


def skill(study: Study, setting: Setting, bot: str, games: int) -> Mean:
    """Play so many deals with random bots, and with the best bot in each seat; return by how much the share of the win
    is more than the random bot's, over what is more than an equal share.

    Args:
        setting: with its number of players, of which there are at least two that do not all win or lose.
    """
    random, *thinking = skill_settings(setting, bot, games)
    study.play([(own, games) for own in (random, *thinking)])
    gains = Mean()
    rows = zip(*(study.rows(own, games) for own in (random, *thinking)), strict=True)
    for without, *of_seats in rows:
        if not any("error" in row for row in (without, *of_seats)):
            more = [share(row, seat) - share(without, seat) for seat, row in enumerate(of_seats)]
            gains.add(sum(more) / len(more) / (1 - 1 / len(without["scores"])))
    return gains


def strategy_settings(setting: Setting, bot: str, action: str) -> list[Setting]:
    """Return the settings of games of the best bot in which one seat after the other takes an action wherever it can,
    and else chooses at random."""
    forced = forced_settings(setting, "always", "action", action, setting.players)
    seats = range(setting.players)
    return [replace(own, bots=tuple("random" if n == seat else bot for n in seats)) for seat, own in enumerate(forced)]


def strategy(study: Study, settings: Sequence[Setting], games: int) -> Mean:
    """Play so many games of each of `strategy_settings`; return the seat's share of the win."""
    study.play([(own, games) for own in settings])
    return Mean(
        share(row, seat) for seat, own in enumerate(settings) for row in study.rows(own, games) if "error" not in row
    )
