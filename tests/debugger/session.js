// A session with the test support of VS Code's debug adapters. Arguments: the program, the folder of a ruleset, a file
// of rules, a line of it at which the script of choices stops.

const { DebugClient } = require("@vscode/debugadapter-testsupport");
const { spawn } = require("node:child_process");
const assert = require("node:assert");

async function session(program, folder, file, line) {
  const client = new DebugClient("node", "", "rulelang");
  const child = spawn(program, ["debug"], { stdio: ["pipe", "pipe", "inherit"] });
  client.connect(child.stdout, child.stdin);
  await client.hitBreakpoint({ program: folder, script: ["*n=2"], random: true, stopOnEntry: false }, { path: file, line });

  const { stackFrames } = (await client.stackTraceRequest({ threadId: 1 })).body;
  const { scopes } = (await client.scopesRequest({ frameId: stackFrames[0].id })).body;
  const { variables } = (await client.variablesRequest({ variablesReference: scopes[0].variablesReference })).body;
  assert.deepEqual(Object.fromEntries(variables.map(({ name, value }) => [name, value])), { you: "0", n: "2", cost: "20" });
  for (const step of ["nextRequest", "stepBackRequest", "stepInRequest", "stepOutRequest"]) {
    await Promise.all([client.waitForEvent("stopped"), client[step]({ threadId: 1 })]);
  }
  await assert.rejects(client.evaluateRequest({ expression: "n +", context: "watch" }), /a value is missing/);

  const set = await client.setBreakpointsRequest({ source: { path: file }, breakpoints: [] });
  assert.deepEqual(set.body.breakpoints, []);
  const ended = client.waitForEvent("stopped");
  await client.continueRequest({ threadId: 1 });
  assert.equal((await ended).body.description, "the end");
  await Promise.all([client.waitForEvent("stopped"), client.reverseContinueRequest({ threadId: 1 })]);
  await Promise.all([client.waitForEvent("stopped"), client.customRequest("restart", {})]);
  await Promise.all([client.waitForEvent("terminated"), client.customRequest("terminate")]);
  await client.disconnectRequest();
  assert.equal(await new Promise((resolve) => child.on("exit", resolve)), 0);
}

session(...process.argv.slice(2, 5), Number(process.argv[5])).then(() => process.exit(0), (error) => {
  console.error(error);
  process.exit(1);
});
