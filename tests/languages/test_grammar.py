"""Plurals, articles, elision, contraction, agreement and lists of English and French."""

from __future__ import annotations

import pytest

from rulelang.languages import Noun, language

EN, FR = language("en"), language("fr")


def french(one: str, gender: str = "", article: str = "", feminine: str = "") -> Noun:
    """A French noun with its regular plural."""
    return Noun(one, FR.plural(one), gender, article, feminine)


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("card", "cards"),
        ("box", "boxes"),
        ("wish", "wishes"),
        ("berry", "berries"),
        ("day", "days"),
        ("cup of tea", "cups of tea"),
        ("advance 2", "advances 2"),
        ("red nut", "red nuts"),
    ],
)
def test_english_plural(one: str, many: str) -> None:
    """The regular English plural; of a phrase with `of`, of what stands before it."""
    assert EN.plural(one) == many


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("carte", "cartes"),
        ("noix", "noix"),
        ("jeu", "jeux"),
        ("pneu", "pneus"),
        ("plateau", "plateaux"),
        ("journal", "journaux"),
        ("carte rouge", "cartes rouges"),
        ("usine de tri", "usines de tri"),
        ("bague d'or", "bagues d'or"),
        ("rouge 3", "rouges 3"),
    ],
)
def test_french_plural(one: str, many: str) -> None:
    """The regular French plural; adjectives agree, what follows a preposition stays."""
    assert FR.plural(one) == many


@pytest.mark.parametrize(
    ("noun", "phrase"),
    [
        (Noun("card", "cards"), "a card"),
        (Noun("apple", "apples"), "an apple"),
        (Noun("hour", "hours"), "an hour"),
        (Noun("unit", "units"), "a unit"),
        (Noun("8", "8s"), "an 8"),
        (Noun("MRI", "MRIs", article="an"), "an MRI"),
        (Noun("goods", "goods", plural=True), "goods"),
        (Noun("Bell", "Bells", article="none"), "Bell"),
    ],
)
def test_english_indefinite_article(noun: Noun, phrase: str) -> None:
    """`a` or `an` by sound, the ruleset's own article before that; none for plurals and names."""
    assert EN.a(noun) == phrase


@pytest.mark.parametrize(
    ("noun", "phrases"),
    [
        (french("carte", gender="f"), ("une carte", "la carte", "de la carte", "à la carte")),
        (french("stock"), ("un stock", "le stock", "du stock", "au stock")),
        (french("énergie", gender="f"), ("une énergie", "l'énergie", "de l'énergie", "à l'énergie")),
        (french("homme"), ("un homme", "l'homme", "de l'homme", "à l'homme")),
        (french("héros", article="le"), ("un héros", "le héros", "du héros", "au héros")),
        (french("hache", article="la"), ("une hache", "la hache", "de la hache", "à la hache")),
        (french("onze"), ("un onze", "le onze", "du onze", "au onze")),
        (french("œuf"), ("un œuf", "l'œuf", "de l'œuf", "à l'œuf")),
        (french("a1", article="none"), ("a1", "a1", "de a1", "à a1")),
        (french("8"), ("un 8", "le 8", "du 8", "au 8")),
        (
            Noun("gains", "gains", plural=True),
            ("des gains", "les gains", "des gains", "aux gains"),
        ),
    ],
)
def test_french_articles(noun: Noun, phrases: tuple[str, ...]) -> None:
    """Articles with gender and elision, contracted after `de` and `à`."""
    the = FR.the(noun)
    assert (FR.a(noun), the, FR.of(the), FR.to(the)) == phrases


def test_numbers_agree() -> None:
    """English has a singular for one, French for less than two."""
    nut, noix = Noun("nut", "nuts"), french("carte")
    assert [EN.form(nut, n) for n in (0, 1, 2, -1)] == ["nuts", "nut", "nuts", "nut"]
    assert [FR.form(noix, n) for n in (0, 1, 2, -1)] == ["carte", "carte", "cartes", "carte"]
    assert (EN.the(nut, 2), FR.the(noix, 2), FR.of(FR.the(noix, 2))) == ("the nuts", "les cartes", "des cartes")


def test_a_label_agrees() -> None:
    """An adjective takes the gender and number of its noun, another noun does not; in English it stands before."""
    plant, heap = french("usine", gender="f"), french("tas")
    green, river = french("vert", feminine="verte"), french("rivière", gender="f")
    assert FR.the(FR.with_label(plant, green)) == "l'usine verte"
    assert FR.the(FR.with_label(plant, green), 2) == "les usines vertes"
    assert FR.the(FR.with_label(heap, green)) == "le tas vert"
    assert FR.the(FR.with_label(heap, river)) == "le tas rivière"
    assert EN.the(EN.with_label(Noun("plant", "plants"), Noun("red", "reds"))) == "the red plant"
    assert EN.a(EN.with_label(Noun("plant", "plants"), Noun("old", "olds"))) == "an old plant"


def test_what_is_somebodys() -> None:
    """Possession, of the reader and of others."""
    assert EN.owned(Noun("hand", "hands"), EN.numbered(Noun("seat", "seats"), 1)) == "seat 1's hand"
    assert EN.your(Noun("hand", "hands")) == "your hand"
    seat = FR.numbered(french("joueur", gender="m"), 1)
    assert FR.owned(french("main", gender="f"), seat) == "la main du joueur 1"
    assert (FR.your(french("main")), FR.your(Noun("gains", "gains", plural=True))) == ("votre main", "vos gains")


def test_lists() -> None:
    """Lists end in `and` or `or`."""
    assert [EN.joined(["a", "b", "c"][:n]) for n in range(4)] == ["", "a", "a and b", "a, b and c"]
    assert FR.joined(["a", "b", "c"], "or") == "a, b ou c"


def test_a_region_and_an_unknown_language() -> None:
    """A region has its language's grammar, an unknown language that of English."""
    assert language("fr-CA") is FR
    assert language("xx") is EN
