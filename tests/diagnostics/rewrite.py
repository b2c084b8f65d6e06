"""Writes the golden files and the list of codes again: `python -m tests.diagnostics.rewrite [CODE…]`.

Read the difference before you keep it. Enters: codes, or none for all of them. Leaves:
`tests/diagnostics/golden/CODE.txt` and the list in `docs/diagnostics/index.md`.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from tests.diagnostics.listing import INDEX, indexed
from tests.diagnostics.pages import GOLDEN, codes_of_pages, output, read_page


def main() -> None:
    """Writes the golden files of the codes that the arguments name, and the list."""
    os.environ["RULELANG_CACHE"] = ""
    codes = sys.argv[1:] or codes_of_pages()
    for code in codes:
        example = read_page(code).wrong
        with tempfile.TemporaryDirectory() as folder:
            example.write(Path(folder))
            os.chdir(folder)
            (GOLDEN / f"{code}.txt").write_text(output(example), encoding="utf-8")
            os.chdir("/")
    if not sys.argv[1:]:
        for path in GOLDEN.glob("*.txt"):
            if path.stem not in codes:
                path.unlink()
    INDEX.write_text(indexed(), encoding="utf-8")


if __name__ == "__main__":
    main()
