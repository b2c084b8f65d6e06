"""Every language has every text with the same fields, and every noun, command and name of a bot."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from string import Formatter

import pytest

import rulelang
from rulelang import languages
from rulelang.diagnostics import UsageError
from rulelang.languages import DEFAULT, FILES, codes, language
from rulelang.languages.grammar import TOKEN


def fields(room: str, text: str) -> set[str] | bool:
    """The names of a template's fields; of one of prose, where languages repeat other ones, whether it has any."""
    if room == "prose":
        return any(match[1] for match in TOKEN.finditer(text))
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def keys(room: str, lang: str) -> dict[str, object]:
    """Each text with its fields, each table with its keys; verbs are irregular in their own ways."""
    texts = {name: text for name, text in language(lang).texts(room).items() if name != "verbs"}
    return {name: fields(room, text) if isinstance(text, str) else set(text) for name, text in texts.items()}


@pytest.mark.parametrize("room", FILES)
@pytest.mark.parametrize("lang", [lang for lang in codes() if lang != DEFAULT])
def test_languages_have_the_same_texts(lang: str, room: str) -> None:
    """No text is lacking, none is left over; one asks for no field that the others do not have."""
    assert keys(room, lang) == keys(room, DEFAULT)


def test_no_module_names_a_language() -> None:
    """What hangs on a language stands in its folder: no code stands in a string of any other module."""
    root = Path(rulelang.__file__).parent
    for path in root.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if "languages" not in path.parts and re.search(r"""["'](en|fr)["']""", text):  # to parse all takes seconds
            nodes = ast.walk(ast.parse(text))
            named = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
            assert named.isdisjoint({"en", "fr"}), path.relative_to(root)


GRAMMAR = "from rulelang.languages.en import Grammar as English\n\n\nclass Grammar(English):\n    pass\n"


@pytest.mark.parametrize(
    ("lacking", "said"),
    [
        *((f"{name}.toml", f"lacks `{name}.toml`") for name in FILES),
        ("__init__.py", "lacks `Grammar`"),
        ("methods", "lacks `a`, .*`plural`"),
        ("syntax.toml", ""),
    ],
)
def test_a_folder_that_lacks_something_is_refused(
    lacking: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By name, when the language is asked for; the words of who writes as in it may be left out."""
    code = f"q{lacking[:2].strip('_')}{len(lacking)}"
    (tmp_path / code).mkdir()
    for name in FILES:
        (tmp_path / code / f"{name}.toml").write_text("", encoding="utf-8")
    source = "from rulelang.languages.grammar import Language as Grammar\n" if lacking == "methods" else GRAMMAR
    (tmp_path / code / "__init__.py").write_text("" if lacking == "__init__.py" else source, encoding="utf-8")
    if lacking.removesuffix(".toml") in FILES:
        (tmp_path / code / lacking).unlink()
    monkeypatch.setattr(languages, "__path__", [*languages.__path__, str(tmp_path)])
    codes.cache_clear()
    monkeypatch.setattr(languages, "codes", lambda: (DEFAULT, code))
    if not said:
        assert language(code).texts("syntax") == {}
        return
    with pytest.raises(UsageError, match=said):
        language(code)


def test_a_file_that_is_no_toml_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With its name and line."""
    (tmp_path / "qt").mkdir()
    for name in FILES:
        (tmp_path / "qt" / f"{name}.toml").write_text("a = 1\nb\n", encoding="utf-8")
    (tmp_path / "qt" / "__init__.py").write_text(GRAMMAR, encoding="utf-8")
    monkeypatch.setattr(languages, "__path__", [*languages.__path__, str(tmp_path)])
    monkeypatch.setattr(languages, "codes", lambda: (DEFAULT, "qt"))
    with pytest.raises(UsageError, match=r"web\.toml is no TOML: .*line 2"):
        language("qt").texts("web")
