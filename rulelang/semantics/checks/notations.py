"""The notations of options, pieces and positions: their fields must be what is chosen, what functions take, and what
there is.

Enters: the checked tree, the `words` of the ruleset. Leaves: findings, at the words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rulelang.diagnostics import suggest
from rulelang.ruleset.model import Word
from rulelang.ruleset.notations import NotationCall, NotationPart, parse_notation
from rulelang.ruleset.positions import PositionError, PositionNotation
from rulelang.ruleset.sentences import ROW_ID, ROW_NUMBER
from rulelang.semantics.tree.shared import Shared
from rulelang.semantics.tree.symbols import KindSym, ProcedureSym
from rulelang.semantics.tree.types import BoolT, CellT, EnumT, NumberT, Type, bare, fits

SORTS = (
    "a field is `{name}`, `{function(name)}`, `{text: function(name)}` or `{cell~}`; a brace that is meant as such "
    "stands twice: `{{`"
)


def check_notation(name: str, word: Word, taken: Sequence[Mapping[str, Type]], shared: Shared) -> None:
    """Report a notation of what is no option and no kind, and fields that it can't have.

    Args:
        taken: what is chosen with each of the options that the notation is for.
    """

    def wrong(message: str, hint: str) -> None:
        shared.diagnostics.error("words-field", message, word.span, hint)

    try:
        parts = parse_notation(word.notation)
    except ValueError as error:
        wrong(f"the notation for `{name}` can't be read: {error}", SORTS)
        return
    kind = shared.checked.kinds.get(name)
    if kind is not None:
        taken = [row_fields(kind)]
        parts = tuple(
            part if _is_plain(part) else NotationPart(value=NotationCall(part.least or part.text)) for part in parts
        )
    elif not taken and any(part.calls or part.least for part in parts):
        wrong(f"`{name}` is no option and no kind, so its notation has no fields", "write it as it stands on paper")
    for fields in taken:
        for part in parts:
            if not _fits(name, part, fields, shared, wrong):
                return


def check_position(shared: Shared) -> None:
    """Report a notation of positions that does not fit the ruleset."""
    notation = shared.checked.ruleset.notation
    if notation is not None and notation.position is not None:
        try:
            PositionNotation(shared.checked.ruleset, notation)
        except PositionError as error:
            shared.diagnostics.error("scenario-position", str(error), notation.position.span, error.hint)


def row_fields(kind: KindSym) -> dict[str, Type]:
    """Return the fields that what is said of the rows of a kind may have: id, number, attributes that can be said."""
    attributes = {field: type_ for field, type_ in kind.attributes.items() if isinstance(type_, NumberT | EnumT)}
    return {ROW_ID: EnumT(kind.name), ROW_NUMBER: NumberT(), **attributes}


def _is_plain(part: NotationPart) -> bool:
    """Return whether a part may stand in the notation of a kind: text, or an attribute."""
    return not part.least and part.condition is None and (part.value is None or part.value.arguments is None)


def _fits(
    name: str, part: NotationPart, fields: Mapping[str, Type], shared: Shared, wrong: Callable[[str, str], None]
) -> bool:
    """Return whether a part is right; report what is wrong with it."""
    for field in (*(field for call in part.calls for field in call.fields), *filter(None, (part.least,))):
        if field not in fields:
            has = f"its fields are {', '.join(f'`{{{b}}}`' for b in fields)}" if fields else "it has no fields"
            wrong(f"`{name}` has no field `{{{field}}}`", suggest(field, fields) or has)
            return False
    for call in part.calls:
        function = shared.names.get(call.name, None) if call.arguments is not None else None
        if call.arguments is not None and not _takes(function, call, fields):
            functions = [p.name for p in shared.checked.procedures if p.decl is not None and p.pure]
            of = ", ".join(f"`{fields[field]}`" for field in call.arguments) or "nothing"
            near = suggest(call.name, functions) if function is None else ""
            wrong(f"`{call.name}` is no function of {of}", near or "it takes what the notation gives it, in this order")
            return False
        type_ = function.returns if isinstance(function, ProcedureSym) else fields[call.name]
        if call is part.condition and not isinstance(type_, BoolT):
            wrong(f"`{call.name}` is no condition", "write a function that gives `bool`")
            return False
    if part.least and not isinstance(bare(fields[part.least]), CellT):
        wrong(
            f"`{{{part.least}~}}` is for cells, and `{part.least}` is {fields[part.least]}", f"write `{{{part.least}}}`"
        )
        return False
    return True


def _takes(function: object, call: NotationCall, fields: Mapping[str, Type]) -> bool:
    """Return whether this is a function of these arguments."""
    if not isinstance(function, ProcedureSym) or not function.pure or function.decl is None:
        return False
    arguments = call.arguments or ()
    types = [type_ for _, type_ in function.params]
    return len(types) == len(arguments) and all(
        fits(bare(fields[f]), type_) for f, type_ in zip(arguments, types, strict=True)
    )
