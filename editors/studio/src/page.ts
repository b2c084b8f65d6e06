// What all parts of the page share: its words, elements, requests, notes and questions.

export interface Step { seat: number; text: string }
export interface Difference { number: number; changed: [string, string, string][]; moved: [string, string, string][]; offered: string[]; refused: string[]; error: string }
export interface OptionOffer { name: string; label: string; values: (number | boolean | string)[]; labels: string[] }
export interface Game {
  ready: boolean; stale: boolean; playing: string; rulesets: Record<string, string>;
  title: string; lang: string; languages: string[]; view: string; players: number; counts: number[]; seed: number;
  options: Record<string, number | boolean | string>; offered: OptionOffer[]; seats: string[];
  at: number; kept: number; of: number; first: number; steps: Step[]; difference: Difference | null; fault: string;
  branches: { number: number; of: number; text: string }[]; over: boolean; busy: boolean; current: number[];
}
interface Own {
  root: string; folder: string; writable: boolean; files: Record<string, string>; nonce: string; words: Record<string, string>;
  lang: string; bots: string[]; home: string; shipped: Record<string, string>;
}

export const own: Own = JSON.parse(document.getElementById("own")!.textContent!);
export const byId = <T extends HTMLElement = HTMLElement>(id: string) => document.getElementById(id) as T;

/** A text of the page, with its fields filled in. */
export const said = (key: string, fields: Record<string, string | number> = {}) =>
  (own.words[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => String(fields[name] ?? ""));

type Child = Node | string | null | undefined | false;

/** An element with properties (those that begin with `aria-` or `data-` are attributes) and what is in it. */
export function made<K extends keyof HTMLElementTagNameMap>(tag: K, properties: Record<string, unknown> = {}, ...inside: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (/^(aria|data)-|^role$/.test(name)) element.setAttribute(name, String(value));
    else Object.assign(element, { [name]: value });
  }
  element.append(...inside.filter((child): child is Node | string => Boolean(child)));
  return element;
}

/** Ask the server for something; what is refused is told. */
export async function asked<T = Record<string, unknown>>(verb: string, body: unknown = {}): Promise<T | null> {
  try {
    const response = await fetch(`/do/${verb}`, { method: "POST", body: JSON.stringify(body) });
    const answer = await response.json();
    if (response.ok) return answer as T;
    note(answer.error ?? response.statusText, true);
  } catch {
    note(said("lost_server"), true);
  }
  return null;
}

let last = "";
/** Say something for a while. */
export function note(text: string, wrong = false): void {
  if (text === last) return;
  last = text;
  const toast = made("p", { className: wrong ? "toast wrong" : "toast" }, text);
  byId("toasts").append(toast);
  setTimeout(() => { toast.remove(); if (last === text) last = ""; }, wrong ? 9000 : 4000);
}

/** Ask a question in a dialog; the value of the button that was pressed, "" if it was left. */
export function question(title: string, body: Node[], buttons: [string, string][]): Promise<string> {
  const dialog = byId<HTMLDialogElement>("ask");
  byId("ask-title").textContent = title;
  byId("ask-body").replaceChildren(...body);
  dialog.querySelector(".buttons")!.replaceChildren(
    ...buttons.map(([value, label], number) => made("button", { value, className: number === 0 ? "main" : "" }, label)),
    made("button", { value: "", formNoValidate: true }, said("cancel")),
  );
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true }));
}

const heard = new Map<string, ((data: any) => void)[]>();
/** Do something with each message of a kind that the server sends. */
export function hear(event: string, act: (data: any) => void): void {
  heard.set(event, [...(heard.get(event) ?? []), act]);
}

/** Listen to the server, from when it answers. */
export function listen(): Promise<void> {
  const source = new EventSource("/events");
  for (const [event, acts] of heard) source.addEventListener(event, (message) => acts.forEach((act) => act(JSON.parse(message.data))));
  source.addEventListener("taken", () => {
    source.close();
    document.body.inert = true;
    document.body.append(made("p", { className: "toast wrong alone" }, said("taken")));
  });
  source.addEventListener("error", () => note(said("lost_server"), true));
  return new Promise((resolve) => source.addEventListener("open", () => resolve(), { once: true }));
}
