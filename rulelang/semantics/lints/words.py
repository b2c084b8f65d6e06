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
from rulelang.semantics.tree.symbols import Checked, ProcedureSym, VariableSym, ZoneSym
from rulelang.semantics.tree.types import PaymentT

SHOWN = 100
"""So many missing words are named in one warning."""
UNNAMED = "choice"
"""What a choice is called that the author gave no name."""


def lint_words(facts: Facts, diagnostics: Diagnostics) -> None:
    """Warn of each language after the first in which names that people see have no words.

    English needs none where the first language has none: an identifier is taken as English words
    (`has_identifiers`). Also warns of each language that the engine has no sentences in.
    """
    ruleset = facts.checked.ruleset
    asked = [*questions(facts.checked, facts.bodies)]
    seen = dict.fromkeys([*_shown_names(facts.checked, asked), *((name,) for name in _named_by_pieces(facts))])
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
    for language in ruleset.languages[1:]:
        if not spoken(language) and not ruleset.words.get(language):
            continue
        words = set(ruleset.words.get(language, ()))
        by_kind = {name for name, word in ruleset.words.get(language, {}).items() if word.row}
        words |= {row.id for row in ruleset.pieces if language in row.words or row.kind in by_kind}
        words |= {row.name for row in ruleset.options if language in row.words}
        missing = [names[-1] for names in seen if not words.intersection(names)]
        own = ruleset.words.get(language, {})
        missing += [names[-1] for names in nouns if words.intersection(names) and not _has_noun(own, names)]
        missing = list(dict.fromkeys(missing))
        if spoken(language) and pack(language).has_identifiers:  # the words of the first language are not
            first = ruleset.words.get(ruleset.languages[0], {})
            missing = [name for name in missing if name in first]
        if missing:
            named = ", ".join(f"`{name}`" for name in missing[:SHOWN])
            more = f" and {len(missing) - SHOWN} more" if len(missing) > SHOWN else ""
            have = "names have" if len(missing) > 1 else "name has"
            diagnostics.warning(
                "words-missing",
                f"{len(missing)} {have} no words in `{language}`: {named}{more}",
                ruleset.language_spans.get(language, ruleset.span),
                f"give them under `words: {{{language}: …}}`; without, they are called as in `{ruleset.languages[0]}`",
            )


def _has_noun(words: Mapping[str, Word], names: Iterable[str]) -> bool:
    """Return whether a name has more than the sentence of an option."""
    return any(word.one or word.many for name in names if (word := words.get(name)) is not None)


def _nouns(decisions: Iterable[SortOfOptions]) -> Iterator[tuple[str, ...]]:
    """Yield the names of what is chosen: a prompt says it by its noun, whatever sentence its options have."""
    for asked in decisions:
        if asked.question and not asked.engine and asked.item.binders[0].name not in (UNNAMED, *ENGINE_NAMES):
            yield asked.names()


def _named_by_pieces(facts: Facts) -> Iterator[str]:
    """Yield the rules, events, abilities, functions and quantities that the texts of pieces speak of by their names."""
    checked = facts.checked
    texts: list[ProcedureSym | None] = []
    for changed, effects in checked.effects():
        of_pieces = [effect for effect in effects if effect.definitions]
        texts += [procedure for effect in of_pieces for procedure in effect.procedures]
        if of_pieces:
            yield changed.name
    texts += [score.procedure for score in checked.scores if score.definition is not None]
    called = {callee for text in texts if text is not None for callee in facts.calls.get(text, ())}
    yield from sorted(callee.name for callee in called if callee.decl is not None)


def _shown_names(checked: Checked, decisions: Iterable[SortOfOptions]) -> Iterator[tuple[str, ...]]:
    """Yield the names that people see, each with the names under which its words may stand."""
    for kind in checked.kinds.values():
        yield (kind.name,)
        yield from ((f"{kind.name}.{row.id}", row.id) for row in kind.definitions)
        yield from ((f"{kind.name}.{part}", part) for part in (*kind.attributes, *kind.variables))
    symbols: list[ZoneSym | VariableSym] = [*checked.zones, *(v for v in checked.variables if not v.internal)]
    yield from ((symbol.name,) for symbol in symbols)
    yield from ((automaton.name,) for automaton in checked.automata)
    for option in checked.options:
        yield (option.name,)
    for type_ in checked.types:
        if type_.category in ("enum", "resource", "option"):
            yield from ((value,) for value in type_.values)
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
