"""What a name is, as people read it: how it is declared, the comment above it, the rule or card in words, citations.

Enters: what a name stands for, in a ruleset without errors. Leaves: Markdown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rulelang.diagnostics import Span
from rulelang.prose import RuleWriter, face
from rulelang.ruleset.model import VariableDecl, WrittenRuleset, ZoneDecl, counted_by
from rulelang.semantics.tree.core import Local
from rulelang.semantics.tree.shared import source_text
from rulelang.semantics.tree.symbols import (
    DefinitionSym,
    GroupInfo,
    KindSym,
    OptionSym,
    PositionSym,
    ProcedureSym,
    TypeSym,
    ValueSym,
    VariableSym,
    ZoneSym,
    cite_texts,
)
from rulelang.semantics.tree.uses import NamedMember
from rulelang.service.names import described
from rulelang.service.project import Snapshot


def hover(snapshot: Snapshot, named: object, lang: str = "") -> str:
    """Return what a name stands for as Markdown; empty if there is nothing to say.

    Args:
        lang: the language of sentences; the ruleset's first where it has no words in it.
    """
    ruleset = snapshot.ruleset
    lang = lang if lang in ruleset.languages else ruleset.languages[0]
    parts = [f"```rule\n{signature(snapshot, named)}\n```"]
    span = getattr(named, "span", None) or getattr(getattr(named, "decl", None), "span", None)
    if isinstance(span, Span) and not isinstance(named, Local):
        parts.append(comment_above(span))
    parts += _in_words(ruleset, named, lang)
    return "\n\n".join(part for part in parts if part)


def as_written(span: Span) -> str:
    """Return the line where a name is declared, with the comment above, as Markdown: of what is not analysed."""
    line = span.whole_line.strip().split(" #")[0]
    return "\n\n".join(filter(None, (f"```rule\n{line}\n```", comment_above(span))))


def plain(text: str) -> str:
    """Return a hover's Markdown as plain text."""
    lines = (line for line in text.split("\n") if not line.startswith("```"))
    return "\n".join(lines).replace("**", "")


def signature(snapshot: Snapshot, named: object) -> str:
    """Return how something is declared, on one line."""
    match named:
        case ProcedureSym(decl=decl) if decl is not None:
            return header(decl.span)
        case GroupInfo(decl=decl):
            return header(decl.span)
        case ProcedureSym(name=name, category=category):
            return f"{category} {name}"
        case Local(name=name, type=type_):
            return f"{name}: {type_}"
        case VariableSym(mark=True, name=name, kind=kind, per=per):
            return f"mark {name}" + _of(kind) + _per(per)
        case VariableSym(name=name, type=type_, kind=kind, per=per):
            return f"variable {name}: {type_}" + _of(kind) + _per(per) + _seen(named) + _beyond(named)
        case PositionSym(name=name, decl=decl):
            kept = f", last {decl.last}" if decl.last else f", at most {decl.most}" if decl.most else ""
            return f"position {name} of {', '.join(decl.of)}{kept}"
        case ZoneSym(name=name, kind=kind, per=per):
            room = f", at most {named.decl.capacity.text}" if named.decl.capacity is not None else ""
            return f"zone {name} holds {kind}" + _per(per) + room + _seen(named)
        case OptionSym(name=name, option=option):
            values = " | ".join(
                str(value).lower() if isinstance(value, bool) else str(value) for value in option.values
            )
            return f"option {name}: {values} = {str(option.default).lower()}"
        case KindSym(name=name, attributes=attributes):
            return f"kind {name}({', '.join(f'{a}: {t}' for a, t in attributes.items())})"
        case TypeSym(name=name, category=category, values=values):
            some = ", ".join(values[:12]) + (", …" if len(values) > 12 else "")
            return f"{'type' if category == 'enum' else category} {name}: {some}"
        case ValueSym(name=name, type=type_):
            return f"{name}: {type_}" + _attributes_of_value(snapshot, named)
        case DefinitionSym(id=id_, kind=kind):
            return f"{kind} {id_}"
        case NamedMember(what="attribute", owner=owner, name=name):
            symbol = snapshot.analysed.shared.names.get(owner)
            of = symbol.attribute(name) if isinstance(symbol, KindSym | TypeSym) else None
            return f"attribute {owner}.{name}" + (f": {of}" if of is not None else "")
    return f"{described(named)} {getattr(named, 'name', '')}"


def _beyond(sym: VariableSym) -> str:
    """Return what becomes of what finds no room, where that is declared."""
    declared = sym.decl.beyond if isinstance(sym.decl, VariableDecl) else ""
    return f", beyond: {declared}" if declared else ""


def header(span: Span) -> str:
    """Return the first line of a declaration, without its body."""
    return span.whole_line[span.column - 1 :].split("#")[0].rstrip().removesuffix("=").rstrip()


def _of(kind: str) -> str:
    return f" of {kind}" if kind else ""


def _per(per: Iterable[object]) -> str:
    names = ", ".join(map(str, per))
    return f", per {names}" if names else ""


def _seen(symbol: VariableSym | ZoneSym) -> str:
    declared = symbol.decl
    seen = counted_by(declared) if isinstance(declared, VariableDecl | ZoneDecl) else symbol.visible
    return "" if seen == "all" else f", visible: {seen}"


def _attributes_of_value(snapshot: Snapshot, value: ValueSym) -> str:
    """Return the known attributes of a value of a type."""
    values = snapshot.analysed.shared.values_of(value.type)
    if values is None:
        return ""
    known = []
    for name, exprs in values.attribute_values.items():
        expr = exprs[value.index] if value.index < len(exprs) else None
        if expr is not None and expr.op == "const" and expr.span.source is not None:
            known.append(f"{name}: {source_text(expr.span)}")
    return f" ({', '.join(known)})" if known else ""


def comment_above(span: Span) -> str:
    """Return the comment lines directly above a declaration, and above its citations."""
    if span.source is None:
        return ""
    lines: list[str] = []
    for line in reversed(span.source.lines[: span.line - 1]):
        text = line.strip()
        if text.startswith("#"):
            lines.append(text.lstrip("# "))
        elif not text.startswith("["):
            break
    return " ".join(reversed(lines))


def _in_words(ruleset: WrittenRuleset, named: object, lang: str) -> Iterator[str]:
    """Yield the rule or the card in words, and the passages that it cites by their titles."""
    cites: tuple[str, ...] = ()
    match named:
        case ProcedureSym(decl=decl) if decl is not None:
            yield RuleWriter(ruleset, lang).declaration(decl)
            cites = named.citations
        case GroupInfo(decl=decl):
            yield RuleWriter(ruleset, lang).declaration(decl)
            cites = cite_texts(decl.citations)
        case DefinitionSym(decl=row):
            seen = face(ruleset, row, lang)
            yield f"**{seen.name}** ({seen.kind_name}) × {seen.count}"
            yield "\n".join(f"- {label}: {value}" for label, value in seen.attributes)
            yield "\n\n".join(seen.effects)
            cites = seen.cites
        case VariableSym(decl=decl) | KindSym(decl=decl) | ZoneSym(decl=decl) if decl is not None:
            cites = cite_texts(getattr(decl, "cites", ()))
    yield "\n".join(f"- {cited(ruleset, cite, lang)}" for cite in cites)


def cited(ruleset: WrittenRuleset, cite: str, lang: str) -> str:
    """Return a citation with the titles of the passages that it names."""
    source, _, lines = cite.partition(":")
    first, _, last = lines.partition("-")
    if not first.isdigit():
        return cite
    passages = ruleset.passages(source, int(first), int(last or first))
    titles = dict.fromkeys(p.title.get(lang) or next(iter(p.title.values()), "") for p in passages)
    return f"{cite}: {'; '.join(titles)}" if titles else cite
