// Starts the language server and the debug adapter of `rulelang`; runs scenarios; shows the table beside the text.

import { execFile, spawn, ChildProcess } from "node:child_process";
import * as net from "node:net";
import * as os from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";
import { LanguageClient } from "vscode-languageclient/node";

let client: LanguageClient | undefined;
let server: ChildProcess | undefined;

const command = () => vscode.workspace.getConfiguration("rulelang").get<string>("command", "rulelang");
const quoted = (text: string) => `"${text.replace(/(["\\$`])/g, "\\$1")}"`;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  await start();
  const scenarios = new Scenarios();
  const register = vscode.commands.registerCommand;
  context.subscriptions.push(
    scenarios,
    register("rulelang.play", async (folder?: string, scenario?: string) =>
      inTerminal("play", await ruleset(folder), ...(scenario ? ["--scenario", scenario] : [])),
    ),
    register("rulelang.simulate", async (folder?: string, games = 1000) =>
      inTerminal("simulate", await ruleset(folder), "--games", String(games)),
    ),
    register("rulelang.test", async (folder?: string, name?: string) =>
      inTerminal("test", await ruleset(folder), ...(name ? ["-k", name] : [])),
    ),
    register("rulelang.table", async (folder?: string) => showTable(await ruleset(folder))),
    register("rulelang.scenario", makeScenario),
    register("rulelang.restart", async () => {
      await client?.stop();
      await start();
    }),
    vscode.debug.registerDebugAdapterDescriptorFactory("rulelang", {
      createDebugAdapterDescriptor: () => new vscode.DebugAdapterExecutable(command(), ["debug"]),
    }),
  );
}

export async function deactivate(): Promise<void> {
  server?.kill();
  await client?.stop();
}

async function start(): Promise<void> {
  const language = vscode.workspace.getConfiguration("rulelang").get<string>("language", "");
  client = new LanguageClient(
    "rulelang",
    "RuleLang",
    { command: command(), args: ["lsp"] },
    {
      documentSelector: [{ language: "rule" }, { language: "yaml" }],
      initializationOptions: { language, commands: true },
      synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/*.{rule,yaml}") },
    },
  );
  try {
    await client.start();
  } catch (error) {
    void vscode.window.showErrorMessage(`RuleLang: \`${command()} lsp\` does not start: ${error}`);
  }
}

/** The folder of a ruleset: the one given, that of the open file, or one that is picked. */
async function ruleset(folder?: string): Promise<string | undefined> {
  if (folder) {
    return folder;
  }
  const open = vscode.window.activeTextEditor?.document.uri.fsPath;
  const headers = await vscode.workspace.findFiles("**/ruleset.yaml", "**/node_modules/**", 500);
  const folders = headers.map((header) => path.dirname(header.fsPath)).sort((a, b) => b.length - a.length);
  const around = folders.find((each) => open?.startsWith(each + path.sep));
  return around ?? (await vscode.window.showQuickPick(folders, { placeHolder: "Which ruleset?" }));
}

function inTerminal(verb: string, folder: string | undefined, ...more: string[]): void {
  if (folder === undefined) {
    return;
  }
  const known = vscode.window.terminals.find((each) => each.name === "RuleLang" && each.exitStatus === undefined);
  const terminal = known ?? vscode.window.createTerminal("RuleLang");
  terminal.show();
  terminal.sendText([command(), verb, folder, ...more].map(quoted).join(" "));
}

/** Serve the ruleset on this machine, and show its lobby in a panel; changed rules are taken up. */
async function showTable(folder: string | undefined): Promise<void> {
  if (folder === undefined) {
    return;
  }
  server?.kill();
  const port = 8100 + Math.floor(Math.random() * 800);
  const database = path.join(os.tmpdir(), `rulelang-table-${port}.sqlite`);
  server = spawn(command(), ["serve", folder, "--watch", "--framed", "--port", String(port), "--database", database]);
  const address = await vscode.env.asExternalUri(vscode.Uri.parse(`http://127.0.0.1:${port}/`));
  const panel = vscode.window.createWebviewPanel("rulelang.table", "Table", vscode.ViewColumn.Beside, {
    enableScripts: true,
    retainContextWhenHidden: true,
  });
  panel.onDidDispose(() => server?.kill());
  const source = address.toString();
  if (!(await listens(server, port))) {
    panel.dispose();
    void vscode.window.showErrorMessage(`RuleLang: \`${command()} serve\` does not start; \`pip install "rulelang[web]"\`?`);
    return;
  }
  panel.webview.html = `<!doctype html><html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy"
    content="default-src 'none'; frame-src ${source}; style-src 'unsafe-inline'"></head>
    <body style="padding:0;margin:0"><iframe src="${source}" style="border:0;width:100vw;height:100vh"></iframe></body></html>`;
}

/** Wait until a server takes connections; false if it ends before. */
async function listens(process: ChildProcess, port: number): Promise<boolean> {
  let ended = false;
  process.once("exit", () => (ended = true)).once("error", () => (ended = true));
  while (!ended) {
    const connected = await new Promise<boolean>((resolve) => {
      const socket = net.connect(port, "127.0.0.1", () => resolve(true)).once("error", () => resolve(false));
      socket.once("close", () => resolve(false)).setTimeout(1000, () => socket.destroy());
      socket.once("connect", () => socket.destroy());
    });
    if (connected) {
      return true;
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return false;
}

/** Write the position of the game that is being debugged as a scenario of its ruleset. */
async function makeScenario(): Promise<void> {
  const session = vscode.debug.activeDebugSession;
  if (session?.type !== "rulelang") {
    void vscode.window.showInformationMessage("RuleLang: debug a game first; in a scenario, use its code action.");
    return;
  }
  const name = await vscode.window.showInputBox({ prompt: "What does the scenario show?" });
  const folder = name && (await ruleset(path.isAbsolute(session.configuration.program) ? session.configuration.program : undefined));
  if (!folder) {
    return;
  }
  const item = (await session.customRequest("evaluate", { expression: `scenario ${name}`, context: "repl" })).result as string;
  const header = await vscode.workspace.openTextDocument(vscode.Uri.file(path.join(folder, "ruleset.yaml")));
  const version = /^rulelang:.*$/m.exec(header.getText())?.[0] ?? "";
  const file = vscode.Uri.file(path.join(folder, "scenarios", "played.yaml"));
  const edit = new vscode.WorkspaceEdit();
  const known = (await vscode.workspace.findFiles(new vscode.RelativePattern(folder, "scenarios/played.yaml"))).length > 0;
  if (known) {
    const document = await vscode.workspace.openTextDocument(file);
    edit.insert(file, new vscode.Position(document.lineCount, 0), `\n${item}`);
  } else {
    edit.createFile(file);
    edit.insert(file, new vscode.Position(0, 0), `${version}\nscenarios:\n${item}`);
  }
  await vscode.workspace.applyEdit(edit);
  await vscode.window.showTextDocument(file, { viewColumn: vscode.ViewColumn.Beside });
}

interface Result {
  name: string;
  file: string;
  line: number;
  ok: boolean;
  message: string;
}

/** The scenarios of all rulesets of the workspace in the test explorer. */
class Scenarios implements vscode.Disposable {
  private readonly controller = vscode.tests.createTestController("rulelang", "RuleLang scenarios");

  constructor() {
    this.controller.resolveHandler = async (item) => {
      if (item === undefined) {
        await this.find();
      }
    };
    this.controller.refreshHandler = () => this.find();
    this.controller.createRunProfile("Run", vscode.TestRunProfileKind.Run, (request, token) => this.run(request, token), true);
  }

  dispose(): void {
    this.controller.dispose();
  }

  private async find(): Promise<void> {
    const found = new Map<string, vscode.TestItem>();
    for (const file of await vscode.workspace.findFiles("**/scenarios/*.yaml", "**/node_modules/**")) {
      const folder = path.dirname(path.dirname(file.fsPath));
      const ruleset = found.get(folder) ?? this.controller.createTestItem(folder, path.basename(folder), vscode.Uri.file(folder));
      found.set(folder, ruleset);
      const text = Buffer.from(await vscode.workspace.fs.readFile(file)).toString("utf8");
      text.split("\n").forEach((line, number) => {
        const name = /^\s*-\s*name:\s*["']?(.*?)["']?\s*$/.exec(line)?.[1];
        if (name) {
          const item = this.controller.createTestItem(`${folder}\n${name}`, name, file);
          item.range = new vscode.Range(number, 0, number, line.length);
          ruleset.children.add(item);
        }
      });
    }
    this.controller.items.replace([...found.values()]);
  }

  private async run(request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
    const run = this.controller.createTestRun(request);
    const chosen = request.include ?? [...this.controller.items].map(([, item]) => item);
    const folders = new Set(chosen.map((item) => item.id.split("\n")[0]));
    for (const folder of folders) {
      const whole = chosen.some((item) => item.id === folder);
      const wanted = chosen.filter((item) => item.id.startsWith(`${folder}\n`));
      const ruleset = this.controller.items.get(folder);
      const items = whole ? [...(ruleset?.children ?? [])].map(([, item]) => item) : wanted;
      items.forEach((item) => run.started(item));
      const only = !whole && wanted.length === 1 ? ["-k", wanted[0].label] : [];
      const results = await test(folder, only, token);
      for (const item of items) {
        // A scenario with `$name` in it is several cases; all of them must pass.
        const pattern = new RegExp(`^${item.label.replace(/[.*+?^{}()|[\]\\]/g, "\\$&").replace(/\$\w+/g, ".*")}$`);
        const own = results.filter((result) => pattern.test(result.name));
        const failed = own.filter((result) => !result.ok);
        if (own.length === 0) {
          run.skipped(item);
        } else if (failed.length === 0) {
          run.passed(item);
        } else {
          run.failed(item, failed.map((result) => located(result, item)));
        }
      }
    }
    run.end();
  }
}

function located(result: Result, item: vscode.TestItem): vscode.TestMessage {
  const message = new vscode.TestMessage(`${result.name}\n${result.message}`);
  if (item.uri !== undefined) {
    message.location = new vscode.Location(item.uri, new vscode.Position(Math.max(result.line - 1, 0), 0));
  }
  return message;
}

function test(folder: string, more: string[], token: vscode.CancellationToken): Promise<Result[]> {
  return new Promise((resolve) => {
    const child = execFile(
      command(),
      ["test", folder, "--format", "json", ...more],
      { maxBuffer: 64 << 20 },
      (error, stdout) => {
        try {
          resolve((JSON.parse(stdout) as { scenarios: Result[] }).scenarios);
        } catch {
          void vscode.window.showErrorMessage(`RuleLang: ${error ?? "the scenarios could not be run"}`);
          resolve([]);
        }
      },
    );
    token.onCancellationRequested(() => child.kill());
  });
}
