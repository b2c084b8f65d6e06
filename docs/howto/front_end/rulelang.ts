// Types of version 1 of RuleLang's JSON API, made by docs/typescript.py.

export type ErrorCode =
  | "usage"
  | "not-yours"
  | "not-over"
  | "no-seat"
  | "no-ruleset"
  | "no-page"
  | "method"
  | "too-slow"
  | "stale"
  | "not-your-turn"
  | "over"
  | "refused"
  | "nothing-to-undo"
  | "changed"
  | "ruleset"
  | "too-large"
  | "not-json"
  | "too-many"
  | "fault"
  | "worker"
  | "store"
  | "full";

export interface ActBody {
  id: string;
  stamp: string;
  since?: number;
}

export interface Action {
  id: string; // sent back to `act`
  text: string;
  item: string; // the item of a menu, else the rule
  arguments: Record<string, unknown>; // as the schema of the ruleset says
  parts: string[]; // the picks that name it
  cites: string[];
}

export interface Asked {
  seat: number;
  steps: number | null; // how many are taken back; null: for a draw
  waiting: number[];
}

export interface BotBody {
  bot?: "random" | "easy" | "good" | "strong";
}

export interface Brief {
  key: string;
  title: string;
  players: number[]; // how many can play
  minutes: string; // how long it takes; empty if unknown
}

export interface Card {
  id: string;
  kind: string;
  name: string;
  kind_name: string;
  count: string;
  per_player: boolean;
  attributes: Record<string, string>;
  values: Record<string, string>;
  start: string;
  effects: string[];
  text: string; // the author's own
  rules: string;
  provenance: string;
  provenance_text: string;
  cites: string[];
  options: string[]; // the options that it depends on
  sign: string; // one to three letters
  hue: string; // the class of its colour on the pages
  picture: string; // a name under `pictures`; empty without one
}

export interface Cards {
  kinds: Record<string, Record<string, string>>;
  cards: Card[];
}

export interface Chapter {
  title: string;
  texts: Record<string, unknown>[];
}

export interface ChatBody {
  text: string;
}

export interface Clock {
  seat: number;
  seconds: number;
}

export interface ConsentBody {
  answer: "yes" | "no";
}

export interface CreateBody {
  ruleset: string;
  players?: number;
  minutes?: number;
  each?: number;
  late?: "random" | "easy" | "good" | "strong";
  spectators?: "off" | "public" | "after";
  scenario?: string;
  record?: string;
  options?: Record<string, string | number | boolean>;
  bots?: Record<string, "random" | "easy" | "good" | "strong">;
  variants?: string[];
}

export interface Created {
  game: string;
  tokens: Record<string, string>; // place -> token: seats by number, `links` for who made the game
}

export interface Decision {
  rule: string;
  question: string;
  together: boolean; // others are asked at the same time
  secret: boolean; // others do not learn the answer
  count: number; // how many actions the picks leave
  picked: string[]; // the picks that count
  open: Part[]; // the picks that would tell the actions left apart
  ready: string | null; // the id of the action that is picked, if one is
  actions: Action[]; // those that the picks and words leave, the first 200
}

export type DrawBody = Record<string, unknown>;

export interface Error {
  error: { message: string; code: ErrorCode };
}

export interface JoinBody {
  name?: string;
}

export interface Known {
  key: string;
  title: string;
  players: number[];
  options: Record<string, unknown>[]; // each with `name`, `label`, `values`, `labels`, and `players` of values
  defaults: Record<string, Record<string, unknown>>; // number of players -> values of options
  variants: Record<string, string>; // name -> title
  scenarios: string[];
  about: string[][]; // titles and texts
  bots: string[]; // who may play for seats, by strength
}

export interface Line {
  text: string;
  piece: string;
  rule: string;
  cites: string[];
  values: (number[] | null)[]; // by party the least and greatest value; null for what is not known
}

export interface Note {
  seat: number;
  text: string;
  kind: string;
}

export interface NoteBody {
  text: string;
}

export interface Offers {
  rulesets: Brief[];
}

export interface Part {
  pick: string; // sent back as `pick`
  name: string; // what it is chosen as; empty for an item of a menu
  value: string;
  zone: string; // where a piece lies
  text: string;
}

export interface Refusals {
  refusals: Record<string, unknown>[];
}

export interface Rematch {
  game: string;
  place: string;
}

export type RematchBody = Record<string, unknown>;

export type RenewBody = Record<string, unknown>;

export type ResignBody = Record<string, unknown>;

export interface Rules {
  title: string;
  chapters: Chapter[];
}

export type Schema = Record<string, unknown>;

export interface Sheet {
  lines: Line[];
  totals: (number[] | null)[];
}

export interface Stage {
  round: number;
  values: Record<string, string>;
}

export interface Table {
  stamp: string; // stands for all of this but the clocks; another one is news
  lang: string;
  title: string;
  seat: number | null; // the reader's seat; null for a spectator
  players: number;
  parties: string[]; // seats by number, then automata by name
  names: string[]; // what people call themselves, by seat; empty where they don't
  bots: Record<string, string>; // party -> the bot that plays it
  options: Record<string, number | boolean | string>;
  over: boolean;
  winners: number[] | null;
  stage: Stage;
  observation: Record<string, unknown>; // as the schema of the ruleset says
  events: Record<string, unknown>[]; // what happened, as the reader learnt it, each with `index`, `type` and `text`
  next: number; // the number from which on to ask for events
  undone: number; // how many choices were taken back: when it grows, events before `next` may be others
  decision: Decision | null; // what the reader is asked
  undo: "free" | "ask" | ""; // whether the reader's last choice can be taken back
  asked: Asked | null;
  clocks: Clock[];
  notes: Note[];
  ended: Record<string, unknown>; // how people ended the game, and which seat did; empty where the rules did or none
  ranks: number[] | null; // by party, once the rules have ended the game
  rematch: boolean; // whether there is a next game
  draws: boolean; // whether the reader may ask for a draw
  changed: string[]; // what the server's rules declare otherwise than those of this game
}

export interface Theme {
  colours: Record<string, string>;
  signs: Record<string, string>;
  by: Record<string, string>;
  pictures: Record<string, string>; // name -> the name of a file under `pictures`; so in all that follow
  backs: Record<string, string>; // kind -> file
  boards: Record<string, string>; // grid -> file
  cells: Record<string, Record<string, string>>; // grid -> sign of its map -> file
  patterns: Record<string, string>; // grid -> `chequered`, `crossings` or `slanted`
  layout: Record<string, string>; // zone -> `pile`, `track`, `cards` or `hidden`; variable -> `hidden`
  shapes: Record<string, string>;
  players: Record<string, string>; // colour of a party -> shade
  fonts: Record<string, string>;
  places: Record<string, unknown>; // `picture`, `size` and where zones are `at`
}

export interface Token {
  token: string;
}

export interface UndoBody {
  stamp: string;
}
