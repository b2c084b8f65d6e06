"""Notebooks as pages of the site: their text as it is, code as code, and what it gave when it was last run.

Enters: `.ipynb` files. Leaves: pages, by Markdown that MyST reads. The build runs no cell: `python docs/notebooks.py`
does, with pyarrow, and keeps what the cells give. nbsphinx and myst-nb would do this too, with Jupyter's packages,
some dozens, for one notebook of text.
"""

from __future__ import annotations

import ast
import json
from pathlib import Path
from pprint import pformat
from typing import TYPE_CHECKING, Any

from myst_parser.parsers.sphinx_ import MystParser

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

NOTEBOOK = Path(__file__).with_name("lab_notebook.ipynb")
FENCE = "````"
Cell = dict[str, Any]


def results(cells: list[Cell], names: dict[str, Any]) -> list[str]:
    """Run cells one after the other and return what each shows: the value of its last expression, or nothing.

    Args:
        cells: those of a notebook.
        names: the variables, which the cells add to.
    """
    shown = []
    for cell in cells:
        tree = ast.parse("".join(cell["source"]) if cell["cell_type"] == "code" else "")
        last, value = tree.body[-1] if tree.body else None, None
        if isinstance(last, ast.Expr):
            tree.body.pop()
        exec(compile(tree, "cell", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
        shown.append("" if value is None else pformat(value, width=88))
    return shown


def kept(cell: Cell) -> str:
    """Return what a cell gave when it was last run."""
    return "".join("".join(output["data"]["text/plain"]) for output in cell.get("outputs", ()))


def markdown(cell: Cell) -> str:
    """Return a cell as Markdown."""
    source, output = "".join(cell["source"]), kept(cell)
    if cell["cell_type"] != "code":
        return source
    after = f"\n\n{FENCE}{{code-block}} python\n:class: output\n\n{output}\n{FENCE}" if output else ""
    return f"{FENCE}python\n{source}\n{FENCE}{after}"


class NotebookParser(MystParser):
    """Reads a notebook as the page of Markdown that it stands for."""

    supported = ("notebook",)  # type: ignore[misc]  # MyST and docutils disagree on whose variable it is

    def parse(self, inputstring: str, document: nodes.document) -> None:
        """Add the cells to the document."""
        super().parse("\n\n".join(map(markdown, json.loads(inputstring)["cells"])), document)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Make notebooks known to Sphinx."""
    app.add_source_suffix(".ipynb", "notebook")
    app.add_source_parser(NotebookParser)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    for cell, text in zip(notebook["cells"], results(notebook["cells"], {}), strict=True):
        if cell["cell_type"] == "code":
            data = {"text/plain": text.splitlines(keepends=True)}
            result = {"output_type": "execute_result", "execution_count": None, "metadata": {}, "data": data}
            cell["outputs"] = [result] if text else []
    NOTEBOOK.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
