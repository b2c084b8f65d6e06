"""What the pages of the games tell out of the rulesets themselves: the table of all that are shipped, what each is.

Enters: the folders of the shipped rulesets, the recorded games of `tests/gallery`. Leaves: the directives `games` (a
table, a row for each, which leads to its page) and `classic NAME` (the picture of its table, its goal, set-up, turn,
end and scoring, as players read them before a game, and which program played it too). No list here names a game.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from rulelang.resources import shipped_rulesets
from rulelang.ruleset.loader import Glance, glance

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

RECORDED = Path(__file__).resolve().parents[1] / "tests" / "gallery" / "recorded"
TOPICS = {"goal": "Goal", "setup": "Set-up", "turn": "A turn", "end": "The end", "scoring": "Scoring"}


def names() -> list[str]:
    """Return the names of all shipped games."""
    return sorted(folder.name for folder in shipped_rulesets().iterdir() if (folder / "ruleset.yaml").is_file())


def players(brief: Glance) -> str:
    """Return for how many a game is: 2, 3 to 5."""
    low, high = min(brief.players), max(brief.players)
    return str(low) if low == high else f"{low} to {high}"


def minutes(brief: Glance) -> str:
    """Return how long a game takes, estimates as such: 30, about 20 to 30."""
    return f"{'about ' * (brief.is_estimate)}{brief.minutes.replace('..', ' to ')}"


class GamesDirective(SphinxDirective):
    """All shipped games: name, players, minutes, title and goal."""

    def run(self) -> list[nodes.Node]:
        """Build the table."""
        lines = ["| name | players | minutes | |", "| --- | --- | --- | --- |"]
        for name in names():
            brief = glance(name)
            goal = " ".join(brief.about["goal"]["en"].split())
            told = f"**{brief.title.get('en') or next(iter(brief.title.values()))}.** {goal}"
            lines.append(f"| [`{name}`]({name}.md) | {players(brief)} | {minutes(brief)} | {told} |")
        return self.parse_text_to_nodes("\n".join(lines))


class ClassicDirective(SphinxDirective):
    """What a classic is about, and who else plays it so."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Build a picture, a list of its topics and a sentence."""
        name, shown = self.arguments[0], nodes.definition_list()
        brief = glance(name)
        for topic, title in TOPICS.items():
            if text := brief.about.get(topic, {}).get("en"):
                told = nodes.definition("", nodes.paragraph("", " ".join(text.split())))
                shown += nodes.definition_list_item("", nodes.term("", title), told)
        recorded = json.loads((RECORDED / f"{name}.json").read_text(encoding="utf-8"))
        lines = [
            f"```{{image}} ../_static/table-{name}.webp",
            f":alt: {brief.title['en']} in the browser",
            ":class: play",
            "```",
        ]
        witness = [
            f"`rulelang play {name}` plays it. **Compared with {recorded['program']}**: random games side by side, in "
            "which both offered the same at every decision and gave the same at the end."
        ]
        picture, said = (self.parse_text_to_nodes("\n".join(each)) for each in (lines, witness))
        return [*picture, shown, *said]


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directives."""
    app.add_directive("games", GamesDirective)
    app.add_directive("classic", ClassicDirective)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
