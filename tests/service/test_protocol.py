"""The language server as an editor sees it: one process, one client, every method that it says it answers."""

from __future__ import annotations

import asyncio
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

from tests.service.sample import write
from tests.soak import soaking

WAIT = 60.0


class Editor(LanguageClient):
    """A client that keeps the findings of each file."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*(arguments or ("editor", "1")), **named)
        self.shown: dict[str, list[lsp.Diagnostic]] = {}
        self.refused: list[str] = []
        self.edits: list[lsp.WorkspaceEdit] = []
        self.changed = asyncio.Event()

    async def until(self, holds: Any) -> None:
        """Wait until something holds of what is shown."""
        async with asyncio.timeout(WAIT):
            while not holds():
                self.changed.clear()
                await self.changed.wait()


async def talk(folder: Path, editor: Editor, able: lsp.ClientCapabilities) -> dict[str, Any]:
    """Open a file, ask everything of it, break it, and let a mend be offered."""

    def _shown(params: lsp.PublishDiagnosticsParams) -> None:
        editor.shown[Path(params.uri).name] = list(params.diagnostics)
        editor.changed.set()

    def _message(params: lsp.ShowMessageParams) -> None:
        editor.refused.append(params.message)
        editor.changed.set()

    def _edit(params: lsp.ApplyWorkspaceEditParams) -> lsp.ApplyWorkspaceEditResult:
        editor.edits.append(params.edit)
        return lsp.ApplyWorkspaceEditResult(True)

    editor.feature(lsp.WORKSPACE_APPLY_EDIT)(_edit)
    editor.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(_shown)
    editor.feature(lsp.WINDOW_SHOW_MESSAGE)(_message)

    await editor.start_io(sys.executable, "-m", "rulelang", "lsp")
    begun = await editor.initialize_async(lsp.InitializeParams(able, initialization_options={"language": "fr"}))
    editor.initialized(lsp.InitializedParams())
    path = folder / "pond.rule"
    text = path.read_text(encoding="utf-8")
    wrong = text.replace("move frog to bank", "move frog to bnk")
    editor.text_document_did_open(lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(path.as_uri(), "rule", 1, wrong)))
    await editor.until(lambda: editor.shown.get("pond.rule"))
    file = lsp.TextDocumentIdentifier(path.as_uri())
    (finding,) = editor.shown["pond.rule"]
    context = lsp.CodeActionContext([finding])
    answers: dict[str, Any] = {
        "capabilities": begun.capabilities,
        "finding": finding,
        "every mend": await editor.text_document_code_action_async(
            lsp.CodeActionParams(file, finding.range, lsp.CodeActionContext([], [lsp.CodeActionKind.SourceFixAll]))
        ),
        "mend": await editor.text_document_code_action_async(lsp.CodeActionParams(file, finding.range, context)),
    }
    (action,) = answers["every mend"]
    answers["mended"] = action.edit or (await editor.code_action_resolve_async(action)).edit
    editor.text_document_did_change(
        lsp.DidChangeTextDocumentParams(
            lsp.VersionedTextDocumentIdentifier(2, path.as_uri()), [lsp.TextDocumentContentChangeWholeDocument(text)]
        )
    )
    await editor.until(lambda: not editor.shown["pond.rule"])
    lines = text.split("\n")
    line = next(number for number, content in enumerate(lines) if content.startswith("rule turn_of"))
    there, all_of_it = lsp.Position(line, 6), lsp.Range(lsp.Position(0, 0), lsp.Position(len(lines), 0))
    called = lsp.Position(line + 3, lines[line + 3].index("worth_of(") + 9)
    for name, ask in {
        "hover": editor.text_document_hover_async(lsp.HoverParams(file, there)),
        "definition": editor.text_document_definition_async(lsp.DefinitionParams(file, there)),
        "type": editor.text_document_type_definition_async(lsp.TypeDefinitionParams(file, called)),
        "linked, in words": editor.text_document_linked_editing_range_async(lsp.LinkedEditingRangeParams(file, called)),
        "linked": editor.text_document_linked_editing_range_async(
            lsp.LinkedEditingRangeParams(file, lsp.Position(line + 8, 18))
        ),
        "ended line": editor.text_document_on_type_formatting_async(
            lsp.DocumentOnTypeFormattingParams(file, there, "\n", lsp.FormattingOptions(2, True))
        ),
        "references": editor.text_document_references_async(
            lsp.ReferenceParams(lsp.ReferenceContext(True), file, there)
        ),
        "highlights": editor.text_document_document_highlight_async(lsp.DocumentHighlightParams(file, there)),
        "implementation": editor.text_document_implementation_async(lsp.ImplementationParams(file, there)),
        "completion": editor.text_document_completion_async(lsp.CompletionParams(file, called)),
        "signature": editor.text_document_signature_help_async(lsp.SignatureHelpParams(file, called)),
        "symbols": editor.text_document_document_symbol_async(lsp.DocumentSymbolParams(file)),
        "workspace": editor.workspace_symbol_async(lsp.WorkspaceSymbolParams("turn")),
        "folds": editor.text_document_folding_range_async(lsp.FoldingRangeParams(file)),
        "selection": editor.text_document_selection_range_async(lsp.SelectionRangeParams(file, [there])),
        "tokens": editor.text_document_semantic_tokens_full_async(lsp.SemanticTokensParams(file)),
        "layout": editor.text_document_formatting_async(
            lsp.DocumentFormattingParams(file, lsp.FormattingOptions(2, True))
        ),
        "stretch": editor.text_document_range_formatting_async(
            lsp.DocumentRangeFormattingParams(file, all_of_it, lsp.FormattingOptions(2, True))
        ),
        "hints": editor.text_document_inlay_hint_async(lsp.InlayHintParams(file, all_of_it)),
        "lenses": editor.text_document_code_lens_async(lsp.CodeLensParams(file)),
        "links": editor.text_document_document_link_async(lsp.DocumentLinkParams(file)),
        "calls": editor.text_document_prepare_call_hierarchy_async(lsp.CallHierarchyPrepareParams(file, there)),
        "renamable": editor.text_document_prepare_rename_async(lsp.PrepareRenameParams(file, there)),
        "rename": editor.text_document_rename_async(lsp.RenameParams(file, there, "go")),
        "refused": editor.text_document_rename_async(lsp.RenameParams(file, there, "coins")),
    }.items():
        answers[name] = await ask
    answers["resolved"] = await editor.completion_item_resolve_async(
        next(item for item in answers["completion"] if item.label == "coins")
    )
    answers["hint"] = await editor.inlay_hint_resolve_async(
        next(hint for hint in answers["hints"] if hint.label == ": Frog")
    )
    answers["theme"] = await theme(editor, folder)
    answers["scenario"] = await scenario(editor, folder)
    older = lsp.SemanticTokensDeltaParams(file, answers["tokens"].result_id)
    answers["delta"] = await editor.text_document_semantic_tokens_full_delta_async(older)
    line_alone = lsp.Range(there, there)
    answers["colours"] = await editor.text_document_semantic_tokens_range_async(
        lsp.SemanticTokensRangeParams(file, line_alone)
    )
    header = lsp.TextDocumentIdentifier((folder / "ruleset.yaml").as_uri())
    yaml = (folder / "ruleset.yaml").read_text(encoding="utf-8").split("\n")
    for name in ("Frog", "coins"):
        row = next(number for number, content in enumerate(yaml) if content.startswith(f"  {name}:"))
        params = lsp.TypeHierarchyPrepareParams(header, lsp.Position(row, 3))
        (top,) = await editor.text_document_prepare_type_hierarchy_async(params) or ()
        lower = await editor.type_hierarchy_subtypes_async(lsp.TypeHierarchySubtypesParams(top)) or ()
        answers[f"below {name}"] = lower
        answers[f"above what is below {name}"] = await editor.type_hierarchy_supertypes_async(
            lsp.TypeHierarchySupertypesParams(lower[0])
        )
    moved = lsp.RenameFilesParams([lsp.FileRename(path.as_uri(), path.as_uri())])
    editor.workspace_did_rename_files(moved)
    editor.workspace_did_create_files(lsp.CreateFilesParams([lsp.FileCreate(path.as_uri())]))
    editor.workspace_did_delete_files(lsp.DeleteFilesParams([lsp.FileDelete(path.as_uri())]))
    command = lsp.ExecuteCommandParams("rulelang.server.test", [str(folder), "a frog that is released is paid for"])
    answers["tested"] = await editor.workspace_execute_command_async(command)
    (item,) = answers["calls"]
    answers["incoming"] = await editor.call_hierarchy_incoming_calls_async(lsp.CallHierarchyIncomingCallsParams(item))
    answers["outgoing"] = await editor.call_hierarchy_outgoing_calls_async(lsp.CallHierarchyOutgoingCallsParams(item))
    await editor.until(lambda: editor.refused)
    answers["message"], answers["edits"] = editor.refused, editor.edits
    await editor.shutdown_async(None)
    editor.exit(None)
    return answers


async def theme(editor: Editor, folder: Path) -> Any:
    """Ask for the colours of a theme, and how the last is written."""
    path = folder / "theme" / "theme.yaml"
    text = 'rulelang: 2\ncolours: {green: "#0c3", brown: "#804020"}\n'
    editor.text_document_did_open(lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(path.as_uri(), "yaml", 1, text)))
    file = lsp.TextDocumentIdentifier(path.as_uri())
    places = await editor.text_document_document_color_async(lsp.DocumentColorParams(file))
    last = lsp.ColorPresentationParams(file, places[-1].color, places[-1].range)
    return places, await editor.text_document_color_presentation_async(last)


async def scenario(editor: Editor, folder: Path) -> Any:
    """Let a scenario be made of the position before the choice of another one, in a text that is not saved."""
    path = folder / "scenarios" / "all.yaml"
    text = path.read_text(encoding="utf-8").replace('when: ["release', 'when:\n      ["release')
    editor.text_document_did_open(lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(path.as_uri(), "yaml", 1, text)))
    name = lsp.Range(lsp.Position(2, 4), lsp.Position(2, 4))
    context = lsp.CodeActionContext([], [lsp.CodeActionKind.Refactor])
    asked = lsp.CodeActionParams(lsp.TextDocumentIdentifier(path.as_uri()), name, context)
    (action,) = await editor.text_document_code_action_async(asked) or ()
    command = lsp.ExecuteCommandParams("rulelang.server.scenario", [path.as_uri(), 3])
    return action.title, await editor.workspace_execute_command_async(command)


CLIENTS = ("visual_studio_code", "neovim", "emacs")
"""Editors of which `pytest-lsp` has recorded what they can; it also holds answers against that."""


REFRESHED = (lsp.WORKSPACE_INLAY_HINT_REFRESH, lsp.WORKSPACE_CODE_LENS_REFRESH, lsp.WORKSPACE_DIAGNOSTIC_REFRESH)
"""What servers ask of clients, and `pytest-lsp` doesn't answer."""


def client(name: str) -> tuple[Editor, lsp.ClientCapabilities]:
    """A client that can what an editor can; with an empty name nothing."""
    if not name:
        return Editor(), lsp.ClientCapabilities()
    pytest_lsp = pytest.importorskip("pytest_lsp")

    class Held(pytest_lsp.LanguageClient, Editor):  # type: ignore[misc, name-defined]
        """A client that holds answers against what it can."""

    held, own = Held(), (lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, lsp.WINDOW_SHOW_MESSAGE)
    known = import_module("pytest_lsp.client").DEFAULT_CLIENT_FEATURES
    for method in (*REFRESHED, lsp.CLIENT_REGISTER_CAPABILITY):
        held.feature(method)(lambda *params: None)
    for method, answer in known.items():
        if method not in own and method not in held.protocol.fm.features:
            held.feature(method)(answer)
    held.capabilities = pytest_lsp.client_capabilities(name)
    return held, held.capabilities


SCENARIO = """

  - name: "a frog that is released is paid for, at its end"
    given:
      players: 2
      options: {deep: true}
      zones: {"seat(0).hand": [tiny], "seat(1).hand": [huge]}
      do: "turn of seat(0): turn_of()"
    when:
      - "release:frog=tiny"
    then:
      - {over: true}
      - {scores: [4, 1]}"""
"""3 coins for the frog that is released, and 1 for each as it is fed and lies in the bank."""


@pytest.mark.parametrize("name", ["", *soaking("", *CLIENTS)[1:]])
def test_every_method_is_answered(name: str, tmp_path: Path) -> None:
    """With what the sample holds at that place."""
    header = write(tmp_path / "pond") / "ruleset.yaml"
    header.write_text(header.read_text(encoding="utf-8").replace("languages: [en]", "languages: [en, fr]"))
    said = asyncio.run(talk(header.parent, *client(name)))
    assert (said["finding"].code, said["finding"].range.start.line) == ("name-unknown", 17)
    (mend,) = said["mend"]
    ((edit,),) = mend.edit.changes.values()
    assert (edit.new_text, edit.range) == ("bank", said["finding"].range)
    assert "rule turn_of" in said["hover"].contents.value
    assert "choisissez" in said["hover"].contents.value
    assert [place.range.start.line for place in said["definition"]] == [12]
    assert len(said["references"]) == 3
    assert len(said["highlights"]) == 2
    assert said["implementation"] in (None, [], ())
    assert {"coins", "frog", "hand"} <= {item.label for item in said["completion"]}
    assert said["signature"].signatures[0].label == "worth_of(frog: Frog) -> number"
    assert [symbol.name for symbol in said["symbols"]] == ["setup", "play", "turn_of", "worth_of", "purse"]
    assert [symbol.name for symbol in said["workspace"]] == ["turn_of"]
    assert {(fold.start_line, fold.end_line) for fold in said["folds"]} >= {(2, 4), (12, 18)}
    assert said["selection"][0].range == lsp.Range(lsp.Position(12, 5), lsp.Position(12, 12))
    assert len(said["tokens"].data) % 5 == 0
    assert said["layout"] in (None, [], ())
    assert said["stretch"] in (None, [], ())
    assert {hint.label for hint in said["hints"]} == {": player", ": Frog"}
    assert "kind Frog(colour: Colour, size: 0..9)" in said["hint"].tooltip.value
    assert [place.range.start.line for place in said["type"]] == [17]
    assert said["linked, in words"] is None
    assert [place.start for place in said["linked"].ranges] == [lsp.Position(20, column) for column in (18, 42, 62)]
    assert said["ended line"] in (None, [], ())
    places, (presentation,) = said["theme"]
    assert [place.range.start.character for place in places] == [18, 33]
    assert (presentation.label, round(places[0].color.blue * 255)) == ("#804020", 0x33)
    assert said["scenario"] == ("make a scenario of this position", True)
    assert [lens.command.title for lens in said["lenses"]] == ["1 use", "3 uses"]  # turn_of; worth_of, also in words
    assert said["links"] in (None, [], ())
    assert [call.from_.name for call in said["incoming"]] == ["play"]
    assert [call.to.name for call in said["outgoing"]] == ["worth_of"]
    assert said["renamable"].start.line == 12
    assert sorted(len(edits) for edits in said["rename"].changes.values()) == [1, 2]
    assert said["refused"] is None
    assert "can't be called `coins`" in said["message"][0]
    assert "variable coins: 0..99, per player" in said["resolved"].documentation.value
    ((whole,),) = said["mended"].changes.values()
    assert "move frog to bank[" in whole.new_text
    assert not said["delta"].edits
    assert said["colours"].data[0] == 12
    assert [item.name for item in said["below Frog"]] == ["tiny", "huge", "grey"]
    assert [item.name for item in said["above what is below Frog"]] == ["Frog"]
    assert ["/rich/" in item.uri for item in said["below coins"]] == [True]
    assert [item.uri for item in said["above what is below coins"]] == [header.as_uri()]
    assert (said["tested"]["passed"], said["tested"]["failed"]) == (1, 0)
    (((made,),),) = (edit.changes.values() for edit in said["edits"])
    assert made.range.start.line == 12
    assert made.new_text == SCENARIO
    told = {name for name in dir(said["capabilities"]) if name.endswith("_provider")}
    assert told


async def pull(folder: Path) -> list[Any]:
    """Ask for the findings of a text that is not saved, then for those of all files."""
    editor = Editor()
    await editor.start_io(sys.executable, "-m", "rulelang", "lsp")
    begun = await editor.initialize_async(
        lsp.InitializeParams(lsp.ClientCapabilities(), initialization_options={"diagnostics": "pull"})
    )
    editor.initialized(lsp.InitializedParams())
    path = folder / "pond.rule"
    wrong = path.read_text(encoding="utf-8").replace("move frog to bank", "move frog to bnk")
    editor.text_document_did_open(lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(path.as_uri(), "rule", 1, wrong)))
    asked = lsp.DocumentDiagnosticParams(lsp.TextDocumentIdentifier(path.as_uri()))
    one = await editor.text_document_diagnostic_async(asked)
    every = await editor.workspace_diagnostic_async(lsp.WorkspaceDiagnosticParams([]))
    await editor.shutdown_async(None)
    editor.exit(None)
    return [begun.capabilities.diagnostic_provider, one, every]


def test_findings_are_pulled(tmp_path: Path) -> None:
    """By a client that says that it asks for them; once all are known."""
    able, one, every = asyncio.run(pull(write(tmp_path / "pond")))
    assert able.inter_file_dependencies
    assert able.workspace_diagnostics
    assert [finding.code for finding in one.items] == ["name-unknown"]
    files = {Path(report.uri).name: len(report.items) for report in every.items if "variants" not in report.uri}
    assert files == {"pond.rule": 1, "ruleset.yaml": 0, "all.yaml": 0}
