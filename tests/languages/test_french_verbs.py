"""French verbs after `vous` and after several."""

from __future__ import annotations

import pytest

from rulelang.languages import Phrase, language

YOU, THEY = Phrase("vous", person="you"), Phrase("les joueurs", many=True)


@pytest.mark.parametrize(
    ("verb", "you", "they"),
    [
        ("récupère", "récupérez", "récupèrent"),
        ("possède", "possédez", "possèdent"),
        ("révèle", "révélez", "révèlent"),
        ("complète", "complétez", "complètent"),
        ("achète", "achetez", "achètent"),
        ("enlève", "enlevez", "enlèvent"),
        ("soulève", "soulevez", "soulèvent"),
        ("mène", "menez", "mènent"),
        ("pèse", "pesez", "pèsent"),
        ("appelle", "appelez", "appellent"),
        ("gagne", "gagnez", "gagnent"),
        ("prend", "prenez", "prennent"),
        ("se lève", "vous levez", "se lèvent"),
    ],
)
def test_a_verb_agrees(verb: str, you: str, they: str) -> None:
    """As a grammar book says."""
    grammar = language("fr")
    assert grammar.verb(verb, YOU) == you
    assert grammar.verb(verb, THEY) == they
