"""Names that people see and that have no words in a language that the ruleset promises.

Enters: the checked tree. Leaves: one warning for each such language.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from rulelang.diagnostics import Diagnostics
from rulelang.languages import codes, spoken
from rulelang.languages import language as pack
from rulelang.ruleset.model import Word, WrittenRuleset
from rulelang.semantics.checks.words import ENGINE_NAMES, SortOfOptions, questions
from rulelang.semantics.lints.facts import Facts
from rulelang.semantics.tree.core import CStep
from rulelang.semantics.tree.symbols import Checked
from rulelang.semantics.tree.types import PaymentT

SHOWN = 100
"""So many missing words are named in one warning."""
UNNAMED = "choice"
"""What a choice is called that the author gave no name."""


def lint_words(facts: Facts, diagnostics: Diagnostics) -> None:
    """Warn of each language in which names that people see have no words.

    English needs none where the first language has none: an identifier is taken as English words
    (`has_identifiers`); so the first language needs words for what English has none for, if it is another one. Also
    warns of each language that the engine has no sentences in.
    """
    ruleset = facts.checked.ruleset
    asked = [*questions(facts.checked, facts.bodies)]
    seen = dict.fromkeys([*_shown_names(facts.checked, asked), *((name,) for name in _named_in_texts(facts))])
    nouns = dict.fromkeys(_nouns(asked))
    for language in ruleset.languages:
        if not spoken(language):
            message = f"the engine has no sentences in `{language}`: English ones stand around its words"
            hint = f"it has them in {' and '.join(f'`{known}`' for known in codes())}"
            if not ruleset.words.get(language):
                message, hint = (
                    f"there are no words in `{language}`, neither here nor in the engine",
                    f"take it away; {hint}",
                )
            diagnostics.warning("words-missing", message, ruleset.language_spans.get(language, ruleset.span), hint)
    for told in ruleset.about:
        lacking = [f"`{language}`" for language in ruleset.languages if language not in told.text]
        if lacking:
            message = f"`{told.topic}` has no text in {' and '.join(lacking)}"
            hint = "give it one there; without, it is told in another language"
            diagnostics.warning("words-missing", message, told.span, hint)
    plain = [language for language in ruleset.languages if spoken(language) and pack(language).has_identifiers]
    for language in ruleset.languages if plain else ruleset.languages[1:]:
        if not spoken(language) and not ruleset.words.get(language):
            continue
        own = ruleset.words.get(language, {})
        words = _worded(ruleset, language)
        missing = [names[-1] for names in seen if not words.intersection(names)]
        missing += [names[-1] for names in nouns if words.intersection(names) and not _has_noun(own, names)]
        missing = list(dict.fromkeys(missing))
        first = ruleset.languages[0]
        if language in plain:  # the words of the first language are not
            missing = [name for name in missing if name in ruleset.words.get(first, {})]
        elif language == first:
            english = set().union(*(_worded(ruleset, other) for other in plain))
            missing = [name for name in missing if name not in english]
        if missing:
            named = ", ".join(f"`{name}`" for name in missing[:SHOWN])
            more = f" and {len(missing) - SHOWN} more" if len(missing) > SHOWN else ""
            have = "names have" if len(missing) > 1 else "name has"
            diagnostics.warning(
                "words-missing",
                f"{len(missing)} {have} no words in `{language}`: {named}{more}",
                ruleset.language_spans.get(language, ruleset.span),
                f"give them under `words: {{{language}: …}}`; without, they are called "
                + ("by their identifiers" if language == first else f"as in `{first}`"),
            )


def _worded(ruleset: WrittenRuleset, language: str) -> set[str]:
    """Return the names that have words in a language."""
    words = ruleset.words.get(language, {})
    by_kind = {name for name, word in words.items() if word.row}
    rows = {row.id for row in ruleset.pieces if language in row.words or row.kind in by_kind}
    return {*words} | rows | {row.name for row in ruleset.options if language in row.words}


def _has_noun(words: Mapping[str, Word], names: Iterable[str]) -> bool:
    """Return whether a name has more than the sentence of an option."""
    return any(word.one or word.many for name in names if (word := words.get(name)) is not None)


def _nouns(decisions: Iterable[SortOfOptions]) -> Iterator[tuple[str, ...]]:
    """Yield the names of what is chosen: a prompt says it by its noun, whatever sentence its options have."""
    for asked in decisions:
        if asked.question and not asked.engine and asked.item.binders[0].name not in (UNNAMED, *ENGINE_NAMES):
            yield asked.names()


def _named_in_texts(facts: Facts) -> Iterator[str]:
    """Yield the rules, events, abilities, functions, quantities and steps that texts of rules and pieces speak of by
    their names."""
    of_pieces = (name.name for name, effects in facts.checked.effects() if any(own.definitions for own in effects))
    steps = (statement.name for statement in facts.statements if isinstance(statement, CStep))
    called = {callee.name for callees in facts.calls.values() for callee in callees if callee.decl is not None}
    yield from sorted({*of_pieces, *steps, *called} - {*ENGINE_NAMES})


def _shown_names(checked: Checked, decisions: Iterable[SortOfOptions]) -> Iterator[tuple[str, ...]]:
    """Yield the names that people see, each with the names under which its words may stand."""
    for kind in checked.kinds.values():
        yield (kind.name,)
        yield from ((f"{kind.name}.{row.id}", row.id) for row in kind.definitions)
        yield from ((f"{kind.name}.{part}", part) for part in (*kind.attributes, *kind.variables))
    variables = [variable for variable in checked.variables if not variable.internal]
    yield from ((symbol.name,) for symbols in (checked.zones, variables, checked.positions) for symbol in symbols)
    yield from ((automaton.name,) for automaton in checked.automata)
    for option in checked.options:
        yield (option.name,)
    for type_ in checked.types:
        if type_.category in ("enum", "resource", "option") and not type_.points:  # edges are called by their cells
            yield from ((value,) for value in type_.values)
        if type_.category in ("enum", "resource"):
            yield (type_.name,)
            yield from ((name,) for name in type_.attributes)
    yield from ((f"score.{score.name}", score.name) for score in checked.scores if score.definition is None)
    for asked in decisions:
        yield from _names_in_prompt(asked, checked.ruleset)


def _names_in_prompt(asked: SortOfOptions, ruleset: WrittenRuleset) -> Iterator[tuple[str, ...]]:
    """Yield the names that a decision shows: its rule, the item of a menu, arguments where they stand in the text."""
    if asked.rule not in ENGINE_NAMES:
        yield (asked.rule,)
    if not asked.question and asked.item.name not in ENGINE_NAMES:
        yield asked.names()
    if asked.engine:
        return
    own = (words.get(name) for words in ruleset.words.values() for name in asked.names())
    sentence = any(word is not None and word.option for word in own)
    for binder in asked.item.binders if asked.question or (len(asked.item.binders) > 1 and not sentence) else ():
        if binder.name not in (UNNAMED, *ENGINE_NAMES) and not isinstance(binder.local.type, PaymentT):
            yield asked.binder_names(binder)
