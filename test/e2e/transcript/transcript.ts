/**
 * What the product says on the wire, written down: each request with its answer, headers included, and each webhook. What
 * differs from run to run has a name instead (names.ts).
 */
import { request } from 'undici';
import { expectAsInReference, faultIn } from '../../../scripts/harness/as-promised.ts';
import { routeOf, until } from '../../../scripts/harness/client.ts';
import type { Received } from '../../../scripts/harness/receiver.ts';
import { eventOf } from '../../../src/api/schemas/events.ts';
import { EVENT_DOCUMENTS } from '../../../src/http/routes.ts';
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
  #eventsOf: { key: string; isOfScene: (event: RecordedEvent) => boolean } | undefined;
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
    const route = routeOf(method, path);
    const operation = route?.operation;
    const status = answer.statusCode;
    const isJson = /json\b/.test(String(answer.headers['content-type'] ?? ''));
    const value = text === '' || !isJson ? undefined : JSON.parse(text);
    const answered = { status, headers: answer.headers as Record<string, string>, text, body: value };
    expectAsInReference(route, `${method} ${path}`, answered);
    if (operation) {
      this.#heard.set(operation, (this.#heard.get(operation) ?? new Set()).add(status));
      if (isJson || text === '') this.#exchanges.push({ title, operation, request: body, status, answer: value });
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

  /** Throws for one that is not what the schema of its type says. */
  webhook({ path, headers, body }: Received): void {
    requireDocumented(JSON.parse(body) as RecordedEvent);
    this.#write(`### Webhook to ${path}`, headersText(headers), shown(body));
  }

  /** All that was written, each part with the names of what differs. */
  text(): string {
    const names = new Names(inBrackets, { [this.#baseUrl]: '<api>', [this.#key]: '<key>' });
    return `${names.put(this.#text.join('\n'))}\n`;
  }

  /**
   * Each request with its answer, and the first event of each type that the book has so far. Throws for any event of the book that
   * is not what the schema of its type says.
   */
  async forExamples(scene: string, began: number): Promise<{ exchanges: Exchange[]; events: RecordedEvent[] }> {
    const events = await this.#events();
    const said = { exchanges: this.#exchanges, events: firstOfEach(events) };
    return asExamples(said, { scene, began, baseUrl: this.#baseUrl, events });
  }

  /** Reads the events of these types with another key: those of a scene that is played in another book. */
  readEventsWith(key: string, prefixes: readonly string[]): void {
    this.#eventsOf = { key, isOfScene: ({ type }) => prefixes.some((prefix) => type.startsWith(prefix)) };
  }

  /** Every event of the book, newest first. */
  async #events(): Promise<RecordedEvent[]> {
    const { key, isOfScene } = this.#eventsOf ?? { key: this.#key, isOfScene: () => true };
    const events: RecordedEvent[] = [];
    const headers = { authorization: `Bearer ${key}` };
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query = cursor === '' ? '' : `&starting_after=${cursor}`;
      const answer = await request(`${this.#baseUrl}/v1/events?limit=100${query}`, { headers });
      const page = (await answer.body.json()) as { data: RecordedEvent[]; next_cursor: string | null };
      page.data.forEach(requireDocumented);
      events.push(...page.data.filter(isOfScene));
      cursor = page.next_cursor;
    }
    return events;
  }

  #write(...parts: string[]): void {
    this.#text.push(...parts.filter((part) => part !== ''), '');
  }
}

/** The first event of each type, by type. The newest come first. */
function firstOfEach(events: readonly RecordedEvent[]): RecordedEvent[] {
  const first = new Map(events.map((event) => [event.type, event]));
  return [...first.values()].sort((one, other) => (one.type < other.type ? -1 : 1));
}

/** Every member of the event, and of its object, is one that the document names. */
function requireDocumented(event: RecordedEvent): void {
  const { names, object, schemaName } = EVENT_DOCUMENTS.find((document) => document.names.includes(event.type))!;
  const fault = faultIn(eventOf(object, names, schemaName), event, 'any');
  if (fault) throw new Error(`The event ${event.type} is not as the document says: ${JSON.stringify(event)}\n${fault}`);
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
