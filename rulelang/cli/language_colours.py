"""The colours of a theme in the words of the Language Server Protocol.

Enters: requests about a file in the `theme/` of a ruleset. Leaves: its colours with their places; how a chosen one is
written.
"""

from __future__ import annotations

import re

from lsprotocol import types as lsp

from rulelang.cli.language_server import Server, path_of, server

_COLOUR = re.compile(r"(?<=[\"'])#(?:[0-9a-fA-F]{6}|[0-9a-fA-F]{3})(?=[\"'])")
FOLDER = "theme"


@server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_COLOR)
def colours(ls: Server, params: lsp.DocumentColorParams) -> list[lsp.ColorInformation]:
    """Return the colours of a theme."""
    uri = params.text_document.uri
    if path_of(uri).parent.name != FOLDER:
        return []
    return [
        lsp.ColorInformation(
            lsp.Range(
                lsp.Position(number, ls.units(line, match.start())), lsp.Position(number, ls.units(line, match.end()))
            ),
            _colour(match[0]),
        )
        for number, line in enumerate(ls.workspace.get_text_document(uri).source.splitlines())
        for match in _COLOUR.finditer(line)
    ]


def _colour(text: str) -> lsp.Color:
    digits = text[1:] if len(text) == 7 else "".join(digit * 2 for digit in text[1:])
    red, green, blue = (int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4))
    return lsp.Color(red, green, blue, 1.0)


@server.feature(lsp.TEXT_DOCUMENT_COLOR_PRESENTATION)
def written(ls: Server, params: lsp.ColorPresentationParams) -> list[lsp.ColorPresentation]:
    """Return how a colour is written in a theme."""
    parts = (params.color.red, params.color.green, params.color.blue)
    return [lsp.ColorPresentation("#" + "".join(f"{round(part * 255):02x}" for part in parts))]
