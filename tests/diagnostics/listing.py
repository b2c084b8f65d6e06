"""The list of all messages in `docs/diagnostics/index.md`, made from the pages and the golden files.

Enters: pages, golden texts. Leaves: the text between the marks of the index.
"""

from __future__ import annotations

from tests.diagnostics.pages import GOLDEN, PAGES, codes_of_pages, read_page

INDEX = PAGES / "index.md"
START, END = "<!-- list -->\n", "<!-- end -->\n"
WARNINGS = "Warnings"
GROUPS = {
    "Files and sections": "yaml ruleset schema",
    "How rules are written": "syntax",
    "Names, types and values": "name attribute type value index range resource constant identity grid lookup",
    "Rules and their flow": "play call function return stop proceed loop recursion you assign arrange",
    "Choices and what is seen": "choice menu visibility",
    "Pieces, zones and cards with rules": "piece zone position capacity ability event quantity modifier",
    "Costs, exchanges and scores": "pay move exchange score tie",
    "Variants": "overlay remove step",
    "Scenarios, citations and words": "scenario citation rulebook words",
}
"""Heading -> how the codes below it begin."""


def listing() -> str:
    """The list: a heading for each group, one line for each code, warnings at the end."""
    found: dict[str, list[str]] = {heading: [] for heading in (*GROUPS, WARNINGS)}
    for code in codes_of_pages():
        found[_group(code)].append(f"- [`{code}`]({code}.md): {read_page(code).sentence}")
    return "\n".join(f"## {heading}\n\n" + "\n".join(lines) + "\n" for heading, lines in found.items() if lines)


def _group(code: str) -> str:
    golden = GOLDEN / f"{code}.txt"
    if golden.is_file() and f"warning[{code}]" in golden.read_text(encoding="utf-8"):
        return WARNINGS
    heading = next((heading for heading, starts in GROUPS.items() if code.split("-")[0] in starts.split()), None)
    assert heading is not None, f"no group has codes that begin like `{code}`"
    return heading


def indexed() -> str:
    """The index with the list as it should be."""
    text = INDEX.read_text(encoding="utf-8")
    before, _, rest = text.partition(START)
    return f"{before}{START}\n{listing()}\n{END}{rest.partition(END)[2]}"
