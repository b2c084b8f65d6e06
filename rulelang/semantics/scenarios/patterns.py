"""The patterns of ids in scenarios: one that no option of the ruleset can ever match proves nothing.

Enters: a checked ruleset, a scenario and its procedures. Leaves: findings. An id is `name`, or `name:argument=value,…`
with the arguments in their order (`rulelang.runtime.names` writes them); a pattern may have wildcards anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from rulelang.diagnostics import Diagnostics, Span, suggest
from rulelang.geometry import DIRECTIONS
from rulelang.ruleset.notations import shape
from rulelang.ruleset.scenarios import Scenario
from rulelang.semantics.analysis.flow import walk
from rulelang.semantics.tree import core
from rulelang.semantics.tree import types as ty
from rulelang.semantics.tree.symbols import Bodies, Checked, ProcedureSym

WILD = re.compile(r"[*?\[]")
WHERE = re.compile(r"@[^,+|=*?]*\[[^\]]*\]|@[^,+|=*?\[]*|\.[a-z]+\d+(?=[,+|=]|$)|#\d+$")
"""What follows a piece: its seat, its cell, its zone; and the number of one of several that read the same."""
PASS = "pass"
"""The id of the lone option where there is no other."""
DRAWN = "draw"
LISTED = 8


@dataclass(frozen=True)
class IdForm:
    """What ids of one sort look like: their name, and for each argument its name and the types its value may have."""

    name: str
    arguments: tuple[tuple[str, tuple[ty.Type, ...]], ...] = ()

    def __str__(self) -> str:
        arguments = ",".join(f"{name}=…" for name, _ in self.arguments)
        return f"{self.name}:{arguments}" if arguments else self.name


@dataclass(frozen=True)
class IdForms:
    """What the ids of options and of outcomes of chance look like, each sort once."""

    options: tuple[IdForm, ...]
    outcomes: tuple[IdForm, ...]

    def __add__(self, other: IdForms) -> IdForms:
        """Return the forms of both, each once."""
        if not other.options and not other.outcomes:
            return self
        return IdForms(
            tuple(dict.fromkeys(self.options + other.options)), tuple(dict.fromkeys(self.outcomes + other.outcomes))
        )


def forms_of(checked: Checked, bodies: Bodies, procedures: Sequence[ProcedureSym]) -> IdForms:
    """Return the ids that decisions and chance in these procedures can have."""
    inside = [(procedure, s) for procedure in procedures for s in walk(bodies[procedure].statements)]
    options, outcomes = dict.fromkeys(_options(inside)), dict.fromkeys(_outcomes(checked, inside))
    return IdForms(tuple(options), tuple(outcomes))


def check_patterns(checked: Checked, scenario: Scenario, forms: IdForms, diagnostics: Diagnostics) -> None:
    """Report the patterns of `when`, `options`, `offered` and `refused` that match nothing that there can be."""
    options, values = forms.options, _Values(checked)
    meant = {
        "choice": (options, "option"),
        "chance": (forms.outcomes, "outcome"),
        "either": ((*options, *forms.outcomes), "option or outcome"),
    }
    notations = [word.notation for words in checked.ruleset.words.values() for word in words.values() if word.notation]
    written = re.compile("|".join(map(shape, notations)) or "(?!)")
    for step in scenario.when:
        known, what = meant[step.sort]
        if step.sort != "chance" and written.fullmatch(step.pattern):
            continue  # whether it is the notation of an option is seen when it is played
        _Pattern(known, values, what, diagnostics).check(step.pattern, step.span)
    asked = _Pattern(options, values, "option", diagnostics)
    for expected in scenario.then:
        if expected.kind in ("offered", "refused"):
            # What is missing is said of an item, which may go by its name alone.
            asked.check(str(expected.value), expected.span, alone=bool(expected.missing))
        for pattern, span in expected.patterns or ():
            asked.check(pattern, span)


Inside = Sequence[tuple[ProcedureSym, core.CStatement]]
"""All statements of some procedures, each with the procedure that it stands in."""


def _options(inside: Inside) -> Iterator[IdForm]:
    """Yield the forms of the options that the decisions of a procedure can have."""
    for _, s in inside:
        if isinstance(s, core.CChoose):
            for item in s.items:
                yield IdForm(item.name or s.rule, tuple((b.name, (b.local.type,)) for b in item.binders))
            if s.ask == "anyway":
                yield IdForm(PASS)


def _outcomes(checked: Checked, inside: Inside) -> Iterator[IdForm]:
    """Yield the forms of outcomes of chance."""
    pieces = tuple(ty.PieceT(kind) for kind in checked.kinds)
    for procedure, s in inside:
        if isinstance(s, core.CRandom):
            t = s.result.type
            while isinstance(t, ty.OptionalT | ty.SetT):
                t = t.inner if isinstance(t, ty.OptionalT) else t.element
            yield IdForm(procedure.name, ((s.name, (t,)),))
        elif s.waits == core.UNSEEN:
            yield IdForm(procedure.name, ((DRAWN, pieces),))


class _Values:
    """The texts that values of a type have, in a game with the players of the scenario."""

    def __init__(self, checked: Checked) -> None:
        self.checked = checked
        (self.players,) = checked.ruleset.players

    def of(self, t: ty.Type) -> tuple[str, ...] | None:
        """Return all of them, parts of a set each alone; None if they are not listed here."""
        match t:
            case (
                ty.OptionalT(inner=inside)
                | ty.SetT(element=inside)
                | ty.SeatsT(element=inside)
                | ty.GroupT(element=inside)
            ):
                inner_values = self.of(inside)
                return None if inner_values is None else (*inner_values, "none")
            case ty.BagT(resource=name) | ty.PaymentT(resource=name):
                return (*self.named(name), "none")
            case ty.EnumT(name=name) | ty.CellT(grid=name):
                return self.named(name)
            case ty.BoolT():
                return ("true", "false")
            case ty.PlayerT():
                automata = (a.name for a in self.checked.automata if self.players in a.players)
                return (*map(str, range(self.players)), *automata)
            case ty.DirectionT():
                return DIRECTIONS
            case ty.PieceT(kind=name):
                return tuple(row.id for row in self.checked.kinds[name].definitions)
        return None

    def named(self, name: str) -> tuple[str, ...]:
        sym = next(s for s in self.checked.types if s.name == name)
        pairs = sym.between.get(self.players, ()) if sym.between else ()
        return sym.values or tuple("-".join(map(str, pair)) for pair in pairs)

    def fits(self, text: str, types: Iterable[ty.Type]) -> bool:
        """Return whether a value of one of the types may be written so."""
        for t in types:
            known = self.of(t)
            if isinstance(t, ty.NumberT) and not re.fullmatch(r"-?\d+", text):
                continue
            if known is None or text in known:
                return True
        return False


class _Pattern:
    """Checks patterns against the forms that ids have."""

    def __init__(self, forms: Sequence[IdForm], values: _Values, what: str, diagnostics: Diagnostics) -> None:
        self.forms = forms
        self.values = values
        self.what = what
        self.diagnostics = diagnostics

    def check(self, pattern: str, span: Span, alone: bool = False) -> None:
        message, hint = self.fault(pattern, alone)
        if message:
            if (id := self.written(pattern)) and not hint.startswith("write"):
                hint = f"write `{id}`"
            self.diagnostics.error("scenario-pattern", message, span, hint)

    def fault(self, pattern: str, alone: bool) -> tuple[str, str]:
        """Return why nothing can match the pattern, and a hint; two empty texts if something may."""
        name, colon, rest = pattern.partition(":")
        names = [form.name for form in self.forms]
        if WILD.search(name) and not colon:
            start = WILD.split(name)[0]
            if any(str(form).startswith(start) for form in self.forms):
                return "", ""
            return f"no {self.what} is called so that `{pattern}` matches it", self.nearest(start)
        meant = [form for form in self.forms if fnmatchcase(form.name, name)]
        if not meant:
            if self.what == "option" and name == PASS:
                return (
                    "no decision here has an option `pass`",
                    "`anyway choose` has it where nothing else is offered; else name the item of the menu",
                )
            if seat := re.fullmatch(r"(?:seat|player|p|joueur) ?(\d+) ?(.*)", name):
                id = self.written(seat[2] or rest) or seat[2] or rest.strip()
                return "who chooses is a key of its own", f'write `{{seat: {seat[1]}, id: "{id}"}}`'
            called = re.fullmatch(r"(\w+)\(.*\)", name)
            form = next((form for form in self.forms if called and form.name == called[1]), None)
            hint = f"an id reads `{form}`" if form is not None else self.nearest(name, names)
            return f"no {self.what} is called `{name}`", hint
        if not colon:
            if alone or any(not form.arguments for form in meant):
                return "", ""
            return f"`{pattern}` alone is no id: it goes on as in `{meant[0]}`", f"write `{pattern}:*`"
        return self.arguments(rest, meant)

    def written(self, pattern: str) -> str:
        """Return the id of which a text that is none has the words: its name, values of its arguments; else nothing."""
        words = re.findall(r"\w+", pattern)
        words += [word[:-1] for word in words if word.endswith("s")]

        def unlikely(form: IdForm) -> tuple[bool, bool]:
            """Return whether a form is of what is drawn, and whether the text lacks its name."""
            return [name for name, _ in form.arguments] == [DRAWN], form.name not in words

        for form in sorted(self.forms, key=unlikely):
            left = [word for word in words if word not in {*form.name.split("_"), form.name, "the", "a", "with", "to"}]
            values = dict[str, str]()
            for name, types in form.arguments:
                fitting = [word for word in left if self.values.fits(word, types) and self.values.of(types[0])]
                if fitting:
                    values[name] = fitting[0]
                left = [word for word in left if word not in (name, values.get(name))]
            if (
                values
                and len(values) == len(form.arguments)
                and not [w for w in left if w.rstrip("s") not in form.name]
            ):
                return f"{form.name}:{','.join(f'{name}={value}' for name, value in values.items())}"
        return ""

    def nearest(self, name: str, names: Sequence[str] = ()) -> str:
        known = list(dict.fromkeys(names or [form.name for form in self.forms]))
        listed = ", ".join(f"`{n}`" for n in known[:LISTED]) + (" …" if len(known) > LISTED else "")
        return suggest(name, known) or (f"there are {listed}" if known else "")

    def arguments(self, text: str, meant: Sequence[IdForm]) -> tuple[str, str]:
        """Return what is wrong behind the colon of a pattern, and a hint."""
        text = WHERE.sub("", text)
        parts = text.split(",")
        taken = [argument for form in meant for argument in form.arguments]
        for part in parts:
            name, equals, value = part.partition("=")
            if not equals:
                start = WILD.split(part)[0]
                if start != part and any(f"{n}=".startswith(start) for n, _ in taken):
                    continue
                return f"`{part}` is no argument", f"an id reads `{meant[0]}`"
            end = re.split(r"[*?\]]", name)[-1]
            wild = bool(WILD.search(name))
            types = [t for n, types in taken if (n.endswith(end) if wild else n == name) for t in types]
            if not types and not any(n.endswith(end) if wild else n == name for n, _ in taken):
                message = f"`{meant[0].name}` has no argument `{name}`"
                return message, suggest(name, [n for n, _ in taken]) or f"its ids read `{meant[0]}`"
            for alternative in re.split(r"[+|]", value):
                if not WILD.search(alternative) and "]" not in alternative and not self.values.fits(alternative, types):
                    known = [v for t in types for v in self.values.of(t) or ()]
                    of = " or ".join(dict.fromkeys(str(t) for t in types))
                    message = f"`{name}` of `{meant[0].name}` is never `{alternative}`: it is {of}"
                    return message, suggest(alternative, known)
        if not WILD.search(text):
            names = [part.partition("=")[0] for part in parts]
            if all([n for n, _ in form.arguments] != names for form in meant):
                return f"no id of `{meant[0].name}` has just these arguments", f"its ids read `{meant[0]}`"
        return "", ""
