// The files and the one editor: CodeMirror, with the language server of `rulelang lsp` behind it.

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab, toggleComment } from "@codemirror/commands";
import { bracketMatching, foldGutter, foldKeymap, foldService, indentUnit } from "@codemirror/language";
import { Diagnostic as Mark, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { LSPClient, LSPPlugin, Workspace, WorkspaceFile, formatDocument, hoverTooltips, jumpToDefinitionKeymap, serverCompletion, signatureHelp } from "@codemirror/lsp-client";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { ChangeSpec, EditorState, RangeSetBuilder, StateEffect, StateField, Text, TransactionSpec } from "@codemirror/state";
import { Decoration, DecorationSet, EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from "@codemirror/view";
import { asked, byId, hear, made, note, own, question, said } from "./page";

interface Position { line: number; character: number }
interface Range { start: Position; end: Position }
interface Edit { range: Range; newText: string }
interface WorkspaceEdit { changes?: Record<string, Edit[]> }
export interface Finding { range: Range; message: string; severity: number; code?: string }

const EDITABLE = /\.(yaml|rule)$/;
const SEVERITIES = ["error", "error", "warning", "info"] as const;

const uriOf = (name: string) => `${own.root}/${name.split("/").map(encodeURIComponent).join("/")}`;
const nameOf = (uri: string) => decodeURIComponent(uri.slice(own.root.length + 1));
const offset = (doc: Text, at: Position) => {
  const line = doc.line(Math.min(at.line + 1, doc.lines));
  return Math.min(line.from + at.character, line.to);
};

/** A file that was opened once: the language server has its text from then on. */
class Opened implements WorkspaceFile {
  version = 0;
  view: EditorView | null = null;
  languageId: string;
  doc: Text;
  constructor(readonly uri: string, public state: EditorState) {
    this.languageId = uri.endsWith(".rule") ? "rule" : "yaml";
    this.doc = state.doc;
  }
  getView() { return this.view; }
}

class Files extends Workspace {
  files: Opened[] = [];

  getFile(uri: string): Opened | null {
    return this.files.find((file) => file.uri === uri) ?? null;
  }
  /** The file, opened at the server if it is one of the ruleset's. */
  opened(uri: string): Opened | null {
    const known = this.getFile(uri);
    if (known || !(nameOf(uri) in saved)) return known;
    const file = new Opened(uri, state(uri, saved[nameOf(uri)]));
    this.files.push(file);
    if (EDITABLE.test(uri)) this.client.didOpen(file);
    return file;
  }
  syncFiles() {
    const updates: ReturnType<Workspace["syncFiles"]>[number][] = [];
    for (const file of this.files) {
      const plugin = file.view && LSPPlugin.get(file.view);
      if (!file.view || !plugin || plugin.unsyncedChanges.empty) continue;
      updates.push({ file, prevDoc: file.doc, changes: plugin.unsyncedChanges });
      file.doc = file.view.state.doc;
      file.version += 1;
      plugin.clear();
    }
    return updates;
  }
  async requestFile(uri: string) { return this.opened(uri); }
  openFile(uri: string, _language: string, view: EditorView) { this.opened(uri)!.view = view; }
  closeFile(uri: string) { const file = this.getFile(uri); if (file) file.view = null; }
  /** Change a file, whether it is shown or not. */
  updateFile(uri: string, update: TransactionSpec) {
    const file = this.opened(uri);
    if (!file) return;
    if (file.view) return file.view.dispatch(update);
    file.state = file.state.update(update).state;
    file.doc = file.state.doc;
    file.version += 1;
    if (EDITABLE.test(uri))
      this.client.notification("textDocument/didChange", { textDocument: { uri, version: file.version }, contentChanges: [{ text: file.doc.toString() }] });
    changed();
  }
  async displayFile(uri: string) { return show(nameOf(uri)); }
}

// ---- colours, as the language server has them

const coloured = StateEffect.define<DecorationSet>();
const colours = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (set, transaction) => transaction.effects.reduce((now, effect) => (effect.is(coloured) ? effect.value : now), set.map(transaction.changes)),
  provide: (field) => EditorView.decorations.from(field),
});
let colouring = 0;

function colour(): void {
  clearTimeout(colouring);
  colouring = setTimeout(async () => {
    const plugin = LSPPlugin.get(view);
    if (!plugin || !EDITABLE.test(plugin.uri)) return;
    client.sync();
    const doc = view.state.doc;
    const answer = await client.request<unknown, { data: number[] } | null>("textDocument/semanticTokens/full", { textDocument: { uri: plugin.uri } }).catch(() => null);
    const names = client.serverCapabilities?.semanticTokensProvider?.legend.tokenTypes ?? [];
    if (!answer || view.state.doc !== doc) return;
    const set = new RangeSetBuilder<Decoration>();
    for (let at = 0, line = 0, column = 0; at < answer.data.length; at += 5) {
      const [lines, columns, size, sort] = answer.data.slice(at, at + 4);
      column = lines ? columns : column + columns;
      line += lines;
      const from = doc.line(line + 1).from + column;
      set.add(from, from + size, Decoration.mark({ class: `tok-${names[sort]}` }));
    }
    view.dispatch({ effects: coloured.of(set.finish()) });
  }, 40) as unknown as number;
}

// ---- what is below a line folds with it

const depth = (text: string) => text.length - text.trimStart().length;
const folds = foldService.of((state, from) => {
  const first = state.doc.lineAt(from);
  if (!first.text.trim()) return null;
  let end = first.number;
  for (let number = first.number + 1; number <= state.doc.lines; number += 1) {
    const { text } = state.doc.line(number);
    if (text.trim() && depth(text) <= depth(first.text)) break;
    if (text.trim()) end = number;
  }
  return end > first.number ? { from: first.to, to: state.doc.line(end).to } : null;
});

// ---- the editor

const client = new LSPClient({
  rootUri: own.root,
  timeout: 60_000,
  initializationOptions: { language: own.lang },
  workspace: (of) => new Files(of),
  notificationHandlers: {
    "textDocument/publishDiagnostics": (_, { uri, diagnostics }) => {
      findings.set(nameOf(uri), diagnostics);
      if (uri === uriOf(current)) mark();
      found();
      return true;
    },
    "window/showMessage": (_, { message }) => { note(message, true); return true; },
  },
  extensions: [serverCompletion(), hoverTooltips(), signatureHelp()],
});
const files = client.workspace as Files;

const saved: Record<string, string> = own.files;
export const findings = new Map<string, Finding[]>();
export let current = "";
export let changed = () => {};
export let found = () => {};
/** Call one function when a text changes, and one when findings do. */
export function follow(onChange: () => void, onFindings: () => void): void {
  changed = onChange;
  found = onFindings;
}

function state(uri: string, doc: string): EditorState {
  const speaks = EDITABLE.test(uri);
  return EditorState.create({
    doc,
    extensions: [
      EditorView.cspNonce.of(own.nonce),
      EditorView.contentAttributes.of({ tabindex: "0", "aria-label": said("editor", { name: nameOf(uri) }) }),
      lineNumbers(), foldGutter(), folds, history(), drawSelection(), highlightActiveLine(), highlightActiveLineGutter(),
      EditorView.lineWrapping, bracketMatching(), closeBrackets(), autocompletion(), highlightSelectionMatches(), search({ top: true }), indentUnit.of("  "),
      EditorState.languageData.of(() => [{ commentTokens: { line: "#" } }]),
      speaks ? [colours, lintGutter(), client.plugin(uri, uri.endsWith(".rule") ? "rule" : "yaml")] : [],
      EditorView.updateListener.of((update) => {
        if (!update.docChanged) return;
        changed();
        if (speaks) later();
      }),
      keymap.of([
        { key: "Mod-s", run: () => (void save(), true), preventDefault: true },
        { key: "F2", run: () => (void rename(), true), preventDefault: true },
        { key: "Mod-.", run: () => (void mendHere(), true), preventDefault: true },
        { key: "Mod-/", run: toggleComment },
        { key: "Shift-Alt-f", run: formatDocument, preventDefault: true },
        ...jumpToDefinitionKeymap, ...closeBracketsKeymap, ...completionKeymap, ...lintKeymap, ...searchKeymap, ...foldKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab,
      ]),
    ],
  });
}

const view = new EditorView({ parent: byId("editor"), state: EditorState.create({ extensions: EditorView.cspNonce.of(own.nonce) }) });
let waits = 0;
/** Tell the server what was typed, once the fingers rest for a moment. */
function later(): void {
  clearTimeout(waits);
  waits = setTimeout(() => client.sync(), 60) as unknown as number;
  colour();
}

/** Show a file, at a place if one is given. */
export function show(name: string, at?: Position): EditorView | null {
  if (!(name in saved)) return null;
  if (name !== current) {
    client.sync();
    const before = files.getFile(uriOf(current));
    if (before) before.state = view.state;
    const file = files.opened(uriOf(name))!;
    current = name;
    view.setState(file.state);
    file.view = view;
    byId("name").textContent = name;
    sessionStorage.setItem("file", name);
    mark();
    colour();
    changed();
  }
  if (at) {
    const anchor = offset(view.state.doc, at);
    view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
    view.focus();
  }
  return view;
}

function mark(): void {
  const { doc } = view.state;
  const marks: Mark[] = (findings.get(current) ?? []).map((finding) => ({
    from: offset(doc, finding.range.start), to: offset(doc, finding.range.end), severity: SEVERITIES[finding.severity] ?? "info",
    message: finding.message, source: finding.code, actions: [{ name: said("mend"), apply: () => void mend(current, finding) }],
  }));
  view.dispatch(setDiagnostics(view.state, marks.map((each) => ({ ...each, to: Math.max(each.from, each.to) }))));
}

// ---- changes that the language server proposes

function apply(edit: WorkspaceEdit): void {
  for (const [uri, edits] of Object.entries(edit.changes ?? {})) {
    const file = files.opened(uri);
    if (!file) continue;
    const doc = file.view ? file.view.state.doc : file.doc;
    const changes: ChangeSpec[] = edits.map(({ range, newText }) => ({ from: offset(doc, range.start), to: offset(doc, range.end), insert: newText }));
    files.updateFile(uri, { changes });
  }
  client.sync();
}

/** Do what the hint of a finding says. */
export async function mend(name: string, finding: Finding): Promise<void> {
  client.sync();
  files.opened(uriOf(name));
  const asks = { textDocument: { uri: uriOf(name) }, range: finding.range, context: { diagnostics: [finding] } };
  const actions = (await client.request<unknown, { title: string; edit?: WorkspaceEdit; diagnostics?: Finding[] }[] | null>("textDocument/codeAction", asks)) ?? [];
  const own_ = actions.filter((action) => action.diagnostics?.[0]?.message === finding.message);
  if (!own_.length) return note(said("no_mend"));
  const which = own_.length === 1 ? "0" : await question(said("mend_which"), [], own_.map(({ title }, number) => [String(number), title]));
  if (which) apply(own_[Number(which)].edit ?? {});
}

async function mendHere(): Promise<void> {
  const line = view.state.doc.lineAt(view.state.selection.main.head).number - 1;
  const here = (findings.get(current) ?? []).find(({ range }) => range.start.line === line);
  if (here) await mend(current, here);
}

async function rename(): Promise<void> {
  const plugin = LSPPlugin.get(view);
  const word = view.state.wordAt(view.state.selection.main.head);
  if (!plugin || !word) return;
  const name = view.state.sliceDoc(word.from, word.to);
  const input = made("input", { value: name, required: true, pattern: "[A-Za-z_]\\w*" });
  const answer = await question(said("rename"), [made("label", { className: "field" }, made("span", {}, said("rename_to", { name })), input)], [["yes", said("rename")]]);
  if (!answer || input.value === name) return view.focus();
  client.sync();
  const edit = await client.request<unknown, WorkspaceEdit | null>("textDocument/rename", { textDocument: { uri: plugin.uri }, position: plugin.toPosition(word.from), newName: input.value });
  if (edit) apply(edit);
  view.focus();
}

// ---- on the disk

const textOf = (name: string) => {
  const file = files.getFile(uriOf(name));
  return file ? (file.view ? file.view.state.doc : file.doc).toString() : saved[name];
};
export const names = () => Object.keys(saved);
export const unsaved = () => files.files.map((file) => nameOf(file.uri)).filter((name) => name in saved && textOf(name) !== saved[name]);

/** Write all texts that are not saved. */
export async function save(): Promise<void> {
  client.sync();
  for (const name of unsaved()) {
    const text = textOf(name);
    let answer = await asked<{ saved?: string; conflict?: string | null }>("save", { name, text, known: saved[name] });
    if (answer && "conflict" in answer) {
      const which = await question(said("conflict", { name }), [], [["mine", said("keep_mine")], ["theirs", said("take_theirs")]]);
      if (which === "mine") answer = await asked("save", { name, text, force: true });
      else if (which === "theirs") { replaced(name, answer.conflict ?? ""); continue; }
      else return;
    }
    if (!answer) return;
    saved[name] = text;
  }
  changed();
}

/** Write a file that there is not yet, and show it; whether it could be. */
export async function create(name: string, text: string): Promise<boolean> {
  const answer = await asked<{ saved?: string; conflict?: string | null }>("save", { name, text, known: null });
  if (answer?.conflict !== undefined) note(said("exists", { name }), true);
  if (!answer?.saved) return false;
  saved[name] = text;
  show(name);
  changed();
  return true;
}

/** Add an item to the list at the end of a file, with the list's own indentation, and show it. */
export function append(name: string, item: string): void {
  const text = textOf(name), indent = /^( *)- /m.exec(text)?.[1] ?? "  ";
  const insert = `${text.endsWith("\n") ? "" : "\n"}${item.replace(/^ {2}/gm, indent)}`;
  files.opened(uriOf(name));
  files.updateFile(uriOf(name), { changes: { from: text.length, insert } });
  client.sync();
  show(name, { line: text.split("\n").length, character: 0 });
  changed();
}

function replaced(name: string, text: string): void {
  saved[name] = text;
  const file = files.getFile(uriOf(name));
  if (file && textOf(name) !== text) {
    const { length } = file.view ? file.view.state.doc : file.doc;
    files.updateFile(file.uri, { changes: { from: 0, to: length, insert: text } });
    client.sync();
  }
}

hear("disk", ({ files: news }: { files: Record<string, string | null> }) => {
  const mine = unsaved();
  for (const [name, text] of Object.entries(news)) {
    if (text === null) delete saved[name];
    else if (mine.includes(name)) note(said("conflict", { name }), true); // saving asks which of them stays
    else { replaced(name, text); note(said("changed_outside", { name })); }
  }
  changed();
});

const hearers = new Set<(message: string) => void>();
hear("lsp", (message) => hearers.forEach((each) => each(JSON.stringify(message))));

/** Connect to the language server, whose answers the page hears already, and show the file that was shown last. */
export async function begin(): Promise<void> {
  let sending = Promise.resolve<unknown>(undefined);
  client.connect({
    send: (message) => { sending = sending.then(() => fetch("/lsp", { method: "POST", body: message }).catch(() => note(said("lost_server"), true))); },
    subscribe: (hearer) => hearers.add(hearer),
    unsubscribe: (hearer) => hearers.delete(hearer),
  });
  await client.initializing;
  const last = sessionStorage.getItem("file") ?? "";
  show(last in saved ? last : names()[0]);
}
