"""The faces of pieces as text, for `rulelang info --cards`."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rulelang.prose import Face, RuleWriter

WIDTH = 80


def cards_text(faces: Sequence[Face], writer: RuleWriter) -> str:
    """Return the faces as paragraphs of text."""
    return "\n\n".join(_face_text(face, writer) for face in faces)


def _face_text(face: Face, writer: RuleWriter) -> str:
    """Return the face of a row as lines of text."""
    number = writer.say("face.each", n=face.count) if face.per_player else face.count
    facts = [*([(writer.say("face.number"), number)] if number != "1" else []), *face.attributes]
    names_kind = face.kind_name in face.name.split()
    lines = [face.name if names_kind else writer.say("face.kind", name=face.name, kind=face.kind_name)]
    lines += _wrapped(
        "; ".join(value if value.startswith(f"{label} ") else f"{label} {value}" for label, value in facts)
    )
    if face.start:
        lines += _wrapped(writer.say("face.start", start=face.start))
    for effect in [*([face.text] if face.text else []), *face.effects]:
        lines += _wrapped(effect)
    if face.options:
        lines += _wrapped(writer.say("face.options", options=", ".join(face.options)))
    sources = f" [{', '.join(face.cites)}]" if face.cites else ""
    return "\n".join([*lines, *_wrapped(f"{face.provenance_text}{sources}".strip())])


def _wrapped(text: str) -> list[str]:
    """Return a text as indented lines."""
    return textwrap.wrap(text, WIDTH, initial_indent="  ", subsequent_indent="  ", break_long_words=False)
