"""The language server: answers of `rulelang.service` in the words of the Language Server Protocol.

Enters: JSON-RPC on stdin. Leaves: JSON-RPC on stdout. It is pygls that speaks it; lines and columns count from 0 there,
in the client's own units.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import unquote, urlsplit

from lsprotocol import types as lsp
from pygls.capabilities import get_capability
from pygls.lsp.server import LanguageServer

from rulelang import __version__
from rulelang.diagnostics import Diagnostic, Diagnostics, Source, Span, UsageError
from rulelang.memory.meaning import SCENARIOS
from rulelang.ruleset.files import display_path
from rulelang.service.actions import mended, mends
from rulelang.service.beginnings import beginning_at
from rulelang.service.completion import complete
from rulelang.service.hints import hints, parameters
from rulelang.service.hover import as_written, hover, plain
from rulelang.service.layout import formatted
from rulelang.service.names import TOKEN, Occurrence, described, type_names
from rulelang.service.outline import COLOURS, Outlined, colours, enclosing, folds, outline
from rulelang.service.project import Project, project_of
from rulelang.service.rename import places_of, rename, why_not

FILES = "**/*.{rule,yaml}"
PATIENCE = 2.0
"""So many seconds later findings wait at most for a table that shows the rules of the first."""
PAUSE = 0.02
"""So many seconds nothing must be typed before findings are looked for."""

KINDS = {
    "keyword": lsp.CompletionItemKind.Keyword,
    "function": lsp.CompletionItemKind.Function,
    "variable": lsp.CompletionItemKind.Variable,
    "constant": lsp.CompletionItemKind.Constant,
    "value": lsp.CompletionItemKind.Value,
    "class": lsp.CompletionItemKind.Class,
    "property": lsp.CompletionItemKind.Property,
}
SYMBOLS = {
    "rule": lsp.SymbolKind.Function,
    "function": lsp.SymbolKind.Function,
    "quantity": lsp.SymbolKind.Function,
    "event": lsp.SymbolKind.Event,
    "handler": lsp.SymbolKind.Event,
    "kind": lsp.SymbolKind.Class,
    "type": lsp.SymbolKind.Enum,
    "zone": lsp.SymbolKind.Array,
    "variable": lsp.SymbolKind.Variable,
    "option": lsp.SymbolKind.Constant,
    "section": lsp.SymbolKind.Namespace,
    "scenarios": lsp.SymbolKind.Method,
}
SEVERITIES = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "note": lsp.DiagnosticSeverity.Information,
}


class Server(LanguageServer):
    """A server for all rulesets of which a file is open.

    Attributes:
        projects: by the folder of the base. findings: the last ones of each project. told: of which files findings are
            shown at the client. lang: the language of sentences. heard: called with the project whenever findings are
            shown, and whether they are those of its base's rules alone; what it returns goes before
            other findings. pushes: whether findings are shown unasked.
            commands: whether the client runs and plays rulesets itself. resolves: whether it asks for the changes of an
            action when that is chosen. refreshes: what has the client ask again.
            coloured: by file the number and data of the colours that the client has.
    """

    def __init__(self) -> None:
        super().__init__("rulelang", f"v{__version__}")
        self.projects: dict[Path, Project] = {}
        self.findings: dict[Path, Diagnostics] = {}
        self.told: dict[Path, set[str]] = {}
        self.lang = ""
        self.pushes, self.commands, self.resolves = True, False, False
        self.refreshes: list[Callable[[None], Any]] = []
        self.coloured: dict[str, tuple[str, list[int]]] = {}
        self.heard: Callable[[Project, bool], asyncio.Task[None] | None] = lambda project, partly: None
        self._waves: dict[Path, asyncio.Task[None]] = {}

    # ---- files and places

    def project(self, uri: str) -> tuple[Project, Path] | None:
        """Return the project that a file belongs to, and its path; None for a file of no ruleset."""
        path = path_of(uri)
        folder = project_of(path)
        if folder is None:
            return None
        return self.projects.setdefault(folder, Project(folder)), path

    def place(self, params: Any) -> tuple[Project, Path, int, int] | None:
        """Return project, file, line and column (from 1) of a request about a position."""
        file = self.project(params.text_document.uri)
        if file is None:
            return None
        project, path = file
        lines = project.text_of(path).split("\n")
        line = params.position.line
        text = lines[line] if line < len(lines) else ""
        return project, path, line + 1, self.column(text, params.position.character) + 1

    def column(self, text: str, units: int) -> int:
        """Return a column in characters from one in the client's units."""
        codec, done, column = self.workspace.position_codec, 0, 0
        for character in text:
            if done >= units:
                break
            done += codec.client_num_units(character)
            column += 1
        return column

    def units(self, text: str, column: int) -> int:
        """Return a column in the client's units from one in characters."""
        return int(self.workspace.position_codec.client_num_units(text[:column]))

    def markup(self, text: str, formats: str) -> lsp.MarkupContent:
        """Return a text in Markdown as the client can show it; `formats`: where its capabilities say so."""
        shown = get_capability(self.client_capabilities, f"text_document.{formats}", None)
        if shown and lsp.MarkupKind.Markdown in shown:
            return lsp.MarkupContent(lsp.MarkupKind.Markdown, text)
        return lsp.MarkupContent(lsp.MarkupKind.PlainText, plain(text))

    def range(self, span: Span) -> lsp.Range:
        """Return a span as a range."""
        lines = span.source.lines if span.source is not None else ("",)
        return self._range(lines, span.line, span.column, span.end_line, span.end_column)

    def _range(self, lines: Sequence[str], line: int, column: int, end_line: int, end_column: int) -> lsp.Range:
        first = lines[line - 1] if 0 < line <= len(lines) else ""
        last = lines[end_line - 1] if 0 < end_line <= len(lines) else ""
        return lsp.Range(
            lsp.Position(max(line - 1, 0), self.units(first, column - 1)),
            lsp.Position(max(end_line - 1, 0), self.units(last, end_column - 1)),
        )

    def location(self, project: Project, span: Span) -> lsp.Location:
        """Return a span as a location."""
        return lsp.Location(uri_of(project, span.path), self.range(span))

    def name_at(self, params: Any) -> tuple[Project, Occurrence] | None:
        """Return the name that a request is about."""
        at = self.place(params)
        if at is None:
            return None
        project, path, line, column = at
        name = project.names_in(path).at(display_path(path), line, column)
        return (project, name) if name is not None else None

    # ---- findings

    def look(self, project: Project) -> None:
        """Look for findings soon, and drop what was being looked for."""
        running = self._waves.get(project.folder)
        if running is not None:
            running.cancel()
        self._waves[project.folder] = asyncio.get_event_loop().create_task(self._wave(project))

    async def _wave(self, project: Project) -> None:
        """Publish the findings of the rules as soon as they are there, then all of them."""
        await asyncio.sleep(PAUSE)
        first, before = True, project.base
        latest = Diagnostics()
        for latest in project.findings():
            if first:
                follows = self.publish(project, latest, partly=True)
                first = False
                for refresh in self.refreshes if project.base is not before or not self.pushes else ():
                    refresh(None)
                if follows is not None:  # a table; the other findings come after it
                    await asyncio.wait((follows,), timeout=PATIENCE)
            await asyncio.sleep(0)
        self.publish(project, latest)
        for refresh in self.refreshes if not self.pushes else ():
            refresh(None)
        await asyncio.sleep(PAUSE)
        project.rest()

    async def all_findings(self, project: Project) -> None:
        """Wait until all findings are known."""
        if project.folder not in self._waves:
            self.look(project)
        while not (wave := self._waves[project.folder]).done():
            await asyncio.wait([wave])

    def publish(self, project: Project, findings: Diagnostics, partly: bool = False) -> asyncio.Task[None] | None:
        """Show findings; `partly`: those about scenarios and variants stay shown until all are known. Return what
        whoever hears of it does with them."""
        by_file: dict[str, list[Diagnostic]] = {}
        for finding in findings:
            by_file.setdefault(finding.span.path, []).append(finding)
        told = self.told.setdefault(project.folder, set())
        for path in sorted({*by_file, *told}):
            if partly and path not in by_file and (f"/{SCENARIOS}/" in path or "/variants/" in path):
                continue
            if self.pushes:
                shown = [self.diagnostic(project, finding) for finding in by_file.get(path, [])]
                self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri_of(project, path), shown))
        self.told[project.folder] = {*by_file} | (told if partly else set())
        self.findings[project.folder] = findings
        return self.heard(project, partly)

    def diagnostic(self, project: Project, finding: Diagnostic) -> lsp.Diagnostic:
        """Return a finding as a diagnostic."""
        related = [
            lsp.DiagnosticRelatedInformation(self.location(project, span), words)
            for span, words in finding.related
            if span.source is not None
        ]
        message = f"{finding.message}\n{finding.hint}" if finding.hint else finding.message
        return lsp.Diagnostic(
            self.range(finding.span),
            message,
            severity=SEVERITIES[finding.severity],
            code=finding.code,
            source="rulelang",
            related_information=related or None,
        )


def path_of(uri: str) -> Path:
    """Return the path of a `file:` address."""
    return Path(unquote(urlsplit(uri).path)).resolve()


def uri_of(project: Project, shown: str) -> str:
    """Return the address of a file as findings name it."""
    path = Path(shown)
    return (path if path.is_absolute() else Path.cwd() / path).as_uri() if shown else project.folder.as_uri()


server = Server()

Answer = TypeVar("Answer", bound=Callable[..., Any])


def of_file(feature: str, options: Any = None, otherwise: Any = ()) -> Callable[[Answer], Answer]:
    """Enter a function of the server, the project, the file and the parameters as what answers requests about files.

    Args:
        otherwise: the answer about a file that belongs to no ruleset.
    """

    def enter(answer: Answer) -> Answer:
        def handle(ls: Server, params: Any) -> Any:
            file = ls.project(params.text_document.uri)
            return answer(ls, *file, params) if file is not None else otherwise

        server.feature(feature, options)(handle)
        return answer

    return enter


def of_name(feature: str, options: Any = None, otherwise: Any = ()) -> Callable[[Answer], Answer]:
    """Enter a function of the server, the project, the name and the parameters as what answers requests about names.

    Args:
        otherwise: the answer where no name stands.
    """

    def enter(answer: Answer) -> Answer:
        def handle(ls: Server, params: Any) -> Any:
            name = ls.name_at(params)
            return answer(ls, *name, params) if name is not None else otherwise

        server.feature(feature, options)(handle)
        return answer

    return enter


@server.feature(lsp.INITIALIZE)
def initialize(ls: Server, params: lsp.InitializeParams) -> None:
    """Take the options of the client: the `language` of sentences; whether it has `commands` of its own; whether it
    asks for `diagnostics` itself ("pull"). What clients can do does not tell that: most can both, and show both."""
    options, able = params.initialization_options, params.capabilities

    def told(name: str) -> Any:
        return options.get(name) if isinstance(options, Mapping) else getattr(options, name, None)

    ls.lang, ls.commands = str(told("language") or ""), bool(told("commands"))
    text, workspace = able.text_document, able.workspace
    resolved = text.code_action.resolve_support if text is not None and text.code_action is not None else None
    ls.resolves = resolved is not None and "edit" in resolved.properties
    ls.pushes = told("diagnostics") != "pull"
    if not ls.pushes and lsp.TEXT_DOCUMENT_DIAGNOSTIC not in ls.protocol.fm.features:
        server.feature(lsp.TEXT_DOCUMENT_DIAGNOSTIC, lsp.DiagnosticOptions(True, True))(pulled)
        server.feature(lsp.WORKSPACE_DIAGNOSTIC)(all_pulled)
    refreshes = (
        (workspace and workspace.inlay_hint, ls.workspace_inlay_hint_refresh),
        (workspace and workspace.code_lens, ls.workspace_code_lens_refresh),
        (workspace and workspace.diagnostics if not ls.pushes else None, ls.workspace_diagnostic_refresh),
    )
    ls.refreshes = [refresh for can, refresh in refreshes if can and can.refresh_support]


@server.feature(lsp.INITIALIZED)
def initialized(ls: Server, params: lsp.InitializedParams) -> None:
    """Have the client tell of files that change on the disk."""
    workspace = ls.client_capabilities.workspace
    watching = workspace.did_change_watched_files if workspace is not None else None
    if watching is not None and watching.dynamic_registration:
        options = lsp.DidChangeWatchedFilesRegistrationOptions([lsp.FileSystemWatcher(FILES)])
        method = lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES
        ls.client_register_capability(lsp.RegistrationParams([lsp.Registration("files", method, options)]))


async def pulled(ls: Server, params: lsp.DocumentDiagnosticParams) -> lsp.RelatedFullDocumentDiagnosticReport:
    """Return the findings of a file, once all are known."""
    file = ls.project(params.text_document.uri)
    return lsp.RelatedFullDocumentDiagnosticReport(await _findings(ls, *file) if file is not None else [])


async def all_pulled(ls: Server, params: lsp.WorkspaceDiagnosticParams) -> lsp.WorkspaceDiagnosticReport:
    """Return the findings of all files of the open rulesets, once all are known."""
    return lsp.WorkspaceDiagnosticReport(
        [
            lsp.WorkspaceFullDocumentDiagnosticReport(path.as_uri(), await _findings(ls, project, path))
            for project in [*ls.projects.values()]
            for path in project.files
        ]
    )


async def _findings(ls: Server, project: Project, path: Path) -> list[lsp.Diagnostic]:
    await ls.all_findings(project)
    shown, findings = display_path(path), ls.findings[project.folder]
    return [ls.diagnostic(project, finding) for finding in findings if finding.span.path == shown]


@of_file(lsp.TEXT_DOCUMENT_DID_OPEN)
@of_file(lsp.TEXT_DOCUMENT_DID_CHANGE)
def take(ls: Server, project: Project, path: Path, params: Any) -> None:
    """Take the text of a file that was opened or changed."""
    project.set_text(path, ls.workspace.get_text_document(params.text_document.uri).source.replace("\r\n", "\n"))
    ls.look(project)


@of_file(lsp.TEXT_DOCUMENT_DID_SAVE)
def did_save(ls: Server, project: Project, path: Path, params: lsp.DidSaveTextDocumentParams) -> None:
    """Look again: other files may have been written too."""
    ls.look(project)


@of_file(lsp.TEXT_DOCUMENT_DID_CLOSE)
def did_close(ls: Server, project: Project, path: Path, params: lsp.DidCloseTextDocumentParams) -> None:
    """Go back to the file's own text."""
    ls.coloured.pop(params.text_document.uri, None)
    project.set_text(path, None)
    ls.look(project)


@server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
def did_change_files(ls: Server, params: lsp.DidChangeWatchedFilesParams) -> None:
    """Look again at what changed on the disk."""
    _look_at(ls, (change.uri for change in params.changes))


_OPERATIONS = lsp.FileOperationRegistrationOptions([lsp.FileOperationFilter(lsp.FileOperationPattern(FILES))])


@server.feature(lsp.WORKSPACE_DID_CREATE_FILES, _OPERATIONS)
@server.feature(lsp.WORKSPACE_DID_DELETE_FILES, _OPERATIONS)
def did_make_files(ls: Server, params: lsp.CreateFilesParams | lsp.DeleteFilesParams) -> None:
    """Look again where files came or went."""
    _look_at(ls, (file.uri for file in params.files))


@server.feature(lsp.WORKSPACE_DID_RENAME_FILES, _OPERATIONS)
def did_rename_files(ls: Server, params: lsp.RenameFilesParams) -> None:
    """Look again where files came from and went to."""
    _look_at(ls, (uri for file in params.files for uri in (file.old_uri, file.new_uri)))


def _look_at(ls: Server, uris: Iterable[str]) -> None:
    for project in {file[0] for uri in uris if (file := ls.project(uri)) is not None}:
        ls.look(project)


# ---- what a name is, and where it stands


@of_name(lsp.TEXT_DOCUMENT_HOVER, otherwise=None)
def on_hover(ls: Server, project: Project, place: Occurrence, params: lsp.HoverParams) -> lsp.Hover | None:
    """Tell what the name at a place is."""
    snapshot = project.snapshot_of(path_of(params.text_document.uri))
    if snapshot is not None and place.named is not None:
        text = hover(snapshot, place.named, ls.lang)
    else:
        declared = next((other.span for other in project.names.of(place.key) if other.declares), None)
        text = as_written(declared) if declared is not None else ""
    return lsp.Hover(ls.markup(text, "hover.content_format"), ls.range(place.span)) if text else None


@of_name(lsp.TEXT_DOCUMENT_DEFINITION)
def definition(ls: Server, project: Project, place: Occurrence, params: lsp.DefinitionParams) -> list[lsp.Location]:
    """Find where the name at a place is declared."""
    return [ls.location(project, other.span) for other in project.names.of(place.key) if other.declares]


@of_name(lsp.TEXT_DOCUMENT_TYPE_DEFINITION)
def type_definition(
    ls: Server, project: Project, place: Occurrence, params: lsp.TypeDefinitionParams
) -> list[lsp.Location]:
    """Find where the types are declared that what stands at a place has."""
    names = type_names(place.named)
    return [ls.location(project, p.span) for name in names for p in project.names.of(("symbol", name)) if p.declares]


@of_name(lsp.TEXT_DOCUMENT_LINKED_EDITING_RANGE, otherwise=None)
def linked(
    ls: Server, project: Project, place: Occurrence, params: lsp.LinkedEditingRangeParams
) -> lsp.LinkedEditingRanges | None:
    """Find where a name stands that nothing but one declaration knows: typing renames all of it."""
    places = project.names.of(place.key)
    if place.key[0] != "local" or any(p.span.path != place.span.path for p in places):
        return None
    return lsp.LinkedEditingRanges([ls.range(p.span) for p in places], TOKEN.pattern)


@of_name(lsp.TEXT_DOCUMENT_REFERENCES)
def references(ls: Server, project: Project, place: Occurrence, params: lsp.ReferenceParams) -> list[lsp.Location]:
    """Find where the name at a place is used."""
    places = places_of(project, place.key)
    return [ls.location(project, p.span) for p in places if not p.declares or params.context.include_declaration]


@of_name(lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
def highlight(
    ls: Server, project: Project, place: Occurrence, params: lsp.DocumentHighlightParams
) -> list[lsp.DocumentHighlight]:
    """Find the name at a place elsewhere in the file."""
    here = [p for p in project.names.of(place.key) if p.span.path == place.span.path]
    return [lsp.DocumentHighlight(ls.range(p.span), lsp.DocumentHighlightKind.Text) for p in here]


@of_name(lsp.TEXT_DOCUMENT_PREPARE_RENAME, otherwise=None)
def prepare_rename(
    ls: Server, project: Project, place: Occurrence, params: lsp.PrepareRenameParams
) -> lsp.Range | None:
    """Tell whether the name at a place can get another one; if not, say why."""
    refusal = why_not(project, place.key, place.text)
    if refusal:
        ls.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Info, refusal))
    return None if refusal else ls.range(place.span)


@of_name(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True), otherwise=None)
def on_rename(ls: Server, project: Project, place: Occurrence, params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
    """Give the name at a place another one, everywhere; refused where a check would find a new fault."""
    try:
        changed = rename(project, place.key, params.new_name)
    except UsageError as error:
        ls.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Error, str(error)))
        return None
    return lsp.WorkspaceEdit(
        {p.as_uri(): [lsp.TextEdit(ls.range(c.span), c.text) for c in of] for p, of in changed.items()}
    )


@server.feature(
    lsp.TEXT_DOCUMENT_COMPLETION,
    lsp.CompletionOptions(trigger_characters=[".", ":", "[", " ", "{"], resolve_provider=True),
)
def completion(ls: Server, params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
    """Propose what may stand at a place."""
    at = ls.place(params)
    if at is None:
        return []
    data = params.text_document.uri
    return [lsp.CompletionItem(p.label, kind=KINDS[p.sort], detail=p.detail or None, data=data) for p in complete(*at)]


@server.feature(lsp.COMPLETION_ITEM_RESOLVE)
def resolve_completion(ls: Server, item: lsp.CompletionItem) -> lsp.CompletionItem:
    """Add what a proposal is, as hovering tells it."""
    file = ls.project(str(item.data))
    snapshot = file[0].snapshot_of(file[1]) if file is not None else None
    named = snapshot.analysed.shared.names.get(item.label) if snapshot is not None else None
    if snapshot is not None and named is not None:
        text = hover(snapshot, named, ls.lang)
        item.documentation = ls.markup(text, "completion.completion_item.documentation_format")
    return item


@server.feature(lsp.TEXT_DOCUMENT_SIGNATURE_HELP, lsp.SignatureHelpOptions(trigger_characters=["(", ","]))
def signature_help(ls: Server, params: lsp.SignatureHelpParams) -> lsp.SignatureHelp | None:
    """Show the parameters of what is called at a place."""
    at = ls.place(params)
    called = parameters(*at) if at is not None else None
    if called is None:
        return None
    label, names, active = called
    return lsp.SignatureHelp(
        [lsp.SignatureInformation(label, parameters=[lsp.ParameterInformation(name) for name in names])], 0, active
    )


@of_file(lsp.TEXT_DOCUMENT_INLAY_HINT, lsp.InlayHintOptions(resolve_provider=True))
def inlay_hints(ls: Server, project: Project, path: Path, params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
    """Show the types of names, and how many pieces a row is."""
    first, last = params.range.start.line + 1, params.range.end.line + 1
    lines = project.text_of(path).split("\n")
    return [
        lsp.InlayHint(
            lsp.Position(line - 1, ls.units(lines[line - 1], column - 1)), text, data=params.text_document.uri
        )
        for line, column, text in hints(project, path)
        if first <= line <= last and line <= len(lines)
    ]


@server.feature(lsp.INLAY_HINT_RESOLVE)
def resolve_hint(ls: Server, hint: lsp.InlayHint) -> lsp.InlayHint:
    """Add what the types that a hint names are, as hovering tells it."""
    file = ls.project(str(hint.data))
    snapshot = file[0].snapshot_of(file[1]) if file is not None else None
    if snapshot is not None:
        named = (snapshot.analysed.shared.names.get(name) for name in TOKEN.findall(str(hint.label)))
        texts = [hover(snapshot, symbol, ls.lang) for symbol in named if symbol is not None]
        hint.tooltip = lsp.MarkupContent(lsp.MarkupKind.Markdown, "\n\n".join(texts)) if texts else None
    return hint


# ---- the shape of a file


@of_file(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
def document_symbols(
    ls: Server, project: Project, path: Path, params: lsp.DocumentSymbolParams
) -> list[lsp.DocumentSymbol]:
    """Return what a file declares."""
    return [_symbol(ls, each) for each in outline(project.source(path))]


def _symbol(ls: Server, outlined: Outlined) -> lsp.DocumentSymbol:
    inside = [_symbol(ls, each) for each in outlined.inside]
    kind = SYMBOLS.get(outlined.sort, lsp.SymbolKind.Object)
    around, named = ls.range(outlined.span), ls.range(outlined.named)
    return lsp.DocumentSymbol(outlined.name or outlined.sort, kind, around, named, outlined.sort, children=inside)


@server.feature(lsp.WORKSPACE_SYMBOL)
def workspace_symbols(ls: Server, params: lsp.WorkspaceSymbolParams) -> list[lsp.WorkspaceSymbol]:
    """Find what is declared anywhere in the open rulesets, by a part of its name."""
    symbols: dict[tuple[str, int, int], lsp.WorkspaceSymbol] = {}
    for project in ls.projects.values():
        for path in project.files:
            for place in project.names.in_file(display_path(path)):
                name = place.key[-1]
                if not place.declares or place.key[0] == "local" or params.query.lower() not in name.lower():
                    continue
                kind = SYMBOLS.get(described(place.named), lsp.SymbolKind.Object)
                where = (place.span.path, place.span.line, place.span.column)
                symbols[where] = lsp.WorkspaceSymbol(ls.location(project, place.span), name, kind)
    return list(symbols.values())


@of_file(lsp.TEXT_DOCUMENT_FOLDING_RANGE)
def folding(ls: Server, project: Project, path: Path, params: lsp.FoldingRangeParams) -> list[lsp.FoldingRange]:
    """Return what can be folded."""
    return [
        lsp.FoldingRange(first - 1, last - 1, kind=lsp.FoldingRangeKind.Comment if comment else None)
        for first, last, comment in folds(project.source(path))
    ]


@of_file(lsp.TEXT_DOCUMENT_SELECTION_RANGE)
def selection(ls: Server, project: Project, path: Path, params: lsp.SelectionRangeParams) -> list[lsp.SelectionRange]:
    """Return the stretches around places, each within the next."""
    source = project.source(path)
    chosen = []
    for position in params.positions:
        text = source.lines[position.line] if position.line < len(source.lines) else ""
        outer: lsp.SelectionRange | None = None
        for stretch in reversed(enclosing(source, position.line + 1, ls.column(text, position.character) + 1)):
            outer = lsp.SelectionRange(ls._range(source.lines, *stretch), outer)
        chosen.append(outer or lsp.SelectionRange(lsp.Range(position, position)))
    return chosen


_LEGEND = lsp.SemanticTokensLegend(list(COLOURS), [])


@of_file(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, _LEGEND, otherwise=None)
def semantic_tokens(ls: Server, project: Project, path: Path, params: lsp.SemanticTokensParams) -> lsp.SemanticTokens:
    """Return the colour of each word of a file."""
    return _kept(ls, params.text_document.uri, _colour_data(ls, project.source(path)))


@of_file(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA, _LEGEND, otherwise=None)
def semantic_tokens_delta(
    ls: Server, project: Project, path: Path, params: lsp.SemanticTokensDeltaParams
) -> lsp.SemanticTokens | lsp.SemanticTokensDelta:
    """Return what differs from the colours that the client has."""
    uri, new = params.text_document.uri, _colour_data(ls, project.source(path))
    number, old = ls.coloured.get(uri, ("", []))
    tokens = _kept(ls, uri, new)
    if number != params.previous_result_id:
        return tokens
    same = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    most = min(len(old), len(new)) - same
    end = next((n for n in range(most) if old[-1 - n] != new[-1 - n]), most)
    edit = lsp.SemanticTokensEdit(same, len(old) - same - end, new[same : len(new) - end])
    return lsp.SemanticTokensDelta([edit] if old != new else [], tokens.result_id)


@of_file(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, _LEGEND, otherwise=None)
def semantic_tokens_range(
    ls: Server, project: Project, path: Path, params: lsp.SemanticTokensRangeParams
) -> lsp.SemanticTokens:
    """Return the colour of each word of some lines."""
    lines = range(params.range.start.line + 1, params.range.end.line + 2)
    return lsp.SemanticTokens(_colour_data(ls, project.source(path), lines))


def _kept(ls: Server, uri: str, data: list[int]) -> lsp.SemanticTokens:
    """Return colours with a number, and keep them for the next difference."""
    number = str(int(ls.coloured.get(uri, ("0", []))[0]) + 1)
    ls.coloured[uri] = number, data
    return lsp.SemanticTokens(data, number)


def _colour_data(ls: Server, source: Source, lines: range | None = None) -> list[int]:
    """Return the colours of words as the protocol has them: five numbers for each, places as differences."""
    data: list[int] = []
    line_before = column_before = 0
    for line, column, length, colour in colours(source):
        if lines is not None and line not in lines:
            continue
        text = source.lines[line - 1]
        start = ls.units(text, column - 1)
        size = ls.units(text, column - 1 + length) - start
        column_before = column_before if line - 1 == line_before else 0
        data += [line - 1 - line_before, start - column_before, size, COLOURS.index(colour), 0]
        line_before, column_before = line - 1, start
    return data


@of_file(lsp.TEXT_DOCUMENT_FORMATTING)
@of_file(lsp.TEXT_DOCUMENT_RANGE_FORMATTING)
def formatting(ls: Server, project: Project, path: Path, params: Any) -> list[lsp.TextEdit]:
    """Bring rules into the one layout: all of a file, or those in a stretch of lines."""
    stretch = getattr(params, "range", None)
    lines = (stretch.start.line + 1, stretch.end.line + 1) if stretch is not None else None
    return [
        lsp.TextEdit(lsp.Range(lsp.Position(first - 1, 0), lsp.Position(end - 1, 0)), text)
        for first, end, text in formatted(project.source(path), lines)
    ]


@of_file(lsp.TEXT_DOCUMENT_ON_TYPE_FORMATTING, lsp.DocumentOnTypeFormattingOptions("\n"))
def format_line(
    ls: Server, project: Project, path: Path, params: lsp.DocumentOnTypeFormattingParams
) -> list[lsp.TextEdit]:
    """Bring the line that was just ended into the one layout."""
    line = params.position.line
    edits = formatted(project.source(path), (line, line))
    return [
        lsp.TextEdit(lsp.Range(lsp.Position(first - 1, 0), lsp.Position(end - 1, 0)), text)
        for first, end, text in edits
        if end - first == text.count("\n") == 1
    ]


@of_file(lsp.TEXT_DOCUMENT_DOCUMENT_LINK)
def links(ls: Server, project: Project, path: Path, params: lsp.DocumentLinkParams) -> list[lsp.DocumentLink]:
    """Make links of `extends` and of the citations whose passages the index of the rulebook has."""
    snapshot = project.snapshot_of(path)
    if snapshot is None:
        return []
    made = []
    for number, line in enumerate(project.text_of(path).split("\n")):
        for match in re.finditer(r"\b([a-z][a-z0-9-]*):(\d+)(?:-(\d+))?", line):
            passages = snapshot.ruleset.passages(match[1], int(match[2]), int(match[3] or match[2]))
            if passages and passages[0].span.source is not None and passages[0].span.path != display_path(path):
                target = f"{uri_of(project, passages[0].span.path)}#L{passages[0].span.line}"
                place = lsp.Range(
                    lsp.Position(number, ls.units(line, match.start())),
                    lsp.Position(number, ls.units(line, match.end())),
                )
                title = next(iter(passages[0].title.values()), "")
                made.append(lsp.DocumentLink(place, target, title))
    return made


# ---- changes and runs


_ACTIONS = lsp.CodeActionOptions(
    code_action_kinds=[
        *(lsp.CodeActionKind.QuickFix, lsp.CodeActionKind.SourceFixAll, lsp.CodeActionKind.RefactorExtract)
    ],
    resolve_provider=True,
)


@of_file(lsp.TEXT_DOCUMENT_CODE_ACTION, _ACTIONS)
def code_actions(ls: Server, project: Project, path: Path, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
    """Offer what the hints of findings say, and in a scenario one that goes on from there; to do all that hints say in
    a file is worked out when it is chosen."""
    first, last, only = params.range.start.line + 1, params.range.end.line + 1, params.context.only

    def is_requested(kind: str) -> bool:
        return only is None or any(kind == each or kind.startswith(f"{each}.") for each in only)

    own = [f for f in ls.findings.get(project.folder, ()) if f.span.path == display_path(path)]
    actions = []
    for finding in own if is_requested(lsp.CodeActionKind.QuickFix) else ():
        if not first <= finding.span.line <= last:
            continue
        offered = mends(project, finding)
        for mend in offered:
            edit = lsp.WorkspaceEdit({mend.path.as_uri(): [lsp.TextEdit(ls.range(mend.span), mend.text)]})
            told = [ls.diagnostic(project, finding)]
            actions.append(
                lsp.CodeAction(
                    mend.title,
                    lsp.CodeActionKind.QuickFix,
                    diagnostics=told,
                    edit=edit,
                    is_preferred=mend is offered[0],
                )
            )
    if own and only is not None and is_requested(lsp.CodeActionKind.SourceFixAll):
        kind, uri = lsp.CodeActionKind.SourceFixAll, params.text_document.uri
        every = lsp.CodeAction("do what the hints in this file say", kind, data=uri)
        actions.append(every if ls.resolves else resolve_action(ls, every))
    extract = lsp.CodeActionKind.RefactorExtract
    if path.parent.name == SCENARIOS and is_requested(extract) and beginning_at(project.source(path), first):
        title, told_line = "make a scenario of this position", [params.text_document.uri, first]
        actions.append(
            lsp.CodeAction(title, extract, command=lsp.Command(title, "rulelang.server.scenario", arguments=told_line))
        )
    return actions


@server.feature(lsp.CODE_ACTION_RESOLVE)
def resolve_action(ls: Server, action: lsp.CodeAction) -> lsp.CodeAction:
    """Work out what an action changes."""
    file = ls.project(str(action.data))
    if file is not None:
        project, path = file
        changed = mended(project, path)
        whole = {
            path: ls.range(Span(project.source(path), 1, 1, len(lines), len(lines[-1]) + 1))
            for path in changed
            for lines in (project.source(path).lines,)
        }
        edits = {path.as_uri(): [lsp.TextEdit(whole[path], text)] for path, text in changed.items()}
        action.edit = lsp.WorkspaceEdit(edits)
    return action
