"""The figures of the 102 cards keep to what the rulebook says of them, and to what was decided where it says nothing.

Enters: the rows of the ruleset `ldd`. Leaves: nothing. Lines of the rulebooks are cited with each law; `decision` is
docs/decisions/005-ldd-figures.md.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import combinations, pairwise, permutations

import pytest

from rulelang.ruleset.model import PieceDecl
from tests.shipped import rows_of, shipped

ROWS = rows_of("ldd")
DROIDS = [row for row in ROWS.values() if row.kind == "Droid"]
HOUSES = [row for row in ROWS.values() if row.kind == "House"]

SEASONS = ("season1", "season2", "season3")
BASE = ("nut", "oil", "circuit")

# The lists of the glossary; 77 stands in both lists of the market.
FAMILIES = {
    "water": [2, 4, 6, 19, 23, 24, 34, 40, 43, 60, 70, 79, 80, 84, 90, 94, 99, 101],  # ldd-fr:834
    "gardening": [3, 5, 8, 17, 18, 21, 35, 37, 41, 61, 66, 68, 76, 81, 91, 97, 98, 100],  # ldd-fr:842
    "communication": [1, 9, 15, 28, 29, 32, 33, 39, 44, 59, 64, 67, 69, 74, 75, 85, 89, 102],  # ldd-fr:853
    "storage": [13, 14, 30, 31, 36, 63, 73, 78, 83, 93],  # ldd-fr:869-875
    "collecting": [7, 11, 12, 96, 25, 26, 27, 38, 82, 86, 87, 95, 65, 71],  # ldd-fr:885-895
    "market": [10, 16, 62, 72, 77, 88, 92, 20, 22, 42],  # ldd-fr:905-915
}
FAMILY_OF = {number: family for family, numbers in FAMILIES.items() for number in numbers}

# Season, marking and numbers of each block (facts/components.md 4.2 and 4.3).
BLOCKS = [
    ("season1", "2", range(1, 17)),
    ("season2", "2", range(17, 33)),
    ("season3", "2", range(33, 45)),
    ("season1", "3", range(59, 67)),
    ("season2", "3", range(67, 75)),
    ("season3", "3", range(75, 81)),
    ("season1", "4", range(81, 89)),
    ("season2", "4", range(89, 97)),
    ("season3", "4", range(97, 103)),
]


# ---- reading rows ----------------------------------------------------------------------------------------------------


def droid(number: int) -> PieceDecl:
    """The droid of a number."""
    return ROWS[f"d{number}"]


def text(row: PieceDecl, attribute: str) -> str:
    """What is written for an attribute."""
    return row.attributes[attribute].text.strip()


def number_of(row: PieceDecl, attribute: str) -> int:
    """A number."""
    return int(text(row, attribute))


def parts(written: str) -> Counter[str]:
    """`2 nut + 1 any base` as a count of words."""
    found: Counter[str] = Counter()
    for term in written.split(" + "):
        match = re.fullmatch(r"(\d+) (\w+|any base|any Part|\(\w+ or \w+\))", term.strip())
        assert match is not None, term
        found[match[2]] += int(match[1])
    return found


def cost(row: PieceDecl) -> Counter[str]:
    """The cost as a count of words."""
    return parts(text(row, "cost"))


def size(row: PieceDecl, attribute: str) -> int:
    """How many parts a cost or a gain has."""
    return parts(text(row, attribute)).total()


def rules(row: PieceDecl) -> str:
    """The rules of a card on one line."""
    return " ".join(row.rules.text.split()) if row.rules is not None else ""


def given(row: PieceDecl, purse: str) -> Counter[str]:
    """What the rules add to a purse, in the statements of all lines."""
    found: Counter[str] = Counter()
    if row.rules is not None:
        for gift in re.findall(rf"(?m)(?:^ *|: ){re.escape(purse)} \+= (.+)$", row.rules.text):
            found += parts(gift)
    return found


def mean(rows: Iterable[PieceDecl], value: Callable[[PieceDecl], int]) -> Fraction:
    """The exact mean of a value."""
    values = [value(row) for row in rows]
    return Fraction(sum(values), len(values))


def points(row: PieceDecl) -> int:
    """The printed points."""
    return number_of(row, "points")


def of_family(family: str) -> list[PieceDecl]:
    """All droids of a family."""
    return [droid(number) for number in FAMILIES[family]]


# ---- 4.1, 4.2, 4.3: which cards there are ----------------------------------------------------------------------------


def test_numbers_from_1_to_102() -> None:
    """88 droids and the houses 45 to 58 (ldd-fr:114, ldd-fr:133-134, ldd-fr:925-977)."""
    assert [row.id for row in HOUSES] == [f"h{number}" for number in range(45, 59)]
    assert [row.id for row in DROIDS] == [f"d{number}" for number in range(1, 103) if not 45 <= number <= 58]


@pytest.mark.parametrize("family", FAMILIES)
def test_families(family: str) -> None:
    """Each family has the numbers of its list (ldd-fr:834, 842, 853, 869-875, 885-895, 905-915)."""
    assert {row.id for row in DROIDS if text(row, "family") == family} == {f"d{n}" for n in FAMILIES[family]}


@pytest.mark.parametrize(("season", "mark", "numbers"), BLOCKS)
def test_blocks(season: str, mark: str, numbers: range) -> None:
    """Season and marking go by blocks of numbers (facts 4.2, 4.3)."""
    assert {(text(droid(n), "season"), text(droid(n), "mark")) for n in numbers} == {(season, mark)}


def test_seasons_have_32_32_and_24_cards() -> None:
    """ldd-fr:118-129."""
    assert Counter(text(row, "season") for row in DROIDS) == {"season1": 32, "season2": 32, "season3": 24}


@pytest.mark.parametrize(("players", "left", "right"), [(1, 44, 0), (2, 44, 0), (3, 66, 0), (4, 44, 44)])
def test_decks(players: int, left: int, right: int) -> None:
    """44 cards alone and for two, 66 for three, two stacks of 44 for four (ldd-fr:262-266, 600-604, facts 4.2)."""
    zones = shipped("ldd").new_game(players=players, seed=1).observation(0)["zones"]
    counts: Counter[str] = Counter()
    for name, zone in zones.items():
        # The distributor has the first season when the first cards are drawn from it; those lie offered.
        if name.startswith(("deck[", "distributor[", "offer[")):
            counts["left" if "left" in name else "right"] += zone["count"]
    assert (counts["left"], counts["right"]) == (left, right)


def test_every_figure_says_where_it_comes_from() -> None:
    """No source gives a whole card: each row is marked as invented, and cites its entry of the glossary."""
    glossary = range(828, 978)
    for row in ROWS.values():
        assert row.provenance == "invented", row.id
        lines = [int(line) for cite in row.cites for line in re.findall(r"ldd-fr:(\d+)", str(cite))]
        assert any(line in glossary for line in lines), row.id


# ---- 4.4: what the text says of single cards -------------------------------------------------------------------------


def test_example_of_a_communication_droid() -> None:
    """One prints 3 points (ldd-fr:861), another 1 besides what it hears (ldd-fr:1067)."""
    assert {1, 3} <= {points(row) for row in of_family("communication")}


def test_example_of_a_storage_droid() -> None:
    """One gives an extension of choice, two for circuits, and three circuits (ldd-fr:871)."""
    gifts = [(given(droid(n), "extensions"), given(droid(n), "shed")) for n in (13, 14, 30, 63, 73, 78, 83, 93)]
    assert (Counter({"any Part": 1, "circuit": 2}), Counter({"circuit": 3})) in gifts
    # Extensions, and parts where there are any (ldd-fr:869); all are different cards.
    assert all(extensions for extensions, _ in gifts)
    assert len({(frozenset(e.items()), frozenset(p.items())) for e, p in gifts}) == len(gifts)


def test_cards_31_and_36() -> None:
    """Two extensions of choice and a house dearer by three base parts; one extension of choice (ldd-fr:873, 875)."""
    assert given(droid(31), "extensions") == {"any Part": 2}
    assert re.search(r"modify price\(.*\) when .*: plus 3 any base$", rules(droid(31)))
    assert given(droid(36), "extensions") == {"any Part": 1}


def test_one_more_part_when_dismantling() -> None:
    """7, 11, 12 and 96 give one part more of one kind each, one of them circuits (ldd-fr:883-887)."""
    kinds = []
    for number in (7, 11, 12, 96):
        match = re.fullmatch(
            r"after dismantle\(owner, card\) when (\w+) in card\.gain: owner\.shed \+= 1 (\w+)",
            rules(droid(number)),
        )
        assert match is not None, number
        assert match[1] == match[2]
        kinds.append(match[1])
    assert "circuit" in kinds
    assert len(set(kinds)) == 4


@pytest.mark.parametrize("number", [25, 26, 27, 38, 82, 86, 87, 95])
def test_collected_base_parts(number: int) -> None:
    """Those give base parts when they are repaired, never energy (ldd-fr:889-891)."""
    words = set(given(droid(number), "shed"))
    assert words
    assert all(set(re.findall(r"\w+", word)) - {"or", "any"} <= {*BASE, "base"} for word in words)


def test_example_of_a_collecting_droid() -> None:
    """Two nuts and a circuit or one nut and two circuits: one each, and one of either (ldd-fr:893)."""
    gifts = [given(droid(number), "shed") for number in (25, 26, 27, 38, 82, 86, 87, 95)]
    assert Counter({"nut": 1, "circuit": 1, "(nut or circuit)": 1}) in gifts


@pytest.mark.parametrize("number", [65, 71])
def test_base_parts_on_the_card(number: int) -> None:
    """Base parts that lie on the card (ldd-fr:895)."""
    stored = given(droid(number), "this.stored")
    assert stored
    assert set(stored) <= {*BASE, "any base"}


@pytest.mark.parametrize("number", [10, 16, 62, 72, 77, 88, 92])
def test_exchanges_once_or_twice(number: int) -> None:
    """Once or twice in each phase of exchanges (ldd-fr:905)."""
    limits = re.findall(r"exchange \w+ in swaps (once|2 times) per phase:", rules(droid(number)))
    assert len(limits) == 1


@pytest.mark.parametrize("number", [20, 22, 77])
def test_exchanges_without_limit(number: int) -> None:
    """As often as one wishes (ldd-fr:911); 77 is listed as both."""
    assert re.search(r"exchange \w+ in swaps:", rules(droid(number)))


@pytest.mark.parametrize(
    ("numbers", "exchange"),
    [
        ([10, 16, 62, 72, 77, 88, 92], "once per phase: 1 (nut or oil) -> 1 circuit"),  # ldd-fr:907
        ([10, 16, 62, 72, 77, 88, 92], "2 times per phase: 1 oil -> 1 (nut or circuit)"),  # ldd-fr:909
        ([20, 22, 77], "in swaps: 2 identical base -> 1 energy"),  # ldd-fr:913
    ],
)
def test_examples_of_exchanges(numbers: list[int], exchange: str) -> None:
    """Each example is the exchange of some card."""
    assert any(exchange in rules(droid(number)) for number in numbers)


def test_no_two_market_droids_exchange_alike_in_one_season() -> None:
    """Decision: within a season no market droid repeats another's exchanges."""
    for season in SEASONS:
        told = [
            re.sub(r"exchange \w+ ", "", rules(row)) for row in of_family("market") if text(row, "season") == season
        ]
        assert len(set(told)) == len(told)


def test_card_42() -> None:
    """One energy less for each repair of its owner (ldd-fr:915)."""
    assert "modify cost(card, owner): minus 1 energy" in rules(droid(42))


def test_example_of_interest() -> None:
    """A collecting droid of 4, a market droid of 2 in the same season, a solo house that adds 8 to it (ldd-fr:525)."""
    seasons = [
        {
            text(row, "season")
            for row in of_family(family)
            if text(row, "mark") == "2" and text(row, "interest") == value
        }
        for family, value in (("collecting", "4"), ("market", "2"))
    ]
    assert seasons[0] & seasons[1]
    adding = [row for row in HOUSES if "when card.family = market: plus 8" in rules(row)]
    assert len(adding) == 1
    assert text(adding[0], "solo") == "true"


def test_example_of_a_house() -> None:
    """Four points or those of the effect (ldd-fr:1071), never less than four (ldd-en:77)."""
    assert any(points(row) == 4 and "max(this.points," in rules(row) for row in HOUSES)
    assert all(points(row) >= 4 for row in HOUSES)
    for row in HOUSES:
        assert re.search(r"scores: (max\(this\.points, .*\)|this\.points)$", rules(row)), row.id
    assert points(ROWS["h58"]) == 12  # ldd-fr:977


def test_eight_houses_for_a_lone_player() -> None:
    """Eight have the sign (ldd-fr:145); those, and no others, change the machine's interest (ldd-fr:521)."""
    signed = {row.id for row in HOUSES if text(row, "solo") == "true"}
    assert len(signed) == 8
    assert {row.id for row in HOUSES if "modify interest(card)" in rules(row)} == signed


# ---- what the families are like --------------------------------------------------------------------------------------


@pytest.mark.parametrize("season", SEASONS)
def test_water_is_worth_most(season: str) -> None:
    """Each water droid prints more than any other droid of its season, and does nothing (ldd-fr:169, 836)."""
    here = [row for row in DROIDS if text(row, "season") == season]
    water = [row for row in here if text(row, "family") == "water"]
    assert min(points(row) for row in water) > max(points(row) for row in here if row not in water)
    assert not any(rules(row) for row in water)


def test_leaves_are_those_of_gardening() -> None:
    """All gardening droids have leaves and points and do nothing, no other has leaves (ldd-fr:175, 844)."""
    for row in DROIDS:
        gardening = text(row, "family") == "gardening"
        assert (number_of(row, "leaves") > 0) == gardening, row.id
        if gardening:
            assert points(row) > 0
            assert not rules(row)


def test_communication_droids_do_nothing_of_their_own() -> None:
    """What they hear is counted by a rule of the game; they print points besides (ldd-fr:855)."""
    for row in of_family("communication"):
        assert points(row) > 0
        assert not rules(row)


@pytest.mark.parametrize("family", ["storage", "collecting", "market"])
def test_all_others_have_an_effect(family: str) -> None:
    """ldd-fr:867-915."""
    assert all(rules(row) for row in of_family(family))


@pytest.mark.parametrize("value", ["cost", "gain", "points"])
def test_later_seasons_cost_and_pay_more(value: str) -> None:
    """Decision: in the mean over all droids, and each season's water costs more than its other droids."""

    def figure(row: PieceDecl) -> int:
        return points(row) if value == "points" else size(row, value)

    means = [mean((row for row in DROIDS if text(row, "season") == season), figure) for season in SEASONS]
    assert all(earlier < later for earlier, later in pairwise(means))


@pytest.mark.parametrize("family", FAMILIES)
def test_later_droids_of_a_family_cost_and_pay_more(family: str) -> None:
    """Decision: so within each family."""
    for figure in (lambda row: size(row, "cost"), points):
        means = [
            mean((row for row in of_family(family) if text(row, "season") == season), figure) for season in SEASONS
        ]
        assert all(earlier < later for earlier, later in pairwise(means))


def test_leaves_grow_with_the_seasons() -> None:
    """Decision."""
    gardening = of_family("gardening")
    means = [
        mean((row for row in gardening if text(row, "season") == season), lambda row: number_of(row, "leaves"))
        for season in SEASONS
    ]
    assert all(earlier < later for earlier, later in pairwise(means))


# ---- what can be paid ------------------------------------------------------------------------------------------------


def test_a_shed_without_extensions_can_hold_each_cost() -> None:
    """Three parts of each kind fit (ldd-fr:222): no card needs an extension to be paid."""
    for row in ROWS.values():
        needed = cost(row)
        assert all(needed[part] <= 3 for part in (*BASE, "energy")), row.id
        assert sum(needed[part] for part in (*BASE, "any base")) <= 3 * len(BASE), row.id


def test_gains_name_their_parts() -> None:
    """A gain is of printed parts (ldd-fr:197-198), and fits into an empty shed."""
    for row in DROIDS:
        gain = parts(text(row, "gain"))
        assert set(gain) <= {*BASE, "energy"}, row.id
        assert all(count <= 3 for count in gain.values()), row.id


def test_the_first_season_can_be_begun() -> None:
    """With the parts of the start (ldd-fr:241-244) at least half of the first season's droids can be paid at once."""
    first = [row for row in DROIDS if text(row, "season") == "season1"]
    start = {"nut": 1, "oil": 1, "circuit": 1, "energy": 2}
    affordable = [
        row
        for row in first
        if all(cost(row)[part] <= held for part, held in start.items())
        and sum(cost(row)[part] for part in (*BASE, "any base")) <= len(BASE)
    ]
    assert len(affordable) >= len(first) / 2


def test_no_droid_is_the_better_one_in_all() -> None:
    """Decision: of two droids of a family and season without effects none costs less, gives more and is worth more."""
    groups: dict[tuple[str, str], list[PieceDecl]] = defaultdict(list)
    for row in DROIDS:
        if not rules(row):
            groups[text(row, "family"), text(row, "season")].append(row)
    assert len(groups) == 9
    for rows in groups.values():
        for one, other in permutations(rows, 2):
            differences = [mine - its for mine, its in zip(merits(one), merits(other), strict=True)]
            assert not all(difference > 0 for difference in differences), (one.id, other.id)


def merits(row: PieceDecl) -> tuple[int, int, int]:
    """What is good about a droid: a low cost, a high gain (energy is worth two parts), points and leaves."""
    needed, gain = cost(row), parts(text(row, "gain"))
    return -needed.total() - needed["energy"], gain.total() + gain["energy"], points(row) + number_of(row, "leaves")


# ---- the solo game ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("season", SEASONS)
def test_equal_interest_is_rare(season: str) -> None:
    """At most one pair of a season's cards in ten is of equal interest: the rulebook calls it rare (ldd-fr:519)."""
    here = [number_of(row, "interest") for row in DROIDS if (text(row, "season"), text(row, "mark")) == (season, "2")]
    pairs = list(combinations(here, 2))
    assert sum(one == other for one, other in pairs) <= len(pairs) / 10
