"""The nouns of a generated ruleset: what exists, with all that rules need to know to speak of it rightly.

Enters: a generator. Leaves: a `World`, whose `nouns` are the sections of YAML.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

NUMBER, BOOL, SEAT, WAY = "number", "bool", "player", "Direction"


@dataclass(frozen=True)
class Place:
    """A zone or a variable, as rules name it.

    Attributes:
        index: the types it is `per`, without the player. per_player: whether each has his own.
        holds: of a zone the kind of its pieces; of a variable its type. visible: who sees it.
        pile: of a zone whether it has a top. low, high: of a number. optional: whether it may be absent.
    """

    name: str
    holds: str
    index: tuple[str, ...] = ()
    per_player: bool = False
    visible: str = "all"
    pile: bool = False
    low: int = 0
    high: int = 0
    optional: bool = False


@dataclass
class World:
    """All nouns.

    Attributes:
        seats: the numbers of players. enums: types and their values; attributes: numbers that values of a type have.
        betweens: types of pairs of seats. grids: boards. edges: types of edges and corners. kinds: attributes and piece
            variables by kind, each with its type. options: names that stand for numbers; truths: for truth values.
        singles: by kind the individuals that each player has one of. eliminates: whether rules put players out.
    """

    random: Random
    seats: list[int] = field(default_factory=list)
    nouns: dict[str, Any] = field(default_factory=dict)
    enums: dict[str, list[str]] = field(default_factory=dict)
    attributes: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    betweens: list[str] = field(default_factory=list)
    grids: list[str] = field(default_factory=list)
    edges: list[str] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    individuals: list[str] = field(default_factory=list)
    marks: dict[str, list[str]] = field(default_factory=dict)
    piece_variables: dict[str, list[Place]] = field(default_factory=dict)
    rows: dict[str, list[str]] = field(default_factory=dict)
    zones: list[Place] = field(default_factory=list)
    variables: list[Place] = field(default_factory=list)
    own_marks: list[Place] = field(default_factory=list)
    options: list[str] = field(default_factory=list)
    truths: list[str] = field(default_factory=list)
    automaton: str = ""
    goods: list[str] = field(default_factory=list)
    singles: list[tuple[str, str]] = field(default_factory=list)
    eliminates: bool = False

    def types(self) -> list[str]:
        """Return the types whose values can all be named at once."""
        return [*self.enums, *self.betweens, *self.grids, *self.edges]

    def index_types(self) -> list[str]:
        """Return the types that a zone or variable may be `per`."""
        return [*self.types(), *self.goods[:0]]


def world(random: Random) -> World:
    """Return the nouns of a ruleset."""
    w = World(random, eliminates=random.random() < 0.4)
    _header(w)
    _options(w)
    _types(w)
    _grids(w)
    _kinds(w)
    _zones(w)
    _pieces(w)
    _variables(w)
    return w


def _header(w: World) -> None:
    r = w.random
    low = r.choice((1, 1, 2, 2, 2, 3, 4))
    high = r.choice((low, min(4, low + 1), 4))
    w.seats = list(range(low, high + 1))
    w.nouns |= {
        "name": "g",
        "players": low if low == high else f"{low}..{high}",
        "limits": {
            "decisions": r.choice((12, 25, 40)),
            "outcome": r.choice(("drawn", "scores")),
            "fuel": 20000,
            "depth": r.choice((8, 32)),
        },
    }
    if high == 4 and r.random() < 0.2:
        w.nouns["teams"] = {4: r.choice(([[0, 2], [1, 3]], [[0, 1, 2]]))}
    if r.random() < 0.15:
        w.automaton = "robot"
        w.nouns["automata"] = {"robot": {"players": w.seats if r.random() < 0.5 else [low]}}


def _options(w: World) -> None:
    r = w.random
    options: dict[str, Any] = {}
    if r.random() < 0.5:
        w.options.append("size")
        low, more = r.choice((0, 1, 1)), r.choice((1, 2, 3))
        options["size"] = {"values": list(range(low, low + more + 1)), "default": low + r.randrange(more + 1)}
    if r.random() < 0.4:
        w.truths.append("hard")
        options["hard"] = {"type": "bool", "default": r.random() < 0.5}
    if options:
        w.nouns["options"] = options


def _types(w: World) -> None:
    r = w.random
    types: dict[str, Any] = {}
    if r.random() < 0.8:
        w.enums["Hue"] = ["red", "blue", "green", "pink"][: r.choice((1, 2, 2, 3, 4))]
        types["Hue"] = w.enums["Hue"]
        if r.random() < 0.4:
            w.attributes["Hue"] = [("worth", NUMBER)]
            types["Hue"] = {
                "attributes": {"worth": NUMBER},
                "values": {v: {"worth": r.randint(-2, 3)} for v in w.enums["Hue"]},
            }
    if r.random() < 0.3:
        w.betweens.append("Gap")
        pairs = {n: r.choice(([], [[0, n - 1]], [[0, 1]])) if n > 1 else [] for n in w.seats}
        types["Gap"] = {"between": "neighbours" if r.random() < 0.5 and w.seats[0] > 1 else pairs}
    if r.random() < 0.3:
        w.goods = ["nut", "oil", "wool"][: r.choice((1, 2, 3))]
        types["Ore"] = {"values": w.goods}
    if types:
        w.nouns["types"] = types


def _grids(w: World) -> None:
    r = w.random
    if r.random() < 0.5:
        return
    grid: dict[str, Any] = {"adjacency": r.choice(("orthogonal", "all", "hexagonal", "triangular"))}
    sizes = [(1, 1), (1, 1), (1, 1), (2, 1), (1, 3), (3, 2), (3, 3)]
    columns, rows = r.choice(sizes)
    grid["columns"], grid["rows"] = columns, rows
    if w.options and r.random() < 0.6:
        grid["columns"] = "size + 1"
    w.grids.append("Sq")
    if "hard" in w.truths and grid["adjacency"] in ("orthogonal", "all") and r.random() < 0.6:
        grid = {"adjacency": grid["adjacency"], "map": {"hard": {"true": _map(r), "false": _map(r)}}}
        grid["legend"] = {"o": {}, "_": "none"}
    elif r.random() < 0.6:
        w.edges.append("Rim")
        grid["edges"] = {"name": "Rim"}
        if r.random() < 0.5:
            grid["edges"]["border"] = True
    if r.random() < 0.5:
        w.edges.append("Post")
        grid["corners"] = {"name": "Post"}
    w.nouns["grids"] = {"Sq": grid}


def _map(r: Random) -> str:
    """Return a board of up to nine cells, of which the first is there, with holes."""
    columns, rows = r.choice((1, 2, 3)), r.choice((1, 2, 3))
    cells = "o" + "".join(r.choice("oo_") for _ in range(columns * rows - 1))
    return "".join(cells[start : start + columns] + "\n" for start in range(0, columns * rows, columns))


def _kinds(w: World) -> None:
    r = w.random
    kinds: dict[str, dict[str, Any]] = {}
    w.kinds.append("Card")
    w.attributes["Card"] = [("value", NUMBER)]
    kinds["Card"] = {"attributes": {"value": "0..9"}, "start": "deck"}
    if "Hue" in w.enums:
        w.attributes["Card"].append(("hue", "Hue"))
        kinds["Card"]["attributes"]["hue"] = "Hue"
    if r.random() < 0.3:
        w.attributes["Card"].append(("bonus", "number?"))
        kinds["Card"]["attributes"]["bonus"] = "0..3?"
    if w.goods and r.random() < 0.5:
        w.attributes["Card"].append(("price", "cost of Ore"))
        kinds["Card"]["attributes"]["price"] = "cost of Ore"
    if r.random() < 0.65:
        w.kinds.append("Man")
        w.individuals.append("Man")
        w.attributes["Man"] = []
        variables: dict[str, Any] = {}
        w.piece_variables["Man"] = []
        for name, type_, low, high in (
            ("load", NUMBER, 0, 3),
            ("seen", BOOL, 0, 1),
            ("chum", "Man?", 0, 0),
            ("lord", "player?", 0, 0),
        ):
            if r.random() < 0.45:
                variables[name] = {"type": "0..3" if name == "load" else type_}
                place = Place(name, type_.rstrip("?"), low=low, high=high, optional=type_.endswith("?"))
                w.piece_variables["Man"].append(place)
        kinds["Man"] = {"identity": True, "start": "home"} | ({"variables": variables} if variables else {})
        if r.random() < 0.3:
            kinds["Man"]["marks"] = ["tired"]
            w.marks["Man"] = ["tired"]
    w.nouns["kinds"] = kinds


def _zone(w: World, name: str, kind: str, **more: Any) -> None:
    per = more.pop("per", [])
    pile, visible = more.get("order") == "pile", more.get("visible", "all")
    index = tuple(part for part in per if part != "player")
    w.zones.append(Place(name, kind, index, "player" in per, visible, pile))
    given = {"per": per[0] if len(per) == 1 else per} if per else {}
    w.nouns.setdefault("zones", {})[name] = {"holds": kind} | given | more


def _zones(w: World) -> None:
    r = w.random
    _zone(w, "deck", "Card", order="pile", visible=r.choice(("count", "count", "count", "top", "nobody")))
    _zone(w, "hand", "Card", per=["player"], visible=r.choice(("owner", "owner", "all", "others")))
    _zone(w, "table", "Card")
    if r.random() < 0.5:
        capacity = {"capacity": r.choice((0, 1, 2))} if r.random() < 0.5 else {}
        _zone(w, "heap", "Card", order="pile", visible=r.choice(("all", "top", "count")), **capacity)
    if w.index_types() and r.random() < 0.5:
        _zone(w, "row", "Card", per=[*r.choice((["player"], [])), r.choice(w.index_types())])
    if r.random() < 0.4:
        w.nouns["zones"]["deck"]["refill"] = "table"
    if "Man" in w.kinds:
        _zone(w, "home", "Man", **({"per": ["player"]} if r.random() < 0.3 else {}))
        _zone(
            w,
            "away",
            "Man",
            **({"order": "pile"} if r.random() < 0.5 else {}),
            visible=r.choice(("all", "all", "count", "nobody")),
        )
        if w.grids:
            _zone(w, "board", "Man", per=["Sq"], **({"capacity": 1} if r.random() < 0.5 else {}))
    active = [
        zone.name
        for zone in w.zones
        if zone.holds == "Card" and zone.per_player and zone.visible in ("all", "owner") and r.random() < 0.8
    ]
    if active:
        w.nouns["kinds"]["Card"]["active"] = active


def _pieces(w: World) -> None:
    r = w.random
    cards = []
    for name in ("ace", "two", "fox")[: r.choice((1, 2, 3))]:
        row: dict[str, Any] = {"id": name, "value": r.randint(0, 4), "count": r.choice((1, 1, 2, 4, 5))}
        if "Hue" in w.enums:
            row["hue"] = r.choice(w.enums["Hue"])
        if any(attribute == "bonus" for attribute, _ in w.attributes["Card"]) and r.random() < 0.5:
            row["bonus"] = r.randint(0, 3)
        if any(attribute == "price" for attribute, _ in w.attributes["Card"]):
            row["price"] = r.choice(
                (f"1 {w.goods[0]}", "1 any Ore", "2 identical Ore", f"2 {w.goods[-1]} or 1 any Ore")
            )
        if r.random() < 0.2:
            row |= {"per": "player", "start": "hand"}
        if w.options and r.random() < 0.3:
            row["count"] = "size"
        cards.append(row)
    if cards[0]["count"] != "size":
        cards[0]["count"] = max(4, cards[0]["count"]) if r.random() < 0.8 else cards[0]["count"]
    w.rows["Card"] = [row["id"] for row in cards]
    w.nouns["pieces"] = {"Card": cards}
    if "Man" in w.kinds:
        home = next(zone for zone in w.zones if zone.name == "home")
        men: list[dict[str, Any]] = []
        for name in ("tom", "dan")[: r.choice((1, 2))]:
            own = home.per_player or r.random() < 0.3
            men.append({"id": name} | ({"per": "player"} if own else {"count": r.choice((1, 1, 2))}))
            if own:
                w.singles.append((name, "Man"))
        w.rows["Man"] = [row["id"] for row in men]
        w.nouns["pieces"]["Man"] = men


def _variables(w: World) -> None:
    r = w.random
    table: dict[str, Any] = {}

    def add(name: str, type_: str, written: str, **more: Any) -> None:
        per = more.pop("per", [])
        visible = (
            r.choice(("all", "all", "all", "owner", "nobody"))
            if "player" in per
            else r.choice(("all", "all", "all", "nobody"))
        )
        low, high = more.pop("low", 0), more.pop("high", 0)
        index = tuple(part for part in per if part != "player")
        w.variables.append(
            Place(name, type_, index, "player" in per, visible, low=low, high=high, optional=written.endswith("?"))
        )
        table[name] = (
            {"type": written}
            | ({"per": per[0] if len(per) == 1 else per} if per else {})
            | ({"visible": visible} if visible != "all" else {})
            | more
        )

    pers: list[list[str]] = (
        [[], ["player"]] + [[type_] for type_ in w.index_types()] + [["player", type_] for type_ in w.index_types()]
    )
    for name in ("num1", "num2", "num3")[: r.choice((2, 3))]:
        low, high = r.choice(((0, 9), (0, 99), (-5, 5), (0, 1), (3, 3)))
        more = {"start": r.randint(low, high)} if r.random() < 0.4 else {}
        add(name, NUMBER, f"{low}..{high}", per=r.choice(pers), low=low, high=high, **more)
    for name in ("flag1", "flag2")[: r.randrange(3)]:
        add(name, BOOL, BOOL, per=r.choice(pers))
    for name in ("who1", "who2")[: r.randrange(3)]:
        add(name, SEAT, r.choice(("player", "player?")), per=r.choice(pers))
    for type_ in w.types():
        if r.random() < 0.5:
            add(
                f"var{len(table)}",
                type_,
                f"{type_}?" if r.random() < (0.7 if type_ in w.enums else 0.93) else type_,
                per=r.choice(pers),
            )
    if "Man" in w.kinds and r.random() < 0.5:
        add("best", "Man", "Man?", per=r.choice(pers))
    if w.grids and r.random() < 0.3:
        add("way", WAY, r.choice(("Direction", "Direction?")), per=r.choice(pers[:2]))
    if w.goods:
        for name in ("shed", "safe")[: r.choice((1, 2))]:
            capacity = {"capacity": r.choice(({"each": 2}, {"total": 3}))} if r.random() < 0.4 else {}
            add(
                name,
                "bag of Ore",
                "bag of Ore",
                per=["player"] if r.random() < 0.8 else [],
                start=f"1 {w.goods[0]}",
                **capacity,
            )
    w.nouns["variables"] = table
    if r.random() < 0.4:
        per = ["player"] if r.random() < 0.7 else []
        w.own_marks.append(Place("hurt", BOOL, (), bool(per)))
        w.nouns["marks"] = {"hurt": {"per": "player"} if per else {}}
