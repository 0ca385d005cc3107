/**
 * What the product says on the wire, written down: each request with its answer, headers included, and each webhook. What
 * differs from run to run has a name instead (names.ts).
 */
import { request } from 'undici';
import { routeOf, until } from '../../../scripts/harness/client.ts';
import type { Received } from '../../../scripts/harness/receiver.ts';
import type { Exchange, RecordedEvent } from './exchanges.ts';
import { inBrackets, Names } from './names.ts';
import { asExamples } from './plausible.ts';

export interface Call {
  body?: unknown;
  /** Sent as it stands instead of `body`. */
  rawBody?: string;
  headers?: Record<string, string>;
  /** Null sends none; a POST without one gets the next. */
  idempotencyKey?: string | null;
  /** Null sends none. */
  key?: string | null;
}

/** Of these the value is Node's or the clock's, or follows from what has a name instead. */
const LEFT_OUT = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding', 'host', 'content-length']);

export class Transcript {
  readonly #baseUrl: string;
  readonly #key: string;
  readonly #exchanges: Exchange[] = [];
  readonly #text: string[] = [];
  /** Operations that were called, with the statuses they were answered. */
  readonly #heard: Map<string, Set<number>>;
  #requests = 0;

  constructor(baseUrl: string, key: string, heard: Map<string, Set<number>>) {
    this.#baseUrl = baseUrl;
    this.#key = key;
    this.#heard = heard;
  }

  /** Sends a request and writes it down with its answer, whose body it gives. */
  async call<Body = { id: string }>(title: string, method: string, path: string, options: Call = {}): Promise<Body> {
    const { body, rawBody = body === undefined ? undefined : JSON.stringify(body), key = this.#key } = options;
    const idempotencyKey =
      options.idempotencyKey === undefined && method === 'POST' ? `key-${++this.#requests}` : options.idempotencyKey;
    const headers = {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(rawBody === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey == null ? {} : { 'idempotency-key': idempotencyKey }),
      ...options.headers,
    };
    const answer = await request(this.#baseUrl + path, { method: method as 'GET', headers, body: rawBody });
    const text = await answer.body.text();
    const operation = routeOf(method, path)?.operation;
    const status = answer.statusCode;
    const value = text === '' ? undefined : JSON.parse(text);
    if (operation) {
      this.#heard.set(operation, (this.#heard.get(operation) ?? new Set()).add(status));
      this.#exchanges.push({ title, operation, request: body, status, answer: value });
    }
    this.#write(`### ${title}`, `${method} ${path}`, headersText(headers), shown(rawBody ?? ''));
    this.#write(`=> ${status}`, headersText(answer.headers), shown(text));
    return value as Body;
  }

  /** Asks again, unwritten, until the answer is as wanted; then asks once more and writes that down. */
  async callWhen<Body>(title: string, path: string, isWanted: (body: Body) => boolean): Promise<Body> {
    const headers = { authorization: `Bearer ${this.#key}` };
    await until(async () => (await request(this.#baseUrl + path, { headers })).body.json() as Promise<Body>, isWanted);
    return this.call<Body>(title, 'GET', path);
  }

  webhook({ path, headers, body }: Received): void {
    this.#write(`### Webhook to ${path}`, headersText(headers), shown(body));
  }

  /** All that was written, each part with the names of what differs. */
  text(): string {
    const names = new Names(inBrackets, { [this.#baseUrl]: '<api>', [this.#key]: '<key>' });
    return `${names.put(this.#text.join('\n'))}\n`;
  }

  /** Each request with its answer, and the first event of each type that the book has so far. */
  async forExamples(scene: string, began: number): Promise<{ exchanges: Exchange[]; events: RecordedEvent[] }> {
    const said = { exchanges: this.#exchanges, events: await this.#firstEvents() };
    return asExamples(said, { scene, began, baseUrl: this.#baseUrl });
  }

  async #firstEvents(): Promise<RecordedEvent[]> {
    const first = new Map<string, RecordedEvent>();
    const headers = { authorization: `Bearer ${this.#key}` };
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query = cursor === '' ? '' : `&starting_after=${cursor}`;
      const answer = await request(`${this.#baseUrl}/v1/events?limit=100${query}`, { headers });
      const page = (await answer.body.json()) as { data: RecordedEvent[]; next_cursor: string | null };
      // The newest come first.
      for (const event of page.data) first.set(event.type, event);
      cursor = page.next_cursor;
    }
    return [...first.values()].sort((one, other) => (one.type < other.type ? -1 : 1));
  }

  #write(...parts: string[]): void {
    this.#text.push(...parts.filter((part) => part !== ''), '');
  }
}

function headersText(headers: Readonly<Record<string, unknown>>): string {
  return Object.entries(headers)
    .filter(([name]) => !LEFT_OUT.has(name))
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}

/** JSON line by line, for who compares; as it came where that would hide a byte. */
function shown(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text ? JSON.stringify(value, null, 1) : text;
  } catch {
    return text;
  }
}
