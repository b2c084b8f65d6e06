"""Trees of YAML files come from the cache as the YAML library read them."""

from __future__ import annotations

from typing import Any

import pytest

from rulelang.cache import TREES
from rulelang.diagnostics import Diagnostics, Source
from rulelang.resources import shipped_rulesets
from rulelang.ruleset import tree_cache
from rulelang.ruleset.yaml_reader import _READ, read_yaml

PADDING = "\n# " + "x" * tree_cache.LEAST
TEXTS = {str(path): path.read_text(encoding="utf-8") for path in sorted(shipped_rulesets().rglob("*.yaml"))}
MIXED = "rulelang: 1\na: {b: [1, ~, true, 'x', \"y\"]}\nc: |\n  text\nd:\n- e: >-\n    folded\n  f: -3\n" + PADDING


def read(path: str, text: str) -> tuple[str, list[Any]]:
    """The path that the tree says, and all else in it."""
    _READ.clear()
    tree = read_yaml(Source(path, text), Diagnostics())
    assert tree is not None
    return tree.span.path, tree_cache._data(tree)


def test_what_is_kept_is_what_was_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Places, values, styles and all; under another path the places are that path's."""
    texts = {"mixed.yaml": MIXED, **dict(list(TEXTS.items())[:12])}
    with monkeypatch.context() as patch:
        patch.setattr("rulelang.ruleset.yaml_reader.load_tree", lambda source: None)
        wanted = {path: read(path, text) for path, text in texts.items()}
        moved = read("elsewhere.yaml", MIXED)
    monkeypatch.setattr("ruamel.yaml.YAML.parse", None)  # nothing is read again
    assert {path: read(path, text) for path, text in texts.items() if len(text) >= tree_cache.LEAST} == {
        path: tree for path, tree in wanted.items() if len(texts[path]) >= tree_cache.LEAST
    }
    assert read("elsewhere.yaml", MIXED) == moved


@pytest.mark.parametrize("content", [b"[", b"{}", b"[1]", b"[1, [[], 3, []]]", b'[9, [[1, 1, 1, 2], 5, "plain"]]'])
def test_an_entry_that_is_no_tree_is_none(content: bytes) -> None:
    """It is read as if nothing were there."""
    text = MIXED + "\n# other"
    source = Source("x.yaml", text)
    wanted = read("x.yaml", text)
    for entry in TREES._entries(tree_cache._key(source)):
        entry.unlink()
    TREES.save(tree_cache._key(source), content)
    assert tree_cache.load_tree(source) is None
    assert read("x.yaml", text) == wanted


def test_what_has_findings_is_read_each_time() -> None:
    """They would not be said again."""
    text = "rulelang: 1\na: &b 3\n" + PADDING
    for _ in range(2):
        found = Diagnostics()
        _READ.clear()
        read_yaml(Source("y.yaml", text), found)
        assert [d.code for d in found] == ["yaml-anchor"]
    assert not TREES.holds(tree_cache._key(Source("y.yaml", text)))
