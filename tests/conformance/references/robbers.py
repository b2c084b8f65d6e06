"""Robbers.

Two players have 2 brick and 1 wool, 1 brick and 2 wool. In turn, twice each, one builds for two goods, which go to the
bank; robs: of the other's goods two are drawn, each unit alike, into a pocket that holds one brick (a second one stays
where it was); stashes: of all goods a chest takes what finds room, two wool and three goods in all, which ones the
player chooses; or pays a wool to the other, and without one throws a good away if there is any.
"""

from __future__ import annotations

from .bags import Bag, bag, minus, plus, sub_bags, weights
from .tree import Ask, Outcome, enumeration


def play(ask: Ask, players: int) -> Outcome:
    """One game; the outcome is the points."""
    purses = [bag("brick", "brick", "wool"), bag("brick", "wool", "wool")]
    pockets, built = [bag(), bag()], [0, 0]
    chest, bank = bag(), bag()
    for turn in range(2 * players):
        seat, other = turn % 2, (turn + 1) % 2
        purse = purses[seat]
        options: list[tuple[str, Bag]] = [("build", paid) for paid in sub_bags(purse, 2)]
        options += [("rob", bag())] * (len(purses[other]) > 0)
        chosen, paid = ask.decide([*options, ("stash", bag()), ("pay", bag())])
        if chosen == "build":
            purses[seat], bank, built[seat] = minus(purse, paid), plus(bank, paid), built[seat] + 1
        elif chosen == "rob":
            left, drawn = purses[other], bag()
            for _ in range(min(2, len(left))):
                unit = ask.chance(weights(left))
                left, drawn = minus(left, [unit]), plus(drawn, [unit])
            bricks = min(drawn.count("brick"), 1 - pockets[seat].count("brick"))
            taken = bag(*["brick"] * bricks, *["wool"] * drawn.count("wool"))
            purses[other], pockets[seat] = minus(purses[other], taken), plus(pockets[seat], taken)
        elif chosen == "stash":
            fits = bag(*["brick"] * purse.count("brick"), *["wool"] * min(purse.count("wool"), 2 - chest.count("wool")))
            moved = ask.question(sub_bags(fits, min(len(fits), 3 - len(chest))))
            purses[seat], chest = minus(purse, moved), plus(chest, moved)
        elif "wool" in purse:
            purses[seat], purses[other] = minus(purse, ["wool"]), plus(purses[other], ["wool"])
        elif purse:
            purses[seat] = minus(purse, ask.question(sub_bags(purse, 1)))
    common = 100_000 * _worth(chest) + 10_000_000 * _worth(bank)
    return tuple(
        house + 10 * _worth(purse) + 1000 * _worth(pocket) + common
        for house, purse, pocket in zip(built, purses, pockets, strict=True)
    )


def _worth(goods: Bag) -> int:
    """A number that tells bags of fewer than ten of each apart."""
    return goods.count("brick") + 10 * goods.count("wool")


rows, terminal_probabilities = enumeration(play)
