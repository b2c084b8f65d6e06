"""`rulelang explain`: what a message means, why it is said, and an example of the mistake and of its mend."""

from __future__ import annotations

import sys

import click

from rulelang.cli.common import guarded
from rulelang.cli.output import put
from rulelang.cli.pages import codes, read_page
from rulelang.cli.report import wants_colour
from rulelang.diagnostics import UsageError, suggest

WIDTH = 100


@click.command()
@click.argument("code", metavar="CODE")
@guarded
def explain(code: str) -> None:
    """Explain a message by its code, such as `name-unknown`."""
    page = read_page(code)
    if page is None:
        hint = suggest(code, codes()) or "a code stands between the brackets of a message: `error[name-unknown]`"
        raise UsageError(f"there is no message `{code}`: {hint}")
    if not wants_colour(sys.stdout):
        put(page.text.rstrip())
        return
    from rich.markdown import Markdown

    from rulelang.cli.console import Console

    console = Console()
    text = page.text.replace("```yaml", "```ruleset")  # the lexer that knows the rules inside
    console.print(Markdown(text, code_theme="ansi_dark"), width=min(console.width, WIDTH))
