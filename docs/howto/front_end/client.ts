// Plays a seat at random, told by the stream: `node client.ts http://127.0.0.1:8000 reco 3`, types are in rulelang.ts.
import type { Created, CreateBody, ActBody, ErrorCode, Table } from "./rulelang";

class Refused extends Error {
  code: ErrorCode;
  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

async function ask<Answer>(address: string, token = "", body?: object): Promise<Answer> {
  const headers = { "Content-Type": "application/json", Authorization: `Bearer ${token}` };
  const request = body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers };
  const answer = await fetch(address, request);
  const json: any = await answer.json();
  if (!answer.ok) throw new Refused(json.error.code, json.error.message);
  return json;
}

// Yields the stamp of each change; a lost stream is opened again.
async function* stamps(place: string, token: string, stamp: string): AsyncGenerator<string> {
  for (;;) {
    const headers = { Authorization: `Bearer ${token}`, "Last-Event-ID": stamp };
    const answer = await fetch(`${place}/stream`, { headers });
    let text = "";
    const decoder = new TextDecoder();
    for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
      for (const found of text.matchAll(/^data: (\w+)\n\n/gm)) yield (stamp = found[1]);
      text = text.slice(text.lastIndexOf("\n\n") + 2);
    }
  }
}

async function play(place: string, token: string): Promise<Table> {
  let table = await ask<Table>(`${place}?since=0`, token);
  const news = stamps(place, token, table.stamp);
  while (!table.over) {
    for (const event of table.events) console.log(event.text);
    const actions = table.decision?.actions ?? [];
    const [action, since] = [actions[Math.floor(Math.random() * actions.length)], table.next];
    try {
      const body: ActBody = { id: action?.id ?? "", stamp: table.stamp, since };
      if (action) table = await ask<Table>(`${place}/act`, token, body);
      else if ((await news.next()).value) table = await ask<Table>(`${place}?since=${since}`, token);
    } catch (error) {
      if (!(error instanceof Refused && error.code === "stale")) throw error;
      table = await ask<Table>(`${place}?since=${since}`, token);
    }
  }
  await news.return(undefined);
  return table;
}

const [address, ruleset, players] = process.argv.slice(2);
const bots = Object.fromEntries(Array.from({ length: +players - 1 }, (_, n) => [`${n + 1}`, "easy" as const]));
const wanted: CreateBody = { ruleset, players: +players, bots };
const game = await ask<Created>(`${address}/api/v1/games`, "", wanted);
console.log((await play(`${address}/api/v1/games/${game.game}/0`, game.tokens["0"])).winners);
