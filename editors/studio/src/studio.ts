// The studio: what is around the editor and the table.

import { Finding, append, begin, create, current, findings, follow, mend, names, save, show, unsaved } from "./editor";
import { Game, asked, byId, hear, listen, made, note, own, question, said } from "./page";

let game: Game | null = null;

// ---- files

function listFiles(): void {
  const open = unsaved();
  const groups = new Map<string, string[]>();
  for (const name of names()) {
    const folder = name.includes("/") ? name.slice(0, name.lastIndexOf("/")) : "";
    groups.set(folder, [...(groups.get(folder) ?? []), name]);
  }
  const row = (name: string) => {
    const wrong = (findings.get(name) ?? []).filter(({ severity }) => severity === 1).length;
    const button = made("button", { "aria-current": String(name === current), onclick: () => show(name) }, made("span", {}, name.slice(name.lastIndexOf("/") + 1)));
    if (open.includes(name)) button.append(made("i", { title: said("unsaved") }, "●", made("span", { className: "vh" }, said("unsaved"))));
    if (wrong) button.append(made("b", { "aria-label": `${said("errors")}: ${wrong}` }, String(wrong)));
    return made("li", {}, button);
  };
  byId("files").replaceChildren(...[...groups].flatMap(([folder, inside]) =>
    folder ? [made("li", {}, made("p", {}, `${folder}/`), made("ul", {}, ...inside.map(row)))] : inside.map(row)));
  const button = byId<HTMLButtonElement>("save");
  button.textContent = open.length ? said("save_all", { count: open.length }) : said("all_saved");
  button.disabled = !open.length || !own.writable;
  byId<HTMLButtonElement>("vary").disabled = !open.length;
}

let saving = 0, reading = 0;
const autosave = byId<HTMLInputElement>("autosave");
autosave.checked = localStorage.getItem("autosave") === "on";
autosave.disabled = !own.writable;
autosave.addEventListener("change", () => localStorage.setItem("autosave", autosave.checked ? "on" : "off"));
function changed(): void {
  listFiles();
  clearTimeout(saving);
  if (current.includes("scenarios/") && !byId("scenarios").hidden) {
    clearTimeout(reading);
    reading = setTimeout(readScenarios, 700) as unknown as number;
  }
  if (autosave.checked && own.writable && unsaved().length) saving = setTimeout(save, 800) as unknown as number;
}
byId("save").addEventListener("click", save);
byId("shipped").hidden = own.writable;
addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key === "s") { event.preventDefault(); void save(); }
});
let leaving = false;
addEventListener("beforeunload", (event) => { if (unsaved().length && !leaving) event.preventDefault(); });

const folderName = () => made("input", { required: true, pattern: "[a-z][a-z0-9_]*", placeholder: said("name_hint"), autocomplete: "off" });
const field = (label: string, input: HTMLElement) => made("label", { className: "field" }, made("span", {}, label), input);
function reopen(): void {
  leaving = true;
  sessionStorage.removeItem("file");
  location.reload();
}
byId("vary").addEventListener("click", async () => {
  const name = folderName();
  if (!(await question(said("vary"), [made("p", {}, said("vary_about")), field(said("name"), name)], [["yes", said("make")]]))) return;
  const answer = await asked<{ folder?: string; reasons?: string[]; moved?: string[] }>("vary", { name: name.value });
  if (answer?.reasons) await question(said("cannot_vary"), [made("ul", {}, ...answer.reasons.map((reason) => made("li", {}, reason)))], []);
  else if (answer) {
    if (answer.moved?.length) await question(said("moved", { names: answer.moved.join(", ") }), [], []);
    reopen();
  }
});
byId("new").addEventListener("click", async () => {
  const name = folderName();
  const base = made("select", {}, made("option", { value: "" }, said("small_example")), ...Object.entries(own.shipped).map(([value, title]) => made("option", { value, selected: value === own.folder }, title)));
  const body = [made("p", {}, said("new_about", { home: own.home })), field(said("new_game_of"), base), field(said("name"), name)];
  if (!(await question(said("new_game_of"), body, [["yes", said("make")]]))) return;
  if (await asked("new", { name: name.value, base: base.value })) reopen();
});
byId("new-file").hidden = !own.writable;
byId("new-file").addEventListener("click", async () => {
  const name = made("input", { required: true, pattern: "([a-z][a-z0-9_]*/)*[a-z][a-z0-9_]*\\.(yaml|rule)", placeholder: "cards.yaml, more.rule, scenarios/own.yaml", autocomplete: "off" });
  if (!(await question(said("new_file"), [field(said("name"), name)], [["yes", said("make")]]))) return;
  await create(name.value, name.value.endsWith(".rule") ? "rulelang 2\n" : /(^|\/)scenarios\//.test(name.value) ? `${EMPTY_SCENARIOS}  - {name: ${name.value}, then: ["true"]}\n` : "rulelang: 2\n");
});
const EMPTY_SCENARIOS = "rulelang: 2\nscenarios:\n";
byId<HTMLSelectElement>("language").addEventListener("change", async (event) => {
  const lang = (event.target as HTMLSelectElement).value;
  await asked("look", { lang });
  leaving = !unsaved().length;
  location.assign(`/?lang=${lang}`);
});

// ---- findings

function listFindings(): void {
  const all = [...findings].flatMap(([name, own]) => own.map((finding) => ({ name, finding }))).sort((a, b) => a.finding.severity - b.finding.severity);
  const errors = all.filter(({ finding }) => finding.severity === 1).length;
  badge("findings", all.length ? String(all.length) : "", errors > 0);
  byId("findings").replaceChildren(all.length ? made("ul", { className: "rows" }, ...all.map(({ name, finding }) => findingRow(name, finding))) : made("p", { className: "quiet" }, said("no_findings")));
  listFiles();
}
function findingRow(name: string, finding: Finding): HTMLElement {
  const [message, ...hint] = finding.message.split("\n");
  const line = finding.range.start.line + 1;
  return made("li", { className: finding.severity === 1 ? "wrong" : "warned" },
    made("button", { className: "place", onclick: () => show(name, finding.range.start) }, `${name}:${line}`),
    made("span", { className: "said" }, message, hint.length ? made("small", {}, hint.join(" ")) : null),
    made("button", { onclick: () => mend(name, finding), "aria-label": `${said("mend")}: ${message}` }, said("mend")));
}
function badge(tab: string, text: string, wrong = false): void {
  const mark = byId(`tab-${tab}`).querySelector(".badge")!;
  mark.textContent = text;
  mark.classList.toggle("wrong", wrong);
}

// ---- the game

const frame = byId<HTMLIFrameElement>("frame");
function showGame(now: Game): void {
  const before = game;
  game = now;
  fill("playing", Object.entries(now.rulesets).map(([value, label]) => [value, label]), now.playing);
  const status = byId("state");
  status.textContent = !now.ready ? said(now.stale ? "no_game" : "waiting") : now.fault ? said("cant_begin", { text: now.fault }) : now.stale ? said("stale") : "";
  status.classList.toggle("wrong", Boolean(now.fault) || now.stale);
  document.querySelectorAll<HTMLButtonElement>(".game button").forEach((button) => { button.disabled = !now.ready; });
  if (!now.ready) return;
  document.title = `${now.title} – ${said("studio")}`;
  byId("title").textContent = now.title;
  if (!frame.src || before?.lang !== now.lang || before?.playing !== now.playing) frame.src = "/table";
  fill("view", [["turn", said("view_turn")], ["all", said("view_all")], ...now.seats.map((seat, number): [string, string] => [String(number), seat])], now.view);
  const slider = byId<HTMLInputElement>("at");
  slider.max = String(now.kept);
  slider.value = String(now.at);
  const lost = now.of - now.kept;
  const where = said("at_of", { at: now.at, of: now.kept });
  slider.setAttribute("aria-valuetext", where);
  byId("where").textContent = lost ? `${where} · ${said("lost", { lost })}` : where;
  byId("where").title = lost ? said("lost_about", { lost }) : "";
  byId("where").classList.toggle("wrong", lost > 0);
  byId<HTMLButtonElement>("first").disabled = byId<HTMLButtonElement>("back").disabled = now.at === 0;
  byId<HTMLButtonElement>("last").disabled = byId<HTMLButtonElement>("forth").disabled = now.at >= now.kept;
  document.querySelectorAll<HTMLButtonElement>("[data-until]").forEach((button) => { button.disabled = now.over; });
  byId("halt").hidden = !now.busy;
  showDifference(now);
  listSteps(now);
}
function fill(id: string, options: [string, string][], value: string): void {
  const select = byId<HTMLSelectElement>(id);
  const key = JSON.stringify(options);
  if (select.dataset.key !== key) {
    select.dataset.key = key;
    select.replaceChildren(...options.map(([own_, label]) => made("option", { value: own_ }, label)));
  }
  select.value = value;
}
let dismissed = "";
function showDifference(now: Game): void {
  const box = byId("difference");
  const key = JSON.stringify(now.difference);
  box.hidden = !now.difference || key === dismissed;
  if (!now.difference || box.hidden) return;
  const { number, changed: rows, moved, offered, refused, error } = now.difference;
  const nothing = said("nothing_there");
  box.replaceChildren(
    made("button", { className: "close", "aria-label": said("dismiss"), onclick: () => { dismissed = key; box.hidden = true; } }, "×"),
    made("b", {}, said("differs", { number: number + 1 })),
    made("ul", {},
      ...rows.map(([name, was, is]) => made("li", {}, made("code", {}, name), " ", made("del", {}, was || nothing), " → ", made("ins", {}, is || nothing))),
      ...moved.map(([name, gone, come]) => made("li", {}, made("code", {}, name), " ", gone ? made("del", {}, `− ${gone}`) : null, gone && come ? " " : null, come ? made("ins", {}, `+ ${come}`) : null, gone || come ? null : said("reordered"))),
      offered.length ? made("li", {}, said("offered_now", { names: offered.join(", ") })) : null,
      refused.length ? made("li", {}, said("refused_now", { names: refused.join(", ") })) : null,
      error ? made("li", {}, said("next_fails", { number: now.kept + 1, text: error })) : null));
}
function listSteps(now: Game): void {
  badge("choices", now.of ? String(now.of) : "");
  if (byId("choices").hidden) return;
  const rows = now.steps.map(({ seat, text }, index) => {
    const number = now.first + index + 1;
    const button = made("button", { disabled: number > now.kept, "aria-current": String(number === now.at), onclick: () => go(number) }, said("choice_by", { number, seat: now.seats[seat] ?? seat, text }));
    return made("li", {}, button);
  });
  byId("steps").replaceChildren(...(rows.length ? rows : [made("li", { className: "quiet" }, said("no_choices"))]));
  byId("steps").querySelector('[aria-current="true"]')?.scrollIntoView({ block: "nearest" });
  byId("branches").replaceChildren(...(now.branches.length ? [made("h3", {}, said("branches")), made("ul", { className: "rows" }, ...now.branches.map(({ number, of, text }, index) =>
    made("li", {}, made("button", { onclick: () => asked("switch", { branch: index }) }, said("branch", { number: number + 1, text, of })))))] : []));
}
const go = (at: number) => asked("go", { at });
let dragging = 0;
byId("at").addEventListener("input", () => {
  clearTimeout(dragging);
  dragging = setTimeout(() => go(Number(byId<HTMLInputElement>("at").value)), 30) as unknown as number;
});
for (const [id, at] of [["first", () => 0], ["back", () => game!.at - 1], ["forth", () => game!.at + 1], ["last", () => game!.kept]] as const)
  byId(id).addEventListener("click", () => go(at()));
byId("view").addEventListener("change", () => asked("look", { view: byId<HTMLSelectElement>("view").value }));
byId("playing").addEventListener("change", () => asked("playing", { playing: byId<HTMLSelectElement>("playing").value }));
document.querySelectorAll<HTMLButtonElement>("[data-until]").forEach((button) => button.addEventListener("click", async () => {
  await asked("bots", { bot: byId<HTMLSelectElement>("bot").value, until: button.dataset.until });
}));
byId("halt").addEventListener("click", () => asked("halt"));
byId("again").addEventListener("click", async () => {
  if (!game?.ready) return;
  const players = made("select", {}, ...game.counts.map((count) => made("option", { value: String(count), selected: count === game!.players }, String(count))));
  const seed = made("input", { type: "number", min: "0", value: String(game.seed), required: true });
  const other = made("button", { type: "button", onclick: () => { seed.value = String(Math.floor(Math.random() * 1e6)); } }, said("other_seed"));
  const options = game.offered.map((option) => ({
    option,
    select: made("select", {}, ...option.values.map((value, number) => made("option", { value: String(number), selected: value === game!.options[option.name] }, option.labels[number]))),
  }));
  const body = [field(said("players"), players), made("div", { className: "pair" }, field(said("seed"), seed), other), ...options.map(({ option, select }) => field(option.label, select))];
  if (!(await question(said("new_game"), body, [["yes", said("begin")]]))) return;
  await asked("new_game", {
    players: Number(players.value), seed: Number(seed.value),
    options: Object.fromEntries(options.map(({ option, select }) => [option.name, option.values[Number(select.value)]])),
  });
});
for (const id of ["bot", "count-bot"]) fill(id, own.bots.map((bot) => [bot, said(`bot_${bot}`)]), own.bots[0]);

// ---- scenarios

interface Result { name: string; file: string; line: number; ok: boolean; message: string }
let scenarios: { name: string; file: string; line: number }[] = [];
const results = new Map<string, Result>();
let testing = false;

function listScenarios(): void {
  const wanted = byId<HTMLInputElement>("filter").value.toLowerCase();
  const failed = [...results.values()].filter(({ ok }) => !ok).length;
  const shown = scenarios.filter(({ name }) => name.toLowerCase().includes(wanted)).sort((a, b) => rank(a.name) - rank(b.name));
  badge("scenarios", failed ? String(failed) : "", failed > 0);
  byId("test-stop").hidden = !testing;
  byId<HTMLButtonElement>("run-failed").disabled = !failed;
  byId("passed").textContent = scenarios.length ? `${testing ? said("running") : ""} ${said("passed", { passed: results.size - failed, failed, left: scenarios.length - results.size })}` : said("no_scenarios");
  byId("results").replaceChildren(...shown.slice(0, 400).map(({ name, file, line }) => {
    const result = results.get(name);
    return made("li", { className: result ? (result.ok ? "passed" : "wrong") : "" },
      made("button", { className: "place", onclick: () => show(result?.file ?? file, { line: (result?.line ?? line) - 1, character: 0 }) }, `${(result?.file ?? file).split("/").pop()}:${result?.line ?? line}`),
      made("span", { className: "said" }, name, result?.message ? made("pre", {}, result.message) : null),
      made("button", { onclick: () => run([name]), "aria-label": `${said("run_one")}: ${name}` }, said("run_one")));
  }));
}
const rank = (name: string) => (results.has(name) ? (results.get(name)!.ok ? 2 : 0) : 1);
async function run(only: string[] | null): Promise<void> {
  if (only) only.forEach((name) => results.delete(name));
  else results.clear();
  testing = true;
  listScenarios();
  await asked("test", { names: only });
}
async function readScenarios(): Promise<void> {
  const answer = await asked<{ scenarios: typeof scenarios }>("scenarios");
  scenarios = answer?.scenarios ?? [];
  for (const name of results.keys()) if (!scenarios.some((scenario) => scenario.name === name)) results.delete(name);
  listScenarios();
}
let listing = 0;
hear("test", (row: { result?: Result; done?: boolean; error?: string }) => {
  if (row.result) results.set(row.result.name, row.result);
  if (row.error) note(row.error, true);
  if (row.done) testing = false;
  clearTimeout(listing);
  listing = setTimeout(listScenarios, row.done ? 0 : 150) as unknown as number;
});
byId("position").addEventListener("click", async () => {
  if (!game?.ready) return note(said("no_game"), true);
  const folder = game.playing === "." ? "scenarios/" : `${game.playing}/scenarios/`;
  const known = names().filter((name) => name.startsWith(folder));
  const own_ = `${folder}positions.yaml`;
  const files = [...(own.writable && !known.includes(own_) ? [own_] : []), ...known];
  const name = made("input", { required: true, value: said("position_name", { number: game.at, seed: game.seed }), autocomplete: "off" });
  const file = made("select", {}, ...files.map((value) => made("option", { value }, value)));
  if (!files.length || !(await question(said("position"), [made("p", {}, said("position_about")), field(said("name"), name), field(said("file"), file)], [["yes", said("make")]]))) return;
  const answer = await asked<{ text: string }>("position", { name: name.value });
  if (!answer) return;
  if (known.includes(file.value)) append(file.value, answer.text);
  else await create(file.value, EMPTY_SCENARIOS + answer.text);
});
byId("run-all").addEventListener("click", () => run(null));
byId("run-failed").addEventListener("click", () => run([...results.values()].filter(({ ok }) => !ok).map(({ name }) => name)));
byId("test-stop").addEventListener("click", () => { testing = false; listScenarios(); void asked("stop", { job: "test" }); });
byId("filter").addEventListener("input", listScenarios);

// ---- numbers

interface Figures { side: string; games: number; seats: { share: number; score: number }[]; decisions: number; turns: number; limited: number; error?: string; done?: boolean }
const figures = new Map<string, Figures>();
let both = false;

async function count(): Promise<void> {
  const old = new Map(figures);
  figures.clear();
  byId("count-stop").hidden = false;
  const answer = await asked<{ both: boolean }>("simulate", { games: Number(byId<HTMLSelectElement>("games").value), bot: byId<HTMLSelectElement>("count-bot").value });
  if (!answer) { byId("count-stop").hidden = true; return; }
  both = answer.both;
  if (!figures.size) for (const [side, row] of old) figures.set(side, row); // shown until there are others
}
function showFigures(): void {
  const [before, now] = [both ? figures.get("before") : undefined, figures.get("after")];
  const any = now ?? before;
  if (!any || !game?.ready) return;
  const cell = (row: Figures | undefined, seat: number) => {
    if (!row?.seats[seat]) return made("td", {}, "…");
    const { share } = row.seats[seat];
    const bar = made("span", { className: "gauge" });
    bar.style.width = `${share * 100}%`;
    const spread = 1.96 * Math.sqrt((share * (1 - share)) / row.games);
    return made("td", {}, made("span", { className: "share" }, bar), ` ${(share * 100).toFixed(1)} % `, made("small", {}, `± ${(spread * 100).toFixed(1)} · ${said("points", { points: row.seats[seat].score.toFixed(2) })}`));
  };
  const plain = (row: Figures | undefined, value: (own_: Figures) => string) => made("td", {}, row ? value(row) : "…");
  const line = (label: string, value: (row: Figures) => string) => made("tr", {}, made("th", { scope: "row" }, label), both ? plain(before, value) : null, plain(now, value));
  const head = made("tr", {}, made("th", { scope: "col" }, said("win_share")), both ? made("th", { scope: "col" }, said("before")) : null, made("th", { scope: "col" }, said("now")));
  byId("figures").replaceChildren(
    made("table", {},
      made("thead", {}, head),
      made("tbody", {},
        ...any.seats.map((_, seat) => made("tr", {}, made("th", { scope: "row" }, game!.seats[seat] ?? String(seat)), both ? cell(before, seat) : null, cell(now, seat))),
        line(said("length"), (row) => row.decisions.toFixed(1)), line(said("turns"), (row) => row.turns.toFixed(1)),
        any.limited ? line(said("by_limit"), (row) => `${(row.limited * 100).toFixed(1)} %`) : null)),
    made("p", { className: "quiet" }, said("counted", { games: any.games, bot: said(`bot_${byId<HTMLSelectElement>("count-bot").value}`), players: any.seats.length }), both ? "" : ` ${said("same_text")}`));
}
hear("simulate", (row: Figures) => {
  if (row.error) note(row.error, true);
  else if (row.done) byId("count-stop").hidden = true;
  else { figures.set(row.side, row); showFigures(); }
});
byId("count").addEventListener("click", count);
byId("count-stop").addEventListener("click", () => { byId("count-stop").hidden = true; void asked("stop", { job: "simulate" }); });
byId("pin").addEventListener("click", async () => { if (await asked("pin")) note(said("pinned")); });
let counting = 0;
/** What hangs on the rules is looked at again, if it is shown. */
function rulesChanged(): void {
  if (!byId("scenarios").hidden) void readScenarios();
  if (byId("numbers").hidden || !byId<HTMLInputElement>("by-itself").checked) return;
  clearTimeout(counting);
  counting = setTimeout(count, 500) as unknown as number;
}

// ---- tabs and sizes

const tabs = [...document.querySelectorAll<HTMLElement>("[role=tab]")];
function choose(tab: HTMLElement): void {
  for (const each of tabs) {
    const on = each === tab;
    each.setAttribute("aria-selected", String(on));
    each.tabIndex = on ? 0 : -1;
    byId(each.getAttribute("aria-controls")!).hidden = !on;
  }
  if (tab.id === "tab-scenarios") void readScenarios();
  if (tab.id === "tab-choices" && game?.ready) listSteps(game);
  if (tab.id === "tab-numbers") rulesChanged();
}
tabs.forEach((tab, number) => {
  tab.addEventListener("click", () => choose(tab));
  tab.addEventListener("keydown", ({ key }) => {
    const next = tabs[(number + (key === "ArrowRight" ? 1 : key === "ArrowLeft" ? tabs.length - 1 : 0)) % tabs.length];
    if (next !== tab) { choose(next); next.focus(); }
  });
});
function split(id: string, sizes: (value: number) => Record<string, string>, share: (event: PointerEvent) => number): void {
  const bar = byId(id);
  const [least, most] = [Number(bar.getAttribute("aria-valuemin")), Number(bar.getAttribute("aria-valuemax"))];
  const set = (value: number) => {
    const own_ = Math.min(most, Math.max(least, value));
    bar.setAttribute("aria-valuenow", String(Math.round(own_)));
    for (const [property, size] of Object.entries(sizes(own_))) document.body.style.setProperty(property, size);
    localStorage.setItem(`size-${id}`, String(own_));
  };
  set(Number(localStorage.getItem(`size-${id}`) ?? bar.getAttribute("aria-valuenow")));
  bar.addEventListener("pointerdown", (event) => bar.setPointerCapture(event.pointerId));
  bar.addEventListener("pointermove", (event) => { if (bar.hasPointerCapture(event.pointerId)) set(share(event)); });
  bar.addEventListener("keydown", ({ key }) => {
    const step = { ArrowLeft: -2, ArrowUp: 2, ArrowRight: 2, ArrowDown: -2 }[key];
    if (step) set(Number(bar.getAttribute("aria-valuenow")) + step);
  });
}
split("width", (value) => ({ "--text": `${value}fr`, "--table": `${100 - value}fr` }), ({ clientX }) => {
  const left = document.querySelector(".text")!.getBoundingClientRect().left;
  return ((clientX - left) / (innerWidth - left)) * 100;
});
split("height", (value) => ({ "--below": `${value}vh` }), ({ clientY }) => (1 - clientY / innerHeight) * 100);

// ---- all of it

hear("game", (now: Game) => {
  const before = game;
  showGame(now);
  if (!before || JSON.stringify(before.difference) !== JSON.stringify(now.difference) || before.stale !== now.stale || before.playing !== now.playing || before.players !== now.players) rulesChanged();
});
hear("fault", ({ text }: { text: string }) => note(text, true));
follow(changed, listFindings);
listFindings();
void listen().then(async () => {
  showGame(await (await fetch("/game")).json());
  await begin();
});
