"""The ruleset's words for people: they must be for names that there are, and their sentences must fit what is chosen.

Enters: the checked tree, the `words` of the ruleset. Leaves: findings. What has no words in a language is the matter of
`rulelang.semantics.lints.words`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from rulelang.diagnostics import Diagnostics, Span, suggest
from rulelang.ruleset.model import Word, WrittenRuleset, layer_of
from rulelang.ruleset.sentences import ROW_NUMBER, THE, Fragment, parse_sentence, row_number
from rulelang.semantics.analysis.flow import walk
from rulelang.semantics.checks.notations import check_notation, check_position, row_fields
from rulelang.semantics.tree import core
from rulelang.semantics.tree.shared import Shared
from rulelang.semantics.tree.symbols import Bodies, Checked, ProcedureSym
from rulelang.semantics.tree.types import PLAYER, BagT, NumberT, PieceT, ReactionT, Type, bare
from rulelang.semantics.tree.uses import NamedMember

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
ENGINE_NAMES = tuple("player turn round phase setup play choice draw roll random this done pass".split())
"""What the engine itself names, which a ruleset may call otherwise."""
_TWO_FORMS = re.compile(r"(?P<one>\w[\w -]*?) ?(?:[/|,;] ?(?P<many>\w[\w -]*)|\((?P<end>e?s)\))")
"""One and several of a noun in one text: `pot/pots`, `pot(s)`."""
BRACES = "close each `{`: `{card}`; a brace that is meant as such stands twice: `{{`"


@dataclass(frozen=True)
class SortOfOptions:
    """Options of one sort of a decision; `about`: the pieces that the rule which asks was given, by name; where one
    reacts to an event, all its arguments."""

    rule: str
    item: core.CItem
    question: bool
    engine: bool
    about: Mapping[str, Type]

    def binders(self) -> dict[str, Type]:
        """Return the types of what is chosen with the option, by name."""
        return {binder.name: binder.local.type for binder in self.item.binders}

    def names(self) -> tuple[str, ...]:
        """Return the names under which there may be a sentence for the option."""
        if self.question:
            return self.binder_names(self.item.binders[0])
        return (f"{self.rule}.{self.item.name}", self.item.name)

    def binder_names(self, binder: core.CBinder) -> tuple[str, ...]:
        """Return the names under which there may be words for what is chosen."""
        item = f"{self.item.name}.{binder.name}"
        return (*(() if self.question else (f"{self.rule}.{item}", item)), f"{self.rule}.{binder.name}", binder.name)


def check_words(shared: Shared, bodies: Bodies) -> None:
    """Report words for what is not there, and sentences whose fields don't fit.

    Beside other errors, only what stands nowhere in the rules counts as not there.
    """
    ruleset = shared.checked.ruleset
    check_position(shared)
    known = _KnownNames(shared, bodies)
    asked: dict[str, list[SortOfOptions]] = {}
    for question in questions(shared.checked, bodies):
        for name in dict.fromkeys(question.names()):
            asked.setdefault(name, []).append(question)
    for name, word, beside in _written(ruleset):
        if shared.names.uses is not None:
            _note_words(shared, name, word.span)
        if not known.has(name) and not _lower_layer(ruleset, word.span):
            hint = suggest(name, known.names) or "words are for names of the ruleset, such as a zone's or `RULE.OPTION`"
            shared.diagnostics.error("words-unknown", f"nothing here is called `{name}`", word.span, hint)
        elif word.option and not known.has_errors:
            meant = [{**a.about, **a.binders()} for a in asked.get(name, ()) if _sentence_name(a, beside) == name]
            _check_sentence(name, word, word.option, meant, known, shared.diagnostics)
        if "{" in word.refused and not known.has_errors:
            tried = [a.binders() for a in asked.get(name, ())]
            _check_sentence(name, word, word.refused, tried, known, shared.diagnostics)
        if word.notation and not known.has_errors:
            asking = [a.binders() for a in asked.get(name, ()) if _written_as(a, beside) == name]
            check_notation(name, word, asking, shared)
        if word.row:
            _check_row(name, word, shared.checked, known, shared.diagnostics)
        if foreign := _SIGNED.search(word.option or ("" if word.many else word.one)):
            hint = f"a value stands between braces alone: `{{{re.sub('[^A-Za-z0-9_]', '', foreign[0])}}}`"
            message = f"`{foreign[0]}` is shown as it stands"
            shared.diagnostics.warning("words-field", message, word.span, hint)
        if (forms := _TWO_FORMS.fullmatch(word.one)) and not word.many:
            many = forms["many"] or f"{forms['one']}{forms['end']}"
            if many[-1] in "sx" and many.startswith(forms["one"][:-2] or forms["one"][0]):
                hint = f"write `{name}: {{one: {forms['one']}, many: {many}}}`"
                shared.diagnostics.warning("words-field", f"`{word.one}` is shown as it stands", word.span, hint)


_SIGNED = re.compile(r"[$%#@]\{\w+\}|\{\{\w+\}\}|%[sd]\b|<\w+>|\[\w+\]")
"""How other languages put a value into a text."""


def _note_words(shared: Shared, name: str, span: Span) -> None:
    """Note each part of a name that there are words for, such as `plant.red`."""
    column, owner = span.column + (span.end_column - span.column - len(name)) // 2, ""  # within quotes
    for part in name.split("."):
        place = Span(span.source, span.line, column, span.line, column + len(part))
        kind = shared.checked.kinds.get(owner)
        if kind is not None and part in kind.variables:
            shared.names.note(place, kind.variables[part])
        elif kind is not None and part in kind.attributes:
            shared.names.note(place, NamedMember("attribute", owner, part))
        elif shared.names.get(part, place) is None:
            rows = [row for k in shared.checked.kinds.values() if (row := k.definition(part)) is not None]
            shared.names.note(place, rows[0] if rows else NamedMember("word", "", part))
        column, owner = column + len(part) + 1, part


def _written(ruleset: WrittenRuleset) -> Iterator[tuple[str, Word, Mapping[str, Word]]]:
    """Yield all words with the name that they are for, and those that stand beside them in the same language."""
    for words in ruleset.words.values():
        yield from ((name, word, words) for name, word in words.items())
    rows = [*((row.id, row.words) for row in ruleset.pieces), *((row.name, row.words) for row in ruleset.options)]
    yield from ((name, word, {name: word}) for name, words in rows for word in words.values())


def _sentence_name(asked: SortOfOptions, words: Mapping[str, Word]) -> str:
    """Return the name under which an option finds its sentence in a language: the most exact that has one; or empty."""
    return next((name for name in asked.names() if name in words and words[name].option), "")


def _written_as(asked: SortOfOptions, words: Mapping[str, Word]) -> str:
    """Return the name under which an option finds its notation in a language; or empty."""
    return next((name for name in asked.names() if name in words and words[name].notation), "")


def _lower_layer(ruleset: WrittenRuleset, span: Span) -> bool:
    """Return whether the words stand in a folder that something is laid over, which may have taken away what they are
    for."""
    return len(ruleset.layers) > 1 and not span.path.startswith(ruleset.layers[-1].shown)


def questions(checked: Checked, bodies: Bodies) -> Iterator[SortOfOptions]:
    """Yield the options of all decisions."""
    for procedure in checked.procedures:
        about = {name: type_ for name, type_ in procedure.params if isinstance(type_, PieceT)}
        for s in walk(bodies[procedure].statements):
            if isinstance(s, core.CChoose):
                for item in s.items:
                    question = len(s.items) == 1 and len(item.binders) == 1 and item.name in ("", s.rule)
                    reacts = any(isinstance(binder.local.type, ReactionT) for binder in item.binders)
                    yield SortOfOptions(
                        s.rule, item, question, s.ask == "engine", dict(procedure.params) if reacts else about
                    )


# ---- names that there are ---------------------------------------------------------------------------


class _KnownNames:
    """The names that words may be for.

    Attributes:
        has_errors: whether the ruleset has errors, so that any name in its rules may be declared by what is broken.
        rule_words: all names that its rules hold, if it has errors. removed: names that an overlay takes away.
        index_types: zone or variable -> the types that it is indexed by. parameters: procedure -> its parameters.
        values: type -> its values. names: everything else. options: names of what decisions offer.
    """

    def __init__(self, shared: Shared, bodies: Bodies) -> None:
        checked = shared.checked
        self.has_errors = shared.diagnostics.has_errors
        self.removed = set(shared.removed)
        self.index_types: dict[str, tuple[Type, ...]] = {zone.name: zone.per for zone in checked.zones}
        self.index_types.update({variable.name: variable.per for variable in checked.variables})
        procedures = [symbol for symbol in shared.names.values() if isinstance(symbol, ProcedureSym)]
        self.parameters = {procedure.name: dict(procedure.params) for procedure in procedures} | dict(_bags(checked))
        self.values = {type_.name: frozenset(type_.values) for type_ in checked.types}
        self.names = dict.fromkeys([*_declared(shared), *_asked_names(checked, bodies), *ENGINE_NAMES])
        self.options = tuple(name for asked in questions(checked, bodies) for name in asked.names())
        self.rule_words: set[str] = set()
        if self.has_errors:
            self.rule_words.update(row.id for row in checked.ruleset.pieces)
            for file in checked.ruleset.rule_files:
                self.rule_words.update(NAME.findall(file.text.text if file.text is not None else file.source.text))

    def has(self, name: str) -> bool:
        """Return whether a name stands for something that the ruleset has, or may have where it has errors."""
        parts = name.split(".")
        if name in self.names or parts[0] in self.removed or self._place(parts):
            return True
        return self.has_errors and all(part in self.rule_words or part in self.names for part in parts)

    def _place(self, parts: list[str]) -> bool:
        """Return whether this is a zone or variable at values of the types that there is one for each of:
        `plant.red`."""
        per = [t for t in self.index_types.get(parts[0], ()) if t != PLAYER]
        if len(per) != len(parts) - 1 or not per:
            return False
        return all(value in self.values.get(str(t), ()) for t, value in zip(per, parts[1:], strict=True))


def _declared(shared: Shared) -> Iterator[str]:
    """Yield the names of everything that the ruleset declares."""
    checked = shared.checked
    yield from (noun.name for noun in shared.names.values())
    for type_ in checked.types:
        yield from type_.values
        yield from _with_owner(type_.name, type_.attributes)
    for kind in checked.kinds.values():
        yield from _with_owner(kind.name, kind.attributes)
        yield from _with_owner(kind.name, kind.variables)
        yield from _with_owner(kind.name, (row.id for row in kind.definitions))
    for automaton in checked.automata:
        yield automaton.name
    for score in checked.scores:
        yield from (score.name, f"score.{score.name}")
    for group in checked.groups.values():
        yield from _with_owner(group.name, (exchange.name for exchange in group.exchanges))
    yield from checked.events
    yield from (code.partition(" ")[2] for code in checked.untils)
    yield from (procedure.name for procedure in checked.procedures if procedure.name.isidentifier())


def _bags(checked: Checked) -> Iterator[tuple[str, dict[str, Type]]]:
    """Yield the bags with what a sentence may say of putting into them: who does, what more, and on which piece."""
    for bag in checked.variables:
        if isinstance(bag.type, BagT):
            yield bag.name, {"who": PLAYER, "more": bag.type}
    for kind in checked.kinds.values():
        for name, bag in kind.variables.items():
            if isinstance(bag.type, BagT):
                yield name, {"who": PLAYER, "more": bag.type, "what": PieceT(kind.name)}


def _with_owner(owner: str, names: Iterable[str]) -> Iterator[str]:
    for name in names:
        yield from (name, f"{owner}.{name}")


def _asked_names(checked: Checked, bodies: Bodies) -> Iterator[str]:
    """Yield the names of options, arguments and outcomes of decisions and chance."""
    for asked in questions(checked, bodies):
        yield from (asked.rule, *asked.names())
        for binder in asked.item.binders:
            yield from asked.binder_names(binder)
    for procedure in checked.procedures:
        for s in walk(bodies[procedure].statements):
            if isinstance(s, core.CRandom):
                yield from (s.name, f"{procedure.name}.{s.name}")
            elif isinstance(s, core.CStep):
                yield s.name


# ---- sentences --------------------------------------------------------------------------------------


def _check_sentence(
    name: str, word: Word, sentence: str, taken: list[dict[str, Type]], known: _KnownNames, diagnostics: Diagnostics
) -> None:
    """Report braces out of order, fields that an option or a rule does not have, and counted nouns that are none.

    Args:
        taken: the fields of the options that are told in this sentence.
    """

    def wrong(message: str, hint: str = "") -> None:
        diagnostics.error("words-field", message, word.span, hint)

    try:
        parts = parse_sentence(sentence)
    except ValueError as error:
        dotted = re.search(r"{(\w+)(?:[.\[(][^{}]*)}", sentence)
        known_field = dotted is not None and any(dotted[1] in own for own in taken)
        hint = f"write `{{{dotted[1]}}}`: it is told by its name" if dotted is not None and known_field else BRACES
        if counted := re.search(r"{(\w+)[ -]+(\w+)}", sentence):
            hint = f"write `{{{counted[1]}:{counted[2]}}}`"
        wrong(f"the sentence for `{name}` can't be read: {error}", hint)
        return
    if not taken and name in known.parameters:  # the sentence of a rule or a bag, for prompts and the texts of cards
        taken = [known.parameters[name]]
    if not taken:
        message = f"`{name}` is no option, no rule and no bag, so its words can't be a sentence with fields"
        wrong(message, suggest(name, known.options) or "sentences are for items of menus and for choices")
    for fields in taken:
        for part in parts:
            message, hint = _field_fault(name, part, fields, known)
            if message:
                wrong(message, hint)
                return


def _field_fault(name: str, part: Fragment, fields: Mapping[str, Type], known: _KnownNames) -> tuple[str, str]:
    """Return what is wrong with a field, and a hint; nothing if it is right."""
    if not part.field:
        return "", ""
    if part.field not in fields:
        has = f"its fields are {', '.join(f'`{{{b}}}`' for b in fields)}" if fields else "it has no fields"
        return f"`{name}` has no field `{{{part.field}}}`", suggest(part.field, fields) or has
    if part.noun == THE:
        return "", ""
    if part.noun and not isinstance(bare(fields[part.field]), NumberT):
        message = f"`{{{part.field}:{part.noun}}}` counts a noun, but `{part.field}` is no number"
        return message, f"write `{{{part.field}}}`"
    if part.noun and not known.has(part.noun):
        return f"nothing here is called `{part.noun}`", suggest(part.noun, known.names)
    return "", ""


# ---- what the rows of a kind are called ---------------------------------------------------------------


def _check_row(name: str, word: Word, checked: Checked, known: _KnownNames, diagnostics: Diagnostics) -> None:
    """Report a text for rows of what is no kind, and fields that its rows do not have or that no word can say."""

    def wrong(message: str, hint: str = "") -> None:
        diagnostics.error("words-field", message, word.span, hint)

    kind = checked.kinds.get(name)
    if kind is None:
        if known.has(name):
            wrong(f"`{name}` is no kind, so it has no rows to call", suggest(name, checked.kinds))
        return
    try:
        parts = parse_sentence(word.row)
    except ValueError as error:
        wrong(f"the words for the rows of `{name}` can't be read: {error}", BRACES)
        return
    fields = row_fields(kind)
    for part in parts:
        if part.field in kind.attributes and part.field not in fields:
            wrong(f"`{{{part.field}}}` is {kind.attributes[part.field]}, and only numbers and words can be said here")
            return
        message, hint = _field_fault(name, part, fields, known)
        if message:
            wrong(message, hint)
            return
    if ROW_NUMBER not in kind.attributes and any(part.field == ROW_NUMBER for part in parts):
        layers = checked.ruleset.layers
        bare = [row for row in kind.definitions if not row_number(row.id)]
        new = [row for row in bare if layer_of(row.decl.span, layers) > layer_of(word.span, layers)]
        message = f"`{{{ROW_NUMBER}}}` is the number that a row's id ends in, and `%s` ends in none"
        if len(bare) > len(new):
            wrong(message % next(row.id for row in bare if row not in new))
        for row in (row for row in new if not row.decl.words):
            where = f"{word.span.path}:{word.span.line}"
            hint = f"so it is called by its id, not as {where} says: end the id in a number, or give it `words`"
            diagnostics.warning("words-field", message % row.id, row.decl.span, hint)
