"""What editors run: lenses above rulesets, scenarios and rules, and the commands behind them.

Enters: a file, or a command with a folder. Leaves: lenses; results of scenarios and simulations, which a process of
their own works out of the files as they are saved. A client with commands of its own, which has a terminal for games,
gets lenses for these.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp

from rulelang.cli.language_server import Server, of_file, server
from rulelang.diagnostics import Diagnostics, RuleError, RulesetError, UsageError, counted
from rulelang.game.ruleset import load
from rulelang.game.situations import expectations, yaml_of
from rulelang.memory.meaning import SCENARIOS
from rulelang.ruleset.files import HEADER
from rulelang.ruleset.scenarios import scenarios_of, unsaved_scenarios
from rulelang.scenarios import position_after
from rulelang.service.beginnings import beginning_at, text_of
from rulelang.service.outline import outline
from rulelang.service.project import Project

SHOWN = 5
"""So many scenarios that fail are told in a message."""


@of_file(lsp.TEXT_DOCUMENT_CODE_LENS)
def code_lenses(ls: Server, project: Project, path: Path, params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
    """Offer to run scenarios and to play from them, to play and to simulate a ruleset, and tell how often a rule is
    used: not counted are rule texts of scenarios, as finding names there takes seconds."""
    source = project.source(path)
    lenses: list[lsp.CodeLens] = []
    prefix = "rulelang." if ls.commands else "rulelang.server."

    def lens(line: int, title: str, command: str, *arguments: Any) -> None:
        if not command or ls.commands or command in ("test", "simulate"):
            line_start = lsp.Range(lsp.Position(line - 1, 0), lsp.Position(line - 1, 0))
            told = lsp.Command(title, f"{prefix}{command}" if command else "", arguments=list(arguments))
            lenses.append(lsp.CodeLens(line_start, told))

    if path.parent.name == SCENARIOS:
        folder = str(path.parent.parent)
        for section in outline(source):
            for item in section.inside if section.name == SCENARIOS else ():
                lens(item.named.line, "Run this scenario", "test", folder, item.name)
                lens(item.named.line, "Play from here", "play", folder, item.name)
        return lenses
    if path.name == HEADER:
        lens(1, "Play", "play", str(path.parent))
        lens(1, "Test", "test", str(path.parent), "")
        lens(1, "Simulate 1,000 games", "simulate", str(path.parent), 1000)
    for each in outline(source) if path.suffix == ".rule" else ():
        uses = [place for place in project.names.of(("symbol", each.name)) if not place.declares]
        if each.sort in ("rule", "function", "quantity", "event", "ability"):
            lens(each.named.line, f"{len(uses)} uses" if len(uses) != 1 else "1 use", "")
    return lenses


@server.command("rulelang.server.test")
async def run_scenarios(ls: Server, folder: str, name: str = "") -> Any:
    """Run the scenarios of a ruleset, or one; say how many pass, and what is wrong with the others."""
    result = await _run(ls, "test", folder, *(("-k", name) if name else ()))
    if result is not None and "scenarios" in result:
        failed = [f"{row['name']}: {row['message']}" for row in result["scenarios"] if not row["ok"]]
        text = "\n".join([f"{result['passed']} passed, {result['failed']} failed", *failed[:SHOWN]])
        _say(ls, text, lsp.MessageType.Error if failed else lsp.MessageType.Info)
    return result


@server.command("rulelang.server.simulate")
async def run_games(ls: Server, folder: str, games: int = 1000) -> Any:
    """Play games of a ruleset by themselves, and say how often each seat wins."""
    result = await _run(ls, "simulate", folder, "--games", str(games))
    if result is not None and "seats" in result:
        shares = ", ".join(f"seat {seat} wins {row['win_share']:.1%}" for seat, row in enumerate(result["seats"]))
        _say(ls, f"{counted(result['games'], 'game')}: {shares}", lsp.MessageType.Info)
    return result


async def _run(ls: Server, *arguments: str) -> Any:
    """Return the JSON of a command; None, with a message, if there is none."""
    command = (sys.executable, "-m", "rulelang", *arguments, "--format", "json")
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, stdin=asyncio.subprocess.DEVNULL, stdout=pipe, stderr=pipe)
    out, wrong = await process.communicate()
    try:
        result = json.loads(out)
    except ValueError:
        result = None
    if result is None or "diagnostics" in result:
        _say(ls, wrong.decode("utf-8", "replace").strip() or "nothing came out", lsp.MessageType.Error)
    return result


def _say(ls: Server, text: str, kind: lsp.MessageType) -> None:
    ls.window_show_message(lsp.ShowMessageParams(kind, text))


@server.command("rulelang.server.scenario")
async def make_scenario(ls: Server, uri: str, line: int) -> bool:
    """Write below a scenario one that begins as it does, up to the step at a line (from 1), and expects what holds
    there; by the texts as they stand in the editor. Return whether it stands there."""
    file = ls.project(uri)
    beginning = beginning_at(file[0].source(file[1]), line) if file is not None else None
    if file is None or beginning is None:
        return False
    project, path = file
    source = project.source(path)
    try:
        ruleset = load(path.parent.parent, instead=project.texts)
        texts = unsaved_scenarios(ruleset.written, project.texts)
        scenarios = {row.name: row for row in scenarios_of(ruleset.written, Diagnostics(), texts)}
        if beginning.name not in scenarios:
            raise UsageError(f"`{beginning.name}` can't be read")
        state = position_after(ruleset, scenarios[beginning.name], beginning.steps)
    except (RulesetError, RuleError, UsageError) as error:
        _say(ls, str(error), lsp.MessageType.Error)
        return False
    where = f"after {counted(beginning.steps, 'choice')}" if beginning.steps < beginning.of else "at its end"
    name, number = f"{beginning.name}, {where}", 1
    while name in scenarios:
        number += 1
        name = f"{beginning.name}, {where} ({number})"
    text = text_of(source, beginning, yaml_of(name), [yaml_of(row) for row in expectations(state)])
    last = beginning.last_line
    end = lsp.Position(last - 1, ls.units(source.lines[last - 1], len(source.lines[last - 1])))
    edit = lsp.WorkspaceEdit({path.as_uri(): [lsp.TextEdit(lsp.Range(end, end), f"\n\n{text.rstrip()}")]})
    done = await ls.workspace_apply_edit_async(lsp.ApplyWorkspaceEditParams(edit, name))
    return bool(done.applied)
